// relation_tools: see relation_tools.h.
#include "relation_tools.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "relation_words.h"
#include "tensor_difference.h"

void relation_add_if(const RelationCase *what, RelationReadings *readings, RelationReading reading,
                     bool is_doubtful)
{
    reading.call = what->step >= 0 ? what->right->steps[what->step].call : NULL;
    if (readings->count < RELATION_READINGS_MAX) {
        readings->is_doubtful[readings->count] = is_doubtful;
        readings->all[readings->count++] = reading;
    }
}

void relation_add(const RelationCase *what, RelationReadings *readings, RelationReading reading)
{
    relation_add_if(what, readings, reading, false);
}

bool relation_makes(const RelationCase *what, const Tensor *numbers)
{
    return tensor_difference(what->wrong, numbers).kind == DIFFERENCE_NONE &&
           tensor_difference(what->known, numbers).kind != DIFFERENCE_NONE;
}

// The number, in a run of the same scenario, of the tensor that a case of a whole trace is about; -1.
static int tensor_of(const RelationCase *what, const Trace *run)
{
    return trace_find(run, what->tensor ? what->tensor : "output");
}

double relation_kept_number(const RelationCase *what, const Relation *relation, int a)
{
    for (int i = 0; what->kept && i < what->kept->count; i++)
        if (what->kept->all[i].relation == relation && what->kept->all[i].a == a)
            return what->kept->all[i].number;
    return NAN;
}

double relation_tidy(double number)
{
    double nearest = round(number * 100.0) / 100.0;
    return fabs(number - nearest) < 2e-5 ? nearest + 0.0 : number; // no -0
}

void relation_lacks(const RelationCase *what, const Error *err)
{
    if (err->of_machine && !what->machine->of_machine)
        *what->machine = *err;
}

// A function that is given the gradient of the output has that of the right run, whatever it makes of it.
typedef struct Held {
    const RelationCase *what;
    const TraceWay *way;
} Held;

static bool run_held(void *context, const TraceStep *step, StageArgs *args, bool *done, Error *err)
{
    const Held *held = context;
    *done = false;
    if (held->way && held->way->run && !held->way->run(held->way->context, step, args, done, err))
        return false;
    int given = trace_find(held->what->right, "grad.output");
    if (*done || given < 0 || strcmp(step->stage->name, "half_square_backward") != 0)
        return true;
    const Tensor *from = &held->what->right->tensors[given].tensor;
    Tensor *to = &args->out[step->stage->main_output];
    *done = tensor_same_shape(from, to);
    if (*done)
        memcpy(to->storage.f32, from->storage.f32, (size_t)tensor_count(to) * sizeof(float));
    return true;
}

bool relation_run_makes(const RelationCase *what, const Scenario *scenario, const TraceWay *way,
                        Trace *run)
{
    Error err = {.text = ""};
    Held held = {what, way};
    const TraceWay with_gradient = {
        .stages = way ? way->stages : NULL, .run = run_held, .context = &held};
    if (what->tensor && scenario->backward)
        way = &with_gradient;
    if (!trace_open_way(run, scenario, way, &err)) {
        relation_lacks(what, &err);
        return false;
    }
    int tensor = tensor_of(what, run);
    bool made =
        tensor >= 0 && trace_run(run, &err) && relation_makes(what, &run->tensors[tensor].tensor);
    relation_lacks(what, &err);
    trace_close(run);
    return made;
}

bool relation_room(const RelationCase *what, Arena *arena, Tensor *room)
{
    Error err = {.text = ""};
    bool good = tensor_take(arena, DTYPE_F32, what->known->rank, what->known->shape, room, &err);
    relation_lacks(what, &err);
    return good;
}

static bool ends_row(const Tensor *numbers, const ptrdiff_t at[])
{
    int last = numbers->rank - 1;
    return last >= 0 && at[last] == numbers->shape[last] - 1;
}

// Tried first: most attempts already fail in the first row.
static bool row_agrees(const RelationCase *what, const Tensor *numbers, const ptrdiff_t at[])
{
    int last = numbers->rank - 1;
    ptrdiff_t row[TENSOR_RANK_MAX] = {0};
    memcpy(row, at, (size_t)numbers->rank * sizeof *at);
    for (row[last] = 0; row[last] < numbers->shape[last]; row[last]++)
        if (!tensor_difference_agrees(what->wrong, numbers, row))
            return false;
    return true;
}

bool relation_fits(const RelationCase *what, RelationNumber *number, const void *context)
{
    Arena arena = {0};
    Tensor numbers;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, place = 0;
    bool good = relation_room(what, &arena, &numbers);
    if (good) {
        do {
            numbers.storage.f32[place++] = (float)number(what, at, context);
            good = !ends_row(&numbers, at) || row_agrees(what, &numbers, at);
        } while (good && tensor_next(&numbers, at));
        good = good && relation_makes(what, &numbers);
    }
    arena_finish(&arena);
    return good;
}

bool relation_stage_makes(const RelationCase *what, const StageArgs *inputs)
{
    Error err = {.text = ""};
    Arena arena = {0};
    StageArgs args = *inputs;
    const Stage *stage = what->right->steps[what->step].stage;
    const StageCall *call = what->right->steps[what->step].call;
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
        args.out[slot].storage.bytes = NULL;
    bool good = !stage->shapes || stage->shapes(&args, &err);
    for (int slot = 0; good && slot < STAGE_WRITES_MAX && call->writes[slot].role; slot++) {
        Tensor *out = &args.out[slot];
        if (!call->writes[slot].is_view && !out->storage.bytes)
            good = tensor_take(&arena, out->dtype, out->rank, out->shape, out, &err);
    }
    int output = what->output ? what->output : stage->main_output;
    good = good && stage->run(&args, &err) && relation_makes(what, &args.out[output]);
    relation_lacks(what, &err);
    arena_finish(&arena);
    return good;
}

bool relation_is_stage(const RelationCase *what, const char *name)
{
    return what->step >= 0 && strcmp(what->right->steps[what->step].stage->name, name) == 0;
}

double relation_input_divisor_of(const RelationCase *what)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double largest = 0.0, divisor = NAN;
    do {
        double input = tensor_number(&what->given->in[0], at);
        if (isfinite(input) && fabs(input) > largest) {
            largest = fabs(input);
            divisor = input / tensor_number(what->wrong, at);
        }
    } while (tensor_next(what->wrong, at));
    return divisor;
}

bool relation_adam_inputs(const RelationCase *what, const Tensor *in[RELATION_ADAM_INPUTS])
{
    static const char *const roles[RELATION_ADAM_INPUTS] = {"parameter", "gradient", "moment1",
                                                            "moment2"};
    if (!relation_is_stage(what, "adam"))
        return false;
    for (int i = 0; i < RELATION_ADAM_INPUTS; i++) {
        const ScenarioTensor *tensor = scenario_tensor(what->right->scenario, roles[i]);
        if (!tensor)
            return false;
        in[i] = &tensor->tensor;
    }
    return true;
}

const char *relation_axis_text(const RelationCase *what, int axis)
{
    const char *at = what->axes;
    for (; axis > 0 && *at; axis--) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    return at;
}

Symbol relation_axis(const RelationCase *what, int axis)
{
    const char *at = relation_axis_text(what, axis);
    size_t length = strcspn(at, " ");
    int symbol = 0;
    while (symbol < SYMBOL_COUNT && (strlen(symbol_names[symbol]) != length ||
                                     strncmp(symbol_names[symbol], at, length) != 0))
        symbol++;
    if (symbol == SYMBOL_LT) // right runs have no keys but those of the text
        return SYMBOL_LK;
    return symbol == SYMBOL_DQ ? SYMBOL_DIN : (Symbol)symbol;
}

static const Words axis_words[] = {
    [SYMBOL_B] = ROW(AXIS_SEQUENCE),   [SYMBOL_L] = ROW(AXIS_TOKEN),
    [SYMBOL_LQ] = ROW(AXIS_QUERY),     [SYMBOL_LK] = ROW(AXIS_KEY),
    [SYMBOL_H] = ROW(AXIS_HEAD),       [SYMBOL_V] = ROW(AXIS_ROW),
    [SYMBOL_COUNT] = ROW(AXIS_COLUMN), [RELATION_AXIS_NUMBER] = ROW(AXIS_NUMBER),
};

Symbol relation_axis_named(const RelationCase *what, int axis)
{
    Symbol symbol = relation_axis(what, axis);
    bool has_heads = strchr(what->axes, 'H') != NULL;
    bool is_pair = strstr(what->axes, "Lq Lk") != NULL;
    if ((symbol == SYMBOL_LQ || symbol == SYMBOL_LK) && !has_heads && !is_pair)
        return SYMBOL_L;
    if (axis_words[symbol].in[LANGUAGE_ENGLISH] && symbol != SYMBOL_COUNT)
        return symbol;
    const char *last = strrchr(what->axes, ' ');
    bool is_last = relation_axis(what, axis + 1) == SYMBOL_COUNT;
    return !last ? (Symbol)RELATION_AXIS_NUMBER : is_last ? SYMBOL_COUNT : SYMBOL_V;
}

const char *relation_axis_word(Symbol symbol, Language language)
{
    bool counts = (int)symbol <= RELATION_AXIS_NUMBER && axis_words[symbol].in[language];
    return axis_words[counts ? symbol : SYMBOL_COUNT].in[language];
}

// --- formulas

typedef struct Formula {
    const char *text;
    double times;
    Symbol symbol;
    double power;
    enum {
        PLAIN,
        WHOLE,
        MORE,
        LESS,
        LOGARITHM,
        LOGARITHM_OF_2,
        LOGARITHM_OF_10,
        NEXT_WHOLE,
        NEAREST,
        ROOT,
        ROOT_OF_WHOLE,
        OF_ALL_TOKENS // times the number of sequences
    } way;            // cut or rounded to a whole number; of
    // one more, or less
} Formula;

static const Formula formulas[] = {
    {"sqrt(d_k)", 1.0, SYMBOL_D_K, 0.5, PLAIN},
    {"d_k", 1.0, SYMBOL_D_K, 1.0, PLAIN},
    {"(int)sqrt(d_k)", 1.0, SYMBOL_D_K, 0.5, WHOLE},
    {"sqrt(d_k + 1)", 1.0, SYMBOL_D_K, 0.5, MORE},
    {"sqrt(d_k - 1)", 1.0, SYMBOL_D_K, 0.5, LESS},
    {"log(d_k)", 1.0, SYMBOL_D_K, 1.0, LOGARITHM},
    {"log10(d_k)", 1.0, SYMBOL_D_K, 1.0, LOGARITHM_OF_10},
    {"log2(d_k)", 1.0, SYMBOL_D_K, 1.0, LOGARITHM_OF_2},
    {"d_k / 2", 0.5, SYMBOL_D_K, 1.0, PLAIN},
    {"(int)(d_k / 2)", 0.5, SYMBOL_D_K, 1.0, WHOLE},
    {"(int)(d_k / 4)", 0.25, SYMBOL_D_K, 1.0, WHOLE},
    {"sqrt(d_k / 2)", 0.5, SYMBOL_D_K, 1.0, ROOT},
    {"sqrt((int)(d_k / 2))", 0.5, SYMBOL_D_K, 1.0, ROOT_OF_WHOLE},
    {"ceil(sqrt(d_k))", 1.0, SYMBOL_D_K, 0.5, NEXT_WHOLE},
    {"round(sqrt(d_k))", 1.0, SYMBOL_D_K, 0.5, NEAREST},
    {"2 * d_k", 2.0, SYMBOL_D_K, 1.0, PLAIN},
    {"2 * sqrt(d_k)", 2.0, SYMBOL_D_K, 0.5, PLAIN},
    {"d_k^(1/3)", 1.0, SYMBOL_D_K, 1.0 / 3.0, PLAIN},
    {"d_k^(1/4)", 1.0, SYMBOL_D_K, 0.25, PLAIN},
    {"d_k^2", 1.0, SYMBOL_D_K, 2.0, PLAIN},
    {"H", 1.0, SYMBOL_H, 1.0, PLAIN},
    {"sqrt(H)", 1.0, SYMBOL_H, 0.5, PLAIN},
    {"H * d_k", 1.0, SYMBOL_DK, 1.0, PLAIN},
    {"sqrt(H * d_k)", 1.0, SYMBOL_DK, 0.5, PLAIN},
    {"Lk", 1.0, SYMBOL_LK, 1.0, PLAIN},
    {"sqrt(Lk)", 1.0, SYMBOL_LK, 0.5, PLAIN},
    {"Lq", 1.0, SYMBOL_LQ, 1.0, PLAIN},
    {"(B * L)", 1.0, SYMBOL_LQ, 1.0, OF_ALL_TOKENS},
    {"B", 1.0, SYMBOL_B, 1.0, PLAIN},
    {"sqrt(B)", 1.0, SYMBOL_B, 0.5, PLAIN},
    {"d_v", 1.0, SYMBOL_D_V, 1.0, PLAIN},
    {"sqrt(d_v)", 1.0, SYMBOL_D_V, 0.5, PLAIN},
    {"Din", 1.0, SYMBOL_DIN, 1.0, PLAIN},
    {"sqrt(Din)", 1.0, SYMBOL_DIN, 0.5, PLAIN},
    {"V", 1.0, SYMBOL_V, 1.0, PLAIN},
};

_Static_assert(sizeof formulas / sizeof *formulas <= RELATION_FORMULAS_MAX, "room for each");

const char *relation_formula(int number)
{
    return number < (int)(sizeof formulas / sizeof *formulas) ? formulas[number].text : NULL;
}

Symbol relation_formula_symbol(int number)
{
    return formulas[number].symbol;
}

double relation_formula_value(int number, const Scenario *scenario)
{
    const Formula *formula = &formulas[number];
    double size = (double)scenario->size[formula->symbol] + (double)(formula->way == MORE) -
                  (double)(formula->way == LESS);
    double value = formula->times * pow(size, formula->power);
    switch (formula->way) {
    case WHOLE:
        return floor(value + 1e-9);
    case NEAREST:
        return round(value);
    case ROOT:
        return sqrt(value);
    case ROOT_OF_WHOLE:
        return sqrt(floor(value + 1e-9));
    case OF_ALL_TOKENS:
        return value * (double)scenario->size[SYMBOL_B];
    case LOGARITHM:
        return log(value);
    case NEXT_WHOLE:
        return ceil(value - 1e-9);
    case LOGARITHM_OF_10:
        return log10(value);
    case LOGARITHM_OF_2:
        return log2(value);
    default:
        return value;
    }
}

// --- numbers

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 2e-5 * fabs(b);
}

const char *relation_number(double number, char text[32])
{
    enum { WHOLE_MAX = 128 };
    const char *sign = number < 0.0 ? "-" : "";
    double size = fabs(number);
    for (int n = 1; n <= WHOLE_MAX; n++) {
        const char *format = is_near(size, n)                       ? "%s%d"
                             : is_near(size, 1.0 / n)               ? "%s1/%d"
                             : is_near(size, sqrt((double)n))       ? "%ssqrt(%d)"
                             : is_near(size, 1.0 / sqrt((double)n)) ? "%s1/sqrt(%d)"
                                                                    : NULL;
        if (format && snprintf(text, 32, format, sign, n) > 0)
            return text;
    }
    if (is_near(size, 0.6931471805599453))
        snprintf(text, 32, "%sln 2", sign);
    else
        snprintf(text, 32, "%.4g", number);
    return text;
}
