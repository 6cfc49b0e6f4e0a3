// overlap: see overlap.h.
//
//   d overlap / d share[q,h]    = others[q,h] = sum over r != q of share[r,h]
//   d overlap / d loudness[q,h] = (others[q,h] - sum over heads of others[q,h] * share[q,h])
//                                 / sum over heads of loudness[q,h]
//   d overlap / d heard[q,v,i]  = 2 * heard[q,v,i] * d overlap / d loudness[q,h]
//   d overlap / d readout       = d overlap / d heard times out_proj transposed
//   d overlap / d out_proj      = readout transposed times d overlap / d heard
#include "overlap.h"

#include <assert.h>
#include <string.h>
#include "matrix_product.h"

typedef struct Shares {
    int questions, heads;
    double share[OVERLAP_QUESTIONS_MAX][OVERLAP_HEADS_MAX];
    double total[OVERLAP_QUESTIONS_MAX]; // loudness of all heads
} Shares;

bool overlap_take(const Tensor *out_proj, const Tensor *readout, Arena *arena, Overlap *overlap,
                  Error *err)
{
    assert(readout->shape[0] <= OVERLAP_QUESTIONS_MAX);
    return tensor_take(arena, DTYPE_F32, 3, readout->shape, &overlap->heard, err) &&
           tensor_take(arena, DTYPE_F32, 3, readout->shape, &overlap->slope_readout, err) &&
           tensor_take(arena, DTYPE_F32, 2, out_proj->shape, &overlap->slope_out, err);
}

// Stacks the questions: contiguous (Q, V, D) as (Q * V, D).
static Tensor stacked(const Tensor *tensor)
{
    const ptrdiff_t shape[] = {tensor->shape[0] * tensor->shape[1], tensor->shape[2]};
    return tensor_over(tensor->storage.f32, DTYPE_F32, 2, shape);
}

// The loudness of a question's heads, of all questions at once: a sum waits for its last addition, but not for
// other sums.
static void take_loudness(const Tensor *heard, Shares *shares)
{
    ptrdiff_t width = heard->shape[2] / shares->heads;
    memset(shares->share, 0, sizeof shares->share);
    for (ptrdiff_t v = 0; v < heard->shape[1]; v++)
        for (int h = 0; h < shares->heads; h++)
            for (ptrdiff_t i = h * width; i < (h + 1) * width; i++)
                for (int q = 0; q < shares->questions; q++) {
                    double value = (double)*tensor_at3(heard, q, v, i);
                    shares->share[q][h] += value * value;
                }
}

static void take_shares(const Tensor *heard, Shares *shares)
{
    take_loudness(heard, shares);
    for (int q = 0; q < shares->questions; q++) {
        double *share = shares->share[q];
        shares->total[q] = 0.0;
        for (int h = 0; h < shares->heads; h++)
            shares->total[q] += share[h];
        for (int h = 0; h < shares->heads; h++)
            share[h] /= shares->total[q];
    }
}

static double others(const Shares *shares, int q, int h)
{
    double sum = 0.0;
    for (int r = 0; r < shares->questions; r++)
        sum += r != q ? shares->share[r][h] : 0.0;
    return sum;
}

// Half of the sum over ordered pairs. Each question's own share is where its slopes begin.
static double overlap_of(const Shares *shares, double mean[])
{
    double sum = 0.0;
    for (int q = 0; q < shares->questions; q++) {
        mean[q] = 0.0;
        for (int h = 0; h < shares->heads; h++)
            mean[q] += others(shares, q, h) * shares->share[q][h];
        sum += mean[q];
    }
    return 0.5 * sum;
}

// The slopes of one question; they replace `heard`.
static void take_slopes(const Shares *shares, int q, double mean, const Tensor *heard)
{
    ptrdiff_t width = heard->shape[2] / shares->heads;
    for (int h = 0; h < shares->heads; h++) {
        double slope = 2.0 * (others(shares, q, h) - mean) / shares->total[q];
        for (ptrdiff_t v = 0; v < heard->shape[1]; v++)
            for (ptrdiff_t i = h * width; i < (h + 1) * width; i++) {
                float *at = tensor_at3(heard, q, v, i);
                *at = (float)(slope * (double)*at);
            }
    }
}

double overlap_measure(const Kernel *kernel, const Tensor *out_proj, const Tensor *readout,
                       int heads, const Overlap *overlap)
{
    Shares shares = {.questions = (int)readout->shape[0], .heads = heads};
    const Tensor *heard = &overlap->heard;
    Tensor rows = stacked(readout), heard_rows = stacked(heard);
    Tensor slope_rows = stacked(&overlap->slope_readout);
    Tensor rows_across = tensor_transpose(&rows, 0, 1);
    Tensor out_across = tensor_transpose(out_proj, 0, 1);
    double mean[OVERLAP_QUESTIONS_MAX];
    matrix_product_once(kernel, &rows, out_proj, &heard_rows);
    take_shares(heard, &shares);
    double sum = overlap_of(&shares, mean);
    for (int q = 0; q < shares.questions; q++)
        take_slopes(&shares, q, mean[q], heard);
    matrix_product_once(kernel, &heard_rows, &out_across, &slope_rows);
    matrix_product_once(kernel, &rows_across, &heard_rows, &overlap->slope_out);
    return sum;
}
