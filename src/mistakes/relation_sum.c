// Relations of sums of products: terms, their order, what is added behind them.
#include <math.h>
#include <string.h>
#include "relation_tools.h"

// --- terms
//
// A sum of products that misses terms, or adds them up in another way. The terms are those that the
// stage tells of itself.

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
    TERMS_WAYS = SHORT + SYMBOL_COUNT,
};

typedef struct TermSumming {
    const RelationCase *what;
    StageArgs args;
    int way;
    ptrdiff_t terms, row; // row: the last index but one of the element
    int number;           // of the next term
    int room;             // STOPS: a power of 2
    TermKind kind;        // of the terms: products, or where there are none, numbers
    double sum, best;
} TermSumming;

// The terms of one element: how many there are.
static void terms_count_term(void *context, const Term *term)
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

static bool counts(const TermSumming *summing)
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

static double with_bias(const TermSumming *summing, const Term *term)
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

static void terms_add_term(void *context, const Term *term)
{
    TermSumming *summing = context;
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

static double terms_summed(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    TermSumming summing = *(const TermSumming *)context;
    const Stage *stage = what->right->steps[what->step].stage;
    summing.row = what->known->rank > 1 ? at[what->known->rank - 2] : 0;
    stage->origin(&summing.args, stage->main_output, at, terms_add_term, &summing);
    return summing.sum;
}

// Whether a way can be meant: a loop that is shorter than it should be, a sum over sequences.
static bool is_possible(const TermSumming *summing)
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

static void terms_read(const RelationCase *what, RelationReadings *readings)
{
    static const ptrdiff_t first[TENSOR_RANK_MAX] = {0};
    if (!what->given)
        return;
    const Stage *stage = what->right->steps[what->step].stage;
    TermSumming summing = {.what = what, .args = *what->given};
    summing.args.out[stage->main_output] = *what->known;
    ptrdiff_t counts[TERM_KINDS] = {0};
    stage->origin(&summing.args, stage->main_output, first, terms_count_term, counts);
    summing.kind = counts[TERM_MULTIPLY_ADD] > 0 ? TERM_MULTIPLY_ADD : TERM_ADD;
    summing.terms = counts[summing.kind];
    for (int way = 0; way < TERMS_WAYS && summing.terms > 1; way++) {
        summing.way = way;
        summing.room = room_below(summing.terms);
        if (is_possible(&summing) && relation_fits(what, terms_summed, &summing))
            relation_add(what, readings,
                         (RelationReading){&relation_terms, way < SHORT ? way : SHORT,
                                           way < SHORT ? 0 : way - SHORT,
                                           way == STOPS ? (double)summing.room : 0.0, NULL});
    }
}

static void terms_say(const RelationReading *reading, Language language,
                      char text[RELATION_TEXT_MAX])
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

const Relation relation_terms = {.name = "terms", .read = terms_read, .say = terms_say};

// --- products
//
// A sum of products whose terms are no products, or are not added up. The terms are those that the
// stage tells of itself.

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
    PRODUCTS_WAYS
}; // reading.a

enum { FACTORS_MAX = 256 };

typedef struct ProductSumming {
    StageArgs args;
    int way, terms;
    double sum;
    double squares[2]; // of the first factors, and of the second ones
    float factors[2][FACTORS_MAX];
} ProductSumming;

static double term_of(const ProductSumming *summing, double a, double b)
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

static void products_add_term(void *context, const Term *term)
{
    ProductSumming *summing = context;
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
static double each_by_each(const ProductSumming *summing)
{
    float sum = 0.0f;
    int outer = summing->way == EACH_BY_EACH_TURNED;
    for (int first = 0; first < summing->terms; first++)
        for (int second = 0; second < summing->terms; second++)
            sum += summing->factors[outer][first] * summing->factors[!outer][second];
    return (double)sum;
}

static double products_summed(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    ProductSumming summing = *(const ProductSumming *)context;
    const Stage *stage = what->right->steps[what->step].stage;
    stage->origin(&summing.args, stage->main_output, at, products_add_term, &summing);
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

static void products_count_term(void *context, const Term *term)
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

static void products_read(const RelationCase *what, RelationReadings *readings)
{
    static const ptrdiff_t first[TENSOR_RANK_MAX] = {0};
    int terms = 0;
    if (!what->given)
        return;
    const Stage *stage = what->right->steps[what->step].stage;
    ProductSumming summing = {.args = *what->given};
    summing.args.out[stage->main_output] = *what->known;
    stage->origin(&summing.args, stage->main_output, first, products_count_term, &terms);
    for (summing.way = 0; summing.way < PRODUCTS_WAYS && terms > 1; summing.way++)
        if (can_tell(what, summing.way, terms) && relation_fits(what, products_summed, &summing))
            relation_add(what, readings,
                         (RelationReading){&relation_products, summing.way, 0, 0.0, NULL});
}

static void products_say(const RelationReading *reading, Language language,
                         char text[RELATION_TEXT_MAX])
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

const Relation relation_products = {.name = "products", .read = products_read, .say = products_say};

// --- accumulated
//
// A sum that is never set back: every number has those before it in it, since the last time that an
// outer index changed.

enum { NEVER = RELATION_AXIS_NUMBER + 1 };

// The bias of a step that adds one, for the column of an element; it is no part of the sum.
static double column_bias(const RelationCase *what, ptrdiff_t column)
{
    const Tensor *bias = what->given ? &what->given->in[2] : NULL;
    bool is_bias = bias && bias->storage.bytes && bias->dtype == DTYPE_F32 && bias->rank == 1 &&
                   bias->shape[0] == what->known->shape[what->known->rank - 1];
    return is_bias ? tensor_number(bias, &column) : 0.0;
}

static double largest_of(const Tensor *numbers)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double largest = 0.0;
    do
        largest = fmax(largest, fabs(tensor_number(numbers, at)));
    while (tensor_next(numbers, at));
    return largest;
}

// Each sum is made of the one before as it was given: long ones are rounded.
static bool accumulates(const RelationCase *what, int axis, Tensor *numbers)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, place = 0;
    // A static sum goes on from the last call.
    double sum = axis < 0 ? tensor_number(what->wrong, at) - tensor_number(what->known, at) : 0.0;
    do {
        bool begins = true; // everything behind the axis is 0
        for (int inner = axis + 1; inner < what->known->rank; inner++)
            begins = begins && at[inner] == 0;
        double bias = column_bias(what, at[what->known->rank - 1]);
        sum = (begins && axis >= 0 ? 0.0 : sum) + (tensor_number(what->known, at) - bias);
        numbers->storage.f32[place++] = (float)(sum + bias);
        sum = tensor_number(what->wrong, at) - bias;
    } while (tensor_next(what->known, at));
    return relation_makes(what, numbers);
}

// reading.a: the symbol of the axis at whose change it is set back; NEVER
static void accumulated_read(const RelationCase *what, RelationReadings *readings)
{
    Arena arena = {0};
    Tensor numbers;
    bool is_comparable = largest_of(what->wrong) < 1e4 * largest_of(what->known);
    bool good = is_comparable && relation_room(what, &arena, &numbers);
    for (int axis = -1; good && axis + 1 < what->known->rank; axis++)
        if (accumulates(what, axis, &numbers))
            relation_add(what, readings,
                         (RelationReading){&relation_accumulated,
                                           axis < 0 ? NEVER : (int)relation_axis_named(what, axis),
                                           0, 0.0, NULL});
    arena_finish(&arena);
}

static void accumulated_say(const RelationReading *reading, Language language,
                            char text[RELATION_TEXT_MAX])
{
    if (reading->a == NEVER)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, SUM_NEVER_SET_BACK));
    else
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, SUM_SET_BACK_RARELY),
                     relation_axis_word((Symbol)reading->a, language));
}

const Relation relation_accumulated = {
    .name = "accumulated", .read = accumulated_read, .say = accumulated_say};

// --- axes
//
// The right numbers, laid down as if two axes had changed places.

enum { SYMBOLS = 64 };

static bool is_exchanged(const RelationCase *what, int a, int b)
{
    Arena arena = {0};
    Tensor numbers, turned = tensor_transpose(what->known, a, b);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, place = 0;
    bool good = relation_room(what, &arena, &numbers);
    if (good) {
        do {
            numbers.storage.f32[place++] = (float)tensor_number(&turned, at);
        } while (tensor_next(&turned, at));
        good = relation_makes(what, &numbers);
    }
    arena_finish(&arena);
    return good;
}

static void axes_read(const RelationCase *what, RelationReadings *readings)
{
    for (int a = 0; a < what->known->rank; a++)
        for (int b = a + 1; b < what->known->rank; b++)
            if (is_exchanged(what, a, b))
                relation_add(what, readings,
                             (RelationReading){&relation_axes, SYMBOLS * a + b, 0, 0.0, NULL});
}

static void axes_say(const RelationReading *reading, Language language,
                     char text[RELATION_TEXT_MAX])
{
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, AXES_EXCHANGED), reading->a / SYMBOLS,
                 reading->a % SYMBOLS);
}

const Relation relation_axes = {.name = "axes", .read = axes_read, .say = axes_say};

// --- elsewhere
//
// Right answers in the wrong place along one axis: another head's, row's or sequence's.

enum {
    FIRST,
    LAST,
    NEXT,
    BEFORE,
    REVERSED,
    ELSEWHERE_FORMS
}; // reading.a; reading.b is the axis' symbol

typedef struct Elsewhere {
    int axis, form;
} Elsewhere;

static double moved(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Elsewhere *elsewhere = context;
    ptrdiff_t from[TENSOR_RANK_MAX], length = what->known->shape[elsewhere->axis];
    for (int axis = 0; axis < what->known->rank; axis++)
        from[axis] = at[axis];
    ptrdiff_t *index = &from[elsewhere->axis];
    const ptrdiff_t places[ELSEWHERE_FORMS] = {0, length - 1, (*index + 1) % length,
                                               (*index + length - 1) % length, length - 1 - *index};
    *index = places[elsewhere->form];
    return tensor_number(what->known, from);
}

// Of two, the next one is the one before: which it is, another case must tell.
static void elsewhere_read(const RelationCase *what, RelationReadings *readings)
{
    for (int axis = 0; axis < what->known->rank; axis++)
        for (int form = 0; form < ELSEWHERE_FORMS; form++)
            if (what->known->shape[axis] > 1 &&
                relation_fits(what, moved, &(Elsewhere){axis, form}))
                relation_add_if(what, readings,
                                (RelationReading){&relation_elsewhere, form,
                                                  (int)relation_axis_named(what, axis), 0.0, NULL},
                                form >= NEXT && what->known->shape[axis] == 2);
}

static void elsewhere_say(const RelationReading *reading, Language language,
                          char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [FIRST] = ROW(ELSEWHERE_FIRST),       [LAST] = ROW(ELSEWHERE_LAST),
        [NEXT] = ROW(ELSEWHERE_NEXT),         [BEFORE] = ROW(ELSEWHERE_BEFORE),
        [REVERSED] = ROW(ELSEWHERE_REVERSED),
    };
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 relation_axis_word((Symbol)reading->b, language));
}

const Relation relation_elsewhere = {
    .name = "elsewhere", .read = elsewhere_read, .say = elsewhere_say};

// --- change
//
// Of a step that adds something to one of its inputs (positions, a step of Adam): it goes the other
// way, is too large, or stands alone.

enum { BACKWARDS, CHANGE_TIMES, ALONE, ALONE_MINUS }; // reading.a; reading.b is the input

typedef struct Changed {
    const Tensor *input;
    double kept, times; // wrong = kept * input + times * (right - input)
} Changed;

static double changed(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Changed *changed = context;
    double input = tensor_number(changed->input, at);
    return changed->kept * input + changed->times * (tensor_number(what->known, at) - input);
}

// How much larger our change is, where the right one is largest.
static double times_of(const RelationCase *what, const Tensor *input)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double largest = 0.0, times = NAN;
    do {
        double before = tensor_number(input, at), change = tensor_number(what->known, at) - before;
        if (isfinite(change) && fabs(change) > largest) {
            largest = fabs(change);
            times = (tensor_number(what->wrong, at) - before) / change;
        }
    } while (tensor_next(what->known, at));
    return times;
}

static void read_input(const RelationCase *what, RelationReadings *readings, int slot)
{
    const Tensor *input = &what->given->in[slot];
    double times = times_of(what, input);
    if (isfinite(times) && relation_fits(what, changed, &(Changed){input, 1.0, times})) {
        bool backwards = fabs(times + 1.0) < 1e-4;
        relation_add(what, readings,
                     (RelationReading){&relation_change, backwards ? BACKWARDS : CHANGE_TIMES, slot,
                                       backwards ? 0.0 : times, NULL});
    }
    for (int form = ALONE; form <= ALONE_MINUS; form++)
        if (relation_fits(what, changed, &(Changed){input, 0.0, form == ALONE ? 1.0 : -1.0}))
            relation_add(what, readings,
                         (RelationReading){&relation_change, form, slot, 0.0, NULL});
}

static void change_read(const RelationCase *what, RelationReadings *readings)
{
    for (int slot = 0; what->given && slot < STAGE_READS_MAX; slot++) {
        const Tensor *input = &what->given->in[slot];
        if (input->storage.bytes && input->dtype == DTYPE_F32 &&
            tensor_same_shape(input, what->known))
            read_input(what, readings, slot);
    }
}

static void change_say(const RelationReading *reading, Language language,
                       char text[RELATION_TEXT_MAX])
{
    char number[32];
    static const Words sentences[] = {
        [BACKWARDS] = ROW(CHANGE_BACKWARDS),
        [CHANGE_TIMES] = ROW(CHANGE_TIMES),
        [ALONE] = ROW(CHANGE_ALONE),
        [ALONE_MINUS] = ROW(CHANGE_ALONE_MINUS),
    };
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 reading->call->reads[reading->b].role, relation_number(reading->number, number));
}

const Relation relation_change = {.name = "change", .read = change_read, .say = change_say};

// --- residual
//
// The first input is added to the right numbers, in as many columns as it has.

// The first input, of as many rows as the result; of a whole run it is x. NULL.
static const Tensor *input_of(const RelationCase *what)
{
    int x = trace_find(what->right, "x");
    const Tensor *input = what->given ? &what->given->in[0]
                          : x >= 0    ? &what->right->tensors[x].tensor
                                      : NULL;
    bool is_like = input && input->storage.bytes && input->dtype == DTYPE_F32 &&
                   input->rank == what->known->rank && input->rank > 1;
    for (int axis = 0; is_like && axis < input->rank - 1; axis++)
        is_like = input->shape[axis] == what->known->shape[axis];
    return is_like ? input : NULL;
}

static double added(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Tensor *input = context;
    int last = input->rank - 1;
    double known = tensor_number(what->known, at);
    return at[last] < input->shape[last] ? known + tensor_number(input, at) : known;
}

static void residual_read(const RelationCase *what, RelationReadings *readings)
{
    const Tensor *input = input_of(what);
    if (input && relation_fits(what, added, input))
        relation_add(what, readings, (RelationReading){&relation_residual, 0, 0, 0.0, NULL});
}

static void residual_say(const RelationReading *reading, Language language,
                         char text[RELATION_TEXT_MAX])
{
    const char *name = reading->call ? reading->call->reads[0].role : "x";
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, RESIDUAL), name);
}

const Relation relation_residual = {.name = "residual", .read = residual_read, .say = residual_say};

// --- bias
//
// Of a layer: its sums, or its bias, are right but for a factor; what is added to them is right.

enum { SUM, BIAS, BIAS_WAYS }; // what the factor is of
enum {
    CONSTANT,
    BIAS_TIMES,
    OVER,
    BIAS_FORMS
}; // reading.a: FORMS * way + form; reading.b is the formula

typedef struct Layer {
    const Tensor *bias; // NULL: there is none
    int way;
    double factor;
} Layer;

// The one vector among the inputs of a layer.
static const Tensor *bias_of(const RelationCase *what)
{
    for (int slot = 0; slot < STAGE_READS_MAX; slot++) {
        const Tensor *input = &what->given->in[slot];
        if (input->storage.bytes && input->rank == 1 && input->dtype == DTYPE_F32)
            return input;
    }
    return NULL;
}

static double bias_added(const RelationCase *what, const Layer *layer, const ptrdiff_t at[])
{
    return layer->bias ? tensor_number(layer->bias, &at[what->known->rank - 1]) : 0.0;
}

static double layered(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Layer *layer = context;
    double bias = bias_added(what, layer, at), sum = tensor_number(what->known, at) - bias;
    return layer->way == SUM ? layer->factor * sum + bias : sum + layer->factor * bias;
}

// The factor of the largest number that has one: others have fewer digits that count.
static double factor_of(const RelationCase *what, const Layer *layer)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double largest = 0.0, factor = NAN;
    do {
        double bias = bias_added(what, layer, at), known = tensor_number(what->known, at);
        double own = layer->way == SUM ? known - bias : bias;
        if (isfinite(own) && fabs(own) > largest) {
            largest = fabs(own);
            factor = 1.0 + (tensor_number(what->wrong, at) - known) / own;
        }
    } while (tensor_next(what->known, at));
    return factor;
}

// Formulas of Din, the length of the sums, are what people write: they come before a constant, unless Din
// is small. Other sizes agree by chance and come after it.
static void read_formulas(const RelationCase *what, RelationReadings *readings, const Layer *layer,
                          bool of_sums)
{
    const Scenario *scenario = what->right->scenario;
    for (int i = 0; relation_formula(i); i++) {
        double value = relation_formula_value(i, scenario);
        bool is_of_sums =
            relation_formula_symbol(i) == SYMBOL_DIN && scenario->size[SYMBOL_DIN] > 4;
        RelationReading times = {&relation_bias, BIAS_FORMS * layer->way + BIAS_TIMES, i, 0.0,
                                 NULL};
        RelationReading over = {&relation_bias, BIAS_FORMS * layer->way + OVER, i, 0.0, NULL};
        if (is_of_sums != of_sums || !(value > 0.0))
            continue;
        if (fabs(layer->factor - value) <= 1e-4 * value)
            relation_add(what, readings, times);
        if (fabs(layer->factor * value - 1.0) <= 1e-4)
            relation_add(what, readings, over);
    }
}

static void read_way(const RelationCase *what, RelationReadings *readings, Layer *layer)
{
    layer->factor = factor_of(what, layer);
    if (!isfinite(layer->factor) || !relation_fits(what, layered, layer))
        return;
    RelationReading constant = {&relation_bias, BIAS_FORMS * layer->way, 0, layer->factor, NULL};
    read_formulas(what, readings, layer, true);
    relation_add(what, readings, constant);
    read_formulas(what, readings, layer, false);
}

// A layer without a bias says as much of its sums as one that has one.
static void bias_read(const RelationCase *what, RelationReadings *readings)
{
    Layer layer = {.way = SUM};
    if (!relation_is_stage(what, "project") && !relation_is_stage(what, "output_projection"))
        return;
    layer.bias = bias_of(what);
    for (; layer.way < BIAS_WAYS; layer.way++)
        read_way(what, readings, &layer);
}

static void bias_say(const RelationReading *reading, Language language,
                     char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {[SUM] = ROW(BIAS_SUM_TIMES), [BIAS] = ROW(BIAS_TIMES)};
    char number[32];
    int form = reading->a % BIAS_FORMS;
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a / BIAS_FORMS].in[language],
                 form == OVER ? "1 / " : "",
                 form == CONSTANT ? relation_number(reading->number, number)
                                  : relation_formula(reading->b));
}

const Relation relation_bias = {.name = "bias", .read = bias_read, .say = bias_say};
