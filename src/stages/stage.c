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

bool stage_is_backward(const Stage *stage)
{
    return stage->calls[0].of != NULL;
}

// Bits, because a mask value may be NaN.
static bool float_differs(float a, float b)
{
    return memcmp(&a, &b, sizeof a) != 0;
}

static bool adam_differs(const StageOptions *a, const StageOptions *b)
{
    return float_differs(a->rate, b->rate) || float_differs(a->beta1, b->beta1) ||
           float_differs(a->beta2, b->beta2) || float_differs(a->epsilon, b->epsilon) ||
           a->update != b->update;
}

bool stage_options_differ(const Stage *stage, const StageOptions *a, const StageOptions *b)
{
    return ((stage->options & OPTION_PAD_ID) && a->pad_id != b->pad_id) ||
           ((stage->options & OPTION_SCALE) && float_differs(a->scale, b->scale)) ||
           ((stage->options & OPTION_MASK) &&
            (a->causal != b->causal || a->mask_padding != b->mask_padding ||
             float_differs(a->mask_value, b->mask_value))) ||
           ((stage->options & OPTION_DROPOUT) &&
            (a->dropout_p != b->dropout_p || a->dropout_seed != b->dropout_seed)) ||
           ((stage->options & OPTION_ADAM) && adam_differs(a, b));
}
