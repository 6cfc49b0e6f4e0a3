// app_seed: a search for a seed in front of a person: progress, interruption, going on; see app_seed.h.
#include "app_seed.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "digest.h"
#include "state_file.h"
#include "app_words.h"

enum { PIECES = 64, SAVE_SECONDS = 10 };

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

// --- the scenario with a seed

bool app_seed_open(const AppOptions *options, uint32_t seed, AppTrace *app, Error *err)
{
    char set[64];
    const char *sets[APP_SETS_MAX + 1];
    ScenarioRequest request = options->request;
    *app = (AppTrace){.scenario = {.name = NULL}};
    memcpy(sets, options->sets, (size_t)request.set_count * sizeof *sets);
    snprintf(set, sizeof set, "weights.manual_seed=%" PRIu32, seed);
    sets[request.set_count++] = set;
    request.sets = sets;
    if (!scenario_open(&app->scenario, &request, err))
        return false;
    app->scenario.threads = options->threads;
    bool is_open = trace_open(&app->trace, &app->scenario, err);
    if (is_open && trace_run(&app->trace, err))
        return true;
    if (is_open)
        trace_close(&app->trace);
    scenario_finish(&app->scenario);
    return false;
}

// --- where a search is kept

// A test as numbers, without the gaps that a struct may have.
static size_t test_numbers(const SeedTest *test, double numbers[3 + 6 * DRAW_TERMS_MAX])
{
    size_t count = 0;
    numbers[count++] = test->low;
    numbers[count++] = test->high;
    numbers[count++] = test->form.constant;
    for (int i = 0; i < test->form.count; i++) {
        const DrawTerm *term = &test->form.terms[i];
        const double all[] = {
            (double)term->kind,       term->factor,         term->bound, (double)term->word,
            (double)term->angle_word, (double)term->is_sine};
        memcpy(&numbers[count], all, sizeof all);
        count += sizeof all / sizeof *all;
    }
    return count;
}

// The state's name tells the question: another one never goes on with this one's search.
static bool state_path(const SeedQuestion *question, char path[STATE_PATH_MAX], Error *err)
{
    static double numbers[SEED_TESTS_MAX * (3 + 6 * DRAW_TERMS_MAX)]; // too large for a small stack
    char digest[DIGEST_TEXT_MAX], name[DIGEST_TEXT_MAX];
    size_t count = 0;
    for (int i = 0; i < question->count; i++)
        count += test_numbers(&question->tests[i], &numbers[count]);
    bytes_digest(numbers, count * sizeof *numbers, digest);
    snprintf(name, sizeof name, "seed-%.16s", digest);
    return state_file_path(name, path, err);
}

static void write_search(const void *what, FILE *out)
{
    const SeedSearch *search = what;
    fprintf(out, "next %" PRIu64 "\n", search->next);
    for (int i = 0; i < search->found_count && i < SEED_FOUND_MAX; i++)
        fprintf(out, "found %" PRIu32 "\n", search->found[i]);
}

static bool keep(const SeedSearch *search, const char *path, Error *err)
{
    return state_file_make_folders(path, err) && state_file_write(path, write_search, search, err);
}

// Goes on where the last search for the same stopped. What does not read as one is none. False with a
// sentence: the machine cannot read now what it kept, and a search from the beginning would end it.
static bool go_on(SeedSearch *search, const char *path, Error *err)
{
    Arena arena = {0};
    StateText text;
    SeedSearch kept = *search;
    bool good = state_file_read(path, &arena, &text, err), lost = !good && err->of_machine;
    for (int i = 0; good && i < text.count; i++) {
        unsigned long long number;
        char *line = text.lines[i].text, *end;
        const char *space = strchr(line, ' ');
        number = space ? strtoull(space + 1, &end, 10) : 0;
        good = text.lines[i].is_text && space && end > space + 1 && *end == '\0';
        if (good && strncmp(line, "next ", 5) == 0 && number <= SEED_ALL &&
            number % SEED_PIECE == 0)
            kept.next = number;
        else if (good && strncmp(line, "found ", 6) == 0 && number < SEED_ALL &&
                 kept.found_count < SEED_FOUND_MAX)
            kept.found[kept.found_count++] = (uint32_t)number;
        else
            good = false;
    }
    if (good)
        *search = kept;
    arena_finish(&arena);
    return !lost;
}

// --- the search

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void show(const SeedSearch *search, double seconds, uint64_t first)
{
    double rate = (double)(search->next - first) / seconds;
    double left = (double)(SEED_ALL - search->next) / rate;
    fprintf(stderr, TELL(SEED_PROGRESS), 100.0 * (double)search->next / (double)SEED_ALL,
            1e-6 * rate, left, search->found_count);
}

static bool search_all(SeedSearch *search, Team *team, const char *path, Error *err)
{
    double start = now(), saved = start;
    uint64_t first = search->next;
    bool is_seen = isatty(STDERR_FILENO), good = true;
    while (good && !interrupted && search->next < SEED_ALL &&
           search->found_count <= SEED_FOUND_MAX) {
        good = seed_search_run(search, team, PIECES, err);
        if (is_seen)
            show(search, now() - start, first);
        if (good && now() - saved > SAVE_SECONDS) {
            good = keep(search, path, err);
            saved = now();
        }
    }
    if (is_seen)
        fputs("\r\033[K", stderr);
    if (!good)
        return false;
    if (interrupted)
        return keep(search, path, err) &&
               error_set(err, TELL(SEED_STOPPED), 100.0 * (double)search->next / (double)SEED_ALL);
    unlink(path); // it may never have been kept
    return true;
}

bool app_seed_search(SeedSearch *search, Team *team, Error *err)
{
    char path[STATE_PATH_MAX];
    if (!state_path(search->question, path, err) || !go_on(search, path, err))
        return false;
    struct sigaction stop = {.sa_handler = interrupt}, old_int, old_term;
    sigaction(SIGINT, &stop, &old_int);
    sigaction(SIGTERM, &stop, &old_term);
    fprintf(stderr, TELL(SEED_BEGINS), 100.0 * (double)search->next / (double)SEED_ALL);
    bool good = search_all(search, team, path, err);
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
    return good;
}

// --- what a seed makes

static ptrdiff_t agreeing(const PrintedTensor *printed, const Tensor *tensor)
{
    ptrdiff_t count = 0, at[TENSOR_RANK_MAX];
    for (ptrdiff_t i = 0; i < printed->count; i++)
        count += printed_place(printed, &printed->numbers[i], tensor, at) &&
                 printed_agrees(&printed->numbers[i], tensor_number(tensor, at));
    return count;
}

bool app_seed_tell(const AppOptions *options, uint32_t seed, const Printed *printed, Error *err)
{
    static AppTrace app; // too large for a small stack
    if (!app_seed_open(options, seed, &app, err))
        return false;
    printf("manual_seed %" PRIu32 "\n", seed);
    for (int i = 0; i < printed->count; i++) {
        const PrintedTensor *one = &printed->tensors[i];
        int best = -1;
        ptrdiff_t most = 0;
        for (int tensor = 0; tensor < app.trace.tensor_count; tensor++) {
            const Tensor *numbers = &app.trace.tensors[tensor].tensor;
            ptrdiff_t count = printed_fits(one, numbers) ? agreeing(one, numbers) : 0;
            if (count > most) {
                best = tensor;
                most = count;
            }
        }
        bool is_it = most > 0 && 10 * most >= 9 * one->count;
        printf(TELL(SEED_LINE), one->line, is_it ? app.trace.tensors[best].name : "-",
               is_it ? "" : TELL(SEED_NO_TENSOR));
        if (is_it)
            printf(TELL(SEED_OF), most, one->count);
    }
    trace_close(&app.trace);
    scenario_finish(&app.scenario);
    return true;
}
