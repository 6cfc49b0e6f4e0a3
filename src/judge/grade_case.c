// Draws a case of an exercise and computes the right numbers; see grade.h and grade_internal.h.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "grade_internal.h"
#include "tensor.h"

// --- memory, and texts in it; the judge exits without memory

void grade_must(bool good, const Error *err)
{
    if (good)
        return;
    fprintf(stderr, "attnscope-judge: %s\n", err->text);
    exit(1);
}

const char *grade_must_text(const char *text, const Error *err)
{
    grade_must(text != NULL, err);
    return text;
}

const char *grade_kept(const char *sentence, Arena *arena)
{
    Error err;
    return grade_must_text(arena_text(arena, sentence, &err), &err);
}

const char *grade_number(double number, double other, Arena *arena)
{
    Error err;
    char text[64], other_text[64];
    for (int digits = 4; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, isnan(number) ? fabs(number) : number);
        snprintf(other_text, sizeof other_text, "%.*g", digits, other);
        if (strcmp(text, other_text) != 0)
            break;
    }
    return grade_must_text(arena_text(arena, text, &err), &err);
}

Tensor grade_room(GradeCase *drawn, const Tensor *like)
{
    Error err;
    Tensor room = {.rank = 0};
    grade_must(tensor_take(&drawn->arena, like->dtype, like->rank, like->shape, &room, &err), &err);
    return room;
}

// --- the run of an exercise's tests

GradeRunning grade_running(const GradeCase *drawn)
{
    GradeRun *run = drawn->run;
    if (!run)
        return (GradeRunning){.number = -1};
    Verdict *verdict = run->verdict;
    return (GradeRunning){.workers = run->workers,
                          .test = run->test,
                          .number = run->alone ? -1 : (int)(run->test - verdict->tests),
                          .edge = run->edge,
                          .goes_back = run->goes_back,
                          .is_alone = run->alone != NULL,
                          .is_witness = run->round > 0,
                          .naming = &run->naming,
                          .arena = &verdict->arena};
}

// --- results: given and expected numbers of the main output, and the tolerance

int grade_main_slot(const GradeCase *drawn)
{
    const GradeExercise *exercise = drawn->exercise;
    if (exercise->arrange)
        return 0;
    return exercise->output >= 0 ? exercise->output
                                 : drawn->trace.steps[drawn->step].stage->main_output;
}

const Tensor *grade_result(const GradeCase *drawn)
{
    return &drawn->given.out[grade_main_slot(drawn)];
}

const Tensor *grade_expected(const GradeCase *drawn)
{
    return &drawn->expected[grade_main_slot(drawn)];
}

TensorDifference grade_difference(const GradeCase *drawn, const Tensor *given, const Tensor *known)
{
    // Over 40 seeds, right gradients (summed in other orders, or in doubles) needed at most 15; leaving out one term
    // of 65 exceeds 1000 at some edge.
    static const float at_edges = 1000.0f, of_gradients = 100.0f;
    // A float up to 1024 is exact to 3e-5, and so is exp of such a score minus a logarithm.
    static const float of_large = 4.0f;
    const GradeRunning running = grade_running(drawn);
    float own = drawn->exercise->times > 0.0f        ? drawn->exercise->times
                : (drawn->wishes & GRADE_LARGE) != 0 ? of_large
                                                     : 1.0f;
    return tensor_difference_times(given, known,
                                   running.edge == 0   ? own
                                   : running.goes_back ? of_gradients
                                                       : at_edges);
}

// --- a drawn scenario
//
// Except at the edges, no two axes have the same length, so that a loop over the wrong one fails; every sequence but
// the longest is padded; no number is 0, and hardly any two are equal.

typedef struct Draw {
    Scenario *scenario;
    unsigned wishes;
    uint64_t state;
    bool is_whole;
} Draw;

// splitmix64 (Steele, Lea, Flood 2014)
static uint64_t next(Draw *draw)
{
    uint64_t z = draw->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static ptrdiff_t between(Draw *draw, ptrdiff_t least, ptrdiff_t most)
{
    return least + (ptrdiff_t)(next(draw) % (uint64_t)(most - least + 1));
}

// In (-1.5, 1.5); if whole, +-1, 2 or 3. Large scores use multiples of 1/4, whose products sum exactly.
static float number(Draw *draw)
{
    if (draw->wishes & GRADE_LARGE)
        return (float)(between(draw, 0, 1) ? 1 : -1) * (float)between(draw, 1, 4) / 4.0f;
    if (draw->is_whole)
        return (float)(between(draw, 0, 1) ? 1 : -1) * (float)between(draw, 1, 3);
    int32_t whole = (int32_t)(next(draw) >> 41) - (1 << 22);
    return 1.5f * (float)(2 * whole + 1) * 0x1p-23f;
}

// --- sizes

// True if two sizes agree that should differ.
static bool some_agree(const Draw *draw)
{
    static const Symbol symbols[] = {SYMBOL_B,  SYMBOL_H,   SYMBOL_LQ,  SYMBOL_LK,
                                     SYMBOL_V,  SYMBOL_D_K, SYMBOL_D_V, SYMBOL_DIN,
                                     SYMBOL_DK, SYMBOL_DV,  SYMBOL_DOUT};
    const ptrdiff_t *size = draw->scenario->size;
    bool equal = draw->wishes & GRADE_EQUAL, square = draw->wishes & GRADE_SQUARE;
    bool crosses = draw->wishes & GRADE_CROSS;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        for (size_t j = 0; j < i; j++) {
            Symbol a = symbols[j], b = symbols[i];
            bool meant = (!crosses && a == SYMBOL_LQ && b == SYMBOL_LK) ||
                         (equal && a == SYMBOL_D_K && b == SYMBOL_D_V) ||
                         (equal && a == SYMBOL_DK && b == SYMBOL_DV) ||
                         (square && a == SYMBOL_V && (b == SYMBOL_DIN || b == SYMBOL_DK)) ||
                         (square && a == SYMBOL_DIN && b == SYMBOL_DK) ||
                         (square && a == SYMBOL_DV && b == SYMBOL_DOUT);
            if (size[a] == size[b] && !meant)
                return true;
        }
    return false;
}

const GradeSizes grade_shown = {
    .batch = {2, 2}, .heads = {3, 3}, .length = {4, 5}, .width = {4, 7}, .layer = {5, 10}};

// Longer sequences and wider heads, so that a table of the visible cases does not help.
const GradeSizes grade_hidden = {
    .batch = {3, 3}, .heads = {2, 4}, .length = {6, 8}, .width = {8, 16}, .layer = {5, 10}};

// Edge shapes, for functions that pass everything else; the smallest failing one counts. 0: as in hidden cases.
// Among them, each axis is once longer and once shorter than each other one, so that a loop with the wrong bound
// fails.
static const struct {
    ptrdiff_t batch, heads, length, width;
    ptrdiff_t layer; // its inputs and outputs, at least
    bool is_strided;
} edges[] = {
    {0, 0, 0, 0, 0, true},   // inputs that are not contiguous
    {1, 1, 1, 2, 5, false},  // nothing to loop over
    {2, 1, 5, 3, 1, false},  // one head
    {5, 2, 4, 3, 5, false},  // more sequences than tokens
    {3, 2, 2, 2, 14, false}, // more inputs than outputs, tokens or words
    // more of each than a table of 64 holds
    {65, 1, 4, 2, 5, false},
    {1, 65, 2, 2, 5, false},
    // longer than anywhere else
    {1, 1, 9, 3, 5, false},
    {1, 1, 17, 3, 5, false},
    {1, 1, 33, 3, 5, false},
    {1, 1, 65, 3, 5, false},
    {2, 1, 70, 2, 5, false}, // and padded there
    // wider heads
    {1, 1, 3, 17, 5, false},
    {1, 1, 3, 33, 5, false},
    {1, 1, 3, 65, 5, false},
    {1, 1, 3, 128, 5, false},
};

bool grade_edge(int number, GradeSizes *sizes)
{
    if (number >= (int)(sizeof edges / sizeof *edges))
        return false;
    *sizes = grade_hidden;
    sizes->is_strided = edges[number].is_strided;
    sizes->may_agree = edges[number].batch > 0;
    if (edges[number].batch > 0) {
        sizes->batch = (struct GradeRange){edges[number].batch, edges[number].batch};
        sizes->heads = (struct GradeRange){edges[number].heads, edges[number].heads};
        sizes->length = (struct GradeRange){edges[number].length, edges[number].length};
        sizes->width = (struct GradeRange){edges[number].width, edges[number].width};
        sizes->layer = (struct GradeRange){edges[number].layer, edges[number].layer + 3};
    }
    return true;
}

static ptrdiff_t in_range(Draw *draw, struct GradeRange range)
{
    return range.least == range.most ? range.least : between(draw, range.least, range.most);
}

static void draw_sizes(Draw *draw, const GradeSizes *sizes)
{
    ptrdiff_t *size = draw->scenario->size;
    unsigned wishes = draw->wishes;
    bool has_more_keys = (wishes & GRADE_MORE_KEYS) == GRADE_MORE_KEYS;
    do {
        size[SYMBOL_B] = in_range(draw, sizes->batch);
        size[SYMBOL_H] = in_range(draw, sizes->heads);
        size[SYMBOL_L] = size[SYMBOL_LK] = size[SYMBOL_LQ] = in_range(draw, sizes->length);
        if (wishes & GRADE_CROSS)
            size[has_more_keys ? SYMBOL_LK : SYMBOL_LQ] += 3;
        size[SYMBOL_D_K] = wishes & GRADE_LARGE ? 4 : in_range(draw, sizes->width);
        size[SYMBOL_D_V] = wishes & GRADE_EQUAL ? size[SYMBOL_D_K] : in_range(draw, sizes->width);
        size[SYMBOL_DK] = size[SYMBOL_H] * size[SYMBOL_D_K];
        size[SYMBOL_DV] = size[SYMBOL_H] * size[SYMBOL_D_V];
        size[SYMBOL_DIN] = wishes & GRADE_SQUARE ? size[SYMBOL_DK] : in_range(draw, sizes->layer);
        size[SYMBOL_DOUT] = wishes & GRADE_SQUARE ? size[SYMBOL_DV] : in_range(draw, sizes->layer);
        size[SYMBOL_V] = wishes & GRADE_SQUARE ? size[SYMBOL_DIN] : between(draw, 11, 13);
        if (size[SYMBOL_V] == 1) // at least one id besides padding
            size[SYMBOL_V] = 2;
    } while (!sizes->may_agree && some_agree(draw));
}

// --- tensors

static Tensor take(Draw *draw, Dtype dtype, int rank, const ptrdiff_t shape[])
{
    Error err;
    Tensor tensor = {.rank = 0};
    grade_must(tensor_take(&draw->scenario->arena, dtype, rank, shape, &tensor, &err), &err);
    return tensor;
}

static void add_floats(Draw *draw, const char *role, float enlarge, int rank,
                       const ptrdiff_t shape[])
{
    Tensor tensor = take(draw, DTYPE_F32, rank, shape);
    ptrdiff_t count = tensor_count(&tensor);
    for (ptrdiff_t i = 0; i < count; i++)
        tensor.storage.f32[i] = enlarge * number(draw);
    scenario_add(draw->scenario, role, role, tensor, "drawn");
}

static void add_layer(Draw *draw, const char *weight, const char *bias, ptrdiff_t out, ptrdiff_t in,
                      float enlarge)
{
    add_floats(draw, weight, enlarge, 2, (ptrdiff_t[]){out, in});
    if (draw->wishes & GRADE_BIAS)
        add_floats(draw, bias, 1.0f, 1, (ptrdiff_t[]){out});
}

// Sequences have L, L-2, L-3 ... tokens, starting anywhere. With a single pad, a mask that starts one place late would
// mask nothing. No sequence is empty.
static void add_tokens(Draw *draw)
{
    ptrdiff_t *size = draw->scenario->size, total = 0, turn = between(draw, 0, size[SYMBOL_B] - 1);
    int64_t pad_id = draw->scenario->options.pad_id;
    Tensor lengths = take(draw, DTYPE_I64, 1, &size[SYMBOL_B]);
    for (ptrdiff_t b = 0; b < size[SYMBOL_B]; b++) {
        ptrdiff_t place = (b + turn) % size[SYMBOL_B];
        ptrdiff_t padding = place == 0 || draw->wishes & GRADE_FULL ? 0 : place + 1;
        padding = padding < size[SYMBOL_L] ? padding : size[SYMBOL_L] - 1;
        total += *tensor_id1(&lengths, b) = size[SYMBOL_L] - padding;
    }
    size[SYMBOL_N] = total;
    Tensor tokens = take(draw, DTYPE_I64, 1, &total);
    for (ptrdiff_t n = 0; n < total; n++)
        do
            *tensor_id1(&tokens, n) = between(draw, 0, size[SYMBOL_V] - 1);
        while (*tensor_id1(&tokens, n) == pad_id);
    scenario_add(draw->scenario, "tokens", "tokens", tokens, "drawn");
    scenario_add(draw->scenario, "lengths", "lengths", lengths, "drawn");
    add_floats(draw, "embedding.weight", 1.0f, 2, (ptrdiff_t[]){size[SYMBOL_V], size[SYMBOL_DIN]});
}

// Makes every fifth gradient, and its moments, so small that epsilon matters.
static void add_small_gradients(Draw *draw)
{
    static const struct {
        const char *role;
        float factor;
    } all[] = {{"gradient", 0x1p-23f}, {"moment1", 0x1p-23f}, {"moment2", 0x1p-46f}};
    for (int i = 0; i < 3; i++) {
        const Tensor *tensor = &scenario_tensor(draw->scenario, all[i].role)->tensor;
        for (ptrdiff_t n = 0; n < tensor_count(tensor); n += 5)
            tensor->storage.f32[n] *= all[i].factor;
    }
}

// A layer's weight and its state in Adam. Second moments are at least 0.
static void add_update(Draw *draw)
{
    static const float rates[] = {0.01f, 0.02f, 0.03f, 0.05f};
    static const char *const roles[] = {"parameter", "gradient", "moment1", "moment2"};
    const ptrdiff_t *size = draw->scenario->size;
    const ptrdiff_t shape[] = {size[SYMBOL_DOUT], size[SYMBOL_DIN]};
    bool is_first = draw->wishes & GRADE_FIRST_UPDATE;
    for (int i = 0; i < 4; i++)
        add_floats(draw, roles[i], i > 1 && is_first ? 0.0f : 1.0f, 2, shape);
    const Tensor *moment2 = &scenario_tensor(draw->scenario, "moment2")->tensor;
    for (ptrdiff_t i = 0; i < tensor_count(moment2); i++)
        moment2->storage.f32[i] *= moment2->storage.f32[i];
    if (!is_first)
        add_small_gradients(draw);
    StageOptions *options = &draw->scenario->options;
    options->rate = rates[between(draw, 0, 3)];
    options->beta1 = 0.9f;
    options->beta2 = 0.999f;
    options->epsilon = 1e-8f;
    options->update = is_first ? 1 : between(draw, 2, 5);
}

static void set_options(Draw *draw)
{
    static const double shares[] = {0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6};
    Scenario *scenario = draw->scenario;
    unsigned wishes = draw->wishes;
    scenario->options = (StageOptions){
        .pad_id = wishes & GRADE_OTHER_PAD ? between(draw, 3, 9) : 0,
        .heads = scenario->size[SYMBOL_H],
        .scale = sqrtf((float)scenario->size[SYMBOL_D_K]),
        .scale_name = "sqrt_d_k",
        .mask_value = -INFINITY,
        .causal = wishes & GRADE_CAUSAL,
        .mask_padding = wishes & GRADE_PADDING,
        .window = wishes & GRADE_WINDOW ? 2 : 0,
        .dropout_seed = next(draw) >> 40,
    };
    if (wishes & GRADE_DROPOUT) // never 1/2, where p and 1 - p are equal
        scenario->options.dropout_p = shares[between(draw, 0, 6)];
    scenario->has_heads = scenario->scaled = true;
    scenario->masked = wishes & (GRADE_CAUSAL | GRADE_PADDING);
    scenario->mask_before_scale = wishes & GRADE_MASK_FIRST;
    scenario->with_dropout = wishes & (GRADE_DROPOUT | GRADE_KEEP_ALL);
    scenario->with_position = wishes & GRADE_POSITIONS;
    scenario->backward = wishes & GRADE_BACKWARD;
}

void grade_scenario(Scenario *scenario, unsigned wishes, const GradeSizes *sizes, uint64_t seed)
{
    *scenario = (Scenario){
        .name = "drawn",
        .about = "numbers drawn for an exercise",
        .threads = 1, // more take longer to begin than such a run lasts
    };
    Draw draw = {scenario, wishes, seed, sizes->is_whole};
    const ptrdiff_t *size = scenario->size;
    // A saturated softmax has gradients near 0, which consist of rounding.
    float enlarge = wishes & GRADE_LARGE ? 64.0f : wishes & GRADE_BACKWARD ? 0.125f : 1.0f;
    draw_sizes(&draw, sizes);
    set_options(&draw);
    const ptrdiff_t keys[] = {size[SYMBOL_B], size[SYMBOL_LK], size[SYMBOL_DIN]};
    const ptrdiff_t queries[] = {size[SYMBOL_B], size[SYMBOL_LQ], size[SYMBOL_DIN]};
    if (wishes & GRADE_CROSS) {
        add_floats(&draw, "x", 1.0f, 3, keys);
        add_floats(&draw, "x_query", 1.0f, 3, queries);
    } else {
        add_tokens(&draw);
    }
    add_layer(&draw, "q_proj.weight", "q_proj.bias", size[SYMBOL_DK], size[SYMBOL_DIN], enlarge);
    add_layer(&draw, "k_proj.weight", "k_proj.bias", size[SYMBOL_DK], size[SYMBOL_DIN], 1.0f);
    add_layer(&draw, "v_proj.weight", "v_proj.bias", size[SYMBOL_DV], size[SYMBOL_DIN], 1.0f);
    add_layer(&draw, "out_proj.weight", "out_proj.bias", size[SYMBOL_DOUT], size[SYMBOL_DV], 1.0f);
    if (wishes & GRADE_UPDATE)
        add_update(&draw);
}

// --- a step's arguments and right results

Tensor grade_tensor(const GradeCase *drawn, const char *name)
{
    int number = trace_find(&drawn->trace, name);
    assert(number >= 0);
    return drawn->trace.tensors[number].tensor;
}

static int find_step(const Trace *trace, const char *stage, const char *label)
{
    for (int i = 0; i < trace->step_count; i++) {
        const TraceStep *step = &trace->steps[i];
        bool is_call = !label || (step->call->label && strcmp(step->call->label, label) == 0);
        if (strcmp(step->stage->name, stage) == 0 && is_call)
            return i;
    }
    assert(!"the scenario has no such step");
    return -1;
}

// The function gets its stage's inputs, and memory for its results unless they are views.
static void arrange_as_stage(GradeCase *drawn)
{
    Error err;
    grade_must(trace_arguments(&drawn->trace, drawn->step, &drawn->given, &err), &err);
    drawn->call = drawn->trace.steps[drawn->step].call;
    for (int slot = 0; slot < STAGE_WRITES_MAX && drawn->call->writes[slot].role; slot++) {
        drawn->expected[slot] = drawn->given.out[slot];
        drawn->given.out[slot] = drawn->call->writes[slot].is_view
                                     ? (Tensor){.rank = 0}
                                     : grade_room(drawn, &drawn->expected[slot]);
    }
}

// A copy with the last axis outermost in memory and a gap in front, so that strides and offset are unusual.
static Tensor spread(GradeCase *drawn, const Tensor *tensor)
{
    Error err;
    Tensor room = {.rank = 0};
    int rank = tensor->rank;
    ptrdiff_t turned[TENSOR_RANK_MAX];
    for (int axis = 0; axis < rank; axis++)
        turned[axis] = tensor->shape[rank - 1 - axis];
    turned[rank] = 2; // the first axis is the gap
    grade_must(tensor_take(&drawn->arena, tensor->dtype, rank + 1, turned, &room, &err), &err);
    room = tensor_select(&room, rank, 1);
    for (int axis = 0; axis < rank / 2; axis++)
        room = tensor_transpose(&room, axis, rank - 1 - axis);
    tensor_copy(tensor, &room);
    return room;
}

static void spread_inputs(GradeCase *drawn)
{
    for (int slot = 0; slot < STAGE_READS_MAX && drawn->call->reads[slot].role; slot++) {
        Tensor *in = &drawn->given.in[slot];
        if (in->storage.bytes && in->rank > 0)
            *in = spread(drawn, in);
    }
    if (!drawn->call->writes[0].is_view)
        return;
    // The right view refers to the inputs as they now lie in memory.
    Error err;
    StageArgs args = drawn->given;
    memcpy(args.out, drawn->expected, sizeof args.out);
    grade_must(drawn->trace.steps[drawn->step].stage->run(&args, &err), &err);
    memcpy(drawn->expected, args.out, sizeof args.out);
}

// Messages call tensors by the names of the learner's parameters.
static void name_arguments(GradeCase *drawn)
{
    const GradeExercise *exercise = drawn->exercise;
    drawn->named = *drawn->call;
    for (int slot = 0; slot < STAGE_READS_MAX; slot++)
        if (exercise->in[slot])
            drawn->named.reads[slot].role = exercise->in[slot];
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
        if (exercise->out[slot])
            drawn->named.writes[slot].tensor = exercise->out[slot];
    drawn->call = &drawn->named;
}

void grade_case_open(GradeCase *drawn, const GradeExercise *exercise, unsigned wishes,
                     const char *label, const GradeSizes *sizes, uint64_t seed)
{
    Error err;
    *drawn = (GradeCase){.exercise = exercise, .step = -1, .wishes = wishes, .label = label};
    grade_scenario(&drawn->scenario, wishes, sizes, seed);
    grade_must(trace_open(&drawn->trace, &drawn->scenario, &err) && trace_run(&drawn->trace, &err),
               &err);
    if (exercise->stage)
        drawn->step = find_step(&drawn->trace, exercise->stage, label);
    drawn->given.options = &drawn->scenario.options;
    (exercise->arrange ? exercise->arrange : arrange_as_stage)(drawn);
    if (sizes->is_strided || wishes & GRADE_STRIDED)
        spread_inputs(drawn);
    name_arguments(drawn);
}

void grade_case_close(GradeCase *drawn)
{
    trace_close(&drawn->trace);
    scenario_finish(&drawn->scenario);
    arena_finish(&drawn->arena);
}

void grade_case_keep(GradeCase *drawn, const StageArgs *before, Tensor kept[STAGE_WRITES_MAX])
{
    for (int i = 0; i < STAGE_WRITES_MAX; i++) {
        kept[i] = drawn->given.out[i];
        if (!before->out[i].storage.bytes)
            continue;
        kept[i] = grade_room(drawn, &drawn->given.out[i]);
        tensor_copy(&drawn->given.out[i], &kept[i]);
    }
}

bool grade_case_same(const GradeCase *drawn, const Tensor kept[STAGE_WRITES_MAX])
{
    for (int i = 0; i < STAGE_WRITES_MAX && drawn->call->writes[i].role; i++) {
        const Tensor *out = &drawn->given.out[i];
        if (out->storage.bytes && kept[i].storage.bytes &&
            grade_difference(drawn, &kept[i], out).kind != DIFFERENCE_NONE)
            return false;
    }
    return true;
}

bool grade_case_is_far(const GradeCase *drawn, const Tensor kept[STAGE_WRITES_MAX])
{
    static const float tenth = 1e4f; // of the tolerance for equal sizes, 1e-5
    for (int i = 0; i < STAGE_WRITES_MAX && drawn->call->writes[i].role; i++) {
        const Tensor *out = &drawn->given.out[i];
        if (out->storage.bytes && kept[i].storage.bytes &&
            tensor_difference_times(&kept[i], out, tenth).kind > DIFFERENCE_SHAPE)
            return true;
    }
    return false;
}

// The stage's arguments with the function's results as outputs.
static int recognise_step(const GradeCase *drawn, const GradeExercise *exercise,
                          const Mistake *found[MISTAKE_FOUND_MAX], Error *err)
{
    StageArgs args;
    if (exercise->explains || !trace_arguments(&drawn->trace, drawn->step, &args, err))
        return 0;
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++) {
        bool is_one = exercise->output < 0 ? drawn->call->writes[slot].role != NULL
                                           : slot == exercise->output;
        if (is_one)
            args.out[slot] = drawn->given.out[exercise->arrange ? 0 : slot];
    }
    return mistake_recognise_step(&drawn->trace, drawn->step, &args, found, err);
}

int grade_case_mistakes(const GradeCase *drawn, const GradeExercise *exercise,
                        const char *names[VERDICT_MISTAKES_MAX])
{
    const Mistake *found[MISTAKE_FOUND_MAX];
    Error err = {.text = ""};
    const char *last = exercise->tensor ? exercise->tensor : "output";
    int count = drawn->step >= 0
                    ? recognise_step(drawn, exercise, found, &err)
                    : mistake_recognise_tensor(&drawn->trace, trace_find(&drawn->trace, last),
                                               &drawn->given.out[0], found, &err);
    grade_must(!err.of_machine, &err);
    count = count < VERDICT_MISTAKES_MAX ? count : VERDICT_MISTAKES_MAX;
    for (int i = 0; i < count; i++)
        names[i] = found[i]->name;
    return count < 0 ? 0 : count;
}
