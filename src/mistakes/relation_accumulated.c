// Relation: a sum that is never set back: every number has those before it in it, since the last time
// that an outer index changed.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_accumulated;

enum { NEVER = RELATION_AXIS_NUMBER + 1 };

// The bias of a step that adds one, for the column of an element; it is no part of the sum.
static double bias_of(const RelationCase *what, ptrdiff_t column)
{
    const Tensor *bias = what->given ? &what->given->in[2] : NULL;
    bool is_bias = bias && bias->storage.bytes && bias->dtype == DTYPE_F32 && bias->rank == 1 &&
                   bias->shape[0] == what->known->shape[what->known->rank - 1];
    return is_bias ? tensor_number(bias, &column) : 0.0;
}

static double largest_of(const Tensor *numbers)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double largest = 0.0;
    do
        largest = fmax(largest, fabs(tensor_number(numbers, at)));
    while (tensor_next(numbers, at));
    return largest;
}

// Each sum is made of the one before as it was given: long ones are rounded.
static bool accumulates(const RelationCase *what, int axis, Tensor *numbers)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, place = 0;
    // A static sum goes on from the last call.
    double sum = axis < 0 ? tensor_number(what->wrong, at) - tensor_number(what->known, at) : 0.0;
    do {
        bool begins = true; // everything behind the axis is 0
        for (int inner = axis + 1; inner < what->known->rank; inner++)
            begins = begins && at[inner] == 0;
        double bias = bias_of(what, at[what->known->rank - 1]);
        sum = (begins && axis >= 0 ? 0.0 : sum) + (tensor_number(what->known, at) - bias);
        numbers->storage.f32[place++] = (float)(sum + bias);
        sum = tensor_number(what->wrong, at) - bias;
    } while (tensor_next(what->known, at));
    return relation_makes(what, numbers);
}

// reading.a: the symbol of the axis at whose change it is set back; NEVER
static void read(const RelationCase *what, RelationReadings *readings)
{
    Arena arena = {0};
    Tensor numbers;
    bool is_comparable = largest_of(what->wrong) < 1e4 * largest_of(what->known);
    bool good = is_comparable && relation_room(what, &arena, &numbers);
    for (int axis = -1; good && axis + 1 < what->known->rank; axis++)
        if (accumulates(what, axis, &numbers))
            relation_add(what, readings,
                         (RelationReading){&relation_accumulated,
                                           axis < 0 ? NEVER : (int)relation_axis_named(what, axis),
                                           0, 0.0, NULL});
    arena_finish(&arena);
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    if (reading->a == NEVER)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, SUM_NEVER_SET_BACK));
    else
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, SUM_SET_BACK_RARELY),
                     relation_axis_word((Symbol)reading->a, language));
}

const Relation relation_accumulated = {.name = "accumulated", .read = read, .say = say};
