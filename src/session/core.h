// attnscope as a library: steps through one scenario by typed commands, and gives access to all its numbers,
// without terminal, window or process. A page in a browser or a notebook can use it. This is the only header
// needed.
//
// Life cycle: core_open; core_do ...; core_close. Returned texts and numbers are valid until the next core_do or
// core_close. A Core may be used by one thread at a time.
#ifndef CORE_H
#define CORE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Core Core;

// Opens a scenario by name ("padded-batch"), number of a document ("000") or file ("my.yaml"), and computes its
// first step. Returns NULL and sets `error` if there is none, or no memory.
enum { CORE_ERROR_MAX = 1024 };
Core *core_open(const char *scenario, char error[CORE_ERROR_MAX]);

// Accepts NULL.
void core_close(Core *core);

// Runs a command: "next", "goto softmax", "set attention.mask=causal", "@[0, 1, 2, 0]"; the stepper's help lists
// them. Returns false, with nothing changed, if it names something that does not exist. core_message has the
// message or error.
bool core_do(Core *core, const char *words);
const char *core_message(const Core *core);

// The number of steps, the current step (from 0), and the name of a step.
int core_steps(const Core *core);
int core_step(const Core *core);
const char *core_step_name(Core *core, int step);

// A tensor in memory: element (i, j, ...) is numbers[offset + i * stride[0] + j * stride[1] ...], of type
// "float32", "int64" or "bool".
enum { CORE_RANK_MAX = 6 };

typedef struct CoreTensor {
    const char *name;
    const char *axes; // "B H Lq Lk": a word for each axis
    const char *type;
    int rank;
    ptrdiff_t shape[CORE_RANK_MAX], stride[CORE_RANK_MAX], offset;
    const void *numbers; // NULL: not computed yet
} CoreTensor;

// The number of tensors, including inputs and weights, and each of them; the current tensor, and the index of its
// chosen element.
int core_tensors(const Core *core);
CoreTensor core_tensor(const Core *core, int tensor);
int core_looked_at(const Core *core);
const ptrdiff_t *core_chosen(const Core *core);

#endif
