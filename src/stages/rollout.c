// Attention maps computed by another model, and their combination over all layers.
#include <math.h>
#include "matrix_product.h"
#include "describe.h"
#include "stage.h"
#include "stages_words.def"

// --- map_mean
//
// Map mean: averages another model's attention maps over the heads of each layer.
//
//   map_mean[n,i,j] = sum over h of maps[n,h,i,j] / H
//
// in    maps [layers, H, Lq, Lk]  weights computed elsewhere
// out   map_mean [layers, Lq, Lk]
// cost  layers * H * Lq * Lk additions
// from  Abnar and Zuidema 2020 (attention rollout), section 3: "averaged at each layer over all heads"

static void map_mean(const Tensor *maps, Tensor *mean)
{
    for (ptrdiff_t n = 0; n < maps->shape[0]; n++)
        for (ptrdiff_t i = 0; i < maps->shape[2]; i++)
            for (ptrdiff_t j = 0; j < maps->shape[3]; j++) {
                // One sum for each pair i, j, over
                // the heads. Without a product, a
                // plain addition is enough.
                float sum = 0.0f;
                for (ptrdiff_t h = 0; h < maps->shape[1]; h++)
                    sum += *tensor_at4(maps, n, h, i, j);
                *tensor_at3(mean, n, i, j) = sum / (float)maps->shape[1];
            }
}

RUN_ON_ONE(map_mean)

static void map_mean_origin(Terms *terms, const ptrdiff_t at[])
{
    ptrdiff_t heads = terms->args->in[0].shape[1];
    for (ptrdiff_t h = 0; h < heads; h++)
        term_add(terms, TELL(MAP_MEAN_HEAD), SOURCE(0, at[0], h, at[1], at[2]));
    float mean = terms->running / (float)heads;
    term_rule(terms, TELL(MAP_MEAN_DIVIDE), mean, mean);
}

const Stage stage_map_mean = {
    .name = "map_mean",
    .formula = "map_mean[n,i,j] = mean_h maps[n,h,i,j]",
    .torch = "mean = maps.mean(dim=1)",
    .source = "Abnar and Zuidema 2020, section 3",
    .influence = INFLUENCE_BY_ORIGIN,
    .calls = {{
        .reads = {SLOT("maps", "layers H Lq Lk")},
        .writes = {NAMED_SLOT("map_mean", "map_mean", "layers Lq Lk", .sums_to_one = true)},
    }},
    .terms = {[TERM_ADD] = "sum +="},
    .run = map_mean_run,
    .origin = map_mean_origin,
};

// --- map_residual
//
// Map residual: a layer's output is half attention and half its input, since the two are added: adds
// the identity to each map and makes the rows sum to 1 again.
//
//   map_residual[n,i,j] = (map_mean[n,i,j] + [i = j]) / sum over k of (map_mean[n,i,k] + [i = k])
//
// in    map_mean [layers, Lq, Lk], Lq = Lk
// out   map_residual [layers, Lq, Lk]
// cost  layers * Lq * Lk additions and divisions
// from  Abnar and Zuidema 2020 (attention rollout), section 3: A = 0.5 W + 0.5 I, re-normalised

static float with_identity(const Tensor *mean, ptrdiff_t n, ptrdiff_t i, ptrdiff_t j)
{
    return *tensor_at3(mean, n, i, j) + (i == j ? 1.0f : 0.0f);
}

static void map_residual(const Tensor *mean, Tensor *residual)
{
    for (ptrdiff_t n = 0; n < mean->shape[0]; n++)
        for (ptrdiff_t i = 0; i < mean->shape[1]; i++) {
            // Each row of the map summed to
            // about 1; with the identity it sums
            // to 2, so divide it back to 1.
            float sum = 0.0f;
            for (ptrdiff_t k = 0; k < mean->shape[2]; k++)
                sum += with_identity(mean, n, i, k);
            for (ptrdiff_t j = 0; j < mean->shape[2]; j++)
                *tensor_at3(residual, n, i, j) = with_identity(mean, n, i, j) / sum;
        }
}

RUN_ON_ONE(map_residual)

// The whole row for its sum; then this number, divided.
static void map_residual_origin(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *mean = &terms->args->in[0];
    ptrdiff_t n = at[0], i = at[1], j = at[2];
    float sum = 0.0f, own = with_identity(mean, n, i, j);
    for (ptrdiff_t k = 0; k < mean->shape[2]; k++) {
        float weight = with_identity(mean, n, i, k);
        sum += weight;
        term_one(terms, TERM_ADD, i == k ? TELL(MAP_RESIDUAL_SELF) : TELL(MAP_RESIDUAL_OTHER),
                 SOURCE(0, n, i, k), weight, sum);
    }
    term_one(terms, TERM_DIVIDE,
             i == j ? TELL(MAP_RESIDUAL_DIVIDE_SELF) : TELL(MAP_RESIDUAL_DIVIDE),
             SOURCE(0, n, i, j), sum, own / sum);
}

const Stage stage_map_residual = {
    .name = "map_residual",
    .formula =
        "map_residual[n,i,j] = (map_mean[n,i,j] + [i = j]) / sum_k (map_mean[n,i,k] + [i = k])",
    .torch = "a = mean + torch.eye(L); a = a / a.sum(-1, keepdim=True)",
    .source = "Abnar and Zuidema 2020, section 3",
    .use = STAGE_WITH_ROLLOUT,
    .influence = INFLUENCE_BY_ROW,
    .calls = {{
        .reads = {SLOT("map_mean", "layers Lq Lk")},
        .writes = {NAMED_SLOT("map_residual", "map_residual", "layers Lq Lk", .sums_to_one = true)},
    }},
    .terms = {[TERM_ADD] = "sum +=", [TERM_DIVIDE] = "/ sum"},
    .run = map_residual_run,
    .origin = map_residual_origin,
};

// --- rollout
//
// Rollout: how much of each input token is at each place after layer n, if layers did nothing but
// mix: the layer's map times the mixture before it.
//
//   rollout[0,i,j] = map_residual[0,i,j]
//   rollout[n,i,j] = sum over k of map_residual[n,i,k] * rollout[n-1,k,j]
//
// in    map_residual [layers, Lq, Lk], Lq = Lk
// out   rollout [layers, Lq, Lk]  rows are places after layer n, columns input tokens
// cost  (layers - 1) * Lq * Lk * Lk multiply-adds
// from  Abnar and Zuidema 2020 (attention rollout), section 3, eq. 1
//
// Each layer reads the result of the one before: those sources are elements of the output itself.

enum { ROLLOUT_IN_MAPS };

static void rollout(const Tensor *maps, Tensor *rolled)
{
    // n must be outermost and ascend: layer n
    // reads the result of layer n - 1.
    for (ptrdiff_t n = 0; n < maps->shape[0]; n++)
        for (ptrdiff_t i = 0; i < maps->shape[1]; i++)
            for (ptrdiff_t j = 0; j < maps->shape[2]; j++) {
                float sum = 0.0f;
                for (ptrdiff_t k = 0; n > 0 && k < maps->shape[2]; k++)
                    sum = fmaf(*tensor_at3(maps, n, i, k), *tensor_at3(rolled, n - 1, k, j), sum);
                *tensor_at3(rolled, n, i, j) = n > 0 ? sum : *tensor_at3(maps, n, i, j);
            }
}

// The same bits with a kernel. Each layer needs the one before, so it cannot run in independent slices as
// `fast` does.
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
    if (args->kernel && args->in[ROLLOUT_IN_MAPS].shape[0] > 0)
        rollout_by_products(args->kernel, &args->in[ROLLOUT_IN_MAPS], &args->out[0]);
    else
        rollout(&args->in[ROLLOUT_IN_MAPS], &args->out[0]);
    return true;
}

// Layer 0 is a copy. A later layer's term has two sources: its own map, and this stage's result for
// the layer before.
static void rollout_origin(Terms *terms, const ptrdiff_t at[])
{
    ptrdiff_t n = at[0], i = at[1], j = at[2];
    if (n == 0)
        term_copy(terms, TERM_COPY, TELL(ROLLOUT_FIRST), SOURCE(ROLLOUT_IN_MAPS, n, i, j));
    for (ptrdiff_t k = 0; n > 0 && k < terms->args->in[ROLLOUT_IN_MAPS].shape[2]; k++)
        term_product(terms, SOURCE(ROLLOUT_IN_MAPS, n, i, k), SOURCE(SOURCE_OWN, n - 1, k, j));
}

const Stage stage_rollout = {
    .name = "rollout",
    .formula = "rollout[n,i,j] = "
               "n = 0 ? map_residual[n,i,j] : sum_k map_residual[n,i,k] * rollout[n - 1, k,j]",
    .torch = "r = [a[0]]; r += [a[n] @ r[n-1]]   for n in 1 ... layers-1",
    .source = "Abnar and Zuidema 2020, section 3, eq. 1",
    .use = STAGE_WITH_ROLLOUT,
    .influence = INFLUENCE_BY_ORIGIN,
    .calls = {{
        .reads = {SLOT("map_residual", "layers Lq Lk")},
        .writes = {NAMED_SLOT("rollout", "rollout", "layers Lq Lk", .sums_to_one = true)},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = rollout_run,
    .origin = rollout_origin,
};
