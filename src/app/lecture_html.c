// lecture_html: see lecture_html.h.
#include "lecture_html.h"

#include <errno.h>
#include <string.h>
#include "figure_svg.h"
#include "guide.h"
#include "guide_words.h"
#include "html_style.h"
#include "html_text.h"
#include "new_file.h"
#include "screen.h"
#include "picture_view.h"

enum {
    COLUMNS = 92, // of a screen
    ROWS = 34,
    BOTTOM_ROWS = 2, // message and keys, which a page has not
    FIGURE_WIDTH = 960,
    FIGURE_HEIGHT = 600,
};

typedef struct Page {
    Guide guide;
    Session session;
    FILE *out;
    bool with_notes;
    int figures; // so far
} Page;

static const char *word(const Page *page, GuideWord which)
{
    return guide_word(page->guide.lecture->language, which);
}

static void put_element(FILE *out, const char *open, const char *text, const char *close)
{
    fputs(open, out);
    html_text(out, text);
    fputs(close, out);
}

// --- text

static void put_blocks(FILE *out, const LectureBlock *blocks)
{
    bool listing = false;
    for (; blocks; blocks = blocks->next) {
        bool item = blocks->kind == BLOCK_ITEM, code = blocks->kind == BLOCK_CODE;
        if (item != listing)
            fputs(item ? "<ul>\n" : "</ul>\n", out);
        listing = item;
        fputs(item ? "<li>" : code ? "<pre class=\"code\">" : "<p>", out);
        if (code)
            html_text(out, blocks->spans->text);
        else
            html_spans(out, blocks->spans);
        fputs(item ? "</li>\n" : code ? "</pre>\n" : "</p>\n", out);
    }
    fputs(listing ? "</ul>\n" : "", out);
}

static void put_notes(Page *page)
{
    if (!page->with_notes || !page->guide.notes)
        return;
    put_element(page->out, "<aside><h3>", word(page, WORD_NOTES), "</h3>\n");
    put_blocks(page->out, page->guide.notes);
    fputs("</aside>\n", page->out);
}

// --- what the program shows

static bool put_screen(Page *page, Error *err)
{
    Cells cells = {.colours = 1 << 24};
    if (!cells_resize(&cells, COLUMNS, ROWS, err))
        return false;
    screen_show(&page->session, &cells);
    fputs("<pre class=\"screen\">", page->out);
    html_cells(page->out, &cells, 0, ROWS - BOTTOM_ROWS);
    fputs("</pre>\n", page->out);
    cells_finish(&cells);
    return true;
}

static bool draw_figure(Page *page, PictureView *view, Error *err)
{
    char name[32];
    const char *tensor = picture_tensor_name(&page->session);
    snprintf(name, sizeof name, "f%d", ++page->figures);
    if (!picture_view_open(view, err))
        return false;
    picture_view_size(view, FIGURE_WIDTH, FIGURE_HEIGHT, 1.0);
    if (!picture_view_draw(view, &page->session, err))
        return false;
    fputs("<figure>\n", page->out);
    figure_svg(&view->list, name, tensor, page->out);
    put_element(page->out, "<figcaption>", word(page, WORD_PICTURE), ": ");
    put_element(page->out, "<code>", tensor, "</code></figcaption>\n</figure>\n");
    return true;
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
static bool put_answer(Page *page, Error *err)
{
    Command reveal = {.kind = COMMAND_REVEAL};
    if (!session_apply(&page->session, &reveal, err))
        return false;
    put_element(page->out, "<details><summary>", word(page, WORD_SHOW_ANSWER), "</summary>\n<p>");
    html_spans(page->out, page->guide.said->spans);
    fputs("</p>\n", page->out);
    bool good = !guide_page(&page->guide)->answered || put_scene(page, err);
    fputs("</details>\n", page->out);
    return good;
}

static bool put_question(Page *page, Error *err)
{
    char text[GUIDE_CHOICE_MAX];
    if (!page->guide.ask)
        return true;
    fputs("<div class=\"question\">\n<p>", page->out);
    html_spans(page->out, page->guide.ask->spans);
    fputs("</p>\n", page->out);
    int choices = guide_choice_count(&page->guide);
    fputs(choices > 0 ? "<ol>\n" : "", page->out);
    for (int i = 0; i < choices; i++)
        put_element(page->out, "<li><code>", guide_choice(&page->guide, i, text), "</code></li>\n");
    fputs(choices > 0 ? "</ol>\n" : "", page->out);
    bool good = put_answer(page, err);
    fputs("</div>\n", page->out);
    return good;
}

// --- the whole

static bool put_page(Page *page, int number, Error *err)
{
    const Lecture *lecture = page->guide.lecture;
    if (!guide_show(&page->session, number, err))
        return false;
    fprintf(page->out, "<section id=\"p%d\">\n<h2><span>%d/%d</span> ", number + 1, number + 1,
            lecture->page_count);
    html_text(page->out, lecture->pages[number].title);
    fputs("</h2>\n<div class=\"text\">\n", page->out);
    put_blocks(page->out, page->guide.text);
    put_notes(page);
    fputs("</div>\n", page->out);
    bool good = put_scene(page, err) && put_question(page, err);
    fputs("</section>\n", page->out);
    return good;
}

static void put_head(const Page *page)
{
    static const char *const languages[] = {[LECTURE_ENGLISH] = "en", [LECTURE_KOREAN] = "ko"};
    const Lecture *lecture = page->guide.lecture;
    fprintf(page->out, "<!doctype html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n",
            languages[lecture->language]);
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n", page->out);
    put_element(page->out, "<title>", lecture->title, "</title>\n");
    fprintf(page->out, "<style>\n%s</style>\n</head>\n<body>\n", html_style);
    put_element(page->out, "<header>\n<h1>", lecture->title, "</h1>\n");
    put_element(page->out, "<p>", lecture->about, "</p>\n");
    put_element(page->out, "<nav>\n<h2>", word(page, WORD_CONTENTS), "</h2>\n<ol>\n");
    for (int i = 0; i < lecture->page_count; i++) {
        fprintf(page->out, "<li><a href=\"#p%d\">", i + 1);
        put_element(page->out, "", lecture->pages[i].title, "</a></li>\n");
    }
    fputs("</ol>\n</nav>\n</header>\n<main>\n", page->out);
}

static bool put_all(Page *page, const Lecture *lecture, Error *err)
{
    bool good = guide_open(&page->guide, &page->session, lecture, 0, NULL, err);
    page->guide.text_elsewhere = true;
    if (good)
        put_head(page);
    for (int number = 0; good && number < lecture->page_count; number++)
        good = put_page(page, number, err);
    if (good)
        put_element(page->out, "</main>\n<footer>", word(page, WORD_MADE),
                    "</footer>\n</body>\n</html>\n");
    session_close(&page->session);
    guide_close(&page->guide);
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

static bool write_all(const Lecture *lecture, bool with_notes, const NewFile *file, Error *err)
{
    FILE *out = fopen(file->temporary, "w");
    bool good = out || error_set(err, "%s: %s", file->path, strerror(errno));
    good = good && lecture_html(lecture, with_notes, out, err);
    bool arrived = out && !ferror(out);
    if (out && fclose(out) != 0)
        arrived = false;
    if (good && !arrived)
        error_set(err, "cannot write %s: %s", file->path, strerror(errno));
    return good && arrived;
}

bool lecture_html_save(const Lecture *lecture, bool with_notes, const char *path, Error *err)
{
    Arena arena = {0};
    NewFile file;
    bool good = new_file_begin(&file, path, &arena, err);
    if (good && !write_all(lecture, with_notes, &file, err)) {
        new_file_drop(&file);
        good = false;
    }
    good = good && new_file_keep(&file, err);
    arena_finish(&arena);
    return good;
}
