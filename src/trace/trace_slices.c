// trace_slices: steps that follow each other, run slice by slice.
//
// The steps from score to weighted_sum each make a row of output from the same row of the step
// before. So they are not run one after the other over whole tensors, which would carry every number
// to memory and back four times; a slice of a few rows goes through all of them while it lies in the
// cache. Every tensor is still written in full. Slices are also what threads share.
#include "trace_internal.h"

#include <string.h>

enum {
    SLICE_BYTES = 256 * 1024, // half a usual second-level cache
    SLICE_ROWS_MAX = 384,
    SLICES_PER_THREAD = 8,   // from here on a slice more or less makes no thread wait
    SMALL_WORK = 100 * 1000, // multiply-adds that are done before another thread has woken up
};

static const Slot *main_write(const TraceStep *step)
{
    return &step->call->writes[step->stage->main_output];
}

// The axes that are cut: all of the main output's but the last.
static int cut_symbols(const TraceStep *step, Symbol symbols[TRACE_WORDS_MAX])
{
    return trace_symbols(main_write(step)->axes, symbols) - 1;
}

static bool has_symbols(const char *axes, const Symbol wanted[], int count)
{
    Symbol symbols[TRACE_WORDS_MAX];
    int symbol_count = axes ? trace_symbols(axes, symbols) : 0;
    for (int i = 0; i < count; i++)
        if (trace_find_symbol(symbols, symbol_count, wanted[i]) < 0)
            return false;
    return true;
}

// Whether a step can follow those from `first` on slice by slice: it is cut alike, and of what they
// make it reads no more than its own slice.
static bool goes_along(const Trace *trace, int first, int number)
{
    const TraceStep *step = &trace->steps[number];
    Symbol leading[TRACE_WORDS_MAX], own[TRACE_WORDS_MAX];
    int count = cut_symbols(&trace->steps[first], leading);
    if (!step->stage->fast || step->formula || count > TRACE_CUT_AXES_MAX ||
        cut_symbols(step, own) != count || memcmp(leading, own, (size_t)count * sizeof *own) != 0)
        return false;
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++) {
        bool is_fresh = step->reads[i] >= 0 && trace->tensors[step->reads[i]].step >= first;
        if (is_fresh && !has_symbols(step->call->reads[i].axes, own, count))
            return false;
    }
    return true;
}

void trace_plan_groups(Trace *trace)
{
    for (int first = 0; first < trace->step_count; first++) {
        int count = 0;
        while (count < TRACE_GROUP_MAX && first + count < trace->step_count &&
               goes_along(trace, first, first + count))
            count++;
        trace->steps[first].group = count;
    }
}

// Tensor number 0 ... TRACE_STEP_TENSORS-1 of a step's arguments.
static Tensor *tensor_of(StageArgs *args, int number)
{
    if (number < STAGE_READS_MAX)
        return &args->in[number];
    number -= STAGE_READS_MAX;
    return number < STAGE_READS_MAX ? &args->panels[number] : &args->out[number - STAGE_READS_MAX];
}

// Panels have the axes of the tensor they are made of, except its last two; of a stack, none.
static int slot_axes(const StageCall *call, int number, Symbol symbols[TRACE_WORDS_MAX])
{
    bool is_panels = number >= STAGE_READS_MAX && number < 2 * STAGE_READS_MAX;
    const Slot *slot = number >= 2 * STAGE_READS_MAX ? &call->writes[number - 2 * STAGE_READS_MAX]
                                                     : &call->reads[number % STAGE_READS_MAX];
    int count = slot->role && slot->axes ? trace_symbols(slot->axes, symbols) : 0;
    if (is_panels && slot->factor == FACTOR_STACKED)
        return 0;
    return is_panels && count >= 2 ? count - 2 : count;
}

// Where the cut axes lie in each tensor. One of smaller rank than its slot (a mask) has the last
// axes of it.
static void find_axes(const TraceStep *step, const Cut *cut, const Symbol symbols[],
                      TraceCuts cuts[TRACE_STEP_TENSORS])
{
    StageArgs args = step->args;
    for (int number = 0; number < TRACE_STEP_TENSORS; number++) {
        const Tensor *tensor = tensor_of(&args, number);
        Symbol own[TRACE_WORDS_MAX];
        int count = slot_axes(step->call, number, own);
        bool is_panels = number >= STAGE_READS_MAX && number < 2 * STAGE_READS_MAX;
        int missing = is_panels ? 0 : count - tensor->rank;
        for (int i = 0; i < cut->axes; i++) {
            int axis = trace_find_symbol(own, count, symbols[i]) - missing;
            bool is_there = tensor->storage.bytes && axis >= 0 && axis < tensor->rank &&
                            tensor->shape[axis] == cut->length[i];
            cuts[number].axis[i] = (signed char)(is_there ? axis : -1);
        }
    }
}

// The tensors of a step, narrowed to a block of the axes that are cut.
StageArgs trace_narrowed(const CutStep *step, int axes, const ptrdiff_t start[],
                         const ptrdiff_t length[])
{
    StageArgs args = *step->args;
    for (int tensor = 0; tensor < TRACE_STEP_TENSORS; tensor++)
        for (int i = 0; i < axes; i++) {
            Tensor *whole = tensor_of(&args, tensor);
            int axis = step->cuts[tensor].axis[i];
            if (axis < 0)
                continue;
            whole->offset += start[i] * whole->stride[axis];
            whole->shape[axis] = length[i];
        }
    return args;
}

void trace_run_slice(const Cut *cut, ptrdiff_t number)
{
    ptrdiff_t block = number % cut->blocks, start[TRACE_CUT_AXES_MAX], length[TRACE_CUT_AXES_MAX];
    number /= cut->blocks;
    for (int i = cut->axes - 1; i > cut->cut_axis; i--) {
        start[i] = 0;
        length[i] = cut->length[i];
    }
    int cut_axis = cut->cut_axis;
    start[cut_axis] = block * cut->length[cut_axis] / cut->blocks;
    length[cut_axis] = (block + 1) * cut->length[cut_axis] / cut->blocks - start[cut_axis];
    for (int i = cut_axis - 1; i >= 0; i--) {
        start[i] = number % cut->length[i];
        length[i] = 1;
        number /= cut->length[i];
    }
    trace_pass(cut->trace, -1, cut->threads);
    StageArgs args = trace_narrowed(&cut->steps[0], cut->axes, start, length), next;
    for (int step = 0; step < cut->step_count; step++, args = next) {
        bool is_last = step + 1 == cut->step_count;
        next = is_last ? args : trace_narrowed(&cut->steps[step + 1], cut->axes, start, length);
        if (!is_last)
            args.soon = next.out[cut->steps[step + 1].stage->main_output];
        if (cut->packs)
            trace_pack_fresh(cut->trace, &cut->trace->steps[cut->first + step], &args,
                             &(Team){.threads = 1});
        cut->steps[step].stage->fast(&args);
        trace_pass(cut->trace, cut->first + step, cut->threads);
    }
}

static void run_slice(void *context, ptrdiff_t number)
{
    trace_run_slice(context, number);
}

// About how many multiply-adds the steps take, and how many bytes of output belong to one row.
static void measure(const TraceStep steps[], int count, ptrdiff_t *work, ptrdiff_t *row_bytes)
{
    *work = *row_bytes = 0;
    for (int i = 0; i < count; i++) {
        const StageArgs *args = &steps[i].args;
        const Tensor *out = &args->out[steps[i].stage->main_output];
        bool is_product = false;
        for (int slot = 0; slot < STAGE_READS_MAX; slot++)
            is_product = is_product || args->panels[slot].storage.bytes;
        ptrdiff_t depth = is_product ? args->in[0].shape[args->in[0].rank - 1] : 4;
        *work += tensor_count(out) * depth;
        *row_bytes += out->shape[out->rank - 1] * (ptrdiff_t)sizeof(float);
    }
}

static ptrdiff_t count_before(const Cut *cut, int axis)
{
    ptrdiff_t count = 1;
    for (int i = 0; i < axis; i++)
        count *= cut->length[i];
    return count;
}

// Cuts into blocks small enough for the cache, and into as many as to let the threads finish
// together. Returns how many slices there are.
static ptrdiff_t cut_slices(Cut *cut, ptrdiff_t row_bytes, int threads)
{
    ptrdiff_t fitting = SLICE_BYTES / (row_bytes > 0 ? row_bytes : 1);
    fitting = fitting > SLICE_ROWS_MAX ? SLICE_ROWS_MAX : fitting;
    ptrdiff_t height = cut->steps[0].args->kernel->rows;
    fitting = fitting > height ? fitting / height * height : height;

    // Short sequences: the rows of several heads, or sequences, make a slice, if every thread has one.
    cut->cut_axis = cut->axes - 1;
    for (; 2 * cut->length[cut->cut_axis] <= fitting; cut->cut_axis--) {
        if (cut->cut_axis == 0 || count_before(cut, cut->cut_axis) < threads)
            break;
        fitting /= cut->length[cut->cut_axis];
    }

    ptrdiff_t outer = count_before(cut, cut->cut_axis), length = cut->length[cut->cut_axis];
    cut->blocks = (length + fitting - 1) / fitting;
    while (cut->blocks < length && cut->blocks * outer % threads != 0 &&
           cut->blocks * outer < SLICES_PER_THREAD * threads)
        cut->blocks++;
    return outer * cut->blocks;
}

bool trace_is_small(const TraceStep steps[], int count)
{
    ptrdiff_t work, row_bytes;
    measure(steps, count, &work, &row_bytes);
    return work < SMALL_WORK;
}

ptrdiff_t trace_cut(Trace *trace, int first, int count, Cut *cut)
{
    TraceStep *steps = &trace->steps[first];
    Symbol symbols[TRACE_WORDS_MAX];
    ptrdiff_t work, row_bytes;
    *cut = (Cut){
        .trace = trace, .first = first, .step_count = count, .axes = cut_symbols(steps, symbols)};
    const Tensor *out = &steps->args.out[steps->stage->main_output];
    for (int i = 0; i < cut->axes; i++)
        cut->length[i] = out->shape[i];
    for (int i = 0; i < count; i++) {
        if (!steps[i].knows_cuts)
            find_axes(&steps[i], cut, symbols, steps[i].cuts);
        steps[i].knows_cuts = steps[i].is_bound;
        cut->steps[i] = (CutStep){steps[i].stage, &steps[i].args, steps[i].cuts};
    }
    measure(steps, count, &work, &row_bytes);
    ptrdiff_t slices = cut_slices(cut, row_bytes, trace->team.threads);
    cut->threads = slices < trace->team.threads ? (int)slices : trace->team.threads;
    return slices;
}

// Whether no two slices read the same panels: none has a part of the rows, and panels are cut as all else.
static bool can_pack(const Cut *cut)
{
    bool can = cut->cut_axis < cut->axes - 1 || cut->blocks == 1;
    for (int step = 0; step < cut->step_count; step++)
        for (int read = 0; read < STAGE_READS_MAX; read++)
            for (int axis = 0; axis < cut->axes - 1; axis++)
                if (trace_packs_anew(cut->trace, &cut->trace->steps[cut->first + step], read))
                    can = can && (cut->length[axis] == 1 ||
                                  cut->steps[step].cuts[STAGE_READS_MAX + read].axis[axis] >= 0);
    return can;
}

void trace_run_slices(Trace *trace, int first, int count)
{
    TraceStep *steps = &trace->steps[first];
    if (trace_is_small(steps, count)) {
        for (int i = 0; i < count; i++) {
            trace_pack_fresh(trace, &steps[i], &steps[i].args, &(Team){.threads = 1});
            steps[i].stage->fast(&steps[i].args);
            trace_pass(trace, first + i, 1);
        }
        return;
    }
    Cut cut;
    ptrdiff_t slices = trace_cut(trace, first, count, &cut);
    cut.packs = can_pack(&cut);
    for (int i = 0; i < count && !cut.packs; i++)
        trace_pack_fresh(trace, &steps[i], &steps[i].args, &trace->team);
    team_run(&trace->team, slices, run_slice, &cut);
}

void trace_run_rows(const Trace *trace, int number, const ptrdiff_t start[],
                    const ptrdiff_t length[])
{
    const TraceStep *step = &trace->steps[number];
    Symbol symbols[TRACE_WORDS_MAX];
    Cut cut = {.axes = cut_symbols(step, symbols)};
    for (int i = 0; i < cut.axes; i++)
        cut.length[i] = step->args.out[step->stage->main_output].shape[i];
    TraceCuts cuts[TRACE_STEP_TENSORS];
    find_axes(step, &cut, symbols, cuts);
    CutStep cut_step = {step->stage, &step->args, cuts};
    StageArgs rows = trace_narrowed(&cut_step, cut.axes, start, length);
    step->stage->fast(&rows);
}
