// Questions of a lecture that are more than a number: a cell, an order, a line of code, what a change
// will do, the cause of wrong numbers. The lecture is written here.
#include "answering.h"

#include "suite.h"

#include <stdio.h>
#include <string.h>

static const char text[] =
    "# T\n\nabout\n\n"
    "## I {#unknown}\n\n```attnscope\nscenario four-heads\n```\n\n"
    "```question\nkind: unknown\nask: q\nanswer: shape q_heads\nunknown: 3\nwrong: W\n```\n\n"
    "## J {#order}\n\n"
    "```question\nkind: order\nask: q\nsteps: [softmax, view q, scale, score]\nwrong: W\n```\n\n"
    "## K {#cell}\n\n```attnscope\ngoto softmax\n@[0,2,0,1]\n```\n\n"
    "```question\nkind: cell\nask: q\nanswer: attn_weights[0,2,1,0]\nwrong: W\n```\n\n"
    "## L {#code}\n\n"
    "```question\nkind: code\nask: q\nsteps: [score, scale, softmax]\nanswer: attn_weights\n"
    "wrong: W\n```\n\n"
    "## M {#experiment}\n\n```attnscope\nscenario causal\n```\n\n"
    "```question\nkind: experiment\nask: q\nchange: mistake mask-zero\n"
    "answer: attn_weights[0,0,0,0]\nright: \"now `=changed: attn_weights[0,0,0,1]`\"\n"
    "wrong: W\n```\n\n"
    "## N {#element}\n\n"
    "```question\nkind: experiment\nask: q\nchange: x[0,5,0]=9\nanswer: output[0,4,0]\n"
    "wrong: W\n```\n\n"
    "## F {#formula}\n\n```attnscope\nscenario causal\n```\n\n"
    "```question\nkind: experiment\nask: q\n"
    "change: formula attn_weights[b,h,i,j] = 1 / 2\nanswer: attn_weights[0,0,0,0]\n"
    "right: \"now `=changed: attn_weights[0,0,0,1]`\"\nwrong: W\n```\n\n"
    "## O {#cause}\n\n```attnscope\ngoto softmax\ncompare hidden mistake mask-diagonal\n```\n\n"
    "```question\nkind: cause\nask: q\ncauses: [mask-zero, mask-diagonal, mask-missing]\n"
    "wrong: W\n```\n\n"
    "## P {#head}\n\n```attnscope\nscenario four-heads\n```\n\n"
    "```question\nkind: head\nask: q\nanswer: argmax attn_weights[0,:,0,1]\nwrong: W\n```\n\n"
    "## Q {#word}\n\n```attnscope\nscenario sentence\ntext \"He is singer\"\n```\n\n"
    "```question\nkind: head\nask: q\nanswer: argmax attn_weights[0,0,2]\nwrong: W\n```\n\n"
    "## R {#many}\n\n```attnscope\nscenario sentence\n```\n\n"
    "```question\nkind: head\nask: q\nanswer: argmax attn_weights[0,0,2]\nwrong: W\n```\n";

static void setup(void)
{
    open_text("t.md", text, NULL);
}

// Eight numbers in four heads are two each. A masked score of 0 takes a share from the only key that
// query 0 sees; under a causal mask the last token moves no earlier output.
static const Given given[] = {
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
    {"cause", "answer 1", PAGE_WRONG},
};

LOOP_TEST(answers_are_judged_by_the_traces, sizeof given / sizeof *given)
{
    go(given[_i].page);
    bool taken = accepted(given[_i].answer);
    ck_assert_msg(mark_of(given[_i].page) == given[_i].mark, "%s: %s", given[_i].page,
                  given[_i].answer);
    ck_assert_int_eq(taken, given[_i].mark != PAGE_SEEN);
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

SUITE_WITH("open lecture_kinds", setup, close_lecture)
