// list_code: runs during the build and writes the table of stage_code.h.
//
//   list_code SCORE,SCALE,... FILE.c ... > stage_codes.c
//
// For each stage it copies part of the section that contains STAGE_run, or RUN_ON_...(STAGE) which defines it:
// from the section's first function (with the comment before it) up to there. A section begins at a comment
// "// --- ", or with the file.
// It relies on clang-format's layout: a function begins with "static " and ends with "}" in the first
// column.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES_MAX = 512, LINES_MAX = 2000, CODES_MAX = 300 };

typedef struct File {
    char lines[LINES_MAX][LINE_BYTES_MAX];
    int count;
} File;

static File file;

static bool read_file(const char *path)
{
    FILE *in = fopen(path, "r");
    file.count = 0;
    if (!in)
        return false;
    while (file.count < LINES_MAX && fgets(file.lines[file.count], LINE_BYTES_MAX, in)) {
        char *line = file.lines[file.count++];
        line[strcspn(line, "\n")] = '\0';
    }
    fclose(in);
    return file.count > 0 && file.count < LINES_MAX;
}

static bool begins_with(const char *line, const char *start)
{
    return strncmp(line, start, strlen(start)) == 0;
}

// The line where the section with this line begins.
static int section_of(int line)
{
    while (line > 0 && !begins_with(file.lines[line], "// --- "))
        line--;
    return line;
}

// The first line of a function's definition, from this line on; a declaration of data has no "(".
static int first_function(int from)
{
    for (int line = from; line < file.count; line++)
        if (begins_with(file.lines[line], "static ") && strchr(file.lines[line], '(') &&
            !strchr(file.lines[line], '='))
            return line;
    return -1;
}

// The line that begins to define the stage's run function; -1: it is in another file.
static int line_of_run(const char *stage)
{
    char function[LINE_BYTES_MAX + 32], macro[LINE_BYTES_MAX + 32];
    snprintf(function, sizeof function, "static bool %s_run(", stage);
    snprintf(macro, sizeof macro, "(%s)", stage);
    for (int line = 0; line < file.count; line++) {
        const char *text = file.lines[line];
        if (begins_with(text, function) ||
            (begins_with(text, "RUN_ON_") && strcmp(text + strcspn(text, "("), macro) == 0))
            return line;
    }
    return -1;
}

static void write_line(const char *line)
{
    fputs("    \"", stdout);
    for (const char *at = line; *at; at++)
        printf(*at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    fputs("\",\n", stdout);
}

// The text of one stage; the table follows all texts.
typedef struct Code {
    char name[LINE_BYTES_MAX], file[LINE_BYTES_MAX];
    int first, count;
} Code;

// Writes the lines of the open file's section up to the line `end`.
static void write_code(int end, const char *path, Code *code)
{
    const char *slash = strrchr(path, '/');
    int start = first_function(section_of(end));
    while (start > 0 && begins_with(file.lines[start - 1], "//"))
        start--;
    while (end > start && strcmp(file.lines[end - 1], "}") != 0)
        end--;
    printf("static const char *const %s[] = {\n", code->name);
    for (int line = start; line < end; line++)
        write_line(file.lines[line]);
    puts("};\n");
    snprintf(code->file, sizeof code->file, "%s", slash ? slash + 1 : path);
    code->first = start + 1;
    code->count = end - start;
}

// Looks through the files for the stage code->name.
static bool write_stage(char **paths, Code *code)
{
    for (; *paths; paths++) {
        int end = read_file(*paths) ? line_of_run(code->name) : -1;
        if (end >= 0 && first_function(section_of(end)) < end) {
            write_code(end, *paths, code);
            return true;
        }
    }
    fprintf(stderr, "no file has a function before the run function of \"%s\"\n", code->name);
    return false;
}

// Collects the code of all stages of the list. Returns their number, or -1 if one is missing.
static int write_all(char *list, char **paths, Code codes[CODES_MAX])
{
    int count = 0;
    bool good = true;
    for (char *name = strtok(list, ","); good && name && count < CODES_MAX;
         name = strtok(NULL, ",")) {
        snprintf(codes[count].name, LINE_BYTES_MAX, "%s", name);
        good = write_stage(paths, &codes[count++]);
    }
    return good && count < CODES_MAX ? count : -1;
}

int main(int argument_count, char **arguments)
{
    static Code codes[CODES_MAX];
    if (argument_count < 3)
        return EXIT_FAILURE;
    puts("#include \"stage_code.h\"\n");
    int count = write_all(arguments[1], arguments + 2, codes);
    puts("const StageCode stage_codes[] = {");
    for (int i = 0; i < count; i++)
        printf("    {\"%s\", \"%s\", %d, %s, %d},\n", codes[i].name, codes[i].file, codes[i].first,
               codes[i].name, codes[i].count);
    printf("};\n\nconst int stage_code_count = %d;\n", count);
    return count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
