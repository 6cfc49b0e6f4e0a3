// Where the mistakes stand: a file of their own, or one that is a family's.
#ifndef MISTAKE_BANK_H
#define MISTAKE_BANK_H

#include "mistake_code.h"
#include "mistake.h"

// Which of the files that mistakes.def names has mistake `number`, counted from 0; -1: none, it is a row.
int mistake_file(int number);

// The code of a stage that a file has; NULL: none has it.
const StageCode *mistake_code_of_file(const Stage *stage);

#endif
