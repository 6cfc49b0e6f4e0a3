// .npy and .safetensors files that are damaged, or made to do harm. The tables name what is wrong with
// a file and how the sentence begins behind its path.
#include "tensor_file.h"
#include "bytes.h"
#include "scratch.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

static Arena arena;
static Error err;

static void forget(void)
{
    arena_finish(&arena);
    scratch_close();
}

// Opens the file, reads `name`, and expects a sentence that begins with the path and then `said`.
static void refused(const char *path, const char *name, const char *said)
{
    Tensor tensor;
    err.text[0] = '\0';
    TensorFile *file = tensor_file_open(path, &arena, &err);
    ck_assert_msg(!file || !tensor_file_read(file, name, &arena, &tensor, &err), "read, not: %s",
                  said);
    tensor_file_close(file);
    size_t before = strlen(path);
    ck_assert_msg(strncmp(err.text, path, before) == 0, "%s", err.text);
    ck_assert_msg(strncmp(err.text + before, said, strlen(said)) == 0, "said: %s\nnot: %s",
                  err.text + before, said);
}

// --- paths

FIXTURE(scratch_open, forget)

TEST(a_path_that_is_no_file_is_refused)
{
    static const char *const endings[] = {"npz", "npy", "safetensors", "pt"};
    for (int i = 0; i < 4; i++) {
        char path[100];
        snprintf(path, sizeof path, "/nowhere/x.%s", endings[i]);
        ck_assert_ptr_null(tensor_file_open(path, &arena, &err));
        char said[200];
        snprintf(said, sizeof said, "cannot open %s: No such file or directory", path);
        ck_assert_str_eq(err.text, said);
    }
    ck_assert_ptr_null(tensor_file_open("weights.h5", &arena, &err));
    ck_assert_str_eq(err.text, "cannot open weights.h5: No such file or directory");
    ck_assert_ptr_null(tensor_file_open(".npz", &arena, &err));
}

TEST(a_folder_with_the_name_of_a_file_is_refused)
{
    static const char *const names[] = {"x.npz", "x.npy", "x.safetensors"};
    for (int i = 0; i < 3; i++) {
        refused(scratch_folder(names[i]), "", " is a folder; name a file in it");
    }
}

// --- .npy

static const struct {
    const char *descr, *shape;
    size_t bytes; // of numbers that follow
    const char *said;
} npy_headers[] = {
    {"'<f4'", "(2, 3)", 20,
     ": shape (2, 3) needs 24 bytes of numbers, but 20 follow the header; fetch or save the"},
    {"'<f4'", "(2, 3)", 28, ": shape (2, 3) needs 24 bytes of numbers, but 28 follow"},
    {"'<f4'", "(4611686018427387904, 4)", 8,
     ": shape (4611686018427387904, 4) of '<f4' is larger than any memory"},
    {"'<f4'", "(0, 9223372036854775807, 9)", 0,
     ": shape (0, 9223372036854775807, 9) of '<f4' is larger than any memory"},
    {"'|u1'", "(0, 9223372036854775807)", 0,
     ": shape (0, 9223372036854775807) is larger than any memory"},
    {"'<f4'", "(9223372036854775808,)", 8, ": an axis of the shape is longer than any memory"},
    {"'<f4'", "(1000000000000,)", 8, ": shape (1000000000000,) needs 4000000000000 bytes"},
    {"'<f4'", "(1, 1, 1, 1, 1, 1, 1)", 4, ": the shape has more than 6 axes"},
    {"'<f4'", "(-1,)", 4, ": the header is malformed from byte "},
    {"'<f4'", "(1)", 4, ": the header is malformed from byte "},
    {"'<f4'", "(1 1)", 8, ": the header is malformed from byte "},
    {"'<f4'", "(,)", 4, ": the header is malformed from byte "},
    {"'<f4'", "[1]", 4, ": the header is malformed from byte "},
    {"'<f4'", "(__import__('os').getpid(),)", 4, ": the header is malformed from byte "},
    {"'<f16'", "(1,)", 16,
     ": dtype '<f16' is not supported; save it as float32: array.astype('<f4')"},
    {"'<f8'", "(2,)", 8, ": shape (2,) needs 16 bytes of numbers, but 8 follow"},
    {"'>f4'", "(1,)", 4,
     ": dtype '>f4' is big-endian; save it as little-endian: array.astype('<f4')"},
    {"'<i2'", "(1,)", 2, ": dtype '<i2' is not supported; save it as int64: array.astype('<i8')"},
    {"'|O'", "(1,)", 8, ": Python objects are not supported, because reading them can run any"},
    {"'<U5'", "(1,)", 20,
     ": dtype '<U5' is not supported; use float16, float32, float64, int64, int32"},
    {"''", "(1,)", 4, ": dtype '' is not supported"},
    {"[('a', '<f4')]", "(1,)", 4, ": structured types are not supported; save each field as"},
};

// What the file holds as its header, and how many bytes of numbers follow.
typedef struct Damaged {
    const char *header;
    size_t bytes;
    const char *said;
} Damaged;

static const Damaged npy_dicts[] = {
    {"{'descr': '<f4', 'fortran_order': False, }", 4, ": the header is malformed from byte "},
    {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }", 4, ": the header is malformed"},
    {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4,
     ": the header is malformed"},
    {"{'descr': '<f4', 'order': False, 'shape': (1,)}", 4, ": the header is malformed"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} 7", 4, ": the header is malformed"},
    {"{'descr': '<f4", 0, ": the header is malformed from byte 24 on"},
    {"", 0, ": the header is malformed from byte 10 on; it must be a Python dict"},
};

TEST(an_npy_header_that_is_wrong_is_refused)
{
    for (size_t i = 0; i < sizeof npy_headers / sizeof *npy_headers; i++) {
        char dict[200];
        snprintf(dict, sizeof dict, "{'descr': %s, 'fortran_order': False, 'shape': %s, }",
                 npy_headers[i].descr, npy_headers[i].shape);
        Bytes bytes = bytes_npy(dict, npy_headers[i].bytes);
        refused(scratch_write("x.npy", bytes.data, bytes.length), "", npy_headers[i].said);
    }
    for (size_t i = 0; i < sizeof npy_dicts / sizeof *npy_dicts; i++) {
        Bytes bytes = bytes_npy(npy_dicts[i].header, npy_dicts[i].bytes);
        refused(scratch_write("x.npy", bytes.data, bytes.length), "", npy_dicts[i].said);
    }
}

TEST(the_bytes_before_the_npy_dict_are_checked)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *said;
    } files[] = {
        {"", 0, " is empty; fetch or save it again"},
        {"\x93NUMP", 5,
         " is not in NumPy's .npy format: it does not begin with \\x93NUMPY; write it with"},
        {"PK\x03\x04-----", 9, " is not in NumPy's .npy format"},
        {"\x93NUMPY\x04\x00\x02\x00{}", 12, ": version 4 of the .npy format is unknown; 1, 2"},
        {"\x93NUMPY\x00\x00\x02\x00{}", 12, ": version 0 of the .npy format is unknown; 1, 2"},
        {"\x93NUMPY\x01\x00\x76", 9, " ends in its header: it has 9 of 128 bytes; fetch or"},
        {"\x93NUMPY\x01\x00\x76\x00{'descr'", 18, " ends in its header: it has 18 of 128"},
        {"\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13,
         ": the header claims 4294967307 bytes; the limit is 65536"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        refused(scratch_write("x.npy", files[i].bytes, files[i].length), "", files[i].said);
}

// --- .safetensors

static const Damaged safetensors_headers[] = {
    {"{'x':{'dtype':'F32','shape':[2],'data_offsets':[0,8]}}", 4,
     ": x is at bytes 0 to 8, but the file has 4 after its header; fetch or save it again"},
    {"{'x':{'dtype':'F32','shape':[1],'data_offsets':[0,4]}}", 8,
     ": 4 bytes at the end belong to no tensor; fetch or save the file again"},
    {"{'x':{'dtype':'F32','shape':[1],'data_offsets':[4,0]}}", 4, ": x is at bytes 4 to 0, but"},
    {"{'x':{'dtype':'F32','shape':[1],'data_offsets':[-4,0]}}", 4,
     ": x: its dtype, shape or data_offsets are missing or malformed; the file is damaged or"},
    {"{'x':{'dtype':'F32','shape':[1],'data_offsets':[0,9223372036854775807]}}", 4,
     ": x is at bytes 0"},
    {"{'x':{'dtype':'F32','shape':[1],'data_offsets':[0,9223372036854775808]}}", 4,
     ": the header is not JSON: too big integer"},
    {"{'x':{'dtype':'F32','shape':[3],'data_offsets':[0,8]}}", 8,
     ": x has 8 bytes, but its shape in F32 needs 12; fetch or save the file again"},
    {"{'x':{'dtype':'F32','shape':[4611686018427387904,4],'data_offsets':[0,4]}}", 4,
     ": x: its shape is larger than any memory"},
    {"{'x':{'dtype':'F32','shape':[0,9223372036854775807,9],'data_offsets':[0,0]}}", 0,
     ": x: shape (0, 9223372036854775807, 9) is larger than any memory"},
    {"{'x':{'dtype':'F32','shape':[-1],'data_offsets':[0,4]}}", 4,
     ": x: its dtype, shape or data_offsets"},
    {"{'x':{'dtype':'F32','shape':[1.0],'data_offsets':[0,4]}}", 4,
     ": x: its dtype, shape or data_offsets"},
    {"{'x':{'dtype':'F32','shape':1,'data_offsets':[0,4]}}", 4,
     ": x: its dtype, shape or data_offsets"},
    {"{'x':{'dtype':32,'shape':[1],'data_offsets':[0,4]}}", 4,
     ": x: its dtype, shape or data_offsets"},
    {"{'x':{'dtype':'F32','shape':[1],'data_offsets':[0,4,5]}}", 5,
     ": x: its dtype, shape or data_offsets"},
    {"{'x':[1]}", 4, ": x: its dtype, shape or data_offsets are missing or malformed"},
    {"{'x':null}", 4, ": x: its dtype, shape or data_offsets are missing or malformed"},
    {"{'x':{'dtype':'F32','shape':[1,1,1,1,1,1,1],'data_offsets':[0,4]}}", 4,
     ": x has 7 axes; the limit is 6"},
    {"{'x':{'dtype':'F4','shape':[2],'data_offsets':[0,1]}}", 1,
     ": x: dtype F4 is unknown; F32, F16, BF16, F64, I64, I32, U8 and BOOL are supported"},
    {"{'x':{'dtype':'F16','shape':[2],'data_offsets':[0,8]}}", 8,
     ": x has 8 bytes, but its shape in F16 needs 4; fetch or save the file again"},
    {"{'x':{'dtype':'U32','shape':[1],'data_offsets':[0,4]}}", 4,
     ": x: dtype U32 is not supported; save it as int64: tensor.long()"},
    {"{'x':{'dtype':'F32','shape':[1],'data_offsets':[0,4]},'x':{'dtype':'F32','shape':[1],'data_"
     "offsets':[4,8]}}",
     8, ": the header is not JSON: duplicate object key"},
    {"{'x':{'dtype':'F32','shape':[2],'data_offsets':[0,8]},'y':{'dtype':'F32','shape':[1],'data_"
     "offsets':[4,8]}}",
     8, ": y: its bytes overlap another tensor's; the file is damaged or malicious"},
    {"{'x':{'dtype':'F32','shape':[1],'data_offsets':[0,4]},'y':{'dtype':'F32','shape':[1],'data_"
     "offsets':[8,12]}}",
     12, ": y: bytes before it belong to no tensor; the file is damaged or malicious"},
    {"{'x':{'dtype':'F32','shape':[1],'data_offsets':[4,8]}}", 8,
     ": x: bytes before it belong to no tensor"},
    {"{'__metadata__':{}}", 4, ": 4 bytes at the end belong to no tensor"},
    {"{}", 0, " has no tensor named 'x'; it has no tensors at all"},
    {"[]", 0, ": the header is not a JSON object; fetch or save the file again"},
    {"", 0, ": the header is not JSON: "},
    {"{'x':", 0, ": the header is not JSON: "},
    {"{'\xff':1}", 0, ": the header is not JSON: "},
    {"{'\\u0000':1}", 0, ": the header is not JSON: "},
    {"{'\x1b[2J':1}", 0, ": the header is not JSON: control character 0x1b"},
    {"{'\\u001b[2J':1}", 0, ": ?[2J: its dtype, shape or data_offsets"},
};

TEST(a_safetensors_header_that_is_wrong_is_refused)
{
    for (size_t i = 0; i < sizeof safetensors_headers / sizeof *safetensors_headers; i++) {
        const Damaged *file = &safetensors_headers[i];
        Bytes bytes = bytes_safetensors(file->header, file->bytes);
        refused(scratch_write("x.safetensors", bytes.data, bytes.length), "x", file->said);
    }
}

TEST(the_length_of_a_safetensors_header_is_checked)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *said;
    } files[] = {
        {"", 0, " is empty; fetch or save it again"},
        {"\2\0\0\0\0\0\0", 7,
         " has 7 bytes, too few for a .safetensors file; fetch or save it again"},
        {"\3\0\0\0\0\0\0\0{}", 10, ": the header claims 3 bytes, but 2 follow; fetch or save"},
        {"\xff\xff\xff\xff\xff\xff\xff\xff{}", 10,
         ": the header claims 18446744073709551615 bytes; the limit is 16777216. Is it"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        refused(scratch_write("x.safetensors", files[i].bytes, files[i].length), "x",
                files[i].said);
}

TEST(a_safetensors_header_nested_without_end_is_refused)
{
    Bytes bytes = {.length = 0};
    enum { DEEP = 8000 };
    bytes_put_number(&bytes, DEEP, 8);
    memset(bytes.data + 8, '[', DEEP);
    bytes.length += DEEP;
    refused(scratch_write("x.safetensors", bytes.data, bytes.length), "x",
            ": the header is not JSON: maximum parsing depth reached");
}

TEST(numbers_that_are_not_aligned_are_read_all_the_same)
{
    Bytes bytes = bytes_safetensors("{'flag':{'dtype':'BOOL','shape':[1],'data_offsets':[0,1]},"
                                    "'x':{'dtype':'F32','shape':[1],'data_offsets':[1,5]}}",
                                    0);
    bytes_put(&bytes, "\x07\x00\x00\xc0\x3f", 5); // a flag that is 7, and 1.5
    const char *path = scratch_write("x.safetensors", bytes.data, bytes.length);
    TensorFile *file = tensor_file_open(path, &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    Tensor x, flag;
    ck_assert(tensor_file_read(file, "x", &arena, &x, &err));
    ck_assert_float_eq(x.storage.f32[0], 1.5f);
    ck_assert(tensor_file_read(file, "flag", &arena, &flag, &err));
    ck_assert_int_eq(flag.storage.boolean[0], 1);
    tensor_file_close(file);
}

TEST(a_safetensors_file_cut_while_it_is_open_is_refused)
{
    Bytes bytes = bytes_safetensors("{'x':{'dtype':'F32','shape':[4],'data_offsets':[0,16]}}", 16);
    const char *path = scratch_write("x.safetensors", bytes.data, bytes.length);
    TensorFile *file = tensor_file_open(path, &arena, &err);
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(truncate(path, (off_t)bytes.length - 6), 0);
    Tensor x;
    ck_assert(!tensor_file_read(file, "x", &arena, &x, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "but 6 more bytes should follow"));
    tensor_file_close(file);
}

// --- .npz archives that are damaged, or made to do harm: what their directory says of an entry may be a
// lie. The table names each lie and how the sentence begins behind the path.

static uint32_t checksum(const unsigned char *bytes, size_t length)
{
    uint32_t sum = 0xffffffff;
    for (size_t i = 0; i < length; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
    }
    return ~sum;
}

// What the directory of an archive says of its one entry, which may be a lie.
typedef struct Entry {
    const char *name;
    int method, flags;        // 0 stored, 8 deflated; flag 1 is encrypted
    uint64_t packed, size;    // bytes in the file, bytes inflated
    uint32_t checksum_change; // 0: the right checksum
} Entry;

static void put_entry(Bytes *bytes, const Entry *entry, uint32_t sum)
{
    bytes_put_number(bytes, (uint64_t)entry->flags, 2);
    bytes_put_number(bytes, (uint64_t)entry->method, 2);
    bytes_put_number(bytes, 0x00210000, 4); // 1 January 1980
    bytes_put_number(bytes, sum ^ entry->checksum_change, 4);
    bytes_put_number(bytes, entry->packed, 4);
    bytes_put_number(bytes, entry->size, 4);
    bytes_put_number(bytes, strlen(entry->name), 2);
    bytes_put_number(bytes, 0, 2);
}

// The layout of APPNOTE.TXT: local header, bytes, directory, end. `names` is how often the entry is
// listed.
static void make_npz(Bytes *out, const Entry *entry, const Bytes *content, uint32_t sum, int names)
{
    *out = (Bytes){.length = 0};
    bytes_put_number(out, 0x04034b50, 4);
    bytes_put_number(out, 20, 2);
    put_entry(out, entry, sum);
    bytes_put(out, entry->name, strlen(entry->name));
    bytes_put(out, content->data, content->length);
    size_t directory = out->length;
    for (int i = 0; i < names; i++) {
        bytes_put_number(out, 0x02014b50, 4);
        bytes_put_number(out, 20 | 20 << 16, 4);
        put_entry(out, entry, sum);
        bytes_put_number(out, 0, 2 + 2 + 2); // comment, disk, attributes
        bytes_put_number(out, 0, 4 + 4);     // more attributes, where: at byte 0
        bytes_put(out, entry->name, strlen(entry->name));
    }
    size_t directory_bytes = out->length - directory;
    bytes_put_number(out, 0x06054b50, 4);
    bytes_put_number(out, 0, 4);
    bytes_put_number(out, (uint64_t)names, 2);
    bytes_put_number(out, (uint64_t)names, 2);
    bytes_put_number(out, directory_bytes, 4);
    bytes_put_number(out, directory, 4);
    bytes_put_number(out, 0, 2);
}

// One float32 as a .npy file of 69 bytes, and the same as a deflated stream of one stored block.
static void make_contents(Bytes *plain, Bytes *deflated)
{
    *plain = bytes_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4);
    ck_assert_uint_eq(plain->length, 69);
    *deflated = (Bytes){.length = 0};
    bytes_put(deflated, "\x01", 1);
    bytes_put_number(deflated, plain->length, 2);
    bytes_put_number(deflated, ~plain->length & 0xffff, 2);
    bytes_put(deflated, plain->data, plain->length);
}

static const struct {
    Entry entry;
    const char *said;
} archives[] = {
    {{"x.npy", 0, 0, 69, 69, 1}, ": x.npy: CRC error; fetch or save the file again"},
    {{"x.npy", 8, 0, 74, 69, 1}, ": x.npy: CRC error; fetch or save the file again"},
    {{"x.npy", 0, 1, 69, 69, 0}, ": x.npy is encrypted; save the file without a password"},
    {{"x.npy", 12, 0, 69, 69, 0},
     ": x.npy: compression method 12 is not supported; write the file"},
    {{"x.npy", 8, 0, 74, 4000000000, 0},
     ": x.npy: it claims that 74 bytes expand to 4000000000, which no compression can do; the file "
     "is"},
    {{"x.npy", 0, 0, 69, 70, 0},
     ": x.npy: it claims that 69 bytes expand to 70, which no compression"},
    {{"x.npy", 8, 0, 74, 70000, 0}, ": x.npy"},
    {{"x.npy", 8, 0, 74, 68, 0}, ": x.npy: shape (1,) needs 4 bytes of numbers, but 3 follow the"},
    {{"x.npy", 8, 0, 74, 0, 0}, ": x.npy is not in NumPy's .npy format"},
    {{"x.npy", 8, 0, 60, 69, 0}, ": x.npy"},
    {{"x.npy", 0, 0, 4000000000, 4000000000, 0},
     ": x.npy: it claims to take 4000000000 bytes of a"},
    {{"../../x.npy", 0, 0, 69, 69, 0},
     " has no tensor named 'x'; it has 1 tensors, the first is '../../x'"},
    {{"x.txt", 0, 0, 69, 69, 0}, " has no tensor named 'x'; it has no tensors at all"},
};

FIXTURE(scratch_open, forget)

TEST(an_archive_that_lies_is_refused)
{
    Bytes plain, deflated, file;
    make_contents(&plain, &deflated);
    uint32_t sum = checksum(plain.data, plain.length);
    for (size_t i = 0; i < sizeof archives / sizeof *archives; i++) {
        const Entry *entry = &archives[i].entry;
        make_npz(&file, entry, entry->method == 8 ? &deflated : &plain, sum, 1);
        refused(scratch_write("x.npz", file.data, file.length), "x", archives[i].said);
    }
}

TEST(an_honest_archive_made_by_the_same_hand_is_read)
{
    static const Entry entries[] = {{"x.npy", 0, 0, 69, 69, 0}, {"x.npy", 8, 0, 74, 69, 0}};
    Bytes plain, deflated, file;
    make_contents(&plain, &deflated);
    for (int i = 0; i < 2; i++) {
        make_npz(&file, &entries[i], i ? &deflated : &plain, checksum(plain.data, 69), 1);
        Tensor x;
        TensorFile *npz =
            tensor_file_open(scratch_write("x.npz", file.data, file.length), &arena, &err);
        ck_assert_msg(npz && tensor_file_read(npz, "x", &arena, &x, &err), "%s", err.text);
        ck_assert_int_eq(x.shape[0], 1);
        tensor_file_close(npz);
    }
}

TEST(an_archive_with_a_name_twice_is_refused)
{
    Bytes plain, deflated, file;
    make_contents(&plain, &deflated);
    make_npz(&file, &(Entry){"x.npy", 0, 0, 69, 69, 0}, &plain, checksum(plain.data, 69), 2);
    refused(scratch_write("x.npz", file.data, file.length), "x",
            " has two tensors named 'x'; save it again");
}

TEST(what_is_no_archive_is_refused)
{
    refused(scratch_write("x.npz", "", 0), "x", " is empty; fetch or save it again");
    refused(scratch_write("x.npz", "hello", 5), "x",
            " is text that begins with 'hello', not weights; if you downloaded it, fetch it again");
    Bytes plain, deflated, file;
    make_contents(&plain, &deflated);
    make_npz(&file, &(Entry){"x.npy", 0, 0, 69, 69, 0}, &plain, checksum(plain.data, 69), 1);
    refused(scratch_write("x.npz", file.data, file.length - 1), "x", " is not a .npz file (");
}

// A million zeros that deflate to a thousand bytes, in an entry whose header asks for one number.
TEST(a_zip_bomb_is_refused_by_its_header)
{
    enum { ZEROS = 1000000 };
    Bytes head = bytes_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 0);
    unsigned char *content = calloc(1, head.length + ZEROS);
    memcpy(content, head.data, head.length);
    const char *path = scratch_path("x.npz");
    zip_t *archive = zip_open(path, ZIP_CREATE, NULL);
    zip_source_t *source = zip_source_buffer(archive, content, head.length + ZEROS, 0);
    zip_file_add(archive, "x.npy", source, 0);
    ck_assert_int_eq(zip_close(archive), 0);
    free(content);
    refused(path, "x", ": x.npy: shape (1,) needs 4 bytes of numbers, but 1000000 follow the");
    ck_assert_uint_lt(arena.bytes, 100000);
}

SUITE("hostile_files")
