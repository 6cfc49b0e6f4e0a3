#include "../../right/exercises/scale.c"
