// utf8: a thin layer over utf8proc; see utf8.h.
#include "utf8.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum { REPLACEMENT = 0xFFFD };

bool utf8_valid(const char *bytes, size_t length)
{
    const utf8proc_uint8_t *rest = (const utf8proc_uint8_t *)bytes;
    while (length > 0) {
        utf8proc_int32_t character;
        utf8proc_ssize_t used = utf8proc_iterate(rest, (utf8proc_ssize_t)length, &character);
        if (used <= 0 || character == 0)
            return false;
        rest += used;
        length -= (size_t)used;
    }
    return true;
}

size_t utf8_next(const char *text, uint32_t *character)
{
    *character = 0;
    if (!*text)
        return 0;
    if ((unsigned char)*text < 0x80) { // most of what is drawn: no table need be asked
        *character = (unsigned char)*text;
        return 1;
    }
    utf8proc_int32_t found;
    size_t room = strnlen(text, 4);
    utf8proc_ssize_t used =
        utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)room, &found);
    if (used <= 0) {
        *character = REPLACEMENT;
        return 1;
    }
    *character = (uint32_t)found;
    return (size_t)used;
}

int utf8_character_width(uint32_t character)
{
    utf8proc_int32_t known = (utf8proc_int32_t)character;
    bool ends_syllable =
        (character >= 0x1160 && character < 0x1200) || (character >= 0xd7b0 && character < 0xd800);
    if (character < 0xa0) // ASCII, and control characters, which are drawn as something
        return 1;
    if (ends_syllable) // the first letter of it has taken both columns
        return 0;
    if (utf8proc_category(known) == UTF8PROC_CATEGORY_MC) // a mark beside its letter
        return 1;
    return utf8proc_charwidth(known);
}

int utf8_width(const char *text)
{
    int width = 0;
    uint32_t character;
    for (size_t used; (used = utf8_next(text, &character)) > 0; text += used)
        width += utf8_character_width(character);
    return width;
}

int utf8_cut(const char *text, int columns, char *out, size_t room)
{
    static const char ellipsis[] = "\u2026";
    bool fits = utf8_width(text) <= columns;
    int limit = fits ? columns : columns - 1;
    size_t spare = fits ? 1 : sizeof ellipsis;
    size_t length = 0;
    int width = 0;
    uint32_t character;

    for (size_t used; (used = utf8_next(text, &character)) > 0; text += used) {
        int wide = utf8_character_width(character);
        if (width + wide > limit || length + used + spare > room)
            break;
        memcpy(out + length, text, used);
        length += used;
        width += wide;
    }
    if (!fits && columns > 0 && length + sizeof ellipsis <= room) {
        memcpy(out + length, ellipsis, sizeof ellipsis - 1);
        length += sizeof ellipsis - 1;
        width++;
    }
    if (room > 0)
        out[length] = '\0';
    return width;
}

int utf8_shorten(const char *text, int columns, char *out)
{
    const char *end = text;
    uint32_t character;
    size_t room = strlen(text) + 4;
    int behind = utf8_width(text), width = behind;
    if (width <= columns)
        return utf8_cut(text, columns, out, room);
    while (behind > columns / 3) {
        end += utf8_next(end, &character);
        behind -= utf8_character_width(character);
    }
    width = utf8_cut(text, columns - behind, out, room);
    size_t length = strlen(out);
    snprintf(out + length, room - length, "%s", end);
    return width + behind;
}

bool utf8_turns(const char *text)
{
    uint32_t character;
    for (size_t used; (used = utf8_next(text, &character)) > 0; text += used) {
        unsigned kind = utf8proc_get_property((utf8proc_int32_t)character)->bidi_class;
        if (kind == UTF8PROC_BIDI_CLASS_R || kind == UTF8PROC_BIDI_CLASS_AL)
            return true;
    }
    return false;
}

bool utf8_joins(const char *text)
{
    static const uint32_t blocks[][2] = {{0x0900, 0x0dff}, {0x0f00, 0x109f}, {0x1780, 0x17ff}};
    uint32_t character;
    for (const char *at = text; *at;) {
        at += utf8_next(at, &character);
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
            if (character >= blocks[i][0] && character <= blocks[i][1])
                return true;
    }
    return utf8_turns(text);
}

// NULL when it is no text, or with errno ENOMEM.
static char *folded(const char *text)
{
    utf8proc_uint8_t *out = NULL;
    utf8proc_ssize_t length =
        utf8proc_map((const utf8proc_uint8_t *)text, 0, &out,
                     UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
    if (length == UTF8PROC_ERROR_NOMEM)
        errno = ENOMEM;
    return (char *)out;
}

bool utf8_contains(const char *text, const char *word)
{
    char *in_text = folded(text), *in_word = folded(word);
    bool found = in_text && in_word && strstr(in_text, in_word) != NULL;
    free(in_text);
    free(in_word);
    return found;
}
