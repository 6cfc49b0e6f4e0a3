// mistake_reason: see mistake_reason.h.
#include "mistake_reason.h"

#define REASON(name, english, korean) const Words reason_##name = WORDS(english, korean);
#include "mistake_reasons.def"
#undef REASON
