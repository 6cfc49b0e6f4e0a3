// bench_step: how long a person waits for the stepper: from a key to the cells of the frame that
// answers it, over a walk that uses every part of the screen.
#include "bench.h"

#include "cells.h"
#include "scenario_file.h"
#include "screen.h"
#include "session_prompt.h"
#include "bench_words.h"

enum { COLUMNS = 120, ROWS = 40, ROUNDS = 4 };

// From the last step, where every tensor is there: back to the weights, through the depths, the
// cursor, the panels and other ways to look. It ends where it began.
static const char *const walk[] = {
    "p", "p", "p", "Tab", "Down", "Right", "PageDown",  "G", "End",  "g",     "Home", "d", "n", "n",
    "d", "n", "n", "d",   "o",    "Enter", "Backspace", "o", "H",    "z",     "H",    "m", "m", "v",
    "v", "t", "t", "]",   "[",    "f",     "f",         "f", "Left", "Right", "S",    ">"};

static bool press(Session *session, const char *key, Cells *cells, Error *err)
{
    Command command;
    if (!session_key(session, key, &command))
        return true; // a key of one mode only
    if (!session_apply(session, &command, err))
        return error_prefix(err, TELL(BENCH_KEY), key);
    screen_show(session, cells);
    return true;
}

static bool press_all(Session *session, Cells *cells, BenchLine *line, Error *err)
{
    for (int round = 0; round < ROUNDS; round++)
        for (size_t key = 0; key < sizeof walk / sizeof *walk; key++) {
            double start = bench_now();
            if (!press(session, walk[key], cells, err))
                return false;
            bench_add(&line->times, bench_now() - start);
        }
    bench_sort(&line->times);
    return true;
}

bool bench_step(const BenchWorkload *workload, BenchLine *line, Error *err)
{
    Scenario scenario;
    static Session session; // too large for a small stack
    Cells cells = {.columns = 0};
    *line = (BenchLine){.about = words_tell(workload->about)};
    if (!bench_scenario(workload, &scenario, err))
        return false;
    bool is_open = session_open(&session, &scenario, err);
    bool done = is_open && cells_resize(&cells, COLUMNS, ROWS, err) &&
                press(&session, ">", &cells, err) && press_all(&session, &cells, line, err);
    cells_finish(&cells);
    if (is_open)
        session_close(&session);
    scenario_finish(&scenario);
    return done;
}
