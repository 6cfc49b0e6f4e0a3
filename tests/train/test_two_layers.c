// Models of two and of three layers that learn, against PyTorch (tests/torch/layers.py): the residual stream at every
// point, logits, loss and gradients, and the weights after three steps of AdamW. And `train induction` and
// `train memory`: their texts, their learning rate, and the same bits whatever the way.
#include "measure.h"
#include "training.h"
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

// The ids and answers of the files.
static const char text[] =
    "input: {ids: [[3, 4, 0, 5, 0, 0], [0, 6, 0, 5, 6, 4]], "
    "targets: {next: [[4, 0, 5, 0, 0, ~], [~, 0, 5, 6, 4, ~]]}}\n"
    "model: {vocabulary: 7, questions: [next], d_model: 8, heads: 2, residual: true}\n"
    "weights: {file: layers.npz, layout: proj, layers: %d}\n"
    "attention: {mask: causal, rope: 10000, rope_neighbours: true}\n"
    "backward: true\n";

static const char *const files[] = {"golden/training/two_layers.npz",
                                    "golden/training/three_layers.npz"};
enum { FILES = sizeof files / sizeof *files };

static int layers;

// The model of files[which], run forward and back.
static void open_it(int which)
{
    size_t length;
    char yaml[sizeof text + 16];
    const char *path = test_file(files[which]);
    layers = which + 2;
    scratch_open();
    unsigned char *bytes = scratch_read(path, &length);
    scratch_write("layers.npz", bytes, length);
    free(bytes);
    arena = (Arena){0};
    file = tensor_file_open(path, &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    snprintf(yaml, sizeof yaml, text, layers);
    ScenarioRequest request = {.what = scratch_write("layers.yaml", yaml, strlen(yaml))};
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

// Embedding, readout, and four weights of each layer.
enum { WEIGHTS_MOST = 2 + 4 * (FILES + 1), NUMBERS_MAX = 64, NAME_BYTES = 64 };

static int weight_count(void)
{
    return 2 + 4 * layers;
}

// "layer1.k_proj.weight" for us, "layers.1.k_proj.weight" in the file.
static void name_weight(int number, char ours[NAME_BYTES], char theirs[NAME_BYTES])
{
    static const char *const ends[] = {"embedding", "readout"};
    static const char *const parts[] = {"q_proj", "k_proj", "v_proj", "out_proj"};
    int layer = (number - 2) / 4;
    const char *part = parts[(number - 2 + 4) % 4];
    char before[16] = "";
    if (layer > 0)
        snprintf(before, sizeof before, "layer%d.", layer);
    if (number < 2) {
        snprintf(ours, NAME_BYTES, "%s.weight", ends[number]);
        snprintf(theirs, NAME_BYTES, "%s.weight", ends[number]);
    } else {
        snprintf(ours, NAME_BYTES, "%s%s.weight", before, part);
        snprintf(theirs, NAME_BYTES, "layers.%d.%s.weight", layer, part);
    }
}

FIXTURE(NULL, close_it)

LOOP_TEST(layers_are_pytorchs, FILES)
{
    open_it(_i);
    compare("x", "residual.0", 2e-6);
    compare("output_residual", "residual.1", 2e-6);
    compare("layer1.output_residual", "residual.2", 2e-6);
    compare("attn_weights", "attn_weights.0", 2e-6);
    compare("layer1.attn_weights", "attn_weights.1", 2e-6);
    if (layers == 3) {
        compare("layer2.output_residual", "residual.3", 2e-6);
        compare("layer2.attn_weights", "attn_weights.2", 2e-6);
    }
    compare("logits", "logits", 2e-6);
    compare("loss", "loss.1", 2e-6);
}

LOOP_TEST(gradients_go_back_through_the_layers, FILES)
{
    char ours[NAME_BYTES], theirs[NAME_BYTES];
    char gradient[NAME_BYTES + 8], wanted[NAME_BYTES + 8];
    open_it(_i);
    for (int i = 0; i < weight_count(); i++) {
        name_weight(i, ours, theirs);
        snprintf(gradient, sizeof gradient, "grad.%s", ours);
        snprintf(wanted, sizeof wanted, "%s.grad", theirs);
        compare(gradient, wanted, 4e-6);
    }
}

// Each gradient comes from its own layer's steps, and every step knows its layer.
LOOP_TEST(steps_of_the_way_back_are_in_their_layer, FILES)
{
    char name[64], begins[16];
    int all, seen[1 + FILES + 1] = {0};
    open_it(_i);
    for (int step = 0; step < trace.step_count; step++) {
        int layer = trace.steps[step].layer;
        seen[1 + trace_step_layer(&trace, step, &all)] += trace.steps[step].call->of != NULL;
        snprintf(begins, sizeof begins, "layer%d ", layer);
        if (layer > 0)
            ck_assert_msg(strncmp(trace_step_name(&trace, step, name), begins, 7) == 0, "%s", name);
    }
    ck_assert_int_eq(all, layers);
    ck_assert_int_gt(seen[0], 0); // readout and embedding
    ck_assert_int_gt(seen[1], 20);
    for (int layer = 1; layer < layers; layer++)
        ck_assert_int_eq(seen[1], seen[1 + layer]);
}

LOOP_TEST(three_steps_of_adamw_are_pytorchs, FILES)
{
    static float m[WEIGHTS_MOST][NUMBERS_MAX], v[WEIGHTS_MOST][NUMBERS_MAX];
    char name[NAME_BYTES + 8], ours[NAME_BYTES], theirs[NAME_BYTES];
    Optimizer adam = optimizer_adam(1e-2f, 0.9f, 0.98f);
    adam.decay = 0.1f;
    memset(m, 0, sizeof m);
    memset(v, 0, sizeof v);
    open_it(_i);
    for (int step = 1; step <= 3; step++) {
        snprintf(name, sizeof name, "loss.%d", step);
        compare("loss", name, 4e-6);
        optimizer_begin(&adam);
        for (int i = 0; i < weight_count(); i++) {
            name_weight(i, ours, theirs);
            const Tensor *weight = tensor_named(ours);
            snprintf(name, sizeof name, "grad.%s", ours);
            ck_assert_int_le(tensor_count(weight), NUMBERS_MAX);
            optimizer_step(&adam, (size_t)tensor_count(weight), tensor_named(name)->storage.f32,
                           m[i], v[i], weight->storage.f32);
        }
        trace_renew(&trace);
        ck_assert_msg(trace_run(&trace, &err), "%s", err.text);
    }
    for (int i = 0; i < weight_count(); i++) {
        name_weight(i, ours, theirs);
        snprintf(name, sizeof name, "%s.after", theirs);
        compare(ours, name, 2e-5);
    }
}

// --- texts that repeat

// What stands behind the last earlier place of the word at `at`; -1: it was not said before.
static int said_behind(const GrammarText *said, int at)
{
    for (int before = at - 1; before >= 0; before--)
        if (said->words[before] == said->words[at])
            return before + 1;
    return -1;
}

static void check_text(const Grammar *grammar, const GrammarText *said)
{
    int asked = 0, guessed = 0;
    ck_assert_int_eq(said->length, 24);
    for (int at = 0; at < said->length; at++) {
        int where = said->where[QUESTION_NEXT][at], answer = said->answers[QUESTION_NEXT][at];
        ck_assert(said->words[at] >= 0 && said->words[at] < grammar->word_count);
        ck_assert(where < 0 || answer >= 0);
        ck_assert(answer < 0 || answer == said->words[at + 1]); // it is what comes next
        guessed += where < 0 && answer >= 0;
        if (where < 0)
            continue;
        asked++;
        ck_assert_int_eq(where, said_behind(said, at));
        ck_assert_int_eq(answer, said->words[where]);
        ck_assert(said->period == 0 || said->words[at] == said->words[at - said->period]);
    }
    // the second half's four names; or all that is said a second time, but the last
    ck_assert_int_eq(asked, said->period ? 24 - said->period - 1 : 4);
    ck_assert_int_eq(guessed, said->period ? 0 : 8 + 4); // full stops, and names said before
}

FIXTURE(NULL, NULL)

TEST(the_next_word_is_asked_where_the_text_has_told_it)
{
    static const Grammar *const grammars[] = {&grammar_pieces, &grammar_memory,
                                              &grammar_memory_korean};
    Generator generator;
    GrammarText said;
    int held_out = 0;
    generator_seed(&generator, 3);
    for (int i = 0; i < 3000; i++) {
        grammar_draw(grammars[i % 3], &generator, &said);
        check_text(grammars[i % 3], &said);
        held_out += said.is_held_out;
    }
    ck_assert_int_gt(held_out, 450); // a fifth
    ck_assert_int_lt(held_out, 750);
}

// torch.manual_seed(0): randint(0, 6, (1,)) is 2, so the piece has 8 letters, and then randperm(20) begins
// with 19, 1, 8, 5, 15, 12, 9, 11 (torch 1.13).
TEST(pieces_are_drawn_as_pytorch_draws_them)
{
    static const int piece[] = {19, 1, 8, 5, 15, 12, 9, 11};
    Generator generator;
    GrammarText said;
    generator_seed(&generator, 0);
    grammar_draw(&grammar_pieces, &generator, &said);
    ck_assert_int_eq(said.period, 8);
    for (int at = 0; at < said.length; at++)
        ck_assert_int_eq(said.words[at], piece[at % said.period]);
}

// --- the training

static TrainingRecipe short_recipe(void)
{
    TrainingRecipe recipe = training_recipe(&grammar_pieces);
    recipe.steps = 12;
    recipe.batch = 5;
    recipe.width = 12;
    recipe.threads = 1;
    return recipe;
}

static void open_training(Training *training, const TrainingRecipe *recipe)
{
    ck_assert_msg(training_open(training, recipe, &err), "%s", err.text);
}

static void train_to(Training *training, int64_t step)
{
    while (training->step < step)
        ck_assert_msg(training_step(training, &err), "%s", err.text);
}

static void check_same(const Training *a, const Training *b)
{
    ck_assert_int_eq(a->weight_count, b->weight_count);
    for (int i = 0; i < a->weight_count; i++)
        ck_assert_mem_eq(a->weights[i].storage.bytes, b->weights[i].storage.bytes,
                         (size_t)tensor_count(&a->weights[i]) * sizeof(float));
}

static Training one, other; // with generators: large

static int asked_in_batch(const Training *training)
{
    int asked = 0;
    for (int b = 0; b < training->batch.count; b++)
        for (int at = 0; at < training->batch.texts[b].length; at++)
            asked += training->batch.texts[b].answers[QUESTION_NEXT][at] >= 0;
    return asked;
}

// Of each text at first the four names, then eight full stops and four names more.
TEST(guesses_are_asked_in_the_second_half)
{
    TrainingRecipe recipe = short_recipe();
    recipe.grammar = &grammar_memory;
    recipe.steps = 4;
    open_training(&one, &recipe);
    for (int step = 1; step <= 4; step++) {
        train_to(&one, step);
        ck_assert_int_eq(asked_in_batch(&one), recipe.batch * (step <= 2 ? 4 : 16));
    }
    training_close(&one);
}

TEST(threads_and_a_break_leave_the_bits)
{
    TrainingRecipe recipe = short_recipe(), threaded = recipe;
    threaded.threads = 3;
    scratch_open();
    open_training(&one, &recipe);
    train_to(&one, 5);
    const char *path = scratch_path("part.safetensors");
    ck_assert_msg(training_write_checkpoint(&one, path, &err), "%s", err.text);
    train_to(&one, recipe.steps);
    open_training(&other, &threaded);
    ck_assert_msg(training_read_checkpoint(&other, path, &err), "%s", err.text);
    ck_assert_int_eq(other.step, 5);
    ck_assert(one.has_loss && !other.has_loss); // the file does not keep it
    train_to(&other, recipe.steps);
    check_same(&one, &other);
    ck_assert_int_eq(one.weight_count, 10); // embedding, readout, four of each layer
    ck_assert_str_eq(one.names[9], "layer1.out_proj.weight");
    ck_assert_str_eq(one.file_names[9], "layers.1.out_proj.weight");
    training_close(&other);
    recipe.layers = threaded.layers = 1; // is another training
    open_training(&other, &threaded);
    ck_assert(!training_read_checkpoint(&other, path, &err));
    training_close(&other);
    training_close(&one);
    scratch_close();
}

// 0.01 * 1/50 * (1 + cos(pi/400)) / 2; 0.01 * (1 + cos(pi/2)) / 2 = 0.005; 0.02 of 0.01 at the end.
TEST(the_rate_rises_and_falls)
{
    TrainingRecipe recipe = training_recipe(&grammar_memory);
    open_training(&one, &recipe);
    ck_assert_float_eq_tol(training_rate(&one), 0.0002f, 1e-7f);
    one.step = 199;
    ck_assert_float_eq_tol(training_rate(&one), 0.005f, 1e-8f);
    one.step = 399;
    ck_assert_float_eq_tol(training_rate(&one), 0.0002f, 1e-9f);
    training_close(&one);
}

// The weights that a person opens are those that the training has: without a head of a layer its part of the
// residual stream is missing, and only there.
TEST(heads_are_counted_through_the_layers)
{
    TrainingRecipe recipe = short_recipe();
    Measure measure;
    char name[16];
    recipe.heads = 2;
    open_training(&one, &recipe);
    ck_assert_int_eq(training_heads(&recipe), 4);
    ck_assert_str_eq(training_head_name(&recipe, 3, name), "1.1");
    ck_assert_msg(measure_training(&one, 0, &measure, &err), "%s", err.text);
    ck_assert_int_gt(measure.rows[QUESTION_BEFORE], measure.rows[QUESTION_NEXT]);
    for (int h = 0; h < 4; h++) {
        Measure without;
        ck_assert_msg(measure_training(&one, 1u << h, &without, &err), "%s", err.text);
        ck_assert_double_eq(without.right[QUESTION_NEXT], measure.right_without[QUESTION_NEXT][h]);
    }
    ck_assert(!measure.is_learned && !measure.is_clear);
    training_close(&one);
}

// Queries of zeros look everywhere alike: without a mask at the next word with 1/24, with one never.
TEST(the_weight_on_the_next_word_is_measured)
{
    for (int unmasked = 0; unmasked < 2; unmasked++) {
        TrainingRecipe recipe = short_recipe();
        Measure measure;
        recipe.unmasked = unmasked;
        open_training(&one, &recipe);
        ck_assert_int_eq(recipe.grammar->length, 24);
        for (int i = 0; i < one.weight_count; i++)
            if (strstr(one.file_names[i], "q_proj"))
                memset(one.weights[i].storage.f32, 0,
                       (size_t)tensor_count(&one.weights[i]) * sizeof(float));
        ck_assert_msg(measure_training(&one, 0, &measure, &err), "%s", err.text);
        for (int h = 0; h < training_heads(&recipe); h++)
            ck_assert_double_eq_tol(measure.ahead[h], unmasked / 24.0, 1e-7);
        training_close(&one);
    }
}

TEST(a_scenario_says_the_shape)
{
    ScenarioRequest request = {.what = "induction",
                               .sets = (const char *const[]){"model.heads=2", "weights.layers=3",
                                                             "attention.mask=none",
                                                             "weights.file=none.npz"},
                               .set_count = 4,
                               .shape_only = true};
    TrainingRecipe recipe;
    Scenario shape;
    ck_assert_msg(scenario_open(&shape, &request, &err), "%s", err.text);
    ck_assert_msg(training_recipe_of(&shape, &recipe, &err), "%s", err.text);
    ck_assert_ptr_eq(recipe.grammar, &grammar_pieces);
    ck_assert_int_eq(recipe.heads, 2);
    ck_assert_int_eq(recipe.layers, 3);
    ck_assert(recipe.unmasked && !recipe.unplaced);
    shape.options.residual = false;
    ck_assert(!training_recipe_of(&shape, &recipe, &err));
    ck_assert_str_eq(err.text,
                     "induction lacks model.residual, with which train's layers learn such texts");
    scenario_finish(&shape);
}

SUITE("two_layers")
