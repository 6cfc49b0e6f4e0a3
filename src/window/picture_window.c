// picture_window: see picture_view.h.
#include "picture_view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "new_file.h"
#include "open_lecture.h"
#include "utf8.h"
#include "view_words.def"

enum { WIDTH = 1280, HEIGHT = 960, PATH_BYTES = 900 };

// --- files

bool picture_save_csv(const Session *session, const char *path, Error *err)
{
    Arena arena = {.chunks = NULL};
    NewFile file;
    bool saved = false;
    if (new_file_begin(&file, path, &arena, err)) {
        FILE *out = fopen(file.temporary, "w");
        if (out)
            picture_csv(session, out);
        bool arrived = out && !ferror(out);
        if ((out && fclose(out) != 0) || !arrived) {
            error_set(err, TELL(VIEW_UNWRITTEN), path, error_reason(errno));
            new_file_drop(&file);
        } else {
            saved = new_file_keep(&file, err);
        }
    }
    arena_finish(&arena);
    return saved;
}

// A name for a file saved with a key that no file has yet: "causal-attn_weights.png", then
// "causal-attn_weights-2.png". With its folder, for those who do not know where they started.
static void name_file(const Session *session, const char *ending, char path[PATH_BYTES])
{
    const Scenario *scenario = session->run.trace.scenario;
    const char *slash = strrchr(scenario->name, '/');
    char folder[PATH_BYTES - 300], name[256];
    snprintf(name, sizeof name, "%.120s-%.64s", slash ? slash + 1 : scenario->name,
             picture_tensor_name(session));
    for (char *at = name; *at; at++)
        *at = *at == ' ' ? '_' : *at;
    if (!getcwd(folder, sizeof folder))
        snprintf(folder, sizeof folder, ".");
    snprintf(path, PATH_BYTES, "%s/%s.%s", folder, name, ending);
    for (int number = 2; access(path, F_OK) == 0 && number < 10000; number++)
        snprintf(path, PATH_BYTES, "%s/%s-%d.%s", folder, name, number, ending);
}

// "the picture is causal-attn_weights.png, in /home/somebody": narrow windows cut the end.
static void tell_saved(PictureWindow *window, bool numbers, const char *path)
{
    const char *slash = strrchr(path, '/');
    words_format(window->told, sizeof window->told,
                 numbers ? TELL(NUMBERS_SAVED) : TELL(PICTURE_SAVED), slash ? slash + 1 : path,
                 slash ? (int)(slash - path) : 1, slash ? path : ".");
}

static void write_csv(PictureWindow *window, const Session *session)
{
    char path[PATH_BYTES];
    Error err = {.text = ""};
    window->csvs = session->picture.csvs;
    name_file(session, "csv", path);
    if (picture_save_csv(session, path, &err))
        tell_saved(window, true, path);
    else
        snprintf(window->told, sizeof window->told, "%.511s", err.text);
}

// A picture is saved without the line of keys. Its window says what became of it.
static bool send_picture(PictureWindow *window, const Session *session, Error *err)
{
    char path[PATH_BYTES];
    window->saves = session->picture.saves;
    name_file(session, "png", path);
    window->view.keys = false;
    bool drawn = picture_view_draw_whole(&window->view, session, err);
    window->view.keys = window->view.stale = true;
    if (drawn)
        window_save(&window->window, &window->view.list, path); // window_next tells of its end
    return drawn;
}

// --- the session has changed

static void forget(PictureWindow *window, const char *why)
{
    snprintf(window->gone, sizeof window->gone, "%.511s", why[0] ? why : "-");
    picture_window_close(window);
}

static void take_size(PictureWindow *window)
{
    picture_view_size(&window->view, window->window.width, window->window.height,
                      window->window.scale);
}

// The scenario, and whether the numbers are its own. True when the window is called something else.
static bool take_title(PictureWindow *window, const Session *session)
{
    char title[PICTURE_TITLE_MAX];
    bool changed = session->picture.request.changed != NULL;
    snprintf(title, sizeof title, changed ? TELL(WINDOW_TITLE_CHANGED) : TELL(WINDOW_TITLE),
             session->run.trace.scenario->name);
    bool same = strcmp(title, window->title) == 0;
    memcpy(window->title, title, sizeof title);
    return !same;
}

static void open_window(PictureWindow *window, const Session *session)
{
    Error err = {.text = ""};
    if (!picture_possible(session)) {
        forget(window, TELL(NO_NUMBERS_YET));
        return;
    }
    take_title(window, session);
    window->saves = session->picture.saves;
    window->csvs = session->picture.csvs;
    window->open = picture_view_open(&window->view, &err) &&
                   window_open(&window->window, window->title, WIDTH, HEIGHT, &err);
    if (!window->open) {
        forget(window, err.text);
        return;
    }
    window_lend(&window->window, &window->view.list);
    window->view.metrics = window->window.metrics;
    window->view.keys = true;
    take_size(window);
}

static bool show(PictureWindow *window, const Session *session, Error *err)
{
    if (session->picture.csvs != window->csvs)
        write_csv(window, session);
    if (!window_is_ready(&window->window))
        return true;
    if (session->picture.saves != window->saves)
        return send_picture(window, session, err);
    if (!picture_view_is_stale(&window->view, session))
        return true;
    if (!picture_view_draw(&window->view, session, err))
        return false;
    if (take_title(window, session))
        window_call(&window->window, window->title);
    window_show(&window->window, &window->view.list);
    return true;
}

void picture_window_follow(PictureWindow *window, const Session *session)
{
    Error err = {.text = ""};
    Command command;
    if (!session->window && window->open)
        picture_window_close(window);
    if (session->window && !window->open && window->gone[0] == '\0')
        open_window(window, session);
    if (window->open && !picture_is_there(session))
        forget(window, TELL(NO_NUMBERS_NOW));
    if (window->open && !show(window, session, &err))
        forget(window, err.text);
    window->restless = window->gone[0] || window->told[0] ||
                       (window->open && picture_view_next(&window->view, session, &command));
}

// --- the window has something to say

static Command say(CommandKind kind, char words[COMMAND_NAME_MAX])
{
    Command command = {.kind = kind};
    snprintf(command.name, sizeof command.name, "%s", words);
    words[0] = '\0';
    return command;
}

static void notice_hangul(PictureWindow *window, const Session *session, const char *key)
{
    if (window->hangul_said || !hangul_key(key))
        return;
    window->hangul_said = true;
    snprintf(window->told, sizeof window->told, "%s",
             open_lecture_session_word(session, WORD_HANGUL_KEYS));
}

// What the person did there; false where it means nothing.
static bool take_event(PictureWindow *window, const Session *session, const WindowEvent *event,
                       Command *command)
{
    PictureView *view = &window->view;
    switch (event->kind) {
    case WINDOW_KEY:
        notice_hangul(window, session, event->word);
        return (session->picture.request.origin &&
                command_for_key_in(PLACE_ORIGIN, event->word, command)) ||
               command_for_key_in(PLACE_WINDOW, event->word, command);
    case WINDOW_MOVE:
        return picture_view_point(view, session, event->x, event->y, command);
    case WINDOW_PRESS:
        return picture_view_press(view, session, event->x, event->y, command);
    case WINDOW_DRAG:
        return picture_view_drag(view, session, event->x, event->y, command);
    case WINDOW_WHEEL:
        return picture_view_wheel(view, session, event->x, event->y, event->number, command);
    case WINDOW_LEAVE:
        picture_view_leave(view, command);
        return true;
    case WINDOW_SIZE:
        take_size(window);
        return false;
    case WINDOW_SAVED:
        tell_saved(window, false, event->word);
        return false;
    case WINDOW_NOTE:
    case WINDOW_FAILED:
        snprintf(window->told, sizeof window->told, "%.511s", event->word);
        return false;
    default:
        return false;
    }
}

static bool next_of_window(PictureWindow *window, const Session *session, Command *command)
{
    WindowEvent event;
    while (window->open && window->told[0] == '\0' && window_next(&window->window, &event))
        if (event.kind == WINDOW_LOST || event.kind == WINDOW_CLOSED)
            forget(window, event.kind == WINDOW_LOST ? event.word : "-");
        else if (take_event(window, session, &event, command))
            return true;
    return false;
}

bool picture_window_next(PictureWindow *window, const Session *session, Command *command)
{
    if (next_of_window(window, session, command))
        return true;
    if (window->gone[0] || window->told[0]) {
        *command = window->gone[0] ? say(COMMAND_WINDOW_GONE, window->gone)
                                   : say(COMMAND_TELL, window->told);
        return true;
    }
    if (!window->open || !picture_view_next(&window->view, session, command))
        return false;
    picture_view_said(&window->view, command);
    return true;
}

// --- for whoever waits

int picture_window_descriptor(const PictureWindow *window)
{
    return window->open ? window->window.fd : -1;
}

int picture_window_wait(const PictureWindow *window)
{
    return window->restless ? 0 : -1;
}

void picture_window_close(PictureWindow *window)
{
    window_close(&window->window);
    picture_view_close(&window->view);
    window->open = false;
}
