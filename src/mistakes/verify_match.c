// verify_match: see verify.h.
#include "verify.h"

// What a mistake's run makes of a tensor that nothing was found for yet: its number in the right trace; -1.
static int made_as(const DumpTensor *one, const Dump *dump, const Trace *right, const Trace *wrong)
{
    for (int made = 0; one->match == DUMP_NOT && made < wrong->tensor_count; made++) {
        int number = trace_find(right, wrong->tensors[made].name);
        if (number >= 0 && wrong->tensors[made].step >= 0 && !dump_is_taken(dump, number) &&
            tensor_difference(&one->tensor, &wrong->tensors[made].tensor).kind == DIFFERENCE_NONE)
            return number;
    }
    return -1;
}

// Matches what a mistake makes; the result is how many.
static int match_made(Dump *dump, const Trace *right, const Trace *wrong)
{
    int count = 0;
    for (int i = 0; i < dump->count; i++) {
        DumpTensor *one = &dump->tensors[i];
        int number = made_as(one, dump, right, wrong);
        if (number < 0)
            continue;
        one->match = DUMP_BY_MISTAKE;
        one->number = number;
        count++;
    }
    return count;
}

// Matches by the run of a mistake. False where this machine could not run it.
static bool match_mistake(const Mistake *mistake, Dump *dump, const Trace *right, int *count,
                          Error *err)
{
    Trace wrong;
    TraceVariant variant = {.stages = mistake->stages};
    *count = 0;
    if (mistake_cannot_show_beside(mistake, right))
        return true;
    if (trace_open_variant(&wrong, right->scenario, &variant, err)) {
        if (trace_run(&wrong, err))
            *count = match_made(dump, right, &wrong);
        trace_close(&wrong);
    }
    return !err->of_machine;
}

// With what the mistake makes that explains most.
static bool match_mistakes(Dump *dump, const Trace *right, Error *err)
{
    static Dump tried, best; // too large for a small stack
    const Mistake *mistake;
    int most = 0;
    for (int i = 0; (mistake = mistake_get(i)) != NULL; i++) {
        int count;
        tried = *dump;
        if (!match_mistake(mistake, &tried, right, &count, err))
            return false;
        if (count > most) {
            most = count;
            best = tried;
        }
    }
    if (most > 0)
        *dump = best;
    return true;
}

bool verify_match(Dump *dump, const char *map, const Trace *right, Error *err)
{
    if (!dump_match(dump, map, right, err) || !match_mistakes(dump, right, err))
        return false;
    dump_match_shapes(dump, right);
    return true;
}
