// grade_run: the tests of an exercise under Check, once with the numbers of the seed and once with
// hidden ones.
//
// Check runs them in this process (CK_NOFORK): nothing that could crash is here.
#include "grade_run.h"

#include <assert.h>
#include <string.h>
#include <stdlib.h>
#include "grade_naming.h"
#include "grade_running.h"
#include "grade_shrink.h"
#include "grade_trust.h"
#include "grade_witness.h"
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

// Check hands its tests and what stands around them nothing but a number: here they find their run, and the
// cases that they draw lead to it from then on. NULL while Check runs none.
static GradeRun *under_check;

// At an edge, the record of the next test that passed so far.
static VerdictTest *record(GradeRun *run)
{
    if (run->alone)
        return run->alone;
    if (run->edge == 0)
        return verdict_add(run->verdict);
    while (run->again[run->number].end != VERDICT_PASSED)
        run->number++;
    return &run->again[run->number];
}

static void begin(void)
{
    GradeRun *run = under_check;
    VerdictTest *test = record(run);
    run->test = run->ran[run->ran_count++] = test;
    run->case_count = run->asked = 0;
    run->builds_differ = false;
    test->name = run->suite->tests[run->number].test->name;
    test->title[LANGUAGE_ENGLISH] = grade_title(test->name, &run->verdict->arena);
    test->title[LANGUAGE_KOREAN] = run->suite->tests[run->number].korean;
    test->max = run->suite->tests[run->number].points;
    test->hidden = run->hidden;
    test->points = 0;
    test->end = VERDICT_WRONG;
}

// What failed can be tried again under a debugger. Where it cannot be saved, the verdict holds anyway.
static void save_case(GradeRun *run)
{
    Error unsaved;
    bool failed =
        run->test->end != VERDICT_NOT_RUN && (run->test->where || run->test->why[LANGUAGE_ENGLISH]);
    if (failed && run->asked > 0 && !run->hidden && !run->saved && run->workers->case_path)
        run->saved = worker_save_call(run->call, &run->args, run->workers->case_path, &unsaved);
}

// A test that never asked has shown nothing.
static void finish(void)
{
    GradeRun *run = under_check;
    if (run->builds_differ)
        grade_trust_builds(run->test);
    save_case(run);
    if (run->asked == 0 && run->test->end == VERDICT_PASSED)
        run->test->end = VERDICT_WRONG;
    for (int i = 0; i < run->case_count; i++)
        grade_case_close(&run->cases[i]);
    run->number++;
}

// --- cases

static uint64_t case_seed(const GradeRun *run)
{
    uint64_t seed = run->seed * 0x2545f4914f6cdd1du + (uint64_t)run->edge;
    seed ^= (uint64_t)(run->hidden ? 7919 : 0) << 32 ^ (uint64_t)run->round << 48;
    return seed + (uint64_t)(run->number * GRADE_CASES_MAX + run->case_count) * 0x100000001b3u;
}

GradeCase *grade_draw_call(unsigned wishes, const char *label)
{
    GradeRun *run = under_check;
    ck_assert_int_lt(run->case_count, GRADE_CASES_MAX);
    GradeCase *drawn = &run->cases[run->case_count];
    run->goes_back = run->goes_back || wishes & GRADE_BACKWARD;
    grade_case_open(drawn, run->exercise, wishes, label, &run->sizes, case_seed(run));
    drawn->run = run;
    run->case_count++;
    return drawn;
}

GradeCase *grade_draw(unsigned wishes)
{
    return grade_draw_call(wishes, NULL);
}

// A function that never ended once does not get as much time again: a test has several questions.
static void lose_patience(const GradeRun *run)
{
    run->workers->first->milliseconds = HURRIED_MILLISECONDS;
    if (run->workers->second)
        run->workers->second->milliseconds = HURRIED_MILLISECONDS;
}

static void keep_why(const WorkerAnswer *answer, const char *why[LANGUAGES], Arena *arena)
{
    for (int language = 0; language < LANGUAGES; language++)
        why[language] = grade_kept(answer->why[language], arena);
}

// What this machine could not do for one question it is not asked to do for the others: the exercise
// is not judged, whatever came of them.
static void end_not_run(const GradeRun *run)
{
    run->test->end = VERDICT_NOT_RUN;
    memcpy(run->test->why, run->machine_why, sizeof run->machine_why);
    ck_abort_msg("%s", "this machine could not run it");
}

static void end_not_judged(GradeRun *run, const WorkerAnswer *answer)
{
    keep_why(answer, run->machine_why, &run->verdict->arena);
    end_not_run(run);
}

// Where sanitizers do not start at all, it is done without. A program that ends only where they watch is
// no reason: that is found out with one that is known to be right.
static bool guard_starts(GradeRun *run)
{
    if (run->guard == GUARD_UNASKED)
        run->guard = worker_sanitizers_start(run->exercise->name) ? GUARD_STARTS : GUARD_LACKS;
    return run->guard == GUARD_STARTS;
}

static void ask(GradeCase *drawn, Worker *worker)
{
    GradeRun *run = drawn->run;
    WorkerAnswer answer;
    StageArgs args = drawn->given;
    if (run->machine_why[LANGUAGE_ENGLISH])
        end_not_run(run);
    run->asked++;
    if (worker_call(worker, drawn->call, &args, &answer) == WORKER_ANSWERED) {
        drawn->given = args;
        memcpy(drawn->unwritten, answer.unwritten, sizeof answer.unwritten);
        return;
    }
    if (answer.at_start && worker == run->workers->second && !guard_starts(run))
        return;
    if (answer.end == WORKER_NOT_JUDGED)
        end_not_judged(run, &answer);
    if (answer.end == WORKER_TIMED_OUT && !worker_is_spent(worker))
        lose_patience(run);
    run->test->end = VERDICT_BROKEN;
    keep_why(&answer, run->test->why, &run->verdict->arena);
    grade_trust_unset_broken(run->workers, run->test->why, &run->verdict->arena);
    run->test->given = grade_given(drawn, &run->verdict->arena);
    run->test->printed = run->hidden ? NULL : grade_printed(worker, &run->verdict->arena);
    ck_abort_msg("%s", "no answer");
}

static bool depends_on_another(GradeOrder *order)
{
    GradeCase other, *drawn = order->drawn;
    GradeRun *run = drawn->run;
    const GradeSizes *sizes = run->hidden ? &grade_shown : &grade_hidden;
    grade_case_open(&other, run->exercise, drawn->wishes, drawn->label, sizes, ~case_seed(run));
    other.run = run;
    bool depends = grade_trust_depends(order, &other, run->depends, &run->verdict->arena);
    grade_case_close(&other);
    return depends;
}

// Right numbers that come of what was asked before are not the function's.
static void believe_any_order(GradeCase *drawn, const StageArgs *before)
{
    GradeRun *run = drawn->run;
    const GradeWorkers *workers = run->workers;
    GradeOrder order = {drawn, before, workers->first, workers->kept, {.end = WORKER_ANSWERED}};
    if (run->alone || run->depends[LANGUAGE_ENGLISH])
        return;
    bool depends = false, is_right = grade_case_same(drawn, drawn->expected);
    if (is_right && run->edge == 0)
        depends = depends_on_another(&order);
    else if (!is_right && run->was_right)
        depends = grade_trust_differs(&order, run->depends, &run->verdict->arena);
    run->was_right = run->was_right || is_right;
    if (order.last.end == WORKER_NOT_JUDGED)
        end_not_judged(run, &order.last);
    if (depends)
        ck_abort_msg("%s", "depends on other calls");
}

// By more than any rounding: no mistake of the bank has made such numbers.
static void end_unset(GradeCase *drawn)
{
    GradeRun *run = drawn->run;
    run->test->end = VERDICT_BROKEN;
    grade_trust_unset(run->workers, run->test->why, &run->verdict->arena);
    run->test->given = grade_given(drawn, &run->verdict->arena);
    ck_abort_msg("%s", "two answers");
}

void grade_ask(GradeCase *drawn)
{
    GradeRun *run = drawn->run;
    const StageArgs asked = drawn->given;
    run->call = drawn->call;
    run->args = drawn->given;
    if (run->workers->second && run->guard != GUARD_LACKS) {
        Tensor kept[STAGE_WRITES_MAX];
        ask(drawn, run->workers->second);
        grade_case_keep(drawn, &asked, kept);
        drawn->given = asked;
        ask(drawn, run->workers->first);
        if (run->guard != GUARD_LACKS && !grade_case_same(drawn, kept)) {
            run->builds_differ = true;
            if (grade_case_is_far(drawn, kept))
                end_unset(drawn);
        }
    } else {
        ask(drawn, run->workers->first);
    }
    believe_any_order(drawn, &asked);
}

// --- the suite

static SRunner *runner_of(const GradeRun *run)
{
    const GradeSuite *suite = run->suite;
    Suite *all = suite_create(run->exercise->name);
    for (int i = 0; i < suite->count; i++) {
        bool is_left_out = run->alone ? i != run->alone_number
                                      : run->edge > 0 && run->again[i].end != VERDICT_PASSED;
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
static bool take_results(const GradeRun *run, SRunner *runner, int asked, Error *err)
{
    int count = srunner_ntests_run(runner);
    if (count != asked || run->ran_count != asked)
        return error_set(err, "%s: %d tests ran, but there are %d", run->exercise->name, count,
                         asked);
    TestResult **results = srunner_results(runner);
    for (int i = 0; i < count; i++) {
        VerdictTest *test = run->ran[i];
        if (tr_rtype(results[i]) == CK_PASS && test->end == VERDICT_WRONG && !test->where &&
            !test->why[LANGUAGE_ENGLISH]) {
            test->end = VERDICT_PASSED;
            test->points = test->max;
        }
    }
    free(results);
    return true;
}

static bool run_once(GradeRun *run, Error *err)
{
    int asked = run->alone      ? 1
                : run->edge > 0 ? grade_passed(run->again, run->suite->count)
                                : run->suite->count;
    run->number = run->alone ? run->alone_number : 0;
    run->ran_count = 0;
    SRunner *runner = runner_of(run);
    under_check = run;
    srunner_run_all(runner, CK_SILENT);
    under_check = NULL;
    bool good = take_results(run, runner, asked, err);
    srunner_free(runner);
    return good;
}

static bool run_shown_and_hidden(GradeRun *run, Error *err)
{
    run->edge = 0;
    run->hidden = false;
    run->sizes = grade_shown;
    if (!run_once(run, err))
        return false;
    run->hidden = true;
    run->sizes = grade_hidden;
    return run_once(run, err);
}

// What is right everywhere else is asked for the edges, one after the other; a test that failed at one
// has had its case.
static bool run_edges(GradeRun *run, Error *err)
{
    const Verdict *verdict = run->verdict;
    int count = run->suite->count;
    run->again = &run->verdict->tests[verdict->count - count];
    if (grade_passed(verdict->tests, verdict->count) < verdict->count)
        return true;
    while (grade_passed(run->again, count) > 0 && grade_edge(run->edge++, &run->sizes))
        if (!run_once(run, err))
            return false;
    return true;
}

// One of the tests, with other numbers. What is saved for a debugger is what is shown.
static bool run_alone(GradeRun *run, const GradeAlone *alone, VerdictTest *record_of, Error *err)
{
    const Verdict *verdict = run->verdict;
    bool is_shown = alone->round == 0, saved = run->saved;
    run->alone = record_of;
    run->alone_number = alone->number;
    run->sizes = alone->sizes;
    run->edge = alone->edge;
    run->hidden = alone->hidden;
    run->round = alone->round;
    run->saved =
        !is_shown || (saved && verdict_first_failure(verdict) != &verdict->tests[alone->number]);
    bool good = run_once(run, err);
    run->saved = is_shown ? run->saved : saved;
    run->round = 0;
    run->alone = NULL;
    return good;
}

bool grade_run(const GradeExercise *exercise, const GradeWorkers *workers, uint64_t seed,
               Verdict *verdict, Error *err)
{
    GradeSuite suite = {.count = 0};
    GradeRun *run = arena_take(&verdict->arena, 1, sizeof *run, err);
    if (!run)
        return false;
    exercise->tests(&suite);
    run->exercise = exercise;
    run->workers = workers;
    run->suite = &suite;
    run->verdict = verdict;
    run->seed = seed;
    bool good = run_shown_and_hidden(run, err) && run_edges(run, err);
    grade_naming_agree(&run->naming, verdict);
    good = good && grade_witness(run, suite.count, run_alone, err);
    grade_naming_say(&run->naming, verdict);
    if (run->depends[LANGUAGE_ENGLISH])
        grade_trust_none(verdict, run->depends);
    good = good && grade_shrink(run, suite.count, run_alone, err);
    verdict_sum(verdict);
    return good;
}
