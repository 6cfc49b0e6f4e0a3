// Relations found by trying the wrong formulas of relation_known.def.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "relation_tools.h"
#include "trace_program.h"

// Where the rows of a base are tried, what they are about (INPUT, EARLIER, AXIS), and what the case must be (NUMBERS).
// SAYS_STAGE: the sentence about a run names the stage.
enum {
    STEP = 1,
    IN_RUN = 2,
    BACK = 4,
    FUNCTION = 8,
    SAYS_STAGE = 16,
    INPUT = 32,
    AXIS = 64,
    NUMBERS = 128,
    EARLIER = 256,
    OPTION = 512,
    RUN = IN_RUN | BACK,
    BOTH = STEP | RUN,
    INSIDE = BOTH | SAYS_STAGE,
    NAMED_BY_RELATION = INPUT | AXIS | NUMBERS,
};

#define LIST(name, text) static const char name[] = text;
#define BASE(...)
#define FORM(...)
#include "relation_known.def"
#undef LIST
#undef BASE
#undef FORM
#define LIST(...)

enum { ITEM_MAX = 32, TEXTS_MAX = 64 };

// What of a sum is truncated after each of its terms.
typedef enum Cut { CUT_NOTHING, CUT_SUM, CUT_SUM_AND_BIAS } Cut;

// A row of relation_known.def. One with a stage is the base of those below it.
typedef struct Known {
    int kind;          // of a base
    const char *stage; // of a base; NULL: no base
    const char *parts;
    const char *choices; // what `parts`, a name, may be defined as; NULL: `parts` has definitions
    Words words;
    bool is_as_above;             // has the words of the row above
    const char *names[LANGUAGES]; // for the sentence, one for each choice
    const char *texts;            // values for n
    bool is_signed;               // the sentence has the expression with n
    bool is_solved;               // n is computed
    Cut cut;                      // n counts the terms
    Symbol doubted;               // its size makes the row doubtful
    ptrdiff_t doubted_size;
    bool is_of_two; // doubtful along an axis of two
    bool is_always;
} Known;

#define SAYS(english, korean) .words = WORDS(english, korean)
#define SAYS_OF(NAME) .words = WORDS_ROW(NAME)
#define AS_ABOVE .is_as_above = true
#define ONE_OF(list) .choices = list
#define NAMED_IN(english, korean) .names = {english, korean}
#define NAMED(names) NAMED_IN(names, names)
#define EACH(list) .texts = list
#define SIGNED(list) .texts = list, .is_signed = true
#define SOLVED .is_solved = true
#define CUT .cut = CUT_SUM
#define CUT_ALL .cut = CUT_SUM_AND_BIAS
#define OF_TWO .is_of_two = true
#define ALWAYS .is_always = true
#define DOUBTED(symbol, size) .doubted = SYMBOL_##symbol, .doubted_size = size

static const Known rows[] = {
#define BASE(of, name, text) {.kind = of, .stage = name, .parts = text},
#define FORM(...) {.parts = __VA_ARGS__},
#include "relation_known.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static const double most = 1e8; // bound on the operations of a formula

// --- names

// The tensors of a case along an axis: [before, axis, after].
typedef struct Along {
    Tensor right, wrong, off;
    Symbol counts; // what the axis does
} Along;

typedef struct Names {
    const RelationCase *what;
    TraceProgram step;
    FormulaScope of_step;
    const Tensor *input; // that the rows are about; NULL: none
    const Along *along;  // the axis that they are about; NULL: none
    bool of_function;    // names are arguments of the function, not of the step
    bool narrow;         // float32 as in a plain loop: overflows and zeros tell much
    bool is_near;        // computed in double precision: the tolerance is wider
} Names;

// True if the step reads an axis. If it does not read L, that means the number of queries.
static bool reads_axis(const RelationCase *what, Symbol axis)
{
    Symbol own[TRACE_WORDS_MAX];
    const Slot *reads = what->right->steps[what->step].call->reads;
    for (int slot = 0; slot < STAGE_READS_MAX && reads[slot].role; slot++)
        if (trace_find_symbol(own, relation_symbols(reads[slot].axes, own), axis) >= 0)
            return true;
    return false;
}

static FormulaThing value_thing(ptrdiff_t value)
{
    return (FormulaThing){.kind = FORMULA_VALUE, .value = (double)value};
}

static FormulaThing tensor_thing(const Tensor *tensor)
{
    return (FormulaThing){.kind = FORMULA_TENSOR, .tensor = *tensor, .hidden = -1};
}

// A name that only rows have.
static FormulaThing own_name(const Names *names, const char *name)
{
    const Along *along = names->along;
    const Tensor *known = names->what->known;
    if (strcmp(name, "right") == 0)
        return tensor_thing(along ? &along->right : known);
    if (strcmp(name, "wrong") == 0)
        return tensor_thing(along ? &along->wrong : names->what->wrong);
    if (strcmp(name, "off") == 0 && along)
        return tensor_thing(&along->off);
    if (along && (strcmp(name, "length") == 0 || strcmp(name, "inner") == 0))
        return value_thing(along->right.shape[*name == 'l' ? 1 : 2]);
    if (strcmp(name, "input") == 0 && names->input)
        return tensor_thing(names->input);
    if (strcmp(name, "columns") == 0 && (names->input || along))
        return value_thing(along ? known->shape[known->rank - 1]
                                 : names->input->shape[names->input->rank - 1]);
    return (FormulaThing){.kind = FORMULA_UNKNOWN};
}

// Along an axis, a step may have no bias.
static FormulaThing bias_of(const Names *names)
{
    FormulaThing bias = {.kind = FORMULA_ABSENT};
    if (names->what->given)
        bias = names->of_step.read(names->of_step.context, "bias");
    return bias.kind == FORMULA_TENSOR ? bias : (FormulaThing){.kind = FORMULA_ABSENT};
}

static FormulaThing read_name(void *context, const char *name)
{
    const Names *names = context;
    static const char given[] = "given_";
    const ScenarioTensor *tensor = NULL;
    FormulaThing own = own_name(names, name);
    if (own.kind != FORMULA_UNKNOWN)
        return own;
    if (names->along && strcmp(name, "bias") == 0)
        return bias_of(names);
    if (strncmp(name, given, strlen(given)) == 0)
        tensor = scenario_tensor(names->what->right->scenario, name + strlen(given));
    else if (names->what->given) {
        bool is_length =
            !names->of_function && strcmp(name, "L") == 0 && !reads_axis(names->what, SYMBOL_L);
        return names->of_step.read(names->of_step.context, is_length ? "Lq" : name);
    }
    if (tensor)
        return tensor_thing(&tensor->tensor);
    int symbol = 0;
    while (symbol < SYMBOL_COUNT && strcmp(symbol_names[symbol], name) != 0)
        symbol++;
    double size = symbol < SYMBOL_COUNT ? (double)names->what->right->scenario->size[symbol] : 0.0;
    return (FormulaThing){.kind = size > 0.0 ? FORMULA_VALUE : FORMULA_UNKNOWN, .value = size};
}

// In a whole run the result has the shape of the right tensor.
static FormulaThing result_name(void *context, const char *name, bool is_first)
{
    const Names *names = context;
    if (names->along)
        return is_first ? tensor_thing(&names->along->right)
                        : (FormulaThing){.kind = FORMULA_UNKNOWN};
    if (names->what->given)
        return names->of_step.result(names->of_step.context, name, is_first);
    return is_first ? read_name(context, "right") : (FormulaThing){.kind = FORMULA_UNKNOWN};
}

static void open_names(Names *names)
{
    const RelationCase *what = names->what;
    if (names->of_function) {
        StageArgs passed = *what->passed;
        passed.options = &what->right->scenario->options;
        names->of_step = trace_program_alone(&names->step, what->right->steps[what->step].stage,
                                             what->arguments, &passed);
    } else if (what->given)
        names->of_step = trace_program_scope(&names->step, what->right, what->step, what->given);
}

// --- numbers

// Replaces and adds the definitions of a row. Returns false if memory is short.
static bool merge(const RelationCase *what, const char *base, const char *parts, Formula *merged)
{
    const Formula *own = relation_parse(what, base), *row = relation_parse(what, parts);
    if (!own || !row)
        return false;
    *merged = *own;
    for (int i = 0; i < row->count; i++) {
        int at = 0;
        while (at < merged->count &&
               strcmp(row->definitions[i].name, merged->definitions[at].name) != 0)
            at++;
        if (at == FORMULA_DEFINITIONS_MAX)
            return false;
        merged->definitions[at] = row->definitions[i];
        merged->count += at == merged->count;
    }
    return true;
}

static bool compute(Names *names, const Formula *formula, bool is_whole, Tensor *made, Arena *arena)
{
    const RelationCase *what = names->what;
    const FormulaScope scope = {read_name, result_name, names};
    RelationAsk ask = {.formula = formula,
                       .scope = &scope,
                       .result = -1,
                       .most = most,
                       .narrow = names->narrow,
                       .like = is_whole       ? NULL
                               : names->along ? &names->along->wrong
                                              : what->wrong};
    if (what->given && !names->of_function && !names->along)
        ask.result =
            SOURCE_OWN +
            (what->output ? what->output : what->right->steps[what->step].stage->main_output);
    open_names(names);
    names->step.narrow = names->narrow;
    return relation_compute(what, &ask, arena, made, NULL);
}

// The squared distance from the wrong numbers.
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
    return relation_makes(what, made) || (names->is_near && relation_nearly_makes(what, made));
}

// Text i of a list. Returns false after the last.
static bool item(const char *list, int i, char text[], size_t room)
{
    for (; i > 0 && list; i--) {
        list = strchr(list, ';');
        list = list ? list + strlen("; ") : NULL;
    }
    if (list)
        snprintf(text, room, "%.*s", (int)strcspn(list, ";"), list);
    return list != NULL;
}

enum { PARTS_MAX = FORMULA_TEXT_MAX + 1 };

// The number of a row's first choice; 0 if it has none.
static int first_of(const Known *row)
{
    return row->choices != NULL;
}

// The definitions of a choice of the row. Returns NULL after the last.
static const char *parts_of(const Known *row, int number, char text[PARTS_MAX])
{
    char choice[PARTS_MAX];
    if (!row->choices)
        return number == 0 ? row->parts : NULL;
    if (!item(row->choices, number - 1, choice, sizeof choice))
        return NULL;
    snprintf(text, PARTS_MAX, "%s = %.*s", row->parts, PARTS_MAX / 2, choice);
    return text;
}

static FormulaThing any_result(void *context, const char *name, bool is_first)
{
    (void)context, (void)name, (void)is_first;
    return (FormulaThing){.kind = FORMULA_UNKNOWN};
}

// The value of a text with the sizes of the case; NAN if one is missing.
static double value_of(const RelationCase *what, Names *names, const char *text)
{
    char formula_text[2 * ITEM_MAX];
    Arena arena = {0};
    Error err = {.text = ""};
    FormulaProgram program;
    const FormulaScope scope = {read_name, any_result, names};
    open_names(names);
    snprintf(formula_text, sizeof formula_text, "value = %s", text);
    const Formula *formula = relation_parse(what, formula_text);
    bool good = formula && formula_bind(&arena, formula, &scope, 1e3, &program, &err) &&
                formula_run(&program, false, &err);
    relation_lacks(what, &err);
    double value = good ? *(const double *)program.results[0].numbers.storage.bytes : NAN;
    arena_finish(&arena);
    return value;
}

// A row that is tried in a case.
typedef struct Attempt {
    const RelationCase *what;
    RelationReadings *readings;
    RelationRun *run; // whose steps of `stage` compute the formula; NULL: a step
    const char *stage;
    bool is_option;
    Names names;
    Formula formula;
    double *n;       // of the formula; NULL: it has none
    ptrdiff_t terms; // of its sum
    RelationReading reading;
} Attempt;

static const Known *row_of(const Attempt *attempt)
{
    return &rows[attempt->reading.a];
}

static void add(Attempt *attempt, double number, bool is_doubtful)
{
    const Known *row = row_of(attempt);
    const Scenario *scenario = attempt->what->right->scenario;
    attempt->reading.number = number;
    relation_add_if(
        attempt->what, attempt->readings, attempt->reading,
        is_doubtful || (row->is_of_two && attempt->names.along->right.shape[1] == 2) ||
            (row->doubted_size > 0 && scenario->size[row->doubted] == row->doubted_size));
}

// True if the run is right with another scale: that of the formula, on the way back too.
static bool option_makes(const Attempt *attempt)
{
    RelationRun run;
    Scenario *scenario = relation_run_changed(&run, attempt->what);
    const FormulaNode *value = attempt->formula.definitions[0].value;
    if (scenario)
        scenario->options.scale = (float)(attempt->n ? *attempt->n : value->number);
    bool made =
        scenario && scenario->options.scale > 0.0f && relation_run_makes(&run, 0, -1, NULL, NULL);
    relation_run_close(&run);
    return made;
}

// The distance of its numbers from the wrong ones with this n; INFINITY without numbers.
static double try_with(Attempt *attempt, double n, bool *makes)
{
    Tensor made;
    Arena room = {0};
    if (attempt->n)
        *attempt->n = n;
    if (attempt->run) {
        *makes = attempt->is_option
                     ? option_makes(attempt)
                     : relation_formula_makes(attempt->run, &attempt->formula,
                                              &(RelationSteps){.stage = attempt->stage}, most);
        return *makes ? 0.0 : INFINITY;
    }
    bool good = compute(&attempt->names, &attempt->formula, false, &made, &room);
    double from = good ? distance(attempt->what, &made) : INFINITY;
    *makes = good && is_made(attempt->what, &attempt->names, &made);
    arena_finish(&room);
    return from;
}

static bool counts(Attempt *attempt, double number)
{
    attempt->reading.number = number;
    return relation_counts(attempt->what, &attempt->reading);
}

// Only steps with heads tell queries from keys; elsewhere both are tokens.
static bool is_other_name(const RelationCase *what, const char *text)
{
    const char *length = strchr(text, 'L');
    bool has_heads = what->step >= 0 && reads_axis(what, SYMBOL_H);
    return has_heads ? length && length[1] != 'q' && length[1] != 'k'
                     : strcmp(text, symbol_names[SYMBOL_LQ]) == 0 ||
                           strcmp(text, symbol_names[SYMBOL_LK]) == 0;
}

// Several n may be right within rounding; the nearest is named, by all its texts. A size of 1 divides nothing, so it is
// doubtful.
static void read_texts(Attempt *attempt)
{
    int count = 0;
    double values[TEXTS_MAX], from[TEXTS_MAX], least = INFINITY, nearest = NAN;
    char text[ITEM_MAX], *end;
    const char *list = row_of(attempt)->texts;
    for (; count < TEXTS_MAX && item(list, count, text, sizeof text); count++) {
        bool makes = false;
        bool is_tried = !is_other_name(attempt->what, text) && counts(attempt, count + 1.0);
        double value = is_tried ? value_of(attempt->what, &attempt->names, text) : NAN;
        values[count] = value;
        from[count] = isfinite(value) ? try_with(attempt, value, &makes) : INFINITY;
        if (from[count] < least)
            nearest = makes ? value : NAN;
        least = fmin(least, from[count]);
    }
    for (int i = 0; isfinite(nearest) && i < count; i++) {
        item(list, i, text, sizeof text);
        bool is_size = strtod(text, &end) != 1.0 || *end;
        if (attempt->run ? from[i] == 0.0 : fabs(values[i] - nearest) <= 1e-9 * fabs(nearest))
            add(attempt, i + 1.0, is_size && values[i] == 1.0);
    }
}

// The n that gives the wrong number where n matters most.
static double solve(Attempt *attempt)
{
    Tensor none, one;
    Arena room = {0};
    double largest = 0.0, n = NAN;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    *attempt->n = 0.0;
    bool good = compute(&attempt->names, &attempt->formula, true, &none, &room);
    *attempt->n = 1.0;
    good = good && compute(&attempt->names, &attempt->formula, true, &one, &room);
    for (bool more = good; more; more = tensor_next(&one, at)) {
        double from = tensor_number(&none, at), step = tensor_number(&one, at) - from;
        if (isfinite(step) && fabs(step) > largest) {
            largest = fabs(step);
            n = (tensor_number(attempt->what->wrong, at) - from) / step;
        }
    }
    arena_finish(&room);
    return n;
}

// True if the numbers are whole, or whole and a bias.
static bool are_cut(const Tensor *numbers, const Tensor *bias)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do {
        double number = tensor_number(numbers, at) - (bias ? tensor_number(bias, at) : 0.0);
        if (!(fabs(number - round(number)) < 1e-3))
            return false;
    } while (tensor_next(numbers, at));
    return true;
}

// The numbers of the formula with this n are added to the sums, which are then cut.
static bool add_cut(Attempt *attempt, double n, const Tensor *bias, Tensor *sums)
{
    Tensor made;
    Arena room = {0};
    *attempt->n = n;
    bool good = compute(&attempt->names, &attempt->formula, true, &made, &room);
    for (ptrdiff_t i = 0; good && i < tensor_count(sums); i++) {
        float *sum = &sums->storage.f32[i];
        *sum = truncf(*sum + (made.storage.f32[i] - bias->storage.f32[i]));
    }
    arena_finish(&room);
    return good;
}

static bool makes_cut(Attempt *attempt)
{
    Tensor bias, sums;
    Error err = {.text = ""};
    Arena arena = {0};
    const Tensor *wrong = attempt->what->wrong;
    bool is_all = row_of(attempt)->cut == CUT_SUM_AND_BIAS;
    *attempt->n = -1.0;
    bool good = compute(&attempt->names, &attempt->formula, true, &bias, &arena) &&
                are_cut(wrong, is_all ? NULL : &bias) &&
                tensor_take(&arena, DTYPE_F32, wrong->rank, wrong->shape, &sums, &err);
    for (ptrdiff_t n = 0; good && n < attempt->terms; n++)
        good = add_cut(attempt, (double)n, &bias, &sums);
    for (ptrdiff_t i = 0; good && i < tensor_count(&sums); i++) {
        float whole = sums.storage.f32[i] + bias.storage.f32[i];
        sums.storage.f32[i] = is_all ? truncf(whole) : whole;
    }
    good = good && relation_makes(attempt->what, &sums);
    relation_lacks(attempt->what, &err);
    arena_finish(&arena);
    return good;
}

static void read_one(Attempt *attempt)
{
    bool makes = false;
    double n = attempt->reading.number; // of a choice
    if (row_of(attempt)->texts) {
        read_texts(attempt);
        return;
    }
    if (row_of(attempt)->cut) {
        if (makes_cut(attempt))
            add(attempt, n, false);
        return;
    }
    if (row_of(attempt)->is_solved)
        n = solve(attempt);
    if (isfinite(n))
        try_with(attempt, n, &makes);
    if (makes)
        add(attempt, n, false);
}

typedef struct Asking {
    const Relation *relation;
    const RelationSum *sum; // the base of this step; NULL: the row's
    const Tensor *input;    // of the step
    int slot;               // of the input
    const Along *along;     // an axis
    RelationRun *run;       // a whole run; NULL: a step
    bool has_lists;         // of a run: rows with a list are tried, or those without
} Asking;

// Puts the row's formula together. Returns false if memory is short.
static bool open_row(Attempt *attempt, int base, const char *parts, const RelationSum *sum)
{
    char own[PARTS_MAX], whole[PARTS_MAX];
    bool has_n = row_of(attempt)->texts || row_of(attempt)->is_solved || row_of(attempt)->cut;
    if (sum)
        parts = relation_sum_parts(sum, parts, own);
    snprintf(whole, sizeof whole, "%s%s", parts, has_n ? "; n = 0" : "");
    if (!merge(attempt->what, sum ? sum->text : rows[base].parts, whole, &attempt->formula))
        return false;
    int last = attempt->formula.count - 1;
    attempt->n = has_n ? &attempt->formula.definitions[last].value->number : NULL;
    return true;
}

static void read_row(const Attempt *as, int base, const char *parts, const Asking *asking)
{
    Attempt attempt = *as;
    const Known *row = row_of(as);
    bool is_wide = rows[base].kind & NAMED_BY_RELATION;
    attempt.run = asking->run;
    attempt.stage = rows[base].stage;
    attempt.is_option = rows[base].kind & OPTION;
    attempt.names = (Names){.what = as->what,
                            .of_function = rows[base].kind == FUNCTION,
                            .input = asking->input,
                            .along = asking->along,
                            .narrow = !asking->sum && !is_wide,
                            .is_near = asking->sum || is_wide || (!row->texts && !row->is_solved)};
    attempt.terms = asking->sum ? asking->sum->terms : 0;
    if (open_row(&attempt, base, parts, asking->sum))
        read_one(&attempt);
}

static void read_rows(const RelationCase *what, RelationReadings *readings, int base,
                      const Asking *asking)
{
    Attempt attempt = {.what = what, .readings = readings};
    for (int row = base + 1; row < ROWS && !rows[row].stage; row++) {
        char text[PARTS_MAX];
        const char *parts;
        attempt.reading =
            (RelationReading){.relation = asking->relation,
                              .a = row,
                              .b = asking->along ? (int)asking->along->counts : asking->slot,
                              .number = first_of(&rows[row])};
        bool has_list = rows[row].texts != NULL;
        while ((!asking->run || has_list == asking->has_lists) &&
               relation_is_kept(what, asking->relation, row) &&
               (parts = parts_of(&rows[row], (int)attempt.reading.number, text)) != NULL) {
            if (has_list || rows[row].is_solved || relation_counts(what, &attempt.reading))
                read_row(&attempt, base, parts, asking);
            attempt.reading.number++;
        }
    }
}

static void known_read(const RelationCase *what, RelationReadings *readings)
{
    for (int i = 0; what->given && i < ROWS; i++)
        if (rows[i].stage && (((rows[i].kind & STEP) && relation_is_stage(what, rows[i].stage)) ||
                              (rows[i].kind == FUNCTION && what->function &&
                               strcmp(what->function, rows[i].stage) == 0)))
            read_rows(what, readings, i, &(Asking){.relation = &relation_known});
}

// Input `number` that the rows of a base are about; NULL: it is none. That of a whole run is x.
static const Tensor *input_of(const RelationCase *what, int kind, int number, StageArgs *args)
{
    Error ignored;
    const Tensor *input = NULL;
    int x = number == 0 ? trace_find(what->right, "x") : -1;
    if (kind & EARLIER) {
        const TraceStep *step = &what->right->steps[number];
        if (relation_step_code(step) >= 0 && trace_arguments(what->right, number, args, &ignored))
            input = &args->out[step->stage->main_output];
    } else if (what->given)
        input = &what->given->in[number];
    else if (x >= 0)
        input = &what->right->tensors[x].tensor;
    return input && input->storage.bytes ? input : NULL;
}

static void read_inputs(const RelationCase *what, RelationReadings *readings, int base,
                        const Relation *relation)
{
    int kind = rows[base].kind;
    int count = !(kind & EARLIER) ? STAGE_READS_MAX : what->given ? 0 : what->right->step_count;
    for (int i = 0; i < count; i++) {
        StageArgs args;
        const Tensor *input = input_of(what, kind, i, &args);
        int slot = kind & EARLIER ? relation_step_code(&what->right->steps[i]) : i;
        if (input)
            read_rows(what, readings, base,
                      &(Asking){.relation = relation, .input = input, .slot = slot});
    }
}

static void sums_read(const RelationCase *what, RelationReadings *readings)
{
    RelationSum sum;
    int base = 0;
    while (!rows[base].stage || strcmp(rows[base].stage, "sum") != 0)
        base++;
    if (what->given && what->known->dtype == DTYPE_F32 &&
        relation_sum_open(what, rows[base].parts, &sum))
        read_rows(what, readings, base, &(Asking){.relation = &relation_sums, .sum = &sum});
}

// --- along an axis

static bool flatten(const Tensor *from, int axis, Arena *arena, Tensor *flat, Error *err)
{
    ptrdiff_t shape[] = {1, from->shape[axis], 1};
    for (int i = 0; i < from->rank; i++)
        shape[i < axis ? 0 : 2] *= i == axis ? 1 : from->shape[i];
    if (!tensor_take(arena, from->dtype, from->rank, from->shape, flat, err))
        return false;
    tensor_copy(from, flat);
    *flat = tensor_over(flat->storage.bytes, from->dtype, 3, shape);
    return true;
}

// Where a number is wrong.
static bool find_off(const RelationCase *what, Arena *arena, Tensor *off, Error *err)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, place = 0;
    if (!tensor_take(arena, DTYPE_BOOL, what->known->rank, what->known->shape, off, err))
        return false;
    do
        off->storage.boolean[place++] = !tensor_difference_agrees(what->wrong, what->known, at);
    while (tensor_next(what->known, at));
    return true;
}

static void read_along(const RelationCase *what, RelationReadings *readings, int base,
                       const Relation *relation)
{
    Error err = {.text = ""};
    Arena arena = {0};
    Tensor off;
    bool good = find_off(what, &arena, &off, &err);
    for (int axis = 0; good && axis < what->known->rank; axis++) {
        Arena room = {0};
        Along along = {.counts = relation_axis_named(what->axes, axis)};
        good = flatten(what->known, axis, &room, &along.right, &err) &&
               flatten(what->wrong, axis, &room, &along.wrong, &err) &&
               flatten(&off, axis, &room, &along.off, &err);
        if (good && (what->known->shape[axis] > 1 || relation == &relation_accumulated))
            read_rows(what, readings, base, &(Asking){.relation = relation, .along = &along});
        arena_finish(&room);
    }
    relation_lacks(what, &err);
    arena_finish(&arena);
}

// --- bases that are named by their relation

static void read_named(const RelationCase *what, RelationReadings *readings, const char *name,
                       const Relation *relation)
{
    for (int i = 0; i < ROWS; i++) {
        int kind = rows[i].kind;
        bool applies = !(kind & NUMBERS) || what->known->dtype == DTYPE_F32;
        if (!(kind & NAMED_BY_RELATION) || strcmp(rows[i].stage, name) != 0 || !applies)
            continue;
        if (kind & AXIS)
            read_along(what, readings, i, relation);
        else if (kind & INPUT)
            read_inputs(what, readings, i, relation);
        else
            read_rows(what, readings, i, &(Asking){.relation = relation});
    }
}

// --- in a whole run

// True if steps of this stage stand in the place of the whole mistake, so that nothing of it is left.
static bool is_instead(const Mistake *mistake, const char *stage)
{
    return mistake && !mistake->stages[1] && strcmp(mistake->stages[0]->name, stage) == 0;
}

// Rows about masks are tried with a mask even if none was asked for.
static void read_runs(const RelationCase *what, RelationReadings *readings, bool has_lists)
{
    int where = what->tensor ? BACK : IN_RUN;
    RelationRun masked;
    Scenario *scenario = relation_run_changed(&masked, what);
    if (scenario)
        scenario->masked = true;
    for (int i = 0; i < ROWS; i++)
        if (rows[i].stage && (rows[i].kind & where) && !is_instead(what->beside, rows[i].stage)) {
            bool is_mask = strcmp(rows[i].stage, "mask") == 0;
            read_rows(what, readings, i,
                      &(Asking){.relation = &relation_runs,
                                .run = is_mask ? &masked : what->run,
                                .has_lists = has_lists});
        }
    relation_run_close(&masked);
}

// Lists are tried only if nothing else is known. Beside another mistake they would take too long.
static void runs_read(const RelationCase *what, RelationReadings *readings)
{
    if (what->step >= 0)
        return;
    read_runs(what, readings, false);
    if (what->kept || (readings->count == 0 && !what->beside))
        read_runs(what, readings, true);
}

// --- what is said

static const Known *base_of(int row)
{
    while (!rows[row].stage)
        row--;
    return &rows[row];
}

// The expression of a row with a text in place of n; "+ -1" becomes "- 1".
static void put_text(const char *parts, const char *text, char name[], size_t room)
{
    const char *from = strstr(parts, " = ") + strlen(" = ");
    int before = 0;
    while (from[before] != 'n' || isalpha(from[before + 1]) ||
           (before > 0 && isalpha(from[before - 1])))
        before++;
    bool is_minus = *text == '-' && before > 1 && from[before - 2] == '+';
    snprintf(name, room, "%.*s%s%s%s", is_minus ? before - 2 : before, from, is_minus ? "- " : "",
             text + is_minus, from + before + 1);
}

// The name for the sentence: the row's, its choice, or n.
static const char *name_of(const RelationReading *reading, Language language, char name[],
                           size_t room)
{
    const Known *row = &rows[reading->a];
    const char *own = row->names[language_recorded(language)], *names = own ? own : row->choices;
    char text[ITEM_MAX] = "";
    if (row->texts)
        item(row->texts, (int)reading->number - 1, text, sizeof text);
    if (row->is_signed)
        put_text(row->parts, text, name, room);
    else if (names)
        item(names, (int)reading->number - first_of(row), name, room);
    else
        snprintf(name, room, "%s", row->is_solved ? relation_number(reading->number, text) : text);
    return name;
}

// The base's own definitions of what a row replaces.
static void base_parts(const char *base, const char *parts, char text[RELATION_TEXT_MAX])
{
    Error err;
    Arena arena = {0};
    Formula own, row;
    text[0] = '\0';
    bool good = formula_parse(&arena, base, &own, &err) && formula_parse(&arena, parts, &row, &err);
    for (int i = 0; good && i < row.count; i++)
        for (int j = 0; j < own.count; j++)
            if (strcmp(own.definitions[j].name, row.definitions[i].name) == 0) {
                const char *as_written = own.text + own.definitions[j].from;
                text_add(text, RELATION_TEXT_MAX, "%s%.*s", *text ? "; " : "",
                         (int)strcspn(as_written, ";"), as_written);
            }
    arena_finish(&arena);
}

static void known_say(const RelationReading *reading, Language language,
                      char text[RELATION_TEXT_MAX])
{
    char name[80], has[RELATION_TEXT_MAX], sentence[RELATION_TEXT_MAX], own[PARTS_MAX];
    const Known *row = &rows[reading->a], *base = base_of(reading->a), *worded = row;
    while (worded->is_as_above)
        worded--;
    bool is_of_input = base->kind & (INPUT | AXIS);
    name_of(reading, language, name, sizeof name);
    const char *input = base->kind & AXIS ? relation_axis_word((Symbol)reading->b, false, language)
                        : base->kind & EARLIER ? relation_step_name(reading->b, language, own)
                        : reading->call        ? reading->call->reads[reading->b].role
                                               : "x";
    if (worded->words.in[language])
        words_format(sentence, sizeof sentence, worded->words.in[language],
                     is_of_input ? input : name, name);
    else {
        const char *parts = parts_of(row, (int)reading->number, own);
        base_parts(base->parts, parts, has);
        words_format(sentence, sizeof sentence, TELL_IN(language, KNOWN_FORM), parts, has);
    }
    if (reading->relation == &relation_runs && (base->kind & SAYS_STAGE))
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INNER_STEP), base->stage, sentence);
    else
        snprintf(text, RELATION_TEXT_MAX, "%s", sentence);
}

static bool is_sized(const RelationReading *reading)
{
    return rows[reading->a].texts != NULL;
}

const Relation relation_known = {
    .read = known_read, .say = known_say, .is_formula = true, .is_sized = is_sized};
const Relation relation_sums = {.read = sums_read, .say = known_say, .is_sized = is_sized};
const Relation relation_runs = {.read = runs_read, .say = known_say};

static bool is_always(const RelationReading *reading)
{
    return rows[reading->a].is_always;
}

#define NAMED_RELATION(name) \
    static void name##_read(const RelationCase *what, RelationReadings *readings) \
    { \
        read_named(what, readings, #name, &relation_##name); \
    } \
    const Relation relation_##name = { \
        .read = name##_read, .say = known_say, .is_always = is_always, .is_sized = is_sized};

NAMED_RELATION(infinite)
NAMED_RELATION(function)
NAMED_RELATION(elsewhere)
NAMED_RELATION(change)
NAMED_RELATION(earlier)
NAMED_RELATION(accumulated)
NAMED_RELATION(alike)
NAMED_RELATION(places)
NAMED_RELATION(row_factor)
