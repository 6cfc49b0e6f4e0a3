// What a file's name tells of the exercise that is in it, where it is not "causal-mask.c" itself.
#ifndef EXERCISE_NAME_H
#define EXERCISE_NAME_H

#include "exercise_list.h"

// Whether a text begins with this name, or with that of its function ("causal_mask"), in any letters.
bool exercise_name_begins(const char *text, const char *name);

// The exercise that a file is clearly for: "Scale.c", "causal_mask.c", and copies as browsers, platforms
// and people number them, "scale (1).c", "scale-1.c", "scale_1.c". -1: none.
int exercise_name_find(const ExerciseList *list, const char *file);

// The exercise that a file may be meant for: "scal.c", "scale.c.txt". -1: none.
int exercise_name_near(const ExerciseList *list, const char *file);

#endif
