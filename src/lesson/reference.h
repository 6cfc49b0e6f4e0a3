// References: how a lecture names numbers of a trace without typing them.
//
//   attn_weights[0,0,1]        one element; a colon or a missing index stands for a whole axis
//   shape q_heads              so do stride and offset (of the tensor)
//   place q_heads[0,1,0,0]     where the element lies in storage, in elements
//   sum, max, argmax, zeros    of what the index leaves over: sum attn_weights[0,0]
//   scale                      what the scores are divided by
//   four-heads: scale          the same of another scenario
//   1, (1, 3, 4)               numbers as they are
//
// This floor reads them; `session` knows the trace and gives them their values.
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stddef.h>
#include "error.h"

typedef enum ReferenceKind {
    REFERENCE_ELEMENTS,
    REFERENCE_SHAPE,
    REFERENCE_STRIDE,
    REFERENCE_OFFSET,
    REFERENCE_PLACE,
    REFERENCE_SUM,
    REFERENCE_MAX,
    REFERENCE_ARGMAX,
    REFERENCE_ZEROS, // the indices at which the elements are 0
    REFERENCE_SCALE,
    REFERENCE_NUMBERS,
} ReferenceKind;

enum { REFERENCE_NAME_MAX = 64, REFERENCE_INDEX_MAX = 6, REFERENCE_WHOLE_AXIS = -1 };

typedef struct Reference {
    ReferenceKind kind;
    char scenario[REFERENCE_NAME_MAX]; // "": that of the page
    char tensor[REFERENCE_NAME_MAX];
    int index_count;
    ptrdiff_t index[REFERENCE_INDEX_MAX]; // or REFERENCE_WHOLE_AXIS
    int number_count;
    double numbers[REFERENCE_INDEX_MAX];
} Reference;

// False with what is wrong and how it is written.
bool reference_parse(const char *text, Reference *reference, Error *err);

// "A = B", "A < B", "A > B": something that is true or false of a trace.
typedef struct Claim {
    Reference left, right;
    char relation; // '=', '<' or '>'
} Claim;

bool claim_parse(const char *text, Claim *claim, Error *err);

#endif
