// worker_memory: the tensors of a call in the memory that both processes map; see wire.h.
//
// Everything that comes back is somebody else's word: it is bounds-checked here before anything else
// looks at it, and copied once.
#include "worker_internal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int open_file(int *to_read)
{
#ifdef __linux__
    char path[64];
    int file = memfd_create("attnscope", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0)
        return -1;
    fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL); // nobody takes memory away from us
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (to_read)
        *to_read = open(path, O_RDONLY | O_CLOEXEC);
#else
    char name[64];
    snprintf(name, sizeof name, "/attnscope.%ld", (long)getpid());
    int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (to_read)
        *to_read = shm_open(name, O_RDONLY, 0);
    shm_unlink(name);
#endif
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

static bool make_room(Worker *worker, int which, size_t bytes, MachineFault *fault)
{
    if (bytes <= worker->running.bytes[which])
        return true;
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

// Bytes from the beginning of the storage to the end of the tensor's last element.
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

// The region of a tensor's storage; tensors over the same storage share one, as they do here.
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

// Where each region lies in its file; how many bytes each file needs.
static void place_regions(WireRequest *request, size_t needed[2])
{
    needed[0] = needed[1] = 0;
    for (int r = 0; r < request->region_count; r++) {
        WireRegion *region = &request->regions[r];
        region->pages = (region->bytes / WIRE_PAGE + 1) * WIRE_PAGE;
        region->place = needed[region->is_output];
        needed[region->is_output] += region->pages;
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
        const Tensor nothing = {.rank = 0}; // a view is made by the function, all of it
        const Tensor *out = more && call->writes[i].is_view ? &nothing : &args->out[i];
        lay_out(layout, STAGE_READS_MAX + i, out, more ? call->writes[i].tensor : NULL, true);
    }
    place_regions(&layout->request, needed);
    if (!make_room(worker, 0, needed[0], fault) || !make_room(worker, 1, needed[1], fault))
        return false;
    fill(worker, layout);
    return true;
}
