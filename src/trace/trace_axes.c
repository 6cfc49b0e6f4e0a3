// The axes that a slot declares, and what they become in a scenario without heads, or with as many heads of keys as
// of queries; see trace_internal.h.
#include "trace_internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include "words.h"

int trace_symbols(const char *axes, Symbol symbols[TRACE_WORDS_MAX])
{
    int count = 0;
    for (const char *word = axes; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        Symbol symbol = 0;
        while (symbol < SYMBOL_COUNT && (symbol_names[symbol][0] != *word ||
                                         strncmp(symbol_names[symbol], word, length) != 0 ||
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

// Keys of the text are all keys, unless a key of the bias, then one of zeros is appended. After a cache, they are
// those of the new tokens.
static Symbol without_appended(const StageOptions *options, Symbol symbol)
{
    if (symbol == SYMBOL_LB)
        symbol = options->add_zero_attn ? SYMBOL_LB : SYMBOL_LK;
    if (symbol == SYMBOL_LB)
        symbol = options->add_bias_kv ? SYMBOL_LB : SYMBOL_LT;
    bool none = !options->add_bias_kv && !options->add_zero_attn && options->cached == 0;
    return symbol == SYMBOL_LT && none ? SYMBOL_LK : symbol;
}

// The symbol used in this scenario. If keys and values have as many heads as queries, a group is a head; if queries
// come from an equally wide input, it has no width of its own.
static Symbol settled(const Scenario *scenario, Symbol symbol)
{
    bool has_groups = scenario->options.kv_heads > 0;
    switch (symbol) {
    case SYMBOL_LT:
    case SYMBOL_LB:
        return without_appended(&scenario->options, symbol);
    case SYMBOL_G:
        return has_groups ? symbol : SYMBOL_H;
    case SYMBOL_GK:
        return has_groups ? symbol : SYMBOL_DK;
    case SYMBOL_GV:
        return has_groups ? symbol : SYMBOL_DV;
    case SYMBOL_DQ:
        return scenario->size[SYMBOL_DQ] > 0 ? symbol : SYMBOL_DIN;
    default:
        return symbol;
    }
}

ptrdiff_t trace_axis_length(const Scenario *scenario, Symbol declared)
{
    Symbol symbol = settled(scenario, declared);
    bool is_one = symbol == SYMBOL_COUNT || (symbol == SYMBOL_H && !scenario->has_heads);
    return is_one ? 1 : scenario->size[symbol];
}

// Without heads, "B H Lq d_k" becomes "B Lq Dk", as both widths are the same.
static int fold_heads(Symbol symbols[TRACE_WORDS_MAX], int count)
{
    bool folds = count >= 4 && symbols[0] == SYMBOL_B && symbols[1] == SYMBOL_H;
    if (!folds)
        return count;
    for (int i = 2; i < count; i++)
        symbols[i - 1] = symbols[i] == SYMBOL_D_K   ? SYMBOL_DK
                         : symbols[i] == SYMBOL_D_V ? SYMBOL_DV
                                                    : symbols[i];
    return count - 1;
}

// Axes that differ from those a slot declares.
#define OF_KEYS(keys) \
    "B " keys, "B H " keys, "B G " keys, "B " keys " Din", "B " keys " Dk", "B " keys " Dv", \
        "B " keys " Gk", "B " keys " Gv", "B " keys " H d_k", "B " keys " H d_v", \
        "B " keys " G d_k", "B " keys " G d_v", "B H " keys " d_k", "B H " keys " d_v", \
        "B G " keys " d_k", "B G " keys " d_v"
static const char *const other_axes[] = {
    OF_KEYS("Lk"), OF_KEYS("Lt"), OF_KEYS("Lb"), OF_KEYS("Lp"), "B Lq Lk",     "B Lq Dk",
    "B Lq Dv",     "B Lq Din",    "Dk Din",      "Dv Din",      "H Din d_k",   "Dk",
    "Dv",          "1 1 Dk",      "1 1 Dv",      "Din",         "B blocks Lq", "B blocks Lq Dv"};

const char *trace_stored_axes(const Trace *trace, const char *axes)
{
    Symbol symbols[TRACE_WORDS_MAX];
    char text[TRACE_AXES_TEXT_MAX] = "";
    if (!axes)
        return NULL;
    int count = trace_symbols(axes, symbols);
    for (int i = 0; i < count; i++)
        symbols[i] = settled(trace->scenario, symbols[i]);
    if (!trace->scenario->has_heads)
        count = fold_heads(symbols, count);
    for (int i = 0; i < count; i++)
        text_add(text, sizeof text, "%s%s", i > 0 ? " " : "",
                 symbols[i] == SYMBOL_COUNT ? "1" : symbol_names[symbols[i]]);
    size_t other = 0, others = sizeof other_axes / sizeof *other_axes;
    while (strcmp(text, axes) != 0 && other < others && strcmp(text, other_axes[other]) != 0)
        other++;
    assert(other < others);
    return strcmp(text, axes) == 0 ? axes : other_axes[other];
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
    snprintf(text, TENSOR_TEXT_MAX, "(");
    for (int axis = 0; axis < count; axis++)
        text_add(
            text, TENSOR_TEXT_MAX, "%s%s", axis ? ", " : "",
            symbols[axis] == SYMBOL_COUNT
                ? "1"
                : scenario_axis_name(scenario, symbol_names[settled(scenario, symbols[axis])]));
    text_add(text, TENSOR_TEXT_MAX, ")");
}
