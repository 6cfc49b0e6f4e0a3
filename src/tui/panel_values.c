// The values of the tensor looked at: two of its axes as a grid, the index on the others, and the
// chosen element in full. Only what is visible is formatted, so that the size of the tensor does not
// matter.
#include "panel.h"

#include <stdio.h>
#include <string.h>
#include "number_cell.h"
#include "utf8.h"

enum {
    LABEL_COLUMNS_MAX = 12, // of a row's word
    COLUMN_LABEL_MAX = 10,
    LABELS_LOOKED_AT = 40, // how many decide the width of all
    TITLE_ROWS = 2,        // the rule with the tensor's name, and the picker
    CHOSEN_ROWS = 1,
};

// Where the grid lies, in columns and rows of the panel.
typedef struct Grid {
    const Tensor *tensor;
    const SessionView *view;
    NumberLook look;
    int index_columns, label_columns; // of a row's header
    int pitch;                        // columns of a number and the gap before it
    int first_row;                    // of the panel, below the headers
    bool column_labels;
    ptrdiff_t rows, columns; // how many are visible
} Grid;

static ptrdiff_t length_of(const Tensor *tensor, int axis)
{
    return axis < 0 ? 1 : tensor->shape[axis];
}

// The word of a position on an axis, "" where it says no more than the index.
static const char *label(const Session *session, int axis, ptrdiff_t index, char text[64])
{
    char name[16];
    ptrdiff_t at[TENSOR_RANK_MAX];
    text[0] = '\0';
    if (axis < 0)
        return text;
    memcpy(at, session_view(session)->at, sizeof at);
    at[axis] = index;
    trace_label(&session->trace, session->tensor, axis, at, text);
    char bare[24];
    snprintf(bare, sizeof bare, "%td", index);
    trace_axis(&session->trace, session->tensor, axis, name);
    if (strcmp(text, bare) == 0 || strcmp(name, "H") == 0)
        text[0] = '\0';
    return text;
}

static int widest_label(const Session *session, int axis, int most)
{
    char text[64];
    int widest = 0;
    ptrdiff_t length = length_of(&session_tensor(session)->tensor, axis);
    for (ptrdiff_t i = 0; i < length && i < LABELS_LOOKED_AT; i++) {
        int width = utf8_width(label(session, axis, i, text));
        widest = width > widest ? width : widest;
    }
    return widest < most ? widest : most;
}

static int digits_of(ptrdiff_t number)
{
    int digits = 1;
    while (number >= 10) {
        number /= 10;
        digits++;
    }
    return digits;
}

static ptrdiff_t limited(ptrdiff_t count, ptrdiff_t limit)
{
    return count < 0 ? 0 : count < limit ? count : limit;
}

static Grid grid_of(const Session *session, Area area)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    const SessionView *view = session_view(session);
    Grid grid = {.tensor = tensor, .view = view};
    if (!session_has_values(session))
        return grid;
    int column_label = widest_label(session, view->column_axis, COLUMN_LABEL_MAX);
    int index_width = digits_of(length_of(tensor, view->column_axis) - 1);

    grid.look = number_look(tensor);
    grid.column_labels = column_label > 0;
    int widest = column_label > index_width ? column_label : index_width;
    grid.pitch = 1 + (widest > grid.look.width ? widest : grid.look.width);
    grid.index_columns = 1 + digits_of(length_of(tensor, view->row_axis) - 1);
    grid.label_columns = widest_label(session, view->row_axis, LABEL_COLUMNS_MAX);
    grid.label_columns += grid.label_columns > 0;
    grid.first_row = TITLE_ROWS + 1 + grid.column_labels;

    int left = grid.index_columns + grid.label_columns + 1; // the last ']' needs a column too
    grid.rows = limited(area.rows - grid.first_row - CHOSEN_ROWS, PTRDIFF_MAX);
    grid.columns = limited((area.columns - left) / grid.pitch, PTRDIFF_MAX);
    return grid;
}

Room panel_values_room(const Session *session, Area area)
{
    Grid grid = grid_of(session, area);
    return (Room){grid.rows, grid.columns};
}

// --- drawing

// What an axis counts, by the name it has on screen.
static const char *axis_in_words(const char *name)
{
    static const char *const words[][2] = {
        {"B", "sequences"},
        {"L", "tokens"},
        {"Lq", "queries"},
        {"Lk", "keys"},
        {"H", "heads"},
        {"V", "vocabulary"},
        {"N", "tokens"},
        {"D", "features"},
        {"d_in", "features"},
        {"d_out", "features"},
        {"H*d_k", "features"},
        {"H*d_v", "features"},
        {"d_k", "features of a head"},
        {"d_v", "features of a head"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], name) == 0)
            return words[i][1];
    return "one for all";
}

// "rows: queries (Lq)"; without the letters where `brief`.
static void tell_axis(const Session *session, const char *what, int axis, bool brief,
                      char text[TENSOR_TEXT_MAX])
{
    char name[16];
    text[0] = '\0';
    if (axis < 0 || !trace_axis(&session->trace, session->tensor, axis, name))
        return;
    snprintf(text, TENSOR_TEXT_MAX, brief ? "%s: %s" : "%s: %s (%s)", what, axis_in_words(name),
             name);
}

static void draw_title(const Session *session, Area area, Cells *cells)
{
    const SessionView *view = session_view(session);
    char rows[TENSOR_TEXT_MAX], across[TENSOR_TEXT_MAX], text[2 * TENSOR_TEXT_MAX + 4];
    cells_fill(cells, area, 0, 0, area.columns, ROLE_RULE, "\u2500");
    int column = 1;
    column +=
        cells_format(cells, area, 0, column, ROLE_HEADING, " %s ", session_tensor(session)->name);
    for (int brief = 0; brief <= 1; brief++) {
        tell_axis(session, "rows", view->row_axis, brief, rows);
        tell_axis(session, "columns", view->column_axis, brief, across);
        snprintf(text, sizeof text, " %s%s%s ", rows, rows[0] && across[0] ? ", " : "", across);
        if (brief || column + 1 + utf8_width(text) < area.columns)
            break;
    }
    if (rows[0] || across[0])
        cells_text(cells, area, 0, column + 1, ROLE_TEXT, text);
}

// "B 0/9   ▸H 3/7": the axes beyond the two on screen, the marked one first to be changed.
static void draw_picker(const Session *session, const Grid *grid, Area area, Cells *cells)
{
    char name[16], word[64];
    int column = 0;
    for (int axis = 0; axis < grid->tensor->rank; axis++) {
        if (!session_axis_is_picked(session, axis))
            continue;
        bool marked = axis == grid->view->marked_axis;
        trace_axis(&session->trace, session->tensor, axis, name);
        label(session, axis, grid->view->at[axis], word);
        column +=
            cells_format(cells, area, 1, column, marked ? ROLE_CURRENT : ROLE_TEXT,
                         "%s%s %td/%td%s%s ", marked ? "\u25b8" : " ", name, grid->view->at[axis],
                         grid->tensor->shape[axis] - 1, word[0] ? " " : "", word);
        column += 2;
    }
    const char *look = number_look_in_words(grid->tensor, grid->look);
    if (column + utf8_width(look) <= area.columns)
        cells_text_right(cells, area, 1, area.columns, ROLE_QUIET, look);
}

static int column_start(const Grid *grid, ptrdiff_t column)
{
    return grid->index_columns + grid->label_columns + (int)column * grid->pitch;
}

static void draw_column_headers(const Session *session, const Grid *grid, Area area, Cells *cells)
{
    char text[64], cut[64];
    ptrdiff_t length = length_of(grid->tensor, grid->view->column_axis);
    for (ptrdiff_t column = 0; column < grid->columns; column++) {
        ptrdiff_t index = grid->view->first_column + column;
        if (index >= length)
            return;
        int end = column_start(grid, column + 1);
        snprintf(text, sizeof text, "%td", index);
        cells_text_right(cells, area, TITLE_ROWS, end, ROLE_QUIET, text);
        if (!grid->column_labels)
            continue;
        utf8_cut(label(session, grid->view->column_axis, index, text), grid->pitch - 1, cut,
                 sizeof cut);
        cells_text_right(cells, area, TITLE_ROWS + 1, end, ROLE_HEADING, cut);
    }
}

static void draw_number(const Grid *grid, const ptrdiff_t at[], Area area, int row, int end,
                        bool chosen, Cells *cells)
{
    char text[NUMBER_TEXT_MAX], framed[NUMBER_TEXT_MAX + 2];
    number_cell(grid->tensor, at, grid->look, text);
    if (!chosen) {
        cells_text_right(cells, area, row, end, ROLE_TEXT, text);
        return;
    }
    snprintf(framed, sizeof framed, "[%s]", text + strspn(text, " "));
    cells_text_right(cells, area, row, end + 1, ROLE_CURRENT, framed);
}

static void draw_row(const Session *session, const Grid *grid, Area area, ptrdiff_t row,
                     Cells *cells)
{
    const SessionView *view = grid->view;
    ptrdiff_t at[TENSOR_RANK_MAX], chosen = 0;
    char text[64], cut[64];
    int line = grid->first_row + (int)row;
    memcpy(at, view->at, sizeof at);
    if (view->row_axis >= 0) {
        at[view->row_axis] = view->first_row + row;
        snprintf(text, sizeof text, "%td", at[view->row_axis]);
        cells_text_right(cells, area, line, grid->index_columns - 1, ROLE_QUIET, text);
        utf8_cut(label(session, view->row_axis, at[view->row_axis], text), LABEL_COLUMNS_MAX, cut,
                 sizeof cut);
        cells_text(cells, area, line, grid->index_columns, ROLE_HEADING, cut);
    }
    for (ptrdiff_t column = 0; column < grid->columns; column++) {
        if (view->column_axis >= 0)
            at[view->column_axis] = view->first_column + column;
        if (view->first_column + column >= length_of(grid->tensor, view->column_axis))
            return;
        chosen = memcmp(at, view->at, sizeof *at * (size_t)grid->tensor->rank) == 0;
        draw_number(grid, at, area, line, column_start(grid, column + 1), chosen, cells);
    }
}

// "scores[0, 3, 2, 1] = 0.0123456789   query "is", key "very""
static void draw_chosen(const Session *session, const Grid *grid, Area area, Cells *cells)
{
    char number[NUMBER_TEXT_MAX], index[TENSOR_TEXT_MAX] = "", word[64], name[16];
    int row = area.rows - CHOSEN_ROWS;
    size_t used = 0;
    for (int axis = 0; axis < grid->tensor->rank; axis++)
        used += (size_t)snprintf(index + used, sizeof index - used, axis ? ", %td" : "%td",
                                 grid->view->at[axis]);
    int column = cells_format(cells, area, row, 0, ROLE_CURRENT, "%s[%s] = %s",
                              session_tensor(session)->name, index,
                              number_in_full(grid->tensor, grid->view->at, number));
    column += 2;
    for (int axis = 0; axis < grid->tensor->rank; axis++) {
        if (!label(session, axis, grid->view->at[axis], word)[0])
            continue;
        trace_axis(&session->trace, session->tensor, axis, name);
        column += cells_format(cells, area, row, column, ROLE_TEXT, "%s \"%s\" ", name, word);
    }
}

static void draw_absence(const Session *session, Area area, Cells *cells)
{
    int row = TITLE_ROWS;
    if (!session->failed) {
        cells_text(cells, area, row, 0, ROLE_QUIET, "no numbers: an axis has the length 0");
        return;
    }
    row += cells_text(cells, area, row, 0, ROLE_ALARM, "This step could not be computed:") > 0;
    row +=
        cells_paragraph(cells, area, row, area.rows - row - 1, 2, ROLE_TEXT, session->failure.text);
    cells_text(cells, area, row, 0, ROLE_QUIET, "The steps before it are kept.");
}

void panel_values(const Session *session, Area area, Cells *cells)
{
    if (area.rows <= 0)
        return;
    Grid grid = grid_of(session, area);
    draw_title(session, area, cells);
    if (!session_has_values(session)) {
        draw_absence(session, area, cells);
        return;
    }
    draw_picker(session, &grid, area, cells);
    draw_column_headers(session, &grid, area, cells);
    for (ptrdiff_t row = 0; row < grid.rows; row++)
        if (grid.view->first_row + row < length_of(grid.tensor, grid.view->row_axis))
            draw_row(session, &grid, area, row, cells);
    draw_chosen(session, &grid, area, cells);
}
