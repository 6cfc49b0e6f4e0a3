// chain_read: the tensors of a dump as weights and biases, and as rows, a row for each token.
#include "chain_internal.h"

#include <ctype.h>
#include <limits.h>
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

bool chain_is_same(const ChainFinder *finder, int a, int b)
{
    const ChainTensor *one = &finder->tensors[a], *other = &finder->tensors[b];
    if (one->count != other->count || !one->is_number || !other->is_number || one->rank < 2)
        return false;
    double largest = one->largest;
    for (ptrdiff_t i = 0; i < one->count; i++)
        if (!chain_near(finder, one->at[i], other->at[i], largest))
            return false;
    return true;
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

// Skips rows that are all NaN: every key was hidden.
static bool has_sums_of_1(const ChainFinder *finder, const ChainTensor *one)
{
    ptrdiff_t last = one->rank > 1 ? one->shape[one->rank - 1] : 0, good = 0, lost = 0;
    double sum = 0.0;
    for (ptrdiff_t i = 0; last > 1 && i < one->count; i++) {
        sum = i % last == 0 ? 0.0 : sum;
        lost = i % last == 0 ? 0 : lost;
        lost += isnan(one->at[i]);
        sum += isnan(one->at[i]) ? 0.0 : one->at[i] >= 0.0 ? one->at[i] : (double)INFINITY;
        if (i % last < last - 1 || lost == last)
            continue;
        if (lost > 0 || !(fabs(sum - 1.0) < 3e-5 * finder->grain + 7e-5))
            return false;
        good++;
    }
    return good > 0;
}

static bool read_one(ChainFinder *finder, const DumpTensor *one, ChainTensor *made)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, number = 0;
    *made = (ChainTensor){.name = one->name,
                          .role = dump_role(one->name),
                          .rank = one->tensor.rank,
                          .count = tensor_count(&one->tensor),
                          .is_number = one->tensor.dtype == DTYPE_F32};
    memcpy(made->shape, one->tensor.shape, sizeof made->shape);
    double *numbers = chain_take(finder, made->count);
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
    made->largest = chain_largest(numbers, number);
    if (one->tensor.dtype == DTYPE_I64 && made->rank >= 2) // larger ones are numbers of words
        made->is_number = !made->is_flags && made->largest < 16.0;
    // What two ways to compute differ by: rounding alone, which any step would fit.
    if (made->rank >= 2 && made->largest > 0.0 && made->largest < 1e-5)
        made->is_number = false;
    return true;
}

// --- lengths

// Finds the text (B, L, D) that these lengths fit.
static const ChainTensor *text_of(const ChainFinder *finder, const Tensor *lengths)
{
    ptrdiff_t count = tensor_count(lengths), longest = 0, at[TENSOR_RANK_MAX] = {0};
    bool more = count > 0, is_it = more;
    for (; more; more = tensor_next(lengths, at)) {
        ptrdiff_t length = (ptrdiff_t)tensor_number(lengths, at);
        longest = length > longest ? length : longest;
        is_it = is_it && length > 0;
    }
    for (int i = 0; i < finder->count && is_it; i++) {
        const ChainTensor *one = &finder->tensors[i];
        if (one->is_number && !one->is_shares && one->rank == 3 && one->shape[0] > 0 &&
            count % one->shape[0] == 0 && one->shape[1] >= longest &&
            one->shape[1] != one->shape[2])
            return one;
    }
    return NULL;
}

static bool has_lengths_name(const char *name)
{
    size_t end = strlen("len");
    bool is_it = false;
    for (; *name && !is_it; name++)
        is_it = strncmp(name, "len", end) == 0 || strncmp(name, "Len", end) == 0;
    return is_it;
}

// Turns lengths into a padding mask.
static bool read_lengths(ChainFinder *finder, const DumpTensor *one, ChainTensor *made)
{
    const ChainTensor *text =
        one->tensor.rank == 1 && one->tensor.dtype == DTYPE_I64 && has_lengths_name(one->name)
            ? text_of(finder, &one->tensor)
            : NULL;
    if (!text)
        return true;
    ptrdiff_t batch = text->shape[0], length = text->shape[1];
    double *flags = arena_take(finder->kept, (size_t)(batch * length), sizeof *flags, finder->err);
    made->heads = made->count / batch;
    for (ptrdiff_t n = 0; flags && n < batch * length; n++)
        flags[n] = (double)(n % length) >= made->at[n / length * made->heads];
    made->at = flags;
    made->rank = 2;
    made->shape[0] = batch;
    made->shape[1] = length;
    made->count = batch * length;
    made->is_flags = true;
    return flags != NULL;
}

// --- weights

static bool is_word_end(char letter)
{
    return letter == '\0' || letter == '.' || letter == '_' || letter == '/';
}

// Whether "q_proj.bias" is the bias of "q_proj.weight" or "q_proj", "q_b" that of "q" or "q_w", and "bq" that of "Wq".
bool chain_is_its_bias(const char *weight, const char *bias)
{
    static const char *const ends[][2] = {{"weight", "bias"}, {"kernel", "bias"}, {"", ".bias"},
                                          {"", "_bias"},      {"", "_b"},         {"_w", "_b"}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t stem = text_ends(weight, ends[i][0]) ? strlen(weight) - strlen(ends[i][0]) : 0;
        if (stem > 0 && strncmp(weight, bias, stem) == 0 && strcmp(bias + stem, ends[i][1]) == 0)
            return true;
    }
    return tolower((unsigned char)*weight) == 'w' && tolower((unsigned char)*bias) == 'b' &&
           weight[1] && strcmp(weight + 1, bias + 1) == 0;
}

int chain_likeness(const char *a, const char *b)
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

// nn.MultiheadAttention with kdim: separate weights, one joined bias.
static bool is_third_for(const ChainFinder *finder, const ChainLinear *linear,
                         const ChainBias *bias)
{
    static const char order[] = "qkv";
    char role = finder->tensors[linear->tensor].role;
    const char *place = role ? strchr(order, role) : NULL;
    return place && finder->tensors[bias->tensor].count == 3 * linear->out &&
           bias->first == (place - order) * linear->out;
}

// Picks the weight's own bias, else the one whose name is most like the weight's: no gain of a norm.
static int bias_for(const ChainFinder *finder, const ChainLinear *linear, ptrdiff_t whole)
{
    int best = -1, most = 0;
    for (int i = 0; i < finder->bias_count; i++) {
        const ChainBias *bias = &finder->biases[i];
        const ChainTensor *tensor = &finder->tensors[bias->tensor];
        const char *weight = finder->tensors[linear->tensor].name;
        int alike = 2 * chain_likeness(tensor->name, weight) +
                    (bias->tensor == linear->tensor + 1); // names may say nothing
        alike = chain_is_its_bias(weight, tensor->name)        ? INT_MAX
                : dump_is_part(tensor->name, DUMP_PART_WEIGHT) ? 0
                                                               : alike;
        bool is_part = bias->first == linear->first && tensor->count == whole;
        if (chain_could_be_its(finder, i, linear) &&
            (is_part || is_third_for(finder, linear, bias)) && alike > most) {
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

// Width of q, if this tensor is the output's weight; 0.
static ptrdiff_t queries_width(const ChainFinder *finder, int tensor, ptrdiff_t in)
{
    const ChainTensor *one = &finder->tensors[tensor];
    bool is_weight = one->is_number && one->rank == 2;
    return !is_weight            ? 0
           : one->shape[0] == in ? one->shape[1]
           : one->shape[1] == in ? one->shape[0]
                                 : 0;
}

// True if something in the dump is a third as wide.
static bool has_parts(const ChainFinder *finder, ptrdiff_t out)
{
    ptrdiff_t third = out / 3;
    bool is_it = false;
    for (int i = 0; i < finder->count && out % 3 == 0 && third > 1 && !is_it; i++) {
        const ChainTensor *one = &finder->tensors[i];
        const ptrdiff_t *n = one->shape;
        for (int axis = 0; axis < one->rank && one->rank > 1 && !is_it; axis++)
            is_it = n[axis] == third;
        is_it = is_it || (one->rank == 4 && (n[1] * n[3] == third || n[2] * n[3] == third));
    }
    return is_it;
}

// Cuts a joined weight: into thirds, or into a wide q and two narrower parts.
static void add_joined(ChainFinder *finder, int tensor, bool by_columns)
{
    const ptrdiff_t *shape = finder->tensors[tensor].shape;
    ptrdiff_t out = shape[by_columns ? 1 : 0], in = shape[by_columns ? 0 : 1];
    for (ptrdiff_t third = 0; third < 3 && has_parts(finder, out) && out != 3 * in; third++)
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

static void add_bias(ChainFinder *finder, ChainBias bias)
{
    ptrdiff_t last = bias.size - 1;
    if (finder->bias_count == CHAIN_BIASES_MAX || bias.size < 1)
        return;
    const double *from = finder->tensors[bias.tensor].at + bias.first;
    double *made = arena_take(finder->kept, (size_t)bias.size, sizeof *made, finder->err);
    bias.at = made;
    for (ptrdiff_t i = 0; made && i <= last; i++)
        made[i] = from[i / bias.run * bias.by_run + i % bias.run * bias.by_out];
    if (made)
        finder->biases[finder->bias_count++] = bias;
}

static void add_plain_bias(ChainFinder *finder, int tensor, ptrdiff_t first, ptrdiff_t size)
{
    add_bias(finder, (ChainBias){tensor, first, size, .run = PTRDIFF_MAX, .by_out = 1});
}

static void add_inside(ChainFinder *finder, int tensor, const ChainBias *part)
{
    const ptrdiff_t *shape = finder->tensors[tensor].shape;
    for (int i = 0; i < finder->count; i++) {
        ChainBias bias = *part;
        bias.tensor = i;
        if (finder->tensors[i].is_number && finder->tensors[i].rank == 1 &&
            finder->tensors[i].count == shape[0])
            add_bias(finder, bias);
    }
    ChainLinear *linear = add_linear(finder, tensor, false, 0, part->size);
    linear->layout = CHAIN_IN_EACH_HEAD;
    linear->base = part->first * shape[1];
    linear->run = part->run;
    linear->by_run = part->by_run * shape[1];
    linear->by_out = part->by_out * shape[1];
    linear->first = part->first; // for its bias
    linear->bias = bias_for(finder, linear, shape[0]);
    linear->first = 0;
}

static bool is_model_width(const ChainFinder *finder, ptrdiff_t width)
{
    bool is_it = false;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        is_it = is_it || (one->is_number && one->rank == 2 &&
                          (one->shape[0] == width || one->shape[1] == width));
    }
    return is_it;
}

// Tries every number of heads that a dumped map has.
static void add_in_each_head(ChainFinder *finder, int tensor)
{
    const ptrdiff_t *shape = finder->tensors[tensor].shape;
    ptrdiff_t third = shape[0] / 3;
    for (int i = 0; i < finder->count && is_model_width(finder, third); i++) {
        const ChainTensor *map = &finder->tensors[i];
        ptrdiff_t heads = map->rank == 4 ? map->shape[1] : 0;
        bool is_new = heads > 1 && shape[0] != shape[1] && shape[0] % (3 * heads) == 0;
        for (int n = 0; n < i && is_new; n++)
            is_new = finder->tensors[n].rank != 4 || finder->tensors[n].shape[1] != heads;
        for (ptrdiff_t part = 0; part < 3 && is_new; part++) {
            ptrdiff_t run = third / heads;
            const ChainBias parts[] = {{0, part * run, third, run, 3 * run, 1, NULL},
                                       {0, part, third, run, 3 * run, 3, NULL},
                                       {0, part * heads, third, run, 1, 3 * heads, NULL}};
            for (int order = 0; order < (run > 1 ? 3 : 1); order++)
                add_inside(finder, tensor, &parts[order]);
        }
    }
}

// InternLM2: each group has its queries, one key and one value.
static void add_in_each_group(ChainFinder *finder, int tensor)
{
    const ptrdiff_t *shape = finder->tensors[tensor].shape;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *map = &finder->tensors[i];
        ptrdiff_t heads = map->is_shares && map->rank == 4 ? map->shape[1] : 0;
        for (ptrdiff_t groups = 2; 2 * groups <= heads; groups++) {
            ptrdiff_t all = heads + 2 * groups, width = shape[0] / all, own = heads / groups;
            if (heads % groups != 0 || shape[0] % all != 0 || shape[0] == shape[1] ||
                !is_model_width(finder, heads * width))
                continue;
            ptrdiff_t by = (own + 2) * width, key = own * width, size = groups * width;
            const ChainBias parts[] = {{0, 0, heads * width, key, by, 1, NULL},
                                       {0, key, size, width, by, 1, NULL},
                                       {0, key + width, size, width, by, 1, NULL}};
            for (int part = 0; part < 3; part++)
                add_inside(finder, tensor, &parts[part]);
        }
        if (heads > 1)
            return;
    }
}

// True if three tensors have this shape, as weights of q, k and v, and an input fits one of its axes.
static bool is_of_three(const ChainFinder *finder, const ChainTensor *one)
{
    int same = 0;
    bool has_input = false;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *x = &finder->tensors[i];
        ptrdiff_t wide = x->rank > 0 ? x->shape[x->rank - 1] : 0;
        bool is_alike = x->is_number && x->rank == 3 && x->shape[0] == one->shape[0] &&
                        x->shape[1] == one->shape[1] && wide == one->shape[2];
        same += is_alike;
        has_input = has_input || (x->is_number && x->rank == 3 && !is_alike && !x->is_shares &&
                                  wide != x->shape[1] && x->shape[0] != one->shape[0] &&
                                  (wide == one->shape[0] || wide == one->shape[1]));
    }
    return same > 2 && has_input;
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

// True for the output's weight: the axes of the others in another order.
static bool is_back(const ChainFinder *finder, const ChainTensor *one)
{
    const ptrdiff_t *n = one->shape;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *other = &finder->tensors[i];
        const ptrdiff_t *m = other->shape;
        bool is_it = other->rank == 3 && other->is_number && is_of_three(finder, other) &&
                     ((n[0] == m[1] && n[1] == m[2] && n[2] == m[0]) ||
                      (n[0] == m[0] && n[1] == m[2] && n[2] == m[1]));
        if (is_it)
            return true;
    }
    return false;
}

static bool is_headed_bias(const ChainFinder *finder, const ChainTensor *one)
{
    bool is_it = dump_is_part(one->name, DUMP_PART_BIAS);
    for (int i = 0; i < finder->count && !is_it; i++) {
        const ChainTensor *other = &finder->tensors[i];
        is_it = other->is_number && other->rank == 3 && other->shape[2] == one->shape[1] &&
                (other->shape[0] == one->shape[0] || other->shape[1] == one->shape[0]) &&
                is_of_three(finder, other);
    }
    return is_it;
}

// Weights of three axes: stacked ones each alone; others in every way to join two axes.
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
    const ChainTensor *one = &finder->tensors[tensor];
    if (!(dump_is_part(one->name, DUMP_PART_WEIGHT) || is_of_three(finder, one) ||
          is_back(finder, one)) ||
        is_as_weights(finder, one)) // "wei_raw"
        return;
    add_layout(finder, tensor, CHAIN_HEADS_INSIDE, n[0], n[1] * n[2]);
    add_layout(finder, tensor, CHAIN_HEADS_BEFORE, n[0] * n[1], n[2]);
    ChainLinear *linear = add_layout(finder, tensor, CHAIN_HEADS_APART, n[1], n[0] * n[2]);
    linear->run = linear->by_in = n[2];
    linear->by_run = n[1] * n[2];
}

// Cuts a joined bias where k and v are narrower than q.
static void add_joined_bias(ChainFinder *finder, int tensor)
{
    ptrdiff_t out = finder->tensors[tensor].shape[0], before = 0;
    for (int i = 0; i < finder->count; i++)
        for (int axis = 0; axis < 2 && finder->tensors[i].rank == 2; axis++) {
            ptrdiff_t wide = finder->tensors[i].shape[axis], rest = (out - wide) / 2;
            if (wide <= before || out <= wide || (out - wide) % 2 != 0 || out >= 3 * wide)
                continue;
            add_plain_bias(finder, tensor, 0, wide);
            add_plain_bias(finder, tensor, wide, rest);
            add_plain_bias(finder, tensor, wide + rest, rest);
            before = wide;
        }
}

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
        add_plain_bias(finder, i, 0, tensor->shape[0]);
        for (ptrdiff_t third = 0; third < 3 && tensor->shape[0] % 3 == 0; third++)
            add_plain_bias(finder, i, third * tensor->shape[0] / 3, tensor->shape[0] / 3);
        for (ptrdiff_t half = 0; half < 2 && is_joined_size(finder, tensor->shape[0]); half++)
            add_plain_bias(finder, i, half * tensor->shape[0] / 2, tensor->shape[0] / 2);
        add_joined_bias(finder, i);
    }
    for (int i = 0; i < finder->count; i++) { // with an axis of heads
        const ChainTensor *tensor = &finder->tensors[i];
        if (tensor->is_number && tensor->rank == 2 && is_headed_bias(finder, tensor))
            add_plain_bias(finder, i, 0, tensor->count);
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
        add_in_each_group(finder, i);
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
    return bias < 0 ? NULL : finder->biases[bias].at;
}

bool chain_could_be_its(const ChainFinder *finder, int number, const ChainLinear *linear)
{
    const ChainBias *bias = &finder->biases[number];
    bool is_inside = bias->run != PTRDIFF_MAX, is_weight = linear->layout == CHAIN_IN_EACH_HEAD;
    ptrdiff_t in = linear->in;
    return bias->size == linear->out && is_inside == is_weight &&
           (!is_inside ||
            (bias->run == linear->run && bias->by_run * in == linear->by_run &&
             bias->by_out * in == linear->by_out && bias->first * in == linear->base));
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

// The batch size B of a tensor (B H, L, d), by a text of the dump; 0.
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

static bool is_gradient(const char *name)
{
    const char *last = strrchr(name, '.');
    return strncmp(name, "grad", 4) == 0 || (last && strncmp(last + 1, "grad", 4) == 0);
}

static bool has_headed_maps(const ChainFinder *finder, ptrdiff_t heads, ptrdiff_t length)
{
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        if (one->is_shares && one->rank == 3 && one->shape[0] == heads && one->shape[1] == length)
            return true;
    }
    return false;
}

static bool has_joined_heads(const ChainFinder *finder, const ptrdiff_t n[])
{
    bool is_one = n[0] == 1 && n[1] != n[2] && has_headed_maps(finder, 1, n[1]);
    ptrdiff_t length = is_one ? n[1] : n[0];
    if (!is_one && n[1] == 1 && !has_headed_maps(finder, 1, n[0]))
        return false;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        if (one->is_number && one->rank == 2 && one->shape[0] == length &&
            one->shape[1] == n[0] * n[1] * n[2] / length && !text_ends(one->name, "weight"))
            return true;
    }
    return false;
}

static bool has_text_of_two_axes(const ChainFinder *finder, ptrdiff_t length)
{
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        bool could_be = one->is_number && !one->is_flags && one->rank == 2 &&
                        one->shape[0] == length && one->shape[1] != length &&
                        !text_ends(one->name, "weight");
        for (int n = 0; could_be && n < finder->linear_count; n++)
            if (finder->linears[n].in == one->shape[1] && finder->linears[n].tensor != i)
                return true;
    }
    return false;
}

static bool is_headed_by_weights(const ChainFinder *finder, const ptrdiff_t n[])
{
    for (int i = 0; i < finder->linear_count; i++) {
        const ChainLinear *linear = &finder->linears[i];
        const ptrdiff_t *m = finder->tensors[linear->tensor].shape;
        bool fits = linear->layout == CHAIN_HEADS_APART && m[0] == n[0] && m[2] == n[2];
        for (int x = 0; fits && x < finder->count; x++)
            if (finder->tensors[x].is_number && finder->tensors[x].rank == 2 &&
                finder->tensors[x].shape[0] == n[1] && finder->tensors[x].shape[1] == m[1])
                return true;
    }
    return false;
}

// True if the input has an axis of sequences; then tensors of two axes are weights. (H, L, L) and (H, L, d) are no
// input.
static bool has_batch(const ChainFinder *finder)
{
    bool is_square = false, is_headed = false;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        bool could_be = one->is_number && one->rank == 3 && !is_as_weights(finder, one) &&
                        one->shape[0] * one->shape[1] > 1;
        bool is_joined = could_be && (has_joined_heads(finder, one->shape) ||
                                      is_headed_by_weights(finder, one->shape));
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

static bool is_filled(const ChainTensor *one)
{
    for (ptrdiff_t i = 0; i < one->count; i++)
        if (isinf(one->at[i]) || one->at[i] < -chain_fill)
            return true;
    return false;
}

// With fewer queries than keys, q may be made of the last tokens alone.
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

// --- norms before the attention that the dump lacks

bool chain_has_part(const char *name, const char *part)
{
    size_t length = strlen(part);
    for (; *name; name++) {
        size_t same = 0;
        while (same < length && tolower((unsigned char)name[same]) == part[same])
            same++;
        if (same == length)
            return true;
    }
    return false;
}

bool chain_is_vector(const ChainFinder *finder, int tensor, ptrdiff_t size)
{
    const ChainTensor *one = &finder->tensors[tensor];
    return one->is_number && one->rank == 1 && one->count == size;
}

void chain_make_even(const ChainFinder *finder, const ChainEven *even, ptrdiff_t width,
                     double numbers[])
{
    const double *gain = even->gain < 0 ? NULL : finder->tensors[even->gain].at,
                 *shift = even->shift < 0 ? NULL : finder->tensors[even->shift].at;
    double mean = 0.0, square = 0.0;
    for (ptrdiff_t e = 0; e < width && even->norm == CHAIN_BY_DEVIATION; e++)
        mean += numbers[e] / (double)width;
    for (ptrdiff_t e = 0; e < width; e++)
        square += (numbers[e] - mean) * (numbers[e] - mean) / (double)width;
    if (even->is_unbiased)
        square *= (double)width / ((double)width - 1.0);
    double divisor = even->is_squared ? square + even->eps : sqrt(square + even->eps);
    for (ptrdiff_t e = 0; e < width && square > 0.0; e++)
        numbers[e] =
            (numbers[e] - mean) / divisor * (gain ? gain[e] : 1.0) + (shift ? shift[e] : 0.0);
}

bool chain_is_gain(const ChainFinder *finder, int tensor, ptrdiff_t width)
{
    static const char *const others[] = {"batch", "bn", "final", "ln_f"};
    const ChainTensor *one = &finder->tensors[tensor];
    bool is_it = chain_is_vector(finder, tensor, width) && !one->role &&
                 !dump_is_part(one->name, DUMP_PART_BIAS) &&
                 (chain_has_part(one->name, "norm") || chain_has_part(one->name, "ln"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        is_it = is_it && !chain_has_part(one->name, others[i]);
    return is_it;
}

static bool add_norm(ChainFinder *finder, int of, ChainEven even)
{
    int number = finder->count + finder->norm_count;
    ChainTensor *made = &finder->tensors[number];
    ptrdiff_t width = finder->tensors[of].shape[finder->tensors[of].rank - 1];
    double *numbers =
        finder->norm_count < CHAIN_NORMS_MAX ? chain_take(finder, finder->tensors[of].count) : NULL;
    if (!numbers)
        return finder->norm_count == CHAIN_NORMS_MAX;
    *made = finder->tensors[of];
    memcpy(numbers, made->at, (size_t)made->count * sizeof *numbers);
    for (ptrdiff_t n = 0; n < made->count; n += width)
        chain_make_even(finder, &even, width, numbers + n);
    made->at = numbers;
    made->largest = chain_largest(numbers, made->count);
    made->role = '\0';
    made->name = arena_format(finder->kept, finder->err, "%s_normed", made->name);
    if (!made->name)
        return false;
    finder->norms[finder->norm_count].of = of;
    finder->norms[finder->norm_count++].even = even;
    finder->projection_of[number] = finder->transpose_of[number] = -1;
    finder->origins[number] = (ChainOrigin){.from = -1, .times = 1.0};
    add_rows_of(finder, number, finder->has_batch);
    return true;
}

bool chain_add_norms_of(ChainFinder *finder, int of, int gain)
{
    ChainEven even = {.norm = CHAIN_BY_DEVIATION, .eps = chain_eps[0], .gain = gain, .shift = -1};
    for (int i = 0; i < finder->count; i++)
        if (chain_is_vector(finder, i, finder->tensors[gain].count) &&
            chain_is_its_bias(finder->tensors[gain].name, finder->tensors[i].name))
            even.shift = i;
    ChainEven other = even;
    other.is_unbiased = even.shift >= 0;
    other.norm = even.shift >= 0 ? CHAIN_BY_DEVIATION : CHAIN_BY_ROOT_MEAN_SQUARE;
    return add_norm(finder, of, even) && add_norm(finder, of, other);
}

static bool could_be_normed(const ChainFinder *finder, int tensor)
{
    const ChainTensor *one = &finder->tensors[tensor];
    return one->is_number && !one->is_shares && !one->is_flags && one->count > 0 &&
           one->rank == (finder->has_batch ? 3 : 2) && !is_filled(one) &&
           !text_ends(one->name, "weight");
}

static bool add_norms(ChainFinder *finder)
{
    for (int of = 0; of < finder->count; of++)
        for (int gain = 0; gain < finder->count && could_be_normed(finder, of); gain++) {
            const ChainTensor *one = &finder->tensors[of];
            if (chain_is_gain(finder, gain, one->shape[one->rank - 1]) &&
                !chain_add_norms_of(finder, of, gain))
                return false;
        }
    return true;
}

// Numbered names, v00 to v17, say nothing of roles unless there are such names for q, k and v alike.
static void drop_numbered_roles(ChainFinder *finder)
{
    static const char letters[] = "qkv";
    int count[3] = {0};
    for (int i = 0; i < finder->count; i++) {
        char letter = dump_numbered(finder->tensors[i].name);
        if (letter)
            count[strchr(letters, letter) - letters]++;
    }
    bool say_nothing = count[0] == 0 || count[1] == 0 || count[2] == 0;
    for (int i = 0; i < finder->count && say_nothing; i++)
        if (dump_numbered(finder->tensors[i].name))
            finder->tensors[i].role = '\0';
}

// Scales the budgets by the largest product that may have to be compared.
static void scale_budgets(ChainFinder *finder)
{
    static const double usual = 2e7, most = 4.0; // multiplications; times
    double largest = 0.0;
    for (int i = 0; i < finder->row_count; i++)
        for (int n = 0; n < finder->linear_count; n++) {
            const ChainRows *rows = &finder->rows[i];
            const ChainLinear *linear = &finder->linears[n];
            bool is_vocabulary = linear->out > 4 * linear->in;
            double work = (double)(rows->batch * rows->length) * (double)(linear->in * linear->out);
            if (rows->heads == 0 && rows->width == linear->in && !is_vocabulary)
                largest = fmax(largest, work);
        }
    finder->scale = fmin(fmax(largest / usual, 1.0), most);
}

static bool take_column(ChainFinder *finder)
{
    ptrdiff_t longest = 1;
    for (int i = 0; i < finder->linear_count; i++)
        longest = finder->linears[i].in > longest ? finder->linears[i].in : longest;
    finder->column = arena_take(finder->kept, (size_t)longest, sizeof *finder->column, finder->err);
    return finder->column != NULL;
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
    drop_numbered_roles(finder);
    ptrdiff_t longest = 1;
    for (int i = 0; i < finder->count; i++)
        for (int axis = 0; axis < finder->tensors[i].rank; axis++)
            longest =
                finder->tensors[i].shape[axis] > longest ? finder->tensors[i].shape[axis] : longest;
    finder->line = arena_take(finder->kept, 2 * (size_t)longest, sizeof *finder->line, finder->err);
    if (!finder->line)
        return false;
    for (int i = 0; i < finder->count; i++)
        if (!read_lengths(finder, &dump->tensors[i], &finder->tensors[i]))
            return false;
    find_grain(finder);
    for (int i = 0; i < finder->count; i++) {
        ChainTensor *one = &finder->tensors[i];
        bool could_be_mask = one->is_flags && (one->rank < 3 || one->shape[one->rank - 2] == 1);
        one->is_shares = one->is_number && !could_be_mask && has_sums_of_1(finder, one);
        one->is_flags = one->is_flags && !one->is_shares;
    }
    add_parameters(finder);
    if (!take_column(finder))
        return false;
    bool is_batched = finder->has_batch = !finder->is_of_one_text && has_batch(finder);
    int least = is_batched ? 3 : 2;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *tensor = &finder->tensors[i];
        if (tensor->is_number && tensor->count > 0 && tensor->rank >= least && tensor->rank <= 4 &&
            !is_filled(tensor))
            add_rows_of(finder, i, is_batched);
    }
    add_last_rows(finder);
    scale_budgets(finder);
    return !finder->is_normed || add_norms(finder);
}
