// app_picture: see app_picture.h.
#include "app_picture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "new_file.h"
#include "app_words.h"

// Waits for the child to say that the picture is in its file.
static bool wait_for_picture(Window *window, Error *err)
{
    WindowEvent event;
    while (window_wait(window, -1))
        while (window_next(window, &event)) {
            if (event.kind == WINDOW_SAVED)
                return true;
            if (event.kind == WINDOW_NOTE)
                fprintf(stderr, "attnscope: %s\n", event.word);
            if (event.kind == WINDOW_FAILED || event.kind == WINDOW_LOST)
                return error_set(err, "%s", event.word);
        }
    return error_set(err, TELL(PICTURE_WAIT), error_reason(errno));
}

// What the window's process is asked to write: a picture of its own, or of a film.
typedef struct Wanted {
    Window *window;
    const DisplayList *list;
    const WindowFilm *film; // NULL: none
} Wanted;

static bool save(const Wanted *wanted, const char *path, Error *err)
{
    bool sent = wanted->film ? window_film(wanted->window, wanted->list, *wanted->film, path)
                             : window_save(wanted->window, wanted->list, path);
    return sent ? wait_for_picture(wanted->window, err) : error_set(err, TELL(PICTURE_ENDED));
}

// The child's /dev/stdout is not ours.
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
    const char *slash = strrchr(path, '/');
    return strrchr(slash ? slash : path, '.');
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
