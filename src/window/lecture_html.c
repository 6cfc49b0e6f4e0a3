// A whole lecture, or its questions on paper, as one page of HTML; see export.h and
// export.h.
#include "export.h"

#include <stdlib.h>
#include <string.h>
#include "figure_data.h"
#include "html_text.h"
#include "open_lecture.h"
#include "picture_view.h"
#include "screen.h"
#include "written.h"

// --- the lecture

enum {
    COLUMNS = 92, // of a screen
    NARROW_COLUMNS = 46,
    ROWS = 34,
    BOTTOM_ROWS = 2, // message and keys, which a page has not
};

// A figure for pages that have room for it, and one as wide as the page of a telephone.
static const struct {
    const char *name;
    int width, height;
} figure_sizes[] = {{"wide", 960, 600}, {"narrow", 390, 900}};

enum { FIGURE_SIZES = sizeof figure_sizes / sizeof *figure_sizes };

typedef struct Page {
    OpenLecture open;
    Session session;
    FILE *out;
    bool with_notes;
    int pictures;   // so far
    PoolRange ends; // of the scale of its maps
    HtmlNumbers numbers;
} Page;

static const char *html_word(const Page *page, OpenLectureWord which)
{
    return open_lecture_word(page->open.lecture->language, which);
}

// --- text

static void put_blocks(FILE *out, const LectureBlock *blocks, HtmlTerms *terms)
{
    bool listing = false;
    for (; blocks; blocks = blocks->next) {
        if (blocks->kind == BLOCK_KEYS) // a page has none
            continue;
        bool item = blocks->kind == BLOCK_ITEM, code = blocks->kind == BLOCK_CODE;
        if (item != listing)
            fputs(item ? "<ul>\n" : "</ul>\n", out);
        listing = item;
        fputs(item ? "<li>" : code ? "<pre class=\"code\">" : "<p>", out);
        if (code)
            html_text(out, blocks->spans->text);
        else
            html_spans(out, blocks->spans, terms);
        fputs(item ? "</li>\n" : code ? "</pre>\n" : "</p>\n", out);
    }
    fputs(listing ? "</ul>\n" : "", out);
}

static void put_notes(Page *page)
{
    if (!page->with_notes || !page->open.notes)
        return;
    html_element(page->out, "<aside><h3>", html_word(page, WORD_NOTES), "</h3>\n");
    put_blocks(page->out, page->open.notes, NULL);
    fputs("</aside>\n", page->out);
}

// --- what the program shows

// As wide as a desk's page; and for one as wide as a telephone's, the picture of its slide.
static bool put_screen_in(Page *page, bool is_narrow, Error *err)
{
    Cells cells = {.colours = 1 << 24};
    OpenLecture *open = &page->open;
    if (!cells_resize(&cells, is_narrow ? NARROW_COLUMNS : COLUMNS, ROWS, err))
        return false;
    open->presents = open->is_still = open->on_paper = is_narrow;
    screen_show(&page->session, &cells);
    fprintf(page->out, "<pre class=\"screen %s\">", is_narrow ? "on-narrow" : "on-wide");
    html_cells(page->out, &cells, is_narrow ? 1 : 0, ROWS - BOTTOM_ROWS);
    fputs("</pre>\n", page->out);
    open->presents = open->is_still = open->on_paper = false;
    cells_finish(&cells);
    return true;
}

static bool put_screen(Page *page, Error *err)
{
    return put_screen_in(page, false, err) && put_screen_in(page, true, err);
}

// A part of the figure, of which the style says where it is seen.
static void begin_part(FILE *out, const char *name)
{
    fprintf(out, "<div class=\"%s\">", name);
}

// The picture for a light page or a dark one.
static bool put_picture(Page *page, PictureView *view, bool dark, const char *about, Error *err)
{
    char name[32];
    const char *theme = dark ? "dark" : "light";
    bool *is_dark = &page->session.picture.request.dark, was_dark = *is_dark;
    snprintf(name, sizeof name, "f%d%s", page->pictures++, theme);
    *is_dark = dark;
    bool drawn = picture_view_draw(view, &page->session, err);
    *is_dark = was_dark;
    if (!drawn)
        return false;
    begin_part(page->out, theme);
    figure_svg(&view->list, name, about, page->out);
    fputs("</div>\n", page->out);
    return true;
}

// In each size.
static bool put_pictures(Page *page, PictureView *view, const char *about, Error *err)
{
    bool good = true;
    for (int i = 0; good && i < FIGURE_SIZES; i++) {
        picture_view_size(view, figure_sizes[i].width, figure_sizes[i].height, 1.0);
        begin_part(page->out, figure_sizes[i].name);
        for (int dark = 0; good && dark < 2; dark++)
            good = put_picture(page, view, dark, about, err);
        fputs("</div>\n", page->out);
    }
    return good;
}

// The scale of the terminal's map, so that one number has one colour on the page.
static bool take_scale(Page *page, Error *err)
{
    FigureRequest *request = &page->session.picture.request;
    FigureData data;
    if (!figure_data(picture_trace(&page->session), request, &data, err))
        return false;
    bool given = data.is_weights && !page->session.look.scale_to_largest;
    bool even = given && figure_shares_differ(&data, request->batch);
    page->ends = (PoolRange){0.0f, given && !even ? 1.0f : 0.0f};
    request->scale = even ? FIGURE_SCALE_EVEN : FIGURE_SCALE_ALL;
    request->ends = &page->ends;
    return true;
}

static bool draw_figure(Page *page, PictureView *view, Error *err)
{
    const char *tensor = picture_tensor_name(&page->session);
    Written about;
    if (!take_scale(page, err) || !picture_view_open(view, err) || !written_begin(&about, err))
        return false;
    picture_about(&page->session, about.out);
    fputs("<figure>\n", page->out);
    bool good = written_end(&about, err);
    if (good) {
        about.text[strcspn(about.text, "\n")] = '\0'; // a line, and here an attribute
        good = put_pictures(page, view, about.text, err);
    }
    written_drop(&about);
    html_element(page->out, "<figcaption>", html_word(page, WORD_PICTURE), ": ");
    html_element(page->out, "<code>", tensor, "</code></figcaption>\n</figure>\n");
    return good;
}

// A page that shows a map in the terminal has it as a picture, too.
static bool put_scene(Page *page, Error *err)
{
    PictureView view = {.cache = NULL};
    const Session *session = &page->session;
    bool maps = session->look.detail == DETAIL_HEATMAP && picture_possible(session);
    bool good = put_screen(page, err) && (!maps || draw_figure(page, &view, err));
    picture_view_close(&view);
    return good;
}

// --- the question

// The answer unfolds, and with it what the page shows then.
static bool html_put_answer(Page *page, Error *err)
{
    Command reveal = {.kind = COMMAND_REVEAL};
    if (!session_apply(&page->session, &reveal, err))
        return false;
    html_element(page->out, "<details><summary>", html_word(page, WORD_SHOW_ANSWER),
                 "</summary>\n<p>");
    html_spans(page->out, page->open.said->spans, NULL);
    fputs("</p>\n", page->out);
    bool good = !open_lecture_page(&page->open)->answered || put_scene(page, err);
    fputs("</details>\n", page->out);
    return good;
}

static bool html_put_question(Page *page, Error *err)
{
    char text[OPEN_LECTURE_CHOICE_MAX];
    if (!page->open.ask)
        return true;
    fputs("<div class=\"question\">\n<p>", page->out);
    html_spans(page->out, page->open.ask->spans, NULL);
    fputs("</p>\n", page->out);
    int choices = open_lecture_choice_count(&page->open);
    fputs(choices > 0 ? "<ol>\n" : "", page->out);
    for (int i = 0; i < choices; i++)
        html_element(page->out, "<li><code>", open_lecture_choice(&page->open, i, text),
                     "</code></li>\n");
    fputs(choices > 0 ? "</ol>\n" : "", page->out);
    bool good = html_put_answer(page, err);
    fputs("</div>\n", page->out);
    return good;
}

// --- the whole

static bool put_page(Page *page, int number, Error *err)
{
    const Lecture *lecture = page->open.lecture;
    if (!open_lecture_show(&page->session, number, err))
        return false;
    fprintf(page->out, "<section id=\"p%d\">\n<h2><span>%d/%d</span> ", number + 1, number + 1,
            lecture->page_count);
    html_text(page->out, lecture->pages[number].title);
    fputs("</h2>\n<div class=\"text\">\n", page->out);
    HtmlTerms terms = {.language = lecture->language};
    put_blocks(page->out, page->open.text, &terms);
    if (!html_glossary_links(page->out, lecture, number, err))
        return false;
    put_notes(page);
    fputs("</div>\n", page->out);
    bool good = put_scene(page, err) &&
                html_numbers(page->out, &page->session, &page->numbers, err) &&
                html_put_question(page, err);
    fputs("</section>\n", page->out);
    return good;
}

// What is touched tells its origin at the foot of the window. A telephone gets narrow screens.
static const char touch_style[] =
    "<style>pre.on-narrow{display:none}"
    ".touch{overflow-x:auto;font:.8rem/1.4 \"DejaVu Sans Mono\",Menlo,Consolas,monospace}"
    ".touch table{border-collapse:collapse}.touch th{text-align:right;padding:.2rem .4rem}"
    ".touch td{border:1px solid var(--line);padding:.3rem .45rem;text-align:right;cursor:pointer}"
    ".touch td:focus{background:var(--mark);outline:2px solid var(--key)}"
    ".touch span{display:none}.touch td:focus span{display:block;position:fixed;left:0;right:0;"
    "bottom:0;z-index:1;max-height:60vh;overflow:auto;white-space:pre-wrap;text-align:left;"
    "background:var(--paper);border-top:2px solid var(--key);padding:.7rem 1rem}"
    "@media screen and (max-width:46rem){figure .wide,pre.on-wide{display:none}figure .narrow,"
    "pre.on-narrow{display:block}pre.on-narrow{width:auto;padding:.5rem;font-size:clamp(.5rem,2."
    "9vw,"
    ".82rem)}.touch td:focus span{font-size:clamp(.5rem,2.9vw,.8rem)}h1{font-size:1.5rem}}"
    "@media print{.touch,pre.on-narrow{display:none}}</style>\n";

static void put_head(const Page *page)
{
    const Lecture *lecture = page->open.lecture;
    html_head(page->out, lecture);
    fputs(touch_style, page->out);
    html_element(page->out, "<header>\n<h1>", lecture->title, "</h1>\n");
    html_element(page->out, "<p>", lecture->about, "</p>\n");
    html_element(page->out, "<nav>\n<h2>", html_word(page, WORD_CONTENTS), "</h2>\n<ol>\n");
    for (int i = 0; i < lecture->page_count; i++) {
        fprintf(page->out, "<li><a href=\"#p%d\">", i + 1);
        html_element(page->out, "", lecture->pages[i].title, "</a></li>\n");
    }
    fputs("<li><a href=\"#glossary\">", page->out);
    html_element(page->out, "", TELL_IN(language_beside(lecture->language), HTML_GLOSSARY),
                 "</a></li>\n");
    fputs("</ol>\n</nav>\n</header>\n<main>\n", page->out);
}

static bool put_all(Page *page, const Lecture *lecture, Error *err)
{
    bool good = open_lecture_start(&page->open, &page->session, lecture, 0, NULL, err);
    page->open.text_elsewhere = true;
    if (good)
        put_head(page);
    for (int number = 0; good && number < lecture->page_count; number++)
        good = put_page(page, number, err);
    good = good && html_glossary(page->out, lecture, err);
    if (good)
        html_element(page->out, "</main>\n<footer>", html_word(page, WORD_MADE),
                     "</footer>\n</body>\n</html>\n");
    session_close(&page->session);
    open_lecture_close(&page->open);
    return good;
}

bool lecture_html(const Lecture *lecture, bool with_notes, FILE *out, Error *err)
{
    Arena arena = {0};
    Page *page = arena_take(&arena, 1, sizeof *page, err);
    if (page) {
        page->out = out;
        page->with_notes = with_notes;
    }
    bool good = page && put_all(page, lecture, err);
    arena_finish(&arena);
    return good;
}

typedef struct Whole {
    const Lecture *lecture;
    bool with_notes;
} Whole;

static bool write_lecture(const void *what, FILE *out, Error *err)
{
    const Whole *whole = what;
    return lecture_html(whole->lecture, whole->with_notes, out, err);
}

bool lecture_html_save(const Lecture *lecture, bool with_notes, const char *path, Error *err)
{
    Whole whole = {lecture, with_notes};
    return html_save(path, write_lecture, &whole, err);
}

// --- the worksheet

enum { SHEET_COLUMNS = 96, SHEET_ROWS = 34 };

typedef struct Sheet {
    OpenLecture open;
    Session session;
    FILE *out;
} Sheet;

// What the page shows, as its slide has it, in the black and white of characters.
static bool sheet_put_picture(Sheet *sheet, Error *err)
{
    Cells cells = {.colours = 0};
    if (!cells_resize(&cells, SHEET_COLUMNS, SHEET_ROWS, err))
        return false;
    screen_show(&sheet->session, &cells);
    fputs("<pre class=\"screen\">", sheet->out);
    html_cells(sheet->out, &cells, 1, SHEET_ROWS - BOTTOM_ROWS + 1);
    fputs("</pre>\n", sheet->out);
    cells_finish(&cells);
    return true;
}

// Both sheets are printed black on white; the second one begins on paper of its own. Screens are as wide
// as the paper.
static const char style[] =
    "<style>.box{border:1px solid var(--ink);height:2.2rem;max-width:22rem;margin:.4rem 0 1.2rem}"
    ".boxes{list-style:none;padding-left:0}.boxes "
    "li::before{content:\"\\2610\";padding-right:.5rem}"
    ".sheet+.sheet{break-before:page;border-top:1px solid var(--line);padding-top:1rem}"
    ".sheet>ol>li{break-inside:avoid;margin-bottom:.8rem}"
    ".sheet pre.screen{--ink:#000;--quiet:#444;--paper:#fff;--key:#000;font-size:.72rem}"
    ".given{border-collapse:collapse;margin:.3rem 1.5rem .6rem 0;display:inline-table}"
    ".given td,.given th{border:1px solid var(--line);padding:.15rem .5rem;text-align:right}"
    "@media print{.sheet pre.screen{font-size:6.6pt}}"
    ".name{display:flex;gap:2rem}.name span{flex:1;border-bottom:1px solid var(--ink)}</style>\n";

// Letter where it is the locale's paper, as LC_PAPER says it; else A4.
static const char *paper(void)
{
    static const char *const names[] = {"LC_ALL", "LC_PAPER", "LANG"};
    static const char letter[] = "US CA MX PH CL CO CR DO GT NI PA PR SV VE";
    const char *locale = NULL;
    for (int i = 0; i < 3 && !(locale && *locale); i++)
        locale = getenv(names[i]);
    const char *country = locale ? strchr(locale, '_') : NULL;
    for (const char *at = letter; country; at += 3) {
        if (strncmp(at, country + 1, 2) == 0)
            return "letter";
        if (at[2] == '\0')
            break;
    }
    return "A4";
}

static void put_style(FILE *out)
{
    fputs(style, out);
    fprintf(out, "<style>@page{size:%s;margin:15mm}</style>\n", paper());
}

static const char *sheet_word(const Sheet *sheet, OpenLectureWord which)
{
    return open_lecture_word(sheet->open.lecture->language, which);
}

// A box to tick for each choice; where there are none, one to write in.
static void sheet_put_choices(Sheet *sheet)
{
    char text[OPEN_LECTURE_CHOICE_MAX];
    const OpenLecture *open = &sheet->open;
    bool is_order = open_lecture_page(open)->question.kind == QUESTION_ORDER;
    bool is_listed = open_lecture_choice_count(open) > 0, has_choices = false;
    for (int i = 0; open_lecture_poll_choice(open, i, text); i++) {
        if (!has_choices)
            fputs(is_listed ? "\n<ol>\n" : "\n<ul class=\"boxes\">\n", sheet->out);
        has_choices = true;
        html_element(sheet->out, is_listed ? "<li>&#x2610; <code>" : "<li>",
                     open_lecture_poll_choice(open, i, text),
                     is_listed ? "</code></li>\n" : "</li>\n");
    }
    if (has_choices)
        fputs(is_listed ? "</ol>\n" : "</ul>\n", sheet->out);
    if (!has_choices || is_order) {
        html_element(sheet->out, "<div class=\"quiet\">", open_lecture_answer_form_on_paper(open),
                     "</div>\n");
        fputs("<div class=\"box\"></div>\n", sheet->out);
    }
}

// The page's text and what it shows come with it: nothing else is at hand.
static bool sheet_put_question(Sheet *sheet, Error *err)
{
    put_blocks(sheet->out, sheet->open.text, NULL);
    if (!sheet_put_picture(sheet, err))
        return false;
    fputs("<p>", sheet->out);
    html_spans(sheet->out, sheet->open.ask->spans, NULL);
    fputs("</p>\n", sheet->out);
    sheet_put_choices(sheet);
    return true;
}

static bool sheet_put_answer(Sheet *sheet, Error *err)
{
    Command reveal = {.kind = COMMAND_REVEAL};
    if (!session_apply(&sheet->session, &reveal, err))
        return false;
    html_spans(sheet->out, sheet->open.said->spans, NULL);
    return true;
}

// All questions, or all answers; numbered as the pages are, so that the lecture tells more.
static bool put_sheet(Sheet *sheet, bool answers, Error *err)
{
    const Lecture *lecture = sheet->open.lecture;
    bool good = true;
    html_element(sheet->out, "<div class=\"sheet\">\n<h1>", lecture->title, "</h1>\n");
    if (answers)
        html_element(sheet->out, "<h2>", sheet_word(sheet, WORD_SHEET_ANSWERS), "</h2>\n");
    else
        html_element(sheet->out, "<p class=\"name\">", sheet_word(sheet, WORD_SHEET_NAME),
                     "<span></span></p>\n");
    fputs("<ol>\n", sheet->out);
    for (int page = 0; good && page < lecture->page_count; page++) {
        if (!open_lecture_show(&sheet->session, page, err))
            return false;
        if (!sheet->open.ask)
            continue;
        fprintf(sheet->out, "<li value=\"%d\">", page + 1);
        html_element(sheet->out, "<strong>", lecture->pages[page].title, "</strong><br>\n");
        if (answers)
            good = sheet_put_answer(sheet, err);
        else
            good = sheet_put_question(sheet, err);
        fputs("</li>\n", sheet->out);
    }
    fputs("</ol>\n</div>\n", sheet->out);
    return good;
}

bool lecture_sheet(const Lecture *lecture, FILE *out, Error *err)
{
    Arena arena = {0};
    Sheet *sheet = arena_take(&arena, 1, sizeof *sheet, err);
    if (!sheet)
        return false;
    sheet->out = out;
    bool good = open_lecture_start(&sheet->open, &sheet->session, lecture, 0, NULL, err);
    if (good) {
        sheet->open.presents = sheet->open.is_still = sheet->open.on_paper = true;
        html_head(out, lecture);
        put_style(out);
        good = put_sheet(sheet, false, err) && put_sheet(sheet, true, err);
        html_element(out, "<footer>", sheet_word(sheet, WORD_MADE),
                     "</footer>\n</body>\n</html>\n");
    }
    session_close(&sheet->session);
    open_lecture_close(&sheet->open);
    arena_finish(&arena);
    return good;
}

// The questions of the lecture, or ten that a seed draws.
typedef struct SheetOf {
    const Lecture *lecture;
    const uint64_t *seed;
} SheetOf;

static bool write_sheet(const void *what, FILE *out, Error *err)
{
    const SheetOf *sheet = what;
    if (!sheet->seed)
        return lecture_sheet(sheet->lecture, out, err);
    html_head(out, sheet->lecture);
    put_style(out);
    bool good = seed_sheet(*sheet->seed, sheet->lecture->language, out, err);
    html_element(out, "<footer>", open_lecture_word(sheet->lecture->language, WORD_MADE),
                 "</footer>\n</body>\n</html>\n");
    return good;
}

bool lecture_sheet_save(const Lecture *lecture, const uint64_t *seed, const char *path, Error *err)
{
    SheetOf sheet = {lecture, seed};
    return html_save(path, write_sheet, &sheet, err);
}
