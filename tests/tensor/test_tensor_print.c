// print(tensor) in its corners: the texts are what torch 1.13.1 printed. The texts of whole cases are
// below.
#include "number_text.h"
#include "generator.h"
#include "suite.h"
#include "tensor_file.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_printed(const Tensor *tensor, const char *expected, const char *name)
{
    char *text = NULL;
    size_t length = 0, same = 0;
    FILE *out = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(out);
    tensor_print(tensor, out);
    fclose(out);
    while (text[same] != '\0' && text[same] == expected[same])
        same++;
    ck_assert_msg(strcmp(text, expected) == 0,
                  "%s: from character %zu on it is\n%.60s\nPyTorch prints\n%.60s", name, same,
                  text + same, expected + same);
    free(text);
}

static void expect_print(const Tensor *tensor, const char *expected)
{
    expect_printed(tensor, expected, "the text");
}

static Tensor row(float numbers[], ptrdiff_t length)
{
    return tensor_over(numbers, DTYPE_F32, 1, (ptrdiff_t[]){length});
}

static void expect_row(ptrdiff_t length, float numbers[], const char *expected)
{
    Tensor tensor = row(numbers, length);
    expect_print(&tensor, expected);
}

static void expect_scalar(float number, const char *expected)
{
    Tensor tensor = tensor_over(&number, DTYPE_F32, 0, NULL);
    expect_print(&tensor, expected);
}

TEST(a_single_number_has_no_brackets)
{
    expect_scalar(0.0f, "tensor(0.)");
    expect_scalar(-0.0f, "tensor(-0.)");
    expect_scalar(1.5f, "tensor(1.5000)");
    expect_scalar(3.0f, "tensor(3.)");
    expect_scalar(5e-5f, "tensor(5.0000e-05)");
    expect_scalar(NAN, "tensor(nan)");
    expect_scalar(-NAN, "tensor(nan)");
    expect_scalar(-INFINITY, "tensor(-inf)");
    int64_t whole = -7;
    expect_print(&(Tensor){.storage.i64 = &whole, .dtype = DTYPE_I64}, "tensor(-7)");
    unsigned char flag = 1;
    expect_print(&(Tensor){.storage.boolean = &flag, .dtype = DTYPE_BOOL}, "tensor(True)");
}

TEST(whole_floats_end_in_a_point)
{
    expect_row(3, (float[]){1, -2, 30}, "tensor([ 1., -2., 30.])");
    expect_row(3, (float[]){1, 2, NAN}, "tensor([1., 2., nan])");
    expect_row(4, (float[]){1, -INFINITY, INFINITY, 0}, "tensor([1., -inf, inf, 0.])");
    expect_row(3, (float[]){100, -INFINITY, 0}, "tensor([100., -inf,   0.])");
}

TEST(nan_and_infinities_take_the_width_of_the_others)
{
    expect_row(4, (float[]){0.25f, NAN, -INFINITY, INFINITY},
               "tensor([0.2500,    nan,   -inf,    inf])");
    expect_row(2, (float[]){1e-5f, NAN}, "tensor([1.0000e-05,        nan])");
    expect_row(2, (float[]){NAN, 0}, "tensor([nan, 0.])");
}

TEST(far_apart_large_or_small_numbers_turn_scientific)
{
    // more than a factor of 1000, beyond 1e8, below 1e-4: each at its border (the float 1e-4 lies
    // just below)
    expect_row(2, (float[]){1000.5f, 1}, "tensor([1.0005e+03, 1.0000e+00])");
    expect_row(2, (float[]){1000.5f, 1.001f}, "tensor([1000.5000,    1.0010])");
    expect_row(2, (float[]){1000, 1}, "tensor([1000.,    1.])");
    expect_row(2, (float[]){1001, 1}, "tensor([1.0010e+03, 1.0000e+00])");
    expect_row(1, (float[]){1e8f}, "tensor([100000000.])");
    expect_row(1, (float[]){100000008.0f}, "tensor([1.0000e+08])");
    expect_row(1, (float[]){1e-4f}, "tensor([1.0000e-04])");
    expect_row(1, (float[]){2e-4f}, "tensor([0.0002])");
    expect_row(3, (float[]){0, 1e-3f, 0.9f}, "tensor([0.0000, 0.0010, 0.9000])");
}

TEST(zeros_have_no_say_in_the_width)
{
    // the width is 1, so PyTorch thinks that (80 - 7) / (1 + 2) = 24 of them fit a line
    expect_row(
        26, (float[26]){0},
        "tensor([0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., "
        "0., 0., 0., 0., 0.,\n        0., 0.])");
    expect_row(2, (float[]){-0.0f, 0.5f}, "tensor([-0.0000, 0.5000])");
}

TEST(whole_numbers_and_truth_values_are_aligned)
{
    int64_t ids[] = {1, -20, 300, INT64_MAX, INT64_MIN, 0};
    Tensor small = tensor_over(ids, DTYPE_I64, 1, (ptrdiff_t[]){3});
    Tensor large = tensor_over(ids + 3, DTYPE_I64, 1, (ptrdiff_t[]){2});
    expect_print(&small, "tensor([  1, -20, 300])");
    expect_print(&large, "tensor([ 9223372036854775807, -9223372036854775808])");

    unsigned char flags[] = {1, 1, 0, 1};
    Tensor masks = tensor_over(flags, DTYPE_BOOL, 2, (ptrdiff_t[]){2, 2});
    Tensor first = tensor_narrow(&masks, 0, 0, 1);
    expect_print(&first, "tensor([[True, True]])");
    expect_print(&masks, "tensor([[ True,  True],\n        [False,  True]])");
}

TEST(an_empty_tensor_says_its_shape_and_dtype)
{
    static const struct {
        Dtype dtype;
        int rank;
        ptrdiff_t shape[TENSOR_RANK_MAX];
        const char *text;
    } empty[] = {
        {DTYPE_F32, 1, {0}, "tensor([])"},
        {DTYPE_I64, 1, {0}, "tensor([], dtype=torch.int64)"},
        {DTYPE_F32, 2, {0, 3}, "tensor([], size=(0, 3))"},
        {DTYPE_BOOL, 2, {2, 0}, "tensor([], size=(2, 0), dtype=torch.bool)"},
        // 11 + 67 + 2 columns, as PyTorch counts, are the 80 of a line; one more is too many
        {DTYPE_F32,
         4,
         {0, 100000000000000000, 100000000000000000, 10000000000000000},
         "tensor([], size=(0, 100000000000000000, 100000000000000000, 10000000000000000))"},
        {DTYPE_I64,
         4,
         {0, 100000000000000000, 100000000000000000, 100000000000000000},
         "tensor([],\n"
         "       size=(0, 100000000000000000, 100000000000000000, 100000000000000000),\n"
         "       dtype=torch.int64)"},
    };
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        Tensor tensor = {.dtype = empty[i].dtype, .rank = empty[i].rank};
        memcpy(tensor.shape, empty[i].shape, sizeof tensor.shape);
        expect_print(&tensor, empty[i].text);
    }
}

TEST(a_line_is_filled_to_its_last_column)
{
    // (80 - 8) / (4 + 2) = 12, without a rest
    int64_t ids[13];
    for (int i = 0; i < 13; i++)
        ids[i] = 1000 + i;
    Tensor tensor = tensor_over(ids, DTYPE_I64, 2, (ptrdiff_t[]){1, 13});
    expect_print(
        &tensor,
        "tensor([[1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011,\n"
        "         1012]])");
}

TEST(axes_are_parted_by_as_many_line_breaks_as_follow_inside)
{
    int64_t ids[12];
    for (int i = 0; i < 12; i++)
        ids[i] = i + 1;
    Tensor deep = tensor_over(ids, DTYPE_I64, 5, (ptrdiff_t[]){1, 2, 1, 2, 3});
    expect_print(&deep, "tensor([[[[[ 1,  2,  3],\n"
                        "           [ 4,  5,  6]]],\n"
                        "\n"
                        "\n"
                        "         [[[ 7,  8,  9],\n"
                        "           [10, 11, 12]]]]])");
}

TEST(strides_are_followed)
{
    float numbers[12];
    for (int i = 0; i < 12; i++)
        numbers[i] = (float)i;
    Tensor grid = tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){3, 4});
    Tensor turned = tensor_transpose(&grid, 0, 1);
    Tensor part = tensor_narrow(&turned, 1, 1, 2);
    expect_print(&part, "tensor([[ 4.,  8.],\n"
                        "        [ 5.,  9.],\n"
                        "        [ 6., 10.],\n"
                        "        [ 7., 11.]])");
}

TEST(beyond_1000_elements_only_what_is_shown_decides_the_format)
{
    static float ones[1001];
    for (int i = 0; i < 1001; i++)
        ones[i] = 1.0f;
    ones[500] = 0.5f;
    expect_row(1001, ones, "tensor([1., 1., 1.,  ..., 1., 1., 1.])");
    Tensor all = row(ones, 1000), more = row(ones, 1001);
    ck_assert(!tensor_number_format(&all).integers);
    ck_assert_int_eq(tensor_number_format(&all).width, 6); // "1.0000"
    ck_assert(tensor_number_format(&more).integers);
    ck_assert_int_eq(tensor_number_format(&more).width, 2); // "1."
}

TEST(a_short_axis_is_shown_whole_beside_a_long_one)
{
    static int64_t ids[1200];
    for (int i = 0; i < 1200; i++)
        ids[i] = i;
    Tensor wide = tensor_over(ids, DTYPE_I64, 2, (ptrdiff_t[]){2, 600});
    expect_print(&wide, "tensor([[   0,    1,    2,  ...,  597,  598,  599],\n"
                        "        [ 600,  601,  602,  ..., 1197, 1198, 1199]])");
    Tensor tall = tensor_over(ids, DTYPE_I64, 2, (ptrdiff_t[]){600, 2});
    expect_print(&tall, "tensor([[   0,    1],\n"
                        "        [   2,    3],\n"
                        "        [   4,    5],\n"
                        "        ...,\n"
                        "        [1194, 1195],\n"
                        "        [1196, 1197],\n"
                        "        [1198, 1199]])");
}

TEST(a_single_number_is_right_aligned_to_the_common_width)
{
    char text[NUMBER_TEXT_MAX];
    Tensor tensor = row((float[]){-1.5f, 0.25f, INFINITY}, 3);
    NumberFormat format = tensor_number_format(&tensor);
    ck_assert_int_eq(format.width, 7);
    ck_assert_str_eq(tensor_number_text(&tensor, (ptrdiff_t[]){0}, format, text), "-1.5000");
    ck_assert_str_eq(tensor_number_text(&tensor, (ptrdiff_t[]){1}, format, text), " 0.2500");
    ck_assert_str_eq(tensor_number_text(&tensor, (ptrdiff_t[]){2}, format, text), "    inf");
}

// --- print(tensor) against the texts that PyTorch 1.13.1 printed for the golden cases, character for
// character.

static json_t *load(const char *name)
{
    json_t *json = json_load_file(test_file(name), 0, NULL);
    ck_assert_ptr_nonnull(json);
    return json;
}

// A tensor of numbers so large that one of them alone would change the format; print must not look
// at those that are not filled in, because it does not show them.
static Tensor huge_numbers(const json_t *shape, Arena *arena)
{
    Error err;
    ptrdiff_t lengths[TENSOR_RANK_MAX];
    int rank = (int)json_array_size(shape);
    for (int axis = 0; axis < rank; axis++)
        lengths[axis] = (ptrdiff_t)json_integer_value(json_array_get(shape, (size_t)axis));
    Tensor tensor;
    ck_assert_msg(tensor_take(arena, DTYPE_F32, rank, lengths, &tensor, &err), "%s", err.text);
    for (ptrdiff_t i = 0; i < tensor_count(&tensor); i++)
        tensor.storage.f32[i] = 1e30f;
    return tensor;
}

static Tensor read_tensor(TensorFile *file, const char *name, Arena *arena)
{
    Error err;
    Tensor tensor;
    ck_assert_msg(tensor_file_read(file, name, arena, &tensor, &err), "%s", err.text);
    return tensor;
}

static bool has_tensor(const TensorFile *file, const char *name)
{
    for (int i = 0; i < tensor_file_count(file); i++)
        if (strcmp(tensor_file_name(file, i), name) == 0)
            return true;
    return false;
}

// An edge holds the entries 0, 1, 2, -3, -2, -1 of every axis longer than 6, which is what print
// shows.
static Tensor around_edge(const Tensor *edge, Tensor whole)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(edge, at)) {
        ptrdiff_t place[TENSOR_RANK_MAX];
        for (int axis = 0; axis < whole.rank; axis++)
            place[axis] =
                at[axis] < 3 ? at[axis] : at[axis] + whole.shape[axis] - edge->shape[axis];
        whole.storage.f32[tensor_place(&whole, place)] = edge->storage.f32[tensor_place(edge, at)];
    }
    return whole;
}

// x of document 001: torch.manual_seed(2766588038), nn.Embedding(100, 512), looked up by the ids.
static Tensor embedded_ids(const Tensor *ids, Tensor x)
{
    float *rows = calloc(100 * 512, sizeof *rows);
    ck_assert_ptr_nonnull(rows);
    Generator generator;
    generator_seed(&generator, 2766588038);
    generator_randn(&generator, rows, 100 * 512);
    for (ptrdiff_t b = 0; b < x.shape[0]; b++)
        for (ptrdiff_t l = 0; l < x.shape[1]; l++)
            memcpy(tensor_at3(&x, b, l, 0), rows + *tensor_id2(ids, b, l) * 512,
                   512 * sizeof *rows);
    free(rows);
    return x;
}

static bool is_shown(const Tensor *tensor, const ptrdiff_t at[])
{
    bool shown = true;
    for (int axis = 0; axis < tensor->rank && tensor_count(tensor) > 1000; axis++)
        shown = shown && (at[axis] < 3 || at[axis] >= tensor->shape[axis] - 3);
    return shown;
}

// Where the float32 numbers are not kept: those of the text itself, which must print as that text.
static Tensor numbers_of_text(const char *text, Tensor tensor)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    text += strlen("tensor(");
    for (bool more = true; more; more = tensor_next(&tensor, at)) {
        if (!is_shown(&tensor, at))
            continue;
        text += strcspn(text, "-0123456789in"); // a digit, a sign, inf or nan; not "..."
        char *end;
        tensor.storage.f32[tensor_place(&tensor, at)] = strtof(text, &end);
        ck_assert_ptr_ne(end, text);
        text = end;
    }
    return tensor;
}

typedef struct Counts {
    int whole, edges, from_text;
} Counts;

// One printed tensor of a case: found whole in its file, or by its edge, or in the text alone.
static void expect_golden(TensorFile *file, const json_t *manifest, const char *name,
                          const char *text, Counts *counts)
{
    Arena arena = {0};
    char whole[64], edge[64];
    snprintf(whole, sizeof whole, "f32.%s", name);
    snprintf(edge, sizeof edge, "f32.%s.edge", name);
    json_t *checksums = json_object_get(manifest, "checksums");
    json_t *shape = checksums ? json_object_get(json_object_get(checksums, whole), "shape")
                              : json_object_get(json_object_get(manifest, "keys"), name);
    Tensor tensor;
    if (has_tensor(file, whole)) {
        tensor = read_tensor(file, whole, &arena);
        counts->whole++;
    } else if (has_tensor(file, edge) && strcmp(name, "x") == 0) {
        Tensor ids = read_tensor(file, "input_ids", &arena);
        tensor = embedded_ids(&ids, huge_numbers(shape, &arena));
        counts->whole++;
    } else if (has_tensor(file, edge)) {
        Tensor corners = read_tensor(file, edge, &arena);
        tensor = around_edge(&corners, huge_numbers(shape, &arena));
        counts->edges++;
    } else {
        tensor = numbers_of_text(text, huge_numbers(shape, &arena));
        counts->from_text++;
    }
    expect_printed(&tensor, text, name);
    arena_finish(&arena);
}

static TensorFile *open_case(const char *name, const json_t *manifest, Arena *arena)
{
    Error err;
    char path[256];
    snprintf(path, sizeof path, "golden/%s/%s.npz",
             json_string_value(json_object_get(manifest, "kind")), name);
    TensorFile *file = tensor_file_open(test_file(path), arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    return file;
}

TEST(every_golden_text_is_printed_character_for_character)
{
    json_t *prints = load("golden/prints.json"), *manifests = load("golden/manifest.json");
    Counts counts = {0};
    const char *name, *tensor_name;
    json_t *texts, *text;
    json_object_foreach(prints, name, texts)
    {
        Arena arena = {0};
        const json_t *manifest = json_object_get(manifests, name);
        TensorFile *file = open_case(name, manifest, &arena);
        json_object_foreach(texts, tensor_name, text)
            expect_golden(file, manifest, tensor_name, json_string_value(text), &counts);
        tensor_file_close(file);
        arena_finish(&arena);
    }
    // 8 texts of the two large cases, of which x comes from the seed; 7 whose numbers are not kept:
    // q and scaled scores (and once masked scores) of the three small cases of document 001
    ck_assert_int_eq(counts.whole, 115);
    ck_assert_int_eq(counts.edges, 6);
    ck_assert_int_eq(counts.from_text, 7);
    json_decref(prints);
    json_decref(manifests);
}

SUITE("tensor_print")
