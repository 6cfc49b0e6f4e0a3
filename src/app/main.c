// attnscope: see multi-head attention happen.
#include "app.h"
#include "app_streams.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "place.h"
#include "temporary.h"

// A kernel asked for and not there is said, not silently another.
static bool isa_is_there(void)
{
    const char *wanted = getenv("ATTNSCOPE_ISA");
    if (!wanted || kernel_find(wanted))
        return true;
    char names[128] = "";
    const Kernel *kernel;
    for (int i = 0; (kernel = kernel_get(i)) != NULL; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 kernel->name);
    app_fail(APP_MISUSED, "ATTNSCOPE_ISA is '%s', but this machine and this build have: %s", wanted,
             names);
    return false;
}

// `attnscope --lang ko walk 01` is `attnscope walk --lang ko 01`: moves the option behind the command
// and returns what then stands first. *language becomes the option's value.
static int move_language(int argc, char **argv, const char **language)
{
    bool joined = argc > 1 && strncmp(argv[1], "--lang=", 7) == 0;
    int words = joined ? 1 : argc > 2 && strcmp(argv[1], "--lang") == 0 ? 2 : 0;
    char *option[2] = {argc > 1 ? argv[1] : NULL, argc > 2 ? argv[2] : NULL};
    if (words > 0)
        *language = joined ? argv[1] + 7 : argv[2];
    if (words == 0 || argc <= words + 1)
        return 1 + words;
    argv[1] = argv[1 + words];
    for (int i = 0; i < words; i++)
        argv[2 + i] = option[i];
    return 1;
}

static int run_without_command(const char *language)
{
    bool has_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (!app_knows_language(language))
        return APP_MISUSED;
    if (has_terminal)
        return app_course(&(AppOptions){.lang = language});
    app_print_help(stderr);
    return APP_MISUSED;
}

int main(int argc, char **argv)
{
    place_begin(argv[0]);
    temporary_watch_signals();
    app_streams_open();
    // Words need LC_CTYPE; numbers keep their point in every country.
    if (!setlocale(LC_CTYPE, "") || strcmp(setlocale(LC_CTYPE, NULL), "C") == 0)
        setlocale(LC_CTYPE, "C.UTF-8");

    const char *language = NULL;
    int first = move_language(argc, argv, &language);
    if (argc <= first)
        return run_without_command(language);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        app_print_help(stdout);
        return app_finish_output();
    }
    if (strcmp(argv[1], "--version") == 0) {
        app_print_version(stdout);
        return app_finish_output();
    }
    const AppCommand *command = isa_is_there() ? app_find(argv[1]) : NULL;
    return command ? command->run(argc - 1, argv + 1) : APP_MISUSED;
}
