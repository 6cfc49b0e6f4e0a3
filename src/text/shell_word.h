// Quotes a text as one shell word, so that the user can copy a printed command.
#ifndef SHELL_WORD_H
#define SHELL_WORD_H

#include <stddef.h>

// The largest size of the word for a text of `length` bytes, with the NUL: every quote becomes four bytes,
// plus one quote at each end.
#define SHELL_WORD_ROOM(length) (4 * (length) + 3)

// Writes the word to `out`, which has room for SHELL_WORD_ROOM(strlen(text)) bytes. Returns `out`. Text without
// special characters is unchanged; other text is put in single quotes (POSIX.1-2017, Shell Command Language,
// 2.2.2).
char *shell_word(const char *text, char *out);

// The same for a path in a printed command. Returns `out`, or the path itself if it is longer than
// SHELL_PATH_MAX bytes, which no system opens.
enum { SHELL_PATH_MAX = 4096, SHELL_PATH_ROOM = SHELL_WORD_ROOM(SHELL_PATH_MAX) };
const char *shell_path(const char *path, char out[SHELL_PATH_ROOM]);

#endif
