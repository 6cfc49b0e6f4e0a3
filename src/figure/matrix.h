// A matrix that is looked at, in the terminal, in a picture or beside another one: what a cell is besides
// its number, what a block of cells shows, and the range of the numbers (matrix.h does that for all blocks
// of a large matrix at once).
#ifndef MATRIX_H
#define MATRIX_H

#include "display_list.h"
#include "tensor.h"

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

#endif
