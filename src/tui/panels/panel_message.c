// The message lines: what the last command has to say; else help with the words that are being typed;
// else where the walk through elements and terms stands; else why the tensor looked at
// holds NaN; else, until a first command is given, what there is to know about the scenario.
#include "panel.h"

#include "open_lecture.h"
#include "session.h"

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
static Area take(const Session *session, Area *left)
{
    bool typing = session->prompt.open;
    bool silent = session->lecture && session->lecture->presents && !session->message.text[0];
    int rows = silent ? typing : rows_of(session, left->columns);
    return area_cut_bottom(left, session->help.open && !typing ? 0 : rows);
}

static void draw(const Session *session, Area area)
{
    Role role;
    char room[TEXT_MAX];
    const char *text = text_now(session, room, &role);
    Area inner = area_part(area, 0, MARGIN, area.rows, area.columns - 2 * MARGIN);
    cells_paragraph(inner, 0, area.rows, 0, role, text);
}

const Panel panel_message = {.take = take, .draw = draw};
