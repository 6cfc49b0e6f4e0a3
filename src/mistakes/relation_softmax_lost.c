// Relation: of the softmax: whole rows are NaN or 0, and all others right. What was subtracted from them was no
// score to be near 0 with: powers overflowed, or all of them became 0, or -inf took part.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_softmax_lost;

enum { WITH_MASKED, WITH_LARGE, WAYS }; // reading.a: the rows that are lost

typedef struct RowFacts {
    bool is_lost, has_masked;
    double largest; // size of a score
} RowFacts;

// A number is lost that is not finite, or 0 where it should be more.
static bool is_number_lost(const RelationCase *what, const ptrdiff_t at[])
{
    double wrong = tensor_number(what->wrong, at), known = tensor_number(what->known, at);
    return isfinite(known) && (!isfinite(wrong) || (wrong == 0.0 && known > 1e-3));
}

static RowFacts facts_of(const RelationCase *what, const ptrdiff_t at[])
{
    RowFacts facts = {.largest = 0.0};
    ptrdiff_t place[TENSOR_RANK_MAX];
    int last = what->known->rank - 1;
    for (int axis = 0; axis < last; axis++)
        place[axis] = at[axis];
    for (place[last] = 0; place[last] < what->known->shape[last]; place[last]++) {
        double score = tensor_number(&what->given->in[0], place);
        facts.is_lost = facts.is_lost || is_number_lost(what, place);
        facts.has_masked = facts.has_masked || isinf(score);
        facts.largest = isinf(score) ? facts.largest : fmax(facts.largest, fabs(score));
    }
    return facts;
}

static double or_lost(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    (void)context;
    return tensor_number(facts_of(what, at).is_lost ? what->wrong : what->known, at);
}

// exp overflows above 88, so smaller scores that are lost were lost otherwise.
static bool holds(const RelationCase *what, int way)
{
    const double exp_max = 88.0;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    bool all = true, is_any = false;
    do {
        RowFacts facts = facts_of(what, at);
        is_any = is_any || facts.is_lost;
        bool is_large = facts.largest > exp_max / 2.0;
        bool may_be = is_large || (way == WITH_MASKED && facts.has_masked);
        bool must_be = way == WITH_MASKED && facts.has_masked;
        all = all && (!facts.is_lost || may_be) && (facts.is_lost || !must_be);
    } while (tensor_next(what->known, at));
    return all && is_any;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "softmax") || !relation_fits(what, or_lost, NULL))
        return;
    for (int way = 0; way < WAYS; way++)
        if (holds(what, way))
            relation_add(what, readings,
                         (RelationReading){&relation_softmax_lost, way, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [WITH_MASKED] = ROW(SOFTMAX_LOST_WITH_MASKED), [WITH_LARGE] = ROW(SOFTMAX_LOST_WITH_LARGE)};
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_softmax_lost = {.name = "softmax-lost", .read = read, .say = say};
