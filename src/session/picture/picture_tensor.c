// picture_tensor: which tensor the picture shows, and what stays of the view when it is another one;
// see picture.h and picture_parts.h.
#include "picture_parts.h"

#include <stdio.h>
#include <string.h>
#include "figure_data.h"
#include "session_actions.h"
#include "session_source.h"
#include "session_words.h"

static void name_axes(const Trace *trace, int tensor, PicturePlace *place)
{
    PictureAxes axes = picture_axes(trace, tensor);
    place->rows[0] = place->columns[0] = '\0';
    if (axes.row >= 0)
        trace_axis(trace, tensor, axes.row, place->rows);
    if (axes.column >= 0)
        trace_axis(trace, tensor, axes.column, place->columns);
}

// Whether a lock still holds in another tensor: a locked row, where the rows have the same axis; a locked
// cell, where the columns have the same axis as well.
static bool keeps_lock(const FigureRequest *request, const PicturePlace *was,
                       const PicturePlace *now)
{
    FigureCell cell = request->cursor;
    bool row =
        strcmp(was->rows, now->rows) == 0 && cell.head < now->shape[1] && cell.row < now->shape[2];
    bool column = strcmp(was->columns, now->columns) == 0 && cell.column < now->shape[3];
    return row && (column || request->lock == FIGURE_LOCKED_ROW);
}

// What was locked or zoomed into in numbers of another shape is not there any more.
static void fit_view(FigureRequest *request, const PicturePlace *was, const PicturePlace *now)
{
    const ptrdiff_t *shape = now->shape;
    if (!keeps_lock(request, was, now))
        request->lock = FIGURE_UNLOCKED;
    if (was->shape[2] != shape[2] || was->shape[3] != shape[3])
        request->zoom = 0;
    if (request->batch >= shape[0])
        request->batch = shape[0] - 1;
    if (request->head >= shape[1])
        request->head = shape[1] - 1;
}

// Changes what is drawn; where the session stands is another matter.
static bool show(Session *session, int number, Error *err)
{
    Picture *picture = &session->picture;
    PicturePlace *place = &picture->place, was = *place;
    const Trace *trace = picture_trace(session);
    const char *name = trace->tensors[number].name;
    FigureRequest fresh = figure_request(trace, number);
    FigureData data;
    if (!figure_data(trace, &fresh, &data, err))
        return false;
    FigureRequest request = place->tensor[0] ? picture->request : fresh;
    request.tensor = number;
    request.version = picture->request.version;
    // Colours that were chosen stay as long as the numbers are of the same kind.
    request.map = fresh.map == place->usual ? request.map : fresh.map;
    request.scale = fresh.scale == place->usual_scale ? request.scale : fresh.scale;
    request.computed = -1;
    memcpy(place->shape, data.values.shape, sizeof place->shape);
    name_axes(trace, number, place);
    fit_view(&request, &was, place);
    picture->request = request;
    if (strcmp(place->tensor, name) == 0)
        place->chosen.tensor = number;
    place->usual = fresh.map;
    place->usual_scale = fresh.scale;
    snprintf(place->tensor, sizeof place->tensor, "%s", name);
    picture_keep_cursor(session);
    return true;
}

static FigureCell within_shape(FigureCell cell, const ptrdiff_t shape[4])
{
    return (FigureCell){cell.head < shape[1] ? cell.head : shape[1] - 1,
                        cell.row < shape[2] ? cell.row : shape[2] - 1,
                        cell.column < shape[3] ? cell.column : shape[3] - 1};
}

// The element is the one that the session looks at there: axes of the same name keep their index, so
// that a word stays the same word where it is a row in one tensor and a column in another.
static void follow_axes(Session *session)
{
    Picture *picture = &session->picture;
    FigureRequest *request = &picture->request;
    PictureAxes axes = picture_axes(picture_trace(session), request->tensor);
    const ptrdiff_t *at = session->cursor.views[request->tensor].at;
    FigureCell cell = within_shape(picture_chosen(session), picture->place.shape);
    if (axes.batch >= 0)
        request->batch = at[axes.batch];
    request->cursor = cell; // of a locked row, too: its columns are others here
    picture_put(session, request->batch, cell);
}

bool picture_look_at(Session *session, int tensor, Error *err)
{
    const Trace *trace = &session->run.trace;
    FigureRequest fresh = {.tensor = tensor};
    if (!figure_can_show(trace, &fresh, err))
        return false;
    session->cursor.step = picture_step(session, tensor);
    session->run.failed = false;
    session_look_at(session, tensor);
    if (!show(session, tensor, err))
        return false;
    follow_axes(session);
    return true;
}

bool picture_look_further(Session *session, int way, Error *err)
{
    int count = session->run.trace.tensor_count;
    for (int step = 1; step < count; step++) {
        int number = ((session->picture.request.tensor + way * step) % count + count) % count;
        if (session->run.trace.tensors[number].step >= 0 && picture_look_at(session, number, err))
            return true;
    }
    return error_set(err, TELL(PICTURE_NO_OTHER));
}

// --- after every command

// What the session looks at, else the tensor that was shown, else the first that can be.
static void renew(Session *session, bool possible)
{
    Picture *picture = &session->picture;
    const Trace *trace = picture_trace(session);
    int same = trace_find(trace, picture->place.tensor);
    Error unused;
    if (picture->run != session->run.number)
        picture->request.version++;
    picture->run = session->run.number;
    if ((possible && show(session, session->cursor.tensor, &unused)) ||
        (same >= 0 && show(session, same, &unused)))
        return;
    for (int number = 0; number < trace->tensor_count; number++)
        if (show(session, number, &unused))
            return;
    picture->place.tensor[0] = '\0';
}

// An element that was chosen elsewhere is marked and visible here, too.
static void mark(Session *session)
{
    Picture *picture = &session->picture;
    TraceCell cell = session_cell(session);
    if (session_same_cell(cell, picture->place.chosen))
        return;
    PictureAxes axes = picture_axes(picture_trace(session), cell.tensor);
    picture->request.batch = axes.batch >= 0 ? cell.at[axes.batch] : 0;
    picture_go_to(session, picture_chosen(session));
    picture->place.chosen = cell;
}

// In element and term depth only what has been reached is shown.
static void show_progress(Session *session)
{
    FigureRequest *request = &session->picture.request;
    int output = session_main_output(session, session->cursor.step);
    bool counts = session->cursor.depth != DEPTH_STAGE && request->tensor == output &&
                  session->cursor.tensor == output;
    request->computed = counts ? session_element(session) + 1 : -1;
}

// Whose numbers these are.
static void note_source(Session *session)
{
    Picture *picture = &session->picture;
    session_changed_by(session, picture->changed);
    picture->request.changed = picture->changed[0] ? picture->changed : NULL;
    picture->request.document = session_document(session);
    picture->request.weights = session_own_weights(session);
}

// The origin is shown as long as the session has one: whoever closes it sees the maps again.
static void note_origin(Session *session)
{
    Picture *picture = &session->picture;
    FigureRequest *request = &picture->request;
    picture->shows_origin = picture->shows_origin && session->look.detail == DETAIL_ORIGIN;
    request->origin = picture->shows_origin && session->origin.known;
    if (!request->origin)
        return;
    request->origin_cell = session->origin.explanation.cell;
    request->origin_marked = session->origin.marked;
}

void picture_follow(Session *session, CommandKind kind)
{
    Picture *picture = &session->picture;
    bool possible = picture_possible(session);
    if (picture->run != session->run.number ||
        (possible && picture->request.tensor != session->cursor.tensor))
        renew(session, possible);
    if (!picture_is_there(session))
        return;
    if (command_is(kind, COMMAND_OF_PICTURE))
        picture->place.chosen = session_cell(session);
    else if (possible)
        mark(session);
    show_progress(session);
    note_source(session);
    note_origin(session);
    picture_note_compare(session, kind);
    if (kind != COMMAND_PRESS && !command_is(kind, COMMAND_SILENT))
        picture->lock_before = picture->request.lock;
}
