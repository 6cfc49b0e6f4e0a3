// Tests the learner's sample.
#include "grade.h"

#include <math.h>
#include <string.h>
#include "generator.h"

static const StageCall call = {
    .reads = {{.role = "logits", .axes = "B V"},
              {.role = "temperature", .axes = "1"},
              {.role = "k", .axes = "1", .dtype = DTYPE_I64},
              {.role = "noise", .axes = "B V"}},
    .writes = {{.role = "next", .tensor = "next", .axes = "B", .dtype = DTYPE_I64}},
};

static Tensor take(GradeCase *drawn, Dtype dtype, int rank, const ptrdiff_t shape[])
{
    Error err;
    Tensor made = {.rank = 0};
    ck_assert(tensor_take(&drawn->arena, dtype, rank, shape, &made, &err));
    return made;
}

// The fastest word among the k largest, and its lead as a fraction of its speed.
static int64_t winner(const GradeCase *drawn, ptrdiff_t b, double *lead)
{
    const Tensor *logits = &drawn->given.in[0], *noise = &drawn->given.in[3];
    double temperature = (double)*tensor_at1(&drawn->given.in[1], 0), first = 0.0, second = 0.0;
    int64_t k = *tensor_id1(&drawn->given.in[2], 0), best = 0;
    for (ptrdiff_t w = 0; w < logits->shape[1]; w++) {
        double own = (double)*tensor_at2(logits, b, w), max = own;
        int64_t above = 0;
        for (ptrdiff_t u = 0; u < logits->shape[1]; u++) {
            double other = (double)*tensor_at2(logits, b, u);
            above += other > own;
            max = other > max ? other : max;
        }
        double speed =
            above < k ? exp((own - max) / temperature) / (double)*tensor_at2(noise, b, w) : 0.0;
        second = speed > first ? first : speed > second ? speed : second;
        best = speed > first ? w : best;
        first = speed > first ? speed : first;
    }
    *lead = 1.0 - second / first;
    return best;
}

// Redraws each row until one word wins clearly: rounding must not decide.
static void draw_noise(GradeCase *drawn, ptrdiff_t b, Generator *generator, int64_t *next)
{
    const Tensor *noise = &drawn->given.in[3];
    double lead = 0.0;
    for (int tries = 0; tries < 100 && lead < 0.01; tries++) {
        for (ptrdiff_t w = 0; w < noise->shape[1]; w++)
            *tensor_at2(noise, b, w) = (float)generator_exponential(generator) + 1e-3f;
        *next = winner(drawn, b, &lead);
    }
}

// One row of scores for each sequence serves as logits. Large ones overflow at temperature 1; at 100 several words can
// win. k is 3, because k = 2 would not tell a k that is too small from a temperature that is ignored.
static void arrange(GradeCase *drawn)
{
    static const float temperatures[] = {0.5f, 1.0f, 3.0f};
    Tensor scores = grade_tensor(drawn, "scores"), heads = tensor_select(&scores, 1, 0);
    Tensor logits = tensor_select(&heads, 1, 0);
    uint32_t seed;
    Generator generator;
    memcpy(&seed, tensor_at2(&logits, 0, 0), sizeof seed);
    generator_seed(&generator, seed);
    bool large = drawn->wishes & GRADE_LARGE;
    drawn->call = &call;
    drawn->given.in[0] = logits;
    drawn->given.in[1] = take(drawn, DTYPE_F32, 1, (ptrdiff_t[]){1});
    drawn->given.in[2] = take(drawn, DTYPE_I64, 1, (ptrdiff_t[]){1});
    drawn->given.in[3] = take(drawn, DTYPE_F32, 2, logits.shape);
    drawn->expected[0] = take(drawn, DTYPE_I64, 1, logits.shape);
    *tensor_at1(&drawn->given.in[1], 0) = !large         ? temperatures[seed % 3]
                                          : seed % 5 < 2 ? 1.0f
                                                         : 100.0f;
    *tensor_id1(&drawn->given.in[2], 0) = 2 + (large ? 1 : seed / 3 % 2) * (logits.shape[1] > 2);
    for (ptrdiff_t b = 0; b < logits.shape[0]; b++)
        draw_noise(drawn, b, &generator, tensor_id1(&drawn->expected[0], b));
    drawn->given.out[0] = grade_room(drawn, &drawn->expected[0]);
}

START_TEST(the_fastest_of_the_k_largest_wins)
{
    for (int i = 0; i < 4; i++) {
        GradeCase *drawn = grade_draw(i % 2 ? GRADE_PLAIN : GRADE_MORE_KEYS);
        grade_ask(drawn);
        grade_expect_right(drawn);
    }
}
END_TEST

START_TEST(large_logits_do_not_overflow)
{
    for (int i = 0; i < 4; i++) {
        GradeCase *drawn = grade_draw(GRADE_LARGE);
        grade_ask(drawn);
        grade_expect_right(drawn);
    }
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 4, the_fastest_of_the_k_largest_wins,
               "가장 큰 k개 가운데 가장 빠른 단어가 이깁니다");
    grade_test(suite, 1, large_logits_do_not_overflow, "로짓이 커도 오버플로가 나지 않습니다");
}

const GradeExercise grade_sampling = {.name = "sampling",
                                      .stage = "score",
                                      .output = 0,
                                      .arrange = arrange,
                                      .in = {"logits", "temperature", "k", "noise"},
                                      .out = {"next"},
                                      .tests = tests};
