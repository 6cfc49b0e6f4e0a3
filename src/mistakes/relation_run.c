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

// --- option
//
// The whole run is right, of other options: a mask that was not asked for, another divisor.

// reading.a; reading.b is the formula
enum { CAUSAL, DIVIDED, MULTIPLIED, OPTION_ALWAYS, TIMES_ROOT, NOT_DIVIDED, ONE_HEAD, MASK_VALUE };

// One scenario at a time: they are large for a small stack.
static void read_options(const RelationCase *what, RelationReadings *readings,
                         RelationReading reading, const StageOptions *options)
{
    // Any size may be 1, and divides nothing then.
    bool is_size = reading.a == DIVIDED || reading.a == MULTIPLIED;
    bool is_by_1 = is_size && options->scale == 1.0f;
    Trace run;
    Scenario changed = *what->right->scenario; // shares its tensors, and is not finished
    changed.options = *options;
    changed.masked = changed.masked || options->causal;
    if (relation_run_makes(what, &changed, NULL, &run))
        relation_add_if(what, readings, reading, is_by_1);
}

static void read_causal(const RelationCase *what, RelationReadings *readings)
{
    StageOptions options = what->right->scenario->options;
    RelationReading causal = {&relation_option, CAUSAL, 0, 0.0, NULL};
    if (options.causal)
        return;
    options.causal = true;
    read_options(what, readings, causal, &options);
}

static void read_divisor(const RelationCase *what, RelationReadings *readings,
                         RelationReading reading, double divisor)
{
    StageOptions options = what->right->scenario->options;
    options.scale = (float)divisor;
    if (divisor > 0.0 && relation_counts(what, &reading))
        read_options(what, readings, reading, &options);
}

// Divisors that are the same whatever d_k is, and factors of the right one.
static void read_constants(const RelationCase *what, RelationReadings *readings)
{
    static const double constants[] = {2.0, 4.0, 8.0, 10.0, 16.0, 32.0, 64.0, 100.0};
    static const double factors[] = {0.1, 0.2, 0.25, 0.3, 0.5, 0.6, 0.7,
                                     0.8, 0.9, 1.5,  3.0, 4.0, 5.0, 10.0};
    double scale = (double)what->right->scenario->options.scale;
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        RelationReading always = {&relation_option, OPTION_ALWAYS, 0, constants[i], NULL};
        read_divisor(what, readings, always, constants[i]);
    }
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        RelationReading times = {&relation_option, TIMES_ROOT, 0, factors[i], NULL};
        read_divisor(what, readings, times, factors[i] * scale);
    }
}

// One head over the whole width in the place of all.
static void read_one_head(const RelationCase *what, RelationReadings *readings)
{
    Trace run;
    Scenario one = *what->right->scenario; // shares its tensors, and is not finished
    const RelationReading reading = {&relation_option, ONE_HEAD, 0, 0.0, NULL};
    bool has_several = one.has_heads && one.size[SYMBOL_H] > 1;
    one.options.heads = one.size[SYMBOL_H] = 1;
    one.size[SYMBOL_D_K] = one.size[SYMBOL_DK];
    one.size[SYMBOL_D_V] = one.size[SYMBOL_DV];
    one.options.scale = sqrtf((float)one.size[SYMBOL_DK]);
    if (has_several && relation_counts(what, &reading) &&
        relation_run_makes(what, &one, NULL, &run))
        relation_add(what, readings, reading);
}

// A number that is too small to hide what it stands for, before the scores are divided or after.
static void read_mask_values(const RelationCase *what, RelationReadings *readings)
{
    static const double values[] = {-1.0, -5.0, -10.0, -20.0, -50.0, -100.0, -1000.0};
    StageOptions options = what->right->scenario->options;
    double scale = (double)options.scale;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (int is_before = 0; is_before < 2; is_before++) {
            const RelationReading reading = {&relation_option, MASK_VALUE, is_before, values[i],
                                             NULL};
            options.mask_value = (float)(is_before ? values[i] / scale : values[i]);
            if (relation_counts(what, &reading))
                read_options(what, readings, reading, &options);
        }
}

static void option_read(const RelationCase *what, RelationReadings *readings)
{
    if (what->step >= 0)
        return;
    const RelationReading not_divided = {&relation_option, NOT_DIVIDED, 0, 0.0, NULL};
    read_causal(what, readings);
    char text[RELATION_FORMULA_MAX];
    for (int i = 0; relation_formula(i, text); i++) {
        double value = relation_formula_value(what, text);
        RelationReading divided = {&relation_option, DIVIDED, i, 0.0, NULL};
        RelationReading multiplied = {&relation_option, MULTIPLIED, i, 0.0, NULL};
        read_divisor(what, readings, divided, value);
        read_divisor(what, readings, multiplied, value > 0.0 ? 1.0 / value : 0.0);
    }
    read_divisor(what, readings, not_divided, 1.0);
    read_constants(what, readings);
    read_one_head(what, readings);
    if (what->right->scenario->masked)
        read_mask_values(what, readings);
}

static void option_say(const RelationReading *reading, Language language,
                       char text[RELATION_TEXT_MAX])
{
    char number[32];
    static const Words sentences[] = {
        [CAUSAL] = ROW(OPTION_CAUSAL),
        [DIVIDED] = ROW(INPUT_DIVIDED),
        [MULTIPLIED] = ROW(INPUT_MULTIPLIED),
        [OPTION_ALWAYS] = ROW(INPUT_DIVIDED_ALWAYS),
        [TIMES_ROOT] = ROW(OPTION_TIMES_ROOT),
        [NOT_DIVIDED] = ROW(OPTION_NOT_DIVIDED),
        [ONE_HEAD] = ROW(ONE_HEAD),
        [MASK_VALUE] = ROW(FILL_MASKED),
    };
    if (reading->a == OPTION_ALWAYS || reading->a == TIMES_ROOT || reading->a == MASK_VALUE)
        relation_number(reading->number, number);
    else
        relation_formula(reading->b, number);
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language], number);
}

const Relation relation_option = {.name = "option", .read = option_read, .say = option_say};
