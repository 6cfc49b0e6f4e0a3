// Formulas that people write in the place of right ones: the rows of relation_known.def.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "relation_tools.h"
#include "trace_program.h"

// Where the rows of a base are tried.
enum { IN_STEP = 1, IN_RUN = 2, IN_GRADIENT = 4, SAYS_STAGE = 8 };
enum {
    STEP = IN_STEP,
    RUN = IN_RUN | IN_GRADIENT,
    BOTH = STEP | RUN,
    INSIDE = BOTH | SAYS_STAGE,
    BACK = IN_GRADIENT,
};

#define NUMBER_LIST(name, ...) static const double numbers_##name[] = {__VA_ARGS__, 0.0};
#define BASE(kind, stage, parts)
#define KNOWN(WORD, parts)
#define NAMED(WORD, name, parts)
#define NUMBERS(WORD, list, parts)
#define FRACTIONS(WORD, list, parts)
#define SIGNED(WORD, name, list, parts)
#define SIZES(WORD, parts)
#define FORMULAS(WORD, parts)
#define DIVIDED(text)
#define DOUBTED(WORD, symbol, size, parts)
#include "relation_known.def"
#undef NUMBER_LIST
#undef BASE
#undef KNOWN
#undef NAMED
#undef NUMBERS
#undef FRACTIONS
#undef SIGNED
#undef SIZES
#undef FORMULAS
#undef DIVIDED
#undef DOUBTED

// A row without words is the base of those below it.
typedef struct Known {
    int kind;          // of a base
    const char *stage; // of a base; NULL: it is a row
    const char *parts;
    Words words;
    const char *name;      // for the sentence; %s in it is n with a sign
    bool is_fraction;      // n is told as "1/2"
    const double *numbers; // up to 0; NULL: there is no n
    Symbol doubted;        // a size with which it is one of several
    ptrdiff_t doubted_size;
} Known;

// Stand for the sizes of a case, and what people make of them; the reading's number is then the symbol of one, or
// the number of a formula, and 1.
static const double of_sizes[] = {0.0}, of_formulas[] = {0.0};

static const Known rows[] = {
#define NUMBER_LIST(name, ...)
#define BASE(of, name, text) {.kind = of, .stage = name, .parts = text},
#define KNOWN(WORD, text) {.words = ROW(WORD), .parts = text},
#define NAMED(WORD, of, text) {.words = ROW(WORD), .name = of, .parts = text},
#define NUMBERS(WORD, list, text) {.words = ROW(WORD), .numbers = numbers_##list, .parts = text},
#define FRACTIONS(WORD, list, text) \
    {.words = ROW(WORD), .numbers = numbers_##list, .is_fraction = true, .parts = text},
#define SIGNED(WORD, of, list, text) \
    {.words = ROW(WORD), .name = of, .numbers = numbers_##list, .parts = text},
#define FORMULAS(WORD, text) {.words = ROW(WORD), .numbers = of_formulas, .parts = text},
#define DIVIDED(text) {.words = ROW(INPUT_DIVIDED), .name = text, .parts = "divisor = " text},
#define SIZES(WORD, text) {.words = ROW(WORD), .numbers = of_sizes, .parts = text},
#define DOUBTED(WORD, symbol, size, text) \
    {.words = ROW(WORD), .doubted = SYMBOL_##symbol, .doubted_size = size, .parts = text},
#include "relation_known.def"
#undef NUMBER_LIST
#undef BASE
#undef KNOWN
#undef NAMED
#undef NUMBERS
#undef FRACTIONS
#undef SIGNED
#undef SIZES
#undef FORMULAS
#undef DIVIDED
#undef DOUBTED
};
enum { ROWS = sizeof rows / sizeof *rows };

// --- names

typedef struct Names {
    const RelationCase *what;
    TraceProgram step;
    FormulaScope of_step;
    double n;
    const double *numbers; // that n may be; `count` of them
    int count;
    bool narrow;  // float32, as a plain loop does: what overflows and what becomes 0 tells most
    bool is_near; // what was computed in double precision may be further from it
} Names;

static FormulaThing read_name(void *context, const char *name)
{
    const Names *names = context;
    static const char given[] = "given_";
    const ScenarioTensor *tensor = NULL;
    if (strcmp(name, "n") == 0)
        return (FormulaThing){.kind = FORMULA_VALUE, .value = names->n};
    if (strcmp(name, "right") == 0)
        return (FormulaThing){.kind = FORMULA_TENSOR, .tensor = *names->what->known, .hidden = -1};
    if (strncmp(name, given, strlen(given)) == 0)
        tensor = scenario_tensor(names->what->right->scenario, name + strlen(given));
    else if (names->what->given)
        return names->of_step.read(names->of_step.context, name);
    return tensor ? (FormulaThing){.kind = FORMULA_TENSOR, .tensor = tensor->tensor, .hidden = -1}
                  : (FormulaThing){.kind = FORMULA_UNKNOWN};
}

// Of a whole trace the result has the shape of what is right.
static FormulaThing result_name(void *context, const char *name, bool is_first)
{
    const Names *names = context;
    if (names->what->given)
        return names->of_step.result(names->of_step.context, name, is_first);
    return is_first ? read_name(context, "right") : (FormulaThing){.kind = FORMULA_UNKNOWN};
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

// The result that the case is about; -1.
static int result_of(const RelationCase *what, const FormulaProgram *program)
{
    int main_slot = what->given ? what->right->steps[what->step].stage->main_output : 0;
    int slot = what->output ? what->output : main_slot;
    for (int i = 0; what->given && i < program->result_count; i++)
        if (program->results[i].thing.id == SOURCE_OWN + slot)
            return i;
    return what->given ? -1 : 0;
}

static bool compute(const RelationCase *what, Names *names, const Formula *formula, Tensor *made,
                    Arena *arena)
{
    static const double most = 1e8;
    Error err = {.text = ""};
    FormulaProgram program;
    const FormulaScope scope = {read_name, result_name, names};
    const Tensor *known = what->known;
    if (what->given)
        names->of_step = trace_program_scope(&names->step, what->right, what->step, what->given);
    names->step.narrow = names->narrow;
    bool good = formula_bind(arena, formula, &scope, most, &program, &err) &&
                formula_run(&program, names->narrow, &err);
    int result = good ? result_of(what, &program) : -1;
    good = result >= 0 && tensor_count(&program.results[result].numbers) == tensor_count(known) &&
           tensor_take(arena, known->dtype, known->rank, known->shape, made, &err);
    relation_lacks(what, &err);
    if (good)
        relation_put(&program.results[result].numbers, made);
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
    return names->is_near ? relation_nearly_makes(what, made) : relation_makes(what, made);
}

static bool is_kept(const RelationCase *what, const RelationReading *reading, double n)
{
    RelationReading with_n = *reading;
    with_n.number = n;
    return relation_counts(what, &with_n);
}

// Adds a reading of a row where a case has its numbers with one of the n.
static void read_row(const RelationCase *what, RelationReadings *readings, Names *names,
                     const Formula *formula, RelationReading reading)
{
    double least = INFINITY, nearest = NAN;
    bool makes = false;
    for (int i = 0; i < names->count; i++) {
        Arena room = {0};
        Tensor made;
        if (reading.number < 0.0 && !is_kept(what, &reading, names->numbers[i]))
            continue;
        names->n = names->numbers[i];
        if (compute(what, names, formula, &made, &room)) {
            double now = distance(what, &made);
            makes = now < least ? is_made(what, names, &made) : makes;
            nearest = now < least ? names->numbers[i] : nearest;
            least = fmin(least, now);
        }
        arena_finish(&room);
    }
    if (reading.number < 0.0)
        reading.number = nearest;
    const Known *row = &rows[reading.a];
    if (makes)
        relation_add_if(what, readings, reading,
                        row->doubted_size > 0 &&
                            what->right->scenario->size[row->doubted] == row->doubted_size);
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

// The n of a number, of sizes that make a loop shorter, or of formulas; NAN: that one is none. False beyond the last.
static bool value_in(const RelationCase *what, const double *numbers, int i, ptrdiff_t terms,
                     double *value)
{
    const Scenario *scenario = what->right->scenario;
    if (numbers == of_sizes && i < SYMBOL_COUNT)
        *value = is_shorter(what, (Symbol)i, terms) ? (double)scenario->size[i] : NAN;
    else if (numbers == of_formulas && relation_formula(i))
        *value = relation_formula_value(i, scenario);
    else
        return false;
    return true;
}

static int count_of(const double *numbers)
{
    int count = 0;
    while (numbers && numbers[count] != 0.0)
        count++;
    return numbers ? count : 1;
}

// `sum`: the base as it is of this step; NULL: it is the row's.
static void read_rows(const RelationCase *what, RelationReadings *readings,
                      const Relation *relation, int base, const Sum *sum)
{
    static const double none[] = {1.0};
    bool is_plain = relation == &relation_infinite || relation == &relation_function;
    for (int row = base + 1; row < ROWS && !rows[row].stage; row++) {
        if (!is_looked_for(what, relation, row))
            continue;
        Error err = {.text = ""};
        Arena arena = {0};
        Formula formula;
        Names names = {.what = what, .narrow = !sum && !is_plain, .is_near = sum != NULL};
        RelationReading reading = {.relation = relation, .a = row};
        double value;
        const double *numbers = rows[row].numbers;
        const char *parts = rows[row].parts;
        char own[FORMULA_TEXT_MAX + 1];
        if (sum)
            parts = with_axes(sum, parts, own);
        bool good = merge(&arena, sum ? sum->text : rows[base].parts, parts, &formula, &err);
        relation_lacks(what, &err);
        for (int i = 0; good && value_in(what, numbers, i, sum ? sum->terms : 0, &value); i++) {
            reading.number = (double)i + 1.0;
            names.numbers = &value;
            names.count = 1;
            if (!isnan(value) && relation_counts(what, &reading))
                read_row(what, readings, &names, &formula, reading);
        }
        reading.number = numbers ? -1.0 : 0.0;
        names.numbers = numbers ? numbers : none;
        names.count = count_of(numbers);
        if (good && numbers != of_sizes && numbers != of_formulas)
            read_row(what, readings, &names, &formula, reading);
        arena_finish(&arena);
    }
}

static bool is_base(int row, const char *name)
{
    return rows[row].stage && strcmp(rows[row].stage, name) == 0;
}

static void read_base(const RelationCase *what, RelationReadings *readings,
                      const Relation *relation, const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if (is_base(i, name))
            read_rows(what, readings, relation, i, NULL);
}

static void known_read(const RelationCase *what, RelationReadings *readings)
{
    for (int i = 0; what->given && i < ROWS; i++)
        if (rows[i].stage && (rows[i].kind & IN_STEP) && relation_is_stage(what, rows[i].stage))
            read_rows(what, readings, &relation_known, i, NULL);
}

static void infinite_read(const RelationCase *what, RelationReadings *readings)
{
    if (what->known->dtype == DTYPE_F32)
        read_base(what, readings, &relation_infinite, "infinite");
}

static void function_read(const RelationCase *what, RelationReadings *readings)
{
    bool is_layer =
        relation_is_stage(what, "project") || relation_is_stage(what, "output_projection");
    if (what->known->dtype == DTYPE_F32)
        read_base(what, readings, &relation_function, "number");
    if (what->known->dtype == DTYPE_F32 && is_layer && what->given)
        read_base(what, readings, &relation_function, "layer");
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

// --- in a whole run

// A run in which all steps of a base compute a row's formula.
typedef struct Row {
    Trace run;
    const Known *base;
    Formula formula;
} Row;

// Whether it is the stage of the base, and its call if that has a label behind it.
static bool is_step_of(const TraceStep *step, const Known *base)
{
    size_t length = strlen(step->stage->name);
    const char *label = base->stage + length;
    return strncmp(base->stage, step->stage->name, length) == 0 &&
           (!*label ||
            (*label == ' ' && step->call->label && strcmp(label + 1, step->call->label) == 0));
}

static bool run_row(void *context, const TraceStep *step, StageArgs *args, bool *done, Error *err)
{
    static const double most = 1e8;
    Row *row = context;
    *done = is_step_of(step, row->base);
    return !*done || (step->stage->run(args, err) && // makes the views
                      trace_formula_compute(&row->run, (int)(step - row->run.steps), &row->formula,
                                            most, args, err));
}

// A mask is there even where none was asked for.
static bool run_makes(const RelationCase *what, Row *row, int number)
{
    Error err = {.text = ""};
    Arena arena = {0};
    char parts[FORMULA_TEXT_MAX + 1];
    Scenario scenario = *what->right->scenario; // shares its tensors, and is not finished
    const TraceVariant variant = {.run = run_row, .context = row};
    bool is_mask = strcmp(row->base->stage, "mask") == 0;
    snprintf(parts, sizeof parts, "%s; asked = %d", rows[number].parts, scenario.options.causal);
    if (is_mask)
        scenario.masked = scenario.options.causal = true;
    bool made = merge(&arena, row->base->parts, parts, &row->formula, &err) &&
                relation_run_makes(what, &scenario, &variant, &row->run);
    relation_lacks(what, &err);
    arena_finish(&arena);
    return made;
}

static bool has_step_of(const RelationCase *what, const Known *base)
{
    bool found = strcmp(base->stage, "mask") == 0;
    for (int i = 0; i < what->right->step_count && !found; i++)
        found = is_step_of(&what->right->steps[i], base);
    return found;
}

static void runs_read(const RelationCase *what, RelationReadings *readings)
{
    int where = what->tensor ? IN_GRADIENT : IN_RUN;
    const Known *base = NULL;
    for (int i = 0; what->step < 0 && i < ROWS; i++) {
        if (rows[i].stage)
            base = (rows[i].kind & where) && has_step_of(what, &rows[i]) ? &rows[i] : NULL;
        else if (base && !rows[i].numbers) {
            Row row = {.base = base};
            const RelationReading reading = {.relation = &relation_runs, .a = i};
            if (relation_counts(what, &reading) && run_makes(what, &row, i))
                relation_add(what, readings, reading);
        }
    }
}

// --- what is said

static const Known *base_of(int row)
{
    while (!rows[row].stage)
        row--;
    return &rows[row];
}

static void known_say(const RelationReading *reading, Language language,
                      char text[RELATION_TEXT_MAX])
{
    char number[32], name[80], sentence[RELATION_TEXT_MAX];
    const Known *row = &rows[reading->a], *base = base_of(reading->a);
    if (row->is_fraction)
        relation_number(reading->number, number);
    else if (row->name)
        snprintf(number, sizeof number, "%s %.4g", reading->number < 0.0 ? "-" : "+",
                 fabs(reading->number));
    else
        snprintf(number, sizeof number, fabs(reading->number) < 1e4 ? "%.4g" : "%.7g",
                 reading->number);
    words_format(name, sizeof name, row->name ? row->name : "%s", number);
    if (row->numbers == of_sizes)
        snprintf(name, sizeof name, "%s", symbol_names[(int)reading->number - 1]);
    if (row->numbers == of_formulas)
        snprintf(name, sizeof name, "%s", relation_formula((int)reading->number - 1));
    words_format(sentence, sizeof sentence, row->words.in[language], name);
    if (reading->relation == &relation_runs && (base->kind & SAYS_STAGE))
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INNER_STEP), base->stage, "", "",
                     sentence);
    else
        snprintf(text, RELATION_TEXT_MAX, "%s", sentence);
}

static bool is_sized(const RelationReading *reading)
{
    return rows[reading->a].numbers || rows[reading->a].name;
}

const Relation relation_known = {
    .name = "known", .read = known_read, .say = known_say, .is_sized = is_sized};
const Relation relation_sums = {
    .name = "sums", .read = sums_read, .say = known_say, .is_sized = is_sized};
const Relation relation_infinite = {.name = "infinite", .read = infinite_read, .say = known_say};
const Relation relation_function = {.name = "function", .read = function_read, .say = known_say};
const Relation relation_runs = {.name = "runs", .read = runs_read, .say = known_say};
