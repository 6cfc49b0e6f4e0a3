// Relation: all is right but at the end of one axis, or nothing is but there.
#include "relation_tools.h"

#include <stdio.h>
#include "tensor_difference.h"

extern const Relation relation_places;

enum { BUT_FIRST, BUT_LAST, ONLY_FIRST, ONLY_LAST, FORMS }; // reading.a; reading.b: the symbol

// Whether exactly the places of this form are right.
static bool is_form(const RelationCase *what, int axis, int form)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, wrong = 0, outside = 0;
    do {
        bool is_end = at[axis] ==
                      (form == BUT_FIRST || form == ONLY_FIRST ? 0 : what->known->shape[axis] - 1);
        bool agrees = tensor_difference_agrees(what->wrong, what->known, at);
        bool meant_wrong = is_end == (form <= BUT_LAST);
        wrong += !agrees;
        outside += !agrees && !meant_wrong;
    } while (tensor_next(what->known, at));
    ptrdiff_t all = tensor_count(what->known), ends = all / what->known->shape[axis];
    ptrdiff_t meant = form <= BUT_LAST ? ends : all - ends;
    return outside == 0 && 4 * wrong > 3 * meant;
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
    static const char *const sentences[][LANGUAGES] = {
        [BUT_FIRST] = {"All is right but the first %s.", "첫 번째 %s만 틀리고 나머지는 맞습니다."},
        [BUT_LAST] = {"All is right but the last %s.", "마지막 %s만 틀리고 나머지는 맞습니다."},
        [ONLY_FIRST] = {"Only the first %s is right.", "첫 번째 %s만 맞습니다."},
        [ONLY_LAST] = {"Only the last %s is right.", "마지막 %s만 맞습니다."},
    };
    snprintf(text, RELATION_TEXT_MAX, sentences[reading->a][language],
             relation_axis_word((Symbol)reading->b, language));
}

const Relation relation_places = {.name = "places", .read = read, .say = say};
