# 1 "@SOURCE@/lessons/exercises/09-scale/solution.c"
int wrong = ;
