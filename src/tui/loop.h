// The loop between a person at a terminal and what the terminal shows: draws it, waits, and tells what has
// happened, until it is over. The one place that waits for a terminal; the stepper, the course, a training,
// an exercise that is watched and a speaker's notes are all a LoopView.
#ifndef LOOP_H
#define LOOP_H

#include "cells.h"
#include "terminal.h"

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

#endif
