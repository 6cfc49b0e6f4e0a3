// figure_share: how many keys a query may look at, and colours that are fair to all of them. A query
// that sees two keys gives each about a half, one that sees a hundred a hundredth: on one scale for
// the numbers the later rows are dark. Weight times the number of keys is 1 for an even share in every
// row, and rows can be compared. See figure_internal.h.
#include "figure_cache.h"

#include <math.h>

bool figure_find_visible(const FigurePen *pen, Error *err)
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
        figure_cache_room(cache, &cache->visible, heads * shape[2], sizeof *visible, err);
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

// Of a block of rows the last one counts.
static float keys_of_block(const FigurePen *pen, ptrdiff_t head, ptrdiff_t row)
{
    ptrdiff_t last = row + pen->figure->block_rows - 1, rows = pen->data.values.shape[2];
    ptrdiff_t keys = figure_visible(pen, head, last < rows ? last : rows - 1);
    return (float)(keys > 0 ? keys : 1);
}

PoolRange figure_even_range(const FigurePen *pen, ptrdiff_t head, ptrdiff_t row)
{
    float keys = keys_of_block(pen, head, row);
    return figure_signed_range(pen, (PoolRange){0.0f, pen->cache->even / keys});
}

void figure_colours(const FigurePen *pen, ColourMap map, bool even, PoolRange range,
                    Colour table[COLOUR_LEVELS])
{
    bool around_one = even && map != COLOUR_DIVERGING && range.low == 0.0f && range.high >= 1.0f;
    colour_table_around(colour_map_on(map, pen->request->dark),
                        around_one ? 1.0 / (double)range.high : 0.5, table);
}

float figure_largest_share(const FigurePen *pen, const CachePiece *piece, const float *blocks)
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

float figure_largest_share_of_head(const FigurePen *pen, ptrdiff_t head)
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
