// The course as a screen; see screen.h.
#include "screen.h"
#include "tui.h"

#include "keymap.h"
#include "open_lecture.h"
#include "tui_words.def"
#include "utf8.h"

enum { FIRST_ROW = 2, BOTTOM_ROWS = 6 };

static const KeyRow keys[] = {
#define COURSE_KEY(does, ...) KEY_ROW(COURSE, 0, __VA_ARGS__),
#include "keymaps.def"
};

static const Keymap key_map = {keys, sizeof keys / sizeof *keys};

// The line of row `number` in the list: one line for each row, one for its heading, and a blank line before a
// heading except the first.
static int line_of(const Course *course, int number)
{
    int line = 0;
    for (int i = 0; i <= number; i++)
        line += (i > 0) + (course->rows[i].heading ? 1 + (i > 0) : 0);
    return line;
}

static void draw_row(const Course *course, int number, Area area, int line)
{
    const CourseRow *row = &course->rows[number];
    bool chosen = number == course->chosen;
    Role role = chosen ? ROLE_CURRENT : ROLE_TEXT;
    int state = utf8_width(row->state);
    Area titles = area_part(area, 0, 0, area.rows, area.columns - state - 3);
    if (row->heading)
        cells_text(area, line - 1, 1, ROLE_HEADING, row->heading);
    if (chosen)
        cells_fill(area, line, 1, area.columns - 2, role, " ");
    cells_format(titles, line, 1, role, "%s %s %s", chosen ? "\u25b8" : " ",
                 row->done     ? "\u2713"
                 : row->passed ? "\u00b7"
                               : " ",
                 row->title);
    cells_text_right(area, line, area.columns - 2, chosen ? role : ROLE_QUIET, row->state);
}

static void draw_chosen(const Course *course, Area area)
{
    const CourseRow *row = &course->rows[course->chosen];
    Area text = area_part(area, 0, 1, area.rows, area.columns - 2);
    int line = area.rows - BOTTOM_ROWS;
    cells_fill(area, line++, 0, area.columns, ROLE_RULE, "\u2500");
    line += cells_paragraph(text, line, 3, 0, ROLE_TEXT, row->about);
    if (row->goes_on)
        cells_format(text, line, 0, ROLE_HEADING, "%s%s",
                     open_lecture_word(language_now(), WORD_COURSE_GOES_ON), row->goes_on);
}

void course_draw(const Course *course, Cells *cells)
{
    Area area = cells_area(cells), list = area;
    char bar[KEY_BAR_MAX];
    list.row += FIRST_ROW;
    list.rows -= FIRST_ROW + BOTTOM_ROWS;
    int skipped = (int)index_max(line_of(course, course->chosen) - list.rows + 1, 0);
    cells_clear(cells);
    cells_fill(area, 0, 0, area.columns, ROLE_TITLE, " ");
    cells_text(area, 0, 1, ROLE_TITLE, TELL(COURSE_TITLE));
    for (int i = 0; i < course->count; i++)
        draw_row(course, i, list, line_of(course, i) - skipped);
    draw_chosen(course, area);
    cells_text(area, area.rows - 1, 1, ROLE_KEY,
               course->hangul ? TELL(COURSE_HANGUL) : keymap_bar(key_map, 0, area.columns, bar));
}

// The course in the terminal.
typedef struct Choosing {
    Course *course;
    bool chosen, left;
} Choosing;

static void press(Choosing *choosing, const char *key)
{
    enum {
#define COURSE_KEY(does, ...) PRESSED_##does,
#include "keymaps.def"
    };
    Course *course = choosing->course;
    course->hangul = hangul_key(key) && !course->hangul_said;
    course->hangul_said |= course->hangul;
    int row = keymap_find(key_map, PLACE_COURSE, 0, key);
    choosing->chosen = row == PRESSED_start;
    choosing->left = row == PRESSED_start || row == PRESSED_leave;
    course->chosen -= row == PRESSED_up && course->chosen > 0;
    course->chosen += row == PRESSED_down && course->chosen + 1 < course->count;
}

static void draw(void *context, Cells *cells)
{
    const Choosing *choosing = context;
    course_draw(choosing->course, cells);
}

static bool handle_event(void *context, const TerminalEvent *event, const Cells *cells, Error *err)
{
    (void)cells, (void)err;
    if (event->kind == TERMINAL_KEY)
        press(context, event->key);
    return true;
}

bool course_run(Course *course, bool *chosen, Error *err)
{
    Choosing choosing = {.course = course};
    const LoopView view = {
        .context = &choosing, .over = &choosing.left, .draw = draw, .handle = handle_event};
    LoopEnd end = loop_run(&view, err);
    *chosen = choosing.chosen;
    return end == LOOP_OVER;
}
