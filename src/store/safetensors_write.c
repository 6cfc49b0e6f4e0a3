// safetensors_write: tensors as header and bytes; see safetensors.h.
#include "safetensors.h"
#include "json_whole.h"
#include "raw_numbers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "store_words.h"

enum { HEADER_ALIGNMENT = 8, BLOCK_BYTES = 32 * 1024 };

// The format's own library writes the widest elements first, so that all of them lie aligned.
static int compare_canonical(const void *left, const void *right)
{
    const NamedTensor *a = *(const NamedTensor *const *)left;
    const NamedTensor *b = *(const NamedTensor *const *)right;
    size_t wide_a = dtype_size(a->tensor.dtype), wide_b = dtype_size(b->tensor.dtype);
    if (wide_a != wide_b)
        return wide_a > wide_b ? -1 : 1;
    return strcmp(a->name, b->name);
}

// The tensor's part of the header, its numbers lying from `begin` to `end`.
static json_t *describe(const Tensor *tensor, size_t begin, size_t end)
{
    static const char *const dtypes[] = {
        [DTYPE_F32] = "F32", [DTYPE_I64] = "I64", [DTYPE_BOOL] = "BOOL"};
    json_t *shape = json_array();
    for (int axis = 0; axis < tensor->rank; axis++)
        json_array_append_new(shape, json_integer(tensor->shape[axis]));
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", dtypes[tensor->dtype], "shape", shape,
                     "data_offsets", (json_int_t)begin, (json_int_t)end);
}

static bool put_notes(json_t *header, const FileNote notes[], Error *err)
{
    json_t *all = notes->name ? json_object() : NULL;
    bool good = true;
    for (; good && notes->name; notes++)
        if (json_object_set_new(all, notes->name, json_string(notes->text)))
            good = json_whole(err) && error_set(err, TELL(SAFE_NOTE), notes->name);
    if (all)
        json_object_set_new(header, "__metadata__", all);
    return good;
}

// The header as JSON text for the caller to free; NULL with a sentence.
static char *header_text(const NamedTensor *const sorted[], int count, const FileNote notes[],
                         Error *err)
{
    json_whole_begin();
    json_t *header = json_object();
    size_t begin = 0;
    bool good = put_notes(header, notes, err);
    for (int i = 0; good && i < count; i++) {
        const NamedTensor *named = sorted[i];
        size_t end = begin + (size_t)tensor_count(&named->tensor) * dtype_size(named->tensor.dtype);
        bool is_taken = strcmp(named->name, "__metadata__") == 0;
        if (is_taken || json_object_get(header, named->name))
            good = error_set(err, TELL(SAFE_NAME), named->name,
                             is_taken ? "a tensor" : TELL(SAFE_TWO));
        else if (json_object_set_new(header, named->name, describe(&named->tensor, begin, end)))
            good = json_whole(err) && error_set(err, TELL(SAFE_NAME_UTF8), named->name);
        begin = end;
    }
    char *text = good && json_whole(err) ? json_dumps(header, JSON_COMPACT) : NULL;
    json_decref(header);
    if (!json_whole(err)) { // dumping takes memory too
        free(text);
        return NULL;
    }
    return text;
}

static bool write_header(FILE *stream, const char *text)
{
    size_t length = strlen(text);
    size_t padded = (length + HEADER_ALIGNMENT - 1) / HEADER_ALIGNMENT * HEADER_ALIGNMENT;
    unsigned char bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)((uint64_t)padded >> (8 * i));
    return fwrite(bytes, 1, sizeof bytes, stream) == sizeof bytes &&
           fprintf(stream, "%s%*s", text, (int)(padded - length), "") >= 0;
}

static bool write_numbers(FILE *stream, const Tensor *tensor)
{
    unsigned char block[BLOCK_BYTES];
    RawCursor cursor = raw_start(tensor);
    for (size_t filled; (filled = raw_next(&cursor, block, sizeof block)) > 0;)
        if (fwrite(block, 1, filled, stream) != filled)
            return false;
    return true;
}

static bool write_all(const char *path, const NamedTensor *const sorted[], int count,
                      const char *header, Error *err)
{
    FILE *stream = fopen(path, "wb");
    bool good = stream && write_header(stream, header);
    for (int i = 0; good && i < count; i++)
        good = write_numbers(stream, &sorted[i]->tensor);
    good = good && fflush(stream) == 0;
    if (!good)
        error_set(err, "%s", error_reason(errno));
    if (stream && fclose(stream) != 0 && good)
        good = error_set(err, "%s", error_reason(errno));
    return good;
}

bool safetensors_write(const char *path, const NamedTensor tensors[], int count,
                       const FileNote notes[], Error *err)
{
    Arena scratch = {0};
    const NamedTensor **sorted = arena_take(&scratch, (size_t)count, sizeof *sorted, err);
    char *header = NULL;
    bool good = sorted != NULL;
    for (int i = 0; good && i < count; i++)
        sorted[i] = &tensors[i];
    if (good) {
        qsort(sorted, (size_t)count, sizeof *sorted, compare_canonical);
        header = header_text(sorted, count, notes, err);
    }
    good = header && write_all(path, sorted, count, header, err);
    free(header);
    arena_finish(&scratch);
    return good;
}
