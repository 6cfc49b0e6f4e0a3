// Where a number came from, in the window: the numbers that trace_origin tells, which are those of the
// terminal; and the keys that walk through them.
#include "figure.h"

#include <math.h>
#include <string.h>
#include "drawn.h"
#include "looking.h"
#include "number_text.h"
#include "picture_view.h"
#include "suite.h"

static Looking it;

// --- the numbers

enum { TERMS_MAX = 256 };

static TraceTerm terms[TERMS_MAX];
static int term_count;

static void keep(void *context, const TraceTerm *term)
{
    (void)context;
    ck_assert_int_lt(term_count, TERMS_MAX);
    terms[term_count++] = *term;
}

static bool same(float a, float b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void check_band(const Trace *trace, const Explanation *explanation, FigureBand band,
                       ptrdiff_t term, float expected)
{
    float number;
    ck_assert(figure_band_occurs(explanation, band));
    ck_assert(figure_band_number(trace, explanation, band, term, &number));
    ck_assert_msg(same(number, expected), "band %d of term %td", band, term);
}

static float number_at(const Trace *trace, TraceCell cell)
{
    return (float)tensor_number(&trace->tensors[cell.tensor].tensor, cell.at);
}

// The bands against what trace_origin tells of the element.
static void check_element(const Trace *trace, TraceCell cell)
{
    Explanation explanation = {.count = 0};
    Error err;
    term_count = 0;
    trace_origin(trace, cell, keep, NULL);
    ck_assert(explanation_make(&explanation, trace, cell, &err));
    // Softmax's maxima are told in a line of their own; its rows are the exps.
    bool is_softmax = terms[0].kind == TERM_MAXIMUM && terms[term_count - 1].kind == TERM_QUOTIENT;
    ptrdiff_t first = 0;
    while (is_softmax && terms[first].kind == TERM_MAXIMUM)
        first++;
    for (ptrdiff_t i = 0; i < explanation.listed; i++) {
        const TraceTerm *term = &terms[first + i];
        float none;
        if (terms[0].kind == TERM_MULTIPLY_ADD &&
            term->source_count == 0) // a mean's count is no product
            ck_assert(!figure_band_number(trace, &explanation, FIGURE_BAND_VALUE, i, &none));
        else
            check_band(trace, &explanation, FIGURE_BAND_VALUE, i, term->value);
        for (int source = 0; source < term->source_count && source < 2; source++)
            check_band(trace, &explanation, source ? FIGURE_BAND_RIGHT : FIGURE_BAND_LEFT, i,
                       number_at(trace, term->sources[source]));
        if (!is_softmax)
            check_band(trace, &explanation, FIGURE_BAND_RUNNING, i, term->running);
    }
    if (explanation.listed > 0 && terms[0].kind == TERM_MULTIPLY_ADD)
        check_band(trace, &explanation, FIGURE_BAND_RUNNING, explanation.listed - 1,
                   number_at(trace, cell));
    explanation_finish(&explanation);
}

SLICE_TEST(the_numbers_are_those_of_the_origin_in_every_stage, tiny_shape_count, 1)
{
    Error err;
    Scenario scenario;
    Trace trace;
    tiny_scenario(&scenario, tiny_shapes[_i], 5);
    ck_assert(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err));
    for (int number = 0; number < trace.tensor_count; number++) {
        TraceCell cell = {.tensor = number};
        const Tensor *tensor = &trace.tensors[number].tensor;
        if (trace.tensors[number].step < 0 || tensor_count(tensor) == 0)
            continue;
        do
            check_element(&trace, cell);
        while (tensor_next(tensor, cell.at));
    }
    trace_close(&trace);
    scenario_finish(&scenario);
}

// --- the picture, and the walk

static void open_it(void)
{
    looking_open(&it, tiny_causal(1, 2, 3));
    looking_draw(&it);
}

static void close_it(void)
{
    looking_close(&it);
}

static bool says(const char *text)
{
    return drawn_find(&it.view.list, text, false) != NULL;
}

static void key(const char *name)
{
    Command command;
    bool known =
        (it.session.picture.request.origin && command_for_key_in(PLACE_ORIGIN, name, &command)) ||
        command_for_key_in(PLACE_WINDOW, name, &command);
    ck_assert(known && session_apply(&it.session, &command, &it.err));
    looking_draw(&it);
}

FIXTURE(open_it, close_it)

// A score of head 1 is a sum of two products, as heads have two features.
TEST(a_score_shows_its_rows_products_and_running_sum)
{
    char text[128], number[NUMBER_FULL_TEXT_MAX];
    looking_say(&it, "show scores");
    looking_say(&it, "cell [1,2,0]");
    key("o");
    Tensor q = it.session.run.trace.tensors[trace_find(&it.session.run.trace, "q_heads")].tensor;
    Tensor k = it.session.run.trace.tensors[trace_find(&it.session.run.trace, "k_heads")].tensor;
    float product = *tensor_at4(&q, 0, 1, 2, 0) * *tensor_at4(&k, 0, 1, 0, 0);
    float sum = fmaf(*tensor_at4(&q, 0, 1, 2, 1), *tensor_at4(&k, 0, 1, 0, 1), product);
    ck_assert(says("q_heads[0,1,2,:]") && says("k_heads[0,1,0,:]"));
    ck_assert(says("running sum") && says("term 1 of 2"));
    snprintf(text, sizeof text, "product %s", number_full_text(product, number));
    ck_assert_msg(says(text), "%s", text);
    snprintf(text, sizeof text, "stored: %s, the last running value to the bit",
             number_full_text(sum, number));
    ck_assert_msg(says(text), "%s", text);
    key("Space");
    ck_assert(says("term 2 of 2"));
}

// Five digits have room in a cell of a hundred pixels, however large the letters around it are.
TEST(large_letters_leave_the_numbers_in_the_cells)
{
    char number[32];
    looking_say(&it, "show scores");
    looking_say(&it, "cell [1,2,0]");
    key("o");
    const Trace *trace = &it.session.run.trace;
    Tensor q = trace->tensors[trace_find(trace, "q_heads")].tensor;
    snprintf(number, sizeof number, "%.5g", (double)*tensor_at4(&q, 0, 1, 2, 1));
    for (int letters = 1; letters <= 4; letters++) {
        it.session.picture.letters = letters;
        looking_size(&it, 1280, 800);
        ck_assert_msg(drawn_find(&it.view.list, number, true), "no %s", number);
    }
}

static const DisplayItem *first_cells(void)
{
    for (size_t i = 0; i < it.view.list.item_count; i++)
        if (it.view.list.items[i].kind == DISPLAY_CELLS)
            return &it.view.list.items[i];
    ck_abort_msg("there are no cells");
}

// Four rows have room in 150 pixels below a title, when nothing else is there.
TEST(in_a_small_picture_the_cells_stay_and_words_go)
{
    static const int sizes[][2] = {{200, 150}, {300, 220}, {400, 300}};
    looking_say(&it, "show scores");
    looking_say(&it, "cell [1,2,0]");
    key("o");
    for (int i = 0; i < 3; i++) {
        it.view.keys = false;
        looking_size(&it, sizes[i][0], sizes[i][1]);
        drawn_check_apart(&it.view.list);
        ck_assert_int_ge(first_cells()->height, 9);
        ck_assert(says("scores[0,1,2,0]") && says("too small for the rest"));
    }
    looking_size(&it, 1280, 800);
    ck_assert(!says("too small"));
}

// Two terms are 280 points wide each where there is room, which is most of 800 pixels.
TEST(few_terms_take_the_width_that_there_is)
{
    looking_say(&it, "show scores");
    looking_say(&it, "cell [1,2,0]");
    key("o");
    looking_size(&it, 800, 600);
    ck_assert_int_eq(first_cells()->width, 560);
    ck_assert_int_le(first_cells()->x + 560, 800 - 24);
}

TEST(enter_goes_into_an_input_and_backspace_comes_back)
{
    looking_say(&it, "show scores");
    looking_say(&it, "cell [1,2,0]");
    key("o");
    key("Space");
    key("Return");
    ck_assert(says("q_heads[0,1,2,1] = "));
    ck_assert_str_eq(session_tensor(&it.session)->name, "q_heads"); // the terminal is there, too
    key("Backspace");
    ck_assert(says("scores[0,1,2,0] = ") && says("term 2 of 2"));
    key("o");
    ck_assert(!says("running sum"));
    ck_assert(it.view.figure.map_count > 0);
}

// The rows of an origin lie where the cells of the maps lay: those are coloured anew.
TEST(back_from_an_origin_the_map_has_its_colours)
{
    DisplayCell before[2 * 3 * 3];
    looking_say(&it, "show scores");
    looking_say(&it, "cell [1,2,0]");
    memcpy(before, it.view.list.cells, sizeof before);
    key("o");
    key("o");
    ck_assert_mem_eq(it.view.list.cells, before, sizeof before);
}

TEST(who_moves_in_the_terminal_moves_in_the_window)
{
    looking_say(&it, "show scores");
    looking_say(&it, "cell [0,0,0]");
    key("o");
    looking_say(&it, "@[0,1,2,1]");
    ck_assert(says("scores[0,1,2,1] = "));
    looking_say(&it, "origin"); // closed there
    ck_assert(!says("running sum"));
}

TEST(a_weight_shows_scores_exps_and_shares_of_its_row)
{
    looking_say(&it, "cell [1,1,0]");
    key("o");
    ck_assert(says("exp") && says("share") && says("maximum ") && says("sum of all exps "));
    ck_assert(!says("running"));
    Tensor weights = it.session.run.trace.tensors[session_cell(&it.session).tensor].tensor;
    char text[128], number[NUMBER_FULL_TEXT_MAX];
    snprintf(text, sizeof text, " = %s",
             number_full_text(*tensor_at4(&weights, 0, 1, 1, 0), number));
    ck_assert(says(text));
}

// A projection adds its bias last: context_concat[0,2,0], [0,2,1] and so on, then out_proj.bias[1].
// NaN is a word wherever it stands: as a sum, as a result.
TEST(a_row_of_nan_is_told_in_whole_words)
{
    looking_say(&it, "set x[0,2,0]=nan");
    looking_say(&it, "show attn_weights");
    looking_say(&it, "cell [1,2,1]");
    key("o");
    ck_assert(says("sum of all exps NaN    NaN / NaN = NaN"));
}

TEST(a_term_of_another_tensor_than_its_row_is_named)
{
    looking_say(&it, "show output");
    looking_say(&it, "cell [0,2,1]");
    key("o");
    ck_assert(says("context_concat[0,2,:]"));
    ck_assert(drawn_find(&it.view.list, "out_proj.bias", true));
    looking_say(&it, "origin");
    looking_say(&it, "show scores"); // all of its terms are of the two tensors that its rows name
    looking_say(&it, "cell [0,2,1]");
    key("o");
    ck_assert(says("q_heads[0,0,2,:]") && !says("bias"));
}

TEST(an_input_says_that_nothing_computed_it)
{
    looking_say(&it, "show q_proj.weight");
    looking_say(&it, "cell [0,0,0]");
    key("o");
    ck_assert(says("it starts here"));
}

TEST(instead_of_a_mean_the_number_of_its_head_is_explained)
{
    looking_say(&it, "cell [1,2,0]");
    looking_say(&it, "mean");
    key("o");
    ck_assert(says("attn_weights[0,1,2,0] = "));
    ck_assert(!it.session.picture.request.mean);
}

SUITE("figure_origin")
