// Overlap: the number and its slopes against the formula in double precision and its finite differences,
// weights whose overlap is known beforehand, and trainings in which it costs something.
#include "suite.h"
#include "training.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { Q = 3, V = 5, HEADS = 3, D = 6, WIDTH = D / HEADS, OUTS = D * D, READS = Q * V * D };

// --- the formula

// What all features of one head bring to one question, squared and added.
static double loudness(const double out[], const double read[], int q, int h)
{
    double sum = 0.0;
    for (int v = 0; v < V; v++)
        for (int i = h * WIDTH; i < (h + 1) * WIDTH; i++) {
            double heard = 0.0;
            for (int d = 0; d < D; d++)
                heard += read[(q * V + v) * D + d] * out[d * D + i];
            sum += heard * heard;
        }
    return sum;
}

static double overlap(const double weights[OUTS + READS])
{
    double share[Q][HEADS], sum = 0.0;
    for (int q = 0; q < Q; q++) {
        double total = 0.0;
        for (int h = 0; h < HEADS; h++)
            total += share[q][h] = loudness(weights, weights + OUTS, q, h);
        for (int h = 0; h < HEADS; h++)
            share[q][h] /= total;
    }
    for (int h = 0; h < HEADS; h++)
        sum += share[0][h] * share[1][h] + share[0][h] * share[2][h] + share[1][h] * share[2][h];
    return sum;
}

typedef struct Layer {
    float weights[OUTS + READS];
    Tensor out, readout;
    Overlap overlap;
    Arena arena;
} Layer;

static void open_layer(Layer *layer)
{
    Error err = {.text = ""};
    *layer = (Layer){.weights = {0}};
    layer->out = tensor_over(layer->weights, DTYPE_F32, 2, (ptrdiff_t[]){D, D});
    layer->readout = tensor_over(layer->weights + OUTS, DTYPE_F32, 3, (ptrdiff_t[]){Q, V, D});
    ck_assert_msg(overlap_take(&layer->out, &layer->readout, &layer->arena, &layer->overlap, &err),
                  "%s", err.text);
}

static double measure(Layer *layer)
{
    return overlap_measure(kernel_choose(), &layer->out, &layer->readout, HEADS, &layer->overlap);
}

static void draw(Layer *layer)
{
    Generator generator;
    generator_seed(&generator, 5);
    generator_uniform(&generator, -1.0, 1.0, layer->weights, OUTS + READS);
}

static float slope_at(const Layer *layer, int i)
{
    return i < OUTS ? layer->overlap.slope_out.storage.f32[i]
                    : layer->overlap.slope_readout.storage.f32[i - OUTS];
}

TEST(slopes_are_finite_differences)
{
    const double step = 1e-5;
    double weights[OUTS + READS], largest = 0.0;
    static Layer layer;
    open_layer(&layer);
    draw(&layer);
    for (int i = 0; i < OUTS + READS; i++)
        weights[i] = (double)layer.weights[i];
    ck_assert_double_eq_tol(measure(&layer), overlap(weights), 1e-6);
    for (int i = 0; i < OUTS + READS; i++) {
        double weight = weights[i];
        weights[i] = weight + step;
        double above = overlap(weights);
        weights[i] = weight - step;
        double slope = (above - overlap(weights)) / (2.0 * step);
        weights[i] = weight;
        largest = fabs(slope) > largest ? fabs(slope) : largest;
        ck_assert_double_eq_tol((double)slope_at(&layer, i), slope, 1e-6);
    }
    ck_assert_double_gt(largest, 0.01); // there was something to be right about
    arena_finish(&layer.arena);
}

TEST(every_kernel_has_the_same_bits)
{
    static Layer best, other;
    open_layer(&best);
    draw(&best);
    measure(&best);
    for (int number = 0; kernel_get(number); number++) {
        open_layer(&other);
        draw(&other);
        overlap_measure(kernel_get(number), &other.out, &other.readout, HEADS, &other.overlap);
        for (int i = 0; i < OUTS + READS; i++)
            ck_assert_float_eq(slope_at(&other, i), slope_at(&best, i));
        arena_finish(&other.arena);
    }
    arena_finish(&best.arena);
}

// --- known beforehand

// The output projection passes everything on; question q hears the features of head[q] alone, the later
// ones more loudly, which shares leave out.
static double overlap_of_heads(const int head[Q])
{
    static Layer layer;
    open_layer(&layer);
    for (int i = 0; i < D; i++)
        layer.weights[i * D + i] = 1.0f;
    for (int q = 0; q < Q; q++)
        for (int v = 0; v < V; v++)
            layer.weights[OUTS + (q * V + v) * D + head[q] * WIDTH] = (float)(1 + q);
    double found = measure(&layer);
    arena_finish(&layer.arena);
    return found;
}

TEST(heads_that_two_questions_hear_are_counted)
{
    ck_assert_double_eq(overlap_of_heads((int[]){2, 0, 1}), 0.0);
    ck_assert_double_eq(overlap_of_heads((int[]){1, 0, 1}), 1.0);
    ck_assert_double_eq(overlap_of_heads((int[]){2, 2, 2}), 3.0);
}

// --- trainings

static void open_training(Training *training, float cost)
{
    TrainingRecipe recipe = training_recipe(&grammar_english);
    Error err = {.text = ""};
    recipe.batch = 5;
    recipe.width = 12;
    recipe.steps = 200;
    recipe.threads = 1;
    recipe.overlap_cost = cost;
    ck_assert_msg(training_open(training, &recipe, &err), "%s", err.text);
}

static void train(Training *training, int64_t until)
{
    Error err = {.text = ""};
    while (training->step < until)
        ck_assert_msg(training_step(training, &err), "%s", err.text);
}

static const float *in_trace(const Training *training, const char *name)
{
    const Trace *trace = &training->batch.trace;
    return trace->tensors[trace_find(trace, name)].tensor.storage.f32;
}

// The batch's gradients are what they are without a cost; what the two weights go by is more than that.
TEST(the_cost_is_added_beside_the_batch)
{
    static const char *const names[] = {
        [WEIGHT_OUT] = "grad.out_proj.weight", [WEIGHT_READOUT] = "grad.readout.weight"};
    static Training plain, costly;
    open_training(&plain, 0.0f);
    open_training(&costly, 4.0f);
    train(&plain, 1);
    train(&costly, 1);
    ck_assert_float_eq(plain.loss, costly.loss);
    for (WeightNumber i = 0; i < WEIGHT_COUNT; i++) {
        const Tensor *gradient = training_gradient(&costly, i);
        const float *alone = training_gradient(&plain, i)->storage.f32;
        bool moves = i == WEIGHT_OUT || i == WEIGHT_READOUT;
        size_t bytes = (size_t)tensor_count(gradient) * sizeof(float);
        ck_assert_int_eq(training_overlap_moves(&costly, i), moves);
        ck_assert(!training_overlap_moves(&plain, i));
        ck_assert_int_eq(memcmp(gradient->storage.f32, alone, bytes) != 0, moves);
        if (!moves)
            continue;
        const Tensor *slope =
            i == WEIGHT_OUT ? &costly.overlap.slope_out : &costly.overlap.slope_readout;
        ck_assert_mem_eq(in_trace(&costly, names[i]), alone, bytes);
        for (ptrdiff_t at = 0; at < tensor_count(gradient); at++)
            ck_assert_float_eq_tol(gradient->storage.f32[at],
                                   alone[at] + 4.0f * slope->storage.f32[at], 1e-6f);
    }
    training_close(&plain);
    training_close(&costly);
}

// One head is heard by all three questions: three pairs share all that they hear, 3 in all.
TEST(what_it_costs_is_told_beside_the_loss)
{
    static Training training;
    Error err = {.text = ""};
    TrainingRecipe recipe = training_recipe(&grammar_english);
    recipe.batch = 5;
    recipe.heads = 1;
    recipe.overlap_cost = 4.0f;
    ck_assert_msg(training_open(&training, &recipe, &err), "%s", err.text);
    train(&training, 1);
    ck_assert_float_eq_tol(training.paid, 12.0f, 1e-5f);
    training_close(&training);
    open_training(&training, 0.0f);
    train(&training, 1);
    ck_assert_float_eq(training.paid, 0.0f);
    training_close(&training);
}

static double overlap_after(float cost)
{
    static Training training;
    Overlap overlap;
    Arena arena = {0};
    Error err = {.text = ""};
    open_training(&training, cost);
    train(&training, 200);
    const Tensor *out = &training.weights[WEIGHT_OUT];
    const Tensor *readout = &training.weights[WEIGHT_READOUT];
    ck_assert(overlap_take(out, readout, &arena, &overlap, &err));
    double found = overlap_measure(kernel_choose(), out, readout, 3, &overlap);
    arena_finish(&arena);
    training_close(&training);
    return found;
}

// Even shares overlap by 3 * 3 / 9 = 1.
TEST(what_costs_something_becomes_less)
{
    ck_assert_double_gt(overlap_after(0.0f), 0.5);
    ck_assert_double_lt(overlap_after(5.0f), 0.1);
}

// Nobody asks what "-" is, so that its embedding has no gradient: it shrinks by half of the rate, 0.01.
TEST(weights_shrink_where_they_decay)
{
    static Training training;
    Error err = {.text = ""};
    TrainingRecipe recipe = training_recipe(&grammar_english);
    recipe.batch = 5;
    recipe.decay = 0.5f;
    ck_assert_msg(training_open(&training, &recipe, &err), "%s", err.text);
    const float *weight = training.weights[WEIGHT_EMBEDDING].storage.f32;
    float before = weight[0];
    train(&training, 1);
    ck_assert_float_ne(before, 0.0f);
    ck_assert_float_eq_tol(weight[0], 0.995f * before, 1e-7f);
    training_close(&training);
}

TEST(a_checkpoint_knows_its_cost_and_its_decay)
{
    static Training training;
    Error err = {.text = ""};
    const char *path = "overlap-checkpoint.safetensors";
    open_training(&training, 5.0f);
    train(&training, 2);
    ck_assert_msg(training_write_checkpoint(&training, path, &err), "%s", err.text);
    ck_assert_msg(training_read_checkpoint(&training, path, &err), "%s", err.text);
    training_close(&training);
    open_training(&training, 0.0f);
    ck_assert(!training_read_checkpoint(&training, path, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "heads, overlap or decay"));
    training_close(&training);
    open_training(&training, 5.0f);
    training.recipe.decay = 0.0f;
    ck_assert(!training_read_checkpoint(&training, path, &err));
    training_close(&training);
    remove(path);
}

SUITE("overlap")
