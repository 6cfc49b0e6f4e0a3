// A text as one word of a shell's command line, so that a command that is told can be typed as it stands.
#ifndef SHELL_WORD_H
#define SHELL_WORD_H

#include <stddef.h>

// Bytes that the word of a text with `length` bytes takes at most, with the NUL: every quote becomes
// four, and there is one around them all.
#define SHELL_WORD_ROOM(length) (4 * (length) + 3)

// Writes the word to `out`, which has room for SHELL_WORD_ROOM(strlen(text)) bytes; the result is `out`.
// What no shell reads otherwise stays as it is; all else stands in single quotes (POSIX.1-2017, Shell
// Command Language, 2.2.2).
char *shell_word(const char *text, char *out);

// The same of a path, for a command that is told: the result is `out`. One of more than SHELL_PATH_MAX
// bytes, which no system opens, is the result as it stands.
enum { SHELL_PATH_MAX = 4096, SHELL_PATH_ROOM = SHELL_WORD_ROOM(SHELL_PATH_MAX) };
const char *shell_path(const char *path, char out[SHELL_PATH_ROOM]);

#endif
