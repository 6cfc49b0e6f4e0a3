// lecture_sheet: see lecture_sheet.h.
#include "lecture_sheet.h"

#include "open_lecture.h"
#include "open_lecture_words.h"
#include "html_text.h"

// Both sheets are printed black on white; the second one begins on paper of its own.
static const char style[] =
    "<style>.box{border:1px solid var(--ink);height:2.2rem;max-width:22rem;margin:.4rem 0 1.2rem}"
    ".sheet+.sheet{break-before:page;border-top:1px solid var(--line);padding-top:1rem}"
    ".sheet>ol>li{break-inside:avoid;margin-bottom:.8rem}"
    ".name{display:flex;gap:2rem}.name span{flex:1;border-bottom:1px solid var(--ink)}</style>\n";

typedef struct Sheet {
    OpenLecture open;
    Session session;
    FILE *out;
} Sheet;

static const char *word(const Sheet *sheet, OpenLectureWord which)
{
    return open_lecture_word(sheet->open.lecture->language, which);
}

static void put_question(Sheet *sheet)
{
    char text[OPEN_LECTURE_CHOICE_MAX];
    const OpenLecture *open = &sheet->open;
    int choices = open_lecture_choice_count(open);
    html_spans(sheet->out, open->ask->spans, NULL);
    fputs(choices > 0 ? "\n<ol>\n" : "\n", sheet->out);
    for (int i = 0; i < choices; i++)
        html_element(sheet->out, "<li><code>", open_lecture_choice(open, i, text),
                     "</code></li>\n");
    fputs(choices > 0 ? "</ol>\n" : "", sheet->out);
    html_element(sheet->out, "<div class=\"quiet\">", open_lecture_answer_form_on_paper(open),
                 "</div>\n");
    fputs("<div class=\"box\"></div>\n", sheet->out);
}

static bool put_answer(Sheet *sheet, Error *err)
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
        html_element(sheet->out, "<h2>", word(sheet, WORD_SHEET_ANSWERS), "</h2>\n");
    else
        html_element(sheet->out, "<p class=\"name\">", word(sheet, WORD_SHEET_NAME),
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
            good = put_answer(sheet, err);
        else
            put_question(sheet);
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
        html_head(out, lecture);
        fputs(style, out);
        good = put_sheet(sheet, false, err) && put_sheet(sheet, true, err);
        html_element(out, "<footer>", word(sheet, WORD_MADE), "</footer>\n</body>\n</html>\n");
    }
    session_close(&sheet->session);
    open_lecture_close(&sheet->open);
    arena_finish(&arena);
    return good;
}

static bool write_sheet(const void *what, FILE *out, Error *err)
{
    return lecture_sheet(what, out, err);
}

bool lecture_sheet_save(const Lecture *lecture, const char *path, Error *err)
{
    return html_save(path, write_sheet, lecture, err);
}
