// Mistake: rows and columns of the embedding table are mixed up.
//
//   x[b,l,d] = E[d, input_ids[b,l]]
//   E        = embedding.weight.view(Din, V), though the table is (V, Din)
//
// Where V = Din this is the column of the id instead of its row.
#include "mistake.h"

#include "mistake_reason.h"
#include "mistakes_words.h"

enum { IN_IDS, IN_WEIGHT };

static Source place(const StageArgs *args, int64_t id, ptrdiff_t d)
{
    const Tensor *weight = &args->in[IN_WEIGHT];
    ptrdiff_t number = d * weight->shape[0] + (ptrdiff_t)id;
    return (Source){IN_WEIGHT, {number / weight->shape[1], number % weight->shape[1]}};
}

static void embed(const StageArgs *args, const Tensor *x)
{
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < x->shape[2]; d++) {
                Source at = place(args, *tensor_id2(&args->in[IN_IDS], b, l), d);
                *tensor_at3(x, b, l, d) = *tensor_at2(&args->in[IN_WEIGHT], at.at[0], at.at[1]);
            }
}

static bool run(StageArgs *args, Error *err)
{
    if (!stage_find("embed")->prepare(args, err))
        return false;
    embed(args, &args->out[0]);
    return true;
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    (void)slot;
    int64_t id = *tensor_id2(&args->in[IN_IDS], at[0], at[1]);
    Source in_weight = place(args, id, at[2]);
    float value = *tensor_at2(&args->in[IN_WEIGHT], in_weight.at[0], in_weight.at[1]);
    visit(context, &(Term){.kind = TERM_LOOK_UP,
                           .what = TELL(TERM_BY_COLUMN),
                           .source_count = 2,
                           .sources = {{IN_IDS, {at[0], at[1]}}, in_weight},
                           .value = value,
                           .running = value});
}

static const Stage stage = {
    .name = "embed",
    .formula = "x[b,l,d] = embedding.view(Din, V)[d, input_ids[b,l]]",
    .torch = "x = embedding.weight.view(d_in, -1).T[input_ids]",
    .source = "a common mistake",
    .calls = {{
        .reads = {{.role = "input_ids", .axes = "B L", .dtype = DTYPE_I64},
                  {.role = "embedding.weight", .axes = "V Din"}},
        .writes = {{.role = "x", .tensor = "embeddings", .axes = "B L Din"}},
    }},
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    if (!scenario_tensor(scenario, "embedding.weight"))
        return &reason_no_embedding;
    bool thin = scenario->size[SYMBOL_V] == 1 || scenario->size[SYMBOL_DIN] == 1;
    return thin ? &reason_thin_table : NULL;
}

const Mistake mistake_embedding_transposed = {
    .name = "embedding-transposed",
    .stages = (const Stage *const[]){&stage, NULL},
    .cannot_show = cannot_show,
    .words =
        MISTAKE_WORDS("Rows and columns of the embedding table are mixed up.",
                      "임베딩 표의 행과 열을 뒤바꿔 읽었습니다.",
                      "A token gets one number from each of many rows instead of a row of its own.",
                      "토큰이 자기 행을 통째로 받지 않고, 여러 행에서 숫자를 하나씩 받습니다.",
                      "The table is (V, D): element d of token id is weight[id, d].",
                      "표의 모양은 (V, D)입니다. 토큰 id의 d번 숫자는 weight[id, d]입니다."),
};
