// Relation: each row is right but for a number that was added, another one in each row.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_row_offset;

static double row_offset(const RelationCase *what, const ptrdiff_t at[])
{
    ptrdiff_t place[TENSOR_RANK_MAX], count = 0;
    int last = what->known->rank - 1;
    double sum = 0.0;
    for (int axis = 0; axis <= last; axis++)
        place[axis] = at[axis];
    for (place[last] = 0; place[last] < what->known->shape[last]; place[last]++) {
        double known = tensor_number(what->known, place);
        if (isfinite(known)) {
            sum += tensor_number(what->wrong, place) - known;
            count++;
        }
    }
    return count > 0 ? sum / (double)count : 0.0;
}

static double plus_row(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    (void)context;
    double known = tensor_number(what->known, at), offset = row_offset(what, at);
    return !isfinite(known) ? known : isfinite(offset) ? known + offset : known + 1.0;
}

// One number for all rows is another relation.
static bool rows_differ(const RelationCase *what)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double least = INFINITY, most = -INFINITY;
    do {
        double offset = row_offset(what, at);
        least = fmin(least, offset);
        most = fmax(most, offset);
    } while (tensor_next(what->known, at));
    return most - least > 1e-4 * fmax(fabs(least), fabs(most));
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    int last = what->known->rank - 1;
    if (last >= 0 && what->known->shape[last] > 2 && rows_differ(what) &&
        relation_fits(what, plus_row, NULL))
        relation_add(what, readings, (RelationReading){&relation_row_offset, 0, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    (void)reading;
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, ROW_OFFSET));
}

const Relation relation_row_offset = {.name = "row-offset", .read = read, .say = say};
