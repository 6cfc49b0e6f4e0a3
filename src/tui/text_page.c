// text_page: see text_page.h.
#include "text_page.h"

#include <string.h>
#include "utf8.h"

enum { FIRST_ROW = 2, BOTTOM_ROWS = 3, LINE_BYTES_MAX = 2048 };

int text_page_rows(const Cells *cells)
{
    int rows = cells->rows - FIRST_ROW - BOTTOM_ROWS;
    return rows > 0 ? rows : 0;
}

static Role role_of(const char *line)
{
    const char *mark = line + strspn(line, " ");
    if (strncmp(mark, "\u2717", 3) == 0)
        return ROLE_ALARM;
    return strncmp(mark, "\u2713", 3) == 0 ? ROLE_HEADING : ROLE_TEXT;
}

// How many bytes of the line fit into the columns: up to a space where there is one.
static size_t fitting(const char *line, int columns)
{
    size_t length = 0, space = 0, used;
    uint32_t character;
    for (int width = 0; (used = utf8_next(line + length, &character)) > 0; length += used) {
        width += utf8_character_width(character);
        if (width > columns)
            return space > 0 ? space : length > 0 ? length : used;
        if (character == ' ')
            space = length + 1;
    }
    return length;
}

// Draws a line of the text from row `row` on (those outside of the area are not seen) and returns the
// rows it takes.
static int draw_line(Area area, int row, char *line)
{
    Role role = role_of(line);
    int rows = 0;
    do {
        size_t length = fitting(line, area.columns);
        char kept = line[length];
        line[length] = '\0';
        cells_text(area, row + rows++, 0, role, line);
        line[length] = kept;
        line += length;
    } while (*line);
    return rows;
}

// Draws all lines and returns how many rows there are of them.
static int draw_lines(const TextPage *page, Area area)
{
    int row = 0;
    for (const char *text = page->text; *text;) {
        char line[LINE_BYTES_MAX];
        size_t length = strcspn(text, "\n"),
               taken = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, text, taken);
        line[taken] = '\0';
        row += draw_line(area, row - page->skip, line);
        text += length + (text[length] == '\n');
    }
    return row;
}

void text_page_draw(TextPage *page, Cells *cells)
{
    Area area = cells_area(cells);
    Area text = area_part(area, FIRST_ROW, 1, text_page_rows(cells),
                          area.columns > 2 ? area.columns - 2 : 0);
    Area nowhere = area_part(text, 0, 0, 0, text.columns);
    cells_clear(cells);
    int most = text.columns > 0 ? draw_lines(page, nowhere) - text.rows : 0;
    page->skip = page->skip > most ? most : page->skip;
    page->skip = page->skip < 0 ? 0 : page->skip;
    cells_fill(area, 0, 0, area.columns, ROLE_TITLE, " ");
    cells_text(area, 0, 1, ROLE_TITLE, page->title);
    if (text.columns > 0)
        draw_lines(page, text);
    cells_fill(area, area.rows - 2, 0, area.columns, ROLE_RULE, "\u2500");
    cells_text(area, area.rows - 1, 1, ROLE_KEY, page->keys);
    if (*page->status)
        cells_format(area, area.rows - 2, 2, ROLE_QUIET, " %s ", page->status);
    if (page->skip < most)
        cells_text_right(area, area.rows - 2, area.columns - 1, ROLE_KEY, " \u2193 ");
}
