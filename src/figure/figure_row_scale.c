// figure_row_scale: colours from the lowest to the highest number of each row. The weights of a row
// are one whole that is divided, and under a causal mask the first rows divide it among few: on a
// scale for all rows the others are dark. See figure_internal.h.
#include "figure_cache.h"

// The range of the rows of a block.
static PoolRange block_range(const FigurePen *pen, const CachePiece *piece, ptrdiff_t row)
{
    Tensor numbers = figure_plane(pen, piece->map);
    ptrdiff_t rows = pen->figure->block_rows, left = numbers.shape[0] - row;
    float *scratch = figure_piece_scratch(pen->cache, piece, numbers.shape[1]);
    numbers = tensor_narrow(&numbers, 0, row, rows < left ? rows : left);
    return figure_signed_range(pen, pool_range(&numbers, scratch));
}

bool figure_colour_rows(const FigurePen *pen, const CachePiece *piece,
                        const Colour table[COLOUR_LEVELS], const float *blocks, DisplayCell *cells)
{
    const Figure *figure = pen->figure;
    ptrdiff_t across = pen->cache->across;
    ptrdiff_t first = figure->first_row + piece->first * figure->block_rows;
    bool plain = true;
    for (ptrdiff_t row = 0; row < piece->rows; row++, blocks += across, cells += across) {
        ptrdiff_t at = first + row * figure->block_rows;
        PoolRange range = figure_scale_is_even(pen)
                              ? figure_even_range(pen, figure->maps[piece->map].head, at)
                              : block_range(pen, piece, at);
        if (!colour_numbers(table, blocks, across, range.low, range.high, cells))
            plain = false;
    }
    return plain;
}
