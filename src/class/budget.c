// budget: see budget.h.
#include "budget.h"

enum {
    COMPILE_SECONDS = 8,
    COMPILE_LEAST = 1,
    PATIENCE = 2500,
    PATIENCE_LEAST = 500,
    SHARE_LEAST = BUDGET_PROGRAMS * (COMPILE_LEAST * 1000 + PATIENCE_LEAST),
};

Budget budget_open(void)
{
    return (Budget){.compile_seconds = COMPILE_SECONDS, .patience = PATIENCE};
}

static int at_most(int number, long most)
{
    return number < most ? number : (int)most;
}

bool budget_share(Budget *budget)
{
    long left = BUDGET_SECONDS * 1000L - budget->spent;
    if (left < SHARE_LEAST)
        return false;
    left /= BUDGET_PROGRAMS;
    budget->compile_seconds = at_most(budget->compile_seconds, (left - PATIENCE_LEAST) / 1000);
    budget->patience = at_most(budget->patience, left - budget->compile_seconds * 1000L);
    return true;
}

static int half(int number, int least)
{
    return number / 2 > least ? number / 2 : least;
}

void budget_spend(Budget *budget, long compiled, long ran)
{
    bool compiled_slowly = compiled >= BUDGET_PROGRAMS * budget->compile_seconds * 500L;
    bool ran_slowly = ran >= BUDGET_PROGRAMS * budget->patience / 2L;
    budget->spent += compiled + ran;
    if (compiled_slowly)
        budget->compile_seconds = half(budget->compile_seconds, COMPILE_LEAST);
    if (ran_slowly)
        budget->patience = half(budget->patience, PATIENCE_LEAST);
}
