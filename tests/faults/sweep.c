// sweep: makes every call fail that can fail, one at a time, in every command and every helper process,
// and holds the program to the laws of sweep_laws.c. Prints TAP.
//
//   sweep ATTNSCOPE LIBRARY PREPARE some             a part, chosen the same way each time: the middle
//                                                    call of every twelfth kind
//   sweep ATTNSCOPE LIBRARY PREPARE all              many more: some minutes on two processors
//   sweep ATTNSCOPE LIBRARY PREPARE CASE [KIND [N]]  every call of one case, or of one kind; or one
//                                                    call, and what the program says
//   sweep ATTNSCOPE LIBRARY PREPARE CASE KIND /MOST  so many of them, even apart; KIND may be `any`,
//                                                    and CASE several with commas between them
//
// PREPARE is a command that makes, in the folder it is started in, what the cases work on.
#include "sweep.h"

#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const kinds[] = {
#define FAULT_KIND(name, code, about) #name,
#include "faults.def"
#undef FAULT_KIND
};

static const Case cases[] = {
#define FAULT_CASE(name, process, keys, command) {name, process, keys, command, false},
#define FAULT_CASE_AGAIN(name, process, command) {name, process, NULL, command, true},
#include "cases.def"
#undef FAULT_CASE
#undef FAULT_CASE_AGAIN
};

static const char *const commands[] = {
#define APP_COMMAND(name) #name,
#include "app_commands.def"
#undef APP_COMMAND
};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

enum { PLACES = 2, MEMORY_MOST = 600, OTHERS_MOST = 60, SOME_MOST = 1 };

// What the processes that run cases side by side tell each other.
typedef struct Shared {
    _Atomic int next;
    struct {
        int faults[FAULT_KINDS], broken, known;
        char why[600]; // it could not be run at all
    } results[COUNT(cases)];
} Shared;

typedef struct Wanted {
    const char *name, *kind; // NULL: all
    long call;               // 0: all
    long most;               // calls of one kind that are tried
} Wanted;

const char *sweep_kind_name(FaultKind kind)
{
    return kinds[kind];
}

// --- one case

// The `turn`th of `most` calls to be tried, of so many in all; when all can be tried, each is. They lie
// even apart, the first one first; a single one is that in the middle.
static long call_of(long turn, long most, long all)
{
    if (all <= most)
        return turn + 1;
    return most == 1 ? (all + 1) / 2 : turn * (all - 1) / (most - 1) + 1;
}

static void print_all(const Place *place, const char *name)
{
    char path[TREE_PATH_MAX], line[4096];
    snprintf(path, sizeof path, "%s/%s", place->folder, name);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        printf("# %s: %s", name, line);
    if (file)
        fclose(file);
}

// One call fails. False when it never came to that call.
static bool try_call(const Place *place, const Expected *expected, int number, FaultKind kind,
                     long call, Shared *shared)
{
    Run run;
    char why[512];
    sweep_run(place, &cases[number], kind, call, &run);
    if (!run.failed)
        return false;
    shared->results[number].faults[kind]++;
    Judgement judgement = sweep_judge(place, &cases[number], expected, kind, &run, why);
    shared->results[number].known += judgement == KNOWN;
    shared->results[number].broken += judgement == BREAKS;
    if (judgement != BREAKS)
        return true;
    for (char *at = why; *at; at++)
        *at = *at == '\n' ? '|' : *at;
    printf("# %s %s %ld: %s\n", cases[number].name, kinds[kind], call, why);
    fflush(stdout);
    return true;
}

static void try_kind(const Place *place, const Expected *expected, int number, FaultKind kind,
                     const Wanted *wanted, Shared *shared)
{
    long all = expected->run.calls[kind];
    long most = kind != FAULT_memory && wanted->most == MEMORY_MOST ? OTHERS_MOST : wanted->most;
    long tried = all < most ? all : most;
    if (wanted->call > 0) {
        if (try_call(place, expected, number, kind, wanted->call, shared)) {
            print_all(place, "out");
            print_all(place, "err");
        }
        return;
    }
    for (long turn = 0; turn < tried; turn++)
        try_call(place, expected, number, kind, call_of(turn, most, all), shared);
    // A run that is not always the same may make more calls than the first one did.
    for (long call = all + 1; tried == all && most > SOME_MOST; call++)
        if (!try_call(place, expected, number, kind, call, shared))
            break;
}

static void try_case(const Place *place, int number, const Wanted *wanted, Shared *shared)
{
    static Expected expected;
    char why[512];
    if (!sweep_expect(place, &cases[number], &expected, why)) {
        snprintf(shared->results[number].why, sizeof shared->results[number].why, "%s", why);
        return;
    }
    // Of a part, every twelfth kind, others in the next case.
    int every = wanted->most == SOME_MOST ? 12 : 1;
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        if (wanted->kind ? strcmp(wanted->kind, kinds[kind]) == 0 : (number + kind) % every == 0)
            try_kind(place, &expected, number, (FaultKind)kind, wanted, shared);
}

// --- places to run in

static bool open_record(Place *place)
{
    char path[TREE_PATH_MAX];
    snprintf(path, sizeof path, "%s/record", place->folder);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof *place->record) != 0)
        return false;
    void *record = mmap(NULL, sizeof *place->record, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    place->record = record;
    return record != MAP_FAILED;
}

static bool open_place(Place *place, const char *scratch, int number, const char *prepare)
{
    char command[TREE_PATH_MAX * 3];
    snprintf(place->folder, sizeof place->folder, "%s/%d", scratch, number);
    snprintf(place->here, sizeof place->here, "%s/here", place->folder);
    snprintf(place->before, sizeof place->before, "%s/before", place->folder);
    snprintf(place->after, sizeof place->after, "%s/after", place->folder);
    if (mkdir(place->folder, 0700) != 0 || mkdir(place->here, 0755) != 0 || !open_record(place))
        return false;
    snprintf(command, sizeof command, "cd '%s' && %s >../prepared 2>&1", place->here, prepare);
    if (system(command) != 0) {
        print_all(place, "prepared");
        return false;
    }
    tree_mirror(place->here, place->before);
    return true;
}

static bool is_wanted(int number, const Wanted *wanted)
{
    char names[2048], name[128];
    snprintf(names, sizeof names, ",%s,", wanted->name ? wanted->name : "");
    snprintf(name, sizeof name, ",%s,", cases[number].name);
    return !wanted->name || strstr(names, name);
}

// A process for each place; each takes the next case that nobody has taken.
static bool run_cases(Place places[PLACES], const Wanted *wanted, Shared *shared)
{
    int status, good = true;
    fflush(stdout);
    for (int i = 0; i < PLACES; i++)
        if (fork() == 0) {
            for (int number; (number = shared->next++) < COUNT(cases);)
                if (is_wanted(number, wanted))
                    try_case(&places[i], number, wanted, shared);
            exit(0);
        }
    for (int i = 0; i < PLACES; i++)
        good &= wait(&status) > 0 && status == 0;
    return good;
}

// --- telling

static bool print_case(int number, const Shared *shared, int line)
{
    const int *faults = shared->results[number].faults;
    char counts[512] = "";
    int all = 0;
    for (int kind = 0; kind < FAULT_KINDS; kind++) {
        all += faults[kind];
        size_t used = strlen(counts);
        if (faults[kind] > 0)
            snprintf(counts + used, sizeof counts - used, "%s%d %s", used ? ", " : "", faults[kind],
                     kinds[kind]);
    }
    bool good = shared->results[number].broken == 0 && !*shared->results[number].why;
    printf("%sok %d - %s: %d faults in %s (%s)\n", good ? "" : "not ", line, cases[number].name,
           all, cases[number].process, counts);
    if (shared->results[number].known > 0)
        printf("# %d of them break a law as known.def says\n", shared->results[number].known);
    if (!good)
        printf("# %d broken. %s\n", shared->results[number].broken, shared->results[number].why);
    return good;
}

// A command that nobody tries would never be seen to fail.
static bool print_commands(int line)
{
    const char *left = NULL;
    for (int i = 0; i < COUNT(commands); i++) {
        size_t length = strlen(commands[i]);
        bool found = false;
        for (int j = 0; j < COUNT(cases); j++)
            found |= strncmp(cases[j].command, commands[i], length) == 0 &&
                     (cases[j].command[length] == ' ' || !cases[j].command[length]);
        left = found ? left : commands[i];
    }
    printf("%sok %d - every command has a case\n", left ? "not " : "", line);
    if (left)
        printf("# %s has none\n", left);
    return !left;
}

static Wanted read_words(int argc, char **argv)
{
    Wanted wanted = {.most = LONG_MAX};
    bool some = strcmp(argv[4], "some") == 0;
    if (some && !getenv("ATTNSCOPE_LONG"))
        wanted.most = SOME_MOST;
    else if (some || strcmp(argv[4], "all") == 0)
        wanted.most = MEMORY_MOST;
    else
        wanted.name = argv[4];
    wanted.kind = argc > 5 && strcmp(argv[5], "any") != 0 ? argv[5] : NULL;
    if (argc > 6 && argv[6][0] == '/')
        wanted.most = atol(argv[6] + 1);
    else if (argc > 6)
        wanted.call = atol(argv[6]);
    return wanted;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fputs("sweep ATTNSCOPE LIBRARY PREPARE some|all|CASE [KIND [N|/MOST]]\n", stderr);
        return 2;
    }
    Wanted wanted = read_words(argc, argv);
    const char *folder = getenv("TMPDIR");
    char scratch[256];
    char *program = realpath(argv[1], NULL), *library = realpath(argv[2], NULL);
    Place places[PLACES] = {{.program = program, .library = library},
                            {.program = program, .library = library}};
    snprintf(scratch, sizeof scratch, "%s/faults-XXXXXX", folder && *folder ? folder : "/tmp");
    Shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool good = program && library && shared != MAP_FAILED && mkdtemp(scratch);
    for (int i = 0; good && i < PLACES; i++)
        good = open_place(&places[i], scratch, i, argv[3]);
    bool ran = good && run_cases(places, &wanted, shared);
    int line = 0, passed = 0;
    for (int number = 0; ran && number < COUNT(cases); number++)
        if (is_wanted(number, &wanted))
            passed += print_case(number, shared, ++line);
    passed += print_commands(++line);
    printf("1..%d\n", line);
    if (strcmp(argv[4], "all") == 0) // what CI adds up
        printf("%d passed, %d failed\n", passed, line - passed);
    tree_forget(scratch);
    return ran && passed == line ? 0 : 1;
}
