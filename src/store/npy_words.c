// npy_words: arrays of texts in NumPy's formats; see npy.h.
#include "npy.h"

#include <string.h>
#include "pattern.h"
#include "pickle.h"
#include "utf8.h"

enum { CHARACTER_LAST = 0x10ffff };

// --- one word

static uint32_t unit_at(const unsigned char *bytes, bool is_big_endian)
{
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++)
        unit |= (uint32_t)bytes[i] << (is_big_endian ? 24 - 8 * i : 8 * i);
    return unit;
}

static bool is_character(uint32_t unit)
{
    return unit <= CHARACTER_LAST && (unit < 0xd800 || unit > 0xdfff);
}

// UTF-32 that ends with the first 0 or with the item.
static const char *read_unicode(const NpyWordsHeader *header, const unsigned char *item,
                                Arena *arena, Error *err)
{
    size_t units = header->item_bytes / 4, used = 0;
    char *word = arena_take(arena, header->item_bytes + 1, 1, err);
    for (size_t i = 0; word && i < units; i++) {
        uint32_t unit = unit_at(item + 4 * i, header->is_big_endian);
        if (unit == 0)
            break;
        used += character_put(is_character(unit) ? unit : 0xfffd, word + used);
    }
    return word;
}

static const char *read_bytes(const NpyWordsHeader *header, const unsigned char *item, Arena *arena,
                              Error *err)
{
    size_t length = strnlen((const char *)item, header->item_bytes);
    char *word = arena_take(arena, length + 1, 1, err);
    if (word)
        memcpy(word, item, length);
    return word;
}

// --- all of them

static bool read_items(const NpyWordsHeader *header, const unsigned char *items, Arena *arena,
                       FileWords *words, Error *err)
{
    size_t count = (size_t)(header->rows * header->columns);
    const char **list = arena_take(arena, count, sizeof *list, err);
    bool is_text = true;
    for (size_t i = 0; list && i < count; i++) {
        const unsigned char *item = items + i * header->item_bytes;
        list[i] = header->letter == 'U' ? read_unicode(header, item, arena, err)
                                        : read_bytes(header, item, arena, err);
        if (!list[i])
            return false;
        is_text = is_text && utf8_valid(list[i], strlen(list[i]));
    }
    if (list && is_text)
        *words = (FileWords){.words = list, .rows = header->rows, .columns = header->columns};
    return list != NULL;
}

static bool read_objects(const NpyWordsHeader *header, const unsigned char *bytes, size_t length,
                         Arena *arena, FileWords *words, Error *err)
{
    FileWords found = {.words = NULL};
    if (length > PICKLE_BYTES_MAX)
        return true;
    if (!pickle_words(bytes, length, arena, &found, err))
        return false;
    if (found.words && found.columns == header->rows * header->columns)
        *words =
            (FileWords){.words = found.words, .rows = header->rows, .columns = header->columns};
    return true;
}

bool npy_words(const unsigned char *bytes, size_t length, Arena *arena, FileWords *words,
               Error *err)
{
    NpyWordsHeader header;
    *words = (FileWords){.words = NULL};
    if (!npy_words_header(bytes, length, &header))
        return true;
    if (header.letter == 'O')
        return read_objects(&header, bytes + header.header_bytes, length - header.header_bytes,
                            arena, words, err);
    if (length - header.header_bytes != header.data_bytes)
        return true;
    return read_items(&header, bytes + header.header_bytes, arena, words, err);
}
