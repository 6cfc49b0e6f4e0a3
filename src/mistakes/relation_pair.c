// Two mistakes of the bank at once in a whole run.
#include <string.h>
#include "relation_tools.h"

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
    static const Relation *const others[] = {&relation_runs, &relation_changed_input};
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
