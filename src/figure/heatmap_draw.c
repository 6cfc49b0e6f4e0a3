// heatmap_draw: from what is asked for to a display list; see heatmap.h.
#include "heatmap.h"

#include "heatmap_move.h"

static bool draw(Heatmap *heatmap, Error *err)
{
    FigureRequest *asked = &heatmap->request, request = *asked;
    const Figure *figure = &heatmap->figure;
    request.notice = heatmap->message[0] != '\0' ? heatmap->message : NULL;
    request.help = heatmap->help ? heatmap->help_page : NULL;
    FigurePaper paper = {.width = heatmap->width,
                         .height = heatmap->height,
                         .scale = heatmap->scale * heatmap->letters,
                         .metrics = &heatmap->metrics,
                         .cache = heatmap->cache,
                         .list = &heatmap->list};
    if (!figure_draw(heatmap->trace, &request, &paper, &heatmap->figure, err))
        return false;
    // Nobody scrolls behind the end.
    asked->first_row = figure->all_visible ? asked->first_row : figure->first_row;
    asked->first_column = figure->all_visible ? asked->first_column : figure->first_column;
    return true;
}

bool heatmap_draw(Heatmap *heatmap, Error *err)
{
    bool drawn = draw(heatmap, err);
    if (drawn && heatmap_hold_anchor(heatmap))
        drawn = draw(heatmap, err);
    heatmap->changed = drawn && heatmap->figure.unfinished;
    return drawn;
}

bool heatmap_draw_whole(Heatmap *heatmap, Error *err)
{
    bool drawn;
    do
        drawn = heatmap_draw(heatmap, err);
    while (drawn && heatmap->figure.unfinished);
    return drawn;
}
