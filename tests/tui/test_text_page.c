// A text on a screen: lines that go on, moving through it, and no size that breaks it.
#include "lines.h"

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

SUITE_WITH("text_page", NULL, finish)
