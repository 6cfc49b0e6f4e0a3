// attnscope: see multi-head attention happen.
#include "app.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

int main(int argc, char **argv)
{
    // Words need LC_CTYPE; numbers keep their point in every country.
    if (!setlocale(LC_CTYPE, "") || strcmp(setlocale(LC_CTYPE, NULL), "C") == 0)
        setlocale(LC_CTYPE, "C.UTF-8");

    if (argc < 2 && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
        return app_course(&(AppOptions){.lang = NULL});
    if (argc < 2) {
        app_print_help(stderr);
        return APP_MISUSED;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        app_print_help(stdout);
        return app_finish_output();
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("attnscope %s\n", ATTNSCOPE_VERSION);
        return app_finish_output();
    }
    const AppCommand *command = isa_is_there() ? app_find(argv[1]) : NULL;
    return command ? command->run(argc - 1, argv + 1) : APP_MISUSED;
}
