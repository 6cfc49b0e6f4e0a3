// mistake_scale: see mistake_scale.h.
#include "mistake_scale.h"

#include "mistake_reason.h"

bool mistake_scale_run(StageArgs *args, float divisor, Error *err)
{
    StageArgs other = *args;
    StageOptions options = *args->options;
    options.scale = divisor;
    other.options = &options;
    return stage_find("scale")->run(&other, err);
}

void mistake_scale_origin(const StageArgs *args, float divisor, int slot, const ptrdiff_t at[],
                          TermVisit *visit, void *context)
{
    StageArgs other = *args;
    StageOptions options = *args->options;
    options.scale = divisor;
    other.options = &options;
    stage_find("scale")->origin(&other, slot, at, visit, context);
}

const Words *mistake_scale_cannot_show(const Scenario *scenario, float divisor)
{
    if (!scenario->scaled)
        return &reason_no_scale;
    return divisor == scenario->options.scale ? &reason_same_divisor : NULL;
}
