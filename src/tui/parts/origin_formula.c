// origin_formula: how an element was computed, with its own indices and numbers; see origin_page.h.
#include "origin_page.h"

#include <stdio.h>
#include <string.h>
#include "tui_words.h"

enum {
    WRITTEN_OUT_MAX = 4, // terms of a sum; longer sums show two and the last
    STEPS_MAX = 8,       // of a computation that is no sum; longer ones show as many at either end
};

// --- sums

// The terms of a sum; what a formula makes of it comes behind.
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
    size_t used = (size_t)snprintf(text, sizeof text, "= sum_%c %s * %s", letter,
                                   origin_pattern(page, 0, left), origin_pattern(page, 1, right));
    for (ptrdiff_t added = products; added < terms && used < sizeof text; added++)
        used += (size_t)snprintf(text + used, sizeof text - used, " + %s",
                                 trace_cell_name(&page->session->run.trace,
                                                 explanation_term(explanation, added)->sources[0],
                                                 bias));
    if (used < sizeof text)
        snprintf(text + used, sizeof text - used, ", %c=0...%s", letter,
                 origin_index(page, products - 1, last_index));
    origin_paragraph(page, ROLE_TEXT, text);
}

static size_t write_term(const OriginPage *page, ptrdiff_t number, char *text, size_t room)
{
    const Trace *trace = &page->session->run.trace;
    const TraceTerm *term = explanation_term(page->explanation, number);
    char left[ORIGIN_NUMBER_MAX], right[ORIGIN_NUMBER_MAX];
    const char *plus = number > 0 ? " + " : "= ";
    if (term->kind != TERM_MULTIPLY_ADD)
        return (size_t)snprintf(text, room, "%s%s", plus, origin_brief(term->value, left));
    return (size_t)snprintf(text, room, "%s%s * %s", plus,
                            origin_brief(explanation_number(trace, term->sources[0]), left),
                            origin_brief(explanation_number(trace, term->sources[1]), right));
}

// "= 0.5 * 2 + 0.25 * -1 + ... + 0.125 * 8"
static void draw_sum_numbers(OriginPage *page)
{
    char text[ORIGIN_TEXT_MAX];
    size_t used = 0;
    ptrdiff_t listed = summed(page->explanation);
    bool cut = listed > WRITTEN_OUT_MAX;
    for (ptrdiff_t number = 0; number < (cut ? 2 : listed); number++)
        used += write_term(page, number, text + used, sizeof text - used);
    if (cut) {
        used += (size_t)snprintf(text + used, sizeof text - used, " + ...");
        write_term(page, listed - 1, text + used, sizeof text - used);
    }
    origin_paragraph(page, ROLE_TEXT, text);
}

// Which part comes after this one: of many only as many at either end are shown, with dots between.
static ptrdiff_t next_part(OriginPage *page, ptrdiff_t number)
{
    ptrdiff_t listed = page->explanation->listed;
    if (listed <= STEPS_MAX || number + 1 != STEPS_MAX / 2)
        return number + 1;
    origin_line(page, ROLE_QUIET, "...");
    return listed - STEPS_MAX / 2;
}

// An embedding plus a pattern: each part with what it is.
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

// A computation that is no sum, as it goes on.
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
        char name[TRACE_CELL_MAX], address[ORIGIN_TEXT_MAX], text[2 * ORIGIN_TEXT_MAX];
        snprintf(text, sizeof text, "%s: %s", trace_cell_name(&session->run.trace, cells[i], name),
                 origin_address(session, cells[i], address));
        origin_paragraph(page, ROLE_TEXT, text);
    }
    origin_paragraph(page, ROLE_HEADING,
                     term->kind == TERM_PLACE ? TELL(ORIGIN_SAME_PLACE) : TELL(ORIGIN_COPY));
}

// --- one term

// Rows with the same id are the same numbers; a person who wonders why two tokens agree finds out.
static void draw_same_ids(OriginPage *page, TraceCell id)
{
    const Tensor *ids = &page->session->run.trace.tensors[id.tensor].tensor;
    char text[ORIGIN_TEXT_MAX];
    size_t used = (size_t)snprintf(text, sizeof text, TELL(ORIGIN_SAME_ID));
    int same = 0;
    for (ptrdiff_t l = 0; l < ids->shape[1] && used + 32 < sizeof text; l++)
        if (*tensor_id2(ids, id.at[0], l) == *tensor_id2(ids, id.at[0], id.at[1])) {
            used += (size_t)snprintf(text + used, sizeof text - used, same ? ", %td" : " %td", l);
            same++;
        }
    snprintf(text + used, sizeof text - used, TELL(ORIGIN_SAME_ROW));
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

// How long a sequence is decides what is padding.
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
    char number[ORIGIN_NUMBER_MAX];
    int step = trace->tensors[page->explanation->cell.tensor].step;
    bool has_settings = trace_settings(trace, step, settings) != NULL;
    if (term->source_count > 0) {
        trace_cell_name(trace, term->sources[0], name);
        origin_value(page->session, term->sources[0], value);
    }
    switch (term->kind) {
    case TERM_DIVIDE:
        origin_line(page, ROLE_TEXT, "= %s / scale", name);
        if (has_settings)
            origin_line(page, ROLE_QUIET, "%s", settings);
        origin_line(page, ROLE_TEXT, "= %s / %s", value,
                    origin_number(page->session, term->value, number));
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

void origin_draw_formula(OriginPage *page)
{
    const Explanation *explanation = page->explanation;
    const TraceTerm *first = explanation_term(explanation, 0);
    const TraceTerm *last = explanation_term(explanation, explanation->listed - 1);
    if (first->kind == TERM_ADD && last->kind == TERM_ADD) {
        draw_parts(page);
        return;
    }
    if (first->kind == TERM_MULTIPLY_ADD) {
        draw_sum_indices(page);
        if (!page->brief)
            draw_sum_numbers(page);
        return;
    }
    int step = page->session->run.trace.tensors[page->explanation->cell.tensor].step;
    if (explanation->listed > 2 || page->session->run.trace.steps[step].formula) {
        draw_steps(page);
        return;
    }
    for (ptrdiff_t number = 0; number < explanation->listed; number++)
        draw_single(page, explanation_term(explanation, number));
    if (last->kind == TERM_PLACE || (last->kind == TERM_COPY && explanation->listed == 1))
        draw_places(page, last);
}
