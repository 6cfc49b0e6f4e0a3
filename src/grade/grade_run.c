// grade_run: the tests of an exercise under Check, once with the numbers of the seed and once with
// hidden ones.
//
// Check runs them in this process (CK_NOFORK): nothing that could crash is here. Its tests are
// functions without arguments, so what they work on is `grade_now`.
#include "grade_run.h"

#include <assert.h>
#include <string.h>
#include <stdlib.h>
#include "grade_naming.h"
#include "grade_running.h"
#include "grade_shrink.h"
#include "grade_trust.h"
#include "tensor_difference.h"

enum { HURRIED_MILLISECONDS = 200 };

struct GradeSuite {
    struct {
        const TTest *test;
        int points;
        const char *korean;
    } tests[GRADE_TESTS_MAX];
    int count;
};

void grade_test(GradeSuite *suite, int points, const TTest *test, const char *korean)
{
    assert(suite->count < GRADE_TESTS_MAX);
    suite->tests[suite->count].test = test;
    suite->tests[suite->count].points = points;
    suite->tests[suite->count++].korean = korean;
}

// --- around each test

// At an edge, the record of the next test that passed so far.
static VerdictTest *record(void)
{
    if (grade_now.alone)
        return grade_now.alone;
    if (grade_now.edge == 0)
        return verdict_add(grade_now.verdict);
    while (grade_now.again[grade_now.number].end != VERDICT_PASSED)
        grade_now.number++;
    return &grade_now.again[grade_now.number];
}

static void begin(void)
{
    VerdictTest *test = record();
    grade_now.test = grade_now.ran[grade_now.ran_count++] = test;
    grade_now.case_count = grade_now.asked = 0;
    grade_now.builds_differ = grade_now.are_far_apart = false;
    test->name = grade_now.suite->tests[grade_now.number].test->name;
    test->title[LANGUAGE_ENGLISH] = grade_title(test->name, &grade_now.verdict->arena);
    test->title[LANGUAGE_KOREAN] = grade_now.suite->tests[grade_now.number].korean;
    test->max = grade_now.suite->tests[grade_now.number].points;
    test->hidden = grade_now.hidden;
    test->points = 0;
    test->end = VERDICT_WRONG;
}

// What failed can be tried again under a debugger. Where it cannot be saved, the verdict holds anyway.
static void save_case(void)
{
    Error unsaved;
    bool failed = grade_now.test->end != VERDICT_NOT_RUN &&
                  (grade_now.test->where || grade_now.test->why[LANGUAGE_ENGLISH]);
    if (failed && grade_now.asked > 0 && !grade_now.hidden && !grade_now.saved &&
        grade_now.workers->case_path)
        grade_now.saved = worker_save_call(grade_now.call, &grade_now.args,
                                           grade_now.workers->case_path, &unsaved);
}

// A test that never asked has shown nothing.
static void finish(void)
{
    if (grade_now.builds_differ)
        grade_trust_builds(grade_now.test, grade_now.are_far_apart);
    save_case();
    if (grade_now.asked == 0 && grade_now.test->end == VERDICT_PASSED)
        grade_now.test->end = VERDICT_WRONG;
    for (int i = 0; i < grade_now.case_count; i++)
        grade_case_close(&grade_now.cases[i]);
    grade_now.number++;
}

// --- cases

static uint64_t case_seed(void)
{
    uint64_t seed = grade_now.seed * 0x2545f4914f6cdd1du + (uint64_t)grade_now.edge;
    seed ^= (uint64_t)(grade_now.hidden ? 7919 : 0) << 32;
    return seed +
           (uint64_t)(grade_now.number * GRADE_CASES_MAX + grade_now.case_count) * 0x100000001b3u;
}

GradeCase *grade_draw_call(unsigned wishes, const char *label)
{
    ck_assert_int_lt(grade_now.case_count, GRADE_CASES_MAX);
    GradeCase *drawn = &grade_now.cases[grade_now.case_count];
    grade_now.goes_back = grade_now.goes_back || wishes & GRADE_BACKWARD;
    grade_case_open(drawn, grade_now.exercise, wishes, label, &grade_now.sizes, case_seed());
    grade_now.case_count++;
    return drawn;
}

GradeCase *grade_draw(unsigned wishes)
{
    return grade_draw_call(wishes, NULL);
}

// A function that never ended once does not get as much time again: a test has several questions.
static void lose_patience(void)
{
    grade_now.workers->first->milliseconds = HURRIED_MILLISECONDS;
    if (grade_now.workers->second)
        grade_now.workers->second->milliseconds = HURRIED_MILLISECONDS;
}

static void keep_why(const WorkerAnswer *answer, const char *why[LANGUAGES])
{
    for (int language = 0; language < LANGUAGES; language++)
        why[language] = grade_kept(answer->why[language], &grade_now.verdict->arena);
}

// What this machine could not do for one question it is not asked to do for the others: the exercise
// is not judged, whatever came of them.
static void end_not_run(void)
{
    grade_now.test->end = VERDICT_NOT_RUN;
    memcpy(grade_now.test->why, grade_now.machine_why, sizeof grade_now.machine_why);
    ck_abort_msg("%s", "this machine could not run it");
}

static void end_not_judged(const WorkerAnswer *answer)
{
    keep_why(answer, grade_now.machine_why);
    end_not_run();
}

// Where sanitizers do not start at all, it is done without. A program that ends only where they watch is
// no reason: that is found out with one that is known to be right.
static bool guard_starts(void)
{
    if (grade_now.guard == GUARD_UNASKED)
        grade_now.guard =
            worker_sanitizers_start(grade_now.exercise->name) ? GUARD_STARTS : GUARD_LACKS;
    return grade_now.guard == GUARD_STARTS;
}

static void ask(GradeCase *drawn, Worker *worker)
{
    WorkerAnswer answer;
    StageArgs args = drawn->given;
    if (grade_now.machine_why[LANGUAGE_ENGLISH])
        end_not_run();
    grade_now.asked++;
    if (worker_call(worker, drawn->call, &args, &answer) == WORKER_ANSWERED) {
        drawn->given = args;
        memcpy(drawn->unwritten, answer.unwritten, sizeof answer.unwritten);
        return;
    }
    if (answer.at_start && worker == grade_now.workers->second && !guard_starts())
        return;
    if (answer.end == WORKER_NOT_JUDGED)
        end_not_judged(&answer);
    if (answer.end == WORKER_TIMED_OUT)
        lose_patience();
    grade_now.test->end = VERDICT_BROKEN;
    keep_why(&answer, grade_now.test->why);
    grade_now.test->given = grade_given(drawn, &grade_now.verdict->arena);
    grade_now.test->printed =
        grade_now.hidden ? NULL : grade_printed(worker, &grade_now.verdict->arena);
    ck_abort_msg("%s", "no answer");
}

static bool depends_on_another(GradeOrder *order)
{
    GradeCase other, *drawn = order->drawn;
    const GradeSizes *sizes = grade_now.hidden ? &grade_shown : &grade_hidden;
    grade_case_open(&other, grade_now.exercise, drawn->wishes, drawn->label, sizes, ~case_seed());
    bool depends = grade_trust_depends(order, &other, grade_now.depends, &grade_now.verdict->arena);
    grade_case_close(&other);
    return depends;
}

// Right numbers that come of what was asked before are not the function's.
static void believe_any_order(GradeCase *drawn, const StageArgs *before)
{
    const GradeWorkers *workers = grade_now.workers;
    GradeOrder order = {drawn, before, workers->first, workers->kept, {.end = WORKER_ANSWERED}};
    if (grade_now.alone || grade_now.depends[LANGUAGE_ENGLISH])
        return;
    bool depends = false, is_right = grade_case_same(drawn, drawn->expected);
    if (is_right && grade_now.edge == 0)
        depends = depends_on_another(&order);
    else if (!is_right && grade_now.was_right)
        depends = grade_trust_differs(&order, grade_now.depends, &grade_now.verdict->arena);
    grade_now.was_right = grade_now.was_right || is_right;
    if (order.last.end == WORKER_NOT_JUDGED)
        end_not_judged(&order.last);
    if (depends)
        ck_abort_msg("%s", "depends on other calls");
}

void grade_ask(GradeCase *drawn)
{
    const StageArgs asked = drawn->given;
    grade_now.call = drawn->call;
    grade_now.args = drawn->given;
    if (grade_now.workers->second && grade_now.guard != GUARD_LACKS) {
        Tensor kept[STAGE_WRITES_MAX];
        ask(drawn, grade_now.workers->second);
        grade_case_keep(drawn, &asked, kept);
        drawn->given = asked;
        ask(drawn, grade_now.workers->first);
        if (grade_now.guard != GUARD_LACKS && !grade_case_same(drawn, kept)) {
            grade_now.builds_differ = true;
            grade_now.are_far_apart = grade_now.are_far_apart || grade_case_is_far(drawn, kept);
        }
    } else {
        ask(drawn, grade_now.workers->first);
    }
    believe_any_order(drawn, &asked);
}

// --- the suite

static SRunner *runner_of(const GradeSuite *suite)
{
    Suite *all = suite_create(grade_now.exercise->name);
    for (int i = 0; i < suite->count; i++) {
        bool is_left_out = grade_now.alone
                               ? i != grade_now.alone_number
                               : grade_now.edge > 0 && grade_now.again[i].end != VERDICT_PASSED;
        if (is_left_out)
            continue;
        TCase *one = tcase_create(suite->tests[i].test->name);
        tcase_add_checked_fixture(one, begin, finish);
        tcase_add_test(one, suite->tests[i].test);
        suite_add_tcase(all, one);
    }
    SRunner *runner = srunner_create(all);
    srunner_set_fork_status(runner, CK_NOFORK);
    return runner;
}

// Check says which tests passed; a record that nothing failed for is not enough.
static bool take_results(SRunner *runner, int asked, Error *err)
{
    int count = srunner_ntests_run(runner);
    if (count != asked || grade_now.ran_count != asked)
        return error_set(err, "%s: %d tests ran, but there are %d", grade_now.exercise->name, count,
                         asked);
    TestResult **results = srunner_results(runner);
    for (int i = 0; i < count; i++) {
        VerdictTest *test = grade_now.ran[i];
        if (tr_rtype(results[i]) == CK_PASS && test->end == VERDICT_WRONG && !test->where &&
            !test->why[LANGUAGE_ENGLISH]) {
            test->end = VERDICT_PASSED;
            test->points = test->max;
        }
    }
    free(results);
    return true;
}

static bool run_once(Error *err)
{
    int asked = grade_now.alone      ? 1
                : grade_now.edge > 0 ? grade_passed(grade_now.again, grade_now.suite->count)
                                     : grade_now.suite->count;
    grade_now.number = grade_now.alone ? grade_now.alone_number : 0;
    grade_now.ran_count = 0;
    SRunner *runner = runner_of(grade_now.suite);
    srunner_run_all(runner, CK_SILENT);
    bool good = take_results(runner, asked, err);
    srunner_free(runner);
    return good;
}

static bool run_shown_and_hidden(Error *err)
{
    grade_now.edge = 0;
    grade_now.hidden = false;
    grade_now.sizes = grade_shown;
    if (!run_once(err))
        return false;
    grade_now.hidden = true;
    grade_now.sizes = grade_hidden;
    return run_once(err);
}

// What is right everywhere else is asked for the edges, one after the other; a test that failed at one
// has had its case.
static bool run_edges(Error *err)
{
    const Verdict *verdict = grade_now.verdict;
    int count = grade_now.suite->count;
    grade_now.again = &grade_now.verdict->tests[verdict->count - count];
    if (grade_passed(verdict->tests, verdict->count) < verdict->count)
        return true;
    while (grade_passed(grade_now.again, count) > 0 &&
           grade_edge(grade_now.edge++, &grade_now.sizes))
        if (!run_once(err))
            return false;
    return true;
}

// One of the shown tests, with other sizes. What is saved for a debugger is what is shown.
static bool run_alone(int number, const GradeSizes *sizes, VerdictTest *record_of, Error *err)
{
    grade_now.alone = record_of;
    grade_now.alone_number = number;
    grade_now.sizes = *sizes;
    grade_now.edge = 0;
    grade_now.hidden = false;
    grade_now.saved = grade_now.saved &&
                      verdict_first_failure(grade_now.verdict) != &grade_now.verdict->tests[number];
    bool good = run_once(err);
    grade_now.alone = NULL;
    return good;
}

bool grade_run(const GradeExercise *exercise, const GradeWorkers *workers, uint64_t seed,
               Verdict *verdict, Error *err)
{
    GradeSuite suite = {.count = 0};
    exercise->tests(&suite);
    grade_now.exercise = exercise;
    grade_now.workers = workers;
    grade_now.suite = &suite;
    grade_now.verdict = verdict;
    grade_now.seed = seed;
    memset(grade_now.depends, 0, sizeof grade_now.depends);
    grade_now.saved = grade_now.goes_back = grade_now.was_right = false;
    grade_now.guard = GUARD_UNASKED;
    memset(grade_now.machine_why, 0, sizeof grade_now.machine_why);
    grade_naming_begin();
    bool good = run_shown_and_hidden(err) && run_edges(err);
    grade_naming_agree(verdict);
    if (grade_now.depends[LANGUAGE_ENGLISH])
        grade_trust_none(verdict, grade_now.depends);
    good = good && grade_shrink(verdict, suite.count, run_alone, err);
    verdict_sum(verdict);
    return good;
}
