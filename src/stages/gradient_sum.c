// Gradient sum: what is read in several places has a gradient from each, and they add up.
//
//   grad.x = grad.x (so far) + grad.x (of one place more)        element by element
//
// in    two gradients of the same tensor: x is read by q, k and v; a weight may make all three
// out   their sum, of the same shape
// cost  an addition an element
// from  Goodfellow et al. 2016, section 6.5.3; in the order of the backward pass, as PyTorch's
//       AccumulateGrad does
//
// The trace plans it where a tensor gets a second gradient, and gives it that tensor's axes.
#include "stage.h"

#include "fast.h"
#include "stages_words.h"

enum { IN_SO_FAR, IN_MORE };

static void gradient_sum(const Tensor *so_far, const Tensor *more, Tensor *sum)
{
    // One loop for any number of axes:
    // tensor_next counts `at` on, the last
    // axis first. Both inputs may be views,
    // so each is asked for its own place.
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool next = tensor_count(sum) > 0; next; next = tensor_next(sum, at))
        sum->storage.f32[tensor_place(sum, at)] = so_far->storage.f32[tensor_place(so_far, at)] +
                                                  more->storage.f32[tensor_place(more, at)];
}

static bool gradient_sum_run(StageArgs *args, Error *err)
{
    (void)err;
    gradient_sum(&args->in[IN_SO_FAR], &args->in[IN_MORE], &args->out[0]);
    return true;
}

// Two terms: what was there, then what is added. A third gradient is a step of its own,
// since (a + b) + c and a + (b + c) may differ in their last bit.
static void gradient_sum_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                TermVisit *visit, void *context)
{
    (void)slot;
    float so_far = 0.0f;
    for (int in = IN_SO_FAR; in <= IN_MORE; in++) {
        Term term = {.kind = TERM_ADD,
                     .what = in == IN_SO_FAR ? TELL(GRADIENT_SO_FAR) : TELL(GRADIENT_MORE),
                     .source_count = 1,
                     .sources = {{.slot = in}}};
        for (int axis = 0; axis < args->in[in].rank; axis++)
            term.sources[0].at[axis] = at[axis];
        term.value = args->in[in].storage.f32[tensor_place(&args->in[in], at)];
        term.running = in == IN_SO_FAR ? term.value : so_far + term.value;
        so_far = term.running;
        visit(context, &term);
    }
}

const Stage stage_gradient_sum = {
    .name = "gradient_sum",
    .formula = "grad[...] = so_far[...] + more[...]",
    .torch = "grad = grad + more",
    .source = "Goodfellow et al. 2016, section 6.5.3",
    .reach = REACH_BY_AXES,
    .calls = {{
        .of = "",
        .reads = {{.role = "so_far"}, {.role = "more"}},
        .writes = {{.role = "sum", .tensor = "sum"}},
    }},
    .terms = {[TERM_ADD] = "more->storage"},
    .run = gradient_sum_run,
    .fast = fast_gradient_sum,
    .origin = gradient_sum_origin,
};
