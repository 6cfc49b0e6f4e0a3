// Formulas that people write in the place of right ones: the rows of relation_known.def.
//
// They are computed in float32, as a plain loop does: what overflows and what becomes 0 tells most.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "relation_tools.h"
#include "trace_program.h"

#define NUMBER_LIST(name, ...) static const double numbers_##name[] = {__VA_ARGS__, 0.0};
#define BASE(stage, parts)
#define KNOWN(WORD, parts)
#define NUMBERS(WORD, list, parts)
#include "relation_known.def"
#undef NUMBER_LIST
#undef BASE
#undef KNOWN
#undef NUMBERS

// A row without words is the base of those below it.
typedef struct Known {
    const char *stage;
    Words words;
    const double *numbers; // up to 0; NULL: there is no n
    const char *parts;
} Known;

static const Known rows[] = {
#define NUMBER_LIST(name, ...)
#define BASE(stage, parts) {#stage, {{NULL}}, NULL, parts},
#define KNOWN(WORD, parts) {NULL, ROW(WORD), NULL, parts},
#define NUMBERS(WORD, list, parts) {NULL, ROW(WORD), numbers_##list, parts},
#include "relation_known.def"
#undef NUMBER_LIST
#undef BASE
#undef KNOWN
#undef NUMBERS
};
enum { ROWS = sizeof rows / sizeof *rows };

// --- names

typedef struct Names {
    const RelationCase *what;
    TraceProgram step;
    FormulaScope of_step;
    double n;
} Names;

static FormulaThing read_name(void *context, const char *name)
{
    const Names *names = context;
    static const char given[] = "given_";
    if (strcmp(name, "n") == 0)
        return (FormulaThing){.kind = FORMULA_VALUE, .value = names->n};
    if (strncmp(name, given, strlen(given)) != 0)
        return names->of_step.read(names->of_step.context, name);
    const ScenarioTensor *tensor =
        scenario_tensor(names->what->right->scenario, name + strlen(given));
    return tensor ? (FormulaThing){.kind = FORMULA_TENSOR, .tensor = tensor->tensor, .hidden = -1}
                  : (FormulaThing){.kind = FORMULA_UNKNOWN};
}

static FormulaThing result_name(void *context, const char *name, bool is_first)
{
    const Names *names = context;
    return is_first ? names->of_step.result(names->of_step.context, name, true)
                    : (FormulaThing){.kind = FORMULA_UNKNOWN};
}

// --- numbers

// The base with what the row gives anew.
static bool merge(Arena *arena, const char *base, const char *parts, Formula *merged, Error *err)
{
    Formula row;
    if (!formula_parse(arena, base, merged, err) || !formula_parse(arena, parts, &row, err))
        return false;
    for (int i = 0; i < row.count; i++)
        for (int j = 0; j < merged->count; j++)
            if (strcmp(row.definitions[i].name, merged->definitions[j].name) == 0)
                merged->definitions[j] = row.definitions[i];
    return true;
}

static bool compute(const RelationCase *what, Names *names, const Formula *formula, Tensor *made,
                    Arena *arena)
{
    static const double most = 1e8;
    Error err = {.text = ""};
    FormulaProgram program;
    const FormulaScope scope = {read_name, result_name, names};
    const Tensor *known = what->known;
    names->of_step = trace_program_scope(&names->step, what->right, what->step, what->given);
    names->step.narrow = true;
    bool good = formula_bind(arena, formula, &scope, most, &program, &err) &&
                formula_run(&program, true, &err) &&
                tensor_count(&program.results[0].numbers) == tensor_count(known) &&
                tensor_take(arena, DTYPE_F32, known->rank, known->shape, made, &err);
    relation_lacks(what, &err);
    for (ptrdiff_t i = 0; good && i < tensor_count(known); i++)
        made->storage.f32[i] = (float)((const double *)program.results[0].numbers.storage.bytes)[i];
    return good;
}

// How far the numbers are from the wrong ones in all. Many n are right within what rounding may cost; the
// nearest is what was written.
static double distance(const RelationCase *what, const Tensor *made)
{
    double sum = 0.0;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do {
        double wrong = tensor_number(what->wrong, at), own = tensor_number(made, at);
        bool is_same = own == wrong || (isnan(own) && isnan(wrong));
        sum += is_same ? 0.0 : (own - wrong) * (own - wrong);
    } while (tensor_next(made, at));
    return isnan(sum) ? INFINITY : sum;
}

static void read_row(const RelationCase *what, RelationReadings *readings, const char *base,
                     int row)
{
    static const double none[] = {1.0, 0.0};
    Error err = {.text = ""};
    Arena arena = {0};
    Formula formula;
    Names names = {.what = what};
    double least = INFINITY, nearest = NAN;
    const double *n = rows[row].numbers ? rows[row].numbers : none;
    bool good = merge(&arena, base, rows[row].parts, &formula, &err), makes = false;
    relation_lacks(what, &err);
    for (; good && *n != 0.0; n++) {
        Arena room = {0};
        Tensor made;
        names.n = *n;
        if (compute(what, &names, &formula, &made, &room)) {
            double now = distance(what, &made);
            makes = now < least ? relation_makes(what, &made) : makes;
            nearest = now < least ? *n : nearest;
            least = fmin(least, now);
        }
        arena_finish(&room);
    }
    if (makes)
        relation_add(what, readings,
                     (RelationReading){.relation = &relation_known,
                                       .a = row,
                                       .number = rows[row].numbers ? nearest : 0.0});
    arena_finish(&arena);
}

static void known_read(const RelationCase *what, RelationReadings *readings)
{
    int base = -1;
    for (int i = 0; what->given && what->known->dtype == DTYPE_F32 && i < ROWS; i++)
        if (rows[i].stage)
            base = relation_is_stage(what, rows[i].stage) ? i : -1;
        else if (base >= 0)
            read_row(what, readings, rows[base].parts, i);
}

static void known_say(const RelationReading *reading, Language language,
                      char text[RELATION_TEXT_MAX])
{
    char number[32];
    snprintf(number, sizeof number, "%.4g", reading->number);
    words_format(text, RELATION_TEXT_MAX, rows[reading->a].words.in[language], number);
}

const Relation relation_known = {.name = "known", .read = known_read, .say = known_say};
