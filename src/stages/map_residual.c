// Map residual: what a layer passes on is half what attention brings and half what was there, since its
// input is added to its output: each map gets the identity added, and rows that sum to 1 again.
//
//   map_residual[n,i,j] = (map_mean[n,i,j] + [i = j]) / sum over k of (map_mean[n,i,k] + [i = k])
//
// in    map_mean [layers, Lq, Lk], Lq = Lk
// out   map_residual [layers, Lq, Lk]
// cost  layers * Lq * Lk additions and divisions
// from  Abnar and Zuidema 2020 (attention rollout), section 3: A = 0.5 W + 0.5 I, re-normalised
#include "stage.h"

#include "stages_words.h"

static float with_identity(const Tensor *mean, ptrdiff_t n, ptrdiff_t i, ptrdiff_t j)
{
    return *tensor_at3(mean, n, i, j) + (i == j ? 1.0f : 0.0f);
}

static void map_residual(const Tensor *mean, Tensor *residual)
{
    for (ptrdiff_t n = 0; n < mean->shape[0]; n++)
        for (ptrdiff_t i = 0; i < mean->shape[1]; i++) {
            // Each row of the map had about 1 in
            // all; with the identity it has 2,
            // and is brought back to 1 here.
            float sum = 0.0f;
            for (ptrdiff_t k = 0; k < mean->shape[2]; k++)
                sum += with_identity(mean, n, i, k);
            for (ptrdiff_t j = 0; j < mean->shape[2]; j++)
                *tensor_at3(residual, n, i, j) = with_identity(mean, n, i, j) / sum;
        }
}

static bool map_residual_run(StageArgs *args, Error *err)
{
    (void)err;
    map_residual(&args->in[0], &args->out[0]);
    return true;
}

// The whole row for its sum; then this number of it, divided.
static void map_residual_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                TermVisit *visit, void *context)
{
    (void)slot;
    const Tensor *mean = &args->in[0];
    ptrdiff_t n = at[0], i = at[1], j = at[2];
    float sum = 0.0f, own = with_identity(mean, n, i, j);
    for (ptrdiff_t k = 0; k < mean->shape[2]; k++) {
        float weight = with_identity(mean, n, i, k);
        sum += weight;
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = i == k ? TELL(MAP_RESIDUAL_SELF) : TELL(MAP_RESIDUAL_OTHER),
                               .source_count = 1,
                               .sources = {{0, {n, i, k}}},
                               .value = weight,
                               .running = sum});
    }
    visit(context,
          &(Term){.kind = TERM_DIVIDE,
                  .what = i == j ? TELL(MAP_RESIDUAL_DIVIDE_SELF) : TELL(MAP_RESIDUAL_DIVIDE),
                  .source_count = 1,
                  .sources = {{0, {n, i, j}}},
                  .value = sum,
                  .running = own / sum});
}

const Stage stage_map_residual = {
    .name = "map_residual",
    .formula =
        "map_residual[n,i,j] = (map_mean[n,i,j] + [i = j]) / sum_k (map_mean[n,i,k] + [i = k])",
    .torch = "a = mean + torch.eye(L); a = a / a.sum(-1, keepdim=True)",
    .source = "Abnar and Zuidema 2020, section 3",
    .use = STAGE_WITH_ROLLOUT,
    .reach = REACH_BY_ROW,
    .calls = {{
        .reads = {{.role = "map_mean", .axes = "layers Lq Lk"}},
        .writes = {{.role = "map_residual",
                    .tensor = "map_residual",
                    .axes = "layers Lq Lk",
                    .is_share = true}},
    }},
    .terms = {[TERM_ADD] = "sum +=", [TERM_DIVIDE] = "/ sum"},
    .run = map_residual_run,
    .origin = map_residual_origin,
};
