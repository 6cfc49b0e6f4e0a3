// grade_get, grade_find: the exercises, in the order of lessons/exercises/exercises.txt.
#include <string.h>
#include "grade_internal.h"

#define GRADE(x, version) extern const GradeExercise grade_##x;
#include "grade_exercises.def"
#undef GRADE

static const GradeExercise *const exercises[] = {
#define GRADE(x, version) &grade_##x,
#include "grade_exercises.def"
#undef GRADE
};

static const char *const versions[] = {
#define GRADE(x, version) version,
#include "grade_exercises.def"
#undef GRADE
};

const GradeExercise *grade_get(int number)
{
    int count = sizeof exercises / sizeof *exercises;
    return number >= 0 && number < count ? exercises[number] : NULL;
}

const GradeExercise *grade_find(const char *name)
{
    for (int i = 0; grade_get(i); i++)
        if (strcmp(grade_get(i)->name, name) == 0)
            return grade_get(i);
    return NULL;
}

const char *grade_version(const GradeExercise *exercise)
{
    for (int i = 0; grade_get(i); i++)
        if (grade_get(i) == exercise)
            return versions[i];
    return NULL;
}
