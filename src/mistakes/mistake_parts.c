// mistake_parts: see mistake_parts.h.
#include "mistake_parts.h"

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
