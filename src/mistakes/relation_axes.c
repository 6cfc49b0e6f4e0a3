// Relation: the right numbers, laid down as if two axes had changed places.
#include "relation_tools.h"

#include "relation_words.h"

extern const Relation relation_axes;

enum { SYMBOLS = 64 };

static bool is_exchanged(const RelationCase *what, int a, int b)
{
    Arena arena = {0};
    Tensor numbers, turned = tensor_transpose(what->known, a, b);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, place = 0;
    bool good = relation_room(what, &arena, &numbers);
    if (good) {
        do {
            numbers.storage.f32[place++] = (float)tensor_number(&turned, at);
        } while (tensor_next(&turned, at));
        good = relation_makes(what, &numbers);
    }
    arena_finish(&arena);
    return good;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int a = 0; a < what->known->rank; a++)
        for (int b = a + 1; b < what->known->rank; b++)
            if (is_exchanged(what, a, b))
                relation_add(what, readings,
                             (RelationReading){&relation_axes, SYMBOLS * a + b, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, AXES_EXCHANGED), reading->a / SYMBOLS,
                 reading->a % SYMBOLS);
}

const Relation relation_axes = {.name = "axes", .read = read, .say = say};
