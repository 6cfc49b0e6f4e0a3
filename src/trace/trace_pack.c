// Lays out the right factors of matrix products in the order the kernel reads them.
#include "trace_internal.h"

#include <string.h>

#include "matrix_product.h"

enum {
    SMALL_PACK = 16 * 1000,  // numbers that one thread packs before another wakes up
    PARTS = 8,               // of a matrix that threads share
    SMALL_WEIGHT = 16 * 1024 // numbers of one that changes in each run, and is read where it lies
};

typedef struct Packing {
    const Kernel *kernel;
    const Tensor *factor; // columns last
    const Tensor *panels;
    bool is_stacked; // the panels are of one matrix: all of the factor's, one below the other
    ptrdiff_t parts; // of each matrix, where there are fewer matrices than threads
} Packing;

// Matrix `number` of a tensor with a matrix in its last `inner` axes and at most two others.
static Tensor inner_tensor(const Tensor *tensor, int inner, ptrdiff_t number)
{
    int outer = tensor->rank - inner;
    return outer == 0 ? *tensor
           : outer == 1
               ? tensor_select(tensor, 0, number)
               : tensor_matrix(tensor, number / tensor->shape[1], number % tensor->shape[1]);
}

static void pack_one(void *context, ptrdiff_t piece)
{
    const Packing *packing = context;
    ptrdiff_t parts = packing->parts, number = piece / parts, part = piece % parts;
    Tensor factor = inner_tensor(packing->factor, 2, number);
    ptrdiff_t rows = factor.shape[0];
    Tensor panels = packing->is_stacked ? tensor_narrow(packing->panels, 1, number * rows, rows)
                                        : inner_tensor(packing->panels, 3, number);
    if (parts > 1) {
        ptrdiff_t count = panels.shape[0], columns = panels.shape[2];
        ptrdiff_t first = part * count / parts, end = (part + 1) * count / parts;
        ptrdiff_t last = end * columns < factor.shape[1] ? end * columns : factor.shape[1];
        panels = tensor_narrow(&panels, 0, first, end - first);
        factor = tensor_narrow(&factor, 1, first * columns, last - first * columns);
    }
    matrix_pack(packing->kernel, &factor, &panels);
}

static int panels_shape(const Kernel *kernel, const Tensor *factor, bool is_stacked,
                        ptrdiff_t shape[TENSOR_RANK_MAX])
{
    if (!is_stacked)
        return matrix_panels_shape(kernel, factor, shape);
    Tensor stacked = {.rank = 2, .shape = {1, factor->shape[factor->rank - 1]}};
    for (int axis = 0; axis + 1 < factor->rank; axis++)
        stacked.shape[0] *= factor->shape[axis];
    return matrix_panels_shape(kernel, &stacked, shape);
}

static Tensor columns_last(const Tensor *in, Factor kind)
{
    return kind == FACTOR_ROWS ? tensor_transpose(in, in->rank - 2, in->rank - 1) : *in;
}

// Describes the panels of a factor, without memory.
static Tensor plan_panels(const Trace *trace, const Tensor *in, Factor kind)
{
    Tensor factor = columns_last(in, kind);
    ptrdiff_t shape[TENSOR_RANK_MAX];
    int rank = panels_shape(trace->kernel, &factor, kind == FACTOR_STACKED, shape);
    return tensor_over(NULL, DTYPE_F32, rank, shape);
}

static bool make_room(Trace *trace, const Tensor *in, Factor kind, Tensor *panels, Error *err)
{
    if (panels->storage.bytes)
        return true;
    Tensor plan = plan_panels(trace, in, kind);
    return tensor_take(&trace->scratch, DTYPE_F32, plan.rank, plan.shape, panels, err);
}

static void pack(Team *team, const Kernel *kernel, const Tensor *in, Factor kind,
                 const Tensor *panels)
{
    Tensor factor = columns_last(in, kind);
    ptrdiff_t matrices;
    tensor_count_of(factor.rank - 2, factor.shape, &matrices);
    Team alone = {.threads = 1};
    bool is_small = tensor_count(panels) < SMALL_PACK;
    ptrdiff_t blocks = panels->shape[panels->rank - 3];
    ptrdiff_t parts = is_small || matrices >= team->threads ? 1 : PARTS;
    parts = parts < blocks ? parts : blocks > 0 ? blocks : 1;
    team_run(is_small ? &alone : team, matrices * parts, pack_one,
             &(Packing){kernel, &factor, panels, kind == FACTOR_STACKED, parts});
}

bool trace_is_batched(const char *axes)
{
    Symbol symbols[TRACE_WORDS_MAX];
    return axes && trace_symbols(axes, symbols) > 0 && symbols[0] == SYMBOL_B;
}

// Whether the small matrices of a batch can be read where they lie, and how. To copy them would take about as long
// as to multiply them.
static bool read_in_place(const Trace *trace, const Tensor *in, Factor kind, Tensor *panels)
{
    Tensor factor = columns_last(in, kind);
    if (kind == FACTOR_STACKED) {
        ptrdiff_t rows = factor.shape[0] * factor.shape[1];
        if (factor.rank != 3 || factor.stride[0] != factor.shape[1] * factor.stride[1])
            return false;
        factor = tensor_select(&factor, 0, 0);
        factor.shape[0] = rows;
    }
    return matrix_panels_in_place(trace->kernel, &factor, panels);
}

static bool is_in_place(const TraceStep *step, int read)
{
    return step->args.panels[read].storage.bytes == step->args.in[read].storage.bytes;
}

// Reuses the tensors of one small matrix for the others.
void trace_pack_sequences(const Trace *trace, const TraceStep *step, int read, ptrdiff_t start,
                          ptrdiff_t count)
{
    if (is_in_place(step, read))
        return;
    bool is_stacked = step->call->reads[read].factor == FACTOR_STACKED;
    const Tensor *panels = &step->args.panels[read];
    Tensor factor = columns_last(&step->args.in[read], step->call->reads[read].factor);
    Tensor one = inner_tensor(&factor, 2, 0);
    Tensor room =
        is_stacked ? tensor_narrow(panels, 1, 0, one.shape[0]) : inner_tensor(panels, 3, 0);
    ptrdiff_t heads = factor.rank == 4 ? factor.shape[1] : 1;
    for (ptrdiff_t b = start; b < start + count; b++)
        for (ptrdiff_t h = 0; h < heads; h++) {
            one.offset = factor.offset + b * factor.stride[0];
            room.offset = panels->offset;
            if (heads > 1)
                one.offset += h * factor.stride[1];
            if (is_stacked)
                room.offset += (b * heads + h) * one.shape[0] * panels->stride[1];
            else
                room.offset += b * panels->stride[0] + (heads > 1 ? h * panels->stride[1] : 0);
            matrix_pack(trace->kernel, &one, &room);
        }
}

// The input that a tensor is, or is a view of, as GPT-2's weights are when they are turned and split. -1: it
// was computed.
static int input_behind(const Trace *trace, int number)
{
    while (number >= 0 && trace->tensors[number].step >= 0) {
        const TraceStep *step = &trace->steps[trace->tensors[number].step];
        bool is_view = step->call->writes[trace->tensors[number].slot].is_view && !step->formula &&
                       !trace->variant.run;
        number = is_view ? step->reads[0] : -1;
    }
    return number;
}

void trace_borrow_panels(Trace *trace, const Trace *from)
{
    for (int i = 0; i < trace->tensor_count; i++) {
        TraceTensor *to = &trace->tensors[i];
        int other = trace_find(from, to->name);
        int input = input_behind(trace, i), others = other < 0 ? -1 : input_behind(from, other);
        if (input >= 0 && others >= 0 &&
            trace->tensors[input].tensor.storage.bytes ==
                from->tensors[others].tensor.storage.bytes) {
            memcpy(to->panels, from->tensors[other].panels, sizeof to->panels);
            to->packed = from->tensors[other].packed;
        }
    }
    trace->inputs_stay = true;
}

bool trace_packs_anew(const Trace *trace, const TraceStep *step, int read)
{
    return step->call->reads[read].role && step->call->reads[read].factor != FACTOR_NONE &&
           step->reads[read] >= 0 && input_behind(trace, step->reads[read]) < 0;
}

bool trace_pack_fresh(Trace *trace, TraceStep *step, Team *team, Error *err)
{
    for (int i = 0; i < STAGE_READS_MAX; i++) {
        if (!trace_packs_anew(trace, step, i))
            continue;
        Factor kind = step->call->reads[i].factor;
        Tensor *panels = &trace->tensors[step->reads[i]].panels[kind];
        if (!make_room(trace, &step->args.in[i], kind, panels, err))
            return false;
        step->args.panels[i] = *panels;
        pack(team, trace->kernel, &step->args.in[i], kind, panels);
    }
    return true;
}

void trace_pack_slice(const Trace *trace, const TraceStep *step, StageArgs *args, float *room)
{
    for (int i = 0; i < STAGE_READS_MAX; i++) {
        if (!trace_packs_anew(trace, step, i))
            continue;
        Tensor *panels = &args->panels[i];
        *panels = tensor_over(room, DTYPE_F32, panels->rank, panels->shape);
        pack(&(Team){.threads = 1}, args->kernel, &args->in[i], step->call->reads[i].factor,
             panels);
        room += tensor_count(panels);
    }
}

void trace_visit_panels(const Trace *trace, TracePanelVisit *visit, void *context)
{
    for (int i = 0; i < trace->tensor_count; i++)
        for (int kind = 0; kind < FACTOR_KINDS && input_behind(trace, i) >= 0; kind++)
            if (trace->tensors[i].panels[kind].storage.bytes)
                visit(context, &trace->tensors[i].panels[kind]);
}

bool trace_pack(Trace *trace, TraceStep *step, PackWhen when, Error *err)
{
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++) {
        const Slot *slot = &step->call->reads[i];
        if (slot->factor == FACTOR_NONE || step->reads[i] < 0)
            continue;
        TraceTensor *tensor = &trace->tensors[step->reads[i]];
        Tensor *panels = &tensor->panels[slot->factor];
        bool is_input = input_behind(trace, step->reads[i]) >= 0;
        bool is_packed = is_input && !trace->numbers_change &&
                         (trace->inputs_stay || trace->is_recomputed) &&
                         (tensor->packed >> slot->factor & 1);
        if (!is_input && when == PACK_IN_SLICES) {
            step->args.panels[i] = plan_panels(trace, &step->args.in[i], slot->factor);
            continue;
        }
        bool is_packed_later = !is_input && when == PACK_IN_STRETCH && trace_is_batched(slot->axes);
        bool changes = is_input && when == PACK_IN_STRETCH && trace->numbers_change &&
                       tensor_count(&step->args.in[i]) <= SMALL_WEIGHT;
        if ((is_packed_later || changes) &&
            read_in_place(trace, &step->args.in[i], slot->factor, &step->args.panels[i]))
            continue;
        if (!is_packed && !make_room(trace, &step->args.in[i], slot->factor, panels, err))
            return error_prefix(err, "%s: %s: ", step->stage->name, tensor->name);
        if (!is_packed && !is_packed_later)
            pack(&trace->team, trace->kernel, &step->args.in[i], slot->factor, panels);
        tensor->packed |= (unsigned)is_input << slot->factor;
        step->args.panels[i] = *panels;
    }
    return true;
}
