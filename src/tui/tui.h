// The stepper in a terminal, or driven by a script.
#ifndef TUI_H
#define TUI_H

#include <stdbool.h>
#include <stdio.h>
#include "cells.h"
#include "command.h"
#include "session.h"
#include "utf8.h"

// --- keys
//
// Turns bytes from a terminal into the names of keys (command_for_key). A character may arrive in pieces; invalid
// bytes are skipped.

// A zeroed KeyReader has read nothing.
typedef struct KeyReader {
    char bytes[4]; // of the current character
    int count, wanted;
} KeyReader;

// True if the byte completes a character.
bool key_reader_take(KeyReader *reader, unsigned char byte, char key[KEY_NAME_MAX]);

// --- the mouse
//
// Turns a terminal's mouse codes into events. curses can do that, too, but after a button that nobody asked for it
// waits for the next key without drawing.
//
// Source: "XTerm Control Sequences", section "Mouse Tracking" (modes 1000 and 1006).

// The encodings; terminal.c has the sequences that start them.
typedef enum MouseForm {
    MOUSE_SILENT,
    MOUSE_DECIMAL, // 0;12;5 and M or m (pressed or released)
    MOUSE_BYTES,   // three bytes, each 32 more than its number
} MouseForm;

typedef struct MouseEvent {
    int wheel;       // -1 up, 1 down; 0: the left button was pressed
    int row, column; // from 0
} MouseEvent;

enum { MOUSE_NUMBERS = 3 }; // button; column and row, from 1

// A zeroed MouseReader is idle; the caller sets `form` at the start of a sequence.
typedef struct MouseReader {
    MouseForm form;
    int numbers[MOUSE_NUMBERS];
    int place; // in numbers
} MouseReader;

// Takes the next code. True if it completes a press of the left button or a turn of the wheel; other sequences end
// without an event.
bool mouse_reader_take(MouseReader *reader, int code, MouseEvent *event);

// --- the terminal
//
// Draws cells, reads keys, and is left as it was found. Only terminal.c uses curses.
//
// Life cycle: terminal_open, ..., terminal_close; one at a time in a process.

typedef struct Terminal {
    struct screen *screen; // of curses
    KeyReader reader;
    MouseReader mouse_reader;
    bool pasting; // input is pasted, until the terminal says otherwise
    bool mouse;
    bool typing;            // text is typed: Hangul stays whole; else each letter is a key
    HangulLetters syllable; // letters not yet returned as keys
} Terminal;

typedef enum TerminalEventKind {
    TERMINAL_KEY,
    TERMINAL_PASTED, // a pasted character
    TERMINAL_CLICK,
    TERMINAL_WHEEL,
    TERMINAL_CHANGED, // resized, or stopped and continued: draw everything
    TERMINAL_BESIDE,  // the other descriptor is readable
    TERMINAL_TIME,    // timeout
    TERMINAL_GONE,    // the terminal was closed, or a signal ends the program
} TerminalEventKind;

typedef struct TerminalEvent {
    TerminalEventKind kind;
    char key[KEY_NAME_MAX]; // KEY, PASTED: the names of command_for_key
    MouseEvent mouse;       // CLICK, WHEEL
} TerminalEvent;

// The number of colours of a terminal type; -1 if it is unknown or cannot position text. Call it only while no
// terminal is open.
int terminal_is_known(const char *type);

// Returns false and sets err if input or output is not a terminal that can position text.
bool terminal_open(Terminal *terminal, Error *err);

// Leaves the terminal as terminal_open found it, and raises a signal that ends the program again.
void terminal_close(Terminal *terminal);

// Enables or disables the mouse; NO_MOUSE disables it.
void terminal_mouse(Terminal *terminal, bool wanted);

void terminal_size(int *columns, int *rows);

// The number of colours; 0 with NO_COLOR.
int terminal_colours(void);

// Shows the cells; sends only what differs from the screen.
void terminal_draw(const Cells *cells);

// The next terminal_draw sends everything.
void terminal_forget(void);

// Waits for an event, at most so many milliseconds; -1: for ever. `beside` is another descriptor to wait for; -1: none.
TerminalEvent terminal_wait(Terminal *terminal, int beside, int milliseconds);

// --- the loop
//
// Draws a view, waits for events and passes them on, until the view is over. The stepper, the course, a training, a
// watched exercise and a speaker's notes are all a LoopView.

// What to wait for besides keys.
typedef struct LoopWants {
    int beside;       // another descriptor; -1: none
    int milliseconds; // timeout; -1: none
    bool typing;      // see Terminal
    bool mouse;       // wants clicks and the wheel
} LoopWants;

// Members may be NULL where it says so.
typedef struct LoopView {
    void *context; // of the functions

    // Called once, when the terminal is open and as large as `cells`. Returning false with err ends the loop. NULL:
    // nothing to do.
    bool (*begin)(void *context, const Cells *cells, Error *err);

    // Draws everything into cells as large as the terminal.
    void (*draw)(void *context, Cells *cells);

    // Handles any event but a resize and the end of the terminal. TERMINAL_TIME means that the timeout has passed.
    // `cells` are as large as the terminal. Returning false with err ends the loop.
    bool (*handle)(void *context, const TerminalEvent *event, const Cells *cells, Error *err);

    const bool *over; // true: the loop ends

    // NULL: only keys.
    LoopWants (*wants)(void *context);

    // Changes whenever the screen must be redrawn, which happens when no event is waiting. NULL: after every event.
    const unsigned long *revision;

    // Updates what is beside the terminal; called after every event and screen. NULL: nothing to do.
    void (*follow)(void *context);
} LoopView;

typedef enum LoopEnd {
    LOOP_OVER,       // the view was over, the terminal closed, or a signal came
    LOOP_UNOPENED,   // no usable terminal; err says why
    LOOP_BROKEN_OFF, // a failure; see err
} LoopEnd;

// Restores the terminal before it returns. A signal that ended the loop (SIGINT, SIGTERM, SIGHUP) is then raised
// again, so that it ends the program.
LoopEnd loop_run(const LoopView *view, Error *err);

// --- the stepper

// A window beside the terminal. It reads the session and sends commands, as keys do.
typedef struct TuiCompanion {
    void *window;
    // Applies the window's commands, then follows the session, and sets the two numbers. Called after every event
    // and screen.
    void (*listen)(struct TuiCompanion *companion, Session *session);
    int descriptor, milliseconds; // what to wait for; -1: none
} TuiCompanion;

// Shows the session in the terminal until the user quits or the terminal closes; ends as loop_run does. Lines typed at
// the prompt are kept in the file `history` (NULL: nowhere) at once. `companion` may be NULL. Returns false and sets
// err without a usable terminal.
bool tui_run(Session *session, const char *history, TuiCompanion *companion, Error *err);

// Runs a script of one command a line, and writes the screens it asks for to `out`. Besides the commands of
// commands.def:
//   screen       writes the screen
//   key NAME     presses the key ("key n", "key Up")
//   size CxR     changes the size of the screen
// Skips empty lines and lines that start with '#'. Stops at the first line that fails, with its number in err.
bool tui_script(Session *session, FILE *script, int columns, int rows, FILE *out, Error *err);

#endif
