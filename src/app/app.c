// app: the list of commands; see app.h.
#include "app.h"

#include <string.h>
#include "nearest.h"
#include "app_words.h"

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

void app_print_help(FILE *out)
{
    fprintf(out, "attnscope: %s\n\n", TELL(ABOUT));
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  attnscope %-8s %s\n", commands[i]->name, words_tell(commands[i]->summary));
    words_print(out, TELL(HELP_TELLS));
}
