// pickle_stack: the stack and the memo of the machine; see pickle_machine.h.
#include "pickle_machine.h"

#include <string.h>
#include "store_words.h"

static bool grow(PickleMachine *machine, PickleStack *values, size_t count)
{
    if (count <= values->room)
        return true;
    size_t room = count < 64 ? 64 : 2 * count;
    PickleValue **wider = arena_take(machine->arena, room, sizeof *wider, machine->err);
    if (!wider)
        return false;
    if (values->count > 0)
        memcpy(wider, values->at, values->count * sizeof *wider);
    values->at = wider;
    values->room = room;
    return true;
}

bool pickle_stack_add(PickleMachine *machine, PickleStack *to, PickleValue *value)
{
    if (!grow(machine, to, to->count + 1))
        return false;
    to->at[to->count++] = value;
    return true;
}

bool pickle_push(PickleMachine *machine, PickleValue value)
{
    PickleValue *kept = arena_take(machine->arena, 1, sizeof *kept, machine->err);
    if (!kept)
        return false;
    *kept = value;
    return pickle_stack_add(machine, &machine->stack, kept);
}

bool pickle_push_kind(PickleMachine *machine, PickleKind kind)
{
    return pickle_push(machine, (PickleValue){.kind = kind});
}

static bool empty_stack(PickleMachine *machine)
{
    return error_set(machine->err, TELL(PICKLE_EMPTY));
}

// The newest value on the stack; NULL with a sentence. A mark is none.
PickleValue *pickle_top(PickleMachine *machine)
{
    PickleStack *stack = &machine->stack;
    if (stack->count > 0 && stack->at[stack->count - 1]->kind != PICKLE_MARK)
        return stack->at[stack->count - 1];
    empty_stack(machine);
    return NULL;
}

PickleValue *pickle_pop(PickleMachine *machine)
{
    PickleValue *value = pickle_top(machine);
    machine->stack.count -= value != NULL;
    return value;
}

// --- tuples, lists and dicts

// Moves the newest `count` values into one that stays on the stack below them, or into a new tuple.
static bool gather(PickleMachine *machine, size_t count, PickleValue *into)
{
    PickleStack *stack = &machine->stack;
    size_t first = stack->count - count;
    for (size_t i = first; i < stack->count; i++)
        if (!pickle_append(into, stack->at[i], machine->arena, machine->err))
            return false;
    stack->count = first;
    return true;
}

// How many values lie above the newest mark, which is taken away from below them.
static bool take_mark(PickleMachine *machine, size_t *count)
{
    PickleStack *stack = &machine->stack;
    size_t mark = stack->count;
    while (mark > 0 && stack->at[mark - 1]->kind != PICKLE_MARK)
        mark--;
    if (mark == 0)
        return empty_stack(machine);
    *count = stack->count - mark;
    memmove(&stack->at[mark - 1], &stack->at[mark], *count * sizeof *stack->at);
    stack->count--;
    return true;
}

bool pickle_push_tuple(PickleMachine *machine, size_t count)
{
    PickleValue tuple = {.kind = PICKLE_TUPLE};
    for (size_t i = 1; i <= count; i++)
        if (machine->stack.count < i ||
            machine->stack.at[machine->stack.count - i]->kind == PICKLE_MARK)
            return empty_stack(machine);
    return gather(machine, count, &tuple) && pickle_push(machine, tuple);
}

bool pickle_push_marked_tuple(PickleMachine *machine)
{
    size_t count = 0;
    return take_mark(machine, &count) && pickle_push_tuple(machine, count);
}

bool pickle_pop_marked(PickleMachine *machine)
{
    size_t count = 0;
    if (!take_mark(machine, &count))
        return false;
    machine->stack.count -= count;
    return true;
}

bool pickle_put_items(PickleMachine *machine, size_t count, PickleKind kind)
{
    PickleStack *stack = &machine->stack;
    if (stack->count < count + 1)
        return empty_stack(machine);
    PickleValue *into = stack->at[stack->count - count - 1];
    bool takes = into->kind == kind || into->kind == PICKLE_OBJECT;
    if (!takes || (kind == PICKLE_DICT && count % 2 != 0))
        return error_set(machine->err, TELL(PICKLE_FILLS), kind == PICKLE_DICT ? "dict" : "list");
    for (size_t i = 1; i <= count; i++)
        if (stack->at[stack->count - i]->kind == PICKLE_MARK)
            return empty_stack(machine);
    bool is_first = into->count == 0;
    into->filled_as = is_first ? kind : into->filled_as == kind ? kind : PICKLE_PLAIN;
    return gather(machine, count, into);
}

bool pickle_put_marked(PickleMachine *machine, PickleKind kind)
{
    size_t count = 0;
    return take_mark(machine, &count) && pickle_put_items(machine, count, kind);
}

// --- the memo

bool pickle_memo_put(PickleMachine *machine, uint64_t number)
{
    PickleStack *memo = &machine->memo;
    PickleValue *value = pickle_top(machine);
    if (!value)
        return false;
    if (number > machine->length)
        return error_set(machine->err, TELL(PICKLE_KEEPS), (unsigned long long)number,
                         machine->length);
    if (!grow(machine, memo, (size_t)number + 1))
        return false;
    if (memo->count <= number)
        memo->count = (size_t)number + 1;
    memo->at[number] = value;
    return true;
}

bool pickle_memo_get(PickleMachine *machine, uint64_t number)
{
    const PickleStack *memo = &machine->memo;
    if (number >= memo->count || !memo->at[number])
        return error_set(machine->err, TELL(PICKLE_USES), (unsigned long long)number);
    return pickle_stack_add(machine, &machine->stack, memo->at[number]);
}
