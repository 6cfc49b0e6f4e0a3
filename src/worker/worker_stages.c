// worker_stage_run: a learner's functions as stages of a trace.
#include "worker_internal.h"

#include <string.h>

// The shapes of the outputs that a function fills.
static bool same_shapes(const StageCall *call, int output, const StageArgs *planned,
                        const StageArgs *args, Error *err)
{
    for (int i = 0; i < STAGE_WRITES_MAX && call->writes[i].role; i++) {
        char wanted[TENSOR_TEXT_MAX], got[TENSOR_TEXT_MAX];
        const Tensor *plan = &planned->out[i], *out = &args->out[i];
        if (output >= 0 && output != i)
            continue;
        if (!tensor_same_shape(plan, out))
            return error_set(err, "your function gave %s the shape %s, but %s is needed",
                             call->writes[i].tensor, tensor_shape_text(out->rank, out->shape, got),
                             tensor_shape_text(plan->rank, plan->shape, wanted));
        if (args->out[i].storage.bytes == NULL)
            return error_set(err, "your function gave %s no storage", call->writes[i].tensor);
    }
    return true;
}

// Outputs that the function does not fill get memory of their own for the call: what the stage has put
// into them stays.
static bool spare_others(const StageCall *call, int output, StageArgs *args, Arena *scratch,
                         Error *err)
{
    for (int i = 0; i < STAGE_WRITES_MAX && call->writes[i].role; i++) {
        Tensor *out = &args->out[i];
        if (output < 0 || output == i)
            continue;
        if (call->writes[i].is_view)
            *out = (Tensor){.rank = 0};
        else if (!tensor_take(scratch, out->dtype, out->rank, out->shape, out, err))
            return false;
    }
    return true;
}

// The calls of a stage differ in names only, so any will do that has as many slots.
static bool run_one(const WorkerStage *entry, const Stage *stage, const StageArgs *planned,
                    StageArgs *args, Error *err)
{
    const StageCall *call = &stage->calls[0];
    StageArgs theirs = *planned;
    WorkerAnswer answer;
    Arena scratch = {0};
    bool good = spare_others(call, entry->output, &theirs, &scratch, err);
    if (good && worker_call(entry->worker, call, &theirs, &answer) != WORKER_ANSWERED)
        good = error_set(err, "%s: %s", stage->name, answer.why);
    if (good && !same_shapes(call, entry->output, planned, &theirs, err))
        good = error_prefix(err, "%s: ", stage->name);
    for (int i = 0; good && i < STAGE_WRITES_MAX; i++)
        if (entry->output < 0 || entry->output == i)
            args->out[i] = theirs.out[i];
    arena_finish(&scratch);
    return good;
}

bool worker_stage_run(void *context, const Stage *stage, StageArgs *args, bool *done, Error *err)
{
    const StageArgs planned = *args;
    *done = false;
    for (const WorkerStage *entry = context; entry->stage; entry++) {
        if (strcmp(entry->stage, stage->name) != 0)
            continue;
        if (entry->output >= 0 && !*done && !stage->run(args, err))
            return false;
        *done = true;
        if (!run_one(entry, stage, &planned, args, err))
            return false;
    }
    return true;
}
