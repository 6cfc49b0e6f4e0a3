// stepper_window: see stepper_window.h.
//
// Session and heatmap each have a chosen element. `cell` is the one that both had when they last
// agreed: whoever differs from it has moved, and the other follows.
#include "stepper_window.h"

#include <stdio.h>
#include <string.h>
#include "session_figure.h"

static bool same_cell(const TraceCell *a, const TraceCell *b)
{
    return a->tensor == b->tensor && memcmp(a->at, b->at, sizeof a->at) == 0;
}

// --- the session moves, the window follows

static void say(Heatmap *heatmap, const char *words)
{
    Error refused;
    heatmap_apply(heatmap, words, &refused);
}

// In element and term depth the window, too, shows only what has been reached.
static void show_progress(StepperWindow *window, const Session *session)
{
    Heatmap *heatmap = &window->shown.heatmap;
    int output = session_main_output(session, session->cursor.step);
    heatmap->lead.led = heatmap->request.tensor == output && session->cursor.tensor == output;
    bool counts = session->cursor.depth != DEPTH_STAGE && heatmap->lead.led,
         counted = window->counts;
    ptrdiff_t computed = counts ? session_element(session) + 1 : -1;
    window->counts = counts;
    if ((!counts && !counted) || heatmap->request.computed == computed)
        return;
    heatmap->playing = false;
    heatmap->request.computed = computed;
    heatmap->changed = true;
}

static void forget(StepperWindow *window, const char *why)
{
    snprintf(window->gone, sizeof window->gone, "%.511s", why[0] ? why : "-");
    stepper_window_close(window);
}

// What the session looks at, or the first tensor of its trace that can be shown.
static int tensor_to_show(const Session *session)
{
    FigureRequest request = {.tensor = 0};
    Error err;
    if (session_figure_possible(session))
        return session->cursor.tensor;
    while (request.tensor < session->run.trace.tensor_count &&
           !figure_can_show(&session->run.trace, &request, &err))
        request.tensor++;
    return request.tensor;
}

static void agree(StepperWindow *window, const Session *session, TraceCell cell)
{
    window->cell = cell;
    snprintf(window->cell_name, sizeof window->cell_name, "%s",
             session->run.trace.tensors[cell.tensor].name);
}

// A lecture changes its scenario under way, an edit the numbers, a lane the trace: the window goes on
// with the new one, where it was. Where its place is gone, it goes to the element that is chosen.
static void renew(StepperWindow *window, const Session *session)
{
    Heatmap *heatmap = &window->shown.heatmap;
    HeatmapPlace was = heatmap->place, *is = &heatmap->place;
    Error err = {.text = ""};
    int tensor = tensor_to_show(session), before = heatmap->request.tensor;
    if (!window->open || window->run == session->run.number)
        return;
    window->run = session->run.number;
    window->cell.tensor = trace_find(&session->run.trace, window->cell_name);
    if (tensor == session->run.trace.tensor_count ||
        !heatmap_renew(heatmap, lane_window_trace(session), tensor, &err)) {
        forget(window, err.text);
        return;
    }
    bool same_shape = memcmp(was.shape, is->shape, sizeof was.shape) == 0;
    bool differs = heatmap->request.tensor == before && same_shape; // a tensor or its differences
    if (strcmp(was.tensor, is->tensor) != 0 && !differs)
        window->cell.tensor = -1;
}

static void open_window(StepperWindow *window, const Session *session)
{
    Error err = {.text = ""};
    if (!session_figure_possible(session)) {
        snprintf(window->gone, sizeof window->gone,
                 "the window shows numbers with rows and columns; this tensor has none yet");
        return;
    }
    const Trace *trace = lane_window_trace(session);
    window->open = heatmap_open(&window->shown.heatmap, trace,
                                trace->tensors[session->cursor.tensor].name, &err) &&
                   heatmap_window_open(&window->shown, &err);
    window->cell = (TraceCell){.tensor = -1};
    window->run = session->run.number;
    if (!window->open)
        forget(window, err.text);
}

static void follow(void *context, const Session *session)
{
    StepperWindow *window = context;
    Error err = {.text = ""};
    renew(window, session);
    if (!session->window && window->open)
        stepper_window_close(window);
    if (session->window && !window->open && window->gone[0] == '\0')
        open_window(window, session);
    if (!window->open)
        return;
    TraceCell cell = session_cell(session);
    if (session_figure_possible(session) && !same_cell(&cell, &window->cell)) {
        session_figure_point(&window->shown.heatmap, &session->run.trace, &cell);
        agree(window, session, cell);
    }
    show_progress(window, session);
    if (!heatmap_window_draw(&window->shown, &err))
        forget(window, err.text);
}

// --- the window moves, the session follows

// The element chosen in the window, where it lies in the tensor that the session looks at.
static bool window_cell(const StepperWindow *window, const Session *session, TraceCell *cell)
{
    const Heatmap *heatmap = &window->shown.heatmap;
    const FigureRequest *request = &heatmap->request;
    if (!heatmap->has_chosen || request->tensor != session->cursor.tensor || request->mean)
        return false;
    FigureAxes axes = session_figure_axes(&session->run.trace, request->tensor);
    *cell = window->cell;
    cell->tensor = request->tensor;
    if (axes.batch >= 0)
        cell->at[axes.batch] = request->batch;
    if (axes.head >= 0)
        cell->at[axes.head] = heatmap->chosen.head;
    cell->at[axes.row] = heatmap->chosen.row;
    cell->at[axes.column] = heatmap->chosen.column;
    return true;
}

// --- the window plays, and the session with it

static void want(StepperWindow *window, Command command)
{
    window->queue[window->queued++] = command;
}

// Where playing begins when all cells are there: at the first element of the sequence that is
// shown, or at its last one.
static Command start_of(const StepperWindow *window, const Session *session, bool last)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    FigureAxes axes = session_figure_axes(&session->run.trace, session->cursor.tensor);
    Command start = {.kind = COMMAND_ELEMENT, .rank = tensor->rank};
    for (int axis = 0; last && axis < tensor->rank; axis++)
        start.index[axis] = tensor->shape[axis] - 1;
    if (axes.batch >= 0)
        start.index[axes.batch] = window->shown.heatmap.request.batch;
    return start;
}

// Turns what was asked for in the window into commands; what is to be done first is put last.
static void lead(StepperWindow *window, const Session *session)
{
    enum { CELLS_A_SECOND = 8 };
    HeatmapLead asked = window->shown.heatmap.lead;
    bool begins = session->cursor.depth == DEPTH_STAGE, back = !asked.play && asked.cells < 0;
    ptrdiff_t cells = back ? -asked.cells : asked.cells - begins;
    window->shown.heatmap.lead = (HeatmapLead){.led = asked.led};
    if ((!asked.play && asked.cells == 0) || !asked.led)
        return;
    window->shown.chose = false;
    if (asked.play && session->play.on)
        want(window, (Command){.kind = COMMAND_PAUSE});
    else if (asked.play)
        want(window, (Command){.kind = COMMAND_PLAY, .number = CELLS_A_SECOND});
    else if (cells > 0)
        want(window, (Command){.kind = back ? COMMAND_PREVIOUS : COMMAND_NEXT, .number = cells});
    if (!begins)
        return;
    want(window, start_of(window, session, back));
    want(window, (Command){.kind = COMMAND_DEPTH, .name = "element"});
}

static bool next(void *context, const Session *session, Command *command)
{
    StepperWindow *window = context;
    Error err = {.text = ""};
    TraceCell cell;
    renew(window, session);
    if (window->open && window->shown.heatmap.playing)
        say(&window->shown.heatmap, "tick");
    if (window->open && !heatmap_window_take(&window->shown, &err))
        forget(window, err.text);
    if (window->gone[0] != '\0') {
        *command = (Command){.kind = COMMAND_WINDOW_GONE};
        snprintf(command->name, sizeof command->name, "%s", window->gone);
        window->gone[0] = '\0';
        return true;
    }
    if (window->open && window->queued == 0)
        lead(window, session);
    if (window->queued > 0) {
        *command = window->queue[--window->queued];
        return true;
    }
    // A pointer that only passes over the window chooses nothing.
    bool chose = window->shown.chose;
    window->shown.chose = false;
    if (!window->open || !chose || !window_cell(window, session, &cell) ||
        same_cell(&cell, &window->cell))
        return false;
    agree(window, session, cell);
    *command = (Command){.kind = COMMAND_ELEMENT, .rank = session_tensor(session)->tensor.rank};
    memcpy(command->index, cell.at, sizeof command->index);
    return true;
}

// --- for the loop

static int descriptor(const void *context)
{
    const StepperWindow *window = context;
    return window->open ? window->shown.window.fd : -1;
}

static int wait_at_most(const void *context)
{
    const StepperWindow *window = context;
    return window->open ? heatmap_window_wait(&window->shown) : -1;
}

TuiCompanion stepper_window_companion(StepperWindow *window)
{
    return (TuiCompanion){window, follow, descriptor, wait_at_most, next};
}

void stepper_window_close(StepperWindow *window)
{
    heatmap_window_close(&window->shown);
    window->open = false;
}
