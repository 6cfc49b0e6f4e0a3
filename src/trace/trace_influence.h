// What an edit reaches of a tensor, as flags; see trace.h. Only trace_change.c and trace_influence.c know it.
#ifndef TRACE_INFLUENCE_H
#define TRACE_INFLUENCE_H

#include "trace_internal.h"

// --- blocks
//
// An edit mostly concerns one sequence of a batch, or one row of weights. Flags and earlier numbers are kept of a
// block: of some places of a tensor's first axis. Both are views of the tensor's whole shape whose memory covers the
// block alone. Where they can, they lie as the tensor does in its storage, so that a view of the tensor has views of
// them.

typedef struct Block {
    ptrdiff_t first, count;
} Block;

static inline Block block_whole(const Tensor *tensor)
{
    return (Block){0, tensor->rank > 0 ? tensor->shape[0] : 1};
}

static inline Block block_of(const TraceChanged *changed)
{
    return (Block){changed->first, changed->count};
}

static inline Block block_join(Block a, Block b)
{
    ptrdiff_t first = a.first < b.first ? a.first : b.first;
    ptrdiff_t end_a = a.first + a.count, end_b = b.first + b.count;
    return (Block){first, (end_a > end_b ? end_a : end_b) - first};
}

static inline bool block_is_inside(Block part, Block whole)
{
    return part.first >= whole.first && part.first + part.count <= whole.first + whole.count;
}

static inline Tensor block_part(const Tensor *tensor, Block block)
{
    return tensor->rank > 0 ? tensor_narrow(tensor, 0, block.first, block.count) : *tensor;
}

static inline bool block_is_reached(const TraceChanged *changed)
{
    return changed->reached.storage.bytes;
}

// Memory for the block of a view shaped like the tensor: as the tensor lies in storage, or each element apart
// where several share a place.
bool block_take(Arena *arena, const Tensor *tensor, Dtype dtype, Block block, Tensor *made,
                Error *err);

// --- rows of flags
//
// Along the last axis, which is walked through at once.

static inline ptrdiff_t flags_row_length(const Tensor *flags)
{
    return flags->rank > 0 ? flags->shape[flags->rank - 1] : 1;
}

static inline ptrdiff_t flags_row_stride(const Tensor *flags)
{
    return flags->rank > 0 ? flags->stride[flags->rank - 1] : 1;
}

// For tensor_next: the first element of each row.
static inline Tensor flags_rows(const Tensor *tensor)
{
    Tensor rows = *tensor;
    if (rows.rank > 0)
        rows.shape[rows.rank - 1] = rows.shape[rows.rank - 1] > 0;
    return rows;
}

// Whether a flag of so many is raised.
bool flags_row_any(const unsigned char row[], ptrdiff_t count, ptrdiff_t stride);

// Raises the flags of `to` that are raised in `from`, which has its shape.
void flags_raise(const Tensor *from, const Tensor *to);

// --- influence

// Whether a step reads a tensor that is reached, in one of its slots.
bool step_reads_reached(const TraceChange *change, const TraceStep *step, int read);

// The flags of what an edit reaches of an output, and the block that they are of: count 0 where it reaches nothing.
// The step must have run with the new inputs or be about to. False when memory is short.
bool influence_find(const Trace *trace, TraceChange *change, int number, Tensor *flags,
                    Block *block, Error *err);

#endif
