// A session in the terminal, played from a script, or as a picture; see app.h.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "app.h"
#include "app_exercise.h"
#include "app_words.def"
#include "new_file.h"
#include "picture_view.h"
#include "screen.h"
#include "state_file.h"
#include "tui.h"

// --- pictures

bool app_picture_wait(Window *window, bool *lacks, Error *err)
{
    WindowEvent event;
    while (window_wait(window, -1))
        while (window_next(window, &event)) {
            if (event.kind == WINDOW_SAVED)
                return true;
            if (event.kind == WINDOW_NOTE && lacks)
                *lacks = true;
            else if (event.kind == WINDOW_NOTE)
                fprintf(stderr, "attnscope: %s\n", event.word);
            if (event.kind == WINDOW_FAILED || event.kind == WINDOW_LOST)
                return error_set(err, "%s", event.word);
        }
    return error_set(err, TELL(PICTURE_WAIT), error_reason(errno));
}

// What the window process is to write: a picture, or a frame of a film.
typedef struct Wanted {
    Window *window;
    const DisplayList *list;
    const WindowFilm *film; // NULL: none
} Wanted;

static bool save(const Wanted *wanted, const char *path, Error *err)
{
    bool sent = wanted->film ? window_film(wanted->window, wanted->list, *wanted->film, path)
                             : window_save(wanted->window, wanted->list, path);
    return sent ? app_picture_wait(wanted->window, NULL, err) : error_set(err, TELL(PICTURE_ENDED));
}

// The child's /dev/stdout is not ours, so the picture comes through a stream.
static bool save_in_stream(const Wanted *wanted, const char *path, Error *err)
{
    Arena arena = {.chunks = NULL};
    NewFile file;
    bool saved = false;
    if (new_file_begin(&file, path, &arena, err)) {
        if (save(wanted, file.temporary, err))
            saved = new_file_keep(&file, err);
        else
            new_file_drop(&file);
    }
    arena_finish(&arena);
    return saved;
}

const char *app_picture_ending(const char *path)
{
    return strrchr(path_name(path), '.');
}

bool app_picture_save(Window *window, const DisplayList *list, const char *path, Error *err)
{
    Wanted wanted = {window, list, NULL};
    return new_file_is_stream(path) ? save_in_stream(&wanted, path, err) : save(&wanted, path, err);
}

bool app_picture_film(Window *window, const DisplayList *list, WindowFilm film, const char *path,
                      Error *err)
{
    Wanted wanted = {window, list, &film};
    return new_file_is_stream(path) ? error_set(err, TELL(FILM_STREAM), path)
                                    : save(&wanted, path, err);
}

// --- sessions

Session *app_session(Error *err)
{
    static Arena arena;
    static Session *session;
    if (!session)
        session = arena_take(&arena, 1, sizeof *session, err);
    return session;
}

enum { COLUMNS_DEFAULT = 80, ROWS_DEFAULT = 24, LETTER_PIXELS = 20 };

bool app_size(const char *text, int *columns, int *rows)
{
    *columns = COLUMNS_DEFAULT;
    *rows = ROWS_DEFAULT;
    if (!text)
        return true;
    char *rest;
    long wide = strtol(text, &rest, 10);
    long high = *rest == 'x' ? strtol(rest + 1, &rest, 10) : 0;
    bool fits = *rest == '\0' && wide >= 1 && wide <= CELLS_COLUMNS_MAX && high >= 1 &&
                high <= CELLS_ROWS_MAX;
    *columns = (int)wide;
    *rows = (int)high;
    if (!fits)
        app_fail(APP_MISUSED, TELL(SIZE_COLUMNS), CELLS_COLUMNS_MAX, CELLS_ROWS_MAX, text);
    return fits;
}

static int run_script(Session *session, const AppOptions *options, int columns, int rows)
{
    bool is_input = strcmp(options->script, "-") == 0;
    FILE *script = is_input ? stdin : fopen(options->script, "r");
    if (!script)
        return app_fail(APP_FAILED, "%s: %s", options->script, error_reason(errno));
    Error err = {.text = ""};
    bool done = tui_script(session, script, columns, rows, stdout, &err);
    if (!is_input)
        fclose(script);
    return done ? APP_DONE : app_fail(APP_FAILED, "%s: %s", options->script, err.text);
}

// Pixels need a screen's size.
static bool check_ending(const char *png)
{
    const char *ending = png ? app_picture_ending(png) : NULL;
    return !ending || strcasecmp(ending, ".png") == 0 ||
           app_refuse(TELL(SCREEN_ENDING), png, ending);
}

static int save_picture(Session *session, const AppOptions *options, int columns, int rows)
{
    Error err = {.text = ""};
    Window window;
    DisplayList list = {.items = NULL};
    PictureLook look = {columns, rows, LETTER_PIXELS, options->dark};
    if (!session_could_compute(session, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    bool saved = cells_picture_of(session, look, &list, &err);
    if (saved && (saved = window_open_unseen(&window, &err))) {
        saved = app_picture_save(&window, &list, options->png, &err);
        window_close(&window);
    }
    display_list_finish(&list);
    return app_result(saved, &err);
}

// A stage that fails after the script is visible on the screens; the exit code reports it too. A mistake shown next to
// the run may fail, a learner's function may not.
static int print_failure(const Session *session)
{
    const Comparison *beside = &session->comparison;
    const Error *failure = session->run.failed                 ? &session->run.failure
                           : beside->learner && beside->failed ? &beside->failure
                                                               : NULL;
    return failure ? app_fail(APP_FAILED, "%s", failure->text) : APP_DONE;
}

// Without a terminal: plays the script, then writes a picture.
static int step_unseen(Session *session, const AppOptions *options)
{
    int columns, rows, code = APP_DONE;
    if (!app_size(options->size, &columns, &rows))
        return APP_MISUSED;
    if (!check_ending(options->png))
        return APP_MISUSED;
    if (options->script)
        code = run_script(session, options, columns, rows);
    if (options->png && code == APP_DONE)
        code = save_picture(session, options, columns, rows);
    return code == APP_DONE ? print_failure(session) : code;
}

// --- the window next to the terminal

static void listen(TuiCompanion *companion, Session *session)
{
    PictureWindow *window = companion->window;
    Command command;
    Error refused; // the session shows it
    while (picture_window_next(window, session, &command))
        session_apply(session, &command, &refused);
    picture_window_follow(window, session);
    companion->descriptor = picture_window_descriptor(window);
    companion->milliseconds = picture_window_wait(window);
}

int app_show(const AppTrace *app, const AppOptions *options, SessionShow *show)
{
    Error err = {.text = ""};
    Arena arena = {0};
    Session *session = app_session(&err);
    AppLearner *beside = arena_take(&arena, 1, sizeof *beside, &err); // for `compare mine`
    const LearnerStages *mine = app->mine ? &app->mine->mine : NULL;
    if (!beside)
        return app_fail(APP_FAILED, "%s", err.text);
    beside->scenario = &app->scenario;
    int code = APP_FAILED;
    if (session && session_open_learner(session, &app->scenario, mine, &err)) {
        session->learner.open = app_learner_for_comparison;
        session->learner.context = beside;
        code = show(session, options);
        session_close(session);
    } else {
        app_fail(APP_FAILED, "%s", err.text);
    }
    app_learner_close(beside);
    arena_finish(&arena);
    return code;
}

int app_step(Session *session, const AppOptions *options)
{
    Error err = {.text = ""};
    char history[STATE_PATH_MAX];
    bool has_history = state_file_path("history", history, &err);
    PictureWindow window = {.open = false};
    TuiCompanion companion = {&window, listen, -1, -1};
    if (options->script || options->png)
        return step_unseen(session, options);
    bool good = tui_run(session, has_history ? history : NULL, &companion, &err);
    picture_window_close(&window);
    return good ? APP_DONE : app_fail(APP_FAILED, TELL(WITHOUT_TERMINAL), err.text);
}
