// figure_strip: the numbers of all heads in a row, from which they are picked, and above them those of the
// layers, where there are some; see figure_internal.h. A picked one is written dark in reverse, the one that
// keys act on is underlined: neither needs a colour to be seen.
#include "figure_internal.h"
#include "figure_words.h"

enum { STRIP_ROWS_MAX = 4 };

// A strip and what its numbers are.
typedef struct Numbers {
    FigureStrip *strip;
    const char *word, *hint;
    ptrdiff_t count, here; // `here` is underlined
    bool are_layers;       // of which one is in
} Numbers;

static bool wants_heads(const FigurePen *pen)
{
    const FigureRequest *request = pen->request;
    bool lines = request->mode == FIGURE_LINES || request->mode == FIGURE_ALL_LINES;
    return request->keys && !request->mean && pen->data.has_heads &&
           pen->data.values.shape[1] > 1 && (lines || figure_heads_any(&request->heads));
}

static bool wants_layers(const FigurePen *pen)
{
    return pen->data.batch_is_layers && pen->data.values.shape[0] > 1;
}

static Numbers heads_of(const FigurePen *pen)
{
    return (Numbers){.strip = &pen->figure->strip,
                     .word = pen->data.maps,
                     .hint = TELL(STRIP_HINT),
                     .count = pen->data.values.shape[1],
                     .here = pen->request->head};
}

static Numbers layers_of(const FigurePen *pen)
{
    return (Numbers){.strip = &pen->figure->layers,
                     .word = TELL(STRIP_LAYERS),
                     .hint = pen->request->keys ? TELL(STRIP_LAYERS_HINT) : "",
                     .count = pen->data.values.shape[0],
                     .here = pen->request->batch,
                     .are_layers = true};
}

// Takes its room from the top of the area, where there is enough.
static void lay_out(FigurePen *pen, const Numbers *numbers, FigureBox *area)
{
    char widest[32];
    snprintf(widest, sizeof widest, "%td", numbers->count - 1);
    int word = font_width(pen->metrics, numbers->word, pen->small) + figure_points(pen, 12);
    int gap = figure_points(pen, 5), chip = figure_points(pen, 20);
    int wide = font_width(pen->metrics, widest, pen->small) + figure_points(pen, 12);
    wide = wide > chip ? wide : chip;
    int columns = (area->width - word) / (wide + gap);
    ptrdiff_t count = numbers->count;
    ptrdiff_t rows = columns > 0 ? (count + columns - 1) / columns : STRIP_ROWS_MAX + 1;
    int height = (int)rows * (chip + gap);
    if (rows > STRIP_ROWS_MAX || area->height - height < figure_points(pen, 140))
        return;
    *numbers->strip = (FigureStrip){area->x + word, area->y, wide, chip, gap, columns, (int)count};
    area->y += height + gap;
    area->height -= height + gap;
}

void figure_layout_strip(FigurePen *pen, FigureBox *area)
{
    Numbers layers = layers_of(pen), heads = heads_of(pen);
    *layers.strip = *heads.strip = (FigureStrip){.count = 0};
    if (wants_layers(pen))
        lay_out(pen, &layers, area);
    if (wants_heads(pen))
        lay_out(pen, &heads, area);
}

static bool is_in(const FigurePen *pen, const Numbers *numbers, ptrdiff_t number)
{
    const FigureRequest *request = pen->request;
    if (numbers->are_layers)
        return number == numbers->here;
    bool all = figure_shows_every_head(request) && !figure_heads_any(&request->heads);
    return all || figure_heads_has(&request->heads, number);
}

static void draw_chip(const FigurePen *pen, const Numbers *numbers, ptrdiff_t number, int x, int y)
{
    const FigureStrip *strip = numbers->strip;
    bool in = is_in(pen, numbers, number);
    int line = figure_points(pen, 2) > 1 ? figure_points(pen, 2) : 1;
    char text[32];
    snprintf(text, sizeof text, "%td", number);
    if (in)
        display_rectangle(pen->list, x, y, strip->width, strip->height, pen->theme.ink);
    else
        display_add(pen->list, (DisplayItem){.kind = DISPLAY_FRAME,
                                             .x = x,
                                             .y = y,
                                             .width = strip->width,
                                             .height = strip->height,
                                             .colour = pen->theme.faint,
                                             .alpha = 255,
                                             .thickness = 1});
    figure_text(pen,
                (DisplayItem){.x = x + strip->width / 2,
                              .y = y + strip->height / 2,
                              .size = pen->small,
                              .anchor = DISPLAY_CENTRE,
                              .bold = in,
                              .colour = in ? pen->theme.paper : pen->theme.quiet},
                0, text);
    if (number == numbers->here)
        display_rectangle(pen->list, x, y + strip->height + line / 2, strip->width, line,
                          pen->theme.accent);
}

static void draw(const FigurePen *pen, FigureBox area, const Numbers *numbers)
{
    const FigureStrip *strip = numbers->strip;
    int across = strip->width + strip->gap, down = strip->height + strip->gap;
    if (strip->count == 0)
        return;
    DisplayItem item = {.x = area.x,
                        .y = strip->y + strip->height / 2,
                        .size = pen->small,
                        .bold = true,
                        .colour = pen->theme.ink};
    figure_text(pen, item, 0, numbers->word);
    for (int i = 0; i < strip->count; i++)
        draw_chip(pen, numbers, i, strip->x + i % strip->columns * across,
                  strip->y + i / strip->columns * down);
    item.x = strip->x + strip->count * across + strip->gap;
    item.bold = false;
    item.colour = pen->theme.quiet;
    int hint = font_width(pen->metrics, numbers->hint, pen->small);
    if (strip->count <= strip->columns && item.x + hint <= area.x + area.width)
        figure_text(pen, item, 0, numbers->hint);
}

void figure_draw_strip(const FigurePen *pen, FigureBox area)
{
    Numbers layers = layers_of(pen), heads = heads_of(pen);
    draw(pen, area, &layers);
    draw(pen, area, &heads);
}

static bool hit(const FigureStrip *strip, int x, int y, ptrdiff_t *number)
{
    int across = strip->width + strip->gap, down = strip->height + strip->gap;
    if (strip->count == 0 || x < strip->x || y < strip->y)
        return false;
    int column = (x - strip->x) / across, row = (y - strip->y) / down;
    *number = (ptrdiff_t)row * strip->columns + column;
    return column < strip->columns && *number < strip->count &&
           (x - strip->x) % across < strip->width && (y - strip->y) % down < strip->height;
}

bool figure_hit_head(const Figure *figure, int x, int y, ptrdiff_t *head)
{
    return hit(&figure->strip, x, y, head);
}

bool figure_hit_layer(const Figure *figure, int x, int y, ptrdiff_t *layer)
{
    return hit(&figure->layers, x, y, layer);
}
