// A display list as SVG: every kind of item, by hand; text that is not markup; hatches that are seen on
// bright cells; a title and words for who cannot see it.
#include "export.h"

#include <stdlib.h>
#include <string.h>
#include "suite.h"

static char *written;
static DisplayList list;

static void write_list(bool whole)
{
    size_t bytes;
    FILE *out = open_memstream(&written, &bytes);
    if (whole)
        figure_svg_file(&list, "a < b", "1 & 2", out);
    else
        figure_svg(&list, "f1", "seen", out);
    fclose(out);
}

static void open_list(void)
{
    display_list_clear(&list, 300, 200, 0xffffff);
}

static void close_list(void)
{
    free(written);
    written = NULL;
    display_list_finish(&list);
}

static void has(const char *line)
{
    ck_assert_msg(strstr(written, line) != NULL, "%s is not in\n%s", line, written);
}

TEST(every_item_is_an_element)
{
    display_rectangle(&list, 1, 2, 30, 40, 0x0a0b0c);
    display_text(&list,
                 (DisplayItem){.x = 5, .y = 6, .size = 12, .anchor = DISPLAY_RIGHT, .bold = true},
                 "p < \"q\" & r");
    // 24 sixteenths are 1.5 pixels; the curve leaves and arrives level: its middle is x 60
    display_add(&list, (DisplayItem){.kind = DISPLAY_CURVE,
                                     .x = 10,
                                     .y = 20,
                                     .width = 100,
                                     .height = 50,
                                     .alpha = 255,
                                     .thickness = 24});
    write_list(false);
    has("<rect x=\"1\" y=\"2\" width=\"30\" height=\"40\" fill=\"#0a0b0c\"/>");
    has("text-anchor=\"end\"");
    has(">p &lt; &quot;q&quot; &amp; r</text>");
    has("<path d=\"M10 20C60.0 20 60.0 70 110 70\"");
    has("stroke-width=\"1.50\"");
}

// Two cells of 10 x 10: a masked one on yellow, where the theme's grey would not be seen, and a padded
// one on violet, where it is.
TEST(marks_are_patterns_that_are_seen)
{
    DisplayCell *cells = display_cells(&list, (DisplayItem){.x = 0,
                                                            .y = 0,
                                                            .width = 20,
                                                            .height = 10,
                                                            .rows = 1,
                                                            .columns = 2,
                                                            .colour = 0xa9b1bb});
    cells[0] = display_cell(0xfde725, DISPLAY_MASKED);
    cells[1] = display_cell(0x440154, DISPLAY_PADDED);
    write_list(false);
    has("<rect x=\"0\" y=\"0\" width=\"10\" height=\"10\" fill=\"#fde725\"/>");
    has("<rect x=\"0\" y=\"0\" width=\"10\" height=\"10\" fill=\"url(#f1-1-dark)\"/>");
    has("<rect x=\"10\" y=\"0\" width=\"10\" height=\"10\" fill=\"url(#f1-2)\"/>");
    has("<pattern id=\"f1-1-dark\"");
    has("<pattern id=\"f1-2\"");
}

// The bar of colours behind a map has cells without marks, and no colour for them.
TEST(hatches_have_the_colour_of_the_map)
{
    DisplayItem item = {.width = 10, .height = 10, .rows = 1, .columns = 1, .colour = 0xa9b1bb};
    *display_cells(&list, item) = display_cell(0x440154, DISPLAY_MASKED);
    item.colour = 0;
    *display_cells(&list, item) = display_cell(0x440154, DISPLAY_PLAIN);
    write_list(false);
    has("stroke=\"#a9b1bb\"");
    ck_assert_ptr_null(strstr(written, "stroke=\"#000000\""));
}

TEST(a_file_has_a_title_and_words_for_who_cannot_see_it)
{
    write_list(true);
    has("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 300 200\" role=\"img\"");
    has("<title id=\"title\">a &lt; b</title>");
    has("<desc id=\"about\">1 &amp; 2</desc>");
    ck_assert_ptr_null(strstr(written, "width=\"100%\"")); // the page decides
}

SUITE_WITH("figure_svg", open_list, close_list)
