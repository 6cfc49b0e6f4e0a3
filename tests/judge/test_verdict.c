// Tests of the record of a check: kept through JSON, said in two languages, mapped.
#include "json.h"
#include "verdict.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "suite.h"

static Verdict example(void)
{
    Verdict verdict = {.exercise = "scale", .fence = "limits", .seed = 7};
    VerdictTest *right = verdict_add(&verdict);
    *right = (VerdictTest){.name = "right",
                           .title = {"it is right", "맞습니다"},
                           .points = 3,
                           .max = 3,
                           .end = VERDICT_PASSED};
    VerdictTest *wrong = verdict_add(&verdict);
    *wrong = (VerdictTest){.name = "wrong",
                           .title = {"it is asked", "물었습니다"},
                           .max = 2,
                           .end = VERDICT_WRONG,
                           .given = "scores (1, 2)",
                           .where = "scores_scaled[0, 1]",
                           .expected = "5.5",
                           .got = "11",
                           .printed = "i is 0\ni is 1\n",
                           .kind = VERDICT_KIND_NUMBER,
                           .wrong = 3,
                           .all = 4,
                           .worst = 5.5,
                           .worst_ulp = 8388608,
                           .map = ".#\n##\n",
                           .relation = {"It is another formula.", "다른 수식입니다."},
                           .formulas = "y = 2*x\n    ^\ny = x\n    ^\n",
                           .mistakes = {"scale-missing"}};
    VerdictTest *hidden = verdict_add(&verdict);
    *hidden = *right;
    hidden->hidden = true;
    verdict_sum(&verdict);
    return verdict;
}

static char *printed(const Verdict *verdict, Language language)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    language_choose(language);
    verdict_print(verdict, file);
    language_choose(LANGUAGE_ENGLISH);
    fclose(file);
    return text;
}

TEST(points_are_added_up_and_a_failure_is_found)
{
    Verdict verdict = example();
    ck_assert_int_eq(verdict.points, 6);
    ck_assert_int_eq(verdict.max, 8);
    ck_assert(!verdict_passed(&verdict));
    ck_assert_str_eq(verdict_first_failure(&verdict)->name, "wrong");
    ck_assert(!verdict_passed(&(Verdict){.exercise = "none"}));
    verdict_finish(&verdict);
}

static bool read_verdict(Verdict *verdict, const char *path, Error *err)
{
    json_t *record = json_whole_file(path, VERDICT_BYTES_MAX, err);
    bool good = record && verdict_take(verdict, record, path, err);
    json_decref(record);
    return good;
}

TEST(json_keeps_what_was_recorded)
{
    Error err;
    Verdict verdict = example(), read;
    const VerdictTest small = verdict.tests[0];
    verdict.tests[1].smallest = &small;
    char path[] = "/tmp/attnscope_verdict_XXXXXX";
    ck_assert_int_ge(close(mkstemp(path)), 0);
    ck_assert_msg(verdict_write(&verdict, path, &err), "%s", err.text);
    ck_assert_msg(read_verdict(&read, path, &err), "%s", err.text);
    for (int language = 0; language < LANGUAGES; language++) {
        char *before = printed(&verdict, (Language)language);
        char *after = printed(&read, (Language)language);
        ck_assert_str_eq(before, after);
        free(before);
        free(after);
    }
    ck_assert_int_eq(read.seed, 7);
    ck_assert_int_eq(read.tests[1].worst_ulp, 8388608);
    ck_assert(read.tests[2].hidden);
    ck_assert_str_eq(read.tests[1].smallest->name, "right");
    verdict_finish(&read);
    verdict_finish(&verdict);
    unlink(path);
}

TEST(text_names_the_place_the_numbers_the_mistake_and_the_way_to_see_it_again)
{
    static const char *const said[LANGUAGES][7] = {
        {"6 of 8", "scores_scaled[0, 1] should be 5.5, but yours is 11", "3 of 4",
         "attnscope check scale --seed 7", ".#\n",
         "your function printed:\n          i is 0\n          i is 1\n",
         "        yours:    y = 2*x\n                      ^\n        formula:  y = x\n"},
        {"6/8점", "scores_scaled[0, 1]: 정답은 5.5, 나온 것은 11입니다", "3개입니다(모두 4개)",
         "attnscope check scale --seed 7", ".#\n",
         "함수가 출력한 내용:\n          i is 0\n          i is 1\n",
         "        내 것:    y = 2*x\n                      ^\n        수식:     y = x\n"},
    };
    Verdict verdict = example();
    for (int language = 0; language < LANGUAGES; language++) {
        char *text = printed(&verdict, (Language)language);
        for (int i = 0; i < 7; i++)
            ck_assert_msg(strstr(text, said[language][i]) != NULL, "no \"%s\" in:\n%s",
                          said[language][i], text);
        free(text);
    }
    verdict_finish(&verdict);
}

// The machine lacked something before the last two tests: the wrong one is still told.
TEST(what_this_machine_could_not_run_is_neither_right_nor_wrong)
{
    static const char *const said[LANGUAGES][5] = {
        {"scale: could not be checked", "no memory is left", "says nothing about your function",
         "WRONG", "not run"},
        {"scale: 검사하지 못했습니다", "메모리가 없습니다", "점수를 주지도 빼지도 않습니다", "틀림",
         "실행 안 함"},
    };
    Verdict verdict = example();
    VerdictTest *not_run = verdict_add(&verdict);
    *not_run = (VerdictTest){.name = "late",
                             .title = {"late", "늦게"},
                             .max = 2,
                             .end = VERDICT_NOT_RUN,
                             .why = {"no memory is left", "메모리가 없습니다"}};
    ck_assert(!verdict_judged(&verdict));
    ck_assert(!verdict_passed(&verdict));
    ck_assert_ptr_eq(verdict_first_not_run(&verdict), not_run);
    for (int language = 0; language < LANGUAGES; language++) {
        char *text = printed(&verdict, (Language)language);
        for (int i = 0; i < 5; i++)
            ck_assert_msg(strstr(text, said[language][i]) != NULL, "no \"%s\" in:\n%s",
                          said[language][i], text);
        ck_assert_ptr_null(strstr(text, language == LANGUAGE_KOREAN ? "6/10" : "6 of 10"));
        free(text);
    }
    verdict_finish(&verdict);
    ck_assert(!verdict_judged(&verdict)); // of nothing, nothing is known
}

static int times(const Verdict *verdict, Language language, const char *words)
{
    int count = 0;
    char *text = printed(verdict, language);
    for (const char *at = text; (at = strstr(at, words)) != NULL; at++)
        count++;
    free(text);
    return count;
}

// What is shown is the smallest case, and that it is one is said; it is kept through JSON (above).
TEST(the_smallest_case_is_shown_in_the_place_of_the_one_drawn)
{
    static const char *const said[LANGUAGES][2] = {
        {"the smallest case found that fails: given scores (1, 1)",
         "[0, 0] should be 3, but yours is 6"},
        {"틀리는 것 중 가장 작은 입력: scores (1, 1)", "[0, 0]: 정답은 3, 나온 것은 6입니다"}};
    Verdict verdict = example();
    VerdictTest small = verdict.tests[1];
    small.given = "scores (1, 1)";
    small.where = "scores_scaled[0, 0]";
    small.expected = "3";
    small.got = "6";
    verdict.tests[1].smallest = &small;
    for (int language = 0; language < LANGUAGES; language++) {
        for (int i = 0; i < 2; i++)
            ck_assert_int_eq(times(&verdict, (Language)language, said[language][i]), 1);
        ck_assert_int_eq(times(&verdict, (Language)language, "5.5"), 1); // by up to 5.5
    }
    verdict_finish(&verdict);
}

// "rows sum to 1" beside WRONG could be read as what the function does.
TEST(the_title_of_what_failed_does_not_read_like_praise)
{
    static const struct {
        VerdictEnd end;
        const char *said[LANGUAGES];
    } ways[] = {{VERDICT_PASSED, {"rows sum to 1", "더하면 1입니다"}},
                {VERDICT_WRONG, {"does not hold: rows sum to 1", "성립하지 않음: 더하면 1입니다"}},
                {VERDICT_BROKEN, {"no answer to: rows sum to 1", "답이 없음: 더하면 1입니다"}}};
    char text[VERDICT_TITLE_MAX];
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (int language = 0; language < LANGUAGES; language++) {
            const VerdictTest test = {.title = {"rows sum to 1", "더하면 1입니다"},
                                      .end = ways[i].end};
            language_choose((Language)language);
            ck_assert_str_eq(verdict_title(&test, text), ways[i].said[language]);
            language_choose(LANGUAGE_ENGLISH);
        }
}

TEST(a_mistake_is_explained_once_and_named_each_time)
{
    static const char *const said[LANGUAGES][3] = {
        {"A known mistake gives", "The same mistake gives", "not divided"},
        {"잘 알려진 실수", "위에서 말한 실수", "나누지"},
    };
    Verdict verdict = example();
    VerdictTest *again = verdict_add(&verdict);
    *again = verdict.tests[1];
    for (int language = 0; language < LANGUAGES; language++) {
        Language spoken = (Language)language;
        ck_assert_int_eq(times(&verdict, spoken, said[language][0]), 1);
        ck_assert_int_eq(times(&verdict, spoken, said[language][1]), 1);
        ck_assert_int_eq(times(&verdict, spoken, said[language][2]), 2);
    }
    verdict_finish(&verdict);
}

// What stopped with other numbers alone says where: an array of 8 is no matter of what the numbers are.
TEST(what_stopped_only_with_other_numbers_is_told_why)
{
    static const char *const why[LANGUAGES] = {"index 8 is too large at scale.c:4",
                                               "scale.c:4에서 인덱스 8이 너무 큽니다"};
    Verdict verdict = example();
    verdict.tests[1].end = VERDICT_PASSED;
    verdict.tests[2].end = VERDICT_BROKEN;
    memcpy(verdict.tests[2].why, why, sizeof why);
    for (int language = 0; language < LANGUAGES; language++)
        ck_assert_int_eq(times(&verdict, (Language)language, why[language]), 1);
    verdict_finish(&verdict);
}

// Of a chain that is not right, the function that is right by itself is not blamed; of one that is wrong
// itself nothing is said that could be read so.
TEST(what_a_chain_ends_with_does_not_contradict_the_verdict)
{
    static const char *const said[LANGUAGES] = {"this one is right: look", "이 함수는 맞습니다."};
    Verdict verdict = example();
    verdict.chain_max = verdict.max;
    for (int right = 0; right < 2; right++) {
        for (int language = 0; language < LANGUAGES; language++)
            ck_assert_int_eq(times(&verdict, (Language)language, said[language]), right);
        verdict.tests[1].end = VERDICT_PASSED;
    }
    verdict.chain_points = verdict.max;
    ck_assert_int_eq(times(&verdict, LANGUAGE_ENGLISH, said[0]), 0);
    verdict_finish(&verdict);
}

TEST(what_is_no_verdict_is_refused_with_its_place)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "{\"schema\": 99}",
        "{\"schema\": 1, \"exercise\": \"scale\", \"tests\": []}",
        "{\"schema\": 1, \"tests\": [{\"name\": \"right\", \"end\": \"passed\"}]}",
        "{\"schema\": 1, \"exercise\": \"scale\", \"tests\": [{\"name\": \"right\"}]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Error err;
        Verdict verdict;
        char path[] = "/tmp/attnscope_verdict_XXXXXX";
        int file = mkstemp(path);
        ck_assert_int_eq(write(file, texts[i], strlen(texts[i])), (ssize_t)strlen(texts[i]));
        close(file);
        ck_assert(!read_verdict(&verdict, path, &err));
        ck_assert_ptr_nonnull(strstr(err.text, path));
        unlink(path);
    }
}

// [2, 2, 3]: one element of head 0 and the last row of head 1 are wrong.
TEST(a_map_shows_heads_side_by_side)
{
    Error err;
    Arena arena = {0};
    float known[12] = {0}, given[12] = {0};
    given[1] = given[9] = given[10] = given[11] = 1.0f;
    Tensor a = tensor_over(given, DTYPE_F32, 3, (ptrdiff_t[]){2, 2, 3});
    Tensor b = tensor_over(known, DTYPE_F32, 3, (ptrdiff_t[]){2, 2, 3});
    ck_assert_str_eq(verdict_map(&a, &b, &arena, &err), "[0]   [1]\n.#.   ...\n...   ###\n");
    arena_finish(&arena);
}

// 32 columns are pooled by two: wrong in one of them is '+', in both '#'.
TEST(a_wide_map_is_pooled)
{
    Error err;
    Arena arena = {0};
    float known[32] = {0}, given[32] = {0};
    given[0] = given[2] = given[3] = NAN;
    Tensor a = tensor_over(given, DTYPE_F32, 2, (ptrdiff_t[]){1, 32});
    Tensor b = tensor_over(known, DTYPE_F32, 2, (ptrdiff_t[]){1, 32});
    ck_assert_str_eq(verdict_map(&a, &b, &arena, &err), "+#..............\n");
    arena_finish(&arena);
}

SUITE("verdict")
