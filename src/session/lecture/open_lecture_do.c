// open_lecture_do: what a page's commands do; see open_lecture_runs.h.
#include "open_lecture_runs.h"

#include "session_words.h"

// A page may ask for the window. Where there is none, or somebody reads the lecture in a file, the
// terminal's own map shows the same.
static void show_window(Session *session)
{
    session->window = !session->lecture->no_window;
    session->look.detail = DETAIL_HEATMAP;
}

bool open_lecture_do(Session *session, const char *words, Error *err)
{
    Command command;
    if (!command_parse(words, &command, err))
        return false;
    if (command.kind == COMMAND_WINDOW) {
        show_window(session);
        return true;
    }
    return command_is(command.kind, COMMAND_TAUGHT)
               ? session->apply(session, &command, err)
               : error_set(err, TELL(NOT_FOR_LECTURES), command_info(command.kind)->word);
}
