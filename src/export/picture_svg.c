// picture_svg: see picture_svg.h.
#include "picture_svg.h"

#include "figure_svg.h"
#include "html_text.h"
#include "written.h"

typedef struct Whole {
    const Session *session;
    const DisplayList *list;
} Whole;

static bool write_whole(const void *what, FILE *out, Error *err)
{
    const Whole *whole = what;
    Written about;
    if (!written_begin(&about, err))
        return false;
    picture_about(whole->session, about.out);
    bool told = written_end(&about, err);
    const char *title = whole->session->picture.request.title;
    if (told)
        figure_svg_file(whole->list, title ? title : picture_tensor_name(whole->session),
                        about.text, out);
    written_drop(&about);
    return told;
}

bool picture_svg_save(const Session *session, PictureView *view, const char *path, Error *err)
{
    Whole whole = {session, &view->list};
    return picture_view_draw_whole(view, session, err) && html_save(path, write_whole, &whole, err);
}
