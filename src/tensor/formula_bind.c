// formula_bind: resolves names to tensors and axes to sizes; see formula.h.
//
// Each result becomes a tree of FormulaCode without helpers: every use of a helper is replaced by its
// expression with the values of its parameters. Every sum gets its own axis, so two axes named k stay
// separate.
#include "formula_internal.h"

#include <math.h>
#include <string.h>

enum { BIND_DEPTH_MAX = 160 };

// A name defined by an enclosing definition or sum: an axis, or the value of a helper's parameter as
// written where the helper is used.
typedef struct Known {
    const char *name;
    int axis;                // -1: a parameter
    const FormulaNode *node; // its value, in which the names before `outside` hold
    const struct Known *outside;
    unsigned in_use; // and these helpers were being written out
    const struct Known *outer;
} Known;

typedef struct Binder {
    FormulaProgram *program;
    const FormulaScope *scope;
    const Known *result_axes; // what helpers see
    FormulaResult *result;    // whose value is bound
    int depth;
    unsigned in_use; // helpers that are being written out: a bit each
    Error *err;
} Binder;

static bool refuse(Binder *binder, int from)
{
    return formula_at(binder->program->formula->text, from, binder->err);
}

// --- axes

static int new_axis(Binder *binder, const char *name, bool is_result, int from)
{
    FormulaProgram *program = binder->program;
    if (program->axis_count == FORMULA_AXES_MAX) {
        error_set(binder->err, TELL(FORMULA_AXES), FORMULA_AXES_MAX);
        refuse(binder, from);
        return -1;
    }
    program->axes[program->axis_count] =
        (FormulaAxis){.name = name, .size = -1, .is_result = is_result, .from = from};
    return program->axis_count++;
}

// An axis alone in brackets has the length of that axis of the tensor.
static bool measure(Binder *binder, int axis, ptrdiff_t size, const char *tensor, int at, int from)
{
    FormulaAxis *known = &binder->program->axes[axis];
    if (known->size < 0) {
        known->size = size;
        known->tensor = tensor;
        known->at = at;
    }
    if (known->size == size)
        return true;
    error_set(binder->err, TELL(FORMULA_SIZES), known->name, size, tensor, at + 1, known->size,
              known->tensor, known->at + 1);
    return refuse(binder, from);
}

// --- nodes

static FormulaCode *code(Binder *binder, FormulaKind kind, const FormulaNode *node, int parts)
{
    FormulaProgram *program = binder->program;
    if (++program->code_count > FORMULA_CODE_MAX) {
        error_set(binder->err, TELL(FORMULA_EXPANDED), FORMULA_CODE_MAX);
        refuse(binder, node->from);
        return NULL;
    }
    FormulaCode *made = arena_take(program->arena, 1, sizeof *made, binder->err);
    if (!made)
        return NULL;
    made->kind = kind;
    made->node = node;
    made->count = parts;
    made->result = -1;
    made->parts = arena_take(program->arena, (size_t)parts, sizeof *made->parts, binder->err);
    return made->parts ? made : NULL;
}

static FormulaCode *number(Binder *binder, const FormulaNode *node, double value)
{
    FormulaCode *made = code(binder, FORMULA_NUMBER, node, 0);
    if (made)
        made->number = value;
    return made;
}

static FormulaCode *axis_code(Binder *binder, const FormulaNode *node, int axis)
{
    FormulaCode *made = axis < 0 ? NULL : code(binder, FORMULA_NAME, node, 0);
    if (made) {
        made->axis = axis;
        made->depends = (uint64_t)1 << axis;
    }
    return made;
}

static FormulaCode *bind(Binder *binder, const FormulaNode *node, const Known *known);

static bool bind_parts(Binder *binder, const FormulaNode *node, const Known *known,
                       FormulaCode *made)
{
    for (int i = 0; i < node->count; i++) {
        if (!(made->parts[i] = bind(binder, node->parts[i], known)))
            return false;
        made->depends |= made->parts[i]->depends;
        made->is_float = made->is_float || made->parts[i]->is_float;
    }
    return true;
}

static int find_definition(const Formula *formula, const char *name)
{
    for (int i = 0; i < formula->count; i++)
        if (strcmp(formula->definitions[i].name, name) == 0)
            return i;
    return -1;
}

static int find_result(const FormulaProgram *program, int definition)
{
    for (int i = 0; i < program->result_count; i++)
        if (program->results[i].definition == definition)
            return i;
    return -1;
}

// The expression of a helper with the values of its parameters here.
static FormulaCode *bind_helper(Binder *binder, const FormulaNode *node, const Known *known, int at)
{
    const FormulaDefinition *helper = &binder->program->formula->definitions[at];
    Known parameters[TENSOR_RANK_MAX];
    const Known *inner = binder->result_axes;
    unsigned bit = 1u << at, before = binder->in_use;
    if (helper->index_count != node->count || (before & bit)) {
        if (before & bit)
            error_set(binder->err, TELL(FORMULA_ROUND), node->name);
        else
            error_set(binder->err, TELL(FORMULA_PARAMETERS), node->name, helper->index_count,
                      node->count);
        refuse(binder, node->from);
        return NULL;
    }
    for (int i = 0; i < helper->index_count; i++) {
        parameters[i] = (Known){helper->index[i]->name, -1, node->parts[i], known, before, inner};
        inner = &parameters[i];
        if (helper->index[i]->kind != FORMULA_NAME) {
            error_set(binder->err, TELL(FORMULA_PARAMETER));
            refuse(binder, helper->index[i]->from);
            return NULL;
        }
    }
    binder->in_use = before | bit;
    FormulaCode *made = bind(binder, helper->value, inner);
    binder->in_use = before;
    return made;
}

// --- tensors

// The tensor as written in the formula: without a hidden axis if the formula leaves it out.
static bool fit_rank(Binder *binder, const char *name, int count, int from, FormulaThing *thing)
{
    char shape[TENSOR_TEXT_MAX];
    if (thing->broadcast.rank == count && count > 0) {
        thing->tensor = thing->broadcast;
        return true;
    }
    const Tensor *whole = thing->broadcast.rank > 0 ? &thing->broadcast : &thing->tensor;
    if (thing->hidden >= 0 && count == whole->rank - 1) {
        thing->tensor = tensor_squeeze(whole, thing->hidden);
        return true;
    }
    if (thing->tensor.rank == count)
        return true;
    tensor_shape_text(thing->tensor.rank, thing->tensor.shape, shape);
    if (count == 0)
        error_set(binder->err, TELL(FORMULA_NO_INDEX), name, shape);
    else
        error_set(binder->err, TELL(FORMULA_RANK), name, shape, thing->tensor.rank, count);
    return refuse(binder, from);
}

static bool bind_indices(Binder *binder, const FormulaNode *node, const Known *known,
                         FormulaCode *made)
{
    if (!bind_parts(binder, node, known, made))
        return false;
    for (int i = 0; i < node->count; i++)
        if (formula_is_axis(made->parts[i]) &&
            !measure(binder, made->parts[i]->axis, made->thing.tensor.shape[i], node->name, i,
                     node->parts[i]->from))
            return false;
    return true;
}

// A tensor of one element needs no indices.
static void take_only_element(FormulaThing *thing)
{
    if (thing->tensor.rank > 0 && tensor_count(&thing->tensor) == 1)
        while (thing->tensor.rank > 0)
            thing->tensor = tensor_select(&thing->tensor, 0, 0);
}

// x[...]: an index for every axis of the result, which is written [...] too.
static FormulaCode *bind_all(Binder *binder, const FormulaNode *node, FormulaThing thing,
                             int result_read)
{
    const FormulaResult *result = binder->result;
    int rank = binder->program->formula->definitions[result->definition].is_all ? result->rank : 0;
    if (!fit_rank(binder, node->name, rank, node->from, &thing))
        return NULL;
    FormulaCode *made = code(binder, FORMULA_READ, node, rank);
    for (int i = 0; made && i < rank; i++) {
        int axis = result->axes[i];
        if (!measure(binder, axis, thing.tensor.shape[i], node->name, i, node->from) ||
            !(made->parts[i] = axis_code(binder, node, axis)))
            return NULL;
        made->depends |= made->parts[i]->depends;
    }
    if (made) {
        made->thing = thing;
        made->result = result_read;
        made->is_float = thing.tensor.dtype == DTYPE_F32;
    }
    return made;
}

static FormulaCode *bind_tensor(Binder *binder, const FormulaNode *node, const Known *known,
                                FormulaThing thing, int result)
{
    if (node->is_all)
        return bind_all(binder, node, thing, result);
    if (node->count == 0)
        take_only_element(&thing);
    if (!fit_rank(binder, node->name, node->count, node->from, &thing))
        return NULL;
    FormulaCode *made = code(binder, FORMULA_READ, node, node->count);
    if (!made)
        return NULL;
    made->thing = thing;
    made->result = result;
    if (!bind_indices(binder, node, known, made))
        return NULL;
    made->is_float = thing.tensor.dtype == DTYPE_F32;
    return made;
}

// A read without the hidden axis: index 0 there.
static const FormulaNode *unhide(Binder *binder, const FormulaNode *node, int hidden)
{
    Arena *arena = binder->program->arena;
    FormulaNode *whole = arena_take(arena, 1, sizeof *whole, binder->err);
    FormulaNode *zero = arena_take(arena, 1, sizeof *zero, binder->err);
    FormulaNode **parts =
        arena_take(arena, (size_t)node->count + 1, sizeof(FormulaNode *), binder->err);
    if (!whole || !zero || !parts)
        return NULL;
    *whole = *node;
    *zero = (FormulaNode){.kind = FORMULA_NUMBER, .from = node->from, .to = node->from};
    for (int i = 0; i < node->count; i++)
        parts[i + (i >= hidden)] = node->parts[i];
    parts[hidden] = zero;
    whole->parts = parts;
    whole->count++;
    return whole;
}

static FormulaCode *bind_own_result(Binder *binder, const FormulaNode *node, const Known *known,
                                    int result)
{
    FormulaResult *own = &binder->program->results[result];
    FormulaThing thing = {
        .kind = FORMULA_TENSOR, .is_wide = true, .hidden = -1, .id = own->thing.id};
    Dtype dtype = own->thing.kind == FORMULA_TENSOR ? own->thing.tensor.dtype : DTYPE_F32;
    thing.tensor = tensor_over(NULL, dtype, own->rank, own->shape);
    own->reads_itself = own->reads_itself || own == binder->result;
    binder->program->reads_results = true;
    if (own->thing.hidden >= 0 && own->thing.tensor.rank == own->rank &&
        node->count == own->rank - 1)
        node = unhide(binder, node, own->thing.hidden);
    return node ? bind_tensor(binder, node, known, thing, result) : NULL;
}

static FormulaCode *bind_unknown(Binder *binder, const FormulaNode *node, const char *sentence)
{
    error_set(binder->err, sentence, node->name);
    refuse(binder, node->from);
    return NULL;
}

// A parameter is bound again at every use, so the counted cost is the real one.
static FormulaCode *bind_known(Binder *binder, const FormulaNode *node, const Known *known)
{
    if (known->axis >= 0)
        return axis_code(binder, node, known->axis);
    unsigned before = binder->in_use;
    binder->in_use = known->in_use;
    FormulaCode *made = bind(binder, known->node, known->outside);
    binder->in_use = before;
    return made;
}

static FormulaCode *bind_named(Binder *binder, const FormulaNode *node, const Known *known)
{
    for (const Known *name = known; name && node->count == 0; name = name->outer)
        if (strcmp(name->name, node->name) == 0)
            return bind_known(binder, node, name);
    int definition = find_definition(binder->program->formula, node->name);
    int result = find_result(binder->program, definition);
    if (definition >= 0 && result < 0)
        return bind_helper(binder, node, known, definition);
    FormulaThing thing = binder->scope->read(binder->scope->context, node->name);
    if (thing.kind == FORMULA_TENSOR && !(thing.is_own && result >= 0))
        return bind_tensor(binder, node, known, thing, -1);
    if (result >= 0)
        return bind_own_result(binder, node, known, result);
    if (strcmp(node->name, "inf") == 0 || strcmp(node->name, "pi") == 0) {
        thing.kind = FORMULA_VALUE;
        thing.value = node->name[0] == 'i' ? (double)INFINITY : acos(-1.0);
    }
    if (thing.kind == FORMULA_VALUE)
        return node->count == 0 ? number(binder, node, thing.value)
                                : bind_unknown(binder, node, TELL(FORMULA_NO_TENSOR));
    return bind_unknown(binder, node,
                        thing.kind == FORMULA_ABSENT    ? TELL(FORMULA_NOT_GIVEN)
                        : thing.kind == FORMULA_NOT_YET ? TELL(FORMULA_NOT_YET)
                                                        : TELL(FORMULA_NO_NAME));
}

// --- optional parts

static bool is_given(const Formula *formula, const FormulaScope *scope, const FormulaNode *node)
{
    bool named = node->kind == FORMULA_NAME || node->kind == FORMULA_READ;
    if (named && find_definition(formula, node->name) < 0 &&
        scope->read(scope->context, node->name).kind == FORMULA_ABSENT)
        return false;
    for (int i = 0; i < node->count; i++)
        if (!is_given(formula, scope, node->parts[i]))
            return false;
    return true;
}

static FormulaNode *settled(const Formula *formula, const FormulaScope *scope, FormulaNode *node)
{
    if (node->is_optional && !is_given(formula, scope, node->parts[1]))
        return settled(formula, scope, node->parts[0]);
    if (node->kind == FORMULA_CHOICE && node->parts[0]->kind == FORMULA_GIVEN)
        return settled(formula, scope,
                       node->parts[is_given(formula, scope, node->parts[0]) ? 1 : 2]);
    node->is_optional = false;
    for (int i = 0; i < node->count; i++)
        node->parts[i] = settled(formula, scope, node->parts[i]);
    return node;
}

static bool names(const FormulaNode *node, const char *name)
{
    if ((node->kind == FORMULA_NAME || node->kind == FORMULA_READ) && strcmp(node->name, name) == 0)
        return true;
    for (int i = 0; i < node->count; i++)
        if (names(node->parts[i], name))
            return true;
    return false;
}

void formula_settle(Formula *formula, const FormulaScope *scope)
{
    for (int i = 0; i < formula->count; i++)
        formula->definitions[i].value = settled(formula, scope, formula->definitions[i].value);
    for (int i = formula->count - 1; i > 0; i--) {
        const char *name = formula->definitions[i].name;
        bool is_used = scope->result(scope->context, name, false).kind != FORMULA_UNKNOWN;
        for (int j = 0; j < formula->count; j++)
            is_used = is_used || (j != i && names(formula->definitions[j].value, name));
        if (is_used)
            continue;
        memmove(&formula->definitions[i], &formula->definitions[i + 1],
                (size_t)(--formula->count - i) * sizeof *formula->definitions);
    }
}

static FormulaCode *bind_sum(Binder *binder, const FormulaNode *node, const Known *known)
{
    Known axes[FORMULA_REDUCED_MAX];
    FormulaCode *made = code(binder, node->kind, node, 1);
    uint64_t own = 0;
    for (int i = 0; made && i < node->axis_count; i++) {
        int axis = new_axis(binder, node->axes[i], false, node->from);
        if (axis < 0)
            return NULL;
        axes[i] = (Known){.name = node->axes[i], .axis = axis, .outer = known};
        known = &axes[i];
        own |= (uint64_t)1 << axis;
        made->axes[i] = axis;
    }
    if (!made || !bind_parts(binder, node, known, made))
        return NULL;
    made->axis_count = node->axis_count;
    made->depends &= ~own;
    for (int axis = 0; axis < binder->program->axis_count; axis++)
        if (made->depends >> axis & 1) {
            if (made->key_count < FORMULA_KEY_MAX)
                made->key_axes[made->key_count] = axis;
            made->key_count++;
        }
    return made;
}

// given(mask) ? a : b is decided here: the other part may name missing tensors.
static FormulaCode *bind_choice(Binder *binder, const FormulaNode *node, const Known *known)
{
    if (node->parts[0]->kind == FORMULA_GIVEN)
        return bind(
            binder,
            node->parts[is_given(binder->program->formula, binder->scope, node->parts[0]) ? 1 : 2],
            known);
    FormulaCode *made = code(binder, node->kind, node, node->count);
    return made && bind_parts(binder, node, known, made) ? made : NULL;
}

static FormulaCode *bind_last(Binder *binder, const FormulaNode *node, const Known *known)
{
    FormulaCode *made = code(binder, node->kind, node, 1);
    if (!made || !bind_parts(binder, node, known, made))
        return NULL;
    if (formula_is_axis(made->parts[0]))
        return made;
    error_set(binder->err, TELL(FORMULA_WANTS), TELL(FORMULA_AN_AXIS), node->parts[0]->name);
    refuse(binder, node->parts[0]->from);
    return NULL;
}

static FormulaCode *bind_kind(Binder *binder, const FormulaNode *node, const Known *known)
{
    switch (node->kind) {
    case FORMULA_NUMBER:
        return number(binder, node, node->number);
    case FORMULA_NAME:
    case FORMULA_READ:
        return bind_named(binder, node, known);
    case FORMULA_GIVEN:
        return number(binder, node, is_given(binder->program->formula, binder->scope, node));
    case FORMULA_LAST:
        return bind_last(binder, node, known);
    case FORMULA_SUM:
    case FORMULA_MEAN:
    case FORMULA_MAXIMUM:
        return bind_sum(binder, node, known);
    case FORMULA_CHOICE:
        return bind_choice(binder, node, known);
    default: {
        if (node->is_optional && !is_given(binder->program->formula, binder->scope, node->parts[1]))
            return bind(binder, node->parts[0], known);
        FormulaCode *made = code(binder, node->kind, node, node->count);
        if (!made || !bind_parts(binder, node, known, made))
            return NULL;
        made->is_float = made->is_float ||
                         (node->kind == FORMULA_CALL && node->function == FORMULA_FUNCTION_float32);
        return made;
    }
    }
}

static FormulaCode *bind(Binder *binder, const FormulaNode *node, const Known *known)
{
    FormulaCode *made = NULL;
    if (++binder->depth > BIND_DEPTH_MAX) {
        error_set(binder->err, TELL(FORMULA_DEEP), BIND_DEPTH_MAX);
        refuse(binder, node->from);
    } else
        made = bind_kind(binder, node, known);
    binder->depth--;
    return made;
}

// --- results

// Every name in the left side's indices that is not a size becomes an axis of the result.
static bool find_axes(Binder *binder, const FormulaNode *node, Known *axes, int *count)
{
    FormulaResult *result = binder->result;
    for (int i = 0; i < node->count; i++)
        if (!find_axes(binder, node->parts[i], axes, count))
            return false;
    if (node->kind != FORMULA_NAME ||
        binder->scope->read(binder->scope->context, node->name).kind == FORMULA_VALUE)
        return true;
    for (int i = 0; i < *count; i++)
        if (strcmp(axes[i].name, node->name) == 0)
            return true;
    if (*count == TENSOR_RANK_MAX * 2) {
        error_set(binder->err, TELL(FORMULA_MANY_AXES), TENSOR_RANK_MAX * 2);
        return refuse(binder, node->from);
    }
    int axis = new_axis(binder, node->name, true, node->from);
    if (axis < 0)
        return false;
    axes[*count] =
        (Known){.name = node->name, .axis = axis, .outer = *count > 0 ? &axes[*count - 1] : NULL};
    result->axes[(*count)++] = axis;
    return true;
}

static bool measure_left(Binder *binder, const FormulaDefinition *definition)
{
    FormulaResult *result = binder->result;
    FormulaThing *thing = &result->thing;
    if (thing->kind != FORMULA_TENSOR)
        return true;
    if (definition->index_count == 0)
        take_only_element(thing);
    if (!fit_rank(binder, definition->name, definition->index_count, definition->from, thing))
        return false;
    for (int i = 0; i < result->rank; i++) {
        result->shape[i] = thing->tensor.shape[i];
        if (formula_is_axis(result->index[i]) &&
            !measure(binder, result->index[i]->axis, result->shape[i], definition->name, i,
                     definition->index[i]->from))
            return false;
    }
    return true;
}

// name[...] has an axis for each axis of the tensor.
static bool bind_all_left(Binder *binder, const FormulaDefinition *definition)
{
    FormulaResult *result = binder->result;
    const Tensor *tensor = &result->thing.tensor;
    if (result->thing.kind != FORMULA_TENSOR) {
        error_set(binder->err, TELL(FORMULA_NO_SIZE), "...");
        return refuse(binder, definition->from);
    }
    result->rank = result->axis_count = tensor->rank;
    for (int i = 0; i < tensor->rank; i++) {
        result->shape[i] = tensor->shape[i];
        result->axes[i] = new_axis(binder, "...", true, definition->from);
        if (!(result->index[i] = axis_code(binder, definition->value, result->axes[i])) ||
            !measure(binder, result->axes[i], tensor->shape[i], definition->name, i,
                     definition->from))
            return false;
    }
    return true;
}

// The left side: axes and, if the scope knows it, the shape.
static bool bind_left(Binder *binder, Known *axes)
{
    FormulaResult *result = binder->result;
    const FormulaDefinition *definition =
        &binder->program->formula->definitions[result->definition];
    int count = 0;
    if (definition->is_all)
        return bind_all_left(binder, definition);
    result->rank = definition->index_count;
    for (int i = 0; i < definition->index_count; i++)
        if (!find_axes(binder, definition->index[i], axes, &count))
            return false;
    const Known *known = count > 0 ? &axes[count - 1] : NULL;
    result->axis_count = count;
    for (int i = 0; i < definition->index_count; i++) {
        result->shape[i] = -1;
        if (!(result->index[i] = bind(binder, definition->index[i], known)))
            return false;
    }
    return measure_left(binder, definition);
}

// The length required by an index of the left side, if nothing else sets the shape.
static ptrdiff_t reach(const FormulaProgram *program, const FormulaCode *index)
{
    double a = index->count > 0 ? (double)reach(program, index->parts[0]) - 1.0 : 0.0;
    double b = index->count > 1 ? (double)reach(program, index->parts[1]) - 1.0 : 0.0;
    double last = index->kind == FORMULA_NAME       ? (double)program->axes[index->axis].size - 1.0
                  : index->kind == FORMULA_NUMBER   ? index->number
                  : index->kind == FORMULA_ADD      ? a + b
                  : index->kind == FORMULA_MULTIPLY ? a * b
                                                    : -1.0;
    return last >= 0.0 && last < 1e9 ? (ptrdiff_t)last + 1 : 0;
}

static bool bind_value(Binder *binder, const Known *axes)
{
    FormulaResult *result = binder->result;
    FormulaProgram *program = binder->program;
    const FormulaDefinition *definition = &program->formula->definitions[result->definition];
    binder->result_axes =
        result->axis_count > 0 && !definition->is_all ? &axes[result->axis_count - 1] : NULL;
    if (!(result->value = bind(binder, definition->value, binder->result_axes)))
        return false;
    for (int i = 0; i < result->rank; i++)
        if (result->shape[i] < 0)
            result->shape[i] = reach(program, result->index[i]);
    return true;
}

static bool bind_results(Binder *binder, Known axes[][TENSOR_RANK_MAX * 2])
{
    FormulaProgram *program = binder->program;
    const Formula *formula = program->formula;
    for (int i = 0; i < formula->count; i++) {
        FormulaThing thing =
            binder->scope->result(binder->scope->context, formula->definitions[i].name, i == 0);
        if (i == 0 || thing.kind != FORMULA_UNKNOWN)
            program->results[program->result_count++] = (FormulaResult){
                .name = formula->definitions[i].name, .definition = i, .thing = thing};
    }
    for (int i = 0; i < program->result_count; i++) {
        binder->result = &program->results[i];
        if (!bind_left(binder, axes[i]))
            return false;
    }
    for (int i = 0; i < program->result_count; i++) {
        binder->result = &program->results[i];
        if (!bind_value(binder, axes[i]))
            return false;
    }
    return true;
}

// About one operation for each node and each value of the axes that it depends on: nodes that do not
// depend on an axis are computed once for the whole axis.
static double cost_of(const FormulaProgram *program, const FormulaCode *code)
{
    double times = 1.0;
    for (int axis = 0; axis < program->axis_count; axis++)
        if (code->depends >> axis & 1)
            times *= (double)program->axes[axis].size;
    for (int i = 0; i < code->count; i++)
        times += cost_of(program, code->parts[i]);
    return times;
}

static bool check_size(const FormulaProgram *program, double most, Error *err)
{
    for (int i = 0; i < program->result_count; i++) {
        const FormulaResult *result = &program->results[i];
        ptrdiff_t count;
        char shape[TENSOR_TEXT_MAX];
        bool fits = tensor_count_of(result->rank, result->shape, &count);
        if (!fits || count > FORMULA_ELEMENTS_MAX) {
            error_set(err, TELL(FORMULA_MANY_ELEMENTS), result->name,
                      tensor_shape_text(result->rank, result->shape, shape), FORMULA_ELEMENTS_MAX);
            return formula_at(program->formula->text, 0, err);
        }
    }
    return program->cost <= most ||
           error_set(err, TELL(FORMULA_COSTLY), program->cost / 1e6, most / 1e6);
}

bool formula_bind(Arena *arena, const Formula *formula, const FormulaScope *scope, double most,
                  FormulaProgram *program, Error *err)
{
    Known axes[FORMULA_DEFINITIONS_MAX][TENSOR_RANK_MAX * 2];
    Binder binder = {.program = program, .scope = scope, .err = err};
    *program = (FormulaProgram){.formula = formula, .arena = arena};
    *err = (Error){.of_machine = false};
    if (!bind_results(&binder, axes))
        return false;
    for (int i = 0; i < program->axis_count; i++)
        if (program->axes[i].size < 0) {
            error_set(err, TELL(FORMULA_NO_SIZE), program->axes[i].name);
            return formula_at(formula->text, program->axes[i].from, err);
        }
    for (int i = 0; i < program->result_count; i++)
        program->cost += cost_of(program, program->results[i].value);
    return check_size(program, most, err);
}
