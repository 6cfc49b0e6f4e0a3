// Reserves memory for a library that does not check malloc; see arena.h.
#include "arena.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

bool room_ahead(size_t bytes)
{
#ifdef __GLIBC__
    // Keeps large pieces on the heap, and freed memory in the process.
    mallopt(M_MMAP_THRESHOLD, ROOM_AHEAD_MOST);
    mallopt(M_TRIM_THRESHOLD, ROOM_AHEAD_MOST);
#endif
    void *volatile memory =
        malloc(bytes < ROOM_AHEAD_MOST
                   ? bytes
                   : ROOM_AHEAD_MOST - 1); // volatile, or the compiler removes an unused allocation
    bool is_there = memory != NULL;
    free(memory);
    return is_there;
}
