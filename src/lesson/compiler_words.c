// compiler_words: see compiler_words.h.
#include "compiler_words.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>
#include "words.h"

typedef struct Meaning {
    const char *pattern;
    Words words;
} Meaning;

static const Meaning meanings[] = {
#define COMPILER_WORD(pattern, english, korean) {pattern, WORDS(english, korean)},
#include "compiler_words.def"
};

enum { MEANINGS = sizeof meanings / sizeof *meanings, PRINTED_MAX = 3, LINE_MAX_BYTES = 1024 };

// The first that fits the line; -1: none does.
static int meaning_of(const char *line)
{
    bool matters = strstr(line, "error") || strstr(line, "warning") || strstr(line, "undefined") ||
                   strstr(line, "multiple definition");
    for (int i = 0; matters && i < MEANINGS; i++)
        if (fnmatch(meanings[i].pattern, line, 0) == 0)
            return i;
    return -1;
}

static bool was_said(const int said[], int count, int meaning)
{
    for (int i = 0; i < count; i++)
        if (strcmp(meanings[said[i]].words.in[LANGUAGE_ENGLISH],
                   meanings[meaning].words.in[LANGUAGE_ENGLISH]) == 0)
            return true;
    return false;
}

// Copies a line, with plain quotes in the place of those that gcc writes in UTF-8.
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

// What the compiler put in quotes: after the words of the pattern, or else first of all.
static void quoted_name(const char *line, const char *pattern, char name[64])
{
    char keyword[64];
    snprintf(keyword, sizeof keyword, "%.*s", (int)strcspn(pattern + 1, "*"), pattern + 1);
    const char *from = strstr(line, keyword), *at = from ? strpbrk(from, "'`") : NULL;
    at = at ? at : strpbrk(line, "'`");
    size_t length = at ? strcspn(at + 1, "'") : 0;
    snprintf(name, 64, "%.*s", (int)(length < 63 ? length : 63), at ? at + 1 : "");
}

int compiler_words_print(const char *said, Language language, FILE *out)
{
    int printed[PRINTED_MAX], count = 0;
    for (const char *at = said; *at && count < PRINTED_MAX;) {
        char line[LINE_MAX_BYTES], name[64];
        size_t length = strcspn(at, "\n");
        copy_line(at, length, line);
        int meaning = meaning_of(line);
        if (meaning >= 0 && !was_said(printed, count, meaning)) {
            quoted_name(line, meanings[meaning].pattern, name);
            fputs("  ", out);
            fprintf(out, meanings[meaning].words.in[language_beside(language)], name);
            fputc('\n', out);
            printed[count++] = meaning;
        }
        at += length + (at[length] == '\n');
    }
    return count;
}

// The first row that says the same as this one.
static int kind_of(int meaning)
{
    int kind = 0;
    while (strcmp(meanings[kind].words.in[LANGUAGE_ENGLISH],
                  meanings[meaning].words.in[LANGUAGE_ENGLISH]) != 0)
        kind++;
    return kind;
}

int compiler_words_kind(const char *said, Language language, char *text, size_t room)
{
    for (const char *at = said; *at;) {
        char line[LINE_MAX_BYTES], name[64];
        size_t length = strcspn(at, "\n");
        copy_line(at, length, line);
        int meaning = strstr(line, "warning: ") ? -1 : meaning_of(line);
        if (meaning >= 0) {
            quoted_name(line, meanings[meaning].pattern, name);
            words_format(text, room, meanings[meaning].words.in[language_beside(language)], name);
            return kind_of(meaning);
        }
        at += length + (at[length] == '\n');
    }
    return -1;
}

const char *compiler_words_first(const char *said, size_t *length)
{
    const char *error = strstr(said, "error: ");
    error = error ? error : strstr(said, "Error: "); // an assembler's
    const char *start = error ? error : said + strspn(said, "\n");
    while (start > said && start[-1] != '\n')
        start--;
    *length = strcspn(start, "\n");
    bool is_linkers_end =
        strncmp(start, "collect2: ", strlen("collect2: ")) == 0 ||
        (error && strncmp(error, "error: linker ", strlen("error: linker ")) == 0);
    if (is_linkers_end)
        *length = 0;
    return is_linkers_end ? "" : start;
}
