// app_compare: two runs without a terminal: how far apart they are at each step, and the first number
// that differs.
#include "app.h"

#include <math.h>
#include <string.h>
#include "json_whole.h"
#include "number_text.h"
#include "session.h"
#include "tensor_file.h"
#include "app_words.h"

// Takes both runs to their ends and measures them. NULL after a sentence.
static Session *open_runs(AppTrace *app, const char *what)
{
    Error err = {.text = ""};
    Command compare = {.kind = COMMAND_COMPARE}, last = {.kind = COMMAND_LAST};
    Command stages = {.kind = COMMAND_COMPARE_AS, .name = "stages"};
    if (strlen(what) >= sizeof compare.name) {
        app_fail(APP_MISUSED, TELL(COMPARE_LONG), what);
        return NULL;
    }
    strcpy(compare.name, what);
    Session *session = app_session(&err);
    if (!session || !session_open(session, &app->scenario, &err)) {
        app_fail(APP_FAILED, "%s", err.text);
        return NULL;
    }
    bool good = session_apply(session, &compare, &err) && session_apply(session, &last, &err) &&
                session_apply(session, &stages, &err);
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

// The first element that differs; false when none does.
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
    json_object_set_new(out, "largest",
                        isfinite(distance->largest) ? json_real(distance->largest)
                        : isnan(distance->largest)  ? json_string("NaN")
                                                    : json_string("Infinity"));
    if (distance->rows > 0) {
        json_object_set_new(out, "rows", json_integer(distance->rows));
        json_object_set_new(out, "reordered", json_integer(distance->reordered));
    }
    return out;
}

static int print_json(const Session *session, FILE *out)
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
    return written ? APP_DONE : app_fail(APP_FAILED, "%s", err.text);
}

int app_print_comparison(AppTrace *app, const char *what, bool json, FILE *out)
{
    Session *session = open_runs(app, what);
    if (!session)
        return APP_FAILED;
    int code = APP_DONE;
    if (json)
        code = print_json(session, out);
    else
        print_text(session, out);
    session_close(session);
    return code;
}

// The tensors of the run, and those beside it, which are called beside.NAME; NULL without memory.
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
