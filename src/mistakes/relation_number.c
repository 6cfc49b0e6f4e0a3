// Sums that are wrong in their terms, and pairs of mistakes.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
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

// --- sums
//
// The base "sum" of relation_known.def, made from the formula of a stage.

const char *relation_sum_parts(const RelationSum *sum, const char *parts,
                               char text[FORMULA_TEXT_MAX + 1])
{
    size_t used = 0, length = strlen(sum->axes);
    for (; *parts && used + length < FORMULA_TEXT_MAX; parts++)
        if (*parts == '@') {
            memcpy(text + used, sum->axes, length);
            used += length;
        } else
            text[used++] = *parts;
    text[used] = '\0';
    return text;
}

static ptrdiff_t length_of(const FormulaProgram *program, const char *axis)
{
    for (int i = 0; i < program->axis_count; i++)
        if (strcmp(program->axes[i].name, axis) == 0)
            return program->axes[i].size;
    return 0;
}

__attribute__((format(printf, 2, 3))) static void put(RelationSum *sum, const char *format, ...)
{
    va_list values;
    size_t used = strlen(sum->text);
    va_start(values, format);
    vsnprintf(sum->text + used, sizeof sum->text - used, format, values);
    va_end(values);
}

// Defines number[...], with the first axis fastest: b * 5 + l.
static void put_number(RelationSum *sum, const FormulaProgram *program, const FormulaNode *total)
{
    sum->terms = 1;
    put(sum, "; number[%s] = 0", sum->axes);
    for (int i = 0; i < total->axis_count; i++) {
        put(sum, " + %td * %s", sum->terms, total->axes[i]);
        sum->terms *= length_of(program, total->axes[i]);
    }
    put(sum, "; terms = %td", sum->terms);
}

static void put_terms(RelationSum *sum, const FormulaNode *term)
{
    char one[FORMULA_TEXT_MAX + 1], other[FORMULA_TEXT_MAX + 1];
    const char *axes = sum->axes;
    if (term->kind == FORMULA_MULTIPLY)
        put(sum, "; term[%s] = first[%s] * second[%s]; first[%s] = %s; second[%s] = %s", axes, axes,
            axes, axes, formula_print_node(term->parts[0], one, sizeof one), axes,
            formula_print_node(term->parts[1], other, sizeof other));
    else
        put(sum, "; term[%s] = %s", axes, formula_print_node(term, one, sizeof one));
}

static void put_sizes(RelationSum *sum, const RelationCase *what,
                      const FormulaDefinition *definition)
{
    const Tensor *known = what->known;
    ptrdiff_t columns = known->shape[known->rank - 1];
    ptrdiff_t sequences = what->right->scenario->size[SYMBOL_B];
    int row = definition->index_count - 2;
    bool has_row = row >= 0 && definition->index[row]->kind == FORMULA_NAME;
    put(sum, "; row = %s", has_row ? definition->index[row]->name : "0");
    put(sum, "; width = %td", columns);
    if (known->rank == 3 && columns < sum->terms) // a head has d_k for its width
        put(sum, "; columns = %td", columns);
    if (what->axes[0] != 'B' && sequences > 1 && sum->terms % sequences == 0)
        put(sum, "; each = %td", sum->terms / sequences);
}

bool relation_sum_open(const RelationCase *what, const char *base, RelationSum *sum)
{
    Error err = {.text = ""};
    Arena arena = {0};
    Formula formula;
    TraceProgram step;
    FormulaProgram program;
    char text[FORMULA_TEXT_MAX + 1];
    FormulaScope scope = trace_program_scope(&step, what->right, what->step, what->given);
    bool good =
        formula_parse(&arena, trace_formula_whole(what->right, what->step, text), &formula, &err) &&
        formula_bind(&arena, &formula, &scope, INFINITY, &program, &err);
    relation_lacks(what, &err);
    const FormulaDefinition *first = &formula.definitions[0];
    const FormulaNode *total = good ? first->value : NULL, *bias = NULL;
    *sum = (RelationSum){.terms = 0};
    if (good && total->kind == FORMULA_ADD && total->is_optional) {
        bias = total->parts[1];
        total = total->parts[0];
    }
    good = good && formula.count == 1 && total->kind == FORMULA_SUM && !first->is_all;
    if (good) {
        for (int i = 0; i < total->axis_count; i++)
            snprintf(sum->axes + strlen(sum->axes), sizeof sum->axes - strlen(sum->axes), "%s%s",
                     i > 0 ? "," : "", total->axes[i]);
        bool has_bias = bias && bias->kind == FORMULA_READ && bias->count == 1 &&
                        scope.read(scope.context, bias->name).kind == FORMULA_TENSOR;
        size_t left = strcspn(text, "=");
        put(sum, "%.*s= result; result = total%s; ", (int)left, text, has_bias ? " + added" : "");
        relation_sum_parts(sum, base, sum->text + strlen(sum->text));
        if (has_bias)
            put(sum, "; added = %s[%s]; added_at[place] = %s[place]", bias->name,
                bias->parts[0]->name, bias->name);
        put_number(sum, &program, total);
        put_terms(sum, total->parts[0]);
        put_sizes(sum, what, first);
    }
    arena_finish(&arena);
    return good && sum->terms > 1;
}

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
    Arena arena = {0};
    Tensor numbers;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, place = 0;
    const Stage *stage = what->right->steps[what->step].stage;
    bool good = relation_room(what, &arena, &numbers);
    if (good) {
        do {
            cutting->sum = 0.0;
            stage_origin(stage, &cutting->args, stage->main_output, at, cut_term, cutting);
            numbers.storage.f32[place++] = (float)cutting->sum;
            good = row_agrees(what, &numbers, at);
        } while (good && tensor_next(&numbers, at));
        good = good && relation_makes(what, &numbers);
    }
    arena_finish(&arena);
    return good;
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
        if (cuts(what, &cutting))
            relation_add(what, readings, &relation_cut, way, 0);
    }
}

static void cut_say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    snprintf(text, RELATION_TEXT_MAX, "%s",
             reading->a ? TELL_IN(language, PRODUCTS_FIRST_CUT_IN_WHOLE)
                        : TELL_IN(language, TERMS_WHOLE));
}

const Relation relation_cut = {.read = cut_read, .say = cut_say};
