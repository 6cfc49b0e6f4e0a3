// Complete output or an error: standard output, and text in memory; see written.h.
#include "written.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "base_words.def"

// --- standard output

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
    char text[4096]; // on the stack: memory may be what is missing
    vsnprintf(text, sizeof text, format, arguments);
    words_settle(text, sizeof text);
    fprintf(stderr, "attnscope: %s\n", text);
}

// --- memory

bool written_begin(Written *written, Error *err)
{
    *written = (Written){.out = NULL};
    written->out = open_memstream(&written->text, &written->length);
    return written->out || error_machine(err, TELL(TEXT_NO_MEMORY));
}

bool written_end(Written *written, Error *err)
{
    bool whole = written->out && !ferror(written->out);
    if (written->out && fclose(written->out) != 0)
        whole = false;
    written->out = NULL;
    if (whole && written->text)
        return true;
    written_drop(written);
    return error_machine(err, TELL(TEXT_NO_MEMORY));
}

void written_drop(Written *written)
{
    if (written->out)
        fclose(written->out);
    free(written->text);
    *written = (Written){.out = NULL};
}
