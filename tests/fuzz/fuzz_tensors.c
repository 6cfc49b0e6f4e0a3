// fuzz_tensors: see fuzz_tensors.h.
#include "fuzz_tensors.h"

#include <stdio.h>
#include <string.h>
#include "digest.h"
#include "fuzz.h"
#include "tensor_file.h"

enum { READ_MAX = 8 }; // tensors of a file: an archive can hold thousands

void fuzz_same_tensors(const Tensor *tensor, const Tensor *other)
{
    char digest[DIGEST_TEXT_MAX], other_digest[DIGEST_TEXT_MAX];
    fuzz_must(tensor->dtype == other->dtype && tensor_same_shape(tensor, other),
              "a tensor keeps its dtype and shape");
    fuzz_must(strcmp(tensor_digest(tensor, digest), tensor_digest(other, other_digest)) == 0,
              "a tensor keeps its numbers");
}

static void read_again(const char *path, const NamedTensor tensors[], int count, Arena *arena)
{
    Error err = {.text = ""};
    TensorFile *file = tensor_file_open(path, arena, &err);
    fuzz_must(file && tensor_file_count(file) == count, "what was written is read: %s", err.text);
    for (int i = 0; i < count; i++) {
        Tensor tensor;
        fuzz_must(tensor_file_read(file, tensors[i].name, arena, &tensor, &err),
                  "every tensor that was written is read: %s", err.text);
        fuzz_same_tensors(&tensors[i].tensor, &tensor);
    }
    tensor_file_close(file);
}

void fuzz_tensors(const char *name, const unsigned char *bytes, size_t size)
{
    Arena arena = {0};
    Error err = {.text = ""};
    NamedTensor tensors[READ_MAX];
    int count = 0;
    char given[64];
    snprintf(given, sizeof given, "given-%s", name);
    TensorFile *file = tensor_file_open(fuzz_write(given, bytes, size), &arena, &err);
    if (!file)
        fuzz_refused(&err);
    for (int i = 0; file && i < tensor_file_count(file) && count < READ_MAX; i++) {
        NamedTensor *next = &tensors[count];
        next->name = tensor_file_name(file, i);
        err.text[0] = '\0';
        if (tensor_file_read(file, next->name, &arena, &next->tensor, &err))
            count++;
        else
            fuzz_refused(&err);
    }
    err.text[0] = '\0';
    const char *path = fuzz_path(name);
    if (count > 0 && tensor_file_write(path, tensors, count, &err))
        read_again(path, tensors, count, &arena);
    else if (count > 0)
        fuzz_refused(&err);
    tensor_file_close(file);
    arena_finish(&arena);
}
