// Relation: of the mask: other keys are masked, by a rule of query i and key j.
#include "relation_tools.h"

#include <math.h>
#include <stdio.h>

extern const Relation relation_masked;

enum { PAST, PAST_AND_SELF, ONLY_NEXT, ONLY_LAST, EVERYTHING, WINDOW, RULES = WINDOW + 4 };

static bool is_masked(int rule, ptrdiff_t i, ptrdiff_t j, ptrdiff_t keys)
{
    switch (rule) {
    case PAST:
        return j < i;
    case PAST_AND_SELF:
        return j <= i;
    case ONLY_NEXT:
        return j == i + 1;
    case ONLY_LAST:
        return j == keys - 1 && j > i;
    case EVERYTHING:
        return true;
    default:
        return j > i || i - j > rule - WINDOW;
    }
}

static double masked(const RelationCase *what, const ptrdiff_t at[], const void *rule)
{
    bool hides = is_masked(*(const int *)rule, at[2], at[3], what->known->shape[3]);
    return hides ? (double)-INFINITY : tensor_number(&what->given->in[0], at);
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "mask") || what->known->rank != 4)
        return;
    for (int rule = 0; rule < RULES; rule++)
        if (relation_fits(what, masked, &rule))
            relation_add(what, readings, (RelationReading){&relation_masked, rule, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const char *const sentences[][LANGUAGES] = {
        [PAST] = {"The keys before the query are masked (j < i), not those after it.",
                  "쿼리 뒤가 아니라 쿼리 앞의 키(j < i)를 가렸습니다."},
        [PAST_AND_SELF] = {"The query and the keys before it are masked (j <= i), not those after.",
                           "쿼리 뒤가 아니라 쿼리 자신과 앞의 키(j <= i)를 가렸습니다."},
        [ONLY_NEXT] = {"Only the next key is masked (j == i + 1), not all later ones.",
                       "뒤의 키 전부가 아니라 바로 다음 키(j == i + 1)만 가렸습니다."},
        [ONLY_LAST] = {"Only the last key is masked, not all later ones.",
                       "뒤의 키 전부가 아니라 마지막 키만 가렸습니다."},
        [EVERYTHING] = {"Every key is masked.", "모든 키를 가렸습니다."},
        [WINDOW] = {"Keys more than %d before the query are masked too.",
                    "쿼리보다 %d칸 넘게 앞선 키도 가렸습니다."},
    };
    int rule = reading->a < WINDOW ? reading->a : WINDOW;
    snprintf(text, RELATION_TEXT_MAX, sentences[rule][language], reading->a - WINDOW);
}

const Relation relation_masked = {.name = "masked", .read = read, .say = say};
