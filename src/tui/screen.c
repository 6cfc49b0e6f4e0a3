// The whole screen, and as a picture; see screen.h.
#include "screen.h"

#include <stdio.h>
#include <string.h>
#include "open_lecture.h"
#include "panel.h"
#include "tui_words.def"
#include "utf8.h"

// --- layout
//
// Each panel takes its area from what the previous ones leave.

static Area take(const Panel *panel, const Session *session, Area *left)
{
    Area all = *left;
    if (panel->take)
        return panel->take(session, left);
    left->rows = 0;
    return all;
}

bool layout_areas(const Session *session, int columns, int rows, Area areas[PANEL_COUNT])
{
    PanelKind kinds[PANEL_COUNT];
    Area left = {.rows = rows, .columns = columns};
    for (int panel = 0; panel < PANEL_COUNT; panel++)
        areas[panel] = (Area){.rows = 0};
    if (columns < LAYOUT_COLUMNS_MIN || rows < LAYOUT_ROWS_MIN)
        return false;
    int count = panels_now(session, kinds);
    for (int i = 0; i < count; i++)
        areas[kinds[i]] = take(panel_get(kinds[i]), session, &left);
    return true;
}

// --- the screen

enum { WHEEL_LINES = 3 };

static void draw_too_small(Cells *cells)
{
    char text[256];
    snprintf(text, sizeof text, TELL(SCREEN_SMALL), cells->columns, cells->rows, LAYOUT_COLUMNS_MIN,
             LAYOUT_ROWS_MIN);
    cells_paragraph(cells_area(cells), 0, cells->rows, 0, ROLE_TEXT, text);
}

// The lines of the page that do not fit; if there are any, the last row says so.
static int lines_over(const Screen *screen)
{
    int rows = screen->areas[screen->paged].rows;
    return screen->page_lines > rows ? screen->page_lines - rows + 1 : 0;
}

static void draw_page(const Screen *screen, const Session *session, Area area)
{
    int over = lines_over(screen);
    int above = (int)index_min(session->look.detail_line, over);
    if (over > 0) {
        cells_format(area, area.rows - 1, 0, ROLE_KEY, TELL(SCREEN_MORE), over);
        area.rows--;
    }
    panel_get(screen->paged)->page(session, &(Lines){.area = area, .first = above});
}

void screen_draw(const Screen *screen, const Session *session, Cells *cells)
{
    cells_clear(cells);
    if (session->lecture && session->lecture->blank)
        return;
    if (!screen->is_large_enough) {
        draw_too_small(cells);
        return;
    }
    for (int panel = 0; panel < PANEL_COUNT; panel++) {
        Area area = area_on(cells, screen->areas[panel]);
        if (area.rows > 0 && area.columns > 0 && panel != (int)screen->paged)
            panel_get((PanelKind)panel)->draw(session, area);
    }
    if (screen->paged != PANEL_COUNT)
        draw_page(screen, session, area_on(cells, screen->areas[screen->paged]));
}

void screen_show(Session *session, Cells *cells)
{
    Screen screen;
    screen_fit(&screen, session, cells->columns, cells->rows);
    screen_draw(&screen, session, cells);
}

// --- the mouse

// The panel at a place; PANEL_COUNT: none.
static PanelKind panel_at(const Area areas[PANEL_COUNT], int row, int column)
{
    for (int panel = 0; panel < PANEL_COUNT; panel++) {
        Area area = areas[panel];
        if (row >= area.row && row < area.row + area.rows && column >= area.column &&
            column < area.column + area.columns)
            return (PanelKind)panel;
    }
    return PANEL_COUNT;
}

bool screen_click(const Screen *screen, const Session *session, int row, int column,
                  Command *command)
{
    if (!screen->is_large_enough || (session->lecture && session->lecture->blank))
        return false;
    PanelKind kind = panel_at(screen->areas, row, column);
    if (kind == PANEL_COUNT || !panel_get(kind)->hit)
        return false;
    Area area = screen->areas[kind];
    return panel_get(kind)->hit(session, area, row - area.row, column - area.column, command);
}

bool screen_wheel(const Screen *screen, int row, int column, int wheel, Command *command)
{
    if (!screen->is_large_enough)
        return false;
    PanelKind kind = panel_at(screen->areas, row, column);
    const PanelScroll *scroll = kind == screen->paged ? &panel_scroll_terms : &panel_scroll_rows;
    if (kind == PANEL_COUNT)
        scroll = &panel_scroll_rows;
    else if (panel_get(kind)->scroll)
        scroll = panel_get(kind)->scroll;
    command->kind = wheel > 0 ? scroll->on : scroll->back;
    command->number = WHEEL_LINES;
    return true;
}

// --- fitting

// Finds the panel that is a page, and counts its lines; PANEL_COUNT: none is.
static PanelKind find_page(const Session *session, const Area areas[PANEL_COUNT], int *lines)
{
    for (int kind = 0; kind < PANEL_COUNT; kind++) {
        const Panel *panel = panel_get((PanelKind)kind);
        Lines page = {.area = areas[kind]};
        if (page.area.rows <= 0 || page.area.columns <= 0 || !panel->page ||
            !panel->page(session, &page))
            continue;
        *lines = page.count;
        return (PanelKind)kind;
    }
    return PANEL_COUNT;
}

static ScreenSize room_of(const Screen *screen, const Session *session)
{
    ScreenSize room = {.rows = 0};
    PanelKind kinds[PANEL_COUNT];
    int count = panels_now(session, kinds);
    for (int i = 0; i < count; i++)
        if (panel_get(kinds[i])->room)
            panel_get(kinds[i])->room(session, screen->areas[kinds[i]], &room);
    if (screen->paged != PANEL_COUNT)
        room.detail_over = lines_over(screen);
    return room;
}

// Gives the panels their places; returns what is visible.
static ScreenSize lay_out(Screen *screen, const Session *session)
{
    screen->fitted = session->revision;
    screen->paged = PANEL_COUNT;
    screen->is_large_enough = layout_areas(session, screen->columns, screen->rows, screen->areas);
    if (!screen->is_large_enough)
        return session->room;
    screen->paged = find_page(session, screen->areas, &screen->page_lines);
    return room_of(screen, session);
}

static ScreenSize answer(void *context, const Session *session)
{
    return lay_out(context, session);
}

void screen_fit(Screen *screen, Session *session, int columns, int rows)
{
    Error err;
    bool is_joined = session->screen.context == screen;
    if (is_joined && screen->fitted == session->revision && screen->columns == columns &&
        screen->rows == rows)
        return;
    screen->columns = columns;
    screen->rows = rows;
    ScreenSize room = lay_out(screen, session);
    Command fit = session_fitting(&room);
    if (!screen->is_large_enough || session_is_fitted(session, &room))
        return;
    session_apply(session, &fit, &err);
    screen->fitted = session->revision;
}

void screen_join(Screen *screen, Session *session, int columns, int rows)
{
    screen_fit(screen, session, columns, rows);
    session->screen = (SessionScreen){answer, screen};
}

void screen_leave(Session *session)
{
    session->screen = (SessionScreen){NULL, NULL};
}

// --- as a picture
//
// Every character is centred in its cell, so that columns stay aligned with any font. Rules and blocks are
// rectangles that join from cell to cell, as in a terminal.

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

// The part of a cell that a block character covers; false for other characters.
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
    else if (letter == 0x2590) // the right half
        memcpy(box, (int[]){wide / 2, 0, wide - wide / 2, high}, 4 * sizeof *box);
    else if (letter > 0x2588 && letter <= 0x258f) // 2589 to 258f shrink to the left
        memcpy(box, (int[]){0, 0, wide * (16 - eighths) / 8, high}, 4 * sizeof *box);
    else
        return false;
    return true;
}

// The quarters of a cell that U+2596 to U+259F cover: bit 0 is the upper left, bit 3 the lower right.
static unsigned quarters_of(uint32_t letter)
{
    static const unsigned char quarters[] = {4, 8, 1, 13, 9, 7, 11, 2, 6, 14};
    return letter >= 0x2596 && letter <= 0x259f ? quarters[letter - 0x2596] : 0;
}

static bool draw_block(const Page *page, const char *text, int x, int y, Colour colour)
{
    uint32_t letter;
    int box[4], wide = page->wide / 2, high = page->high / 2;
    if (utf8_next(text, &letter) == 0)
        return false;
    unsigned quarters = quarters_of(letter);
    for (int i = 0; i < 4; i++)
        if (quarters >> i & 1)
            display_rectangle(page->list, x + i % 2 * wide, y + i / 2 * high,
                              i % 2 ? page->wide - wide : wide, i / 2 ? page->high - high : high,
                              colour);
    if (quarters || !block_of(page, letter, box))
        return quarters;
    display_rectangle(page->list, x + box[0], y + box[1], box[2], box[3], colour);
    return true;
}

// Draws the background of a cell and its block character. Returns true if there is text left to draw.
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
    // An em is narrower than the two cells of a Korean syllable. Syllables are drawn larger, so that words look
    // connected.
    bool is_wide = cells_at(page->cells, row, column)->columns > 1;
    display_text(page->list,
                 (DisplayItem){.x = page->margin + column * page->wide + columns * page->wide / 2,
                               .y = page->margin + row * page->high + page->high / 2,
                               .size = is_wide ? (page->letter * 23 + 10) / 20 : page->letter,
                               .anchor = DISPLAY_CENTRE,
                               .bold = look.bold,
                               .fixed = true,
                               .colour = look.front},
                 text);
}

// Collects the cells of a word in a script whose letters join; they must be drawn as one text, as single letters have
// another form and direction.
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

// Draws a cell, or the cells of a word; returns the count.
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
