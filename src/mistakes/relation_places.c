// Relation: all is right but at the end of one axis, or nothing is but there.
#include "relation_tools.h"

#include "relation_words.h"
#include "tensor_difference.h"

extern const Relation relation_places;

enum { BUT_FIRST, BUT_LAST, ONLY_FIRST, ONLY_LAST, FORMS }; // reading.a; reading.b: the symbol

static bool is_wrong_at(const RelationCase *what, int axis, ptrdiff_t index)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do {
        if (at[axis] == index && !tensor_difference_agrees(what->wrong, what->known, at))
            return true;
    } while (tensor_next(what->known, at));
    return false;
}

// Whether something is wrong at every index of the axis that the form means, and nothing elsewhere.
static bool is_form(const RelationCase *what, int axis, int form)
{
    ptrdiff_t length = what->known->shape[axis];
    for (ptrdiff_t index = 0; index < length; index++) {
        bool is_end = index == (form == BUT_FIRST || form == ONLY_FIRST ? 0 : length - 1);
        if (is_wrong_at(what, axis, index) != (is_end == (form <= BUT_LAST)))
            return false;
    }
    return true;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int axis = 0; axis < what->known->rank; axis++)
        for (int form = 0; form < FORMS && what->known->shape[axis] > 1; form++)
            if (is_form(what, axis, form))
                relation_add(what, readings,
                             (RelationReading){&relation_places, form,
                                               (int)relation_axis(what, axis), 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [BUT_FIRST] = ROW(PLACES_BUT_FIRST),
        [BUT_LAST] = ROW(PLACES_BUT_LAST),
        [ONLY_FIRST] = ROW(PLACES_ONLY_FIRST),
        [ONLY_LAST] = ROW(PLACES_ONLY_LAST),
    };
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 relation_axis_word((Symbol)reading->b, language));
}

const Relation relation_places = {.name = "places", .read = read, .say = say};
