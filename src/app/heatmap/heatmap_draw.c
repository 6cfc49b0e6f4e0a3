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

// --- letters

// Letters of a picture without --letters grow up to this, for whoever sits in the last row.
static const double letters_usual = 1.8;

// How large numbers and cells are with letters that many times as large.
static bool try_letters(Session *session, PictureView *view, double times, Error *err)
{
    Command letters = {.kind = COMMAND_LETTERS, .number = (ptrdiff_t)(times * 1000.0 + 0.5)};
    return session_apply(session, &letters, err) && picture_view_draw_whole(view, session, err);
}

double heatmap_most_letters(const Session *session, const AppOptions *options)
{
    return options->letters ? session->picture.letters : letters_usual;
}

// Pixels of a cell in one map.
static double cell_area(const Figure *figure)
{
    return (double)(figure->cell_width * figure->cell_height) /
           (double)(figure->block_columns * figure->block_rows);
}

// Whether larger letters make numbers smaller, unless these are large too, or take a quarter of the cells.
static bool is_too_small(const PictureView *view, const Figure *usual)
{
    enum { LINES = 40 }; // a number is large where no more than these lines of it fill the picture
    const Figure *figure = &view->figure;
    bool smaller = figure->number_size < usual->number_size;
    return (smaller && LINES * figure->number_size < view->height) ||
           cell_area(figure) < 0.75 * cell_area(usual);
}

bool heatmap_fit_letters(Session *session, PictureView *view, double most, Error *err)
{
    enum { STEPS = 20 }; // to the usual ones
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
