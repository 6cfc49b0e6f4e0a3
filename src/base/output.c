// output: see output.h.
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include "base_words.h"

bool output_finish(Error *err)
{
    errno = 0;
    bool arrived = !ferror(stdout);
    if (fclose(stdout) != 0)
        arrived = false;
    return arrived || error_set(err, TELL(OUTPUT_LOST), error_reason(errno));
}

void output_say(const char *format, va_list arguments)
{
    fflush(stdout);
    char text[4096]; // no memory is asked for: it may be what is missing
    vsnprintf(text, sizeof text, format, arguments);
    words_settle(text, sizeof text);
    fprintf(stderr, "attnscope: %s\n", text);
}
