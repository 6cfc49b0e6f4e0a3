// The colours of a picture around its numbers.
#ifndef FIGURE_THEME_H
#define FIGURE_THEME_H

#include "colour.h"

// Colours of everything that is not a number.
typedef struct FigureTheme {
    Colour paper, ink, quiet, faint; // background, text, secondary text, lines
    Colour accent;                   // what is locked, what is current
    Colour empty, hatch;             // cells without a number, and patterns on them
    Colour alarm, alarm_paper;       // NaN
    Colour line;                     // the lines view
} FigureTheme;

// The light one, or the dark one.
const FigureTheme *figure_theme(bool is_dark);

#endif
