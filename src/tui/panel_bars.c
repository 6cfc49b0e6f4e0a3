// The lines around the other panels: the title, the keys, what is being typed, and messages.
#include <stdio.h>
#include "open_lecture.h"
#include "panel.h"
#include "session.h"
#include "tui_words.def"
#include "utf8.h"

// --- the title bar
//
// Which scenario this is, from which document, and what it is about; of a lecture, how
// far it has come.

// "L returns  4/12  ✓ 3 ◐ 1 of 8"; the columns it takes.
static int draw_progress(const OpenLecture *open, Area area)
{
    char text[128], later[32] = "", answers[64] = "";
    if (open->presents) {
        snprintf(text, sizeof text, "%d/%d ", open->page + 1, open->lecture->page_count);
        cells_text_right(area, 0, area.columns, ROLE_TITLE, text);
        return utf8_width(text) + 1;
    }
    OpenLectureScore score = open_lecture_score(open);
    if (score.later > 0)
        snprintf(later, sizeof later, " \u25d0 %d", score.later);
    if (score.questions > 0)
        snprintf(answers, sizeof answers, "  \u2713 %d%s%s%d", score.right, later,
                 open_lecture_word(open->lecture->language, WORD_OF), score.questions);
    snprintf(text, sizeof text, "%s%d/%d%s ", open->strayed ? TELL(TITLE_RETURNS) : "",
             open->page + 1, open->lecture->page_count, answers);
    cells_text_right(area, 0, area.columns, ROLE_TITLE, text);
    return utf8_width(text) + 1;
}

static Area title_take(const Session *session, Area *left)
{
    (void)session;
    return area_cut_top(left, 1);
}

static void title_draw(const Session *session, Area area)
{
    const Scenario *scenario = session->run.trace.scenario;
    cells_fill(area, 0, 0, area.columns, ROLE_TITLE, " ");
    if (session->lecture && !session->lecture->text_elsewhere)
        area.columns -= draw_progress(session->lecture, area);
    int column = 1;
    column += cells_text(area, 0, column, ROLE_TITLE, "attnscope  ");
    column += cells_text(area, 0, column, ROLE_TITLE, scenario->name);
    const char *document = session_document(session);
    char changed[SESSION_SOURCE_MAX];
    if (document)
        column += cells_format(area, 0, column, ROLE_TITLE, TELL(TITLE_DOCUMENT), document);
    if (session_changed_by(session, changed)[0])
        column += cells_format(area, 0, column, ROLE_TITLE, TELL(TITLE_CHANGED), changed);
    if (scenario_is_untrained(scenario))
        column += cells_text(area, 0, column, ROLE_TITLE, TELL(TITLE_UNTRAINED));
    if (scenario->about)
        cells_format(area, 0, column, ROLE_TITLE, "  %s", scenario->about);
}

const Panel panel_title = {.take = title_take, .draw = title_draw};

// --- the key bar
//
// What can be done now, as the panels on the screen say, the most useful first; what can stand
// beside the values; and what always can be done. Keys and words come from commands.def.

enum { GAP = 2 };

// --- which keys

// What can stand beside the values, but for what stands there now.
static void add_details(const Session *session, Hints *hints)
{
    static const CommandKind kinds[DETAIL_COUNT] = {
#define DETAIL(NAME, name, key, opens, moves, enters, ...) [DETAIL_##NAME] = COMMAND_##NAME,
#include "details.def"
#undef DETAIL
    };
    for (int detail = DETAIL_NONE + 1; detail < DETAIL_COUNT; detail++) {
        bool first = panel_get(panel_of_detail((SessionDetail)detail))->is_offered_first;
        hints->use = first ? HINT_OPENS_FIRST : HINT_OPENS;
        hints_add_one(hints,
                      session->look.detail != (SessionDetail)detail &&
                          (!first || session_has_values(session)),
                      kinds[detail]);
    }
}

static Hints hints_now(const Session *session)
{
    Hints hints = {.count = 0};
    PanelKind kinds[PANEL_COUNT];
    int count = panels_now(session, kinds);
    for (int i = 0; i < count; i++) {
        const Panel *panel = panel_get(kinds[i]);
        hints.use =
            kinds[i] == panel_of_detail(session->look.detail) ? HINT_OF_DETAIL : HINT_LEADS_ON;
        if (panel->hints)
            panel->hints(session, &hints);
        if (panel_stands(kinds[i], session) == PANEL_STANDS_ALONE)
            return hints;
    }
    add_details(session, &hints);
    return hints;
}

// --- drawing

static int hint_columns(const Hint *hint)
{
    return utf8_width(hint->keys) + 1 + utf8_width(hint->label) + GAP;
}

static void draw_hint(const Hint *hint, Area area, int column)
{
    column += cells_text(area, 0, column, ROLE_KEY, hint->keys);
    cells_text(area, 0, column + 1, ROLE_TEXT, hint->label);
}

static Area keys_take(const Session *session, Area *left)
{
    (void)session;
    return area_cut_bottom(left, 1);
}

static void keys_draw(const Session *session, Area area)
{
    Hints always = {.count = 0}, hints = hints_now(session);
    int end = area.columns, column = 1;
    if (session->lecture && session->lecture->is_still)
        return;
    hints_add_one(&always, !hints.is_full, COMMAND_QUIT);
    hints_add_one(&always, !hints.is_full, COMMAND_HELP);
    for (int i = 0; i < always.count; i++) {
        end -= hint_columns(&always.hints[i]);
        draw_hint(&always.hints[i], area, end + 1);
    }
    for (int i = 0; i < hints.count && column + hint_columns(&hints.hints[i]) <= end; i++) {
        draw_hint(&hints.hints[i], area, column);
        column += hint_columns(&hints.hints[i]);
    }
}

const Panel panel_keys = {.take = keys_take, .draw = keys_draw};

// --- the prompt
//
// The line for words, with the cursor in it; a line that is wider than the screen is shown around the
// cursor.

enum { SIGN_COLUMNS = 2 };

// The first byte that is shown so that the cursor has a column too.
static const char *visible_start(const LineEdit *line, int columns)
{
    char before[LINE_EDIT_ROOM];
    const char *start = before;
    uint32_t character;
    snprintf(before, sizeof before, "%.*s", (int)line->cursor, line->text);
    while (*start && utf8_width(start) >= columns)
        start += utf8_next(start, &character);
    return line->text + (start - before);
}

static PanelStand stands(const Session *session)
{
    return session->prompt.open ? PANEL_STANDS_BESIDE : PANEL_STANDS_AWAY;
}

static void prompt_draw(const Session *session, Area area)
{
    const LineEdit *line = &session->prompt.line;
    Area words = area_part(area, 0, SIGN_COLUMNS, area.rows, area.columns - SIGN_COLUMNS);
    char before[LINE_EDIT_ROOM];
    const char *start = visible_start(line, words.columns);
    cells_text(area, 0, 1, ROLE_KEY, ":");
    cells_text(words, 0, 0, ROLE_TEXT, start);
    snprintf(before, sizeof before, "%.*s", (int)(line->text + line->cursor - start), start);
    cells_cursor(words, 0, utf8_width(before));
}

// While a line is typed, keys are letters.
static void hints(const Session *session, Hints *hints)
{
    (void)session;
    for (int i = 0; i < prompt_key_count(); i++) {
        const KeyRow *key = prompt_key(i);
        if (*key->label.in[LANGUAGE_ENGLISH])
            hints_add_key(hints, key->keys, words_tell(key->label));
    }
    hints->is_full = true;
}

const Panel panel_prompt = {
    .stands = stands, .take = keys_take, .draw = prompt_draw, .hints = hints};

// --- messages
//
// The message lines: what the last command has to say; else help with the words that are being typed;
// else where the walk through elements and terms stands; else why the tensor looked at
// holds NaN; else, until a first command is given, what there is to know about the scenario.

enum {
    ROWS_MAX = 3,
    MARGIN = 1,
    TEXT_MAX =
        (int)PROMPT_HINT_MAX > (int)SESSION_WALK_MAX ? (int)PROMPT_HINT_MAX : (int)SESSION_WALK_MAX,
};

static const char *text_now(const Session *session, char text[TEXT_MAX], Role *role)
{
    const char *remark = trace_remark(&session->run.trace, session->cursor.tensor);
    const char *note = session->run.trace.scenario->note;
    *role = ROLE_ALARM;
    if (session->message.text[0])
        return session->message.text;
    *role = ROLE_QUIET;
    if (session->prompt.open)
        return session_prompt_hint(session, text);
    *role = ROLE_TEXT;
    if (session_walk_text(session, text)[0])
        return text;
    *role = ROLE_ALARM;
    if (remark)
        return remark;
    *role = ROLE_QUIET;
    return note && !session->began ? note : "";
}

static int rows_of(const Session *session, int columns)
{
    Role role;
    char room[TEXT_MAX];
    const char *text = text_now(session, room, &role);
    int rows = cells_paragraph_rows(text, columns - 2 * MARGIN, ROWS_MAX, 0);
    return rows > 1 ? rows : 1;
}

// On a projector, and beside the page of help, only what has to be said takes room.
static Area message_take(const Session *session, Area *left)
{
    bool typing = session->prompt.open;
    bool silent = session->lecture && session->lecture->presents && !session->message.text[0];
    int rows = silent ? typing : rows_of(session, left->columns);
    return area_cut_bottom(left, session->help.open && !typing ? 0 : rows);
}

static void message_draw(const Session *session, Area area)
{
    Role role;
    char room[TEXT_MAX];
    const char *text = text_now(session, room, &role);
    Area inner = area_part(area, 0, MARGIN, area.rows, area.columns - 2 * MARGIN);
    cells_paragraph(inner, 0, area.rows, 0, role, text);
}

const Panel panel_message = {.take = message_take, .draw = message_draw};
