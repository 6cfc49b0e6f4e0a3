// lecture_screen: see lecture_screen.h.
#include "lecture_screen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "export_words.h"
#include "screen.h"
#include "tui.h"

enum { ROW_BYTES_MAX = CELLS_COLUMNS_MAX * CELL_TEXT_MAX };

typedef struct Shown {
    OpenLecture open;
    Session session;
    Screen screen;
    Cells cells;
    Language told_in; // the screens speak the lecture's language
    OpenLectureProblem *tell;
    void *context;
    int problems;
} Shown;

static void tell(Shown *shown, int line, const char *text)
{
    char problem[512];
    words_format(problem, sizeof problem, TELL_IN(shown->told_in, LECTURE_UNSEEN),
                 shown->open.lecture->file, line, text, shown->cells.columns, shown->cells.rows);
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

static bool number_is_seen(const Shown *shown, const char *written, double number)
{
    char text[ROW_BYTES_MAX];
    for (int row = 0; row < shown->cells.rows; row++) {
        read_row(shown, row, text, sizeof text);
        if (has_number(text, written, number))
            return true;
    }
    return false;
}

// Each number of "[0.5, 0.25]".
static bool numbers_are_seen(const Shown *shown, const ReferenceValue *value)
{
    char written[REFERENCE_TEXT_MAX];
    const char *at = value->text;
    bool seen = true;
    for (int i = 0; seen && i < value->count; i++) {
        at += strspn(at, "[, ");
        size_t length = strcspn(at, ",]");
        snprintf(written, sizeof written, "%.*s", (int)length, at);
        seen = number_is_seen(shown, written, value->numbers[i]);
        at += length;
    }
    return seen;
}

static void leave_spaces_out(char *text)
{
    char *end = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ')
            *end++ = *from;
    *end = '\0';
}

// Screens write (1,3,4) where the text has (1, 3, 4), and break lines where they must.
static bool words_are_seen(const Shown *shown, const char *words)
{
    char text[ROW_BYTES_MAX], wanted[REFERENCE_TEXT_MAX];
    snprintf(wanted, sizeof wanted, "%s", words);
    leave_spaces_out(wanted);
    for (int row = 0; row < shown->cells.rows; row++) {
        read_row(shown, row, text, sizeof text);
        leave_spaces_out(text);
        if (strstr(text, wanted))
            return true;
    }
    return false;
}

// --- what the text names

// Elements of the slice that is looked at, here or in the run beside. What such a run had before a
// number was changed is seen no more.
static bool is_of_slice(const Shown *shown, const Reference *reference)
{
    const SessionView *view = session_view(&shown->session);
    const TraceTensor *looked = session_tensor(&shown->session);
    bool beside =
        shown->session.comparison.open && strcmp(reference->scenario, OPEN_LECTURE_CHANGED) == 0;
    bool here = !reference->scenario[0] || (beside && !what_if_change(&shown->session));
    bool same = reference->kind == REFERENCE_ELEMENTS && here &&
                strcmp(reference->tensor, looked->name) == 0;
    for (int axis = 0; same && axis < looked->tensor.rank; axis++) {
        bool picked = axis != view->row_axis && axis != view->column_axis;
        same =
            !picked || (axis < reference->index_count && reference->index[axis] == view->at[axis]);
    }
    return same;
}

// Where the tensor that is looked at lies, while the memory is shown.
static bool is_of_memory(const Shown *shown, const Reference *reference)
{
    const char *in_front = shown->session.comparison.swapped ? OPEN_LECTURE_CHANGED : "";
    return shown->session.look.detail == DETAIL_MEMORY &&
           strcmp(reference->scenario, in_front) == 0 &&
           (reference->kind == REFERENCE_SHAPE || reference->kind == REFERENCE_STRIDE) &&
           strcmp(reference->tensor, session_tensor(&shown->session)->name) == 0;
}

static void check_reference(Shown *shown, const LectureSpan *span)
{
    Reference reference;
    ReferenceValue value;
    Error err;
    if (!reference_parse(span->text, &reference, &err) ||
        !open_lecture_value(&shown->open, &reference, &value, &err))
        return;
    if (is_of_slice(shown, &reference)
            ? !numbers_are_seen(shown, &value)
            : is_of_memory(shown, &reference) && !words_are_seen(shown, value.text))
        tell(shown, span->line, span->text);
}

static void check_spans(Shown *shown, const LectureSpan *spans)
{
    for (; spans; spans = spans->next)
        if (spans->kind == SPAN_REFERENCE)
            check_reference(shown, spans);
        else if (spans->kind == SPAN_LABEL && !words_are_seen(shown, spans->text))
            tell(shown, spans->line, spans->text);
}

// The text, and the question before it is answered: what is said to an answer explains, and may compare
// what is far apart.
static void check_page(Shown *shown)
{
    const LecturePage *page = open_lecture_page(&shown->open);
    screen_fit(&shown->screen, &shown->session, shown->cells.columns, shown->cells.rows);
    screen_draw(&shown->screen, &shown->session, &shown->cells);
    for (const LectureBlock *block = page->blocks; block; block = block->next)
        check_spans(shown, block->spans);
    check_spans(shown, page->question.ask);
    check_spans(shown, page->question.hint);
}

int lecture_screen_check(const Lecture *lecture, int columns, int rows, OpenLectureProblem *told,
                         void *context)
{
    Shown *shown = calloc(1, sizeof *shown); // too large for a small stack
    Error err = {.text = ""};
    if (!shown) {
        told(context, TELL(NOTES_MEMORY));
        return 1;
    }
    shown->tell = told;
    shown->context = context;
    shown->told_in = language_now();
    language_choose(lecture->language);
    bool good = open_lecture_start(&shown->open, &shown->session, lecture, 0, NULL, &err) &&
                cells_resize(&shown->cells, columns, rows, &err);
    for (int page = 0; good && page < lecture->page_count; page++) {
        good = open_lecture_show(&shown->session, page, &err);
        if (good)
            check_page(shown);
    }
    if (!good) {
        told(context, err.text);
        shown->problems++;
    }
    int problems = shown->problems;
    language_choose(shown->told_in);
    session_close(&shown->session);
    open_lecture_close(&shown->open);
    cells_finish(&shown->cells);
    free(shown);
    return problems;
}
