// Tests of the exercises themselves: what is handed out passes nothing, what solves them passes
// everything with every compiler, and everything is there in two languages.
//
// The argument chooses a part: "stubs", or "solutions" and a compiler.
#include <stdlib.h>
#include <string.h>
#include "exercise.h"
#include "judged.h"
#include "suite.h"

static const char *compiler;

static const char *folder_of(int number)
{
    return judged_folders()[number];
}

#define LETTERS "abcdefghijklmnopqrstuvwxyz_"

static bool has_word(const char *text, const char *word, size_t length)
{
    for (const char *at = text; *at; at += strspn(at, LETTERS)) {
        at += strcspn(at, LETTERS);
        if (strspn(at, LETTERS) == length && strncmp(at, word, length) == 0)
            return true;
    }
    return false;
}

// The learner never saw the names of the stage's slots, which are others ("attn_weights").
static void check_names(const Verdict *verdict, const char *stub, const char *folder)
{
    char *signature = strdup(strstr(stub, "\nvoid "));
    signature[strcspn(signature, ")")] = '\0';
    for (int i = 0; i < verdict->count; i++) {
        const VerdictTest *test = &verdict->tests[i];
        for (const char *at = test->given; *at; at += strspn(at, LETTERS)) {
            at += strcspn(at, LETTERS);
            ck_assert_msg(!*at || has_word(signature, at, strspn(at, LETTERS)), "%s: %s", folder,
                          at);
        }
        const char *where =
            test->where ? test->where : strstr(test->why[LANGUAGE_ENGLISH], "gave ") + 5;
        ck_assert_msg(has_word(signature, where, strspn(where, LETTERS)), "%s: %s", folder, where);
    }
    free(signature);
}

static void check_languages(const Verdict *verdict, const char *folder)
{
    Error err;
    char path[1024];
    snprintf(path, sizeof path, "%s/exercises/%s", getenv("ATTNSCOPE_LESSONS"), folder);
    for (int language = 0; language < LANGUAGES; language++) {
        Exercise exercise;
        ck_assert_msg(exercise_open(&exercise, path, (Language)language, &err), "%s", err.text);
        ck_assert_int_eq(exercise.points, verdict->max);
        exercise_close(&exercise);
    }
    free(judged_text(folder, "task.ko.md"));
    free(judged_text(folder, "hints.ko.md"));
    for (int i = 0; i < verdict->count; i++)
        ck_assert(verdict->tests[i].title[LANGUAGE_ENGLISH] &&
                  verdict->tests[i].title[LANGUAGE_KOREAN]);
}

// It is judged once for all that is asked of it.
START_TEST(a_stub_compiles_and_fails_every_test_in_two_languages)
{
    Verdict verdict;
    char *stub = judged_text(folder_of(_i), "exercise.c");
    judged(folder_of(_i), stub, (JudgedHow){.optimisation = 1}, 1, &verdict);
    ck_assert_int_gt(verdict.count, 1);
    ck_assert_int_eq(verdict.points, 0);
    for (int i = 0; i < verdict.count; i++)
        ck_assert_msg(verdict.tests[i].end == VERDICT_WRONG ||
                          verdict.tests[i].end == VERDICT_BROKEN,
                      "%s: %s", folder_of(_i), verdict.tests[i].name);
    check_names(&verdict, stub, folder_of(_i));
    check_languages(&verdict, folder_of(_i));
    verdict_finish(&verdict);
    free(stub);
}

// Twice: into stdout, which is buffered, and into stderr just before a crash.
START_TEST(what_the_function_printed_is_shown_where_it_failed)
{
    static const char *const ends[] = {"", "*(volatile int *)(scores->shape[0] - 2) = d_k;"};
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
        char source[512];
        Verdict verdict;
        snprintf(source, sizeof source,
                 "#include \"attnscope.h\"\n#include <stdio.h>\n"
                 "void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)\n"
                 "{ (void)scores, (void)scores_scaled; printf(\"d_k = %%d\\n\", (int)d_k);"
                 "fprintf(stderr, \"head \\xED\\x97\\xA4\\n\"); %s }\n",
                 ends[e]);
        judged("09-scale", source, (JudgedHow){.optimisation = 1, .may_warn = true}, 1, &verdict);
        for (int i = 0; i < verdict.count; i++) {
            const VerdictTest *test = &verdict.tests[i];
            char wanted[64];
            ck_assert_int_eq(test->printed == NULL, test->hidden);
            snprintf(wanted, sizeof wanted, "%s\nhead 헤\n", strstr(test->given, "d_k = "));
            if (test->printed)
                ck_assert_str_eq(test->printed, wanted);
        }
        verdict_finish(&verdict);
    }
}

START_TEST(a_function_that_never_ends_is_soon_given_up)
{
    Verdict verdict;
    const char *source = "#include \"attnscope.h\"\n"
                         "void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)\n"
                         "{ (void)scores, (void)d_k, (void)scores_scaled; for (;;); }\n";
    judged("09-scale", source, (JudgedHow){.optimisation = 1}, 1, &verdict);
    for (int i = 0; i < verdict.count; i++)
        ck_assert_msg(strstr(verdict.tests[i].why[LANGUAGE_ENGLISH],
                             i == 0 ? "within 2.0 s" : "within 0.2 s"),
                      "%s", verdict.tests[i].why[LANGUAGE_ENGLISH]);
    verdict_finish(&verdict);
}

START_TEST(the_first_number_that_was_never_set_is_called_so)
{
    Verdict verdict;
    const char *source = "#include \"attnscope.h\"\n"
                         "void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)\n"
                         "{ *tensor_at4(scores_scaled, 0, 0, 0, 0) = \n"
                         "  *tensor_at4(scores, 0, 0, 0, 0) / sqrtf((float)d_k); }\n";
    judged("09-scale", source, (JudgedHow){.optimisation = 1}, 1, &verdict);
    ck_assert_int_eq(verdict.tests[0].kind, VERDICT_KIND_UNWRITTEN);
    ck_assert_str_eq(verdict.tests[0].where, "scores_scaled[0, 0, 0, 1]");
    ck_assert_int_eq(verdict.tests[0].unwritten, verdict.tests[0].all - 1);
    verdict_finish(&verdict);
}

// The loops over a row begin at its second key.
START_TEST(what_was_never_set_is_counted_and_not_quoted)
{
    Verdict verdict;
    char *source = judged_text("11-softmax", "solution.c"), *at = source;
    for (; (at = strstr(at, "j = 0")); at++)
        at[4] = '1';
    judged("11-softmax", source, (JudgedHow){.optimisation = 1, .may_warn = true}, 1, &verdict);
    for (int i = 0; i < verdict.count; i++) {
        const VerdictTest *test = &verdict.tests[i];
        ck_assert_int_gt(test->unwritten, 0);
        ck_assert_int_lt(test->unwritten, test->all);
        ck_assert_ptr_null(test->property[LANGUAGE_ENGLISH]);
        ck_assert_double_eq(test->worst, 0.0);
        ck_assert_msg(!test->got || !strstr(test->got, "e+37"), "%s", test->got);
    }
    verdict_finish(&verdict);
    free(source);
}

// A sum with -4.2e+37 is the same number, and yet something was written.
START_TEST(what_is_added_to_what_was_there_is_called_so)
{
    Verdict verdict;
    char *source = judged_text("08-score", "solution.c");
    char *at = strstr(source, "= sum;");
    ck_assert_ptr_nonnull(at);
    at[-1] = '+';
    judged("08-score", source, (JudgedHow){.optimisation = 1}, 1, &verdict);
    for (int i = 0; i < verdict.count; i++) {
        const VerdictTest *test = &verdict.tests[i];
        ck_assert_int_eq(test->kind, VERDICT_KIND_ADDED);
        ck_assert_int_eq(test->unwritten, 0);
        ck_assert_ptr_null(test->got);
        ck_assert_int_eq(test->property[LANGUAGE_KOREAN] == NULL, test->hidden);
        if (!test->hidden)
            ck_assert_str_eq(test->property[LANGUAGE_ENGLISH],
                             "scores[0, 0, 0, 0] is added (+=) to what was in its place before: "
                             "write it with =, or set it to 0 first");
    }
    verdict_finish(&verdict);
    free(source);
}

// Check itself would run nothing then, and call that a success.
START_TEST(variables_of_check_choose_no_tests)
{
    Verdict verdict;
    char *solution = judged_text("09-scale", "solution.c");
    ck_assert_int_eq(setenv("CK_RUN_CASE", "none", 1), 0);
    ck_assert_int_eq(setenv("CK_FORK", "yes", 1), 0);
    judged("09-scale", solution, (JudgedHow){.optimisation = 1}, 1, &verdict);
    ck_assert_int_eq(verdict.count, 4);
    ck_assert(verdict_passed(&verdict));
    verdict_finish(&verdict);
    free(solution);
}

// scores / d_k in the place of scores / sqrt(d_k) is not softmax's fault.
START_TEST(a_slip_before_it_is_charged_to_the_chain_alone)
{
    static WorkerProgram scale[2];
    char *softmax = judged_text("11-softmax", "solution.c"), chain[2][WORKER_PATH_MAX + 8];
    char *right = judged_text("09-scale", "solution.c"),
         *wrong = judged_text("09-scale", "solution.c");
    JudgedHow how = {.optimisation = 1};
    memcpy(strstr(wrong, "sqrtf("), "fabsf(", 6);
    judged_build("09-scale", right, how, &scale[0]);
    judged_build("09-scale", wrong, how, &scale[1]);
    for (int i = 0; i < 2; i++) {
        Verdict verdict;
        snprintf(chain[i], sizeof chain[i], "scale=%.4000s", scale[i].path);
        how.chain = chain[i];
        judged("11-softmax", softmax, how, 1, &verdict);
        ck_assert_int_eq(verdict.points, verdict.max);
        ck_assert_int_eq(verdict.chain_max, verdict.max);
        ck_assert_int_eq(verdict.chain_points, i == 0 ? verdict.max : 0);
        verdict_finish(&verdict);
    }
    free(wrong);
    free(right);
    free(softmax);
}

// M_PI is there, as without -std=c11. The task says nothing of a text of one token.
START_TEST(what_is_written_in_another_way_is_right)
{
    static const char *const others[][3] = {
        {"04-position", ": cos(angle)", ": sin(angle + M_PI / 2)"},
        {"30-previous-token-score", "sum / (float)(length - 1)",
         "(length > 1 ? sum / (float)(length - 1) : 0)"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        Verdict verdict;
        char other[8192], *text = judged_text(others[i][0], "solution.c");
        const char *at = strstr(text, others[i][1]);
        ck_assert_ptr_nonnull(at);
        snprintf(other, sizeof other, "%.*s%s%s", (int)(at - text), text, others[i][2],
                 at + strlen(others[i][1]));
        judged(others[i][0], other, (JudgedHow){.optimisation = 1}, 1, &verdict);
        ck_assert_msg(verdict.points == verdict.max, "%s", others[i][0]);
        verdict_finish(&verdict);
        free(text);
    }
}

// A sum in double is as right as one in float. What lies between them grows on the way back: by itself
// neither function is further off than it may be, and neither has a slip.
START_TEST(a_chain_that_rounds_in_another_way_is_right)
{
    static WorkerProgram sums;
    char *backward = judged_text("19-softmax-backward", "solution.c");
    char *double_sums = judged_text("18-weighted-sum-backward", "solution.c");
    char chain[WORKER_PATH_MAX + 32];
    JudgedHow how = {.optimisation = 1};
    memcpy(strstr(double_sums, "float sum = 0.0f;"), "double sum = 0.0;", 17);
    judged_build("18-weighted-sum-backward", double_sums, how, &sums);
    snprintf(chain, sizeof chain, "weighted-sum-backward=%.4000s", sums.path);
    how.chain = chain;
    for (long long seed = 1; seed <= 12; seed++) {
        Verdict verdict;
        judged("19-softmax-backward", backward, how, seed, &verdict);
        ck_assert_int_eq(verdict.chain_points, verdict.max);
        verdict_finish(&verdict);
    }
    free(double_sums);
    free(backward);
}

// Beginning at 0, the largest of a row that is far below is missed: wrong with large scores, right in the
// chain's cases, which have none.
START_TEST(what_is_wrong_by_itself_gains_nothing_in_a_chain)
{
    static WorkerProgram scale;
    Verdict verdict;
    char *softmax = judged_text("11-softmax", "solution.c"), chain[WORKER_PATH_MAX + 8];
    char *right = judged_text("09-scale", "solution.c");
    JudgedHow how = {.optimisation = 1};
    judged_build("09-scale", right, how, &scale);
    snprintf(chain, sizeof chain, "scale=%.4000s", scale.path);
    how.chain = chain;
    memcpy(strstr(softmax, "-INFINITY"), "0.0f     ", 9);
    judged("11-softmax", softmax, how, 1, &verdict);
    ck_assert_int_lt(verdict.points, verdict.max);
    ck_assert_int_eq(verdict.chain_points, verdict.points);
    verdict_finish(&verdict);
    free(right);
    free(softmax);
}

START_TEST(what_stops_the_chain_is_said_in_two_languages)
{
    static WorkerProgram scale;
    JudgedHow how = {.optimisation = 1};
    Verdict verdict;
    char *softmax = judged_text("11-softmax", "solution.c"), chain[WORKER_PATH_MAX + 8];
    char *stub = judged_text("09-scale", "exercise.c");
    judged_build("09-scale", stub, how, &scale);
    snprintf(chain, sizeof chain, "scale=%.4000s", scale.path);
    how.chain = chain;
    judged("11-softmax", softmax, how, 1, &verdict);
    ck_assert_ptr_nonnull(
        strstr(verdict.chain_why[LANGUAGE_ENGLISH], "scale: your function never set"));
    ck_assert_ptr_nonnull(strstr(verdict.chain_why[LANGUAGE_KOREAN], "쓰지 않았습니다"));
    verdict_finish(&verdict);
    free(stub);
    free(softmax);
}

// Rows of large scores, where it overflows, and rows far below 0, where all is nearly nothing.
START_TEST(a_missing_maximum_is_named_with_any_numbers)
{
    Verdict verdict;
    char *source = judged_text("11-softmax", "solution.c");
    memcpy(strstr(source, " - max);"), "      );", 8);
    for (long long seed = 1; seed <= 4; seed++) {
        judged("11-softmax", source, (JudgedHow){.optimisation = 1, .may_warn = true}, seed,
               &verdict);
        ck_assert_int_eq(verdict.points, 8);
        for (int i = 0; i < verdict.count; i++)
            if (verdict.tests[i].end != VERDICT_PASSED)
                ck_assert_str_eq(verdict.tests[i].mistakes[0], "softmax-without-maximum");
        verdict_finish(&verdict);
    }
    free(source);
}

// Wrong in one shown test and in no hidden one: more cases are drawn before anything is said.
START_TEST(what_one_test_alone_finds_is_named)
{
    Verdict verdict;
    const char *told = NULL;
    char *source = judged_text("31-sampling", "solution.c"), *at = strstr(source, "- max)");
    memcpy(at, "     )", 6);
    judged("31-sampling", source, (JudgedHow){.optimisation = 1, .may_warn = true}, 1, &verdict);
    ck_assert_int_eq(verdict.points, 9);
    for (int i = 0; i < verdict.count && !told; i++)
        told = verdict.tests[i].relation[LANGUAGE_ENGLISH];
    ck_assert_ptr_nonnull(told);
    ck_assert_msg(strstr(told, "is not subtracted before exp"), "%s", told);
    verdict_finish(&verdict);
    free(source);
}

// With 11 and 14 sums are drawn that come out near 0: a score of 128 products, a row of gradients.
static void expect_solved(const char *folder, JudgedHow how)
{
    static const long long seeds[] = {11, 1, 2, 14, 3};
    char *solution = judged_text(folder, "solution.c");
    for (int i = 0; i < (int)(sizeof seeds / sizeof *seeds); i++) {
        Verdict verdict;
        if (!suite_takes(i, 3))
            continue;
        judged(folder, solution, how, seeds[i], &verdict);
        const VerdictTest *failure = verdict_first_failure(&verdict);
        ck_assert_msg(!failure, "%s: %s: %s %s", folder, failure ? failure->name : "",
                      failure && failure->where ? failure->where : "",
                      failure && failure->why[LANGUAGE_ENGLISH] ? failure->why[LANGUAGE_ENGLISH]
                                                                : "");
        ck_assert_int_eq(verdict.points, verdict.max);
        verdict_finish(&verdict);
    }
    free(solution);
}

START_TEST(a_solution_passes_unoptimised_under_sanitizers)
{
    expect_solved(folder_of(_i), (JudgedHow){.compiler = compiler, .sanitize = true});
}

START_TEST(a_solution_passes_optimised)
{
    expect_solved(folder_of(_i), (JudgedHow){.compiler = compiler, .optimisation = 3});
}

int main(int count, char *words[])
{
    if (count > 2 && suite_skips_without(words[2]))
        return EXIT_SUCCESS;
    int exercises = 0;
    while (judged_folders()[exercises])
        exercises++;
    Suite *suite = suite_create("exercises");
    TCase *tests = tcase_create(count > 1 ? words[1] : "stubs");
    tcase_add_unchecked_fixture(tests, judged_begin, judged_finish);
    if (count > 2) {
        compiler = words[2];
        // A program with sanitizers takes longest to build, and clang longer than gcc.
        suite_add_slice(tests, a_solution_passes_unoptimised_under_sanitizers, exercises, 4);
        suite_add_slice(tests, a_solution_passes_optimised, exercises,
                        strcmp(compiler, "gcc") == 0 ? 1 : 3);
    } else {
        tcase_add_loop_test(tests, a_stub_compiles_and_fails_every_test_in_two_languages, 0,
                            exercises);
        tcase_add_test(tests, what_the_function_printed_is_shown_where_it_failed);
        tcase_add_test(tests, a_function_that_never_ends_is_soon_given_up);
        tcase_add_test(tests, the_first_number_that_was_never_set_is_called_so);
        tcase_add_test(tests, what_was_never_set_is_counted_and_not_quoted);
        tcase_add_test(tests, what_is_added_to_what_was_there_is_called_so);
        tcase_add_test(tests, variables_of_check_choose_no_tests);
        tcase_add_test(tests, a_slip_before_it_is_charged_to_the_chain_alone);
        tcase_add_test(tests, what_is_written_in_another_way_is_right);
        tcase_add_test(tests, a_chain_that_rounds_in_another_way_is_right);
        tcase_add_test(tests, what_is_wrong_by_itself_gains_nothing_in_a_chain);
        tcase_add_test(tests, what_stops_the_chain_is_said_in_two_languages);
        tcase_add_test(tests, a_missing_maximum_is_named_with_any_numbers);
        tcase_add_test(tests, what_one_test_alone_finds_is_named);
    }
    suite_add_tcase(suite, tests);
    return suite_run(suite);
}
