// A picture as a list: rectangles, frames, texts, curves and maps of coloured cells, in the order
// they are painted. What a window, a PNG and a test share: no fonts, no pixels of a screen.
//
// Life cycle: a zeroed DisplayList is empty; display_list_clear ...; add; display_list_finish.
// When there is no memory for an item it is left out, and the list says so in `failure`.
#ifndef DISPLAY_LIST_H
#define DISPLAY_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "arena.h"
#include "colour.h"

typedef enum DisplayKind {
    DISPLAY_RECTANGLE,
    DISPLAY_FRAME, // the outline of a rectangle, `thickness` pixels inwards
    DISPLAY_TEXT,
    DISPLAY_CURVE, // from (x, y) to (x + width, y + height), leaving and arriving level
    DISPLAY_CELLS, // rows x columns cells of equal size filling the rectangle exactly
} DisplayKind;

typedef enum DisplayAnchor { DISPLAY_LEFT, DISPLAY_CENTRE, DISPLAY_RIGHT } DisplayAnchor;

// What a cell is besides its colour, drawn as a pattern that needs no colour to be seen.
typedef enum DisplayMark {
    DISPLAY_PLAIN,
    DISPLAY_MASKED,         // hatched downwards
    DISPLAY_PADDED,         // hatched upwards, twice as bold and half as often
    DISPLAY_NAN,            // hatched both ways
    DISPLAY_INFINITY,       // upright lines
    DISPLAY_MINUS_INFINITY, // level lines
    DISPLAY_NOT_YET,        // dotted
    DISPLAY_MARK_COUNT
} DisplayMark;

// A cell of DISPLAY_CELLS: its colour below, its mark in the top byte.
typedef uint32_t DisplayCell;

typedef struct DisplayItem {
    DisplayKind kind;
    int x, y, width, height; // pixels; text: (x, y) is the anchor, in the middle of the line
    Colour colour;           // cells: of the pattern of marks
    int alpha;               // 255 covers
    int thickness;           // frames in pixels, curves in 16ths of a pixel
    int size;                // text: pixels of an em; cells: the distance of pattern lines
    DisplayAnchor anchor;
    bool bold, upright; // text; upright is turned a quarter to the left, read from below
    bool fixed;         // text in a font whose letters are all equally wide
    int rows, columns;  // cells
    int gap;            // cells: pixels left free after each, right and below
    size_t at;          // where the text begins in `texts`, the cells in `cells`
} DisplayItem;

// Memory for `count` cells that keeps what it held, until it is asked for again; NULL: there is none.
typedef DisplayCell *DisplayLend(void *lender, size_t count);

typedef struct DisplayList {
    int width, height; // pixels
    Colour background;
    DisplayItem *items;
    size_t item_count, item_room;
    char *texts; // each ended by NUL
    size_t text_bytes, text_room;
    DisplayCell *cells;
    size_t cell_count, cell_room;
    unsigned long cells_version; // the drawer changes it with every other set of as many cells
    const void *cells_source;    // who drew the first ones; clearing the list leaves them in memory
    DisplayLend *lend;           // NULL: the cells lie in the list's own memory
    void *lender;
    bool failed;
    Error failure;
    Arena arena;
} DisplayList;

// How wide letters are, for the layout, in ems: of any font that is close to the one that draws.
typedef struct FontMetrics {
    float ascii[95]; // ' ' to '~'
    float wide;      // Korean and the like
    float other;
} FontMetrics;

// Metrics for when there is no font to ask.
extern const FontMetrics font_metrics_usual;

// Pixels that `text` takes at `size` pixels an em.
int font_width(const FontMetrics *metrics, const char *text, int size);

// Empties the list and keeps its memory.
void display_list_clear(DisplayList *list, int width, int height, Colour background);

void display_add(DisplayList *list, DisplayItem item);
void display_rectangle(DisplayList *list, int x, int y, int width, int height, Colour colour);

// `item` gives place, size, colour, anchor; the text is copied.
void display_text(DisplayList *list, DisplayItem item, const char *text);

// Room for `count` cells, at the beginning of a list that has none yet, to be filled by the caller;
// what was there in the last list is there again, unless it was moved, and then cells_source is
// NULL. NULL when there is no memory.
DisplayCell *display_cells_first(DisplayList *list, size_t count);

// Shows the rows x columns cells that begin at item.at.
void display_cells_at(DisplayList *list, DisplayItem item);

// Room for rows x columns cells, to be filled by the caller before the next call; NULL when
// there is no memory.
DisplayCell *display_cells(DisplayList *list, DisplayItem item);

static inline DisplayCell display_cell(Colour colour, DisplayMark mark)
{
    return colour | (DisplayCell)mark << 24;
}

// Everything of another list, moved to the right and down.
void display_list_add(DisplayList *list, const DisplayList *from, int x, int y);

// The colour in which the pattern of marks is seen on a cell of that colour: `hatch` where it stands
// out, else dark on bright and bright on dark.
Colour display_hatch(Colour hatch, Colour cell);

// One line an item; cells as rows of colours and marks when there are at most `most` of them.
void display_list_print(const DisplayList *list, size_t most, FILE *out);

void display_list_finish(DisplayList *list);

#endif
