%: /* here */ incl\
ude "../../right/exercises/scale.c"
