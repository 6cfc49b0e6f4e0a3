// The rows of options.def, for whoever reads, compares or lists the options of stages without knowing
// any of them by name.
#ifndef STAGE_OPTION_H
#define STAGE_OPTION_H

#include "stage.h"

typedef enum OptionKind {
    OPTION_KIND_FLAG,
    OPTION_KIND_WHOLE,
    OPTION_KIND_SIZE,
    OPTION_KIND_NUMBER,
    OPTION_KIND_EXACT,
    OPTION_KIND_SEED,
    OPTION_KIND_NAME
} OptionKind;

typedef struct StageOption {
    const char *name;
    OptionKind kind;
    size_t place, size;  // of its field in StageOptions, in bytes
    const char *section; // of a scenario file, where it is given by its name; NULL: by another form
    double least, most, usual; // what the file may say, and what holds where it says nothing
} StageOption;

// The row of that number; NULL beyond the last one.
const StageOption *stage_option_get(int number);

// Whether it is neither 0 nor false.
bool stage_option_is_on(const StageOption *option, const StageOptions *options);

// Whether the two differ in it: in any bit, because a mask value may be NaN.
bool stage_option_differs(const StageOption *option, const StageOptions *a, const StageOptions *b);

// What the option with this name is as a number; of one that is a text, whether there is one. False where there
// is no such option.
bool stage_option_value(const char *name, const StageOptions *options, double *value);

// Sets a flag, size or number (of a row with a section) to a value that it can hold.
void stage_option_set(const StageOption *option, StageOptions *options, double value);

#endif
