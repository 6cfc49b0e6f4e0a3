// trace_pack: lays out the right factors of matrix products in the order the kernel reads them.
#include "trace_internal.h"

#include "matrix_product.h"

enum { SMALL_WORK = 50 * 1000 }; // numbers that are packed before another thread has woken up

typedef struct Packing {
    const Kernel *kernel;
    const Tensor *factor; // columns last
    const Tensor *panels;
} Packing;

// Matrix `number` of a tensor whose last `inner` axes are the matrix, and that has at most two others.
static Tensor inner_tensor(const Tensor *tensor, int inner, ptrdiff_t number)
{
    int outer = tensor->rank - inner;
    return outer == 0 ? *tensor
           : outer == 1
               ? tensor_select(tensor, 0, number)
               : tensor_matrix(tensor, number / tensor->shape[1], number % tensor->shape[1]);
}

static void pack_one(void *context, ptrdiff_t number)
{
    const Packing *packing = context;
    Tensor factor = inner_tensor(packing->factor, 2, number);
    Tensor panels = inner_tensor(packing->panels, 3, number);
    matrix_pack(packing->kernel, &factor, &panels);
}

static bool pack(Trace *trace, const Tensor *in, Factor kind, Tensor *panels, Error *err)
{
    Tensor factor = kind == FACTOR_ROWS ? tensor_transpose(in, in->rank - 2, in->rank - 1) : *in;
    ptrdiff_t shape[TENSOR_RANK_MAX], matrices;
    int rank = matrix_panels_shape(trace->kernel, &factor, shape);
    if (!panels->storage.bytes &&
        !tensor_take(&trace->scratch, DTYPE_F32, rank, shape, panels, err))
        return false;
    tensor_count_of(rank - 3, shape, &matrices);
    Team alone = {.threads = 1};
    bool is_small = tensor_count(panels) < SMALL_WORK;
    team_run(is_small ? &alone : &trace->team, matrices, pack_one,
             &(Packing){trace->kernel, &factor, panels});
    return true;
}

bool trace_pack(Trace *trace, TraceStep *step, Error *err)
{
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++) {
        const Slot *slot = &step->call->reads[i];
        if (slot->factor == FACTOR_NONE || step->reads[i] < 0)
            continue;
        TraceTensor *tensor = &trace->tensors[step->reads[i]];
        Tensor *panels = &tensor->panels[slot->factor];
        bool is_packed = trace->inputs_stay && !trace->numbers_change && tensor->step < 0 &&
                         panels->storage.bytes;
        if (!is_packed && !pack(trace, &step->args.in[i], slot->factor, panels, err))
            return error_prefix(err, "%s: %s: ", step->stage->name, tensor->name);
        step->args.panels[i] = *panels;
    }
    return true;
}
