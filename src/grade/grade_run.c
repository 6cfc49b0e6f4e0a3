// grade_run: the tests of an exercise under Check, once with the numbers of the seed and once with
// hidden ones.
//
// Check runs them in this process (CK_NOFORK): nothing that could crash is here. Its tests are
// functions without arguments, so what they work on is `running`.
#include "grade_run.h"

#include <assert.h>
#include <string.h>
#include <stdlib.h>
#include "grade_naming.h"
#include "grade_shrink.h"
#include "grade_trust.h"
#include "tensor_difference.h"

enum {
    TESTS_MAX = VERDICT_TESTS_MAX / 2,
    CASES_MAX = 4,
    HURRIED_MILLISECONDS = 200,
};

struct GradeSuite {
    struct {
        const TTest *test;
        int points;
        const char *korean;
    } tests[TESTS_MAX];
    int count;
};

static struct {
    const GradeExercise *exercise;
    const GradeWorkers *workers;
    const GradeSuite *suite;
    Verdict *verdict;
    uint64_t seed;
    GradeSizes sizes;
    bool hidden;
    int edge; // 0: none; else the number of the edge, from 1
    VerdictTest
        *again; // at an edge, the first of the hidden tests; only those that passed run again
    VerdictTest *alone; // the record of the one test that runs, again and smaller; NULL: all run
    int alone_number;
    VerdictTest *ran[TESTS_MAX];
    int ran_count;
    int number;        // of the test that runs
    VerdictTest *test; // its record
    GradeCase cases[CASES_MAX];
    int case_count;
    bool goes_back;        // a test asked for gradients
    int asked;             // how often the learner's function was
    const StageCall *call; // what it was asked last
    StageArgs args;
    bool builds_differ; // the functions of the two builds gave different results
    bool are_far_apart; // and by more than any rounding
    bool saved;         // the first call that failed
    bool was_right;     // some answer to this exercise was
    const char
        *depends[LANGUAGES]; // why no answer is believed: what came before changes them; NULL
    enum { GUARD_UNASKED, GUARD_STARTS, GUARD_LACKS } guard; // whether sanitizers start here at all
    const char *machine_why[LANGUAGES]; // why this machine runs nothing more; NULL: it does
} running;

void grade_test(GradeSuite *suite, int points, const TTest *test, const char *korean)
{
    assert(suite->count < TESTS_MAX);
    suite->tests[suite->count].test = test;
    suite->tests[suite->count].points = points;
    suite->tests[suite->count++].korean = korean;
}

const GradeRunning *grade_running(void)
{
    static GradeRunning now;
    Verdict *verdict = running.verdict; // NULL: numbers are drawn, and no test runs
    bool is_recorded = verdict && !running.alone;
    now = (GradeRunning){.exercise = running.exercise,
                         .workers = running.workers,
                         .test = running.test,
                         .number = is_recorded ? (int)(running.test - verdict->tests) : -1,
                         .is_edge = running.edge > 0,
                         .goes_back = running.goes_back,
                         .is_alone = running.alone != NULL,
                         .arena = verdict ? &verdict->arena : NULL};
    return &now;
}

// --- around each test

// At an edge, the record of the next test that passed so far.
static VerdictTest *record(void)
{
    if (running.alone)
        return running.alone;
    if (running.edge == 0)
        return verdict_add(running.verdict);
    while (running.again[running.number].end != VERDICT_PASSED)
        running.number++;
    return &running.again[running.number];
}

static void begin(void)
{
    VerdictTest *test = record();
    running.test = running.ran[running.ran_count++] = test;
    running.case_count = running.asked = 0;
    running.builds_differ = running.are_far_apart = false;
    test->name = running.suite->tests[running.number].test->name;
    test->title[LANGUAGE_ENGLISH] = grade_title(test->name, &running.verdict->arena);
    test->title[LANGUAGE_KOREAN] = running.suite->tests[running.number].korean;
    test->max = running.suite->tests[running.number].points;
    test->hidden = running.hidden;
    test->points = 0;
    test->end = VERDICT_WRONG;
}

// What failed can be tried again under a debugger. Where it cannot be saved, the verdict holds anyway.
static void save_case(void)
{
    Error unsaved;
    bool failed = running.test->end != VERDICT_NOT_RUN &&
                  (running.test->where || running.test->why[LANGUAGE_ENGLISH]);
    if (failed && running.asked > 0 && !running.hidden && !running.saved &&
        running.workers->case_path)
        running.saved =
            worker_save_call(running.call, &running.args, running.workers->case_path, &unsaved);
}

// A test that never asked has shown nothing.
static void finish(void)
{
    if (running.builds_differ)
        grade_trust_builds(running.test, running.are_far_apart);
    save_case();
    if (running.asked == 0 && running.test->end == VERDICT_PASSED)
        running.test->end = VERDICT_WRONG;
    for (int i = 0; i < running.case_count; i++)
        grade_case_close(&running.cases[i]);
    running.number++;
}

// --- cases

static uint64_t case_seed(void)
{
    uint64_t seed = running.seed * 0x2545f4914f6cdd1du + (uint64_t)running.edge;
    seed ^= (uint64_t)(running.hidden ? 7919 : 0) << 32;
    return seed + (uint64_t)(running.number * CASES_MAX + running.case_count) * 0x100000001b3u;
}

GradeCase *grade_draw_call(unsigned wishes, const char *label)
{
    ck_assert_int_lt(running.case_count, CASES_MAX);
    GradeCase *drawn = &running.cases[running.case_count];
    running.goes_back = running.goes_back || wishes & GRADE_BACKWARD;
    grade_case_open(drawn, running.exercise, wishes, label, &running.sizes, case_seed());
    running.case_count++;
    return drawn;
}

GradeCase *grade_draw(unsigned wishes)
{
    return grade_draw_call(wishes, NULL);
}

// A function that never ended once does not get as much time again: a test has several questions.
static void lose_patience(void)
{
    running.workers->first->milliseconds = HURRIED_MILLISECONDS;
    if (running.workers->second)
        running.workers->second->milliseconds = HURRIED_MILLISECONDS;
}

static void keep_why(const WorkerAnswer *answer, const char *why[LANGUAGES])
{
    for (int language = 0; language < LANGUAGES; language++)
        why[language] = grade_kept(answer->why[language], &running.verdict->arena);
}

// What this machine could not do for one question it is not asked to do for the others: the exercise
// is not judged, whatever came of them.
static void end_not_run(void)
{
    running.test->end = VERDICT_NOT_RUN;
    memcpy(running.test->why, running.machine_why, sizeof running.machine_why);
    ck_abort_msg("%s", "this machine could not run it");
}

static void end_not_judged(const WorkerAnswer *answer)
{
    keep_why(answer, running.machine_why);
    end_not_run();
}

// Where sanitizers do not start at all, it is done without. A program that ends only where they watch is
// no reason: that is found out with one that is known to be right.
static bool guard_starts(void)
{
    if (running.guard == GUARD_UNASKED)
        running.guard =
            worker_sanitizers_start(running.exercise->name) ? GUARD_STARTS : GUARD_LACKS;
    return running.guard == GUARD_STARTS;
}

static void ask(GradeCase *drawn, Worker *worker)
{
    WorkerAnswer answer;
    StageArgs args = drawn->given;
    if (running.machine_why[LANGUAGE_ENGLISH])
        end_not_run();
    running.asked++;
    if (worker_call(worker, drawn->call, &args, &answer) == WORKER_ANSWERED) {
        drawn->given = args;
        memcpy(drawn->unwritten, answer.unwritten, sizeof answer.unwritten);
        return;
    }
    if (answer.at_start && worker == running.workers->second && !guard_starts())
        return;
    if (answer.end == WORKER_NOT_JUDGED)
        end_not_judged(&answer);
    if (answer.end == WORKER_TIMED_OUT)
        lose_patience();
    running.test->end = VERDICT_BROKEN;
    keep_why(&answer, running.test->why);
    running.test->given = grade_given(drawn, &running.verdict->arena);
    running.test->printed = running.hidden ? NULL : grade_printed(worker, &running.verdict->arena);
    ck_abort_msg("%s", "no answer");
}

static bool depends_on_another(GradeOrder *order)
{
    GradeCase other, *drawn = order->drawn;
    const GradeSizes *sizes = running.hidden ? &grade_shown : &grade_hidden;
    grade_case_open(&other, running.exercise, drawn->wishes, drawn->label, sizes, ~case_seed());
    bool depends = grade_trust_depends(order, &other, running.depends, &running.verdict->arena);
    grade_case_close(&other);
    return depends;
}

// Right numbers that come of what was asked before are not the function's.
static void believe_any_order(GradeCase *drawn, const StageArgs *before)
{
    const GradeWorkers *workers = running.workers;
    GradeOrder order = {drawn, before, workers->first, workers->kept, {.end = WORKER_ANSWERED}};
    if (running.alone || running.depends[LANGUAGE_ENGLISH])
        return;
    bool depends = false, is_right = grade_case_same(drawn, drawn->expected);
    if (is_right && running.edge == 0)
        depends = depends_on_another(&order);
    else if (!is_right && running.was_right)
        depends = grade_trust_differs(&order, running.depends, &running.verdict->arena);
    running.was_right = running.was_right || is_right;
    if (order.last.end == WORKER_NOT_JUDGED)
        end_not_judged(&order.last);
    if (depends)
        ck_abort_msg("%s", "depends on other calls");
}

void grade_ask(GradeCase *drawn)
{
    const StageArgs asked = drawn->given;
    running.call = drawn->call;
    running.args = drawn->given;
    if (running.workers->second && running.guard != GUARD_LACKS) {
        Tensor kept[STAGE_WRITES_MAX];
        ask(drawn, running.workers->second);
        grade_case_keep(drawn, &asked, kept);
        drawn->given = asked;
        ask(drawn, running.workers->first);
        if (running.guard != GUARD_LACKS && !grade_case_same(drawn, kept)) {
            running.builds_differ = true;
            running.are_far_apart = running.are_far_apart || grade_case_is_far(drawn, kept);
        }
    } else {
        ask(drawn, running.workers->first);
    }
    believe_any_order(drawn, &asked);
}

// --- the suite

static SRunner *runner_of(const GradeSuite *suite)
{
    Suite *all = suite_create(running.exercise->name);
    for (int i = 0; i < suite->count; i++) {
        bool is_left_out = running.alone
                               ? i != running.alone_number
                               : running.edge > 0 && running.again[i].end != VERDICT_PASSED;
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
    if (count != asked || running.ran_count != asked)
        return error_set(err, "%s: %d tests ran, but there are %d", running.exercise->name, count,
                         asked);
    TestResult **results = srunner_results(runner);
    for (int i = 0; i < count; i++) {
        VerdictTest *test = running.ran[i];
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
    int asked = running.alone      ? 1
                : running.edge > 0 ? grade_passed(running.again, running.suite->count)
                                   : running.suite->count;
    running.number = running.alone ? running.alone_number : 0;
    running.ran_count = 0;
    SRunner *runner = runner_of(running.suite);
    srunner_run_all(runner, CK_SILENT);
    bool good = take_results(runner, asked, err);
    srunner_free(runner);
    return good;
}

static bool run_shown_and_hidden(Error *err)
{
    running.edge = 0;
    running.hidden = false;
    running.sizes = grade_shown;
    if (!run_once(err))
        return false;
    running.hidden = true;
    running.sizes = grade_hidden;
    return run_once(err);
}

// What is right everywhere else is asked for the edges, one after the other; a test that failed at one
// has had its case.
static bool run_edges(Error *err)
{
    const Verdict *verdict = running.verdict;
    int count = running.suite->count;
    running.again = &running.verdict->tests[verdict->count - count];
    if (grade_passed(verdict->tests, verdict->count) < verdict->count)
        return true;
    while (grade_passed(running.again, count) > 0 && grade_edge(running.edge++, &running.sizes))
        if (!run_once(err))
            return false;
    return true;
}

// One of the shown tests, with other sizes. What is saved for a debugger is what is shown.
static bool run_alone(int number, const GradeSizes *sizes, VerdictTest *record_of, Error *err)
{
    running.alone = record_of;
    running.alone_number = number;
    running.sizes = *sizes;
    running.edge = 0;
    running.hidden = false;
    running.saved =
        running.saved && verdict_first_failure(running.verdict) != &running.verdict->tests[number];
    bool good = run_once(err);
    running.alone = NULL;
    return good;
}

bool grade_run(const GradeExercise *exercise, const GradeWorkers *workers, uint64_t seed,
               Verdict *verdict, Error *err)
{
    GradeSuite suite = {.count = 0};
    exercise->tests(&suite);
    running.exercise = exercise;
    running.workers = workers;
    running.suite = &suite;
    running.verdict = verdict;
    running.seed = seed;
    memset(running.depends, 0, sizeof running.depends);
    running.saved = running.goes_back = running.was_right = false;
    running.guard = GUARD_UNASKED;
    memset(running.machine_why, 0, sizeof running.machine_why);
    grade_naming_begin();
    bool good = run_shown_and_hidden(err) && run_edges(err);
    grade_naming_agree(verdict);
    if (running.depends[LANGUAGE_ENGLISH])
        grade_trust_none(verdict, running.depends);
    good = good && grade_shrink(verdict, suite.count, run_alone, err);
    verdict_sum(verdict);
    return good;
}
