// Linear layers, backward: what the loss wants of a bias.
//
//   grad.bias[o] = sum over b, then l, of grad.q[b,l,o]
//
// in    grad.q    [B, Lq, H*d_k]; likewise of k, v and the output
// out   grad.bias [H*d_k]
// cost  B * Lq * H*d_k additions
// from  Goodfellow et al. 2016, section 6.5.6: the bias is added in every row, so every row counts
#include "stage.h"

#include "stages_words.h"

static void linear_backward_bias(const Tensor *grad_q, Tensor *grad_bias)
{
    for (ptrdiff_t o = 0; o < grad_bias->shape[0]; o++) {
        // The same bias was added to every
        // token, so what all tokens want of it
        // adds up. The sum begins before b,
        // not before l: all sequences go into
        // it.
        float sum = 0.0f;
        for (ptrdiff_t b = 0; b < grad_q->shape[0]; b++)
            for (ptrdiff_t l = 0; l < grad_q->shape[1]; l++)
                // First token to last: in another
                // order floats may round to other
                // bits.
                sum = sum + *tensor_at3(grad_q, b, l, o);
        *tensor_at1(grad_bias, o) = sum;
    }
}

static bool linear_backward_bias_run(StageArgs *args, Error *err)
{
    (void)err;
    linear_backward_bias(&args->in[0], &args->out[0]);
    return true;
}

// A term for each token of each sequence; no number of x has a say in a bias.
static void linear_backward_bias_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                        TermVisit *visit, void *context)
{
    (void)slot;
    const Tensor *grad_q = &args->in[0];
    float sum = 0.0f;
    for (ptrdiff_t b = 0; b < grad_q->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_q->shape[1]; l++) {
            float grad = *tensor_at3(grad_q, b, l, at[0]);
            sum = sum + grad;
            visit(context, &(Term){.kind = TERM_ADD,
                                   .what = TELL(BIAS_ROW),
                                   .source_count = 1,
                                   .sources = {{0, {b, l, at[0]}}},
                                   .value = grad,
                                   .running = sum});
        }
}

const Stage stage_linear_backward_bias = {
    .name = "linear_backward_bias",
    .formula = "grad_bias[o] = sum_l,b grad_q[b,l,o]",
    .torch = "grad_bias = grad_q.sum((0, 1))",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .reach = REACH_BY_AXES,
    .calls =
        {
            {.label = "q",
             .of = "project",
             .formula = "grad_bias[o] = sum_l,b grad_q[b,l,o]",
             .torch = "grad_bias = grad_q.sum((0, 1))",
             .reads = {{.role = "grad.q", .axes = "B Lq Dk"}},
             .writes = {{.role = "grad.q_proj.bias", .tensor = "grad.q_proj.bias", .axes = "Dk"}}},
            {.label = "k",
             .of = "project",
             .formula = "grad_bias[o] = sum_l,b grad_k[b,l,o]",
             .torch = "grad_bias = grad_k.sum((0, 1))",
             .reads = {{.role = "grad.k", .axes = "B Lt Dk"}},
             .writes = {{.role = "grad.k_proj.bias", .tensor = "grad.k_proj.bias", .axes = "Dk"}}},
            {.label = "v",
             .of = "project",
             .formula = "grad_bias[o] = sum_l,b grad_v[b,l,o]",
             .torch = "grad_bias = grad_v.sum((0, 1))",
             .reads = {{.role = "grad.v", .axes = "B Lt Dv"}},
             .writes = {{.role = "grad.v_proj.bias", .tensor = "grad.v_proj.bias", .axes = "Dv"}}},
            {.label = "out",
             .of = "output_projection",
             .formula = "grad_bias[o] = sum_l,b grad_output[b,l,o]",
             .torch = "grad_bias = grad_output.sum((0, 1))",
             .reads = {{.role = "grad.output", .axes = "B Lq Dout"}},
             .writes =
                 {{.role = "grad.out_proj.bias", .tensor = "grad.out_proj.bias", .axes = "Dout"}}},
        },
    .terms = {[TERM_ADD] = "sum + "},
    .run = linear_backward_bias_run,
    .origin = linear_backward_bias_origin,
};
