// Where the mistakes stand: a file of their own, or one that is a family's.
#ifndef MISTAKE_BANK_H
#define MISTAKE_BANK_H

#include "mistake.h"

// Which line of mistakes.def mistake `number` comes from, counted from 0; -1 beyond the last one.
int mistake_file(int number);

#endif
