// stage: the table made from stages.def; see stage.h.
#include "stage.h"
#include "stage_option.h"

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

bool stage_is_backward(const Stage *stage)
{
    return stage->calls[0].of != NULL;
}

bool stage_is_needed(const Stage *stage, const StageOptions *options)
{
    const StageOption *option;
    for (int i = 0; (option = stage_option_get(i)) != NULL; i++)
        if ((stage->needs & (1u << i)) && !stage_option_is_on(option, options))
            return false;
    return true;
}

bool stage_options_differ(const Stage *stage, const StageOptions *a, const StageOptions *b)
{
    const StageOption *option;
    for (int i = 0; (option = stage_option_get(i)) != NULL; i++)
        if ((stage->options & (1u << i)) && stage_option_differs(option, a, b))
            return true;
    return false;
}
