// PyTorch's files: what torch.save writes is read to the bit, and pickles that are damaged, or made to
// do harm, get a sentence. Nothing of them is run.
#include "input_file.h"
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
TEST(what_torch_saves_is_read_to_the_bit)
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

// kinds.npz has what NumPy made of the same tensors: strided views, parameters, tied weights, every
// dtype that is read.
LOOP_TEST(tensors_of_every_kind_are_those_of_numpy, 3)
{
    static const char *const names[] = {"kinds.pt", "kinds_old.pt", "kinds_old_4.pt"};
    char path[200];
    snprintf(path, sizeof path, "golden/pt/%s", names[_i]);
    TensorFile *pt = open_file(test_file(path)), *npz = open_file(test_file("golden/pt/kinds.npz"));
    ck_assert_int_eq(tensor_file_count(pt), 17);
    ck_assert_int_eq(tensor_file_count(npz), 14);
    for (int n = 0; n < tensor_file_count(npz); n++) {
        const char *name = tensor_file_name(npz, n);
        Tensor a, b;
        int rank;
        ptrdiff_t shape[TENSOR_RANK_MAX], at[TENSOR_RANK_MAX] = {0};
        ck_assert_msg(tensor_file_read(pt, name, &arena, &a, &err), "%s", err.text);
        ck_assert_msg(tensor_file_read(npz, name, &arena, &b, &err), "%s", err.text);
        ck_assert_msg(a.dtype == b.dtype && tensor_same_shape(&a, &b), "%s", name);
        ck_assert(tensor_file_shape(pt, name, &arena, &rank, shape, &err));
        ck_assert(rank == b.rank && memcmp(shape, b.shape, (size_t)rank * sizeof *shape) == 0);
        for (bool more = true; more; more = tensor_next(&a, at))
            ck_assert_msg(tensor_same_number(&a, &b, at), "%s", name);
    }
    Tensor other;
    int rank;
    ptrdiff_t shape[TENSOR_RANK_MAX];
    ck_assert(!tensor_file_shape(pt, "sparse", &arena, &rank, shape, &err)); // not a single number
    ck_assert(!tensor_file_read(pt, "quantized", &arena, &other, &err));
    ck_assert_msg(strstr(err.text, "it is quantized, which is not supported; save it as float32"),
                  "%s", err.text);
    ck_assert(!tensor_file_read(pt, "sparse", &arena, &other, &err));
    ck_assert_msg(strstr(err.text, "it is sparse, which is not supported; save it whole"), "%s",
                  err.text);
    ck_assert(!tensor_file_read(pt, "i16", &arena, &other, &err));
    ck_assert_msg(strstr(err.text, "ShortStorage is not supported"), "%s", err.text);
    tensor_file_close(pt);
    tensor_file_close(npz);
}

static const char *note_of(const TensorFile *file)
{
    const char *notes[4];
    ck_assert(tensor_file_notes(file, &arena, notes, &err));
    ck_assert(notes[0] && !notes[1]);
    return notes[0];
}

// Protocols 2 and 4 have other opcodes, and other names of what Python has built in.
LOOP_TEST(what_lies_beside_weights_is_named_and_not_read, 2)
{
    static const char *const names[] = {"golden/pt/beside_2.ckpt", "golden/pt/beside_4.ckpt"};
    static const char *const sets[] = {", __builtin__.set, __builtin__.complex",
                                       ", builtins.complex"};
    TensorFile *file = open_file(test_file(names[_i]));
    char note[1000];
    int64_t number = 0;
    snprintf(note, sizeof note,
             "not read, next to the weights: argparse.Namespace, numpy.core.multiarray.scalar, "
             "numpy.core.multiarray._reconstruct, datetime.date, torch.device, torch.float32, "
             "functools.partial, __main__.Config, __main__.Unknown%s; the pickle was not executed",
             sets[_i]);
    ck_assert_str_eq(note_of(file), note);
    ck_assert_int_eq(tensor_file_count(file), 4);
    ck_assert_str_eq(tensor_file_name(file, 0), "state_dict._orig_mod.module.model.in_proj_weight");
    ck_assert(tensor_file_number(file, "hyper_parameters.n_head", &number) && number == 2);
    ck_assert(tensor_file_number(file, "model_args.bias", &number) && number == 1);
    ck_assert(tensor_file_number(file, "unknown.layers", &number) && number == 3);
    ck_assert(!tensor_file_number(file, "model_args.dropout", &number));
    tensor_file_close(file);
}

TEST(a_module_that_was_pickled_whole_has_the_names_of_its_state_dict)
{
    static const char *const names[] = {"net.mask", "net.attn.in_proj_weight",
                                        "net.attn.in_proj_bias", "net.attn.out_proj.weight",
                                        "net.attn.out_proj.bias"};
    TensorFile *file = open_file(test_file("golden/pt/whole.pt"));
    ck_assert_int_eq(tensor_file_count(file), 5);
    for (int i = 0; i < 5; i++)
        ck_assert_str_eq(tensor_file_name(file, i), names[i]);
    ck_assert_str_eq(note_of(file), "pickled whole, read as its state_dict: __main__.Net");
    tensor_file_close(file);
}

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

TEST(a_view_keeps_its_offset_and_strides)
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

TEST(dicts_inside_dicts_join_their_keys)
{
    static const char pickle[] = HEAD "}" UNI("\x05", "model") "}" UNI("\x01", "w")
        TENSOR(FLOATS, "\x00", ONE("\x06"), ONE("\x01")) "ss" UNI("\x05", "epoch") "K\x03s.";
    Tensor w = read_one(pickle, sizeof pickle - 1, "model.w");
    ck_assert_float_eq(*tensor_at1(&w, 5), 5);
}

TEST(a_tensor_that_is_all_has_no_name)
{
    static const char pickle[] = HEAD TENSOR(FLOATS, "\x02", ONE("\x02"), ONE("\x01")) ".";
    Tensor t = read_one(pickle, sizeof pickle - 1, "");
    ck_assert_float_eq(*tensor_at1(&t, 1), 3);
}

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
            ": it calls os.system, which runs programs when Python reads the file; attnscope did "
            "not execute it. Do not load this file with torch.load"),
    REFUSED("\x80\x04\x8c\x08"
            "builtins\x8c\x04"
            "eval\x93\x8c\x01"
            "1\x85R.",
            ": it calls builtins.eval, which runs programs"),
    REFUSED(HEAD "}" UNI("\x01", "w")
                TENSOR(FLOATS, "\x00", ONE("\x06"),
                       ONE("\x01")) "s(csubprocess\nPopen\n" UNI("\x02", "id") "o.",
            ": it calls subprocess.Popen, which runs programs"),
    REFUSED(HEAD "(ios\nsystem\n.", ": it calls os.system, which runs programs"),
    REFUSED(HEAD "cimportlib.util\nx\n)\x81.", ": it calls importlib.util.x, which runs programs"),
    REFUSED(HEAD "]q\0ca\nb\n)R}" UNI("\1", "s") "h\0sb.", ": it is an object of a.b, not a dict"),
    REFUSED(HEAD "ca\nb\n)Rq\0}(" UNI("\x0b", "_parameters") "}" UNI("\x08", "_modules") "}" UNI(
                "\1", "m") "h\0subh\0.",
            ": a dict or list in it contains itself"),
    REFUSED(HEAD "ctorch._utils\n_rebuild_ \n)R.", ": :  is not supported"),
    REFUSED(HEAD "1.", ": it pops from an empty stack"),
    REFUSED(HEAD "2.", ": it pops from an empty stack"),
    REFUSED(HEAD "(K\1d.", ": it fills something that is not a dict"),
    REFUSED(HEAD "(o.", ": it calls something that is not a function"),
    REFUSED(HEAD "I123", ": it ends in the middle"),
    REFUSED(HEAD "\x8e\xff\xff\xff\xff\xff\xff\xff\xff", ": it ends in the middle"),
    REFUSED(HEAD "Np-1\n.", ": it stores an object as number 18446744073709551615, in a pickle of"),
    REFUSED(HEAD "ctorch.nn.modules.linear\nLinear\n)\x81.",
            ": it is an object of torch.nn.modules.linear.Linear, not a dict of tensors; the "
            "pickle was not executed. Save only the weights: torch.save(model.state_dict(), ...)"),
    REFUSED(HEAD "]q\x00h\x00"
                 "a.",
            ": a dict or list in it contains itself, or is nested more than 32 deep"),
    REFUSED(HEAD "}q\x00" UNI("\x01", "a") "h\x00s.", ": a dict or list in it contains itself"),
    REFUSED(HEAD "", ": it ends in the middle; fetch or save the file again"),
    REFUSED(HEAD "X\xff\xff\xff\x7f"
                 "abc",
            ": it ends in the middle"),
    REFUSED(HEAD "\x8d\xff\xff\xff\xff\xff\xff\xff\xff", ": it ends in the middle"),
    REFUSED(HEAD "cos", ": it ends in the middle"),
    REFUSED(HEAD ".", ": it pops from an empty stack"),
    REFUSED(HEAD "R.", ": it pops from an empty stack"),
    REFUSED(HEAD "(R.", ": it pops from an empty stack"),
    REFUSED(HEAD "K\x01K\x02R.", ": it calls something that is not a function"),
    REFUSED(HEAD "Nt.", ": it pops from an empty stack"),
    REFUSED(HEAD "NK\x01K\x02s.", ": it fills something that is not a dict"),
    REFUSED(HEAD "}Na.", ": it fills something that is not a list"),
    REFUSED(HEAD "](K\x01\x85u.", ": it fills something that is not a dict"),
    REFUSED(HEAD "}(Nu.", ": it fills something that is not a dict"),
    REFUSED(HEAD "h\x07.", ": it uses object 7, which was never stored"),
    REFUSED(HEAD "Nr\xff\xff\xff\xff.",
            ": it stores an object as number 4294967295, in a pickle of"),
    REFUSED(HEAD "N}b.", ": it sets attributes of an object that is not a dict"),
    REFUSED(HEAD "NQ.", ": it refers to something outside that is not a tensor's storage"),
    REFUSED(HEAD "P0\n.", ": it has opcode 0x50, which a state dict does not need"),
    REFUSED(HEAD "(i__main__\nX\n.", ": it is an object of __main__.X, not a dict of tensors"),
    REFUSED(HEAD "i__main__\nX\n.", ": it pops from an empty stack"),
    REFUSED(HEAD TENSOR("N", "\x00", ONE("\x06"), ONE("\x01")) ".",
            ": a tensor's storage, offset, shape or stride is malformed"),
    REFUSED(HEAD TENSOR(FLOATS, "\x00", ONE("\x06"), TWO("\x01", "\x01")) ".",
            ": a tensor's storage"),
    REFUSED(HEAD TENSOR(FLOATS, "\x00", "J\xff\xff\xff\xff\x85", ONE("\x01")) ".",
            ": a tensor's storage"),
    REFUSED(HEAD "}" UNI("\x01", "a") TENSOR(FLOATS, "\x00", ONE("\x01"), ONE("\x01")) "s" UNI(
                "\x01", "a") TENSOR(FLOATS, "\x00", ONE("\x01"), ONE("\x01")) "s.",
            " has two tensors named 'a'; save it again"),
    // What is read only when it is asked for.
    REFUSED(HEAD TENSOR(FLOATS, "\x01", ONE("\x06"), ONE("\x01")) ".",
            ": : it reaches beyond its storage of 6 numbers; the file is damaged or"),
    REFUSED(HEAD TENSOR(FLOATS, "\x00", TWO("\x02", "\x02"),
                        "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7fK\x01\x86") ".",
            ": : it reaches beyond its storage of 6 numbers"),
    REFUSED(HEAD TENSOR(FLOATS, "\x00", ONE("\x64"), ONE("\x00")) ".",
            ": : its 100 numbers repeat those of a storage of 6; save it as tensor.contiguous()"),
    REFUSED(HEAD TENSOR(FLOATS, "\x00", "(NNt", "(NNt") ".", ": a tensor's storage"),
    REFUSED(HEAD TENSOR(FLOATS, "\x00", "(K\1K\1K\1K\1K\1K\1K\1t", "(K\1K\1K\1K\1K\1K\1K\1t") ".",
            ": : it has more than 6 axes"),
    REFUSED(
        HEAD TENSOR(STORAGE("ComplexFloatStorage", "0", "\x03"), "\x00", ONE("\x03"),
                    ONE("\x01")) ".",
        ": : ComplexFloatStorage is not supported; save it as float32 or int64: tensor.float()"),
    REFUSED(HEAD TENSOR(STORAGE("FloatStorage", "1", "\x03"), "\x00", ONE("\x03"), ONE("\x01")) ".",
            ": : its numbers, x/data/1, are not in the archive; fetch or save it again"),
    REFUSED(HEAD TENSOR(STORAGE("FloatStorage", "0", "\x05"), "\x00", ONE("\x03"), ONE("\x01")) ".",
            ": : x/data/0 has 24 bytes; the limit is 20"),
    REFUSED(
        HEAD TENSOR(STORAGE("DoubleStorage", "0", "\x06"), "\x00", ONE("\x03"), ONE("\x01")) ".",
        ": : x/data/0 has 24 bytes, but its 6 numbers need 48"),
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

LOOP_TEST(pickles_that_do_harm_get_a_sentence, (int)(sizeof refused / sizeof *refused))
{
    is_refused(make(refused[_i].pickle, refused[_i].length), refused[_i].said);
}

// A thousand bytes that stand for 10^18 entries: each of 18 lists holds the one before ten times.
TEST(lists_that_multiply_are_not_counted_to_the_end)
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

// Parts of a file in the old form are refused, and files with one byte changed are read or refused.
TEST(old_files_that_are_damaged_get_a_sentence)
{
    unsigned char *bytes;
    size_t length;
    ck_assert(
        input_file_all(test_file("golden/pt/kinds_old.pt"), 10000, &arena, &bytes, &length, &err));
    for (size_t i = 0; i < 2 * length; i += 5) {
        Arena inner = {0};
        bool cut = i < length;
        unsigned char *changed = arena_take(&inner, length, 1, &err);
        memcpy(changed, bytes, length);
        changed[i % length] ^= cut ? 0 : 0xff;
        err.text[0] = '\0';
        const char *path = scratch_write("x.pt", changed, cut ? i : length);
        TensorFile *file = tensor_file_open(path, &inner, &err);
        ck_assert_msg(!cut || !file, "%zu bytes are read", i);
        for (int n = 0; file && n < tensor_file_count(file); n++) {
            Tensor tensor;
            tensor_file_read(file, tensor_file_name(file, n), &inner, &tensor, &err);
        }
        ck_assert_msg(file || strncmp(err.text, path, strlen(path)) == 0, "%zu: %s", i, err.text);
        tensor_file_close(file);
        arena_finish(&inner);
    }
}

TEST(files_that_are_no_archive_are_told_apart)
{
    static const unsigned char old[] = "\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19.";
    is_refused(scratch_write("x.pth", old, sizeof old - 1),
               ": it ends in the middle; fetch or save the file again");
    is_refused(scratch_write("x.bin", "\1\2\3", 3),
               " is not a PyTorch file (Not a zip archive); write it with torch.save, or fetch it");
    is_refused(scratch_write("x.pt", "", 0), " is empty; fetch or save it again");
    int code;
    const char *path = scratch_path("y.pt");
    zip_t *zip = zip_open(path, ZIP_CREATE, &code);
    add(zip, "x.txt", "x", 1);
    ck_assert_int_eq(zip_close(zip), 0);
    is_refused(path, " is a zip archive of something else (it begins with 'x.txt'); unpack it");
}

SUITE_WITH("hostile_pickles", scratch_open, forget)
