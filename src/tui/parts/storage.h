// Which number lies where in memory, and the wrong ways to read it.
#ifndef STORAGE_H
#define STORAGE_H

#include "cells.h"
#include "trace.h"

// --- places
//
// Which number lies where in memory: storage is one long row of numbers, and a tensor is a way to
// read it.
// Places count elements from the start of the storage, as tensor_place does.

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

// How many numbers from the start of the storage to the last one that the tensor reads.
ptrdiff_t storage_count(const Tensor *tensor);

// The index that a tensor reads a place under; the first one where it reads it several times. False
// when it does not read it.
bool storage_index(const Tensor *tensor, ptrdiff_t place, ptrdiff_t at[]);

// "0 + 0*24 + 2*2 + 1*8 + 1*1 = 13": offset, then index times stride of every axis.
enum { STORAGE_ADDRESS_MAX = 320 };
const char *storage_address(const Tensor *tensor, const ptrdiff_t at[],
                            char text[STORAGE_ADDRESS_MAX]);

// --- marks
//
// How a place in storage is marked for a person: a letter for the token, a number for the head.

enum { MEMORY_MARK_MAX = 48, MEMORY_WORDS_MAX = 160 };

// The marks of the storage that a tensor reads. Without tokens and heads, rows are numbered.
typedef struct MemoryMarks {
    const Trace *trace;
    int owner;
    StorageAxes axes;
    ptrdiff_t run;   // numbers with the same mark
    ptrdiff_t count; // numbers in the storage
    int columns;     // of the longest mark
    bool by_head;    // colours tell heads apart, not tokens
} MemoryMarks;

MemoryMarks memory_marks(const Trace *trace, int tensor, bool by_head);

// "B": the token, "" where there is none. From the 53rd token on, its number.
const char *memory_token(const MemoryMarks *marks, ptrdiff_t place, char text[MEMORY_MARK_MAX]);

// "2": the head, "" where there is none.
const char *memory_head(const MemoryMarks *marks, ptrdiff_t place, char text[MEMORY_MARK_MAX]);

// "B2", "60.2", "B", or the number of the run.
const char *memory_mark(const MemoryMarks *marks, ptrdiff_t place, char text[MEMORY_MARK_MAX]);

// A colour of its own for each of eight neighbours among the tokens, or the heads; where there are
// none of the one, the other.
Shade memory_shade(const MemoryMarks *marks, ptrdiff_t place);

// --- wrong ways
//
// The two mistakes with heads that keep every shape right and fill it with the wrong numbers, each
// beside the right way over the same storage:
//   cutting heads with view(B, H, L, d) instead of view(B, L, H, d).transpose(1, 2)
//   joining heads with view(B, L, H*d) instead of transpose(1, 2).contiguous().view(B, L, H*d)

typedef struct WrongTurn {
    bool cuts;                             // cuts heads; false: joins them
    int input;                             // the tensor whose storage both ways read
    Tensor right, wrong;                   // [B, H, L, d] when it cuts, [B, L, H, d] when it joins
    const char *right_torch, *wrong_torch; // without spaces; on narrow screens:
    const char *right_brief;
} WrongTurn;

// False when the step is neither view, transpose nor concat, or has not been computed.
bool wrong_turn(const Trace *trace, int step, WrongTurn *turn);

// The first index in a sequence, in index order, under which the two read different places; false
// when they read the same everywhere, as with one head or one token.
bool wrong_turn_first(const WrongTurn *turn, ptrdiff_t sequence, ptrdiff_t at[]);

// Of how many slices (the last axis is one slice) of one sequence the wrong way reads another one.
ptrdiff_t wrong_turn_count(const WrongTurn *turn);

// --- the right way beside the wrong one
//
// The right way to cut or join heads beside the wrong one, each as a table of the slices that it
// really reads, and in words where they first differ.

// The tables around the chosen place, in at most `rows` rows; returns the rows used.
int memory_turn_tables(const WrongTurn *turn, const MemoryMarks *marks, ptrdiff_t chosen,
                       Area area);

// Where, in the sequence of the chosen place, the wrong way first differs: both places, tokens and
// heads; and how many slices are wrong.
enum { MEMORY_SENTENCE_MAX = 640 };
const char *memory_turn_sentence(const WrongTurn *turn, const MemoryMarks *marks, ptrdiff_t chosen,
                                 char text[MEMORY_SENTENCE_MAX]);

#endif
