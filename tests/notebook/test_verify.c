// A notebook's dump beside the trace. Dumps are made twice: of every mistake of the bank, as it runs;
// and by loops written here, in double precision, under names that people use.
#include "scenario_file.h"
#include "suite.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Scenario scenario;
static Trace right;
static Dump dump;
static VerifyFinding finding;
static Arena arena;

static void open_pass(const char *what, bool backward)
{
    Error err = {.text = ""};
    bool opened = scenario_open(&scenario, &(ScenarioRequest){.what = what}, &err);
    scenario.backward = backward;
    ck_assert_msg(opened && trace_open(&right, &scenario, &err) && trace_run(&right, &err), "%s",
                  err.text);
    dump.count = 0;
}

static void open_scenario(const char *what)
{
    open_pass(what, false);
}

static void close_scenario(void)
{
    trace_close(&right);
    scenario_finish(&scenario);
    arena_finish(&arena);
}

static void compare(const char *map)
{
    Error err = {.text = ""};
    ck_assert_msg(verify_match(&dump, map, &right, &err), "%s", err.text);
    verify_find(&dump, &right, &finding);
}

static Tensor *add(const char *name, int rank, const ptrdiff_t shape[])
{
    Error err;
    DumpTensor *one = &dump.tensors[dump.count++];
    *one = (DumpTensor){.name = name, .number = -1};
    ck_assert(tensor_take(&arena, DTYPE_F32, rank, shape, &one->tensor, &err));
    return &one->tensor;
}

// --- the bank

static bool is_found(const Mistake *mistake)
{
    for (int i = 0; i < finding.mistake_count; i++) {
        const Mistake *found = finding.mistakes[i];
        if (found == mistake || (found->same_as && strcmp(found->same_as, mistake->name) == 0) ||
            (mistake->same_as && strcmp(mistake->same_as, found->name) == 0))
            return true;
    }
    return false;
}

START_TEST(every_mistake_is_named_where_it_shows)
{
    const char *const scenarios[] = {
        "sentence-causal",
        "causal",
        "causal-dropout",
        "empty-sentence",
        test_file("scenarios/s001_small_key_padding_mask_B10_L20_D8_H2.yaml"),
        test_file("scenarios/f_large_scores.yaml")};
    const Mistake *mistake = mistake_get(_i);
    int shown = 0;
    for (size_t s = 0; s < sizeof scenarios / sizeof *scenarios; s++) {
        Error err;
        Trace wrong;
        TraceVariant variant = {.stages = mistake->stages};
        open_pass(scenarios[s], mistake_is_backward(mistake));
        if (!mistake_cannot_show(mistake, &scenario) &&
            trace_open_variant(&wrong, &scenario, &variant, &err)) {
            if (trace_run(&wrong, &err)) {
                for (int i = 0; i < wrong.tensor_count; i++)
                    dump.tensors[dump.count++] = (DumpTensor){.name = wrong.tensors[i].name,
                                                              .tensor = wrong.tensors[i].tensor,
                                                              .number = -1};
                compare(NULL);
                if (finding.dumped >= 0) {
                    shown++;
                    ck_assert_msg(is_found(mistake), "%s in %s is called %s, at %s", mistake->name,
                                  scenarios[s],
                                  finding.mistake_count ? finding.mistakes[0]->name : "nothing",
                                  dump.tensors[finding.dumped].name);
                }
            }
            trace_close(&wrong);
        }
        close_scenario();
    }
    // No scenario's file has a step of Adam.
    bool is_update = strcmp(mistake->stages[0]->name, "adam") == 0;
    ck_assert_msg((shown == 0) == is_update, "%s showed %d times", mistake->name, shown);
}

// --- by hand

typedef struct How {
    double divisor;        // of the scores
    bool causal, reversed; // keys added from the last one on
    bool exp2;
} How;

// Self-attention of document 002, without heads, in double precision.
static void attend(How how)
{
    enum { L = 3, D = 4 };
    const Tensor *x = &scenario_tensor(&scenario, "x")->tensor;
    const char *const names[] = {"W_q", "W_k", "W_v"};
    const char *const weights[] = {"q_proj.weight", "k_proj.weight", "v_proj.weight"};
    Tensor *made[3];
    for (int i = 0; i < 3; i++) {
        const Tensor *weight = &scenario_tensor(&scenario, weights[i])->tensor;
        made[i] = add(names[i], 3, (ptrdiff_t[]){1, L, D});
        for (int l = 0; l < L; l++)
            for (int o = 0; o < D; o++) {
                double sum = 0.0;
                for (int d = D - 1; d >= 0; d--)
                    sum += (double)*tensor_at3(x, 0, l, d) * (double)*tensor_at2(weight, o, d);
                *tensor_at3(made[i], 0, l, o) = (float)sum;
            }
    }
    Tensor *weights_out = add("attn_dists", 3, (ptrdiff_t[]){1, L, L});
    Tensor *context = add("attn_values", 3, (ptrdiff_t[]){1, L, D});
    for (int i = 0; i < L; i++) {
        double row[L], sum = 0.0;
        for (int j = 0; j < L; j++) {
            row[j] = 0.0;
            for (int d = 0; d < D; d++)
                row[j] += (double)*tensor_at3(made[0], 0, i, d) *
                          (double)*tensor_at3(made[1], 0, j, d) / how.divisor;
            row[j] = how.causal && j > i ? 0.0 : how.exp2 ? exp2(row[j]) : exp(row[j]);
            sum += row[j];
        }
        for (int j = 0; j < L; j++)
            *tensor_at3(weights_out, 0, i, j) = (float)(row[j] / sum);
        for (int d = 0; d < D; d++) {
            double mixed = 0.0;
            for (int j = 0; j < L; j++) {
                int key = how.reversed ? L - 1 - j : j;
                mixed += row[key] / sum * (double)*tensor_at3(made[2], 0, key, d);
            }
            *tensor_at3(context, 0, i, d) = (float)mixed;
        }
    }
}

START_TEST(another_order_of_sums_is_the_same)
{
    for (int reversed = 0; reversed < 2; reversed++) {
        open_scenario("scaled-dot-product");
        attend((How){.divisor = 2.0, .reversed = reversed});
        compare(NULL);
        ck_assert_int_eq(finding.dumped, -1);
        ck_assert_int_eq(finding.same, 5);
        close_scenario();
    }
}

START_TEST(a_forgotten_scale_is_found_in_the_weights)
{
    open_scenario("scaled-dot-product"); // d_k is 4: sqrt(4) = 2 is right
    attend((How){.divisor = 1.0});
    compare(NULL);
    ck_assert_str_eq(dump.tensors[finding.dumped].name, "attn_dists");
    ck_assert_int_eq(finding.same, 3);
    ck_assert_int_ge(finding.mistake_count, 1);
    ck_assert_str_eq(finding.mistakes[0]->name, "scale-missing");
    close_scenario();
}

START_TEST(what_no_mistake_makes_is_told_by_a_relation)
{
    char text[RELATION_TEXT_MAX];
    open_scenario("scaled-dot-product");
    attend((How){.divisor = 2.0, .exp2 = true});
    compare(NULL);
    ck_assert_int_eq(finding.mistake_count, 0);
    ck_assert_str_eq(relation_say(&finding.relations, LANGUAGE_ENGLISH, text),
                     "The softmax uses powers of 2 (exp2), not of e.");
    close_scenario();
}

START_TEST(tensors_are_matched_by_map_name_numbers_and_shape)
{
    Error err;
    open_scenario("scaled-dot-product");
    attend((How){.divisor = 2.0});
    dump.tensors[0].name = "first"; // its numbers are those of q
    dump.tensors[3].name = "mine";  // a map says what it is
    dump.tensors[4].name = "other";
    *tensor_at3(&dump.tensors[4].tensor, 0, 0, 0) = 7.0f;
    ck_assert(!dump_match(&dump, "mine=nothing", &right, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "'mine=nothing' is not a tensor of the file"));
    compare("mine=attn_weights");
    ck_assert_int_eq(dump.tensors[0].match, DUMP_BY_VALUE);
    ck_assert_int_eq(dump.tensors[1].match, DUMP_BY_NAME);
    ck_assert_int_eq(dump.tensors[3].match, DUMP_BY_MAP);
    close_scenario();
}

// A forgotten scale, under names that nobody knows, two of them of a shape that several tensors have.
START_TEST(what_has_no_name_is_known_by_the_mistake_that_makes_it)
{
    static const char *const names[] = {"one", "two", "three", "four", "five"};
    Error err = {.text = ""};
    open_scenario("scaled-dot-product");
    attend((How){.divisor = 1.0});
    for (int i = 0; i < dump.count; i++)
        dump.tensors[i].name = names[i];
    ck_assert(dump_match(&dump, NULL, &right, &err));
    ck_assert_int_eq(dump.tensors[3].match, DUMP_NOT);
    ck_assert(verify_match(&dump, NULL, &right, &err));
    ck_assert_int_eq(dump.tensors[3].match, DUMP_BY_MISTAKE);
    ck_assert_str_eq(right.tensors[dump.tensors[3].number].name, "attn_weights");
    ck_assert_str_eq(right.steps[right.tensors[dump.tensors[4].number].step].stage->name,
                     "weighted_sum");
    verify_find(&dump, &right, &finding);
    ck_assert_int_eq(finding.dumped, 3);
    ck_assert_int_ge(finding.mistake_count, 1);
    ck_assert_str_eq(finding.mistakes[0]->name, "scale-missing");
    close_scenario();
}

// What a forward hook keeps of the last module is the output, which is there under its own name, too: it
// is not taken for another tensor of that shape.
START_TEST(one_tensor_under_two_names_is_nothing_else)
{
    open_scenario("scaled-dot-product");
    attend((How){.divisor = 2.0});
    Tensor *again = add("hooked", 3, dump.tensors[4].tensor.shape);
    tensor_copy(&dump.tensors[4].tensor, again);
    compare(NULL);
    ck_assert_int_eq(finding.dumped, -1);
    ck_assert_int_eq(finding.same, 5);
    ck_assert_int_eq(dump.tensors[5].match, DUMP_AGAIN);
    close_scenario();
}

int main(void)
{
    Suite *suite = suite_create("verify");
    TCase *bank = tcase_create("bank");
    int count = 0;
    while (mistake_get(count))
        count++;
    suite_add_slice(bank, every_mistake_is_named_where_it_shows, count, 4);
    suite_add_tcase(suite, bank);
    TCase *hand = tcase_create("hand");
    tcase_add_test(hand, another_order_of_sums_is_the_same);
    tcase_add_test(hand, a_forgotten_scale_is_found_in_the_weights);
    tcase_add_test(hand, what_no_mistake_makes_is_told_by_a_relation);
    tcase_add_test(hand, tensors_are_matched_by_map_name_numbers_and_shape);
    tcase_add_test(hand, one_tensor_under_two_names_is_nothing_else);
    tcase_add_test(hand, what_has_no_name_is_known_by_the_mistake_that_makes_it);
    suite_add_tcase(suite, hand);
    return suite_run(suite);
}
