// attnscope heatmap: what each head looks at, in a window or a file: one picture, one per mistake, or the frames of a
// film.
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "app.h"
#include "app_exercise.h"
#include "app_words.def"
#include "export.h"
#include "figure_data.h"
#include "picture_view.h"
#include "session.h"
#include "window.h"
#include "error.h"

// --- saving one tensor

// Selects a tensor of the run, with nothing marked.
static bool heatmap_show(Session *session, const char *tensor, Error *err)
{
    return session_do(session, COMMAND_SHOW, tensor, err) &&
           session_do(session, COMMAND_PICTURE_BACK, "", err);
}

// Saves the current picture, using an open window for PNG or PDF.
static bool heatmap_draw(const Session *session, PictureView *view, Window *window,
                         const char *path, Error *err)
{
    view->metrics = window->metrics;
    return picture_view_draw_whole(view, session, err) &&
           app_picture_save(window, &view->list, path, err);
}

// --- letter size

// The default limit of --letters, for the last row of a lecture hall.
static const double letters_usual = 1.8;

// The size of numbers and cells at this factor.
static bool try_letters(Session *session, PictureView *view, double times, Error *err)
{
    Command letters = {.kind = COMMAND_LETTERS, .number = (ptrdiff_t)(times * 1000.0 + 0.5)};
    return session_apply(session, &letters, err) && picture_view_draw_whole(view, session, err);
}

// The factor for a picture's letters: --letters, or the default.
static double heatmap_most_letters(const Session *session, const AppOptions *options)
{
    return options->letters ? session->picture.letters : letters_usual;
}

// Pixels of a cell in a map.
static double cell_area(const Figure *figure)
{
    return (double)(figure->cell_width * figure->cell_height) /
           (double)(figure->block_columns * figure->block_rows);
}

// True if larger letters shrink the numbers, unless these are large or would use a quarter of the cells.
static bool is_too_small(const PictureView *view, const Figure *usual)
{
    enum { LINES = 40 }; // a number is large if at most so many lines fill the picture
    const Figure *figure = &view->figure;
    bool smaller = figure->number_size < usual->number_size;
    return (smaller && LINES * figure->number_size < view->height) ||
           cell_area(figure) < 0.75 * cell_area(usual);
}

// Finds the largest factor up to `most` that keeps numbers in cells at their usual size.
static bool heatmap_fit_letters(Session *session, PictureView *view, double most, Error *err)
{
    enum { STEPS = 20 }; // down to factor 1
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

// --- films: how a tensor, or one number, is computed

enum { FRAMES_MOST = 240, RATE_MOST = 60, RATE_USUAL = 8, PATH_BYTES = 4096 };

// What is played, and where it goes.
typedef struct Motion {
    Session *session;
    PictureView *view;
    Window window;
    const char *folder, *film;     // NULL: not wanted
    unsigned number, count, rate;  // the next frame; 0: the cover
    ptrdiff_t first, stride, last; // of the cells in loop order, or of the terms
} Motion;

// Creates the folder for pictures.
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

// --- one frame

// Draws the next frame. The cover of a film shows the complete result, for media that show only one frame.
static bool draw(Motion *motion, Error *err)
{
    char path[PATH_BYTES];
    WindowFilm place = {motion->number++, motion->count + 1, motion->rate};
    const DisplayList *list = &motion->view->list;
    bool in_folder = motion->folder && place.number > 0;
    motion->view->metrics = motion->window.metrics;
    if (!picture_view_draw_whole(motion->view, motion->session, err))
        return false;
    if (in_folder &&
        snprintf(path, sizeof path, "%s/%04u.png", motion->folder, place.number) >= PATH_BYTES)
        return error_set(err, TELL(FRAMES_FOLDER), motion->folder, error_reason(ENAMETOOLONG));
    return (!in_folder || app_picture_save(&motion->window, list, path, err)) &&
           (!motion->film || app_picture_film(&motion->window, list, place, motion->film, err));
}

// --- all of them

// The terms of the number whose origin is shown; the last frame has all.
static bool play_terms(Motion *motion, Error *err)
{
    Session *session = motion->session;
    Command next = {.kind = COMMAND_TERM};
    bool good = true;
    while (good && motion->number <= motion->count) {
        next.number = (ptrdiff_t)(motion->number - 1) * motion->stride;
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

// The cells as they are computed, with details of the newest; the last frame has all.
static bool play_cells(Motion *motion, Error *err)
{
    Command begin = {.kind = COMMAND_CELL_NEXT, .number = 1};
    ptrdiff_t left = motion->last - motion->first;
    bool good = session_apply(motion->session, &begin, err) && walk(motion, motion->first, err) &&
                draw(motion, err);
    while (good && motion->number <= motion->count) {
        ptrdiff_t cells = left < motion->stride ? left : motion->stride;
        left -= cells;
        good = walk(motion, cells, err) && draw(motion, err);
    }
    return good;
}

// Distributes terms or cells over the frames; several per frame if there are too many.
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

static void print_progress(const Motion *motion)
{
    if (motion->folder)
        printf(TELL(FRAMES_WRITTEN), motion->count, motion->folder, motion->rate, motion->folder);
    if (motion->film)
        printf(TELL(FRAMES_FILM), motion->count + 1, motion->film);
}

// Saves frames of how the tensor is computed, cell by cell, or with an origin how a number is, term by term: "0001.png"
// and so on in a folder (--frames), an animated PNG (--apng), or both. Deterministic.
static bool heatmap_frames(Session *session, PictureView *view, const AppOptions *options,
                           Error *err)
{
    Motion motion = {.session = session,
                     .view = view,
                     .folder = options->frames,
                     .film = options->apng,
                     .number = options->apng ? 0 : 1,
                     .rate = options->rate ? (unsigned)atoi(options->rate) : RATE_USUAL};
    if ((motion.folder && !heatmap_make_folder(motion.folder, err)) ||
        !window_open_unseen(&motion.window, err))
        return false;
    plan(&motion);
    bool good =
        (motion.number > 0 || draw(&motion, err)) &&
        (session->picture.request.origin ? play_terms(&motion, err) : play_cells(&motion, err));
    window_close(&motion.window);
    if (good)
        print_progress(&motion);
    return good;
}

// --- a second run, and one picture per mistake

// The first element that differs; false if none does.
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

// The attention weights if they differ; else the first tensor that does, preferring maps to single rows.
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

// Selects the first sequence that differs, unless --batch is given: padding is often only in later ones.
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
    if (strlen(what) >= COMMAND_NAME_MAX)
        return error_set(err, TELL(COMPARE_LONG), what);
    if (!session_do(session, COMMAND_COMPARE, what, err))
        return false;
    const Comparison *comparison = &session->comparison;
    if (!comparison->failed)
        return true;
    return comparison->failure.of_machine ? error_machine(err, "%s", comparison->failure.text)
                                          : error_set(err, "%s", comparison->failure.text);
}

// Runs the other variant to its end next to the session, and shows both. Without --tensor, if the weights are equal,
// shows the first tensor that differs, in the first sequence that does.
static bool heatmap_compare(Session *session, const char *what, const AppOptions *options,
                            Error *err)
{
    if (!open_beside(session, what, err))
        return false;
    int number = options->tensor ? -1 : telling_tensor(session);
    if (number >= 0 && !heatmap_show(session, session->run.trace.tensors[number].name, err))
        return false;
    session->picture.shows_compare = false;
    if (!session_do(session, COMMAND_PICTURE_COMPARE, "", err))
        return false;
    if (!session->picture.request.compares)
        return error_set(err, TELL(COMPARE_SHAPES), picture_tensor_name(session), what);
    return show_telling_sequence(session, options, err);
}

// Why a mistake is not visible; NULL if it is, and then both runs are shown.
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

// Saves a picture for every mistake visible in this scenario, "07-mask-off-by-one.png", in a new or existing folder, and
// prints the names; for the others, prints why they are not visible.
static bool heatmap_slides(Session *session, PictureView *view, const AppOptions *options,
                           Error *err)
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
        else if ((good = heatmap_fit_letters(session, view, letters, err) &&
                         heatmap_draw(session, view, &window, path, err)))
            puts(path);
    }
    window_close(&window);
    return good;
}

// --- options as session commands

// 16:9, like projectors.
enum { WIDTH = 1600, HEIGHT = 900, SIDE_MAX = 16384 };

// --batch, or --layer for maps.
static bool apply_batch(Session *session, const char *option, const char *batch, Error *err)
{
    char *end;
    if (!batch)
        return true;
    long number = strtol(batch, &end, 10);
    if (end == batch || strspn(end, " ") != strlen(end))
        return error_set(err, TELL(BATCH_NUMBER), option, batch);
    return session_apply(session, &(Command){.kind = COMMAND_SEQUENCE, .number = number}, err);
}

static bool is_inside(const Session *session, const char *option, const ptrdiff_t cell[3],
                      Error *err)
{
    FigureData data;
    if (!figure_data(picture_trace(session), &session->picture.request, &data, err))
        return false;
    const ptrdiff_t *shape = data.values.shape;
    bool inside = true;
    for (int axis = 0; axis < 3; axis++)
        inside = inside && cell[axis] >= 0 && cell[axis] < shape[axis + 1];
    return inside || error_set(err, TELL(AT_BEYOND), option, cell[0], cell[1], cell[2],
                               picture_tensor_name(session), shape[1],
                               shape[1] == 1 ? data.map : data.maps, shape[2], shape[3]);
}

// Parses HEAD,QUERY,KEY of --at or --origin.
static bool apply_cursor(Session *session, const char *option, const char *at, Error *err)
{
    Command cell = {.kind = COMMAND_CELL, .rank = 3};
    ptrdiff_t *index = cell.index;
    int used = 0;
    if (!at)
        return true;
    if (sscanf(at, "%td,%td,%td%n", &index[0], &index[1], &index[2], &used) != 3 ||
        at[used] != '\0')
        return error_set(err, TELL(AT_FORM), option, at);
    return is_inside(session, option, index, err) && session_apply(session, &cell, err);
}

// --origin HEAD,QUERY,KEY. Fails if the session has no memory to explain the cell.
static bool apply_origin(Session *session, const char *origin, Error *err)
{
    if (!origin)
        return true;
    if (!apply_cursor(session, "--origin", origin, err) ||
        !session_do(session, COMMAND_PICTURE_ORIGIN, "", err))
        return false;
    if (!session->picture.request.origin)
        *err = session->message;
    return session->picture.request.origin;
}

// True if both sides are maps with a common scale.
static bool can_be_compared(const AppOptions *options, Error *err)
{
    const char *scale = options->scale, *mode = options->mode;
    bool odd_scale = scale && strcmp(scale, "all") != 0 && strcmp(scale, "unit") != 0;
    bool odd_mode = mode && strcmp(mode, "grid") != 0 && strcmp(mode, "head") != 0;
    return (!odd_scale && !odd_mode && !options->origin) || error_set(err, TELL(COMPARE_MAPS));
}

static bool apply_name(Session *session, CommandKind kind, const char *name, Error *err)
{
    return !name || session_do(session, kind, name, err);
}

static bool apply_options(Session *session, const AppOptions *options, Error *err)
{
    if (options->mean && options->head)
        return error_set(err, TELL(MEAN_ALONE));
    if (options->layer && !options->maps)
        return error_set(err, TELL(LAYER_OF_MAPS));
    session->picture.request.title = options->title;
    double times = options->letters ? strtod(options->letters, NULL) : 1.0;
    Command letters = {.kind = COMMAND_LETTERS, .number = (ptrdiff_t)(times * 1000.0 + 0.5)};
    return apply_batch(session, options->maps ? "--layer" : "--batch",
                       options->maps ? options->layer : options->batch, err) &&
           apply_name(session, COMMAND_PICTURE_AS, options->mode, err) &&
           apply_name(session, COMMAND_HEADS, options->head, err) &&
           apply_name(session, COMMAND_COLOURS, options->map, err) &&
           apply_name(session, COMMAND_SCALE, options->scale, err) &&
           (!options->letters || session_apply(session, &letters, err)) &&
           apply_cursor(session, "--at", options->at, err) &&
           (!options->mean || session_do(session, COMMAND_MEAN, "", err)) &&
           (!options->dark || session_do(session, COMMAND_DARK, "", err)) &&
           apply_origin(session, options->origin, err);
}

// --tensor, or the attention weights, or the tensor computed last.
static const char *usual_tensor(const Trace *trace, const char *name)
{
    if (!name && trace_find(trace, "attn_weights") >= 0)
        name = "attn_weights";
    if (!name && trace_find(trace, "maps") >= 0)
        name = "maps";
    for (int i = trace->tensor_count - 1; !name && i >= 0; i--)
        if (trace->tensors[i].tensor.storage.bytes)
            name = trace->tensors[i].name;
    return name ? name : "";
}

// Applies all options to the session; --compare adds the second run. Returns false and sets err on failure.
static bool heatmap_open(Session *session, const AppOptions *options, Error *err)
{
    bool slides = options->compare && strcmp(options->compare, "mistakes") == 0;
    bool moves = options->frames || options->apng;
    if (slides ? !options->frames || options->apng : options->compare && moves)
        return error_set(err, TELL(FRAMES_MISTAKES));
    if (!heatmap_show(session, usual_tensor(&session->run.trace, options->tensor), err))
        return false;
    if (options->compare && !slides && !heatmap_compare(session, options->compare, options, err))
        return false;
    return (!options->compare || can_be_compared(options, err)) &&
           apply_options(session, options, err);
}

// "4:3"
static bool is_form(const char *size, int *width, int *height)
{
    int across, down, used = 0;
    if (sscanf(size, "%d:%d%n", &across, &down, &used) != 2 || size[used] != '\0' || across < 1 ||
        down < 1 || across > SIDE_MAX || down > SIDE_MAX)
        return false;
    *width = WIDTH;
    *height = WIDTH * down / across;
    return *height >= 1 && *height <= SIDE_MAX;
}

// Parses "1600x1200" or "4:3". Letters scale with the picture.
static bool heatmap_size(PictureView *view, const char *size, Error *err)
{
    int width = WIDTH, height = HEIGHT, used = 0;
    if (size && !is_form(size, &width, &height) &&
        (sscanf(size, "%dx%d%n", &width, &height, &used) != 2 || size[used] != '\0' || width < 1 ||
         height < 1 || width > SIDE_MAX || height > SIDE_MAX))
        return error_set(err, TELL(SIZE_PIXELS), SIDE_MAX, SIDE_MAX, size);
    int across = width * 1000 / 1024, down = height * 1000 / 768;
    int scale = across < down ? across : down;
    picture_view_size(view, width, height, (scale > 1000 ? scale : 1000) / 1000.0);
    return true;
}

// --- SVG, PNG, PDF

typedef bool PictureSave(const Session *session, PictureView *view, const char *path, Error *err);

typedef struct PictureForm {
    const char *ending; // file extension: ".png"
    size_t option;      // offset of its option in AppOptions
    PictureSave *save;  // writes atomically
} PictureForm;

// Drawn by the window process.
static bool save_png(const Session *session, PictureView *view, const char *path, Error *err)
{
    Window window;
    if (!window_open_unseen(&window, err))
        return false;
    bool saved = heatmap_draw(session, view, &window, path, err);
    window_close(&window);
    return saved;
}

static bool save_pdf(const Session *session, PictureView *view, const char *path, Error *err)
{
    const char *asked = session->picture.request.title;
    char title[256];
    Written about;
    Window window;
    if (!written_begin(&about, err))
        return false;
    picture_about(session, about.out);
    snprintf(title, sizeof title, "%s", asked ? asked : picture_tensor_name(session));
    bool saved = written_end(&about, err) && window_open_paper(&window, title, about.text, err);
    if (saved) {
        saved = heatmap_draw(session, view, &window, path, err);
        window_close(&window);
    }
    written_drop(&about);
    return saved;
}

// --- formats by file name

static const PictureForm forms[] = {
    {".png", offsetof(AppOptions, png), save_png},
    {".svg", offsetof(AppOptions, svg), picture_svg_save},
    {".pdf", offsetof(AppOptions, pdf), save_pdf},
};

enum { FORMS = sizeof forms / sizeof *forms };

// The extension decides the format; without one (a stream, say) the option does.
static const PictureForm *form_of(const char *path, const PictureForm *usual, Error *err)
{
    const char *ending = app_picture_ending(path);
    char all[64] = "";
    if (!ending)
        return usual;
    for (int i = 0; i < FORMS; i++)
        if (strcasecmp(ending, forms[i].ending) == 0)
            return &forms[i];
    for (int i = 0; i < FORMS; i++)
        text_add(all, sizeof all, "%s%s", i ? ", " : "", forms[i].ending);
    error_set(err, TELL(PICTURE_ENDING), path, all, ending);
    return NULL;
}

static const char *path_of(const AppOptions *options, const PictureForm *form)
{
    return *(const char *const *)((const char *)options + form->option);
}

// True if the options name a file for the picture.
static bool heatmap_wants_files(const AppOptions *options)
{
    bool wants = false;
    for (int i = 0; i < FORMS; i++)
        wants = wants || path_of(options, &forms[i]);
    return wants;
}

// Why an extension does not fit what would be written, or NULL.
static const char *wrong_ending(const char *path, const char *right, const char *also)
{
    const char *ending = path ? app_picture_ending(path) : NULL;
    bool good = !ending || strcasecmp(ending, right) == 0 || strcasecmp(ending, also) == 0;
    return good ? NULL : ending;
}

// Reports a file name with an unsupported extension, also for numbers and films, and returns false.
static bool heatmap_check_files(const AppOptions *options, Error *err)
{
    for (int i = 0; i < FORMS; i++) {
        const char *path = path_of(options, &forms[i]);
        if (path && !form_of(path, &forms[i], err))
            return false;
    }
    const char *of_csv = wrong_ending(options->csv, ".csv", ".csv");
    const char *of_film = wrong_ending(options->apng, ".png", ".apng");
    if (of_csv)
        return error_set(err, TELL(CSV_ENDING), options->csv, of_csv);
    return !of_film || error_set(err, TELL(FILM_ENDING), options->apng, of_film);
}

// Saves the picture to all named files, atomically.
static bool heatmap_save(const Session *session, PictureView *view, const AppOptions *options,
                         Error *err)
{
    for (int i = 0; i < FORMS; i++) {
        const char *path = path_of(options, &forms[i]);
        const PictureForm *form = path ? form_of(path, &forms[i], err) : NULL;
        if (path && (!form || !form->save(session, view, path, err)))
            return false;
    }
    return true;
}

// --- the window

// Handles the window's messages. A lost window is an error unless the user closed it.
static void listen(Session *session, PictureWindow *window, Error *err)
{
    Command command;
    Error refused;
    while (picture_window_next(window, session, &command)) {
        if (command.kind == COMMAND_WINDOW_GONE && strcmp(command.name, "-") != 0)
            error_set(err, "%s", command.name);
        session_apply(session, &command, &refused);
    }
}

// Selects a cell to read out, unless none is visible or one was named.
static void begin(Session *session)
{
    const Picture *picture = &session->picture;
    Error refused;
    if (!picture->has_chosen && !picture->request.compares && !picture->request.origin)
        session_do(session, COMMAND_CELL_LARGEST, "", &refused);
}

// Runs until the window is closed, or reports a lost display.
static bool show(Session *session, Error *err)
{
    PictureWindow window = {.open = false};
    Error refused;
    begin(session);
    session->window = true;
    while (session->window) {
        listen(session, &window, err);
        picture_window_follow(&window, session);
        int tick = session_next_tick(session), wait = picture_window_wait(&window);
        bool waits = window.open && wait < 0;
        if (waits && !window_wait(&window.window, tick) && tick >= 0) {
            Command next = session_tick(session);
            session_apply(session, &next, &refused);
        }
    }
    picture_window_close(&window);
    return err->text[0] == '\0';
}

// --- the whole command

// Saves the requested files, or opens the window.
static bool show_all(Session *session, PictureView *view, const AppOptions *options, Error *err)
{
    bool moves = options->frames || options->apng;
    if (moves && options->compare)
        return heatmap_slides(session, view, options, err);
    if (options->csv && !picture_save_csv(session, options->csv, err))
        return false;
    if (!heatmap_wants_files(options) && !moves)
        return options->csv || show(session, err);
    double most = heatmap_most_letters(session, options);
    if (!heatmap_fit_letters(session, view, most, err) ||
        !heatmap_save(session, view, options, err))
        return false;
    if (options->letters && most > 1.0 && view->figure.letters < 0.98 * most)
        fprintf(stderr, TELL(LETTERS_ROOM), most, view->figure.letters);
    return !moves || heatmap_frames(session, view, options, err);
}

static int draw_files(Session *session, const AppOptions *options)
{
    Error err = {.text = ""};
    PictureView view = {.cache = NULL};
    int code = APP_FAILED;
    session_do(session, COMMAND_LAST, "", &err);
    if (session->run.failed)
        app_fail(code, "%s", session->run.failure.text);
    else if (!heatmap_open(session, options, &err) || !picture_view_open(&view, &err) ||
             !heatmap_size(&view, options->size, &err) || !heatmap_check_files(options, &err))
        code = app_fail(err.of_machine ? APP_FAILED : APP_MISUSED, "%s", err.text);
    else if (!show_all(session, &view, options, &err))
        app_fail(code, "%s", err.text);
    else
        code = APP_DONE;
    picture_view_close(&view);
    return code;
}

static int run(AppOptions *options)
{
    char mistake[SCENARIO_EDIT_MAX];
    double unused; // both are only checked here
    if (!app_needs_one(options) || !app_takes_mistake(options) ||
        !app_read_number((AppRange){"rate", 1, RATE_MOST, APP_WHOLE}, options->rate, &unused) ||
        !app_read_number((AppRange){"letters", 0.5, 4, APP_ANY}, options->letters, &unused))
        return APP_MISUSED;
    if (options->mistake) { // shown next to the right run
        options->compare = comparison_of_mistake(options->mistake, mistake);
        options->mistake = NULL;
    }
    static AppTrace app; // too large for the stack
    if (!app_open(&app, options))
        return APP_FAILED;
    if (options->maps && app.scenario.note)
        fprintf(stderr, TELL(NOTE), app.scenario.note);
    int code = app_show(&app, options, draw_files);
    app_close(&app);
    return code;
}

const AppCommand command_heatmap = {
    .name = "heatmap",
    .arguments = "SCENARIO|FILE.yaml|--maps FILE [--png OUT.png [--size 1920x1080]]",
    .is_first = true,
    .summary = WORDS("Show what each head looks at, in a window or a picture",
                     "헤드마다 무엇을 보는지 창이나 그림으로 보여 줍니다"),
    .details = WORDS(
        "  --tensor T       the tensor to draw [attn_weights]: scores, scores_masked, q_heads ...\n"
        "  --batch B        the sequence of the batch [0; with --compare, the first that differs]\n"
        "  --head H         one large head, or several: 1,3 or 0-2 [all heads]\n"
        "  --mean           one map: the mean over heads\n"
        "  --mode M         grid, head, lines or all-lines\n"
        "  --map NAME       viridis, cividis, magma or diverging\n"
        "  --scale S        the range of the colours: that of all heads (all), of each head\n"
        "                   (head) or of each row (row), rounded, and from 0 for weights; 0 to 1\n"
        "                   (unit); or weight times visible keys (even), where 1 is an even\n"
        "                   share. even is the default if a mask hides more keys from some\n"
        "                   queries, such as a causal mask\n"
        "  --at H,ROW,COL   the cell to read out\n"
        "  --origin H,R,C   how this cell is computed: its inputs, products, running sum\n"
        "  --mistake NAME   what a known mistake does: right, wrong and the difference, with the\n"
        "                   most different number marked (attnscope list mistakes)\n"
        "  --compare WHAT   the same for any change: \"mistake NAME\", an option\n"
        "                   (attention.scale=none), \"formula F\", a scenario, \"text SENTENCE\",\n"
        "                   or \"mine DIR\" (the functions of a workspace)\n"
        "  --compare mistakes --frames DIR   one picture per mistake that is visible here\n"
        "  --frames DIR     one picture per cell, as the tensor is computed; with --origin, one\n"
        "                   per term. At most 240: longer computations skip some\n"
        "  --apng FILE      the same as an animated PNG, for browsers and slides\n"
        "  --rate N         pictures per second [8]\n"
        "  --maps FILE      draw another model's attention (.npz, .npy, .safetensors, .pt). The\n"
        "                   axes are (queries, keys), (heads, queries, keys) or (layers, heads,\n"
        "                   queries, keys). A tensor per layer, like transformers'\n"
        "                   output_attentions, also works. FILE#NAME selects one of several sets\n"
        "  --axes A,B,...   the order of the axes if it is different: layers, B (batch), H, Q, K,\n"
        "                   for example B,Q,K; --batch N selects the sequence [0]\n"
        "  --words \"A B\"    the words of the keys, and of the queries if there are as many;\n"
        "                   --query-words gives the queries their own. The default is the tokens\n"
        "                   stored in the file: tokens, encoder_tokens, decoder_tokens\n"
        "  --layer N        the first layer to show [0]. --tensor rollout shows what all layers\n"
        "                   up to this one mix together (attention rollout); map_mean and\n"
        "                   map_residual are its intermediate steps\n"
        "  --dark           light on dark\n"
        "  --title TEXT     the title of the picture\n"
        "  --letters N      enlarge the text by up to N; numbers in cells keep their size\n"
        "                   [1.8; in a window 1]\n"
        "  --png OUT.png    save the picture instead of opening a window; needs no display.\n"
        "                   The extension decides the format\n"
        "  --svg OUT.svg    save it as a vector picture for slides and web pages; text stays\n"
        "                   text, with a description for screen readers\n"
        "  --pdf OUT.pdf    save it as a PDF page of the picture's size, for LaTeX or print; text\n"
        "                   can be searched and copied\n"
        "  --size WxH       the size of the picture in pixels, or its shape: 16:9, 4:3 [1600x900]\n"
        "  --csv OUT.csv    save the numbers of the maps\n"
        "  --backward       add gradients: --backward --tensor grad.attn_weights --map diverging\n"
        "  --text \"...\", --pair \"...\", --set KEY=VALUE, --formula F as in print\n"
        "\n"
        "To turn a folder of pictures into a video:\n"
        "  ffmpeg -framerate 8 -i DIR/%04d.png -pix_fmt yuv420p video.mp4\n"
        "\n"
        "In the window, ? shows every key. The text size follows the desktop (Xft.dpi under X,\n"
        "otherwise the screen). ATTNSCOPE_SCALE=2 in the environment doubles it.\n",
        "  --tensor T       attn_weights 말고 다른 텐서: scores, scores_masked, q_heads ...\n"
        "  --batch B        배치의 몇 번째 문장인지 (0, 비교할 때는 처음으로 다른 문장)\n"
        "  --head H         헤드 하나를 크게. 1,3이나 0-2는 여럿, 쓰지 않으면 모든 헤드\n"
        "  --mean           맵 하나, 헤드의 평균\n"
        "  --mode M         grid, head, lines, all-lines\n"
        "  --map NAME       viridis, cividis, magma, diverging\n"
        "  --scale S        색의 범위: 모든 헤드의 가장 작은 숫자부터 가장 큰 숫자까지(all), "
        "헤드마다\n"
        "                   (head), 행마다(row). 가중치는 0부터 어림수까지. 0부터 1까지(unit), "
        "또는 가중치 × 볼 수 있는 키의\n"
        "                   수(even): 1이 균등 분배(1/n)입니다. 인과 마스크처럼 볼 수 있는 키의 "
        "수가\n"
        "                   다르면 이것으로 시작합니다\n"
        "  --at H,ROW,COL   읽어 줄 칸\n"
        "  --origin H,R,C   이 칸이 어디서 왔는지: 입력, 곱, 더해 가는 합\n"
        "  --mistake NAME   알려진 실수가 하는 일: 올바른 것, 실수, 차이. 가장 많이 다른 숫자에 "
        "표시가\n"
        "                   있습니다 (attnscope list mistakes)\n"
        "  --compare WHAT   무엇과든 비교합니다: \"mistake 이름\", 옵션(attention.scale=none),\n"
        "                   \"formula F\", 시나리오, \"text 문장\",\n"
        "                   \"mine 폴더\"(작업 폴더에 쓴 함수)\n"
        "  --compare mistakes --frames DIR   여기에서 드러나는 실수마다 그림 하나\n"
        "  --frames DIR     텐서를 계산하는 과정, 칸마다 그림 하나. --origin과 쓰면 항마다\n"
        "                   (240장까지. 더 많으면 여러 개씩)\n"
        "  --apng FILE      같은 것을 움직이는 PNG로. 브라우저와 슬라이드에서 재생됩니다\n"
        "  --rate N         1초에 N장 (8)\n"
        "  --maps FILE      다른 모델이 계산한 어텐션(.npz, .npy, .safetensors, .pt). 축은 (쿼리, "
        "키),\n"
        "                   (헤드, 쿼리, 키), (층, 헤드, 쿼리, 키)이거나, transformers의\n"
        "                   output_attentions처럼 층마다 텐서 하나. FILE#이름은 여러 벌 가운데\n"
        "                   하나를 고릅니다\n"
        "  --axes A,B,...   축이 다르면 layers, B(배치), H, Q, K를 순서대로 씁니다. 예: B,Q,K.\n"
        "                   --batch N은 보일 문장 (0)\n"
        "  --words \"A B\"    키의 단어. 쿼리의 수가 같으면 쿼리의 단어도 됩니다. 따로 쓰려면\n"
        "                   --query-words. 쓰지 않으면 맵과 함께 저장된 토큰(tokens,\n"
        "                   encoder_tokens, decoder_tokens)\n"
        "  --layer N        처음 볼 층 (0). --tensor rollout은 그 층까지 모두 섞은 것(어텐션 "
        "롤아웃),\n"
        "                   map_mean과 map_residual은 그 중간 단계\n"
        "  --dark           어두운 바탕\n"
        "  --title TEXT     그림의 제목\n"
        "  --letters N      글자를 N배까지 크게. 칸의 숫자는 작아지지 않습니다 (1.8, 창에서는 1)\n"
        "  --png OUT.png    창을 여는 대신 그림을 저장합니다. 디스플레이가 없어도 됩니다\n"
        "  --svg OUT.svg    크기를 바꿀 수 있는 그림. 글자는 글자로 남고, 화면 낭독기가 읽을\n"
        "                   설명이 있습니다\n"
        "  --pdf OUT.pdf    그림만 한 쪽 하나로. LaTeX나 인쇄에 씁니다. 글자를 찾고 복사할 수\n"
        "                   있습니다. 무엇으로 저장할지는 파일 이름의 끝이 정합니다\n"
        "  --size WxH       그 그림의 픽셀 크기, 또는 16:9나 4:3 (1600x900)\n"
        "  --csv OUT.csv    맵의 숫자를 저장합니다\n"
        "  --backward       기울기도: --backward --tensor grad.attn_weights --map diverging\n"
        "  --text \"...\", --pair \"...\", --set KEY=VALUE, --formula F는 print와 같습니다\n"
        "\n"
        "폴더의 그림은 이렇게 동영상이 됩니다:\n"
        "  ffmpeg -framerate 8 -i DIR/%04d.png -pix_fmt yuv420p video.mp4\n"
        "\n"
        "창에서 ?를 누르면 무엇을 누를 수 있는지 나옵니다. 글자 크기는 데스크톱을 "
        "따릅니다(X에서는\n"
        "Xft.dpi, 없으면 화면 크기). 환경 변수 ATTNSCOPE_SCALE=2는 글자를 두 배로 합니다.\n"),
    .options = "set formula backward text pair mistake compare maps words query-words axes layer "
               "frames apng "
               "rate tensor "
               "batch head mean map scale mode at origin dark title letters png svg pdf csv size",
    .names = APP_NAMES_SCENARIO | APP_NAMES_FILE,
    .run = run,
};
