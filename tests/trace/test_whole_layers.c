// Whole layers, their wiring: what feed-forward, norms and residuals read, and that no option or tensor
// is taken and then forgotten, whichever stand together.
#include "scenario_file.h"
#include "scratch.h"
#include "stage.h"
#include "suite.h"
#include "tiny.h"
#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static Scenario scenario;
static Trace trace;
static Error err;

static void open_text(const char *text)
{
    ScenarioRequest request = {.what = scratch_write("s.yaml", text, strlen(text))};
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s\n%s", err.text, text);
    ck_assert_msg(trace_open(&trace, &scenario, &err), "%s\n%s", err.text, text);
    ck_assert_msg(trace_run(&trace, &err), "%s\n%s", err.text, text);
}

static void close_it(void)
{
    trace_close(&trace);
    scenario_finish(&scenario);
}

// --- by hand

// One token x = (1, 7), or (5, 1) for queries of their own: the only key has all of the weight. Values
// are x, out_proj doubles, so attention gives A = (2, 14). Feed-forward multiplies by 100, where gelu
// leaves 20 and more as it is and makes -100 a 0, divides by 100 and adds (1, 0): F(u) = u + (1, 0)
// where u >= 0.2, and (1, 0) of what is negative. With a gate: silu(100 u) * u / 100 = u * u. A layer
// norm of two numbers is (-1, 1) or (1, -1).
typedef struct ByHand {
    const char *model, *values; // beside what all have
    bool cross;
    const char *tensor; // the last one
    float want[2];
} ByHand;

#define NO_GATE \
    ", expand.weight: [[100, 0], [0, 100]], contract.weight: [[0.01, 0], [0, 0.01]], " \
    "expand.bias: [0, 0], contract.bias: [1, 0]"
#define GATE \
    ", gate.weight: [[100, 0], [0, 100]], expand.weight: [[1, 0], [0, 1]], " \
    "contract.weight: [[0.01, 0], [0, 0.01]]"
#define LAYER_NORM ", norm.weight: [1, 2], norm.bias: [0, 5]"
#define ONES ", norm.weight: [1, 1], norm_2.weight: [1, 1]"
#define ZEROS ", norm.bias: [0, 0], norm_2.bias: [0, 0]"

static const ByHand by_hand[] = {
    // F(A) = (2, 14) + (1, 0)
    {", feed_forward: 2", NO_GATE, false, "ff_contracted", {3, 14}},
    // u = A + x = (3, 21); F(u) + u = (4, 21) + (3, 21)
    {", feed_forward: 2, residual: true", NO_GATE, false, "ff_output", {7, 42}},
    // u * u + u = (9 + 3, 441 + 21)
    {", feed_forward: 2, residual: true, gated: true", GATE, false, "ff_output", {12, 462}},
    // norm (-1, 1) of A + x, times (1, 2), plus (0, 5)
    {", layer_norm: true, post_norm: true, residual: true",
     LAYER_NORM,
     false,
     "x_attended",
     {-1, 7}},
    // and without the residual, of A
    {", layer_norm: true, post_norm: true", LAYER_NORM, false, "x_attended", {-1, 7}},
    // x normed (-1, 1): A = (-2, 2), + x = (-1, 9), normed (-1, 1), F = (1, 1), + (-1, 9)
    {", layer_norm: true, residual: true, feed_forward: 2",
     NO_GATE ONES ZEROS,
     false,
     "ff_output",
     {0, 10}},
    {", layer_norm: true, feed_forward: 2", NO_GATE ONES ZEROS, false, "ff_contracted", {1, 1}},
    // sqrt((1 + 49) / 2) = 5: (0.2, 1.4); A = (0.4, 2.8); + x = (1.4, 9.8); / 7 = (0.2, 1.4);
    // F = (1.2, 1.4); + (1.4, 9.8)
    {", rms_norm: true, residual: true, feed_forward: 2",
     NO_GATE ONES,
     false,
     "ff_output",
     {2.6f, 11.2f}},
    // A + x = (3, 21), / 15 = (0.2, 1.4), F + it = (1.4, 2.8), / sqrt(4.9)
    {", rms_norm: true, post_norm: true, residual: true, feed_forward: 2",
     NO_GATE ONES,
     false,
     "output_normed",
     {0.6324555f, 1.2649111f}},
    // A = (2, 14), / 10 = (0.2, 1.4), F = (1.2, 1.4), / sqrt(1.7)
    {", rms_norm: true, post_norm: true, feed_forward: 2",
     NO_GATE ONES,
     false,
     "output_normed",
     {0.9203580f, 1.0737510f}},
    // what is added is the query: u = A + (5, 1) = (7, 15); F(u) + u
    {", feed_forward: 2, residual: true", NO_GATE, true, "ff_output", {15, 30}},
    // beside attention it reads the query: A + (5, 1) + F((5, 1)) = (2, 14) + (5, 1) + (6, 1)
    {", feed_forward: 2, residual: true, parallel: true", NO_GATE, true, "ff_output", {13, 16}},
    // keys and values are not normed: (2, 14) + (5, 1) = (7, 15), / sqrt(137) = (0.59805, 1.28154)
    {", rms_norm: true, residual: true, feed_forward: 2",
     NO_GATE ONES,
     true,
     "ff_output",
     {8.5980501f, 16.2815358f}},
    // the queries are: (5, 1) / sqrt(13)
    {", rms_norm: true", ", norm.weight: [1, 1]", true, "x_query_normed", {1.3867505f, 0.2773501f}},
};

static void write_layer(char text[], size_t room, const ByHand *it)
{
    snprintf(text, room,
             "input: {vectors: [[[1, 7]]]%s}\n"
             "model: {d_model: 2, qkv_bias: false, out_bias: false, norm_epsilon: 0%s}\n"
             "weights: {values: {q_proj.weight: [[1, 0], [0, 1]], k_proj.weight: [[1, 0], [0, 1]], "
             "v_proj.weight: [[1, 0], [0, 1]], out_proj.weight: [[2, 0], [0, 2]]%s}}\n",
             it->cross ? ", query_vectors: [[[5, 1]]]" : "", it->model, it->values);
    char *unread = strstr(text, "norm_epsilon: 0, ");
    bool has_norm = strstr(it->model, "_norm") != NULL;
    if (unread && !has_norm) // an option that nobody reads is refused
        memmove(unread, unread + strlen("norm_epsilon: 0, "),
                strlen(unread + strlen("norm_epsilon: 0, ")) + 1);
}

LOOP_TEST(a_layer_computed_by_hand, sizeof by_hand / sizeof *by_hand)
{
    const ByHand *it = &by_hand[_i];
    char text[1200];
    write_layer(text, sizeof text, it);
    open_text(text);
    int number = trace_find(&trace, it->tensor);
    ck_assert_msg(number >= 0, "no %s\n%s", it->tensor, text);
    const Tensor *made = &trace.tensors[number].tensor;
    for (int d = 0; d < 2; d++)
        ck_assert_msg(fabsf(*tensor_at3(made, 0, 0, d) - it->want[d]) < 1e-4f,
                      "number %d of %s is %.9g, not %.9g\n%s", d, it->tensor,
                      (double)*tensor_at3(made, 0, 0, d), (double)it->want[d], text);
    close_it();
}

// Drawn weights have norms of ones and zeros: of two numbers, 1 and -1, behind attention.
TEST(a_norm_behind_drawn_weights_stands_behind_them)
{
    open_text("input: {vectors: [[[1, 7], [4, -2]]]}\n"
              "model: {d_model: 2, layer_norm: true, post_norm: true, residual: true}\n"
              "weights: {manual_seed: 3, draw: [q_proj, k_proj, v_proj, out_proj]}\n");
    int number = trace_find(&trace, "x_attended");
    ck_assert_int_eq(number, trace.tensor_count - 1);
    ck_assert_int_lt(trace_find(&trace, "x_normed"), 0);
    for (int l = 0; l < 2; l++)
        ck_assert_float_eq_tol(fabsf(*tensor_at3(&trace.tensors[number].tensor, 0, l, 1)), 1.0f,
                               1e-3f);
    close_it();
}

// --- masks

// Two queries and four keys of one number each; scores are q * k, not scaled: 1 * (1, 2, 3, 4) and
// 2 * (1, 2, 3, 4).
#define ATTENTION(words) \
    "input: {q: [[[1], [2]]], k: [[[1], [2], [3], [4]]], v: [[[1], [2], [3], [4]]]}\n" \
    "model: {out_proj: false}\nattention: {scale: none, " words "}\n"

typedef struct Masked {
    const char *text, *tensor;
    float want[8];    // its rows, or of its first sequence and head
    const char *note; // a part of what the person is told; NULL: nothing
} Masked;

#define INF INFINITY
static const Masked masked[] = {
    {ATTENTION("mask: causal"),
     "scores_masked",
     {1, -INF, -INF, -INF, 2, 4, -INF, -INF},
     "top_left"},
    {ATTENTION("mask: causal, causal_align: top_left"),
     "scores_masked",
     {1, -INF, -INF, -INF, 2, 4, -INF, -INF},
     NULL},
    // query 0 stands at key 2, query 1 at key 3
    {ATTENTION("mask: causal, causal_align: bottom_right"),
     "scores_masked",
     {1, 2, 3, -INF, 2, 4, 6, 8},
     NULL},
    {ATTENTION("mask: causal, causal_align: bottom_right, context_length: 5"),
     "scores_masked",
     {1, 2, 3, -INF, 2, 4, 6, 8},
     NULL},
    {ATTENTION("mask: causal, causal_align: bottom_right, window: 2"),
     "scores_masked",
     {-INF, 2, 3, -INF, -INF, -INF, 6, 8},
     NULL},
    // one head has a slope of 2^-8: 1 - 2 / 256 at key 0, seen from key 2
    {ATTENTION("mask: causal, causal_align: bottom_right, alibi: true"),
     "scores_masked",
     {0.9921875f, 1.99609375f, 3, -INF, 1.98828125f, 3.9921875f, 5.99609375f, 8},
     NULL},
    {ATTENTION("mask_file: [[0.5, -1, 0, 2], [0, 0, 0, -.inf]]"),
     "scores_added",
     {1.5f, 1, 3, 6, 2, 4, 6, -INF},
     NULL},
    {ATTENTION("mask_file: [[[1, 2, 3, 4]]]"), "scores_added", {2, 4, 6, 8, 3, 6, 9, 12}, NULL},
    {ATTENTION("mask: causal, mask_file: [[1.0, 0, 0, 0]]"),
     "scores_masked",
     {2, -INF, -INF, -INF, 3, 4, -INF, -INF},
     "top_left"},
    // of 1.0 and 0 nothing is hidden, which is told
    {ATTENTION("mask_file: [[1.0, 0, 0, 0], [1, 1, 0, 0]]"),
     "scores_added",
     {2, 2, 3, 4, 3, 5, 6, 8},
     "hide no key"},
    {ATTENTION("mask_file: [[0, -.inf, 0, 0], [0.0, 0, -.inf, -.inf]]"),
     "scores_masked",
     {1, -INF, 3, 4, 2, 4, -INF, -INF},
     "-inf masks"},
    {ATTENTION("mask_file: [[false, true, false, false], [false, false, true, true]]"),
     "scores_masked",
     {1, -INF, 3, 4, 2, 4, -INF, -INF},
     NULL},
};

LOOP_TEST(masks_by_hand, sizeof masked / sizeof *masked)
{
    const Masked *it = &masked[_i];
    open_text(it->text);
    int number = trace_find(&trace, it->tensor);
    ck_assert_msg(number >= 0, "no %s\n%s", it->tensor, it->text);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++) {
            float made = *tensor_at3(&trace.tensors[number].tensor, 0, i, j);
            ck_assert_msg(made == it->want[i * 4 + j], "[%d, %d] is %.9g, not %.9g\n%s", i, j,
                          (double)made, (double)it->want[i * 4 + j], it->text);
        }
    ck_assert_msg(it->note ? scenario.note && strstr(scenario.note, it->note) : !scenario.note,
                  "note: %s\n%s", scenario.note, it->text);
    close_it();
}

// Two sequences of two heads, one query, two keys: which number of a mask each score gets. Scores are 0.
typedef struct OfHeads {
    const char *mask;
    float want[2][2]; // what is added for key 1, by sequence and head
} OfHeads;

static const OfHeads of_heads[] = {
    {"[[[0, 1]], [[0, 2]], [[0, 3]], [[0, 4]]]", {{1, 2}, {3, 4}}}, // (B*H, Lq, Lk)
    {"[[[[0, 1]], [[0, 2]]], [[[0, 3]], [[0, 4]]]]", {{1, 2}, {3, 4}}},
    {"[[[0, 1]], [[0, 2]]]", {{1, 2}, {1, 2}}}, // (H, Lq, Lk), since B is H
    {"[[[[0, 1]]], [[[0, 2]]]]", {{1, 1}, {2, 2}}},
    {"[[0, 7]]", {{7, 7}, {7, 7}}},
};

LOOP_TEST(a_mask_for_each_head_or_sequence, sizeof of_heads / sizeof *of_heads)
{
    char text[400];
    snprintf(text, sizeof text,
             "input: {q: [[[0, 0]], [[0, 0]]], k: [[[1, 1], [1, 1]], [[1, 1], [1, 1]]], "
             "v: [[[1, 1], [1, 1]], [[1, 1], [1, 1]]]}\n"
             "model: {heads: 2, out_proj: false}\nattention: {mask_file: %s}\n",
             of_heads[_i].mask);
    open_text(text);
    const Tensor *added = &trace.tensors[trace_find(&trace, "scores_added")].tensor;
    for (int b = 0; b < 2; b++)
        for (int h = 0; h < 2; h++)
            ck_assert_msg(*tensor_at4(added, b, h, 0, 1) == of_heads[_i].want[b][h], "[%d, %d]\n%s",
                          b, h, text);
    close_it();
}

// --- all options together

typedef struct Weight {
    const char *name;
    int rank, shape[2]; // of three axes: the last two
} Weight;

// A file of these weights: of matrices the diagonal is 1, all else is 0.
static const char *write_weights(const char *file, const Weight weights[], size_t count)
{
    static char bytes[8192];
    int at = 8, offset = 0;
    at += snprintf(bytes + at, sizeof bytes - (size_t)at, "{");
    for (size_t i = 0; i < count; i++) {
        char shape[24];
        int numbers = weights[i].shape[0] * (weights[i].rank >= 2 ? weights[i].shape[1] : 1);
        snprintf(shape, sizeof shape,
                 weights[i].rank == 3   ? "1,%d,%d"
                 : weights[i].rank == 2 ? "%d,%d"
                                        : "%d",
                 weights[i].shape[0], weights[i].shape[1]);
        at += snprintf(bytes + at, sizeof bytes - (size_t)at,
                       "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[%s],\"data_offsets\":[%d,%d]}",
                       i ? "," : "", weights[i].name, shape, offset, offset + 4 * numbers);
        offset += 4 * numbers;
    }
    at += snprintf(bytes + at, sizeof bytes - (size_t)at, "}");
    uint64_t header = (uint64_t)at - 8;
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(header >> 8 * i);
    memset(bytes + at, 0, (size_t)offset);
    for (size_t i = 0, start = (size_t)at; i < count; i++) {
        int rows = weights[i].shape[0], columns = weights[i].rank >= 2 ? weights[i].shape[1] : 1;
        for (int row = 0; weights[i].rank == 2 && row < rows && row < columns; row++)
            memcpy(bytes + start + 4 * (size_t)(row * columns + row), &(float){1.0f}, 4);
        start += 4 * (size_t)(rows * columns);
    }
    return scratch_write(file, bytes, (size_t)(at + offset));
}

// Every weight that some scenario could ask for: 4 wide, of 2 heads.
static void weights_file(void)
{
    static const Weight weights[] = {
        {"position.weight", 2, {6, 4}}, {"embedding.weight", 2, {5, 4}},
        {"q_proj.weight", 2, {4, 4}},   {"q_proj.bias", 1, {4}},
        {"k_proj.weight", 2, {4, 4}},   {"k_proj.bias", 1, {4}},
        {"v_proj.weight", 2, {4, 4}},   {"v_proj.bias", 1, {4}},
        {"out_proj.weight", 2, {4, 4}}, {"out_proj.bias", 1, {4}},
        {"norm.weight", 1, {4}},        {"norm.bias", 1, {4}},
        {"norm_2.weight", 1, {4}},      {"norm_2.bias", 1, {4}},
        {"expand.weight", 2, {3, 4}},   {"expand.bias", 1, {3}},
        {"gate.weight", 2, {3, 4}},     {"contract.weight", 2, {4, 3}},
        {"contract.bias", 1, {4}},      {"relative_bias.weight", 2, {4, 2}},
        {"bias_k", 3, {1, 4}},          {"bias_v", 3, {1, 4}},
    };
    write_weights("w.safetensors", weights, sizeof weights / sizeof *weights);
}

// Each line is one choice of a scenario: its alternatives in order, of which "" leaves it out, and how
// often it is left out besides. What is refused alone is rare, so that many scenarios are not.
static const struct {
    const char *section, *alternatives[5];
    int count, out;
} choices[] = {
    {"input",
     {"vectors: [[[1,2,3,4],[5,6,7,8]]]", "words: [[a, b, c], [d]]", "words: [[a, b, c], [d]]",
      "vectors: [[[1,2,3,4],[5,6,7,8]]], query_vectors: [[[1,2,3,4]]]"},
     4,
     0},
    {"model",
     {"", "layer_norm: true", "rms_norm: true", "layer_norm: true, post_norm: true",
      "rms_norm: true, post_norm: true"},
     5,
     0},
    {"model", {"post_norm: true"}, 1, 20},
    {"model", {"", "residual: true"}, 2, 0},
    {"model",
     {"", "feed_forward: 3", "feed_forward: 3, gated: true", "feed_forward: 3, gelu_tanh: true",
      "feed_forward: 3, gated: true, gelu_tanh: true"},
     5,
     0},
    {"model", {"gated: true", "gelu_tanh: true"}, 2, 20},
    {"model",
     {"", "heads: 2", "heads: 2, kv_heads: 2", "heads: 2, relative_buckets: 4",
      "heads: 2, kv_heads: 2, relative_buckets: 4, relative_distance: 64"},
     5,
     0},
    {"model", {"relative_distance: 64", "norm_epsilon: 0.5"}, 2, 20},
    {"model", {"position: learned", "position: sinusoidal"}, 2, 4},
    {"model", {"out_proj: false"}, 1, 8},
    {"model",
     {"add_bias_kv: true", "add_zero_attn: true", "add_bias_kv: true, add_zero_attn: true"},
     3,
     6},
    {"attention", {"", "alibi: true"}, 2, 0},
    {"attention", {"", "softcap: 3"}, 2, 0},
    {"attention", {"rope_neighbours: true", "rope: 10, rope_neighbours: true", "rope: 100"}, 3, 4},
    {"attention", {"", "window: 2"}, 2, 0},
    {"attention", {"", "mask: causal", "mask: key_padding", "mask: [causal, key_padding]"}, 4, 2},
    {"attention", {"mask_before_scale: true"}, 1, 3},
    {"attention", {"", "scale: none"}, 2, 0},
    {"attention", {"dropout: {p: 0.5, seed: 1}"}, 1, 3},
};
enum { CHOICES = sizeof choices / sizeof *choices, TRIED = 1500 };

static void write_choices(char text[], size_t room, uint64_t *state)
{
    static const char *const sections[] = {"input", "model", "attention"};
    int picked[CHOICES];
    size_t at = 0;
    for (int i = 0; i < CHOICES; i++)
        picked[i] = (int)tiny_index(state, choices[i].count + choices[i].out);
    for (int section = 0; section < 3; section++) {
        at += (size_t)snprintf(text + at, room - at, "%s: {%s", sections[section],
                               section == 1   ? "d_model: 4"
                               : section == 2 ? "mask_value: -9"
                                              : "");
        bool first = section == 0;
        for (int i = 0; i < CHOICES; i++) {
            const char *chosen =
                picked[i] < choices[i].count ? choices[i].alternatives[picked[i]] : "";
            if (*chosen && strcmp(choices[i].section, sections[section]) == 0) {
                at += (size_t)snprintf(text + at, room - at, "%s%s", first ? "" : ", ", chosen);
                first = false;
            }
        }
        at += (size_t)snprintf(text + at, room - at, "}\n");
    }
    snprintf(text + at, room - at, "weights: {file: w.safetensors}\n");
}

// Every given number that is on, or not what it usually is, is read by some step; so is every tensor that
// is given under a role, and what a step makes, but the last of them. No two have one name.
static void check_plan(const char *text)
{
    uint64_t read = 0;
    for (int step = 0; step < trace.step_count; step++)
        read |= trace.steps[step].stage->options;
    StageOptions usual = {0};
    const StageOption *option;
    for (int i = 0; (option = stage_option_get(i)) != NULL; i++) {
        if (option->section == NULL)
            continue;
        stage_option_set(option, &usual, option->usual);
        ck_assert_msg(!stage_option_differs(option, &usual, &scenario.options) ||
                          (read & OPTION_AT(i)),
                      "%s is forgotten\n%s", option->name, text);
    }
    for (int i = 0; i < trace.tensor_count; i++) {
        const TraceTensor *tensor = &trace.tensors[i];
        bool is_side =
            tensor->step >= 0 && tensor->slot != trace.steps[tensor->step].stage->main_output;
        bool is_last = tensor->step == trace.step_count - 1;
        ck_assert_msg(is_side || is_last || trace_is_read(&trace, i), "%s is forgotten\n%s",
                      tensor->name, text);
        if (tensor->step < 0 && strncmp(tensor->from, "w.safetensors, ", 15) == 0)
            ck_assert_str_eq(tensor->from + 15, tensor->name);
        ck_assert_msg(trace_find(&trace, tensor->name) == i, "two tensors are called %s\n%s",
                      tensor->name, text);
    }
}

TEST(nothing_is_forgotten_in_any_combination)
{
    uint64_t state = 31;
    int opened = 0;
    weights_file();
    for (int i = 0; i < TRIED; i++) {
        char text[1200];
        write_choices(text, sizeof text, &state);
        ScenarioRequest request = {.what = scratch_write("s.yaml", text, strlen(text))};
        if (!scenario_open(&scenario, &request, &err)) {
            ck_assert_msg(strstr(err.text, "s.yaml:") != NULL, "%s\n%s", err.text, text);
            ck_assert_msg(strstr(err.text, "these options do not fit together") == NULL, "%s\n%s",
                          err.text, text);
            continue;
        }
        ck_assert_msg(trace_open(&trace, &scenario, &err), "%s\n%s", err.text, text);
        check_plan(text);
        close_it();
        opened++;
    }
    ck_assert_int_gt(opened, TRIED / 8);
}

// --- cross-attention of a file

#define LAYER(prefix) \
    {prefix "q_proj.weight", 2, {2, 2}}, {prefix "k_proj.weight", 2, {2, 2}}, \
        {prefix "v_proj.weight", 2, {2, 2}}, {prefix "out_proj.weight", 2, {2, 2}}, \
        {prefix "q_proj.bias", 1, {2}}, {prefix "k_proj.bias", 1, {2}}, \
        {prefix "v_proj.bias", 1, {2}}, \
    { \
        prefix "out_proj.bias", 1, \
        { \
            2 \
        } \
    }

static void same_rows(const char *name, const char *other)
{
    const Tensor *a = &trace.tensors[trace_find(&trace, name)].tensor;
    const Tensor *b = &trace.tensors[trace_find(&trace, other)].tensor;
    ck_assert_int_eq(a->shape[1], b->shape[1]);
    for (ptrdiff_t l = 0; l < a->shape[1]; l++)
        ck_assert(*tensor_at3(a, 0, l, 0) == *tensor_at3(b, 0, l, 0) &&
                  *tensor_at3(a, 0, l, 1) == *tensor_at3(b, 0, l, 1));
}

// All weights are the identity: q is what it is made of, and so are k and v.
TEST(cross_attention_of_a_file_has_two_inputs)
{
    static const Weight weights[] = {LAYER("model.decoder.layers.0.encoder_attn."),
                                     LAYER("model.decoder.layers.0.self_attn.")};
    static const char config[] = "{\"model_type\": \"bart\", \"decoder_attention_heads\": 1, "
                                 "\"num_attention_heads\": 1, \"d_model\": 2}";
    scratch_write("config.json", config, sizeof config - 1);
    char what[400];
    snprintf(what, sizeof what, "%s#0",
             write_weights("model.safetensors", weights, sizeof weights / sizeof *weights));
    ScenarioRequest request = {.what = what};
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err), "%s", err.text);
    same_rows("q", "x_query");
    same_rows("k", "x");
    same_rows("v", "x");
    const Tensor *map = &trace.tensors[trace_find(&trace, "attn_weights")].tensor;
    ck_assert_int_ne(map->shape[2], map->shape[3]);
    ck_assert_int_lt(trace_find(&trace, "attn_mask"), 0);
    close_it();
}

// --- keys and values behind those of the text

// Two queries and two keys of one number each, (1, 2), and the values (1, 2); the key of the bias is 5 and
// its value 7. Scores are q * k: 1 * (1, 2, 5, 0) and 2 * (1, 2, 5, 0).
#define APPENDED(options, words) \
    "input: {q: [[[1], [2]]], k: [[[1], [2]]], v: [[[1], [2]]]}\n" \
    "model: {out_proj: false, " options \
    "}\nweights: {values: {bias_k: [[[5]]], bias_v: [[[7]]]}}\n" \
    "attention: {scale: none" words "}\n"
#define ZEROS_ALONE(words) \
    "input: {q: [[[1], [2]]], k: [[[1], [2]]], v: [[[1], [2]]]}\n" \
    "model: {out_proj: false, add_zero_attn: true}\nattention: {scale: none" words "}\n"
#define BOTH "add_bias_kv: true, add_zero_attn: true"

typedef struct Appended {
    const char *text, *tensor;
    int rows, columns;
    float want[8];
} Appended;

static const Appended appended[] = {
    {APPENDED("add_bias_kv: true", ""), "scores", 2, 3, {1, 2, 5, 2, 4, 10}},
    {APPENDED(BOTH, ""), "scores", 2, 4, {1, 2, 5, 0, 2, 4, 10, 0}},
    {APPENDED(BOTH, ""), "v_with_zeros", 4, 1, {1, 2, 7, 0}},
    {ZEROS_ALONE(""), "scores", 2, 3, {1, 2, 0, 2, 4, 0}},
    {ZEROS_ALONE(", mask: causal"), "scores_masked", 2, 3, {1, -INF, 0, 2, 4, 0}},
    {APPENDED(BOTH, ", mask: causal"), "scores_masked", 2, 4, {1, -INF, 5, 0, 2, 4, 10, 0}},
    {APPENDED(BOTH, ", mask: causal, context_length: 3"),
     "scores_masked",
     2,
     4,
     {1, -INF, 5, 0, 2, 4, 10, 0}},
    {APPENDED(BOTH, ", window: 1"), "scores_masked", 2, 4, {1, -INF, 5, 0, -INF, 4, 10, 0}},
    {APPENDED(BOTH, ", mask: key_padding, key_padding_mask: [[false, true]]"),
     "scores_masked",
     2,
     4,
     {1, -INF, 5, 0, 2, -INF, 10, 0}},
    {APPENDED(BOTH, ", mask_file: [[true, false], [true, true]]"),
     "scores_masked",
     2,
     4,
     {-INF, 2, 5, 0, -INF, -INF, 10, 0}},
    {APPENDED(BOTH, ", mask_file: [[true], [false]]"),
     "scores_masked",
     2,
     4,
     {-INF, -INF, 5, 0, 2, 4, 10, 0}},
    {APPENDED(BOTH, ", mask_file: [[0.5, -.inf], [-1.0, 2.0]]"),
     "scores_added",
     2,
     4,
     {1.5f, -INF, 5, 0, 1, 6, 10, 0}},
};

LOOP_TEST(keys_are_appended_by_hand, sizeof appended / sizeof *appended)
{
    const Appended *it = &appended[_i];
    open_text(it->text);
    int number = trace_find(&trace, it->tensor);
    ck_assert_msg(number >= 0, "no %s\n%s", it->tensor, it->text);
    const Tensor *tensor = &trace.tensors[number].tensor;
    ck_assert_msg(tensor->rank == 3 && tensor->shape[1] == it->rows &&
                      tensor->shape[2] == it->columns,
                  "%s has another shape\n%s", it->tensor, it->text);
    for (int i = 0; i < it->rows * it->columns; i++) {
        float made = *tensor_at3(tensor, 0, i / it->columns, i % it->columns);
        ck_assert_msg(made == it->want[i], "number %d is %.9g, not %.9g\n%s", i, (double)made,
                      (double)it->want[i], it->text);
    }
    close_it();
}

// nn.MultiheadAttention(2, 2, kdim=3, vdim=3, add_bias_kv=True, add_zero_attn=True) of PyTorch 1.13, with a
// mask of numbers.
TEST(both_are_as_in_pytorch)
{
    static const float weights[] = {0.390919894f, 0,
                                    0.370115519f, 0.238964528f,
                                    0.065145455f, 0.431491375f,
                                    0.282978952f, 0.220384225f,
                                    0.872915685f, 0,
                                    0.076274522f, 0.050809786f,
                                    0.099367373f, 0.504629135f,
                                    0.210360721f, 0.185642689f};
    static const float output[] = {-2.260881901f, 2.538486958f, -1.675092101f, 1.660551190f};
    open_text("input: {vectors: [[[-0.75, -0.5, 1.5], [0.5, -1.5, 0.75]]],\n"
              "  query_vectors: [[[-0.5, -0.75], [0.0, -1.0]]]}\n"
              "model: {d_model: 2, heads: 2, kdim: 3, " BOTH "}\n"
              "weights: {values: {\n"
              "  q_proj.weight: [[0.5, 0.25], [-2.5, -0.5]], q_proj.bias: [0, 0],\n"
              "  k_proj.weight: [[1, 1, -0.25], [0, 0, 1]], k_proj.bias: [0.5, 0.25],\n"
              "  v_proj.weight: [[1, 0.5, -1.25], [-0.5, -0.5, -1.75]], v_proj.bias: [0.5, -0.5],\n"
              "  bias_k: [[[-1, 0.25]]], bias_v: [[[1, -0.75]]],\n"
              "  out_proj.weight: [[-0.75, 0.75], [-0.75, -0.5]], out_proj.bias: [-1, 1]}}\n"
              "attention: {mask_file: [[0.0, -.inf], [-1.5, 0.5]]}\n");
    const Tensor *made = &trace.tensors[trace_find(&trace, "attn_weights")].tensor;
    for (int i = 0; i < 16; i++)
        ck_assert_float_eq_tol(*tensor_at4(made, 0, i / 8, i / 4 % 2, i % 4), weights[i], 4e-6f);
    made = &trace.tensors[trace_find(&trace, "output")].tensor;
    for (int i = 0; i < 4; i++)
        ck_assert_float_eq_tol(*tensor_at3(made, 0, i / 2, i % 2), output[i], 1e-5f);
    char text[TRACE_CELL_MAX];
    int scores = trace_find(&trace, "scores");
    ck_assert_str_eq(trace_cell_words(&trace, (TraceCell){scores, {0, 1, 0, 2}}, text),
                     "head 1, query 0, key bias_k");
    ck_assert_str_eq(trace_cell_words(&trace, (TraceCell){scores, {0, 1, 0, 3}}, text),
                     "head 1, query 0, key zeros");
    close_it();
}

#define MODULE \
    {"in_proj_weight", 2, {6, 2}}, {"in_proj_bias", 1, {6}}, {"out_proj.weight", 2, {2, 2}}, \
    { \
        "out_proj.bias", 1, \
        { \
            2 \
        } \
    }

// What a file has is used, where the model does not say otherwise.
TEST(a_file_says_that_a_key_is_appended)
{
    static const Weight weights[] = {MODULE, {"bias_k", 3, {1, 2}}, {"bias_v", 3, {1, 2}}};
    static const struct {
        const char *model;
        int keys;
    } rows[] = {{"", 3}, {", add_zero_attn: true", 4}, {", add_bias_kv: false", 2}};
    char text[300];
    write_weights("m.safetensors", weights, sizeof weights / sizeof *weights);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text,
                 "input: {vectors: [[[1, 7], [2, 3]]]}\nmodel: {d_model: 2, heads: 2%s}\n"
                 "weights: {file: m.safetensors, layout: multihead_attention}\n",
                 rows[i].model);
        open_text(text);
        ck_assert_int_eq(trace.tensors[trace_find(&trace, "attn_weights")].tensor.shape[3],
                         rows[i].keys);
        close_it();
    }
}

// Keys and values that are made from something wider are those of cross-attention.
TEST(keys_of_another_width_come_from_elsewhere)
{
    static const Weight weights[] = {{"q_proj_weight", 2, {2, 2}},   {"k_proj_weight", 2, {2, 3}},
                                     {"v_proj_weight", 2, {2, 3}},   {"in_proj_bias", 1, {6}},
                                     {"out_proj.weight", 2, {2, 2}}, {"out_proj.bias", 1, {2}}};
    char what[400];
    snprintf(what, sizeof what, "%s#0",
             write_weights("model.safetensors", weights, sizeof weights / sizeof *weights));
    const char *sets[] = {"model.heads=1"};
    ScenarioRequest request = {.what = what, .sets = sets, .set_count = 1};
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err), "%s", err.text);
    same_rows("q", "x_query");
    same_rows("k", "x");
    ck_assert_int_eq(trace.tensors[trace_find(&trace, "x")].tensor.shape[2], 3);
    ck_assert_int_ge(trace_find(&trace, "k_proj.bias"), 0);
    close_it();
}

// Each is told with its place.
TEST(what_does_not_fit_appended_keys_is_refused)
{
    static const char *const rows[][2] = {
        {APPENDED(BOTH, ", alibi: true"), "s.yaml:4:26: alibi depends"},
        {APPENDED(BOTH, ", mask_file: [[true, false, false, false]]"), "mask_file has 4 columns"},
        {"input: {q: [[[1]]], k: [[[1]]], v: [[[1]]]}\nmodel: {out_proj: false, add_bias_kv: "
         "true}\n",
         "s.yaml:2:26: "},
        {"input: {vectors: [[[1, 7]]]}\nmodel: {d_model: 2, kdim: 2}\n"
         "weights: {manual_seed: 1, draw: [q_proj, k_proj, v_proj, out_proj]}\n",
         "s.yaml:2:21: kdim"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ScenarioRequest request = {.what = scratch_write("s.yaml", rows[i][0], strlen(rows[i][0]))};
        ck_assert_msg(!scenario_open(&scenario, &request, &err), "%s", rows[i][0]);
        ck_assert_msg(strstr(err.text, rows[i][1]) != NULL, "%s\n%s", err.text, rows[i][0]);
    }
}

SUITE_WITH("whole_layers", scratch_open, scratch_close)
