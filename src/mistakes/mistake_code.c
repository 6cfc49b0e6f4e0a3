// mistake_code: finding code in the table that list_code.c wrote; see mistake_code.h.
#include "mistake_code.h"

#include "mistake.h"

static bool has_stage(const Mistake *mistake, const Stage *stage)
{
    for (const Stage *const *other = mistake->stages; *other; other++)
        if (*other == stage)
            return true;
    return false;
}

// Both tables are made from mistakes.def.
const StageCode *mistake_code(const Stage *stage)
{
    for (int i = 0; i < mistake_code_count; i++)
        if (has_stage(mistake_get(i), stage))
            return &mistake_codes[i];
    return NULL;
}
