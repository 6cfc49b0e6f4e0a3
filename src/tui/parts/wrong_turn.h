// The two mistakes with heads that keep every shape right and fill it with the wrong numbers, each
// beside the right way over the same storage:
//   cutting heads with view(B, H, L, d) instead of view(B, L, H, d).transpose(1, 2)
//   joining heads with view(B, L, H*d) instead of transpose(1, 2).contiguous().view(B, L, H*d)
#ifndef WRONG_TURN_H
#define WRONG_TURN_H

#include "trace.h"

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

#endif
