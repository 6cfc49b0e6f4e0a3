// heatmap_frames: how a tensor is computed, or a number of it, as pictures one after the other; see
// heatmap.h.
#include "heatmap.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "app_picture.h"
#include "app_words.h"

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

bool heatmap_make_folder(const char *folder, Error *err)
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
