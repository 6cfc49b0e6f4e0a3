// The record of a fence: a line that names the parts that stand, "a process of its own, limits, files
// (Landlock 7)". It is kept with a verdict; worker_fence_tell makes words of it.
#ifndef FENCE_RECORD_H
#define FENCE_RECORD_H

typedef enum FencePart {
#define FENCE_PART(NAME, recorded, english, korean) FENCE_PART_##NAME,
#include "fence_parts.def"
#undef FENCE_PART
    FENCE_PARTS
} FencePart;

// What a record calls a part.
const char *fence_recorded(FencePart part);

#endif
