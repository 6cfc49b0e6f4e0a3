// The numbers that a colour map goes over: of a map, of some of its rows, around zero.
#include "figure_internal.h"

#include "figure_cache.h"
#include "matrix.h"

PoolRange figure_signed_range(const FigurePen *pen, PoolRange range)
{
    return pen->request->map == COLOUR_DIVERGING ? matrix_around_zero(range) : range;
}

float figure_round_end(const FigurePen *pen, float end)
{
    return pen->data.is_weights ? matrix_round_end(end) : end;
}

PoolRange figure_round_range(const FigurePen *pen, PoolRange range)
{
    if (!pen->data.is_weights || range.low > range.high)
        return range;
    float low = range.low < 0.0f ? -matrix_round_end(-range.low) : 0.0f;
    return (PoolRange){low, matrix_round_end(range.high)};
}

// Whether all heads share one scale; where no weights are masked, an even share is no other.
bool figure_scale_is_of_all(const FigurePen *pen)
{
    return pen->request->scale == FIGURE_SCALE_ALL || pen->request->scale == FIGURE_SCALE_EVEN;
}

PoolRange figure_range(const FigurePen *pen, const FigureMap *map)
{
    const PoolRange *ranges = pen->cache->ranges.memory;
    PoolRange range = pen->request->scale == FIGURE_SCALE_UNIT ? (PoolRange){0.0f, 1.0f}
                      : figure_scale_is_of_all(pen)            ? pen->cache->all
                                                               : ranges[map - pen->figure->maps];
    if (pen->request->ends && figure_scale_is_of_all(pen))
        range = pool_join(range, *pen->request->ends);
    if (figure_scale_is_of_all(pen))
        range = figure_round_range(pen, range);
    return figure_signed_range(pen, range);
}

PoolRange figure_rows_range(const FigurePen *pen, ptrdiff_t head, ptrdiff_t row, ptrdiff_t rows)
{
    PoolRange range = pool_nothing;
    FigureCell cell = {head, row, 0};
    ptrdiff_t columns = pen->data.values.shape[3], batch = pen->request->batch, step;
    if (rows > pen->data.values.shape[2] - row)
        rows = pen->data.values.shape[2] - row;
    for (; cell.row < row + rows; cell.row++) {
        const float *numbers = figure_numbers_from(&pen->data, batch, cell, &step);
        for (ptrdiff_t column = 0; numbers && column < columns; column++)
            range = matrix_widen(range, numbers[column * step]);
        for (cell.column = 0; !numbers && cell.column < columns; cell.column++)
            range = matrix_widen(range, figure_number(&pen->data, batch, cell));
        cell.column = 0;
    }
    return figure_signed_range(pen, range);
}

bool figure_scale_is_even(const FigurePen *pen)
{
    return pen->request->scale == FIGURE_SCALE_EVEN && figure_has_shares(&pen->data);
}
