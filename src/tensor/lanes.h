// Float32 numbers side by side: with lanes_*.h the only place for instructions of one machine.
//
// lanes_plain.h says in C what each operation does to every lane; the others do the same with the
// instructions of a machine. So a kernel written with lanes gives the bits of the plain loop. How
// many lanes there are depends on the instruction set that the including file is compiled for; 16
// is always a multiple of it.
#ifndef LANES_H
#define LANES_H

#if defined(__AVX512F__)
#include "lanes_avx512.h"
#elif defined(__AVX2__) && defined(__FMA__)
#include "lanes_avx2.h"
#elif defined(__aarch64__) && !defined(KERNEL_PLAIN)
#include "lanes_neon.h"
#else
#include "lanes_plain.h"
#endif

#endif
