// What a session looks at as a figure: which of its tensors can be one, and the chosen element in it.
#ifndef SESSION_FIGURE_H
#define SESSION_FIGURE_H

#include "heatmap.h"
#include "session.h"

// The axes of a figure: the last two are rows and columns. Of four axes the second counts maps,
// usually heads; of three the first does, unless it is B.
typedef struct FigureAxes {
    int batch, head, row, column; // -1: there is none
} FigureAxes;

FigureAxes session_figure_axes(const Trace *trace, int tensor);

// True when the tensor looked at can be a picture.
bool session_figure_possible(const Session *session);

// Shows an element of a trace in a heatmap of it: its tensor, its sequence, the cursor on it.
void session_figure_point(Heatmap *heatmap, const Trace *trace, const TraceCell *cell);

#endif
