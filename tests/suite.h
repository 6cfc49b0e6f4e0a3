// What every test program shares: running a Check suite as TAP, and finding committed test data.
#ifndef SUITE_H
#define SUITE_H

#include <check.h>
#include <stdbool.h>

// In the program of all tests (units.c) each has its main under its own name.
#ifdef UNIT
#define main UNIT
int main(void);
#endif

// Runs the suite; the exit code of main: 0 only when at least one check ran and all passed.
int suite_run(Suite *suite);

// True where a tool is not installed; then this has said, as TAP does, that the test is skipped, and
// main has nothing left but to succeed. bootstrap.sh knows each of these tools.
bool suite_skips_without(const char *tool);

// The path of a file under tests/ ("golden/rng_vectors.json"), in a static buffer of four turns.
const char *test_file(const char *name);

#endif
