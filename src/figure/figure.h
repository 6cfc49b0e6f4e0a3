// Draws a tensor of a trace: a map of coloured cells per head, with labels, numbers, a scale and details of
// the cell under the pointer. A pure function from a trace, a request, a size and font metrics to a display
// list; it keeps nothing but a cache.
//
// A map's rows and columns are the last two axes of the tensor. Axis H gives one map each; axis B is shown one
// sequence at a time. A cell is a whole number of pixels. If there are more cells than pixels, a pixel shows
// the largest number of a block of cells (NaN if there is one).
#ifndef FIGURE_H
#define FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "display_list.h"
#include "error.h"
#include "tensor.h"
#include "trace.h"

// --- blocks
//
// Reduces a matrix to blocks by their largest number, and finds its range, in one pass.

// Range of the finite numbers; low > high if there are none.
typedef struct PoolRange {
    float low, high;
} PoolRange;

extern const PoolRange pool_nothing;

PoolRange pool_join(PoolRange a, PoolRange b);

// `matrix` is float32 [rows, columns]. Sets out[r, c], row by row, to the largest number of the block of
// block_rows x block_columns at [r * block_rows, c * block_columns] (cut at the edges), or NaN if the block
// has one, like torch.max. Returns the range of the matrix. `scratch` holds `columns` numbers.
PoolRange pool_blocks(const Tensor *matrix, ptrdiff_t block_rows, ptrdiff_t block_columns,
                      float *out, float *scratch);

// The range only; `scratch` holds one number more than there are columns.
PoolRange pool_range(const Tensor *matrix, float *scratch);

// The number of blocks of `block` elements that cover `count`.
static inline ptrdiff_t pool_count(ptrdiff_t count, ptrdiff_t block)
{
    return (count + block - 1) / block;
}

// --- a matrix
//
// Shared by the terminal, pictures and comparisons.

// The rows of matrix_marks.def, lowest first. Padded, dropped, masked and plain are flags: they do not follow
// from the number.
typedef enum MatrixMark {
#define MARK(NAME, ...) MATRIX_##NAME,
#include "matrix_marks.def"
#undef MARK
    MATRIX_MARKS
} MatrixMark;

// The mark of a cell or block with this flag and number. NaN wins over a flag, a flag over infinity.
MatrixMark matrix_mark(MatrixMark flag, float number);

// True if the number is shown as well: it is finite, and not a 0 made by masking or dropout.
bool matrix_has_number(MatrixMark mark, float number);

// A block of cells shows its largest number (of differences, the farthest from 0), or NaN; and its lowest
// flag, so that one plain cell makes the block plain. A zeroed block is empty.
typedef struct MatrixBlock {
    bool has_cell, farthest;
    float number;
    MatrixMark flag;
} MatrixBlock;

void matrix_add(MatrixBlock *block, float number, MatrixMark flag);

// The character of a mark, its word in the terminal, and its pattern in pictures; "" and DISPLAY_PLAIN: none.
const char *matrix_mark_character(MatrixMark mark);
const char *matrix_mark_word(MatrixMark mark);
DisplayMark matrix_mark_drawn(MatrixMark mark);

// The legend of a pattern.
const char *matrix_drawn_word(DisplayMark drawn);

// Extends the range by a number, if it is finite.
PoolRange matrix_widen(PoolRange range, float number);

// Makes the range symmetric around 0; an empty range stays empty.
PoolRange matrix_around_zero(PoolRange range);

// Rounds the end of a scale of weights: 1 from a half on, so that pictures can be compared; smaller ends stay
// smaller, or all weights would look alike.
float matrix_round_end(float end);

// --- colours
//
// Colours of everything but the numbers.
typedef struct FigureTheme {
    Colour paper, ink, quiet, faint; // background, text, secondary text, lines
    Colour accent;                   // locked, current
    Colour empty, hatch;             // cells without a number, and patterns on them
    Colour alarm, alarm_paper;       // NaN
    Colour line;                     // the lines view
} FigureTheme;

// The light or dark theme.
const FigureTheme *figure_theme(bool is_dark);

// --- heads
//
// A set of heads to show together, and its text "1,3".

enum { FIGURE_HEADS_MAX = 1024, FIGURE_HEADS_WORDS = FIGURE_HEADS_MAX / 64 }; // never higher

// All zero: none picked, so all are shown.
typedef struct FigureHeads {
    uint64_t bits[FIGURE_HEADS_WORDS];
} FigureHeads;

bool figure_heads_any(const FigureHeads *heads);
bool figure_heads_has(const FigureHeads *heads, ptrdiff_t head);
void figure_heads_put(FigureHeads *heads, ptrdiff_t head, bool in);

// Counts those picked among the first `count`.
ptrdiff_t figure_heads_count(const FigureHeads *heads, ptrdiff_t count);

// Parses "1,3", "0-2,5" or "all". Returns false and changes nothing on bad input.
bool figure_heads_read(FigureHeads *heads, const char *words, Error *err);

// Those of the first `count` as "1, 3, 4" or "all but 7", cut to fit; "" if none is picked.
const char *figure_heads_text(const FigureHeads *heads, ptrdiff_t count, char text[64]);

// --- the picture

typedef enum FigureMode {
    FIGURE_GRID,      // all heads, or those picked
    FIGURE_HEAD,      // one head, enlarged
    FIGURE_LINES,     // one head as lines between words
    FIGURE_ALL_LINES, // all heads, or those picked, as lines
    FIGURE_MODE_COUNT
} FigureMode;

typedef enum FigureScale {
    FIGURE_SCALE_HEAD, // range of each head
    FIGURE_SCALE_ALL,  // range of all heads of the sequence
    FIGURE_SCALE_UNIT, // 0 to 1
    FIGURE_SCALE_ROW,  // range of each row, or of the rows of a block
    FIGURE_SCALE_EVEN, // range of weight x visible keys; as ALL if nothing is masked
    FIGURE_SCALE_COUNT
} FigureScale;

// What the pointer is over: a cell, or in the lines view a word on the left or right.
typedef enum FigurePoints {
    FIGURE_POINTS_NOWHERE,
    FIGURE_POINTS_CELL,
    FIGURE_POINTS_ROW,
    FIGURE_POINTS_COLUMN
} FigurePoints;

typedef enum FigureLock { FIGURE_UNLOCKED, FIGURE_LOCKED_ROW, FIGURE_LOCKED_CELL } FigureLock;

// "grid", "head", "lines", "all-lines"; "head", "all", "unit", "row", "even"; each ends with NULL.
extern const char *const figure_mode_names[FIGURE_MODE_COUNT + 1];
extern const char *const figure_scale_names[FIGURE_SCALE_COUNT + 1];

// A cell of a map.
typedef struct FigureCell {
    ptrdiff_t head, row, column;
} FigureCell;

// Everything a person can choose.
typedef struct FigureRequest {
    int tensor; // number in the trace
    ptrdiff_t batch, head;
    FigureHeads heads; // shown together; none: all
    bool mean;         // one map, the mean over heads
    FigureMode mode;
    ColourMap map;
    FigureScale scale;
    const PoolRange *ends; // minimal range of a scale of all heads; may be NULL
    bool dark;
    bool has_cursor;
    FigureCell cursor;
    FigurePoints points;
    FigureLock lock;                   // the cursor's row or the cursor
    int zoom;                          // pixels per cell; -k: k x k cells per pixel; 0: fit
    ptrdiff_t first_row, first_column; // top left of the visible part, when zoomed
    ptrdiff_t computed;                // elements computed so far, in loop order; -1: all
    bool origin;                       // draws the origin of a cell instead of maps:
    TraceCell origin_cell;             // the cell
    ptrdiff_t origin_marked;           // its marked term
    ptrdiff_t origin_gone;             // in a film: terms done so far; 0: no film
    bool compares;                     // draws a comparison instead of maps
    bool plays;                        // cells appear one after another
    bool keys;                         // draws the line of keys, as in a window
    const char *title;                 // NULL: the names of tensor and scenario
    const char *document;              // that prints these numbers; NULL: none
    const char *weights;               // the user's weights file; NULL: none
    const char *changed;               // edits of the scenario; NULL: none
    const char *notice;                // for the bottom line; NULL: none
    const char *hovered;               // what the button under the pointer does; NULL: none
    const char *const *help;           // pairs of key and meaning to draw on top; NULL: none
    unsigned long version;             // changes with the numbers of the trace
} FigureRequest;

// Positions of what was drawn.
typedef struct FigureMap {
    ptrdiff_t head; // -1: the mean
    int x, y;       // of the first cell, in pixels
} FigureMap;

// The numbers of all heads or layers, for picking.
typedef struct FigureStrip {
    int x, y, width, height, gap; // of the first number, in pixels
    int columns, count;           // count 0: no strip
} FigureStrip;

// Buttons.
enum { FIGURE_BUTTONS_MAX = 32 };

typedef struct FigureButton {
    int x, y, width, height; // pixels
    const char *says;        // a session command; static
} FigureButton;

typedef struct Figure {
    FigureMap *maps;
    int map_count;
    int cell_width, cell_height;         // pixels of a block
    ptrdiff_t block_rows, block_columns; // cells of a block
    ptrdiff_t first_row, first_column;   // of the visible cells
    ptrdiff_t rows, columns;             // visible cells
    int above, above_others; // pixels of name and labels above the maps of the first row, of others
    bool all_visible;
    bool unfinished;           // entropies are missing: draw again to go on
    int number_size;           // of numbers in cells, pixels; 0: none
    double letters;            // the font scale that fitted
    bool lines;                // rows are words on the left, columns words on the right
    int word_width;            // pixels of words beside the lines, which are cell_width wide
    FigureStrip strip, layers; // of heads; of layers
    FigureButton buttons[FIGURE_BUTTONS_MAX];
    int button_count;
} Figure;

typedef struct FigureCache FigureCache;

// Caches results for the same tensor, sequence, heads and version. Affects speed only. NULL and err if out of
// memory.
FigureCache *figure_cache_open(Error *err);
void figure_cache_close(FigureCache *cache);

// The default request for a tensor: all heads, colours for its kind of numbers.
FigureRequest figure_request(const Trace *trace, int tensor);

// True if FIGURE_SCALE_EVEN differs from other scales for this tensor.
bool figure_can_be_even(const Trace *trace, int tensor);

// True if the tensor can be drawn. Otherwise sets err: not computed yet, no elements, or no such batch or
// head.
bool figure_can_show(const Trace *trace, const FigureRequest *request, Error *err);

// What to draw on.
typedef struct FigurePaper {
    int width, height;          // pixels
    double scale;               // pixels per point: 1 on an ordinary screen
    const FontMetrics *metrics; // widths of letters, in ems
    FigureCache *cache;
    DisplayList *list; // cleared first
    double letters;    // font scale; 0: 1
} FigurePaper;

// Draws, and sets `figure` to the positions; its memory belongs to the cache. Returns false if the tensor
// cannot be drawn or memory ran out.
bool figure_draw(const Trace *trace, const FigureRequest *request, const FigurePaper *paper,
                 Figure *figure, Error *err);

// True if all heads, or all those picked, have a map of their own.
bool figure_shows_every_head(const FigureRequest *request);

// True if maps are lines between words; and the mode that shows the same of one head, or of every head.
bool figure_has_lines(FigureMode mode);
FigureMode figure_mode_of(FigureMode mode, bool every_head);

// The cell at a pixel; of a block, the one shown. A label has only a row or column, the other is -1; the title
// of a map has neither. Returns false if nothing is there.
bool figure_hit(const Figure *figure, int x, int y, FigureCell *cell);

// The head at a pixel of the strip; false if there is none.
bool figure_hit_head(const Figure *figure, int x, int y, ptrdiff_t *head);

// The same for layers.
bool figure_hit_layer(const Figure *figure, int x, int y, ptrdiff_t *layer);

// The command of the button at a pixel; NULL if there is none.
const char *figure_hit_button(const Figure *figure, int x, int y);

// True if the head has a map; head -1: the mean.
bool figure_shows_head(const FigureRequest *request, ptrdiff_t head);

// --- two runs side by side
//
// For each head a map of this run, a map of the other in the same colours, and a map of the difference, other
// - this. Cells with equal bits are blank in the third; the cell with the largest difference is framed in all
// three, since the first may differ only in its last digit.

// The other run.
typedef struct FigureOther {
    const Trace *trace;
    int tensor;        // in `trace`; same shape as the request's
    const char *name;  // as asked for: "mistake mask-off-by-one"
    const char *about; // one more line; NULL: none
    bool differs;      // the runs differ somewhere:
    TraceCell first;   // first in this element, of this run
} FigureOther;

// Draws like figure_draw, but ignores zoom, locks and the scales of rows and heads: both sides share a scale,
// so that a colour is one number, or with FIGURE_SCALE_EVEN one share of its row.
bool figure_compare_draw(const Trace *trace, const FigureRequest *request, const FigureOther *other,
                         const FigurePaper *paper, Figure *figure, Error *err);

// The numbers of a tensor in both runs; see figure_compare_number.
typedef enum FigureSide {
    FIGURE_SIDE_THIS,
    FIGURE_SIDE_OTHER,
    FIGURE_SIDE_DIFFERENCE, // other - this; 0 for equal bits
    FIGURE_SIDES
} FigureSide;

typedef struct FigureData FigureData; // figure_data.h

typedef struct FigureSidePair {
    const FigureData *here, *there;
    ptrdiff_t batch;
} FigureSidePair;

float figure_compare_number(const FigureSidePair *pair, FigureSide side, FigureCell cell);

// True if the cell has equal bits in both runs; every NaN is equal.
bool figure_compare_same(const FigureSidePair *pair, FigureCell cell);

// Finds the cell of a map that differs most, the first of several. Returns false if none differs.
bool figure_compare_most(const FigureSidePair *pair, ptrdiff_t head, FigureCell *cell);

// --- where a number came from
//
// A number's inputs, products and running sum in rows, with a column per term; for a softmax the scores, their
// exps and the shares. The terms are those of trace_origin, as in the terminal.

// The rows.
typedef enum FigureBand {
    FIGURE_BAND_LEFT,    // first input of each term
    FIGURE_BAND_RIGHT,   // the second
    FIGURE_BAND_VALUE,   // the term: a product, an exp
    FIGURE_BAND_RUNNING, // the running value after it
    FIGURE_BAND_SHARE,   // of a softmax: its exp divided by their sum, as stored
    FIGURE_BAND_COUNT
} FigureBand;

// True if the explanation has this row; the second gets its number for a listed term, and returns false if the
// term has none.
bool figure_band_occurs(const Explanation *explanation, FigureBand band);
bool figure_band_number(const Trace *trace, const Explanation *explanation, FigureBand band,
                        ptrdiff_t term, float *number);

// Draws the explained element; request->origin_marked is the marked term. Returns false and sets err without
// memory.
bool figure_origin_draw(const Trace *trace, const FigureRequest *request,
                        const Explanation *explanation, const FigurePaper *paper, Figure *figure,
                        Error *err);

#endif
