// Explains compiler messages; see compiler_words.h.
#define _GNU_SOURCE // memmem
#include "compiler_words.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>
#include "words.h"

typedef enum Meaning {
#define COMPILER_MEANING(NAME, english, korean) MEANING_##NAME,
#include "compiler_words.def"
    MEANINGS
} Meaning;

static const Words meanings[MEANINGS] = {
#define COMPILER_MEANING(NAME, english, korean) [MEANING_##NAME] = WORDS(english, korean),
#include "compiler_words.def"
};

typedef struct Phrase {
    const char *pattern;
    Meaning meaning;
} Phrase;

static const Phrase phrases[] = {
#define COMPILER_SAYS(pattern, NAME) {pattern, MEANING_##NAME},
#include "compiler_words.def"
};

enum { PHRASES = sizeof phrases / sizeof *phrases, PRINTED_MAX = 3, LINE_MAX_BYTES = 1024 };

// The first pattern that fits the line, or NULL.
static const Phrase *phrase_of(const char *line)
{
    bool matters = strstr(line, "error") || strstr(line, "warning") || strstr(line, "undefined") ||
                   strstr(line, "multiple definition");
    for (int i = 0; matters && i < PHRASES; i++)
        if (fnmatch(phrases[i].pattern, line, 0) == 0)
            return &phrases[i];
    return NULL;
}

// Copies a line, replacing gcc's UTF-8 quotes by plain ones.
static void copy_line(const char *from, size_t length, char line[LINE_MAX_BYTES])
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < LINE_MAX_BYTES; i++) {
        bool fancy = i + 2 < length &&
                     (memcmp(from + i, "\u2018", 3) == 0 || memcmp(from + i, "\u2019", 3) == 0);
        line[used++] = fancy ? '\'' : from[i];
        i += fancy ? 2 : 0;
    }
    line[used] = '\0';
}

// Copies the next line of *at and moves past it; false at the end.
static bool next_line(const char **at, char line[LINE_MAX_BYTES])
{
    size_t length = strcspn(*at, "\n");
    if (!**at)
        return false;
    copy_line(*at, length, line);
    *at += length + ((*at)[length] == '\n');
    return true;
}

// The quoted text after the pattern's words, or the first quoted text.
static void quoted_name(const char *line, const char *pattern, char name[64])
{
    char keyword[64];
    snprintf(keyword, sizeof keyword, "%.*s", (int)strcspn(pattern + 1, "*"), pattern + 1);
    const char *from = strstr(line, keyword), *at = from ? strpbrk(from, "'`") : NULL;
    at = at ? at : strpbrk(line, "'`");
    size_t length = at ? strcspn(at + 1, "'") : 0;
    snprintf(name, 64, "%.*s", (int)(length < 63 ? length : 63), at ? at + 1 : "");
}

int compiler_words_print(const char *said, FILE *out)
{
    Meaning printed[PRINTED_MAX];
    char line[LINE_MAX_BYTES], name[64];
    int count = 0;
    while (count < PRINTED_MAX && next_line(&said, line)) {
        const Phrase *phrase = phrase_of(line);
        int before = 0;
        while (phrase && before < count && printed[before] != phrase->meaning)
            before++;
        if (phrase && before == count) {
            quoted_name(line, phrase->pattern, name);
            fputs("  ", out);
            fprintf(out, meanings[phrase->meaning].in[language_now()], name);
            fputc('\n', out);
            printed[count++] = phrase->meaning;
        }
    }
    return count;
}

int compiler_words_kind(const char *said, char *text, size_t room)
{
    char line[LINE_MAX_BYTES], name[64];
    while (next_line(&said, line)) {
        const Phrase *phrase = strstr(line, "warning: ") ? NULL : phrase_of(line);
        if (phrase) {
            quoted_name(line, phrase->pattern, name);
            words_format(text, room, meanings[phrase->meaning].in[language_now()], name);
            return (int)phrase->meaning;
        }
    }
    return -1;
}

// The line number in "scale.c:9:54: warning: ..."; false if there is none.
static bool line_number(const char *line, char number[12])
{
    const char *at = strstr(line, ": warning: ");
    at = at ? at : strstr(line, ": note: ");
    int colons = 2; // before the column, and before the line
    while (at && at > line && colons > 0)
        colons -= *--at == ':';
    size_t digits = at ? strspn(at + 1, "0123456789") : 0;
    if (colons > 0 || digits == 0 || digits > 10)
        return false;
    snprintf(number, 12, "%.*s", (int)digits, at + 1);
    return true;
}

// Clang warns at a condition, and notes below where the variable is read.
static void take_use(const char *at, char number[12])
{
    char line[LINE_MAX_BYTES];
    const char *note = strstr(at, "note: uninitialized use occurs here");
    const char *next = strstr(at + strcspn(at, "\n"), ": warning: ");
    if (!note || (next && next < note))
        return;
    while (note > at && note[-1] != '\n')
        note--;
    copy_line(note, strcspn(note, "\n"), line);
    line_number(line, number);
}

bool compiler_words_unset(const char *said, CompilerUnset *unset)
{
    char line[LINE_MAX_BYTES];
    for (const char *at = said; next_line(&said, line); at = said) {
        if (strstr(line, ": warning: ") && strstr(line, "uninitialized]") &&
            line_number(line, unset->line)) {
            quoted_name(line, "*warning: *", unset->name);
            char *name = unset->name + strspn(unset->name, "*&");
            memmove(unset->name, name, strlen(name) + 1);
            take_use(at, unset->line);
            if (*unset->name && !strchr("<_", *unset->name)) // compiler-generated names
                return true;
        }
    }
    return false;
}

// The start of an assembler's own message in a line; NULL: none. It follows a position in the assembler text, where
// "# 1" may name any file.
static const char *assembler_of(const char *line, size_t length)
{
    static const char *const begins[] = {"Error:", "Fatal"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        const char *at = memmem(line, length, begins[i], strlen(begins[i]));
        if (at)
            return at;
    }
    return NULL;
}

const char *compiler_words_first(const char *said, size_t *length)
{
    const char *error = strstr(said, "error: ");
    error = error ? error : strstr(said, "Error: "); // an assembler's
    const char *start = error ? error : said + strspn(said, "\n");
    while (start > said && start[-1] != '\n')
        start--;
    *length = strcspn(start, "\n");
    const char *assembler = assembler_of(start, *length);
    if (assembler && (!error || assembler <= error)) {
        *length -= (size_t)(assembler - start);
        start = assembler;
    }
    bool is_linkers_end =
        strncmp(start, "collect2: ", strlen("collect2: ")) == 0 ||
        (error && strncmp(error, "error: linker ", strlen("error: linker ")) == 0);
    if (is_linkers_end)
        *length = 0;
    return is_linkers_end ? "" : start;
}
