// A screen as a grid of cells. Panels draw on it; a terminal, a test or a pipe reads it. Characters take 0, 1
// or 2 columns (utf8.h); a wide one is never cut in half.
//
// Life cycle: a zeroed Cells is empty; cells_resize (which also clears); draw; cells_finish.
#ifndef CELLS_H
#define CELLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "arena.h"
#include "error.h"

// The role of a piece of text. The terminal decides its look; marks in the text carry the meaning in plain
// text output.
typedef enum Role {
    ROLE_TEXT,
    ROLE_QUIET,   // placeholders, units, explanations
    ROLE_HEADING, // headings
    ROLE_TITLE,   // the bar on top
    ROLE_RULE,    // lines between panels
    ROLE_CURRENT, // the cursor
    ROLE_KEY,     // a key that can be pressed
    ROLE_ALARM,   // errors and warnings
    ROLE_CHANGED, // a number changed by the last edit; next to a mark
    ROLE_MARKED,  // a masked, dropped or padding number; next to a mark
    ROLE_COUNT
} Role;

enum { CELLS_COLUMNS_MAX = 1000, CELLS_ROWS_MAX = 1000 }; // of a screen

enum { CELL_TEXT_MAX = 24 }; // a character with its combining marks, NUL included

// Colours of a cell besides those of its role: 0 is the terminal's own, SHADE_SET | 0xRRGGBB a colour. They
// carry no information that is not also in the text, unless `colours` says they are visible.
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

// With fewer colours than this, panels draw characters instead of shades.
enum { CELLS_SHADES_FROM = 256 };

typedef struct Cells {
    int rows, columns;
    int colours;     // of the terminal; 0: characters only
    Cell *cells;     // row by row
    bool has_cursor; // for typing, at:
    int cursor_row, cursor_column;
    Arena arena;
} Cells;

// A rectangle to draw on; drawing is clipped to it. With `cells` NULL it is only measured.
typedef struct Area {
    int row, column, rows, columns;
    Cells *cells;
} Area;

// Returns false and sets err, with the size, without memory.
bool cells_resize(Cells *cells, int columns, int rows, Error *err);
void cells_clear(Cells *cells);
void cells_finish(Cells *cells);

const Cell *cells_at(const Cells *cells, int row, int column);

// All of the cells.
Area cells_area(Cells *cells);

// A measured area, on these cells.
Area area_on(Cells *cells, Area place);

// A part of an area; row and column are relative to it.
Area area_part(Area area, int row, int column, int rows, int columns);

// Cuts rows off its top or bottom, and returns them.
Area area_cut_top(Area *area, int rows);
Area area_cut_bottom(Area *area, int rows);

// Writes `text` at a row and column of the area and returns the columns used. Text that does not fit ends in
// an ellipsis. Control characters become U+FFFD. Outside the area nothing is drawn.
int cells_text(Area area, int row, int column, Role role, const char *text);

// The same, but draws nothing and returns 0 if the text does not fit whole.
int cells_text_whole(Area area, int row, int column, Role role, const char *text);

// The same, so that the text ends before column `end`.
int cells_text_right(Area area, int row, int end, Role role, const char *text);

// The same from a printf format, for texts below 512 bytes.
int cells_format(Area area, int row, int column, Role role, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// Breaks `text` at spaces into at most `rows` rows; all but the first start at `indent`. Returns the rows
// used.
int cells_paragraph(Area area, int row, int rows, int indent, Role role, const char *text);

// Bytes of the first line of `text`: as many words as fit. A word longer than a line is broken.
size_t cells_line_bytes(const char *text, int columns);

// The rows that cells_paragraph would use.
int cells_paragraph_rows(const char *text, int columns, int rows, int indent);

// Fills `columns` cells with a character of one column.
void cells_fill(Area area, int row, int column, int columns, Role role, const char *character);

// Sets the shade of `columns` cells and keeps their text.
void cells_shade(Area area, int row, int column, int columns, Shade shade);

// Stretches each of the first `rows` rows to `times` rows: copies the columns from `from` on, and puts those
// left of it into the middle copy.
void cells_stretch(Area area, int rows, int times, int from);

// Places the cursor; outside of the area it is hidden.
void cells_cursor(Area area, int row, int column);

// The end of the last cell of a row that is not blank.
int cells_row_end(const Cells *cells, int row);

// Prints the grid as lines without trailing spaces.
void cells_print(const Cells *cells, FILE *out);

// --- colours
//
// Maps 24-bit colours to those of the terminal.

// Colour numbers of a terminal; -1 is its own.
typedef struct ShadeNumbers {
    int front, back;
} ShadeNumbers;

// For a terminal with `colours` colours: with 2^24, the colour itself; from 256, the nearest of the colour
// cube and greys, which themes do not change; from 8, the nearest hue for a front, and nothing for a cell
// with a back, where text would be unreadable; below, nothing.
ShadeNumbers shade_numbers(Shade shade, int colours);

#endif
