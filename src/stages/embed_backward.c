// Embed, backward: a word's row gets the gradients of all places where the word stands.
//
//   grad.embedding[v,d] = sum over the places b,l with input_ids[b,l] = v, in order, of grad.x[b,l,d]
//
// in    input_ids [B, L]  int64      grad.x [B, L, Din]
// out   grad.embedding.weight [V, Din]  rows of words that do not occur are 0
// cost  B * L * Din additions
// from  PyTorch: the gradient of nn.Embedding
#include "stage.h"

#include "stages_words.h"

enum { IN_IDS, IN_GRAD };

static void embed_backward(const Tensor *input_ids, const Tensor *grad_x, Tensor *grad_embedding)
{
    // A loop of its own sets all sums to 0.
    // Below a word may come again: to begin
    // its sum where it stands would forget
    // its earlier places.
    for (ptrdiff_t v = 0; v < grad_embedding->shape[0]; v++)
        for (ptrdiff_t d = 0; d < grad_embedding->shape[1]; d++)
            *tensor_at2(grad_embedding, v, d) = 0.0f;

    // Forward an id chose a row to read.
    // Here it chooses the row that is added
    // to.
    for (ptrdiff_t b = 0; b < grad_x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < grad_x->shape[2]; d++) {
                float *sum = tensor_at2(grad_embedding, *tensor_id2(input_ids, b, l), d);
                *sum = *sum + *tensor_at3(grad_x, b, l, d);
            }
}

static bool embed_backward_run(StageArgs *args, Error *err)
{
    (void)err;
    embed_backward(&args->in[IN_IDS], &args->in[IN_GRAD], &args->out[0]);
    return true;
}

// The row may be wanted anywhere, so every place is walked through. One with another id adds
// nothing, but its id was asked and is a source.
static void embed_backward_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                  TermVisit *visit, void *context)
{
    (void)slot;
    const Tensor *input_ids = &args->in[IN_IDS], *grad_x = &args->in[IN_GRAD];
    float sum = 0.0f;
    for (ptrdiff_t b = 0; b < grad_x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_x->shape[1]; l++) {
            bool is_it = *tensor_id2(input_ids, b, l) == at[0];
            float grad = is_it ? *tensor_at3(grad_x, b, l, at[1]) : 0.0f;
            sum = is_it ? sum + grad : sum;
            Term term = {.kind = is_it ? TERM_ADD : TERM_RULE,
                         .what = is_it ? TELL(WORD_HERE) : TELL(WORD_ELSEWHERE),
                         .source_count = is_it ? 2 : 1,
                         .sources = {{IN_IDS, {b, l}}},
                         .value = grad,
                         .running = sum};
            if (is_it) {
                term.sources[1] = term.sources[0];
                term.sources[0] = (Source){IN_GRAD, {b, l, at[1]}};
            }
            visit(context, &term);
        }
}

const Stage stage_embed_backward = {
    .name = "embed_backward",
    .formula = "grad_embedding[v,d] = sum_l,b grad_x[b,l,d] * [input_ids[b,l] = v]",
    .torch = "grad_embedding.index_add_(0, input_ids.flatten(), grad_x.flatten(0, 1))",
    .source = "PyTorch: nn.Embedding",
    .calls = {{
        .of = "embed",
        .reads = {{.role = "input_ids", .axes = "B L", .dtype = DTYPE_I64},
                  {.role = "grad.x", .axes = "B L Din"}},
        .writes =
            {{.role = "grad.embedding.weight", .tensor = "grad.embedding.weight", .axes = "V Din"}},
    }},
    .terms = {[TERM_ADD] = "*sum + "},
    .run = embed_backward_run,
    .origin = embed_backward_origin,
};
