// Every page of every lecture on screens of several sizes: nothing of its title, its text or its
// question is cut; whoever scrolls has read all of it. A line names all stages and where we are. So are
// slides drawn at every size.
#include "open_lecture.h"
#include "lecture.h"
#include "screen.h"

#include "suite.h"

#include <stdio.h>
#include <string.h>

static const struct {
    int columns, rows;
} sizes[] = {{80, 24}, {110, 30}, {200, 60}, {40, 12}};

static const char *const languages[] = {"en", "ko"};

static Lecture lecture;
static OpenLecture open;
static Session session;
static Cells cells;
static Error err;
static char seen[1 << 16];
static size_t seen_bytes;

// Adds the part of a row that belongs to the lecture, without spaces and without the line beside it.
static void read_row(Area area, int row)
{
    for (int column = area.column; column < area.column + area.columns; column++) {
        const char *text = cells_at(&cells, row, column)->text;
        if (strcmp(text, " ") != 0 && strcmp(text, "\u2502") != 0)
            seen_bytes += (size_t)snprintf(seen + seen_bytes, sizeof seen - seen_bytes, "%s", text);
    }
}

static Area draw(int columns, int rows)
{
    Screen screen;
    ck_assert(cells_resize(&cells, columns, rows, &err));
    screen_fit(&screen, &session, columns, rows);
    screen_draw(&screen, &session, &cells);
    ck_assert(screen.is_large_enough);
    return screen.areas[PANEL_LECTURE];
}

// The title once, then each line that scrolling brings to the top, then what is left.
static void read_page(int columns, int rows)
{
    Area area = draw(columns, rows);
    bool above = area.columns == columns;
    int end = area.row + area.rows - above, first = end - (int)session.room.text_rows;
    seen_bytes = 0;
    for (int row = area.row; row < first; row++)
        read_row(area, row);
    while (open.text_line < session.room.text_over) {
        Command down = {.kind = COMMAND_TEXT_DOWN, .number = 1};
        read_row(area, first);
        ck_assert(session_apply(&session, &down, &err));
        draw(columns, rows);
    }
    for (int row = first; row < end; row++)
        read_row(area, row);
}

static void is_seen(const char *text)
{
    char packed[4096];
    size_t length = 0;
    for (; *text && length + 1 < sizeof packed; text++)
        if (*text != ' ' && *text != '\n')
            packed[length++] = *text;
    packed[length] = '\0';
    ck_assert_msg(strstr(seen, packed) != NULL, "page %d at %dx%d: \"%s\" is not in \"%s\"",
                  open.page + 1, cells.columns, cells.rows, packed, seen);
}

static void spans_are_seen(const LectureSpan *spans)
{
    char text[8192];
    size_t used = 0;
    for (; spans; spans = spans->next)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", spans->text);
    is_seen(text);
}

static void page_is_seen(void)
{
    const LecturePage *page = open_lecture_page(&open);
    if (cells.rows >= 24) // the smallest screens cut a long title, so that there is room for text
        is_seen(page->title);
    for (const LectureBlock *block = open.text; block; block = block->next)
        spans_are_seen(block->spans);
    if (open.ask)
        spans_are_seen(open.ask->spans);
    char choice[OPEN_LECTURE_CHOICE_MAX];
    for (int i = 0; open_lecture_choice(&open, i, choice); i++)
        is_seen(open_lecture_choice(&open, i, choice));
    if (open.said)
        spans_are_seen(open.said->spans);
}

static const char *first_row_of_stage(char text[1024])
{
    Screen screen;
    size_t used = 0;
    text[0] = '\0';
    screen_fit(&screen, &session, cells.columns, cells.rows);
    Area area = screen.areas[PANEL_STAGE];
    for (int column = area.column; column < area.column + area.columns; column++)
        used += (size_t)snprintf(text + used, 1024 - used, "%s",
                                 cells_at(&cells, area.row, column)->text);
    return text;
}

// Every stage by the first letters of its name, in order; the step where we are by more of them, with
// a mark. The way back and later layers make the line too long: of what ends in dots, only where we are is wanted.
static void stages_are_seen(void)
{
    char row[1024], name[64], wanted[80];
    const char *at = first_row_of_stage(row);
    const Trace *trace = &session.run.trace;
    for (int step = 0; step < trace->step_count; step++) {
        bool here = step == session.cursor.step;
        bool same = step > 0 && trace->steps[step].stage == trace->steps[step - 1].stage;
        snprintf(wanted, sizeof wanted, here ? "\u25b8%.10s" : "%.2s",
                 trace_step_name(trace, step, name));
        bool is_long = trace->scenario->backward || trace->scenario->layers > 1;
        bool is_cut = is_long && strstr(row, "\u2026");
        if ((same || is_cut) && !here)
            continue;
        const char *found = strstr(at, wanted);
        if (same && !found) // it stands where the first step of its stage was found
            found = strstr(row, wanted);
        ck_assert_msg(found != NULL, "page %d at %dx%d: no \"%s\" in \"%s\"", open.page + 1,
                      cells.columns, cells.rows, wanted, row);
        at = found;
    }
}

static void page_at_every_size(void)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        open.text_line = 0;
        read_page(sizes[i].columns, sizes[i].rows);
        page_is_seen();
        if (sizes[i].rows >= 24)
            stages_are_seen();
    }
}

static void slide_at_every_size(void)
{
    open.presents = open.shows_notes = true;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ck_assert(cells_resize(&cells, sizes[i].columns, sizes[i].rows, &err));
        screen_show(&session, &cells);
        open.polls = open.ask != NULL;
        screen_show(&session, &cells);
        open.polls = false;
    }
    open.presents = open.shows_notes = false;
}

// A page is opened once for all sizes: some lectures compute a lot for each.
static void every_page(const char *name, const char *path)
{
    Command reveal = {.kind = COMMAND_REVEAL};
    err = (Error){.text = ""};
    ck_assert_msg(lecture_read(&lecture, name, path, &err), "%s", err.text);
    ck_assert_msg(open_lecture_start(&open, &session, &lecture, 0, NULL, &err), "%s", err.text);
    for (int page = 0; page < lecture.page_count; page++) {
        ck_assert_msg(open_lecture_show(&session, page, &err), "%s", err.text);
        page_at_every_size();
        slide_at_every_size();
        if (!open.ask)
            continue;
        ck_assert_msg(session_apply(&session, &reveal, &err), "%s", err.text);
        page_at_every_size();
    }
    session_close(&session);
    open_lecture_close(&open);
    lecture_finish(&lecture);
    cells_finish(&cells);
}

// Each lecture in one of its languages, and all in both with ATTNSCOPE_LONG.
LOOP_TEST(nothing_of_a_page_is_cut, 2)
{
    LectureList list;
    ck_assert_msg(lecture_list_open(&list, &err), "%s", err.text);
    for (int i = 0; i < list.count; i++) {
        if (!suite_takes(i + 3 * _i, 2))
            continue;
        char path[1024];
        const char *ending = strcmp(languages[_i], "en") == 0 ? "" : ".ko";
        snprintf(path, sizeof path, "%s/lecture%s.md", list.entries[i].folder, ending);
        every_page(list.entries[i].name, path);
    }
    lecture_list_close(&list);
}

TEST(nothing_of_the_small_lecture_is_cut)
{
    every_page("small", test_file("lectures/01-small/lecture.md"));
    every_page("small", test_file("lectures/01-small/lecture.ko.md"));
}

SUITE("lecture_screens")
