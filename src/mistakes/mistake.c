// mistake: the table made from mistakes.def; see mistake.h.
#include "mistake.h"

#include <math.h>
#include <string.h>
#include "mistake_row.h"
#include "relation_words.def"
#include "tensor.h"

// --- rows

// What a row becomes when the bank is first asked for.
typedef struct Made {
    MistakeRow rows[MISTAKE_STEPS_MAX];
    const Stage *list[MISTAKE_STEPS_MAX + 1];
    StageCode codes[MISTAKE_STEPS_MAX];
    const char *lines[MISTAKE_STEPS_MAX][STAGE_CALLS_MAX + 1];
} Made;

// The words that the columns of a row are made of.
#define STEPS(...) \
    { \
        __VA_ARGS__ \
    }
#define STEP(stage_name, ...) {.stage = stage_name, __VA_ARGS__},
#define FORMULA(...) .formula = {__VA_ARGS__}
#define TORCH(...) .torch = {__VA_ARGS__}

// A text for each call of the stage project: q, k and v, with a weight for all heads and with one for each.
#define PER_HEAD_TORCH(name, product, tail) \
    name " = torch.cat([" product " for h in range(num_heads)], -1)" tail
#define TORCH_PROJECT(layer, product, tail) \
    TORCH("q = " layer, PER_HEAD_TORCH("q", product, tail), "k = " layer, \
          PER_HEAD_TORCH("k", product, tail), "v = " layer, PER_HEAD_TORCH("v", product, tail))
#define FORMULA_PROJECT(tail, head_tail, v_tail) \
    FORMULA("q[b,l,o] = sum_d x[b,l,d] * weight[o,d]" tail, \
            "q[b,l, h*d_k + i] = sum_d x[b,l,d] * per_head[h,d,i]" head_tail, \
            "k[b,l,o] = sum_d x[b,l,d] * weight[o,d]" tail, \
            "k[b,l, h*d_k + i] = sum_d x[b,l,d] * per_head[h,d,i]" head_tail, \
            "v[b,l,o] = sum_d x[b,l,d] * weight[o,d]" tail, \
            "v[b,l, h*d_v + i] = sum_d x[b,l,d] * per_head[h,d,i]" v_tail)
#define HEAD_BIAS(width) "(+ bias[h*" width " + i])"

// The layer of q in the place of another.
#define W_Q(o) "sum_d x[b,l,d] * q_proj_weight[" o ",d]  (+ q_proj_bias[" o "])"
#define PER_HEAD_Q(width) \
    "sum_d x[b,l,d] * q_proj_per_head[h,d,i]  (+ q_proj_bias[h*" width " + i])"
#define LAYER_OF_Q \
    {.role = "q_proj.weight", .axes = "Dk Dq", .optional = true}, \
        {.role = "q_proj.per_head", .axes = "H Dq d_k", .optional = true}, \
    { \
        .role = "q_proj.bias", .axes = "Dk", .optional = true \
    }
#define PLAIN .together = false
#define TOGETHER .together = true
#define SAME_AS(name) .same_as = name

#define Q_HEADS \
    { \
        .role = "q", .axes = "B H Lq d_k" \
    }
#define K_HEADS \
    { \
        .role = "k", .axes = "B H Lk d_k" \
    }
#define V_HEADS \
    { \
        .role = "v", .axes = "B H Lk d_v" \
    }
#define ATTN_MASK \
    { \
        .role = "attn_mask", .dtype = DTYPE_BOOL, .optional = true \
    }

// Parts of the formula of the right mask (stages/mask.c).
#define MASKED "scores_masked[b,h,i,j] = attn_mask[b,h,i,j] ? mask_value : scores[b,h,i,j]"
#define FUTURE \
    "future = causal and (given(causal_mask_buffer) ? causal_mask_buffer[own, j + 0] : j > own)"
#define FAR \
    "far = window > 0 and |own - j| >= window; own = i + causal_shift; " \
    "text = Lk - add_bias_kv - add_zero_attn"
#define PADDING "(or mask_padding and key_padding_mask[b, j + 0])"
#define RULES "rules = future or far  " PADDING "; " FUTURE "; " FAR
#define OTHERS \
    "others = (j < text ? filled : 0)  (or mask[b,h,i,j]); filled = far  " PADDING "; " FAR

#define ROW(id, label, kind, steps, ...) \
    static Made made_##id; \
    static bool run_##id(StageArgs *args, Error *err) \
    { \
        return mistake_row_run(&made_##id.rows[0], args, err); \
    } \
    static bool run_second_##id(StageArgs *args, Error *err) \
    { \
        return mistake_row_run(&made_##id.rows[1], args, err); \
    } \
    static void origin_##id(Terms *terms, const ptrdiff_t at[]) \
    { \
        mistake_row_origin(&made_##id.rows[0], terms, at); \
    } \
    static void origin_second_##id(Terms *terms, const ptrdiff_t at[]) \
    { \
        mistake_row_origin(&made_##id.rows[1], terms, at); \
    } \
    static const MistakeStep steps_##id[MISTAKE_STEPS_MAX] = steps; \
    static const Mistake mistake_##id = { \
        .name = label, .stages = made_##id.list, kind, .words = MISTAKE_WORDS(__VA_ARGS__)};
#include "mistakes.def"
#undef ROW

typedef struct Row {
    const MistakeStep *steps;
    Made *made;
    MistakeRun *run[MISTAKE_STEPS_MAX];
    MistakeOrigin *origin[MISTAKE_STEPS_MAX];
} Row;

static const Row rows[] = {
#define ROW(id, ...) \
    {steps_##id, &made_##id, {run_##id, run_second_##id}, {origin_##id, origin_second_##id}},
#include "mistakes.def"
#undef ROW
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

// The code of such a stage is its formulas.
static void make_code(const MistakeStep *step, const char *lines[], StageCode *code)
{
    int count = 0;
    for (int i = 0; i < STAGE_CALLS_MAX && step->formula[i]; i++)
        lines[count++] = step->formula[i];
    if (step->where)
        lines[count++] = step->where;
    *code = (StageCode){.stage = "mistakes.def",
                        .file = "mistakes.def",
                        .first_line = 1,
                        .lines = lines,
                        .count = count};
}

static void make_rows(void)
{
    for (int i = 0; i < ROW_COUNT && !rows[0].made->list[0]; i++)
        for (int j = 0; j < MISTAKE_STEPS_MAX && rows[i].steps[j].stage; j++) {
            Made *made = rows[i].made;
            mistake_row_make(&rows[i].steps[j], rows[i].run[j], rows[i].origin[j], &made->rows[j]);
            make_code(&rows[i].steps[j], made->lines[j], &made->codes[j]);
        }
    for (int i = 0; i < ROW_COUNT && !rows[i].made->list[0]; i++)
        for (int j = 0; j < MISTAKE_STEPS_MAX && rows[i].steps[j].stage; j++)
            rows[i].made->list[j] = &rows[i].made->rows[j].stage;
}

// --- the list

static const Mistake *const mistakes[] = {
#define ROW(id, ...) &mistake_##id,
#include "mistakes.def"
#undef ROW
};

const Mistake *mistake_get(int number)
{
    make_rows();
    return number >= 0 && number < ROW_COUNT ? mistakes[number] : NULL;
}

const Mistake *mistake_find(const char *name)
{
    const Mistake *mistake;
    for (int i = 0; (mistake = mistake_get(i)); i++)
        if (strcmp(mistake->name, name) == 0)
            return mistake;
    return NULL;
}

bool mistake_is_backward(const Mistake *mistake)
{
    return stage_is_backward(mistake->stages[0]);
}

// --- where it cannot show

// A row of relation_words.def as a value.
#define REASON(NAME) \
    { \
        { \
            word_##NAME##_english, word_##NAME##_korean, word_##NAME##_marked \
        } \
    }

static const Words no_backward = REASON(NO_BACKWARD), no_step = REASON(NO_STEP),
                   same_numbers = REASON(SAME_NUMBERS);

// Products that trying it may take: a millisecond.
static const double products_most = 2e5;

static double products(const Scenario *scenario)
{
    double size[SYMBOL_COUNT];
    for (int i = 0; i < SYMBOL_COUNT; i++)
        size[i] = scenario->size[i] > 1 ? (double)scenario->size[i] : 1.0;
    double of_tokens = size[SYMBOL_B] * (size[SYMBOL_LQ] + size[SYMBOL_LK]);
    return of_tokens * size[SYMBOL_DIN] * (size[SYMBOL_DK] + size[SYMBOL_DV]) +
           size[SYMBOL_B] * size[SYMBOL_H] * size[SYMBOL_LQ] * size[SYMBOL_LK] *
               (size[SYMBOL_D_K] + size[SYMBOL_D_V]);
}

static bool is_replaced(const Mistake *mistake, const TraceStep *step)
{
    for (const Stage *const *stage = mistake->stages; *stage; stage++)
        if (step->stage == *stage)
            return true;
    return false;
}

// A gradient of 0 may have either sign.
static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_numbers_of(const Tensor *a, const Tensor *b)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    if (a->dtype != b->dtype || !tensor_same_shape(a, b))
        return false;
    for (bool more = tensor_count(a) > 0; more; more = tensor_next(a, at))
        if (!is_same(tensor_number(a, at), tensor_number(b, at)))
            return false;
    return true;
}

// Whether what a step of the wrong run has written is what the right one has under that name.
static bool same_outputs(const Trace *right, const Trace *wrong, const TraceStep *step)
{
    for (int slot = 0; step->call->writes[slot].role; slot++) {
        const TraceTensor *made = &wrong->tensors[step->writes[slot]];
        int number = trace_find(right, made->name);
        if (number < 0 || !same_numbers_of(&made->tensor, &right->tensors[number].tensor))
            return false;
    }
    return true;
}

static bool has_step(const Mistake *mistake, const Trace *wrong)
{
    bool found = false;
    for (int i = 0; i < wrong->step_count; i++)
        found = found || is_replaced(mistake, &wrong->steps[i]);
    return found;
}

// Up to the first number that differs.
static const Words *compare_runs(const Mistake *mistake, const Trace *right, Trace *wrong)
{
    Error err;
    while (wrong->steps_done < wrong->step_count) {
        const TraceStep *step = &wrong->steps[wrong->steps_done];
        if (!trace_step(wrong, &err) ||
            (is_replaced(mistake, step) && !same_outputs(right, wrong, step)))
            return NULL;
    }
    return &same_numbers;
}

const Words *mistake_cannot_show_beside(const Mistake *mistake, const Trace *right)
{
    Trace wrong;
    Error err;
    const Words *why = NULL;
    TraceVariant variant = {.stages = mistake->stages};
    if (mistake_is_backward(mistake) && !right->scenario->backward)
        return &no_backward;
    if (!trace_open_variant(&wrong, right->scenario, &variant, &err))
        return NULL;
    if (!has_step(mistake, &wrong))
        why = &no_step;
    else if (right->steps_done == right->step_count)
        why = compare_runs(mistake, right, &wrong);
    trace_close(&wrong);
    return why;
}

const Words *mistake_cannot_show(const Mistake *mistake, const Scenario *scenario)
{
    Trace right;
    Error err;
    if (!trace_open(&right, scenario, &err))
        return NULL;
    bool is_known = products(scenario) > products_most || trace_run(&right, &err);
    const Words *why = is_known ? mistake_cannot_show_beside(mistake, &right) : NULL;
    trace_close(&right);
    return why;
}

const StageCode *mistake_code(const Stage *stage)
{
    for (int i = 0; i < ROW_COUNT; i++)
        for (int j = 0; j < MISTAKE_STEPS_MAX; j++)
            if (stage == &rows[i].made->rows[j].stage)
                return &rows[i].made->codes[j];
    return NULL;
}
