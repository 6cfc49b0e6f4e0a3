// chain_rows: which rows are a product of others with a weight, and the products that the dump lacks.
#include "chain_formula.h"

#include <math.h>

// --- projections

static const double *row_at(const ChainFinder *finder, const ChainRows *rows, ptrdiff_t row)
{
    return finder->tensors[rows->tensor].at + row / rows->length * rows->b +
           (rows->skipped + row % rows->length) * rows->l;
}

// The numbers of a weight for output o, side by side: a column of a tensor is copied, and kept for the next rows.
static const double *weight_line(ChainFinder *finder, const ChainLinear *linear, ptrdiff_t o)
{
    const double *weight = chain_weight(finder, linear, o);
    if (linear->by_in == 1)
        return weight;
    if (finder->column_of != weight || finder->column_count != linear->in)
        for (ptrdiff_t c = 0; c < linear->in; c++)
            finder->column[c] = weight[c * linear->by_in];
    finder->column_of = weight;
    finder->column_count = linear->in;
    return finder->column;
}

double chain_dot(const double a[], const double b[], ptrdiff_t count)
{
    enum { LANES = 8 }; // sums that a compiler may compute at once
    double sums[LANES] = {0.0}, sum = 0.0;
    ptrdiff_t c = 0;
    for (; c + LANES <= count; c += LANES)
        for (int lane = 0; lane < LANES; lane++)
            sums[lane] += a[c + lane] * b[c + lane];
    for (; c < count; c++)
        sum += a[c] * b[c];
    for (int lane = 0; lane < LANES; lane++)
        sum += sums[lane];
    return sum;
}

void chain_add_times(double sums[], double times, const double numbers[], ptrdiff_t count)
{
    for (ptrdiff_t n = 0; n < count; n++)
        sums[n] += times * numbers[n];
}

double chain_product(ChainFinder *finder, const double x[], const ChainLinear *linear, ptrdiff_t o)
{
    finder->work += (double)linear->in / 8.0;
    return chain_dot(x, weight_line(finder, linear, o), linear->in);
}

void chain_take_head(const ChainHeads *heads, ptrdiff_t b, ptrdiff_t h, ptrdiff_t length,
                     double numbers[])
{
    for (ptrdiff_t n = 0; n < length * heads->width; n++)
        numbers[n] = chain_head(heads, b, h, n / heads->width, n % heads->width);
}

// The factor between rows and a product, by three numbers; 0.0: none.
static double times_of(ChainFinder *finder, const ChainRows *x, const ChainLinear *linear,
                       const ChainRows *y)
{
    double made[3], found[3];
    if (x->batch * x->length < 3)
        return 0.0;
    for (ptrdiff_t row = 0; row < 3; row++) {
        made[row] = chain_product(finder, row_at(finder, x, row), linear, 0);
        found[row] = row_at(finder, y, row)[0];
    }
    double a = made[1] - made[0], b = made[2] - made[0], to_a = found[1] - found[0],
           to_b = found[2] - found[0];
    if (!(fabs(a * to_b - b * to_a) <= 1e-3 * finder->grain * (fabs(a * to_b) + fabs(b * to_a))))
        return 0.0;
    double times = fabs(a) > fabs(b) ? to_a / a : to_b / b;
    return isfinite(times) && fabs(times) > 1e-6 ? times : 0.0;
}

// True if all rows differ from the product by one row: the bias.
static bool is_product(ChainFinder *finder, const ChainRows *x, const ChainLinear *linear,
                       const ChainRows *y, double times, double offset[])
{
    ptrdiff_t rows = x->batch * x->length;
    const ChainTensor *made = &finder->tensors[y->tensor];
    double largest = made->largest;
    for (ptrdiff_t o = 0; o < linear->out; o++)
        for (ptrdiff_t row = 0; row < rows; row++) {
            double off = row_at(finder, y, row)[o] -
                         times * chain_product(finder, row_at(finder, x, row), linear, o);
            offset[o] = row == 0 ? off : offset[o];
            if (!(fabs(off - offset[o]) <= finder->grain * (6e-5 * largest + 1e-6)))
                return false;
        }
    return true;
}

// Finds the bias behind this difference, added once or twice.
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
            bool fits = bias >= 0 && chain_could_be_its(finder, bias, linear);
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
    double *offset = chain_take(finder, weight->out);
    const ChainTensor *tensor = &finder->tensors[y->tensor];
    *made =
        (ChainProjection){.tensor = y->tensor, .source = source, .linear = linear, .factor = times};
    return offset && times != 0.0 && (x->batch * x->length > 1 || weight->out > 2) &&
           is_product(finder, x, weight, y, times, offset) &&
           find_bias(finder, weight, offset, tensor->largest, made);
}

static bool is_projected(const ChainFinder *finder, int tensor)
{
    return finder->projection_of[tensor] >= 0;
}

// A matrix that was projected itself is not a weight: its "product" is the scores.
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

static bool is_source(const ChainFinder *finder, int row)
{
    for (int i = 0; i < finder->count; i++)
        if (is_projected(finder, i) && finder->projections[finder->projection_of[i]].source == row)
            return true;
    return false;
}

// True if the rows fit a weight, and are neither weight nor product themselves. Copies (dropout in evaluation) are
// left out.
static bool could_be_input(const ChainFinder *finder, int row)
{
    const ChainRows *rows = &finder->rows[row];
    bool fits = false;
    for (int i = 0; i < finder->linear_count; i++)
        fits = fits ||
               (finder->linears[i].in == rows->width && finder->linears[i].tensor != rows->tensor);
    for (int i = 0; fits && i < rows->tensor; i++)
        fits = !chain_is_same(finder, i, rows->tensor);
    return fits && rows->heads == 0 && !finder->tensors[rows->tensor].is_shares &&
           !is_projected(finder, rows->tensor) && !is_weight_used(finder, rows->tensor);
}

// Inputs of known products first, then whatever fits a weight; (L, B, D) is rare.
static void find_inputs(ChainFinder *finder)
{
    for (int pass = 0; pass < 3; pass++)
        for (int row = 0; row < finder->row_count && finder->input_count < CHAIN_INPUTS_MAX; row++)
            if (pass == 0 ? is_source(finder, row)
                          : !is_source(finder, row) && finder->rows[row].is_turned == (pass == 2) &&
                                could_be_input(finder, row))
                finder->inputs[finder->input_count++] = row;
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
    return weight->bias < 0 || !text_ends(finder->tensors[weight->tensor].name, "weight") ||
           chain_is_its_bias(finder->tensors[weight->tensor].name,
                             finder->tensors[finder->biases[weight->bias].tensor].name);
}

enum { SURE = 16 }; // biases: with more, a weight that has its own is tried with no other's

// Tier 2 has the bias of the weight's name; tier 3 any other, or none.
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
    bool is_sure = finder->bias_count > SURE && weight->bias >= 0 && has_own_bias(finder, weight);
    for (int bias = -1; bias < finder->bias_count; bias++) {
        bool is_usual = (bias == weight->bias || (bias < 0 && !has_own_bias(finder, weight))) &&
                        !is_third_of_square(finder, weight);
        if (bias >= 0 && !chain_could_be_its(finder, bias, weight))
            continue;
        rows.bias = bias;
        rows.times = bias >= 0;
        if (is_usual == (tier == 2) && (is_usual || bias < 0 || !is_sure))
            chain_add_rows(finder, rows);
    }
}

// --- keys behind the text's

// A single token: (1, 1, D) or (1, D).
static bool is_token(const ChainTensor *one, ptrdiff_t width)
{
    return one->is_number && one->rank > 1 && one->rank < 4 && one->count == width &&
           one->shape[one->rank - 1] == width;
}

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

enum { BLOCK = 64 }; // columns of a row that are computed at once

static ptrdiff_t blocks_of(const ChainLinear *linear)
{
    return (linear->out + BLOCK - 1) / BLOCK;
}

// Takes memory for a product, with flags for the blocks of its rows; NULL with an error.
static ChainProduct *open_product(ChainFinder *finder, const ChainRows *rows)
{
    ChainProduct *product = &finder->products[rows->source][rows->linear];
    const ChainRows *x = &finder->rows[finder->inputs[rows->source]];
    const ChainLinear *linear = &finder->linears[rows->linear];
    ptrdiff_t end = ((x->batch - 1) * x->b + (x->length - 1) * x->l) / x->width + 1;
    size_t blocks = (size_t)(end * blocks_of(linear)), count = (size_t)(end * linear->out);
    if (!product->at) {
        product->is_made = arena_take(finder->kept, blocks, sizeof *product->is_made, finder->err);
        product->at = arena_take(finder->kept, count, sizeof *product->at, finder->err);
    }
    return product->is_made && product->at ? product : NULL;
}

// Makes a block of a row, unless it is there. A weight that lies by columns is added line by line.
static void multiply_block(ChainFinder *finder, const ChainRows *rows, ptrdiff_t row,
                           ptrdiff_t block)
{
    ChainProduct *product = &finder->products[rows->source][rows->linear];
    const ChainRows *source = &finder->rows[finder->inputs[rows->source]];
    const ChainLinear *linear = &finder->linears[rows->linear];
    bool *is_made = &product->is_made[row * blocks_of(linear) + block];
    const double *x = row_at(finder, source, 0) + row * source->width,
                 *weight = chain_weight(finder, linear, 0);
    double *made = product->at + row * linear->out;
    ptrdiff_t first = block * BLOCK, rest = linear->out - first,
              end = first + (rest < BLOCK ? rest : BLOCK);
    bool has_lines = linear->by_in > 1 && linear->by_out == 1 && linear->run >= linear->out;
    if (*is_made)
        return;
    for (ptrdiff_t c = 0; c < linear->in && has_lines; c++)
        chain_add_times(made + first, x[c], weight + c * linear->by_in + first, end - first);
    for (ptrdiff_t o = first; o < end && !has_lines; o++)
        made[o] = chain_product(finder, x, linear, o);
    finder->work += has_lines ? (double)(linear->in * (end - first)) / 4.0 : 0.0;
    *is_made = true;
}

static void multiply(ChainFinder *finder, const ChainRows *rows, ChainProduct *product)
{
    const ChainRows *x = &finder->rows[finder->inputs[rows->source]];
    for (ptrdiff_t block = 0; block < blocks_of(&finder->linears[rows->linear]); block++)
        for (ptrdiff_t row = 0; row < x->batch * x->length; row++)
            multiply_block(finder, rows,
                           (row / x->length * x->b + row % x->length * x->l) / x->width, block);
    product->is_whole = true;
}

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

const double *chain_numbers(ChainFinder *finder, int number)
{
    const ChainRows *rows = &finder->rows[number];
    if (rows->appended > 0)
        return joined_numbers(finder, &finder->rows[number]);
    if (rows->tensor >= 0)
        return finder->tensors[rows->tensor].at + rows->skipped * rows->l + rows->first;
    ChainProduct *product = open_product(finder, rows);
    if (product && !product->is_whole)
        multiply(finder, rows, product);
    return product ? product->at : NULL;
}

const double *chain_numbers_at(ChainFinder *finder, int number, ptrdiff_t place, ptrdiff_t step,
                               ptrdiff_t count)
{
    const ChainRows *rows = &finder->rows[number];
    if (rows->appended > 0 || rows->tensor >= 0)
        return chain_numbers(finder, number);
    ptrdiff_t out = finder->linears[rows->linear].out;
    ChainProduct *product = open_product(finder, rows);
    for (ptrdiff_t e = 0; e < count && product && !product->is_whole; e++, place += step)
        multiply_block(finder, rows, place / out, place % out / BLOCK);
    return product ? product->at : NULL;
}

double chain_number(ChainFinder *finder, int number, ptrdiff_t place)
{
    const ChainRows *rows = &finder->rows[number];
    if (rows->appended > 0 || rows->tensor >= 0) {
        const double *numbers = chain_numbers(finder, number);
        return numbers ? numbers[place] : NAN;
    }
    const ChainProduct *product = &finder->products[rows->source][rows->linear];
    const ChainRows *x = &finder->rows[finder->inputs[rows->source]];
    const ChainLinear *linear = &finder->linears[rows->linear];
    if (product->is_whole)
        return product->at[place];
    return chain_product(finder, row_at(finder, x, 0) + place / linear->out * x->width, linear,
                         place % linear->out);
}

bool chain_split_places(const ChainFinder *finder, int number, ChainSplit split, ptrdiff_t heads,
                        ptrdiff_t width, ChainHeads *out)
{
    const ChainRows *rows = &finder->rows[number];
    if (width == 0)
        width = rows->heads > 0 ? rows->width : rows->width / heads;
    ptrdiff_t own = rows->heads > 0 ? rows->heads : width > 0 ? rows->width / width : 0;
    bool fits = own > 0 && heads % own == 0 &&
                (rows->heads > 0 ? rows->width : rows->width / own) == width &&
                (rows->heads > 0 || own * width == rows->width);
    bool is_headed = rows->heads > 0 && split != CHAIN_TILED;
    if (!fits || (split != CHAIN_IN_RUNS && (is_headed || own == 1)) ||
        (split == CHAIN_BY_VIEW && rows->is_turned))
        return false;
    *out = (ChainHeads){
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
    return true;
}

bool chain_split(ChainFinder *finder, int number, ChainSplit split, ptrdiff_t heads,
                 ptrdiff_t width, ChainHeads *out)
{
    if (!chain_split_places(finder, number, split, heads, width, out))
        return false;
    out->at = chain_numbers(finder, number);
    return out->at != NULL;
}

// --- heads that are turned (RoPE)

// Cosine and sine of the angles at a place, which are made once for many places.
static const double *angles_at(ChainFinder *finder, const ChainTurn *turn, ptrdiff_t place)
{
    ptrdiff_t half = turn->numbers / 2;
    int n = 0;
    while (n < finder->angle_count &&
           (finder->angles[n].base != turn->base || finder->angles[n].numbers != turn->numbers))
        n++;
    ChainAngles *kind = &finder->angles[n < CHAIN_ANGLES_MAX ? n : 0];
    if (n < finder->angle_count && place < kind->places)
        return kind->at + 2 * place * half;
    ptrdiff_t places = 2 * place + 16;
    double *made =
        arena_take(finder->kept, (size_t)(2 * half * places + 1), sizeof *made, finder->err);
    for (ptrdiff_t i = 0; made && i < half * places; i++) {
        double angle = (double)(i / half) * pow(turn->base, -(double)(i % half) / (double)half);
        made[2 * i] = cos(angle);
        made[2 * i + 1] = sin(angle);
    }
    finder->work += 40.0 * (double)(half * places);
    if (!made)
        return NULL;
    finder->angle_count += n == finder->angle_count && n < CHAIN_ANGLES_MAX;
    *kind = (ChainAngles){turn->base, turn->numbers, places, made};
    return made + 2 * place * half;
}

bool chain_turn_head(ChainFinder *finder, const ChainTurn *turn, ptrdiff_t head, ptrdiff_t token,
                     double numbers[])
{
    ptrdiff_t half = turn->numbers / 2;
    ptrdiff_t place =
        turn->odd == CHAIN_BY_HEAD ? head : token + turn->start + (turn->odd == CHAIN_LATER);
    const double *angles = angles_at(finder, turn, place);
    for (ptrdiff_t e = 0; angles && e < half; e++) {
        const double *angle = &angles[2 * e];
        double c = angle[turn->odd == CHAIN_EXCHANGED],
               s = turn->odd == CHAIN_BACK ? -angle[1] : angle[turn->odd != CHAIN_EXCHANGED];
        double *x = &numbers[turn->is_in_pairs ? 2 * e : e],
               *y = &numbers[turn->is_in_pairs ? 2 * e + 1 : e + half], was = *x;
        *x = was * c + (turn->odd == CHAIN_UNSIGNED ? *y : -*y) * s;
        *y = *y * c + was * s;
    }
    return angles != NULL;
}

double *chain_turn_heads(ChainFinder *finder, const ChainTurn *turn, ptrdiff_t batch,
                         ptrdiff_t length, ptrdiff_t heads, ChainHeads *of)
{
    ptrdiff_t own = heads / of->group;
    double *made = chain_take(finder, batch * own * length * of->width), *to = made;
    for (ptrdiff_t n = 0; made && n < batch * own * length; n++, to += of->width) {
        ptrdiff_t b = n / length / own, h = n / length % own, l = n % length;
        for (ptrdiff_t e = 0; e < of->width; e++)
            to[e] = chain_head(of, b, of->tiles > 0 ? h : h * of->group, l, e);
        if (turn->is_turned && !chain_turn_head(finder, turn, h, l, to))
            return NULL;
    }
    finder->work += 3.0 * (double)(batch * own * length * of->width);
    *of = (ChainHeads){.at = made,
                       .b = own * length * of->width,
                       .h = length * of->width,
                       .l = of->width,
                       .e = 1,
                       .width = of->width,
                       .row = 1,
                       .group = of->group,
                       .tiles = of->tiles};
    return made;
}

// --- pairs of rows

// True if two products that the dump lacks may be of one attention: different weights, used alike.
bool chain_go_together(const ChainFinder *finder, int a, int b)
{
    const ChainRows *one = &finder->rows[a], *other = &finder->rows[b];
    if (one->tensor >= 0 || other->tensor >= 0)
        return true;
    return one->linear != other->linear &&
           finder->linears[one->linear].by_columns == finder->linears[other->linear].by_columns;
}

bool chain_are_alike(const ChainFinder *finder, int a, int b)
{
    const ChainRows *one = &finder->rows[a], *other = &finder->rows[b];
    if (one->tensor >= 0 || other->tensor >= 0)
        return true;
    const ChainLinear *mine = &finder->linears[one->linear], *its = &finder->linears[other->linear];
    return one->source == other->source && mine->by_columns == its->by_columns &&
           mine->layout == its->layout && (one->bias < 0) == (other->bias < 0);
}

// --- where rows came from

int chain_made_rows(const ChainFinder *finder, int row)
{
    return row < 0 ? -1 : finder->rows[row].tensor;
}

int chain_origin_of(const ChainFinder *finder, int row)
{
    int tensor = chain_made_rows(finder, row);
    return tensor >= 0 && finder->origins[tensor].from >= 0
               ? chain_origin_of(finder, finder->origins[tensor].from)
               : row;
}

static const ChainProjection *made_by(const ChainFinder *finder, int row)
{
    int tensor = chain_made_rows(finder, row),
        made = tensor < 0 ? -1 : finder->projection_of[tensor];
    return made < 0 ? NULL : &finder->projections[made];
}

int chain_linear_of(const ChainFinder *finder, int row)
{
    int from = chain_origin_of(finder, row);
    const ChainProjection *made = made_by(finder, from);
    return made ? made->linear : from < 0 ? -1 : finder->rows[from].linear;
}

int chain_source_of(const ChainFinder *finder, int row)
{
    int from = chain_origin_of(finder, row);
    const ChainProjection *made = made_by(finder, from);
    int source = from < 0 ? -1 : finder->rows[from].source;
    return made ? made->source : source < 0 ? -1 : finder->inputs[source];
}

char chain_role(const ChainFinder *finder, int row)
{
    int linear = chain_linear_of(finder, row), tensor = chain_made_rows(finder, row);
    char role = linear < 0 ? '\0' : finder->tensors[finder->linears[linear].tensor].role;
    return role || tensor < 0 ? role : finder->tensors[tensor].role;
}
