// heatmap: the commands; see heatmap.h.
#include "heatmap.h"

#include <stdlib.h>
#include <string.h>
#include "heatmap_heads.h"
#include "heatmap_move.h"
#include "heatmap_tensor.h"
#include "nearest.h"

typedef enum Word {
#define HEATMAP(word, argument, keys, help) WORD_##word,
#include "heatmap_commands.def"
#undef HEATMAP
    WORD_COUNT
} Word;

typedef struct WordEntry {
    const char *word, *argument, *keys, *help;
} WordEntry;

static const WordEntry entries[WORD_COUNT] = {
#define HEATMAP(word, argument, keys, help) {#word, argument, keys, help},
#include "heatmap_commands.def"
#undef HEATMAP
};

// "Up k" is Up or k. Keyboards call the key Enter that SDL calls Return.
static void name_keys(const char *keys, char text[32])
{
    size_t used = 0;
    for (const char *at = keys; *at && used < 32;) {
        int bytes = (int)strcspn(at, " ");
        bool is_return = bytes == 6 && strncmp(at, "Return", 6) == 0;
        used += (size_t)snprintf(text + used, 32 - used, "%s%.*s", at == keys ? "" : " or ",
                                 is_return ? 5 : bytes, is_return ? "Enter" : at);
        at += bytes + (at[bytes] == ' ');
    }
}

// The help page names a command's keys in one column.
static void fill_help(Heatmap *heatmap)
{
    int used = 0;
    for (int i = 0; i < WORD_COUNT && used + 2 < HEATMAP_HELP_MAX; i++) {
        if (entries[i].help[0] == '\0')
            continue;
        char *keys = heatmap->help_keys[used / 2];
        name_keys(entries[i].keys, keys);
        heatmap->help_page[used++] = keys;
        heatmap->help_page[used++] = entries[i].help;
    }
}

bool heatmap_open(Heatmap *heatmap, const Trace *trace, const char *tensor, Error *err)
{
    *heatmap = (Heatmap){.trace = trace,
                         .width = 1280,
                         .height = 960,
                         .scale = 1.0,
                         .letters = 1.0,
                         .metrics = font_metrics_usual,
                         .changed = true};
    int number = trace_find(trace, tensor ? tensor : "attn_weights");
    for (int i = trace->tensor_count - 1; !tensor && number < 0 && i >= 0; i--)
        if (trace->tensors[i].tensor.storage.bytes)
            number = i;
    if (number < 0) {
        const char *names[TRACE_TENSORS_MAX + 1] = {NULL};
        for (int i = 0; i < trace->tensor_count; i++)
            names[i] = trace->tensors[i].name;
        const char *meant = nearest_name(tensor ? tensor : "", names);
        return error_set(err, "there is no tensor '%s'%s%s%s", tensor ? tensor : "",
                         meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    }
    heatmap->request = figure_request(trace, number);
    heatmap->place.usual = heatmap->request.map;
    if (!heatmap_show_tensor(heatmap, number, err))
        return false;
    fill_help(heatmap);
    heatmap->cache = figure_cache_open(err);
    return heatmap->cache != NULL;
}

void heatmap_close(Heatmap *heatmap)
{
    display_list_finish(&heatmap->list);
    figure_cache_close(heatmap->cache);
    *heatmap = (Heatmap){.trace = NULL};
}

const char *heatmap_key(const char *key)
{
    size_t length = strlen(key);
    for (int i = 0; i < WORD_COUNT && length > 0; i++)
        for (const char *at = entries[i].keys; *at;) {
            size_t bytes = strcspn(at, " ");
            if (bytes == length && strncmp(at, key, length) == 0)
                return entries[i].word;
            at += bytes + (at[bytes] == ' ');
        }
    return NULL;
}

// --- choosing by name or by number

// The place of a word in a list that ends with NULL; -1, with a sentence.
static int choose(const char *name, const char *const *names, const char *what, Error *err)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    const char *meant = nearest_word(name, names);
    char all[256] = "";
    size_t used = 0;
    for (int i = 0; names[i] && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s",
                                 i == 0         ? ""
                                 : names[i + 1] ? ", "
                                                : " or ",
                                 names[i]);
    if (meant)
        error_set(err, "there is no %s '%s'; did you mean '%s'?", what, name, meant);
    else
        error_set(err, "there is no %s '%s'; it is %s", what, name, all);
    return -1;
}

static bool change(Heatmap *heatmap, FigureRequest request, Error *err)
{
    if (!figure_can_show(heatmap->trace, &request, err))
        return false;
    heatmap->request = request;
    return true;
}

static bool set_name(Heatmap *heatmap, Word word, const char *name, Error *err)
{
    FigureRequest *request = &heatmap->request;
    int chosen = -1;
    if (word == WORD_heads)
        return heatmap_show_heads(heatmap, name, err);
    if (word == WORD_tensor) {
        chosen = trace_find(heatmap->trace, name);
        return chosen >= 0 ? heatmap_show_tensor(heatmap, chosen, err)
                           : error_set(err, "there is no tensor '%s'", name);
    }
    if (word == WORD_map && (chosen = choose(name, colour_map_names, "colour map", err)) >= 0)
        request->map = (ColourMap)chosen;
    if (word == WORD_mode && (chosen = choose(name, figure_mode_names, "mode", err)) >= 0)
        request->mode = (FigureMode)chosen;
    if (word == WORD_scale && (chosen = choose(name, figure_scale_names, "scale", err)) >= 0)
        request->scale = (FigureScale)chosen;
    return chosen >= 0;
}

static bool set_number(Heatmap *heatmap, Word word, const long numbers[], Error *err)
{
    FigureRequest request = heatmap->request;
    if (word == WORD_head)
        request.head = request.cursor.head = numbers[0];
    else
        request.batch = numbers[0];
    if (word == WORD_head && figure_shows_every_head(&request))
        request.mode = request.mode == FIGURE_GRID ? FIGURE_HEAD : FIGURE_LINES;
    if (!change(heatmap, request, err))
        return false;
    heatmap->chosen.head = heatmap->request.cursor.head;
    return true;
}

static bool set_letters(Heatmap *heatmap, long thousandths, Error *err)
{
    if (thousandths < 500 || thousandths > 4000)
        return error_set(err, "letters can be from 0.5 to 4 times as large as usual");
    heatmap->letters = (double)thousandths / 1000.0;
    return true;
}

// --- the commands

// From every head to one, and back.
static FigureMode other_view(FigureMode mode)
{
    static const FigureMode others[FIGURE_MODE_COUNT] = {[FIGURE_GRID] = FIGURE_HEAD,
                                                         [FIGURE_HEAD] = FIGURE_GRID,
                                                         [FIGURE_LINES] = FIGURE_ALL_LINES,
                                                         [FIGURE_ALL_LINES] = FIGURE_LINES};
    return others[mode];
}

static bool every_head(FigureRequest *request, FigureMode mode)
{
    request->mode = mode;
    request->heads = (FigureHeads){.bits = {0}};
    return true;
}

static bool look(Heatmap *heatmap, Word word, Error *err)
{
    FigureRequest *request = &heatmap->request;
    bool all;
    switch (word) {
    case WORD_grid:
        request->zoom = 0;
        return every_head(request, FIGURE_GRID);
    case WORD_open:
        request->mode = other_view(request->mode);
        request->zoom = 0;
        return true;
    case WORD_lines:
        request->mode = request->mode == FIGURE_LINES ? FIGURE_HEAD : FIGURE_LINES;
        return heatmap_show_cursor(heatmap);
    case WORD_all_lines:
        all = request->mode == FIGURE_ALL_LINES && !figure_heads_any(&request->heads);
        heatmap_show_cursor(heatmap);
        return every_head(request, all ? FIGURE_GRID : FIGURE_ALL_LINES);
    case WORD_mean:
        request->mean = !request->mean;
        return true;
    case WORD_next_map:
        request->map = (request->map + 1) % COLOUR_MAP_COUNT;
        return true;
    case WORD_next_scale:
        request->scale = (request->scale + 1) % FIGURE_SCALE_COUNT;
        return true;
    case WORD_dark:
        request->dark = !request->dark;
        return true;
    default:
        return error_set(err, "heatmap: '%s' is not wired", entries[word].word);
    }
}

static bool leave(Heatmap *heatmap)
{
    if (heatmap->help)
        heatmap->help = false;
    else if (heatmap->request.lock != FIGURE_UNLOCKED)
        heatmap->request.lock = FIGURE_UNLOCKED;
    else if (heatmap->request.zoom != 0)
        heatmap->request.zoom = 0;
    else if (figure_heads_any(&heatmap->request.heads))
        heatmap->request.heads = (FigureHeads){.bits = {0}};
    else if (heatmap->request.mode != FIGURE_GRID)
        heatmap->request.mode = FIGURE_GRID;
    else
        heatmap->request.has_cursor = heatmap->has_chosen = false;
    return true;
}

static bool lock(Heatmap *heatmap, FigureLock kind)
{
    FigureRequest *request = &heatmap->request;
    heatmap_choose(heatmap);
    request->lock = request->lock == kind ? FIGURE_UNLOCKED : kind;
    return true;
}

static bool next_of(Heatmap *heatmap, Word word, long way, Error *err)
{
    const FigureRequest *request = &heatmap->request;
    Tensor tensor = heatmap->trace->tensors[request->tensor].tensor;
    bool heads = word == WORD_head;
    ptrdiff_t count = tensor.rank == 4   ? tensor.shape[heads ? 1 : 0]
                      : tensor.rank == 3 ? tensor.shape[0]
                                         : 1;
    ptrdiff_t now = heads ? request->head : request->batch;
    return set_number(heatmap, word, (long[]){(long)((now + way + count) % count)}, err);
}

static bool act(Heatmap *heatmap, Word word, Error *err)
{
    switch (word) {
    case WORD_next_head:
    case WORD_previous_head:
        return heatmap_mark_head(heatmap, word == WORD_next_head ? 1 : -1) ||
               next_of(heatmap, WORD_head, word == WORD_next_head ? 1 : -1, err);
    case WORD_pick:
        return heatmap_pick(heatmap, heatmap->request.head, err);
    case WORD_next_batch:
    case WORD_previous_batch:
        return next_of(heatmap, WORD_batch, word == WORD_next_batch ? 1 : -1, err);
    case WORD_next_tensor:
    case WORD_previous_tensor:
        return heatmap_other_tensor(heatmap, word == WORD_next_tensor ? 1 : -1, err);
    case WORD_lock_row:
    case WORD_lock_cell:
        return lock(heatmap, word == WORD_lock_row ? FIGURE_LOCKED_ROW : FIGURE_LOCKED_CELL);
    case WORD_save:
    case WORD_csv:
        heatmap->wish = word == WORD_save ? HEATMAP_SAVE_PICTURE : HEATMAP_SAVE_CSV;
        return true;
    case WORD_help:
        heatmap->help = !heatmap->help;
        return true;
    case WORD_back:
        return leave(heatmap);
    case WORD_fullscreen:
        return true; // the window's own process does that, and tells the size
    case WORD_quit:
        heatmap->quit = true;
        return true;
    default:
        return look(heatmap, word, err);
    }
}

static bool move(Heatmap *heatmap, Word word, const long numbers[3])
{
    switch (word) {
    case WORD_up:
    case WORD_down:
        return heatmap_step(heatmap, word == WORD_up ? -1 : 1, 0);
    case WORD_left:
    case WORD_right:
        return heatmap_step(heatmap, 0, word == WORD_left ? -1 : 1);
    case WORD_cursor:
        return heatmap_cursor(heatmap, (FigureCell){numbers[0], numbers[1], numbers[2]});
    case WORD_forget:
        return heatmap_forget(heatmap);
    case WORD_zoom_in:
    case WORD_zoom_out:
        return heatmap_zoom(heatmap, word == WORD_zoom_in ? 1 : -1, -1, -1);
    case WORD_fit:
        heatmap->request.zoom = 0;
        return true;
    case WORD_wheel:
        return heatmap_zoom(heatmap, (int)numbers[2], (int)numbers[0], (int)numbers[1]);
    case WORD_drag:
        return heatmap_drag(heatmap, (int)numbers[0], (int)numbers[1]);
    case WORD_point:
        return heatmap_point(heatmap, (int)numbers[0], (int)numbers[1]);
    case WORD_press:
        return heatmap_press(heatmap, (int)numbers[0], (int)numbers[1]);
    case WORD_size:
        return heatmap_size(heatmap, (int)numbers[0], (int)numbers[1], numbers[2] / 1000.0);
    case WORD_larger:
    case WORD_smaller:
        return heatmap_letters(heatmap, word == WORD_larger ? 1.1 : 1.0 / 1.1);
    case WORD_play:
        return heatmap_play(heatmap);
    case WORD_next_cell:
    case WORD_previous_cell:
        return heatmap_advance(heatmap, word == WORD_next_cell ? 1 : -1);
    case WORD_tick:
        return heatmap_tick(heatmap);
    default:
        return false;
    }
}

static Word find_word(const char *words, size_t length)
{
    for (int i = 0; i < WORD_COUNT; i++)
        if (strlen(entries[i].word) == length && strncmp(entries[i].word, words, length) == 0)
            return (Word)i;
    return WORD_COUNT;
}

// Far beyond every screen and tensor, and small enough to reckon with.
static long whole_number(char **text)
{
    const long most = 1 << 24;
    long number = strtol(*text, text, 10);
    return number < -most ? -most : number > most ? most : number;
}

bool heatmap_apply(Heatmap *heatmap, const char *words, Error *err)
{
    size_t length = strcspn(words, " ");
    Word word = find_word(words, length);
    const char *rest = words[length] == ' ' ? words + length + 1 : "";
    if (word == WORD_COUNT)
        return error_set(err, "heatmap: there is no command '%.*s'", (int)length, words);
    long numbers[3] = {0, 0, 0};
    char *end = (char *)(uintptr_t)rest;
    bool wants_number = strcmp(entries[word].argument, "N") == 0;
    for (int i = 0; wants_number && i < 3; i++)
        numbers[i] = whole_number(&end);
    if (wants_number && (end == rest || strspn(end, " ") != strlen(end)))
        return error_set(err, "%s wants a number, not '%s'", entries[word].word, rest);

    if (word != WORD_point && word != WORD_size && word != WORD_tick && word != WORD_notice)
        heatmap->message[0] = '\0';
    heatmap->changed = true;
    if (word == WORD_notice) {
        snprintf(heatmap->message, sizeof heatmap->message, "%s", rest);
        return true;
    }
    if (strcmp(entries[word].argument, "NAME") == 0)
        return set_name(heatmap, word, rest, err);
    if (word == WORD_letters)
        return set_letters(heatmap, numbers[0], err);
    if (word == WORD_head || word == WORD_batch)
        return set_number(heatmap, word, numbers, err);
    return move(heatmap, word, numbers) || act(heatmap, word, err);
}
