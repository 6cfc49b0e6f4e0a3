// picture_cell: an element of the session as a cell of the picture, and back; see picture_parts.h.
#include "picture_parts.h"

#include <string.h>
#include "figure_data.h"
#include "session_actions.h"

PictureAxes picture_axes(const Trace *trace, int tensor)
{
    int rank = trace->tensors[tensor].tensor.rank;
    PictureAxes axes = {-1, -1, rank - 2, rank - 1};
    char name[16];
    if (rank < 3)
        return axes;
    trace_axis(trace, tensor, 0, name);
    bool batch = rank == 4 || strcmp(name, "B") == 0 || strcmp(name, "layers") == 0;
    axes.batch = batch ? 0 : -1;
    axes.head = rank == 4 ? 1 : batch ? -1 : 0;
    return axes;
}

const Trace *picture_trace(const Session *session)
{
    return comparison_window_trace(session);
}

bool picture_is_there(const Session *session)
{
    return session->picture.place.tensor[0] != '\0';
}

bool picture_possible(const Session *session)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    FigureRequest request = {.tensor = session->cursor.tensor};
    Error err;
    return tensor->storage.bytes && tensor->rank >= 2 &&
           figure_can_show(&session->run.trace, &request, &err);
}

const char *picture_tensor_name(const Session *session)
{
    return session->picture.place.tensor;
}

// A tensor of one axis is one row: what is not there counts as 0, and is not put anywhere.
static ptrdiff_t along(const ptrdiff_t *at, int axis)
{
    return axis >= 0 ? at[axis] : 0;
}

static void put_along(ptrdiff_t *at, int axis, ptrdiff_t index)
{
    if (axis >= 0)
        at[axis] = index;
}

FigureCell picture_chosen(const Session *session)
{
    int tensor = session->picture.request.tensor;
    PictureAxes axes = picture_axes(picture_trace(session), tensor);
    const ptrdiff_t *at = session->cursor.views[tensor].at;
    return (FigureCell){along(at, axes.head), along(at, axes.row), along(at, axes.column)};
}

int picture_step(const Session *session, int tensor)
{
    int tensors[SESSION_TENSORS_MAX];
    int made = session->run.trace.tensors[tensor].step;
    for (int step = 0; made < 0 && step < session->run.trace.step_count; step++) {
        int count = session_tensors(session, step, tensors);
        for (int i = 0; i < count && made < 0; i++)
            made = tensors[i] == tensor ? step : -1;
    }
    return made >= 0 ? made : session->cursor.step;
}

void picture_put(Session *session, ptrdiff_t batch, FigureCell cell)
{
    TraceCell to = {.tensor = session->picture.request.tensor};
    PictureAxes axes = picture_axes(picture_trace(session), to.tensor);
    memcpy(to.at, session->cursor.views[to.tensor].at, sizeof to.at);
    put_along(to.at, axes.batch, batch);
    put_along(to.at, axes.head, cell.head);
    put_along(to.at, axes.row, cell.row);
    put_along(to.at, axes.column, cell.column);
    int step = to.tensor == session->cursor.tensor ? session->cursor.step
                                                   : picture_step(session, to.tensor);
    session_show_cell(session, step, to);
}
