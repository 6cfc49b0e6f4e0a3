// Map mean: attention maps from elsewhere, one for each layer, the mean of its heads.
//
//   map_mean[n,i,j] = sum over h of maps[n,h,i,j] / H
//
// in    maps [layers, H, Lq, Lk]  weights that somebody else computed
// out   map_mean [layers, Lq, Lk]
// cost  layers * H * Lq * Lk additions
// from  Abnar and Zuidema 2020 (attention rollout), section 3: "averaged at each layer over all heads"
#include "stage.h"

#include "stages_words.h"

static void map_mean(const Tensor *maps, Tensor *mean)
{
    for (ptrdiff_t n = 0; n < maps->shape[0]; n++)
        for (ptrdiff_t i = 0; i < maps->shape[2]; i++)
            for (ptrdiff_t j = 0; j < maps->shape[3]; j++) {
                // One sum for each pair i, j, over
                // the heads. Nothing is
                // multiplied, so a plain addition
                // does.
                float sum = 0.0f;
                for (ptrdiff_t h = 0; h < maps->shape[1]; h++)
                    sum += *tensor_at4(maps, n, h, i, j);
                *tensor_at3(mean, n, i, j) = sum / (float)maps->shape[1];
            }
}

static bool map_mean_run(StageArgs *args, Error *err)
{
    (void)err;
    map_mean(&args->in[0], &args->out[0]);
    return true;
}

static void map_mean_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                            void *context)
{
    (void)slot;
    const Tensor *maps = &args->in[0];
    float sum = 0.0f;
    for (ptrdiff_t h = 0; h < maps->shape[1]; h++) {
        float weight = *tensor_at4(maps, at[0], h, at[1], at[2]);
        sum += weight;
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(MAP_MEAN_HEAD),
                               .source_count = 1,
                               .sources = {{0, {at[0], h, at[1], at[2]}}},
                               .value = weight,
                               .running = sum});
    }
    float mean = sum / (float)maps->shape[1];
    visit(context, &(Term){.what = TELL(MAP_MEAN_DIVIDE), .value = mean, .running = mean});
}

const Stage stage_map_mean = {
    .name = "map_mean",
    .formula = "map_mean[n,i,j] = mean_h maps[n,h,i,j]",
    .torch = "mean = maps.mean(dim=1)",
    .source = "Abnar and Zuidema 2020, section 3",
    .reach = REACH_AS_TOLD,
    .calls = {{
        .reads = {{.role = "maps", .axes = "layers H Lq Lk"}},
        .writes =
            {{.role = "map_mean", .tensor = "map_mean", .axes = "layers Lq Lk", .is_share = true}},
    }},
    .terms = {[TERM_ADD] = "sum +="},
    .run = map_mean_run,
    .origin = map_mean_origin,
};
