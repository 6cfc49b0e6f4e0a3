// bench_train: a step of the training that made the shipped weights, and how near its passes come to
// what the kernel does alone.
#include "bench.h"

#include "training.h"

enum { RUNS = 100, RUNS_SHORT = 5 };

// The products of the forward pass: four matrices of d_model x d_model, scores and their sum, readouts.
// Each has two of its size behind it, one for each of its factors.
static double multiply_adds(const TrainingRecipe *recipe)
{
    double rows = (double)recipe->batch * GRAMMAR_LENGTH_MAX, width = recipe->width;
    double layers = 4.0 * width * width, attention = 2.0 * GRAMMAR_LENGTH_MAX * width;
    double readouts = (double)QUESTION_COUNT * GRAMMAR_WORDS * width;
    return 3.0 * rows * (layers + attention + readouts);
}

static bool run(Training *training, int runs, BenchTraining *result, Error *err)
{
    for (int i = 0; i < runs; i++) {
        double start = bench_now();
        if (!training_step(training, err))
            return false;
        bench_add(&result->step, bench_now() - start);
        start = bench_now();
        if (!training_batch_run(&training->batch, err))
            return false;
        bench_add(&result->passes, bench_now() - start);
        bench_add(&result->tile, bench_tile(&training->batch.trace));
    }
    return true;
}

bool bench_train(int threads, const BenchPlan *plan, BenchTraining *result, Error *err)
{
    static Training training; // too large for a small stack
    TrainingRecipe recipe = training_recipe();
    recipe.threads = threads;
    *result = (BenchTraining){.multiply_adds = multiply_adds(&recipe), .steps = recipe.steps};
    if (!training_open(&training, &recipe, err))
        return false;
    bool good = run(&training, plan->seconds < 1.0 ? RUNS_SHORT : RUNS, result, err);
    training_close(&training);
    bench_sort(&result->step);
    bench_sort(&result->passes);
    bench_sort(&result->tile);
    return good;
}
