// The process that draws, seen from the one that started it: where its program is, how it is
// started and how it ended.
#ifndef WINDOW_CHILD_H
#define WINDOW_CHILD_H

#include <stdbool.h>
#include <sys/types.h>
#include "error.h"

#endif
