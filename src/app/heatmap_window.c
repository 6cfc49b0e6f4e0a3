// heatmap_window: see heatmap_window.h.
#include "heatmap_window.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "new_file.h"

enum { WIDTH = 1280, HEIGHT = 960, TICK_MILLISECONDS = 33, PATH_BYTES = 900 };

bool heatmap_save_csv(const Heatmap *heatmap, const char *path, Error *err)
{
    Arena arena = {.chunks = NULL};
    NewFile file;
    bool saved = false;
    if (new_file_begin(&file, path, &arena, err)) {
        FILE *out = fopen(file.temporary, "w");
        if (out)
            heatmap_csv(heatmap, out);
        bool arrived = out && !ferror(out);
        if ((out && fclose(out) != 0) || !arrived) {
            error_set(err, "cannot write %s: %s", path, strerror(errno));
            new_file_drop(&file);
        } else {
            saved = new_file_keep(&file, err);
        }
    }
    arena_finish(&arena);
    return saved;
}

// A name for a file saved with a key that no file has yet: "causal-attn_weights.png", then
// "causal-attn_weights-2.png". With its folder, for those who do not know where they started.
static void name_file(const Heatmap *heatmap, const char *ending, char path[PATH_BYTES])
{
    const Scenario *scenario = heatmap->trace->scenario;
    const char *slash = strrchr(scenario->name, '/');
    char folder[PATH_BYTES - 300], name[256];
    snprintf(name, sizeof name, "%.120s-%.64s", slash ? slash + 1 : scenario->name,
             heatmap->trace->tensors[heatmap->request.tensor].name);
    for (char *at = name; *at; at++)
        *at = *at == ' ' ? '_' : *at;
    if (!getcwd(folder, sizeof folder))
        snprintf(folder, sizeof folder, ".");
    snprintf(path, PATH_BYTES, "%s/%s.%s", folder, name, ending);
    for (int number = 2; access(path, F_OK) == 0 && number < 10000; number++)
        snprintf(path, PATH_BYTES, "%s/%s-%d.%s", folder, name, number, ending);
}

// "the picture is causal-attn_weights.png, in /home/somebody": narrow windows cut the end.
static void write_saved(const char *what, const char *path, char *sentence, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(sentence, size, "the %s %.300s, in %.*s", what, slash ? slash + 1 : path,
             slash ? (int)(slash - path) : 1, slash ? path : ".");
}

static void tell(Heatmap *heatmap, const char *sentence)
{
    char words[HEATMAP_MESSAGE_MAX + 16];
    snprintf(words, sizeof words, "notice %s", sentence);
    heatmap_apply(heatmap, words, &(Error){.text = ""});
}

// Does what a command wished for. A picture is saved without the line of keys.
static bool grant(Heatmap *heatmap, Window *window)
{
    char path[PATH_BYTES], sentence[PATH_BYTES + 32];
    Error err = {.text = ""};
    HeatmapWish wish = heatmap->wish;
    heatmap->wish = HEATMAP_NOTHING;
    if (wish == HEATMAP_SAVE_CSV) {
        name_file(heatmap, "csv", path);
        bool saved = heatmap_save_csv(heatmap, path, &err);
        write_saved("numbers are", path, sentence, sizeof sentence);
        tell(heatmap, saved ? sentence : err.text);
        return true;
    }
    name_file(heatmap, "png", path);
    heatmap->request.keys = false;
    bool sent = heatmap_draw_whole(heatmap, &err) && window_save(window, &heatmap->list, path);
    heatmap->request.keys = true;
    heatmap->changed = true;
    return sent;
}

// The words for what the person did; "" for what means nothing.
static void read_event(const WindowEvent *event, const Window *window, char words[128])
{
    const char *key = event->kind == WINDOW_KEY ? heatmap_key(event->word) : NULL;
    words[0] = '\0';
    if (key)
        snprintf(words, 128, "%s", key);
    else if (event->kind == WINDOW_MOVE)
        snprintf(words, 128, "point %d %d", event->x, event->y);
    else if (event->kind == WINDOW_PRESS)
        snprintf(words, 128, "press %d %d", event->x, event->y);
    else if (event->kind == WINDOW_DRAG)
        snprintf(words, 128, "drag %d %d", event->x, event->y);
    else if (event->kind == WINDOW_WHEEL)
        snprintf(words, 128, "wheel %d %d %d", event->x, event->y, event->number);
    else if (event->kind == WINDOW_LEAVE)
        snprintf(words, 128, "forget");
    else if (event->kind == WINDOW_SIZE)
        snprintf(words, 128, "size %d %d %d", window->width, window->height,
                 (int)(window->scale * 1000.0));
}

static void take_event(Heatmap *heatmap, const WindowEvent *event, const Window *window)
{
    char words[128];
    Error err = {.text = ""};
    read_event(event, window, words);
    if (words[0] != '\0')
        heatmap_apply(heatmap, words, &err);
    if (event->kind == WINDOW_SAVED)
        write_saved("picture is", event->word, err.text, sizeof err.text);
    if (event->kind == WINDOW_NOTE || event->kind == WINDOW_FAILED)
        snprintf(err.text, sizeof err.text, "%.1000s", event->word);
    if (err.text[0] != '\0')
        tell(heatmap, err.text);
}

bool heatmap_window_open(HeatmapWindow *shown, Error *err)
{
    Heatmap *heatmap = &shown->heatmap;
    char title[256];
    snprintf(title, sizeof title, "%s - attnscope", heatmap->trace->scenario->name);
    if (!window_open(&shown->window, title, WIDTH, HEIGHT, err))
        return false;
    window_lend(&shown->window, &heatmap->list);
    shown->chose = false;
    heatmap->metrics = shown->window.metrics;
    heatmap->request.keys = true;
    take_event(heatmap, &(WindowEvent){.kind = WINDOW_SIZE}, &shown->window);
    return true;
}

int heatmap_window_wait(const HeatmapWindow *shown)
{
    return shown->heatmap.playing ? TICK_MILLISECONDS : -1;
}

bool heatmap_window_draw(HeatmapWindow *shown, Error *err)
{
    Heatmap *heatmap = &shown->heatmap;
    if (window_is_ready(&shown->window) && heatmap->wish != HEATMAP_NOTHING)
        grant(heatmap, &shown->window);
    if (!window_is_ready(&shown->window) || !heatmap->changed)
        return true;
    if (!heatmap_draw(heatmap, err))
        return false;
    window_show(&shown->window, &heatmap->list);
    return true;
}

bool heatmap_window_take(HeatmapWindow *shown, Error *err)
{
    WindowEvent event;
    *err = (Error){.text = ""};
    while (window_next(&shown->window, &event)) {
        take_event(&shown->heatmap, &event, &shown->window);
        shown->chose = shown->chose || event.kind == WINDOW_KEY || event.kind == WINDOW_PRESS;
        if (event.kind == WINDOW_LOST)
            return error_set(err, "%s", event.word);
        if (event.kind == WINDOW_CLOSED)
            return false;
    }
    return !shown->heatmap.quit;
}

void heatmap_window_close(HeatmapWindow *shown)
{
    window_close(&shown->window);
    heatmap_close(&shown->heatmap);
}
