// Colour maps: published points, even lightness, levels by hand.
#include "display_list.h"

#include "suite.h"

TEST(maps_begin_and_end_with_their_published_colours)
{
    static const Colour ends[COLOUR_MAP_COUNT][2] = {
        {0x440154, 0xfde725}, {0x00224e, 0xfee838}, {0x000004, 0xfcfdbf}, {0x053061, 0x67001f}};
    Colour table[COLOUR_LEVELS];
    for (int map = 0; map < COLOUR_MAP_COUNT; map++) {
        colour_table((ColourMap)map, table);
        ck_assert_uint_eq(table[0], ends[map][0]);
        ck_assert_uint_eq(table[COLOUR_LEVELS - 1], ends[map][1]);
    }
}

TEST(one_viridis_in_the_middle_is_the_published_one)
{
    // level 136 of 255 is 8/15 of the way: the ninth of sixteen points
    Colour table[COLOUR_LEVELS];
    colour_table(COLOUR_VIRIDIS, table);
    ck_assert_uint_eq(table[136], 0x1f988b);
}

// With the middle at a fifth, level 51 of 255: there half of the way is done, 7.5 of 15 points, between
// 0x23888e and 0x1f988b. A third of the way there, level 17, is a sixth of all, 2.5 points.
TEST(a_middle_may_stand_elsewhere)
{
    Colour table[COLOUR_LEVELS];
    colour_table_around(COLOUR_VIRIDIS, 0.2, table);
    ck_assert_uint_eq(table[0], 0x440154);
    ck_assert_uint_eq(table[17], 0x443a82);
    ck_assert_uint_eq(table[51], 0x21908d);
    ck_assert_uint_eq(table[COLOUR_LEVELS - 1], 0xfde725);
    colour_table_around(COLOUR_VIRIDIS, 1.0, table);
    ck_assert_uint_eq(table[COLOUR_LEVELS - 1], 0x21908d);
}

TEST(between_two_points_lies_their_mixture)
{
    // from 0x000000 to 0x0a1464, half way: 0x050a32
    ck_assert_uint_eq(colour_mix(0x000000, 0x0a1464, 0.5), 0x050a32);
    ck_assert_uint_eq(colour_blend(0x000000, 0xff8000, 255), 0xff8000);
    ck_assert_uint_eq(colour_blend(0x123456, 0xff8000, 0), 0x123456);
}

// Every channel of every pair, to the nearest of 255 parts.
TEST(blending_rounds_each_channel_by_itself)
{
    int wrong = 0;
    for (unsigned share = 0; share < 256; share++)
        for (unsigned from = 0; from < 256; from++)
            for (unsigned to = 0; to < 256; to += 3) {
                Colour a = from | (255 - from) << 8 | to << 16;
                Colour b = to | from << 8 | (255 - to) << 16;
                Colour blue = (from * (255 - share) + to * share + 127) / 255;
                Colour green = ((255 - from) * (255 - share) + from * share + 127) / 255;
                Colour red = (to * (255 - share) + (255 - to) * share + 127) / 255;
                wrong += colour_blend(a, b, share) != (blue | green << 8 | red << 16);
            }
    ck_assert_int_eq(wrong, 0);
}

TEST(sequential_maps_grow_lighter_with_every_level)
{
    Colour table[COLOUR_LEVELS];
    for (int map = COLOUR_VIRIDIS; map <= COLOUR_MAGMA; map++) {
        colour_table((ColourMap)map, table);
        for (int level = 4; level < COLOUR_LEVELS; level++)
            ck_assert_msg(colour_luminance(table[level]) > colour_luminance(table[level - 4]),
                          "%s at level %d", colour_map_names[map], level);
    }
}

TEST(the_diverging_map_is_lightest_in_the_middle)
{
    Colour table[COLOUR_LEVELS];
    colour_table(COLOUR_DIVERGING, table);
    for (int level = 4; level < COLOUR_LEVELS; level++) {
        double before = colour_luminance(table[level - 4]), now = colour_luminance(table[level]);
        if (level <= 127)
            ck_assert_double_gt(now, before);
        else if (level >= 132)
            ck_assert_double_lt(now, before);
    }
}

TEST(the_diverging_map_of_dark_pages_is_darkest_in_the_middle)
{
    Colour table[COLOUR_LEVELS];
    ck_assert_int_eq(colour_map_on(COLOUR_DIVERGING, false), COLOUR_DIVERGING);
    ck_assert_int_eq(colour_map_on(COLOUR_MAGMA, true), COLOUR_MAGMA);
    colour_table(colour_map_on(COLOUR_DIVERGING, true), table);
    for (int level = 4; level < COLOUR_LEVELS; level++) {
        double before = colour_luminance(table[level - 4]), now = colour_luminance(table[level]);
        if (level <= 127)
            ck_assert_double_lt(now, before);
        else if (level >= 132)
            ck_assert_double_gt(now, before);
    }
    ck_assert_uint_gt(table[0] & 0xff, table[0] >> 16); // blue below 0, red above
    ck_assert_uint_gt(table[255] >> 16, table[255] & 0xff);
}

TEST(black_and_white_have_the_luminance_of_the_standard)
{
    ck_assert_double_eq_tol(colour_luminance(0x000000), 0.0, 1e-12);
    ck_assert_double_eq_tol(colour_luminance(0xffffff), 1.0, 1e-12);
    ck_assert_double_eq_tol(colour_luminance(0xff0000), 0.2126, 1e-12);
}

TEST(a_number_has_the_nearest_level_and_stays_on_the_scale)
{
    ck_assert_int_eq(colour_level(0.0f, 0.0f, 1.0f), 0);
    ck_assert_int_eq(colour_level(1.0f, 0.0f, 1.0f), 255);
    ck_assert_int_eq(colour_level(0.4f, 0.0f, 1.0f), 102); // 0.4 * 255 = 102
    ck_assert_int_eq(colour_level(-3.0f, 0.0f, 1.0f), 0);
    ck_assert_int_eq(colour_level(7.0f, 0.0f, 1.0f), 255);
    ck_assert_int_eq(colour_level(-1.0f, -2.0f, 2.0f), 64); // 0.25 * 255 = 63.75
    ck_assert_int_eq(colour_level(5.0f, 5.0f, 5.0f), 128);  // a scale without extent
}

SUITE("colour")
