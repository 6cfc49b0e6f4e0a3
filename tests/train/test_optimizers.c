// Adam and SGD over 100 steps in single precision, against torch.optim (tests/golden/optimizers.json).
#include "training.h"

#include "suite.h"

#include <jansson.h>
#include <string.h>

enum { WEIGHTS = 6, STEPS = 100 };

static json_t *golden;

static void setup(void)
{
    golden = json_load_file(test_file("golden/optimizers.json"), 0, NULL);
    ck_assert_ptr_nonnull(golden);
    ck_assert_uint_eq(json_array_size(json_object_get(golden, "gradients")), STEPS);
}

static void finish(void)
{
    json_decref(golden);
}

static void read_row(json_t *row, float out[WEIGHTS])
{
    ck_assert_uint_eq(json_array_size(row), WEIGHTS);
    for (size_t i = 0; i < WEIGHTS; i++)
        out[i] = (float)json_number_value(json_array_get(row, i));
}

static float number(json_t *run, const char *name)
{
    return (float)json_number_value(json_object_get(run, name));
}

static Optimizer optimizer_of(json_t *run)
{
    if (strcmp(json_string_value(json_object_get(run, "optimizer")), "sgd") == 0)
        return optimizer_sgd(number(run, "rate"));
    return optimizer_adam(number(run, "rate"), number(run, "beta1"), number(run, "beta2"));
}

// Compares with what torch has after this step; false where it was not written down.
static bool compare(json_t *run, int step, const float weights[WEIGHTS])
{
    size_t i;
    json_t *after;
    json_array_foreach(json_object_get(run, "after"), i, after)
    {
        float wanted[WEIGHTS];
        if (json_integer_value(json_object_get(after, "step")) != step)
            continue;
        read_row(json_object_get(after, "weights"), wanted);
        for (int w = 0; w < WEIGHTS; w++)
            ck_assert_msg(weights[w] > wanted[w] - 1e-5f && weights[w] < wanted[w] + 1e-5f,
                          "step %d, weight %d: %.9g, but torch has %.9g", step, w,
                          (double)weights[w], (double)wanted[w]);
        return true;
    }
    return false;
}

LOOP_TEST(a_hundred_steps_are_those_of_torch, 3)
{
    float weights[WEIGHTS], m[WEIGHTS] = {0}, v[WEIGHTS] = {0}, gradient[WEIGHTS];
    json_t *run = json_array_get(json_object_get(golden, "runs"), (size_t)_i);
    Optimizer optimizer = optimizer_of(run);
    int compared = 0;
    read_row(json_object_get(golden, "start"), weights);
    for (int step = 1; step <= STEPS; step++) {
        read_row(json_array_get(json_object_get(golden, "gradients"), (size_t)step - 1), gradient);
        optimizer_begin(&optimizer);
        optimizer_step(&optimizer, WEIGHTS, gradient, m, v, weights);
        compared += compare(run, step, weights);
    }
    ck_assert_int_eq(compared, 6); // after 1, 2, 3, 10, 50 and 100
}

SUITE_WITH("optimizers", setup, finish)
