// The parts of a training's picture around its maps; see train_view.h.
#include "train_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "training_told.h"
#include "view_words.h"

enum { LINE = 20, SMALL = 12, NAME = 70, RIGHT = 56, HEAD = 104 };

int train_points(const TrainView *view, double points)
{
    return (int)(points * view->scale + 0.5);
}

int train_text(TrainView *view, DisplayItem item, const char *text)
{
    item.kind = DISPLAY_TEXT;
    item.alpha = 255;
    display_text(&view->list, item, text);
    return font_width(&view->metrics, text, item.size);
}

static DisplayItem small_text(const TrainView *view, int x, int y, Colour colour)
{
    return (DisplayItem){.x = x, .y = y, .size = train_points(view, SMALL), .colour = colour};
}

// How many bytes of a text fit into a line: whole words, one at least.
static size_t line_of(const TrainView *view, const char *text, int width)
{
    char line[1024];
    size_t fits = 0;
    for (size_t end = strcspn(text, " "); end < sizeof line;
         end += 1 + strcspn(text + end + 1, " ")) {
        snprintf(line, sizeof line, "%.*s", (int)end, text);
        if (fits > 0 && font_width(&view->metrics, line, train_points(view, SMALL)) > width)
            break;
        fits = end;
        if (text[end] == '\0')
            break;
    }
    return fits;
}

void train_paragraph(TrainView *view, TrainBox box, Colour colour, const char *text)
{
    int line = train_points(view, LINE);
    for (int y = box.y + line / 2; *text && y < box.y + box.height; y += line) {
        char words[1024];
        size_t bytes = line_of(view, text, box.width);
        snprintf(words, sizeof words, "%.*s", (int)bytes, text);
        train_text(view, small_text(view, box.x, y, colour), words);
        text += bytes + (text[bytes] == ' ');
    }
}

// --- the loss

static void draw_checkpoints(TrainView *view, const TrainingWatch *watch, TrainBox plot)
{
    const FigureTheme *theme = figure_theme(false);
    int y = plot.y + plot.height, tick = train_points(view, 4);
    display_rectangle(&view->list, plot.x, y, plot.width, 1, theme->quiet);
    for (int i = 0; i < watch->keep_count; i++) {
        int64_t x = watch->keeps[i].step * (plot.width - 1) / training_watch_last(watch);
        bool is_chosen = i == watch->keep_chosen;
        display_rectangle(&view->list, plot.x + (int)x - is_chosen, y, 1 + 2 * is_chosen,
                          is_chosen ? 2 * tick : tick, is_chosen ? theme->accent : theme->quiet);
    }
}

void train_curve(TrainView *view, const TrainingWatch *watch, TrainBox box)
{
    const FigureTheme *theme = figure_theme(false);
    char text[TOLD_BYTES];
    int line = train_points(view, LINE), thick = train_points(view, 2), before = -1;
    TrainBox plot = {box.x, box.y + line, box.width, box.height - 2 * line};
    if (plot.width < 1 || plot.height < 1)
        return;
    float largest = training_watch_largest(watch);
    words_format(text, sizeof text, largest > 0.0f ? TELL(TRAIN_CURVE) : TELL(TRAIN_CURVE_NONE),
                 (double)largest, (long long)training_watch_last(watch));
    train_text(view, small_text(view, box.x, box.y + line / 2, theme->quiet), text);
    for (int x = 0; x < plot.width; x++) {
        float loss = training_watch_loss(watch, x, plot.width);
        if (isnan(loss) || largest <= 0.0f)
            continue;
        int y = plot.y + (int)((float)(plot.height - thick) * (1.0f - fminf(loss / largest, 1.0f)));
        int top = before < 0 || y < before ? y : before, bottom = y > before ? y : before;
        display_rectangle(&view->list, plot.x + x, top, thick, bottom - top + thick, theme->line);
        before = y;
    }
    draw_checkpoints(view, watch, plot);
}

// --- the table

static void add_button(TrainView *view, TrainBox box, const char *key)
{
    if (view->button_count == TRAIN_BUTTONS_MAX)
        return;
    TrainButton *button = &view->buttons[view->button_count++];
    *button = (TrainButton){.x = box.x, .y = box.y, .width = box.width, .height = box.height};
    snprintf(button->key, sizeof button->key, "%s", key);
}

static void draw_head(TrainView *view, const TrainingWatch *watch, int head, TrainBox box)
{
    const FigureTheme *theme = figure_theme(false);
    bool is_away = watch->without & 1u << head;
    char text[TOLD_BYTES], key[KEY_NAME_MAX];
    snprintf(key, sizeof key, "%d", head % 10);
    words_format(text, sizeof text, is_away ? TELL(TRAIN_TABLE_AWAY) : TELL(TRAIN_TABLE_HEAD),
                 head);
    DisplayItem item = small_text(view, box.x, box.y + box.height / 2,
                                  is_away               ? theme->alarm
                                  : head == watch->head ? theme->accent
                                                        : theme->ink);
    item.bold = true;
    train_text(view, item, text);
    if (head < 10)
        add_button(view, box, key);
}

// The heads that a table has room for, the one that the arrows go to among them.
typedef struct Heads {
    int first, end;
} Heads;

static Heads heads_in(const TrainView *view, const TrainingWatch *watch, int width)
{
    int fit = (width - train_points(view, NAME + RIGHT)) / train_points(view, HEAD);
    int all = watch->training.recipe.heads;
    fit = fit < 1 ? 1 : fit < all ? fit : all;
    int first = watch->head < fit ? 0 : watch->head - fit + 1;
    return (Heads){first, first + fit};
}

static void draw_question(TrainView *view, const TrainingWatch *watch, Question q, TrainBox box)
{
    const FigureTheme *theme = figure_theme(false);
    const Measure *measure = &watch->measure;
    char text[TOLD_BYTES];
    int y = box.y + box.height / 2, x = box.x + train_points(view, NAME);
    train_text(view, small_text(view, box.x, y, theme->ink), question_names[q]);
    snprintf(text, sizeof text, "%.3f", measure->right[q]);
    train_text(view, small_text(view, x, y, theme->ink), text);
    x += train_points(view, RIGHT);
    Heads heads = heads_in(view, watch, box.width);
    for (int h = heads.first; h < heads.end; h++, x += train_points(view, HEAD)) {
        bool owns = h == measure->owner[q];
        snprintf(text, sizeof text, "%.2f%s  %.2f", measure->mass[q][h], owns ? "*" : "",
                 measure->right_without[q][h]);
        DisplayItem item = small_text(view, x, y, owns ? theme->ink : theme->quiet);
        item.bold = owns;
        train_text(view, item, text);
    }
}

void train_table(TrainView *view, const TrainingWatch *watch, TrainBox box)
{
    const FigureTheme *theme = figure_theme(false);
    char text[TOLD_BYTES];
    int line = train_points(view, LINE), head = train_points(view, HEAD);
    TrainBox row = {box.x, box.y, box.width, line};
    words_format(text, sizeof text, TELL(TRAIN_TABLE), MEASURE_TEXTS,
                 (long long)watch->measured_at);
    train_text(view, small_text(view, row.x, row.y + line / 2, theme->quiet), text);
    row.y += line;
    int x = row.x + train_points(view, NAME);
    train_text(view, small_text(view, x, row.y + line / 2, theme->quiet), TELL(TRAIN_TABLE_RIGHT));
    x += train_points(view, RIGHT);
    Heads heads = heads_in(view, watch, box.width);
    for (int h = heads.first; h < heads.end; h++, x += head)
        draw_head(view, watch, h, (TrainBox){x, row.y, head, line});
    for (Question q = 0; q < QUESTION_COUNT; q++) {
        row.y += line;
        draw_question(view, watch, q, row);
    }
    row.y += line;
    row.height = box.y + box.height - row.y;
    train_paragraph(view, row, theme->quiet, TELL(TRAIN_TABLE_MEAN));
}

// --- in the place of the maps

void train_parameter(TrainView *view, const TrainingWatch *watch, TrainBox box)
{
    const FigureTheme *theme = figure_theme(false);
    ParameterLine lines[PARAMETER_LINES_MAX];
    int count = training_told_parameter(watch, lines), line = train_points(view, LINE + 6);
    for (int i = 0; i < count; i++) {
        DisplayItem item = small_text(view, box.x, box.y + line * (i + 1),
                                      lines[i].is_result ? theme->accent : theme->ink);
        item.size = train_points(view, SMALL + 2);
        item.bold = lines[i].is_name;
        train_text(view, item, lines[i].text);
    }
}

void train_help(TrainView *view, bool is_beside, TrainBox box)
{
    const FigureTheme *theme = figure_theme(false);
    int line = train_points(view, LINE);
    char text[TOLD_BYTES];
    const char *told;
    for (int i = 0;
         (told = training_told_help(i, is_beside, text)) != NULL && line * (i + 1) < box.height;
         i++) {
        DisplayItem item = small_text(view, box.x, box.y + line * (i + 1), theme->ink);
        item.fixed = true;
        train_text(view, item, told);
    }
}

// --- keys

// A button for each row that is told now: a click is one key, so that keys are not joined as in a terminal.
void train_keys(TrainView *view, unsigned now, TrainBox box)
{
    const FigureTheme *theme = figure_theme(false);
    int size = train_points(view, SMALL), pad = train_points(view, 7), x = box.x;
    for (int i = 0; i < training_watch_keys.count; i++) {
        const KeyRow *row = &training_watch_keys.rows[i];
        KeyTold told;
        char text[TOLD_BYTES], key[KEY_NAME_MAX];
        keymap_tell((Keymap){row, 1}, KEY_LABEL, now, language_now(), &(int){0}, &told);
        words_format(text, sizeof text, "%s%s%s", told.keys, *told.words ? " " : "", told.words);
        int width = font_width(&view->metrics, text, size) + 2 * pad;
        TrainBox button = {x, box.y + pad / 2, width, box.height - 2 * pad};
        if (!*told.keys || !(row->when & WATCH_CLICK))
            continue;
        if (x + width > box.x + box.width)
            break;
        display_rectangle(&view->list, button.x, button.y, button.width, button.height,
                          theme->empty);
        train_text(view, small_text(view, x + pad, button.y + button.height / 2, theme->ink), text);
        add_button(view, button, keymap_first(row->keys, key));
        x += width + pad;
    }
}
