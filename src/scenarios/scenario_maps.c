// scenario_maps: see scenario_maps.h.
#include "scenario_maps.h"

#include <math.h>
#include <string.h>
#include "maps_file.h"
#include "scenarios_words.h"

// --- what the numbers are

typedef struct Rows {
    ptrdiff_t odd; // that do not sum to 1
    ptrdiff_t
        at[3]; // layer, head, query of the one that is farthest from it; NaN is farther than any
    double apart, sum; // how far, and its sum
} Rows;

static double sum_of_row(const Tensor *maps, ptrdiff_t layer, ptrdiff_t head, ptrdiff_t query)
{
    double sum = 0.0;
    for (ptrdiff_t key = 0; key < maps->shape[3]; key++)
        sum += (double)*tensor_at4(maps, layer, head, query, key);
    return sum;
}

static void note_row(Rows *rows, const ptrdiff_t at[3], double sum)
{
    double apart = isnan(sum) ? (double)INFINITY : fabs(sum - 1.0);
    if (scenario_sums_to_one(sum))
        return;
    if (rows->odd++ > 0 && apart <= rows->apart)
        return;
    memcpy(rows->at, at, sizeof rows->at);
    rows->apart = apart;
    rows->sum = sum;
}

static Rows look_at_rows(const Tensor *maps)
{
    Rows rows = {.odd = 0};
    for (ptrdiff_t layer = 0; layer < maps->shape[0]; layer++)
        for (ptrdiff_t head = 0; head < maps->shape[1]; head++)
            for (ptrdiff_t query = 0; query < maps->shape[2]; query++)
                note_row(&rows, (ptrdiff_t[]){layer, head, query},
                         sum_of_row(maps, layer, head, query));
    return rows;
}

static bool tell_rows(Scenario *scenario, const Tensor *maps, const char *file, Error *err)
{
    const ptrdiff_t *shape = maps->shape;
    Rows rows = look_at_rows(maps);
    scenario->odd_rows = rows.odd;
    if (rows.odd == 0)
        return true;
    scenario->note =
        arena_format(&scenario->arena, err, TELL(MAPS_ROWS), file, rows.odd,
                     shape[0] * shape[1] * shape[2], rows.at[0], rows.at[1], rows.at[2], rows.sum);
    return scenario->note != NULL;
}

// Whether no query gives anything to a key behind it: what a causal mask leaves.
static bool is_causal(const Tensor *maps)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    bool square = maps->shape[2] == maps->shape[3] && maps->shape[3] > 1;
    for (bool more = true; square && more; more = tensor_next(maps, at))
        if (at[3] > at[2] && maps->storage.f32[tensor_place(maps, at)] != 0.0f)
            return false;
    return square;
}

static bool add_mask(Scenario *scenario, const Tensor *maps, Error *err)
{
    ptrdiff_t shape[] = {maps->shape[2], maps->shape[3]};
    Tensor mask;
    if (!is_causal(maps))
        return true;
    if (!tensor_take(&scenario->arena, DTYPE_BOOL, 2, shape, &mask, err))
        return false;
    for (ptrdiff_t query = 0; query < shape[0]; query++)
        for (ptrdiff_t key = query + 1; key < shape[1]; key++)
            *tensor_flag2(&mask, query, key) = true;
    scenario_add(scenario, "", "attn_mask", mask, TELL(MAPS_CAUSAL));
    return true;
}

// --- words

// The words one after the other, in the scenario's arena; how many there are, 0 without memory.
static ptrdiff_t split_words(Scenario *scenario, const char *words, Error *err)
{
    static const char blanks[] = " \t\r\n";
    char *text = arena_text(&scenario->arena, words, err), *rest = NULL;
    const char **list =
        text ? arena_take(&scenario->arena, strlen(text) / 2 + 1, sizeof *list, err) : NULL;
    ptrdiff_t count = 0;
    for (char *word = list ? strtok_r(text, blanks, &rest) : NULL; word;
         word = strtok_r(NULL, blanks, &rest))
        list[count++] = word;
    scenario->vocabulary = list;
    return list ? count : -1;
}

static bool add_words(Scenario *scenario, const char *words, Error *err)
{
    ptrdiff_t keys = scenario->size[SYMBOL_LK];
    ptrdiff_t count = split_words(scenario, words, err);
    Tensor ids;
    if (count < 0)
        return false;
    if (count != keys)
        return error_set(err, TELL(MAPS_WORDS), count, keys);
    if (!tensor_take(&scenario->arena, DTYPE_I64, 2, (ptrdiff_t[]){1, keys}, &ids, err))
        return false;
    for (ptrdiff_t key = 0; key < keys; key++)
        ids.storage.i64[key] = key;
    scenario->size[SYMBOL_V] = keys;
    scenario_add(scenario, "", "input_ids", ids, "--words");
    return true;
}

// --- all of it

static void set_sizes(Scenario *scenario, const Tensor *maps)
{
    ptrdiff_t *size = scenario->size;
    size[SYMBOL_B] = 1;
    size[SYMBOL_LAYERS] = maps->shape[0];
    size[SYMBOL_H] = maps->shape[1];
    size[SYMBOL_LQ] = maps->shape[2];
    size[SYMBOL_LK] = maps->shape[3];
    size[SYMBOL_L] = size[SYMBOL_LQ] == size[SYMBOL_LK] ? size[SYMBOL_LK] : 0;
    scenario->has_heads = true;
    scenario->options.heads = maps->shape[1];
}

static bool open_maps(Scenario *scenario, const MapsRequest *request, Error *err)
{
    Tensor maps;
    const char *from;
    scenario->name = arena_text(&scenario->arena, request->file, err);
    if (!scenario->name || !maps_file_read(request->file, &scenario->arena, &maps, &from, err))
        return false;
    scenario->about = TELL(MAPS_ABOUT);
    set_sizes(scenario, &maps);
    scenario_add(scenario, "maps", "maps", maps, from);
    scenario->maps = "maps";
    return tell_rows(scenario, &maps, scenario->name, err) && add_mask(scenario, &maps, err) &&
           (!request->words || add_words(scenario, request->words, err));
}

bool scenario_of_maps(Scenario *scenario, const MapsRequest *request, Error *err)
{
    *scenario = (Scenario){.name = NULL};
    bool opened = open_maps(scenario, request, err);
    if (!opened)
        scenario_finish(scenario);
    return opened;
}
