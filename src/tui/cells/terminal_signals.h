// Signals while the program owns the terminal. The gentle ones become bytes in a pipe that the loop
// reads; the deadly ones put the terminal back first and then take their usual course.
//
// Life cycle: signals_open, signals_rescue, ..., signals_close. One at a time in a process: signal
// handlers have nowhere but globals to look.
#ifndef TERMINAL_SIGNALS_H
#define TERMINAL_SIGNALS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>
#include "error.h"

// Takes over SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH, and the signals of a crash.
bool signals_open(Error *err);

// What a crash does to the terminal `descriptor`: writes `text` and sets `modes`.
enum { SIGNALS_TEXT_MAX = 256 };
void signals_rescue(int descriptor, const char *text, size_t length, const struct termios *modes);

// Readable when a signal is waiting.
int signals_descriptor(void);

// The next waiting signal, 0 when there is none.
int signals_next(void);

// Whether the terminal that was polled has hung up: there is an event, but nothing to read.
bool signals_hung_up(const struct pollfd *terminal);

// Stops the process as SIGTSTP does; returns when it is continued.
void signals_stop(void);

// Gives the signals back. One that asked the program to end is raised again now.
void signals_close(void);

#endif
