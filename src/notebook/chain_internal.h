// Shared by the files that read a dump by its numbers (chain.h).
#ifndef CHAIN_INTERNAL_H
#define CHAIN_INTERNAL_H

#include "chain.h"

enum {
    CHAIN_LINEARS_MAX = 512,
    CHAIN_BIASES_MAX = 128,
    CHAIN_ROWS_MAX = 2000,
    CHAIN_INPUTS_MAX = 24, // rows of which products with weights are computed
    CHAIN_NORMS_MAX = 12,  // norms of inputs that are not in the dump
    CHAIN_TENSORS_MAX = DUMP_TENSORS_MAX + CHAIN_NORMS_MAX,
    CHAIN_MAPS_MAX = 16, // of one attention
    CHAIN_ATTENTIONS_MAX = 32,
    CHAIN_READINGS_MAX = 6, // of a map
};

// Budgets in multiplications: for each kind of search, for one search, and for all of them.
static const double chain_work_most = 1e8, chain_work_of_one = 2e7, chain_work_of_all = 4e8;

typedef struct ChainTensor {
    const char *name;
    char role; // 'q', 'k', 'v' or 'o' if the name says so; 0
    int rank;
    ptrdiff_t shape[TENSOR_RANK_MAX], count;
    const double *at;
    double largest; // of its finite numbers, without sign
    bool is_number; // float32
    bool is_flags;  // 0 and 1, and nothing else
    bool is_fill;   // 0 and numbers far below every score: a mask that is added
    bool is_shares; // every row sums to 1, as weights do
    ptrdiff_t
        heads; // of lengths of texts, which are read as flags (B, L) of pads: how often each stands; else 0
} ChainTensor;

// The length of the last axis; 1 for a number alone, which has none.
static inline ptrdiff_t chain_width_of(const ChainTensor *one)
{
    return one->rank > 0 ? one->shape[one->rank - 1] : 1;
}

// How a weight lies in its tensor: (out, in) or (in, out); stacked (N, in, out); (in, H, d), (H, d, in) or (H, in, d);
// or joined inside each head, (H, 3, d), (H, d, 3) or (d, 3, H).
typedef enum ChainLayout {
    CHAIN_FLAT,
    CHAIN_STACKED,
    CHAIN_HEADS_INSIDE,
    CHAIN_HEADS_BEFORE,
    CHAIN_HEADS_APART,
    CHAIN_IN_EACH_HEAD,
} ChainLayout;

// A weight, or the part of a joined one (in_proj, c_attn) for q, k or v.
typedef struct ChainLinear {
    int tensor;
    bool by_columns;          // y = x W; else y = x W^T
    ptrdiff_t first, out, in; // outputs first ... first + out - 1 of the tensor's
    int bias;                 // the one that goes with it by its name; -1: none
    ChainLayout layout;
    ptrdiff_t base, run, by_run, by_out, by_in; // where its numbers start; steps (chain_weight)
} ChainLinear;

// A bias, or a part of a joined one, which lies as its weight's part does.
typedef struct ChainBias {
    int tensor;
    ptrdiff_t first, size, run, by_run, by_out;
    const double *at;
} ChainBias;

// A row for each token: a tensor of the dump, or a product of an input with a weight.
typedef struct ChainRows {
    int tensor;                           // of the dump; -1: computed
    ptrdiff_t batch, length, width, b, l; // steps from sequence to sequence, from token to token
    ptrdiff_t appended; // of the length, tokens behind the text's (add_bias_kv, add_zero_attn)
    int base,
        behind; // of those: the rows of the text; the first token, then zeros; -1: zeros alone
    const double *joined; // numbers of such rows, once they are asked for
    ptrdiff_t
        first; // column of the tensor where they begin, of a head's part of it (chain_part_contexts)
    bool is_part;             // of such a head
    int taker;                // of a part, the attention that it is the context of; -1
    ptrdiff_t skipped;        // tokens before the first one: q may be kept of the last ones alone
    bool is_turned;           // (L, B, D)
    ptrdiff_t heads, h, e;    // of a tensor with an axis of heads, and its steps; 0: there is none
    int tier;                 // 1: of the dump; 2: as weights are usually used; 3: otherwise
    int source, linear, bias; // what it is a product of; -1
    double times;             // how often the bias is added
} ChainRows;

// How columns become heads and back. CHAIN_TILED repeats shared heads as 0 1 0 1.
typedef enum ChainSplit {
    CHAIN_IN_RUNS,
    CHAIN_BY_VIEW,
    CHAIN_IN_TURN,
    CHAIN_SPLITS,
    CHAIN_TILED
} ChainSplit;

typedef struct ChainHeads {
    const double *at, *bias;
    ptrdiff_t b, h, l, e, width, row,
        group;       // steps; numbers of a head; columns; heads that share one
    ptrdiff_t tiles; // heads of CHAIN_TILED; 0: another split
} ChainHeads;

static inline ptrdiff_t chain_head_place(const ChainHeads *heads, ptrdiff_t b, ptrdiff_t h,
                                         ptrdiff_t l)
{
    ptrdiff_t own = heads->tiles > 0 ? h % heads->tiles : h / heads->group;
    return b * heads->b + own * heads->h + l * heads->l;
}

static inline double chain_head(const ChainHeads *heads, ptrdiff_t b, ptrdiff_t h, ptrdiff_t l,
                                ptrdiff_t e)
{
    ptrdiff_t at = chain_head_place(heads, b, h, l) + e * heads->e;
    return heads->at[at] + (heads->bias ? heads->bias[at % heads->row] : 0.0);
}

// What is odd about a rotation: its direction, a plus for the minus, sine and cosine exchanged, the head in place of the
// token, the token after it.
typedef enum ChainOdd {
    CHAIN_NOT_ODD,
    CHAIN_BACK,
    CHAIN_UNSIGNED,
    CHAIN_EXCHANGED,
    CHAIN_BY_HEAD,
    CHAIN_LATER,
} ChainOdd;

// RoPE.
typedef struct ChainTurn {
    bool is_turned, is_in_pairs; // pairs 2 e and 2 e + 1; else e and e + numbers / 2
    ChainOdd odd;
    ptrdiff_t numbers; // of a head that are turned
    ptrdiff_t start;   // the first token's place
    double base;
} ChainTurn;

// Cosine and sine for each place and pair of numbers.
typedef struct ChainAngles {
    double base;
    ptrdiff_t numbers, places;
    const double *at;
} ChainAngles;

enum { CHAIN_ANGLES_MAX = 128 };

// Order of a map's axes.
typedef enum ChainOrder { CHAIN_BHQK, CHAIN_BHKQ, CHAIN_BQHK, CHAIN_QKBH } ChainOrder;

// A tensor read as (batch, heads, queries, keys). `first` is, for each of its numbers, the one of its row
// (or column) from which differences are taken; itself where there are none; -1: of no use.
typedef struct ChainMap {
    int tensor;
    ChainOrder order;
    ptrdiff_t batch, heads, queries, keys, count;
    ptrdiff_t appended; // of the keys, those behind the text's (add_bias_kv, add_zero_attn)
    const double *at;
    double *value;
    ptrdiff_t *first;
} ChainMap;

// Where number n of a map stands: batch, head, query and key.
typedef struct ChainAt {
    ptrdiff_t b, h, i, j;
} ChainAt;

static inline ChainAt chain_at(const ChainMap *map, ptrdiff_t n)
{
    ptrdiff_t row = n / map->keys, head = row / map->queries;
    return (ChainAt){head / map->heads, head % map->heads, row % map->queries, n % map->keys};
}

typedef enum ChainAxis {
    CHAIN_NO_AXIS,
    CHAIN_KEYS,
    CHAIN_QUERIES,
    CHAIN_HEADS,
    CHAIN_SEQUENCES
} ChainAxis;

typedef enum ChainMapKind { CHAIN_PLAIN, CHAIN_MASKED, CHAIN_ADDED } ChainMapKind;

// Scores of the dump.
typedef struct ChainScores {
    ChainMap map;
    ChainMapKind kind;
    double factor;
    int changes; // of the attention's, the first ones
    double fill; // MASKED: what stands where a key is hidden; ADDED: what is added where it is not
    const bool *is_hidden;
} ChainScores;

typedef enum ChainForm {
    CHAIN_SOFTMAX,
    CHAIN_TWICE,
    CHAIN_MASKED_AFTER,
    CHAIN_DROPPED,
    CHAIN_TIMES,
    CHAIN_AVERAGED,
    CHAIN_ZEROED,      // keys that should be hidden got the score 0
    CHAIN_ONE_ADDED,   // or 1 more, as others may
    CHAIN_NO_EXP,      // scores by their sum
    CHAIN_NO_SOFTMAX,  // the scores themselves
    CHAIN_NOT_DIVIDED, // exp of the scores
    CHAIN_WITH_SINKS,  // right, in ways of other models
} ChainForm;

// A change of scaled scores before softmax: cap * tanh(score / cap); a slope times the distance (ALiBi); an added
// tensor; q times a vector for the distance (Shaw).
typedef enum ChainChangeKind {
    CHAIN_UNCHANGED,
    CHAIN_CAPPED,
    CHAIN_SLOPED,
    CHAIN_BIASED,
    CHAIN_RELATIVE,
} ChainChangeKind;

typedef struct ChainChange {
    ChainChangeKind kind;
    double cap, factor; // RELATIVE: of the scores
    const double *slopes;
    bool is_signed; // the distance
    int tensor;     // -1
} ChainChange;

enum { CHAIN_CHANGES_MAX = 3, CHAIN_MASKS_MAX = 32 };

// Candidates for a map's mask; NULL: none.
typedef struct ChainMasks {
    int tensor, count;
    ChainOrder order;
    ptrdiff_t heads, batch;
    const bool *is_hidden[CHAIN_MASKS_MAX];
} ChainMasks;

typedef enum ChainNorm { CHAIN_NO_NORM, CHAIN_BY_ROOT_MEAN_SQUARE, CHAIN_BY_DEVIATION } ChainNorm;

// RMSNorm or LayerNorm. `gain` and `shift` are tensors of the dump; -1: none.
typedef struct ChainEven {
    ChainNorm norm;
    double eps;
    int gain, shift;
    bool is_unbiased; // the deviation is that of width - 1 numbers
    bool is_squared;  // wrong: it divides by the square of what it should
} ChainEven;

enum { CHAIN_EPS = 3 };
static const double chain_eps[CHAIN_EPS] = {1e-5, 1e-6, 0.0}; // smaller ones are as 0 here

typedef struct ChainAttention {
    int q, k, v; // rows; -1: not found
    ChainSplit split, v_split, merge;
    int apart;       // attentions of one head that belong together; 0: it has all heads
    bool is_stacked; // those heads' numbers are joined in turn
    int stacked;     // a tensor that is joined so; -1
    bool is_coarse;  // the numbers are of half precision
    ptrdiff_t heads, width, model; // numbers of a head, of the input; 0: it is not known
    ChainHeads q_heads, k_heads;
    double *products; // q k^T
    int score_count;
    ChainScores scores[CHAIN_MAPS_MAX];
    ChainMap weights; // tensor -1: not in the dump
    ChainForm form;
    ChainAxis axis;
    double factor, times; // of the scores in the weights; of the weights, for DROPPED and TIMES
    int over;             // the scores of the dump that softmax takes; -1: those that are not there
    ChainTurn turn[2];    // of q and k
    ChainEven even[2];    // before they are turned
    int change_count;
    ChainChange changes[CHAIN_CHANGES_MAX];
    const double *changed; // scores after all changes; NULL: there is none
    double changed_factor; // of the scores before them
    int sinks;             // a score of each head that gets a share and no key; -1: it is 0
    const bool *is_hidden; // as the weights have it; NULL: nothing is
    const double *mixed;   // weights for each head, as v is mixed with them
    bool is_dropped;       // some of them are dropped before, which are in the dump whole
    bool is_mean_of_twice; // AVERAGED: softmax is applied twice before
    bool is_mixed_turned;  // they are transposed before
    int context, context_heads, output; // tensors; -1
    int out_linear, out_bias;
} ChainAttention;

typedef struct ChainProjection {
    int tensor, source, linear, bias; // -1: no bias
    double times, factor;             // of the bias; of all of it
} ChainProjection;

// Where a tensor of heads came from, and what was done to it.
typedef struct ChainOrigin {
    int from; // -1: not known
    ChainSplit split;
    ChainEven even;
    ChainTurn turn;
    double times;
} ChainOrigin;

// A product that the dump lacks. Blocks of its rows are computed when they are asked for.
typedef struct ChainProduct {
    double *at; // NULL: none is
    bool *is_made, is_whole;
} ChainProduct;

typedef struct ChainFinder {
    const ChainAsk *ask;
    Arena *arena, *kept; // of what is tried; of what stays
    Arena tried[2];      // of guesses, and of contexts in them: emptied after each
    Error *err;
    int count;
    ChainTensor tensors[CHAIN_TENSORS_MAX];
    int linear_count, bias_count, row_count, input_count, projection_count, attention_count;
    ChainLinear linears[CHAIN_LINEARS_MAX];
    ChainBias biases[CHAIN_BIASES_MAX];
    ChainRows rows[CHAIN_ROWS_MAX];
    int inputs[CHAIN_INPUTS_MAX]; // rows
    ChainProduct products[CHAIN_INPUTS_MAX][CHAIN_LINEARS_MAX];
    ChainProjection projections[CHAIN_TENSORS_MAX];
    int projection_of[CHAIN_TENSORS_MAX]; // -1
    ChainOrigin origins[CHAIN_TENSORS_MAX];
    int transpose_of
        [CHAIN_TENSORS_MAX]; // weights with keys before queries, beside the weights themselves; -1
    bool is_explained[CHAIN_TENSORS_MAX]; // what it is has been found
    ChainAttention attentions[CHAIN_ATTENTIONS_MAX];
    double work, most; // done; when a search gives up
    double scale; // of budgets: products of large layers cost more, and there are not more of them
    double *line; // twice as long as any axis
    double *column; // numbers of a weight, from `column_of` on
    const double *column_of;
    ptrdiff_t column_count;
    ChainMasks masks;
    double grain;        // how many times as coarse as float32's the numbers are
    bool has_batch;      // the input has an axis of sequences
    bool is_of_one_text; // it is read as if it had none
    bool is_normed;      // norms of inputs are tried that are not in the dump
    int norm_count;      // of these, which stand as tensors behind those of the dump
    struct {
        int of;
        ChainEven even;
    } norms[CHAIN_NORMS_MAX];
    int angle_count;
    ChainAngles angles[CHAIN_ANGLES_MAX];
    bool is_given_up;
    bool is_by_names;          // only pairs are tried that are called q and k: most dumps have them
    bool is_quick;             // changes of the scores are not tried
    int changes_most;          // of scores that are tried at once
    int first_tier, last_tier; // of rows that are tried as q and k
    int only_v;                // the row that is tried as v; -1: all
} ChainFinder;

// Numbers, or flags, of what is tried; NULL with an error.
static inline double *chain_take(ChainFinder *finder, ptrdiff_t count)
{
    return arena_take(finder->arena, (size_t)count, sizeof(double), finder->err);
}

static inline bool *chain_take_flags(ChainFinder *finder, ptrdiff_t count)
{
    return arena_take(finder->arena, (size_t)count, sizeof(bool), finder->err);
}

static inline double chain_share(const ChainFinder *finder)
{
    return (finder->ask->share > 0.0 ? finder->ask->share : 1.0) * finder->scale;
}

static inline double chain_most_work(const ChainFinder *finder)
{
    return chain_work_most * chain_share(finder);
}

// Fills of masked scores are below -chain_fill; no number of q, k or v is as large.
static const double chain_fill = 5e3;

// Tolerance of a factor.
static const double factor_off = 4e-3, factor_off_of_halves = 1.2e-2;

// The tensor of the dump; of a norm that is not in it, what is normalised.
static inline int chain_dumped(const ChainFinder *finder, int tensor)
{
    return tensor < finder->count ? tensor : finder->norms[tensor - finder->count].of;
}

// True if two numbers are equal within rounding, in a tensor whose largest is `largest`.
bool chain_near(const ChainFinder *finder, double a, double b, double largest);
double chain_largest(const double *at, ptrdiff_t count);

// Fills tensors, weights and rows; finds projections.
bool chain_read(ChainFinder *finder, const Dump *dump);
void chain_project(ChainFinder *finder);
void chain_add_rows(ChainFinder *finder, ChainRows rows);

// Rows without appended tokens.
static inline int chain_text_rows(const ChainFinder *finder, int row)
{
    return row >= 0 && finder->rows[row].appended > 0 ? finder->rows[row].base : row;
}

// How many of these keys are appended.
ptrdiff_t chain_appended(const ChainFinder *finder, ptrdiff_t keys);

bool chain_is_its_bias(const char *weight, const char *bias);
int chain_likeness(const char *a, const char *b); // of names: how much they begin and end alike

// Adds products that the dump lacks, and rows with one or two appended tokens where a map has as many keys.
void chain_derive(ChainFinder *finder);

const double *chain_bias(const ChainFinder *finder, int bias);

// True if a bias fits a weight's size and layout.
bool chain_could_be_its(const ChainFinder *finder, int bias, const ChainLinear *linear);

// The weight's row for output o, with stride by_in.
const double *chain_weight(const ChainFinder *finder, const ChainLinear *linear, ptrdiff_t o);

// The sum of products, in no order that is stated.
double chain_dot(const double a[], const double b[], ptrdiff_t count);

void chain_add_times(double sums[], double times, const double numbers[], ptrdiff_t count);

// The numbers of a head side by side, token by token.
void chain_take_head(const ChainHeads *heads, ptrdiff_t b, ptrdiff_t h, ptrdiff_t length,
                     double numbers[]);

// The product of a row with the weight's numbers for output o; products of one o and many rows are fastest.
double chain_product(ChainFinder *finder, const double x[], const ChainLinear *linear, ptrdiff_t o);

// The numbers of rows, of which a product is computed once; NULL with an error. The same with only the `count` numbers
// from `place` on sure to be there. One number alone; NaN with an error.
const double *chain_numbers(ChainFinder *finder, int row);
const double *chain_numbers_at(ChainFinder *finder, int row, ptrdiff_t place, ptrdiff_t step,
                               ptrdiff_t count);
double chain_number(ChainFinder *finder, int row, ptrdiff_t place);

// Splits rows into heads of `width` numbers (0: columns / heads). False if that cannot be. The first tells places only.
bool chain_split_places(const ChainFinder *finder, int rows, ChainSplit split, ptrdiff_t heads,
                        ptrdiff_t width, ChainHeads *out);
bool chain_split(ChainFinder *finder, int rows, ChainSplit split, ptrdiff_t heads, ptrdiff_t width,
                 ChainHeads *out);

void chain_attend(ChainFinder *finder);
void chain_clear(ChainAttention *attention);
int chain_readings(ChainFinder *finder, int tensor, ChainMap out[CHAIN_READINGS_MAX]);

// Size and stride of an axis.
ptrdiff_t chain_step(const ChainMap *map, ChainAxis axis, ptrdiff_t *size);

// Fits log(weights) = factor * scores, up to a constant for each row.
bool chain_fit_logarithms(ChainFinder *finder, const ChainMap *map, const double *scores,
                          double *factor);

const ChainChange *chain_change_of(const ChainAttention *attention, ChainChangeKind kind);

// The changed scores, or products times a factor.
double *chain_known_scores(ChainFinder *finder, const ChainAttention *attention, ptrdiff_t count,
                           double factor);

// Changes the known scores, products times the factor, once or twice until they fit a map: until `fits`.
typedef bool ChainFits(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                       const double *scores, const bool *is_hidden);
typedef struct ChainWanted {
    double factor;
    ChainFits *fits;
    const bool *is_hidden;
    bool is_weights; // the map, which is made of the scores; else it is these scores
} ChainWanted;
bool chain_find_change(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                       const ChainWanted *wanted);

// Adds a tensor of the dump to scores. False if it does not fit.
bool chain_is_biased(ChainFinder *finder, const ChainMap *map, int tensor, double scores[]);

// A sample of a map, which refuses most pairs of q and k.
typedef struct ChainSamples ChainSamples;
const ChainSamples *chain_take_samples(ChainFinder *finder, const ChainMap *map);
bool chain_fits_a_sample(ChainFinder *finder, const ChainMap *map, const ChainSamples *samples,
                         const ChainHeads *q, const ChainHeads *k);

// Heads that are made even, if `even` has a norm, and then turned, if `turn` says so.
typedef struct ChainSide {
    const ChainHeads *heads;
    ChainTurn turn;
    const ChainEven *even;
} ChainSide;

// The same with the first few numbers of a sample, for q and k that are made so.
bool chain_fits_few(ChainFinder *finder, const ChainMap *map, const ChainSamples *samples,
                    const ChainSide sides[2]);

// Normalises one row or head.
void chain_make_even(const ChainFinder *finder, const ChainEven *even, ptrdiff_t width,
                     double numbers[]);

// The next norm of rows this wide, after CHAIN_NO_NORM; false after the last.
bool chain_next_even(const ChainFinder *finder, ptrdiff_t width, ChainEven *even);
// Adds norms of a tensor with a gain of the dump: with a shift LayerNorm, of two kinds; else RMSNorm, or LayerNorm
// without a bias. False with an error.
bool chain_add_norms_of(ChainFinder *finder, int of, int gain);

bool chain_is_gain(const ChainFinder *finder, int tensor,
                   ptrdiff_t width); // of a norm, by its name
bool chain_is_vector(const ChainFinder *finder, int tensor, ptrdiff_t size);

// Reads a map as scores of known q and k.
bool chain_explain_scores(ChainFinder *finder, ChainAttention *attention, const ChainMap *map);

// Fits a map to scores times a factor, but for hidden keys. Finds the q and k of a map.
bool chain_fit_scores(ChainFinder *finder, const ChainMap *map, const double *scores,
                      ChainScores *made);
bool chain_find_pair(ChainFinder *finder, const ChainMap *map, ChainAttention *made);

// q k^T.
double *chain_multiply(ChainFinder *finder, const ChainMap *map, const ChainHeads *q,
                       const ChainHeads *k);

// True if they stay the same with q and k exchanged: then only names tell which is which.
bool chain_is_symmetric(const ChainFinder *finder, const ChainAttention *attention);

// Finds all scores and weights of known q and k, shaped like `first`.
void chain_explain_maps(ChainFinder *finder, ChainAttention *attention, const ChainMap *first);

void chain_explain_all_scores(ChainFinder *finder, ChainAttention *attention);

bool chain_is_same(const ChainFinder *finder, int a, int b);

// True if q and k are one tensor, read in two ways.
bool chain_are_one(const ChainFinder *finder, int q, int k);

// Marks transposed copies of weights.
void chain_mark_transposes(ChainFinder *finder);

// Finds context and output. Weights whose columns sum to 1 may be transposed right ones, by names or the context.
void chain_mix_or_turn(ChainFinder *finder, ChainAttention *attention);

// Role by the name of the rows' weight, or their own; 0.
char chain_role(const ChainFinder *finder, int row);
int chain_linear_of(const ChainFinder *finder, int row);
int chain_source_of(const ChainFinder *finder,
                    int row); // the rows that their weight multiplies; -1
bool chain_is_of_text(const ChainFinder *finder, int row, int other); // as far as is known
bool chain_could_be_weights(const ChainMap *map);

// True if a tensor has another's numbers divided by the sum of their row.
bool chain_is_divided(const ChainFinder *finder, const ChainTensor *one, const ChainTensor *other,
                      ptrdiff_t keys);

// Reads a map as weights in a rarer way: softmax twice, capped or biased scores, and so on.
bool chain_explain_weights(ChainFinder *finder, ChainAttention *attention, const ChainMap *map);

// The way-th kind of RoPE; false after the last. Heads rotated so.
bool chain_next_turn(ptrdiff_t width, int way, ChainTurn *turn);
bool chain_turn_head(ChainFinder *finder, const ChainTurn *turn, ptrdiff_t head, ptrdiff_t token,
                     double numbers[]);
double *chain_turn_heads(ChainFinder *finder, const ChainTurn *turn, ptrdiff_t batch,
                         ptrdiff_t length, ptrdiff_t heads, ChainHeads *of);

// Guesses in four stages: the weights' mean; q and k rotated; changed scores; q and k normalised and rotated.
void chain_guess(ChainFinder *finder, int stage);

// Where a tensor, aligned at its last axis, has a map's number. False if it does not fit. `by_keys`: its axes are batch
// and keys.
bool chain_place(const ChainTensor *tensor, const ChainMap *map, bool by_keys, ChainAt at,
                 ptrdiff_t *place);

// The way-th candidate for a mask: none, causal, those of the dump. False after the last; NULL if nothing is hidden.
bool chain_next_mask(ChainFinder *finder, const ChainMap *map, int way, const bool **is_hidden);

// Softmax in place, by the attention's axis, form and mask.
void chain_softmax(ChainFinder *finder, const ChainMap *shape, const ChainAttention *attention,
                   double numbers[]);

bool chain_has_part(const char *name, const char *part); // in any case

// True if two products may be of one attention; and if they are so in the usual way: one input, weights alike.
bool chain_go_together(const ChainFinder *finder, int a, int b);
bool chain_are_alike(const ChainFinder *finder, int a, int b);

// Makes unknown weights. Finds contexts, with v of the first tiers; their projection; the output of heads, or of no
// context.
bool chain_take_weights(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape);
void chain_find_contexts(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                         int tiers);
void chain_find_projected(ChainFinder *finder, ChainAttention *attention);
void chain_find_merged(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape);
bool chain_find_output(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                       int ways);

// True if two attentions have the same q and k, so that their weights differ by what was done after softmax.
static inline bool chain_are_of_one(const ChainAttention *one, const ChainAttention *other)
{
    return one != other && one->q == other->q && one->k == other->k;
}

static inline bool chain_has_result(const ChainAttention *attention)
{
    return attention->context >= 0 || attention->output >= 0;
}

// True if the dump has these weights as dropout has thinned them, too.
bool chain_has_thinned(const ChainFinder *finder, const ChainAttention *attention);

// Finds the context or output of weights that dropout thins after they were dumped.
void chain_find_dropped(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape);

bool chain_is_context(ChainFinder *finder, const ChainAttention *attention, int row);

// A list of heads: cuts joined contexts into parts; finds the output of all.
void chain_part_contexts(ChainFinder *finder);
void chain_find_output_of_parts(ChainFinder *finder);

// Tries the ways to mix the values `finder->only_v`; the usual ones, or wrong ones.
bool chain_mix_named(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                     bool is_odd);

// True if each query takes one value alone, so that a context is a copy of the values, whatever q and k are.
bool chain_copies_values(const double *weights, const ChainMap *shape);

// Guesses by names, where the dump has neither scores nor weights.
void chain_guess_named(ChainFinder *finder);

// Guesses where the dump has only the output.
void chain_guess_output(ChainFinder *finder);

#endif
