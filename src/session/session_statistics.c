// session_statistics: the statistics of the tensor looked at and of its visible slice, while they are
// shown: computed when another tensor or slice is looked at, not with every key.
#include "session_actions.h"

#include <string.h>

static const Slot *slot_of(const Session *session)
{
    const TraceTensor *looked = session_tensor(session);
    return looked->step < 0 ? NULL
                            : &session->run.trace.steps[looked->step].call->writes[looked->slot];
}

static bool is_weights(const Session *session)
{
    const Slot *slot = slot_of(session);
    const Tensor *tensor = &session_tensor(session)->tensor;
    return slot && slot->is_share && tensor->dtype == DTYPE_F32 && tensor->rank >= 1;
}

Tensor session_slice(const Session *session, ptrdiff_t base[TENSOR_RANK_MAX])
{
    Tensor slice = session_tensor(session)->tensor;
    for (int axis = 0; axis < slice.rank; axis++) {
        bool picked = session_axis_is_picked(session, axis);
        base[axis] = picked ? session_view(session)->at[axis] : 0;
        if (picked)
            slice = tensor_narrow(&slice, axis, base[axis], 1);
    }
    return slice;
}

static void measure_slice(Session *session, SessionStatistics *all, const TraceMarks *marks)
{
    ptrdiff_t base[TENSOR_RANK_MAX] = {0};
    Tensor slice = session_slice(session, base);
    bool is_same = all->measured && memcmp(&slice, &all->slice_view, sizeof slice) == 0;
    if (!is_same)
        all->slice = statistics_of(&slice, base, marks);
    all->slice_view = slice;
}

void session_measure(Session *session)
{
    SessionStatistics *all = &session->statistics;
    const Tensor *tensor = &session_tensor(session)->tensor;
    static const ptrdiff_t start[TENSOR_RANK_MAX] = {0};
    if (session->look.detail != DETAIL_STATISTICS || !session_has_values(session)) {
        all->measured = false;
        return;
    }
    TraceMarks marks = trace_marks(&session->run.trace, session->cursor.tensor);
    all->measured = all->measured && all->tensor == session->cursor.tensor;
    measure_slice(session, all, &marks);
    if (!all->measured) {
        all->tensor = session->cursor.tensor;
        all->whole = statistics_of(tensor, start, &marks);
        all->is_weights = is_weights(session);
        if (all->is_weights)
            all->rows = statistics_row_sums(tensor);
    }
    if (all->is_weights)
        all->row = statistics_row_sum(tensor, session_view(session)->at);
    all->measured = true;
}
