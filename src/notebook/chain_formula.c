// chain_formula: writes what was found as formulas over the dump's names.
#include "chain_formula.h"
#include "notebook_words.def"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define FORMAT(...) arena_format(finder->arena, finder->err, __VA_ARGS__)

const char *chain_name(ChainFinder *finder, const char *name)
{
    bool is_plain = isalpha((unsigned char)name[0]) || name[0] == '_';
    for (const char *at = name; *at; at++)
        is_plain = is_plain && (isalnum((unsigned char)*at) || *at == '_');
    return is_plain ? name : FORMAT("`%s`", name);
}

// The name of rows; those that the dump lacks go by their role.
static const char *rows_name(ChainFinder *finder, const ChainAttention *attention, int row)
{
    if (finder->rows[row].tensor >= 0)
        return chain_name(finder, finder->tensors[finder->rows[row].tensor].name);
    const char *name = row == attention->q                            ? "q"
                       : row == chain_text_rows(finder, attention->k) ? "k"
                                                                      : "v";
    for (int i = 0; i < finder->count; i++)
        if (strcmp(finder->tensors[i].name, name) == 0)
            return FORMAT("%s_made", name);
    return name;
}

static int rank_of(const ChainFinder *finder, const ChainRows *rows)
{
    int tensor =
        rows->tensor >= 0 ? rows->tensor : finder->rows[finder->inputs[rows->source]].tensor;
    return finder->tensors[tensor].rank;
}

// "x[b,l,c]"
static const char *row_element(ChainFinder *finder, const char *name, const ChainRows *rows,
                               const char *token, const char *column)
{
    if (rows->skipped > 0)
        token = FORMAT("%s + %td", token, rows->skipped);
    return rank_of(finder, rows) == 2 ? FORMAT("%s[%s,%s]", name, token, column)
           : rows->is_turned          ? FORMAT("%s[%s,b,%s]", name, token, column)
                                      : FORMAT("%s[b,%s,%s]", name, token, column);
}

static const char *headed_element(ChainFinder *finder, const char *name, const ChainRows *rows,
                                  const char *head, const char *token)
{
    if (rank_of(finder, rows) == 3)
        return rows->batch > 1     ? FORMAT("%s[b*%td + %s,%s,d]", name, rows->heads, head, token)
               : rows->l > rows->h ? FORMAT("%s[%s,%s,d]", name, token, head)
                                   : FORMAT("%s[%s,%s,d]", name, head, token);
    return rows->e != 1        ? FORMAT("%s[b,%s,d,%s]", name, head, token)
           : rows->l > rows->h ? FORMAT("%s[b,%s,%s,d]", name, token, head)
                               : FORMAT("%s[b,%s,%s,d]", name, head, token);
}

static const char *appended_element(ChainFinder *finder, const ChainRows *rows, ptrdiff_t width,
                                    const char *token, const char *element)
{
    ptrdiff_t length = rows->length - rows->appended;
    const char *behind = "0";
    if (rows->behind >= 0) {
        const ChainTensor *one = &finder->tensors[rows->behind];
        behind = FORMAT("%s[%s,h*%td + d]", chain_name(finder, one->name),
                        one->rank == 3 ? "0,0" : "0", width);
    }
    return rows->appended == 1 ? FORMAT("(%s < %td ? %s : %s)", token, length, element, behind)
                               : FORMAT("(%s < %td ? %s : %s == %td ? %s : 0)", token, length,
                                        element, token, length, behind);
}

// Element h, token, d after the split.
static const char *chain_element(ChainFinder *finder, const ChainAttention *attention, int row,
                                 ChainSplit split, const char *token)
{
    const ChainRows *rows = &finder->rows[row];
    const char *name = rows_name(finder, attention, row);
    if (rows->appended > 0)
        return appended_element(finder, rows, attention->width, token,
                                chain_element(finder, attention, rows->base, split, token));
    ptrdiff_t width = attention->width, own = rows->heads > 0 ? rows->heads : rows->width / width;
    if (rows->heads > 0 && rows->skipped > 0)
        token = FORMAT("%s + %td", token, rows->skipped);
    const char *head = own == 1 ? "0" : "h";
    if (own > 1 && own < attention->heads)
        head = FORMAT("floor(h/%td)", attention->heads / own);
    if (rows->heads > 0)
        return headed_element(finder, name, rows, head, token);
    if (own == 1)
        return row_element(finder, name, rows, token,
                           rows->first > 0 ? FORMAT("%td + d", rows->first) : "d");
    if (split == CHAIN_IN_TURN)
        return row_element(finder, name, rows, token, FORMAT("d*%td + %s", own, head));
    if (split == CHAIN_IN_RUNS)
        return row_element(finder, name, rows, token, FORMAT("%s*%td + d", head, width));
    const char *flat = FORMAT("(%s*%td + %s*%td + d)", head, rows->length * width, token, width);
    return row_element(finder, name, rows, FORMAT("floor(%s / %td)", flat, rows->width),
                       FORMAT("%s %% %td", flat, rows->width));
}

// Row `o` of a part of a joined weight or bias.
static const char *place_inside(ChainFinder *finder, const ChainBias *part, const char *o)
{
    const char *head = FORMAT("floor((%s) / %td)", o, part->run),
               *own = FORMAT("(%s) %% %td", o, part->run);
    if (part->by_run != 1)
        head = FORMAT("%s*%td", head, part->by_run);
    if (part->by_out != 1)
        own = FORMAT("(%s)*%td", own, part->by_out);
    return part->first > 0 ? FORMAT("%s + %td + %s", head, part->first, own)
                           : FORMAT("%s + %s", head, own);
}

const char *chain_weight_text(ChainFinder *finder, const ChainLinear *linear, const char *o)
{
    const ChainTensor *tensor = &finder->tensors[linear->tensor];
    const ptrdiff_t *n = tensor->shape;
    const char *name = chain_name(finder, tensor->name),
               *out = linear->first > 0 ? FORMAT("%td + %s", linear->first, o) : o;
    switch (linear->layout) {
    case CHAIN_STACKED:
        return FORMAT(linear->by_columns ? "%s[%td,c,%s]" : "%s[%td,%s,c]", name,
                      linear->base / (n[1] * n[2]), o);
    case CHAIN_HEADS_INSIDE:
        return FORMAT("%s[c,floor((%s) / %td),(%s) %% %td]", name, o, n[2], o, n[2]);
    case CHAIN_HEADS_BEFORE:
        return FORMAT("%s[floor(c / %td),c %% %td,%s]", name, n[1], n[1], o);
    case CHAIN_HEADS_APART:
        return FORMAT("%s[floor((%s) / %td),c,(%s) %% %td]", name, o, n[2], o, n[2]);
    case CHAIN_IN_EACH_HEAD:
        return FORMAT("%s[%s,c]", name,
                      place_inside(finder,
                                   &(ChainBias){.first = linear->base / n[1],
                                                .run = linear->run,
                                                .by_run = linear->by_run / n[1],
                                                .by_out = linear->by_out / n[1]},
                                   o));
    default:
        return linear->by_columns ? FORMAT("%s[c,%s]", name, out) : FORMAT("%s[%s,c]", name, out);
    }
}

const char *chain_bias_text(ChainFinder *finder, int bias, double times, const char *o)
{
    if (bias < 0 || times == 0.0)
        return "";
    const ChainBias *part = &finder->biases[bias];
    const char *name = chain_name(finder, finder->tensors[part->tensor].name),
               *out = part->first > 0 ? FORMAT("%td + %s", part->first, o) : o;
    const ChainTensor *tensor = &finder->tensors[part->tensor];
    if (part->run != PTRDIFF_MAX)
        out = place_inside(finder, part, o);
    if (tensor->rank == 2)
        out = FORMAT("floor((%s) / %td),(%s) %% %td", o, tensor->shape[1], o, tensor->shape[1]);
    return times == 2.0 ? FORMAT(" + 2 * %s[%s]", name, out) : FORMAT(" + %s[%s]", name, out);
}

static const char *turn_text(ChainFinder *finder, const ChainTurn *turn, const char *what)
{
    static const char *const odd[] = {"",    ", -l",   ", x*cos + y*sin", ", x*sin - y*cos",
                                      ", h", ", l + 1"};
    return FORMAT("rope(%s, %s%td, %g%s)", what, turn->is_in_pairs ? "pairs, " : "", turn->numbers,
                  turn->base, odd[turn->odd]);
}

const char *chain_projection_text(ChainFinder *finder, const ChainProjection *made)
{
    const ChainRows *x = &finder->rows[made->source];
    ChainRows y = *x;
    y.skipped = 0;
    const char *from = chain_name(finder, finder->tensors[x->tensor].name),
               *to = row_element(finder, chain_name(finder, finder->tensors[made->tensor].name), &y,
                                 "l", "o"),
               *sum = FORMAT("sum_c %s * %s%s", row_element(finder, from, x, "l", "c"),
                             chain_weight_text(finder, &finder->linears[made->linear], "o"),
                             chain_bias_text(finder, made->bias, made->times, "o"));
    return made->factor == 1.0 ? FORMAT("%s = %s", to, sum)
                               : FORMAT("%s = %.6g * (%s)", to, made->factor, sum);
}

static const char *product_text(ChainFinder *finder, int row, const char *token, const char *o)
{
    const ChainRows *rows = &finder->rows[row], *x = &finder->rows[finder->inputs[rows->source]];
    return FORMAT(
        "sum_c %s * %s%s",
        row_element(finder, chain_name(finder, finder->tensors[x->tensor].name), x, token, "c"),
        chain_weight_text(finder, &finder->linears[rows->linear], o),
        chain_bias_text(finder, rows->bias, 1.0, o));
}

const char *chain_rows_text(ChainFinder *finder, const ChainAttention *attention, int row)
{
    ChainRows y = finder->rows[finder->inputs[finder->rows[row].source]];
    y.skipped = 0;
    return FORMAT("%s = %s", row_element(finder, rows_name(finder, attention, row), &y, "l", "o"),
                  product_text(finder, row, "l", "o"));
}

// The index of the head that head h uses.
static const char *head_text(ChainFinder *finder, ptrdiff_t own, ptrdiff_t all, ChainSplit split)
{
    return split == CHAIN_TILED ? FORMAT("(h %% %td)", own)
           : own < all          ? FORMAT("floor(h/%td)", all / own)
                                : "h";
}

// The token and column that become element h, l, d.
static void split_places(ChainFinder *finder, const ChainAttention *shape, int from,
                         ChainSplit split, const char *place[2])
{
    const ChainRows *rows = &finder->rows[from];
    ptrdiff_t width = shape->width, own = rows->width / width;
    const char *head = head_text(finder, own, shape->heads, split);
    const char *flat = FORMAT("(%s*%td + l*%td + d)", head, rows->length * width, width);
    place[0] = split == CHAIN_BY_VIEW ? FORMAT("floor(%s / %td)", flat, rows->width) : "l";
    place[1] = own == 1                 ? "d"
               : split == CHAIN_BY_VIEW ? FORMAT("%s %% %td", flat, rows->width)
               : split == CHAIN_IN_TURN ? FORMAT("d*%td + %s", own, head)
                                        : FORMAT("%s*%td + d", head, width);
}

const char *chain_even_text(ChainFinder *finder, const ChainEven *even, const char *axis,
                            const char *column, const char *numbers)
{
    static const char *const norms[] = {"", "rms_norm", "layer_norm"}, *const squared[] = {
                                                                           "", "mean_square_norm",
                                                                           "variance_norm"};
    const char *made =
        FORMAT("%s_%s(%s)", (even->is_squared ? squared : norms)[even->norm], axis, numbers);
    if (even->gain >= 0)
        made = FORMAT("%s * %s[%s]", made, chain_name(finder, finder->tensors[even->gain].name),
                      column);
    return even->shift < 0 ? made
                           : FORMAT("%s + %s[%s]", made,
                                    chain_name(finder, finder->tensors[even->shift].name), column);
}

const char *chain_split_text(ChainFinder *finder, const ChainAttention *attention, int row,
                             const ChainOrigin *origin)
{
    const ChainRows *rows = &finder->rows[origin->from];
    const char *place[2], *made;
    split_places(finder, attention, origin->from, origin->split, place);
    if (rows->heads > 0)
        made = headed_element(finder, rows_name(finder, attention, origin->from), rows,
                              head_text(finder, rows->heads, attention->heads, origin->split), "l");
    else if (rows->tensor >= 0)
        made = row_element(finder, chain_name(finder, finder->tensors[rows->tensor].name), rows,
                           place[0], place[1]);
    else
        made = product_text(finder, origin->from, place[0], place[1]);
    bool is_sum = rows->tensor < 0 && (rows->bias >= 0 || origin->times != 1.0);
    if (origin->even.norm != CHAIN_NO_NORM)
        made = chain_even_text(finder, &origin->even, "d", "d", made);
    if (origin->turn.is_turned)
        made = turn_text(finder, &origin->turn, made);
    else if (is_sum && origin->times != 1.0 && origin->even.norm == CHAIN_NO_NORM)
        made = FORMAT("(%s)", made);
    return FORMAT(origin->times != 1.0 ? "%s = %s * %.6g" : "%s = %s",
                  chain_element(finder, attention, row, CHAIN_IN_RUNS, "l"), made, origin->times);
}

// --- maps

static const char *map_element(ChainFinder *finder, const ChainMap *map, const char *query,
                               const char *key)
{
    const ChainTensor *tensor = &finder->tensors[map->tensor];
    const char *name = chain_name(finder, tensor->name);
    if (map->order == CHAIN_BQHK)
        return FORMAT("%s[b,%s,h,%s]", name, query, key);
    if (map->order == CHAIN_QKBH)
        return FORMAT("%s[%s,%s,b,h]", name, query, key);
    if (map->order == CHAIN_BHKQ) {
        const char *first = query;
        query = key;
        key = first;
    }
    return tensor->rank == 4   ? FORMAT("%s[b,h,%s,%s]", name, query, key)
           : tensor->rank == 2 ? FORMAT("%s[%s,%s]", name, query, key)
           : map->heads == 1   ? FORMAT("%s[b,%s,%s]", name, query, key)
           : map->batch == 1   ? FORMAT("%s[h,%s,%s]", name, query, key)
                               : FORMAT("%s[b*%td + h,%s,%s]", name, map->heads, query, key);
}

const char *chain_transpose_text(ChainFinder *finder, int tensor)
{
    const char *name = chain_name(finder, finder->tensors[tensor].name),
               *of = chain_name(finder, finder->tensors[finder->transpose_of[tensor]].name),
               *before = finder->tensors[tensor].rank == 4 ? "b,h" : "b";
    return FORMAT("%s[%s,j,i] = %s[%s,i,j]", name, before, of, before);
}

static bool is_near(double off, double a, double b)
{
    return fabs(a - b) <= off * fabs(b);
}

static bool is_about(double a, double b)
{
    return is_near(factor_off, a, b);
}

static ptrdiff_t all_heads(const ChainAttention *attention)
{
    return attention->apart > 0 ? attention->apart : attention->heads;
}

ChainSlip chain_scale_slip(const ChainAttention *attention, double factor)
{
    double width = (double)attention->width, heads = (double)all_heads(attention),
           model = attention->model > 0 ? (double)attention->model : width;
    double off = attention->is_coarse ? factor_off_of_halves : factor_off;
    return is_near(off, factor, 1.0 / sqrt(width))           ? CHAIN_RIGHT
           : is_near(off, factor, 1.0)                       ? CHAIN_SLIP_SCALE_MISSING
           : is_near(off, factor, 1.0 / width)               ? CHAIN_SLIP_SCALE_D_K
           : is_near(off, factor, 1.0 / sqrt(width * heads)) ? CHAIN_SLIP_SCALE_D_MODEL
           : is_near(off, factor, 1.0 / sqrt(model))         ? CHAIN_SLIP_SCALE_D_MODEL
           : is_near(off, factor, sqrt(width))               ? CHAIN_SLIP_SCALE_MULTIPLIED
           : is_near(off, factor, 1.0 / sqrt(heads))         ? CHAIN_SLIP_SCALE_HEADS
                                                             : CHAIN_SLIP_SCALE_OTHER;
}

static const char *factor_text(ChainFinder *finder, const ChainAttention *attention, double factor)
{
    ptrdiff_t width = attention->width;
    switch (chain_scale_slip(attention, factor)) {
    case CHAIN_RIGHT:
        return FORMAT(" / sqrt(%td)", width);
    case CHAIN_SLIP_SCALE_MISSING:
        return "";
    case CHAIN_SLIP_SCALE_D_K:
        return FORMAT(" / %td", width);
    case CHAIN_SLIP_SCALE_D_MODEL:
        return FORMAT(" / sqrt(%td)",
                      is_about(factor, 1.0 / sqrt((double)(width * all_heads(attention))))
                          ? width * all_heads(attention)
                          : attention->model);
    case CHAIN_SLIP_SCALE_MULTIPLIED:
        return FORMAT(" * sqrt(%td)", width);
    case CHAIN_SLIP_SCALE_HEADS:
        return FORMAT(" / sqrt(%td)", all_heads(attention));
    default:
        return FORMAT(" * %.6g", factor);
    }
}

// Scores times a factor, from dumped ones where there are any.
static const char *scores_text(ChainFinder *finder, const ChainAttention *attention, int before,
                               double factor, const char *key)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = before - 1; i >= 0; i--) {
            const ChainScores *one = &attention->scores[i];
            bool is_same = one->kind == CHAIN_PLAIN && one->changes == 0 &&
                           is_about(one->factor, pass == 0 ? factor : 1.0);
            if (is_same)
                return FORMAT("%s%s", map_element(finder, &one->map, "i", key),
                              pass == 0 ? "" : factor_text(finder, attention, factor));
        }
    const char *q = chain_element(finder, attention, attention->q, attention->split, "i"),
               *k = chain_element(finder, attention, attention->k, attention->split, key);
    if (attention->even[0].norm) {
        q = chain_even_text(finder, &attention->even[0], "d", "d", q);
        k = chain_even_text(finder, &attention->even[1], "d", "d", k);
    }
    if (attention->turn[0].is_turned)
        q = turn_text(finder, &attention->turn[0], q);
    if (attention->turn[1].is_turned)
        k = turn_text(finder, &attention->turn[1], k);
    const char *by = factor_text(finder, attention, factor);
    return FORMAT(*by ? "(sum_d %s * %s)%s" : "sum_d %s * %s%s", q, k, by);
}

// --- changes of the scores

static const char *place_text(ChainFinder *finder, const ChainTensor *tensor, const ChainMap *map,
                              bool by_keys, const char *key);

static const char *slopes_text(ChainFinder *finder, const ChainAttention *attention,
                               const ChainChange *change, const char *scores)
{
    const char *slopes = "";
    for (ptrdiff_t h = 0; h < attention->heads && h < 4; h++)
        slopes = FORMAT("%s%s%.4g", slopes, h ? ", " : "", change->slopes[h]);
    return FORMAT("%s %s   # slope: %s%s", scores,
                  change->is_signed ? "+ slope[h] * (j - i)" : "- slope[h] * |i - j|", slopes,
                  attention->heads > 4 ? ", ..." : "");
}

static const char *relative_text(ChainFinder *finder, const ChainAttention *attention,
                                 const ChainChange *change, const char *scores)
{
    const ChainTensor *table = &finder->tensors[change->tensor];
    ptrdiff_t far = (table->shape[0] - 1) / 2;
    return FORMAT("%s + %.6g * sum_d %s * %s[min(max(j - i, -%td), %td) + %td,d]", scores,
                  change->factor,
                  chain_element(finder, attention, attention->q, attention->split, "i"),
                  chain_name(finder, table->name), far, far, far);
}

static const char *change_text(ChainFinder *finder, const ChainAttention *attention,
                               const ChainChange *change, const char *scores)
{
    const ChainMap *shape =
        attention->weights.tensor >= 0 ? &attention->weights : &attention->scores[0].map;
    switch (change->kind) {
    case CHAIN_CAPPED:
        return FORMAT("%g * tanh((%s) / %g)", change->cap, scores, change->cap);
    case CHAIN_SLOPED:
        return slopes_text(finder, attention, change, scores);
    case CHAIN_BIASED:
        return FORMAT("%s + %s", scores,
                      place_text(finder, &finder->tensors[change->tensor], shape, false, "j"));
    default:
        return relative_text(finder, attention, change, scores);
    }
}

// The same with the first `changes` changes.
static const char *changed_text(ChainFinder *finder, const ChainAttention *attention, int before,
                                double factor, int changes)
{
    const char *made = NULL;
    int from = changes;
    for (; from > 0 && !made; from -= !made)
        for (int i = before - 1; i >= 0 && !made; i--)
            if (attention->scores[i].kind == CHAIN_PLAIN && attention->scores[i].changes == from)
                made = map_element(finder, &attention->scores[i].map, "i", "j");
    if (!made)
        made = scores_text(finder, attention, before, factor, "j");
    for (; from < changes; from++)
        made = change_text(finder, attention, &attention->changes[from], made);
    return made;
}

// --- masks

// Maps a tensor's axis to (batch, heads, queries, keys), from the last one on. Of three axes the first is a bias's
// heads or a mask's batch.
static int place_axis(const ChainTensor *tensor, const ChainMap *map, bool by_keys, int axis)
{
    if (by_keys)
        return axis * 3;
    if (tensor->rank != 3 || axis > 0)
        return axis + 4 - tensor->rank;
    bool is_mask = tensor->is_flags || tensor->is_fill;
    bool fits_batch = tensor->shape[0] == map->batch, fits_heads = tensor->shape[0] == map->heads;
    return fits_heads && (!fits_batch || !is_mask) ? 1 : 0;
}

// A mask may leave out the keys that are appended.
bool chain_place(const ChainTensor *mask, const ChainMap *map, bool by_keys, ChainAt number,
                 ptrdiff_t *to)
{
    ptrdiff_t place = 0, at[4] = {number.b, number.h, number.i, number.j};
    ptrdiff_t sizes[4] = {map->batch, map->heads, map->queries, map->keys};
    if (mask->rank < 1 || mask->rank > 4)
        return false;
    if (at[3] < map->keys - map->appended &&
        mask->shape[mask->rank - 1] == map->keys - map->appended)
        sizes[3] -= map->appended;
    for (int axis = 0; axis < mask->rank; axis++) {
        int which = place_axis(mask, map, by_keys, axis);
        if (mask->shape[axis] != 1 && mask->shape[axis] != sizes[which])
            return false;
        place = place * mask->shape[axis] + (mask->shape[axis] == 1 ? 0 : at[which]);
    }
    *to = place;
    return true;
}

// "mask[b,0,i,j]"
static const char *place_text(ChainFinder *finder, const ChainTensor *tensor, const ChainMap *map,
                              bool by_keys, const char *key)
{
    const char *const letters[] = {"b", "h", "i", key};
    const char *index = "";
    for (int axis = 0; axis < tensor->rank; axis++) {
        int which = place_axis(tensor, map, by_keys, axis);
        index = FORMAT("%s%s%s", index, axis ? "," : "",
                       tensor->shape[axis] == 1 ? "0" : letters[which]);
    }
    return FORMAT("%s[%s]", chain_name(finder, tensor->name), index);
}

static const char *condition_text(ChainFinder *finder, const ChainMap *map,
                                  const ChainPattern *pattern)
{
    static const char *const texts[] = {
        [CHAIN_HIDES_NONE] = "",          [CHAIN_HIDES_LATER] = "j > i",
        [CHAIN_HIDES_EARLIER] = "j < i",  [CHAIN_HIDES_ALL_BUT_LATER] = "j <= i",
        [CHAIN_HIDES_ITSELF] = "j >= i",  [CHAIN_HIDES_BUT_FIRST] = "j >= max(i, 1)",
        [CHAIN_HIDES_LATE] = "j > i + 1", [CHAIN_HIDES_OTHERS] = "hidden[b,h,i,j]"};
    ptrdiff_t before = map->keys - map->appended - map->queries;
    if (pattern->mask < 0 && !pattern->has_pads && pattern->kind == CHAIN_HIDES_LATER && before > 0)
        return FORMAT("j > i + %td", before);
    if (pattern->mask < 0)
        return texts[pattern->has_pads ? CHAIN_HIDES_OTHERS : pattern->kind];
    const ChainTensor *mask = &finder->tensors[pattern->mask];
    if (mask->heads > 0)
        return FORMAT("%s%sj %s %s[%s]", texts[pattern->kind], *texts[pattern->kind] ? " or " : "",
                      pattern->is_turned ? "<" : ">=", chain_name(finder, mask->name),
                      mask->heads > 1 ? FORMAT("b*%td", mask->heads) : "b");
    return FORMAT("%s%s%s%s%s", texts[pattern->kind], *texts[pattern->kind] ? " or " : "",
                  pattern->is_turned ? "not " : "",
                  place_text(finder, mask, map, pattern->by_keys, pattern->by_queries ? "i" : "j"),
                  mask->is_flags ? "" : " < 0");
}

const char *chain_scores_text(ChainFinder *finder, const ChainAttention *attention, int number,
                              const ChainPattern *pattern)
{
    const ChainScores *one = &attention->scores[number];
    const ChainMap *map = &one->map;
    const char *to = map_element(finder, &one->map, "i", "j"),
               *plain = changed_text(finder, attention, number, one->factor, one->changes);
    if (one->kind == CHAIN_PLAIN)
        return FORMAT("%s = %s", to, plain);
    const char *condition = condition_text(finder, map, pattern);
    if (one->kind == CHAIN_ADDED)
        return FORMAT("%s = %s ? %s : %s + %.6g", to, condition, plain, plain, one->fill);
    return isinf(one->fill) ? FORMAT("%s = %s ? -inf : %s", to, condition, plain)
                            : FORMAT("%s = %s ? %.9g : %s", to, condition, one->fill, plain);
}

// The input of softmax.
static const char *taken_scores(ChainFinder *finder, const ChainAttention *attention,
                                const ChainPattern *pattern)
{
    if (attention->over >= 0)
        return map_element(finder, &attention->scores[attention->over].map, "i", "j");
    const char *scores = changed_text(finder, attention, attention->score_count, attention->factor,
                                      attention->change_count);
    const char *condition = condition_text(finder, &attention->weights, pattern);
    if (attention->form == CHAIN_ONE_ADDED)
        scores = FORMAT("%s + (%s ? 1 : 0)", scores, condition);
    else if (*condition && attention->form != CHAIN_MASKED_AFTER)
        scores = FORMAT("%s ? %s : %s", condition, attention->form == CHAIN_ZEROED ? "0" : "-inf",
                        scores);
    return scores;
}

const char *chain_weights_text(ChainFinder *finder, const ChainAttention *attention,
                               const ChainPattern *pattern)
{
    const ChainMap *map = &attention->weights;
    const char *to = map_element(finder, map, "i", "j");
    static const char *const axes[] = {"j", "j", "i", "h", "b"};
    const char *scores = taken_scores(finder, attention, pattern),
               *made = FORMAT("softmax_%s(%s)", axes[attention->axis], scores);
    switch (attention->form) {
    case CHAIN_TWICE:
        return FORMAT("%s = softmax_j(softmax_j(%s))", to, scores);
    case CHAIN_MASKED_AFTER:
        return FORMAT("%s = %s ? 0 : %s", to, condition_text(finder, map, pattern), made);
    case CHAIN_DROPPED:
        return FORMAT("%s = dropout(%s) * %.6g", to, made, attention->times);
    case CHAIN_TIMES:
        return FORMAT("%s = %.6g * %s", to, attention->times, made);
    case CHAIN_AVERAGED:
        return FORMAT(attention->is_mean_of_twice ? "%s = mean_h softmax_j(%s)" : "%s = mean_h %s",
                      to, made);
    case CHAIN_WITH_SINKS:
        return FORMAT("%s = %s   %s", to, made,
                      FORMAT(TELL(CHAIN_SINK),
                             attention->sinks < 0
                                 ? "0"
                                 : chain_name(finder, finder->tensors[attention->sinks].name)));
    case CHAIN_NOT_DIVIDED:
        return attention->over < 0 || finder->tensors[attention->weights.tensor].largest != 1.0
                   ? FORMAT("%s = exp(%s)", to, scores)
                   : FORMAT("%s = exp(%s - max_m %s)", to, scores,
                            map_element(finder, &attention->scores[attention->over].map, "i", "m"));
    case CHAIN_NO_EXP:
        return FORMAT("%s = %s / sum_m %s", to, scores,
                      map_element(finder, &attention->scores[attention->over].map, "i", "m"));
    default:
        return FORMAT("%s = %s", to, made);
    }
}

// --- the context and the output

static const char *weights_element(ChainFinder *finder, const ChainAttention *attention)
{
    ChainMap map = attention->weights;
    if (attention->is_dropped)
        return FORMAT("dropout(%s)", map_element(finder, &map, "i", "j"));
    if (attention->is_mixed_turned)
        return map_element(finder, &map, "j", "i");
    return map.tensor >= 0 && attention->form != CHAIN_AVERAGED
               ? map_element(finder, &map, "i", "j")
               : "weights[b,h,i,j]";
}

const char *chain_context_text(ChainFinder *finder, const ChainAttention *attention, int row)
{
    return FORMAT("%s = sum_j %s * %s",
                  chain_element(finder, attention, row, attention->merge, "i"),
                  weights_element(finder, attention),
                  chain_element(finder, attention, attention->v, attention->v_split, "j"));
}

const char *chain_output_text(ChainFinder *finder, const ChainAttention *attention)
{
    const ChainLinear *linear = &finder->linears[attention->out_linear];
    const ChainTensor *output = &finder->tensors[attention->output];
    const char *name = chain_name(finder, output->name);
    return FORMAT("%s = sum_c context[%s] * %s%s",
                  FORMAT(output->rank == 2 ? "%s[l,o]" : "%s[b,l,o]", name),
                  output->rank == 2 ? "l,c" : "b,l,c", chain_weight_text(finder, linear, "o"),
                  chain_bias_text(finder, attention->out_bias, 1.0, "o"));
}

const char *chain_first_map_text(ChainFinder *finder, const ChainAttention *attention,
                                 const ChainPattern *pattern)
{
    return attention->score_count > 0       ? chain_scores_text(finder, attention, 0, pattern)
           : attention->weights.tensor >= 0 ? chain_weights_text(finder, attention, pattern)
                                            : NULL;
}
