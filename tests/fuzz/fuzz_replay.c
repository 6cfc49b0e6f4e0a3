// The targets without a fuzzer: runs one on files, and on a few hundred inputs made of them, the same
// ones at every run, as TAP.
//
//   fuzz-replay NAME [-d DICTIONARY] FILE|FOLDER ...
//
// ATTNSCOPE_FUZZ_INPUTS asks for more inputs than the usual, or for 0: the files alone. An input that
// ends the program is written to fuzz-NAME.input.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fuzz.h"
#include "fuzz_mutate.h"

#define FUZZ(name) int fuzz_target_##name(const uint8_t *data, size_t size);
#include "fuzz_targets.def"
#undef FUZZ

typedef struct Target {
    const char *name;
    int (*run)(const uint8_t *data, size_t size);
} Target;

static const Target targets[] = {
#define FUZZ(name) {#name, fuzz_target_##name},
#include "fuzz_targets.def"
#undef FUZZ
};

enum { SEEDS_MAX = 512, SEED_BYTES_MAX = 1 << 20, INPUTS_USUAL = 300 };

static FuzzInput seeds[SEEDS_MAX];
static char *names[SEEDS_MAX];
static int seed_count;

// What is run now, for when that ends the program.
static struct {
    const Target *target;
    const char *seed;
    const uint8_t *data;
    size_t size;
} now;

// --- files

static void add_file(const char *path)
{
    size_t size;
    fuzz_must(seed_count < SEEDS_MAX, "there are at most %d files", SEEDS_MAX);
    char *bytes = fuzz_read(path, &size);
    fuzz_must(size <= SEED_BYTES_MAX, "%s is small", path);
    names[seed_count] = strdup(path);
    seeds[seed_count++] = (FuzzInput){(uint8_t *)bytes, size};
}

static int shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

// In the order of their names, on every machine.
static void add(const char *path)
{
    struct stat about;
    struct dirent **entries;
    fuzz_must(stat(path, &about) == 0, "%s is there", path);
    if (!S_ISDIR(about.st_mode)) {
        add_file(path);
        return;
    }
    int count = scandir(path, &entries, shown, alphasort);
    for (int i = 0; i < count; i++) {
        char inside[4096];
        snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
        add(inside);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

// --- running

// The exact size in memory of its own: one byte beyond it is found.
static void run(const char *seed, const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    fuzz_must(copy != NULL, "there is memory");
    if (size > 0)
        memcpy(copy, data, size);
    now.seed = seed;
    now.data = data;
    now.size = size;
    now.target->run(copy, size);
    free(copy);
}

static void say(const char *text)
{
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        _exit(EXIT_FAILURE);
}

static void keep_input(int number)
{
    char path[256];
    snprintf(path, sizeof path, "fuzz-%s.input", now.target->name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file >= 0 && write(file, now.data, now.size) == (ssize_t)now.size)
        close(file);
    say("not ok - made of ");
    say(now.seed ? now.seed : "nothing");
    say(", kept as ");
    say(path);
    say("\n");
    signal(number, SIG_DFL);
    raise(number);
}

static void watch(void)
{
    static const int ends[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGALRM};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        signal(ends[i], keep_input);
}

static void run_seed(FuzzMutator *mutator, int seed, int inputs)
{
    run(names[seed], seeds[seed].data, seeds[seed].size);
    for (int i = 0; i < inputs; i++) {
        FuzzInput input =
            fuzz_mutate(mutator, &seeds[seed], &seeds[fuzz_below(mutator, seed_count)]);
        run(names[seed], input.data, input.size);
    }
    const char *slash = strrchr(names[seed], '/');
    printf("ok %d - %s and %d inputs made of it\n", seed + 1, slash ? slash + 1 : names[seed],
           inputs);
    fflush(stdout);
}

static const Target *find(const char *name)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (strcmp(targets[i].name, name) == 0)
            return &targets[i];
    fuzz_must(false, "no target is called %s", name);
    return NULL;
}

int main(int count, char **words)
{
    FuzzMutator mutator = {.state = 1};
    const char *asked = getenv("ATTNSCOPE_FUZZ_INPUTS");
    int inputs = asked ? atoi(asked) : INPUTS_USUAL, first = 2;
    fuzz_must(count > 1, "fuzz-replay NAME [-d DICTIONARY] FILE|FOLDER ...");
    now.target = find(words[1]);
    if (count > 3 && strcmp(words[2], "-d") == 0) {
        fuzz_dictionary(&mutator, words[3]);
        first = 4;
    }
    for (int i = first; i < count; i++)
        add(words[i]);
    fuzz_must(seed_count > 0, "there are files to run");
    watch();
    run("nothing", NULL, 0);
    printf("1..%d\n", seed_count);
    for (int seed = 0; seed < seed_count; seed++)
        run_seed(&mutator, seed, inputs * (seed + 1) / seed_count - inputs * seed / seed_count);
    fuzz_mutator_finish(&mutator);
    for (int seed = 0; seed < seed_count; seed++) {
        free(seeds[seed].data);
        free(names[seed]);
    }
    return EXIT_SUCCESS;
}
