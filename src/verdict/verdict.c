// verdict: tests and points of a record; see verdict.h.
#include "verdict.h"

VerdictTest *verdict_add(Verdict *verdict)
{
    if (verdict->count == VERDICT_TESTS_MAX)
        return NULL;
    VerdictTest *test = &verdict->tests[verdict->count++];
    *test = (VerdictTest){.end = VERDICT_NOT_RUN};
    return test;
}

void verdict_sum(Verdict *verdict)
{
    verdict->points = verdict->max = 0;
    for (int i = 0; i < verdict->count; i++) {
        verdict->points += verdict->tests[i].points;
        verdict->max += verdict->tests[i].max;
    }
}

bool verdict_passed(const Verdict *verdict)
{
    return verdict->count > 0 && !verdict_first_failure(verdict);
}

const VerdictTest *verdict_first_not_run(const Verdict *verdict)
{
    for (int i = 0; i < verdict->count; i++)
        if (verdict->tests[i].end == VERDICT_NOT_RUN)
            return &verdict->tests[i];
    return NULL;
}

bool verdict_judged(const Verdict *verdict)
{
    return verdict->count > 0 && !verdict_first_not_run(verdict);
}

const VerdictTest *verdict_first_failure(const Verdict *verdict)
{
    for (int hidden = 0; hidden < 2; hidden++)
        for (int i = 0; i < verdict->count; i++)
            if (verdict->tests[i].hidden == (hidden == 1) &&
                verdict->tests[i].end != VERDICT_PASSED)
                return &verdict->tests[i];
    return NULL;
}

void verdict_finish(Verdict *verdict)
{
    Arena arena = verdict->arena;
    *verdict = (Verdict){.exercise = NULL};
    arena_finish(&arena);
}
