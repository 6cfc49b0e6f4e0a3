// Where a mistake cannot be computed for want of memory, none is named, and no other: the machine is. A
// piece of memory is lacking in turn (malloc is wrapped by the linker: arenas take from it).
#include "mistake.h"
#include "relation.h"
#include "suite.h"
#include "tiny.h"

#include <string.h>

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);

// Each of the first pieces, and then some: rows of formulas take many alike.
enum { FIRST_CALLS = 64, FURTHER = 97 };

static long left = -1; // calls until one fails; negative: none does

void *__wrap_malloc(size_t bytes)
{
    return left >= 0 && left-- == 0 ? NULL : __real_malloc(bytes);
}

static Scenario scenario;
static Trace right, wrong;

// Two sequences of 3 tokens with 2 heads; the wrong trace has forgotten the scale.
static void open_both(void)
{
    Error err;
    tiny_scenario(&scenario, tiny_causal(2, 2, 3), 5);
    TraceVariant variant = {.stages = mistake_find("scale-missing")->stages};
    ck_assert_msg(trace_open(&right, &scenario, &err) && trace_run(&right, &err), "%s", err.text);
    ck_assert_msg(trace_open_variant(&wrong, &scenario, &variant, &err) && trace_run(&wrong, &err),
                  "%s", err.text);
}

static void close_both(void)
{
    trace_close(&wrong);
    trace_close(&right);
    scenario_finish(&scenario);
}

// What the scale step made of its inputs, without the scale.
static int ask_step(const Mistake *found[MISTAKE_FOUND_MAX], Error *err)
{
    StageArgs args;
    const TraceTensor *tensor = &right.tensors[trace_find(&right, "scores_scaled")];
    if (!trace_arguments(&right, tensor->step, &args, err)) // Check takes memory itself
        return -1;
    args.out[tensor->slot] = args.in[0]; // times 1
    return mistake_recognise_step(&right, tensor->step, &args, found, err);
}

static int ask_output(const Mistake *found[MISTAKE_FOUND_MAX], Error *err)
{
    return mistake_recognise_tensor(&right, trace_find(&right, "output"),
                                    &wrong.tensors[trace_find(&wrong, "output")].tensor, found,
                                    err);
}

// Asks with one piece of memory lacking after the other. The answer is the one that is true, or none.
static void ask_without_memory(int (*ask)(const Mistake *found[MISTAKE_FOUND_MAX], Error *err))
{
    const Mistake *found[MISTAKE_FOUND_MAX];
    Error err;
    int failed = 0;
    for (long calls = 0;; calls += calls < FIRST_CALLS ? 1 : FURTHER) {
        left = calls;
        int count = ask(found, &err);
        bool came = left < 0;
        left = -1;
        if (!came) {
            ck_assert_int_eq(count, 1);
            ck_assert_str_eq(found[0]->name, "scale-missing");
            break;
        }
        ck_assert_msg(count == -1, "without piece %ld %d are found", calls, count);
        ck_assert_msg(err.of_machine, "piece %ld: '%s'", calls, err.text);
        failed++;
    }
    ck_assert_int_gt(failed, 3); // the right step, and three variants of the scale at least
}

TEST(mistake_of_a_step)
{
    ask_without_memory(ask_step);
}

TEST(mistake_of_a_run)
{
    ask_without_memory(ask_output);
}

// Half of the right numbers: "times 1/2" and nothing else, or the machine.
TEST(relation_of_numbers)
{
    static RelationReadings readings, expected;
    Arena arena = {0};
    Tensor half;
    StageArgs args;
    Error err;
    const TraceTensor *known = &right.tensors[trace_find(&right, "scores_scaled")];
    ck_assert(trace_arguments(&right, known->step, &args, &err));
    const Tensor *whole = &args.out[known->slot];
    ck_assert(tensor_take(&arena, DTYPE_F32, whole->rank, whole->shape, &half, &err));
    for (ptrdiff_t i = 0; i < tensor_count(&half); i++)
        half.storage.f32[i] = whole->storage.f32[i] / 2.0f;
    Error machine = {.text = ""};
    RelationCase what = {.right = &right,
                         .step = known->step,
                         .given = &args,
                         .wrong = &half,
                         .known = whole,
                         .axes = "B H Lq Lk",
                         .machine = &machine};
    relation_read(&what, &expected);
    ck_assert(!machine.of_machine);
    ck_assert_int_gt(expected.count, 0);
    bool came = true;
    int failed = 0;
    for (long calls = 0; came; calls += calls < FIRST_CALLS ? 1 : FURTHER) {
        machine = (Error){.text = ""};
        left = calls;
        relation_read(&what, &readings);
        came = left < 0;
        left = -1;
        ck_assert_msg(machine.of_machine == came, "piece %ld: %d readings of %d", calls,
                      readings.count, expected.count);
        failed += came;
    }
    ck_assert_int_gt(failed, 3);
    ck_assert_int_eq(readings.count, expected.count);
    arena_finish(&arena);
}

SUITE_WITH("mistake_memory", open_both, close_both)
