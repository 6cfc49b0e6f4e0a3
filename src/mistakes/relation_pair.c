// Relation: two mistakes of the bank at once, in a whole run.
#include "relation_tools.h"

#include <string.h>
#include "relation_words.h"

extern const Relation relation_pair;

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
    const TraceWay way = {.stages = stages};
    return relation_run_makes(what, what->right->scenario, &way, &run);
}

// A pair with a mistake that cannot show here has the numbers of the other mistake alone.
static void read(const RelationCase *what, RelationReadings *readings)
{
    enum { MISTAKES_MAX = 128 };
    bool shows[MISTAKES_MAX], alone[MISTAKES_MAX];
    const Mistake *mistake;
    int count = 0;
    if (what->step >= 0)
        return;
    for (; count < MISTAKES_MAX && (mistake = mistake_get(count)); count++) {
        shows[count] = !mistake_cannot_show(mistake, what->right->scenario);
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

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, PAIR),
                 mistake_get(reading->a)->words[language].title,
                 mistake_get(reading->b)->words[language].title);
}

const Relation relation_pair = {.name = "pair", .read = read, .say = say};
