// The display list in the memory that the program and its window share, as the window's process
// takes it: refused, or every text, cell and item that it speaks of is there.
#include "fuzz.h"
#include "listed.h"
#include "window_wire.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

static void follow(const DisplayList *list)
{
    char *text = NULL;
    size_t length, seen = 0;
    FILE *out = open_memstream(&text, &length);
    display_list_print(list, 0, out);
    fclose(out);
    for (size_t i = 0; i < list->item_count; i++) {
        const DisplayItem *item = &list->items[i];
        size_t cells = (size_t)item->rows * (size_t)item->columns;
        if (item->kind == DISPLAY_TEXT)
            seen += strlen(list->texts + item->at);
        else if (item->kind == DISPLAY_CELLS && cells > 0)
            seen += list->cells[item->at] + list->cells[item->at + cells - 1];
    }
    fuzz_must(seen < SIZE_MAX && length > 0, "it can be followed");
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    DisplayList list;
    size_t room = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    unsigned char *memory = aligned_alloc(ALIGNMENT, room ? room : ALIGNMENT);
    fuzz_must(memory != NULL, "there is memory");
    memset(memory, 0, room);
    if (size > 0)
        memcpy(memory, data, size);
    if (window_memory_list(memory, room, &list))
        follow(&list);
    free(memory);
    return 0;
}
