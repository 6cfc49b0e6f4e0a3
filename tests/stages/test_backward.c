// The gradients of a whole layer with questions against finite differences: the same layer is written
// here once more, in double precision and from the formulas alone; every weight is moved a little both
// ways, and the difference of the two losses is the gradient.
//
// Half the sum of squares and everything between it and the tokens is compared with PyTorch's gradients
// in test_golden.c; this one adds readout and cross-entropy, shared weights, and the words of refusals. Norms,
// feed-forward and all else that tiny shapes have is moved in the trace's own forward pass, in double precision.
#include "suite.h"
#include "tiny.h"
#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { B = 2, L = 4, H = 2, D = 3, DIN = 4, DOUT = 5, V = 6, Q = 2 };

static const TinyShape layer = {.batch = B,
                                .queries = L,
                                .keys = L,
                                .heads = H,
                                .d_k = D,
                                .d_v = D,
                                .d_in = DIN,
                                .d_out = DOUT,
                                .vocabulary = V,
                                .bias = true,
                                .padding = true,
                                .positions = true,
                                .questions = Q,
                                .backward = true};

static double weight(const Scenario *scenario, const char *role, ptrdiff_t place)
{
    return (double)scenario_tensor(scenario, role)->tensor.storage.f32[place];
}

// The weight that is moved, and by how much.
typedef struct Moved {
    const char *role;
    ptrdiff_t place;
    double by;
} Moved;

static double moved(const Scenario *scenario, const Moved *it, const char *role, ptrdiff_t place)
{
    bool is_it = it->place == place && strcmp(it->role, role) == 0;
    return weight(scenario, role, place) + (is_it ? it->by : 0.0);
}

static double input(const Scenario *scenario, const Moved *it, ptrdiff_t id, int l, int d)
{
    double angle = l / pow(10000.0, (double)(d - d % 2) / DIN);
    return moved(scenario, it, "embedding.weight", id * DIN + d) +
           (d % 2 ? cos(angle) : sin(angle));
}

static double projected(const Scenario *scenario, const Moved *it, const char *layer_name,
                        const double x[DIN], int o)
{
    char role[32];
    snprintf(role, sizeof role, "%s.bias", layer_name);
    double sum = moved(scenario, it, role, o);
    snprintf(role, sizeof role, "%s.weight", layer_name);
    for (int d = 0; d < DIN; d++)
        sum += x[d] * moved(scenario, it, role, o * DIN + d);
    return sum;
}

// One sequence: its q, k and v, and what attention makes of them.
typedef struct Attended {
    double q[L][H * D], k[L][H * D], v[L][H * D], context[L][H * D];
    int length;
} Attended;

static void attend(Attended *one)
{
    for (int h = 0; h < H; h++)
        for (int i = 0; i < L; i++) {
            double e[L], sum = 0.0;
            for (int j = 0; j < one->length; j++) {
                double score = 0.0;
                for (int d = 0; d < D; d++)
                    score += one->q[i][h * D + d] * one->k[j][h * D + d];
                sum += e[j] = exp(score / sqrt(D));
            }
            for (int d = 0; d < D; d++) {
                one->context[i][h * D + d] = 0.0;
                for (int j = 0; j < one->length; j++)
                    one->context[i][h * D + d] += e[j] / sum * one->v[j][h * D + d];
            }
        }
}

static double loss_of_row(const Scenario *scenario, const Moved *it, const double context[H * D],
                          int q, int64_t answer)
{
    double output[DOUT], sum = 0.0, right = 0.0;
    for (int o = 0; o < DOUT; o++) {
        output[o] = moved(scenario, it, "out_proj.bias", o);
        for (int d = 0; d < H * D; d++)
            output[o] += context[d] * moved(scenario, it, "out_proj.weight", o * H * D + d);
    }
    for (int w = 0; w < V; w++) {
        double logit = 0.0;
        for (int o = 0; o < DOUT; o++)
            logit += output[o] * moved(scenario, it, "readout.weight", (q * V + w) * DOUT + o);
        sum += exp(logit);
        right = w == answer ? logit : right;
    }
    return log(sum) - right;
}

static double loss(const Scenario *scenario, const Moved *it)
{
    const int64_t *tokens = scenario_tensor(scenario, "tokens")->tensor.storage.i64;
    const int64_t *lengths = scenario_tensor(scenario, "lengths")->tensor.storage.i64;
    const int64_t *targets = scenario_tensor(scenario, "targets")->tensor.storage.i64;
    double sum = 0.0, asked = 0.0;
    for (int b = 0, start = 0; b < B; start += (int)lengths[b++]) {
        Attended one = {.length = (int)lengths[b]};
        for (int l = 0; l < L; l++) {
            double x[DIN];
            for (int d = 0; d < DIN; d++)
                x[d] = input(scenario, it, l < one.length ? tokens[start + l] : 0, l, d);
            for (int o = 0; o < H * D; o++) {
                one.q[l][o] = projected(scenario, it, "q_proj", x, o);
                one.k[l][o] = projected(scenario, it, "k_proj", x, o);
                one.v[l][o] = projected(scenario, it, "v_proj", x, o);
            }
        }
        attend(&one);
        for (int q = 0; q < Q; q++)
            for (int l = 0; l < L; l++) {
                int64_t answer = targets[(b * Q + q) * L + l];
                sum += answer < 0 ? 0.0 : loss_of_row(scenario, it, one.context[l], q, answer);
                asked += answer >= 0;
            }
    }
    return sum / asked;
}

static const char *const roles[] = {
    "embedding.weight", "q_proj.weight", "q_proj.bias",     "k_proj.weight", "k_proj.bias",
    "v_proj.weight",    "v_proj.bias",   "out_proj.weight", "out_proj.bias", "readout.weight"};

static const Tensor *tensor_named(const Trace *trace, const char *name)
{
    int number = trace_find(trace, name);
    ck_assert_msg(number >= 0, "there is no %s", name);
    return &trace->tensors[number].tensor;
}

LOOP_TEST(every_gradient_is_a_finite_difference, (int)(sizeof roles / sizeof *roles))
{
    Error err = {.text = ""};
    Scenario scenario;
    Trace trace;
    char name[64];
    const double step = 1e-5;
    tiny_scenario(&scenario, layer, 11);
    ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err), "%s", err.text);
    double whole = loss(&scenario, &(Moved){.role = ""});
    ck_assert_double_eq_tol((double)tensor_named(&trace, "loss")->storage.f32[0], whole, 1e-6);

    snprintf(name, sizeof name, "grad.%s", roles[_i]);
    const Tensor *gradient = tensor_named(&trace, name);
    const Tensor *given = &scenario_tensor(&scenario, roles[_i])->tensor;
    ck_assert(tensor_same_shape(gradient, given));
    for (ptrdiff_t place = 0; place < tensor_count(given); place++) {
        double up = loss(&scenario, &(Moved){roles[_i], place, step});
        double down = loss(&scenario, &(Moved){roles[_i], place, -step});
        double want = (up - down) / (2 * step), got = (double)gradient->storage.f32[place];
        ck_assert_msg(fabs(want - got) < 1e-6, "%s, element %td: %.9g, the difference says %.9g",
                      name, place, got, want);
    }
    trace_close(&trace);
    scenario_finish(&scenario);
}

// The loss of the trace in double precision, from its weights as they are now.
static double exact_loss(const Trace *trace)
{
    Error err;
    TraceExact exact;
    int number = trace_find(trace, "loss");
    ck_assert_msg(trace_exact_open(&exact, trace, &err), "%s", err.text);
    while (!trace_exact_has(&exact, number))
        ck_assert_msg(trace_exact_step(&exact, &err), "%s", err.text);
    double sum = trace_exact_number(&exact, (TraceCell){.tensor = number});
    trace_exact_close(&exact);
    return sum;
}

// Moves every number of a weight or input both ways. The step is as small as float32 allows, and what the
// difference leaves out grows with its square.
static void check_differences(const Trace *trace, const ScenarioTensor *given)
{
    char name[80];
    snprintf(name, sizeof name, "grad.%s", given->name);
    int number = trace_find(trace, name);
    for (ptrdiff_t i = 0; number >= 0 && i < tensor_count(&given->tensor); i++) {
        const Tensor *gradient = &trace->tensors[number].tensor;
        ptrdiff_t at[TENSOR_RANK_MAX];
        float *place = &given->tensor.storage.f32[i], was = *place;
        float up = was + 0x1p-13f, down = was - 0x1p-13f;
        *place = up;
        double above = exact_loss(trace);
        *place = down;
        double below = exact_loss(trace);
        *place = was;
        tensor_unravel(gradient, i, at);
        double want = (above - below) / ((double)up - (double)down);
        double got = (double)gradient->storage.f32[tensor_place(gradient, at)];
        ck_assert_msg(fabs(want - got) < 1e-4 * (1.0 + fabs(want)),
                      "%s, element %td: %.9g, the difference says %.9g", name, i, got, want);
    }
}

LOOP_TEST(gradients_of_tiny_shapes_are_finite_differences, tiny_shape_count)
{
    Error err = {.text = ""};
    Scenario scenario;
    Trace trace;
    tiny_scenario(&scenario, tiny_shapes[_i], 3);
    ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err), "%s", err.text);
    for (int i = 0; scenario.backward && i < scenario.tensor_count; i++)
        if (scenario.tensors[i].tensor.dtype == DTYPE_F32)
            check_differences(&trace, &scenario.tensors[i]);
    trace_close(&trace);
    scenario_finish(&scenario);
}

// One matrix makes q, k and v: it has one gradient, the sum of three.
TEST(a_weight_that_is_used_three_times_has_the_sum_of_three_gradients)
{
    Error err = {.text = ""};
    Scenario scenario;
    Trace trace;
    tiny_scenario(&scenario, tiny_self(2, 2, 3), 5);
    scenario.backward = true;
    const ScenarioTensor *q = scenario_tensor(&scenario, "q_proj.weight");
    for (int i = 0; i < scenario.tensor_count; i++)
        if (strcmp(scenario.tensors[i].role, "k_proj.weight") == 0 ||
            strcmp(scenario.tensors[i].role, "v_proj.weight") == 0) {
            scenario.tensors[i].tensor = q->tensor;
            scenario.tensors[i].name = q->name;
        }
    ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err), "%s", err.text);
    const float *sum = tensor_named(&trace, "grad.q_proj.weight")->storage.f32;
    const float *of_q = tensor_named(&trace, "grad.q_proj.weight.q")->storage.f32;
    const float *of_k = tensor_named(&trace, "grad.q_proj.weight.k")->storage.f32;
    const float *of_v = tensor_named(&trace, "grad.q_proj.weight.v")->storage.f32;
    for (ptrdiff_t i = 0; i < tensor_count(&q->tensor); i++)
        ck_assert_float_eq(sum[i], of_v[i] + of_k[i] + of_q[i]);
    ck_assert_int_eq(trace_find(&trace, "grad.k_proj.weight"), -1);
    trace_close(&trace);
    scenario_finish(&scenario);
}

// A row that is masked as a whole gives NaN forward and backward, but no gradient goes to what a mask
// has replaced.
TEST(no_gradient_goes_through_a_mask)
{
    Error err = {.text = ""};
    Scenario scenario;
    Trace trace;
    TinyShape shape = tiny_causal(1, 2, 4);
    shape.backward = true;
    tiny_scenario(&scenario, shape, 3);
    ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err), "%s", err.text);
    const Tensor *scores = tensor_named(&trace, "grad.scores_scaled");
    for (ptrdiff_t h = 0; h < 2; h++)
        for (ptrdiff_t i = 0; i < 4; i++)
            for (ptrdiff_t j = i + 1; j < 4; j++)
                ck_assert_float_eq(*tensor_at4(scores, 0, h, i, j), 0.0f);
    trace_close(&trace);
    scenario_finish(&scenario);
}

// A gate, a norm and a bias of each kind: every weight of a whole layer has a gradient.
TEST(every_weight_of_whole_layers_has_a_gradient)
{
    Error err = {.text = ""};
    Scenario scenario;
    Trace trace;
    for (int i = 0; i < tiny_shape_count; i++) {
        tiny_scenario(&scenario, tiny_shapes[i], 3);
        ck_assert_msg(trace_open(&trace, &scenario, &err), "%s", err.text);
        for (int j = 0; scenario.backward && j < scenario.tensor_count; j++) {
            const ScenarioTensor *given = &scenario.tensors[j];
            char name[80];
            snprintf(name, sizeof name, "grad.%s", given->name);
            bool is_weight = strstr(given->role, ".weight") || strstr(given->role, ".bias") ||
                             strcmp(given->role, "token_type") == 0;
            ck_assert_msg(!is_weight || trace_find(&trace, name) >= 0, "shape %d has no %s", i,
                          name);
        }
        trace_close(&trace);
        scenario_finish(&scenario);
    }
}

// All that can be in a layer and has a way back, in one layer and in many.
TEST(the_longest_way_back_has_room)
{
    static const int layers[] = {1, 2, 11};
    for (int i = 0; i < 3; i++) {
        Error err = {.text = ""};
        Scenario scenario;
        Trace trace;
        TinyShape shape = layer;
        shape.d_out = shape.d_in;
        shape.causal = shape.residual = shape.layer_norm = shape.final_norm = true;
        shape.gated = shape.learned = shape.dropout = shape.two_texts = true;
        shape.buckets = 4;
        shape.kv_heads = 1;
        shape.feed_forward = 2;
        shape.options = (StageOptions){.rope = 100.0f,
                                       .rope_width = 2,
                                       .embedding_scale = 2.0f,
                                       .qk_norm = true,
                                       .softcap = 2.0f,
                                       .alibi = true,
                                       .add_bias_kv = true,
                                       .add_zero_attn = true};
        shape.layers = layers[i];
        tiny_scenario(&scenario, shape, 3);
        ck_assert_msg(trace_open(&trace, &scenario, &err), "%s", err.text);
        ck_assert_int_le(trace.step_count,
                         TRACE_AROUND_STEPS_MAX + layers[i] * TRACE_LAYER_STEPS_MAX);
        ck_assert_int_le(trace.tensor_count,
                         TRACE_AROUND_TENSORS_MAX + layers[i] * TRACE_LAYER_TENSORS_MAX);
        trace_close(&trace);
        scenario_finish(&scenario);
    }
}

// PyTorch's line has the 1 where the norm adds it, and a layer norm never does.
TEST(the_line_of_a_norm_adds_1_where_the_norm_does)
{
    static const char *const lines[] = {"grad_normed = grad_out * weight",
                                        "grad_normed = grad_out * (1 + weight)"};
    for (int is_rms = 0; is_rms < 2; is_rms++) {
        Error err = {.text = ""};
        Scenario scenario;
        Trace trace;
        char text[TRACE_FORMULA_MAX];
        TinyShape shape = tiny_self(1, 2, 3);
        shape.backward = shape.residual = true;
        shape.d_out = shape.d_in;
        shape.layer_norm = !is_rms;
        shape.rms_norm = is_rms;
        shape.options.norm_plus_one = true;
        tiny_scenario(&scenario, shape, 3);
        ck_assert_msg(trace_open(&trace, &scenario, &err), "%s", err.text);
        int made = trace_find(&trace, "grad.norm.normed");
        ck_assert_int_ge(made, 0);
        ck_assert_str_eq(trace_torch(&trace, trace.tensors[made].step, text), lines[is_rms]);
        trace_close(&trace);
        scenario_finish(&scenario);
    }
}

TEST(a_mistake_has_no_backward_pass)
{
    Error err = {.text = ""};
    Scenario scenario;
    Trace trace;
    TinyShape shape = tiny_self(1, 2, 3);
    shape.backward = true;
    tiny_scenario(&scenario, shape, 3);
    Stage other = *stage_find("scale");
    const Stage *stages[] = {&other, NULL};
    ck_assert(!trace_open_variant(&trace, &scenario, &(TraceVariant){.stages = stages}, &err));
    ck_assert_msg(strstr(err.text, "scale: a mistake runs instead of this stage") != NULL, "%s",
                  err.text);
    trace_close(&trace);
    scenario_finish(&scenario);
}

TEST(an_answer_outside_the_vocabulary_is_refused)
{
    Error err = {.text = ""};
    Scenario scenario;
    Trace trace;
    tiny_scenario(&scenario, layer, 11);
    scenario_tensor(&scenario, "targets")->tensor.storage.i64[1] = V;
    ck_assert(trace_open(&trace, &scenario, &err));
    ck_assert(!trace_run(&trace, &err));
    ck_assert_str_eq(err.text, "cross_entropy: targets[0, 0, 1] is 6, outside the vocabulary of 6 "
                               "(0 ... 5; -1 where nothing is asked)");
    trace_close(&trace);
    scenario_finish(&scenario);
}

SUITE("backward")
