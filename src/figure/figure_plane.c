// figure_plane: the numbers of a map as a matrix of float32; see figure_cache.h.
//
// The numbers of a head are read where they lie. The mean over heads, and integers, are copied once and
// kept as long as nothing else is shown.
#include "figure_cache.h"

enum { ROWS_AT_ONCE = 64, SHARED_NUMBERS_MIN = 1 << 18 };

bool figure_plane_needs_copy(const FigurePen *pen)
{
    return pen->figure->maps[0].head < 0 || pen->data.values.dtype != DTYPE_F32;
}

static Tensor copy_of(const FigurePen *pen, int map)
{
    const ptrdiff_t *shape = pen->data.values.shape;
    float *numbers = (float *)pen->cache->plane.memory + map * shape[2] * shape[3];
    return tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){shape[2], shape[3]});
}

Tensor figure_plane(const FigurePen *pen, int map)
{
    if (figure_plane_needs_copy(pen))
        return copy_of(pen, map);
    return tensor_matrix(&pen->data.values, pen->request->batch, pen->figure->maps[map].head);
}

static void add_row(ptrdiff_t count, const float *numbers, ptrdiff_t step, float *sums)
{
    if (step == 1) // a loop of its own, which can be vectors
        for (ptrdiff_t j = 0; j < count; j++)
            sums[j] += numbers[j];
    else
        for (ptrdiff_t j = 0; j < count; j++)
            sums[j] += numbers[j * step];
}

// A row of the mean, head by head: each number is added and divided as figure_number does it.
static void mean_row(const FigurePen *pen, ptrdiff_t row, float *out)
{
    const ptrdiff_t *shape = pen->data.values.shape;
    ptrdiff_t columns = shape[3], step;
    for (ptrdiff_t j = 0; j < columns; j++)
        out[j] = 0.0f;
    for (ptrdiff_t head = 0; head < shape[1]; head++) {
        const float *numbers =
            figure_numbers_from(&pen->data, pen->request->batch, (FigureCell){head, row, 0}, &step);
        add_row(columns, numbers, step, out);
    }
    for (ptrdiff_t j = 0; j < columns; j++)
        out[j] /= (float)shape[1];
}

static void copy_row(const FigurePen *pen, ptrdiff_t head, ptrdiff_t row, float *out)
{
    if (head < 0 && pen->data.values.dtype == DTYPE_F32) {
        mean_row(pen, row, out);
        return;
    }
    for (ptrdiff_t j = 0; j < pen->data.values.shape[3]; j++)
        out[j] = figure_number(&pen->data, pen->request->batch, (FigureCell){head, row, j});
}

static ptrdiff_t bands_of(const FigurePen *pen)
{
    return pool_count(pen->data.values.shape[2], ROWS_AT_ONCE);
}

static void copy_band(void *context, ptrdiff_t number)
{
    const FigurePen *pen = context;
    int map = (int)(number / bands_of(pen));
    ptrdiff_t first = number % bands_of(pen) * ROWS_AT_ONCE, rows = pen->data.values.shape[2];
    Tensor copy = copy_of(pen, map);
    for (ptrdiff_t row = first; row < first + ROWS_AT_ONCE && row < rows; row++)
        copy_row(pen, pen->figure->maps[map].head, row, tensor_at2(&copy, row, 0));
}

void figure_plane_copy(const FigurePen *pen)
{
    FigurePen context = *pen;
    const ptrdiff_t *shape = pen->data.values.shape;
    ptrdiff_t bands = pen->figure->map_count * bands_of(pen);
    if (bands * ROWS_AT_ONCE * shape[3] >= SHARED_NUMBERS_MIN)
        team_run(&pen->cache->team, bands, copy_band, &context);
    else
        for (ptrdiff_t number = 0; number < bands; number++)
            copy_band(&context, number);
}
