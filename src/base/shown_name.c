// Makes text printable, and finds the name that was meant; see shown_name.h.
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "shown_name.h"
#include "utf8.h"

// --- untrusted names

// from  Unicode Standard Annex 9, table 4: explicit direction marks; chapter 23: separators, characters without width
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

// --- shell words

// Bytes from 0x80 on (other scripts) are ordinary to a shell.
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
    static const char quote[] = "'\\''"; // closes the quotes, adds a quote, reopens them
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

// --- the nearest known word, by Damerau-Levenshtein distance

enum { LETTERS_MAX = 64 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

// Compares bytes: known words are ASCII. Row i has the distances from the first i letters of `a` to every prefix of `b`.
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

// The edit distance; -1 if it is more than a third of the longer word (at least one), or all of it.
static int near(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (a_length > LETTERS_MAX || b_length > LETTERS_MAX)
        return -1;
    size_t longer = a_length > b_length ? a_length : b_length;
    int allowed = longer < 3 ? 1 : (int)(longer / 3);
    int changes = distance(a, a_length, b, b_length);
    return changes <= allowed && changes < (int)longer ? changes : -1;
}

static int near_word(const char *a, const char *b)
{
    return near(a, strlen(a), b, strlen(b));
}

// The distance of a part of a name; short parts must be equal.
static int near_part(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (a_length == b_length && strncasecmp(a, b, a_length) == 0)
        return 0;
    return a_length < 3 || b_length < 3 ? -1 : near(a, a_length, b, b_length);
}

// The sum over all parts; -1 if a part differs too much.
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

static const char *nearest(const char *word, const char *const known[],
                           int (*changes_of)(const char *, const char *))
{
    const char *best = NULL;
    int fewest = LETTERS_MAX;
    for (size_t i = 0; known[i]; i++) {
        int changes = changes_of(word, known[i]);
        if (changes >= 0 && changes < fewest) {
            best = known[i];
            fewest = changes;
        }
    }
    return best;
}

const char *nearest_word(const char *word, const char *const known[])
{
    return nearest(word, known, near_word);
}

const char *nearest_name(const char *word, const char *const known[])
{
    return nearest(word, known, near_name);
}

// --- prose

enum { WORD_BYTES_MAX = 512, CODE_INDENT = 4 };

typedef struct Prose {
    const char *prefix;
    int columns;
    FILE *out;
    int column; // of the next word, without the prefix; 0: the line is empty
    int indent; // of continuation lines
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

// Prints a word without the asterisks of **emphasis**. Returns the rest of the line.
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

// The length of "- " or "12. " at the line's start; 0: not an item.
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

// --- tokens of models

static const char word_end[] = "</w>"; // of CLIP and the first GPT

enum { WORD_END = sizeof word_end - 1 };
enum { BYTES = 256, DOT = 0xb7, LOW_LINE = 0x2581, NEW_LINE_LETTER = 0x10a, BLANK_LETTER = 0x120 };

// Printable bytes stand for themselves; the others are U+0100 and on, in order.
static bool is_seen(int byte)
{
    return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

uint32_t token_letter_of(int byte)
{
    uint32_t others = BYTES;
    for (int i = 0; i < byte; i++)
        others += !is_seen(i);
    return is_seen(byte) ? (uint32_t)byte : others;
}

static int token_byte_of(uint32_t letter)
{
    if (letter < BYTES)
        return is_seen((int)letter) ? (int)letter : -1;
    for (int byte = 0; byte < BYTES; byte++)
        if (!is_seen(byte) && token_letter_of(byte) == letter)
            return byte;
    return -1;
}

// --- guessing

// "[CLS]", "<s>", "<|endoftext|>": special tokens in any vocabulary.
static bool is_special(const char *token)
{
    size_t length = strlen(token);
    return length > 2 && ((token[0] == '[' && token[length - 1] == ']') ||
                          (token[0] == '<' && token[length - 1] == '>'));
}

// Properties of all tokens together.
typedef struct Look {
    bool all_bytes;   // only letters that stand for bytes
    bool has_blank;   // some letter stands for a blank or newline
    bool has_stretch; // some letter stands for a byte that is not shown as itself
    bool has_beyond;  // some letter stands for a byte beyond ASCII
    bool is_text;     // the concatenated bytes are UTF-8
    int open;         // continuation bytes still expected
} Look;

static bool ends_word(const char *token)
{
    size_t length = strlen(token);
    return length > WORD_END && strcmp(token + length - WORD_END, word_end) == 0;
}

static void look_at(const char *token, Look *look)
{
    uint32_t letter;
    const char *end = token + strlen(token) - (ends_word(token) ? WORD_END : 0);
    for (const char *at = token; at < end;) {
        at += utf8_next(at, &letter);
        int byte = token_byte_of(letter);
        bool continues = byte >= 0x80 && byte < 0xc0;
        look->all_bytes &= byte >= 0;
        look->has_blank |= letter == BLANK_LETTER || letter == NEW_LINE_LETTER;
        look->has_stretch |= letter >= BYTES;
        look->has_beyond |= byte >= 0x80;
        look->is_text &= continues == (look->open > 0);
        look->open = continues      ? look->open - 1
                     : byte >= 0xf0 ? 3
                     : byte >= 0xe0 ? 2
                     : byte >= 0xc0 ? 1
                                    : 0;
        if (look->open < 0)
            look->open = 0;
    }
}

// Parses "<0x0a>".
static bool is_byte(const char *token, unsigned *byte)
{
    char end;
    return strlen(token) == 6 && sscanf(token, "<0x%2x%c", byte, &end) == 2 && end == '>';
}

static bool has_blanks(const char *token)
{
    unsigned byte;
    return strstr(token, "\u2581") || is_byte(token, &byte);
}

TokenSpelling token_spelling_of(const char *const tokens[], size_t count)
{
    Look look = {.all_bytes = true, .is_text = true};
    bool has_end = false;
    for (size_t i = 0; i < count; i++)
        if (tokens[i] && has_blanks(tokens[i]))
            return TOKEN_BLANKS;
    for (size_t i = 0; i < count; i++)
        if (tokens[i] && (ends_word(tokens[i]) || !is_special(tokens[i]))) {
            has_end |= ends_word(tokens[i]);
            look_at(tokens[i], &look);
        }
    bool stretches = look.is_text && (look.has_stretch || (has_end && look.has_beyond));
    bool is_bytes = look.all_bytes && (look.has_blank || stretches);
    return is_bytes ? TOKEN_BYTES : TOKEN_AS_IT_IS;
}

// --- output

static size_t put_byte(unsigned byte, char *out)
{
    return byte == ' ' ? (size_t)sprintf(out, "\u00b7") : (size_t)sprintf(out, "<%02x>", byte);
}

// Keeps whole characters; spells out blanks, invisible characters and stray bytes.
static char *show_bytes(char *bytes, size_t count, char *out)
{
    size_t used = 0;
    bytes[count] = '\0';
    for (size_t i = 0; i < count;) {
        uint32_t character;
        size_t length = bytes[i] ? utf8_next(bytes + i, &character) : 1;
        unsigned char byte = (unsigned char)bytes[i];
        bool is_whole = bytes[i] && utf8_valid(bytes + i, length);
        if (is_whole && byte > ' ' && byte != 0x7f) {
            memcpy(out + used, bytes + i, length);
            used += length;
        } else {
            length = 1;
            used += put_byte(byte, out + used);
        }
        i += length;
    }
    out[used] = '\0';
    return out;
}

// Spells out invisible characters: direction marks, and blanks at an end. Keeps the joiners of Persian and Indian scripts.
static char *show_plain(const char *token, char *out)
{
    const char *last = token + strlen(token);
    char *to = out;
    while (last > token && last[-1] == ' ')
        last--;
    for (const char *at = token; *at;) {
        uint32_t character;
        size_t length = utf8_next(at, &character);
        bool joins = character == 0x200c || character == 0x200d;
        if (character == ' ' && (to == out || at >= last || at[-1] == ' '))
            to += put_byte(' ', to);
        else if (character_steers(character) && !joins)
            to += sprintf(to, "<%02x>", (unsigned)character);
        else
            to = (char *)memcpy(to, at, length) + length;
        at += length;
    }
    *to = '\0';
    return out;
}

// Collects the bytes at the end of `out`, behind at most four output bytes per letter.
static char *show_letters(const char *token, char *out)
{
    size_t length = strlen(token), count = 0;
    char *bytes = out + (TOKEN_TEXT_GROWTH - 1) * length;
    uint32_t letter;
    for (const char *at = token; *at;) {
        at += utf8_next(at, &letter);
        int byte = token_byte_of(letter);
        if (byte < 0)
            return show_plain(token, out); // not made of byte letters
        bytes[count++] = (char)byte;
    }
    return show_bytes(bytes, count, out);
}

static char *show_blanks(const char *token, char *out)
{
    unsigned byte;
    char *to = out;
    if (is_byte(token, &byte)) {
        sprintf(out, "<%02x>", byte);
        return out;
    }
    for (uint32_t character; *token;) {
        size_t length = utf8_next(token, &character);
        if (character == LOW_LINE || character < ' ')
            to += put_byte(character == LOW_LINE ? ' ' : character, to);
        else
            to = (char *)memcpy(to, token, length) + length;
        token += length;
    }
    *to = '\0';
    return out;
}

char *token_text(const char *token, TokenSpelling spelling, char *out)
{
    spelling == TOKEN_BYTES    ? show_letters(token, out)
    : spelling == TOKEN_BLANKS ? show_blanks(token, out)
                               : show_plain(token, out);
    if (ends_word(token) && ends_word(out))
        strcpy(out + strlen(out) - WORD_END, "\u00b7");
    return out;
}
