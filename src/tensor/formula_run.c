// formula_run: computes a bound formula, or visits the terms of one element; see formula.h.
//
// A node is computed for several positions of one axis at once (Lanes) in one walk through the tree.
// Nodes that do not depend on that axis are computed once. A sum remembers its last value: a row's
// maximum is found once for the row, not once for each element.
//
// All numbers are doubles. In float32 mode (see formula.h) they are rounded where the stages round: a
// product of two floats is exact as a double, and other operations of two floats, rounded to double
// and then to float32, give the float32 result.
#include "formula_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "kernel.h"

enum { LANES_MAX = FORMULA_LANES_MAX };

typedef FormulaLanes Lanes;

static const Lanes single = {-1, 0, 1};

typedef FormulaRunner Runner;

static bool run(Runner *runner, const FormulaCode *code, Lanes lanes, double out[]);

static void round_all(int count, double numbers[])
{
    for (int i = 0; i < count; i++)
        numbers[i] = (double)(float)numbers[i];
}

static bool is_rounded(const Runner *runner, const FormulaCode *code)
{
    return runner->narrow && code->is_float;
}

static double rounded(const Runner *runner, const FormulaCode *code, double x)
{
    return is_rounded(runner, code) ? (double)(float)x : x;
}

// --- functions and operators

static double formula_call(int function, double a, double b, bool narrow)
{
    int number = 0;
    double value = 0.0;
    if (narrow && function == FORMULA_FUNCTION_exp)
        return (double)exponential((float)a);
#define FUNCTION(name, values, expression) \
    if (function == number++) \
        value = expression;
#include "formula_functions.def"
#undef FUNCTION
    (void)b;
    return narrow ? (double)(float)value : value;
}

static double floored_remainder(double a, double b)
{
    return a - b * floor(a / b);
}

// Every operator except the four of operate_all.
static double operate(FormulaKind kind, double a, double b)
{
    switch (kind) {
    case FORMULA_REMAINDER:
        return floored_remainder(a, b);
    case FORMULA_POWER:
        return b == 2.0 ? a * a : pow(a, b);
    case FORMULA_LESS:
        return a < b;
    case FORMULA_GREATER:
        return a > b;
    case FORMULA_AT_MOST:
        return a <= b;
    case FORMULA_AT_LEAST:
        return a >= b;
    case FORMULA_EQUAL:
        return a == b;
    case FORMULA_UNEQUAL:
        return a != b;
    case FORMULA_AND:
        return a != 0.0 && b != 0.0;
    default:
        return a != 0.0 || b != 0.0;
    }
}

// Tests the kind once for all lanes, so the compiler can vectorise the loops.
static void operate_all(FormulaKind kind, int count, const double right[], double out[])
{
    switch (kind) {
    case FORMULA_ADD:
        for (int i = 0; i < count; i++)
            out[i] += right[i];
        return;
    case FORMULA_SUBTRACT:
        for (int i = 0; i < count; i++)
            out[i] -= right[i];
        return;
    case FORMULA_MULTIPLY:
        for (int i = 0; i < count; i++)
            out[i] *= right[i];
        return;
    case FORMULA_DIVIDE:
        for (int i = 0; i < count; i++)
            out[i] /= right[i];
        return;
    default:
        for (int i = 0; i < count; i++)
            out[i] = operate(kind, out[i], right[i]);
    }
}

// --- reading

static double number_at(const FormulaThing *thing, ptrdiff_t at)
{
    if (thing->tensor.dtype == DTYPE_I64)
        return (double)thing->tensor.storage.i64[at];
    if (thing->tensor.dtype == DTYPE_BOOL)
        return thing->tensor.storage.boolean[at];
    return thing->is_wide ? ((const double *)thing->tensor.storage.bytes)[at]
                          : (double)thing->tensor.storage.f32[at];
}

// Elements at equal steps.
static void numbers_along(const FormulaThing *thing, ptrdiff_t at, ptrdiff_t step, int count,
                          double out[])
{
    if (thing->tensor.dtype == DTYPE_F32 && !thing->is_wide)
        for (int lane = 0; lane < count; lane++)
            out[lane] = (double)thing->tensor.storage.f32[at + lane * step];
    else
        for (int lane = 0; lane < count; lane++)
            out[lane] = number_at(thing, at + lane * step);
}

static bool refuse_outside(Runner *runner, const FormulaCode *code, int index, double place)
{
    char shape[TENSOR_TEXT_MAX];
    const Tensor *tensor = &code->thing.tensor;
    bool is_huge = !(fabs(place) < 1e15);
    error_set(runner->err, TELL(FORMULA_OUTSIDE), index + 1,
              is_huge ? PTRDIFF_MAX : (ptrdiff_t)place, code->node->name,
              tensor_shape_text(tensor->rank, tensor->shape, shape));
    return formula_at(runner->program->formula->text, code->node->parts[index]->from, runner->err);
}

// Computes in double precision without visiting terms: indices, and the argument of float32().
static bool run_exactly(Runner *runner, const FormulaCode *code, Lanes lanes, double out[])
{
    bool narrow = runner->narrow;
    runner->narrow = false;
    bool good = run(runner, code, lanes, out);
    runner->narrow = narrow;
    return good;
}

// Indices are whole numbers; their parts are rounded only by float32().
static bool run_index(Runner *runner, const FormulaCode *code, Lanes lanes, double out[])
{
    bool is_float = runner->is_float;
    const FormulaTermVisitor *visitor = runner->visitor;
    runner->is_float = true;
    runner->visitor = NULL;
    bool good = run_exactly(runner, code, lanes, out);
    runner->is_float = is_float;
    runner->visitor = visitor;
    return good;
}

// Adds the offsets of one index to `at`.
static bool add_index(Runner *runner, const FormulaCode *code, int index, Lanes lanes,
                      ptrdiff_t at[])
{
    double places[LANES_MAX];
    ptrdiff_t size = code->thing.tensor.shape[index], stride = code->thing.tensor.stride[index];
    bool good = run_index(runner, code->parts[index], lanes, places);
    for (int lane = 0; good && lane < lanes.count; lane++) {
        double place = floor(places[lane]);
        if (!(place >= 0.0 && place < (double)size))
            return refuse_outside(runner, code, index, place);
        at[lane] += (ptrdiff_t)place * stride;
    }
    return good;
}

static void emit_read(Runner *runner, const FormulaCode *code, double value);

// A NaN that no arithmetic produces: an element not computed yet.
static const uint64_t not_computed = 0x7ff8a77e5c0be000;

static bool refuse_later(Runner *runner, const FormulaCode *code, const FormulaResult *own)
{
    error_set(runner->err, TELL(FORMULA_LATER), own->name);
    return formula_at(runner->program->formula->text, code->node->from, runner->err);
}

static bool is_later(const FormulaResult *own, ptrdiff_t at)
{
    const double *number = (const double *)own->numbers.storage.bytes + at;
    return own->is_running && memcmp(number, &not_computed, sizeof *number) == 0;
}

// The offsets of the elements that a node reads for each lane.
static bool find_elements(Runner *runner, const FormulaCode *code, const Tensor *tensor,
                          Lanes lanes, ptrdiff_t at[])
{
    for (int lane = 0; lane < lanes.count; lane++)
        at[lane] = tensor->offset;
    for (int i = 0; i < code->count; i++) {
        const FormulaCode *index = code->parts[i];
        if (!formula_is_axis(index)) {
            if (!add_index(runner, code, i, lanes, at))
                return false;
            continue;
        }
        bool moves = index->axis == lanes.axis;
        ptrdiff_t first = moves ? lanes.first : runner->place[index->axis];
        for (int lane = 0; lane < lanes.count; lane++)
            at[lane] += (first + (moves ? lane : 0)) * tensor->stride[i];
    }
    return true;
}

// True if every index is an axis; then also the first lane's offset and the step between lanes.
static bool is_along(const Runner *runner, const FormulaCode *code, const Tensor *tensor,
                     Lanes lanes, ptrdiff_t *at, ptrdiff_t *step)
{
    *at = tensor->offset;
    *step = 0;
    for (int i = 0; i < code->count; i++) {
        const FormulaCode *index = code->parts[i];
        if (!formula_is_axis(index))
            return false;
        bool moves = index->axis == lanes.axis;
        *at += (moves ? lanes.first : runner->place[index->axis]) * tensor->stride[i];
        *step += moves ? tensor->stride[i] : 0;
    }
    return true;
}

static bool read(Runner *runner, const FormulaCode *code, Lanes lanes, double out[])
{
    ptrdiff_t at[LANES_MAX], first, step;
    const FormulaResult *own = code->result >= 0 ? &runner->program->results[code->result] : NULL;
    if (!own && !runner->visitor &&
        is_along(runner, code, &code->thing.tensor, lanes, &first, &step)) {
        numbers_along(&code->thing, first, step, lanes.count, out);
        return true;
    }
    FormulaThing thing = code->thing;
    if (own)
        thing.tensor = own->numbers;
    if (!find_elements(runner, code, &thing.tensor, lanes, at))
        return false;
    for (int lane = 0; lane < lanes.count; lane++) {
        if (own && is_later(own, at[lane]))
            return refuse_later(runner, code, own);
        out[lane] = number_at(&thing, at[lane]);
    }
    if (runner->visitor)
        emit_read(runner, code, out[0]);
    return true;
}

// --- terms

static void flush(Runner *runner)
{
    if (!runner->visitor || !runner->has_term)
        return;
    runner->visitor->visit(runner->visitor->context, &runner->term);
    runner->has_term = false;
    runner->gave_term = true;
}

// Visits the elements that a node reads, then those in its indices.
static void add_sources(Runner *runner, const FormulaCode *code)
{
    FormulaTerm *term = &runner->term;
    if (code->kind == FORMULA_READ && term->source_count < FORMULA_SOURCES_MAX) {
        for (int i = 0; i < code->count; i++) {
            const FormulaCode *index = code->parts[i];
            double place = 0.0;
            if (!formula_is_axis(index))
                run_index(runner, index, single, &place);
            term->sources[term->source_count].at[i] =
                formula_is_axis(index) ? runner->place[index->axis] : (ptrdiff_t)floor(place);
        }
        term->sources[term->source_count].rank = code->count;
        term->sources[term->source_count++].id = code->thing.id;
    }
    for (int i = 0; i < code->count; i++)
        if (!formula_is_axis(code->parts[i]))
            add_sources(runner, code->parts[i]);
}

static void emit(Runner *runner, FormulaTermKind kind, double value)
{
    flush(runner);
    runner->term.kind = kind;
    runner->term.source_count = 0;
    runner->term.value = runner->term.running = value;
    runner->has_term = true;
}

static void emit_read(Runner *runner, const FormulaCode *code, double value)
{
    emit(runner, FORMULA_TERM_VALUE, value);
    add_sources(runner, code);
}

// Completes the last term with the value so far.
static void reached(Runner *runner, double value)
{
    if (runner->has_term)
        runner->term.running = value;
}

// --- sums

enum { SUM_LANES = 16 };

typedef struct Total {
    bool is_maximum, has_lanes;
    double value;           // but for lanes
    float lanes[SUM_LANES]; // the softmax's: term after term goes to the next of them
    int lane;               // of the next term
} Total;

static void take_in(const Runner *runner, const FormulaCode *body, Total *total, double value)
{
    if (total->is_maximum) // NaN stays, as in max(a, b)
        total->value = value > total->value || isnan(value) ? value : total->value;
    else if (total->has_lanes) {
        total->lanes[total->lane] += (float)value;
        total->value = (double)total->lanes[total->lane];
        total->lane = (total->lane + 1) % SUM_LANES;
    } else
        total->value = rounded(runner, body, total->value + value);
}

// Adds neighbours until one is left.
static double sum_of_lanes(Total *total)
{
    for (int width = SUM_LANES; width > 1; width /= 2)
        for (int lane = 0; lane < width / 2; lane++)
            total->lanes[lane] = total->lanes[2 * lane] + total->lanes[2 * lane + 1];
    return (double)total->lanes[0];
}

// In float32, a product in a sum is not rounded before the addition.
static void add_product(const Runner *runner, const FormulaCode *body, double left, double right,
                        Total *total)
{
    total->value = is_rounded(runner, body)
                       ? (double)fmaf((float)left, (float)right, (float)total->value)
                       : total->value + left * right;
}

// x^2 is the product x * x.
static bool add_products(Runner *runner, const FormulaCode *body, Lanes lanes, Total *total)
{
    double left[LANES_MAX], right[LANES_MAX];
    bool is_square = body->kind == FORMULA_POWER;
    if (!run(runner, body->parts[0], lanes, left) ||
        (!is_square && !run(runner, body->parts[1], lanes, right)))
        return false;
    if (is_square)
        memcpy(right, left, sizeof right);
    for (int lane = 0; lane < lanes.count; lane++)
        add_product(runner, body, left[lane], right[lane], total);
    return true;
}

static bool add_lanes(Runner *runner, const FormulaCode *code, Lanes lanes, Total *total)
{
    double values[LANES_MAX];
    const FormulaCode *body = code->parts[0];
    bool is_square = body->kind == FORMULA_POWER && body->parts[1]->kind == FORMULA_NUMBER &&
                     body->parts[1]->number == 2.0;
    if ((body->kind == FORMULA_MULTIPLY || is_square) && !total->is_maximum)
        return add_products(runner, body, lanes, total);
    if (!run(runner, body, lanes, values))
        return false;
    for (int lane = 0; lane < lanes.count; lane++)
        take_in(runner, body, total, values[lane]);
    return true;
}

// A product of two elements is one term with both.
static bool emit_product(Runner *runner, const FormulaCode *body, Total *total)
{
    double left, right;
    const FormulaTermVisitor *visitor = runner->visitor;
    flush(runner);
    runner->visitor = NULL;
    bool good =
        run(runner, body->parts[0], single, &left) && run(runner, body->parts[1], single, &right);
    runner->visitor = visitor;
    if (!good)
        return false;
    add_product(runner, body, left, right, total);
    emit(runner, FORMULA_TERM_PRODUCT, rounded(runner, body, left * right));
    add_sources(runner, body->parts[0]);
    add_sources(runner, body->parts[1]);
    reached(runner, total->value);
    return true;
}

// Visits a term of a sum.
static bool emit_term(Runner *runner, const FormulaCode *code, Total *total)
{
    const FormulaCode *body = code->parts[0];
    if (body->kind == FORMULA_MULTIPLY && body->parts[0]->kind == FORMULA_READ &&
        body->parts[1]->kind == FORMULA_READ && !total->is_maximum)
        return emit_product(runner, body, total);
    if (!add_lanes(runner, code, single, total))
        return false;
    if (runner->has_term && runner->term.kind == FORMULA_TERM_VALUE) {
        runner->term.kind = total->is_maximum ? FORMULA_TERM_COMPARED : FORMULA_TERM_ADDED;
        runner->term.value = runner->term.running; // what has become of the element read
    }
    reached(runner, total->value);
    return true;
}

// Advances the axes of a sum beyond the first; false after the last.
static bool next_outer(Runner *runner, const FormulaCode *code)
{
    for (int i = 1; i < code->axis_count; i++) {
        int axis = code->axes[i];
        if (++runner->place[axis] < runner->program->axes[axis].size)
            return true;
        runner->place[axis] = 0;
    }
    return false;
}

// Adds exponentials of float32 numbers in softmax's order.
static bool has_lanes(const Runner *runner, const FormulaCode *code)
{
    const FormulaCode *body = code->parts[0];
    return code->kind != FORMULA_MAXIMUM && is_rounded(runner, body) &&
           body->kind == FORMULA_CALL && body->node->function == FORMULA_FUNCTION_exp;
}

static bool total_of(Runner *runner, const FormulaCode *code, double *value)
{
    Total total = {.is_maximum = code->kind == FORMULA_MAXIMUM,
                   .has_lanes = has_lanes(runner, code)};
    total.value = total.is_maximum ? -(double)INFINITY : 0.0;
    ptrdiff_t size = runner->program->axes[code->axes[0]].size;
    bool is_empty = size == 0;
    for (int i = 1; i < code->axis_count; i++) {
        runner->place[code->axes[i]] = 0;
        is_empty = is_empty || runner->program->axes[code->axes[i]].size == 0;
    }
    int most = runner->visitor ? 1 : LANES_MAX;
    for (bool more = !is_empty; more; more = next_outer(runner, code))
        for (ptrdiff_t first = 0; first < size; first += most) {
            ptrdiff_t left = size - first;
            Lanes lanes = {code->axes[0], first, left < most ? (int)left : most};
            runner->place[code->axes[0]] = first;
            if (!(runner->visitor ? emit_term(runner, code, &total)
                                  : add_lanes(runner, code, lanes, &total)))
                return false;
        }
    double count = (double)size;
    for (int i = 1; i < code->axis_count; i++)
        count *= (double)runner->program->axes[code->axes[i]].size;
    *value = total.has_lanes ? sum_of_lanes(&total) : total.value;
    flush(runner); // its last term ends in the sum, whatever becomes of that
    if (runner->visitor && total.has_lanes)
        emit(runner, FORMULA_TERM_LANES, *value);
    flush(runner);
    if (code->kind == FORMULA_MEAN)
        *value = rounded(runner, code, *value / rounded(runner, code, count));
    return true;
}

static bool is_remembered(const Runner *runner, const FormulaCode *code)
{
    if (code->run != runner->program->runs || code->key_count > FORMULA_KEY_MAX)
        return false;
    for (int i = 0; i < code->key_count; i++)
        if (code->key[i] != runner->place[code->key_axes[i]])
            return false;
    return true;
}

// The remembered value is the only part of a node that a run changes.
static bool reduce(Runner *runner, const FormulaCode *code, double *value)
{
    FormulaCode *memory = (FormulaCode *)code;
    if (!is_remembered(runner, code)) {
        if (!total_of(runner, code, &memory->value))
            return false;
        memory->run = runner->program->runs;
        for (int i = 0; i < code->key_count && i < FORMULA_KEY_MAX; i++)
            memory->key[i] = runner->place[code->key_axes[i]];
    }
    *value = code->value;
    return true;
}

// One value for each lane, from the table if it has them.
static bool reduce_lanes(Runner *runner, const FormulaCode *code, Lanes lanes, double out[])
{
    const FormulaTable *table;
    if (!formula_table(runner, code, &table))
        return false;
    for (int lane = 0; lane < lanes.count; lane++) {
        if (lanes.axis >= 0)
            runner->place[lanes.axis] = lanes.first + lane;
        float *known = table ? &table->numbers[formula_table_place(runner, code)] : NULL;
        if (known && !formula_is_unknown(*known)) {
            out[lane] = (double)*known;
            continue;
        }
        if (!reduce(runner, code, &out[lane]))
            return false;
        if (known)
            *known = (float)out[lane];
    }
    return true;
}

// --- choices

// Consecutive lanes with the same condition are computed together.
static bool choose(Runner *runner, const FormulaCode *code, Lanes lanes, double out[])
{
    double condition[LANES_MAX];
    if (!run(runner, code->parts[0], lanes, condition))
        return false;
    for (int lane = 0, end; lane < lanes.count; lane = end) {
        bool is_true = condition[lane] != 0.0;
        for (end = lane + 1; end < lanes.count && (condition[end] != 0.0) == is_true;)
            end++;
        Lanes part = {lanes.axis, lanes.first + lane, end - lane};
        if (lanes.axis >= 0)
            runner->place[lanes.axis] = part.first;
        if (!run(runner, code->parts[is_true ? 1 : 2], part, out + lane))
            return false;
    }
    if (is_rounded(runner, code))
        round_all(lanes.count, out);
    return true;
}

// --- every kind of node

static bool run_unary(Runner *runner, const FormulaCode *code, Lanes lanes, double out[])
{
    if (!run(runner, code->parts[0], lanes, out))
        return false;
    for (int lane = 0; lane < lanes.count; lane++)
        out[lane] = code->kind == FORMULA_NEGATIVE ? -out[lane]
                    : code->kind == FORMULA_NOT    ? out[lane] == 0.0
                                                   : fabs(out[lane]);
    return true;
}

// For `or` and `and`, visits terms up to the part that decides.
static bool is_decided(const Runner *runner, FormulaKind kind, double left)
{
    return runner->visitor &&
           ((kind == FORMULA_OR && left != 0.0) || (kind == FORMULA_AND && left == 0.0));
}

static bool run_binary(Runner *runner, const FormulaCode *code, Lanes lanes, double out[])
{
    double right[LANES_MAX];
    if (!run(runner, code->parts[0], lanes, out))
        return false;
    if (is_decided(runner, code->kind, out[0])) {
        out[0] = out[0] != 0.0;
        return true;
    }
    if (!run(runner, code->parts[1], lanes, right))
        return false;
    if (runner->visitor && runner->has_term && code->kind == FORMULA_ADD &&
        code->parts[1]->kind == FORMULA_READ)
        runner->term.kind = FORMULA_TERM_ADDED;
    if (is_rounded(runner, code)) {
        round_all(lanes.count, out);
        round_all(lanes.count, right);
    }
    operate_all(code->kind, lanes.count, right, out);
    if (is_rounded(runner, code))
        round_all(lanes.count, out);
    return true;
}

static bool run_float32(Runner *runner, const FormulaCode *code, Lanes lanes, double out[])
{
    if (!run_exactly(runner, code->parts[0], lanes, out))
        return false;
    if (runner->is_float)
        round_all(lanes.count, out);
    return true;
}

static bool run_call(Runner *runner, const FormulaCode *code, Lanes lanes, double out[])
{
    double second[LANES_MAX] = {0};
    if (code->node->function == FORMULA_FUNCTION_float32)
        return run_float32(runner, code, lanes, out);
    if (!run(runner, code->parts[0], lanes, out) ||
        (code->count > 1 && !run(runner, code->parts[1], lanes, second)))
        return false;
    if (is_rounded(runner, code)) {
        round_all(lanes.count, out);
        round_all(lanes.count, second);
    }
    for (int lane = 0; lane < lanes.count; lane++)
        out[lane] =
            formula_call(code->node->function, out[lane], second[lane], is_rounded(runner, code));
    return true;
}

static bool run_last(Runner *runner, const FormulaCode *axis, Lanes lanes, double out[])
{
    double last = (double)runner->program->axes[axis->axis].size - 1.0;
    if (!run(runner, axis, lanes, out))
        return false;
    for (int lane = 0; lane < lanes.count; lane++)
        out[lane] = out[lane] == last;
    return true;
}

static bool run_kind(Runner *runner, const FormulaCode *code, Lanes lanes, double out[])
{
    switch (code->kind) {
    case FORMULA_NUMBER:
        out[0] = code->number; // alone: it depends on no axis
        return true;
    case FORMULA_NAME:
        for (int lane = 0; lane < lanes.count; lane++)
            out[lane] =
                (double)(code->axis == lanes.axis ? lanes.first + lane : runner->place[code->axis]);
        return true;
    case FORMULA_READ:
        return read(runner, code, lanes, out);
    case FORMULA_LAST:
        return run_last(runner, code->parts[0], lanes, out);
    case FORMULA_SUM:
    case FORMULA_MEAN:
    case FORMULA_MAXIMUM:
        return reduce_lanes(runner, code, lanes, out);
    case FORMULA_CHOICE:
        return choose(runner, code, lanes, out);
    case FORMULA_CALL:
        return run_call(runner, code, lanes, out);
    case FORMULA_NEGATIVE:
    case FORMULA_NOT:
    case FORMULA_ABSOLUTE:
        return run_unary(runner, code, lanes, out);
    default:
        return run_binary(runner, code, lanes, out);
    }
}

static bool run(Runner *runner, const FormulaCode *code, Lanes lanes, double out[])
{
    bool depends = lanes.axis >= 0 && (code->depends >> lanes.axis & 1);
    if (lanes.axis >= 0)
        runner->place[lanes.axis] = lanes.first;
    bool good = run_kind(runner, code, depends ? lanes : single, out);
    for (int lane = 1; !depends && lane < lanes.count; lane++)
        out[lane] = out[0];
    if (good && runner->visitor && code->kind != FORMULA_NUMBER && code->kind != FORMULA_NAME)
        reached(runner, out[0]);
    return good;
}

// --- results

static bool run_result(FormulaProgram *program, FormulaResult *result, bool narrow, Error *err);

// First computes the results that this one reads.
static bool run_needed(FormulaProgram *program, const FormulaResult *reader,
                       const FormulaCode *code, bool narrow, Error *err)
{
    FormulaResult *other = code->result >= 0 ? &program->results[code->result] : NULL;
    if (other && other != reader) {
        if (other->is_running) {
            error_set(err, TELL(FORMULA_ROUND), other->name);
            return formula_at(program->formula->text, code->node->from, err);
        }
        if (!other->is_done && !run_result(program, other, narrow, err))
            return false;
    }
    for (int i = 0; i < code->count; i++)
        if (!run_needed(program, reader, code->parts[i], narrow, err))
            return false;
    return true;
}

static bool is_float_result(const FormulaResult *result)
{
    return result->thing.kind != FORMULA_TENSOR || result->thing.tensor.dtype == DTYPE_F32;
}

static bool refuse_place(Runner *runner, const FormulaResult *result, int index, double place)
{
    char shape[TENSOR_TEXT_MAX];
    error_set(runner->err, TELL(FORMULA_OUTSIDE), index + 1,
              fabs(place) < 1e15 ? (ptrdiff_t)place : PTRDIFF_MAX, result->name,
              tensor_shape_text(result->rank, result->shape, shape));
    return formula_at(runner->program->formula->text, result->index[index]->node->from,
                      runner->err);
}

// The offset of an element of the result; an index that is an axis is always inside.
static bool find_place(Runner *runner, const FormulaResult *result, ptrdiff_t *at)
{
    *at = 0;
    for (int i = 0; i < result->rank; i++) {
        double place;
        if (formula_is_axis(result->index[i])) {
            *at += runner->place[result->index[i]->axis] * result->numbers.stride[i];
            continue;
        }
        if (!run_index(runner, result->index[i], single, &place))
            return false;
        place = floor(place);
        if (!(place >= 0.0 && place < (double)result->shape[i]))
            return refuse_place(runner, result, i, place);
        *at += (ptrdiff_t)place * result->numbers.stride[i];
    }
    return true;
}

static bool store(Runner *runner, FormulaResult *result, Lanes lanes, const double values[])
{
    for (int lane = 0; lane < lanes.count; lane++) {
        ptrdiff_t at;
        if (lanes.axis >= 0)
            runner->place[lanes.axis] = lanes.first + lane;
        if (!find_place(runner, result, &at))
            return false;
        ((double *)result->numbers.storage.bytes)[at] = values[lane];
    }
    return true;
}

// Computes all lanes at once along the last axis of the left side; one by one if the result reads
// itself.
static bool run_places(Runner *runner, FormulaResult *result)
{
    FormulaProgram *program = runner->program;
    int last = result->axis_count - 1, most = result->reads_itself ? 1 : LANES_MAX;
    for (int i = 0; i <= last; i++)
        if (program->axes[result->axes[i]].size == 0)
            return true;
    double values[LANES_MAX];
    bool more = true;
    while (more) {
        ptrdiff_t size = last >= 0 ? program->axes[result->axes[last]].size : 1;
        for (ptrdiff_t first = 0; first < size; first += most) {
            ptrdiff_t left = size - first;
            Lanes lanes = {last >= 0 ? result->axes[last] : -1, first,
                           left < most ? (int)left : most};
            if (!run(runner, result->value, lanes, values))
                return false;
            if (runner->narrow && is_float_result(result))
                round_all(lanes.count, values);
            if (!store(runner, result, lanes, values))
                return false;
        }
        more = false;
        for (int i = last - 1; i >= 0 && !more; i--) {
            int axis = result->axes[i];
            more = ++runner->place[axis] < program->axes[axis].size;
            runner->place[axis] = more ? runner->place[axis] : 0;
        }
    }
    return true;
}

static bool run_result(FormulaProgram *program, FormulaResult *result, bool narrow, Error *err)
{
    ptrdiff_t count;
    result->is_running = true;
    result->is_done = false;
    if (!run_needed(program, result, result->value, narrow, err))
        return false;
    bool fits = tensor_count_of(result->rank, result->shape, &count);
    double *numbers =
        arena_take(program->arena, fits ? (size_t)count : SIZE_MAX, sizeof *numbers, err);
    if (!numbers)
        return false;
    for (ptrdiff_t i = 0; i < count; i++)
        memcpy(&numbers[i], &not_computed, sizeof *numbers);
    result->numbers = tensor_over(numbers, DTYPE_F32, result->rank, result->shape);
    Runner runner = {.value = run,
                     .program = program,
                     .result = result,
                     .narrow = narrow,
                     .is_float = narrow,
                     .err = err};
    program->runs++;
    result->is_done = run_places(&runner, result);
    result->is_running = false;
    return result->is_done;
}

bool formula_run(FormulaProgram *program, bool narrow, Error *err)
{
    for (int i = 0; i < program->result_count; i++)
        program->results[i].is_done = program->results[i].is_running = false;
    for (int i = 0; i < program->result_count; i++)
        if (!program->results[i].is_done && !run_result(program, &program->results[i], narrow, err))
            return false;
    return true;
}

// --- one element

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// Finds positions of the axes from number `from` on that lead to the element: plain indices give
// theirs, the others are tried.
static bool find_places(Runner *runner, const FormulaResult *result, const ptrdiff_t at[])
{
    const FormulaProgram *program = runner->program;
    bool is_known[FORMULA_AXES_MAX] = {false};
    for (int i = 0; i < result->rank; i++)
        if (formula_is_axis(result->index[i])) {
            runner->place[result->index[i]->axis] = at[i];
            is_known[result->index[i]->axis] = true;
        }
    for (bool more = true; more;) {
        bool is_there = true;
        for (int i = 0; i < result->rank && is_there; i++) {
            double place;
            is_there = run_index(runner, result->index[i], single, &place) &&
                       floor(place) == (double)at[i];
        }
        if (is_there)
            return true;
        more = false;
        for (int i = result->axis_count - 1; i >= 0 && !more; i--) {
            int axis = result->axes[i];
            if (is_known[axis])
                continue;
            more = ++runner->place[axis] < program->axes[axis].size;
            runner->place[axis] = more ? runner->place[axis] : 0;
        }
    }
    return error_set(runner->err, TELL(FORMULA_NO_ELEMENT), result->name);
}

static bool run_element(Runner *runner, int number, const ptrdiff_t at[], double *value)
{
    FormulaProgram *program = runner->program;
    const FormulaResult *result = &program->results[number];
    runner->is_float = runner->narrow;
    if (program->reads_results && !result->is_done) {
        if (!formula_run(program, runner->narrow, runner->err))
            return false;
        program->runs++; // what it remembers has no terms
    }
    if (!find_places(runner, result, at) || !run(runner, result->value, single, value))
        return false;
    if (runner->narrow && is_float_result(result))
        round_all(1, value);
    return true;
}

bool formula_element(FormulaProgram *program, int result, const ptrdiff_t at[], bool narrow,
                     double *value, Error *err)
{
    Runner runner = {.program = program, .narrow = narrow, .err = err};
    program->runs++;
    return run_element(&runner, result, at, value);
}

// For a large tensor, only some spread over it.
static double largest_of(const Tensor *tensor)
{
    enum { MOST = 1024 };
    double largest = 0.0;
    ptrdiff_t at[TENSOR_RANK_MAX], count = tensor_count(tensor), step = count / MOST + 1;
    for (ptrdiff_t i = 0; i < count; i += step) {
        tensor_unravel(tensor, i, at);
        double number = fabs(tensor_number(tensor, at));
        largest = isfinite(number) && number > largest ? number : largest;
    }
    return largest;
}

// A double beyond float32's range became infinite in `own`.
static bool agrees(double value, double own, double within)
{
    bool is_beyond = isinf(own) && fabs(value) > (double)FLT_MAX && (value > 0.0) == (own > 0.0);
    return value == own || (isnan(value) && isnan(own)) || fabs(value - own) <= within || is_beyond;
}

bool formula_begins(FormulaProgram *program, int result, bool narrow, const Tensor *like,
                    double part, Error *err)
{
    double within = part * largest_of(like);
    ptrdiff_t count = tensor_count(like), at[TENSOR_RANK_MAX];
    program->runs++; // once: all elements may use a sum that one of them needed
    for (ptrdiff_t i = 0; i < FORMULA_BEGINS && i < count; i++) {
        Runner runner = {.program = program, .narrow = narrow, .err = err};
        double value;
        tensor_unravel(like, i * (count - 1) / FORMULA_BEGINS + (i > 0), at);
        if (!run_element(&runner, result, at, &value) ||
            !agrees(value, tensor_number(like, at), within))
            return false;
    }
    return true;
}

bool formula_terms(FormulaProgram *program, int result, const ptrdiff_t at[], bool narrow,
                   const FormulaTermVisitor *visitor, Error *err)
{
    Runner runner = {.program = program, .narrow = narrow, .visitor = visitor, .err = err};
    double value;
    program->runs++;
    if (!run_element(&runner, result, at, &value))
        return false;
    if (!runner.has_term && !(runner.gave_term && same_bits(runner.term.running, value)))
        emit(&runner, FORMULA_TERM_RULE, value);
    reached(&runner, value);
    flush(&runner);
    return true;
}
