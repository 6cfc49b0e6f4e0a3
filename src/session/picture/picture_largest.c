// picture_largest: the number to begin with; see picture_parts.h.
#include "picture_parts.h"

#include <math.h>
#include "figure_data.h"
#include "session_actions.h"
#include "session_words.h"

// Of several that are equally large the first, in the order of heads, rows, columns.
static bool largest_shown(const FigureRequest *request, const FigureData *data, FigureCell *cell)
{
    float most = -INFINITY;
    bool found = false;
    if (request->mean)
        return figure_largest(data, request, -1, cell, &most);
    if (!figure_shows_every_head(request))
        return figure_largest(data, request, request->head, cell, &most);
    for (ptrdiff_t head = 0; head < data->values.shape[1]; head++)
        if (figure_shows_head(request, head))
            found = figure_largest(data, request, head, cell, &most) || found;
    return found;
}

bool session_picture_largest(Session *session, const Command *command, Error *err)
{
    const FigureRequest *request = &session->picture.request;
    FigureCell cell = request->cursor;
    FigureData data;
    (void)command;
    if (!figure_data(picture_trace(session), request, &data, err))
        return false;
    if (!largest_shown(request, &data, &cell))
        return error_set(err, TELL(PICTURE_NO_LARGEST), picture_tensor_name(session));
    cell.head = request->mean ? request->head : cell.head;
    picture_go_to(session, cell);
    return true;
}
