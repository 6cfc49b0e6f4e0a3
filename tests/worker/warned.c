// Right, with a variable that nobody uses.
#include "score.c"

static int unused_number;
