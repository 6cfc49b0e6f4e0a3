// A picture as a list: rectangles, frames, texts, curves and maps of coloured cells, in the order
// they are painted. What a window, a PNG and a test share: no fonts, no pixels of a screen.
//
// Life cycle: a zeroed DisplayList is empty; display_list_clear ...; add; display_list_finish.
// When there is no memory for an item it is left out, and the list says so in `failure`.
#ifndef DISPLAY_LIST_H
#define DISPLAY_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arena.h"

// --- colours for numbers
//
// Colours for numbers: maps whose lightness rises evenly, so that they read the same in grey and
// with any kind of colour blindness, and a diverging one for numbers of both signs.

typedef uint32_t Colour; // 0x00RRGGBB

typedef enum ColourMap {
    COLOUR_VIRIDIS,
    COLOUR_CIVIDIS,
    COLOUR_MAGMA,
    COLOUR_DIVERGING, // blue, white, red
    COLOUR_MAP_COUNT,
    COLOUR_DIVERGING_DARK =
        COLOUR_MAP_COUNT // blue, the ground of a dark page, red: nobody names it
} ColourMap;

// The map in whose colours a map is drawn on a dark page: there, white in the middle would glow.
ColourMap colour_map_on(ColourMap map, bool is_dark);

// The names, as a person types them; ends with NULL.
extern const char *const colour_map_names[COLOUR_MAP_COUNT + 1];

enum { COLOUR_LEVELS = 256 };

// The colours of a map, lowest number first.
void colour_table(ColourMap map, Colour table[COLOUR_LEVELS]);

// The same colours, the middle one of which stands at `middle` (above 0, at most 1) of the way from the
// lowest number to the highest; they go on evenly below it and above it. At 0.5 it is colour_table.
void colour_table_around(ColourMap map, double middle, Colour table[COLOUR_LEVELS]);

// Where a finite number stands between `low` and `high`: 0 to 255, rounded to the nearest. The
// middle when low and high are equal.
int colour_level(float number, float low, float high);

// The colours of many numbers at once: out[i] is table[colour_level(numbers[i], low, high)]. False
// when some of them are not finite; their colours mean nothing.
bool colour_numbers(const Colour table[COLOUR_LEVELS], const float *numbers, ptrdiff_t count,
                    float low, float high, Colour *out);

// The part `share` (0 to 1) of the way from a to b.
Colour colour_mix(Colour a, Colour b, double share);

// The same for 8-bit shares, 0 is a and 255 is b, rounded to the nearest. Red and blue are worked on at
// once, each in 16 bits: x / 255 is (x + 1 + x / 256) / 256 for every x up to 255 x 255 + 127.
static inline Colour colour_blend(Colour a, Colour b, unsigned share)
{
    uint32_t ends = (a & 0xff00ff) * (255 - share) + (b & 0xff00ff) * share + 0x7f007f;
    uint32_t green = (a >> 8 & 0xff) * (255 - share) + (b >> 8 & 0xff) * share + 0x7f;
    ends = (ends + 0x10001 + (ends >> 8 & 0xff00ff)) >> 8 & 0xff00ff;
    return ends | ((green + 1 + (green >> 8)) & 0xff00);
}

// Relative luminance of an sRGB colour, 0 (black) to 1 (white). Source: WCAG 2.1.
double colour_luminance(Colour colour);

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

void display_list_finish(DisplayList *list);

#endif
