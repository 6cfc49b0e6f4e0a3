// How a stage's file writes its slots and the terms of its elements, in a line each.
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include "stage.h"

// A slot: SLOT(role, axes), and what else there is to say of it, as in SLOT("ids", "B L", .dtype = ...).
// NAMED_SLOT(role, tensor, axes): of what is written under another name.
#define SLOT(role_, ...) \
    { \
        .role = role_, .axes = __VA_ARGS__ \
    }
#define NAMED_SLOT(role_, tensor_, ...) \
    { \
        .role = role_, .tensor = tensor_, .axes = __VA_ARGS__ \
    }

// SOURCE(slot, index, ...): an element that a term takes in.
#define SOURCE(slot, ...) ((Source){slot, {__VA_ARGS__}})

// The terms of one output element, as `origin` gives them: whose element it is, who hears them, and the
// value so far, which is 0 before the first one.
struct Terms {
    const StageArgs *args;
    int slot; // of the output
    TermVisit *visit;
    void *context;
    float running;
};

// The number that a source names; the source that lies at the same index as the output element.
float term_number(const Terms *terms, Source source);
Source term_here(const Terms *terms, int slot, const ptrdiff_t at[]);

// A term with its kind, what it is in words (NULL: its kind says all), its sources, its value, and the
// value after it.
void term_none(Terms *terms, TermKind kind, const char *what, float value, float running);
void term_one(Terms *terms, TermKind kind, const char *what, Source source, float value,
              float running);
void term_two(Terms *terms, TermKind kind, const char *what, SourcePair sources, float value,
              float running);

// The usual ones: a rule without a source; a source that is the value (TERM_COPY, TERM_PLACE, or the first
// of a sum: TERM_ADD); one that is added, multiplied or divided; a product that is added in one rounding;
// a bias, where it is given.
void term_rule(Terms *terms, const char *what, float value, float running);
void term_copy(Terms *terms, TermKind kind, const char *what, Source source);
void term_add(Terms *terms, const char *what, Source source);
void term_factor(Terms *terms, const char *what, Source source, float factor);
void term_divide(Terms *terms, const char *what, Source source, float by);
void term_product(Terms *terms, Source left, Source right);
void term_bias(Terms *terms, Source bias);

// For Stage.origin: each element is the one at the same index of the first input, in a view.
void origin_same_place(Terms *terms, const ptrdiff_t at[]);

#endif
