// worker_stage_run: a learner's functions as stages of a trace.
#include "worker_internal.h"

#include <string.h>

// The call of the stage that these arguments are for: the calls of a stage differ in names only, so
// any will do that has as many slots.
static bool same_shapes(const StageCall *call, const StageArgs *planned, const StageArgs *args,
                        Error *err)
{
    for (int i = 0; i < STAGE_WRITES_MAX && call->writes[i].role; i++) {
        char wanted[TENSOR_TEXT_MAX], got[TENSOR_TEXT_MAX];
        const Tensor *plan = &planned->out[i], *out = &args->out[i];
        if (!tensor_same_shape(plan, out))
            return error_set(err, "your function gave %s the shape %s, but %s is needed",
                             call->writes[i].tensor, tensor_shape_text(out->rank, out->shape, got),
                             tensor_shape_text(plan->rank, plan->shape, wanted));
        if (args->out[i].storage.bytes == NULL)
            return error_set(err, "your function gave %s no storage", call->writes[i].tensor);
    }
    return true;
}

bool worker_stage_run(void *context, const Stage *stage, StageArgs *args, bool *done, Error *err)
{
    const WorkerStage *entry = context;
    StageArgs planned = *args;
    WorkerAnswer answer;
    while (entry->stage && strcmp(entry->stage, stage->name) != 0)
        entry++;
    *done = entry->stage != NULL;
    if (!*done)
        return true;
    if (worker_call(entry->worker, &stage->calls[0], args, &answer) != WORKER_ANSWERED)
        return error_set(err, "%s: %s", stage->name, answer.why);
    if (!same_shapes(&stage->calls[0], &planned, args, err))
        return error_prefix(err, "%s: ", stage->name);
    return true;
}
