// written: see written.h.
#include "written.h"

#include <stdlib.h>
#include "base_words.h"

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
