// Saving the visible slice: what stands in the file, and that no file is lost.

#include "scratch.h"
#include "suite.h"
#include "talking.h"
#include "tensor_formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "save NAME", in the scratch folder.
static const char *words_for(const char *verb, const char *name)
{
    static char words[512];
    snprintf(words, sizeof words, "%s %s", verb, scratch_path(name));
    return words;
}

static void expect_file(const char *name, const char *wanted)
{
    size_t length;
    unsigned char *bytes = scratch_read(scratch_path(name), &length);
    ck_assert_uint_eq(length, strlen(wanted));
    ck_assert_mem_eq(bytes, wanted, length);
    free(bytes);
}

// Two heads of 2 x 3 numbers in place of document 002's weights.
static float numbers[] = {1.5f, NAN, -INFINITY, 0.1f, -0.0f, 1e-7f, 7, 8, 9, 10, 11, 12};

static void open_numbers(void)
{
    stepping_open_printed(&it);
    say("goto softmax");
    it.session.run.trace.tensors[it.session.cursor.tensor].tensor =
        tensor_over(numbers, DTYPE_F32, 3, (ptrdiff_t[]){2, 2, 3});
}

TEST(csv_holds_every_digit_of_the_slice_that_is_shown)
{
    open_numbers();
    say(words_for("save", "a.csv"));
    expect_file("a.csv", ",0,1,2\r\n0,1.5,nan,-inf\r\n1,0.1,-0,1e-07\r\n");
    ck_assert_ptr_nonnull(strstr(it.session.message.text, "saved "));
    ck_assert_ptr_nonnull(strstr(it.session.message.text, ": the slice of attn_weights, 2 x 3"));
    say("axis 0");
    say("pick 1");
    say("flip");
    say(words_for("save", "b.csv"));
    expect_file("b.csv", ",0,1\r\n0,7,10\r\n1,8,11\r\n2,9,12\r\n");
    ck_assert_int_eq(scratch_count(), 2); // and no temporary one
    stepping_close(&it);
}

TEST(npy_holds_rows_and_columns_as_they_are_shown)
{
    static const float transposed[] = {7, 10, 8, 11, 9, 12};
    Arena arena = {0};
    Tensor read;
    size_t length;
    open_numbers();
    say("axis 0");
    say("pick 1");
    say("flip");
    say(words_for("save", "a.npy"));
    unsigned char *bytes = scratch_read(scratch_path("a.npy"), &length);
    ck_assert_msg(npy_read(bytes, length, "a.npy", &arena, &read, &it.err), "%s", it.err.text);
    ck_assert_int_eq(read.rank, 2);
    ck_assert_int_eq(read.shape[0], 3);
    ck_assert_int_eq(read.shape[1], 2);
    for (ptrdiff_t row = 0; row < 3; row++)
        for (ptrdiff_t column = 0; column < 2; column++)
            ck_assert_float_eq(*tensor_at2(&read, row, column), transposed[2 * row + column]);
    free(bytes);
    arena_finish(&arena);
    stepping_close(&it);
}

TEST(a_file_that_exists_is_replaced_only_when_asked)
{
    open_numbers();
    scratch_write("a.csv", "precious", 8);
    ck_assert(!stepping_try(&it, words_for("save", "a.csv")));
    ck_assert_ptr_nonnull(strstr(it.err.text, "already exists; \"save-over "));
    expect_file("a.csv", "precious");
    say(words_for("save-over", "a.csv"));
    ck_assert_ptr_nonnull(strstr(it.session.message.text, "replaced "));
    expect_file("a.csv", ",0,1,2\r\n0,1.5,nan,-inf\r\n1,0.1,-0,1e-07\r\n");
    stepping_close(&it);
}

TEST(what_cannot_be_saved_is_refused_and_leaves_nothing)
{
    open_numbers();
    ck_assert(!stepping_try(&it, words_for("save", "a.txt")));
    ck_assert_ptr_nonnull(strstr(it.err.text, "a slice can be saved as .csv or .npy, not "));
    ck_assert(!stepping_try(&it, words_for("save", "no-such-folder/a.csv")));
    ck_assert_ptr_nonnull(strstr(it.err.text, "No such file or directory"));
    ck_assert_int_eq(scratch_count(), 0);
    stepping_close(&it);
}

TEST(words_stand_behind_their_index_and_are_quoted)
{
    static const char *const words[] = {"=1+1", "a,b", "\"so\"", "d", "e", "f", "g", "h", "i"};
    TinyShape shape = {
        .batch = 1, .queries = 3, .keys = 3, .d_k = 2, .d_v = 2, .d_in = 2, .vocabulary = 9};
    stepping_open_tiny(&it, shape, 1);
    int64_t *tokens = scenario_tensor(&it.scenario, "tokens")->tensor.storage.i64;
    for (int i = 0; i < 3; i++)
        tokens[i] = i;
    it.scenario.vocabulary = words;
    stepping_open_again(&it);
    say("goto softmax");
    say(words_for("save", "a.csv"));
    size_t length;
    unsigned char *bytes = scratch_read(scratch_path("a.csv"), &length);
    const char *start = ",0 =1+1,\"1 a,b\",\"2 \"\"so\"\"\"\r\n0 =1+1,";
    ck_assert_uint_gt(length, strlen(start));
    ck_assert_mem_eq(bytes, start, strlen(start));
    free(bytes);
    stepping_close(&it);
}

SUITE_WITH("session_save", scratch_open, scratch_close)
