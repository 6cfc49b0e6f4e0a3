// app_options: command-line options, and opening what they name; see app.h.
#include "app.h"

#include <getopt.h>
#include <string.h>

enum {
    OPTION_SET = 256,
    OPTION_TEXT,
    OPTION_STAGE,
    OPTION_TENSOR,
    OPTION_FORMAT,
    OPTION_SCRIPT,
    OPTION_SIZE
};

static const struct option long_options[] = {
    {"set", required_argument, NULL, OPTION_SET},
    {"text", required_argument, NULL, OPTION_TEXT},
    {"stage", required_argument, NULL, OPTION_STAGE},
    {"tensor", required_argument, NULL, OPTION_TENSOR},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"script", required_argument, NULL, OPTION_SCRIPT},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

// True when `name` is one of the words of `allowed`.
static bool is_allowed(const char *allowed, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = allowed; (at = strstr(at, name)) != NULL; at += length)
        if ((at == allowed || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return strcmp(name, "help") == 0;
}

static bool take_set(AppOptions *options, const char *value)
{
    if (options->request.set_count == APP_SETS_MAX) {
        app_fail(APP_MISUSED, "more than %d --set options", APP_SETS_MAX);
        return false;
    }
    options->sets[options->request.set_count++] = value;
    return true;
}

static bool take_option(AppOptions *options, int option, const char *value)
{
    switch (option) {
    case OPTION_SET:
        return take_set(options, value);
    case OPTION_TEXT:
        options->request.text = value;
        return true;
    case OPTION_STAGE:
        options->stage = value;
        return true;
    case OPTION_TENSOR:
        options->tensor = value;
        return true;
    case OPTION_FORMAT:
        options->format = value;
        return true;
    case OPTION_SCRIPT:
        options->script = value;
        return true;
    case OPTION_SIZE:
        options->size = value;
        return true;
    default:
        options->wants_help = true;
        return true;
    }
}

bool app_options(int argc, char **argv, const char *allowed, AppOptions *options)
{
    *options = (AppOptions){.wants_help = false};
    options->request.sets = options->sets;
    opterr = 0;
    optind = 1;
    int number, option;
    while ((option = getopt_long(argc, argv, ":h", long_options, &number)) != -1) {
        const char *word = argv[optind - 1];
        if (option == ':') {
            app_fail(APP_MISUSED, "%s: %s wants a value", argv[0], word);
            return false;
        }
        bool known =
            option == 'h' || (option != '?' && is_allowed(allowed, long_options[number].name));
        if (!known) {
            app_fail(APP_MISUSED, "%s has no option %s; attnscope help %s lists them", argv[0],
                     option == '?' ? word : long_options[number].name, argv[0]);
            return false;
        }
        if (!take_option(options, option, optarg))
            return false;
    }
    options->arguments = argv + optind;
    options->argument_count = argc - optind;
    options->request.what = options->argument_count > 0 ? options->arguments[0] : NULL;
    return true;
}

bool app_open(AppTrace *app, const AppOptions *options)
{
    Error err = {.text = ""};
    *app = (AppTrace){.scenario = {.name = NULL}};
    if (!options->request.what && !options->request.text) {
        app_fail(APP_MISUSED, "which scenario? attnscope list shows them, or name a .yaml file");
        return false;
    }
    if (scenario_open(&app->scenario, &options->request, &err) &&
        trace_open(&app->trace, &app->scenario, &err))
        return true;
    app_fail(APP_FAILED, "%s", err.text);
    scenario_finish(&app->scenario);
    return false;
}

void app_close(AppTrace *app)
{
    trace_close(&app->trace);
    scenario_finish(&app->scenario);
}
