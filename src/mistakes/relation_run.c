// Relations of a whole run, in which one thing is otherwise.
#include <math.h>
#include <string.h>
#include "relation_tools.h"
#include "tensor.h"

// --- earlier
//
// Of a whole run: what an earlier step made is the result, as far as its columns go.

// Whether both have the same rows; a column may be missing on either side.
static bool has_rows_of(const Tensor *one, const Tensor *other)
{
    int last = one->rank - 1;
    bool same = one->rank == other->rank && last > 0 && one->dtype == DTYPE_F32 &&
                other->dtype == DTYPE_F32 && one->shape[last] > 1 && other->shape[last] > 1;
    for (int axis = 0; same && axis < last; axis++)
        same = one->shape[axis] == other->shape[axis];
    return same;
}

static bool is_made_of(const RelationCase *what, const Tensor *earlier)
{
    if (!has_rows_of(what->wrong, earlier))
        return false;
    int last = earlier->rank - 1;
    ptrdiff_t width = what->wrong->shape[last] < earlier->shape[last] ? what->wrong->shape[last]
                                                                      : earlier->shape[last];
    Tensor wrong = tensor_narrow(what->wrong, last, 0, width);
    Tensor known = tensor_narrow(what->known, last, 0, width);
    Tensor part = tensor_narrow(earlier, last, 0, width);
    return tensor_difference(&wrong, &part).kind == DIFFERENCE_NONE &&
           tensor_difference(&known, &part).kind != DIFFERENCE_NONE;
}

// reading.a: the step
static void earlier_read(const RelationCase *what, RelationReadings *readings)
{
    for (int i = 0; what->step < 0 && i < what->right->step_count; i++) {
        const TraceStep *step = &what->right->steps[i];
        StageArgs args;
        Error err = {.text = ""};
        int code = relation_step_code(step);
        bool has_args = code >= 0 && trace_arguments(what->right, i, &args, &err);
        relation_lacks(what, &err);
        if (has_args && is_made_of(what, &args.out[step->stage->main_output]))
            relation_add(what, readings, (RelationReading){&relation_earlier, code, 0, 0.0, NULL});
    }
}

static void earlier_say(const RelationReading *reading, Language language,
                        char text[RELATION_TEXT_MAX])
{
    const char *label = relation_step_call(reading->a)->label;
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, EARLIER),
                 relation_step_stage(reading->a)->name, label ? " " : "", label ? label : "");
}

const Relation relation_earlier = {.name = "earlier", .read = earlier_read, .say = earlier_say};

// --- inner other
//
// Of a whole run: all steps are right but one, which reads another tensor of the run in the place of
// one of its inputs: k for q, the weights' gradient for that of the scores.

// Which step reads which tensor in the place of what.
typedef struct Other {
    Trace trace;
    int step, slot;
    int tensor; // that stands there
} Other;

static bool run_other(void *context, const TraceStep *step, StageArgs *args, bool *done, Error *err)
{
    Other *other = context;
    *done = step == &other->trace.steps[other->step];
    if (!*done)
        return true;
    StageArgs changed = *args;
    changed.in[other->slot] = other->trace.tensors[other->tensor].tensor;
    return step->stage->run(&changed, err);
}

static bool makes(const RelationCase *what, Other *other)
{
    const TraceVariant variant = {.run = run_other, .context = other};
    return relation_run_makes(what, what->right->scenario, &variant, &other->trace);
}

enum { SLOTS = 8 };

static void inner_other_read_slot(const RelationCase *what, RelationReadings *readings, int number,
                                  int slot)
{
    const Trace *trace = what->right;
    StageArgs args;
    Error ignored;
    if (!trace_arguments(trace, number, &args, &ignored) || !args.in[slot].storage.bytes ||
        args.in[slot].dtype != DTYPE_F32)
        return;
    for (int made_by = 0; made_by < number; made_by++) {
        const TraceStep *before = &trace->steps[made_by];
        int tensor = before->writes[before->stage->main_output];
        const RelationReading reading = {&relation_inner_other,
                                         relation_step_code(&trace->steps[number]) * SLOTS + slot,
                                         relation_step_code(before), 0.0, NULL};
        if (tensor < 0 || reading.a < 0 || reading.b < 0 ||
            trace->tensors[tensor].tensor.storage.bytes == args.in[slot].storage.bytes ||
            trace->tensors[tensor].tensor.dtype != DTYPE_F32 ||
            !tensor_same_shape(&trace->tensors[tensor].tensor, &args.in[slot]))
            continue;
        Other other = {.step = number, .slot = slot, .tensor = tensor};
        if (relation_counts(what, &reading) && makes(what, &other))
            relation_add(what, readings, reading);
    }
}

static void inner_other_read(const RelationCase *what, RelationReadings *readings)
{
    for (int i = 0; what->step < 0 && i < what->right->step_count; i++) {
        const TraceStep *step = &what->right->steps[i];
        if (step->call->writes[step->stage->main_output].is_view)
            continue;
        for (int slot = 0; slot < STAGE_READS_MAX && step->call->reads[slot].role; slot++)
            inner_other_read_slot(what, readings, i, slot);
    }
}

static void inner_other_say(const RelationReading *reading, Language language,
                            char text[RELATION_TEXT_MAX])
{
    char exchanged[RELATION_TEXT_MAX];
    int code = reading->a / SLOTS;
    static const Words words = ROW(INPUT_EXCHANGED); // its two names are counted
    words_format(
        exchanged, RELATION_TEXT_MAX, words.in[language],
        relation_step_call(code)->reads[reading->a % SLOTS].role,
        relation_step_call(reading->b)->writes[relation_step_stage(reading->b)->main_output].role);
    relation_say_step(code, exchanged, language, text);
}

const Relation relation_inner_other = {
    .name = "inner-other", .read = inner_other_read, .say = inner_other_say};

// --- inner
//
// Of a whole run: all steps are right but one, which reads one of its inputs otherwise.

// Which step of a run reads which input otherwise.
typedef struct Inner {
    int step, slot;
    InputChange change;
    Arena arena;
} Inner;

static bool run_changed(void *context, const TraceStep *step, StageArgs *args, bool *done,
                        Error *err)
{
    Inner *inner = context;
    *done = false;
    if (inner->step-- != 0)
        return true;
    StageArgs changed = *args;
    if (!input_change_make(&args->in[inner->slot], inner->change, &inner->arena,
                           &changed.in[inner->slot], err))
        return false;
    *done = true;
    return step->stage->run(&changed, err);
}

static bool run_makes(const RelationCase *what, Inner *inner)
{
    Trace run;
    const TraceVariant variant = {.run = run_changed, .context = inner};
    bool made = relation_run_makes(what, what->right->scenario, &variant, &run);
    arena_finish(&inner->arena);
    return made;
}

// Whether this axis of an input is no axis of the result: then it is summed over.
static bool is_summed(const TraceStep *step, int slot, int axis)
{
    const RelationCase input = {.axes = step->call->reads[slot].axes};
    const RelationCase output = {.axes = step->call->writes[step->stage->main_output].axes};
    const char *own = relation_axis_text(&input, axis);
    for (int other = 0; *relation_axis_text(&output, other); other++)
        if (strcspn(own, " ") == strcspn(relation_axis_text(&output, other), " ") &&
            strncmp(own, relation_axis_text(&output, other), strcspn(own, " ")) == 0)
            return false;
    return true;
}

static void inner_read_slot(const RelationCase *what, RelationReadings *readings, int number,
                            int slot)
{
    StageArgs args;
    Error ignored;
    InputChange change;
    const TraceStep *step = &what->right->steps[number];
    if (!trace_arguments(what->right, number, &args, &ignored) || !args.in[slot].storage.bytes ||
        args.in[slot].dtype == DTYPE_I64)
        return;
    for (int i = 0; input_change_get(&args.in[slot], i, &change); i++) {
        if (input_change_leaves_out(change) && !is_summed(step, slot, change.axis))
            continue;
        Inner inner = {number, slot, change, {0}};
        int code = input_change_code(change, step->call->reads[slot].axes);
        const RelationReading reading = {&relation_inner, relation_step_code(step) * SLOTS + slot,
                                         code, 0.0, NULL};
        if (relation_counts(what, &reading) && run_makes(what, &inner))
            relation_add_if(what, readings, reading,
                            input_change_is_doubtful(&args.in[slot], change));
    }
}

// A step that writes a view of its input has nothing to read otherwise; one that no stage has a call for
// could not be named.
static void inner_read(const RelationCase *what, RelationReadings *readings)
{
    for (int i = 0; what->step < 0 && i < what->right->step_count; i++) {
        const TraceStep *step = &what->right->steps[i];
        if (relation_step_code(step) < 0 || step->call->writes[step->stage->main_output].is_view)
            continue;
        for (int slot = 0; slot < STAGE_READS_MAX && step->call->reads[slot].role; slot++)
            inner_read_slot(what, readings, i, slot);
    }
}

static void inner_say(const RelationReading *reading, Language language,
                      char text[RELATION_TEXT_MAX])
{
    char change[RELATION_TEXT_MAX];
    int code = reading->a / SLOTS;
    const char *role = relation_step_call(code)->reads[reading->a % SLOTS].role;
    bool is_x = strcmp(role, "x_query") == 0; // of a whole run queries are made of x too
    input_change_say(reading->b, is_x ? "x" : role, language, change);
    relation_say_step(code, change, language, text);
}

const Relation relation_inner = {.name = "inner", .read = inner_read, .say = inner_say};
