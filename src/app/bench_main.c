// attnscope-bench: measures what attnscope bench is asked for. A program of its own, for attnscope does
// not carry it; attnscope starts it, and says in words what it is to do:
//
//   attnscope-bench PROGRAM short|whole text|json THREADS PEER stages|"" SVG [NAME ...]
//
// PROGRAM is attnscope, THREADS 0 for as many as there are, PEER and SVG "" for none.
#include "bench.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include "place.h"
#include "written.h"

enum { PROGRAM = 1, RUNS, FORM, THREADS, PEER, STAGES, SVG, NAMES };

static BenchAsked take_arguments(int argc, char **argv)
{
    bool is_short = strcmp(argv[RUNS], "short") == 0;
    return (BenchAsked){.program = argv[PROGRAM],
                        .is_short = is_short,
                        .is_json = strcmp(argv[FORM], "json") == 0,
                        .svg = *argv[SVG] ? argv[SVG] : NULL,
                        .plan = {.seconds = is_short ? 0.05 : 3.0,
                                 .idle_runs = is_short ? 0 : 3,
                                 .threads = atoi(argv[THREADS]),
                                 .peer = *argv[PEER] ? argv[PEER] : NULL,
                                 .stages = *argv[STAGES] || *argv[SVG]},
                        .name_count = argc - NAMES,
                        .names = argv + NAMES};
}

int main(int argc, char **argv)
{
    place_begin(argv[0]);
    temporary_watch_signals();
    setlocale(LC_CTYPE, "C.UTF-8");
    language_choose(language_of_environment());
    if (argc < NAMES) {
        bench_fail("%s", TELL(BENCH_ALONE));
        return 2;
    }
    BenchAsked asked = take_arguments(argc, argv);
    bool worked = bench_report(&asked);
    Error err;
    bool arrived = output_finish(&err);
    if (!arrived)
        bench_fail("%s", err.text);
    return worked && arrived ? 0 : 1;
}
