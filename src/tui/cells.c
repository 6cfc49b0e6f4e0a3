// Draws text into a grid of cells without splitting characters, and maps colours to those of a terminal; see
// cells.h.
#include "cells.h"

#include <stdarg.h>
#include <string.h>
#include "words.h"
#include "utf8.h"

// --- the grid

enum { LINE_BYTES_MAX = 4096 };

static Cell *cell_at(Cells *cells, int row, int column)
{
    return &cells->cells[(size_t)row * (size_t)cells->columns + (size_t)column];
}

static void set_blank(Cell *cell, Role role)
{
    *cell = (Cell){.text = " ", .columns = 1, .role = (unsigned char)role};
}

bool cells_resize(Cells *cells, int columns, int rows, Error *err)
{
    size_t row_bytes = (size_t)columns * sizeof(Cell);
    arena_finish(&cells->arena);
    cells->cells = arena_take(&cells->arena, (size_t)rows, row_bytes, err);
    cells->rows = cells->cells ? rows : 0;
    cells->columns = cells->cells ? columns : 0;
    cells_clear(cells);
    return cells->cells != NULL;
}

void cells_clear(Cells *cells)
{
    cells->has_cursor = false;
    for (int row = 0; row < cells->rows; row++)
        for (int column = 0; column < cells->columns; column++)
            set_blank(cell_at(cells, row, column), ROLE_TEXT);
}

void cells_finish(Cells *cells)
{
    arena_finish(&cells->arena);
    *cells = (Cells){0};
}

const Cell *cells_at(const Cells *cells, int row, int column)
{
    return &cells->cells[(size_t)row * (size_t)cells->columns + (size_t)column];
}

Area cells_area(Cells *cells)
{
    return (Area){0, 0, cells->rows, cells->columns, cells};
}

Area area_on(Cells *cells, Area place)
{
    place.cells = cells;
    return place;
}

Area area_part(Area area, int row, int column, int rows, int columns)
{
    return (Area){area.row + row, area.column + column, rows, columns, area.cells};
}

Area area_cut_top(Area *area, int rows)
{
    Area top = area_part(*area, 0, 0, rows, area->columns);
    *area = area_part(*area, rows, 0, area->rows - rows, area->columns);
    return top;
}

Area area_cut_bottom(Area *area, int rows)
{
    area->rows -= rows;
    return area_part(*area, area->rows, 0, rows, area->columns);
}

// Overwriting one half of a wide character turns the other half into a space.
static void break_wide(Cells *cells, int row, int column)
{
    Cell *cell = cell_at(cells, row, column);
    if (cell->columns == 2 && column + 1 < cells->columns)
        set_blank(cell_at(cells, row, column + 1), cell->role);
    if (cell->columns == 0 && column > 0)
        set_blank(cell_at(cells, row, column - 1), cell->role);
}

// A cell with a character.
static Cell cell_of(Role role, const char *text, size_t bytes, int columns)
{
    Cell cell = {.columns = (unsigned char)columns, .role = (unsigned char)role};
    memcpy(cell.text, text, bytes);
    return cell;
}

static void put(Cells *cells, int row, int column, const Cell *cell)
{
    for (int i = 0; i < cell->columns; i++) {
        break_wide(cells, row, column + i);
        *cell_at(cells, row, column + i) = i == 0 ? *cell : (Cell){.role = cell->role};
    }
}

static void combine(Cells *cells, int row, int column, const char *text, size_t bytes)
{
    Cell *cell = cell_at(cells, row, column);
    size_t length = strlen(cell->text);
    if (length + bytes < CELL_TEXT_MAX)
        memcpy(cell->text + length, text, bytes);
}

// The columns from a place to the end of the area's row, as far as they are on screen; 0 or less: none.
static int clipped(Area area, int row, int column)
{
    if (!area.cells)
        return 0;
    bool inside = row >= 0 && row < area.rows && area.row + row >= 0 &&
                  area.row + row < area.cells->rows && column >= 0 && area.column + column >= 0;
    int columns = area.columns - column, screen = area.cells->columns - area.column - column;
    return !inside ? 0 : columns < screen ? columns : screen;
}

int cells_text(Area area, int row, int column, Role role, const char *text)
{
    static const char replacement[] = "\uFFFD";
    char line[LINE_BYTES_MAX];
    int room = clipped(area, row, column), used = 0, last = -1;
    if (room <= 0)
        return 0;
    utf8_cut(text, room, line, sizeof line);
    uint32_t character;
    const char *rest = line;
    for (size_t bytes; (bytes = utf8_next(rest, &character)) > 0; rest += bytes) {
        int columns = utf8_character_width(character);
        bool control =
            character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0xFFFD;
        if (columns == 0 && last >= 0)
            combine(area.cells, area.row + row, last, rest, bytes);
        if (columns == 0)
            continue;
        last = area.column + column + used;
        Cell cell = control ? cell_of(role, replacement, sizeof replacement - 1, columns)
                            : cell_of(role, rest, bytes, columns);
        put(area.cells, area.row + row, last, &cell);
        used += columns;
    }
    return used;
}

int cells_text_whole(Area area, int row, int column, Role role, const char *text)
{
    return column + utf8_width(text) <= area.columns ? cells_text(area, row, column, role, text)
                                                     : 0;
}

int cells_text_right(Area area, int row, int end, Role role, const char *text)
{
    int start = end - utf8_width(text);
    return cells_text(area, row, start < 0 ? 0 : start, role, text);
}

int cells_format(Area area, int row, int column, Role role, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    josa_settle(text);
    return cells_text(area, row, column, role, text);
}

size_t cells_line_bytes(const char *text, int columns)
{
    size_t at = 0, end = 0;
    int width = 0;
    uint32_t character;
    for (size_t bytes; (bytes = utf8_next(text + at, &character)) > 0; at += bytes) {
        if (character == ' ' && (at == 0 || text[at - 1] != ' '))
            end = at;
        width += utf8_character_width(character);
        if (width > columns && !(character == ' ' && width == columns + 1))
            return end > 0 ? end : at > 0 ? at : bytes;
    }
    return at;
}

int cells_paragraph(Area area, int row, int rows, int indent, Role role, const char *text)
{
    int used = 0;
    while (*text && used < rows) {
        char line[LINE_BYTES_MAX];
        int column = used == 0 ? 0 : indent;
        size_t bytes = cells_line_bytes(text, area.columns - column);
        bool last = used + 1 == rows; // ends with an ellipsis
        if (last || bytes >= sizeof line)
            bytes = strnlen(text, sizeof line - 1);
        memcpy(line, text, bytes);
        line[bytes] = '\0';
        cells_text(area, row + used, column, role, line);
        text += bytes + strspn(text + bytes, " ");
        used++;
    }
    return used;
}

int cells_paragraph_rows(const char *text, int columns, int rows, int indent)
{
    return cells_paragraph((Area){.columns = columns}, 0, rows, indent, ROLE_TEXT, text);
}

void cells_fill(Area area, int row, int column, int columns, Role role, const char *character)
{
    int room = clipped(area, row, column);
    Cell cell = cell_of(role, character, strlen(character), 1);
    for (int i = 0; i < (columns < room ? columns : room); i++)
        put(area.cells, area.row + row, area.column + column + i, &cell);
}

void cells_shade(Area area, int row, int column, int columns, Shade shade)
{
    int room = clipped(area, row, column);
    for (int i = 0; i < (columns < room ? columns : room); i++)
        cell_at(area.cells, area.row + row, area.column + column + i)->shade = shade;
}

void cells_stretch(Area area, int rows, int times, int from)
{
    static const Cell blank = {.text = " ", .columns = 1};
    for (int row = rows - 1; times > 1 && row >= 0; row--)
        for (int column = 0; column < area.columns; column++) {
            if (clipped(area, row, column) < 1)
                continue;
            Cell cell = *cell_at(area.cells, area.row + row, area.column + column);
            for (int i = 0; i < times && row * times + i < area.rows; i++)
                *cell_at(area.cells, area.row + row * times + i, area.column + column) =
                    column >= from || i == times / 2 ? cell : blank;
        }
}

void cells_cursor(Area area, int row, int column)
{
    area.cells->has_cursor = clipped(area, row, column) > 0;
    area.cells->cursor_row = area.row + row;
    area.cells->cursor_column = area.column + column;
}

int cells_row_end(const Cells *cells, int row)
{
    int end = cells->columns;
    while (end > 0 && strcmp(cells_at(cells, row, end - 1)->text, " ") == 0)
        end--;
    return end;
}

void cells_print(const Cells *cells, FILE *out)
{
    for (int row = 0; row < cells->rows; row++) {
        int end = cells_row_end(cells, row);
        for (int column = 0; column < end; column++)
            fputs(cells_at(cells, row, column)->text, out);
        fputc('\n', out);
    }
}

// --- colours

enum {
    DIRECT_FROM = 1 << 24, // colour numbers are 0xRRGGBB
    DIRECT_NAMED = 8,      // but the first ones are the named colours
    CUBE_START = 16,
    CUBE_SIDE = 6,
    GREY_START = 232,
    GREY_COUNT = 24,
    HUES_FROM = 8,
};

static const int cube_levels[CUBE_SIDE] = {0, 95, 135, 175, 215, 255};

static int channel(uint32_t colour, int which)
{
    return (int)(colour >> (16 - 8 * which) & 0xFF);
}

static int square(int number)
{
    return number * number;
}

static int nearest_level(int value)
{
    int best = 0;
    for (int level = 1; level < CUBE_SIDE; level++)
        if (square(cube_levels[level] - value) < square(cube_levels[best] - value))
            best = level;
    return best;
}

static int nearest_of_256(uint32_t colour)
{
    int cube = 0, cube_distance = 0, sum = 0, grey_distance = 0;
    for (int which = 0; which < 3; which++) {
        int value = channel(colour, which), level = nearest_level(value);
        cube = cube * CUBE_SIDE + level;
        cube_distance += square(cube_levels[level] - value);
        sum += value;
    }
    int grey = (sum / 3 - 3) / 10; // greys are 8, 18, ... 238
    grey = grey < 0 ? 0 : grey >= GREY_COUNT ? GREY_COUNT - 1 : grey;
    for (int which = 0; which < 3; which++)
        grey_distance += square(8 + 10 * grey - channel(colour, which));
    return grey_distance < cube_distance ? GREY_START + grey : CUBE_START + cube;
}

// The nearest named colour: red is bit 0, green 1, blue 2; a channel counts from half of the strongest on.
static int nearest_hue(uint32_t colour)
{
    int strongest = 0, hue = 0;
    for (int which = 0; which < 3; which++)
        if (channel(colour, which) > strongest)
            strongest = channel(colour, which);
    for (int which = 0; which < 3; which++)
        if (strongest > 0 && 2 * channel(colour, which) >= strongest)
            hue |= 1 << which;
    return hue;
}

static int number_of(uint32_t colour, int colours)
{
    if (!(colour & SHADE_SET) || colours < HUES_FROM)
        return -1;
    colour &= SHADE_SET - 1;
    if (colours >= DIRECT_FROM)
        return colour < DIRECT_NAMED ? DIRECT_NAMED : (int)colour;
    if (colours >= CELLS_SHADES_FROM)
        return nearest_of_256(colour);
    return nearest_hue(colour);
}

ShadeNumbers shade_numbers(Shade shade, int colours)
{
    if ((shade.back & SHADE_SET) && colours < CELLS_SHADES_FROM)
        return (ShadeNumbers){-1, -1};
    return (ShadeNumbers){number_of(shade.front, colours), number_of(shade.back, colours)};
}
