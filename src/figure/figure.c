// figure: themes, and the order in which a picture is put together; see figure.h.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "figure_internal.h"
#include "utf8.h"

const char *const figure_mode_names[FIGURE_MODE_COUNT + 1] = {"grid", "head", "lines", "all-lines",
                                                              NULL};
const char *const figure_scale_names[FIGURE_SCALE_COUNT + 1] = {"head", "all",  "unit",
                                                                "row",  "even", NULL};

static const FigureTheme light = {
    .paper = 0xffffff,
    .ink = 0x1b2430,
    .quiet = 0x667080,
    .faint = 0xdfe3e8,
    .accent = 0xc2410c,
    .empty = 0xeef0f3,
    .hatch = 0x7f8a97,
    .alarm = 0xb3261e,
    .alarm_paper = 0xfbe4e2,
    .line = 0x2a5fa5,
};

static const FigureTheme dark = {
    .paper = 0x14181e,
    .ink = 0xe6e9ed,
    .quiet = 0x98a2ae,
    .faint = 0x313943,
    .accent = 0xff9f5a,
    .empty = 0x232a33,
    .hatch = 0x6b7888,
    .alarm = 0xff8a80,
    .alarm_paper = 0x4a2326,
    .line = 0x7db4f5,
};

const FigureTheme *figure_theme(bool is_dark)
{
    return is_dark ? &dark : &light;
}

FigureRequest figure_request(const Trace *trace, int tensor)
{
    FigureRequest request = {.tensor = tensor, .computed = -1, .scale = FIGURE_SCALE_ALL};
    FigureData data;
    Error err;
    bool shares = figure_data(trace, &request, &data, &err) && data.is_weights;
    bool is_whole = trace->tensors[tensor].tensor.dtype != DTYPE_F32;
    request.map = shares || is_whole ? COLOUR_VIRIDIS : COLOUR_DIVERGING;
    if (shares && figure_shares_differ(&data, request.batch))
        request.scale = FIGURE_SCALE_EVEN;
    return request;
}

bool figure_can_be_even(const Trace *trace, int tensor)
{
    FigureRequest request = {.tensor = tensor};
    FigureData data;
    Error err;
    return figure_data(trace, &request, &data, &err) && figure_has_shares(&data);
}

bool figure_can_show(const Trace *trace, const FigureRequest *request, Error *err)
{
    FigureData data;
    return figure_data(trace, request, &data, err);
}

// What does not fit into a small picture is left out, the least important first.
static void divide(FigurePen *pen, FigureBox *header, FigureBox *scale, FigureBox *read_out,
                   FigureBox *bottom)
{
    int width = pen->list->width, height = pen->list->height;
    int margin = figure_points(pen, width >= figure_points(pen, 400) ? 24 : 8);
    FigureBox area = {margin, margin, width - 2 * margin, height - 2 * margin};
    *header = *scale = *read_out = *bottom = (FigureBox){0, 0, 0, 0};
    if (height >= figure_points(pen, 200)) {
        *header = (FigureBox){area.x, area.y, area.width, figure_points(pen, 58)};
        area.y += header->height;
        area.height -= header->height;
    }
    bool wants_bottom = pen->request->keys || pen->request->notice;
    if (wants_bottom && height >= figure_points(pen, 320)) {
        bottom->height = figure_points(pen, 22);
        area.height -= bottom->height - margin / 2;
        *bottom = (FigureBox){area.x, area.y + area.height, area.width, bottom->height};
    }
    if ((pen->request->has_cursor || pen->request->keys) && height >= figure_points(pen, 300)) {
        int high = figure_read_out_height(pen, area.width);
        area.height -= high + figure_points(pen, 6);
        *read_out = (FigureBox){area.x, area.y + area.height, area.width, high};
        area.height -= figure_points(pen, 12);
    }
    if (width >= figure_points(pen, 420)) {
        scale->width = figure_points(pen, 92);
        *scale = (FigureBox){area.x + area.width - scale->width, area.y, scale->width, area.height};
        area.width -= scale->width + figure_points(pen, 20);
    }
    figure_layout_strip(pen, &area);
    pen->area = area;
}

static bool draw_maps(FigurePen *pen, Error *err)
{
    if (!figure_layout(pen, err))
        return false;
    bool lines = pen->request->mode == FIGURE_LINES || pen->request->mode == FIGURE_ALL_LINES;
    if (lines)
        figure_layout_lines(pen);
    if (!figure_cache_fill(pen, err))
        return false;
    for (int map = 0; map < pen->figure->map_count; map++)
        if (lines)
            figure_draw_lines(pen, map);
        else
            figure_draw_map(pen, map);
    return true;
}

// Points of a picture that leave its maps room beside and below the words around them.
enum { ROOMY_WIDTH = 640, ROOMY_HEIGHT = 340, READ_OUT_HEIGHT = 460 };

// Letters that are larger than usual grow as long as the maps have most of the picture: it is for them that
// words are there.
static double scale_of(const FigureRequest *request, const FigurePaper *paper)
{
    double usual = paper->letters > 1.0 ? paper->scale / paper->letters : paper->scale;
    bool reads_out = request->has_cursor || request->keys;
    double across = (double)paper->width / ROOMY_WIDTH;
    double down = (double)paper->height / (reads_out ? READ_OUT_HEIGHT : ROOMY_HEIGHT);
    return fmax(usual, fmin(paper->scale, fmin(across, down)));
}

void figure_pen_open(FigurePen *pen, const FigureRequest *request, const FigurePaper *paper,
                     Figure *figure)
{
    *pen = (FigurePen){.request = request,
                       .metrics = paper->metrics,
                       .cache = paper->cache,
                       .list = paper->list,
                       .figure = figure,
                       .theme = *figure_theme(request->dark),
                       .scale = scale_of(request, paper)};
    pen->letters = paper->letters > 0.0 ? paper->letters * pen->scale / paper->scale : 1.0;
    *figure = (Figure){.map_count = 0, .letters = pen->letters};
    pen->small = figure_points(pen, 12);
    pen->text = figure_points(pen, 14);
    pen->title = figure_points(pen, 20);
    display_list_clear(pen->list, paper->width, paper->height, pen->theme.paper);
}

bool figure_draw(const Trace *trace, const FigureRequest *request, const FigurePaper *paper,
                 Figure *figure, Error *err)
{
    FigurePen pen;
    FigureBox header, bar, read_out, bottom;
    figure_pen_open(&pen, request, paper, figure);
    if (!figure_data(trace, request, &pen.data, err))
        return false;
    divide(&pen, &header, &bar, &read_out, &bottom);
    if (!draw_maps(&pen, err))
        return false;
    if (header.height > 0)
        figure_draw_header(&pen, header);
    figure_draw_strip(&pen, pen.area);
    if (bar.width > 0)
        figure_draw_scale(&pen, bar);
    if (read_out.height > 0)
        figure_draw_read_out(&pen, read_out);
    if (bottom.height > 0)
        figure_draw_bottom(&pen, bottom);
    if (request->help)
        figure_draw_help(&pen);
    if (pen.list->failed)
        error_set(err, "%s", pen.list->failure.text);
    return !pen.list->failed;
}
