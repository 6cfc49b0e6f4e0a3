// attnscope in somebody else's program: one scenario, stepped through by the words that people type,
// and every number of it. No terminal, no window, no process: those are views of the same thing, and
// so may be a page in a browser or a notebook. This is the only header that it takes.
//
// Life cycle: core_open; core_do ...; core_close. What is returned as a text or as numbers stays until
// the next core_do or core_close. One Core is used by one thread at a time.
#ifndef CORE_H
#define CORE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Core Core;

// A scenario by its name ("padded-batch"), by a document's number ("000") or from a file ("my.yaml");
// its first step is computed. NULL, with a sentence in `error`, when there is no such scenario or no
// memory.
enum { CORE_ERROR_MAX = 1024 };
Core *core_open(const char *scenario, char error[CORE_ERROR_MAX]);

// Accepts NULL.
void core_close(Core *core);

// Does what the words say: "next", "goto softmax", "set attention.mask=causal", "@[0, 1, 2, 0]"; `help`
// of the stepper lists them. False when they name something that is not there; nothing has changed
// then. What there is to say, of a refusal too, is core_message.
bool core_do(Core *core, const char *words);
const char *core_message(const Core *core);

// The step where it stands, of `core_steps`, counted from 0, and the name of any of them.
int core_steps(const Core *core);
int core_step(const Core *core);
const char *core_step_name(Core *core, int step);

// A tensor as it lies in memory: element (i, j, ...) is at offset + i * stride[0] + j * stride[1] ...
// of `numbers`, whose type is `type`: "float32", "int64" or "bool".
enum { CORE_RANK_MAX = 6 };

typedef struct CoreTensor {
    const char *name;
    const char *axes; // "B H Lq Lk"; as many words as there are axes
    const char *type;
    int rank;
    ptrdiff_t shape[CORE_RANK_MAX], stride[CORE_RANK_MAX], offset;
    const void *numbers; // NULL: not computed yet
} CoreTensor;

// How many tensors there are, inputs and weights included, and each of them; the one that is looked
// at, and the index of its chosen element.
int core_tensors(const Core *core);
CoreTensor core_tensor(const Core *core, int tensor);
int core_looked_at(const Core *core);
const ptrdiff_t *core_chosen(const Core *core);

#endif
