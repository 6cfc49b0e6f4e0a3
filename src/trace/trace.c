// Opens and closes a run of a scenario, and finds its marks; see trace.h.
#include "trace.h"

#include <math.h>
#include <string.h>

#include "arena.h"
#include "trace_internal.h"
#include "trace_words.def"
#include "words.h"

bool trace_open(Trace *trace, const Scenario *scenario, Error *err)
{
    return trace_open_variant(trace, scenario, NULL, err);
}

// Asking for the available memory takes longer than running a small trace.
enum { ROOM_UNASKED = 1 << 20 };

static bool check_room(const Trace *trace, Error *err)
{
    const Scenario *scenario = trace->scenario;
    size_t bytes = trace_bytes(trace);
    char need[ROOM_TEXT_MAX], have[ROOM_TEXT_MAX];
    if (bytes == SIZE_MAX)
        return error_set(err, TELL(TRACE_LARGE), scenario->name);
    if (bytes <= ROOM_UNASKED && !scenario->spill)
        return true;
    size_t room = room_in_memory();
    if (scenario->spill && !room_in_folder(scenario->spill, &room, err))
        return false;
    room_text(bytes, need);
    room_text(room, have);
    if (bytes > room && scenario->spill)
        return error_set(err, TELL(TRACE_DISK), scenario->name, need, scenario->spill, have);
    if (bytes > room)
        return error_set(err, TELL(TRACE_ROOM), scenario->name, need, have);
    return true;
}

// The contents of a closed trace: whoever still reads it sees nothing.
static union {
    TraceStep steps[TRACE_STEPS_MAX];
    TraceTensor tensors[TRACE_TENSORS_MAX];
} nothing;

bool trace_open_variant(Trace *trace, const Scenario *scenario, const TraceVariant *variant,
                        Error *err)
{
    *trace = (Trace){.scenario = scenario, .kernel = kernel_choose()};
    if (variant)
        trace->variant = *variant;
    if (trace->variant.run)
        trace->kernel = NULL;
    if (!trace_plan_all(trace, err)) {
        trace_close(trace);
        return false;
    }
    team_init(&trace->team, scenario->threads);
    trace_plan_groups(trace);
    trace_plan_stretches(trace);

    trace->arena.folder = scenario->spill; // for numbers, not for the plan
    if (check_room(trace, err))
        return true;
    trace_close(trace);
    return false;
}

void trace_close(Trace *trace)
{
    for (int step = 0; step < trace->step_count; step++)
        trace_forget_formula(&trace->steps[step]);
    team_finish(&trace->team);
    arena_finish(&trace->scratch);
    arena_finish(&trace->arena);
    *trace = (Trace){.steps = nothing.steps, .tensors = nothing.tensors};
}

// --- marks

// True for scores or weights of the step `since` or a later one.
static bool is_about_pairs(const Trace *trace, int number, int since)
{
    const TraceTensor *tensor = &trace->tensors[number];
    int rank = tensor->tensor.rank;
    return tensor->tensor.dtype == DTYPE_F32 && rank >= 2 && tensor->step >= since &&
           trace_axis_symbol(trace, number, rank - 2) == SYMBOL_LQ &&
           trace_axis_symbol(trace, number, rank - 1) == SYMBOL_LK;
}

// The flags of the tensor called `name`, expanded to the shape of tensor `number`; empty if they do not apply.
static Tensor flags_for(const Trace *trace, int number, const char *name)
{
    const Tensor *tensor = &trace->tensors[number].tensor;
    Tensor wide, none = {.storage.bytes = NULL};
    Error unused;
    int flags = trace_find(trace, name);
    bool applies =
        flags >= 0 && trace->tensors[flags].tensor.storage.bytes &&
        trace->tensors[flags].step >= 0 &&
        is_about_pairs(trace, number, trace->tensors[flags].step) &&
        tensor_expand(&trace->tensors[flags].tensor, tensor->rank, tensor->shape, &wide, &unused);
    return applies ? wide : none;
}

static bool has_minus_infinity(const Tensor *mask)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(mask) > 0; more; more = tensor_next(mask, at))
        if (mask->storage.f32[tensor_place(mask, at)] == -INFINITY)
            return true;
    return false;
}

// The step that added the mask in a tensor's layer; -1: none, or it comes after the tensor.
static int adding_step(const Trace *trace, int number)
{
    const TraceTensor *tensor = &trace->tensors[number];
    for (int i = tensor->step; i >= 0; i--)
        if (strcmp(trace->steps[i].stage->name, "add_mask") == 0)
            return trace->steps[i].layer == tensor->layer ? i : -1;
    return -1;
}

Tensor trace_forbidding(const Trace *trace, int number)
{
    Tensor wide, none = {.storage.bytes = NULL};
    Error unused;
    int step = adding_step(trace, number);
    if (step < 0 || !is_about_pairs(trace, number, step))
        return none;
    const Tensor *tensor = &trace->tensors[number].tensor;
    Tensor mask = trace->tensors[trace->steps[step].reads[1]].tensor;
    bool fits = mask.storage.bytes && has_minus_infinity(&mask) &&
                tensor_expand(&mask, tensor->rank, tensor->shape, &wide, &unused);
    return fits ? wide : none;
}

bool trace_forbids(const Tensor *forbidding, const ptrdiff_t at[])
{
    return forbidding->storage.bytes &&
           forbidding->storage.f32[tensor_place(forbidding, at)] == -INFINITY;
}

static bool masks(const TraceStep *step)
{
    const char *written = step->call->writes[0].tensor;
    return written && strcmp(written, "attn_mask") == 0;
}

bool trace_is_before_mask(const Trace *trace, int number)
{
    const TraceTensor *tensor = &trace->tensors[number];
    for (int i = tensor->step + 1; i < trace->step_count; i++)
        if (masks(&trace->steps[i]) && trace->steps[i].layer == tensor->layer)
            return true;
    return false;
}

TraceHidden trace_hidden(const Trace *trace, int number, const Tensor *seen)
{
    TraceHidden hidden = {.mask_value = trace->scenario->options.mask_value};
    const TraceTensor *tensor = &trace->tensors[number];
    int step = -1; // that masks: the last before the tensor, else the first
    for (int i = 0; i < trace->steps_done && (step < 0 || i <= tensor->step); i++)
        step = masks(&trace->steps[i]) ? i : step;
    int masked = step >= 0 ? trace->steps[step].writes[trace->steps[step].stage->main_output] : -1;
    Error unused;
    if (masked < 0 || !trace->tensors[masked].tensor.storage.bytes)
        return hidden;
    Tensor scores = trace->tensors[masked].tensor;
    while (scores.rank > 2 && scores.rank < seen->rank) // adds a missing axis of heads
        scores = tensor_unsqueeze(&scores, 1);
    if (!tensor_expand(&scores, seen->rank, seen->shape, &hidden.scores, &unused))
        hidden.scores.storage.bytes = NULL;
    if (tensor->tensor.dtype == DTYPE_F32 && tensor->step >= 0 && !tensor->is_difference &&
        trace->steps[tensor->step].call->writes[tensor->slot].sums_to_one)
        hidden.weights = *seen;
    return hidden;
}

static float number_at(const Tensor *tensor, const ptrdiff_t at[])
{
    return tensor->storage.f32[tensor_place(tensor, at)];
}

bool trace_hides(const TraceHidden *hidden, const ptrdiff_t at[])
{
    if (!hidden->scores.storage.bytes || number_at(&hidden->scores, at) == hidden->mask_value)
        return true;
    return hidden->weights.storage.bytes && number_at(&hidden->weights, at) == 0.0f;
}

static void find_padding(const Trace *trace, int number, TraceMarks *marks)
{
    int padding = trace_find(trace, "key_padding_mask"), count = 0;
    marks->batch_axis = marks->token_axes[0] = marks->token_axes[1] = -1;
    for (int axis = 0; axis < trace->tensors[number].tensor.rank; axis++) {
        Symbol symbol = trace_axis_symbol(trace, number, axis);
        if (symbol == SYMBOL_B)
            marks->batch_axis = axis;
        else if (count < 2 && trace_counts_tokens(trace, symbol))
            marks->token_axes[count++] = axis;
    }
    if (padding >= 0 && marks->batch_axis >= 0)
        marks->padding = trace->tensors[padding].tensor;
}

TraceMarks trace_marks(const Trace *trace, int number)
{
    TraceMarks marks = {.kept = flags_for(trace, number, "dropout_mask")};
    if (!trace_is_before_mask(trace, number))
        marks.masked = flags_for(trace, number, "attn_mask");
    if (marks.masked.storage.bytes)
        marks.hidden = trace_hidden(trace, number, &trace->tensors[number].tensor);
    marks.forbidding = trace_forbidding(trace, number);
    find_padding(trace, number, &marks);
    return marks;
}

static bool flag(const Tensor *tensor, const ptrdiff_t at[])
{
    return tensor->storage.boolean[tensor_place(tensor, at)];
}

TraceMark trace_mark_at(const TraceMarks *marks, const ptrdiff_t at[])
{
    if (marks->masked.storage.bytes && flag(&marks->masked, at) && trace_hides(&marks->hidden, at))
        return TRACE_MASKED;
    if (trace_forbids(&marks->forbidding, at))
        return TRACE_MASKED;
    if (marks->kept.storage.bytes && !flag(&marks->kept, at))
        return TRACE_DROPPED;
    for (int i = 0; marks->padding.storage.bytes && i < 2 && marks->token_axes[i] >= 0; i++)
        if (at[marks->token_axes[i]] < marks->padding.shape[1] && // not an appended key
            *tensor_flag2(&marks->padding, at[marks->batch_axis], at[marks->token_axes[i]]))
            return TRACE_PADDED;
    return TRACE_PLAIN;
}

const char *trace_mark_word(TraceMark mark)
{
    static const Words words[TRACE_MARKS] = {
        {{"", "", ""}},
        WORDS("masked", "마스킹됨"),
        WORDS("dropped", "드롭아웃됨"),
        WORDS("padding", "패딩"),
    };
    return words_tell(words[mark]);
}
