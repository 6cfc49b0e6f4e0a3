// Where a number came from, as a picture: its inputs, what is made of each pair of them and the running
// sum in rows, a column for each term; of a softmax the scores, their exps and the shares. The terms
// are those of trace_origin, which the terminal lists too.
#ifndef FIGURE_ORIGIN_H
#define FIGURE_ORIGIN_H

#include "explanation.h"
#include "figure.h"

// The rows there can be.
typedef enum FigureBand {
    FIGURE_BAND_LEFT,    // the first input of each term
    FIGURE_BAND_RIGHT,   // the second
    FIGURE_BAND_VALUE,   // what the term is: a product, an exp
    FIGURE_BAND_RUNNING, // the running value after it
    FIGURE_BAND_SHARE,   // of a softmax: what its exp is of their sum, as it was stored
    FIGURE_BAND_COUNT
} FigureBand;

// Whether an explanation has such a row; and the number in it of a listed term, false where that term
// has none.
bool figure_band_occurs(const Explanation *explanation, FigureBand band);
bool figure_band_number(const Trace *trace, const Explanation *explanation, FigureBand band,
                        ptrdiff_t term, float *number);

// Draws the element that is explained; request->origin_marked is the marked term. False, with a
// sentence, when there is no memory.
bool figure_origin_draw(const Trace *trace, const FigureRequest *request,
                        const Explanation *explanation, const FigurePaper *paper, Figure *figure,
                        Error *err);

#endif
