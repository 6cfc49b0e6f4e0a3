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

size_t character_put(uint32_t character, char bytes[4])
{
    return (size_t)utf8proc_encode_char((utf8proc_int32_t)character, (utf8proc_uint8_t *)bytes);
}
