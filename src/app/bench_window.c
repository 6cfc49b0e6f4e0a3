// bench_window: how long the window takes for a picture, measured with SDL's dummy driver, which
// shows nothing: everything is done but the display's own part.
#include "app.h"

#include <stdlib.h>
#include "bench.h"
#include "heatmap.h"
#include "window.h"

enum { ROUNDS = 60 };

static double now(void)
{
    return 1e3 * bench_now();
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

// The best and the middle one of several times; a limit of 0 is none.
static void report(const char *what, double times[], int count, double limit)
{
    qsort(times, (size_t)count, sizeof *times, by_size);
    printf("%-58s %7.2f ms best %7.2f ms median", what, times[0], times[count / 2]);
    if (limit > 0.0)
        printf("   (at most %.1f)", limit);
    putchar('\n');
}

static bool wait_until_shown(Window *window)
{
    WindowEvent event;
    while (!window_is_ready(window) && window_wait(window, -1))
        while (window_next(window, &event))
            if (event.kind == WINDOW_CLOSED || event.kind == WINDOW_LOST)
                return false;
    return window_is_ready(window);
}

// One picture from the request to the moment the window has it.
static bool frame(Heatmap *heatmap, Window *window, double *time, Error *err)
{
    double start = now();
    bool shown = heatmap_draw(heatmap, err) && window_show(window, &heatmap->list) &&
                 wait_until_shown(window);
    *time = now() - start;
    return shown || error_set(err, "the window has ended while it was measured");
}

static bool open_scenario(AppTrace *app, const char *name, const char *set, Error *err)
{
    const char *sets[] = {set};
    ScenarioRequest request = {.what = name, .sets = sets, .set_count = set ? 1 : 0};
    *app = (AppTrace){.scenario = {.name = NULL}};
    return scenario_open(&app->scenario, &request, err) &&
           trace_open(&app->trace, &app->scenario, err) && trace_run(&app->trace, err);
}

static bool measure_start(Error *err)
{
    double times[9];
    AppTrace app;
    bool good = open_scenario(&app, "padded-batch", NULL, err);
    for (int round = 0; good && round < 9; round++) {
        Heatmap heatmap;
        Window window = {.fd = -1};
        double start = now(), last;
        good = heatmap_open(&heatmap, &app.trace, NULL, err) &&
               window_open(&window, "bench", 1280, 960, err);
        heatmap.metrics = window.metrics;
        window_lend(&window, &heatmap.list);
        good = good && frame(&heatmap, &window, &last, err);
        times[round] = now() - start;
        window_close(&window);
        heatmap_close(&heatmap);
    }
    if (good)
        report("window: document 001, child's start to first picture", times, 9, 30.0);
    app_close(&app);
    return good;
}

// --- how fast this machine hands out the numbers of a picture, whatever is done with them

typedef struct Reading {
    const float *numbers;
    ptrdiff_t count; // of a head
    float sums[64];  // so that no compiler leaves the reading out
} Reading;

// One number of each line that memory hands out together.
static void read_head(void *context, ptrdiff_t head)
{
    enum { CACHE_LINE = 16 };
    Reading *reading = context;
    const float *numbers = reading->numbers + head * reading->count;
    float sum = 0.0f;
    for (ptrdiff_t i = 0; i < reading->count; i += CACHE_LINE)
        sum += numbers[i];
    reading->sums[head % 64] = sum;
}

static void measure_reading(const Trace *trace)
{
    const Tensor *weights = &trace->tensors[trace_find(trace, "attn_weights")].tensor;
    Reading reading = {weights->storage.f32, weights->shape[2] * weights->shape[3], {0}};
    double times[ROUNDS];
    Team team;
    team_init(&team, 0);
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        team_run(&team, weights->shape[1], read_head, &reading);
        times[round] = now() - start;
    }
    team_finish(&team);
    report("window: those numbers, read and nothing else", times, ROUNDS, 0.0);
}

// Frames whose numbers have changed are read whole; others show another cell under the cursor.
static bool measure_rounds(Heatmap *heatmap, Window *window, Error *err)
{
    double changed[ROUNDS], same[ROUNDS], last;
    window_lend(window, &heatmap->list);
    if (!frame(heatmap, window, &last, err))
        return false;
    for (int round = 0; round < ROUNDS; round++) {
        heatmap->request.version++;
        if (!frame(heatmap, window, &changed[round], err))
            return false;
    }
    while (heatmap->figure.unfinished)
        if (!frame(heatmap, window, &last, err))
            return false;
    for (int round = 0; round < ROUNDS; round++) {
        heatmap->request.has_cursor = true;
        heatmap->request.cursor = (FigureCell){round % 12, round, round * 2};
        if (!frame(heatmap, window, &same[round], err))
            return false;
    }
    report("window: 12 heads of 1024 x 1024, numbers changed", changed, ROUNDS, 2.5);
    report("window: 12 heads of 1024 x 1024, cursor moved", same, ROUNDS, 0.5);
    return true;
}

static bool measure_frames(Error *err)
{
    AppTrace app;
    Heatmap heatmap = {.trace = NULL};
    Window window = {.fd = -1};
    bool good = open_scenario(&app, "self-attention", "input.vectors.randn=[1, 1024, 768]", err) &&
                heatmap_open(&heatmap, &app.trace, NULL, err) &&
                window_open(&window, "bench", 1280, 960, err) &&
                measure_rounds(&heatmap, &window, err);
    if (good)
        measure_reading(&app.trace);
    window_close(&window);
    heatmap_close(&heatmap);
    app_close(&app);
    return good;
}

bool bench_window(Error *err)
{
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    return measure_start(err) && measure_frames(err);
}
