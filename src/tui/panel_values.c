// The values of the current tensor: two axes as a grid, the indices of the others, and the chosen element in full.
// Formats only what is visible.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "display_list.h"
#include "number_text.h"
#include "panel.h"
#include "scenario_file.h"
#include "tui_words.def"
#include "utf8.h"

// --- one number

static const char *const mark_signs[TRACE_MARKS] = {[TRACE_PLAIN] = "",
                                                    [TRACE_MASKED] = "\u2573",
                                                    [TRACE_DROPPED] = "\u2573",
                                                    [TRACE_PADDED] = "\u2591"};

// Draws element `at` so that it ends before column `end`, with a mark that needs no colour:
//   ╳ masked or dropped   ░ padding   · (instead) not computed yet
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

// At term depth, before the last term: the running value as a tensor of one number. Else false.
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

// Draws the chosen element, or its running value, in a frame.
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

// Writes the chosen element, or its running value, with every digit. True for a running value.
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

// The meaning of the visible marks; "" if there are none.
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

enum { GAP = 2 }; // between the values and a detail

// "rows: queries (Lq)"; without the letters if `brief`.
static void describe_axis(const Session *session, const char *what, int axis, bool brief,
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
        describe_axis(session, TELL(VALUES_ROWS), view->row_axis, brief, rows);
        describe_axis(session, TELL(VALUES_COLUMNS), view->column_axis, brief, across);
        snprintf(text, sizeof text, " %s%s%s ", rows, rows[0] && across[0] ? ", " : "", across);
        if (brief || column + 1 + utf8_width(text) < area.columns)
            break;
    }
    if (rows[0] || across[0])
        cells_text(area, 0, column + 1, ROLE_TEXT, text);
}

// Explains marks and notation, right of the picker; only the marks if both do not fit.
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

// "B 0/9   ▸H 3/7": the axes that are not on screen; the marked one can be changed.
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

// Draws the index and label of a column; those of the chosen element stand out.
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

// Draws the chosen number last, as its frame overlaps its neighbours.
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
    text[0] = '\0';
    for (int axis = 0; axis < grid->tensor->rank; axis++) {
        if (!values_label(session, axis, grid->view->at[axis], word)[0])
            continue;
        trace_axis(&session->run.trace, session->cursor.tensor, axis, name);
        text_add(text, 512, "  %s \"%s\"", name, word);
    }
}

// "scores[0, 3, 2, 1] = 0.0123456789  Lq "is"  Lk "very""
static void draw_chosen(const Session *session, const ValuesGrid *grid, Area area)
{
    char number[NUMBER_TEXT_MAX], index[TENSOR_TEXT_MAX] = "", words[512];
    int row = area.rows - VALUES_CHOSEN_ROWS;
    for (int axis = 0; axis < grid->tensor->rank; axis++)
        text_add(index, sizeof index, axis ? ", %td" : "%td", grid->view->at[axis]);
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
    values_at(&grid, down, across / grid.pitch, command->index);
    return true;
}

// --- hints

// Axes that are not on screen and have more than one index.
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
    // In a lecture, P turns a page back, so the label of p says "step".
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
    bool has_layers = session->run.trace.scenario->layers > 1; // layers use the keys of the index
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

// --- tables of two columns

enum { CELL_TEXT = 40 };

typedef struct PairTable {
    Lines *lines;
    int left_end, right_end;
    bool is_float; // smallest and largest are float32 and can be written exactly
} PairTable;

static void write_pair(PairTable *table, Role role, const char *name, const char *left,
                       const char *right)
{
    lines_text(table->lines, 0, role == ROLE_TEXT ? ROLE_HEADING : role, "%s", name);
    lines_text_right(table->lines, table->left_end, role, left);
    lines_text_right(table->lines, table->right_end, role, right);
    table->lines->count++;
}

// --- statistics: the numbers of the visible slice and of the whole tensor

static void write_count(PairTable *table, const char *name, ptrdiff_t slice, ptrdiff_t whole)
{
    char slice_text[CELL_TEXT], whole_text[CELL_TEXT];
    snprintf(slice_text, sizeof slice_text, "%td", slice);
    snprintf(whole_text, sizeof whole_text, "%td", whole);
    write_pair(table, ROLE_TEXT, name, slice_text, whole_text);
}

// A number of the tensor, exactly; `is_there`: there is one.
static const char *number_in_words(const PairTable *table, double number, bool is_there,
                                   char text[CELL_TEXT])
{
    if (!is_there)
        snprintf(text, CELL_TEXT, TELL(STATISTICS_NONE));
    else if (table->is_float)
        number_full_text((float)number, text);
    else
        snprintf(text, CELL_TEXT, "%.0f", number);
    return text;
}

// A result in double precision, rounded for the screen.
static const char *result_in_words(double number, bool is_there, char text[CELL_TEXT])
{
    snprintf(text, CELL_TEXT, is_there && !isnan(number) ? "%.7g" : TELL(STATISTICS_NONE), number);
    return text;
}

static void write_summaries(PairTable *table, const Summary *slice, const Summary *whole)
{
    char one[CELL_TEXT], all[CELL_TEXT];
    bool in_slice = slice->finite > 0, in_whole = whole->finite > 0;
    write_pair(table, ROLE_QUIET, "", TELL(STATISTICS_SLICE), TELL(STATISTICS_WHOLE));
    write_count(table, TELL(STATISTICS_NUMBERS), slice->count, whole->count);
    write_count(table, "NaN", slice->nan, whole->nan);
    write_count(table, TELL(STATISTICS_INFINITE), slice->infinite, whole->infinite);
    write_count(table, TELL(STATISTICS_MASKED), slice->masked, whole->masked);
    write_pair(table, ROLE_QUIET, TELL(STATISTICS_FINITE), "", "");
    write_pair(table, ROLE_TEXT, TELL(STATISTICS_SMALLEST),
               number_in_words(table, slice->smallest, in_slice, one),
               number_in_words(table, whole->smallest, in_whole, all));
    write_pair(table, ROLE_TEXT, TELL(STATISTICS_LARGEST),
               number_in_words(table, slice->largest, in_slice, one),
               number_in_words(table, whole->largest, in_whole, all));
    write_pair(table, ROLE_TEXT, TELL(STATISTICS_MEAN), result_in_words(slice->mean, in_slice, one),
               result_in_words(whole->mean, in_whole, all));
    write_pair(table, ROLE_TEXT, TELL(STATISTICS_DEVIATION),
               result_in_words(slice->deviation, in_slice, one),
               result_in_words(whole->deviation, in_whole, all));
}

static void write_row_sums(PairTable *table, const SessionStatistics *all)
{
    const RowSums *rows = &all->rows;
    char smallest[CELL_TEXT], largest[CELL_TEXT], own[CELL_TEXT];
    bool any = rows->rows > rows->nan;
    snprintf(own, sizeof own, "%.9g", all->row);
    lines_line(table->lines, 0, ROLE_QUIET, TELL(STATISTICS_SUMS));
    write_pair(table, ROLE_TEXT, TELL(STATISTICS_THIS_ROW), isnan(all->row) ? "nan" : own, "");
    snprintf(smallest, sizeof smallest, "%.9g", rows->smallest);
    snprintf(largest, sizeof largest, "%.9g", rows->largest);
    write_pair(table, ROLE_TEXT, TELL(STATISTICS_SMALLEST_ROW), "",
               any ? smallest : TELL(STATISTICS_NONE));
    write_pair(table, ROLE_TEXT, TELL(STATISTICS_LARGEST_ROW), "",
               any ? largest : TELL(STATISTICS_NONE));
    snprintf(own, sizeof own, "%td", rows->nan);
    if (rows->nan > 0)
        write_pair(table, ROLE_TEXT, TELL(STATISTICS_NAN_ROWS), "", own);
}

static bool statistics_page(const Session *session, Lines *lines)
{
    const SessionStatistics *all = &session->statistics;
    PairTable table = {lines, 30, 46, session_tensor(session)->tensor.dtype == DTYPE_F32};
    lines_fill(lines, ROLE_RULE, "\u2500");
    lines_line(lines, 1, ROLE_HEADING, TELL(STATISTICS_TITLE), session_tensor(session)->name);
    if (!all->measured) {
        lines_line(lines, 0, ROLE_QUIET, TELL(STATISTICS_NO_VALUES));
        return true;
    }
    write_summaries(&table, &all->slice, &all->whole);
    if (all->is_weights)
        write_row_sums(&table, all);
    return true;
}

const Panel panel_statistics = {.page = statistics_page, .hints = panel_hints_of_page};

// --- errors
//
// The chosen number and its tensor compared with float64, for the step alone and since the inputs, in units of
// float32's last place.

static const char *units(double number, char text[CELL_TEXT])
{
    snprintf(text, CELL_TEXT, isnan(number) ? TELL(STATISTICS_NONE) : "%.3g", number);
    return text;
}

static void write_number(PairTable *table, const Session *session)
{
    const SessionExact *exact = &session->exact;
    TraceCell cell = session_cell(session);
    const Tensor *tensor = &session_tensor(session)->tensor;
    float number = tensor->storage.f32[tensor_place(tensor, cell.at)];
    double one = trace_exact_number(&exact->alone, cell),
           all = trace_exact_number(&exact->since, cell);
    char left[CELL_TEXT], right[CELL_TEXT];
    number_full_text(number, left);
    write_pair(table, ROLE_TEXT, "float32", left, "");
    snprintf(left, sizeof left, "%.12g", number_unsigned_nan(one));
    snprintf(right, sizeof right, "%.12g", number_unsigned_nan(all));
    write_pair(table, ROLE_TEXT, "float64", left, right);
    write_pair(table, ROLE_TEXT, TELL(EXACT_ULP), units(trace_exact_units(number, one), left),
               units(trace_exact_units(number, all), right));
}

static void exact_write_tensor(PairTable *table, const ExactError *alone, const ExactError *since)
{
    char left[CELL_TEXT], right[CELL_TEXT];
    write_pair(table, ROLE_QUIET, TELL(EXACT_WHOLE), "", "");
    write_pair(table, ROLE_TEXT, TELL(STATISTICS_LARGEST), units(alone->largest, left),
               units(since->largest, right));
    write_pair(table, ROLE_TEXT, TELL(STATISTICS_MEAN), units(alone->mean, left),
               units(since->mean, right));
    snprintf(left, sizeof left, "%td / %td", alone->nearest, alone->count);
    snprintf(right, sizeof right, "%td / %td", since->nearest, since->count);
    write_pair(table, ROLE_TEXT, TELL(EXACT_NEAREST), left, right);
    snprintf(left, sizeof left, "%td", alone->overflow);
    snprintf(right, sizeof right, "%td", since->overflow);
    if (alone->overflow > 0 || since->overflow > 0)
        write_pair(table, ROLE_TEXT, TELL(EXACT_OVERFLOWS), left, right);
}

static void say_why(Lines *lines, const Session *session)
{
    const char *why = session->exact.why.text;
    lines_paragraph(lines, 3, ROLE_QUIET,
                    !session_has_values(session) ? TELL(EXACT_NO_VALUES)
                    : *why                       ? why
                                                 : TELL(EXACT_NOT_COMPUTED));
}

static bool exact_page(const Session *session, Lines *lines)
{
    const SessionExact *exact = &session->exact;
    const TraceTensor *tensor = session_tensor(session);
    PairTable table = {lines, 31, 50, true};
    lines_fill(lines, ROLE_RULE, "\u2500");
    lines_line(lines, 1, ROLE_HEADING, TELL(EXACT_TITLE), tensor->name);
    if (!exact->known) {
        say_why(lines, session);
        return true;
    }
    write_pair(&table, ROLE_QUIET, TELL(EXACT_NUMBER), TELL(EXACT_ALONE), TELL(EXACT_SINCE));
    write_number(&table, session);
    exact_write_tensor(&table, &exact->error_alone, &exact->error_since);
    lines_paragraph(lines, 3, ROLE_QUIET,
                    trace_rounds_once(&session->run.trace, tensor->step)
                        ? TELL(EXACT_TORCH_SAME)
                        : TELL(EXACT_TORCH_UNKNOWN));
    return true;
}

const Panel panel_exact = {.page = exact_page, .hints = panel_hints_of_page};

// --- changes
//
// The edits, and the effect of the last one: for each tensor the elements computed again, those with other bits, and
// the largest difference.

enum {
    AGAIN_END = 34,
    CHANGED_END = 46,
    LARGEST_END = 60,
    CLOSER_MOST = 14,
    EDITS_SHOWN = 6,
    PARAGRAPH_ROWS_MAX = 40
};

typedef struct ChangesTable {
    Lines *lines;
    int closer; // columns to take from names if the table is too wide
} ChangesTable;

static void write_edits(const WhatIf *what_if, ChangesTable *table)
{
    char shown[SCENARIO_FORMULA_SET_MAX];
    size_t first = what_if->done > EDITS_SHOWN ? what_if->done - EDITS_SHOWN : 0;
    if (first > 0)
        lines_line(table->lines, 0, ROLE_QUIET, TELL(CHANGES_BEFORE), first);
    for (size_t i = first; i < what_if->done; i++)
        lines_line(table->lines, 0, ROLE_TEXT, "%2zu  %s", i + 1,
                   scenario_set_shown(what_if->edits[i].text, shown));
    if (what_if->count > what_if->done)
        lines_line(table->lines, 0, ROLE_QUIET, TELL(CHANGES_UNDONE),
                   what_if->count - what_if->done);
}

static void write_row(ChangesTable *table, Role role, const char *again, const char *changed,
                      const char *largest)
{
    static const int ends[] = {AGAIN_END, CHANGED_END, LARGEST_END};
    const char *const texts[] = {again, changed, largest};
    for (int i = 0; i < 3; i++)
        lines_text_right(table->lines, ends[i] - table->closer,
                         i == 1                 ? role
                         : role == ROLE_CHANGED ? ROLE_TEXT
                                                : role,
                         texts[i]);
    table->lines->count++;
}

static void changes_write_tensor(const TraceTensor *tensor, const TraceChanged *changed,
                                 ChangesTable *table)
{
    char again[32], moved[32], largest[32], name[128];
    int room = (int)index_min(AGAIN_END - 8 - table->closer, table->lines->area.columns);
    utf8_cut(tensor->name, room, name, sizeof name);
    lines_text(table->lines, 0, ROLE_HEADING, "%s", name);
    snprintf(again, sizeof again, "%td", changed->reached_count);
    snprintf(moved, sizeof moved, "%td", changed->changed_count);
    snprintf(largest, sizeof largest, "%.4g", number_unsigned_nan(changed->largest));
    write_row(table, changed->changed_count ? ROLE_CHANGED : ROLE_TEXT, again, moved, largest);
}

// Lists computed tensors; inputs and weights only if the user changed them. After a new pipeline, which computes
// everything, only tensors with changes.
static bool is_shown(const Session *session, int number)
{
    const TraceChanged *changed = trace_changed(&session->what_if.change, number);
    bool computed = session->run.trace.tensors[number].step >= 0 && !session->what_if.replanned;
    return changed->reached_count > 0 && (computed || changed->changed_count > 0);
}

static void write_table(const Session *session, ChangesTable *table)
{
    int shown = 0, same = 0;
    table->closer = (int)index_clamp(LARGEST_END - table->lines->area.columns, 0, CLOSER_MOST);
    write_row(table, ROLE_QUIET, TELL(CHANGES_AGAIN), TELL(CHANGES_CHANGED), TELL(CHANGES_LARGEST));
    for (int number = 0; number < session->run.trace.tensor_count; number++) {
        const TraceTensor *tensor = &session->run.trace.tensors[number];
        const TraceChanged *changed = trace_changed(&session->what_if.change, number);
        if (is_shown(session, number))
            changes_write_tensor(tensor, changed, table);
        shown += is_shown(session, number);
        same += tensor->step >= 0 && changed->reached_count > 0 && changed->changed_count == 0;
    }
    if (session->what_if.replanned && same > 0)
        lines_line(table->lines, 0, ROLE_QUIET, TELL(CHANGES_SAME), same);
    else if (shown == 0)
        lines_line(table->lines, 0, ROLE_QUIET, TELL(CHANGES_NO_NUMBER));
}

static bool changes_page(const Session *session, Lines *lines)
{
    const WhatIf *what_if = &session->what_if;
    ChangesTable table = {.lines = lines};
    lines_line(lines, 0, ROLE_TITLE, TELL(CHANGES_TITLE));
    if (what_if->count == 0) {
        lines_paragraph(lines, PARAGRAPH_ROWS_MAX, ROLE_TEXT, TELL(CHANGES_NONE));
        return true;
    }
    write_edits(what_if, &table);
    lines->count++;
    if (what_if->replanned)
        lines_paragraph(lines, 2, ROLE_TEXT, TELL(CHANGES_REPLANNED));
    if (what_if_change(session))
        write_table(session, &table);
    else
        lines_line(lines, 0, ROLE_QUIET, TELL(CHANGES_OTHER_COMPARISON));
    return true;
}

const Panel panel_changes = {.page = changes_page, .hints = panel_hints_of_page};
