// What is wrong with a scenario file is said with its place, what is wrong and what is allowed.
#include "option_keys.h"
#include "scenario_file.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The sections of a scenario of four lines; NULL: as in `right`. One of them holds a ^ in front of
// the place that the message must name.
typedef struct Mistake {
    const char *input, *model, *weights, *attention;
    const char *says, *keys_of; // the section whose options end the sentence; NULL: none
} Mistake;

static const Mistake right = {
    .input = "{ids: [[1, 2], [3]]}",
    .model = "{vocabulary: 5, d_model: 4, heads: 2}",
    .weights = "{manual_seed: 1, draw: [embedding, q_proj, k_proj, v_proj, out_proj]}",
    .attention = "{}",
};

static const Mistake input_mistakes[] = {
    {.input = "{ids: [[1, 2], [^5]]}",
     .says = "token id 5 is outside the vocabulary of 5 (ids 0 to 4)"},
    {.input = "{ids: [[1, ^-1]]}",
     .says = "token id -1 is outside the vocabulary of 5 (ids 0 to 4)"},
    {.input = "{ids: [[1, ^2.0]]}", .says = "a token id must be a whole number, not '2.0'"},
    {.input = "{ids: [1, ^[2]]}", .says = "a token id must be a whole number, not a list"},
    {.input = "{ids: [[1], ^2]}",
     .says = "expected a sequence, [...], like those before it; found '2'"},
    {.input = "{ids: ^[]}", .says = "the input has no tokens"},
    {.input = "{ids: ^3}", .says = "expected a list of sequences, or of tokens; found '3'"},
    {.input = "{ids: [[1]], pad_id: ^9}",
     .says = "token id 9 is outside the vocabulary of 5 (ids 0 to 4)"},
    {.input = "^{}", .says = "the input is missing: give ids, words, vectors, or q, k and v"},
    {.input = "^[]", .says = "expected a map of keys and values, found a list"},
    {.input = "{^idz: [[1]]}",
     .says = "unknown key 'idz' (did you mean 'ids'?); allowed here: ids, words, text, tokenizer, "
             "pair, pad_id, vectors, query_vectors, q, k, v, targets"},
    {.input = "{ids: [[1]], ^vectors: [[[1]]]}",
     .says = "the input has both ids and vectors; keep one of them"},
    {.input = "{words: [a, b], ^pad_id: 0}",
     .says = "pad_id is for ids; with words, the padding is the last word, <pad>"},
    {.input = "{words: [a, ^'']}", .says = "expected a word, found nothing"},
    {.input = "{words: [a, ^{b: c}]}", .says = "expected a word, found a map"},
    {.input = "{vectors: [[[1, 2, 3, 4], ^[1, 2, 3]]]}",
     .model = "{d_model: 4}",
     .weights = "{manual_seed: 1, draw: [q_proj, k_proj, v_proj, out_proj]}",
     .says = "vectors is ragged: this list has 3 items, the first one has 4"},
    {.input = "{vectors: [[[1, 2, 3, ^[4]]]]}",
     .model = "{d_model: 4}",
     .says = "vectors: a list where the items before it are single values"},
    {.input = "{vectors: ^[[1, 2, 3, 4]]}",
     .model = "{d_model: 4}",
     .says = "vectors is (1, 4), but 3 axes are needed: (B, L, D)"},
    {.input = "{vectors: [[[1, 2, 3, ^a]]]}",
     .model = "{d_model: 4}",
     .says = "expected a number, found 'a'"},
    {.input = "{vectors: [[[1, 2, 3, ^1e39]]]}",
     .model = "{d_model: 4}",
     .says = "1e39 is beyond float32, whose largest number is 3.4028235e38"},
    {.input = "{vectors: [[^[]]]}", .model = "{d_model: 4}", .says = "vectors: this list is empty"},
    {.input = "{vectors: ^5}",
     .model = "{d_model: 4}",
     .says = "vectors: expected nested lists (B, L, D) or {file: ..., name: ...}, found '5'"},
    {.input = "{vectors: ^{name: x}}", .model = "{d_model: 4}", .says = "vectors: file is missing"},
    {.input = "{vectors: {file: ^none.npz, name: x}}",
     .model = "{d_model: 4}",
     .says = "cannot open none.npz: No such file or directory"},
    {.input = "{vectors: {file: ^[a]}}",
     .model = "{d_model: 4}",
     .says = "expected the name of a .npz, .safetensors, .npy or .pt file, found a list"},
    {.input = "{vectors: {randn: ^[1, 4]}}",
     .model = "{d_model: 4}",
     .says = "vectors is (1, 4), but 3 axes are needed: (B, L, D)"},
    {.input = "{vectors: {randn: ^4}}",
     .model = "{d_model: 4}",
     .says = "expected a list of lengths, as in [2, 3, 4]; found '4'"},
    {.input = "{vectors: {randn: [1, ^0, 4]}}",
     .model = "{d_model: 4}",
     .says = "expected a whole number from 1 to 2147483647, found '0'"},
    {.input = "{vectors: ^{randn: [2, 6, 10]}}",
     .model = "{d_model: 12}",
     .says = "vectors is (2, 6, 10): 10 numbers per token, but model.d_model is 12"},
    {.input = "{vectors: ^{randn: [2, 6, 10]}}",
     .model = "{d_model: 10}",
     .weights = "{}",
     .says = "vectors is {randn: ...}, so weights needs manual_seed and a draw list with x in it"},
    {.input = "{vectors: {randn: [2, 6, 4]}, query_vectors: ^{randn: [2, 6, 5]}}",
     .model = "{d_model: 4}",
     .says = "query_vectors is (2, 6, 5) and vectors is (2, 6, 4): their width must be equal"},
    {.input = "{ids: [[1]], query_vectors: ^{randn: [2, 6, 4]}}",
     .says = "query_vectors is (2, 6, 4), but the batch of the input is 1"},
    {.input = "{ids: [[1]], query_vectors: ^{randn: [1, 6, 5]}}",
     .says = "query_vectors is (1, 6, 5): 5 numbers per token, but model.d_model is 4"},
    {.input = "{q: [[[1]]], ^k: [[[1]]]}", .says = "k needs v too; q, k and v belong together"},
    {.input = "{q: [[[1]]], k: ^[[[1, 2]]], v: [[[1]]]}",
     .says = "k is (1, 1, 2) and q is (1, 1, 1): their width must be equal"},
    {.input = "{q: [[[1]]], k: [[[1]]], v: ^[[[1], [2]]]}",
     .says = "v is (1, 2, 1) and k is (1, 1, 1): their number of tokens must be equal"},
    {.input = "{q: [[[1]]], k: [[[1]]], v: [[[1]]], ^query_vectors: [[[1]]]}",
     .says = "query_vectors have no effect if q, k and v are given"},
    {.input = "{vectors: [[[1, 2]]], ^pad_id: 0}",
     .says = "pad_id is for ids; vectors are not padded"},
    {.input = "{vectors: ^{randn: [1, 1, 2]}}",
     .model = "{d_model: 2, qkv_bias: false, out_proj: false}",
     .weights = "{values: {q_proj.weight: [[1, 2]], k_proj.weight: [[1]], v_proj.weight: [[1]]}}",
     .says = "vectors is {randn: ...}, so weights needs manual_seed and a draw list with x in it"},
};

static const Mistake model_mistakes[] = {
    {.model = "{vocabulary: 5, d_model: 4, heads: 2, feed_forward: 3, ^parallel: true}",
     .says = "parallel adds attention and feed-forward to the same x, without a norm between them: "
             "it needs residual: true and no post_norm"},
    {.model = "{vocabulary: 5, d_model: 4, ^layers: 2}",
     .says = "'layers' belongs to the section `weights`: write weights.layers, or move it there"},
    {.model = "{vocabulary: 5, d_model: 4, ^window: 2}",
     .says =
         "'window' belongs to the section `attention`: write attention.window, or move it there"},
    {.input = "{q: [[[1]]], k: [[[1]]], v: [[[1]]]}",
     .model = "{^d_k: 1}",
     .says = "d_k and d_v follow from the widths of the given q, k and v"},
    {.input = "{words: [a, b]}",
     .model = "{vocabulary: ^5, d_model: 4, heads: 2}",
     .says = "vocabulary is 5, but the words (and <pad>, if needed) make 2; you can remove it"},
    {.input = "{q: [[[1]]], k: [[[1]]], v: [[[1]]]}",
     .model = "{heads: ^2}",
     .says = "q's width 1 is not divisible by 2 heads: 1 = 2 x 0 + 1; use heads that divide it"},
    {.input = "{q: [[[1]]], k: [[[1]]], v: [[[1]]]}",
     .model = "{^qkv_bias: true, out_proj: false}",
     .weights = "{}",
     .says = "qkv_bias has no effect: no stage of this scenario reads it"},
    {.input = "{q: [[[1]]], k: [[[1]]], v: [[[1]]]}",
     .model = "{out_proj: false, ^out_bias: true}",
     .weights = "{}",
     .says = "out_bias has no effect: no stage of this scenario reads it"},
    {.model = "^{d_model: 4, heads: 2}", .says = "vocabulary is missing: ids need its size"},
    {.model = "^{vocabulary: 5}", .says = "the model has no d_model (or d_in and d_out)"},
    {.model = "^{vocabulary: 5, d_in: 4}", .says = "the model has no d_model (or d_in and d_out)"},
    {.model = "{vocabulary: 5, ^d_model: 4, d_in: 4}",
     .says = "d_model sets both d_in and d_out; keep it, or those two"},
    {.model = "{vocabulary: 5, d_model: 4, heads: ^3}",
     .says = "d_model 4 is not divisible by 3 heads: 4 = 3 x 1 + 1; use heads that divide it, or "
             "give d_k"},
    {.model = "{vocabulary: 5, d_model: ^0}",
     .says = "expected a whole number from 1 to 2147483647, found '0'"},
    {.model = "{vocabulary: 5, d_model: 4, ^head: 2}",
     .says =
         "unknown key 'head' (did you mean 'heads'?); allowed here: vocabulary, d_model, d_in, "
         "d_out, heads, d_k, d_v, projections, per_head, qkv_bias, position, out_proj, out_bias, "
         "vocabulary_words, questions, asked, kdim",
     .keys_of = "model"},
    {.input = "{words: [a, ^c]}",
     .model = "{d_model: 2, vocabulary_words: [a, b]}",
     .says = "'c' is not one of the 2 words of this model: a b"},
    {.model = "{d_model: 2, vocabulary: 5, ^vocabulary_words: [a, b]}",
     .says = "vocabulary_words needs words in the input"},
    {.input = "{words: [a]}",
     .model = "{d_model: 2, questions: [who]}",
     .weights = "{manual_seed: 1, draw: ^[embedding, q_proj, k_proj, v_proj, out_proj]}",
     .says = "readout is not drawn, but this scenario needs it: add it to the list where the "
             "notebook draws it"},
    {.model = "{vocabulary: 5, d_model: 4, projections: {q: ^q_prj}}",
     .says = "expected one of q_proj, k_proj, v_proj; found 'q_prj' (did you mean 'q_proj'?)"},
    {.model = "{vocabulary: 5, d_model: 4, projections: {^x: q_proj}}",
     .says = "unknown key 'x'; allowed here: q, k, v"},
    {.model = "{vocabulary: 5, d_model: 4, d_k: 3, d_v: 2, projections: {v: ^k_proj}}",
     .says = "k_proj makes 3 numbers per token, but v has 2"},
    {.model = "{vocabulary: 5, d_model: 4, per_head: ^true}",
     .says = "per_head gives each head its own matrix, but the model has no heads"},
    {.model = "{vocabulary: 5, d_model: 4, per_head: ^1}",
     .says = "expected true or false, found '1'"},
    {.model = "{vocabulary: 5, d_model: 4, position: ^sinus}",
     .says = "expected one of none, sinusoidal, learned; found 'sinus'"},
    {.model = "{vocabulary: 5, d_model: 4, out_proj: ^3}",
     .says = "expected true or false, found '3'"},
    {.model = "{vocabulary: 5, d_model: 4, out_proj: {^in: 3}}",
     .says = "unknown key 'in'; allowed here: in_features, out_features"},
    {.input = "{vectors: {randn: [1, 2, 4]}}",
     .model = "{d_model: 4, position: ^sinusoidal}",
     .says = "positions are added to embeddings, but the input has no ids or words"},
    {.input = "{vectors: {randn: [1, 2, 4]}}",
     .model = "{^vocabulary: 5, d_model: 4}",
     .says = "the input has no ids or words, so there is no vocabulary"},
    {.input = "{words: [a, b]}",
     .model = "{vocabulary: ^5, d_model: 4}",
     .says = "vocabulary is 5, but the words (and <pad>, if needed) make 2; you can remove it"},
};

static const Mistake weights_mistakes[] = {
    {.weights = "{^draw: [embedding]}",
     .says = "draw needs manual_seed, the number for torch.manual_seed"},
    {.weights = "{file: a.npz, ^manual_seed: 1}", .says = "manual_seed needs draw"},
    {.weights = "{values: {}, ^prefix: a}", .says = "prefix needs file"},
    {.input = "{vectors: {randn: [2, 6, 10]}}",
     .model = "{d_model: 10}",
     .weights = "{manual_seed: 1, draw: ^[q_proj, k_proj, v_proj, out_proj]}",
     .says = "x is not drawn, but this scenario needs it: add it to the list where the notebook "
             "draws it"},
    {.weights = "^{manual_seed: 1}",
     .says = "the weights are missing: embedding and others; add manual_seed and draw, or file, or "
             "values"},
    {.weights = "{manual_seed: 1, draw: ^q_proj}",
     .says = "expected a list of draws, in order; found 'q_proj'"},
    {.weights = "{manual_seed: 1, draw: ^[embedding, q_proj, k_proj, v_proj]}",
     .says = "out_proj is not drawn, but this scenario needs it: add it to the list where the "
             "notebook draws it"},
    {.weights = "{manual_seed: 1, draw: [embedding, q_proj, ^q_proj, v_proj]}",
     .says =
         "q_proj is already drawn in line 3; to discard a draw, write skip: {linear: [in, out]}"},
    {.weights = "{manual_seed: 1, draw: [^embeding, q_proj, k_proj, v_proj, out_proj]}",
     .says = "expected one of embedding, q_proj, k_proj, v_proj, out_proj, or skip: {...}; found "
             "'embeding' (did you mean 'embedding'?)"},
    {.weights = "{manual_seed: 1, draw: [embedding, q_proj, k_proj, v_proj, out_proj, ^x]}",
     .says = "x is not drawn: the input does not give it as {randn: [...]}"},
    {.weights = "{manual_seed: 1, draw: [skip: ^3]}",
     .says = "expected a map of keys and values, found a single value"},
    {.weights = "{manual_seed: 1, draw: [^skap: {linear: [2, 2]}]}",
     .says = "unknown key 'skap' (did you mean 'skip'?); allowed here: skip"},
    {.weights = "{manual_seed: 1, draw: [embedding, q_proj, k_proj, v_proj, out_proj, skip: "
                "{linear: ^[2]}]}",
     .says = "expected 2 lengths, found 1"},
    {.weights = "{manual_seed: 1, draw: [embedding, q_proj, k_proj, v_proj, out_proj, skip: "
                "{linear: [2, 2], times: ^5000}]}",
     .says = "at most 1000 times"},
    {.weights = "{file: a.npz, ^values: {}}",
     .says = "weights have both file and values; keep one of them"},
    {.weights = "{file: ^a.npz}", .says = "cannot open a.npz: No such file or directory"},
    {.weights = "{values: ^{q_proj.weight: [[1]]}}",
     .says = "embedding.weight is missing, but this scenario needs it"},
    {.weights = "{values: {^q_prj.weight: [[1]]}}",
     .says = "unknown key 'q_prj.weight' (did you mean 'q_proj.weight'?); allowed here: "
             "embedding.weight, q_proj.weight, q_proj.bias, k_proj.weight, k_proj.bias, "
             "v_proj.weight, v_proj.bias, out_proj.weight, out_proj.bias"},
    {.input = "{vectors: [[[1, 2]]]}",
     .model = "{d_model: 2, qkv_bias: false, out_proj: false}",
     .weights = "{values: {q_proj.weight: ^[[1, 2]], k_proj.weight: [[1]], v_proj.weight: [[1]]}}",
     .says = "q_proj.weight is (1, 2), nn.Linear(2, 2, bias=False) has (2, 2)"},
};

static const Mistake attention_mistakes[] = {
    {.attention = "{cached: ^1}",
     .says = "attention.cached needs a causal mask, one sequence and keys that stay as they are; "
             "attention.mask is against that"},
    {.input = "{vectors: [[[1, 2], [3, 4]]]}",
     .model = "{d_model: 2, qkv_bias: false, out_proj: false}",
     .weights = "{values: {q_proj.weight: [[1, 2], [3, 4]], k_proj.weight: [[1, 2], [3, 4]], "
                "v_proj.weight: [[1, 2], [3, 4]]}}",
     .attention = "{mask: [causal, key_padding], key_padding_mask: [[false, true]], cached: ^1}",
     .says = "attention.cached needs a causal mask, one sequence and keys that stay as they are; "
             "attention.mask is against that"},
    {.attention = "{rope: 10, ^rope_yarn: 1.1, rope_factor: 4}",
     .says = "rope_yarn needs rope_original; add it"},
    {.attention = "{rope: 10, ^rope_original: 8}",
     .says = "rope_original needs rope_factor; add it"},
    {.attention = "{rope: 10, rope_factor: 4, ^rope_low: 2}",
     .says = "rope_low needs rope_original; add it"},
    {.attention = "{rope: 10, rope_factor: 4, rope_original: 8, ^rope_dynamic: 2}",
     .says = "rope_dynamic changes the base, rope_original the speed of single pairs, and no model "
             "does both; remove one of the two"},
    {.attention = "{rope: 1, rope_factor: 4, rope_original: 8, ^rope_yarn: 1.1}",
     .says =
         "rope_yarn separates fast pairs from slow ones, but with rope: 1 all turn alike; set a "
         "larger rope"},
    {.attention = "{scale: ^sqrt_dk}",
     .says = "expected one of sqrt_d_k, sqrt_d_model, d_k, sqrt_heads, none, or a number; found "
             "'sqrt_dk' (did you mean 'sqrt_d_k'?)"},
    {.attention = "{scale: ^0}", .says = "scores are divided by scale, so it cannot be 0"},
    {.model = "{vocabulary: 5, d_in: 4, d_out: 6, heads: 2}",
     .attention = "{scale: ^sqrt_d_model}",
     .says = "d_in and d_out differ, so sqrt_d_model is ambiguous; give the number"},
    {.attention = "{mask: ^casual}",
     .says = "expected one of none, causal, key_padding, pad_id, or a list of them; found 'casual' "
             "(did you mean 'causal'?)"},
    {.attention = "{mask: [^none, causal]}", .says = "none cannot be combined with other masks"},
    {.attention = "{mask: [causal, ^causal]}", .says = "causal is in the list already"},
    {.attention = "{mask_file: [[^0, 1]]}", .says = "expected true or false, found '0'"},
    {.attention = "{mask_file: {^randn: [2, 2]}}",
     .says = "mask_file cannot be drawn; give lists or {file: ..., name: ...}"},
    {.attention = "{mask: key_padding, ^key_padding_mask: [[true, false]]}",
     .says = "key_padding_mask is for vectors; ids and words know their own padding"},
    {.input = "{vectors: {randn: [1, 2, 4]}}",
     .model = "{d_model: 4}",
     .weights = "{manual_seed: 1, draw: [q_proj, k_proj, v_proj, out_proj, x]}",
     .attention = "{mask: ^key_padding}",
     .says = "key_padding needs key_padding_mask, because vectors do not show what is padding"},
    {.input = "{vectors: {randn: [1, 2, 4]}}",
     .model = "{d_model: 4}",
     .weights = "{manual_seed: 1, draw: [q_proj, k_proj, v_proj, out_proj, x]}",
     .attention = "{mask: key_padding, key_padding_mask: ^[[true, false, true]]}",
     .says = "key_padding_mask is (1, 3), but (B, Lk) is (1, 2)"},
    {.input = "{vectors: {randn: [1, 2, 4]}}",
     .model = "{d_model: 4}",
     .weights = "{manual_seed: 1, draw: [q_proj, k_proj, v_proj, out_proj, x]}",
     .attention = "{^key_padding_mask: [[true, false]]}",
     .says = "key_padding_mask is not used: mask does not name key_padding"},
    {.attention = "{mask: causal, context_length: ^1}",
     .says = "context_length is 1, but the input has 2 tokens"},
    {.attention = "{mask_value: ^low}", .says = "expected a number, found 'low'"},
    {.attention = "{mask_value: ^-1e300}",
     .says = "-1e300 is beyond float32, whose lowest number is -3.4028234663852886e+38"},
    {.attention = "{dropout: ^0.1}",
     .says = "expected a map of keys and values, found a single value"},
    {.attention = "{dropout: ^{p: 0.1}}",
     .says = "dropout needs p and seed, the number for torch.manual_seed right before it"},
    {.attention = "{dropout: {p: ^1.5, seed: 3}}",
     .says = "p must be a probability from 0 to 1, not 1.5"},
    {.attention = "{mask_before_scale: ^yes}", .says = "expected true or false, found 'yes'"},
};

static void write_scenario(const Mistake *mistake, const char *path, int *line, int *column)
{
    const char *const keys[] = {"input", "model", "weights", "attention"};
    const char *const given[] = {mistake->input, mistake->model, mistake->weights,
                                 mistake->attention};
    const char *const usual[] = {right.input, right.model, right.weights, right.attention};
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    *line = 0;
    for (int i = 0; i < 4; i++) {
        const char *text = given[i] ? given[i] : usual[i], *mark = strchr(text, '^');
        int before = mark ? (int)(mark - text) : 0;
        if (mark) {
            *line = i + 1;
            *column = (int)strlen(keys[i]) + 2 + before + 1;
        }
        fprintf(file, "%s: %.*s%s\n", keys[i], before, text, mark ? mark + 1 : text);
    }
    fclose(file);
}

// A folder of its own for every test, so that messages hold short names.
static char folder[64];

static void enter_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/attnscope-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

static void leave_folder(void)
{
    unlink("bad.yaml");
    rmdir(folder);
}

// Opens the scenario of a mistake; the message that it must be met with.
static const char *refuse(const Mistake *mistake, Error *err)
{
    static char expected[1024];
    int line, column = 0;
    Scenario scenario;
    ScenarioRequest request = {.what = "bad.yaml"};
    write_scenario(mistake, "bad.yaml", &line, &column);
    snprintf(expected, sizeof expected, "bad.yaml:%d:%d: %s%s", line, column, mistake->says,
             mistake->keys_of ? option_keys(mistake->keys_of) : "");
    ck_assert_msg(!scenario_open(&scenario, &request, err), "opened: %s", expected);
    ck_assert_ptr_null(scenario.arena.chunks);
    return expected;
}

static void check_mistakes(const Mistake mistakes[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        Error err = {.text = ""};
        const char *expected = refuse(&mistakes[i], &err);
        if (expected[strlen(expected) - 1] == '(') // what follows tells of this machine
            err.text[strlen(expected)] = '\0';
        ck_assert_str_eq(err.text, expected);
    }
}

TEST(mistakes_in_input_are_named)
{
    check_mistakes(input_mistakes, sizeof input_mistakes / sizeof *input_mistakes);
}

TEST(mistakes_in_model_are_named)
{
    check_mistakes(model_mistakes, sizeof model_mistakes / sizeof *model_mistakes);
}

TEST(mistakes_in_weights_are_named)
{
    check_mistakes(weights_mistakes, sizeof weights_mistakes / sizeof *weights_mistakes);
}

TEST(mistakes_in_attention_are_named)
{
    check_mistakes(attention_mistakes, sizeof attention_mistakes / sizeof *attention_mistakes);
}

TEST(what_does_not_fit_into_memory_is_refused_with_its_bytes)
{
    static const Mistake mistakes[] = {
        // 2 x 10^8 x 10^4 x 4 bytes
        {.model = "{vocabulary: 200000000, d_model: 10000, heads: 2}",
         .weights = "{manual_seed: 1, draw: [^embedding, q_proj, k_proj, v_proj, out_proj]}",
         .says = "embedding of shape (200000000, 10000) takes 8000000000000 bytes ("},
        {.weights = "{manual_seed: 1, draw: [embedding, q_proj, k_proj, v_proj, out_proj, "
                    "^skip: {linear: [2000000, 3000000]}]}",
         .says = "skip of shape (2000000, 3000000) takes 24000000000000 bytes ("},
        {.attention = "{mask: causal, context_length: ^2000000000}",
         .says = "the causal mask of shape (2000000000, 2000000000) takes 4000000000000000000 "
                 "bytes ("},
        // (2^31 - 1) x (2^31 - 1) x 4 numbers are more than 2^63
        {.input = "{vectors: {randn: ^[2147483647, 2147483647, 4]}}",
         .says = "vectors of shape (2147483647, 2147483647, 4) is larger than any memory"},
    };
    check_mistakes(mistakes, sizeof mistakes / sizeof *mistakes);
}

SUITE_WITH("scenario_errors", enter_folder, leave_folder)
