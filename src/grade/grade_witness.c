// grade_witness: see grade_witness.h.
#include "grade_witness.h"

#include "grade_running.h"

// Two tests, shown and hidden, have 16 further draws. What is true of every second one by chance passes once in
// 65,000 times.
enum { ROUNDS = 4 };

static struct GradeRange and_more(struct GradeRange range)
{
    return (struct GradeRange){range.least, range.most + 2};
}

// An edge has one size of each axis: at a little more it shows what was told of that size alone.
static GradeSizes sizes_of(const GradeKnown *known, bool is_hidden)
{
    GradeSizes sizes = is_hidden ? grade_hidden : grade_shown;
    if (known->edge > 0 && grade_edge(known->edge - 1, &sizes)) {
        sizes.batch = and_more(sizes.batch);
        sizes.heads = and_more(sizes.heads);
        sizes.length = and_more(sizes.length);
        sizes.width = and_more(sizes.width);
    }
    return sizes;
}

bool grade_witness(GradeRun *run, int count, GradeAgain *again, Error *err)
{
    const Verdict *verdict = run->verdict;
    bool good = true;
    for (int i = 0; i < ROUNDS * verdict->count && good; i++) {
        int number = i % verdict->count;
        const GradeKnown *known = &run->naming.known[number];
        if (!known->is_read || !grade_naming_relates(&run->naming, verdict))
            continue;
        VerdictTest record = {.name = NULL};
        const GradeAlone alone = {.number = number % count,
                                  .sizes = sizes_of(known, verdict->tests[number].hidden),
                                  .edge = known->edge,
                                  .hidden = verdict->tests[number].hidden,
                                  .round = 1 + i / verdict->count};
        good = again(run, &alone, &record, err);
        run->naming.came_right = run->naming.came_right || record.end == VERDICT_PASSED;
    }
    return good;
}
