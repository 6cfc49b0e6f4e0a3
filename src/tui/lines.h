// Lines of text: columns of a panel, text of a lecture, and a text on the whole screen.
#ifndef LINES_H
#define LINES_H

#include "cells.h"
#include "lecture.h"

// --- lines in columns
//
// Written from top to bottom. Without cells they are only counted, so that the length is known before drawing.

typedef struct Lines {
    Area area;
    int first; // the line at the area's top
    int count; // finished lines
} Lines;

// On the current line: fill it, add formatted text, add text that ends before column `end`.
void lines_fill(const Lines *lines, Role role, const char *character);
void lines_text(const Lines *lines, int column, Role role, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void lines_text_right(const Lines *lines, int end, Role role, const char *text);

// Adds formatted text and finishes the line.
void lines_line(Lines *lines, int column, Role role, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Breaks a text at spaces into at most `rows` lines.
void lines_paragraph(Lines *lines, int rows, Role role, const char *text);

// --- a lecture's text
//
// Spans of different looks in running text, broken at spaces. If that left more than half of a line empty,
// Korean, Chinese and Japanese are broken between syllables.

typedef struct Flow {
    Area area; // without cells: only count lines
    int skip;  // lines above the first visible one
    int line;  // the next line, from 0
} Flow;

// Writes the spans and ends the last line; all lines but the first start at `indent`.
void flow_spans(Flow *flow, int column, int indent, const LectureSpan *spans);

// Writes a block with its bullet or number; a blank line before it if `apart`.
void flow_block(Flow *flow, const LectureBlock *block, bool apart);

// --- a text on the whole screen
//
// A title, scrollable lines, a status line, and keys.

typedef struct TextPage {
    const char *title;
    const char *text;   // lines; long ones are wrapped
    const char *status; // "": none
    const char *keys;
    int skip; // rows above the first visible one
} TextPage;

// Draws it, and limits `skip` so that the screen is not empty.
void text_page_draw(TextPage *page, Cells *cells);

// The rows of text on a screen.
int text_page_rows(const Cells *cells);

// --- words in letters of half blocks
//
// For projectors: Latin letters are 5 rows high, lines with Hangul 7. Each letter of a syllable is drawn by its
// strokes, into its box. Syllables are narrow, in quarter blocks, if wide ones would take another line.

enum { SLIDE_MARGIN = 2 }; // the columns left free on both sides of a slide

// Draws a text, wrapped at blanks; returns its rows. Returns 0 and draws nothing if a letter is unknown or the text
// does not fit. Without cells, only measures.
int big_letters_draw(Area area, Role role, const char *text);

#endif
