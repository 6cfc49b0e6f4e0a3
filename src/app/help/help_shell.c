// help_shell: what completion in bash and in zsh have in common; see help_format.h.
#include "help_format.h"

#include <string.h>

// The kinds behind the bits, as words: "scenarios files".
static void put_names(unsigned names, FILE *out)
{
    const char *between = "";
    for (int i = 0; help_names(i); i++) {
        if (!(names & help_names(i)->names))
            continue;
        const char *own = help_names(i)->names == APP_NAMES_FILE ? "files" : "folders";
        fprintf(out, "%s%s", between, help_names(i)->kind ? help_names(i)->kind : own);
        between = " ";
    }
}

static void put_options(const AppCommand *command, FILE *out)
{
    const char *between = "";
    for (int i = 0; app_option(i); i++) {
        if (!app_option_fits(app_option(i), command))
            continue;
        fprintf(out, "%s--%s", between, app_option(i)->name);
        between = " ";
    }
}

static void put_command(const AppCommand *command, FILE *out)
{
    fprintf(out, "    %s)\n        options='", command->name);
    put_options(command, out);
    fprintf(out, "'\n        own='%s", command->words ? command->words : "");
    for (int i = 0; (command->names & APP_NAMES_COMMAND) && app_command(i); i++)
        fprintf(out, " %s", app_command(i)->name);
    fputs("'\n        names='", out);
    put_names(command->names, out);
    fprintf(out, "'\n        formats='%s'\n        ;;\n", command->formats ? command->formats : "");
}

void help_shell_cases(FILE *out)
{
    fputs("    local options='--help --version --lang' own= names= formats=\n"
          "    case $command in\n    '')\n        own='",
          out);
    for (int i = 0; app_command(i); i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", app_command(i)->name);
    fputs("'\n        ;;\n", out);
    for (int i = 0; app_command(i); i++)
        put_command(app_command(i), out);
    fputs("    esac\n    case $before in\n", out);
    for (int i = 0; app_option(i); i++) {
        const AppOption *option = app_option(i);
        if (option->kind == APP_OPTION_FLAG)
            continue;
        fprintf(out, "    --%s)\n        options= own=", option->name);
        fprintf(out, strcmp(option->name, "format") == 0 ? "$formats" : "'%s'",
                option->words ? option->words : "");
        fputs(" names='", out);
        put_names(option->names, out);
        fputs("'\n        ;;\n", out);
    }
    fputs("    esac\n", out);
}
