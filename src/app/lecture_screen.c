// lecture_screen: see lecture_screen.h.
#include "lecture_screen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "screen.h"
#include "tui.h"

enum { ROW_BYTES_MAX = TUI_COLUMNS_MAX * CELL_TEXT_MAX };

typedef struct Shown {
    Guide guide;
    Session session;
    Screen screen;
    Cells cells;
    GuideProblem *tell;
    void *context;
    int problems;
} Shown;

static void tell(Shown *shown, int line, const char *text)
{
    char problem[512];
    snprintf(problem, sizeof problem, "%s:%d: %s is not on a screen of %dx%d",
             shown->guide.lecture->file, line, text, shown->cells.columns, shown->cells.rows);
    shown->tell(shown->context, problem);
    shown->problems++;
}

// A row of the screen without what belongs to the lecture.
static void read_row(const Shown *shown, int row, char *text, size_t room)
{
    Area lecture = shown->screen.areas[PANEL_LECTURE];
    bool in_rows = row >= lecture.row && row < lecture.row + lecture.rows;
    size_t used = 0;
    text[0] = '\0';
    for (int column = 0; column < shown->cells.columns && used < room; column++) {
        bool in_columns = column >= lecture.column && column < lecture.column + lecture.columns;
        if (!in_rows || !in_columns)
            used += (size_t)snprintf(text + used, room - used, "%s",
                                     cells_at(&shown->cells, row, column)->text);
    }
}

// A panel may write more decimals than the text does.
static bool has_number(const char *text, const char *written, double number)
{
    const char *point = strchr(written, '.');
    double allowed = point ? 0.51 * pow(10, -(double)strspn(point + 1, "0123456789")) : 0;
    if (strstr(text, written))
        return true;
    for (const char *at = text; *at;) {
        char *end;
        double seen = strtod(at, &end);
        if (end != at && fabs(seen - number) <= allowed)
            return true;
        at = end != at ? end : at + 1;
    }
    return false;
}

static bool is_on_screen(const Shown *shown, const ReferenceValue *value)
{
    char text[ROW_BYTES_MAX];
    for (int row = 0; row < shown->cells.rows; row++) {
        read_row(shown, row, text, sizeof text);
        if (has_number(text, value->text, value->numbers[0]))
            return true;
    }
    return false;
}

// Whether it is a single number of the slice that is looked at.
static bool is_of_slice(const Shown *shown, const Reference *reference)
{
    const SessionView *view = session_view(&shown->session);
    const TraceTensor *looked = session_tensor(&shown->session);
    bool same = reference->kind == REFERENCE_ELEMENTS && !reference->scenario[0] &&
                strcmp(reference->tensor, looked->name) == 0 &&
                reference->index_count == looked->tensor.rank;
    for (int axis = 0; same && axis < looked->tensor.rank; axis++) {
        bool picked = axis != view->row_axis && axis != view->column_axis;
        same = reference->index[axis] != REFERENCE_WHOLE_AXIS &&
               (!picked || reference->index[axis] == view->at[axis]);
    }
    return same;
}

static void check_spans(Shown *shown, const LectureSpan *spans)
{
    Reference reference;
    ReferenceValue value;
    Error err;
    for (; spans; spans = spans->next) {
        bool asks =
            spans->kind == SPAN_REFERENCE && reference_parse(spans->text, &reference, &err) &&
            is_of_slice(shown, &reference) && guide_value(&shown->guide, &reference, &value, &err);
        if (asks && !is_on_screen(shown, &value))
            tell(shown, spans->line, spans->text);
    }
}

static void check_page(Shown *shown)
{
    const LecturePage *page = guide_page(&shown->guide);
    screen_fit(&shown->screen, &shown->session, shown->cells.columns, shown->cells.rows);
    screen_draw(&shown->screen, &shown->session, &shown->cells);
    for (const LectureBlock *block = page->blocks; block; block = block->next)
        check_spans(shown, block->spans);
}

int lecture_screen_check(const Lecture *lecture, int columns, int rows, GuideProblem *told,
                         void *context)
{
    Shown *shown = calloc(1, sizeof *shown); // too large for a small stack
    Error err = {.text = ""};
    if (!shown) {
        told(context, "out of memory for a session");
        return 1;
    }
    shown->tell = told;
    shown->context = context;
    bool good = guide_open(&shown->guide, &shown->session, lecture, 0, NULL, &err) &&
                cells_resize(&shown->cells, columns, rows, &err);
    for (int page = 0; good && page < lecture->page_count; page++) {
        good = guide_show(&shown->session, page, &err);
        if (good)
            check_page(shown);
    }
    if (!good) {
        told(context, err.text);
        shown->problems++;
    }
    int problems = shown->problems;
    session_close(&shown->session);
    guide_close(&shown->guide);
    cells_finish(&shown->cells);
    free(shown);
    return problems;
}
