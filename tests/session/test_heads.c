// What heads do in a model of two layers, against PyTorch (tests/torch/heads.py): their shares of the logits,
// the logits at every point of the residual stream, patches, and composition. And the laws: shares add up to
// the logit's own bits, a patch of the same text changes nothing.
#include "open_lecture.h"
#include "scenario_file.h"
#include "scratch.h"
#include "suite.h"
#include "tensor_file.h"
#include "trace.h"
#include "trace_heads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "input: {words: [d, e, a, f, a, a]}\n"
    "model: {vocabulary_words: [a, b, c, d, e, f, g], questions: [next], d_model: 8, heads: 2, "
    "residual: true, parts: true}\n"
    "weights: {file: two_layers.npz, layout: proj, layers: 2}\n"
    "attention: {mask: causal, rope: 10000, rope_neighbours: true}\n";

static Scenario scenario;
static Trace trace;
static Arena arena;
static TensorFile *file;
static const char *yaml;
static Error err;

static bool open_with(const char *set)
{
    const char *sets[] = {set};
    ScenarioRequest request = {.what = yaml, .sets = sets, .set_count = set != NULL};
    return scenario_open(&scenario, &request, &err);
}

static void run_it(void)
{
    ck_assert_msg(trace_open(&trace, &scenario, &err), "%s", err.text);
    ck_assert_msg(trace_run(&trace, &err), "%s", err.text);
}

static void run_with(const char *set)
{
    ck_assert_msg(open_with(set), "%s", err.text);
    run_it();
}

static void open_all(const char *what, const char *const sets[], int count)
{
    ScenarioRequest request = {.what = what, .sets = sets, .set_count = count};
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    run_it();
}

static void end_run(void)
{
    trace_close(&trace);
    scenario_finish(&scenario);
}

static void open_it(void)
{
    size_t length;
    scratch_open();
    unsigned char *bytes = scratch_read(test_file("golden/training/two_layers.npz"), &length);
    scratch_write("two_layers.npz", bytes, length);
    free(bytes);
    yaml = scratch_write("two.yaml", text, strlen(text));
    arena = (Arena){0};
    file = tensor_file_open(test_file("golden/training/two_layers_heads.npz"), &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
}

static void close_it(void)
{
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

// PyTorch adds in another order: what differs is less than 2e-6 of the largest number.
static void compare(const char *ours, const char *theirs)
{
    Tensor want;
    const Tensor *have = tensor_named(ours);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    ck_assert_msg(tensor_file_read(file, theirs, &arena, &want, &err), "%s", err.text);
    ck_assert_int_eq(tensor_count(&want), tensor_count(have));
    double largest = 0.0;
    for (ptrdiff_t i = 0; i < tensor_count(have); i++)
        largest = fmax(largest, fabs((double)want.storage.f32[i]));
    for (ptrdiff_t i = 0; i < tensor_count(have); i++, tensor_next(have, at)) {
        double wanted = (double)want.storage.f32[i], found = tensor_number(have, at);
        ck_assert_msg(fabs(wanted - found) <= 2e-6 * largest, "%s[%td]: %.9g, not %.9g", ours, i,
                      found, wanted);
    }
}

TEST(shares_and_points_are_pytorchs)
{
    run_with(NULL);
    compare("logits", "logits");
    compare("part_logits", "part_logits");
    compare("lens", "lens");
    end_run();
}

// Bit for bit, of every word at every token; and no more than a millionth of them is rounding.
static void check_sums(void)
{
    const Tensor *logits = tensor_named("logits"), *sum = tensor_named("attributed");
    const Tensor *rounding = tensor_named("rounding");
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(logits, at)) {
        ck_assert(tensor_same_number(logits, sum, at));
        ck_assert(fabs(tensor_number(rounding, at)) < 2e-5);
    }
}

TEST(shares_add_up_to_the_logit)
{
    run_with(NULL);
    check_sums();
    end_run();
}

// "FOLDER/model.npz" of a golden model. BERT has no single matrix that makes logits; it gets one here: its
// embedding, as in tests/torch/heads.py.
static const char *model_with_readout(const char *name)
{
    enum { TENSORS_MAX = 64 };
    static const char embedding[] = "bert.embeddings.word_embeddings.weight";
    static char path[300];
    NamedTensor tensors[TENSORS_MAX];
    Tensor words;
    size_t length;
    snprintf(path, sizeof path, "golden/models/%s/model.npz", name);
    snprintf(path, sizeof path, "%s", test_file(path));
    if (strcmp(name, "bert") != 0)
        return path;
    TensorFile *from = tensor_file_open(path, &arena, &err);
    ck_assert_msg(from != NULL, "%s", err.text);
    int count = tensor_file_count(from);
    ck_assert_int_lt(count, TENSORS_MAX);
    for (int i = 0; i < count; i++) {
        tensors[i].name = tensor_file_name(from, i);
        ck_assert(tensor_file_read(from, tensors[i].name, &arena, &tensors[i].tensor, &err));
    }
    ck_assert(tensor_file_read(from, embedding, &arena, &words, &err));
    tensors[count] = (NamedTensor){"readout.weight", tensor_unsqueeze(&words, 0)};
    snprintf(path, sizeof path, "%s", scratch_path("model.npz"));
    ck_assert_msg(tensor_file_write(path, tensors, (size_t)count + 1, &err), "%s", err.text);
    tensor_file_close(from);
    unsigned char *config = scratch_read(test_file("golden/models/bert/config.json"), &length);
    scratch_write("config.json", config, length);
    free(config);
    return path;
}

// A norm divides a part by the scale of the whole stream, so that shares still add up: behind the last layer
// GPT-2's layer norm, whose bias is the last part, and LLaMA's RMS norm; in BERT two in each layer.
TEST(shares_go_through_norms_of_the_stream)
{
    static const char *const models[][2] = {
        {"gpt2", "weights.layers=3"}, {"llama", "weights.layers=2"}, {"bert", "weights.layers=2"}};
    for (int i = 0; i < 3; i++) {
        char what[310], expected[64];
        const char *sets[] = {models[i][1], "model.questions=[next]", "input.ids=[[3, 17, 0, 9]]",
                              "model.parts=true"};
        snprintf(what, sizeof what, "%s#0", model_with_readout(models[i][0]));
        open_all(what, sets, 4);
        for (int name = 0; name < 3; name++) {
            static const char *const names[] = {"logits", "part_logits", "lens"};
            snprintf(expected, sizeof expected, "%s.%s", models[i][0], names[name]);
            compare(names[name], expected);
        }
        check_sums();
        end_run();
    }
}

TEST(the_bias_of_the_last_norm_is_a_part)
{
    char what[300], name[64];
    const char *sets[] = {"weights.layers=3", "model.questions=[next]", "model.parts=true"};
    snprintf(what, sizeof what, "%s#0", test_file("golden/models/gpt2/model.npz"));
    open_all(what, sets, 3);
    ck_assert_int_eq(scenario.size[SYMBOL_PARTS], 1 + 3 * (4 + 1 + 1) + 1);
    ck_assert_str_eq(trace_part_name(&scenario, 18, name), "feed-forward 2");
    ck_assert_str_eq(trace_part_name(&scenario, 19, name), "bias of norm");
    end_run();
}

// The embedding, then of each layer three heads, their bias, the norm's, feed-forward, and its norm's bias.
TEST(biases_of_norms_behind_attention_are_parts)
{
    static const char *const names[] = {
        "head 0.2", "bias 0", "attention norm 0", "feed-forward 0", "feed-forward norm 0",
        "head 1.0"};
    char what[310], name[64];
    const char *sets[] = {"weights.layers=2", "model.parts=true", "input.ids=[[4, 2]]",
                          "model.questions=[next]"};
    snprintf(what, sizeof what, "%s#0", model_with_readout("bert"));
    open_all(what, sets, 4);
    ck_assert_int_eq(scenario.size[SYMBOL_PARTS], 1 + 2 * (3 + 1 + 1 + 1 + 1));
    for (int i = 0; i < 6; i++)
        ck_assert_str_eq(trace_part_name(&scenario, 3 + i, name), names[i]);
    end_run();
}

// One token, one head, by hand: x = (1, 7) and what attention adds, (2, 14), make (3, 21), which lies 9 about its
// mean. x is 3 about its own, so (-1/3, 1/3) of the norm is its part, and the head has twice that.
TEST(parts_of_a_norm_behind_attention_by_hand)
{
    static const char by_hand[] =
        "input: {words: [a]}\n"
        "model: {d_model: 2, qkv_bias: false, out_bias: false, norm_epsilon: 0, layer_norm: true, "
        "post_norm: true, residual: true, parts: true, vocabulary_words: [a, b], "
        "questions: [next]}\n"
        "weights: {values: {q_proj.weight: [[1, 0], [0, 1]], k_proj.weight: [[1, 0], [0, 1]], "
        "v_proj.weight: [[1, 0], [0, 1]], out_proj.weight: [[2, 0], [0, 2]], norm.weight: [1, 2], "
        "norm.bias: [0, 5], embedding.weight: [[1, 7], [0, 0]], readout.weight: [[[1, 0], [0, "
        "1]]]}}\n";
    static const float want[] = {-1 / 3.0f, 2 / 3.0f, -2 / 3.0f, 4 / 3.0f, 0, 5};
    open_all(scratch_write("hand.yaml", by_hand, strlen(by_hand)), NULL, 0);
    const Tensor *shares = tensor_named("part_logits");
    ck_assert_int_eq(tensor_count(shares), 6);
    for (int i = 0; i < 6; i++)
        ck_assert_float_eq_tol(shares->storage.f32[i], want[i], 1e-6f);
    check_sums();
    end_run();
}

// What the origin of an attributed logit tells ends in the logit; its terms are the parts, then rounding.
static int told;
static float last;

static void visit(void *context, const TraceTerm *term)
{
    (void)context;
    told++;
    last = term->running;
}

TEST(the_sum_that_is_shown_ends_in_the_logit)
{
    char name[64];
    run_with(NULL);
    TraceCell cell = {trace_find(&trace, "attributed"), {0, 0, 5, 3}};
    told = 0;
    trace_origin(&trace, cell, visit, NULL);
    ck_assert_int_eq(told, 1 + 2 * 2 + 1);
    ck_assert(last == *tensor_at4(tensor_named("logits"), 0, 0, 5, 3));
    ck_assert_str_eq(trace_part_name(&scenario, 0, name), "embedding");
    ck_assert_str_eq(trace_part_name(&scenario, 4, name), "head 1.1");
    end_run();
}

TEST(patches_are_pytorchs)
{
    static const char *const patches[][2] = {{"patch.0.1=zero", "zero.0.1"},
                                             {"patch.1.0=mean", "mean.1.0"},
                                             {"patch.0.0=\"a g a f g e\"", "from.0.0"},
                                             {"patch.0.0.4=zero", "zero.0.0.4"},
                                             {"patch.0.1.5=mean", "mean.0.1.5"},
                                             {"patch.1.0.5=\"a g a f g e\"", "from.1.0.5"}};
    for (int i = 0; i < 6; i++) {
        run_with(patches[i][0]);
        compare("logits", patches[i][1]);
        end_run();
    }
}

TEST(a_patch_of_the_same_text_changes_nothing)
{
    float before[42];
    run_with(NULL);
    memcpy(before, tensor_named("logits")->storage.f32, sizeof before);
    end_run();
    run_with("patch.1.1=\"d e a f a a\"");
    ck_assert_mem_eq(before, tensor_named("logits")->storage.f32, sizeof before);
    end_run();
}

TEST(patches_that_do_not_fit_are_refused)
{
    static const char *const wrong[][2] = {
        {"patch.2.0=zero", "0 to 1"},          {"patch.0.2=zero", "0 to 1"},
        {"patch.0.0=[1]", "zero, mean, none"}, {"patch.0=zero", "a layer"},
        {"patch.0.0=\"a b\"", "2 tokens"},     {"patch.0.0=\"x y z a b c\"", "x"},
        {"patch.0.0.6=zero", "0 to 5"},        {"patch.0.0.1=[1]", "zero, mean, none"}};
    for (int i = 0; i < 8; i++) {
        ck_assert(!open_with(wrong[i][0]));
        ck_assert_msg(strstr(err.text, wrong[i][1]) != NULL, "%s", err.text);
    }
}

TEST(composition_is_pytorchs)
{
    Tensor want, baseline;
    double ratio[COMPOSE_KINDS];
    run_with(NULL);
    ck_assert(tensor_file_read(file, "composition", &arena, &want, &err));
    ck_assert(tensor_file_read(file, "composition.random", &arena, &baseline, &err));
    for (ptrdiff_t pair = 0; pair < 4; pair++) {
        Head earlier = {0, pair / 2}, later = {1, pair % 2};
        ck_assert_msg(trace_composition(&trace, earlier, later, ratio, &err), "%s", err.text);
        for (int kind = 0; kind < COMPOSE_KINDS; kind++)
            ck_assert_double_eq_tol(ratio[kind],
                                    (double)want.storage.f32[pair * COMPOSE_KINDS + kind], 1e-6);
    }
    ck_assert(trace_composition_random(&trace, ratio, &err));
    for (int kind = 0; kind < COMPOSE_KINDS; kind++)
        ck_assert_double_eq_tol(ratio[kind], (double)baseline.storage.f32[kind], 1e-6);
    end_run();
}

// What a lecture names: the same numbers.
TEST(a_lecture_names_compositions)
{
    static const char *const wrong[] = {"composition x[0,0,1,0]", "composition k[1,0,0,0]",
                                        "composition k[0,0,1,2]", "composition k[0,0,2,0]",
                                        "composition k[0]",       "composition q_proj.weight"};
    Tensor want, baseline;
    Reference reference;
    ReferenceValue value;
    run_with(NULL);
    ck_assert(tensor_file_read(file, "composition", &arena, &want, &err));
    ck_assert(tensor_file_read(file, "composition.random", &arena, &baseline, &err));
    ck_assert(reference_parse("composition k[0,1,1,0]", &reference, &err));
    ck_assert_msg(open_lecture_trace_value(&trace, &reference, &value, &err), "%s", err.text);
    ck_assert_double_eq_tol(value.numbers[0],
                            (double)want.storage.f32[2 * COMPOSE_KINDS + COMPOSE_K], 1e-6);
    ck_assert(reference_parse("composition v", &reference, &err));
    ck_assert_msg(open_lecture_trace_value(&trace, &reference, &value, &err), "%s", err.text);
    ck_assert_double_eq_tol(value.numbers[0], (double)baseline.storage.f32[COMPOSE_V], 1e-6);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert(reference_parse(wrong[i], &reference, &err));
        ck_assert_msg(!open_lecture_trace_value(&trace, &reference, &value, &err), "%s", wrong[i]);
        ck_assert_msg(strstr(err.text, "composition k[0,0,1,0]") != NULL, "%s", err.text);
    }
    end_run();
}

// One layer and two, asked the same 64 times: the shares that a lecture names are those counted here, word by
// word. Two layers are right each time, and one about as often as a guess among four.
static double share_right(const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/09-two-heads/%s", getenv("ATTNSCOPE_LESSONS"), name);
    ScenarioRequest request = {.what = path};
    Reference reference;
    ReferenceValue value;
    int asked = 0, right = 0;
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    ck_assert_msg(trace_open(&trace, &scenario, &err), "%s", err.text);
    ck_assert_msg(trace_run(&trace, &err), "%s", err.text);
    const Tensor *targets = &scenario_tensor(&scenario, "targets")->tensor;
    const Tensor *probabilities = &trace.tensors[trace_find(&trace, "probabilities")].tensor;
    for (ptrdiff_t b = 0; b < targets->shape[0]; b++)
        for (ptrdiff_t l = 0; l < targets->shape[2]; l++) {
            int64_t target = *tensor_id3(targets, b, 0, l);
            float wanted = target < 0 ? 0.0f : *tensor_at4(probabilities, b, 0, l, target);
            bool is_largest = true;
            for (ptrdiff_t w = 0; w < probabilities->shape[3]; w++)
                is_largest = is_largest && *tensor_at4(probabilities, b, 0, l, w) <= wanted;
            asked += target >= 0;
            right += target >= 0 && is_largest;
        }
    ck_assert_int_eq(asked, 64);
    ck_assert(reference_parse("right probabilities", &reference, &err));
    ck_assert_msg(open_lecture_trace_value(&trace, &reference, &value, &err), "%s", err.text);
    ck_assert_double_eq(value.numbers[0], right / 64.0);
    ck_assert(reference_parse("right scores", &reference, &err));
    ck_assert(!open_lecture_trace_value(&trace, &reference, &value, &err));
    end_run();
    return right / 64.0;
}

TEST(a_lecture_names_how_many_are_right)
{
    ck_assert_double_eq(share_right("texts.yaml"), 1.0);
    ck_assert_double_lt(share_right("one-layer.yaml"), 0.4);
}

// In `memory` the answer at "Joon" is milk: head 1.0 looks at the word behind the first Joon, and head 0.0
// there at Joon.
TEST(the_path_leads_from_the_answer_to_the_word_before)
{
    TracePath path;
    TraceAnswer answer;
    ScenarioRequest request = {.what = "memory"};
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    ck_assert_msg(trace_open(&trace, &scenario, &err), "%s", err.text);
    ck_assert(!trace_path(&trace, &path, &err));
    ck_assert_msg(trace_run(&trace, &err), "%s", err.text);
    ck_assert(trace_answer(&trace, &answer));
    ck_assert_int_eq(answer.at[2], 12);
    ck_assert_str_eq(scenario.vocabulary[answer.at[3]], "milk");
    ck_assert_int_eq(answer.rank, 1);
    ck_assert_msg(trace_path(&trace, &path, &err), "%s", err.text);
    ck_assert_int_eq(path.later.layer, 1);
    ck_assert_int_eq(path.cells[1].at[3], 4);
    ck_assert_int_eq(path.cells[3].at[2], 4);
    ck_assert_int_eq(path.cells[3].at[3], 3);
    ck_assert_str_eq(trace_cell_token(&trace, path.cells[4]), "Joon");
    end_run();
}

SUITE_WITH("heads", open_it, close_it)
