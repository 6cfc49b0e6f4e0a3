// A tensor of a trace as maps: sequences, heads, rows and columns, masked and padding cells, and numbers.
#ifndef FIGURE_DATA_H
#define FIGURE_DATA_H

#include "display_list.h"
#include "figure.h"
#include "trace.h"

typedef struct FigureData {
    const Trace *trace;
    int tensor;
    Tensor values;             // [sequences, heads, rows, columns], any dtype
    int hidden_axes;           // leading axes of `values` that the tensor lacks
    bool has_batch, has_heads; // the tensor has the first axis, the second; usually B and H
    bool batch_is_layers;      // the first axis counts layers of a model
    const char *map, *maps;    // the second axis: "head", "heads"; or queries
    const char *map_key;       // the same in files for programs, in English
    bool maps_are_heads;
    Tensor masked;        // bool, shaped like `values`; no storage: nothing masked
    Tensor forbidding;    // the same for a mask of numbers with -inf; see trace.h
    ptrdiff_t keys;       // of the text; later ones were appended
    TraceHidden hidden;   // which masked cells are hidden
    Tensor padding;       // bool, [sequences, tokens]; no storage: none
    bool rows_are_tokens; // padding applies to rows as well
    Tensor ids;           // int64, [sequences, tokens]; no storage: none, or not for rows
    bool is_attention;    // rows are queries, columns keys
    bool is_weights;      // ... and numbers are shares of keys
    bool is_distribution; // ... that sum to 1: from the softmax, or
    bool is_given;        // from another model or an edited formula, whose rows may not
    int scores_before, weights_after; // the softmax around it; -1: not computed
} FigureData;

// Returns false if the tensor cannot be drawn.
bool figure_data(const Trace *trace, const FigureRequest *request, FigureData *data, Error *err);

// "0", or "1.0" for a head in the second of several layers.
const char *figure_head_number(const FigureData *data, ptrdiff_t head, char text[32]);

// The number of a cell; head -1: the mean over heads, added in order and divided once.
float figure_number(const FigureData *data, ptrdiff_t batch, FigureCell cell);

// The numbers of a row from this cell on, `step` apart, for loops; NULL for the mean and for numbers that are
// not float32.
const float *figure_numbers_from(const FigureData *data, ptrdiff_t batch, FigureCell cell,
                                 ptrdiff_t *step);

// The shortest decimal that identifies the number.
const char *figure_number_in_full(const FigureData *data, ptrdiff_t batch, FigureCell cell,
                                  char text[64]);

// Counts the keys that a query can see.
ptrdiff_t figure_visible_keys(const FigureData *data, ptrdiff_t batch, ptrdiff_t head,
                              ptrdiff_t row);

// True for weights with a mask; true if queries see different numbers of keys.
bool figure_has_shares(const FigureData *data);
bool figure_shares_differ(const FigureData *data, ptrdiff_t batch);

// True if there is a mask; true if this cell is masked.
bool figure_has_masked(const FigureData *data);
bool figure_is_masked(const FigureData *data, ptrdiff_t batch, FigureCell cell);
bool figure_is_padded(const FigureData *data, ptrdiff_t batch, FigureCell cell);

// The flag of a cell: MATRIX_MASKED, MATRIX_PADDED or MATRIX_PLAIN.
MatrixMark figure_flag(const FigureData *data, ptrdiff_t batch, FigureCell cell);

// True if the query is padding; its row is meaningless.
bool figure_row_is_padding(const FigureData *data, ptrdiff_t batch, ptrdiff_t row);

// Finds the first cell of a map (head -1: the mean) with the largest number above `*most`, and updates
// `*most`. With FIGURE_SCALE_EVEN, weights are multiplied by the keys that the query sees. Skips masked,
// padding, pale, NaN and uncomputed cells. Returns false if there is none.
bool figure_largest(const FigureData *data, const FigureRequest *request, ptrdiff_t head,
                    FigureCell *cell, float *most);

// True if the text asks for this head's job in this row, or the scenario does not say. Head -1: any head's.
bool figure_row_is_asked(const FigureData *data, ptrdiff_t batch, ptrdiff_t head, ptrdiff_t row);

// True if some row of this head's map is not asked for.
bool figure_has_pale_rows(const FigureData *data, ptrdiff_t batch, ptrdiff_t head);

// True if the stage has computed this cell.
bool figure_is_computed(const FigureData *data, const FigureRequest *request, FigureCell cell);

// The labels of rows and columns: "perfect", "7".
const char *figure_row_label(const FigureData *data, ptrdiff_t batch, ptrdiff_t row, char text[64]);
const char *figure_column_label(const FigureData *data, ptrdiff_t batch, ptrdiff_t column,
                                char text[64]);
// "query 2 (so), key 3 (is)"; "row 2, column 3" outside attention, without labels.
enum { FIGURE_CELL_NAME_MAX = 260 };
const char *figure_cell_name(const FigureData *data, ptrdiff_t batch, FigureCell cell,
                             char text[FIGURE_CELL_NAME_MAX]);
// "head 3", "query 1 is", or "mean of 8 heads" for -1; with one map, the tensor's name.
const char *figure_map_name(const FigureData *data, ptrdiff_t batch, ptrdiff_t head,
                            char text[160]);

// What rows (axis 2) or columns (3) are, such as "queries"; "" if unknown.
const char *figure_axis_words(const FigureData *data, int axis);

// Facts about a row.
typedef struct FigureRow {
    double sum;
    double entropy; // bits; NaN if a number is
    ptrdiff_t rank; // of one column: 1 is the largest; 0 if NaN
} FigureRow;

FigureRow figure_row(const FigureData *data, ptrdiff_t batch, FigureCell cell);

#endif
