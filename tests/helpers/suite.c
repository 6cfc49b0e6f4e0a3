// suite: see suite.h.
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#ifndef __has_feature
#define __has_feature(what) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
// 7 divides none of the numbers of kernels, threads and shapes that cases go through.
enum { IS_WATCHED = 1, WATCHED_EVERY = 7 };
#else
enum { IS_WATCHED = 0, WATCHED_EVERY = 1 };
#endif

enum { KEPT_BYTES = 16 << 20 };

static int run(Suite *suite, enum fork_status fork_status)
{
#ifdef __GLIBC__
    // Memory that a case gives back stays here for the next: new pages cost more than most cases.
    mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
#endif
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, fork_status);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int count = srunner_ntests_run(runner);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return count > 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int suite_run(Suite *suite)
{
    return run(suite, IS_WATCHED ? CK_NOFORK : CK_FORK_GETENV);
}

int suite_run_apart(Suite *suite)
{
    return run(suite, CK_FORK);
}

void suite_join(SuiteTests *tests, SuiteTest *test)
{
    if (tests->last)
        tests->last->next = test;
    else
        tests->first = test;
    tests->last = test;
}

static TCase *add_cases(Suite *suite, const char *name, SFun before, SFun after)
{
    TCase *cases = tcase_create(name);
    if (before || after)
        tcase_add_checked_fixture(cases, before, after);
    suite_add_tcase(suite, cases);
    return cases;
}

int suite_run_tests(const char *name, const SuiteTests *tests, SFun before, SFun after,
                    bool is_apart)
{
    Suite *suite = suite_create(name);
    TCase *cases = add_cases(suite, name, before, after);
    for (const SuiteTest *joined = tests->first; joined; joined = joined->next)
        if (!joined->test && joined->is_once)
            tcase_add_unchecked_fixture(cases, joined->before, joined->after);
        else if (!joined->test)
            cases = add_cases(suite, name, joined->before, joined->after);
        else if (joined->every)
            suite_add_slice(cases, joined->test, joined->count, joined->every);
        else
            tcase_add_loop_test(cases, joined->test, 0, joined->count);
    return (is_apart ? suite_run_apart : suite_run)(suite);
}

bool suite_takes(int number, int every)
{
    const char *asked = getenv("ATTNSCOPE_LONG");
    return number % (every * WATCHED_EVERY) == 0 || (asked && *asked);
}

void suite_add_slice(TCase *cases, const TTest *test, int count, int every)
{
    for (int i = 0; i < count; i++)
        if (suite_takes(i, every))
            tcase_add_loop_test(cases, test, i, i + 1);
}

bool suite_skips_without(const char *tool)
{
    char words[256];
    snprintf(words, sizeof words, "command -v %s >/dev/null", tool);
    if (system(words) == 0)
        return false;
    printf("1..0 # SKIP %s is not here: CI=true sh bootstrap.sh test installs it\n", tool);
    return true;
}

const char *test_file(const char *name)
{
    static char paths[4][1024];
    static int turn;
    char *path = paths[turn++ % 4];
    const char *folder = getenv("ATTNSCOPE_TESTS");
    snprintf(path, sizeof paths[0], "%s/%s", folder ? folder : ".", name);
    return path;
}
