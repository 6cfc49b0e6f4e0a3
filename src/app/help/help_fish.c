// help_fish: completion of words in fish.
#include "help_format.h"

#include <string.h>

// In quotes for fish.
static void put_quoted(const char *text, FILE *out)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

// What is offered for these names, each as words of `complete`.
static void put_names(unsigned names, const char *before, FILE *out)
{
    for (int i = 0; help_names(i); i++) {
        if (!(names & help_names(i)->names))
            continue;
        fputs(before, out);
        if (help_names(i)->kind)
            fprintf(out, " -a '(attnscope list %s --format names)'\n", help_names(i)->kind);
        else if (help_names(i)->names == APP_NAMES_FILE)
            fputs(" -F\n", out);
        else
            fputs(" -a '(__fish_complete_directories)'\n", out);
    }
}

static void put_option(const AppOption *option, const AppCommand *command, FILE *out)
{
    char before[256];
    const char *words = strcmp(option->name, "format") == 0 ? command->formats : option->words;
    bool has_value = option->kind != APP_OPTION_FLAG;
    snprintf(before, sizeof before,
             "complete -c attnscope -n '__fish_seen_subcommand_from %s' -l %s%s", command->name,
             option->name, has_value ? " -r" : "");
    if (option->names) {
        put_names(option->names, before, out);
        return;
    }
    fputs(before, out);
    if (has_value && words)
        fprintf(out, " -a '%s'", words);
    fputc('\n', out);
}

static void put_command(const AppCommand *command, FILE *out)
{
    char before[256];
    fprintf(out, "complete -c attnscope -n __attnscope_no_command -a %s -d ", command->name);
    put_quoted(words_tell(command->summary), out);
    fputc('\n', out);
    snprintf(before, sizeof before, "complete -c attnscope -n '__fish_seen_subcommand_from %s'",
             command->name);
    if (command->words)
        fprintf(out, "%s -a '%s'\n", before, command->words);
    for (int i = 0; (command->names & APP_NAMES_COMMAND) && app_command(i); i++)
        fprintf(out, "%s -a %s\n", before, app_command(i)->name);
    put_names(command->names, before, out);
    for (int i = 0; app_option(i); i++)
        if (app_option_fits(app_option(i), command))
            put_option(app_option(i), command, out);
}

static void print(const HelpPage *page, FILE *out)
{
    (void)page;
    fputs("# Completion for attnscope in fish: attnscope help --format fish\n"
          "function __attnscope_no_command\n    not __fish_seen_subcommand_from",
          out);
    for (int i = 0; app_command(i); i++)
        fprintf(out, " %s", app_command(i)->name);
    fputs("\nend\n"
          "complete -c attnscope -f\n"
          "complete -c attnscope -n __attnscope_no_command -l help\n"
          "complete -c attnscope -n __attnscope_no_command -l version\n"
          "complete -c attnscope -n __attnscope_no_command -l lang -r -a 'en ko'\n",
          out);
    for (int i = 0; app_command(i); i++)
        put_command(app_command(i), out);
}

const HelpFormat help_fish = {.name = "fish", .has_pages = false, .print = print};
