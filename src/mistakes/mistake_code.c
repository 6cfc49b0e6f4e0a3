// mistake_code: finding code in the table that list_code.c wrote; see mistake_code.h.
#include "mistake_code.h"

#include "mistake_bank.h"

static bool has_stage(const Mistake *mistake, const Stage *stage)
{
    for (const Stage *const *other = mistake->stages; *other; other++)
        if (*other == stage)
            return true;
    return false;
}

// The table of code has an element for each line MISTAKE or FAMILY.
const StageCode *mistake_code_of_file(const Stage *stage)
{
    for (int i = 0; mistake_get(i); i++)
        if (has_stage(mistake_get(i), stage) && mistake_file(i) >= 0)
            return &mistake_codes[mistake_file(i)];
    return NULL;
}
