// attnscope heatmap: what each head looks at, in a window; or saved without one.
#include "app.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "heatmap.h"
#include "new_file.h"
#include "window.h"

enum { WIDTH = 1280, HEIGHT = 960, SIDE_MAX = 16384, TICK_MILLISECONDS = 33 };

static int refuse(int code, const Error *err)
{
    return app_fail(code, "%s", err->text);
}

// --- what the options say, as words

static bool apply_option(Heatmap *heatmap, const char *word, const char *value, Error *err)
{
    char words[256];
    if (!value)
        return true;
    snprintf(words, sizeof words, "%s %s", word, value);
    return heatmap_apply(heatmap, words, err);
}

// --at HEAD,QUERY,KEY
static bool apply_cursor(Heatmap *heatmap, const char *at, Error *err)
{
    char words[64];
    int used = 0;
    long head, row, column;
    if (!at)
        return true;
    if (sscanf(at, "%ld,%ld,%ld%n", &head, &row, &column, &used) != 3 || at[used] != '\0')
        return error_set(err, "--at is HEAD,ROW,COLUMN, 0,2,5 for example, not '%s'", at);
    snprintf(words, sizeof words, "cursor %ld %ld %ld", head, row, column);
    return heatmap_apply(heatmap, words, err);
}

static bool apply_options(Heatmap *heatmap, const AppOptions *options, Error *err)
{
    return apply_option(heatmap, "batch", options->batch, err) &&
           apply_option(heatmap, "head", options->head, err) &&
           apply_option(heatmap, "mode", options->mode, err) &&
           apply_option(heatmap, "map", options->map, err) &&
           apply_option(heatmap, "scale", options->scale, err) &&
           apply_cursor(heatmap, options->at, err) &&
           (!options->mean || heatmap_apply(heatmap, "mean", err)) &&
           (!options->dark || heatmap_apply(heatmap, "dark", err));
}

// "1600x1200". Letters grow with the picture, so that a large one fits a slide.
static bool apply_size(Heatmap *heatmap, const char *size, Error *err)
{
    int width = WIDTH, height = HEIGHT, used = 0;
    if (size && (sscanf(size, "%dx%d%n", &width, &height, &used) != 2 || size[used] != '\0' ||
                 width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX))
        return error_set(err, "--size is WIDTHxHEIGHT in pixels, at most %dx%d, not '%s'", SIDE_MAX,
                         SIDE_MAX, size);
    char words[64];
    int across = width * 1000 / 1024, down = height * 1000 / 768;
    int scale = across < down ? across : down;
    snprintf(words, sizeof words, "size %d %d %d", width, height, scale > 1000 ? scale : 1000);
    return heatmap_apply(heatmap, words, err);
}

// --- files

static bool save_csv(const Heatmap *heatmap, const char *path, Error *err)
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
            error_set(err, "%s cannot be written: %s", path, strerror(errno));
            new_file_drop(&file);
        } else {
            saved = new_file_keep(&file, err);
        }
    }
    arena_finish(&arena);
    return saved;
}

// Waits for the child to say that the picture is in its file.
static bool wait_for_picture(Window *window, Error *err)
{
    WindowEvent event;
    while (window_wait(window, -1))
        while (window_next(window, &event)) {
            if (event.kind == WINDOW_SAVED)
                return true;
            if (event.kind == WINDOW_NOTE)
                fprintf(stderr, "attnscope: %s\n", event.word);
            if (event.kind == WINDOW_FAILED || event.kind == WINDOW_CLOSED)
                return error_set(err, "%s", event.word);
        }
    return error_set(err, "attnscope-window ended without a picture");
}

static bool save_picture(Heatmap *heatmap, const char *path, Error *err)
{
    Window window;
    if (!window_open_unseen(&window, err))
        return false;
    heatmap->metrics = window.metrics;
    bool saved = heatmap_draw(heatmap, err) &&
                 (window_save(&window, &heatmap->list, path) ||
                  error_set(err, "attnscope-window ended before the picture was sent")) &&
                 wait_for_picture(&window, err);
    window_close(&window);
    return saved;
}

// --- the window

// A name for a file saved with a key: "padded-batch-attn_weights.png".
static void name_file(const Heatmap *heatmap, const char *ending, char path[512])
{
    snprintf(path, 512, "%s-%s.%s", heatmap->trace->scenario->name,
             heatmap->trace->tensors[heatmap->request.tensor].name, ending);
    for (char *at = path; *at; at++)
        *at = *at == '/' || *at == ' ' ? '_' : *at;
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
    char path[512], sentence[1024];
    Error err = {.text = ""};
    HeatmapWish wish = heatmap->wish;
    heatmap->wish = HEATMAP_NOTHING;
    if (wish == HEATMAP_SAVE_CSV) {
        name_file(heatmap, "csv", path);
        bool saved = save_csv(heatmap, path, &err);
        snprintf(sentence, sizeof sentence, "the numbers are in %s", path);
        tell(heatmap, saved ? sentence : err.text);
        return true;
    }
    name_file(heatmap, "png", path);
    heatmap->request.keys = false;
    bool sent = heatmap_draw(heatmap, &err) && window_save(window, &heatmap->list, path);
    heatmap->request.keys = true;
    heatmap->changed = true;
    return sent;
}

static void take_event(Heatmap *heatmap, const WindowEvent *event, const Window *window)
{
    char words[128] = "";
    Error err = {.text = ""};
    const char *word = NULL;
    switch (event->kind) {
    case WINDOW_KEY:
        word = heatmap_key(event->word);
        snprintf(words, sizeof words, "%s", word ? word : "");
        break;
    case WINDOW_MOVE:
        snprintf(words, sizeof words, "point %d %d", event->x, event->y);
        break;
    case WINDOW_PRESS:
        snprintf(words, sizeof words, "press %d %d", event->x, event->y);
        break;
    case WINDOW_DRAG:
        snprintf(words, sizeof words, "drag %d %d", event->x, event->y);
        break;
    case WINDOW_WHEEL:
        snprintf(words, sizeof words, "wheel %d %d %d", event->x, event->y, event->number);
        break;
    case WINDOW_LEAVE:
        snprintf(words, sizeof words, "forget");
        break;
    case WINDOW_SIZE:
        snprintf(words, sizeof words, "size %d %d %d", window->width, window->height,
                 (int)(window->scale * 1000.0));
        break;
    case WINDOW_SAVED:
        snprintf(err.text, sizeof err.text, "the picture is in %.200s", event->word);
        break;
    case WINDOW_NOTE:
    case WINDOW_FAILED:
        snprintf(err.text, sizeof err.text, "%.1000s", event->word);
        break;
    case WINDOW_READY:
    case WINDOW_CLOSED:
        break;
    }
    if (words[0] != '\0')
        heatmap_apply(heatmap, words, &err);
    if (err.text[0] != '\0')
        tell(heatmap, err.text);
}

// Until the window is closed or the display is gone: the latter is worth a sentence.
static bool converse(Heatmap *heatmap, Window *window, Error *err)
{
    WindowEvent event;
    while (!heatmap->quit) {
        if (window_is_ready(window) && heatmap->wish != HEATMAP_NOTHING)
            grant(heatmap, window);
        if (window_is_ready(window) && heatmap->changed) {
            if (!heatmap_draw(heatmap, err))
                return false;
            window_show(window, &heatmap->list);
        }
        if (!window_wait(window, heatmap->playing ? TICK_MILLISECONDS : -1) && heatmap->playing)
            heatmap_apply(heatmap, "tick", err);
        while (window_next(window, &event)) {
            take_event(heatmap, &event, window);
            if (event.kind == WINDOW_CLOSED)
                return strstr(event.word, "by itself") == NULL || error_set(err, "%s", event.word);
        }
    }
    return true;
}

static bool show(Heatmap *heatmap, Error *err)
{
    Window window;
    char title[256];
    snprintf(title, sizeof title, "%s - attnscope", heatmap->trace->scenario->name);
    if (!window_open(&window, title, WIDTH, HEIGHT, err))
        return false;
    heatmap->metrics = window.metrics;
    heatmap->request.keys = true;
    heatmap_apply(heatmap, "forget", err);
    take_event(heatmap, &(WindowEvent){.kind = WINDOW_SIZE}, &window);
    bool done = converse(heatmap, &window, err);
    window_close(&window);
    return done;
}

static int look(AppTrace *app, const AppOptions *options)
{
    Error err = {.text = ""};
    Heatmap heatmap = {.trace = NULL};
    int code = APP_FAILED;
    if (!trace_run(&app->trace, &err)) {
        refuse(code, &err);
    } else if (!heatmap_open(&heatmap, &app->trace, options->tensor, &err) ||
               !apply_options(&heatmap, options, &err) ||
               !apply_size(&heatmap, options->size, &err)) {
        code = refuse(APP_MISUSED, &err);
    } else if (options->csv && !save_csv(&heatmap, options->csv, &err)) {
        refuse(code, &err);
    } else if (options->png && !save_picture(&heatmap, options->png, &err)) {
        refuse(code, &err);
    } else if (!options->png && !options->csv && !show(&heatmap, &err)) {
        refuse(code, &err);
    } else {
        code = APP_DONE;
    }
    heatmap_close(&heatmap);
    return code;
}

static int run(int argc, char **argv)
{
    AppOptions options;
    if (!app_options(argc, argv,
                     "set text tensor batch head mean map scale mode at dark png csv size",
                     &options))
        return APP_MISUSED;
    if (options.wants_help) {
        app_print_command_help(app_find("heatmap"), stdout);
        return app_finish_output();
    }
    AppTrace app;
    if (!app_open(&app, &options))
        return APP_FAILED;
    int code = look(&app, &options);
    app_close(&app);
    return code;
}

const AppCommand command_heatmap = {
    .name = "heatmap",
    .arguments = "SCENARIO|FILE.yaml [--png OUT.png [--size 1600x1200]]",
    .summary = "what each head looks at, in a window or a picture",
    .details =
        "  --tensor T       another tensor than attn_weights: scores, scores_masked, q_heads ...\n"
        "  --batch B        sequence of the batch (0)\n"
        "  --head H         one head, large; without it, all heads\n"
        "  --mean           one map, the mean over heads\n"
        "  --mode M         grid, head or lines\n"
        "  --map NAME       viridis, cividis, magma or diverging\n"
        "  --scale S        colours from the lowest to the highest number of each head (head),\n"
        "                   of all heads (all), or fixed from 0 to 1 (unit)\n"
        "  --at H,ROW,COL   the cell to read out\n"
        "  --dark           light on dark\n"
        "  --png OUT.png    saves the picture instead of opening a window; needs no display\n"
        "  --size WxH       of that picture, in pixels (1280x960)\n"
        "  --csv OUT.csv    saves the numbers of the maps\n"
        "  --text \"...\", --set KEY=VALUE as in print\n"
        "\n"
        "In the window, ? shows every key.\n",
    .run = run,
};
