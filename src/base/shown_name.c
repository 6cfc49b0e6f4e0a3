// Names and words as they can be shown or typed; see shown_name.h and shown_name.h.
#include "shown_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "utf8.h"

// --- names of strangers' files

// from  Unicode Standard Annex 9, table 4: the explicit marks of direction; chapter 23: separators, and
//       what has no width.
bool character_steers(uint32_t character)
{
    static const uint32_t ranges[][2] = {
        {0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},     {0x061C, 0x061C}, {0x200B, 0x200F},
        {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (character >= ranges[i][0] && character <= ranges[i][1])
            return true;
    return false;
}

char *shown_name(const char *name, char *out)
{
    uint32_t character;
    char *at = out;
    *at = '\0';
    for (size_t bytes; (bytes = utf8_next(name, &character)) > 0; name += bytes) {
        bool is_broken = bytes == 1 && character == 0xFFFD;
        if (is_broken)
            at += sprintf(at, "\\x%02x", (unsigned)(unsigned char)*name);
        else if (character_steers(character) && bytes == 1)
            at += sprintf(at, "\\x%02x", (unsigned)character);
        else if (character_steers(character))
            at += sprintf(at, "\\u%04x", (unsigned)character);
        else if (character == '\\')
            at += sprintf(at, "\\\\");
        else
            at += sprintf(at, "%.*s", (int)bytes, name);
    }
    return out;
}

// --- a word of a shell's command line

// Letters of other scripts are bytes from 0x80 on, and mean nothing to a shell.
static bool is_plain(const char *text)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:,@%=";
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at < 0x80 && !strchr(plain, *at))
            return false;
    return *text != '\0';
}

char *shell_word(const char *text, char *out)
{
    static const char quote[] = "'\\''"; // ends the quotes, says one, and begins them again
    char *end = out;
    if (is_plain(text))
        return strcpy(out, text);
    *end++ = '\'';
    for (const char *at = text; *at; at++)
        if (*at == '\'') {
            memcpy(end, quote, sizeof quote - 1);
            end += sizeof quote - 1;
        } else {
            *end++ = *at;
        }
    *end++ = '\'';
    *end = '\0';
    return out;
}

const char *shell_path(const char *path, char out[SHELL_PATH_ROOM])
{
    return strlen(path) <= SHELL_PATH_MAX ? shell_word(path, out) : path;
}
