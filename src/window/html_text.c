// Screens and terms of the glossary as HTML; see html_text.h.
#include "html_text.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include "glossary.h"
#include "number_text.h"
#include "open_lecture.h"
#include "panel.h"

// --- screens

static bool same_look(const Cell *a, const Cell *b)
{
    return a->role == b->role && a->shade.front == b->shade.front && a->shade.back == b->shade.back;
}

static void open_look(FILE *out, const Cell *cell)
{
    static const char *const names[ROLE_COUNT] = {
        [ROLE_TEXT] = "",         [ROLE_QUIET] = "quiet", [ROLE_HEADING] = "heading",
        [ROLE_TITLE] = "title",   [ROLE_RULE] = "rule",   [ROLE_CURRENT] = "current",
        [ROLE_KEY] = "key",       [ROLE_ALARM] = "alarm", [ROLE_CHANGED] = "changed",
        [ROLE_MARKED] = "marked",
    };
    fprintf(out, "<span class=\"%s\"", names[cell->role]);
    if (cell->shade.front || cell->shade.back) {
        fputs(" style=\"", out);
        if (cell->shade.front & SHADE_SET)
            fprintf(out, "color:#%06x;", (unsigned)(cell->shade.front & 0xffffff));
        if (cell->shade.back & SHADE_SET)
            fprintf(out, "background:#%06x;", (unsigned)(cell->shade.back & 0xffffff));
        fputc('"', out);
    }
    fputc('>', out);
}

static bool is_plain(const Cell *cell)
{
    return cell->role == ROLE_TEXT && !cell->shade.front && !cell->shade.back;
}

// The end of the last visible cell of a row.
static int row_end(const Cells *cells, int row)
{
    int end = cells->columns;
    while (end > 0 && strcmp(cells_at(cells, row, end - 1)->text, " ") == 0 &&
           is_plain(cells_at(cells, row, end - 1)))
        end--;
    return end;
}

static void put_row(FILE *out, const Cells *cells, int row)
{
    int end = row_end(cells, row);
    for (int column = 0; column < end;) {
        const Cell *first = cells_at(cells, row, column);
        bool plain = is_plain(first);
        if (!plain)
            open_look(out, first);
        for (; column < end && same_look(first, cells_at(cells, row, column)); column++) {
            const Cell *cell = cells_at(cells, row, column);
            // Not every font has Korean letters of exactly two columns.
            fputs(cell->columns == 2 ? "<i>" : "", out);
            html_text(out, cell->text);
            fputs(cell->columns == 2 ? "</i>" : "", out);
        }
        fputs(plain ? "" : "</span>", out);
    }
    fputc('\n', out);
}

void html_cells(FILE *out, const Cells *cells, int first_row, int end_row)
{
    bool blank = true; // the row before
    while (end_row > first_row && row_end(cells, end_row - 1) == 0)
        end_row--;
    for (int row = first_row; row < end_row; row++) {
        if (!blank || row_end(cells, row) > 0)
            put_row(out, cells, row);
        blank = row_end(cells, row) == 0;
    }
}

void html_head(FILE *out, const Lecture *lecture)
{
    fprintf(out, "<!doctype html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n",
            language_name(lecture->language));
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n", out);
    html_element(out, "<title>", lecture->title, "</title>\n");
    fprintf(out, "<style>\n%s</style>\n</head>\n<body>\n", html_style);
}

// --- the glossary in a page

#define SAID(NAME) TELL_IN(language_beside(lecture->language), NAME)

// --- terms in the text

typedef struct Found {
    size_t at, length; // in the text; length 0: none found
    int term;
} Found;

// True for ASCII letters and digits, and Hangul.
static bool is_in_word(char byte)
{
    return isalnum((unsigned char)byte) || (byte & 0x80) != 0;
}

// True if a hyphen at this place joins two words, as in "softmax-backward".
static bool is_joint(const char *text, size_t at)
{
    return at > 0 && text[at] == '-' && isalnum((unsigned char)text[at - 1]) &&
           isalnum((unsigned char)text[at + 1]);
}

// The bytes of the text that are the name, with a plural s; 0 if other letters follow, or a hyphen with more. Korean
// particles may follow.
static size_t name_here(const char *text, const char *name)
{
    size_t length = strlen(name);
    if (strncasecmp(text, name, length) != 0)
        return 0;
    length += isalpha((unsigned char)name[length - 1]) && text[length] == 's';
    bool goes_on = isalnum((unsigned char)text[length]) || is_joint(text, length);
    return goes_on && !(name[0] & 0x80) ? 0 : length;
}

// The longest term that begins here; length 0: none.
static Found term_at(const char *text, size_t at, bool is_bold, const HtmlTerms *terms)
{
    enum { SHORT_NAME = 3 };
    const GlossaryTerm *term;
    Found found = {.at = at};
    for (int i = 0; (term = glossary_term(i)) != NULL; i++) {
        const char *name = term->name.in[terms->language];
        size_t length = name_here(text + at, name);
        bool fits = is_bold ? at == 0 && text[length] == '\0' : strlen(name) > SHORT_NAME;
        if (length > found.length && fits) {
            found.length = length;
            found.term = i;
        }
    }
    return found;
}

// The first term that is not a link yet. Skips a longer term as a whole.
static Found next_term(const char *text, size_t from, bool is_bold, const HtmlTerms *terms)
{
    for (size_t at = from; text[at]; at++) {
        Found found = {.length = 0};
        if (at == 0 || !(is_in_word(text[at - 1]) || is_joint(text, at - 1)))
            found = term_at(text, at, is_bold, terms);
        if (found.length > 0 && !terms->linked[found.term])
            return found;
        at += found.length > 0 ? found.length - 1 : 0;
    }
    return (Found){.at = strlen(text)};
}

void html_terms_text(FILE *out, const char *text, bool is_bold, HtmlTerms *terms)
{
    size_t done = 0;
    for (Found found; text[done]; done = found.at + found.length) {
        found = next_term(text, done, is_bold, terms);
        html_text_part(out, text + done, found.at - done);
        if (found.length == 0)
            break;
        assert(found.term < HTML_TERMS_MAX);
        terms->linked[found.term] = true;
        fprintf(out, "<a class=\"term\" href=\"#term-%d\">", found.term);
        html_text_part(out, text + found.at, found.length);
        fputs("</a>", out);
    }
}

// --- lists of terms

// Returns false and sets err if the search for a term ran out of memory.
static bool could_look(Error *err)
{
    return errno != ENOMEM || error_machine(err, "%s", error_reason(ENOMEM));
}

// glossary_is_explained for a whole lecture.
static bool mentions_term(const Lecture *lecture, const GlossaryTerm *term)
{
    errno = 0;
    for (int page = 0; page < lecture->page_count && errno == 0; page++)
        if (glossary_is_explained(term, &lecture->pages[page]))
            return true;
    return false;
}

bool html_glossary_links(FILE *out, const Lecture *lecture, int page, Error *err)
{
    const GlossaryTerm *term;
    int count = 0;
    for (int i = 0; (term = glossary_term(i)) != NULL; i++) {
        if (!glossary_is_explained(term, &lecture->pages[page])) {
            if (!could_look(err))
                return false;
            continue;
        }
        html_element(out, count == 0 ? "<p class=\"quiet\">" : "",
                     count == 0 ? SAID(HTML_TERMS) : ", ", "");
        count++;
        fprintf(out, "<a href=\"#term-%d\">", i);
        html_element(out, "", term->name.in[language_beside(lecture->language)], "</a>");
    }
    fputs(count ? "</p>\n" : "", out);
    return true;
}

static void put_term(FILE *out, const Lecture *lecture, const GlossaryTerm *term, int number)
{
    Language other = lecture->language == LANGUAGE_KOREAN ? LANGUAGE_ENGLISH : LANGUAGE_KOREAN;
    fprintf(out, "<dt id=\"term-%d\"><b>", number);
    html_element(out, "", term->name.in[language_beside(lecture->language)], "</b> ");
    html_element(out, "(", term->name.in[other], ")");
    if (*term->torch)
        html_element(out, " <code>", term->torch, "</code>");
    html_element(out, "</dt>\n<dd>", term->about.in[language_beside(lecture->language)], "</dd>\n");
}

bool html_glossary(FILE *out, const Lecture *lecture, Error *err)
{
    const GlossaryTerm *term;
    html_element(out, "<section id=\"glossary\">\n<h2>", SAID(HTML_GLOSSARY), "</h2>\n<dl>\n");
    for (int i = 0; (term = glossary_term(i)) != NULL; i++)
        if (mentions_term(lecture, term))
            put_term(out, lecture, term, i);
        else if (!could_look(err))
            return false;
    fputs("</dl>\n</section>\n", out);
    return true;
}

// --- spans of a lecture

void html_spans(FILE *out, const LectureSpan *spans, struct HtmlTerms *terms)
{
    static const char *const open[] = {
        [SPAN_TEXT] = "",
        [SPAN_EMPHASIS] = "<em>",
        [SPAN_STRONG] = "<b>",
        [SPAN_CODE] = "<code>",
        [SPAN_REFERENCE] = "<code class=\"ref\">",
        [SPAN_LABEL] = "<em>",
        [SPAN_NOTE] = "",
    };
    static const char *const close[] = {
        [SPAN_TEXT] = "",        [SPAN_EMPHASIS] = "</em>",    [SPAN_STRONG] = "</b>",
        [SPAN_CODE] = "</code>", [SPAN_REFERENCE] = "</code>", [SPAN_LABEL] = "</em>",
        [SPAN_NOTE] = "",
    };
    for (; spans; spans = spans->next) {
        fputs(open[spans->kind], out);
        if (terms && (spans->kind == SPAN_TEXT || spans->kind == SPAN_STRONG))
            html_terms_text(out, spans->text, spans->kind == SPAN_STRONG, terms);
        else
            html_text(out, spans->text);
        fputs(close[spans->kind], out);
    }
}

// --- numbers with the calculations behind them

enum { SIDE_MAX = 12, COLUMNS = 50, ROWS = 9 };

// The rows and columns around the chosen number.
typedef struct Part {
    const SessionView *view;
    const Tensor *tensor;
    ptrdiff_t rows, columns, first_row, first_column;
    Cells *cells; // scratch for a calculation
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

// "sentence attn_weights[0,2,:,:] 0 0": identifies the numbers.
static void name_of(const Session *session, const Part *part, char name[HTML_NUMBERS_NAME_MAX])
{
    snprintf(name, HTML_NUMBERS_NAME_MAX, "%.64s %.64s[", session->run.trace.scenario->name,
             session_tensor(session)->name);
    for (int axis = 0; axis < part->tensor->rank; axis++) {
        const char *comma = axis > 0 ? "," : "";
        if (session_axis_is_picked(session, axis))
            text_add(name, HTML_NUMBERS_NAME_MAX, "%s%td", comma, part->view->at[axis]);
        else
            text_add(name, HTML_NUMBERS_NAME_MAX, "%s:", comma);
    }
    text_add(name, HTML_NUMBERS_NAME_MAX, "] %td %td", part->first_row, part->first_column);
}

// The calculation of the chosen number, line by line.
static void put_origin(FILE *out, const Session *session, Cells *cells)
{
    cells_clear(cells);
    panel_get(PANEL_ORIGIN)->draw(session, cells_area(cells));
    for (int row = 1; row < cells->rows; row++) { // the first row is its name
        int end = cells_row_end(cells, row);
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
    part.view = &was; // the cursor moves
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

// Its number from 1 if it exists; otherwise adds it and returns 0.
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
