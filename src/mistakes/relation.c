// relation: the list of relations, and what several cases agree on; see relation.h.
#include "relation.h"

#include <math.h>

#define RELATION(name) extern const Relation relation_##name;
#include "relations.def"
#undef RELATION

static const Relation *const relations[] = {
#define RELATION(name) &relation_##name,
#include "relations.def"
#undef RELATION
};

// The relations, those that say most first; NULL beyond the last.
static const Relation *get(int number)
{
    return number < (int)(sizeof relations / sizeof *relations) ? relations[number] : NULL;
}

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

static bool is_looked_for(const RelationCase *what, const Relation *relation)
{
    bool found = !what->kept;
    for (int i = 0; !found && i < what->kept->count; i++)
        found = what->kept->all[i].relation == relation;
    return found;
}

void relation_read(const RelationCase *what, RelationReadings *readings)
{
    const Relation *relation;
    readings->count = 0;
    for (int i = 0; (relation = get(i)) != NULL; i++)
        if (is_looked_for(what, relation))
            relation->read(what, readings);
}

void relation_agree(RelationReadings *kept, const RelationReadings *other)
{
    int count = 0;
    for (int i = 0; i < kept->count; i++) {
        bool found = false;
        for (int j = 0; j < other->count; j++)
            found = found || is_same(&kept->all[i], &other->all[j]);
        if (found)
            kept->all[count++] = kept->all[i];
    }
    kept->count = count;
}

const char *relation_say(const RelationReadings *readings, Language language,
                         char text[RELATION_TEXT_MAX])
{
    *text = '\0';
    if (readings->count > 0)
        readings->all[0].relation->say(&readings->all[0], language, text);
    return text;
}
