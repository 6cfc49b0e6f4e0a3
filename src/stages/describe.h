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

// A term with its kind, what it is in words (NULL: its kind says all), its sources, its value, and the
// value so far.
#define TERM_OF_NONE(kind_, what_, value_, running_) \
    (&(Term){.kind = kind_, .what = what_, .value = value_, .running = running_})
#define TERM_OF_ONE(kind_, what_, source, value_, running_) \
    (&(Term){.kind = kind_, \
             .what = what_, \
             .source_count = 1, \
             .sources = {source}, \
             .value = value_, \
             .running = running_})
#define TERM_OF_TWO(kind_, what_, first, second, value_, running_) \
    (&(Term){.kind = kind_, \
             .what = what_, \
             .source_count = 2, \
             .sources = {first, second}, \
             .value = value_, \
             .running = running_})

#endif
