// chain_guess: tries q, k, masks and scales where the dump lacks the weights, has only their mean, or uses RoPE.
#include "chain_internal.h"

#include <math.h>
#include <string.h>

static bool is_usual_row(const ChainFinder *finder, int row, const ChainMap *shape, bool is_query)
{
    const ChainRows *rows = &finder->rows[row];
    bool is_product = rows->tensor < 0 || finder->projection_of[rows->tensor] >= 0 ||
                      (rows->heads > 0 && rows->e == 1 &&
                       (finder->tensors[rows->tensor].rank == 4 || rows->heads == shape->heads));
    bool is_map = rows->tensor >= 0 &&
                  (finder->tensors[rows->tensor].is_shares || rows->tensor == shape->tensor);
    return rows->tier <= 2 && is_product && !is_map && rows->batch == shape->batch &&
           rows->length == (is_query ? shape->queries : shape->keys);
}

// Of fewer queries than keys, the first comes after the cached ones.
static ptrdiff_t start_of(const ChainMap *shape)
{
    ptrdiff_t cached = shape->keys - shape->appended - shape->queries;
    return cached > 0 ? cached : 0;
}

static bool turn_both(ChainFinder *finder, ChainAttention *made, const ChainMap *shape)
{
    made->turn[0].start = start_of(shape);
    return (!made->turn[0].is_turned ||
            chain_turn_heads(finder, &made->turn[0], shape->batch, shape->queries, shape->heads,
                             &made->q_heads)) &&
           (!made->turn[1].is_turned ||
            chain_turn_heads(finder, &made->turn[1], shape->batch, shape->keys, shape->heads,
                             &made->k_heads));
}

static bool next_vector(const ChainFinder *finder, ptrdiff_t width, int *tensor)
{
    do
        ++*tensor;
    while (*tensor < finder->count && !chain_is_vector(finder, *tensor, width));
    return *tensor < finder->count;
}

bool chain_next_even(const ChainFinder *finder, ptrdiff_t width, ChainEven *even)
{
    for (int i = 0; even->norm != CHAIN_NO_NORM && i + 1 < CHAIN_EPS; i++)
        if (even->eps == chain_eps[i]) {
            even->eps = chain_eps[i + 1];
            return true;
        }
    even->eps = chain_eps[0];
    if (even->norm == CHAIN_BY_DEVIATION && next_vector(finder, width, &even->shift))
        return true;
    even->shift = -1;
    if (even->norm != CHAIN_NO_NORM && next_vector(finder, width, &even->gain))
        return true;
    even->gain = -1;
    even->norm++;
    return even->norm <= CHAIN_BY_DEVIATION;
}

static bool make_even(ChainFinder *finder, ChainAttention *made, const ChainMap *shape, int which)
{
    ChainHeads *heads = which ? &made->k_heads : &made->q_heads;
    ptrdiff_t length = which ? shape->keys : shape->queries;
    ptrdiff_t count = shape->batch * shape->heads / heads->group * length;
    ChainTurn none = {.is_turned = false}; // copies
    double *numbers = chain_turn_heads(finder, &none, shape->batch, length, shape->heads, heads);
    for (ptrdiff_t n = 0; numbers && n < count; n++)
        chain_make_even(finder, &made->even[which], heads->width, numbers + n * heads->width);
    return numbers != NULL;
}

static bool begin_guess(ChainFinder *finder, ChainAttention *made, const ChainMap *shape, int q,
                        int k)
{
    if (chain_are_one(finder, q, k) ||
        !chain_split(finder, q, made->split, shape->heads, 0, &made->q_heads) ||
        made->q_heads.group != 1 ||
        !chain_split(finder, k, made->split, shape->heads, made->q_heads.width, &made->k_heads) ||
        made->turn[0].numbers > made->q_heads.width ||
        (made->even[0].norm &&
         (!make_even(finder, made, shape, 0) || !make_even(finder, made, shape, 1))) ||
        !turn_both(finder, made, shape))
        return false;
    made->q = q;
    made->k = k;
    made->heads = shape->heads;
    made->width = made->q_heads.width;
    made->factor = 1.0 / sqrt((double)made->width);
    return true;
}

static bool multiply_guess(ChainFinder *finder, ChainAttention *made, const ChainMap *shape)
{
    made->products = chain_multiply(finder, shape, &made->q_heads, &made->k_heads);
    return made->products != NULL;
}

static bool is_mean(const ChainFinder *finder, const ChainMap *mean, const ChainMap *shape,
                    const double *weights)
{
    ptrdiff_t pairs = shape->queries * shape->keys;
    for (ptrdiff_t i = 0; i < mean->count; i++) {
        double sum = 0.0;
        for (ptrdiff_t h = 0; h < shape->heads; h++)
            sum += weights[(i / pairs * shape->heads + h) * pairs + i % pairs];
        if (!chain_near(finder, mean->at[i], sum / (double)shape->heads, 1.0))
            return false;
    }
    return true;
}

static const bool *hidden_by_mean(ChainFinder *finder, const ChainMap *mean, const ChainMap *shape)
{
    bool any = false;
    ptrdiff_t pairs = shape->queries * shape->keys;
    bool *made = chain_take_flags(finder, shape->count);
    for (ptrdiff_t i = 0; made && i < shape->count; i++) {
        made[i] = mean->at[i / pairs / shape->heads * pairs + i % pairs] == 0.0;
        any = any || made[i];
    }
    return any ? made : NULL;
}

static bool try_mean(ChainFinder *finder, ChainAttention *made, const ChainMap *mean,
                     ChainMap *shape)
{
    made->is_hidden = hidden_by_mean(finder, mean, shape);
    double factors[] = {made->factor, 1.0, 1.0 / (double)made->width,
                        1.0 / sqrt((double)(made->width * shape->heads)), made->factor};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        made->factor = factors[i];
        made->mixed = NULL;
        made->is_mean_of_twice = i == 4;
        made->form = i == 4 ? CHAIN_TWICE : CHAIN_SOFTMAX;
        if (!chain_take_weights(finder, made, shape) || !is_mean(finder, mean, shape, made->mixed))
            continue;
        made->weights = *mean;
        made->form = CHAIN_AVERAGED;
        made->axis = CHAIN_KEYS;
        made->over = -1;
        finder->is_explained[mean->tensor] = true;
        return true;
    }
    made->mixed = NULL;
    return false;
}

static bool may_be_heads(const ChainFinder *finder, ptrdiff_t heads, ptrdiff_t width)
{
    return finder->ask->heads > 0 ? heads == finder->ask->heads : width % heads == 0;
}

// Finds dumped weights that are too plain to be found alone, as with one key.
static void find_weights(ChainFinder *finder, ChainAttention *made, ChainMap shape)
{
    made->weights = shape;
    made->weights.tensor = -1;
    made->axis = CHAIN_KEYS;
    for (int i = 0; i < finder->count && made->weights.tensor < 0; i++) {
        const ChainTensor *tensor = &finder->tensors[i];
        bool fits = !finder->is_explained[i] && tensor->is_number && tensor->rank == 4 &&
                    tensor->shape[0] == shape.batch && tensor->shape[1] == shape.heads &&
                    tensor->shape[2] == shape.queries && tensor->shape[3] == shape.keys;
        for (ptrdiff_t n = 0; fits && n < shape.count; n++)
            fits = chain_near(finder, tensor->at[n], made->mixed[n], 1.0);
        if (fits) {
            made->weights.tensor = i;
            made->weights.at = tensor->at;
            finder->is_explained[i] = true;
        }
    }
}

// Pass 0 compares contexts, which is quick; pass 1 outputs; pass 2 both with other scales.
static bool guess_mask_and_scale(ChainFinder *finder, ChainAttention *made, const ChainMap *shape,
                                 int pass)
{
    double root = made->factor;
    const double factors[] = {root, 1.0, root * root};
    for (int i = pass < 2 ? 0 : 1; i < (pass < 2 ? 1 : 3); i++)
        for (int way = finder->ask->is_causal && shape->queries == shape->keys;
             chain_next_mask(finder, shape, way, &made->is_hidden); way++) {
            if (way > 0 && !made->is_hidden)
                continue;
            made->factor = factors[i];
            made->mixed = NULL;
            if (finder->work > finder->most || !chain_take_weights(finder, made, shape))
                return false;
            if (chain_copies_values(made->mixed, shape))
                continue;
            if (pass != 1 && shape->keys > 1) // one key's value is a copy of v
                chain_find_contexts(finder, made, shape, 2);
            if (made->context < 0 && (pass == 0 || !chain_find_output(finder, made, shape, 1)))
                continue;
            chain_find_projected(finder, made);
            chain_find_merged(finder, made, shape);
            find_weights(finder, made, *shape);
            return true;
        }
    return false;
}

// `mean` NULL: only the output is known.
typedef struct Guess {
    const ChainMap *mean;
    ChainMap shape;
    int q, k, pass;
} Guess;

// The last query of the first text, which refuses most guesses of a mean.
static bool could_be_mean(ChainFinder *finder, const ChainAttention *made, const Guess *guess)
{
    ChainAttention one = *made;
    ChainMap mean = *guess->mean, shape = guess->shape;
    ptrdiff_t last = shape.queries - 1;
    one.q_heads.at += last * one.q_heads.l;
    mean.at += last * shape.keys;
    mean.batch = mean.queries = shape.batch = shape.queries = 1;
    mean.count = shape.keys;
    shape.count = shape.heads * shape.keys;
    return multiply_guess(finder, &one, &shape) && try_mean(finder, &one, &mean, &shape);
}

static bool is_guessed(ChainFinder *finder, void *data)
{
    Guess *guess = data;
    ChainAttention *made = &finder->attentions[finder->attention_count];
    chain_clear(made);
    return begin_guess(finder, made, &guess->shape, guess->q, guess->k) &&
           (!guess->mean || could_be_mean(finder, made, guess)) &&
           multiply_guess(finder, made, &guess->shape) &&
           (guess->mean ? try_mean(finder, made, guess->mean, &guess->shape)
                        : guess_mask_and_scale(finder, made, &guess->shape, guess->pass));
}

// Frees a wrong guess at once; makes a right one again, to keep it.
static bool guess_and_keep(ChainFinder *finder, bool (*is_right)(ChainFinder *, void *), void *data)
{
    Arena *kept = finder->arena;
    bool was_explained[CHAIN_TENSORS_MAX];
    memcpy(was_explained, finder->is_explained, sizeof was_explained);
    finder->arena = &finder->tried[0];
    finder->work += 100.0; // to set up and to refuse one
    bool is_it = is_right(finder, data);
    finder->arena = kept;
    arena_empty(&finder->tried[0]);
    memcpy(finder->is_explained, was_explained, sizeof was_explained);
    return is_it && is_right(finder, data);
}

static bool guess(ChainFinder *finder, const ChainMap *mean, ChainMap shape, int q, int k, int pass)
{
    const ChainRows *rows = &finder->rows[q];
    ptrdiff_t width = rows->heads > 0 ? rows->heads * rows->width : rows->width;
    for (shape.heads = rows->heads > 0 ? rows->heads : 1;
         shape.heads <= (rows->heads > 0 ? rows->heads : width); shape.heads++) {
        shape.count = shape.batch * shape.heads * shape.queries * shape.keys;
        Guess one = {mean, shape, q, k, pass};
        if (may_be_heads(finder, shape.heads, width) && !(mean && shape.heads == 1) &&
            finder->work < finder->most && guess_and_keep(finder, is_guessed, &one))
            return true;
    }
    return false;
}

static bool guess_pairs(ChainFinder *finder, const ChainMap *mean, ChainMap shape, int pass)
{
    int keys[CHAIN_ROWS_MAX], count = 0;
    for (int k = 0; k < finder->row_count; k++)
        if (is_usual_row(finder, k, &shape, false))
            keys[count++] = k;
    for (int n = 0; n < 2 * finder->row_count && finder->work < finder->most; n++) {
        int q = n % finder->row_count;
        bool are_alike = n == q;
        for (int i = is_usual_row(finder, q, &shape, true) ? 0 : count; i < count; i++) {
            finder->work += 1.0;
            if (keys[i] != q && chain_go_together(finder, q, keys[i]) &&
                chain_are_alike(finder, q, keys[i]) == are_alike &&
                guess(finder, mean, shape, q, keys[i], pass))
                return true;
        }
    }
    return false;
}

static void guess_output(ChainFinder *finder, int row, int keys, int pass)
{
    const ChainRows *x = &finder->rows[row], *other = &finder->rows[keys];
    ChainMap shape = {.tensor = -1, .batch = x->batch, .queries = x->length, .keys = other->length};
    if (finder->work < finder->most && finder->attention_count == 0 && other->batch == x->batch)
        finder->attention_count += guess_pairs(finder, NULL, shape, pass);
}

enum { BASES = 6, PARTS = 3, USUAL = BASES * PARTS * 2, ODD_PAIRS = 10, ODD_TURNS = 6 };

bool chain_next_turn(ptrdiff_t width, int way, ChainTurn *turn)
{
    static const double bases[BASES] = {10000.0, 500000.0, 1000000.0, 1000.0, 500.0, 100.0};
    int number = (way - 1) % USUAL;
    *turn = (ChainTurn){.is_turned = way > 0};
    if (way == 0)
        return true;
    ptrdiff_t part = width >> (number / 2 % PARTS);
    turn->is_in_pairs = number % 2;
    turn->odd = (ChainOdd)((way - 1) / USUAL);
    turn->base = bases[number / 2 / PARTS];
    turn->numbers = part - part % 2;
    return turn->odd <= CHAIN_LATER;
}

// Both alike; q alone; k alone; then q and k in ways that do not go together. False after the last.
static bool next_turns(ptrdiff_t width, int way, ChainTurn turns[2])
{
    static const struct {
        bool is_k_plain, has_other_pairs, has_other_base;
        ChainOdd q, k;
    } odd[ODD_PAIRS] = {
        {.is_k_plain = true, .q = CHAIN_BACK}, // k is in the dump as it was turned
        {.is_k_plain = true, .q = CHAIN_LATER},
        {.q = CHAIN_BACK},
        {.k = CHAIN_BACK},
        {.has_other_pairs = true},
        {.has_other_base = true},
        {.q = CHAIN_LATER},
        {.q = CHAIN_UNSIGNED, .k = CHAIN_UNSIGNED},
        {.q = CHAIN_BY_HEAD, .k = CHAIN_BY_HEAD},
        {.q = CHAIN_BACK, .k = CHAIN_BACK}, // right: distances have the other sign
    };
    static const int turns_of[ODD_TURNS] = {1, 2, 3, 4, 1 + 2 * PARTS, 2 + 2 * PARTS};
    int kind = way > 0 ? (way - 1) / USUAL : 0; // both, q, k, and odd ones
    bool is_odd = kind > 2;
    int number = is_odd ? way - 3 * USUAL - 1 : 0, which = number / ODD_TURNS;
    chain_next_turn(width, is_odd ? turns_of[number % ODD_TURNS] : way - kind * USUAL, turns);
    turns[1] = turns[0];
    turns[0].is_turned = way > 0 && kind != 2;
    turns[1].is_turned = way > 0 && kind != 1;
    if (!is_odd || which >= ODD_PAIRS)
        return !is_odd;
    turns[0].odd = odd[which].q;
    turns[1].odd = odd[which].k;
    turns[1].is_in_pairs = turns[0].is_in_pairs != odd[which].has_other_pairs;
    turns[1].base = odd[which].has_other_base ? turns[0].base / 10.0 : turns[0].base;
    turns[1].is_turned = !odd[which].is_k_plain;
    return true;
}

// A map of the dump, and the rows that could be its q and k.
typedef struct GuessedMap {
    ChainMap map;
    const ChainSamples *samples;
    bool is_weights;
    int q_count, k_count, *q, *k;
    struct GuessedMap *next;
} GuessedMap;

typedef struct MapGuess {
    const GuessedMap *of;
    const ChainMap *map;
    ChainSplit split;
    ChainTurn turn[2];
    ChainEven even[2];
    int q, k;
} MapGuess;

// A few numbers, which refuse most pairs before all heads are turned.
static bool could_be_guessed(ChainFinder *finder, const MapGuess *guess)
{
    const ChainMap *map = guess->map;
    bool is_plain = !guess->even[0].norm && !guess->turn[0].is_turned && !guess->turn[1].is_turned;
    ChainHeads q, k;
    if (chain_are_one(finder, guess->q, guess->k) ||
        !chain_split(finder, guess->q, guess->split, map->heads, 0, &q) || q.group != 1 ||
        !chain_split(finder, guess->k, guess->split, map->heads, q.width, &k) ||
        guess->turn[0].numbers > q.width)
        return false;
    ChainSide sides[2] = {{&q, guess->turn[0], &guess->even[0]},
                          {&k, guess->turn[1], &guess->even[1]}};
    sides[0].turn.start = start_of(map);
    finder->work += 250.0;
    return is_plain || chain_fits_few(finder, map, guess->of->samples, sides);
}

static bool is_guessed_map(ChainFinder *finder, void *data)
{
    const MapGuess *guess = data;
    ChainAttention *made = &finder->attentions[finder->attention_count];
    chain_clear(made);
    made->split = guess->split;
    memcpy(made->turn, guess->turn, sizeof made->turn);
    memcpy(made->even, guess->even, sizeof made->even);
    bool is_plain = !guess->even[0].norm && !guess->turn[0].is_turned && !guess->turn[1].is_turned;
    return begin_guess(finder, made, guess->map, guess->q, guess->k) &&
           (is_plain || chain_fits_a_sample(finder, guess->map, guess->of->samples, &made->q_heads,
                                            &made->k_heads)) &&
           multiply_guess(finder, made, guess->map) &&
           (guess->of->is_weights ? chain_explain_weights(finder, made, guess->map)
                                  : chain_explain_scores(finder, made, guess->map));
}

static bool guess_with(ChainFinder *finder, MapGuess *guess)
{
    const ChainMap *map = guess->map;
    if (finder->work > finder->most || !could_be_guessed(finder, guess) ||
        !guess_and_keep(finder, is_guessed_map, guess))
        return false;
    ChainAttention *made = &finder->attentions[finder->attention_count++];
    finder->is_quick = false;
    if (guess->of->is_weights)
        chain_explain_all_scores(finder, made);
    else
        chain_explain_maps(finder, made, map);
    return true;
}

static bool is_gain(const ChainFinder *finder, int tensor, ptrdiff_t width)
{
    return tensor < 0 || chain_is_vector(finder, tensor, width);
}

// Both have a gain, or none has.
static bool guess_gains(ChainFinder *finder, MapGuess *guess, ptrdiff_t width)
{
    int *q = &guess->even[0].gain, *k = &guess->even[1].gain;
    for (*q = -1; *q < finder->count; ++*q) {
        finder->work += 10.0;
        for (*k = *q < 0 ? -1 : 0; is_gain(finder, *q, width) && *k < (*q < 0 ? 0 : finder->count);
             ++*k)
            if (is_gain(finder, *k, width) && guess_with(finder, guess))
                return true;
    }
    return false;
}

static bool guess_even(ChainFinder *finder, MapGuess *guess, ptrdiff_t width)
{
    for (ChainNorm norm = CHAIN_BY_ROOT_MEAN_SQUARE; norm <= CHAIN_BY_DEVIATION; norm++)
        for (int i = 0; i < CHAIN_EPS; i++) {
            guess->even[0] = guess->even[1] =
                (ChainEven){.norm = norm, .eps = chain_eps[i], .gain = -1, .shift = -1};
            if (guess_gains(finder, guess, width))
                return true;
        }
    return false;
}

// True if this role is the rows' by their name, or may be, as they are made by a part of a joined weight.
static bool could_have_role(const ChainFinder *finder, int row, char role)
{
    int linear = chain_linear_of(finder, row);
    const ChainLinear *one = linear < 0 ? NULL : &finder->linears[linear];
    bool is_part = one && (one->layout == CHAIN_IN_EACH_HEAD || one->layout == CHAIN_STACKED ||
                           (one->layout == CHAIN_FLAT &&
                            one->out < finder->tensors[one->tensor].shape[one->by_columns]));
    char own = chain_role(finder, row);
    return own == role || (!own && is_part);
}

static bool are_named_pair(const ChainFinder *finder, int q, int k)
{
    int x = chain_source_of(finder, q), other = chain_source_of(finder, k);
    return (x < 0 || other < 0 || x == other) && could_have_role(finder, q, 'q') &&
           could_have_role(finder, k, 'k');
}

static bool guess_pairs_of_map(ChainFinder *finder, const GuessedMap *of, ChainSplit split, int way,
                               bool is_even)
{
    for (int n = 0; n < 2 * of->q_count; n++) {
        int q = of->q[n % of->q_count];
        bool are_alike = n < of->q_count;
        finder->work += 1.0;
        bool is_passed = finder->is_by_names && !could_have_role(finder, q, 'q');
        for (int i = is_passed ? of->k_count : 0; i < of->k_count; i++) {
            int k = of->k[i];
            ptrdiff_t width = finder->rows[q].heads > 0 ? finder->rows[q].width
                                                        : finder->rows[q].width / of->map.heads;
            MapGuess one = {.of = of, .map = &of->map, .split = split, .q = q, .k = k};
            finder->work += finder->is_by_names ? 4.0 : 2.0; // to pass pairs that cannot be
            if (finder->work > finder->most)
                return false;
            if (k == q || !chain_go_together(finder, q, k) ||
                (finder->is_by_names && !are_named_pair(finder, q, k)) ||
                chain_are_alike(finder, q, k) != are_alike || !next_turns(width, way, one.turn) ||
                (way > 0 && one.turn[0].numbers == 0))
                continue;
            if (is_even ? guess_even(finder, &one, width) : guess_with(finder, &one))
                return true;
        }
    }
    return false;
}

// True if two weights at least are neither 0 nor equal to the rest of their row.
static bool say_something(const ChainMap *map)
{
    int count = 0;
    for (ptrdiff_t i = 0; i < map->count; i++) {
        ptrdiff_t first = i - i % map->keys;
        while (first < i && !(map->at[first] > 1e-12))
            first++;
        count += first < i && map->at[i] > 1e-12 &&
                 fabs(map->at[i] - map->at[first]) > 1e-5 * map->at[first];
    }
    return count >= 2;
}

static GuessedMap *take_map(ChainFinder *finder, const ChainMap *map)
{
    size_t most = (size_t)finder->row_count;
    GuessedMap *made = arena_take(finder->kept, 1, sizeof *made, finder->err);
    int *rows = arena_take(finder->kept, 2 * most, sizeof *rows, finder->err);
    if (!made || !rows)
        return NULL;
    *made = (GuessedMap){.map = *map, .is_weights = chain_could_be_weights(map)};
    made->samples = chain_take_samples(finder, map);
    made->q = rows;
    made->k = rows + most;
    for (int row = 0; row < finder->row_count; row++) {
        if (is_usual_row(finder, row, map, true))
            made->q[made->q_count++] = row;
        if (is_usual_row(finder, row, map, false))
            made->k[made->k_count++] = row;
    }
    return made->samples && (!made->is_weights || say_something(map)) ? made : NULL;
}

static GuessedMap *take_maps(ChainFinder *finder)
{
    ChainMap maps[CHAIN_READINGS_MAX];
    GuessedMap *first = NULL, **end = &first;
    for (int tensor = 0; tensor < finder->count; tensor++) {
        bool is_open = !finder->is_explained[tensor] && finder->projection_of[tensor] < 0;
        int count = is_open ? chain_readings(finder, tensor, maps) : 0;
        for (int i = 0; i < count; i++) {
            *end = take_map(finder, &maps[i]);
            end = *end ? &(*end)->next : end;
        }
    }
    return first;
}

// Names are tried with weights; where the dump has none, with all.
static bool is_map_by_names(const ChainFinder *finder, const GuessedMap *maps,
                            const GuessedMap *map)
{
    bool any = false;
    for (const GuessedMap *one = maps; one; one = one->next)
        any = any || finder->tensors[one->map.tensor].is_shares;
    return !any || finder->tensors[map->map.tensor].is_shares;
}

// Scores that are as they should be were found before.
static bool guess_maps(ChainFinder *finder, const GuessedMap *maps, ChainSplit split, int way,
                       bool is_even)
{
    for (const GuessedMap *one = maps; one; one = one->next)
        if ((one->is_weights || way > 0 || is_even || !finder->is_quick) &&
            (!finder->is_by_names || is_map_by_names(finder, maps, one)) &&
            finder->attention_count < CHAIN_ATTENTIONS_MAX &&
            guess_pairs_of_map(finder, one, split, way, is_even))
            return true;
    return false;
}

static void guess_turned(ChainFinder *finder, bool is_even)
{
    const GuessedMap *maps = take_maps(finder);
    bool found = false;
    finder->is_quick = true;
    for (int all = 0; all < 2; all++)
        for (ChainSplit split = 0; split < CHAIN_SPLITS; split++)
            for (int way = 0; way <= 3 * USUAL + ODD_PAIRS * ODD_TURNS && !found; way++) {
                finder->is_by_names = !all;
                found = guess_maps(finder, maps, split, way, is_even);
            }
    finder->is_by_names = finder->is_quick = false;
}

static void guess_changed_maps(ChainFinder *finder)
{
    const GuessedMap *maps = take_maps(finder);
    finder->changes_most = 1;
    bool found = guess_maps(finder, maps, CHAIN_IN_RUNS, 0, false);
    finder->changes_most = 2;
    if (!found)
        guess_maps(finder, maps, CHAIN_IN_RUNS, 0, false);
}

static void guess_mean(ChainFinder *finder)
{
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *tensor = &finder->tensors[i];
        if (finder->is_explained[i] || !tensor->is_number || tensor->is_flags || tensor->rank != 3)
            continue;
        ChainMap mean = {.tensor = i,
                         .batch = tensor->shape[0],
                         .heads = 1,
                         .queries = tensor->shape[1],
                         .keys = tensor->shape[2],
                         .appended = chain_appended(finder, tensor->shape[2]),
                         .count = tensor->count,
                         .at = tensor->at};
        double sum = 0.0;
        for (ptrdiff_t n = 0; n < mean.count; n++)
            sum += mean.at[n] >= 0.0 ? mean.at[n] : (double)NAN;
        if (!chain_near(finder, sum, (double)(mean.batch * mean.queries), sum) ||
            !guess_pairs(finder, &mean, mean, 0))
            continue;
        finder->attention_count++;
        return;
    }
}

void chain_guess(ChainFinder *finder, int stage)
{
    if (stage == 0)
        guess_mean(finder);
    else if (stage == 2)
        guess_changed_maps(finder);
    else
        guess_turned(finder, stage == 3);
}

// --- by names

typedef struct NamedGuess {
    ChainMap shape;
    int q, k, v;
    ChainSplit split;
    bool is_odd;
} NamedGuess;

static bool is_guessed_by_name(ChainFinder *finder, void *data)
{
    const NamedGuess *guess = data;
    ChainAttention *made = &finder->attentions[finder->attention_count];
    chain_clear(made);
    finder->only_v = guess->v;
    made->split = guess->split;
    bool is_it = begin_guess(finder, made, &guess->shape, guess->q, guess->k) &&
                 multiply_guess(finder, made, &guess->shape) &&
                 chain_mix_named(finder, made, &guess->shape, guess->is_odd);
    finder->only_v = -1;
    return is_it;
}

// The weight's name, or the rows' own.
static const char *name_of(const ChainFinder *finder, int row)
{
    int linear = chain_linear_of(finder, row);
    return finder->tensors[linear >= 0 ? finder->linears[linear].tensor : finder->rows[row].tensor]
        .name;
}

// True if a weight's part begins where another's ends.
static bool is_next_part(const ChainFinder *finder, int row, int next)
{
    int one = chain_linear_of(finder, row), other = chain_linear_of(finder, next);
    if (one < 0 || other < 0)
        return false;
    const ChainLinear *a = &finder->linears[one], *b = &finder->linears[other];
    return a->tensor == b->tensor && a->by_columns == b->by_columns && a->layout == CHAIN_FLAT &&
           b->layout == CHAIN_FLAT && b->first == a->first + a->out && b->out <= a->out;
}

static bool has_name_of_q(const ChainFinder *finder)
{
    for (int i = 0; i < finder->count; i++)
        if (finder->tensors[i].role == 'q')
            return true;
    return false;
}

// The role by name; in a list of layers, where no name is q's, by the place.
static char role_of(const ChainFinder *finder, int row)
{
    char role = chain_role(finder, row);
    return role || has_name_of_q(finder) ? role : dump_role_in_list(name_of(finder, row));
}

static bool is_made_alike(const ChainFinder *finder, int row, int other)
{
    const ChainRows *one = &finder->rows[row], *two = &finder->rows[other];
    return (one->tensor < 0) == (two->tensor < 0) && one->heads == two->heads && one->e == two->e &&
           one->tier == two->tier;
}

static bool is_whole(const ChainFinder *finder, int number)
{
    const ChainLinear *linear = &finder->linears[number];
    return linear->layout != CHAIN_FLAT ||
           linear->out == finder->tensors[linear->tensor].shape[linear->by_columns];
}

static bool is_named_so(const ChainFinder *finder, int q, int row, char role)
{
    int linear = chain_linear_of(finder, row);
    return role_of(finder, row) == role && is_made_alike(finder, q, row) &&
           (linear < 0 || is_whole(finder, linear)) &&
           dump_are_together(name_of(finder, q), name_of(finder, row));
}

// True if these rows are one head of a list of as many as the person says.
static bool is_one_of_list(const ChainFinder *finder, int q, ptrdiff_t heads)
{
    int linear = chain_linear_of(finder, q);
    return heads == 1 && linear >= 0 &&
           finder->linears[linear].in == finder->ask->heads * finder->linears[linear].out;
}

static bool guess_named_heads(ChainFinder *finder, NamedGuess guess)
{
    const ChainRows *q = &finder->rows[guess.q];
    ptrdiff_t width = q->heads > 0 ? q->heads * q->width : q->width;
    ChainMap *shape = &guess.shape;
    for (shape->heads = q->heads > 0 ? q->heads : 1;
         shape->heads <= (q->heads > 0 ? q->heads : width); shape->heads++) {
        shape->count = shape->batch * shape->heads * shape->queries * shape->keys;
        if ((may_be_heads(finder, shape->heads, width) ||
             is_one_of_list(finder, guess.q, shape->heads)) &&
            finder->work < finder->most && guess_and_keep(finder, is_guessed_by_name, &guess))
            return true;
    }
    return false;
}

// True if q is of an attention that is known, or a product that the dump has of another input.
static bool is_used(const ChainFinder *finder, int q)
{
    int linear = chain_linear_of(finder, q);
    for (int i = 0; i < finder->count && finder->rows[q].tensor < 0; i++) {
        int made = finder->projection_of[i];
        if (made >= 0 && is_whole(finder, finder->projections[made].linear) &&
            is_whole(finder, linear) &&
            finder->linears[finder->projections[made].linear].tensor ==
                finder->linears[linear].tensor)
            return true;
    }
    for (int i = 0; i < finder->attention_count; i++)
        if (finder->attentions[i].q == q ||
            (linear >= 0 && linear == chain_linear_of(finder, finder->attentions[i].q)))
            return true;
    return false;
}

typedef enum NamedWay { NAMED_RIGHT, NAMED_OTHER_ROLES, NAMED_ODD } NamedWay;

// Tries named q, k and v as what they are called, or in each other's place.
static bool guess_roles(ChainFinder *finder, const int named[3], NamedWay way)
{
    static const int right[][3] = {{0, 1, 2}},
                     other[][3] = {{1, 0, 2}, {0, 2, 1}, {0, 1, 1}, {0, 1, 0},
                                   {2, 1, 0}, {2, 0, 1}, {1, 2, 0}};
    bool is_other = way == NAMED_OTHER_ROLES;
    size_t count = is_other ? sizeof other / sizeof *other : 1;
    for (size_t i = 0; i < count; i++) {
        const int *order = is_other ? other[i] : right[i];
        int q = named[order[0]], k = named[order[1]], v = named[order[2]];
        const ChainRows *rows = &finder->rows[q];
        NamedGuess guess = {.q = q, .k = k, .v = v, .is_odd = way == NAMED_ODD};
        guess.shape = (ChainMap){.tensor = -1,
                                 .batch = rows->batch,
                                 .queries = rows->length,
                                 .keys = finder->rows[k].length};
        ChainSplit splits = way == NAMED_ODD ? CHAIN_SPLITS : 1;
        for (; guess.split < splits; guess.split++)
            if (finder->rows[v].length == guess.shape.keys && guess_named_heads(finder, guess))
                return true;
    }
    return false;
}

// Tries the k and v that go with this q by their names, or as parts of one weight.
static bool guess_named_with(ChainFinder *finder, int q, bool is_of_two, NamedWay way)
{
    const ChainRows *rows = finder->rows;
    bool is_part = role_of(finder, q) != 'q';
    ChainMap shape = {.tensor = -1, .batch = rows[q].batch, .queries = rows[q].length};
    for (int k = 0; k < finder->row_count; k++) {
        shape.keys = rows[k].length;
        if (!is_usual_row(finder, k, &shape, false) ||
            chain_is_of_text(finder, q, k) == is_of_two ||
            !(is_part ? is_next_part(finder, q, k) && is_made_alike(finder, q, k)
                      : is_named_so(finder, q, k, 'k')))
            continue;
        for (int v = 0; v < finder->row_count && finder->work < finder->most; v++) {
            finder->work += 1.0;
            if (is_usual_row(finder, v, &shape, false) && rows[v].source == rows[k].source &&
                (is_part ? is_next_part(finder, k, v) && is_made_alike(finder, q, v)
                         : is_named_so(finder, q, v, 'v')) &&
                guess_roles(finder, (const int[]){q, k, v}, way))
                return true;
        }
    }
    return false;
}

// True if these rows may be q: by their name, or as the first part of a joined weight where no name is q's.
static bool could_be_q(const ChainFinder *finder, int row)
{
    const ChainRows *rows = &finder->rows[row];
    ChainMap shape = {.tensor = -1, .batch = rows->batch, .queries = rows->length};
    int linear = chain_linear_of(finder, row);
    bool is_part = linear >= 0 && !is_whole(finder, linear);
    bool is_first = is_part && !chain_role(finder, row) && finder->linears[linear].first == 0;
    return (role_of(finder, row) == 'q' ? !is_part : is_first && !has_name_of_q(finder)) &&
           is_usual_row(finder, row, &shape, true) && !is_used(finder, row);
}

// Copies of what was found, as dropout makes them in evaluation, are not what another attention makes.
static void explain_copies(ChainFinder *finder, const ChainAttention *attention)
{
    int of[] = {attention->context, attention->output};
    for (int n = 0; n < 2; n++)
        for (int i = 0; i < finder->count && of[n] >= 0; i++)
            finder->is_explained[i] = finder->is_explained[i] || chain_is_same(finder, i, of[n]);
}

void chain_guess_named(ChainFinder *finder)
{
    for (int i = 0; i < finder->count; i++)
        if (finder->tensors[i].is_shares)
            return; // those say more
    static const struct {
        bool is_of_two;
        NamedWay way;
    } passes[] = {{false, NAMED_RIGHT}, {true, NAMED_RIGHT},       {false, NAMED_OTHER_ROLES},
                  {false, NAMED_ODD},   {true, NAMED_OTHER_ROLES}, {true, NAMED_ODD}};
    for (size_t pass = 0; pass < sizeof passes / sizeof *passes; pass++)
        for (int q = 0; q < finder->row_count; q++)
            if (could_be_q(finder, q) && finder->attention_count < CHAIN_ATTENTIONS_MAX &&
                guess_named_with(finder, q, passes[pass].is_of_two, passes[pass].way))
                explain_copies(finder, &finder->attentions[finder->attention_count++]);
}

static bool is_first_of_its_size(const ChainFinder *finder, int input)
{
    const ChainRows *rows = &finder->rows[finder->inputs[input]];
    for (int i = 0; i < input; i++)
        if (finder->rows[finder->inputs[i]].batch == rows->batch &&
            finder->rows[finder->inputs[i]].length == rows->length)
            return false;
    return true;
}

void chain_guess_output(ChainFinder *finder)
{
    for (int pass = 0; pass < 3; pass++) {
        for (int i = 0; i < finder->input_count && finder->attention_count == 0; i++)
            if (is_first_of_its_size(finder, i))
                guess_output(finder, finder->inputs[i], finder->inputs[i], pass);
        for (int i = 0; i < finder->input_count; i++) // of two texts
            for (int n = 0; n < finder->input_count; n++)
                if (is_first_of_its_size(finder, i) && is_first_of_its_size(finder, n) &&
                    finder->rows[finder->inputs[i]].length !=
                        finder->rows[finder->inputs[n]].length)
                    guess_output(finder, finder->inputs[i], finder->inputs[n], pass);
        for (int row = 0; row < finder->row_count && finder->attention_count == 0; row++)
            if (finder->rows[row].tier == 1 && finder->rows[row].heads > 0 &&
                finder->rows[row].e == 1)
                guess_output(finder, row, row, pass);
    }
}
