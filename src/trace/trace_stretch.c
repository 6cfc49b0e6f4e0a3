// trace_stretch: a batch of many short sequences, shared out by sequence.
//
// A step over such a batch takes a few microseconds, less than threads need to wait for each other after it.
// So a thread takes some sequences through all steps that follow each other, forward and backward, packs
// factors on the way, and meets the others once. What sums over sequences, as the gradients of weights do,
// comes after that, in its stated order; nothing in the stretch reads it.
#include "trace_internal.h"

#include <assert.h>

enum {
    SEQUENCE_BYTES_MAX =
        512 * 1024, // of what the steps write of one sequence: else slices are better
    SLICE_BYTES = 1024 * 1024,
    LATE_MAX = 32, // steps that sum over sequences, in one stretch
};

// --- which steps

static bool is_view(const TraceStep *step)
{
    bool is_view = true;
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++)
        is_view = is_view && step->call->writes[i].is_view;
    return is_view;
}

// What becomes of a step in a stretch that begins at `first`.
static StretchPart part_of(const Trace *trace, int first, const TraceStep *step)
{
    bool by_sequence = trace_is_batched(step->call->writes[step->stage->main_output].axes);
    bool is_early = true;
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++) {
        const Slot *slot = &step->call->reads[i];
        int maker = step->reads[i] < 0 ? -1 : trace->tensors[step->reads[i]].step;
        if (maker < first || trace->steps[maker].part == STRETCH_EARLY)
            continue;
        if (trace->steps[maker].part == STRETCH_LATE)
            return STRETCH_NOT;
        is_early = false;
        by_sequence = by_sequence && trace_is_batched(slot->axes) && slot->factor != FACTOR_STACKED;
    }
    if (step->formula)
        return STRETCH_NOT;
    if (is_view(step))
        return is_early || by_sequence ? STRETCH_VIEW : STRETCH_NOT;
    if (step->stage->fast)
        return by_sequence ? STRETCH_SLICED : STRETCH_LATE;
    return !step->stage->may_wait ? STRETCH_NOT : is_early ? STRETCH_EARLY : STRETCH_LATE;
}

static bool is_packed_before(const Trace *trace, int first, int number, int read)
{
    const TraceStep *step = &trace->steps[number];
    for (int before = first; before < number; before++)
        for (int i = 0; i < STAGE_READS_MAX && trace->steps[before].call->reads[i].role; i++)
            if (trace->steps[before].reads[i] == step->reads[read] &&
                trace->steps[before].call->reads[i].factor == step->call->reads[read].factor)
                return true;
    return false;
}

static unsigned packs_of(const Trace *trace, int first, int number)
{
    const TraceStep *step = &trace->steps[number];
    unsigned packs = 0;
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++) {
        const Slot *slot = &step->call->reads[i];
        bool is_made = step->reads[i] >= 0 && trace->tensors[step->reads[i]].step >= 0;
        if (is_made && slot->factor != FACTOR_NONE && trace_is_batched(slot->axes) &&
            !is_packed_before(trace, first, number, i))
            packs |= 1u << i;
    }
    return packs;
}

// What the steps write of one sequence.
static ptrdiff_t sequence_bytes(const Trace *trace, int first, int count)
{
    ptrdiff_t bytes = 0;
    for (int number = 0; number < trace->tensor_count; number++) {
        const TraceTensor *tensor = &trace->tensors[number];
        ptrdiff_t shape[TENSOR_RANK_MAX], elements;
        if (tensor->step < first || tensor->step >= first + count ||
            trace->steps[tensor->step].part != STRETCH_SLICED)
            continue;
        if (!tensor_count_of(trace_shape(trace, number, shape), shape, &elements))
            return PTRDIFF_MAX;
        elements /= trace->scenario->size[SYMBOL_B];
        if (elements > SEQUENCE_BYTES_MAX)
            return PTRDIFF_MAX;
        bytes += elements * (ptrdiff_t)sizeof(float);
    }
    return bytes;
}

static int plan_stretch(Trace *trace, int first)
{
    int count = 0, late = 0;
    for (; first + count < trace->step_count; count++) {
        TraceStep *step = &trace->steps[first + count];
        step->part = part_of(trace, first, step);
        late += step->part == STRETCH_LATE;
        if (step->part == STRETCH_NOT || late > LATE_MAX)
            break;
        step->packs = packs_of(trace, first, first + count);
    }
    return count > 1 && sequence_bytes(trace, first, count) <= SEQUENCE_BYTES_MAX ? count : 0;
}

void trace_plan_stretches(Trace *trace)
{
    if (trace->scenario->size[SYMBOL_B] < 2)
        return;
    for (int first = 0, count; first<trace->step_count; first += count> 0 ? count : 1) {
        count = plan_stretch(trace, first);
        trace->steps[first].stretch = count;
    }
}

// --- running them

typedef struct Late {
    const TraceStep *step;
    Cut cut;          // of a step that has a fast twin; the others run whole
    ptrdiff_t before; // pieces of those before it
} Late;

typedef struct Stretch {
    const Trace *trace;
    const TraceStep *steps;
    int first, count;
    int threads;
    ptrdiff_t batch, slices;
    int late_count;
    Late late[LATE_MAX];
} Stretch;

static void run_sequences(void *context, ptrdiff_t number)
{
    const Stretch *stretch = context;
    ptrdiff_t start = number * stretch->batch / stretch->slices;
    ptrdiff_t length = (number + 1) * stretch->batch / stretch->slices - start;
    trace_pass(stretch->trace, -1, stretch->threads);
    for (const TraceStep *step = stretch->steps; step < stretch->steps + stretch->count; step++) {
        for (int i = 0; step->packs >> i; i++)
            if (step->packs >> i & 1)
                trace_pack_sequences(stretch->trace, step, i, start, length);
        if (step->part != STRETCH_SLICED)
            continue;
        StageArgs args =
            trace_narrowed(&(CutStep){step->stage, &step->args, step->cuts}, 1, &start, &length);
        step->stage->fast(&args);
        trace_pass(stretch->trace, stretch->first + (int)(step - stretch->steps), stretch->threads);
    }
}

static void run_late(void *context, ptrdiff_t number)
{
    const Stretch *stretch = context;
    const Late *late = &stretch->late[stretch->late_count - 1];
    while (late->before > number)
        late--;
    if (late->step->stage->fast) {
        trace_run_slice(&late->cut, number - late->before);
        return;
    }
    StageArgs args = late->step->args;
    Error err;
    trace_pass(stretch->trace, -1, stretch->threads);
    bool runs = late->step->stage->run(&args, &err);
    assert(runs); // Stage.may_wait
    (void)runs;
    trace_pass(stretch->trace, (int)(late->step - stretch->trace->steps), stretch->threads);
}

static ptrdiff_t plan_late(Trace *trace, int first, Stretch *stretch)
{
    ptrdiff_t pieces = 0;
    for (int number = first; number < first + stretch->count; number++) {
        const TraceStep *step = &trace->steps[number];
        if (step->part != STRETCH_LATE)
            continue;
        Late *late = &stretch->late[stretch->late_count++];
        late->step = step;
        late->before = pieces;
        pieces += step->stage->fast ? trace_cut(trace, number, 1, &late->cut) : 1;
    }
    return pieces;
}

void trace_run_stretch(Trace *trace, int first, int count)
{
    Stretch stretch = {.trace = trace,
                       .steps = &trace->steps[first],
                       .first = first,
                       .count = count,
                       .batch = trace->scenario->size[SYMBOL_B]};
    Team alone = {.threads = 1};
    Team *team = trace_is_small(stretch.steps, count) ? &alone : &trace->team;
    stretch.threads = team->threads;
    Cut cut;
    for (int number = first; number < first + count; number++)
        if (trace->steps[number].part == STRETCH_SLICED)
            trace_cut(trace, number, 1, &cut); // so that the step knows its cuts
    ptrdiff_t bytes = stretch.batch * sequence_bytes(trace, first, count), threads = team->threads;
    ptrdiff_t slices = (bytes / SLICE_BYTES / threads + 1) * threads;
    stretch.slices = slices < stretch.batch ? slices : stretch.batch;
    team_run(team, stretch.slices, run_sequences, &stretch);
    ptrdiff_t pieces = plan_late(trace, first, &stretch);
    if (pieces > 0)
        team_run(team, pieces, run_late, &stretch);
}
