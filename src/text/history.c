// history: see history.h.
#include "history.h"

#include <string.h>

static void take_away(History *history, int number)
{
    memmove(history->lines[number], history->lines[number + 1],
            (size_t)(history->count - number - 1) * LINE_EDIT_ROOM);
    history->count--;
}

void history_add(History *history, const char *line)
{
    size_t length = strlen(line);
    if (length == 0 || length >= LINE_EDIT_ROOM)
        return;
    for (int i = history->count - 1; i >= 0; i--)
        if (strcmp(history->lines[i], line) == 0)
            take_away(history, i);
    if (history->count == HISTORY_MAX)
        take_away(history, 0);
    memcpy(history->lines[history->count++], line, length + 1);
}

const char *history_line(const History *history, int back)
{
    return back >= 1 && back <= history->count ? history->lines[history->count - back] : NULL;
}
