// A tensor of a trace as a picture: one map of coloured cells a head, with words, numbers, scale
// and everything about the cell that is looked at. A pure function from a trace, a request, a size
// and the width of letters to a display list: no screen, no clock, nothing kept but a cache.
//
// Maps have rows x columns cells: the last two axes of the tensor. Axis H gives one map each; axis
// B is one sequence at a time. A cell is a whole number of pixels; where there are more cells than
// pixels, a pixel is a block of whole cells and shows the largest of them (NaN when one is NaN).
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
// Shrinking a matrix to blocks, each shown by its largest number, and the range of its numbers: one
// pass over memory for both.

// Lowest and highest finite number; low > high when there is none.
typedef struct PoolRange {
    float low, high;
} PoolRange;

extern const PoolRange pool_nothing;

PoolRange pool_join(PoolRange a, PoolRange b);

// `matrix` is float32 [rows, columns]. out[r, c], row by row, is the largest number of the block of
// block_rows x block_columns that begins at [r * block_rows, c * block_columns] (smaller at the
// right and lower edge), or NaN when the block holds NaN; as torch.max. Returns the range of the
// matrix. `scratch` has room for `columns` numbers.
PoolRange pool_blocks(const Tensor *matrix, ptrdiff_t block_rows, ptrdiff_t block_columns,
                      float *out, float *scratch);

// The range alone; `scratch` has room for one number more than there are columns.
PoolRange pool_range(const Tensor *matrix, float *scratch);

// How many blocks of `block` elements cover `count`.
static inline ptrdiff_t pool_count(ptrdiff_t count, ptrdiff_t block)
{
    return (count + block - 1) / block;
}

// --- a matrix
//
// The same in the terminal, in a picture and beside another run.

// The rows of matrix_marks.def, the least first. What is not of the number alone is a flag: padded,
// dropped, masked; MATRIX_PLAIN: none of them.
typedef enum MatrixMark {
#define MARK(NAME, ...) MATRIX_##NAME,
#include "matrix_marks.def"
#undef MARK
    MATRIX_MARKS
} MatrixMark;

// The one mark of a cell or a block that has this flag and shows this number: NaN before a mask, a mask
// before infinity, infinity before what else there is.
MatrixMark matrix_mark(MatrixMark flag, float number);

// Whether the number is worth showing besides the mark: it is finite, and not the 0 that masking or
// dropout have made.
bool matrix_has_number(MatrixMark mark, float number);

// What a block of cells shows: the largest of its numbers (or, of differences, the one that is farthest
// from 0), NaN where there is one; and the least of its flags, so that one cell without a flag makes the
// block one without. Zeroed, it has no cell.
typedef struct MatrixBlock {
    bool has_cell, farthest;
    float number;
    MatrixMark flag;
} MatrixBlock;

void matrix_add(MatrixBlock *block, float number, MatrixMark flag);

// The character that stands for a mark, its word in the terminal, and its pattern in pictures; "" and
// DISPLAY_PLAIN for none.
const char *matrix_mark_character(MatrixMark mark);
const char *matrix_mark_word(MatrixMark mark);
DisplayMark matrix_mark_drawn(MatrixMark mark);

// What a pattern means, beside a picture.
const char *matrix_drawn_word(DisplayMark drawn);

// The range with one more number in it, which counts where it is finite.
PoolRange matrix_widen(PoolRange range, float number);

// The range around 0, for colours and shades that have a middle; one without a number stays so.
PoolRange matrix_around_zero(PoolRange range);

// The round number at which a scale of weights ends. They are parts of 1: from a half on it is 1, and two
// pictures can be compared; on that scale smaller ones would all look alike.
float matrix_round_end(float end);

// --- colours
//
// The colours of a picture around its numbers.

// Colours of everything that is not a number.
typedef struct FigureTheme {
    Colour paper, ink, quiet, faint; // background, text, secondary text, lines
    Colour accent;                   // what is locked, what is current
    Colour empty, hatch;             // cells without a number, and patterns on them
    Colour alarm, alarm_paper;       // NaN
    Colour line;                     // the lines view
} FigureTheme;

// The light one, or the dark one.
const FigureTheme *figure_theme(bool is_dark);

// --- heads
//
// Heads picked to be shown together: a set of their numbers, and its words "1,3".

enum { FIGURE_HEADS_MAX = 1024, FIGURE_HEADS_WORDS = FIGURE_HEADS_MAX / 64 }; // higher ones: never

// All zero: none is picked, which means that all are shown.
typedef struct FigureHeads {
    uint64_t bits[FIGURE_HEADS_WORDS];
} FigureHeads;

bool figure_heads_any(const FigureHeads *heads);
bool figure_heads_has(const FigureHeads *heads, ptrdiff_t head);
void figure_heads_put(FigureHeads *heads, ptrdiff_t head, bool in);

// How many of the first `count` are picked.
ptrdiff_t figure_heads_count(const FigureHeads *heads, ptrdiff_t count);

// Reads "1,3", "0-2,5" or "all". False, with a sentence and nothing changed, when it is neither.
bool figure_heads_read(FigureHeads *heads, const char *words, Error *err);

// Those of the first `count` as "1, 3, 4", of many "all but 7", as far as it fits;
// "" when none is picked.
const char *figure_heads_text(const FigureHeads *heads, ptrdiff_t count, char text[64]);

// --- the picture

typedef enum FigureMode {
    FIGURE_GRID,      // every head, or those that are picked
    FIGURE_HEAD,      // one head, large
    FIGURE_LINES,     // one head as lines from words to words
    FIGURE_ALL_LINES, // every head so, or those that are picked, side by side
    FIGURE_MODE_COUNT
} FigureMode;

typedef enum FigureScale {
    FIGURE_SCALE_HEAD, // lowest to highest number of each head
    FIGURE_SCALE_ALL,  // of all heads of the sequence
    FIGURE_SCALE_UNIT, // 0 to 1
    FIGURE_SCALE_ROW,  // of each row, or of the rows of a block
    FIGURE_SCALE_EVEN, // of weight x keys that the query may see; where nothing is masked, as ALL
    FIGURE_SCALE_COUNT
} FigureScale;

// What the pointer is over: a cell, or of lines a word on the left or on the right.
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

// All that a person can choose.
typedef struct FigureRequest {
    int tensor; // number in the trace
    ptrdiff_t batch, head;
    FigureHeads heads; // picked to be shown together; none: all
    bool mean;         // one map, the mean over heads
    FigureMode mode;
    ColourMap map;
    FigureScale scale;
    const PoolRange *ends; // that a scale of all heads reaches at least; NULL: its numbers alone
    bool dark;
    bool has_cursor; // something is looked at: `cursor`
    FigureCell cursor;
    FigurePoints points;
    FigureLock lock;                   // what is locked is the cursor's row, or the cursor
    int zoom;                          // pixels a cell; -k: k x k cells a pixel; 0: all fits
    ptrdiff_t first_row, first_column; // the corner of what is visible, when zoomed
    ptrdiff_t computed;                // elements there so far, in loop order; -1: all
    bool origin;                       // where the cell came from, instead of the maps:
    TraceCell origin_cell;             // it,
    ptrdiff_t origin_marked;           // and the marked term of it
    ptrdiff_t origin_gone;             // in a film: how many terms it has gone through; 0: no film
    bool compares;                     // beside another run, instead of the maps
    bool plays;                        // cells appear by themselves, one after the other
    bool keys;                         // the line of keys at the bottom, as in a window
    const char *title;                 // NULL: the tensor's name and the scenario's
    const char *document;              // whose numbers these are; NULL: no document's
    const char *weights;               // the person's own file that they are from; NULL: none
    const char *changed;               // what they differ by from the scenario's; NULL: nothing
    const char *notice;                // a sentence for the bottom line; NULL: none
    const char *hovered;               // what the button under the pointer says; NULL: none
    const char *const *help;           // pairs of key and meaning over the figure; NULL: no help
    unsigned long version;             // another number when numbers of the trace have changed
} FigureRequest;

// Where everything was drawn.
typedef struct FigureMap {
    ptrdiff_t head; // -1: the mean
    int x, y;       // of the first cell, in pixels
} FigureMap;

// The numbers of all heads or layers in rows, to be picked.
typedef struct FigureStrip {
    int x, y, width, height, gap; // of the first number, in pixels
    int columns, count;           // count 0: there is none
} FigureStrip;

// What can be pressed besides maps, words and heads.
enum { FIGURE_BUTTONS_MAX = 32 };

typedef struct FigureButton {
    int x, y, width, height; // pixels
    const char *says;        // the words of a session's command; lives for ever
} FigureButton;

typedef struct Figure {
    FigureMap *maps;
    int map_count;
    int cell_width, cell_height;         // pixels of a block
    ptrdiff_t block_rows, block_columns; // cells of a block
    ptrdiff_t first_row, first_column;   // of the visible cells
    ptrdiff_t rows, columns;             // visible cells
    int above, above_others; // pixels of name and words over maps of the first row, of the others
    bool all_visible;
    bool unfinished;           // entropies are not all there yet: drawing again goes on with them
    int number_size;           // of numbers in cells, pixels; 0: cells have no room for any
    double letters;            // how many times as large as usual there was room for
    bool lines;                // rows are words on the left, columns words on the right
    int word_width;            // of those words: pixels beside the lines, which are cell_width wide
    FigureStrip strip, layers; // of heads; of layers
    FigureButton buttons[FIGURE_BUTTONS_MAX];
    int button_count;
} Figure;

typedef struct FigureCache FigureCache;

// A cache keeps results that hold as long as tensor, sequence, heads and version stay the same. It
// makes pictures faster, not different. NULL when there is no memory.
FigureCache *figure_cache_open(Error *err);
void figure_cache_close(FigureCache *cache);

// The request that a tensor is first shown with: all heads, a map for its kind of numbers.
FigureRequest figure_request(const Trace *trace, int tensor);

// Whether FIGURE_SCALE_EVEN is a scale of its own for this tensor.
bool figure_can_be_even(const Trace *trace, int tensor);

// True when the tensor can be shown; else the error says why: it is not computed yet, it has no
// elements, or there is no such batch or head.
bool figure_can_show(const Trace *trace, const FigureRequest *request, Error *err);

// What a figure is drawn on.
typedef struct FigurePaper {
    int width, height;          // pixels
    double scale;               // pixels per point: 1 on an ordinary screen
    const FontMetrics *metrics; // widths of letters, in ems
    FigureCache *cache;         // what one drawing leaves for the next
    DisplayList *list;          // cleared first
    double letters;             // as many times larger than usual as `scale` has them; 0: 1
} FigurePaper;

// Draws, and tells in `figure` where everything was drawn; its memory belongs to the cache. False when
// the tensor cannot be shown or memory ran out.
bool figure_draw(const Trace *trace, const FigureRequest *request, const FigurePaper *paper,
                 Figure *figure, Error *err);

// Whether every head, or every one that is picked, has a map of its own.
bool figure_shows_every_head(const FigureRequest *request);

// The cell at a pixel; of a block, the one that is shown. Words have a row or a column only: the other
// is -1 then. What stands above one of several maps has neither. False where there is none.
bool figure_hit(const Figure *figure, int x, int y, FigureCell *cell);

// The head whose number in the strip is at a pixel. False where there is none.
bool figure_hit_head(const Figure *figure, int x, int y, ptrdiff_t *head);

// The same of layers.
bool figure_hit_layer(const Figure *figure, int x, int y, ptrdiff_t *layer);

// What the button at a pixel says; NULL where there is none.
const char *figure_hit_button(const Figure *figure, int x, int y);

// Whether the head has a map when every head, or every one that is picked, has.
bool figure_shows_head(const FigureRequest *request, ptrdiff_t head);

// --- two runs beside each other
//
// Two runs beside each other in one tensor: for each head a map of the one, a map of the other in the
// same colours, and a map of what differs, other - this. A cell whose bits are the same in both is
// quiet in the third; the one that differs most is framed in all three: the first of all may differ
// in its last digit alone.

// What the run is compared with.
typedef struct FigureOther {
    const Trace *trace;
    int tensor;        // there; of the same shape as the request's
    const char *name;  // "mistake mask-off-by-one", as it was asked for
    const char *about; // a line more about it; NULL: none
    bool differs;      // somewhere in the run; then,
    TraceCell first;   // the first element of all that does, in the tensors of this run
} FigureOther;

// Draws, as figure_draw does. Of the request, zoom, locks and the scales of rows and heads say
// nothing here: both sides have one scale, so that a colour is one number; or one share of its row,
// where the scale is FIGURE_SCALE_EVEN.
bool figure_compare_draw(const Trace *trace, const FigureRequest *request, const FigureOther *other,
                         const FigurePaper *paper, Figure *figure, Error *err);

// The numbers of a tensor in both runs, to be counted; read with figure_compare_number.
typedef enum FigureSide {
    FIGURE_SIDE_THIS,
    FIGURE_SIDE_OTHER,
    FIGURE_SIDE_DIFFERENCE, // other - this; 0 where the bits are the same
    FIGURE_SIDES
} FigureSide;

typedef struct FigureData FigureData; // figure_data.h

typedef struct FigureSidePair {
    const FigureData *here, *there;
    ptrdiff_t batch;
} FigureSidePair;

float figure_compare_number(const FigureSidePair *pair, FigureSide side, FigureCell cell);

// Whether the cell has the same bits in both; every NaN is the same.
bool figure_compare_same(const FigureSidePair *pair, FigureCell cell);

// The cell of a map that differs most, the first of several; false when none does.
bool figure_compare_most(const FigureSidePair *pair, ptrdiff_t head, FigureCell *cell);

// --- where a number came from
//
// Where a number came from, as a picture: its inputs, what is made of each pair of them and the running
// sum in rows, a column for each term; of a softmax the scores, their exps and the shares. The terms
// are those of trace_origin, which the terminal lists too.

// The rows there can be.
typedef enum FigureBand {
    FIGURE_BAND_LEFT,    // the first input of each term
    FIGURE_BAND_RIGHT,   // the second
    FIGURE_BAND_VALUE,   // what the term is: a product, an exp
    FIGURE_BAND_RUNNING, // the running value after it
    FIGURE_BAND_SHARE,   // of a softmax: what its exp is of their sum, as it was stored
    FIGURE_BAND_COUNT
} FigureBand;

// Whether an explanation has such a row; and the number in it of a listed term, false where that term
// has none.
bool figure_band_occurs(const Explanation *explanation, FigureBand band);
bool figure_band_number(const Trace *trace, const Explanation *explanation, FigureBand band,
                        ptrdiff_t term, float *number);

// Draws the element that is explained; request->origin_marked is the marked term. False, with a
// sentence, when there is no memory.
bool figure_origin_draw(const Trace *trace, const FigureRequest *request,
                        const Explanation *explanation, const FigurePaper *paper, Figure *figure,
                        Error *err);

#endif
