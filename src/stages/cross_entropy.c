// Cross-entropy: how surprised the layer is by the right answers.
//
//   losses[b,q,l] = -log(probabilities[b,q,l, targets[b,q,l]])   0 where nothing is asked
//   loss          = sum of losses / asked
//
// in    probabilities [B, Q, Lq, V]
//       targets       [B, Q, Lq]  int64, the word that is the answer; -1: nothing is asked here
//       asked         [1]  how many are answers
// out   losses        [B, Q, Lq]  0 or more; infinite where the answer has probability 0
//       loss          [1]
// error a target that is no word of the vocabulary; `err` names its place and value
// cost  B * Q * Lq logarithms
// from  Goodfellow et al. 2016, section 6.2.2; PyTorch: F.cross_entropy(..., ignore_index=-1)
//
// The logarithm is libm's in double precision, narrowed to float once.
#include "stage.h"

#include <math.h>
#include "stages_words.h"

enum { IN_PROBABILITIES, IN_TARGETS, IN_ASKED };
enum { OUT_LOSSES, OUT_LOSS };

static void cross_entropy(const Tensor *probabilities, const Tensor *targets, const Tensor *asked,
                          Tensor *losses, Tensor *loss)
{
    // One sum for the batch, begun once. A
    // place that is not asked has loss 0 and
    // is not counted in the mean either.
    float sum = 0.0f;
    for (ptrdiff_t b = 0; b < losses->shape[0]; b++)
        for (ptrdiff_t q = 0; q < losses->shape[1]; q++)
            for (ptrdiff_t l = 0; l < losses->shape[2]; l++) {
                int64_t target = *tensor_id3(targets, b, q, l);
                *tensor_at3(losses, b, q, l) = 0.0f;
                if (target < 0)
                    continue;
                // Only the right word is read. The
                // others count all the same: what
                // they have, it lacks.
                double p = (double)*tensor_at4(probabilities, b, q, l, target);
                *tensor_at3(losses, b, q, l) = (float)-log(p);
                sum = sum + *tensor_at3(losses, b, q, l);
            }
    *tensor_at1(loss, 0) = sum / *tensor_at1(asked, 0);
}

static bool check_targets(const StageArgs *args, Error *err)
{
    const Tensor *targets = &args->in[IN_TARGETS];
    ptrdiff_t words = args->in[IN_PROBABILITIES].shape[3], at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(targets) > 0; more; more = tensor_next(targets, at)) {
        int64_t target = targets->storage.i64[tensor_place(targets, at)];
        if (target < -1 || target >= words)
            return error_set(err, TELL(LOSS_TARGET), at[0], at[1], at[2], (long long)target, words,
                             words - 1);
    }
    return true;
}

static bool cross_entropy_run(StageArgs *args, Error *err)
{
    if (!check_targets(args, err))
        return false;
    cross_entropy(&args->in[IN_PROBABILITIES], &args->in[IN_TARGETS], &args->in[IN_ASKED],
                  &args->out[OUT_LOSSES], &args->out[OUT_LOSS]);
    return true;
}

static void tell_one(const StageArgs *args, const ptrdiff_t at[], TermVisit *visit, void *context)
{
    int64_t target = *tensor_id3(&args->in[IN_TARGETS], at[0], at[1], at[2]);
    if (target < 0) {
        visit(context, &(Term){.what = TELL(LOSS_NONE),
                               .source_count = 1,
                               .sources = {{IN_TARGETS, {at[0], at[1], at[2]}}}});
        return;
    }
    float p = *tensor_at4(&args->in[IN_PROBABILITIES], at[0], at[1], at[2], target);
    visit(context, &(Term){.kind = TERM_LOGARITHM,
                           .what = TELL(LOSS_ONE),
                           .source_count = 2,
                           .sources = {{IN_PROBABILITIES, {at[0], at[1], at[2], target}},
                                       {IN_TARGETS, {at[0], at[1], at[2]}}},
                           .value = p,
                           .running = (float)-log((double)p)});
}

// A term of the mean: the loss of one place, with the probability that it was made from.
static void tell_added(const StageArgs *args, const ptrdiff_t at[], float *sum, TermVisit *visit,
                       void *context)
{
    int64_t target = *tensor_id3(&args->in[IN_TARGETS], at[0], at[1], at[2]);
    Term term = {.what = TELL(LOSS_NOT_ASKED),
                 .source_count = 1,
                 .sources = {{IN_TARGETS, {at[0], at[1], at[2]}}},
                 .running = *sum};
    if (target >= 0) {
        float p = *tensor_at4(&args->in[IN_PROBABILITIES], at[0], at[1], at[2], target);
        term.kind = TERM_ADD;
        term.what = TELL(LOSS_ADDED);
        term.source_count = 2;
        term.sources[1] = term.sources[0];
        term.sources[0] = (Source){IN_PROBABILITIES, {at[0], at[1], at[2], target}};
        term.value = (float)-log((double)p);
        term.running = *sum = *sum + term.value;
    }
    visit(context, &term);
}

// A loss has one term. Their mean walks through every place, then divides.
static void cross_entropy_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                 TermVisit *visit, void *context)
{
    if (slot == OUT_LOSSES) {
        tell_one(args, at, visit, context);
        return;
    }
    float sum = 0.0f, asked = *tensor_at1(&args->in[IN_ASKED], 0);
    ptrdiff_t place[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(&args->in[IN_TARGETS], place))
        tell_added(args, place, &sum, visit, context);
    visit(context, &(Term){.kind = TERM_DIVIDE,
                           .what = TELL(LOSS_MEAN),
                           .source_count = 1,
                           .sources = {{IN_ASKED, {0}}},
                           .value = asked,
                           .running = sum / asked});
}

const Stage stage_cross_entropy = {
    .name = "cross_entropy",
    .formula =
        "losses[b,q,l] = targets[b,q,l] < 0 ? 0 : "
        "-log(probabilities[b,q,l, targets[b,q,l]]); loss = (sum_l,q,b losses[b,q,l]) / asked",
    .torch = "loss = F.cross_entropy(logits.flatten(0, 2), targets.flatten(), ignore_index=-1)",
    .source = "Goodfellow et al. 2016, section 6.2.2",
    .main_output = OUT_LOSS,
    .calls = {{
        .reads = {{.role = "probabilities", .axes = "B Q Lq V"},
                  {.role = "targets", .axes = "B Q Lq", .dtype = DTYPE_I64},
                  {.role = "asked", .axes = "1"}},
        .writes = {{.role = "losses", .tensor = "losses", .axes = "B Q Lq"},
                   {.role = "loss", .tensor = "loss", .axes = "1"}},
    }},
    .terms = {[TERM_LOGARITHM] = "-log(", [TERM_ADD] = "sum + ", [TERM_DIVIDE] = "sum / "},
    .run = cross_entropy_run,
    .origin = cross_entropy_origin,
};
