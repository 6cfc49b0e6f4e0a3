// Runs the tests of an exercise under Check, once with visible and once with hidden numbers.
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "grade_internal.h"
#include "tensor.h"
#include "words.h"

// --- which right numbers count

// A check whether answers depend on earlier calls.
typedef struct GradeOrder {
    GradeCase *drawn;        // answered
    const StageArgs *before; // its arguments as they were
    Worker *worker;
    const char
        *kept; // the learner's line that keeps state, "scale.c:4: static float root"; or NULL
    WorkerAnswer last; // its end tells whether the machine could ask
} GradeOrder;

typedef enum Trust {
#define TRUST(name, english, korean) TRUST_##name,
#include "grade_properties.def"
} Trust;

static const Words trusts[] = {
#define TRUST(name, english, korean) WORDS(english, korean),
#include "grade_properties.def"
};

// Explains, in each language, why two runs with the same inputs differ. In the arena.
static void grade_trust_unset(const GradeWorkers *workers, const char *why[LANGUAGES], Arena *arena)
{
    Trust trust = workers->unset_line && workers->unset_name ? TRUST_UNSET : TRUST_UNSET_SOMEWHERE;
    for (int language = 0; language < LANGUAGES; language++) {
        char text[WORKER_TEXT_MAX];
        words_format(text, sizeof text, trusts[trust].in[language], workers->unset_line,
                     workers->unset_name);
        why[language] = grade_kept(text, arena);
    }
}

// Adds to a failure that the function may read an uninitialised variable, if one is known.
static void grade_trust_unset_broken(const GradeWorkers *workers, const char *why[LANGUAGES],
                                     Arena *arena)
{
    if (!workers->unset_line || !workers->unset_name)
        return;
    for (int language = 0; language < LANGUAGES; language++) {
        char text[WORKER_TEXT_MAX];
        if (!why[language])
            continue;
        words_format(text, sizeof text, trusts[TRUST_UNSET_BROKEN].in[language], why[language],
                     workers->unset_line, workers->unset_name);
        why[language] = grade_kept(text, arena);
    }
}

// If answers depend on other calls, no test has passed and wrong numbers explain nothing.
static void grade_trust_none(Verdict *verdict, const char *const sentences[LANGUAGES])
{
    for (int i = 0; i < verdict->count; i++) {
        VerdictTest *test = &verdict->tests[i];
        memset(test->mistakes, 0, sizeof test->mistakes);
        memset(test->relation, 0, sizeof test->relation);
        memset(test->property, 0, sizeof test->property);
        if (test->end != VERDICT_PASSED && (test->where || test->why[LANGUAGE_ENGLISH]))
            continue;
        test->end = VERDICT_BROKEN;
        test->points = 0;
        memcpy(test->why, sentences, sizeof test->why);
    }
}

static WorkerEnd trust_ask(GradeOrder *order, GradeCase *drawn, const StageArgs *before)
{
    StageArgs args = *before;
    if (worker_call(order->worker, drawn->call, &args, &order->last) == WORKER_ANSWERED)
        drawn->given = args;
    return order->last.end;
}

// --- messages

static const char *in_words(const GradeOrder *order, Trust why, int language,
                            const char *const values[3], Arena *arena)
{
    char text[WORKER_TEXT_MAX], kept[256] = "";
    const char *form = trusts[why].in[language];
    if (order->kept)
        words_format(kept, sizeof kept, trusts[TRUST_KEPT].in[language], order->kept);
    if (why == TRUST_ORDER)
        words_format(text, sizeof text, form, values[0], values[1], values[2], kept);
    else
        words_format(text, sizeof text, form, kept);
    return grade_kept(text, arena);
}

// Where the message goes, in each language, and its arena.
typedef struct SentenceList {
    const char **sentences;
    Arena *arena;
} SentenceList;

static void say(const GradeOrder *order, Trust why, const char *const values[3],
                const SentenceList *list)
{
    for (int language = 0; language < LANGUAGES; language++)
        list->sentences[language] = in_words(order, why, language, values, list->arena);
}

// True if the answer after another call (or `end`) differs from the answer without one.
static bool differs(const GradeOrder *order, WorkerEnd end, const GradeCase *drawn,
                    const Tensor *after, const Tensor *without, const SentenceList *list)
{
    const char *values[3] = {NULL};
    char place[128];
    TensorDifference difference = {.kind = DIFFERENCE_SHAPE};
    if (end == WORKER_ANSWERED)
        difference = grade_difference(drawn, after, without);
    if (difference.kind == DIFFERENCE_NONE)
        return false;
    if (difference.kind == DIFFERENCE_SHAPE) {
        say(order, TRUST_SILENT, values, list);
        return true;
    }
    double now = tensor_number(after, difference.first_at);
    double then = tensor_number(without, difference.first_at);
    values[0] = grade_property_place(drawn, difference.first_at, place);
    values[1] = grade_number(now, then, list->arena);
    values[2] = grade_number(then, now, list->arena);
    say(order, TRUST_ORDER, values, list);
    return true;
}

// --- calls

// Runs a case in a new process and compares; `after` is the answer in the old process.
static bool depends_on_process(GradeOrder *order, GradeCase *asked, const StageArgs *before,
                               WorkerEnd end, const Tensor *after, const SentenceList *list)
{
    worker_close(order->worker);
    return trust_ask(order, asked, before) == WORKER_ANSWERED &&
           differs(order, end, asked, after, grade_result(asked), list);
}

// Runs another case with other shapes, then the first again; if the other one is wrong, also that one in a new
// process. Returns true if an answer depends on earlier calls, with a message in each language, in the arena.
static bool grade_trust_depends(GradeOrder *order, GradeCase *other,
                                const char *sentences[LANGUAGES], Arena *arena)
{
    const StageArgs before_other = other->given;
    Tensor first[STAGE_WRITES_MAX], after[STAGE_WRITES_MAX];
    int slot = grade_main_slot(order->drawn);
    grade_case_keep(order->drawn, order->before, first);
    WorkerEnd end = trust_ask(order, other, &before_other);
    bool is_right = end == WORKER_ANSWERED && grade_case_same(other, other->expected);
    if (end == WORKER_NOT_JUDGED || end == WORKER_TIMED_OUT)
        return false;
    grade_case_keep(other, &before_other, after);
    WorkerEnd again = trust_ask(order, order->drawn, order->before);
    if (again == WORKER_NOT_JUDGED || (again == WORKER_TIMED_OUT && worker_is_spent(order->worker)))
        return false;
    const SentenceList list = {sentences, arena};
    return differs(order, again, order->drawn, grade_result(order->drawn), &first[slot], &list) ||
           (!is_right && depends_on_process(order, other, &before_other, end, &after[slot], &list));
}

// --- smaller cases

// The sizes to try for a smaller failing case, smallest first.
static const struct {
    ptrdiff_t batch, heads, length, width;
} smaller[] = {
    {1, 1, 1, 1}, {1, 1, 1, 2}, {1, 1, 2, 1}, {1, 1, 2, 2}, {1, 2, 1, 2}, {1, 2, 2, 2},
    {2, 1, 2, 2}, {1, 1, 3, 2}, {2, 2, 2, 2}, {1, 2, 3, 2}, {2, 1, 3, 2}, {2, 2, 3, 3},
};

static GradeSizes sizes_of(int number, bool is_whole)
{
    return (GradeSizes){.batch = {smaller[number].batch, smaller[number].batch},
                        .heads = {smaller[number].heads, smaller[number].heads},
                        .length = {smaller[number].length, smaller[number].length},
                        .width = {smaller[number].width, smaller[number].width},
                        .layer = {2, 2},
                        .may_agree = true,
                        .is_whole = is_whole};
}

// A crash or a loop in a smaller case is another fault: then the original case stays.
static bool shrink(GradeRun *run, int number, GradeAgain *again, Error *err)
{
    Verdict *verdict = run->verdict;
    enum { ROWS = sizeof smaller / sizeof *smaller };
    for (int i = 0; i < 2 * ROWS; i++) {
        VerdictTest small = {.name = NULL};
        const GradeAlone alone = {.number = number, .sizes = sizes_of(i % ROWS, i < ROWS)};
        if (!again(run, &alone, &small, err))
            return false;
        if (small.why[LANGUAGE_ENGLISH])
            return true;
        if (small.end == VERDICT_WRONG && small.where) {
            VerdictTest *kept = arena_take(&verdict->arena, 1, sizeof *kept, err);
            if (kept)
                *kept = small;
            verdict->tests[number].smallest = kept;
            return kept != NULL;
        }
    }
    return true;
}

// Finds, for each of the first `count` tests with wrong numbers, the smallest case that fails: shapes in order of
// size, first with small whole numbers, then with any. Deterministic for a seed; at most twice as many tries as rows.
static bool grade_shrink(GradeRun *run, int count, GradeAgain *again, Error *err)
{
    bool good = true;
    for (int i = 0; good && i < count; i++) {
        const VerdictTest *test = &run->verdict->tests[i];
        if (test->end == VERDICT_WRONG && test->where && !test->hidden)
            good = shrink(run, i, again, err);
    }
    return good;
}

// --- the run
//
// Check runs the tests in this process (CK_NOFORK): no learner's code runs here.

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

// Check passes tests and fixtures only a number, so they find their run here. NULL while Check runs none.
static GradeRun *under_check;

// At an edge: the record of the next test that has passed so far.
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

// A test that made no call has shown nothing. Right numbers that differ between the two builds by more than rounding do
// not count. A failing call is saved for a debugger; if that fails, the verdict stands.
static void finish(void)
{
    GradeRun *run = under_check;
    VerdictTest *test = run->test;
    Error unsaved;
    if (run->builds_differ && !test->why[LANGUAGE_ENGLISH] && !test->where) {
        test->end = VERDICT_BROKEN;
        memcpy(test->why, trusts[TRUST_BUILDS].in, sizeof test->why);
    }
    bool failed = test->end != VERDICT_NOT_RUN && (test->where || test->why[LANGUAGE_ENGLISH]);
    if (failed && run->asked > 0 && !run->hidden && !run->saved && run->workers->case_path)
        run->saved = worker_save_call(run->call, &run->args, run->workers->case_path, &unsaved);
    if (run->asked == 0 && test->end == VERDICT_PASSED)
        test->end = VERDICT_WRONG;
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

static void keep_why(const WorkerAnswer *answer, const char *why[LANGUAGES], Arena *arena)
{
    for (int language = 0; language < LANGUAGES; language++)
        why[language] = grade_kept(answer->why[language], arena);
}

// If the machine failed at one call, the exercise is not judged, whatever the other calls gave.
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

static void run_ask(GradeCase *drawn, Worker *worker)
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
    // If sanitizers do not start on this machine, works without them. A program that ends only under sanitizers is no
    // proof: a known program is tried.
    if (answer.at_start && worker == run->workers->second && run->guard == GUARD_UNASKED)
        run->guard = worker_sanitizers_start(run->exercise->name) ? GUARD_STARTS : GUARD_LACKS;
    if (answer.at_start && worker == run->workers->second && run->guard != GUARD_STARTS)
        return;
    if (answer.end == WORKER_NOT_JUDGED)
        end_not_judged(run, &answer);
    // After one endless call, later ones get less time: a test makes several.
    Worker *const all[] = {run->workers->first, run->workers->second};
    for (int i = 0; i < 2 && answer.end == WORKER_TIMED_OUT && !worker_is_spent(worker); i++)
        if (all[i])
            all[i]->milliseconds = HURRIED_MILLISECONDS;
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

// Right numbers that depend on earlier calls do not count.
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
    else if (!is_right && run->was_right) {
        Tensor here[STAGE_WRITES_MAX];
        grade_case_keep(drawn, before, here);
        depends = depends_on_process(&order, drawn, before, WORKER_ANSWERED,
                                     &here[grade_main_slot(drawn)],
                                     &(SentenceList){run->depends, &run->verdict->arena});
    }
    run->was_right = run->was_right || is_right;
    if (order.last.end == WORKER_NOT_JUDGED)
        end_not_judged(run, &order.last);
    if (depends)
        ck_abort_msg("%s", "depends on other calls");
}

void grade_ask(GradeCase *drawn)
{
    GradeRun *run = drawn->run;
    const StageArgs asked = drawn->given;
    run->call = drawn->call;
    run->args = drawn->given;
    if (run->workers->second && run->guard != GUARD_LACKS) {
        Tensor kept[STAGE_WRITES_MAX];
        run_ask(drawn, run->workers->second);
        grade_case_keep(drawn, &asked, kept);
        drawn->given = asked;
        run_ask(drawn, run->workers->first);
        if (run->guard != GUARD_LACKS && !grade_case_same(drawn, kept)) {
            run->builds_differ = true;
            if (grade_case_is_far(drawn, kept)) { // beyond rounding: no known mistake explains it
                run->test->end = VERDICT_BROKEN;
                grade_trust_unset(run->workers, run->test->why, &run->verdict->arena);
                run->test->given = grade_given(drawn, &run->verdict->arena);
                ck_abort_msg("%s", "two answers");
            }
        }
    } else {
        run_ask(drawn, run->workers->first);
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

// Check knows which tests passed; a record without a failure does not suffice.
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

// Runs the edge cases in order, if everything else passed; a test that failed at one is done.
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

// Runs one test again with other numbers, saving nothing for the debugger.
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
