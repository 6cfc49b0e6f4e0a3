// Plain C around a BLAS as a peer of `attnscope bench`; README.md beside this file has the protocol.
// Built by hand: cc -O3 -march=native peer_blas.c -lopenblas -lm
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void openblas_set_num_threads(int threads);

typedef struct Walk {
    int batch, length, width, heads;
    char mask[16];
    float *table, *x, *weight[4], *bias[4], *projected[3];
    float *scores, *scaled, *masked, *weights, *context, *concat, *output;
    int *ids, *lengths;
} Walk;

static float *numbers(size_t count)
{
    float *memory = malloc(count * sizeof *memory);
    if (!memory)
        exit(1);
    for (size_t i = 0; i < count; i++)
        memory[i] = (float)((double)rand() / RAND_MAX - 0.5);
    return memory;
}

static void open_walk(Walk *walk)
{
    size_t tokens = (size_t)walk->batch * walk->length, width = walk->width;
    size_t pairs = tokens * walk->length * walk->heads;
    walk->table = numbers(100 * width);
    walk->x = numbers(tokens * width);
    for (int i = 0; i < 4; i++) {
        walk->weight[i] = numbers(width * width);
        walk->bias[i] = numbers(width);
    }
    for (int i = 0; i < 3; i++)
        walk->projected[i] = numbers(tokens * width);
    walk->scores = numbers(pairs);
    walk->scaled = numbers(pairs);
    walk->masked = numbers(pairs);
    walk->weights = numbers(pairs);
    walk->context = numbers(tokens * width);
    walk->concat = numbers(tokens * width);
    walk->output = numbers(tokens * width);
    walk->ids = calloc(tokens, sizeof *walk->ids);
    walk->lengths = calloc(walk->batch, sizeof *walk->lengths);
    for (size_t i = 0; i < tokens; i++)
        walk->ids[i] = rand() % 100;
    for (int b = 0; b < walk->batch; b++)
        walk->lengths[b] = 1 + rand() % walk->length;
}

static void linear(const Walk *walk, const float *x, int layer, float *out)
{
    int tokens = walk->batch * walk->length, width = walk->width;
    for (int token = 0; token < tokens; token++)
        memcpy(out + (size_t)token * width, walk->bias[layer], width * sizeof *out);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, tokens, width, width, 1.0f, x, width,
                walk->weight[layer], width, 1.0f, out, width);
}

static void softmax(const float *in, int count, float *out)
{
    float max = -INFINITY, sum = 0.0f;
    for (int j = 0; j < count; j++)
        max = fmaxf(max, in[j]);
    for (int j = 0; j < count; j++)
        sum += out[j] = expf(in[j] - max);
    for (int j = 0; j < count; j++)
        out[j] /= sum;
}

static int forbids(const Walk *walk, int b, int i, int j)
{
    return walk->mask[0] == 'c' ? j > i : j >= walk->lengths[b];
}

static void attend(Walk *walk, int b, int h)
{
    int length = walk->length, width = walk->width, d = width / walk->heads;
    size_t place = (size_t)b * length * width + (size_t)h * d;
    size_t head = (size_t)(b * walk->heads + h), pairs = head * length * length;
    float *scores = walk->scores + pairs, *scaled = walk->scaled + pairs;
    float *masked = walk->masked + pairs, *weights = walk->weights + pairs;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, length, length, d, 1.0f,
                walk->projected[0] + place, width, walk->projected[1] + place, width, 0.0f, scores,
                length);
    float divisor = sqrtf((float)d);
    for (int i = 0; i < length * length; i++)
        scaled[i] = scores[i] / divisor;
    const float *last = scaled;
    if (walk->mask[0] != 'n') {
        for (int i = 0; i < length; i++)
            for (int j = 0; j < length; j++)
                masked[i * length + j] =
                    forbids(walk, b, i, j) ? -INFINITY : scaled[i * length + j];
        last = masked;
    }
    for (int i = 0; i < length; i++)
        softmax(last + (size_t)i * length, length, weights + (size_t)i * length);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, length, d, length, 1.0f, weights, length,
                walk->projected[2] + place, width, 0.0f, walk->context + head * length * d, d);
}

static void run(Walk *walk)
{
    int length = walk->length, width = walk->width, d = width / walk->heads;
    if (walk->mask[0] == 'p')
        for (int token = 0; token < walk->batch * length; token++)
            memcpy(walk->x + (size_t)token * width, walk->table + (size_t)walk->ids[token] * width,
                   width * sizeof *walk->x);
    for (int i = 0; i < 3; i++)
        linear(walk, walk->x, i, walk->projected[i]);
    for (int b = 0; b < walk->batch; b++)
        for (int h = 0; h < walk->heads; h++)
            attend(walk, b, h);
    for (int b = 0; b < walk->batch; b++)
        for (int l = 0; l < length; l++)
            for (int h = 0; h < walk->heads; h++)
                memcpy(walk->concat + ((size_t)b * length + l) * width + (size_t)h * d,
                       walk->context + (((size_t)b * walk->heads + h) * length + l) * d,
                       d * sizeof(float));
    linear(walk, walk->concat, 3, walk->output);
}

static double now(void)
{
    struct timespec at;
    timespec_get(&at, TIME_UTC);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

int main(void)
{
    static Walk walk;
    char line[256], name[32];
    int threads;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "open %31s %d %d %d %d %15s %d", name, &walk.batch, &walk.length,
                   &walk.width, &walk.heads, walk.mask, &threads) == 7) {
            openblas_set_num_threads(threads);
            open_walk(&walk);
            run(&walk);
            puts("ready");
        } else {
            double start = now();
            run(&walk);
            printf("%.9f\n", now() - start);
        }
        fflush(stdout);
    }
}
