// The glossary; see glossary.h.
#include "glossary.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include "shown_name.h"
#include "utf8.h"

enum { NAME_MAX_BYTES = 64, SHORT_NAME = 3 };

static const GlossaryTerm terms[] = {
#define TERM(NAME, english, korean, torch, documents, wrong, seen, about, korean_about) \
    {WORDS(english, korean), torch, documents, wrong, seen, WORDS(about, korean_about)},
#include "glossary.def"
};

enum { TERM_COUNT = sizeof terms / sizeof *terms };

const GlossaryTerm *glossary_term(int number)
{
    return number >= 0 && number < TERM_COUNT ? &terms[number] : NULL;
}

// Turns separators into spaces.
static void spaced(const char *name, char text[NAME_MAX_BYTES])
{
    size_t length = 0;
    for (; name[length] && length + 1 < NAME_MAX_BYTES; length++)
        text[length] = name[length] == '-' || name[length] == '_' ? ' ' : name[length];
    text[length] = '\0';
}

// Equal, ignoring case and a final s.
static bool is_name(const char *name, const char *typed)
{
    char known[NAME_MAX_BYTES], asked[NAME_MAX_BYTES];
    spaced(name, known);
    spaced(typed, asked);
    size_t length = strlen(asked);
    bool is_plural = length > 1 && asked[length - 1] == 's';
    return strcasecmp(known, asked) == 0 ||
           (is_plural && strlen(known) == length - 1 && strncasecmp(known, asked, length - 1) == 0);
}

const GlossaryTerm *glossary_find(const char *name)
{
    for (int i = 0; i < TERM_COUNT; i++)
        for (int language = 0; language < LANGUAGES; language++)
            if (is_name(terms[i].name.in[language], name))
                return &terms[i];
    return NULL;
}

const char *glossary_nearest(const char *name)
{
    const char *known[TERM_COUNT * LANGUAGES + 1] = {NULL};
    for (int i = 0; i < TERM_COUNT; i++)
        for (int language = 0; language < LANGUAGES; language++)
            known[i * LANGUAGES + language] = terms[i].name.in[language];
    return nearest_word(name, known);
}

bool glossary_is_seen(const GlossaryTerm *term, const char *place)
{
    size_t length = strlen(place);
    for (const char *at = term->seen; *at; at += strspn(at, " ")) {
        size_t one = strcspn(at, " ");
        if (one == length && strncmp(at, place, length) == 0)
            return true;
        at += one;
    }
    return false;
}

static bool span_tells(const LectureSpan *span, const GlossaryTerm *term)
{
    for (int language = 0; language < LANGUAGES && errno == 0; language++) {
        const char *name = term->name.in[language];
        bool is_bold = span->kind == SPAN_STRONG && is_name(name, span->text);
        bool is_text = span->kind == SPAN_TEXT && strlen(name) > SHORT_NAME;
        if (is_bold || (is_text && utf8_contains(span->text, name)))
            return true;
    }
    return false;
}

bool glossary_is_explained(const GlossaryTerm *term, const LecturePage *page)
{
    errno = 0;
    for (const LectureBlock *block = page->blocks; block; block = block->next)
        for (const LectureSpan *span = block->spans; span; span = span->next)
            if (span_tells(span, term))
                return true;
    return false;
}
