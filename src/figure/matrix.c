// matrix: see matrix.h.
#include "matrix.h"

#include <math.h>
#include "words.h"

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
