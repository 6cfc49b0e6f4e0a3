// heat_scale: see heat_scale.h.
#include "heat_scale.h"

#include <math.h>
#include <string.h>

enum { NUMBERS_MAX = 1 << 20, SIDE_MIN = 64 };

const char *const heat_shades[HEAT_SHADES] = {"\u00b7", "\u2591", "\u2592", "\u2593", "\u2588"};

// --- what is shown

// The part of an axis in steps of `side` that holds `at`.
static void choose_part(ptrdiff_t at, ptrdiff_t side, ptrdiff_t length, ptrdiff_t *first,
                        ptrdiff_t *count)
{
    *first = at / side * side;
    *count = length - *first < side ? length - *first : side;
}

void heat_part(HeatSource *source, FigureCell chosen, bool all_heads)
{
    const ptrdiff_t *shape = source->data.values.shape;
    ptrdiff_t heads = all_heads ? shape[1] : 1, side = HEAT_SIDE_MAX;
    ptrdiff_t heads_max = NUMBERS_MAX / (SIDE_MIN * SIDE_MIN);
    heads = heads < heads_max ? heads : heads_max;
    while (side > SIDE_MIN && side * side * heads > NUMBERS_MAX)
        side /= 2;
    choose_part(chosen.head, heads, shape[1], &source->first_head, &source->heads);
    choose_part(chosen.row, side, shape[2], &source->first_row, &source->rows);
    choose_part(chosen.column, side, shape[3], &source->first_column, &source->columns);
}

// --- marks

// The index that the tensor itself has for a cell.
static void index_of(const HeatSource *source, FigureCell cell, ptrdiff_t at[])
{
    ptrdiff_t all[] = {source->sequence, cell.head, cell.row, cell.column};
    int hidden = source->data.hidden_axes;
    memset(at, 0, TENSOR_RANK_MAX * sizeof *at);
    for (int axis = hidden < 0 ? 0 : hidden; axis < 4; axis++)
        at[axis - hidden] = all[axis];
    if (hidden == 1 && source->data.has_batch)
        at[0] = source->sequence;
}

bool heat_has_reached(const HeatSource *source, FigureCell cell)
{
    ptrdiff_t at[TENSOR_RANK_MAX];
    index_of(source, cell, at);
    return !source->session || session_has_reached(source->session, at);
}

MatrixMark heat_flag(const HeatSource *source, FigureCell cell)
{
    static const MatrixMark flags[TRACE_MARKS] = {[TRACE_PLAIN] = MATRIX_PLAIN,
                                                  [TRACE_MASKED] = MATRIX_MASKED,
                                                  [TRACE_DROPPED] = MATRIX_DROPPED,
                                                  [TRACE_PADDED] = MATRIX_PADDED};
    ptrdiff_t at[TENSOR_RANK_MAX];
    index_of(source, cell, at);
    return flags[trace_mark_at(&source->marks, at)];
}

MatrixMark heat_mark(const HeatSource *source, FigureCell cell, float number)
{
    return heat_has_reached(source, cell) ? matrix_mark(heat_flag(source, cell), number)
                                          : MATRIX_NOT_YET;
}

// --- scale

float heat_times(const HeatSource *source, ptrdiff_t head, ptrdiff_t row)
{
    if (!source->even)
        return 1.0f;
    ptrdiff_t keys = figure_visible_keys(&source->data, source->sequence, head, row);
    return keys > 0 ? (float)keys : 1.0f;
}

static void widen(PoolRange *range, const HeatSource *source, FigureCell cell, float times)
{
    float number = figure_number(&source->data, source->sequence, cell);
    if (heat_mark(source, cell, number) != MATRIX_MASKED)
        *range = matrix_widen(*range, times * number);
}

// A number inside the scale does not widen it, whatever its mark is.
static void widen_by_row(PoolRange *range, const HeatSource *source, FigureCell first)
{
    ptrdiff_t step;
    float times = heat_times(source, first.head, first.row);
    const float *numbers = figure_numbers_from(&source->data, source->sequence, first, &step);
    FigureCell cell = first;
    for (; cell.column < first.column + source->columns; cell.column++) {
        float number = numbers ? times * numbers[(cell.column - first.column) * step] : NAN;
        if (!(number >= range->low && number <= range->high))
            widen(range, source, cell, times);
    }
}

static void widen_by_all(PoolRange *range, const HeatSource *source)
{
    for (ptrdiff_t head = 0; head < source->heads; head++)
        for (ptrdiff_t row = 0; row < source->rows; row++)
            widen_by_row(range, source,
                         (FigureCell){source->first_head + head, source->first_row + row,
                                      source->first_column});
}

HeatScale heat_scale(const HeatSource *source, const HeatSource *more, float least)
{
    PoolRange range = {0.0f, least};
    widen_by_all(&range, source);
    if (more)
        widen_by_all(&range, more);
    bool both_signs = range.low < 0.0f;
    if (both_signs)
        range = matrix_around_zero(range);
    else if (source->even)
        range.high = matrix_round_end(range.high); // as in pictures
    HeatScale scale = {.low = range.low, .high = range.high, .both_signs = both_signs};
    if (scale.high == 0.0f)
        scale.high = 1.0f;
    bool around_one = source->even && !both_signs && scale.high >= 1.0f;
    colour_table_around(both_signs ? COLOUR_DIVERGING : COLOUR_VIRIDIS,
                        around_one ? 1.0 / (double)scale.high : 0.5, scale.table);
    return scale;
}

Colour heat_colour(const HeatScale *scale, float number)
{
    return scale->table[colour_level(number, scale->low, scale->high)];
}

const char *heat_shade(const HeatScale *scale, float number)
{
    float share = fabsf(number) / scale->high;
    int shade = share < 1.0f ? (int)(share * HEAT_SHADES) : HEAT_SHADES - 1;
    return heat_shades[shade];
}
