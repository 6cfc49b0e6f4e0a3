// Pictures of one training or two; see train_view.h.
#include "train_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "training_watch.h"
#include "view_words.def"

typedef struct TrainBox {
    int x, y, width, height; // pixels
} TrainBox;

// In points: a line, small letters, and the columns of the table; the margins, the height of the title, of the curve
// and table of one training, of the message below the maps, and of the keys; the curve and table of one of two.
enum { LINE = 20, SMALL = 12, NAME = 70, RIGHT = 56, HEAD = 104 };
enum { MARGIN = 24, TITLE = 44, TOP = 156, MESSAGE = 52, KEYS = 34 };
enum { CURVE = 96, TABLE = 124 };

// --- around the maps

// Pixels of `points`.
static int train_points(const TrainView *view, double points)
{
    return (int)(points * view->scale + 0.5);
}

// Draws one line with its middle at (x, y). Returns its width.
static int train_text(TrainView *view, DisplayItem item, const char *text)
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

// The bytes of a text that fit into a line: whole words, at least one.
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

// Draws text in as many lines as it needs and the box has.
static void train_paragraph(TrainView *view, TrainBox box, Colour colour, const char *text)
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
        int64_t x = watch->keeps[i].state.step * (plot.width - 1) / training_watch_last(watch);
        bool is_chosen = i == watch->keep_chosen;
        display_rectangle(&view->list, plot.x + (int)x - is_chosen, y, 1 + 2 * is_chosen,
                          is_chosen ? 2 * tick : tick, is_chosen ? theme->accent : theme->quiet);
    }
}

static void train_curve(TrainView *view, const TrainingWatch *watch, TrainBox box)
{
    const FigureTheme *theme = figure_theme(false);
    char text[TRAINING_TEXT_MAX];
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
    char text[TRAINING_TEXT_MAX], key[KEY_NAME_MAX], name[16];
    snprintf(key, sizeof key, "%d", head % 10);
    words_format(text, sizeof text, is_away ? TELL(TRAIN_TABLE_AWAY) : TELL(TRAIN_TABLE_HEAD),
                 training_head_name(&watch->training.recipe, head, name));
    DisplayItem item = small_text(view, box.x, box.y + box.height / 2,
                                  is_away               ? theme->alarm
                                  : head == watch->head ? theme->accent
                                                        : theme->ink);
    item.bold = true;
    train_text(view, item, text);
    if (head < 10)
        add_button(view, box, key);
}

// The heads that fit into the table, including the selected one.
typedef struct Heads {
    int first, end;
} Heads;

static Heads heads_in(const TrainView *view, const TrainingWatch *watch, int width)
{
    int fit = (width - train_points(view, NAME + RIGHT)) / train_points(view, HEAD);
    int all = training_heads(&watch->training.recipe);
    fit = fit < 1 ? 1 : fit < all ? fit : all;
    int first = watch->head < fit ? 0 : watch->head - fit + 1;
    return (Heads){first, first + fit};
}

static void draw_question(TrainView *view, const TrainingWatch *watch, Question q, TrainBox box)
{
    const FigureTheme *theme = figure_theme(false);
    const Measure *measure = &watch->measure;
    char text[TRAINING_TEXT_MAX];
    int y = box.y + box.height / 2, x = box.x + train_points(view, NAME);
    train_text(view, small_text(view, box.x, y, theme->ink),
               training_text_question(&watch->training, q));
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

static void train_table(TrainView *view, const TrainingWatch *watch, TrainBox box)
{
    const FigureTheme *theme = figure_theme(false);
    char text[TRAINING_TEXT_MAX];
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
    for (int q = 0; q < watch->training.recipe.grammar->measured; q++) {
        row.y += line;
        draw_question(view, watch, (Question)q, row);
    }
    row.y += line;
    row.height = box.y + box.height - row.y;
    train_paragraph(view, row, theme->quiet, TELL(TRAIN_TABLE_MEAN));
}

// --- in place of the maps

static void train_parameter(TrainView *view, const TrainingWatch *watch, TrainBox box)
{
    const FigureTheme *theme = figure_theme(false);
    ParameterLine lines[PARAMETER_LINES_MAX];
    int count = training_text_parameter(watch, lines), line = train_points(view, LINE + 6);
    for (int i = 0; i < count; i++) {
        DisplayItem item = small_text(view, box.x, box.y + line * (i + 1),
                                      lines[i].is_result ? theme->accent : theme->ink);
        item.size = train_points(view, SMALL + 2);
        item.bold = lines[i].is_name;
        train_text(view, item, lines[i].text);
    }
}

static void train_help(TrainView *view, const TrainingWatch *watch, TrainBox box)
{
    const FigureTheme *theme = figure_theme(false);
    int line = train_points(view, LINE);
    char text[TRAINING_TEXT_MAX];
    const char *help;
    for (int i = 0;
         (help = training_text_help(watch, i, text)) != NULL && line * (i + 1) < box.height; i++) {
        DisplayItem item = small_text(view, box.x, box.y + line * (i + 1), theme->ink);
        item.fixed = true;
        train_text(view, item, help);
    }
}

// --- keys

// Draws a button per key that works now. A click is one key, so keys are not joined as in a terminal.
static void train_keys(TrainView *view, unsigned now, TrainBox box)
{
    const FigureTheme *theme = figure_theme(false);
    int size = train_points(view, SMALL), pad = train_points(view, 7), x = box.x;
    for (int i = 0; i < training_watch_keys.count; i++) {
        const KeyRow *row = &training_watch_keys.rows[i];
        KeyLabel label;
        char text[TRAINING_TEXT_MAX], key[KEY_NAME_MAX];
        keymap_describe((Keymap){row, 1}, KEY_LABEL, now, &(int){0}, &label);
        words_format(text, sizeof text, "%s%s%s", label.keys, *label.words ? " " : "", label.words);
        int width = font_width(&view->metrics, text, size) + 2 * pad;
        TrainBox button = {x, box.y + pad / 2, width, box.height - 2 * pad};
        if (!*label.keys || !(row->when & WATCH_CLICK))
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

// --- opening

static bool open_one(TrainView *view, Error *err)
{
    enum { HE_AT = 5 }; // of the document's sentence, shown first
    *view = (TrainView){.width = 1280,
                        .height = 960,
                        .scale = 1.0,
                        .metrics = font_metrics_usual,
                        .cursor = {.row = HE_AT},
                        .sentence = -1};
    view->cache = figure_cache_open(err);
    return view->cache != NULL;
}

bool train_view_open(TrainView *view, bool is_pair, Error *err)
{
    bool good = open_one(view, err);
    if (good && is_pair) {
        view->sides = arena_take(&view->arena, WATCH_SIDES, sizeof *view->sides, err);
        good = view->sides && open_one(&view->sides[0], err) && open_one(&view->sides[1], err);
    }
    if (!good)
        train_view_close(view);
    return good;
}

static void close_text(TrainView *view)
{
    if (view->sentence >= 0)
        training_batch_close(&view->text);
    view->sentence = -1;
}

static void close_one(TrainView *view)
{
    if (!view->cache)
        return;
    close_text(view);
    display_list_finish(&view->list);
    figure_cache_close(view->cache);
    view->cache = NULL;
}

void train_view_close(TrainView *view)
{
    for (int i = 0; view->sides && i < WATCH_SIDES; i++)
        close_one(&view->sides[i]);
    view->sides = NULL;
    arena_finish(&view->arena);
    close_one(view);
}

// --- the sentence shown

// The layer of the selected head, whose maps are drawn.
static int layer_shown(const TrainingWatch *watch)
{
    return watch->head / watch->training.recipe.heads;
}

// Marks rows without a job for a head; they are drawn pale.
static void mark_rows(TrainView *view, const TrainingWatch *watch)
{
    const GrammarText *text = &view->text.texts[0];
    int heads = watch->training.recipe.heads, first = layer_shown(watch) * heads;
    for (int own = 0; own < heads; own++) {
        int h = first + own;
        bool *of_word = view->of_word[own];
        memset(of_word, 0, sizeof view->of_word[own]);
        for (int row = 1; row < text->length; row++)
            of_word[text->words[row]] |= measure_is_asked(&watch->measure, h, text, row);
        bool at_first = measure_is_asked(&watch->measure, h, text, 0);
        of_word[text->words[0]] |= at_first;
        view->asked[own] = (ScenarioAsked){.of_word = of_word, .at_first = at_first};
    }
    view->text.scenario.asked = view->asked;
}

// Runs the sentence with the current weights.
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

// Moves the cursor to the selected head, until the pointer moves it.
static void follow_head(TrainView *view, const TrainingWatch *watch)
{
    if (view->head != watch->head)
        view->cursor.head = watch->head % watch->training.recipe.heads;
    view->head = watch->head;
}

static FigureRequest request_of(const TrainView *view, const TrainingWatch *watch)
{
    const Trace *trace = &view->text.trace;
    char name[64];
    snprintf(name, sizeof name, SCENARIO_LAYER_NAME, layer_shown(watch), "attn_weights");
    FigureRequest request =
        figure_request(trace, trace_find(trace, layer_shown(watch) > 0 ? name : "attn_weights"));
    int last = view->text.length - 1;
    request.scale = FIGURE_SCALE_UNIT;
    request.has_cursor = true;
    request.cursor = view->cursor;
    request.cursor.row = request.cursor.row < last ? request.cursor.row : last;
    request.cursor.column = request.cursor.column < last ? request.cursor.column : last;
    request.version = view->version;
    return request;
}

// Covers the maps of removed heads. The maps below stay, because training goes on.
static void cover(TrainView *view, const TrainingWatch *watch)
{
    const Figure *figure = &view->figure;
    const FigureTheme *theme = figure_theme(false);
    for (int i = 0; i < figure->map_count; i++) {
        const FigureMap *map = &figure->maps[i];
        if (!(watch->without >> layer_shown(watch) * watch->training.recipe.heads &
              1u << map->head))
            continue;
        int width = (int)figure->columns * figure->cell_width;
        int height = (int)figure->rows * figure->cell_height;
        display_add(&view->list, (DisplayItem){.kind = DISPLAY_RECTANGLE,
                                               .x = map->x,
                                               .y = map->y,
                                               .width = width,
                                               .height = height,
                                               .colour = theme->paper,
                                               .alpha = 225});
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

// Draws the figure on its own paper, then moves it to its place.
static bool train_maps(TrainView *view, const TrainingWatch *watch, int above, int height,
                       Error *err)
{
    view->figure_y = above;
    char title[TRAINING_TEXT_MAX];
    if (!run_text(view, watch, err))
        return false;
    follow_head(view, watch);
    FigureRequest request = request_of(view, watch);
    FigurePaper paper = {.width = view->width,
                         .height = height,
                         .scale = view->scale,
                         .letters = 1.0,
                         .metrics = &view->metrics,
                         .cache = view->cache,
                         .list = &view->list};
    if (watch->training.recipe.layers > 1)
        words_format(title, sizeof title, TELL(TRAIN_FIGURE_LAYER), layer_shown(watch),
                     watch->training.recipe.layers - 1, watch->sentence + 1, WATCH_SENTENCES,
                     (long long)watch->training.step);
    else
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

// --- one training

static bool draw_one(TrainView *view, const TrainingWatch *watch, TrainBox box, Error *err)
{
    int top = train_points(view, TOP), middle = view->width * 2 / 5;
    TrainBox curve = {box.x, box.y, middle - 2 * box.x, top};
    TrainBox table = {middle, box.y, view->width - middle - box.x, top};
    box.y += top;
    box.height -= top;
    bool has_maps = !watch->shows_help && !watch->shows_parameter && box.height > 0;
    if (has_maps && !train_maps(view, watch, box.y, box.height, err))
        return false;
    view->list.height = view->height;
    train_curve(view, watch, curve);
    train_table(view, watch, table);
    if (watch->shows_help)
        train_help(view, watch, box);
    else if (watch->shows_parameter)
        train_parameter(view, watch, box);
    return true;
}

// --- two trainings

// Name and loss, size of the weights, curve, table.
static void draw_numbers(TrainView *side, const TrainingWatch *watch)
{
    const FigureTheme *theme = figure_theme(false);
    char text[TRAINING_TEXT_MAX];
    int line = train_points(side, LINE), margin = train_points(side, MARGIN);
    TrainBox box = {margin, 0, side->width - 2 * margin, line};
    training_text_side(watch, text);
    train_paragraph(side, box, watch->state == WATCH_BROKE_OFF ? theme->alarm : theme->accent,
                    text);
    box.y += line;
    training_text_sharpness(watch, text);
    train_paragraph(side, box, theme->quiet, text);
    box.y += line;
    box.height = train_points(side, CURVE);
    train_curve(side, watch, box);
    box.y += box.height;
    box.height = train_points(side, TABLE);
    train_table(side, watch, box);
}

// Draws one side on its own list: the maps first, because they clear it.
static bool draw_side(TrainView *side, const TrainingWatch *watch, Error *err)
{
    int above = train_points(side, 2 * LINE + CURVE + TABLE);
    side->button_count = 0;
    display_list_clear(&side->list, side->width, side->height, figure_theme(false)->paper);
    if (side->height > above && !train_maps(side, watch, above, side->height - above, err))
        return false;
    draw_numbers(side, watch);
    return true;
}

// A button of a side acts on both.
static void take_buttons(TrainView *view, const TrainView *side)
{
    for (int i = 0; i < side->button_count && view->button_count < TRAIN_BUTTONS_MAX; i++) {
        TrainButton button = side->buttons[i];
        button.x += side->x;
        button.y += side->y;
        view->buttons[view->button_count++] = button;
    }
}

static bool draw_sides(TrainView *view, const TrainingWatch *watch, TrainBox box, Error *err)
{
    int middle = view->width / 2;
    if (watch->shows_help)
        train_help(view, watch, box);
    if (watch->shows_help || box.height < 1 || middle <= 2 * box.x)
        return true;
    for (int i = 0; i < WATCH_SIDES; i++, watch = watch->other) {
        TrainView *side = &view->sides[i];
        side->x = i * middle;
        side->y = box.y;
        side->width = middle;
        side->height = box.height;
        side->scale = view->scale;
        side->metrics = view->metrics;
        if (!draw_side(side, watch, err))
            return false;
        display_list_add(&view->list, &side->list, side->x, side->y);
        take_buttons(view, side);
    }
    display_rectangle(&view->list, middle, box.y, 1, box.height, figure_theme(false)->quiet);
    return true;
}

// --- the whole picture

static void draw_title(TrainView *view, const TrainingWatch *watch)
{
    char title[TRAINING_TEXT_MAX];
    training_text_title(watch, title);
    train_text(view,
               (DisplayItem){.x = train_points(view, MARGIN),
                             .y = train_points(view, 26),
                             .size = train_points(view, 16),
                             .bold = true,
                             .colour = figure_theme(false)->ink},
               title);
}

// Draws the message below the maps, and the keys.
static void draw_message(TrainView *view, const TrainingWatch *watch, TrainBox box)
{
    const FigureTheme *theme = figure_theme(false);
    char message[sizeof watch->broken.text + TRAINING_TEXT_MAX];
    bool is_alarm =
        watch->state == WATCH_BROKE_OFF || (watch->other && watch->other->state == WATCH_BROKE_OFF);
    training_text_message(watch, false, message, sizeof message);
    box.height = train_points(view, MESSAGE);
    train_paragraph(view, box, is_alarm ? theme->alarm : theme->ink, message);
    box.y += box.height;
    box.height = train_points(view, KEYS);
    train_keys(view, training_watch_now(watch), box);
}

bool train_view_draw(TrainView *view, const TrainingWatch *watch, Error *err)
{
    int margin = train_points(view, MARGIN), above = train_points(view, TITLE);
    int below = train_points(view, MESSAGE) + train_points(view, KEYS);
    TrainBox box = {margin, above, view->width - 2 * margin, view->height - above - below};
    display_list_clear(&view->list, view->width, view->height, figure_theme(false)->paper);
    view->figure = (Figure){.map_count = 0};
    view->button_count = 0;
    if (!(watch->other ? draw_sides : draw_one)(view, watch, box, err))
        return false;
    draw_title(view, watch);
    box.y += box.height;
    draw_message(view, watch, box);
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

static bool point_one(TrainView *view, int x, int y)
{
    FigureCell cell;
    if (view->figure.map_count == 0 || !figure_hit(&view->figure, x, y - view->figure_y, &cell) ||
        cell.row < 0 || cell.column < 0)
        return false;
    view->cursor = cell;
    return true;
}

bool train_view_point(TrainView *view, int x, int y)
{
    for (int i = 0; view->sides && i < WATCH_SIDES; i++) {
        TrainView *side = &view->sides[i];
        if (point_one(side, x - side->x, y - side->y)) {
            view->sides[1 - i].cursor = side->cursor;
            return true;
        }
    }
    return !view->sides && point_one(view, x, y);
}

// --- its window

enum { WIDTH = 1280, PAIR_WIDTH = 1600, HEIGHT = 960 };

static void take_size(TrainWindow *window)
{
    const double least = 0.25;
    window->view.width = window->window.width > 0 ? window->window.width : 1;
    window->view.height = window->window.height > 0 ? window->window.height : 1;
    window->view.scale = window->window.scale > least ? window->window.scale : least;
    window->stale = true;
}

bool train_window_open(TrainWindow *window, bool is_pair, Error *err)
{
    char title[256];
    *window = (TrainWindow){.stale = true};
    words_format(title, sizeof title, "%s - attnscope", TELL(TRAIN_WINDOW));
    if (!train_view_open(&window->view, is_pair, err))
        return false;
    if (!window_open(&window->window, title, is_pair ? PAIR_WIDTH : WIDTH, HEIGHT, err)) {
        train_view_close(&window->view);
        return false;
    }
    window_lend(&window->window, &window->view.list);
    window->view.metrics = window->window.metrics;
    take_size(window);
    return true;
}

void train_window_close(TrainWindow *window)
{
    window_close(&window->window);
    train_view_close(&window->view);
}

bool train_window_show(TrainWindow *window, const TrainingWatch *watch, Error *err)
{
    if (!window->stale || !window_is_ready(&window->window))
        return true;
    window->stale = !train_view_draw(&window->view, watch, err);
    if (!window->stale)
        window_show(&window->window, &window->view.list); // window_next reports a failure
    return !window->stale;
}

// The name of a key for training_watch_press.
static const char *name_of(const char *key)
{
    if (strcmp(key, "Return") == 0)
        return "Enter";
    return strcmp(key, "Shift+Tab") == 0 ? "BackTab" : key;
}

static const char *key_of(TrainWindow *window, const WindowEvent *event)
{
    switch (event->kind) {
    case WINDOW_KEY:
        return name_of(event->word);
    case WINDOW_PRESS:
        return train_view_press(&window->view, event->x, event->y);
    case WINDOW_MOVE:
        window->stale = train_view_point(&window->view, event->x, event->y) || window->stale;
        return NULL;
    case WINDOW_SIZE:
        take_size(window);
        return NULL;
    case WINDOW_CLOSED:
        window->closed = true;
        return "q";
    default:
        return NULL;
    }
}

bool train_window_next(TrainWindow *window, char key[WINDOW_MESSAGE_MAX], Error *err)
{
    WindowEvent event;
    while (!window->closed && window_next(&window->window, &event)) {
        if (event.kind == WINDOW_LOST) {
            window->closed = true;
            error_set(err, "%s", event.word);
            return false;
        }
        const char *pressed = key_of(window, &event);
        if (pressed) {
            snprintf(key, WINDOW_MESSAGE_MAX, "%s", pressed);
            window->stale = true;
            return true;
        }
    }
    return false;
}
