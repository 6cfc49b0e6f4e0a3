// stage: the table made from stages.def; see stage.h.
#include "stage.h"
#include "stage_option.h"

#include <string.h>

#define LAYER_STAGE(name) STAGE(name)
#define AGAIN(name)
#define LAST_AGAIN(name)
#define STAGE(name) extern const Stage stage_##name;
#include "stages.def"
#undef STAGE

static const Stage *const pipeline[] = {
#define STAGE(name) &stage_##name,
#include "stages.def"
#undef STAGE
};
#undef LAYER_STAGE
#undef AGAIN
#undef LAST_AGAIN

static const StagePlace places[] = {
#define STAGE(name) {&stage_##name, false},
#define LAYER_STAGE(name) {&stage_##name, true},
#define AGAIN(name) LAYER_STAGE(name)
#define LAST_AGAIN(name) STAGE(name)
#include "stages.def"
#undef STAGE
#undef LAYER_STAGE
#undef AGAIN
#undef LAST_AGAIN
};

enum {
    PIPELINE_LENGTH = sizeof pipeline / sizeof *pipeline,
    PLACES = sizeof places / sizeof *places
};

const Stage *stage_get(int number)
{
    return number >= 0 && number < PIPELINE_LENGTH ? pipeline[number] : NULL;
}

const StagePlace *stage_place(int number)
{
    return number >= 0 && number < PLACES ? &places[number] : NULL;
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
        if ((stage->needs & OPTION_AT(i)) && !stage_option_is_on(option, options))
            return false;
        else if ((stage->unless & OPTION_AT(i)) && stage_option_is_on(option, options))
            return false;
    return true;
}

const StageForm *stage_form(const Stage *stage, const StageOptions *options)
{
    const StageOption *option;
    for (int i = 0; (option = stage_option_get(i)) != NULL; i++)
        if ((stage->form.option & OPTION_AT(i)) && stage_option_is_on(option, options))
            return &stage->form;
    return NULL;
}

bool stage_options_differ(const Stage *stage, const StageOptions *a, const StageOptions *b)
{
    const StageOption *option;
    for (int i = 0; (option = stage_option_get(i)) != NULL; i++)
        if ((stage->options & OPTION_AT(i)) && stage_option_differs(option, a, b))
            return true;
    return false;
}
