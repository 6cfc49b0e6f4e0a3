// A lecture: its page beside the stepper or on a projector, its questions, and the list of its pages.
#include <stdio.h>
#include <string.h>
#include "lines.h"
#include "open_lecture.h"
#include "panel.h"
#include "tui_words.def"
#include "utf8.h"

// --- questions and notes
//
// Next to the stepper and on slides.

enum { CHOICE_INDENT = 5 };

// Writes the speaker's notes, if they are shown.
static void lecture_flow_notes(Flow *flow, const OpenLecture *open)
{
    LectureSpan heading = {.kind = SPAN_STRONG, .text = open_lecture_says(open, WORD_NOTES)};
    if (!open->shows_notes || !open->notes)
        return;
    flow_spans(flow, 0, 0, &heading);
    for (const LectureBlock *block = open->notes; block; block = block->next)
        flow_spans(flow, 2, 2, block->spans);
}

static void flow_choices(Flow *flow, const OpenLecture *open)
{
    char text[OPEN_LECTURE_CHOICE_MAX];
    for (int i = 0; open_lecture_choice(open, i, text); i++) {
        char number[16];
        snprintf(number, sizeof number, "%d  ", i + 1);
        LectureSpan line = {.kind = SPAN_CODE, .text = open_lecture_choice(open, i, text)};
        LectureSpan first = {.kind = SPAN_CODE, .text = number, .next = &line};
        flow_spans(flow, CHOICE_INDENT - 3, CHOICE_INDENT, &first);
    }
}

static void flow_keys(Flow *flow, const OpenLecture *open)
{
    OpenLectureWord keys = open->answered ? WORD_KEYS_AGAIN : WORD_KEYS;
    LectureSpan line = {.kind = SPAN_NOTE, .text = open_lecture_says(open, keys)};
    if (!open->presents && (open->answered || !open->said))
        flow_spans(flow, 2, 2, &line);
}

// Writes the question with its choices, the reply to the answer, and the keys; a blank line before it if `apart`.
static void lecture_flow_question(Flow *flow, const OpenLecture *open, bool apart)
{
    LectureSpan mark = {.kind = SPAN_STRONG, .text = "? ", .next = open->ask->spans};
    flow->line += apart;
    flow_spans(flow, 0, 2, &mark);
    flow_choices(flow, open);
    if (open->said)
        flow_spans(flow, 0, 2, open->said->spans);
    flow_keys(flow, open);
}

// --- a page
//
// Title, text, question. Next to the stepper on wide screens, else above it. Longer texts scroll with Space, ( and ).

enum {
    APART_FROM_ROWS = 16, // lower: no blank lines between paragraphs
    LECTURE_TITLE_ROWS_MAX = 3,
    BESIDE_FROM_COLUMNS = 110,
    COLUMNS_MAX = 64,    // next to the stepper
    ROWS_ABOVE_MAX = 20, // above it
};

// Writes the text below the title, from line `skip` on; returns its lines. Without cells, only counts them.
static int flow_text(const OpenLecture *open, Area area, int skip)
{
    Flow flow = {.area = area, .skip = skip};
    bool apart = area.rows >= APART_FROM_ROWS;
    lecture_flow_notes(&flow, open);
    for (const LectureBlock *block = open->text; block; block = block->next)
        flow_block(&flow, block, apart && flow.line > 0 && block->kind != BLOCK_ITEM);
    if (open->ask)
        lecture_flow_question(&flow, open, apart);
    return flow.line;
}

// --- places

static bool is_beside(Area area)
{
    return area.row == 1 && area.rows > ROWS_ABOVE_MAX;
}

// The area without a free column on both sides and, next to the stepper, the line between them.
static Area inner(Area area)
{
    bool beside = is_beside(area);
    return area_part(area, 0, 1, area.rows - (beside ? 0 : 1), area.columns - (beside ? 3 : 2));
}

static int title_rows_max(Area area)
{
    return (int)index_clamp(area.rows / 4, 1, LECTURE_TITLE_ROWS_MAX);
}

static Area under_title(const OpenLecture *open, Area area)
{
    int rows =
        cells_paragraph_rows(open_lecture_page(open)->title, area.columns, title_rows_max(area), 0);
    return area_part(area, rows, 0, area.rows - rows, area.columns);
}

// The rows of a whole page above the stepper, with the rule.
static int rows_above(const Session *session, int columns)
{
    Area page = {.rows = ROWS_ABOVE_MAX, .columns = columns - 2}; // as in inner()
    Area text = under_title(session->lecture, page);
    return text.row + flow_text(session->lecture, text, 0) + 1;
}

static PanelStand lecture_stands(const Session *session)
{
    return session->lecture ? PANEL_STANDS_BESIDE : PANEL_STANDS_AWAY;
}

static Area lecture_take(const Session *session, Area *left)
{
    if (session->lecture->text_elsewhere)
        return (Area){.rows = 0};
    if (left->columns < BESIDE_FROM_COLUMNS || left->rows <= ROWS_ABOVE_MAX) {
        ptrdiff_t most = index_min(left->rows / 2, ROWS_ABOVE_MAX);
        return area_cut_top(left, (int)index_min(rows_above(session, left->columns), most));
    }
    int columns = (int)index_min(left->columns * 2 / 5, COLUMNS_MAX);
    Area own = area_part(*left, 0, 0, left->rows, columns);
    *left = area_part(*left, 0, columns, left->rows, left->columns - columns);
    return own;
}

static void room(const Session *session, Area area, ScreenSize *room)
{
    if (area.rows <= 0)
        return;
    Area text = under_title(session->lecture, inner(area));
    int lines = flow_text(session->lecture, area_on(NULL, text), 0);
    room->text_rows = text.rows;
    room->text_over = index_max(lines - text.rows, 0);
}

static void lecture_draw(const Session *session, Area area)
{
    const OpenLecture *open = session->lecture;
    char more[64];
    ptrdiff_t most = session->room.text_over;
    int skip = (int)index_min(open->text_line, most), left = (int)most - skip;
    cells_paragraph(inner(area), 0, title_rows_max(inner(area)), 0, ROLE_HEADING,
                    open_lecture_page(open)->title);
    flow_text(open, under_title(open, inner(area)), skip);
    if (is_beside(area))
        for (int row = 0; row < area.rows; row++)
            cells_text(area, row, area.columns - 1, ROLE_RULE, "\u2502");
    else
        cells_fill(area, area.rows - 1, 0, area.columns, ROLE_RULE, "\u2500");
    snprintf(more, sizeof more, "%s%d ", open_lecture_says(open, WORD_MORE), left);
    if (left > 0)
        cells_text_right(area, area.rows - 1, area.columns - 2, ROLE_KEY, more);
}

static void lecture_hints(const Session *session, Hints *lecture_hints)
{
    const OpenLecture *open = session->lecture;
    bool last = open->page + 1 == open->lecture->page_count;
    bool more = open->text_line < session->room.text_over;
    hints_add_as(lecture_hints, !last || more, COMMAND_GO_ON,
                 more ? TELL(HINT_MORE_TEXT) : TELL(HINT_NEXT_PAGE));
    hints_add_one(lecture_hints, open->strayed, COMMAND_RETURN);
    hints_add_one(lecture_hints, open->ask && !open->answered && !open->shown,
                  COMMAND_PROMPT_ANSWER);
    hints_add_one(lecture_hints, open->page > 0, COMMAND_PAGE_PREVIOUS);
    hints_add_one(lecture_hints, true, COMMAND_CONTENTS);
}

static const PanelScroll scroll = {COMMAND_TEXT_UP, COMMAND_TEXT_DOWN};

const Panel panel_lecture = {
    .stands = lecture_stands,
    .take = lecture_take,
    .draw = lecture_draw,
    .room = room,
    .scroll = &scroll,
    .hints = lecture_hints,
};

// --- the list of pages
//
// Which ones are read and answered, and the current one. Up, Down and Enter choose one.

static PanelStand contents_stands(const Session *session)
{
    return session->lecture && session->lecture->contents ? PANEL_STANDS_ALONE : PANEL_STANDS_AWAY;
}

// A page seen with an unanswered question has "?".
static const char *mark_of(const OpenLecture *open, int page)
{
    static const char *const marks[PAGE_MARKS] = {
        [PAGE_UNSEEN] = " ",     [PAGE_SEEN] = "\u00b7",  [PAGE_WRONG] = "\u2717",
        [PAGE_LATER] = "\u25d0", [PAGE_RIGHT] = "\u2713",
    };
    bool asks = open->lecture->pages[page].question.kind != QUESTION_NONE;
    return asks && open->marks[page] == PAGE_SEEN ? "?" : marks[open->marks[page]];
}

static void contents_draw(const Session *session, Area area)
{
    const OpenLecture *open = session->lecture;
    int rows = area.rows - 4, first = (int)index_max(open->chosen - rows + 1, 0);
    cells_text(area, 0, 1, ROLE_HEADING, open->lecture->title);
    for (int row = 0; row < rows && first + row < open->lecture->page_count; row++) {
        int page = first + row;
        Role role = page == open->chosen ? ROLE_CURRENT : ROLE_TEXT;
        cells_format(area, row + 2, 1, role, "%s %s %2d  %s", page == open->chosen ? "\u25b8" : " ",
                     mark_of(open, page), page + 1, open->lecture->pages[page].title);
    }
    bool above = first > 0, below = first + rows < open->lecture->page_count;
    cells_text_right(area, 1, area.columns - 1, ROLE_KEY, above ? "\u2191" : "");
    cells_text_right(area, area.rows - 2, area.columns - 1, ROLE_KEY, below ? "\u2193" : "");
    cells_text(area, area.rows - 1, 1, ROLE_QUIET, open_lecture_says(open, WORD_MARKS));
}

static void contents_hints(const Session *session, Hints *contents_hints)
{
    (void)session;
    hints_add(contents_hints, true, hint_rows, TELL(HINT_CHOOSE));
    hints_add_as(contents_hints, true, COMMAND_ENTER, TELL(HINT_OPEN));
    hints_add_one(contents_hints, true, COMMAND_BACK);
}

const Panel panel_contents = {
    .stands = contents_stands, .draw = contents_draw, .hints = contents_hints};

// --- a page on a projector
//
// The title, the slide's own words, the numbers in large digits or a detail, and the question. The page's text is
// for the speaker.

enum {
    SLIDE_TITLE_ROWS_MAX = 2,
    WORDS_ROWS_MAX = 3,
    VALUES_ROWS_MIN = 5,
    BIG_HEAD_ROWS = 3, // above the front's numbers, with a free row below them
    BESIDE_ROWS = 8,   // of the run beside without its numbers, with a free row above it
    ORIGIN_ROWS = 6,   // of a sum without its terms
    LARGE_WORDS_BYTES = 512,
    LARGE_FROM_ROWS = 24,
};

// Writes the words below the title; returns their rows. Without cells, only counts them.
static int flow_words(const OpenLecture *open, Area area, int row)
{
    Flow flow = {.area = area_part(area, row, 0, WORDS_ROWS_MAX, area.columns)};
    for (const LectureBlock *block = open->slide; block; block = block->next)
        flow_block(&flow, block, false);
    return (int)index_min(flow.line, WORDS_ROWS_MAX);
}

// The rows that large letters may take; small screens leave more to the picture.
static int letters_rows(Area area)
{
    return area.rows < LARGE_FROM_ROWS ? area.rows / 5 : area.rows * 2 / 5;
}

// What is in large letters.
typedef enum HeadSize { HEAD_PLAIN, HEAD_TITLE, HEAD_ALL } HeadSize;

// Draws the title; returns its rows, 0 if large letters do not fit.
static int draw_title(const OpenLecture *open, Area area, HeadSize size)
{
    const char *title = open_lecture_page(open)->title;
    if (size != HEAD_PLAIN)
        return big_letters_draw(area_part(area, 0, 0, letters_rows(area), area.columns),
                                ROLE_HEADING, title);
    return area.cells ? cells_paragraph(area, 0, SLIDE_TITLE_ROWS_MAX, 0, ROLE_HEADING, title)
                      : cells_paragraph_rows(title, area.columns, SLIDE_TITLE_ROWS_MAX, 0);
}

// Draws a slide of one paragraph in large letters; returns its rows, 0 if it does not fit.
static int draw_large_words(const OpenLecture *open, Area area, int row)
{
    char text[LARGE_WORDS_BYTES] = "";
    if (!open->slide || open->slide->next)
        return 0;
    for (const LectureSpan *span = open->slide->spans; span; span = span->next)
        text_add(text, sizeof text, "%s", span->text);
    return !text[0] || strlen(text) + 1 == sizeof text
               ? 0
               : big_letters_draw(area_part(area, row, 0, letters_rows(area), area.columns),
                                  ROLE_TEXT, text);
}

// Draws title, rule, words and a free row; returns their rows, 0 if large ones do not fit. Without cells, only
// measures.
static int draw_head(const OpenLecture *open, Area area, HeadSize size)
{
    int title = draw_title(open, area, size), gap = size == HEAD_ALL;
    if (title == 0)
        return 0;
    if (area.cells)
        cells_fill(area, title, 0, area.columns, ROLE_RULE, "\u2500");
    int words = size == HEAD_ALL ? draw_large_words(open, area, title + 1 + gap)
                                 : flow_words(open, area, title + 1);
    return size == HEAD_ALL && words == 0 ? 0 : title + 1 + gap + words + 1;
}

// Writes the question and notes below the numbers; returns their rows. Without cells, only counts them.
static int flow_foot(const OpenLecture *open, Area area)
{
    Flow flow = {.area = area};
    if (open->ask)
        lecture_flow_question(&flow, open, false);
    lecture_flow_notes(&flow, open);
    return flow.line;
}

// --- the picture of a slide

static LecturePicture picture_of(const Session *session)
{
    return open_lecture_page(session->lecture)->picture;
}

// True if the slide shows the values. A comparison also shows the front's, if they fit.
static bool shows_numbers(const Session *session)
{
    return session->look.detail == DETAIL_NONE && picture_of(session) != SLIDE_TABLE;
}

// Adds the reference's index on an axis, or every index if it leaves the axis whole.
static bool need(const Reference *reference, int axis, ptrdiff_t length, BigAxis *places)
{
    bool good = true;
    if (axis < 0)
        return true;
    if (axis < reference->index_count && reference->index[axis] != REFERENCE_WHOLE_AXIS)
        return big_axis_add(places, reference->index[axis]);
    for (ptrdiff_t i = 0; i < length && good; i++)
        good = big_axis_add(places, i);
    return good;
}

// The visible numbers that the text names; none if there are too many.
static void needs_of(const Session *session, BigNeeds *needs)
{
    const OpenLecture *open = session->lecture;
    const SessionView *view = session_view(session);
    const Tensor *tensor = &session_tensor(session)->tensor;
    *needs = (BigNeeds){.rows = {.count = 0}};
    for (int i = 0; i < open->named_count; i++) {
        const Reference *reference = &open->named[i].reference;
        if (reference->scenario[0] || !open_lecture_is_looked_at(session, reference))
            continue;
        bool good =
            need(reference, view->row_axis, values_length(tensor, view->row_axis), &needs->rows) &&
            need(reference, view->column_axis, values_length(tensor, view->column_axis),
                 &needs->columns);
        if (!good) {
            *needs = (BigNeeds){.rows = {.count = 0}};
            return;
        }
    }
}

static bool is_chosen(const Session *session, const Reference *reference)
{
    const SessionView *view = session_view(session);
    int rank = session_tensor(session)->tensor.rank;
    bool same = !reference->scenario[0] && open_lecture_is_looked_at(session, reference) &&
                reference->index_count == rank;
    for (int axis = 0; same && axis < rank; axis++)
        same = reference->index[axis] == view->at[axis];
    return same;
}

// True if the picture shows the number. `holds`: the matrix shows all that are named.
static bool is_in_picture(const Session *session, const OpenLectureNamed *named, bool holds)
{
    const Reference *reference = &named->reference;
    bool is_own_shape = reference->kind == REFERENCE_SHAPE && !reference->scenario[0] &&
                        strcmp(reference->tensor, session_tensor(session)->name) == 0;
    if (shows_numbers(session))
        return is_own_shape ||
               (holds && !reference->scenario[0] && open_lecture_is_looked_at(session, reference));
    if (session->look.detail == DETAIL_BESIDE && reference->scenario[0])
        return open_lecture_is_looked_at(session, reference);
    return session->look.detail != DETAIL_NONE &&
           (is_chosen(session, reference) || open_lecture_is_memory(session, reference));
}

// --- named numbers that are not in the picture

enum { NAMED_GAP = 3 };

// Draws "name = value" for each, side by side if they fit; returns the rows. Without cells, only counts them.
static int flow_named(const Session *session, Area area, bool holds)
{
    const OpenLecture *open = session->lecture;
    int row = 0, column = 0;
    for (int i = 0; i < open->named_count; i++) {
        char text[REFERENCE_TEXT_MAX + 256];
        const OpenLectureNamed *named = &open->named[i];
        if (is_in_picture(session, named, holds))
            continue;
        snprintf(text, sizeof text, "%s = %s", named->words, named->value);
        int wide = utf8_width(text);
        if (column > 0 && column + wide > area.columns) {
            row++;
            column = 0;
        }
        Area rest = area_part(area, row, column, area.rows - row, area.columns - column);
        if (area.cells)
            cells_paragraph(rest, 0, rest.rows, 2, ROLE_HEADING, text);
        row += cells_paragraph_rows(text, rest.columns, area.rows, 2) - 1;
        column += wide + NAMED_GAP;
    }
    return row + (column > 0);
}

// --- the parts of a slide

typedef struct Parts {
    Area head, formula, body, named, foot;
    BigNeeds needs;
    bool holds; // the matrix shows all that is needed
    HeadSize size;
    bool has_head;
} Parts;

static void cut_named(const Session *session, Parts *parts, Area whole)
{
    int rows = flow_named(session, area_on(NULL, whole), parts->holds);
    int most = whole.rows - VALUES_ROWS_MIN;
    parts->body = whole;
    parts->named = area_cut_bottom(&parts->body, (int)index_clamp(rows, 0, most));
}

// Puts the named numbers into the matrix if they fit, else below it.
static void cut_body(const Session *session, Parts *parts, Area whole)
{
    parts->holds = true;
    if (shows_numbers(session) && picture_of(session) == SLIDE_ROW) {
        cut_named(session, parts, whole);
        return;
    }
    needs_of(session, &parts->needs);
    cut_named(session, parts, whole);
    parts->holds = big_values_hold(session, area_on(NULL, parts->body), &parts->needs);
    if (!parts->holds) {
        parts->needs = (BigNeeds){.rows = {.count = 0}};
        cut_named(session, parts, whole);
    }
}

// Draws the step's formula, its line of PyTorch and a free row; returns the rows. Without cells, only counts them.
static int draw_formula(const Session *session, Area area)
{
    enum { INDENT = 2, ROWS_MAX = 4 };
    char text[TRACE_FORMULA_MAX];
    const Trace *trace = &session->run.trace;
    const char *lines[] = {trace_formula(trace, session->cursor.step, text), NULL};
    int rows = 0;
    for (int i = 0; i < 2; i++) {
        if (i == 1)
            lines[1] = trace_torch(trace, session->cursor.step, text);
        if (area.cells)
            cells_paragraph(area, rows, ROWS_MAX, INDENT, i == 0 ? ROLE_HEADING : ROLE_TEXT,
                            lines[i]);
        rows += cells_paragraph_rows(lines[i], area.columns, ROWS_MAX, INDENT);
    }
    return rows + 1;
}

static Parts parts_with(const Session *session, Area area, HeadSize size)
{
    Area whole = area_part(area, 1, SLIDE_MARGIN, area.rows - 1, area.columns - 2 * SLIDE_MARGIN);
    Parts parts = {.head = whole, .foot = whole, .size = size};
    bool on_paper = session->lecture->on_paper; // paper prints head and foot itself
    int head = on_paper ? 0 : draw_head(session->lecture, area_on(NULL, whole), size);
    int foot = on_paper ? 0 : flow_foot(session->lecture, area_on(NULL, whole));
    parts.has_head = head > 0;
    int most = whole.rows - head - VALUES_ROWS_MIN;
    foot = (int)index_clamp(foot, 0, most);
    parts.foot.row += whole.rows - foot;
    parts.foot.rows = foot;
    Area body = area_part(whole, head, 0, whole.rows - head - foot, whole.columns);
    if (picture_of(session) == SLIDE_FORMULA)
        parts.formula = area_cut_top(&body, draw_formula(session, area_on(NULL, body)));
    cut_body(session, &parts, body);
    return parts;
}

// Draws the code blocks of the text; returns their rows. Without cells, only counts them.
static int draw_table(const OpenLecture *open, Area area)
{
    Flow flow = {.area = area};
    for (const LectureBlock *block = open->text; block; block = block->next)
        if (block->kind == BLOCK_CODE)
            flow_block(&flow, block, false);
    return flow.line;
}

// The rows that a comparison needs to show the front's numbers, too.
static int rows_of_both(ptrdiff_t rows)
{
    return 2 * (int)rows + BIG_HEAD_ROWS + BESIDE_ROWS;
}

// The rows that the picture must have for a large head.
static int rows_wanted(const Session *session, Area body)
{
    ptrdiff_t rows =
        values_length(&session_tensor(session)->tensor, session_view(session)->row_axis);
    switch (session->look.detail) {
    case DETAIL_NONE:
        return picture_of(session) == SLIDE_TABLE
                   ? draw_table(session->lecture, area_on(NULL, body)) + 1
                   : VALUES_ROWS_MIN;
    case DETAIL_ORIGIN:
        return session->origin.known ? (int)session->origin.explanation.listed + ORIGIN_ROWS + 1
                                     : body.rows;
    case DETAIL_HEATMAP:
        return rows < body.rows ? (int)rows + BIG_HEAD_ROWS + 1 : body.rows;
    case DETAIL_BESIDE:
        return (int)(rows < body.rows ? index_min(rows_of_both(rows), body.rows) : body.rows);
    default:
        return body.rows;
    }
}

static bool is_as_good(const Session *session, const Parts *large, const Parts *plain)
{
    bool is_row =
        picture_of(session) == SLIDE_ROW && big_row_draw(session, area_on(NULL, plain->body));
    bool has_numbers = is_row ? big_row_draw(session, area_on(NULL, large->body))
                              : !shows_numbers(session) ||
                                    big_values_as_large(session, area_on(NULL, large->body),
                                                        area_on(NULL, plain->body), &plain->needs);
    return large->has_head && has_numbers && large->holds == plain->holds &&
           large->foot.rows == plain->foot.rows && large->named.rows == plain->named.rows &&
           large->body.rows >= rows_wanted(session, plain->body);
}

// Chooses the largest letters that leave the picture what it must show.
static Parts parts_of(const Session *session, Area area)
{
    Parts plain = parts_with(session, area, HEAD_PLAIN);
    for (HeadSize size = HEAD_ALL; size > HEAD_PLAIN && !session->lecture->on_paper; size--) {
        Parts large = parts_with(session, area, size);
        if (is_as_good(session, &large, &plain))
            return large;
    }
    return plain;
}

static PanelStand slide_stands(const Session *session)
{
    return session->lecture && session->lecture->presents ? PANEL_STANDS_ALONE : PANEL_STANDS_AWAY;
}

// The rows above a detail: for a comparison the front's numbers if both fit; else the chosen number. A map shows its
// chosen number itself; a sum may need the rows for its terms.
static int rows_on_top(const Session *session, Area body)
{
    BigNeeds needs;
    ptrdiff_t rows =
        values_length(&session_tensor(session)->tensor, session_view(session)->row_axis);
    needs_of(session, &needs);
    if (session->look.detail == DETAIL_HEATMAP)
        return 0;
    if (session->look.detail == DETAIL_BESIDE && body.rows >= rows_of_both(rows))
        return body.rows - (int)rows - BESIDE_ROWS;
    int chosen = big_values_chosen_rows(session, body) + 1;
    bool needs_rows = session->look.detail == DETAIL_ORIGIN && session->origin.known &&
                      body.rows - chosen < session->origin.explanation.listed + ORIGIN_ROWS;
    return needs_rows ? 0 : chosen;
}

// Takes everything, and leaves the detail its part.
static Area slide_take(const Session *session, Area *left)
{
    Area area = *left;
    left->rows = 0;
    if (session->look.detail == DETAIL_NONE)
        return area;
    Area body = parts_of(session, area).body;
    int above = rows_on_top(session, body);
    *left = area_part(body, above, 0, body.rows - above, body.columns);
    return area;
}

static void draw_body(const Session *session, const Parts *parts)
{
    Area body = parts->body;
    int above = session->look.detail == DETAIL_NONE ? 0 : rows_on_top(session, body);
    if (session->look.detail == DETAIL_BESIDE && above > BIG_HEAD_ROWS)
        big_values_draw(session, area_part(body, 0, 0, above, body.columns), &parts->needs);
    else if (session->look.detail != DETAIL_NONE && above > 0)
        big_values_chosen(session, body);
    if (session->look.detail != DETAIL_NONE)
        return;
    if (picture_of(session) == SLIDE_TABLE) {
        draw_table(session->lecture, body);
        return;
    }
    if (picture_of(session) != SLIDE_ROW || !big_row_draw(session, body))
        big_values_draw(session, body, &parts->needs);
}

static void slide_draw(const Session *session, Area area)
{
    Parts parts = parts_of(session, area);
    if (!session->lecture->on_paper)
        draw_head(session->lecture, parts.head, parts.size);
    if (parts.formula.rows > 0)
        draw_formula(session, parts.formula);
    draw_body(session, &parts);
    flow_named(session, parts.named, parts.holds);
    if (!session->lecture->on_paper)
        flow_foot(session->lecture, parts.foot);
}

const Panel panel_slide = {.stands = slide_stands,
                           .take = slide_take,
                           .draw = slide_draw,
                           .hints = panel_hints_presenting};

// --- a poll on a projector
//
// The question and its choices, as large as they fit, without anything that gives the answer away.

enum { GAP = 2, PLAIN_INDENT = 4 };

// The rows of a choice with a number of that size and a free row.
static int rows_of(const char *text, int columns, BigSize size)
{
    int number = big_number_rows(size);
    int words =
        cells_paragraph_rows(text, columns - big_number_columns("1", size) - GAP, number, 0);
    return (int)index_max(words, number) + 1;
}

// Draws the share of votes as a bar in the free row below.
static void draw_votes(const OpenLecture *open, int choice, Area area)
{
    int votes = choice < OPEN_LECTURE_VOTES_MAX ? open->votes[choice] : 0;
    int all = open_lecture_votes(open), most = area.columns - 8;
    if (!open->bars || all == 0 || most < 1)
        return;
    cells_fill(area, area.rows - 1, 0, most * votes / all, ROLE_KEY, "\u2580");
    cells_format(area, area.rows - 1, most * votes / all + 1, ROLE_HEADING, "%d", votes);
}

static void draw_choice(const OpenLecture *open, int choice, Area area, BigSize size)
{
    char digits[16], words_of[OPEN_LECTURE_CHOICE_MAX];
    const char *text = open_lecture_poll_choice(open, choice, words_of);
    BigPen pen = {area, ROLE_KEY, size};
    int start = big_number_columns("1", size) + GAP;
    Area words = area_part(area, 0, start, area.rows, area.columns - start);
    int rows = cells_paragraph_rows(text, words.columns, big_number_rows(size), 0);
    snprintf(digits, sizeof digits, "%d", choice + open_lecture_poll_first(open));
    big_number_draw(&pen, 0, 0, digits);
    int row = (big_number_rows(size) - rows) / 2;
    cells_paragraph(words, row, rows, 0, ROLE_HEADING, text);
    draw_votes(open, choice, words);
}

static int all_rows(const OpenLecture *open, int columns, BigSize size)
{
    char text[OPEN_LECTURE_CHOICE_MAX];
    int rows = 0;
    for (int i = 0; open_lecture_poll_choice(open, i, text); i++)
        rows += rows_of(open_lecture_poll_choice(open, i, text), columns, size);
    return rows;
}

static void draw_plain(const OpenLecture *open, Area area)
{
    char text[OPEN_LECTURE_CHOICE_MAX], line[OPEN_LECTURE_CHOICE_MAX + 16];
    int row = 0, first = open_lecture_poll_first(open);
    for (int i = 0; open_lecture_poll_choice(open, i, text); i++) {
        const char *choice = open_lecture_poll_choice(open, i, text);
        if (open->bars && i < OPEN_LECTURE_VOTES_MAX)
            snprintf(line, sizeof line, "%d  %s (%d)", i + first, choice, open->votes[i]);
        else
            snprintf(line, sizeof line, "%d  %s", i + first, choice);
        row += cells_paragraph(area, row, area.rows - row, PLAIN_INDENT, ROLE_HEADING, line);
    }
}

static void draw_choices(const OpenLecture *open, Area area)
{
    char text[OPEN_LECTURE_CHOICE_MAX];
    int most = area.rows + (open->bars ? 0 : 1); // the last free row
    BigSize size = all_rows(open, area.columns, BIG_WHOLE) <= most ? BIG_WHOLE : BIG_HALF;
    if (all_rows(open, area.columns, size) > most) {
        draw_plain(open, area);
        return;
    }
    for (int i = 0; open_lecture_poll_choice(open, i, text); i++) {
        const char *choice = open_lecture_poll_choice(open, i, text);
        int rows = rows_of(choice, area.columns, size);
        draw_choice(open, i, area_part(area, 0, 0, rows, area.columns), size);
        area.row += rows;
        area.rows -= rows;
    }
}

static PanelStand poll_stands(const Session *session)
{
    const OpenLecture *open = session->lecture;
    return open && open->presents && open->polls ? PANEL_STANDS_ALONE : PANEL_STANDS_AWAY;
}

static void poll_draw(const Session *session, Area area)
{
    const OpenLecture *open = session->lecture;
    if (!open->ask)
        return;
    Area inner = area_part(area, 1, SLIDE_MARGIN, area.rows - 1, area.columns - 2 * SLIDE_MARGIN);
    Flow flow = {.area = inner};
    flow_spans(&flow, 0, 0, open->ask->spans);
    cells_fill(inner, flow.line, 0, inner.columns, ROLE_RULE, "\u2500");
    char votes[64];
    if (open_lecture_votes(open) > 0) {
        snprintf(votes, sizeof votes, open_lecture_says(open, WORD_VOTES),
                 open_lecture_votes(open));
        cells_text_right(inner, flow.line, inner.columns, ROLE_HEADING, votes);
    }
    int above = flow.line + 2;
    draw_choices(open, area_part(inner, above, 0, inner.rows - above, inner.columns));
}

const Panel panel_poll = {
    .stands = poll_stands, .draw = poll_draw, .hints = panel_hints_presenting};
