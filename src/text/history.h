// Typed lines, the oldest first, without duplicates. A zeroed History is empty.
#ifndef HISTORY_H
#define HISTORY_H

#include "line_edit.h"

enum { HISTORY_MAX = 200 };

typedef struct History {
    int count;
    char lines[HISTORY_MAX][LINE_EDIT_ROOM];
} History;

// Appends a line. Removes an earlier copy of it, and the oldest line if there are too many. Ignores an empty
// line and one longer than LINE_EDIT_ROOM - 1 bytes.
void history_add(History *history, const char *line);

// The line `back` from the end, 1 for the newest; NULL if there is none.
const char *history_line(const History *history, int back);

#endif
