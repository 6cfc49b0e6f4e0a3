// Opens attention maps as a scenario; see scenario_maps.h.
#define _GNU_SOURCE // strcasestr
#include "scenario_maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "scenarios_words.def"
#include "shown_name.h"

// --- row sums

typedef struct Rows {
    ptrdiff_t odd;   // rows that do not sum to 1
    ptrdiff_t empty; // of those: rows of zeros
    bool has_negative;
    ptrdiff_t at[3];   // the farthest from 1: layer, head, query; NaN is farthest
    double apart, sum; // its distance, and its sum
} Rows;

static void note_row(Rows *rows, const Tensor *maps, const ptrdiff_t at[3])
{
    double sum = 0.0, apart;
    bool is_empty = true;
    for (ptrdiff_t key = 0; key < maps->shape[3]; key++) {
        float weight = *tensor_at4(maps, at[0], at[1], at[2], key);
        sum += (double)weight;
        is_empty = is_empty && weight == 0.0f;
        rows->has_negative = rows->has_negative || weight < 0.0f;
    }
    if (scenario_sums_to_one(sum))
        return;
    apart = isnan(sum) ? (double)INFINITY : fabs(sum - 1.0);
    rows->empty += is_empty;
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
                note_row(&rows, maps, (ptrdiff_t[]){layer, head, query});
    return rows;
}

static bool note_rows(Scenario *scenario, const Tensor *maps, const char *file, Error *err)
{
    const ptrdiff_t *shape = maps->shape;
    Rows rows = look_at_rows(maps);
    scenario->odd_rows = rows.odd;
    if (rows.odd == 0)
        return true;
    Tensor turned = tensor_transpose(maps, 2, 3);
    const char *why = rows.has_negative          ? TELL(MAPS_ARE_SCORES)
                      : rows.empty == rows.odd   ? TELL(MAPS_ARE_MASKED)
                      : maps_are_shares(&turned) ? TELL(MAPS_ARE_TURNED)
                                                 : "";
    const char *before = scenario->note ? scenario->note : "";
    scenario->note = arena_format(
        &scenario->arena, err, TELL(MAPS_ROWS), before, *before ? ". " : "", file, rows.odd,
        shape[0] * shape[1] * shape[2], rows.at[0], rows.at[1], rows.at[2], rows.sum, why);
    return scenario->note != NULL;
}

// True if no query attends to later keys.
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

typedef struct Labels {
    const char *const *words; // NULL: there are none
    ptrdiff_t count;
    const char *from; // "--words", or what they are called in the file
} Labels;

// Collects the words in the scenario's arena.
static bool split_words(Scenario *scenario, const char *words, const char *option, Labels *labels,
                        Error *err)
{
    static const char blanks[] = " \t\r\n";
    *labels = (Labels){.from = option};
    if (!words)
        return true;
    char *text = arena_text(&scenario->arena, words, err), *rest = NULL;
    const char **list =
        text ? arena_take(&scenario->arena, strlen(text) / 2 + 1, sizeof *list, err) : NULL;
    for (char *word = list ? strtok_r(text, blanks, &rest) : NULL; word;
         word = strtok_r(NULL, blanks, &rest))
        list[labels->count++] = word;
    labels->words = list;
    return list != NULL;
}

// Guesses from names whether words belong to the source or the target: in translation, cross-attention has keys of the
// source and queries of the target.
typedef enum Side { SIDE_NONE, SIDE_ANY, SIDE_SOURCE, SIDE_TARGET, SIDE_KEYS, SIDE_QUERIES } Side;

static bool names_any(const char *name, const char *const parts[])
{
    for (int i = 0; parts[i]; i++)
        if (strcasestr(name, parts[i]))
            return true;
    return false;
}

static Side side_of_words(const char *name)
{
    static const char *const queries[] = {"quer", NULL}, *const keys[] = {"key", NULL};
    static const char *const source[] = {"encoder", "source", "src", "memory", NULL};
    static const char *const target[] = {"decoder", "target", "tgt", NULL};
    static const char *const any[] = {"token", "word", "piece", "label", NULL};
    return names_any(name, queries)  ? SIDE_QUERIES
           : names_any(name, keys)   ? SIDE_KEYS
           : names_any(name, source) ? SIDE_SOURCE
           : names_any(name, target) ? SIDE_TARGET
           : names_any(name, any)    ? SIDE_ANY
                                     : SIDE_NONE;
}

// The side of a set's queries or keys; SIDE_ANY if its name does not tell.
static Side side_of_set(const char *label, bool of_queries)
{
    static const char *const cross[] = {"cross", "encoder_decoder", "encdec", "enc_dec", NULL};
    static const char *const target[] = {"decoder", "tgt", "target", NULL};
    static const char *const source[] = {"encoder", "src", "source", NULL};
    bool is_cross = names_any(label, cross);
    bool is_target = names_any(label, target), is_source = !is_target && names_any(label, source);
    if (is_cross)
        return of_queries ? SIDE_TARGET : SIDE_SOURCE;
    return is_target ? SIDE_TARGET : is_source ? SIDE_SOURCE : SIDE_ANY;
}

// How well words fit a set's queries or keys; 0: they do not.
static int suits(const char *name, const char *label, bool of_queries, bool is_square)
{
    Side words = side_of_words(name), set = side_of_set(label, of_queries);
    if (words == (of_queries ? SIDE_QUERIES : SIDE_KEYS))
        return 3;
    if (set == SIDE_ANY && !is_square)
        set = of_queries ? SIDE_TARGET : SIDE_SOURCE;
    if (words == SIDE_SOURCE || words == SIDE_TARGET)
        return words == set ? 2 : 0;
    return words == SIDE_ANY ? 1 : 0;
}

// True if "tokens.2" is for another sequence than the one shown.
static bool is_of_other(const FileWords *words, ptrdiff_t batch)
{
    const char *dot = strrchr(words->name, '.');
    bool is_numbered = dot && dot[1] && dot[1 + strspn(dot + 1, "0123456789")] == '\0';
    return is_numbered && strtol(dot + 1, NULL, 10) != batch;
}

// The file's best words among those of the right number; of a list per sequence ("tokens.2") or an array, those of the
// sequence shown.
static Labels find_words(const MapsRead *read, bool of_queries)
{
    const ptrdiff_t *shape = read->maps.shape;
    ptrdiff_t wanted = shape[of_queries ? 2 : 3];
    Labels best = {.words = NULL};
    int most = 0;
    for (int i = 0; i < read->words_count; i++) {
        const FileWords *words = &read->words[i];
        ptrdiff_t row = words->rows > 1 ? read->batch : 0;
        int suit = suits(words->name, read->label, of_queries, shape[2] == shape[3]);
        if (suit <= most || words->columns != wanted || row >= words->rows ||
            is_of_other(words, read->batch))
            continue;
        most = suit;
        best = (Labels){words->words + row * words->columns, words->columns, words->name};
    }
    return best;
}

// Numbers for the queries of cross-attention, which are not keys even if there are as many.
static bool count_queries(Scenario *scenario, Labels *queries, Error *err)
{
    ptrdiff_t count = scenario->size[SYMBOL_LQ];
    const char **list = arena_take(&scenario->arena, (size_t)count, sizeof *list, err);
    for (ptrdiff_t i = 0; list && i < count; i++)
        if (!(list[i] = arena_format(&scenario->arena, err, "%td", i)))
            return false;
    *queries = (Labels){list, count, "--query-words"};
    return list != NULL;
}

// The requested words, or the file's. If there are as many queries as keys and no words for them, the keys' are used.
static bool choose_words(Scenario *scenario, const MapsRequest *request, const MapsRead *read,
                         Labels labels[2], Error *err)
{
    Labels *keys = &labels[0], *queries = &labels[1];
    ptrdiff_t lq = scenario->size[SYMBOL_LQ], lk = scenario->size[SYMBOL_LK];
    if (!split_words(scenario, request->words, "--words", keys, err) ||
        !split_words(scenario, request->query_words, "--query-words", queries, err))
        return false;
    if (keys->words && keys->count != lk)
        return error_set(err, lq == lk ? TELL(MAPS_WORDS) : TELL(MAPS_WORDS_KEYS), keys->count, lk,
                         lq);
    if (queries->words && queries->count != lq)
        return error_set(err, TELL(MAPS_QUERY_WORDS), queries->count, lq, lk);
    bool is_cross = side_of_set(read->label, true) != side_of_set(read->label, false);
    bool are_same = lq == lk && !is_cross, says_keys = keys->words != NULL;
    if (!keys->words)
        *keys = find_words(read, false);
    if (!queries->words && !(says_keys && are_same))
        *queries = find_words(read, true);
    if (are_same && queries->words == keys->words)
        *queries = (Labels){.words = NULL};
    return queries->words || !keys->words || !is_cross || count_queries(scenario, queries, err);
}

// Notes which words of the file are not used, if none fits the keys.
static bool note_unused(Scenario *scenario, const MapsRead *read, Error *err)
{
    const ptrdiff_t *shape = read->maps.shape;
    for (int i = 0; i < read->words_count; i++) {
        const FileWords *words = &read->words[i];
        if (!suits(words->name, read->label, false, shape[2] == shape[3]) ||
            words->columns == shape[3] || is_of_other(words, read->batch))
            continue;
        const char *before = scenario->note ? scenario->note : "";
        scenario->note = arena_format(&scenario->arena, err, TELL(MAPS_UNUSED), before,
                                      *before ? ". " : "", words->name, words->columns, shape[3]);
        return scenario->note != NULL;
    }
    return true;
}

static bool add_ids(Scenario *scenario, const char *name, const Labels *labels, ptrdiff_t first,
                    Error *err)
{
    Tensor ids;
    if (!labels->words)
        return true;
    if (!tensor_take(&scenario->arena, DTYPE_I64, 2, (ptrdiff_t[]){1, labels->count}, &ids, err))
        return false;
    for (ptrdiff_t i = 0; i < labels->count; i++)
        ids.storage.i64[i] = first + i;
    scenario_add(scenario, "", name, ids, labels->from);
    return true;
}

// Readable tokens.
static bool show_words(Scenario *scenario, const Labels *labels, const char **out, Error *err)
{
    TokenSpelling spelling = token_spelling_of(labels->words, (size_t)labels->count);
    for (ptrdiff_t i = 0; i < labels->count; i++) {
        const char *word = labels->words[i];
        char *text =
            arena_take(&scenario->arena, TOKEN_TEXT_GROWTH * strlen(word) + 1, sizeof *text, err);
        if (!text)
            return false;
        out[i] = token_text(word, spelling, text);
    }
    return true;
}

// The vocabulary has the keys' words, then the queries'.
static bool add_words(Scenario *scenario, const MapsRequest *request, const MapsRead *read,
                      Error *err)
{
    Labels labels[2];
    if (!choose_words(scenario, request, read, labels, err))
        return false;
    ptrdiff_t keys = labels[0].count, queries = labels[1].count;
    if (!labels[0].words && !note_unused(scenario, read, err))
        return false;
    if (!labels[0].words && !labels[1].words)
        return true;
    const char **all = arena_take(&scenario->arena, (size_t)(keys + queries), sizeof *all, err);
    if (!all || !show_words(scenario, &labels[0], all, err) ||
        !show_words(scenario, &labels[1], all + keys, err))
        return false;
    scenario->vocabulary = all;
    scenario->size[SYMBOL_V] = keys + queries;
    return add_ids(scenario, "input_ids", &labels[0], 0, err) &&
           add_ids(scenario, "query_ids", &labels[1], keys, err);
}

// --- the scenario

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
    MapsRead read;
    scenario->name = arena_text(&scenario->arena, request->file, err);
    if (!scenario->name || !maps_file_read(request, &scenario->arena, &read, err))
        return false;
    scenario->about = TELL(MAPS_ABOUT);
    scenario->note = read.note;
    set_sizes(scenario, &read.maps);
    scenario_add(scenario, "maps", "maps", read.maps, read.from);
    scenario->maps = "maps";
    return note_rows(scenario, &read.maps, scenario->name, err) &&
           add_mask(scenario, &read.maps, err) && add_words(scenario, request, &read, err);
}

bool scenario_of_maps(Scenario *scenario, const MapsRequest *request, Error *err)
{
    *scenario = (Scenario){.name = NULL};
    bool opened = open_maps(scenario, request, err);
    if (!opened)
        scenario_finish(scenario);
    return opened;
}
