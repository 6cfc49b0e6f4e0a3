// Helpers for a stage's file: its slots and the terms of its elements take one line each.
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include <stdio.h>
#include "stage.h"

// A slot: SLOT(role, axes), and further fields, as in SLOT("ids", "B L", .dtype = ...). NAMED_SLOT(role,
// tensor, axes): for an output with another tensor name.
#define SLOT(role_, ...) \
    { \
        .role = role_, .axes = __VA_ARGS__ \
    }
#define NAMED_SLOT(role_, tensor_, ...) \
    { \
        .role = role_, .tensor = tensor_, .axes = __VA_ARGS__ \
    }

// Defines STAGE_run for a loop that has the stage's name and takes its inputs, in the order of their slots,
// and its output. Other stages write that function out: with options, or an input that may be absent.
#define RUN_ON_ONE(stage) RUN_ON(stage, &args->in[0])
#define RUN_ON_TWO(stage) RUN_ON(stage, &args->in[0], &args->in[1])
#define RUN_ON_THREE(stage) RUN_ON(stage, &args->in[0], &args->in[1], &args->in[2])
#define RUN_ON(stage, ...) \
    static bool stage##_run(StageArgs *args, Error *err) \
    { \
        stage(__VA_ARGS__, &args->out[0]); \
        return true; \
    }

// Defines a function for Stage.settings that shows one option: "top_k = 5".
#define SHOW_OPTION(function, option, format, type) \
    static void function(const StageOptions *options, char text[STAGE_SETTINGS_MAX]) \
    { \
        snprintf(text, STAGE_SETTINGS_MAX, #option " = " format, (type)options->option); \
    }

// SOURCE(slot, index, ...): an element that a term reads.
#define SOURCE(slot, ...) ((Source){slot, {__VA_ARGS__}})

// The terms of one output element, as `origin` reports them: the output slot, the visitor, and the
// value so far, which starts at 0.
struct Terms {
    const StageArgs *args;
    int slot; // of the output
    TermVisit *visit;
    void *context;
    float running;
};

// The number at a source; the source at the output element's own index.
float term_number(const Terms *terms, Source source);
Source term_here(const Terms *terms, int slot, const ptrdiff_t at[]);

// Reports a term: its kind, a description (NULL: the kind is enough), its sources, its value, and the
// value so far after it.
void term_none(Terms *terms, TermKind kind, const char *what, float value, float running);
void term_one(Terms *terms, TermKind kind, const char *what, Source source, float value,
              float running);
void term_two(Terms *terms, TermKind kind, const char *what, SourcePair sources, float value,
              float running);

// The usual terms: a rule without a source; a source as the value (TERM_COPY, TERM_PLACE, or TERM_ADD for
// the first of a sum); a source that is added, multiplied or divided; a product added with one rounding; a
// bias, if there is one.
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
