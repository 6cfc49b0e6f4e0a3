// heatmap_pdf: a picture as a page, drawn by a process of its own.
#include "heatmap_forms.h"
#include "written.h"

static bool draw(const Session *session, PictureView *view, char *about, const char *path,
                 Error *err)
{
    const char *asked = session->picture.request.title;
    char title[256];
    Window window;
    snprintf(title, sizeof title, "%s", asked ? asked : picture_tensor_name(session));
    if (!window_open_paper(&window, title, about, err))
        return false;
    bool saved = heatmap_draw(session, view, &window, path, err);
    window_close(&window);
    return saved;
}

static bool save(const Session *session, PictureView *view, const char *path, Error *err)
{
    Written about;
    if (!written_begin(&about, err))
        return false;
    picture_about(session, about.out);
    bool saved = written_end(&about, err) && draw(session, view, about.text, path, err);
    written_drop(&about);
    return saved;
}

const PictureForm heatmap_pdf = {".pdf", offsetof(AppOptions, pdf), save};
