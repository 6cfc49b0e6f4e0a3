// Tests of shade: from 24-bit colours to what terminals have.
#include "cells.h"

#include <stdlib.h>
#include "suite.h"

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

SUITE("shade")
