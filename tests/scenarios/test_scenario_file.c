// Scenario files: every shipped one opens; sizes, tensors and roles worked out by hand; weights as
// PyTorch drew them.
#include "digest.h"
#include "scenario_file.h"
#include "stage.h"
#include "suite.h"
#include "trace.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static Scenario opened;
static Error err;

static void open_request(ScenarioRequest request)
{
    ck_assert_msg(scenario_open(&opened, &request, &err), "%s", err.text);
}

static void open_named(const char *what)
{
    open_request((ScenarioRequest){.what = what});
}

static const ScenarioTensor *named(const char *name)
{
    for (int i = 0; i < opened.tensor_count; i++)
        if (strcmp(opened.tensors[i].name, name) == 0)
            return &opened.tensors[i];
    ck_abort_msg("no tensor %s", name);
    return NULL;
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

// --- every shipped scenario

TEST(the_list_names_every_scenario_by_document)
{
    static const char *const names[][2] = {
        {"000", "self-attention"},
        {"001", "padded-batch"},
        {"001", "padded-batch-class"},
        {"001", "padded-batch-corrected"},
        {"001", "padded-batch-masked"},
        {"002", "four-heads"},
        {"002", "four-heads-corrected"},
        {"002", "scaled-dot-product"},
        {"002", "scaled-dot-product-printed"},
        {"003", "causal"},
        {"003", "causal-dropout"},
        {"003", "causal-large"},
        {"004", "sentence"},
        {"004", "sentence-causal"},
        {NULL, "causal-leak"},
        {NULL, "causal-scale-first"},
        {NULL, "cross-attention"},
        {NULL, "decoder-batch"},
        {NULL, "empty-sentence"},
        {NULL, "empty-sentence-ten-thousand"},
        {NULL, "gradient"},
        {NULL, "heads"},
        {NULL, "induction"},
        {NULL, "memory"},
        {NULL, "memory-korean"},
        {NULL, "self-attention-wrong-root"},
        {NULL, "sentence-korean"},
        {NULL, "sentence-korean-shared"},
        {NULL, "sentence-korean-untrained"},
        {NULL, "sentence-online"},
        {NULL, "sentence-shared"},
        {NULL, "sentence-trained"},
        {NULL, "sentence-untrained"},
        {NULL, "sentence-whole-rows"},
        {NULL, "small-llama"},
        {NULL, "swapped-words"},
        {NULL, "swapped-words-positions"},
        {NULL, "ten-in-three-heads"},
        {NULL, "wide-heads"},
        {NULL, "wide-heads-unscaled"},
    };
    ScenarioList list;
    ck_assert_msg(scenario_list_open(&list, &err), "%s", err.text);
    ck_assert_int_eq(list.count, sizeof names / sizeof *names);
    for (int i = 0; i < list.count; i++) {
        ck_assert_str_eq(list.entries[i].name, names[i][1]);
        ck_assert_pstr_eq(list.entries[i].document, names[i][0]);
        ck_assert_uint_gt(strlen(list.entries[i].about), 20);
        // beside the longest name and the document it fits into a line of 80
        ck_assert_uint_lt(strlen(list.entries[i].about), 80 - 33);
    }
    scenario_list_close(&list);
}

TEST(every_listed_scenario_opens)
{
    ScenarioList list;
    ck_assert_msg(scenario_list_open(&list, &err), "%s", err.text);
    for (int i = 0; i < list.count; i++) {
        open_named(list.entries[i].name);
        ck_assert_str_eq(opened.name, list.entries[i].name);
        ck_assert_str_eq(opened.about, list.entries[i].about);
        ck_assert_ptr_null(opened.note);
        scenario_finish(&opened);
    }
    scenario_list_close(&list);
}

TEST(the_number_of_a_document_with_one_scenario_is_a_name_for_it)
{
    open_named("000");
    ck_assert_str_eq(opened.name, "self-attention");
    ck_assert_str_eq(opened.request.what, "self-attention");
    scenario_finish(&opened);
}

TEST(a_scenario_outside_the_list_opens_by_its_path)
{
    open_named(test_file("scenarios/f_large_scores.yaml"));
    check_shape("x", 3, (ptrdiff_t[]){1, 4, 6});
    check_shape("q_proj.weight", 2, (ptrdiff_t[]){6, 6});
    ck_assert_ptr_nonnull(strstr(role("q_proj.weight")->from, "f32.q_proj.weight"));
    scenario_finish(&opened);
}

// --- what stands in a scenario, by hand

TEST(a_padded_batch_has_all_its_sizes)
{
    open_named("padded-batch");
    // ten sequences of 16 + 5 + 11 + 2 + 4 + 5 + 1 + 20 + 16 + 14 = 94 tokens
    const ptrdiff_t sizes[SYMBOL_COUNT] = {
        [SYMBOL_B] = 10,    [SYMBOL_L] = 20,   [SYMBOL_LQ] = 20,  [SYMBOL_LK] = 20,
        [SYMBOL_V] = 100,   [SYMBOL_N] = 94,   [SYMBOL_H] = 8,    [SYMBOL_DIN] = 512,
        [SYMBOL_D_K] = 64,  [SYMBOL_D_V] = 64, [SYMBOL_DK] = 512, [SYMBOL_DV] = 512,
        [SYMBOL_DOUT] = 512};
    for (int i = 0; i < SYMBOL_COUNT; i++)
        ck_assert_msg(opened.size[i] == sizes[i], "%s is %td", symbol_names[i], opened.size[i]);
    ck_assert(opened.has_heads && opened.scaled && !opened.masked && !opened.with_position);
    ck_assert_int_eq(opened.options.heads, 8);
    ck_assert_float_eq(opened.options.scale, 8.0f);
    ck_assert_float_eq(opened.options.mask_value, -INFINITY);
    ck_assert_ptr_null(opened.vocabulary);
    check_shape("tokens", 1, (ptrdiff_t[]){94});
    check_shape("lengths", 1, (ptrdiff_t[]){10});
    ck_assert_int_eq(role("tokens")->tensor.storage.i64[16], 60);
    ck_assert_int_eq(role("lengths")->tensor.storage.i64[7], 20);
    ck_assert_str_eq(opened.document, "001");
    scenario_finish(&opened);
}

TEST(one_layer_can_make_q_k_and_v)
{
    open_named("padded-batch");
    const char *roles[] = {"q_proj.weight", "k_proj.weight", "v_proj.weight"};
    for (int i = 0; i < 3; i++) {
        ck_assert_str_eq(role(roles[i])->name, "q_proj.weight");
        ck_assert_ptr_eq(role(roles[i])->tensor.storage.f32,
                         role("q_proj.weight")->tensor.storage.f32);
    }
    ck_assert_str_eq(role("v_proj.bias")->name, "q_proj.bias");
    ck_assert_str_eq(role("out_proj.weight")->from,
                     "manual_seed 2766588038, 5th draw: nn.Linear(512, 512)");
    scenario_finish(&opened);
}

TEST(draws_that_are_thrown_away_count)
{
    open_named("four-heads");
    ck_assert_str_eq(role("q_proj.weight")->from,
                     "manual_seed 3761981812, 4th draw: nn.Linear(8, 8, bias=False)");
    ck_assert_float_eq(opened.options.scale, (float)sqrt(8.0));
    ck_assert_ptr_null(scenario_tensor(&opened, "q_proj.bias"));
    ck_assert_ptr_null(scenario_tensor(&opened, "out_proj.weight"));
    ck_assert_int_eq(opened.size[SYMBOL_DOUT], 0);
    scenario_finish(&opened);
}

TEST(without_heads_there_is_no_head_axis)
{
    open_named("scaled-dot-product");
    ck_assert(!opened.has_heads);
    ck_assert_int_eq(opened.size[SYMBOL_H], 0);
    ck_assert_int_eq(opened.options.heads, 1);
    ck_assert_int_eq(opened.size[SYMBOL_D_K], 4);
    ck_assert_float_eq(opened.options.scale, 2.0f);
    ck_assert_float_eq(*tensor_at3(&role("x")->tensor, 0, 1, 3), 2.0f);
    ck_assert_ptr_null(scenario_tensor(&opened, "x_query"));
    scenario_finish(&opened);
}

TEST(given_queries_keys_and_values_need_no_weights)
{
    open_named("scaled-dot-product-printed");
    ck_assert_int_eq(opened.tensor_count, 3);
    ck_assert_float_eq(*tensor_at3(&role("k")->tensor, 0, 1, 0), -0.7842f);
    ck_assert_int_eq(opened.size[SYMBOL_DK], 4);
    ck_assert_int_eq(opened.size[SYMBOL_DIN], 0);
    ck_assert_str_eq(role("q")->from, "written in scaled-dot-product-printed.yaml, line 9");
    scenario_finish(&opened);
}

TEST(the_matrices_of_the_heads_are_views_of_one_weight)
{
    // weight (12, 12) as (3, 4, 12): strides 48, 12, 1; axes 1 and 2 exchanged: 48, 1, 12
    open_named("sentence");
    const Tensor *weight = &named("k_proj.weight")->tensor;
    const Tensor *per_head = &role("k_proj.per_head")->tensor;
    ck_assert_str_eq(named("k_proj.weight")->role,
                     ""); // shown, but what is computed with is per_head
    check_shape("k_proj.per_head", 3, (ptrdiff_t[]){3, 12, 4});
    ck_assert_ptr_eq(per_head->storage.f32, weight->storage.f32);
    ck_assert_int_eq(per_head->stride[0], 48);
    ck_assert_int_eq(per_head->stride[1], 1);
    ck_assert_int_eq(per_head->stride[2], 12);
    // head 2, input 5, column 3 is row 2 * 4 + 3 of the weight
    ck_assert_float_eq(*tensor_at3(per_head, 2, 5, 3), *tensor_at2(weight, 11, 5));
    scenario_finish(&opened);
}

TEST(words_become_ids_in_order_of_appearance)
{
    static const char *const words[] = {"Jungkook", "is", "very",    "handsome", ".",
                                        "He",       "a",  "perfect", "singer"};
    static const int64_t ids[] = {0, 1, 2, 3, 4, 5, 1, 6, 7, 8, 4};
    open_named("sentence");
    ck_assert_int_eq(opened.size[SYMBOL_V], 9);
    for (int id = 0; id < 9; id++)
        ck_assert_str_eq(opened.vocabulary[id], words[id]);
    ck_assert_mem_eq(role("tokens")->tensor.storage.i64, ids, sizeof ids);
    ck_assert(opened.with_position);
    scenario_finish(&opened);
}

TEST(queries_can_have_an_input_of_their_own)
{
    open_named("cross-attention");
    check_shape("x", 3, (ptrdiff_t[]){2, 7, 12});
    check_shape("x_query", 3, (ptrdiff_t[]){2, 4, 12});
    ck_assert_int_eq(opened.size[SYMBOL_LQ], 4);
    ck_assert_int_eq(opened.size[SYMBOL_LK], 7);
    ck_assert_str_eq(role("x_query")->from, "manual_seed 5, 6th draw: torch.randn(2, 4, 12)");
    ck_assert_ptr_null(opened.document);
    scenario_finish(&opened);
}

TEST(a_context_length_registers_its_causal_mask)
{
    open_named("causal-dropout");
    check_shape("causal_mask_buffer", 2, (ptrdiff_t[]){8, 8});
    const Tensor *buffer = &role("causal_mask_buffer")->tensor;
    ck_assert_int_eq(*tensor_flag2(buffer, 3, 3), 0);
    ck_assert_int_eq(*tensor_flag2(buffer, 3, 4), 1);
    ck_assert_int_eq(*tensor_flag2(buffer, 4, 3), 0);
    ck_assert(opened.masked && opened.mask_before_scale && opened.options.causal);
    ck_assert(!opened.options.mask_padding);
    ck_assert(opened.with_dropout);
    ck_assert_double_eq(opened.options.dropout_p, 0.1);
    ck_assert_uint_eq(opened.options.dropout_seed, 2024);
    scenario_finish(&opened);
}

TEST(vectors_can_bring_a_padding_mask)
{
    open_named(test_file("scenarios/f_fully_padded_row_finfo_min.yaml"));
    check_shape("key_padding_mask", 2, (ptrdiff_t[]){2, 4});
    ck_assert(opened.masked && opened.options.mask_padding);
    ck_assert_float_eq(opened.options.mask_value, -0x1.fffffep127f);
    scenario_finish(&opened);
}

// --- weights as PyTorch drew them

static void check_sums(const char *what, const char *golden)
{
    char digest[DIGEST_TEXT_MAX];
    json_t *manifest = json_load_file(test_file("golden/manifest.json"), 0, NULL);
    const json_t *sums = json_object_get(json_object_get(manifest, golden), "checksums");
    ck_assert_ptr_nonnull(sums);
    open_named(what);
    for (int i = 0; i < opened.tensor_count; i++) {
        const ScenarioTensor *given = &opened.tensors[i];
        char key[64];
        snprintf(key, sizeof key, "f32.%s", given->name);
        const char *sum = json_string_value(json_object_get(json_object_get(sums, key), "sha256"));
        bool is_drawn = strstr(given->from, "draw:") != NULL;
        ck_assert_msg(!is_drawn || sum, "%s has no checksum", key);
        if (is_drawn)
            ck_assert_str_eq(tensor_digest(&given->tensor, digest), sum);
    }
    scenario_finish(&opened);
    json_decref(manifest);
}

TEST(drawn_numbers_are_pytorchs_bit_for_bit)
{
    check_sums("self-attention", "s000_B1_L10_D768_H12");
    check_sums("padded-batch", "s001_as_written_B10_L20_D512_H8");
    check_sums("padded-batch-corrected", "s001_corrected_B10_L20_D512_H8");
    check_sums("padded-batch-masked", "s001_key_padding_mask_B10_L20_D512_H8");
    check_sums("padded-batch-class", "s001_class_B10_L20_D512_H8");
    check_sums("causal-large", "s003_causal_bias0_B16_L128_D512_H8");
    check_sums(test_file("scenarios/s003_causal_bias1_B16_L128_D512_H8.yaml"),
               "s003_causal_bias1_B16_L128_D512_H8");
}

// --- model.asked: at which words the heads of a trained layer were asked for what they do.

static bool open_with(const char *what, const char *set)
{
    ScenarioRequest request = {.what = what, .sets = &set, .set_count = set != NULL};
    return scenario_open(&opened, &request, &err);
}

// Head 0 of the trained layer was asked at all but the first word, head 1 at all but marks, head 2 at
// pronouns. Words 0, 1, 13 and 38 are "-", Jungkook, He and the full stop (grammar.c).
TEST(a_trained_layer_says_where_its_heads_were_asked)
{
    enum { NOTHING = 0, JUNGKOOK = 1, HE = 13, STOP = 38 };
    ck_assert_msg(open_with("sentence-trained", NULL), "%s", err.text);
    ck_assert(scenario_is_asked(&opened, 2, 5, HE));
    ck_assert(!scenario_is_asked(&opened, 2, 5, JUNGKOOK));
    ck_assert(scenario_is_asked(&opened, 1, 0, JUNGKOOK));
    ck_assert(!scenario_is_asked(&opened, 1, 4, STOP));
    ck_assert(scenario_is_asked(&opened, 0, 1, STOP));
    ck_assert(!scenario_is_asked(&opened, 0, 0, STOP));
    ck_assert(!scenario_is_asked(&opened, 0, 1, NOTHING));
    scenario_finish(&opened);
}

TEST(where_nobody_says_every_row_was_asked)
{
    ck_assert_msg(open_with("sentence", NULL), "%s", err.text);
    ck_assert(scenario_is_asked(&opened, 0, 0, 0));
    scenario_finish(&opened);
    ck_assert_msg(open_with("sentence-trained", "model.asked=none"), "%s", err.text);
    ck_assert(scenario_is_asked(&opened, 0, 0, 0));
    scenario_finish(&opened);
}

TEST(what_is_not_understood_is_named)
{
    static const struct {
        const char *what, *set, *says;
    } mistakes[] = {
        {"sentence", "model.asked=[{words: [He]}]", "asked needs model.vocabulary_words"},
        {"sentence-trained", "model.asked=[{words: [He]}]",
         "asked needs an entry for each of the 3 heads"},
        {"sentence-trained", "model.asked=all", "asked needs an entry for each of the 3 heads"},
        {"sentence-trained", "model.asked=[He, She, him]",
         "an entry of asked needs words: [He, She]"},
        {"sentence-trained", "model.asked=[{first: false}, {but: []}, {but: []}]",
         "an entry of asked needs words: [He, She]"},
        {"sentence-trained", "model.asked=[{words: [He], but: []}, {but: []}, {but: []}]",
         "an entry of asked needs words: [He, She]"},
        {"sentence-trained", "model.asked=[{words: [[He]]}, {but: []}, {but: []}]",
         "an entry of asked needs words: [He, She]"},
        {"sentence-trained", "model.asked=[{word: [He]}, {but: []}, {but: []}]",
         "unknown key 'word' (did you mean 'words'?)"},
        {"sentence-trained", "model.asked=[{but: [Hee]}, {but: []}, {but: []}]",
         "'Hee' is not one of the 41 words of this model"},
        {"sentence-trained", "model.asked=[{but: [], first: 1}, {but: []}, {but: []}]",
         "expected true or false, found '1'"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        ck_assert_msg(!open_with(mistakes[i].what, mistakes[i].set), "%s", mistakes[i].set);
        ck_assert_msg(strstr(err.text, mistakes[i].says), "%s: %s", mistakes[i].set, err.text);
    }
}

// --- The page of the scenario format: `attnscope help scenario`, in both languages.

static const char *english(void)
{
    return scenario_format.in[LANGUAGE_ENGLISH];
}

// But for the lines that begin with '@', in whose places options are told of.
static void check_page(const char *name, const char *shown)
{
    char path[1024], line[256];
    int lines = 0;
    snprintf(path, sizeof path, "%s/%s", test_file("../src/scenarios"), name);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    for (bool after_options = false; fgets(line, sizeof line, file); lines++) {
        bool options = line[0] == '@';
        bool is_empty = line[0] == '\n';
        const char *found = after_options ? strstr(shown, is_empty ? "\n\n" : line) : shown;
        if (found && after_options && is_empty)
            found++;
        ck_assert_msg(options || (found && strncmp(found, line, strlen(line)) == 0), "%s", line);
        shown = options ? shown : found + strlen(line);
        after_options = options;
    }
    fclose(file);
    ck_assert_int_gt(lines, 100);
    ck_assert_str_eq(shown, "");
}

TEST(the_page_in_the_program_is_the_page_in_the_source)
{
    check_page("scenario_format.txt", english());
    check_page("scenario_format.ko.txt", scenario_format.in[LANGUAGE_KOREAN]);
}

// Where the next line with a key begins ("  heads: 8", "    - q_proj  ..."), and how much of it is the
// key; NULL: there is none. Keys stand left of the column of words.
static const char *next_key(const char *at, size_t *length)
{
    for (; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        size_t blanks = strspn(at, " -");
        *length = blanks + strspn(at + blanks, "abcdefghijklmnopqrstuvwxyz_");
        bool is_item = blanks > 0 && at[blanks - 1] == ' ' && memchr(at, '-', blanks);
        if (blanks <= 6 && *length > blanks && (at[*length] == ':' || is_item))
            return at;
    }
    return NULL;
}

TEST(the_page_has_the_same_keys_in_korean)
{
    size_t length, own;
    int keys = 0;
    const char *ours = next_key(english(), &length);
    const char *other = next_key(scenario_format.in[LANGUAGE_KOREAN], &own);
    for (; ours && other; keys++) {
        ck_assert_msg(length == own && strncmp(ours, other, own) == 0, "%.40s is not %.40s", ours,
                      other);
        ours = next_key(ours + length, &length);
        other = next_key(other + own, &own);
    }
    ck_assert_int_gt(keys, 60);
    ck_assert_ptr_null(ours);
    ck_assert_ptr_null(other);
}

TEST(the_page_tells_of_every_option_that_has_a_name)
{
    const StageOption *option;
    int named = 0;
    char line[64];
    for (int i = 0; (option = stage_option_get(i)) != NULL; i++) {
        if (!option->section)
            continue;
        snprintf(line, sizeof line, "\n  %s: ", option->name);
        const char *section = strcmp(option->section, "model") == 0 ? "\nmodel:" : "\nattention:";
        const char *begins = strstr(english(), section);
        ck_assert_ptr_nonnull(begins);
        ck_assert_msg(strstr(begins, line) != NULL, "%s%s", section, line);
        named++;
    }
    ck_assert_int_ge(named, 6);
    for (const char *at = english(); *at; at += strcspn(at, "\n") + 1)
        ck_assert_msg(strcspn(at, "\n") <= 89, "%.90s", at);
}

// --- Options of stages that scenarios give by their own names (options.def): what is refused, and why.

typedef struct Refusal {
    const char *set, *also; // what --set asks for; NULL: nothing more
    const char *says;
} Refusal;

static const Refusal refusals[] = {
    {"model.kv_heads=5", NULL,
     "--set:1:16: 12 query heads cannot share 5 key and value heads equally; use a number that "
     "divides heads"},
    {"model.kv_heads=0", NULL, "--set:1:16: expected a whole number from 1 to 65536, found '0'"},
    {"model.per_head=true", "model.kv_heads=2",
     "--set:1:16: kv_heads needs k_proj and v_proj for all heads together; remove it if q, k and v "
     "are given, or with per_head"},
    {"model.layer_norm=true", "model.rms_norm=true",
     "--set:1:16: layer_norm and rms_norm are in the same place; keep one of them"},
    {"model.residual=true", "model.out_proj=false",
     "--set:1:16: a residual adds x to the output of out_proj: both are needed"},
    {"attention.rope=0.5", NULL, "--set:1:16: rope must be a number from 1 to 1e+12, not 0.5"},
    {"attention.rope=.nan", NULL, "--set:1:16: rope must be a number from 1 to 1e+12, not .nan"},
    {"attention.alibi=3", NULL, "--set:1:17: expected true or false, found '3'"},
    {"attention.window=-1", NULL,
     "--set:1:18: expected a whole number from 1 to 2147483647, found '-1'"},
    {"model.feed_forward=8", NULL,
     "--set:1:20: feed_forward, learned positions, relative_buckets, relative_key and add_bias_kv "
     "need weights from a file or values, not draws"},
    {"model.feed_forward=8", "model.out_proj=false",
     "--set:1:20: feed_forward reads the output of out_proj; remove out_proj: false"},
    {"model.post_norm=true", "model.layer_norm=false",
     "--set:1:17: post_norm has no effect: no stage of this scenario reads it"},
    {"model.gelu_tanh=true", NULL,
     "--set:1:17: gelu_tanh has no effect: no stage of this scenario reads it"},
    {"attention.rope_neighbours=true", NULL,
     "--set:1:27: rope_neighbours has no effect: no stage of this scenario reads it"},
    {"input.pair=x", NULL,
     "pair is a second text for a model's tokenizer, but there is no tokenizer: use --pair with "
     "--text and whole layers of a file with a tokenizer next to it (--set weights.layers=1), or "
     "input.pair with input.text and input.tokenizer"},
    {"attention.mask_value=-9", NULL,
     "--set:1:22: mask_value has no effect: no stage of this scenario reads it"},
    {"attention.mask_before_scale=true", NULL,
     "--set:1:29: mask_before_scale has no effect: no stage of this scenario reads it"},
    {"attention.context_length=16", NULL,
     "--set:1:26: context_length has no effect: no stage of this scenario reads it"},
    {"model.qk_norm_across=true", NULL,
     "--set:1:22: qk_norm_across has no effect: no stage of this scenario reads it"},
    {"model.relative_buckets=8", NULL,
     "--set:1:24: feed_forward, learned positions, relative_buckets, relative_key and add_bias_kv "
     "need weights from a file or values, not draws"},
    {"model.relative_buckets=3", NULL,
     "--set:1:24: expected a whole number from 4 to 65536, found '3'"},
    {"attention.mask=pad_id", NULL,
     "--set:1:16: pad_id masks ids, but this scenario has none; use key_padding with "
     "key_padding_mask"},
    {"attention={softcap: 2, mask: causal, mask_before_scale: true}", NULL,
     "--set:1:57: softcap changes scaled scores, but the mask before it would already have "
     "replaced them; remove mask_before_scale"},
    {"attention={mask: causal, alibi: true, mask_before_scale: true}", NULL,
     "--set:1:58: alibi changes scaled scores, but the mask before it would already have replaced "
     "them; remove mask_before_scale"},
};

LOOP_TEST(what_no_option_can_be_is_refused, (int)(sizeof refusals / sizeof *refusals))
{
    Scenario scenario;
    const Refusal *at = &refusals[_i];
    const char *const sets[] = {at->set, at->also};
    ScenarioRequest request = {
        .what = "self-attention", .sets = sets, .set_count = at->also ? 2 : 1};
    ck_assert(!scenario_open(&scenario, &request, &err));
    ck_assert_str_eq(err.text, at->says);
}

TEST(what_is_not_given_is_not_there)
{
    Scenario scenario;
    const char *const sets[] = {"attention.window=4"};
    ScenarioRequest request = {.what = "self-attention", .sets = sets, .set_count = 1};
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    ck_assert_int_eq(scenario.options.window, 4);
    ck_assert(scenario.masked);
    ck_assert(!scenario.options.alibi);
    ck_assert_float_eq(scenario.options.rope, 0.0f);
    ck_assert_int_eq(scenario.options.kv_heads, 0);
    scenario_finish(&scenario);
}

// --- input.targets: the right answers to a model's questions, and what is refused of them.

static bool open_targets(const char *what, const char *set, const char *text)
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
    ck_assert_msg(open_targets("sentence-trained", NULL, NULL), "%s", err.text);
    ck_assert_int_eq(target_at(0, 0, 5), 1);
    ck_assert_int_eq(target_at(0, 0, 6), 0);
    ck_assert_int_eq(target_at(0, 1, 6), 13);
    scenario_finish(&opened);
    ck_assert_msg(open_targets("heads", NULL, NULL), "%s", err.text);
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

// out_proj sets the width 3 of what follows it, whatever d_out says. The token passes as (1, 0), so the output is
// (1, 0, 1); feed-forward multiplies by 0, and its bias is left.
TEST(an_output_projection_sets_the_width_of_feed_forward)
{
    static const char *const sets[] = {
        "input={vectors: [[[1, 0, 2]]]}",
        "model={d_in: 3, d_out: 2, d_k: 2, d_v: 2, qkv_bias: false, out_bias: false, feed_forward: "
        "1}",
        "weights={values: {q_proj.weight: [[0, 0, 0], [0, 0, 0]], k_proj.weight: [[0, 0, 0], [0, "
        "0, 0]], "
        "v_proj.weight: [[1, 0, 0], [0, 1, 0]], out_proj.weight: [[1, 0], [0, 1], [1, 1]], "
        "expand.weight: [[0, 0, 0]], expand.bias: [0], contract.weight: [[0], [0], [0]], "
        "contract.bias: [5, 6, 7]}}"};
    static const float out[] = {1, 0, 1}, bias[] = {5, 6, 7};
    ScenarioRequest request = {.what = "scaled-dot-product", .sets = sets, .set_count = 3};
    Trace trace;
    ck_assert_msg(scenario_open(&opened, &request, &err), "%s", err.text);
    ck_assert_msg(trace_open(&trace, &opened, &err) && trace_run(&trace, &err), "%s", err.text);
    const Tensor *output = &trace.tensors[trace_find(&trace, "output")].tensor;
    const Tensor *contracted = &trace.tensors[trace_find(&trace, "ff_contracted")].tensor;
    for (ptrdiff_t i = 0; i < 3; i++) {
        ck_assert_float_eq(*tensor_at3(output, 0, 0, i), out[i]);
        ck_assert_float_eq(*tensor_at3(contracted, 0, 0, i), bias[i]);
    }
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
        ck_assert_msg(open_targets("sentence-trained", sets[i], NULL), "%s", err.text);
        ck_assert_ptr_null(scenario_tensor(&opened, "targets"));
        scenario_finish(&opened);
    }
    ck_assert_msg(open_targets("sentence-trained", NULL, "Lisa is kind ."), "%s", err.text);
    ck_assert_ptr_null(scenario_tensor(&opened, "targets"));
    scenario_finish(&opened);
}

TEST(a_target_that_is_not_understood_is_named)
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
        ck_assert_msg(!open_targets(mistakes[i].what, mistakes[i].set, NULL), "%s",
                      mistakes[i].set);
        ck_assert_msg(strstr(err.text, mistakes[i].says), "%s: %s", mistakes[i].set, err.text);
    }
}

SUITE("scenario_file")
