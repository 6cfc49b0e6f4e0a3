// The process that draws, seen from the one that started it: where its program is, how it is
// started and how it ended.
#ifndef WINDOW_CHILD_H
#define WINDOW_CHILD_H

#include <stdbool.h>
#include <sys/types.h>
#include "error.h"

// Starts the program that arguments[0] names with the socket as descriptor 3, the memory as 4, and nothing
// of the terminal. `arguments` end with NULL. Both descriptors must be 5 or more.
bool window_child_start(pid_t *child, char *const arguments[], int socket, int memory, Error *err);

// The signal that ended a child whose socket is closed, which is forgotten then; 0:
// none, or it goes on. `loaded` is false when what loads programs has given up, with a code of its own.
int window_child_signal(pid_t *child, bool *loaded);

// "by signal 11 (Segmentation fault)"
const char *window_child_signal_text(int signal, char text[64]);

// Whether a window ended by a signal may do better under X11: there is both Wayland, which SDL takes
// first, and X11. `named`: though the environment names a driver, as long as it is not x11.
bool window_child_has_x11(bool named);

// A child that does not end by itself within half a second is ended.
void window_child_close(pid_t *child);

#endif
