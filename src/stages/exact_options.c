// exact_options: the options that a scenario means; see exact.h.
#include "exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The shortest decimal number whose nearest float32 this is.
static double meant(float number)
{
    char text[32];
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)number);
        if (strtof(text, NULL) == number)
            return strtod(text, NULL);
    }
    return (double)number;
}

static double meant_scale(float scale, const char *name)
{
    double square = rint((double)scale * (double)scale);
    bool is_root = name && strncmp(name, "sqrt", 4) == 0 && (float)sqrt(square) == scale;
    return is_root ? sqrt(square) : meant(scale);
}

#define MEANT_FLAG(value) (value)
#define MEANT_WHOLE(value) (value)
#define MEANT_SIZE(value) (value)
#define MEANT_NUMBER(value) meant(value)
#define MEANT_EXACT(value) (value)
#define MEANT_SEED(value) (value)
#define MEANT_NAME(value) (value)
#define KEYED_OPTION(name, KIND, ...) STAGE_OPTION(name, KIND)

ExactOptions exact_options(const StageOptions *options)
{
    ExactOptions exact = {
#define STAGE_OPTION(name, KIND) .name = MEANT_##KIND(options->name),
#include "options.def"
#undef STAGE_OPTION
    };
    exact.scale = meant_scale(options->scale, options->scale_name);
    return exact;
}
