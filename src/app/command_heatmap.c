// attnscope heatmap: what each head looks at, in a window; or saved without one.
#include "app.h"

#include <stdlib.h>
#include "app_picture.h"
#include "figure_data.h"
#include "heatmap_window.h"

enum { WIDTH = 1600, HEIGHT = 1000, SIDE_MAX = 16384 };

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

static bool is_inside(const Heatmap *heatmap, long head, long row, long column, Error *err)
{
    FigureData data;
    if (!figure_data(heatmap->trace, &heatmap->request, &data, err))
        return false;
    const ptrdiff_t *shape = data.values.shape;
    if (head >= 0 && head < shape[1] && row >= 0 && row < shape[2] && column >= 0 &&
        column < shape[3])
        return true;
    return error_set(err, "--at %ld,%ld,%ld: %s has %td %s, %td rows and %td columns, from 0", head,
                     row, column, heatmap->place.tensor, shape[1], data.maps, shape[2], shape[3]);
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
    if (!is_inside(heatmap, head, row, column, err))
        return false;
    snprintf(words, sizeof words, "cursor %ld %ld %ld", head, row, column);
    return heatmap_apply(heatmap, words, err);
}

// "1.5"
static bool apply_letters(Heatmap *heatmap, const char *letters, Error *err)
{
    char words[64], *end;
    if (!letters)
        return true;
    double times = strtod(letters, &end);
    if (end == letters || *end != '\0' || !(times >= 0.5 && times <= 4.0))
        return error_set(err, "--letters is how many times as large, from 0.5 to 4, not '%s'",
                         letters);
    snprintf(words, sizeof words, "letters %d", (int)(times * 1000.0 + 0.5));
    return heatmap_apply(heatmap, words, err);
}

static bool apply_options(Heatmap *heatmap, const AppOptions *options, Error *err)
{
    if (options->mean && options->head)
        return error_set(err, "--mean is over all heads: it goes without --head");
    heatmap->request.title = options->title;
    return apply_option(heatmap, "batch", options->batch, err) &&
           apply_option(heatmap, "mode", options->mode, err) &&
           apply_option(heatmap, "heads", options->head, err) &&
           apply_option(heatmap, "map", options->map, err) &&
           apply_option(heatmap, "scale", options->scale, err) &&
           apply_letters(heatmap, options->letters, err) &&
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

// --- pictures

static bool save_picture(Heatmap *heatmap, const char *path, Error *err)
{
    Window window;
    if (!window_open_unseen(&window, err))
        return false;
    heatmap->metrics = window.metrics;
    bool saved =
        heatmap_draw_whole(heatmap, err) && app_picture_save(&window, &heatmap->list, path, err);
    window_close(&window);
    return saved;
}

// --- the window

// Until the window is closed or the display is gone: the latter is worth a sentence.
static bool show(HeatmapWindow *shown, Error *err)
{
    if (!heatmap_window_open(shown, err))
        return false;
    bool drawn = true, open = true;
    while (drawn && open) {
        drawn = heatmap_window_draw(shown, err);
        int wait = heatmap_window_wait(shown);
        if (drawn && !window_wait(&shown->window, wait) && wait >= 0)
            heatmap_apply(&shown->heatmap, "tick", err);
        open = drawn && heatmap_window_take(shown, err);
    }
    window_close(&shown->window);
    return drawn && err->text[0] == '\0';
}

static int look(AppTrace *app, const AppOptions *options)
{
    Error err = {.text = ""};
    HeatmapWindow shown = {.heatmap = {.trace = NULL}};
    Heatmap *heatmap = &shown.heatmap;
    int code = APP_FAILED;
    if (!trace_run(&app->trace, &err)) {
        refuse(code, &err);
    } else if (!heatmap_open(heatmap, &app->trace, options->tensor, &err) ||
               !apply_options(heatmap, options, &err) ||
               !apply_size(heatmap, options->size, &err)) {
        code = refuse(APP_MISUSED, &err);
    } else if (options->csv && !heatmap_save_csv(heatmap, options->csv, &err)) {
        refuse(code, &err);
    } else if (options->png && !save_picture(heatmap, options->png, &err)) {
        refuse(code, &err);
    } else if (!options->png && !options->csv && !show(&shown, &err)) {
        refuse(code, &err);
    } else {
        code = APP_DONE;
    }
    heatmap_close(heatmap);
    return code;
}

static int run(int argc, char **argv)
{
    AppOptions options;
    if (!app_options(argc, argv, command_heatmap.options, &options))
        return APP_MISUSED;
    if (options.wants_help) {
        app_print_command_help(app_find("heatmap"), stdout);
        return app_finish_output();
    }
    if (!app_takes_one(&options))
        return APP_MISUSED;
    static AppTrace app; // too large for a small stack
    if (!app_open(&app, &options))
        return APP_FAILED;
    int code = look(&app, &options);
    app_close(&app);
    return code;
}

const AppCommand command_heatmap = {
    .name = "heatmap",
    .arguments = "SCENARIO|FILE.yaml [--png OUT.png [--size 1920x1080]]",
    .summary = "what each head looks at, in a window or a picture",
    .details =
        "  --tensor T       another tensor than attn_weights: scores, scores_masked, q_heads ...\n"
        "  --batch B        sequence of the batch (0)\n"
        "  --head H         one head, large; 1,3 and 0-2 are more; without it, all heads\n"
        "  --mean           one map, the mean over heads\n"
        "  --mode M         grid, head, lines or all-lines\n"
        "  --map NAME       viridis, cividis, magma or diverging\n"
        "  --scale S        colours from the lowest to the highest number of all heads (all),\n"
        "                   of each head (head) or of each row (row); or from 0 to 1 (unit)\n"
        "  --at H,ROW,COL   the cell to read out\n"
        "  --dark           light on dark\n"
        "  --title TEXT     what the picture is called, instead of what it is\n"
        "  --letters N      letters N times as large, 1.5 for a projector\n"
        "  --png OUT.png    saves the picture instead of opening a window; needs no display\n"
        "  --size WxH       of that picture, in pixels (1600x1000)\n"
        "  --csv OUT.csv    saves the numbers of the maps\n"
        "  --text \"...\", --set KEY=VALUE as in print\n"
        "\n"
        "In the window, ? shows every key. Letters are as large as the desktop wants them (under\n"
        "X by Xft.dpi, else by the screen's size); ATTNSCOPE_SCALE=2 in the environment makes\n"
        "them twice as large.\n",
    .options = "set text tensor batch head mean map scale mode at dark title letters png csv size",
    .names = APP_NAMES_SCENARIO | APP_NAMES_FILE,
    .run = run,
};
