#define PLACE(x) <x/lessons/exercises/09-scale/solution.c>
#include PLACE(@SOURCE@)
