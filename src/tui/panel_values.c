// The values of the tensor looked at: two of its axes as a grid, the index on the others, and the chosen
// element in full. Only what is visible is formatted.
#include <stdio.h>
#include <string.h>
#include "panel.h"
#include "parts.h"
#include "tui_words.def"
#include "utf8.h"

// --- one number

static const char *const mark_signs[TRACE_MARKS] = {[TRACE_PLAIN] = "",
                                                    [TRACE_MASKED] = "\u2573",
                                                    [TRACE_DROPPED] = "\u2573",
                                                    [TRACE_PADDED] = "\u2591"};

// Draws element `at` so that it ends before column `end`. Beside it stand, by shape and not by colour:
//   ╳ masked or dropped   ░ of padding   · in its place: not computed yet
static void values_number(const Session *session, const ValuesGrid *grid, const ptrdiff_t at[],
                          int row, int end)
{
    const Tensor *tensor = grid->tensor;
    char text[NUMBER_TEXT_MAX], marked[NUMBER_TEXT_MAX + 4];
    TraceMark mark = trace_mark_at(&grid->marks, at);
    if (!session_has_reached(session, at)) {
        cells_text_right(grid->area, row, end, ROLE_QUIET, "\u00b7");
        return;
    }
    number_cell(tensor, at, grid->look, text);
    if (mark != TRACE_PLAIN) {
        snprintf(marked, sizeof marked, "%s%s", mark_signs[mark], text + strspn(text, " "));
        cells_text_right(grid->area, row, end, ROLE_MARKED, marked);
        return;
    }
    const Tensor *before;
    TraceCell cell = {.tensor = session->cursor.tensor};
    memcpy(cell.at, at, sizeof cell.at);
    if (what_if_before(session, cell, &before)) {
        snprintf(marked, sizeof marked, "*%s", text + strspn(text, " "));
        cells_text_right(grid->area, row, end, ROLE_CHANGED, marked);
    } else {
        cells_text_right(grid->area, row, end, ROLE_TEXT, text);
    }
    if (tensor->dtype == DTYPE_F32)
        cells_shade(grid->area, row, end - grid->look.width, grid->look.width,
                    number_shade(tensor->storage.f32[tensor_place(tensor, at)], grid->largest,
                                 grid->area.cells->colours));
}

// In the middle of its terms the chosen element is what they have come to so far: the running value,
// as a tensor of one number. False elsewhere.
static bool running_value(const Session *session, float *number, Tensor *tensor)
{
    SessionTerm now;
    bool is_output = session->cursor.tensor == session_main_output(session, session->cursor.step);
    if (!is_output || session_tensor(session)->tensor.dtype != DTYPE_F32 ||
        !session_term(session, &now) || now.number + 1 == now.count)
        return false;
    *number = now.term.running;
    *tensor = tensor_over(number, DTYPE_F32, 0, NULL);
    return true;
}

// Draws the chosen element in its frame. In the middle of its terms it is what they have come to.
static void values_chosen_number(const Session *session, const ValuesGrid *grid, int row, int end)
{
    char text[NUMBER_TEXT_MAX], framed[NUMBER_TEXT_MAX + 2];
    float number;
    Tensor running;
    if (running_value(session, &number, &running))
        number_cell(&running, NULL, grid->look, text);
    else
        number_cell(grid->tensor, grid->view->at, grid->look, text);
    snprintf(framed, sizeof framed, "[%s]", text + strspn(text, " "));
    cells_text_right(grid->area, row, end + 1, ROLE_CURRENT, framed);
}

// The chosen element with every digit. True in the middle of its terms: then it is not yet whole.
static bool values_chosen_in_full(const Session *session, const ValuesGrid *grid,
                                  char text[NUMBER_TEXT_MAX])
{
    float number;
    Tensor running;
    bool is_running = running_value(session, &number, &running);
    const Tensor *tensor = is_running ? &running : grid->tensor;
    if (session->look.notation == NUMBER_HEXADECIMAL && tensor->dtype == DTYPE_F32)
        number_hexadecimal_text(tensor->storage.f32[tensor_place(tensor, grid->view->at)], text);
    else
        number_text(tensor, grid->view->at, text);
    return is_running;
}

// What the mark_signs in sight mean, "" where there are none.
static const char *values_marks_in_words(const ValuesGrid *grid)
{
    bool padding = grid->has_mark[TRACE_PADDED];
    if (grid->has_mark[TRACE_MASKED])
        return padding ? TELL(MARKS_MASKED_PADDING) : TELL(MARKS_MASKED);
    if (grid->has_mark[TRACE_DROPPED])
        return padding ? TELL(MARKS_DROPPED_PADDING) : TELL(MARKS_DROPPED);
    return padding ? TELL(MARKS_PADDING) : "";
}

// --- the panel

enum { GAP = 2 }; // between values and what stands beside them

// "rows: queries (Lq)"; without the letters where `brief`.
static void tell_axis(const Session *session, const char *what, int axis, bool brief,
                      char text[TENSOR_TEXT_MAX])
{
    const Trace *trace = &session->run.trace;
    char name[16];
    text[0] = '\0';
    if (axis < 0 || !trace_axis(trace, session->cursor.tensor, axis, name))
        return;
    const char *counts = trace_axis_words(trace, session->cursor.tensor, axis);
    snprintf(text, TENSOR_TEXT_MAX, brief ? "%s: %s" : "%s: %s (%s)", what,
             counts[0] ? counts : TELL(VALUES_POSITIONS), name);
}

static void draw_title(const Session *session, Area area)
{
    const SessionView *view = session_view(session);
    char rows[TENSOR_TEXT_MAX], across[TENSOR_TEXT_MAX], text[2 * TENSOR_TEXT_MAX + 4];
    cells_fill(area, 0, 0, area.columns, ROLE_RULE, "\u2500");
    int column = 1;
    column += cells_format(area, 0, column, ROLE_HEADING, " %s ", session_tensor(session)->name);
    for (int brief = 0; brief <= 1; brief++) {
        tell_axis(session, TELL(VALUES_ROWS), view->row_axis, brief, rows);
        tell_axis(session, TELL(VALUES_COLUMNS), view->column_axis, brief, across);
        snprintf(text, sizeof text, " %s%s%s ", rows, rows[0] && across[0] ? ", " : "", across);
        if (brief || column + 1 + utf8_width(text) < area.columns)
            break;
    }
    if (rows[0] || across[0])
        cells_text(area, 0, column + 1, ROLE_TEXT, text);
}

// What marks and notation mean, on the right of the picker; the marks before the notation where not
// both have room.
static void draw_legend(const ValuesGrid *grid, Area area, int column)
{
    const char *marks = values_marks_in_words(grid);
    const char *look = number_look_in_words(grid->tensor, grid->look);
    char both[128];
    snprintf(both, sizeof both, "%s%s%s", marks, marks[0] ? "  " : "", look);
    const char *const choices[] = {both, marks[0] ? marks : look};
    for (int i = 0; i < 2; i++)
        if (column + utf8_width(choices[i]) <= area.columns) {
            cells_text_right(area, 1, area.columns, ROLE_QUIET, choices[i]);
            return;
        }
}

// "B 0/9   ▸H 3/7": the axes beyond the two on screen, the marked one first to be changed.
static void draw_picker(const Session *session, const ValuesGrid *grid, Area area)
{
    char name[16], word[64];
    int column = 0;
    for (int axis = 0; axis < grid->tensor->rank; axis++) {
        if (!session_axis_is_picked(session, axis))
            continue;
        bool marked = axis == grid->view->marked_axis && grid->tensor->shape[axis] > 1;
        trace_axis(&session->run.trace, session->cursor.tensor, axis, name);
        values_shared_label(session, axis, grid->view->at[axis], word);
        column +=
            cells_format(area, 1, column, marked ? ROLE_CURRENT : ROLE_TEXT, "%s%s %td/%td%s%s ",
                         marked ? "\u25b8" : " ", name, grid->view->at[axis],
                         grid->tensor->shape[axis] - 1, word[0] ? " " : "", word);
        column += 2;
    }
    draw_legend(grid, area, column);
}

// The index, and the word where there are any; those of the chosen element stand out.
static void draw_column_header(const Session *session, const ValuesGrid *grid, ptrdiff_t index,
                               Area area, int end)
{
    int axis = grid->view->column_axis;
    bool chosen = axis < 0 || index == grid->view->at[axis];
    char text[64], cut[64];
    snprintf(text, sizeof text, "%td", index);
    cells_text_right(area, VALUES_TITLE_ROWS, end, chosen ? ROLE_HEADING : ROLE_QUIET, text);
    if (!grid->column_labels)
        return;
    utf8_cut(values_shared_label(session, axis, index, text), grid->pitch - 1, cut, sizeof cut);
    cells_text_right(area, VALUES_TITLE_ROWS + 1, end, chosen ? ROLE_CURRENT : ROLE_HEADING, cut);
}

static void draw_row_header(const Session *session, const ValuesGrid *grid, ptrdiff_t index,
                            Area area, int line)
{
    int axis = grid->view->row_axis;
    bool chosen = index == grid->view->at[axis];
    char text[64], cut[64];
    snprintf(text, sizeof text, "%td", index);
    cells_text_right(area, line, grid->index_columns - 1, chosen ? ROLE_HEADING : ROLE_QUIET, text);
    utf8_cut(values_shared_label(session, axis, index, text), VALUES_ROW_LABEL_MAX, cut,
             sizeof cut);
    cells_text(area, line, grid->index_columns, chosen ? ROLE_CURRENT : ROLE_HEADING, cut);
}

static void draw_row(const Session *session, const ValuesGrid *grid, Area area, ptrdiff_t row)
{
    const SessionView *view = grid->view;
    ptrdiff_t at[TENSOR_RANK_MAX];
    int line = grid->first_row + (int)row;
    memcpy(at, view->at, sizeof at);
    if (view->row_axis >= 0) {
        at[view->row_axis] = view->first_row + row;
        draw_row_header(session, grid, at[view->row_axis], area, line);
    }
    for (ptrdiff_t column = 0; column < grid->columns; column++) {
        if (view->column_axis >= 0)
            at[view->column_axis] = view->first_column + column;
        values_number(session, grid, at, line, values_column_start(grid, column + 1));
    }
}

// The chosen number comes last: its frame reaches into its neighbours.
static void draw_grid(const Session *session, const ValuesGrid *grid, Area area)
{
    const SessionView *view = grid->view;
    ptrdiff_t row = view->row_axis < 0 ? 0 : view->at[view->row_axis] - view->first_row;
    ptrdiff_t across = view->column_axis < 0 ? 0 : view->at[view->column_axis] - view->first_column;
    for (ptrdiff_t column = 0; column < grid->columns; column++)
        draw_column_header(session, grid, view->first_column + column, area,
                           values_column_start(grid, column + 1));
    for (ptrdiff_t visible = 0; visible < grid->rows; visible++)
        draw_row(session, grid, area, visible);
    if (row >= 0 && row < grid->rows && across >= 0 && across < grid->columns)
        values_chosen_number(session, grid, grid->first_row + (int)row,
                             values_column_start(grid, across + 1));
}

// "Lq "is" Lk "very"": the words of the chosen element.
static void chosen_words(const Session *session, const ValuesGrid *grid, char text[512])
{
    char word[64], name[16];
    size_t used = 0;
    text[0] = '\0';
    for (int axis = 0; axis < grid->tensor->rank; axis++) {
        if (!values_label(session, axis, grid->view->at[axis], word)[0])
            continue;
        trace_axis(&session->run.trace, session->cursor.tensor, axis, name);
        used += (size_t)snprintf(text + used, 512 - used, "  %s \"%s\"", name, word);
    }
}

// "scores[0, 3, 2, 1] = 0.0123456789  Lq "is"  Lk "very""
static void draw_chosen(const Session *session, const ValuesGrid *grid, Area area)
{
    char number[NUMBER_TEXT_MAX], index[TENSOR_TEXT_MAX] = "", words[512];
    int row = area.rows - VALUES_CHOSEN_ROWS;
    size_t used = 0;
    for (int axis = 0; axis < grid->tensor->rank; axis++)
        used += (size_t)snprintf(index + used, sizeof index - used, axis ? ", %td" : "%td",
                                 grid->view->at[axis]);
    bool is_running = values_chosen_in_full(session, grid, number);
    int column =
        cells_format(area, row, 0, ROLE_CURRENT, "%s[%s] = %s%s", session_tensor(session)->name,
                     index, number, is_running ? TELL(VALUES_SO_FAR) : "");
    const Tensor *before;
    if (what_if_before(session, session_cell(session), &before))
        column += cells_format(area, row, column, ROLE_CHANGED, TELL(VALUES_WAS),
                               number_text(before, grid->view->at, number));
    chosen_words(session, grid, words);
    column += cells_text(area, row, column, ROLE_TEXT, words);
    TraceMark mark = trace_mark_at(&grid->marks, grid->view->at);
    cells_format(area, row, column + 2, ROLE_HEADING, "%s", trace_mark_word(mark));
}

// Values and a detail share what is left.
static Area take(const Session *session, Area *left)
{
    Area own = panel_values_share(session, *left);
    if (own.rows == left->rows && own.columns < left->columns)
        *left =
            area_part(*left, 0, own.columns + GAP, left->rows, left->columns - own.columns - GAP);
    else
        area_cut_top(left, own.rows);
    return own;
}

static void room(const Session *session, Area area, ScreenSize *room)
{
    ValuesGrid grid = values_grid(session, area);
    room->rows = grid.room_rows;
    room->columns = grid.room_columns;
}

static void draw_absence(const Session *session, Area area)
{
    int row = VALUES_TITLE_ROWS;
    if (!session->run.failed) {
        cells_text(area, row, 0, ROLE_QUIET, TELL(VALUES_NO_NUMBERS));
        return;
    }
    row += cells_text(area, row, 0, ROLE_ALARM, TELL(VALUES_FAILED)) > 0;
    row += cells_paragraph(area, row, area.rows - row - 1, 2, ROLE_TEXT, session->run.failure.text);
    cells_text(area, row, 0, ROLE_QUIET, TELL(VALUES_KEPT));
}

static void draw(const Session *session, Area area)
{
    ValuesGrid grid = values_grid(session, area);
    draw_title(session, area);
    if (!session_has_values(session)) {
        draw_absence(session, area);
        return;
    }
    draw_picker(session, &grid, area);
    draw_grid(session, &grid, area);
    draw_chosen(session, &grid, area);
}

static bool hit(const Session *session, Area area, int row, int column, Command *command)
{
    ValuesGrid grid = values_grid(session, area);
    int down = row - grid.first_row, across = column - values_column_start(&grid, 0);
    if (!session_has_values(session) || down < 0 || down >= grid.rows || across < 0 ||
        across / grid.pitch >= grid.columns)
        return false;
    *command = (Command){.kind = COMMAND_ELEMENT, .rank = grid.tensor->rank};
    memcpy(command->index, grid.view->at, sizeof command->index);
    if (grid.view->row_axis >= 0)
        command->index[grid.view->row_axis] = grid.view->first_row + down;
    if (grid.view->column_axis >= 0)
        command->index[grid.view->column_axis] = grid.view->first_column + across / grid.pitch;
    return true;
}

// --- what can be done

// Axes beyond the two on screen that have more than one index to choose.
static int picked_axes(const Session *session)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    int count = 0;
    for (int axis = 0; axis < tensor->rank; axis++)
        count += session_axis_is_picked(session, axis) && tensor->shape[axis] > 1;
    return count;
}

static void add_steps(const Session *session, Hints *hints)
{
    static const Words next_labels[DEPTH_COUNT] = {
        [DEPTH_STAGE] = {{NULL}},
        [DEPTH_ELEMENT] = WORDS("next element", "다음 원소"),
        [DEPTH_TERM] = WORDS("next term", "다음 항"),
    };
    bool more = session->cursor.step + 1 < session->run.trace.step_count && !session->run.failed;
    bool walks = session->cursor.depth != DEPTH_STAGE;
    hints_add_as(hints, more || walks, COMMAND_NEXT,
                 words_tell(next_labels[session->cursor.depth]));
    // Where P turns a page back, the label of p must say that it goes a step back.
    hints_add_as(hints, session->cursor.step > 0 || walks, COMMAND_PREVIOUS,
                 session->lecture ? TELL(HINT_STEP_BACK) : NULL);
    hints_add_as(hints, session->play.on, COMMAND_PLAY_PAUSE, TELL(HINT_PAUSE));
}

static void hints(const Session *session, Hints *hints)
{
    bool has_values = session_has_values(session);
    int picked = picked_axes(session);
    hints->use = HINT_LEADS_ON;
    add_steps(session, hints);
    hints->use = HINT_MOVES;
    hints_add(hints, has_values, hint_arrows, TELL(HINT_MOVE));
    bool has_layers = session->run.trace.scenario->layers > 1; // which have the keys of the index
    hints_add(hints, has_layers, (HintCommands){{COMMAND_LAYER_PREVIOUS, COMMAND_LAYER_NEXT}, 2},
              NULL);
    hints_add(hints, picked > 0 && !has_layers,
              (HintCommands){{COMMAND_PICK_PREVIOUS, COMMAND_PICK_NEXT}, 2}, NULL);
    hints_add_one(hints, picked > 1, COMMAND_AXIS_NEXT);
    hints_add_one(hints, has_values, COMMAND_DEPTH_NEXT);
    hints_add_one(hints, true, COMMAND_PROMPT);
    hints->use = HINT_ALTERS;
    hints_add_one(hints, has_values, COMMAND_FLIP);
    hints_add_one(hints, !session->play.on, COMMAND_PLAY_PAUSE);
    hints_add_one(hints, picked > 0, COMMAND_ROWS);
    hints_add_one(hints, picked > 0, COMMAND_COLUMNS);
}

const Panel panel_values = {
    .take = take,
    .draw = draw,
    .room = room,
    .hit = hit,
    .hints = hints,
};
