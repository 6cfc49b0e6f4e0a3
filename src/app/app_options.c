// Command-line options (app_options.def), and opening the scenario that they name; see app.h.
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "app.h"
#include "app_exercise.h"
#include "app_words.def"
#include "arena.h"
#include "scenario_file.h"
#include "scenario_maps.h"
#include "tensor_file.h"

// --- options

static const char platforms[] =
#define GRADING_PLATFORM(x, ...) #x " "
#include "grading_platforms.def"
#undef GRADING_PLATFORM
    "";

static const AppOption all_options[] = {
#define APP_OPTION(KIND, field, name, names, words) \
    {name, offsetof(AppOptions, field), APP_OPTION_##KIND, names, words},
#include "app_options.def"
};

enum {
#define APP_OPTION(KIND, field, ...) NUMBER_##field,
#include "app_options.def"
    OPTION_COUNT,
    OPTION_FIRST = 256, // first value for getopt_long that is not a letter
};

enum { LARGE_BYTES = 256 * 1000 * 1000 }; // larger traces are announced

// True if `allowed` has the word `name`, or every command takes the option.
static bool is_allowed(const char *allowed, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = allowed; (at = strstr(at, name)) != NULL; at += length)
        if ((at == allowed || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return strcmp(name, "help") == 0 || strcmp(name, "lang") == 0 || strcmp(name, "threads") == 0 ||
           strcmp(name, "spill") == 0;
}

const AppOption *app_option(int number)
{
    return number < OPTION_COUNT ? &all_options[number] : NULL;
}

bool app_option_has_value(const AppOption *option)
{
    return option->kind != APP_OPTION_FLAG && option->kind != APP_OPTION_BACKWARD;
}

bool app_option_fits(const AppOption *option, const AppCommand *command)
{
    return is_allowed(command->options ? command->options : "", option->name);
}

static bool take_set(AppOptions *options, const char *value)
{
    if (options->request.set_count == APP_SETS_MAX)
        return app_refuse(TELL(SETS_MANY), APP_SETS_MAX);
    options->sets[options->request.set_count++] = value;
    return true;
}

// Makes the second text a --set: input.pair="...", quoted for YAML.
static bool take_pair(AppOptions *options, const char *text)
{
    enum { BYTES_MAX = 65536 };
    static char set[2 * BYTES_MAX + 16]; // too large for the stack
    char *at = set + snprintf(set, sizeof set, "input.pair=\"");
    if (strlen(text) >= BYTES_MAX)
        return app_refuse(TELL(PAIR_LONG));
    for (; *text; text++) {
        bool is_line = *text == '\n', is_tab = *text == '\t';
        if (*text == '"' || *text == '\\' || is_line || is_tab)
            *at++ = '\\';
        *at++ = is_line ? 'n' : is_tab ? 't' : *text;
    }
    memcpy(at, "\"", 2);
    return take_set(options, set);
}

static bool take_formula(AppOptions *options, const char *value)
{
    static char sets[SCENARIO_FORMULAS_MAX][SCENARIO_FORMULA_SET_MAX]; // too large for the stack
    Error err;
    if (options->formula_count == SCENARIO_FORMULAS_MAX)
        app_fail(APP_MISUSED, TELL(FORMULAS_MANY), SCENARIO_FORMULAS_MAX);
    else if (!scenario_formula_set(value, sets[options->formula_count], &err))
        app_fail(APP_MISUSED, "--formula: %s", err.text);
    else
        return take_set(options, sets[options->formula_count++]);
    return false;
}

static bool take_option(AppOptions *options, int option, const char *value)
{
    if (option == 'h') {
        options->wants_help = true;
        return true;
    }
    const AppOption *row = &all_options[option - OPTION_FIRST];
    char *place = (char *)options + row->place;
    if (app_option_has_value(row))
        memcpy(place, &value, sizeof value);
    else
        *(bool *)place = true;
    switch (row->kind) {
    case APP_OPTION_SET:
        return take_set(options, value);
    case APP_OPTION_PAIR:
        return take_pair(options, value);
    case APP_OPTION_FORMULA:
        return take_formula(options, value);
    case APP_OPTION_BACKWARD:
        return take_set(options, "backward=true");
    case APP_OPTION_TEXT:
    case APP_OPTION_FLAG:
        break;
    }
    return true;
}

static void list_options(struct option list[OPTION_COUNT + 1])
{
    for (int i = 0; i < OPTION_COUNT; i++)
        list[i] =
            (struct option){all_options[i].name,
                            app_option_has_value(&all_options[i]) ? required_argument : no_argument,
                            NULL, OPTION_FIRST + i};
    list[OPTION_COUNT] = (struct option){NULL, 0, NULL, 0};
}

// Somebody who writes `--compare --formula F` left out a value.
static bool is_option(const char *word)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (strncmp(word, "--", 2) == 0 && strcmp(word + 2, all_options[i].name) == 0)
            return true;
    return false;
}

bool app_read_number(AppRange range, const char *text, double *number)
{
    char *rest;
    if (!text)
        return true;
    *number = strtod(text, &rest);
    if (*text && *rest == '\0' && *number >= range.least && *number <= range.most &&
        (range.kind != APP_ABOVE || (float)*number > (float)range.least) &&
        (range.kind != APP_WHOLE || strspn(text, "-0123456789") == strlen(text)))
        return true;
    return app_refuse(range.kind == APP_WHOLE   ? TELL(OPTION_WHOLE)
                      : range.kind == APP_ABOVE ? TELL(OPTION_ABOVE)
                                                : TELL(OPTION_NUMBER),
                      range.name, range.least, range.most, text);
}

static bool read_threads(AppOptions *options)
{
    double number = 0.0;
    AppRange range = {"threads", 1, TEAM_THREADS_MAX, APP_WHOLE};
    bool good = app_read_number(range, options->threads_text, &number);
    options->threads = good ? (int)number : 0;
    return good;
}

bool app_options(int argc, char **argv, const char *allowed, AppOptions *options)
{
    *options = (AppOptions){.lang = app_language_asked()};
    options->request.sets = options->sets;
    struct option long_options[OPTION_COUNT + 1];
    list_options(long_options);
    opterr = 0;
    optind = 1;
    int number, option;
    while ((option = getopt_long(argc, argv, ":hj:", long_options, &number)) != -1) {
        const char *word = argv[optind - 1];
        if (option == 'j') // short for --jobs, as in make
            option = OPTION_FIRST + (number = NUMBER_jobs);
        if (option == ':')
            return app_refuse(TELL(OPTION_VALUE), argv[0], word);
        if (optarg == word && is_option(word))
            return app_refuse(TELL(OPTION_VALUE), argv[0], argv[optind - 2]);
        bool known =
            option == 'h' || (option != '?' && is_allowed(allowed, long_options[number].name));
        if (!known)
            return app_refuse(TELL(NO_OPTION), argv[0],
                              option == '?' ? word : long_options[number].name, argv[0]);
        if (!take_option(options, option, optarg))
            return false;
    }
    options->arguments = argv + optind;
    options->argument_count = argc - optind;
    options->request.text = options->text;
    options->request.what = options->argument_count > 0 ? options->arguments[0] : NULL;
    return read_threads(options);
}

// Builds the workspace's functions, and lists the replaced stages on standard error.
static bool open_learner(AppTrace *app, const AppOptions *options, TraceVariant *variant,
                         Error *err)
{
    app->mine = calloc(1, sizeof *app->mine);
    if (!app->mine)
        return error_set(err, TELL(NO_MEMORY));
    app->mine->scenario = &app->scenario;
    app->mine->language = options->lang;
    if (!app_learner_open(app->mine, options->mine, err))
        return false;
    *variant = app->mine->mine.variant;
    fprintf(stderr, TELL(MINE_RUN));
    for (int i = 0; i < app->mine->count; i++)
        fprintf(stderr, "%s %s", i ? "," : "", app->mine->names[i]);
    fputc('\n', stderr);
    return true;
}

static void close_learner(AppTrace *app)
{
    if (app->mine)
        app_learner_close(app->mine);
    free(app->mine);
    app->mine = NULL;
}

static bool parse_sequence(const char *text, ptrdiff_t *number, Error *err)
{
    char *end;
    *number = (ptrdiff_t)strtol(text, &end, 10);
    return (end != text && *end == '\0') || error_set(err, TELL(BATCH_NUMBER), "--batch", text);
}

// Opens attention maps, which exclude a scenario and its options.
static bool open_maps(Scenario *scenario, const AppOptions *options, Error *err)
{
    MapsRequest request = {.file = options->maps,
                           .words = options->words,
                           .query_words = options->query_words,
                           .axes = options->axes,
                           .has_batch = options->batch != NULL};
    const ScenarioRequest *other = &options->request;
    if (other->what || other->text || other->set_count > 0 || options->mistake ||
        options->compare || options->mine)
        return error_set(err, TELL(MAPS_ALONE));
    if (options->batch && !parse_sequence(options->batch, &request.batch, err))
        return false;
    return scenario_of_maps(scenario, &request, err);
}

static bool open_trace(AppTrace *app, const AppOptions *options, Error *err)
{
    if ((options->words || options->query_words || options->axes) && !options->maps)
        return error_set(err, TELL(WORDS_OF_MAPS));
    if (!(options->maps ? open_maps(&app->scenario, options, err)
                        : scenario_open(&app->scenario, &options->request, err)))
        return false;
    app->scenario.threads = options->threads;
    app->scenario.spill = options->spill;
    const Mistake *mistake = options->mistake ? mistake_find(options->mistake) : NULL;
    TraceVariant variant = {.stages = mistake ? mistake->stages : NULL};
    if (options->mine && !open_learner(app, options, &variant, err))
        return false;
    if (!trace_open_variant(&app->trace, &app->scenario, &variant, err))
        return false;
    char size[ROOM_TEXT_MAX];
    size_t bytes = trace_bytes(&app->trace);
    if (bytes >= LARGE_BYTES)
        fprintf(stderr, TELL(LARGE_TRACE), app->scenario.name, room_text(bytes, size));
    return true;
}

bool app_takes_one(const AppOptions *options)
{
    if (options->argument_count <= 1)
        return true;
    if (options->request.text)
        return app_refuse(TELL(TEXT_QUOTES), options->request.text, options->arguments[0]);
    return app_refuse(TELL(ONE_SCENARIO), options->arguments[0], options->arguments[1]);
}

bool app_needs_one(const AppOptions *options)
{
    bool has_one = options->request.what || options->request.text || options->maps;
    return app_takes_one(options) && (has_one || app_refuse(TELL(WHICH_SCENARIO)));
}

bool app_open(AppTrace *app, const AppOptions *options)
{
    Error err = {.text = ""};
    *app = (AppTrace){.scenario = {.name = NULL}};
    if (open_trace(app, options, &err))
        return true;
    app_fail(APP_FAILED, "%s", err.text);
    close_learner(app);
    scenario_finish(&app->scenario);
    return false;
}

void app_close(AppTrace *app)
{
    trace_close(&app->trace);
    close_learner(app);
    scenario_finish(&app->scenario);
}

// --- metadata of exported files

static const char *add(const char *all, const char *text, Arena *arena, Error *err)
{
    return all ? arena_format(arena, err, "%s%s%s", all, *all ? "; " : "", text) : NULL;
}

// Joins the --set lines, without formulas.
static const char *sets_of(const ScenarioRequest *request, Arena *arena, Error *err)
{
    const char *all = "";
    for (int i = 0; i < request->set_count; i++)
        if (!scenario_set_is_formula(request->sets[i]))
            all = add(all, request->sets[i], arena, err);
    return all;
}

static const char *formulas_of(const Scenario *scenario, Arena *arena, Error *err)
{
    const char *all = "";
    for (int i = 0; i < scenario->formula_count; i++)
        all = add(all, scenario->formulas[i].text, arena, err);
    return all;
}

const FileNote *app_notes(const AppTrace *app, const char *beside, Arena *arena, Error *err)
{
    enum { NOTES_MAX = 8 };
    const Scenario *scenario = &app->scenario;
    const ScenarioRequest *request = &scenario->request;
    FileNote *notes = arena_take(arena, NOTES_MAX, sizeof *notes, err), *next = notes;
    const char *sets = sets_of(request, arena, err);
    const char *formulas = formulas_of(scenario, arena, err);
    if (!notes || !sets || !formulas)
        return NULL;
    *next++ = (FileNote){"attnscope", ATTNSCOPE_VERSION};
    *next++ = (FileNote){"scenario", scenario->name};
    if (scenario->document)
        *next++ = (FileNote){"document", scenario->document};
    if (scenario->seed)
        *next++ = (FileNote){"manual_seed", scenario->seed};
    if (*sets)
        *next++ = (FileNote){"set", sets};
    if (*formulas)
        *next++ = (FileNote){"formula", formulas};
    if (request->text)
        *next++ = (FileNote){"text", request->text};
    if (beside)
        *next++ = (FileNote){"compare", beside};
    return notes;
}
