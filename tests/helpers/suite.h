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

// --- a file's tests
//
// Each test joins the suite of its file by itself, so that none is forgotten. The file ends with
// SUITE("its name"), which is its main; SUITE_WITH also names what runs before and after each test, and
// SUITE_APART has each test in a process of its own. FIXTURE(before, after) does the same for the tests
// below it, up to the next one; FIXTURE_ONCE runs around all of them. Where a main has more to say it adds
// tests of START_TEST itself.

typedef struct SuiteTest {
    const TTest *test; // NULL: a fixture for those that follow
    int count;         // runs for each _i of 0 ... count - 1
    int every;         // where it is not 0, only for those that suite_takes says
    struct SuiteTest *next;
    SFun before, after;
    bool is_once;
} SuiteTest;

typedef struct SuiteTests {
    SuiteTest *first, *last;
} SuiteTests;

static SuiteTests suite_tests __attribute__((unused));

void suite_join(SuiteTests *tests, SuiteTest *test);
int suite_run_tests(const char *name, const SuiteTests *tests, SFun before, SFun after,
                    bool is_apart);

#define SUITE(name) SUITE_WITH(name, NULL, NULL)
#define SUITE_WITH(name, before, after) SUITE_MAIN(name, before, after, false)
#define SUITE_APART(name, before, after) SUITE_MAIN(name, before, after, true)
#define SUITE_MAIN(name, before, after, is_apart) \
    int main(void) \
    { \
        return suite_run_tests(name, &suite_tests, before, after, is_apart); \
    }

#define FIXTURE(before, after) SUITE_FIXTURE(before, after, false, __LINE__)
#define FIXTURE_ONCE(before, after) SUITE_FIXTURE(before, after, true, __LINE__)
#define SUITE_FIXTURE(before, after, is_once, line) SUITE_FIXTURE_AT(before, after, is_once, line)
#define SUITE_FIXTURE_AT(before, after, is_once, line) \
    __attribute__((constructor)) static void fixture_joins_##line(void) \
    { \
        static SuiteTest joining = {NULL, 0, 0, NULL, before, after, is_once}; \
        suite_join(&suite_tests, &joining); \
    }

// LOOP_TEST runs for each _i below a number of times; SLICE_TEST for every nth.
#define TEST(name) SLICE_TEST(name, 1, 0)
#define LOOP_TEST(name, times) SLICE_TEST(name, times, 0)
#define SLICE_TEST(name, times, nth) \
    static void name##_fn(int _i); \
    static const TTest name##_ttest = {#name, name##_fn, __FILE__, __LINE__}; \
    __attribute__((constructor)) static void name##_joins(void) \
    { \
        static SuiteTest joining = {&name##_ttest, 1, nth, NULL, NULL, NULL, false}; \
        joining.count = (int)(times); \
        suite_join(&suite_tests, &joining); \
    } \
    static void name##_fn(int _i __attribute__((unused)))

// --- running

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
