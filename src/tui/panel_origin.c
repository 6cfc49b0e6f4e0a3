// The origin of the chosen element: a page written from top to bottom.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "cells.h"
#include "keymap.h"
#include "number_text.h"
#include "open_lecture.h"
#include "panel.h"
#include "session.h"
#include "tui_words.def"
#include "utf8.h"

// --- lines and texts

typedef struct OriginPage {
    const Session *session;
    const Explanation *explanation;
    Area area;
    int row;    // the next free one
    bool brief; // to save room, leaves out what the list of terms shows, too
} OriginPage;

enum { ORIGIN_TEXT_MAX = 512, ORIGIN_NUMBER_MAX = NUMBER_FULL_TEXT_MAX };

// Writes one line, or two on a narrow, high page; origin_paragraph writes as many as the text needs.
__attribute__((format(printf, 3, 4))) static void origin_line(OriginPage *page, Role role,
                                                              const char *format, ...)
{
    char text[ORIGIN_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    enum { HIGH = 24 }; // lower pages need the row for the stored number
    if (utf8_width(text) > page->area.columns && page->area.rows >= HIGH && !page->brief)
        page->row += cells_paragraph(page->area, page->row, 2, 2, role, text);
    else
        cells_text(page->area, page->row++, 0, role, text);
}

static void origin_paragraph(OriginPage *page, Role role, const char *text)
{
    int rows = page->area.rows - page->row;
    page->row += cells_paragraph(page->area, page->row, rows, 2, role, text);
}

// A number with every significant digit, or in hexadecimal if the user chose it.
static const char *origin_number(const Session *session, float number, char text[ORIGIN_NUMBER_MAX])
{
    return session->look.notation == NUMBER_HEXADECIMAL ? number_hexadecimal_text(number, text)
                                                        : number_full_text(number, text);
}

// A number with six digits, for columns and written-out sums; "nan" has no sign.
static const char *origin_brief(float number, char text[ORIGIN_NUMBER_MAX])
{
    if (isnan(number))
        return number_full_text(number, text);
    snprintf(text, ORIGIN_NUMBER_MAX, "%.6g", (double)number);
    return text;
}

// The number of an element with every digit; for a token's id, with its word: 62 "very".
static const char *origin_value(const Session *session, TraceCell cell, char text[ORIGIN_TEXT_MAX])
{
    char number[NUMBER_FULL_TEXT_MAX];
    const char *token = trace_cell_token(&session->run.trace, cell);
    const Tensor *tensor = &session->run.trace.tensors[cell.tensor].tensor;
    if (tensor->dtype == DTYPE_F32)
        origin_number(session, explanation_number(&session->run.trace, cell), number);
    else
        number_text(tensor, cell.at, number);
    snprintf(text, ORIGIN_TEXT_MAX, token ? "%s \"%s\"" : "%s", number, token);
    return text;
}

// The letter that the step's formula sums over, else 'n'.
static char origin_letter(const OriginPage *page)
{
    const Trace *trace = &page->session->run.trace;
    char letter = trace_sum_letter(trace, trace->tensors[page->explanation->cell.tensor].step);
    return letter ? letter : 'n';
}

// The name of a source of a sum, with the letter of the sum as index: "q_heads[0,0,3,d]".
static const char *origin_pattern(const OriginPage *page, int source, char text[ORIGIN_TEXT_MAX])
{
    const Trace *trace = &page->session->run.trace;
    TraceCell cell = explanation_term(page->explanation, 0)->sources[source];
    const TraceTensor *tensor = &trace->tensors[cell.tensor];
    int runs = explanation_axis(page->explanation, source);
    snprintf(text, ORIGIN_TEXT_MAX, "%.60s", tensor->name);
    for (int axis = 0; axis < tensor->tensor.rank; axis++) {
        text_add(text, ORIGIN_TEXT_MAX, axis ? "," : "[");
        if (axis == runs)
            text_add(text, ORIGIN_TEXT_MAX, "%c", origin_letter(page));
        else
            text_add(text, ORIGIN_TEXT_MAX, "%td", cell.at[axis]);
    }
    return text_add(text, ORIGIN_TEXT_MAX, "]");
}

// The index of a listed term along the list ("5"), or "bias".
static const char *origin_index(const OriginPage *page, ptrdiff_t number, char text[32])
{
    const TraceTerm *term = explanation_term(page->explanation, number);
    int axis = explanation_axis(page->explanation, 0);
    if (term->kind == TERM_ADD)
        snprintf(text, 32, "%s", term->what);
    else
        snprintf(text, 32, "%td", axis >= 0 ? term->sources[0].at[axis] : number);
    return text;
}

// --- the formula of an element, with its own indices and numbers

enum {
    WRITTEN_OUT_MAX = 4, // terms of a sum; longer sums show two and the last
    STEPS_MAX = 8,       // of other computations; longer ones show half of them at each end
};

// --- sums

// The terms of a sum, without what an edited formula adds after it.
static ptrdiff_t summed(const Explanation *explanation)
{
    ptrdiff_t count = explanation->listed;
    while (count > 1 && explanation_term(explanation, count - 1)->kind == TERM_RULE)
        count--;
    return count;
}

// "= sum_d q[0,0,d] * k[0,2,d] + bias[3],  d = 0 ... 63"
static void draw_sum_indices(OriginPage *page)
{
    char left[ORIGIN_TEXT_MAX], right[ORIGIN_TEXT_MAX], text[3 * ORIGIN_TEXT_MAX], last_index[32],
        bias[TRACE_CELL_MAX];
    const Explanation *explanation = page->explanation;
    ptrdiff_t terms = summed(explanation), products = terms;
    while (products > 1 && explanation_term(explanation, products - 1)->kind == TERM_ADD)
        products--;
    char letter = origin_letter(page);
    snprintf(text, sizeof text, "= sum_%c %s * %s", letter, origin_pattern(page, 0, left),
             origin_pattern(page, 1, right));
    for (ptrdiff_t added = products; added < terms; added++)
        text_add(text, sizeof text, " + %s",
                 trace_cell_name(&page->session->run.trace,
                                 explanation_term(explanation, added)->sources[0], bias));
    text_add(text, sizeof text, ", %c=0...%s", letter,
             origin_index(page, products - 1, last_index));
    origin_paragraph(page, ROLE_TEXT, text);
}

static void add_term(const OriginPage *page, ptrdiff_t number, char text[ORIGIN_TEXT_MAX])
{
    const Trace *trace = &page->session->run.trace;
    const TraceTerm *term = explanation_term(page->explanation, number);
    char left[ORIGIN_NUMBER_MAX], right[ORIGIN_NUMBER_MAX];
    const char *plus = number > 0 ? " + " : "= ";
    if (term->kind != TERM_MULTIPLY_ADD)
        text_add(text, ORIGIN_TEXT_MAX, "%s%s", plus, origin_brief(term->value, left));
    else
        text_add(text, ORIGIN_TEXT_MAX, "%s%s * %s", plus,
                 origin_brief(explanation_number(trace, term->sources[0]), left),
                 origin_brief(explanation_number(trace, term->sources[1]), right));
}

// "= 0.5 * 2 + 0.25 * -1 + ... + 0.125 * 8"
static void draw_sum_numbers(OriginPage *page)
{
    char text[ORIGIN_TEXT_MAX] = "";
    ptrdiff_t listed = summed(page->explanation);
    bool cut = listed > WRITTEN_OUT_MAX;
    for (ptrdiff_t number = 0; number < (cut ? 2 : listed); number++)
        add_term(page, number, text);
    if (cut) {
        text_add(text, sizeof text, " + ...");
        add_term(page, listed - 1, text);
    }
    origin_paragraph(page, ROLE_TEXT, text);
}

// The part to show after this one. Leaves out the middle of a long list, and writes dots.
static ptrdiff_t next_part(OriginPage *page, ptrdiff_t number)
{
    ptrdiff_t listed = page->explanation->listed;
    if (listed <= STEPS_MAX || number + 1 != STEPS_MAX / 2)
        return number + 1;
    origin_line(page, ROLE_QUIET, "...");
    return listed - STEPS_MAX / 2;
}

// Draws the parts of an addition, such as an embedding plus a pattern, each with its name.
static void draw_parts(OriginPage *page)
{
    for (ptrdiff_t number = 0; number < page->explanation->listed;
         number = next_part(page, number)) {
        char name[TRACE_CELL_MAX], value[ORIGIN_NUMBER_MAX];
        const TraceTerm *term = explanation_term(page->explanation, number);
        if (term->source_count > 0)
            trace_cell_name(&page->session->run.trace, term->sources[0], name);
        else
            snprintf(name, sizeof name, "%s", term->what);
        origin_line(page, ROLE_TEXT, "%s %s   %s", number > 0 ? "+" : "=",
                    origin_number(page->session, term->value, value), name);
    }
}

// Draws the steps of a computation that is not a sum.
static void draw_steps(OriginPage *page)
{
    for (ptrdiff_t number = 0; number < page->explanation->listed;
         number = next_part(page, number)) {
        char name[TRACE_CELL_MAX] = "", running[ORIGIN_NUMBER_MAX];
        const TraceTerm *term = explanation_term(page->explanation, number);
        if (term->source_count > 0)
            trace_cell_name(&page->session->run.trace, term->sources[0], name);
        origin_line(page, ROLE_TEXT, "%s%s%s: %s", term->what, name[0] ? ", " : "", name,
                    origin_number(page->session, term->running, running));
    }
}

// --- storage

static void draw_places(OriginPage *page, const TraceTerm *term)
{
    const Session *session = page->session;
    const TraceCell cells[] = {term->sources[0], page->explanation->cell};
    origin_paragraph(page, ROLE_QUIET, TELL(ORIGIN_PLACE));
    for (int i = 0; i < 2; i++) {
        char name[TRACE_CELL_MAX], address[STORAGE_ADDRESS_MAX], text[2 * ORIGIN_TEXT_MAX];
        const Tensor *tensor = &session->run.trace.tensors[cells[i].tensor].tensor;
        snprintf(text, sizeof text, "%s: %s", trace_cell_name(&session->run.trace, cells[i], name),
                 storage_address(tensor, cells[i].at, address));
        origin_paragraph(page, ROLE_TEXT, text);
    }
    origin_paragraph(page, ROLE_HEADING,
                     term->kind == TERM_PLACE ? TELL(ORIGIN_SAME_PLACE) : TELL(ORIGIN_COPY));
}

// --- one term

// Lists the tokens with the same id, which have the same numbers.
static void draw_same_ids(OriginPage *page, TraceCell id)
{
    const Tensor *ids = &page->session->run.trace.tensors[id.tensor].tensor;
    char text[ORIGIN_TEXT_MAX];
    int same = 0;
    snprintf(text, sizeof text, TELL(ORIGIN_SAME_ID));
    for (ptrdiff_t l = 0; l < ids->shape[1] && strlen(text) + 32 < sizeof text; l++)
        if (*tensor_id2(ids, id.at[0], l) == *tensor_id2(ids, id.at[0], id.at[1]))
            text_add(text, sizeof text, same++ ? ", %td" : " %td", l);
    text_add(text, sizeof text, TELL(ORIGIN_SAME_ROW));
    if (same > 1)
        origin_paragraph(page, ROLE_HEADING, text);
}

static void draw_look_up(OriginPage *page, const TraceTerm *term)
{
    const Trace *trace = &page->session->run.trace;
    char id[TRACE_CELL_MAX], row[TRACE_CELL_MAX], value[ORIGIN_TEXT_MAX];
    TraceMarks marks = trace_marks(trace, term->sources[0].tensor);
    bool is_padding = trace_mark_at(&marks, term->sources[0].at) == TRACE_PADDED;
    origin_line(page, ROLE_TEXT, TELL(ORIGIN_NAMES_ROW),
                trace_cell_name(trace, term->sources[0], id),
                origin_value(page->session, term->sources[0], value),
                is_padding ? TELL(ORIGIN_PADDING) : "");
    origin_line(page, ROLE_TEXT, "= %s", trace_cell_name(trace, term->sources[1], row));
    draw_same_ids(page, term->sources[0]);
}

// Says how long the sequence is, which decides what is padding.
static void draw_length(OriginPage *page)
{
    const Trace *trace = &page->session->run.trace;
    TraceCell cell = page->explanation->cell;
    int step = trace->tensors[cell.tensor].step, lengths = trace_find(trace, "lengths");
    for (int slot = 0; slot < STAGE_READS_MAX; slot++)
        if (lengths >= 0 && trace->steps[step].reads[slot] == lengths)
            origin_line(page, ROLE_TEXT, TELL(ORIGIN_LENGTHS), cell.at[0],
                        (long long)*tensor_id1(&trace->tensors[lengths].tensor, cell.at[0]),
                        cell.at[1]);
}

static void draw_single(OriginPage *page, const TraceTerm *term)
{
    const Trace *trace = &page->session->run.trace;
    char name[TRACE_CELL_MAX] = "", settings[STAGE_SETTINGS_MAX], value[ORIGIN_TEXT_MAX] = "";
    char number[ORIGIN_NUMBER_MAX], divisor[TRACE_CELL_MAX];
    int step = trace->tensors[page->explanation->cell.tensor].step;
    bool has_settings = trace_settings(trace, step, settings) != NULL;
    if (term->source_count > 0) {
        trace_cell_name(trace, term->sources[0], name);
        origin_value(page->session, term->sources[0], value);
    }
    switch (term->kind) {
    case TERM_DIVIDE:
        origin_number(page->session, term->value, number);
        origin_line(page, ROLE_TEXT, "= %s / %s", name,
                    term->source_count > 1 ? trace_cell_name(trace, term->sources[1], divisor)
                                           : number);
        if (has_settings)
            origin_line(page, ROLE_QUIET, "%s", settings);
        origin_line(page, ROLE_TEXT, "= %s / %s", value, number);
        break;
    case TERM_FACTOR:
        origin_line(page, ROLE_TEXT, "= %s, %s", name, term->what);
        origin_line(page, ROLE_TEXT, "= %s * %s", value,
                    origin_number(page->session, term->value, number));
        break;
    case TERM_LOOK_UP:
        draw_look_up(page, term);
        break;
    case TERM_RULE:
        snprintf(value, sizeof value, TELL(ORIGIN_RULE), term->what);
        origin_paragraph(page, ROLE_HEADING, value);
        draw_length(page);
        if (has_settings)
            origin_line(page, ROLE_QUIET, "%s", settings);
        break;
    default:
        origin_line(page, ROLE_TEXT, "= %s", name);
    }
}

// Draws the formula of the element with its indices and numbers, or the rule that decided, in words.
static void origin_draw_formula(OriginPage *page)
{
    const Explanation *explanation = page->explanation;
    const TraceTerm *first = explanation_term(explanation, 0);
    const TraceTerm *last = explanation_term(explanation, explanation->listed - 1);
    if (first->kind == TERM_ADD && last->kind == TERM_ADD) {
        draw_parts(page);
        return;
    }
    bool is_divided = explanation->listed > 1 && last->kind == TERM_DIVIDE; // a mean
    if (first->kind == TERM_MULTIPLY_ADD && !is_divided) {
        draw_sum_indices(page);
        if (!page->brief)
            draw_sum_numbers(page);
        return;
    }
    int step = page->session->run.trace.tensors[page->explanation->cell.tensor].step;
    if (explanation->listed > 2 || is_divided || page->session->run.trace.steps[step].formula) {
        draw_steps(page);
        return;
    }
    for (ptrdiff_t number = 0; number < explanation->listed; number++)
        draw_single(page, explanation_term(explanation, number));
    if (last->kind == TERM_PLACE || (last->kind == TERM_COPY && explanation->listed == 1))
        draw_places(page, last);
}

// --- a weight in five phases

// The first key whose score is the maximum of the row.
static ptrdiff_t key_of_maximum(const Explanation *explanation, float maximum)
{
    ptrdiff_t j = 0;
    while (j + 1 < explanation->first && explanation->terms[j].value != maximum)
        j++;
    return j;
}

// "-0.5 - 2.5 = -3": a phase and its result.
static void draw_phase(OriginPage *page, const char *phase, const char *left, const char *sign,
                       const char *right, const char *result)
{
    enum { PHASE_COLUMNS = 10 };
    int gap = PHASE_COLUMNS - utf8_width(phase);
    origin_line(page, ROLE_TEXT, "%s%*s%s%s%s%s%s", phase, gap > 0 ? gap : 0, "", left, sign, right,
                result[0] ? " = " : "", result);
}

// Maximum, shifted value, exp, sum and quotient.
static void origin_draw_softmax(OriginPage *page)
{
    const Explanation *explanation = page->explanation;
    const Trace *trace = &page->session->run.trace;
    const TraceTerm *quotient = &explanation->terms[explanation->count - 1];
    const TraceTerm *sum = &explanation->terms[explanation->count - 2];
    float maximum = explanation->terms[explanation->first - 1].running;
    float score = explanation_number(trace, quotient->sources[0]);
    char of_score[ORIGIN_NUMBER_MAX], of_maximum[ORIGIN_NUMBER_MAX], of_shifted[ORIGIN_NUMBER_MAX],
        of_exp[ORIGIN_NUMBER_MAX], of_sum[ORIGIN_NUMBER_MAX], name[TRACE_CELL_MAX], all[64];
    origin_number(page->session, score, of_score);
    origin_number(page->session, maximum, of_maximum);
    origin_number(page->session, score - maximum, of_shifted);
    origin_number(page->session, quotient->value, of_exp);
    origin_number(page->session, sum->value, of_sum);
    TraceCell best = explanation->terms[key_of_maximum(explanation, maximum)].sources[0];
    // The sixteen lanes of the sum are a detail of the code, not for a lecture.
    snprintf(all, sizeof all, TELL(ORIGIN_ALL_EXPS), explanation->listed,
             page->session->lecture ? "" : TELL(ORIGIN_SIXTEEN));
    draw_phase(page, TELL(PHASE_MAXIMUM), of_maximum, " = ", trace_cell_name(trace, best, name),
               "");
    draw_phase(page, TELL(PHASE_SHIFTED), of_score, " - ", of_maximum, of_shifted);
    draw_phase(page, "exp", "e^(", of_shifted, ")", of_exp);
    draw_phase(page, TELL(PHASE_SUM), of_sum, ", ", all, "");
    draw_phase(page, TELL(PHASE_QUOTIENT), of_exp, " / ", of_sum, "");
}

// --- the list of terms
//
// With product, running sum and share. Formats only visible rows.

enum {
    MARK_COLUMNS = 2,
    INDEX_COLUMNS = 4,
    LABEL_COLUMNS_MAX = 10,
    NUMBER_COLUMNS = 13, // six digits with sign and exponent, and a gap
    INPUT_COLUMNS_MAX = 32,
    FULL_COLUMNS = 16, // nine digits
    SHARE_COLUMNS = 7,
    BAR_COLUMNS_MIN = 4,
    BAR_COLUMNS_MAX = 24,
};

// The columns that fit.
typedef struct Table {
    int label_columns, inputs; // inputs: the sources with a column of numbers
    int input_columns;         // as wide as their names, if there is room
    bool running;
    int bar_start, bar_columns;
} Table;

// The word of a term's token; "" if the list does not run over tokens.
static const char *label_of(const OriginPage *page, ptrdiff_t number, char text[64])
{
    char bare[32];
    const Trace *trace = &page->session->run.trace;
    const TraceTerm *term = explanation_term(page->explanation, number);
    int axis = explanation_axis(page->explanation, 0);
    text[0] = '\0';
    if (axis < 0 || term->kind == TERM_ADD || term->source_count == 0)
        return text;
    trace_label(trace, term->sources[0].tensor, axis, term->sources[0].at, text);
    snprintf(bare, sizeof bare, "%td", term->sources[0].at[axis]);
    if (strcmp(text, bare) == 0)
        text[0] = '\0';
    return text;
}

static const char *input_name(const OriginPage *page, int input)
{
    const TraceTerm *first = explanation_term(page->explanation, 0);
    return page->session->run.trace.tensors[first->sources[input].tensor].name;
}

static int input_columns(const OriginPage *page, int inputs, int room)
{
    int columns = NUMBER_COLUMNS;
    for (int input = 0; input < inputs; input++) {
        columns = (int)index_max(utf8_width(input_name(page, input)) + 1, columns);
    }
    bool fits = columns <= INPUT_COLUMNS_MAX && inputs * columns + BAR_COLUMNS_MIN <= room;
    return fits ? columns : NUMBER_COLUMNS;
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
    table.input_columns = input_columns(page, table.inputs, columns - used);
    table.bar_start = used + table.inputs * table.input_columns;
    table.bar_columns = (int)index_min(columns - table.bar_start, BAR_COLUMNS_MAX);
    return table;
}

// Draws a bar for the term's size relative to the largest; hollow if negative.
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

// A number that no tensor holds, such as the count that a mean divides by: it is no product, and no share of the sum.
static void draw_without_tensor(const OriginPage *page, const Table *table, const TraceTerm *term,
                                int row, Role role)
{
    char number[ORIGIN_NUMBER_MAX], whole[160], text[160];
    int first = MARK_COLUMNS + INDEX_COLUMNS + 1, end = first - 1 + table->label_columns +
                                                        table->inputs * table->input_columns +
                                                        NUMBER_COLUMNS;
    snprintf(whole, sizeof whole, "%s %s", term->what, origin_brief(term->value, number));
    utf8_cut(whole, end - first, text, sizeof text);
    cells_text(page->area, row, first, role, text);
    if (table->running && !page->session->look.by_size)
        cells_text_right(page->area, row, end + FULL_COLUMNS, role,
                         origin_number(page->session, term->running, number));
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
    if (term->source_count == 0) {
        draw_without_tensor(page, table, term, row, role);
        return;
    }
    cells_text_right(page->area, row, column, role, origin_index(page, number, text));
    utf8_cut(label_of(page, number, text), LABEL_COLUMNS_MAX, label, sizeof label);
    if (table->label_columns > 0)
        cells_text(page->area, row, column + 1, ROLE_HEADING, label);
    column += table->label_columns;
    for (int input = 0; input < table->inputs; input++) {
        bool has = input < term->source_count && term->kind != TERM_ADD;
        float left = has ? explanation_number(&session->run.trace, term->sources[input]) : 0.0f;
        if (has)
            draw_number(page, row, column + table->input_columns - NUMBER_COLUMNS, ROLE_TEXT, left);
        column += table->input_columns;
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
    char name[64], cut[INPUT_COLUMNS_MAX * 4];
    const TraceTerm *first = explanation_term(page->explanation, 0);
    bool by_size = page->session->look.by_size;
    int row = page->row++, column = MARK_COLUMNS + INDEX_COLUMNS;
    snprintf(name, sizeof name, "%c", origin_letter(page));
    cells_text_right(page->area, row, column, ROLE_QUIET, name);
    column += table->label_columns;
    for (int input = 0; input < table->inputs; input++) {
        utf8_cut(input_name(page, input), table->input_columns - 1, cut, sizeof cut);
        cells_text_right(page->area, row, column += table->input_columns, ROLE_QUIET, cut);
    }
    cells_text_right(page->area, row, column += NUMBER_COLUMNS, ROLE_QUIET,
                     first->kind == TERM_EXP ? "exp" : TELL(TERM_PRODUCT));
    if (table->running)
        cells_text_right(page->area, row, column += FULL_COLUMNS, ROLE_QUIET,
                         by_size ? TELL(TERM_SHARE_SO_FAR) : TELL(TERM_RUNNING));
    cells_text_right(page->area, row, column + SHARE_COLUMNS, ROLE_QUIET, TELL(TERM_SHARE));
}

// Draws the terms, with the marked one in the middle if possible.
static void origin_draw_terms(OriginPage *page, int rows)
{
    const Explanation *explanation = page->explanation;
    if (rows < 2)
        return;
    Table table = table_of(page);
    ptrdiff_t visible = rows - 1, last = explanation->listed - visible;
    ptrdiff_t first = index_clamp(session_marked_rank(page->session) - visible / 2, 0, last);
    draw_headings(page, &table);
    for (ptrdiff_t rank = first; rank < first + visible && rank < explanation->listed; rank++)
        draw_term(page, &table, rank, page->row++);
}

// --- the panel
//
// The trail that led here, the formula with indices and numbers, the stored number, the terms, and the inputs of the
// marked term.

enum {
    WAY_ROWS_FROM = 17, // rows of a panel in which the trail may take two
    TERMS_ROWS_MIN = 2,
    TERMS_WANTED = 4,
    TITLE_COLUMNS = 14, // of the title without the name
    KEY_COLUMNS = 6,    // of the keys for inputs
};

static void draw_title(OriginPage *page)
{
    const Trace *trace = &page->session->run.trace;
    char name[TRACE_CELL_MAX], words[TRACE_CELL_MAX];
    TraceCell cell = session_cell(page->session);
    cells_fill(page->area, page->row, 0, page->area.columns, ROLE_RULE, "\u2500");
    cells_format(page->area, page->row++, 1, ROLE_HEADING, TELL(ORIGIN_TITLE),
                 trace_cell_name(trace, cell, name));
    if (!page->brief && trace_cell_words(trace, cell, words)[0])
        origin_line(page, ROLE_QUIET, "%s", words);
}

// --- the trail

// "scores[0,0,1,2] > q_heads[0,0,1,5]": the trail from crumb `from` on, and the chosen element. ".." instead of ">"
// means that the user moved in between.
static void path_text(const Session *session, int from, char text[], size_t room)
{
    char name[TRACE_CELL_MAX], words[TRACE_CELL_MAX];
    TraceCell here = session_cell(session);
    snprintf(text, room, from > 0 ? "... > " : "");
    for (int place = from; place < session->origin.trail_length; place++) {
        const SessionCrumb *crumb = &session->origin.trail[place];
        bool is_last = place + 1 == session->origin.trail_length;
        TraceCell next = is_last ? here : session->origin.trail[place + 1].from;
        text_add(text, room, "%s %s ", trace_cell_name(&session->run.trace, crumb->from, name),
                 session_same_cell(crumb->to, next) ? ">" : "..");
    }
    bool begins =
        session_tensor(session)->step < 0 && trace_cell_words(&session->run.trace, here, words)[0];
    text_add(text, room, "%s", trace_cell_name(&session->run.trace, here, name));
    if (begins)
        text_add(text, room, " (%s)", words);
}

// Draws the newest part of the trail that fits.
static void draw_path(OriginPage *page)
{
    char text[(SESSION_TRAIL_MAX + 2) * (TRACE_CELL_MAX + 4)];
    int rows = page->area.rows >= WAY_ROWS_FROM ? 2 : 1;
    if (page->session->origin.trail_length == 0)
        return;
    for (int from = 0; from < page->session->origin.trail_length; from++) {
        path_text(page->session, from, text, sizeof text);
        if (cells_paragraph_rows(text, page->area.columns, rows + 1, 0) <= rows)
            break;
    }
    page->row += cells_paragraph(page->area, page->row, rows, 0, ROLE_KEY, text);
}

// --- the stored number

// Says which term brought NaN, and whether it came with an input or was made here.
static void draw_nan(OriginPage *page)
{
    const Explanation *explanation = page->explanation;
    const Trace *trace = &page->session->run.trace;
    if (explanation->first_nan < 0)
        return;
    const TraceTerm *term = &explanation->terms[explanation->first_nan];
    char name[TRACE_CELL_MAX], text[ORIGIN_TEXT_MAX];
    for (int source = 0; source < term->source_count; source++) {
        if (!isnan(explanation_number(trace, term->sources[source])))
            continue;
        snprintf(text, sizeof text, TELL(ORIGIN_NAN_CAME),
                 trace_cell_name(trace, term->sources[source], name));
        origin_paragraph(page, ROLE_ALARM, text);
        return;
    }
    char score[ORIGIN_NUMBER_MAX];
    bool is_exp = term->kind == TERM_EXP;
    if (is_exp)
        origin_number(page->session, explanation_number(trace, term->sources[0]), score);
    if (is_exp)
        snprintf(text, sizeof text, TELL(ORIGIN_NAN_SOFTMAX), score);
    else
        snprintf(text, sizeof text, TELL(ORIGIN_NAN_BEGINS),
                 explanation->first_nan - explanation->first, term->what);
    origin_paragraph(page, ROLE_ALARM, text);
}

static void draw_result(OriginPage *page)
{
    char value[ORIGIN_TEXT_MAX], running[ORIGIN_NUMBER_MAX];
    const TraceTerm *last = &page->explanation->terms[page->explanation->count - 1];
    origin_value(page->session, page->explanation->cell, value);
    origin_number(page->session, last->running, running);
    if (page->explanation->exact)
        origin_line(page, ROLE_CURRENT, TELL(ORIGIN_STORED), value);
    else
        origin_line(page, ROLE_ALARM, TELL(ORIGIN_NOT_STORED), running, value);
    draw_nan(page);
}

// Says where an input or a weight comes from, which nothing computed.
static void draw_given(OriginPage *page)
{
    char value[ORIGIN_TEXT_MAX];
    const TraceTensor *tensor = session_tensor(page->session);
    origin_line(page, ROLE_CURRENT, "= %s",
                origin_value(page->session, session_cell(page->session), value));
    origin_paragraph(page, ROLE_TEXT, TELL(ORIGIN_GIVEN));
    if (tensor->from) {
        snprintf(value, sizeof value, "%s: %s", tensor->name, tensor->from);
        origin_paragraph(page, ROLE_TEXT, value);
    }
}

// --- the inputs

// Draws the words of an element, or only those of its last axes ("key pad") if there is no room for all.
static void draw_words(OriginPage *page, int column, TraceCell cell)
{
    char words[TRACE_CELL_MAX];
    const Trace *trace = &page->session->run.trace;
    int room = page->area.columns - column, first = 0;
    while (trace_axes_words(trace, cell, first, words)[0] && utf8_width(words) > room)
        first++;
    cells_text(page->area, page->row, column, ROLE_QUIET, words);
}

static void draw_input(OriginPage *page, int number, TraceCell cell)
{
    static const CommandKind ways[SESSION_INPUTS_MAX] = {COMMAND_ENTER, COMMAND_INPUT_SECOND,
                                                         COMMAND_INPUT_THIRD, COMMAND_INPUT_FOURTH};
    char name[TRACE_CELL_MAX], value[ORIGIN_TEXT_MAX], key[KEY_NAME_MAX];
    const Session *session = page->session;
    cells_text(page->area, page->row, 0, ROLE_KEY, key_glyph(command_first_key(ways[number], key)));
    int column = KEY_COLUMNS;
    column += cells_format(page->area, page->row, column, ROLE_TEXT, "%s = %s",
                           trace_cell_name(&session->run.trace, cell, name),
                           origin_value(session, cell, value));
    draw_words(page, column + 2, cell);
    page->row++;
}

// Says in the title how many terms do not fit.
static void draw_term_count(OriginPage *page, int rows)
{
    char name[TRACE_CELL_MAX], text[64];
    int title =
        utf8_width(trace_cell_name(&page->session->run.trace, session_cell(page->session), name));
    ptrdiff_t terms = page->explanation->listed;
    if (rows < TERMS_ROWS_MIN)
        snprintf(text, sizeof text, TELL(ORIGIN_TERMS_TALLER), terms);
    else
        snprintf(text, sizeof text, TELL(ORIGIN_TERMS_OF), rows - 1, terms);
    if (title + TITLE_COLUMNS + utf8_width(text) > page->area.columns)
        snprintf(text, sizeof text, " +%td ", terms - (rows < TERMS_ROWS_MIN ? 0 : rows - 1));
    cells_text_right(page->area, 0, page->area.columns - 1, ROLE_KEY, text);
}

// The rows that the list needs at least: the headings and a few terms.
static int rows_wanted(const OriginPage *page)
{
    return 1 + (int)index_min(page->explanation->listed, TERMS_WANTED);
}

// Draws the terms and the inputs. Inputs come first, but terms on small screens and slides.
static void draw_list(OriginPage *page)
{
    TraceCell inputs[SESSION_INPUTS_MAX];
    bool is_slide = page->session->lecture && page->session->lecture->presents;
    int count = session_inputs(page->session, inputs);
    int rows = page->area.rows - page->row;
    int left = rows - 1 - (int)page->explanation->listed;
    if (is_slide && page->session->lecture->on_paper)
        count = 0;
    if (is_slide) // the terms come first
        count = (int)index_clamp(count, 0, left);
    // The lines above explain a softmax; a part of its terms would look like all of them.
    if (is_slide && page->explanation->is_softmax && rows - 1 < page->explanation->listed)
        return;
    if (page->brief)
        count = (int)index_clamp(count, 0, rows - rows_wanted(page));
    rows -= count;
    if (page->explanation->adds_up && rows >= TERMS_ROWS_MIN)
        origin_draw_terms(page, rows);
    if (page->explanation->adds_up && (page->brief || rows < TERMS_ROWS_MIN) &&
        rows - 1 < page->explanation->listed)
        draw_term_count(page, rows);
    for (int number = 0; number < count; number++)
        draw_input(page, number, inputs[number]);
}

// Draws what is above the list.
static void draw_top(OriginPage *page)
{
    draw_title(page);
    draw_path(page);
    if (page->explanation->is_softmax)
        origin_draw_softmax(page);
    else
        origin_draw_formula(page);
    draw_result(page);
}

// True if too little room is left for the list. For a softmax, the lines above the list matter more.
static bool needs_to_be_brief(const OriginPage *page)
{
    TraceCell inputs[SESSION_INPUTS_MAX];
    if (!page->explanation->adds_up || page->explanation->is_softmax)
        return false;
    return page->row + rows_wanted(page) + session_inputs(page->session, inputs) > page->area.rows;
}

static void wipe(OriginPage *page)
{
    for (int row = 0; row < page->area.rows; row++)
        cells_fill(page->area, row, 0, page->area.columns, ROLE_TEXT, " ");
    page->row = 0;
}

static void draw(const Session *session, Area area)
{
    OriginPage page = {session, &session->origin.explanation, area, 0, false};
    if (session->origin.known && page.explanation->count > 0) {
        draw_top(&page);
        page.brief = needs_to_be_brief(&page);
        if (page.brief) {
            wipe(&page);
            draw_top(&page);
        }
        draw_list(&page);
        return;
    }
    draw_title(&page);
    draw_path(&page);
    if (session->origin.known)
        draw_given(&page);
    else
        origin_paragraph(&page, ROLE_QUIET, TELL(ORIGIN_NOT_COMPUTED));
}

static void hints(const Session *session, Hints *hints)
{
    bool known = session->origin.known, has_terms = known && session->origin.explanation.adds_up;
    TraceCell inputs[SESSION_INPUTS_MAX];
    hints_add_one(hints, known && session_inputs(session, inputs) > 0, COMMAND_ENTER);
    hints_add_one(hints, session->origin.trail_length > 0, COMMAND_BACK_OUT);
    hints_add(hints, has_terms, hint_terms, NULL);
    hints_add_one(hints, has_terms, COMMAND_ORIGIN_SORT);
    hints_add_one(hints, true, COMMAND_BACK);
}

const Panel panel_origin = {
    .draw = draw,
    .scroll = &panel_scroll_terms,
    .hints = hints,
};
