// heatmap_files: what `attnscope heatmap` draws, as a file; see heatmap.h.
#include "heatmap.h"

#include <string.h>
#include <strings.h>
#include "app_picture.h"
#include "picture_svg.h"
#include "app_words.h"

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), of = strlen(ending);
    return length >= of && strcasecmp(path + length - of, ending) == 0;
}

// What is written is what the file's name says; one that says nothing, a stream for example, is given
// what the option says.
static bool check_ending(const char *path, Error *err)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return !dot || ends_in(path, ".png") || ends_in(path, ".svg") ||
           error_set(err, TELL(PICTURE_ENDING), path, dot);
}

bool heatmap_draw(const Session *session, PictureView *view, Window *window, const char *path,
                  Error *err)
{
    view->metrics = window->metrics;
    return picture_view_draw_whole(view, session, err) &&
           app_picture_save(window, &view->list, path, err);
}

bool heatmap_save(const Session *session, PictureView *view, const char *path, Error *err)
{
    Window window;
    if (!check_ending(path, err))
        return false;
    if (ends_in(path, ".svg"))
        return picture_svg_save(session, view, path, err);
    if (!window_open_unseen(&window, err))
        return false;
    bool saved = heatmap_draw(session, view, &window, path, err);
    window_close(&window);
    return saved;
}
