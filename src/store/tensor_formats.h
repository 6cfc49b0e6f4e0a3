// The formats of tensors: what tensor_file.c is made of.
#ifndef TENSOR_FORMATS_H
#define TENSOR_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include "arena.h"
#include "error.h"
#include "tensor.h"
#include "tensor_file.h"

// --- numbers
//
// Numbers as the file formats store them: packed, little-endian, the last axis fastest. Bytes are
// put together one by one, so every machine reads and writes the same.

// How a number is stored. int32 and uint8 become int64 in a tensor; float16, bfloat16 and float64
// become float32: the first two exactly, the last rounded to the nearest (halves to even). RAW_OTHER
// is not read.
typedef enum RawKind {
    RAW_OTHER,
    RAW_F32,
    RAW_I64,
    RAW_BOOL,
    RAW_I32,
    RAW_U8,
    RAW_F16,
    RAW_BF16,
    RAW_F64,
} RawKind;

// What becomes of numbers that are stored so, for the screen ("float16, widened to float32"); NULL
// where they stay what they are.
const char *raw_conversion(RawKind kind);

// How many bytes the numbers of a shape take in a file. False when they do not fit into memory's
// addresses, counting an axis of length 0 as 1, so that strides fit as well.
bool raw_bytes_of(size_t element_bytes, int rank, const ptrdiff_t shape[], size_t *bytes);
size_t raw_element_bytes(RawKind kind);

// A tensor's numbers as a file has them: as many bytes as raw_bytes_of says.
typedef struct RawNumbers {
    RawKind kind;
    const unsigned char *bytes;
    int rank;
    const ptrdiff_t *shape;
} RawNumbers;

// A contiguous tensor of them in the arena. False when the shape, at the width the tensor has in
// memory, does not fit.
bool raw_read(const RawNumbers *stored, Arena *arena, Tensor *out, Error *err);

// Goes over a tensor's numbers in index order, whatever its strides.
typedef struct RawCursor {
    const Tensor *tensor;
    ptrdiff_t at[TENSOR_RANK_MAX];
    bool more;
} RawCursor;

RawCursor raw_start(const Tensor *tensor);

// The next numbers as bytes: as many as fit whole into `room` (at least 8). Returns the bytes
// filled, 0 after the last number. Every NaN is 7fc00000, because NaN has no sign here.
size_t raw_next(RawCursor *cursor, unsigned char *bytes, size_t room);

// --- .npy
//
// NumPy's .npy: one tensor. Read from untrusted bytes.
//
// Read: format versions 1, 2, 3; '<f4', '<i8', '|b1' as float32, int64, bool; '<i4' and '|u1' widened
// to int64, '<f2' and '|V2' (bfloat16) to float32; '<f8' rounded to float32. C and Fortran order (as strides). Refused in
// words: big-endian, objects, structured types, shapes whose data is not all there.
// Source: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays".

// No header is longer, so this many bytes of a file are enough for npy_header.
enum { NPY_HEADER_MAX = 64 * 1024 };

// What stands before the numbers.
typedef struct NpyHeader {
    RawKind kind;
    bool fortran_order; // the first axis is the fastest in the file
    int rank;
    ptrdiff_t shape[TENSOR_RANK_MAX];
    size_t header_bytes; // where the numbers begin
    size_t data_bytes;   // how many bytes they take by their shape
} NpyHeader;

// `name` names the bytes in messages ("weights.npz: x.npy").
bool npy_header(const unsigned char *bytes, size_t length, const char *name, NpyHeader *header,
                Error *err);

// An array of words: "<U7" (UTF-32), "|S7" (bytes), "|O" (Python objects, as a pickle).
enum { NPY_WORDS_MAX = 1 << 20, NPY_WORD_MAX = 1 << 12 };

typedef struct NpyWordsHeader {
    char letter; // U, S or O
    bool is_big_endian;
    int rank; // 1 or 2
    ptrdiff_t rows, columns;
    size_t item_bytes, header_bytes, data_bytes; // 0 for objects
} NpyWordsHeader;

// The whole: header and numbers, with nothing missing and nothing after.
bool npy_read(const unsigned char *bytes, size_t length, const char *name, Arena *arena,
              Tensor *out, Error *err);

// Writes version 1, C order; any strides. The bytes live in the arena.
bool npy_write(const Tensor *tensor, Arena *arena, unsigned char **bytes, size_t *length,
               Error *err);

// --- .npz
//
// NumPy's .npz: a zip archive in which every entry NAME.npy is a tensor. Read with libzip from
// untrusted bytes: no more is inflated than the shape in an entry's own header asks for.

typedef struct Npz Npz; // in the arena; npz_close gives back what is not

// The archive at `path`; or bytes in memory, which must outlive it and which `name` names in
// messages. NULL with a sentence.
Npz *npz_open(const char *path, Arena *arena, Error *err);
Npz *npz_open_bytes(const unsigned char *bytes, size_t length, const char *name, Arena *arena,
                    Error *err);
void npz_close(Npz *npz);

// The names in the order of the entries, without ".npy" (NULL-terminated); entries that do not end
// in .npy are no tensors and left out.
const char **npz_names(const Npz *npz, int *count);

// The tensor of names[number].
bool npz_read(Npz *npz, int number, Arena *arena, Tensor *out, Error *err);

// The words of names[number]; words->words is NULL where it holds none, or cannot be read. False without
// memory.
bool npz_words(const Npz *npz, int number, Arena *arena, FileWords *words, Error *err);

// How the tensor that was read last is stored.
RawKind npz_kind(const Npz *npz);

// Writes the archive at `path`, uncompressed and without times: equal tensors give equal bytes.
bool npz_write(const char *path, const NamedTensor tensors[], int count, const FileNote notes[],
               Error *err);

// --- .safetensors
//
// Hugging Face's .safetensors: a JSON header with every tensor's dtype, shape and place, then the
// bytes. Read from untrusted bytes with jansson.
//
// Checked when opened: the header's length, no name twice, every place inside the file and exactly
// as large as its shape asks for, no overlap, no hole. The header's length need not be a multiple
// of 8, nor a place a multiple of its element's size: bytes are decoded, never cast.
// Source: the format section of the README of github.com/huggingface/safetensors.

typedef struct Safetensors Safetensors; // in the arena; safetensors_close gives back what is not

// The file at `path`; or bytes in memory, which must outlive it and which `name` names in messages.
// NULL with a sentence.
Safetensors *safetensors_open(const char *path, Arena *arena, Error *err);
Safetensors *safetensors_open_bytes(const unsigned char *bytes, size_t length, const char *name,
                                    Arena *arena, Error *err);
void safetensors_close(Safetensors *file);

// The names in file order (NULL-terminated).
const char **safetensors_names(const Safetensors *file, int *count);

// The tensor of names[number]: F32, I64 and BOOL as they are, I32 and U8 as int64, F16, BF16 and F64
// as float32. Others are refused, with what to do, only here.
bool safetensors_read(Safetensors *file, int number, Arena *arena, Tensor *out, Error *err);

// How it is stored.
RawKind safetensors_kind(const Safetensors *file, int number);

// Its shape, without reading it; false where it has more axes than are read.
bool safetensors_shape(const Safetensors *file, int number, int *rank,
                       ptrdiff_t shape[TENSOR_RANK_MAX]);

// The words in __metadata__, whose values are texts: a list of texts in JSON, a list of such lists, which
// become "tokens.0" and so on, or words with blanks between. False without memory.
bool safetensors_words(const Safetensors *file, Arena *arena, FileWords **lists, int *count,
                       Error *err);

// Writes in the format's canonical order (wide elements first, then by name), header padded with
// spaces to a multiple of 8. Equal tensors give equal bytes.
bool safetensors_write(const char *path, const NamedTensor tensors[], int count,
                       const FileNote notes[], Error *err);

// --- PyTorch
//
// PyTorch's .pt, .pth, .bin and .ckpt, as torch.save writes them. Since version 1.6: a zip archive of a
// pickle, which says what there is (pickle.h), and of an entry for each storage. Before: pickles one
// behind another, and then the storages. Read from untrusted bytes; nothing of the pickle is run.
// Source: torch/serialization.py, _legacy_save and _legacy_load.
//
// Opening reads the pickle alone; a storage is read when one of its tensors is asked for.

typedef struct Pt Pt; // in the arena; pt_close gives back what is not

// The file at `path`; or bytes in memory, which must outlive it and which `path` names in messages.
// NULL with a sentence.
Pt *pt_open(const char *path, Arena *arena, Error *err);
Pt *pt_open_bytes(const unsigned char *bytes, size_t length, const char *path, Arena *arena,
                  Error *err);
void pt_close(Pt *pt);

// The names in the order of the dicts (NULL-terminated); "" where the file is one tensor.
const char **pt_names(const Pt *pt, int *count);

// The tensor of names[number], with the strides that it has in PyTorch.
bool pt_read(Pt *pt, int number, Arena *arena, Tensor *out, Error *err);

// The lists of texts beside the tensors.
FileWords *pt_words(const Pt *pt, int *count);

// How it is stored.
RawKind pt_kind(const Pt *pt, int number);

// Its shape, without reading it; false where it has more axes than are read.
bool pt_shape(const Pt *pt, int number, int *rank, ptrdiff_t shape[TENSOR_RANK_MAX]);

// A whole number beside the tensors ("model_args.n_head"); false where there is none.
bool pt_number(const Pt *pt, const char *name, int64_t *number);

// The classes of objects beside the tensors, which are not read; or those of modules that were pickled
// whole, whose tensors are. "" where there are none, NULL when memory is short.
const char *pt_beside(const Pt *pt, bool modules, Arena *arena, Error *err);

// Whether a file begins as those of before version 1.6.
bool pt_is_old(const unsigned char *bytes, size_t length);

#endif
