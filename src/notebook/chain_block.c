// chain_block: what stands around an attention: residual sums, norms, the feed-forward block.
#include "chain_formula.h"

#include <math.h>
#include <string.h>

#define FORMAT(...) arena_format(finder->arena, finder->err, __VA_ARGS__)

enum { NARROWEST = 2, FEWEST_ROWS = 4 };

// --- numbers

static bool are_alike(const ChainTensor *one, const ChainTensor *other)
{
    return one->rank == other->rank && other->is_number &&
           memcmp(one->shape, other->shape, sizeof one->shape[0] * (size_t)one->rank) == 0;
}

// Rows of a text, as far as a shape can tell.
static bool is_stream(const ChainFinder *finder, int tensor)
{
    const ChainTensor *one = &finder->tensors[tensor];
    bool is_weight =
        one->rank == 2 && (finder->has_batch || dump_is_part(one->name, DUMP_PART_WEIGHT));
    return !is_weight && one->is_number && !one->is_flags && !one->is_fill && !one->is_shares &&
           one->rank > 1 && one->rank < 4 && chain_width_of(one) >= NARROWEST;
}

static const double root_of_2_by_pi = 0.7978845608028654;

static double activate(ChainActivation kind, double x)
{
    switch (kind) {
    case CHAIN_RELU:
        return x > 0.0 ? x : 0.0;
    case CHAIN_GELU:
        return 0.5 * x * (1.0 + erf(x / sqrt(2.0)));
    case CHAIN_GELU_TANH:
        return 0.5 * x * (1.0 + tanh(root_of_2_by_pi * (x + 0.044715 * x * x * x)));
    case CHAIN_SILU:
        return x / (1.0 + exp(-x));
    default:
        return x;
    }
}

// The sum of two tensors, or one.
static const double *sum_of(ChainFinder *finder, int one, int other)
{
    const ChainTensor *a = &finder->tensors[one];
    finder->work += other < 0 ? 0.0 : (double)a->count;
    double *made = other < 0 ? NULL : chain_take(finder, a->count);
    for (ptrdiff_t n = 0; made && n < a->count; n++)
        made[n] = a->at[n] + finder->tensors[other].at[n];
    return other < 0 ? a->at : made;
}

// --- sums

static bool is_sum(ChainFinder *finder, int tensor, ChainMade *made)
{
    const ChainTensor *one = &finder->tensors[tensor];
    int count = finder->count + finder->norm_count;
    for (int i = 0; i < finder->count; i++)
        for (int j = i; j < count && are_alike(one, &finder->tensors[i]); j++) {
            const double *a = finder->tensors[i].at, *b = finder->tensors[j].at;
            if (i == tensor || j == tensor || !are_alike(one, &finder->tensors[j]))
                continue;
            ptrdiff_t n = 0;
            while (n < one->count && chain_near(finder, one->at[n], a[n] + b[n], one->largest))
                n++;
            finder->work += (double)n + 1.0;
            *made = (ChainMade){
                .kind = CHAIN_MADE_SUM, .from = i, .with = j, .third = -1, .linear = -1};
            if (n == one->count)
                return true;
        }
    return false;
}

// A block's input and what its two layers make, where the sum between them is not in the dump.
static bool is_sum_of_three(ChainFinder *finder, int tensor, ChainMade *made)
{
    const ChainTensor *one = &finder->tensors[tensor], *all = finder->tensors;
    int alike[DUMP_TENSORS_MAX], count = 0;
    for (int i = 0; i < finder->count; i++)
        if (i != tensor && is_stream(finder, i) && are_alike(one, &all[i]))
            alike[count++] = i;
    for (int n = 0; n < count * count * count && finder->work < finder->most; n++) {
        int i = alike[n / count / count], j = alike[n / count % count], k = alike[n % count];
        ptrdiff_t e = 0;
        while (i < j && j < k && e < one->count &&
               chain_near(finder, one->at[e], all[i].at[e] + all[j].at[e] + all[k].at[e],
                          one->largest))
            e++;
        finder->work += (double)e + 1.0;
        *made = (ChainMade){
            .kind = CHAIN_MADE_SUM_OF_THREE, .from = i, .with = j, .third = k, .linear = -1};
        if (e == one->count && count > 0)
            return true;
    }
    return false;
}

// --- norms

// Normalises each row, or over the tokens each column of a sequence, without gain and shift.
static const double *normalised(ChainFinder *finder, const ChainTensor *shape, const double from[],
                                const ChainEven *even, bool is_over_tokens)
{
    ptrdiff_t width = chain_width_of(shape), length = shape->shape[shape->rank - 2];
    ptrdiff_t size = is_over_tokens ? length : width, step = is_over_tokens ? width : 1;
    double *made = chain_take(finder, shape->count),
           *line = chain_take(finder, width > length ? width : length);
    for (ptrdiff_t n = 0; made && line && n < shape->count / size; n++) {
        ptrdiff_t at = is_over_tokens ? n / width * width * length + n % width : n * width;
        for (ptrdiff_t i = 0; i < size; i++)
            line[i] = from[at + i * step];
        chain_make_even(finder, even, size, line);
        for (ptrdiff_t i = 0; i < size; i++)
            made[at + i * step] = line[i];
    }
    finder->work += 6.0 * (double)shape->count;
    return line ? made : NULL;
}

// Finds the gain and shift of each column between a tensor and normalised rows; false if one does not fit.
static bool fit_columns(const ChainFinder *finder, const ChainTensor *to, const double from[],
                        double gain[], double shift[])
{
    ptrdiff_t width = chain_width_of(to), rows = to->count / width;
    for (ptrdiff_t c = 0; c < width; c++) {
        ptrdiff_t least = 0, most = 0;
        for (ptrdiff_t row = 1; row < rows; row++) {
            least = from[row * width + c] < from[least * width + c] ? row : least;
            most = from[row * width + c] > from[most * width + c] ? row : most;
        }
        double low = from[least * width + c], high = from[most * width + c];
        gain[c] = (to->at[most * width + c] - to->at[least * width + c]) / (high - low);
        shift[c] = to->at[least * width + c] - gain[c] * low;
        for (ptrdiff_t row = 0; row < rows; row++)
            if (!chain_near(finder, to->at[row * width + c],
                            gain[c] * from[row * width + c] + shift[c], to->largest))
                return false;
    }
    return true;
}

static bool is_near_vector(const ChainFinder *finder, const double *is, const double *vector,
                           double other, ptrdiff_t width)
{
    for (ptrdiff_t c = 0; c < width; c++) {
        double should = vector ? vector[c] : other;
        if (!(fabs(is[c] - should) <= 2e-3 * finder->grain * (fabs(should) + 0.05)))
            return false;
    }
    return true;
}

// The vector of the dump with these numbers, of equal ones that whose name is most like `owner`; -1 if they are all `other`;
// -2: neither.
static int vector_of(const ChainFinder *finder, const double *is, double other, ptrdiff_t width,
                     int owner)
{
    int best = -1, most = -1;
    for (int i = 0; i < finder->count; i++) {
        if (!chain_is_vector(finder, i, width) ||
            !is_near_vector(finder, is, finder->tensors[i].at, other, width))
            continue;
        int alike = chain_likeness(finder->tensors[i].name, finder->tensors[owner].name);
        best = alike > most ? i : best;
        most = alike > most ? alike : most;
    }
    return best >= 0 ? best : is_near_vector(finder, is, NULL, other, width) ? -1 : -2;
}

static bool find_gains(const ChainFinder *finder, const double gain[], const double shift[],
                       int tensor, ChainMade *made)
{
    ChainEven *even = &made->even;
    ptrdiff_t width = chain_width_of(&finder->tensors[tensor]);
    even->gain = vector_of(finder, gain, 1.0, width, tensor);
    even->shift = vector_of(finder, shift, 0.0, width, even->gain >= 0 ? even->gain : tensor);
    if (even->norm == CHAIN_BY_ROOT_MEAN_SQUARE && even->shift >= 0)
        return false;
    return even->gain != -2 && even->shift != -2 &&
           (!made->is_over_tokens || (even->gain >= 0 && chain_is_gain(finder, even->gain, width)));
}

// Three numbers of the first column refuse most; over the tokens, a column differs from its norm by a factor and an offset.
static bool could_be_norm(const ChainFinder *finder, const ChainTensor *one, const double from[],
                          const ChainMade *made)
{
    ptrdiff_t width = chain_width_of(one);
    double is[3];
    for (ptrdiff_t row = 0; row < 3; row++) {
        memcpy(finder->line, from + row * width, (size_t)width * sizeof *from);
        if (!made->is_over_tokens)
            chain_make_even(finder, &made->even, width, finder->line);
        is[row] = finder->line[0];
    }
    double a = is[1] - is[0], b = is[2] - is[0], to_a = one->at[width] - one->at[0],
           to_b = one->at[2 * width] - one->at[0];
    return fabs(a * to_b - b * to_a) <=
           finder->grain * (1e-3 * (fabs(a * to_b) + fabs(b * to_a)) + 1e-5 * one->largest);
}

static bool is_norm_of(ChainFinder *finder, int tensor, ChainMade *made)
{
    const ChainTensor *one = &finder->tensors[tensor];
    static const ChainEven norms[] = {
        {.norm = CHAIN_BY_DEVIATION},
        {.norm = CHAIN_BY_DEVIATION, .is_unbiased = true}, // as the Annotated Transformer has it
        {.norm = CHAIN_BY_ROOT_MEAN_SQUARE},
        {.norm = CHAIN_BY_DEVIATION, .is_squared = true},
        {.norm = CHAIN_BY_ROOT_MEAN_SQUARE, .is_squared = true}};
    enum {
        KINDS = 2 * sizeof norms / sizeof *norms
    }; // over a token's numbers, and over the tokens
    ptrdiff_t width = chain_width_of(one);
    const double *from = sum_of(finder, made->from, made->with);
    double *gain = chain_take(finder, 2 * width);
    for (int way = 0; from && gain && way < KINDS * CHAIN_EPS; way++) {
        made->is_over_tokens = way / CHAIN_EPS >= KINDS / 2;
        made->even = norms[way / CHAIN_EPS % (KINDS / 2)];
        made->even.eps = chain_eps[way % CHAIN_EPS];
        made->even.gain = made->even.shift = -1;
        finder->work += 10.0 * (double)width;
        if (!could_be_norm(finder, one, from, made))
            continue;
        const double *even = normalised(finder, one, from, &made->even, made->is_over_tokens);
        if (even && fit_columns(finder, one, even, gain, gain + width) &&
            find_gains(finder, gain, gain + width, tensor, made))
            return true;
    }
    return false;
}

// Of a tensor, or of a residual sum that the dump lacks: one of the two is a product or another block's.
static bool is_norm(ChainBlocks *blocks, int tensor, ChainMade *made)
{
    ChainFinder *finder = blocks->report->finder;
    const ChainTensor *one = &finder->tensors[tensor];
    if (one->count / chain_width_of(one) < FEWEST_ROWS || one->shape[one->rank - 2] < 2)
        return false;
    for (int with = -1; with < finder->count; with++) {
        bool is_added = with >= 0 && with != tensor && are_alike(one, &finder->tensors[with]) &&
                        (finder->projection_of[with] >= 0 || finder->is_explained[with] ||
                         blocks->made[with].kind);
        for (int from = 0; from < finder->count && (is_added || with < 0); from++) {
            *made = (ChainMade){
                .kind = CHAIN_MADE_NORM, .from = from, .with = with, .third = -1, .linear = -1};
            if (from != tensor && from != with && is_stream(finder, from) &&
                !(with < 0 && chain_is_same(finder, from, tensor)) && // a copy is like its norm
                are_alike(one, &finder->tensors[from]) && finder->work < finder->most &&
                is_norm_of(finder, tensor, made))
                return true;
            arena_empty(finder->arena); // that of explain
        }
    }
    return false;
}

// --- the feed-forward block

bool chain_is_free(const ChainBlocks *blocks, const ChainLinear *linear)
{
    const ChainFinder *finder = blocks->report->finder;
    const ChainTensor *weight = &finder->tensors[linear->tensor];
    if (linear->layout != CHAIN_FLAT || weight->rank != 2 || linear->first != 0 ||
        linear->out != weight->shape[linear->by_columns])
        return false;
    for (int n = 0; n < finder->attention_count; n++) {
        const ChainAttention *one = &finder->attentions[n];
        const int used[] = {chain_linear_of(finder, one->q), chain_linear_of(finder, one->k),
                            chain_linear_of(finder, one->v), one->out_linear};
        for (int i = 0; i < 4; i++)
            if (used[i] >= 0 && finder->linears[used[i]].tensor == linear->tensor)
                return false;
    }
    return true;
}

enum { FEW_ROWS = 2 };

static double *product_of(ChainFinder *finder, const double from[], ptrdiff_t rows,
                          const ChainLinear *linear)
{
    double *made = chain_take(finder, rows * linear->out);
    for (ptrdiff_t n = 0; made && n < rows * linear->out; n++) {
        ptrdiff_t o = n / rows, row = n % rows;
        made[row * linear->out + o] = chain_product(finder, from + row * linear->in, linear, o);
    }
    return made;
}

// The same rows with a bias and an activation, times those of a gate.
static double *hidden_of(ChainFinder *finder, const double plain[], ptrdiff_t rows,
                         const ChainMade *made, const double gate[])
{
    ptrdiff_t width = finder->linears[made->linear].out;
    const double *bias = chain_bias(finder, made->bias);
    double *hidden = chain_take(finder, rows * width);
    for (ptrdiff_t n = 0; hidden && n < rows * width; n++)
        hidden[n] = activate(made->activation, plain[n] + (bias ? bias[n % width] : 0.0)) *
                    (gate ? gate[n] : 1.0);
    finder->work += 10.0 * (double)(rows * width);
    return hidden;
}

static bool are_near(const ChainFinder *finder, const ChainTensor *one, const double made[],
                     ptrdiff_t count)
{
    ptrdiff_t n = 0;
    while (n < count && chain_near(finder, one->at[n], made[n], one->largest))
        n++;
    return n == count;
}

// True if one row, a bias of the dump or 0, lies between a tensor and what the hidden rows make, with a residual or without.
static bool is_contracted(ChainFinder *finder, const ChainTensor *one, const double hidden[],
                          ptrdiff_t rows, ChainMade *made)
{
    const ChainLinear *linear = &finder->linears[made->second];
    const double *residual = made->with < 0 ? NULL : finder->tensors[made->with].at;
    ptrdiff_t width = linear->out;
    double *offset = chain_take(finder, width);
    for (ptrdiff_t n = 0; offset && n < rows * width; n++) {
        ptrdiff_t o = n / rows, row = n % rows;
        double off = one->at[row * width + o] - (residual ? residual[row * width + o] : 0.0) -
                     chain_product(finder, hidden + row * linear->in, linear, o);
        offset[o] = row == 0 ? off : offset[o];
        if (!chain_near(finder, off, offset[o], 2.0 * one->largest))
            return false;
    }
    made->added = offset ? vector_of(finder, offset, 0.0, width, linear->tensor) : -2;
    return made->added != -2;
}

// Tries the hidden rows: as the tensor itself, or contracted, with a residual or without.
static bool is_made_of_hidden(ChainBlocks *blocks, int tensor, const double hidden[],
                              ptrdiff_t rows, ChainMade *made)
{
    ChainFinder *finder = blocks->report->finder;
    const ChainTensor *one = &finder->tensors[tensor];
    const ChainLinear *wide = &finder->linears[made->linear];
    made->kind = CHAIN_MADE_HIDDEN;
    if (chain_width_of(one) == wide->out)
        return (made->activation || made->from >= finder->count) &&
               are_near(finder, one, hidden, rows * wide->out); // other products are known
    made->kind = CHAIN_MADE_FED;
    for (made->second = 0; made->second < finder->linear_count; made->second++) {
        const ChainLinear *linear = &finder->linears[made->second];
        if (linear->in != wide->out || linear->out != chain_width_of(one) ||
            linear->tensor == wide->tensor || !chain_is_free(blocks, linear))
            continue;
        for (made->with = -1; made->with < finder->count; made->with++)
            if (made->with < 0 ||
                (made->with != tensor && are_alike(one, &finder->tensors[made->with])))
                if (is_contracted(finder, one, hidden, rows, made))
                    return true;
    }
    return false;
}

// Tries the first rows of the tensor.
static bool try_hidden(ChainBlocks *blocks, int tensor, ptrdiff_t rows, ChainMade *made)
{
    ChainFinder *finder = blocks->report->finder;
    const ChainLinear *wide = &finder->linears[made->linear];
    const double *plain = product_of(finder, finder->tensors[made->from].at, rows, wide);
    if (!plain)
        return false;
    for (made->gate = -1; made->gate < finder->linear_count; made->gate++) {
        const ChainLinear *gate = made->gate < 0 ? NULL : &finder->linears[made->gate];
        if (gate && (gate->in != wide->in || gate->out != wide->out ||
                     gate->tensor == wide->tensor || !chain_is_free(blocks, gate)))
            continue;
        const double *gates =
            gate ? product_of(finder, finder->tensors[made->from].at, rows, gate) : NULL;
        for (int way = 0; way < 2 * CHAIN_ACTIVATIONS && finder->work < finder->most; way++) {
            made->activation = (ChainActivation)(way % CHAIN_ACTIVATIONS);
            made->bias = way < CHAIN_ACTIVATIONS ? wide->bias : -1;
            if ((way >= CHAIN_ACTIVATIONS && wide->bias < 0) || (gate && !made->activation))
                continue;
            const double *hidden = hidden_of(finder, plain, rows, made, gates);
            if (hidden && is_made_of_hidden(blocks, tensor, hidden, rows, made))
                return true;
        }
    }
    return false;
}

// Expands rows, activates them and contracts them again; or a part of that. A few rows refuse most ways.
static bool is_fed(ChainBlocks *blocks, int tensor, ChainMade *made)
{
    ChainFinder *finder = blocks->report->finder;
    const ChainTensor *one = &finder->tensors[tensor];
    for (int from = 0; from < finder->count + finder->norm_count; from++) {
        const ChainTensor *x = &finder->tensors[from];
        ptrdiff_t rows = one->count / chain_width_of(one);
        if (from == tensor || !is_stream(finder, from) || x->rank != one->rank ||
            x->count / chain_width_of(x) != rows || x->shape[0] != one->shape[0])
            continue;
        for (int i = 0; i < finder->linear_count && finder->work < finder->most; i++) {
            const ChainLinear *wide = &finder->linears[i];
            if (wide->in != chain_width_of(x) || wide->out <= wide->in ||
                !chain_is_free(blocks, wide))
                continue;
            *made = (ChainMade){.from = from, .with = -1, .third = -1, .linear = i, .second = -1};
            if (try_hidden(blocks, tensor, rows < FEW_ROWS ? rows : FEW_ROWS, made) &&
                try_hidden(blocks, tensor, rows, made))
                return true;
            arena_empty(finder->arena); // that of explain
        }
    }
    return false;
}

static bool is_activated(ChainFinder *finder, int tensor, ChainMade *made)
{
    const ChainTensor *one = &finder->tensors[tensor];
    for (int from = 0; from < finder->count; from++)
        for (ChainActivation kind = CHAIN_RELU; kind < CHAIN_ACTIVATIONS; kind++) {
            const ChainTensor *x = &finder->tensors[from];
            if (from == tensor || !is_stream(finder, from) || !are_alike(one, x))
                continue;
            ptrdiff_t n = 0;
            while (n < one->count &&
                   chain_near(finder, one->at[n], activate(kind, x->at[n]), one->largest))
                n++;
            *made = (ChainMade){.kind = CHAIN_MADE_HIDDEN,
                                .from = from,
                                .with = -1,
                                .activation = kind,
                                .third = -1,
                                .linear = -1};
            if (n == one->count)
                return true;
        }
    return false;
}

// --- formulas

static const char *element(ChainFinder *finder, int tensor, const char *column)
{
    const ChainTensor *one = &finder->tensors[tensor];
    return FORMAT(one->rank == 2 ? "%s[l,%s]" : "%s[b,l,%s]", chain_name(finder, one->name),
                  column);
}

static const char *hidden_text(ChainFinder *finder, const ChainMade *made, const char *column)
{
    static const char *const names[] = {"", "relu", "gelu", "gelu_tanh", "silu"};
    const char *inner = element(finder, made->from, column);
    if (made->linear >= 0)
        inner = FORMAT("sum_c %s * %s%s", element(finder, made->from, "c"),
                       chain_weight_text(finder, &finder->linears[made->linear], column),
                       chain_bias_text(finder, made->bias, 1.0, column));
    const char *made_of = FORMAT("%s(%s)", names[made->activation], inner);
    return made->linear >= 0 && made->gate >= 0
               ? FORMAT("%s * (sum_c %s * %s)", made_of, element(finder, made->from, "c"),
                        chain_weight_text(finder, &finder->linears[made->gate], column))
               : made_of;
}

// `rows` are the axes of a token.
static const char *fed_text(ChainFinder *finder, const ChainMade *made, const char *to,
                            const char *with, const char *rows)
{
    const char *bias =
        made->added < 0 ? ""
                        : FORMAT(" + %s[o]", chain_name(finder, finder->tensors[made->added].name));
    return FORMAT("hidden[%s,o] = %s; %s = %s%ssum_c %s * %s%s", rows,
                  hidden_text(finder, made, "o"), to, with, made->with >= 0 ? " + " : "",
                  FORMAT("hidden[%s,c]", rows),
                  chain_weight_text(finder, &finder->linears[made->second], "o"), bias);
}

static const char *text_of(ChainFinder *finder, int tensor, const ChainMade *made)
{
    const char *last = made->kind == CHAIN_MADE_FED || made->linear >= 0 ? "o" : "c",
               *to = element(finder, tensor, last),
               *with = made->with < 0 ? "" : element(finder, made->with, last);
    switch (made->kind) {
    case CHAIN_MADE_SUM:
        return FORMAT("%s = %s + %s", to, element(finder, made->from, "c"), with);
    case CHAIN_MADE_SUM_OF_THREE:
        return FORMAT("%s = %s + %s + %s", to, element(finder, made->from, "c"), with,
                      element(finder, made->third, "c"));
    case CHAIN_MADE_NORM:
        return FORMAT("%s = %s", to,
                      chain_even_text(finder, &made->even, made->is_over_tokens ? "l" : "c", "c",
                                      FORMAT("%s%s%s", element(finder, made->from, "c"),
                                             made->with >= 0 ? " + " : "", with)));
    case CHAIN_MADE_FED:
        return fed_text(finder, made, to, with, finder->tensors[tensor].rank == 2 ? "l" : "b,l");
    default:
        return FORMAT("%s = %s", to, hidden_text(finder, made, last));
    }
}

// --- all of it

static bool leads_back(const ChainBlocks *blocks, int tensor, int other, bool seen[])
{
    if (tensor < 0 || tensor == other || seen[tensor])
        return tensor == other;
    const ChainMade *made = &blocks->made[tensor];
    seen[tensor] = true;
    return made->kind && (leads_back(blocks, made->from, other, seen) ||
                          leads_back(blocks, made->with, other, seen) ||
                          leads_back(blocks, made->third, other, seen));
}

// True if a tensor is made of another, at last: no chain of formulas may go round.
static bool depends_on(const ChainBlocks *blocks, int tensor, int other)
{
    bool seen[CHAIN_TENSORS_MAX] = {false};
    return leads_back(blocks, tensor, other, seen);
}

// Tries what takes little time; or feed-forward layers and sums of three.
static void explain(ChainBlocks *blocks, int tensor, bool is_quick)
{
    ChainFinder *finder = blocks->report->finder;
    Arena *kept = finder->arena;
    finder->arena = &finder->tried[0];
    ChainMade made = {0};
    bool is_it = is_quick ? is_sum(finder, tensor, &made) || is_activated(finder, tensor, &made) ||
                                is_norm(blocks, tensor, &made)
                          : is_fed(blocks, tensor, &made) || is_sum_of_three(finder, tensor, &made);
    if (is_it && !depends_on(blocks, made.from, tensor) && !depends_on(blocks, made.with, tensor) &&
        !depends_on(blocks, made.third, tensor))
        blocks->made[tensor] = made;
    finder->arena = kept;
    arena_empty(&finder->tried[0]);
}

// True if an unused weight could have made these rows, so that they are no input; inputs are also normed.
static bool should_be_made(const ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    bool could_be = false;
    for (int i = 0; i < finder->linear_count && !could_be; i++)
        could_be = finder->linears[i].out == chain_width_of(&finder->tensors[tensor]) &&
                   chain_is_free(blocks, &finder->linears[i]) &&
                   !chain_is_used(blocks->report, &finder->linears[i]);
    for (int i = 0; i < finder->count && could_be; i++) {
        const ChainMade *made = &blocks->made[i];
        could_be = !(made->kind == CHAIN_MADE_NORM && made->with < 0 && made->from == tensor);
    }
    return could_be;
}

bool chain_line_block(ChainReport *report, int tensor, const char *role)
{
    const ChainMade *made = tensor < 0 || !report->blocks ? NULL : &report->blocks->made[tensor];
    if (!made || !made->kind)
        return false;
    const int from[] = {made->from, made->with, made->third};
    for (int i = 0; i < 3; i++)
        if (from[i] >= 0 && !chain_line_block(report, from[i], "") &&
            report->finder->projection_of[from[i]] < 0 && !should_be_made(report->blocks, from[i]))
            chain_line(report, from[i], "", NULL);
    report->finder->is_explained[tensor] = true;
    chain_line(report, tensor, role, text_of(report->finder, tensor, made));
    return true;
}

static bool is_gain_used(const ChainBlocks *blocks, int gain)
{
    const ChainFinder *finder = blocks->report->finder;
    bool is_it = false;
    for (int i = 0; i < finder->count; i++)
        is_it =
            is_it || (blocks->made[i].kind == CHAIN_MADE_NORM && blocks->made[i].even.gain == gain);
    return is_it;
}

// Norms that a feed-forward block goes on from, though the dump lacks them.
static void add_norms_of_sums(ChainBlocks *blocks)
{
    ChainFinder *finder = blocks->report->finder;
    for (int of = 0; of < finder->count; of++) {
        bool is_open = blocks->made[of].kind == CHAIN_MADE_SUM;
        for (int n = 0; n < finder->attention_count; n++) // which lacks its residual
            is_open = is_open || of == finder->attentions[n].output;
        for (int i = 0; i < finder->count + finder->norm_count && is_open; i++)
            is_open = blocks->made[i].kind != CHAIN_MADE_NORM || blocks->made[i].from != of;
        for (int gain = 0; gain < finder->count && is_open; gain++)
            if (chain_is_gain(finder, gain, chain_width_of(&finder->tensors[of])) &&
                !is_gain_used(blocks, gain))
                chain_add_norms_of(finder, of, gain);
    }
}

static void list_norms(ChainBlocks *blocks, int first)
{
    const ChainFinder *finder = blocks->report->finder;
    for (int i = first; i < finder->norm_count; i++)
        blocks->made[finder->count + i] = (ChainMade){.kind = CHAIN_MADE_NORM,
                                                      .from = finder->norms[i].of,
                                                      .with = -1,
                                                      .even = finder->norms[i].even,
                                                      .third = -1,
                                                      .linear = -1};
}

void chain_find_blocks(ChainReport *report)
{
    ChainFinder *finder = report->finder;
    ChainBlocks *blocks = arena_take(finder->arena, 1, sizeof *blocks, finder->err);
    if (!blocks || finder->attention_count == 0)
        return;
    blocks->report = report;
    report->blocks = blocks;
    list_norms(blocks, 0);
    for (int pass = 0; pass < 5; pass++) { // a norm may stand before what it is of
        int norms = finder->norm_count;
        if (pass == 2)
            add_norms_of_sums(blocks);
        list_norms(blocks, norms);
        bool is_quick = pass < 2 || (pass == 2 && finder->norm_count > norms); // sums with norms
        for (int i = 0; i < finder->count; i++)
            if (is_stream(finder, i) && !finder->is_explained[i] && !blocks->made[i].kind &&
                finder->projection_of[i] < 0 && finder->work < finder->most)
                explain(blocks, i, is_quick);
    }
}
