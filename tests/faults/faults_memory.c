// faults_memory: memory that is not there; see faults.c.
//
// A large piece that is given back at once lies ready in the heap: what libraries take next comes from
// there, and cannot fail. See room_ahead in src/base/room.h. What the program itself takes fails all the
// same, as far as it can be told apart: a library may be linked into it.
#define _GNU_SOURCE // dl_iterate_phdr
#include "faults_calls.h"

#include <errno.h>
#include <link.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *memory);

enum { LARGE = 256 << 10, BESIDE = 32 }; // what a heap takes for itself, a piece

static __thread void *newest;
static __thread size_t newest_bytes, ready_bytes;

static uintptr_t own_begin, own_end; // the code of a program that has no library linked into it

static int note_own(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD && object->dlpi_phdr[i].p_flags & PF_X) {
            own_begin = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
            own_end = own_begin + object->dlpi_phdr[i].p_memsz;
        }
    return 1; // the first one is the program
}

__attribute__((constructor)) static void find_own(void)
{
    if (strcmp(program_invocation_short_name, "attnscope-window") == 0 ||
        strcmp(program_invocation_short_name, "attnscope-paper") == 0)
        dl_iterate_phdr(note_own, NULL);
}

static bool fails_for(const void *caller, size_t bytes)
{
    bool is_own = (uintptr_t)caller >= own_begin && (uintptr_t)caller < own_end;
    newest = NULL;
    if (!faults_are_counted() || is_own || bytes + BESIDE > ready_bytes)
        return faults_fails(FAULT_memory);
    ready_bytes -= bytes + BESIDE;
    return false;
}

#define MEMORY_FAILS(bytes) fails_for(__builtin_return_address(0), bytes)

void *malloc(size_t bytes)
{
    if (MEMORY_FAILS(bytes))
        return NULL;
    newest_bytes = bytes;
    return newest = __libc_malloc(bytes);
}

void free(void *memory)
{
    if (memory && memory == newest && newest_bytes >= LARGE)
        ready_bytes = newest_bytes;
    newest = NULL;
    __libc_free(memory);
}

void *calloc(size_t count, size_t bytes)
{
    return MEMORY_FAILS(count * bytes) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return MEMORY_FAILS(bytes) ? NULL : __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return MEMORY_FAILS(bytes) ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    *memory = MEMORY_FAILS(bytes) ? NULL : __libc_memalign(alignment, bytes);
    return *memory ? 0 : ENOMEM;
}

// What main has had ready for its locale is for that alone: the rest of the program would live on it. A
// terminal has more, and what it has lies ready still.
char *setlocale(int category, const char *name)
{
    char *chosen = REAL(setlocale)(category, name);
    if (ready_bytes <= LARGE)
        ready_bytes = 0;
    return chosen;
}
