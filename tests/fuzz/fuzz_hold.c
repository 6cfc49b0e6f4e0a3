// What holds a target: the linker puts these in the place of the functions of the same name
// (--wrap). An input that asks for much memory is answered as by a small machine, and a file that a
// command writes is refused as by a full disk, so that millions of inputs in a row harm nobody.
#include "arena.h"
#include "fuzz.h"
#include "new_file.h"

enum { PIECE_MAX = 4 << 20, ARENA_MAX = 16 << 20 };

void *__real_arena_take(Arena *arena, size_t count, size_t size, Error *err);
void *__wrap_arena_take(Arena *arena, size_t count, size_t size, Error *err);
bool __real_new_file_begin(NewFile *file, const char *path, Arena *arena, Error *err);
bool __wrap_new_file_begin(NewFile *file, const char *path, Arena *arena, Error *err);

void *__wrap_arena_take(Arena *arena, size_t count, size_t size, Error *err)
{
    size_t bytes;
    if (!__builtin_mul_overflow(count, size, &bytes) &&
        (bytes > PIECE_MAX || arena->bytes > ARENA_MAX)) {
        error_set(err, "out of memory: %zu bytes were asked for", bytes);
        return NULL;
    }
    return __real_arena_take(arena, count, size, err);
}

bool __wrap_new_file_begin(NewFile *file, const char *path, Arena *arena, Error *err)
{
    return fuzz_is_ours(path) ? __real_new_file_begin(file, path, arena, err)
                              : error_set(err, "cannot write %s: the disk is full", path);
}
