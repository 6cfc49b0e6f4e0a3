// What an element is called, and what its indices stand for, in the words of document 004's sentence
// "Jungkook is very handsome . He is a perfect singer ." and of document 001's padded ids.
#include "scenario_file.h"
#include "suite.h"
#include "trace.h"

static Scenario scenario;
static Trace trace;
static char text[TRACE_CELL_MAX];

static void open_scenario(const char *name)
{
    Error err = {.text = ""};
    ScenarioRequest request = {.what = name};
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    ck_assert_msg(trace_open(&trace, &scenario, &err), "%s", err.text);
    ck_assert_msg(trace_run(&trace, &err), "%s", err.text);
}

static void close_scenario(void)
{
    trace_close(&trace);
    scenario_finish(&scenario);
}

static TraceCell cell(const char *name, ptrdiff_t a, ptrdiff_t b, ptrdiff_t c, ptrdiff_t d)
{
    ck_assert_int_ge(trace_find(&trace, name), 0);
    return (TraceCell){trace_find(&trace, name), {a, b, c, d}};
}

START_TEST(an_element_is_named_by_its_tensor_and_index)
{
    open_scenario("sentence");
    ck_assert_str_eq(trace_cell_name(&trace, cell("attn_weights", 0, 2, 3, 5), text),
                     "attn_weights[0,2,3,5]");
    ck_assert_str_eq(trace_cell_name(&trace, cell("tokens", 7, 0, 0, 0), text), "tokens[7]");
    close_scenario();
}
END_TEST

START_TEST(indices_of_a_sentence_stand_for_its_words)
{
    open_scenario("sentence");
    ck_assert_str_eq(trace_cell_words(&trace, cell("attn_weights", 0, 2, 3, 5), text),
                     "head 2, query \"handsome\", key \"He\"");
    ck_assert_str_eq(trace_cell_words(&trace, cell("x", 0, 8, 1, 0), text), "token \"perfect\"");
    ck_assert_str_eq(trace_cell_words(&trace, cell("q_proj.per_head", 1, 2, 0, 0), text), "head 1");
    close_scenario();
}
END_TEST

START_TEST(ids_are_words_where_the_scenario_has_words)
{
    open_scenario("sentence");
    ck_assert_str_eq(trace_cell_token(&trace, cell("tokens", 8, 0, 0, 0)), "perfect");
    ck_assert_str_eq(trace_cell_token(&trace, cell("input_ids", 0, 6, 0, 0)), "is");
    ck_assert_ptr_null(trace_cell_token(&trace, cell("x", 0, 6, 0, 0)));
    close_scenario();
    open_scenario("padded-batch");
    ck_assert_ptr_null(trace_cell_token(&trace, cell("input_ids", 0, 6, 0, 0)));
    close_scenario();
}
END_TEST

START_TEST(ids_without_words_and_padding_say_what_they_are)
{
    open_scenario("padded-batch"); // the first sequence begins with id 62 and has 16 of 20 tokens
    ck_assert_str_eq(trace_cell_words(&trace, cell("attn_weights", 0, 1, 16, 0), text),
                     "sequence 0, head 1, query pad, key id 62");
    ck_assert_str_eq(trace_cell_words(&trace, cell("embedding.weight", 62, 0, 0, 0), text),
                     "token id 62");
    close_scenario();
    open_scenario("causal"); // vectors: tokens are only counted
    ck_assert_str_eq(trace_cell_words(&trace, cell("attn_weights", 1, 0, 3, 2), text),
                     "sequence 1, head 0, query 3, key 2");
    close_scenario();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trace_words");
    TCase *cases = tcase_create("words");
    tcase_add_test(cases, an_element_is_named_by_its_tensor_and_index);
    tcase_add_test(cases, indices_of_a_sentence_stand_for_its_words);
    tcase_add_test(cases, ids_are_words_where_the_scenario_has_words);
    tcase_add_test(cases, ids_without_words_and_padding_say_what_they_are);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
