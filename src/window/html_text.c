// Text, screens and terms of the glossary as HTML, and how pages look; see html_text.h.
//
// A screen is as wide as its cells, a picture as its letters need; on a narrow page they scroll.
#include "html_text.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include "glossary.h"
#include "new_file.h"
#include "utf8.h"

// --- style

const char html_style[] =
    ":root{--ink:#1b1f24;--quiet:#667;--paper:#fff;--panel:#f6f7f9;--line:#d5d9e0;--key:#0b6a9a;"
    "--alarm:#9a5b00;--mark:#fff3c4;color-scheme:light dark}\n"
    "figure .dark,figure .narrow{display:none}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--quiet:#99a2b0;--paper:#14171c;"
    "--panel:#1c2129;--line:#39414e;--key:#6cc3ee;--alarm:#f0b45c;--mark:#4a3f14}"
    "figure .light{display:none}figure .dark{display:block}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1.5rem "
    "clamp(1rem,4vw,3rem);max-width:72rem;background:var(--paper);"
    "color:var(--ink);font:1.06rem/1.65 Inter,\"Noto Sans KR\",\"Apple SD Gothic Neo\","
    "\"Malgun Gothic\",system-ui,sans-serif;word-break:keep-all;overflow-wrap:break-word}\n"
    "h1{font-size:1.9rem;line-height:1.25;margin:.5rem 0}\n"
    "h2{font-size:1.35rem;line-height:1.3;margin:0 0 .8rem}\n"
    "h2 span{color:var(--quiet);font-weight:normal;font-size:.9rem;margin-right:.5rem}\n"
    "h3{font-size:1rem;margin:0 0 .4rem}\n"
    "header{border-bottom:1px solid var(--line);padding-bottom:1rem}\n"
    "nav h2{font-size:1rem;margin:1rem 0 .3rem}\n"
    "nav ol{columns:20rem;margin:0;padding-left:2rem}\n"
    "a{color:var(--key)}\n"
    ".term{color:inherit;text-decoration:underline dotted var(--key);text-underline-offset:.25em}\n"
    "section{padding:2.2rem 0;border-bottom:1px solid var(--line)}\n"
    ".text{max-width:44rem}\n"
    "p,ul,ol{margin:0 0 .8rem}\n"
    "code,pre{font-family:\"D2Coding\",\"DejaVu Sans Mono\",Menlo,Consolas,\"Nanum Gothic Coding\","
    "\"Noto Sans Mono CJK KR\",monospace;font-variant-ligatures:none}\n"
    "li code{white-space:pre-wrap}\n"
    "code{font-size:.93em;background:var(--panel);padding:.08em .3em;border-radius:.25em}\n"
    ".ref{background:var(--mark)}\n"
    "pre{background:var(--panel);border:1px solid var(--line);border-radius:.4rem;padding:.7rem "
    ".8rem;"
    "overflow-x:auto;font-size:.82rem;line-height:1.3;margin:0 0 1rem;word-break:normal}\n"
    "pre.screen{line-height:1.18;width:fit-content;max-width:100%;--ink:#e2e6ec;--quiet:#8b95a5;--"
    "paper:#12151a;"
    "--key:#6cc3ee;--alarm:#f0b45c;color:var(--ink);background:var(--paper)}\n"
    "pre i{display:inline-block;width:2ch;font-style:normal}\n"
    ".quiet,.rule{color:var(--quiet)}\n"
    ".heading{font-weight:bold}\n"
    ".title,.current{background:var(--ink);color:var(--paper)}\n"
    ".key{color:var(--key);font-weight:bold}\n"
    ".alarm{color:var(--alarm);font-weight:bold}\n"
    ".marked{color:var(--quiet)}\n"
    "figure{margin:0 0 1rem;max-width:60rem;overflow-x:auto}\n"
    "svg{width:100%;min-width:55rem;height:auto;border:1px solid var(--line);border-radius:.4rem;"
    "font-family:Inter,\"Noto Sans KR\",system-ui,sans-serif;font-variant-ligatures:none}\n"
    ".narrow svg{min-width:0;max-width:30rem}\n"
    "figcaption{color:var(--quiet);font-size:.9rem}\n"
    ".question{border-left:.3rem solid var(--key);padding:.2rem 0 .2rem 1rem;margin:1rem 0}\n"
    "summary{cursor:pointer;color:var(--key)}\n"
    "details[open] summary{margin-bottom:.6rem}\n"
    "aside{background:var(--panel);border-radius:.4rem;padding:.7rem 1rem;margin:0 0 1rem;"
    "font-size:.95rem}\n"
    "footer{color:var(--quiet);font-size:.9rem;padding:1.5rem 0}\n"
    "@media "
    "print{:root{--ink:#000;--quiet:#555;--paper:#fff;--panel:#"
    "fff;--line:#aaa;--key:#003f66;"
    "--alarm:#7a4700;--mark:#fff3c4}body{max-width:none;padding:0;font-size:10.5pt}"
    "nav{display:none}section{padding:1rem 0}pre{font-size:7.6pt;overflow:visible}"
    "pre,figure,.question{break-inside:avoid}h2{break-after:avoid}"
    "pre.screen{--ink:#000;--quiet:#555;--paper:#fff;--key:#003f66;--alarm:#7a4700}"
    "pre.screen span{color:#000!important}pre.screen span[style^=color],pre.screen .current,"
    "pre.screen .title{background:none!important}"
    "pre.screen .current{outline:1px solid #000}svg{min-width:0}"
    "figure .light{display:block}figure .dark{display:none}"
    "pre,code,svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

// --- text and screens

static void put_character(FILE *out, const char *text, size_t bytes, uint32_t character)
{
    switch (character) {
    case '&':
        fputs("&amp;", out);
        break;
    case '<':
        fputs("&lt;", out);
        break;
    case '>':
        fputs("&gt;", out);
        break;
    case '"':
        fputs("&quot;", out);
        break;
    case '\'':
        fputs("&#39;", out);
        break;
    default:
        if ((character < 0x20 && character != '\n') || (character >= 0x7f && character < 0xa0))
            fputs("\uFFFD", out);
        else
            fwrite(text, 1, bytes, out);
    }
}

// The same of its first bytes.
static void html_text_part(FILE *out, const char *text, size_t length)
{
    uint32_t character;
    const char *end = text + length;
    for (size_t bytes; text < end && (bytes = utf8_next(text, &character)) > 0; text += bytes)
        put_character(out, text, bytes, character);
}

void html_text(FILE *out, const char *text)
{
    html_text_part(out, text, strlen(text));
}

// --- screens

static bool same_look(const Cell *a, const Cell *b)
{
    return a->role == b->role && a->shade.front == b->shade.front && a->shade.back == b->shade.back;
}

static void open_look(FILE *out, const Cell *cell)
{
    static const char *const names[ROLE_COUNT] = {
        [ROLE_TEXT] = "",       [ROLE_QUIET] = "quiet", [ROLE_HEADING] = "heading",
        [ROLE_TITLE] = "title", [ROLE_RULE] = "rule",   [ROLE_CURRENT] = "current",
        [ROLE_KEY] = "key",     [ROLE_ALARM] = "alarm", [ROLE_MARKED] = "marked",
    };
    fprintf(out, "<span class=\"%s\"", names[cell->role]);
    if (cell->shade.front || cell->shade.back) {
        fputs(" style=\"", out);
        if (cell->shade.front & SHADE_SET)
            fprintf(out, "color:#%06x;", (unsigned)(cell->shade.front & 0xffffff));
        if (cell->shade.back & SHADE_SET)
            fprintf(out, "background:#%06x;", (unsigned)(cell->shade.back & 0xffffff));
        fputc('"', out);
    }
    fputc('>', out);
}

static bool is_plain(const Cell *cell)
{
    return cell->role == ROLE_TEXT && !cell->shade.front && !cell->shade.back;
}

// Where the last cell of a row is that shows anything.
static int row_end(const Cells *cells, int row)
{
    int end = cells->columns;
    while (end > 0 && strcmp(cells_at(cells, row, end - 1)->text, " ") == 0 &&
           is_plain(cells_at(cells, row, end - 1)))
        end--;
    return end;
}

static void put_row(FILE *out, const Cells *cells, int row)
{
    int end = row_end(cells, row);
    for (int column = 0; column < end;) {
        const Cell *first = cells_at(cells, row, column);
        bool plain = is_plain(first);
        if (!plain)
            open_look(out, first);
        for (; column < end && same_look(first, cells_at(cells, row, column)); column++) {
            const Cell *cell = cells_at(cells, row, column);
            // Not every font has Korean letters that are exactly as wide as two others.
            fputs(cell->columns == 2 ? "<i>" : "", out);
            html_text(out, cell->text);
            fputs(cell->columns == 2 ? "</i>" : "", out);
        }
        fputs(plain ? "" : "</span>", out);
    }
    fputc('\n', out);
}

void html_cells(FILE *out, const Cells *cells, int first_row, int end_row)
{
    bool blank = true; // the row before
    while (end_row > first_row && row_end(cells, end_row - 1) == 0)
        end_row--;
    for (int row = first_row; row < end_row; row++) {
        if (!blank || row_end(cells, row) > 0)
            put_row(out, cells, row);
        blank = row_end(cells, row) == 0;
    }
}

void html_element(FILE *out, const char *open, const char *text, const char *close)
{
    fputs(open, out);
    html_text(out, text);
    fputs(close, out);
}

void html_head(FILE *out, const Lecture *lecture)
{
    fprintf(out, "<!doctype html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n",
            language_name(lecture->language));
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n", out);
    html_element(out, "<title>", lecture->title, "</title>\n");
    fprintf(out, "<style>\n%s</style>\n</head>\n<body>\n", html_style);
}

static bool write_all(const NewFile *file, HtmlWrite *write, const void *what, Error *err)
{
    FILE *out = fopen(file->temporary, "w");
    bool good = out || error_set(err, "%s: %s", file->path, error_reason(errno));
    good = good && write(what, out, err);
    bool arrived = out && !ferror(out);
    if (out && fclose(out) != 0)
        arrived = false;
    if (good && !arrived)
        error_set(err, TELL(HTML_UNWRITTEN), file->path, error_reason(errno));
    return good && arrived;
}

bool html_save(const char *path, HtmlWrite *write, const void *what, Error *err)
{
    Arena arena = {0};
    NewFile file;
    bool good = new_file_begin(&file, path, &arena, err);
    if (good && !write_all(&file, write, what, err)) {
        new_file_drop(&file);
        good = false;
    }
    good = good && new_file_keep(&file, err);
    arena_finish(&arena);
    return good;
}

// --- the glossary inside of a page

#define SAID(NAME) TELL_IN(language_beside(lecture->language), NAME)

// --- terms inside of the text

typedef struct Found {
    size_t at, length; // in the text; no length: nothing was found
    int term;
} Found;

// A syllable of Hangul, or a letter.
static bool is_in_word(char byte)
{
    return isalnum((unsigned char)byte) || (byte & 0x80) != 0;
}

// How much of the text is the name, with a last s of the plural: 0 where other letters follow. Korean
// particles may follow.
static size_t name_here(const char *text, const char *name)
{
    size_t length = strlen(name);
    if (strncasecmp(text, name, length) != 0)
        return 0;
    length += isalpha((unsigned char)name[length - 1]) && text[length] == 's';
    return isalnum((unsigned char)text[length]) && !(name[0] & 0x80) ? 0 : length;
}

// The term that begins at this place, the longest; no length: none.
static Found term_at(const char *text, size_t at, bool is_bold, const HtmlTerms *terms)
{
    enum { SHORT_NAME = 3 };
    const GlossaryTerm *term;
    Found found = {.at = at};
    for (int i = 0; (term = glossary_term(i)) != NULL; i++) {
        const char *name = term->name.in[terms->language];
        size_t length = name_here(text + at, name);
        bool fits = is_bold ? at == 0 && text[length] == '\0' : strlen(name) > SHORT_NAME;
        if (length > found.length && fits) {
            found.length = length;
            found.term = i;
        }
    }
    return found;
}

// The first term that is no link yet. What is inside of a longer term is passed over with it.
static Found next_term(const char *text, size_t from, bool is_bold, const HtmlTerms *terms)
{
    for (size_t at = from; text[at]; at++) {
        Found found = {.length = 0};
        if (at == 0 || !is_in_word(text[at - 1]))
            found = term_at(text, at, is_bold, terms);
        if (found.length > 0 && !terms->linked[found.term])
            return found;
        at += found.length > 0 ? found.length - 1 : 0;
    }
    return (Found){.at = strlen(text)};
}

void html_terms_text(FILE *out, const char *text, bool is_bold, HtmlTerms *terms)
{
    size_t done = 0;
    for (Found found; text[done]; done = found.at + found.length) {
        found = next_term(text, done, is_bold, terms);
        html_text_part(out, text + done, found.at - done);
        if (found.length == 0)
            break;
        assert(found.term < HTML_TERMS_MAX);
        terms->linked[found.term] = true;
        fprintf(out, "<a class=\"term\" href=\"#term-%d\">", found.term);
        html_text_part(out, text + found.at, found.length);
        fputs("</a>", out);
    }
}

// --- the list of them

// False with a sentence: there was no memory to look for a term.
static bool could_look(Error *err)
{
    return errno != ENOMEM || error_machine(err, "%s", error_reason(ENOMEM));
}

// As glossary_is_told says it of a page.
static bool speaks_of(const Lecture *lecture, const GlossaryTerm *term)
{
    errno = 0;
    for (int page = 0; page < lecture->page_count && errno == 0; page++)
        if (glossary_is_told(term, &lecture->pages[page]))
            return true;
    return false;
}

bool html_glossary_links(FILE *out, const Lecture *lecture, int page, Error *err)
{
    const GlossaryTerm *term;
    int count = 0;
    for (int i = 0; (term = glossary_term(i)) != NULL; i++) {
        if (!glossary_is_told(term, &lecture->pages[page])) {
            if (!could_look(err))
                return false;
            continue;
        }
        html_element(out, count == 0 ? "<p class=\"quiet\">" : "",
                     count == 0 ? SAID(HTML_TERMS) : ", ", "");
        count++;
        fprintf(out, "<a href=\"#term-%d\">", i);
        html_element(out, "", term->name.in[language_beside(lecture->language)], "</a>");
    }
    fputs(count ? "</p>\n" : "", out);
    return true;
}

static void put_term(FILE *out, const Lecture *lecture, const GlossaryTerm *term, int number)
{
    Language other = lecture->language == LANGUAGE_KOREAN ? LANGUAGE_ENGLISH : LANGUAGE_KOREAN;
    fprintf(out, "<dt id=\"term-%d\"><b>", number);
    html_element(out, "", term->name.in[language_beside(lecture->language)], "</b> ");
    html_element(out, "(", term->name.in[other], ")");
    if (*term->torch)
        html_element(out, " <code>", term->torch, "</code>");
    html_element(out, "</dt>\n<dd>", term->about.in[language_beside(lecture->language)], "</dd>\n");
}

bool html_glossary(FILE *out, const Lecture *lecture, Error *err)
{
    const GlossaryTerm *term;
    html_element(out, "<section id=\"glossary\">\n<h2>", SAID(HTML_GLOSSARY), "</h2>\n<dl>\n");
    for (int i = 0; (term = glossary_term(i)) != NULL; i++)
        if (speaks_of(lecture, term))
            put_term(out, lecture, term, i);
        else if (!could_look(err))
            return false;
    fputs("</dl>\n</section>\n", out);
    return true;
}

// --- spans of a lecture, with links to their terms

void html_spans(FILE *out, const LectureSpan *spans, struct HtmlTerms *terms)
{
    static const char *const open[] = {
        [SPAN_TEXT] = "",
        [SPAN_EMPHASIS] = "<em>",
        [SPAN_STRONG] = "<b>",
        [SPAN_CODE] = "<code>",
        [SPAN_REFERENCE] = "<code class=\"ref\">",
        [SPAN_LABEL] = "<em>",
        [SPAN_NOTE] = "",
    };
    static const char *const close[] = {
        [SPAN_TEXT] = "",        [SPAN_EMPHASIS] = "</em>",    [SPAN_STRONG] = "</b>",
        [SPAN_CODE] = "</code>", [SPAN_REFERENCE] = "</code>", [SPAN_LABEL] = "</em>",
        [SPAN_NOTE] = "",
    };
    for (; spans; spans = spans->next) {
        fputs(open[spans->kind], out);
        if (terms && (spans->kind == SPAN_TEXT || spans->kind == SPAN_STRONG))
            html_terms_text(out, spans->text, spans->kind == SPAN_STRONG, terms);
        else
            html_text(out, spans->text);
        fputs(close[spans->kind], out);
    }
}
