// exact: the table of the stages that compute in double precision; see exact.h. Like them this file is
// compiled with widen.h, and with names of their own for them.
#include "exact.h"

#define STAGE(name) extern const Stage stage_##name;
#include "stages.def"

static const Stage *const stages[] = {
#define STAGE(name) &stage_##name,
#include "stages.def"
};

static const Stage *find(const char *name)
{
    size_t number = 0;
    while (strcmp(stages[number]->name, name) != 0) {
        number++;
        assert(number < sizeof stages / sizeof *stages);
    }
    return stages[number];
}

bool exact_shapes(const char *stage, void *args, Error *err)
{
    const Stage *exact = find(stage);
    return !exact->shapes || exact->shapes(args, err);
}

bool exact_run(const char *stage, void *args, Error *err)
{
    return find(stage)->run(args, err);
}
