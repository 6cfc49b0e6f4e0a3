// The origin of the chosen element: the way that led here, how it was computed with its own indices
// and numbers, the number that is stored, the terms, and the inputs of the marked term.
#include "panel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "key_glyph.h"
#include "origin_page.h"

enum {
    WAY_ROWS_FROM = 20, // rows of a panel from which the way back may take two
    TERMS_ROWS_MIN = 2,
};

static void draw_title(OriginPage *page)
{
    const Trace *trace = &page->session->trace;
    char name[TRACE_CELL_MAX], words[TRACE_CELL_MAX];
    TraceCell cell = session_cell(page->session);
    cells_fill(page->cells, page->area, page->row, 0, page->area.columns, ROLE_RULE, "\u2500");
    cells_format(page->cells, page->area, page->row++, 1, ROLE_HEADING, " origin of %s ",
                 trace_cell_name(trace, cell, name));
    if (trace_cell_words(trace, cell, words)[0])
        origin_line(page, ROLE_QUIET, "%s", words);
}

// --- the way back

// "scores[0,0,1,2] > q_heads[0,0,1,5] > ...": from place number `from` on. Where somebody moved on
// their own after a walk, ".." stands instead of ">".
static void way_text(const Session *session, int from, char text[], size_t room)
{
    char name[TRACE_CELL_MAX];
    size_t used = (size_t)snprintf(text, room, from > 0 ? "... > " : "");
    for (int place = from; place < session->trail_length; place++) {
        const SessionCrumb *crumb = &session->trail[place];
        bool is_last = place + 1 == session->trail_length;
        TraceCell next = is_last ? session_cell(session) : session->trail[place + 1].from;
        used += (size_t)snprintf(text + used, room - used, "%s %s ",
                                 trace_cell_name(&session->trace, crumb->from, name),
                                 session_same_cell(crumb->to, next) ? ">" : "..");
    }
    snprintf(text + used, room - used, "here");
}

// The newest part of the way that fits.
static void draw_way(OriginPage *page)
{
    char text[SESSION_TRAIL_MAX * (TRACE_CELL_MAX + 4)];
    Cells nowhere = {.rows = 0};
    int rows = page->area.rows >= WAY_ROWS_FROM ? 2 : 1;
    if (page->session->trail_length == 0)
        return;
    Area wide = {0, 0, rows + 1, page->area.columns};
    for (int from = 0; from < page->session->trail_length; from++) {
        way_text(page->session, from, text, sizeof text);
        if (cells_paragraph(&nowhere, wide, 0, rows + 1, 0, ROLE_KEY, text) <= rows)
            break;
    }
    page->row += cells_paragraph(page->cells, page->area, page->row, rows, 0, ROLE_KEY, text);
}

// --- what is stored

// Which term brought NaN, and whether it came with an input or was made here.
static void draw_nan(OriginPage *page)
{
    const Explanation *explanation = page->explanation;
    const Trace *trace = &page->session->trace;
    if (explanation->first_nan < 0)
        return;
    const TraceTerm *term = &explanation->terms[explanation->first_nan];
    char name[TRACE_CELL_MAX], text[ORIGIN_TEXT_MAX];
    for (int source = 0; source < term->source_count; source++) {
        if (!isnan(explanation_number(trace, term->sources[source])))
            continue;
        snprintf(text, sizeof text, "NaN came with %s.",
                 trace_cell_name(trace, term->sources[source], name));
        origin_paragraph(page, ROLE_ALARM, text);
        return;
    }
    if (term->kind == TERM_EXP)
        snprintf(text, sizeof text,
                 "NaN begins here: the score and the maximum are both %g, and "
                 "%g - %g has no value.",
                 (double)explanation_number(trace, term->sources[0]),
                 (double)explanation_number(trace, term->sources[0]),
                 (double)explanation_number(trace, term->sources[0]));
    else
        snprintf(text, sizeof text,
                 "NaN begins here, with term %td (%s): its inputs are numbers, "
                 "what it makes of them is none.",
                 explanation->first_nan - explanation->first, term->what);
    origin_paragraph(page, ROLE_ALARM, text);
}

static void draw_result(OriginPage *page)
{
    char value[ORIGIN_TEXT_MAX];
    const TraceTerm *last = &page->explanation->terms[page->explanation->count - 1];
    origin_value(page->session, page->explanation->cell, value);
    if (page->explanation->exact)
        origin_line(page, ROLE_CURRENT, "= %s, the stored number", value);
    else
        origin_line(page, ROLE_ALARM, "= %.9g, but %s is stored", (double)last->running, value);
    draw_nan(page);
}

// Where an input or a weight comes from: nothing computed it.
static void draw_given(OriginPage *page)
{
    char value[ORIGIN_TEXT_MAX];
    const TraceTensor *tensor = session_tensor(page->session);
    origin_line(page, ROLE_CURRENT, "= %s",
                origin_value(page->session, session_cell(page->session), value));
    origin_paragraph(page, ROLE_TEXT, "Given, not computed: this is where it begins.");
    if (tensor->from) {
        snprintf(value, sizeof value, "%s: %s", tensor->name, tensor->from);
        origin_paragraph(page, ROLE_TEXT, value);
    }
}

// --- the marked term's inputs

static void draw_input(OriginPage *page, const TraceTerm *term, int source)
{
    static const CommandKind ways[STAGE_SOURCES_MAX] = {COMMAND_ENTER, COMMAND_INPUT_SECOND,
                                                        COMMAND_INPUT_THIRD};
    char name[TRACE_CELL_MAX], value[ORIGIN_TEXT_MAX], words[TRACE_CELL_MAX], key[KEY_NAME_MAX];
    const Session *session = page->session;
    TraceCell cell = term->sources[source];
    int column = cells_text(page->cells, page->area, page->row, 0, ROLE_KEY,
                            key_glyph(command_first_key(ways[source], key)));
    column += column == 1 ? 5 : 1;
    column += cells_format(page->cells, page->area, page->row, column, ROLE_TEXT, "%s = %s",
                           trace_cell_name(&session->trace, cell, name),
                           origin_value(session, cell, value));
    cells_text(page->cells, page->area, page->row++, column + 2, ROLE_QUIET,
               trace_cell_words(&session->trace, cell, words));
}

static void draw_inputs(OriginPage *page)
{
    const TraceTerm *term = explanation_term(page->explanation, page->session->marked);
    for (int source = 0; source < term->source_count; source++)
        draw_input(page, term, source);
}

// The terms take the rows that the inputs below them leave.
static void draw_list(OriginPage *page)
{
    const TraceTerm *term = explanation_term(page->explanation, page->session->marked);
    int rows = page->area.rows - page->row - term->source_count;
    if (page->explanation->listed > 1 && rows >= TERMS_ROWS_MIN)
        origin_draw_terms(page, rows);
    draw_inputs(page);
}

void panel_origin(const Session *session, Area area, Cells *cells)
{
    OriginPage page = {session, &session->explanation, area, cells, 0};
    if (area.rows <= 0)
        return;
    draw_title(&page);
    draw_way(&page);
    if (!session->explained) {
        origin_paragraph(&page, ROLE_QUIET, "This element has not been computed.");
        return;
    }
    if (page.explanation->count == 0) {
        draw_given(&page);
        return;
    }
    if (page.explanation->terms[0].kind == TERM_MAXIMUM)
        origin_draw_softmax(&page);
    else
        origin_draw_formula(&page);
    draw_result(&page);
    draw_list(&page);
}
