// What lies in a folder of submissions, as far as it can be trusted: names that can be shown, and a
// word about what is no submission's own files.
#ifndef GRADING_FILES_H
#define GRADING_FILES_H

#include <sys/types.h>
#include "arena.h"
#include "exercise_words.h"

typedef struct Submission {
    const char *path;     // of its folder
    const char *name;     // as it can be shown (shown_name.h)
    ExerciseWord refusal; // why nothing in it is judged; EXERCISE_SAYS_COUNT: it is
    pid_t process;        // that judges it; 0: none
    bool is_lost;         // that process was ended before it was done
} Submission;

// The folders in `folder`, sorted by name; in the arena. NULL with a sentence where there is none.
Submission *submissions_find(const char *folder, int *count, Arena *arena, Error *err);

// Calls `tell` for each C file in a folder, with its name as it can be shown.
void submission_sources(const char *folder, void (*tell)(void *context, const char *name),
                        void *context);

#endif
