// chain_gap: unused weights, and what stays unknown, so that a chain cannot be called right.
#include "chain_formula.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

// --- weights that nothing uses

static bool covers(const ChainLinear *used, const ChainLinear *linear)
{
    bool are_parts = used->by_columns == linear->by_columns && used->layout == linear->layout;
    bool overlap = used->base == linear->base && used->first < linear->first + linear->out &&
                   linear->first < used->first + used->out;
    return used->tensor == linear->tensor && (!are_parts || overlap);
}

bool chain_is_used(const ChainReport *report, const ChainLinear *linear)
{
    const ChainFinder *finder = report->finder;
    for (int n = 0; n < finder->attention_count; n++) {
        const ChainAttention *one = &finder->attentions[n];
        int used[] = {chain_linear_of(finder, one->q), chain_linear_of(finder, one->k),
                      chain_linear_of(finder, one->v), one->out_linear};
        for (size_t i = 0; i < sizeof used / sizeof *used; i++)
            if (used[i] >= 0 && covers(&finder->linears[used[i]], linear))
                return true;
    }
    for (int i = 0; i < finder->count; i++) {
        int made = finder->projection_of[i];
        if (made >= 0 && covers(&finder->linears[finder->projections[made].linear], linear))
            return true;
    }
    return false;
}

static bool has_word(const char *name, const char *const words[])
{
    for (const char *at = name; *at; at++) {
        bool is_begin = at == name || !isalpha((unsigned char)at[-1]);
        for (int i = 0; is_begin && words[i]; i++) {
            size_t same = 0, length = strlen(words[i]);
            while (same < length && tolower((unsigned char)at[same]) == words[i][same])
                same++;
            if (same == length && (length > 1 || !isalpha((unsigned char)at[length])))
                return true;
        }
    }
    return false;
}

// Weights of other layers.
static bool is_foreign(const char *name)
{
    static const char *const words[] = {"mlp",          "ff",     "fc1",     "fc2",  "feed",
                                        "intermediate", "gate",   "up_proj", "down", "classifier",
                                        "lm_head",      "pooler", "embed",   "emb",  "wte",
                                        "wpe",          "tok",    "pos",     "norm", "ln",
                                        "임베딩",       NULL};
    return has_word(name, words) && !dump_role(name);
}

int chain_unused_weight(const ChainReport *report, ptrdiff_t in, ptrdiff_t out)
{
    const ChainFinder *finder = report->finder;
    for (int i = 0; i < finder->linear_count; i++) {
        const ChainLinear *linear = &finder->linears[i];
        if (is_foreign(finder->tensors[linear->tensor].name))
            continue;
        if (linear->in == in && (out == 0 || linear->out == out) && linear->out > 1 &&
            !finder->is_explained[linear->tensor] && !report->is_line[linear->tensor] &&
            finder->projection_of[linear->tensor] < 0 && !chain_is_used(report, linear))
            return linear->tensor;
    }
    return -1;
}

static bool has_unused_rows(const ChainReport *report, int like)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    int source = chain_source_of(finder, like);
    const ChainRows *rows = &finder->rows[like];
    ptrdiff_t width = rows->heads > 0 ? rows->heads * rows->width : rows->width;
    for (int i = 0; i < finder->count; i++) {
        int made = finder->projection_of[i];
        if (made >= 0 && finder->projections[made].source == source &&
            i != chain_made_rows(finder, attention->q) &&
            i != chain_made_rows(finder, attention->k) &&
            i != chain_made_rows(finder, attention->v) &&
            finder->linears[finder->projections[made].linear].out == width)
            return true;
    }
    return false;
}

static bool has_spare_part(const ChainReport *report, const ChainLinear *linear)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    const int rows[] = {attention->q, attention->k, attention->v};
    for (int i = 0; i < finder->linear_count; i++) {
        const ChainLinear *one = &finder->linears[i];
        bool is_part = one->tensor == linear->tensor && one->out == linear->out &&
                       one->by_columns == linear->by_columns && one->layout == linear->layout;
        for (int n = 0; n < 3 && is_part; n++) {
            int used = chain_linear_of(finder, rows[n]);
            is_part = used < 0 || !covers(&finder->linears[used], one);
        }
        int q = chain_linear_of(finder, attention->q);
        ptrdiff_t whole = finder->tensors[one->tensor].shape[one->by_columns];
        bool is_behind = is_part && q >= 0 && finder->linears[q].tensor == one->tensor &&
                         one->layout == CHAIN_FLAT && one->first >= finder->linears[q].out &&
                         whole == finder->linears[q].out + 2 * one->out; // heads share k and v
        if (is_part && (whole == 3 * one->out || is_behind))
            return true;
    }
    return false;
}

bool chain_is_spare(const ChainReport *report, int row)
{
    const ChainFinder *finder = report->finder;
    int linear = chain_linear_of(finder, row);
    return linear >= 0 &&
           (has_unused_rows(report, row) || has_spare_part(report, &finder->linears[linear]) ||
            chain_unused_weight(report, finder->linears[linear].in, finder->linears[linear].out) >=
                0);
}

static bool is_row_of_attention(const ChainReport *report, int tensor)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    const int rows[] = {attention->q, attention->k, attention->v};
    for (int i = 0; i < 3; i++) {
        int made = chain_made_rows(finder, rows[i]);
        int from = chain_made_rows(finder, chain_origin_of(finder, rows[i]));
        if (tensor == made || tensor == from)
            return true;
    }
    return tensor == attention->context || tensor == attention->output;
}

static bool could_be_input(const ChainReport *report, const ChainRows *x, ptrdiff_t width,
                           const ChainRows *made)
{
    const ChainFinder *finder = report->finder;
    ptrdiff_t queries = finder->rows[report->attention->q].length; // of one or two new tokens
    bool is_cached = queries <= 2 && x->length == queries && made->length > queries;
    return x->tier == 1 && !x->is_part && x->heads == 0 && x->width == width &&
           x->batch == made->batch && (x->length == made->length || is_cached) &&
           !finder->tensors[x->tensor].is_shares && !finder->is_explained[x->tensor] &&
           !is_row_of_attention(report, x->tensor);
}

bool chain_should_be_made(const ChainReport *report, int row)
{
    const ChainFinder *finder = report->finder;
    const ChainRows *made = &finder->rows[row];
    ptrdiff_t width = made->heads > 0 ? made->heads * made->width : made->width;
    for (int i = 0; i < finder->row_count; i++) {
        const ChainRows *x = &finder->rows[i];
        int projected = x->tensor < 0 ? -1 : finder->projection_of[x->tensor];
        if (projected >= 0 && could_be_input(report, x, width, made))
            return true;
        for (int n = 0; n < finder->linear_count && projected < 0; n++)
            if (finder->linears[n].out == width && finder->linears[n].tensor != x->tensor &&
                could_be_input(report, x, finder->linears[n].in, made) &&
                chain_unused_weight(report, finder->linears[n].in, width) >= 0)
                return true;
    }
    return false;
}

// --- names

bool chain_is_context_name(const char *name)
{
    static const char *const words[] = {"context", "ctx",  "concat",   "merge", "head", "attended",
                                        "mix",     "pre",  "weighted", "cat",   "맥락", "컨텍스트",
                                        "문맥",    "병합", "합친",     "합침",  NULL};
    return has_word(name, words);
}

bool chain_is_output_name(const char *name)
{
    static const char *const words[] = {"out",  "result", "res",  "final",
                                        "출력", "결과",   "최종", NULL};
    return has_word(name, words) && !chain_is_context_name(name);
}

bool chain_is_residual_name(const char *name)
{
    static const char *const words[] = {
        "resid",         "residual",  "res1",      "res2", "hidden_out",
        "hidden_states", "block_out", "layer_out", "잔차", NULL};
    return has_word(name, words);
}

bool chain_is_layer_norm_name(const char *name)
{
    static const char *const words[] = {"ln", "layernorm", "layer_norm", "rms", NULL};
    return has_word(name, words);
}

// --- gaps

// True if rows of an attention come from a tensor: it is `of` them.
static bool is_of_rows(const ChainFinder *finder, int tensor,
                       int (*of)(const ChainFinder *finder, int row))
{
    bool is_it = false;
    for (int n = 0; n < 3 * finder->attention_count; n++) {
        const ChainAttention *one = &finder->attentions[n / 3];
        const int rows[] = {one->q, one->k, one->v};
        is_it = is_it || tensor == chain_made_rows(finder, of(finder, rows[n % 3]));
    }
    return is_it;
}

// True if the dump has a product of this role, as long as the rows, that nothing goes on from.
static bool has_product_beside(const ChainReport *report, int row, char role)
{
    const ChainFinder *finder = report->finder;
    const ChainRows *rows = &finder->rows[row];
    for (int i = 0; i < finder->row_count; i++) {
        const ChainRows *one = &finder->rows[i];
        bool is_it = one->tier == 1 && finder->projection_of[one->tensor] >= 0 &&
                     finder->tensors[one->tensor].role == role && one->batch == rows->batch &&
                     one->length == rows->length && one->tensor < finder->count;
        if (is_it && !is_of_rows(finder, one->tensor, chain_origin_of))
            return true;
    }
    return false;
}

static void find_gap_of_rows(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    Chain *chain = report->chain;
    const int rows[] = {report->attention->q, report->attention->k, report->attention->v};
    for (int i = 0; i < 3 && chain->gap == CHAIN_NO_GAP; i++) {
        bool is_known = rows[i] < 0 || chain_linear_of(finder, rows[i]) >= 0;
        if (is_known || (!chain_should_be_made(report, rows[i]) &&
                         !has_product_beside(report, rows[i], "qkv"[i])))
            continue;
        chain->gap = CHAIN_GAP_ROWS;
        chain->open = chain_dumped(finder, chain_made_rows(finder, rows[i]));
    }
}

// True if a tensor is the context, projected twice by this weight.
static bool is_projected_twice(ChainFinder *finder, int context, int weight, int output)
{
    const ChainTensor *from = &finder->tensors[context], *to = &finder->tensors[output];
    bool is_it = false;
    for (int i = 0; i < finder->linear_count && !is_it; i++) {
        const ChainLinear *linear = &finder->linears[i];
        const double *bias = chain_bias(finder, linear->bias);
        ptrdiff_t width = linear->in;
        double *once = chain_take(finder, width);
        is_it = once && linear->tensor == weight && linear->out == width &&
                from->count == to->count && chain_width_of(to) == width && from->count % width == 0;
        for (ptrdiff_t n = 0; n < from->count && is_it; n++) {
            ptrdiff_t o = n % width;
            for (ptrdiff_t c = 0; c < width && o == 0; c++)
                once[c] = chain_product(finder, from->at + n, linear, c) + (bias ? bias[c] : 0.0);
            double twice = chain_product(finder, once, linear, o) + (bias ? bias[o] : 0.0);
            is_it = chain_near(finder, to->at[n], twice, to->largest);
        }
    }
    return is_it;
}

static void find_gap_of_output(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    Chain *chain = report->chain;
    if (attention->context < 0 || attention->output >= 0 || chain->gap != CHAIN_NO_GAP)
        return;
    const ChainRows *q = &finder->rows[attention->q];
    const ChainTensor *context = &finder->tensors[attention->context];
    ptrdiff_t in = attention->apart > 0 ? attention->apart * attention->width
                                        : context->count / q->batch / q->length;
    int unused = chain_unused_weight(report, in, 0);
    for (int i = 0; i < finder->row_count && unused >= 0 && chain->gap == CHAIN_NO_GAP; i++) {
        const ChainRows *y = &finder->rows[i];
        bool is_left = y->tier == 1 && y->tensor < finder->count && !y->is_part && y->heads == 0 &&
                       y->batch == q->batch && y->length == q->length &&
                       !report->is_line[y->tensor] && !finder->is_explained[y->tensor] &&
                       !finder->tensors[y->tensor].is_flags &&
                       !text_ends(finder->tensors[y->tensor].name, "weight");
        if (!is_left || chain_unused_weight(report, in, y->width) < 0 || y->tensor == unused)
            continue;
        chain->gap = CHAIN_GAP_OUTPUT;
        chain->open = y->tensor;
        if (is_projected_twice(report->finder, attention->context, unused, y->tensor))
            chain_slip(report, CHAIN_SLIP_OUTPUT_TWICE, y->tensor, NULL, NULL);
    }
    if (unused >= 0 && chain->gap == CHAIN_NO_GAP && context->rank < 4 &&
        !chain_is_context_name(context->name)) {
        chain->gap = CHAIN_GAP_CONTEXT;
        chain->open = attention->context;
    }
    if (chain->gap != CHAIN_NO_GAP && chain->slip == CHAIN_RIGHT)
        chain->unused_weight = unused;
}

// A tensor that nothing explains, or the input, goes into a projection where the context should.
static void find_gap_of_context(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    Chain *chain = report->chain;
    bool has_context = attention->context >= 0;
    if (attention->output >= 0 || chain->gap != CHAIN_NO_GAP ||
        chain_has_thinned(finder, attention)) // which mix the values
        return;
    for (int i = 0; attention->apart > 0 && !has_context && i < finder->attention_count; i++)
        if (finder->attentions[i].context >= 0) { // the other heads'
            chain->gap = CHAIN_GAP_LEFT;
            chain->open = finder->attentions[i].context;
            return;
        }
    for (int i = 0; i < finder->projection_count && chain->gap == CHAIN_NO_GAP; i++) {
        int source = finder->projections[i].source, from = finder->rows[source].tensor;
        bool is_input = is_of_rows(finder, from, chain_source_of), is_context = false;
        for (int n = 0; n < finder->attention_count; n++) // of other weights
            is_context = is_context || from == finder->attentions[n].context;
        const ChainLinear *linear = &finder->linears[finder->projections[i].linear];
        const ChainTensor *weight = &finder->tensors[linear->tensor];
        bool is_out = has_context && linear->in == attention->heads * attention->width &&
                      linear->out == attention->model &&
                      (weight->role == 'o' || chain_is_output_name(weight->name));
        if (is_out && is_input)
            chain_slip(report, CHAIN_SLIP_OUTPUT_OF_INPUT, finder->projections[i].tensor, NULL,
                       NULL);
        if (is_input || is_context || from >= finder->count || finder->projection_of[from] >= 0 ||
            (has_context && (!is_out || report->is_line[from])) ||
            finder->projection_of[finder->projections[i].tensor] != i ||
            linear->in != attention->heads * attention->width)
            continue;
        chain->gap = CHAIN_GAP_LEFT;
        chain->open = from;
    }
}

// k and v come from two inputs: only the person knows whether that is meant.
static void find_gap_of_sources(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    Chain *chain = report->chain;
    int k = chain_source_of(finder, report->attention->k),
        v = chain_source_of(finder, report->attention->v);
    if (k < 0 || v < 0 || chain->gap != CHAIN_NO_GAP || chain->slip != CHAIN_RIGHT ||
        finder->rows[k].tensor == finder->rows[v].tensor ||
        finder->rows[k].width != finder->rows[v].width || // no text could be both
        chain_is_same(finder, finder->rows[k].tensor, finder->rows[v].tensor))
        return;
    chain->gap = CHAIN_GAP_SOURCES;
    chain->open = chain_dumped(finder, finder->rows[k].tensor);
    chain->unused_weight = chain_dumped(finder, finder->rows[v].tensor);
}

// An additive mask has two values.
static bool is_mask(const ChainTensor *one)
{
    double least = one->at[0], most = one->at[0];
    for (ptrdiff_t i = 0; i < one->count; i++) {
        least = fmin(least, one->at[i]);
        most = fmax(most, one->at[i]);
    }
    for (ptrdiff_t i = 0; i < one->count; i++)
        if (one->at[i] != least && one->at[i] != most)
            return false;
    return true;
}

static bool are_weights(const ChainFinder *finder, const ChainMap *weights, const double made[])
{
    for (ptrdiff_t i = 0; i < weights->count; i++)
        if (!chain_near(finder, made[i], weights->at[i], 1.0))
            return false;
    return true;
}

// True if a softmax of these numbers, or dividing them by their sum, gives the weights.
static bool makes_weights(ChainFinder *finder, const ChainAttention *attention, int tensor)
{
    const ChainTensor *one = &finder->tensors[tensor];
    const ChainMap *weights = &attention->weights;
    if (weights->tensor < 0 || attention->form == CHAIN_AVERAGED || one->count != weights->count)
        return false;
    double *made = chain_take(finder, one->count);
    for (ptrdiff_t i = 0; made && i < one->count; i++)
        made[i] = one->at[i];
    if (made)
        chain_softmax(finder, weights, &(ChainAttention){.is_hidden = NULL}, made);
    return made &&
           (are_weights(finder, weights, made) ||
            chain_is_divided(finder, one, &finder->tensors[weights->tensor], weights->keys));
}

// Exponentials in the dump, which the weights are made of.
static void line_exps(ChainReport *report, int tensor)
{
    ChainAttention exps = *report->attention;
    exps.weights.tensor = tensor;
    exps.form = CHAIN_NOT_DIVIDED;
    chain_line(report, tensor, "", chain_weights_text(report->finder, &exps, &report->pattern));
}

static bool has_negatives(const ChainTensor *one)
{
    bool has = false;
    for (ptrdiff_t i = 0; i < one->count; i++)
        has = has || !(one->at[i] >= 0.0);
    return has;
}

static bool is_mask_or_shares(const ChainTensor *one)
{
    bool has_infinities = false;
    for (ptrdiff_t i = 0; i < one->count; i++)
        has_infinities = has_infinities || isinf(one->at[i]);
    return has_infinities || !has_negatives(one);
}

static bool has_heads(const ChainReport *report, const ChainTensor *one)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    ptrdiff_t queries = finder->rows[attention->q].length, keys = finder->rows[attention->k].length;
    if (one->rank != 4 || attention->heads < 2 || one->shape[3] != attention->width)
        return false;
    for (int axis = 1; axis < 3; axis++) {
        ptrdiff_t heads = one->shape[axis], length = one->shape[3 - axis];
        if (heads > 0 && attention->heads % heads == 0 && (length == queries || length == keys))
            return true;
    }
    return false;
}

// True if an unexplained tensor should be q, k, v or the context, by its shape or name.
static bool belongs_to(const ChainReport *report, int tensor)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    const ChainTensor *one = &finder->tensors[tensor];
    ptrdiff_t last = one->shape[one->rank - 1];
    int linear = chain_linear_of(finder, attention->q);
    const ChainTensor *joined = linear < 0 ? one : &finder->tensors[finder->linears[linear].tensor];
    char role = one->role;
    ptrdiff_t whole =
        linear < 0 || joined->rank != 2 ? 0 : joined->shape[finder->linears[linear].by_columns];
    bool is_joined = linear >= 0 && finder->linears[linear].out < whole && last == whole;
    return has_heads(report, one) || is_joined || role == 'q' || role == 'k' || role == 'v' ||
           (chain_is_context_name(one->name) && last == attention->heads * attention->width);
}

// True for scores of these queries with themselves, beside an attention to another text.
static bool is_other_map(const ChainReport *report, const ChainTensor *one)
{
    const ChainAttention *attention = report->attention;
    ptrdiff_t queries = report->finder->rows[attention->q].length;
    return one->rank == 4 && one->shape[1] == attention->heads && one->shape[2] == queries &&
           one->shape[3] == queries && queries != report->finder->rows[attention->k].length &&
           queries != attention->width;
}

void chain_check_left(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    Chain *chain = report->chain;
    for (int n = 0; n < finder->attention_count; n++) {
        report->attention = &finder->attentions[n];
        const ChainRows *q = &finder->rows[report->attention->q];
        bool is_open = report->attention->context < 0 && report->attention->output < 0;
        int weight = chain_linear_of(finder, report->attention->q);
        bool is_cross =
            weight >= 0 && chain_is_of_text(finder, report->attention->q, report->attention->k) &&
            chain_has_part(finder->tensors[finder->linears[weight].tensor].name, "cross");
        for (int i = 0; i < chain->left_count && chain->gap == CHAIN_NO_GAP; i++) {
            const ChainTensor *one = &finder->tensors[chain->left[i]];
            bool could_be_output = is_open && chain->has_output &&
                                   one->count % (q->batch * q->length) == 0 &&
                                   chain_unused_weight(report, one->shape[one->rank - 1], 0) >= 0;
            if (is_cross && one->rank == 2 + finder->has_batch &&
                chain_width_of(one) == report->attention->model)
                chain_slip(report, CHAIN_SLIP_CROSS_OF_ONE, -1, NULL, NULL);
            if (!could_be_output && !belongs_to(report, chain->left[i]) &&
                !is_other_map(report, one))
                continue;
            chain->gap = CHAIN_GAP_LEFT;
            chain->open = chain->left[i];
        }
    }
}

static bool is_map_of(const ChainTensor *one, const ChainAttention *attention, const ChainRows *q,
                      const ChainRows *k)
{
    int rank = one->rank;
    if (!one->is_number || one->count == 0 || rank < 2 || one->shape[rank - 2] != q->length ||
        one->shape[rank - 1] != k->length)
        return false;
    if (rank == 4)
        return one->shape[1] == attention->heads;
    bool is_bias = one->shape[0] == attention->heads && attention->heads > 1 &&
                   attention->model > 0 && attention->model != k->length; // no text as wide as long
    bool is_whole = rank == 3 && (one->shape[0] == attention->heads * q->batch || is_bias);
    return is_whole || ((rank == 3 || attention->heads == 1) && is_mask_or_shares(one));
}

static bool is_in_change(const ChainAttention *attention, int tensor)
{
    bool is_it = false;
    for (int i = 0; i < attention->change_count; i++)
        is_it = is_it || attention->changes[i].tensor == tensor;
    return is_it;
}

static void find_gap_of_maps(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    Chain *chain = report->chain;
    const ChainRows *q = &finder->rows[attention->q], *k = &finder->rows[attention->k];
    for (int i = 0; i < finder->count && chain->gap == CHAIN_NO_GAP; i++) {
        const ChainTensor *one = &finder->tensors[i];
        if (!is_map_of(one, attention, q, k) || report->is_line[i] || finder->is_explained[i] ||
            is_in_change(attention, i) || finder->projection_of[i] >= 0 ||
            finder->origins[i].from >= 0 || is_mask(one))
            continue;
        if (makes_weights(report->finder, attention, i)) {
            if (!has_negatives(one))
                line_exps(report, i);
            continue;
        }
        chain->gap = CHAIN_GAP_LEFT;
        chain->open = i;
    }
}

void chain_find_gaps(ChainReport *report)
{
    find_gap_of_rows(report);
    find_gap_of_output(report);
    find_gap_of_sources(report);
    find_gap_of_context(report);
    find_gap_of_maps(report);
}
