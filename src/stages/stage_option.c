// stage_option: the table made from options.def; see stage_option.h.
#include "stage_option.h"

#include <string.h>

#define ROW(name, KIND) \
#name, OPTION_KIND_##KIND, offsetof(StageOptions, name), sizeof((StageOptions *)NULL)->name
static const StageOption rows[] = {
#define STAGE_OPTION(name, KIND) {ROW(name, KIND), NULL, 0.0, 0.0, 0.0},
#define KEYED_OPTION(name, KIND, section, least, most, usual, example, words, korean) \
    {ROW(name, KIND), section, least, most, usual},
#include "options.def"
#undef KEYED_OPTION
#undef STAGE_OPTION
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

#define VALUE_FLAG(value) (double)(value)
#define VALUE_WHOLE(value) (double)(value)
#define VALUE_SIZE(value) (double)(value)
#define VALUE_NUMBER(value) (double)(value)
#define VALUE_EXACT(value) (double)(value)
#define VALUE_SEED(value) (double)(value)
#define VALUE_NAME(value) (double)((value) != NULL)

bool stage_option_value(const char *name, const StageOptions *options, double *value)
{
#define KEYED_OPTION(option, KIND, ...) STAGE_OPTION(option, KIND)
#define STAGE_OPTION(option, KIND) \
    if (strcmp(name, #option) == 0) { \
        *value = VALUE_##KIND(options->option); \
        return true; \
    }
#include "options.def"
#undef KEYED_OPTION
#undef STAGE_OPTION
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
