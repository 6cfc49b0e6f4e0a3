// Names and words as they can be shown or typed; see shown_name.h.
#include "shown_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "utf8.h"

// --- names of strangers' files

// from  Unicode Standard Annex 9, table 4: the explicit marks of direction; chapter 23: separators, and
//       what has no width.
bool character_steers(uint32_t character)
{
    static const uint32_t ranges[][2] = {
        {0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},     {0x061C, 0x061C}, {0x200B, 0x200F},
        {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (character >= ranges[i][0] && character <= ranges[i][1])
            return true;
    return false;
}

char *shown_name(const char *name, char *out)
{
    uint32_t character;
    char *at = out;
    *at = '\0';
    for (size_t bytes; (bytes = utf8_next(name, &character)) > 0; name += bytes) {
        bool is_broken = bytes == 1 && character == 0xFFFD;
        if (is_broken)
            at += sprintf(at, "\\x%02x", (unsigned)(unsigned char)*name);
        else if (character_steers(character) && bytes == 1)
            at += sprintf(at, "\\x%02x", (unsigned)character);
        else if (character_steers(character))
            at += sprintf(at, "\\u%04x", (unsigned)character);
        else if (character == '\\')
            at += sprintf(at, "\\\\");
        else
            at += sprintf(at, "%.*s", (int)bytes, name);
    }
    return out;
}

// --- a word of a shell's command line

// Letters of other scripts are bytes from 0x80 on, and mean nothing to a shell.
static bool is_plain(const char *text)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:,@%=";
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at < 0x80 && !strchr(plain, *at))
            return false;
    return *text != '\0';
}

char *shell_word(const char *text, char *out)
{
    static const char quote[] = "'\\''"; // ends the quotes, says one, and begins them again
    char *end = out;
    if (is_plain(text))
        return strcpy(out, text);
    *end++ = '\'';
    for (const char *at = text; *at; at++)
        if (*at == '\'') {
            memcpy(end, quote, sizeof quote - 1);
            end += sizeof quote - 1;
        } else {
            *end++ = *at;
        }
    *end++ = '\'';
    *end = '\0';
    return out;
}

const char *shell_path(const char *path, char out[SHELL_PATH_ROOM])
{
    return strlen(path) <= SHELL_PATH_MAX ? shell_word(path, out) : path;
}

// --- the nearest known word
//
// By the distance of Damerau and Levenshtein.

enum { LETTERS_MAX = 64 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

// Bytes stand for letters: known words are ASCII. Row i holds the distances from the first i
// letters of `a` to every beginning of `b`.
static int distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int row[3][LETTERS_MAX + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int *here = row[i % 3], *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        here[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            int changed = above[j - 1] + (a[i - 1] != b[j - 1]);
            here[j] = smaller(changed, smaller(above[j], here[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                here[j] = smaller(here[j], before[j - 2] + 1);
        }
    }
    return row[a_length % 3][b_length];
}

// How many letters have to change to get from one to the other; -1 where that is too many: more than
// a third of the longer one's (but always one), or all of them.
static int near(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (a_length > LETTERS_MAX || b_length > LETTERS_MAX)
        return -1;
    size_t longer = a_length > b_length ? a_length : b_length;
    int allowed = longer < 3 ? 1 : (int)(longer / 3);
    int changes = distance(a, a_length, b, b_length);
    return changes <= allowed && changes < (int)longer ? changes : -1;
}

const char *nearest_word(const char *word, const char *const known[])
{
    size_t length = strlen(word);
    const char *best = NULL;
    int fewest = LETTERS_MAX;
    for (size_t i = 0; known[i]; i++) {
        int changes = near(word, length, known[i], strlen(known[i]));
        if (changes >= 0 && changes < fewest) {
            best = known[i];
            fewest = changes;
        }
    }
    return best;
}

// Near, for one part of a name: what is short has nothing to misspell in it.
static int near_part(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (a_length == b_length && strncasecmp(a, b, a_length) == 0)
        return 0;
    return a_length < 3 || b_length < 3 ? -1 : near(a, a_length, b, b_length);
}

// How many letters differ, part by part; -1 where some part is another word.
static int near_name(const char *a, const char *b)
{
    static const char between[] = "._ ";
    int changes = 0;
    for (;;) {
        size_t a_length = strcspn(a, between), b_length = strcspn(b, between);
        int here = near_part(a, a_length, b, b_length);
        if (here < 0)
            return -1;
        changes += here;
        a += a_length;
        b += b_length;
        if (*a == '\0' || *b == '\0')
            return *a == *b ? changes : -1;
        changes += *a++ != *b++;
    }
}

const char *nearest_name(const char *word, const char *const known[])
{
    const char *best = NULL;
    int fewest = LETTERS_MAX;
    for (size_t i = 0; known[i]; i++) {
        int changes = near_name(word, known[i]);
        if (changes >= 0 && changes < fewest) {
            best = known[i];
            fewest = changes;
        }
    }
    return best;
}

// --- prose

enum { WORD_BYTES_MAX = 512, CODE_INDENT = 4 };

typedef struct Prose {
    const char *prefix;
    int columns;
    FILE *out;
    int column; // where the next word starts, without the prefix; 0: the line is empty
    int indent; // of lines that go on
} Prose;

static void start_line(Prose *prose)
{
    fputs(prose->prefix, prose->out);
}

static void end_paragraph(Prose *prose)
{
    if (prose->column > 0)
        fputc('\n', prose->out);
    prose->column = 0;
    prose->indent = 0;
}

static void blank_line(Prose *prose)
{
    size_t length = strlen(prose->prefix);
    while (length > 0 && prose->prefix[length - 1] == ' ')
        length--;
    fprintf(prose->out, "%.*s\n", (int)length, prose->prefix);
}

static void put_word(Prose *prose, const char *word)
{
    int wide = utf8_width(word), room = prose->columns - utf8_width(prose->prefix);
    if (prose->column > prose->indent && prose->column + 1 + wide > room) {
        fputc('\n', prose->out);
        prose->column = 0;
    }
    if (prose->column == 0) {
        start_line(prose);
        fprintf(prose->out, "%*s", prose->indent, "");
        prose->column = prose->indent;
    } else if (prose->column > prose->indent) {
        fputc(' ', prose->out);
        prose->column++;
    }
    fputs(word, prose->out);
    prose->column += wide;
}

// The next word of a line without the asterisks of **emphasis**; where the line goes on.
static const char *take_word(const char *text, const char *end, char word[WORD_BYTES_MAX])
{
    size_t used = 0;
    for (; text < end && *text != ' ' && used + 1 < WORD_BYTES_MAX; text++)
        if (text[0] == '*' && text[1] == '*')
            text++;
        else
            word[used++] = *text;
    word[used] = '\0';
    return text;
}

static void put_words(Prose *prose, const char *text, const char *end)
{
    char word[WORD_BYTES_MAX];
    while (text < end) {
        text = take_word(text, end, word);
        if (*word)
            put_word(prose, word);
        text += text < end && *text == ' ';
    }
}

// How many bytes "- " or "12. " takes at the beginning of a line; 0: it is no item.
static int item_mark(const char *line)
{
    int digits = 0;
    while (isdigit((unsigned char)line[digits]))
        digits++;
    if (digits > 0 && line[digits] == '.' && line[digits + 1] == ' ')
        return digits + 2;
    return (line[0] == '-' || line[0] == '*') && line[1] == ' ' ? 2 : 0;
}

static void put_line(Prose *prose, const char *line, const char *end)
{
    int mark = item_mark(line);
    if (mark > 0) {
        end_paragraph(prose);
        start_line(prose);
        fprintf(prose->out, "%.*s", mark, line);
        prose->column = prose->indent = mark;
        line += mark;
    }
    put_words(prose, line, end);
}

void prose_print(const char *markdown, const char *prefix, int columns, FILE *out)
{
    Prose prose = {.prefix = prefix, .columns = columns, .out = out};
    bool fenced = false;
    for (const char *line = markdown; *line;) {
        const char *end = line + strcspn(line, "\n");
        bool fence = strncmp(line, "```", 3) == 0;
        if (fence || line == end)
            end_paragraph(&prose);
        if (fence)
            fenced = !fenced;
        else if (line == end)
            blank_line(&prose);
        else if (fenced)
            fprintf(out, "%s%*s%.*s\n", prefix, CODE_INDENT, "", (int)(end - line), line);
        else
            put_line(&prose, line, end);
        line = end + (*end == '\n');
    }
    end_paragraph(&prose);
}
