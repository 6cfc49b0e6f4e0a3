// mistake_parts: see mistake_parts.h.
#include "mistake_parts.h"

#include <string.h>

enum { KEYS = 3 }; // the axis that softmax goes along

// --- another axis in the place of the keys

static StageArgs exchanged(const StageArgs *args, int axis)
{
    StageArgs other = *args;
    other.in[0] = tensor_transpose(&args->in[0], axis, KEYS);
    other.out[0] = tensor_transpose(&args->out[0], axis, KEYS);
    return other;
}

bool mistake_softmax_along(int axis, const StageArgs *args, Error *err)
{
    StageArgs other = exchanged(args, axis);
    return stage_find("softmax")->run(&other, err);
}

typedef struct Exchanging {
    int axis;
    TermVisit *visit;
    void *context;
} Exchanging;

static void exchange(ptrdiff_t at[], int axis)
{
    ptrdiff_t kept = at[axis];
    at[axis] = at[KEYS];
    at[KEYS] = kept;
}

static void tell_exchanged(void *context, const Term *term)
{
    const Exchanging *exchanging = context;
    Term other = *term;
    for (int i = 0; i < other.source_count; i++)
        exchange(other.sources[i].at, exchanging->axis);
    exchanging->visit(exchanging->context, &other);
}

void mistake_softmax_along_origin(int axis, const StageArgs *args, const ptrdiff_t at[],
                                  TermVisit *visit, void *context)
{
    StageArgs other = exchanged(args, axis);
    ptrdiff_t other_at[TENSOR_RANK_MAX] = {0};
    memcpy(other_at, at, (size_t)args->out[0].rank * sizeof *at);
    exchange(other_at, axis);
    stage_find("softmax")->origin(&other, 0, other_at, tell_exchanged,
                                  &(Exchanging){axis, visit, context});
}

// --- wired wrongly

typedef struct Telling {
    const int *from;
    TermVisit *visit;
    void *context;
} Telling;

static void tell_rewired(void *context, const Term *term)
{
    const Telling *telling = context;
    Term other = *term;
    for (int i = 0; i < other.source_count; i++)
        other.sources[i].slot = telling->from[other.sources[i].slot];
    telling->visit(telling->context, &other);
}

void mistake_rewired_origin(const char *stage, const Rewired *rewired, int slot,
                            const ptrdiff_t at[], TermVisit *visit, void *context)
{
    stage_find(stage)->origin(&rewired->args, slot, at, tell_rewired,
                              &(Telling){rewired->from, visit, context});
}

// --- terms

void mistake_tell_element(const StageArgs *args, TermKind kind, Source source, TermVisit *visit,
                          void *context)
{
    const Tensor *in = &args->in[source.slot];
    float value = in->storage.f32[tensor_place(in, source.at)];
    visit(context, &(Term){.kind = kind,
                           .source_count = 1,
                           .sources = {source},
                           .value = value,
                           .running = value});
}
