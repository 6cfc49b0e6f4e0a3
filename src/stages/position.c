// Position: adds to every token a pattern that depends only on its place.
//
//   positional_encoding[0,l,2i]   = sin(l / 10000^(2i/Din))
//   positional_encoding[0,l,2i+1] = cos(l / 10000^(2i/Din))
//   x[b,l,d]                      = embeddings[b,l,d] + positional_encoding[0,l,d]
//
// in    x                   [B, L, Din]  the embeddings
// out   positional_encoding [1, L, Din]  numbers in [-1, 1]
//       x                   [B, L, Din]
// loops first the pattern, once for all sequences: l, each place; d, each of its numbers. Then b, l
//       and d go over every token and add the pattern of its place
// cost  L * Din sines, B * L * Din additions
// from  Vaswani et al. 2017, section 3.5
//
// Without it attention could not tell "he saw her" from "her saw he": a score depends on the two
// vectors alone. Sine and power are libm's in double precision, narrowed to float once: there the
// last bits in which libraries differ are gone.
#include "stage.h"

#include <math.h>
#include "stages_words.h"

enum { OUT_ENCODING, OUT_X };

static float sinusoid(ptrdiff_t l, ptrdiff_t d, ptrdiff_t width)
{
    // Columns 2i and 2i + 1 share an angle:
    // one has its sine, one its cosine. The
    // first pair turns by one radian a
    // place, each later pair more slowly.
    ptrdiff_t pair = d - d % 2;
    double angle = (double)l / pow(10000.0, (double)pair / (double)width);
    return (float)(d % 2 == 0 ? sin(angle) : cos(angle));
}

static void position(const Tensor *embeddings, Tensor *positional_encoding, Tensor *x)
{
    // The pattern is [1, L, Din]: it asks
    // for no sequence, so it is made once
    // and read for every b.
    for (ptrdiff_t l = 0; l < x->shape[1]; l++)
        for (ptrdiff_t d = 0; d < x->shape[2]; d++)
            *tensor_at3(positional_encoding, 0, l, d) = sinusoid(l, d, x->shape[2]);

    // Word and place share the same Din
    // numbers: no column is kept apart for
    // the place.
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                *tensor_at3(x, b, l, d) =
                    *tensor_at3(embeddings, b, l, d) + *tensor_at3(positional_encoding, 0, l, d);
}

static bool position_run(StageArgs *args, Error *err)
{
    (void)err;
    position(&args->in[0], &args->out[OUT_ENCODING], &args->out[OUT_X]);
    return true;
}

// Two terms for x: the embedding, then the pattern. The pattern has no source, since it is
// made from the place alone: nothing that anybody gave flows into it.
static void position_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                            void *context)
{
    float encoding = *tensor_at3(&args->out[OUT_ENCODING], 0, at[1], at[2]);
    Term rule = {.what = at[2] % 2 == 0 ? "sin(l / 10000^(d/D))" : "cos(l / 10000^((d-1)/D))",
                 .value = encoding,
                 .running = encoding};
    if (slot == OUT_ENCODING) {
        visit(context, &rule);
        return;
    }
    float embedding = *tensor_at3(&args->in[0], at[0], at[1], at[2]);
    visit(context, &(Term){.kind = TERM_ADD,
                           .what = TELL(POSITION_EMBEDDING),
                           .source_count = 1,
                           .sources = {{0, {at[0], at[1], at[2]}}},
                           .value = embedding,
                           .running = embedding});
    rule.kind = TERM_ADD;
    rule.running = embedding + encoding;
    visit(context, &rule);
}

const Stage stage_position = {
    .name = "position",
    .formula = "x[b,l,d] = embeddings[b,l,d] + PE[0,l,d]; "
               "PE[0,l,d] = d % 2 = 0 ? sin(l / 10000^(d/Din)) : cos(l / 10000^((d - 1)/Din))",
    .torch = "x = embeddings + positional_encoding",
    .source = "Vaswani et al. 2017, section 3.5",
    .use = STAGE_WITH_POSITIONS,
    .main_output = OUT_X,
    .calls = {{
        .reads = {{.role = "x", .axes = "B L Din", .alias = "embeddings"}},
        .writes = {{.role = "positional_encoding",
                    .tensor = "positional_encoding",
                    .axes = "1 L Din",
                    .alias = "PE"},
                   {.role = "x", .tensor = "x", .axes = "B L Din"}},
    }},
    .terms = {[TERM_ADD] = "+ *tensor_at"},
    .run = position_run,
    .origin = position_origin,
};
