// The stepper on a screen: in the terminal, or as text from a script without one.
#ifndef TUI_H
#define TUI_H

#include <stdbool.h>
#include <stdio.h>
#include "cells.h"
#include "command.h"
#include "session.h"
#include "utf8.h"

// --- the terminal
//
// The terminal: draws cells, reads keys, and is left as it was found. The one module that knows
// curses.
//
// Life cycle: terminal_open, ..., terminal_close; one at a time in a process.

// --- keys
//
// Bytes from a terminal become the names of keys (command_for_key), one character after the other. A
// character may arrive in pieces; bytes that are no character are left out.

// A zeroed KeyReader has read nothing.
typedef struct KeyReader {
    char bytes[4]; // of the character that has begun
    int count, wanted;
} KeyReader;

// True when the byte completes a character.
bool key_reader_take(KeyReader *reader, unsigned char byte, char key[KEY_NAME_MAX]);

// --- the mouse
//
// What a terminal tells of its mouse becomes events, one code after the other. curses can do that, too,
// but waits for the next key, without drawing, when it was told of a button that nobody asked for.
//
// Source: "XTerm Control Sequences", section "Mouse Tracking" (modes 1000 and 1006).

// How terminals tell it; what begins each form stands in terminal.c.
typedef enum MouseForm {
    MOUSE_SILENT,
    MOUSE_DECIMAL, // 0;12;5 and M or m (pressed or released)
    MOUSE_BYTES,   // three bytes, each 32 more than its number
} MouseForm;

typedef struct MouseEvent {
    int wheel;       // -1 up, 1 down; 0: the left button was pressed
    int row, column; // from 0
} MouseEvent;

enum { MOUSE_NUMBERS = 3 }; // the button, the column and the row, these two from 1

// A zeroed MouseReader has nothing begun; whoever sees how something begins tells its form.
typedef struct MouseReader {
    MouseForm form;
    int numbers[MOUSE_NUMBERS];
    int place; // in numbers
} MouseReader;

// Takes the next code of what has begun. True when it completes a press of the left button or a turn of
// the wheel. What is complete otherwise, or is no such thing, is over without an event.
bool mouse_reader_take(MouseReader *reader, int code, MouseEvent *event);

// --- the terminal

typedef struct Terminal {
    struct screen *screen; // of curses
    KeyReader reader;
    MouseReader mouse_reader;
    bool pasting; // what comes was pasted, until the terminal says otherwise
    bool mouse;
    bool typing;            // a text is typed: Hangul comes as it is; otherwise a letter at a time
    HangulLetters syllable; // its letters that have not been a key yet
} Terminal;

typedef enum TerminalEventKind {
    TERMINAL_KEY,
    TERMINAL_PASTED, // a character that was not typed
    TERMINAL_CLICK,
    TERMINAL_WHEEL,
    TERMINAL_CHANGED, // another size, or the program was stopped and continued: draw everything
    TERMINAL_BESIDE,  // the other descriptor has something to read
    TERMINAL_TIME,    // nothing happened for as long as terminal_wait was told to wait
    TERMINAL_GONE,    // the terminal was closed, or a signal asked the program to end
} TerminalEventKind;

typedef struct TerminalEvent {
    TerminalEventKind kind;
    char key[KEY_NAME_MAX]; // KEY, PASTED: the names of command_for_key
    MouseEvent mouse;       // CLICK, WHEEL
} TerminalEvent;

// How many colours a terminal of this type has; -1 when it is not known, or cannot place text anywhere
// on the screen. Only while none is open.
int terminal_knows(const char *type);

// False, with a sentence, when input or output is no terminal, or one that cannot place text.
bool terminal_open(Terminal *terminal, Error *err);

// Leaves the terminal as terminal_open found it. A signal that asked the program to end is raised
// again now.
void terminal_close(Terminal *terminal);

// Whether the mouse is listened to. It never is where the person wants none (NO_MOUSE).
void terminal_mouse(Terminal *terminal, bool wanted);

void terminal_size(int *columns, int *rows);

// How many colours it shows; 0 when the person wants none (NO_COLOR).
int terminal_colours(void);

// Shows the cells, in the colours they were told, sending only what differs from what is on screen.
void terminal_draw(const Cells *cells);

// The next terminal_draw sends everything.
void terminal_forget(void);

// Waits, without using the processor, until something happens, or until as many milliseconds have
// passed; -1: however long it takes. `beside` is another descriptor to listen to; -1: none.
TerminalEvent terminal_wait(Terminal *terminal, int beside, int milliseconds);

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
