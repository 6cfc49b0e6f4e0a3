// list_code: runs while the program is built, and writes the table of stage_code.h or mistake_code.h.
//
//   list_code stage STAGE.c ... > stage_codes.c
//   list_code mistake MISTAKE.c ... > mistake_codes.c
//
// Of each file it takes the lines from the first function (with the comment before it) up to the
// function `run` of a stage, or up to where a mistake tells its origin. It counts on the layout that
// clang-format gives: a function begins with "static " and ends with "}" in the first column.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES_MAX = 512, LINES_MAX = 1000 };

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

// The first line of a function's definition; a declaration of data has no "(".
static int first_function(void)
{
    for (int line = 0; line < file.count; line++)
        if (begins_with(file.lines[line], "static ") && strchr(file.lines[line], '(') &&
            !strchr(file.lines[line], '='))
            return line;
    return -1;
}

static int line_of(const char *start)
{
    for (int line = 0; line < file.count; line++)
        if (begins_with(file.lines[line], start))
            return line;
    return -1;
}

static void write_line(const char *line)
{
    fputs("    \"", stdout);
    for (const char *at = line; *at; at++)
        printf(*at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    fputs("\",\n", stdout);
}

// "../src/stages/score.c" -> "score"
static const char *stage_name(const char *path, char name[LINE_BYTES_MAX])
{
    const char *slash = strrchr(path, '/');
    const char *start = slash ? slash + 1 : path;
    snprintf(name, LINE_BYTES_MAX, "%.*s", (int)strcspn(start, "."), start);
    return name;
}

// Writes a file's lines; *first and *count are for the table that comes after all of them.
static bool write_code(const char *path, const char *up_to, int *first, int *count)
{
    char name[LINE_BYTES_MAX];
    if (!read_file(path) || first_function() < 0 || line_of(up_to) < 0) {
        fprintf(stderr, "%s: no function before \"%s\"\n", path, up_to);
        return false;
    }
    int start = first_function(), end = line_of(up_to);
    while (start > 0 && begins_with(file.lines[start - 1], "//"))
        start--;
    while (end > start && strcmp(file.lines[end - 1], "}") != 0)
        end--;
    printf("static const char *const %s[] = {\n", stage_name(path, name));
    for (int line = start; line < end; line++)
        write_line(file.lines[line]);
    puts("};\n");
    *first = start + 1;
    *count = end - start;
    return true;
}

int main(int argument_count, char **arguments)
{
    char name[LINE_BYTES_MAX];
    int *first = calloc((size_t)argument_count, sizeof *first);
    int *count = calloc((size_t)argument_count, sizeof *count);
    bool good = first && count && argument_count > 2;
    const char *kind = good ? arguments[1] : "";
    const char *up_to = strcmp(kind, "stage") == 0 ? "static bool run(" : "static void origin";
    printf("#include \"%s_code.h\"\n\n", kind);
    for (int i = 2; good && i < argument_count; i++)
        good = write_code(arguments[i], up_to, &first[i], &count[i]);
    printf("const StageCode %s_codes[] = {\n", kind);
    for (int i = 2; good && i < argument_count; i++) {
        stage_name(arguments[i], name);
        printf("    {\"%s\", %d, %s, %d},\n", name, first[i], name, count[i]);
    }
    printf("};\n\nconst int %s_code_count = %d;\n", kind, argument_count - 2);
    free(first);
    free(count);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
