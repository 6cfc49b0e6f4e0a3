// sweep_laws: what must hold whatever fails; see sweep.h.
//
//   1. Nothing is ended by a signal, ends never, or leaves a process behind.
//   2. Exit code 0 means: the same output and the same files as without the fault, or a sentence that
//      says what is otherwise. (In a terminal it stands on the screen, and nobody here reads that.)
//   3. Each file is whole: as it was, or as it is without the fault. No temporary is left.
//   4. Any other exit code comes with a sentence, which is about what has failed. It stands on standard
//      error, or in what a report says more than without the fault.
//   5. What is kept for the next run does not mislead it: sweep_again.c.
#define _GNU_SOURCE // strcasestr
#include "sweep.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SAID_MAX = 65536 };

static void path_in(char path[TREE_PATH_MAX + 64], const char *folder, const char *name)
{
    snprintf(path, TREE_PATH_MAX + 64, "%s/%s", folder, name);
}

static const char *read_text(const Place *place, const char *name, char text[SAID_MAX])
{
    char path[TREE_PATH_MAX + 64];
    path_in(path, place->folder, name);
    FILE *file = fopen(path, "rb");
    size_t count = file ? fread(text, 1, SAID_MAX - 1, file) : 0;
    text[count] = '\0';
    if (file)
        fclose(file);
    return text;
}

static FILE *open_file(const Place *place, const char *name)
{
    char path[TREE_PATH_MAX + 64];
    path_in(path, place->folder, name);
    return fopen(path, "r");
}

// How many letters of the line that stand here are a number that says how long something took.
static size_t time_at(const char *line, const char *at)
{
    static const char *const names[] = {"\"spent\": ", "\"seconds_used\": ", " time=\""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if ((size_t)(at - line) >= length && strncmp(at - length, names[i], length) == 0)
            return strspn(at, "0123456789.");
    }
    return 0;
}

// The same but for how long something took: two runs of a JUnit report agree in it by chance alone.
static bool same_line(const char *one, const char *other)
{
    const char *at = one, *there = other;
    for (;; at++, there++) {
        at += time_at(one, at);
        there += time_at(other, there);
        if (*at == '\0' || *at != *there)
            return *at == *there;
    }
}

bool sweep_same_output(const Place *place, const char *name, const char *other)
{
    char one[4096], two[4096];
    FILE *out = open_file(place, name), *expected = open_file(place, other);
    bool same = out && expected, more = same;
    while (same && more) {
        more = fgets(one, sizeof one, out) != NULL;
        bool wanted = fgets(two, sizeof two, expected) != NULL;
        same = more == wanted && (!more || same_line(one, two));
    }
    if (out)
        fclose(out);
    if (expected)
        fclose(expected);
    return same;
}

// --- without a fault

static void note_changing(const char *inside, void *context)
{
    Expected *expected = context;
    int room = sizeof expected->changing / sizeof *expected->changing;
    if (expected->changing_count < room)
        snprintf(expected->changing[expected->changing_count++], TREE_PATH_MAX, "%s", inside);
}

void sweep_keep(const Place *place, const char *name, const char *expected)
{
    char from[TREE_PATH_MAX + 64], to[TREE_PATH_MAX + 64];
    path_in(from, place->folder, name);
    path_in(to, place->folder, expected);
    rename(from, to);
}

bool sweep_expect(const Place *place, const Case *item, Expected *expected, char why[512])
{
    *expected = (Expected){.changing_count = 0};
    sweep_run(place, item, FAULT_memory, 0, &expected->run);
    if (expected->run.ending != ENDED || expected->run.code != 0) {
        char said[SAID_MAX];
        snprintf(why, 512, "without a fault it ends with %d: %.300s", expected->run.code,
                 read_text(place, "err", said));
        return false;
    }
    sweep_keep(place, "out", "expected-out");
    sweep_keep(place, "err", "expected-err");
    tree_mirror(place->here, place->after);
    if (item->again && !sweep_expect_again(place, item, why))
        return false;
    Run again;
    sweep_run(place, item, FAULT_memory, 0, &again);
    expected->same_output = !item->keys && sweep_same_output(place, "out", "expected-out");
    tree_compare(place->here, place->after, note_changing, expected);
    return true;
}

// --- with one

typedef struct Look {
    const Place *place;
    const Expected *expected;
    char otherwise[TREE_PATH_MAX]; // a file that is not as without the fault
    char neither[TREE_PATH_MAX];   // a file that is neither so nor as it was
} Look;

static void look_at(const char *inside, void *context)
{
    Look *look = context;
    // A temporary folder whose removal is what failed: the next program sweeps it.
    static const char swept[] = "tmp/.attnscope-";
    // Programs that are built again have other bytes, and what has been graded is noted line by line: nobody
    // takes what lies there without looking whether it is whole.
    static const char cached[] = "cache/attnscope/";
    char here[TREE_PATH_MAX * 2], before[TREE_PATH_MAX * 2];
    if (strncmp(inside, swept, strlen(swept)) == 0 || strncmp(inside, cached, strlen(cached)) == 0)
        return;
    for (int i = 0; i < look->expected->changing_count; i++)
        if (strcmp(look->expected->changing[i], inside) == 0)
            return;
    snprintf(here, sizeof here, "%s/%s", look->place->here, inside);
    snprintf(before, sizeof before, "%s/%s", look->place->before, inside);
    snprintf(look->otherwise, TREE_PATH_MAX, "%s", inside);
    if (!tree_same_file(here, before))
        snprintf(look->neither, TREE_PATH_MAX, "%s", inside);
}

static bool names_cause(const char *said, FaultKind kind)
{
    static const int codes[] = {
#define FAULT_KIND(name, code, about) code,
#include "faults.def"
#undef FAULT_KIND
    };
    return strcasestr(said, "memory") || strcasestr(said, strerror(codes[kind])) ||
           strstr(said, "this machine could not");
}

// The sentence says why: nothing that is empty, that only trails off, or that has a place of nothing.
static bool is_sentence(const char *said, FaultKind kind)
{
    static const char *const wrong[] = {"-1:-1",   ":0:0",   ": \n",        ":\n",
                                        "Success", "(null)", "is not UTF-8"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (strstr(said, wrong[i]))
            return false;
    int letters = 0;
    for (const char *at = said; *at; at++)
        letters += isalpha((unsigned char)*at) != 0;
    bool names_memory =
        kind != FAULT_memory || strcasestr(said, "memory") || strcasestr(said, "malloc");
    return letters > 15 && names_memory;
}

static bool breaks_ending(const Run *run, char why[512])
{
    if (run->ending == SIGNALLED)
        return snprintf(why, 512, "ended by signal %d", run->code), true;
    if (run->helper_signal != 0)
        return snprintf(why, 512, "a process was ended by signal %d", run->helper_signal), true;
    if (run->ending != ENDED)
        return snprintf(why, 512, "%s",
                        run->ending == ENDLESS ? "does not end" : "leaves a process behind"),
               true;
    return false;
}

// A row of known.def.
typedef struct Known {
    const char *command; // NULL: any
    bool in_terminal;
    const char *kind;
    int signal;       // it is ended by this one; 0: by none
    const char *says; // a part of what standard error says; NULL: anything
    const char *why;
} Known;

static const Known knowns[] = {
#define FAULT_KNOWN(...) {__VA_ARGS__},
#include "known.def"
#undef FAULT_KNOWN
};

// Why what breaks a law is not the program's fault; NULL: it is.
static const char *known_reason(const Case *item, FaultKind kind, const Run *run, const char *said)
{
    for (size_t i = 0; i < sizeof knowns / sizeof *knowns; i++) {
        const Known *known = &knowns[i];
        int signal = run->ending == SIGNALLED ? run->code : run->helper_signal;
        bool same_place = (!known->command || strcmp(known->command, item->name) == 0) &&
                          known->in_terminal == (item->keys != NULL) &&
                          strcmp(known->kind, sweep_kind_name(kind)) == 0;
        if (same_place && known->signal == signal && (!known->says || strstr(said, known->says)))
            return known->why;
    }
    return NULL;
}

// Appends to `said` the lines of standard output that are not those of a run without a fault, in their
// order: reports have their sentences there. Returns whether nothing of those is missing.
static bool add_new_lines(const Place *place, char said[SAID_MAX])
{
    char line[4096], wanted[4096];
    FILE *out = open_file(place, "out"), *expected = open_file(place, "expected-out");
    char *left = expected ? fgets(wanted, sizeof wanted, expected) : NULL;
    while (out && fgets(line, sizeof line, out)) {
        size_t used = strlen(said);
        if (left && same_line(line, wanted))
            left = fgets(wanted, sizeof wanted, expected);
        else
            snprintf(said + used, SAID_MAX - used, "%s", line);
    }
    if (out)
        fclose(out);
    if (expected)
        fclose(expected);
    return !left;
}

// Law 2, for exit code 0.
static bool is_silent(const Place *place, const Case *item, const Expected *expected,
                      const Look *look, FaultKind kind, char why[512])
{
    char said[SAID_MAX] = "";
    bool all_there = add_new_lines(place, said);
    if (item->keys || (*said && (all_there || names_cause(said, kind))))
        return false;
    if (*look->otherwise)
        return snprintf(why, 512, "exit code 0, not a word, but %.300s is otherwise",
                        look->otherwise),
               true;
    if (expected->same_output && !sweep_same_output(place, "out", "expected-out"))
        return snprintf(why, 512, "exit code 0, not a word, but another output"), true;
    return false;
}

static bool breaks_law(const Place *place, const Case *item, const Expected *expected,
                       FaultKind kind, const Run *run, char why[512])
{
    static char said[SAID_MAX], usual[SAID_MAX];
    Look look = {.place = place, .expected = expected};
    if (breaks_ending(run, why))
        return true;
    tree_compare(place->here, place->after, look_at, &look);
    if (*look.neither)
        return snprintf(why, 512, "leaves %.300s neither as it was nor whole", look.neither), true;
    read_text(place, "err", said);
    bool speaks = strcmp(said, read_text(place, "expected-err", usual)) != 0;
    if (run->code == 0 && !speaks)
        return is_silent(place, item, expected, &look, kind, why);
    if (!speaks)
        said[0] = '\0';
    if (run->code != 0)
        add_new_lines(place, said);
    return !is_sentence(said, kind) &&
           snprintf(why, 512, "exit code %d with '%.400s'", run->code, said) > 0;
}

Judgement sweep_judge(const Place *place, const Case *item, const Expected *expected,
                      FaultKind kind, const Run *run, char why[512])
{
    static char said[SAID_MAX];
    if (!breaks_law(place, item, expected, kind, run, why))
        return item->again && sweep_breaks_again(place, item, why) ? BREAKS : HOLDS;
    read_text(place, "err", said);
    add_new_lines(place, said);
    const char *known = known_reason(item, kind, run, said);
    if (known)
        snprintf(why, 512, "%s", known);
    return known ? KNOWN : BREAKS;
}
