// train_window: see train_view.h.
#include "train_view.h"

#include <stdio.h>
#include <string.h>
#include "view_words.def"

enum { WIDTH = 1280, PAIR_WIDTH = 1600, HEIGHT = 960 };

static void take_size(TrainWindow *window)
{
    const double least = 0.25;
    window->view.width = window->window.width > 0 ? window->window.width : 1;
    window->view.height = window->window.height > 0 ? window->window.height : 1;
    window->view.scale = window->window.scale > least ? window->window.scale : least;
    window->stale = true;
}

static bool open_views(TrainWindow *window, Error *err)
{
    if (!train_view_open(&window->view, err))
        return false;
    if (!window->is_pair || train_pair_view_open(&window->pair, err))
        return true;
    train_view_close(&window->view);
    return false;
}

static void close_views(TrainWindow *window)
{
    train_pair_view_close(&window->pair);
    train_view_close(&window->view);
}

bool train_window_open(TrainWindow *window, bool is_pair, Error *err)
{
    char title[256];
    *window = (TrainWindow){.stale = true, .is_pair = is_pair};
    words_format(title, sizeof title, "%s - attnscope", TELL(TRAIN_WINDOW));
    if (!open_views(window, err))
        return false;
    if (!window_open(&window->window, title, is_pair ? PAIR_WIDTH : WIDTH, HEIGHT, err)) {
        close_views(window);
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
    close_views(window);
}

static bool is_wanted(TrainWindow *window)
{
    return window->stale && window_is_ready(&window->window);
}

static bool show(TrainWindow *window, bool drawn)
{
    if (drawn)
        window_show(&window->window, &window->view.list); // window_next tells when it is gone
    window->stale = !drawn;
    return drawn;
}

bool train_window_show(TrainWindow *window, const TrainingWatch *watch, Error *err)
{
    return !is_wanted(window) || show(window, train_view_draw(&window->view, watch, err));
}

bool train_window_show_pair(TrainWindow *window, const TrainingPair *pair, Error *err)
{
    return !is_wanted(window) ||
           show(window, train_pair_view_draw(&window->pair, &window->view, pair, err));
}

// A key as training_watch_press calls it.
static const char *name_of(const char *key)
{
    if (strcmp(key, "Return") == 0)
        return "Enter";
    return strcmp(key, "Shift+Tab") == 0 ? "BackTab" : key;
}

static bool point(TrainWindow *window, int x, int y)
{
    return window->is_pair ? train_pair_view_point(&window->pair, x, y)
                           : train_view_point(&window->view, x, y);
}

static const char *key_of(TrainWindow *window, const WindowEvent *event)
{
    switch (event->kind) {
    case WINDOW_KEY:
        return name_of(event->word);
    case WINDOW_PRESS:
        return train_view_press(&window->view, event->x, event->y);
    case WINDOW_MOVE:
        window->stale = point(window, event->x, event->y) || window->stale;
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
