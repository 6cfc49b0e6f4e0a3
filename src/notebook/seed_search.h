// The seed behind printed numbers: all 2^32 streams are tried. (torch.manual_seed keeps the low 32
// bits of what it is given.)
//
// What was printed becomes tests: a sum of drawn numbers that lies between two bounds.
// Two of them, those whose words come first, are asked of every seed, many seeds side by side
// (kernel.h); what passes is asked all others. Nothing is guessed: a seed that makes the numbers is
// found, and where none is found none does.
//
// Life cycle: seed_question_make; a SeedSearch {.question = ..., .kernel = ...}; seed_search_run
// until `next` is SEED_ALL. The search is a plain value: it can be kept and gone on with.
#ifndef SEED_SEARCH_H
#define SEED_SEARCH_H

#include "kernel.h"
#include "printed.h"
#include "trace.h"

// What a number of a trace is, of the numbers that the seed drew: a sum of a few of them, each with a
// factor. "q[0, 0, 0] = 1 * (draw at word 0) + 1 * (draw at word 2)".

// One drawn number. A uniform one is made of one word, a normal one of a radius and an angle.
typedef struct DrawTerm {
    DrawKind kind; // DRAW_UNIFORM, DRAW_NORMAL or DRAW_SMALL_NORMAL
    double factor;
    double bound;  // of a uniform one
    uint64_t word; // that it is made of; of a normal one, its radius is
    uint64_t angle_word;
    bool is_sine; // a normal one: radius * sin, not cos
} DrawTerm;

enum { DRAW_TERMS_MAX = 16 };

typedef struct DrawForm {
    double constant;
    int count;
    DrawTerm terms[DRAW_TERMS_MAX];
} DrawForm;

// The form of an element of a trace that has run. False where it is none: it takes more draws than
// DRAW_TERMS_MAX, or products of them, or another computation.
bool draw_form_of(const Trace *trace, TraceCell cell, DrawForm *form);

// The words that it takes come before this one.
uint64_t draw_form_end(const DrawForm *form);

// Its value in a stream of words, to about 1e-6 of the largest term.
double draw_form_value(const DrawForm *form, const uint32_t words[]);

// --- the question

typedef struct SeedTest {
    DrawForm form;
    double low, high;
} SeedTest;

enum {
    SEED_TESTS_MAX = 256,
    SEED_FILTERS = 2,
    SEED_CELL_BITS = 11,
    SEED_CELLS = 1 << SEED_CELL_BITS
};

// A test of all seeds of a batch, prepared from a SeedTest.
typedef struct SeedFilter {
    const SeedTest *test;
    int words[DRAW_TERMS_MAX + 1]; // of each term, which of the places asked for; then the angle

    // A normal number: for each part of the radius's uniform number, between which angles (folded at
    // pi, 2^23 steps) it can lie; width 0: nowhere.
    uint32_t low[SEED_CELLS], width[SEED_CELLS];
} SeedFilter;

typedef struct SeedQuestion {
    SeedTest *tests; // in the order of the words that they need; in the arena
    int count;
    uint64_t words; // of a stream, that they need
    SeedFilter filters[SEED_FILTERS];
    int filter_count;
    KernelPlaces places;
} SeedQuestion;

// The question that printed numbers of one tensor put. The trace has run, with its weights drawn from
// seed 0. False, with a sentence, where the tensor's numbers are not sums of a few drawn ones.
bool seed_question_make(const Trace *trace, int tensor, const PrintedTensor *printed,
                        SeedQuestion *question, Arena *arena, Error *err);

// Whether a seed makes all the numbers of the question. `words` has room for question->words.
bool seed_question_holds(const SeedQuestion *question, uint32_t seed, uint32_t words[]);

#define SEED_ALL (UINT64_C(1) << 32)
enum { SEED_FOUND_MAX = 64, SEED_PIECE = 1 << 16 };

typedef struct SeedSearch {
    const SeedQuestion *question;
    const Kernel *kernel;
    uint64_t next;                  // all seeds below it have been tried
    uint32_t found[SEED_FOUND_MAX]; // ascending, once a run has returned
    int found_count;                // more than there is room for: the numbers are too few
} SeedSearch;

// Tries the next `pieces` times SEED_PIECE seeds. False when memory is short.
bool seed_search_run(SeedSearch *search, Team *team, int pieces, Error *err);

#endif
