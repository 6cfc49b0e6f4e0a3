// fence_record: see fence_record.h.
#include "fence_record.h"

const char *fence_recorded(FencePart part)
{
    static const char *const names[FENCE_PARTS] = {
#define FENCE_PART(NAME, recorded, english, korean) [FENCE_PART_##NAME] = recorded,
#include "fence_parts.def"
#undef FENCE_PART
    };
    return names[part];
}
