// Room: sizes in words, memory in files of a folder, memory and stack ahead, and what happens when there is none.
#include "arena.h"

#include "scratch.h"
#include "suite.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(sizes_are_told_in_three_or_four_digits)
{
    char text[ROOM_TEXT_MAX];
    ck_assert_str_eq(room_text(0, text), "0 bytes");
    ck_assert_str_eq(room_text(999, text), "999 bytes");
    ck_assert_str_eq(room_text(1000, text), "1.0 kB");
    ck_assert_str_eq(room_text(3221225472, text), "3.2 GB");
    ck_assert_str_eq(room_text(999949999, text), "999.9 MB");
    ck_assert_str_eq(room_text(999950000, text), "1.0 GB");
    ck_assert_str_eq(room_text((size_t)-1, text), "18.4 EB");
}

// A system may align a first mapping by itself, but not a second of 3 MB beside it.
TEST(a_large_piece_begins_with_a_huge_page)
{
    enum { HUGE_PAGE = 2 * 1024 * 1024 };
    Error err;
    Arena arenas[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        void *piece = arena_take(&arenas[i], 3 * HUGE_PAGE / 2, 1, &err);
        ck_assert_ptr_nonnull(piece);
        ck_assert_uint_eq((uintptr_t)piece % HUGE_PAGE, 0);
    }
    for (int i = 0; i < 2; i++)
        arena_finish(&arenas[i]);
}

// Both come from memory that the first arena wrote to: of malloc, and of a mapping that was kept.
TEST(a_later_arena_has_zeros_too)
{
    static const size_t sizes[] = {1000, 1000 * 1000};
    Error err;
    for (int i = 0; i < 4; i++) {
        Arena arena = {0};
        size_t bytes = sizes[i / 2];
        unsigned char *piece = arena_take(&arena, bytes, 1, &err);
        ck_assert_ptr_nonnull(piece);
        ck_assert(piece[0] == 0 && memcmp(piece, piece + 1, bytes - 1) == 0);
        memset(piece, 1, bytes);
        arena_finish(&arena);
    }
}

TEST(large_pieces_of_an_arena_lie_in_files_when_it_has_a_folder)
{
    Error err = {.text = ""};
    enum { BYTES = 5 * 1000 * 1000 };
    Arena arena = {.folder = scratch_folder("spill")};
    unsigned char *large = arena_take(&arena, BYTES, 1, &err),
                  *small = arena_take(&arena, 1, 1, &err);
    ck_assert_msg(large && small, "%s", err.text);
    ck_assert(large[0] == 0 && memcmp(large, large + 1, BYTES - 1) == 0);
    memset(large, 1, BYTES);
    ck_assert_int_eq(rmdir(arena.folder), 0); // the files have no name
    ck_assert_uint_eq(large[BYTES - 1], 1);
    arena_finish(&arena);
    ck_assert_ptr_null(arena.folder);
}

TEST(a_folder_that_is_not_there_or_too_small_is_said)
{
    Error err = {.text = ""};
    Arena arena = {.folder = "/nowhere/at/all"};
    ck_assert_ptr_null(arena_take(&arena, 5 * 1000 * 1000, 1, &err));
    ck_assert_str_eq(err.text,
                     "/nowhere/at/all: cannot create a file there: No such file or directory");
    arena_finish(&arena);

    arena.folder = scratch_folder("small");
    ck_assert_ptr_null(arena_take(&arena, (size_t)1 << 60, 1, &err));
    ck_assert_ptr_nonnull(strstr(err.text, ": no space for a file of 1.2 EB: "));
    arena_finish(&arena);
}

TEST(memory_and_folders_have_room)
{
    Error err = {.text = ""};
    size_t bytes = 0;
    ck_assert_uint_gt(room_in_memory(), 1000 * 1000);
    ck_assert_msg(room_in_folder("/", &bytes, &err), "%s", err.text);
    ck_assert(!room_in_folder("/nowhere/at/all", &bytes, &err));
    ck_assert_str_eq(err.text, "/nowhere/at/all: No such file or directory");
}

// Address sanitizers have a malloc of their own.
#if defined __SANITIZE_ADDRESS__ || !defined __GLIBC__
#define KEEPS_READY 0
#elif defined __has_feature
#define KEEPS_READY !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#else
#define KEEPS_READY 1
#endif

// How many pieces of 1 kB a process gets that can have no more of the system; -1: it could not be tried.
static int pieces_without_system(size_t ahead)
{
    enum { PIECES = 200 };
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        int count = 0;
        if ((ahead && !room_ahead(ahead)) || setrlimit(RLIMIT_AS, &(struct rlimit){1, 1}) != 0)
            _exit(255);
        while (count < PIECES && malloc(1000))
            count++;
        _exit(count);
    }
    bool ended = waitpid(child, &status, 0) == child && WIFEXITED(status);
    return ended && WEXITSTATUS(status) <= PIECES ? WEXITSTATUS(status) : -1;
}

TEST(memory_that_was_asked_for_ahead_is_there_when_the_system_has_no_more)
{
    if (!KEEPS_READY)
        return;
    ck_assert_int_eq(pieces_without_system(400 * 1000), 200);
    ck_assert_int_lt(pieces_without_system(0), 200); // what is left in a heap of 132 kB
    ck_assert(room_ahead(SIZE_MAX));                 // no more than it ever has ready
}

// A stack that is used so deep, some kB a call.
static bool use_stack(int kilobytes)
{
    volatile char piece[4096];
    piece[0] = 1;
    return (kilobytes <= 4 || use_stack(kilobytes - 4)) && piece[0] == 1;
}

// How a process ends that uses 300 kB of stack when it can have no more of the system.
static int stack_without_system(bool ahead)
{
    Error err;
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        if ((ahead && !room_on_stack(&err)) || setrlimit(RLIMIT_AS, &(struct rlimit){1, 1}) != 0)
            _exit(255);
        _exit(!use_stack(300));
    }
    return waitpid(child, &status, 0) == child ? status : -1;
}

TEST(stack_that_was_taken_ahead_is_there_when_the_system_has_no_more)
{
    if (!KEEPS_READY)
        return;
    ck_assert_int_eq(stack_without_system(true), 0);
    ck_assert(WIFSIGNALED(stack_without_system(false)));
}

// What a process says that asks for its stack within such a limit; "" if it gets it.
static const char *refused_within(int what, rlim_t most, Error *said)
{
    int pipes[2], status = 0;
    ck_assert_int_eq(pipe(pipes), 0);
    *said = (Error){.text = ""};
    pid_t child = fork();
    if (child == 0) {
        setrlimit(what, &(struct rlimit){most, most});
        if (!room_on_stack(said) && said->of_machine)
            (void)!write(pipes[1], said->text, strlen(said->text));
        _exit(0);
    }
    close(pipes[1]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_int_ge(read(pipes[0], said->text, sizeof said->text - 1), 0);
    close(pipes[0]);
    return said->text;
}

TEST(a_stack_that_is_not_to_be_had_is_said)
{
    Error said;
    ck_assert_str_eq(refused_within(RLIMIT_STACK, 256 * 1024, &said), "");
    ck_assert_ptr_nonnull(
        strstr(refused_within(RLIMIT_STACK, 128 * 1024, &said), "the stack is limited to 128 kB"));
    if (KEEPS_READY)
        ck_assert_ptr_nonnull(strstr(refused_within(RLIMIT_AS, 1, &said), "out of memory"));
}

SUITE_APART("room", scratch_open, scratch_close)
