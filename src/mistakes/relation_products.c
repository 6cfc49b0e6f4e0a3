// Relation: a sum of products whose terms are no products, or are not added up. The terms are those that
// the stage tells of itself.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_products;

enum {
    PLUS,
    DIFFERENCE,
    DISTANCE,
    CUT,
    ABSOLUTE,
    MINUS,
    MULTIPLIED,
    LARGEST,
    LARGEST_FROM_0,
    EACH_BY_EACH,
    EACH_BY_EACH_TURNED, // the same, rounded in another order
    COSINE,
    MINUS_DIFFERENCE,
    LENGTH_OF_DIFFERENCE,
    MINUS_LENGTH_OF_DIFFERENCE,
    FIRST_CUT_IN_WHOLE,
    WAYS
}; // reading.a

enum { FACTORS_MAX = 256 };

typedef struct Summing {
    StageArgs args;
    int way, terms;
    double sum;
    double squares[2]; // of the first factors, and of the second ones
    float factors[2][FACTORS_MAX];
} Summing;

static double term_of(const Summing *summing, double a, double b)
{
    switch (summing->way) {
    case PLUS:
        return a + b;
    case DIFFERENCE:
    case LENGTH_OF_DIFFERENCE:
    case MINUS_LENGTH_OF_DIFFERENCE:
        return (a - b) * (a - b);
    case DISTANCE:
        return fabs(a - b);
    case CUT:
        return trunc(a * b);
    case ABSOLUTE:
        return fabs(a * b);
    case MINUS:
        return -a * b;
    case MINUS_DIFFERENCE:
        return -(a - b) * (a - b);
    case FIRST_CUT_IN_WHOLE:
        return trunc(a) * b;
    case EACH_BY_EACH:
    case EACH_BY_EACH_TURNED: // of all factors, at the end
        return 0.0;
    default:
        return a * b;
    }
}

static void add_term(void *context, const Term *term)
{
    Summing *summing = context;
    if (term->kind == TERM_ADD) { // the bias
        summing->sum += (double)term->value;
        if (summing->way == FIRST_CUT_IN_WHOLE)
            summing->sum = trunc(summing->sum);
    }
    if (term->kind != TERM_MULTIPLY_ADD)
        return;
    const Source *a = &term->sources[0], *b = &term->sources[1];
    double first = tensor_number(&summing->args.in[a->slot], a->at);
    double second = tensor_number(&summing->args.in[b->slot], b->at);
    double value = term_of(summing, first, second);
    if (summing->terms < FACTORS_MAX) {
        summing->factors[0][summing->terms] = (float)first;
        summing->factors[1][summing->terms] = (float)second;
    }
    summing->squares[0] += first * first;
    summing->squares[1] += second * second;
    bool is_first = summing->terms++ == 0;
    if (summing->way == MULTIPLIED)
        summing->sum = is_first ? value : summing->sum * value;
    else if (summing->way == LARGEST)
        summing->sum = is_first ? value : fmax(summing->sum, value);
    else if (summing->way == LARGEST_FROM_0)
        summing->sum = fmax(summing->sum, value);
    else
        summing->sum += value;
    if (summing->way == FIRST_CUT_IN_WHOLE)
        summing->sum = trunc(summing->sum);
}

// In the order and in the floats of two loops: what is added up so often is rounded.
static double each_by_each(const Summing *summing)
{
    float sum = 0.0f;
    int outer = summing->way == EACH_BY_EACH_TURNED;
    for (int first = 0; first < summing->terms; first++)
        for (int second = 0; second < summing->terms; second++)
            sum += summing->factors[outer][first] * summing->factors[!outer][second];
    return (double)sum;
}

static double summed(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    Summing summing = *(const Summing *)context;
    const Stage *stage = what->right->steps[what->step].stage;
    stage->origin(&summing.args, stage->main_output, at, add_term, &summing);
    switch (summing.way) {
    case EACH_BY_EACH:
    case EACH_BY_EACH_TURNED:
        return summing.sum + each_by_each(&summing);
    case COSINE:
        return summing.sum / sqrt(summing.squares[0] * summing.squares[1]);
    case LENGTH_OF_DIFFERENCE:
        return sqrt(summing.sum);
    case MINUS_LENGTH_OF_DIFFERENCE:
        return -sqrt(summing.sum);
    default:
        return summing.sum;
    }
}

static void count_term(void *context, const Term *term)
{
    int *terms = context;
    *terms += term->kind == TERM_MULTIPLY_ADD && term->source_count == 2;
}

// Weights that sum to 1 multiply nothing: each by each is then as good as weights that are not used.
static bool can_tell(const RelationCase *what, int way, int terms)
{
    bool is_each = way == EACH_BY_EACH || way == EACH_BY_EACH_TURNED;
    return !is_each || (terms <= FACTORS_MAX && !relation_is_stage(what, "weighted_sum"));
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
        if (can_tell(what, summing.way, terms) && relation_fits(what, summed, &summing))
            relation_add(what, readings,
                         (RelationReading){&relation_products, summing.way, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [PLUS] = ROW(PRODUCTS_PLUS),
        [DIFFERENCE] = ROW(PRODUCTS_DIFFERENCE),
        [DISTANCE] = ROW(PRODUCTS_DISTANCE),
        [CUT] = ROW(PRODUCTS_CUT),
        [ABSOLUTE] = ROW(PRODUCTS_ABSOLUTE),
        [MINUS] = ROW(PRODUCTS_MINUS),
        [MULTIPLIED] = ROW(PRODUCTS_MULTIPLIED),
        [LARGEST] = ROW(PRODUCTS_LARGEST),
        [LARGEST_FROM_0] = ROW(PRODUCTS_LARGEST_FROM_0),
        [EACH_BY_EACH] = ROW(PRODUCTS_EACH_BY_EACH),
        [EACH_BY_EACH_TURNED] = ROW(PRODUCTS_EACH_BY_EACH),
        [COSINE] = ROW(PRODUCTS_COSINE),
        [MINUS_DIFFERENCE] = ROW(PRODUCTS_MINUS_DIFFERENCE),
        [LENGTH_OF_DIFFERENCE] = ROW(PRODUCTS_LENGTH),
        [MINUS_LENGTH_OF_DIFFERENCE] = ROW(PRODUCTS_MINUS_LENGTH),
        [FIRST_CUT_IN_WHOLE] = ROW(PRODUCTS_FIRST_CUT_IN_WHOLE),
    };
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_products = {.name = "products", .read = read, .say = say};
