// session_figure: see session_figure.h.
#include "session_figure.h"

#include <stdio.h>
#include <string.h>

FigureAxes session_figure_axes(const Trace *trace, int tensor)
{
    int rank = trace->tensors[tensor].tensor.rank;
    FigureAxes axes = {-1, -1, rank - 2, rank - 1};
    char name[16];
    if (rank < 3)
        return axes;
    trace_axis(trace, tensor, 0, name);
    bool batch = rank == 4 || strcmp(name, "B") == 0;
    axes.batch = batch ? 0 : -1;
    axes.head = rank == 4 ? 1 : batch ? -1 : 0;
    return axes;
}

bool session_figure_possible(const Session *session)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    FigureRequest request = {.tensor = session->cursor.tensor};
    Error err;
    return tensor->storage.bytes && tensor->rank >= 2 &&
           figure_can_show(&session->run.trace, &request, &err);
}

static void say(Heatmap *heatmap, const char *words)
{
    Error refused;
    heatmap_apply(heatmap, words, &refused);
}

void session_figure_point(Heatmap *heatmap, const Trace *trace, const TraceCell *cell)
{
    FigureAxes axes = session_figure_axes(trace, cell->tensor);
    ptrdiff_t batch = axes.batch >= 0 ? cell->at[axes.batch] : 0;
    ptrdiff_t head = axes.head >= 0 ? cell->at[axes.head] : 0;
    char words[160];
    if (heatmap->request.tensor != cell->tensor) {
        snprintf(words, sizeof words, "tensor %s", trace->tensors[cell->tensor].name);
        say(heatmap, words);
    }
    if (heatmap->request.batch != batch) {
        snprintf(words, sizeof words, "batch %td", batch);
        say(heatmap, words);
    }
    snprintf(words, sizeof words, "cursor %td %td %td", head, cell->at[axes.row],
             cell->at[axes.column]);
    say(heatmap, words);
}
