// Relation: all is right but at the end of one axis, or nothing is but there.
#include "relation_tools.h"

#include "relation_words.h"
#include "tensor_difference.h"

extern const Relation relation_places;

enum {
    BUT_FIRST,
    BUT_LAST,
    ONLY_FIRST,
    ONLY_LAST,
    FORMS,
    UP_TO_OWN = FORMS,
    FROM_OWN
}; // reading.a; reading.b: the symbol

// Which share of the numbers at an index is wrong.
static double wrong_at(const RelationCase *what, int axis, ptrdiff_t index)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, wrong = 0, all = 0;
    do {
        if (at[axis] == index) {
            all++;
            wrong += !tensor_difference_agrees(what->wrong, what->known, at);
        }
    } while (tensor_next(what->known, at));
    return (double)wrong / (double)all;
}

// Of sequences in a rectangle: whether all their tokens are right. Then a row without padding is right whatever
// stands behind the others, which says nothing of rows.
static bool is_padding_alone(const RelationCase *what)
{
    if (!relation_is_stage(what, "pad") || !what->given)
        return false;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do {
        bool is_token = (double)at[1] < tensor_number(&what->given->in[1], &at[0]);
        if (is_token && !tensor_difference_agrees(what->wrong, what->known, at))
            return false;
    } while (tensor_next(what->known, at));
    return true;
}

// Whether something is wrong at every index of the axis that the form means, and nothing elsewhere. Where only an end
// is right the rest has to be wrong: a wrong number here and there does not make it so.
static bool is_form(const RelationCase *what, int axis, int form)
{
    ptrdiff_t length = what->known->shape[axis];
    double least = form <= BUT_LAST ? 0.0 : 0.05;
    for (ptrdiff_t index = 0; index < length; index++) {
        bool is_end = index == (form == BUT_FIRST || form == ONLY_FIRST ? 0 : length - 1);
        double wrong = wrong_at(what, axis, index);
        if (is_end == (form <= BUT_LAST) ? wrong == 0.0 || wrong < least : wrong > 0.0)
            return false;
    }
    return true;
}

// Whether all is right on one side of the diagonal of the last two axes, and nothing on the other.
static bool is_triangle(const RelationCase *what, bool is_below)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    int last = what->known->rank - 1;
    bool any = false;
    if (last < 1 || what->known->shape[last] < 3 || what->known->shape[last - 1] < 3)
        return false;
    do {
        bool is_right = tensor_difference_agrees(what->wrong, what->known, at);
        if (is_right != (is_below ? at[last] <= at[last - 1] : at[last] >= at[last - 1]))
            return false;
        any = any || !is_right;
    } while (tensor_next(what->known, at));
    return any;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int below = 0; below < 2; below++)
        if (is_triangle(what, below))
            relation_add(what, readings,
                         (RelationReading){&relation_places, below ? UP_TO_OWN : FROM_OWN,
                                           (int)relation_axis_named(what, what->known->rank - 1),
                                           0.0, NULL});
    for (int axis = is_padding_alone(what) ? 1 : 0; axis < what->known->rank; axis++)
        for (int form = 0; form < FORMS && what->known->shape[axis] > 1; form++)
            if (is_form(what, axis, form))
                relation_add(what, readings,
                             (RelationReading){&relation_places, form,
                                               (int)relation_axis_named(what, axis), 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [BUT_FIRST] = ROW(PLACES_BUT_FIRST),   [BUT_LAST] = ROW(PLACES_BUT_LAST),
        [ONLY_FIRST] = ROW(PLACES_ONLY_FIRST), [ONLY_LAST] = ROW(PLACES_ONLY_LAST),
        [UP_TO_OWN] = ROW(PLACES_UP_TO_OWN),   [FROM_OWN] = ROW(PLACES_FROM_OWN),
    };
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 relation_axis_word((Symbol)reading->b, language));
}

// What is right but at one end may be right there too, with some numbers.
static bool is_always(const RelationReading *reading)
{
    return reading->a > BUT_LAST;
}

const Relation relation_places = {
    .name = "places", .read = read, .say = say, .is_always = is_always};
