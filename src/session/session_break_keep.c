// session_break_keep: breakpoints while the pipeline is planned anew; see session_actions.h.
//
// Steps and tensors have other numbers then, but mostly the same names.
#include "session_actions.h"

#include <stdio.h>
#include <string.h>

// Its shape alone: it may not be computed yet.
static Tensor planned_tensor(const Trace *trace, int tensor)
{
    Tensor planned = {.storage.bytes = NULL};
    planned.rank = trace_shape(trace, tensor, planned.shape);
    return planned;
}

void session_keep_breaks(const Session *session, KeptBreak kept[SESSION_BREAKS_MAX])
{
    const Trace *trace = &session->run.trace;
    for (int i = 0; i < SESSION_BREAKS_MAX; i++) {
        KeptBreak *keep = &kept[i];
        *keep = (KeptBreak){.point = session->breaks.points[i]};
        const Breakpoint *point = &keep->point;
        if (point->number == 0)
            continue;
        trace_step_name(trace, point->step, keep->step);
        if (point->tensor < 0)
            continue;
        snprintf(keep->tensor, sizeof keep->tensor, "%s", trace->tensors[point->tensor].name);
        Tensor planned = planned_tensor(trace, point->tensor);
        keep->rank = planned.rank;
        if (point->element >= 0)
            tensor_unravel(&planned, point->element, keep->at);
    }
}

static int find_step(const Trace *trace, const char *name)
{
    char text[64];
    for (int step = 0; step < trace->step_count; step++)
        if (strcmp(trace_step_name(trace, step, text), name) == 0)
            return step;
    return -1;
}

// Where the same element, if it was one, lies in the tensor of that name; false where it has none.
static bool find_element(const Trace *trace, KeptBreak *keep)
{
    Breakpoint *point = &keep->point;
    point->tensor = trace_find(trace, keep->tensor);
    if (point->tensor < 0)
        return false;
    point->step = trace->tensors[point->tensor].step;
    Tensor planned = planned_tensor(trace, point->tensor);
    for (int axis = 0; point->element >= 0 && axis < planned.rank; axis++)
        if (planned.rank != keep->rank || keep->at[axis] >= planned.shape[axis])
            return false;
    if (point->element >= 0)
        point->element = tensor_ravel(&planned, keep->at);
    return point->step >= 0;
}

int session_put_breaks(Session *session, KeptBreak kept[SESSION_BREAKS_MAX])
{
    int lost = 0, count = 0;
    for (int i = 0; i < SESSION_BREAKS_MAX; i++) {
        KeptBreak *keep = &kept[i];
        if (keep->point.number == 0)
            continue;
        bool is_step = keep->tensor[0] == '\0';
        if (is_step)
            keep->point.step = find_step(&session->run.trace, keep->step);
        if (is_step ? keep->point.step >= 0 : find_element(&session->run.trace, keep))
            session->breaks.points[count++] = keep->point;
        else
            lost++;
    }
    return lost;
}
