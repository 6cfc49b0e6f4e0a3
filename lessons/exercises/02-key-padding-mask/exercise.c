// lengths [B]     int64, how many tokens each sequence has
// mask    [B, L]  flags, to fill: 1 for padding, 0 for a token
#include "attnscope.h"

void key_padding_mask(const Tensor *lengths, Tensor *mask)
{
    (void)lengths, (void)mask;
}
