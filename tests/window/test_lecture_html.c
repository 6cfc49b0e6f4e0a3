// Lectures as HTML pages: whole, balanced, alone, harmless; the screens on them are the cells drawn.
#include "export.h"
#include "glossary.h"
#include "html_text.h"
#include "scratch.h"
#include "suite.h"
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Error err;
static char page[1 << 20];

static void read_back(FILE *out)
{
    fflush(out);
    rewind(out);
    size_t length = fread(page, 1, sizeof page - 1, out);
    page[length] = '\0';
    fclose(out);
}

// What a browser shows of a piece of HTML: without tags, entities as characters.
static const char *shown(const char *html, const char *end)
{
    static const char *const entities[][2] = {
        {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}};
    static char text[1 << 16];
    size_t used = 0;
    while (html < end && used + 1 < sizeof text) {
        size_t skipped = *html == '<' ? strcspn(html, ">") + 1 : 0;
        for (size_t i = 0; *html == '&' && i < sizeof entities / sizeof *entities; i++)
            if (strncmp(html, entities[i][0], strlen(entities[i][0])) == 0) {
                text[used++] = entities[i][1][0];
                skipped = strlen(entities[i][0]);
            }
        ck_assert_msg(*html != '&' || skipped > 0, "a bare &: %.40s", html);
        if (skipped == 0)
            text[used++] = *html;
        html += skipped > 0 ? skipped : 1;
    }
    text[used] = '\0';
    return text;
}

FIXTURE(scratch_open, scratch_close)

TEST(nothing_in_a_text_is_markup)
{
    FILE *out = tmpfile();
    html_text(out, "a<b>&amp;\"'\033\x7f 가</pre>\n");
    read_back(out);
    ck_assert_str_eq(page, "a&lt;b&gt;&amp;amp;&quot;&#39;\uFFFD\uFFFD 가&lt;/pre&gt;\n");
}

TEST(a_screen_is_its_cells)
{
    Cells cells = {.colours = 0};
    ck_assert(cells_resize(&cells, 20, 8, &err));
    Area area = cells_area(&cells);
    cells_text(area, 0, 1, ROLE_KEY, "a<b");
    cells_text(area, 0, 6, ROLE_TEXT, "한 x");
    cells_text(area, 2, 0, ROLE_HEADING, "0.25 & more");
    cells_shade(area, 2, 0, 4, (Shade){SHADE_SET | 0xff8000, SHADE_SET | 0x000102});
    cells_text(area, 6, 0, ROLE_TEXT, "end");
    FILE *out = tmpfile();
    html_cells(out, &cells, 0, 8);
    cells_finish(&cells);
    read_back(out);
    // rows 3 to 5 are blank: one of them is kept
    ck_assert_str_eq(shown(page, page + strlen(page)), " a<b  한 x\n\n0.25 & more\n\nend\n");
    ck_assert_ptr_nonnull(strstr(page, "<span class=\"key\">a&lt;b</span>"));
    ck_assert_ptr_nonnull(strstr(page, "<i>한</i>"));
    ck_assert_ptr_nonnull(strstr(page, "style=\"color:#ff8000;background:#000102;\">0.25</span>"));
}

// A role without a name would be printed as a null pointer.
TEST(every_role_of_a_cell_has_a_class)
{
    Cells cells = {.colours = 0};
    ck_assert(cells_resize(&cells, 2 * ROLE_COUNT, 1, &err));
    for (int role = ROLE_TEXT + 1; role < ROLE_COUNT; role++)
        cells_text(cells_area(&cells), 0, 2 * role, (Role)role, "x");
    FILE *out = tmpfile();
    html_cells(out, &cells, 0, 1);
    cells_finish(&cells);
    read_back(out);
    int classes = 0;
    for (const char *at = page; (at = strstr(at, "<span class=\"")); classes++) {
        at += strlen("<span class=\"");
        ck_assert_msg(*at >= 'a' && *at <= 'z', "%s", at);
    }
    ck_assert_int_eq(classes, ROLE_COUNT - 1);
}

// Every element is closed by its own end tag, in order.
static void is_balanced(void)
{
    static const char *const alone[] = {"meta", "!doctype"};
    char open[64][16];
    int depth = 0;
    for (const char *at = strchr(page, '<'); at; at = strchr(at + 1, '<')) {
        char name[16];
        bool closes = at[1] == '/';
        ck_assert_int_eq(sscanf(at + 1 + closes, "%15[a-z0-9!]", name), 1);
        const char *end = strchr(at, '>');
        ck_assert_ptr_nonnull(end);
        bool single = end[-1] == '/';
        for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
            single = single || strcmp(name, alone[i]) == 0;
        if (single)
            continue;
        ck_assert_int_lt(depth, 64);
        if (closes)
            ck_assert_msg(depth > 0 && strcmp(open[--depth], name) == 0, "%s closes %s", name,
                          open[depth]);
        else
            snprintf(open[depth++], sizeof *open, "%s", name);
    }
    ck_assert_int_eq(depth, 0);
}

static void write_page(const char *file, bool with_notes)
{
    Lecture lecture;
    FILE *out = tmpfile();
    ck_assert_msg(lecture_read(&lecture, "small", file, &err), "%s", err.text);
    ck_assert_msg(lecture_html(&lecture, with_notes, out, &err), "%s", err.text);
    lecture_finish(&lecture);
    read_back(out);
}

TEST(a_lecture_is_one_page_that_needs_nothing_else)
{
    static const char *const files[] = {"lectures/01-small/lecture.md",
                                        "lectures/01-small/lecture.ko.md"};
    static const char *const wanted[] = {"<html lang=\"",
                                         "<details><summary>",
                                         "<svg ",
                                         "<code class=\"ref\">[1., 0., 1., 0.]</code>",
                                         "<code class=\"ref\">0.3683</code>",
                                         "<section id=\"p4\">",
                                         "<a href=\"#p4\">"};
    static const char *const unwanted[] = {
        "<script", "http:", "https:", " src=", "@import", "url(h"};
    for (size_t file = 0; file < 2; file++) {
        write_page(test_file(files[file]), false);
        is_balanced();
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            ck_assert_msg(strstr(page, wanted[i]) != NULL, "%s: no %s", files[file], wanted[i]);
        for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++)
            ck_assert_msg(strstr(page, unwanted[i]) == NULL, "%s: %s", files[file], unwanted[i]);
        ck_assert_ptr_null(strstr(page, "<aside>"));
    }
    write_page(test_file(files[0]), true);
    ck_assert_ptr_nonnull(strstr(page, "A second paragraph of notes."));
}

// Links into the page lead somewhere on it: pages in the list of contents, terms in the glossary.
TEST(every_link_leads_to_a_place_on_the_page)
{
    static const char link[] = " href=\"#";
    char place[64];
    int terms = 0;
    write_page(test_file("lectures/01-small/lecture.ko.md"), false);
    for (const char *at = page; (at = strstr(at, link)) != NULL;) {
        at += strlen(link);
        snprintf(place, sizeof place, " id=\"%.*s\"", (int)strcspn(at, "\""), at);
        ck_assert_msg(strstr(page, place) != NULL, "no%s", place);
        terms += strncmp(at, "term-", strlen("term-")) == 0;
    }
    ck_assert_int_gt(terms, 0);
}

// Document 002's scores of query 1 stand on its second page's screen.
TEST(the_screens_are_those_of_the_program)
{
    write_page(test_file("lectures/01-small/lecture.md"), false);
    const char *second = strstr(page, "<section id=\"p2\">");
    const char *screen = second ? strstr(second, "<pre class=\"screen on-wide\">") : NULL;
    const char *end = screen ? strstr(screen, "</pre>") : NULL;
    ck_assert_ptr_nonnull(end);
    const char *text = shown(screen, end);
    ck_assert_msg(strstr(text, "1  [0.6993]-0.1293  0.6346\n") != NULL, "%s", text);
    ck_assert_ptr_nonnull(strstr(text, "scores[0, 1, 0] = 0.6992523\n"));
}

// Columns of a text's longest line; a letter of Hangul has two.
static int widest_line(const char *text)
{
    int most = 0;
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        char line[1024];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        int columns = utf8_width(line);
        most = columns > most ? columns : most;
    }
    return most;
}

// A window of 390 pixels has 358 beside the margins; a letter of 11.3 pixels is 6.8 wide: 46 letters
// and the frame are 331. What is touched is told without a script.
TEST(a_telephone_has_narrow_screens_and_numbers_to_touch)
{
    int screens = 0;
    write_page(test_file("lectures/01-small/lecture.ko.md"), false);
    ck_assert_ptr_nonnull(strstr(page, "@media screen and (max-width:46rem)"));
    for (const char *at = page; (at = strstr(at, "<pre class=\"screen on-narrow\">")); screens++) {
        at = strchr(at, '>') + 1;
        const char *text = shown(at, strstr(at, "</pre>"));
        ck_assert_msg(widest_line(text) <= 46, "%s", text);
    }
    ck_assert_int_ge(screens, 4);
    const char *number = strstr(page, "<td tabindex=\"0\">0.6993<span><b>scores[0,1,0]</b>");
    ck_assert_ptr_nonnull(number);
    const char *told = shown(number, strstr(number, "</span>"));
    ck_assert_msg(strstr(told, "= sum_d q[0,1,d] * k[0,0,d]"), "%s", told);
    ck_assert_msg(strstr(told, "= 0.6992523"), "%s", told);
}

TEST(a_hostile_lecture_becomes_text)
{
    static const char hostile[] =
        "# T `</title><script>alert(1)</script>`\n\nabout `<b>`\n\n"
        "## P `\"onload=x` {#p\">}\n\n```attnscope\nscenario scaled-dot-product\n```\n\n"
        "x < y & `</pre><script>`\n\n```c\n</pre><script>\n```\n\n"
        "```notes\n`<script>`\n```\n\n"
        "```question\nkind: line\nask: \"`<script>`\"\nlines: [\"<script>\", \"</li>\"]\n"
        "claims: [\"sum attn_weights[0,0] = 1\", \"sum attn_weights[0,0] = 2\"]\n"
        "wrong: \"`<script>`\"\n```\n";
    Lecture lecture;
    FILE *out = tmpfile();
    ck_assert_msg(lecture_read_text(&lecture, "h", "h.md", hostile, sizeof hostile - 1, &err), "%s",
                  err.text);
    ck_assert_msg(lecture_html(&lecture, true, out, &err), "%s", err.text);
    lecture_finish(&lecture);
    read_back(out);
    is_balanced();
    ck_assert_ptr_null(strstr(page, "<script"));
    ck_assert_ptr_null(strstr(page, "\"onload"));
}

TEST(a_file_is_written_whole_or_not_at_all)
{
    static const char broken[] = "# T\n\n## P\n\n```attnscope\nscenario causal\n```\n\n"
                                 "## Q\n\n```attnscope\ngoto nowhere\n```\n";
    Lecture lecture;
    const char *path = scratch_write("old.html", "old", 3);
    ck_assert(lecture_read_text(&lecture, "b", "b.md", broken, sizeof broken - 1, &err));
    ck_assert(!lecture_html_save(&lecture, false, path, &err));
    ck_assert_msg(strncmp(err.text, "b.md:12:1: ", 11) == 0, "%s", err.text);
    ck_assert(!lecture_html_save(&lecture, false, scratch_path("no/folder.html"), &err));
    lecture_finish(&lecture);
    size_t length;
    unsigned char *bytes = scratch_read(path, &length);
    ck_assert_int_eq(length, 3);
    free(bytes);
    ck_assert_int_eq(scratch_count(), 1);
}

// The page with {name} where the term of that name is a link, as numbers change with the list.
static const char *with_links(const char *text)
{
    static char html[1024];
    const GlossaryTerm *term;
    char name[64];
    size_t used = 0;
    for (int length = 0; *text; text += length > 0 ? length : 1) {
        length = 0;
        if (sscanf(text, "{%63[^}]}%n", name, &length) != 1)
            html[used++] = *text;
        for (int i = 0; length > 0 && (term = glossary_term(i)) != NULL; i++)
            if (term == glossary_find(name))
                used += (size_t)snprintf(html + used, sizeof html - used,
                                         "<a class=\"term\" href=\"#term-%d\">%s</a>", i, name);
    }
    html[used] = '\0';
    return html;
}

// Each name is a link once, the longest that fits, and never inside of another word or a hyphenated name.
TEST(a_term_is_a_link_where_it_is_first_named)
{
    static const struct {
        Language language;
        bool is_bold;
        const char *text, *linked;
    } cases[] = {
        {LANGUAGE_ENGLISH, false, "<A head's softmax, softmax and overhead",
         "&lt;A {head}&#39;s {softmax}, softmax and overhead"},
        {LANGUAGE_ENGLISH, false, "multi-head attention has heads",
         "{multi-head attention} has {heads}"},
        {LANGUAGE_ENGLISH, false, "softmax-backward, online-softmax - softmax - and heads-",
         "softmax-backward, online-softmax - {softmax} - and {heads}-"},
        {LANGUAGE_KOREAN, false, "멀티헤드 어텐션은 헤드마다 어텐션을",
         "{멀티헤드 어텐션}은 {헤드}마다 {어텐션}을"},
        {LANGUAGE_KOREAN, false, "온헤드 헤드", "온헤드 {헤드}"},
        {LANGUAGE_KOREAN, true, "키", "{키}"},
        {LANGUAGE_KOREAN, false, "키", "키"},
        {LANGUAGE_KOREAN, true, "헤드마다", "헤드마다"},
        {LANGUAGE_KOREAN, false, "키가 크다", "키가 크다"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        HtmlTerms terms = {.language = cases[i].language};
        FILE *out = tmpfile();
        html_terms_text(out, cases[i].text, cases[i].is_bold, &terms);
        read_back(out);
        ck_assert_str_eq(page, with_links(cases[i].linked));
    }
}

// A term that only code names is not a link there.
TEST(code_has_no_links)
{
    HtmlTerms terms = {.language = LANGUAGE_ENGLISH};
    LectureSpan text = {.kind = SPAN_TEXT, .text = " of a query"};
    LectureSpan bold = {.kind = SPAN_STRONG, .text = "softmax", .next = &text};
    LectureSpan code = {.kind = SPAN_CODE, .text = "softmax", .next = &bold};
    FILE *out = tmpfile();
    html_spans(out, &code, &terms);
    read_back(out);
    char wanted[256];
    snprintf(wanted, sizeof wanted, "<code>softmax</code>%s",
             with_links("<b>{softmax}</b> of a {query}"));
    ck_assert_str_eq(page, wanted);
}

// --- The pictures on the page of a lecture: for light pages and dark ones, wide and narrow, in the colours of
// the screen above, and told to who cannot see them.

static void write_page_of(const char *name)
{
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

static void write_pictures(void)
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

FIXTURE(NULL, NULL)

// Its first rectangle is the paper: white there, 14181e here. Each theme shows one of them, paper the
// light one.
TEST(a_picture_is_light_on_light_pages_and_dark_on_dark_ones)
{
    write_pictures();
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
    write_pictures();
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
    write_pictures();
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
    write_pictures();
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

SUITE("lecture_html")
