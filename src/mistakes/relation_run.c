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
    char name[RELATION_TEXT_MAX];
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, EARLIER),
                 relation_step_name(reading->a, language, name));
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

static bool other_makes(const RelationCase *what, Other *other)
{
    const TraceVariant variant = {.run = run_other, .context = other};
    return relation_run_makes(what, what->right->scenario, &variant, &other->trace);
}

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
        const RelationReading reading = {
            &relation_inner_other,
            relation_step_code(&trace->steps[number]) * STAGE_READS_MAX + slot,
            relation_step_code(before), 0.0, NULL};
        if (tensor < 0 || reading.a < 0 || reading.b < 0 ||
            trace->tensors[tensor].tensor.storage.bytes == args.in[slot].storage.bytes ||
            trace->tensors[tensor].tensor.dtype != DTYPE_F32 ||
            !tensor_same_shape(&trace->tensors[tensor].tensor, &args.in[slot]))
            continue;
        Other other = {.step = number, .slot = slot, .tensor = tensor};
        if (relation_counts(what, &reading) && other_makes(what, &other))
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
    int code = reading->a / STAGE_READS_MAX;
    static const Words words = ROW(INPUT_EXCHANGED); // its two names are counted
    int made = relation_step_stage(reading->b)->main_output;
    words_format(exchanged, RELATION_TEXT_MAX, words.in[language],
                 relation_tensor_name(
                     relation_step_call(code)->reads[reading->a % STAGE_READS_MAX].role, language),
                 relation_tensor_name(relation_step_call(reading->b)->writes[made].role, language));
    relation_say_step(code, exchanged, language, text);
}

const Relation relation_inner_other = {
    .name = "inner-other", .read = inner_other_read, .say = inner_other_say};
