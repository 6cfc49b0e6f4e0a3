// Formulas that people write in the place of right ones: the rows of relation_known.def.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "relation_tools.h"
#include "trace_program.h"

#define NUMBER_LIST(name, ...) static const double numbers_##name[] = {__VA_ARGS__, 0.0};
#define BASE(stage, parts)
#define KNOWN(WORD, parts)
#define NUMBERS(WORD, list, parts)
#define SIZES(WORD, parts)
#include "relation_known.def"
#undef NUMBER_LIST
#undef BASE
#undef KNOWN
#undef NUMBERS
#undef SIZES

// A row without words is the base of those below it.
typedef struct Known {
    const char *stage;
    Words words;
    const double *numbers; // up to 0; NULL: there is no n
    const char *parts;
} Known;

// Stands for the sizes of a case; the reading's number is then the symbol of one.
static const double of_sizes[] = {0.0};

static const Known rows[] = {
#define NUMBER_LIST(name, ...)
#define BASE(stage, parts) {#stage, {{NULL}}, NULL, parts},
#define KNOWN(WORD, parts) {NULL, ROW(WORD), NULL, parts},
#define NUMBERS(WORD, list, parts) {NULL, ROW(WORD), numbers_##list, parts},
#define SIZES(WORD, parts) {NULL, ROW(WORD), of_sizes, parts},
#include "relation_known.def"
#undef NUMBER_LIST
#undef BASE
#undef KNOWN
#undef NUMBERS
#undef SIZES
};
enum { ROWS = sizeof rows / sizeof *rows };

// --- names

typedef struct Names {
    const RelationCase *what;
    TraceProgram step;
    FormulaScope of_step;
    double n;
    bool narrow; // float32, as a plain loop does: what overflows and what becomes 0 tells most
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
    names->step.narrow = names->narrow;
    bool good = formula_bind(arena, formula, &scope, most, &program, &err) &&
                formula_run(&program, names->narrow, &err) &&
                tensor_count(&program.results[0].numbers) == tensor_count(known) &&
                tensor_take(arena, DTYPE_F32, known->rank, known->shape, made, &err);
    relation_lacks(what, &err);
    for (ptrdiff_t i = 0; good && i < tensor_count(known); i++)
        made->storage.f32[i] = (float)((const double *)program.results[0].numbers.storage.bytes)[i];
    return good;
}

// --- sums
//
// The base of a stage whose formula is a sum of terms, in parts that the rows know.

typedef struct Sum {
    char axes[FORMULA_REDUCED_MAX * FORMULA_NAME_MAX];
    char text[FORMULA_TEXT_MAX + 1];
    ptrdiff_t terms;
} Sum;

// The text with the sum's axes for every @.
static const char *with_axes(const Sum *sum, const char *parts, char text[FORMULA_TEXT_MAX + 1])
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

// How long an axis is, by what is read with it; 0: nothing is.
static ptrdiff_t length_of(const FormulaScope *scope, const FormulaNode *node, const char *axis)
{
    ptrdiff_t length = 0;
    for (int i = 0; i < node->count && length == 0; i++) {
        const FormulaNode *part = node->parts[i];
        bool is_it = node->kind == FORMULA_READ && part->kind == FORMULA_NAME &&
                     strcmp(part->name, axis) == 0;
        FormulaThing thing = is_it ? scope->read(scope->context, node->name)
                                   : (FormulaThing){.kind = FORMULA_UNKNOWN};
        length = thing.kind == FORMULA_TENSOR && thing.tensor.rank == node->count
                     ? thing.tensor.shape[i]
                     : length_of(scope, part, axis);
    }
    return length;
}

__attribute__((format(printf, 2, 3))) static void put(Sum *sum, const char *format, ...)
{
    va_list values;
    size_t used = strlen(sum->text);
    va_start(values, format);
    vsnprintf(sum->text + used, sizeof sum->text - used, format, values);
    va_end(values);
}

// The terms' number, the first axis fastest: b * 5 + l.
static void put_number(Sum *sum, const FormulaScope *scope, const FormulaNode *total)
{
    sum->terms = 1;
    put(sum, "; number[%s] = 0", sum->axes);
    for (int i = 0; i < total->axis_count; i++) {
        put(sum, " + %td * %s", sum->terms, total->axes[i]);
        sum->terms *= length_of(scope, total->parts[0], total->axes[i]);
    }
    put(sum, "; terms = %td", sum->terms);
}

static void put_terms(Sum *sum, const FormulaNode *term)
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

static void put_sizes(Sum *sum, const RelationCase *what, const FormulaDefinition *definition)
{
    const Tensor *known = what->known;
    ptrdiff_t columns = known->shape[known->rank - 1];
    ptrdiff_t sequences = what->right->scenario->size[SYMBOL_B];
    int row = definition->index_count - 2;
    bool has_row = row >= 0 && definition->index[row]->kind == FORMULA_NAME;
    put(sum, "; row = %s", has_row ? definition->index[row]->name : "0");
    put(sum, "; width = %td", columns);
    if (known->rank == 3 && columns < sum->terms) // of a layer; heads have a symbol for theirs
        put(sum, "; columns = %td", columns);
    if (what->axes[0] != 'B' && sequences > 1 && sum->terms % sequences == 0)
        put(sum, "; each = %td", sum->terms / sequences);
}

// False where the formula is no sum.
static bool open_sum(const RelationCase *what, const char *base, Sum *sum)
{
    Error err = {.text = ""};
    Arena arena = {0};
    Formula formula;
    TraceProgram step;
    char text[FORMULA_TEXT_MAX + 1];
    FormulaScope scope = trace_program_scope(&step, what->right, what->step, what->given);
    bool good =
        formula_parse(&arena, trace_formula_whole(what->right, what->step, text), &formula, &err);
    relation_lacks(what, &err);
    const FormulaDefinition *first = &formula.definitions[0];
    const FormulaNode *total = good ? first->value : NULL, *bias = NULL;
    *sum = (Sum){.terms = 0};
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
        with_axes(sum, base, sum->text + strlen(sum->text));
        if (has_bias)
            put(sum, "; added = %s[%s]; added_at[place] = %s[place]", bias->name,
                bias->parts[0]->name, bias->name);
        put_number(sum, &scope, total);
        put_terms(sum, total->parts[0]);
        put_sizes(sum, what, first);
    }
    arena_finish(&arena);
    return good && sum->terms > 1;
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

static bool is_made(const RelationCase *what, const Names *names, const Tensor *made)
{
    return names->narrow ? relation_makes(what, made) : relation_nearly_makes(what, made);
}

// Adds a reading of a row where a case has its numbers with one of the `count` n.
static void read_row(const RelationCase *what, RelationReadings *readings, Names *names,
                     const Formula *formula, RelationReading reading, const double n[])
{
    double least = INFINITY, nearest = NAN;
    bool makes = false;
    for (; *n != 0.0; n++) {
        Arena room = {0};
        Tensor made;
        names->n = *n;
        if (compute(what, names, formula, &made, &room)) {
            double now = distance(what, &made);
            makes = now < least ? is_made(what, names, &made) : makes;
            nearest = now < least ? *n : nearest;
            least = fmin(least, now);
        }
        arena_finish(&room);
    }
    if (reading.number < 0.0)
        reading.number = nearest;
    if (makes)
        relation_add(what, readings, reading);
}

// A loop that is shorter than it should be; of heads queries are told from keys, else both are tokens.
static bool is_shorter(const RelationCase *what, Symbol symbol, ptrdiff_t terms)
{
    const char *axes = what->right->steps[what->step].call->reads[0].axes;
    bool has_heads = axes && strchr(axes, 'H');
    ptrdiff_t size = what->right->scenario->size[symbol];
    bool is_other = has_heads ? symbol == SYMBOL_L : symbol == SYMBOL_LQ || symbol == SYMBOL_LK;
    return !is_other && size > 0 && size < terms;
}

static bool is_looked_for(const RelationCase *what, const Relation *relation, int row)
{
    bool found = !what->kept;
    for (int i = 0; !found && i < what->kept->count; i++)
        found = what->kept->all[i].relation == relation && what->kept->all[i].a == row;
    return found;
}

static void read_rows(const RelationCase *what, RelationReadings *readings,
                      const Relation *relation, int base, const Sum *sum)
{
    static const double none[] = {1.0, 0.0};
    for (int row = base + 1; row < ROWS && !rows[row].stage; row++) {
        if (!is_looked_for(what, relation, row))
            continue;
        Error err = {.text = ""};
        Arena arena = {0};
        Formula formula;
        Names names = {.what = what, .narrow = !sum};
        RelationReading reading = {.relation = relation, .a = row};
        bool of_size = rows[row].numbers == of_sizes;
        const char *parts = rows[row].parts;
        char own[FORMULA_TEXT_MAX + 1];
        if (sum)
            parts = with_axes(sum, parts, own);
        bool good = merge(&arena, sum ? sum->text : rows[base].parts, parts, &formula, &err);
        relation_lacks(what, &err);
        for (int symbol = 0; good && of_size && symbol < SYMBOL_COUNT; symbol++) {
            const double n[] = {(double)what->right->scenario->size[symbol], 0.0};
            reading.number = (double)symbol + 1.0;
            if (is_shorter(what, (Symbol)symbol, sum->terms))
                read_row(what, readings, &names, &formula, reading, n);
        }
        reading.number = rows[row].numbers ? -1.0 : 0.0;
        if (good && !of_size)
            read_row(what, readings, &names, &formula, reading,
                     rows[row].numbers ? rows[row].numbers : none);
        arena_finish(&arena);
    }
}

static bool is_base(int row, const char *name)
{
    return rows[row].stage && strcmp(rows[row].stage, name) == 0;
}

static void known_read(const RelationCase *what, RelationReadings *readings)
{
    for (int i = 0; what->given && what->known->dtype == DTYPE_F32 && i < ROWS; i++)
        if (rows[i].stage && relation_is_stage(what, rows[i].stage))
            read_rows(what, readings, &relation_known, i, NULL);
}

static void sums_read(const RelationCase *what, RelationReadings *readings)
{
    Sum sum;
    int base = 0;
    while (!is_base(base, "sum"))
        base++;
    if (what->given && what->known->dtype == DTYPE_F32 && open_sum(what, rows[base].parts, &sum))
        read_rows(what, readings, &relation_sums, base, &sum);
}

static void known_say(const RelationReading *reading, Language language,
                      char text[RELATION_TEXT_MAX])
{
    char number[32];
    const Known *row = &rows[reading->a];
    if (row->numbers == of_sizes)
        snprintf(number, sizeof number, "%s", symbol_names[(int)reading->number - 1]);
    else
        snprintf(number, sizeof number, "%.4g", reading->number);
    words_format(text, RELATION_TEXT_MAX, row->words.in[language], number);
}

const Relation relation_known = {.name = "known", .read = known_read, .say = known_say};

const Relation relation_sums = {.name = "sums", .read = sums_read, .say = known_say};
