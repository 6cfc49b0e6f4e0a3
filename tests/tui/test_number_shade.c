// Numbers in the columns of a grid: as print(tensor) has them, and never wrong for want of room.
#include "panel.h"
#include "cells.h"
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

// --- Shades of numbers: sign and size, and text that can be read on them.

enum { TRUE_COLOURS = 1 << 24 };

static double luminance(uint32_t colour)
{
    double share[3];
    for (int channel = 0; channel < 3; channel++) {
        double value = (double)(colour >> (16 - 8 * channel) & 0xff) / 255.0;
        share[channel] = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
    }
    return 0.2126 * share[0] + 0.7152 * share[1] + 0.0722 * share[2];
}

// WCAG 2.1: 4.5 for text.
TEST(text_is_readable_on_every_shade)
{
    for (int step = -100; step <= 100; step++) {
        Shade shade = number_shade((float)step / 100, 1.0f, TRUE_COLOURS);
        if (shade.back == 0) {
            ck_assert_int_lt(abs(step), 7);
            continue;
        }
        double front = luminance(shade.front & 0xffffff), back = luminance(shade.back & 0xffffff);
        double contrast =
            front > back ? (front + 0.05) / (back + 0.05) : (back + 0.05) / (front + 0.05);
        ck_assert_msg(contrast >= 4.5, "%d: %g", step, contrast);
    }
}

TEST(a_larger_number_is_brighter_and_the_sign_another_colour)
{
    double last = 0.0;
    for (int step = 7; step <= 100; step++) {
        Shade above = number_shade((float)step / 100, 1.0f, TRUE_COLOURS);
        Shade below = number_shade(-(float)step / 100, 1.0f, TRUE_COLOURS);
        ck_assert_double_ge(luminance(above.back & 0xffffff), last);
        last = luminance(above.back & 0xffffff);
        ck_assert_uint_ge((above.back >> 16 & 0xff), (above.back & 0xff)); // more red than blue
        ck_assert_uint_le((below.back >> 16 & 0xff), (below.back & 0xff));
    }
}

TEST(what_has_no_size_has_no_shade)
{
    static const float numbers[] = {NAN, INFINITY, -INFINITY, 0.0f, 0.01f};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        Shade shade = number_shade(numbers[i], 1.0f, TRUE_COLOURS);
        ck_assert_uint_eq(shade.front, 0);
        ck_assert_uint_eq(shade.back, 0);
    }
    ck_assert_uint_eq(number_shade(0.0f, 0.0f, TRUE_COLOURS).back, 0); // all are zero
}

TEST(a_terminal_of_few_colours_gets_no_backs)
{
    ck_assert_uint_eq(number_shade(1.0f, 1.0f, 16).back, 0);
    ck_assert_uint_ne(number_shade(1.0f, 1.0f, 16).front, 0);
    ck_assert_uint_eq(number_shade(0.2f, 1.0f, 16).front, 0);
}

// --- Tests of shade: from 24-bit colours to what terminals have.

enum { ALL = 1 << 24 };

static int front(uint32_t colour, int colours)
{
    return shade_numbers((Shade){.front = SHADE_SET | colour}, colours).front;
}

static int back(uint32_t colour, int colours)
{
    return shade_numbers((Shade){.back = SHADE_SET | colour}, colours).back;
}

TEST(a_cell_without_a_shade_keeps_the_terminals_colours)
{
    for (int colours = 0; colours <= ALL; colours += 8) {
        ShadeNumbers numbers = shade_numbers((Shade){0, 0}, colours);
        ck_assert_int_eq(numbers.front, -1);
        ck_assert_int_eq(numbers.back, -1);
        colours *= 2;
    }
}

TEST(true_colour_is_passed_on_except_for_eight_numbers_that_mean_names)
{
    ck_assert_int_eq(front(0x123456, ALL), 0x123456);
    ck_assert_int_eq(back(0xFFFFFF, ALL), 0xFFFFFF);
    ck_assert_int_eq(front(0x000000, ALL), 8);
    ck_assert_int_eq(front(0x000007, ALL), 8);
}

// The cube has the levels 0, 95, 135, 175, 215, 255 at 16 + 36 r + 6 g + b; the greys are
// 8, 18, ..., 238 from 232 on.
TEST(of_256_colours_the_nearest_of_cube_and_greys_is_taken)
{
    ck_assert_int_eq(front(0x000000, 256), 16);
    ck_assert_int_eq(front(0xFFFFFF, 256), 16 + 36 * 5 + 6 * 5 + 5);
    ck_assert_int_eq(back(0xFF0000, 256), 16 + 36 * 5);
    ck_assert_int_eq(back(0x5F87AF, 256), 16 + 36 * 1 + 6 * 2 + 3);
    ck_assert_int_eq(back(0x5D8AB0, 256), 16 + 36 * 1 + 6 * 2 + 3);
    ck_assert_int_eq(back(0x808080, 256), 232 + 12);
    ck_assert_int_eq(back(0x090807, 256), 232);
    ck_assert_int_eq(back(0xEFEEED, 256), 232 + 23);
}

// No grey or cube colour may be nearer than the one taken: all are tried.
TEST(no_other_of_the_240_fixed_colours_is_nearer)
{
    static const int levels[] = {0, 95, 135, 175, 215, 255};
    srand(1);
    for (int round = 0; round < 2000; round++) {
        int red = rand() % 256, green = rand() % 256, blue = rand() % 256;
        int best = 3 * 256 * 256, taken_distance = 0;
        int taken = back((uint32_t)(red << 16 | green << 8 | blue), 256);
        for (int number = 16; number < 256; number++) {
            int cube = number - 16, grey = 8 + 10 * (number - 232);
            bool is_grey = number >= 232;
            int r = is_grey ? grey : levels[cube / 36], g = is_grey ? grey : levels[cube / 6 % 6];
            int b = is_grey ? grey : levels[cube % 6];
            int distance =
                (r - red) * (r - red) + (g - green) * (g - green) + (b - blue) * (b - blue);
            best = distance < best ? distance : best;
            if (number == taken)
                taken_distance = distance;
        }
        ck_assert_int_eq(taken_distance, best);
    }
}

TEST(of_16_colours_fronts_keep_their_hue_and_those_with_a_back_are_left_out)
{
    ck_assert_int_eq(front(0x2166AC, 16), 2 + 4); // a light blue is nearer to cyan
    ck_assert_int_eq(front(0x1020AC, 8), 4);
    ck_assert_int_eq(front(0xB2182B, 16), 1);
    ck_assert_int_eq(front(0xFDE725, 8), 1 + 2);
    ck_assert_int_eq(front(0x000000, 16), 0);
    ShadeNumbers both = shade_numbers((Shade){SHADE_SET, SHADE_SET | 0xFFFFFF}, 16);
    ck_assert_int_eq(both.front, -1); // black was meant for the white behind it
    ck_assert_int_eq(both.back, -1);
}

TEST(without_colours_nothing_is_coloured)
{
    ck_assert_int_eq(front(0xFF0000, 0), -1);
    ck_assert_int_eq(back(0xFF0000, 0), -1);
    ck_assert_int_eq(front(0xFF0000, 2), -1);
}

SUITE("number_shade")
