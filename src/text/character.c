// character: see character.h.
#include "character.h"

#include <utf8proc.h>

CharacterKind character_kind(uint32_t character)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)character);
    if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO)
        return CHARACTER_LETTER;
    if (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO)
        return CHARACTER_NUMBER;
    if (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO)
        return CHARACTER_PUNCTUATION;
    if (category == UTF8PROC_CATEGORY_CN || category >= UTF8PROC_CATEGORY_CC)
        return CHARACTER_CONTROL;
    return category == UTF8PROC_CATEGORY_MN   ? CHARACTER_MARK
           : category == UTF8PROC_CATEGORY_ZS ? CHARACTER_SEPARATOR
                                              : CHARACTER_OTHER;
}

const char *character_category(uint32_t character)
{
    return utf8proc_category_string((utf8proc_int32_t)character);
}

bool character_is_space(uint32_t character)
{
    static const uint32_t others[] = {0x20,   0x85,   0xa0,   0x1680, 0x2028,
                                      0x2029, 0x202f, 0x205f, 0x3000};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (character == others[i])
            return true;
    return (character >= 0x09 && character <= 0x0d) || (character >= 0x2000 && character <= 0x200a);
}

uint32_t character_lower(uint32_t character)
{
    return (uint32_t)utf8proc_tolower((utf8proc_int32_t)character);
}

uint32_t character_upper(uint32_t character)
{
    return (uint32_t)utf8proc_toupper((utf8proc_int32_t)character);
}

size_t character_parts(uint32_t character, uint32_t parts[CHARACTER_PARTS_MAX])
{
    int boundary = 0;
    utf8proc_int32_t made[CHARACTER_PARTS_MAX];
    utf8proc_ssize_t count = utf8proc_decompose_char(
        (utf8proc_int32_t)character, made, CHARACTER_PARTS_MAX, UTF8PROC_DECOMPOSE, &boundary);
    if (count < 1 || count > CHARACTER_PARTS_MAX) {
        parts[0] = character;
        return 1;
    }
    for (utf8proc_ssize_t i = 0; i < count; i++)
        parts[i] = (uint32_t)made[i];
    return (size_t)count;
}

size_t character_normalize(const char *text, size_t length, CharacterForm form, uint32_t out[],
                           size_t room)
{
    bool composes = form == CHARACTER_NFC || form == CHARACTER_NFKC;
    bool is_compatible = form == CHARACTER_NFKD || form == CHARACTER_NFKC;
    utf8proc_option_t options = (composes ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE) |
                                (is_compatible ? UTF8PROC_COMPAT : 0) | UTF8PROC_STABLE;
    utf8proc_int32_t *made = (utf8proc_int32_t *)(void *)out;
    utf8proc_ssize_t count =
        utf8proc_decompose((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length, made,
                           (utf8proc_ssize_t)room, options);
    if (count > (utf8proc_ssize_t)room || count < 0)
        return count < 0 ? room + 1 : (size_t)count;
    return composes ? (size_t)utf8proc_normalize_utf32(made, count, options) : (size_t)count;
}

bool character_parts_from(uint32_t before, uint32_t character, int *state)
{
    return utf8proc_grapheme_break_stateful((utf8proc_int32_t)before, (utf8proc_int32_t)character,
                                            state);
}

size_t character_put(uint32_t character, char bytes[4])
{
    return (size_t)utf8proc_encode_char((utf8proc_int32_t)character, (utf8proc_uint8_t *)bytes);
}
