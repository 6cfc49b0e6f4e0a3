// app_options: command-line options, and opening what they name; see app.h.
#include "app.h"
#include "app_mine.h"

#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "room.h"

// An option that is only written down: where to.
typedef struct PlainOption {
    const char *name;
    size_t place;
    bool is_flag; // a bool, without a value
} PlainOption;

static const PlainOption plain_options[] = {
    {"text", offsetof(AppOptions, request.text), false},
    {"stage", offsetof(AppOptions, stage), false},
    {"tensor", offsetof(AppOptions, tensor), false},
    {"format", offsetof(AppOptions, format), false},
    {"script", offsetof(AppOptions, script), false},
    {"size", offsetof(AppOptions, size), false},
    {"batch", offsetof(AppOptions, batch), false},
    {"head", offsetof(AppOptions, head), false},
    {"map", offsetof(AppOptions, map), false},
    {"scale", offsetof(AppOptions, scale), false},
    {"mode", offsetof(AppOptions, mode), false},
    {"at", offsetof(AppOptions, at), false},
    {"title", offsetof(AppOptions, title), false},
    {"letters", offsetof(AppOptions, letters), false},
    {"png", offsetof(AppOptions, png), false},
    {"compare", offsetof(AppOptions, compare), false},
    {"csv", offsetof(AppOptions, csv), false},
    {"threads", offsetof(AppOptions, threads_text), false},
    {"spill", offsetof(AppOptions, spill), false},
    {"peer", offsetof(AppOptions, peer), false},
    {"require-fence", offsetof(AppOptions, requires_fence), true},
    {"json", offsetof(AppOptions, json), true},
    {"short", offsetof(AppOptions, is_short), true},
    {"lang", offsetof(AppOptions, lang), false},
    {"mistake", offsetof(AppOptions, mistake), false},
    {"html", offsetof(AppOptions, html), false},
    {"present", offsetof(AppOptions, presents), true},
    {"notes", offsetof(AppOptions, notes), true},
    {"mean", offsetof(AppOptions, mean), true},
    {"dir", offsetof(AppOptions, dir), false},
    {"seed", offsetof(AppOptions, seed), false},
    {"mine", offsetof(AppOptions, mine), false},
    {"dark", offsetof(AppOptions, dark), true},
    {"help", offsetof(AppOptions, wants_help), true},
};

enum {
    PLAIN_COUNT = sizeof plain_options / sizeof *plain_options,
    OPTION_PLAIN = 256, // and its number in plain_options
    OPTION_SET = OPTION_PLAIN + PLAIN_COUNT,
};

enum { LARGE_BYTES = 256 * 1000 * 1000 }; // from here on a trace's size is said before it is taken

// True when `name` is one of the words of `allowed`, or an option of every command.
static bool is_allowed(const char *allowed, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = allowed; (at = strstr(at, name)) != NULL; at += length)
        if ((at == allowed || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return strcmp(name, "help") == 0 || strcmp(name, "threads") == 0 || strcmp(name, "spill") == 0;
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
    if (option == OPTION_SET)
        return take_set(options, value);
    if (option == 'h') {
        options->wants_help = true;
        return true;
    }
    const PlainOption *plain = &plain_options[option - OPTION_PLAIN];
    char *place = (char *)options + plain->place;
    if (plain->is_flag)
        *(bool *)place = true;
    else
        memcpy(place, &value, sizeof value);
    return true;
}

static void list_options(struct option list[PLAIN_COUNT + 2])
{
    for (int i = 0; i < PLAIN_COUNT; i++)
        list[i] = (struct option){plain_options[i].name,
                                  plain_options[i].is_flag ? no_argument : required_argument, NULL,
                                  OPTION_PLAIN + i};
    list[PLAIN_COUNT] = (struct option){"set", required_argument, NULL, OPTION_SET};
    list[PLAIN_COUNT + 1] = (struct option){NULL, 0, NULL, 0};
}

static bool read_threads(AppOptions *options)
{
    if (!options->threads_text)
        return true;
    char *rest;
    long number = strtol(options->threads_text, &rest, 10);
    options->threads = (int)number;
    if (*rest == '\0' && number >= 1 && number <= TEAM_THREADS_MAX)
        return true;
    app_fail(APP_MISUSED, "--threads is a whole number from 1 to %d, not '%s'", TEAM_THREADS_MAX,
             options->threads_text);
    return false;
}

bool app_options(int argc, char **argv, const char *allowed, AppOptions *options)
{
    *options = (AppOptions){.wants_help = false};
    options->request.sets = options->sets;
    struct option long_options[PLAIN_COUNT + 2];
    list_options(long_options);
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
    return read_threads(options);
}

// The functions of a workspace; on standard error, which stages they are.
static bool open_mine(AppTrace *app, const AppOptions *options, TraceWay *way, Error *err)
{
    app->mine = calloc(1, sizeof *app->mine);
    if (!app->mine)
        return error_set(err, "no memory");
    app->mine->scenario = &app->scenario;
    app->mine->language = options->lang;
    if (!app_mine_open(app->mine, options->mine, err))
        return false;
    *way = app->mine->mine.way;
    fprintf(stderr, "attnscope: your functions run as");
    for (int i = 0; i < app->mine->count; i++)
        fprintf(stderr, "%s %s", i ? "," : "", app->mine->names[i]);
    fputc('\n', stderr);
    return true;
}

static void close_mine(AppTrace *app)
{
    if (app->mine)
        app_mine_close(app->mine);
    free(app->mine);
    app->mine = NULL;
}

static bool open_trace(AppTrace *app, const AppOptions *options, Error *err)
{
    if (!scenario_open(&app->scenario, &options->request, err))
        return false;
    app->scenario.threads = options->threads;
    app->scenario.spill = options->spill;
    const Mistake *mistake = options->mistake ? mistake_find(options->mistake) : NULL;
    TraceWay way = {.stages = mistake ? mistake->stages : NULL};
    if (options->mine && !open_mine(app, options, &way, err))
        return false;
    if (!trace_open_way(&app->trace, &app->scenario, &way, err))
        return false;
    char size[ROOM_TEXT_MAX];
    size_t bytes = trace_bytes(&app->trace);
    if (bytes >= LARGE_BYTES)
        fprintf(stderr, "attnscope: %s: keeping every tensor takes %s\n", app->scenario.name,
                room_text(bytes, size));
    return true;
}

bool app_takes_one(const AppOptions *options)
{
    if (options->argument_count <= 1)
        return true;
    if (options->request.text)
        app_fail(APP_MISUSED, "a sentence stands in quotes: --text \"%s %s ...\"",
                 options->request.text, options->arguments[0]);
    else
        app_fail(APP_MISUSED, "one scenario at a time: '%s' is one name more than '%s'",
                 options->arguments[1], options->arguments[0]);
    return false;
}

bool app_open(AppTrace *app, const AppOptions *options)
{
    Error err = {.text = ""};
    *app = (AppTrace){.scenario = {.name = NULL}};
    if (!options->request.what && !options->request.text) {
        app_fail(APP_MISUSED, "which scenario? attnscope list shows them, or name a .yaml file");
        return false;
    }
    if (open_trace(app, options, &err))
        return true;
    app_fail(APP_FAILED, "%s", err.text);
    close_mine(app);
    scenario_finish(&app->scenario);
    return false;
}

void app_close(AppTrace *app)
{
    trace_close(&app->trace);
    close_mine(app);
    scenario_finish(&app->scenario);
}
