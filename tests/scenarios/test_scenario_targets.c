// input.targets: the right answers to a model's questions, and what is refused of them.
#include "scenario_file.h"
#include "suite.h"
#include "trace.h"

#include <math.h>
#include <string.h>

static Scenario opened;
static Error err;

static bool open_with(const char *what, const char *set, const char *text)
{
    ScenarioRequest request = {.what = what, .text = text, .sets = &set, .set_count = set != NULL};
    return scenario_open(&opened, &request, &err);
}

static int64_t target_at(ptrdiff_t b, ptrdiff_t q, ptrdiff_t l)
{
    const ScenarioTensor *targets = scenario_tensor(&opened, "targets");
    ck_assert_ptr_nonnull(targets);
    return *tensor_id3(&targets->tensor, b, q, l);
}

// Words 0, 1 and 13 of the vocabulary are "-", Jungkook and He (grammar.c). In the five sentences of
// `heads` the second word before "likes" is Minho, word 3; the first sentence has four words.
TEST(the_trained_sentences_know_their_answers)
{
    ck_assert_msg(open_with("sentence-trained", NULL, NULL), "%s", err.text);
    ck_assert_int_eq(target_at(0, 0, 5), 1);
    ck_assert_int_eq(target_at(0, 0, 6), 0);
    ck_assert_int_eq(target_at(0, 1, 6), 13);
    scenario_finish(&opened);
    ck_assert_msg(open_with("heads", NULL, NULL), "%s", err.text);
    ck_assert_int_eq(target_at(1, 1, 1), 3);
    ck_assert_int_eq(target_at(0, 0, 4), -1);
    scenario_finish(&opened);
}

// Two words, the second of which has the first for an answer; nothing is asked at the first. Logits are 0
// for weights of 0, so that each of two words has probability 1/2: the loss is log 2, and the gradient of
// the logits (1/2 - 1, 1/2) divided by one answer.
TEST(the_way_back_begins_at_the_answer)
{
    static const char *const sets[] = {
        "input={words: [a, b], targets: {who: [~, a]}}", "model={d_model: 1, questions: [who]}",
        "weights={values: {embedding.weight: [[1], [2]], q_proj.weight: [[0]], q_proj.bias: [0], "
        "k_proj.weight: [[0]], k_proj.bias: [0], v_proj.weight: [[0]], v_proj.bias: [0], "
        "out_proj.weight: [[0]], out_proj.bias: [0], readout.weight: [[[1], [2]]]}}",
        "backward=true"};
    ScenarioRequest request = {.what = "sentence", .sets = sets, .set_count = 4};
    Trace trace;
    ck_assert_msg(scenario_open(&opened, &request, &err), "%s", err.text);
    ck_assert_msg(trace_open(&trace, &opened, &err) && trace_run(&trace, &err), "%s", err.text);
    const Tensor *loss = &trace.tensors[trace_find(&trace, "loss")].tensor;
    const Tensor *gradient = &trace.tensors[trace_find(&trace, "grad.logits")].tensor;
    ck_assert_float_eq(*tensor_at1(loss, 0), (float)log(2.0));
    ck_assert_float_eq(*tensor_at4(gradient, 0, 0, 0, 0), 0.0f);
    ck_assert_float_eq(*tensor_at4(gradient, 0, 0, 1, 0), -0.5f);
    ck_assert_float_eq(*tensor_at4(gradient, 0, 0, 1, 1), 0.5f);
    ck_assert_int_eq(trace_find(&trace, "grad.output") >= 0, 1);
    trace_close(&trace);
    scenario_finish(&opened);
}

// torch.manual_seed(7); nn.Embedding(3, 4); four times nn.Linear(4, 4); then twice
// nn.Linear(4, 3, bias=False): PyTorch 1.13's first row of the first and last row of the second.
TEST(a_drawn_readout_is_a_linear_layer_for_each_question)
{
    static const float first[] = {-0x1.947ebp-4f, -0x1.42a624p-2f, 0x1.74b90cp-2f, -0x1.4a39a8p-3f};
    static const float last[] = {0x1.9d78fp-4f, -0x1.246628p-3f, -0x1.bc1f74p-2f, -0x1.4d634p-2f};
    static const char *const sets[] = {
        "input={words: [a, b, c]}", "model={d_model: 4, heads: 2, questions: [who, next]}",
        "weights={manual_seed: 7, draw: [embedding, q_proj, k_proj, v_proj, out_proj, readout]}"};
    ScenarioRequest request = {.what = "sentence", .sets = sets, .set_count = 3};
    ck_assert_msg(scenario_open(&opened, &request, &err), "%s", err.text);
    const ScenarioTensor *readout = scenario_tensor(&opened, "readout.weight");
    ck_assert_str_eq(readout->from, "manual_seed 7, 6th draw: nn.Linear(4, 6, bias=False)");
    for (ptrdiff_t d = 0; d < 4; d++) {
        ck_assert_float_eq(*tensor_at3(&readout->tensor, 0, 0, d), first[d]);
        ck_assert_float_eq(*tensor_at3(&readout->tensor, 1, 2, d), last[d]);
    }
    ck_assert(scenario_is_untrained(&opened));
    scenario_finish(&opened);
}

TEST(answers_to_other_words_are_left_out)
{
    static const char *const sets[] = {"input.words=[He, is, kind]", "input.targets=none",
                                       "model.questions=[what, before, mark]"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        ck_assert_msg(open_with("sentence-trained", sets[i], NULL), "%s", err.text);
        ck_assert_ptr_null(scenario_tensor(&opened, "targets"));
        scenario_finish(&opened);
    }
    ck_assert_msg(open_with("sentence-trained", NULL, "Lisa is kind ."), "%s", err.text);
    ck_assert_ptr_null(scenario_tensor(&opened, "targets"));
    scenario_finish(&opened);
}

TEST(what_is_not_understood_is_named)
{
    static const struct {
        const char *what, *set, *says;
    } mistakes[] = {
        {"sentence", "input.targets={who: [a]}",
         "--set:1:15: targets are answers to model.questions"},
        {"sentence", "weights.draw=[embedding, q_proj, k_proj, v_proj, out_proj, readout]",
         "readout is not drawn: the model has no questions"},
        {"sentence-trained", "input.targets=[who]",
         "--set:1:15: targets needs the right answers for each question"},
        {"sentence-trained", "input.targets={who: He}",
         "--set:1:21: targets needs the right answers for each question"},
        {"sentence-trained", "input.targets={whom: [He]}",
         "unknown key 'whom' (did you mean 'who'?)"},
        {"sentence-trained", "input.targets={who: [He]}", "expected 11, found 1"},
        {"heads", "input.targets={who: [[~, ~, ~, He], [~]]}", "expected 9, found 1"},
        {"heads", "input.targets={who: [[~, ~, ~, He]]}", "expected 5, found 1"},
        {"sentence-trained", "input.targets={who: [[~,~,~,~,~,~,~,~,~,~,a], [a]]}",
         "expected 1, found 2"},
        {"sentence-trained", "input.targets={who: [~,~,~,~,~,~,~,~,~,~,Hee]}",
         "--set:1:42: 'Hee' is not one of the 41 words"},
        {"sentence-trained", "input.targets={}", "--set:1:15: these targets have no answers"},
        {"sentence-trained", "input.targets={who: [~,~,~,~,~,~,~,~,~,~,~]}", "have no answers"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        ck_assert_msg(!open_with(mistakes[i].what, mistakes[i].set, NULL), "%s", mistakes[i].set);
        ck_assert_msg(strstr(err.text, mistakes[i].says), "%s: %s", mistakes[i].set, err.text);
    }
}

SUITE("scenario_targets")
