// train_window: see train_window.h.
#include "train_window.h"

#include <stdio.h>
#include <string.h>
#include "view_words.h"

enum { WIDTH = 1280, HEIGHT = 960 };

static void take_size(TrainWindow *window)
{
    const double least = 0.25;
    window->view.width = window->window.width > 0 ? window->window.width : 1;
    window->view.height = window->window.height > 0 ? window->window.height : 1;
    window->view.scale = window->window.scale > least ? window->window.scale : least;
    window->stale = true;
}

bool train_window_open(TrainWindow *window, Error *err)
{
    char title[256];
    *window = (TrainWindow){.stale = true};
    words_format(title, sizeof title, "%s - attnscope", TELL(TRAIN_WINDOW));
    if (!train_view_open(&window->view, err))
        return false;
    if (!window_open(&window->window, title, WIDTH, HEIGHT, err)) {
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
    if (!train_view_draw(&window->view, watch, err))
        return false;
    window->stale = false;
    window_show(&window->window, &window->view.list); // window_next tells when it is gone
    return true;
}

// A key as training_watch_press calls it.
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
