// Numbers in the columns of a grid: as print(tensor) has them, and never wrong for want of room.
#include "panel.h"

#include "suite.h"
#include "tiny.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TEST(a_number_that_the_format_would_falsify_is_written_otherwise)
{
    char text[NUMBER_TEXT_MAX];
    float numbers[] = {1.0f, 0.25f, 123456.75f, -INFINITY, NAN, 16777216.0f};
    Tensor tensor = tensor_over(numbers, DTYPE_F32, 1, (ptrdiff_t[]){6});
    NumberLook whole = {.format = {.integers = true, .width = 2}, .width = 7};
    ck_assert_str_eq(number_cell(&tensor, (ptrdiff_t[]){0}, whole, text), "     1.");
    ck_assert_str_eq(number_cell(&tensor, (ptrdiff_t[]){1}, whole, text), " 0.2500");
    ck_assert_str_eq(number_cell(&tensor, (ptrdiff_t[]){2}, whole, text), "1.2e+05");
    ck_assert_str_eq(number_cell(&tensor, (ptrdiff_t[]){3}, whole, text), "   -inf");
    ck_assert_str_eq(number_cell(&tensor, (ptrdiff_t[]){4}, whole, text), "    nan");
    ck_assert_str_eq(number_cell(&tensor, (ptrdiff_t[]){5}, whole, text), "1.7e+07");
    NumberLook fixed = {.format = {.width = 6}, .width = 7};
    ck_assert_str_eq(number_cell(&tensor, (ptrdiff_t[]){1}, fixed, text), " 0.2500");
    ck_assert_str_eq(number_cell(&tensor, (ptrdiff_t[]){2}, fixed, text), "1.2e+05");
}

TEST(notations_that_lose_nothing_fit_their_columns_and_read_back)
{
    // the longest there are, and 0.1: its shortest text is 0.1, its bits are 1.6 * 2^-4
    static float numbers[] = {-1.17549435e-38f, -3.40282347e38f, 0.1f, -1e-45f, NAN, -INFINITY};
    static const char *const full[] = {
        "-1.1754944e-38", "-3.4028235e+38", "0.1", "-1e-45", "nan", "-inf"};
    static const char *const hexadecimal[] = {
        "-0x1p-126", "-0x1.fffffep+127", "0x1.99999ap-4", "-0x1p-149", "nan", "-inf"};
    char text[NUMBER_TEXT_MAX], wanted[NUMBER_TEXT_MAX];
    Tensor tensor = tensor_over(numbers, DTYPE_F32, 1, (ptrdiff_t[]){6});
    for (ptrdiff_t i = 0; i < 6; i++) {
        NumberLook look = number_look(&tensor, NUMBER_FULL);
        snprintf(wanted, sizeof wanted, "%*s", look.width, full[i]);
        ck_assert_str_eq(number_cell(&tensor, &i, look, text), wanted);
        ck_assert_int_eq(strlen(text), (size_t)look.width);
        look = number_look(&tensor, NUMBER_HEXADECIMAL);
        snprintf(wanted, sizeof wanted, "%*s", look.width, hexadecimal[i]);
        ck_assert_str_eq(number_cell(&tensor, &i, look, text), wanted);
        ck_assert_int_eq(strlen(text), (size_t)look.width);
    }
}

TEST(the_shortest_text_reads_back_as_the_same_number)
{
    static const struct {
        float number;
        const char *text;
    } known[] = {{10.0f, "10"},    {-1200.0f, "-1200"}, {16777216.0f, "16777216"}, {1.5f, "1.5"},
                 {1e10f, "1e+10"}, {0.0001f, "0.0001"}, {0.00001f, "1e-05"},       {-0.0f, "-0"}};
    char text[NUMBER_FULL_TEXT_MAX];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_str_eq(number_full_text(known[i].number, text), known[i].text);
    uint64_t state = 6;
    for (int i = 0; i < 1000; i++) {
        float number = tiny_number(&state) * powf(10.0f, (float)(i % 76 - 38));
        ck_assert_float_eq(strtof(number_full_text(number, text), NULL), number);
        ck_assert_float_eq(strtof(number_hexadecimal_text(number, text), NULL), number);
    }
}

SUITE("number_cell")
