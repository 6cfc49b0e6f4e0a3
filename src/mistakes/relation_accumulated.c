// Relation: a sum that is never set back: every number has those before it in it, since the last time
// that an outer index changed.
#include "relation_tools.h"

#include <stdio.h>

extern const Relation relation_accumulated;

static bool accumulates(const RelationCase *what, int axis, Tensor *numbers)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, place = 0;
    double sum = 0.0;
    do {
        bool begins = true; // everything behind the axis is 0
        for (int inner = axis + 1; inner < what->known->rank; inner++)
            begins = begins && at[inner] == 0;
        sum = (begins && (axis >= 0 || place == 0) ? 0.0 : sum) + tensor_number(what->known, at);
        numbers->storage.f32[place++] = (float)sum;
    } while (tensor_next(what->known, at));
    return relation_makes(what, numbers);
}

// reading.a: the symbol of the axis at whose change it is set back; SYMBOL_COUNT + 1: never
static void read(const RelationCase *what, RelationReadings *readings)
{
    Arena arena = {0};
    Tensor numbers;
    bool good = relation_room(what, &arena, &numbers);
    for (int axis = -1; good && axis + 1 < what->known->rank; axis++)
        if (accumulates(what, axis, &numbers))
            relation_add(
                what, readings,
                (RelationReading){&relation_accumulated,
                                  axis < 0 ? SYMBOL_COUNT + 1 : (int)relation_axis(what, axis), 0,
                                  0.0, NULL});
    arena_finish(&arena);
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    bool korean = language == MISTAKE_KO, never = reading->a > SYMBOL_COUNT;
    if (never)
        snprintf(text, RELATION_TEXT_MAX, "%s",
                 korean
                     ? "합을 한 번도 0으로 되돌리지 않았습니다. 앞의 숫자가 모두 더해져 있습니다."
                     : "The sum is never set back to 0: each number has all before it in it.");
    else
        snprintf(text, RELATION_TEXT_MAX,
                 korean ? "합을 %s마다 한 번만 0으로 되돌렸습니다. 숫자마다 되돌려야 합니다."
                        : "The sum is set back to 0 once a %s, not for every number.",
                 relation_axis_word((Symbol)reading->a, language));
}

const Relation relation_accumulated = {.name = "accumulated", .read = read, .say = say};
