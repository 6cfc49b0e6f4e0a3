// attnscope: see multi-head attention happen.
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "app.h"
#include "app_exercise.h"
#include "app_words.def"
#include "arena.h"
#include "commit.h"
#include "place.h"

static int run(const AppCommand *command, int argc, char **argv)
{
    AppOptions options;
    if (!app_options(argc, argv, command->options, &options))
        return APP_MISUSED;
    if (!options.wants_help)
        return app_finish(command->run ? command->run(&options)
                                       : app_exercise_run(command, &options));
    app_print_command_help(command, stdout);
    return app_finish(APP_DONE);
}

// --- standard streams

// If a standard stream is closed, the next opened file would take its descriptor and receive our output. Opens closed
// ones first: input is empty, output fails to write (app_finish reports it), error output is dropped.
static void app_streams_open(void)
{
    // Writing to a read-only descriptor fails as on a closed one.
    static const int ways[] = {
        [STDIN_FILENO] = O_RDONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_WRONLY};
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", ways[stream]) != stream)
            _exit(1); // without /dev/null there is no way to report
}

// --- attnscope --version

// The version, the commit and the kernels. `doctor` reports the sandbox, because trying it starts two processes.
static void app_print_version(FILE *out)
{
    char kernels[128];
    fprintf(out, TELL(VERSION_PROGRAM), ATTNSCOPE_VERSION, ATTNSCOPE_COMMIT, kernel_choose()->name,
            app_kernel_names(kernels));
}

// --- the program

// Reports a requested kernel that is not available.
static bool isa_is_there(void)
{
    const char *wanted = getenv("ATTNSCOPE_ISA");
    if (!wanted || kernel_find(wanted))
        return true;
    char names[128];
    return app_refuse(TELL(ISA_UNKNOWN), wanted, app_kernel_names(names));
}

static int run_without_command(void)
{
    bool has_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (has_terminal)
        return app_course(&(AppOptions){.lang = app_language_asked()});
    app_print_help(false, stderr);
    return APP_MISUSED;
}

// Sets LC_CTYPE only, so that numbers keep their point. Without memory an existing locale would look missing: returns
// false.
static bool choose_locale(void)
{
    enum { FOR_A_LOCALE = 256 << 10 };
    if (!room_ahead(FOR_A_LOCALE))
        return false;
    if (!setlocale(LC_CTYPE, "") || strcmp(setlocale(LC_CTYPE, NULL), "C") == 0)
        setlocale(LC_CTYPE, "C.UTF-8");
    return true;
}

int main(int argc, char **argv)
{
    Error err = {.text = ""};
    place_begin(argv[0]);
    temporary_watch_signals();
    app_streams_open();
    if (!choose_locale())
        return app_fail(APP_FAILED, TELL(NO_MEMORY));
    if (!app_choose_language(&argc, argv, app_command))
        return APP_MISUSED;
    if (!room_on_stack(&err))
        return app_fail(APP_FAILED, "%s", err.text);
    if (argc < 2)
        return run_without_command();
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        app_print_help(false, stdout);
        return app_finish(APP_DONE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        app_print_version(stdout);
        return app_finish(APP_DONE);
    }
    const AppCommand *command = isa_is_there() ? app_find(argv[1]) : NULL;
    return command ? run(command, argc - 1, argv + 1) : APP_MISUSED;
}
