// Messages, a command's help, and the choice of language; see app.h.
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include "app.h"
#include "app_words.def"
#include "cells.h"
#include "utf8.h"
#include "error.h"

// --- messages, and lost output

int app_fail(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    output_say(format, arguments);
    va_end(arguments);
    return code;
}

bool app_refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    output_say(format, arguments);
    va_end(arguments);
    return false;
}

int app_result(bool good, const Error *err)
{
    return good ? APP_DONE : app_fail(APP_FAILED, "%s", err->text);
}

int app_finish(int code)
{
    Error err = {.text = ""};
    int written = app_result(output_finish(&err), &err);
    return code == APP_DONE ? written : code;
}

const char *app_kernel_names(char names[128])
{
    const Kernel *kernel;
    names[0] = '\0';
    for (int i = 0; (kernel = kernel_get(i)) != NULL; i++)
        text_add(names, 128, "%s%s", i ? ", " : "", kernel->name);
    return names;
}

// --- help in full

enum { LINE_BYTES = 512, PARAGRAPH_BYTES = 4096 };

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

// "    shape     the text"; further lines of the text are aligned below.
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

// The columns of the terminal, or 0 if it is none or has hardly any.
static int columns_of(FILE *out)
{
    enum { COLUMNS_MIN = 40 };
    struct winsize size;
    bool known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col >= COLUMNS_MIN;
    return known ? size.ws_col : 0;
}

// Where the text behind "  --name X   " begins, else the line's own.
static int text_column(const char *line)
{
    size_t start = strspn(line, " ");
    const char *gap = strstr(line + start, "  ");
    char before[LINE_BYTES];
    size_t bytes = gap ? (size_t)(gap - line) + strspn(gap, " ") : start;
    snprintf(before, sizeof before, "%.*s", (int)bytes, line);
    return utf8_width(before);
}

// Copies a line; returns what follows.
static const char *take_line(const char *text, char line[PARAGRAPH_BYTES])
{
    size_t length = strcspn(text, "\n");
    snprintf(line, PARAGRAPH_BYTES, "%.*s", (int)length, text);
    return text + length + (text[length] == '\n');
}

// True if the line goes on in the next one, which then begins where its text does.
static bool goes_on(const char *line, int indent, const char *next)
{
    size_t last = strlen(line) - 1, begins = strspn(next, " "), length = strcspn(next, "\n");
    const char *gap = strstr(next + begins, "  ");
    bool has_gap = gap && gap < next + length;
    return !strchr(".?:", line[last]) && begins == (size_t)indent && length > begins && !has_gap;
}

// Prints a line that is too wide, with those in which it goes on. Returns what follows.
static const char *put_folded(const char *text, int columns, FILE *out)
{
    enum { TEXT_COLUMN_MIN = 10 }; // less is the indentation of an example
    char line[PARAGRAPH_BYTES], next[PARAGRAPH_BYTES];
    text = take_line(text, line);
    int own = text_column(line), next_begins = (int)strspn(text, " ");
    bool is_column = next_begins >= TEXT_COLUMN_MIN && next_begins < columns;
    bool has_long_name = own < TEXT_COLUMN_MIN && is_column && line[next_begins - 1] == ' ';
    if (has_long_name || (is_column && next_begins < own))
        own = next_begins; // below the text of other names
    int indent = own > columns / 2 ? 0 : own;
    while (goes_on(line, own, text)) {
        text = take_line(text, next);
        text_add(line, sizeof line, " %s", next + own);
    }
    const char *at = line;
    for (int column = 0; *at; column = indent) {
        size_t bytes = cells_line_bytes(at, columns - column);
        fprintf(out, "%*s%.*s\n", column, "", (int)bytes, at);
        at += bytes + strspn(at + bytes, " ");
    }
    return text;
}

void app_put_lines(const char *text, FILE *out)
{
    int columns = columns_of(out);
    char line[PARAGRAPH_BYTES];
    while (columns > 0 && *text) {
        const char *next = take_line(text, line);
        if (utf8_width(line) > columns)
            next = put_folded(text, columns, out);
        else
            fprintf(out, "%s\n", line);
        text = next;
    }
    fputs(text, out); // for a terminal, nothing is left
}

void app_print_lines(FILE *out, const char *format, ...)
{
    char text[PARAGRAPH_BYTES];
    va_list arguments;
    va_start(arguments, format);
    if (columns_of(out) > 0) {
        vsnprintf(text, sizeof text, format, arguments);
        app_put_lines(text, out);
    } else {
        vfprintf(out, format, arguments);
    }
    va_end(arguments);
}

// The length of the first argument; spaces in brackets do not end it.
static size_t argument_length(const char *arguments)
{
    size_t length = 0;
    for (int depth = 0; arguments[length] && (depth > 0 || arguments[length] != ' '); length++)
        depth += (arguments[length] == '[') - (arguments[length] == ']');
    return length;
}

// Prints "attnscope walk [LECTURE] ...", wrapped.
static void print_usage(const AppCommand *command, FILE *out)
{
    enum { COLUMNS = 80, INDENT = 4 };
    int column = fprintf(out, "attnscope %s", command->name), terminal = columns_of(out);
    int columns = terminal > 0 && terminal < COLUMNS ? terminal : COLUMNS;
    for (const char *at = command->arguments; *at;) {
        int length = (int)argument_length(at);
        bool folds = column > INDENT && column + 1 + length > columns;
        column = folds ? INDENT + length : column + 1 + length;
        fprintf(out, folds ? "\n%*s%.*s" : "%*s%.*s", folds ? INDENT : 1, "", length, at);
        at += length;
        at += *at == ' ';
    }
}

static void put_plain(const char *text, FILE *out)
{
    fputs(text, out);
}

void app_print_command_help(const AppCommand *command, FILE *out)
{
    print_usage(command, out);
    fputs("\n\n", out);
    app_print_lines(out, "%s\n\n", words_tell(command->summary));
    char *text = NULL;
    size_t size;
    FILE *whole = open_memstream(&text, &size);
    bool is_whole = whole != NULL;
    if (whole) {
        app_put_details(command, put_plain, whole);
        is_whole = !ferror(whole);
        is_whole = fclose(whole) == 0 && is_whole;
    }
    if (is_whole)
        app_put_lines(text, out);
    else // without memory, lines stay as wide as they are
        app_put_details(command, put_plain, out);
    free(text);
}

// --- the language

static const char *asked;     // by --lang or ATTNSCOPE_LANG
static int of_workspace = -1; // -1: unknown

const char *app_language_asked(void)
{
    return asked;
}

void app_language_own(Language language)
{
    of_workspace = (int)language;
    if (!asked)
        language_choose(language);
}

// --- choosing it at startup, and inserting it into printed commands

static Language usual; // the default of commands without --lang
static const AppCommand *(*command_at)(int number);

// Removes words from the command line.
static int take_words(int argc, char **argv, int at, int count)
{
    memmove(argv + at, argv + at + count, (size_t)(argc - at - count + 1) * sizeof *argv);
    return argc - count;
}

static bool choose(const char *name, const char *where)
{
    int named = language_named(name);
    if (named < 0)
        return app_refuse(TELL(NO_LANGUAGE), where, name);
    language_choose((Language)named);
    asked = language_name((Language)named);
    setenv("ATTNSCOPE_LANG", asked, 1); // for child processes
    return true;
}

static bool takes_folder(const AppCommand *command)
{
    const char *options = command->options ? command->options : "";
    return strncmp(options, "dir", strlen("dir")) == 0 || strstr(options, " dir") != NULL;
}

// See words_ask_commands. Commands that take --dir use the workspace's language.
static const char *language_to_say(const char *word, size_t length)
{
    const AppCommand *command;
    for (int i = 0; (command = command_at(i)) != NULL; i++) {
        if (strlen(command->name) != length || strncmp(command->name, word, length) != 0)
            continue;
        int own = takes_folder(command) ? of_workspace : -1;
        Language chosen = own >= 0 ? (Language)own : usual;
        return chosen == language_now() ? NULL : language_name(language_now());
    }
    return NULL;
}

bool app_choose_language(int *argc, char **argv, const AppCommand *commands(int number))
{
    command_at = commands;
    const char *variable = getenv("ATTNSCOPE_LANG");
    usual = language_of_environment();
    language_choose(usual);
    words_ask_commands(language_to_say);
    bool good = !variable || !*variable || choose(variable, "ATTNSCOPE_LANG");
    for (int i = 1; good && i < *argc && strcmp(argv[i], "--") != 0;) {
        bool joined = strncmp(argv[i], "--lang=", strlen("--lang=")) == 0;
        if (!joined && strcmp(argv[i], "--lang") != 0) {
            i++;
            continue;
        }
        const char *name = joined ? argv[i] + strlen("--lang=") : argv[i + 1];
        good = name ? choose(name, "--lang") : false;
        if (!name)
            app_fail(APP_MISUSED, TELL(LANGUAGE_MISSING));
        if (good)
            *argc = take_words(*argc, argv, i, joined ? 1 : 2);
    }
    return good;
}
