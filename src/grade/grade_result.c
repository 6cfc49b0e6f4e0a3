// What was given and what is right, of the output that counts; and how far apart they may be. See
// grade_internal.h.
#include "grade_run.h"

#include "tensor_difference.h"

int grade_main_slot(const GradeCase *drawn)
{
    const GradeExercise *exercise = drawn->exercise;
    if (exercise->arrange)
        return 0;
    return exercise->output >= 0 ? exercise->output
                                 : drawn->trace.steps[drawn->step].stage->main_output;
}

const Tensor *grade_result(const GradeCase *drawn)
{
    return &drawn->given.out[grade_main_slot(drawn)];
}

const Tensor *grade_expected(const GradeCase *drawn)
{
    return &drawn->expected[grade_main_slot(drawn)];
}

TensorDifference grade_difference(const GradeCase *drawn, const Tensor *given, const Tensor *known)
{
    // Of right gradients, added in other orders or in doubles, none needed more than 15 with any of 40 seeds,
    // and what leaves out one term of 65 is beyond 1000 at one of the edges.
    static const float at_edges = 1000.0f, of_gradients = 100.0f;
    // Up to 1024 a float is right to 3e-5, and so is what exp makes of such a score less a logarithm.
    static const float of_large = 4.0f;
    const GradeRunning running = grade_running(drawn);
    float own = drawn->exercise->times > 0.0f        ? drawn->exercise->times
                : (drawn->wishes & GRADE_LARGE) != 0 ? of_large
                                                     : 1.0f;
    return tensor_difference_times(given, known,
                                   running.edge == 0   ? own
                                   : running.goes_back ? of_gradients
                                                       : at_edges);
}
