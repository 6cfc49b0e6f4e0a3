// attnscope: see multi-head attention happen.
#include "app.h"

#include <locale.h>
#include <string.h>

int main(int argc, char **argv)
{
    // Words need LC_CTYPE; numbers keep their point in every country.
    if (!setlocale(LC_CTYPE, "") || strcmp(setlocale(LC_CTYPE, NULL), "C") == 0)
        setlocale(LC_CTYPE, "C.UTF-8");

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
    const AppCommand *command = app_find(argv[1]);
    return command ? command->run(argc - 1, argv + 1) : APP_MISUSED;
}
