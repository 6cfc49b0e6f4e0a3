// canvas_pages: see canvas_pages.h.
#include "canvas_pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void pages_forget(void *memory, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t before = (page - (uintptr_t)memory % page) % page;
    if (bytes < before + page)
        return;
    char *start = (char *)memory + before;
    size_t whole = (bytes - before) / page * page;
#ifdef MADV_REMOVE
    if (madvise(start, whole, MADV_REMOVE) == 0) // memory shared with the display
        return;
#endif
    madvise(start, whole, MADV_DONTNEED);
}

void pages_leave(void *memory, size_t bytes)
{
    madvise(memory, bytes, MADV_DONTNEED);
}
