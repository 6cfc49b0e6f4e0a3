// Relations between two numbers in one place, whatever the stage, and of sums of products: terms, their order, what is
// added behind them.
#include <math.h>
#include <string.h>
#include "relation_tools.h"
#include "tensor.h"

// --- pair
//
// Two mistakes of the bank at once, in a whole run.

enum { STAGES_MAX = 16 };

static bool shares_a_stage(const Mistake *a, const Mistake *b)
{
    for (const Stage *const *one = a->stages; *one; one++)
        for (const Stage *const *other = b->stages; *other; other++)
            if (strcmp((*one)->name, (*other)->name) == 0)
                return true;
    return false;
}

// `b` may be NULL: one mistake alone.
static bool makes(const RelationCase *what, const Mistake *a, const Mistake *b)
{
    Trace run;
    const Stage *stages[STAGES_MAX + 1] = {NULL};
    int count = 0;
    for (const Stage *const *one = a->stages; *one && count < STAGES_MAX; one++)
        stages[count++] = *one;
    for (const Stage *const *one = b ? b->stages : &stages[STAGES_MAX]; *one && count < STAGES_MAX;
         one++)
        stages[count++] = *one;
    const TraceVariant variant = {.stages = stages};
    return relation_run_makes(what, what->right->scenario, &variant, &run);
}

// A pair with a mistake that cannot show here has the numbers of the other mistake alone.
static void pair_read(const RelationCase *what, RelationReadings *readings)
{
    enum { MISTAKES_MAX = 128 };
    bool shows[MISTAKES_MAX], alone[MISTAKES_MAX];
    const Mistake *mistake;
    int count = 0;
    if (what->step >= 0)
        return;
    for (; count < MISTAKES_MAX && (mistake = mistake_get(count)); count++) {
        shows[count] = !mistake_cannot_show_beside(mistake, what->right);
        alone[count] = shows[count] && makes(what, mistake, NULL);
    }
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            const Mistake *a = mistake_get(i), *b = mistake_get(j);
            const RelationReading reading = {&relation_pair, i, j, 0.0, NULL};
            if (!relation_counts(what, &reading))
                continue;
            bool made = shows[i] && shows[j] ? !shares_a_stage(a, b) && makes(what, a, b)
                                             : alone[i] || alone[j];
            if (made)
                relation_add(what, readings, reading);
        }
}

static void pair_say(const RelationReading *reading, Language language,
                     char text[RELATION_TEXT_MAX])
{
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, PAIR),
                 mistake_get(reading->a)->words[language].title,
                 mistake_get(reading->b)->words[language].title);
}

const Relation relation_pair = {.name = "pair", .read = pair_read, .say = pair_say};

// --- places
//
// All is right but at the end of one axis, or nothing is but there.

enum {
    BUT_FIRST,
    BUT_LAST,
    ONLY_FIRST,
    ONLY_LAST,
    PLACES_FORMS,
    UP_TO_OWN = PLACES_FORMS,
    FROM_OWN
}; // reading.a; reading.b: the symbol

// Which share of the numbers at an index is wrong.
static double wrong_at(const RelationCase *what, int axis, ptrdiff_t index)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, wrong = 0;
    Tensor slice = tensor_narrow(what->known, axis, index, 1);
    do {
        at[axis] = index;
        wrong += !tensor_difference_agrees(what->wrong, what->known, at);
        at[axis] = 0;
    } while (tensor_next(&slice, at));
    return (double)wrong / (double)tensor_count(&slice);
}

// Of sequences in a rectangle: whether all their tokens are right. Then a row without padding is right whatever
// stands behind the others, which says nothing of rows.
static bool is_padding_alone(const RelationCase *what)
{
    if (!relation_is_stage(what, "pad") || !what->given)
        return false;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do {
        bool is_token = (double)at[1] < tensor_number(&what->given->in[1], &at[0]);
        if (is_token && !tensor_difference_agrees(what->wrong, what->known, at))
            return false;
    } while (tensor_next(what->known, at));
    return true;
}

// Whether something is wrong at every index of the axis that the form means, and nothing elsewhere. Where only an end
// is right the rest has to be wrong: a wrong number here and there does not make it so.
static bool is_form(const RelationCase *what, int axis, int form)
{
    ptrdiff_t length = what->known->shape[axis];
    double least = form <= BUT_LAST ? 0.0 : 0.05;
    for (ptrdiff_t index = 0; index < length; index++) {
        bool is_end = index == (form == BUT_FIRST || form == ONLY_FIRST ? 0 : length - 1);
        double wrong = wrong_at(what, axis, index);
        if (is_end == (form <= BUT_LAST) ? wrong == 0.0 || wrong < least : wrong > 0.0)
            return false;
    }
    return true;
}

// Whether all is right on one side of the diagonal of the last two axes, and nothing on the other.
static bool is_triangle(const RelationCase *what, bool is_below)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    int last = what->known->rank - 1;
    bool any = false;
    if (last < 1 || what->known->shape[last] < 3 || what->known->shape[last - 1] < 3)
        return false;
    do {
        bool is_right = tensor_difference_agrees(what->wrong, what->known, at);
        if (is_right != (is_below ? at[last] <= at[last - 1] : at[last] >= at[last - 1]))
            return false;
        any = any || !is_right;
    } while (tensor_next(what->known, at));
    return any;
}

static void places_read(const RelationCase *what, RelationReadings *readings)
{
    for (int below = 0; below < 2; below++)
        if (is_triangle(what, below))
            relation_add(what, readings,
                         (RelationReading){&relation_places, below ? UP_TO_OWN : FROM_OWN,
                                           (int)relation_axis_named(what, what->known->rank - 1),
                                           0.0, NULL});
    for (int axis = is_padding_alone(what) ? 1 : 0; axis < what->known->rank; axis++)
        for (int form = 0; form < PLACES_FORMS && what->known->shape[axis] > 1; form++)
            if (is_form(what, axis, form))
                relation_add(what, readings,
                             (RelationReading){&relation_places, form,
                                               (int)relation_axis_named(what, axis), 0.0, NULL});
}

static void places_say(const RelationReading *reading, Language language,
                       char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [BUT_FIRST] = ROW(PLACES_BUT_FIRST),   [BUT_LAST] = ROW(PLACES_BUT_LAST),
        [ONLY_FIRST] = ROW(PLACES_ONLY_FIRST), [ONLY_LAST] = ROW(PLACES_ONLY_LAST),
        [UP_TO_OWN] = ROW(PLACES_UP_TO_OWN),   [FROM_OWN] = ROW(PLACES_FROM_OWN),
    };
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 relation_axis_word((Symbol)reading->b, language));
}

// What is right but at one end may be right there too, with some numbers.
static bool is_always(const RelationReading *reading)
{
    return reading->a > BUT_LAST;
}

const Relation relation_places = {
    .name = "places", .read = places_read, .say = places_say, .is_always = is_always};

// --- row factor and row offset
//
// Each row is right but for a factor of its own, or is right or 0; or but for a number of its own that was added.

static double row_number(const RelationCase *what, const ptrdiff_t at[], bool is_offset)
{
    ptrdiff_t place[TENSOR_RANK_MAX];
    int last = what->known->rank - 1;
    double sum = 0.0, weight = 0.0;
    for (int axis = 0; axis <= last; axis++)
        place[axis] = at[axis];
    for (place[last] = 0; place[last] < what->known->shape[last]; place[last]++) {
        double known = tensor_number(what->known, place), wrong = tensor_number(what->wrong, place);
        if (!isfinite(known))
            continue;
        sum += is_offset ? wrong - known : known * wrong;
        weight += is_offset ? 1.0 : known * known;
    }
    return weight > 0.0 ? sum / weight : 0.0;
}

// Whether a row was divided by 0, or by what is no number: nothing finite is left of it.
static bool is_lost(const RelationCase *what, const ptrdiff_t at[])
{
    ptrdiff_t place[TENSOR_RANK_MAX];
    int last = what->wrong->rank - 1;
    for (int axis = 0; axis <= last; axis++)
        place[axis] = at[axis];
    for (place[last] = 0; place[last] < what->wrong->shape[last]; place[last]++)
        if (isfinite(tensor_number(what->wrong, place)))
            return false;
    return true;
}

// No factor of a number gives NaN or infinity, nor does what is added to one.
static double by_row(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    bool is_offset = *(const bool *)context;
    double known = tensor_number(what->known, at), number = row_number(what, at, is_offset);
    if (!is_offset && is_lost(what, at))
        return tensor_number(what->wrong, at);
    if (!isfinite(known))
        return known;
    return !isfinite(number) ? known + 1.0 : is_offset ? known + number : number * known;
}

// Whether the rows that are there have different numbers: one for all is another relation.
static bool row_numbers_differ(const RelationCase *what, bool is_offset)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double least = INFINITY, most = -INFINITY;
    Tensor rows = tensor_narrow(what->known, what->known->rank - 1, 0, 1);
    do {
        double number = !is_offset && is_lost(what, at) ? NAN : row_number(what, at, is_offset);
        least = fmin(least, number);
        most = fmax(most, number);
    } while (tensor_next(&rows, at));
    return most - least > 1e-4 * fmax(fabs(least), fabs(most));
}

static bool is_by_row(const RelationCase *what, bool is_offset)
{
    int last = what->known->rank - 1;
    return last >= 0 && what->known->shape[last] > 2 && row_numbers_differ(what, is_offset) &&
           relation_fits(what, by_row, &is_offset);
}

// Whether all factors are 0 or 1, or some are 0 and others are not 1: no division gives that. With other numbers
// another factor may be as good as 0.
enum { NONE_LEFT_OUT, SOME_LEFT_OUT, LEFT_OUT_AND_CHANGED }; // reading.a, but for the last

static bool is_zero_row(const Tensor *numbers, const ptrdiff_t at[])
{
    ptrdiff_t place[TENSOR_RANK_MAX];
    int last = numbers->rank - 1;
    memcpy(place, at, sizeof place);
    for (place[last] = 0; place[last] < numbers->shape[last]; place[last]++)
        if (tensor_number(numbers, place) != 0.0)
            return false;
    return true;
}

static int rows_left_out(const RelationCase *what)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    bool is_any = false, is_changed = false;
    Tensor rows = tensor_narrow(what->known, what->known->rank - 1, 0, 1);
    do {
        double factor = row_number(what, at, false);
        is_any = is_any || (fabs(factor) <= 1e-4 && !is_zero_row(what->known, at));
        is_changed = is_changed || (fabs(factor) > 1e-4 && fabs(factor - 1.0) > 1e-4);
    } while (tensor_next(&rows, at));
    return !is_changed ? SOME_LEFT_OUT : is_any ? LEFT_OUT_AND_CHANGED : NONE_LEFT_OUT;
}

static void row_factor_read(const RelationCase *what, RelationReadings *readings)
{
    int left_out = is_by_row(what, false) ? rows_left_out(what) : LEFT_OUT_AND_CHANGED;
    for (; left_out != LEFT_OUT_AND_CHANGED && left_out >= 0; left_out--)
        relation_add(what, readings,
                     (RelationReading){&relation_row_factor, left_out, 0, 0.0, NULL});
}

static void row_offset_read(const RelationCase *what, RelationReadings *readings)
{
    if (is_by_row(what, true))
        relation_add(what, readings, (RelationReading){&relation_row_offset, 0, 0, 0.0, NULL});
}

static void by_row_say(const RelationReading *reading, Language language,
                       char text[RELATION_TEXT_MAX])
{
    bool is_offset = reading->relation == &relation_row_offset;
    words_format(text, RELATION_TEXT_MAX, "%s",
                 is_offset    ? TELL_IN(language, ROW_OFFSET)
                 : reading->a ? TELL_IN(language, ROW_LEFT_OUT)
                              : TELL_IN(language, ROW_FACTOR));
}

const Relation relation_row_factor = {
    .name = "row-factor", .read = row_factor_read, .say = by_row_say};
const Relation relation_row_offset = {
    .name = "row-offset", .read = row_offset_read, .say = by_row_say};

// --- softmax lost
//
// Of the softmax: whole rows are NaN or 0, and all others right. What was subtracted from them was no
// score to be near 0 with: powers overflowed, or all of them became 0, or -inf took part.

enum { WITH_MASKED, WITH_LARGE, SOFTMAX_LOST_WAYS }; // reading.a: the rows that are lost

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

static void softmax_lost_read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "softmax") || !relation_fits(what, or_lost, NULL))
        return;
    for (int way = 0; way < SOFTMAX_LOST_WAYS; way++)
        if (holds(what, way))
            relation_add(what, readings,
                         (RelationReading){&relation_softmax_lost, way, 0, 0.0, NULL});
}

static void softmax_lost_say(const RelationReading *reading, Language language,
                             char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [WITH_MASKED] = ROW(SOFTMAX_LOST_WITH_MASKED), [WITH_LARGE] = ROW(SOFTMAX_LOST_WITH_LARGE)};
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_softmax_lost = {
    .name = "softmax-lost", .read = softmax_lost_read, .say = softmax_lost_say};

// --- cut
//
// A sum of products that goes from term to term otherwise: cut to a whole number each time, or multiplied.
// The terms are those that the stage tells of itself.

enum { WHOLE_SUM, FIRST_CUT_IN_WHOLE, MULTIPLIED, CUT_WAYS }; // reading.a

typedef struct Cutting {
    StageArgs args;
    int way, terms;
    TermKind kind; // of the terms: products, or where there are none, numbers
    double sum;
} Cutting;

static void count_term(void *context, const Term *term)
{
    int *counts = context;
    counts[term->kind]++;
}

static double factor(const Cutting *cutting, const Term *term, int number)
{
    const Source *source = &term->sources[number];
    return tensor_number(&cutting->args.in[source->slot], source->at);
}

static void cut_term(void *context, const Term *term)
{
    Cutting *cutting = context;
    bool is_bias = term->kind == TERM_ADD && cutting->kind != TERM_ADD;
    if (term->kind != cutting->kind && !is_bias)
        return;
    bool is_product = term->kind == TERM_MULTIPLY_ADD && term->source_count == 2;
    double value = (double)term->value;
    if (is_product && cutting->way == FIRST_CUT_IN_WHOLE)
        value = trunc(factor(cutting, term, 0)) * factor(cutting, term, 1);
    if (cutting->way == MULTIPLIED && !is_bias && cutting->terms > 0)
        cutting->sum *= value;
    else
        cutting->sum += value;
    if (cutting->way == FIRST_CUT_IN_WHOLE || (cutting->way == WHOLE_SUM && !is_bias))
        cutting->sum = trunc(cutting->sum);
    cutting->terms++;
}

static double cut_sum(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    Cutting cutting = *(const Cutting *)context;
    const Stage *stage = what->right->steps[what->step].stage;
    stage_origin(stage, &cutting.args, stage->main_output, at, cut_term, &cutting);
    return cutting.sum;
}

static void cut_read(const RelationCase *what, RelationReadings *readings)
{
    static const ptrdiff_t first[TENSOR_RANK_MAX] = {0};
    int counts[TERM_KINDS] = {0};
    if (!what->given)
        return;
    const Stage *stage = what->right->steps[what->step].stage;
    Cutting cutting = {.args = *what->given};
    cutting.args.out[stage->main_output] = *what->known;
    stage_origin(stage, &cutting.args, stage->main_output, first, count_term, counts);
    cutting.kind = counts[TERM_MULTIPLY_ADD] > 0 ? TERM_MULTIPLY_ADD : TERM_ADD;
    for (int way = 0; way < CUT_WAYS && counts[cutting.kind] > 1; way++) {
        cutting.way = way;
        if ((way == WHOLE_SUM || cutting.kind == TERM_MULTIPLY_ADD) &&
            relation_fits(what, cut_sum, &cutting))
            relation_add(what, readings, (RelationReading){&relation_cut, way, 0, 0.0, NULL});
    }
}

static void cut_say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [WHOLE_SUM] = ROW(TERMS_WHOLE),
        [FIRST_CUT_IN_WHOLE] = ROW(PRODUCTS_FIRST_CUT_IN_WHOLE),
        [MULTIPLIED] = ROW(PRODUCTS_MULTIPLIED),
    };
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_cut = {.name = "cut", .read = cut_read, .say = cut_say};

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
