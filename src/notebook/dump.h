// A notebook's dump beside a trace: which of its tensors stands for which of the trace's.
//
// Names are a person's own. A tensor is matched by the map that the person gives, by its name or one
// that people use for it (dump_names.def), by its numbers, and at last by its shape alone.
#ifndef DUMP_H
#define DUMP_H

#include "tensor_file.h"
#include "trace.h"

typedef enum DumpMatch {
    DUMP_NOT, // nothing of the trace
    DUMP_BY_MAP,
    DUMP_BY_NAME,
    DUMP_BY_VALUE,
    DUMP_BY_MISTAKE, // its numbers are what a known mistake makes there
    DUMP_AGAIN,      // the numbers of one that was matched, under another name
    DUMP_BY_SHAPE,   // the only one of its shape that was left
} DumpMatch;

typedef struct DumpTensor {
    const char *name;
    Tensor tensor;
    DumpMatch match;
    int number; // of the trace's tensor; -1
} DumpTensor;

enum { DUMP_TENSORS_MAX = 256 };

typedef struct Dump {
    DumpTensor tensors[DUMP_TENSORS_MAX];
    int count;
} Dump;

// 'q', 'k', 'v' or 'o' where a name says that a tensor or its layer is for one of these; else 0.
char dump_role(const char *name);

// The role of one of the first three layers of a list ("linears.2.weight") where no name says another; else 0.
char dump_role_in_list(const char *name);

// True if two such names are of one module: "heads.0.query.weight" and "heads.0.key".
bool dump_are_together(const char *one, const char *other);

// Such a letter where the name is only it and a number, "v07"; else 0.
char dump_numbered(const char *name);

// True if a name is that of a weight, or of a bias: a hint where numbers and shapes leave it open.
typedef enum DumpPart { DUMP_PART_WEIGHT, DUMP_PART_BIAS } DumpPart;
bool dump_is_part(const char *name, DumpPart part);

// Reads all tensors of a file; they live in the arena.
bool dump_read(const char *path, Dump *dump, Arena *arena, Error *err);

// Whether one of the dump's tensors is matched with this one of the trace's.
bool dump_is_taken(const Dump *dump, int number);

// Puts the dump's own inputs and weights in the place of the scenario's, where map or name tell them
// and the shape is the same. The result is how many. The scenario's trace must not have run.
int dump_put_inputs(const Dump *dump, const char *map, Scenario *scenario);

// Matches tensors with those of a trace that has run, by map, names and numbers. `map` is "theirs=ours,theirs=ours"; NULL.
// False, with a sentence, where it names a tensor that is not there.
bool dump_match(Dump *dump, const char *map, const Trace *trace, Error *err);

// Matches what is left: one that was matched, again under another name; the only one of its shape.
void dump_match_shapes(Dump *dump, const Trace *trace);

#endif
