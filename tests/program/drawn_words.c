// The texts of a display list as it lay in the memory that the window's process was given, a line each:
// drawn_words FILE. What a PNG says is read so, for its letters are pixels.
#include "window_wire.h"

#include <stdio.h>
#include <stdlib.h>

enum { BYTES_MAX = 1 << 24, ALIGNMENT = 64 };

int main(int count, char *words[])
{
    FILE *file = count == 2 ? fopen(words[1], "rb") : NULL;
    void *memory = aligned_alloc(ALIGNMENT, BYTES_MAX);
    DisplayList list;
    if (!file || !memory)
        return 2;
    size_t bytes = fread(memory, 1, BYTES_MAX, file);
    bool good = window_memory_list(memory, bytes, &list);
    for (size_t i = 0; good && i < list.item_count; i++)
        if (list.items[i].kind == DISPLAY_TEXT)
            puts(list.texts + list.items[i].at);
    fclose(file);
    free(memory);
    return good ? 0 : 1;
}
