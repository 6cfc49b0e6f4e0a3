// worker_build: a learner's file and the library of its exercise become a program.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker_cache.h"
#include "worker_internal.h"

extern char **environ;

enum { COMPILE_SECONDS = 20, ARGUMENTS_MAX = 24, ENVIRONMENT_MAX = 512, NAME_MAX_SHOWN = 200 };

// `-u` makes a main in the learner's file an error; otherwise it would quietly take our place.
static const char *const flags[] = {"-std=c11",
                                    "-g",
                                    "-Wall",
                                    "-Wextra",
                                    "-pipe",
                                    "-ffp-contract=off",
                                    "-fno-omit-frame-pointer",
                                    "-Wl,-u,attnscope_worker"};

static const char *const sanitizing[] = {"-fsanitize=address,undefined",
                                         "-fno-sanitize-recover=undefined"};

typedef struct Compile {
    const WorkerBuild *build;
    WorkerCache *cache;
    const char *compiler, *library;
    bool sanitize;
} Compile;

// The person's own environment, except for what decides the language of the compiler's words and
// where it keeps files while it works.
static void fill_environment(char *environment[ENVIRONMENT_MAX], char *place)
{
    static const char *const ours[] = {"LC_ALL=", "LANGUAGE=", "TMPDIR=", "GCC_COLORS="};
    int count = 0;
    for (char **entry = environ; *entry && count < ENVIRONMENT_MAX - 4; entry++) {
        bool is_ours = false;
        for (int i = 0; i < 4; i++)
            is_ours = is_ours || strncmp(*entry, ours[i], strlen(ours[i])) == 0;
        if (!is_ours)
            environment[count++] = *entry;
    }
    environment[count++] = place;
    environment[count++] = (char *)"LC_ALL=C.UTF-8";
    environment[count] = NULL;
}

// Runs the compiler; its exit status, -1 with a sentence when it had to be ended.
static int compile(const Compile *what, char *said, Error *err)
{
    char optimise[8], headers[WORKER_PATH_MAX + 2], program[WORKER_PATH_MAX + 16];
    char place[WORKER_PATH_MAX + 8], *environment[ENVIRONMENT_MAX];
    char *command[ARGUMENTS_MAX] = {(char *)what->compiler};
    int count = 1;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        command[count++] = (char *)flags[i];
    for (int i = 0; i < 2 && what->sanitize; i++)
        command[count++] = (char *)sanitizing[i];
    snprintf(optimise, sizeof optimise, "-O%d", what->build->optimisation);
    command[count++] = optimise;
    snprintf(headers, sizeof headers, "-I%s", what->build->header_folder);
    if (what->build->header_folder)
        command[count++] = headers;
    snprintf(program, sizeof program, "%s/program", what->cache->build);
    command[count++] = (char *)what->build->source;
    command[count++] = (char *)what->library;
    command[count++] = (char[]){"-lm"};
    command[count++] = (char[]){"-o"};
    command[count++] = program;
    snprintf(place, sizeof place, "TMPDIR=%s", what->cache->build);
    fill_environment(environment, place);
    return keeper_run_tool(command, environment, COMPILE_SECONDS, said, WORKER_SAID_MAX, err);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// The name that the linker found twice; "" when that is not what is wrong.
static const char *defined_twice(const char *said, char name[64])
{
    static const char *const ways[] = {"multiple definition of `", "duplicate symbol: "};
    name[0] = '\0';
    for (int i = 0; i < 2 && !name[0]; i++) {
        const char *found = strstr(said, ways[i]);
        if (found)
            snprintf(name, 64, "%.*s", (int)strcspn(found + strlen(ways[i]), "'\n"),
                     found + strlen(ways[i]));
    }
    return name;
}

static bool refuse(const WorkerBuild *build, const WorkerProgram *program, Error *err)
{
    const char *name = file_name(build->source);
    char twice[64];
    if (strcmp(defined_twice(program->said, twice), "main") == 0)
        return error_set(err,
                         "%s has a main of its own: take it out, the program that calls your "
                         "function brings one",
                         name);
    if (twice[0])
        return error_set(err,
                         "%s defines %s, but the program that calls your function does so already: "
                         "give yours another name",
                         name, twice);
    if (strstr(program->said, "undefined reference") || strstr(program->said, "undefined symbol"))
        return error_set(err,
                         "%s does not define a function that is called; is its name spelled as in "
                         "the task?",
                         name);
    const char *first = strstr(program->said, "error: ");
    bool more = first && strstr(first + 1, "error: ");
    return error_set(err, "%s does not compile%s", name,
                     more ? ": mend the first error first, others may follow from it" : "");
}

static bool lacks_sanitizer(const char *said)
{
    return strstr(said, "asan") || strstr(said, "ubsan") || strstr(said, "-fsanitize");
}

// Compiles with what is asked for, or without sanitizers where the compiler has none.
static bool make(Compile *what, WorkerProgram *program, Error *err)
{
    char *plain = malloc(WORKER_SAID_MAX);
    if (!plain)
        return error_set(err, "no memory for what the compiler says");
    int status = compile(what, program->said, err);
    program->sanitized = what->sanitize && status == 0;
    if (status > 0 && what->sanitize && lacks_sanitizer(program->said)) {
        what->sanitize = false;
        int again = compile(what, plain, err);
        if (again == 0)
            snprintf(
                program->said, WORKER_SAID_MAX,
                "note: %.*s has no AddressSanitizer here; crashes are told with fewer words\n%.*s",
                NAME_MAX_SHOWN, what->compiler, WORKER_SAID_MAX - 2 * NAME_MAX_SHOWN, plain);
        status = again;
    }
    free(plain);
    if (status < 0)
        return error_prefix(err, "%s: ", file_name(what->build->source));
    return status == 0 || refuse(what->build, program, err);
}

bool worker_build(const WorkerBuild *build, WorkerProgram *program, Error *err)
{
    WorkerCache cache;
    char library[WORKER_PATH_MAX], used[64];
    memset(program, 0, sizeof *program);
    snprintf(used, sizeof used, "1 %d %d", build->sanitize, build->optimisation);
    if (!worker_place_compiler(build->compiler, program->compiler, err) ||
        !worker_place_library(build->exercise, library, err) ||
        !worker_cache_open(&cache, build, program->compiler, library, used, err))
        return false;
    if (worker_cache_find(&cache, program))
        return true;
    Compile what = {build, &cache, program->compiler, library, build->sanitize};
    bool kept = worker_cache_begin(&cache, err) && make(&what, program, err) &&
                worker_cache_keep(&cache, program, err);
    worker_cache_end(&cache);
    return kept;
}
