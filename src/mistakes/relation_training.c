// Relations of training: a step of Adam, and gradients that went through a whole layer.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "relation_tools.h"

// --- backward
//
// Of a gradient that went through a whole layer: only some heads sent theirs back, what came through
// q, k or v is missing, doubled or went through another weight, or the forward pass is another one.

// What is done to the numbers of a step when it has run.
typedef enum Change {
    FIRST_HEAD, // the columns of the others are 0
    LAST_HEAD,
    NOT_DIVIDED,
    DIVIDED_BY_WIDTH, // of a head, without the root
    TWICE,
    NOTHING,
    WITH_W_Q, // in the place of its own weight
    WITH_W_K,
} Change;

static const struct {
    const char *stage, *label; // of the call; NULL: there is one
    Change change;
    Words said;
} ways[] = {
    // reading.a
    {"linear_backward", "out", FIRST_HEAD, ROW(BACKWARD_FIRST_HEAD)},
    {"linear_backward", "out", LAST_HEAD, ROW(BACKWARD_LAST_HEAD)},
    {"scale", NULL, NOT_DIVIDED, ROW(BACKWARD_FORWARD_NOT_DIVIDED)},
    {"scale", NULL, DIVIDED_BY_WIDTH, ROW(BACKWARD_FORWARD_BY_WIDTH)},
    {"scale_backward", NULL, DIVIDED_BY_WIDTH, ROW(BACKWARD_BY_WIDTH)},
    {"linear_backward", "q", TWICE, ROW(BACKWARD_Q_TWICE)},
    {"linear_backward", "k", TWICE, ROW(BACKWARD_K_TWICE)},
    {"linear_backward", "v", TWICE, ROW(BACKWARD_V_TWICE)},
    {"linear_backward", "q", NOTHING, ROW(BACKWARD_Q_MISSING)},
    {"linear_backward", "k", NOTHING, ROW(BACKWARD_K_MISSING)},
    {"linear_backward", "v", NOTHING, ROW(BACKWARD_V_MISSING)},
    {"linear_backward", "q", WITH_W_K, ROW(BACKWARD_Q_WITH_W_K)},
    {"linear_backward", "k", WITH_W_Q, ROW(BACKWARD_K_WITH_W_Q)},
};

typedef struct Way {
    int number;
    const Scenario *scenario;
} Way;

static bool is_step(const TraceStep *step, int way)
{
    const char *label = ways[way].label;
    return strcmp(step->stage->name, ways[way].stage) == 0 &&
           (!label || (step->call->label && strcmp(step->call->label, label) == 0));
}

// What the number that stands at `at` is multiplied by.
static double factor_of(const Way *way, const Tensor *out, const ptrdiff_t at[])
{
    double scale = (double)way->scenario->options.scale;
    double width = (double)way->scenario->size[SYMBOL_D_K];
    ptrdiff_t columns = out->shape[out->rank - 1] / way->scenario->size[SYMBOL_H];
    switch (ways[way->number].change) {
    case FIRST_HEAD:
        return at[out->rank - 1] < columns ? 1.0 : 0.0;
    case LAST_HEAD:
        return at[out->rank - 1] >= out->shape[out->rank - 1] - columns ? 1.0 : 0.0;
    case NOT_DIVIDED:
        return scale;
    case TWICE:
        return 2.0;
    case NOTHING:
        return 0.0;
    default:
        return scale / width;
    }
}

// The weight that is read in the place of the step's own, of the same shape.
static bool run_with_other(const Way *way, const TraceStep *step, const StageArgs *args, Error *err)
{
    const char *role = ways[way->number].change == WITH_W_Q ? "q_proj.weight" : "k_proj.weight";
    const ScenarioTensor *other = scenario_tensor(way->scenario, role);
    StageArgs changed = *args;
    if (other && tensor_same_shape(&other->tensor, &args->in[1]))
        changed.in[1] = other->tensor; // otherwise the run is right, and fits nothing
    return step->stage->run(&changed, err);
}

static bool run_otherwise(void *context, const TraceStep *step, StageArgs *args, bool *done,
                          Error *err)
{
    const Way *way = context;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    *done = is_step(step, way->number);
    if (!*done)
        return true;
    if (ways[way->number].change >= WITH_W_Q)
        return run_with_other(way, step, args, err);
    if (!step->stage->run(args, err))
        return false;
    Tensor *out = &args->out[step->stage->main_output];
    float *number = out->storage.f32 + out->offset; // that a stage wrote: contiguous
    do {
        *number = (float)(factor_of(way, out, at) * (double)*number);
        number++;
    } while (tensor_next(out, at));
    return true;
}

static void backward_read(const RelationCase *what, RelationReadings *readings)
{
    Way way = {0, what->right->scenario};
    if (what->step >= 0 || !what->tensor || way.scenario->size[SYMBOL_H] < 2)
        return;
    for (; way.number < (int)(sizeof ways / sizeof *ways); way.number++) {
        Trace run;
        const TraceWay run_way = {.run = run_otherwise, .context = &way};
        const RelationReading reading = {&relation_backward, way.number, 0, 0.0, NULL};
        if (relation_counts(what, &reading) &&
            relation_run_makes(what, way.scenario, &run_way, &run))
            relation_add(what, readings, reading);
    }
}

static void backward_say(const RelationReading *reading, Language language,
                         char text[RELATION_TEXT_MAX])
{
    words_format(text, RELATION_TEXT_MAX, "%s", ways[reading->a].said.in[language]);
}

const Relation relation_backward = {.name = "backward", .read = backward_read, .say = backward_say};
