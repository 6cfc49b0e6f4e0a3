// figure_colour: the colour and the mark of every block; see figure_internal.h.
#include "figure_cache.h"

#include <math.h>

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

// The least flag of a block: one cell without any decides.
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

// A cell whose mark is not decided by its number alone; `first` is the upper left of the block.
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
    // What is seen of a matrix may end within a block.
    ptrdiff_t end_row = figure->first_row + figure->rows - 1;
    ptrdiff_t end_column = figure->first_column + figure->columns - 1;
    last.row = last.row < end_row ? last.row : end_row;
    last.column = last.column < end_column ? last.column : end_column;
    MatrixMark flag = isnan(number) ? MATRIX_PLAIN : flag_of_block(pen, first, last);
    return figure_marked_cell(&pen->theme, matrix_mark(flag, number), number, colour);
}

// Colours the blocks that are not plain: masked, padding, not there yet, not finite.
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

void figure_colour_piece(const FigurePen *pen, CachePiece *piece)
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

void figure_cells(const FigurePen *pen, int map)
{
    const Figure *figure = pen->figure;
    const FigureCache *cache = pen->cache;
    bool has_gaps = figure->cell_width >= figure_points(pen, 15) &&
                    figure->cell_height >= figure_points(pen, 15);
    display_cells_at(pen->list, (DisplayItem){
                                    .x = figure->maps[map].x,
                                    .y = figure->maps[map].y,
                                    .width = (int)cache->across * figure->cell_width,
                                    .height = (int)cache->down * figure->cell_height,
                                    .rows = (int)cache->down,
                                    .columns = (int)cache->across,
                                    .colour = pen->theme.hatch,
                                    .size = figure_points(pen, 5),
                                    .gap = has_gaps ? 1 : 0,
                                    .at = (size_t)(map * cache->down * cache->across),
                                });
}
