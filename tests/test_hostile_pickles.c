// PyTorch's files: what torch.save writes is read to the bit, and pickles that are damaged, or made to
// do harm, get a sentence. Nothing of them is run.
#include "tensor_file.h"

#include "scratch.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <zip.h>

static Arena arena;
static Error err;

static void forget(void)
{
    arena_finish(&arena);
    scratch_close();
}

static TensorFile *open_file(const char *path)
{
    TensorFile *file = tensor_file_open(path, &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    return file;
}

// --- what PyTorch wrote

// Of the same tensors as the .safetensors beside them; torch.save and this test's reader of
// .safetensors know nothing of each other.
START_TEST(what_torch_saves_is_read_to_the_bit)
{
    static const char *const names[] = {"hf_bert", "hf_gpt2_f16", "seed000_bf16",
                                        "torch_nn_MultiheadAttention"};
    char path[200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "golden/layouts/%s.pt", names[i]);
        TensorFile *pt = open_file(test_file(path));
        snprintf(path, sizeof path, "golden/layouts/%s.safetensors", names[i]);
        TensorFile *safe = open_file(test_file(path));
        ck_assert_int_eq(tensor_file_count(pt), tensor_file_count(safe));
        for (int n = 0; n < tensor_file_count(pt); n++) {
            const char *name = tensor_file_name(pt, n);
            Tensor a, b;
            ck_assert_msg(tensor_file_read(pt, name, &arena, &a, &err), "%s", err.text);
            ck_assert_msg(tensor_file_read(safe, name, &arena, &b, &err), "%s", err.text);
            ck_assert_ptr_eq(tensor_file_conversion(pt), tensor_file_conversion(safe));
            ck_assert(a.dtype == b.dtype && tensor_same_shape(&a, &b));
            ptrdiff_t at[TENSOR_RANK_MAX] = {0};
            for (bool more = true; more; more = tensor_next(&a, at))
                ck_assert_msg(tensor_same_number(&a, &b, at), "%s", name);
        }
        tensor_file_close(pt);
        tensor_file_close(safe);
    }
}
END_TEST

// --- archives of our own

static void add(zip_t *zip, const char *name, const void *bytes, size_t length)
{
    zip_source_t *source = zip_source_buffer(zip, bytes, length, 0);
    ck_assert(source && zip_file_add(zip, name, source, 0) >= 0);
}

// An archive with this pickle; its storage 0 holds the float32 numbers 0 to 5.
static const char *make(const char *pickle, size_t length)
{
    static const float numbers[] = {0, 1, 2, 3, 4, 5};
    const char *path = scratch_path("x.pt");
    int code;
    remove(path);
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    ck_assert_ptr_nonnull(zip);
    add(zip, "x/data.pkl", pickle, length);
    add(zip, "x/data/0", numbers, sizeof numbers);
    ck_assert_int_eq(zip_close(zip), 0);
    return path;
}

#define HEAD "\x80\x02"
#define UNI(length, text) "X" length "\0\0\0" text
#define STORAGE(type, key, count) \
    "(" UNI("\x07", "storage") "ctorch\n" type "\n" UNI("\x01", key) UNI("\x03", "cpu") "K" count \
                                                                                        "tQ"
#define TENSOR(storage, offset, shape, stride) \
    "ctorch._utils\n_rebuild_tensor_v2\n(" storage "K" offset shape stride "\x89" \
    "ccollections\nOrderedDict\n)RtR"
#define ONE(number) "K" number "\x85"
#define TWO(a, b) "K" a "K" b "\x86"
#define FLOATS STORAGE("FloatStorage", "0", "\x06")

static Tensor read_one(const char *pickle, size_t length, const char *name)
{
    Tensor tensor;
    TensorFile *file = open_file(make(pickle, length));
    ck_assert_msg(tensor_file_read(file, name, &arena, &tensor, &err), "%s", err.text);
    tensor_file_close(file);
    return tensor;
}

START_TEST(a_view_keeps_its_offset_and_strides)
{
    // storage[1 + i + 2 j]: [[1, 3], [2, 4]]
    static const char pickle[] = HEAD "}" UNI("\x01", "w")
        TENSOR(FLOATS, "\x01", TWO("\x02", "\x02"), TWO("\x01", "\x02")) "s.";
    Tensor w = read_one(pickle, sizeof pickle - 1, "w");
    ck_assert_int_eq(w.rank, 2);
    ck_assert_float_eq(*tensor_at2(&w, 0, 0), 1);
    ck_assert_float_eq(*tensor_at2(&w, 0, 1), 3);
    ck_assert_float_eq(*tensor_at2(&w, 1, 0), 2);
    ck_assert_float_eq(*tensor_at2(&w, 1, 1), 4);
}
END_TEST

START_TEST(dicts_inside_dicts_join_their_keys)
{
    static const char pickle[] = HEAD "}" UNI("\x05", "model") "}" UNI("\x01", "w")
        TENSOR(FLOATS, "\x00", ONE("\x06"), ONE("\x01")) "ss" UNI("\x05", "epoch") "K\x03s.";
    Tensor w = read_one(pickle, sizeof pickle - 1, "model.w");
    ck_assert_float_eq(*tensor_at1(&w, 5), 5);
}
END_TEST

START_TEST(a_tensor_that_is_all_has_no_name)
{
    static const char pickle[] = HEAD TENSOR(FLOATS, "\x02", ONE("\x02"), ONE("\x01")) ".";
    Tensor t = read_one(pickle, sizeof pickle - 1, "");
    ck_assert_float_eq(*tensor_at1(&t, 1), 3);
}
END_TEST

// --- harm

#define REFUSED(pickle, said) \
    { \
        pickle, sizeof(pickle) - 1, said \
    }
static const struct {
    const char *pickle;
    size_t length;
    const char *said;
} refused[] = {
    REFUSED(HEAD "cos\nsystem\n" UNI("\x02", "id") "\x85R.",
            ": it calls os.system, which tensors do not need; nothing of it was run. Save the "
            "weights alone: torch.save(model.state_dict(), ...)"),
    REFUSED("\x80\x04\x8c\x08"
            "builtins\x8c\x04"
            "eval\x93\x8c\x01"
            "1\x85R.",
            ": it calls builtins.eval, which tensors"),
    REFUSED(HEAD "ctorch.nn.modules.linear\nLinear\n)\x81.",
            ": it calls torch.nn.modules.linear.Linear, which tensors do not need"),
    REFUSED(HEAD "]q\x00h\x00"
                 "a.",
            ": a dict or list in it holds itself, or they are more than 32 deep"),
    REFUSED(HEAD "}q\x00" UNI("\x01", "a") "h\x00s.", ": a dict or list in it holds itself"),
    REFUSED(HEAD "", ": it ends in the middle; fetch or save the file again"),
    REFUSED(HEAD "X\xff\xff\xff\x7f"
                 "abc",
            ": it ends in the middle"),
    REFUSED(HEAD "\x8d\xff\xff\xff\xff\xff\xff\xff\xff", ": it has opcode 0x8d, which a state"),
    REFUSED(HEAD "cos", ": it ends in the middle"),
    REFUSED(HEAD ".", ": it takes something from its stack where nothing is"),
    REFUSED(HEAD "R.", ": it takes something from its stack where nothing is"),
    REFUSED(HEAD "(R.", ": it takes something from its stack where nothing is"),
    REFUSED(HEAD "K\x01K\x02R.", ": it calls something that is no function"),
    REFUSED(HEAD "Nt.", ": it takes something from its stack where nothing is"),
    REFUSED(HEAD "NK\x01K\x02s.", ": it fills something that is no dict"),
    REFUSED(HEAD "}Na.", ": it fills something that is no list"),
    REFUSED(HEAD "](K\x01\x85u.", ": it fills something that is no dict"),
    REFUSED(HEAD "}(Nu.", ": it fills something that is no dict"),
    REFUSED(HEAD "h\x07.", ": it uses object 7, which it has not kept"),
    REFUSED(HEAD "Nr\xff\xff\xff\xff.", ": it keeps an object as number 4294967295 of a pickle of"),
    REFUSED(HEAD "N}b.", ": it sets attributes of an object that is no dict"),
    REFUSED(HEAD "NQ.", ": it names something outside that is no storage of a tensor"),
    REFUSED(HEAD "P0\n.", ": it has opcode 0x50, which a state dict does not need"),
    REFUSED(HEAD "i__main__\nX\n.", ": it has opcode 0x69"),
    REFUSED(HEAD TENSOR("N", "\x00", ONE("\x06"), ONE("\x01")) ".",
            ": a tensor's storage, offset, shape or stride is malformed"),
    REFUSED(HEAD TENSOR(FLOATS, "\x00", ONE("\x06"), TWO("\x01", "\x01")) ".",
            ": a tensor's storage"),
    REFUSED(HEAD TENSOR(FLOATS, "\x00", "J\xff\xff\xff\xff\x85", ONE("\x01")) ".",
            ": a tensor's storage"),
    REFUSED(HEAD "}" UNI("\x01", "a") TENSOR(FLOATS, "\x00", ONE("\x01"), ONE("\x01")) "s" UNI(
                "\x01", "a") TENSOR(FLOATS, "\x00", ONE("\x01"), ONE("\x01")) "s.",
            ": it has two tensors named 'a'"),
    // What is read only when it is asked for.
    REFUSED(HEAD TENSOR(FLOATS, "\x01", ONE("\x06"), ONE("\x01")) ".",
            ": : it reaches beyond its storage of 6 numbers; the file is damaged or made to do"),
    REFUSED(HEAD TENSOR(FLOATS, "\x00", TWO("\x02", "\x02"),
                        "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7fK\x01\x86") ".",
            ": : it reaches beyond its storage of 6 numbers"),
    REFUSED(HEAD TENSOR(FLOATS, "\x00", ONE("\x64"), ONE("\x00")) ".",
            ": : its 100 numbers repeat those of a storage of 6; save it as tensor.contiguous()"),
    REFUSED(HEAD TENSOR(FLOATS, "\x00", "(NNt", "(NNt") ".", ": a tensor's storage"),
    REFUSED(HEAD TENSOR(FLOATS, "\x00", "(K\1K\1K\1K\1K\1K\1K\1t", "(K\1K\1K\1K\1K\1K\1K\1t") ".",
            ": : it has more than 6 axes"),
    REFUSED(HEAD TENSOR(STORAGE("ComplexFloatStorage", "0", "\x03"), "\x00", ONE("\x03"),
                        ONE("\x01")) ".",
            ": : ComplexFloatStorage is not read; save it as float32 or int64: tensor.float()"),
    REFUSED(HEAD TENSOR(STORAGE("FloatStorage", "1", "\x03"), "\x00", ONE("\x03"), ONE("\x01")) ".",
            ": : its numbers, x/data/1, are not in the archive; fetch or save it again"),
    REFUSED(HEAD TENSOR(STORAGE("FloatStorage", "0", "\x05"), "\x00", ONE("\x03"), ONE("\x01")) ".",
            ": : x/data/0 has 24 bytes; at most 20 are read"),
    REFUSED(
        HEAD TENSOR(STORAGE("DoubleStorage", "0", "\x06"), "\x00", ONE("\x03"), ONE("\x01")) ".",
        ": : x/data/0 has 24 bytes, but its 6 numbers ask for 48"),
};

static void is_refused(const char *path, const char *said)
{
    Tensor tensor;
    err.text[0] = '\0';
    TensorFile *file = tensor_file_open(path, &arena, &err);
    ck_assert_msg(!file || !tensor_file_read(file, "", &arena, &tensor, &err), "read: %s", said);
    tensor_file_close(file);
    ck_assert_msg(strncmp(err.text, path, strlen(path)) == 0, "%s", err.text);
    ck_assert_msg(strncmp(err.text + strlen(path), said, strlen(said)) == 0, "said: %s\nnot: %s",
                  err.text + strlen(path), said);
}

START_TEST(pickles_that_do_harm_get_a_sentence)
{
    is_refused(make(refused[_i].pickle, refused[_i].length), refused[_i].said);
}
END_TEST

// A thousand bytes that stand for 10^18 entries: each of 18 lists holds the one before ten times.
START_TEST(lists_that_multiply_are_not_counted_to_the_end)
{
    char pickle[2000] = HEAD "]q", *at = pickle + 4;
    *at++ = 0;
    for (char level = 1; level <= 18; level++) {
        *at++ = ']';
        *at++ = 'q';
        *at++ = level;
        *at++ = '(';
        for (int i = 0; i < 10; i++) {
            *at++ = 'h';
            *at++ = (char)(level - 1);
        }
        *at++ = 'e';
    }
    *at++ = '.';
    is_refused(make(pickle, (size_t)(at - pickle)), ": it has more than 1048576 entries");
}
END_TEST

START_TEST(files_that_are_no_archive_are_told_apart)
{
    static const unsigned char old[] = "\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19.";
    is_refused(scratch_write("x.pth", old, sizeof old - 1),
               " is in PyTorch's format from before version 1.6; save it again: "
               "torch.save(torch.load(path), path)");
    is_refused(scratch_write("x.bin", "no zip", 6),
               " is not a PyTorch file (Not a zip archive); write it with torch.save, or fetch it");
    is_refused(scratch_write("x.pt", "", 0), " is not a PyTorch file (it is empty)");
    int code;
    const char *path = scratch_path("y.pt");
    zip_t *zip = zip_open(path, ZIP_CREATE, &code);
    add(zip, "x.npy", "x", 1);
    ck_assert_int_eq(zip_close(zip), 0);
    is_refused(path, " is an archive without data.pkl; write it with torch.save");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hostile_pickles");
    TCase *cases = tcase_create("hostile_pickles");
    tcase_add_checked_fixture(cases, scratch_open, forget);
    tcase_add_test(cases, what_torch_saves_is_read_to_the_bit);
    tcase_add_test(cases, a_view_keeps_its_offset_and_strides);
    tcase_add_test(cases, dicts_inside_dicts_join_their_keys);
    tcase_add_test(cases, a_tensor_that_is_all_has_no_name);
    tcase_add_loop_test(cases, pickles_that_do_harm_get_a_sentence, 0,
                        (int)(sizeof refused / sizeof *refused));
    tcase_add_test(cases, lists_that_multiply_are_not_counted_to_the_end);
    tcase_add_test(cases, files_that_are_no_archive_are_told_apart);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
