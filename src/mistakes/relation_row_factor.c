// Relation: each row is right but for a factor of its own, or is right or 0.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_row_factor;

static double row_factor(const RelationCase *what, const ptrdiff_t at[])
{
    ptrdiff_t place[TENSOR_RANK_MAX];
    int last = what->known->rank - 1;
    double wrong = 0.0, known = 0.0;
    for (int axis = 0; axis <= last; axis++)
        place[axis] = at[axis];
    for (place[last] = 0; place[last] < what->known->shape[last]; place[last]++) {
        double one = tensor_number(what->known, place);
        if (isfinite(one)) {
            wrong += one * tensor_number(what->wrong, place);
            known += one * one;
        }
    }
    return known > 0.0 ? wrong / known : 0.0;
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

static double times_row(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    (void)context;
    double known = tensor_number(what->known, at), factor = row_factor(what, at);
    bool is_odd = !isfinite(factor); // no factor of a number gives NaN or infinity
    if (is_lost(what, at))
        return tensor_number(what->wrong, at);
    return !isfinite(known) ? known : is_odd ? known + 1.0 : factor * known;
}

// Whether the rows that are there have different factors: one for all is another relation.
static bool rows_differ(const RelationCase *what)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double least = INFINITY, most = -INFINITY;
    do {
        double factor = is_lost(what, at) ? NAN : row_factor(what, at);
        least = fmin(least, factor);
        most = fmax(most, factor);
    } while (tensor_next(what->known, at));
    return most - least > 1e-4 * fmax(fabs(least), fabs(most));
}

// Whether all factors are 0 or 1. With other numbers another factor may be as good as 0.
static bool rows_are_left_out(const RelationCase *what)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do {
        double factor = row_factor(what, at);
        if (fabs(factor) > 1e-4 && fabs(factor - 1.0) > 1e-4)
            return false;
    } while (tensor_next(what->known, at));
    return true;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    int last = what->known->rank - 1;
    if (last < 0 || what->known->shape[last] <= 2 || !rows_differ(what) ||
        !relation_fits(what, times_row, NULL))
        return;
    for (int left_out = rows_are_left_out(what); left_out >= 0; left_out--)
        relation_add(what, readings,
                     (RelationReading){&relation_row_factor, left_out, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    words_format(text, RELATION_TEXT_MAX,
                 reading->a ? TELL_IN(language, ROW_LEFT_OUT) : TELL_IN(language, ROW_FACTOR));
}

const Relation relation_row_factor = {.name = "row-factor", .read = read, .say = say};
