// Rollout: how much of each token of the input is in each place after layer n, if all that layers did
// were to mix: the map of the layer times what was mixed before it.
//
//   rollout[0,i,j] = map_residual[0,i,j]
//   rollout[n,i,j] = sum over k of map_residual[n,i,k] * rollout[n-1,k,j]
//
// in    map_residual [layers, Lq, Lk], Lq = Lk
// out   rollout [layers, Lq, Lk]  rows are places after layer n, columns tokens of the input
// cost  (layers - 1) * Lq * Lk * Lk multiply-adds
// from  Abnar and Zuidema 2020 (attention rollout), section 3, eq. 1
//
// Each layer reads what the one before it has written: such sources are elements of the output itself.
#include "stage.h"

#include <math.h>
#include "matrix_product.h"
#include "stages_words.h"

enum { IN_MAPS };

static void rollout(const Tensor *maps, Tensor *rolled)
{
    // n must be outermost and go up: layer n
    // reads what layer n - 1 has written.
    for (ptrdiff_t n = 0; n < maps->shape[0]; n++)
        for (ptrdiff_t i = 0; i < maps->shape[1]; i++)
            for (ptrdiff_t j = 0; j < maps->shape[2]; j++) {
                float sum = 0.0f;
                for (ptrdiff_t k = 0; n > 0 && k < maps->shape[2]; k++)
                    sum = fmaf(*tensor_at3(maps, n, i, k), *tensor_at3(rolled, n - 1, k, j), sum);
                *tensor_at3(rolled, n, i, j) = n > 0 ? sum : *tensor_at3(maps, n, i, j);
            }
}

// The same bits. A layer goes on from the one before it, so that no slice of it stands alone, as those of
// `fast` do: it runs here, where there is a kernel.
static void rollout_by_products(const Kernel *kernel, const Tensor *maps, Tensor *rolled)
{
    Tensor first = tensor_select(maps, 0, 0), before = tensor_select(rolled, 0, 0);
    tensor_copy(&first, &before);
    for (ptrdiff_t n = 1; n < maps->shape[0]; n++) {
        Tensor map = tensor_select(maps, 0, n), after = tensor_select(rolled, 0, n);
        matrix_product_once(kernel, &map, &before, &after);
        before = after;
    }
}

static bool rollout_run(StageArgs *args, Error *err)
{
    (void)err;
    if (args->kernel && args->in[IN_MAPS].shape[0] > 0)
        rollout_by_products(args->kernel, &args->in[IN_MAPS], &args->out[0]);
    else
        rollout(&args->in[IN_MAPS], &args->out[0]);
    return true;
}

// Layer 0 is a copy. A later one has two sources a term: its own map, and what this stage
// itself wrote for the layer before.
static void rollout_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                           void *context)
{
    (void)slot;
    const Tensor *maps = &args->in[IN_MAPS], *rolled = &args->out[0];
    ptrdiff_t n = at[0], i = at[1], j = at[2];
    float sum = 0.0f, first = *tensor_at3(maps, n, i, j);
    if (n == 0)
        visit(context, &(Term){.kind = TERM_COPY,
                               .what = TELL(ROLLOUT_FIRST),
                               .source_count = 1,
                               .sources = {{IN_MAPS, {n, i, j}}},
                               .value = first,
                               .running = first});
    for (ptrdiff_t k = 0; n > 0 && k < maps->shape[2]; k++) {
        float weight = *tensor_at3(maps, n, i, k), before = *tensor_at3(rolled, n - 1, k, j);
        sum = fmaf(weight, before, sum);
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .source_count = 2,
                               .sources = {{IN_MAPS, {n, i, k}}, {SOURCE_OWN, {n - 1, k, j}}},
                               .value = weight * before,
                               .running = sum});
    }
}

const Stage stage_rollout = {
    .name = "rollout",
    .formula = "rollout[n,i,j] = "
               "n = 0 ? map_residual[n,i,j] : sum_k map_residual[n,i,k] * rollout[n - 1, k,j]",
    .torch = "r = [a[0]]; r += [a[n] @ r[n-1]]   for n in 1 ... layers-1",
    .source = "Abnar and Zuidema 2020, section 3, eq. 1",
    .use = STAGE_WITH_ROLLOUT,
    .reach = REACH_AS_TOLD,
    .calls = {{
        .reads = {{.role = "map_residual", .axes = "layers Lq Lk"}},
        .writes =
            {{.role = "rollout", .tensor = "rollout", .axes = "layers Lq Lk", .is_share = true}},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = rollout_run,
    .origin = rollout_origin,
};
