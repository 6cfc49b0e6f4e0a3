// Embed: looks up a row of numbers for every token.
//
//   x[b,l,d] = embedding[input_ids[b,l], d]
//
// in    input_ids        [B, L]    int64, 0 ... V-1
//       embedding.weight [V, Din]  one row for each id of the vocabulary
// out   x                [B, L, Din]
// loops b: each sequence; l: each of its tokens; d: each number of the row that the token's id
//       chooses. Nothing is computed: an embedding is a table, and this copies out of it
// error an id outside the vocabulary; `err` names its place and value
// cost  B * L * Din copies
// from  Vaswani et al. 2017, section 3.4 (without its factor sqrt(d_model); no document has it)
#include "stage.h"

#include "fast.h"
#include "stages_words.h"

enum { IN_IDS, IN_WEIGHT };

static void embed(const Tensor *input_ids, const Tensor *weight, Tensor *x)
{
    // All Din numbers of a token come from
    // one row. The same id has the same row
    // at every place: x does not know yet
    // where a word stands.
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                *tensor_at3(x, b, l, d) = *tensor_at2(weight, *tensor_id2(input_ids, b, l), d);
}

static bool embed_prepare(StageArgs *args, Error *err)
{
    const Tensor *input_ids = &args->in[IN_IDS], *weight = &args->in[IN_WEIGHT];
    for (ptrdiff_t b = 0; b < input_ids->shape[0]; b++)
        for (ptrdiff_t l = 0; l < input_ids->shape[1]; l++) {
            // The loop above does not look: an
            // id that has no row would read what
            // lies beside the table.
            int64_t id = *tensor_id2(input_ids, b, l);
            if (id < 0 || id >= weight->shape[0])
                return error_set(err, TELL(EMBED_OUTSIDE), b, l, (long long)id, weight->shape[0],
                                 weight->shape[0] - 1);
        }
    return true;
}

static bool embed_run(StageArgs *args, Error *err)
{
    if (!embed_prepare(args, err))
        return false;
    embed(&args->in[IN_IDS], &args->in[IN_WEIGHT], &args->out[0]);
    return true;
}

// A number has two sources: the id, which chose the row, and the number in that row.
static void embed_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                         void *context)
{
    (void)slot;
    const Tensor *weight = &args->in[IN_WEIGHT];
    int64_t id = *tensor_id2(&args->in[IN_IDS], at[0], at[1]);
    bool has_row = id >= 0 && id < weight->shape[0]; // one that has none, `prepare` will refuse
    float value = has_row ? *tensor_at2(weight, id, at[2]) : 0.0f;
    visit(context, &(Term){.kind = TERM_LOOK_UP,
                           .source_count = has_row ? 2 : 1,
                           .sources = {{IN_IDS, {at[0], at[1]}}, {IN_WEIGHT, {id, at[2]}}},
                           .value = value,
                           .running = value});
}

const Stage stage_embed = {
    .name = "embed",
    .formula = "x[b,l,d] = embedding[input_ids[b,l], d]",
    .torch = "x = embedding(input_ids)",
    .source = "Vaswani et al. 2017, section 3.4",
    .rounds_once = true,
    .calls = {{
        .reads = {{.role = "input_ids", .axes = "B L", .dtype = DTYPE_I64},
                  {.role = "embedding.weight", .axes = "V Din"}},
        .writes = {{.role = "x", .tensor = "embeddings", .axes = "B L Din"}},
    }},
    .terms = {[TERM_LOOK_UP] = "tensor_id"},
    .run = embed_run,
    .prepare = embed_prepare,
    .fast = fast_embed,
    .origin = embed_origin,
};
