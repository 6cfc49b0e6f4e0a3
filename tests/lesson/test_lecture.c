// Lectures as they are written: Markdown becomes pages, and what is wrong is said with file and line.
#include "lecture.h"

#include "suite.h"

#include <string.h>

static Lecture lecture;
static Error err;

static bool reads(const char *text)
{
    err = (Error){.text = ""};
    return lecture_read_text(&lecture, "name", "l.md", text, strlen(text), &err);
}

static void refuses(const char *text, const char *place, const char *word)
{
    ck_assert_msg(!reads(text), "it was read");
    ck_assert_msg(strncmp(err.text, place, strlen(place)) == 0, "%s", err.text);
    ck_assert_msg(strstr(err.text, word) != NULL, "%s", err.text);
}

// The start of every lecture here: ten lines.
#define START "# Title\n\nAbout it.\n\n## One {#one}\n\n```attnscope\nscenario s\n```\n\n"

TEST(a_heading_with_a_name_becomes_a_page)
{
    ck_assert_msg(reads(START "Text.\n\n## Two\n"), "%s", err.text);
    ck_assert_str_eq(lecture.title, "Title");
    ck_assert_str_eq(lecture.about, "About it.");
    ck_assert_int_eq(lecture.page_count, 2);
    ck_assert_str_eq(lecture.pages[0].name, "one");
    ck_assert_str_eq(lecture.pages[0].title, "One");
    ck_assert_str_eq(lecture.pages[1].name, "Two");
    ck_assert_str_eq(lecture.pages[1].scenario, "s"); // goes on with that of the page before
    lecture_finish(&lecture);
}

TEST(text_keeps_its_emphasis_code_and_references)
{
    ck_assert_msg(reads(START "a **b** `c` `=q[0,1]` `=label H 0/2`\n"), "%s", err.text);
    const LectureSpan *span = lecture.pages[0].blocks->spans;
    LectureSpanKind kinds[] = {SPAN_TEXT, SPAN_STRONG,    SPAN_TEXT, SPAN_CODE,
                               SPAN_TEXT, SPAN_REFERENCE, SPAN_TEXT, SPAN_LABEL};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++, span = span->next)
        ck_assert_int_eq(span->kind, kinds[i]);
    ck_assert_ptr_null(span);
    lecture_finish(&lecture);
}

TEST(commands_keep_their_lines)
{
    ck_assert(reads(START "```attnscope\n# why\ngoto score\n  @[0,1]\n```\n"));
    const LectureCommand *command = lecture.pages[0].commands;
    ck_assert_str_eq(command->words, "goto score");
    ck_assert_int_eq(command->line, 13); // START has 10 lines, the fence is the 11th
    ck_assert_str_eq(command->next->words, "@[0,1]");
    ck_assert_int_eq(command->next->line, 14);
    lecture_finish(&lecture);
}

TEST(korean_emphasis_that_commonmark_does_not_see_is_flagged)
{
    refuses(START "이것은 **행렬(matrix)**이다.\n", "l.md:11:", "CommonMark");
}

TEST(a_question_never_has_a_typed_answer)
{
    refuses(START "```question\nkind: value\nask: a\nanswer: 0.5\nwrong: b\n```\n",
            "l.md:11:", "from the trace");
}

TEST(what_is_wrong_is_said_with_file_and_line)
{
    refuses(START "```question\nkind: valeu\nask: a\nanswer: q\nwrong: b\n```\n",
            "l.md:11:", "\"value\"");
    refuses(START "`=smu q[0]`\n", "l.md:11:", "\"sum\"");
    refuses(START "`=q[0,`\n", "l.md:11:", "not a reference");
    refuses(START "```attnscop\n```\n", "l.md:11:", "attnscop");
    refuses(START "## Again {#one}\n", "l.md:11:", "line 5");
    refuses(START "<b>no</b>\n\n<p>no</p>\n", "l.md:11:", "no HTML");
    refuses("# Title\n\n## One\n\ntext\n", "l.md:3:", "scenario");
    refuses("# Title\n", "l.md:1:", "one page");
    refuses("text\n\xff\n", "l.md", "UTF-8");
}

TEST(references_are_read)
{
    Reference reference;
    ck_assert(reference_parse("four-heads: sum attn_weights[0, :, 2]", &reference, &err));
    ck_assert_str_eq(reference.scenario, "four-heads");
    ck_assert_str_eq(reference.tensor, "attn_weights");
    ck_assert_int_eq(reference.kind, REFERENCE_SUM);
    ck_assert_int_eq(reference.index_count, 3);
    ck_assert_int_eq(reference.index[0], 0);
    ck_assert_int_eq(reference.index[1], REFERENCE_WHOLE_AXIS);
    ck_assert_int_eq(reference.index[2], 2);
    ck_assert(reference_parse("(1, 3, 4)", &reference, &err));
    ck_assert_int_eq(reference.number_count, 3);
    ck_assert_double_eq(reference.numbers[2], 4);
}

TEST(broken_references_are_refused)
{
    const char *const broken[] = {"",
                                  "q[",
                                  "q[-2]",
                                  "q[0",
                                  "q[0]]",
                                  "sum",
                                  "q q",
                                  "shape",
                                  "(1,2",
                                  "q[0,0,0,0,0,0,0]",
                                  "a:b:",
                                  "scale q",
                                  "q[99999999999999999999]x"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        Reference reference;
        ck_assert_msg(!reference_parse(broken[i], &reference, &err), "%s", broken[i]);
    }
}

TEST(nested_emphasis_of_any_depth_is_refused_and_not_followed)
{
    enum { DEPTH = 20000 };
    static char text[4 * DEPTH + 256];
    strcpy(text, START);
    char *end = text + strlen(text);
    for (int i = 0; i < DEPTH; i++)
        end[i] = end[2 * DEPTH - i] = i % 2 ? '_' : '*';
    end[DEPTH] = 'x';
    ck_assert(reads(text) || err.text[0]);
    lecture_finish(&lecture);
}

// Every byte of a good lecture is changed in turn: it is read or refused, and nothing else happens.
TEST(a_mutated_lecture_is_read_or_refused)
{
    char text[] = START "a *b* `=q[0,1]`\n\n- c\n\n```question\nkind: line\nask: a\nlines: [a, b]\n"
                        "claims: [q[0] = 1, shape q = 2]\nwrong: w\n```\n";
    const char bytes[] = "`*[]{}#:\n\\\xff-\"0";
    for (size_t i = 0; i + 1 < sizeof text; i++)
        for (size_t b = 0; b + 1 < sizeof bytes; b++) {
            char before = text[i];
            text[i] = bytes[b];
            ck_assert(reads(text) || err.text[0]);
            lecture_finish(&lecture);
            text[i] = before;
        }
}

TEST(a_page_shows_of_a_step_what_it_or_a_page_before_says)
{
    static const char text[] = "# T\n\n## A {#a}\n\n```attnscope\nscenario causal\n```\n\n"
                               "## B {#b}\n\n```attnscope\nshow nothing\n```\n\n## C {#c}\n\nx\n\n"
                               "## D {#d}\n\n```attnscope\nshow shapes  formula\n```\n";
    static const char wrong[] =
        "# T\n\n## A {#a}\n\n```attnscope\nscenario causal\nshow shapes colours\n```\n";
    Lecture shown;
    Error problem = {.text = ""};
    ck_assert_msg(lecture_read_text(&shown, "t", "t.md", text, sizeof text - 1, &problem), "%s",
                  problem.text);
    ck_assert_int_eq(shown.pages[0].shows, SHOW_ALL);
    ck_assert_int_eq(shown.pages[1].shows, 0);
    ck_assert_int_eq(shown.pages[2].shows, 0);
    ck_assert_int_eq(shown.pages[3].shows, SHOW_FORMULA | SHOW_SHAPES);
    lecture_finish(&shown);
    ck_assert(!lecture_read_text(&shown, "t", "t.md", wrong, sizeof wrong - 1, &problem));
    ck_assert_str_eq(
        problem.text,
        "t.md:7:1: a page can show formula, pytorch, shapes, memory, or nothing, not \"colours\"");
}

SUITE("lecture")
