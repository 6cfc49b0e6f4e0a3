// What lies in the folder of a submission: names that can be shown.
#ifndef GRADING_FILES_H
#define GRADING_FILES_H

#include <stdbool.h>

// Calls `tell` for each C file in a folder, with its name as it can be shown. False
// when this machine could not look into it now.
bool submission_sources(const char *folder, void (*tell)(void *context, const char *name),
                        void *context);

#endif
