// What a tensor of a trace is when it is drawn: sequences, heads, rows and columns, which of its
// cells are masked or padding, and what each cell holds.
#ifndef FIGURE_DATA_H
#define FIGURE_DATA_H

#include "display_list.h"
#include "figure.h"
#include "trace.h"

typedef struct FigureData {
    const Trace *trace;
    int tensor;
    Tensor values;             // [sequences, heads, rows, columns], any dtype
    int hidden_axes;           // axes of `values` in front that the tensor does not have
    bool has_batch, has_heads; // the tensor has the first axis, the second; usually B and H
    bool batch_is_layers;      // what the first axis counts are layers of a model
    const char *map, *maps;    // what the second axis counts: "head", "heads"; or queries
    const char *map_key;       // that in files for programs, in English
    bool maps_are_heads;
    Tensor masked;        // bool, the shape of `values`; no storage: nothing is masked
    Tensor forbidding;    // a mask of numbers with -inf, likewise; see trace.h
    ptrdiff_t keys;       // of the text: those behind them were appended
    TraceHidden hidden;   // which of those cells are hidden in fact
    Tensor padding;       // bool, [sequences, tokens]; no storage: there is none
    bool rows_are_tokens; // padding says which rows are padding, too
    Tensor ids;           // int64, [sequences, tokens]; no storage: none, or not rows
    bool is_attention;    // rows are queries, columns keys
    bool is_weights;      // ... and numbers say how much of each key is taken
    bool is_distribution; // ... and sum to 1: they come from the softmax; or from
    bool is_given;        // another model or an edited formula, and then a row may fail to
    int scores_before, weights_after; // the softmax around it; -1: not computed
} FigureData;

// False when the tensor cannot be shown.
bool figure_data(const Trace *trace, const FigureRequest *request, FigureData *data, Error *err);

// The number in a cell; head -1: the mean over heads, added in their order and divided once.
float figure_number(const FigureData *data, ptrdiff_t batch, FigureCell cell);

// The numbers of a row from this cell on, `step` numbers apart, for loops over many; NULL where they
// must be asked for one by one: the mean, and numbers that are not float32.
const float *figure_numbers_from(const FigureData *data, ptrdiff_t batch, FigureCell cell,
                                 ptrdiff_t *step);

// A number with all digits that tell it from its neighbours.
const char *figure_number_in_full(const FigureData *data, ptrdiff_t batch, FigureCell cell,
                                  char text[64]);

// How many keys a query may look at: those that are not masked.
ptrdiff_t figure_visible_keys(const FigureData *data, ptrdiff_t batch, ptrdiff_t head,
                              ptrdiff_t row);

// Whether these are weights and some of them are masked; and whether some queries see more keys than
// others.
bool figure_has_shares(const FigureData *data);
bool figure_shares_differ(const FigureData *data, ptrdiff_t batch);

// Whether some mask may forbid cells; and whether one forbids this one.
bool figure_has_masked(const FigureData *data);
bool figure_is_masked(const FigureData *data, ptrdiff_t batch, FigureCell cell);
bool figure_is_padded(const FigureData *data, ptrdiff_t batch, FigureCell cell);

// The flag of a cell: MATRIX_MASKED, MATRIX_PADDED or MATRIX_PLAIN.
MatrixMark figure_flag(const FigureData *data, ptrdiff_t batch, FigureCell cell);

// Whether the query is padding: what it looks at means nothing.
bool figure_row_is_padding(const FigureData *data, ptrdiff_t batch, ptrdiff_t row);

// The first cell of a map (head -1: of the mean) whose number is the largest above `*most`, which it
// becomes; where the scale is FIGURE_SCALE_EVEN, weights count as often as the query sees keys. What is
// masked, padding, pale, NaN or not computed yet is none. False when there is none.
bool figure_largest(const FigureData *data, const FigureRequest *request, ptrdiff_t head,
                    FigureCell *cell, float *most);

// Whether the text asks in this row for what the head does; true where the scenario does not say.
// For the mean (head -1): for what any of the heads does.
bool figure_row_is_asked(const FigureData *data, ptrdiff_t batch, ptrdiff_t head, ptrdiff_t row);

// Whether this head's map has a row in which the text does not ask for it.
bool figure_has_pale_rows(const FigureData *data, ptrdiff_t batch, ptrdiff_t head);

// Whether the stage has computed this cell yet.
bool figure_is_computed(const FigureData *data, const FigureRequest *request, FigureCell cell);

// The words of row and column numbers: "perfect", "7".
const char *figure_row_label(const FigureData *data, ptrdiff_t batch, ptrdiff_t row, char text[64]);
const char *figure_column_label(const FigureData *data, ptrdiff_t batch, ptrdiff_t column,
                                char text[64]);
// A cell in words: "query 2 (so), key 3 (is)"; "row 2, column 3" where it is no attention and places have
// numbers alone.
enum { FIGURE_CELL_NAME_MAX = 260 };
const char *figure_cell_name(const FigureData *data, ptrdiff_t batch, FigureCell cell,
                             char text[FIGURE_CELL_NAME_MAX]);
// The name of a map: "head 3", "query 1 is", "mean of 8 heads" for -1; the tensor's where it has one.
const char *figure_map_name(const FigureData *data, ptrdiff_t batch, ptrdiff_t head,
                            char text[160]);

// What rows (axis 2) or columns (3) are, "queries"; "" where an axis is only a number.
const char *figure_axis_words(const FigureData *data, int axis);

// What is worth knowing about one row: numbers over its columns.
typedef struct FigureRow {
    double sum;
    double entropy; // bits; NaN when a number is
    ptrdiff_t rank; // of one column: 1 is the largest; 0 when that number is NaN
} FigureRow;

FigureRow figure_row(const FigureData *data, ptrdiff_t batch, FigureCell cell);

#endif
