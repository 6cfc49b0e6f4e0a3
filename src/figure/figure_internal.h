// What the files of figure share with each other and with nobody else.
#ifndef FIGURE_INTERNAL_H
#define FIGURE_INTERNAL_H

#include "figure.h"
#include "figure_data.h"
#include "kernel.h"

typedef struct FigureBox {
    int x, y, width, height;
} FigureBox;

// Everything that drawing needs, so that functions need not pass it one by one.
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
    int small, text, title;                 // sizes of letters, pixels
    int label;                              // size of the words at rows and columns
    int row_labels, column_labels, heading; // room left of, and above, a map
    int axis;                               // of the first, for what rows are; 0: nobody says it
    int row_sums, numbers;                  // room right of a map, of lines; 0: none
    bool words;                             // every row and column has its label
    bool upright;                           // those of columns are turned
    int inputs;           // of an origin's marked term: those that can be gone into
    bool words_above_all; // columns are labelled above every map, not only above the first row
} FigurePen;

// A pen for an empty list of the paper's size, and a figure without maps.
void figure_pen_open(FigurePen *pen, const FigureRequest *request, const FigurePaper *paper,
                     Figure *figure);

// Pixels of `points`.
int figure_points(const FigurePen *pen, double points);

// The same where letters are as large as usual, however much larger they are drawn: what is still legible.
int figure_usual_points(const FigurePen *pen, double points);

// Text in one line, cut with an ellipsis to `room` pixels (0: not cut).
void figure_text(const FigurePen *pen, DisplayItem item, int room, const char *text);

// The name of a map in `room` pixels: its number alone where "head 39", the widest of all names,
// has no room. Returns how wide the widest is.
int figure_name(const FigurePen *pen, DisplayItem item, int room, ptrdiff_t head);

// --- figure_cache.c, figure_cache.c, figure_cache.c, figure_data.c: numbers of maps, pooled and coloured

// Works out what the maps of figure->maps show: the first cells of the list, and all ranges.
bool figure_cache_fill(FigurePen *pen, Error *err);

// The cells of the list are not maps of the cache this time: they are not to be taken for earlier ones,
// nor the next maps for these.
void figure_other_cells(FigureCache *cache, DisplayList *list);

// Memory for `count` maps that lives as long as the cache.
FigureMap *figure_cache_maps(FigureCache *cache, ptrdiff_t count, Error *err);

// The ends of the colour scale of a map.
PoolRange figure_range(const FigurePen *pen, const FigureMap *map);

// Weights: a scale from 0 to a round number. Other numbers keep their ends.
float figure_round_end(const FigurePen *pen, float end);
PoolRange figure_round_range(const FigurePen *pen, PoolRange range);

// Whether one scale goes over all maps.
bool figure_scale_is_of_all(const FigurePen *pen);

// The same range; around zero, for colours that have a middle.
PoolRange figure_signed_range(const FigurePen *pen, PoolRange range);

// Lowest and highest finite number of some rows, as the ends of a scale of their own.
PoolRange figure_rows_range(const FigurePen *pen, ptrdiff_t head, ptrdiff_t row, ptrdiff_t rows);

// --- figure_cache.c: weights beside an even share

// Whether colours go by weight times keys; then, the ends of the numbers of a row of blocks that
// begins at `row`.
bool figure_scale_is_even(const FigurePen *pen);

// The colours of a scale with these ends. Where it is of weight times keys, an even share, 1, has the
// middle one, so that what gets more and what gets less are seen however large the largest is.
void figure_colours(const FigurePen *pen, ColourMap map, bool even, PoolRange range,
                    Colour table[COLOUR_LEVELS]);

// How many keys a query may look at; head -1: the mean's.
ptrdiff_t figure_visible(const FigurePen *pen, ptrdiff_t head, ptrdiff_t row);

// Whether any cell of the maps has this mark.
bool figure_mark_occurs(const FigurePen *pen, DisplayMark mark);

// A cell with this mark: `colour` is its number's, where that is shown.
DisplayCell figure_marked_cell(const FigureTheme *theme, MatrixMark mark, float number,
                               Colour colour);

// Shows the cells of a map.
void figure_cells(const FigurePen *pen, int map);

// The mean over rows that are no padding of the entropy of each row, and of the most that it could be,
// in bits; false when it is not worked out yet (figure->unfinished), or when there is none (a row of
// NaN or one that does not sum to 1, padding alone).
bool figure_entropy(const FigurePen *pen, int map, double *entropy, double *bound);

// How many rows of a map that another model has computed do not sum to 1, as far as that is known.
ptrdiff_t figure_odd_rows(const FigurePen *pen, int map);

// --- figure_layout.c: where the maps go

// Pixels that the widest of `count` labels takes in small letters, at most `most`.
int figure_label_width(const FigurePen *pen, ptrdiff_t count,
                       const char *(*label)(const FigureData *, ptrdiff_t, ptrdiff_t, char[64]),
                       int most);

bool figure_layout(FigurePen *pen, Error *err);

// --- figure_frame.c: the row of numbers from which heads are picked

// Takes its place, where there is to be one, from the top of the area.
void figure_layout_strip(FigurePen *pen, FigureBox *area);
void figure_draw_strip(const FigurePen *pen, FigureBox area);

// --- figure_pen.c: what a window offers to the mouse

typedef enum FigureBar { FIGURE_BAR_MODES, FIGURE_BAR_MAPS, FIGURE_BAR_ORIGIN } FigureBar;

// The ways of drawing, at the right end of the box, where it has room for them; returns how wide they are.
int figure_draw_modes(const FigurePen *pen, FigureBox box);

// As many buttons as fit into one line. FIGURE_BAR_MAPS or FIGURE_BAR_ORIGIN.
void figure_draw_bar_of_buttons(const FigurePen *pen, FigureBar bar, FigureBox box);

// What the mode under the pointer does; NULL: there is none.
const char *figure_button_hint(const FigurePen *pen);

// --- figure_map.c, figure_scale.c: a map with its labels; words joined by lines

void figure_draw_map(const FigurePen *pen, int map);
bool figure_shows_pale_rows(const FigurePen *pen); // in which nobody asked for what the head does

// What the rows of a map are, beside their words; with `columns` also what those are, in the corner.
void figure_draw_axes(const FigurePen *pen, int map, bool columns);

// "keys →", for that corner.
const char *figure_columns_are(const FigurePen *pen, char text[64]);
void figure_layout_lines(FigurePen *pen);
void figure_draw_lines(const FigurePen *pen, int map);

// Lines weaker than this many hundredths of the scale are left out.
enum { FIGURE_LINE_LEAST = 1 };

// A frame that is seen on any colour: dark between light, so that it covers no number beside it.
void figure_double_frame(const FigurePen *pen, FigureBox box, Colour colour);

// --- figure_pen.c: numbers in cells

// -1 decimals: one, and a power of ten.
void figure_number_text(char text[32], float number, int decimals);

// Whether the ends of a range fit into `room` pixels.
bool figure_number_fits(const FigurePen *pen, PoolRange range, int decimals, int size, int room);

// The smallest letters of a number that is still read, and what stays free of a cell's width. Where letters
// are larger than usual, numbers may stay small rather than vanish.
int figure_number_least(const FigurePen *pen);
int figure_number_margin(const FigurePen *pen);

// A number in the middle of a cell, in the size and colour of `item`; where the cell has a pattern, on plain
// ground of the cell's colour, as digits cannot be read on lines.
void figure_draw_number(const FigurePen *pen, FigureBox box, DisplayCell cell, DisplayItem item,
                        const char *text);

// Black on light cells, white on dark ones.
Colour figure_ink_on(Colour cell);

// --- figure_scale.c, figure_frame.c: what is around the maps

void figure_draw_scale(const FigurePen *pen, FigureBox box);

// A bar of colours with the numbers of a range beside it.
void figure_draw_bar(const FigurePen *pen, FigureBox box, ColourMap map, PoolRange range);

// A sample with its word for each mark whose bit is set, from there downwards.
void figure_draw_legend(const FigurePen *pen, unsigned marks, int x, int y);

// The same side by side.
void figure_draw_legend_line(const FigurePen *pen, unsigned marks, int x, int y);

// What is coloured: "weight", "score", or the tensor's name.
const char *figure_quantity(const FigurePen *pen);

// Returns where the middle of its last line is.
int figure_draw_header(const FigurePen *pen, FigureBox box);

// Whose numbers these are, as a line whose middle is at y: "changed: ...", the scenario and its document,
// weights that are untrained or of a file of the person's.
void figure_draw_source(const FigurePen *pen, const Trace *trace, int y);

// A title is one line, whatever was typed.
void figure_make_one_line(char *text);
void figure_draw_bottom(const FigurePen *pen, FigureBox box);

// --- figure_frame.c: what is known of the cell that is looked at

// Pixels that it takes below maps `width` wide. Only the size of the picture decides, so that maps
// stay where they are whatever cell is looked at.
int figure_read_out_height(const FigurePen *pen, int width);
void figure_draw_read_out(const FigurePen *pen, FigureBox box);

// --- figure_pen.c: the page of keys, over everything

void figure_draw_help(const FigurePen *pen);

// --- the cache
//
// What a figure need not work out again; shared by figure_cache.c, figure_cache.c,
// figure_cache.c, figure_cache.c and figure_cache.c.

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

// What is known of a whole head: its range and its largest share, once they have been asked for, and
// the entropies of its first rows, added without those of padding.
typedef struct CacheHead {
    bool known, share_known;
    PoolRange range;
    float share;
    ptrdiff_t entropy_rows, entropy_count, odd_rows; // the last: that do not sum to 1
    double entropy_sum, bound_sum;                   // NaN where a row has NaN
} CacheHead;

typedef struct CacheSize {
    void *memory;
    size_t bytes;
} CacheSize;

struct FigureCache {
    CacheKey key;
    bool filled;
    PoolRange all;   // of all heads of the sequence
    float even;      // the largest weight times keys of those heads, where colours go by that
    CacheSize heads; // CacheHead for every head of the sequence, and for the mean
    CacheSize maps, blocks, plane, scratch;
    CacheSize ranges;  // PoolRange of every map
    CacheSize pieces;  // CachePiece
    CacheSize visible; // of how many heads, an int for every row: keys that it may look at
    ptrdiff_t visible_heads;
    ptrdiff_t piece_count;
    ptrdiff_t down, across;      // blocks of one map
    Colour table[COLOUR_LEVELS]; // the colours of the maps
    unsigned long cells_version; // of the cells that are made of these blocks, in these colours
    Team team;
    Arena arena;
};

// So many rows of a map's blocks are worked on together.
typedef struct CachePiece {
    int map;
    ptrdiff_t first, rows; // of blocks
    PoolRange range;       // of the numbers
    float share;           // the largest weight times keys, where colours go by that
    unsigned marks;        // bit m: some cell has mark m
} CachePiece;

// --- figure_cache.c

// The largest weight times keys among the blocks of a piece, and of a whole head.

#endif
