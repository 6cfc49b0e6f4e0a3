// The C code of every stage as its source file has it, compiled in as text: a stage's definition and
// the functions it is made of, from the first one of its section up to STAGE_run.
//
// list_code.c takes it from the source files while the program is built, so that what is shown is
// what runs.
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

// The code of a stage by its name; NULL where there is no such stage.
const StageCode *stage_code(const char *stage);

// The number of the line, counted from 0, where the function `name` begins; -1: it is not there.
int stage_code_function(const StageCode *code, const char *name);

// The line that opens the block around a line: a loop, a condition, at last the function; -1: nothing is around it.
int stage_code_around(const StageCode *code, int line);

// The lines of the innermost loop around a line, from `*first` to `*last`; false: it is in none.
bool stage_code_loop(const StageCode *code, int line, int *first, int *last);

// The first line from number `from` on that holds `piece`, else the first one before; -1: none does.
int stage_code_line(const StageCode *code, const char *piece, int from);

#endif
