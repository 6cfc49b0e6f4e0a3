// Runs steps in double precision; see trace.h.
#include "trace.h"
#include "trace_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "arena.h"
#include "trace_words.def"

// --- running

static bool check_room(const Trace *trace, Error *err)
{
    size_t bytes = trace_bytes(trace), room = room_in_memory();
    char need[ROOM_TEXT_MAX], have[ROOM_TEXT_MAX];
    if (bytes <= room / 2 || trace->arena.folder)
        return true;
    return error_machine(err, TELL(EXACT_ROOM), trace->scenario->name,
                         room_text(bytes > SIZE_MAX / 2 ? SIZE_MAX : 2 * bytes, need),
                         room_text(room, have));
}

// Copies a tensor's storage to doubles, as far as the tensor reads it, so that its strides stay valid.
static bool widen(Arena *arena, const Tensor *narrow, Tensor *wide, Error *err)
{
    *wide = *narrow;
    if (narrow->dtype != DTYPE_F32 || !narrow->storage.bytes)
        return true;
    ptrdiff_t span = tensor_span(narrow);
    double *numbers = arena_take(arena, (size_t)span, sizeof *numbers, err);
    if (!numbers)
        return false;
    for (ptrdiff_t i = narrow->offset; i < span; i++)
        numbers[i] = (double)narrow->storage.f32[i];
    wide->storage.bytes = numbers;
    return true;
}

static bool begin(TraceExact *exact, const Trace *trace, Error *err)
{
    *exact = (TraceExact){.trace = trace, .wide = *trace};
    exact->arena.folder = trace->arena.folder;
    exact->wide.kernel = NULL;
    exact->wide.steps_done = 0;
    size_t count = (size_t)trace->tensor_count;
    exact->wide.tensors = arena_take(&exact->arena, count, sizeof *trace->tensors, err);
    if (!exact->wide.tensors)
        return false;
    memcpy(exact->wide.tensors, trace->tensors, count * sizeof *trace->tensors);
    for (int i = 0; i < trace->tensor_count; i++)
        if (trace->tensors[i].step >= 0)
            exact->wide.tensors[i].tensor.storage.bytes = NULL;
    return true;
}

static bool take_outputs(TraceExact *exact, const TraceStep *step, StageArgs *args, Error *err)
{
    const StageCall *call = step->call;
    for (int i = 0; i < STAGE_WRITES_MAX && call->writes[i].role; i++) {
        Tensor *out = &args->out[i];
        ptrdiff_t count;
        if ((call->writes[i].is_view && !step->formula) || out->storage.bytes)
            continue;
        bool fits = tensor_count_of(out->rank, out->shape, &count);
        void *storage = fits ? arena_take(&exact->arena, (size_t)count, sizeof(double), err) : NULL;
        if (!storage)
            return false;
        *out = tensor_over(storage, out->dtype, out->rank, out->shape);
    }
    return true;
}

// Runs an edited formula; the stage itself draws random numbers.
static bool run_formula(TraceExact *exact, int number, StageArgs *args, Error *err)
{
    const TraceStep *step = &exact->trace->steps[number];
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++)
        if (trace_is_drawn(&step->call->writes[i]) && !exact_run(step->stage->name, args, err))
            return false;
    return trace_run_formula_exactly(&exact->wide, number, args, err);
}

static bool run_step(TraceExact *exact, int number, Error *err)
{
    const TraceStep *step = &exact->trace->steps[number];
    const char *stage = step->stage->name;
    StageArgs args;
    if (step->stage != stage_find(stage) || exact->trace->variant.run)
        return error_set(err, TELL(EXACT_STAND_IN), stage);
    if (!trace_arguments(&exact->wide, number, &args, err))
        return false;
    exact->options = exact_options(scenario_options(exact->trace->scenario, step->layer));
    args.options = (const void *)&exact->options;
    if (!exact_shapes(stage, &args, err) || !take_outputs(exact, step, &args, err) ||
        !(step->formula ? run_formula(exact, number, &args, err) : exact_run(stage, &args, err)))
        return false;
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++) {
        int hidden =
            trace_hidden_axis(exact->trace, step->call->writes[i].axes, args.out[i].rank - 1);
        exact->wide.tensors[step->writes[i]].tensor =
            hidden >= 0 ? tensor_squeeze(&args.out[i], hidden) : args.out[i];
    }
    return true;
}

bool trace_rounds_once(const Trace *trace, int step)
{
    return trace->steps[step].stage->rounds_once && !trace->steps[step].formula;
}

bool trace_exact_open(TraceExact *exact, const Trace *trace, Error *err)
{
    bool good = begin(exact, trace, err) && check_room(trace, err);
    for (int i = 0; good && i < trace->tensor_count; i++)
        if (trace->tensors[i].step < 0)
            good = widen(&exact->arena, &trace->tensors[i].tensor, &exact->wide.tensors[i].tensor,
                         err);
    if (!good)
        trace_exact_close(exact);
    return good;
}

bool trace_exact_step(TraceExact *exact, Error *err)
{
    return run_step(exact, exact->wide.steps_done, err) && ++exact->wide.steps_done;
}

bool trace_exact_alone(TraceExact *exact, const Trace *trace, int number, Error *err)
{
    const TraceStep *step = &trace->steps[number];
    bool good = begin(exact, trace, err);
    for (int i = 0; good && i < STAGE_READS_MAX && step->call->reads[i].role; i++)
        if (step->reads[i] >= 0)
            good = widen(&exact->arena, &trace->tensors[step->reads[i]].tensor,
                         &exact->wide.tensors[step->reads[i]].tensor, err);
    if (good && run_step(exact, number, err))
        return true;
    trace_exact_close(exact);
    return false;
}

void trace_exact_close(TraceExact *exact)
{
    arena_finish(&exact->arena);
    *exact = (TraceExact){.trace = NULL};
}

// --- comparing

bool trace_exact_has(const TraceExact *exact, int tensor)
{
    if (!exact->trace)
        return false;
    const TraceTensor *wide = &exact->wide.tensors[tensor];
    return wide->step >= 0 && wide->tensor.dtype == DTYPE_F32 && wide->tensor.storage.bytes;
}

double trace_exact_number(const TraceExact *exact, TraceCell cell)
{
    const Tensor *wide = &exact->wide.tensors[cell.tensor].tensor;
    return ((const double *)wide->storage.bytes)[tensor_place(wide, cell.at)];
}

double trace_exact_units(float number, double exact)
{
    if (isnan(number) && isnan(exact))
        return 0.0;
    if (isinf(exact) && (double)number == exact)
        return 0.0;
    if (!isfinite(number) || !isfinite(exact) || fabs(exact) > (double)FLT_MAX)
        return (double)NAN;
    int exponent; // 2^(exponent-1) <= |exact| < 2^exponent; a float32 has 24 bits
    frexp(exact, &exponent);
    bool is_subnormal = exact == 0.0 || exponent < FLT_MIN_EXP;
    return fabs((double)number - exact) /
           ldexp(1.0, is_subnormal ? FLT_MIN_EXP - FLT_MANT_DIG : exponent - FLT_MANT_DIG);
}

ExactError trace_exact_error(const TraceExact *exact, int number)
{
    const Tensor *tensor = &exact->trace->tensors[number].tensor;
    ExactError error = {.count = tensor_count(tensor), .at.tensor = number};
    TraceCell cell = error.at;
    double sum = 0.0;
    for (bool more = error.count > 0; more; more = tensor_next(tensor, cell.at)) {
        float ours = tensor->storage.f32[tensor_place(tensor, cell.at)];
        double truth = trace_exact_number(exact, cell);
        double units = trace_exact_units(ours, truth);
        error.overflow += isnan(units);
        error.nearest += units == 0.0 || ours == (float)truth;
        sum += isnan(units) ? 0.0 : units;
        if (units > error.largest) {
            error.largest = units;
            error.at = cell;
        }
    }
    ptrdiff_t measured = error.count - error.overflow;
    error.mean = measured > 0 ? sum / (double)measured : 0.0;
    return error;
}
