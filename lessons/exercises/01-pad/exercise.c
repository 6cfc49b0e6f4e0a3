// tokens    [N]     int64, all sequences one after the other
// lengths   [B]     int64, how many tokens each sequence has
// input_ids [B, L]  int64, to fill
#include "attnscope.h"

void pad(const Tensor *tokens, const Tensor *lengths, int64_t pad_id, Tensor *input_ids)
{
    (void)tokens, (void)lengths, (void)pad_id, (void)input_ids;
}
