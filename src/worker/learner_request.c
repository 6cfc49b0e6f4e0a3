// A request, checked before it is believed: see wire.h for what it says.
#include "learner.h"

#include <string.h>

// No file is larger, so no sum of two such numbers overflows.
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

// The place of the last element, or a place beyond every region.
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

static bool is_empty(const WireTensor *tensor)
{
    bool empty = false;
    for (int axis = 0; axis < tensor->rank; axis++)
        empty = empty || tensor->shape[axis] == 0;
    return empty;
}

static bool tensor_is_sound(const WireRequest *request, const WireTensor *tensor)
{
    if (tensor->region < -1 || tensor->region >= request->region_count || tensor->rank < 0 ||
        tensor->rank > TENSOR_RANK_MAX || tensor->dtype < DTYPE_F32 || tensor->dtype > DTYPE_BOOL)
        return false;
    for (int axis = 0; axis < tensor->rank; axis++)
        if (tensor->shape[axis] < 0 || tensor->stride[axis] < 0)
            return false;
    if (tensor->offset < 0 || (uint64_t)tensor->offset >= far || last_element(tensor) >= far)
        return false;
    static const uint64_t sizes[] = {[DTYPE_F32] = 4, [DTYPE_I64] = 8, [DTYPE_BOOL] = 1};
    const WireRegion *region = tensor->region < 0 ? NULL : &request->regions[tensor->region];
    return !region || is_empty(tensor) ||
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
