// Relation: right answers in the wrong place along one axis: another head's, row's or sequence's.
#include "relation_tools.h"

#include <stdio.h>

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

static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int axis = 0; axis < what->known->rank; axis++)
        for (int form = 0; form < FORMS; form++)
            if (what->known->shape[axis] > 2 - (form < NEXT) &&
                relation_fits(what, moved, &(Elsewhere){axis, form}))
                relation_add(what, readings,
                             (RelationReading){&relation_elsewhere, form,
                                               (int)relation_axis(what, axis), 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const char *const sentences[][LANGUAGES] = {
        [FIRST] = {"Every %s has the numbers of the first one.",
                   "모든 %s에 첫 번째 것의 숫자가 들어 있습니다."},
        [LAST] = {"Every %s has the numbers of the last one.",
                  "모든 %s에 마지막 것의 숫자가 들어 있습니다."},
        [NEXT] = {"Every %s has the numbers of the next one.",
                  "모든 %s에 바로 다음 것의 숫자가 들어 있습니다."},
        [BEFORE] = {"Every %s has the numbers of the one before it.",
                    "모든 %s에 바로 앞 것의 숫자가 들어 있습니다."},
        [REVERSED] = {"The numbers are right, but %s after %s in reverse order.",
                      "숫자는 맞지만 %s 순서가 거꾸로입니다."},
    };
    const char *word = relation_axis_word((Symbol)reading->b, language);
    snprintf(text, RELATION_TEXT_MAX, sentences[reading->a][language], word, word);
}

const Relation relation_elsewhere = {.name = "elsewhere", .read = read, .say = say};
