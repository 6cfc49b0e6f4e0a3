// Relation: of a whole run: all steps are right but one, which reads one of its inputs otherwise.
#include "relation_input_change.h"

#include <string.h>
#include "relation_words.h"

extern const Relation relation_inner;

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
    const TraceWay way = {.run = run_changed, .context = inner};
    bool made = relation_run_makes(what, what->right->scenario, &way, &run);
    arena_finish(&inner->arena);
    return made;
}

// reading.a: the step, the same in all cases, and its slot; reading.b: the change
enum { CALLS = 8, SLOTS = 8 };

// -1: it was made for this run alone, as the sum of a tensor's gradients is.
static int call_number(const TraceStep *step)
{
    for (int call = 0; call < CALLS && step->stage->calls[call].reads[0].role; call++)
        if (step->call == &step->stage->calls[call])
            return call;
    return -1;
}

static int step_code(const TraceStep *step, int slot)
{
    int stage = 0;
    while (stage_get(stage) && stage_get(stage) != step->stage)
        stage++;
    return (stage * CALLS + call_number(step)) * SLOTS + slot;
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

static void read_slot(const RelationCase *what, RelationReadings *readings, int number, int slot)
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
        const RelationReading reading = {&relation_inner, step_code(step, slot), code, 0.0, NULL};
        if (relation_counts(what, &reading) && run_makes(what, &inner))
            relation_add_if(what, readings, reading,
                            input_change_is_doubtful(&args.in[slot], change));
    }
}

// A step that writes a view of its input has nothing to read otherwise; one that no stage has a call for
// could not be named.
static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int i = 0; what->step < 0 && i < what->right->step_count; i++) {
        const TraceStep *step = &what->right->steps[i];
        if (call_number(step) < 0 || step->call->writes[step->stage->main_output].is_view)
            continue;
        for (int slot = 0; slot < STAGE_READS_MAX && step->call->reads[slot].role; slot++)
            read_slot(what, readings, i, slot);
    }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    char change[RELATION_TEXT_MAX];
    const Stage *stage = stage_get(reading->a / SLOTS / CALLS);
    const StageCall *call = &stage->calls[reading->a / SLOTS % CALLS];
    const char *role = call->reads[reading->a % SLOTS].role;
    bool is_x = strcmp(role, "x_query") == 0; // of a whole run queries are made of x too
    input_change_say(reading->b, is_x ? "x" : role, language, change);
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INNER_STEP), stage->name,
                 call->label ? " " : "", call->label ? call->label : "", change);
}

const Relation relation_inner = {.name = "inner", .read = read, .say = say};
