// error: see error.h.
#include "error.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// Names and texts in a sentence may come from a file that somebody else made; what a terminal would
// obey is shown as question marks. A sentence that was cut ends with a whole letter.
static void make_printable(char *text)
{
    unsigned char *byte = (unsigned char *)text, *letter = byte;
    for (; *byte; byte++) {
        bool c1 = byte[0] == 0xC2 && byte[1] >= 0x80 && byte[1] < 0xA0;
        if (c1 || *byte < ' ' || *byte == 0x7F)
            *byte = '?';
        if (c1)
            byte[1] = '?';
        if ((*byte & 0xC0) != 0x80)
            letter = byte;
    }
    ptrdiff_t needed = *letter < 0xC0 ? 1 : *letter < 0xE0 ? 2 : *letter < 0xF0 ? 3 : 4;
    if (byte - letter < needed)
        *letter = '\0';
}

bool error_set(Error *err, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    make_printable(err->text);
    return false;
}

bool error_prefix(Error *err, const char *format, ...)
{
    char said[sizeof err->text];
    memcpy(said, err->text, sizeof said);

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);

    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, "%s", said);
    make_printable(err->text);
    return false;
}
