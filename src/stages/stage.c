// The tables made from stages.def and options.def; see stage.h. Also the exact values of options, for
// exact.h.
#include "stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exact.h"

// --- stages

#define STAGE(name) extern const Stage stage_##name;
#include "stages.def"

static const Stage *const pipeline[] = {
#define STAGE(name) &stage_##name,
#include "stages.def"
};

static const StagePlace places[] = {
#define STAGE(name) {&stage_##name, false},
#define LAYER_STAGE(name) {&stage_##name, true},
#define AGAIN(name) LAYER_STAGE(name)
#define LAST_AGAIN(name) STAGE(name)
#include "stages.def"
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
    OptionSet asked = stage->needs | stage->unless;
    for (int i = 0; asked; i++, asked >>= 1)
        if ((asked & 1) &&
            stage_option_is_on(stage_option_get(i), options) != (stage->needs >> i & 1))
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

// --- options

#define ROW(name, KIND) \
#name, OPTION_KIND_##KIND, offsetof(StageOptions, name), sizeof((StageOptions *)NULL)->name
static const StageOption rows[] = {
#define STAGE_OPTION(name, KIND) {ROW(name, KIND), NULL, 0.0, 0.0, 0.0},
#define KEYED_OPTION(name, KIND, section, least, most, usual, example, words, korean) \
    {ROW(name, KIND), section, least, most, usual},
#include "options.def"
};

const StageOption *stage_option_get(int number)
{
    return number < STAGE_OPTION_COUNT ? &rows[number] : NULL;
}

static const unsigned char *field(const StageOption *option, const StageOptions *options)
{
    return (const unsigned char *)options + option->place;
}

bool stage_option_is_on(const StageOption *option, const StageOptions *options)
{
    static const unsigned char off[sizeof(double)] = {0};
    return memcmp(field(option, options), off, option->size) != 0;
}

bool stage_option_differs(const StageOption *option, const StageOptions *a, const StageOptions *b)
{
    return option->kind != OPTION_KIND_NAME &&
           memcmp(field(option, a), field(option, b), option->size) != 0;
}

bool stage_option_value(const char *name, const StageOptions *options, double *value)
{
#define STAGE_OPTION(option, KIND) \
    if (strcmp(name, #option) == 0) { \
        *value = STAGE_OPTION_VALUE(options->option); \
        return true; \
    }
#include "options.def"
    return false;
}

void stage_option_set(const StageOption *option, StageOptions *options, double value)
{
    unsigned char *to = (unsigned char *)options + option->place;
    bool flag = value != 0.0;
    ptrdiff_t size = (ptrdiff_t)value;
    float number = (float)value;
    const void *from = option->kind == OPTION_KIND_FLAG   ? (const void *)&flag
                       : option->kind == OPTION_KIND_SIZE ? (const void *)&size
                                                          : (const void *)&number;
    memcpy(to, from, option->size);
}

// --- options as they are meant

// The shortest decimal number whose nearest float32 is this one.
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

ExactOptions exact_options(const StageOptions *options)
{
    ExactOptions exact = {
#define STAGE_OPTION(name, KIND) .name = MEANT_##KIND(options->name),
#include "options.def"
    };
    exact.scale = meant_scale(options->scale, options->scale_name);
    return exact;
}
