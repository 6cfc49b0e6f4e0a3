// figure_colour: the colour and the mark of every block; see figure_internal.h.
#include "figure_cache.h"

#include <math.h>
#include <string.h>

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

// Colours the blocks that are not plain: masked, padding, not there yet, not finite.
static void mark_blocks(const FigurePen *pen, int map, const float *blocks, DisplayCell *cells)
{
    const Figure *figure = pen->figure;
    ptrdiff_t across = pool_count(figure->columns, figure->block_columns);
    for (ptrdiff_t i = 0; i < pen->cache->map_blocks; i++) {
        FigureCell first = {figure->maps[map].head,
                            figure->first_row + i / across * figure->block_rows,
                            figure->first_column + i % across * figure->block_columns};
        cells[i] = special_cell(pen, first, blocks[i], cells[i]);
    }
}

void figure_colour_map(const FigurePen *pen, int map)
{
    ptrdiff_t count = pen->cache->map_blocks;
    const float *blocks = (const float *)pen->cache->blocks.memory + map * count;
    DisplayCell *cells = (DisplayCell *)pen->cache->cells.memory + map * count;
    PoolRange range = figure_range(pen, &pen->figure->maps[map]);
    Colour table[COLOUR_LEVELS];
    colour_table(pen->request->map, table);
    bool plain = pen->request->scale == FIGURE_SCALE_ROW
                     ? figure_colour_rows(pen, map, table, blocks, cells)
                     : colour_numbers(table, blocks, count, range.low, range.high, cells);
    bool any_mark = pen->data.masked.storage.bytes || pen->data.padding.storage.bytes ||
                    pen->request->computed >= 0;
    if (!plain || any_mark)
        mark_blocks(pen, map, blocks, cells);
}

void figure_note_marks(const FigurePen *pen)
{
    FigureCache *cache = pen->cache;
    const DisplayCell *cells = cache->cells.memory;
    ptrdiff_t count = pen->figure->map_count * cache->map_blocks;
    DisplayCell any = 0;
    for (ptrdiff_t i = 0; i < count; i++)
        any |= cells[i] >> 24;
    memset(cache->marks, 0, sizeof cache->marks);
    for (ptrdiff_t i = 0; any && i < count; i++)
        cache->marks[cells[i] >> 24] = true;
}

bool figure_mark_occurs(const FigurePen *pen, DisplayMark mark)
{
    return pen->cache->marks[mark];
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
    // The maps come first in every list, so the same maps lie where they lay.
    bool are_there = pen->list->cells_source == pen->cache &&
                     pen->list->cells_version == pen->cache->cells_version;
    if (cells && !are_there)
        memcpy(cells, (DisplayCell *)pen->cache->cells.memory + map * pen->cache->map_blocks,
               (size_t)pen->cache->map_blocks * sizeof *cells);
}

void figure_cells_are_drawn(const FigurePen *pen)
{
    bool lines = pen->figure->lines;
    pen->list->cells_source = lines || pen->list->failed ? NULL : pen->cache;
    pen->list->cells_version = pen->cache->cells_version;
}
