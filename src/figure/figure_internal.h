// Shared by the files of this folder only.
#ifndef FIGURE_INTERNAL_H
#define FIGURE_INTERNAL_H

#include "figure.h"
#include "figure_data.h"
#include "kernel.h"

typedef struct FigureBox {
    int x, y, width, height;
} FigureBox;

// What drawing functions share.
typedef struct FigurePen {
    const FigureRequest *request;
    const FontMetrics *metrics;
    FigureCache *cache;
    DisplayList *list;
    Figure *figure;
    FigureData data;
    FigureTheme theme;
    double scale, letters;
    FigureBox area;                         // for the maps with their labels
    int small, text, title;                 // font sizes, pixels
    int label;                              // font size of row and column labels
    int row_labels, column_labels, heading; // space left of a map, and above it
    int axis;                               // part of row_labels for the axis name; 0: none
    int row_sums, numbers;                  // space right of a map, of lines; 0: none
    bool words;                             // every row and column has a label
    bool upright;                           // column labels are rotated
    int inputs;           // of an origin's marked term: inputs that can be entered
    bool words_above_all; // columns are labelled above every map, not only above the first row
} FigurePen;

// Starts an empty list of the paper's size and a figure without maps. Enlarged letters get at most the scale
// `most`; 0: as much as leaves room for maps.
void figure_pen_open(FigurePen *pen, const FigureRequest *request, const FigurePaper *paper,
                     double most, Figure *figure);

// Draws the page of keys, if wanted. Returns false and sets err if the list has failed.
bool figure_pen_close(const FigurePen *pen, Error *err);

// Converts points to pixels.
int figure_points(const FigurePen *pen, double points);

// The same without the font scale, for minimal legible sizes.
int figure_usual_points(const FigurePen *pen, double points);

// Draws one line of text, cut with an ellipsis to `room` pixels (0: not cut).
void figure_text(const FigurePen *pen, DisplayItem item, int room, const char *text);

// Draws the name of a map in `room` pixels, or only its number if the widest name ("head 39") does not fit.
// Returns the width of the widest.
int figure_name(const FigurePen *pen, DisplayItem item, int room, ptrdiff_t head);

// --- figure_cache.c, figure_data.c: numbers of maps, pooled and coloured

// Computes what the maps of figure->maps show: the first cells of the list, and all ranges.
bool figure_cache_fill(FigurePen *pen, Error *err);

// Marks the cells of the list as not from the cache, so that neither is taken for the other.
void figure_other_cells(FigureCache *cache, DisplayList *list);

// Allocates `count` maps; the cache owns them.
FigureMap *figure_cache_maps(FigureCache *cache, ptrdiff_t count, Error *err);

// The range of a map's colour scale.
PoolRange figure_range(const FigurePen *pen, const FigureMap *map);

// Rounds the range of weights: 0 to a round number. Other numbers keep theirs.
float figure_round_end(const FigurePen *pen, float end);
PoolRange figure_round_range(const FigurePen *pen, PoolRange range);

// True if all maps share a scale.
bool figure_scale_is_of_all(const FigurePen *pen);

// The range, symmetric around zero for colours with a middle.
PoolRange figure_signed_range(const FigurePen *pen, PoolRange range);

// The range of some rows, for a scale of their own.
PoolRange figure_rows_range(const FigurePen *pen, ptrdiff_t head, ptrdiff_t row, ptrdiff_t rows);

// --- figure_cache.c: weights beside an even share

// True if colours show weight times keys.
bool figure_scale_is_even(const FigurePen *pen);

// The colours of a scale. With weight times keys, an even share, 1, gets the middle colour, so that more and
// less are visible however large the maximum is.
void figure_colours(const FigurePen *pen, ColourMap map, bool even, PoolRange range,
                    Colour table[COLOUR_LEVELS]);

// Counts the keys a query can see; head -1: of the mean.
ptrdiff_t figure_visible(const FigurePen *pen, ptrdiff_t head, ptrdiff_t row);

// True if some cell of the maps has this mark.
bool figure_mark_occurs(const FigurePen *pen, DisplayMark mark);

// A cell with this mark; `colour` is used if its number is shown.
DisplayCell figure_marked_cell(const FigureTheme *theme, MatrixMark mark, float number,
                               Colour colour);

// The cells of a map as an item, for cells that follow those of the maps before it.
DisplayItem figure_cells_item(const FigurePen *pen, int map);

// The mean entropy of rows without padding, and its upper bound, in bits. Returns false if not computed yet
// (figure->unfinished), or if there is none (NaN, a row that does not sum to 1, only padding).
bool figure_entropy(const FigurePen *pen, int map, double *entropy, double *bound);

// Counts the rows of another model's map that do not sum to 1, as far as known.
ptrdiff_t figure_odd_rows(const FigurePen *pen, int map);

// --- figure.c: layout

// The width of the widest of `count` labels in the small font, at most `most` pixels.
int figure_label_width(const FigurePen *pen, ptrdiff_t count,
                       const char *(*label)(const FigureData *, ptrdiff_t, ptrdiff_t, char[64]),
                       int most);

// Lists the maps shown: `each` for every head. Returns false and sets err without memory.
bool figure_list_maps(const FigurePen *pen, int each, Error *err);

// --- figure_frame.c: the strip of head numbers

// Takes its place, if any, from the top of the area.
void figure_layout_strip(FigurePen *pen, FigureBox *area);
void figure_draw_strip(const FigurePen *pen, FigureBox area);

// --- figure_pen.c: buttons of a window

typedef enum FigureBar { FIGURE_BAR_MODES, FIGURE_BAR_MAPS, FIGURE_BAR_ORIGIN } FigureBar;

// Draws the mode buttons at the right end of the box, if they fit; returns their width.
int figure_draw_modes(const FigurePen *pen, FigureBox box);

// Draws as many buttons as fit in one line, of FIGURE_BAR_MAPS or FIGURE_BAR_ORIGIN.
void figure_draw_bar_of_buttons(const FigurePen *pen, FigureBar bar, FigureBox box);

// What the button under the pointer does; NULL: none.
const char *figure_button_hint(const FigurePen *pen);

// --- figure_map.c, figure_scale.c: a map with its labels; words joined by lines

void figure_draw_map(const FigurePen *pen, int map);

// The pixels of a range of cells.
FigureBox figure_cells_box(const FigurePen *pen, int map, ptrdiff_t row, ptrdiff_t rows,
                           ptrdiff_t column, ptrdiff_t columns);

// True if column labels stand above this map.
bool figure_has_words_above(const FigurePen *pen, int map);
bool figure_shows_pale_rows(const FigurePen *pen); // rows without a job for the head

// Draws the name of the row axis next to the labels; with `columns`, that of the columns in the corner.
void figure_draw_axes(const FigurePen *pen, int map, bool columns);

// "keys →", for that corner.
const char *figure_columns_are(const FigurePen *pen, char text[64]);
void figure_layout_lines(FigurePen *pen);
void figure_draw_lines(const FigurePen *pen, int map);

// Lines weaker than this many hundredths of the scale are left out.
enum { FIGURE_LINE_LEAST = 1 };

// An outline around the box, `grow` pixels outside it, `thickness` pixels inwards.
void figure_frame(const FigurePen *pen, FigureBox box, int grow, int thickness, Colour colour);

// A frame visible on any colour: dark between light. Covers no number next to it.
void figure_double_frame(const FigurePen *pen, FigureBox box, Colour colour);

// --- figure_pen.c: numbers in cells

// -1 decimals: one, and a power of ten.
void figure_number_text(char text[32], float number, int decimals);

// True if both ends of the range fit in `room` pixels.
bool figure_number_fits(const FigurePen *pen, PoolRange range, int decimals, int size, int room);

// The smallest legible number. With a large font scale, numbers stay small rather than vanish.
int figure_number_least(const FigurePen *pen);

// Draws a number in the middle of a cell, in the size and colour of `item`, on a plain background if the cell
// has a pattern.
void figure_draw_number(const FigurePen *pen, FigureBox box, DisplayCell cell, DisplayItem item,
                        const char *text);

// Black on light cells, white on dark ones.
Colour figure_ink_on(Colour cell);

// --- figure_scale.c, figure_frame.c: around the maps

void figure_draw_scale(const FigurePen *pen, FigureBox box);

// Draws a bar of colours with the numbers of the range.
void figure_draw_bar(const FigurePen *pen, FigureBox box, ColourMap map, PoolRange range);

// Draws a sample with its word for each mark whose bit is set, downwards.
void figure_draw_legend(const FigurePen *pen, unsigned marks, int x, int y);

// The same side by side.
void figure_draw_legend_line(const FigurePen *pen, unsigned marks, int x, int y);

// What colours show: "weight", "score", or the tensor's name.
const char *figure_quantity(const FigurePen *pen);

// Returns the y of the middle of its last line.
int figure_draw_header(const FigurePen *pen, FigureBox box);

// Draws a line with its middle at y about the numbers: "changed: ...", scenario, document, and whether
// weights are untrained or from the user's file.
void figure_draw_source(const FigurePen *pen, const Trace *trace, int y);

// Replaces line breaks and tabs by blanks.
void figure_make_one_line(char *text);
void figure_draw_bottom(const FigurePen *pen, FigureBox box);

// --- figure_frame.c: the read-out of a cell

// Its height below maps `width` pixels wide. Depends on the size of the picture only, so that maps keep
// their place whatever the cell.
int figure_read_out_height(const FigurePen *pen, int width);
void figure_draw_read_out(const FigurePen *pen, FigureBox box);

// --- figure_pen.c: the page of keys, over everything

void figure_draw_help(const FigurePen *pen);

// --- the cache

// What the cached numbers depend on.
typedef struct CacheKey {
    struct {
        const Trace *trace;
        unsigned long version;
        ptrdiff_t tensor, batch;
    } numbers;
    struct {
        ptrdiff_t first_head, count, mean;
        FigureHeads picked;
    } heads;
    ptrdiff_t first_row, first_column, rows, columns, block_rows, block_columns;
    ptrdiff_t scale;
    PoolRange ends;
    struct {
        ptrdiff_t map, dark, computed;
    } colours;
} CacheKey;

// Facts about a whole head: its range and largest share, once asked for, and the summed entropies of its
// first rows, padding excluded.
typedef struct CacheHead {
    bool known, share_known;
    PoolRange range;
    float share;
    ptrdiff_t entropy_rows, entropy_count, odd_rows; // odd: do not sum to 1
    double entropy_sum, bound_sum;                   // NaN if a row has NaN
} CacheHead;

typedef struct CacheSize {
    void *memory;
    size_t bytes;
} CacheSize;

struct FigureCache {
    CacheKey key;
    bool filled;
    PoolRange all;   // of all heads of the sequence
    float even;      // the largest weight times keys of those heads, if colours show that
    CacheSize heads; // CacheHead per head of the sequence, then of the mean
    CacheSize maps, blocks, plane, scratch;
    CacheSize ranges;  // PoolRange per map
    CacheSize pieces;  // CachePiece
    CacheSize visible; // per head, an int per row: its visible keys
    ptrdiff_t visible_heads;
    ptrdiff_t piece_count;
    ptrdiff_t down, across;      // blocks of one map
    Colour table[COLOUR_LEVELS]; // the colours of the maps
    unsigned long cells_version; // of the cells made from these blocks in these colours
    Team team;
    Arena arena;
};

// Some rows of a map's blocks, one unit of work.
typedef struct CachePiece {
    int map;
    ptrdiff_t first, rows; // of blocks
    PoolRange range;       // of the numbers
    float share;           // the largest weight times keys, if colours show that
    unsigned marks;        // bit m: some cell has mark m
} CachePiece;

#endif
