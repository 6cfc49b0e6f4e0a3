// Numbers with the calculations behind them; see html_text.h.
#include "html_text.h"

#include <string.h>
#include "number_text.h"
#include "open_lecture.h"
#include "panel.h"
#include "parts.h"

enum { SIDE_MAX = 12, COLUMNS = 50, ROWS = 9 };

// The rows and columns of the slice around the chosen number.
typedef struct Part {
    const SessionView *view;
    const Tensor *tensor;
    ptrdiff_t rows, columns, first_row, first_column;
    Cells *cells; // where a calculation is written
} Part;

static ptrdiff_t first_of(ptrdiff_t length, ptrdiff_t chosen)
{
    ptrdiff_t first = chosen - SIDE_MAX / 2, last = length - SIDE_MAX;
    first = first > last ? last : first;
    return first < 0 ? 0 : first;
}

static Part part_of(const Session *session)
{
    Part part = {.view = session_view(session), .tensor = &session_tensor(session)->tensor};
    int row = part.view->row_axis, column = part.view->column_axis;
    part.rows = values_length(part.tensor, row);
    part.columns = values_length(part.tensor, column);
    part.first_row = first_of(part.rows, row < 0 ? 0 : part.view->at[row]);
    part.first_column = first_of(part.columns, column < 0 ? 0 : part.view->at[column]);
    part.rows = part.rows < SIDE_MAX ? part.rows : SIDE_MAX;
    part.columns = part.columns < SIDE_MAX ? part.columns : SIDE_MAX;
    return part;
}

// "sentence attn_weights[0,2,:,:] 0 0": the same numbers have the same name.
static void name_of(const Session *session, const Part *part, char name[HTML_NUMBERS_NAME_MAX])
{
    size_t used =
        (size_t)snprintf(name, HTML_NUMBERS_NAME_MAX, "%.64s %.64s[",
                         session->run.trace.scenario->name, session_tensor(session)->name);
    for (int axis = 0; axis < part->tensor->rank; axis++) {
        const char *comma = axis > 0 ? "," : "";
        if (session_axis_is_picked(session, axis))
            used += (size_t)snprintf(name + used, HTML_NUMBERS_NAME_MAX - used, "%s%td", comma,
                                     part->view->at[axis]);
        else
            used += (size_t)snprintf(name + used, HTML_NUMBERS_NAME_MAX - used, "%s:", comma);
    }
    snprintf(name + used, HTML_NUMBERS_NAME_MAX - used, "] %td %td", part->first_row,
             part->first_column);
}

// The calculation of the chosen number, line by line.
static void put_origin(FILE *out, const Session *session, Cells *cells)
{
    cells_clear(cells);
    panel_get(PANEL_ORIGIN)->draw(session, cells_area(cells));
    for (int row = 1; row < cells->rows; row++) { // the first is its name
        int end = cells->columns;
        while (end > 0 && strcmp(cells_at(cells, row, end - 1)->text, " ") == 0)
            end--;
        for (int column = 0; column < end; column++)
            html_text(out, cells_at(cells, row, column)->text);
        fputs(end > 0 ? "\n" : "", out);
    }
}

static bool put_number(FILE *out, Session *session, const Part *part, ptrdiff_t row,
                       ptrdiff_t column, Error *err)
{
    char text[NUMBER_FULL_TEXT_MAX], name[TRACE_CELL_MAX];
    Command go = {.kind = COMMAND_ELEMENT, .rank = part->tensor->rank};
    memcpy(go.index, part->view->at, sizeof go.index);
    if (part->view->row_axis >= 0)
        go.index[part->view->row_axis] = part->first_row + row;
    if (part->view->column_axis >= 0)
        go.index[part->view->column_axis] = part->first_column + column;
    if (!session_apply(session, &go, err))
        return false;
    number_decimals_text(part->tensor->storage.f32[tensor_place(part->tensor, go.index)], text);
    fprintf(out, "<td tabindex=\"0\">%s<span>", text);
    html_element(out, "<b>", trace_cell_name(&session->run.trace, session_cell(session), name),
                 "</b>\n");
    put_origin(out, session, part->cells);
    fputs("</span></td>", out);
    return true;
}

static void put_label(FILE *out, const Session *session, int axis, ptrdiff_t index)
{
    char text[64];
    values_shared_label(session, axis, index, text);
    if (!text[0])
        snprintf(text, sizeof text, "%td", index);
    html_element(out, "<th>", text, "</th>");
}

static bool put_table(FILE *out, Session *session, Cells *cells, Error *err)
{
    SessionView was = *session_view(session);
    Part part = part_of(session);
    part.view = &was; // the chosen number moves
    part.cells = cells;
    bool good = true;
    fputs("<div class=\"touch\"><table>\n<tr><th></th>", out);
    for (ptrdiff_t column = 0; column < part.columns; column++)
        put_label(out, session, was.column_axis, part.first_column + column);
    fputs("</tr>\n", out);
    for (ptrdiff_t row = 0; good && row < part.rows; row++) {
        fputs("<tr>", out);
        put_label(out, session, was.row_axis, part.first_row + row);
        for (ptrdiff_t column = 0; good && column < part.columns; column++)
            good = put_number(out, session, &part, row, column, err);
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
    Command back = {.kind = COMMAND_ELEMENT, .rank = part.tensor->rank};
    memcpy(back.index, was.at, sizeof back.index);
    return good && session_apply(session, &back, err);
}

// Its number from 1 where it is there already; 0 where it is new, and noted.
static int find(HtmlNumbers *numbers, const char *name)
{
    for (int i = 0; i < numbers->count; i++)
        if (strcmp(numbers->names[i], name) == 0)
            return i + 1;
    if (numbers->count < HTML_NUMBERS_MAX)
        snprintf(numbers->names[numbers->count++], HTML_NUMBERS_NAME_MAX, "%s", name);
    return 0;
}

bool html_numbers(FILE *out, Session *session, HtmlNumbers *numbers, Error *err)
{
    char name[HTML_NUMBERS_NAME_MAX];
    Language language = session->lecture->lecture->language;
    const TraceTensor *tensor = session_tensor(session);
    if (!session_has_values(session) || tensor->tensor.dtype != DTYPE_F32 || tensor->step < 0 ||
        tensor->tensor.rank < 1)
        return true;
    Part part = part_of(session);
    name_of(session, &part, name);
    int there = find(numbers, name);
    if (there > 0) {
        fprintf(out, "<p><a href=\"#n%d\">", there);
        html_element(out, "", TELL_IN(language_beside(language), NUMBERS_THERE), "</a></p>\n");
        return true;
    }
    Cells cells = {.colours = 0};
    if (!cells_resize(&cells, COLUMNS, ROWS, err))
        return false;
    SessionDetail detail = session->look.detail;
    OpenLecture *open = session->lecture;
    bool presented = open->presents, was_on_paper = open->on_paper, strayed = open->strayed;
    open->presents = open->on_paper = open->setting = true;
    session->look.detail = DETAIL_ORIGIN;
    fprintf(out, "<details id=\"n%d\"><summary>", numbers->count);
    html_element(out, "", TELL_IN(language_beside(language), NUMBERS_TOUCH), "</summary>\n");
    bool good = put_table(out, session, &cells, err);
    fputs("</details>\n", out);
    session->look.detail = detail;
    open->presents = presented;
    open->on_paper = was_on_paper;
    open->strayed = strayed;
    open->setting = false;
    cells_finish(&cells);
    return good;
}
