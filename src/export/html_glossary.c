// html_glossary: see html_glossary.h.
#include "html_glossary.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include "glossary.h"
#include "html_text.h"
#include "export_words.h"

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
