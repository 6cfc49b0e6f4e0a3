// Relation: along one axis all numbers are the same, and should not be: what counts there has no part in
// them.
#include "relation_tools.h"

#include "relation_words.h"

extern const Relation relation_alike;

// Whether a tensor's numbers do not change along an axis, by our tolerance.
static bool is_alike(const RelationCase *what, const Tensor *numbers, int axis)
{
    RelationCase compared = *what;
    Tensor first = tensor_narrow(numbers, axis, 0, 1), all;
    Error ignored;
    compared.wrong = numbers;
    return tensor_expand(&first, numbers->rank, numbers->shape, &all, &ignored) &&
           relation_makes(&compared, &all);
}

static bool differs(const Tensor *numbers, int axis)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    Tensor first = tensor_narrow(numbers, axis, 0, 1);
    do {
        ptrdiff_t place[TENSOR_RANK_MAX];
        for (int other = 0; other < numbers->rank; other++)
            place[other] = other == axis ? 0 : at[other];
        if (tensor_number(numbers, at) != tensor_number(&first, place))
            return true;
    } while (tensor_next(numbers, at));
    return false;
}

// reading.a: the axis' symbol
static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int axis = 0; axis < what->known->rank; axis++)
        if (what->known->shape[axis] > 1 && differs(what->known, axis) &&
            is_alike(what, what->wrong, axis))
            relation_add(what, readings,
                         (RelationReading){&relation_alike, (int)relation_axis_named(what, axis), 0,
                                           0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, ALIKE),
                 relation_axis_word((Symbol)reading->a, language));
}

const Relation relation_alike = {.name = "alike", .read = read, .say = say};
