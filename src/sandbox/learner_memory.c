// Maps the tensors of a request; learner.h describes their layout in the two files.
//
// Guard pages around every storage turn an overrun into an immediate fault. The few bytes before a storage share its
// first page: AddressSanitizer poisons them; otherwise the judging side checks them afterwards.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "learner.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

// --- validating a request

// Larger than any file, and small enough that sums do not overflow.
static const uint64_t far = (uint64_t)1 << 48;

static bool is_text(const char text[WIRE_NAME_MAX])
{
    return memchr(text, '\0', WIRE_NAME_MAX) != NULL;
}

static bool region_is_sound(const WireRegion *region)
{
    return is_text(region->name) && (region->element == 1 || region->element % 4 == 0) &&
           region->element >= 1 && region->element <= 8 && region->place < far &&
           region->pages < far && region->bytes <= region->pages &&
           region->place % WIRE_PAGE == 0 && region->pages % WIRE_PAGE == 0 && region->pages > 0;
}

// The offset of the last element, or one beyond every region.
static uint64_t last_element(const WireTensor *tensor)
{
    uint64_t last = (uint64_t)tensor->offset;
    for (int axis = 0; axis < tensor->rank; axis++) {
        uint64_t length = (uint64_t)tensor->shape[axis], stride = (uint64_t)tensor->stride[axis];
        if (length >= far || stride >= far || (length > 1 && stride > far / (length - 1)))
            return far;
        last += (length - (length > 0)) * stride;
    }
    return last < far ? last : far;
}

static bool tensor_is_sound(const WireRequest *request, const WireTensor *tensor)
{
    if (tensor->region < -1 || tensor->region >= request->region_count || tensor->rank < 0 ||
        tensor->rank > TENSOR_RANK_MAX || tensor->dtype < DTYPE_F32 || tensor->dtype > DTYPE_BOOL)
        return false;
    bool is_empty = false;
    for (int axis = 0; axis < tensor->rank; axis++) {
        if (tensor->shape[axis] < 0 || tensor->stride[axis] < 0)
            return false;
        is_empty |= tensor->shape[axis] == 0;
    }
    if (tensor->offset < 0 || (uint64_t)tensor->offset >= far || last_element(tensor) >= far)
        return false;
    static const uint64_t sizes[] = {[DTYPE_F32] = 4, [DTYPE_I64] = 8, [DTYPE_BOOL] = 1};
    const WireRegion *region = tensor->region < 0 ? NULL : &request->regions[tensor->region];
    return !region || is_empty ||
           (last_element(tensor) + 1) * sizes[tensor->dtype] <= region->bytes;
}

bool learner_request_is_sound(const WireRequest *request)
{
    bool sound = request->version == WIRE_VERSION && request->region_count >= 0 &&
                 request->region_count <= WIRE_TENSORS_MAX && is_text(request->options.scale_name);
    for (int r = 0; sound && r < request->region_count; r++)
        sound = region_is_sound(&request->regions[r]);
    for (int i = 0; sound && i < WIRE_TENSORS_MAX; i++)
        sound = tensor_is_sound(request, &request->tensors[i]);
    return sound;
}

// --- tensors

// Provided by AddressSanitizer if it is linked; NULL otherwise.
extern void __asan_poison_memory_region(void const volatile *, size_t) __attribute__((weak));
extern void __asan_unpoison_memory_region(void const volatile *, size_t) __attribute__((weak));

typedef struct Mapped {
    unsigned char *around; // guard, the region's pages, guard; NULL: not mapped
    size_t bytes;
    unsigned char *start; // of the storage
    WireRegion region;
} Mapped;

// Global, because the called function does not know it: a fault handler finds it here.
static struct {
    Mapped regions[WIRE_TENSORS_MAX];
    int count; // regions of the current call
    const WireRequest *request;
} memory;

// malloc's memory starts as 0 here, and as WIRE_NEVER_SET under AddressSanitizer (__asan_default_options), so that the
// two programs differ if a function reads uninitialised memory.
void learner_memory_begin(void)
{
#ifdef __GLIBC__
    mallopt(M_PERTURB, 0xFF); // memory is filled with its complement
#endif
}

// The same for the stack below the caller.
__attribute__((noinline)) void learner_memory_fill_stack(void)
{
    enum { STACK_BYTES = 1 << 15 };
    unsigned char room[STACK_BYTES];
    memset(room, __asan_poison_memory_region ? WIRE_NEVER_SET : 0, sizeof room);
    __asm__ volatile("" : : "r"(room) : "memory");
}

static void unmap_region(Mapped *mapped)
{
    if (!mapped->around)
        return;
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region(mapped->around + WIRE_GUARD, (size_t)mapped->region.pages);
    munmap(mapped->around, mapped->bytes);
    mapped->around = NULL;
}

// Maps the region's pages of the file, with guards.
static bool map_pages(const WireRegion *region, int file, int sharing, Mapped *mapped)
{
    int rights = region->is_output ? PROT_READ | PROT_WRITE : PROT_READ;
    size_t pages = (size_t)region->pages, bytes = pages + 2 * WIRE_GUARD;
    unsigned char *around =
        mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (around == MAP_FAILED)
        return false;
    *mapped = (Mapped){.around = around, .bytes = bytes, .region = *region};
    return mmap(around + WIRE_GUARD, pages, rights, sharing | MAP_FIXED, file,
                (off_t)region->place) != MAP_FAILED;
}

static bool map_region(const WireRegion *region, int sharing, Mapped *mapped)
{
    int file = region->is_output ? WIRE_OUTPUTS : WIRE_INPUTS;
    struct stat about; // a truncated file would end the process later
    if (fstat(file, &about) != 0 || region->place + region->pages > (uint64_t)about.st_size)
        return false;
    const WireRegion *last = &mapped->region;
    bool is_kept = mapped->around && last->is_output == region->is_output &&
                   last->place == region->place && last->pages == region->pages;
    if (!is_kept) {
        unmap_region(mapped);
        if (!map_pages(region, file, sharing, mapped))
            return false;
    }
    unsigned char *inside = mapped->around + WIRE_GUARD;
    mapped->start = inside + region->pages - region->bytes;
    if (__asan_poison_memory_region) {
        __asan_unpoison_memory_region(inside, (size_t)region->pages);
        __asan_poison_memory_region(inside, (size_t)(mapped->start - inside));
    }
    return true;
}

static Tensor tensor_from(const WireTensor *given)
{
    Tensor tensor = {.dtype = (Dtype)given->dtype, .rank = given->rank, .offset = given->offset};
    if (given->region >= 0)
        tensor.storage.bytes = memory.regions[given->region].start;
    for (int axis = 0; axis < TENSOR_RANK_MAX; axis++) {
        tensor.shape[axis] = (ptrdiff_t)given->shape[axis];
        tensor.stride[axis] = (ptrdiff_t)given->stride[axis];
    }
    return tensor;
}

bool learner_memory_map(const WireRequest *request, StageArgs *args)
{
    int sharing = request->is_saved ? MAP_PRIVATE : MAP_SHARED;
    memory.request = request;
    for (int r = 0; r < WIRE_TENSORS_MAX; r++)
        if (r >= request->region_count)
            unmap_region(&memory.regions[r]);
        else if (!map_region(&request->regions[r], sharing, &memory.regions[r])) {
            learner_memory_unmap();
            return false;
        }
    memory.count = request->region_count;
    for (int i = 0; i < STAGE_READS_MAX; i++)
        args->in[i] = tensor_from(&request->tensors[i]);
    for (int i = 0; i < STAGE_WRITES_MAX; i++)
        args->out[i] = tensor_from(&request->tensors[STAGE_READS_MAX + i]);
    return true;
}

void learner_memory_leave(void)
{
    for (int r = 0; r < memory.count && __asan_poison_memory_region; r++)
        __asan_poison_memory_region(memory.regions[r].around + WIRE_GUARD,
                                    (size_t)memory.regions[r].region.pages);
    memory.count = 0;
}

void learner_memory_unmap(void)
{
    for (int r = 0; r < WIRE_TENSORS_MAX; r++)
        unmap_region(&memory.regions[r]);
    memory.count = 0;
}

void learner_memory_describe(const WireRequest *request, const Tensor *tensor, WireTensor *out)
{
    *out = (WireTensor){.region = -1,
                        .dtype = (int32_t)tensor->dtype,
                        .rank = tensor->rank,
                        .offset = tensor->offset};
    const unsigned char *start = tensor->storage.bytes;
    for (int r = 0; start && r < request->region_count; r++) {
        const Mapped *mapped = &memory.regions[r];
        if (start < mapped->start || start > mapped->start + request->regions[r].bytes)
            continue;
        out->region = r;
        out->offset += (start - mapped->start) / request->regions[r].element;
    }
    if (start && out->region < 0)
        out->region = WIRE_TENSORS_MAX; // elsewhere
    for (int axis = 0; axis < TENSOR_RANK_MAX; axis++) {
        out->shape[axis] = tensor->shape[axis];
        out->stride[axis] = tensor->stride[axis];
    }
}

// Writes a line in one call, so that buffered output of the learner's code does not split it.
static void explain(const WireRegion *region, const Mapped *mapped, const unsigned char *address,
                    bool is_write)
{
    ptrdiff_t element = (address - mapped->start) / region->element;
    bool is_before = address < mapped->start, is_after = address >= mapped->start + region->bytes;
    char line[160];
    int length = snprintf(
        line, sizeof line, "\n@fault %s %s %s %td %llu\n", is_write ? "wrote" : "read",
        is_before  ? "before"
        : is_after ? "past"
                   : "inside",
        region->name, element, (unsigned long long)(region->bytes / (uint64_t)region->element));
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        return;
}

void learner_memory_explain(const void *address, bool is_write)
{
    const unsigned char *at = address;
    for (int r = 0; r < memory.count; r++) {
        const Mapped *mapped = &memory.regions[r];
        if (at >= mapped->around && at < mapped->around + mapped->bytes)
            explain(&memory.request->regions[r], mapped, at, is_write);
    }
}
