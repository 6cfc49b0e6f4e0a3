// Measures the waits of a course: for a learner's exercise, a teacher's class, and the search for a seed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "bench.h"
#include "utf8.h"
#include "generator.h"
#include "input_file.h"
#include "judging.h"
#include "scenario_file.h"
#include "seed_search.h"

// --- from a saved edit to the verdict, including the compiler

enum { EXERCISE_ROUNDS = 9, SOLUTION_BYTES_MAX = 1 << 16 };

static void made(void *context, WorkspaceWork work, const char *path)
{
    (void)context, (void)work, (void)path;
}

// Writes the solution with a comment that no other copy has.
static bool write_solution(const Exercise *exercise, const char *before, int number,
                           const char *path, Error *err)
{
    Arena arena = {0};
    const char *from = arena_format(&arena, err, "%s/solution.c", exercise->folder);
    const char *text = from ? input_file_text(from, SOLUTION_BYTES_MAX, &arena, err) : NULL;
    FILE *out = text ? fopen(path, "we") : NULL;
    bool written = out && fprintf(out, "%s%s// %d\n", before, text, number) > 0;
    if (out && fclose(out) != 0)
        written = false;
    if (text && !written)
        error_set(err, TELL(BENCH_UNWRITTEN), path);
    arena_finish(&arena);
    return written;
}

static bool measure(const Workspace *workspace, int number, BenchLine *line, Error *err)
{
    static Judging judging; // with compiler output: 50 KB
    char path[TEMPORARY_PATH_MAX + 64];
    const Exercise *exercise = &workspace->exercises.exercises[number];
    snprintf(path, sizeof path, "%sexercises/%s.c", workspace->folder, exercise->name);
    for (int round = 0; round < EXERCISE_ROUNDS; round++) {
        if (!write_solution(exercise, "", round, path, err))
            return false;
        double start = bench_now();
        judging_run(&judging, workspace, number, 1, NULL);
        bench_add(&line->times, bench_now() - start);
        bool passed = judging_passed(&judging);
        if (!passed)
            error_set(err, TELL(BENCH_NOT_PASSED), exercise->name,
                      judging.why[LANGUAGE_ENGLISH].text);
        judging_finish(&judging);
        if (!passed)
            return false;
    }
    bench_sort(&line->times);
    return true;
}

bool bench_exercise(BenchLine *line, Error *err)
{
    Temporary folder;
    Workspace workspace;
    *line = (BenchLine){.about = TELL(BENCH_EDIT)};
    if (!judging_folder(&folder, err))
        return false;
    setenv("XDG_CACHE_HOME", folder.path, 1);
    setenv("XDG_STATE_HOME", folder.path, 1);
    bool open = workspace_make(folder.path, LANGUAGE_ENGLISH, made, NULL, err) &&
                workspace_open(&workspace, folder.path, NULL, err);
    int number = open ? exercise_list_find(&workspace.exercises, "softmax", err) : -1;
    bool good = number >= 0 && measure(&workspace, number, line, err);
    if (open)
        workspace_close(&workspace);
    temporary_drop(&folder);
    return good;
}

// --- a class: its first grading, and again from the cache
//
// Creates the class, and removes it afterwards.

enum { WRONG_EVERY = 4 };

// Every fourth person has wrong roots: like any class, this one has mistakes.
static const char wrong_root[] = "#include <math.h>\n#define\tsqrtf(x) (x)\n";

// A person's submission: solutions that differ from everybody else's.
static bool hand_in(const char *folder, const ExerciseList *list, int exercises, int person,
                    Error *err)
{
    Arena arena = {0};
    const char *own = arena_format(&arena, err, "%s/person%03d", folder, person);
    bool good = own && mkdir(own, 0700) == 0;
    for (int i = 0; good && i < exercises; i++) {
        const char *path = arena_format(&arena, err, "%s/%s.c", own, list->exercises[i].name);
        good =
            path && write_solution(&list->exercises[i], person % WRONG_EVERY == 0 ? wrong_root : "",
                                   person, path, err);
    }
    arena_finish(&arena);
    return good;
}

// A course of the first exercises.
static bool write_course(const char *folder, const ExerciseList *list, int exercises, Error *err)
{
    char path[TEMPORARY_PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/course.yaml", folder);
    FILE *out = fopen(path, "we");
    bool written = out && fputs("exercises:\n", out) >= 0;
    for (int i = 0; written && i < exercises; i++)
        written = fprintf(out, "  - %s\n", list->exercises[i].name) > 0;
    if (out && fclose(out) != 0)
        written = false;
    return written || error_set(err, TELL(BENCH_UNWRITTEN), path);
}

static bool make_class(const char *folder, BenchClass *result, Error *err)
{
    ExerciseList list;
    if (!exercise_list_open(&list, LANGUAGE_ENGLISH, err))
        return false;
    if (result->exercises > list.count)
        result->exercises = list.count;
    bool good = (mkdir(folder, 0700) == 0 || error_set(err, TELL(BENCH_UNWRITTEN), folder)) &&
                write_course(folder, &list, result->exercises, err);
    for (int i = 0; good && i < result->submissions; i++)
        good = hand_in(folder, &list, result->exercises, i, err);
    exercise_list_close(&list);
    return good;
}

bool bench_class(const char *program, BenchClass *result, Error *err)
{
    Temporary folder;
    char class[TEMPORARY_PATH_MAX + 8];
    char name[] = "attnscope", grade[] = "grade";
    char *arguments[] = {name, grade, class, NULL};
    if (!judging_folder(&folder, err))
        return false;
    snprintf(class, sizeof class, "%s/class", folder.path);
    setenv("XDG_CACHE_HOME", folder.path, 1);
    setenv("XDG_STATE_HOME", folder.path, 1);
    bool good = make_class(class, result, err) &&
                bench_run_to_end(program, arguments, &result->seconds, err) &&
                bench_run_to_end(program, arguments, &result->again, err);
    temporary_drop(&folder);
    return good;
}

// --- how fast seeds are tried
//
// Next to the cost of one generator state as torch.manual_seed makes it: seeded, and renewed for its first
// words.

enum { SEED_ROUNDS = 9, PIECES = 64, STATES = 2000 };

// The first numbers printed by document 002.
static const char asked[] = "[-0.1392, 0.5523, 0.2820, 0.0902]";

static double state_seconds(void)
{
    BenchTimes times = {.count = 0};
    Generator generator;
    uint32_t all = 0;
    for (int round = 0; round < SEED_ROUNDS; round++) {
        double start = bench_now();
        for (uint32_t seed = 0; seed < STATES; seed++) {
            generator_seed(&generator, seed ^ (all & 1));
            all += generator_word(&generator);
        }
        bench_add(&times, (bench_now() - start) / STATES);
    }
    bench_sort(&times);
    return bench_part(&times, 0.5);
}

static bool search(const SeedQuestion *question, int threads, double *seconds, Error *err)
{
    BenchTimes times = {.count = 0};
    Team team;
    bool good = true;
    team_init(&team, threads);
    SeedSearch all = {.question = question, .kernel = kernel_choose()};
    for (int round = 0; round < SEED_ROUNDS && good; round++) {
        double start = bench_now();
        good = seed_search_run(&all, &team, PIECES, err);
        bench_add(&times, (bench_now() - start) / (PIECES * (double)SEED_PIECE));
    }
    team_finish(&team);
    bench_sort(&times);
    *seconds = bench_part(&times, 0.5);
    return good;
}

static bool ask(SeedQuestion *question, Arena *arena, Error *err)
{
    static Printed printed; // too large for a small stack, as are the others
    static Scenario scenario;
    static Trace trace;
    static const char *const sets[] = {"weights.manual_seed=0"};
    ScenarioRequest request = {.what = "scaled-dot-product", .sets = sets, .set_count = 1};
    if (!scenario_open(&scenario, &request, err))
        return false;
    bool good = trace_open(&trace, &scenario, err) && trace_run(&trace, err) &&
                printed_read(asked, &printed, arena, err) &&
                seed_question_make(&trace, trace_find(&trace, "q"), &printed.tensors[0], question,
                                   arena, err);
    trace_close(&trace);
    scenario_finish(&scenario);
    return good;
}

bool bench_seed(int threads, Error *err)
{
    static SeedQuestion question; // too large for a small stack
    Arena arena = {0};
    double one, together;
    bool good = ask(&question, &arena, err) && search(&question, 1, &one, err) &&
                search(&question, threads, &together, err);
    arena_finish(&arena);
    if (!good)
        return false;
    double state = state_seconds();
    utf8_print(stdout, TELL(BENCH_STATE), BENCH_NAME_COLUMNS);
    printf(" %9.1f ns\n", 1e9 * state);
    utf8_print(stdout, TELL(BENCH_SEED_ONE), BENCH_NAME_COLUMNS);
    printf(TELL(BENCH_SEED_ONE_TIME), 1e9 * one, state / one);
    utf8_print(stdout, TELL(BENCH_SEED_ALL), BENCH_NAME_COLUMNS);
    printf(TELL(BENCH_SEED_ALL_TIME), 1e-6 / together, together * (double)SEED_ALL);
    return true;
}
