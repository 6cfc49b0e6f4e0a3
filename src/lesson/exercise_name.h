// What a file's name tells of the exercise that is in it, where it is not "causal-mask.c" itself.
#ifndef EXERCISE_NAME_H
#define EXERCISE_NAME_H

#include "exercise_list.h"

// Whether a text begins with this name, or with that of its function ("causal_mask"), in any letters.
bool exercise_name_begins(const char *text, const char *name);

// The exercise that a file is clearly for: its name has that of one exercise in it, as words of their own:
// "Scale.c", "causal_mask.c", "scale (1).c", "scale - Copy.c", "scale_final.c", "kim_scale.c", "scale.c.txt".
// Not "scale_test.c", nor what names two exercises. -1: none. The second says where in the name it begins.
int exercise_name_find(const ExerciseList *list, const char *file);
int exercise_name_within(const ExerciseList *list, const char *file, size_t *before);

// Whether a text in C defines the function of an exercise: what names no exercise may hold several.
bool exercise_name_defines(const char *text, const char *name);

// Of two files for one exercise the later version, as their names say it, has the larger number.
long exercise_name_version(const char *file);

// The exercise that a file may be meant for: "scal.c", "scale.c.txt". -1: none.
int exercise_name_near(const ExerciseList *list, const char *file);

#endif
