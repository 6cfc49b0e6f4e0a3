// Cross-entropy and prediction, backward in one step: where the gradients begin.
//
//   grad.logits[b,q,l,w] = (probabilities[b,q,l,w] - [w = targets[b,q,l]]) / asked
//   0 in rows where nothing is asked
//
// in    probabilities [B, Q, Lq, V]
//       targets       [B, Q, Lq]  int64; -1: nothing is asked here
//       asked         [1]  how many are answers
// out   grad.logits   [B, Q, Lq, V]  each row sums to 0, but for rounding
// cost  B * Q * Lq * V divisions
// from  Goodfellow et al. 2016, section 6.2.2.3
//
// Both at once: -1/p alone, the gradient of -log p, would be infinite where p is 0; behind the
// softmax what is left of it is p - 1.
#include "stage.h"

#include "fast.h"
#include "stages_words.h"

enum { IN_PROBABILITIES, IN_TARGETS, IN_ASKED };

static void cross_entropy_backward(const Tensor *probabilities, const Tensor *targets,
                                   const Tensor *asked, Tensor *grad_logits)
{
    for (ptrdiff_t b = 0; b < grad_logits->shape[0]; b++)
        for (ptrdiff_t q = 0; q < grad_logits->shape[1]; q++)
            for (ptrdiff_t l = 0; l < grad_logits->shape[2]; l++) {
                int64_t target = *tensor_id3(targets, b, q, l);
                for (ptrdiff_t w = 0; w < grad_logits->shape[3]; w++) {
                    float p = *tensor_at4(probabilities, b, q, l, w);
                    // Less than 0 for the right
                    // word: its logit should grow.
                    // For any other the likelier it
                    // is, the more it should shrink.
                    float difference = w == target ? p - 1.0f : p;
                    *tensor_at4(grad_logits, b, q, l, w) =
                        target < 0 ? 0.0f : difference / *tensor_at1(asked, 0);
                }
            }
}

static bool cross_entropy_backward_run(StageArgs *args, Error *err)
{
    (void)err;
    cross_entropy_backward(&args->in[IN_PROBABILITIES], &args->in[IN_TARGETS], &args->in[IN_ASKED],
                           &args->out[0]);
    return true;
}

// p, less 1 for the answer, divided by how many were asked, since the loss is a mean.
static void cross_entropy_backward_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                          TermVisit *visit, void *context)
{
    (void)slot;
    int64_t target = *tensor_id3(&args->in[IN_TARGETS], at[0], at[1], at[2]);
    Source asks = {IN_TARGETS, {at[0], at[1], at[2]}};
    if (target < 0) {
        visit(context, &(Term){.what = TELL(LOSS_NONE), .source_count = 1, .sources = {asks}});
        return;
    }
    float p = *tensor_at4(&args->in[IN_PROBABILITIES], at[0], at[1], at[2], at[3]);
    visit(context, &(Term){.kind = TERM_COPY,
                           .what = TELL(LOSS_PROBABILITY),
                           .source_count = 1,
                           .sources = {{IN_PROBABILITIES, {at[0], at[1], at[2], at[3]}}},
                           .value = p,
                           .running = p});
    float one = at[3] == target ? 1.0f : 0.0f;
    visit(context, &(Term){.kind = TERM_SUBTRACT,
                           .what = one > 0.0f ? TELL(LOSS_MINUS_ONE) : TELL(LOSS_MINUS_NOTHING),
                           .source_count = 1,
                           .sources = {asks},
                           .value = one,
                           .running = p - one});
    float asked = *tensor_at1(&args->in[IN_ASKED], 0);
    visit(context, &(Term){.kind = TERM_DIVIDE,
                           .what = TELL(LOSS_MEAN),
                           .source_count = 1,
                           .sources = {{IN_ASKED, {0}}},
                           .value = asked,
                           .running = (p - one) / asked});
}

const Stage stage_cross_entropy_backward = {
    .name = "cross_entropy_backward",
    .formula = "grad_logits[b,q,l,w] = "
               "target < 0 ? 0 : (probabilities[b,q,l,w] - [w = target]) / asked; "
               "target = targets[b,q,l]",
    .torch = "grad_logits = (probabilities - F.one_hot(targets, V)) / asked",
    .source = "Goodfellow et al. 2016, section 6.2.2.3",
    .calls = {{
        .of = "cross_entropy",
        .reads = {{.role = "probabilities", .axes = "B Q Lq V"},
                  {.role = "targets", .axes = "B Q Lq", .dtype = DTYPE_I64},
                  {.role = "asked", .axes = "1"}},
        .writes = {{.role = "grad.logits", .tensor = "grad.logits", .axes = "B Q Lq V"}},
    }},
    .terms = {[TERM_SUBTRACT] = "p - 1.0f", [TERM_DIVIDE] = "/ *tensor_at1(asked"},
    .run = cross_entropy_backward_run,
    .fast = fast_cross_entropy_backward,
    .origin = cross_entropy_backward_origin,
};
