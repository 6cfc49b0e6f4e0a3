// The terms of an element, in the words of describe.h. Compiled twice, as the stages are (widen.h).
#include "describe.h"

#include <math.h>
#include "stages_words.def"

static const Tensor *tensor_of(const Terms *terms, int slot)
{
    return slot >= SOURCE_OWN ? &terms->args->out[slot - SOURCE_OWN] : &terms->args->in[slot];
}

// As tensor_place, in line: edits of large tensors ask for the origin of every element.
static inline float number_of(const Tensor *tensor, const ptrdiff_t at[])
{
    ptrdiff_t place = tensor->offset;
    for (int axis = 0; axis < tensor->rank; axis++)
        place += at[axis] * tensor->stride[axis];
    return tensor->storage.f32[place];
}

float term_number(const Terms *terms, Source source)
{
    return number_of(tensor_of(terms, source.slot), source.at);
}

Source term_here(const Terms *terms, int slot, const ptrdiff_t at[])
{
    Source source = {.slot = slot};
    for (int axis = 0; axis < tensor_of(terms, slot)->rank; axis++)
        source.at[axis] = at[axis];
    return source;
}

// Gives a term whose sources are set already; those beyond their count stay as they are.
static inline void give(Terms *terms, Term *term, TermKind kind, const char *what, float value,
                        float running)
{
    term->kind = kind;
    term->what = what;
    term->value = value;
    terms->running = term->running = running;
    terms->visit(terms->context, term);
}

void term_none(Terms *terms, TermKind kind, const char *what, float value, float running)
{
    Term term;
    term.source_count = 0;
    give(terms, &term, kind, what, value, running);
}

void term_one(Terms *terms, TermKind kind, const char *what, Source source, float value,
              float running)
{
    Term term;
    term.source_count = 1;
    term.sources[0] = source;
    give(terms, &term, kind, what, value, running);
}

void term_two(Terms *terms, TermKind kind, const char *what, SourcePair sources, float value,
              float running)
{
    Term term;
    term.source_count = 2;
    term.sources[0] = sources.first;
    term.sources[1] = sources.second;
    give(terms, &term, kind, what, value, running);
}

void term_rule(Terms *terms, const char *what, float value, float running)
{
    term_none(terms, TERM_RULE, what, value, running);
}

void term_copy(Terms *terms, TermKind kind, const char *what, Source source)
{
    float value = term_number(terms, source);
    term_one(terms, kind, what, source, value, value);
}

void term_add(Terms *terms, const char *what, Source source)
{
    float value = term_number(terms, source);
    term_one(terms, TERM_ADD, what, source, value, terms->running + value);
}

void term_factor(Terms *terms, const char *what, Source source, float factor)
{
    term_one(terms, TERM_FACTOR, what, source, factor, term_number(terms, source) * factor);
}

void term_divide(Terms *terms, const char *what, Source source, float by)
{
    term_one(terms, TERM_DIVIDE, what, source, by, term_number(terms, source) / by);
}

void term_product(Terms *terms, Source left, Source right)
{
    float a = term_number(terms, left), b = term_number(terms, right);
    term_two(terms, TERM_MULTIPLY_ADD, NULL, (SourcePair){left, right}, a * b,
             fmaf(a, b, terms->running));
}

void term_bias(Terms *terms, Source bias)
{
    if (stage_given(terms->args, bias.slot))
        term_add(terms, TELL(BIAS), bias);
}

void origin_same_place(Terms *terms, const ptrdiff_t at[])
{
    term_copy(terms, TERM_PLACE, NULL, term_here(terms, 0, at));
}
