// app_formulas: a scenario as a page of formulas that runs: sizes, what is given, then a formula for each
// step. Everything but the formulas is a remark.
#include "app.h"

#include <string.h>
#include "json_whole.h"
#include "trace_program.h"
#include "app_words.h"

// "(B, Lq, Din) = (2, 6, 12)"
static void print_tensor(const Trace *trace, int number)
{
    char axes[TRACE_AXES_TEXT_MAX], shape[TENSOR_TEXT_MAX];
    const TraceTensor *tensor = &trace->tensors[number];
    printf("#   %s %s = %s\n", tensor->name, trace_axes_text(trace, number, axes),
           tensor_shape_text(tensor->tensor.rank, tensor->tensor.shape, shape));
}

static void print_head(const Trace *trace)
{
    const Scenario *scenario = trace->scenario;
    printf("# %s\n# %s", scenario->name, TELL(FORMULAS_SIZES));
    for (Symbol symbol = 0; symbol < SYMBOL_COUNT; symbol++)
        if (scenario->size[symbol] > 0)
            printf("  %s = %td", symbol_names[symbol], scenario->size[symbol]);
    printf("\n# %s\n", TELL(FORMULAS_GIVEN));
    for (int i = 0; i < trace->tensor_count; i++)
        if (trace->tensors[i].step < 0)
            print_tensor(trace, i);
}

// Definitions stand in lines of their own.
static void print_formula(const char *text)
{
    for (const char *end; *text; text = end) {
        end = strstr(text, "; ");
        int length = end ? (int)(end - text) : (int)strlen(text);
        printf("%.*s;\n", length, text);
        end = end ? end + strlen("; ") : text + length;
    }
}

static bool print_step(const Trace *trace, int number, Error *err)
{
    char name[64], settings[STAGE_SETTINGS_MAX], text[FORMULA_TEXT_MAX + 1];
    if (!trace_formula_named(trace, number, text, err))
        return false;
    bool has_settings = trace_settings(trace, number, settings) != NULL;
    printf("\n# %d  %s%s%s\n", number + 1, trace_step_name(trace, number, name),
           has_settings ? ": " : "", has_settings ? settings : "");
    const TraceStep *step = &trace->steps[number];
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++)
        if (!trace_formula_makes(trace, step->writes[i]))
            printf(TELL(FORMULAS_NONE), trace->tensors[step->writes[i]].name);
    print_formula(text);
    return true;
}

static json_t *tensor_json(const Trace *trace, int number)
{
    const Tensor *tensor = &trace->tensors[number].tensor;
    json_t *shape = json_array();
    for (int axis = 0; axis < tensor->rank; axis++)
        json_array_append_new(shape, json_integer(tensor->shape[axis]));
    return json_pack("{s:s, s:s, s:o}", "name", trace->tensors[number].name, "axes",
                     trace->tensors[number].axes ? trace->tensors[number].axes : "", "shape",
                     shape);
}

static json_t *page_json(const Trace *trace, const char *stage, Error *err)
{
    json_t *sizes = json_object(), *given = json_array(), *steps = json_array();
    for (Symbol symbol = 0; symbol < SYMBOL_COUNT; symbol++)
        if (trace->scenario->size[symbol] > 0)
            json_object_set_new(sizes, symbol_names[symbol],
                                json_integer(trace->scenario->size[symbol]));
    for (int i = 0; i < trace->tensor_count; i++)
        if (trace->tensors[i].step < 0)
            json_array_append_new(given, tensor_json(trace, i));
    for (int step = 0; step < trace->step_count; step++) {
        char name[64], text[FORMULA_TEXT_MAX + 1];
        if (!app_means_step(trace, step, stage))
            continue;
        if (!trace_formula_named(trace, step, text, err))
            return NULL;
        json_array_append_new(steps, json_pack("{s:s, s:s, s:s}", "step",
                                               trace_step_name(trace, step, name), "stage",
                                               trace->steps[step].stage->name, "formula", text));
    }
    return json_pack("{s:s, s:o, s:o, s:o}", "scenario", trace->scenario->name, "sizes", sizes,
                     "given", given, "steps", steps);
}

static int print_json(const Trace *trace, const char *stage)
{
    Error err = {.text = ""};
    json_whole_begin();
    json_t *json = page_json(trace, stage, &err);
    bool written = json && json_whole_print(json, JSON_INDENT(1), stdout, &err);
    json_decref(json);
    return written ? APP_DONE : app_fail(APP_FAILED, "%s", err.text);
}

void app_print_edits(const Trace *trace)
{
    char name[64], own[FORMULA_TEXT_MAX + 1];
    for (int step = 0; step < trace->step_count; step++)
        if (trace_edited(trace, step))
            printf(TELL(FORMULA_INSTEAD), trace_step_name(trace, step, name),
                   trace_edited(trace, step), trace_formula_whole(trace, step, own));
}

int app_print_formulas(AppTrace *app, const char *stage, bool json)
{
    Error err = {.text = ""};
    Trace *trace = &app->trace;
    if (!trace_run(trace, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    if (json)
        return print_json(trace, stage);
    print_head(trace);
    for (int step = 0; step < trace->step_count; step++)
        if (app_means_step(trace, step, stage) && !print_step(trace, step, &err))
            return app_fail(APP_FAILED, "%s", err.text);
    return APP_DONE;
}
