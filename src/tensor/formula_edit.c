// formula_edit: every formula one slip away; see formula.h.
//
// An edit replaces one node of the tree, shows the result, and restores the node.
#include "formula_internal.h"

#include <string.h>

enum { SCOPE_MAX = FORMULA_AXES_MAX };

typedef struct Editor {
    Arena *arena;
    const Formula *formula;
    int definition, number; // of the next edit
    const FormulaNames *names;
    FormulaEditKind kind; // of this walk
    const char *axis;     // of the next edit
    const FormulaEditVisitor *visitor;
    const char *axes[SCOPE_MAX]; // names that stand for axes where the walk is
    int axis_count;
    bool is_ended, is_short; // the visitor has enough; memory is short
    Error *err;
} Editor;

// --- making nodes

static FormulaNode *made(Editor *editor, FormulaKind kind, const FormulaNode *at, int parts)
{
    FormulaNode *node = arena_take(editor->arena, 1, sizeof *node, editor->err);
    FormulaNode **room = arena_take(editor->arena, (size_t)parts, sizeof *room, editor->err);
    editor->is_short = editor->is_short || !node || !room;
    if (editor->is_short)
        return NULL;
    *node = (FormulaNode){.kind = kind, .from = at->from, .to = at->to, .parts = room};
    node->count = parts;
    return node;
}

static FormulaNode *copy(Editor *editor, const FormulaNode *at)
{
    FormulaNode *node = made(editor, at->kind, at, at->count);
    if (!node)
        return NULL;
    FormulaNode **parts = node->parts;
    *node = *at;
    node->parts = parts;
    memcpy(parts, at->parts, (size_t)at->count * sizeof *parts);
    return node;
}

static FormulaNode *number(Editor *editor, const FormulaNode *at, double value)
{
    FormulaNode *node = made(editor, FORMULA_NUMBER, at, 0);
    if (node)
        node->number = value;
    return node;
}

static FormulaNode *name(Editor *editor, const FormulaNode *at, const char *text)
{
    FormulaNode *node = made(editor, FORMULA_NAME, at, 0);
    if (node)
        node->name = text;
    return node;
}

static FormulaNode *both(Editor *editor, FormulaKind kind, FormulaNode *left, FormulaNode *right)
{
    FormulaNode *node = left && right ? made(editor, kind, left, 2) : NULL;
    if (node) {
        node->parts[0] = left;
        node->parts[1] = right;
    }
    return node;
}

// --- showing one

static void show(Editor *editor, FormulaNode **slot, FormulaNode *instead, const FormulaNode *place)
{
    FormulaNode *was = *slot;
    if (!instead || editor->is_ended || editor->is_short)
        return;
    *slot = instead;
    FormulaEdit edit = {.kind = editor->kind,
                        .number = editor->number++,
                        .definition = editor->definition,
                        .from = place->from,
                        .to = place->to,
                        .was = was,
                        .is = instead,
                        .place = place,
                        .axis = editor->axis,
                        .formula = *editor->formula};
    editor->is_ended = !editor->visitor->visit(editor->visitor->context, &edit);
    *slot = was;
}

// The same node with another kind, name or axis.
static void show_kind(Editor *editor, FormulaNode **slot, FormulaKind kind)
{
    FormulaNode *node = (*slot)->kind == kind ? NULL : copy(editor, *slot);
    if (node) {
        node->kind = kind;
        node->is_optional = false;
    }
    show(editor, slot, node, *slot);
}

static void show_name(Editor *editor, FormulaNode **slot, const char *text)
{
    FormulaNode *node = strcmp((*slot)->name, text) == 0 ? NULL : copy(editor, *slot);
    if (node)
        node->name = text;
    show(editor, slot, node, *slot);
}

// --- the kinds

static bool is_axis(const Editor *editor, const char *text)
{
    for (int i = 0; i < editor->axis_count; i++)
        if (strcmp(editor->axes[i], text) == 0)
            return true;
    return false;
}

static void drop(Editor *editor, FormulaNode **slot, FormulaKind a, FormulaKind b)
{
    FormulaNode *node = *slot;
    if (node->kind != a && node->kind != b)
        return;
    show(editor, slot, node->parts[0], node->parts[1]);
    if (node->kind == FORMULA_MULTIPLY || node->kind == FORMULA_ADD)
        show(editor, slot, node->parts[1], node->parts[0]);
}

static void drop_factor(Editor *editor, FormulaNode **slot)
{
    drop(editor, slot, FORMULA_MULTIPLY, FORMULA_MULTIPLY);
}

static void drop_divisor(Editor *editor, FormulaNode **slot)
{
    drop(editor, slot, FORMULA_DIVIDE, FORMULA_REMAINDER);
}

static void drop_addend(Editor *editor, FormulaNode **slot)
{
    drop(editor, slot, FORMULA_ADD, FORMULA_SUBTRACT);
}

static void drop_function(Editor *editor, FormulaNode **slot)
{
    const FormulaNode *node = *slot;
    if ((node->kind == FORMULA_CALL && node->function != FORMULA_FUNCTION_float32) ||
        node->kind == FORMULA_ABSOLUTE || node->kind == FORMULA_NEGATIVE ||
        node->kind == FORMULA_POWER)
        show(editor, slot, node->parts[0], node);
}

static void exchange_size(Editor *editor, FormulaNode **slot)
{
    const FormulaNames *names = editor->names;
    bool is_size = false;
    if ((*slot)->kind != FORMULA_NAME || is_axis(editor, (*slot)->name))
        return;
    for (int i = 0; i < names->size_count; i++)
        is_size = is_size || strcmp(names->sizes[i], (*slot)->name) == 0;
    for (int i = 0; is_size && i < names->size_count; i++)
        show_name(editor, slot, names->sizes[i]);
}

static void exchange_tensor(Editor *editor, FormulaNode **slot)
{
    const FormulaNames *names = editor->names;
    if ((*slot)->kind == FORMULA_READ)
        for (int i = 0; i < names->tensor_count; i++)
            if (names->ranks[i] == (*slot)->count)
                show_name(editor, slot, names->tensors[i]);
}

static bool mentions(const FormulaNode *node, const char *text)
{
    if (node->kind == FORMULA_NAME && strcmp(node->name, text) == 0)
        return true;
    for (int i = 0; i < node->count; i++)
        if (mentions(node->parts[i], text))
            return true;
    return false;
}

// The node with names replaced: a by b, and b by c.
static FormulaNode *renamed(Editor *editor, const FormulaNode *node, const char *a, const char *b,
                            const char *c)
{
    FormulaNode *other = copy(editor, node);
    if (!other)
        return NULL;
    if (node->kind == FORMULA_NAME)
        other->name = strcmp(node->name, b) == 0 ? c : strcmp(node->name, a) == 0 ? b : node->name;
    for (int i = 0; i < node->count; i++)
        if (!(other->parts[i] = renamed(editor, node->parts[i], a, b, c)))
            return NULL;
    return other;
}

// In sum_k s[i,k], k stands for the result's axis j, which the body lacks. Summed over i instead, it is
// sum_k s[k,j].
static void exchange_axis(Editor *editor, FormulaNode **slot)
{
    const FormulaNode *node = *slot;
    if (!formula_is_reduction(node->kind) || node->axis_count != 1)
        return;
    for (int j = 0; j < editor->axis_count; j++) {
        const char *missing = editor->axes[j];
        if (mentions(node->parts[0], missing) || strcmp(missing, node->axes[0]) == 0)
            continue;
        for (int i = 0; i < editor->axis_count; i++) {
            const char *other = editor->axes[i];
            if (!mentions(node->parts[0], other) || strcmp(other, node->axes[0]) == 0)
                continue;
            FormulaNode *instead = copy(editor, node);
            if (instead)
                instead->parts[0] = renamed(editor, node->parts[0], other, node->axes[0], missing);
            editor->axis = other;
            show(editor, slot, instead && instead->parts[0] ? instead : NULL, node);
        }
    }
}

static void swap_indices(Editor *editor, FormulaNode **slot)
{
    for (int i = 1; (*slot)->kind == FORMULA_READ && i < (*slot)->count; i++)
        for (int j = 0; j < i; j++) {
            FormulaNode *node = copy(editor, *slot);
            if (!node)
                return;
            node->parts[i] = (*slot)->parts[j];
            node->parts[j] = (*slot)->parts[i];
            show(editor, slot, node, *slot);
        }
}

static void exchange_or_fix(Editor *editor, FormulaNode **slot, bool by_zero)
{
    FormulaNode *read = *slot;
    for (int i = 0; read->kind == FORMULA_READ && i < read->count; i++) {
        FormulaNode *index = read->parts[i];
        bool is_alone = index->kind == FORMULA_NAME;
        if (by_zero && !(index->kind == FORMULA_NUMBER && index->number == 0.0))
            show(editor, &read->parts[i], number(editor, index, 0.0), index);
        for (int a = 0; !by_zero && a < editor->axis_count; a++)
            if (!is_alone || strcmp(index->name, editor->axes[a]) != 0)
                show(editor, &read->parts[i], name(editor, index, editor->axes[a]), index);
    }
}

static void exchange_index(Editor *editor, FormulaNode **slot)
{
    exchange_or_fix(editor, slot, false);
}

static void fix_index(Editor *editor, FormulaNode **slot)
{
    exchange_or_fix(editor, slot, true);
}

static void exchange_operator(Editor *editor, FormulaNode **slot)
{
    static const FormulaKind others[][2] = {
        {FORMULA_MULTIPLY, FORMULA_DIVIDE}, {FORMULA_MULTIPLY, FORMULA_ADD},
        {FORMULA_DIVIDE, FORMULA_MULTIPLY}, {FORMULA_ADD, FORMULA_SUBTRACT},
        {FORMULA_SUBTRACT, FORMULA_ADD},    {FORMULA_AND, FORMULA_OR},
        {FORMULA_OR, FORMULA_AND},
    };
    FormulaKind kind = (*slot)->kind;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i][0] == kind)
            show_kind(editor, slot, others[i][1]);
}

static void exchange_comparison(Editor *editor, FormulaNode **slot)
{
    if (formula_precedence((*slot)->kind) == PRECEDENCE_COMPARISON)
        for (FormulaKind kind = 0; kind < FORMULA_KINDS; kind++)
            if (formula_precedence(kind) == PRECEDENCE_COMPARISON)
                show_kind(editor, slot, kind);
}

static void exchange_constant(Editor *editor, FormulaNode **slot)
{
    if ((*slot)->kind != FORMULA_NUMBER)
        return;
    double value = (*slot)->number, others[] = {0.0, 1.0, 2.0, -value, value + 1.0};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        bool is_new = others[i] != value;
        for (size_t j = 0; j < i; j++)
            is_new = is_new && others[i] != others[j];
        if (is_new)
            show(editor, slot, number(editor, *slot, others[i]), *slot);
    }
}

static void turn_choice(Editor *editor, FormulaNode **slot)
{
    FormulaNode *node = (*slot)->kind == FORMULA_CHOICE ? copy(editor, *slot) : NULL;
    if (node) {
        node->parts[1] = (*slot)->parts[2];
        node->parts[2] = (*slot)->parts[1];
        show(editor, slot, node, *slot);
    }
}

static void drop_choice(Editor *editor, FormulaNode **slot)
{
    FormulaNode *node = *slot;
    if (node->kind != FORMULA_CHOICE)
        return;
    show(editor, slot, node->parts[2], node);
    show(editor, slot, node->parts[1], node);
}

// Restricts a sum's terms to [d > 0], [not last(d)] or [d = 0].
static void lose_terms(Editor *editor, FormulaNode **slot)
{
    FormulaNode *sum = *slot, *condition;
    if (!formula_is_reduction(sum->kind) || sum->kind == FORMULA_MAXIMUM)
        return;
    for (int i = 0; i < sum->axis_count; i++) {
        FormulaNode *axis = name(editor, sum, sum->axes[i]), *kept = copy(editor, sum);
        if (editor->kind == FORMULA_EDIT_LAST_LOST) {
            FormulaNode *last = made(editor, FORMULA_LAST, sum, 1);
            condition = made(editor, FORMULA_NOT, sum, 1);
            if (last && condition) {
                last->name = "last";
                last->parts[0] = axis;
                condition->parts[0] = last;
            }
        } else
            condition = both(
                editor, editor->kind == FORMULA_EDIT_FIRST_ONLY ? FORMULA_EQUAL : FORMULA_GREATER,
                axis, number(editor, sum, 0.0));
        FormulaNode *body = both(editor, FORMULA_MULTIPLY, sum->parts[0], condition);
        editor->axis = sum->axes[i];
        if (kept)
            kept->parts[0] = body;
        show(editor, slot, body ? kept : NULL, sum);
    }
}

static void take_mean(Editor *editor, FormulaNode **slot)
{
    if ((*slot)->kind == FORMULA_SUM)
        show_kind(editor, slot, FORMULA_MEAN);
}

static void exchange_reduction(Editor *editor, FormulaNode **slot)
{
    if (!formula_is_reduction((*slot)->kind))
        return;
    show_kind(editor, slot, (*slot)->kind == FORMULA_MAXIMUM ? FORMULA_SUM : FORMULA_MAXIMUM);
    if ((*slot)->kind == FORMULA_MEAN)
        show_kind(editor, slot, FORMULA_SUM);
}

typedef void EditHere(Editor *editor, FormulaNode **slot);

static EditHere *const edits_here[FORMULA_EDIT_KINDS] = {
    [FORMULA_EDIT_FACTOR_DROPPED] = drop_factor,
    [FORMULA_EDIT_DIVISOR_DROPPED] = drop_divisor,
    [FORMULA_EDIT_ADDEND_DROPPED] = drop_addend,
    [FORMULA_EDIT_FUNCTION_DROPPED] = drop_function,
    [FORMULA_EDIT_SIZE_EXCHANGED] = exchange_size,
    [FORMULA_EDIT_TENSOR_EXCHANGED] = exchange_tensor,
    [FORMULA_EDIT_AXIS_EXCHANGED] = exchange_axis,
    [FORMULA_EDIT_INDICES_SWAPPED] = swap_indices,
    [FORMULA_EDIT_INDEX_EXCHANGED] = exchange_index,
    [FORMULA_EDIT_INDEX_FIXED] = fix_index,
    [FORMULA_EDIT_OPERATOR_EXCHANGED] = exchange_operator,
    [FORMULA_EDIT_COMPARISON_EXCHANGED] = exchange_comparison,
    [FORMULA_EDIT_CHOICE_TURNED] = turn_choice,
    [FORMULA_EDIT_CHOICE_DROPPED] = drop_choice,
    [FORMULA_EDIT_CONSTANT_EXCHANGED] = exchange_constant,
    [FORMULA_EDIT_MEAN_FOR_SUM] = take_mean,
    [FORMULA_EDIT_LAST_LOST] = lose_terms,
    [FORMULA_EDIT_FIRST_LOST] = lose_terms,
    [FORMULA_EDIT_FIRST_ONLY] = lose_terms,
    [FORMULA_EDIT_REDUCTION_EXCHANGED] = exchange_reduction,
};

// --- the walk

static void collect_axes(Editor *editor, const FormulaNode *node)
{
    if (node->kind == FORMULA_NAME && !is_axis(editor, node->name) &&
        editor->axis_count < SCOPE_MAX)
        editor->axes[editor->axis_count++] = node->name;
    for (int i = 0; i < node->count; i++)
        collect_axes(editor, node->parts[i]);
}

static void walk(Editor *editor, FormulaNode **slot)
{
    FormulaNode *node = *slot;
    int outside = editor->axis_count;
    edits_here[editor->kind](editor, slot);
    for (int i = 0; i < node->axis_count && editor->axis_count < SCOPE_MAX; i++)
        if (!is_axis(editor, node->axes[i]))
            editor->axes[editor->axis_count++] = node->axes[i];
    for (int i = 0; i < node->count && !editor->is_ended && !editor->is_short; i++)
        walk(editor, &node->parts[i]);
    editor->axis_count = outside;
}

bool formula_edits(Arena *arena, const Formula *formula, const FormulaNames *names,
                   const FormulaEditVisitor *visitor, Error *err)
{
    Formula own = *formula; // its trees are edited in place, and put back
    Editor editor = {
        .arena = arena, .formula = &own, .names = names, .visitor = visitor, .err = err};
    for (; editor.definition < own.count; editor.definition++) {
        FormulaDefinition *edited = &own.definitions[editor.definition];
        editor.axis_count = 0;
        for (int i = 0; i < edited->index_count; i++)
            collect_axes(&editor, edited->index[i]);
        for (editor.kind = 0; editor.kind < FORMULA_EDIT_KINDS && !editor.is_ended; editor.kind++)
            walk(&editor, &edited->value);
    }
    return !editor.is_short;
}

Words formula_edit_words(FormulaEditKind kind)
{
    static const Words words[FORMULA_EDIT_KINDS] = {
#define EDIT(NAME, english, korean, ...) [FORMULA_EDIT_##NAME] = WORDS(english, korean),
#include "formula_edits.def"
#undef EDIT
    };
    return words[kind];
}

Words formula_edit_sentence(FormulaEditKind kind)
{
    static const Words sentences[FORMULA_EDIT_KINDS] = {
#define EDIT(NAME, english, korean, sentence, sentence_ko) \
    [FORMULA_EDIT_##NAME] = WORDS(sentence, sentence_ko),
#include "formula_edits.def"
#undef EDIT
    };
    return sentences[kind];
}
