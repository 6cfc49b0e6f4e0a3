// mistake_position: see mistake_position.h.
#include "mistake_position.h"

#include <math.h>
#include "mistake_reason.h"
#include "mistakes_words.h"

enum { OUT_ENCODING, OUT_X };

float mistake_sinusoid(ptrdiff_t l, ptrdiff_t d, ptrdiff_t width)
{
    ptrdiff_t pair = d - d % 2;
    double angle = (double)l / pow(10000.0, (double)pair / (double)width);
    return (float)(d % 2 == 0 ? sin(angle) : cos(angle));
}

void mistake_position_run(StageArgs *args, PositionPattern *pattern)
{
    const Tensor *embeddings = &args->in[0];
    Tensor *encoding = &args->out[OUT_ENCODING], *x = &args->out[OUT_X];
    for (ptrdiff_t l = 0; l < x->shape[1]; l++)
        for (ptrdiff_t d = 0; d < x->shape[2]; d++) {
            *tensor_at3(encoding, 0, l, d) = pattern(l, d, x->shape[2]);
            for (ptrdiff_t b = 0; b < x->shape[0]; b++)
                *tensor_at3(x, b, l, d) =
                    *tensor_at3(embeddings, b, l, d) + *tensor_at3(encoding, 0, l, d);
        }
}

void mistake_position_origin(const StageArgs *args, const char *rule, int slot,
                             const ptrdiff_t at[], TermVisit *visit, void *context)
{
    float encoding = *tensor_at3(&args->out[OUT_ENCODING], 0, at[1], at[2]);
    Term added = {.what = rule, .value = encoding, .running = encoding};
    if (slot == OUT_X) {
        float embedding = *tensor_at3(&args->in[0], at[0], at[1], at[2]);
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(TERM_EMBEDDING),
                               .source_count = 1,
                               .sources = {{0, {at[0], at[1], at[2]}}},
                               .value = embedding,
                               .running = embedding});
        added.kind = TERM_ADD;
        added.running = embedding + encoding;
    }
    visit(context, &added);
}

const Words *mistake_position_cannot_show(const Scenario *scenario)
{
    return scenario->with_position ? NULL : &reason_no_positions;
}
