// The glossary: the terms that are on the screen, with what they mean.
#include "panel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "glossary.h"
#include "open_lecture.h"
#include "glossary_words.def"
#include "tui_words.h"

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
