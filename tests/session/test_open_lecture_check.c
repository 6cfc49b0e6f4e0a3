// What `attnscope lecture check` says of a lecture before a person sees it.
#include <stdio.h>
#include <string.h>
#include "open_lecture.h"
#include "suite.h"

static Error err;

static char told[1024];

static void note_problem(void *context, const char *text)
{
    int *count = context;
    (*count)++;
    snprintf(told, sizeof told, "%s", text);
}

// A page with a question of one claim and the commands that follow its answer.
static void read_asking(Lecture *asking, const char *question, const char *answered)
{
    char text[1024];
    snprintf(text, sizeof text,
             "# T\n\n## P {#p}\n\n```attnscope\nscenario causal\n```\n\n%s"
             "```attnscope answered\n%s\n```\n",
             question, answered);
    ck_assert_msg(lecture_read_text(asking, "c", "c.md", text, strlen(text), &err), "%s", err.text);
}

TEST(what_follows_an_answer_is_checked_and_compared)
{
    static const char question[] = "```question\nkind: true-false\nask: q\n"
                                   "answer: sum attn_weights[0,0,0] = 1\nwrong: w\n```\n\n";
    Lecture one, other;
    int problems = 0;
    read_asking(&one, question, "goto softmax");
    read_asking(&other, question, "goto scale");
    ck_assert_int_eq(open_lecture_check(&one, note_problem, &problems), 0);
    ck_assert_int_eq(open_lecture_compare(&one, &other, note_problem, &problems), 1);
    ck_assert_ptr_nonnull(strstr(told, "the commands after the answer"));
    lecture_finish(&other);
    char text[512]; // another scenario, and so other commands
    snprintf(text, sizeof text,
             "# T\n\n## P {#p}\n\n```attnscope\nscenario sentence\ngoto score\n```\n\n%s",
             question);
    ck_assert(lecture_read_text(&other, "c", "c.ko.md", text, strlen(text), &err));
    ck_assert_int_eq(open_lecture_compare(&one, &other, note_problem, &problems), 0);
    lecture_finish(&other);
    read_asking(&other, question, "goto nowhere");
    ck_assert_int_eq(open_lecture_check(&other, note_problem, &problems), 1);
    ck_assert_msg(strncmp(told, "c.md:17:1: ", 11) == 0, "%s", told);
    lecture_finish(&other);
    read_asking(&other, "", "goto softmax");
    ck_assert_int_eq(open_lecture_check(&other, note_problem, &problems), 1);
    ck_assert_ptr_nonnull(strstr(told, "asks none"));
    lecture_finish(&one);
    lecture_finish(&other);
}

// In document 001 id 13 stands at places 1 and 7 of sentence 0, with no positions added: equal keys,
// equal weights. Token 2 stands there once, and looks at itself the most.
TEST(a_question_for_the_largest_of_equals_is_refused)
{
    static const char *const rows[] = {"2", "1"};
    for (int problems = 0, i = 0; i < 2; i++) {
        char text[512];
        Lecture asking;
        snprintf(text, sizeof text,
                 "# T\n\n## P {#p}\n\n```attnscope\nscenario padded-batch\n```\n\n```question\n"
                 "kind: head\nask: q\nanswer: argmax attn_weights[0,0,%s]\nwrong: w\n```\n",
                 rows[i]);
        ck_assert(lecture_read_text(&asking, "c", "c.md", text, strlen(text), &err));
        ck_assert_int_eq(open_lecture_check(&asking, note_problem, &problems), i);
        lecture_finish(&asking);
    }
    ck_assert_msg(strstr(told, "at 1 and also at 7"), "%s", told);
}

// Four heads of two numbers: d_k is 2, and so is the root of the number of heads. Divided by either, the
// scores are the same. The root of 8, which the document has, is another number.
TEST(a_cause_that_makes_the_same_numbers_is_refused)
{
    static const char *const beside[] = {"scale-missing", "scale-by-sqrt-heads"};
    for (int problems = 0, i = 0; i < 2; i++) {
        char text[512];
        Lecture asking;
        snprintf(text, sizeof text,
                 "# T\n\n## P {#p}\n\n```attnscope\nscenario four-heads\n"
                 "compare hidden mistake scale-by-d-k\n```\n\n```question\nkind: cause\nask: q\n"
                 "causes:\n  - scale-by-d-k\n  - %s\nwrong: w\n```\n",
                 beside[i]);
        ck_assert_msg(lecture_read_text(&asking, "c", "c.md", text, strlen(text), &err), "%s",
                      err.text);
        ck_assert_int_eq(open_lecture_check(&asking, note_problem, &problems), i);
        lecture_finish(&asking);
    }
    ck_assert_str_eq(told, "c.md:10:1: scale-by-sqrt-heads gives the same numbers here as "
                           "scale-by-d-k, the hidden one, so both are right; remove it");
}

// In scenario causal q has the shape (2, 6, 8), and 8 is read 팔: it ends in ㄹ. So does the 1 of a row's
// sum, 일; the 2 that scores are divided by, 이, ends in a vowel.
TEST(a_particle_that_does_not_fit_its_number_is_told_with_its_place)
{
    static const struct {
        const char *page, *told;
    } pages[] = {
        {"모양은 `=shape q`이 됩니다.", NULL},
        {"모양은 `=shape q`로 바뀝니다.", NULL},
        {"모양은 `=shape q`입니다.", NULL},
        {"모양은 `=shape q`이라서 그렇습니다.", NULL},
        {"모양은 `=shape q`가 됩니다.", "c.ko.md:9: after \"(2, 6, 8)\" is 가, but it must be 이"},
        {"모양은 `=shape q`으로 바뀝니다.", "is 으로, but it must be 로"},
        {"모양은 `=shape q`는 아닙니다.", "is 는, but it must be 은"},
        {"합은 `=sum attn_weights[0,0,0]`을 넘지 않습니다.", NULL},
        {"합은 `=sum attn_weights[0,0,0]`를 넘지 않습니다.", "is 를, but it must be 을"},
        {"스케일은 `=scale`로 나눕니다.", NULL},
        {"스케일은 `=scale`으로 나눕니다.", "is 으로, but it must be 로"},
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        char text[1024];
        Lecture lecture;
        int problems = 0;
        snprintf(text, sizeof text,
                 "# T\n\n## P {#p}\n\n```attnscope\nscenario causal\n```\n\n%s\n", pages[i].page);
        ck_assert_msg(lecture_read_text(&lecture, "c", "c.ko.md", text, strlen(text), &err), "%s",
                      err.text);
        ck_assert_msg(open_lecture_check(&lecture, note_problem, &problems) ==
                          (pages[i].told != NULL),
                      "%s: %s", pages[i].page, told);
        ck_assert_msg(!pages[i].told || strstr(told, pages[i].told), "%s: %s", pages[i].page, told);
        lecture_finish(&lecture);
    }
}

SUITE("open lecture check")
