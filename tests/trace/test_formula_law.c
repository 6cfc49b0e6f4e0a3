// The law of formulas: what a stage's formula gives is what its loop gives, for every step of every scenario
// and of every tiny shape. In float32 they agree bit for bit. In double precision, where the loop runs by
// exact.h, they may differ by a few roundings.
#include "scenario_file.h"
#include "suite.h"
#include "tiny.h"
#include "trace.h"
#include "trace_program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Relative to the largest number of the tensor: sums that cancel lose digits. 2^-52 is 2e-16; longest
// sums here have some thousand terms.
static const double nearly = 1e-12;

// Steps of more operations than this are left to the tiny shapes, which have the same stages.
static const double affordable = 3e6;

static double exact_at(const TraceExact *exact, const Tensor *wide, const ptrdiff_t at[])
{
    (void)exact;
    if (wide->dtype != DTYPE_F32)
        return tensor_number(wide, at);
    return ((const double *)wide->storage.bytes)[tensor_place(wide, at)];
}

static double largest_of(const TraceExact *exact, const Tensor *wide)
{
    double largest = 1e-30;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(wide) > 0; more; more = tensor_next(wide, at)) {
        double number = fabs(exact_at(exact, wide, at));
        if (isfinite(number) && number > largest)
            largest = number;
    }
    return largest;
}

static bool agree(double a, double b, double largest)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= nearly * largest;
}

// A result's tensor in a trace, as the formula writes it.
static Tensor as_written(const TraceProgram *made, int number, const Trace *trace,
                         const char *where)
{
    const FormulaResult *result = &made->program.results[number];
    int slot = trace_program_slot(made, number);
    const TraceStep *step = &made->trace->steps[made->step];
    Tensor tensor = trace->tensors[step->writes[slot]].tensor;
    Error err;
    if (tensor.rank == result->rank - 1) // heads that are not there
        tensor = tensor_unsqueeze(&tensor, strchr("HG", step->call->writes[slot].axes[2]) ? 1 : 2);
    if (result->rank == 0)
        while (tensor.rank > 0)
            tensor = tensor_select(&tensor, 0, 0);
    ck_assert_msg(tensor_expand(&tensor, result->rank, result->shape, &tensor, &err), "%s: %s",
                  where, err.text);
    return tensor;
}

static void check_result(const TraceProgram *made, int number, const TraceExact *exact,
                         const char *where)
{
    const FormulaResult *result = &made->program.results[number];
    Tensor wide = as_written(made, number, &exact->wide, where);
    double largest = largest_of(exact, &wide);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(&wide) > 0; more; more = tensor_next(&wide, at)) {
        const double *numbers = (const double *)result->numbers.storage.bytes;
        double ours = numbers[tensor_place(&result->numbers, at)],
               right = exact_at(exact, &wide, at);
        ck_assert_msg(agree(ours, right, largest),
                      "%s: %s[%td,%td,%td,%td] is %.17g by the formula, %.17g by the loop", where,
                      result->name, at[0], at[1], at[2], at[3], ours, right);
    }
}

// An edit that changes nothing must change no bit: the result in float32 is what the loop has stored.
static void check_bits(const TraceProgram *made, int number, const char *where)
{
    const FormulaResult *result = &made->program.results[number];
    Tensor stored = as_written(made, number, made->trace, where);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(&stored) > 0; more; more = tensor_next(&stored, at)) {
        const double *numbers = (const double *)result->numbers.storage.bytes;
        double ours = numbers[tensor_place(&result->numbers, at)],
               right = tensor_number(&stored, at);
        bool is_same =
            (ours == right && signbit(ours) == signbit(right)) || (isnan(ours) && isnan(right));
        ck_assert_msg(is_same, "%s: %s[%td,%td,%td,%td] is %.9g by the formula, %.9g by the loop",
                      where, result->name, at[0], at[1], at[2], at[3], ours, right);
    }
}

// The same in float32, with the bits that the stage has.
static void check_narrow(const Trace *trace, int number, const char *where)
{
    Error err = {.text = ""};
    Arena arena = {0};
    TraceProgram made;
    ck_assert_msg(trace_program_open(&made, &arena,
                                     &(TraceProgramAsk){trace, number, NULL, true, 1e300}, &err) &&
                      formula_run(&made.program, true, &err),
                  "%s: %s", where, err.text);
    for (int i = 0; i < made.program.result_count; i++)
        check_bits(&made, i, where);
    arena_finish(&arena);
}

// Every tensor that the stage writes has a definition, but for what a generator draws.
static void check_complete(const TraceProgram *made, const char *where)
{
    const StageCall *call = made->trace->steps[made->step].call;
    for (int slot = 0; slot < STAGE_WRITES_MAX && call->writes[slot].role; slot++) {
        bool is_there = strcmp(call->writes[slot].role, "dropout_mask") == 0 ||
                        strcmp(call->writes[slot].role, "noise") == 0;
        for (int i = 0; i < made->program.result_count; i++)
            is_there = is_there || trace_program_slot(made, i) == slot;
        ck_assert_msg(is_there, "%s: no formula for %s", where, call->writes[slot].role);
    }
}

// The formula as it stands alone, with names of the trace, computes the same.
static void check_named(const Trace *trace, int number, const TraceProgram *own, const char *where)
{
    Error err = {.text = ""};
    Arena arena = {0};
    TraceProgram made;
    char text[FORMULA_TEXT_MAX + 1];
    ck_assert_msg(trace_formula_named(trace, number, text, &err), "%s: %s", where, err.text);
    ck_assert_msg(trace_program_open(&made, &arena,
                                     &(TraceProgramAsk){trace, number, text, false, 1e300}, &err) &&
                      formula_run(&made.program, false, &err),
                  "%s: %s: %s", where, text, err.text);
    ck_assert_int_eq(made.program.result_count, own->program.result_count);
    for (int i = 0; i < made.program.result_count; i++) {
        const FormulaResult *a = &made.program.results[i], *b = &own->program.results[i];
        size_t bytes = (size_t)tensor_count(&b->numbers) * sizeof(double);
        ck_assert(tensor_same_shape(&a->numbers, &b->numbers));
        ck_assert_msg(memcmp(a->numbers.storage.bytes, b->numbers.storage.bytes, bytes) == 0,
                      "%s: %s", where, text);
    }
    arena_finish(&arena);
}

// What the screen and the page show can be typed: it is taken for this step (or one that shows the same, of
// another layer), and fits it, also `ahead`, before any step has run.
static void check_typed(const Trace *trace, const Trace *ahead, int number, const char *where)
{
    char unknown[FORMULA_TEXT_MAX + 16];
    Error err = {.text = ""};
    char shown[TRACE_FORMULA_MAX], named[FORMULA_TEXT_MAX + 1], other[TRACE_FORMULA_MAX];
    trace_formula(trace, number, shown);
    ck_assert_msg(trace_formula_named(trace, number, named, &err), "%s: %s", where, err.text);
    ck_assert_msg(trace_formula_check(trace, shown, &err), "%s: %s: %s", where, shown, err.text);
    ck_assert_msg(trace_formula_check(trace, named, &err), "%s: %s: %s", where, named, err.text);
    snprintf(unknown, sizeof unknown, "%s + nowhere", named);
    ck_assert(!trace_formula_check(trace, unknown, &err));
    ck_assert_msg(trace_formula_check(ahead, named, &err), "%s: %s: %s", where, named, err.text);
    ck_assert_msg(!trace_formula_check(ahead, unknown, &err), "%s: %s", where, unknown);
    for (int i = 0; i < ahead->tensor_count; i++)
        ck_assert(ahead->tensors[i].step < 0 || !ahead->tensors[i].tensor.storage.bytes);
    ck_assert_int_eq(trace_formula_step(trace, named, &err), number);
    ck_assert_str_eq(trace_formula(trace, trace_formula_step(trace, shown, &err), other), shown);
}

static int checked, left_out;

// The formulas that were checked: that of every call of every stage, and those of its other form.
static bool is_checked[256][STAGE_CALLS_MAX], is_form_checked[256];

// Traces have copies of stages and calls; their texts are the same.
static bool is_call(const StageCall *a, const StageCall *b)
{
    return a->label == b->label && a->formula == b->formula &&
           a->writes[0].tensor == b->writes[0].tensor && a->reads[0].role == b->reads[0].role;
}

static void mark_checked(const Trace *trace, const TraceStep *step)
{
    int stage = 0, call = 0;
    const StageOptions *options = scenario_options(trace->scenario, step->layer);
    while (stage_get(stage) && strcmp(stage_get(stage)->name, step->stage->name) != 0)
        stage++;
    ck_assert_msg(stage_get(stage) != NULL, "%s is no stage of the pipeline", step->stage->name);
    while (call < STAGE_CALLS_MAX && !is_call(&stage_get(stage)->calls[call], step->call))
        call++;
    is_checked[stage][call % STAGE_CALLS_MAX] = true; // gradient_sum's calls are the trace's own
    if (stage_form(step->stage, options) && !step->call->formula)
        is_form_checked[stage] = true;
}

static void check_all_were_checked(void)
{
    const Stage *stage;
    for (int i = 0; (stage = stage_get(i)) != NULL; i++) {
        bool any = false;
        for (int call = 0; call < STAGE_CALLS_MAX && stage->calls[call].writes[0].role; call++) {
            any = any || is_checked[i][call];
            ck_assert_msg(is_checked[i][call] || !stage->calls[call].formula,
                          "%s: the formula of call %d stands in no tiny shape", stage->name, call);
        }
        ck_assert_msg(any, "%s stands in no tiny shape", stage->name);
        ck_assert_msg(!stage->form.formula || is_form_checked[i],
                      "%s: the other form stands in no tiny shape", stage->name);
    }
}

static void check_step(const Trace *trace, const Trace *ahead, int number, const char *name)
{
    Error err = {.text = ""};
    Arena arena = {0};
    TraceProgram made;
    TraceExact exact;
    char step[64], where[200];
    snprintf(where, sizeof where, "%s, %s", name, trace_step_name(trace, number, step));
    ck_assert_msg(trace_program_open(&made, &arena,
                                     &(TraceProgramAsk){trace, number, NULL, false, 1e300}, &err),
                  "%s: %s", where, err.text);
    check_complete(&made, where);
    if (made.program.cost <= affordable) {
        ck_assert_msg(formula_run(&made.program, false, &err), "%s: %s", where, err.text);
        ck_assert_msg(trace_exact_alone(&exact, trace, number, &err), "%s: %s", where, err.text);
        for (int i = 0; i < made.program.result_count; i++)
            check_result(&made, i, &exact, where);
        check_named(trace, number, &made, where);
        check_narrow(trace, number, where);
        check_typed(trace, ahead, number, where);
        trace_exact_close(&exact);
        mark_checked(trace, &trace->steps[number]);
        checked++;
    } else
        left_out++;
    arena_finish(&arena);
}

static void check_trace(const Scenario *scenario, const char *name)
{
    Error err;
    Trace trace, ahead;
    ck_assert_msg(trace_open(&trace, scenario, &err) && trace_run(&trace, &err) &&
                      trace_open(&ahead, scenario, &err),
                  "%s: %s", name, err.text);
    for (int step = 0; step < trace.step_count; step++)
        check_step(&trace, &ahead, step, name);
    trace_close(&trace);
    trace_close(&ahead);
}

TEST(formulas_of_tiny_shapes_are_their_loops)
{
    for (int i = 0; i < tiny_shape_count; i++) {
        Scenario scenario;
        char name[32];
        snprintf(name, sizeof name, "tiny shape %d", i);
        tiny_scenario(&scenario, tiny_shapes[i], 7);
        check_trace(&scenario, name);
        scenario_finish(&scenario);
    }
    ck_assert_int_eq(left_out, 0);
    check_all_were_checked();
}

// Whether a scenario's tensors are few enough; asked before its weights are drawn.
static bool is_small(const ScenarioRequest *request)
{
    Error err;
    Trace trace;
    Scenario scenario;
    ScenarioRequest shape = *request;
    shape.shape_only = true;
    ck_assert_msg(scenario_open(&scenario, &shape, &err), "%s", err.text);
    ck_assert_msg(trace_open(&trace, &scenario, &err), "%s", err.text);
    bool is_small = trace_bytes(&trace) < (size_t)1 << 20;
    trace_close(&trace);
    scenario_finish(&scenario);
    return is_small;
}

TEST(formulas_of_scenarios_are_their_loops)
{
    Error err;
    ScenarioList list;
    ck_assert_msg(scenario_list_open(&list, &err), "%s", err.text);
    for (int i = 0; i < list.count; i++) {
        Scenario scenario;
        ScenarioRequest request = {.what = list.entries[i].path};
        if (!is_small(&request))
            continue; // of the others none has a stage that these do not have
        ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
        scenario.threads = 1;
        check_trace(&scenario, list.entries[i].name);
        scenario_finish(&scenario);
    }
    scenario_list_close(&list);
    ck_assert_int_gt(checked, left_out);
}

SUITE("formula_law")
