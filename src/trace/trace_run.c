// Runs the steps of a trace, one at a time or in groups.
#include "trace_internal.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

// Successive steps may run slice by slice; each slice goes through all of them.
enum { TRACE_GROUP_MAX = 8 };

// Reports progress to a measuring caller.
static void trace_pass(const Trace *trace, int step, int threads)
{
    if (trace->passed)
        trace->passed(trace->passed_context, step, threads);
}

// --- slices: groups of steps, slice by slice
//
// Each step from score to weighted_sum makes a row of output from the same row of the previous step. Over whole
// tensors, every number would go to memory and back four times. So a slice of a few rows goes through all of the steps
// while it is in the cache. Every tensor is still written completely. Threads share the slices.

// The cuts along which threads share one step that has begun; `axes` counts those it has.
typedef struct CutStep {
    const Stage *stage;
    StageArgs *args;       // only read
    const TraceCuts *cuts; // TRACE_STEP_TENSORS
} CutStep;

typedef struct Cut {
    const Trace *trace;
    int first; // step of the trace
    int threads;
    CutStep steps[TRACE_GROUP_MAX];
    int step_count;
    int axes;                             // how many can be cut; the last of them counts rows
    ptrdiff_t length[TRACE_CUT_AXES_MAX]; // of the cut axes
    int cut_axis;     // the one that is cut into blocks; a slice has one of each before, all behind
    ptrdiff_t blocks; // how many

    // A buffer for each thread, in which slices pack their panels. NULL if panels are packed earlier.
    float *rooms;
    ptrdiff_t room_count; // numbers in a buffer
    atomic_ullong *taken; // a bit for each buffer
} Cut;

enum {
    SLICE_BYTES =
        640 * 1024, // larger ones leave the second cache, smaller ones read panels more often
    SLICE_ROWS_MAX = 384,
    SLICES_PER_THREAD = 16,     // from here on a slice more or less makes no thread wait
    SLICE_ROWS = 24,            // enough for the panels that a product reads
    SMALL_WORK = 100 * 1000,    // multiply-adds that are done before another thread has woken up
    BOX_WORK = 10 * SMALL_WORK, // of a box, which has one step only
    ROOM_MULTIPLE = 16,         // numbers of a cache line, which threads do not share
};

static const Slot *main_write(const TraceStep *step)
{
    return &step->call->writes[step->stage->main_output];
}

// All axes of the main output are cut, except the last. A block continues the previous one, and so does a part
// of the stream; so they stay together.
static int cut_symbols(const TraceStep *step, Symbol symbols[TRACE_WORDS_MAX])
{
    int count = trace_symbols(main_write(step)->axes, symbols) - 1, cut = 0;
    for (int i = 0; i < count; i++)
        if (symbols[i] != SYMBOL_BLOCKS && symbols[i] != SYMBOL_PARTS)
            symbols[cut++] = symbols[i];
    return cut;
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

// True if a step can follow the steps from `first` on, slice by slice. It is cut in the same way, and reads only
// its own slice of their outputs.
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
    if (number < STAGE_READS_MAX)
        return &args->panels[number];
    number -= STAGE_READS_MAX;
    return number < STAGE_WRITES_MAX ? &args->out[number] : &args->table;
}

// Panels have the axes of their tensor, except its last two. Panels of a stack have no axes.
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

// Where the cut axes lie in each tensor. A tensor with fewer axes than its slot (a mask) has the slot's last axes.
static void find_axes(const TraceStep *step, const Cut *cut, const Symbol symbols[],
                      TraceCuts cuts[TRACE_STEP_TENSORS])
{
    StageArgs args = step->args;
    for (int number = 0; number < TRACE_STEP_TENSORS; number++) {
        const Tensor *tensor = tensor_of(&args, number);
        bool is_table = number == TRACE_STEP_TENSORS - 1;
        Symbol own[TRACE_WORDS_MAX] = {cut->axes > 0 ? symbols[cut->axes - 1] : 0};
        int count = is_table ? 1 : slot_axes(step->call, number, own);
        bool is_panels = number >= STAGE_READS_MAX && number < 2 * STAGE_READS_MAX;
        int missing = is_panels || is_table ? 0 : count - tensor->rank;
        for (int i = 0; i < cut->axes; i++) {
            int axis = trace_find_symbol(own, count, symbols[i]) - missing;
            bool is_there = (is_panels || tensor->storage.bytes) && axis >= 0 &&
                            axis < tensor->rank && tensor->shape[axis] == cut->length[i];
            cuts[number].axis[i] = (signed char)(is_there ? axis : -1);
        }
    }
}

// The tensors of a step, narrowed to a block of the cut axes. Tensors that a step lacks are not copied, because
// they are many and slices are short.
static void trace_narrow(const CutStep *step, int axes, const ptrdiff_t start[],
                         const ptrdiff_t length[], StageArgs *args)
{
    StageArgs *whole = step->args;
    args->options = whole->options;
    args->kernel = whole->kernel;
    for (int number = 0; number < TRACE_STEP_TENSORS; number++) {
        const Tensor *from = tensor_of(whole, number);
        Tensor *to = tensor_of(args, number);
        to->storage.bytes = NULL;
        if (!from->storage.bytes)
            continue;
        *to = *from;
        for (int i = 0; i < axes; i++) {
            int axis = step->cuts[number].axis[i];
            if (axis < 0)
                continue;
            to->offset += start[i] * to->stride[axis];
            to->shape[axis] = length[i];
        }
    }
}

// Each thread has a buffer, so one is always free.
static int take_room(atomic_ullong *taken)
{
    unsigned long long before = atomic_load(taken);
    while (!atomic_compare_exchange_weak(taken, &before, before | (before + 1)))
        continue;
    return __builtin_ctzll(~before);
}

static void trace_run_slice(const Cut *cut, ptrdiff_t number)
{
    int room = cut->rooms ? take_room(cut->taken) : 0;
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
    StageArgs both[2] = {{.options = NULL}}, *args = &both[0], *next = &both[1];
    trace_narrow(&cut->steps[0], cut->axes, start, length, args);
    for (int step = 0; step < cut->step_count; step++) {
        bool is_last = step + 1 == cut->step_count;
        args->soon.storage.bytes = NULL;
        if (!is_last) {
            trace_narrow(&cut->steps[step + 1], cut->axes, start, length, next);
            args->soon = next->out[cut->steps[step + 1].stage->main_output];
        }
        if (cut->rooms)
            trace_pack_slice(cut->trace, &cut->trace->steps[cut->first + step], args,
                             cut->rooms + room * cut->room_count);
        cut->steps[step].stage->fast(args);
        StageArgs *done = args;
        args = next;
        next = done;
        trace_pass(cut->trace, cut->first + step, cut->threads);
    }
    if (cut->rooms)
        atomic_fetch_and(cut->taken, ~(1ull << room));
}

static void run_slice(void *context, ptrdiff_t number)
{
    trace_run_slice(context, number);
}

// Estimates the multiply-adds of the steps and the output bytes of one row.
static void measure(const TraceStep steps[], int count, ptrdiff_t *work, ptrdiff_t *row_bytes)
{
    *work = *row_bytes = 0;
    for (int i = 0; i < count; i++) {
        const StageArgs *args = &steps[i].args;
        const Tensor *out = &args->out[steps[i].stage->main_output];
        bool is_product = false;
        for (int slot = 0; slot < STAGE_READS_MAX; slot++)
            is_product = is_product || args->panels[slot].rank > 0;
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

// True if a thread may wait long for another one's last slice. What fits as a whole is not cut for that.
static bool is_uneven(const Cut *cut, ptrdiff_t outer, int threads)
{
    ptrdiff_t slices = outer * cut->blocks, rows = cut->length[cut->cut_axis] / cut->blocks;
    bool is_high = cut->blocks > 1 && rows > SLICE_ROWS;
    return threads > 1 && slices < SLICES_PER_THREAD * threads &&
           (slices % threads != 0 || is_high);
}

// Cuts into blocks that fit in the cache, and into enough of them that the threads finish together. Returns the
// number of slices.
static ptrdiff_t cut_slices(Cut *cut, ptrdiff_t row_bytes, int threads)
{
    ptrdiff_t fitting = SLICE_BYTES / (row_bytes > 0 ? row_bytes : 1);
    fitting = fitting > SLICE_ROWS_MAX ? SLICE_ROWS_MAX : fitting;
    ptrdiff_t height = cut->steps[0].args->kernel->rows;
    fitting = fitting > height ? fitting / height * height : height;

    // If sequences are short, a slice takes rows of several heads or sequences, if every thread still has a slice.
    cut->cut_axis = cut->axes - 1;
    for (; 2 * cut->length[cut->cut_axis] <= fitting; cut->cut_axis--) {
        if (cut->cut_axis == 0 || count_before(cut, cut->cut_axis) < threads)
            break;
        fitting /= cut->length[cut->cut_axis];
    }

    ptrdiff_t outer = count_before(cut, cut->cut_axis), length = cut->length[cut->cut_axis];
    cut->blocks = (length + fitting - 1) / fitting;
    while (cut->blocks < length && is_uneven(cut, outer, threads))
        cut->blocks++;
    return outer * cut->blocks;
}

// True if so few steps finish before another thread wakes up.
static bool trace_is_small(const TraceStep steps[], int count)
{
    ptrdiff_t work, row_bytes;
    measure(steps, count, &work, &row_bytes);
    return work < SMALL_WORK;
}

// Decides how to cut `count` steps from `first` on, and into how many slices.
static ptrdiff_t trace_cut(Trace *trace, int first, int count, Cut *cut)
{
    TraceStep *steps = &trace->steps[first];
    Symbol symbols[TRACE_WORDS_MAX];
    ptrdiff_t work, row_bytes;
    *cut = (Cut){
        .trace = trace, .first = first, .step_count = count, .axes = cut_symbols(steps, symbols)};
    const Tensor *out = &steps->args.out[steps->stage->main_output];
    Symbol all[TRACE_WORDS_MAX];
    int rank = trace_symbols(main_write(steps)->axes, all);
    for (int i = 0; i < cut->axes; i++)
        cut->length[i] = out->shape[trace_find_symbol(all, rank, symbols[i])];
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

// True if no two slices read the same panels. Then slices have all rows, and panels are cut in the same way.
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

// The most numbers that a slice packs for one step.
static ptrdiff_t slice_panels(const Cut *cut)
{
    ptrdiff_t most = 0, rows = (cut->length[cut->cut_axis] + cut->blocks - 1) / cut->blocks;
    for (int step = 0; step < cut->step_count; step++) {
        ptrdiff_t sum = 0;
        for (int read = 0; read < STAGE_READS_MAX; read++) {
            if (!trace_packs_anew(cut->trace, &cut->trace->steps[cut->first + step], read))
                continue;
            Tensor panels = cut->steps[step].args->panels[read];
            for (int i = 0; i <= cut->cut_axis; i++) {
                int axis = cut->steps[step].cuts[STAGE_READS_MAX + read].axis[i];
                if (axis >= 0)
                    panels.shape[axis] = i < cut->cut_axis ? 1 : rows;
            }
            sum += tensor_count(&panels);
        }
        most = sum > most ? sum : most;
    }
    return (most + ROOM_MULTIPLE - 1) / ROOM_MULTIPLE * ROOM_MULTIPLE;
}

// Memory for each thread. Later groups and runs use it again. The steps' panels describe the matrix that was
// packed last.
static bool make_rooms(Trace *trace, Cut *cut, Error *err)
{
    cut->room_count = slice_panels(cut);
    ptrdiff_t count = cut->room_count * trace->team.threads;
    Tensor *rooms = &trace->slice_rooms;
    if (count > 0 && (!rooms->storage.bytes || tensor_count(rooms) < count) &&
        !tensor_take(&trace->scratch, DTYPE_F32, 1, &count, rooms, err))
        return false;
    cut->rooms = count > 0 ? rooms->storage.f32 : NULL;
    for (TraceStep *step = &trace->steps[cut->first];
         step < &trace->steps[cut->first + cut->step_count]; step++)
        for (int i = 0; i < STAGE_READS_MAX; i++)
            if (trace_packs_anew(trace, step, i)) {
                Tensor *panels = &step->args.panels[i];
                panels->storage.f32 = cut->rooms;
                for (int axis = 0; axis < panels->rank - 3; axis++)
                    panels->stride[axis] = 0;
            }
    return true;
}

// Runs the fast twins of steps that have begun. Returns false without memory for panels.
static bool trace_run_slices(Trace *trace, int first, int count, Error *err)
{
    TraceStep *steps = &trace->steps[first];
    if (trace_is_small(steps, count)) {
        for (int i = 0; i < count; i++) {
            if (!trace_pack_fresh(trace, &steps[i], &(Team){.threads = 1}, err))
                return false;
            steps[i].stage->fast(&steps[i].args);
            trace_pass(trace, first + i, 1);
        }
        return true;
    }
    Cut cut;
    ptrdiff_t slices = trace_cut(trace, first, count, &cut);
    atomic_ullong taken = 0;
    cut.taken = &taken;
    bool packs = can_pack(&cut);
    if (packs && !make_rooms(trace, &cut, err))
        return false;
    for (int i = 0; i < count && !packs; i++) {
        if (!trace_pack_fresh(trace, &steps[i], &trace->team, err))
            return false;
        trace_pass(trace, first + i, 1); // each thread takes about as long
    }
    team_run(&trace->team, slices, run_slice, &cut);
    return true;
}

// A box of rows; threads share its longest axis.
typedef struct Box {
    CutStep step;
    int axes, shared_axis;
    ptrdiff_t start[TRACE_CUT_AXES_MAX], length[TRACE_CUT_AXES_MAX], pieces;
} Box;

static void run_piece(void *context, ptrdiff_t piece)
{
    const Box *box = context;
    ptrdiff_t start[TRACE_CUT_AXES_MAX], length[TRACE_CUT_AXES_MAX],
        all = box->length[box->shared_axis];
    memcpy(start, box->start, sizeof start);
    memcpy(length, box->length, sizeof length);
    start[box->shared_axis] += piece * all / box->pieces;
    length[box->shared_axis] = (piece + 1) * all / box->pieces - piece * all / box->pieces;
    StageArgs args = {.options = NULL};
    trace_narrow(&box->step, box->axes, start, length, &args);
    box->step.stage->fast(&args);
}

// Runs the fast twin of a step that has begun, for a box.
static void run_rows(Trace *trace, int number, const ptrdiff_t start[], const ptrdiff_t length[])
{
    TraceStep *step = &trace->steps[number];
    const Tensor *out = &step->args.out[step->stage->main_output];
    Symbol symbols[TRACE_WORDS_MAX];
    Cut cut = {.axes = cut_symbols(step, symbols)};
    TraceCuts cuts[TRACE_STEP_TENSORS];
    Box box = {.step = {step->stage, &step->args, cuts}, .axes = cut.axes, .pieces = 1};
    ptrdiff_t work, row_bytes, rows = 1, all = 1;
    measure(step, 1, &work, &row_bytes);
    for (int i = 0; i < cut.axes; i++) {
        cut.length[i] = out->shape[i];
        box.start[i] = start[i];
        box.length[i] = length[i];
        rows *= length[i];
        all *= out->shape[i];
        box.shared_axis = length[i] > length[box.shared_axis] ? i : box.shared_axis;
    }
    find_axes(step, &cut, symbols, cuts);
    ptrdiff_t threads = trace->team.threads, longest = box.length[box.shared_axis];
    if ((double)work * (double)rows / (double)all >= BOX_WORK)
        box.pieces = longest < threads ? longest : threads;
    team_run(&trace->team, box.pieces, run_piece, &box);
}

// --- stretches
//
// Threads share a batch of many short sequences by sequence.
//
// A step over such a batch takes a few microseconds, less than threads need to wait for each other after it.
// So a thread takes some sequences through all successive steps, forward and backward. It packs factors on the
// way, and waits for the others once. Steps that sum over sequences, such as gradients of weights, run after
// that in their stated order. No step of the stretch reads those sums.

enum {
    SEQUENCE_BYTES_MAX =
        512 * 1024, // of what the steps write of one sequence: else slices are better
    STRETCH_BYTES = 2 * 1024 * 1024,
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

// The role of a step in a stretch that begins at `first`.
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

// The bytes that the steps write for one sequence.
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
    for (int number = 0; number < trace->step_count; number++) {
        trace->steps[number].stretch = 0;
        trace->steps[number].part = STRETCH_NOT;
        trace->steps[number].packs = 0;
    }
    if (trace->scenario->size[SYMBOL_B] < 2)
        return;
    for (int first = 0, count; first<trace->step_count; first += count> 0 ? count : 1) {
        count = plan_stretch(trace, first);
        trace->steps[first].stretch = count;
        trace->steps[first].stretch_bytes = count ? sequence_bytes(trace, first, count) : 0;
    }
}

// --- running them

// A late step whose rows threads share.
typedef struct Late {
    Cut cut;
    ptrdiff_t before; // pieces of those before it
} Late;

typedef struct Stretch {
    const Trace *trace;
    TraceStep *steps;
    int first, count;
    int threads;
    ptrdiff_t batch, parts; // of the batch: one for each thread
    ptrdiff_t slice;        // sequences of a part that go through all steps together, at most
    atomic_int finished;    // parts that are through

    const TraceStep *sums[LATE_MAX]; // Stage.sums_sequences
    atomic_int added[LATE_MAX];      // to each of them: parts
    int sum_count;
    const TraceStep *whole[LATE_MAX]; // late steps that one thread runs
    int whole_count;
    Late late[LATE_MAX];
    int late_count;
} Stretch;

static void run_sequences(const Stretch *stretch, ptrdiff_t start, ptrdiff_t length)
{
    StageArgs args = {.options = NULL};
    trace_pass(stretch->trace, -1, stretch->threads);
    for (TraceStep *step = stretch->steps; step < stretch->steps + stretch->count; step++) {
        for (int i = 0; step->packs >> i; i++)
            if (step->packs >> i & 1)
                trace_pack_sequences(stretch->trace, step, i, start, length);
        if (step->part != STRETCH_SLICED)
            continue;
        trace_narrow(&(CutStep){step->stage, &step->args, step->cuts}, 1, &start, &length, &args);
        step->stage->fast(&args);
        trace_pass(stretch->trace, stretch->first + (int)(step - stretch->steps), stretch->threads);
    }
}

static void run_whole(const Stretch *stretch, const TraceStep *step)
{
    StageArgs args = step->args;
    Error err;
    trace_pass(stretch->trace, -1, stretch->threads);
    if (step->stage->fast) {
        step->stage->fast(&args);
    } else {
        bool runs = step->stage->run(&args, &err);
        assert(runs); // Stage.may_wait
        (void)runs;
    }
    trace_pass(stretch->trace, (int)(step - stretch->trace->steps), stretch->threads);
}

// Adds some sequences to the sums over those before.
static void add_sequences(const Stretch *stretch, const TraceStep *step, ptrdiff_t start,
                          ptrdiff_t length)
{
    StageArgs args = step->args;
    for (int i = 0; i < STAGE_READS_MAX; i++) {
        Tensor *in = &args.in[i], *panels = &args.panels[i];
        if (!in->storage.bytes)
            continue;
        in->offset += start * in->stride[0];
        in->shape[0] = length;
        if (!panels->storage.bytes)
            continue;
        ptrdiff_t rows = panels->shape[1] / stretch->batch;
        panels->offset += start * rows * panels->stride[1];
        panels->shape[1] = length * rows;
    }
    args.goes_on = start > 0;
    trace_pass(stretch->trace, -1, stretch->threads);
    step->stage->fast(&args);
    trace_pass(stretch->trace, (int)(step - stretch->trace->steps), stretch->threads);
}

static void wait_for(const atomic_int *count, ptrdiff_t parts)
{
    while (atomic_load(count) < parts)
        sched_yield();
}

// A part of the batch: its sequences go through all steps, then it is added to the sums. Part 1 waits at each sum for
// part 0, which is at the next one by then: so each thread sums the numbers that its own caches have. Parts begin in
// ascending order and wait for lower ones only, so any number of threads comes to an end.
static void run_part(void *context, ptrdiff_t number)
{
    Stretch *stretch = context;
    ptrdiff_t start = number * stretch->batch / stretch->parts;
    ptrdiff_t end = (number + 1) * stretch->batch / stretch->parts;
    ptrdiff_t length = end - start, slices = (length + stretch->slice - 1) / stretch->slice;
    for (ptrdiff_t slice = 0; slice < slices; slice++) {
        ptrdiff_t from = slice * length / slices;
        run_sequences(stretch, start + from, (slice + 1) * length / slices - from);
    }
    atomic_fetch_add(&stretch->finished, 1);
    if (number + 1 == stretch->parts) { // it would wait longest for its first sum
        wait_for(&stretch->finished, stretch->parts);
        for (int i = 0; i < stretch->whole_count; i++)
            run_whole(stretch, stretch->whole[i]);
    }
    for (int i = 0; i < stretch->sum_count; i++) {
        wait_for(&stretch->added[i], number);
        add_sequences(stretch, stretch->sums[i], start, length);
        atomic_store(&stretch->added[i], (int)number + 1);
    }
}

static void run_late(void *context, ptrdiff_t number)
{
    const Stretch *stretch = context;
    const Late *late = &stretch->late[stretch->late_count - 1];
    while (late->before > number)
        late--;
    trace_run_slice(&late->cut, number - late->before);
}

// Returns the number of pieces of those whose rows are shared.
static ptrdiff_t plan_late(Trace *trace, Stretch *stretch)
{
    ptrdiff_t pieces = 0;
    for (int number = stretch->first; number < stretch->first + stretch->count; number++) {
        const TraceStep *step = &trace->steps[number];
        Symbol rows[TRACE_WORDS_MAX];
        if (step->part != STRETCH_LATE)
            continue;
        if (step->stage->sums_sequences) {
            stretch->sums[stretch->sum_count++] = step;
        } else if (!step->stage->fast || cut_symbols(step, rows) <= 0) {
            stretch->whole[stretch->whole_count++] = step;
        } else {
            Late *late = &stretch->late[stretch->late_count++];
            late->before = pieces;
            pieces += trace_cut(trace, number, 1, &late->cut);
        }
    }
    return pieces;
}

// Runs steps of a stretch that have begun.
static void trace_run_stretch(Trace *trace, int first, int count)
{
    Stretch stretch = {.trace = trace,
                       .steps = &trace->steps[first],
                       .first = first,
                       .count = count,
                       .batch = trace->scenario->size[SYMBOL_B]};
    Team alone = {.threads = 1};
    Team *team = trace_is_small(stretch.steps, count) ? &alone : &trace->team;
    stretch.threads = team->threads;
    stretch.parts = team->threads < stretch.batch ? team->threads : stretch.batch;
    Cut cut;
    for (int number = first; number < first + count; number++)
        if (trace->steps[number].part == STRETCH_SLICED && !trace->steps[number].knows_cuts)
            trace_cut(trace, number, 1, &cut);
    ptrdiff_t bytes = trace->steps[first].stretch_bytes;
    stretch.slice = bytes > 0 && bytes < STRETCH_BYTES ? STRETCH_BYTES / bytes : 1;
    ptrdiff_t pieces = plan_late(trace, &stretch);
    team_run(team, stretch.parts, run_part, &stretch);
    if (pieces > 0)
        team_run(team, pieces, run_late, &stretch);
}

// --- a step, and several

// Gives memory to every output that is not a view and has none from an earlier run. A view that a formula computes
// has its own memory.
static bool allocate_outputs(Trace *trace, TraceStep *step, Error *err)
{
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++) {
        Tensor *out = &step->args.out[i], made;
        TraceTensor *written = &trace->tensors[step->writes[i]];
        bool is_view = step->call->writes[i].is_view;
        const Tensor *earlier = is_view ? &written->apart : &written->tensor;
        if (is_view ? !step->formula : out->storage.bytes != NULL)
            continue;
        if (earlier->storage.bytes && tensor_count(earlier) == tensor_count(out))
            made = tensor_over(earlier->storage.bytes, out->dtype, out->rank, out->shape);
        else if (!tensor_take(&trace->arena, out->dtype, out->rank, out->shape, &made, err))
            return error_prefix(err, "%s: %s: ", step->stage->name, step->call->writes[i].tensor);
        if (is_view)
            written->apart = made;
        *out = made;
    }
    return true;
}

// Shows the outputs to later steps. A function that a person wrote may return another view each time, so its
// step is not bound.
static void publish(Trace *trace, TraceStep *step)
{
    if (step->is_bound)
        return;
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++) {
        const Tensor *out = &step->args.out[i];
        int hidden = trace_hidden_axis(trace, step->call->writes[i].axes, out->rank - 1);
        trace->tensors[step->writes[i]].tensor = hidden >= 0 ? tensor_squeeze(out, hidden) : *out;
    }
    step->is_bound = !trace->variant.run && !step->formula;
    step->knows_cuts = false;
}

static void unbind(Trace *trace)
{
    for (int step = 0; step < trace->step_count; step++)
        trace->steps[step].is_bound = false;
}

static void withdraw(Trace *trace, const TraceStep *step)
{
    unbind(trace);
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++)
        trace->tensors[step->writes[i]].tensor = (Tensor){.storage.bytes = NULL};
}

// Prepares what slices share. A table stays with its step.
static bool prepare(Trace *trace, TraceStep *step, Error *err)
{
    const Stage *stage = step->stage;
    StageArgs *args = &step->args;
    if (!stage->prepare || (stage->prepares_once && step->is_bound))
        return true;
    if (stage->table_columns) {
        const Tensor *out = &args->out[stage->main_output];
        ptrdiff_t shape[] = {out->shape[out->rank - 2], stage->table_columns(args)};
        if (step->table.storage.bytes && step->table.shape[0] == shape[0] &&
            step->table.shape[1] == shape[1])
            args->table = step->table;
        else if (!tensor_take(&trace->scratch, DTYPE_F32, 2, shape, &args->table, err))
            return error_prefix(err, "%s: ", stage->name);
        step->table = args->table;
    }
    return stage->prepare(args, err);
}

static bool begin(Trace *trace, int number, PackWhen when, Error *err)
{
    TraceStep *step = &trace->steps[number];
    const Stage *stage = step->stage;
    step->is_bound = step->is_bound && trace->inputs_stay;
    if (!step->is_bound && (!trace_arguments(trace, number, &step->args, err) ||
                            (stage->shapes && !stage->shapes(&step->args, err)) ||
                            !allocate_outputs(trace, step, err)))
        return false;
    return !trace->kernel || step->formula ||
           (prepare(trace, step, err) && (!stage->fast || trace_pack(trace, step, when, err)));
}

bool trace_run_box(Trace *trace, int number, const ptrdiff_t start[], const ptrdiff_t length[],
                   Error *err)
{
    const TraceStep *step = &trace->steps[number];
    bool by_sequence = trace_is_batched(main_write(step)->axes);
    if (!begin(trace, number, PACK_IN_STRETCH, err))
        return false;
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++)
        if (trace_packs_anew(trace, step, i) && trace_is_batched(step->call->reads[i].axes))
            trace_pack_sequences(trace, step, i, by_sequence ? start[0] : 0,
                                 by_sequence ? length[0] : step->args.in[i].shape[0]);
    run_rows(trace, number, start, length);
    return true;
}

static bool note_remarks(Trace *trace, const TraceStep *step, Error *err)
{
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++)
        if (!trace_note_remark(trace, step->writes[i], &trace->tensors[step->writes[i]].tensor,
                               err)) {
            withdraw(trace, step);
            return false;
        }
    return true;
}

static bool finish(Trace *trace, int count, Error *err)
{
    for (; count > 0; count--, trace->steps_done++)
        if (!note_remarks(trace, &trace->steps[trace->steps_done], err))
            return false;
    return true;
}

// Runs at most `most` steps as one group; leaves a later one that cannot begin for the next call.
static bool run_group(Trace *trace, int most, Error *err)
{
    int first = trace->steps_done, count = 0;
    trace_pass(trace, -1, 1);
    while (count < most && begin(trace, first + count, PACK_IN_SLICES, err)) {
        publish(trace, &trace->steps[first + count]);
        trace_pass(trace, first + count, 1);
        count++;
    }
    if (count == 0)
        return false;
    if (!trace_run_slices(trace, first, count, err)) {
        for (int step = first; step < first + count; step++)
            withdraw(trace, &trace->steps[step]);
        return false;
    }
    return finish(trace, count, err);
}

// Runs the stage's own definition, or the variant's.
static bool run_definition(Trace *trace, TraceStep *step, Error *err)
{
    bool done = false;
    if (step->formula)
        return trace_run_formula(trace, step, err);
    if (trace->variant.run &&
        !trace->variant.run(trace->variant.context, step, &step->args, &done, err))
        return false;
    return done || step->stage->run(&step->args, err);
}

static bool run_alone(Trace *trace, Error *err)
{
    TraceStep *step = &trace->steps[trace->steps_done];
    trace_pass(trace, -1, 1);
    if (!begin(trace, trace->steps_done, PACK_NOW, err) || !run_definition(trace, step, err))
        return false;
    publish(trace, step);
    trace_pass(trace, trace->steps_done, 1);
    return finish(trace, 1, err);
}

// Runs at most `most` steps that threads share by sequence. Steps through which no number flows run on the way.
static bool run_stretch(Trace *trace, int most, Error *err)
{
    int first = trace->steps_done, count = 0;
    trace_pass(trace, -1, 1);
    for (; count < most; count++) {
        TraceStep *step = &trace->steps[first + count];
        bool is_early = step->part == STRETCH_VIEW || step->part == STRETCH_EARLY;
        if (!begin(trace, first + count, PACK_IN_STRETCH, err) ||
            (is_early && !step->stage->run(&step->args, err)))
            break;
        publish(trace, step);
        trace_pass(trace, first + count, 1);
    }
    if (count == 0)
        return false;
    trace_run_stretch(trace, first, count);
    return finish(trace, count, err);
}

bool trace_step(Trace *trace, Error *err)
{
    assert(trace->steps_done < trace->step_count);
    bool is_sliced = trace->kernel && trace->steps[trace->steps_done].group > 0;
    return is_sliced ? run_group(trace, 1, err) : run_alone(trace, err);
}

bool trace_run(Trace *trace, Error *err)
{
    while (trace->steps_done < trace->step_count) {
        const TraceStep *step = &trace->steps[trace->steps_done];
        int stretch = trace->kernel ? step->stretch : 0, count = trace->kernel ? step->group : 0;
        if (!(stretch > 0 ? run_stretch(trace, stretch, err)
              : count > 0 ? run_group(trace, count, err)
                          : run_alone(trace, err)))
            return false;
    }
    return true;
}

void trace_rewind(Trace *trace)
{
    if (!trace->inputs_stay)
        unbind(trace); // an edit may have come after
    trace->steps_done = 0;
    trace->inputs_stay = true;
}

void trace_renew(Trace *trace)
{
    trace_rewind(trace);
    trace->numbers_change = true;
}
