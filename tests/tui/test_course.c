// The course on a screen: what is done, what is not, where to go on; on every size.
#include "screen.h"

#include "shown.h"
#include "suite.h"

#include <string.h>

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

static Cells cells;

static void finish(void)
{
    cells_finish(&cells);
}

static const char *drawn(int columns, int height, int chosen)
{
    Error err;
    Course course = {.rows = rows,
                     .count = (int)(sizeof rows / sizeof *rows),
                     .chosen = chosen,
                     .language = LANGUAGE_ENGLISH};
    ck_assert(cells_resize(&cells, columns, height, &err));
    course_draw(&course, &cells);
    return shown(&cells);
}

TEST(it_shows_what_is_done_and_where_to_go_on)
{
    const char *screen = drawn(60, 18, 2);
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
            ck_assert_msg(strstr(drawn(50, height, chosen), "\u25b8") != NULL, "%d: %d", height,
                          chosen);
}

TEST(no_size_breaks_it)
{
    for (int height = 1; height < 30; height++)
        for (int columns = 1; columns < 100; columns += 7)
            drawn(columns, height, height % 4);
}

SUITE_WITH("course", NULL, finish)
