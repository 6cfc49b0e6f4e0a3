// Questions of a lecture: what counts as an answer, what each try says and counts, and that it is the
// trace that judges. The lecture is written here; its numbers are those that document 002 printed.
#include "answering.h"
#include "number_text.h"
#include "scratch.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char text[] =
    "# T\n\nabout\n\n"
    "## A {#shape}\n\n```attnscope\nscenario scaled-dot-product\n```\n\ntext\n\n"
    "```question\nkind: shape\nask: q\nanswer: shape scores\nright: R\nwrong: W\n```\n\n"
    "## B {#value}\n\n```attnscope\ngoto score\n```\n\n"
    "```question\nkind: value\nask: q\nanswer: scores_scaled[0,1,0]\nwrong: W\nhint: H\n```\n\n"
    "```attnscope answered\ngoto scale\n```\n\n"
    "## C {#truth}\n\n"
    "```question\nkind: true-false\nask: q\nanswer: scores[0,1,2] = scores[0,2,1]\nwrong: "
    "W\n```\n\n"
    "## D {#line}\n\n"
    "```question\nkind: line\nask: q\nlines: [a, b, c]\nclaims:\n"
    "  - sum attn_weights[0,0] = 1\n  - sum attn_weights[0,:,0] = 1\n  - sum attn_weights = 3\n"
    "wrong: W\n```\n\n"
    "## E {#head}\n\n```attnscope\nscenario four-heads\n```\n\n"
    "```question\nkind: head\nask: q\nanswer: argmax attn_weights[0,:,1,2]\nwrong: W\n```\n\n"
    "## F {#place}\n\n"
    "```question\nkind: value\nask: q\nanswer: place q_heads[0,3,2,1]\nwrong: W\n```\n\n"
    "## G {#none}\n\n```attnscope\nscenario causal\n```\n\ntext\n\n"
    "## H {#zeros}\n\n"
    "```question\nkind: zeros\nask: q\nanswer: \"zeros attn_weights[0,0,1]\"\nwrong: W\n```\n";

static char kept[256];

static void setup(void)
{
    scratch_open();
    snprintf(kept, sizeof kept, "%s", scratch_path("progress"));
    open_text("t.md", text, kept);
}

static void teardown(void)
{
    close_lecture();
    scratch_close();
}

// --- what is an answer

// 3 queries meet 3 keys, one sequence: (1, 3, 3). 0.6993 / 2 = 0.34965, printed as 0.3496. Document
// 002 multiplies with different matrices for q and k. Rows sum to 1, the first column to 0.3473 +
// 0.3804 + 0.3705. 3*2 + 2*8 + 1*1 = 23. Of 4 heads the indices are 0 to 3. Query 1 of a causal mask
// does not see keys 2 to 5.
static const Given given[] = {
    {"shape", "answer (1, 3, 3)", PAGE_RIGHT}, {"shape", "answer 1,3,3", PAGE_RIGHT},
    {"shape", "answer 1x3x3", PAGE_RIGHT},     {"shape", "answer [1 3 3]", PAGE_RIGHT},
    {"shape", "answer 1-3-3", PAGE_RIGHT},     {"shape", "answer 3 by 3", PAGE_RIGHT},
    {"shape", "answer 3x3", PAGE_RIGHT},       {"shape", "answer (1, 3, 4)", PAGE_WRONG},
    {"shape", "answer 1, 3", PAGE_WRONG},      {"shape", "answer 3", PAGE_WRONG},
    {"shape", "answer what", PAGE_SEEN},       {"value", "answer 0.3496", PAGE_RIGHT},
    {"value", "answer .35", PAGE_RIGHT},       {"value", "answer 0.34", PAGE_WRONG},
    {"value", "answer 0", PAGE_WRONG},         {"value", "answer 0.3 5", PAGE_SEEN},
    {"value", "answer x", PAGE_SEEN},          {"truth", "answer false", PAGE_RIGHT},
    {"truth", "answer N", PAGE_RIGHT},         {"truth", "answer 거짓", PAGE_RIGHT},
    {"truth", "answer 참", PAGE_WRONG},        {"truth", "answer 7", PAGE_SEEN},
    {"line", "answer 2", PAGE_RIGHT},          {"line", "answer 1", PAGE_WRONG},
    {"line", "answer 4", PAGE_SEEN},           {"line", "answer 0", PAGE_SEEN},
    {"line", "answer 1.5", PAGE_SEEN},         {"line", "answer 1 2", PAGE_SEEN},
    {"head", "answer 4", PAGE_SEEN},           {"head", "answer -1", PAGE_SEEN},
    {"place", "answer 23", PAGE_RIGHT},        {"place", "answer 22", PAGE_WRONG},
    {"zeros", "answer 2 3 4 5", PAGE_RIGHT},   {"zeros", "answer 2, 3", PAGE_WRONG},
    {"zeros", "answer none", PAGE_WRONG},      {"zeros", "answer 9", PAGE_SEEN},
};

FIXTURE(setup, teardown)

LOOP_TEST(answers_are_judged_by_the_trace, sizeof given / sizeof *given)
{
    go(given[_i].page);
    bool taken = accepted(given[_i].answer);
    ck_assert_msg(mark_of(given[_i].page) == given[_i].mark, "%s: %s", given[_i].page,
                  given[_i].answer);
    ck_assert_int_eq(taken, given[_i].mark != PAGE_SEEN);
    ck_assert_int_eq(opened.said != NULL, taken);
}

TEST(a_batch_of_one_that_is_left_out_is_named)
{
    ck_assert(accepted("answer 3 by 3"));
    ck_assert_str_eq(said(), "\u2713 There is also the batch axis: (1, 3, 3)  R");
}

TEST(what_is_no_choice_is_refused_with_the_choices)
{
    go("line");
    ck_assert(!accepted("answer 4"));
    ck_assert_str_eq(failure.text, "choose a line by its number: 1-3");
    go("head");
    ck_assert(!accepted("answer 4"));
    ck_assert_str_eq(failure.text, "answer with an index: 0-3");
}

// --- tries

TEST(a_first_wrong_answer_gives_a_hint_and_a_second_the_answer)
{
    go("value");
    ck_assert(accepted("answer 0.7"));
    ck_assert_str_eq(said(), "\u2717 0.7  Not yet. H Try once more with A; = shows the answer.");
    ck_assert(accepted("answer 0.8"));
    ck_assert_str_eq(said(), "\u2717 0.8  The answer: 0.3496  W");
    ck_assert(accepted("answer 0.35")); // copied: it does not count
    ck_assert_int_eq(mark_of("value"), PAGE_WRONG);
}

TEST(a_lecture_without_hints_gets_one_that_gives_nothing_away)
{
    ck_assert(accepted("answer 3, 4"));
    ck_assert_ptr_nonnull(strstr(said(), "One number per axis; axes here: 3."));
    go("place");
    ck_assert(accepted("answer -23"));
    ck_assert_ptr_nonnull(strstr(said(), "the sign is not"));
    ck_assert_ptr_null(strstr(said(), "W"));
}

TEST(of_two_answers_the_wrong_one_is_explained_at_once)
{
    go("truth");
    ck_assert(accepted("answer true"));
    ck_assert_str_eq(said(), "\u2717 true  The answer: false  W");
}

TEST(right_at_the_second_go_counts_as_that)
{
    ck_assert(accepted("answer 4") && accepted("answer 1,3,3"));
    ck_assert_int_eq(mark_of("shape"), PAGE_LATER);
    go("value");
    ck_assert(accepted("answer 0.35"));
    OpenLectureScore score = open_lecture_score(&opened);
    ck_assert_int_eq(score.right, 1);
    ck_assert_int_eq(score.later, 1);
    ck_assert_int_eq(score.questions, 7);
    ck_assert(accepted("answer 4")); // what was right stays so
    ck_assert_int_eq(mark_of("value"), PAGE_RIGHT);
}

TEST(what_was_shown_first_is_answered_later_at_best)
{
    ck_assert(accepted("reveal") && accepted("answer 1,3,3"));
    ck_assert_int_eq(mark_of("shape"), PAGE_WRONG);
    go("value");
    go("shape");
    ck_assert(accepted("answer 1,3,3"));
    ck_assert_int_eq(mark_of("shape"), PAGE_LATER);
}

// --- what stays

TEST(an_answered_page_is_not_asked_again)
{
    ck_assert(accepted("answer 1,3,3"));
    close_lecture();
    open_text("t.md", text, kept);
    ck_assert(opened.answered);
    ck_assert_str_eq(said(), "\u2713 You answered this: (1, 3, 3)  R");
    ck_assert(accepted("answer 7")); // unless the person wants to
    ck_assert_int_eq(mark_of("shape"), PAGE_RIGHT);
}

TEST(a_page_that_was_only_turned_is_not_answered)
{
    go("value");
    go("truth");
    ck_assert_int_eq(mark_of("value"), PAGE_SEEN);
    ck_assert_int_eq(open_lecture_score(&opened).right, 0);
}

TEST(an_answer_shows_what_was_asked_for_and_returning_keeps_it)
{
    go("value");
    int asked = session.cursor.step;
    ck_assert(accepted("answer 0.35"));
    ck_assert_int_eq(session.cursor.step, asked + 1); // from score to scale
    ck_assert(opened.strayed);
    ck_assert(accepted("return"));
    ck_assert_int_eq(session.cursor.step, asked);
    ck_assert(opened.answered && opened.said);
}

// Where the progress cannot be kept, that is said once; the answer counts and shows what it opens.
TEST(a_full_or_closed_home_is_said_once_and_stops_nothing)
{
    go("value");
    int asked = session.cursor.step;
    opened.progress = "/dev/null/nowhere/progress";
    ck_assert(!accepted("answer 0.3496"));
    ck_assert_ptr_nonnull(strstr(failure.text, "/dev/null/nowhere: "));
    ck_assert(opened.answered);
    ck_assert_int_eq(session.cursor.step, asked + 1); // from score to scale
    go("truth");
    ck_assert_msg(accepted("answer false"), "%s", failure.text);
    ck_assert(opened.answered);
}

TEST(a_page_without_a_question_opens_no_line_for_an_answer)
{
    go("none");
    ck_assert(!accepted("prompt-answer"));
    ck_assert(!session.prompt.open);
    ck_assert_str_eq(failure.text, "no question on this page; Space continues");
    ck_assert(!accepted("answer 7"));
    ck_assert(!accepted("reveal"));
}

TEST(a_korean_lecture_speaks_korean)
{
    close_lecture();
    open_text("lecture.ko.md", text, kept);
    ck_assert(accepted("answer 3 3"));
    ck_assert_str_eq(said(), "\u2713 배치 축도 하나 있습니다: (1, 3, 3)  R");
    go("truth");
    ck_assert(!accepted("answer 7"));
    ck_assert_str_eq(failure.text, "참이나 거짓으로 답하세요 (true, false도 됩니다)");
    ck_assert(accepted("answer 참"));
    ck_assert_str_eq(said(), "\u2717 참  답: 거짓  W");
}

// --- Questions of a lecture that are more than a number: a cell, an order, a line of code, what a change
// will do, the cause of wrong numbers. The lecture is written here.

static const char kinds_text[] =
    "# T\n\nabout\n\n"
    "## I {#unknown}\n\n```attnscope\nscenario four-heads\n```\n\n"
    "```question\nkind: unknown\nask: q\nanswer: shape q_heads\nunknown: 3\nwrong: W\n```\n\n"
    "## J {#order}\n\n"
    "```question\nkind: order\nask: q\nsteps: [softmax, view q, scale, score]\nwrong: W\n```\n\n"
    "## K {#cell}\n\n```attnscope\ngoto softmax\n@[0,2,0,1]\n```\n\n"
    "```question\nkind: cell\nask: q\nanswer: attn_weights[0,2,1,0]\nwrong: W\n```\n\n"
    "## S {#largest}\n\n```attnscope\nscenario causal\n```\n\n"
    "```question\nkind: cell\nask: q\nanswer: argmax attn_weights[0,0,:,5]\nwrong: W\n```\n\n"
    "## T {#first}\n\n"
    "```question\nkind: cell\nask: q\nanswer: argmax attn_weights[0,0,0]\nwrong: W\n```\n\n"
    "## L {#code}\n\n"
    "```attnscope\nscenario four-heads\n```\n\n```question\nkind: code\nask: q\nsteps: [score, "
    "scale, softmax]\nanswer: attn_weights\n"
    "wrong: W\n```\n\n"
    "## M {#experiment}\n\n```attnscope\nscenario causal\n```\n\n"
    "```question\nkind: experiment\nask: q\nchange: mistake mask-zero\n"
    "answer: attn_weights[0,0,0,0]\nright: \"now `=changed: attn_weights[0,0,0,1]`\"\n"
    "wrong: W\n```\n\n"
    "## N {#element}\n\n"
    "```question\nkind: experiment\nask: q\nchange: x[0,5,0]=9\nanswer: output[0,4,0]\n"
    "right: \"apart `=changed: apart x[0,5]`\"\nwrong: W\n```\n\n"
    "## F {#formula}\n\n```attnscope\nscenario causal\n```\n\n"
    "```question\nkind: experiment\nask: q\n"
    "change: formula attn_weights[b,h,i,j] = 1 / 2\nanswer: attn_weights[0,0,0,0]\n"
    "right: \"now `=changed: attn_weights[0,0,0,1]`\"\nwrong: W\n```\n\n"
    "## G {#edited}\n\n```attnscope\nscenario causal\n"
    "formula scores_scaled[b,h,i,j] = 7\n```\n\n"
    "Each key gets `=attn_weights[0,0,0,5]`.\n\n"
    "```question\nkind: experiment\nask: q\n"
    "change: formula attn_weights[b,h,i,j] = scores_scaled[b,h,i,j]\n"
    "answer: attn_weights[0,0,0,5]\nright: R\nwrong: W\n```\n\n"
    "## H {#unedited}\n\n```attnscope\nscenario causal\n```\n\n"
    "Key 5 gets `=attn_weights[0,0,0,5]`.\n\n"
    "## O {#cause}\n\n```attnscope\ngoto softmax\ncompare hidden mistake mask-diagonal\n```\n\n"
    "```question\nkind: cause\nask: q\ncauses: [mask-zero, mask-diagonal, mask-missing]\n"
    "wrong: W\n```\n\n"
    "## P {#head}\n\n```attnscope\nscenario four-heads\n```\n\n"
    "```question\nkind: head\nask: q\nanswer: argmax attn_weights[0,:,0,1]\nwrong: W\n```\n\n"
    "## Q {#word}\n\n```attnscope\nscenario sentence\ntext \"He is singer\"\n```\n\n"
    "```question\nkind: head\nask: q\nanswer: argmax attn_weights[0,0,2]\nwrong: W\n```\n\n"
    "## R {#many}\n\n```attnscope\nscenario sentence\n```\n\n"
    "```question\nkind: head\nask: q\nanswer: argmax attn_weights[0,0,2]\nwrong: W\n```\n";

static void setup_kinds(void)
{
    open_text("t.md", kinds_text, NULL);
}

// Eight numbers in four heads are two each. A masked score of 0 takes a share from the only key that
// query 0 sees; under a causal mask the last token moves no earlier output. Of six tokens only the last sees key 5,
// and the first sees key 0 alone.
static const Given given_kinds[] = {
    {"unknown", "answer 2", PAGE_RIGHT},     {"unknown", "answer 8", PAGE_WRONG},
    {"unknown", "answer 1 2", PAGE_SEEN},    {"order", "answer 2 4 3 1", PAGE_RIGHT},
    {"order", "answer 2 4 1 3", PAGE_WRONG}, {"order", "answer 2 4 3", PAGE_SEEN},
    {"order", "answer 2 2 3 1", PAGE_SEEN},  {"cell", "answer here", PAGE_WRONG},
    {"cell", "answer 1 0", PAGE_RIGHT},      {"cell", "answer [0,2,1,0]", PAGE_RIGHT},
    {"cell", "answer 0 1", PAGE_WRONG},      {"code", "answer 3", PAGE_RIGHT},
    {"code", "answer 1", PAGE_WRONG},        {"code", "answer 4", PAGE_SEEN},
    {"experiment", "answer 2", PAGE_RIGHT},  {"experiment", "answer 3", PAGE_WRONG},
    {"experiment", "answer 5", PAGE_SEEN},   {"element", "answer 3", PAGE_RIGHT},
    {"element", "answer 1", PAGE_WRONG},     {"cause", "answer 2", PAGE_RIGHT},
    {"cause", "answer 1", PAGE_WRONG},       {"largest", "answer 5 5", PAGE_RIGHT},
    {"largest", "answer 4 5", PAGE_WRONG},   {"first", "answer 0 0", PAGE_RIGHT},
    {"first", "answer 0 1", PAGE_WRONG},
};

FIXTURE(setup_kinds, close_lecture)

LOOP_TEST(answers_are_judged_by_the_traces, sizeof given_kinds / sizeof *given_kinds)
{
    go(given_kinds[_i].page);
    bool taken = accepted(given_kinds[_i].answer);
    ck_assert_msg(mark_of(given_kinds[_i].page) == given_kinds[_i].mark, "%s: %s",
                  given_kinds[_i].page, given_kinds[_i].answer);
    ck_assert_int_eq(taken, given_kinds[_i].mark != PAGE_SEEN);
}

TEST(the_cursor_is_an_answer)
{
    go("cell");
    ck_assert(accepted("prompt-answer"));
    ck_assert_str_eq(session.prompt.line.text, "answer here");
    ck_assert(accepted("type Escape") && accepted("down") && accepted("left") &&
              accepted("answer here"));
    ck_assert_int_eq(mark_of("cell"), PAGE_RIGHT);
    go("cell");
    ck_assert(accepted("tensor scores_scaled"));
    ck_assert(!accepted("answer here"));
    ck_assert_str_eq(failure.text, "go to a cell of attn_weights");
}

TEST(the_cursor_is_an_answer_in_korean)
{
    lecture.language = LANGUAGE_KOREAN;
    go("cell");
    ck_assert(accepted("prompt-answer"));
    ck_assert_str_eq(session.prompt.line.text, "answer 여기");
    ck_assert(accepted("type Escape") && accepted("down") && accepted("left") &&
              accepted("answer 여기"));
    ck_assert_int_eq(mark_of("cell"), PAGE_RIGHT);
}

// 5e-6 is half of what "=" allows.
TEST(a_claim_holds_up_to_rounding_or_to_the_last_bit)
{
    static const struct {
        const char *claim;
        bool holds;
    } claims[] = {
        {"0.5 = 0.5", true},        {"0.5 == 0.5", true},        {"0.5 = 0.500005", true},
        {"0.5 == 0.500005", false}, {"0.5 = 0.6", false},        {"0.5 == 0.6", false},
        {"(1, 2) == (1, 2)", true}, {"(1, 2) == (1, 3)", false}, {"scale == scale", true}};
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        Claim claim;
        bool holds = !claims[i].holds;
        ck_assert_msg(claim_parse(claims[i].claim, &claim, &failure) &&
                          open_lecture_claim(&opened, &claim, &holds, &failure),
                      "%s: %s", claims[i].claim, failure.text);
        ck_assert_msg(holds == claims[i].holds, "%s", claims[i].claim);
    }
}

// The change puts 9 where x[0,5,0] stood, and nothing else of x is touched.
TEST(how_far_two_runs_are_apart_is_their_largest_difference)
{
    Reference reference;
    ReferenceValue before;
    char wanted[NUMBER_FULL_TEXT_MAX + 8], number[NUMBER_FULL_TEXT_MAX];
    go("element");
    ck_assert(accepted("answer 3"));
    ck_assert(reference_parse("x[0,5,0]", &reference, &failure) &&
              open_lecture_value(&opened, &reference, &before, &failure));
    snprintf(wanted, sizeof wanted, "apart %s",
             number_decimals_text(9 - (float)before.numbers[0], number));
    ck_assert_msg(strstr(said(), wanted) != NULL, "%s, not %s", said(), wanted);
}

TEST(what_is_apart_names_another_run)
{
    static const char *const wrong[] = {"apart scores", "causal: apart scores"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Reference reference;
        ReferenceValue value;
        ck_assert(reference_parse(wrong[i], &reference, &failure));
        ck_assert_msg(!open_lecture_value(&opened, &reference, &value, &failure), "%s", wrong[i]);
        ck_assert_ptr_nonnull(strstr(failure.text, "four-heads: apart output"));
    }
}

// Alone with key 0, query 0 gave it all; five masked scores of 0 beside it take their shares.
TEST(an_experiment_tells_both_numbers_and_runs_the_change_beside)
{
    go("experiment");
    ck_assert_str_eq(opened.ask->spans->next->next->text, "mistake mask-zero");
    ck_assert(!session.comparison.open);
    ck_assert(accepted("answer 2"));
    ck_assert_msg(strstr(said(), "2 (1.0000 \u2192 0.") != NULL, "%s", said());
    ck_assert_ptr_nonnull(strstr(said(), "now 0."));
    ck_assert_str_eq(session.comparison.name, "mistake mask-zero");
    go("element");
    ck_assert(accepted("answer 3"));
    ck_assert_uint_eq(session.what_if.done, 1);
    go("formula"); // of query 0, which gave all to key 0
    ck_assert(accepted("answer 2"));
    ck_assert_msg(strstr(said(), "2 (1.0000 \u2192 0.5000)") != NULL, "%s", said());
    ck_assert_ptr_nonnull(strstr(said(), "now 0.5000"));
}

// Six equal scores share one whole, 1/6 each. Query 0 does not see key 5.
TEST(the_numbers_of_a_page_are_those_that_its_commands_leave)
{
    go("edited");
    ck_assert_str_eq(opened.text->spans->next->text, "0.1667");
    ck_assert(accepted("answer 1"));
    ck_assert_msg(strstr(said(), "1 (0.1667 \u2192 7.)") != NULL, "%s", said());
    ck_assert_int_eq(session.what_if.done, 1);
    go("unedited");
    ck_assert_str_eq(opened.text->spans->next->text, "0.0000");
}

TEST(a_hidden_run_tells_its_name_with_the_answer)
{
    char choice[OPEN_LECTURE_CHOICE_MAX], words[SCENARIO_EDIT_MAX];
    go("cause");
    ck_assert_str_eq(comparison_words(&session, words), "?");
    ck_assert_str_eq(comparison_title(&session), "?");
    ck_assert_str_eq(open_lecture_choice(&opened, 0, choice),
                     "A masked score is set to 0 instead of -inf.");
    ck_assert(accepted("compare-swap") && accepted("goto mask"));
    ck_assert(comparison_hides_step(&session));
    ck_assert(accepted("goto softmax"));
    ck_assert(!comparison_hides_step(&session));
    ck_assert(accepted("compare-swap") && accepted("set x[0,5,0]=9")); // opens the run anew
    ck_assert_str_eq(comparison_title(&session), "?");
    ck_assert(accepted("compare-swap") && accepted("answer 2"));
    ck_assert(!session.comparison.swapped && session.what_if.done == 0); // as the page has it
    ck_assert_str_eq(comparison_title(&session), "mistake mask-diagonal");
    ck_assert_str_eq(comparison_words(&session, words), "mistake mask-diagonal");
    opened.presents = true; // the sentence below says which
    ck_assert_str_eq(comparison_words(&session, words), "the mistake");
    ck_assert(accepted("return"));
    ck_assert(accepted("compare-reveal"));
    ck_assert_str_eq(comparison_title(&session), "mistake mask-diagonal");
}

TEST(a_room_votes_where_there_is_something_to_choose)
{
    go("cause");
    ck_assert(!accepted("poll")); // nobody presents
    opened.presents = true;
    ck_assert(accepted("poll"));
    ck_assert(opened.polls);
    ck_assert(accepted("go-on")); // the answer
    ck_assert(!opened.polls && opened.shown);
    go("unknown");
    ck_assert(!accepted("poll"));
    ck_assert_ptr_nonnull(strstr(failure.text, "a question with choices"));
}

static int pressed(const char *key)
{
    Command command;
    ck_assert(session_key(&session, key, &command));
    failure.text[0] = '\0';
    session_apply(&session, &command, &failure);
    return open_lecture_votes(&opened);
}

// Four heads, three words, and a sentence of eleven, which has more words than there are digits.
TEST(a_room_votes_on_the_places_of_an_axis)
{
    static const struct {
        const char *page, *last;
        int number; // of it, from 0
    } asked[] = {{"head", "head 3", 3}, {"word", "singer", 2}};
    char choice[OPEN_LECTURE_CHOICE_MAX];
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        go(asked[i].page);
        opened.presents = true;
        ck_assert(accepted("poll"));
        ck_assert_str_eq(open_lecture_poll_choice(&opened, asked[i].number, choice), asked[i].last);
        ck_assert_ptr_null(open_lecture_poll_choice(&opened, asked[i].number + 1, choice));
        ck_assert_ptr_null(open_lecture_choice(&opened, 0, choice)); // others type the place
        ck_assert_int_eq(pressed("0"), 1); // the place itself, which counts from 0
        ck_assert_int_eq(pressed("2"), 2);
        ck_assert(opened.votes[0] == 1 && opened.votes[2] == 1);
    }
    go("many");
    ck_assert(!accepted("poll"));
}

// Digits are votes, whatever lies under the question; the bars appear when they are asked for.
TEST(a_question_to_the_room_lets_no_key_through_to_what_it_covers)
{
    go("cause");
    opened.presents = true;
    ck_assert(accepted("origin"));
    opened.strayed = false;
    ck_assert_int_eq(pressed("2"), 1); // without the question alone, too
    TraceCell before = session_cell(&session);
    pressed("v");
    ck_assert(opened.polls && !opened.bars);
    ck_assert_int_eq(pressed("2"), 2);
    ck_assert_int_eq(pressed("1"), 3);
    pressed("Enter");
    ck_assert_ptr_nonnull(strstr(failure.text, "covers the numbers"));
    pressed("Down");
    pressed("n");
    ck_assert(session_same_cell(before, session_cell(&session)) && !opened.strayed);
    pressed("v");
    ck_assert(opened.polls && opened.bars);
    ck_assert_int_eq(opened.votes[1], 2);
    pressed("v");
    ck_assert(!opened.polls && !opened.bars);
    pressed("Down");
    ck_assert(!session_same_cell(before, session_cell(&session)));
}

SUITE("open_lecture_answers")
