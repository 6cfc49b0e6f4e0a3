// figure_buttons: what a window offers to the mouse; see figure_internal.h. What is chosen is written in
// reverse and what the pointer is over is underlined: neither needs a colour to be seen.
#include "figure_internal.h"

#include <stdio.h>
#include <string.h>
#include "figure_words.h"

typedef enum Needs {
    NEEDS_NOTHING,
    NEEDS_SEQUENCES,
    NEEDS_LAYERS,
    NEEDS_MAPS,
    NEEDS_REST,
    NEEDS_PLAY,
    NEEDS_INPUT,
    NEEDS_INPUTS
} Needs;

typedef struct Button {
    FigureBar bar;
    Needs needs;
    const char *says;
    Words words;
} Button;

static const Button all[] = {
#define BUTTON(bar, needs, says, english, korean) \
    {FIGURE_BAR_##bar, NEEDS_##needs, says, WORDS(english, korean)},
#include "figure_buttons.def"
};

enum { COUNT = sizeof all / sizeof *all };

static bool is_offered(const FigurePen *pen, const Button *button)
{
    const ptrdiff_t *shape = pen->data.values.shape;
    bool layers = pen->data.batch_is_layers, several = shape[0] > 1;
    return button->needs == NEEDS_SEQUENCES ? several && !layers
           : button->needs == NEEDS_LAYERS  ? several && layers
           : button->needs == NEEDS_MAPS    ? shape[1] > 1
           : button->needs == NEEDS_REST    ? !pen->request->plays
           : button->needs == NEEDS_PLAY    ? pen->request->plays
           : button->needs == NEEDS_INPUT   ? pen->inputs > 0
           : button->needs == NEEDS_INPUTS  ? pen->inputs > 1
                                            : true;
}

static bool is_hovered(const FigurePen *pen, const char *says)
{
    const char *hovered = pen->request->hovered;
    return hovered && says[0] != '\0' && strcmp(hovered, says) == 0;
}

// The words under which the pointer is, with a line below while it is there.
static void offer(const FigurePen *pen, const char *says, FigureBox box)
{
    Figure *figure = pen->figure;
    int line = figure_points(pen, 2) > 1 ? figure_points(pen, 2) : 1;
    if (says[0] == '\0' || figure->button_count == FIGURE_BUTTONS_MAX)
        return;
    figure->buttons[figure->button_count++] =
        (FigureButton){box.x, box.y, box.width, box.height, says};
    if (is_hovered(pen, says))
        display_rectangle(pen->list, box.x, box.y + box.height - line, box.width, line,
                          pen->theme.accent);
}

void figure_draw_bar_of_buttons(const FigurePen *pen, FigureBar bar, FigureBox box)
{
    int gap = figure_points(pen, 16), x = box.x, end = box.x + box.width;
    for (int i = 0; i < COUNT; i++) {
        const char *words = words_tell(all[i].words);
        int wide = font_width(pen->metrics, words, pen->small);
        if (all[i].bar != bar || x + wide > end || !is_offered(pen, &all[i]))
            continue;
        bool hovered = is_hovered(pen, all[i].says);
        figure_text(pen,
                    (DisplayItem){.x = x,
                                  .y = box.y + box.height / 2,
                                  .size = pen->small,
                                  .colour = hovered ? pen->theme.ink : pen->theme.quiet},
                    0, words);
        offer(pen, all[i].says, (FigureBox){x, box.y, wide, box.height});
        x += wide + gap;
    }
}

const char *figure_button_hint(const FigurePen *pen)
{
    for (int i = 0; i < COUNT; i++)
        if (all[i].bar == FIGURE_BAR_MODES && is_hovered(pen, all[i].says))
            return words_tell(all[i].words);
    return NULL;
}

// --- the modes

static const char *mode_name(const FigurePen *pen, FigureMode mode, char text[96])
{
    const FigureData *data = &pen->data;
    bool one = data->values.shape[1] < 2;
    if (mode == FIGURE_GRID && one)
        snprintf(text, 96, "%s", TELL(MODE_MAP));
    else if (mode == FIGURE_GRID)
        snprintf(text, 96, TELL(MODE_GRID), data->maps);
    else if (mode == FIGURE_HEAD)
        snprintf(text, 96, TELL(MODE_HEAD), data->map);
    else if (mode == FIGURE_LINES)
        snprintf(text, 96, "%s", one ? TELL(MODE_LINES) : TELL(MODE_LINES_ONE));
    else
        snprintf(text, 96, "%s", TELL(MODE_LINES_ALL));
    return text;
}

// Whether the mode is the one on show; of one map there are only two.
static bool is_shown(const FigurePen *pen, FigureMode mode)
{
    FigureMode now = pen->request->mode;
    if (pen->data.values.shape[1] > 1)
        return now == mode;
    bool lines = now == FIGURE_LINES || now == FIGURE_ALL_LINES;
    return lines == (mode == FIGURE_LINES);
}

// A comparison has no lines.
static bool has_mode(const FigurePen *pen, FigureMode mode)
{
    bool lines = mode == FIGURE_LINES || mode == FIGURE_ALL_LINES;
    return is_offered(pen, &all[mode]) && !(lines && pen->request->compares);
}

static void draw_mode(const FigurePen *pen, FigureMode mode, FigureBox box, const char *name)
{
    bool shown = is_shown(pen, mode);
    if (shown)
        display_rectangle(pen->list, box.x, box.y, box.width, box.height, pen->theme.ink);
    else
        display_add(pen->list, (DisplayItem){.kind = DISPLAY_FRAME,
                                             .x = box.x,
                                             .y = box.y,
                                             .width = box.width,
                                             .height = box.height,
                                             .colour = pen->theme.faint,
                                             .alpha = 255,
                                             .thickness = 1});
    figure_text(pen,
                (DisplayItem){.x = box.x + box.width / 2,
                              .y = box.y + box.height / 2,
                              .size = pen->small,
                              .anchor = DISPLAY_CENTRE,
                              .bold = shown,
                              .colour = shown ? pen->theme.paper : pen->theme.quiet},
                0, name);
    offer(pen, all[mode].says, box);
}

int figure_draw_modes(const FigurePen *pen, FigureBox box)
{
    enum { LEAST = 140 }; // points that the title keeps
    int wide[FIGURE_MODE_COUNT] = {0}, used = 0, pad = figure_points(pen, 18);
    char name[96];
    if (!pen->request->keys)
        return 0;
    for (FigureMode mode = 0; mode < FIGURE_MODE_COUNT; mode++)
        if (has_mode(pen, mode)) {
            wide[mode] = font_width(pen->metrics, mode_name(pen, mode, name), pen->small) + pad;
            used += wide[mode];
        }
    if (used + figure_points(pen, LEAST) > box.width)
        return 0;
    FigureBox at = {box.x + box.width - used, box.y, 0, figure_points(pen, 24)};
    for (FigureMode mode = 0; mode < FIGURE_MODE_COUNT; mode++)
        if (has_mode(pen, mode)) {
            at.width = wide[mode] - 1;
            draw_mode(pen, mode, at, mode_name(pen, mode, name));
            at.x += wide[mode];
        }
    return used;
}

const char *figure_hit_button(const Figure *figure, int x, int y)
{
    for (int i = 0; i < figure->button_count; i++) {
        const FigureButton *button = &figure->buttons[i];
        if (x >= button->x && x < button->x + button->width && y >= button->y &&
            y < button->y + button->height)
            return button->says;
    }
    return NULL;
}
