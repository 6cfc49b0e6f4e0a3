// What attnscope heatmap draws: one picture, one for each mistake, or many of a film; see heatmap.h.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "app.h"
#include "app_words.h"
#include "figure_data.h"
#include "heatmap.h"
#include "session.h"

// --- one tensor, and its picture in a file that is open

bool heatmap_show(Session *session, const char *tensor, Error *err)
{
    Command show = {.kind = COMMAND_SHOW}, unmark = {.kind = COMMAND_PICTURE_BACK};
    snprintf(show.name, sizeof show.name, "%s", tensor);
    return session_apply(session, &show, err) && session_apply(session, &unmark, err);
}

bool heatmap_draw(const Session *session, PictureView *view, Window *window, const char *path,
                  Error *err)
{
    view->metrics = window->metrics;
    return picture_view_draw_whole(view, session, err) &&
           app_picture_save(window, &view->list, path, err);
}

// --- letters

// Letters of a picture without --letters grow up to this, for whoever sits in the last row.
static const double letters_usual = 1.8;

// How large numbers and cells are with letters that many times as large.
static bool try_letters(Session *session, PictureView *view, double times, Error *err)
{
    Command letters = {.kind = COMMAND_LETTERS, .number = (ptrdiff_t)(times * 1000.0 + 0.5)};
    return session_apply(session, &letters, err) && picture_view_draw_whole(view, session, err);
}

double heatmap_most_letters(const Session *session, const AppOptions *options)
{
    return options->letters ? session->picture.letters : letters_usual;
}

// Pixels of a cell in one map.
static double cell_area(const Figure *figure)
{
    return (double)(figure->cell_width * figure->cell_height) /
           (double)(figure->block_columns * figure->block_rows);
}

// Whether larger letters make numbers smaller, unless these are large too, or take a quarter of the cells.
static bool is_too_small(const PictureView *view, const Figure *usual)
{
    enum { LINES = 40 }; // a number is large where no more than these lines of it fill the picture
    const Figure *figure = &view->figure;
    bool smaller = figure->number_size < usual->number_size;
    return (smaller && LINES * figure->number_size < view->height) ||
           cell_area(figure) < 0.75 * cell_area(usual);
}

bool heatmap_fit_letters(Session *session, PictureView *view, double most, Error *err)
{
    enum { STEPS = 20 }; // to the usual ones
    if (session->picture.request.origin || most <= 1.0)
        return true;
    bool good = try_letters(session, view, 1.0, err);
    Figure usual = view->figure;
    for (int step = STEPS; good && step > 0; step--) {
        good = try_letters(session, view, 1.0 + (most - 1.0) * step / STEPS, err);
        if (good && !is_too_small(view, &usual))
            return true;
    }
    return good && try_letters(session, view, 1.0, err);
}

// --- how a tensor is computed, or a number of it, as pictures one after the other

enum { FRAMES_MOST = 240, RATE_MOST = 60, RATE_USUAL = 8, PATH_BYTES = 4096 };

// What is played, and where to.
typedef struct Motion {
    Session *session;
    PictureView *view;
    Window window;
    const char *folder, *film; // NULL: none
    unsigned number, count, rate;
    ptrdiff_t first, stride, last; // of the cells in loop order, or of the terms
} Motion;

bool heatmap_rate(const char *words, unsigned *rate, Error *err)
{
    char *end;
    *rate = RATE_USUAL;
    if (!words)
        return true;
    long number = strtol(words, &end, 10);
    *rate = (unsigned)number;
    return (end != words && *end == '\0' && number >= 1 && number <= RATE_MOST) ||
           error_set(err, TELL(FRAMES_RATE), RATE_MOST, words);
}

// The folder for pictures, made where it is missing.
static bool heatmap_make_folder(const char *folder, Error *err)
{
    struct stat there;
    if (mkdir(folder, 0777) == 0)
        return true;
    int cause = errno;
    if (cause == EEXIST && stat(folder, &there) == 0 && S_ISDIR(there.st_mode))
        return true;
    return error_set(err, TELL(FRAMES_FOLDER), folder,
                     error_reason(cause == EEXIST ? ENOTDIR : cause));
}

// --- one picture

static bool draw(Motion *motion, Error *err)
{
    char path[PATH_BYTES];
    WindowFilm place = {motion->number + 1, motion->count + 1, motion->rate};
    const DisplayList *list = &motion->view->list;
    motion->view->metrics = motion->window.metrics;
    if (!picture_view_draw_whole(motion->view, motion->session, err))
        return false;
    motion->number++;
    if (motion->folder &&
        snprintf(path, sizeof path, "%s/%04u.png", motion->folder, motion->number) >= PATH_BYTES)
        return error_set(err, TELL(FRAMES_FOLDER), motion->folder, error_reason(ENAMETOOLONG));
    return (!motion->folder || app_picture_save(&motion->window, list, path, err)) &&
           (!motion->film || app_picture_film(&motion->window, list, place, motion->film, err));
}

// A film begins with all of it, as it ends: what stands still, on paper for example, shows its first picture.
static bool draw_cover(Motion *motion, Error *err)
{
    WindowFilm place = {0, motion->count + 1, motion->rate};
    motion->view->metrics = motion->window.metrics;
    return !motion->film ||
           (picture_view_draw_whole(motion->view, motion->session, err) &&
            app_picture_film(&motion->window, &motion->view->list, place, motion->film, err));
}

// --- all of them

// The terms of the number whose origin is shown, from the first on; the last picture has all.
static bool play_terms(Motion *motion, Error *err)
{
    Session *session = motion->session;
    Command next = {.kind = COMMAND_TERM};
    bool good = true;
    while (good && motion->number < motion->count) {
        next.number = (ptrdiff_t)motion->number * motion->stride;
        next.number = next.number < motion->last ? next.number : motion->last;
        good = motion->count == 1 || session_apply(session, &next, err);
        session->picture.request.origin_gone = motion->count == 1 ? 0 : next.number + 1;
        good = good && draw(motion, err);
    }
    session->picture.request.origin_gone = 0;
    return good;
}

static bool walk(Motion *motion, ptrdiff_t cells, Error *err)
{
    Command next = {.kind = COMMAND_NEXT, .number = cells};
    return cells <= 0 || session_apply(motion->session, &next, err);
}

// The cells, as they are computed, with what is known of the last one; the last picture has all.
static bool play_cells(Motion *motion, Error *err)
{
    Command begin = {.kind = COMMAND_CELL_NEXT, .number = 1};
    ptrdiff_t left = motion->last - motion->first;
    bool good = session_apply(motion->session, &begin, err) && walk(motion, motion->first, err) &&
                draw(motion, err);
    while (good && motion->number < motion->count) {
        ptrdiff_t cells = left < motion->stride ? left : motion->stride;
        left -= cells;
        good = walk(motion, cells, err) && draw(motion, err);
    }
    return good;
}

// How many pictures of how many terms or cells each. Of more than there are pictures, several at once.
static void plan(Motion *motion)
{
    const Picture *picture = &motion->session->picture;
    const ptrdiff_t *shape = picture->place.shape;
    bool all = figure_shows_every_head(&picture->request) || picture->request.mean;
    ptrdiff_t head = shape[2] * shape[3], count = all ? shape[1] * head : head;
    const Explanation *explanation = &motion->session->origin.explanation;
    bool origin = picture->request.origin;
    if (origin)
        count = explanation->adds_up ? explanation->listed : 1;
    count = count > 0 ? count : 1;
    motion->first = all || origin ? 0 : picture->request.head * head;
    motion->last = motion->first + count - 1;
    motion->stride = (count - 1 + FRAMES_MOST - 2) / (FRAMES_MOST - 1);
    motion->stride = motion->stride > 0 ? motion->stride : 1;
    motion->count = (unsigned)((count - 1 + motion->stride - 1) / motion->stride + 1);
}

static void tell(const Motion *motion)
{
    if (motion->folder)
        printf(TELL(FRAMES_WRITTEN), motion->count, motion->folder, motion->rate, motion->folder);
    if (motion->film)
        printf(TELL(FRAMES_FILM), motion->count + 1, motion->film);
}

bool heatmap_frames(Session *session, PictureView *view, const AppOptions *options, Error *err)
{
    Motion motion = {
        .session = session, .view = view, .folder = options->frames, .film = options->apng};
    if (!heatmap_rate(options->rate, &motion.rate, err) ||
        (motion.folder && !heatmap_make_folder(motion.folder, err)) ||
        !window_open_unseen(&motion.window, err))
        return false;
    plan(&motion);
    bool good =
        draw_cover(&motion, err) &&
        (session->picture.request.origin ? play_terms(&motion, err) : play_cells(&motion, err));
    window_close(&motion.window);
    if (good)
        tell(&motion);
    return good;
}

// --- a run beside another one, and a picture for each mistake of the bank

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
