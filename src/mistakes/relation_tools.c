// What relations share; see relation.h and relation_tools.h.
#include "relation_tools.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "tensor.h"
#include "trace_program.h"

// --- what relations share

void relation_add_if(const RelationCase *what, RelationReadings *readings, RelationReading reading,
                     bool is_doubtful)
{
    reading.beside = what->beside;
    reading.call = what->step >= 0 ? what->right->steps[what->step].call : NULL;
    if (readings->count < RELATION_READINGS_MAX) {
        readings->is_doubtful[readings->count] = is_doubtful;
        readings->all[readings->count++] = reading;
    }
}

void relation_add(const RelationCase *what, RelationReadings *readings, const Relation *relation,
                  int a, int b)
{
    relation_add_if(what, readings, (RelationReading){.relation = relation, .a = a, .b = b}, false);
}

bool relation_makes(const RelationCase *what, const Tensor *numbers)
{
    return tensor_difference(what->wrong, numbers).kind == DIFFERENCE_NONE &&
           (what->is_right || tensor_difference(what->known, numbers).kind != DIFFERENCE_NONE);
}

bool relation_nearly_makes(const RelationCase *what, const Tensor *numbers)
{
    static const float times = 8.0f;
    return tensor_difference_times(what->wrong, numbers, times).kind == DIFFERENCE_NONE &&
           (what->is_right ||
            tensor_difference_times(what->known, numbers, times).kind != DIFFERENCE_NONE);
}

// The tensor of a run that the case is about; -1: none.
static int tensor_of(const RelationCase *what, const Trace *run)
{
    return trace_find(run, what->tensor ? what->tensor : "output");
}

void relation_lacks(const RelationCase *what, const Error *err)
{
    if (err->of_machine && !what->machine->of_machine)
        *what->machine = *err;
}

typedef struct RelationParsedText {
    Formula formula;
    struct RelationParsedText *next;
} RelationParsedText;

const Formula *relation_parse(const RelationCase *what, const char *text)
{
    Error err = {.text = ""};
    RelationParsed *parsed = what->parsed;
    RelationParsedText *own = parsed->first;
    while (own && strcmp(own->formula.text, text) != 0)
        own = own->next;
    if (own)
        return &own->formula;
    own = arena_take(&parsed->arena, 1, sizeof *own, &err);
    bool good = own && formula_parse(&parsed->arena, text, &own->formula, &err);
    relation_lacks(what, &err);
    if (!good)
        return NULL;
    own->next = parsed->first;
    parsed->first = own;
    return &own->formula;
}

RelationRun relation_run_of(const RelationCase *what)
{
    return (RelationRun){.what = what,
                         .scenario = what->right->scenario,
                         .stages = what->beside ? what->beside->stages : NULL};
}

Scenario *relation_run_changed(RelationRun *run, const RelationCase *what)
{
    Error err = {.text = ""};
    *run = relation_run_of(what);
    Scenario *scenario = arena_take(&run->arena, 1, sizeof *scenario, &err);
    relation_lacks(what, &err);
    if (scenario)
        *scenario = *what->right->scenario;
    run->scenario = scenario;
    return scenario;
}

void relation_run_close(RelationRun *run)
{
    if (run->is_open)
        trace_close(&run->trace);
    arena_finish(&run->arena);
}

// A function that is given the output's gradient gets that of the right run, whatever its own output.
static bool give_gradient(const RelationCase *what, const TraceStep *step, StageArgs *args)
{
    int given = what->tensor ? trace_find(what->right, "grad.output") : -1;
    if (given < 0 || strcmp(step->stage->name, "half_square_backward") != 0)
        return false;
    const Tensor *from = &what->right->tensors[given].tensor;
    Tensor *to = &args->out[step->stage->main_output];
    bool fits = tensor_same_shape(from, to);
    if (fits)
        memcpy(to->storage.f32, from->storage.f32, (size_t)tensor_count(to) * sizeof(float));
    return fits;
}

static bool run_step(void *context, const TraceStep *step, StageArgs *args, bool *done, Error *err)
{
    RelationRun *run = context;
    *done = false;
    if (run->replace && !run->replace(run->context, step, args, done, err))
        return false;
    *done = *done || give_gradient(run->what, step, args);
    return true;
}

// Steps that nothing replaces run as fast as they can.
static bool run_to(RelationRun *run, int end, bool is_replaced, Error *err)
{
    Trace *trace = &run->trace;
    bool good = true;
    trace->variant.run = is_replaced || run->what->tensor ? run_step : NULL;
    trace->kernel = trace->variant.run ? NULL : kernel_choose();
    while (good && trace->steps_done < end)
        good = trace_step(trace, err);
    return good;
}

static bool open_run(RelationRun *run)
{
    Error err = {.text = ""};
    const TraceVariant variant = {.stages = run->stages, .run = run_step, .context = run};
    if (!run->is_open && !run->is_refused) {
        run->is_open =
            run->scenario && trace_open_variant(&run->trace, run->scenario, &variant, &err);
        run->is_refused = !run->is_open;
        relation_lacks(run->what, &err);
    }
    return run->is_open;
}

bool relation_run_makes(RelationRun *run, int first, int last, TraceRun *replace, void *context)
{
    Error err = {.text = ""};
    Trace *trace = &run->trace;
    int tensor = open_run(run) ? tensor_of(run->what, trace) : -1;
    bool made = tensor >= 0;
    if (made) {
        int end = trace->tensors[tensor].step + 1;
        run->replace = NULL;
        trace->steps_done = first < run->clean ? first : run->clean;
        made = run_to(run, first, false, &err);
        run->clean = trace->steps_done;
        run->replace = replace;
        run->context = context;
        made = made && run_to(run, last < end ? last + 1 : end, true, &err) &&
               run_to(run, end, false, &err) &&
               relation_makes(run->what, &trace->tensors[tensor].tensor);
    }
    relation_lacks(run->what, &err);
    return made;
}

bool relation_is_step(const TraceStep *step, const char *name)
{
    size_t length = strlen(step->stage->name);
    const char *label = name + length;
    return strncmp(name, step->stage->name, length) == 0 &&
           (!*label ||
            (*label == ' ' && step->call->label && strcmp(label + 1, step->call->label) == 0));
}

typedef struct FormulaRun {
    const RelationCase *what;
    const Trace *trace;
    const Formula *formula;
    const RelationSteps *steps;
    double most;
} FormulaRun;

static bool is_one_of(const RelationSteps *steps, const Trace *trace, const TraceStep *step)
{
    return steps->stage ? relation_is_step(step, steps->stage)
                        : step == &trace->steps[steps->number];
}

// Most formulas of one step are refused or change nothing, and need no more of the run: then it fails.
static bool run_formula(void *context, const TraceStep *step, StageArgs *args, bool *done,
                        Error *err)
{
    const FormulaRun *run = context;
    int slot = step->stage->main_output, made = step->writes[slot];
    *done = is_one_of(run->steps, run->trace, step);
    if (!*done)
        return true;
    bool good = step->stage->run(args, err) && // makes the views
                trace_formula_compute(run->trace, (int)(step - run->trace->steps), run->formula,
                                      run->most, args, err);
    return good &&
           (run->steps->stage || run->what->is_right ||
            tensor_difference(&args->out[slot], &run->what->right->tensors[made].tensor).kind !=
                DIFFERENCE_NONE);
}

bool relation_formula_makes(RelationRun *run, const Formula *formula, const RelationSteps *steps,
                            double most)
{
    FormulaRun formula_run = {run->what, &run->trace, formula, steps, most};
    int first = -1, last = -1;
    for (int i = 0; open_run(run) && i < run->trace.step_count; i++)
        if (is_one_of(steps, &run->trace, &run->trace.steps[i])) {
            first = first < 0 ? i : first;
            last = i;
        }
    return first >= 0 && relation_run_makes(run, first, last, run_formula, &formula_run);
}

// True if a few numbers of a result are like these.
static bool result_begins(const Tensor *like, FormulaProgram *program, int result, bool narrow,
                          Error *err)
{
    return program->reads_results || program->results[result].rank != like->rank ||
           formula_begins(program, result, narrow, like, 1e-3, err);
}

// The result with this id, or the first for -1. Returns the result count if there is none.
static int result_of(const FormulaProgram *program, int id)
{
    int result = 0;
    while (id >= 0 && result < program->result_count && program->results[result].thing.id != id)
        result++;
    return result;
}

bool relation_compute(const RelationCase *what, const RelationAsk *ask, Arena *arena, Tensor *made,
                      double *spent)
{
    Error err = {.text = ""};
    FormulaProgram program;
    const Tensor *known = what->known;
    double begins = FORMULA_BEGINS / (double)(tensor_count(known) + 1), cost = 0.0;
    bool good = formula_bind(arena, ask->formula, ask->scope, ask->most, &program, &err);
    int result = good ? result_of(&program, ask->result) : 0;
    if (good)
        cost = program.cost * begins;
    good = good && result < program.result_count &&
           (!ask->like || result_begins(ask->like, &program, result, ask->narrow, &err));
    if (good)
        cost += program.cost;
    good = good && formula_run(&program, ask->narrow, &err) &&
           tensor_count(&program.results[result].numbers) == tensor_count(known) &&
           tensor_take(arena, known->dtype, known->rank, known->shape, made, &err);
    relation_lacks(what, &err);
    if (good)
        trace_program_keep(&program.results[result], made, false);
    if (spent)
        *spent += cost;
    return good;
}

// A step's formula, over given inputs. Not to be moved: the scope reads `step`.
typedef struct StepFormula {
    Arena arena; // the caller finishes it
    TraceProgram step;
    FormulaScope scope;
    Formula formula;
    FormulaProgram program;
    char text[FORMULA_TEXT_MAX + 1];
} StepFormula;

// False where the step has none, or one that costs more than `most`.
static bool open_step_formula(const RelationCase *what, const StageArgs *inputs, double most,
                              StepFormula *made)
{
    Error err = {.text = ""};
    made->arena = (Arena){0};
    made->scope = trace_program_scope(&made->step, what->right, what->step, inputs);
    const char *text = trace_formula_whole(what->right, what->step, made->text);
    bool good =
        formula_parse(&made->arena, text, &made->formula, &err) &&
        formula_bind(&made->arena, &made->formula, &made->scope, most, &made->program, &err);
    relation_lacks(what, &err);
    return good;
}

// False if a few numbers, computed by the formula of a large step, already rule these inputs out.
static bool stage_begins(const RelationCase *what, const StageArgs *inputs)
{
    enum { LARGE = 1 << 12 };
    static const double most = 1e9;
    Error err = {.text = ""};
    StepFormula made;
    if (tensor_count(what->known) < LARGE)
        return true;
    const Stage *stage = what->right->steps[what->step].stage;
    int output = SOURCE_OWN + (what->output ? what->output : stage->main_output);
    bool good = open_step_formula(what, inputs, most, &made);
    int result = good ? result_of(&made.program, output) : 0;
    bool begins = !good || result == made.program.result_count ||
                  result_begins(what->wrong, &made.program, result, false, &err);
    relation_lacks(what, &err);
    arena_finish(&made.arena);
    return begins;
}

bool relation_stage_makes(const RelationCase *what, const StageArgs *inputs)
{
    if (!stage_begins(what, inputs))
        return false;
    Error err = {.text = ""};
    Arena arena = {0};
    StageArgs args = *inputs;
    const Stage *stage = what->right->steps[what->step].stage;
    const StageCall *call = what->right->steps[what->step].call;
    int output = what->output ? what->output : stage->main_output;
    bool good = mistake_take_outputs(stage, call, &args, &arena, &err) && stage->run(&args, &err) &&
                relation_makes(what, &args.out[output]);
    relation_lacks(what, &err);
    arena_finish(&arena);
    return good;
}

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
    StepFormula step;
    bool good = open_step_formula(what, what->given, INFINITY, &step);
    const FormulaDefinition *first = good ? &step.formula.definitions[0] : NULL;
    const FormulaNode *total = good ? first->value : NULL, *bias = NULL;
    *sum = (RelationSum){.terms = 0};
    if (good && total->kind == FORMULA_ADD && total->is_optional) {
        bias = total->parts[1];
        total = total->parts[0];
    }
    good = good && step.formula.count == 1 && total->kind == FORMULA_SUM && !first->is_all;
    if (good) {
        for (int i = 0; i < total->axis_count; i++)
            snprintf(sum->axes + strlen(sum->axes), sizeof sum->axes - strlen(sum->axes), "%s%s",
                     i > 0 ? "," : "", total->axes[i]);
        bool has_bias = bias && bias->kind == FORMULA_READ && bias->count == 1 &&
                        step.scope.read(step.scope.context, bias->name).kind == FORMULA_TENSOR;
        size_t left = strcspn(step.text, "=");
        put(sum, "%.*s= result; result = total%s; ", (int)left, step.text,
            has_bias ? " + added" : "");
        char parts[FORMULA_TEXT_MAX + 1];
        put(sum, "%s", relation_sum_parts(sum, base, parts));
        if (has_bias)
            put(sum, "; added = %s[%s]; added_at[place] = %s[place]", bias->name,
                bias->parts[0]->name, bias->name);
        put_number(sum, &step.program, total);
        put_terms(sum, total->parts[0]);
        put_sizes(sum, what, first);
    }
    arena_finish(&step.arena);
    return good && sum->terms > 1;
}

// --- names

int relation_step_code(const TraceStep *step)
{
    int stage = 0, call = 0;
    while (stage_get(stage) && stage_get(stage) != step->stage)
        stage++;
    while (call < STAGE_CALLS_MAX && step->call != &step->stage->calls[call])
        call++;
    return stage_get(stage) && call < STAGE_CALLS_MAX ? stage * STAGE_CALLS_MAX + call : -1;
}

const Stage *relation_step_stage(int code)
{
    return stage_get(code / STAGE_CALLS_MAX);
}

const StageCall *relation_step_call(int code)
{
    return &relation_step_stage(code)->calls[code % STAGE_CALLS_MAX];
}

// Tensors whose names only this program uses, or that the functions of whole runs call otherwise.
static const struct {
    const char *role;
    Words words;
} inner_tensors[] = {{"row_sums", WORDS_ROW(NAME_ROW_SUMS)},
                     {"q_proj.weight", WORDS("w_q", "w_q")},
                     {"k_proj.weight", WORDS("w_k", "w_k")},
                     {"v_proj.weight", WORDS("w_v", "w_v")},
                     {"out_proj.weight", WORDS("w_o", "w_o")}};

const char *relation_tensor_name(const char *role, Language language)
{
    for (size_t i = 0; i < sizeof inner_tensors / sizeof *inner_tensors; i++)
        if (strcmp(role, inner_tensors[i].role) == 0)
            return inner_tensors[i].words.in[language];
    return role;
}

const char *relation_step_name(int code, Language language, char text[RELATION_TEXT_MAX])
{
    const Stage *stage = relation_step_stage(code);
    const StageCall *call = relation_step_call(code);
    const char *made = call->writes[stage->main_output].role;
    const char *name = relation_tensor_name(made, language);
    snprintf(text, RELATION_TEXT_MAX, "%s%s%s", name != made ? name : stage->name,
             call->label ? " " : "", call->label ? call->label : "");
    return text;
}

void relation_say_step(int code, const char *why, Language language, char text[RELATION_TEXT_MAX])
{
    char name[RELATION_TEXT_MAX];
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INNER_STEP),
                 relation_step_name(code, language, name), why);
}

bool relation_is_stage(const RelationCase *what, const char *name)
{
    const Stage *stage = what->step >= 0 ? what->right->steps[what->step].stage : NULL;
    return stage && strcmp(stage->name, name) == 0 &&
           (!what->function ||
            tensor_same_shape(what->known, &what->given->out[stage->main_output]));
}

int relation_symbols(const char *axes, Symbol symbols[TRACE_WORDS_MAX])
{
    int count = axes ? trace_symbols(axes, symbols) : 0;
    for (int i = 0; i < count; i++)
        symbols[i] = symbols[i] == SYMBOL_LT   ? SYMBOL_LK // right runs have no other keys
                     : symbols[i] == SYMBOL_DQ ? SYMBOL_DIN
                                               : symbols[i];
    return count;
}

Symbol relation_axis(const char *axes, int axis)
{
    Symbol symbols[TRACE_WORDS_MAX];
    return axis < relation_symbols(axes, symbols) ? symbols[axis] : SYMBOL_COUNT;
}

static const struct {
    Words one, many;
} axis_words[] = {
    [SYMBOL_B] = {WORDS("sequence", "문장"), WORDS("sequences", "문장")},
    [SYMBOL_L] = {WORDS("token", "토큰"), WORDS("tokens", "토큰")},
    [SYMBOL_LQ] = {WORDS("query", "쿼리"), WORDS("queries", "쿼리")},
    [SYMBOL_LK] = {WORDS("key", "키"), WORDS("keys", "키")},
    [SYMBOL_H] = {WORDS("head", "헤드"), WORDS("heads", "헤드")},
    [SYMBOL_V] = {WORDS("row", "행"), WORDS("rows", "행")},
    [SYMBOL_G] = {WORDS("head", "헤드"), WORDS("heads", "헤드")},
    [SYMBOL_COUNT] = {WORDS("column", "열"), WORDS("columns", "열")},
    [RELATION_AXIS_NUMBER] = {WORDS("number", "숫자"), WORDS("numbers", "숫자")},
};

Symbol relation_axis_named(const char *axes, int axis)
{
    Symbol symbols[TRACE_WORDS_MAX], symbol = relation_axis(axes, axis);
    int count = relation_symbols(axes, symbols);
    bool has_heads = trace_find_symbol(symbols, count, SYMBOL_H) >= 0;
    bool is_pair = axes && strstr(axes, "Lq Lk") != NULL;
    if ((symbol == SYMBOL_LQ || symbol == SYMBOL_LK) && !has_heads && !is_pair)
        return SYMBOL_L;
    if (axis_words[symbol].one.in[LANGUAGE_ENGLISH] && symbol != SYMBOL_COUNT)
        return symbol;
    return count < 2 ? (Symbol)RELATION_AXIS_NUMBER : axis + 1 == count ? SYMBOL_COUNT : SYMBOL_V;
}

const char *relation_axis_word(Symbol symbol, bool is_many, Language language)
{
    bool counts = (int)symbol <= RELATION_AXIS_NUMBER && axis_words[symbol].one.in[language];
    int row = counts ? (int)symbol : SYMBOL_COUNT;
    return (is_many ? axis_words[row].many : axis_words[row].one).in[language];
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

// --- which readings stay

static bool is_same(const RelationReading *a, const RelationReading *b)
{
    double larger = fmax(fabs(a->number), fabs(b->number));
    return a->relation == b->relation && a->a == b->a && a->b == b->b && a->beside == b->beside &&
           fabs(a->number - b->number) <= 1e-4 * larger;
}

// The index of the same reading among others; -1: none.
static int find(const RelationReadings *others, const RelationReading *reading)
{
    int i = others->count - 1;
    while (i >= 0 && !is_same(reading, &others->all[i]))
        i--;
    return i;
}

bool relation_counts(const RelationCase *what, const RelationReading *reading)
{
    RelationReading own = *reading;
    own.beside = what->beside;
    return !what->kept || find(what->kept, &own) >= 0;
}

bool relation_is_kept(const RelationCase *what, const Relation *relation, int a)
{
    bool found = !what->kept;
    for (int i = 0; !found && i < what->kept->count; i++) {
        const RelationReading *kept = &what->kept->all[i];
        found =
            kept->relation == relation && kept->beside == what->beside && (a < 0 || kept->a == a);
    }
    return found;
}

static void keep(RelationReadings *kept, int number, int *count)
{
    kept->is_doubtful[*count] = kept->is_doubtful[number];
    kept->all[(*count)++] = kept->all[number];
}

void relation_drop(RelationReadings *kept, RelationDropped which)
{
    int count = 0;
    for (int i = 0; i < kept->count; i++) {
        const RelationReading *reading = &kept->all[i];
        const Relation *relation = reading->relation;
        bool is_always = relation->is_always && relation->is_always(reading);
        bool is_sized = relation->is_sized && relation->is_sized(reading);
        if (!(which == RELATION_DOUBTFUL ? kept->is_doubtful[i]
              : which == RELATION_ALWAYS ? is_always
                                         : is_sized))
            keep(kept, i, &count);
    }
    kept->count = count;
}

void relation_refute(RelationReadings *kept, const RelationReadings *right)
{
    int count = 0;
    for (int i = 0; i < kept->count; i++)
        if (!kept->all[i].relation->is_formula || find(right, &kept->all[i]) >= 0)
            keep(kept, i, &count);
    kept->count = count;
}

void relation_agree(RelationReadings *kept, const RelationReadings *other)
{
    int count = 0;
    for (int i = 0; i < kept->count; i++) {
        int found = find(other, &kept->all[i]);
        kept->is_doubtful[i] = kept->is_doubtful[i] && found >= 0 && other->is_doubtful[found];
        if (found >= 0)
            keep(kept, i, &count);
    }
    kept->count = count;
}
