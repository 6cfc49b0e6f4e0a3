// What every test program shares: running a Check suite as TAP, and finding committed test data.
#ifndef SUITE_H
#define SUITE_H

#include <check.h>

// Runs the suite; the exit code of main: 0 only when at least one check ran and all passed.
int suite_run(Suite *suite);

// The path of a file under tests/ ("golden/rng_vectors.json"), in a static buffer of four turns.
const char *test_file(const char *name);

#endif
