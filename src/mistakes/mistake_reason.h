// Why a mistake cannot show in a scenario: the texts of mistake_reasons.def.
#ifndef MISTAKE_REASON_H
#define MISTAKE_REASON_H

#include "words.h"

#define REASON(name, english, korean) extern const Words reason_##name;
#include "mistake_reasons.def"
#undef REASON

#endif
