// From a number of a tensor to how it looks in a map of characters: its mark, its level on a scale,
// a colour, a shade.
#ifndef HEAT_SCALE_H
#define HEAT_SCALE_H

#include "figure_data.h"
#include "session.h"
#include "trace_mark.h"

// What a cell is besides its number, the least first: of a block of cells the least one counts,
// except that one NaN makes it NaN.
typedef enum HeatMark {
    HEAT_PLAIN,
    HEAT_PADDED,
    HEAT_DROPPED,
    HEAT_MASKED,
    HEAT_MINUS_INFINITY,
    HEAT_INFINITY,
    HEAT_NOT_YET, // the walk through the elements has not come there
    HEAT_NAN,
    HEAT_MARKS
} HeatMark;

// What is shown of a tensor: one sequence and, of a matrix too large to be looked through for every
// screen, a part.
typedef struct HeatSource {
    FigureData data;
    TraceMarks marks;
    const Session *session; // that walks through the tensor; NULL: every element is there
    ptrdiff_t sequence;
    ptrdiff_t first_row, first_column, rows, columns;
    ptrdiff_t first_head, heads; // that one scale is for
} HeatSource;

// Chooses the part with the chosen cell in it, for one head or for all of them; as large as about a
// million numbers allow.
void heat_part(HeatSource *source, FigureCell chosen, bool all_heads);

// The mark of a cell whose number is `number`.
HeatMark heat_mark(const HeatSource *source, FigureCell cell, float number);

// The character that stands for a mark, and its word; "" for HEAT_PLAIN.
const char *heat_mark_character(HeatMark mark);
const char *heat_mark_word(HeatMark mark);

typedef struct HeatScale {
    float low, high;
    bool both_signs; // low is -high: blue below zero, red above; shades get a sign
    Colour table[COLOUR_LEVELS];
} HeatScale;

// The scale of what is shown: 0 to `least` or, where that is larger, to the largest; symmetric around
// 0 where numbers are negative. Only finite numbers that are not masked count.
HeatScale heat_scale(const HeatSource *source, float least);

// A finite number's colour.
Colour heat_colour(const HeatScale *scale, float number);

// A finite number's size as one of five characters, from next to nothing to full.
enum { HEAT_SHADES = 5 };
extern const char *const heat_shades[HEAT_SHADES];
const char *heat_shade(const HeatScale *scale, float number);

#endif
