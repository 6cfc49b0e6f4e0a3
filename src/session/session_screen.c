// session_screen: what has to do with the screen itself: its room, the help page, leaving.
#include "open_lecture.h"
#include "session_actions.h"

#include <string.h>
#include "session_words.def"

static void scroll(const Session *session, const ScreenSize *room, SessionView *view)
{
    *view = *session_view(session);
    if (!session->help.open)
        session_view_scroll(view, &session_tensor(session)->tensor, room->rows, room->columns);
}

bool session_is_fitted(const Session *session, const ScreenSize *room)
{
    SessionView view;
    scroll(session, room, &view);
    return memcmp(room, &session->room, sizeof *room) == 0 && session_code_is_led(session, room) &&
           view.first_row == session_view(session)->first_row &&
           view.first_column == session_view(session)->first_column;
}

static void take_room(Session *session, const ScreenSize *room)
{
    session->room = *room;
    scroll(session, room, &session->cursor.views[session->cursor.tensor]);
    session_lead_code(session, room);
}

void session_ask_screen(Session *session)
{
    if (!session->screen.fit)
        return;
    ScreenSize room = session->screen.fit(session->screen.context, session);
    take_room(session, &room);
}

// A view that shows nothing but numbers gives only the first two.
bool session_fit(Session *session, const Command *command, Error *err)
{
    ScreenSize room = {.rows = 0};
    ptrdiff_t *const parts[] = {&room.rows,      &room.columns,   &room.detail_over,
                                &room.text_over, &room.text_rows, &room.code_from};
    int count = sizeof parts / sizeof *parts;
    if (command->rank < 2 || command->rank > count)
        return error_set(err, TELL(ROOM_TWO));
    for (int i = 0; i < command->rank; i++)
        *parts[i] = command->index[i];
    take_room(session, &room);
    return true;
}

Command session_fitting(const ScreenSize *room)
{
    return (Command){.kind = COMMAND_ROOM,
                     .rank = 6,
                     .index = {room->rows, room->columns, room->detail_over, room->text_over,
                               room->text_rows, room->code_from}};
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

// Nothing to do: every command raises the revision, and that has the screen drawn again.
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
    if (session->lecture && !closed)
        open_lecture_tell_no_window(session, command->name);
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
