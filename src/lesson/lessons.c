// lessons: see lessons.h.
#include "lessons.h"

#include <stdlib.h>

const char *lessons_folder(int number)
{
    const char *own = getenv("ATTNSCOPE_LESSONS");
    const char *const folders[] = {own, LESSONS_SOURCE, LESSONS_INSTALLED};
    int count = sizeof folders / sizeof *folders, at = number + (own == NULL);
    return at < count ? folders[at] : NULL;
}
