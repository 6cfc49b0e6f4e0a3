// Files of tensors that we write: read back to the bit, laid out as the .npy page says for somebody
// who knows only that and zip, and whole or not there at all.
#include "tensor_file.h"

#include "scratch.h"
#include "suite.h"

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

static Tensor read_tensor(TensorFile *file, const char *name)
{
    Tensor tensor;
    ck_assert_msg(tensor_file_read(file, name, &arena, &tensor, &err), "%s", err.text);
    return tensor;
}

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

TEST(what_is_written_is_read_back_bit_for_bit)
{
    check_roundtrip("x.npz");
    scratch_close();
    scratch_open();
    check_roundtrip("x.safetensors");
}

TEST(equal_tensors_give_equal_files)
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

TEST(a_written_archive_holds_what_the_npy_page_says)
{
    NamedTensor tensors[6];
    make_tensors(tensors);
    write_tensors(scratch_path("x.npz"), tensors, 2);
    zip_t *archive = zip_open(scratch_path("x.npz"), ZIP_RDONLY | ZIP_CHECKCONS, NULL);
    ck_assert_ptr_nonnull(archive);
    ck_assert_int_eq(zip_get_num_entries(archive, 0), 2);
    ck_assert_str_eq(zip_get_name(archive, 0, 0), "q_proj.weight.npy");
    ck_assert_str_eq(zip_get_name(archive, 1, 0), "mask.npy");
    // Bytes 10 to 13 of a local header are time and date: 1 January 1980, 0:00,
    // whatever the clock says.
    size_t length;
    unsigned char *whole = scratch_read(scratch_path("x.npz"), &length);
    ck_assert_mem_eq(whole + 10, "\x00\x00\x21\x00", 4);
    free(whole);
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

TEST(a_written_safetensors_file_is_laid_out_canonically)
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

TEST(a_nan_is_written_without_a_sign)
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

static void refuse_to_write(const char *path, const NamedTensor tensors[], int count,
                            const char *end)
{
    ck_assert(!tensor_file_write(path, tensors, count, &err));
    ck_assert_msg(strstr(err.text, end) != NULL, "%s", err.text);
}

// The header is JSON in which notes stand first; a zip archive ends with its comment.
TEST(a_file_says_of_itself_what_it_is_told_to)
{
    static const char header[] = "{\"__metadata__\":{\"a\":\"1\",\"b\":\"\\\"2\\\"\"},";
    static const char comment[] = "a: 1\nb: \"2\"\n";
    const FileNote notes[] = {{"a", "1"}, {"b", "\"2\""}, {NULL, NULL}};
    NamedTensor tensors[6];
    int count = make_tensors(tensors);
    const char *path = scratch_path("x.safetensors");
    size_t length;
    ck_assert_msg(tensor_file_write_noted(path, tensors, count, notes, &err), "%s", err.text);
    unsigned char *bytes = scratch_read(path, &length);
    ck_assert_mem_eq(bytes + 8, header, sizeof header - 1);
    free(bytes);
    TensorFile *file = tensor_file_open(path, &arena, &err);
    ck_assert_int_eq(tensor_file_count(file), count);
    tensor_file_close(file);

    path = scratch_path("x.npz");
    ck_assert_msg(tensor_file_write_noted(path, tensors, count, notes, &err), "%s", err.text);
    bytes = scratch_read(path, &length);
    ck_assert_mem_eq(bytes + length - (sizeof comment - 1), comment, sizeof comment - 1);
    free(bytes);
    const FileNote wrong[] = {{"a", "\xff"}, {NULL, NULL}};
    path = scratch_path("y.safetensors");
    ck_assert(!tensor_file_write_noted(path, tensors, count, wrong, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "the note 'a' is not UTF-8"));
}

TEST(what_cannot_be_written_leaves_nothing_behind)
{
    NamedTensor tensors[6];
    int count = make_tensors(tensors);
    refuse_to_write(scratch_path("x.txt"), tensors, count,
                    "x.txt: the name must end in .npz or .safetensors, which selects");
    refuse_to_write(scratch_path("x.npz"), tensors, 0, "there are no tensors to write");
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

TEST(a_disk_that_is_full_leaves_the_old_file_as_it_was)
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

SUITE_APART("tensor_file_write", begin, forget)
