// Hints for the key bar, and the lines around the other panels: title, prompt, messages; the help page and the glossary.
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "glossary.h"
#include "keymap.h"
#include "open_lecture.h"
#include "panel.h"
#include "session.h"
#include "tui_words.def"
#include "utf8.h"

// --- hints

const HintCommands hint_arrows = {{COMMAND_LEFT, COMMAND_UP, COMMAND_DOWN, COMMAND_RIGHT}, 4};
const HintCommands hint_rows = {{COMMAND_UP, COMMAND_DOWN}, 2};
const HintCommands hint_terms = {{COMMAND_TERM_NEXT, COMMAND_TERM_PREVIOUS}, 2};

// Inserts a hint after those that are at least as useful.
static Hint *next_hint(Hints *hints)
{
    assert(hints->count < HINTS_MAX);
    int at = hints->count++;
    for (; at > 0 && hints->hints[at - 1].use > hints->use; at--)
        hints->hints[at] = hints->hints[at - 1];
    hints->hints[at].use = hints->use;
    return &hints->hints[at];
}

// Writes two keys with a space between them, four arrows without.
void hints_add(Hints *hints, bool wanted, HintCommands commands, const char *label)
{
    char key[KEY_NAME_MAX];
    if (!wanted || hints->is_full)
        return;
    Hint *hint = next_hint(hints);
    hint->keys[0] = '\0';
    for (int i = 0; i < commands.count; i++)
        text_add(hint->keys, HINT_KEYS_MAX, "%s%s", i > 0 && commands.count == 2 ? " " : "",
                 key_glyph(command_first_key(commands.kinds[i], key)));
    hint->label = label ? label : command_label(commands.kinds[0]);
}

void hints_add_one(Hints *hints, bool wanted, CommandKind kind)
{
    hints_add_as(hints, wanted, kind, NULL);
}

void hints_add_as(Hints *hints, bool wanted, CommandKind kind, const char *label)
{
    hints_add(hints, wanted, (HintCommands){{kind}, 1}, label);
}

// Adds the first of `keys` (separated by spaces), which is not a command's.
static void hints_add_key(Hints *hints, const char *keys, const char *label)
{
    char first[KEY_NAME_MAX];
    if (hints->is_full)
        return;
    Hint *hint = next_hint(hints);
    snprintf(first, sizeof first, "%.*s", (int)strcspn(keys, " "), keys);
    snprintf(hint->keys, sizeof hint->keys, "%s", key_glyph(first));
    hint->label = label;
}

// --- scrolling, and hints that panels share

const PanelScroll panel_scroll_rows = {COMMAND_UP, COMMAND_DOWN};
const PanelScroll panel_scroll_terms = {COMMAND_TERM_PREVIOUS, COMMAND_TERM_NEXT};

void panel_hints_presenting(const Session *session, Hints *hints)
{
    (void)session;
    hints_add_as(hints, true, COMMAND_GO_ON, TELL(HINT_GO_ON));
    hints_add_as(hints, true, COMMAND_PAGE_PREVIOUS, TELL(HINT_BACK));
    hints_add_one(hints, true, COMMAND_NOTES);
    hints_add_one(hints, true, COMMAND_CONTENTS);
    hints_add_one(hints, true, COMMAND_PROMPT);
}

void panel_hints_of_page(const Session *session, Hints *hints)
{
    hints_add(hints, session->room.detail_over > 0, hint_terms, TELL(HINT_SCROLL));
    hints_add_one(hints, true, COMMAND_BACK);
}

// --- the title bar
//
// The scenario, its document and subject; in a lecture, the progress.

// Draws "L returns  4/12  ✓ 3 ◐ 1 of 8"; returns its columns.
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
                 open_lecture_says(open, WORD_OF), score.questions);
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

// --- the prompt
//
// A line that is wider than the screen is shown around the cursor.

enum { SIGN_COLUMNS = 2 };

// The first byte shown, so that the cursor is visible.
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

static Area prompt_take(const Session *session, Area *left)
{
    (void)session;
    return area_cut_bottom(left, 1);
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

// Only the keys of the prompt: others are letters now.
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
    .stands = stands, .take = prompt_take, .draw = prompt_draw, .hints = hints};

// --- messages
//
// The message of the last command; else a hint about the line being typed; else the position of the walk; else why
// the tensor has NaN; else, before the first command, the scenario's note.

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

// On a projector and with the help page, only a message takes room.
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

// --- help

enum { HEADER_ROWS = 2, KEYS_COLUMN = 1, WORD_COLUMN = 11, HELP_COLUMN = 30, KEYS_TEXT_MAX = 64 };

static const char *keys_in_words(const char *keys, char text[KEYS_TEXT_MAX])
{
    text[0] = '\0';
    while (*keys) {
        char key[KEY_NAME_MAX];
        size_t length = strcspn(keys, " ");
        snprintf(key, sizeof key, "%.*s", (int)length, keys);
        text_add(text, KEYS_TEXT_MAX, text[0] ? " %s" : "%s", key_glyph(key));
        keys += length + strspn(keys + length, " ");
    }
    return text;
}

static PanelStand help_stands(const Session *session)
{
    return session->help.open ? PANEL_STANDS_ALONE : PANEL_STANDS_AWAY;
}

static ptrdiff_t help_rows(Area area)
{
    return area.rows > HEADER_ROWS ? area.rows - HEADER_ROWS : 0;
}

static void room(const Session *session, Area area, ScreenSize *room)
{
    (void)session;
    room->rows = help_rows(area);
    room->columns = area.columns;
}

static void draw_line(const HelpLine *what, Area area, int row)
{
    char keys[KEYS_TEXT_MAX];
    if (what->heading) {
        cells_text(area, row, 0, ROLE_HEADING, what->heading);
        return;
    }
    cells_text(area, row, KEYS_COLUMN, ROLE_KEY, keys_in_words(what->keys, keys));
    cells_format(area, row, WORD_COLUMN, ROLE_TEXT, "%s%s", what->word, what->argument);
    cells_text(area, row, HELP_COLUMN, ROLE_TEXT, what->help);
}

static void draw(const Session *session, Area area)
{
    ptrdiff_t rows = help_rows(area), lines = help_page_lines();
    ptrdiff_t first = session->help.line, last = first + rows < lines ? first + rows : lines;
    cells_text(area, 0, KEYS_COLUMN, ROLE_QUIET, TELL(HELP_KEYS));
    cells_text(area, 0, WORD_COLUMN, ROLE_QUIET, TELL(HELP_WORDS));
    cells_text(area, 0, HELP_COLUMN, ROLE_QUIET, TELL(HELP_WHAT));
    cells_fill(area, 1, 0, area.columns, ROLE_RULE, "\u2500");
    for (ptrdiff_t line = first; line < last; line++) {
        HelpLine what = help_page_line(session, (int)line);
        draw_line(&what, area, HEADER_ROWS + (int)(line - first));
    }
    if (rows < lines)
        cells_format(area, 1, area.columns - 12, ROLE_QUIET, TELL(HELP_MORE),
                     first > 0 ? "\u2191" : " ", last < lines ? "\u2193" : " ");
}

static void help_hints(const Session *session, Hints *hints)
{
    (void)session;
    hints_add_one(hints, true, COMMAND_BACK);
    hints_add(hints, true, hint_rows, TELL(HINT_SCROLL));
}

const Panel panel_help = {.stands = help_stands, .draw = draw, .room = room, .hints = help_hints};

// --- the glossary
//
// The terms on screen, explained.

enum { TERMS_MAX = 256, ROWS_EACH = 4, NAME_BYTES = 128, AXIS_BYTES = 16 };

// True if the term is the symbol of an axis of the current tensor: one of "B H Lq Lk".
static bool is_axis(const Session *session, const GlossaryTerm *term)
{
    const char *axes = session_tensor(session)->axes;
    char axis[AXIS_BYTES];
    for (int used = 0; axes && sscanf(axes, "%15s%n", axis, &used) == 1; axes += used)
        if (glossary_is_seen(term, axis))
            return true;
    return false;
}

static bool is_on_screen(const Session *session, const GlossaryTerm *term)
{
    const TraceStep *step = &session->run.trace.steps[session->cursor.step];
    const OpenLecture *open = session->lecture;
    return glossary_is_seen(term, step->stage->name) ||
           glossary_is_seen(term, session_tensor(session)->name) || is_axis(session, term) ||
           (open && glossary_is_explained(term, open_lecture_page(open)));
}

static void write_term(const GlossaryTerm *term, Lines *lines)
{
    bool is_korean = language_now() == LANGUAGE_KOREAN;
    lines_line(lines, 0, ROLE_HEADING, "%s (%s)", words_tell(term->name),
               term->name.in[is_korean ? LANGUAGE_ENGLISH : LANGUAGE_KOREAN]);
    lines_paragraph(lines, ROWS_EACH, ROLE_TEXT, words_tell(term->about));
    if (term->torch[0]) {
        char text[NAME_BYTES];
        words_format(text, sizeof text, TELL(GLOSSARY_TORCH), term->torch);
        lines_paragraph(lines, ROWS_EACH, ROLE_QUIET, text);
    }
}

// Finds the terms on screen. Says so if there is not enough memory.
static void find_terms(const Session *session, bool is_there[TERMS_MAX], Lines *lines)
{
    int count = 0;
    bool has_memory = true;
    for (int i = 0; i < TERMS_MAX && glossary_term(i); i++) {
        errno = 0;
        is_there[i] = is_on_screen(session, glossary_term(i));
        count += is_there[i];
        has_memory = has_memory && errno != ENOMEM;
    }
    if (!has_memory)
        lines_paragraph(lines, ROWS_EACH, ROLE_ALARM, TELL(GLOSSARY_NO_MEMORY));
    else if (count == 0)
        lines_paragraph(lines, ROWS_EACH, ROLE_QUIET, TELL(GLOSSARY_NONE));
}

static bool page(const Session *session, Lines *lines)
{
    bool is_there[TERMS_MAX] = {false};
    lines_fill(lines, ROLE_RULE, "\u2500");
    lines_line(lines, 1, ROLE_HEADING, "%s", TELL(GLOSSARY_TITLE));
    find_terms(session, is_there, lines);
    for (int i = 0; i < TERMS_MAX; i++)
        if (is_there[i])
            write_term(glossary_term(i), lines);
    return true;
}

const Panel panel_glossary = {.page = page, .hints = panel_hints_of_page};
