// cells_picture: see cells_picture.h.
//
// Every character stands in the middle of its cell, so that columns stay columns with any font. Rules
// and blocks are rectangles: they join from cell to cell, as they do in a terminal.
#include "cells_picture.h"

#include <string.h>
#include "screen.h"
#include "utf8.h"

enum { JOINED_BYTES = 512 };

typedef struct Ink {
    Colour paper, text, quiet, faint, key, alarm;
} Ink;

static const Ink light = {0xffffff, 0x1b2430, 0x667080, 0xc3cad3, 0x0f6a86, 0xb4540a};
static const Ink dark_ink = {0x14181e, 0xe6e9ed, 0x98a2ae, 0x3d4652, 0x6cc7e0, 0xffb35c};

typedef struct Page {
    const Cells *cells;
    const Ink *ink;
    DisplayList *list;
    int wide, high, letter, margin; // of a cell, of an em, around everything: pixels
} Page;

typedef struct Look {
    Colour front, back;
    bool bold;
} Look;

static Look look_of(const Page *page, const Cell *cell)
{
    const Ink *ink = page->ink;
    const Colour fronts[ROLE_COUNT] = {
        [ROLE_QUIET] = ink->quiet, [ROLE_RULE] = ink->faint,  [ROLE_MARKED] = ink->quiet,
        [ROLE_KEY] = ink->key,     [ROLE_ALARM] = ink->alarm,
    };
    bool reverse = cell->role == ROLE_TITLE || cell->role == ROLE_CURRENT;
    Look look = {fronts[cell->role] ? fronts[cell->role] : ink->text, ink->paper, false};
    look.bold = cell->role == ROLE_HEADING || cell->role == ROLE_KEY || cell->role == ROLE_ALARM ||
                cell->role == ROLE_CHANGED;
    if (cell->shade.front & SHADE_SET)
        look.front = cell->shade.front & 0xffffff;
    if (cell->shade.back & SHADE_SET)
        look.back = cell->shade.back & 0xffffff;
    return reverse ? (Look){look.back, look.front, look.bold} : look;
}

// The part of a cell that a block covers; false for characters that fonts draw.
static bool block_of(const Page *page, uint32_t letter, int box[4])
{
    int wide = page->wide, high = page->high, line = (page->letter + 11) / 12;
    int eighths = (int)(letter - 0x2580); // 2581 to 2588 grow upwards
    if (letter == 0x2500)                 // rules, level and upright
        memcpy(box, (int[]){0, (high - line) / 2, wide, line}, 4 * sizeof *box);
    else if (letter == 0x2502)
        memcpy(box, (int[]){(wide - line) / 2, 0, line, high}, 4 * sizeof *box);
    else if (letter == 0x2580) // the upper half
        memcpy(box, (int[]){0, 0, wide, high / 2}, 4 * sizeof *box);
    else if (letter > 0x2580 && letter <= 0x2588)
        memcpy(box, (int[]){0, high - high * eighths / 8, wide, high * eighths / 8},
               4 * sizeof *box);
    else if (letter > 0x2588 && letter <= 0x258f) // 2589 to 258f shrink to the left
        memcpy(box, (int[]){0, 0, wide * (16 - eighths) / 8, high}, 4 * sizeof *box);
    else
        return false;
    return true;
}

static bool draw_block(const Page *page, const char *text, int x, int y, Colour colour)
{
    uint32_t letter;
    int box[4];
    if (utf8_next(text, &letter) == 0 || !block_of(page, letter, box))
        return false;
    display_rectangle(page->list, x + box[0], y + box[1], box[2], box[3], colour);
    return true;
}

// An em fills less than the two cells of a Korean syllable. Drawn a little larger, words of syllables stay
// together.
static int size_of(const Page *page, int columns)
{
    return columns > 1 ? (page->letter * 23 + 10) / 20 : page->letter;
}

// What lies behind a cell; false where nothing stands in it.
static bool draw_back(const Page *page, int row, int column)
{
    const Cell *cell = cells_at(page->cells, row, column);
    Look look = look_of(page, cell);
    int x = page->margin + column * page->wide, y = page->margin + row * page->high;
    int columns = cell->columns > 1 ? cell->columns : 1;
    if (cell->columns == 0)
        return false;
    if (look.back != page->ink->paper)
        display_rectangle(page->list, x, y, columns * page->wide, page->high, look.back);
    return cell->text[0] != '\0' && strcmp(cell->text, " ") != 0 &&
           !draw_block(page, cell->text, x, y, look.front);
}

static void draw_text(const Page *page, int row, int column, int columns, const char *text)
{
    Look look = look_of(page, cells_at(page->cells, row, column));
    int wide = cells_at(page->cells, row, column)->columns;
    display_text(page->list,
                 (DisplayItem){.x = page->margin + column * page->wide + columns * page->wide / 2,
                               .y = page->margin + row * page->high + page->high / 2,
                               .size = size_of(page, wide),
                               .anchor = DISPLAY_CENTRE,
                               .bold = look.bold,
                               .fixed = true,
                               .colour = look.front},
                 text);
}

// Of a script whose letters join, the cells of a word are drawn as one text: each letter by itself would have
// another form, and another direction. Words stay in their columns.
static int joined_cells(const Page *page, int row, int column, char text[JOINED_BYTES])
{
    Look look = look_of(page, cells_at(page->cells, row, column));
    size_t used = 0;
    int count = 0;
    for (; column + count < page->cells->columns; count++) {
        const Cell *cell = cells_at(page->cells, row, column + count);
        Look other = look_of(page, cell);
        size_t bytes = strlen(cell->text);
        if (!utf8_joins(cell->text) || used + bytes + 1 > JOINED_BYTES ||
            other.front != look.front || other.bold != look.bold)
            break;
        memcpy(text + used, cell->text, bytes);
        used += bytes;
    }
    text[used] = '\0';
    return count;
}

// Draws a cell, or the cells of a word; returns how many.
static int draw_cells(const Page *page, int row, int column)
{
    char text[JOINED_BYTES];
    const Cell *cell = cells_at(page->cells, row, column);
    int joined =
        cell->columns > 0 && utf8_joins(cell->text) ? joined_cells(page, row, column, text) : 0;
    for (int i = 0; i < joined; i++)
        draw_back(page, row, column + i);
    if (joined > 0)
        draw_text(page, row, column, joined, text);
    else if (draw_back(page, row, column))
        draw_text(page, row, column, cell->columns > 1 ? cell->columns : 1, cell->text);
    return joined > 0 ? joined : 1;
}

void cells_picture(const Cells *cells, int letter, bool dark, DisplayList *list)
{
    Page page = {.cells = cells,
                 .ink = dark ? &dark_ink : &light,
                 .list = list,
                 .wide = (letter * 3 + 2) / 5,
                 .high = (letter * 13 + 5) / 10,
                 .letter = letter,
                 .margin = letter};
    display_list_clear(list, cells->columns * page.wide + 2 * page.margin,
                       cells->rows * page.high + 2 * page.margin, page.ink->paper);
    for (int row = 0; row < cells->rows; row++)
        for (int column = 0; column < cells->columns;)
            column += draw_cells(&page, row, column);
}

bool cells_picture_of(Session *session, PictureLook look, DisplayList *list, Error *err)
{
    Cells cells = {.colours = 1 << 24};
    if (!cells_resize(&cells, look.columns, look.rows, err))
        return false;
    screen_show(session, &cells);
    cells_picture(&cells, look.letter, look.dark, list);
    cells_finish(&cells);
    return !list->failed || error_set(err, "%s", list->failure.text);
}
