// Relation: right answers in the wrong place along one axis: another head's, row's or sequence's.
#include "relation_tools.h"

#include "relation_words.h"

extern const Relation relation_elsewhere;

enum { FIRST, LAST, NEXT, BEFORE, REVERSED, FORMS }; // reading.a; reading.b is the axis' symbol

typedef struct Elsewhere {
    int axis, form;
} Elsewhere;

static double moved(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Elsewhere *elsewhere = context;
    ptrdiff_t from[TENSOR_RANK_MAX], length = what->known->shape[elsewhere->axis];
    for (int axis = 0; axis < what->known->rank; axis++)
        from[axis] = at[axis];
    ptrdiff_t *index = &from[elsewhere->axis];
    const ptrdiff_t places[FORMS] = {0, length - 1, (*index + 1) % length,
                                     (*index + length - 1) % length, length - 1 - *index};
    *index = places[elsewhere->form];
    return tensor_number(what->known, from);
}

// Of two, the next one is the one before: which it is, another case must tell.
static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int axis = 0; axis < what->known->rank; axis++)
        for (int form = 0; form < FORMS; form++)
            if (what->known->shape[axis] > 1 &&
                relation_fits(what, moved, &(Elsewhere){axis, form}))
                relation_add_if(what, readings,
                                (RelationReading){&relation_elsewhere, form,
                                                  (int)relation_axis_named(what, axis), 0.0, NULL},
                                form >= NEXT && what->known->shape[axis] == 2);
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [FIRST] = ROW(ELSEWHERE_FIRST),       [LAST] = ROW(ELSEWHERE_LAST),
        [NEXT] = ROW(ELSEWHERE_NEXT),         [BEFORE] = ROW(ELSEWHERE_BEFORE),
        [REVERSED] = ROW(ELSEWHERE_REVERSED),
    };
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 relation_axis_word((Symbol)reading->b, language));
}

const Relation relation_elsewhere = {.name = "elsewhere", .read = read, .say = say};
