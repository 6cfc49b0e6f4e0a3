// grading_files: see grading_files.h.
#include "grading_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "shown_name.h"

static int is_source(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 2 && strcmp(entry->d_name + length - 2, ".c") == 0;
}

bool submission_sources(const char *folder, void (*tell)(void *context, const char *name),
                        void *context)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_source, alphasort);
    for (int i = 0; i < count; i++) {
        char shown[SHOWN_NAME_GROWTH * sizeof entries[i]->d_name + 1];
        tell(context, shown_name(entries[i]->d_name, shown));
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return count >= 0 || (errno != ENOMEM && errno != EMFILE && errno != ENFILE);
}
