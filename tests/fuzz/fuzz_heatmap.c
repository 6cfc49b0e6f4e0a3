// The words of a heatmap, a line each, as keys, pointer and options give them: every one is done or
// refused in a sentence, and what is looked at afterwards is there and can be drawn.
#include "figure_data.h"
#include "fuzz.h"
#include "heatmap.h"
#include "tiny.h"

enum { LINE_BYTES_MAX = 128, LINES_MAX = 40 };

static bool is_there(FigureCell cell, const ptrdiff_t shape[4])
{
    return cell.head >= 0 && cell.row >= 0 && cell.column >= 0 && cell.head < shape[1] &&
           cell.row < shape[2] && cell.column < shape[3];
}

static void check(Heatmap *heatmap, const char *words)
{
    FigureData data;
    Error err = {.text = ""};
    fuzz_must(heatmap_draw(heatmap, &err), "it is drawn after \"%s\": %s", words, err.text);
    fuzz_must(figure_data(heatmap->trace, &heatmap->request, &data, &err),
              "there are numbers after \"%s\": %s", words, err.text);
    fuzz_must(is_there(heatmap->request.cursor, data.values.shape) &&
                  is_there(heatmap->chosen, data.values.shape),
              "\"%s\" leaves a cell there is", words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Scenario scenario;
    Trace trace;
    Heatmap heatmap;
    Error err = {.text = ""};
    char words[LINE_BYTES_MAX];
    tiny_scenario(&scenario, tiny_shapes[size > 0 ? data[0] % tiny_shape_count : 0], 5);
    scenario.threads = 1;
    fuzz_must(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err) &&
                  heatmap_open(&heatmap, &trace, NULL, &err),
              "a tiny scenario is looked at: %s", err.text);
    for (int line = 0; line < LINES_MAX && fuzz_line(&data, &size, words, sizeof words); line++) {
        err.text[0] = '\0';
        if (!heatmap_apply(&heatmap, words, &err))
            fuzz_refused(&err);
        check(&heatmap, words);
    }
    heatmap_close(&heatmap);
    trace_close(&trace);
    scenario_finish(&scenario);
    return 0;
}
