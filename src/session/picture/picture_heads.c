// picture_heads: see picture_parts.h.
#include "picture_parts.h"

#include "figure_data.h"
#include "session_words.h"

static FigureMode together(FigureMode mode)
{
    return mode == FIGURE_LINES ? FIGURE_ALL_LINES : mode == FIGURE_HEAD ? FIGURE_GRID : mode;
}

static FigureMode alone(FigureMode mode)
{
    return mode == FIGURE_ALL_LINES ? FIGURE_LINES : mode == FIGURE_GRID ? FIGURE_HEAD : mode;
}

// The head that keys act on may be one that is not shown; the cursor is in one that is, the nearest of
// the `count` there are.
static bool mark(Session *session, ptrdiff_t head, ptrdiff_t count)
{
    FigureRequest *request = &session->picture.request;
    FigureCell chosen = picture_chosen(session);
    request->head = request->cursor.head = chosen.head = head;
    bool found = false;
    for (ptrdiff_t away = 0; away < count && !found; away++)
        for (int way = -1; way <= 1 && !found; way += 2) {
            ptrdiff_t near = head + way * away;
            found = near >= 0 && near < count && figure_shows_head(request, near);
            if (found)
                request->cursor.head = chosen.head = near;
        }
    picture_put(session, request->batch, chosen);
    return true;
}

bool picture_pick(Session *session, ptrdiff_t head, Error *err)
{
    FigureRequest *request = &session->picture.request;
    FigureHeads heads = request->heads;
    FigureData data;
    if (!figure_data(picture_trace(session), request, &data, err))
        return false;
    ptrdiff_t count = data.values.shape[1];
    if (count < 2 || head >= FIGURE_HEADS_MAX)
        return error_set(err, "%s: %s", session->picture.place.tensor,
                         count < 2 ? TELL(HEADS_ONE) : TELL(HEADS_MANY));
    bool is_one = !figure_shows_every_head(request), begins = !figure_heads_any(&heads);
    for (ptrdiff_t each = 0; begins && each < count; each++)
        figure_heads_put(&heads, each, !is_one || each == request->head);
    bool stays = begins && is_one && head == request->head;
    figure_heads_put(&heads, head, stays || !figure_heads_has(&heads, head));
    if (figure_heads_count(&heads, count) == 0)
        return error_set(err, TELL(HEADS_STAY), together(request->mode) == FIGURE_GRID ? "g" : "L");
    request->heads = heads;
    request->mean = false;
    request->mode = together(request->mode);
    return mark(session, head, count);
}

bool picture_show_heads(Session *session, const char *words, Error *err)
{
    FigureRequest request = session->picture.request;
    ptrdiff_t first = -1;
    int count = 0;
    if (!figure_heads_read(&request.heads, words, err))
        return false;
    for (ptrdiff_t head = 0; head < FIGURE_HEADS_MAX; head++) {
        if (!figure_heads_has(&request.heads, head))
            continue;
        first = first < 0 ? head : first;
        request.head = head; // the highest: if that one exists, all do
        count++;
    }
    if (!figure_can_show(picture_trace(session), &request, err))
        return false;
    request.mean = false;
    request.mode = count == 1 ? alone(request.mode) : together(request.mode);
    if (count == 1)
        request.heads = (FigureHeads){.bits = {0}};
    session->picture.request = request;
    return first < 0 || mark(session, first, first + 1);
}

bool picture_mark_head(Session *session, int way)
{
    FigureRequest *request = &session->picture.request;
    FigureData data;
    Error err;
    if (!figure_heads_any(&request->heads) || !figure_shows_every_head(request) ||
        !figure_data(picture_trace(session), request, &data, &err))
        return false;
    ptrdiff_t count = data.values.shape[1];
    return mark(session, (request->head + way + count) % count, count);
}
