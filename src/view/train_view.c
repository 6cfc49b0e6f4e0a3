// train_view: see train_view.h.
#include "train_view.h"

#include <string.h>
#include "training_told.h"
#include "view_words.h"

enum { TOP = 156, COVERS = 225 };

bool train_view_open(TrainView *view, Error *err)
{
    enum { HE_AT = 5 }; // of the document's sentence, with which it begins
    *view = (TrainView){.width = 1280,
                        .height = 960,
                        .scale = 1.0,
                        .metrics = font_metrics_usual,
                        .cursor = {.row = HE_AT},
                        .sentence = -1};
    view->cache = figure_cache_open(err);
    return view->cache != NULL;
}

static void close_text(TrainView *view)
{
    if (view->sentence >= 0)
        training_batch_close(&view->text);
    view->sentence = -1;
}

void train_view_close(TrainView *view)
{
    if (!view->cache)
        return;
    close_text(view);
    display_list_finish(&view->list);
    figure_cache_close(view->cache);
    view->cache = NULL;
}

// --- the text that is looked at

// Its rows in which nobody asked for what a head does are drawn pale.
static void mark_rows(TrainView *view, const TrainingWatch *watch)
{
    const GrammarText *text = &view->text.texts[0];
    for (int h = 0; h < watch->training.recipe.heads; h++) {
        bool *of_word = view->of_word[h];
        memset(of_word, 0, sizeof view->of_word[h]);
        for (int row = 1; row < text->length; row++)
            of_word[text->words[row]] |= measure_is_asked(&watch->measure, h, text, row);
        bool at_first = measure_is_asked(&watch->measure, h, text, 0);
        of_word[text->words[0]] |= at_first;
        view->asked[h] = (ScenarioAsked){.of_word = of_word, .at_first = at_first};
    }
    view->text.scenario.asked = view->asked;
}

// Runs it with the weights as they are now.
static bool run_text(TrainView *view, const TrainingWatch *watch, Error *err)
{
    const GrammarText *text = &watch->sentences.texts[watch->sentence];
    if (view->sentence != watch->sentence) {
        close_text(view);
        if (!training_batch_open(&watch->training, 1, text->length, &view->text, err))
            return false;
        view->sentence = watch->sentence;
        view->text.texts[0] = *text;
    }
    mark_rows(view, watch);
    view->version++;
    return training_batch_run(&view->text, err);
}

// --- the maps

// The cell of the head that the arrows go to, until the pointer is over another.
static void follow_head(TrainView *view, const TrainingWatch *watch)
{
    if (view->head != watch->head)
        view->cursor.head = watch->head;
    view->head = watch->head;
}

static FigureRequest request_of(const TrainView *view)
{
    const Trace *trace = &view->text.trace;
    FigureRequest request = figure_request(trace, trace_find(trace, "attn_weights"));
    int last = view->text.length - 1;
    request.scale = FIGURE_SCALE_UNIT;
    request.has_cursor = true;
    request.cursor = view->cursor;
    request.cursor.row = request.cursor.row < last ? request.cursor.row : last;
    request.cursor.column = request.cursor.column < last ? request.cursor.column : last;
    request.version = view->version;
    return request;
}

// Where the heads are that are taken away: their maps stay below, as nothing was done to the training.
static void cover(TrainView *view, const TrainingWatch *watch)
{
    const Figure *figure = &view->figure;
    const FigureTheme *theme = figure_theme(false);
    for (int i = 0; i < figure->map_count; i++) {
        const FigureMap *map = &figure->maps[i];
        if (!(watch->without & 1u << map->head))
            continue;
        int width = (int)figure->columns * figure->cell_width;
        int height = (int)figure->rows * figure->cell_height;
        display_add(&view->list, (DisplayItem){.kind = DISPLAY_RECTANGLE,
                                               .x = map->x,
                                               .y = map->y,
                                               .width = width,
                                               .height = height,
                                               .colour = theme->paper,
                                               .alpha = COVERS});
        train_text(view,
                   (DisplayItem){.x = map->x + width / 2,
                                 .y = map->y + height / 2,
                                 .size = train_points(view, 16),
                                 .bold = true,
                                 .anchor = DISPLAY_CENTRE,
                                 .colour = theme->alarm},
                   TELL(TRAIN_HEAD_GONE));
    }
}

// The figure is drawn on a paper of its own, which then is moved to its place.
bool train_maps(TrainView *view, const TrainingWatch *watch, int above, int height, Error *err)
{
    view->figure_y = above;
    char title[TOLD_BYTES];
    if (!run_text(view, watch, err))
        return false;
    follow_head(view, watch);
    FigureRequest request = request_of(view);
    FigurePaper paper = {.width = view->width,
                         .height = height,
                         .scale = view->scale,
                         .letters = 1.0,
                         .metrics = &view->metrics,
                         .cache = view->cache,
                         .list = &view->list};
    words_format(title, sizeof title, TELL(TRAIN_FIGURE), watch->sentence + 1, WATCH_SENTENCES,
                 (long long)watch->training.step);
    request.title = title;
    do
        if (!figure_draw(&view->text.trace, &request, &paper, &view->figure, err))
            return false;
    while (view->figure.unfinished);
    cover(view, watch);
    for (size_t i = 0; i < view->list.item_count; i++)
        view->list.items[i].y += view->figure_y;
    return true;
}

// --- all of it

void train_heading(TrainView *view, int x, const char *text)
{
    train_text(view,
               (DisplayItem){.x = x,
                             .y = train_points(view, 26),
                             .size = train_points(view, 16),
                             .bold = true,
                             .colour = figure_theme(false)->ink},
               text);
}

static void draw_top(TrainView *view, const TrainingWatch *watch)
{
    char title[TOLD_BYTES];
    int margin = train_points(view, TRAIN_MARGIN), middle = view->width * 2 / 5;
    int top = train_points(view, TRAIN_TITLE), height = train_points(view, TOP);
    training_told_title(watch, title);
    train_heading(view, margin, title);
    train_curve(view, watch, (TrainBox){margin, top, middle - 2 * margin, height});
    train_table(view, watch, (TrainBox){middle, top, view->width - middle - margin, height});
}

void train_message(TrainView *view, bool is_alarm, const char *message, unsigned now)
{
    const FigureTheme *theme = figure_theme(false);
    int margin = train_points(view, TRAIN_MARGIN), width = view->width - 2 * margin;
    int keys = train_points(view, TRAIN_KEYS), says = train_points(view, TRAIN_MESSAGE);
    train_paragraph(view, (TrainBox){margin, view->height - keys - says, width, says},
                    is_alarm ? theme->alarm : theme->ink, message);
    train_keys(view, now, (TrainBox){margin, view->height - keys, width, keys});
}

bool train_view_draw(TrainView *view, const TrainingWatch *watch, Error *err)
{
    char message[sizeof watch->broken.text + TOLD_BYTES];
    int above = train_points(view, TRAIN_TITLE + TOP),
        below = train_points(view, TRAIN_MESSAGE + TRAIN_KEYS);
    int height = view->height - above - below;
    TrainBox box = {train_points(view, TRAIN_MARGIN), above,
                    view->width - train_points(view, 2 * TRAIN_MARGIN), height};
    bool has_maps = !watch->shows_help && !watch->shows_parameter && height > 0;
    display_list_clear(&view->list, view->width, view->height, figure_theme(false)->paper);
    view->figure = (Figure){.map_count = 0};
    view->button_count = 0;
    if (has_maps && !train_maps(view, watch, above, height, err))
        return false;
    view->list.height = view->height;
    draw_top(view, watch);
    training_told_message(watch, false, message, sizeof message);
    train_message(view, watch->state == WATCH_BROKE_OFF, message, training_watch_now(watch));
    if (watch->shows_help)
        train_help(view, false, box);
    else if (watch->shows_parameter)
        train_parameter(view, watch, box);
    if (view->list.failed)
        *err = view->list.failure;
    return !view->list.failed;
}

// --- the pointer

const char *train_view_press(const TrainView *view, int x, int y)
{
    for (int i = 0; i < view->button_count; i++) {
        const TrainButton *button = &view->buttons[i];
        if (x >= button->x && x < button->x + button->width && y >= button->y &&
            y < button->y + button->height)
            return button->key;
    }
    return NULL;
}

bool train_view_point(TrainView *view, int x, int y)
{
    FigureCell cell;
    if (view->figure.map_count == 0 || !figure_hit(&view->figure, x, y - view->figure_y, &cell) ||
        cell.row < 0 || cell.column < 0)
        return false;
    view->cursor = cell;
    return true;
}
