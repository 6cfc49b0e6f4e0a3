// chain_rows: the tensors of a dump as rows, a row for each token, and which rows are others times a weight.
#include "chain_internal.h"

#include <math.h>
#include <string.h>

double chain_largest(const double *at, ptrdiff_t count)
{
    double largest = 0.0;
    for (ptrdiff_t i = 0; i < count; i++)
        if (isfinite(at[i]) && fabs(at[i]) > largest)
            largest = fabs(at[i]);
    return largest;
}

// A float32 sum in another order is off by some 1e-6 of its largest term.
bool chain_near(const ChainFinder *finder, double a, double b, double largest)
{
    return a == b || (isnan(a) && isnan(b)) ||
           fabs(a - b) <= finder->grain * (3e-5 * largest + 1e-7);
}

// --- reading

// How many times as coarse as float32's numbers with many places are: those whose last 13 bits are 0 fit float16,
// those whose last 16 bits are 0 bfloat16. A chain of roundings adds up to a few of its last places.
static double grain_of(const ChainTensor *one)
{
    bool has_places = false;
    uint32_t all = 0;
    for (ptrdiff_t i = 0; i < one->count; i++) {
        float number = (float)one->at[i];
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        all |= bits;
        has_places = has_places || (isfinite(number) && fmod(number * 1024.0, 1.0) != 0.0);
    }
    return !has_places || (all & 0x1fff) ? 1.0 : all & 0xffff ? 60.0 : 300.0;
}

static void find_grain(ChainFinder *finder)
{
    finder->grain = 1.0;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        if (one->is_number && !one->is_flags && !one->is_fill && one->rank > 1)
            finder->grain = fmax(finder->grain, grain_of(one));
    }
}

static bool has_sums_of_1(const ChainFinder *finder, const ChainTensor *one)
{
    ptrdiff_t last = one->rank > 1 ? one->shape[one->rank - 1] : 0;
    double sum = 0.0;
    for (ptrdiff_t i = 0; last > 1 && i < one->count; i++) {
        sum = (i % last == 0 ? 0.0 : sum) + (one->at[i] >= 0.0 ? one->at[i] : (double)NAN);
        if (i % last == last - 1 && !(fabs(sum - 1.0) < 3e-5 * finder->grain + 7e-5))
            return false;
    }
    return last > 1 && one->count > 0;
}

static bool read_one(ChainFinder *finder, const DumpTensor *one, ChainTensor *made)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, number = 0;
    *made = (ChainTensor){.name = one->name,
                          .rank = one->tensor.rank,
                          .count = tensor_count(&one->tensor),
                          .is_number = one->tensor.dtype == DTYPE_F32};
    memcpy(made->shape, one->tensor.shape, sizeof made->shape);
    double *numbers = arena_take(finder->arena, (size_t)made->count, sizeof *numbers, finder->err);
    if (!numbers)
        return false;
    made->is_flags = made->is_fill = made->count > 0;
    for (bool more = made->count > 0; more; more = tensor_next(&one->tensor, at)) {
        numbers[number] = tensor_number(&one->tensor, at);
        made->is_flags = made->is_flags && (numbers[number] == 0.0 || numbers[number] == 1.0);
        made->is_fill = made->is_fill && (numbers[number] == 0.0 || numbers[number] < -chain_fill);
        number++;
    }
    made->at = numbers;
    if (one->tensor.dtype == DTYPE_I64 && made->rank >= 2)
        made->is_number = !made->is_flags;
    return true;
}

// --- weights

static bool is_word_end(char letter)
{
    return letter == '\0' || letter == '.' || letter == '_' || letter == '/';
}

bool chain_ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

// Whether "q_proj.bias" is the bias of "q_proj.weight", or of "q_proj".
bool chain_is_its_bias(const char *weight, const char *bias)
{
    size_t name = strlen(weight), end = strlen("weight");
    if (chain_ends_with(weight, "weight"))
        return strncmp(weight, bias, name - end) == 0 && strcmp(bias + name - end, "bias") == 0;
    return strncmp(weight, bias, name) == 0 && strcmp(bias + name, ".bias") == 0;
}

// How much two names have in common: whole parts at the beginning, letters at the end.
static int likeness(const char *a, const char *b)
{
    int same = 0, begin = 0, end = 0, long_a = (int)strlen(a), long_b = (int)strlen(b);
    while (a[same] && a[same] == b[same]) {
        same++;
        if (is_word_end(a[same]) || is_word_end(b[same]))
            begin = same;
    }
    while (end < long_a && end < long_b && a[long_a - 1 - end] == b[long_b - 1 - end])
        end++;
    return begin + end;
}

// The bias that goes with a weight by its name; a joined one is cut as its weight is.
static int bias_for(const ChainFinder *finder, const ChainLinear *linear, ptrdiff_t whole)
{
    int best = -1, most = 0;
    for (int i = 0; i < finder->bias_count; i++) {
        const ChainBias *bias = &finder->biases[i];
        const ChainTensor *tensor = &finder->tensors[bias->tensor];
        int alike = likeness(tensor->name, finder->tensors[linear->tensor].name);
        if (bias->size == linear->out && bias->first == linear->first && tensor->count == whole &&
            alike > most) {
            best = i;
            most = alike;
        }
    }
    return best;
}

static ChainLinear *add_linear(ChainFinder *finder, int tensor, bool by_columns, ptrdiff_t first,
                               ptrdiff_t out)
{
    static ChainLinear none;
    const ptrdiff_t *shape = finder->tensors[tensor].shape;
    if (finder->linear_count == CHAIN_LINEARS_MAX || out < 1)
        return &none;
    ChainLinear *linear = &finder->linears[finder->linear_count++];
    *linear = (ChainLinear){.tensor = tensor,
                            .by_columns = by_columns,
                            .first = first,
                            .out = out,
                            .in = shape[by_columns ? 0 : 1],
                            .run = PTRDIFF_MAX,
                            .by_in = by_columns ? shape[1] : 1,
                            .by_out = by_columns ? 1 : shape[1]};
    linear->bias = bias_for(finder, linear, shape[by_columns ? 1 : 0]);
    return linear;
}

// How wide q is where a weight makes the output of as many numbers; 0.
static ptrdiff_t queries_width(const ChainFinder *finder, int tensor, ptrdiff_t in)
{
    const ChainTensor *one = &finder->tensors[tensor];
    bool is_weight = one->is_number && one->rank == 2;
    return !is_weight            ? 0
           : one->shape[0] == in ? one->shape[1]
           : one->shape[1] == in ? one->shape[0]
                                 : 0;
}

// q, k and v in one tensor: thirds; or q is as wide as the input or what makes the output, and k and v share the rest.
static void add_joined(ChainFinder *finder, int tensor, bool by_columns)
{
    const ptrdiff_t *shape = finder->tensors[tensor].shape;
    ptrdiff_t out = shape[by_columns ? 1 : 0], in = shape[by_columns ? 0 : 1];
    for (ptrdiff_t third = 0; third < 3 && out % 3 == 0 && out != 3 * in; third++)
        add_linear(finder, tensor, by_columns, third * out / 3, out / 3);
    for (ptrdiff_t half = 0; half < 2 && out % 2 == 0 && out != in; half++) // k and v
        add_linear(finder, tensor, by_columns, half * out / 2, out / 2);
    ptrdiff_t before = 0;
    for (int i = -1; i < finder->count; i++) {
        ptrdiff_t wide = i < 0 ? in : queries_width(finder, i, in), rest = (out - wide) / 2;
        if (wide <= before || out <= wide || (out - wide) % 2 != 0 || out > 3 * wide)
            continue;
        add_linear(finder, tensor, by_columns, 0, wide);
        add_linear(finder, tensor, by_columns, wide, rest);
        add_linear(finder, tensor, by_columns, wide + rest, rest);
        before = wide;
    }
}

// The rows of q, k and v behind each other in each head, for every number of heads that maps of the dump have.
static void add_in_each_head(ChainFinder *finder, int tensor)
{
    const ptrdiff_t *shape = finder->tensors[tensor].shape;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *map = &finder->tensors[i];
        bool is_new = map->rank == 4 && map->shape[1] > 1 && shape[0] != shape[1] &&
                      shape[0] % (3 * map->shape[1]) == 0;
        for (int n = 0; n < i && is_new; n++)
            is_new = finder->tensors[n].rank != 4 || finder->tensors[n].shape[1] != map->shape[1];
        for (ptrdiff_t part = 0; part < 3 && is_new; part++) {
            ptrdiff_t run = shape[0] / map->shape[1] / 3;
            ChainLinear *linear = add_linear(finder, tensor, false, 0, shape[0] / 3);
            linear->layout = CHAIN_IN_EACH_HEAD;
            linear->base = part * run * shape[1];
            linear->run = run;
            linear->by_run = 3 * run * shape[1];
        }
    }
}

// Whether the last part of a name begins with this letter, or says that it is a weight.
static bool is_named(const char *name, char letter, const char *word)
{
    const char *last = name;
    for (const char *at = name; *at; at++)
        if ((*at == '.' || *at == '/') && at[1])
            last = at + 1;
    return (last[0] | 0x20) == letter || strstr(name, word) || strstr(name, "kernel");
}

static ChainLinear *add_layout(ChainFinder *finder, int tensor, ChainLayout layout, ptrdiff_t in,
                               ptrdiff_t out)
{
    ChainLinear *linear = add_linear(finder, tensor, true, 0, out);
    linear->layout = layout;
    linear->in = in;
    linear->by_in = out;
    linear->by_out = 1;
    linear->bias = bias_for(finder, linear, out);
    return linear;
}

// Whether a tensor has the shape of weights, as their scores have.
static bool is_as_weights(const ChainFinder *finder, const ChainTensor *one)
{
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *other = &finder->tensors[i];
        if (other->is_shares && other->rank == 3 && one->shape[0] == other->shape[0] &&
            one->shape[1] == other->shape[1] && one->shape[2] == other->shape[2])
            return true;
    }
    return false;
}

// Weights of three axes: of those that are stacked every one; of the others every way to join two axes.
static void add_deep(ChainFinder *finder, int tensor)
{
    const ptrdiff_t *n = finder->tensors[tensor].shape;
    bool is_stacked = n[1] == n[2] && n[0] > 1 && n[0] <= 4;
    for (ptrdiff_t i = 0; i < 2 * n[0] && is_stacked; i++) {
        ChainLinear *linear = add_layout(finder, tensor, CHAIN_STACKED, n[1], n[2]);
        linear->base = i / 2 * n[1] * n[2];
        linear->by_columns = i % 2 == 0;
        if (!linear->by_columns) {
            linear->by_in = 1;
            linear->by_out = n[2];
        }
    }
    if (!is_named(finder->tensors[tensor].name, 'w', "weight") ||
        is_as_weights(finder, &finder->tensors[tensor])) // "wei_raw"
        return;
    add_layout(finder, tensor, CHAIN_HEADS_INSIDE, n[0], n[1] * n[2]);
    add_layout(finder, tensor, CHAIN_HEADS_BEFORE, n[0] * n[1], n[2]);
    ChainLinear *linear = add_layout(finder, tensor, CHAIN_HEADS_APART, n[1], n[0] * n[2]);
    linear->run = linear->by_in = n[2];
    linear->by_run = n[1] * n[2];
}

static void add_bias(ChainFinder *finder, int tensor, ptrdiff_t first, ptrdiff_t size)
{
    if (finder->bias_count < CHAIN_BIASES_MAX && size > 0)
        finder->biases[finder->bias_count++] = (ChainBias){tensor, first, size};
}

// The bias of a joined weight whose k and v are narrower than q: as the output's weight tells.
static void add_joined_bias(ChainFinder *finder, int tensor)
{
    ptrdiff_t out = finder->tensors[tensor].shape[0], before = 0;
    for (int i = 0; i < finder->count; i++)
        for (int axis = 0; axis < 2 && finder->tensors[i].rank == 2; axis++) {
            ptrdiff_t wide = finder->tensors[i].shape[axis], rest = (out - wide) / 2;
            if (wide <= before || out <= wide || (out - wide) % 2 != 0 || out >= 3 * wide)
                continue;
            add_bias(finder, tensor, 0, wide);
            add_bias(finder, tensor, wide, rest);
            add_bias(finder, tensor, wide + rest, rest);
            before = wide;
        }
}

// Whether a weight makes as many numbers of fewer or more: it may join those of k and v.
static bool is_joined_size(const ChainFinder *finder, ptrdiff_t size)
{
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        for (int axis = 0; axis < 2 && one->rank == 2 && size % 2 == 0; axis++)
            if (one->shape[axis] == size && one->shape[1 - axis] != size)
                return true;
    }
    return false;
}

static void add_parameters(ChainFinder *finder)
{
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *tensor = &finder->tensors[i];
        if (!tensor->is_number || tensor->rank != 1)
            continue;
        add_bias(finder, i, 0, tensor->shape[0]);
        for (ptrdiff_t third = 0; third < 3 && tensor->shape[0] % 3 == 0; third++)
            add_bias(finder, i, third * tensor->shape[0] / 3, tensor->shape[0] / 3);
        for (ptrdiff_t half = 0; half < 2 && is_joined_size(finder, tensor->shape[0]); half++)
            add_bias(finder, i, half * tensor->shape[0] / 2, tensor->shape[0] / 2);
        add_joined_bias(finder, i);
    }
    for (int i = 0; i < finder->count; i++) { // with an axis of heads
        const ChainTensor *tensor = &finder->tensors[i];
        if (tensor->is_number && tensor->rank == 2 && is_named(tensor->name, 'b', "bias"))
            add_bias(finder, i, 0, tensor->count);
    }
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *tensor = &finder->tensors[i];
        if (tensor->is_number && tensor->rank == 3 && !tensor->is_flags && !tensor->is_shares)
            add_deep(finder, i);
        if (!tensor->is_number || tensor->rank != 2 || tensor->is_flags)
            continue;
        for (int by_columns = 0; by_columns < 2; by_columns++) {
            add_linear(finder, i, by_columns, 0, tensor->shape[by_columns]);
            add_joined(finder, i, by_columns);
        }
        add_in_each_head(finder, i);
    }
}

const double *chain_weight(const ChainFinder *finder, const ChainLinear *linear, ptrdiff_t o)
{
    ptrdiff_t at = linear->first + o;
    return finder->tensors[linear->tensor].at + linear->base + at / linear->run * linear->by_run +
           at % linear->run * linear->by_out;
}

const double *chain_bias(const ChainFinder *finder, int bias)
{
    return bias < 0 ? NULL
                    : finder->tensors[finder->biases[bias].tensor].at + finder->biases[bias].first;
}

// --- rows

void chain_add_rows(ChainFinder *finder, ChainRows rows)
{
    if (finder->row_count < CHAIN_ROWS_MAX)
        finder->rows[finder->row_count++] = rows;
}

static bool is_made_by_weight(const ChainFinder *finder, ptrdiff_t in, ptrdiff_t out)
{
    for (int i = 0; i < finder->linear_count; i++)
        if (finder->linears[i].in == in && finder->linears[i].out == out && in > 0 && out % in != 0)
            return true;
    return false;
}

// The sequences in the first axis of (B H, L, d), as a text (B, L, D) or (L, D) of the dump tells; 0.
static ptrdiff_t batch_of(const ChainFinder *finder, const ptrdiff_t n[], bool has_batch)
{
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        if (!one->is_number || one->is_shares || one->is_flags || one->rank < 2 || one->rank > 3 ||
            (one->rank == 2 && has_batch))
            continue;
        for (int way = 0; way < one->rank - 1; way++) {
            ptrdiff_t batch = one->rank == 2 ? 1 : one->shape[way], length = one->shape[1 - way];
            length = one->rank == 2 ? one->shape[0] : length;
            if (batch > 0 && n[0] > batch && n[0] % batch == 0 && n[1] == length &&
                (n[0] / batch * n[2] == one->shape[one->rank - 1] ||
                 is_made_by_weight(finder, one->shape[one->rank - 1], n[0] / batch * n[2])))
                return batch;
        }
    }
    return 0;
}

// Rank 2 is one sequence. Rank 3 is (B, L, D), or (L, B, D), or (H, L, d). Rank 4 has an axis of heads
// before or after that of the tokens, or holds k^T.
static void add_rows_of(ChainFinder *finder, int tensor, bool has_batch)
{
    const ptrdiff_t *n = finder->tensors[tensor].shape;
    ChainRows rows = {.tensor = tensor, .tier = 1, .source = -1, .linear = -1, .bias = -1, .e = 1};
    rows.batch = 1;
    if (finder->tensors[tensor].rank == 2) {
        rows.length = n[0], rows.width = rows.l = n[1], rows.b = n[0] * n[1];
        chain_add_rows(finder, rows);
    } else if (finder->tensors[tensor].rank == 3 && (rows.batch = batch_of(finder, n, has_batch))) {
        rows.heads = n[0] / rows.batch, rows.length = n[1], rows.width = rows.l = n[2];
        rows.h = n[1] * n[2], rows.b = rows.heads * rows.h;
        chain_add_rows(finder, rows);
    } else if (finder->tensors[tensor].rank == 3) {
        rows.batch = n[0], rows.length = n[1], rows.width = rows.l = n[2], rows.b = n[1] * n[2];
        chain_add_rows(finder, rows);
        rows.batch = 1, rows.heads = n[0], rows.h = rows.b;
        chain_add_rows(finder, rows);
        if (!has_batch && n[1] > 1) { // (L, H, d)
            rows.heads = n[1], rows.h = n[2], rows.length = n[0], rows.l = n[1] * n[2];
            chain_add_rows(finder, rows);
        }
        rows.heads = 0, rows.is_turned = true;
        rows.batch = n[1], rows.length = n[0], rows.l = n[1] * n[2], rows.b = n[2];
        chain_add_rows(finder, rows);
    } else {
        rows.batch = n[0], rows.b = n[1] * n[2] * n[3];
        rows.heads = n[1], rows.h = n[2] * n[3], rows.length = n[2];
        rows.width = rows.l = n[3];
        chain_add_rows(finder, rows);
        rows.length = n[3], rows.l = 1, rows.width = n[2], rows.e = n[3];
        chain_add_rows(finder, rows);
        rows.heads = n[2], rows.h = n[3], rows.length = n[1], rows.l = n[2] * n[3];
        rows.width = n[3], rows.e = 1;
        chain_add_rows(finder, rows);
    }
}

// Gradients are made of each other as scores and weights are, the other way round.
static bool is_gradient(const char *name)
{
    const char *last = strrchr(name, '.');
    return strncmp(name, "grad", 4) == 0 || (last && strncmp(last + 1, "grad", 4) == 0);
}

// Whether the dump has weights of so many heads and tokens, and no axis of sequences.
static bool has_headed_maps(const ChainFinder *finder, ptrdiff_t heads, ptrdiff_t length)
{
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        if (one->is_shares && one->rank == 3 && one->shape[0] == heads && one->shape[1] == length)
            return true;
    }
    return false;
}

// Whether (L, H, d) or (1, L, d) is in the dump as (L, H d), too.
static bool has_joined_heads(const ChainFinder *finder, const ptrdiff_t n[])
{
    bool is_one = n[0] == 1 && n[1] != n[2] && has_headed_maps(finder, 1, n[1]);
    ptrdiff_t length = is_one ? n[1] : n[0];
    if (!is_one && n[1] == 1 && !has_headed_maps(finder, 1, n[0]))
        return false;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        if (one->is_number && one->rank == 2 && one->shape[0] == length &&
            one->shape[1] == n[0] * n[1] * n[2] / length && !chain_ends_with(one->name, "weight"))
            return true;
    }
    return false;
}

// Whether a text of two axes may belong to maps (H, L, L): a weight multiplies it.
static bool has_text_of_two_axes(const ChainFinder *finder, ptrdiff_t length)
{
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        bool could_be = one->is_number && !one->is_flags && one->rank == 2 &&
                        one->shape[0] == length && one->shape[1] != length;
        for (int n = 0; could_be && n < finder->linear_count; n++)
            if (finder->linears[n].in == one->shape[1] && finder->linears[n].tensor != i)
                return true;
    }
    return false;
}

// Whether the input has an axis of sequences. Weights (H, L, L) of one sequence are no input, and maps (H, L, L)
// beside q (H, L, d) are none. Then tensors of two axes are weights.
static bool has_batch(const ChainFinder *finder)
{
    bool is_square = false, is_headed = false;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        bool could_be = one->is_number && one->rank == 3 && !is_as_weights(finder, one) &&
                        one->shape[0] * one->shape[1] > 1;
        bool is_joined = could_be && has_joined_heads(finder, one->shape);
        is_headed =
            is_headed || is_joined || (could_be && batch_of(finder, one->shape, false) == 1);
        could_be = could_be && !is_joined;
        for (int n = 0; could_be && n < finder->linear_count; n++) {
            bool fits = one->shape[2] == finder->linears[n].in && finder->linears[n].tensor != i;
            if (fits && one->shape[1] != one->shape[2])
                return true;
            is_square = is_square || (fits && !has_text_of_two_axes(finder, one->shape[1]));
        }
    }
    return is_square && !is_headed;
}

// Masked scores are no rows: nothing can be learnt from products with infinities and what stands for them.
static bool is_filled(const ChainTensor *one)
{
    for (ptrdiff_t i = 0; i < one->count; i++)
        if (isinf(one->at[i]) || one->at[i] < -chain_fill)
            return true;
    return false;
}

// With fewer queries than keys (decoding with a cache), q may be made of the last tokens alone.
static void add_last_rows(ChainFinder *finder)
{
    int count = finder->row_count;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *map = &finder->tensors[i];
        ptrdiff_t queries = map->rank < 3 ? 0 : map->shape[map->rank - 2],
                  keys = map->rank < 3 ? 0 : map->shape[map->rank - 1];
        for (int n = 0; n < count && map->is_shares && queries < keys; n++) {
            ChainRows rows = finder->rows[n];
            if (rows.heads > 0 || rows.length != keys || finder->tensors[rows.tensor].is_shares)
                continue;
            rows.skipped = keys - queries;
            rows.length = queries;
            chain_add_rows(finder, rows);
        }
        if (finder->row_count > count)
            return;
    }
}

bool chain_read(ChainFinder *finder, const Dump *dump)
{
    for (int i = 0; i < dump->count; i++) {
        if (!read_one(finder, &dump->tensors[i], &finder->tensors[finder->count++]))
            return false;
        if (is_gradient(dump->tensors[i].name))
            finder->tensors[i].is_number = finder->tensors[i].is_flags = false;
        finder->projection_of[i] = finder->transpose_of[i] = -1;
        finder->origins[i] = (ChainOrigin){.from = -1, .times = 1.0};
    }
    ptrdiff_t longest = 1;
    for (int i = 0; i < finder->count; i++)
        for (int axis = 0; axis < finder->tensors[i].rank; axis++)
            longest =
                finder->tensors[i].shape[axis] > longest ? finder->tensors[i].shape[axis] : longest;
    finder->line = arena_take(finder->kept, (size_t)longest, sizeof *finder->line, finder->err);
    if (!finder->line)
        return false;
    find_grain(finder);
    for (int i = 0; i < finder->count; i++) {
        ChainTensor *one = &finder->tensors[i];
        one->is_shares = one->is_number && !one->is_flags && has_sums_of_1(finder, one);
    }
    add_parameters(finder);
    bool is_batched = finder->has_batch = has_batch(finder);
    int least = is_batched ? 3 : 2;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *tensor = &finder->tensors[i];
        if (tensor->is_number && tensor->count > 0 && tensor->rank >= least && tensor->rank <= 4 &&
            !is_filled(tensor))
            add_rows_of(finder, i, is_batched);
    }
    add_last_rows(finder);
    return true;
}

// --- projections

static const double *row_at(const ChainFinder *finder, const ChainRows *rows, ptrdiff_t row)
{
    return finder->tensors[rows->tensor].at + row / rows->length * rows->b +
           (rows->skipped + row % rows->length) * rows->l;
}

static double product_at(ChainFinder *finder, const double *x, const ChainLinear *linear,
                         ptrdiff_t o)
{
    double sum = 0.0;
    const double *weight = chain_weight(finder, linear, o);
    for (ptrdiff_t c = 0; c < linear->in; c++)
        sum += x[c] * weight[c * linear->by_in];
    finder->work += (double)linear->in;
    return sum;
}

// How many times a product some rows are, by the first column of three of them; 0.0 where they are not.
static double times_of(ChainFinder *finder, const ChainRows *x, const ChainLinear *linear,
                       const ChainRows *y)
{
    double made[3], found[3];
    if (x->batch * x->length < 3)
        return 0.0;
    for (ptrdiff_t row = 0; row < 3; row++) {
        made[row] = product_at(finder, row_at(finder, x, row), linear, 0);
        found[row] = row_at(finder, y, row)[0];
    }
    double a = made[1] - made[0], b = made[2] - made[0], to_a = found[1] - found[0],
           to_b = found[2] - found[0];
    if (!(fabs(a * to_b - b * to_a) <= 1e-3 * finder->grain * (fabs(a * to_b) + fabs(b * to_a))))
        return 0.0;
    double times = fabs(a) > fabs(b) ? to_a / a : to_b / b;
    return isfinite(times) && fabs(times) > 1e-6 ? times : 0.0;
}

// Whether all rows are off by the same, which is how a bias shows.
static bool is_product(ChainFinder *finder, const ChainRows *x, const ChainLinear *linear,
                       const ChainRows *y, double times, double offset[])
{
    ptrdiff_t rows = x->batch * x->length;
    const ChainTensor *made = &finder->tensors[y->tensor];
    double largest = chain_largest(made->at, made->count);
    for (ptrdiff_t o = 0; o < linear->out; o++)
        for (ptrdiff_t row = 0; row < rows; row++) {
            double off = row_at(finder, y, row)[o] -
                         times * product_at(finder, row_at(finder, x, row), linear, o);
            offset[o] = row == 0 ? off : offset[o];
            if (!(fabs(off - offset[o]) <= finder->grain * (6e-5 * largest + 1e-6)))
                return false;
        }
    return true;
}

// Which bias is `times` times in what all rows are off by.
static bool find_bias(const ChainFinder *finder, const ChainLinear *linear, const double offset[],
                      double largest, ChainProjection *made)
{
    made->bias = linear->bias;
    made->times = 0.0;
    bool is_none = true;
    for (ptrdiff_t o = 0; o < linear->out; o++)
        is_none = is_none && chain_near(finder, offset[o], 0.0, 2.0 * largest);
    if (is_none)
        return true;
    static const double often[] = {1.0, 2.0};
    for (int pass = 0; pass < 2; pass++)
        for (int i = -1; i < finder->bias_count; i++) {
            int bias = i < 0 ? linear->bias : i;
            bool fits = bias >= 0 && finder->biases[bias].size == linear->out;
            const double *numbers = fits ? chain_bias(finder, bias) : NULL;
            for (ptrdiff_t o = 0; fits && o < linear->out; o++)
                fits = chain_near(finder, offset[o], made->factor * often[pass] * numbers[o],
                                  2.0 * largest);
            if (fits) {
                made->bias = bias;
                made->times = often[pass];
                return true;
            }
        }
    return false;
}

static bool try_projection(ChainFinder *finder, int source, int linear, int target, bool is_scaled,
                           ChainProjection *made)
{
    const ChainRows *x = &finder->rows[source], *y = &finder->rows[target];
    const ChainLinear *weight = &finder->linears[linear];
    if (finder->tensors[x->tensor].is_shares || x->tensor == y->tensor ||
        weight->tensor == x->tensor || weight->tensor == y->tensor || x->width != weight->in ||
        y->width != weight->out || y->heads > 0 || y->skipped > 0 || y->is_turned != x->is_turned ||
        y->batch != x->batch || y->length != x->length)
        return false;
    double times = is_scaled ? times_of(finder, x, weight, y) : 1.0;
    double *offset = arena_take(finder->arena, (size_t)weight->out, sizeof *offset, finder->err);
    const ChainTensor *tensor = &finder->tensors[y->tensor];
    *made =
        (ChainProjection){.tensor = y->tensor, .source = source, .linear = linear, .factor = times};
    return offset && times != 0.0 && (x->batch * x->length > 1 || weight->out > 2) &&
           is_product(finder, x, weight, y, times, offset) &&
           find_bias(finder, weight, offset, chain_largest(tensor->at, tensor->count), made);
}

static bool is_projected(const ChainFinder *finder, int tensor)
{
    return finder->projection_of[tensor] >= 0;
}

// Where tensors of two axes are rows and weights alike, scores are the product of q and k: what has been
// projected itself is no weight.
static void drop_products_of_products(ChainFinder *finder)
{
    for (int i = 0; i < finder->projection_count; i++) {
        const ChainProjection *one = &finder->projections[i];
        bool is_weight = !is_projected(finder, finder->linears[one->linear].tensor);
        if (is_weight)
            continue;
        for (int j = 0; j < finder->count; j++)
            if (finder->projection_of[j] == i)
                finder->projection_of[j] = -1;
    }
}

// The rows that a weight makes of others, as they are or times a number.
static void project(ChainFinder *finder, int target, bool is_scaled)
{
    const ChainRows *y = &finder->rows[target];
    for (int source = 0; source < finder->row_count && !is_projected(finder, y->tensor); source++)
        for (int linear = 0; linear < finder->linear_count; linear++) {
            ChainProjection made;
            bool is_input = finder->rows[source].heads == 0 && finder->work < finder->most;
            if (!is_input || !try_projection(finder, source, linear, target, is_scaled, &made))
                continue;
            finder->projection_of[y->tensor] = finder->projection_count;
            finder->projections[finder->projection_count++] = made;
            break;
        }
}

void chain_project(ChainFinder *finder)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int target = 0; target < finder->row_count; target++)
            project(finder, target, pass == 1);
        drop_products_of_products(finder);
    }
}

// --- products that are not in the dump

static bool is_weight_used(const ChainFinder *finder, int tensor)
{
    for (int i = 0; i < finder->count; i++)
        if (is_projected(finder, i) &&
            finder->linears[finder->projections[finder->projection_of[i]].linear].tensor == tensor)
            return true;
    return false;
}

// Inputs of known products first; else whatever fits a weight and is no product.
static void find_inputs(ChainFinder *finder)
{
    for (int pass = 0; pass < 2; pass++)
        for (int row = 0; row < finder->row_count && finder->input_count < CHAIN_INPUTS_MAX;
             row++) {
            const ChainRows *rows = &finder->rows[row];
            bool is_source = false, fits = false;
            for (int i = 0; i < finder->count; i++)
                is_source =
                    is_source || (is_projected(finder, i) &&
                                  finder->projections[finder->projection_of[i]].source == row);
            for (int i = 0; i < finder->linear_count; i++)
                fits = fits || (finder->linears[i].in == rows->width &&
                                finder->linears[i].tensor != rows->tensor);
            fits = fits && rows->heads == 0 && !finder->tensors[rows->tensor].is_shares &&
                   !is_projected(finder, rows->tensor) && !is_weight_used(finder, rows->tensor);
            if (pass == 0 ? is_source : fits && !is_source)
                finder->inputs[finder->input_count++] = row;
        }
}

// A square weight is seldom a joined one.
static bool is_third_of_square(const ChainFinder *finder, const ChainLinear *weight)
{
    const ChainTensor *tensor = &finder->tensors[weight->tensor];
    return weight->layout == CHAIN_FLAT && tensor->shape[0] == tensor->shape[1] &&
           weight->out != tensor->shape[0];
}

// A weight "q_proj.weight" goes with "q_proj.bias" and no other.
static bool has_own_bias(const ChainFinder *finder, const ChainLinear *weight)
{
    return weight->bias < 0 || !chain_ends_with(finder->tensors[weight->tensor].name, "weight") ||
           chain_is_its_bias(finder->tensors[weight->tensor].name,
                             finder->tensors[finder->biases[weight->bias].tensor].name);
}

// With the bias that goes with the weight by its name, then with any other and with none.
static void derive_from(ChainFinder *finder, int input, int linear, int tier)
{
    const ChainLinear *weight = &finder->linears[linear];
    ChainRows rows = finder->rows[finder->inputs[input]];
    if (weight->in != rows.width || weight->tensor == rows.tensor ||
        is_projected(finder, weight->tensor))
        return;
    rows.b = rows.b / rows.width * weight->out;
    rows.l = rows.l / rows.width * weight->out;
    rows.width = weight->out;
    rows.skipped = 0;
    rows.tensor = -1;
    rows.source = input;
    rows.linear = linear;
    rows.tier = tier;
    for (int bias = -1; bias < finder->bias_count; bias++) {
        bool is_usual = (bias == weight->bias || (bias < 0 && !has_own_bias(finder, weight))) &&
                        !is_third_of_square(finder, weight);
        if (bias >= 0 && finder->biases[bias].size != weight->out)
            continue;
        rows.bias = bias;
        rows.times = bias >= 0;
        if (is_usual == (tier == 2))
            chain_add_rows(finder, rows);
    }
}

// --- keys behind the text's

// A token of its own: (1, 1, D) or (1, D).
static bool is_token(const ChainTensor *one, ptrdiff_t width)
{
    return one->is_number && one->rank > 1 && one->rank < 4 && one->count == width &&
           one->shape[one->rank - 1] == width;
}

// Whether a map of the dump has so many keys, and no text of it has.
static bool has_keys(const ChainFinder *finder, ptrdiff_t keys)
{
    bool is_known = false, has_map = false;
    for (int i = 0; i < finder->row_count; i++)
        is_known = is_known || (finder->rows[i].length == keys && finder->rows[i].heads == 0 &&
                                finder->rows[i].appended == 0 && finder->rows[i].source >= 0);
    for (int i = 0; i < finder->count && !is_known; i++) {
        const ChainTensor *one = &finder->tensors[i];
        has_map = has_map || (one->is_number && one->rank > 2 &&
                              one->shape[one->rank - 1] == keys && finder->projection_of[i] < 0);
    }
    return has_map;
}

static void append(ChainFinder *finder, int number, ptrdiff_t appended, int behind)
{
    ChainRows rows = finder->rows[number];
    ptrdiff_t columns = rows.heads > 0 ? rows.heads * rows.width : rows.width;
    if (behind >= 0 && !is_token(&finder->tensors[behind], columns))
        return;
    rows.base = number;
    rows.behind = behind;
    rows.appended = appended;
    rows.length += appended;
    rows.l = columns;
    rows.b = rows.length * columns;
    rows.h = rows.heads > 0 ? rows.width : 0;
    rows.e = 1;
    chain_add_rows(finder, rows);
}

// Whether a text of the dump has so many tokens.
static bool is_text_length(const ChainFinder *finder, ptrdiff_t length)
{
    bool is_it = finder->input_count == 0;
    for (int i = 0; i < finder->input_count; i++) {
        const ChainRows *rows = &finder->rows[finder->inputs[i]];
        is_it = is_it || (rows->length == length && rows->batch * rows->length > 1);
    }
    return is_it;
}

static void append_all(ChainFinder *finder)
{
    int count = finder->row_count;
    for (int i = 0; i < count; i++) {
        const ChainRows rows = finder->rows[i];
        bool is_tensor = rows.tensor >= 0;
        bool is_text = rows.tier <= 2 && rows.skipped == 0 && rows.e == 1 &&
                       is_text_length(finder, rows.length) &&
                       !(is_tensor && finder->tensors[rows.tensor].is_shares) &&
                       (!is_tensor || rows.heads > 0 || finder->projection_of[rows.tensor] >= 0);
        for (ptrdiff_t more = 1; more <= 2 && is_text; more++)
            for (int behind = more == 1 ? -1 : 0;
                 has_keys(finder, rows.length + more) && behind < finder->count; behind++)
                append(finder, i, more, behind);
    }
}

void chain_derive(ChainFinder *finder)
{
    find_inputs(finder);
    for (int tier = 2; tier <= 3; tier++) {
        for (int input = 0; input < finder->input_count; input++)
            for (int linear = 0; linear < finder->linear_count; linear++)
                derive_from(finder, input, linear, tier);
        if (tier == 2)
            append_all(finder);
    }
}

ptrdiff_t chain_appended(const ChainFinder *finder, ptrdiff_t keys)
{
    ptrdiff_t appended = 0;
    for (int i = finder->row_count - 1; i >= 0 && appended == 0; i--)
        appended = finder->rows[i].length == keys ? finder->rows[i].appended : 0;
    return appended;
}

static double *multiply(ChainFinder *finder, int input, int linear)
{
    const ChainRows *x = &finder->rows[finder->inputs[input]];
    const ChainLinear *weight = &finder->linears[linear];
    ptrdiff_t rows = x->batch * x->length;
    ptrdiff_t end = ((x->batch - 1) * x->b + (x->length - 1) * x->l) / x->width + 1;
    double *made = arena_take(finder->kept, (size_t)(end * weight->out), sizeof *made, finder->err);
    for (ptrdiff_t row = 0; made && row < rows; row++) {
        ptrdiff_t to = (row / x->length * x->b + row % x->length * x->l) / x->width * weight->out;
        const double *from = row_at(finder, x, row);
        for (ptrdiff_t o = 0; o < weight->out; o++)
            made[to + o] = product_at(finder, from, weight, o);
    }
    return made;
}

static const double *chain_numbers(ChainFinder *finder, int number);

// The text's tokens, the one behind them, and zeros.
static const double *joined_numbers(ChainFinder *finder, ChainRows *rows)
{
    const ChainRows *base = &finder->rows[rows->base];
    const double *from = rows->joined ? NULL : chain_numbers(finder, rows->base),
                 *bias = chain_bias(finder, base->tensor < 0 ? base->bias : -1),
                 *behind = rows->behind < 0 ? NULL : finder->tensors[rows->behind].at;
    ptrdiff_t columns = rows->l, count = rows->batch * rows->b;
    if (!from)
        return rows->joined;
    double *made = arena_take(finder->kept, (size_t)count, sizeof *made, finder->err);
    for (ptrdiff_t i = 0; made && i < count; i++) {
        ptrdiff_t c = i % columns, l = i / columns % rows->length,
                  own = base->heads > 0 ? c / base->width * base->h + c % base->width * base->e : c;
        made[i] = l < base->length
                      ? from[i / rows->b * base->b + l * base->l + own] + (bias ? bias[c] : 0.0)
                  : behind && l == base->length ? behind[c]
                                                : 0.0;
    }
    rows->joined = made;
    return made;
}

static const double *chain_numbers(ChainFinder *finder, int number)
{
    const ChainRows *rows = &finder->rows[number];
    if (rows->appended > 0)
        return joined_numbers(finder, &finder->rows[number]);
    if (rows->tensor >= 0)
        return finder->tensors[rows->tensor].at + rows->skipped * rows->l + rows->first;
    double **kept = &finder->products[rows->source][rows->linear];
    if (!*kept)
        *kept = multiply(finder, rows->source, rows->linear);
    return *kept;
}

bool chain_split(ChainFinder *finder, int number, ChainSplit split, ptrdiff_t heads,
                 ptrdiff_t width, ChainHeads *out)
{
    const ChainRows *rows = &finder->rows[number];
    if (width == 0)
        width = rows->heads > 0 ? rows->width : rows->width / heads;
    ptrdiff_t own = rows->heads > 0 ? rows->heads : width > 0 ? rows->width / width : 0;
    bool fits = own > 0 && heads % own == 0 &&
                (rows->heads > 0 ? rows->width : rows->width / own) == width &&
                (rows->heads > 0 || own * width == rows->width);
    if (!fits || (split != CHAIN_IN_RUNS && (rows->heads > 0 || own == 1)) ||
        (split == CHAIN_BY_VIEW && rows->is_turned))
        return false;
    *out = (ChainHeads){
        .at = chain_numbers(finder, number),
        .bias = chain_bias(finder, rows->tensor < 0 && rows->appended == 0 ? rows->bias : -1),
        .b = rows->b,
        .h = rows->heads > 0 ? rows->h : width,
        .l = rows->l,
        .e = rows->heads > 0 ? rows->e : 1,
        .width = width,
        .row = rows->width,
        .group = heads / own};
    if (split == CHAIN_BY_VIEW) {
        out->h = rows->length * width;
        out->l = width;
    } else if (split == CHAIN_IN_TURN) {
        out->h = 1;
        out->e = own;
    } else if (split == CHAIN_TILED) {
        out->tiles = own;
    }
    return out->at != NULL;
}
