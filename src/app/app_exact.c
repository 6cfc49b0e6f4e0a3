// app_exact: float64 beside float32, as text and JSON; see app_exact.h.
#include "app_exact.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include "number_text.h"
#include "app_words.h"

enum { CELLS_MAX = 1000 }; // as many numbers as print(tensor) shows without leaving any out

static void print_error(const char *what, const TraceExact *exact, const ExactError *error,
                        FILE *out)
{
    char cell[TRACE_CELL_MAX];
    const Tensor *tensor = &exact->trace->tensors[error->at.tensor].tensor;
    words_print(out, TELL(EXACT_ERROR), what, number_unsigned_nan(error->mean),
                number_unsigned_nan(error->largest), error->nearest, error->count);
    if (error->largest > 0.0)
        words_print(out, TELL(EXACT_WORST), trace_cell_name(exact->trace, error->at, cell),
                    number_unsigned_nan(tensor_number(tensor, error->at.at)),
                    number_unsigned_nan(trace_exact_number(exact, error->at)));
    if (error->overflow > 0)
        words_print(out, TELL(EXACT_OVERFLOW), error->overflow);
}

static void print_tensor(const TraceExact *alone, const TraceExact *since, int tensor, FILE *out)
{
    const Trace *trace = since->trace;
    if (!trace_exact_has(alone, tensor) || !trace_exact_has(since, tensor))
        return;
    ExactError one = trace_exact_error(alone, tensor), all = trace_exact_error(since, tensor);
    words_print(out, TELL(EXACT_TENSOR), trace->tensors[tensor].name);
    print_error(TELL(EXACT_ALONE), alone, &one, out);
    print_error(TELL(EXACT_SINCE), since, &all, out);
    fputs(trace_rounds_once(trace, trace->tensors[tensor].step) ? TELL(EXACT_TORCH_SAME)
                                                                : TELL(EXACT_TORCH_UNKNOWN),
          out);
}

bool app_print_exact_step(const TraceExact *since, int step, FILE *out, Error *err)
{
    TraceExact alone;
    if (!trace_exact_alone(&alone, since->trace, step, err))
        return false;
    for (int i = 0; i < STAGE_WRITES_MAX; i++)
        if (since->trace->steps[step].writes[i] >= 0)
            print_tensor(&alone, since, since->trace->steps[step].writes[i], out);
    trace_exact_close(&alone);
    return true;
}

static void print_cell(const TraceExact *alone, const TraceExact *since, TraceCell cell, FILE *out)
{
    char name[TRACE_CELL_MAX];
    const Tensor *tensor = &since->trace->tensors[cell.tensor].tensor;
    float number = tensor->storage.f32[tensor_place(tensor, cell.at)];
    double one = trace_exact_number(alone, cell), all = trace_exact_number(since, cell);
    trace_cell_name(since->trace, cell, name);
    fprintf(out, "  %-16s %16.9g  %24.17g  %9.3g  %24.17g  %9.3g\n", strchr(name, '['),
            number_unsigned_nan((double)number), number_unsigned_nan(one),
            number_unsigned_nan(trace_exact_units(number, one)), number_unsigned_nan(all),
            number_unsigned_nan(trace_exact_units(number, all)));
}

bool app_print_exact_tensor(const TraceExact *since, int number, FILE *out, Error *err)
{
    const TraceTensor *tensor = &since->trace->tensors[number];
    TraceExact alone;
    if (!trace_exact_has(since, number)) {
        words_print(out, TELL(EXACT_NONE), tensor->name);
        return true;
    }
    if (!trace_exact_alone(&alone, since->trace, tensor->step, err))
        return false;
    print_tensor(&alone, since, number, out);
    fputs(TELL(EXACT_CELLS), out);
    TraceCell cell = {.tensor = number};
    ptrdiff_t count = tensor_count(&tensor->tensor), shown = 0;
    for (bool more = count > 0; more && shown < CELLS_MAX;
         more = tensor_next(&tensor->tensor, cell.at), shown++)
        print_cell(&alone, since, cell, out);
    if (shown < count)
        words_print(out, TELL(EXACT_MORE), count - shown);
    trace_exact_close(&alone);
    return true;
}

static json_t *error_json(const TraceExact *exact, int tensor)
{
    ExactError error = trace_exact_error(exact, tensor);
    json_t *at = json_array();
    for (int axis = 0; axis < exact->trace->tensors[tensor].tensor.rank; axis++)
        json_array_append_new(at, json_integer(error.at.at[axis]));
    return json_pack("{s:f, s:f, s:o, s:I, s:I, s:I}", "mean_ulp", error.mean, "largest_ulp",
                     error.largest, "at", at, "nearest", (json_int_t)error.nearest, "count",
                     (json_int_t)error.count, "overflow", (json_int_t)error.overflow);
}

json_t *app_exact_json(const TraceExact *since, int tensor, Error *err)
{
    TraceExact alone;
    if (!trace_exact_has(since, tensor))
        return json_null();
    int step = since->trace->tensors[tensor].step;
    if (!trace_exact_alone(&alone, since->trace, step, err))
        return NULL;
    json_t *out =
        json_pack("{s:o, s:o, s:b}", "step", error_json(&alone, tensor), "inputs",
                  error_json(since, tensor), "torch_same", trace_rounds_once(since->trace, step));
    trace_exact_close(&alone);
    if (!out)
        error_machine(err, "%s", error_reason(ENOMEM));
    return out;
}
