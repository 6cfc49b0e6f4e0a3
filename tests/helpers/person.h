// A person at a real terminal: the program runs under a pseudo-terminal, below a shell with job
// control, and libvterm keeps the screen that the person would see. Nothing is timed: every wait ends
// when something is seen, or fails after a generous number of empty polls.
#ifndef PERSON_H
#define PERSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>
#include <vterm.h>

typedef struct Person {
    int master, slave; // both ends stay open, so that the modes can be read after the program
    int alive;         // ends when no process of the shell is left
    pid_t shell;
    VTerm *vterm;
    VTermScreen *screen;
    int columns, rows;
    bool alternate_screen, cursor_visible, mouse;
    struct termios modes; // before anything ran
    char bytes[1 << 18];  // everything that was written to the terminal, as far as it fits
    size_t length;
} Person;

// Runs `script` in a shell with job control, with the program's path as $1.
void person_sit_down(Person *person, int columns, int rows, const char *script);

// Ends the shell and whatever runs in it.
void person_leave(Person *person);

void person_type(Person *person, const char *keys);
// What the terminal sends when text is pasted, when the mouse is pressed and when its wheel is turned
// (-1 up, 1 down), given what the program asked it for.
void person_pastes(Person *person, const char *text);
void person_clicks(Person *person, int row, int column);
void person_turns_wheel(Person *person, int row, int column, int wheel);

void person_resize(Person *person, int columns, int rows);

// Closes the terminal's window; waits until every process in it has ended.
void person_closes_window(Person *person);

// Sends a signal to the program in the foreground.
void person_signal(Person *person, int number);

// Waits until the screen shows the text, or no longer does; false when that never happens. It may change
// all the time meanwhile.
bool person_comes_to_see(Person *person, const char *text, bool shown);

// Waits until the screen shows the text; fails the test, showing the screen, when it never does.
void person_waits_for(Person *person, const char *text);

// The same of what was written to the terminal, wherever its screen has it: after many sizes while the
// other screen was shown, libvterm loses what is written to the first.
void person_waits_for_bytes(Person *person, const char *text);

// Waits until the screen no longer shows the text.
void person_waits_until_gone(Person *person, const char *text);

// Reads what is written until nothing more comes for `polls` polls of a tenth of a second.
void person_watches(Person *person, int polls);

// The screen as lines of text.
const char *person_sees(Person *person);

// True when the terminal is as it was before the program: modes, main screen, cursor.
bool person_has_terminal_back(Person *person);

// The program's process group, the one in the foreground.
pid_t person_program(Person *person);

// Where the text stands that the screen shows; the test fails when it does not.
void person_finds(Person *person, const char *text, int *row, int *column);

// The character in a cell, and how many columns it takes.
uint32_t person_sees_at(Person *person, int row, int column, int *columns);

#endif
