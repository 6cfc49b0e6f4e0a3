// Relation: of dropout: what is kept is enlarged otherwise, or what is to be dropped is treated as the rest.
#include "relation_tools.h"

#include <math.h>
#include <string.h>
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
    DIVIDED_BY_MORE,
    ROWS_SUM_TO_1,
    ENLARGED_ALWAYS,
    WAYS
}; // reading.a; reading.number: of ENLARGED_ALWAYS, by how much

typedef struct Dropping {
    int way;
    double by;
} Dropping;

// The sum of what is kept of a row.
static double row_kept(const RelationCase *what, const ptrdiff_t at[])
{
    ptrdiff_t place[TENSOR_RANK_MAX];
    double sum = 0.0;
    int last = what->known->rank - 1;
    memcpy(place, at, sizeof place);
    for (place[last] = 0; place[last] < what->known->shape[last]; place[last]++)
        if (tensor_number(what->known, place) != 0.0)
            sum += tensor_number(&what->given->in[0], place);
    return sum;
}

// By how much the largest weight that was kept has been multiplied.
static double enlarged_by(const RelationCase *what)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double largest = 0.0, by = NAN;
    do {
        double weight = tensor_number(&what->given->in[0], at);
        if (tensor_number(what->known, at) != 0.0 && weight > largest) {
            largest = weight;
            by = tensor_number(what->wrong, at) / weight;
        }
    } while (tensor_next(what->known, at));
    return relation_tidy(by);
}

static double dropped(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Dropping *dropping = context;
    bool is_kept = tensor_number(what->known, at) != 0.0;
    double weight = tensor_number(&what->given->in[0], at), p = what->given->options->dropout_p;
    switch (dropping->way) {
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
    case DIVIDED_BY_MORE:
        return is_kept ? weight / (1.0 + p) : 0.0;
    case ROWS_SUM_TO_1:
        return is_kept ? weight / row_kept(what, at) : 0.0;
    case ENLARGED_ALWAYS:
        return is_kept ? weight * dropping->by : 0.0;
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
    // A number by itself divided by its sum is 1, whatever else was done to it.
    bool are_rows_long = what->known->shape[what->known->rank - 1] > 1;
    for (int way = 0; way < WAYS; way++) {
        Dropping dropping = {way, way == ENLARGED_ALWAYS ? enlarged_by(what) : 0.0};
        if (relation_fits(what, dropped, &dropping))
            relation_add_if(what, readings,
                            (RelationReading){&relation_dropout, way, 0, dropping.by, NULL},
                            way == ROWS_SUM_TO_1 && !are_rows_long);
    }
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
        [DIVIDED_BY_MORE] = ROW(DROPOUT_DIVIDED_BY_MORE),
        [ROWS_SUM_TO_1] = ROW(DROPOUT_ROWS_SUM_TO_1),
        [ENLARGED_ALWAYS] = ROW(DROPOUT_ENLARGED_ALWAYS),
    };
    char number[32];
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 relation_number(reading->number, number));
}

const Relation relation_dropout = {.name = "dropout", .read = read, .say = say};
