// Hugging Face's .safetensors: a JSON header with every tensor's dtype, shape and place, then the
// bytes. Read from untrusted bytes with jansson.
//
// Checked when opened: the header's length, no name twice, every place inside the file and exactly
// as large as its shape asks for, no overlap, no hole. The header's length need not be a multiple
// of 8, nor a place a multiple of its element's size: bytes are decoded, never cast.
// Source: the format section of the README of github.com/huggingface/safetensors.
#ifndef SAFETENSORS_H
#define SAFETENSORS_H

#include "arena.h"
#include "error.h"
#include "raw_numbers.h"
#include "tensor.h"
#include "tensor_file.h"

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

#endif
