// npy: one tensor from and to the bytes of a .npy file; see npy.h. The header is read in
// npy_header.c.
#include "npy.h"

#include <stdio.h>
#include <string.h>
#include "store_words.h"

// The file's first axis is the fastest: the numbers lie there as a C-order tensor of the reversed
// shape, whose axes are then turned around.
static void reverse_axes(int rank, ptrdiff_t values[])
{
    for (int axis = 0; axis < rank / 2; axis++) {
        ptrdiff_t kept = values[axis];
        values[axis] = values[rank - 1 - axis];
        values[rank - 1 - axis] = kept;
    }
}

bool npy_read(const unsigned char *bytes, size_t length, const char *name, Arena *arena,
              Tensor *out, Error *err)
{
    NpyHeader header;
    if (!npy_header(bytes, length, name, &header, err))
        return false;
    size_t data_bytes = length - header.header_bytes;
    if (data_bytes != header.data_bytes) {
        char text[TENSOR_TEXT_MAX];
        return error_set(err, TELL(NPY_SHORT), name,
                         tensor_shape_text(header.rank, header.shape, text), header.data_bytes,
                         data_bytes);
    }
    if (header.fortran_order)
        reverse_axes(header.rank, header.shape);
    RawNumbers stored = {header.kind, bytes + header.header_bytes, header.rank, header.shape};
    if (!raw_read(&stored, arena, out, err))
        return error_prefix(err, "%s: ", name);
    if (header.fortran_order) {
        reverse_axes(out->rank, out->shape);
        reverse_axes(out->rank, out->stride);
    }
    return true;
}

bool npy_write(const Tensor *tensor, Arena *arena, unsigned char **bytes, size_t *length,
               Error *err)
{
    static const char *const descrs[] = {
        [DTYPE_F32] = "<f4", [DTYPE_I64] = "<i8", [DTYPE_BOOL] = "|b1"};
    enum { PREAMBLE_BYTES = 10, ALIGNMENT = 64 };
    char shape[TENSOR_TEXT_MAX], dict[TENSOR_TEXT_MAX + 2 * ALIGNMENT];
    size_t used = (size_t)snprintf(
        dict, sizeof dict - ALIGNMENT, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
        descrs[tensor->dtype], tensor_shape_text(tensor->rank, tensor->shape, shape));
    do
        dict[used++] = ' ';
    while ((PREAMBLE_BYTES + used) % ALIGNMENT != 0);
    dict[used - 1] = '\n';

    size_t data_bytes = (size_t)tensor_count(tensor) * dtype_size(tensor->dtype);
    *length = PREAMBLE_BYTES + used + data_bytes;
    *bytes = arena_take(arena, *length, 1, err);
    if (!*bytes)
        return false;
    memcpy(*bytes, "\x93NUMPY\x01\x00", 8);
    (*bytes)[8] = (unsigned char)(used & 0xFF);
    (*bytes)[9] = (unsigned char)(used >> 8);
    memcpy(*bytes + PREAMBLE_BYTES, dict, used);
    RawCursor cursor = raw_start(tensor);
    raw_next(&cursor, *bytes + PREAMBLE_BYTES + used, data_bytes);
    return true;
}
