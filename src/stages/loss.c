// Turns logits into one number that says how wrong they are; gradients begin here.
#include <math.h>
#include "fast.h"
#include "kernel.h"
#include "describe.h"
#include "stage.h"
#include "stages_words.def"

// --- count_answers
//
// Count answers: counts the places that have an answer, to divide by in the mean.
//
//   asked = sum over b, q and l of [targets[b,q,l] >= 0]
//
// in    targets [B, Q, Lq]  int64, the word that is the answer; -1: nothing is asked here
// out   asked   [1]  a whole number, as a float
// error none
// cost  B * Q * Lq additions
// from  PyTorch: F.cross_entropy(..., ignore_index=-1, reduction='mean')

static void count_answers(const Tensor *targets, Tensor *asked)
{
    // A float, since it will divide a sum of
    // floats. It counts exactly up to 2^24.
    float sum = 0.0f;
    for (ptrdiff_t b = 0; b < targets->shape[0]; b++)
        for (ptrdiff_t q = 0; q < targets->shape[1]; q++)
            for (ptrdiff_t l = 0; l < targets->shape[2]; l++)
                sum += *tensor_id3(targets, b, q, l) >= 0 ? 1.0f : 0.0f;
    *tensor_at1(asked, 0) = sum;
}

RUN_ON_ONE(count_answers)

static void count_answers_origin(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *targets = &terms->args->in[0];
    ptrdiff_t place[TENSOR_RANK_MAX] = {0};
    float sum = 0.0f;
    for (bool more = true; more; more = tensor_next(targets, place)) {
        float one = targets->storage.i64[tensor_place(targets, place)] >= 0 ? 1.0f : 0.0f;
        sum += one;
        term_one(terms, TERM_ADD, one > 0.0f ? TELL(ANSWER_ASKED) : TELL(ANSWER_NOT_ASKED),
                 SOURCE(0, place[0], place[1], place[2]), one, sum);
    }
}

const Stage stage_count_answers = {
    .name = "count_answers",
    .formula = "asked = sum_l,q,b [targets[b,q,l] >= 0]",
    .torch = "asked = (targets >= 0).sum()",
    .source = "PyTorch: F.cross_entropy",
    .calls = {{
        .reads = {SLOT("targets", "B Q Lq", .dtype = DTYPE_I64)},
        .writes = {NAMED_SLOT("asked", "asked", "1")},
    }},
    .terms = {[TERM_ADD] = "sum += "},
    .may_wait = true,
    .run = count_answers_run,
    .origin = count_answers_origin,
};

// --- cross_entropy
//
// Cross-entropy: measures how surprised the model is by the right answers.
//
//   losses[b,q,l] = -log(probabilities[b,q,l, targets[b,q,l]])   0 where nothing is asked
//   loss          = sum of losses / asked
//
// in    probabilities [B, Q, Lq, V]
//       targets       [B, Q, Lq]  int64, the word that is the answer; -1: nothing is asked here
//       asked         [1]  how many are answers
// out   losses        [B, Q, Lq]  0 or more; infinite where the answer has probability 0
//       loss          [1]
// error a target that is not a word of the vocabulary; `err` names its place and value
// cost  B * Q * Lq logarithms
// from  Goodfellow et al. 2016, section 6.2.2; PyTorch: F.cross_entropy(..., ignore_index=-1)
//
// The logarithm is libm's in double precision, narrowed to float once.

enum { CROSS_ENTROPY_IN_PROBABILITIES, CROSS_ENTROPY_IN_TARGETS, CROSS_ENTROPY_IN_ASKED };
enum { CROSS_ENTROPY_OUT_LOSSES, CROSS_ENTROPY_OUT_LOSS };

static void cross_entropy(const Tensor *probabilities, const Tensor *targets, const Tensor *asked,
                          Tensor *losses, Tensor *loss)
{
    // One sum for the whole batch. A place
    // without an answer has loss 0 and does
    // not count in the mean.
    float sum = 0.0f;
    for (ptrdiff_t b = 0; b < losses->shape[0]; b++)
        for (ptrdiff_t q = 0; q < losses->shape[1]; q++)
            for (ptrdiff_t l = 0; l < losses->shape[2]; l++) {
                int64_t target = *tensor_id3(targets, b, q, l);
                *tensor_at3(losses, b, q, l) = 0.0f;
                if (target < 0)
                    continue;
                // Only the right word is read. The
                // others still matter: probability
                // they have, it lacks.
                double p = (double)*tensor_at4(probabilities, b, q, l, target);
                *tensor_at3(losses, b, q, l) = (float)-log(p);
                sum = sum + *tensor_at3(losses, b, q, l);
            }
    *tensor_at1(loss, 0) = sum / *tensor_at1(asked, 0);
}

static bool cross_entropy_prepare(StageArgs *args, Error *err)
{
    const Tensor *targets = &args->in[CROSS_ENTROPY_IN_TARGETS];
    ptrdiff_t words = args->in[CROSS_ENTROPY_IN_PROBABILITIES].shape[3];
    for (ptrdiff_t b = 0; b < targets->shape[0]; b++)
        for (ptrdiff_t q = 0; q < targets->shape[1]; q++)
            for (ptrdiff_t l = 0; l < targets->shape[2]; l++) {
                int64_t target = *tensor_id3(targets, b, q, l);
                if (target < -1 || target >= words)
                    return error_set(err, TELL(LOSS_TARGET), b, q, l, (long long)target, words,
                                     words - 1);
            }
    return true;
}

static bool cross_entropy_run(StageArgs *args, Error *err)
{
    if (!cross_entropy_prepare(args, err))
        return false;
    cross_entropy(&args->in[CROSS_ENTROPY_IN_PROBABILITIES], &args->in[CROSS_ENTROPY_IN_TARGETS],
                  &args->in[CROSS_ENTROPY_IN_ASKED], &args->out[CROSS_ENTROPY_OUT_LOSSES],
                  &args->out[CROSS_ENTROPY_OUT_LOSS]);
    return true;
}

static void emit_one(Terms *terms, const ptrdiff_t at[])
{
    int64_t target = *tensor_id3(&terms->args->in[CROSS_ENTROPY_IN_TARGETS], at[0], at[1], at[2]);
    Source asks = SOURCE(CROSS_ENTROPY_IN_TARGETS, at[0], at[1], at[2]);
    Source answer = SOURCE(CROSS_ENTROPY_IN_PROBABILITIES, at[0], at[1], at[2], target);
    if (target < 0) {
        term_one(terms, TERM_RULE, TELL(LOSS_NONE), asks, 0.0f, 0.0f);
        return;
    }
    float p = term_number(terms, answer);
    term_two(terms, TERM_LOGARITHM, TELL(LOSS_ONE), (SourcePair){answer, asks}, p,
             (float)-log((double)p));
}

// A term of the mean: the loss of one place and the probability behind it.
static void emit_added(Terms *terms, const ptrdiff_t at[])
{
    int64_t target = *tensor_id3(&terms->args->in[CROSS_ENTROPY_IN_TARGETS], at[0], at[1], at[2]);
    Source asks = SOURCE(CROSS_ENTROPY_IN_TARGETS, at[0], at[1], at[2]);
    Source answer = SOURCE(CROSS_ENTROPY_IN_PROBABILITIES, at[0], at[1], at[2], target);
    if (target < 0) {
        term_one(terms, TERM_RULE, TELL(LOSS_NOT_ASKED), asks, 0.0f, terms->running);
        return;
    }
    float loss = (float)-log((double)term_number(terms, answer));
    term_two(terms, TERM_ADD, TELL(LOSS_ADDED), (SourcePair){answer, asks}, loss,
             terms->running + loss);
}

// A loss has one term. The mean adds every place, then divides.
static void cross_entropy_origin(Terms *terms, const ptrdiff_t at[])
{
    if (terms->slot == CROSS_ENTROPY_OUT_LOSSES) {
        emit_one(terms, at);
        return;
    }
    const Tensor *targets = &terms->args->in[CROSS_ENTROPY_IN_TARGETS];
    ptrdiff_t place[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(targets, place))
        emit_added(terms, place);
    float asked = *tensor_at1(&terms->args->in[CROSS_ENTROPY_IN_ASKED], 0);
    term_one(terms, TERM_DIVIDE, TELL(LOSS_MEAN), SOURCE(CROSS_ENTROPY_IN_ASKED, 0), asked,
             terms->running / asked);
}

const Stage stage_cross_entropy = {
    .name = "cross_entropy",
    .formula =
        "losses[b,q,l] = targets[b,q,l] < 0 ? 0 : "
        "-log(probabilities[b,q,l, targets[b,q,l]]); loss = (sum_l,q,b losses[b,q,l]) / asked",
    .torch = "loss = F.cross_entropy(logits.flatten(0, 2), targets.flatten(), ignore_index=-1)",
    .source = "Goodfellow et al. 2016, section 6.2.2",
    .main_output = CROSS_ENTROPY_OUT_LOSS,
    .calls = {{
        .reads = {SLOT("probabilities", "B Q Lq V"), SLOT("targets", "B Q Lq", .dtype = DTYPE_I64),
                  SLOT("asked", "1")},
        .writes = {NAMED_SLOT("losses", "losses", "B Q Lq"), NAMED_SLOT("loss", "loss", "1")},
    }},
    .terms = {[TERM_LOGARITHM] = "-log(", [TERM_ADD] = "sum + ", [TERM_DIVIDE] = "sum / "},
    .may_wait = true,
    .run = cross_entropy_run,
    .prepare = cross_entropy_prepare,
    .origin = cross_entropy_origin,
};

// --- cross_entropy_backward
//
// Cross-entropy and prediction, backward in one step: where the gradients begin.
//
//   grad.logits[b,q,l,w] = (probabilities[b,q,l,w] - [w = targets[b,q,l]]) / asked
//   0 in rows where nothing is asked
//
// in    probabilities [B, Q, Lq, V]
//       targets       [B, Q, Lq]  int64; -1: nothing is asked here
//       asked         [1]  how many are answers
// out   grad.logits   [B, Q, Lq, V]  each row sums to 0, except for rounding
// cost  B * Q * Lq * V divisions
// from  Goodfellow et al. 2016, section 6.2.2.3
//
// In one step, because -1/p, the gradient of -log p, is infinite at p = 0; together with softmax it
// becomes p - 1.

enum {
    CROSS_ENTROPY_BACKWARD_IN_PROBABILITIES,
    CROSS_ENTROPY_BACKWARD_IN_TARGETS,
    CROSS_ENTROPY_BACKWARD_IN_ASKED
};

static void cross_entropy_backward(const Tensor *probabilities, const Tensor *targets,
                                   const Tensor *asked, Tensor *grad_logits)
{
    for (ptrdiff_t b = 0; b < grad_logits->shape[0]; b++)
        for (ptrdiff_t q = 0; q < grad_logits->shape[1]; q++)
            for (ptrdiff_t l = 0; l < grad_logits->shape[2]; l++) {
                int64_t target = *tensor_id3(targets, b, q, l);
                for (ptrdiff_t w = 0; w < grad_logits->shape[3]; w++) {
                    float p = *tensor_at4(probabilities, b, q, l, w);
                    // Negative for the right word:
                    // its logit should grow. The
                    // likelier a wrong word is, the
                    // more its logit should shrink.
                    float difference = w == target ? p - 1.0f : p;
                    *tensor_at4(grad_logits, b, q, l, w) =
                        target < 0 ? 0.0f : difference / *tensor_at1(asked, 0);
                }
            }
}

RUN_ON_THREE(cross_entropy_backward)

// p, less 1 for the answer, divided by how many were asked, since the loss is a mean.
static void cross_entropy_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    int64_t target = *tensor_id3(&args->in[CROSS_ENTROPY_BACKWARD_IN_TARGETS], at[0], at[1], at[2]);
    Source asks = {CROSS_ENTROPY_BACKWARD_IN_TARGETS, {at[0], at[1], at[2]}};
    if (target < 0) {
        term_one(terms, TERM_RULE, TELL(LOSS_NONE), asks, 0.0f, 0.0f);
        return;
    }
    term_copy(terms, TERM_COPY, TELL(LOSS_PROBABILITY),
              SOURCE(CROSS_ENTROPY_BACKWARD_IN_PROBABILITIES, at[0], at[1], at[2], at[3]));
    float one = at[3] == target ? 1.0f : 0.0f;
    term_one(terms, TERM_SUBTRACT, one > 0.0f ? TELL(LOSS_MINUS_ONE) : TELL(LOSS_MINUS_NOTHING),
             asks, one, terms->running - one);
    float asked = *tensor_at1(&args->in[CROSS_ENTROPY_BACKWARD_IN_ASKED], 0);
    term_one(terms, TERM_DIVIDE, TELL(LOSS_MEAN), SOURCE(CROSS_ENTROPY_BACKWARD_IN_ASKED, 0), asked,
             terms->running / asked);
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
        .reads = {SLOT("probabilities", "B Q Lq V"), SLOT("targets", "B Q Lq", .dtype = DTYPE_I64),
                  SLOT("asked", "1")},
        .writes = {NAMED_SLOT("grad.logits", "grad.logits", "B Q Lq V")},
    }},
    .terms = {[TERM_SUBTRACT] = "p - 1.0f", [TERM_DIVIDE] = "/ *tensor_at1(asked"},
    .run = cross_entropy_backward_run,
    .fast = fast_cross_entropy_backward,
    .origin = cross_entropy_backward_origin,
};

// --- half_square
//
// Half square: a loss for scenarios without a right answer, so that gradients have a start. Smaller
// outputs are better.
//
//   losses[b,l,d] = output[b,l,d] * (output[b,l,d] / 2)
//   loss          = sum of losses
//
// in    output [B, Lq, Dout]; where there is no output projection, the context [B, Lq, H*d_v]
// out   losses, of the same shape; loss [1]
// cost  B * Lq * Dout multiplications
// from  Goodfellow et al. 2016, section 7.1.1 (there of weights): its gradient is the output itself

enum { HALF_SQUARE_OUT_LOSSES, HALF_SQUARE_OUT_LOSS };

static void half_square(const Tensor *output, Tensor *losses, Tensor *loss)
{
    float sum = 0.0f;
    for (ptrdiff_t b = 0; b < output->shape[0]; b++)
        for (ptrdiff_t l = 0; l < output->shape[1]; l++)
            for (ptrdiff_t d = 0; d < output->shape[2]; d++) {
                // Halving a float is exact except
                // for the very smallest, so only
                // the product is rounded.
                float number = *tensor_at3(output, b, l, d);
                *tensor_at3(losses, b, l, d) = number * (number * 0.5f);
                sum = sum + *tensor_at3(losses, b, l, d);
            }
    *tensor_at1(loss, 0) = sum;
}

static bool half_square_run(StageArgs *args, Error *err)
{
    half_square(&args->in[0], &args->out[HALF_SQUARE_OUT_LOSSES], &args->out[HALF_SQUARE_OUT_LOSS]);
    return true;
}

// A single loss has one term; their sum has one for each number of the output.
static void half_square_origin(Terms *terms, const ptrdiff_t at[])
{
    if (terms->slot == HALF_SQUARE_OUT_LOSSES) {
        Source own = SOURCE(0, at[0], at[1], at[2]);
        term_factor(terms, TELL(TIMES_HALF), own, term_number(terms, own) * 0.5f);
        return;
    }
    ptrdiff_t place[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(&terms->args->in[0], place)) {
        float number = term_number(terms, term_here(terms, 0, place));
        float loss = number * (number * 0.5f);
        term_one(terms, TERM_ADD, TELL(HALF_SQUARE), term_here(terms, 0, place), loss,
                 terms->running + loss);
    }
}

const Stage stage_half_square = {
    .name = "half_square",
    .formula = "losses[b,l,d] = output[b,l,d] * output[b,l,d] / 2; loss = sum_d,l,b losses[b,l,d]",
    .torch = "loss = (output ** 2).sum() / 2",
    .source = "Goodfellow et al. 2016, section 7.1.1",
    .use = STAGE_WITH_BACKWARD,
    .main_output = HALF_SQUARE_OUT_LOSS,
    .calls =
        {
            {.reads = {SLOT("output", "B Lq Dout")},
             .writes = {NAMED_SLOT("losses", "losses", "B Lq Dout"),
                        NAMED_SLOT("loss", "loss", "1")}},
            {.formula = "losses[b,l,d] = context[b,l,d] * context[b,l,d] / 2; loss = sum_d,l,b "
                        "losses[b,l,d]",
             .torch = "loss = (context ** 2).sum() / 2",
             .reads = {SLOT("context", "B Lq Dv")},
             .writes = {NAMED_SLOT("losses", "losses", "B Lq Dv"),
                        NAMED_SLOT("loss", "loss", "1")}},
        },
    .terms = {[TERM_FACTOR] = "number * (", [TERM_ADD] = "sum + "},
    .run = half_square_run,
    .origin = half_square_origin,
};

// --- half_square_backward
//
// Half square, backward: where the gradients begin.
//
//   grad.output[b,l,d] = d loss / d output[b,l,d] = output[b,l,d]
//
// in    output      [B, Lq, Dout]; where there is no output projection, the context
// out   grad.output [B, Lq, Dout]  how much the loss grows when that number grows by one
// cost  B * Lq * Dout copies
// from  d (x * x / 2) / dx = x

static void half_square_backward(const Tensor *output, Tensor *grad_output)
{
    // The slope of x * x is 2x; the half in
    // the loss cancels the 2.
    for (ptrdiff_t b = 0; b < output->shape[0]; b++)
        for (ptrdiff_t l = 0; l < output->shape[1]; l++)
            for (ptrdiff_t d = 0; d < output->shape[2]; d++)
                *tensor_at3(grad_output, b, l, d) = *tensor_at3(output, b, l, d);
}

RUN_ON_ONE(half_square_backward)

static void half_square_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    term_copy(terms, TERM_COPY, TELL(HALF_ITSELF), SOURCE(0, at[0], at[1], at[2]));
}

const Stage stage_half_square_backward = {
    .name = "half_square_backward",
    .formula = "grad_output[b,l,d] = output[b,l,d]",
    .torch = "grad_output = output",
    .source = "Goodfellow et al. 2016, section 6.5",
    .influence = INFLUENCE_BY_AXES,
    .calls =
        {
            {.of = "half_square",
             .reads = {SLOT("output", "B Lq Dout")},
             .writes = {NAMED_SLOT("grad.output", "grad.output", "B Lq Dout")}},
            {.of = "half_square",
             .formula = "grad_context[b,l,d] = context[b,l,d]",
             .torch = "grad_context = context",
             .reads = {SLOT("context", "B Lq Dv")},
             .writes = {NAMED_SLOT("grad.context", "grad.context", "B Lq Dv")}},
        },
    .run = half_square_backward_run,
    .origin = half_square_backward_origin,
};
