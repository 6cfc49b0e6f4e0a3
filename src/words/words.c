// words: see words.h.
#include "words.h"

#include <stdarg.h>
#include <stdlib.h>
#include "josa.h"

const char *words_tell(Words words)
{
    return words.in[language_now()];
}

// A letter that was cut in two goes.
static void end_whole(char *text, size_t length)
{
    size_t start = length;
    while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        start--;
    unsigned char first = start > 0 ? (unsigned char)text[start - 1] : 0;
    size_t wants = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
    if (start > 0 && wants > 1 && length - start + 1 < wants)
        text[start - 1] = '\0';
}

char *words_format(char *text, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, room, format, arguments);
    va_end(arguments);
    if (length >= 0 && room > 0 && (size_t)length >= room)
        end_whole(text, room - 1);
    josa_settle(text);
    return text;
}

int words_print(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return -1;
    josa_settle(text);
    length = fputs(text, out) < 0 ? -1 : length;
    free(text);
    return length;
}
