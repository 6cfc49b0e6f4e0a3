// Build tool: turns a help page into C, as Words that a header declares:
// embed_text HEADER NAME ENGLISH KOREAN > out.c
//
// A line "@model" is replaced by the options of that section in options.def.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 256, WORDS_COLUMN = 22 };

typedef struct OptionText {
    const char *name, *section, *example, *words[2]; // English, Korean
} OptionText;

static const OptionText options[] = {
#define KEYED_OPTION(name, KIND, section, least, most, usual, example, words, korean) \
    {#name, section, example, {words, korean}},
#include "options.def"
};

static int column;

static void put(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++, column++)
        printf("%s'\\x%02x',", column % 16 == 0 ? "\n    " : " ", (unsigned char)text[i]);
}

// "  window: 4           words, wrapped"; a long example gets a line of its own.
static void put_option(const OptionText *option, int language)
{
    char key[LINE_BYTES], line[2 * LINE_BYTES];
    int used = snprintf(key, sizeof key, "  %s: %s", option->name, option->example);
    if (used >= WORDS_COLUMN) {
        put(key, (size_t)used);
        put("\n", 1);
        key[0] = '\0';
    }
    for (const char *words = option->words[language]; *words;) {
        size_t length = strcspn(words, "\n");
        used = snprintf(line, sizeof line, "%-*s%.*s\n", WORDS_COLUMN, key, (int)length, words);
        put(line, (size_t)used);
        words += length + (words[length] == '\n');
        key[0] = '\0';
    }
}

static void put_line(const char *line, int language)
{
    if (line[0] != '@') {
        put(line, strlen(line));
        return;
    }
    size_t length = strcspn(line + 1, "\n");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strlen(options[i].section) == length &&
            strncmp(options[i].section, line + 1, length) == 0)
            put_option(&options[i], language);
}

// An array of its own, between the two marks.
static bool put_page(const char *name, const char *path, int language, const char *marks[2])
{
    char line[LINE_BYTES];
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    column = 0;
    printf("static const char %s[] = {", name);
    put(marks[0], strlen(marks[0]));
    while (fgets(line, sizeof line, file))
        put_line(line, language);
    put(marks[1], strlen(marks[1]));
    printf("\n    '\\0'};\n\n");
    fclose(file);
    return true;
}

int main(int argument_count, char **arguments)
{
    const char *none[] = {"", ""}, *marks[] = {"\u27e6", "\u27e7"};
    if (argument_count != 5)
        return EXIT_FAILURE;
    printf("#include \"%s\"\n\n", arguments[1]);
    bool good = put_page("english", arguments[3], 0, none) &&
                put_page("korean", arguments[4], 1, none) &&
                put_page("marked", arguments[3], 0, marks);
    printf("const Words %s = {{english, korean, marked}};\n", arguments[2]);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
