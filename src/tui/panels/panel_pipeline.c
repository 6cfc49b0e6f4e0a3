// The pipeline: every step with the shape of what it makes, and where we are.
//
//   ✓ computed   ▸ shown now   ✗ could not be computed   (no mark) not yet computed
//   ● a breakpoint lies in it   * the last edit changed numbers in it
//
// A lecture asks for shapes before it shows them: there, a step that is not computed has none yet.
#include "panel.h"

#include <stdio.h>
#include <string.h>
#include "utf8.h"

enum {
    MARK_COLUMNS = 5,
    GAP = 2,
    SHAPE_TEXT_MAX = 128,
    FROM_COLUMNS = 64, // narrower screens leave it out
    WITH_LECTURE_FROM_COLUMNS = 100,
    RULE_COLUMNS = 2, // a line and a space, right of it
    MARGIN = 1,       // of what stands there
};

static const char *shape_text(const Session *session, int step, char text[SHAPE_TEXT_MAX])
{
    ptrdiff_t shape[TENSOR_RANK_MAX];
    int rank = trace_shape(&session->run.trace, session_main_output(session, step), shape);
    size_t used = 0;
    text[0] = '\0';
    for (int axis = 0; axis < rank && used < SHAPE_TEXT_MAX; axis++)
        used += (size_t)snprintf(text + used, SHAPE_TEXT_MAX - used, axis ? "\u00d7%td" : "%td",
                                 shape[axis]);
    return text;
}

static int widest_shape(const Session *session)
{
    char text[SHAPE_TEXT_MAX];
    int widest = 0;
    for (int step = 0; step < session->run.trace.step_count; step++) {
        int width = utf8_width(shape_text(session, step, text));
        widest = width > widest ? width : widest;
    }
    return widest;
}

// The columns that it would like, for every name and shape in full.
static int columns_wanted(const Session *session)
{
    char name[64];
    int widest = 0;
    for (int step = 0; step < session->run.trace.step_count; step++) {
        int width = utf8_width(trace_step_name(&session->run.trace, step, name));
        widest = width > widest ? width : widest;
    }
    return MARK_COLUMNS + widest + GAP + widest_shape(session);
}

// Up to its share of the width.
static int columns_of(const Session *session, int columns)
{
    int most = columns * 34 / 100, wanted = columns_wanted(session);
    if (columns < FROM_COLUMNS || (session->lecture && columns < WITH_LECTURE_FROM_COLUMNS))
        return 0;
    return wanted < most ? wanted : most;
}

static Area take(const Session *session, Area *left)
{
    int columns = columns_of(session, left->columns);
    int start = columns > 0 ? columns + RULE_COLUMNS : MARGIN;
    Area own = area_part(*left, 0, 0, columns > 0 ? left->rows : 0, columns + 1);
    *left = area_part(*left, 0, start, left->rows, left->columns - start - MARGIN);
    return own;
}

static const char *mark(const Session *session, int step)
{
    if (step == session->cursor.step)
        return session->run.failed ? "\u2717" : "\u25b8";
    return step < session->run.trace.steps_done ? "\u2713" : " ";
}

static const char *second_mark(const Session *session, int step)
{
    if (session_breaks_at(session, step))
        return "\u25cf";
    const TraceChange *change = what_if_change(session);
    const int *writes = session->run.trace.steps[step].writes;
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
        if (change && writes[slot] >= 0 && trace_changed(change, writes[slot])->changed_count > 0)
            return "*";
    return " ";
}

// The first step in the list so that the current one stays in the middle of a short one.
static int first_step(const Session *session, int rows)
{
    int first = session->cursor.step - rows / 2, last = session->run.trace.step_count - rows;
    first = first > last ? last : first;
    return first < 0 ? 0 : first;
}

// Of a step in a later layer, where the list is narrow: "7 view q" for "layer7 view q".
static const char *short_name(const Trace *trace, int step, int columns, char text[64])
{
    const char *name = trace_step_name(trace, step, text);
    int before = MARK_COLUMNS + (step >= 99 ? 1 : 0); // the number of the step has three digits
    bool fits = before + utf8_width(name) <= columns;
    return fits || trace->steps[step].layer == 0 ? name : name + strcspn(name, "0123456789");
}

static void draw(const Session *session, Area area)
{
    char name[64], shape[SHAPE_TEXT_MAX];
    int width = area.columns - 1, shapes = widest_shape(session);
    Area names = area_part(area, 0, 0, area.rows, width - shapes - 1);
    int first = first_step(session, area.rows);
    for (int row = 0; row < area.rows; row++) {
        int step = first + row;
        cells_text(area, row, width, ROLE_RULE, "\u2502");
        if (step >= session->run.trace.step_count)
            continue;
        bool done = step < session->run.trace.steps_done, current = step == session->cursor.step;
        Role role = current ? ROLE_CURRENT : done ? ROLE_TEXT : ROLE_QUIET;
        if (current)
            cells_fill(area, row, 0, width, role, " ");
        cells_format(names, row, 0, role, "%s%s%2d %s", mark(session, step),
                     second_mark(session, step), step + 1,
                     short_name(&session->run.trace, step, names.columns, name));
        if (done || !session->lecture)
            cells_text_right(area, row, width, role, shape_text(session, step, shape));
    }
}

static bool hit(const Session *session, Area area, int row, int column, Command *command)
{
    int step = first_step(session, area.rows) + row;
    *command = (Command){.kind = COMMAND_GOTO};
    snprintf(command->name, sizeof command->name, "%d", step + 1);
    return step < session->run.trace.step_count && column < area.columns - 1;
}

const Panel panel_pipeline = {.take = take, .draw = draw, .hit = hit};
