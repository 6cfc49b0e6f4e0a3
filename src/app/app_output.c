// What the program says to the person: sentences, and what help tells of a command; see app.h.
#include <assert.h>
#include <stdarg.h>
#include <string.h>
#include "app.h"
#include "written.h"

// --- sentences, and whether what was said arrived

int app_fail(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    output_say(format, arguments);
    va_end(arguments);
    return code;
}

int app_finish(int code)
{
    Error err = {.text = ""};
    int written = output_finish(&err) ? APP_DONE : app_fail(APP_FAILED, "%s", err.text);
    return code == APP_DONE ? written : code;
}

// --- what a command's help tells in full

enum { LINE_BYTES = 512 };

// A row's name is its first line.
static int name_length(const AppList *list, int row)
{
    return (int)strcspn(words_tell(list->rows[row]), "\n");
}

static int widest_name(const AppList *list)
{
    int widest = 0;
    for (int i = 0; i < list->count; i++)
        widest = name_length(list, i) > widest ? name_length(list, i) : widest;
    return widest;
}

// "    shape     what the reference says"; further lines of the text stand below its first.
static void put_row(const AppList *list, int row, AppPut *put, FILE *out)
{
    char line[LINE_BYTES];
    const char *name = words_tell(list->rows[row]), *text = name + name_length(list, row);
    int length = name_length(list, row), width = widest_name(list);
    for (text += *text == '\n'; *text || length > 0; length = 0) {
        int bytes = (int)strcspn(text, "\n");
        snprintf(line, sizeof line, "    %-*.*s%s%.*s\n", bytes > 0 ? width : 0, length, name,
                 bytes > 0 ? "  " : "", bytes, text);
        put(line, out);
        text += bytes + (text[bytes] == '\n');
    }
}

static void put_list(const AppList *list, const char *name, AppPut *put, FILE *out)
{
    while (strcmp(list->name, name) != 0) {
        list++;
        assert(list->name);
    }
    for (int i = 0; i < list->count; i++)
        put_row(list, i, put, out);
}

void app_put_details(const AppCommand *command, AppPut *put, FILE *out)
{
    char line[LINE_BYTES];
    for (const char *at = words_tell(command->details); *at;) {
        int length = (int)strcspn(at, "\n");
        bool is_list = *at == '@';
        snprintf(line, sizeof line, "%.*s%s", length - is_list, at + is_list,
                 is_list || !at[length] ? "" : "\n");
        if (is_list)
            put_list(command->lists, line, put, out);
        else
            put(line, out);
        at += length + (at[length] == '\n');
    }
}

static void put_plain(const char *text, FILE *out)
{
    fputs(text, out);
}

// The end of the first argument: a space within brackets ends none.
static size_t argument_length(const char *arguments)
{
    size_t length = 0;
    for (int depth = 0; arguments[length] && (depth > 0 || arguments[length] != ' '); length++)
        depth += (arguments[length] == '[') - (arguments[length] == ']');
    return length;
}

// "attnscope walk [LECTURE] ...", folded.
static void print_usage(const AppCommand *command, FILE *out)
{
    enum { COLUMNS = 80, INDENT = 4 };
    int column = fprintf(out, "attnscope %s", command->name);
    for (const char *at = command->arguments; *at;) {
        int length = (int)argument_length(at);
        bool folds = column > INDENT && column + 1 + length > COLUMNS;
        column = folds ? INDENT + length : column + 1 + length;
        fprintf(out, folds ? "\n%*s%.*s" : "%*s%.*s", folds ? INDENT : 1, "", length, at);
        at += length;
        at += *at == ' ';
    }
}

void app_print_command_help(const AppCommand *command, FILE *out)
{
    print_usage(command, out);
    fprintf(out, "\n\n%s\n\n", words_tell(command->summary));
    app_put_details(command, put_plain, out);
}
