// The terminal: draws cells, reads keys, and is left as it was found. The one module that knows
// curses.
//
// Life cycle: terminal_open, ..., terminal_close; one at a time in a process.
#ifndef TERMINAL_H
#define TERMINAL_H

#include "cells.h"
#include "command.h"
#include "hangul.h"
#include "key_reader.h"
#include "mouse_reader.h"

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

#endif
