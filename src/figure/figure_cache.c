// figure_cache: the numbers that maps show, pooled to blocks, and their colours; see
// figure_internal.h. Reading the numbers is the expensive part, so it is not repeated while only
// the cursor, the colours or the size of letters change.
#include "figure_cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "figure_words.h"

enum {
    ENTROPY_CELLS = 1 << 18, // so many cells of a picture have their entropy worked out at once
    SHARED_CELLS_MIN = 1 << 20,
    PIECES = 4, // of a map, where several threads share the work
};

typedef void FigureWork(const FigurePen *pen, CachePiece *piece);

FigureCache *figure_cache_open(Error *err)
{
    FigureCache *cache = calloc(1, sizeof *cache);
    if (cache)
        team_init(&cache->team, 0);
    else
        error_set(err, TELL(CACHE_MEMORY), sizeof *cache);
    return cache;
}

void figure_cache_close(FigureCache *cache)
{
    if (!cache)
        return;
    team_finish(&cache->team);
    arena_finish(&cache->arena);
    free(cache);
}

static CacheKey key_of(const FigurePen *pen)
{
    const Figure *figure = pen->figure;
    CacheKey key;
    memset(&key, 0, sizeof key);
    key.numbers.trace = pen->data.trace;
    key.numbers.version = pen->request->version;
    key.numbers.tensor = pen->data.tensor;
    key.numbers.batch = pen->request->batch;
    key.heads.first_head = figure->maps[0].head;
    key.heads.count = figure->map_count;
    key.heads.mean = pen->request->mean;
    if (figure_shows_every_head(pen->request))
        key.heads.picked = pen->request->heads;
    key.first_row = figure->first_row;
    key.first_column = figure->first_column;
    key.rows = figure->rows;
    key.columns = figure->columns;
    key.block_rows = figure->block_rows;
    key.block_columns = figure->block_columns;
    key.scale = pen->request->scale;
    if (pen->request->ends)
        key.ends = *pen->request->ends;
    key.colours.map = pen->request->map;
    key.colours.dark = pen->request->dark;
    key.colours.computed = pen->request->computed;
    return key;
}

// The range of a head, also of what is not visible of it. Whole numbers of a head that has no map are
// looked at one by one.
static PoolRange whole_range(const FigurePen *pen, ptrdiff_t head, const CachePiece *piece)
{
    const ptrdiff_t *shape = pen->data.values.shape;
    CacheHead *kept = (CacheHead *)pen->cache->heads.memory + (head < 0 ? shape[1] : head);
    float *scratch = figure_piece_scratch(pen->cache, piece, shape[3]);
    bool has_map = head == pen->figure->maps[piece->map].head;
    if (kept->known)
        return kept->range;
    if (!has_map && figure_plane_needs_copy(pen)) {
        kept->range = figure_rows_range(pen, head, 0, shape[2]);
    } else {
        Tensor numbers = has_map ? figure_plane(pen, piece->map)
                                 : tensor_matrix(&pen->data.values, pen->request->batch, head);
        kept->range = pool_range(&numbers, scratch);
    }
    kept->known = true;
    return kept->range;
}

static void fill_piece(const FigurePen *pen, CachePiece *piece)
{
    FigureCache *cache = pen->cache;
    const Figure *figure = pen->figure;
    ptrdiff_t head = figure->maps[piece->map].head, first = piece->first * figure->block_rows;
    ptrdiff_t rows = piece->rows * figure->block_rows, left = figure->rows - first;
    Tensor numbers = figure_plane(pen, piece->map);
    float *scratch = figure_piece_scratch(cache, piece, numbers.shape[1]);
    numbers = tensor_narrow(&numbers, 0, figure->first_row + first, rows < left ? rows : left);
    numbers = tensor_narrow(&numbers, 1, figure->first_column, figure->columns);
    float *blocks = (float *)cache->blocks.memory + figure_piece_start(cache, piece);
    piece->range =
        pool_blocks(&numbers, figure->block_rows, figure->block_columns, blocks, scratch);
    bool scale_sees_all = !figure->all_visible && pen->request->scale != FIGURE_SCALE_UNIT;
    if (scale_sees_all && piece->first == 0)
        piece->range = whole_range(pen, head, piece);
    if (figure_scale_is_even(pen))
        piece->share = figure_largest_share(pen, piece, blocks);
}

// The largest share of a head, also of what is not visible of it.
static float whole_share(const FigurePen *pen, ptrdiff_t head)
{
    CacheHead *kept =
        (CacheHead *)pen->cache->heads.memory + (head < 0 ? pen->data.values.shape[1] : head);
    if (!kept->share_known)
        kept->share = figure_largest_share_of_head(pen, head);
    kept->share_known = true;
    return kept->share;
}

// What the brightest colour stands for is the same whatever part is visible.
static void find_even(const FigurePen *pen)
{
    FigureCache *cache = pen->cache;
    const CachePiece *pieces = cache->pieces.memory;
    const Figure *figure = pen->figure;
    bool some_hidden = !pen->request->mean && figure->map_count < pen->data.values.shape[1];
    cache->even = 0.0f;
    if (!figure_scale_is_even(pen))
        return;
    for (ptrdiff_t i = 0; figure->all_visible && i < cache->piece_count; i++)
        cache->even = fmaxf(cache->even, pieces[i].share);
    for (int map = 0; !figure->all_visible && map < figure->map_count; map++)
        cache->even = fmaxf(cache->even, whole_share(pen, figure->maps[map].head));
    for (ptrdiff_t head = 0; some_hidden && head < pen->data.values.shape[1]; head++)
        cache->even = fmaxf(cache->even, whole_share(pen, head));
    cache->even = figure_round_end(pen, cache->even);
}

// The range of every map, and over all heads; those that are shown are known already.
static void find_ranges(const FigurePen *pen)
{
    FigureCache *cache = pen->cache;
    const CachePiece *pieces = cache->pieces.memory;
    PoolRange *ranges = cache->ranges.memory;
    cache->all = pool_nothing;
    for (int map = 0; map < pen->figure->map_count; map++)
        ranges[map] = pool_nothing;
    for (ptrdiff_t i = 0; i < cache->piece_count; i++) {
        ranges[pieces[i].map] = pool_join(ranges[pieces[i].map], pieces[i].range);
        cache->all = pool_join(cache->all, pieces[i].range);
    }
    bool some_hidden = !pen->request->mean && pen->figure->map_count < pen->data.values.shape[1];
    if (!figure_scale_is_of_all(pen) || !some_hidden)
        return;
    for (ptrdiff_t head = 0; head < pen->data.values.shape[1]; head++)
        cache->all = pool_join(cache->all, whole_range(pen, head, &pieces[0]));
}

// --- entropies

static CacheHead *head_of(const FigurePen *pen, int map)
{
    ptrdiff_t head = pen->figure->maps[map].head;
    return (CacheHead *)pen->cache->heads.memory + (head < 0 ? pen->data.values.shape[1] : head);
}

// The same as of figure_row, for all numbers of a row of a matrix; and their sum.
static double row_entropy(const Tensor *numbers, ptrdiff_t row, double *sum)
{
    double entropy = *sum = 0.0;
    for (ptrdiff_t j = 0; j < numbers->shape[1]; j++) {
        double number = *tensor_at2(numbers, row, j);
        entropy -= number > 0.0 ? number * log2(number) : number * 0.0;
        *sum += number;
    }
    return entropy;
}

// Of the next row, unless it is padding; and the most that it could be.
static void add_entropy(const FigurePen *pen, ptrdiff_t head, const Tensor *numbers,
                        CacheHead *kept)
{
    ptrdiff_t row = kept->entropy_rows++, keys = figure_visible(pen, head, row);
    if (figure_row_is_padding(&pen->data, pen->request->batch, row))
        return;
    double sum;
    kept->entropy_count++;
    kept->entropy_sum += row_entropy(numbers, row, &sum);
    kept->odd_rows += pen->data.is_given && !scenario_sums_to_one(sum);
    kept->bound_sum += keys > 0 ? log2((double)keys) : 0.0;
}

// Goes on with the rows of all maps, until this many cells are done. Logarithms are slow: a picture of
// many cells is shown first, and its entropies come with the next ones.
static void add_entropies(const FigurePen *pen, ptrdiff_t cells)
{
    Figure *figure = pen->figure;
    ptrdiff_t rows = pen->data.values.shape[2], columns = pen->data.values.shape[3];
    for (int map = 0; pen->data.is_distribution && map < figure->map_count; map++) {
        CacheHead *kept = head_of(pen, map);
        Tensor numbers = figure_plane(pen, map);
        for (; kept->entropy_rows < rows && cells > 0; cells -= columns)
            add_entropy(pen, figure->maps[map].head, &numbers, kept);
        figure->unfinished |= kept->entropy_rows < rows;
    }
}

// --- several pieces at once

typedef struct EveryPiece {
    const FigurePen *pen;
    FigureWork *work;
} EveryPiece;

static void do_piece(void *context, ptrdiff_t number)
{
    const EveryPiece *every = context;
    every->work(every->pen, (CachePiece *)every->pen->cache->pieces.memory + number);
}

// Worth waking threads only where there is much to read.
static bool is_shared(const FigurePen *pen)
{
    const Figure *figure = pen->figure;
    return figure->map_count * figure->rows * figure->columns >= SHARED_CELLS_MIN;
}

static void for_every_piece(const FigurePen *pen, FigureWork *work)
{
    FigureCache *cache = pen->cache;
    EveryPiece every = {pen, work};
    if (is_shared(pen))
        team_run(&cache->team, cache->piece_count, do_piece, &every);
    else
        for (ptrdiff_t number = 0; number < cache->piece_count; number++)
            do_piece(&every, number);
}

static void cut_pieces(const FigurePen *pen)
{
    FigureCache *cache = pen->cache;
    const Figure *figure = pen->figure;
    CachePiece *piece = cache->pieces.memory;
    ptrdiff_t rows = is_shared(pen) ? pool_count(cache->down, PIECES) : cache->down;
    for (int map = 0; map < figure->map_count; map++)
        for (ptrdiff_t first = 0; first < cache->down; first += rows, piece++) {
            ptrdiff_t left = cache->down - first;
            *piece = (CachePiece){.map = map, .first = first, .rows = rows < left ? rows : left};
        }
    cache->piece_count = piece - (CachePiece *)cache->pieces.memory;
}

static bool make_rooms(const FigurePen *pen, Error *err)
{
    FigureCache *cache = pen->cache;
    const Figure *figure = pen->figure;
    const ptrdiff_t *shape = pen->data.values.shape;
    ptrdiff_t maps = figure->map_count, pieces = maps * PIECES;
    bool copies = figure_plane_needs_copy(pen);
    cache->down = pool_count(figure->rows, figure->block_rows);
    cache->across = pool_count(figure->columns, figure->block_columns);
    return figure_cache_room(cache, &cache->heads, shape[1] + 1, sizeof(CacheHead), err) &&
           figure_cache_room(cache, &cache->blocks, maps * cache->down * cache->across,
                             sizeof(float), err) &&
           figure_cache_room(cache, &cache->ranges, maps, sizeof(PoolRange), err) &&
           figure_cache_room(cache, &cache->pieces, pieces, sizeof(CachePiece), err) &&
           figure_cache_room(cache, &cache->scratch, pieces * (shape[3] + 1), sizeof(float), err) &&
           (!copies || figure_cache_room(cache, &cache->plane, maps * shape[2] * shape[3],
                                         sizeof(float), err));
}

static bool find_blocks(const FigurePen *pen, bool new_numbers, bool new_heads, Error *err)
{
    FigureCache *cache = pen->cache;
    if (!make_rooms(pen, err))
        return false;
    if (figure_plane_needs_copy(pen) && (new_numbers || new_heads))
        figure_plane_copy(pen);
    for (ptrdiff_t head = 0; new_numbers && head <= pen->data.values.shape[1]; head++)
        ((CacheHead *)cache->heads.memory)[head] = (CacheHead){.known = false};
    cut_pieces(pen);
    if (new_numbers && !figure_find_visible(pen, err))
        return false;
    for_every_piece(pen, fill_piece);
    find_ranges(pen);
    find_even(pen);
    return true;
}

static bool same_but_colours(const CacheKey *a, const CacheKey *b)
{
    CacheKey other = *b;
    other.colours = a->colours;
    return memcmp(a, &other, sizeof other) == 0;
}

// Colours all cells of the maps, unless the list still has them from the last picture.
static bool fill_cells(const FigurePen *pen)
{
    FigureCache *cache = pen->cache;
    DisplayList *list = pen->list;
    size_t count = (size_t)(pen->figure->map_count * cache->down * cache->across);
    if (!display_cells_first(list, count))
        return false;
    if (list->cells_source != cache || list->cells_version != cache->cells_version) {
        figure_colours(pen, pen->request->map, figure_scale_is_even(pen),
                       (PoolRange){0.0f, cache->even}, cache->table);
        for_every_piece(pen, figure_colour_piece);
    }
    list->cells_source = cache;
    list->cells_version = cache->cells_version;
    return true;
}

void figure_other_cells(FigureCache *cache, DisplayList *list)
{
    list->cells_source = NULL;
    list->cells_version = cache->cells_version + 1;
    cache->cells_version += 2;
}

bool figure_cache_fill(FigurePen *pen, Error *err)
{
    FigureCache *cache = pen->cache;
    CacheKey key = key_of(pen);
    ptrdiff_t cells =
        pen->figure->map_count * pen->data.values.shape[2] * pen->data.values.shape[3];
    bool known = cache->filled && memcmp(&key, &cache->key, sizeof key) == 0;
    if (!cache->filled || !same_but_colours(&key, &cache->key)) {
        const CacheKey *last = &cache->key;
        bool new_numbers =
            !cache->filled || memcmp(&key.numbers, &last->numbers, sizeof key.numbers) != 0;
        bool new_heads = memcmp(&key.heads, &last->heads, sizeof key.heads) != 0;
        cache->filled = false;
        if (!find_blocks(pen, new_numbers, new_heads, err))
            return false;
    }
    cache->cells_version += known ? 0 : 1;
    cache->key = key;
    cache->filled = true;
    add_entropies(pen, known || cells <= ENTROPY_CELLS ? ENTROPY_CELLS : 0);
    return fill_cells(pen) || error_set(err, "%s", pen->list->failure.text);
}

bool figure_entropy(const FigurePen *pen, int map, double *entropy, double *bound)
{
    const CacheHead *kept = head_of(pen, map);
    *entropy = kept->entropy_sum / (double)kept->entropy_count;
    *bound = kept->bound_sum / (double)kept->entropy_count;
    return pen->data.is_distribution && kept->entropy_rows == pen->data.values.shape[2] &&
           kept->entropy_count > 0 && kept->odd_rows == 0 && !isnan(*entropy);
}

ptrdiff_t figure_odd_rows(const FigurePen *pen, int map)
{
    return pen->data.is_distribution ? head_of(pen, map)->odd_rows : 0;
}
