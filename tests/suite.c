// suite: see suite.h.
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>

int suite_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int run = srunner_ntests_run(runner);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return run > 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#ifndef __has_feature
#define __has_feature(what) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { WATCHED_EVERY = 7 }; // no divisor of how many kernels, threads and shapes cases go through
#else
enum { WATCHED_EVERY = 1 };
#endif

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
