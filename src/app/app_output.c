// Messages, a command's help, and the choice of language; see app.h.
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "app.h"
#include "app_words.def"
#include "written.h"

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
        snprintf(names + strlen(names), 128 - strlen(names), "%s%s", i ? ", " : "", kernel->name);
    return names;
}

// --- help in full

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

static void put_plain(const char *text, FILE *out)
{
    fputs(text, out);
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
