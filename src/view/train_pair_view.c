// train_pair_view: see train_pair_view.h.
#include "train_pair_view.h"

#include "training_told.h"

enum { LINE = 20, CURVE = 96, TABLE = 124 };

bool train_pair_view_open(TrainPairView *view, Error *err)
{
    *view = (TrainPairView){.y = 0};
    if (train_view_open(&view->sides[0], err) && train_view_open(&view->sides[1], err))
        return true;
    train_pair_view_close(view);
    return false;
}

void train_pair_view_close(TrainPairView *view)
{
    for (int i = 0; i < PAIR_SIDES; i++)
        train_view_close(&view->sides[i]);
}

// --- one side, on a list of its own

// Its name and loss, how large its weights are, the curve, and the table below it.
static void draw_numbers(TrainView *side, const TrainingPair *pair, int number)
{
    const FigureTheme *theme = figure_theme(false);
    const TrainingWatch *watch = &pair->sides[number];
    char text[TOLD_BYTES];
    int line = train_points(side, LINE), margin = train_points(side, TRAIN_MARGIN);
    TrainBox box = {margin, 0, side->width - 2 * margin, line};
    training_told_side(pair, number, text);
    train_paragraph(side, box, watch->state == WATCH_BROKE_OFF ? theme->alarm : theme->accent,
                    text);
    box.y += line;
    training_told_sharpness(watch, text);
    train_paragraph(side, box, theme->quiet, text);
    box.y += line;
    box.height = train_points(side, CURVE);
    train_curve(side, watch, box);
    box.y += box.height;
    box.height = train_points(side, TABLE);
    train_table(side, watch, box);
}

// The maps first, since they begin a picture anew.
static bool draw_side(TrainView *side, const TrainingPair *pair, int number, Error *err)
{
    int above = train_points(side, 2 * LINE + CURVE + TABLE);
    if (side->height > above &&
        !train_maps(side, &pair->sides[number], above, side->height - above, err))
        return false;
    draw_numbers(side, pair, number);
    return true;
}

// --- both

// What is pressed on a side is pressed for both.
static void take_buttons(TrainView *whole, const TrainView *side, int x, int y)
{
    for (int i = 0; i < side->button_count && whole->button_count < TRAIN_BUTTONS_MAX; i++) {
        TrainButton button = side->buttons[i];
        button.x += x;
        button.y += y;
        whole->buttons[whole->button_count++] = button;
    }
}

static bool draw_sides(TrainPairView *view, TrainView *whole, const TrainingPair *pair, Error *err)
{
    const FigureTheme *theme = figure_theme(false);
    int middle = whole->width / 2;
    int height = whole->height - view->y - train_points(whole, TRAIN_MESSAGE + TRAIN_KEYS);
    if (height < 1 || middle <= train_points(whole, 2 * TRAIN_MARGIN))
        return true;
    for (int i = 0; i < PAIR_SIDES; i++) {
        TrainView *side = &view->sides[i];
        side->width = middle;
        side->height = height;
        side->scale = whole->scale;
        side->metrics = whole->metrics;
        side->button_count = 0;
        view->x[i] = i * middle;
        display_list_clear(&side->list, side->width, height, theme->paper);
        if (!draw_side(side, pair, i, err))
            return false;
        display_list_add(&whole->list, &side->list, view->x[i], view->y);
        take_buttons(whole, side, view->x[i], view->y);
    }
    display_rectangle(&whole->list, middle, view->y, 1, height, theme->quiet);
    return true;
}

bool train_pair_view_draw(TrainPairView *view, TrainView *whole, const TrainingPair *pair,
                          Error *err)
{
    char title[TOLD_BYTES], message[sizeof pair->sides[0].broken.text + TOLD_BYTES];
    int margin = train_points(whole, TRAIN_MARGIN);
    bool is_alarm =
        pair->sides[0].state == WATCH_BROKE_OFF || pair->sides[1].state == WATCH_BROKE_OFF;
    display_list_clear(&whole->list, whole->width, whole->height, figure_theme(false)->paper);
    whole->button_count = 0;
    view->y = train_points(whole, TRAIN_TITLE);
    training_told_pair_title(pair, title);
    train_heading(whole, margin, title);
    if (pair->sides[0].shows_help)
        train_help(whole, true,
                   (TrainBox){margin, view->y, whole->width - 2 * margin, whole->height - view->y});
    else if (!draw_sides(view, whole, pair, err))
        return false;
    training_told_pair_message(pair, message, sizeof message);
    train_message(whole, is_alarm, message, training_pair_now(pair));
    if (whole->list.failed)
        *err = whole->list.failure;
    return !whole->list.failed;
}

// --- the pointer

bool train_pair_view_point(TrainPairView *view, int x, int y)
{
    for (int i = 0; i < PAIR_SIDES; i++)
        if (train_view_point(&view->sides[i], x - view->x[i], y - view->y)) {
            view->sides[1 - i].cursor = view->sides[i].cursor;
            return true;
        }
    return false;
}
