// What a reference of a lecture says of a trace that has run to its end.
#ifndef REFERENCE_VALUE_H
#define REFERENCE_VALUE_H

#include "reference.h"
#include "trace.h"

enum { REFERENCE_VALUES_MAX = 64, REFERENCE_TEXT_MAX = 1024 };

typedef struct ReferenceValue {
    int count;
    double numbers[REFERENCE_VALUES_MAX];
    int tied; // of argmax: a later place with the same largest number; 0: there is none
    char text[REFERENCE_TEXT_MAX]; // as the screen writes it: "0.3473", "(1, 3, 4)", "[0.5, 0.5]"
} ReferenceValue;

// False when the trace has no such tensor (with the nearest name) or element (with the shape). The
// reference's scenario is the caller's business.
bool reference_value(const Trace *trace, const Reference *reference, ReferenceValue *value,
                     Error *err);

// Whether two values are the same, up to the rounding of a float32 sum: 1e-5.
bool reference_values_equal(const ReferenceValue *a, const ReferenceValue *b);

#endif
