// The library for other programs: a scenario is stepped through by words, with nothing but core.h.
#include "core.h"

#include <math.h>
#include <string.h>
#include "suite.h"

static Core *core;

static void open_core(void)
{
    char error[CORE_ERROR_MAX];
    core = core_open("four-heads", error);
    ck_assert_msg(core != NULL, "%s", error);
}

static void close_core(void)
{
    core_close(core);
}

static void say(const char *words)
{
    ck_assert_msg(core_do(core, words), "%s: %s", words, core_message(core));
}

TEST(words_go_from_step_to_step)
{
    ck_assert_int_eq(core_step(core), 0);
    say("goto score");
    ck_assert_str_eq(core_step_name(core, core_step(core)), "score");
    say("next");
    ck_assert_str_eq(core_step_name(core, core_step(core)), "scale");
    say("last");
    ck_assert_int_eq(core_step(core), core_steps(core) - 1);
}

// Four heads of three words: softmax makes every row sum to 1.
TEST(numbers_are_read_where_they_lie)
{
    say("goto softmax");
    CoreTensor weights = core_tensor(core, core_looked_at(core));
    const ptrdiff_t shape[] = {1, 4, 3, 3};
    ck_assert_str_eq(weights.name, "attn_weights");
    ck_assert_str_eq(weights.axes, "B H Lq Lk");
    ck_assert_str_eq(weights.type, "float32");
    ck_assert_int_eq(weights.rank, 4);
    ck_assert_mem_eq(weights.shape, shape, sizeof shape);
    const float *numbers = weights.numbers;
    for (ptrdiff_t head = 0; head < 4; head++)
        for (ptrdiff_t row = 0; row < 3; row++) {
            float sum = 0.0f;
            for (ptrdiff_t column = 0; column < 3; column++)
                sum += numbers[weights.offset + head * weights.stride[1] + row * weights.stride[2] +
                               column * weights.stride[3]];
            ck_assert_float_eq_tol(sum, 1.0f, 1e-6f);
        }
}

TEST(an_element_is_chosen_and_an_option_changed)
{
    say("goto softmax");
    say("@[0, 3, 2, 1]");
    const ptrdiff_t at[] = {0, 3, 2, 1};
    ck_assert_mem_eq(core_chosen(core), at, sizeof at);
    int before = core_steps(core);
    say("set attention.mask=causal");
    ck_assert_int_eq(core_steps(core), before + 1); // mask
    ck_assert_str_eq(core_step_name(core, core_step(core)), "softmax");
    CoreTensor weights = core_tensor(core, core_looked_at(core));
    ck_assert_float_eq(((const float *)weights.numbers)[weights.offset + 1], 0.0f); // the future
}

TEST(what_has_not_been_computed_has_no_numbers)
{
    bool found = false;
    for (int i = 0; i < core_tensors(core); i++)
        if (strcmp(core_tensor(core, i).name, "attn_weights") == 0) {
            found = true;
            ck_assert_ptr_null(core_tensor(core, i).numbers);
        }
    ck_assert(found);
}

TEST(what_is_not_there_is_refused_in_a_sentence)
{
    char error[CORE_ERROR_MAX];
    ck_assert(!core_do(core, "dance"));
    ck_assert_ptr_nonnull(strstr(core_message(core), "unknown command \"dance\""));
    ck_assert(!core_do(core, "goto nowhere"));
    ck_assert_ptr_nonnull(strstr(core_message(core), "unknown step \"nowhere\""));
    ck_assert_int_eq(core_step(core), 0);
    ck_assert_ptr_null(core_open("no-such-scenario", error));
    ck_assert_str_ne(error, "");
    core_close(NULL);
}

SUITE_WITH("core", open_core, close_core)
