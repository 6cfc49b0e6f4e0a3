// Relation: a sum of products that misses terms, or adds them up in another way. The terms are those
// that the stage tells of itself.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_terms;

enum {
    LAST_ONLY,
    FIRST_ONLY,
    FIRST_MISSING,
    LAST_MISSING,
    TWO_MISSING,
    FIRST_HALF,
    EVERY_OTHER,
    UP_TO_ROW,
    BEFORE_ROW,
    WHOLE_SUM,
    TIMES_BIAS,
    BEST_ONLY,
    SHORT, // reading.b is the symbol whose length the loop took
    WAYS = SHORT + SYMBOL_COUNT,
};

typedef struct Summing {
    const RelationCase *what;
    StageArgs args;
    int way;
    ptrdiff_t terms, row; // row: the last index but one of the element
    int number;           // of the next term
    bool is_sum;
    double sum, best;
} Summing;

// The terms of one element: how many there are.
static void count_term(void *context, const Term *term)
{
    ptrdiff_t *count = context;
    *count += term->kind == TERM_MULTIPLY_ADD;
}

static bool counts(const Summing *summing)
{
    int number = summing->number;
    switch (summing->way) {
    case LAST_ONLY:
        return number == summing->terms - 1;
    case FIRST_ONLY:
        return number == 0;
    case FIRST_MISSING:
        return number > 0;
    case LAST_MISSING:
        return number < summing->terms - 1;
    case TWO_MISSING:
        return number < summing->terms - 2;
    case FIRST_HALF:
        return number < summing->terms / 2;
    case EVERY_OTHER:
        return number % 2 == 0;
    case UP_TO_ROW:
        return number <= summing->row;
    case BEFORE_ROW:
        return number < summing->row;
    case WHOLE_SUM:
    case TIMES_BIAS:
        return true;
    default:
        return number < summing->what->right->scenario->size[summing->way - SHORT];
    }
}

static void add_term(void *context, const Term *term)
{
    Summing *summing = context;
    if (term->kind == TERM_ADD) { // the bias
        summing->sum = summing->way == TIMES_BIAS ? summing->sum * (double)term->value
                                                  : summing->sum + (double)term->value;
        return;
    }
    if (term->kind != TERM_MULTIPLY_ADD)
        return;
    if (summing->way == BEST_ONLY) {
        const Source *weight = &term->sources[0], *value = &term->sources[1];
        double size = tensor_number(&summing->args.in[weight->slot], weight->at);
        if (summing->number == 0 || size > summing->best) {
            summing->best = size;
            summing->sum = tensor_number(&summing->args.in[value->slot], value->at);
        }
    } else if (counts(summing)) {
        summing->sum += (double)term->value;
        if (summing->way == WHOLE_SUM)
            summing->sum = trunc(summing->sum);
    }
    summing->number++;
}

static double summed(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    Summing summing = *(const Summing *)context;
    const Stage *stage = what->right->steps[what->step].stage;
    summing.row = what->known->rank > 1 ? at[what->known->rank - 2] : 0;
    stage->origin(&summing.args, stage->main_output, at, add_term, &summing);
    return summing.sum;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    static const ptrdiff_t first[TENSOR_RANK_MAX] = {0};
    if (!what->given)
        return;
    const Stage *stage = what->right->steps[what->step].stage;
    Summing summing = {.what = what, .args = *what->given};
    summing.args.out[stage->main_output] = *what->known;
    stage->origin(&summing.args, stage->main_output, first, count_term, &summing.terms);
    for (int way = 0; way < WAYS && summing.terms > 1; way++) {
        ptrdiff_t size = way >= SHORT ? what->right->scenario->size[way - SHORT] : 1;
        summing.way = way;
        if (size > 0 && size < summing.terms && relation_fits(what, summed, &summing))
            relation_add(what, readings,
                         (RelationReading){&relation_terms, way < SHORT ? way : SHORT,
                                           way < SHORT ? 0 : way - SHORT, 0.0, NULL});
    }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [LAST_ONLY] = ROW(TERMS_LAST_ONLY),
        [FIRST_ONLY] = ROW(TERMS_FIRST_ONLY),
        [FIRST_MISSING] = ROW(TERMS_FIRST_MISSING),
        [LAST_MISSING] = ROW(TERMS_LAST_MISSING),
        [TWO_MISSING] = ROW(TERMS_TWO_MISSING),
        [FIRST_HALF] = ROW(TERMS_FIRST_HALF),
        [EVERY_OTHER] = ROW(TERMS_EVERY_OTHER),
        [UP_TO_ROW] = ROW(TERMS_UP_TO_ROW),
        [BEFORE_ROW] = ROW(TERMS_BEFORE_ROW),
        [WHOLE_SUM] = ROW(TERMS_WHOLE),
        [TIMES_BIAS] = ROW(TERMS_TIMES_BIAS),
        [BEST_ONLY] = ROW(TERMS_BEST_ONLY),
        [SHORT] = ROW(TERMS_SHORT),
    };
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 symbol_names[reading->a == SHORT ? reading->b : 0]);
}

const Relation relation_terms = {.name = "terms", .read = read, .say = say};
