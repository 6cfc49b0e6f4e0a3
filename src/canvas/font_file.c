// font_file: maps font files into memory; see font_file.h.
#include "font_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool map(FontFile *file)
{
    struct stat about;
    int descriptor = open(file->found.path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    void *memory = MAP_FAILED;
    if (fstat(descriptor, &about) == 0 && about.st_size > 0)
        memory = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (memory == MAP_FAILED)
        return false;
    file->memory = memory;
    file->size = (size_t)about.st_size;
    return true;
}

TTF_Font *font_file_open(FontFile *file, int size)
{
    if (!font_has_memory() || (!file->memory && !map(file)))
        return NULL;
    SDL_RWops *stream = SDL_RWFromConstMem(file->memory, (int)file->size);
    return stream ? TTF_OpenFontIndexRW(stream, 1, size, file->found.number) : NULL;
}

void font_file_close(FontFile *file)
{
    if (file->memory)
        munmap(file->memory, file->size);
    file->memory = NULL;
}
