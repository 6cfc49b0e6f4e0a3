// Screens and terms of the glossary as HTML; see html_text.h.
#include "html_text.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include "glossary.h"
#include "new_file.h"

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
