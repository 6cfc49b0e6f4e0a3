// The next token: draws with PyTorch's bits, what temperature, top-k and top-p leave, and a text that goes on with
// a cache of keys and values: the bits of one without it, and PyTorch's numbers (tests/torch/sampling.py).
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "scenario_file.h"
#include "stage.h"
#include "suite.h"
#include "tiny.h"
#include "trace.h"

enum { WORDS_MAX = 5003, WORDS = 17 };

static json_t *golden;
static float first[WORDS_MAX], noise[WORDS_MAX], race[WORDS_MAX], kth[1];
static int64_t next[1];

static void load(void)
{
    golden = json_load_file(test_file("golden/sampling.json"), 0, NULL);
    ck_assert_ptr_nonnull(golden);
}

static void unload(void)
{
    json_decref(golden);
}

static Tensor row(float numbers[], ptrdiff_t words)
{
    return tensor_over(numbers, DTYPE_F32, 4, (ptrdiff_t[]){1, 1, 1, words});
}

static void run(const char *name, StageArgs args, StageOptions options)
{
    Error err;
    args.options = &options;
    ck_assert(stage_find(name)->run(&args, &err));
}

static int64_t integer(const json_t *object, const char *key)
{
    return (int64_t)json_integer_value(json_object_get(object, key));
}

// --- draws

static void check_draws(const json_t *wanted)
{
    ptrdiff_t size = (ptrdiff_t)integer(wanted, "size");
    StageOptions options = {.draw_seed = (ptrdiff_t)integer(wanted, "seed")};
    Tensor p = row(first, size), q = row(noise, size), r = row(race, size);
    Tensor chosen = tensor_over(next, DTYPE_I64, 3, (ptrdiff_t[]){1, 1, 1});
    for (ptrdiff_t w = 0; w < size; w++)
        first[w] = (float)((w * 7919 + 13) % 97 + 1);
    for (size_t i = 0; i < json_array_size(json_object_get(wanted, "ids")); i++) {
        options.drawn = (ptrdiff_t)i;
        run("draw", (StageArgs){.in = {p}, .out = {q, r}}, options);
        run("choose", (StageArgs){.in = {r}, .out = {chosen}}, options);
        ck_assert_int_eq(next[0],
                         json_integer_value(json_array_get(json_object_get(wanted, "ids"), i)));
    }
}

TEST(draws_are_those_of_pytorch)
{
    size_t number;
    json_t *wanted;
    json_array_foreach(json_object_get(golden, "draws"), number, wanted) check_draws(wanted);
    ck_assert_uint_eq(number, 21);
}
END_TEST

TEST(noise_has_the_bits_of_pytorch)
{
    size_t number, word;
    json_t *wanted, *bits;
    json_array_foreach(json_object_get(golden, "draws"), number, wanted)
    {
        ptrdiff_t size = (ptrdiff_t)integer(wanted, "size");
        Tensor p = row(first, size), q = row(noise, size), r = row(race, size);
        run("draw", (StageArgs){.in = {p}, .out = {q, r}},
            (StageOptions){.draw_seed = (ptrdiff_t)integer(wanted, "seed")});
        json_array_foreach(json_object_get(wanted, "noise"), word, bits)
        {
            char text[16];
            uint32_t own;
            memcpy(&own, &noise[word], sizeof own);
            snprintf(text, sizeof text, "%08x", own);
            ck_assert_str_eq(text, json_string_value(bits));
        }
    }
}
END_TEST

// --- what is left to draw from

static void check_shaped(const json_t *wanted, const json_t *logits)
{
    static float a[WORDS], b[WORDS];
    const StageOptions options = {
        .temperature = (float)json_number_value(json_object_get(wanted, "temperature")),
        .top_k = (ptrdiff_t)integer(wanted, "top_k"),
        .top_p = (float)json_number_value(json_object_get(wanted, "top_p"))};
    Tensor from = row(a, WORDS), to = row(b, WORDS);
    for (size_t w = 0; w < WORDS; w++)
        a[w] = (float)json_number_value(json_array_get(logits, w));
    run("temperature", (StageArgs){.in = {from}, .out = {to}}, options);
    memcpy(a, b, sizeof a);
    if (options.top_k)
        run("top_k", (StageArgs){.in = {from}, .out = {row(kth, 1), to}}, options);
    memcpy(a, b, sizeof a);
    run("prediction", (StageArgs){.in = {from}, .out = {to}}, options);
    memcpy(a, b, sizeof a);
    if (options.top_p > 0.0f)
        run("top_p", (StageArgs){.in = {from}, .out = {to}}, options);
    for (size_t w = 0; w < WORDS; w++) {
        double want =
            json_number_value(json_array_get(json_object_get(wanted, "probabilities"), w));
        ck_assert_msg(fabs((double)b[w] - want) < 1e-6 && (want == 0.0) == (b[w] == 0.0f),
                      "word %zu has %.9g, not %.9g", w, (double)b[w], want);
    }
}

TEST(temperature_top_k_and_top_p_leave_what_pytorch_leaves)
{
    const json_t *shaped = json_object_get(golden, "shaped");
    size_t number;
    json_t *wanted;
    json_array_foreach(json_object_get(shaped, "cases"), number, wanted)
        check_shaped(wanted, json_object_get(shaped, "logits"));
    ck_assert_uint_eq(number, 8);
}
END_TEST

// The words of transformers' TopPLogitsWarper: how many, and which comes last.
TEST(the_nucleus_of_many_words_is_pytorchs)
{
    enum { MANY = 5003 };
    size_t number;
    json_t *wanted;
    for (int w = 0; w < MANY; w++)
        first[w] = 1.0f / (1.0f + (float)(w * 7919 % MANY)) / 9.095109f;
    json_array_foreach(json_object_get(golden, "nucleus"), number, wanted)
    {
        ptrdiff_t kept = 0, last = -1;
        run("top_p", (StageArgs){.in = {row(first, MANY)}, .out = {row(noise, MANY)}},
            (StageOptions){.top_p = (float)json_number_value(json_object_get(wanted, "top_p"))});
        for (ptrdiff_t w = 0; w < MANY; w++) {
            kept += noise[w] > 0.0f;
            if (noise[w] > 0.0f && (last < 0 || first[w] < first[last]))
                last = w;
        }
        ck_assert_int_eq(kept, integer(wanted, "kept"));
        ck_assert_int_eq(last, integer(wanted, "last"));
    }
    ck_assert_uint_eq(number, 7);
}
END_TEST

// torch.argmax takes the first of equal numbers, and a NaN before all of them.
TEST(the_first_of_the_largest_is_chosen)
{
    static float numbers[] = {1.0f, 3.0f, 2.0f, 3.0f};
    Tensor p = row(numbers, 4), chosen = tensor_over(next, DTYPE_I64, 3, (ptrdiff_t[]){1, 1, 1});
    run("choose", (StageArgs){.in = {p}, .out = {chosen}}, (StageOptions){.choose = true});
    ck_assert_int_eq(next[0], 1);
    numbers[2] = NAN;
    run("choose", (StageArgs){.in = {p}, .out = {chosen}}, (StageOptions){.choose = true});
    ck_assert_int_eq(next[0], 2);
}
END_TEST

// --- a text that goes on

typedef struct Run {
    Scenario scenario;
    Trace trace;
    Error err;
} Run;

static void open_run(Run *run, const char *what, const char *text, const char *set)
{
    const char *sets[] = {"next.choose=true", set};
    ScenarioRequest request = {.what = what, .text = text, .sets = sets, .set_count = set ? 2 : 1};
    ck_assert_msg(scenario_open(&run->scenario, &request, &run->err) &&
                      trace_open(&run->trace, &run->scenario, &run->err) &&
                      trace_run(&run->trace, &run->err),
                  "%s", run->err.text);
}

static void close_run(Run *run)
{
    trace_close(&run->trace);
    scenario_finish(&run->scenario);
}

static const Tensor *named(const Run *run, const char *name)
{
    int number = trace_find(&run->trace, name);
    ck_assert_msg(number >= 0, "no %s", name);
    return &run->trace.tensors[number].tensor;
}

// The last rows of two tensors have the same bits; `axis` counts tokens.
static void check_same_end(const Run *whole, const Run *part, const char *name, int axis)
{
    const Tensor *a = named(whole, name), *b = named(part, name);
    Tensor end = tensor_narrow(a, axis, a->shape[axis] - b->shape[axis], b->shape[axis]);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    ck_assert_int_gt(tensor_count(b), 0);
    for (bool more = true; more; more = tensor_next(b, at))
        ck_assert_msg(tensor_same_number(&end, b, at), "%s differs", name);
}

// Every size of cache, in scenarios with positions of each kind.
TEST(a_cache_changes_no_bit)
{
    static const struct {
        const char *what, *last;
        int axis, tokens, block; // of the online softmax; 0: not used
    } rows[] = {{"memory", "logits", 2, 13, 0},     {"memory", "logits", 2, 13, 2},
                {"induction", "logits", 2, 9, 0},   {"sentence-causal", "output", 1, 11, 0},
                {"small-llama", "output", 1, 7, 0}, {"small-llama", "output", 1, 7, 1}};
    static Run whole, part;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int cached = 1; cached < 4; cached++) {
            char set[64], block[64];
            snprintf(set, sizeof set, "attention.cached=%d", cached);
            snprintf(block, sizeof block, "attention.softmax_block=%d", rows[i].block);
            const char *sets[] = {block, set};
            ScenarioRequest request = {.what = rows[i].what, .sets = sets};
            request.set_count = rows[i].block > 0;
            ck_assert_msg(scenario_open(&whole.scenario, &request, &whole.err), "%s",
                          whole.err.text);
            request.sets = rows[i].block > 0 ? sets : sets + 1;
            request.set_count++;
            ck_assert_msg(scenario_open(&part.scenario, &request, &part.err), "%s", part.err.text);
            ck_assert(trace_open(&whole.trace, &whole.scenario, &whole.err) &&
                      trace_run(&whole.trace, &whole.err));
            ck_assert_msg(trace_open(&part.trace, &part.scenario, &part.err) &&
                              trace_run(&part.trace, &part.err),
                          "%s", part.err.text);
            check_same_end(&whole, &part, rows[i].last, rows[i].axis);
            close_run(&whole);
            close_run(&part);
        }
}
END_TEST

// Goes on for one token. All but the first scenario, which has the weights, may be closed then.
static void go_on(Run *from, Run *to)
{
    int64_t id = *tensor_id3(named(from, "next"), 0, 0, 0);
    ck_assert_msg(trace_go_on(&from->trace, &id, 1, &to->scenario, &to->err) &&
                      trace_open(&to->trace, &to->scenario, &to->err) &&
                      trace_run(&to->trace, &to->err),
                  "%s", to->err.text);
}

TEST(a_model_writes_what_pytorch_writes)
{
    static Run runs[7];
    size_t number, word;
    json_t *wanted, *logit;
    open_run(&runs[0], "memory", NULL, NULL);
    json_array_foreach(json_object_get(golden, "memory"), number, wanted)
    {
        const Tensor *logits = named(&runs[number], "last_logits");
        json_array_foreach(json_object_get(wanted, "logits"), word, logit) ck_assert_double_eq_tol(
            (double)*tensor_at4(logits, 0, 0, 0, (ptrdiff_t)word), json_number_value(logit), 2e-4);
        ck_assert_int_eq(*tensor_id3(named(&runs[number], "next"), 0, 0, 0),
                         integer(wanted, "next"));
        go_on(&runs[number], &runs[number + 1]);
        if (number > 0)
            close_run(&runs[number]);
    }
    ck_assert_uint_eq(number, 6);
    ck_assert_int_eq(named(&runs[6], "k_cached")->shape[2], 19); // 13 tokens and 6
    ck_assert_int_eq(named(&runs[6], "layer1.past_v")->shape[2], 18);
    close_run(&runs[6]);
    close_run(&runs[0]);
}
END_TEST

// The third token of a draw continues the stream: torch draws 17 numbers for each.
TEST(a_draw_goes_on_in_its_stream)
{
    static Run runs[3];
    open_run(&runs[0], "memory", NULL, "next.draw=true");
    go_on(&runs[0], &runs[1]);
    go_on(&runs[1], &runs[2]);
    ck_assert_int_eq(runs[2].scenario.options.drawn, 2);
    for (int i = 2; i >= 0; i--)
        close_run(&runs[i]);
}
END_TEST

// The three tokens are of the first text, the second and the first; a new one is of the last token's text.
TEST(tokens_of_two_texts_stay_apart_when_a_text_starts_over)
{
    static const int64_t ids[] = {0, 1, 2, 3}, types[] = {0, 1, 0, 0};
    Error err = {.text = ""};
    Scenario scenario, next_one;
    Trace trace;
    tiny_scenario(&scenario,
                  (TinyShape){.batch = 1,
                              .queries = 3,
                              .keys = 3,
                              .d_k = 2,
                              .d_v = 2,
                              .d_in = 2,
                              .d_out = 2,
                              .vocabulary = 4,
                              .bias = true,
                              .layer_norm = true,
                              .learned = true,
                              .two_texts = true},
                  1);
    ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err) &&
                      trace_start_over(&trace, ids, 4, &next_one, &err),
                  "%s", err.text);
    const ScenarioTensor *kept = scenario_tensor(&next_one, "token_type_ids");
    ck_assert_ptr_nonnull(kept);
    ck_assert_int_eq(kept->tensor.shape[1], 4);
    for (ptrdiff_t l = 0; l < 4; l++)
        ck_assert_int_eq(*tensor_id2(&kept->tensor, 0, l), types[l]);
    scenario_finish(&next_one);
    trace_close(&trace);
    scenario_finish(&scenario);
}
END_TEST

TEST(what_a_cache_would_be_wrong_with_is_refused)
{
    static const char *const rows[][3] = {{"sentence", "attention.cached=2", "causal mask"},
                                          {"memory", "attention.cached=13", "at least one"},
                                          {"causal", "attention.cached=2", "one sequence"},
                                          {"memory", "next.top_k=3", "no effect"},
                                          {"memory", "attention.cached=2", "patch is"},
                                          {"memory", "attention.cached=2", "mask_value is"}};
    static const char *const beside[] = {"patch.0.0=mean", "attention.mask_value=0"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Scenario scenario;
        Error err = {.text = ""};
        const char *sets[] = {rows[i][1], beside[i == 5]};
        int count = i >= 4 ? 2 : 1;
        ScenarioRequest request = {.what = rows[i][0], .sets = sets, .set_count = count};
        ck_assert(!scenario_open(&scenario, &request, &err));
        ck_assert_msg(strstr(err.text, rows[i][2]) != NULL, "%s", err.text);
    }
}
END_TEST

FIXTURE_ONCE(load, unload)

SUITE("next token")
