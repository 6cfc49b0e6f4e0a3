// Relation: a sum of products whose terms are no products, or are not added up. The terms are those that
// the stage tells of itself.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_products;

enum { PLUS, DIFFERENCE, ABSOLUTE, MINUS, MULTIPLIED, LARGEST, WAYS }; // reading.a

typedef struct Summing {
    StageArgs args;
    int way, terms;
    double sum;
} Summing;

static double term_of(const Summing *summing, double a, double b)
{
    switch (summing->way) {
    case PLUS:
        return a + b;
    case DIFFERENCE:
        return (a - b) * (a - b);
    case ABSOLUTE:
        return fabs(a * b);
    case MINUS:
        return -a * b;
    default:
        return a * b;
    }
}

static void add_term(void *context, const Term *term)
{
    Summing *summing = context;
    if (term->kind == TERM_ADD) // the bias
        summing->sum += (double)term->value;
    if (term->kind != TERM_MULTIPLY_ADD)
        return;
    const Source *a = &term->sources[0], *b = &term->sources[1];
    double value = term_of(summing, tensor_number(&summing->args.in[a->slot], a->at),
                           tensor_number(&summing->args.in[b->slot], b->at));
    bool is_first = summing->terms++ == 0;
    if (summing->way == MULTIPLIED)
        summing->sum = is_first ? value : summing->sum * value;
    else if (summing->way == LARGEST)
        summing->sum = is_first ? value : fmax(summing->sum, value);
    else
        summing->sum += value;
}

static double summed(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    Summing summing = *(const Summing *)context;
    const Stage *stage = what->right->steps[what->step].stage;
    stage->origin(&summing.args, stage->main_output, at, add_term, &summing);
    return summing.sum;
}

static void count_term(void *context, const Term *term)
{
    int *terms = context;
    *terms += term->kind == TERM_MULTIPLY_ADD && term->source_count == 2;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    static const ptrdiff_t first[TENSOR_RANK_MAX] = {0};
    int terms = 0;
    if (!what->given)
        return;
    const Stage *stage = what->right->steps[what->step].stage;
    Summing summing = {.args = *what->given};
    summing.args.out[stage->main_output] = *what->known;
    stage->origin(&summing.args, stage->main_output, first, count_term, &terms);
    for (summing.way = 0; summing.way < WAYS && terms > 1; summing.way++)
        if (relation_fits(what, summed, &summing))
            relation_add(what, readings,
                         (RelationReading){&relation_products, summing.way, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [PLUS] = ROW(PRODUCTS_PLUS),
        [DIFFERENCE] = ROW(PRODUCTS_DIFFERENCE),
        [ABSOLUTE] = ROW(PRODUCTS_ABSOLUTE),
        [MINUS] = ROW(PRODUCTS_MINUS),
        [MULTIPLIED] = ROW(PRODUCTS_MULTIPLIED),
        [LARGEST] = ROW(PRODUCTS_LARGEST),
    };
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_products = {.name = "products", .read = read, .say = say};
