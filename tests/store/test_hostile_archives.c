// .npz archives that are damaged, or made to do harm: what their directory says of an entry may be a
// lie. The table names each lie and how the sentence begins behind the path.
#include "tensor_file.h"

#include "bytes.h"
#include "scratch.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>
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
            " has two entries named 'x.npy'; save it again");
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

SUITE_WITH("hostile_archives", scratch_open, forget)
