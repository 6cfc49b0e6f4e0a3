// grade_list: the exercises, in the order of lessons/exercises/exercises.txt.
// An exercise that is called as a function of this floor does not compile: therefore all its headers.
#include <string.h>
#include "grade_internal.h"
#include "grade_naming.h"
#include "grade_property.h"
#include "grade_run.h"
#include "grade_shrink.h"
#include "grade_trust.h"

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

static const GradeExercise *get(int number)
{
    int count = sizeof exercises / sizeof *exercises;
    return number >= 0 && number < count ? exercises[number] : NULL;
}

const GradeExercise *grade_find(const char *name)
{
    for (int i = 0; get(i); i++)
        if (strcmp(get(i)->name, name) == 0)
            return get(i);
    return NULL;
}

const char *grade_version(const GradeExercise *exercise)
{
    for (int i = 0; get(i); i++)
        if (get(i) == exercise)
            return versions[i];
    return NULL;
}
