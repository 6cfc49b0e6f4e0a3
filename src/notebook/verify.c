// What mistakes make of a dump: see verify.h.
#include "verify.h"

// --- matching

// Which of the right trace's tensors nothing of the dump stands for yet, that this one may be; -1.
static int free_as(const DumpTensor *one, const Dump *dump, const Trace *right,
                   const TraceTensor *made)
{
    int number = one->match == DUMP_NOT ? trace_find(right, made->name) : -1;
    return number >= 0 && !dump_is_taken(dump, number) ? number : -1;
}

// Matches what a step of a mistake's run has made; the result is how many.
static int match_made(Dump *dump, const Trace *right, const Trace *wrong, const TraceStep *step)
{
    int count = 0;
    for (int i = 0; i < dump->count; i++)
        for (int slot = 0; slot < STAGE_WRITES_MAX && step->call->writes[slot].role; slot++) {
            DumpTensor *one = &dump->tensors[i];
            const TraceTensor *made = &wrong->tensors[step->writes[slot]];
            int number = free_as(one, dump, right, made);
            if (number < 0 ||
                tensor_difference(&one->tensor, &made->tensor).kind != DIFFERENCE_NONE)
                continue;
            one->match = DUMP_BY_MISTAKE;
            one->number = number;
            count++;
        }
    return count;
}

// The last step that makes something of the shape of what stands for nothing yet; -1.
static int last_step(const Dump *dump, const Trace *right, const Trace *wrong)
{
    int last = -1;
    for (int i = 0; i < wrong->tensor_count; i++)
        for (int j = 0; j < dump->count; j++) {
            const DumpTensor *one = &dump->tensors[j];
            int number = free_as(one, dump, right, &wrong->tensors[i]);
            if (number >= 0 && wrong->tensors[i].step > last &&
                tensor_same_shape(&one->tensor, &right->tensors[number].tensor))
                last = wrong->tensors[i].step;
        }
    return last;
}

// Matches by the run of a mistake. False where this machine could not run it.
static bool match_mistake(const Mistake *mistake, Dump *dump, const Trace *right, int *count,
                          Error *err)
{
    Trace wrong;
    *count = 0;
    int first = mistake_open_beside(mistake, right, &wrong, err);
    if (first < 0)
        return !err->of_machine;
    int last = last_step(dump, right, &wrong);
    for (bool good = first <= last; good && wrong.steps_done <= last;) {
        int step = wrong.steps_done;
        good = trace_step(&wrong, err);
        if (good && step >= first)
            *count += match_made(dump, right, &wrong, &wrong.steps[step]);
    }
    trace_close(&wrong);
    return !err->of_machine;
}

// Whether there is a tensor that stands for nothing yet.
static bool is_left(const Dump *dump)
{
    for (int i = 0; i < dump->count; i++)
        if (dump->tensors[i].match == DUMP_NOT)
            return true;
    return false;
}

// With what the mistake makes that explains most.
static bool match_mistakes(Dump *dump, const Trace *right, Error *err)
{
    static Dump tried, best; // too large for a small stack
    const Mistake *mistake;
    int most = 0;
    if (!is_left(dump)) // a run of each takes long
        return true;
    for (int i = 0; (mistake = mistake_get(i)) != NULL; i++) {
        int count;
        tried = *dump;
        if (!match_mistake(mistake, &tried, right, &count, err))
            return false;
        if (count > most) {
            most = count;
            best = tried;
        }
    }
    if (most > 0)
        *dump = best;
    return true;
}

bool verify_match(Dump *dump, const char *map, const Trace *right, Error *err)
{
    if (!dump_match(dump, map, right, err) || !match_mistakes(dump, right, err))
        return false;
    dump_match_shapes(dump, right);
    return true;
}

// --- finding

// The dumped tensor that stands for one of the trace's; -1.
static int dumped_as(const Dump *dump, int number)
{
    for (int i = 0; i < dump->count; i++)
        if (dump->tensors[i].match != DUMP_NOT && dump->tensors[i].number == number)
            return i;
    return -1;
}

// The step's arguments with the dumped tensor as its result. False where they do not go together.
static bool arguments(const Trace *right, const TraceTensor *tensor, const Tensor *given,
                      StageArgs *args)
{
    Error ignored;
    if (!trace_arguments(right, tensor->step, args, &ignored))
        return false;
    Tensor *out = &args->out[tensor->slot];
    Tensor result = out->rank == given->rank + 1 ? tensor_unsqueeze(given, 1) : *given;
    bool fits = tensor_same_shape(out, &result) && out->dtype == result.dtype;
    *out = result;
    return fits;
}

static void find_relations(const Trace *right, int number, const StageArgs *args,
                           VerifyFinding *finding)
{
    StageArgs known;
    const TraceTensor *tensor = &right->tensors[number];
    const TraceStep *step = &right->steps[tensor->step];
    if (tensor->slot != step->stage->main_output || tensor->tensor.dtype != DTYPE_F32 ||
        !trace_arguments(right, tensor->step, &known, &finding->failure))
        return;
    relation_read(&(RelationCase){.right = right,
                                  .step = tensor->step,
                                  .given = args,
                                  .wrong = &args->out[tensor->slot],
                                  .known = &known.out[tensor->slot],
                                  .axes = step->call->writes[tensor->slot].axes,
                                  .machine = &finding->failure},
                  &finding->relations);
}

// The dumped tensor that stands for what this slot of a step of another run writes; -1.
static int dumped_of(const Dump *dump, const Trace *right, const Trace *wrong, int step, int slot)
{
    int made = wrong->steps[step].call->writes[slot].role ? wrong->steps[step].writes[slot] : -1;
    int number = made >= 0 ? trace_find(right, wrong->tensors[made].name) : -1;
    return number >= 0 ? dumped_as(dump, number) : -1;
}

// Whether a step of a mistake's run begins with what the dump has of it.
static bool begins(const Dump *dump, const Trace *right, const Trace *wrong, int step, Error *err)
{
    StageArgs args;
    Error ignored;
    const Stage *stage = wrong->steps[step].stage;
    int dumped = dumped_of(dump, right, wrong, step, stage->main_output);
    if (dumped < 0 || !trace_arguments(wrong, step, &args, &ignored) ||
        (stage->shapes && !stage->shapes(&args, &ignored)))
        return true;
    const Tensor *given = &dump->tensors[dumped].tensor;
    bool is_hidden = args.out[stage->main_output].rank == given->rank + 1;
    Tensor result = is_hidden ? tensor_unsqueeze(given, 1) : *given;
    return mistake_begins(stage, &args, &result, err);
}

static bool makes_step(const Dump *dump, const Trace *right, const Trace *wrong, int step)
{
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++) {
        int dumped = dumped_of(dump, right, wrong, step, slot);
        const Tensor *given = dumped >= 0 ? &dump->tensors[dumped].tensor : NULL;
        if (given &&
            tensor_difference(given, &wrong->tensors[wrong->steps[step].writes[slot]].tensor)
                    .kind != DIFFERENCE_NONE)
            return false;
    }
    return true;
}

// How far a mistake makes the dump's tensors; what comes before its first step is right.
typedef enum Extent {
    MAKES_LESS,
    MAKES_FIRST,
    MAKES_ALL
} Extent; // the first tensor that is not right

static Extent extent_of(const Mistake *mistake, const Dump *dump, const Trace *right, int number,
                        Error *err)
{
    Trace wrong;
    int first = mistake_open_beside(mistake, right, &wrong, err);
    if (first < 0)
        return MAKES_LESS;
    int same = trace_find(&wrong, right->tensors[number].name);
    int last = same >= 0 ? wrong.tensors[same].step : -1;
    bool good = first <= last;
    while (good && wrong.steps_done < wrong.step_count) {
        int step = wrong.steps_done;
        good = begins(dump, right, &wrong, step, err) && trace_step(&wrong, err) &&
               makes_step(dump, right, &wrong, step);
    }
    Extent extent = good                                           ? MAKES_ALL
                    : wrong.steps_done > last + 1 && last >= first ? MAKES_FIRST
                                                                   : MAKES_LESS;
    trace_close(&wrong);
    return extent;
}

static void add_mistake(VerifyFinding *finding, const Mistake *mistake)
{
    if (finding->mistake_count < MISTAKE_FOUND_MAX)
        finding->mistakes[finding->mistake_count++] = mistake;
}

// Those that make most, the first tensor that differs at least. False where none makes all.
static bool find_mistakes(const Dump *dump, const Trace *right, int number, VerifyFinding *finding)
{
    const Mistake *mistake;
    Extent most = MAKES_FIRST;
    for (int i = 0; (mistake = mistake_get(i)) && !finding->failure.of_machine; i++) {
        Extent extent = extent_of(mistake, dump, right, number, &finding->failure);
        if (extent > most)
            finding->mistake_count = 0;
        most = extent > most ? extent : most;
        if (extent == most)
            add_mistake(finding, mistake);
    }
    return most == MAKES_ALL;
}

// Of the first tensor that differs, where nothing explains all of them. A mistake of its own step comes first.
static void find_cause(const Trace *right, int number, const Tensor *given, VerifyFinding *finding)
{
    StageArgs args;
    Error *err = &finding->failure;
    const TraceTensor *tensor = &right->tensors[number];
    if (tensor->step < 0 || !tensor_same_shape(&tensor->tensor, given))
        return;
    if (!arguments(right, tensor, given, &args))
        return;
    const Mistake *own[MISTAKE_FOUND_MAX];
    int count = mistake_recognise_step(right, tensor->step, &args, own, err);
    if (count != 0)
        finding->mistake_count = count;
    for (int i = 0; i < count; i++)
        finding->mistakes[i] = own[i];
    if (finding->mistake_count == 0 && !err->of_machine)
        find_relations(right, number, &args, finding);
}

// In the order in which tensors are made: inputs, then what each step makes.
void verify_find(const Dump *dump, const Trace *right, VerifyFinding *finding)
{
    *finding = (VerifyFinding){.dumped = -1};
    for (int step = -1; step < right->step_count; step++)
        for (int number = 0; number < right->tensor_count; number++) {
            int dumped = right->tensors[number].step == step ? dumped_as(dump, number) : -1;
            if (dumped < 0)
                continue;
            const Tensor *given = &dump->tensors[dumped].tensor;
            finding->difference = tensor_difference(given, &right->tensors[number].tensor);
            if (finding->difference.kind == DIFFERENCE_NONE) {
                finding->same++;
                continue;
            }
            finding->dumped = dumped;
            if (!find_mistakes(dump, right, number, finding) && !finding->failure.of_machine)
                find_cause(right, number, given, finding);
            return;
        }
}
