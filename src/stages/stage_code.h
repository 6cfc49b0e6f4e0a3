// The C source of every stage, compiled in as text: its functions from the first one of its section
// up to STAGE_run.
//
// list_code.c copies it from the source files during the build, so the code shown is the code that
// runs.
#ifndef STAGE_CODE_H
#define STAGE_CODE_H

#include <stdbool.h>

typedef struct StageCode {
    const char *stage;        // "softmax"
    const char *file;         // "softmax.c"
    int first_line;           // of the source file, counted from 1
    const char *const *lines; // `count` of them, without their newlines
    int count;
} StageCode;

// In the order of the pipeline, `stage_code_count` of them.
extern const StageCode stage_codes[];
extern const int stage_code_count;

// The code of a stage by name; NULL if there is no such stage.
const StageCode *stage_code(const char *stage);

// The line, counted from 0, where the function `name` begins; -1 if it is missing.
int stage_code_function(const StageCode *code, const char *name);

// The line that opens the block around a line: a loop, a condition or the function; -1 if none does.
int stage_code_around(const StageCode *code, int line);

// The lines of the innermost loop around a line, from `*first` to `*last`; false if there is none.
bool stage_code_loop(const StageCode *code, int line, int *first, int *last);

// The first line from `from` on that contains `piece`, else the first before it; -1 if none does.
int stage_code_line(const StageCode *code, const char *piece, int from);

#endif
