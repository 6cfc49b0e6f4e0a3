// The stepper on a screen: in the terminal, or as text from a script without one.
#ifndef TUI_H
#define TUI_H

#include <stdio.h>
#include "cells.h"
#include "session.h"
#include "terminal.h"

// --- the loop
//
// The loop between a person at a terminal and what the terminal shows: draws it, waits, and tells what has
// happened, until it is over. The one place that waits for a terminal; the stepper, the course, a training,
// an exercise that is watched and a speaker's notes are all a LoopView.

// What is waited for besides keys, and how the terminal is to behave meanwhile.
typedef struct LoopWants {
    int beside;       // another descriptor to listen to; -1: none
    int milliseconds; // to wait at most; -1: however long it takes
    bool typing;      // a text is typed; see Terminal
    bool mouse;       // clicks and the wheel are listened to
} LoopWants;

// What is shown. NULL is allowed where it says so.
typedef struct LoopView {
    // The terminal is there, as large as `cells`: what has to be done before anything is drawn. False,
    // with a sentence, ends the loop. NULL: nothing.
    bool (*begin)(void *context, const Cells *cells, Error *err);

    // Draws all of it into cells as large as the terminal.
    void (*draw)(void *context, Cells *cells);

    // Something has happened: any event but another size or the end of the terminal. TERMINAL_TIME comes
    // only when as much time has passed as was wanted. `cells` are as large as the terminal is now.
    // False, with a sentence, ends the loop.
    bool (*hear)(void *context, const TerminalEvent *event, const Cells *cells, Error *err);

    bool (*is_over)(const void *context);

    // NULL: keys alone.
    LoopWants (*wants)(void *context);

    // A number that changes whenever the screen has to; it is drawn when no further event is waiting.
    // NULL: every event changes it.
    unsigned long (*revision)(const void *context);

    // What stands beside the terminal follows; called after everything that has happened and after each
    // screen. NULL: nothing does.
    void (*follow)(void *context);
} LoopView;

typedef enum LoopEnd {
    LOOP_OVER, // as it should: it was over, the terminal went away, or a signal asked for the end
    LOOP_UNOPENED,   // there is no terminal that can be drawn on; a sentence says why
    LOOP_BROKEN_OFF, // something failed, which the sentence says
} LoopEnd;

// The terminal is as it was before when this returns. A signal that ended it (SIGINT, SIGTERM, SIGHUP) is
// raised again then, so that the program ends by it.
LoopEnd loop_run(const LoopView *view, void *context, Error *err);

// --- the stepper

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
