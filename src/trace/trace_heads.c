// What heads do in the residual stream; see trace_heads.h.
#include "trace_heads.h"

#include <math.h>
#include <string.h>
#include "generator.h"
#include "trace_words.def"

// --- steps

// The step of a stage (and call) in a layer; -1: none.
static int find_step(const Trace *trace, int layer, const char *stage, const char *label)
{
    for (int i = 0; i < trace->step_count; i++) {
        const TraceStep *step = &trace->steps[i];
        bool is_call = !label || (step->call->label && strcmp(step->call->label, label) == 0);
        if (step->layer == layer && strcmp(step->stage->name, stage) == 0 && is_call)
            return i;
    }
    return -1;
}

// The tensor that such a step reads in a slot; NULL without a step or numbers.
static const Tensor *read_of(const Trace *trace, int step, int slot)
{
    int number = step >= 0 ? trace->steps[step].reads[slot] : -1;
    bool is_there = number >= 0 && trace->tensors[number].tensor.storage.bytes;
    return is_there ? &trace->tensors[number].tensor : NULL;
}

static const Tensor *named(const Trace *trace, const char *name)
{
    int number = trace_find(trace, name);
    bool is_there = number >= 0 && trace->tensors[number].tensor.storage.bytes;
    return is_there ? &trace->tensors[number].tensor : NULL;
}

// --- the answer

bool trace_answer_here(const Trace *trace, TraceAnswer *answer)
{
    const Tensor *logits = named(trace, "logits"), *probabilities = named(trace, "probabilities");
    const ptrdiff_t *at = answer->at;
    if (!logits || !probabilities)
        return false;
    answer->logit = *tensor_at4(logits, at[0], at[1], at[2], at[3]);
    answer->probability = *tensor_at4(probabilities, at[0], at[1], at[2], at[3]);
    answer->rank = 1;
    for (ptrdiff_t w = 0; w < logits->shape[3]; w++)
        answer->rank += *tensor_at4(logits, at[0], at[1], at[2], w) > answer->logit;
    return true;
}

bool trace_answer(const Trace *trace, TraceAnswer *answer)
{
    const Tensor *probabilities = named(trace, "probabilities"), *targets = named(trace, "targets");
    if (!probabilities)
        return false;
    *answer = (TraceAnswer){.at = {0, 0, probabilities->shape[2] - 1, -1}};
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = targets != NULL; more; more = tensor_next(targets, at))
        if (*tensor_id3(targets, at[0], at[1], at[2]) >= 0) {
            memcpy(answer->at, at, 3 * sizeof *at);
            answer->at[3] = *tensor_id3(targets, at[0], at[1], at[2]);
        }
    ptrdiff_t last = answer->at[2], best = 0;
    for (ptrdiff_t w = 1; answer->at[3] < 0 && w < probabilities->shape[3]; w++)
        if (*tensor_at4(probabilities, 0, 0, last, w) >
            *tensor_at4(probabilities, 0, 0, last, best))
            best = w;
    answer->at[3] = answer->at[3] < 0 ? best : answer->at[3];
    return trace_answer_here(trace, answer);
}

// --- what a head looks at

static const Tensor *weights_of(const Trace *trace, Head head, int *number)
{
    int step = find_step(trace, head.layer, "softmax", NULL);
    *number = step >= 0 ? trace->steps[step].writes[0] : -1;
    const Tensor *weights = *number >= 0 ? &trace->tensors[*number].tensor : NULL;
    return weights && weights->storage.bytes && weights->rank == 4 ? weights : NULL;
}

// A sum over rows, and their count.
typedef struct Mean {
    double sum;
    ptrdiff_t count;
} Mean;

static void add_after(const Tensor *weights, const Tensor *ids, const ptrdiff_t at[3], Mean *after)
{
    ptrdiff_t b = at[0], row = at[2];
    bool came = false;
    for (ptrdiff_t j = 0; j < row; j++)
        if (*tensor_id2(ids, b, j) == *tensor_id2(ids, b, row)) {
            after->sum += (double)*tensor_at4(weights, b, at[1], row, j + 1);
            came = true;
        }
    after->count += came;
}

bool trace_head_scores(const Trace *trace, Head head, HeadScores *scores)
{
    int number;
    const Tensor *weights = weights_of(trace, head, &number), *ids = named(trace, "input_ids");
    const Tensor *padding = named(trace, "key_padding_mask");
    Mean before = {0}, after = {0};
    if (!weights || !ids || weights->shape[2] != ids->shape[1] ||
        weights->shape[3] != ids->shape[1])
        return false;
    for (ptrdiff_t b = 0; b < ids->shape[0]; b++)
        for (ptrdiff_t row = 1; row < ids->shape[1]; row++) {
            if (padding && *tensor_flag2(padding, b, row))
                continue;
            before.sum += (double)*tensor_at4(weights, b, head.head, row, row - 1);
            before.count++;
            add_after(weights, ids, (ptrdiff_t[]){b, head.head, row}, &after);
        }
    *scores = (HeadScores){before.sum / (double)before.count, after.sum / (double)after.count};
    return true;
}

// --- composition

// One head's weights, a row for each number of the head; the columns of W_O are read as rows.
typedef struct HeadWeights {
    Tensor q, k, v, o;
} HeadWeights;

static bool head_weights(const Trace *trace, Head head, HeadWeights *weights)
{
    const Tensor *q = read_of(trace, find_step(trace, head.layer, "project", "q"), 1);
    const Tensor *k = read_of(trace, find_step(trace, head.layer, "project", "k"), 1);
    const Tensor *v = read_of(trace, find_step(trace, head.layer, "project", "v"), 1);
    const Tensor *o = read_of(trace, find_step(trace, head.layer, "output_projection", NULL), 1);
    const StageOptions *options = &trace->scenario->options;
    ptrdiff_t heads = options->heads, groups = options->kv_heads > 0 ? options->kv_heads : heads;
    ptrdiff_t group = head.head / (heads / groups);
    if (!q || !k || !v || !o || q->rank != 2)
        return false;
    ptrdiff_t d_k = q->shape[0] / heads, d_v = o->shape[1] / heads;
    Tensor columns = tensor_transpose(o, 0, 1);
    *weights = (HeadWeights){
        tensor_narrow(q, 0, head.head * d_k, d_k), tensor_narrow(k, 0, group * d_k, d_k),
        tensor_narrow(v, 0, group * d_v, d_v), tensor_narrow(&columns, 0, head.head * d_v, d_v)};
    return true;
}

// out[i][j]: the dot product of row i of one matrix and row j of another.
static void rows_times_rows(const Tensor *a, const Tensor *b, double out[])
{
    for (ptrdiff_t i = 0; i < a->shape[0]; i++)
        for (ptrdiff_t j = 0; j < b->shape[0]; j++) {
            double sum = 0.0;
            for (ptrdiff_t d = 0; d < a->shape[1]; d++)
                sum += (double)*tensor_at2(a, i, d) * (double)*tensor_at2(b, j, d);
            out[i * b->shape[0] + j] = sum;
        }
}

// Memory for the products of the rows of two heads.
typedef struct Products {
    double *left, *middle, *right;
} Products;

// |A^T M B| from the products of rows alone: its square is the sum over i, j of (A A^T M)(M B B^T). If
// `m` is the product of B's and A's rows turned around, this is |A^T m B|.
static double norm_of(const Products *p, ptrdiff_t rows, ptrdiff_t columns)
{
    double square = 0.0;
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < columns; j++) {
            double left = 0.0, right = 0.0;
            for (ptrdiff_t k = 0; k < rows; k++)
                left += p->left[i * rows + k] * p->middle[k * columns + j];
            for (ptrdiff_t k = 0; k < columns; k++)
                right += p->middle[i * columns + k] * p->right[k * columns + j];
            square += left * right;
        }
    return sqrt(fmax(square, 0.0));
}

// |outer^T (inner_a inner_b^T) last| : what a head's `outer` side does with what `last` reads.
static double chain(const Products *p, const Tensor *outer, const Tensor *inner_a,
                    const Tensor *inner_b, const Tensor *last)
{
    rows_times_rows(outer, outer, p->left);
    rows_times_rows(inner_a, inner_b, p->middle);
    rows_times_rows(last, last, p->right);
    return norm_of(p, outer->shape[0], last->shape[0]);
}

// |a^T b|
static double product(const Products *p, const Tensor *a, const Tensor *b)
{
    ptrdiff_t rows = a->shape[0];
    double sum = 0.0;
    rows_times_rows(a, a, p->left);
    rows_times_rows(b, b, p->right);
    for (ptrdiff_t i = 0; i < rows * rows; i++)
        sum += p->left[i] * p->right[i];
    return sqrt(fmax(sum, 0.0));
}

static void compose(const Products *p, const HeadWeights *earlier, const HeadWeights *later,
                    double ratio[COMPOSE_KINDS])
{
    double writes = product(p, &earlier->o, &earlier->v);
    double scores = product(p, &later->q, &later->k);
    double values = product(p, &later->o, &later->v);
    // Scores are q^T k: of the earlier head's W_O W_V the later head's W_Q, W_K or W_V reads W_O first.
    ratio[COMPOSE_Q] = chain(p, &later->k, &later->q, &earlier->o, &earlier->v) / (scores * writes);
    ratio[COMPOSE_K] = chain(p, &later->q, &later->k, &earlier->o, &earlier->v) / (scores * writes);
    ratio[COMPOSE_V] = chain(p, &later->o, &later->v, &earlier->o, &earlier->v) / (values * writes);
}

static bool take_products(Arena *arena, const HeadWeights *weights, Products *p, Error *err)
{
    ptrdiff_t d_k = weights->q.shape[0], d_v = weights->v.shape[0];
    size_t most = (size_t)(d_k > d_v ? d_k : d_v);
    p->left = arena_take(arena, most * most, sizeof(double), err);
    p->middle = p->left ? arena_take(arena, most * most, sizeof(double), err) : NULL;
    p->right = p->middle ? arena_take(arena, most * most, sizeof(double), err) : NULL;
    return p->right != NULL;
}

bool trace_composition(const Trace *trace, Head earlier, Head later, double ratio[COMPOSE_KINDS],
                       Error *err)
{
    Arena arena = {0};
    Products products;
    HeadWeights from, to;
    if (!head_weights(trace, earlier, &from) || !head_weights(trace, later, &to))
        return error_set(err, TELL(HEADS_NO_WEIGHTS));
    bool good = take_products(&arena, &to, &products, err);
    if (good)
        compose(&products, &from, &to, ratio);
    arena_finish(&arena);
    return good;
}

static bool draw(Arena *arena, Generator *generator, Tensor *like, Error *err)
{
    Tensor drawn;
    if (!tensor_take(arena, DTYPE_F32, 2, like->shape, &drawn, err))
        return false;
    generator_randn(generator, drawn.storage.f32, (size_t)tensor_count(&drawn));
    *like = drawn;
    return true;
}

static bool draw_head(Arena *arena, Generator *generator, HeadWeights *weights, Error *err)
{
    return draw(arena, generator, &weights->q, err) && draw(arena, generator, &weights->k, err) &&
           draw(arena, generator, &weights->v, err) && draw(arena, generator, &weights->o, err);
}

bool trace_composition_random(const Trace *trace, double ratio[COMPOSE_KINDS], Error *err)
{
    enum { PAIRS = 10 };
    Generator generator;
    HeadWeights from, to;
    double one[COMPOSE_KINDS];
    bool good = true;
    if (!head_weights(trace, (Head){0, 0}, &from))
        return error_set(err, TELL(HEADS_NO_WEIGHTS));
    to = from;
    memset(ratio, 0, COMPOSE_KINDS * sizeof *ratio);
    generator_seed(&generator, 0);
    for (int pair = 0; good && pair < PAIRS; pair++) {
        Arena arena = {0};
        Products products;
        good = draw_head(&arena, &generator, &from, err) &&
               draw_head(&arena, &generator, &to, err) &&
               take_products(&arena, &to, &products, err);
        if (good)
            compose(&products, &from, &to, one);
        for (int kind = 0; good && kind < COMPOSE_KINDS; kind++)
            ratio[kind] += one[kind] / PAIRS;
        arena_finish(&arena);
    }
    return good;
}

// --- the path

// How much the answer's row of the readout takes of feature d, through the norm after the last layer except its
// scale, which is the same for all heads.
static double reads_feature(const Trace *trace, const TraceAnswer *answer, ptrdiff_t d)
{
    const Tensor *readout = named(trace, "readout.weight"),
                 *norm = named(trace, "final_norm.weight");
    double own = (double)*tensor_at3(readout, answer->at[1], answer->at[3], d);
    const StageOptions *options = &trace->scenario->options;
    return !norm ? own : own * ((double)*tensor_at1(norm, d) + options->norm_plus_one);
}

// What a layer norm subtracts as the mean.
static double reads_mean(const Trace *trace, const TraceAnswer *answer, ptrdiff_t width)
{
    double sum = 0.0;
    if (!named(trace, "final_norm.weight") || trace->scenario->options.rms_norm)
        return 0.0;
    for (ptrdiff_t d = 0; d < width; d++)
        sum += reads_feature(trace, answer, d);
    return sum / (double)width;
}

// How much a head adds to the answer's logit: its columns of the output projection times the word's row.
static double share_of(const Trace *trace, Head head, const TraceAnswer *answer)
{
    int step = find_step(trace, head.layer, "output_projection", NULL);
    const Tensor *context = read_of(trace, step, 0), *weight = read_of(trace, step, 1);
    double share = 0.0;
    if (!context || !weight || !named(trace, "readout.weight"))
        return 0.0;
    double mean = reads_mean(trace, answer, weight->shape[0]);
    ptrdiff_t d_v = weight->shape[1] / trace->scenario->options.heads;
    for (ptrdiff_t d = 0; d < weight->shape[0]; d++) {
        double sum = 0.0;
        for (ptrdiff_t c = head.head * d_v; c < (head.head + 1) * d_v; c++)
            sum += (double)*tensor_at3(context, answer->at[0], answer->at[2], c) *
                   (double)*tensor_at2(weight, d, c);
        share += sum * (reads_feature(trace, answer, d) - mean);
    }
    return share;
}

static Head largest_share(const Trace *trace, const TraceAnswer *answer)
{
    Head best = {1, 0};
    for (int layer = 1; layer < trace->scenario->layers; layer++)
        for (ptrdiff_t head = 0; head < trace->scenario->options.heads; head++)
            if (share_of(trace, (Head){layer, head}, answer) > share_of(trace, best, answer))
                best = (Head){layer, head};
    return best;
}

static bool most_read(const Trace *trace, Head later, Head *earlier, Error *err)
{
    double most = -1.0, ratio[COMPOSE_KINDS];
    for (int layer = 0; layer < later.layer; layer++)
        for (ptrdiff_t head = 0; head < trace->scenario->options.heads; head++) {
            if (!trace_composition(trace, (Head){layer, head}, later, ratio, err))
                return false;
            if (ratio[COMPOSE_K] > most) {
                most = ratio[COMPOSE_K];
                *earlier = (Head){layer, head};
            }
        }
    return true;
}

// Finds the largest weight of a head in a row of a sequence. False if its layer has no softmax with heads.
static bool largest_weight(const Trace *trace, Head head, ptrdiff_t b, ptrdiff_t row,
                           TraceCell *cell)
{
    int number;
    const Tensor *weights = weights_of(trace, head, &number);
    if (!weights)
        return false;
    *cell = (TraceCell){number, {b, head.head, row, 0}};
    for (ptrdiff_t j = 1; j < weights->shape[3]; j++)
        if (*tensor_at4(weights, b, head.head, row, j) >
            *tensor_at4(weights, b, head.head, row, cell->at[3]))
            cell->at[3] = j;
    return true;
}

bool trace_path(const Trace *trace, TracePath *path, Error *err)
{
    TraceAnswer answer;
    TraceCell *cells = path->cells;
    *path = (TracePath){.count = TRACE_PATH_MAX};
    if (trace->scenario->layers < 2)
        return error_set(err, TELL(PATH_ONE_LAYER));
    if (trace->scenario->options.cached > 0)
        return error_set(err, TELL(PATH_CACHED), trace->scenario->options.cached);
    if (!trace_answer(trace, &answer))
        return error_set(err, TELL(PATH_NO_ANSWER));
    ptrdiff_t b = answer.at[0];
    path->later = largest_share(trace, &answer);
    if (!most_read(trace, path->later, &path->earlier, err))
        return false;
    cells[0] = (TraceCell){.tensor = trace_find(trace, "logits")};
    memcpy(cells[0].at, answer.at, sizeof answer.at);
    int score = find_step(trace, path->later.layer, "score", NULL);
    int ids = trace_find(trace, "input_ids");
    if (!largest_weight(trace, path->later, b, answer.at[2], &cells[1]) || score < 0 || ids < 0)
        return error_set(err, TELL(PATH_NO_ANSWER));
    ptrdiff_t key = cells[1].at[3];
    int keys = trace->steps[score].reads[1];
    ptrdiff_t sharing =
        trace->tensors[cells[1].tensor].tensor.shape[1] / trace->tensors[keys].tensor.shape[1];
    cells[2] = (TraceCell){keys, {b, path->later.head / sharing, key, 0}};
    if (!largest_weight(trace, path->earlier, b, key, &cells[3]))
        return error_set(err, TELL(PATH_NO_ANSWER));
    cells[4] = (TraceCell){ids, {b, cells[3].at[3]}};
    return true;
}
