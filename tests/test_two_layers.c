// A model of two layers that learns, against PyTorch (tests/torch/layers.py): the residual stream at every
// point, logits, loss and gradients, and the weights after three steps of AdamW.
#include "optimizer.h"
#include "scenario_file.h"
#include "suite.h"
#include "scratch.h"
#include "tensor_file.h"
#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Scenario scenario;
static Trace trace;
static Arena arena;
static TensorFile *file;
static Error err;

// The ids and answers of the file.
static const char text[] =
    "input: {ids: [[3, 4, 0, 5, 0, 0], [0, 6, 0, 5, 6, 4]], "
    "targets: {next: [[4, 0, 5, 0, 0, ~], [~, 0, 5, 6, 4, ~]]}}\n"
    "model: {vocabulary: 7, questions: [next], d_model: 8, heads: 2, residual: true}\n"
    "weights: {file: two_layers.npz, layout: proj, layers: 2}\n"
    "attention: {mask: causal, rope: 10000, rope_neighbours: true}\n"
    "backward: true\n";

static void open_it(void)
{
    size_t length;
    const char *path = test_file("golden/training/two_layers.npz");
    scratch_open();
    unsigned char *bytes = scratch_read(path, &length);
    scratch_write("two_layers.npz", bytes, length);
    free(bytes);
    arena = (Arena){0};
    file = tensor_file_open(path, &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    ScenarioRequest request = {.what = scratch_write("two.yaml", text, strlen(text))};
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    ck_assert_msg(trace_open(&trace, &scenario, &err), "%s", err.text);
    ck_assert_msg(trace_run(&trace, &err), "%s", err.text);
}

static void close_it(void)
{
    trace_close(&trace);
    scenario_finish(&scenario);
    tensor_file_close(file);
    arena_finish(&arena);
    scratch_close();
}

static const Tensor *tensor_named(const char *name)
{
    int number = trace_find(&trace, name);
    ck_assert_msg(number >= 0, "there is no %s", name);
    return &trace.tensors[number].tensor;
}

// PyTorch adds in another order: what differs is less than `part` of the largest number.
static void compare(const char *ours, const char *theirs, double part)
{
    Tensor want;
    const Tensor *have = tensor_named(ours);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, count = tensor_count(have);
    ck_assert_msg(tensor_file_read(file, theirs, &arena, &want, &err), "%s", err.text);
    ck_assert_msg(tensor_count(&want) == count, "%s", ours);
    double largest = 0.0;
    for (ptrdiff_t i = 0; i < count; i++)
        largest = fmax(largest, fabs((double)want.storage.f32[i]));
    for (ptrdiff_t i = 0; i < count; i++, tensor_next(have, at)) {
        double wanted = (double)want.storage.f32[i];
        double found = (double)have->storage.f32[tensor_place(have, at)];
        ck_assert_msg(fabs(wanted - found) <= part * largest, "%s[%td]: %.9g, not %.9g", ours, i,
                      found, wanted);
    }
}

static const char *const weights[][2] = {
    {"embedding.weight", "embedding.weight"},
    {"q_proj.weight", "layers.0.q_proj.weight"},
    {"k_proj.weight", "layers.0.k_proj.weight"},
    {"v_proj.weight", "layers.0.v_proj.weight"},
    {"out_proj.weight", "layers.0.out_proj.weight"},
    {"layer2.q_proj.weight", "layers.1.q_proj.weight"},
    {"layer2.k_proj.weight", "layers.1.k_proj.weight"},
    {"layer2.v_proj.weight", "layers.1.v_proj.weight"},
    {"layer2.out_proj.weight", "layers.1.out_proj.weight"},
    {"readout.weight", "readout.weight"},
};
enum { WEIGHTS = sizeof weights / sizeof *weights, NUMBERS_MAX = 64 };

START_TEST(both_layers_are_pytorchs)
{
    compare("x", "residual.0", 2e-6);
    compare("output_residual", "residual.1", 2e-6);
    compare("layer2.output_residual", "residual.2", 2e-6);
    compare("attn_weights", "attn_weights.0", 2e-6);
    compare("layer2.attn_weights", "attn_weights.1", 2e-6);
    compare("logits", "logits", 2e-6);
    compare("loss", "loss.1", 2e-6);
}
END_TEST

START_TEST(gradients_go_back_through_both_layers)
{
    char ours[64], theirs[64];
    for (int i = 0; i < WEIGHTS; i++) {
        snprintf(ours, sizeof ours, "grad.%s", weights[i][0]);
        snprintf(theirs, sizeof theirs, "%s.grad", weights[i][1]);
        compare(ours, theirs, 4e-6);
    }
}
END_TEST

// Each gradient comes from its own layer's steps, and every step knows its layer.
START_TEST(steps_of_the_way_back_are_in_their_layer)
{
    char name[64];
    int layers, seen[3] = {0};
    for (int step = 0; step < trace.step_count; step++) {
        seen[trace_step_layer(&trace, step, &layers)] += trace.steps[step].call->of != NULL;
        if (trace.steps[step].layer > 0)
            ck_assert_msg(strncmp(trace_step_name(&trace, step, name), "layer2 ", 7) == 0, "%s",
                          name);
    }
    ck_assert_int_eq(layers, 2);
    ck_assert_int_gt(seen[0], 0); // readout and embedding
    ck_assert_int_gt(seen[1], 20);
    ck_assert_int_eq(seen[1], seen[2]);
}
END_TEST

START_TEST(three_steps_of_adamw_are_pytorchs)
{
    static float m[WEIGHTS][NUMBERS_MAX], v[WEIGHTS][NUMBERS_MAX];
    char name[64];
    Optimizer adam = optimizer_adam(1e-2f, 0.9f, 0.98f);
    adam.decay = 0.1f;
    memset(m, 0, sizeof m);
    memset(v, 0, sizeof v);
    for (int step = 1; step <= 3; step++) {
        snprintf(name, sizeof name, "loss.%d", step);
        compare("loss", name, 4e-6);
        optimizer_begin(&adam);
        for (int i = 0; i < WEIGHTS; i++) {
            const Tensor *weight = tensor_named(weights[i][0]);
            snprintf(name, sizeof name, "grad.%s", weights[i][0]);
            ck_assert_int_le(tensor_count(weight), NUMBERS_MAX);
            optimizer_step(&adam, (size_t)tensor_count(weight), tensor_named(name)->storage.f32,
                           m[i], v[i], weight->storage.f32);
        }
        trace_renew(&trace);
        ck_assert_msg(trace_run(&trace, &err), "%s", err.text);
    }
    for (int i = 0; i < WEIGHTS; i++) {
        snprintf(name, sizeof name, "%s.after", weights[i][1]);
        compare(weights[i][0], name, 2e-5);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("two_layers");
    TCase *cases = tcase_create("two_layers");
    tcase_add_checked_fixture(cases, open_it, close_it);
    tcase_add_test(cases, both_layers_are_pytorchs);
    tcase_add_test(cases, gradients_go_back_through_both_layers);
    tcase_add_test(cases, steps_of_the_way_back_are_in_their_layer);
    tcase_add_test(cases, three_steps_of_adamw_are_pytorchs);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
