// app_output: what the program says to the person directly, and whether that arrived; see app.h.
#include "app.h"

#include <stdarg.h>
#include "output.h"

int app_fail(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    output_say(format, arguments);
    va_end(arguments);
    return code;
}

int app_finish_output(void)
{
    Error err = {.text = ""};
    return output_finish(&err) ? APP_DONE : app_fail(APP_FAILED, "%s", err.text);
}
