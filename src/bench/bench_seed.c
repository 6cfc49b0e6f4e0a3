// bench_seed: how fast seeds are tried, beside the cost of one generator's state as torch.manual_seed
// makes it: seeded, and renewed for its first words.
#include "bench.h"

#include "generator.h"
#include "scenario_file.h"
#include "seed_search.h"
#include "bench_words.h"

enum { ROUNDS = 9, PIECES = 64, STATES = 2000 };

// The first numbers that document 002 printed.
static const char asked[] = "[-0.1392, 0.5523, 0.2820, 0.0902]";

static double state_seconds(void)
{
    BenchTimes times = {.count = 0};
    Generator generator;
    uint32_t all = 0;
    for (int round = 0; round < ROUNDS; round++) {
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
    for (int round = 0; round < ROUNDS && good; round++) {
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
    bench_print_name(TELL(BENCH_STATE), BENCH_NAME_COLUMNS);
    printf(" %9.1f ns\n", 1e9 * state);
    bench_print_name(TELL(BENCH_SEED_ONE), BENCH_NAME_COLUMNS);
    printf(TELL(BENCH_SEED_ONE_TIME), 1e9 * one, state / one);
    bench_print_name(TELL(BENCH_SEED_ALL), BENCH_NAME_COLUMNS);
    printf(TELL(BENCH_SEED_ALL_TIME), 1e-6 / together, together * (double)SEED_ALL);
    return true;
}
