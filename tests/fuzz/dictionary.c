// The dictionary of a target, from the tables and sources that hold the words of its format:
//
//   dictionary OUTPUT FILE ...
//
// Every string of at most WORD_MAX bytes without a %, and of a .def also every bare word of a row,
// each once, in the form that libFuzzer and AFL read.
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 24, WORDS_MAX = 1024 };

static char words[WORDS_MAX][WORD_MAX + 1];
static int word_count;

static void add(const char *word, size_t length)
{
    char text[WORD_MAX + 1];
    if (length == 0 || length > WORD_MAX || word_count == WORDS_MAX || memchr(word, '%', length) ||
        memchr(word, '\\', length))
        return;
    snprintf(text, sizeof text, "%.*s", (int)length, word);
    for (int i = 0; i < word_count; i++)
        if (strcmp(words[i], text) == 0)
            return;
    strcpy(words[word_count++], text);
}

// The string that begins at the quote; returns what follows it.
static const char *take_string(const char *quote)
{
    const char *end = quote + 1;
    while (*end && *end != '"' && *end != '\n')
        end += end[0] == '\\' && end[1] ? 2 : 1;
    add(quote + 1, (size_t)(end - quote - 1));
    return *end ? end + 1 : end;
}

static const char *take_bare(const char *start)
{
    const char *end = start;
    while (isalnum((unsigned char)*end) || *end == '_')
        end++;
    add(start, (size_t)(end - start));
    return end;
}

static void take_all(const char *at, bool is_table)
{
    while (*at) {
        if (strncmp(at, "//", 2) == 0 || *at == '#')
            at += strcspn(at, "\n");
        else if (strncmp(at, "'\"'", 3) == 0)
            at += 3;
        else if (*at == '"')
            at = take_string(at);
        else if (is_table && isalpha((unsigned char)*at))
            at = take_bare(at);
        else
            at++;
    }
}

static void take_file(const char *path)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    take_all(text, strstr(path, ".def") != NULL);
}

static void print(const char *word)
{
    putchar('"');
    for (; *word; word++)
        if (isprint((unsigned char)*word) && *word != '"')
            putchar(*word);
        else
            printf("\\x%02x", (unsigned char)*word);
    puts("\"");
}

int main(int count, char **paths)
{
    if (count < 2 || !freopen(paths[1], "w", stdout)) {
        perror(count < 2 ? "dictionary OUTPUT FILE ..." : paths[1]);
        return EXIT_FAILURE;
    }
    for (int i = 2; i < count; i++)
        take_file(paths[i]);
    for (int i = 0; i < word_count; i++)
        print(words[i]);
    return fclose(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
