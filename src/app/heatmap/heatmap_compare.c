// heatmap_compare: a run beside another one, and a picture for each mistake of the bank; see heatmap.h.
#include "heatmap.h"

#include <errno.h>
#include <string.h>
#include "figure_data.h"
#include "session.h"
#include "app_words.h"

static bool apply_name(Session *session, CommandKind kind, const char *name, Error *err)
{
    Command command = {.kind = kind};
    if (strlen(name) >= sizeof command.name)
        return error_set(err, TELL(COMPARE_LONG), name);
    strcpy(command.name, name);
    return session_apply(session, &command, err);
}

// The first element of the tensor that differs; false where none does.
static bool first_difference(const Session *session, int number, TraceCell *cell)
{
    *cell = (TraceCell){.tensor = number};
    const Tensor *other = comparison_tensor(session, number);
    if (!other)
        return false;
    return !tensor_same_number(&session->run.trace.tensors[number].tensor, other, cell->at) ||
           (comparison_next_difference(session, false, cell) && cell->tensor == number);
}

static bool tensor_differs(const Session *session, int number)
{
    TraceCell unused;
    return first_difference(session, number, &unused);
}

static bool can_be_shown(const Session *session, int number)
{
    FigureRequest request = {.tensor = number};
    Error unused;
    const Trace *trace = &session->run.trace;
    return trace->tensors[number].step >= 0 && figure_can_show(trace, &request, &unused);
}

// The attention weights, where they differ; else what differs first, of maps before single rows.
static int telling_tensor(const Session *session)
{
    const Trace *trace = &session->run.trace;
    int weights = trace_find(trace, "attn_weights"), row = -1;
    if (weights >= 0 && tensor_differs(session, weights))
        return weights;
    for (int number = 0; number < trace->tensor_count; number++) {
        if (!can_be_shown(session, number) || !tensor_differs(session, number))
            continue;
        if (trace->tensors[number].tensor.rank >= 2)
            return number;
        row = row < 0 ? number : row;
    }
    return row;
}

// Of a batch the sequence that differs, unless one was asked for: padding is often in later ones only.
static bool show_telling_sequence(Session *session, const AppOptions *options, Error *err)
{
    const FigureRequest *request = &session->picture.request;
    TraceCell cell;
    FigureData data;
    if (options->batch || !first_difference(session, request->tensor, &cell) ||
        !figure_data(&session->run.trace, request, &data, err) || !data.has_batch)
        return true;
    Command sequence = {.kind = COMMAND_SEQUENCE, .number = cell.at[0]};
    return session_apply(session, &sequence, err);
}

static bool open_beside(Session *session, const char *what, Error *err)
{
    if (!apply_name(session, COMMAND_COMPARE, what, err))
        return false;
    const Comparison *comparison = &session->comparison;
    if (!comparison->failed)
        return true;
    return comparison->failure.of_machine ? error_machine(err, "%s", comparison->failure.text)
                                          : error_set(err, "%s", comparison->failure.text);
}

bool heatmap_compare(Session *session, const char *what, const AppOptions *options, Error *err)
{
    if (!open_beside(session, what, err))
        return false;
    int number = options->tensor ? -1 : telling_tensor(session);
    if (number >= 0 && !heatmap_show(session, session->run.trace.tensors[number].name, err))
        return false;
    session->picture.shows_compare = false;
    if (!session_apply(session, &(Command){.kind = COMMAND_PICTURE_COMPARE}, err))
        return false;
    if (!session->picture.request.compares)
        return error_set(err, TELL(COMPARE_SHAPES), picture_tensor_name(session), what);
    return show_telling_sequence(session, options, err);
}

// --- a slide for each mistake

// Why there is nothing to see of a mistake; NULL, with both runs shown, when there is.
static const char *why_not(Session *session, const Mistake *mistake, const AppOptions *options,
                           Error *err)
{
    char what[SCENARIO_EDIT_MAX];
    const Words *why = mistake_cannot_show(mistake, session->run.trace.scenario);
    if (why)
        return words_tell(*why);
    if (!heatmap_compare(session, comparison_of_mistake(mistake->name, what), options, err))
        return err->text;
    bool shown = tensor_differs(session, session->picture.request.tensor);
    return shown ? NULL : options->tensor ? TELL(SLIDE_SAME) : TELL(SLIDE_NONE);
}

static bool draw_slide(Session *session, PictureView *view, Window *window, const char *path,
                       Error *err)
{
    if (!heatmap_draw(session, view, window, path, err))
        return false;
    printf("%s\n", path);
    return true;
}

bool heatmap_slides(Session *session, PictureView *view, const AppOptions *options, Error *err)
{
    enum { PATH_BYTES = 4096 };
    const char *folder = options->frames;
    double letters = heatmap_most_letters(session, options);
    Window window;
    bool good = heatmap_make_folder(folder, err) && window_open_unseen(&window, err);
    if (!good)
        return false;
    for (int i = 0; good && mistake_get(i); i++) {
        const Mistake *mistake = mistake_get(i);
        char path[PATH_BYTES];
        Error refused = {.text = ""};
        const char *why = why_not(session, mistake, options, &refused);
        if (refused.of_machine)
            good = error_machine(err, "%s", refused.text);
        else if (why)
            printf(TELL(SLIDE_MISSING), mistake->name, why);
        else if (snprintf(path, sizeof path, "%s/%02d-%s.png", folder, i + 1, mistake->name) >=
                 PATH_BYTES)
            good = error_set(err, TELL(FRAMES_FOLDER), folder, error_reason(ENAMETOOLONG));
        else
            good = heatmap_fit_letters(session, view, letters, err) &&
                   draw_slide(session, view, &window, path, err);
    }
    window_close(&window);
    return good;
}
