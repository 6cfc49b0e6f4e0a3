// app: the list of commands; see app.h.
#include "app.h"

#include <string.h>
#include "app_words.def"
#include "shown_name.h"

static const AppCommand *const commands[] = {
#define APP_COMMAND(name) &command_##name,
#include "app_commands.def"
#undef APP_COMMAND
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

const AppCommand *app_command(int number)
{
    return number >= 0 && number < COMMAND_COUNT ? commands[number] : NULL;
}

const AppCommand *app_find(const char *name)
{
    const char *names[COMMAND_COUNT + 1] = {NULL};
    for (int i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i]->name;
        if (strcmp(names[i], name) == 0)
            return commands[i];
    }
    const char *meant = nearest_word(name, names);
    if (meant)
        app_fail(APP_MISUSED, TELL(NO_COMMAND_MEANT), name, meant);
    else
        app_fail(APP_MISUSED, TELL(NO_COMMAND), name);
    return NULL;
}

int app_run(const AppCommand *command, int argc, char **argv)
{
    AppOptions options;
    if (!app_options(argc, argv, command->options, &options))
        return APP_MISUSED;
    if (!options.wants_help)
        return app_finish(command->run(&options));
    app_print_command_help(command, stdout);
    return app_finish(APP_DONE);
}

// Groups and commands in one list: a row is the title of a group, or a command of it.
static const struct {
    Words title;
    const AppCommand *command;
} rows[] = {
#define APP_GROUP(english, korean) {WORDS(english, korean), NULL},
#define APP_COMMAND(name) {WORDS("", ""), &command_##name},
#include "app_commands.def"
#undef APP_COMMAND
};

void app_print_help(bool all, FILE *out)
{
    const char *title = NULL;
    fprintf(out, "attnscope: %s\n", TELL(ABOUT));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const AppCommand *command = rows[i].command;
        if (!command) {
            title = words_tell(rows[i].title);
        } else if (all || command->is_first) {
            if (title)
                fprintf(out, "\n%s\n", title);
            title = NULL;
            fprintf(out, "  attnscope %-8s %s\n", command->name, words_tell(command->summary));
        }
    }
    if (!all)
        words_print(out, TELL(HELP_ALL_COMMANDS));
    words_print(out, TELL(HELP_TELLS));
}
