// relation_reading: which readings of relations are the same, and what several cases agree on; see
// relation.h.
#include "relation.h"

#include <math.h>

static bool is_same(const RelationReading *a, const RelationReading *b)
{
    double larger = fmax(fabs(a->number), fabs(b->number));
    return a->relation == b->relation && a->a == b->a && a->b == b->b &&
           fabs(a->number - b->number) <= 1e-4 * larger;
}

bool relation_counts(const RelationCase *what, const RelationReading *reading)
{
    bool found = !what->kept;
    for (int i = 0; !found && i < what->kept->count; i++)
        found = is_same(&what->kept->all[i], reading);
    return found;
}

// Keeps this reading as number `count` of those that are kept.
static void keep(RelationReadings *kept, int number, int count)
{
    kept->all[count] = kept->all[number];
    kept->is_doubtful[count] = kept->is_doubtful[number];
}

void relation_drop_doubtful(RelationReadings *kept)
{
    int count = 0;
    for (int i = 0; i < kept->count; i++)
        if (!kept->is_doubtful[i])
            keep(kept, i, count++);
    kept->count = count;
}

void relation_drop_always(RelationReadings *kept)
{
    int count = 0;
    for (int i = 0; i < kept->count; i++)
        if (!kept->all[i].relation->is_always || !kept->all[i].relation->is_always(&kept->all[i]))
            keep(kept, i, count++);
    kept->count = count;
}

void relation_agree(RelationReadings *kept, const RelationReadings *other)
{
    int count = 0;
    for (int i = 0; i < kept->count; i++) {
        bool found = false, is_doubtful = kept->is_doubtful[i];
        for (int j = 0; j < other->count; j++)
            if (is_same(&kept->all[i], &other->all[j])) {
                found = true;
                is_doubtful = is_doubtful && other->is_doubtful[j];
            }
        kept->is_doubtful[i] = is_doubtful;
        if (found)
            keep(kept, i, count++);
    }
    kept->count = count;
}
