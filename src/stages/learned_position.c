// Learned position: adds to every token a vector that was learned for its place, and in BERT one that
// tells the first text from the second.
//
//   x[b,l,d] = (embeddings[b,l,d] + token_type[d]) + weight[first_place + l,d]
//
// in    embeddings [B, L, Din]
//       weight     [P, Din]  a row for each place, P of them at least L; those before first_place (0)
//                            are of no place: in RoBERTa of the padding
//       token_type [Din]     that of the first text, or none
//       token_types [L, Din] in its place where there are two texts: that of each token's own
// out   x [B, L, Din]
// error more tokens than places
// cost  B * L * Din additions, twice as many with a token type
// from  Radford et al. 2018 (GPT), Devlin et al. 2018 (BERT), whose code adds the type first
#include "stage.h"

#include <stdio.h>
#include "stages_words.h"

enum { IN_EMBEDDINGS, IN_WEIGHT, IN_TYPE, IN_TYPES };

static void learned_position(const Tensor *embeddings, const Tensor *weight,
                             const Tensor *token_type, const Tensor *token_types,
                             ptrdiff_t first_place, Tensor *x)
{
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < x->shape[2]; d++) {
                // In BERT the type comes before
                // the place: floats added in
                // another order may differ in a
                // bit.
                float typed = *tensor_at3(embeddings, b, l, d);
                if (token_type)
                    typed += *tensor_at1(token_type, d);
                if (token_types)
                    typed += *tensor_at2(token_types, l, d);
                // Row l for place l, in every
                // sequence. A place beyond the
                // last row has no vector: what was
                // not learned is not there.
                *tensor_at3(x, b, l, d) = typed + *tensor_at2(weight, first_place + l, d);
            }
}

static const Tensor *given(const StageArgs *args, int in)
{
    return args->in[in].storage.bytes ? &args->in[in] : NULL;
}

static bool learned_position_run(StageArgs *args, Error *err)
{
    (void)err;
    learned_position(&args->in[IN_EMBEDDINGS], &args->in[IN_WEIGHT], given(args, IN_TYPE),
                     given(args, IN_TYPES), args->options->first_place, &args->out[0]);
    return true;
}

static bool learned_position_shapes(StageArgs *args, Error *err)
{
    ptrdiff_t places = args->in[IN_WEIGHT].shape[0], tokens = args->in[IN_EMBEDDINGS].shape[1];
    ptrdiff_t first = args->options->first_place, left = places > first ? places - first : 0;
    return tokens <= left || error_set(err, TELL(LEARNED_POSITION_FEW), left, tokens);
}

static void learned_position_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    text[0] = '\0';
    if (options->first_place)
        snprintf(text, STAGE_SETTINGS_MAX, "first_place = %td", options->first_place);
}

// Two terms, three with a type, in the order in which they are added.
static void learned_position_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                    TermVisit *visit, void *context)
{
    (void)slot;
    float sum = *tensor_at3(&args->in[IN_EMBEDDINGS], at[0], at[1], at[2]);
    ptrdiff_t row = args->options->first_place + at[1];
    float place = *tensor_at2(&args->in[IN_WEIGHT], row, at[2]);
    visit(context, &(Term){.kind = TERM_ADD,
                           .what = TELL(POSITION_EMBEDDING),
                           .source_count = 1,
                           .sources = {{IN_EMBEDDINGS, {at[0], at[1], at[2]}}},
                           .value = sum,
                           .running = sum});
    const Tensor *one = given(args, IN_TYPE), *each = given(args, IN_TYPES);
    if (one || each) {
        float type = each ? *tensor_at2(each, at[1], at[2]) : *tensor_at1(one, at[2]);
        Source source = each ? (Source){IN_TYPES, {at[1], at[2]}} : (Source){IN_TYPE, {at[2]}};
        sum += type;
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(LEARNED_POSITION_TYPE),
                               .source_count = 1,
                               .sources = {source},
                               .value = type,
                               .running = sum});
    }
    visit(context, &(Term){.kind = TERM_ADD,
                           .what = TELL(LEARNED_POSITION_PLACE),
                           .source_count = 1,
                           .sources = {{IN_WEIGHT, {row, at[2]}}},
                           .value = place,
                           .running = sum + place});
}

const Stage stage_learned_position = {
    .name = "learned_position",
    .formula = "x[b,l,d] = embeddings[b,l,d]  (+ token_type[d])  (+ token_types[l,d]) + "
               "weight[first_place + l, d]",
    .torch = "x = embeddings + $(torch.arange(L))",
    .source = "Radford et al. 2018 (GPT); Devlin et al. 2018 (BERT)",
    .rounds_once = true,
    .calls = {{
        .reads = {{.role = "x", .axes = "B L Din", .alias = "embeddings"},
                  {.role = "position.weight", .axes = "P Din"},
                  {.role = "token_type", .axes = "Din", .optional = true},
                  {.role = "token_types", .axes = "L Din", .optional = true}},
        .writes = {{.role = "x", .tensor = "x", .axes = "B L Din"}},
    }},
    .form = {.option = OPTION(first_place),
             .formula = "x[b,l,d] = embeddings[b,l,d]  (+ token_type[d])  (+ token_types[l,d]) + "
                        "weight[first_place + l, d]",
             .torch = "x = embeddings + $(first_place + torch.arange(L))"},
    .options = OPTION(learned_position) | OPTION(first_place),
    .needs = OPTION(learned_position),
    .settings = learned_position_settings,
    .terms = {[TERM_ADD] = "typed + *tensor_at2"},
    .run = learned_position_run,
    .shapes = learned_position_shapes,
    .origin = learned_position_origin,
};
