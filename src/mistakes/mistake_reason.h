// The texts that say why a mistake cannot show; mistake_reason (mistake.h) has them in Korean.
#ifndef MISTAKE_REASON_H
#define MISTAKE_REASON_H

#define REASON(name, english, korean) extern const char reason_##name[];
#include "mistake_reasons.def"
#undef REASON

#endif
