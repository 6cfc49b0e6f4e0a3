// Files of weights under the names of libraries: opened as they are, each layout in each format and
// width of number makes what PyTorch makes (tests/golden/layouts).
#include "scenario_file.h"
#include "scratch.h"
#include "suite.h"
#include "tensor_file.h"
#include "trace.h"
#include "weight_layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Arena arena;
static Error err;
static Scenario scenario;
static Trace trace;

static void forget(void)
{
    trace_close(&trace);
    scenario_finish(&scenario);
    arena_finish(&arena);
    scratch_close();
}

static Tensor golden(const char *numbers, const char *name)
{
    char path[100];
    Tensor tensor;
    snprintf(path, sizeof path, "golden/layouts/io%s.safetensors", numbers);
    TensorFile *file = tensor_file_open(test_file(path), &arena, &err);
    ck_assert_msg(file && tensor_file_read(file, name, &arena, &tensor, &err), "%s", err.text);
    tensor_file_close(file);
    return tensor;
}

// Within 4e-6 of PyTorch's largest number, as everywhere.
static void compare(const char *what, const char *name, const Tensor *want)
{
    const Tensor *got = &trace.tensors[trace_find(&trace, name)].tensor;
    double largest = 0;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    ck_assert_msg(tensor_same_shape(got, want), "%s: %s", what, name);
    for (bool more = true; more; more = tensor_next(want, at))
        largest = fmax(largest, fabs(tensor_number(want, at)));
    for (bool more = true; more; more = tensor_next(want, at))
        ck_assert_msg(fabs(tensor_number(got, at) - tensor_number(want, at)) <= 4e-6 * largest,
                      "%s: %s[%td, %td ...] is %.9g, PyTorch has %.9g", what, name, at[0], at[1],
                      tensor_number(got, at), tensor_number(want, at));
}

static void open_with(const char *what, const char *const *sets, int count)
{
    ScenarioRequest request = {.what = what, .sets = sets, .set_count = count};
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err), "%s", err.text);
}

static void check_file(const char *what, const char *numbers)
{
    char x[1000], output[30], weights[30];
    snprintf(x, sizeof x, "input={vectors: {file: %s, name: x}}",
             test_file("golden/layouts/io.safetensors"));
    const char *sets[] = {"model.heads=3", "weights.draw=[]", x};
    open_with(what, sets, 3);
    const char *mask = scenario.options.causal ? ".causal" : "";
    snprintf(output, sizeof output, "output%s", mask);
    snprintf(weights, sizeof weights, "attn_weights%s", mask);
    Tensor want = golden(numbers, output), want_weights = golden(numbers, weights);
    compare(what, "output", &want);
    compare(what, "attn_weights", &want_weights);
    trace_close(&trace);
    scenario_finish(&scenario);
}

static const struct {
    const char *file;
    bool causal; // whether its models mask
} layouts[] = {
    {"torch_nn_MultiheadAttention", false},
    {"hf_bert", false},
    {"hf_gpt2", true},
    {"llms_from_scratch", true},
    {"seed000", false},
    {"seed001", false},
};

LOOP_TEST(every_layout_is_what_pytorch_makes_of_it, (int)(sizeof layouts / sizeof *layouts))
{
    static const char *const endings[] = {"safetensors", "npz", "pt"};
    static const char *const numbers[] = {"", "_f16", "_bf16"};
    for (int ending = 0; ending < 3; ending++)
        for (int width = 0; width < 3; width++) {
            char path[200];
            snprintf(path, sizeof path, "golden/layouts/%s%s.%s", layouts[_i].file, numbers[width],
                     endings[ending]);
            check_file(test_file(path), numbers[width]);
        }
    const char *sets[] = {"model.heads=3"};
    char path[200];
    snprintf(path, sizeof path, "golden/layouts/%s.pt", layouts[_i].file);
    open_with(test_file(path), sets, 1);
    ck_assert_int_eq(scenario.options.causal, layouts[_i].causal);
    ck_assert_int_eq(scenario.size[SYMBOL_H], 3);
}

// in_proj_weight[17, 5] is row 5 of k: the place is the same, and so is the number.
// Under the names of other models: attention_names.py has written their arithmetic out.
static const struct {
    const char *name, *layer, *output, *heads;
} others[] = {
    {"distilbert", "0", "output", "model.heads=2"},
    {"albert", "0", "output", "model.heads=2"},
    {"annotated", "0", "output", "model.heads=2"},
    {"meta_llama", "0", "output_residual", "model.heads=2"},
    {"phi", "0", "output", "model.heads=2"},
    {"internlm", "0", "output_residual", "model.heads=2"},
    {"nanogpt", "0", "output", "model.heads=2"},
    {"qwen", "0", "output", "model.heads=2"},
    {"gpt_bigcode", "0", "output", "model.heads=2"},
    {"gpt_neox", "0", "output", "model.heads=2"},
    {"bloom", "0", "output", "model.heads=2"},
    {"falcon", "0", "output", "model.heads=2"},
    {"phi3", "0", "output", "model.heads=2"},
    {"t5_encoder", "1", "output", "model.heads=2"},
    {"t5_decoder", "1", "output", "model.heads=2"},
    // norms of queries and keys: of a head, of all together
    {"qwen3", "0", "output_residual", "model.heads=2"},
    {"olmo2", "0", "output", "model.heads=2"},
    // capped scores, every second layer with a window
    {"gemma2", "1", "output", "model.heads=2"},
    {"gemma2_window", "0", "output", "model.heads=2"},
    // layers with windows have another base and no scaling
    {"gemma3", "1", "output", "model.heads=2"},
    {"gemma3_window", "0", "output", "model.heads=2"},
    // those without do not turn
    {"cohere2", "1", "output", "model.heads=2"},
    {"cohere2_window", "0", "output", "model.heads=2"},
    {"smollm3", "1", "output_residual", "model.heads=2"},
    {"cohere", "0", "output", "model.heads=2"},
    {"glm", "0", "output", "model.heads=2"},
    {"stablelm", "0", "output", "model.heads=2"},
    {"granite", "0", "output", "model.heads=2"},
    {"yarn", "0", "output_residual", "model.heads=2"},
    // 5 tokens, where 3 are what the model was trained with, and where 5 are
    {"dynamic", "0", "output_residual", "model.heads=2"},
    {"dynamic_short", "0", "output_residual", "model.heads=2"},
    {"internlm2", "0", "output_residual", "model.heads=4"},
    {"mpt", "0", "output", "model.heads=2"},
    {"phi3_grouped", "0", "output", "model.heads=2"},
    {"nanogpt_bare", "0", "output", "model.heads=2"},
    {"mt5", "0", "output", "model.heads=2"},
};

LOOP_TEST(other_models_are_what_pytorch_makes_of_them, (int)(sizeof others / sizeof *others))
{
    char name[100], path[1000], what[1100], x[1200];
    Tensor expected;
    snprintf(name, sizeof name, "golden/names/%s/model.safetensors", others[_i].name);
    snprintf(path, sizeof path, "%s", test_file(name));
    snprintf(what, sizeof what, "%s#%s", path, others[_i].layer);
    snprintf(x, sizeof x, "input={vectors: {file: %s, name: x}}", path);
    TensorFile *file = tensor_file_open(path, &arena, &err);
    ck_assert_msg(file && tensor_file_read(file, "expected", &arena, &expected, &err), "%s",
                  err.text);
    tensor_file_close(file);
    open_with(what, (const char *[]){others[_i].heads, "weights.draw=[]", x}, 3);
    compare(others[_i].name, others[_i].output, &expected);
}

// What config.json can say that nobody computes, or that is not a number of such a model.
static const struct {
    const char *name, *config, *says;
} refused[] = {
    {"gpt_neox", "\"model_type\": \"gpt_neox\", \"rotary_pct\": 0.25",
     "0.25 of each head is rotated: 1 of its 4 numbers, but numbers rotate in pairs"},
    {"gpt_neox", "\"model_type\": \"gpt_neox\"",
     "0.25 of each head is rotated: 1 of its 4 numbers"},
    {"gpt_bigcode", "\"model_type\": \"gpt_bigcode\", \"n_head\": 4",
     "multi_query, where the weights have keys for 2 heads"},
    {"mpt", "\"model_type\": \"mpt\", \"attn_config\": {\"kv_n_heads\": 1}",
     "attn_config.kv_n_heads: 1"},
    {"phi", "\"model_type\": \"phi\", \"partial_rotary_factor\": 1.5",
     "a share must be from 0 to 1"},
    {"cohere", "\"model_type\": \"cohere\", \"use_qk_norm\": true", "use_qk_norm: true"},
    {"olmo2", "\"model_type\": \"olmo2\", \"clip_qkv\": 8.0", "clip_qkv: 8.0"},
    {"olmo2", "\"model_type\": \"olmo\"", "the tensor model.layers.0.self_attn.q_norm.weight"},
    {"mpt", "\"model_type\": \"mpt\", \"attn_config\": {\"qk_ln\": true}",
     "attn_config.qk_ln: true"},
    {"gemma2", "\"model_type\": \"gemma2\", \"query_pre_attn_scalar\": -4",
     "query_pre_attn_scalar: -4"},
    {"gemma2", "\"model_type\": \"gemma2\", \"attn_logit_softcapping\": 0",
     "attn_logit_softcapping: 0"},
    {"granite", "\"model_type\": \"granite\", \"attention_multiplier\": -1.0",
     "attention_multiplier: -1.0"},
    {"qwen3", "\"model_type\": \"qwen3\", \"head_dim\": 12",
     "head_dim: 12, where the weights have"},
    {"yarn", "\"model_type\": \"qwen2\", \"rope_scaling\": {\"type\": \"longrope\"}",
     "rope_scaling: {\"type\":\"longrope\"}"},
    {"yarn", "\"model_type\": \"qwen2\", \"rope_scaling\": {\"type\": \"yarn\", \"factor\": 4.0}",
     "rope_scaling: {\"type\":\"yarn\",\"factor\":4.0}"},
    {"yarn",
     "\"model_type\": \"qwen2\", \"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8.0, "
     "\"original_max_position_embeddings\": 64}",
     "rope_scaling: {\"rope_type\":\"llama3\""},
    {"yarn", "\"model_type\": \"qwen2\", \"rope_parameters\": {\"type\": \"longrope\"}",
     "rope_parameters: {\"type\":\"longrope\"}"},
    {"yarn", "\"model_type\": \"qwen2\", \"rope_scaling\": {\"type\": \"linear\"}",
     "rope_scaling: {\"type\":\"linear\"}"},
    {"yarn",
     "\"model_type\": \"qwen2\", \"rope_scaling\": {\"type\": \"linear\", \"factor\": \"4\"}",
     "rope_scaling: {\"type\":\"linear\",\"factor\":\"4\"}"},
    {"qwen3", "\"model_type\": \"qwen3\", \"rope_theta\": \"10000\"", "rope_theta: \"10000\""},
    {"qwen3", "\"model_type\": \"qwen3\", \"rope_theta\": -5", "rope_theta: -5"},
    {"qwen3", "\"model_type\": \"qwen3\", \"rms_norm_eps\": \"1e-6\"", "rms_norm_eps: \"1e-6\""},
    {"qwen3", "\"model_type\": \"qwen3\", \"rms_norm_eps\": 0", "rms_norm_eps: 0"},
    {"qwen3", "\"model_type\": \"qwen3\", \"num_key_value_heads\": 2",
     "num_key_value_heads: 2, where the weights have keys for 1"},
    {"qwen3", "\"model_type\": \"qwen3\", \"hidden_size\": 4096", "a width of 4096"},
    {"qwen3", "\"model_type\": \"mistral\", \"sliding_window\": 2.5", "sliding_window: 2.5"},
    // transformers leaves out biases that such a config.json says are not there
    {"internlm", "\"model_type\": \"llama\", \"attention_bias\": false",
     "attention_bias: false, where the file has model.layers.0.self_attn.q_proj.bias"},
    // and by default all, and in such models
    {"internlm", "\"model_type\": \"llama\"",
     "the bias model.layers.0.self_attn.q_proj.bias, which such a model does not have"},
    {"internlm", "\"model_type\": \"mistral\", \"attention_bias\": true",
     "the bias model.layers.0.self_attn.q_proj.bias, which such a model does not have"},
    {"internlm", "\"model_type\": \"qwen2\"",
     "the bias model.layers.0.self_attn.o_proj.bias, which such a model does not have"},
    {"gemma2", "\"model_type\": \"gemma2\", \"layer_types\": [\"linear_attention\"]",
     "layer_types, without a known word for layer 0"},
};

static void copy(const char *from, const char *to);
static void is_refused(const char *what, const char *const *sets, int count, const char *says);

LOOP_TEST(what_is_not_computed_is_refused_by_its_name, sizeof refused / sizeof *refused)
{
    char from[100], config[400];
    snprintf(from, sizeof from, "golden/names/%s/model.safetensors", refused[_i].name);
    copy(from, "model.safetensors");
    snprintf(config, sizeof config, "{%s, \"num_attention_heads\": 2, \"n_heads\": 2}",
             refused[_i].config);
    scratch_write("config.json", config, strlen(config));
    is_refused(scratch_path("model.safetensors"), NULL, 0, refused[_i].says);
}

// Writes layers with weights of width 4, numbered 0, by, 2 by ...; `form` has a place for the number and the role.
static void write_layers(const char *path, const char *form, int count, int by)
{
    static const char *const ends[] = {"q_proj", "k_proj", "v_proj", "out_proj"};
    enum { MOST = 12 };
    float numbers[16] = {0};
    char names[MOST][60];
    NamedTensor tensors[MOST];
    for (int i = 0; i < 4 * count; i++) {
        snprintf(names[i], sizeof names[i], form, i / 4 * by, ends[i % 4]);
        tensors[i] =
            (NamedTensor){names[i], tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){4, 4})};
    }
    ck_assert_msg(tensor_file_write(scratch_path(path), tensors, (size_t)(4 * count), &err), "%s",
                  err.text);
}

// What published config.json files hold of embeddings, norms and training changes nothing in attention alone.
static const struct {
    const char *form, *config; // the names of write_layers, or a folder of golden/names
} published[] = {
    {"decoder.layers.%d.self_attn.%s.weight",
     "\"model_type\": \"opt\", \"enable_bias\": true, \"layer_norm_elementwise_affine\": true"},
    {"decoder.layers.%d.self_attn.%s.weight",
     "\"model_type\": \"marian\", \"static_position_embeddings\": true"},
    {"decoder.layers.%d.self_attn.%s.weight",
     "\"model_type\": \"bart\", \"normalize_embedding\": true"},
    {"decoder.layers.%d.self_attn.%s.weight",
     "\"model_type\": \"blenderbot\", \"layernorm_variant\": \"prelayernorm\", "
     "\"do_blenderbot_90_layernorm\": true"},
    {"decoder.layers.%d.self_attn.%s.weight",
     "\"model_type\": \"trocr\", \"layernorm_embedding\": true, "
     "\"use_learned_position_embeddings\": true"},
    {"encoder.layers.%d.attention.%s.weight",
     "\"model_type\": \"wav2vec2\", \"feat_extract_norm\": \"group\", "
     "\"do_stable_layer_norm\": true, \"mask_channel_length\": 10"},
    {"encoder.layers.%d.attention.%s.weight",
     "\"model_type\": \"hubert\", \"feat_proj_layer_norm\": true"},
    {"albert", "\"model_type\": \"albert\", \"down_scale_factor\": 1"},
    {"mpt", "\"model_type\": \"mpt\", \"norm_type\": \"low_precision_layernorm\""},
    {"stablelm", "\"model_type\": \"stablelm\", \"partial_rotary_factor\": 0.5, "
                 "\"use_qkv_bias\": true, \"rotary_scaling_factor\": 1.0"},
    {"olmo2", "\"model_type\": \"olmo2\", \"head_dim\": 4"},
    {"qwen3", "\"model_type\": \"qwen3_moe\", \"norm_topk_prob\": true"},
    {"cohere2", "\"model_type\": \"cohere2\", \"position_embedding_type\": \"rope_gptj\", "
                "\"rotary_pct\": 1.0, \"use_parallel_block\": true, "
                "\"use_parallel_embedding\": true, \"use_gated_activation\": true"},
};

LOOP_TEST(a_published_config_opens, sizeof published / sizeof *published)
{
    char from[100], config[400];
    if (strchr(published[_i].form, '%')) {
        write_layers("model.npz", published[_i].form, 1, 1);
    } else {
        snprintf(from, sizeof from, "golden/names/%s/model.safetensors", published[_i].form);
        copy(from, "model.npz");
    }
    snprintf(config, sizeof config, "{%s, \"num_attention_heads\": 2, \"n_heads\": 2}",
             published[_i].config);
    scratch_write("config.json", config, strlen(config));
    open_with(scratch_path("model.npz"), NULL, 0);
}

// Gemma 3 of several parts leaves out what is the default of its code: rope_theta 1000000.
TEST(a_base_that_is_not_given_is_the_models_own)
{
    static const char config[] =
        "{\"model_type\": \"gemma3_text\", \"num_attention_heads\": 2, \"rms_norm_eps\": 1e-06, "
        "\"query_pre_attn_scalar\": 9, \"sliding_window\": 3, \"sliding_window_pattern\": 2, "
        "\"rope_scaling\": {\"factor\": 8.0, \"rope_type\": \"linear\"}}";
    char what[1000], x[1000];
    copy("golden/names/gemma3/model.safetensors", "model.safetensors");
    scratch_write("config.json", config, sizeof config - 1);
    snprintf(what, sizeof what, "%s#1", scratch_path("model.safetensors"));
    snprintf(x, sizeof x, "input={vectors: {file: %s, name: x}}",
             scratch_path("model.safetensors"));
    TensorFile *file = tensor_file_open(scratch_path("model.safetensors"), &arena, &err);
    Tensor expected;
    ck_assert(file && tensor_file_read(file, "expected", &arena, &expected, &err));
    tensor_file_close(file);
    open_with(what, (const char *[]){"weights.draw=[]", x}, 2);
    compare("gemma3", "output", &expected);
}

// Meta's ModelArgs and transformers' Olmo2Config have 1e-5 where LlamaConfig has 1e-6.
TEST(an_epsilon_that_is_not_given_is_the_models_own)
{
    static const struct {
        const char *name, *config;
        float epsilon;
    } cases[] = {
        {"meta_llama", "{\"dim\": 8, \"n_heads\": 2}", 1e-5f},
        {"olmo2", "{\"model_type\": \"olmo2\", \"num_attention_heads\": 2}", 1e-5f},
        {"qwen3", "{\"model_type\": \"qwen3\", \"num_attention_heads\": 2}", 1e-6f},
    };
    for (int i = 0; i < 3; i++) {
        char from[100];
        snprintf(from, sizeof from, "golden/names/%s/model.safetensors", cases[i].name);
        copy(from, "model.safetensors");
        scratch_write("config.json", cases[i].config, strlen(cases[i].config));
        open_with(scratch_path("model.safetensors"), NULL, 0);
        ck_assert(scenario.options.norm_epsilon == cases[i].epsilon);
        trace_close(&trace);
        scenario_finish(&scenario);
    }
}

// SmolLM3 has layers that do not rotate, RoBERTa positions that leave out padding: whole layers do neither.
TEST(whole_layers_that_differ_are_refused)
{
    char what[300];
    const char *smollm3[] = {"weights.layers=2"};
    const char *roberta[] = {"weights.layers=1", "input.ids=[[3, 0, 4]]"};
    snprintf(what, sizeof what, "%s", test_file("golden/names/smollm3/model.safetensors"));
    is_refused(what, smollm3, 1, "layer 1 rotates queries and keys otherwise than layer 0");
    snprintf(what, sizeof what, "%s", test_file("golden/families/roberta/model.safetensors"));
    is_refused(what, roberta, 2, "token 0 is padding in this model");
    open_with(what, roberta, 1); // its own ids leave it out
}

// transformers draws missing layers and leaves out those beyond; the final norm follows the last it has.
TEST(whole_layers_are_as_many_as_config_json_says)
{
    static const char config[] = "{\"model_type\": \"qwen3\", \"num_hidden_layers\": 7, "
                                 "\"num_attention_heads\": 2}";
    const char *sets[] = {"weights.layers=1"};
    copy("golden/names/qwen3/model.safetensors", "model.safetensors");
    scratch_write("config.json", config, sizeof config - 1);
    is_refused(scratch_path("model.safetensors"), sets, 1,
               "num_hidden_layers: 7, where the file has 1");
}

// UMT5 has T5's names, and biases in each layer where T5's layers share those of the first.
TEST(biases_of_a_later_layer_are_not_passed_over)
{
    static const char *const names[] = {
        "block.0.layer.0.SelfAttention.q.weight",
        "block.0.layer.0.SelfAttention.k.weight",
        "block.0.layer.0.SelfAttention.v.weight",
        "block.0.layer.0.SelfAttention.o.weight",
        "block.1.layer.0.SelfAttention.q.weight",
        "block.1.layer.0.SelfAttention.k.weight",
        "block.1.layer.0.SelfAttention.v.weight",
        "block.1.layer.0.SelfAttention.o.weight",
        "block.0.layer.0.SelfAttention.relative_attention_bias.weight",
        "block.1.layer.0.SelfAttention.relative_attention_bias.weight"};
    static float numbers[64];
    NamedTensor tensors[10];
    for (int i = 0; i < 10; i++)
        tensors[i] = (NamedTensor){
            names[i], tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){i < 8 ? 2 : 32, 2})};
    ck_assert(tensor_file_write(scratch_path("t5.npz"), tensors, 10, &err));
    const char *sets[] = {"model.heads=2"};
    char what[1000];
    open_with(scratch_path("t5.npz"), sets, 1);
    trace_close(&trace);
    scenario_finish(&scenario);
    snprintf(what, sizeof what, "%s#1", scratch_path("t5.npz"));
    is_refused(what, sets, 1, "the tensor block.1.layer.0.SelfAttention.relative_attention_bias");
}

TEST(a_model_of_unknown_names_is_named)
{
    static const char config[] = "{\"model_type\": \"deberta\"}";
    copy("golden/layouts/io.safetensors", "model.safetensors");
    scratch_write("config.json", config, sizeof config - 1);
    is_refused(scratch_path("model.safetensors"), NULL, 0, "config.json says this is deberta");
}

// GPT-Neo's groups of layers: behind one global layer come two local ones, where the first group alone would
// make all global.
TEST(each_group_of_local_layers_counts)
{
    static const char config[] =
        "{\"model_type\": \"gpt_neo\", \"num_heads\": 2, \"window_size\": 3, "
        "\"attention_types\": [[[\"global\"], 1], [[\"local\"], 2]]}";
    scratch_write("config.json", config, sizeof config - 1);
    write_layers("x.npz", "h.%d.attn.attention.%s.weight", 3, 1);
    for (int layer = 0; layer < 3; layer++) {
        char what[1000];
        snprintf(what, sizeof what, "%s#%d", scratch_path("x.npz"), layer);
        open_with(what, NULL, 0);
        ck_assert_int_eq(scenario.options.window, layer > 0 ? 3 : 0);
        trace_close(&trace);
        scenario_finish(&scenario);
    }
}

// Layers 0 and 2 of a model are not a sequence: a file of it is missing.
TEST(a_missing_layer_is_not_passed_over)
{
    static const char yaml[] = "input: {vectors: [[[1, 2, 3, 4]]]}\n"
                               "model: {d_model: 4, heads: 2, residual: true}\n"
                               "weights: {file: gap.npz, layout: proj, layers: 2}\n";
    scratch_write("gap.yaml", yaml, sizeof yaml - 1);
    write_layers("gap.npz", "layers.%d.%s.weight", 2, 2);
    is_refused(scratch_path("gap.yaml"), NULL, 0,
               "layers.2. follows layers.0.: the layers between them are missing");
}

// Of PER_HEAD weights nobody is to take the rows shown for those of the file.
TEST(what_is_put_in_another_order_says_so)
{
    const char *sets[] = {"model.heads=2"};
    open_with(test_file("golden/names/gpt_neox/model.safetensors"), sets, 1);
    const TraceTensor *fused =
        &trace.tensors[trace_find(&trace, "attention.query_key_value.weight")];
    ck_assert_msg(strstr(fused->from, "reordered from heads to q, k and v"), "%s", fused->from);
}

TEST(fused_weights_are_taken_apart_in_steps)
{
    static const char *const names[] = {"turn in_proj", "turn out_proj", "split q",
                                        "split k",      "split v",       "split q bias",
                                        "split k bias", "split v bias",  "project q"};
    const char *sets[] = {"model.heads=3"};
    open_with(test_file("golden/layouts/hf_gpt2.safetensors"), sets, 1);
    char name[64];
    for (int step = 0; step < 9; step++)
        ck_assert_str_eq(trace_step_name(&trace, step, name), names[step]);
    const Tensor *fused = &trace.tensors[trace_find(&trace, "attn.c_attn.weight")].tensor;
    const Tensor *k = &trace.tensors[trace_find(&trace, "k_proj.weight")].tensor;
    ck_assert_ptr_eq(tensor_at2(k, 5, 7), tensor_at2(fused, 7, 17));
}

static void copy(const char *from, const char *to)
{
    size_t length;
    unsigned char *bytes = scratch_read(test_file(from), &length);
    scratch_write(to, bytes, length);
    free(bytes);
}

TEST(heads_are_those_of_config_json_beside_it)
{
    static const char config[] = "{\"n_head\": 4}";
    copy("golden/layouts/hf_gpt2.pt", "model.pt");
    scratch_write("config.json", config, sizeof config - 1);
    open_with(scratch_path("model.pt"), NULL, 0);
    ck_assert_int_eq(scenario.size[SYMBOL_H], 4);
}

static void is_refused(const char *what, const char *const *sets, int count, const char *says)
{
    ScenarioRequest request = {.what = what, .sets = sets, .set_count = count};
    ck_assert_msg(!scenario_open(&scenario, &request, &err), "opened: %s", says);
    ck_assert_msg(strstr(err.text, says) != NULL, "%s", err.text);
}

TEST(what_is_no_layer_gets_a_sentence)
{
    const char *heads[] = {"model.heads=3"};
    is_refused(
        test_file("golden/layouts/hf_bert.pt"), NULL, 0,
        "hf_bert.pt: number of heads for the width 12 unknown: neither the file nor a config");
    is_refused(test_file("golden/layouts/io.safetensors"), heads, 1,
               "no known attention layer in its 10 tensors; the first is 'output.f64'");
    char what[1000];
    snprintf(what, sizeof what, "%s#1", test_file("golden/layouts/hf_bert.pt"));
    is_refused(what, heads, 1, "has attention layers 0 to 0, 1 in all; there is no layer 1");
    snprintf(what, sizeof what, "%s#one", test_file("golden/layouts/hf_bert.pt"));
    is_refused(what, heads, 1, "write the number of a layer after #, not 'one'");
    const char *wrong[] = {"model.heads=3", "weights.layout=gpt2"};
    is_refused(test_file("golden/layouts/hf_bert.pt"), wrong, 2,
               "no layer of hf_bert.pt has the names of GPT-2");
    const char *five[] = {"model.heads=5"};
    is_refused(test_file("golden/layouts/hf_bert.pt"), five, 1,
               "d_model 12 is not divisible by 5 heads");
}

// nanoGPT calls its weights as GPT-2 does, but keeps them as nn.Linear: (3E, E) is not turned around.
TEST(a_fused_weight_of_another_shape_is_refused)
{
    float numbers[36 * 12] = {0};
    NamedTensor tensors[] = {
        {"h.0.attn.c_attn.weight", tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){12, 30})},
        {"h.0.attn.c_proj.weight", tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){12, 12})},
    };
    const char *heads[] = {"model.heads=3"};
    ck_assert_msg(tensor_file_write(scratch_path("x.npz"), tensors, 2, &err), "%s", err.text);
    is_refused(scratch_path("x.npz"), heads, 1,
               "h.0.attn.c_attn.weight is (12, 30), but in the layout of GPT-2 (Conv1D: transposed "
               "and fused) it holds q, k and v, each as wide as the input");
}

// Weights of a model that shares BERT's names and computes something else (transformers: modeling_yoso.py has
// no softmax, modeling_segformer.py shortens keys). ALBERT or RoBERTa have no such beginning.
static const struct {
    const char *beginning, *says;
} sharing[] = {
    {"yoso.encoder.layer.0.attention.", "this is yoso, which computes something other"},
    {"segformer.encoder.block.0.0.attention.", "this is segformer, which computes something other"},
    {"roformer.encoder.layer.11.attention.", "this is roformer, which computes something other"},
    {"bert.encoder.layer.0.attention.", NULL},
    {"layoutlm.encoder.layer.0.attention.", NULL},
};

LOOP_TEST(models_that_share_names_alone_are_refused, sizeof sharing / sizeof *sharing)
{
    static const char *const ends[] = {"self.query.weight", "self.key.weight", "self.value.weight",
                                       "output.dense.weight"};
    const char *heads[] = {"model.heads=2"};
    char names[4][100];
    float numbers[16] = {0};
    NamedTensor tensors[4];
    for (int i = 0; i < 4; i++) {
        snprintf(names[i], sizeof names[i], "%s%s", sharing[_i].beginning, ends[i]);
        tensors[i] =
            (NamedTensor){names[i], tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){4, 4})};
    }
    ck_assert_msg(tensor_file_write(scratch_path("shared.npz"), tensors, 4, &err), "%s", err.text);
    if (sharing[_i].says)
        is_refused(scratch_path("shared.npz"), heads, 1, sharing[_i].says);
    else
        open_with(scratch_path("shared.npz"), heads, 1);
}

// Whoever names such a file in a scenario of their own is told the layout, never another tensor.
TEST(a_hint_names_the_layout)
{
    static const struct {
        const char *file, *says;
    } hints[] = {
        {"hf_bert",
         "no tensor named 'q_proj.weight'; its names are those of BERT: add layout: bert"},
        {"hf_gpt2", "(Conv1D: transposed and fused): add layout: gpt2"},
        {"torch_nn_MultiheadAttention", "nn.MultiheadAttention (fused): add layout: multihead"},
    };
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        char weights[1000], file[200];
        snprintf(file, sizeof file, "golden/layouts/%s.safetensors", hints[i].file);
        snprintf(weights, sizeof weights, "weights={file: %s}", test_file(file));
        const char *sets[] = {"input={vectors: [[[1,2,3,4,5,6,7,8,9,10,11,12]]]}",
                              "model={d_model: 12, heads: 3}", weights};
        is_refused("self-attention", sets, 3, hints[i].says);
        ck_assert_ptr_null(strstr(err.text, "did you mean"));
    }
}

// layer.10 comes after layer.2, whatever the order in the file.
TEST(layers_are_counted_by_their_numbers)
{
    static const char *const ends[] = {"self.query.weight", "self.key.weight", "self.value.weight",
                                       "output.dense.weight"};
    enum { LAYERS = 12 };
    char names[4 * LAYERS][80];
    float numbers[LAYERS][4];
    NamedTensor tensors[4 * LAYERS];
    for (int i = 0; i < 4 * LAYERS; i++) {
        int layer = i / 4;
        snprintf(names[i], sizeof names[i], "encoder.layer.%d.attention.%s", layer, ends[i % 4]);
        for (int n = 0; n < 4; n++)
            numbers[layer][n] = (float)layer;
        tensors[i] =
            (NamedTensor){names[i], tensor_over(numbers[layer], DTYPE_F32, 2, (ptrdiff_t[]){2, 2})};
    }
    const char *path = scratch_path("x.safetensors"), *heads[] = {"model.heads=1"};
    ck_assert_msg(tensor_file_write(path, tensors, 4 * LAYERS, &err), "%s", err.text);
    for (int layer = 0; layer < LAYERS; layer++) {
        char what[1000];
        snprintf(what, sizeof what, "%s#%d", path, layer);
        open_with(what, heads, 1);
        ck_assert_float_eq(scenario_tensor(&scenario, "v_proj.weight")->tensor.storage.f32[0],
                           (float)layer);
        trace_close(&trace);
        scenario_finish(&scenario);
    }
}

// The names that libraries give, each in front of the same few numbers.
TEST(names_of_libraries_are_recognised)
{
    static const struct {
        const char *layout, *names[5];
        bool causal;
    } known[] = {
        {"vit",
         {"vit.encoder.layer.0.attention.attention.query.weight",
          "vit.encoder.layer.0.attention.attention.key.weight",
          "vit.encoder.layer.0.attention.attention.value.weight",
          "vit.encoder.layer.0.attention.output.dense.weight"},
         false},
        {"whisper",
         {"encoder.blocks.0.attn.query.weight", "encoder.blocks.0.attn.key.weight",
          "encoder.blocks.0.attn.value.weight", "encoder.blocks.0.attn.out.weight"},
         false},
        {"timm", {"blocks.0.attn.qkv.weight", "blocks.0.attn.proj.weight"}, false},
        {"proj",
         {"model.decoder.layers.0.self_attn.q_proj.weight",
          "model.decoder.layers.0.self_attn.k_proj.weight",
          "model.decoder.layers.0.self_attn.v_proj.weight",
          "model.decoder.layers.0.self_attn.out_proj.weight"},
         true},
        {"proj",
         {"model.decoder.layers.0.encoder_attn.q_proj.weight",
          "model.decoder.layers.0.encoder_attn.k_proj.weight",
          "model.decoder.layers.0.encoder_attn.v_proj.weight",
          "model.decoder.layers.0.encoder_attn.out_proj.weight"},
         false},
        {"seed002", {"W_q.weight", "W_k.weight", "W_v.weight"}, false},
    };
    float numbers[4] = {0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        NamedTensor tensors[4];
        WeightLayers all;
        int count = 0;
        for (; known[i].names[count]; count++)
            tensors[count] = (NamedTensor){known[i].names[count],
                                           tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){2, 2})};
        const char *path = scratch_path("x.safetensors");
        ck_assert_msg(tensor_file_write(path, tensors, count, &err), "%s", err.text);
        TensorFile *file = tensor_file_open(path, &arena, &err);
        ck_assert_msg(file && weight_layout_layers(file, NULL, &arena, &all, &err), "%s", err.text);
        ck_assert_msg(all.count == 1, "%s: %d layers", known[i].layout, all.count);
        ck_assert_str_eq(all.layers[0].layout->name, known[i].layout);
        ck_assert_int_eq(weight_layout_is_causal(&all.layers[0]), known[i].causal);
        tensor_file_close(file);
    }
}

// --- models that config.json tells apart (tests/golden/families.py)

static const char *const families[] = {
    "roberta",       "xlm-roberta",  "bert-decoder", "bert-key", "bert-query", "esm",
    "gpt2-by-layer", "gpt-neo",      "gpt-j",        "clip",     "opt",        "llama-parameters",
    "llama-part",    "llama-linear", "llama-3",      "mistral",  "gemma"};

static bool expected(const char *family, const char *name, Tensor *tensor)
{
    char path[120];
    snprintf(path, sizeof path, "golden/families/%s/expected.safetensors", family);
    TensorFile *file = tensor_file_open(test_file(path), &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    bool found = tensor_file_read(file, name, &arena, tensor, &err);
    tensor_file_close(file);
    return found;
}

static const char *last_output(const Scenario *of)
{
    return of->options.rms_norm ? "output_residual" : "output";
}

LOOP_TEST(every_family_is_what_pytorch_makes_of_it, (int)(sizeof families / sizeof *families))
{
    const char *family = families[_i];
    char what[300], x[300], path[120], whole[40];
    Tensor want;
    snprintf(path, sizeof path, "golden/families/%s/model.safetensors", family);
    snprintf(what, sizeof what, "%s#1", test_file(path));
    snprintf(path, sizeof path, "golden/families/%s/expected.safetensors", family);
    snprintf(x, sizeof x, "input={vectors: {file: %s, name: x}}", test_file(path));
    const char *alone[] = {"weights.draw=[]", x};
    open_with(what, alone, 2);
    ck_assert(expected(family, "output", &want));
    compare(family, last_output(&scenario), &want);
    trace_close(&trace);
    scenario_finish(&scenario);

    const char *sets[] = {"weights.layers=2", "input.ids=[[3, 1, 4, 1, 5]]"};
    what[strlen(what) - 1] = '0';
    if (!expected(family, "whole", &want)) {
        ck_assert(!scenario_open(
            &scenario, &(ScenarioRequest){.what = what, .sets = sets, .set_count = 2}, &err));
        ck_assert_msg(strstr(err.text, "position_embedding_type") != NULL, "%s", err.text);
        return;
    }
    open_with(what, sets, 2);
    snprintf(whole, sizeof whole, "%s",
             scenario.options.post_norm ? "layer1.output_normed" : "final_normed");
    compare(family, whole, &want);
}

// --- logits

enum { TENSORS_MAX = 40, HEAD_ROWS = 6, HEAD_WIDTH = 8 };

// A family's model with another name before each of its own, and one more tensor: row v of this matrix is 1 at v, so
// that logit v is number v of the last vectors.
static void write_with_head(const char *family, const char *prefix, const char *head)
{
    static float ones[HEAD_ROWS * HEAD_WIDTH];
    static char names[TENSORS_MAX][120];
    NamedTensor tensors[TENSORS_MAX];
    char path[120];
    snprintf(path, sizeof path, "golden/families/%s/model.safetensors", family);
    TensorFile *file = tensor_file_open(test_file(path), &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    int count = tensor_file_count(file);
    ck_assert_int_lt(count, TENSORS_MAX);
    for (int i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "%s%s", prefix, tensor_file_name(file, i));
        tensors[i].name = names[i];
        ck_assert(
            tensor_file_read(file, tensor_file_name(file, i), &arena, &tensors[i].tensor, &err));
    }
    for (int v = 0; v < HEAD_ROWS; v++)
        ones[v * HEAD_WIDTH + v] = 1.0f;
    bool is_bias = strstr(head, ".bias") != NULL;
    tensors[count] = (NamedTensor){
        head, tensor_over(ones, DTYPE_F32, is_bias ? 1 : 2, (ptrdiff_t[]){HEAD_ROWS, HEAD_WIDTH})};
    size_t all = (size_t)count + (*head != '\0');
    ck_assert_msg(tensor_file_write(scratch_path("model.safetensors"), tensors, all, &err), "%s",
                  err.text);
    tensor_file_close(file);
}

static const char *const asking[] = {"weights.layers=2", "input.ids=[[3, 1, 4, 1, 5]]",
                                     "model.questions=[next]"};

// The language model in one of images and text keeps all its names behind one word.
TEST(logits_are_made_by_the_matrix_beside_the_layers)
{
    static const char config[] =
        "{\"model_type\": \"llava\", \"text_config\": {\"model_type\": \"llama\", "
        "\"num_attention_heads\": 2, \"rope_theta\": 500.0, \"rms_norm_eps\": 1e-06, "
        "\"rope_scaling\": {\"type\": \"linear\", \"factor\": 4.0}}}";
    Tensor want;
    write_with_head("llama-linear", "language_model.", "language_model.lm_head.weight");
    scratch_write("config.json", config, sizeof config - 1);
    open_with(scratch_path("model.safetensors"), asking, 3);
    ck_assert(expected("llama-linear", "whole", &want));
    const Tensor *logits = &trace.tensors[trace_find(&trace, "logits")].tensor;
    for (ptrdiff_t l = 0; l < 5; l++)
        for (ptrdiff_t v = 0; v < HEAD_ROWS; v++) {
            const ptrdiff_t here[] = {0, 0, l, v}, there[] = {0, l, v};
            ck_assert_double_eq_tol(tensor_number(logits, here), tensor_number(&want, there), 1e-5);
        }
}

// What makes logits of something other than one matrix, and the embedding where config.json says that it does not.
static const struct {
    const char *family, *head, *config, *says;
} no_heads[] = {
    {"gpt-j", "lm_head.bias",
     "\"model_type\": \"gptj\", \"rotary_dim\": 2, \"tie_word_embeddings\": true",
     "adds lm_head.bias to its logits"},
    {"clip", "", "\"model_type\": \"clip_text_model\"", "does not compute how CLIP makes logits"},
    {"bert-decoder", "", "\"model_type\": \"bert\", \"is_decoder\": true",
     "does not compute how BERT makes logits"},
    {"mistral", "", "\"model_type\": \"mistral\"",
     "tie_word_embeddings: false, where the file has no lm_head.weight"},
    {"gemma", "", "\"model_type\": \"gemma\", \"tie_word_embeddings\": false",
     "tie_word_embeddings: false, where the file has no lm_head.weight"},
    {"mistral", "lm_head.weight", "\"model_type\": \"mistral\", \"tie_word_embeddings\": true",
     "true, where lm_head.weight and model.embed_tokens.weight differ"},
    {"gpt-neo", "lm_head.weight", "\"model_type\": \"gpt_neo\"",
     "true, where lm_head.weight and transformer.wte.weight differ"},
};

LOOP_TEST(logits_of_another_matrix_are_refused, (int)(sizeof no_heads / sizeof *no_heads))
{
    char config[300];
    write_with_head(no_heads[_i].family, "", no_heads[_i].head);
    snprintf(config, sizeof config,
             "{%s, \"num_attention_heads\": 2, \"n_head\": 2, \"num_heads\": 2}",
             no_heads[_i].config);
    scratch_write("config.json", config, strlen(config));
    is_refused(scratch_path("model.safetensors"), asking, 3, no_heads[_i].says);
}

SUITE_WITH("weight_layouts", scratch_open, forget)
