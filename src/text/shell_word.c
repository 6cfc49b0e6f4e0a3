// shell_word: see shell_word.h.
#include "shell_word.h"

#include <stdbool.h>
#include <string.h>

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
