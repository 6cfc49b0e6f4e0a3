// font_file: finds font files and maps them into memory; see font_file.h.
#include "font_file.h"

#include <errno.h>
#include <fcntl.h>
#include <fontconfig/fontconfig.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "room.h"

enum { LIBRARIES_BYTES = 1 << 20 };

bool is_hangul(uint32_t letter)
{
    return (letter >= 0x1100 && letter < 0x1200) || (letter >= 0x3130 && letter < 0x3190) ||
           (letter >= 0xa960 && letter < 0xa980) || (letter >= 0xac00 && letter < 0xd800);
}

// What fontconfig is asked for; NULL with errno ENOMEM. A letter of Hangul is wanted from a Korean face: a
// Japanese one has it, too, but in other forms and, among letters of one width, in another width.
static FcPattern *pattern_for(const char *family, bool bold, uint32_t letter)
{
    FcPattern *wanted = FcNameParse((const FcChar8 *)family);
    const FcChar8 *language = (const FcChar8 *)"ko";
    FcCharSet *letters = wanted ? FcCharSetCreate() : NULL;
    int weight = bold ? FC_WEIGHT_DEMIBOLD : FC_WEIGHT_REGULAR;
    bool good = letters && FcPatternAddInteger(wanted, FC_WEIGHT, weight) &&
                FcPatternAddBool(wanted, FC_SCALABLE, FcTrue) &&
                FcCharSetAddChar(letters, letter) &&
                FcPatternAddCharSet(wanted, FC_CHARSET, letters) &&
                (!is_hangul(letter) || FcPatternAddString(wanted, FC_LANG, language)) &&
                FcConfigSubstitute(NULL, wanted, FcMatchPattern);
    if (good)
        FcDefaultSubstitute(wanted);
    if (letters)
        FcCharSetDestroy(letters);
    if (wanted && !good)
        FcPatternDestroy(wanted);
    errno = good ? 0 : ENOMEM;
    return good ? wanted : NULL;
}

bool font_file_find(const char *family, bool bold, uint32_t letter, FontFile *found_file)
{
    FcPattern *wanted = pattern_for(family, bold, letter);
    if (!wanted)
        return false;
    FcResult result;
    FcPattern *found = FcFontMatch(NULL, wanted, &result);
    FcChar8 *file = NULL;
    FcCharSet *has = NULL;
    bool good = found && FcPatternGetString(found, FC_FILE, 0, &file) == FcResultMatch &&
                FcPatternGetCharSet(found, FC_CHARSET, 0, &has) == FcResultMatch &&
                FcCharSetHasChar(has, letter);
    if (good) {
        snprintf(found_file->path, sizeof found_file->path, "%s", (const char *)file);
        if (FcPatternGetInteger(found, FC_INDEX, 0, &found_file->number) != FcResultMatch)
            found_file->number = 0;
    }
    FcPatternDestroy(wanted);
    if (found)
        FcPatternDestroy(found);
    return good;
}

static bool map(FontFile *file)
{
    struct stat about;
    int descriptor = open(file->path, O_RDONLY | O_CLOEXEC);
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

bool font_file_has_memory(void)
{
    return room_ahead(LIBRARIES_BYTES);
}

TTF_Font *font_file_open(FontFile *file, int size)
{
    if (!font_file_has_memory() || (!file->memory && !map(file)))
        return NULL;
    SDL_RWops *stream = SDL_RWFromConstMem(file->memory, (int)file->size);
    return stream ? TTF_OpenFontIndexRW(stream, 1, size, file->number) : NULL;
}

void font_file_close(FontFile *file)
{
    if (file->memory)
        munmap(file->memory, file->size);
    file->memory = NULL;
}
