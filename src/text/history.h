// Lines that were typed, the oldest first, each once. A zeroed History is empty.
#ifndef HISTORY_H
#define HISTORY_H

#include "line_edit.h"

enum { HISTORY_MAX = 200 };

typedef struct History {
    int count;
    char lines[HISTORY_MAX][LINE_EDIT_ROOM];
} History;

// Puts a line at the end. The same line further up is taken away, and the oldest when there are too
// many; a line that is empty or longer than LINE_EDIT_ROOM - 1 bytes is not kept.
void history_add(History *history, const char *line);

// The line `back` from the end, 1 for the newest; NULL where there is none.
const char *history_line(const History *history, int back);

#endif
