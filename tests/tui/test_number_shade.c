// Shades of numbers: sign and size, and text that can be read on them.
#include "panel.h"

#include "suite.h"

#include <math.h>
#include <stdlib.h>

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

SUITE("number_shade")
