// embed_text: runs while the program is built. Writes the page of the scenario format as a C array with
// a final NUL: embed_text FILE HEADER ARRAY > out.c
//
// A line "@model" stands for the options of that section that options.def tells of.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 256, WORDS_COLUMN = 22 };

typedef struct OptionText {
    const char *name, *section, *example, *words;
} OptionText;

static const OptionText options[] = {
#define STAGE_OPTION(name, KIND)
#define KEYED_OPTION(name, KIND, section, least, most, usual, example, words) \
    {#name, section, example, words},
#include "options.def"
#undef KEYED_OPTION
#undef STAGE_OPTION
};

static int column;

static void put(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++, column++)
        printf("%s'\\x%02x',", column % 16 == 0 ? "\n    " : " ", (unsigned char)text[i]);
}

// "  window: 4           words, in lines below each other"; an example that is long has its own line.
static void put_option(const OptionText *option)
{
    char key[LINE_BYTES], line[2 * LINE_BYTES];
    int used = snprintf(key, sizeof key, "  %s: %s", option->name, option->example);
    if (used >= WORDS_COLUMN) {
        put(key, (size_t)used);
        put("\n", 1);
        key[0] = '\0';
    }
    for (const char *words = option->words; *words;) {
        size_t length = strcspn(words, "\n");
        used = snprintf(line, sizeof line, "%-*s%.*s\n", WORDS_COLUMN, key, (int)length, words);
        put(line, (size_t)used);
        words += length + (words[length] == '\n');
        key[0] = '\0';
    }
}

static void put_line(const char *line)
{
    if (line[0] != '@') {
        put(line, strlen(line));
        return;
    }
    size_t length = strcspn(line + 1, "\n");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strlen(options[i].section) == length &&
            strncmp(options[i].section, line + 1, length) == 0)
            put_option(&options[i]);
}

int main(int argument_count, char **arguments)
{
    char line[LINE_BYTES];
    FILE *file = argument_count == 4 ? fopen(arguments[1], "rb") : NULL;
    if (!file)
        return EXIT_FAILURE;
    printf("#include \"%s\"\n\nconst char %s[] = {", arguments[2], arguments[3]);
    while (fgets(line, sizeof line, file))
        put_line(line);
    printf("\n    '\\0'};\n");
    fclose(file);
    return EXIT_SUCCESS;
}
