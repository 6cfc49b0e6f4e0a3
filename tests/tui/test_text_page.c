// A text on a screen: lines that go on, moving through it, and no size that breaks it.
#include "lines.h"
#include "screen.h"
#include "shown.h"
#include "suite.h"

#include <string.h>

static Cells cells;

static void finish(void)
{
    cells_finish(&cells);
}

static const char *drawn(TextPage *page, int columns, int rows)
{
    Error err;
    ck_assert(cells_resize(&cells, columns, rows, &err));
    text_page_draw(page, &cells);
    return shown(&cells);
}

FIXTURE(NULL, finish)

TEST(long_lines_go_on_in_the_next_row)
{
    TextPage page = {"title", "one two three\nfour", "waiting", "q quit", 0};
    ck_assert_str_eq(drawn(&page, 12, 9), " title\n\n one two\n three\n four\n\n\n"
                                          "\u2500\u2500 waiting \u2500\n q quit\n");
}

TEST(it_moves_to_its_end_and_no_further)
{
    TextPage page = {"title", "1\n2\n3\n4\n5\n6\n", "", "q", 100};
    const char *screen = drawn(&page, 10, 8); // three rows of text
    ck_assert_int_eq(page.skip, 3);
    ck_assert_ptr_nonnull(strstr(screen, " 4\n 5\n 6\n"));
    page.skip = -1;
    screen = drawn(&page, 10, 8);
    ck_assert_int_eq(page.skip, 0);
    ck_assert_ptr_nonnull(strstr(screen, " 1\n 2\n 3\n"));
    ck_assert_ptr_nonnull(strstr(screen, "\u2193")); // there is more
}

TEST(korean_is_never_cut_in_half)
{
    TextPage page = {"제목", "점수를 나눕니다", "", "q", 0};
    ck_assert_ptr_nonnull(strstr(drawn(&page, 10, 9), " 점수를\n 나눕니다\n"));
    ck_assert_ptr_nonnull(strstr(drawn(&page, 7, 12), " 점수\n 를\n 나눕\n 니다\n"));
}

TEST(no_size_breaks_it)
{
    TextPage page = {"title", "one two three\n\u2717 four\n\n다섯", "waiting", "q quit", 0};
    for (int rows = 1; rows < 20; rows++)
        for (int columns = 1; columns < 40; columns++)
            drawn(&page, columns, rows);
}

// --- The course on a screen: what is done, what is not, where to go on; on every size.

static const CourseRow rows[] = {
    {.heading = "Lectures",
     .title = "One",
     .state = "read 2/2",
     .about = "about one",
     .done = true,
     .passed = true},
    {.title = "Two", .state = "read 2/2", .about = "about two", .passed = true},
    {.title = "A title that is far too long for a narrow screen, with its end",
     .state = "read 1/9",
     .about = "about three",
     .goes_on = "the second page"},
    {.heading = "Exercises", .title = "Four", .state = "-", .about = "about four"},
};

static const char *drawn_course(int columns, int height, int chosen)
{
    Error err;
    Course course = {.rows = rows, .count = (int)(sizeof rows / sizeof *rows), .chosen = chosen};
    ck_assert(cells_resize(&cells, columns, height, &err));
    course_draw(&course, &cells);
    return shown(&cells);
}

FIXTURE(NULL, finish)

TEST(it_shows_what_is_done_and_where_to_go_on)
{
    const char *screen = drawn_course(60, 18, 2);
    ck_assert_ptr_nonnull(strstr(screen, "\n Lectures\n   \u2713 One"));
    ck_assert_ptr_nonnull(strstr(screen, "\n   \u00b7 Two"));
    ck_assert_ptr_nonnull(strstr(screen, "\n \u25b8   A title that is far too long"));
    ck_assert_ptr_nonnull(strstr(screen, "\u2026 read 1/9\n"));
    ck_assert_ptr_nonnull(strstr(screen, "\n\n Exercises\n     Four"));
    ck_assert_ptr_nonnull(strstr(screen, "\n about three\n Continue: the second page\n"));
    ck_assert_ptr_null(strstr(screen, "about one"));
}

TEST(the_chosen_row_is_always_on_the_screen)
{
    for (int height = 10; height < 20; height++)
        for (int chosen = 0; chosen < 4; chosen++)
            ck_assert_msg(strstr(drawn_course(50, height, chosen), "\u25b8") != NULL, "%d: %d",
                          height, chosen);
}

TEST(no_size_breaks_the_course)
{
    for (int height = 1; height < 30; height++)
        for (int columns = 1; columns < 100; columns += 7)
            drawn_course(columns, height, height % 4);
}

SUITE("text_page")
