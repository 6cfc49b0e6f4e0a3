// Count answers: how many of the places are asked something, for a mean over them.
//
//   asked = sum over b, q and l of [targets[b,q,l] >= 0]
//
// in    targets [B, Q, Lq]  int64, the word that is the answer; -1: nothing is asked here
// out   asked   [1]  a whole number, as a float
// error none
// cost  B * Q * Lq additions
// from  PyTorch: F.cross_entropy(..., ignore_index=-1, reduction='mean')
#include "stage.h"

#include "stages_words.h"

static void count_answers(const Tensor *targets, Tensor *asked)
{
    // A float, since a sum of floats will be
    // divided by it. It counts exactly up to
    // 2^24.
    float sum = 0.0f;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(targets, at))
        sum += targets->storage.i64[tensor_place(targets, at)] >= 0 ? 1.0f : 0.0f;
    *tensor_at1(asked, 0) = sum;
}

static bool count_answers_run(StageArgs *args, Error *err)
{
    (void)err;
    count_answers(&args->in[0], &args->out[0]);
    return true;
}

static void count_answers_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                 TermVisit *visit, void *context)
{
    (void)slot;
    (void)at;
    const Tensor *targets = &args->in[0];
    ptrdiff_t place[TENSOR_RANK_MAX] = {0};
    float sum = 0.0f;
    for (bool more = true; more; more = tensor_next(targets, place)) {
        float one = targets->storage.i64[tensor_place(targets, place)] >= 0 ? 1.0f : 0.0f;
        sum += one;
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = one > 0.0f ? TELL(ANSWER_ASKED) : TELL(ANSWER_NOT_ASKED),
                               .source_count = 1,
                               .sources = {{0, {place[0], place[1], place[2]}}},
                               .value = one,
                               .running = sum});
    }
}

const Stage stage_count_answers = {
    .name = "count_answers",
    .formula = "asked = sum_l,q,b [targets[b,q,l] >= 0]",
    .torch = "asked = (targets >= 0).sum()",
    .source = "PyTorch: F.cross_entropy",
    .calls = {{
        .reads = {{.role = "targets", .axes = "B Q Lq", .dtype = DTYPE_I64}},
        .writes = {{.role = "asked", .tensor = "asked", .axes = "1"}},
    }},
    .terms = {[TERM_ADD] = "sum += "},
    .run = count_answers_run,
    .origin = count_answers_origin,
};
