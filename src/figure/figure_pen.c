// What every part of a picture is drawn with: lengths, texts, and which heads are there.
#include "figure_internal.h"

#include <stdio.h>
#include <string.h>
#include "utf8.h"

int figure_points(const FigurePen *pen, double points)
{
    return (int)(points * pen->scale + 0.5);
}

int figure_usual_points(const FigurePen *pen, double points)
{
    return figure_points(pen, pen->letters > 1.0 ? points / pen->letters : points);
}

int figure_label_width(const FigurePen *pen, ptrdiff_t count,
                       const char *(*label)(const FigureData *, ptrdiff_t, ptrdiff_t, char[64]),
                       int most)
{
    int widest = 0;
    char text[64];
    for (ptrdiff_t i = 0; i < count && i < 512 && widest < most; i++) {
        int width =
            font_width(pen->metrics, label(&pen->data, pen->request->batch, i, text), pen->small);
        widest = width > widest ? width : widest;
    }
    return widest < most ? widest : most;
}

void figure_text(const FigurePen *pen, DisplayItem item, int room, const char *text)
{
    char cut[512];
    if (text[0] == '\0')
        return;
    if (room > 0 && font_width(pen->metrics, text, item.size) > room) {
        int columns = utf8_width(text);
        do
            utf8_cut(text, --columns, cut, sizeof cut);
        while (columns > 1 && font_width(pen->metrics, cut, item.size) > room);
        text = cut;
    }
    display_text(pen->list, item, text);
}

int figure_name(const FigurePen *pen, DisplayItem item, int room, ptrdiff_t head)
{
    char name[160], widest[64], number[32];
    int digits = snprintf(number, sizeof number, "%td", pen->data.values.shape[1] - 1);
    memset(number, '0', (size_t)digits);
    snprintf(widest, sizeof widest, "%s %s", pen->data.map, number);
    bool counts = pen->data.has_heads && head >= 0;
    bool is_short = counts && font_width(pen->metrics, widest, item.size) > room;
    figure_map_name(&pen->data, pen->request->batch, head, name);
    if (is_short)
        snprintf(name, sizeof name, "%td", head);
    figure_text(pen, item, is_short ? 0 : room, name);
    return font_width(pen->metrics, is_short ? number : counts ? widest : name, item.size);
}

bool figure_shows_every_head(const FigureRequest *request)
{
    return !request->mean && (request->mode == FIGURE_GRID || request->mode == FIGURE_ALL_LINES);
}

bool figure_shows_head(const FigureRequest *request, ptrdiff_t head)
{
    return !figure_heads_any(&request->heads) || figure_heads_has(&request->heads, head);
}
