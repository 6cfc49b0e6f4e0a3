// room_on_stack: the stack is taken before it is needed; see room.h.
#include "room.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base_words.h"

enum {
    PIECE = 4096,       // not more than a page, so that no page is left out
    MARGIN = 16 * 1024, // for the function that takes it, and what lies above the environment
    AHEAD = 512 * 1024  // twice what is asked for: other compilers use more of it
};

// Where the stack is now. Not the address of a variable, which sanitizers put elsewhere.
static uintptr_t here(void)
{
    return (uintptr_t)__builtin_frame_address(0);
}

// Bytes between here and the end of the environment, which lies at the beginning of the stack.
static size_t used_already(void)
{
    uintptr_t now = here(), first = now;
    for (char **entry = environ; entry && *entry; entry++)
        if ((uintptr_t)*entry > first)
            first = (uintptr_t)*entry;
    return first - now;
}

// volatile: else a compiler makes a loop of it, which takes one piece again and again.
// Down to `end`, and not by a count of pieces: sanitizers make each frame larger. Never inlined into itself:
// several pieces in one frame would go too far down.
__attribute__((noinline)) static bool take(uintptr_t end)
{
    volatile char piece[PIECE];
    piece[0] = 1;
    bool deeper = here() <= end + 2 * PIECE || take(end);
    return deeper && piece[0] == 1;
}

bool room_on_stack(Error *err)
{
    struct rlimit limit;
    size_t most = SIZE_MAX, gone = used_already() + MARGIN;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        most = (size_t)limit.rlim_cur;
    if (most < gone + ROOM_STACK_LEAST)
        return error_machine(err, TELL(ROOM_STACK_LIMIT), most / 1024,
                             (gone + ROOM_STACK_LEAST) / 1024);
    size_t bytes = most - gone < AHEAD ? most - gone : AHEAD;
    // Where there is no room, taking it would end the program.
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return error_machine(err, TELL(ROOM_STACK_NONE), bytes / 1024);
    munmap(room, bytes);
    return take(here() - bytes);
}
