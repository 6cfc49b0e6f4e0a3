// course: see course.h.
#include "course.h"

#include <string.h>
#include "terminal.h"

enum { ROWS_EACH = 3, FIRST_ROW = 3, COLUMNS_MAX = 1000, ROWS_MAX = 1000 };

static void draw_row(const CourseRow *row, bool chosen, Area area, int at, Cells *cells)
{
    Role role = chosen ? ROLE_CURRENT : ROLE_TEXT;
    const char *mark = row->seen == row->pages && row->right == row->questions ? "\u2713" : " ";
    cells_format(cells, area, at, 1, role, "%s %s %s", chosen ? "\u25b8" : " ", mark, row->title);
    cells_format(cells, area, at + 1, 7, ROLE_QUIET, "%d of %d pages, %d of %d answers%s",
                 row->seen, row->pages, row->right, row->questions,
                 row->goes_on ? " - you were here" : "");
}

void course_draw(const Course *course, Cells *cells)
{
    Area area = cells_area(cells);
    int room = (area.rows - FIRST_ROW - 3) / ROWS_EACH, first = course->chosen - room + 1;
    first = first < 0 || room < 1 ? 0 : first;
    cells_clear(cells);
    cells_fill(cells, area, 0, 0, area.columns, ROLE_TITLE, " ");
    cells_text(cells, area, 0, 1, ROLE_TITLE, "attnscope  multi-head attention, number by number");
    for (int i = 0; i < room && first + i < course->count; i++)
        draw_row(&course->rows[first + i], first + i == course->chosen, area,
                 FIRST_ROW + i * ROWS_EACH, cells);
    cells_paragraph(cells, (Area){0, 1, area.rows, area.columns - 2}, area.rows - 3, 2, 0,
                    ROLE_QUIET, course->rows[course->chosen].about);
    cells_text(cells, area, area.rows - 1, 1, ROLE_KEY,
               "Enter starts   \u2191\u2193 choose   q quit");
}

static bool take_size(Cells *cells, Error *err)
{
    int columns, rows;
    terminal_size(&columns, &rows);
    cells->colours = terminal_colours();
    return cells_resize(cells, columns < COLUMNS_MAX ? columns : COLUMNS_MAX,
                        rows < ROWS_MAX ? rows : ROWS_MAX, err);
}

// What a key does; true when the list is left.
static bool press(Course *course, const char *key, bool *chosen)
{
    bool down = strcmp(key, "Down") == 0 || strcmp(key, "j") == 0;
    bool up = strcmp(key, "Up") == 0 || strcmp(key, "k") == 0;
    *chosen = strcmp(key, "Enter") == 0;
    course->chosen += down && course->chosen + 1 < course->count;
    course->chosen -= up && course->chosen > 0;
    return *chosen || strcmp(key, "q") == 0;
}

bool course_run(Course *course, bool *chosen, Error *err)
{
    Terminal terminal = {.pasting = false};
    Cells cells = {.rows = 0};
    if (!terminal_open(&terminal, err))
        return false;
    bool good = take_size(&cells, err), left = false;
    *chosen = false;
    while (good && !left) {
        course_draw(course, &cells);
        terminal_draw(&cells);
        TerminalEvent event = terminal_wait(&terminal, -1, -1);
        left = event.kind == TERMINAL_GONE ||
               (event.kind == TERMINAL_KEY && press(course, event.key, chosen));
        if (event.kind == TERMINAL_CHANGED)
            good = take_size(&cells, err);
    }
    cells_finish(&cells);
    terminal_close(&terminal);
    return good;
}
