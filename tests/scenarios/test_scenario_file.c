// Scenario files: every shipped one opens; sizes, tensors and roles worked out by hand; weights as
// PyTorch drew them.
#include "digest.h"
#include "scenario_file.h"
#include "suite.h"

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

SUITE("scenario_file")
