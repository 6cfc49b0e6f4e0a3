// attnscope-judge: judges a learner's program and writes what it found as JSON.
//
//   attnscope-judge EXERCISE --program WORKER --out FILE [--seed N] [--second WORKER]
//                            [--chain EXERCISE=WORKER]... [--case FILE] [--time-limit MILLISECONDS]
//                            [--arguments SENTENCE --arguments-korean SENTENCE]
//                            [--kept LINE] [--unset-line LINE --unset-name NAME]
//
// Runs as its own process, so that a failure costs one verdict. Exit status: 0 if a verdict was written, whatever it
// says; 1 if not; 2 for wrong usage.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "arena.h"
#include "grade_internal.h"
#include "place.h"

extern char **environ;

enum { LINKS_MAX = 32 };

typedef struct Asked {
    const GradeExercise *exercise;
    const char *program, *second, *out, *case_path, *kept, *unset_line, *unset_name;
    const char *arguments[LANGUAGES]; // why no result can be right, or NULL
    uint64_t seed, time_limit;        // 0: no limit
    WorkerStage links[LINKS_MAX + 2]; // the exercise itself is last, then the end
    Worker workers[LINKS_MAX];
    int link_count;
} Asked;

static int give_up(const char *sentence)
{
    fprintf(stderr, "attnscope-judge: %s\n", sentence);
    return 1;
}

// Check reads variables that select tests.
static void forget_check_variables(void)
{
    for (char **entry = environ; *entry;) {
        char name[256];
        int length = (int)strcspn(*entry, "=");
        snprintf(name, sizeof name, "%.*s", length, *entry);
        if (strncmp(name, "CK_", 3) == 0 && length < (int)sizeof name)
            unsetenv(name);
        else
            entry++;
    }
}

static bool takes_a_page(FILE *notes)
{
    static const char page[4096];
    return fwrite(page, sizeof page, 1, notes) == 1 && fflush(notes) == 0;
}

// True if Check can log to files in memory, which take a third of the time; two for each test.
static bool notes_fit_in_memory(void)
{
    char path[] = "/dev/shm/attnscope-XXXXXX";
    int file = mkstemp(path);
    if (file < 0)
        return false;
    unlink(path);
    FILE *notes = fdopen(file, "w+");
    bool fit = notes && takes_a_page(notes) && setenv("TEMP", "/dev/shm", 1) == 0;
    if (notes)
        fclose(notes);
    else
        close(file);
    return fit;
}

// Otherwise it logs to such a file, and exits with its own message if that fails.
static bool notes_can_be_kept(Error *err)
{
    FILE *notes = notes_fit_in_memory() ? NULL : tmpfile();
    if (!notes)
        return true; // Check tries other folders
    bool kept = takes_a_page(notes);
    if (!kept)
        error_machine(err, "%s", error_reason(errno));
    fclose(notes);
    return kept;
}

// "score=/path/of/a/program"
static bool take_link(Asked *asked, const char *text, Error *err)
{
    const char *equals = strchr(text, '=');
    char name[64];
    snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - text) : 0, text);
    const GradeExercise *exercise = grade_find(name);
    if (!exercise || asked->link_count == LINKS_MAX)
        return error_set(err, "--chain takes EXERCISE=PROGRAM, not \"%s\"", text);
    if (!grade_is_a_stage(exercise))
        return true; // it runs as a stage in the stepper only
    Worker *worker = &asked->workers[asked->link_count];
    if (!worker_open(worker, equals + 1, err))
        return false;
    asked->links[asked->link_count++] =
        (WorkerStage){.stage = exercise->stage, .output = exercise->output, .worker = worker};
    return true;
}

static bool take_option(Asked *asked, const char *name, const char *value, Error *err)
{
    char *rest = NULL;
    if (strcmp(name, "--program") == 0)
        asked->program = value;
    else if (strcmp(name, "--second") == 0)
        asked->second = value;
    else if (strcmp(name, "--out") == 0)
        asked->out = value;
    else if (strcmp(name, "--case") == 0)
        asked->case_path = value;
    else if (strcmp(name, "--arguments") == 0)
        asked->arguments[LANGUAGE_ENGLISH] = value;
    else if (strcmp(name, "--arguments-korean") == 0)
        asked->arguments[LANGUAGE_KOREAN] = value;
    else if (strcmp(name, "--kept") == 0)
        asked->kept = value;
    else if (strcmp(name, "--unset-line") == 0)
        asked->unset_line = value;
    else if (strcmp(name, "--unset-name") == 0)
        asked->unset_name = value;
    else if (strcmp(name, "--seed") == 0)
        asked->seed = strtoull(value, &rest, 10);
    else if (strcmp(name, "--time-limit") == 0)
        asked->time_limit = strtoull(value, &rest, 10);
    else if (strcmp(name, "--chain") == 0)
        return take_link(asked, value, err);
    else if (strcmp(name, "--lang") == 0 && language_named(value) >= 0)
        language_choose((Language)language_named(value));
    else
        return error_set(err, "there is no option %s", name);
    return !rest || *rest == '\0' ||
           error_set(err, "%s is a whole number, not \"%s\"", name, value);
}

static bool take_arguments(Asked *asked, int count, char *words[], Error *err)
{
    asked->exercise = count > 1 ? grade_find(words[1]) : NULL;
    if (!asked->exercise)
        return error_set(err, "the first word is the name of an exercise");
    for (int i = 2; i < count; i += 2)
        if (i + 1 == count)
            return error_set(err, "%s needs a value", words[i]);
        else if (!take_option(asked, words[i], words[i + 1], err))
            return false;
    return (asked->program && asked->out) || error_set(err, "--program and --out are needed");
}

// With wrong parameters a function computes something arbitrary: reports the parameters instead.
static void report_arguments(const Asked *asked, Verdict *verdict)
{
    const VerdictTest *first = verdict_first_failure(verdict);
    for (int i = 0; first && asked->arguments[LANGUAGE_ENGLISH] && i < verdict->count; i++) {
        VerdictTest *test = &verdict->tests[i];
        memset(test->mistakes, 0, sizeof test->mistakes);
        memset(test->relation, 0, sizeof test->relation);
        memset(test->property, 0, sizeof test->property);
        if (test != first)
            continue;
        test->end = VERDICT_BROKEN;
        memcpy(test->why, asked->arguments, sizeof test->why);
    }
}

static bool judge(Asked *asked, Verdict *verdict, Error *err)
{
    Worker first, second = {.time_limit = 0};
    if (!worker_open(&first, asked->program, err) ||
        (asked->second && !worker_open(&second, asked->second, err)))
        return false;
    first.time_limit = second.time_limit = (long)asked->time_limit;
    GradeWorkers workers = {&first,
                            asked->second ? &second : NULL,
                            asked->case_path,
                            asked->kept,
                            asked->unset_line,
                            asked->unset_name};
    verdict->exercise = asked->exercise->name;
    verdict->version = grade_version(asked->exercise);
    verdict->seed = (long long)asked->seed;
    bool good = grade_run(asked->exercise, &workers, asked->seed, verdict, err);
    report_arguments(asked, verdict);
    if (good && asked->link_count > 0 && grade_is_a_stage(asked->exercise)) {
        asked->links[asked->link_count] = (WorkerStage){
            .stage = asked->exercise->stage, .output = asked->exercise->output, .worker = &first};
        grade_chain(asked->exercise, asked->links, asked->seed, verdict);
    }
    verdict->spent = (int)(first.spent + (asked->second ? second.spent : 0));
    verdict->fence = arena_text(&verdict->arena, first.fence, err);
    worker_close(&first);
    if (asked->second)
        worker_close(&second);
    for (int i = 0; i < asked->link_count; i++)
        worker_close(&asked->workers[i]);
    return good && verdict_write(verdict, asked->out, err);
}

int main(int count, char *words[])
{
    Error err;
    static Asked asked;
    Verdict verdict = {.exercise = NULL};
    place_begin(words[0]);
    room_ahead(0); // keeps freed memory: each of a thousand plans would fault on new pages
    forget_check_variables();
    temporary_watch_signals();
    if (!take_arguments(&asked, count, words, &err)) {
        give_up(err.text);
        return 2;
    }
    bool good = notes_can_be_kept(&err) && judge(&asked, &verdict, &err);
    verdict_finish(&verdict);
    return good ? 0 : give_up(err.text);
}
