// mistake: the table made from mistakes.def; see mistake.h.
#include "mistake.h"

#include <string.h>
#include "mistake_reason.h"

#define MISTAKE(name) extern const Mistake mistake_##name;
#include "mistakes.def"
#undef MISTAKE

static const Mistake *const bank[] = {
#define MISTAKE(name) &mistake_##name,
#include "mistakes.def"
#undef MISTAKE
};

enum { BANK_LENGTH = sizeof bank / sizeof *bank };

const Mistake *mistake_get(int number)
{
    return number >= 0 && number < BANK_LENGTH ? bank[number] : NULL;
}

const Mistake *mistake_find(const char *name)
{
    for (int i = 0; i < BANK_LENGTH; i++)
        if (strcmp(bank[i]->name, name) == 0)
            return bank[i];
    return NULL;
}

bool mistake_is_backward(const Mistake *mistake)
{
    return stage_is_backward(mistake->stages[0]);
}

const Words *mistake_cannot_show(const Mistake *mistake, const Scenario *scenario)
{
    if (mistake_is_backward(mistake) && !scenario->backward)
        return &reason_no_backward;
    return mistake->cannot_show ? mistake->cannot_show(scenario) : NULL;
}
