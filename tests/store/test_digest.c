// sha256 of tensors. Every expected digest is what the sha256sum command says of the bytes that the
// comment beside it spells out.
#include "digest.h"

#include "suite.h"

#include <string.h>

static void assert_digest(Tensor tensor, const char *expected)
{
    char text[DIGEST_TEXT_MAX];
    ck_assert_str_eq(tensor_digest(&tensor, text), expected);
}

TEST(numbers_are_taken_in_index_order_whatever_the_strides)
{
    float numbers[] = {1, 2, 3, 4, 5, 6};
    Tensor rows = tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){2, 3});
    // 0000803f 00000040 00004040 00008040 0000a040 0000c040
    assert_digest(rows, "24ae2dfe8df57c1b80e54cef3d90ac3b417fd98973345a5f616bbc9a75dcc202");
    // 1 4 2 5 3 6
    assert_digest(tensor_transpose(&rows, 0, 1),
                  "b05183b256a48062521a4beb24c91079d1b94dfdef9ca4edcb76d28f69ee7fcd");
}

TEST(every_nan_is_the_same_nan)
{
    static const uint32_t kinds[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0x7fffffff};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        float number;
        memcpy(&number, &kinds[i], sizeof number);
        // 0000c07f
        assert_digest(tensor_over(&number, DTYPE_F32, 0, NULL),
                      "ef1eaf26cea96eb18f8fa3137abdf23f52852a855c22ae6f169d21a379dcd739");
    }
}

TEST(minus_zero_is_not_zero)
{
    float zero = 0.0f, minus = -0.0f;
    assert_digest(tensor_over(&zero, DTYPE_F32, 0, NULL), // 00000000
                  "df3f619804a92fdb4057192dc43dd748ea778adc52bc498ce80524c014b81119");
    assert_digest(tensor_over(&minus, DTYPE_F32, 0, NULL), // 00000080
                  "6d58692645c9d1cfaf13541cbd258f86193ef63c2f1d38f6bbca9617372d7bd6");
}

TEST(whole_numbers_and_flags_are_little_endian_bytes)
{
    int64_t ids[] = {-1, INT64_C(1) << 40};
    unsigned char flags[] = {1, 0, 1};
    // ffffffffffffffff 0000000000010000
    assert_digest(tensor_over(ids, DTYPE_I64, 1, (ptrdiff_t[]){2}),
                  "2109a6a07994d95ced078675bd557f0b4f4f4887e5592334bc298c67bbe30fb8");
    // 01 00 01
    assert_digest(tensor_over(flags, DTYPE_BOOL, 1, (ptrdiff_t[]){3}),
                  "85f90dfea1d8027e1463e5ca971a250110a20df0119d204a74220bc63516d15b");
}

TEST(an_empty_tensor_is_no_bytes)
{
    float none;
    assert_digest(tensor_over(&none, DTYPE_F32, 2, (ptrdiff_t[]){0, 4}),
                  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(more_numbers_than_one_block_are_all_taken)
{
    static float numbers[5000];
    for (int i = 0; i < 5000; i++)
        numbers[i] = (float)i;
    // python: b''.join(struct.pack('<f', i) for i in range(5000))
    assert_digest(tensor_over(numbers, DTYPE_F32, 1, (ptrdiff_t[]){5000}),
                  "8a3ce969e8a58dd8f04cfd9cd2c1aaa8800e4d20bcbf50e743a59044a5e58fdf");
}

SUITE("digest")
