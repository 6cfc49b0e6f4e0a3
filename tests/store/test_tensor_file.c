// Files of tensors that others wrote: PyTorch's and NumPy's are read to the bit.
#include "tensor_file.h"
#include "bytes.h"
#include "digest.h"
#include "scratch.h"
#include "suite.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Arena arena;
static Error err;

static void begin(void)
{
    scratch_open();
}

static void forget(void)
{
    arena_finish(&arena);
    scratch_close();
}

static TensorFile *open_golden(const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "golden/%s", name);
    TensorFile *file = tensor_file_open(test_file(path), &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    return file;
}

static Tensor read_tensor(TensorFile *file, const char *name)
{
    Tensor tensor;
    ck_assert_msg(tensor_file_read(file, name, &arena, &tensor, &err), "%s", err.text);
    return tensor;
}

static bool has_name(const TensorFile *file, const char *name)
{
    for (int i = 0; i < tensor_file_count(file); i++)
        if (strcmp(tensor_file_name(file, i), name) == 0)
            return true;
    return false;
}

static void assert_shape(const Tensor *tensor, int rank, const ptrdiff_t shape[])
{
    ck_assert_int_eq(tensor->rank, rank);
    for (int axis = 0; axis < rank; axis++)
        ck_assert_int_eq(tensor->shape[axis], shape[axis]);
}

static int check_shapes(TensorFile *file, const json_t *keys)
{
    int checked = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)keys, key, value)
    {
        char name[200];
        snprintf(name, sizeof name, "f32.%s", key);
        if (!has_name(file, name))
            continue;
        Tensor tensor = read_tensor(file, name);
        ck_assert_int_eq(tensor.dtype, DTYPE_F32);
        ptrdiff_t shape[TENSOR_RANK_MAX];
        for (size_t axis = 0; axis < json_array_size(value); axis++)
            shape[axis] = (ptrdiff_t)json_integer_value(json_array_get(value, axis));
        assert_shape(&tensor, (int)json_array_size(value), shape);
        checked++;
    }
    return checked;
}

FIXTURE(begin, forget)

TEST(every_float_tensor_of_the_golden_archives_has_the_shape_of_the_manifest)
{
    json_error_t json;
    json_t *manifest = json_load_file(test_file("golden/manifest.json"), 0, &json);
    ck_assert_msg(manifest != NULL, "%s", json.text);
    int files = 0, checked = 0;
    const char *name;
    json_t *entry;
    json_object_foreach(manifest, name, entry)
    {
        if (strcmp(json_string_value(json_object_get(entry, "kind")), "small") != 0)
            continue;
        char path[300];
        snprintf(path, sizeof path, "small/%s.npz", name);
        TensorFile *file = open_golden(path);
        checked += check_shapes(file, json_object_get(entry, "keys"));
        files++;
        tensor_file_close(file);
    }
    json_decref(manifest);
    ck_assert_int_eq(files, 23);
    // NumPy counts 1003 names that begin with "f32." in the 23 files.
    ck_assert_int_eq(checked, 1003);
}

// sha256 of the little-endian bytes as NumPy reads them from the same files (every NaN 7fc00000).
static const struct {
    const char *file, *tensor, *sha256;
} golden[] = {
    {"small/e_cross_attention_Lq4_Lk7_D12_H3.npz", "f32.output",
     "d8093619d4cb3d160e204c6609506528c282ec8e44335348ceaa879eac98a456"},
    {"small/f_B1_L3.npz", "f32.output",
     "c9ce2db1b346e2ac6a3ccf9593574bbd59e478dfdd1252b523d7209dff46ec57"},
    {"small/f_L1_B1.npz", "f32.output",
     "82e96ea640114f1ed5c31295a1c03ec3ecb5acfed0eb1812deae7bc528ddc8e2"},
    {"small/f_fully_padded_row_finfo_min.npz", "f32.output",
     "2d7f5bf657edf003bcf9908ee7ac451fa60ed35922a306f16fde16d6776f47fc"},
    {"small/f_fully_padded_row_minus_1e9.npz", "f32.output",
     "2d7f5bf657edf003bcf9908ee7ac451fa60ed35922a306f16fde16d6776f47fc"},
    {"small/f_fully_padded_row_minus_inf.npz", "f32.output",
     "0e6b1142ea18d39f97086f49ac13e6ea5ca6133284565eae07eb5ae39a18a0f7"},
    {"small/f_identical_tokens_zero_input.npz", "f32.output",
     "62822d3caa610d1d004c8c05c9aafe32384280579e0db71526df57e9de91afb5"},
    {"small/f_large_scores.npz", "f32.output",
     "f826e91fc01c8f0bc501363804730415005b0521d157fec2fd5fcb87342b548c"},
    {"small/f_overflow_scores_f32.npz", "f32.output",
     "2cf196b3d5b5509c0ea746faf9344f200f231ee0a28eda6611c061be80bf4d50"},
    {"small/f_single_head_H1.npz", "f32.output",
     "20f18e597b09592c5579d03b31395966cee956d6049db354adc6678244dc2731"},
    {"small/pub_llms_from_scratch_ch03_mha.npz", "f32.output",
     "e9ae56184e7eb1adbdcf5953b25995c3748b60ba481d92184b3daa8548eaf989"},
    {"small/s000_small_B1_L10_D24_H12.npz", "f32.output",
     "fabb088c5117dc435f49bda0ce1a43155292c649001b785bd1ad1826c48bbe0f"},
    {"small/s001_small_as_written_B10_L20_D8_H2.npz", "f32.output",
     "2c36e43d6d046304167748329df17c0169851c90386acd28d27ea8018c99c88d"},
    {"small/s001_small_corrected_B10_L20_D8_H2.npz", "f32.output",
     "537aec29b87c8462498bc5c7f6ef8abc9e559ed07f96fa0885fde6e44983c3fc"},
    {"small/s001_small_key_padding_mask_B10_L20_D8_H2.npz", "f32.output",
     "8bb124701076957f464b7b657daccb1d9ac42eacfcd3cd11a865113f6210e3b0"},
    {"small/s002_multi_head_as_written_sqrt_embedding_dim.npz", "f32.attn_weights",
     "d6fef6fc5fc2236e675c65e818e5352d9ddf40762764ffabeaf07885e8a45c35"},
    {"small/s002_multi_head_sqrt_head_dim.npz", "f32.attn_weights",
     "cf535104d4971180636d41e44b9a15c341a69ebacb102050d531dbd816b39f5c"},
    {"small/s002_single_head_B1_L3_D4.npz", "f32.attn_weights",
     "afdb70e20cf3b721808f52cdcc71ced43969c450600262769a4b91e2f39ece71"},
    {"small/s002_single_head_printed_QKV.npz", "f32.attn_weights",
     "ce5a9681bcb3515c7ff1258785a664f513cc2c31a12de746683994f0bdcd1467"},
    {"small/s003_causal_bias0_drop0_B2_L6_D12_8_H2.npz", "f32.output",
     "f92a6e12157d6648a42a50f17f4a70a1a8e94bfbce937eb32c02d59a59a0d6e4"},
    {"small/s003_causal_bias0_drop0p1_B2_L6_D12_8_H2.npz", "f32.output",
     "3ae82342c82540e1fb5bd553d8b58e4440d9ca339ccf5d997b73d58e0f47df30"},
    {"small/s003_causal_bias1_drop0_B2_L6_D12_8_H2.npz", "f32.output",
     "e4426aa0f57e41ae123e2eabd148c02f0b19d31f0828cbfe49c3ad0fb98145a6"},
    {"small/s004_sentence_self_attention_L11_D12_H3.npz", "f32.output",
     "59d8bb905ebff87e7f3e834c4670e7c15503629da4969e8cf29aad23e6531f39"},
    {"small/s003_causal_bias0_drop0p1_B2_L6_D12_8_H2.npz", "causal_mask_buffer",
     "6289e90172ab39224c3eead51e9718248d115bfb48a028882cd3119847926743"},
    {"small/s003_causal_bias0_drop0p1_B2_L6_D12_8_H2.npz", "f32.loss",
     "237e9e796dc7da5a2e5370c25368cfbe51b59d261256e75385deb61cb5d1d3fe"},
    {"small/s001_small_as_written_B10_L20_D8_H2.npz", "input_ids",
     "8e90e461f622f5e80fe9691cd998631200155b5b2da037151fbf5f8ffeaa1d70"},
    {"layouts/hf_bert.safetensors", "bert.encoder.layer.0.attention.output.dense.bias",
     "198eab8b65cc8598bebfda6f6dc4f483e902f55f56fcdd79d0c7196fa88b0e8d"},
    {"layouts/hf_gpt2.safetensors", "h.0.attn.c_attn.weight",
     "da0a3385e915aeb36ffff000918eca67ab8f201375574763ffe50de108e33b0b"},
    {"layouts/io.safetensors", "attn_weights.causal",
     "af9a0080761aaa4cccc6319e9a64fcdfc1e47a26dc45522c42be7946082830c4"},
    {"layouts/io.safetensors", "key_padding_mask",
     "761ed03de062527aa7a8435dd6d9546d8c5f0cdd2497a77e75ee234985947b3e"},
    {"layouts/llms_from_scratch.safetensors", "trf_blocks.0.att.mask",
     "e9afb148cb0787497eaf3ec4575bcd5ee8af2325ff7d1fd32e5abed2293b9b9b"},
    {"layouts/seed000.safetensors", "dense.bias",
     "198eab8b65cc8598bebfda6f6dc4f483e902f55f56fcdd79d0c7196fa88b0e8d"},
    {"layouts/seed001.safetensors", "w_O.weight",
     "bf0c0caa5fdc7f5ff9730a095fd2c4e4f8ddeca1386bc2252cab408cac983725"},
    {"layouts/torch_nn_MultiheadAttention.safetensors", "in_proj_weight",
     "6ce4478d6648bc71a524c47034a2c1a3f54692810a93ebf3197a29de2f68eeaa"},
};

TEST(numbers_are_those_that_numpy_reads)
{
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        TensorFile *file = open_golden(golden[i].file);
        Tensor tensor = read_tensor(file, golden[i].tensor);
        char text[DIGEST_TEXT_MAX];
        ck_assert_msg(strcmp(tensor_digest(&tensor, text), golden[i].sha256) == 0, "%s %s",
                      golden[i].file, golden[i].tensor);
        tensor_file_close(file);
    }
}

TEST(some_numbers_seen_with_the_eye)
{
    TensorFile *file = open_golden("small/f_L1_B1.npz");
    Tensor x = read_tensor(file, "f32.x");
    assert_shape(&x, 3, (ptrdiff_t[]){1, 1, 6});
    ck_assert_float_eq(*tensor_at3(&x, 0, 0, 0), 0.077908725f);
    ck_assert_float_eq(*tensor_at3(&x, 0, 0, 3), -1.5164313f);
    tensor_file_close(file);

    file = open_golden("small/s001_small_key_padding_mask_B10_L20_D8_H2.npz");
    Tensor ids = read_tensor(file, "input_ids"), mask = read_tensor(file, "key_padding_mask");
    ck_assert_int_eq(ids.dtype, DTYPE_I64);
    ck_assert_int_eq(*tensor_id2(&ids, 0, 0), 62);
    ck_assert_int_eq(*tensor_id2(&ids, 9, 19), 0);
    ck_assert_int_eq(mask.dtype, DTYPE_BOOL);
    ck_assert_uint_eq(*tensor_flag2(&mask, 0, 0), 0);
    ck_assert_uint_eq(*tensor_flag2(&mask, 9, 19), 1);
    tensor_file_close(file);
}

TEST(numbers_of_every_kind_are_read)
{
    TensorFile *file = open_golden("layouts/dtypes.safetensors");
    ck_assert_int_eq(tensor_file_count(file), 10);
    ck_assert_str_eq(tensor_file_name(file, 0), "f64");
    ck_assert_str_eq(tensor_file_name(file, 9), "empty");

    Tensor i64 = read_tensor(file, "i64"), i32 = read_tensor(file, "i32");
    ck_assert_int_eq(*tensor_id1(&i64, 2), 1099511627776);
    ck_assert(*tensor_id1(&i64, 3) == INT64_MIN);
    ck_assert_int_eq(i32.dtype, DTYPE_I64);
    ck_assert_int_eq(*tensor_id1(&i32, 1), -1);
    ck_assert_int_eq(*tensor_id1(&i32, 2), 2147483647);
    Tensor u8 = read_tensor(file, "u8"), flags = read_tensor(file, "bool");
    ck_assert_int_eq(*tensor_id1(&u8, 2), 255);
    ck_assert_int_eq(flags.dtype, DTYPE_BOOL);
    ck_assert_int_eq(flags.storage.boolean[0], 1);
    ck_assert_int_eq(flags.storage.boolean[1], 0);
    Tensor f32 = read_tensor(file, "f32"), scalar = read_tensor(file, "scalar");
    ck_assert_float_eq(*tensor_at2(&f32, 1, 2), -0.9772779f);
    ck_assert_int_eq(scalar.rank, 0);
    ck_assert_float_eq(scalar.storage.f32[0], 2.5f);
    Tensor empty = read_tensor(file, "empty");
    assert_shape(&empty, 2, (ptrdiff_t[]){0, 4});

    ck_assert_ptr_null(tensor_file_conversion(file));
    tensor_file_close(file);
}

TEST(a_missing_name_is_refused_with_the_nearest)
{
    Tensor out;
    TensorFile *file = open_golden("layouts/seed000.safetensors");
    ck_assert(!tensor_file_read(file, "dense.wieght", &arena, &out, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "seed000.safetensors has no tensor named "
                                           "'dense.wieght'; did you mean 'dense.weight'?"));
    ck_assert(
        !tensor_file_read(file, "W.weight", &arena, &out, &err)); // not "did you mean Q.weight"
    ck_assert_ptr_nonnull(
        strstr(err.text, "named 'W.weight'; it has 8 tensors, the first is 'Q.weight'"));
    ck_assert(!tensor_file_read(file, "banana", &arena, &out, &err));
    ck_assert_ptr_nonnull(
        strstr(err.text, "named 'banana'; it has 8 tensors, the first is 'Q.weight'"));
    ck_assert(!tensor_file_read(file, "__metadata__", &arena, &out, &err));
    tensor_file_close(file);
}

// A .npy file, as the header's page describes it: dict and numbers put behind the lengths.
static const char *npy_file(const char *dict, const void *numbers, size_t bytes)
{
    unsigned char file[1000] = "\x93NUMPY\x01";
    size_t length = strlen(dict);
    file[8] = (unsigned char)length;
    memcpy(file + 10, dict, length);
    memcpy(file + 10 + length, numbers, bytes);
    return scratch_write("x.npy", file, 10 + length + bytes);
}

static Tensor read_npy(const char *path)
{
    TensorFile *file = tensor_file_open(path, &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    ck_assert_int_eq(tensor_file_count(file), 1);
    Tensor tensor = read_tensor(file, tensor_file_name(file, 0));
    tensor_file_close(file);
    return tensor;
}

TEST(an_npy_file_is_one_tensor_without_a_name)
{
    static const unsigned char numbers[] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}; // 1, -2
    Tensor t = read_npy(
        npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }  \n", numbers, 8));
    assert_shape(&t, 1, (ptrdiff_t[]){2});
    ck_assert_float_eq(*tensor_at1(&t, 0), 1.0f);
    ck_assert_float_eq(*tensor_at1(&t, 1), -2.0f);

    Tensor out;
    TensorFile *file = tensor_file_open(scratch_path("x.npy"), &arena, &err);
    ck_assert(!tensor_file_read(file, "x", &arena, &out, &err));
    ck_assert_ptr_nonnull(
        strstr(err.text, "x.npy has no tensor named 'x'; it has one tensor, without a name"));
    tensor_file_close(file);
}

TEST(fortran_order_is_read_as_strides)
{
    // [[1, 2, 3], [4, 5, 6]] with columns together in the file
    static const unsigned char bytes[] = {1, 4, 2, 5, 3, 6};
    Tensor t =
        read_npy(npy_file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}", bytes, 6));
    assert_shape(&t, 2, (ptrdiff_t[]){2, 3});
    for (int row = 0; row < 2; row++)
        for (int column = 0; column < 3; column++)
            ck_assert_int_eq(*tensor_id2(&t, row, column), 3 * row + column + 1);
}

TEST(six_axes_are_read)
{
    static const unsigned char bytes[] = {0, 1};
    Tensor t = read_npy(npy_file(
        "{'descr': '|b1', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 2)}", bytes, 2));
    assert_shape(&t, 6, (ptrdiff_t[]){1, 1, 1, 1, 1, 2});
    ck_assert_int_eq(t.storage.boolean[1], 1);
}

TEST(the_dict_may_be_written_in_any_order_and_with_double_quotes)
{
    static const unsigned char bytes[] = {0xfe, 0xff, 0xff, 0xff}; // -2
    Tensor t = read_npy(
        npy_file("{\"shape\":(1L,1),\"fortran_order\":False,\"descr\":\"<i4\"}", bytes, 4));
    assert_shape(&t, 2, (ptrdiff_t[]){1, 1});
    ck_assert_int_eq(*tensor_id2(&t, 0, 0), -2);
}

// --- checkpoints in several files

// One number under each name.
static void write_shard(const char *path, const char *const names[], int count, float first)
{
    NamedTensor tensors[4];
    for (int i = 0; i < count; i++) {
        tensors[i].name = names[i];
        ck_assert(tensor_take(&arena, DTYPE_F32, 1, (ptrdiff_t[]){1}, &tensors[i].tensor, &err));
        *tensor_at1(&tensors[i].tensor, 0) = first + (float)i;
    }
    ck_assert_msg(tensor_file_write(scratch_path(path), tensors, count, &err), "%s", err.text);
}

static void write_two_shards(void)
{
    write_shard("m-00001-of-00002.safetensors", (const char *[]){"a.q", "a.k"}, 2, 1);
    write_shard("m-00002-of-00002.safetensors", (const char *[]){"a.v", "b.q"}, 2, 3);
}

static void holds_four(const char *path)
{
    static const char *const names[] = {"a.q", "a.k", "a.v", "b.q"};
    TensorFile *file = tensor_file_open(path, &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    ck_assert_int_eq(tensor_file_count(file), 4);
    for (int i = 3; i >= 0; i--) {
        Tensor tensor = read_tensor(file, names[i]);
        ck_assert_float_eq(*tensor_at1(&tensor, 0), (float)i + 1);
    }
    ck_assert(has_name(file, "a.v"));
    tensor_file_close(file);
}

TEST(any_shard_opens_all_of_them)
{
    char first[1000], second[1000], index[1000];
    static const char map[] =
        "{\"metadata\": {}, \"weight_map\": {\"a.q\": \"m-00001-of-00002.safetensors\","
        "\"a.k\": \"m-00001-of-00002.safetensors\", \"a.v\": \"m-00002-of-00002.safetensors\","
        "\"b.q\": \"m-00002-of-00002.safetensors\"}}";
    write_two_shards();
    snprintf(first, sizeof first, "%s", scratch_path("m-00001-of-00002.safetensors"));
    snprintf(second, sizeof second, "%s", scratch_path("m-00002-of-00002.safetensors"));
    holds_four(first);
    holds_four(second);
    snprintf(index, sizeof index, "%s",
             scratch_write("m.safetensors.index.json", map, sizeof map - 1));
    holds_four(index);
    holds_four(second);
    char folder[1000];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(index, '/') - index), index);
    const char *found = tensor_file_in(folder, &arena, &err);
    ck_assert_msg(found && strstr(found, "/m"), "%s", err.text);
    holds_four(found);
}

// The names of a layer are looked up with memory that is gone when its numbers are read.
TEST(a_shard_outlives_the_memory_of_its_first_reader)
{
    static const char map[] = "{\"weight_map\": {\"a.q\": \"m-00001-of-00002.safetensors\","
                              "\"a.v\": \"m-00002-of-00002.safetensors\"}}";
    write_two_shards();
    TensorFile *file = tensor_file_open(
        scratch_write("m.safetensors.index.json", map, sizeof map - 1), &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    Arena briefly = {0};
    ptrdiff_t shape[TENSOR_RANK_MAX];
    int rank;
    ck_assert(tensor_file_shape(file, "a.v", &briefly, &rank, shape, &err));
    arena_finish(&briefly);
    Tensor tensor = read_tensor(file, "a.v");
    ck_assert_float_eq(*tensor_at1(&tensor, 0), 3);
    tensor_file_close(file);
}

// The layers are still counted: only what is not there cannot be read.
TEST(a_missing_shard_is_named)
{
    static const char map[] = "{\"weight_map\": {\"a.q\": \"m-00001-of-00002.safetensors\","
                              "\"a.v\": \"m-00002-of-00002.safetensors\"}}";
    const char *notes[4];
    Tensor tensor;
    write_two_shards();
    ck_assert_int_eq(remove(scratch_path("m-00002-of-00002.safetensors")), 0);
    TensorFile *file = tensor_file_open(
        scratch_write("m.safetensors.index.json", map, sizeof map - 1), &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    ck_assert_int_eq(tensor_file_count(file), 2);
    read_tensor(file, "a.q");
    ck_assert(!tensor_file_read(file, "a.v", &arena, &tensor, &err));
    ck_assert_ptr_nonnull(
        strstr(err.text, "m-00002-of-00002.safetensors is missing; it holds 'a.v'. Fetch it into "
                         "the folder of m.safetensors.index"));
    ck_assert(tensor_file_notes(file, &arena, notes, &err));
    ck_assert_str_eq(
        notes[0],
        "1 of 2 files are missing: m-00002-of-00002.safetensors; their tensors cannot be read");
    tensor_file_close(file);
}

TEST(an_index_that_is_wrong_is_refused)
{
    static const struct {
        const char *text, *said;
    } wrong[] = {
        {"[]", ": expected a JSON object with weight_map"},
        {"{\"weight_map\": 3}", ": expected a JSON object with weight_map"},
        {"{\"weight_map\": {\"a\": \"../x.safetensors\"}}",
         ": 'a' must be in a file next to it, not in '../x.safetensors'"},
        {"{\"weight_map\": {\"a\": 3}}", ": 'a' must be in a file next to it"},
        {"{\"weight_map\": ", ": expected a JSON object with weight_map"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *path =
            scratch_write("m.safetensors.index.json", wrong[i].text, strlen(wrong[i].text));
        ck_assert_ptr_null(tensor_file_open(path, &arena, &err));
        ck_assert_msg(strstr(err.text, wrong[i].said), "%s", err.text);
    }
}

// As TensorFlow called them, and bert-base-uncased still does.
TEST(older_names_of_layer_norms_are_found)
{
    Tensor tensor;
    write_shard("x.safetensors", (const char *[]){"a.LayerNorm.gamma", "a.LayerNorm.beta"}, 2, 1);
    TensorFile *file = tensor_file_open(scratch_path("x.safetensors"), &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    tensor = read_tensor(file, "a.LayerNorm.weight");
    ck_assert_float_eq(*tensor_at1(&tensor, 0), 1);
    tensor = read_tensor(file, "a.LayerNorm.bias");
    ck_assert_float_eq(*tensor_at1(&tensor, 0), 2);
    ck_assert(!tensor_file_read(file, "b.LayerNorm.weight", &arena, &tensor, &err));
    tensor_file_close(file);
}

// --- files of something else

TEST(other_formats_are_named_as_what_they_are)
{
    static const struct {
        const char *name, *bytes, *said;
    } others[] = {
        {"model.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a",
         " is a Git LFS pointer"},
        {"model.bin", "  <!DOCTYPE html><html>", " is a web page"},
        {"model.pt", "<?xml version=\"1.0\"?><Error>", " is a web page"},
        {"model.safetensors", "{\"error\":\"gated\"}\n",
         " is text that begins with '{\"error\":\"gated\"}', not weights"},
        {"model.gguf", "GGUF\3", " is a GGUF or GGML file"},
        {"model.bin", "GGUF\3", " is a GGUF or GGML file"},
        {"tf_model.h5", "\x89HDF\r\n\x1a\n", " is an HDF5 file"},
        {"model.onnx", "\x08\x07\x12", " is an ONNX file"},
        {"saved_model.pb", "\x08\x01\x12", " belongs to a TensorFlow model"},
        {"model.ckpt.data-00000-of-00001", "\1\2", " belongs to a TensorFlow model"},
        {"flax_model.msgpack", "\x81\xa6", " holds Flax weights"},
        {"model.safetensors", "\x1f\x8b\x08", " is compressed; unpack it"},
        {"model.pt", "BZh9", " is compressed"},
        {"model.pkl", "\x80\x04}.", " is a pickle, but not from torch.save"},
        {"model.weights", "\1\2", " has an unknown format; .npz, .safetensors"},
        {"model.ckpt", "", " is empty; fetch or save it again"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *path = scratch_write(others[i].name, others[i].bytes, strlen(others[i].bytes));
        ck_assert_ptr_null(tensor_file_open(path, &arena, &err));
        ck_assert_msg(strncmp(err.text, path, strlen(path)) == 0, "%s", err.text);
        ck_assert_msg(strncmp(err.text + strlen(path), others[i].said, strlen(others[i].said)) == 0,
                      "%s", err.text);
    }
    unsigned char tar[512] = "sys_info";
    memcpy(tar + 257, "ustar", 5);
    ck_assert_ptr_null(tensor_file_open(scratch_write("m.pth", tar, sizeof tar), &arena, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "m.pth is a tar archive: unpack it"));
}

// An ending that says nothing, or something else, is no reason to refuse what is inside.
TEST(a_file_is_read_by_what_it_begins_with)
{
    static const char *const names[] = {"weights", "weights.pt", "blob.model"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1000];
        write_shard("x.safetensors", (const char *[]){"w"}, 1, 5);
        snprintf(path, sizeof path, "%s", scratch_path(names[i]));
        ck_assert_int_eq(rename(scratch_path("x.safetensors"), path), 0);
        ck_assert(tensor_file_is(path));
        TensorFile *file = tensor_file_open(path, &arena, &err);
        ck_assert_msg(file != NULL, "%s", err.text);
        ck_assert_str_eq(tensor_file_name(file, 0), "w");
        tensor_file_close(file);
    }
}

// Archives have the endings of each other: NumPy's and PyTorch's are told by their first entry.
TEST(an_archive_is_read_by_its_first_entry)
{
    static const char *const rows[][2] = {{"golden/layouts/hf_bert.npz", "a.pt"},
                                          {"golden/layouts/hf_bert.npz", "a.safetensors"},
                                          {"golden/layouts/hf_bert.pt", "a.npz"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t length;
        unsigned char *bytes = scratch_read(test_file(rows[i][0]), &length);
        TensorFile *file = tensor_file_open(scratch_write(rows[i][1], bytes, length), &arena, &err);
        free(bytes);
        ck_assert_msg(file != NULL, "%s", err.text);
        ck_assert_int_eq(tensor_file_count(file), 8);
        tensor_file_close(file);
    }
}

// --- Floats that are not float32: how each becomes one, to the bit.

// `count` numbers of this kind, through a .npy file.
static Tensor read_numbers(const char *descr, int count, const void *numbers, size_t length)
{
    char dict[100];
    snprintf(dict, sizeof dict, "{'descr': %s, 'fortran_order': False, 'shape': (%d,)}", descr,
             count);
    Bytes bytes = bytes_npy(dict, 0);
    bytes_put(&bytes, numbers, length);
    TensorFile *file =
        tensor_file_open(scratch_write("x.npy", bytes.data, bytes.length), &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    Tensor tensor = read_tensor(file, "");
    tensor_file_close(file);
    return tensor;
}

FIXTURE(scratch_open, forget)

// The file's f16 and bf16 are its f32 rounded by PyTorch. What f32 holds at [0, 0], 1.7640524, has
// 1.763671875 for its nearest float16 (steps of 2^-10) and 1.765625 for its bfloat16 (2^-7).
TEST(other_floats_become_float32_and_the_file_says_how)
{
    TensorFile *file = open_golden("layouts/dtypes.safetensors");
    Tensor f32 = read_tensor(file, "f32");
    ck_assert_float_eq(*tensor_at2(&f32, 0, 0), 1.7640524f);
    Tensor f16 = read_tensor(file, "f16");
    ck_assert_str_eq(tensor_file_conversion(file), "float16, widened to float32");
    ck_assert_float_eq(*tensor_at2(&f16, 0, 0), 1.763671875f);
    Tensor bf16 = read_tensor(file, "bf16");
    ck_assert_str_eq(tensor_file_conversion(file), "bfloat16, widened to float32");
    ck_assert_float_eq(*tensor_at2(&bf16, 0, 0), 1.765625f);
    Tensor f64 = read_tensor(file, "f64");
    ck_assert_str_eq(tensor_file_conversion(file), "float64, rounded to float32");
    ptrdiff_t at[2] = {0};
    for (bool more = true; more; more = tensor_next(&f64, at))
        ck_assert(tensor_same_number(&f64, &f32, at));
    tensor_file_close(file);

    file = open_golden("small/f_L1_B1.npz");
    Tensor wide = read_tensor(file, "f64.x");
    ck_assert_str_eq(tensor_file_conversion(file), "float64, rounded to float32");
    ck_assert_float_eq(*tensor_at3(&wide, 0, 0, 3), -1.5164313f); // the float32 run, widened
    read_tensor(file, "f32.x");
    ck_assert_ptr_null(tensor_file_conversion(file));
    tensor_file_close(file);
}

static uint32_t bits_of(const Tensor *tensor, ptrdiff_t i)
{
    uint32_t bits;
    memcpy(&bits, tensor_at1(tensor, i), sizeof bits);
    return bits;
}

// Each pair by hand from the formats: sign, exponent, fraction.
TEST(float16_is_widened_without_changing_a_number)
{
    static const struct {
        unsigned char bytes[2];
        uint32_t float32;
    } pairs[] = {
        {{0x00, 0x00}, 0x00000000}, {{0x00, 0x80}, 0x80000000}, // 0, -0
        {{0x01, 0x00}, 0x33800000}, {{0x01, 0x80}, 0xb3800000}, // 2^-24, the smallest
        {{0xff, 0x03}, 0x387fc000},                             // (1 - 2^-10) * 2^-14
        {{0x00, 0x04}, 0x38800000},                             // 2^-14, the smallest normal
        {{0x00, 0x3c}, 0x3f800000}, {{0x55, 0x35}, 0x3eaaa000}, // 1, 0.33325195
        {{0xff, 0x7b}, 0x477fe000},                             // 65504, the largest
        {{0x00, 0x7c}, 0x7f800000}, {{0x00, 0xfc}, 0xff800000}, // infinities
        {{0x01, 0x7c}, 0x7fc00000}, {{0x00, 0xfe}, 0x7fc00000}, // NaN has one form
    };
    enum { COUNT = sizeof pairs / sizeof *pairs };
    unsigned char bytes[2 * COUNT];
    for (size_t i = 0; i < COUNT; i++)
        memcpy(bytes + 2 * i, pairs[i].bytes, 2);
    Tensor t = read_numbers("'<f2'", 13, bytes, sizeof bytes);
    for (size_t i = 0; i < COUNT; i++)
        ck_assert_uint_eq(bits_of(&t, (ptrdiff_t)i), pairs[i].float32);
}

TEST(bfloat16_is_the_upper_half_of_a_float32)
{
    static const unsigned char bytes[] = {0x80, 0x3f, 0x01, 0x00, 0x80, 0xff, 0x81, 0x7f};
    Tensor t = read_numbers("'|V2'", 4, bytes, sizeof bytes);
    ck_assert_uint_eq(bits_of(&t, 0), 0x3f800000);
    ck_assert_uint_eq(bits_of(&t, 1), 0x00010000);
    ck_assert_uint_eq(bits_of(&t, 2), 0xff800000);
    ck_assert_uint_eq(bits_of(&t, 3), 0x7fc00000);
}

TEST(float64_is_rounded_to_the_nearest_float32_and_halves_to_even)
{
    static const struct {
        uint64_t float64;
        uint32_t float32;
    } pairs[] = {
        {0x3ff0000000000000, 0x3f800000}, // 1
        {0x3ff0000010000000, 0x3f800000}, // 1 + 2^-24: half way, down to even
        {0x3ff0000010000001, 0x3f800001}, // a little more: up
        {0x3ff0000030000000, 0x3f800002}, // 1 + 3*2^-24: half way, up to even
        {0x47efffffefffffff, 0x7f7fffff}, // just below the half way past the largest
        {0x47effffff0000000, 0x7f800000}, // from there on infinity
        {0x3690000000000000, 0x00000000}, // 2^-150: half of the smallest, down to even
        {0x3690000000000001, 0x00000001}, // a little more
        {0x8000000000000000, 0x80000000}, // -0
        {0xfff8000000000001, 0x7fc00000}, // NaN
    };
    enum { COUNT = sizeof pairs / sizeof *pairs };
    unsigned char bytes[8 * COUNT];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(pairs[i / 8].float64 >> (8 * (i % 8)));
    Tensor t = read_numbers("'<f8'", 10, bytes, sizeof bytes);
    for (size_t i = 0; i < COUNT; i++)
        ck_assert_uint_eq(bits_of(&t, (ptrdiff_t)i), pairs[i].float32);
}

SUITE("tensor_file")
