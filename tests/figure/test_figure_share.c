// What a figure says honestly: colours under a mask, entropies without padding, marks that are seen,
// lines as thick as their numbers.
#include "drawn.h"

#include <math.h>
#include <string.h>
#include "figure_data.h"
#include "suite.h"

enum { VIOLET = 0x440154, YELLOW = 0xfde725 }; // the ends of viridis

static Drawn drawn;

// One head, three tokens, no one sees later ones: rows 1; 1 and 0; three thirds.
static void open_causal(void)
{
    static const float rows[3][3] = {
        {1.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {1.0f / 3.0f, 1.0f / 3.0f, 1.0f / 3.0f}};
    drawn_open(&drawn, tiny_causal(1, 1, 3));
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    for (int row = 0; row < 3; row++)
        for (int key = 0; key < 3; key++)
            *tensor_at4(&weights, 0, 0, row, key) = rows[row][key];
    drawn.request = figure_request(&drawn.trace, drawn.request.tensor);
}

static void close_drawn(void)
{
    drawn_close(&drawn);
}

FIXTURE(open_causal, close_drawn)

// Row 0 has its one key, 1 of an even share; row 1 takes 2 of them from one of two keys, the most there
// is; row 2 takes one from each of three.
TEST(under_a_mask_an_even_share_has_one_colour_in_every_row)
{
    ck_assert_int_eq(drawn.request.scale, FIGURE_SCALE_EVEN);
    drawn_draw(&drawn, 800, 600, 1.0);
    DisplayCell even = drawn_cell(&drawn, 0, 0, 0);
    ck_assert_uint_ne(even, VIOLET);
    ck_assert_uint_ne(even, YELLOW);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 1, 0), YELLOW);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 1, 1), VIOLET);
    for (int key = 0; key < 3; key++)
        ck_assert_uint_eq(drawn_cell(&drawn, 0, 2, key), even);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "1: even share"));
    ck_assert_ptr_nonnull(drawn_part(&drawn, "weight \xc3\x97 keys"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "2")); // the upper end
}

// Row 2 gives all to one of three keys, 3 of an even share, which is a third of the scale and yet has the
// middle of viridis, between 0x23888e and 0x1f988b.
TEST(one_large_weight_does_not_darken_the_rest)
{
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    for (int key = 0; key < 3; key++)
        *tensor_at4(&weights, 0, 0, 2, key) = key == 0 ? 1.0f : 0.0f;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 0), 0x21908d);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 2, 0), YELLOW);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 2, 1), VIOLET);
}

// Row 1 has 1 and 0 of two keys that it may see; the third is masked.
TEST(masked_keys_have_no_rank_and_do_not_count)
{
    drawn.request.has_cursor = true;
    drawn.request.cursor = (FigureCell){0, 1, 1};
    drawn_draw(&drawn, 1280, 800, 1.0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "2 of 2"));
    drawn.request.cursor = (FigureCell){0, 1, 2};
    drawn_draw(&drawn, 1280, 800, 1.0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "none, masked"));
    ck_assert_ptr_null(drawn_part(&drawn, " of 3"));
}

TEST(a_part_of_the_map_has_the_colours_of_the_whole)
{
    drawn_draw(&drawn, 800, 600, 1.0);
    DisplayCell even = drawn_cell(&drawn, 0, 2, 0);
    drawn.request.zoom = 300;
    drawn.request.first_row = 2;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert(!drawn.figure.all_visible && drawn.figure.first_row == 2);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 0), even);
}

TEST(without_a_mask_and_of_scores_the_numbers_themselves_are_coloured)
{
    close_drawn();
    drawn_open(&drawn, tiny_self(1, 2, 3));
    FigureRequest weights = figure_request(&drawn.trace, drawn.request.tensor);
    ck_assert_int_eq(weights.scale, FIGURE_SCALE_ALL);
    ck_assert(!figure_can_be_even(&drawn.trace, drawn.request.tensor));
    drawn.request.scale = FIGURE_SCALE_EVEN;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "over all heads"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "weight"));
    ck_assert_ptr_null(drawn_text(&drawn, "1: even share"));
}

TEST(the_read_out_puts_a_weight_beside_an_even_share)
{
    drawn.request.has_cursor = true;
    drawn.request.cursor = (FigureCell){0, 1, 0};
    drawn_draw(&drawn, 1280, 800, 1.0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "2 \xc3\x97 1/2"));
    drawn.request.cursor = (FigureCell){0, 1, 2}; // masked: there is no share to be had
    drawn_draw(&drawn, 1280, 800, 1.0);
    ck_assert_ptr_null(drawn_part(&drawn, "even share "));
    ck_assert_ptr_null(drawn_text(&drawn, "beside an even share"));
}

// Entropies by hand: 0 of log2 1 = 0, 0 of log2 2 = 1, log2 3 = 1.585 of as much; a third of the sums.
TEST(entropy_stands_beside_the_most_that_it_could_be)
{
    drawn_draw(&drawn, 900, 600, 1.0);
    ck_assert_ptr_nonnull(drawn_part(&drawn, "0.53 of 0.86 bits"));
}

// Two of three tokens are words; their rows are even over three keys, the padding's row is not.
TEST(what_padding_looks_at_does_not_count)
{
    close_drawn();
    TinyShape shape = tiny_self(1, 1, 3);
    shape.vocabulary = 7;
    drawn_open(&drawn, shape);
    Tensor padding = drawn_tensor(&drawn, "key_padding_mask");
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    for (int row = 0; row < 3; row++) {
        *tensor_flag2(&padding, 0, row) = row == 2;
        for (int key = 0; key < 3; key++)
            *tensor_at4(&weights, 0, 0, row, key) = row == 2 ? NAN : 1.0f / 3.0f;
    }
    drawn_draw(&drawn, 900, 600, 1.0);
    ck_assert_ptr_nonnull(drawn_part(&drawn, "1.58 of 1.58 bits")); // log2 3 = 1.585, just below
}

TEST(a_masked_cell_looks_masked_whatever_is_written_there)
{
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    *tensor_at4(&weights, 0, 0, 0, 1) = INFINITY;
    *tensor_at4(&weights, 0, 0, 0, 2) = -INFINITY;
    drawn_draw(&drawn, 800, 600, 1.0);
    for (int key = 1; key < 3; key++)
        ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, key), display_cell(0xeef0f3, DISPLAY_MASKED));
}

// Contrast as WCAG has it, on paper, on the two ends of viridis and on white.
TEST(hatches_are_seen_on_every_colour)
{
    static const Colour cells[] = {0xeef0f3, VIOLET,   YELLOW,  0xffffff,
                                   0x000000, 0x7ad151, 0x3b528b};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        for (Colour hatch = 0x7f8a97;; hatch = 0x6b7888) { // of the light theme, of the dark one
            double on = colour_luminance(cells[i]) + 0.05;
            double of = colour_luminance(display_hatch(hatch, cells[i])) + 0.05;
            ck_assert_msg(fmax(on / of, of / on) >= 3.0, "%06x on %06x", hatch, cells[i]);
            if (hatch == 0x6b7888)
                break;
        }
}

// --- lines

// Lines end at their keys; where they begin, numbers may stand.
static bool is_line(const DisplayItem *item)
{
    int end = drawn.figure.maps[0].x + drawn.figure.cell_width;
    return item->kind == DISPLAY_CURVE && item->x + item->width == end;
}

static int line_count(Colour colour)
{
    int count = 0;
    for (size_t i = 0; i < drawn.list.item_count; i++) {
        const DisplayItem *item = &drawn.list.items[i];
        count += is_line(item) && item->colour == colour;
    }
    return count;
}

static const DisplayItem *line_from(int row, int key)
{
    int high = drawn.figure.cell_height, y = drawn.figure.maps[0].y + high / 2 + row * high;
    for (size_t i = 0; i < drawn.list.item_count; i++) {
        const DisplayItem *item = &drawn.list.items[i];
        if (is_line(item) && item->y == y && item->height == (key - row) * high)
            return item;
    }
    return NULL;
}

static void open_lines(void)
{
    static const float numbers[3][3] = {
        {0.8f, 0.2f, 0.0f}, {0.4f, 0.009f, 0.591f}, {0.1f, 0.89f, 0.01f}};
    drawn_open(&drawn, tiny_self(1, 1, 3));
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    for (int row = 0; row < 3; row++)
        for (int key = 0; key < 3; key++)
            *tensor_at4(&weights, 0, 0, row, key) = numbers[row][key];
    drawn.request.mode = FIGURE_LINES;
    drawn.request.scale = FIGURE_SCALE_UNIT;
    drawn_draw(&drawn, 800, 600, 1.0);
}

enum { LINE = 0x2a5fa5, ALARM = 0xb3261e };

FIXTURE(open_lines, close_drawn)

TEST(lines_are_as_thick_as_their_numbers_and_alike_else)
{
    const DisplayItem *thick = line_from(0, 0), *half = line_from(1, 0), *thin = line_from(0, 1);
    ck_assert(thick && half && thin);
    ck_assert_int_eq(thick->thickness, 128); // 0.8 of 10 pixels of 16 sixteenths
    ck_assert_int_eq(half->thickness, 64);
    ck_assert_int_eq(thin->thickness, 32);
    ck_assert_int_eq(thick->alpha, thin->alpha);
    // those of 0.009 and 0 are below a hundredth, and that of 0.01 is not
    ck_assert_int_eq(line_count(LINE), 7);
    ck_assert_ptr_nonnull(line_from(2, 2));
    ck_assert_ptr_nonnull(drawn_part(&drawn, "below 1 % of the scale no line"));
}

TEST(a_word_that_is_pointed_at_or_locked_leaves_only_its_lines)
{
    drawn.request.has_cursor = true;
    drawn.request.cursor = (FigureCell){0, 1, 0};
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_int_eq(line_count(LINE), 7); // the others are faint
    drawn.request.points = FIGURE_POINTS_ROW;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_int_eq(line_count(LINE), 2);
    ck_assert(line_from(1, 0) && line_from(1, 2));
    drawn.request.points = FIGURE_POINTS_COLUMN;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_int_eq(line_count(LINE), 3);
    ck_assert(line_from(0, 0) && line_from(1, 0) && line_from(2, 0));
    drawn.request.points = FIGURE_POINTS_NOWHERE;
    drawn.request.lock = FIGURE_LOCKED_ROW;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_int_eq(line_count(LINE), 2);
}

TEST(a_line_of_nan_is_there_in_a_colour_of_its_own)
{
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    *tensor_at4(&weights, 0, 0, 1, 2) = -NAN;
    drawn.request.has_cursor = drawn.request.keys = true;
    drawn.request.cursor = (FigureCell){0, 1, 0};
    drawn.request.version++;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_int_eq(line_count(ALARM), 1);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "NaN")); // in the legend, and beside its key
    ck_assert_ptr_null(drawn_part(&drawn, "nan"));
}

FIXTURE(NULL, NULL)

// Of all that the forms of the pipeline make. What comes before softmax, gradients and masks are none.
TEST(weights_are_what_says_how_much_is_taken_of_each_key)
{
    static const char *const names[] = {"attn_weights", "attn_weights_dropped", "maps",
                                        "map_mean",     "map_residual",         "rollout"};
    enum { NAMES = sizeof names / sizeof *names };
    bool seen[NAMES] = {false};
    static Scenario scenario;
    static Trace trace;
    Error err;
    for (int shape = 0; shape < tiny_shape_count; shape++) {
        tiny_scenario(&scenario, tiny_shapes[shape], 1);
        ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err), "%s",
                      err.text);
        for (int i = 0; i < trace.tensor_count; i++) {
            FigureRequest request = {.tensor = i};
            FigureData data = {.is_weights = false};
            if (trace.tensors[i].tensor.rank > 4 || !figure_data(&trace, &request, &data, &err))
                continue;
            const char *full = trace.tensors[i].name, *dot = strchr(full, '.');
            const char *own = strncmp(full, "layer", 5) == 0 && dot ? dot + 1 : full;
            int name = 0;
            while (name < NAMES && strcmp(names[name], own) != 0)
                name++;
            ck_assert_msg(data.is_weights == (name < NAMES), "shape %d: %s", shape, full);
            if (name < NAMES)
                seen[name] = true;
        }
        trace_close(&trace);
        scenario_finish(&scenario);
    }
    for (int name = 0; name < NAMES; name++)
        ck_assert_msg(seen[name], "%s", names[name]);
}

SUITE("figure_share")
