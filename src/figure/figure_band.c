// figure_band: the numbers of an origin in rows, one for each listed term; see figure_origin.h.
#include "figure_origin.h"

#include <stdio.h>
#include <string.h>

ptrdiff_t figure_band_term(const Explanation *explanation, int source)
{
    ptrdiff_t number = 0;
    while (number < explanation->listed &&
           explanation_term(explanation, number)->source_count <= source)
        number++;
    return number;
}

bool figure_band_occurs(const Explanation *explanation, FigureBand band)
{
    if (explanation->listed == 0)
        return false;
    switch (band) {
    case FIGURE_BAND_LEFT:
        return figure_band_term(explanation, 0) < explanation->listed;
    case FIGURE_BAND_RIGHT:
        return figure_band_term(explanation, 1) < explanation->listed;
    case FIGURE_BAND_RUNNING:
        return !explanation->is_softmax;
    case FIGURE_BAND_SHARE:
        return explanation->is_softmax;
    default:
        return true;
    }
}

bool figure_band_number(const Trace *trace, const Explanation *explanation, FigureBand band,
                        ptrdiff_t number, float *out)
{
    const TraceTerm *term = explanation_term(explanation, number);
    int source = band == FIGURE_BAND_RIGHT ? 1 : 0;
    TraceCell cell = explanation->cell;
    switch (band) {
    case FIGURE_BAND_VALUE:
        *out = term->value;
        return true;
    case FIGURE_BAND_RUNNING:
        *out = term->running;
        return true;
    case FIGURE_BAND_SHARE: // the weight of the same key
        memcpy(cell.at, term->sources[0].at, sizeof cell.at);
        *out = explanation_number(trace, cell);
        return true;
    default:
        if (source >= term->source_count)
            return false;
        *out = explanation_number(trace, term->sources[source]);
        return true;
    }
}

void figure_band_name(const Trace *trace, const Explanation *explanation, int source,
                      char text[TRACE_CELL_MAX])
{
    const TraceTerm *term = explanation_term(explanation, figure_band_term(explanation, source));
    const TraceCell *cell = &term->sources[source];
    const TraceTensor *tensor = &trace->tensors[cell->tensor];
    int open = explanation_axis(explanation, source);
    size_t used = (size_t)snprintf(text, TRACE_CELL_MAX, "%s[", tensor->name);
    for (int axis = 0; axis < tensor->tensor.rank && used < TRACE_CELL_MAX; axis++) {
        const char *comma = axis > 0 ? "," : "";
        used += axis == open ? (size_t)snprintf(text + used, TRACE_CELL_MAX - used, "%s:", comma)
                             : (size_t)snprintf(text + used, TRACE_CELL_MAX - used, "%s%td", comma,
                                                cell->at[axis]);
    }
    if (used < TRACE_CELL_MAX)
        snprintf(text + used, TRACE_CELL_MAX - used, "]");
}
