// Builds a program from a learner's file and the exercise's library.
#include "worker_build.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fence.h"
#include "worker_internal.h"

// --- why a file does not compile

// Finds the name in one of these messages of compiler or linker. Returns false if there is none.
typedef struct Phrase {
    const char *before, *after;
} Phrase;

#define PHRASE(NAME, before, after) static const Phrase NAME = {before, after};
#include "worker_phrases.def"

static bool says(const char *said, const Phrase *phrase, char name[64])
{
    const char *found = strstr(said, phrase->before);
    for (; found; found = strstr(found, phrase->before)) {
        found += strlen(phrase->before);
        size_t length = strcspn(found, "'\n ");
        const char *end = strstr(found, phrase->after);
        length = end && (size_t)(end - found) < length ? (size_t)(end - found) : length;
        snprintf(name, 64, "%.*s", (int)length, found);
        if (strncmp(found + length, phrase->after, strlen(phrase->after)) == 0)
            return true;
    }
    return false;
}

// The linker misses a function: the exercise's own, which exercise_call calls, or another.
static bool explain_lacking(Language language, const char *file, const char *said, const char *name,
                            Error *err)
{
    char unused[64];
    const char *ours = strstr(said, "`exercise_call'"), *found = strstr(said, lacking.before);
    bool is_static = (says(said, &unused_gcc, unused) || says(said, &unused_clang, unused)) &&
                     strcmp(unused, name) == 0;
    const char *sentence = !ours || ours > found ? TELL_IN(language, CALLED_UNDEFINED)
                           : is_static           ? TELL_IN(language, DEFINED_STATIC)
                                                 : TELL_IN(language, NOT_DEFINED);
    return error_set(err, sentence, file, name);
}

static bool explain(Language column, const char *name, const char *said, Error *err)
{
    Language language = language_beside(column);
    char named[64];
    bool is_twice = says(said, &twice, named) || says(said, &twice_elsewhere, named);
    if (is_twice && strcmp(named, "main") == 0)
        return error_set(err, TELL_IN(language, HAS_MAIN), name);
    if (is_twice)
        return error_set(err, TELL_IN(language, DEFINED_TWICE), name, named);
    if (says(said, &lacking, named))
        return explain_lacking(language, name, said, named, err);
    if (strstr(said, lacking_elsewhere.before))
        return error_set(err, TELL_IN(language, LACKS_SOMETHING), name);
    const char *first = strstr(said, "error: ");
    bool more = first && strstr(first + 1, "error: ");
    return more ? error_set(err, TELL_IN(language, NOT_COMPILED_MORE), name)
                : error_set(err, TELL_IN(language, NOT_COMPILED), name);
}

// --- worker_build

extern char **environ;

enum {
    COMPILE_SECONDS = 8,
    ARGUMENTS_MAX = 48 + WORKER_OPTIONS,
    ENVIRONMENT_MAX = 64,
    NAME_MAX_SHOWN = 200
};

// `-u` makes a main in the learner's file an error; otherwise it would silently replace ours. From gcc's DWARF 5,
// addr2line 2.40 tells a line of attnscope.h as one of the learner's file.
static const char *const flags[] = {"-std=c11",
                                    "-D_DEFAULT_SOURCE", // M_PI, as without -std
                                    "-gdwarf-4",
                                    "-Wall",
                                    "-Wextra",
                                    "-pipe",
                                    "-ffp-contract=off",
                                    "-fno-omit-frame-pointer",
                                    "-Wl,-u,attnscope_worker",
                                    "-MD",
                                    "-MF",
                                    CACHE_READ};

// Skipping the search for the sanitizers' dependencies halves the linker's time.
static const char *const sanitizing[] = {
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=undefined",
#ifdef __linux__
    "-Wl,--allow-shlib-undefined",
#endif
};

// Takes half the time of the usual linker, and again half if gcc starts it by these specs: without collect2 and a
// plugin, and with libraries by their paths, as it would read each folder where one may lie. What cannot be linked so,
// the usual linker links or explains. It warns of clang's sanitizers, so only gcc uses it.
#define QUICK_SPECS "quick.specs"
static const char quick_specs[] =
    "*link_command:\n%s %s %%(link) %%{!no-pie:-pie} %%{o*} %%S %%o"
    " libm.so.6%%s libgcc.a%%s libc.so.6%%s libc_nonshared.a%%s %%E\n";
static const char quick_specs_sanitizing[] =
    "*link_command:\n%s %s %%(link) %%{!no-pie:-pie} %%{o*} %%S libasan_preinit.o%%s %%o"
    " libasan.so%%s libubsan.so%%s libm.so.6%%s libgcc.a%%s libc.so.6%%s libc_nonshared.a%%s"
    " %%E\n";

// The quicker one first. gold otherwise lists every folder of libraries, and maps the sanitizers' whole files: half its
// page faults.
static const struct {
    const char *name, *options;
} quick_linkers[] = {
    {"ld.gold", "-nostdlib --no-map-whole-files --no-mmap-output-file"},
    {"ld.bfd", "-nostdlib"},
};

// Uninitialised variables hold different bits in the two programs, so that results that depend on them differ. The
// sanitized one is not optimised, which halves its time; so gcc's plain one keeps such reads, and alone warns of them.
// clang's pattern is NaN, also its default. NULL-terminated.
static const char *const filling_gcc[] = {"-ftrivial-auto-var-init=pattern", "-w", NULL};
static const char *const filling_gcc_plain[] = {
    "-ftrivial-auto-var-init=zero",
    "-fno-tree-ccp",
    "-fno-tree-copy-prop",
    "-fno-tree-fre",
    "-fno-tree-vrp",
    "-fno-var-tracking", // a sixth of the time; lines stay
    NULL};
static const char *const filling_clang[] = {"-ftrivial-auto-var-init=pattern",
                                            "-Wconditional-uninitialized", NULL};
static const char *const filling_clang_plain[] = {"-Xclang", "-ftrivial-auto-var-init=zero", NULL};
static const char *const filling_none[] = {NULL};

typedef struct Compile {
    const CacheMade *made;
    WorkerCache *cache;
    bool sanitize;
    bool fills;    // fills uninitialised variables with a pattern
    bool is_quick; // with one of quick_linkers
    bool is_known; // a known program of ours instead of the submission
    ToolEnd end;
    int spent; // milliseconds of CPU time, all attempts
} Compile;

#define KNOWN_SOURCE "known.c"

// The environment's settings for the compiler's search paths, and nothing else of it: language and working folder are
// ours. The quick linker stops at a folder of libraries that the fence closes.
static bool fill_environment(const Compile *what, char *environment[ENVIRONMENT_MAX], Arena *arena,
                             Error *err)
{
    static const char *const theirs[] = {
        "LIBRARY_PATH=",   "PATH=",    "LD_LIBRARY_PATH=", "CPATH=",
        "C_INCLUDE_PATH=", "SDKROOT=", "DEVELOPER_DIR=",   "NIX_"};
    int count = 0;
    for (char **entry = environ; *entry && count < ENVIRONMENT_MAX - 4; entry++)
        for (size_t i = what->is_quick; i < sizeof theirs / sizeof *theirs; i++)
            if (strncmp(*entry, theirs[i], strlen(theirs[i])) == 0 && count < ENVIRONMENT_MAX - 4)
                environment[count++] = *entry;
    environment[count++] = arena_text(arena, "TMPDIR=" CACHE_SCRATCH, err);
    environment[count++] = arena_text(arena, "LC_ALL=C.UTF-8", err);
    environment[count++] = arena_text(arena, "CCACHE_DISABLE=1", err);
    environment[count] = NULL;
    return environment[count - 1] && environment[count - 2] && environment[count - 3];
}

static bool is_clang(const char *compiler)
{
#ifdef __APPLE__
    return true; // whatever its name
#else
    char whole[PATH_MAX];
    return strstr(path_name(realpath(compiler, whole) ? whole : compiler), "clang") != NULL;
#endif
}

static const char *const *filling_of(const char *compiler, bool is_watched)
{
    if (is_clang(compiler))
        return is_watched ? filling_clang : filling_clang_plain;
    return is_watched ? filling_gcc : filling_gcc_plain;
}

// The compiler's command line; NULL without memory. Debuggers and __FILE__ see the learner's own path.
static char **command_of(const Compile *what, Arena *arena, Error *err)
{
    const CacheMade *made = what->made;
    char **command = arena_take(arena, ARGUMENTS_MAX, sizeof *command, err);
    char *options = arena_take(arena, WORKER_OPTIONS_MAX, 1, err);
    if (!command || !options)
        return NULL;
    command[0] = (char *)made->compiler;
    int count = 1 + worker_place_options(made->build->compiler, options, command + 1);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        command[count++] = (char *)flags[i];
    for (size_t i = 0; what->sanitize && i < sizeof sanitizing / sizeof *sanitizing; i++)
        command[count++] = (char *)sanitizing[i];
    static char specs[] = "-specs=" QUICK_SPECS, is_pie[] = "-fPIE";
    if (what->is_quick) {
        command[count++] = specs;
        command[count++] = is_pie; // whatever gcc's default
    }
    const char *const *fills =
        what->fills ? filling_of(made->compiler, made->build->sanitize) : filling_none;
    for (size_t i = 0; fills[i]; i++)
        command[count++] = (char *)fills[i];
    const char *const rest[] = {
        arena_format(arena, err, "-O%d", what->sanitize ? 0 : made->build->optimisation),
        arena_format(arena, err, "-ffile-prefix-map=%s=/", what->cache->build),
        arena_format(arena, err, "-ffile-prefix-map=" CACHE_COPY "=%s", worker_cache_root(made)),
        "-I" CACHE_HEADER,
        "-x",
        "c", // whatever its extension: compilers take .C and .cpp as C++
        what->is_known ? KNOWN_SOURCE
                       : arena_format(arena, err, CACHE_COPY "/%s", made->copy->files[0].path),
        "-x",
        "none",
        made->library,
        "-o",
        CACHE_PROGRAM,
        "-lm"}; // the quick linker's is in its specs
    for (size_t i = 0; i < sizeof rest / sizeof *rest - what->is_quick; i++)
        if (!(command[count++] = (char *)rest[i]))
            return NULL;
    return command;
}

// Runs the compiler. Returns false and sets err if the machine could not.
static bool compile(Compile *what, char *said, Error *err)
{
    Arena arena = {0};
    char *environment[ENVIRONMENT_MAX], *readable[TOOLCHAIN_MAX + 3];
    const Toolchain *toolchain = what->made->toolchain;
    int count = toolchain->count, seconds = what->made->build->seconds;
    memcpy(readable, toolchain->paths, (size_t)count * sizeof *readable);
    readable[count++] = (char *)what->made->library;
    readable[count++] = what->cache->build;
    readable[count] = NULL;
    char **command = command_of(what, &arena, err);
    const char *writable = arena_format(&arena, err, "%s/" CACHE_SCRATCH, what->cache->build);
    Tool tool = {.command = command,
                 .environment = environment,
                 .readable = readable,
                 .folder = what->cache->build,
                 .writable = writable,
                 .seconds = seconds ? seconds : COMPILE_SECONDS};
    bool ran = command && writable && fill_environment(what, environment, &arena, err) &&
               keeper_run_tool(&tool, said, WORKER_SAID_MAX, &what->end, err);
    what->spent += what->end.milliseconds;
    arena_finish(&arena);
    return ran;
}

// Words of a compiler that lacks an option or library.
typedef enum CompilerPart { PART_SANITIZER, PART_FILLING } CompilerPart;

static bool lacks(CompilerPart part, const char *said)
{
    static const struct {
        CompilerPart part;
        const char *named;
    } rows[] = {
#define LACKING_PART(part, named) {part, named},
#include "worker_phrases.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].part == part && strstr(said, rows[i].named))
            return true;
    return false;
}

// Replaces `old` by `new` at the start of paths; cuts off what no longer fits.
static void replace_folder(char said[WORKER_SAID_MAX], const char *old, const char *new)
{
    size_t from = strlen(old), to = strlen(new);
    for (char *at = strstr(said, old); at; at = strstr(at, old)) {
        bool is_inside = at > said && (isalnum((unsigned char)at[-1]) || strchr("/._-", at[-1]));
        if (strlen(said) + to >= WORKER_SAID_MAX + from)
            said[WORKER_SAID_MAX - 1 + from - to] = '\0';
        if (strlen(at) < from)
            return;
        if (!is_inside) {
            memmove(at + to, at + from, strlen(at + from) + 1);
            memcpy(at, new, to);
        }
        at += is_inside ? from : to;
    }
}

// Replaces the copies' paths in the output, to keep this machine's folders private.
static void hide_folders(const Compile *what, char said[WORKER_SAID_MAX])
{
    char whole[WORKER_PATH_MAX + 1];
    worker_words_without_echo(said);
    worker_words_without_dump(said);
    snprintf(whole, sizeof whole, "%s/", what->cache->build);
    replace_folder(said, whole, "");
    snprintf(whole, sizeof whole, "%s/", what->made->copy->root);
    replace_folder(said, whole, CACHE_COPY "/");
}

// Replaces CACHE_COPY by the learner's own path: a cached program serves everyone with the same files.
static void show_own_paths(const WorkerCopy *copy, char said[WORKER_SAID_MAX])
{
    replace_folder(said, CACHE_COPY "/", copy->shown);
    worker_words_printable(said);
}

// True if there is a program now; otherwise sets err.
static bool judge_end(const Compile *what, WorkerProgram *program, Error *err)
{
    const WorkerBuild *build = what->made->build;
    snprintf(program->fence, sizeof program->fence, "%s, %s", fence_recorded(FENCE_PART_COPY),
             what->end.fence);
    program->fence_parts = what->end.parts;
    program->end = what->end.status == 0 ? WORKER_BUILD_DONE
                   : what->end.used_up   ? WORKER_BUILD_ENDLESS
                                         : WORKER_BUILD_REFUSED;
    if (program->end == WORKER_BUILD_ENDLESS)
        return error_set(err, TELL(COMPILE_ENDLESS), path_name(build->source),
                         build->seconds ? build->seconds : COMPILE_SECONDS);
    for (Language language = 0; what->end.status != 0 && language < LANGUAGES; language++)
        explain(language, path_name(build->source), program->said, &program->why[language]);
    if (what->end.status != 0)
        *err = program->why[LANGUAGE_ENGLISH];
    return what->end.status == 0;
}

// --- who is to blame if there is none

// A known program that takes slightly more memory to compile than an exercise.
static bool write_known(FILE *file)
{
    enum { NUMBERS = 40000 }; // 7 MB of gcc's memory
    bool written = fputs("#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
                         "#include <string.h>\n"
                         "extern const int attnscope_worker;\n"
                         "const int attnscope_worker = 1;\n"
                         "extern const double room[];\n"
                         "const double room[] = {0",
                         file) >= 0;
    for (int i = 0; written && i < NUMBERS; i++)
        written = fprintf(file, ",\n%d.5", i) > 0;
    return written && fputs("};\nint main(void) { return 0; }\n", file) >= 0;
}

// True if the known program compiles the same way here; else `said` is the compiler's output.
static bool known_compiles(const Compile *what, char *said, Error *err)
{
    char path[WORKER_PATH_MAX + sizeof KNOWN_SOURCE];
    Compile known = *what;
    known.is_known = true;
    snprintf(path, sizeof path, "%s/" KNOWN_SOURCE, what->cache->build);
    FILE *file = fopen(path, "w");
    bool written = file && write_known(file);
    if (file && fclose(file) != 0)
        written = false;
    if (!written)
        return error_unwritten(err, errno, path);
    if (!compile(&known, said, err) || known.end.status == 0)
        return known.end.status == 0;
    return error_set(err, TELL(COMPILER_FAILS), (int)strcspn(said, "\n"), said);
}

// Finds a linker whose path has nothing that specs take for their own, and that is not known to fail. -1: none.
static int find_quick_linker(const Compile *what, char linker[WORKER_PATH_MAX])
{
    int i = 0, count = sizeof quick_linkers / sizeof *quick_linkers;
    while (i < count && !worker_place_program(quick_linkers[i].name, linker))
        i++;
    bool fits = i < count && !strpbrk(linker, " %*{}\\") &&
                !worker_cache_link_fails(what->cache, what->made, linker);
    return fits ? i : -1;
}

static bool write_specs(const Compile *what, int number, const char *linker)
{
    char path[WORKER_PATH_MAX + sizeof QUICK_SPECS];
    const char *specs = what->sanitize ? quick_specs_sanitizing : quick_specs;
    snprintf(path, sizeof path, "%s/" QUICK_SPECS, what->cache->build);
    FILE *file = fopen(path, "w");
    bool written = file && fprintf(file, specs, linker, quick_linkers[number].options) > 0;
    return file && fclose(file) == 0 && written;
}

// Compiles with the usual linker what failed with the quick one. If that helps, and a known program fails with the
// quick one too (musl has other libraries than its specs name), no other submission of that day tries it.
static bool compile_slowly(Compile *what, const char *linker, char *said, Error *err)
{
    Error unused;
    Compile quick = *what;
    what->is_quick = false;
    if (!compile(what, said, err))
        return false;
    if (what->end.status != 0)
        return true;
    if (!known_compiles(&quick, said, &unused))
        worker_cache_note_link_fails(what->cache, what->made, linker);
    return compile(what, said, err); // the known program took its place
}

// Compiles. If the compiler stops without naming a position, the machine may be at fault: then compiles a known
// program, and tries the file again.
static bool compile_surely(Compile *what, char *said, Error *err)
{
    char linker[WORKER_PATH_MAX] = "";
    int number = is_clang(what->made->compiler) ? -1 : find_quick_linker(what, linker);
    what->is_quick = number >= 0 && write_specs(what, number, linker);
    bool ran = compile(what, said, err);
    bool is_again = ran && what->is_quick && what->end.status != 0 && !what->end.used_up;
    if (!ran || (is_again && !compile_slowly(what, linker, said, err)))
        return false;
    what->is_quick = false;
    bool lacks_part = (what->sanitize && lacks(PART_SANITIZER, said)) ||
                      (what->fills && lacks(PART_FILLING, said));
    bool is_placed = false; // "scale.c:3:5: error: "
    for (const char *at = strstr(said, ": error: "); at; at = strstr(at + 1, ": error: "))
        is_placed |= at > said && isdigit((unsigned char)at[-1]);
    if (what->end.status == 0 || what->end.used_up || lacks_part || is_placed)
        return true;
    if (!known_compiles(what, said, err) || !compile(what, said, err))
        return false;
    return what->end.status == 0 || *said || error_set(err, TELL(COMPILER_ENDED));
}

// Compiles as requested, or without sanitizers if the compiler has none.
static bool make(Compile *what, WorkerProgram *program, Error *err)
{
    char *plain = malloc(WORKER_SAID_MAX);
    if (!plain)
        return error_set(err, TELL(SAID_MEMORY));
    bool ran = compile_surely(what, program->said, err);
    if (ran && what->end.status > 0 && what->fills && lacks(PART_FILLING, program->said)) {
        what->fills = false;
        ran = compile_surely(what, program->said, err);
    }
    program->sanitized = what->sanitize && what->end.status == 0;
    if (ran && what->end.status > 0 && what->sanitize && lacks(PART_SANITIZER, program->said)) {
        what->sanitize = false;
        ran = compile_surely(what, plain, err);
        if (ran && what->end.status == 0)
            snprintf(program->said, WORKER_SAID_MAX, TELL(NO_SANITIZER), NAME_MAX_SHOWN,
                     what->made->compiler, WORKER_SAID_MAX - 2 * NAME_MAX_SHOWN, plain);
    }
    free(plain);
    program->milliseconds = what->spent;
    if (!ran)
        return error_prefix(err, "%s: ", path_name(what->made->build->source));
    hide_folders(what, program->said);
    if (what->end.status != 0)
        show_own_paths(what->made->copy, program->said);
    if (!worker_words_shorten_lines(program->said))
        return error_set(err, TELL(SAID_MEMORY));
    return judge_end(what, program, err);
}

// Checks the submission before a compiler sees it.
static bool look_at(const WorkerBuild *build, WorkerCopy *copy, WorkerProgram *program, Error *err)
{
    char line[WORKER_TEXT_MAX] = "";
    bool accepted = worker_copy_open(copy, build, err);
    if (accepted) {
        worker_includes_place(copy);
        accepted = worker_includes_check(copy, line, err);
    }
    snprintf(program->said, sizeof program->said, "%s", line);
    if (!accepted)
        program->end = err->of_machine ? WORKER_BUILD_FAILED : WORKER_BUILD_REFUSED;
    return accepted;
}

// Makes a path absolute, for the compiler's folder.
static bool make_whole(char path[WORKER_PATH_MAX], Error *err)
{
    char here[WORKER_PATH_MAX], whole[2 * WORKER_PATH_MAX];
    if (path[0] == '/')
        return true;
    if (!getcwd(here, sizeof here))
        return error_set(err, TELL(FOLDER_NAMELESS), error_reason(errno));
    if (snprintf(whole, sizeof whole, "%s/%s", here, path) >= WORKER_PATH_MAX)
        return error_set(err, TELL(PATH_LONG), here, path);
    strcpy(path, whole);
    return true;
}

// Finds and reads everything that a program is built from.
typedef struct Making {
    WorkerCopy copy;
    Toolchain toolchain;
    char library[WORKER_PATH_MAX];
    CacheMade made;
} Making;

static bool making_open(Making *making, const WorkerBuild *build, WorkerProgram *program,
                        Error *err)
{
    *making = (Making){.library = ""};
    memset(program, 0, sizeof *program);
    making->made =
        (CacheMade){build, &making->copy, &making->toolchain, program->compiler, making->library};
    return look_at(build, &making->copy, program, err) &&
           worker_place_compiler(build->compiler, program->compiler, err) &&
           worker_place_library(build->exercise, making->library, err) &&
           make_whole(program->compiler, err) && make_whole(making->library, err) &&
           toolchain_open(&making->toolchain, program->compiler, err);
}

static void making_close(Making *making)
{
    toolchain_close(&making->toolchain);
    worker_copy_close(&making->copy);
}

bool worker_build(const WorkerBuild *build, WorkerProgram *program, Error *err)
{
    Making making;
    WorkerCache cache = {.name = ""};
    Compile what = {
        .made = &making.made, .cache = &cache, .sanitize = build->sanitize, .fills = true};
    bool built = making_open(&making, build, program, err) &&
                 worker_cache_open(&cache, &making.made, err) &&
                 (worker_cache_find(&cache, program) ||
                  (worker_cache_begin(&cache, &making.made, err) && make(&what, program, err) &&
                   worker_cache_keep(&cache, &making.made, program, err)));
    if (built)
        show_own_paths(&making.copy, program->said);
    worker_cache_end(&cache);
    making_close(&making);
    return built;
}

bool worker_digest(const WorkerBuild *build, char digest[WORKER_DIGEST_MAX], Error *err)
{
    Making making;
    WorkerProgram *program = malloc(sizeof *program);
    if (!program)
        return error_machine(err, TELL(SAID_MEMORY));
    strcpy(digest, "attnscope");
    bool good =
        making_open(&making, build, program, err) && worker_digest_mix(digest, &making.made, err);
    making_close(&making);
    free(program);
    return good;
}
