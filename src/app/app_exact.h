// attnscope print --exact: float64 beside float32.
#ifndef APP_EXACT_H
#define APP_EXACT_H

#include <jansson.h>
#include "app.h"
#include "trace_exact.h"

// How far each number tensor that a step has written is from the one that float64 gives, for this step
// alone and since the inputs; `since` has run the same steps. False with a sentence.
bool app_print_exact_step(const TraceExact *since, int step, FILE *out, Error *err);

// Element after element of one tensor, float32 and float64.
bool app_print_exact_tensor(const TraceExact *since, int tensor, FILE *out, Error *err);

// {"step": {...}, "inputs": {...}}; null where a tensor has no such numbers. NULL with a sentence.
json_t *app_exact_json(const TraceExact *since, int tensor, Error *err);

#endif
