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
