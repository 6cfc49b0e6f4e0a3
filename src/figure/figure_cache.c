// figure_cache: the numbers that maps show, pooled to blocks, and their colours; see
// figure_internal.h. Reading the numbers is the expensive part, so it is not repeated while only
// the cursor, the colours or the size of letters change.
#include "figure_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Beyond this many numbers, entropy is not worked out for every head.
enum { ENTROPY_CELLS_MAX = 1 << 18 };

// What the cached numbers depend on.
typedef struct CacheKey {
    const Trace *trace;
    unsigned long version;
    ptrdiff_t tensor, batch, first_head, heads, mean;
    ptrdiff_t first_row, first_column, rows, columns, block_rows, block_columns;
    ptrdiff_t scale;
} CacheKey;

typedef struct CacheRoom {
    void *memory;
    size_t bytes;
} CacheRoom;

struct FigureCache {
    CacheKey key;
    bool filled;
    PoolRange all; // of all heads of the sequence
    CacheRoom maps, ranges, blocks, entropies, plane, scratch;
    ptrdiff_t map_blocks; // blocks of one map
    Arena arena;
};

FigureCache *figure_cache_open(Error *err)
{
    FigureCache *cache = calloc(1, sizeof *cache);
    if (!cache)
        error_set(err, "out of memory for the picture: %zu bytes", sizeof *cache);
    return cache;
}

void figure_cache_close(FigureCache *cache)
{
    if (cache)
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
    key.trace = pen->data.trace;
    key.version = pen->request->version;
    key.tensor = pen->data.tensor;
    key.batch = pen->request->batch;
    key.first_head = figure->maps[0].head;
    key.heads = figure->map_count;
    key.mean = pen->request->mean;
    key.first_row = figure->first_row;
    key.first_column = figure->first_column;
    key.rows = figure->rows;
    key.columns = figure->columns;
    key.block_rows = figure->block_rows;
    key.block_columns = figure->block_columns;
    key.scale = pen->request->scale;
    return key;
}

// The numbers of one head as a float32 matrix: a view, or a copy where there is none to view.
static bool plane(const FigurePen *pen, ptrdiff_t head, Tensor *out, Error *err)
{
    const Tensor *values = &pen->data.values;
    ptrdiff_t rows = values->shape[2], columns = values->shape[3];
    if (head >= 0 && values->dtype == DTYPE_F32) {
        *out = tensor_matrix(values, pen->request->batch, head);
        return true;
    }
    float *numbers = room(pen->cache, &pen->cache->plane, rows * columns, sizeof *numbers, err);
    if (!numbers)
        return false;
    *out = tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){rows, columns});
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < columns; j++)
            *tensor_at2(out, i, j) =
                figure_number(&pen->data, pen->request->batch, (FigureCell){head, i, j});
    return true;
}

// The range of a head that is not pooled as a whole.
static bool whole_range(const FigurePen *pen, ptrdiff_t head, PoolRange *range, Error *err)
{
    Tensor numbers;
    ptrdiff_t columns = pen->data.values.shape[3];
    float *scratch = room(pen->cache, &pen->cache->scratch, 3 * columns, sizeof *scratch, err);
    if (!scratch || !plane(pen, head, &numbers, err))
        return false;
    *range = pool_blocks(&numbers, 4, columns > 0 ? columns : 1, NULL, scratch);
    return true;
}

static bool fill_map(FigurePen *pen, int map, Error *err)
{
    FigureCache *cache = pen->cache;
    const Figure *figure = pen->figure;
    Tensor numbers;
    PoolRange *ranges = cache->ranges.memory;
    float *scratch =
        room(cache, &cache->scratch, 3 * pen->data.values.shape[3], sizeof *scratch, err);
    if (!scratch || !plane(pen, figure->maps[map].head, &numbers, err))
        return false;
    numbers = tensor_narrow(&numbers, 0, figure->first_row, figure->rows);
    numbers = tensor_narrow(&numbers, 1, figure->first_column, figure->columns);
    float *blocks = (float *)cache->blocks.memory + map * cache->map_blocks;
    ranges[map] = pool_blocks(&numbers, figure->block_rows, figure->block_columns, blocks, scratch);
    return figure->all_visible || pen->request->scale == FIGURE_SCALE_UNIT ||
           whole_range(pen, figure->maps[map].head, &ranges[map], err);
}

// The range over all heads; those that are shown are known already.
static bool fill_all(FigurePen *pen, Error *err)
{
    FigureCache *cache = pen->cache;
    const PoolRange *ranges = cache->ranges.memory;
    cache->all = pool_nothing;
    for (int map = 0; map < pen->figure->map_count; map++)
        cache->all = pool_join(cache->all, ranges[map]);
    bool some_hidden = !pen->request->mean && pen->figure->map_count < pen->data.values.shape[1];
    if (pen->request->scale != FIGURE_SCALE_ALL || !some_hidden)
        return true;
    for (ptrdiff_t head = 0; head < pen->data.values.shape[1]; head++) {
        PoolRange range;
        if (!whole_range(pen, head, &range, err))
            return false;
        cache->all = pool_join(cache->all, range);
    }
    return true;
}

// NaN where a row has NaN.
static double entropy_of(const FigurePen *pen, ptrdiff_t head)
{
    double sum = 0.0;
    ptrdiff_t rows = pen->data.values.shape[2];
    for (ptrdiff_t i = 0; i < rows; i++)
        sum += figure_row(&pen->data, pen->request->batch, (FigureCell){head, i, 0}).entropy;
    return sum / (double)rows;
}

static bool fill_entropies(FigurePen *pen, Error *err)
{
    int maps = pen->figure->map_count;
    double *entropies = room(pen->cache, &pen->cache->entropies, maps, sizeof *entropies, err);
    if (!entropies)
        return false;
    ptrdiff_t cells = pen->data.values.shape[2] * pen->data.values.shape[3];
    for (int map = 0; map < maps; map++)
        entropies[map] = pen->data.is_weights && cells <= ENTROPY_CELLS_MAX / maps
                             ? entropy_of(pen, pen->figure->maps[map].head)
                             : (double)NAN;
    return true;
}

bool figure_cache_fill(FigurePen *pen, Error *err)
{
    FigureCache *cache = pen->cache;
    const Figure *figure = pen->figure;
    CacheKey key = key_of(pen);
    if (cache->filled && memcmp(&key, &cache->key, sizeof key) == 0)
        return true;
    cache->filled = false;
    cache->map_blocks = pool_count(figure->rows, figure->block_rows) *
                        pool_count(figure->columns, figure->block_columns);
    if (!room(cache, &cache->blocks, figure->map_count * cache->map_blocks, sizeof(float), err) ||
        !room(cache, &cache->ranges, figure->map_count, sizeof(PoolRange), err))
        return false;
    for (int map = 0; map < figure->map_count; map++)
        if (!fill_map(pen, map, err))
            return false;
    if (!fill_all(pen, err) || !fill_entropies(pen, err))
        return false;
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
    // Zero is the middle of a map of two colours.
    if (pen->request->map == COLOUR_DIVERGING && range.low <= range.high) {
        float end = fmaxf(fabsf(range.low), fabsf(range.high));
        range = (PoolRange){-end, end};
    }
    return range;
}

bool figure_entropy(const FigurePen *pen, int map, double *entropy)
{
    *entropy = ((const double *)pen->cache->entropies.memory)[map];
    return !isnan(*entropy);
}

// --- colours

// True when `is` holds for every cell of the block.
static bool whole_block(const FigurePen *pen, FigureCell first,
                        bool (*is)(const FigureData *, ptrdiff_t, FigureCell))
{
    const Figure *figure = pen->figure;
    ptrdiff_t last_row = figure->first_row + figure->rows;
    ptrdiff_t last_column = figure->first_column + figure->columns;
    FigureCell at = first;
    for (at.row = first.row; at.row < first.row + figure->block_rows && at.row < last_row; at.row++)
        for (at.column = first.column;
             at.column < first.column + figure->block_columns && at.column < last_column;
             at.column++)
            if (!is(&pen->data, pen->request->batch, at))
                return false;
    return true;
}

// A cell whose mark is not decided by its number alone; `first` is the upper left of the block.
static DisplayCell special_cell(const FigurePen *pen, FigureCell first, float number, Colour colour)
{
    const FigureTheme *theme = &pen->theme;
    const Figure *figure = pen->figure;
    FigureCell last = {first.head, first.row + figure->block_rows - 1,
                       first.column + figure->block_columns - 1};
    if (last.row >= pen->data.values.shape[2])
        last.row = pen->data.values.shape[2] - 1;
    if (last.column >= pen->data.values.shape[3])
        last.column = pen->data.values.shape[3] - 1;
    if (!figure_is_computed(&pen->data, pen->request, last))
        return display_cell(theme->paper, DISPLAY_NOT_YET);
    if (isnan(number))
        return display_cell(theme->alarm_paper, DISPLAY_NAN);
    if (pen->data.masked.storage.bytes && whole_block(pen, first, figure_is_masked)) {
        bool says_nothing = number == 0.0f || (isinf(number) && number < 0.0f);
        return display_cell(says_nothing ? theme->empty : colour, DISPLAY_MASKED);
    }
    if (isinf(number))
        return display_cell(theme->empty,
                            number > 0.0f ? DISPLAY_INFINITY : DISPLAY_MINUS_INFINITY);
    bool padded = pen->data.padding.storage.bytes && whole_block(pen, first, figure_is_padded);
    return display_cell(colour, padded ? DISPLAY_PADDED : DISPLAY_PLAIN);
}

static void colour_blocks(const FigurePen *pen, int map, DisplayCell *cells)
{
    const Figure *figure = pen->figure;
    const float *blocks = (const float *)pen->cache->blocks.memory + map * pen->cache->map_blocks;
    ptrdiff_t across = pool_count(figure->columns, figure->block_columns);
    PoolRange range = figure_range(pen, &figure->maps[map]);
    bool any_mark = pen->data.masked.storage.bytes || pen->data.padding.storage.bytes ||
                    pen->request->computed >= 0;
    Colour table[COLOUR_LEVELS];
    colour_table(pen->request->map, table);

    for (ptrdiff_t i = 0; i < pen->cache->map_blocks; i++) {
        bool finite = isfinite(blocks[i]);
        Colour colour = table[finite ? colour_level(blocks[i], range.low, range.high) : 0];
        FigureCell first = {figure->maps[map].head, 0, 0};
        if (finite && !any_mark) {
            cells[i] = colour;
            continue;
        }
        first.row = figure->first_row + i / across * figure->block_rows;
        first.column = figure->first_column + i % across * figure->block_columns;
        cells[i] = special_cell(pen, first, blocks[i], colour);
    }
}

void figure_cells(const FigurePen *pen, int map)
{
    const Figure *figure = pen->figure;
    int rows = (int)pool_count(figure->rows, figure->block_rows);
    int columns = (int)pool_count(figure->columns, figure->block_columns);
    bool has_gaps = figure->cell_width >= figure_points(pen, 15) &&
                    figure->cell_height >= figure_points(pen, 15);
    DisplayCell *cells = display_cells(pen->list, (DisplayItem){
                                                      .x = figure->maps[map].x,
                                                      .y = figure->maps[map].y,
                                                      .width = columns * figure->cell_width,
                                                      .height = rows * figure->cell_height,
                                                      .rows = rows,
                                                      .columns = columns,
                                                      .colour = pen->theme.hatch,
                                                      .size = figure_points(pen, 5),
                                                      .gap = has_gaps ? 1 : 0,
                                                  });
    if (cells)
        colour_blocks(pen, map, cells);
}
