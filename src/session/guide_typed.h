// What a person typed as an answer: read, judged against the answer that the trace gives, and a hint
// where it is wrong. Only the files of the guide include this.
#ifndef GUIDE_TYPED_H
#define GUIDE_TYPED_H

#include "guide.h"

typedef struct GuideTyped {
    int count;
    double numbers[REFERENCE_VALUES_MAX];
    int decimals; // of the last number
} GuideTyped;

typedef enum GuideVerdict {
    VERDICT_WRONG,
    VERDICT_RIGHT,
    VERDICT_WITHOUT_BATCH, // right, but for an axis of one sequence that was left out
} GuideVerdict;

// False, with what is wanted, when the text is no answer to this kind of question: no try then.
bool guide_read_typed(const Guide *guide, const char *text, GuideTyped *typed, Error *err);

GuideVerdict guide_judge(const Guide *guide, const GuideTyped *typed, const ReferenceValue *answer);

// Something about a wrong answer that does not give the right one away.
enum { GUIDE_HINT_MAX = 256 };
const char *guide_hint(const Guide *guide, const GuideTyped *typed, const ReferenceValue *answer,
                       char text[GUIDE_HINT_MAX]);

#endif
