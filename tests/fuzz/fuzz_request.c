// The worker's wire, on the learner's side: a request is refused, or all of its tensors can be read
// and its outputs written. The bytes are a request (learner.h); what is missing of it is that of a small
// call, so that short inputs reach far.
#define _GNU_SOURCE // memfd_create
#include "fuzz.h"
#include "learner.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FILE_PAGES = 4 };

// The files that both processes map, under the descriptors that the learner's side knows.
static void open_files(void)
{
    static const int descriptors[] = {WIRE_INPUTS, WIRE_OUTPUTS};
    static bool opened;
    for (int i = 0; i < 2 && !opened; i++) {
        int file = memfd_create("fuzz", MFD_CLOEXEC);
        fuzz_must(file >= 0 && ftruncate(file, FILE_PAGES * WIRE_PAGE) == 0 &&
                      (file == descriptors[i] || dup2(file, descriptors[i]) == descriptors[i]),
                  "there is memory to share");
    }
    opened = true;
}

static WireRequest small_call(void)
{
    WireRequest request = {.version = WIRE_VERSION, .number = 1, .region_count = 2};
    for (int i = 0; i < 2; i++)
        request.regions[i] = (WireRegion){
            .name = "x", .is_output = i, .element = 4, .pages = WIRE_PAGE, .bytes = 24};
    for (int i = 0; i < WIRE_TENSORS_MAX; i++)
        request.tensors[i].region = -1;
    request.tensors[0] = (WireTensor){.region = 0, .rank = 2, .shape = {2, 3}, .stride = {3, 1}};
    request.tensors[STAGE_READS_MAX] = request.tensors[0];
    request.tensors[STAGE_READS_MAX].region = 1;
    return request;
}

// Goes to both ends and through some of the elements between.
static void use(const Tensor *tensor, bool writes)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, count;
    if (!tensor->storage.bytes || !tensor_count_of(tensor->rank, tensor->shape, &count) || !count)
        return;
    for (int turn = 0; turn < 8; turn++) {
        tensor_unravel(tensor, turn == 7 ? count - 1 : count / 8 * turn, at);
        unsigned char *bytes = tensor->storage.bytes;
        unsigned char *element =
            bytes + (size_t)tensor_place(tensor, at) * dtype_size(tensor->dtype);
        unsigned char kept[8];
        memcpy(kept, element, dtype_size(tensor->dtype));
        if (writes)
            memcpy(element, kept, dtype_size(tensor->dtype));
    }
}

static void call(const WireRequest *request)
{
    StageArgs args = {.options = NULL};
    WireTensor told;
    if (!learner_memory_map(request, &args))
        return;
    for (int i = 0; i < STAGE_READS_MAX; i++)
        use(&args.in[i], false);
    for (int i = 0; i < STAGE_WRITES_MAX; i++) {
        bool is_output = request->tensors[STAGE_READS_MAX + i].region >= 0 &&
                         request->regions[request->tensors[STAGE_READS_MAX + i].region].is_output;
        use(&args.out[i], is_output);
        learner_memory_describe(request, &args.out[i], &told);
        fuzz_must(told.region == request->tensors[STAGE_READS_MAX + i].region ||
                      told.region < request->region_count,
                  "an output lies in its region");
    }
    learner_memory_unmap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    WireRequest request = small_call();
    open_files();
    if (size > 0)
        memcpy(&request, data, size < sizeof request ? size : sizeof request);
    if (learner_request_is_sound(&request))
        call(&request);
    return 0;
}
