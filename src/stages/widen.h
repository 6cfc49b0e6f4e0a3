// Included before every stage in the second compilation, for exact.h: the same loops with double in
// place of float. The C library's declarations keep their types, since they come first.
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

// describe.c, compiled again with them.
#define term_number exact_term_number
#define term_here exact_term_here
#define term_none exact_term_none
#define term_one exact_term_one
#define term_two exact_term_two
#define term_rule exact_term_rule
#define term_copy exact_term_copy
#define term_add exact_term_add
#define term_factor exact_term_factor
#define term_divide exact_term_divide
#define term_product exact_term_product
#define term_bias exact_term_bias
#define origin_same_place exact_origin_same_place

#endif
