// mistake_reason: the texts of mistake_reasons.def in both languages; see mistake_reason.h.
#include "mistake_reason.h"

#include "mistake.h"

#define REASON(name, english, korean) const char reason_##name[] = english;
#include "mistake_reasons.def"
#undef REASON

static const char *const reasons[][LANGUAGES] = {
#define REASON(name, english, korean) {reason_##name, korean},
#include "mistake_reasons.def"
#undef REASON
};

const char *mistake_reason(const char *reason, Language language)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i][MISTAKE_EN] == reason)
            return reasons[i][language];
    return reason;
}
