// What all parts of reading a lecture need: its texts, and where in it something is wrong; see
// lecture_internal.h.
#include "lecture_internal.h"

#include <stdarg.h>
#include <stdio.h>

bool lecture_error(LectureReader *reader, int line, const char *format, ...)
{
    char text[sizeof reader->err->text / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(reader->err, "%s:%d: %s", reader->lecture->file, line, text);
}

const char *lecture_text(LectureReader *reader, const char *text)
{
    return arena_text(&reader->lecture->arena, text, reader->err);
}
