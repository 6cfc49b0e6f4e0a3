// prose: see prose.h.
#include "prose.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include "utf8.h"

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
