// heatmap_png: a picture as pixels, drawn by the window's process.
#include "heatmap_forms.h"

static bool save(const Session *session, PictureView *view, const char *path, Error *err)
{
    Window window;
    if (!window_open_unseen(&window, err))
        return false;
    bool saved = heatmap_draw(session, view, &window, path, err);
    window_close(&window);
    return saved;
}

const PictureForm heatmap_png = {".png", offsetof(AppOptions, png), save};
