// session_screen: what has to do with the screen itself: its room, the help page, leaving.
#include "guide.h"
#include "session_actions.h"

#include <string.h>
#include "session_move.h"
#include "session_words.h"

static void scroll(const Session *session, const SessionRoom *room, SessionView *view)
{
    *view = *session_view(session);
    if (!session->help.open)
        session_view_scroll(view, &session_tensor(session)->tensor, room->rows, room->columns);
}

bool session_is_fitted(const Session *session, const SessionRoom *room)
{
    SessionView view;
    scroll(session, room, &view);
    return memcmp(room, &session->room, sizeof *room) == 0 &&
           view.first_row == session_view(session)->first_row &&
           view.first_column == session_view(session)->first_column;
}

// A view that shows nothing but numbers gives only the first two.
bool session_fit(Session *session, const Command *command, Error *err)
{
    SessionRoom *room = &session->room;
    ptrdiff_t *const parts[] = {&room->rows, &room->columns, &room->detail_over, &room->text_over,
                                &room->text_rows};
    int count = sizeof parts / sizeof *parts;
    if (command->rank < 2 || command->rank > count)
        return error_set(err, TELL(ROOM_TWO));
    *room = (SessionRoom){.rows = 0};
    for (int i = 0; i < command->rank; i++)
        *parts[i] = command->index[i];
    scroll(session, room, &session->cursor.views[session->cursor.tensor]);
    return true;
}

Command session_fitting(const SessionRoom *room)
{
    return (Command){
        .kind = COMMAND_ROOM,
        .rank = 5,
        .index = {room->rows, room->columns, room->detail_over, room->text_over, room->text_rows}};
}

bool session_help(Session *session, const Command *command, Error *err)
{
    (void)command, (void)err;
    session->help.open = !session->help.open;
    session->help.line = 0;
    return true;
}

bool session_back(Session *session, const Command *command, Error *err)
{
    (void)command, (void)err;
    if (!session->help.open)
        session->look.detail = DETAIL_NONE;
    session->help.open = false;
    return true;
}

// The revision that every command raises is what makes the screen be drawn again.
bool session_redraw(Session *session, const Command *command, Error *err)
{
    (void)session, (void)command, (void)err;
    return true;
}

bool session_window(Session *session, const Command *command, Error *err)
{
    (void)err;
    session->window = command->kind == COMMAND_WINDOW && !session->window;
    session->picture.tells = session->window; // what it has to say is said in the window, too
    return true;
}

bool session_window_gone(Session *session, const Command *command, Error *err)
{
    (void)err;
    bool closed = strcmp(command->name, "-") == 0; // by the person
    session->window = false;
    if (session->guide && !closed)
        guide_tell_no_window(session, command->name);
    else if (!closed)
        session_say(session, "%s", command->name);
    return true;
}

bool session_mouse(Session *session, const Command *command, Error *err)
{
    bool on = strcmp(command->name, "on") == 0;
    if (!on && strcmp(command->name, "off") != 0)
        return error_set(err, TELL(MOUSE_SWITCH), command->name);
    session->mouse_off = !on;
    return true;
}

bool session_tell(Session *session, const Command *command, Error *err)
{
    (void)err;
    if (!session->message.text[0])
        session_say(session, "%s", command->name);
    return true;
}

bool session_quit(Session *session, const Command *command, Error *err)
{
    (void)command, (void)err;
    session->quit = true;
    return true;
}
