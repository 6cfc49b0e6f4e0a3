// attnscope trace: the stepper; without a terminal, the same walk as text.
#include "app.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "history_file.h"
#include "stepper_window.h"
#include "tui.h"

enum { COLUMNS_DEFAULT = 80, ROWS_DEFAULT = 24 };

// "100x30"; NULL is the classic 80x24.
static bool read_size(const char *text, int *columns, int *rows)
{
    *columns = COLUMNS_DEFAULT;
    *rows = ROWS_DEFAULT;
    if (!text)
        return true;
    char *rest;
    long wide = strtol(text, &rest, 10);
    long high = *rest == 'x' ? strtol(rest + 1, &rest, 10) : 0;
    bool fits =
        *rest == '\0' && wide >= 1 && wide <= TUI_COLUMNS_MAX && high >= 1 && high <= TUI_ROWS_MAX;
    *columns = (int)wide;
    *rows = (int)high;
    return fits;
}

static int run_script(Session *session, const AppOptions *options)
{
    int columns, rows;
    if (!read_size(options->size, &columns, &rows))
        return app_fail(APP_MISUSED,
                        "--size is columns x rows, 100x30 for example (at most %dx%d), not '%s'",
                        TUI_COLUMNS_MAX, TUI_ROWS_MAX, options->size);
    bool is_input = strcmp(options->script, "-") == 0;
    FILE *script = is_input ? stdin : fopen(options->script, "r");
    if (!script)
        return app_fail(APP_FAILED, "%s: %s", options->script, strerror(errno));
    Error err = {.text = ""};
    bool done = tui_script(session, script, columns, rows, stdout, &err);
    if (!is_input)
        fclose(script);
    return done ? APP_DONE : app_fail(APP_FAILED, "%s: %s", options->script, err.text);
}

static int step(const AppTrace *app, const AppOptions *options)
{
    Error err = {.text = ""};
    char history[HISTORY_PATH_MAX];
    bool has_history = history_file_path(history);
    Session session;
    StepperWindow window = {.shown = {.heatmap = {.trace = NULL}}};
    TuiCompanion companion = stepper_window_companion(&window);
    if (!session_open(&session, &app->scenario, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    int code = APP_DONE;
    if (options->script)
        code = run_script(&session, options);
    else if (!tui_run(&session, has_history ? history : NULL, &companion, &err))
        code =
            app_fail(APP_FAILED, "%s; attnscope print shows the same without a terminal", err.text);
    stepper_window_close(&window);
    session_close(&session);
    return code;
}

static int run(int argc, char **argv)
{
    AppOptions options;
    if (!app_options(argc, argv, "set text script size", &options))
        return APP_MISUSED;
    if (options.wants_help) {
        app_print_command_help(app_find("trace"), stdout);
        return app_finish_output();
    }
    AppTrace app;
    if (!app_open(&app, &options))
        return APP_FAILED;
    bool has_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    int code = options.script || has_terminal ? step(&app, &options)
                                              : app_print_walk(&app, NULL, NULL, stdout);
    app_close(&app);
    int written = app_finish_output();
    return code == APP_DONE ? written : code;
}

const AppCommand command_trace = {
    .name = "trace",
    .arguments = "SCENARIO|FILE.yaml [--script FILE [--size 100x30]]",
    .summary = "step through it in the terminal",
    .details = "  --script FILE   do what the file says and print the screens, without a terminal\n"
               "  --size WxH      the size of those screens\n"
               "  --text \"...\"    your own sentence instead of the scenario's input\n"
               "  --set KEY=VALUE change any field: --set attention.mask=causal\n"
               "\n"
               "In the stepper, ? shows every key. Without a terminal the walk is printed.\n",
    .run = run,
};
