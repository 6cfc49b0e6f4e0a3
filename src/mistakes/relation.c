// The list of relations: what they read in a case, and what is said of it; see relation.h.
#include "relation_tools.h"

#include <stdio.h>

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

const char *relation_say(const RelationReadings *readings, Language language,
                         char text[RELATION_TEXT_MAX])
{
    *text = '\0';
    if (readings->count == 0)
        return text;
    const RelationReading *first = &readings->all[0], *other = &readings->all[1];
    first->relation->say(first, language, text);
    if (readings->count == 1 || first->relation != &relation_edit ||
        other->relation != &relation_edit)
        return text;
    char one[RELATION_TEXT_MAX], two[RELATION_TEXT_MAX];
    snprintf(one, sizeof one, "%s", text);
    other->relation->say(other, language, two);
    return words_format(text, RELATION_TEXT_MAX, TELL_IN(language, EDIT_OR), one, two);
}

const char *relation_show(const RelationReadings *readings, char lines[RELATION_SHOWN_MAX])
{
    *lines = '\0';
    if (readings->count > 0 && readings->all[0].relation->show)
        readings->all[0].relation->show(&readings->all[0], lines);
    return lines;
}
