// verify: see verify.h.
#include "verify.h"

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

// Whether a mistake makes every tensor of the dump, not the first that differs alone.
static bool makes_all(const Mistake *mistake, const Dump *dump, const Trace *right, Error *err)
{
    Trace wrong;
    TraceVariant variant = {.stages = mistake->stages};
    if (mistake_cannot_show_beside(mistake, right) ||
        !trace_open_variant(&wrong, right->scenario, &variant, err))
        return false;
    bool all = trace_run(&wrong, err);
    for (int i = 0; i < dump->count && all; i++) {
        const DumpTensor *one = &dump->tensors[i];
        if (one->match == DUMP_NOT)
            continue;
        int number = trace_find(&wrong, right->tensors[one->number].name);
        all = number >= 0 && tensor_difference(&one->tensor, &wrong.tensors[number].tensor).kind ==
                                 DIFFERENCE_NONE;
    }
    trace_close(&wrong);
    return all;
}

static void find_mistakes(const Dump *dump, const Trace *right, VerifyFinding *finding)
{
    const Mistake *mistake;
    for (int i = 0; (mistake = mistake_get(i)) && finding->mistake_count < MISTAKE_FOUND_MAX; i++)
        if (!finding->failure.of_machine && makes_all(mistake, dump, right, &finding->failure))
            finding->mistakes[finding->mistake_count++] = mistake;
}

// Of the first tensor that differs, where nothing explains all of them.
static void find_cause(const Trace *right, int number, const Tensor *given, VerifyFinding *finding)
{
    StageArgs args;
    Error *err = &finding->failure;
    const TraceTensor *tensor = &right->tensors[number];
    if (tensor->step < 0 || !tensor_same_shape(&tensor->tensor, given))
        return;
    bool fits = arguments(right, tensor, given, &args);
    if (fits)
        finding->mistake_count =
            mistake_recognise_step(right, tensor->step, &args, finding->mistakes, err);
    if (finding->mistake_count <= 0 && !err->of_machine)
        finding->mistake_count =
            mistake_recognise_tensor(right, number, given, finding->mistakes, err);
    if (fits && finding->mistake_count == 0 && !err->of_machine)
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
            find_mistakes(dump, right, finding);
            if (finding->mistake_count == 0 && !finding->failure.of_machine)
                find_cause(right, number, given, finding);
            return;
        }
}
