// Good files whose bytes are changed at random, from a fixed seed: no reader may crash, hang or give
// a tensor whose numbers are not there, and a refusal is always in words. The sanitizers' builds see
// the most of it.
#include "digest.h"
#include "tensor_file.h"
#include "yaml_tree.h"

#include "bytes.h"
#include "scratch.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

static Arena arena;
static Error err;

static void forget(void)
{
    arena_finish(&arena);
    scratch_close();
}

static uint64_t random_state = 20240229;

// xorshift64: the tests need any numbers, but the same ones every time.
static size_t random_below(size_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state % limit);
}

static size_t change(unsigned char *bytes, size_t length)
{
    for (size_t changes = 1 + random_below(4); changes > 0; changes--) {
        size_t place = random_below(length);
        switch (random_below(3)) {
        case 0:
            bytes[place] ^= (unsigned char)(1u << random_below(8));
            break;
        case 1:
            bytes[place] = (unsigned char)random_below(256);
            break;
        default:
            bytes[place] = "\0\xff\x7f\x80 09[]{}:,'\"-"[random_below(16)];
        }
    }
    return random_below(4) == 0 ? random_below(length) : length;
}

// Reads every tensor and looks at every number; what fails must say why.
static void read_everything(const char *path)
{
    err.text[0] = '\0';
    TensorFile *file = tensor_file_open(path, &arena, &err);
    if (!file) {
        ck_assert_str_ne(err.text, "");
        return;
    }
    for (int i = 0; i < tensor_file_count(file); i++) {
        Tensor tensor;
        char text[DIGEST_TEXT_MAX];
        err.text[0] = '\0';
        if (tensor_file_read(file, tensor_file_name(file, i), &arena, &tensor, &err))
            tensor_digest(&tensor, text);
        else
            ck_assert_str_ne(err.text, "");
    }
    tensor_file_close(file);
}

static void change_and_read(const char *good, const char *name, int turns)
{
    size_t length;
    unsigned char *bytes = scratch_read(good, &length);
    unsigned char *changed = malloc(length + 1);
    for (int turn = 0; turn < turns; turn++) {
        memcpy(changed, bytes, length);
        size_t left = change(changed, length);
        read_everything(scratch_write(name, changed, left));
        arena_finish(&arena);
    }
    free(changed);
    free(bytes);
}

TEST(no_change_of_bytes_can_harm_a_reader_of_tensors)
{
    float numbers[12] = {1.5f};
    int64_t ids[3] = {1, 2, 3};
    NamedTensor tensors[] = {{"x", tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){3, 4})},
                             {"ids", tensor_over(ids, DTYPE_I64, 1, (ptrdiff_t[]){3})}};
    ck_assert(tensor_file_write(scratch_path("good.npz"), tensors, 2, &err));
    ck_assert(tensor_file_write(scratch_path("good.safetensors"), tensors, 2, &err));
    Bytes npy = bytes_npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 24);
    scratch_write("good.npy", npy.data, npy.length);

    change_and_read(scratch_path("good.npz"), "x.npz", 2000);
    change_and_read(test_file("golden/small/f_L1_B1.npz"), "x.npz", 50);
    change_and_read(scratch_path("good.safetensors"), "x.safetensors", 2000);
    change_and_read(test_file("golden/layouts/dtypes.safetensors"), "x.safetensors", 2000);
    change_and_read(scratch_path("good.npy"), "x.npy", 2000);
}

TEST(no_change_of_bytes_can_harm_a_reader_of_yaml)
{
    static const char good[] = "name: causal # a comment\n"
                               "attention: {scale: sqrt_d_k, mask: [1, 2.5, -.inf]}\n"
                               "words:\n- \"고양이 \\u0041\"\n- 'it''s'\n- |\n  block\n  text\n"
                               "? long key\n: value\n"
                               "folded: >-\n  one\n  two\n";
    unsigned char changed[sizeof good];
    int read = 0;
    for (int turn = 0; turn < 5000; turn++) {
        memcpy(changed, good, sizeof good);
        size_t left = change(changed, sizeof good - 1);
        err.text[0] = '\0';
        bool whole = yaml_read_text((const char *)changed, left, "x.yaml", &arena, &err) != NULL;
        ck_assert_msg(whole || strncmp(err.text, "x.yaml:", 7) == 0, "%s", err.text);
        read += whole;
        arena_finish(&arena);
    }
    // Some changes leave good YAML and some do not: the loop looked at both.
    ck_assert_int_gt(read, 500);
    ck_assert_int_lt(read, 4500);
}

SUITE_WITH("changed_bytes", scratch_open, forget)
