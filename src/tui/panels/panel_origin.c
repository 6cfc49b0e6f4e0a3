// The origin of the chosen element: the way that led here, how it was computed with its own indices
// and numbers, the number that is stored, the terms, and the inputs of the marked term.
#include "panel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "key_glyph.h"
#include "origin_page.h"
#include "utf8.h"
#include "tui_words.h"

enum {
    WAY_ROWS_FROM = 17, // rows of a panel from which the way back may take two
    TERMS_ROWS_MIN = 2,
    TERMS_WANTED = 4,
    TITLE_COLUMNS = 14, // "─ origin of " and what stands behind the name
    KEY_COLUMNS = 6,    // of the keys that walk into inputs
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

// --- the way back

// "scores[0,0,1,2] > q_heads[0,0,1,5]": from place number `from` on, and the element that is chosen
// now. Where somebody moved on their own after a walk, ".." stands instead of ">".
static void way_text(const Session *session, int from, char text[], size_t room)
{
    char name[TRACE_CELL_MAX], words[TRACE_CELL_MAX];
    TraceCell here = session_cell(session);
    size_t used = (size_t)snprintf(text, room, from > 0 ? "... > " : "");
    for (int place = from; place < session->origin.trail_length; place++) {
        const SessionCrumb *crumb = &session->origin.trail[place];
        bool is_last = place + 1 == session->origin.trail_length;
        TraceCell next = is_last ? here : session->origin.trail[place + 1].from;
        used += (size_t)snprintf(text + used, room - used, "%s %s ",
                                 trace_cell_name(&session->run.trace, crumb->from, name),
                                 session_same_cell(crumb->to, next) ? ">" : "..");
    }
    bool begins =
        session_tensor(session)->step < 0 && trace_cell_words(&session->run.trace, here, words)[0];
    trace_cell_name(&session->run.trace, here, name);
    snprintf(text + used, room - used, begins ? "%s (%s)" : "%s", name, words);
}

// The newest part of the way that fits.
static void draw_way(OriginPage *page)
{
    char text[(SESSION_TRAIL_MAX + 2) * (TRACE_CELL_MAX + 4)];
    int rows = page->area.rows >= WAY_ROWS_FROM ? 2 : 1;
    if (page->session->origin.trail_length == 0)
        return;
    for (int from = 0; from < page->session->origin.trail_length; from++) {
        way_text(page->session, from, text, sizeof text);
        if (cells_paragraph_rows(text, page->area.columns, rows + 1, 0) <= rows)
            break;
    }
    page->row += cells_paragraph(page->area, page->row, rows, 0, ROLE_KEY, text);
}

// --- what is stored

// Which term brought NaN, and whether it came with an input or was made here.
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
    char value[ORIGIN_TEXT_MAX], told[ORIGIN_NUMBER_MAX];
    const TraceTerm *last = &page->explanation->terms[page->explanation->count - 1];
    origin_value(page->session, page->explanation->cell, value);
    origin_number(page->session, last->running, told);
    if (page->explanation->exact)
        origin_line(page, ROLE_CURRENT, TELL(ORIGIN_STORED), value);
    else
        origin_line(page, ROLE_ALARM, TELL(ORIGIN_NOT_STORED), told, value);
    draw_nan(page);
}

// Where an input or a weight comes from: nothing computed it.
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

// The words of an element, of which only those of its last axes ("key pad") where there is no room for
// all.
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

// How many terms there are more than rows for them, in the title.
static void tell_terms(OriginPage *page, int rows)
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

// The heads of the columns and a few terms, before anything else has the rows.
static int rows_wanted(const OriginPage *page)
{
    ptrdiff_t terms = page->explanation->listed;
    return 1 + (int)(terms < TERMS_WANTED ? terms : TERMS_WANTED);
}

// The terms take the rows that the inputs below them leave; on a small screen it is the other way.
static void draw_list(OriginPage *page)
{
    TraceCell inputs[SESSION_INPUTS_MAX];
    int count = session_inputs(page->session, inputs);
    int rows = page->area.rows - page->row;
    if (page->brief && count > rows - rows_wanted(page))
        count = rows > rows_wanted(page) ? rows - rows_wanted(page) : 0;
    rows -= count;
    if (page->explanation->adds_up && rows >= TERMS_ROWS_MIN)
        origin_draw_terms(page, rows);
    if (page->explanation->adds_up && (page->brief || rows < TERMS_ROWS_MIN) &&
        rows - 1 < page->explanation->listed)
        tell_terms(page, rows);
    for (int number = 0; number < count; number++)
        draw_input(page, number, inputs[number]);
}

// What stands above the list.
static void draw_top(OriginPage *page)
{
    draw_title(page);
    draw_way(page);
    if (page->explanation->is_softmax)
        origin_draw_softmax(page);
    else
        origin_draw_formula(page);
    draw_result(page);
}

// Whether what stands above the list leaves too little for it. A softmax is told by the lines above
// its list; any other sum is its list.
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
    draw_way(&page);
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
    .is_offered_first = true,
};
