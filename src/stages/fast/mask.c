// mask, faster: the kinds of masks are laid over each other a row at a time, and a kernel puts the
// forbidden scores away.
#include "fast.h"

enum { IN_SCORES, IN_PADDING, IN_MASK, IN_BUFFER };
enum { OUT_MASK, OUT_SCORES };

static void add_flags(unsigned char row[], ptrdiff_t count, const unsigned char from[],
                      ptrdiff_t stride)
{
    for (ptrdiff_t j = 0; j < count; j++)
        row[j] |= from[j * stride] != 0;
}

// The row [b,h,i,:] of the mask.
static void combine_row(const StageArgs *args, const ptrdiff_t at[4], const Tensor *given,
                        unsigned char row[], ptrdiff_t count)
{
    const StageOptions *options = args->options;
    ptrdiff_t keys = args->in[IN_SCORES].shape[3] - options->add_bias_kv - options->add_zero_attn;
    ptrdiff_t text =
        count < keys ? count : keys; // what was appended is masked by the given mask alone
    const Tensor *padding = stage_given(args, IN_PADDING), *buffer = stage_given(args, IN_BUFFER);
    ptrdiff_t i = at[2], own = i + options->causal_shift, window = options->window;
    for (ptrdiff_t j = 0; j < count; j++)
        row[j] = j < text && ((options->causal && !buffer && j > own) ||
                              (window > 0 && (own > j ? own - j : j - own) >= window));
    if (options->causal && buffer)
        add_flags(row, text, tensor_flag2(buffer, own, 0), buffer->stride[1]);
    if (options->mask_padding && padding)
        add_flags(row, text, tensor_flag2(padding, at[0], 0), padding->stride[1]);
    if (given->storage.bytes)
        add_flags(row, count, tensor_flag4(given, at[0], at[1], i, 0), given->stride[3]);
}

bool fast_mask_prepare(StageArgs *args, Error *err)
{
    (void)err;
    const Tensor *attn_mask = &args->out[OUT_MASK], *given = stage_given(args, IN_MASK);
    if (attn_mask->storage.bytes == args->in[IN_BUFFER].storage.bytes)
        return true; // it is a slice of the buffer
    ptrdiff_t shape[4] = {1, 1, 1, 1};
    for (int axis = 0; axis < attn_mask->rank; axis++)
        shape[axis + 4 - attn_mask->rank] = attn_mask->shape[axis];
    Tensor rows = fast_spread(attn_mask, shape);
    Tensor wide = given ? fast_spread(given, args->in[IN_SCORES].shape) : args->in[IN_MASK];
    for (ptrdiff_t b = 0; b < shape[0]; b++)
        for (ptrdiff_t h = 0; h < shape[1]; h++)
            for (ptrdiff_t i = 0; i < shape[2]; i++)
                combine_row(args, (ptrdiff_t[4]){b, h, i}, &wide, tensor_flag4(&rows, b, h, i, 0),
                            shape[3]);
    return true;
}

void fast_mask(const StageArgs *args)
{
    Tensor scores_masked = args->out[OUT_SCORES];
    fast_replace_masked(args, &args->in[IN_SCORES], &args->out[OUT_MASK], args->options->mask_value,
                        &scores_masked);
}
