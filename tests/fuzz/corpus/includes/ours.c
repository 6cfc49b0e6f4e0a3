#include "attnscope.h"
#include "mine.h"
#include <math.h>
#if __has_include(<tgmath.h>)
#endif
#line 7 "solution.c"
/* # 1 "x.c" */ # /* it */ 1 "x.c"
int scale; // "
