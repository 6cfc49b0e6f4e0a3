// Scenarios changed from the command line: --set, --text.
#include "digest.h"
#include "option_keys.h"
#include "scenario_file.h"
#include "scratch.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static Scenario opened;
static Error err;

static void open_request(ScenarioRequest request)
{
    ck_assert_msg(scenario_open(&opened, &request, &err), "%s", err.text);
}

static const ScenarioTensor *role(const char *name)
{
    const ScenarioTensor *found = scenario_tensor(&opened, name);
    ck_assert_msg(found != NULL, "no role %s", name);
    return found;
}

static void check_shape(const char *role_name, int rank, const ptrdiff_t shape[])
{
    char have[TENSOR_TEXT_MAX], want[TENSOR_TEXT_MAX];
    const Tensor *tensor = &role(role_name)->tensor;
    ck_assert_str_eq(tensor_shape_text(tensor->rank, tensor->shape, have),
                     tensor_shape_text(rank, shape, want));
}

// --- --set

TEST(set_changes_any_field)
{
    static const char *const sets[] = {
        "attention.scale=sqrt_d_model",
        "attention.mask=[causal, key_padding]",
        "input.ids=[[1, 2, 3], [4], []]",
        "model.out_proj=false",
        "about=mine",
    };
    open_request((ScenarioRequest){.what = "padded-batch", .sets = sets, .set_count = 5});
    ck_assert_float_eq(opened.options.scale, (float)sqrt(512.0));
    ck_assert(opened.options.causal && opened.options.mask_padding);
    ck_assert_int_eq(opened.size[SYMBOL_B], 3);
    ck_assert_int_eq(opened.size[SYMBOL_L], 3);
    ck_assert_int_eq(opened.size[SYMBOL_N], 4);
    ck_assert_ptr_null(scenario_tensor(&opened, "out_proj.weight"));
    ck_assert_str_eq(opened.about, "mine");
    scenario_finish(&opened);
}

TEST(scales_have_the_values_their_names_say)
{
    // 4 heads of 2: sqrt(2), sqrt(8), 2, sqrt(4), 1, 3.5
    static const struct {
        const char *set;
        double scale;
        bool scaled;
    } scales[] = {
        {"attention.scale=sqrt_d_k", 1.4142135623730951, true},
        {"attention.scale=sqrt_d_model", 2.8284271247461903, true},
        {"attention.scale=d_k", 2.0, true},
        {"attention.scale=sqrt_heads", 2.0, true},
        {"attention.scale=none", 1.0, false},
        {"attention.scale=3.5", 3.5, true},
    };
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        open_request(
            (ScenarioRequest){.what = "four-heads", .sets = &scales[i].set, .set_count = 1});
        ck_assert_float_eq(opened.options.scale, (float)scales[i].scale);
        ck_assert_int_eq(opened.scaled, scales[i].scaled);
        scenario_finish(&opened);
    }
}

TEST(head_widths_can_be_set_apart)
{
    // 3 heads: q and k 3 x 2 = 6 wide, v 3 x 5 = 15 wide, output 12
    static const char *const sets[] = {"model.d_k=2", "model.d_v=5"};
    open_request((ScenarioRequest){.what = "cross-attention", .sets = sets, .set_count = 2});
    check_shape("q_proj.weight", 2, (ptrdiff_t[]){6, 12});
    check_shape("v_proj.weight", 2, (ptrdiff_t[]){15, 12});
    check_shape("out_proj.weight", 2, (ptrdiff_t[]){12, 15});
    ck_assert_int_eq(opened.size[SYMBOL_DK], 6);
    ck_assert_int_eq(opened.size[SYMBOL_DV], 15);
    scenario_finish(&opened);
}

TEST(an_output_layer_that_does_not_fit_is_left_to_its_stage)
{
    // document 000: 12 heads of 64 make 768, dense is (770, 770)
    static const char *const sets[] = {"input.vectors={randn: [1, 10, 770]}", "model.d_model=770",
                                       "model.d_k=64",
                                       "model.out_proj={in_features: 770, out_features: 770}"};
    open_request((ScenarioRequest){.what = "self-attention", .sets = sets, .set_count = 4});
    ck_assert_int_eq(opened.size[SYMBOL_DV], 768);
    check_shape("out_proj.weight", 2, (ptrdiff_t[]){770, 770});
    scenario_finish(&opened);
}

TEST(words_of_unequal_sequences_share_a_pad)
{
    static const char *const set = "input.words=[[a, b, a], [c]]";
    open_request((ScenarioRequest){.what = "sentence", .sets = &set, .set_count = 1});
    ck_assert_int_eq(opened.size[SYMBOL_V], 4);
    ck_assert_str_eq(opened.vocabulary[3], "<pad>");
    ck_assert_int_eq(opened.options.pad_id, 3);
    ck_assert_int_eq(opened.size[SYMBOL_B], 2);
    scenario_finish(&opened);
}

TEST(weights_can_be_written_down)
{
    static const char values[] =
        "weights={values: {q_proj.weight: [[1, 2, 3, 4]], k_proj.weight: [[5, 6, 7, 8]], "
        "v_proj.weight: [[.5, -.inf, 1e-3, .nan], [0, 0, 0, 1]]}}";
    const char *const sets[] = {values, "model.d_k=1", "model.d_v=2"};
    open_request((ScenarioRequest){.what = "scaled-dot-product", .sets = sets, .set_count = 3});
    const Tensor *v = &role("v_proj.weight")->tensor;
    ck_assert_float_eq(*tensor_at2(v, 0, 0), 0.5f);
    ck_assert_float_eq(*tensor_at2(v, 0, 1), -INFINITY);
    ck_assert_float_eq(*tensor_at2(v, 0, 2), 1e-3f);
    ck_assert_float_nan(*tensor_at2(v, 0, 3));
    ck_assert_float_eq(*tensor_at2(v, 1, 3), 1.0f);
    ck_assert_str_eq(role("q_proj.weight")->from, "given with --set");
    scenario_finish(&opened);
}

TEST(matrices_of_the_heads_can_be_written_down)
{
    static const char *const sets[] = {
        "model={d_model: 4, heads: 2, d_k: 1, per_head: true, qkv_bias: false, out_proj: false, "
        "projections: {k: q_proj, v: q_proj}}",
        "weights={values: {q_proj.per_head: [[[1], [2], [3], [4]], [[5], [6], [7], [8]]]}}"};
    open_request((ScenarioRequest){.what = "scaled-dot-product", .sets = sets, .set_count = 2});
    ck_assert_ptr_null(scenario_tensor(&opened, "q_proj.weight"));
    check_shape("v_proj.per_head", 3, (ptrdiff_t[]){2, 4, 1});
    ck_assert_str_eq(role("v_proj.per_head")->name, "q_proj.per_head");
    ck_assert_float_eq(*tensor_at3(&role("k_proj.per_head")->tensor, 1, 2, 0), 7.0f);
    scenario_finish(&opened);
}

// --- --text

static void check_same_tensors(const Scenario *a, const Scenario *b)
{
    char left[DIGEST_TEXT_MAX], right[DIGEST_TEXT_MAX];
    ck_assert_int_eq(a->tensor_count, b->tensor_count);
    ck_assert_mem_eq(a->size, b->size, sizeof a->size);
    for (int i = 0; i < a->tensor_count; i++) {
        ck_assert_str_eq(a->tensors[i].role, b->tensors[i].role);
        ck_assert_str_eq(tensor_digest(&a->tensors[i].tensor, left),
                         tensor_digest(&b->tensors[i].tensor, right));
    }
}

TEST(the_sentence_typed_is_the_sentence_shipped)
{
    Scenario typed;
    ScenarioRequest request = {.text = "  Jungkook is very handsome.\tHe is a perfect singer. "};
    ck_assert_msg(scenario_open(&typed, &request, &err), "%s", err.text);
    open_request((ScenarioRequest){.what = "sentence"});
    check_same_tensors(&typed, &opened);
    scenario_finish(&typed);
    scenario_finish(&opened);
}

TEST(a_typed_sentence_says_how_it_was_split)
{
    open_request((ScenarioRequest){.text = "She gave him the book"});
    ck_assert_str_eq(opened.note, "5 words, 5 distinct: She=0 gave=1 him=2 the=3 book=4");
    ck_assert_int_eq(opened.size[SYMBOL_V], 5);
    ck_assert_str_eq(opened.name, "sentence");
    ck_assert_ptr_null(opened.document); // these words are in none
    scenario_finish(&opened);

    // no space anywhere: marks around words are tokens, marks inside are not
    open_request((ScenarioRequest){.text = "!?don't,"});
    ck_assert_str_eq(opened.note, "4 words, 4 distinct: !=0 ?=1 don't=2 ,=3");
    scenario_finish(&opened);
}

TEST(korean_sentences_work)
{
    // 나는 어제 은행에 갔다. with an ideographic space between the last two words
    open_request((ScenarioRequest){.text = "나는 어제 은행에　갔다."});
    ck_assert_str_eq(opened.note, "5 words, 5 distinct: 나는=0 어제=1 은행에=2 갔다=3 .=4");
    scenario_finish(&opened);
}

TEST(a_long_note_is_cut_at_the_width_of_a_screen)
{
    open_request((ScenarioRequest){
        .text = "a sentence with more different words than one line of a narrow screen can show "
                "to anybody"});
    ck_assert_str_eq(opened.note, "17 words, 16 distinct: a=0 sentence=1 with=2 more=3 different=4 "
                                  "words=5 tha…");
    scenario_finish(&opened);
}

TEST(a_sentence_can_go_through_any_scenario)
{
    open_request((ScenarioRequest){.what = "padded-batch", .text = "one two one"});
    check_shape("embedding.weight", 2, (ptrdiff_t[]){2, 512});
    scenario_finish(&opened);

    // causal draws x last; the embedding takes its place
    open_request((ScenarioRequest){.what = "causal", .text = "one two one"});
    ck_assert_str_eq(role("embedding.weight")->from,
                     "manual_seed 42, 5th draw: nn.Embedding(2, 12)");
    scenario_finish(&opened);

    // scaled-dot-product draws no x: the embedding comes last
    open_request((ScenarioRequest){.what = "scaled-dot-product", .text = "one two one"});
    ck_assert_str_eq(role("embedding.weight")->from,
                     "manual_seed 3761981812, 4th draw: nn.Embedding(2, 4)");
    scenario_finish(&opened);
}

// --- mistakes

static void check_refused(ScenarioRequest request, const char *says)
{
    ck_assert_msg(!scenario_open(&opened, &request, &err), "opened: %s", says);
    ck_assert_str_eq(err.text, says);
    ck_assert_ptr_null(opened.arena.chunks);
}

// Words 10, 13, 33, 30, 38, 12, 14, 21, 37, 39 of grammar_korean; English words are not cut: Jungkooka.
TEST(words_are_cut_where_the_model_knows_their_parts)
{
    static const int64_t ids[] = {10, 13, 33, 30, 38, 12, 14, 21, 37, 39};
    open_request((ScenarioRequest){.what = "sentence-korean",
                                   .text = "지은은 정말 젊다. 그녀는 요리사였니?"});
    const Tensor *tokens = &scenario_tensor(&opened, "tokens")->tensor;
    ck_assert_int_eq(tokens->shape[0], 10);
    ck_assert_mem_eq(tokens->storage.i64, ids, sizeof ids);
    scenario_finish(&opened);
    ScenarioRequest unknown = {.what = "sentence-korean", .text = "지은은 하늘이다."};
    ck_assert(!scenario_open(&opened, &unknown, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "text:1:5: '하늘이다' is not one of the 41 words"));
    unknown = (ScenarioRequest){.what = "sentence-trained", .text = "Jungkooka"};
    ck_assert(!scenario_open(&opened, &unknown, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "text:1:1: 'Jungkooka' is not one of"));
}

TEST(bad_options_are_named)
{
    static const struct {
        const char *set, *says;
    } mistakes[] = {
        {"attention.scale",
         "--set needs key=value, as in attention.scale=none; found 'attention.scale'"},
        {"=none", "--set needs key=value, as in attention.scale=none; found '=none'"},
        {"model.heads= ",
         "--set needs key=value, as in attention.scale=none; found 'model.heads= '"},
        // columns count in what stands after --set
        {"model.heads=7", "--set:1:13: d_model 8 is not divisible by 7 heads: 8 = 7 x 1 + 1; use "
                          "heads that divide it, or give d_k"},
        {"attention.mask=casual",
         "--set:1:16: expected one of none, causal, key_padding, pad_id, or a list "
         "of them; found 'casual' (did you mean 'causal'?)"},
        {"model..heads=2", "--set:1:14: 'model..heads' has an empty part; write names with single "
                           "dots, as in attention.scale"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        check_refused(
            (ScenarioRequest){.what = "four-heads", .sets = &mistakes[i].set, .set_count = 1},
            mistakes[i].says);
}

TEST(an_unknown_option_is_met_with_those_there_are)
{
    const char *set = "attention.scael=none";
    char says[1024];
    snprintf(says, sizeof says,
             "--set:1:17: unknown key 'scael' (did you mean 'scale'?); allowed here: scale, mask, "
             "mask_file, mask_value, key_padding_mask, mask_before_scale, causal_align, "
             "context_length, dropout, by_layer%s",
             option_keys("attention"));
    check_refused((ScenarioRequest){.what = "four-heads", .sets = &set, .set_count = 1}, says);
}

TEST(sentences_that_are_none_are_refused)
{
    check_refused((ScenarioRequest){.text = " \t"},
                  "the text has no words; give a sentence, such as \"She gave him the book\"");
    check_refused((ScenarioRequest){.text = "caf\xe9"}, "the text is not valid UTF-8");
}

TEST(unknown_scenarios_are_met_with_the_nearest)
{
    check_refused((ScenarioRequest){.what = "padded-bacth"},
                  "unknown scenario 'padded-bacth' (did you mean 'padded-batch'?); `attnscope list "
                  "scenarios` lists them, and your own file must end in .yaml");
    check_refused((ScenarioRequest){.what = "../padded-batch"},
                  "unknown scenario '../padded-batch' (did you mean 'padded-batch'?); `attnscope "
                  "list scenarios` lists them, and your own file must end in .yaml");
    check_refused((ScenarioRequest){.what = "004"},
                  "document 004 has 2 scenarios; name one: sentence, sentence-causal");
    check_refused((ScenarioRequest){.what = "005"},
                  "no scenario comes from document 005; `attnscope list scenarios` lists them with "
                  "their documents");
    check_refused((ScenarioRequest){.what = "none.yaml"},
                  "cannot open none.yaml: No such file or directory");
}

// The end of what a refused request says.
static void check_ending(ScenarioRequest request, const char *ending)
{
    ck_assert_msg(!scenario_open(&opened, &request, &err), "opened: %s", ending);
    size_t length = strlen(err.text), tail = strlen(ending);
    ck_assert_str_eq(err.text + (length > tail ? length - tail : 0), ending);
}

TEST(tensors_of_files_must_fit)
{
    const char *what = test_file("scenarios/f_large_scores.yaml");
    static const char *const sets[] = {
        "weights={values: {}}",
        "model.vocabulary=3",
        "model={d_model: 6, heads: 2, d_k: 2}",
        "model={d_model: 6, heads: 2, per_head: true}",
    };
    static const char *const endings[] = {
        ": q_proj.weight is missing, but this scenario needs it",
        ": the input has no ids or words, so there is no vocabulary",
        ": q_proj.weight is (6, 6), nn.Linear(6, 4) has (4, 6)",
        " has no tensor named 'f32.q_proj.per_head'; it has 102 tensors, the first is 'f32.x'",
    };
    for (int i = 0; i < 4; i++)
        check_ending((ScenarioRequest){.what = what, .sets = &sets[i], .set_count = 1}, endings[i]);
}

TEST(a_conversion_is_said_where_the_numbers_come_from)
{
    static const char *const sets[] = {"weights.prefix=f64."};
    const char *what = test_file("scenarios/f_large_scores.yaml");
    ScenarioRequest request = {.what = what, .sets = sets, .set_count = 1};
    ck_assert_msg(scenario_open(&opened, &request, &err), "%s", err.text);
    ck_assert_str_eq(scenario_tensor(&opened, "q_proj.weight")->from,
                     "../golden/small/f_large_scores.npz, f64.q_proj.weight (float64, rounded to "
                     "float32)");
    scenario_finish(&opened);
}

TEST(tensors_of_another_kind_are_refused)
{
    static const struct {
        const char *name, *says;
    } kinds[] = {
        {"", "name is missing: which tensor of the file?"},
        {", name: key_padding_mask", "vectors is bool in "},
        {", name: ''", "has no tensor named ''"},
        {", name: [f32.x]", "expected the name of a tensor, found a list"},
        {", name: f32.q_proj.bias", "vectors is (6,), but 3 axes are needed: (B, L, D)"},
    };
    char set[1200];
    const char *sets[] = {set};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        snprintf(set, sizeof set, "input.vectors={file: %s%s}",
                 test_file("golden/small/f_fully_padded_row_minus_inf.npz"), kinds[i].name);
        ScenarioRequest request = {.what = "four-heads", .sets = sets, .set_count = 1};
        ck_assert(!scenario_open(&opened, &request, &err));
        ck_assert_msg(strstr(err.text, kinds[i].says) != NULL, "%s", err.text);
    }
}

// As paths elsewhere in the file do; what cannot be read is told at its place.
TEST(a_path_in_a_set_begins_at_its_file)
{
    static const char text[] = "from: four-heads\nset:\n  - 'input.vectors={file: x.npz}'\n";
    char says[400];
    scratch_open();
    const char *path = scratch_write("changed.yaml", text, strlen(text));
    ScenarioRequest request = {.what = path};
    ck_assert(!scenario_open(&opened, &request, &err));
    snprintf(says, sizeof says, "%s:3:", path);
    ck_assert_msg(strncmp(err.text, says, strlen(says)) == 0, "%s", err.text);
    ck_assert_msg(strstr(err.text + strlen(says), scratch_path("x.npz")) != NULL, "%s", err.text);
    scratch_close();
}

SUITE("scenario_changes")
