// origin_terms: the list of terms with product, running sum and share; see origin_page.h. Only the
// rows that are visible are formatted.
#include "origin_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "utf8.h"
#include "tui_words.h"

enum {
    MARK_COLUMNS = 2,
    INDEX_COLUMNS = 4,
    LABEL_COLUMNS_MAX = 10,
    NUMBER_COLUMNS = 13, // six digits with sign and exponent, and a gap
    FULL_COLUMNS = 16,   // nine digits
    SHARE_COLUMNS = 7,
    BAR_COLUMNS_MIN = 4,
    BAR_COLUMNS_MAX = 24,
};

// Which columns there is room for.
typedef struct Table {
    int label_columns, inputs; // inputs: how many sources have a column of numbers
    bool running;
    int bar_start, bar_columns;
} Table;

// The word of the token that a term is about, "" where the list does not run over tokens.
static const char *label_of(const OriginPage *page, ptrdiff_t number, char text[64])
{
    char bare[32];
    const Trace *trace = &page->session->run.trace;
    const TraceTerm *term = explanation_term(page->explanation, number);
    int axis = explanation_axis(page->explanation, 0);
    text[0] = '\0';
    if (axis < 0 || term->kind == TERM_ADD)
        return text;
    trace_label(trace, term->sources[0].tensor, axis, term->sources[0].at, text);
    snprintf(bare, sizeof bare, "%td", term->sources[0].at[axis]);
    if (strcmp(text, bare) == 0)
        text[0] = '\0';
    return text;
}

static Table table_of(const OriginPage *page)
{
    char label[64];
    int columns = page->area.columns;
    const Explanation *explanation = page->explanation;
    const TraceTerm *first = explanation_term(explanation, 0);
    Table table = {.running = first->kind != TERM_EXP};
    for (ptrdiff_t number = 0; number < explanation->listed && number < 2; number++)
        if (label_of(page, number, label)[0])
            table.label_columns = LABEL_COLUMNS_MAX + 1;
    int used = MARK_COLUMNS + INDEX_COLUMNS + NUMBER_COLUMNS + SHARE_COLUMNS + 1 +
               (table.running ? FULL_COLUMNS : 0);
    if (used + table.label_columns + BAR_COLUMNS_MIN > columns)
        table.label_columns = 0;
    used += table.label_columns;
    int inputs = first->kind == TERM_EXP ? 1 : 2;
    if (used + inputs * NUMBER_COLUMNS + BAR_COLUMNS_MIN <= columns)
        table.inputs = inputs;
    table.bar_start = used + table.inputs * NUMBER_COLUMNS;
    int room = columns - table.bar_start;
    table.bar_columns = room > BAR_COLUMNS_MAX ? BAR_COLUMNS_MAX : room;
    return table;
}

// A bar as long as the term is large beside the largest one; of negative terms it is hollow.
static void draw_bar(const OriginPage *page, const Table *table, int row, float value)
{
    double size = fabs((double)value), largest = page->explanation->largest;
    if (table->bar_columns < BAR_COLUMNS_MIN || !(largest > 0.0) || !isfinite(size))
        return;
    int half = (int)(size / largest * 2.0 * table->bar_columns + 0.5);
    const char *full = value < 0.0f ? "\u2591" : "\u2588",
               *end = value < 0.0f ? "\u2591" : "\u258c";
    cells_fill(page->area, row, table->bar_start, half / 2, ROLE_TEXT, full);
    if (half % 2)
        cells_fill(page->area, row, table->bar_start + half / 2, 1, ROLE_TEXT, end);
}

static void share_text(const Explanation *explanation, double size, char text[32])
{
    bool known = explanation->together > 0.0 && isfinite(explanation->together) && isfinite(size);
    if (known)
        snprintf(text, 32, "%.1f%%", 100.0 * size / explanation->together);
    else
        snprintf(text, 32, "-");
}

static int draw_number(const OriginPage *page, int row, int start, Role role, float number)
{
    char text[ORIGIN_NUMBER_MAX];
    int end = start + NUMBER_COLUMNS;
    cells_text_right(page->area, row, end, role, origin_brief(number, text));
    return end;
}

static void draw_term(const OriginPage *page, const Table *table, ptrdiff_t rank, int row)
{
    const Explanation *explanation = page->explanation;
    const Session *session = page->session;
    ptrdiff_t number = session_term_at(session, rank);
    const TraceTerm *term = explanation_term(explanation, number);
    Role role = number == session->origin.marked ? ROLE_CURRENT : ROLE_TEXT;
    char text[64], label[64];
    int column = MARK_COLUMNS + INDEX_COLUMNS;
    cells_text(page->area, row, 0, role, number == session->origin.marked ? "\u25b8" : " ");
    cells_text_right(page->area, row, column, role, origin_index(page, number, text));
    utf8_cut(label_of(page, number, text), LABEL_COLUMNS_MAX, label, sizeof label);
    if (table->label_columns > 0)
        cells_text(page->area, row, column + 1, ROLE_HEADING, label);
    column += table->label_columns;
    for (int input = 0; input < table->inputs; input++) {
        bool has = input < term->source_count && term->kind != TERM_ADD;
        float left = has ? explanation_number(&session->run.trace, term->sources[input]) : 0.0f;
        if (has)
            draw_number(page, row, column, ROLE_TEXT, left);
        column += NUMBER_COLUMNS;
    }
    column = draw_number(page, row, column, role, term->value);
    if (table->running && session->look.by_size)
        share_text(explanation, explanation->by_size[rank].up_to, text);
    else
        origin_number(session, term->running, text);
    if (table->running)
        cells_text_right(page->area, row, column += FULL_COLUMNS, role, text);
    share_text(explanation, fabs((double)term->value), text);
    cells_text_right(page->area, row, column + SHARE_COLUMNS, ROLE_TEXT, text);
    draw_bar(page, table, row, term->value);
}

static void draw_headings(OriginPage *page, const Table *table)
{
    char name[64], cut[NUMBER_COLUMNS * 4];
    const TraceTerm *first = explanation_term(page->explanation, 0);
    bool by_size = page->session->look.by_size;
    int row = page->row++, column = MARK_COLUMNS + INDEX_COLUMNS;
    snprintf(name, sizeof name, "%c", origin_letter(page));
    cells_text_right(page->area, row, column, ROLE_QUIET, name);
    column += table->label_columns;
    for (int input = 0; input < table->inputs; input++) {
        const char *tensor = page->session->run.trace.tensors[first->sources[input].tensor].name;
        utf8_cut(tensor, NUMBER_COLUMNS - 1, cut, sizeof cut);
        cells_text_right(page->area, row, column += NUMBER_COLUMNS, ROLE_QUIET, cut);
    }
    cells_text_right(page->area, row, column += NUMBER_COLUMNS, ROLE_QUIET,
                     first->kind == TERM_EXP ? "exp" : TELL(TERM_PRODUCT));
    if (table->running)
        cells_text_right(page->area, row, column += FULL_COLUMNS, ROLE_QUIET,
                         by_size ? TELL(TERM_SHARE_SO_FAR) : TELL(TERM_RUNNING));
    cells_text_right(page->area, row, column + SHARE_COLUMNS, ROLE_QUIET, TELL(TERM_SHARE));
}

// The marked term stays in the middle as far as the ends of the list allow.
void origin_draw_terms(OriginPage *page, int rows)
{
    const Explanation *explanation = page->explanation;
    if (rows < 2)
        return;
    Table table = table_of(page);
    ptrdiff_t visible = rows - 1, last = explanation->listed - visible;
    ptrdiff_t first = session_marked_rank(page->session) - visible / 2;
    first = first > last ? last : first;
    first = first < 0 ? 0 : first;
    draw_headings(page, &table);
    for (ptrdiff_t rank = first; rank < first + visible && rank < explanation->listed; rank++)
        draw_term(page, &table, rank, page->row++);
}
