// The help page and the glossary.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "glossary.h"
#include "keymap.h"
#include "open_lecture.h"
#include "panel.h"
#include "session.h"
#include "tui_words.def"

// --- help
//
// Every command with its keys, its word and what it does, by groups.

enum { HEADER_ROWS = 2, KEYS_COLUMN = 1, WORD_COLUMN = 11, HELP_COLUMN = 30, KEYS_TEXT_MAX = 64 };

static const char *keys_in_words(const char *keys, char text[KEYS_TEXT_MAX])
{
    size_t used = 0;
    text[0] = '\0';
    while (*keys) {
        char key[KEY_NAME_MAX];
        size_t length = strcspn(keys, " ");
        snprintf(key, sizeof key, "%.*s", (int)length, keys);
        used += (size_t)snprintf(text + used, KEYS_TEXT_MAX - used, used ? " %s" : "%s",
                                 key_glyph(key));
        keys += length + strspn(keys + length, " ");
    }
    return text;
}

static PanelStand stands(const Session *session)
{
    return session->help.open ? PANEL_STANDS_ALONE : PANEL_STANDS_AWAY;
}

static ptrdiff_t rows_of(Area area)
{
    return area.rows > HEADER_ROWS ? area.rows - HEADER_ROWS : 0;
}

static void room(const Session *session, Area area, ScreenSize *room)
{
    (void)session;
    room->rows = rows_of(area);
    room->columns = area.columns;
}

static void draw_line(HelpLine what, Area area, int row)
{
    char keys[KEYS_TEXT_MAX];
    if (what.heading) {
        cells_text(area, row, 0, ROLE_HEADING, what.heading);
        return;
    }
    cells_text(area, row, KEYS_COLUMN, ROLE_KEY, keys_in_words(what.keys, keys));
    cells_format(area, row, WORD_COLUMN, ROLE_TEXT, "%s%s", what.word, what.argument);
    cells_text(area, row, HELP_COLUMN, ROLE_TEXT, what.help);
}

static void draw(const Session *session, Area area)
{
    ptrdiff_t rows = rows_of(area), lines = help_page_lines();
    ptrdiff_t first = session->help.line, last = first + rows < lines ? first + rows : lines;
    cells_text(area, 0, KEYS_COLUMN, ROLE_QUIET, TELL(HELP_KEYS));
    cells_text(area, 0, WORD_COLUMN, ROLE_QUIET, TELL(HELP_WORDS));
    cells_text(area, 0, HELP_COLUMN, ROLE_QUIET, TELL(HELP_WHAT));
    cells_fill(area, 1, 0, area.columns, ROLE_RULE, "\u2500");
    for (ptrdiff_t line = first; line < last; line++)
        draw_line(help_page_line((int)line), area, HEADER_ROWS + (int)(line - first));
    if (rows < lines)
        cells_format(area, 1, area.columns - 12, ROLE_QUIET, TELL(HELP_MORE),
                     first > 0 ? "\u2191" : " ", last < lines ? "\u2193" : " ");
}

static void hints(const Session *session, Hints *hints)
{
    (void)session;
    hints_add_one(hints, true, COMMAND_BACK);
    hints_add(hints, true, hint_rows, TELL(HINT_SCROLL));
}

const Panel panel_help = {.stands = stands, .draw = draw, .room = room, .hints = hints};

// --- the glossary
//
// The terms that are on the screen, with what they mean.

#include "tui_words.def"

enum { TERMS_MAX = 256, ROWS_EACH = 4, NAME_BYTES = 128, AXIS_BYTES = 16 };

// Whether an axis of the tensor that is looked at shows the term: its symbol is one of "B H Lq Lk".
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
           (open && glossary_is_told(term, open_lecture_page(open)));
}

static void write_term(const GlossaryTerm *term, Lines *lines)
{
    bool is_korean = language_now() == LANGUAGE_KOREAN;
    lines_text(lines, 0, ROLE_HEADING, "%s (%s)", words_tell(term->name),
               term->name.in[is_korean ? LANGUAGE_ENGLISH : LANGUAGE_KOREAN]);
    lines_next(lines);
    lines_paragraph(lines, ROWS_EACH, ROLE_TEXT, words_tell(term->about));
    if (term->torch[0]) {
        char text[NAME_BYTES];
        words_format(text, sizeof text, TELL(GLOSSARY_TORCH), term->torch);
        lines_paragraph(lines, ROWS_EACH, ROLE_QUIET, text);
    }
}

// Which terms are on the screen. What there was no memory to look for is not, and is said.
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
    lines_text(lines, 1, ROLE_HEADING, "%s", TELL(GLOSSARY_TITLE));
    lines_next(lines);
    find_terms(session, is_there, lines);
    for (int i = 0; i < TERMS_MAX; i++)
        if (is_there[i])
            write_term(glossary_term(i), lines);
    return true;
}

const Panel panel_glossary = {.page = page, .hints = panel_hints_of_page};
