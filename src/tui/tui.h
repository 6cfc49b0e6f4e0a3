// The stepper on a screen: in the terminal, or as text from a script without one.
#ifndef TUI_H
#define TUI_H

#include <stdio.h>
#include "session.h"

// Something beside the terminal that takes part in its loop: a window. It sees the session and speaks
// to it in commands, as keys do.
typedef struct TuiCompanion {
    void *context;
    // The session may have changed, or time has passed: opens, closes, shows what is to be shown.
    void (*follow)(void *context, const Session *session);
    // What to wait for; -1: nothing. And for how many milliseconds at most; -1: any time.
    int (*descriptor)(const void *context);
    int (*wait)(const void *context);
    // The next thing that happened there, as a command; false when there is nothing.
    bool (*next)(void *context, const Session *session, Command *command);
} TuiCompanion;

// Shows the session in the terminal until the person quits or the terminal goes away. Lines typed
// at its prompt are kept in the file `history` (NULL: nowhere) as soon as they are done. The terminal
// is restored before it returns; a signal that ended it (SIGINT, SIGTERM, SIGHUP) is raised again
// then, so that the program ends by it. False, with a sentence, when there is no terminal that can
// be drawn on.
// `companion` may be NULL.
bool tui_run(Session *session, const char *history, const TuiCompanion *companion, Error *err);

// Does what `script` says, one command a line, and writes the screens it asks for to `out`. Besides
// the words of commands.def:
//   screen       writes the screen
//   key NAME     does what the key does ("key n", "key Up")
//   size CxR     changes the size of the screen
// Empty lines and lines that start with '#' do nothing. False, with the line's number, at the first
// line that cannot be done.
bool tui_script(Session *session, FILE *script, int columns, int rows, FILE *out, Error *err);

#endif
