// NumPy's .npy: one tensor. Read from untrusted bytes.
//
// Read: format versions 1, 2, 3; '<f4', '<i8', '|b1' as float32, int64, bool; '<i4' and '|u1' widened
// to int64, '<f2' and '|V2' (bfloat16) to float32; '<f8' rounded to float32. C and Fortran order (as strides). Refused in
// words: big-endian, objects, structured types, shapes whose data is not all there.
// Source: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays".
#ifndef NPY_H
#define NPY_H

#include "arena.h"
#include "error.h"
#include "raw_numbers.h"
#include "tensor.h"
#include "tensor_file.h"

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

// False without a sentence where the array holds no words.
bool npy_words_header(const unsigned char *bytes, size_t length, NpyWordsHeader *words);

// The words of a whole file, in the arena. words->words is NULL where it holds none; false only
// without memory.
bool npy_words(const unsigned char *bytes, size_t length, Arena *arena, FileWords *words,
               Error *err);

// The whole: header and numbers, with nothing missing and nothing after.
bool npy_read(const unsigned char *bytes, size_t length, const char *name, Arena *arena,
              Tensor *out, Error *err);

// Writes version 1, C order; any strides. The bytes live in the arena.
bool npy_write(const Tensor *tensor, Arena *arena, unsigned char **bytes, size_t *length,
               Error *err);

#endif
