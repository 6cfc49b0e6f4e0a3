// session_format: how the numbers of the grid are written.
#include "session_actions.h"

#include <string.h>
#include "nearest.h"
#include "session_names.h"
#include "session_words.h"

bool session_format(Session *session, const Command *command, Error *err)
{
    SessionNames names;
    if (command->kind == COMMAND_FORMAT_NEXT) {
        session->look.notation = (NumberNotation)((session->look.notation + 1) % NUMBER_NOTATIONS);
        return true;
    }
    for (int notation = 0; notation < NUMBER_NOTATIONS; notation++)
        if (strcmp(command->name, session_notation_name((NumberNotation)notation)) == 0) {
            session->look.notation = (NumberNotation)notation;
            return true;
        }
    session_names(session, COMMAND_FORMAT, &names);
    const char *nearest = nearest_word(command->name, names.known);
    return error_set(err, TELL(FORMAT_UNKNOWN), command->name, nearest ? TELL(DID_YOU_MEAN) : "",
                     nearest ? nearest : "", nearest ? TELL(MEANT_END) : "");
}
