// heat_head: one head, queries at the left, keys on top, the chosen ones pointed at.
#include "heat_view.h"

#include <stdio.h>
#include <string.h>
#include "utf8.h"

enum {
    NAMES_LOOKED_AT = 256, // for the width of labels
    ROW_NAME_MAX = 12,
    UPRIGHT_MAX = 6, // lines of a word written downwards
    CELL_COLUMNS_MAX = 6,
    POINTER_COLUMNS = 2,
};

typedef const char *Label(const FigureData *data, ptrdiff_t batch, ptrdiff_t index, char text[64]);

const char *heat_head_name(const HeatView *view, ptrdiff_t head, char text[HEAT_NAME_MAX])
{
    text[0] = '\0';
    if (view->source.data.has_heads)
        figure_map_name(&view->source.data, view->source.sequence, head, text);
    return text;
}

static int widest(const HeatView *view, int axis, Label *label)
{
    char text[64];
    int columns = 1;
    for (ptrdiff_t i = 0; i < view->source.data.values.shape[axis] && i < NAMES_LOOKED_AT; i++) {
        int width = utf8_width(label(&view->source.data, view->source.sequence, i, text));
        columns = width > columns ? width : columns;
    }
    return columns;
}

// A word downwards, one character a line, as far as there are lines; what is too wide is a dot.
static void write_upright(const char *text, Area area, Role role)
{
    uint32_t character;
    int row = 0;
    for (size_t bytes; row < area.rows && (bytes = utf8_next(text, &character)) > 0;
         text += bytes) {
        char one[8] = "";
        int width = utf8_character_width(character);
        if (width == 0)
            continue;
        memcpy(one, text, bytes);
        cells_text(area, row++, 0, role, width > area.columns ? "\u00b7" : one);
    }
}

// The words of columns in `lines` lines from the top, and below them a pointer at the chosen one.
static void draw_keys(const HeatView *view, const HeatFit *fit, Area area, int start, int lines)
{
    char text[64], cut[64];
    ptrdiff_t chosen = heat_block_column(&view->source, fit, view->chosen.column);
    for (ptrdiff_t column = 0; column < fit->columns; column++) {
        int at = start + (int)column * fit->cell_columns;
        Role role = column == chosen ? ROLE_CURRENT : ROLE_QUIET;
        ptrdiff_t index = column == chosen
                              ? view->chosen.column
                              : heat_first_cell(&view->source, fit, 0, 0, column).column;
        figure_column_label(&view->source.data, view->source.sequence, index, text);
        if (lines == 1 && fit->cell_columns > 2) {
            utf8_cut(text, fit->cell_columns - 1, cut, sizeof cut);
            cells_text(area, 0, at, role, cut);
        } else {
            Area upright = area_part(area, 0, at, lines, fit->cell_columns);
            write_upright(text, upright, role);
        }
    }
    cells_text(area, lines, start + (int)chosen * fit->cell_columns, ROLE_CURRENT, "\u25be");
}

// "very"; "(very)" where there is nothing to look for.
static void query_word(const HeatView *view, ptrdiff_t row, int room, char word[64])
{
    enum { BRACKETS = 2 };
    char text[64], cut[64];
    figure_row_label(&view->source.data, view->source.sequence, row, text);
    bool is_asked =
        figure_row_is_asked(&view->source.data, view->source.sequence, view->chosen.head, row);
    utf8_cut(text, is_asked || room <= BRACKETS ? room : room - BRACKETS, cut, sizeof cut);
    snprintf(word, 64, is_asked || room <= BRACKETS ? "%s" : "(%.60s)", cut);
}

// Where two rows share a line, the chosen one has the word, else the upper one.
static void draw_queries(const HeatView *view, const HeatFit *fit, Area area, int first,
                         int name_columns)
{
    char word[64];
    ptrdiff_t step = fit->halves ? 2 : 1;
    ptrdiff_t chosen = heat_block_row(&view->source, fit, view->chosen.row);
    for (int line = 0; line < fit->lines; line++) {
        bool is_chosen = chosen / step == line;
        ptrdiff_t row = is_chosen ? view->chosen.row
                                  : heat_first_cell(&view->source, fit, 0, line * step, 0).row;
        query_word(view, row, name_columns, word);
        cells_text(area, first + line, 0, is_chosen ? ROLE_CURRENT : ROLE_QUIET, word);
        if (is_chosen)
            cells_text(area, first + line, name_columns, ROLE_CURRENT, "\u25b8");
    }
}

HeatFit heat_head_draw(const HeatView *view, Area area, bool marks[MATRIX_MARKS])
{
    int name_columns = widest(view, 2, figure_row_label);
    int key_columns = widest(view, 3, figure_column_label);
    if (figure_has_pale_rows(&view->source.data, view->source.sequence, view->chosen.head))
        name_columns += 2; // brackets
    name_columns = name_columns < ROW_NAME_MAX ? name_columns : ROW_NAME_MAX;
    if (name_columns > area.columns / 4)
        name_columns = area.columns / 4;
    int start = name_columns + POINTER_COLUMNS;
    int lines = key_columns < UPRIGHT_MAX ? key_columns : UPRIGHT_MAX;
    lines = lines < area.rows / 4 ? lines : area.rows / 4;
    if (view->source.columns * CELL_COLUMNS_MAX <= area.columns - start || key_columns == 1)
        lines = 1;

    Area room = area_part(area, lines + 1, start, area.rows - lines - 1, area.columns - start);
    if (room.rows < 1 || room.columns < 1)
        return (HeatFit){.block_rows = 1, .block_columns = 1};
    HeatMap map = {.source = &view->source,
                   .scale = &view->scale,
                   .head = view->chosen.head,
                   .chosen = view->chosen};
    map.fit = heat_fit(&view->source, &view->scale, room, area.cells->colours, CELL_COLUMNS_MAX);
    draw_keys(view, &map.fit, area, start, lines);
    draw_queries(view, &map.fit, area, lines + 1, name_columns);
    heat_map_draw(&map, room, marks);
    return map.fit;
}
