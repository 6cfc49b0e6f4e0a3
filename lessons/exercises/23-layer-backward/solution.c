// Attention, backward: from the gradient of the output to that of x. Computes the forward numbers that it
// needs again.
#include "attnscope.h"

#include <stdlib.h>

// Buffers for one sequence. Rows are tokens; columns are those of all heads, or the keys of the current head.
typedef struct Layer {
    const Tensor *x, *w_q, *w_k, *w_v, *w_o, *grad_output;
    ptrdiff_t b, length, heads, d_k, d_v;
    bool causal;
    float *q, *k, *v, *grad_q, *grad_k, *grad_v, *grad_context, *weights, *grad_scores;
} Layer;

static float *room(ptrdiff_t rows, ptrdiff_t columns)
{
    return calloc((size_t)(rows * columns), sizeof(float));
}

static void project(const Layer *layer, const Tensor *weight, float *out)
{
    for (ptrdiff_t l = 0; l < layer->length; l++)
        for (ptrdiff_t o = 0; o < weight->shape[0]; o++) {
            float sum = 0.0f;
            for (ptrdiff_t d = 0; d < weight->shape[1]; d++)
                sum += *tensor_at3(layer->x, layer->b, l, d) * *tensor_at2(weight, o, d);
            out[l * weight->shape[0] + o] = sum;
        }
}

// Adds one linear layer's gradient to that of x.
static void pull(const Layer *layer, const float *grad, const Tensor *weight, Tensor *grad_x)
{
    for (ptrdiff_t l = 0; l < layer->length; l++)
        for (ptrdiff_t d = 0; d < weight->shape[1]; d++) {
            float sum = 0.0f;
            for (ptrdiff_t o = 0; o < weight->shape[0]; o++)
                sum += grad[l * weight->shape[0] + o] * *tensor_at2(weight, o, d);
            *tensor_at3(grad_x, layer->b, l, d) += sum;
        }
}

static void output_backward(Layer *layer)
{
    ptrdiff_t width = layer->heads * layer->d_v;
    for (ptrdiff_t l = 0; l < layer->length; l++)
        for (ptrdiff_t c = 0; c < width; c++) {
            float sum = 0.0f;
            for (ptrdiff_t o = 0; o < layer->w_o->shape[0]; o++)
                sum +=
                    *tensor_at3(layer->grad_output, layer->b, l, o) * *tensor_at2(layer->w_o, o, c);
            layer->grad_context[l * width + c] = sum;
        }
}

static float dot(const float *a, const float *b, ptrdiff_t count)
{
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < count; d++)
        sum += a[d] * b[d];
    return sum;
}

// The weights of query i, and the gradient of its unscaled scores.
static void row(Layer *layer, ptrdiff_t h, ptrdiff_t i)
{
    ptrdiff_t length = layer->length, dk = layer->heads * layer->d_k,
              dv = layer->heads * layer->d_v;
    const float *q = layer->q + i * dk + h * layer->d_k;
    const float *grad_context = layer->grad_context + i * dv + h * layer->d_v;
    float *weights = layer->weights + i * length, *grad = layer->grad_scores + i * length;
    float max = -INFINITY, sum = 0.0f, mean = 0.0f, scale = sqrtf((float)layer->d_k);
    for (ptrdiff_t j = 0; j < length; j++) {
        float score = dot(q, layer->k + j * dk + h * layer->d_k, layer->d_k) / scale;
        weights[j] = layer->causal && j > i ? -INFINITY : score;
        max = fmaxf(max, weights[j]);
    }
    for (ptrdiff_t j = 0; j < length; j++)
        sum += weights[j] = expf(weights[j] - max);
    for (ptrdiff_t j = 0; j < length; j++) {
        weights[j] /= sum;
        grad[j] = dot(grad_context, layer->v + j * dv + h * layer->d_v, layer->d_v);
        mean += weights[j] * grad[j];
    }
    for (ptrdiff_t j = 0; j < length; j++)
        grad[j] = weights[j] * (grad[j] - mean) / scale;
}

static void head(Layer *layer, ptrdiff_t h)
{
    ptrdiff_t length = layer->length, dk = layer->heads * layer->d_k,
              dv = layer->heads * layer->d_v;
    for (ptrdiff_t i = 0; i < length; i++)
        row(layer, h, i);
    for (ptrdiff_t i = 0; i < length; i++)
        for (ptrdiff_t j = 0; j < length; j++) {
            float weight = layer->weights[i * length + j],
                  grad = layer->grad_scores[i * length + j];
            for (ptrdiff_t d = h * layer->d_v; d < (h + 1) * layer->d_v; d++)
                layer->grad_v[j * dv + d] += weight * layer->grad_context[i * dv + d];
            for (ptrdiff_t d = h * layer->d_k; d < (h + 1) * layer->d_k; d++) {
                layer->grad_q[i * dk + d] += grad * layer->k[j * dk + d];
                layer->grad_k[j * dk + d] += grad * layer->q[i * dk + d];
            }
        }
}

static void sequence(Layer *layer, Tensor *grad_x)
{
    ptrdiff_t length = layer->length, dk = layer->heads * layer->d_k,
              dv = layer->heads * layer->d_v;
    float **rooms[] = {&layer->q,          &layer->k,      &layer->grad_q,       &layer->grad_k,
                       &layer->v,          &layer->grad_v, &layer->grad_context, &layer->weights,
                       &layer->grad_scores};
    const ptrdiff_t columns[] = {dk, dk, dk, dk, dv, dv, dv, length, length};
    for (int i = 0; i < 9; i++)
        *rooms[i] = room(length, columns[i]);
    project(layer, layer->w_q, layer->q);
    project(layer, layer->w_k, layer->k);
    project(layer, layer->w_v, layer->v);
    output_backward(layer);
    for (ptrdiff_t h = 0; h < layer->heads; h++)
        head(layer, h);
    pull(layer, layer->grad_v, layer->w_v, grad_x);
    pull(layer, layer->grad_k, layer->w_k, grad_x);
    pull(layer, layer->grad_q, layer->w_q, grad_x);
    for (int i = 0; i < 9; i++)
        free(*rooms[i]);
}

void layer_backward(const Tensor *x, const Tensor *w_q, const Tensor *w_k, const Tensor *w_v,
                    const Tensor *w_o, const Tensor *grad_output, ptrdiff_t heads, bool causal,
                    Tensor *grad_x)
{
    for (ptrdiff_t b = 0; b < x->shape[0]; b++) {
        for (ptrdiff_t l = 0; l < x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                *tensor_at3(grad_x, b, l, d) = 0.0f;
        Layer layer = {.x = x,
                       .w_q = w_q,
                       .w_k = w_k,
                       .w_v = w_v,
                       .w_o = w_o,
                       .grad_output = grad_output,
                       .b = b,
                       .length = x->shape[1],
                       .heads = heads,
                       .d_k = w_q->shape[0] / heads,
                       .d_v = w_v->shape[0] / heads,
                       .causal = causal};
        sequence(&layer, grad_x);
    }
}
