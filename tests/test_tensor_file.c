// Files of tensors: PyTorch's and NumPy's are read to the bit, ours are read back to the bit, and an
// archive of ours opens for somebody who knows only zip and the .npy page.
#include "tensor_file.h"
#include "digest.h"

#include "scratch.h"
#include "suite.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <zip.h>

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

// --- reading what PyTorch and NumPy wrote

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

START_TEST(every_float_tensor_of_the_golden_archives_has_the_shape_of_the_manifest)
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
END_TEST

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

START_TEST(numbers_are_those_that_numpy_reads)
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
END_TEST

START_TEST(some_numbers_seen_with_the_eye)
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
END_TEST

START_TEST(every_dtype_of_safetensors_is_read_or_refused_with_what_to_do)
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
    Tensor empty = read_tensor(file, "empty"), out;
    assert_shape(&empty, 2, (ptrdiff_t[]){0, 4});

    static const char *const refused[] = {"f64", "F64", "f16", "F16", "bf16", "BF16"};
    for (size_t i = 0; i < 6; i += 2) {
        char end[100];
        snprintf(end, sizeof end, ": %s: dtype %s is not read; save it as float32: tensor.float()",
                 refused[i], refused[i + 1]);
        ck_assert(!tensor_file_read(file, refused[i], &arena, &out, &err));
        ck_assert_ptr_nonnull(strstr(err.text, end));
    }
    tensor_file_close(file);
}
END_TEST

START_TEST(float64_in_an_archive_is_refused_only_when_it_is_asked_for)
{
    TensorFile *file = open_golden("small/f_L1_B1.npz");
    Tensor out;
    ck_assert(!tensor_file_read(file, "f64.x", &arena, &out, &err));
    ck_assert_ptr_nonnull(strstr(err.text,
                                 "f_L1_B1.npz: f64.x.npy: dtype '<f8' is not read, since its "
                                 "numbers would have to be rounded or widened; save it as "
                                 "float32: array.astype('<f4')"));
    read_tensor(file, "f32.x");
    tensor_file_close(file);
}
END_TEST

START_TEST(a_missing_name_is_refused_with_the_nearest)
{
    Tensor out;
    TensorFile *file = open_golden("layouts/seed000.safetensors");
    ck_assert(!tensor_file_read(file, "dense.wieght", &arena, &out, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "seed000.safetensors has no tensor named "
                                           "'dense.wieght'; did you mean 'dense.weight'?"));
    ck_assert(!tensor_file_read(file, "banana", &arena, &out, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "named 'banana'; it has 8, the first is 'Q.weight'"));
    ck_assert(!tensor_file_read(file, "__metadata__", &arena, &out, &err));
    tensor_file_close(file);
}
END_TEST

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

START_TEST(an_npy_file_is_one_tensor_without_a_name)
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
    ck_assert_ptr_nonnull(strstr(err.text, "x.npy has no tensor named 'x'; a .npy file holds one, "
                                           "without a name"));
    tensor_file_close(file);
}
END_TEST

START_TEST(fortran_order_is_read_as_strides)
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
END_TEST

START_TEST(the_dict_may_be_written_in_any_order_and_with_double_quotes)
{
    static const unsigned char bytes[] = {0xfe, 0xff, 0xff, 0xff}; // -2
    Tensor t = read_npy(
        npy_file("{\"shape\":(1L,1),\"fortran_order\":False,\"descr\":\"<i4\"}", bytes, 4));
    assert_shape(&t, 2, (ptrdiff_t[]){1, 1});
    ck_assert_int_eq(*tensor_id2(&t, 0, 0), -2);
}
END_TEST

// --- writing

static float counted[24] = {0.0f, -0.0f, 1e-40f, INFINITY, -INFINITY, 3.4e38f, 1.1f};
static int64_t ids[] = {INT64_MIN, -1, 0, INT64_MAX};
static unsigned char flags[] = {1, 0, 1};

// Numbers of every kind: every dtype, a scalar, an empty tensor, and one that is not contiguous.
static int make_tensors(NamedTensor tensors[6])
{
    for (int i = 7; i < 24; i++)
        counted[i] = (float)i / 3.0f;
    Tensor block = tensor_over(counted, DTYPE_F32, 3, (ptrdiff_t[]){2, 3, 4});
    tensors[0] = (NamedTensor){"q_proj.weight", block};
    tensors[1] = (NamedTensor){"mask", tensor_over(flags, DTYPE_BOOL, 2, (ptrdiff_t[]){1, 3})};
    tensors[2] = (NamedTensor){"k_heads", tensor_transpose(&block, 0, 2)};
    tensors[3] = (NamedTensor){"ids", tensor_over(ids, DTYPE_I64, 1, (ptrdiff_t[]){4})};
    tensors[4] = (NamedTensor){"loss", tensor_over(counted, DTYPE_F32, 0, NULL)};
    tensors[5] = (NamedTensor){"단어", tensor_over(counted, DTYPE_F32, 2, (ptrdiff_t[]){0, 4})};
    return 6;
}

static void write_tensors(const char *path, const NamedTensor tensors[], int count)
{
    ck_assert_msg(tensor_file_write(path, tensors, count, &err), "%s", err.text);
}

static void check_roundtrip(const char *name)
{
    NamedTensor tensors[6];
    int count = make_tensors(tensors);
    const char *path = scratch_path(name);
    write_tensors(path, tensors, count);
    ck_assert_int_eq(scratch_count(), 1);

    TensorFile *file = tensor_file_open(path, &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    ck_assert_int_eq(tensor_file_count(file), count);
    for (int i = 0; i < count; i++) {
        Tensor back = read_tensor(file, tensors[i].name);
        const Tensor *sent = &tensors[i].tensor;
        ck_assert_int_eq(back.dtype, sent->dtype);
        ck_assert(tensor_same_shape(&back, sent));
        size_t size = dtype_size(sent->dtype);
        ptrdiff_t at[TENSOR_RANK_MAX] = {0};
        for (bool more = tensor_count(sent) > 0; more; more = tensor_next(sent, at))
            ck_assert_mem_eq(
                (unsigned char *)back.storage.bytes + (size_t)tensor_place(&back, at) * size,
                (unsigned char *)sent->storage.bytes + (size_t)tensor_place(sent, at) * size, size);
    }
    tensor_file_close(file);
}

START_TEST(what_is_written_is_read_back_bit_for_bit)
{
    check_roundtrip("x.npz");
    scratch_close();
    scratch_open();
    check_roundtrip("x.safetensors");
}
END_TEST

START_TEST(equal_tensors_give_equal_files)
{
    NamedTensor tensors[6];
    int count = make_tensors(tensors);
    static const char *const endings[] = {"npz", "safetensors"};
    for (int i = 0; i < 2; i++) {
        char first[20], second[20];
        snprintf(first, sizeof first, "1.%s", endings[i]);
        snprintf(second, sizeof second, "2.%s", endings[i]);
        write_tensors(scratch_path(first), tensors, count);
        write_tensors(scratch_path(second), tensors, count);
        size_t length_1, length_2;
        unsigned char *bytes_1 = scratch_read(scratch_path(first), &length_1);
        unsigned char *bytes_2 = scratch_read(scratch_path(second), &length_2);
        ck_assert_uint_eq(length_1, length_2);
        ck_assert_mem_eq(bytes_1, bytes_2, length_1);
        free(bytes_1);
        free(bytes_2);
    }
}
END_TEST

START_TEST(a_written_archive_holds_what_the_npy_page_says)
{
    NamedTensor tensors[6];
    make_tensors(tensors);
    write_tensors(scratch_path("x.npz"), tensors, 2);
    zip_t *archive = zip_open(scratch_path("x.npz"), ZIP_RDONLY | ZIP_CHECKCONS, NULL);
    ck_assert_ptr_nonnull(archive);
    ck_assert_int_eq(zip_get_num_entries(archive, 0), 2);
    ck_assert_str_eq(zip_get_name(archive, 0, 0), "q_proj.weight.npy");
    ck_assert_str_eq(zip_get_name(archive, 1, 0), "mask.npy");
    // 10 bytes before the dict, then spaces and a newline up to the next multiple of 64
    static const char expected[] =
        "\x93NUMPY\x01\0\x76\0{'descr': '|b1', 'fortran_order': False, 'shape': (1, 3), }";
    unsigned char bytes[200];
    zip_file_t *entry = zip_fopen(archive, "mask.npy", 0);
    ck_assert_int_eq(zip_fread(entry, bytes, sizeof bytes), 128 + 3);
    ck_assert_mem_eq(bytes, expected, sizeof expected - 1);
    for (size_t i = sizeof expected - 1; i < 127; i++)
        ck_assert_int_eq(bytes[i], ' ');
    ck_assert_int_eq(bytes[127], '\n');
    ck_assert_mem_eq(bytes + 128, "\1\0\1", 3);
    zip_fclose(entry);
    zip_discard(archive);
}
END_TEST

START_TEST(a_written_safetensors_file_is_laid_out_canonically)
{
    // Wide elements first, then by name; the header is padded with spaces to a multiple of 8.
    static const char header[] =
        "{\"ids\":{\"dtype\":\"I64\",\"shape\":[4],\"data_offsets\":[0,32]},"
        "\"loss\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[32,36]},"
        "\"mask\":{\"dtype\":\"BOOL\",\"shape\":[1,3],\"data_offsets\":[36,39]}}";
    NamedTensor tensors[6];
    make_tensors(tensors);
    NamedTensor three[] = {tensors[1], tensors[4], tensors[3]};
    write_tensors(scratch_path("x.safetensors"), three, 3);
    size_t length, header_bytes = sizeof header - 1, padded = (header_bytes + 7) / 8 * 8;
    unsigned char *bytes = scratch_read(scratch_path("x.safetensors"), &length);
    ck_assert_uint_eq(length, 8 + padded + 39);
    ck_assert_uint_eq(bytes[0], padded);
    ck_assert_mem_eq(bytes + 1, "\0\0\0\0\0\0\0", 7);
    ck_assert_mem_eq(bytes + 8, header, header_bytes);
    for (size_t i = header_bytes; i < padded; i++)
        ck_assert_int_eq(bytes[8 + i], ' ');
    ck_assert_mem_eq(bytes + 8 + padded, "\0\0\0\0\0\0\0\x80\xff\xff\xff\xff\xff\xff\xff\xff", 16);
    ck_assert_mem_eq(bytes + length - 3, "\1\0\1", 3);
    free(bytes);
}
END_TEST

START_TEST(a_nan_is_written_without_a_sign)
{
    uint32_t minus_nan = 0xffc00001;
    float number;
    memcpy(&number, &minus_nan, sizeof number);
    NamedTensor named = {"x", tensor_over(&number, DTYPE_F32, 0, NULL)};
    write_tensors(scratch_path("x.safetensors"), &named, 1);
    size_t length;
    unsigned char *bytes = scratch_read(scratch_path("x.safetensors"), &length);
    ck_assert_mem_eq(bytes + length - 4, "\x00\x00\xc0\x7f", 4);
    free(bytes);
    write_tensors(scratch_path("x.npz"), &named, 1);
    TensorFile *file = tensor_file_open(scratch_path("x.npz"), &arena, &err);
    Tensor back = read_tensor(file, "x");
    uint32_t bits;
    memcpy(&bits, back.storage.f32, sizeof bits);
    ck_assert_uint_eq(bits, 0x7fc00000);
    tensor_file_close(file);
}
END_TEST

static void refuse_to_write(const char *path, const NamedTensor tensors[], int count,
                            const char *end)
{
    ck_assert(!tensor_file_write(path, tensors, count, &err));
    ck_assert_msg(strstr(err.text, end) != NULL, "%s", err.text);
}

START_TEST(what_cannot_be_written_leaves_nothing_behind)
{
    NamedTensor tensors[6];
    int count = make_tensors(tensors);
    refuse_to_write(scratch_path("x.txt"), tensors, count,
                    "x.txt: the name should end in .npz or .safetensors, which tells how to write");
    refuse_to_write(scratch_path("x.npz"), tensors, 0, "there is no tensor to write");
    refuse_to_write("/nowhere/x.npz", tensors, count,
                    "cannot write /nowhere/x.npz: No such file or directory");
    tensors[1].name = "ids";
    refuse_to_write(scratch_path("x.npz"), tensors, count, "ids.npy: File already exists");
    refuse_to_write(scratch_path("x.safetensors"), tensors, count,
                    "'ids' cannot be the name of two tensors");
    tensors[1].name = "__metadata__";
    refuse_to_write(scratch_path("x.safetensors"), tensors, count,
                    "'__metadata__' cannot be the name of a tensor");
    tensors[1].name = "\xff";
    refuse_to_write(scratch_path("x.safetensors"), tensors, count, "is not UTF-8");
    ck_assert_int_eq(scratch_count(), 0);
}
END_TEST

START_TEST(a_disk_that_is_full_leaves_the_old_file_as_it_was)
{
    NamedTensor tensors[6];
    int count = make_tensors(tensors);
    static const char *const names[] = {"x.npz", "x.safetensors"};
    struct rlimit before, tight;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = before;
    tight.rlim_cur = 200; // bytes, fewer than either file has
    for (int i = 0; i < 2; i++) {
        scratch_write(names[i], "old", 3);
        signal(SIGXFSZ, SIG_IGN);
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &tight), 0);
        bool written = tensor_file_write(scratch_path(names[i]), tensors, count, &err);
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
        ck_assert(!written);
        ck_assert_ptr_nonnull(strstr(err.text, "File too large"));
        size_t length;
        unsigned char *bytes = scratch_read(scratch_path(names[i]), &length);
        ck_assert_uint_eq(length, 3);
        ck_assert_mem_eq(bytes, "old", 3);
        free(bytes);
        ck_assert_int_eq(scratch_count(), i + 1);
    }
}
END_TEST

static void add_tests(TCase *cases)
{
    tcase_add_test(cases, every_float_tensor_of_the_golden_archives_has_the_shape_of_the_manifest);
    tcase_add_test(cases, numbers_are_those_that_numpy_reads);
    tcase_add_test(cases, some_numbers_seen_with_the_eye);
    tcase_add_test(cases, every_dtype_of_safetensors_is_read_or_refused_with_what_to_do);
    tcase_add_test(cases, float64_in_an_archive_is_refused_only_when_it_is_asked_for);
    tcase_add_test(cases, a_missing_name_is_refused_with_the_nearest);
    tcase_add_test(cases, an_npy_file_is_one_tensor_without_a_name);
    tcase_add_test(cases, fortran_order_is_read_as_strides);
    tcase_add_test(cases, the_dict_may_be_written_in_any_order_and_with_double_quotes);
    tcase_add_test(cases, what_is_written_is_read_back_bit_for_bit);
    tcase_add_test(cases, equal_tensors_give_equal_files);
    tcase_add_test(cases, a_written_archive_holds_what_the_npy_page_says);
    tcase_add_test(cases, a_written_safetensors_file_is_laid_out_canonically);
    tcase_add_test(cases, a_nan_is_written_without_a_sign);
    tcase_add_test(cases, what_cannot_be_written_leaves_nothing_behind);
    tcase_add_test(cases, a_disk_that_is_full_leaves_the_old_file_as_it_was);
}

int main(void)
{
    Suite *suite = suite_create("tensor_file");
    TCase *cases = tcase_create("tensor_file");
    tcase_add_checked_fixture(cases, begin, forget);
    add_tests(cases);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
