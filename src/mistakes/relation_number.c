// Relations that compare wrong numbers with right ones by place, row and term, and pairs of mistakes.
#include <math.h>
#include <string.h>
#include "relation_tools.h"
#include "tensor.h"

// --- pair
//
// Two mistakes of the bank at once in a whole run.

enum { STAGES_MAX = 16 };

static bool shares_a_stage(const Mistake *a, const Mistake *b)
{
    for (const Stage *const *one = a->stages; *one; one++)
        for (const Stage *const *other = b->stages; *other; other++)
            if (strcmp((*one)->name, (*other)->name) == 0)
                return true;
    return false;
}

// `b` may be NULL.
static bool makes(const RelationCase *what, const Mistake *a, const Mistake *b)
{
    const Stage *stages[STAGES_MAX + 1] = {NULL};
    int count = 0;
    for (const Stage *const *one = a->stages; *one && count < STAGES_MAX; one++)
        stages[count++] = *one;
    for (const Stage *const *one = b ? b->stages : &stages[STAGES_MAX]; *one && count < STAGES_MAX;
         one++)
        stages[count++] = *one;
    RelationRun run = relation_run_of(what);
    run.stages = stages;
    bool made = relation_run_makes(&run, 0, -1, NULL, NULL);
    relation_run_close(&run);
    return made;
}

// If one mistake of a pair cannot show here, the pair has the numbers of the other.
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
            const RelationReading reading = {.relation = &relation_pair, .a = i, .b = j};
            if (!relation_counts(what, &reading))
                continue;
            bool made = shows[i] && shows[j] ? !shares_a_stage(a, b) && makes(what, a, b)
                                             : alone[i] || alone[j];
            if (made)
                relation_add(what, readings, &relation_pair, i, j);
        }
}

static void pair_say(const RelationReading *reading, Language language,
                     char text[RELATION_TEXT_MAX])
{
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, PAIR),
                 mistake_get(reading->a)->words[language].title,
                 mistake_get(reading->b)->words[language].title);
}

const Relation relation_pair = {.read = pair_read, .say = pair_say};

// --- beside
//
// Two mistakes in a whole run, one of which the bank does not have. Tried only if nothing else is known.

static bool is_of_bank(const RelationCase *what)
{
    const Mistake *mistake;
    for (int i = 0; (mistake = mistake_get(i)); i++)
        if (makes(what, mistake, NULL))
            return true;
    return false;
}

static void beside_read(const RelationCase *what, RelationReadings *readings)
{
    static const Relation *const others[] = {&relation_runs, &relation_inner};
    const Mistake *mistake;
    if (what->step >= 0 || (!what->kept && (readings->count > 0 || is_of_bank(what))))
        return;
    for (int i = 0; (mistake = mistake_get(i)); i++) {
        RelationCase both = *what;
        both.beside = mistake;
        RelationRun run = relation_run_of(&both);
        both.run = &run;
        bool may = what->kept || !mistake_cannot_show_beside(mistake, what->right);
        for (int other = 0; may && other < (int)(sizeof others / sizeof *others); other++)
            if (relation_is_kept(&both, others[other], -1))
                others[other]->read(&both, readings);
        relation_run_close(&run);
    }
}

const Relation relation_beside = {.read = beside_read};

// --- places
//
// Only one end of an axis is wrong, or only one end is right.

enum {
    BUT_FIRST,
    BUT_LAST,
    ONLY_FIRST,
    ONLY_LAST,
    PLACES_FORMS,
    UP_TO_OWN = PLACES_FORMS,
    FROM_OWN
}; // reading.a; reading.b: the symbol

// The share of wrong numbers at an index.
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

// True if all tokens of padded sequences are right. Then rows without padding are right anyway, which tells
// nothing about rows.
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

// True if something is wrong at every index that the form names, and nothing elsewhere. If only an end is right, a
// share of the rest must be wrong, not a number here and there.
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

// True if everything is right on one side of the diagonal of the last two axes, and nothing on the
// other.
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
    int last = what->known->rank - 1;
    for (int form = UP_TO_OWN; form <= FROM_OWN; form++)
        if (is_triangle(what, form == UP_TO_OWN))
            relation_add(what, readings, &relation_places, form,
                         (int)relation_axis_named(what, last));
    for (int axis = is_padding_alone(what) ? 1 : 0; axis <= last; axis++)
        for (int form = 0; form < PLACES_FORMS && what->known->shape[axis] > 1; form++)
            if (is_form(what, axis, form))
                relation_add(what, readings, &relation_places, form,
                             (int)relation_axis_named(what, axis));
}

static const Words places_words[] = {
    [BUT_FIRST] = WORDS_ROW(PLACES_BUT_FIRST),   [BUT_LAST] = WORDS_ROW(PLACES_BUT_LAST),
    [ONLY_FIRST] = WORDS_ROW(PLACES_ONLY_FIRST), [ONLY_LAST] = WORDS_ROW(PLACES_ONLY_LAST),
    [UP_TO_OWN] = WORDS_ROW(PLACES_UP_TO_OWN),   [FROM_OWN] = WORDS_ROW(PLACES_FROM_OWN),
};

// An end that is wrong may come right with other numbers.
static bool is_always(const RelationReading *reading)
{
    return reading->a > BUT_LAST;
}

const Relation relation_places = {
    .read = places_read, .sentences = places_words, .is_always = is_always};

// --- row factor
//
// Each row is right up to a factor of its own, or is 0.

typedef struct RowFit {
    double factor; // NAN: the row is lost
    bool is_zero;  // the right row is all 0
} RowFit;

// A row that was divided by 0 has no finite number left. Such a row has no factor.
static RowFit fit_row(const RelationCase *what, const ptrdiff_t at[])
{
    ptrdiff_t place[TENSOR_RANK_MAX];
    int last = what->known->rank - 1, finite = 0;
    double sum = 0.0, weight = 0.0, largest = 0.0;
    memcpy(place, at, sizeof place);
    for (place[last] = 0; place[last] < what->known->shape[last]; place[last]++) {
        double known = tensor_number(what->known, place), wrong = tensor_number(what->wrong, place);
        finite += isfinite(wrong);
        largest = fmax(largest, fabs(known));
        if (!isfinite(known))
            continue;
        sum += known * wrong;
        weight += known * known;
    }
    return (RowFit){finite == 0 ? NAN : weight > 0.0 ? sum / weight : 0.0, largest == 0.0};
}

// No factor of a number gives NaN or infinity.
static double by_row(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    (void)context;
    double known = tensor_number(what->known, at), factor = fit_row(what, at).factor;
    if (isnan(factor))
        return tensor_number(what->wrong, at);
    return !isfinite(known) ? known : isfinite(factor) ? factor * known : known + 1.0;
}

typedef struct RowFits {
    double least, most;
    bool is_any_0, is_any_other; // not 0 or 1
} RowFits;

static RowFits fit_rows(const RelationCase *what)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    RowFits fits = {.least = INFINITY, .most = -INFINITY};
    Tensor rows = tensor_narrow(what->known, what->known->rank - 1, 0, 1);
    do {
        RowFit row = fit_row(what, at);
        bool is_0 = fabs(row.factor) <= 1e-4;
        fits.least = fmin(fits.least, row.factor);
        fits.most = fmax(fits.most, row.factor);
        fits.is_any_0 = fits.is_any_0 || (is_0 && !row.is_zero);
        fits.is_any_other = fits.is_any_other || (!is_0 && fabs(row.factor - 1.0) > 1e-4);
    } while (tensor_next(&rows, at));
    return fits;
}

// reading.a: whether rows are left out. No division makes some factors 0 and others not 1. With factors 0 and 1 alone,
// other numbers may have other factors: both are read. One factor for all rows is another relation.
static void row_factor_read(const RelationCase *what, RelationReadings *readings)
{
    int last = what->known->rank - 1;
    if (last < 0 || what->known->shape[last] <= 2)
        return;
    RowFits fits = fit_rows(what);
    bool differ = fits.most - fits.least > 1e-4 * fmax(fabs(fits.least), fabs(fits.most));
    if (!differ || !relation_fits(what, by_row, NULL))
        return;
    if (!fits.is_any_other)
        relation_add(what, readings, &relation_row_factor, 1, 0);
    if (!fits.is_any_other || !fits.is_any_0)
        relation_add(what, readings, &relation_row_factor, 0, 0);
}

static const Words row_factor_words[] = {WORDS_ROW(ROW_FACTOR), WORDS_ROW(ROW_LEFT_OUT)};

const Relation relation_row_factor = {.read = row_factor_read, .sentences = row_factor_words};

// --- cut
//
// A sum is cut to a whole number with each term, and perhaps the first factor of each product is. The stage itself tells
// its terms.

typedef struct Cutting {
    StageArgs args;
    TermKind kind; // products, or numbers if there are none
    bool cuts_first;
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

// A bias behind products is added to the whole number; it is cut only if all is in integers.
static void cut_term(void *context, const Term *term)
{
    Cutting *cutting = context;
    bool is_bias = term->kind == TERM_ADD && cutting->kind != TERM_ADD;
    if (term->kind != cutting->kind && !is_bias)
        return;
    bool is_product = cutting->cuts_first && !is_bias && term->source_count == 2;
    cutting->sum += is_product ? trunc(factor(cutting, term, 0)) * factor(cutting, term, 1)
                               : (double)term->value;
    if (cutting->cuts_first || !is_bias)
        cutting->sum = trunc(cutting->sum);
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
    bool has_products = cutting.kind == TERM_MULTIPLY_ADD;
    for (int way = 0; way <= has_products && counts[cutting.kind] > 1; way++) {
        cutting.cuts_first = way == 1;
        if (relation_fits(what, cut_sum, &cutting))
            relation_add(what, readings, &relation_cut, way, 0);
    }
}

static const Words cut_words[] = {WORDS_ROW(TERMS_WHOLE), WORDS_ROW(PRODUCTS_FIRST_CUT_IN_WHOLE)};

const Relation relation_cut = {.read = cut_read, .sentences = cut_words};

// --- accumulated
//
// A sum is never set back to 0, or only when an outer index changes: each number includes those
// before it.

// The bias of a column, which is not part of the sum; 0 if the step has none.
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

// Continues from each wrong number as it was given, since long sums are rounded.
static bool accumulates(const RelationCase *what, int axis, Tensor *numbers)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, place = 0;
    // A static sum continues from the last
    // call.
    double sum = axis < 0 ? tensor_number(what->wrong, at) - tensor_number(what->known, at) : 0.0;
    do {
        bool begins = true; // all indices after the axis are 0
        for (int inner = axis + 1; inner < what->known->rank; inner++)
            begins = begins && at[inner] == 0;
        double bias = column_bias(what, at[what->known->rank - 1]);
        sum = (begins && axis >= 0 ? 0.0 : sum) + (tensor_number(what->known, at) - bias);
        numbers->storage.f32[place++] = (float)(sum + bias);
        sum = tensor_number(what->wrong, at) - bias;
    } while (tensor_next(what->known, at));
    return relation_makes(what, numbers);
}

// reading.a: whether it is ever set back, when the axis changes
static void accumulated_read(const RelationCase *what, RelationReadings *readings)
{
    Arena arena = {0};
    Tensor numbers;
    bool is_comparable = largest_of(what->wrong) < 1e4 * largest_of(what->known);
    bool good = is_comparable && relation_room(what, &arena, &numbers);
    for (int axis = -1; good && axis + 1 < what->known->rank; axis++)
        if (accumulates(what, axis, &numbers))
            relation_add(what, readings, &relation_accumulated, axis >= 0,
                         axis < 0 ? 0 : (int)relation_axis_named(what, axis));
    arena_finish(&arena);
}

static const Words accumulated_words[] = {WORDS_ROW(SUM_NEVER_SET_BACK),
                                          WORDS_ROW(SUM_SET_BACK_RARELY)};

const Relation relation_accumulated = {.read = accumulated_read, .sentences = accumulated_words};
