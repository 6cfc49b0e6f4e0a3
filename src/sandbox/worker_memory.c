// The tensors of a call in shared memory (see learner.h), and calls saved to files.
//
// Results are untrusted: bounds are checked before any other use, and bytes are copied once.
#define _GNU_SOURCE // memfd_create
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "new_file.h"
#include "worker_internal.h"

// --- what goes out

// Unnamed, with a sealed size. Opened a second time through /proc, which some containers lack.
static int open_nameless(int *to_read)
{
#ifdef __linux__
    char path[64];
    int file = memfd_create("attnscope", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (file >= 0 && to_read)
        *to_read = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0 && (!to_read || *to_read >= 0)) {
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL);
        return file;
    }
    if (file >= 0)
        close(file);
#else
    (void)to_read;
#endif
    return -1;
}

static int open_file(int *to_read)
{
    char name[64];
    int file = open_nameless(to_read);
    if (file >= 0)
        return file;
    snprintf(name, sizeof name, "/attnscope.%ld", (long)getpid());
    file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file >= 0 && to_read)
        *to_read = shm_open(name, O_RDONLY, 0);
    if (file >= 0)
        shm_unlink(name);
    return file;
}

bool worker_memory_open(Worker *worker, int *inputs_to_read, MachineFault *fault)
{
    worker->running.file[0] = open_file(inputs_to_read);
    if (worker->running.file[0] < 0 || *inputs_to_read < 0)
        return machine_lacks(fault, errno);
    worker->running.file[1] = open_file(NULL);
    return worker->running.file[1] >= 0 || machine_lacks(fault, errno);
}

void worker_memory_close(Worker *worker)
{
    for (int i = 0; i < 2; i++) {
        if (worker->running.memory[i])
            munmap(worker->running.memory[i], worker->running.bytes[i]);
        if (worker->running.file[i] >= 0)
            close(worker->running.file[i]);
        worker->running.memory[i] = NULL;
        worker->running.bytes[i] = 0;
        worker->running.file[i] = -1;
    }
}

enum { ROOM_STEP = 1 << 16, REGION_STEP = 1 << 15 };

static bool make_room(Worker *worker, int which, size_t bytes, MachineFault *fault)
{
    if (bytes <= worker->running.bytes[which])
        return true;
    bytes = (bytes / ROOM_STEP + 1) * ROOM_STEP;
    if (worker->running.memory[which])
        munmap(worker->running.memory[which], worker->running.bytes[which]);
    worker->running.memory[which] = NULL;
    worker->running.bytes[which] = 0;
    int file = worker->running.file[which];
    void *memory = MAP_FAILED;
    if (ftruncate(file, (off_t)bytes) == 0)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        return machine_lacks(fault, errno);
    worker->running.memory[which] = memory;
    worker->running.bytes[which] = bytes;
    return true;
}

// --- before the call

// The bytes from the storage's start to the end of the tensor's last element.
static size_t extent(const Tensor *tensor)
{
    ptrdiff_t last = tensor->offset;
    for (int axis = 0; axis < tensor->rank; axis++) {
        assert(tensor->stride[axis] >= 0);
        if (tensor->shape[axis] == 0)
            return 0;
        last += (tensor->shape[axis] - 1) * tensor->stride[axis];
    }
    return (size_t)(last + 1) * dtype_size(tensor->dtype);
}

// The region of a tensor's storage; tensors that share a storage share a region.
static int region_of(WorkerLayout *layout, const Tensor *tensor, const char *name, bool is_output)
{
    WireRequest *request = &layout->request;
    int r = 0;
    while (r < request->region_count && layout->owner[r] != tensor->storage.bytes)
        r++;
    WireRegion *region = &request->regions[r];
    if (r == request->region_count) {
        request->region_count++;
        layout->owner[r] = tensor->storage.bytes;
        *region =
            (WireRegion){.is_output = is_output, .element = (int32_t)dtype_size(tensor->dtype)};
        snprintf(region->name, sizeof region->name, "%s", name);
    }
    size_t bytes = extent(tensor);
    region->bytes = bytes > region->bytes ? bytes : region->bytes;
    return r;
}

static void lay_out(WorkerLayout *layout, int number, const Tensor *tensor, const char *name,
                    bool is_output)
{
    WireTensor *wire = &layout->request.tensors[number];
    *wire = (WireTensor){.region = -1};
    if (!name)
        return;
    wire->dtype = (int32_t)tensor->dtype;
    wire->rank = tensor->rank;
    wire->offset = tensor->offset;
    for (int axis = 0; axis < TENSOR_RANK_MAX; axis++) {
        bool is_used = axis < tensor->rank;
        wire->shape[axis] = is_used ? tensor->shape[axis] : 0;
        wire->stride[axis] = is_used ? tensor->stride[axis] : 0;
    }
    if (tensor->storage.bytes)
        wire->region = region_of(layout, tensor, name, is_output);
}

// Computes each region's offset, and the size of each file. Regions begin at equal distances, in most calls at the same
// ones, so that the learner's process can keep its mappings.
static void place_regions(WireRequest *request, size_t needed[2])
{
    size_t distance = REGION_STEP;
    needed[0] = needed[1] = 0;
    for (int r = 0; r < request->region_count; r++) {
        WireRegion *region = &request->regions[r];
        region->pages = (region->bytes / WIRE_PAGE + 1) * WIRE_PAGE;
        while (distance < region->pages)
            distance *= 2;
    }
    for (int r = 0; r < request->region_count; r++) {
        WireRegion *region = &request->regions[r];
        region->place = needed[region->is_output];
        needed[region->is_output] += distance;
    }
}

static unsigned char *region_start(const Worker *worker, const WireRegion *region)
{
    return worker->running.memory[region->is_output] + region->place + region->pages -
           region->bytes;
}

static void fill(const Worker *worker, const WorkerLayout *layout)
{
    for (int r = 0; r < layout->request.region_count; r++) {
        const WireRegion *region = &layout->request.regions[r];
        unsigned char *start = region_start(worker, region);
        if (region->is_output) {
            memset(start - (region->pages - region->bytes), WIRE_CANARY,
                   region->pages - region->bytes);
            memset(start, worker->begins_at_0 ? 0 : WIRE_UNWRITTEN, region->bytes);
        } else {
            memcpy(start, layout->owner[r], region->bytes);
        }
    }
}

static WireOptions wire_options(const StageOptions *options)
{
    if (!options)
        return (WireOptions){.heads = 1};
    WireOptions wire = {
        .pad_id = options->pad_id,
        .heads = options->heads,
        .scale = options->scale,
        .mask_value = options->mask_value,
        .dropout_p = options->dropout_p,
        .dropout_seed = options->dropout_seed,
        .update = options->update,
        .rate = options->rate,
        .beta1 = options->beta1,
        .beta2 = options->beta2,
        .epsilon = options->epsilon,
        .causal = options->causal,
        .mask_padding = options->mask_padding,
        .has_scale_name = options->scale_name != NULL,
    };
    if (options->scale_name)
        snprintf(wire.scale_name, sizeof wire.scale_name, "%s", options->scale_name);
    return wire;
}

bool worker_memory_fill(Worker *worker, const StageCall *call, const StageArgs *args,
                        WorkerLayout *layout, MachineFault *fault)
{
    size_t needed[2];
    memset(layout, 0, sizeof *layout);
    layout->request.version = WIRE_VERSION;
    layout->request.number = ++worker->running.number;
    layout->request.options = wire_options(args->options);
    bool more = true;
    for (int i = 0; i < STAGE_READS_MAX; i++) {
        more = more && call->reads[i].role;
        lay_out(layout, i, &args->in[i], more ? call->reads[i].role : NULL, false);
    }
    more = true;
    for (int i = 0; i < STAGE_WRITES_MAX; i++) {
        more = more && call->writes[i].role;
        const Tensor nothing = {.rank = 0}; // a view is made entirely by the function
        const Tensor *out = more && call->writes[i].is_view ? &nothing : &args->out[i];
        lay_out(layout, STAGE_READS_MAX + i, out, more ? call->writes[i].tensor : NULL, true);
    }
    place_regions(&layout->request, needed);
    if (!make_room(worker, 0, needed[0], fault) || !make_room(worker, 1, needed[1], fault))
        return false;
    fill(worker, layout);
    return true;
}

// --- what comes back

// Far more elements than in any exercise, and few enough to avoid overflow below.
enum { AXIS_MAX = 1 << 20 };

// The bytes around outputs and inputs must be unchanged.
static bool surroundings_hold(const Worker *worker, const WorkerLayout *layout,
                              WorkerAnswer *answer)
{
    for (int r = 0; r < layout->request.region_count; r++) {
        const WireRegion *region = &layout->request.regions[r];
        uint64_t before = region->pages - region->bytes; // at least 1
        const unsigned char *first = region_start(worker, region) - before;
        if (region->is_output &&
            (*first != WIRE_CANARY || memcmp(first, first + 1, before - 1) != 0)) {
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

// True if every element of a returned tensor lies in its region.
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

// True if an element of the region is as it was before the call.
static bool has_unwritten(const Worker *worker, const WireRegion *region)
{
    const unsigned char *start = region_start(worker, region);
    size_t size = (size_t)region->element;
    for (const unsigned char *at = start; at + size <= start + region->bytes; at += size) {
        size_t same = 0;
        while (same < size && at[same] == WIRE_UNWRITTEN)
            same++;
        if (same == size)
            return true;
    }
    return false;
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

// The numbers of an output in storage that we provided.
static bool take_numbers(const Worker *worker, const WorkerLayout *layout, int slot,
                         const WireTensor *given_back, Tensor *out, WorkerAnswer *answer)
{
    const WireTensor *given = &layout->request.tensors[STAGE_READS_MAX + slot];
    const WireRegion *region = &layout->request.regions[given->region];
    if (memcmp(given, given_back, sizeof *given) != 0)
        return refuse(answer, SENTENCE_OUTPUT_MOVED, region->name, NULL);
    if (!region->is_output)
        return true; // a view of an input, which was checked
    Tensor theirs = *out;
    theirs.storage.bytes = (void *)region_start(worker, region);
    answer->unwritten[slot] = has_unwritten(worker, region) ? count_unwritten(&theirs) : 0;
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

// --- a call saved to a file

typedef struct SavedCall {
    const Worker *worker;
    const WireRequest *request;
} SavedCall;

static bool write_call(const void *what, FILE *out, Error *err)
{
    static const char nothing[WIRE_PAGE];
    const SavedCall *saved = what;
    (void)err; // the caller finds what is not written
    fwrite(saved->request, sizeof *saved->request, 1, out);
    fwrite(nothing, WIRE_PAGE - sizeof *saved->request, 1, out);
    for (int i = 0; i < 2; i++)
        if (saved->worker->running.bytes[i] > 0)
            fwrite(saved->worker->running.memory[i], saved->worker->running.bytes[i], 1, out);
    return true;
}

static bool save(Worker *worker, const StageCall *call, const StageArgs *args, const char *path,
                 Error *err)
{
    WorkerLayout layout;
    MachineFault fault;
    if (!worker_memory_fill(worker, call, args, &layout, &fault))
        return machine_error(&fault, err);
    layout.request.is_saved = true;
    for (int r = 0; r < layout.request.region_count; r++) { // places count from the file's start
        WireRegion *region = &layout.request.regions[r];
        region->place += WIRE_PAGE + (region->is_output ? worker->running.bytes[0] : 0);
    }
    return new_file_write(path, write_call, &(SavedCall){worker, &layout.request}, err);
}

bool worker_save_call(const StageCall *call, const StageArgs *args, const char *path, Error *err)
{
    Worker worker = {.running = {.file = {-1, -1}}};
    MachineFault fault;
    int unused = -1;
    bool saved = (worker_memory_open(&worker, &unused, &fault) || machine_error(&fault, err)) &&
                 save(&worker, call, args, path, err);
    if (unused >= 0)
        close(unused);
    worker_memory_close(&worker);
    return saved;
}
