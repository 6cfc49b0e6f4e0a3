// mistake_parts: see mistake_parts.h.
#include "mistake_parts.h"
#include "mistakes_words.h"

#include <string.h>

// --- axes exchanged

static StageArgs exchanged(const StageArgs *args, int a, int b)
{
    StageArgs other = *args;
    other.in[0] = tensor_transpose(&args->in[0], a, b);
    other.out[0] = tensor_transpose(&args->out[0], a, b);
    return other;
}

bool mistake_run_exchanged(const char *stage, StageArgs *args, int a, int b, Error *err)
{
    StageArgs other = exchanged(args, a, b);
    return stage_find(stage)->run(&other, err);
}

typedef struct Exchanging {
    int a, b;
    TermVisit *visit;
    void *context;
} Exchanging;

static void exchange(ptrdiff_t at[], int a, int b)
{
    ptrdiff_t at_a = at[a];
    at[a] = at[b];
    at[b] = at_a;
}

static void tell_exchanged(void *context, const Term *term)
{
    const Exchanging *exchanging = context;
    Term other = *term;
    for (int i = 0; i < other.source_count; i++)
        exchange(other.sources[i].at, exchanging->a, exchanging->b);
    exchanging->visit(exchanging->context, &other);
}

void mistake_origin_exchanged(const char *stage, const StageArgs *args, int a, int b,
                              const ptrdiff_t at[], TermVisit *visit, void *context)
{
    StageArgs other = exchanged(args, a, b);
    ptrdiff_t other_at[TENSOR_RANK_MAX] = {0};
    memcpy(other_at, at, (size_t)args->out[0].rank * sizeof *at);
    exchange(other_at, a, b);
    stage_find(stage)->origin(&other, 0, other_at, tell_exchanged,
                              &(Exchanging){a, b, visit, context});
}

// --- inputs replaced

typedef struct Replacing {
    const int *places;
    TermVisit *visit;
    void *context;
} Replacing;

static void tell_replaced(void *context, const Term *term)
{
    const Replacing *replacing = context;
    Term other = *term;
    for (int i = 0; i < other.source_count; i++)
        other.sources[i].slot = replacing->places[other.sources[i].slot];
    replacing->visit(replacing->context, &other);
}

void mistake_origin_replaced(const char *stage, const StageArgs *args, const int places[], int slot,
                             const ptrdiff_t at[], TermVisit *visit, void *context)
{
    stage_find(stage)->origin(args, slot, at, tell_replaced, &(Replacing){places, visit, context});
}

// --- terms

void mistake_tell_element(const StageArgs *args, TermKind kind, Source source, TermVisit *visit,
                          void *context)
{
    const Tensor *in = &args->in[source.slot];
    float value = in->storage.f32[tensor_place(in, source.at)];
    visit(context, &(Term){.kind = kind,
                           .what = kind == TERM_PLACE ? TELL(TERM_SAME_PLACE) : TELL(TERM_COPIED),
                           .source_count = 1,
                           .sources = {source},
                           .value = value,
                           .running = value});
}
