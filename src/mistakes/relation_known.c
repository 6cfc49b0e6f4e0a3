// Relations found by trying the wrong formulas of relation_known.def.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "relation_tools.h"
#include "trace_program.h"

// Where the rows of a base are tried, what they are about (INPUT, RESIDUAL, AXIS), and what the case must be (NUMBERS,
// MASKED, LAYER, SOFTMAX). SAYS_STAGE: the sentence about a run names the stage.
enum {
    STEP = 1,
    IN_RUN = 2,
    BACK = 4,
    FUNCTION = 8,
    OPTION = 16,
    SAYS_STAGE = 32,
    INPUT = 64,
    RESIDUAL = 128,
    AXIS = 256,
    NUMBERS = 512,
    MASKED = 1024,
    LAYER = 2048,
    SOFTMAX = 4096,
    RUN = IN_RUN | BACK,
    BOTH = STEP | RUN,
    INSIDE = BOTH | SAYS_STAGE,
    NAMED_BY_RELATION = INPUT | AXIS | NUMBERS | LAYER | SOFTMAX,
};

#define LIST(name, text) static const char name[] = text;
#define BASE(...)
#define FORM(...)
#include "relation_known.def"
#undef LIST
#undef BASE
#undef FORM
#define LIST(...)

enum { ITEM_MAX = 32 };

typedef enum How { PLAIN, OF_EACH, OF_NEAREST, OF_SIGNED, OF_SOLVED } How;

// A row of relation_known.def. One with a stage is the base of those below it.
typedef struct Known {
    int kind;          // of a base
    const char *stage; // of a base; NULL: no base
    const char *parts;
    const char *choices; // what `parts`, a name, may be defined as; NULL: `parts` has definitions
    Words words;
    bool is_as_above; // has the words of the row above
    const char *name; // for the sentence
    How how;
    const char *texts; // values for n
    Symbol doubted;    // its size makes the row doubtful
    ptrdiff_t doubted_size;
    bool is_of_two; // doubtful along an axis of two
    bool is_always;
} Known;

#define SAYS(english, korean) .words = WORDS(english, korean)
#define SAYS_OF(NAME) .words = WORDS_ROW(NAME)
#define AS_ABOVE .is_as_above = true
#define ONE_OF(list) .choices = list
#define NAMED(text) .name = text
#define EACH(list) .how = OF_EACH, .texts = list
#define NEAREST(list) .how = OF_NEAREST, .texts = list
#define SIGNED(list) .how = OF_SIGNED, .texts = list
#define SOLVED .how = OF_SOLVED
#define OF_TWO .is_of_two = true
#define ALWAYS .is_always = true
#define DOUBTED(symbol, size) .doubted = SYMBOL_##symbol, .doubted_size = size

static const Known rows[] = {
#define BASE(of, name, text) {.kind = of, .stage = name, .parts = text},
#define FORM(...) {.parts = __VA_ARGS__},
#include "relation_known.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

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
    double n;
    bool of_function; // names are arguments of the function, not of the step
    bool narrow;      // float32 as in a plain loop: overflows and zeros tell much
    bool is_near;     // computed in double precision: the tolerance is wider
} Names;

// True if the step's first input has an axis L; otherwise L means the number of queries.
static bool reads_length(const RelationCase *what)
{
    const char *axes = what->right->steps[what->step].call->reads[0].axes;
    const RelationCase input = {.axes = axes ? axes : ""};
    bool found = false;
    for (int axis = 0; axis < TENSOR_RANK_MAX && !found; axis++)
        found = relation_axis(&input, axis) == SYMBOL_L;
    return found;
}

static FormulaThing value_thing(ptrdiff_t value)
{
    return (FormulaThing){.kind = FORMULA_VALUE, .value = (double)value};
}

static FormulaThing tensor_thing(const Tensor *tensor)
{
    return (FormulaThing){.kind = FORMULA_TENSOR, .tensor = *tensor, .hidden = -1};
}

// A bias of columns, the third input.
static FormulaThing bias_thing(const RelationCase *what)
{
    const Tensor *bias = what->given ? &what->given->in[2] : NULL;
    bool is_bias = bias && bias->storage.bytes && bias->dtype == DTYPE_F32 && bias->rank == 1 &&
                   bias->shape[0] == what->known->shape[what->known->rank - 1];
    return is_bias ? tensor_thing(bias) : (FormulaThing){.kind = FORMULA_ABSENT};
}

// A name that only rows have.
static FormulaThing own_name(const Names *names, const char *name)
{
    const Along *along = names->along;
    const Tensor *known = names->what->known;
    if (strcmp(name, "n") == 0 && !along) // there it is an axis
        return (FormulaThing){.kind = FORMULA_VALUE, .value = names->n};
    if (strcmp(name, "right") == 0)
        return tensor_thing(along ? &along->right : known);
    if (strcmp(name, "wrong") == 0)
        return tensor_thing(along ? &along->wrong : names->what->wrong);
    if (strcmp(name, "off") == 0 && along)
        return tensor_thing(&along->off);
    if (along && (strcmp(name, "length") == 0 || strcmp(name, "inner") == 0))
        return value_thing(along->right.shape[*name == 'l' ? 1 : 2]);
    if (along && strcmp(name, "bias") == 0)
        return bias_thing(names->what);
    if (strcmp(name, "input") == 0 && names->input)
        return tensor_thing(names->input);
    if (strcmp(name, "columns") == 0 && (names->input || along))
        return value_thing(along ? known->shape[known->rank - 1]
                                 : names->input->shape[names->input->rank - 1]);
    return (FormulaThing){.kind = FORMULA_UNKNOWN};
}

static FormulaThing read_name(void *context, const char *name)
{
    const Names *names = context;
    static const char given[] = "given_";
    const ScenarioTensor *tensor = NULL;
    FormulaThing own = own_name(names, name);
    if (own.kind != FORMULA_UNKNOWN)
        return own;
    if (strncmp(name, given, strlen(given)) == 0)
        tensor = scenario_tensor(names->what->right->scenario, name + strlen(given));
    else if (names->what->given) {
        bool is_length =
            !names->of_function && strcmp(name, "L") == 0 && !reads_length(names->what);
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

// Replaces and adds the definitions of a row.
static bool merge(Arena *arena, const char *base, const char *parts, Formula *merged, Error *err)
{
    Formula row;
    if (!formula_parse(arena, base, merged, err) || !formula_parse(arena, parts, &row, err))
        return false;
    for (int i = 0; i < row.count; i++) {
        int at = 0;
        while (at < merged->count &&
               strcmp(row.definitions[i].name, merged->definitions[at].name) != 0)
            at++;
        if (at == FORMULA_DEFINITIONS_MAX)
            return false;
        merged->definitions[at] = row.definitions[i];
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
                       .most = 1e8,
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
    Formula formula;
    FormulaProgram program;
    const FormulaScope scope = {read_name, any_result, names};
    open_names(names);
    snprintf(formula_text, sizeof formula_text, "value = %s", text);
    bool good = formula_parse(&arena, formula_text, &formula, &err) &&
                formula_bind(&arena, &formula, &scope, 1e3, &program, &err) &&
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
    Names names;
    Formula formula;
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

// The distance of its numbers from the wrong ones with this n; INFINITY without numbers.
static double try_with(Attempt *attempt, double n, bool *makes)
{
    Tensor made;
    Arena room = {0};
    attempt->names.n = n;
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

// The sizes in a text, as bits by symbol.
static unsigned long sizes_in(const char *text)
{
    unsigned long sizes = 0;
    char name[8];
    for (; *text; text++) {
        if (sscanf(text, "%7[A-Za-z_]", name) != 1)
            continue;
        for (int symbol = 0; symbol < SYMBOL_COUNT; symbol++)
            if (strcmp(symbol_names[symbol], name) == 0)
                sizes |= 1ul << symbol;
        text += strlen(name) - 1;
    }
    return sizes;
}

// Only steps with heads tell queries from keys; elsewhere both are tokens.
static bool is_other_name(const RelationCase *what, const char *text)
{
    const char *axes = what->step >= 0 ? what->right->steps[what->step].call->reads[0].axes : NULL;
    bool has_heads = axes && strchr(axes, 'H');
    unsigned long sizes = sizes_in(text), distinct = 1ul << SYMBOL_LQ | 1ul << SYMBOL_LK;
    return has_heads ? (sizes & 1ul << SYMBOL_L) && !(sizes & distinct)
                     : strcmp(text, symbol_names[SYMBOL_LQ]) == 0 ||
                           strcmp(text, symbol_names[SYMBOL_LK]) == 0;
}

// True if all sizes in a text belong to axes that the step reads; others agree by chance.
static bool is_of_step(const RelationCase *what, const char *text)
{
    const StageCall *call = what->step >= 0 ? what->right->steps[what->step].call : NULL;
    if (!call || relation_is_stage(what, "scale")) // d_k is not among its axes
        return true;
    unsigned long own = 1ul << SYMBOL_L;
    for (int slot = 0; slot < STAGE_READS_MAX && call->reads[slot].role; slot++) {
        const char *axes = call->reads[slot].axes;
        const RelationCase input = {.axes = axes ? axes : ""};
        for (int axis = 0; axis < TENSOR_RANK_MAX; axis++) {
            int symbol = (int)relation_axis(&input, axis);
            own |= symbol < SYMBOL_COUNT ? 1ul << symbol : 0;
        }
    }
    return !(sizes_in(text) & ~own);
}

// A size of 1 divides nothing, so it is doubtful.
static void read_texts(Attempt *attempt, bool is_own)
{
    char text[ITEM_MAX];
    for (int i = 0; item(row_of(attempt)->texts, i, text, sizeof text); i++) {
        bool makes;
        if (is_other_name(attempt->what, text) || is_of_step(attempt->what, text) != is_own ||
            !counts(attempt, (double)i + 1.0))
            continue;
        double value = value_of(attempt->what, &attempt->names, text);
        if (isfinite(value) && isfinite(try_with(attempt, value, &makes)) && makes)
            add(attempt, (double)i + 1.0, value == 1.0);
    }
}

// Several n may be right within rounding; the nearest is named.
static void read_nearest(Attempt *attempt)
{
    int nearest = -1;
    double least = INFINITY;
    bool makes = false;
    char text[ITEM_MAX];
    for (int i = 0; item(row_of(attempt)->texts, i, text, sizeof text); i++) {
        bool makes_now;
        if (!counts(attempt, (double)i + 1.0))
            continue;
        double now = try_with(attempt, value_of(attempt->what, &attempt->names, text), &makes_now);
        makes = now < least ? makes_now : makes;
        nearest = now < least ? i : nearest;
        least = fmin(least, now);
    }
    if (makes)
        add(attempt, (double)nearest + 1.0, false);
}

// The n that gives the wrong number where n matters most.
static double solve(Attempt *attempt)
{
    Tensor none, one;
    Arena room = {0};
    double most = 0.0, n = NAN;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    attempt->names.n = 0.0;
    bool good = compute(&attempt->names, &attempt->formula, true, &none, &room);
    attempt->names.n = 1.0;
    good = good && compute(&attempt->names, &attempt->formula, true, &one, &room);
    for (bool more = good; more; more = tensor_next(&one, at)) {
        double from = tensor_number(&none, at), step = tensor_number(&one, at) - from;
        if (isfinite(step) && fabs(step) > most) {
            most = fabs(step);
            n = (tensor_number(attempt->what->wrong, at) - from) / step;
        }
    }
    arena_finish(&room);
    return n;
}

static void read_one(Attempt *attempt)
{
    bool makes = false;
    double n = attempt->reading.number; // of a choice
    switch (row_of(attempt)->how) {
    case OF_EACH:
        read_texts(attempt, true);
        read_texts(attempt, false);
        return;
    case OF_NEAREST:
    case OF_SIGNED:
        read_nearest(attempt);
        return;
    case OF_SOLVED:
        n = solve(attempt);
        break;
    default:
        break;
    }
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
} Asking;

static void read_row(const Attempt *as, int base, const char *parts, const Asking *asking)
{
    Error err = {.text = ""};
    Arena arena = {0};
    Attempt attempt = *as;
    char own[PARTS_MAX];
    const Known *row = row_of(as);
    const RelationSum *sum = asking->sum;
    bool is_wide = rows[base].kind & NAMED_BY_RELATION;
    attempt.names =
        (Names){.what = as->what,
                .of_function = rows[base].kind == FUNCTION,
                .input = asking->input,
                .along = asking->along,
                .narrow = !sum && !is_wide,
                .is_near = sum || row->how == PLAIN || (is_wide && row->how == OF_EACH)};
    if (merge(&arena, sum ? sum->text : rows[base].parts,
              sum ? relation_sum_parts(sum, parts, own) : parts, &attempt.formula, &err))
        read_one(&attempt);
    relation_lacks(as->what, &err);
    arena_finish(&arena);
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
        while (relation_is_kept(what, asking->relation, row) &&
               (parts = parts_of(&rows[row], (int)attempt.reading.number, text)) != NULL) {
            if (rows[row].texts || rows[row].how == OF_SOLVED ||
                relation_counts(what, &attempt.reading))
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

static bool has_masked(const Tensor *numbers)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do
        if (tensor_number(numbers, at) == -INFINITY)
            return true;
    while (tensor_next(numbers, at));
    return false;
}

static void read_inputs(const RelationCase *what, RelationReadings *readings, int base,
                        const Relation *relation)
{
    for (int slot = 0; what->given && slot < STAGE_READS_MAX; slot++) {
        const Tensor *input = &what->given->in[slot];
        if (input->storage.bytes && tensor_same_shape(input, what->known))
            read_rows(what, readings, base,
                      &(Asking){.relation = relation, .input = input, .slot = slot});
    }
}

// A residual connection adds the first input, x in a whole run, to as many columns as it has.
static void read_residual(const RelationCase *what, RelationReadings *readings, int base,
                          const Relation *relation)
{
    int x = trace_find(what->right, "x");
    const Tensor *input = what->given ? &what->given->in[0]
                          : x >= 0    ? &what->right->tensors[x].tensor
                                      : NULL;
    if (input && input->storage.bytes && input->rank == 3 && what->known->rank == 3)
        read_rows(what, readings, base, &(Asking){.relation = relation, .input = input});
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

// True if all tokens of padded sequences are right. Then rows without padding are right anyway, which tells
// nothing about rows.
static bool is_padding_alone(const RelationCase *what)
{
    if (!relation_is_stage(what, "pad") || !what->given)
        return false;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do {
        bool is_token = (double)at[1] < tensor_number(&what->given->in[1], &at[0]);
        if (is_token && !tensor_difference_agrees(what->wrong, what->known, at))
            return false;
    } while (tensor_next(what->known, at));
    return true;
}

static void read_along(const RelationCase *what, RelationReadings *readings, int base,
                       const Relation *relation)
{
    int first = relation == &relation_places && is_padding_alone(what);
    Error err = {.text = ""};
    Arena arena = {0};
    Tensor off;
    bool good = find_off(what, &arena, &off, &err);
    for (int axis = first; good && axis < what->known->rank; axis++) {
        Arena room = {0};
        Along along = {.counts = relation_axis_named(what, axis)};
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

static bool applies(const RelationCase *what, int kind)
{
    bool is_layer = what->given && (relation_is_stage(what, "project") ||
                                    relation_is_stage(what, "output_projection"));
    return (!(kind & NUMBERS) || what->known->dtype == DTYPE_F32) &&
           (!(kind & MASKED) || has_masked(what->known)) && (!(kind & LAYER) || is_layer) &&
           (!(kind & SOFTMAX) || relation_is_stage(what, "softmax"));
}

static void read_named(const RelationCase *what, RelationReadings *readings, const char *name,
                       const Relation *relation)
{
    for (int i = 0; i < ROWS; i++) {
        int kind = rows[i].kind;
        if (!(kind & NAMED_BY_RELATION) || strcmp(rows[i].stage, name) != 0 || !applies(what, kind))
            continue;
        if (kind & AXIS)
            read_along(what, readings, i, relation);
        else if (kind & RESIDUAL)
            read_residual(what, readings, i, relation);
        else if (kind & INPUT)
            read_inputs(what, readings, i, relation);
        else
            read_rows(what, readings, i, &(Asking){.relation = relation});
    }
}

#define READ_NAMED(name) \
    static void name##_read(const RelationCase *what, RelationReadings *readings) \
    { \
        read_named(what, readings, #name, &relation_##name); \
    }
READ_NAMED(infinite)
READ_NAMED(function)
READ_NAMED(accumulated)
READ_NAMED(change)
READ_NAMED(elsewhere)
READ_NAMED(alike)
READ_NAMED(places)
READ_NAMED(row_factor)

// --- in a whole run

// A row that is tried in a whole run.
typedef struct RunAttempt {
    const RelationCase *what;
    RelationRun *run; // of formulas
    const Known *base, *row;
    const char *parts;
    double n;
} RunAttempt;

static bool formula_makes(const RunAttempt *attempt)
{
    Error err = {.text = ""};
    Arena arena = {0};
    Formula formula;
    char parts[FORMULA_TEXT_MAX + 1];
    snprintf(parts, sizeof parts, "%s; asked = %d", attempt->parts,
             attempt->what->right->scenario->options.causal);
    if (attempt->row->texts)
        text_add(parts, sizeof parts, "; n = %.9g", attempt->n);
    bool made = merge(&arena, attempt->base->parts, parts, &formula, &err) &&
                relation_formula_makes(attempt->run, &formula,
                                       &(RelationSteps){.stage = attempt->base->stage}, 1e8);
    relation_lacks(attempt->what, &err);
    arena_finish(&arena);
    return made;
}

// One head over the whole width in place of all.
static void join_heads(Scenario *scenario)
{
    scenario->options.heads = scenario->size[SYMBOL_H] = 1;
    scenario->size[SYMBOL_D_K] = scenario->size[SYMBOL_DK];
    scenario->size[SYMBOL_D_V] = scenario->size[SYMBOL_DV];
    scenario->options.scale = sqrtf((float)scenario->size[SYMBOL_DK]);
}

// False if the option does not apply to the scenario.
static bool set_option(Scenario *scenario, const char *name, double value)
{
    StageOptions *options = &scenario->options;
    bool is_causal = strcmp(name, "causal") == 0, is_value = strcmp(name, "mask_value") == 0;
    if (strcmp(name, "heads") == 0) {
        bool has_several = scenario->has_heads && scenario->size[SYMBOL_H] > 1;
        join_heads(scenario);
        return has_several;
    }
    if (is_causal ? options->causal : is_value ? !scenario->masked : !(value > 0.0))
        return false;
    if (is_causal)
        options->causal = scenario->masked = true;
    else if (is_value)
        options->mask_value = (float)value;
    else
        options->scale = (float)value;
    return true;
}

// The run is right with another option: the row is "option = value", attempt->n the value.
static bool option_makes(const RunAttempt *attempt)
{
    char name[ITEM_MAX];
    RelationRun run;
    Scenario *scenario = relation_run_changed(&run, attempt->what);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(attempt->row->parts, " "),
             attempt->row->parts);
    bool made = scenario && set_option(scenario, name, attempt->n) &&
                relation_run_makes(&run, 0, -1, NULL, NULL);
    relation_run_close(&run);
    return made;
}

// A size of 1 divides nothing, so it is doubtful.
static void read_run(RunAttempt *attempt, RelationReadings *readings)
{
    char text[ITEM_MAX] = "0", own[PARTS_MAX];
    const Known *row = attempt->row;
    RelationReading reading = {.relation = &relation_runs, .a = (int)(row - rows)};
    attempt->parts = row->parts;
    for (int i = row->texts ? 1 : first_of(row);
         row->texts ? item(row->texts, i - 1, text, sizeof text)
                    : (attempt->parts = parts_of(row, i, own)) != NULL;
         i++) {
        Names names = {.what = attempt->what};
        reading.number = (double)i;
        if (!relation_counts(attempt->what, &reading))
            continue;
        attempt->n = names.n = value_of(attempt->what, &names, text);
        bool is_by_1 = row->how == OF_EACH && names.n == 1.0;
        bool is_option = attempt->base->kind == OPTION;
        if (is_option)
            attempt->n = value_of(attempt->what, &names, strchr(row->parts, '=') + strlen("= "));
        if (isfinite(attempt->n) && (is_option ? option_makes(attempt) : formula_makes(attempt)))
            relation_add_if(attempt->what, readings, reading, is_by_1);
    }
}

static bool has_step_of(const RelationCase *what, const Known *base)
{
    bool found = base->kind == OPTION || strcmp(base->stage, "mask") == 0;
    for (int i = 0; i < what->right->step_count && !found; i++)
        found = relation_is_step(&what->right->steps[i], base->stage);
    return found;
}

// Rows about masks are tried with a mask even if none was asked for.
static void read_runs(const RelationCase *what, RelationReadings *readings, int where, bool has_n)
{
    const Known *base = NULL;
    RelationRun masked;
    Scenario *scenario;
    if (what->step >= 0)
        return;
    if ((scenario = relation_run_changed(&masked, what)) != NULL)
        scenario->masked = scenario->options.causal = true;
    for (int i = 0; i < ROWS; i++) {
        bool is_mask = base && strcmp(base->stage, "mask") == 0;
        RunAttempt attempt = {
            .what = what, .run = is_mask ? &masked : what->run, .base = base, .row = &rows[i]};
        if (rows[i].stage)
            base = (rows[i].kind & where) && has_step_of(what, &rows[i]) ? &rows[i] : NULL;
        else if (base && (rows[i].texts != NULL) == has_n)
            read_run(&attempt, readings);
    }
    relation_run_close(&masked);
}

// Lists are tried only if nothing else is known. Beside another mistake they would take too long.
static void runs_read(const RelationCase *what, RelationReadings *readings)
{
    int where = OPTION | (what->tensor ? BACK : IN_RUN);
    read_runs(what, readings, where, false);
    if (what->kept || (readings->count == 0 && !what->beside))
        read_runs(what, readings, where, true);
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

// The name for the sentence: the row's, or n.
static const char *name_of(const RelationReading *reading, char name[], size_t room)
{
    const Known *row = &rows[reading->a];
    char text[ITEM_MAX] = "";
    if (row->texts)
        item(row->texts, (int)reading->number - 1, text, sizeof text);
    if (row->how == OF_SIGNED)
        put_text(row->parts, text, name, room);
    else
        snprintf(name, room, "%s",
                 row->how == OF_SOLVED ? relation_number(reading->number, text)
                 : row->name           ? row->name
                                       : text);
    return name;
}

static size_t name_length(const char *part)
{
    return strcspn(part, " [");
}

static const char *next_part(const char *part)
{
    part += strcspn(part, ";");
    return *part ? part + strlen("; ") : part;
}

// The base's own definitions of what a row replaces.
static void base_parts(const char *base, const char *parts, char text[RELATION_TEXT_MAX])
{
    size_t used = 0;
    text[0] = '\0';
    for (; *parts; parts = next_part(parts))
        for (const char *own = base; *own && used < RELATION_TEXT_MAX; own = next_part(own))
            if (name_length(own) == name_length(parts) &&
                strncmp(own, parts, name_length(own)) == 0)
                used += (size_t)snprintf(text + used, RELATION_TEXT_MAX - used, "%s%.*s",
                                         used > 0 ? "; " : "", (int)strcspn(own, ";"), own);
}

static void known_say(const RelationReading *reading, Language language,
                      char text[RELATION_TEXT_MAX])
{
    char name[80], has[RELATION_TEXT_MAX], sentence[RELATION_TEXT_MAX], own[PARTS_MAX];
    const Known *row = &rows[reading->a], *base = base_of(reading->a), *worded = row;
    while (worded->is_as_above)
        worded--;
    bool is_of_input = base->kind & (INPUT | AXIS);
    name_of(reading, name, sizeof name);
    const char *input = base->kind & AXIS ? relation_axis_word((Symbol)reading->b, false, language)
                        : reading->call   ? reading->call->reads[reading->b].role
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
    return rows[reading->a].texts || rows[reading->a].name;
}

const Relation relation_known = {
    .read = known_read, .say = known_say, .is_formula = true, .is_sized = is_sized};
const Relation relation_sums = {.read = sums_read, .say = known_say, .is_sized = is_sized};
const Relation relation_infinite = {.read = infinite_read, .say = known_say};
const Relation relation_function = {.read = function_read, .say = known_say, .is_sized = is_sized};
const Relation relation_change = {.read = change_read, .say = known_say};
const Relation relation_runs = {.read = runs_read, .say = known_say};

static bool is_always(const RelationReading *reading)
{
    return rows[reading->a].is_always;
}

const Relation relation_elsewhere = {.read = elsewhere_read, .say = known_say};
const Relation relation_accumulated = {.read = accumulated_read, .say = known_say};
const Relation relation_alike = {.read = alike_read, .say = known_say};
const Relation relation_places = {.read = places_read, .say = known_say, .is_always = is_always};
const Relation relation_row_factor = {.read = row_factor_read, .say = known_say};
