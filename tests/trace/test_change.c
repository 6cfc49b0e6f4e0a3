// What an edit moves, over every tiny pipeline: the numbers are those of a fresh run, bit by bit, and
// what is recomputed is what the origins of all elements, asked one by one, lead back to the edit.
#include "trace.h"

#include <stdlib.h>
#include <string.h>
#include "suite.h"
#include "tiny.h"

enum { EDITS = 12, ELEMENTS_MAX = 8192 };

static Scenario scenario;
static Trace trace;

static void open_tiny(int number)
{
    Error err;
    tiny_scenario(&scenario, tiny_shapes[number], (uint64_t)number + 1);
    ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err), "%s", err.text);
}

static void close_tiny(void)
{
    trace_close(&trace);
    scenario_finish(&scenario);
}

// An element of an input that may be edited; lengths may not, for the tokens must fill them.
static TraceCell random_cell(uint64_t *state)
{
    TraceCell cell = {.tensor = -1};
    while (cell.tensor < 0 || trace.tensors[cell.tensor].step >= 0 ||
           strcmp(trace.tensors[cell.tensor].name, "lengths") == 0)
        cell.tensor = (int)tiny_index(state, trace.tensor_count);
    const Tensor *tensor = &trace.tensors[cell.tensor].tensor;
    tensor_unravel(tensor, tiny_index(state, tensor_count(tensor)), cell.at);
    return cell;
}

static void edit(TraceCell cell, uint64_t *state)
{
    const Tensor *tensor = &trace.tensors[cell.tensor].tensor;
    ptrdiff_t place = tensor_place(tensor, cell.at);
    if (tensor->dtype == DTYPE_F32)
        tensor->storage.f32[place] = tiny_number(state);
    else if (tensor->dtype == DTYPE_I64)
        tensor->storage.i64[place] = tiny_index(
            state, scenario.size[strcmp(trace.tensors[cell.tensor].name, "token_type_ids") == 0
                                     ? SYMBOL_TYPES
                                     : SYMBOL_V]);
    else
        tensor->storage.boolean[place] = !tensor->storage.boolean[place];
}

// --- what should be reached, worked out element by element from the origins

static bool (*reached)[ELEMENTS_MAX]; // of each tensor

static void note_source(void *context, const TraceTerm *term)
{
    for (int i = 0; i < term->source_count; i++) {
        const TraceCell *source = &term->sources[i];
        const Tensor *tensor = &trace.tensors[source->tensor].tensor;
        *(bool *)context =
            *(bool *)context || reached[source->tensor][tensor_ravel(tensor, source->at)];
    }
}

static void follow_origins(TraceCell edited)
{
    memset(reached, 0, TRACE_TENSORS_MAX * sizeof *reached);
    reached[edited.tensor][tensor_ravel(&trace.tensors[edited.tensor].tensor, edited.at)] = true;
    for (int number = 0; number < trace.tensor_count; number++) {
        const Tensor *tensor = &trace.tensors[number].tensor;
        ck_assert_int_le(tensor_count(tensor), ELEMENTS_MAX);
        TraceCell cell = {.tensor = number};
        for (bool more = trace.tensors[number].step >= 0; more; more = tensor_next(tensor, cell.at))
            trace_origin(&trace, cell, note_source,
                         &reached[number][tensor_ravel(tensor, cell.at)]);
    }
}

static void check_reached(const TraceChange *change)
{
    for (int number = 0; number < trace.tensor_count; number++) {
        const Tensor *tensor = &trace.tensors[number].tensor;
        ptrdiff_t count = tensor_count(tensor), expected = 0;
        for (ptrdiff_t i = 0; i < count; i++) {
            TraceCell cell = {.tensor = number};
            tensor_unravel(tensor, i, cell.at);
            bool is = trace_is_reached(change, cell);
            ck_assert_msg(is == reached[number][i], "element %td of %s is %s", i,
                          trace.tensors[number].name, is ? "reached" : "not reached");
            expected += reached[number][i];
        }
        ck_assert_int_eq(trace_changed(change, number)->reached_count, expected);
    }
}

// --- numbers

static bool same_bits(const Tensor *a, const Tensor *b, const ptrdiff_t at[])
{
    size_t size = dtype_size(a->dtype);
    const char *in_a = (const char *)a->storage.bytes + (size_t)tensor_place(a, at) * size;
    const char *in_b = (const char *)b->storage.bytes + (size_t)tensor_place(b, at) * size;
    return memcmp(in_a, in_b, size) == 0;
}

static void check_numbers(void)
{
    Error err;
    Trace fresh;
    ck_assert_msg(trace_open(&fresh, &scenario, &err) && trace_run(&fresh, &err), "%s", err.text);
    for (int number = 0; number < trace.tensor_count; number++) {
        const Tensor *is = &trace.tensors[number].tensor, *want = &fresh.tensors[number].tensor;
        ptrdiff_t at[TENSOR_RANK_MAX] = {0};
        for (bool more = true; more; more = tensor_next(is, at))
            if (!same_bits(is, want, at)) // asserting each would cost more than the run
                ck_abort_msg("element %td of %s", tensor_ravel(is, at), trace.tensors[number].name);
    }
    trace_close(&fresh);
}

// A copy of every tensor's numbers, in index order.
static unsigned char (*kept)[ELEMENTS_MAX][sizeof(int64_t)]; // of each tensor

static const unsigned char *element(const Tensor *tensor, const ptrdiff_t at[])
{
    return (unsigned char *)tensor->storage.bytes +
           (size_t)tensor_place(tensor, at) * dtype_size(tensor->dtype);
}

static void keep_all(void)
{
    for (int number = 0; number < trace.tensor_count; number++) {
        const Tensor *tensor = &trace.tensors[number].tensor;
        ptrdiff_t at[TENSOR_RANK_MAX] = {0}, i = 0;
        for (bool more = true; more; more = tensor_next(tensor, at))
            memcpy(kept[number][i++], element(tensor, at), dtype_size(tensor->dtype));
    }
}

// Compares all elements with those kept: with the `before` of the change where it has one, with the
// tensor itself otherwise; and counts, where asked, those that differ now.
static void check_kept(const TraceChange *change)
{
    for (int number = 0; number < trace.tensor_count; number++) {
        const Tensor *now = &trace.tensors[number].tensor;
        const TraceChanged *kept_here = change ? trace_changed(change, number) : NULL;
        ptrdiff_t at[TENSOR_RANK_MAX] = {0}, i = 0, changed = 0;
        for (bool more = true; more; more = tensor_next(now, at), i++) {
            ptrdiff_t first = now->rank > 0 ? at[0] : 0;
            bool has_before = kept_here && kept_here->before.storage.bytes &&
                              first >= kept_here->first &&
                              first < kept_here->first + kept_here->count;
            const Tensor *was = has_before ? &kept_here->before : now;
            ck_assert_msg(memcmp(element(was, at), kept[number][i], dtype_size(now->dtype)) == 0,
                          "element %td of %s is not kept", i, trace.tensors[number].name);
            changed += memcmp(element(now, at), kept[number][i], dtype_size(now->dtype)) != 0;
        }
        ck_assert_int_eq(changed, change ? trace_changed(change, number)->changed_count : 0);
    }
}

// --- tests

START_TEST(an_edit_moves_what_leads_back_to_it_and_nothing_else)
{
    Error err;
    uint64_t state = 77;
    open_tiny(_i);
    for (int i = 0; i < EDITS; i++) {
        TraceChange change = {.arena = {0}};
        TraceCell cell = random_cell(&state);
        keep_all();
        ck_assert(trace_touch(&trace, &change, cell, &err));
        edit(cell, &state);
        ck_assert_msg(trace_recompute(&trace, &change, &err), "%s", err.text);
        follow_origins(cell);
        check_reached(&change);
        check_numbers();
        check_kept(&change);
        trace_change_finish(&change);
    }
    close_tiny();
}

START_TEST(an_edit_can_be_put_back)
{
    Error err;
    uint64_t state = 78;
    open_tiny(_i);
    keep_all();
    for (int i = 0; i < EDITS; i++) {
        TraceChange change = {.arena = {0}};
        TraceCell cell = random_cell(&state);
        ck_assert(trace_touch(&trace, &change, cell, &err));
        edit(cell, &state);
        ck_assert_msg(trace_recompute(&trace, &change, &err), "%s", err.text);
        trace_restore(&trace, &change);
        check_kept(NULL);
        trace_change_finish(&change);
    }
    close_tiny();
}

// --- of a size that kernels and threads share

static const TinyShape large_shapes[] = {
    {.batch = 3,
     .queries = 70,
     .keys = 70,
     .heads = 4,
     .d_k = 16,
     .d_v = 16,
     .d_in = 64,
     .d_out = 64,
     .bias = true,
     .causal = true},
    {.batch = 2,
     .queries = 45,
     .keys = 61,
     .heads = 3,
     .d_k = 20,
     .d_v = 12,
     .d_in = 40,
     .d_out = 33,
     .given_mask = true,
     .mask_first = true},
    {.batch = 5,
     .queries = 33,
     .keys = 33,
     .heads = 4,
     .d_k = 16,
     .d_v = 16,
     .d_in = 64,
     .d_out = 64,
     .vocabulary = 50,
     .padding = true,
     .positions = true,
     .residual = true,
     .layer_norm = true},
    {.batch = 2,
     .queries = 64,
     .keys = 64,
     .heads = 4,
     .d_k = 16,
     .d_v = 16,
     .d_in = 64,
     .d_out = 64,
     .kv_heads = 2,
     .causal = true,
     .fused = true,
     .layers = 2,
     .feed_forward = 128},
};
enum { LARGE = sizeof large_shapes / sizeof *large_shapes, LARGE_EDITS = 4 };

// One number, or two of different rows, which are put back every third time.
static void edit_large(TraceChange *change, int number, uint64_t *state)
{
    Error err;
    trace_change_empty(change);
    for (int i = 0; i <= number % 2; i++) {
        TraceCell cell = random_cell(state);
        ck_assert(trace_touch(&trace, change, cell, &err));
        edit(cell, state);
    }
    ck_assert_msg(trace_recompute(&trace, change, &err), "%s", err.text);
    if (number % 3 == 2)
        trace_restore(&trace, change);
    check_numbers();
}

START_TEST(rows_that_are_computed_again_have_the_bits_of_a_whole_run)
{
    static const int threads[] = {1, 2, 5};
    for (int with = 0; with < 3; with++) {
        for (int kernel = 0; kernel_get(kernel); kernel++) {
            Error err;
            TraceChange change = {.arena = {0}};
            uint64_t state = 79 + (uint64_t)kernel;
            tiny_scenario(&scenario, large_shapes[_i], 5);
            scenario.threads = threads[with];
            ck_assert_msg(trace_open(&trace, &scenario, &err), "%s", err.text);
            trace.kernel = kernel_get(kernel);
            ck_assert_msg(trace_run(&trace, &err), "%s", err.text);
            for (int i = 0; i < LARGE_EDITS; i++)
                edit_large(&change, i, &state);
            trace_rewind(&trace);
            ck_assert_msg(trace_run(&trace, &err), "%s", err.text);
            check_numbers();
            trace_change_finish(&change);
            close_tiny();
        }
    }
}

static int tiny_with_ids(void)
{
    int number = 0;
    while (number < tiny_shape_count && tiny_shapes[number].vocabulary == 0)
        number++;
    ck_assert_int_lt(number, tiny_shape_count);
    return number;
}

START_TEST(an_id_outside_the_vocabulary_is_refused_and_changes_nothing)
{
    Error err;
    TraceChange change = {.arena = {0}};
    open_tiny(tiny_with_ids());
    keep_all();
    TraceCell cell = {.tensor = trace_find(&trace, "tokens")};
    ck_assert_int_ge(cell.tensor, 0);
    ck_assert(trace_touch(&trace, &change, cell, &err));
    *tensor_id1(&trace.tensors[cell.tensor].tensor, 0) = scenario.size[SYMBOL_V];
    ck_assert(!trace_recompute(&trace, &change, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "outside the vocabulary"));
    check_kept(NULL);
    trace_change_finish(&change);
    close_tiny();
}

START_TEST(an_option_reaches_everything_from_its_step_on)
{
    Error err;
    TraceChange change = {.arena = {0}};
    open_tiny(0);
    int scale = 0;
    while (strcmp(trace.steps[scale].stage->name, "scale") != 0)
        scale++;
    keep_all();
    trace_touch_step(&change, scale);
    scenario.options.scale *= 2.0f;
    ck_assert_msg(trace_recompute(&trace, &change, &err), "%s", err.text);
    check_numbers();
    check_kept(&change);
    int scaled = trace.steps[scale].writes[0], scores = trace.steps[scale].reads[0];
    ck_assert_int_eq(trace_changed(&change, scaled)->reached_count,
                     tensor_count(&trace.tensors[scaled].tensor));
    ck_assert_int_eq(trace_changed(&change, scores)->reached_count, 0);
    trace_change_finish(&change);
    close_tiny();
}

START_TEST(one_can_go_from_change_to_change_both_ways)
{
    Error err;
    uint64_t state = 79;
    open_tiny(0);
    TraceChange change = {.arena = {0}};
    TraceCell cell = random_cell(&state), first = {.tensor = 0};
    ck_assert(trace_touch(&trace, &change, cell, &err));
    edit(cell, &state);
    ck_assert_msg(trace_recompute(&trace, &change, &err), "%s", err.text);

    ptrdiff_t expected = 0, there = 0, back = 0;
    for (int number = 0; number < trace.tensor_count; number++)
        expected += trace_changed(&change, number)->changed_count;
    expected -= trace_is_changed(&trace, &change, first); // where the walk starts
    for (cell = first; trace_next_changed(&trace, &change, false, &cell); there++)
        ck_assert(trace_is_changed(&trace, &change, cell));
    ck_assert_int_eq(there, expected);
    while (trace_next_changed(&trace, &change, true, &cell))
        back++;
    ck_assert_int_eq(back, expected - 1 + trace_is_changed(&trace, &change, first));
    trace_change_finish(&change);
    close_tiny();
}

int main(void)
{
    Suite *suite = suite_create("change");
    TCase *cases = tcase_create("edits");
    suite_add_slice(cases, an_edit_moves_what_leads_back_to_it_and_nothing_else, tiny_shape_count,
                    1);
    suite_add_slice(cases, an_edit_can_be_put_back, tiny_shape_count, 1);
    suite_add_slice(cases, rows_that_are_computed_again_have_the_bits_of_a_whole_run, LARGE, 1);
    tcase_add_test(cases, an_id_outside_the_vocabulary_is_refused_and_changes_nothing);
    tcase_add_test(cases, an_option_reaches_everything_from_its_step_on);
    tcase_add_test(cases, one_can_go_from_change_to_change_both_ways);
    suite_add_tcase(suite, cases);
    // Not static: leak checkers would search 60 MB at the end of every test in this program.
    reached = calloc(TRACE_TENSORS_MAX, sizeof *reached);
    kept = calloc(TRACE_TENSORS_MAX, sizeof *kept);
    int status = reached && kept ? suite_run(suite) : EXIT_FAILURE;
    free(reached);
    free(kept);
    return status;
}
