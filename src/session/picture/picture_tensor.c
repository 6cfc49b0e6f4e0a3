// picture_tensor: which tensor the picture shows, and what stays of the view when it is another one;
// see picture.h and picture_parts.h.
#include "picture_parts.h"

#include <stdio.h>
#include <string.h>
#include "figure_data.h"
#include "session_actions.h"
#include "session_source.h"
#include "session_words.h"

// The last two axes are rows and columns. Of four axes the second counts maps, usually heads; of three
// the first does, unless it is B.
typedef struct Axes {
    int batch, head, row, column; // -1: there is none
} Axes;

static Axes axes_of(const Trace *trace, int tensor)
{
    int rank = trace->tensors[tensor].tensor.rank;
    Axes axes = {-1, -1, rank - 2, rank - 1};
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
    return lane_window_trace(session);
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

// --- the session's element, as a cell

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
    Axes axes = axes_of(picture_trace(session), tensor);
    const ptrdiff_t *at = session->cursor.views[tensor].at;
    return (FigureCell){along(at, axes.head), along(at, axes.row), along(at, axes.column)};
}

// The step that makes a tensor; of what none makes, the first that reads it, or the one that is shown.
static int step_of(const Session *session, int tensor)
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
    Axes axes = axes_of(picture_trace(session), to.tensor);
    memcpy(to.at, session->cursor.views[to.tensor].at, sizeof to.at);
    put_along(to.at, axes.batch, batch);
    put_along(to.at, axes.head, cell.head);
    put_along(to.at, axes.row, cell.row);
    put_along(to.at, axes.column, cell.column);
    int step =
        to.tensor == session->cursor.tensor ? session->cursor.step : step_of(session, to.tensor);
    session_show_cell(session, step, to);
}

// --- another tensor

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

// Changes what is drawn; where the session stands is another matter.
static bool show(Session *session, int number, Error *err)
{
    Picture *picture = &session->picture;
    PicturePlace *place = &picture->place;
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
    fit_view(&request, place->shape, data.values.shape);
    picture->request = request;
    if (strcmp(place->tensor, name) == 0)
        place->chosen.tensor = number;
    place->usual = fresh.map;
    place->usual_scale = fresh.scale;
    memcpy(place->shape, data.values.shape, sizeof place->shape);
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
    Axes axes = axes_of(picture_trace(session), request->tensor);
    const ptrdiff_t *at = session->cursor.views[request->tensor].at;
    FigureCell cell = within_shape(picture_chosen(session), picture->place.shape);
    if (axes.batch >= 0)
        request->batch = at[axes.batch];
    if (request->lock == FIGURE_UNLOCKED || !picture->has_chosen)
        request->cursor = cell;
    picture_put(session, request->batch, cell);
}

bool picture_look_at(Session *session, int tensor, Error *err)
{
    const Trace *trace = &session->run.trace;
    FigureRequest fresh = {.tensor = tensor};
    if (!figure_can_show(trace, &fresh, err))
        return false;
    session->cursor.step = step_of(session, tensor);
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
    Axes axes = axes_of(picture_trace(session), cell.tensor);
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
