// attnscope print: every stage as text or JSON. `trace` uses it too without a terminal.
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "app.h"
#include "app_words.def"
#include "digest.h"
#include "json.h"
#include "number_text.h"
#include "session.h"
#include "shown_name.h"
#include "tensor_file.h"
#include "trace.h"
#include "trace_program.h"

// --- float64 beside float32

enum { CELLS_MAX = 1000 }; // as many as print(tensor) shows without an ellipsis

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

static void exact_print_tensor(const TraceExact *alone, const TraceExact *since, int tensor,
                               FILE *out)
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

// The distance of each written float tensor from its float64 value, for this step alone and since the inputs (`since`
// has run the same steps). Returns false and sets err on failure.
static bool app_print_exact_step(const TraceExact *since, int step, FILE *out, Error *err)
{
    TraceExact alone;
    if (!trace_exact_alone(&alone, since->trace, step, err))
        return false;
    for (int i = 0; i < STAGE_WRITES_MAX; i++)
        if (since->trace->steps[step].writes[i] >= 0)
            exact_print_tensor(&alone, since, since->trace->steps[step].writes[i], out);
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

// Compares a tensor element by element in float32 and float64.
static bool app_print_exact_tensor(const TraceExact *since, int number, FILE *out, Error *err)
{
    const TraceTensor *tensor = &since->trace->tensors[number];
    TraceExact alone;
    if (!trace_exact_has(since, number)) {
        words_print(out, TELL(EXACT_NONE), tensor->name);
        return true;
    }
    if (!trace_exact_alone(&alone, since->trace, tensor->step, err))
        return false;
    exact_print_tensor(&alone, since, number, out);
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
    json_t *at = json_sizes(exact->trace->tensors[tensor].tensor.rank, error.at.at);
    return json_pack("{s:f, s:f, s:o, s:I, s:I, s:I}", "mean_ulp", error.mean, "largest_ulp",
                     error.largest, "at", at, "nearest", (json_int_t)error.nearest, "count",
                     (json_int_t)error.count, "overflow", (json_int_t)error.overflow);
}

// {"step": {...}, "inputs": {...}}; null for tensors without such numbers. NULL and err on failure.
static json_t *app_exact_json(const TraceExact *since, int tensor, Error *err)
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

// --- a trace as text: formula, shapes, strides and values

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

static void walk_print_step(const Trace *trace, int number, FILE *out)
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

// True if `stage` names this step: "score" any call of the stage, "project q" one; NULL any.
static bool app_means_step(const Trace *trace, int step, const char *stage)
{
    char name[64];
    stage = stage ? trace_own_name(trace, stage) : NULL;
    return !stage || strcmp(stage, trace->steps[step].stage->name) == 0 ||
           strcmp(stage, trace_step_name(trace, step, name)) == 0;
}

// Computes every step, even if only one is printed.
static bool print_steps(Trace *trace, const AppWalk *walk, TraceExact *exact, FILE *out, Error *err)
{
    while (trace->steps_done < trace->step_count) {
        int step = trace->steps_done;
        bool is_shown = !walk->tensor && app_means_step(trace, step, walk->stage);
        if (!trace_step(trace, err) || (walk->exact && !trace_exact_step(exact, err)))
            return false;
        if (is_shown)
            walk_print_step(trace, step, out);
        if (is_shown && walk->exact && !app_print_exact_step(exact, step, out, err))
            return false;
    }
    return true;
}

static bool walk_print_tensor(AppTrace *app, const AppWalk *walk, const TraceExact *exact,
                              FILE *out, Error *err)
{
    int number = trace_find(&app->trace, walk->tensor);
    if (app->scenario.note)
        fprintf(stderr, TELL(NOTE), app->scenario.note);
    print_tensor_line(&app->trace, "    ", number, out);
    if (walk->exact)
        return app_print_exact_tensor(exact, number, out, err);
    print_value(&app->trace, number, out, stderr); // print only the numbers
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
    bool good = (!walk->exact || trace_exact_open(&exact, &app->trace, &err)) &&
                print_steps(&app->trace, walk, &exact, out, &err) &&
                (!walk->tensor || walk_print_tensor(app, walk, &exact, out, &err));
    trace_exact_close(&exact);
    return app_result(good, &err);
}

// --- a scenario as a page of formulas that run: sizes, inputs, a formula per step; the rest are comments

// "(B, Lq, Din) = (2, 6, 12)"
static void formulas_print_tensor(const Trace *trace, int number)
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
            formulas_print_tensor(trace, i);
}

// Definitions are on their own lines.
static void print_formula(const char *text)
{
    for (const char *end; *text; text = end) {
        end = strstr(text, "; ");
        int length = end ? (int)(end - text) : (int)strlen(text);
        printf("%.*s;\n", length, text);
        end = end ? end + strlen("; ") : text + length;
    }
}

static bool formulas_print_step(const Trace *trace, int number, Error *err)
{
    char name[64], settings[STAGE_SETTINGS_MAX], text[FORMULA_TEXT_MAX + 1];
    if (!trace_formula_used(trace, number, text, err))
        return false;
    bool has_settings = trace_settings(trace, number, settings) != NULL;
    printf("\n# %d  %s%s%s\n", number + 1, trace_step_name(trace, number, name),
           has_settings ? ": " : "", has_settings ? settings : "");
    const TraceStep *step = &trace->steps[number];
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++)
        if (!trace_formula_makes(trace, step->writes[i]))
            words_print(stdout, TELL(FORMULAS_NONE), trace->tensors[step->writes[i]].name);
    print_formula(text);
    return true;
}

static json_t *formulas_tensor_json(const Trace *trace, int number)
{
    const Tensor *tensor = &trace->tensors[number].tensor;
    return json_pack("{s:s, s:s, s:o}", "name", trace->tensors[number].name, "axes",
                     trace->tensors[number].axes ? trace->tensors[number].axes : "", "shape",
                     json_sizes(tensor->rank, tensor->shape));
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
            json_array_append_new(given, formulas_tensor_json(trace, i));
    for (int step = 0; step < trace->step_count; step++) {
        char name[64], text[FORMULA_TEXT_MAX + 1];
        if (!app_means_step(trace, step, stage))
            continue;
        if (!trace_formula_used(trace, step, text, err))
            return NULL;
        json_array_append_new(steps, json_pack("{s:s, s:s, s:s}", "step",
                                               trace_step_name(trace, step, name), "stage",
                                               trace->steps[step].stage->name, "formula", text));
    }
    return json_pack("{s:s, s:o, s:o, s:o}", "scenario", trace->scenario->name, "sizes", sizes,
                     "given", given, "steps", steps);
}

static int formulas_print_json(const Trace *trace, const char *stage)
{
    Error err = {.text = ""};
    json_whole_begin();
    json_t *json = page_json(trace, stage, &err);
    bool written = json && json_whole_print(json, JSON_INDENT(1), stdout, &err);
    json_decref(json);
    return app_result(written, &err);
}

void app_print_edits(const Trace *trace)
{
    char name[64], own[FORMULA_TEXT_MAX + 1];
    for (int step = 0; step < trace->step_count; step++)
        if (trace_edited(trace, step))
            printf(TELL(FORMULA_INSTEAD), trace_step_name(trace, step, name),
                   trace_edited(trace, step), trace_formula_whole(trace, step, own));
}

// Prints the page, or one stage of it (NULL: all).
static int app_print_formulas(AppTrace *app, const char *stage, bool json)
{
    Error err = {.text = ""};
    Trace *trace = &app->trace;
    if (!trace_run(trace, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    if (json)
        return formulas_print_json(trace, stage);
    print_head(trace);
    for (int step = 0; step < trace->step_count; step++)
        if (app_means_step(trace, step, stage) && !formulas_print_step(trace, step, &err))
            return app_fail(APP_FAILED, "%s", err.text);
    return APP_DONE;
}

// --- comparing two runs

// Runs both to the end and measures their distance. NULL and err on failure.
static Session *open_runs(AppTrace *app, const char *what)
{
    Error err = {.text = ""};
    if (strlen(what) >= COMMAND_NAME_MAX) {
        app_fail(APP_MISUSED, TELL(COMPARE_LONG), what);
        return NULL;
    }
    Session *session = app_session(&err);
    if (!session || !session_open(session, &app->scenario, &err)) {
        app_fail(APP_FAILED, "%s", err.text);
        return NULL;
    }
    bool good = session_do(session, COMMAND_COMPARE, what, &err) &&
                session_do(session, COMMAND_LAST, "", &err) &&
                session_do(session, COMMAND_COMPARE_AS, "stages", &err);
    if (good && session->run.failed)
        good = error_set(&err, "%s", session->run.failure.text);
    if (good && session->comparison.failed && session->comparison.failure.of_machine)
        good = error_set(&err, "%s", session->comparison.failure.text);
    if (!good) {
        session_close(session);
        app_fail(APP_FAILED, "--compare %s: %s", what, err.text);
    }
    return good ? session : NULL;
}

// The first element that differs; false if none does.
static bool first_difference(const Session *session, TraceCell *cell,
                             char here[NUMBER_FULL_TEXT_MAX], char beside[NUMBER_FULL_TEXT_MAX])
{
    *cell = (TraceCell){.tensor = 0};
    if (!comparison_next_difference(session, true, cell))
        return false;
    number_text(&session->run.trace.tensors[cell->tensor].tensor, cell->at, here);
    number_text(comparison_tensor(session, cell->tensor), cell->at, beside);
    return true;
}

static void print_distance(const ComparisonDistance *distance, FILE *out)
{
    if (!distance->known)
        fputs(TELL(COMPARE_NOT), out);
    else if (distance->differing == 0)
        fputs(TELL(COMPARE_SAME), out);
    else
        fprintf(out, TELL(COMPARE_DIFFER), distance->differing, distance->count,
                number_unsigned_nan(distance->largest), distance->rows > 0 ? "" : "\n");
    if (distance->differing > 0 && distance->rows > 0)
        fprintf(out, TELL(COMPARE_RANKS), distance->reordered, distance->rows);
}

static void print_text(const Session *session, FILE *out)
{
    TraceCell cell;
    char name[64], words[TRACE_CELL_MAX], here[NUMBER_FULL_TEXT_MAX], beside[NUMBER_FULL_TEXT_MAX];
    const Comparison *comparison = &session->comparison;
    fprintf(out, TELL(COMPARE_BESIDE), session->run.trace.scenario->name, comparison->name);
    if (comparison->mistake)
        fprintf(out, "%s\n", comparison->mistake->words[language_now()].title);
    for (int step = 0; step < session->run.trace.step_count; step++) {
        fprintf(out, "%2d  %-20s  ", step + 1, trace_step_name(&session->run.trace, step, name));
        print_distance(&comparison->distances[step], out);
    }
    if (first_difference(session, &cell, here, beside))
        fprintf(out, TELL(COMPARE_FIRST), trace_cell_name(&session->run.trace, cell, words), here,
                beside);
    else
        fputs(TELL(COMPARE_NONE), out);
}

static json_t *distance_json(const Session *session, int step)
{
    char name[64];
    const ComparisonDistance *distance = &session->comparison.distances[step];
    json_t *out = json_pack("{s:s, s:b}", "step", trace_step_name(&session->run.trace, step, name),
                            "comparable", distance->known);
    if (!distance->known)
        return out;
    json_object_set_new(out, "elements", json_integer(distance->count));
    json_object_set_new(out, "differing", json_integer(distance->differing));
    json_object_set_new(out, "largest", json_number(distance->largest));
    if (distance->rows > 0) {
        json_object_set_new(out, "rows", json_integer(distance->rows));
        json_object_set_new(out, "reordered", json_integer(distance->reordered));
    }
    return out;
}

static int compare_print_json(const Session *session, FILE *out)
{
    TraceCell cell;
    char words[TRACE_CELL_MAX], here[NUMBER_FULL_TEXT_MAX], beside[NUMBER_FULL_TEXT_MAX];
    Error err;
    json_whole_begin();
    json_t *steps = json_array();
    for (int step = 0; step < session->run.trace.step_count; step++)
        json_array_append_new(steps, distance_json(session, step));
    json_t *json = json_pack("{s:s, s:s, s:o}", "scenario", session->run.trace.scenario->name,
                             "compare", session->comparison.name, "steps", steps);
    if (first_difference(session, &cell, here, beside))
        json_object_set_new(json, "first",
                            json_pack("{s:s, s:s, s:s}", "element",
                                      trace_cell_name(&session->run.trace, cell, words), "here",
                                      here, "beside", beside));
    bool written = json_whole_print(json, JSON_INDENT(1) | JSON_REAL_PRECISION(9), out, &err);
    json_decref(json);
    return app_result(written, &err);
}

static int app_print_comparison(AppTrace *app, const char *what, bool json, FILE *out)
{
    Session *session = open_runs(app, what);
    if (!session)
        return APP_FAILED;
    int code = APP_DONE;
    if (json)
        code = compare_print_json(session, out);
    else
        print_text(session, out);
    session_close(session);
    return code;
}

// The tensors of both runs, those of the second as beside.NAME; NULL without memory.
static const NamedTensor *name_both(const Session *session, Arena *arena, int *count, Error *err)
{
    const Trace *run = &session->run.trace, *beside = &session->comparison.trace;
    size_t most = (size_t)run->tensor_count + (size_t)beside->tensor_count;
    NamedTensor *tensors = arena_take(arena, most, sizeof *tensors, err);
    for (int i = 0; tensors && i < run->tensor_count; i++)
        tensors[(*count)++] = (NamedTensor){run->tensors[i].name, run->tensors[i].tensor};
    for (int i = 0; tensors && i < beside->tensor_count; i++) {
        const TraceTensor *tensor = &beside->tensors[i];
        if (!tensor->tensor.storage.bytes)
            continue;
        const char *name = arena_format(arena, err, "beside.%s", tensor->name);
        if (!name)
            return NULL;
        tensors[(*count)++] = (NamedTensor){name, tensor->tensor};
    }
    return tensors;
}

int app_export_comparison(AppTrace *app, const char *what, const char *path)
{
    Error err = {.text = ""};
    Arena arena = {0};
    Session *session = open_runs(app, what);
    if (!session)
        return APP_FAILED;
    int count = 0;
    const NamedTensor *tensors = name_both(session, &arena, &count, &err);
    const FileNote *notes = tensors ? app_notes(app, what, &arena, &err) : NULL;
    bool written = notes && tensor_file_write_noted(path, tensors, count, notes, &err);
    arena_finish(&arena);
    session_close(session);
    if (!written)
        return app_fail(APP_FAILED, "%s", err.text);
    printf(TELL(COMPARE_SAVED), count, path);
    return APP_DONE;
}

// --- mistakes

bool app_takes_mistake(const AppOptions *options)
{
    const char *names[APP_MISTAKES_MAX + 1] = {NULL}, *name = options->mistake;
    if (name && (options->compare || options->mine))
        return app_refuse(TELL(MISTAKE_ALONE));
    if (!name || mistake_find(name))
        return true;
    for (int i = 0; i < APP_MISTAKES_MAX && mistake_get(i); i++)
        names[i] = mistake_get(i)->name;
    const char *meant = nearest_word(name, names);
    return meant ? app_refuse(TELL(NO_MISTAKE_MEANT), name, meant)
                 : app_refuse(TELL(NO_MISTAKE), name);
}

// Explains the mistake of --mistake: what it is, how it shows, how to fix it, and why it may not show here.
static void app_print_mistake(const AppOptions *options, const Scenario *scenario, FILE *out)
{
    const Mistake *mistake = mistake_find(options->mistake);
    const MistakeWords *words = &mistake->words[language_now()];
    const Words *why = mistake_cannot_show(mistake, scenario);
    fprintf(out, "%s: %s\n  %s\n  %s\n  %s: %s\n", TELL(MISTAKE_IS), mistake->name, words->title,
            words->shows, TELL(MISTAKE_TO_MEND), words->mend);
    if (why)
        fprintf(out, "  %s: %s\n", TELL(MISTAKE_NOT_HERE), words_tell(*why));
    fputc('\n', out);
}

// --- the command

static json_t *number_json(const Tensor *tensor, const ptrdiff_t at[])
{
    ptrdiff_t place = tensor_place(tensor, at);
    if (tensor->dtype == DTYPE_I64)
        return json_integer(tensor->storage.i64[place]);
    if (tensor->dtype == DTYPE_BOOL)
        return json_boolean(tensor->storage.boolean[place]);
    return json_number((double)tensor->storage.f32[place]);
}

static json_t *data_json(const Tensor *tensor, int axis, ptrdiff_t at[])
{
    if (axis == tensor->rank)
        return number_json(tensor, at);
    json_t *list = json_array();
    for (at[axis] = 0; at[axis] < tensor->shape[axis]; at[axis]++)
        json_array_append_new(list, data_json(tensor, axis + 1, at));
    return list;
}

static json_t *trace_tensor_json(const Trace *trace, int number, bool with_data)
{
    const TraceTensor *tensor = &trace->tensors[number];
    char axis_name[16], digest[DIGEST_TEXT_MAX];
    json_t *axes = json_array();
    for (int axis = 0; trace_axis(trace, number, axis, axis_name); axis++)
        json_array_append_new(axes, json_string(axis_name));
    json_t *out =
        json_pack("{s:s, s:o, s:o, s:o, s:I, s:b, s:s, s:s}", "name", tensor->name, "axes", axes,
                  "shape", json_sizes(tensor->tensor.rank, tensor->tensor.shape), "stride",
                  json_sizes(tensor->tensor.rank, tensor->tensor.stride), "offset",
                  (json_int_t)tensor->tensor.offset, "contiguous",
                  tensor_is_contiguous(&tensor->tensor), "dtype", dtype_name(tensor->tensor.dtype),
                  "sha256", tensor_digest(&tensor->tensor, digest));
    if (tensor->from)
        json_object_set_new(out, "from", json_string(tensor->from));
    if (tensor->remark)
        json_object_set_new(out, "note", json_string(tensor->remark));
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    if (with_data)
        json_object_set_new(out, "data", data_json(&tensor->tensor, 0, at));
    return out;
}

static json_t *names_json(const Trace *trace, int count, const int tensors[])
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        if (tensors[i] >= 0)
            json_array_append_new(list, json_string(trace->tensors[tensors[i]].name));
    return list;
}

static json_t *step_json(const Trace *trace, int number)
{
    const TraceStep *step = &trace->steps[number];
    char name[64], formula[TRACE_FORMULA_MAX], torch[TRACE_FORMULA_MAX];
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "step",
                     trace_step_name(trace, number, name), "stage", step->stage->name, "formula",
                     trace_formula(trace, number, formula), "torch",
                     trace_torch(trace, number, torch), "source", step->stage->source, "in",
                     names_json(trace, STAGE_READS_MAX, step->reads), "out",
                     names_json(trace, STAGE_WRITES_MAX, step->writes));
}

static bool step_touches(const TraceStep *step, int tensor)
{
    bool touches = false;
    for (int i = 0; i < STAGE_READS_MAX; i++)
        touches = touches || step->reads[i] == tensor;
    for (int i = 0; i < STAGE_WRITES_MAX; i++)
        touches = touches || step->writes[i] == tensor;
    return touches;
}

static json_t *walk_json(const AppTrace *app, const AppOptions *options, int tensor)
{
    const Trace *trace = &app->trace;
    json_t *steps = json_array(), *tensors = json_array();
    bool wanted[TRACE_TENSORS_MAX] = {false};
    for (int step = 0; step < trace->step_count; step++) {
        if (!app_means_step(trace, step, options->stage))
            continue;
        json_array_append_new(steps, step_json(trace, step));
        for (int i = 0; i < trace->tensor_count; i++)
            wanted[i] = wanted[i] || !options->stage || step_touches(&trace->steps[step], i);
    }
    for (int i = 0; i < trace->tensor_count; i++)
        if (tensor >= 0 ? i == tensor : wanted[i])
            json_array_append_new(tensors, trace_tensor_json(trace, i, i == tensor));
    const Scenario *scenario = &app->scenario;
    return json_pack("{s:s, s:s*, s:s*, s:s*, s:s*, s:o, s:o}", "scenario", scenario->name,
                     "document", scenario->document, "about", scenario->about, "note",
                     scenario->note, "mistake", options->mistake, "steps", steps, "tensors",
                     tensors);
}

// Replaces each tensor by its distance from float64.
static bool add_exact(const Trace *trace, json_t *json, Error *err)
{
    TraceExact exact;
    bool good = trace_exact_open(&exact, trace, err);
    while (good && exact.wide.steps_done < trace->step_count)
        good = trace_exact_step(&exact, err);
    size_t number;
    json_t *tensor;
    json_array_foreach(json_object_get(json, "tensors"), number, tensor)
    {
        const char *name = json_string_value(json_object_get(tensor, "name"));
        json_t *error = good && name ? app_exact_json(&exact, trace_find(trace, name), err) : NULL;
        good = good && (!name || error);
        json_object_set_new(tensor, "exact", error);
    }
    trace_exact_close(&exact);
    return good;
}

static int print_trace_json(AppTrace *app, const AppOptions *options, int tensor)
{
    Error err = {.text = ""};
    if (!trace_run(&app->trace, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    json_whole_begin();
    json_t *json = walk_json(app, options, tensor);
    if (options->exact && !add_exact(&app->trace, json, &err)) {
        json_decref(json);
        return app_fail(APP_FAILED, "%s", err.text);
    }
    // 9 significant digits restore every float32.
    bool written = json_whole_print(json, JSON_INDENT(1) | JSON_REAL_PRECISION(9), stdout, &err);
    json_decref(json);
    return app_result(written, &err);
}

static bool knows_stage(const Trace *trace, const char *stage)
{
    const char *names[2 * TRACE_STEPS_MAX + 1] = {NULL};
    Arena arena = {0};
    Error err;
    char text[64];
    for (int step = 0, count = 0; step < trace->step_count; step++) {
        if (app_means_step(trace, step, stage)) {
            arena_finish(&arena);
            return true;
        }
        const char *name = arena_text(&arena, trace_step_name(trace, step, text), &err);
        names[count++] = trace->steps[step].stage->name;
        if (name)
            names[count++] = name;
    }
    const char *meant = nearest_word(stage, names);
    app_refuse(TELL(NO_STAGE), trace->scenario->name, stage, meant ? TELL(DID_YOU_MEAN) : "",
               meant ? meant : "", meant ? TELL(MEANT_END) : "");
    arena_finish(&arena);
    return false;
}

static bool knows_tensor(const Trace *trace, const char *tensor)
{
    if (trace_find(trace, tensor) >= 0)
        return true;
    const char *names[TRACE_TENSORS_MAX + 1] = {NULL};
    for (int i = 0; i < trace->tensor_count; i++)
        names[i] = trace->tensors[i].name;
    const char *meant = nearest_name(tensor, names);
    return app_refuse(TELL(NO_TENSOR), trace->scenario->name, tensor,
                      meant ? TELL(DID_YOU_MEAN) : "", meant ? meant : "",
                      meant ? TELL(MEANT_END) : "");
}

static int print_walk(AppTrace *app, const AppOptions *options, bool json)
{
    if (json)
        return print_trace_json(app, options,
                                options->tensor ? trace_find(&app->trace, options->tensor) : -1);
    Error err = {.text = ""};
    if (app->scenario.formula_count > 0) { // refused before anything is printed
        if (!trace_run(&app->trace, &err))
            return app_fail(APP_FAILED, "%s", err.text);
        trace_rewind(&app->trace);
        app_print_edits(&app->trace);
    }
    if (options->mistake)
        app_print_mistake(options, &app->scenario, stdout);
    return app_print_walk(app, &(AppWalk){options->stage, options->tensor, options->exact}, stdout);
}

// Reports options of which one would be ignored, and returns false.
static bool options_fit(const AppOptions *options, bool json)
{
    int ways = (options->compare != NULL) + options->answer + options->formulas +
               (options->tensor != NULL);
    bool is_whole = options->compare || options->answer || options->tensor;
    if (options->exact && (options->mistake || options->mine || options->compare))
        return app_refuse(TELL(EXACT_ALONE_ONLY));
    if (ways > 1)
        return app_refuse(TELL(PRINT_ONE_WAY));
    if (options->exact && (options->answer || options->formulas))
        return app_refuse(TELL(PRINT_EXACT_ALONE));
    if (options->stage && is_whole)
        return app_refuse(TELL(PRINT_STAGE_ALONE));
    return !options->stage || !json || options->formulas || app_refuse(TELL(PRINT_STAGE_TEXT));
}

static int run(AppOptions *options)
{
    bool json = options->format && strcmp(options->format, "json") == 0;
    if (options->format && !json && strcmp(options->format, "text") != 0)
        return app_fail(APP_MISUSED, TELL(FORMAT_TEXT_JSON), options->format);

    if (!app_needs_one(options) || !app_takes_mistake(options) || !options_fit(options, json))
        return APP_MISUSED;

    static AppTrace app; // too large for the stack
    if (!app_open(&app, options))
        return APP_FAILED;
    int code = APP_MISUSED;
    if (options->compare)
        code = app_print_comparison(&app, options->compare, json, stdout);
    else if (options->answer)
        code = app_print_answer(&app, json);
    else if (options->stage && !knows_stage(&app.trace, options->stage))
        code = APP_MISUSED;
    else if (options->formulas)
        code = app_print_formulas(&app, options->stage, json);
    else if (!options->tensor || knows_tensor(&app.trace, options->tensor))
        code = print_walk(&app, options, json);
    app_close(&app);
    return code;
}

const AppCommand command_print = {
    .name = "print",
    .arguments = "SCENARIO|FILE.yaml [--stage S] [--tensor T] [--backward] [--exact] [--formulas] "
                 "[--answer] "
                 "[--format text|json]",
    .is_first = true,
    .summary = WORDS("Print every stage as text or JSON", "모든 단계를 텍스트나 JSON으로"),
    .details = WORDS(
        "  --stage S      only this stage: score, or \"project q\" for one of its calls\n"
        "  --tensor T     only this tensor, formatted like PyTorch's print(tensor)\n"
        "  --format json  names, axes, shapes, strides, sha256; with --tensor, also its data\n"
        "  --mine DIR     use your functions from workspace DIR as stages\n"
        "  --backward     add the backward pass: a loss and the gradient of every tensor\n"
        "  --exact        compare float32 with float64: the rounding error of each step and\n"
        "                 of all steps, in ulps; with --tensor T, for each number\n"
        "  --formula F    compute one step by another formula, and rerun the steps after it:\n"
        "                 --formula 'scores_scaled[b,h,i,j] = scores[b,h,i,j] / d_k'; repeatable\n"
        "  --formulas     print every step as a formula that runs; see attnscope help formula\n"
        "  --answer       who made the answer: each head's share of its logit, the logits at each\n"
        "                 point of the residual stream, what is lost without a head, what heads\n"
        "                 read from each other; patch one with --set patch.0.0=zero, mean, or\n"
        "                 '\"another text\"', at token 3 with patch.0.0.3=zero; also as JSON\n"
        "  --compare WHAT print the difference from a second run at each step: an option\n"
        "                 (attention.scale=none), \"mistake NAME\", \"formula F\", or a scenario\n"
        "  --mistake M    explain a known mistake and run with it; see list mistakes\n"
        "  --lang en|ko   the language of the explanation [the locale's]\n"
        "  --text \"...\"   your own sentence instead of the scenario's input\n"
        "  --pair \"...\"   a second sentence, if the scenario uses a model's tokenizer\n"
        "  --set KEY=VALUE  change any field: --set attention.scale=sqrt_d_model\n"
        "  --spill FOLDER   keep large tensors in files there, for runs larger than memory\n",
        "  --stage S      이 단계만: score, 또는 그 호출 하나면 \"project q\"\n"
        "  --tensor T     이 텐서만, PyTorch의 print(tensor)처럼\n"
        "  --format json  이름, 축, 모양, 스트라이드, sha256. 지정한 텐서는 데이터도\n"
        "  --mine DIR     그 작업 폴더의 내 함수를 단계로 실행합니다\n"
        "  --backward     역전파도: 손실과 모든 텐서의 기울기\n"
        "  --exact        float32 옆에 float64: 단계 하나와 전체의 반올림 오차를 마지막 자리\n"
        "                 단위(ulp)로. --tensor T가 있으면 숫자마다\n"
        "  --formula F    단계 하나를 다른 수식으로, 그 뒤는 모두 다시 계산합니다. 여러 번 가능:\n"
        "                 --formula 'scores_scaled[b,h,i,j] = scores[b,h,i,j] / d_k'\n"
        "  --formulas     모든 단계를 실행되는 수식으로, 한 쪽에. 수식을 쓰는 법은 help formula\n"
        "  --answer       답이 누구의 것인지: 로짓에서 헤드마다의 몫, 잔차 스트림의 자리마다의\n"
        "                 로짓, 헤드가 없으면 잃는 것, 헤드끼리 읽는 정도. --set patch.0.0=zero,\n"
        "                 mean, '\"다른 글\"'로 헤드 하나를, patch.0.0.3=zero로 토큰 3에서만 바꿔\n"
        "                 넣습니다. JSON으로도 나옵니다\n"
        "  --compare WHAT 다른 방법이 단계마다 얼마나 다른지: 옵션(attention.scale=none),\n"
        "                 \"mistake NAME\", \"formula F\", 시나리오\n"
        "  --mistake M    알려진 실수로 실행하고 먼저 설명합니다. attnscope list mistakes\n"
        "  --lang en|ko   언어 [로캘의 언어]\n"
        "  --text \"...\"   시나리오의 입력 대신 내 문장\n"
        "  --pair \"...\"   모델의 토크나이저로 나눌 때 그 뒤에 올 두 번째 문장\n"
        "  --set KEY=VALUE  아무 항목이나 바꿉니다: --set attention.scale=sqrt_d_model\n"
        "  --spill FOLDER   메모리보다 큰 실행에서 큰 텐서를 그 폴더의 파일에 둡니다\n"),
    .options = "set backward text pair stage tensor format exact formula formulas answer compare "
               "mistake lang "
               "mine",
    .names = APP_NAMES_SCENARIO | APP_NAMES_FILE,
    .formats = "text json",
    .run = run,
};
