// heatmap_tensor: from tensor to tensor, and from trace to trace; see heatmap_tensor.h, heatmap.h.
#include "heatmap_tensor.h"

#include <stdio.h>
#include <string.h>
#include "figure_data.h"
#include "heatmap_move.h"

static bool is_within(FigureCell cell, const ptrdiff_t shape[4])
{
    return cell.head < shape[1] && cell.row < shape[2] && cell.column < shape[3];
}

// What was locked or zoomed into in numbers of another shape is not there any more.
static void fit_view(FigureRequest *request, const ptrdiff_t was[4], const ptrdiff_t shape[4])
{
    if (!is_within(request->cursor, shape))
        request->lock = FIGURE_UNLOCKED;
    if (was[2] != shape[2] || was[3] != shape[3])
        request->zoom = 0;
    if (request->batch >= shape[0])
        request->batch = shape[0] - 1;
    if (request->head >= shape[1])
        request->head = shape[1] - 1;
}

bool heatmap_show_tensor(Heatmap *heatmap, int number, Error *err)
{
    FigureRequest fresh = figure_request(heatmap->trace, number), request = heatmap->request;
    HeatmapPlace *place = &heatmap->place;
    FigureData data;
    if (!figure_data(heatmap->trace, &fresh, &data, err))
        return false;
    request.tensor = number;
    // Colours that were chosen stay as long as the numbers are of the same kind.
    request.map = fresh.map == place->usual ? request.map : fresh.map;
    request.computed = -1;
    fit_view(&request, place->shape, data.values.shape);
    heatmap->playing = false;
    heatmap->request = request;
    place->usual = fresh.map;
    memcpy(place->shape, data.values.shape, sizeof place->shape);
    snprintf(place->tensor, sizeof place->tensor, "%s", heatmap->trace->tensors[number].name);
    heatmap_keep_cursor(heatmap);
    return true;
}

bool heatmap_other_tensor(Heatmap *heatmap, int way, Error *err)
{
    int count = heatmap->trace->tensor_count;
    for (int step = 1; step < count; step++) {
        int number = ((heatmap->request.tensor + way * step) % count + count) % count;
        if (heatmap->trace->tensors[number].step >= 0 && heatmap_show_tensor(heatmap, number, err))
            return true;
    }
    return error_set(err, "there is no other tensor to show");
}

bool heatmap_renew(Heatmap *heatmap, const Trace *trace, int tensor, Error *err)
{
    int same = trace_find(trace, heatmap->place.tensor);
    heatmap->trace = trace;
    heatmap->request.version++;
    heatmap->changed = true;
    return (same >= 0 && heatmap_show_tensor(heatmap, same, err)) ||
           heatmap_show_tensor(heatmap, tensor, err);
}
