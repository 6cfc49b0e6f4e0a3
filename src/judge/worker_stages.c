// worker_stage_run: a learner's functions as stages of a trace.
#include "worker_internal.h"

#include <stdio.h>
#include <string.h>

// The same call once more, of one output that begins at 0: how many of the elements that seemed never written
// are other numbers then, and so were added to what lay there. Where there is no answer, none is known.
static ptrdiff_t count_added(Worker *worker, const StageCall *call, const StageArgs *theirs,
                             int slot, Arena *scratch)
{
    WorkerAnswer ignored;
    StageArgs again = *theirs;
    const Tensor *before = &theirs->out[slot];
    Tensor *from_0 = &again.out[slot];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, count = 0;
    Error err;
    if (before->dtype != DTYPE_F32 ||
        !tensor_take(scratch, before->dtype, before->rank, before->shape, from_0, &err))
        return 0;
    worker->begins_at_0 = true;
    bool answered = worker_call(worker, call, &again, &ignored) == WORKER_ANSWERED;
    worker->begins_at_0 = false;
    if (!answered)
        return 0;
    do
        count += worker_unwritten(before, at) && tensor_number(from_0, at) != 0.0;
    while (tensor_next(before, at));
    return count;
}

// Whether an output has the planned shape and all of its numbers; a sentence in `answer`.
static bool is_whole(const Slot *slot, const Tensor *plan, const Tensor *out, ptrdiff_t unwritten,
                     ptrdiff_t added, WorkerAnswer *answer)
{
    char wanted[TENSOR_TEXT_MAX], got[TENSOR_TEXT_MAX], missing[24], all[24];
    snprintf(missing, sizeof missing, "%td", added > 0 ? added : unwritten);
    snprintf(all, sizeof all, "%td", tensor_count(out));
    Given shapes = {{slot->tensor, tensor_shape_text(out->rank, out->shape, got),
                     tensor_shape_text(plan->rank, plan->shape, wanted)}};
    if (!tensor_same_shape(plan, out))
        worker_say(answer, WORKER_BAD_VIEW, SENTENCE_OTHER_SHAPE, shapes);
    else if (!out->storage.bytes)
        worker_say(answer, WORKER_BAD_VIEW, SENTENCE_NO_STORAGE, shapes);
    else if (unwritten > 0)
        worker_say(answer, WORKER_REFUSED, added > 0 ? SENTENCE_ADDED_TO : SENTENCE_NEVER_SET,
                   (Given){{slot->tensor, missing, all}});
    return answer->end == WORKER_ANSWERED;
}

// The same of all outputs that the function fills.
static bool all_whole(const StageCall *call, const WorkerStage *entry, const StageArgs *planned,
                      const StageArgs *args, WorkerAnswer *answer, Arena *scratch)
{
    for (int i = 0; i < STAGE_WRITES_MAX && call->writes[i].role; i++) {
        if (entry->output >= 0 && entry->output != i)
            continue;
        ptrdiff_t unwritten = answer->unwritten[i];
        ptrdiff_t added = unwritten > 0 ? count_added(entry->worker, call, args, i, scratch) : 0;
        if (!is_whole(&call->writes[i], &planned->out[i], &args->out[i], unwritten, added, answer))
            return false;
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

static bool say_end(const WorkerAnswer *answer, const char *stage, Language language, Error *err)
{
    const char *why = answer->why[language_recorded(language)];
    return answer->end == WORKER_NOT_JUDGED ? error_machine(err, "%s: %s", stage, why)
                                            : error_set(err, "%s: %s", stage, why);
}

static bool run_one(WorkerStage *entry, const TraceStep *step, const StageArgs *planned,
                    StageArgs *args, Error *err)
{
    StageArgs theirs = *planned;
    WorkerAnswer answer = {.end = WORKER_ANSWERED};
    Arena scratch = {0};
    bool good = spare_others(step->call, entry->output, &theirs, &scratch, err);
    if (good && (worker_call(entry->worker, step->call, &theirs, &answer) != WORKER_ANSWERED ||
                 !all_whole(step->call, entry, planned, &theirs, &answer, &scratch)))
        good = say_end(&answer, step->stage->name, entry->language, err);
    entry->end = answer.end;
    for (int i = 0; good && i < STAGE_WRITES_MAX; i++)
        if (entry->output < 0 || entry->output == i)
            args->out[i] = theirs.out[i];
    arena_finish(&scratch);
    return good;
}

bool worker_stage_run(void *context, const TraceStep *step, StageArgs *args, bool *done, Error *err)
{
    const StageArgs planned = *args;
    *done = false;
    for (WorkerStage *entry = context; entry->stage; entry++) {
        if (strcmp(entry->stage, step->stage->name) != 0)
            continue;
        if (entry->output >= 0 && !*done && !step->stage->run(args, err))
            return false;
        *done = true;
        if (!run_one(entry, step, &planned, args, err))
            return false;
    }
    return true;
}
