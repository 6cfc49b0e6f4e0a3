// Text in lines: columns of a panel, a lecture's spans, and a text on the whole screen.
#ifndef LINES_H
#define LINES_H

#include "cells.h"
#include "lecture.h"

// --- lines in columns
//
// Lines of text in columns, written once from top to bottom: what is longer than its place is shown
// from any line on, and how long it is is known before it is drawn.
//
// Life cycle: lines_begin; lines_... ; lines_draw as often as wanted. Nothing is owned.

enum { LINES_COUNT_MAX = 128, LINE_PIECES_MAX = 5, LINES_BYTES_MAX = 1 << 14 };

// A text on a line.
typedef struct LinePiece {
    Role role;
    int column;
    bool ends_there; // else it starts there
    size_t text;     // where it stands in `bytes`
} LinePiece;

typedef struct Line {
    LinePiece pieces[LINE_PIECES_MAX];
    int count;
    Role fill_role;
    const char *fill; // the character that fills it from end to end, under the pieces; NULL: none
} Line;

typedef struct Lines {
    int columns; // of the place that they are for
    int count;   // the line that is written now is not counted
    Line lines[LINES_COUNT_MAX];
    char bytes[LINES_BYTES_MAX];
    size_t used;
} Lines;

void lines_begin(Lines *lines, int columns);

// On the line that is written now: fills it, adds a text from a printf format, adds one that ends
// before column `end`. What there is no room for is left out.
void lines_fill(Lines *lines, Role role, const char *character);
void lines_text(Lines *lines, int column, Role role, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void lines_text_right(Lines *lines, int end, Role role, const char *text);

// The line is done.
void lines_next(Lines *lines);

// Breaks a text at spaces into as many lines as it takes, at most `rows`.
void lines_paragraph(Lines *lines, int rows, Role role, const char *text);

// Draws as many as there are rows, from line `first` on.
void lines_draw(const Lines *lines, int first, Area area);

// --- a lecture's text
//
// Text of a lecture in lines: spans of different looks that flow together, broken at spaces.
// Where that would leave more than half of a line empty, Korean, Chinese and Japanese are
// broken between syllables.

typedef struct Flow {
    Area area; // without cells: lines are only counted
    int skip;  // lines above the first visible one
    int line;  // the next one, from 0
} Flow;

// Writes the spans, each further line starting at `indent`; the last line ends.
void flow_spans(Flow *flow, int column, int indent, const LectureSpan *spans);

// A block, with what belongs in front of it; a blank line before it when `apart`.
void flow_block(Flow *flow, const LectureBlock *block, bool apart);

// --- a text on the whole screen
//
// A title, lines that can be moved through, what is going on, and keys.

typedef struct TextPage {
    const char *title;
    const char *text;   // lines; longer ones go on in the next row
    const char *status; // what is going on; "" nothing
    const char *keys;
    int skip; // rows of the text above the first that is shown
} TextPage;

// Draws it; skip becomes the nearest that leaves no empty screen.
void text_page_draw(TextPage *page, Cells *cells);

// The rows of text that a screen shows.
int text_page_rows(const Cells *cells);

#endif
