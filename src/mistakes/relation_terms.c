// Relation: a sum of products that misses terms, or adds them up in another way. The terms are those
// that the stage tells of itself.
#include "relation_tools.h"

#include <math.h>
#include <string.h>
#include "relation_words.h"

extern const Relation relation_terms;

enum {
    STOPS, // after as many terms as an array has room for
    LAST_ONLY,
    FIRST_ONLY,
    FIRST_MISSING,
    LAST_MISSING,
    TWO_MISSING,
    COLUMNS, // as many as a row of the result has numbers
    FIRST_HALF,
    SECOND_HALF,
    EVERY_OTHER,
    UP_TO_ROW,
    BEFORE_ROW,
    WHOLE_SUM,
    TIMES_BIAS,
    BIAS_PER_TERM,
    BIAS_OF_ROW,
    WITHOUT_FIRST_SEQUENCE, // where a sum runs over all of them
    OF_FIRST_SEQUENCE,
    FIRST_OF_EACH,
    LAST_OF_EACH,
    WITHOUT_LAST_OF_EACH,
    WITHOUT_FIRST_OF_EACH,
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
    int room;             // STOPS: a power of 2
    TermKind kind;        // of the terms: products, or where there are none, numbers
    double sum, best;
} Summing;

// The terms of one element: how many there are.
static void count_term(void *context, const Term *term)
{
    ptrdiff_t *counts = context;
    counts[term->kind]++;
}

// Of sums over all sequences, each of which has so many terms.
static bool counts_of_each(int way, ptrdiff_t number, ptrdiff_t each)
{
    switch (way) {
    case WITHOUT_FIRST_SEQUENCE:
        return number >= each;
    case OF_FIRST_SEQUENCE:
        return number < each;
    case FIRST_OF_EACH:
        return number % each == 0;
    case LAST_OF_EACH:
        return number % each == each - 1;
    case WITHOUT_LAST_OF_EACH:
        return number % each != each - 1;
    default:
        return number % each != 0;
    }
}

static ptrdiff_t columns_of(const RelationCase *what)
{
    return what->known->shape[what->known->rank - 1];
}

static bool counts(const Summing *summing)
{
    int number = summing->number;
    ptrdiff_t sequences = summing->what->right->scenario->size[SYMBOL_B];
    ptrdiff_t each = sequences > 0 ? summing->terms / sequences : summing->terms;
    switch (summing->way) {
    case STOPS:
        return number < summing->room;
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
    case SECOND_HALF:
        return number >= summing->terms / 2;
    case EVERY_OTHER:
        return number % 2 == 0;
    case UP_TO_ROW:
        return number <= summing->row;
    case BEFORE_ROW:
        return number < summing->row;
    case WHOLE_SUM:
    case TIMES_BIAS:
    case BIAS_PER_TERM:
    case BIAS_OF_ROW:
        return true;
    case COLUMNS:
        return number < columns_of(summing->what);
    case WITHOUT_FIRST_SEQUENCE:
    case OF_FIRST_SEQUENCE:
    case FIRST_OF_EACH:
    case LAST_OF_EACH:
    case WITHOUT_LAST_OF_EACH:
    case WITHOUT_FIRST_OF_EACH:
        return counts_of_each(summing->way, number, each);
    default:
        return number < summing->what->right->scenario->size[summing->way - SHORT];
    }
}

static double with_bias(const Summing *summing, const Term *term)
{
    const Source *source = &term->sources[0];
    const Tensor *bias = &summing->args.in[source->slot];
    double value = (double)term->value, sum = summing->sum;
    ptrdiff_t row = summing->row % bias->shape[0];
    switch (summing->way) {
    case TIMES_BIAS:
        return sum * value;
    case BIAS_PER_TERM:
        return sum + (double)summing->terms * value;
    case BIAS_OF_ROW:
        return sum + (bias->rank == 1 ? tensor_number(bias, &row) : NAN);
    default:
        return sum + value;
    }
}

static void add_term(void *context, const Term *term)
{
    Summing *summing = context;
    if (term->kind == TERM_ADD && summing->kind != TERM_ADD) { // the bias
        summing->sum = with_bias(summing, term);
        return;
    }
    if (term->kind != summing->kind)
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

// Whether a way can be meant: a loop that is shorter than it should be, a sum over sequences.
static bool is_possible(const Summing *summing)
{
    const RelationCase *what = summing->what;
    const ptrdiff_t *size = what->right->scenario->size;
    if (summing->way >= WITHOUT_FIRST_SEQUENCE && summing->way <= WITHOUT_FIRST_OF_EACH)
        return what->axes[0] != 'B' && size[SYMBOL_B] > 1 && summing->terms % size[SYMBOL_B] == 0;
    if (summing->way == BEST_ONLY && summing->kind != TERM_MULTIPLY_ADD)
        return false;
    if (summing->way == COLUMNS) // of a layer; heads have a symbol for theirs
        return what->known->rank == 3 && columns_of(what) < summing->terms;
    if (summing->way < SHORT)
        return true;
    const char *axes = what->right->steps[what->step].call->reads[0].axes;
    bool has_heads =
        axes && strchr(axes, 'H'); // then queries are told from keys; else both are tokens
    Symbol symbol = (Symbol)(summing->way - SHORT);
    bool is_other = has_heads ? symbol == SYMBOL_L : symbol == SYMBOL_LQ || symbol == SYMBOL_LK;
    return !is_other && size[symbol] > 0 && size[symbol] < summing->terms;
}

// The largest power of 2 below a number of terms.
static int room_below(ptrdiff_t terms)
{
    int room = 1;
    while (2 * room < terms)
        room *= 2;
    return room;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    static const ptrdiff_t first[TENSOR_RANK_MAX] = {0};
    if (!what->given)
        return;
    const Stage *stage = what->right->steps[what->step].stage;
    Summing summing = {.what = what, .args = *what->given};
    summing.args.out[stage->main_output] = *what->known;
    ptrdiff_t counts[TERM_KINDS] = {0};
    stage->origin(&summing.args, stage->main_output, first, count_term, counts);
    summing.kind = counts[TERM_MULTIPLY_ADD] > 0 ? TERM_MULTIPLY_ADD : TERM_ADD;
    summing.terms = counts[summing.kind];
    for (int way = 0; way < WAYS && summing.terms > 1; way++) {
        summing.way = way;
        summing.room = room_below(summing.terms);
        if (is_possible(&summing) && relation_fits(what, summed, &summing))
            relation_add(what, readings,
                         (RelationReading){&relation_terms, way < SHORT ? way : SHORT,
                                           way < SHORT ? 0 : way - SHORT,
                                           way == STOPS ? (double)summing.room : 0.0, NULL});
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
        [SECOND_HALF] = ROW(TERMS_SECOND_HALF),
        [EVERY_OTHER] = ROW(TERMS_EVERY_OTHER),
        [UP_TO_ROW] = ROW(TERMS_UP_TO_ROW),
        [BEFORE_ROW] = ROW(TERMS_BEFORE_ROW),
        [WHOLE_SUM] = ROW(TERMS_WHOLE),
        [TIMES_BIAS] = ROW(TERMS_TIMES_BIAS),
        [BIAS_PER_TERM] = ROW(TERMS_BIAS_PER_TERM),
        [BIAS_OF_ROW] = ROW(TERMS_BIAS_OF_ROW),
        [WITHOUT_FIRST_SEQUENCE] = ROW(TERMS_WITHOUT_FIRST_SEQUENCE),
        [OF_FIRST_SEQUENCE] = ROW(TERMS_OF_FIRST_SEQUENCE),
        [FIRST_OF_EACH] = ROW(TERMS_FIRST_OF_EACH),
        [LAST_OF_EACH] = ROW(TERMS_LAST_OF_EACH),
        [WITHOUT_LAST_OF_EACH] = ROW(TERMS_WITHOUT_LAST_OF_EACH),
        [WITHOUT_FIRST_OF_EACH] = ROW(TERMS_WITHOUT_FIRST_OF_EACH),
        [BEST_ONLY] = ROW(TERMS_BEST_ONLY),
        [COLUMNS] = ROW(TERMS_COLUMNS),
        [SHORT] = ROW(TERMS_SHORT),
    };
    if (reading->a == STOPS)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, TERMS_STOP), (int)reading->number);
    else
        words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                     symbol_names[reading->a == SHORT ? reading->b : 0]);
}

const Relation relation_terms = {.name = "terms", .read = read, .say = say};
