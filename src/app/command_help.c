// attnscope help: the commands, one command, or the scenario format.
#include "app.h"

#include <string.h>
#include "scenario_format.h"

static int run(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-') {
        app_print_help(stdout);
    } else if (strcmp(argv[1], "scenario") == 0) {
        fputs(scenario_format_text, stdout);
    } else {
        const AppCommand *command = app_find(argv[1]);
        if (!command)
            return APP_MISUSED;
        app_print_command_help(command, stdout);
    }
    return app_finish_output();
}

const AppCommand command_help = {
    .name = "help",
    .arguments = "[COMMAND|scenario]",
    .summary = "about a command; 'help scenario' is the format of scenario files",
    .details = "attnscope help scenario   how to write a scenario of your own\n",
    .run = run,
};
