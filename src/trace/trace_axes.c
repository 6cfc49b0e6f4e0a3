// trace_axes: the axes that a slot declares, and those that they are in a scenario without heads, or with
// as many of keys and values as of queries; see trace_internal.h.
#include "trace_internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

int trace_symbols(const char *axes, Symbol symbols[TRACE_WORDS_MAX])
{
    int count = 0;
    for (const char *word = axes; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        Symbol symbol = 0;
        while (symbol < SYMBOL_COUNT && (strncmp(symbol_names[symbol], word, length) != 0 ||
                                         symbol_names[symbol][length] != '\0'))
            symbol++;
        assert(count < TRACE_WORDS_MAX && (symbol < SYMBOL_COUNT || *word == '1'));
        symbols[count++] = symbol;
        word += length;
    }
    return count;
}

int trace_find_symbol(const Symbol symbols[], int count, Symbol wanted)
{
    for (int i = 0; i < count; i++)
        if (symbols[i] == wanted)
            return i;
    return -1;
}

// Where keys and values have as many heads as queries, a group is a head.
static Symbol ungrouped(const Scenario *scenario, Symbol symbol)
{
    if (scenario->options.kv_heads > 0)
        return symbol;
    return symbol == SYMBOL_G    ? SYMBOL_H
           : symbol == SYMBOL_GK ? SYMBOL_DK
           : symbol == SYMBOL_GV ? SYMBOL_DV
                                 : symbol;
}

ptrdiff_t trace_axis_length(const Scenario *scenario, Symbol declared)
{
    Symbol symbol = ungrouped(scenario, declared);
    bool is_one = symbol == SYMBOL_COUNT || (symbol == SYMBOL_H && !scenario->has_heads);
    return is_one ? 1 : scenario->size[symbol];
}

const char *trace_stored_axes(const Trace *trace, const char *axes)
{
    static const char *const without_heads[][2] = {
        {"B H Lq Lk", "B Lq Lk"},  {"B H Lq d_k", "B Lq Dk"}, {"B H Lk d_k", "B Lk Dk"},
        {"B H Lk d_v", "B Lk Dv"}, {"B H Lq d_v", "B Lq Dv"},
    };
    static const char *const without_groups[][2] = {
        {"Gk Din", "Dk Din"},
        {"Gv Din", "Dv Din"},
        {"Gk", "Dk"},
        {"Gv", "Dv"},
        {"B Lk Gk", "B Lk Dk"},
        {"B Lk Gv", "B Lk Dv"},
        {"B Lk G d_k", "B Lk H d_k"},
        {"B Lk G d_v", "B Lk H d_v"},
        {"B G Lk d_k", "B H Lk d_k"},
        {"B G Lk d_v", "B H Lk d_v"},
    };
    bool has_groups = trace->scenario->options.kv_heads > 0;
    for (size_t i = 0; axes && !has_groups && i < sizeof without_groups / sizeof *without_groups;
         i++)
        if (strcmp(axes, without_groups[i][0]) == 0) {
            axes = without_groups[i][1];
            break;
        }
    if (trace->scenario->has_heads || !axes)
        return axes;
    for (size_t i = 0; i < sizeof without_heads / sizeof *without_heads; i++)
        if (strcmp(axes, without_heads[i][0]) == 0)
            return without_heads[i][1];
    return axes;
}

int trace_hidden_axis(const Trace *trace, const char *axes, int stored_rank)
{
    if (trace->scenario->has_heads)
        return -1;
    if (!axes) // a given mask: (B, Lq, Lk) without heads becomes (B, 1, Lq, Lk)
        return stored_rank == 3 ? 1 : -1;
    Symbol symbols[TRACE_WORDS_MAX];
    int count = trace_symbols(axes, symbols);
    for (int axis = 0; axis < count; axis++)
        if ((symbols[axis] == SYMBOL_H || symbols[axis] == SYMBOL_G) && stored_rank == count - 1)
            return axis;
    return -1;
}

void trace_axes_declared(const Scenario *scenario, const Symbol symbols[], int count,
                         char text[TENSOR_TEXT_MAX])
{
    size_t used = (size_t)snprintf(text, TENSOR_TEXT_MAX, "(");
    for (int axis = 0; axis < count; axis++)
        used += (size_t)snprintf(
            text + used, TENSOR_TEXT_MAX - used, "%s%s", axis ? ", " : "",
            symbols[axis] == SYMBOL_COUNT
                ? "1"
                : scenario_axis_name(scenario, symbol_names[ungrouped(scenario, symbols[axis])]));
    snprintf(text + used, TENSOR_TEXT_MAX - used, ")");
}
