// What a figure says honestly: colours under a mask, entropies without padding, marks that are seen,
// lines as thick as their numbers.
#include "drawn.h"
#include "figure.h"
#include "figure_data.h"
#include "looking.h"
#include "scenario_file.h"
#include "suite.h"
#include "tiny.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

// The weights of each layer stand beside the scores of the same layer, and both are known to be shares.
TEST(every_layer_has_the_softmax_of_its_own)
{
    static const char *const weights[] = {"attn_weights", "layer1.attn_weights"};
    static Scenario scenario;
    static Trace trace;
    Error err;
    int shape = 0;
    while (tiny_shapes[shape].layers < 2)
        shape++;
    tiny_scenario(&scenario, tiny_shapes[shape], 1);
    ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err), "%s", err.text);
    for (int i = 0; i < 2; i++) {
        FigureRequest request = {.tensor = trace_find(&trace, weights[i])};
        FigureData data = {.is_weights = false};
        ck_assert_msg(figure_data(&trace, &request, &data, &err), "%s", err.text);
        ck_assert_int_eq(data.weights_after, request.tensor);
        ck_assert_int_eq(trace.tensors[data.scores_before].layer, i);
        ck_assert(data.is_distribution);
    }
    trace_close(&trace);
    scenario_finish(&scenario);
}

// --- What is known of the cell that is looked at: all of it at every size that has room for words, and
// maps that stay where they are whatever it is.

static const char ellipsis[] = "\xe2\x80\xa6";

// Rows of 13 numbers: 1/2, 1/4096, then 1/4, 1/8 ... 1/4096. They sum to 1; eleven are larger than the
// second. Entropy is the sum of k / 2^k for k = 1 to 11, 2 - 13/2048, and twice
// 12/4096: 2 - 1/2048 bits.
static void open_cell(void)
{
    float *row = drawn_open_large(&drawn, 2, 13);
    row[0] = 0.5f;
    row[1] = 1.0f / 4096.0f;
    for (int key = 2; key < 13; key++)
        row[key] = 1.0f / (float)(1 << key);
    Tensor scores = drawn_tensor(&drawn, "scores_scaled");
    *tensor_at4(&scores, 0, 1, 1, 1) =
        -0.123456789f; // 0.123456791, 7.5e-9 from the next: eight digits tell it
    drawn.request.keys = drawn.request.has_cursor = true;
    drawn.request.lock = FIGURE_LOCKED_CELL;
    drawn.request.cursor = (FigureCell){1, 1, 1};
}

static void close_cell(void)
{
    drawn_close(&drawn);
}

static int end_of(const DisplayItem *text)
{
    return text->x + font_width(&font_metrics_usual, drawn.list.texts + text->at, text->size);
}

// What the read-out says, below the line that closes the maps: within the picture, none over another.
static void check_places(void)
{
    const DisplayItem *value = drawn_text(&drawn, "value");
    for (size_t i = 0; i < drawn.list.item_count; i++) {
        const DisplayItem *one = &drawn.list.items[i];
        if (one->kind != DISPLAY_TEXT || one->y < value->y)
            continue;
        ck_assert_int_le(end_of(one), drawn.list.width);
        ck_assert_int_lt(one->y + one->size / 2, drawn.list.height);
        for (size_t j = 0; j < i; j++) {
            const DisplayItem *other = &drawn.list.items[j];
            bool apart = other->kind != DISPLAY_TEXT || other->upright ||
                         abs(other->y - one->y) >= one->size || end_of(other) <= one->x ||
                         end_of(one) <= other->x;
            ck_assert_msg(apart, "%dx%d: '%s' is over '%s'", drawn.list.width, drawn.list.height,
                          drawn.list.texts + one->at, drawn.list.texts + other->at);
        }
    }
}

FIXTURE(open_cell, close_cell)

TEST(every_size_tells_everything)
{
    static const char *const words[] = {
        "locked",   "cell",    "0.00024414062", "-0.12345679",
        "12 of 13", "row sum", "1.000000",      "2.000 of 3.700 bits"};
    static const int sizes[][2] = {{240, 480}, {300, 300}, {320, 300}, {320, 480},  {399, 320},
                                   {400, 300}, {480, 300}, {480, 800}, {640, 480},  {747, 480},
                                   {748, 480}, {800, 600}, {840, 600}, {1280, 960}, {1600, 400}};
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        int width = sizes[size][0], height = sizes[size][1];
        drawn_draw(&drawn, width, height, 1.0);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            ck_assert_msg(drawn_text(&drawn, words[i]) != NULL, "%dx%d: %s", width, height,
                          words[i]);
        ck_assert_ptr_nonnull(drawn_part(&drawn, "score before"));
        ck_assert_ptr_nonnull(drawn_part(&drawn, "rank"));
        ck_assert_ptr_nonnull(drawn_part(&drawn, "entropy"));
        ck_assert_ptr_null(drawn_text(&drawn, ellipsis));
        check_places();
    }
}

TEST(a_dense_screen_has_as_much_room_as_one_of_half_the_pixels)
{
    drawn_draw(&drawn, 640, 960, 2.0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "2.000 of 3.700 bits"));
    ck_assert_ptr_null(drawn_text(&drawn, ellipsis));
    check_places();
}

TEST(what_has_no_room_is_the_end_and_is_said_to_be_missing)
{
    drawn_draw(&drawn, 180, 300, 1.0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "0.00024414062"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "-0.12345679"));
    ck_assert_ptr_null(drawn_text(&drawn, "2.000 of 3.700 bits"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, ellipsis));
    check_places();
}

TEST(wide_pictures_have_values_below_names_and_narrow_ones_beside)
{
    drawn_draw(&drawn, 1280, 960, 1.0);
    const DisplayItem *name = drawn_text(&drawn, "score before softmax");
    const DisplayItem *value = drawn_text(&drawn, "-0.12345679");
    ck_assert_int_eq(name->x, value->x);
    ck_assert_int_lt(name->y, value->y);
    ck_assert_int_eq(value->y, drawn_text(&drawn, "2.000 of 3.700 bits")->y);
    drawn_draw(&drawn, 480, 360, 1.0);
    name = drawn_text(&drawn, "score before softmax");
    value = drawn_text(&drawn, "-0.12345679");
    ck_assert_int_lt(name->x, value->x);
    ck_assert_int_eq(name->y, value->y);
    ck_assert_int_lt(value->y, drawn_text(&drawn, "2.000 of 3.700 bits")->y);
}

TEST(words_too_long_for_the_line_go_into_rows_even_in_a_wide_picture)
{
    static const char word[] = "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerk";
    static const char *const words[7] = {word, word, word, word, word, word, word};
    close_cell();
    TinyShape shape = tiny_self(1, 2, 4);
    shape.vocabulary = 7;
    drawn_open(&drawn, shape);
    drawn.request.has_cursor = true;
    drawn_draw(&drawn, 760, 600, 1.0);
    ck_assert_int_eq(drawn_text(&drawn, "row sum")->x, drawn_text(&drawn, "1.000000")->x);
    drawn.scenario.vocabulary = words;
    drawn_draw(&drawn, 760, 600, 1.0);
    ck_assert_ptr_nonnull(drawn_part(&drawn, word));
    ck_assert_int_eq(drawn_text(&drawn, "row sum")->y, drawn_text(&drawn, "1.000000")->y);
    ck_assert_ptr_null(drawn_text(&drawn, ellipsis));
    check_places();
}

// A masked cell has more to be told than any other, a locked one too.
TEST(maps_stay_where_they_are_whatever_the_cell_is)
{
    static const int sizes[][2] = {{300, 400}, {480, 360}, {800, 600}, {1280, 960}};
    close_cell();
    drawn_open(&drawn, tiny_causal(1, 2, 5));
    for (int size = 0; size < 4; size++) {
        drawn.request.has_cursor = true;
        drawn.request.lock = FIGURE_UNLOCKED;
        drawn.request.cursor = (FigureCell){0, 0, 0};
        drawn_draw(&drawn, sizes[size][0], sizes[size][1], 1.0);
        FigureMap before = drawn.figure.maps[1];
        ck_assert_ptr_null(drawn_text(&drawn, "this cell is"));
        drawn.request.lock = FIGURE_LOCKED_CELL;
        drawn.request.cursor = (FigureCell){0, 0, 4};
        drawn_draw(&drawn, sizes[size][0], sizes[size][1], 1.0);
        ck_assert_ptr_nonnull(drawn_text(&drawn, "masked"));
        ck_assert_int_eq(drawn.figure.maps[1].x, before.x);
        ck_assert_int_eq(drawn.figure.maps[1].y, before.y);
    }
}

// --- What looks masked in a picture: what is hidden in fact, in a right run and in a wrong one. And that cells
// without a number are told from those that are near 0, and numbers on patterns are read.

static Looking it;
static Scenario scenario;

static void close_it(void)
{
    looking_close(&it);
    scenario_finish(&scenario);
    scenario = (Scenario){.name = NULL};
}

// The item of map number `map`, counted as they are painted.
static const DisplayItem *map_of(int map)
{
    const DisplayList *list = &it.view.list;
    for (size_t i = 0; i < list->item_count; i++)
        if (list->items[i].kind == DISPLAY_CELLS && map-- == 0)
            return &list->items[i];
    ck_abort_msg("there are fewer maps");
}

static DisplayMark mark_of(int map, int cell)
{
    return (DisplayMark)(it.view.list.cells[map_of(map)->at + (size_t)cell] >> 24);
}

FIXTURE(NULL, close_it)

// What the right run hides: these get weight in the wrong one, or stay hidden.
LOOP_TEST(what_gets_weight_does_not_look_masked, 4)
{
    static const struct {
        const char *mistake;
        DisplayMark mark;
    } cases[] = {{"mask-missing", DISPLAY_PLAIN},
                 {"mask-zero", DISPLAY_PLAIN},
                 {"mask-ten-thousand", DISPLAY_MASKED}, // e^-10000 is 0
                 {"mask-after-softmax", DISPLAY_MASKED}};
    char words[64];
    looking_open(&it, tiny_causal(1, 2, 4));
    snprintf(words, sizeof words, "compare mistake %s", cases[_i].mistake);
    looking_say(&it, words);
    looking_say(&it, "picture-compare");
    for (int cell = 0; cell < 16; cell++) {
        bool forbidden = cell % 4 > cell / 4;
        ck_assert_int_eq(mark_of(0, cell), forbidden ? DISPLAY_MASKED : DISPLAY_PLAIN);
        ck_assert_int_eq(mark_of(1, cell), forbidden ? cases[_i].mark : DISPLAY_PLAIN);
    }
}

// What the mask will hide is a number like any other before it, in the picture as in the terminal.
TEST(scores_before_the_mask_do_not_look_masked)
{
    looking_open(&it, tiny_causal(1, 2, 4));
    looking_say(&it, "show scores");
    for (int cell = 0; cell < 16; cell++)
        ck_assert_int_eq(mark_of(0, cell), DISPLAY_PLAIN);
    ck_assert_ptr_null(drawn_find(&it.view.list, "masked", true));
    looking_say(&it, "show scores_masked");
    ck_assert_int_eq(mark_of(0, 1), DISPLAY_MASKED);
    ck_assert_ptr_nonnull(drawn_find(&it.view.list, "masked", true));
}

// Sequence 1 of this scenario is padding alone: -10000 stands in the place of every score, and the keys that
// nobody may see share the weight.
TEST(a_row_that_is_masked_whole_is_masked_though_it_gets_weight)
{
    Error err;
    ScenarioRequest request = {.what = "empty-sentence-ten-thousand"};
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    looking_open_over(&it, &scenario);
    looking_say(&it, "sequence 1");
    const Trace *trace = &it.session.run.trace;
    const Tensor *weights = &trace->tensors[trace_find(trace, "attn_weights")].tensor;
    ck_assert_float_gt(*tensor_at4(weights, 1, 0, 0, 0), 0.0f);
    for (int cell = 0; cell < map_of(0)->rows * map_of(0)->columns; cell++)
        ck_assert_int_eq(mark_of(0, cell), DISPLAY_MASKED);
}

// A mask of numbers forbids a key where it has -inf: query 0 the second of four, and there is no other mask.
TEST(minus_infinity_of_a_mask_of_numbers_looks_masked)
{
    TinyShape shape = tiny_self(1, 2, 4);
    shape.added_mask = true;
    tiny_scenario(&scenario, shape, 3);
    *tensor_at2(&scenario_tensor(&scenario, "added_mask")->tensor, 0, 1) = -INFINITY;
    looking_open_over(&it, &scenario);
    static const char *const shown[] = {"show scores_scaled", "show scores_added",
                                        "show attn_weights"};
    for (int tensor = 0; tensor < 3; tensor++) {
        looking_say(&it, shown[tensor]);
        for (int cell = 0; cell < 16; cell++)
            ck_assert_int_eq(mark_of(0, cell),
                             tensor > 0 && cell == 1 ? DISPLAY_MASKED : DISPLAY_PLAIN);
    }
}

// WCAG's contrast of two colours.
static double contrast(Colour a, Colour b)
{
    double one = colour_luminance(a) + 0.05, other = colour_luminance(b) + 0.05;
    return one > other ? one / other : other / one;
}

FIXTURE(NULL, NULL)

// 0 hardly stands out from either page, what is farthest from it does; and patterns on cells without a
// number are seen.
TEST(zero_is_quiet_and_hatches_are_seen_on_either_page)
{
    drawn_open(&drawn, tiny_self(1, 1, 2));
    float *weights = drawn_tensor(&drawn, "attn_weights").storage.f32;
    weights[0] = 1.0f; // 0 to 1 is fixed, and with two signs -1 to 1
    weights[1] = 0.0f;
    drawn.request.map = COLOUR_DIVERGING;
    for (int dark = 0; dark <= 1; dark++) {
        const FigureTheme *theme = figure_theme(dark);
        drawn.request.dark = dark;
        drawn_draw(&drawn, 800, 600, 1.0);
        ck_assert_double_lt(contrast(drawn_cell(&drawn, 0, 0, 1), theme->paper), 1.3);
        ck_assert_double_gt(contrast(drawn_cell(&drawn, 0, 0, 0), theme->paper), 3.0);
        ck_assert_double_gt(contrast(theme->hatch, theme->empty), 3.0);
    }
    drawn_close(&drawn);
}

// The item before the first text that says this.
static const DisplayItem *ground_of(const char *text)
{
    const DisplayItem *item = drawn_text(&drawn, text);
    ck_assert_msg(item && item > drawn.list.items, "no %s", text);
    return item - 1;
}

// 1 is the number of a plain cell, 0 that of a masked one, whose lines would run through the digits.
TEST(a_number_on_a_hatch_has_plain_ground)
{
    drawn_open(&drawn, tiny_causal(1, 1, 3));
    drawn_draw(&drawn, 800, 600, 1.0);
    const DisplayItem *ground = ground_of("0.0000"), *text = ground + 1;
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 1) >> 24, DISPLAY_MASKED);
    ck_assert_int_eq(ground->kind, DISPLAY_RECTANGLE);
    ck_assert_uint_eq(ground->colour, drawn_cell(&drawn, 0, 0, 1) & 0xffffff);
    ck_assert(ground->x < text->x && text->x < ground->x + ground->width);
    ck_assert(ground->y < text->y && text->y < ground->y + ground->height);
    ck_assert_int_ne(ground_of("1.0000")->kind, DISPLAY_RECTANGLE);
    drawn_close(&drawn);
}

SUITE("figure_share")
