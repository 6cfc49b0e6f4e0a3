// app_walk: every stage of a trace as text: formula, shapes, strides and values.
#include "app.h"
#include "app_exact.h"

#include <string.h>
#include "tensor_print.h"
#include "app_words.h"

static void print_tensor_line(const Trace *trace, const char *mark, int number, FILE *out)
{
    const TraceTensor *tensor = &trace->tensors[number];
    char axes[TRACE_AXES_TEXT_MAX], shape[TENSOR_TEXT_MAX], stride[TENSOR_TEXT_MAX];
    fprintf(out, TELL(WALK_TENSOR), mark, tensor->name, trace_axes_text(trace, number, axes),
            tensor_shape_text(tensor->tensor.rank, tensor->tensor.shape, shape),
            tensor_shape_text(tensor->tensor.rank, tensor->tensor.stride, stride),
            tensor->tensor.offset,
            tensor_is_contiguous(&tensor->tensor) ? TELL(IS_CONTIGUOUS) : TELL(NOT_CONTIGUOUS),
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
            print_tensor_line(trace, TELL(WALK_IN), step->reads[i], out);
    for (int i = 0; i < STAGE_WRITES_MAX; i++)
        if (step->writes[i] >= 0)
            print_tensor_line(trace, TELL(WALK_OUT), step->writes[i], out);
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
            print_tensor_line(trace, TELL(WALK_IN), i, out);
}

bool app_means_step(const Trace *trace, int step, const char *stage)
{
    char name[64];
    return !stage || strcmp(stage, trace->steps[step].stage->name) == 0 ||
           strcmp(stage, trace_step_name(trace, step, name)) == 0;
}

static bool begin_exact(const AppWalk *walk, const Trace *trace, TraceExact *exact, Error *err)
{
    return !walk->exact || trace_exact_open(exact, trace, err);
}

// Every step is computed, also where only one is shown.
static bool print_steps(Trace *trace, const AppWalk *walk, TraceExact *exact, FILE *out, Error *err)
{
    while (trace->steps_done < trace->step_count) {
        int step = trace->steps_done;
        bool is_shown = !walk->tensor && app_means_step(trace, step, walk->stage);
        if (!trace_step(trace, err) || (walk->exact && !trace_exact_step(exact, err)))
            return false;
        if (is_shown)
            print_step(trace, step, out);
        if (is_shown && walk->exact && !app_print_exact_step(exact, step, out, err))
            return false;
    }
    return true;
}

static bool print_tensor(AppTrace *app, const AppWalk *walk, const TraceExact *exact, FILE *out,
                         Error *err)
{
    int number = trace_find(&app->trace, walk->tensor);
    if (app->scenario.note)
        fprintf(stderr, TELL(NOTE), app->scenario.note);
    print_tensor_line(&app->trace, "    ", number, out);
    if (walk->exact)
        return app_print_exact_tensor(exact, number, out, err);
    print_value(&app->trace, number, out, stderr); // the numbers alone are what was asked for
    return true;
}

int app_print_walk(AppTrace *app, const AppWalk *walk, FILE *out)
{
    Error err = {.text = ""};
    TraceExact exact = {.trace = NULL};
    if (!walk->stage && !walk->tensor) {
        print_heading(&app->scenario, out);
        print_inputs(&app->trace, out);
    } else if (walk->stage && app->scenario.note) {
        fprintf(stderr, TELL(NOTE), app->scenario.note);
    }
    bool good = begin_exact(walk, &app->trace, &exact, &err) &&
                print_steps(&app->trace, walk, &exact, out, &err) &&
                (!walk->tensor || print_tensor(app, walk, &exact, out, &err));
    trace_exact_close(&exact);
    return good ? APP_DONE : app_fail(APP_FAILED, "%s", err.text);
}
