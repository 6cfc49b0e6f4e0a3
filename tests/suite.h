// What every test program shares: running a Check suite as TAP, and finding committed test data.
#ifndef SUITE_H
#define SUITE_H

#include <check.h>
#include <stdbool.h>

// Check writes down every assertion that holds, for when the next one crashes: a system call each. Here
// only the first time at each place, as loops hold thousands.
#define _mark_point(file, line) \
    __extension__({ \
        static bool is_marked; \
        if (!is_marked) \
            (_mark_point)(file, line); \
        is_marked = true; \
        (void)0; \
    })

// In the program of all tests (units.c) each has its main under its own name.
#ifdef UNIT
#define main UNIT
int main(void);
#endif

// Runs the suite; the exit code of main: 0 only when at least one check ran and all passed.
// Each is a process of its own, but not under a sanitizer: the end of one, where leaks are looked for,
// takes it half a second.
int suite_run(Suite *suite);

// The same for tests that must be processes of their own, as they end or limit themselves.
int suite_run_apart(Suite *suite);

// Whether a test takes this one of many cases of one law: every Nth, and all with ATTNSCOPE_LONG in the
// environment (`sh bootstrap.sh test long`). Under a sanitizer fewer, as each takes ten times as long.
bool suite_takes(int number, int every);

// A loop test over those of 0 ... count - 1 that are taken.
void suite_add_slice(TCase *cases, const TTest *test, int count, int every);

// True where a tool is not installed; then this has said, as TAP does, that the test is skipped, and
// main has nothing left but to succeed. bootstrap.sh knows each of these tools.
bool suite_skips_without(const char *tool);

// The path of a file under tests/ ("golden/rng_vectors.json"), in a static buffer of four turns.
const char *test_file(const char *name);

#endif
