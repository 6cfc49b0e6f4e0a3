// worker_memory_take: what came back from the learner's process, checked and copied once.
#include "worker_internal.h"
#include "worker_sentences.h"

#include <string.h>

// Far more elements than any exercise has, and few enough that no product below overflows.
enum { AXIS_MAX = 1 << 20 };

static const unsigned char *region_start(const Worker *worker, const WireRegion *region)
{
    return worker->running.memory[region->is_output] + region->place + region->pages -
           region->bytes;
}

static bool canary_holds(const Worker *worker, const WireRegion *region)
{
    const unsigned char *byte = region_start(worker, region);
    for (uint64_t before = region->bytes; before < region->pages; before++)
        if (*--byte != WIRE_CANARY)
            return false;
    return true;
}

// What lies around the outputs, and the inputs: they must be as they were.
static bool surroundings_hold(const Worker *worker, const WorkerLayout *layout,
                              WorkerAnswer *answer)
{
    for (int r = 0; r < layout->request.region_count; r++) {
        const WireRegion *region = &layout->request.regions[r];
        if (region->is_output && !canary_holds(worker, region)) {
            worker_say(answer, WORKER_WROTE_OUTSIDE, SENTENCE_WROTE_AROUND,
                       (Given){{region->name}});
            return false;
        }
        if (!region->is_output &&
            memcmp(region_start(worker, region), layout->owner[r], region->bytes) != 0) {
            worker_say(answer, WORKER_CHANGED_INPUT, SENTENCE_WROTE_INPUT, (Given){{region->name}});
            return false;
        }
    }
    return true;
}

// Whether every element of a tensor that was given back lies in its region.
static bool lies_inside(const WireTensor *view, const WireRegion *region)
{
    int64_t first = view->offset, last = view->offset;
    int64_t limit = (int64_t)(region->bytes / (uint64_t)region->element);
    if (view->rank < 0 || view->rank > TENSOR_RANK_MAX || first < 0 || first >= limit)
        return false;
    for (int axis = 0; axis < view->rank; axis++) {
        int64_t length = view->shape[axis], stride = view->stride[axis];
        if (length < 1 || length > AXIS_MAX || stride < -limit || stride > limit)
            return false;
        first += stride < 0 ? (length - 1) * stride : 0;
        last += stride > 0 ? (length - 1) * stride : 0;
        if (first < 0 || last >= limit)
            return false;
    }
    return true;
}

static bool refuse(WorkerAnswer *answer, WorkerSentence sentence, const char *name,
                   const char *other)
{
    worker_say(answer, WORKER_BAD_VIEW, sentence, (Given){{name, other}});
    return false;
}

static bool take_view(const WorkerLayout *layout, const WireTensor *view, const char *name,
                      Dtype dtype, Tensor *out, WorkerAnswer *answer)
{
    const WireRequest *request = &layout->request;
    if (view->region < 0)
        return refuse(answer, SENTENCE_NO_STORAGE, name, NULL);
    if (view->region >= request->region_count)
        return refuse(answer, SENTENCE_OWN_STORAGE, name, NULL);
    if (view->dtype != (int32_t)dtype)
        return refuse(answer, SENTENCE_OTHER_DTYPE, name, dtype_name(dtype));
    if (!lies_inside(view, &request->regions[view->region]))
        return refuse(answer, SENTENCE_VIEW_BEYOND, name, request->regions[view->region].name);
    *out = (Tensor){.storage.bytes = layout->owner[view->region],
                    .dtype = dtype,
                    .rank = view->rank,
                    .offset = (ptrdiff_t)view->offset};
    for (int axis = 0; axis < view->rank; axis++) {
        out->shape[axis] = (ptrdiff_t)view->shape[axis];
        out->stride[axis] = (ptrdiff_t)view->stride[axis];
    }
    return true;
}

bool worker_unwritten(const Tensor *tensor, const ptrdiff_t at[])
{
    unsigned char never[sizeof(int64_t)];
    size_t size = dtype_size(tensor->dtype);
    const unsigned char *bytes = tensor->storage.bytes;
    memset(never, WIRE_UNWRITTEN, sizeof never);
    return memcmp(bytes + (size_t)tensor_place(tensor, at) * size, never, size) == 0;
}

static ptrdiff_t count_unwritten(const Tensor *tensor)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, count = 0;
    if (tensor_count(tensor) == 0)
        return 0;
    do
        count += worker_unwritten(tensor, at);
    while (tensor_next(tensor, at));
    return count;
}

// The numbers of an output whose storage we gave.
static bool take_numbers(const Worker *worker, const WorkerLayout *layout, int slot,
                         const WireTensor *given_back, Tensor *out, WorkerAnswer *answer)
{
    const WireTensor *given = &layout->request.tensors[STAGE_READS_MAX + slot];
    const WireRegion *region = &layout->request.regions[given->region];
    if (memcmp(given, given_back, sizeof *given) != 0)
        return refuse(answer, SENTENCE_OUTPUT_MOVED, region->name, NULL);
    if (!region->is_output)
        return true; // a part of an input, which is as it was
    Tensor theirs = *out;
    theirs.storage.bytes = (void *)region_start(worker, region);
    answer->unwritten[slot] = count_unwritten(&theirs);
    if (tensor_count(&theirs) > 0)
        tensor_copy(&theirs, out);
    return true;
}

void worker_memory_take(Worker *worker, const WorkerLayout *layout, const StageCall *call,
                        const WireReply *reply, StageArgs *args, WorkerAnswer *answer)
{
    answer->end = WORKER_ANSWERED;
    if (!surroundings_hold(worker, layout, answer))
        return;
    for (int i = 0; i < STAGE_WRITES_MAX && call->writes[i].role; i++) {
        Tensor *out = &args->out[i];
        bool taken = layout->request.tensors[STAGE_READS_MAX + i].region >= 0
                         ? take_numbers(worker, layout, i, &reply->out[i], out, answer)
                         : take_view(layout, &reply->out[i], call->writes[i].tensor,
                                     call->writes[i].dtype, out, answer);
        if (!taken)
            return;
    }
}
