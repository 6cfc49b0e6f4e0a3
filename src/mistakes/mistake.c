// mistake: the table made from mistakes.def; see mistake.h.
#include "mistake.h"

#include <string.h>
#include "mistake_row.h"
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
#define BEYOND .reads_beyond = true
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

// --- of one stage

// The row that a stage is of, and the number of its step; NULL: it is no mistake's.
static const Row *row_of(const Stage *stage, int *step)
{
    for (int i = 0; i < ROW_COUNT; i++)
        for (*step = 0; *step < MISTAKE_STEPS_MAX; ++*step)
            if (stage == &rows[i].made->rows[*step].stage)
                return &rows[i];
    return NULL;
}

bool mistake_begins(const Stage *stage, const StageArgs *args, const Tensor *given, Error *err)
{
    int step;
    const Row *row = row_of(stage, &step);
    return !row || mistake_row_begins(&row->made->rows[step], args, given, err);
}

const StageCode *mistake_code(const Stage *stage)
{
    int step;
    const Row *row = row_of(stage, &step);
    return row ? &row->made->codes[step] : NULL;
}
