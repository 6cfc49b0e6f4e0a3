// Relations of sums of products: terms, their order, what is added behind them.
#include <math.h>
#include <string.h>
#include "relation_tools.h"

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

// --- other input
//
// The step is right, of other inputs: one stands in the place of another.

static bool is_number(const Tensor *tensor)
{
    return tensor->storage.bytes && tensor->dtype == DTYPE_F32;
}

// The first part of `from` that has the shape of `like`; false where `from` is smaller.
static bool cut_to(const Tensor *from, const Tensor *like, Tensor *out)
{
    Tensor cut = *from;
    bool fits = from->rank == like->rank;
    for (int axis = 0; axis < from->rank && fits; axis++) {
        fits = from->shape[axis] >= like->shape[axis];
        if (fits)
            cut = tensor_narrow(&cut, axis, 0, like->shape[axis]);
    }
    *out = cut;
    return fits;
}

static void read_exchanged(const RelationCase *what, RelationReadings *readings, int slot)
{
    for (int other = 0; other < STAGE_READS_MAX; other++) {
        StageArgs args = *what->given;
        bool fits = other != slot && is_number(&args.in[other]) &&
                    cut_to(&args.in[other], &args.in[slot], &args.in[slot]);
        if (fits && relation_stage_makes(what, &args))
            relation_add(what, readings,
                         (RelationReading){&relation_other_input, slot, other, 0.0, NULL});
    }
}

static void other_input_read(const RelationCase *what, RelationReadings *readings)
{
    if (!what->given)
        return;
    for (int slot = 0; slot < STAGE_READS_MAX; slot++)
        if (is_number(&what->given->in[slot]))
            read_exchanged(what, readings, slot);
}

static void other_input_say(const RelationReading *reading, Language language,
                            char text[RELATION_TEXT_MAX])
{
    static const Words exchanged = ROW(INPUT_EXCHANGED); // its two names are counted
    words_format(text, RELATION_TEXT_MAX, exchanged.in[language],
                 reading->call->reads[reading->a].role, reading->call->reads[reading->b].role);
}

const Relation relation_other_input = {
    .name = "other-input", .read = other_input_read, .say = other_input_say};
