// Which number lies where in memory: storage is one long row of numbers, and a tensor is a way to
// read it.
// Places count elements from the start of the storage, as tensor_place does.
#ifndef STORAGE_H
#define STORAGE_H

#include "trace.h"

// Which axis counts what; -1: none does. Where queries and keys both are axes, tokens are queries.
typedef struct StorageAxes {
    int sequence, token, head;
    ptrdiff_t head_width; // how much further on the head axis the next head begins
} StorageAxes;

// Whose number lies at a place: which sequence, token and head it belongs to. -1 where the storage
// has no such axis.
typedef struct StorageMark {
    ptrdiff_t sequence, token, head;
} StorageMark;

// The tensor that the storage of a tensor was made for; views of it come later in the trace. The
// tensor must have been computed.
int storage_owner(const Trace *trace, int tensor);

StorageAxes storage_axes(const Trace *trace, int tensor);

// How many numbers from the start of the storage to the last one that the tensor reads.
ptrdiff_t storage_count(const Tensor *tensor);

// The index that a tensor reads a place under; the first one where it reads it several times. False
// when it does not read it.
bool storage_index(const Tensor *tensor, ptrdiff_t place, ptrdiff_t at[]);

// Whose number lies at a place of the owner's storage.
StorageMark storage_mark(const Trace *trace, int owner, ptrdiff_t place);

// How many numbers with the same mark follow each other: runs start at every multiple of it. With
// no token or head to tell apart, a row of the tensor; 1 for an empty one.
ptrdiff_t storage_run(const Trace *trace, int owner);

// "0 + 0*24 + 2*2 + 1*8 + 1*1 = 13": offset, then index times stride of every axis.
enum { STORAGE_ADDRESS_MAX = 320 };
const char *storage_address(const Tensor *tensor, const ptrdiff_t at[],
                            char text[STORAGE_ADDRESS_MAX]);

#endif
