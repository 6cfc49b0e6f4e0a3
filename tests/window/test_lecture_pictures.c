// The pictures on the page of a lecture: for light pages and dark ones, wide and narrow, in the colours of
// the screen above, and told to who cannot see them.
#include "export.h"

#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char page[1 << 20];

static void write_page_of(const char *name)
{
    Error err;
    Lecture lecture;
    FILE *out = tmpfile();
    const char *file = test_file(name);
    ck_assert_msg(lecture_read(&lecture, "small", file, &err), "%s", err.text);
    ck_assert_msg(lecture_html(&lecture, false, out, &err), "%s", err.text);
    lecture_finish(&lecture);
    rewind(out);
    page[fread(page, 1, sizeof page - 1, out)] = '\0';
    fclose(out);
}

static void write_page(void)
{
    write_page_of("lectures/01-small/lecture.md");
}

static int count(const char *start, const char *end, const char *wanted)
{
    int found = 0;
    for (const char *at = start; (at = strstr(at, wanted)) != NULL && at < end; at++)
        found++;
    return found;
}

// Its first rectangle is the paper: white there, 14181e here. Each theme shows one of them, paper the
// light one.
TEST(a_picture_is_light_on_light_pages_and_dark_on_dark_ones)
{
    write_page();
    const char *figure = strstr(page, "<figure>"),
               *end = figure ? strstr(figure, "</figure>") : NULL;
    ck_assert_ptr_nonnull(end);
    const char *light = strstr(figure, "<div class=\"light\"><svg ");
    const char *dark = strstr(figure, "<div class=\"dark\"><svg ");
    ck_assert(light && dark && light < dark && dark < end);
    const char *paper = strstr(strstr(light, "<rect "), "fill="),
               *night = strstr(strstr(dark, "<rect "), "fill=");
    ck_assert_msg(strncmp(paper, "fill=\"#ffffff\"", 14) == 0, "%.20s", paper);
    ck_assert_msg(strncmp(night, "fill=\"#14181e\"", 14) == 0, "%.20s", night);
    const char *narrow = strstr(dark, "<div class=\"narrow\">");
    ck_assert(narrow && narrow < end);
    ck_assert_int_eq(count(light, dark, "<text "), count(dark, narrow, "<text "));
    ck_assert_ptr_nonnull(strstr(page, "\nfigure .dark,figure .narrow{display:none}\n"));
    const char *scheme = strstr(page, "@media (prefers-color-scheme:dark){");
    const char *print = strstr(page, "@media print{");
    ck_assert(scheme && print && scheme < print);
    ck_assert_int_eq(count(scheme, print, "figure .light{display:none}figure .dark{display:block}"),
                     1);
    ck_assert_int_eq(count(print, figure, "figure .light{display:block}figure .dark{display:none}"),
                     1);
}

// The last place before `end` where `wanted` begins.
static const char *last_before(const char *end, const char *wanted)
{
    const char *last = NULL;
    for (const char *at = page; (at = strstr(at, wanted)) != NULL && at < end; at++)
        last = at;
    return last;
}

// Above the picture is the screen with the map of head 0, under a line of its own: the colours of its
// blank cells are among those of the picture's first map. How many cells.
static int compare_colours(void)
{
    int cells = 0;
    const char *figure = strstr(page, "<figure>");
    const char *map = strstr(figure, "<g>\n"), *map_end = strstr(figure, "</g>\n");
    const char *at = last_before(figure, " class=\"rule\"");
    ck_assert(at && map && map < map_end);
    while ((at = strstr(at, ";background:#")) != NULL && at < figure) {
        char colour[8] = "";
        memcpy(colour, at + strlen(";background:"), 7);
        at += strlen(";background:#000000;\">");
        if (at[strspn(at, " ")] != '<')
            continue;
        ck_assert_msg(count(map, map_end, colour) > 0, "the map has no %s", colour + 1);
        cells++;
    }
    return cells;
}

TEST(one_number_has_one_colour_on_a_page)
{
    write_page();
    ck_assert_int_ge(compare_colours(), 5);
}

// Six queries see 21 keys; neighbours of one colour are one piece of blanks, and the chosen one is framed.
TEST(so_has_a_share_of_what_a_query_sees)
{
    write_page_of("lectures/02-other/masked.md");
    ck_assert_ptr_nonnull(strstr(page, "weight \xc3\x97 keys"));
    ck_assert_int_ge(compare_colours(), 15);
}

// What a file of the same picture has in its <desc>, each picture of a page has in its label.
TEST(a_picture_tells_what_is_seen_to_who_cannot_see_it)
{
    write_page();
    int pictures = count(page, page + strlen(page), "<svg ");
    ck_assert_int_gt(pictures, 0);
    ck_assert_int_eq(pictures, count(page, page + strlen(page), "aria-label=\"attn_weights of "));
    ck_assert_int_ge(count(page, page + strlen(page), ": the largest is "), pictures);
}

// The letters of the pictures on the page that have `width` units, at least `least`; how many there are.
static int check_letters(const char *width, int least)
{
    int letters = 0;
    for (const char *at = page; (at = strstr(at, "<svg viewBox=\"")) != NULL; at++) {
        const char *units = at + strlen("<svg viewBox=\"0 0 "), *end = strstr(at, "</svg>");
        ck_assert_ptr_nonnull(end);
        if (strncmp(units, width, strlen(width)) != 0)
            continue;
        for (const char *size = at; (size = strstr(size, " font-size=\"")) && size < end;
             letters++) {
            size += strlen(" font-size=\"");
            ck_assert_int_ge(atoi(size), least);
        }
    }
    return letters;
}

// A picture of 960 units is never narrower than 55rem, 880 pixels: a letter of 12 units has 11 pixels.
// Below 46rem it is one of 390 units, which is seen whole: a page of 390 pixels has 358 between its
// margins, and 12 units are 11 pixels again.
TEST(letters_of_a_picture_can_be_read_on_a_narrow_page)
{
    write_page();
    ck_assert_ptr_nonnull(strstr(page, "figure{margin:0 0 1rem;max-width:60rem;overflow-x:auto}"));
    ck_assert_ptr_nonnull(strstr(page, "svg{width:100%;min-width:55rem;"));
    ck_assert_ptr_nonnull(strstr(page, "@media screen and (max-width:46rem){figure .wide,"));
    ck_assert_ptr_nonnull(strstr(page, "\n.narrow svg{min-width:0;"));
    ck_assert_int_gt(check_letters("960 ", 12), 10);
    ck_assert_int_gt(check_letters("390 ", 12), 10);
    ck_assert_int_eq(count(page, page + strlen(page), "<svg "),
                     count(page, page + strlen(page), "<svg viewBox=\"0 0 960 ") +
                         count(page, page + strlen(page), "<svg viewBox=\"0 0 390 "));
}

SUITE("lecture_pictures")
