// grade_shrink: see grade_shrink.h.
#include "grade_shrink.h"

#include "grade_running.h"

static const struct {
    ptrdiff_t batch, heads, length, width;
} smaller[] = {
#define SMALLER(batch, heads, length, width) {batch, heads, length, width},
#include "grade_smaller.def"
#undef SMALLER
};

static GradeSizes sizes_of(int number, bool is_whole)
{
    return (GradeSizes){.batch = {smaller[number].batch, smaller[number].batch},
                        .heads = {smaller[number].heads, smaller[number].heads},
                        .length = {smaller[number].length, smaller[number].length},
                        .width = {smaller[number].width, smaller[number].width},
                        .layer = {2, 2},
                        .may_agree = true,
                        .is_whole = is_whole};
}

// A crash or a loop in a small case says something else: then the case stays as it was.
static bool shrink(GradeRun *run, int number, GradeAgain *again, Error *err)
{
    Verdict *verdict = run->verdict;
    enum { ROWS = sizeof smaller / sizeof *smaller };
    for (int i = 0; i < 2 * ROWS; i++) {
        VerdictTest small = {.name = NULL};
        const GradeAlone alone = {.number = number, .sizes = sizes_of(i % ROWS, i < ROWS)};
        if (!again(run, &alone, &small, err))
            return false;
        if (small.why[LANGUAGE_ENGLISH])
            return true;
        if (small.end == VERDICT_WRONG && small.where) {
            VerdictTest *kept = arena_take(&verdict->arena, 1, sizeof *kept, err);
            if (kept)
                *kept = small;
            verdict->tests[number].smallest = kept;
            return kept != NULL;
        }
    }
    return true;
}

bool grade_shrink(GradeRun *run, int count, GradeAgain *again, Error *err)
{
    bool good = true;
    for (int i = 0; good && i < count; i++) {
        const VerdictTest *test = &run->verdict->tests[i];
        if (test->end == VERDICT_WRONG && test->where && !test->hidden)
            good = shrink(run, i, again, err);
    }
    return good;
}
