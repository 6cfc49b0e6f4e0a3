// Put before every stage when the stages are compiled a second time, for exact.h: the very same loops,
// with double in place of float. What the C library declares keeps its types, since it comes first.
#ifndef WIDEN_H
#define WIDEN_H

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
// Hiding the keyword is what this file is for.
#pragma clang diagnostic ignored "-Wkeyword-macro"
#endif
// libm's exp: its last bits may differ between systems, far below what a float32 can show.
#define float double
#define fmaf fma
#define sqrtf sqrt
#define exponential exp

#endif
