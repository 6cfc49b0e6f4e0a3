// law: see law.h.
#include "law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "suite.h"

// Which elements of `input` the elements of `output` claim, as a table of flags; those included that they
// claim through other elements of `output`.
typedef struct Claims {
    const Trace *trace;
    int input, output;
    const char *name; // of what is told of
    const Tensor *shape;
    bool *claimed;
    uint32_t last_bits;
    int terms;
} Claims;

static ptrdiff_t place_in_order(const Tensor *tensor, const ptrdiff_t at[])
{
    ptrdiff_t number = 0;
    for (int axis = 0; axis < tensor->rank; axis++)
        number = number * tensor->shape[axis] + at[axis];
    return number;
}

static void note_claims(void *context, const TraceTerm *term)
{
    Claims *claims = context;
    ck_assert_msg(term->what != NULL, "a term of %s has no words, and its kind has none either",
                  claims->name);
    for (int i = 0; i < term->source_count; i++)
        if (term->sources[i].tensor == claims->input)
            claims->claimed[place_in_order(claims->shape, term->sources[i].at)] = true;
        else if (term->sources[i].tensor == claims->output)
            trace_origin(claims->trace, term->sources[i], note_claims, claims);
    memcpy(&claims->last_bits, &term->running, sizeof claims->last_bits);
    claims->terms++;
}

bool law_same_bits(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

float law_number_at(const Tensor *tensor, const ptrdiff_t at[])
{
    ptrdiff_t place = tensor_place(tensor, at);
    switch (tensor->dtype) {
    case DTYPE_F32:
        return tensor->storage.f32[place];
    case DTYPE_I64:
        return (float)tensor->storage.i64[place];
    case DTYPE_BOOL:
        return (float)tensor->storage.boolean[place];
    }
    return NAN;
}

// Poisons a float, changes an id to another one, flips a flag.
static void disturb(const Tensor *tensor, const ptrdiff_t at[], ptrdiff_t vocabulary)
{
    ptrdiff_t place = tensor_place(tensor, at);
    if (tensor->dtype == DTYPE_F32)
        tensor->storage.f32[place] = NAN;
    else if (tensor->dtype == DTYPE_I64)
        tensor->storage.i64[place] = (tensor->storage.i64[place] + 1) % vocabulary;
    else
        tensor->storage.boolean[place] = !tensor->storage.boolean[place];
}

// Runs the trace's step again on inputs of which one element is disturbed; tells which outputs
// changed (for floats: became NaN).
static void rerun_step(const Trace *before, int step, int input, const ptrdiff_t at[], int output,
                       bool changed[])
{
    Error err;
    Scenario scenario = *before->scenario;
    Trace after = *before;
    size_t step_count = (size_t)before->step_count, tensor_count = (size_t)before->tensor_count;
    after.scenario = &scenario;
    after.arena = (Arena){0};
    after.steps = arena_take(&after.arena, step_count, sizeof *after.steps, &err);
    after.tensors = arena_take(&after.arena, tensor_count, sizeof *after.tensors, &err);
    ck_assert(after.steps && after.tensors);
    memcpy(after.steps, before->steps, step_count * sizeof *after.steps);
    memcpy(after.tensors, before->tensors, tensor_count * sizeof *after.tensors);
    after.steps_done = step;

    const Tensor *original = &before->tensors[input].tensor;
    Tensor copy;
    ck_assert(
        tensor_take(&after.arena, original->dtype, original->rank, original->shape, &copy, &err));
    tensor_copy(original, &copy);
    disturb(&copy, at, scenario.size[SYMBOL_V]);
    after.tensors[input].tensor = copy;
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
        if (before->steps[step].writes[slot] >= 0)
            after.tensors[before->steps[step].writes[slot]].tensor.storage.bytes = NULL;
    ck_assert_msg(trace_step(&after, &err), "%s", err.text);

    const Tensor *was = &before->tensors[output].tensor, *is = &after.tensors[output].tensor;
    ptrdiff_t out_at[TENSOR_RANK_MAX] = {0}, number = 0;
    for (bool more = true; more; more = tensor_next(was, out_at), number++) {
        float old = law_number_at(was, out_at), new = law_number_at(is, out_at);
        bool poisoned = original->dtype == DTYPE_F32;
        changed[number] = poisoned ? isnan(new) && !isnan(old) : !law_same_bits(old, new);
    }
    arena_finish(&after.arena);
}

// What each element of the output claims, one row of flags an element of it; the caller frees it.
static bool *claims_of(const Trace *trace, int input, int output)
{
    const Tensor *in = &trace->tensors[input].tensor, *out = &trace->tensors[output].tensor;
    size_t row = (size_t)tensor_count(in), rows = (size_t)tensor_count(out);
    bool *claimed = calloc(row * rows, sizeof *claimed);
    ck_assert_ptr_nonnull(claimed);
    Claims claims = {.trace = trace,
                     .input = input,
                     .output = output,
                     .name = trace->tensors[output].name,
                     .shape = in,
                     .claimed = claimed};
    TraceCell cell = {.tensor = output};
    for (bool more = true; more; more = tensor_next(out, cell.at), claims.claimed += row)
        trace_origin(trace, cell, note_claims, &claims);
    return claimed;
}

static void check_input(const Trace *trace, int step, int input, int output)
{
    static bool changed[4096];
    const Tensor *in = &trace->tensors[input].tensor, *out = &trace->tensors[output].tensor;
    ptrdiff_t in_at[TENSOR_RANK_MAX] = {0}, in_number = 0, in_count = tensor_count(in);
    ck_assert_int_le(tensor_count(out), (ptrdiff_t)sizeof changed);
    bool *claimed = claims_of(trace, input, output);
    for (bool more = true; more; more = tensor_next(in, in_at), in_number++) {
        rerun_step(trace, step, input, in_at, output, changed);
        ptrdiff_t at[TENSOR_RANK_MAX] = {0}, out_number = 0;
        for (bool rest = true; rest; rest = tensor_next(out, at), out_number++) {
            bool claims = claimed[out_number * in_count + in_number];
            // A row that is NaN already cannot become it.
            bool settled = out->dtype == DTYPE_F32 && isnan(law_number_at(out, at));
            ck_assert_msg(settled || claims == changed[out_number],
                          "%s: element %td of %s %s element %td of %s, but %s",
                          trace->steps[step].stage->formula, out_number,
                          trace->tensors[output].name, claims ? "claims" : "does not claim",
                          in_number, trace->tensors[input].name,
                          changed[out_number] ? "changes with it" : "does not change with it");
        }
    }
    free(claimed);
}

// Inputs that decide which rule holds, and are not values that flow into the output: changing a length
// would move every later token, changing an id or an answer another element than the one that holds
// it; and what a flag lets through backwards may be 0 anyway.
static bool only_decides(const Trace *trace, int step, const char *input)
{
    if (strncmp(input, "layer", 5) == 0 && strchr(input, '.')) // "layer1.attn_mask"
        input = strchr(input, '.') + 1;
    return strcmp(trace->steps[step].stage->name, "choose") == 0 || // writes an id
           strcmp(input, "lengths") == 0 || strcmp(input, "targets") == 0 ||
           (stage_is_backward(trace->steps[step].stage) &&
            (strcmp(input, "input_ids") == 0 || strcmp(input, "token_type_ids") == 0 ||
             strcmp(input, "attn_mask") == 0 || strcmp(input, "dropout_mask") == 0)) ||
           (strcmp(trace->steps[step].stage->name, "relu_backward") == 0 &&
            strcmp(input, "ff_expanded") == 0); // NaN lets the gradient pass
}

void law_check_sources(const Trace *trace, int step)
{
    for (int read = 0; read < STAGE_READS_MAX; read++) {
        int input = trace->steps[step].reads[read];
        if (input < 0 || only_decides(trace, step, trace->tensors[input].name))
            continue;
        for (int write = 0; write < STAGE_WRITES_MAX; write++)
            if (trace->steps[step].writes[write] >= 0)
                check_input(trace, step, input, trace->steps[step].writes[write]);
    }
}

void law_check_values(const Trace *trace, int number)
{
    Claims claims;
    const Tensor *tensor = &trace->tensors[number].tensor;
    TraceCell cell = {.tensor = number};
    for (bool more = true; more; more = tensor_next(tensor, cell.at)) {
        claims = (Claims){.input = -1, .output = -1, .name = trace->tensors[number].name};
        trace_origin(trace, cell, note_claims, &claims);
        float last;
        memcpy(&last, &claims.last_bits, sizeof last);
        ck_assert_int_gt(claims.terms, 0);
        ck_assert_msg(law_same_bits(last, law_number_at(tensor, cell.at)),
                      "%s: %a is stored, %a told", trace->tensors[number].name,
                      (double)law_number_at(tensor, cell.at), (double)last);
    }
}
