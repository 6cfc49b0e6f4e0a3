// What looks masked in a picture: what is hidden in fact, in a right run and in a wrong one. And that cells
// without a number are told from those that are near 0, and numbers on patterns are read.
#include "drawn.h"
#include "looking.h"
#include "figure.h"
#include "scenario_file.h"
#include "suite.h"
#include "tiny.h"

#include <math.h>

static Looking it;
static Drawn drawn;
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

SUITE("figure_masked")
