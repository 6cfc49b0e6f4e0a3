// NumPy's .npy: one tensor. Read from untrusted bytes.
//
// Read: format versions 1, 2, 3; '<f4', '<i8', '|b1' as float32, int64, bool; '<i4' and '|u1' widened
// to int64. C and Fortran order (as strides). Refused in words: float64 and float16 (they would
// have to be rounded), big-endian, objects, structured types, shapes whose data is not all there.
#ifndef NPY_H
#define NPY_H

#include "arena.h"
#include "error.h"
#include "tensor.h"

// `name` names the bytes in messages ("weights.npz: x.npy").
bool npy_read(const unsigned char *bytes, size_t length, const char *name, Arena *arena,
              Tensor *out, Error *err);

// Writes version 1, C order; any strides. The bytes live in the arena.
bool npy_write(const Tensor *tensor, Arena *arena, unsigned char **bytes, size_t *length,
               Error *err);

#endif
