// Which mistake made these numbers: the right name for each, none for numbers that are right, and
// none for numbers that are wrong in some other way.
#include "mistake.h"
#include "suite.h"
#include "tiny.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Everything there is, and no two sizes the same: ids and padding, positions, heads, bias, a causal
// mask, dropout.
static const TinyShape everything = {.batch = 2,
                                     .queries = 5,
                                     .keys = 5,
                                     .heads = 3,
                                     .d_k = 4,
                                     .d_v = 4,
                                     .d_in = 7,
                                     .d_out = 6,
                                     .vocabulary = 11,
                                     .bias = true,
                                     .padding = true,
                                     .positions = true,
                                     .causal = true,
                                     .dropout = true};

typedef struct Pair {
    Scenario scenario;
    Trace right, wrong;
} Pair;

static void open_pair(Pair *pair, TinyShape shape, uint64_t seed, const Mistake *mistake)
{
    Error err = {.text = ""};
    TraceWay way = {.stages = mistake->stages};
    tiny_scenario(&pair->scenario, shape, seed);
    ck_assert_msg(trace_open(&pair->right, &pair->scenario, &err) && trace_run(&pair->right, &err),
                  "%s", err.text);
    ck_assert_msg(trace_open_way(&pair->wrong, &pair->scenario, &way, &err) &&
                      trace_run(&pair->wrong, &err),
                  "%s: %s", mistake->name, err.text);
}

static void close_pair(Pair *pair)
{
    trace_close(&pair->wrong);
    trace_close(&pair->right);
    scenario_finish(&pair->scenario);
}

static bool is_same(const Mistake *a, const Mistake *b)
{
    return a == b || (a->same_as && mistake_find(a->same_as) == b) ||
           (b->same_as && mistake_find(b->same_as) == a);
}

// `mistake` is among those found, and the others are the ones that nothing tells from it.
static void check_found(const Mistake *mistake, int count, const Mistake *const found[])
{
    bool named = false;
    for (int i = 0; i < count; i++) {
        named = named || found[i] == mistake;
        ck_assert_msg(is_same(found[i], mistake), "%s is taken for %s", mistake->name,
                      found[i]->name);
    }
    ck_assert_msg(named, "%s is not recognised", mistake->name);
}

START_TEST(a_mistake_at_the_end_of_the_chain_has_its_own_name)
{
    for (int i = 0; mistake_get(i); i++) {
        Pair pair;
        const Mistake *found[MISTAKE_FOUND_MAX];
        open_pair(&pair, everything, 5, mistake_get(i));
        if (!mistake_get(i)->cannot_show(&pair.scenario)) {
            int output = trace_find(&pair.right, "output");
            int count = mistake_recognise_tensor(
                &pair.right, output, &pair.wrong.tensors[trace_find(&pair.wrong, "output")].tensor,
                found);
            check_found(mistake_get(i), count, found);
        }
        close_pair(&pair);
    }
}
END_TEST

START_TEST(what_is_right_has_no_name)
{
    Pair pair;
    const Mistake *found[MISTAKE_FOUND_MAX];
    Error err = {.text = ""};
    open_pair(&pair, everything, 5, mistake_get(0));
    for (int step = 0; step < pair.right.step_count; step++) {
        StageArgs args;
        ck_assert(trace_arguments(&pair.right, step, &args, &err));
        ck_assert_int_eq(mistake_recognise_step(&pair.right, step, &args, found, &err), 0);
    }
    close_pair(&pair);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mistake_recognise");
    TCase *cases = tcase_create("names");
    tcase_add_test(cases, a_mistake_at_the_end_of_the_chain_has_its_own_name);
    tcase_add_test(cases, what_is_right_has_no_name);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
