// lanes_some: fewer numbers than lanes, for instruction sets that have nothing for it. Included by
// their headers where LANES, lanes_load and lanes_store are known.
#if (defined(LANES_NEON_H) || defined(LANES_PLAIN_H)) && !defined(LANES_SOME_H)
#define LANES_SOME_H

#include <stddef.h>

// from[0 ... count - 1], or as many as there are lanes; `beyond` in lanes that are left
static inline Lanes lanes_load_some(const float *from, ptrdiff_t count, float beyond)
{
    float lane[LANES];
    for (int i = 0; i < LANES; i++)
        lane[i] = i < count ? from[i] : beyond;
    return lanes_load(lane);
}

// to[0 ... count - 1], or as many as there are lanes
static inline void lanes_store_some(float *to, ptrdiff_t count, Lanes a)
{
    float lane[LANES];
    lanes_store(lane, a);
    for (int i = 0; i < LANES && i < count; i++)
        to[i] = lane[i];
}

#endif
