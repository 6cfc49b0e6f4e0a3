// The C code of every mistake as its source file has it, compiled in as text: from the first function
// up to where its origin is told. list_code.c (floor stages) takes it from there.
#ifndef MISTAKE_CODE_H
#define MISTAKE_CODE_H

#include "stage.h"
#include "stage_code.h"

// In the order of mistakes.def; `stage` is the name of the file, which a family's mistakes share.
extern const StageCode mistake_codes[];
extern const int mistake_code_count;

// The code of the mistake that this stage belongs to; NULL for a right stage.
const StageCode *mistake_code(const Stage *stage);

#endif
