// The map of a tensor's last two axes: scale, shades, marks, how it fits, colours, and the panel.
#include "panel.h"

#include "suite.h"
#include "talking_screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A matrix by hand, of nobody's trace: no marks but those of the numbers.
static HeatSource source_of(float *numbers, ptrdiff_t rows, ptrdiff_t columns)
{
    HeatSource source = {.marks = {.batch_axis = -1, .token_axes = {-1, -1}}};
    source.data.values = tensor_over(numbers, DTYPE_F32, 4, (ptrdiff_t[]){1, 1, rows, columns});
    heat_part(&source, (FigureCell){0, 0, 0}, false);
    return source;
}

static const char *draw_in(int colours, int columns, int rows)
{
    cells.colours = colours;
    return draw(columns, rows);
}

static int count(const char *haystack, const char *needle)
{
    int found = 0;
    for (const char *at = haystack; (at = strstr(at, needle)) != NULL; at += strlen(needle))
        found++;
    return found;
}

// --- scale

TEST(negative_numbers_make_the_scale_symmetric)
{
    float numbers[] = {0.5f, -3.0f, 2.0f, NAN, INFINITY, -INFINITY};
    HeatSource source = source_of(numbers, 2, 3);
    HeatScale scale = heat_scale(&source, NULL, 0.0f);
    ck_assert(scale.both_signs);
    ck_assert(scale.low == -3.0f && scale.high == 3.0f);
    numbers[0] = 4.0f;
    scale = heat_scale(&source, NULL, 0.0f);
    ck_assert(scale.low == -4.0f && scale.high == 4.0f);
}

TEST(other_numbers_are_seen_from_zero_on)
{
    float numbers[] = {0.5f, 0.25f, 0.125f, 0.0f};
    HeatSource source = source_of(numbers, 2, 2);
    HeatScale own = heat_scale(&source, NULL, 0.0f), unit = heat_scale(&source, NULL, 1.0f);
    ck_assert(!own.both_signs);
    ck_assert(own.low == 0.0f && own.high == 0.5f);
    ck_assert(unit.low == 0.0f && unit.high == 1.0f);
    numbers[0] = 1.25f; // a weight that dropout made larger
    ck_assert(heat_scale(&source, NULL, 1.0f).high == 1.25f);
}

// Five shades: the first fifth of the scale is next to nothing, the last one full.
TEST(shades_are_fifths_of_the_scale)
{
    HeatScale scale = {.low = -2.0f, .high = 2.0f, .both_signs = true};
    ck_assert_str_eq(heat_shade(&scale, 0.39f), heat_shades[0]);
    ck_assert_str_eq(heat_shade(&scale, -0.41f), heat_shades[1]);
    ck_assert_str_eq(heat_shade(&scale, 1.0f), heat_shades[2]);
    ck_assert_str_eq(heat_shade(&scale, -1.3f), heat_shades[3]);
    ck_assert_str_eq(heat_shade(&scale, 1.61f), heat_shades[4]);
    ck_assert_str_eq(heat_shade(&scale, -2.0f), heat_shades[4]);
    ck_assert_str_eq(heat_shade(&scale, 3.0f), heat_shades[4]); // a masked one may be beyond
}

// --- fit

TEST(a_matrix_that_fits_is_shown_cell_by_cell)
{
    static float numbers[20 * 30];
    HeatSource source = source_of(numbers, 20, 30);
    HeatScale scale = heat_scale(&source, NULL, 1.0f);
    HeatFit fit = heat_fit(&source, &scale, (Area){.rows = 20, .columns = 100}, 0, 6);
    ck_assert_int_eq(fit.block_rows, 1);
    ck_assert_int_eq(fit.block_columns, 1);
    ck_assert_int_eq(fit.cell_columns, 3);
    ck_assert_int_eq(fit.lines, 20);
}

TEST(too_many_rows_share_lines_where_there_are_colours_and_are_pooled_where_not)
{
    static float numbers[20 * 30];
    HeatSource source = source_of(numbers, 20, 30);
    HeatScale scale = heat_scale(&source, NULL, 1.0f);
    HeatFit coloured = heat_fit(&source, &scale, (Area){.rows = 10, .columns = 29}, 256, 6);
    ck_assert(coloured.halves);
    ck_assert_int_eq(coloured.block_rows, 1);
    ck_assert_int_eq(coloured.lines, 10);
    ck_assert_int_eq(coloured.block_columns, 2); // 30 in 29 columns
    ck_assert_int_eq(coloured.columns, 15);
    HeatFit plain = heat_fit(&source, &scale, (Area){.rows = 9, .columns = 30}, 16, 6);
    ck_assert(!plain.halves);
    ck_assert_int_eq(plain.block_rows, 3); // 20 in 9 lines
    ck_assert_int_eq(plain.lines, 7);
}

TEST(a_sign_needs_a_column_of_its_own)
{
    float numbers[10] = {-1.0f};
    HeatSource source = source_of(numbers, 1, 10);
    HeatScale scale = heat_scale(&source, NULL, 0.0f);
    ck_assert_int_eq(
        heat_fit(&source, &scale, (Area){.rows = 1, .columns = 12}, 0, 6).block_columns, 2);
    ck_assert_int_eq(
        heat_fit(&source, &scale, (Area){.rows = 1, .columns = 12}, 256, 6).block_columns, 1);
    ck_assert_int_eq(heat_fit(&source, &scale, (Area){.rows = 1, .columns = 1}, 0, 6).columns, 1);
}

// --- one map

static const char *draw_map(HeatSource *source, float least, int columns, int rows, int colours)
{
    bool marks[MATRIX_MARKS] = {false};
    HeatScale scale = heat_scale(source, NULL, least);
    Area room = {.rows = rows, .columns = columns};
    HeatMap map = {.source = source, .scale = &scale, .chosen = {-1, 0, 0}};
    map.fit = heat_fit(source, &scale, room, colours, 1);
    cells.colours = colours;
    ck_assert(cells_resize(&cells, columns, rows, &it.err));
    heat_map_draw(&map, area_on(&cells, room), marks);
    return screen = shown(&cells);
}

TEST(a_block_shows_its_largest_number_and_nan_before_all)
{
    float numbers[] = {0.1f, 0.9f, 0.0f, 0.1f, NAN,  0.1f, //
                       0.3f, 0.2f, 0.1f, 0.5f, 0.1f, 1.0f};
    HeatSource source = source_of(numbers, 2, 6);
    ck_assert_str_eq(draw_map(&source, 1.0f, 3, 1, 0), "\u2588\u2592?\n"); // 0.9, 0.5, NaN
    cells_finish(&cells);
}

TEST(infinities_and_nan_have_marks_of_their_own)
{
    float numbers[] = {NAN, INFINITY, -INFINITY, 0.0f};
    HeatSource source = source_of(numbers, 1, 4);
    ck_assert_str_eq(draw_map(&source, 1.0f, 4, 1, 0), "?\u25b2\u25bc\u00b7\n");
    cells_finish(&cells);
}

// The largest of its numbers is not finite: that is seen, and not an empty place.
TEST(a_block_with_an_infinity_shows_it)
{
    float numbers[] = {0.5f, INFINITY, -INFINITY, 0.5f};
    HeatSource source = source_of(numbers, 1, 4);
    ck_assert_str_eq(draw_map(&source, 1.0f, 2, 1, 256), "\u25b2\n");
    cells_finish(&cells);
}

// A block of four is masked when all four are; a masked number does not stretch the scale.
TEST(a_block_is_what_its_least_marked_cell_is)
{
    float numbers[] = {0.0f, 0.0f, 0.5f, 0.0f, -INFINITY, -INFINITY, //
                       0.0f, 0.0f, 0.0f, 0.0f, -INFINITY, -INFINITY};
    unsigned char masked[] = {1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    HeatSource source = source_of(numbers, 2, 6);
    source.marks.masked = source.data.values;
    source.marks.masked.storage.boolean = masked;
    source.marks.masked.dtype = DTYPE_BOOL;
    ck_assert_str_eq(draw_map(&source, 1.0f, 3, 1, 0), "\u2573\u2592\u2573\n");
    numbers[0] = -1e9f;
    ck_assert(heat_scale(&source, NULL, 1.0f).low == 0.0f);
    cells_finish(&cells);
}

// Three queries see 1, 2 and 3 keys. Of 2 keys .5 is an even share, of 3 .25 is .75 of one and .5 is 1.5: of
// 0 to 1.5, 1 has the colour in the middle.
TEST(under_a_mask_an_even_share_has_one_colour_in_every_row)
{
    float numbers[] = {1.0f, 0.0f, 0.0f, 0.5f, 0.5f, 0.0f, 0.25f, 0.25f, 0.5f};
    unsigned char masked[] = {0, 1, 1, 0, 0, 1, 0, 0, 0};
    HeatSource source = source_of(numbers, 3, 3);
    Colour table[COLOUR_LEVELS];
    colour_table(COLOUR_VIRIDIS, table);
    source.data.masked = tensor_over(masked, DTYPE_BOOL, 4, (ptrdiff_t[]){1, 1, 3, 3});
    source.marks.masked = source.data.masked;
    source.even = true;
    ck_assert(heat_scale(&source, NULL, 0.0f).high == 1.5f);
    draw_map(&source, 0.0f, 3, 3, 256);
    uint32_t even = cells_at(&cells, 0, 0)->shade.back;
    ck_assert(even == (SHADE_SET | table[127]) || even == (SHADE_SET | table[128]));
    ck_assert_uint_eq(cells_at(&cells, 1, 0)->shade.back, even);
    ck_assert_uint_eq(cells_at(&cells, 1, 1)->shade.back, even);
    ck_assert_uint_ne(cells_at(&cells, 2, 0)->shade.back, even);
    ck_assert_uint_eq(cells_at(&cells, 2, 2)->shade.back, SHADE_SET | table[COLOUR_LEVELS - 1]);
    cells_finish(&cells);
    // In one block are shares of rows with other keys: the largest share counts, not the largest number.
    draw_map(&source, 0.0f, 1, 1, 256);
    ck_assert_uint_eq(cells_at(&cells, 0, 0)->shade.front, even);
    ck_assert_uint_eq(cells_at(&cells, 0, 0)->shade.back, SHADE_SET | table[COLOUR_LEVELS - 1]);
    cells_finish(&cells);
}

// The ends of the colour map, above and below in one character.
TEST(two_rows_share_a_line_as_upper_and_lower_half)
{
    float numbers[] = {0.0f, 1.0f, 1.0f, 0.0f, 1.0f, 1.0f};
    HeatSource source = source_of(numbers, 3, 2);
    Colour table[COLOUR_LEVELS];
    colour_table(COLOUR_VIRIDIS, table);
    uint32_t low = SHADE_SET | table[0], high = SHADE_SET | table[COLOUR_LEVELS - 1];
    ck_assert_str_eq(draw_map(&source, 1.0f, 2, 2, 256), "\u2580\u2580\n\u2580\u2580\n");
    ck_assert_uint_eq(cells_at(&cells, 0, 0)->shade.front, low);
    ck_assert_uint_eq(cells_at(&cells, 0, 0)->shade.back, high);
    ck_assert_uint_eq(cells_at(&cells, 0, 1)->shade.front, high);
    ck_assert_uint_eq(cells_at(&cells, 0, 1)->shade.back, low);
    ck_assert_uint_eq(cells_at(&cells, 1, 0)->shade.front, high);
    ck_assert_uint_eq(cells_at(&cells, 1, 0)->shade.back, 0); // there is no fourth row
    cells_finish(&cells);
}

// --- the panel

static const TinyShape causal = {
    .batch = 1, .queries = 6, .keys = 6, .heads = 2, .d_k = 2, .d_v = 2, .d_in = 4, .causal = true};

// Of six queries 0 + 1 + ... + 5 keys lie in the future; a cell of this map takes six columns.
TEST(masked_cells_are_marked_after_the_mask_and_not_before)
{
    open_computed(causal);
    say("goto softmax");
    say("heatmap");
    ck_assert_int_eq(count(draw_in(0, 80, 30), "\u2573"), 15 * 6 + 1); // and the legend
    ck_assert_ptr_nonnull(strstr(screen, "\u2573 masked"));
    say("goto mask");
    ck_assert_int_eq(count(draw_in(0, 80, 30), "\u2573"), 15 * 6 + 1);
    say("goto score");
    ck_assert_int_eq(count(draw_in(0, 80, 30), "\u2573"), 0);
    close_screen();
}

// Of 6 x 6 scores of the first head, one row and two numbers are there; a cell takes six columns.
TEST(what_the_walk_has_not_reached_is_not_shown)
{
    open_computed(causal);
    say("goto score");
    say("heatmap");
    say("depth element");
    say("@[0,0,1,1]");
    ck_assert_int_eq(count(draw_in(0, 80, 30), "______"), 36 - 8);
    ck_assert_ptr_nonnull(strstr(screen, "_ not yet"));
    close_screen();
}

TEST(all_heads_have_their_numbers_as_titles)
{
    open_computed(causal);
    say("goto softmax");
    say("@[0,1,2,0]");
    say("all-heads");
    draw_in(0, 100, 40);
    ck_assert_ptr_nonnull(strstr(screen, "head 0"));
    ck_assert_ptr_nonnull(strstr(screen, "\u25b8head 1"));
    close_screen();
}

// Head 0 was asked nowhere, head 1 everywhere: the rows of head 0 have their words in brackets.
TEST(rows_with_nothing_to_look_for_are_in_brackets)
{
    static const bool of_word[2][4] = {{false}, {true, true, true, true}};
    static const ScenarioAsked asked[2] = {{of_word[0], true}, {of_word[1], true}};
    const TinyShape shape = {.batch = 1,
                             .queries = 3,
                             .keys = 3,
                             .heads = 2,
                             .d_k = 2,
                             .d_v = 2,
                             .d_in = 3,
                             .d_out = 3,
                             .vocabulary = 4};
    tiny_scenario(&it.scenario, shape, 1);
    it.scenario.asked = asked;
    ck_assert_msg(session_open(&it.session, &it.scenario, &it.err), "%s", it.err.text);
    say("last");
    say("goto softmax");
    say("heatmap");
    say("@[0,0,1,1]");
    ck_assert_ptr_nonnull(strstr(draw_in(0, 160, 40), "(pale): nothing to look for there"));
    ck_assert_int_eq(count(screen, "\xe2\x94\x82 ("), 3); // behind the line beside the steps
    ck_assert_ptr_nonnull(strstr(screen, "there is nothing to look for in this row"));
    say("@[0,1,1,1]");
    ck_assert_ptr_null(strstr(draw_in(0, 160, 40), "nothing to look for"));
    ck_assert_int_eq(count(screen, "\xe2\x94\x82 ("), 0);
    close_screen();
}

TEST(the_chosen_cell_is_told_in_words_and_follows_the_values)
{
    open_computed(causal);
    say("goto softmax");
    say("heatmap");
    say("@[0,1,0,0]"); // a query with one key
    draw_in(0, 120, 40);
    ck_assert_ptr_nonnull(
        strstr(screen, "attn_weights = 1: query 0, key 0, 1 \u00d7 an even share"));
    say("right");
    draw_in(256, 120, 40);
    ck_assert_ptr_nonnull(strstr(screen, "attn_weights = 0: query 0, key 1, masked"));
    close_screen();
}

SLICE_TEST(any_tensor_of_any_form_is_drawn_at_any_size_with_and_without_colours, tiny_shape_count,
           1)
{
    static const char *const walk[] = {"next", "previous",    "tensor-next", "down",      "right",
                                       "flip", "pick-next",   "line-end",    "all-heads", "bottom",
                                       "rows", "tensor-next", "map-scale"};
    static const int colours[] = {0, 8, 16, 256, 1 << 24};
    srand(1);
    open_computed(tiny_shapes[_i]);
    say("heatmap");
    say("first");
    for (int round = 0; round < 200; round++) {
        const char *word = walk[(size_t)rand() % (sizeof walk / sizeof *walk)];
        try_words(word);
        draw_in(colours[rand() % 5], 1 + rand() % 220, 1 + rand() % 70);
    }
    close_screen();
}

// One number seen a million times a million times: what looked at all would not come to an end.
TEST(of_a_matrix_too_large_a_part_is_shown_and_said)
{
    float number = 0.5f;
    Tensor one = tensor_over(&number, DTYPE_F32, 3, (ptrdiff_t[]){1, 1, 1}), huge;
    ck_assert(tensor_expand(&one, 3, (ptrdiff_t[]){1, 1000000, 1000000}, &huge, &it.err));
    open_computed((TinyShape){.batch = 1, .queries = 3, .keys = 3, .d_k = 2, .d_v = 2, .d_in = 2});
    say("goto score");
    it.session.run.trace.tensors[it.session.cursor.tensor].tensor = huge;
    say("@[0,500000,77]");
    say("heatmap");
    draw_in(0, 160, 40);
    ck_assert_ptr_nonnull(strstr(screen, "rows 499712-500735 of 1000000")); // 488 * 1024 = 499712
    ck_assert_ptr_nonnull(strstr(screen, "columns 0-1023 of 1000000"));
    say("memory");
    draw_in(0, 160, 40);
    close_screen();
}

SUITE("heat_panel")
