// Floats that are not float32: how each becomes one, to the bit.
#include "tensor_file.h"

#include "bytes.h"
#include "scratch.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>

static Arena arena;
static Error err;

static void forget(void)
{
    arena_finish(&arena);
    scratch_close();
}

static TensorFile *open_golden(const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "golden/%s", name);
    TensorFile *file = tensor_file_open(test_file(path), &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    return file;
}

static Tensor read_tensor(TensorFile *file, const char *name)
{
    Tensor tensor;
    ck_assert_msg(tensor_file_read(file, name, &arena, &tensor, &err), "%s", err.text);
    return tensor;
}

// `count` numbers of this kind, through a .npy file.
static Tensor read_numbers(const char *descr, int count, const void *numbers, size_t length)
{
    char dict[100];
    snprintf(dict, sizeof dict, "{'descr': %s, 'fortran_order': False, 'shape': (%d,)}", descr,
             count);
    Bytes bytes = bytes_npy(dict, 0);
    bytes_put(&bytes, numbers, length);
    TensorFile *file =
        tensor_file_open(scratch_write("x.npy", bytes.data, bytes.length), &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    Tensor tensor = read_tensor(file, "");
    tensor_file_close(file);
    return tensor;
}

// The file's f16 and bf16 are its f32 rounded by PyTorch. What f32 holds at [0, 0], 1.7640524, has
// 1.763671875 for its nearest float16 (steps of 2^-10) and 1.765625 for its bfloat16 (2^-7).
TEST(other_floats_become_float32_and_the_file_says_how)
{
    TensorFile *file = open_golden("layouts/dtypes.safetensors");
    Tensor f32 = read_tensor(file, "f32");
    ck_assert_float_eq(*tensor_at2(&f32, 0, 0), 1.7640524f);
    Tensor f16 = read_tensor(file, "f16");
    ck_assert_str_eq(tensor_file_conversion(file), "float16, widened to float32");
    ck_assert_float_eq(*tensor_at2(&f16, 0, 0), 1.763671875f);
    Tensor bf16 = read_tensor(file, "bf16");
    ck_assert_str_eq(tensor_file_conversion(file), "bfloat16, widened to float32");
    ck_assert_float_eq(*tensor_at2(&bf16, 0, 0), 1.765625f);
    Tensor f64 = read_tensor(file, "f64");
    ck_assert_str_eq(tensor_file_conversion(file), "float64, rounded to float32");
    ptrdiff_t at[2] = {0};
    for (bool more = true; more; more = tensor_next(&f64, at))
        ck_assert(tensor_same_number(&f64, &f32, at));
    tensor_file_close(file);

    file = open_golden("small/f_L1_B1.npz");
    Tensor wide = read_tensor(file, "f64.x");
    ck_assert_str_eq(tensor_file_conversion(file), "float64, rounded to float32");
    ck_assert_float_eq(*tensor_at3(&wide, 0, 0, 3), -1.5164313f); // the float32 run, widened
    read_tensor(file, "f32.x");
    ck_assert_ptr_null(tensor_file_conversion(file));
    tensor_file_close(file);
}

static uint32_t bits_of(const Tensor *tensor, ptrdiff_t i)
{
    uint32_t bits;
    memcpy(&bits, tensor_at1(tensor, i), sizeof bits);
    return bits;
}

// Each pair by hand from the formats: sign, exponent, fraction.
TEST(float16_is_widened_without_changing_a_number)
{
    static const struct {
        unsigned char bytes[2];
        uint32_t float32;
    } pairs[] = {
        {{0x00, 0x00}, 0x00000000}, {{0x00, 0x80}, 0x80000000}, // 0, -0
        {{0x01, 0x00}, 0x33800000}, {{0x01, 0x80}, 0xb3800000}, // 2^-24, the smallest
        {{0xff, 0x03}, 0x387fc000},                             // (1 - 2^-10) * 2^-14
        {{0x00, 0x04}, 0x38800000},                             // 2^-14, the smallest normal
        {{0x00, 0x3c}, 0x3f800000}, {{0x55, 0x35}, 0x3eaaa000}, // 1, 0.33325195
        {{0xff, 0x7b}, 0x477fe000},                             // 65504, the largest
        {{0x00, 0x7c}, 0x7f800000}, {{0x00, 0xfc}, 0xff800000}, // infinities
        {{0x01, 0x7c}, 0x7fc00000}, {{0x00, 0xfe}, 0x7fc00000}, // NaN has one form
    };
    enum { COUNT = sizeof pairs / sizeof *pairs };
    unsigned char bytes[2 * COUNT];
    for (size_t i = 0; i < COUNT; i++)
        memcpy(bytes + 2 * i, pairs[i].bytes, 2);
    Tensor t = read_numbers("'<f2'", 13, bytes, sizeof bytes);
    for (size_t i = 0; i < COUNT; i++)
        ck_assert_uint_eq(bits_of(&t, (ptrdiff_t)i), pairs[i].float32);
}

TEST(bfloat16_is_the_upper_half_of_a_float32)
{
    static const unsigned char bytes[] = {0x80, 0x3f, 0x01, 0x00, 0x80, 0xff, 0x81, 0x7f};
    Tensor t = read_numbers("'|V2'", 4, bytes, sizeof bytes);
    ck_assert_uint_eq(bits_of(&t, 0), 0x3f800000);
    ck_assert_uint_eq(bits_of(&t, 1), 0x00010000);
    ck_assert_uint_eq(bits_of(&t, 2), 0xff800000);
    ck_assert_uint_eq(bits_of(&t, 3), 0x7fc00000);
}

TEST(float64_is_rounded_to_the_nearest_float32_and_halves_to_even)
{
    static const struct {
        uint64_t float64;
        uint32_t float32;
    } pairs[] = {
        {0x3ff0000000000000, 0x3f800000}, // 1
        {0x3ff0000010000000, 0x3f800000}, // 1 + 2^-24: half way, down to even
        {0x3ff0000010000001, 0x3f800001}, // a little more: up
        {0x3ff0000030000000, 0x3f800002}, // 1 + 3*2^-24: half way, up to even
        {0x47efffffefffffff, 0x7f7fffff}, // just below the half way past the largest
        {0x47effffff0000000, 0x7f800000}, // from there on infinity
        {0x3690000000000000, 0x00000000}, // 2^-150: half of the smallest, down to even
        {0x3690000000000001, 0x00000001}, // a little more
        {0x8000000000000000, 0x80000000}, // -0
        {0xfff8000000000001, 0x7fc00000}, // NaN
    };
    enum { COUNT = sizeof pairs / sizeof *pairs };
    unsigned char bytes[8 * COUNT];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(pairs[i / 8].float64 >> (8 * (i % 8)));
    Tensor t = read_numbers("'<f8'", 10, bytes, sizeof bytes);
    for (size_t i = 0; i < COUNT; i++)
        ck_assert_uint_eq(bits_of(&t, (ptrdiff_t)i), pairs[i].float32);
}

SUITE_WITH("stored_floats", scratch_open, forget)
