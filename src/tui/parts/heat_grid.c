// heat_grid: all heads of a sequence beside and below each other, the chosen one among them.
#include "heat_view.h"

enum { GAP = 2, CELL_COLUMNS_MAX = 2, MAP_COLUMNS_MIN = 6, MAP_ROWS_MIN = 2 };

// How heads are arranged; `across` maps in a row of the grid.
typedef struct Grid {
    int across, down;
    Area room; // of one map's cells, at the origin
    HeatFit fit;
} Grid;

static bool try_grid(const HeatView *view, Area area, int across, int colours, Grid *grid)
{
    ptrdiff_t heads = view->source.data.values.shape[1];
    int down = (int)((heads + across - 1) / across);
    int columns = (area.columns + GAP) / across - GAP, most = area.rows / (MAP_ROWS_MIN + 1);
    down = down < most ? down : most;
    if (down < 1 || (columns < MAP_COLUMNS_MIN && across > 1) || columns < 1)
        return false;
    *grid = (Grid){across, down, {.rows = area.rows / down - 1, .columns = columns}, {0}};
    grid->fit = heat_fit(&view->source, &view->scale, grid->room, colours, CELL_COLUMNS_MAX);
    return true;
}

// More heads shown before smaller blocks, before larger cells.
static bool is_better(const HeatView *view, const Grid *a, const Grid *b)
{
    ptrdiff_t heads = view->source.data.values.shape[1];
    ptrdiff_t shown_a = a->across * a->down, shown_b = b->across * b->down;
    ptrdiff_t block_a = a->fit.block_rows * a->fit.block_columns;
    ptrdiff_t block_b = b->fit.block_rows * b->fit.block_columns;
    shown_a = shown_a < heads ? shown_a : heads;
    shown_b = shown_b < heads ? shown_b : heads;
    if (shown_a != shown_b)
        return shown_a > shown_b;
    if (block_a != block_b)
        return block_a < block_b;
    return a->fit.cell_columns > b->fit.cell_columns;
}

static bool choose_grid(const HeatView *view, Area area, int colours, Grid *best)
{
    bool found = false;
    for (int across = 1; across <= view->source.data.values.shape[1] && across <= area.columns;
         across++) {
        Grid grid;
        if (try_grid(view, area, across, colours, &grid) &&
            (!found || is_better(view, &grid, best))) {
            *best = grid;
            found = true;
        }
    }
    return found;
}

static void draw_one(const HeatView *view, const Grid *grid, ptrdiff_t head, Area area,
                     bool marks[MATRIX_MARKS])
{
    char name[HEAT_NAME_MAX];
    bool chosen = head == view->chosen.head;
    HeatMap map = {.source = &view->source,
                   .scale = &view->scale,
                   .fit = grid->fit,
                   .head = head,
                   .chosen = view->chosen};
    cells_format(area, 0, 0, chosen ? ROLE_CURRENT : ROLE_HEADING, "%s%s", chosen ? "\u25b8" : "",
                 heat_head_name(view, head, name));
    area.row++;
    area.rows--;
    heat_map_draw(&map, area, marks);
}

HeatFit heat_grid_draw(const HeatView *view, Area area, bool marks[MATRIX_MARKS])
{
    Grid grid = {0};
    if (!choose_grid(view, area, area.cells->colours, &grid))
        return (HeatFit){.block_rows = 1, .block_columns = 1};
    int page = grid.across * grid.down, height = grid.fit.lines + 1;
    ptrdiff_t first = view->chosen.head / page * page;
    int gap = (grid.down + 1) * (height + 1) <= area.rows + grid.down + 1 ? 1 : 0;
    for (int i = 0; i < page && first + i < view->source.data.values.shape[1]; i++) {
        Area one =
            area_part(area, i / grid.across * (height + gap),
                      i % grid.across * ((int)grid.fit.columns * grid.fit.cell_columns + GAP),
                      height, grid.room.columns);
        draw_one(view, &grid, first + i, one, marks);
    }
    return grid.fit;
}
