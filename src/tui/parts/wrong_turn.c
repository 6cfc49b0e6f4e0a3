// wrong_turn: see wrong_turn.h.
#include "wrong_turn.h"

#include <string.h>

bool wrong_turn(const Trace *trace, int step, WrongTurn *turn)
{
    const TraceStep *wiring = &trace->steps[step];
    const char *stage = wiring->stage->name;
    bool joins = strcmp(stage, "concat") == 0;
    bool cuts = strcmp(stage, "view") == 0 || strcmp(stage, "transpose") == 0;
    if (step >= trace->steps_done || !(cuts || joins))
        return false;
    Tensor in = trace->tensors[wiring->reads[0]].tensor;
    if (tensor_count(&in) == 0)
        return false;

    Error refused;
    ptrdiff_t heads = trace->scenario->size[SYMBOL_H], batch = in.shape[0];
    ptrdiff_t length = joins ? in.shape[2] : in.shape[1];
    ptrdiff_t d = tensor_count(&in) / (batch * heads * length);
    ptrdiff_t as_tokens[] = {batch, length, heads, d}, as_heads[] = {batch, heads, length, d};
    *turn = (WrongTurn){
        .cuts = cuts,
        .input = wiring->reads[0],
        .right_torch =
            cuts ? "view(B,L,H,d).transpose(1,2)" : "transpose(1,2).contiguous().view(B,L,H*d)",
        .right_brief = cuts ? "view, transpose" : "transpose, copy, view",
        .wrong_torch = cuts ? "view(B,H,L,d)" : "view(B,L,H*d)",
    };
    bool good = tensor_view(&in, 4, cuts ? as_tokens : as_heads, &turn->right, &refused) &&
                tensor_view(&in, 4, cuts ? as_heads : as_tokens, &turn->wrong, &refused);
    if (good)
        turn->right = tensor_transpose(&turn->right, 1, 2);
    return good;
}

bool wrong_turn_first(const WrongTurn *turn, ptrdiff_t sequence, ptrdiff_t at[])
{
    const Tensor *right = &turn->right;
    memset(at, 0, TENSOR_RANK_MAX * sizeof *at);
    at[0] = sequence;
    if (right->shape[1] == 1 || right->shape[2] == 1)
        return false;
    for (at[1] = 0; at[1] < right->shape[1]; at[1]++)
        for (at[2] = 0; at[2] < right->shape[2]; at[2]++)
            if (tensor_place(right, at) != tensor_place(&turn->wrong, at))
                return true;
    return false;
}

static ptrdiff_t greatest_common_divisor(ptrdiff_t a, ptrdiff_t b)
{
    while (b != 0) {
        ptrdiff_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The slice (x, y) of [X, Y] is number y*X + x the right way and x*Y + y the wrong way: the same
// when y (X-1) = x (Y-1), for as many pairs as X-1 and Y-1 have common steps, and one more.
ptrdiff_t wrong_turn_count(const WrongTurn *turn)
{
    ptrdiff_t x_count = turn->right.shape[1], y_count = turn->right.shape[2];
    if (x_count == 1 || y_count == 1)
        return 0;
    return x_count * y_count - greatest_common_divisor(x_count - 1, y_count - 1) - 1;
}
