// Sums that are cut to whole numbers, and pairs of mistakes.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "describe.h"
#include "relation_tools.h"
#include "tensor.h"
#include "trace_program.h"

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

// --- cut
//
// A sum is cut to a whole number with each term, and perhaps the first factor of each product is. The stage itself tells
// its terms.

typedef struct Cutting {
    StageArgs args;
    TraceProgram *own; // the stage's formula, if it leaves origins to it
    TermKind kind;     // products, or numbers if there are none
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

// Most attempts already fail in the first row.
static bool row_agrees(const RelationCase *what, const Tensor *numbers, const ptrdiff_t at[])
{
    int last = numbers->rank - 1;
    ptrdiff_t row[TENSOR_RANK_MAX] = {0};
    if (last < 0 || at[last] < numbers->shape[last] - 1)
        return true;
    memcpy(row, at, (size_t)numbers->rank * sizeof *at);
    for (row[last] = 0; row[last] < numbers->shape[last]; row[last]++)
        if (!tensor_difference_agrees(what->wrong, numbers, row))
            return false;
    return true;
}

static bool cuts(const RelationCase *what, Cutting *cutting)
{
    Error err = {.text = ""};
    Arena arena = {0};
    Tensor numbers;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, place = 0;
    const Stage *stage = what->right->steps[what->step].stage;
    Terms terms = {&cutting->args, stage->main_output, cut_term, cutting, 0.0f};
    bool good =
        tensor_take(&arena, DTYPE_F32, what->known->rank, what->known->shape, &numbers, &err);
    if (good) {
        do {
            cutting->sum = 0.0;
            trace_stage_terms(stage, cutting->own, &terms, at);
            numbers.storage.f32[place++] = (float)cutting->sum;
            good = row_agrees(what, &numbers, at);
        } while (good && tensor_next(&numbers, at));
        good = good && relation_makes(what, &numbers);
    }
    relation_lacks(what, &err);
    arena_finish(&arena);
    return good;
}

// The stage's formula, over given arguments.
static bool open_own(const RelationCase *what, const StageArgs *args, Arena *arena,
                     TraceProgram *own)
{
    Error err = {.text = ""};
    char text[FORMULA_TEXT_MAX + 1];
    FormulaScope scope = trace_program_scope(own, what->right, what->step, args);
    own->narrow = true;
    bool good = formula_parse(arena, trace_formula_whole(what->right, what->step, text),
                              &own->formula, &err) &&
                formula_bind(arena, &own->formula, &scope, INFINITY, &own->program, &err);
    relation_lacks(what, &err);
    return good;
}

static void cut_read(const RelationCase *what, RelationReadings *readings)
{
    static const ptrdiff_t first[TENSOR_RANK_MAX] = {0};
    int counts[TERM_KINDS] = {0};
    if (!what->given)
        return;
    Arena arena = {0};
    TraceProgram own;
    const Stage *stage = what->right->steps[what->step].stage;
    Cutting cutting = {.args = *what->given};
    cutting.args.out[stage->main_output] = *what->known;
    if (!stage->origin && open_own(what, &cutting.args, &arena, &own))
        cutting.own = &own;
    Terms terms = {&cutting.args, stage->main_output, count_term, counts, 0.0f};
    trace_stage_terms(stage, cutting.own, &terms, first);
    cutting.kind = counts[TERM_MULTIPLY_ADD] > 0 ? TERM_MULTIPLY_ADD : TERM_ADD;
    bool has_products = cutting.kind == TERM_MULTIPLY_ADD;
    for (int way = 0; way <= has_products && counts[cutting.kind] > 1; way++) {
        cutting.cuts_first = way == 1;
        if (cuts(what, &cutting))
            relation_add(what, readings, &relation_cut, way, 0);
    }
    arena_finish(&arena);
}

static void cut_say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    snprintf(text, RELATION_TEXT_MAX, "%s",
             reading->a ? TELL_IN(language, PRODUCTS_FIRST_CUT_IN_WHOLE)
                        : TELL_IN(language, TERMS_WHOLE));
}

const Relation relation_cut = {.read = cut_read, .say = cut_say};
