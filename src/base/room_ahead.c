// room_ahead: memory that is ready before a library takes it; see arena.h.
#include "arena.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

bool room_ahead(size_t bytes)
{
#ifdef __GLIBC__
    // Large pieces would have a place of their own, and what is given back would go to the system.
    mallopt(M_MMAP_THRESHOLD, ROOM_AHEAD_MOST);
    mallopt(M_TRIM_THRESHOLD, ROOM_AHEAD_MOST);
#endif
    void *volatile memory =
        malloc(bytes < ROOM_AHEAD_MOST
                   ? bytes
                   : ROOM_AHEAD_MOST - 1); // volatile: else a compiler sees that nobody uses it
    bool is_there = memory != NULL;
    free(memory);
    return is_there;
}
