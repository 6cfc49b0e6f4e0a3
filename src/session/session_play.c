// session_play: `next` by itself. The session only knows that it plays and how fast; time is known to
// whoever waits for keys (session_next_tick).
#include "session_actions.h"

enum { RATE_MAX = 60, MILLISECONDS = 1000 };

int session_next_tick(const Session *session)
{
    return session->play.on ? MILLISECONDS / session->play.rate : -1;
}

bool session_play(Session *session, const Command *command, Error *err)
{
    bool has_rate = command->kind == COMMAND_PLAY;
    if (has_rate && (command->number < 1 || command->number > RATE_MAX))
        return error_set(err, "\"play\" takes 1 to %d times a second, not %td", RATE_MAX,
                         command->number);
    if (has_rate)
        session->play.rate = (int)command->number;
    session->play.on =
        command->kind == COMMAND_PLAY_PAUSE ? !session->play.on : command->kind == COMMAND_PLAY;
    return true;
}
