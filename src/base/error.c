// error: see error.h.
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(Error *err, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
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
    return false;
}
