// app_walk: every stage of a trace as text: formula, shapes, strides and values.
#include "app.h"

#include <string.h>
#include "tensor_print.h"
#include "app_words.h"

static void print_tensor_line(const Trace *trace, const char *mark, int number, FILE *out)
{
    const TraceTensor *tensor = &trace->tensors[number];
    char axes[TRACE_AXES_TEXT_MAX], shape[TENSOR_TEXT_MAX], stride[TENSOR_TEXT_MAX];
    fprintf(out, "  %-4s %-20s %s = %s  stride %s  offset %td  %s  %s", mark, tensor->name,
            trace_axes_text(trace, number, axes),
            tensor_shape_text(tensor->tensor.rank, tensor->tensor.shape, shape),
            tensor_shape_text(tensor->tensor.rank, tensor->tensor.stride, stride),
            tensor->tensor.offset,
            tensor_is_contiguous(&tensor->tensor) ? "contiguous" : TELL(NOT_CONTIGUOUS),
            dtype_name(tensor->tensor.dtype));
    if (tensor->from)
        fprintf(out, "  (%s)", tensor->from);
    fputc('\n', out);
}

static void print_value(const Trace *trace, int number, FILE *out, FILE *notes)
{
    fprintf(out, "\n%s =\n", trace->tensors[number].name);
    tensor_print(&trace->tensors[number].tensor, out);
    fputc('\n', out);
    if (trace_remark(trace, number))
        fprintf(notes, TELL(NOTE), trace_remark(trace, number));
}

static void print_step(const Trace *trace, int number, FILE *out)
{
    char name[64], formula[TRACE_FORMULA_MAX], torch[TRACE_FORMULA_MAX],
        settings[STAGE_SETTINGS_MAX];
    const TraceStep *step = &trace->steps[number];
    fprintf(out, "\n--- %d/%d  %s\n", number + 1, trace->step_count,
            trace_step_name(trace, number, name));
    fprintf(out, TELL(WALK_STEP), trace_formula(trace, number, formula),
            trace_torch(trace, number, torch), step->stage->source);
    if (trace_settings(trace, number, settings))
        fprintf(out, "  %s\n", settings);
    for (int i = 0; i < STAGE_READS_MAX; i++)
        if (step->reads[i] >= 0)
            print_tensor_line(trace, "in", step->reads[i], out);
    for (int i = 0; i < STAGE_WRITES_MAX; i++)
        if (step->writes[i] >= 0)
            print_tensor_line(trace, "out", step->writes[i], out);
    for (int i = 0; i < STAGE_WRITES_MAX; i++)
        if (step->writes[i] >= 0)
            print_value(trace, step->writes[i], out, out);
}

static void print_heading(const Scenario *scenario, FILE *out)
{
    fprintf(out, "%s", scenario->name);
    if (scenario->document)
        fprintf(out, TELL(WALK_DOCUMENT), scenario->document);
    fprintf(out, "\n%s\n", scenario->about ? scenario->about : "");
    if (scenario->note)
        fprintf(out, TELL(NOTE), scenario->note);
}

static void print_inputs(const Trace *trace, FILE *out)
{
    fputs(TELL(WALK_INPUTS), out);
    for (int i = 0; i < trace->tensor_count; i++)
        if (trace->tensors[i].step < 0)
            print_tensor_line(trace, "in", i, out);
}

bool app_means_step(const Trace *trace, int step, const char *stage)
{
    char name[64];
    return !stage || strcmp(stage, trace->steps[step].stage->name) == 0 ||
           strcmp(stage, trace_step_name(trace, step, name)) == 0;
}

int app_print_walk(AppTrace *app, const char *stage, const char *tensor, FILE *out)
{
    Error err = {.text = ""};
    Trace *trace = &app->trace;
    bool whole = !stage && !tensor;
    if (whole) {
        print_heading(&app->scenario, out);
        print_inputs(trace, out);
    }
    while (trace->steps_done < trace->step_count) {
        int step = trace->steps_done;
        if (!trace_step(trace, &err))
            return app_fail(APP_FAILED, "%s", err.text);
        if (!tensor && app_means_step(trace, step, stage))
            print_step(trace, step, out);
    }
    if (tensor) {
        int number = trace_find(trace, tensor);
        print_tensor_line(trace, "", number, out);
        print_value(trace, number, out, stderr); // the numbers alone are what was asked for
    }
    return APP_DONE;
}
