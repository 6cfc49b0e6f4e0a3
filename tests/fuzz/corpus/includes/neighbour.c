#inc\
lude "../../bert/scale.c"
