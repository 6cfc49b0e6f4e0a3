// Tests of naming: each known mistake that an exercise can express, written as a learner would, is
// caught by a test with shown numbers and by one with hidden numbers, and called by its name.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "judged.h"
#include "suite.h"

typedef struct Mistaken {
    const char *mistake, *exercise;
    const char *right[3], *wrong[3];
} Mistaken;

static const Mistaken all[] = {
#define MISTAKEN(mistake, exercise, right, wrong) {mistake, exercise, {right}, {wrong}},
#define MISTAKEN2(mistake, exercise, right, wrong, right_too, wrong_too) \
    {mistake, exercise, {right, right_too}, {wrong, wrong_too}},
#define MISTAKEN3(mistake, exercise, right, wrong, right_too, wrong_too, right_last, wrong_last) \
    {mistake, exercise, {right, right_too, right_last}, {wrong, wrong_too, wrong_last}},
#include "mistaken/mistaken.def"
};

// What is told in place of a mistake's name, by its beginning; "": nothing. Seed 0: another one for each.
static const struct {
    int seed;
    Mistaken mistaken;
} related[] = {
#define RELATED(told, exercise, right, wrong) {0, {told, exercise, {right}, {wrong}}},
#define RELATED_WITH(seed, told, exercise, right, wrong) {seed, {told, exercise, {right}, {wrong}}},
#define RELATED2(told, exercise, right, wrong, right_too, wrong_too) \
    {0, {told, exercise, {right, right_too}, {wrong, wrong_too}}},
#include "mistaken/related.def"
};

static const char *folder_of(const char *exercise)
{
    for (const char *const *folder = judged_folders(); *folder; folder++)
        if (strcmp(*folder + 3, exercise) == 0)
            return *folder;
    ck_abort_msg("there is no exercise %s", exercise);
    return NULL;
}

// Every `right` of the text becomes `wrong`; there must be one.
static char *replaced(const char *text, const char *right, const char *wrong)
{
    ck_assert_msg(strstr(text, right) != NULL, "the solution has no \"%s\"", right);
    char *result = calloc(1, 1 << 16), *end = result;
    ck_assert_ptr_nonnull(result);
    for (const char *at; (at = strstr(text, right)); text = at + strlen(right))
        end += sprintf(end, "%.*s%s", (int)(at - text), text, wrong);
    strcpy(end, text);
    return result;
}

static char *written_by(const Mistaken *mistaken)
{
    char *text = judged_text(folder_of(mistaken->exercise), "solution.c");
    for (int i = 0; i < 3 && mistaken->right[i]; i++) {
        char *next = replaced(text, mistaken->right[i], mistaken->wrong[i]);
        free(text);
        text = next;
    }
    return text;
}

static bool same_mistake(const char *named, const char *meant)
{
    const Mistake *mistake = mistake_find(named), *other = mistake_find(meant);
    ck_assert_msg(mistake && other, "%s or %s is not in the bank", named, meant);
    return strcmp(named, meant) == 0 ||
           (mistake->same_as && strcmp(mistake->same_as, meant) == 0) ||
           (other->same_as && strcmp(other->same_as, named) == 0);
}

START_TEST(a_mistake_is_caught_and_called_by_its_name)
{
    const Mistaken *mistaken = &all[_i];
    Verdict verdict;
    char *text = written_by(mistaken);
    int caught[2] = {0}, named[2] = {0};
    judged(folder_of(mistaken->exercise), text, (JudgedHow){.optimisation = 1, .may_warn = true},
           _i + 1, &verdict);
    for (int i = 0; i < verdict.count; i++) {
        const VerdictTest *test = &verdict.tests[i];
        caught[test->hidden] += test->end != VERDICT_PASSED;
        for (int m = 0; m < VERDICT_MISTAKES_MAX && test->mistakes[m]; m++) {
            ck_assert_msg(same_mistake(test->mistakes[m], mistaken->mistake),
                          "%s in %s is called %s by %s", mistaken->mistake, mistaken->exercise,
                          test->mistakes[m], test->name);
            named[test->hidden]++;
        }
    }
    ck_assert_msg(caught[0] && caught[1], "%s in %s: caught by %d shown and %d hidden tests",
                  mistaken->mistake, mistaken->exercise, caught[0], caught[1]);
    ck_assert_msg(named[0] && named[1], "%s in %s: named by %d shown and %d hidden tests",
                  mistaken->mistake, mistaken->exercise, named[0], named[1]);
    verdict_finish(&verdict);
    free(text);
}

START_TEST(what_no_mistake_explains_is_told_by_what_maps_it_to_the_right_numbers)
{
    const Mistaken *mistaken = &related[_i].mistaken;
    Verdict verdict;
    char *text = written_by(mistaken);
    int caught = 0, told = 0;
    judged(folder_of(mistaken->exercise), text, (JudgedHow){.optimisation = 1, .may_warn = true},
           related[_i].seed ? related[_i].seed : _i + 1, &verdict);
    for (int i = 0; i < verdict.count; i++) {
        const VerdictTest *test = &verdict.tests[i];
        const char *sentence = test->relation[LANGUAGE_ENGLISH];
        caught += test->end == VERDICT_WRONG;
        ck_assert_msg(!test->mistakes[0], "%s is called %s", mistaken->wrong[0], test->mistakes[0]);
        ck_assert((sentence != NULL) == (test->relation[LANGUAGE_KOREAN] != NULL));
        if (!sentence)
            continue;
        told++;
        ck_assert_msg(*mistaken->mistake &&
                          strncmp(sentence, mistaken->mistake, strlen(mistaken->mistake)) == 0,
                      "of %s is said: %s", mistaken->wrong[0], sentence);
    }
    ck_assert_int_gt(caught, 1);
    ck_assert_msg(told == (*mistaken->mistake != '\0'), "of %s is told %d times",
                  mistaken->wrong[0], told);
    verdict_finish(&verdict);
    free(text);
}

// Right with every shape that is drawn at first, wrong at an edge.
static const Mistaken at_edges[] = {
#define AT_EDGE(told, exercise, right, wrong) {told, exercise, {right}, {wrong}},
#include "mistaken/at_edges.def"
};

START_TEST(what_is_wrong_at_an_edge_alone_passes_what_is_shown_and_fails_what_is_hidden)
{
    const Mistaken *mistaken = &at_edges[_i];
    Verdict verdict;
    char *text = written_by(mistaken);
    const char *told = "";
    int caught = 0;
    judged(folder_of(mistaken->exercise), text, (JudgedHow){.optimisation = 1, .may_warn = true},
           _i + 1, &verdict);
    for (int i = 0; i < verdict.count; i++) {
        const VerdictTest *test = &verdict.tests[i];
        ck_assert_msg(test->hidden || test->end == VERDICT_PASSED, "%s: %s", mistaken->wrong[0],
                      test->name);
        ck_assert_msg(!test->mistakes[0], "%s is called %s", mistaken->wrong[0], test->mistakes[0]);
        ck_assert_int_eq(test->points, test->end == VERDICT_PASSED ? test->max : 0);
        caught += test->end == VERDICT_WRONG;
        told = test->relation[LANGUAGE_ENGLISH] ? test->relation[LANGUAGE_ENGLISH] : told;
    }
    ck_assert_msg(caught > 0, "%s passes", mistaken->wrong[0]);
    size_t length = *mistaken->mistake ? strlen(mistaken->mistake) : strlen(told);
    ck_assert_msg(strncmp(told, mistaken->mistake, length) == 0, "%s", told);
    verdict_finish(&verdict);
    free(text);
}

static const Mistaken partial[] = {
#define PARTIAL(exercise, right, wrong) {"", exercise, {right}, {wrong}},
#include "mistaken/partial.def"
};

START_TEST(what_is_right_of_some_shapes_or_numbers_alone_does_not_pass)
{
    Verdict verdict;
    char *text = written_by(&partial[_i]);
    judged(folder_of(partial[_i].exercise), text, (JudgedHow){.optimisation = 1, .may_warn = true},
           _i + 1, &verdict);
    ck_assert_msg(verdict.points < verdict.max, "%s: %s", partial[_i].exercise,
                  partial[_i].wrong[0]);
    verdict_finish(&verdict);
    free(text);
}

// With one score alone 1 / 1 is right, and so is one of d_k = 1: d_k = 2 is the smallest that tells, where
// yours times sqrt(2) is right. Twice the same.
START_TEST(what_fails_is_shown_as_small_as_it_fails)
{
    static const Mistaken mistaken = {"", "scale", {"sqrtf((float)d_k)"}, {"(float)d_k"}};
    char *text = written_by(&mistaken), given[2][96];
    for (int again = 0; again < 2; again++) {
        Verdict verdict;
        judged(folder_of("scale"), text, (JudgedHow){.optimisation = 1, .may_warn = true}, 3,
               &verdict);
        const VerdictTest *small = verdict.tests[0].smallest;
        ck_assert_ptr_nonnull(small);
        double score = 0.0;
        ck_assert_msg(sscanf(small->given, "scores (1, 1, 1, 1) = [%lf], d_k = 2", &score) == 1,
                      "%s", small->given);
        ck_assert_double_eq_tol(strtod(small->expected, NULL), score / sqrt(2.0), 1e-2);
        ck_assert_double_eq_tol(strtod(small->got, NULL), score / 2.0, 1e-2);
        snprintf(given[again], sizeof given[again], "%s %s", small->expected, small->got);
        for (int i = 0; i < verdict.count; i++)
            ck_assert_str_eq(verdict.tests[i].mistakes[0], "scale-by-d-k");
        verdict_finish(&verdict);
    }
    ck_assert_str_eq(given[0], given[1]);
    free(text);
}

// What holds of any right numbers is said where it breaks, in the case that is shown.
START_TEST(what_should_hold_of_all_right_numbers_is_told_where_it_breaks)
{
    static const Mistaken broken[] = {
        {"; each row sums to 1", "softmax", {"/= sum"}, {"/= 2 * sum"}},
        {"; no weight is below 0", "softmax", {"/= sum"}, {"/= -sum"}},
        {"a query still sees a key", "causal-mask", {"j > i"}, {"j > i + 1"}},
        {"cannot exceed the largest", "weighted-sum", {"= sum;"}, {"= fabsf(sum) * 4;"}},
        {"check the stride", "view", {"= d_k * q->stride[2]"}, {"= heads * q->stride[2]"}},
        {"a flag is 0 or 1",
         "key-padding-mask",
         {"l >= *tensor_id1(lengths, b)"},
         {"2 * (l >= *tensor_id1(lengths, b))"}},
        {"the gradients of a row sum to 0", "softmax-backward", {"- sum)"}, {")"}},
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        Verdict verdict;
        char *text = written_by(&broken[i]);
        judged(folder_of(broken[i].exercise), text,
               (JudgedHow){.optimisation = 1, .may_warn = true}, 1, &verdict);
        const VerdictTest *test = verdict_first_failure(&verdict);
        ck_assert_ptr_nonnull(test->property[LANGUAGE_KOREAN]);
        ck_assert_msg(strstr(test->property[LANGUAGE_ENGLISH], broken[i].mistake) != NULL, "%s",
                      test->property[LANGUAGE_ENGLISH]);
        if (test->got) // a number is not called wrong by its own name
            ck_assert_str_ne(test->got, test->expected);
        verdict_finish(&verdict);
        free(text);
    }
}

// What holds between two answers is looked for where the first one is wrong and nothing names it.
START_TEST(what_should_hold_of_two_answers_is_told_where_it_breaks)
{
    static const Mistaken broken[] = {
        {"asked the same once more,",
         "scale",
         {"float divisor ="},
         {"static float all = 1; float divisor = all++ +"}},
        {"with the sequences in reverse order", "score", {"= sum;"}, {"= sum * (float)(b + 1);"}},
        {"with the heads in reverse order", "score", {"= sum;"}, {"= sum * (float)(2 * h + 1);"}},
        {"with the keys in reverse order", "score", {"= sum;"}, {"= sum * (float)(j + 1);"}},
        {"with 1 added to every score", "softmax", {"float e ="}, {"float e = 0.1f * max * max +"}},
        {"if every number of q is doubled", "score", {"= sum;"}, {"= sum * sum + sum;"}},
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        Verdict verdict;
        char *text = written_by(&broken[i]);
        judged(folder_of(broken[i].exercise), text,
               (JudgedHow){.optimisation = 1, .may_warn = true}, 1, &verdict);
        const VerdictTest *test = verdict_first_failure(&verdict);
        const char *told = test->property[LANGUAGE_ENGLISH];
        ck_assert_msg(told && strncmp(told, broken[i].mistake, strlen(broken[i].mistake)) == 0,
                      "of %s is told: %s", broken[i].wrong[0], told ? told : "nothing");
        ck_assert_ptr_nonnull(test->property[LANGUAGE_KOREAN]);
        verdict_finish(&verdict);
        free(text);
    }
}

// Right at the first call, or at the first twenty: what is kept from call to call earns nothing, and what is
// kept but changes no number takes nothing.
static const Mistaken keepers[] = {
    {"which calls",
     "scale",
     {"float divisor ="},
     {"static float divisor; if (!divisor) divisor ="}},
    {"which calls",
     "score",
     {"float sum = 0.0f;"},
     {"static float all; float sum = all++ < 3000 ? 0 : 1;"}},
    {"", "scale", {"float divisor ="}, {"static int calls; calls++; float divisor ="}},
    {"", "softmax", {"float max = -INFINITY;"}, {"static float max; max = -INFINITY;"}},
};

START_TEST(what_depends_on_the_calls_before_earns_nothing)
{
    const Mistaken *keeper = &keepers[_i];
    Verdict verdict;
    char *text = written_by(keeper);
    judged(folder_of(keeper->exercise), text, (JudgedHow){.optimisation = 1, .may_warn = true}, 1,
           &verdict);
    ck_assert_int_eq(verdict.points, *keeper->mistake ? 0 : verdict.max);
    int told = 0;
    for (int i = 0; i < verdict.count; i++) {
        const VerdictTest *test = &verdict.tests[i];
        told += test->end == VERDICT_BROKEN && test->why[LANGUAGE_KOREAN] &&
                strncmp(test->why[LANGUAGE_ENGLISH], "which calls", 11) == 0;
    }
    ck_assert_int_eq(told > 0, *keeper->mistake != '\0');
    verdict_finish(&verdict);
    free(text);
}

// Ids written through an int32_t *: no number is near the right one, and the bits tell.
// Both formulas, and marks below the places where they differ.
START_TEST(an_edited_formula_is_shown_above_the_right_one)
{
    static const Mistaken edited = {
        "", "weighted-sum", {"weights, b, h, i, j"}, {"weights, b, 0, i, 0"}};
    static const char both[] = "context[b,h,i,d] = sum_j weights[b,0,i,0] * v[b,h,j,d]\n"
                               "                                   ^   ^\n"
                               "context[b,h,i,d] = sum_j weights[b,h,i,j] * v[b,h,j,d]\n"
                               "                                   ^   ^\n";
    Verdict verdict;
    char *text = written_by(&edited);
    const char *shown = NULL;
    judged(folder_of("weighted-sum"), text, (JudgedHow){.optimisation = 1, .may_warn = true}, 1,
           &verdict);
    for (int i = 0; i < verdict.count; i++)
        shown = shown ? shown : verdict.tests[i].formulas;
    ck_assert_pstr_eq(shown, both);
    verdict_finish(&verdict);
    free(text);
}

START_TEST(ids_of_32_bits_are_told)
{
    static const Mistaken narrow = {
        "",
        "pad",
        {"*tensor_id2(input_ids, b, l) ="},
        {"((int32_t *)input_ids->storage.bytes)[b * input_ids->shape[1] + l] = (int32_t)"}};
    Verdict verdict;
    char *text = written_by(&narrow);
    const char *told = NULL;
    judged(folder_of("pad"), text, (JudgedHow){.optimisation = 1, .may_warn = true}, 1, &verdict);
    for (int i = 0; i < verdict.count; i++)
        told = told ? told : verdict.tests[i].property[LANGUAGE_ENGLISH];
    ck_assert_msg(told && strstr(told, "two 32-bit numbers"), "%s", told ? told : "nothing");
    verdict_finish(&verdict);
    free(text);
}

// Flags are not numbers that a relation could speak of.
START_TEST(wrong_flags_are_told)
{
    static const Mistaken flags[] = {
        {"the mask of the first sequence", "key-padding-mask", {"lengths, b)"}, {"lengths, 0)"}},
        {"only the first place after", "key-padding-mask", {"l >="}, {"l =="}},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        Verdict verdict;
        char *text = written_by(&flags[i]);
        judged(folder_of(flags[i].exercise), text, (JudgedHow){.optimisation = 1, .may_warn = true},
               1, &verdict);
        const char *told = verdict_first_failure(&verdict)->property[LANGUAGE_ENGLISH];
        ck_assert_msg(told && strstr(told, flags[i].mistake), "%s", told ? told : "nothing");
        verdict_finish(&verdict);
        free(text);
    }
}

// Two mistakes in one function, neither of which makes its numbers alone.
START_TEST(two_mistakes_at_once_are_told_together)
{
    static const Mistaken both = {
        "These are the numbers of two mistakes at once. The scores are divided by sqrt(d_model)",
        "attention",
        {"(float)d_k", "j > i)"},
        {"(float)(heads * d_k)", "j > i + 1)"}};
    Verdict verdict;
    char *text = written_by(&both);
    const char *told = NULL;
    judged(folder_of("attention"), text, (JudgedHow){.optimisation = 1, .may_warn = true}, 1,
           &verdict);
    for (int i = 0; i < verdict.count; i++)
        told = told ? told : verdict.tests[i].relation[LANGUAGE_ENGLISH];
    ck_assert_msg(told && strncmp(told, both.mistake, strlen(both.mistake)) == 0, "%s",
                  told ? told : "nothing is told");
    verdict_finish(&verdict);
    free(text);
}

int main(int count, char *words[])
{
    bool is_related = count > 1 && strcmp(words[1], "related") == 0;
    Suite *suite = suite_create("mistaken");
    TCase *tests = tcase_create(count > 1 ? words[1] : "all");
    tcase_add_unchecked_fixture(tests, judged_begin, judged_finish);
    if (is_related) {
        suite_add_slice(tests,
                        what_no_mistake_explains_is_told_by_what_maps_it_to_the_right_numbers,
                        sizeof related / sizeof *related, 12);
        tcase_add_test(tests, what_should_hold_of_all_right_numbers_is_told_where_it_breaks);
        tcase_add_test(tests, what_should_hold_of_two_answers_is_told_where_it_breaks);
        tcase_add_loop_test(tests, what_depends_on_the_calls_before_earns_nothing, 0,
                            sizeof keepers / sizeof *keepers);
        suite_add_slice(tests, what_is_right_of_some_shapes_or_numbers_alone_does_not_pass,
                        sizeof partial / sizeof *partial, 4);
        tcase_add_test(tests, an_edited_formula_is_shown_above_the_right_one);
        tcase_add_test(tests, ids_of_32_bits_are_told);
        tcase_add_test(tests, wrong_flags_are_told);
        tcase_add_test(tests, what_fails_is_shown_as_small_as_it_fails);
        tcase_add_test(tests, two_mistakes_at_once_are_told_together);
        suite_add_slice(
            tests, what_is_wrong_at_an_edge_alone_passes_what_is_shown_and_fails_what_is_hidden,
            sizeof at_edges / sizeof *at_edges, 4);
    } else {
        suite_add_slice(tests, a_mistake_is_caught_and_called_by_its_name, sizeof all / sizeof *all,
                        4);
    }
    suite_add_tcase(suite, tests);
    return suite_run(suite);
}
