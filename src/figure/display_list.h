// A picture as a list of items in painting order: rectangles, frames, texts, curves and maps of coloured cells.
// Windows, files and tests share it; it knows neither fonts nor a screen.
//
// Life cycle: zeroed; display_list_clear, then add items, for each picture; display_list_finish. Without memory
// an item is left out, and `failure` says so.
#ifndef DISPLAY_LIST_H
#define DISPLAY_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arena.h"

// --- colours for numbers
//
// The lightness of the sequential maps rises evenly, so that they read the same in grey and with colour
// blindness. The diverging one is for numbers of both signs.

typedef uint32_t Colour; // 0x00RRGGBB

typedef enum ColourMap {
    COLOUR_VIRIDIS,
    COLOUR_CIVIDIS,
    COLOUR_MAGMA,
    COLOUR_DIVERGING, // blue, white, red
    COLOUR_MAP_COUNT,
    COLOUR_DIVERGING_DARK = COLOUR_MAP_COUNT // blue, dark paper, red; has no name
} ColourMap;

// The map to draw with; on dark paper, a white middle would glow.
ColourMap colour_map_on(ColourMap map, bool is_dark);

// The names that a user types; ends with NULL.
extern const char *const colour_map_names[COLOUR_MAP_COUNT + 1];

enum { COLOUR_LEVELS = 256 };

// The colours of a map, lowest number first.
void colour_table(ColourMap map, Colour table[COLOUR_LEVELS]);

// The same colours with the middle one moved to the share `middle` (above 0, at most 1) of the range; both
// sides stay even. At 0.5 it is colour_table.
void colour_table_around(ColourMap map, double middle, Colour table[COLOUR_LEVELS]);

// The level, 0 to 255, of a finite number between `low` and `high`, rounded to the nearest; the middle if
// these are equal.
int colour_level(float number, float low, float high);

// Sets out[i] to table[colour_level(numbers[i], low, high)]. Returns false if a number is not finite; its
// colour is then meaningless.
bool colour_numbers(const Colour table[COLOUR_LEVELS], const float *numbers, ptrdiff_t count,
                    float low, float high, Colour *out);

// Mixes a and b; `share` 0 is a, 1 is b.
Colour colour_mix(Colour a, Colour b, double share);

// The same for 8-bit shares, rounded to the nearest. Computes red and blue at once, each in 16 bits:
// x / 255 is (x + 1 + x / 256) / 256 for every x up to 255 x 255 + 127.
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
    DISPLAY_CURVE, // from (x, y) to (x + width, y + height), horizontal at both ends
    DISPLAY_CELLS, // rows x columns cells of equal size filling the rectangle exactly
} DisplayKind;

typedef enum DisplayAnchor { DISPLAY_LEFT, DISPLAY_CENTRE, DISPLAY_RIGHT } DisplayAnchor;

// A property of a cell besides its colour, drawn as a pattern.
typedef enum DisplayMark {
    DISPLAY_PLAIN,
    DISPLAY_MASKED,         // hatched downwards
    DISPLAY_PADDED,         // hatched upwards, twice as bold, half as dense
    DISPLAY_NAN,            // hatched both ways
    DISPLAY_INFINITY,       // vertical lines
    DISPLAY_MINUS_INFINITY, // horizontal lines
    DISPLAY_NOT_YET,        // dotted
    DISPLAY_MARK_COUNT
} DisplayMark;

// A cell of DISPLAY_CELLS: the colour, with the mark in the top byte.
typedef uint32_t DisplayCell;

typedef struct DisplayItem {
    DisplayKind kind;
    int x, y, width, height; // pixels; text: (x, y) is the anchor, halfway up the line
    Colour colour;           // cells: of the patterns
    int alpha;               // 255: opaque
    int thickness;           // frames in pixels, curves in 16ths of a pixel
    int size;                // text: pixels per em; cells: distance of pattern lines
    DisplayAnchor anchor;
    bool bold, upright; // text; upright: rotated to the left, read from below
    bool fixed;         // text in a monospaced font
    int rows, columns;  // cells
    int gap;            // cells: pixels left free right of and below each
    size_t at;          // where the text begins in `texts`, the cells in `cells`
} DisplayItem;

// Memory for `count` cells, valid until the next call, with its previous contents; NULL without memory.
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
    unsigned long cells_version; // the drawer changes it with the cells
    const void *cells_source;    // who drew the first cells; clearing the list keeps them
    DisplayLend *lend;           // NULL: cells are in the list's own memory
    void *lender;
    bool failed;
    Error failure;
    Arena arena;
} DisplayList;

// Widths of letters in ems, for the layout, of a font close to the one that draws.
typedef struct FontMetrics {
    float ascii[95]; // ' ' to '~'
    float wide;      // East Asian wide characters
    float other;
} FontMetrics;

// For use without a font.
extern const FontMetrics font_metrics_usual;

// The width of `text` in pixels, at `size` pixels per em.
int font_width(const FontMetrics *metrics, const char *text, int size);

// Empties the list and keeps its memory.
void display_list_clear(DisplayList *list, int width, int height, Colour background);

void display_add(DisplayList *list, DisplayItem item);
void display_rectangle(DisplayList *list, int x, int y, int width, int height, Colour colour);

// `item` has place, size, colour and anchor; the text is copied.
void display_text(DisplayList *list, DisplayItem item, const char *text);

// The first `count` cells of a list that has none yet, for the caller to fill. They still hold the previous
// list's cells, unless memory moved: then cells_source is NULL. NULL without memory.
DisplayCell *display_cells_first(DisplayList *list, size_t count);

// Shows the rows x columns cells that begin at item.at.
void display_cells_at(DisplayList *list, DisplayItem item);

// rows x columns new cells, for the caller to fill before the next call; NULL without memory.
DisplayCell *display_cells(DisplayList *list, DisplayItem item);

static inline DisplayCell display_cell(Colour colour, DisplayMark mark)
{
    return colour | (DisplayCell)mark << 24;
}

// Adds all items of another list, moved by (x, y).
void display_list_add(DisplayList *list, const DisplayList *from, int x, int y);

// The colour of patterns on a cell: `hatch` if it has enough contrast, else dark on light and light on dark.
Colour display_hatch(Colour hatch, Colour cell);

void display_list_finish(DisplayList *list);

#endif
