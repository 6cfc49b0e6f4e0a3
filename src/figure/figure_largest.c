// figure_largest: the cell with the most to show; see figure_data.h.
#include "figure_data.h"

static bool means_something(const FigureData *data, const FigureRequest *request, FigureCell cell)
{
    return figure_is_computed(data, request, cell) &&
           !figure_is_masked(data, request->batch, cell) &&
           !figure_is_padded(data, request->batch, cell) &&
           figure_row_is_asked(data, request->batch, cell.head, cell.row);
}

// Of a row: only numbers above `most` are looked at closely, so that most are only compared.
static bool search_row(const FigureData *data, const FigureRequest *request, FigureCell *best,
                       float *most)
{
    FigureCell cell = *best;
    ptrdiff_t step;
    const float *numbers = figure_numbers_from(data, request->batch, cell, &step);
    bool found = false;
    for (; cell.column < data->values.shape[3]; cell.column++) {
        float number =
            numbers ? numbers[cell.column * step] : figure_number(data, request->batch, cell);
        if (!(number > *most) || !means_something(data, request, cell))
            continue;
        *best = cell;
        *most = number;
        found = true;
    }
    return found;
}

bool figure_largest(const FigureData *data, const FigureRequest *request, ptrdiff_t head,
                    FigureCell *cell, float *most)
{
    bool shares = request->scale == FIGURE_SCALE_EVEN && figure_has_shares(data), found = false;
    ptrdiff_t of = head > 0 ? head : 0; // whose mask
    for (ptrdiff_t row = 0; row < data->values.shape[2]; row++) {
        if (figure_row_is_padding(data, request->batch, row))
            continue;
        FigureCell best = {.head = head, .row = row};
        float even = shares ? (float)figure_visible_keys(data, request->batch, of, row) : 1.0f;
        float least = *most / even;
        if (!search_row(data, request, &best, &least))
            continue;
        *cell = best;
        *most = least * even;
        found = true;
    }
    return found;
}
