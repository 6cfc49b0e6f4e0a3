// A screen as a grid of cells: what panels draw on, and all a terminal, a test or a pipe needs to
// know. Characters take 0, 1 or 2 columns (utf8.h); a wide one is never cut in half.
//
// Life cycle: a zeroed Cells has no size; cells_resize (which also clears); draw; cells_finish.
#ifndef CELLS_H
#define CELLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "arena.h"
#include "error.h"

// What a piece of text is for. A terminal decides how it looks; marks in the text carry the meaning
// where nothing but text is shown.
typedef enum Role {
    ROLE_TEXT,
    ROLE_QUIET,   // what is not yet there, units, explanations
    ROLE_HEADING, // names of what follows
    ROLE_TITLE,   // the bar on top
    ROLE_RULE,    // lines between panels
    ROLE_CURRENT, // where the person is
    ROLE_KEY,     // a key that can be pressed
    ROLE_ALARM,   // something went wrong, or needs to be known
    ROLE_CHANGED, // a number that the last edit moved; a mark stands beside it
    ROLE_MARKED,  // a number that is masked, dropped or of padding; a mark stands beside it
    ROLE_COUNT
} Role;

enum { CELLS_COLUMNS_MAX = 1000, CELLS_ROWS_MAX = 1000 }; // of a screen

enum { CELL_TEXT_MAX = 24 }; // a character with its combining marks, NUL included

// Colours of a cell beyond those of its role: 0 leaves the terminal's own, SHADE_SET | 0xRRGGBB is
// a colour. They carry nothing that is not also in the text, unless `colours` says they are seen.
enum { SHADE_SET = 1 << 24 };
typedef struct Shade {
    uint32_t front, back;
} Shade;

typedef struct Cell {
    char text[CELL_TEXT_MAX]; // empty in the right half of a wide character
    unsigned char columns;    // 1 or 2; 0: the right half of a wide character
    unsigned char role;       // a Role
    Shade shade;
} Cell;

// From this many colours on, shades can be told apart; panels write characters instead below.
enum { CELLS_SHADES_FROM = 256 };

typedef struct Cells {
    int rows, columns;
    int colours;     // how many the terminal can show; 0: characters only
    Cell *cells;     // row by row
    bool has_cursor; // where the next character is typed:
    int cursor_row, cursor_column;
    Arena arena;
} Cells;

// A rectangle of cells to draw on, and all that is drawn on it is clipped to it. Without cells it is
// a place that is only measured.
typedef struct Area {
    int row, column, rows, columns;
    Cells *cells;
} Area;

// False, with the size, when there is no memory for it.
bool cells_resize(Cells *cells, int columns, int rows, Error *err);
void cells_clear(Cells *cells);
void cells_finish(Cells *cells);

const Cell *cells_at(const Cells *cells, int row, int column);

// All of the cells.
Area cells_area(Cells *cells);

// A place that was only measured, on these cells.
Area area_on(Cells *cells, Area place);

// What lies in an area from this row and column on, both counted inside it.
Area area_part(Area area, int row, int column, int rows, int columns);

// Cuts rows off its top or bottom, and returns them.
Area area_cut_top(Area *area, int rows);
Area area_cut_bottom(Area *area, int rows);

// Writes `text` into row `row` of the area from column `column` on (both counted inside the area)
// and returns the columns used. Text that does not fit ends in an ellipsis. Control characters
// become U+FFFD. Rows and columns outside the area draw nothing.
int cells_text(Area area, int row, int column, Role role, const char *text);

// The same, so that the text ends before column `end`.
int cells_text_right(Area area, int row, int end, Role role, const char *text);

// The same from a printf format, for texts below 512 bytes.
int cells_format(Area area, int row, int column, Role role, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// Breaks `text` at spaces into as many rows as it takes, at most `rows`; continued rows start at
// `indent`. Returns the rows used.
int cells_paragraph(Area area, int row, int rows, int indent, Role role, const char *text);

// How many bytes of `text` make its first line: as many words as fit into the columns; a word that is
// longer than a line is broken.
size_t cells_line_bytes(const char *text, int columns);

// The rows that cells_paragraph uses for it in an area of this many columns.
int cells_paragraph_rows(const char *text, int columns, int rows, int indent);

// Fills `columns` cells with a character of one column.
void cells_fill(Area area, int row, int column, int columns, Role role, const char *character);

// Gives `columns` cells a shade over what is written there already.
void cells_shade(Area area, int row, int column, int columns, Shade shade);

// Makes each of the first `rows` rows `times` rows: from column `from` on all are alike, and what stands
// left of it goes into the middle one.
void cells_stretch(Area area, int rows, int times, int from);

// Puts the cursor where text would be drawn; outside of the area it is not shown.
void cells_cursor(Area area, int row, int column);

// The grid as lines of text without spaces at their ends.
void cells_print(const Cells *cells, FILE *out);

// --- colours
//
// From the 24-bit colours of cells to the colours that a terminal has.

// Colour numbers of a terminal; -1 is its own.
typedef struct ShadeNumbers {
    int front, back;
} ShadeNumbers;

// What a terminal with `colours` colours is told: with 2^24 the colour itself; from 256 on the
// nearest of the colour cube and the greys, which no theme changes; from 8 on the nearest hue for a
// front, and nothing where there is a back, whose text could not be read; below, nothing.
ShadeNumbers shade_numbers(Shade shade, int colours);

#endif
