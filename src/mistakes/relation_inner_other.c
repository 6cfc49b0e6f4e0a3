// Relation: of a whole run: all steps are right but one, which reads another tensor of the run in the place of
// one of its inputs: k for q, the weights' gradient for that of the scores.
#include "relation_tools.h"

#include "relation_words.h"

extern const Relation relation_inner_other;

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
    const TraceWay way = {.run = run_other, .context = other};
    return relation_run_makes(what, what->right->scenario, &way, &other->trace);
}

// A tensor of a run as one number, the same in all cases: the step that makes it, by its stage and call.
// -1: no step does, or it was made for this run alone.
enum { CALLS = 8, SLOTS = 8 };

static int step_code(const TraceStep *step)
{
    int stage = 0, call = 0;
    while (stage_get(stage) && stage_get(stage) != step->stage)
        stage++;
    while (call < CALLS && step->stage->calls[call].reads[0].role &&
           step->call != &step->stage->calls[call])
        call++;
    bool is_there = call < CALLS && step->call == &step->stage->calls[call];
    return stage_get(stage) && is_there ? stage * CALLS + call : -1;
}

static void read_slot(const RelationCase *what, RelationReadings *readings, int number, int slot)
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
                                         step_code(&trace->steps[number]) * SLOTS + slot,
                                         step_code(before), 0.0, NULL};
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

static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int i = 0; what->step < 0 && i < what->right->step_count; i++) {
        const TraceStep *step = &what->right->steps[i];
        if (step->call->writes[step->stage->main_output].is_view)
            continue;
        for (int slot = 0; slot < STAGE_READS_MAX && step->call->reads[slot].role; slot++)
            read_slot(what, readings, i, slot);
    }
}

static const StageCall *call_of(int code)
{
    return &stage_get(code / CALLS)->calls[code % CALLS];
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    char exchanged[RELATION_TEXT_MAX];
    const Stage *stage = stage_get(reading->a / SLOTS / CALLS);
    const StageCall *call = call_of(reading->a / SLOTS), *before = call_of(reading->b);
    int output = stage_get(reading->b / CALLS)->main_output;
    static const Words words = ROW(INPUT_EXCHANGED); // its two names are counted
    words_format(exchanged, RELATION_TEXT_MAX, words.in[language],
                 call->reads[reading->a % SLOTS].role, before->writes[output].role);
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INNER_STEP), stage->name,
                 call->label ? " " : "", call->label ? call->label : "", exchanged);
}

const Relation relation_inner_other = {.name = "inner-other", .read = read, .say = say};
