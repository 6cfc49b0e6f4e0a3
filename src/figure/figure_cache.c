// The numbers of maps, pooled to blocks, and their colours; see figure_internal.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "figure_internal.h"
#include "figure_words.def"

// --- memory that is kept from one picture to the next

// At least `count * size` bytes. Previous contents are lost.
static void *figure_cache_size(FigureCache *cache, CacheSize *place, ptrdiff_t count, size_t size,
                               Error *err)
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
    return figure_cache_size(cache, &cache->maps, count, sizeof(FigureMap), err);
}

// The piece's first block among all blocks, which is also its first cell.
static ptrdiff_t figure_piece_start(const FigureCache *cache, const CachePiece *piece)
{
    return (piece->map * cache->down + piece->first) * cache->across;
}

// Scratch memory of the piece: one number more than `columns`.
static float *figure_piece_scratch(const FigureCache *cache, const CachePiece *piece,
                                   ptrdiff_t columns)
{
    ptrdiff_t number = piece - (const CachePiece *)cache->pieces.memory;
    return (float *)cache->scratch.memory + number * (columns + 1);
}

// --- numbers
//
// A map as a matrix of float32. Heads are read in place. The mean over heads and integers are copied once,
// and kept while nothing else is shown.

enum { ROWS_AT_ONCE = 64, SHARED_NUMBERS_MIN = 1 << 18 };

// True if a map is not a view of the tensor: the mean, or numbers that are not float32.
static bool figure_plane_needs_copy(const FigurePen *pen)
{
    return pen->figure->maps[0].head < 0 || pen->data.values.dtype != DTYPE_F32;
}

static Tensor copy_of(const FigurePen *pen, int map)
{
    const ptrdiff_t *shape = pen->data.values.shape;
    float *numbers = (float *)pen->cache->plane.memory + map * shape[2] * shape[3];
    return tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){shape[2], shape[3]});
}

// The numbers of a map as float32 [Lq, Lk]. If they need a copy, it must have been made.
static Tensor figure_plane(const FigurePen *pen, int map)
{
    if (figure_plane_needs_copy(pen))
        return copy_of(pen, map);
    return tensor_matrix(&pen->data.values, pen->request->batch, pen->figure->maps[map].head);
}

static void add_row(ptrdiff_t count, const float *numbers, ptrdiff_t step, float *sums)
{
    if (step == 1) // a loop of its own, so that compilers can use vectors
        for (ptrdiff_t j = 0; j < count; j++)
            sums[j] += numbers[j];
    else
        for (ptrdiff_t j = 0; j < count; j++)
            sums[j] += numbers[j * step];
}

// A row of the mean. Adds and divides in the order of figure_number.
static void mean_row(const FigurePen *pen, ptrdiff_t row, float *out)
{
    const ptrdiff_t *shape = pen->data.values.shape;
    ptrdiff_t columns = shape[3], step;
    for (ptrdiff_t j = 0; j < columns; j++)
        out[j] = 0.0f;
    for (ptrdiff_t head = 0; head < shape[1]; head++) {
        const float *numbers =
            figure_numbers_from(&pen->data, pen->request->batch, (FigureCell){head, row, 0}, &step);
        add_row(columns, numbers, step, out);
    }
    for (ptrdiff_t j = 0; j < columns; j++)
        out[j] /= (float)shape[1];
}

static void copy_row(const FigurePen *pen, ptrdiff_t head, ptrdiff_t row, float *out)
{
    if (head < 0 && pen->data.values.dtype == DTYPE_F32) {
        mean_row(pen, row, out);
        return;
    }
    for (ptrdiff_t j = 0; j < pen->data.values.shape[3]; j++)
        out[j] = figure_number(&pen->data, pen->request->batch, (FigureCell){head, row, j});
}

static ptrdiff_t bands_of(const FigurePen *pen)
{
    return pool_count(pen->data.values.shape[2], ROWS_AT_ONCE);
}

static void copy_band(void *context, ptrdiff_t number)
{
    const FigurePen *pen = context;
    int map = (int)(number / bands_of(pen));
    ptrdiff_t first = number % bands_of(pen) * ROWS_AT_ONCE, rows = pen->data.values.shape[2];
    Tensor copy = copy_of(pen, map);
    for (ptrdiff_t row = first; row < first + ROWS_AT_ONCE && row < rows; row++)
        copy_row(pen, pen->figure->maps[map].head, row, tensor_at2(&copy, row, 0));
}

// Copies all numbers of all maps into cache->plane.
static void figure_plane_copy(const FigurePen *pen)
{
    FigurePen context = *pen;
    const ptrdiff_t *shape = pen->data.values.shape;
    ptrdiff_t bands = pen->figure->map_count * bands_of(pen);
    if (bands * ROWS_AT_ONCE * shape[3] >= SHARED_NUMBERS_MIN)
        team_run(&pen->cache->team, bands, copy_band, &context);
    else
        for (ptrdiff_t number = 0; number < bands; number++)
            copy_band(&context, number);
}

// --- shares
//
// A query that sees two keys gives each about a half, one that sees a hundred gives a hundredth: on one scale
// of numbers, later rows are dark. Weight times the number of visible keys is 1 for an even share in every
// row, so rows compare.

// Counts the visible keys of every row, before any piece is worked on.
static bool figure_find_visible(const FigurePen *pen, Error *err)
{
    FigureCache *cache = pen->cache;
    const FigureData *data = &pen->data;
    const ptrdiff_t *shape = data->values.shape;
    cache->visible_heads = 0;
    if (!figure_has_masked(data))
        return true;
    bool by_head = data->masked.stride[1] != 0 || data->forbidding.stride[1] != 0;
    ptrdiff_t heads = by_head ? shape[1] : 1;
    int *visible =
        figure_cache_size(cache, &cache->visible, heads * shape[2], sizeof *visible, err);
    for (ptrdiff_t head = 0; visible && head < heads; head++)
        for (ptrdiff_t row = 0; row < shape[2]; row++)
            visible[head * shape[2] + row] =
                (int)figure_visible_keys(data, pen->request->batch, head, row);
    cache->visible_heads = heads;
    return visible != NULL;
}

ptrdiff_t figure_visible(const FigurePen *pen, ptrdiff_t head, ptrdiff_t row)
{
    const FigureCache *cache = pen->cache;
    const ptrdiff_t *shape = pen->data.values.shape;
    if (cache->visible_heads == 0)
        return shape[3];
    ptrdiff_t of = head > 0 && cache->visible_heads > 1 ? head : 0;
    return ((const int *)cache->visible.memory)[of * shape[2] + row];
}

// The keys of the last row of a block.
static float keys_of_block(const FigurePen *pen, ptrdiff_t head, ptrdiff_t row)
{
    ptrdiff_t last = row + pen->figure->block_rows - 1, rows = pen->data.values.shape[2];
    ptrdiff_t keys = figure_visible(pen, head, last < rows ? last : rows - 1);
    return (float)(keys > 0 ? keys : 1);
}

void figure_colours(const FigurePen *pen, ColourMap map, bool even, PoolRange range,
                    Colour table[COLOUR_LEVELS])
{
    bool around_one = even && map != COLOUR_DIVERGING && range.low == 0.0f && range.high >= 1.0f;
    colour_table_around(colour_map_on(map, pen->request->dark),
                        around_one ? 1.0 / (double)range.high : 0.5, table);
}

static float figure_largest_share(const FigurePen *pen, const CachePiece *piece,
                                  const float *blocks)
{
    const Figure *figure = pen->figure;
    ptrdiff_t across = pen->cache->across, head = figure->maps[piece->map].head;
    float largest = 0.0f;
    for (ptrdiff_t row = 0; row < piece->rows; row++, blocks += across) {
        float most = 0.0f;
        for (ptrdiff_t column = 0; column < across; column++)
            most = blocks[column] > most ? blocks[column] : most;
        ptrdiff_t first = figure->first_row + (piece->first + row) * figure->block_rows;
        float share = most * keys_of_block(pen, head, first);
        largest = isfinite(share) && share > largest ? share : largest;
    }
    return largest;
}

static float figure_largest_share_of_head(const FigurePen *pen, ptrdiff_t head)
{
    float largest = 0.0f;
    for (ptrdiff_t row = 0; row < pen->data.values.shape[2]; row++) {
        PoolRange range = figure_rows_range(pen, head, row, 1);
        ptrdiff_t keys = figure_visible(pen, head, row);
        float share = range.high * (float)(keys > 0 ? keys : 1);
        largest = range.low <= range.high && share > largest ? share : largest;
    }
    return largest;
}

// --- rows
//
// Each row has its own scale. Under a causal mask the first rows divide their weight among few keys, and on a
// common scale the others are dark.

// The range of the rows of a block.
static PoolRange block_range(const FigurePen *pen, const CachePiece *piece, ptrdiff_t row)
{
    Tensor numbers = figure_plane(pen, piece->map);
    ptrdiff_t rows = pen->figure->block_rows, left = numbers.shape[0] - row;
    float *scratch = figure_piece_scratch(pen->cache, piece, numbers.shape[1]);
    numbers = tensor_narrow(&numbers, 0, row, rows < left ? rows : left);
    return figure_signed_range(pen, pool_range(&numbers, scratch));
}

// Colours the blocks of a piece, each row of blocks on its own scale. Returns false if a number is not
// finite.
static bool figure_colour_rows(const FigurePen *pen, const CachePiece *piece,
                               const Colour table[COLOUR_LEVELS], const float *blocks,
                               DisplayCell *cells)
{
    const Figure *figure = pen->figure;
    ptrdiff_t across = pen->cache->across;
    ptrdiff_t first = figure->first_row + piece->first * figure->block_rows;
    bool plain = true;
    for (ptrdiff_t row = 0; row < piece->rows; row++, blocks += across, cells += across) {
        ptrdiff_t at = first + row * figure->block_rows;
        PoolRange range = {0.0f, 0.0f};
        if (figure_scale_is_even(pen)) {
            range.high = pen->cache->even / keys_of_block(pen, figure->maps[piece->map].head, at);
            range = figure_signed_range(pen, range);
        } else {
            range = block_range(pen, piece, at);
        }
        if (!colour_numbers(table, blocks, across, range.low, range.high, cells))
            plain = false;
    }
    return plain;
}

// --- the colour and the mark of every block

DisplayCell figure_marked_cell(const FigureTheme *theme, MatrixMark mark, float number,
                               Colour colour)
{
    if (mark == MATRIX_NOT_YET)
        return display_cell(theme->paper, DISPLAY_NOT_YET);
    if (mark == MATRIX_NAN)
        return display_cell(theme->alarm_paper, DISPLAY_NAN);
    return display_cell(matrix_has_number(mark, number) ? colour : theme->empty,
                        matrix_mark_drawn(mark));
}

// The least flag in a block; one plain cell makes the block plain.
static MatrixMark flag_of_block(const FigurePen *pen, FigureCell first, FigureCell last)
{
    MatrixMark least = MATRIX_MASKED;
    FigureCell at = first;
    for (at.row = first.row; at.row <= last.row; at.row++)
        for (at.column = first.column; at.column <= last.column; at.column++) {
            MatrixMark flag = figure_flag(&pen->data, pen->request->batch, at);
            if (flag == MATRIX_PLAIN)
                return flag;
            least = flag < least ? flag : least;
        }
    return least;
}

// The cell of a block whose mark depends on more than its number. `first` is the block's upper left cell.
static DisplayCell special_cell(const FigurePen *pen, FigureCell first, float number, Colour colour)
{
    const Figure *figure = pen->figure;
    const ptrdiff_t *shape = pen->data.values.shape;
    FigureCell last = {first.head, first.row + figure->block_rows - 1,
                       first.column + figure->block_columns - 1};
    last.row = last.row < shape[2] ? last.row : shape[2] - 1;
    last.column = last.column < shape[3] ? last.column : shape[3] - 1;
    if (!figure_is_computed(&pen->data, pen->request, last))
        return figure_marked_cell(&pen->theme, MATRIX_NOT_YET, number, colour);
    // The visible part of a matrix may end within a block.
    ptrdiff_t end_row = figure->first_row + figure->rows - 1;
    ptrdiff_t end_column = figure->first_column + figure->columns - 1;
    last.row = last.row < end_row ? last.row : end_row;
    last.column = last.column < end_column ? last.column : end_column;
    MatrixMark flag = isnan(number) ? MATRIX_PLAIN : flag_of_block(pen, first, last);
    return figure_marked_cell(&pen->theme, matrix_mark(flag, number), number, colour);
}

// Recolours the blocks that are not plain: masked, padding, not computed, not finite.
static void mark_blocks(const FigurePen *pen, CachePiece *piece, const float *blocks,
                        DisplayCell *cells)
{
    const Figure *figure = pen->figure;
    ptrdiff_t across = pen->cache->across;
    for (ptrdiff_t i = 0; i < piece->rows * across; i++) {
        FigureCell first = {figure->maps[piece->map].head,
                            figure->first_row + (piece->first + i / across) * figure->block_rows,
                            figure->first_column + i % across * figure->block_columns};
        cells[i] = special_cell(pen, first, blocks[i], cells[i]);
        piece->marks |= 1U << (cells[i] >> 24);
    }
}

// Fills the cells of a piece from its blocks, and records their marks.
static void figure_colour_piece(const FigurePen *pen, CachePiece *piece)
{
    ptrdiff_t start = figure_piece_start(pen->cache, piece);
    const float *blocks = (const float *)pen->cache->blocks.memory + start;
    DisplayCell *cells = pen->list->cells + start;
    PoolRange range = figure_range(pen, &pen->figure->maps[piece->map]);
    const Colour *table = pen->cache->table;
    bool plain = pen->request->scale == FIGURE_SCALE_ROW || figure_scale_is_even(pen)
                     ? figure_colour_rows(pen, piece, table, blocks, cells)
                     : colour_numbers(table, blocks, piece->rows * pen->cache->across, range.low,
                                      range.high, cells);
    bool any_mark = figure_has_masked(&pen->data) || pen->data.padding.storage.bytes ||
                    pen->request->computed >= 0;
    piece->marks = 0;
    if (!plain || any_mark)
        mark_blocks(pen, piece, blocks, cells);
}

bool figure_mark_occurs(const FigurePen *pen, DisplayMark mark)
{
    const CachePiece *pieces = pen->cache->pieces.memory;
    for (ptrdiff_t i = 0; i < pen->cache->piece_count; i++)
        if (pieces[i].marks & 1U << mark)
            return true;
    return false;
}

DisplayItem figure_cells_item(const FigurePen *pen, int map)
{
    const Figure *figure = pen->figure;
    int rows = (int)pool_count(figure->rows, figure->block_rows);
    int columns = (int)pool_count(figure->columns, figure->block_columns);
    int least = figure_points(pen, 15);
    return (DisplayItem){.x = figure->maps[map].x,
                         .y = figure->maps[map].y,
                         .width = columns * figure->cell_width,
                         .height = rows * figure->cell_height,
                         .rows = rows,
                         .columns = columns,
                         .colour = pen->theme.hatch,
                         .size = figure_points(pen, 5),
                         .gap = figure->cell_width >= least && figure->cell_height >= least,
                         .at = (size_t)map * (size_t)rows * (size_t)columns};
}

// --- the cache
//
// Reading the numbers is expensive, so it is not repeated while only the cursor, the colours or the letters
// change.

enum {
    ENTROPY_CELLS = 1 << 18, // how many cells get their entropy at once
    SHARED_CELLS_MIN = 1 << 20,
    PIECES = 4, // per map, if threads share the work
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

// The range of a head, invisible parts included. Integers of a head without a map are read one by one.
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

// The largest share of a head, invisible parts included.
static float whole_share(const FigurePen *pen, ptrdiff_t head)
{
    CacheHead *kept =
        (CacheHead *)pen->cache->heads.memory + (head < 0 ? pen->data.values.shape[1] : head);
    if (!kept->share_known)
        kept->share = figure_largest_share_of_head(pen, head);
    kept->share_known = true;
    return kept->share;
}

// Finds the end of the scale, which does not depend on the visible part.
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

// Finds the range of every map and of all heads.
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

// The entropy of a row of a matrix, as figure_row computes it, and the sum of the row.
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

// Adds the entropy of the next row, unless it is padding, and its upper bound.
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

// Continues with the rows of all maps until `cells` cells are done. Logarithms are slow: a large picture
// appears first, and its entropies follow.
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

// Threads pay off only for many cells.
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
    return figure_cache_size(cache, &cache->heads, shape[1] + 1, sizeof(CacheHead), err) &&
           figure_cache_size(cache, &cache->blocks, maps * cache->down * cache->across,
                             sizeof(float), err) &&
           figure_cache_size(cache, &cache->ranges, maps, sizeof(PoolRange), err) &&
           figure_cache_size(cache, &cache->pieces, pieces, sizeof(CachePiece), err) &&
           figure_cache_size(cache, &cache->scratch, pieces * (shape[3] + 1), sizeof(float), err) &&
           (!copies || figure_cache_size(cache, &cache->plane, maps * shape[2] * shape[3],
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

// Colours all cells, unless the list still has them from the last picture.
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
    CacheKey but_colours = cache->key;
    but_colours.colours = key.colours;
    if (!cache->filled || memcmp(&key, &but_colours, sizeof key) != 0) {
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
