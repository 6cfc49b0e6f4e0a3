// The family of mistakes whose linear layers add their bias another number of times than once.
//
//   q[b,l,o] = sum over d of x[b,l,d] * weight[o,d]  + times * bias[o]
//
// bias_times.def has how often each does.
#include "mistake_family.h"

#include "mistake_scenario.h"
#include "mistakes_words.h"

enum { IN_BIAS = 2 };

// A mistake has a row for each stage that is a linear layer.
typedef struct Row {
    const char *layer; // the right stage
    int times;
} Row;

// What the right layer has added counts as one.
static void add_bias(const Tensor *bias, int times, const Tensor *out)
{
    for (int more = 1; bias->storage.bytes && more < times; more++)
        for (ptrdiff_t b = 0; b < out->shape[0]; b++)
            for (ptrdiff_t l = 0; l < out->shape[1]; l++)
                for (ptrdiff_t o = 0; o < out->shape[2]; o++)
                    *tensor_at3(out, b, l, o) += *tensor_at1(bias, o);
}

// What the right layer is given: no bias, where none is added.
static StageArgs for_layer(const Row *row, const StageArgs *args)
{
    StageArgs other = *args;
    if (row->times == 0)
        other.in[IN_BIAS] = (Tensor){.rank = 0};
    return other;
}

static bool run(const Row *row, StageArgs *args, Error *err)
{
    StageArgs other = for_layer(row, args);
    if (!stage_find(row->layer)->run(&other, err))
        return false;
    add_bias(&args->in[IN_BIAS], row->times, &args->out[0]);
    return true;
}

typedef struct Adding {
    TermVisit *visit;
    void *context;
    float running;
} Adding;

static void origin_told(void *context, const Term *term)
{
    Adding *adding = context;
    adding->running = term->running;
    adding->visit(adding->context, term);
}

static void origin(const Row *row, const StageArgs *args, int slot, const ptrdiff_t at[],
                   TermVisit *visit, void *context)
{
    Adding adding = {visit, context, 0.0f};
    StageArgs other = for_layer(row, args);
    stage_find(row->layer)->origin(&other, slot, at, origin_told, &adding);
    for (int more = 1; args->in[IN_BIAS].storage.bytes && more < row->times; more++) {
        float bias = *tensor_at1(&args->in[IN_BIAS], at[2]);
        adding.running += bias;
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(TERM_BIAS_AGAIN),
                               .source_count = 1,
                               .sources = {{IN_BIAS, {at[2]}}},
                               .value = bias,
                               .running = adding.running});
    }
}

static void fast(const Row *row, const StageArgs *args)
{
    StageArgs other = for_layer(row, args);
    stage_find(row->layer)->fast(&other);
    add_bias(&args->in[IN_BIAS], row->times, &args->out[0]);
}

// --- two stages for each row

// The projection of x to q, k or v, with a weight for all heads and with one for each.
#define PROJECTION(letter, from, x_axes, x_width, head, out_axes, row_axes, tail, remark_of, \
                   torch_text) \
    { \
        .label = letter, .formula = letter "[b,l,o] = sum_d x[b,l,d] * weight[o,d]" tail, \
        .remark = remark_of, .torch = letter " = " torch_text, \
        .reads = {{.role = from, .axes = x_axes " " x_width}, \
                  {.role = letter "_proj.weight", \
                   .axes = row_axes " " x_width, \
                   .factor = FACTOR_ROWS}, \
                  {.role = letter "_proj.bias", .axes = row_axes, .optional = true}}, \
        .writes = { \
            {.role = letter, .tensor = letter, .axes = out_axes} \
        } \
    }
#define PROJECTION_OF_HEADS(letter, from, x_axes, x_width, head, out_axes, row_axes, tail, \
                            remark_of, behind) \
    { \
        .label = letter, \
        .formula = letter "[b,l, h*" head " + i] = sum_d x[b,l,d] * per_head[h,d,i]" tail, \
        .remark = remark_of, \
        .torch = letter " = torch.cat([x @ per_head[h] for h in range(num_heads)], -1)" behind, \
        .reads = {{.role = from, .axes = x_axes " " x_width}, \
                  {.role = letter "_proj.per_head", \
                   .axes = "H " x_width " " head, \
                   .factor = FACTOR_COLUMNS}, \
                  {.role = letter "_proj.bias", .axes = row_axes, .optional = true}}, \
        .writes = { \
            {.role = letter, .tensor = letter, .axes = out_axes} \
        } \
    }
#define OF_Q "q", "x_query", "B Lq", "Dq", "d_k", "B Lq Dk", "Dk"
#define OF_K "k", "x", "B Lt", "Din", "d_k", "B Lt Gk", "Gk"
#define OF_V "v", "x", "B Lt", "Din", "d_v", "B Lt Gv", "Gv"
#define EXPANDED(macro, ...) macro(__VA_ARGS__)

#define LAYER_FUNCTIONS(id, layer_name, count) \
    static const Row row_##id = {layer_name, count}; \
    FAMILY_STAGE(id) \
    static void fast_##id(const StageArgs *args) \
    { \
        fast(&row_##id, args); \
    }

#define BIAS_TIMES(id, label_text, count, remark_of, tail, head_tail, before, behind, head_behind, \
                   ...) \
    LAYER_FUNCTIONS(id, "project", count) \
    LAYER_FUNCTIONS(id##_out, "output_projection", count) \
    static const Stage stage_##id = { \
        .name = "project", \
        .formula = "q[b,l,o] = sum_d x[b,l,d] * weight[o,d]" tail, \
        .remark = remark_of, \
        .torch = "q = " before "x" behind, \
        .source = "a common mistake", \
        .reach = REACH_BY_AXES, \
        .calls = {EXPANDED(PROJECTION, OF_Q, tail, remark_of, before "x" behind), \
                  EXPANDED(PROJECTION_OF_HEADS, OF_Q, head_tail, remark_of, head_behind), \
                  EXPANDED(PROJECTION, OF_K, tail, remark_of, before "x" behind), \
                  EXPANDED(PROJECTION_OF_HEADS, OF_K, head_tail, remark_of, head_behind), \
                  EXPANDED(PROJECTION, OF_V, tail, remark_of, before "x" behind), \
                  EXPANDED(PROJECTION_OF_HEADS, OF_V, head_tail, remark_of, head_behind)}, \
        .run = run_##id, \
        .fast = fast_##id, \
        .origin = origin_##id, \
    }; \
    static const Stage stage_##id##_out = { \
        .name = "output_projection", \
        .formula = "output[b,l,o] = sum_d context[b,l,d] * weight[o,d]" tail, \
        .remark = remark_of, \
        .torch = "output = " before "context" behind, \
        .source = "a common mistake", \
        .reach = REACH_BY_AXES, \
        .calls = {{ \
            .reads = {{.role = "context", .axes = "B Lq Dv"}, \
                      {.role = "out_proj.weight", .axes = "Dout Dv", .factor = FACTOR_ROWS}, \
                      {.role = "out_proj.bias", .axes = "Dout", .optional = true}}, \
            .writes = {{.role = "output", .tensor = "output", .axes = "B Lq Dout"}}, \
        }}, \
        .run = run_##id##_out, \
        .fast = fast_##id##_out, \
        .origin = origin_##id##_out, \
    };
#include "bias_times.def"
#undef BIAS_TIMES

#define BIAS_TIMES(id, label_text, count, remark_of, tail, head_tail, before, behind, head_behind, \
                   ...) \
    {.name = label_text, \
     .stages = (const Stage *const[]){&stage_##id, &stage_##id##_out, NULL}, \
     .cannot_show = mistake_no_bias, \
     .words = MISTAKE_WORDS(__VA_ARGS__)},
const Mistake family_bias_times[] = {
#include "bias_times.def"
    FAMILY_END};
