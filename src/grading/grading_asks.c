// Which exercises of a course are asked for; see grading.h.
#include "grading.h"

bool grading_asks(const Grading *grading, int number)
{
    return number >= grading->first && number < grading->end &&
           grading->course.exercises[number].is_asked;
}
