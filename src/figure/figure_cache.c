// figure_cache: the numbers that maps show, pooled to blocks, and their colours; see
// figure_internal.h. Reading the numbers is the expensive part, so it is not repeated while only
// the cursor, the colours or the size of letters change.
#include "figure_cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENTROPY_CELLS = 1 << 18, // so many cells of a picture have their entropy worked out at once
    SHARED_CELLS_MIN = 1 << 20,
};

typedef void FigureWork(const FigurePen *pen, int map);

FigureCache *figure_cache_open(Error *err)
{
    FigureCache *cache = calloc(1, sizeof *cache);
    if (cache)
        team_init(&cache->team, 0);
    else
        error_set(err, "out of memory for the picture: %zu bytes", sizeof *cache);
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

// At least `count * size` bytes; what was there before is gone.
static void *room(FigureCache *cache, CacheRoom *place, ptrdiff_t count, size_t size, Error *err)
{
    size_t bytes = (size_t)count * size;
    if (place->memory && bytes <= place->bytes)
        return place->memory;
    place->memory = arena_take(&cache->arena, (size_t)count + (size_t)count / 2, size, err);
    place->bytes = place->memory ? bytes + (size_t)count / 2 * size : 0;
    return place->memory;
}

FigureMap *figure_cache_maps(FigureCache *cache, ptrdiff_t count, Error *err)
{
    return room(cache, &cache->maps, count, sizeof(FigureMap), err);
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
    key.first_head = figure->maps[0].head;
    key.heads = figure->map_count;
    key.mean = pen->request->mean;
    if (figure_shows_every_head(pen->request))
        key.picked = pen->request->heads;
    key.first_row = figure->first_row;
    key.first_column = figure->first_column;
    key.rows = figure->rows;
    key.columns = figure->columns;
    key.block_rows = figure->block_rows;
    key.block_columns = figure->block_columns;
    key.scale = pen->request->scale;
    key.colours.map = pen->request->map;
    key.colours.dark = pen->request->dark;
    key.colours.computed = pen->request->computed;
    return key;
}

// The mean, and numbers that are not float32, have no view.
static bool needs_copy(const FigurePen *pen, ptrdiff_t head)
{
    return head < 0 || pen->data.values.dtype != DTYPE_F32;
}

// The numbers of one head as a float32 matrix: a view, or a copy where there is none to view.
static Tensor plane(const FigurePen *pen, ptrdiff_t head, int map)
{
    const Tensor *values = &pen->data.values;
    ptrdiff_t rows = values->shape[2], columns = values->shape[3];
    if (!needs_copy(pen, head))
        return tensor_matrix(values, pen->request->batch, head);
    float *numbers = (float *)pen->cache->plane.memory + map * rows * columns;
    Tensor copy = tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){rows, columns});
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < columns; j++)
            *tensor_at2(&copy, i, j) =
                figure_number(&pen->data, pen->request->batch, (FigureCell){head, i, j});
    return copy;
}

static float *scratch_of(const FigurePen *pen, int map)
{
    return (float *)pen->cache->scratch.memory + map * (pen->data.values.shape[3] + 1);
}

// The range of a head, also of what is not visible of it.
static PoolRange whole_range(const FigurePen *pen, ptrdiff_t head, int map)
{
    ptrdiff_t heads = pen->data.values.shape[1];
    CacheHead *kept = (CacheHead *)pen->cache->heads.memory + (head < 0 ? heads : head);
    if (!kept->known) {
        Tensor numbers = plane(pen, head, map);
        kept->range = pool_range(&numbers, scratch_of(pen, map));
        kept->known = true;
    }
    return kept->range;
}

static void fill_map(const FigurePen *pen, int map)
{
    FigureCache *cache = pen->cache;
    const Figure *figure = pen->figure;
    PoolRange *range = (PoolRange *)cache->ranges.memory + map;
    Tensor numbers = plane(pen, figure->maps[map].head, map);
    numbers = tensor_narrow(&numbers, 0, figure->first_row, figure->rows);
    numbers = tensor_narrow(&numbers, 1, figure->first_column, figure->columns);
    *range =
        pool_blocks(&numbers, figure->block_rows, figure->block_columns,
                    (float *)cache->blocks.memory + map * cache->map_blocks, scratch_of(pen, map));
    if (!figure->all_visible && pen->request->scale != FIGURE_SCALE_UNIT)
        *range = whole_range(pen, figure->maps[map].head, map);
}

// The range over all heads; those that are shown are known already.
static void fill_all(const FigurePen *pen)
{
    FigureCache *cache = pen->cache;
    const PoolRange *ranges = cache->ranges.memory;
    cache->all = pool_nothing;
    for (int map = 0; map < pen->figure->map_count; map++)
        cache->all = pool_join(cache->all, ranges[map]);
    bool some_hidden = !pen->request->mean && pen->figure->map_count < pen->data.values.shape[1];
    if (pen->request->scale != FIGURE_SCALE_ALL || !some_hidden)
        return;
    for (ptrdiff_t head = 0; head < pen->data.values.shape[1]; head++)
        cache->all = pool_join(cache->all, whole_range(pen, head, 0));
}

// --- entropies

static CacheHead *head_of(const FigurePen *pen, int map)
{
    ptrdiff_t head = pen->figure->maps[map].head;
    return (CacheHead *)pen->cache->heads.memory + (head < 0 ? pen->data.values.shape[1] : head);
}

// The same as of figure_row, for all numbers of a row of a matrix.
static double row_entropy(const Tensor *numbers, ptrdiff_t row)
{
    double entropy = 0.0;
    for (ptrdiff_t j = 0; j < numbers->shape[1]; j++) {
        double number = *tensor_at2(numbers, row, j);
        entropy -= number > 0.0 ? number * log2(number) : number * 0.0;
    }
    return entropy;
}

// Goes on with the rows of all maps, as far as so many cells go. Logarithms are slow: a picture of
// many cells is shown first, and its entropies come with the next ones.
static void add_entropies(const FigurePen *pen, ptrdiff_t cells)
{
    Figure *figure = pen->figure;
    ptrdiff_t rows = pen->data.values.shape[2], columns = pen->data.values.shape[3];
    for (int map = 0; pen->data.is_distribution && map < figure->map_count; map++) {
        CacheHead *kept = head_of(pen, map);
        bool begins = kept->entropy_rows < rows && cells > 0;
        Tensor numbers = begins ? plane(pen, figure->maps[map].head, map) : pen->data.values;
        for (; kept->entropy_rows < rows && cells > 0; cells -= columns)
            kept->entropy_sum += row_entropy(&numbers, kept->entropy_rows++);
        figure->unfinished |= kept->entropy_rows < rows;
    }
}

static bool make_rooms(const FigurePen *pen, Error *err)
{
    FigureCache *cache = pen->cache;
    const ptrdiff_t *shape = pen->data.values.shape;
    ptrdiff_t maps = pen->figure->map_count, all_blocks = maps * cache->map_blocks;
    bool copies = needs_copy(pen, pen->figure->maps[0].head);
    return room(cache, &cache->heads, shape[1] + 1, sizeof(CacheHead), err) &&
           room(cache, &cache->blocks, all_blocks, sizeof(float), err) &&
           room(cache, &cache->cells, all_blocks, sizeof(DisplayCell), err) &&
           room(cache, &cache->ranges, maps, sizeof(PoolRange), err) &&
           room(cache, &cache->scratch, maps * (shape[3] + 1), sizeof(float), err) &&
           (!copies || room(cache, &cache->plane, maps * shape[2] * shape[3], sizeof(float), err));
}

// --- several maps at once

typedef struct EveryMap {
    const FigurePen *pen;
    FigureWork *work;
} EveryMap;

static void do_map(void *context, ptrdiff_t number)
{
    const EveryMap *every = context;
    every->work(every->pen, (int)number);
}

// Worth waking threads only where there is much to read.
static void for_every_map(const FigurePen *pen, FigureWork *work)
{
    const Figure *figure = pen->figure;
    EveryMap every = {pen, work};
    if (figure->map_count * figure->rows * figure->columns >= SHARED_CELLS_MIN)
        team_run(&pen->cache->team, figure->map_count, do_map, &every);
    else
        for (int map = 0; map < figure->map_count; map++)
            work(pen, map);
}

static bool same_but_colours(const CacheKey *a, const CacheKey *b)
{
    CacheKey other = *b;
    other.colours = a->colours;
    return memcmp(a, &other, sizeof other) == 0;
}

bool figure_cache_fill(FigurePen *pen, Error *err)
{
    FigureCache *cache = pen->cache;
    const Figure *figure = pen->figure;
    CacheKey key = key_of(pen);
    ptrdiff_t cells = figure->map_count * pen->data.values.shape[2] * pen->data.values.shape[3];
    if (cache->filled && memcmp(&key, &cache->key, sizeof key) == 0) {
        add_entropies(pen, ENTROPY_CELLS);
        return true;
    }
    if (!cache->filled || !same_but_colours(&key, &cache->key)) {
        bool new_numbers =
            !cache->filled || memcmp(&key.numbers, &cache->key.numbers, sizeof key.numbers) != 0;
        cache->filled = false;
        cache->map_blocks = pool_count(figure->rows, figure->block_rows) *
                            pool_count(figure->columns, figure->block_columns);
        if (!make_rooms(pen, err))
            return false;
        for (ptrdiff_t head = 0; new_numbers && head <= pen->data.values.shape[1]; head++)
            ((CacheHead *)cache->heads.memory)[head] = (CacheHead){.known = false};
        for_every_map(pen, fill_map);
        fill_all(pen);
    }
    add_entropies(pen, cells <= ENTROPY_CELLS ? cells : 0);
    for_every_map(pen, figure_colour_map);
    figure_note_marks(pen);
    cache->cells_version++;
    cache->key = key;
    cache->filled = true;
    return true;
}

PoolRange figure_range(const FigurePen *pen, const FigureMap *map)
{
    const PoolRange *ranges = pen->cache->ranges.memory;
    PoolRange range = pen->request->scale == FIGURE_SCALE_UNIT  ? (PoolRange){0.0f, 1.0f}
                      : pen->request->scale == FIGURE_SCALE_ALL ? pen->cache->all
                                                                : ranges[map - pen->figure->maps];
    return figure_signed_range(pen, range);
}

PoolRange figure_signed_range(const FigurePen *pen, PoolRange range)
{
    if (pen->request->map != COLOUR_DIVERGING || range.low > range.high)
        return range;
    float end = fmaxf(fabsf(range.low), fabsf(range.high));
    return (PoolRange){-end, end};
}

bool figure_entropy(const FigurePen *pen, int map, double *entropy)
{
    const CacheHead *kept = head_of(pen, map);
    *entropy = kept->entropy_sum / (double)pen->data.values.shape[2];
    return pen->data.is_distribution && kept->entropy_rows == pen->data.values.shape[2] &&
           !isnan(*entropy);
}
