// What a number of a trace is, of the numbers that the seed drew: a sum of a few of them, each with a
// factor. "q[0, 0, 0] = 1 * (draw at word 0) + 1 * (draw at word 2)".
#ifndef DRAW_FORM_H
#define DRAW_FORM_H

#include "trace.h"

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

#endif
