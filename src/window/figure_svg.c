// Display lists and sessions as SVG; see export.h.
#include "export.h"

#include <string.h>
#include "html_text.h"
#include "new_file.h"
#include "utf8.h"
#include "error.h"

// --- a display list

// The lines of each mark in a tile of 8 x 8 pixels; padding is bold and sparse.
static const char *const mark_paths[DISPLAY_MARK_COUNT] = {
    [DISPLAY_PLAIN] = NULL,
    [DISPLAY_MASKED] = "M0 0L8 8M-4 4L4 12M4 -4L12 4",
    [DISPLAY_PADDED] = "M0 8L8 0M-1 1L1 -1M7 9L9 7",
    [DISPLAY_NAN] = "M0 0L8 8M0 8L8 0",
    [DISPLAY_INFINITY] = "M4 0L4 8",
    [DISPLAY_MINUS_INFINITY] = "M0 4L8 4",
    [DISPLAY_NOT_YET] = "M3 4L5 4",
};

// Patterns in the theme's colour, in dark for light cells, in light for dark cells.
static const char *const tones[] = {"", "-dark", "-bright"};

static const char *tone_on(const DisplayItem *item, DisplayCell cell)
{
    Colour colour = display_hatch(item->colour, cell & 0xffffff);
    return colour == item->colour ? tones[0] : colour == 0xffffff ? tones[2] : tones[1];
}

static void put_opacity(const DisplayItem *item, const char *end, FILE *out)
{
    if (item->alpha < 255)
        fprintf(out, " opacity=\"%.3f\"", item->alpha / 255.0);
    fputs(end, out);
}

static void put_rectangle(const DisplayItem *item, FILE *out)
{
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"", item->x,
            item->y, item->width, item->height, (unsigned)(item->colour & 0xffffff));
    put_opacity(item, "/>\n", out);
}

static void put_frame(const DisplayItem *item, FILE *out)
{
    int inset = item->thickness;
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#%06x\" "
            "stroke-width=\"%d\"",
            item->x + inset / 2.0, item->y + inset / 2.0, item->width - inset, item->height - inset,
            (unsigned)(item->colour & 0xffffff), inset);
    put_opacity(item, "/>\n", out);
}

static void put_text(const DisplayList *list, const DisplayItem *item, FILE *out)
{
    static const char *const anchors[] = {
        [DISPLAY_LEFT] = "start", [DISPLAY_CENTRE] = "middle", [DISPLAY_RIGHT] = "end"};
    const char *text = list->texts + item->at;
    bool turns = utf8_turns(text); // viewers find its direction, as in pictures of pixels
    fprintf(out,
            "<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"#%06x\" text-anchor=\"%s\" "
            "dominant-baseline=\"central\"%s%s%s",
            item->x, item->y, item->size, (unsigned)(item->colour & 0xffffff),
            anchors[item->anchor], item->bold ? " font-weight=\"bold\"" : "",
            item->fixed ? " font-family=\"monospace\"" : "",
            strstr(text, "  ") ? " xml:space=\"preserve\"" : "");
    if (item->upright)
        fprintf(out, " transform=\"rotate(-90 %d %d)\"", item->x, item->y);
    put_opacity(item, turns ? ">\u2068" : ">", out);
    html_text(out, text);
    fputs(turns ? "\u2069</text>\n" : "</text>\n", out);
}

static void put_curve(const DisplayItem *item, FILE *out)
{
    int end_x = item->x + item->width, end_y = item->y + item->height;
    double middle = item->x + item->width / 2.0;
    fprintf(out,
            "<path d=\"M%d %dC%.1f %d %.1f %d %d %d\" fill=\"none\" stroke=\"#%06x\" "
            "stroke-width=\"%.2f\"",
            item->x, item->y, middle, item->y, middle, end_y, end_x, end_y,
            (unsigned)(item->colour & 0xffffff), item->thickness / 16.0);
    put_opacity(item, "/>\n", out);
}

// Equal cells of a row are one rectangle, unless there are gaps.
typedef struct Run {
    DisplayCell cell;
    int row, column, count;
} Run;

static Run run_at(const DisplayList *list, const DisplayItem *item, int row, int column)
{
    const DisplayCell *cells = list->cells + item->at + (size_t)row * (size_t)item->columns;
    int end = column + 1;
    while (item->gap == 0 && end < item->columns && cells[end] == cells[column])
        end++;
    return (Run){cells[column], row, column, end - column};
}

static void put_run(const DisplayItem *item, const Run *run, const char *name, FILE *out)
{
    double width = (double)item->width / item->columns, height = (double)item->height / item->rows;
    double x = item->x + run->column * width, y = item->y + run->row * height;
    double across = run->count * width - item->gap, down = height - item->gap;
    int mark = (int)(run->cell >> 24);
    fprintf(out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"#%06x\"/>\n", x, y,
            across, down, (unsigned)(run->cell & 0xffffff));
    if (mark > DISPLAY_PLAIN && mark < DISPLAY_MARK_COUNT)
        fprintf(out,
                "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"url(#%s-%d%s)\"/>\n", x,
                y, across, down, name, mark, tone_on(item, run->cell));
}

static void put_cells(const DisplayList *list, const DisplayItem *item, const char *name, FILE *out)
{
    // Touching cells are not smoothed: a scaled picture would show the background between them.
    fprintf(out, item->gap == 0 ? "<g shape-rendering=\"crispEdges\">\n" : "<g>\n");
    for (int row = 0; row < item->rows; row++)
        for (int column = 0; column < item->columns;) {
            Run run = run_at(list, item, row, column);
            put_run(item, &run, name, out);
            column += run.count;
        }
    fputs("</g>\n", out);
}

static void put_pattern(const char *name, int mark, int tone, Colour hatch, FILE *out)
{
    static const Colour others[] = {0, 0x1b2430, 0xffffff}; // as display_hatch has them
    fprintf(out,
            "<pattern id=\"%s-%d%s\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">"
            "<path d=\"%s\" stroke=\"#%06x\"%s/></pattern>\n",
            name, mark, tones[tone], mark_paths[mark],
            (unsigned)((tone == 0 ? hatch : others[tone]) & 0xffffff),
            mark == DISPLAY_PADDED ? " stroke-width=\"2\"" : "");
}

static void put_patterns(const DisplayList *list, const char *name, FILE *out)
{
    Colour hatch = 0x808080;
    bool found = false; // maps come before the bar of colours, which has no hatch
    for (size_t i = 0; i < list->item_count && !found; i++) {
        found = list->items[i].kind == DISPLAY_CELLS;
        hatch = found ? list->items[i].colour : hatch;
    }
    fputs("<defs>\n", out);
    for (int mark = 0; mark < DISPLAY_MARK_COUNT; mark++)
        for (int tone = 0; mark_paths[mark] && tone < 3; tone++)
            put_pattern(name, mark, tone, hatch, out);
    fputs("</defs>\n", out);
}

static void put_items(const DisplayList *list, const char *name, FILE *out)
{
    put_patterns(list, name, out);
    fprintf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n", list->width, list->height,
            (unsigned)(list->background & 0xffffff));
    for (size_t i = 0; i < list->item_count; i++) {
        const DisplayItem *item = &list->items[i];
        switch (item->kind) {
        case DISPLAY_RECTANGLE:
            put_rectangle(item, out);
            break;
        case DISPLAY_FRAME:
            put_frame(item, out);
            break;
        case DISPLAY_TEXT:
            put_text(list, item, out);
            break;
        case DISPLAY_CURVE:
            put_curve(item, out);
            break;
        case DISPLAY_CELLS:
            put_cells(list, item, name, out);
            break;
        }
    }
    fputs("</svg>\n", out);
}

void figure_svg(const DisplayList *list, const char *name, const char *about, FILE *out)
{
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", list->width,
            list->height);
    html_text(out, about);
    fputs("\">\n", out);
    put_items(list, name, out);
}

void figure_svg_file(const DisplayList *list, const char *title, const char *about, FILE *out)
{
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "role=\"img\" aria-labelledby=\"title about\" "
            "font-family=\"Inter, 'Noto Sans', 'Noto Sans CJK KR', "
            "sans-serif\" style=\"font-variant-ligatures:none\">\n<title id=\"title\">",
            list->width, list->height);
    html_text(out, title);
    fputs("</title>\n<desc id=\"about\">", out);
    html_text(out, about);
    fputs("</desc>\n", out);
    put_items(list, "mark", out);
}

// --- the picture of a session

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
    bool good = written_end(&about, err);
    const char *title = whole->session->picture.request.title;
    if (good)
        figure_svg_file(whole->list, title ? title : picture_tensor_name(whole->session),
                        about.text, out);
    written_drop(&about);
    return good;
}

bool picture_svg_save(const Session *session, PictureView *view, const char *path, Error *err)
{
    Whole whole = {session, &view->list};
    return picture_view_draw_whole(view, session, err) &&
           new_file_write(path, write_whole, &whole, err);
}
