// Relation: of dropout: what is kept is enlarged otherwise, or what is to be dropped is treated as the rest.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_dropout;

enum {
    INVERTED,
    NOTHING_DROPPED,
    ENLARGED_BY_P,
    MADE_SMALLER,
    DROPPED_AS_IT_WAS,
    DROPPED_IS_P,
    DROPPED_ENLARGED,
    ENLARGED_BY_ROOT,
    ENLARGED_TWICE,
    WAYS
}; // reading.a

static double dropped(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    int way = *(const int *)context;
    bool is_kept = tensor_number(what->known, at) != 0.0;
    double weight = tensor_number(&what->given->in[0], at), p = what->given->options->dropout_p;
    switch (way) {
    case INVERTED:
        return is_kept ? 0.0 : weight / (1.0 - p);
    case NOTHING_DROPPED:
        return weight / (1.0 - p);
    case ENLARGED_BY_P:
        return is_kept ? weight / p : 0.0;
    case MADE_SMALLER:
        return is_kept ? weight * (1.0 - p) : 0.0;
    case DROPPED_ENLARGED:
        return is_kept ? weight : weight / (1.0 - p);
    case ENLARGED_BY_ROOT:
        return is_kept ? weight / sqrt(1.0 - p) : 0.0;
    case ENLARGED_TWICE:
        return is_kept ? weight / (1.0 - p) / (1.0 - p) : 0.0;
    case DROPPED_IS_P:
        return is_kept ? weight / (1.0 - p) : weight * p;
    default:
        return is_kept ? weight / (1.0 - p) : weight;
    }
}

// Where nothing is dropped (p = 0) most ways have the right numbers.
static void read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "dropout"))
        return;
    for (int way = 0; way < WAYS; way++)
        if (relation_fits(what, dropped, &way))
            relation_add(what, readings, (RelationReading){&relation_dropout, way, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [INVERTED] = ROW(DROPOUT_INVERTED),
        [NOTHING_DROPPED] = ROW(DROPOUT_NOTHING_DROPPED),
        [ENLARGED_BY_P] = ROW(DROPOUT_ENLARGED_BY_P),
        [MADE_SMALLER] = ROW(DROPOUT_MADE_SMALLER),
        [DROPPED_AS_IT_WAS] = ROW(DROPOUT_DROPPED_AS_IT_WAS),
        [DROPPED_IS_P] = ROW(DROPOUT_DROPPED_IS_P),
        [DROPPED_ENLARGED] = ROW(DROPOUT_DROPPED_ENLARGED),
        [ENLARGED_BY_ROOT] = ROW(DROPOUT_ENLARGED_BY_ROOT),
        [ENLARGED_TWICE] = ROW(DROPOUT_ENLARGED_TWICE),
    };
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_dropout = {.name = "dropout", .read = read, .say = say};
