// heatmap_draw: one tensor to be looked at, and its picture in a file that is open; see heatmap.h.
#include "heatmap.h"

#include <stdio.h>
#include "app_picture.h"

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
