// The fast twins of stages, in the order of fast.h.
#include "fast.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include "matrix_product.h"

// --- what several share

// Runs the definition on a slice: for stages that only need threads, and for rows that are not
// contiguous, as kernels require. Not for a stage whose slices write shared data.
static void fast_by_definition(const Stage *stage, const StageArgs *args)
{
    StageArgs slice = *args;
    Error err;
    bool runs = stage->run(&slice, &err);
    assert(runs); // `prepare` has found nothing wrong
    (void)runs;
}

// Copies the rows of `from` [B, L, H, d] side by side into `to` [B, L, H*d].
static void fast_side_by_side(const Kernel *kernel, const Tensor *from, Tensor *to)
{
    bool has_rows = fast_has_rows(from) && fast_has_rows(to);
    ptrdiff_t lengths = from->shape[1], heads = from->shape[2], d = from->shape[3];
    for (ptrdiff_t b = 0; b < from->shape[0]; b++)
        for (ptrdiff_t h = 0; h < heads; h++) {
            KernelRows rows = {tensor_at4(from, b, 0, h, 0), lengths, d, from->stride[1]};
            if (has_rows)
                kernel->copy(&rows, tensor_at3(to, b, 0, h * d), to->stride[1]);
            for (ptrdiff_t l = 0; !has_rows && l < lengths; l++)
                for (ptrdiff_t i = 0; i < d; i++)
                    *tensor_at3(to, b, l, h * d + i) = *tensor_at4(from, b, l, h, i);
        }
}

// The rows of matrix [b, h]; the numbers of a row follow each other.
static KernelRows fast_rows(const Tensor *tensor, ptrdiff_t b, ptrdiff_t h)
{
    return (KernelRows){tensor_at4(tensor, b, h, 0, 0), tensor->shape[2], tensor->shape[3],
                        tensor->stride[2]};
}

// The flags broadcast to these four axes.
static Tensor fast_spread(const Tensor *flags, const ptrdiff_t shape[4])
{
    Error err;
    Tensor wide = *flags;
    bool spreads = tensor_expand(flags, 4, shape, &wide, &err);
    assert(spreads); // `shapes` of stage mask has seen to it that they can
    (void)spreads;
    return wide;
}

// out = attn_mask ? value : scores, where attn_mask broadcasts to the scores.
static void fast_replace_masked(const StageArgs *args, const Tensor *scores,
                                const Tensor *attn_mask, float value, Tensor *out)
{
    Tensor flags = fast_spread(attn_mask, scores->shape);
    bool has_rows = fast_has_rows(scores) && fast_has_rows(&flags) && fast_has_rows(out);
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++) {
            KernelRows rows = fast_rows(scores, b, h);
            if (has_rows)
                args->kernel->mask(&rows, tensor_flag4(&flags, b, h, 0, 0), flags.stride[2], value,
                                   tensor_at4(out, b, h, 0, 0), out->stride[2]);
            for (ptrdiff_t i = 0; !has_rows && i < rows.rows; i++)
                for (ptrdiff_t j = 0; j < rows.columns; j++)
                    *tensor_at4(out, b, h, i, j) =
                        *tensor_flag4(&flags, b, h, i, j) ? value : *tensor_at4(scores, b, h, i, j);
        }
}

// out   = in / divisor, of four axes each. Returns false and does nothing if rows are not contiguous.
//       Divides all rows of a head at once if they follow each other in memory.
static bool fast_divide(const Kernel *kernel, const Tensor *in, float divisor, Tensor *out)
{
    if (!fast_has_rows(in) || !fast_has_rows(out))
        return false;
    ptrdiff_t rows = in->shape[2], count = in->shape[3];
    if (rows > 0 && in->stride[2] == count && out->stride[2] == count) {
        count *= rows;
        rows = 1;
    }
    for (ptrdiff_t b = 0; b < in->shape[0]; b++)
        for (ptrdiff_t h = 0; h < in->shape[1]; h++)
            for (ptrdiff_t i = 0; i < rows; i++)
                kernel->divide(count, tensor_at4(in, b, h, i, 0), divisor,
                               tensor_at4(out, b, h, i, 0));
    return true;
}

enum { PRODUCT_IN_LEFT, PRODUCT_IN_RIGHT };

// Matrix [b, h] of the tensor whose [0, 0] is `matrix`.
static void move_to_head(Tensor *matrix, const Tensor *tensor, ptrdiff_t b, ptrdiff_t h)
{
    matrix->offset = tensor->offset + b * tensor->stride[0] + h * tensor->stride[1];
}

// For each head the first tensor's matrix, or that matrix transposed, times the panels of the second. Training
// has small heads, so a product's set-up is done once for all of them. `soon` may be NULL.
static void fast_product_of_heads(const StageArgs *args, bool is_turned, const Tensor *soon)
{
    const Tensor *in = &args->in[PRODUCT_IN_LEFT], *out = &args->out[0];
    const Tensor *panels = &args->panels[PRODUCT_IN_RIGHT];
    if (out->shape[0] == 0 || out->shape[1] == 0)
        return;
    Tensor left = tensor_matrix(in, 0, 0), some = tensor_matrix(panels, 0, 0);
    Tensor product = tensor_matrix(out, 0, 0), next = soon ? tensor_matrix(soon, 0, 0) : product;
    if (is_turned)
        left = tensor_transpose(&left, 0, 1);
    for (ptrdiff_t b = 0; b < out->shape[0]; b++)
        for (ptrdiff_t h = 0; h < out->shape[1]; h++) {
            move_to_head(&left, in, b, h);
            move_to_head(&some, panels, b, h);
            move_to_head(&product, out, b, h);
            if (soon)
                move_to_head(&next, soon, b, h);
            matrix_product(args->kernel, &left, &some, NULL, &product, soon ? &next : NULL);
        }
}

// --- embed
//
// Whole rows of the table are copied.

enum { EMBED_IN_IDS, EMBED_IN_WEIGHT };

void fast_embed(const StageArgs *args)
{
    const Tensor *input_ids = &args->in[EMBED_IN_IDS], *weight = &args->in[EMBED_IN_WEIGHT];
    Tensor x = args->out[0];
    if (!fast_has_rows(weight) || !fast_has_rows(&x)) {
        fast_by_definition(&stage_embed, args);
        return;
    }
    for (ptrdiff_t b = 0; b < x.shape[0]; b++)
        for (ptrdiff_t l = 0; l < x.shape[1]; l++)
            memcpy(tensor_at3(&x, b, l, 0), tensor_at2(weight, *tensor_id2(input_ids, b, l), 0),
                   (size_t)x.shape[2] * sizeof(float));
}

// --- position
//
// One power serves a pair of columns at all positions. Then whole rows of the pattern are added.

enum { POSITION_OUT_ENCODING, POSITION_OUT_X };

bool fast_position_prepare(StageArgs *args, Error *err)
{
    Tensor *encoding = &args->out[POSITION_OUT_ENCODING];
    ptrdiff_t width = encoding->shape[2];
    for (ptrdiff_t d = 0; d < width; d++) {
        double wave = pow(10000.0, (double)(d - d % 2) / (double)width);
        for (ptrdiff_t l = 0; l < encoding->shape[1]; l++) {
            double angle = (double)(args->options->cached + l) / wave;
            *tensor_at3(encoding, 0, l, d) = (float)(d % 2 == 0 ? sin(angle) : cos(angle));
        }
    }
    return true;
}

void fast_position(const StageArgs *args)
{
    const Tensor *embeddings = &args->in[0], *encoding = &args->out[POSITION_OUT_ENCODING],
                 *x = &args->out[POSITION_OUT_X];
    ptrdiff_t each = embeddings->stride[2], step = encoding->stride[2], out = x->stride[2];
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++) {
            const float *word = tensor_at3(embeddings, b, l, 0);
            const float *place = tensor_at3(encoding, 0, l, 0);
            float *to = tensor_at3(x, b, l, 0);
            for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                to[d * out] = word[d * each] + place[d * step];
        }
}

// --- rotate and rotate_backward
//
// One table of cosines and sines serves all sequences and heads.

// The rotation of a row: a cosine and a sine for each number.
typedef struct Turns {
    ptrdiff_t pairs;
    const float *cosine, *sine;
} Turns;

// Numbers are `step` apart; `each` is the distance from one pair to the next, `apart` from a pair's first
// number to its second.
static inline __attribute__((always_inline)) void turn_row(const Turns *by, const ptrdiff_t each,
                                                           ptrdiff_t apart, const ptrdiff_t step,
                                                           const float from[], float to[])
{
    for (ptrdiff_t pair = 0; pair < by->pairs; pair++) {
        ptrdiff_t i = pair * each, j = i + apart;
        float first = from[i * step], second = from[j * step];
        to[i] = first * by->cosine[i] + second * by->sine[i];
        to[j] = second * by->cosine[j] + first * by->sine[j];
    }
}

void fast_rotate(const StageArgs *args)
{
    const Tensor *q = &args->in[0], *table = &args->table;
    Tensor turned = args->out[0];
    ptrdiff_t width = table->shape[1] / 2, step = q->stride[3];
    bool neighbours = args->options->rope_neighbours;
    assert(fast_has_rows(&turned));
    for (ptrdiff_t b = 0; b < q->shape[0]; b++)
        for (ptrdiff_t h = 0; h < q->shape[1]; h++)
            for (ptrdiff_t l = 0; l < q->shape[2]; l++) {
                const float *from = tensor_at4(q, b, h, l, 0);
                Turns by = {width / 2, tensor_at2(table, l, 0), tensor_at2(table, l, width)};
                float *to = tensor_at4(&turned, b, h, l, 0);
                if (neighbours && step == 1)
                    turn_row(&by, 2, 1, 1, from, to);
                else if (step == 1)
                    turn_row(&by, 1, width / 2, 1, from, to);
                else
                    turn_row(&by, neighbours ? 2 : 1, neighbours ? 1 : width / 2, step, from, to);
                for (ptrdiff_t i = width; i < q->shape[3]; i++)
                    to[i] = from[i * step];
            }
}

// --- linear
//
// output_projection, expand and contract are x times the panels of the weight,
// plus the bias.

enum { LINEAR_IN_X, LINEAR_IN_WEIGHT, LINEAR_IN_BIAS };

void fast_linear(const StageArgs *args)
{
    matrix_products(args->kernel, &args->in[LINEAR_IN_X], &args->panels[LINEAR_IN_WEIGHT],
                    stage_given(args, LINEAR_IN_BIAS), &args->out[0]);
}

// --- project
//
// One matrix for all heads is one band of columns; else each head is one.

enum { PROJECT_IN_X, PROJECT_IN_WEIGHT, PROJECT_IN_BIAS };

void fast_project(const StageArgs *args)
{
    const Tensor *x = &args->in[PROJECT_IN_X], *out = &args->out[0],
                 *bias = stage_given(args, PROJECT_IN_BIAS);
    const Tensor *panels = &args->panels[PROJECT_IN_WEIGHT];
    bool is_per_head = args->in[PROJECT_IN_WEIGHT].rank == 3;
    ptrdiff_t bands = is_per_head ? panels->shape[0] : 1;
    ptrdiff_t width = out->shape[2] / bands;
    for (ptrdiff_t band = 0; band < bands; band++) {
        Tensor band_panels = is_per_head ? tensor_select(panels, 0, band) : *panels;
        Tensor band_out = tensor_narrow(out, 2, band * width, width);
        Tensor band_bias = bias ? tensor_narrow(bias, 0, band * width, width) : band_out;
        matrix_products(args->kernel, x, &band_panels, bias ? &band_bias : NULL, &band_out);
    }
}

// --- score
//
// A matrix product for each head; prefetches the output of the scale or softmax that follows.

void fast_score(const StageArgs *args)
{
    const Tensor *soon = args->soon.storage.bytes ? &args->soon : NULL;
    fast_product_of_heads(args, false, soon);
}

// --- scale and scale_backward
//
// Divides whole rows by the scale.

void fast_scale(const StageArgs *args)
{
    Tensor scores_scaled = args->out[0];
    if (!fast_divide(args->kernel, &args->in[0], args->options->scale, &scores_scaled))
        fast_by_definition(&stage_scale, args);
}

// --- mask
//
// Combines the kinds of masks a row at a time; a kernel replaces the forbidden scores.

enum { MASK_IN_SCORES, MASK_IN_PADDING, MASK_IN_MASK, MASK_IN_BUFFER };
enum { MASK_OUT_MASK, MASK_OUT_SCORES };

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
    ptrdiff_t keys =
        args->in[MASK_IN_SCORES].shape[3] - options->add_bias_kv - options->add_zero_attn;
    ptrdiff_t text =
        count < keys ? count : keys; // what was appended is masked by the given mask alone
    const Tensor *padding = stage_given(args, MASK_IN_PADDING),
                 *buffer = stage_given(args, MASK_IN_BUFFER);
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
    const Tensor *attn_mask = &args->out[MASK_OUT_MASK], *given = stage_given(args, MASK_IN_MASK);
    if (attn_mask->storage.bytes == args->in[MASK_IN_BUFFER].storage.bytes)
        return true; // it is a slice of the buffer
    ptrdiff_t shape[4] = {1, 1, 1, 1};
    for (int axis = 0; axis < attn_mask->rank; axis++)
        shape[axis + 4 - attn_mask->rank] = attn_mask->shape[axis];
    Tensor rows = fast_spread(attn_mask, shape);
    Tensor wide =
        given ? fast_spread(given, args->in[MASK_IN_SCORES].shape) : args->in[MASK_IN_MASK];
    for (ptrdiff_t b = 0; b < shape[0]; b++)
        for (ptrdiff_t h = 0; h < shape[1]; h++)
            for (ptrdiff_t i = 0; i < shape[2]; i++)
                combine_row(args, (ptrdiff_t[4]){b, h, i}, &wide, tensor_flag4(&rows, b, h, i, 0),
                            shape[3]);
    return true;
}

void fast_mask(const StageArgs *args)
{
    Tensor scores_masked = args->out[MASK_OUT_SCORES];
    fast_replace_masked(args, &args->in[MASK_IN_SCORES], &args->out[MASK_OUT_MASK],
                        args->options->mask_value, &scores_masked);
}

// --- add_mask
//
// Adds a row of the mask to a contiguous row of scores.

enum { ADD_MASK_IN_SCORES, ADD_MASK_IN_MASK };

void fast_add_mask(const StageArgs *args)
{
    const Tensor *scores = &args->in[ADD_MASK_IN_SCORES];
    Tensor added = args->out[0], mask = fast_spread(&args->in[ADD_MASK_IN_MASK], scores->shape);
    if (!fast_has_rows(scores) || !fast_has_rows(&added)) {
        fast_by_definition(&stage_add_mask, args);
        return;
    }
    ptrdiff_t keys = scores->shape[3], step = mask.stride[3];
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++) {
                const float *from = tensor_at4(scores, b, h, i, 0);
                const float *number = tensor_at4(&mask, b, h, i, 0);
                float *to = tensor_at4(&added, b, h, i, 0);
                for (ptrdiff_t j = 0; j < keys; j++)
                    to[j] = from[j] + number[j * step];
            }
}

// --- softmax and prediction
//
// A kernel computes each row.

void fast_softmax(const StageArgs *args)
{
    const Tensor *scores = &args->in[0];
    Tensor weights = args->out[0];
    ptrdiff_t rows = scores->shape[2], count = scores->shape[3];
    ptrdiff_t batch = scores->shape[0], heads = scores->shape[1];
    if (!fast_has_rows(scores) || !fast_has_rows(&weights)) {
        fast_by_definition(&stage_softmax, args);
        return;
    }
    if (tensor_is_contiguous(scores) && tensor_is_contiguous(&weights)) { // rows of all heads
        rows *= batch * heads;
        batch = heads = rows > 0;
    }
    for (ptrdiff_t b = 0; b < batch; b++)
        for (ptrdiff_t h = 0; h < heads; h++)
            args->kernel->softmax(rows, count, tensor_at4(scores, b, h, 0, 0), scores->stride[2],
                                  tensor_at4(&weights, b, h, 0, 0), weights.stride[2]);
}

// --- running_max
//
// For contiguous rows of scores.

void fast_running_max(const StageArgs *args)
{
    const Tensor *scores = &args->in[0];
    Tensor max = args->out[0];
    ptrdiff_t width = args->options->softmax_block, keys = scores->shape[3];
    if (!fast_has_rows(scores)) {
        fast_by_definition(&stage_running_max, args);
        return;
    }
    for (ptrdiff_t b = 0; b < max.shape[0]; b++)
        for (ptrdiff_t h = 0; h < max.shape[1]; h++)
            for (ptrdiff_t i = 0; i < max.shape[3]; i++) {
                const float *row = tensor_at4(scores, b, h, i, 0);
                float m = -INFINITY;
                for (ptrdiff_t t = 0, j = 0; t < max.shape[2]; t++) {
                    ptrdiff_t end = j + width < keys ? j + width : keys;
                    for (; j < end; j++)
                        m = row[j] > m || isnan(row[j]) ? row[j] : m;
                    *tensor_at4(&max, b, h, t, i) = m;
                }
            }
}

// --- block_weights
//
// A kernel computes a block's exponentials; if its maximum is not finite, the definition's cases
// apply.

enum { BLOCK_WEIGHTS_IN_SCORES, BLOCK_WEIGHTS_IN_MAX };

static void exponentials_of_row(const Kernel *kernel, ptrdiff_t count, const float scores[],
                                float max, float out[])
{
    if (isfinite(max))
        kernel->exponentials(count, scores, max, out);
    for (ptrdiff_t j = 0; !isfinite(max) && j < count; j++)
        out[j] = scores[j] == -INFINITY ? 0.0f : exponential(scores[j] - max);
}

void fast_block_weights(const StageArgs *args)
{
    const Tensor *scores = &args->in[BLOCK_WEIGHTS_IN_SCORES];
    Tensor weights = args->out[0];
    ptrdiff_t width = args->options->softmax_block, keys = scores->shape[3];
    if (!fast_has_rows(scores) || !fast_has_rows(&weights)) {
        fast_by_definition(&stage_block_weights, args);
        return;
    }
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < keys; j += width)
                    exponentials_of_row(
                        args->kernel, keys - j < width ? keys - j : width,
                        tensor_at4(scores, b, h, i, j),
                        *tensor_at4(&args->in[BLOCK_WEIGHTS_IN_MAX], b, h, j / width, i),
                        tensor_at4(&weights, b, h, i, j));
}

// --- rescale
//
// A kernel computes the exponentials of a block's rows together, from the growth of their maxima.

void fast_rescale(const StageArgs *args)
{
    const Tensor *max = &args->in[0], *factor = &args->out[0];
    ptrdiff_t rows = factor->shape[3];
    if (!fast_has_rows(factor)) {
        fast_by_definition(&stage_rescale, args);
        return;
    }
    for (ptrdiff_t b = 0; b < factor->shape[0]; b++)
        for (ptrdiff_t h = 0; h < factor->shape[1]; h++)
            for (ptrdiff_t t = 0; t < factor->shape[2]; t++) {
                float *out = tensor_at4(factor, b, h, t, 0);
                for (ptrdiff_t i = 0; i < rows; i++) {
                    float before = t > 0 ? *tensor_at4(max, b, h, t - 1, i) : -INFINITY;
                    out[i] = before == -INFINITY ? before : before - *tensor_at4(max, b, h, t, i);
                }
                args->kernel->exponentials(rows, out, 0.0f, out);
            }
}

// --- running_sum
//
// Several rows side by side, since one sum waits for its last addition.

enum { RUNNING_SUM_IN_WEIGHTS, RUNNING_SUM_IN_RESCALE, ROWS_BESIDE = 8 };

static void sum_rows(const float from[], ptrdiff_t pitch, ptrdiff_t rows, ptrdiff_t columns,
                     float sums[ROWS_BESIDE])
{
    for (int row = 0; row < ROWS_BESIDE; row++)
        sums[row] = 0.0f;
    for (ptrdiff_t j = 0; rows == ROWS_BESIDE && j < columns; j++)
        for (int row = 0; row < ROWS_BESIDE; row++)
            sums[row] += from[row * pitch + j];
    for (ptrdiff_t row = 0; rows < ROWS_BESIDE && row < rows; row++)
        for (ptrdiff_t j = 0; j < columns; j++)
            sums[row] += from[row * pitch + j];
}

// The sums of the rows of one head after block t.
static void running_sum_of_block(const StageArgs *args, ptrdiff_t b, ptrdiff_t h, ptrdiff_t t)
{
    const Tensor *weights = &args->in[RUNNING_SUM_IN_WEIGHTS], *total = &args->out[0];
    ptrdiff_t first = t * args->options->softmax_block, left = weights->shape[3] - first;
    ptrdiff_t rows = weights->shape[2], columns = args->options->softmax_block;
    columns = columns < left ? columns : left;
    for (ptrdiff_t i = 0; i < rows; i += ROWS_BESIDE) {
        float sums[ROWS_BESIDE];
        ptrdiff_t some = rows - i < ROWS_BESIDE ? rows - i : ROWS_BESIDE;
        sum_rows(tensor_at4(weights, b, h, i, first), weights->stride[2], some, columns, sums);
        for (ptrdiff_t row = 0; row < some; row++) {
            const float *factor = tensor_at4(&args->in[RUNNING_SUM_IN_RESCALE], b, h, t, i + row);
            float kept = t > 0 ? *tensor_at4(total, b, h, t - 1, i + row) * *factor : 0.0f;
            *tensor_at4(total, b, h, t, i + row) = kept + sums[row];
        }
    }
}

void fast_running_sum(const StageArgs *args)
{
    const ptrdiff_t *shape = args->out[0].shape;
    if (!fast_has_rows(&args->in[RUNNING_SUM_IN_WEIGHTS])) {
        fast_by_definition(&stage_running_sum, args);
        return;
    }
    for (ptrdiff_t b = 0; b < shape[0]; b++)
        for (ptrdiff_t h = 0; h < shape[1]; h++)
            for (ptrdiff_t t = 0; t < shape[2]; t++)
                running_sum_of_block(args, b, h, t);
}

// --- running_output
//
// A block's weights times its values is a matrix product; the rescaled output so far is added.

enum { RUNNING_OUTPUT_IN_WEIGHTS, RUNNING_OUTPUT_IN_V, RUNNING_OUTPUT_IN_RESCALE };

// output = before * factor + output; for the first block 0 + output, which turns -0 into +0.
static void add_kept(const Tensor *before, const Tensor *factor, const Tensor *output)
{
    for (ptrdiff_t i = 0; i < output->shape[0]; i++)
        for (ptrdiff_t d = 0; d < output->shape[1]; d++) {
            float kept = before ? *tensor_at2(before, i, d) * *tensor_at1(factor, i) : 0.0f;
            *tensor_at2(output, i, d) = kept + *tensor_at2(output, i, d);
        }
}

// The rows of one head after block t.
static void running_output_of_block(const StageArgs *args, ptrdiff_t b, ptrdiff_t h, ptrdiff_t t)
{
    Tensor weights = tensor_matrix(&args->in[RUNNING_OUTPUT_IN_WEIGHTS], b, h);
    Tensor values = tensor_matrix(&args->in[RUNNING_OUTPUT_IN_V], b, h);
    Tensor factors = tensor_matrix(&args->in[RUNNING_OUTPUT_IN_RESCALE], b, h);
    Tensor states = tensor_select(&args->out[0], 0, b);
    states = tensor_select(&states, 0, h);
    ptrdiff_t width = args->options->softmax_block, first = t * width;
    width = width < weights.shape[1] - first ? width : weights.shape[1] - first;
    Tensor output = tensor_select(&states, 0, t), factor = tensor_select(&factors, 0, t);
    Tensor before = tensor_select(&states, 0, t > 0 ? t - 1 : 0);
    weights = tensor_narrow(&weights, 1, first, width);
    values = tensor_narrow(&values, 0, first, width);
    matrix_product_once(args->kernel, &weights, &values, &output);
    add_kept(t > 0 ? &before : NULL, &factor, &output);
}

void fast_running_output(const StageArgs *args)
{
    const ptrdiff_t *shape = args->out[0].shape;
    for (ptrdiff_t b = 0; b < shape[0]; b++)
        for (ptrdiff_t h = 0; h < shape[1]; h++)
            for (ptrdiff_t t = 0; t < shape[2]; t++)
                running_output_of_block(args, b, h, t);
}

// --- normalise
//
// A kernel divides each row of the last block.

enum { NORMALISE_IN_OUTPUT, NORMALISE_IN_SUM };

void fast_normalise(const StageArgs *args)
{
    const Tensor *total = &args->in[NORMALISE_IN_SUM], *context = &args->out[0];
    ptrdiff_t last = total->shape[2] - 1;
    Tensor output = tensor_select(&args->in[NORMALISE_IN_OUTPUT], 2, last);
    if (!fast_has_rows(&output) || !fast_has_rows(context)) {
        fast_by_definition(&stage_normalise, args);
        return;
    }
    for (ptrdiff_t b = 0; b < context->shape[0]; b++)
        for (ptrdiff_t h = 0; h < context->shape[1]; h++)
            for (ptrdiff_t i = 0; i < context->shape[2]; i++)
                args->kernel->divide(context->shape[3], tensor_at4(&output, b, h, i, 0),
                                     *tensor_at4(total, b, h, last, i),
                                     tensor_at4(context, b, h, i, 0));
}

// --- weights_again
//
// One kernel computes a row's exponentials, another divides them.

enum { WEIGHTS_AGAIN_IN_SCORES, WEIGHTS_AGAIN_IN_MAX, WEIGHTS_AGAIN_IN_SUM };

void fast_weights_again(const StageArgs *args)
{
    const Tensor *scores = &args->in[WEIGHTS_AGAIN_IN_SCORES];
    const Tensor *max = &args->in[WEIGHTS_AGAIN_IN_MAX];
    Tensor weights = args->out[0];
    ptrdiff_t last = max->shape[2] - 1, keys = scores->shape[3];
    if (!fast_has_rows(scores) || !fast_has_rows(&weights)) {
        fast_by_definition(&stage_weights_again, args);
        return;
    }
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++) {
                float *row = tensor_at4(&weights, b, h, i, 0);
                float sum = *tensor_at4(&args->in[WEIGHTS_AGAIN_IN_SUM], b, h, last, i);
                exponentials_of_row(args->kernel, keys, tensor_at4(scores, b, h, i, 0),
                                    *tensor_at4(max, b, h, last, i), row);
                args->kernel->divide(keys, row, sum, row);
            }
}

// --- weighted_sum, weighted_sum_backward and score_backward_q
//
// For each head, the first tensor's matrix times the panels of the second.

void fast_matrix_product(const StageArgs *args)
{
    fast_product_of_heads(args, false, NULL);
}

// --- concat
//
// Copies each head's row whole.

enum { CONCAT_OUT_TRANSPOSED, CONCAT_OUT_CONCAT };

void fast_concat(const StageArgs *args)
{
    Tensor context_concat = args->out[CONCAT_OUT_CONCAT];
    fast_side_by_side(args->kernel, &args->out[CONCAT_OUT_TRANSPOSED], &context_concat);
}

// --- readout
//
// A matrix product for each question.

enum { READOUT_IN_OUTPUT, READOUT_IN_WEIGHT };

void fast_readout(const StageArgs *args)
{
    for (ptrdiff_t b = 0; b < args->out[0].shape[0]; b++)
        for (ptrdiff_t q = 0; q < args->out[0].shape[1]; q++) {
            Tensor output = tensor_select(&args->in[READOUT_IN_OUTPUT], 0, b);
            Tensor panels = tensor_select(&args->panels[READOUT_IN_WEIGHT], 0, q);
            Tensor logits = tensor_matrix(&args->out[0], b, q);
            matrix_product(args->kernel, &output, &panels, NULL, &logits, NULL);
        }
}

// --- part_logits
//
// A matrix product for each token: its parts are the rows.

enum { PART_LOGITS_IN_PARTS, PART_LOGITS_IN_WEIGHT };

static Tensor parts_of_token(const Tensor *tensor, ptrdiff_t b, ptrdiff_t l)
{
    Tensor sequence = tensor_select(tensor, 0, b);
    return tensor_select(&sequence, 1, l);
}

// [parts, V] of one question and token.
static Tensor words_of_token(const Tensor *tensor, ptrdiff_t b, ptrdiff_t q, ptrdiff_t l)
{
    Tensor sequence = tensor_select(tensor, 0, b), question = tensor_select(&sequence, 0, q);
    return tensor_select(&question, 0, l);
}

void fast_part_logits(const StageArgs *args)
{
    const ptrdiff_t *shape = args->out[0].shape;
    for (ptrdiff_t b = 0; b < shape[0]; b++)
        for (ptrdiff_t q = 0; q < shape[1]; q++)
            for (ptrdiff_t l = 0; l < shape[2]; l++) {
                Tensor parts = parts_of_token(&args->in[PART_LOGITS_IN_PARTS], b, l);
                Tensor panels = tensor_select(&args->panels[PART_LOGITS_IN_WEIGHT], 0, q);
                Tensor logits = words_of_token(&args->out[0], b, q, l);
                matrix_product(args->kernel, &parts, &panels, NULL, &logits, NULL);
            }
}

// --- lens
//
// A part is added to the sum behind the one before.

void fast_lens(const StageArgs *args)
{
    const ptrdiff_t *shape = args->out[0].shape;
    for (ptrdiff_t b = 0; b < shape[0]; b++)
        for (ptrdiff_t q = 0; q < shape[1]; q++)
            for (ptrdiff_t l = 0; l < shape[2]; l++) {
                Tensor shares = words_of_token(&args->in[0], b, q, l);
                Tensor sums = words_of_token(&args->out[0], b, q, l);
                for (ptrdiff_t p = 0; p < shape[3]; p++)
                    for (ptrdiff_t w = 0; w < shape[4]; w++)
                        *tensor_at2(&sums, p, w) = (p > 0 ? *tensor_at2(&sums, p - 1, w) : 0.0f) +
                                                   *tensor_at2(&shares, p, w);
            }
}

// --- readout_backward
//
// The sum of a matrix product for each question.

enum { READOUT_BACKWARD_IN_GRAD, READOUT_BACKWARD_IN_WEIGHT };

void fast_readout_backward(const StageArgs *args)
{
    for (ptrdiff_t b = 0; b < args->out[0].shape[0]; b++) {
        Tensor grad_logits = tensor_select(&args->in[READOUT_BACKWARD_IN_GRAD], 0, b);
        Tensor grad_output = tensor_select(&args->out[0], 0, b);
        matrix_product_summed(args->kernel, &grad_logits, &args->panels[READOUT_BACKWARD_IN_WEIGHT],
                              &grad_output);
    }
}

// --- readout_backward_weight
//
// For each question one matrix product over the rows of all sequences.

enum { READOUT_BACKWARD_WEIGHT_IN_GRAD, READOUT_BACKWARD_WEIGHT_IN_OUTPUT };

void fast_readout_backward_weight(const StageArgs *args)
{
    for (ptrdiff_t q = 0; q < args->out[0].shape[0]; q++) {
        Tensor grad_logits = tensor_select(&args->in[READOUT_BACKWARD_WEIGHT_IN_GRAD], 1, q);
        Tensor grad_weight = tensor_select(&args->out[0], 0, q);
        matrix_product_of_stack(args->kernel, &grad_logits,
                                &args->panels[READOUT_BACKWARD_WEIGHT_IN_OUTPUT], args->goes_on,
                                &grad_weight);
    }
}

// --- cross_entropy_backward
//
// Divides rows by the number of answers, then sets the targets.

enum {
    CROSS_ENTROPY_BACKWARD_IN_PROBABILITIES,
    CROSS_ENTROPY_BACKWARD_IN_TARGETS,
    CROSS_ENTROPY_BACKWARD_IN_ASKED
};

void fast_cross_entropy_backward(const StageArgs *args)
{
    const Tensor *p = &args->in[CROSS_ENTROPY_BACKWARD_IN_PROBABILITIES];
    Tensor out = args->out[0];
    float asked = *tensor_at1(&args->in[CROSS_ENTROPY_BACKWARD_IN_ASKED], 0);
    if (!fast_divide(args->kernel, p, asked, &out)) {
        fast_by_definition(&stage_cross_entropy_backward, args);
        return;
    }
    for (ptrdiff_t b = 0; b < p->shape[0]; b++)
        for (ptrdiff_t q = 0; q < p->shape[1]; q++)
            for (ptrdiff_t l = 0; l < p->shape[2]; l++) {
                int64_t target = *tensor_id3(&args->in[CROSS_ENTROPY_BACKWARD_IN_TARGETS], b, q, l);
                float *row = tensor_at4(&out, b, q, l, 0);
                for (ptrdiff_t w = 0; target < 0 && w < p->shape[3]; w++)
                    row[w] = 0.0f;
                if (target >= 0)
                    row[target] = (*tensor_at4(p, b, q, l, target) - 1.0f) / asked;
            }
}

// --- linear_backward
//
// A product with the weight, or with each head's weight, each added to the one before.

enum { LINEAR_BACKWARD_IN_GRAD, LINEAR_BACKWARD_IN_WEIGHT };

static void sum_over_heads(const StageArgs *args, const Tensor *grad_q, Tensor *grad_x)
{
    const Tensor *panels = &args->panels[LINEAR_BACKWARD_IN_WEIGHT];
    ptrdiff_t d_k = args->in[LINEAR_BACKWARD_IN_WEIGHT].shape[2];
    for (ptrdiff_t h = 0; h < panels->shape[0]; h++) {
        Tensor left = tensor_narrow(grad_q, 1, h * d_k, d_k);
        Tensor head_panels = tensor_select(panels, 0, h);
        if (h == 0)
            matrix_product(args->kernel, &left, &head_panels, NULL, grad_x, NULL);
        else
            matrix_product_onto(args->kernel, &left, &head_panels, grad_x);
    }
}

void fast_linear_backward(const StageArgs *args)
{
    const Tensor *grad_q = &args->in[LINEAR_BACKWARD_IN_GRAD];
    if (args->in[LINEAR_BACKWARD_IN_WEIGHT].rank != 3) {
        matrix_products(args->kernel, grad_q, &args->panels[LINEAR_BACKWARD_IN_WEIGHT], NULL,
                        &args->out[0]);
        return;
    }
    for (ptrdiff_t b = 0; b < grad_q->shape[0]; b++) {
        Tensor rows = tensor_select(grad_q, 0, b), grad_x = tensor_select(&args->out[0], 0, b);
        sum_over_heads(args, &rows, &grad_x);
    }
}

// --- linear_backward_weight
//
// One matrix product over the rows of all sequences.

enum { LINEAR_BACKWARD_WEIGHT_IN_GRAD, LINEAR_BACKWARD_WEIGHT_IN_X };

void fast_linear_backward_weight(const StageArgs *args)
{
    matrix_product_of_stack(args->kernel, &args->in[LINEAR_BACKWARD_WEIGHT_IN_GRAD],
                            &args->panels[LINEAR_BACKWARD_WEIGHT_IN_X], args->goes_on,
                            &args->out[0]);
}

// --- softmax_backward_sum
//
// A kernel sums several rows side by side.

enum { SOFTMAX_BACKWARD_SUM_IN_WEIGHTS, SOFTMAX_BACKWARD_SUM_IN_GRAD };

void fast_softmax_backward_sum(const StageArgs *args)
{
    const Tensor *weights = &args->in[SOFTMAX_BACKWARD_SUM_IN_WEIGHTS],
                 *grad_weights = &args->in[SOFTMAX_BACKWARD_SUM_IN_GRAD];
    Tensor row_sums = args->out[0];
    if (!fast_has_rows(weights) || !fast_has_rows(grad_weights) || !fast_has_rows(&row_sums)) {
        fast_by_definition(&stage_softmax_backward_sum, args);
        return;
    }
    bool are_all = tensor_is_contiguous(weights) && tensor_is_contiguous(grad_weights) &&
                   tensor_is_contiguous(&row_sums) && tensor_count(weights) > 0;
    ptrdiff_t heads = weights->shape[1], matrices = weights->shape[0] * heads;
    for (ptrdiff_t number = 0; number < matrices; number += are_all ? matrices : 1) {
        ptrdiff_t b = number / heads, h = number % heads;
        KernelRows left = fast_rows(weights, b, h), right = fast_rows(grad_weights, b, h);
        if (are_all) { // the stride of an axis of length 1 says nothing
            left.rows = right.rows = matrices * left.rows;
            left.pitch = right.pitch = left.columns;
        }
        args->kernel->dots(&left, &right, tensor_at3(&row_sums, b, h, 0));
    }
}

// --- softmax_backward
//
// A kernel goes through the rows of a head.

enum { SOFTMAX_BACKWARD_IN_WEIGHTS, SOFTMAX_BACKWARD_IN_GRAD, SOFTMAX_BACKWARD_IN_SUMS };

void fast_softmax_backward(const StageArgs *args)
{
    const Tensor *weights = &args->in[SOFTMAX_BACKWARD_IN_WEIGHTS],
                 *grad_weights = &args->in[SOFTMAX_BACKWARD_IN_GRAD],
                 *row_sums = &args->in[SOFTMAX_BACKWARD_IN_SUMS];
    Tensor grad_scores = args->out[0];
    if (!fast_has_rows(weights) || !fast_has_rows(grad_weights) || !fast_has_rows(row_sums) ||
        !fast_has_rows(&grad_scores)) {
        fast_by_definition(&stage_softmax_backward, args);
        return;
    }
    for (ptrdiff_t b = 0; b < weights->shape[0]; b++)
        for (ptrdiff_t h = 0; h < weights->shape[1]; h++) {
            KernelRows of_weights = fast_rows(weights, b, h),
                       of_grad = fast_rows(grad_weights, b, h);
            args->kernel->softmax_backward(&of_weights, &of_grad, tensor_at3(row_sums, b, h, 0),
                                           tensor_at4(&grad_scores, b, h, 0, 0),
                                           grad_scores.stride[2]);
        }
}

// --- mask_backward
//
// A kernel replaces the gradients of forbidden scores by 0.

enum { MASK_BACKWARD_IN_GRAD, MASK_BACKWARD_IN_MASK };

void fast_mask_backward(const StageArgs *args)
{
    Tensor grad_scores = args->out[0];
    fast_replace_masked(args, &args->in[MASK_BACKWARD_IN_GRAD], &args->in[MASK_BACKWARD_IN_MASK],
                        0.0f, &grad_scores);
}

// --- score_backward_k and weighted_sum_backward_v
//
// For each head, the first tensor's matrix, transposed, times the panels of the second.

void fast_product_of_transposed(const StageArgs *args)
{
    fast_product_of_heads(args, true, NULL);
}

// --- view_backward
//
// Copies each head's row whole.

void fast_view_backward(const StageArgs *args)
{
    Tensor grad_q = args->out[0];
    fast_side_by_side(args->kernel, &args->in[0], &grad_q);
}

// --- gradient_sum and residual
//
// One loop if all three tensors are contiguous.

enum { SUM_IN_ONE, SUM_IN_OTHER };

void fast_sum(const StageArgs *args)
{
    const Tensor *one = &args->in[SUM_IN_ONE], *other = &args->in[SUM_IN_OTHER];
    Tensor sum = args->out[0];
    if (!tensor_is_contiguous(one) || !tensor_is_contiguous(other) || !tensor_is_contiguous(&sum)) {
        fast_by_definition(&stage_gradient_sum, args);
        return;
    }
    const float *a = one->storage.f32 + one->offset, *b = other->storage.f32 + other->offset;
    float *out = sum.storage.f32 + sum.offset;
    ptrdiff_t count = tensor_count(&sum);
    for (ptrdiff_t i = 0; i < count; i++)
        out[i] = a[i] + b[i];
}
