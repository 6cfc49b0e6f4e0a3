// stage: the table made from stages.def; see stage.h.
#include "stage.h"

#include <string.h>

#define STAGE(name) extern const Stage stage_##name;
#include "stages.def"
#undef STAGE

static const Stage *const pipeline[] = {
#define STAGE(name) &stage_##name,
#include "stages.def"
#undef STAGE
};

enum { PIPELINE_LENGTH = sizeof pipeline / sizeof *pipeline };

const Stage *stage_get(int number)
{
    return number >= 0 && number < PIPELINE_LENGTH ? pipeline[number] : NULL;
}

const Stage *stage_find(const char *name)
{
    for (int i = 0; i < PIPELINE_LENGTH; i++)
        if (strcmp(pipeline[i]->name, name) == 0)
            return pipeline[i];
    return NULL;
}
