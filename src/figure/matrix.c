// A matrix that is looked at, and its shrinking to blocks; see matrix.h.
#include "matrix.h"

#include <math.h>
#include <stdbool.h>
#include "kernel.h"
#include "words.h"

// --- blocks
//
// the largest number of every block.
//
// Strip by strip of rows, in lanes where blocks are a multiple of those that the kernel knows. A strip
// with NaN or infinity in it is done again element by element.

const PoolRange pool_nothing = {INFINITY, -INFINITY};

static float larger(float a, float b)
{
    return a > b ? a : b;
}

static float smaller(float a, float b)
{
    return a < b ? a : b;
}

PoolRange pool_join(PoolRange a, PoolRange b)
{
    return (PoolRange){smaller(a.low, b.low), larger(a.high, b.high)};
}

static float at(const Tensor *matrix, ptrdiff_t row, ptrdiff_t column)
{
    return *tensor_at2(matrix, row, column);
}

// The largest of each `block` neighbours. Inlined with a number for `block`, which unrolls the loop.
static inline __attribute__((always_inline)) void
across_of(const ptrdiff_t block, ptrdiff_t columns, const float *largest, float *out)
{
    ptrdiff_t whole = columns / block;
    for (ptrdiff_t c = 0; c < whole; c++, largest += block) {
        float most = largest[0];
        for (ptrdiff_t k = 1; k < block; k++)
            most = larger(largest[k], most);
        out[c] = most;
    }
    if (whole * block < columns)
        out[whole] = largest[0];
    for (ptrdiff_t k = 1; k < columns - whole * block; k++)
        out[whole] = larger(largest[k], out[whole]);
}

// Wide blocks as blocks of blocks. `largest` is used up.
static void reduce_across(float *largest, ptrdiff_t columns, ptrdiff_t block, float *out)
{
    while (block > 3 && block % 3 == 0) {
        across_of(3, columns, largest, largest);
        columns = pool_count(columns, 3);
        block /= 3;
    }
    if (block == 3)
        across_of(3, columns, largest, out);
    else if (block == 5)
        across_of(5, columns, largest, out);
    else if (block == 7)
        across_of(7, columns, largest, out);
    else
        across_of(block, columns, largest, out);
}

// One strip, element by element, any numbers, any strides.
static PoolRange any_strip(const Tensor *matrix, ptrdiff_t first, ptrdiff_t last,
                           ptrdiff_t block_columns, float *out)
{
    PoolRange range = pool_nothing;
    for (ptrdiff_t j = 0; j < matrix->shape[1]; j++) {
        float *largest = &out[j / block_columns];
        if (j % block_columns == 0)
            *largest = -INFINITY;
        for (ptrdiff_t i = first; i < last; i++) {
            float number = at(matrix, i, j);
            if (isnan(number) || number > *largest)
                *largest = isnan(*largest) ? *largest : number;
            if (isfinite(number))
                range = pool_join(range, (PoolRange){number, number});
        }
    }
    return range;
}

// Calls the beginnings of some rows into the cache, to arrive while there is other work.
static void fetch_soon(const Tensor *matrix, ptrdiff_t first, ptrdiff_t count)
{
    enum { BEGINNING = 128, CACHE_LINE = 16 };
    for (ptrdiff_t row = first; row < first + count && row < matrix->shape[0]; row++)
        for (ptrdiff_t j = 0; j < BEGINNING && j < matrix->shape[1]; j += CACHE_LINE)
            __builtin_prefetch(tensor_at2(matrix, row, j));
}

// The widest block that the kernel knows and that divides `block`.
static ptrdiff_t part_of(ptrdiff_t block)
{
    ptrdiff_t part = KERNEL_BLOCK_MAX;
    while (block % part != 0)
        part /= 2;
    return part;
}

PoolRange pool_blocks(const Tensor *matrix, ptrdiff_t block_rows, ptrdiff_t block_columns,
                      float *out, float *scratch)
{
    ptrdiff_t rows = matrix->shape[0], columns = matrix->shape[1];
    ptrdiff_t across = pool_count(columns, block_columns), part = part_of(block_columns);
    bool plain = matrix->stride[1] == 1 || columns == 1, whole = part == block_columns;
    PoolRange range = pool_nothing;
    const Kernel *kernel = kernel_choose();
    for (ptrdiff_t first = 0; first < rows; first += block_rows, out += across) {
        ptrdiff_t last = first + block_rows < rows ? first + block_rows : rows;
        float *parts = whole ? out : scratch;
        KernelRows in = {tensor_at2(matrix, first, 0), last - first, columns, matrix->stride[0]};
        PoolRange strip;
        if (!plain || !kernel->blocks(&in, part, parts, &strip.low, &strip.high)) {
            strip = any_strip(matrix, first, last, block_columns, out);
        } else if (!whole) {
            fetch_soon(matrix, last, block_rows);
            reduce_across(parts, pool_count(columns, part), block_columns / part, out);
        }
        range = pool_join(range, strip);
    }
    return range;
}

PoolRange pool_range(const Tensor *matrix, float *scratch)
{
    enum { AT_ONCE = 4 };
    PoolRange range = pool_nothing;
    for (ptrdiff_t row = 0; row < matrix->shape[0]; row += AT_ONCE) {
        ptrdiff_t left = matrix->shape[0] - row;
        Tensor some = tensor_narrow(matrix, 0, row, left < AT_ONCE ? left : AT_ONCE);
        range =
            pool_join(range, pool_blocks(&some, AT_ONCE, matrix->shape[1], scratch, scratch + 1));
    }
    return range;
}

// --- marks

typedef struct MarkRow {
    DisplayMark drawn;
    const char *character;
    Words word, drawn_word;
} MarkRow;

static const MarkRow rows[MATRIX_MARKS] = {
#define MARK(NAME, drawn, character, word, drawn_word) \
    [MATRIX_##NAME] = {DISPLAY_##drawn, character, word, drawn_word},
#include "matrix_marks.def"
#undef MARK
};

MatrixMark matrix_mark(MatrixMark flag, float number)
{
    if (isnan(number))
        return MATRIX_NAN;
    if (isinf(number) && flag != MATRIX_MASKED)
        return number > 0.0f ? MATRIX_INFINITY : MATRIX_MINUS_INFINITY;
    return flag;
}

bool matrix_has_number(MatrixMark mark, float number)
{
    bool is_taken_away = mark == MATRIX_MASKED || mark == MATRIX_DROPPED;
    return isfinite(number) && !(is_taken_away && number == 0.0f);
}

const char *matrix_mark_character(MatrixMark mark)
{
    return rows[mark].character;
}

const char *matrix_mark_word(MatrixMark mark)
{
    return words_tell(rows[mark].word);
}

DisplayMark matrix_mark_drawn(MatrixMark mark)
{
    return rows[mark].drawn;
}

const char *matrix_drawn_word(DisplayMark drawn)
{
    int mark = 0;
    while (mark + 1 < MATRIX_MARKS && rows[mark].drawn != drawn)
        mark++;
    return words_tell(rows[mark].drawn_word);
}

// --- blocks

static bool shows_instead(const MatrixBlock *block, float number)
{
    if (isnan(number) || isnan(block->number))
        return isnan(number);
    return block->farthest ? fabsf(number) > fabsf(block->number) : number > block->number;
}

void matrix_add(MatrixBlock *block, float number, MatrixMark flag)
{
    if (!block->has_cell || shows_instead(block, number))
        block->number = number;
    if (!block->has_cell || flag < block->flag)
        block->flag = flag;
    block->has_cell = true;
}

// --- ranges

PoolRange matrix_widen(PoolRange range, float number)
{
    return isfinite(number) ? pool_join(range, (PoolRange){number, number}) : range;
}

PoolRange matrix_around_zero(PoolRange range)
{
    if (range.low > range.high)
        return range;
    float end = fmaxf(fabsf(range.low), fabsf(range.high));
    return (PoolRange){-end, end};
}

float matrix_round_end(float end)
{
    static const double round[] = {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0};
    if (end >= 0.5f && end <= 1.0f)
        return 1.0f;
    if (!(end > 0.0f) || isinf(end))
        return end;
    double ten = pow(10.0, floor(log10((double)end)));
    int i = 0;
    while (i < 9 && round[i] * ten < (double)end * (1.0 - 1e-6))
        i++;
    return (float)(round[i] * ten);
}
