// A dump read by its numbers. Attention is computed here by loops of its own, in double precision, under names
// that say nothing, with one thing wrong at a time.
#include "chain.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { B = 2, L = 4, D = 6, H = 2, W = 3 };

typedef enum Wrong {
    NOTHING,
    NO_SCALE,
    SCALE_D_K,
    SCALE_D_MODEL,
    SPLIT_BY_VIEW,
    SPLIT_IN_TURN,
    Q_UNTURNED,
    K_BY_Q,
    V_IS_K,
    OVER_QUERIES,
    OVER_HEADS,
    TWICE,
    AFTER,
    MASK_DIAGONAL,
    MASK_PAST,
    MASK_INVERTED,
    NO_MASK,
    MERGED,
    NO_PROJECTION,
    NO_EXP,
    NO_SOFTMAX,
    SCALE_TWICE, // q is dumped scaled
    K_IS_V,      // and v is k, out of a joined weight
    OUT_UNTURNED,
    OUT_DOUBLED, // of no known kind
    V_TURNED,
    STACKED, // the rest is right: weights (3, D, D)
    ZEROED,
    CAPPED, // the rest is right, in ways of other models
    SLOPED,
    TURNED,
    Q_TURNED,
    ADDED,    // a mask of 0 and 1
    FAR,      // ALiBi with the wrong sign
    WINDOW,   // the rest is right: only a query's own key and the one before it are seen
    UNSCALED, // with a bias of the scores, as in T5
    SINKS,    // a score of each head gets a share of its own
    TALKING,  // each head's scores are mixed with the other's
    NOT_DIVIDED,
    RELATIVE, // a vector for each distance stands beside the key
} Wrong;

typedef struct How {
    Wrong wrong;
    bool causal;
    double fill;     // of masked scores
    bool short_dump; // no q, k, v and scores
    bool by_columns; // y = x W
    ChainSlip slip;
} How;

static Dump dump;
static Chain chain;
static Arena arena;
static uint32_t state;

// Numbers between -1 and 1 (a linear congruence, Numerical Recipes).
static double draw(void)
{
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / 8388608.0 - 1.0;
}

static float *add(int rank, const ptrdiff_t shape[])
{
    static const char *const names[] = {"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7",
                                        "t8", "t9", "ta", "tb", "tc", "td", "te", "tf"};
    Error err;
    DumpTensor *one = &dump.tensors[dump.count];
    *one = (DumpTensor){.name = names[dump.count++], .number = -1};
    ck_assert(tensor_take(&arena, DTYPE_F32, rank, shape, &one->tensor, &err));
    return one->tensor.storage.f32;
}

static void add_numbers(int rank, const ptrdiff_t shape[], const double numbers[])
{
    ptrdiff_t count;
    ck_assert(tensor_count_of(rank, shape, &count));
    float *made = add(rank, shape);
    for (ptrdiff_t i = 0; i < count; i++)
        made[i] = (float)numbers[i];
}

static double x[B][L][D], weight[4][D][D], rows[3][B][L][D], heads[3][B][H][L][W];
static double scores[B][H][L][L], masked[B][H][L][L], weights[B][H][L][L], context[B][L][D],
    output[B][L][D];

static void project(const How *how, int number, double out[B][L][D])
{
    int by = how->wrong == K_BY_Q && number == 1 ? 0 : number;
    bool turned = how->by_columns != (how->wrong == Q_UNTURNED && number == 0);
    by = how->wrong == K_IS_V && number > 0 ? 3 - number : by;
    double scale = how->wrong == SCALE_TWICE && number == 0 ? 1.0 / sqrt((double)W) : 1.0;
    for (int b = 0; b < B; b++)
        for (int l = 0; l < L; l++)
            for (int o = 0; o < D; o++) {
                out[b][l][o] = 0.0;
                for (int c = 0; c < D; c++)
                    out[b][l][o] +=
                        scale * x[b][l][c] * (turned ? weight[by][c][o] : weight[by][o][c]);
            }
}

static void split(const How *how, int number)
{
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++)
            for (int l = 0; l < L; l++)
                for (int e = 0; e < W; e++) {
                    int flat = (h * L + l) * W + e;
                    heads[number][b][h][l][e] =
                        how->wrong == SPLIT_BY_VIEW   ? rows[number][b][flat / D][flat % D]
                        : how->wrong == SPLIT_IN_TURN ? rows[number][b][l][e * H + h]
                                                      : rows[number][b][l][h * W + e];
                }
}

static bool is_hidden(const How *how, int i, int j)
{
    return how->causal && how->wrong != NO_MASK && how->wrong != AFTER &&
           (how->wrong == MASK_DIAGONAL   ? j >= i && j > 0
            : how->wrong == MASK_PAST     ? j < i
            : how->wrong == MASK_INVERTED ? j <= i
            : how->wrong == WINDOW        ? j > i || j + 1 < i
                                          : j > i);
}

// A head's rows turned by their places: place l and pair p by l / 10000^(p / pairs).
static void turn(const How *how, int number)
{
    bool is_turned = how->wrong == TURNED || (how->wrong == Q_TURNED && number == 0) ||
                     (how->wrong == V_TURNED && number == 2);
    for (int n = 0; n < B * H * L && is_turned; n++) {
        double *e = &heads[number][0][0][0][0] + n * W, angle = n % L;
        double first = e[0], second = e[1]; // of three numbers two are turned
        e[0] = first * cos(angle) - second * sin(angle);
        e[1] = second * cos(angle) + first * sin(angle);
    }
}

// A bias for each head and distance.
static double bias_of(int h, int far)
{
    return sin(3.0 * h + 2.0 * far);
}

static double changed(const How *how, double scaled, int h, int far)
{
    return how->wrong == CAPPED     ? 5.0 * tanh(scaled / 5.0)
           : how->wrong == SLOPED   ? scaled - (h == 0 ? 0.25 : 0.0625) * far
           : how->wrong == UNSCALED ? scaled + bias_of(h, far)
           : how->wrong == ADDED    ? scaled + (far >= 0)
           : how->wrong == FAR      ? scaled + (h == 0 ? 0.25 : 0.0625) * far
                                    : scaled;
}

static void score(const How *how)
{
    for (int i = 0; i < 3; i++)
        if (i < 2 || how->wrong == V_TURNED)
            turn(how, i);
    double divisor = how->wrong == NO_SCALE        ? 1.0
                     : how->wrong == UNSCALED      ? 1.0
                     : how->wrong == SCALE_D_K     ? (double)W
                     : how->wrong == SCALE_D_MODEL ? sqrt((double)D)
                                                   : sqrt((double)W);
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++)
            for (int i = 0; i < L; i++)
                for (int j = 0; j < L; j++) {
                    double sum = 0.0;
                    for (int e = 0; e < W; e++)
                        sum += heads[0][b][h][i][e] * heads[1][b][h][j][e];
                    scores[b][h][i][j] = sum / divisor;
                    masked[b][h][i][j] = how->wrong == ZEROED && j > i ? 0.0
                                         : is_hidden(how, i, j)
                                             ? how->fill
                                             : changed(how, sum / divisor, h, i - j);
                }
}

// weights[...][n] over n places `step` apart, from the first one on.
// What the kinds that are right in other models' ways have beside the weights.
static const double sinks[H] = {0.7, -0.4}, talk[H][H] = {{1.0, 0.5}, {-0.25, 0.75}};
enum { FAR_AWAY = 2 };

static double relative(int far, int e)
{
    return cos(2.0 * far + e);
}

static void change_scores(const How *how)
{
    for (int n = 0; n < B * L * L; n++) {
        int b = n / L / L, i = n / L % L, j = n % L;
        int far = j - i < -FAR_AWAY ? -FAR_AWAY : j - i > FAR_AWAY ? FAR_AWAY : j - i;
        double first = masked[b][0][i][j], second = masked[b][1][i][j];
        for (int h = 0; h < H; h++) {
            if (how->wrong == TALKING)
                masked[b][h][i][j] = talk[h][0] * first + talk[h][1] * second;
            for (int e = 0; e < W && how->wrong == RELATIVE; e++)
                masked[b][h][i][j] += heads[0][b][h][i][e] * relative(far, e) / sqrt((double)W);
        }
    }
}

static void share_with_sink(double row[], double sink)
{
    double sum = exp(sink);
    for (int j = 0; j < L; j++)
        sum += row[j] = exp(row[j]);
    for (int j = 0; j < L; j++)
        row[j] /= sum;
}

static void softmax(double *first, int n, int step)
{
    double largest = -INFINITY, sum = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, first[i * step]);
    for (int i = 0; i < n; i++)
        sum += first[i * step] = exp(first[i * step] - largest);
    for (int i = 0; i < n; i++)
        first[i * step] /= sum;
}

static void share(double row[], int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += row[i];
    for (int i = 0; i < n; i++)
        row[i] /= sum;
}

static void raise_all(double row[], int n)
{
    double largest = -INFINITY;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, row[i]);
    for (int i = 0; i < n; i++)
        row[i] = exp(row[i] - largest);
}

static void weigh(const How *how)
{
    memcpy(weights, masked, sizeof weights);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < H; h++)
            for (int i = 0; i < L; i++)
                if (how->wrong == OVER_QUERIES)
                    softmax(&weights[b][h][0][i], L, L);
                else if (how->wrong == SINKS)
                    share_with_sink(weights[b][h][i], sinks[h]);
                else if (how->wrong == NO_EXP)
                    share(weights[b][h][i], L);
                else if (how->wrong == NOT_DIVIDED)
                    raise_all(weights[b][h][i], L);
                else if (how->wrong != OVER_HEADS && how->wrong != NO_SOFTMAX)
                    softmax(weights[b][h][i], L, 1);
        for (int i = 0; i < L * L && how->wrong == OVER_HEADS; i++)
            softmax(&weights[b][0][0][0] + i, H, L * L);
        for (int h = 0; h < H; h++)
            for (int i = 0; i < L; i++) {
                if (how->wrong == TWICE)
                    softmax(weights[b][h][i], L, 1);
                for (int j = i + 1; j < L && how->wrong == AFTER; j++)
                    weights[b][h][i][j] = 0.0;
            }
    }
}

static void mix(const How *how)
{
    int of = how->wrong == V_IS_K ? 1 : 2;
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++)
            for (int i = 0; i < L; i++)
                for (int e = 0; e < W; e++) {
                    double sum = 0.0;
                    int flat = (h * L + i) * W + e;
                    for (int j = 0; j < L; j++)
                        sum += weights[b][h][i][j] * heads[of][b][h][j][e];
                    if (how->wrong == MERGED)
                        context[b][flat / D][flat % D] = sum;
                    else
                        context[b][i][h * W + e] = sum;
                }
}

static void make_output(const How *how)
{
    bool turned = how->by_columns != (how->wrong == OUT_UNTURNED);
    for (int b = 0; b < B; b++)
        for (int l = 0; l < L; l++)
            for (int o = 0; o < D; o++) {
                output[b][l][o] = how->wrong == NO_PROJECTION ? context[b][l][o] : 0.0;
                for (int c = 0; c < D && how->wrong != NO_PROJECTION; c++)
                    output[b][l][o] +=
                        context[b][l][c] * (turned ? weight[3][c][o] : weight[3][o][c]);
                if (how->wrong == OUT_DOUBLED)
                    output[b][l][o] *= output[b][l][o];
            }
}

static void attend(const How *how)
{
    static const ptrdiff_t token[] = {B, L, D}, pair[] = {B, H, L, L}, square[] = {D, D},
                           joined[] = {3 * D, D}, stacked[] = {3, D, D}, headed[] = {B, H, L, W};
    state = 7;
    for (int i = 0; i < B * L * D; i++)
        (&x[0][0][0])[i] = 2.0 * draw();
    for (int i = 0; i < 4 * D * D; i++)
        (&weight[0][0][0])[i] = draw();
    for (int i = 0; i < 3; i++) {
        project(how, i, rows[i]);
        split(how, i);
    }
    score(how);
    change_scores(how);
    weigh(how);
    mix(how);
    make_output(how);
    dump.count = 0;
    add_numbers(3, token, &output[0][0][0]);
    add_numbers(4, pair, &weights[0][0][0][0]);
    bool is_joined = how->wrong == K_IS_V || how->wrong == STACKED;
    for (int i = 3; i >= 0 && (!is_joined || i == 3); i--)
        add_numbers(2, square, &weight[i][0][0]);
    if (is_joined)
        add_numbers(how->wrong == STACKED ? 3 : 2, how->wrong == STACKED ? stacked : joined,
                    &weight[0][0][0]);
    if (how->wrong == K_IS_V)
        dump.tensors[dump.count - 1].name = "qkv.weight";
    if (how->wrong == V_TURNED)
        add_numbers(4, headed, &heads[2][0][0][0][0]);
    add_numbers(3, token, &x[0][0][0]);
    add_numbers(3, token, &context[0][0][0]);
    for (int i = 0; i < 3 && !how->short_dump; i++)
        add_numbers(3, token, &rows[i][0][0][0]);
    if (!how->short_dump)
        add_numbers(4, pair, &scores[0][0][0][0]);
    if (how->causal && !how->short_dump)
        add_numbers(4, pair, &masked[0][0][0][0]);
}

static void read_dump(const ChainAsk *ask)
{
    Error err = {.text = ""};
    ck_assert_msg(chain_find(&dump, ask, &chain, &arena, &err), "%s", err.text);
}

static const double inf = -INFINITY;

static void check(const How *how)
{
    attend(how);
    read_dump(&(ChainAsk){.is_causal = how->causal});
    ck_assert_msg(chain.slip == how->slip, "mistake %d is read as slip %d, not %d", how->wrong,
                  chain.slip, how->slip);
    ck_assert_int_eq(chain.heads, H);
    ck_assert_int_eq(chain.width, W);
    ck_assert(chain.has_weights && chain.has_output);
    arena_finish(&arena);
}

TEST(right_dumps_are_right_however_they_are_written)
{
    for (int i = 0; i < 16; i++)
        if (suite_takes(i, 1))
            check(&(How){.causal = i & 1,
                         .fill = i & 2 ? -1e9 : inf,
                         .short_dump = i & 4,
                         .by_columns = i & 8});
}

// RoPE, ALiBi and capped scores are not mistakes.
// A list of heads: every one has weights of its own, and their contexts stand side by side. 0: as it should be; 1: the
// last head mixes its values with the weights of the first one.
static void attend_in_a_list(int wrong, bool has_context, bool has_output)
{
    static const ptrdiff_t token[] = {B, L, D}, pair[] = {B, L, L}, square[] = {D, D},
                           part[] = {W, D};
    How how = {.causal = true, .fill = -INFINITY};
    attend(&how);
    if (wrong) {
        for (int b = 0; b < B; b++)
            for (int i = 0; i < L; i++)
                for (int e = 0; e < W; e++) {
                    context[b][i][(H - 1) * W + e] = 0.0;
                    for (int j = 0; j < L; j++)
                        context[b][i][(H - 1) * W + e] +=
                            weights[b][0][i][j] * heads[2][b][H - 1][j][e];
                }
        make_output(&how);
    }
    dump.count = 0;
    add_numbers(3, token, &x[0][0][0]);
    for (int h = 0; h < H; h++)
        for (int i = 0; i < 3; i++)
            add_numbers(2, part, &weight[i][h * W][0]);
    add_numbers(2, square, &weight[3][0][0]);
    for (int h = 0; h < H; h++) {
        float *map = add(3, pair);
        for (int n = 0; n < B * L * L; n++)
            map[n] = (float)(&weights[n / L / L][h][0][0])[n % (L * L)];
    }
    if (has_context)
        add_numbers(3, token, &context[0][0][0]);
    if (has_output)
        add_numbers(3, token, &output[0][0][0]);
    read_dump(&(ChainAsk){.is_causal = true, .heads = H});
    arena_finish(&arena);
}

TEST(a_list_of_heads_is_read_as_one_attention)
{
    for (int has = 1; has < 4; has++) {
        attend_in_a_list(0, has & 1, has & 2);
        ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
        ck_assert_int_eq(chain.gap, has == 1 ? CHAIN_GAP_CONTEXT : CHAIN_NO_GAP);
        ck_assert_int_eq(chain.heads, H);
        ck_assert_int_eq(chain.left_count, 0);
        ck_assert(chain.has_weights && chain.has_output);
    }
}

TEST(a_list_with_a_head_of_no_known_kind_is_a_gap)
{
    attend_in_a_list(1, true, true);
    ck_assert(chain.slip == CHAIN_RIGHT && chain.gap == CHAIN_GAP_LEFT);
    attend_in_a_list(1, false, true);
    ck_assert(chain.slip == CHAIN_RIGHT && !chain.has_output && chain.left_count > 0);
}

// One head of a text without an axis of sequences: (L, D) beside weights (1, L, L) and what one head mixes, (L, 1, D).
TEST(one_head_of_a_text_of_two_axes_is_read)
{
    static const ptrdiff_t token[] = {L, D}, pair[] = {1, L, L}, square[] = {D, D},
                           headed[] = {L, 1, D};
    static double own[2][L][L];
    How how = {.causal = false};
    attend(&how);
    for (int i = 0; i < L; i++) {
        for (int j = 0; j < L; j++) {
            own[0][i][j] = 0.0;
            for (int c = 0; c < D; c++)
                own[0][i][j] += rows[0][0][i][c] * rows[1][0][j][c] / sqrt((double)D);
            own[1][i][j] = own[0][i][j];
        }
        softmax(own[1][i], L, 1);
        for (int e = 0; e < D; e++) {
            context[0][i][e] = 0.0;
            for (int j = 0; j < L; j++)
                context[0][i][e] += own[1][i][j] * rows[2][0][j][e];
        }
    }
    make_output(&how);
    dump.count = 0;
    add_numbers(2, token, &x[0][0][0]);
    for (int i = 0; i < 3; i++)
        add_numbers(2, token, &rows[i][0][0][0]);
    add_numbers(3, pair, &own[0][0][0]);
    add_numbers(3, pair, &own[1][0][0]);
    add_numbers(3, headed, &context[0][0][0]);
    add_numbers(2, token, &context[0][0][0]);
    add_numbers(2, token, &output[0][0][0]);
    for (int i = 0; i < 4; i++)
        add_numbers(2, square, &weight[i][0][0]);
    read_dump(&(ChainAsk){.heads = 1});
    ck_assert(chain.slip == CHAIN_RIGHT && chain.gap == CHAIN_NO_GAP && chain.has_weights);
    ck_assert_int_eq(chain.heads, 1);
    arena_finish(&arena);
}

TEST(weights_of_q_for_k_show_at_the_scores)
{
    check(&(How){.wrong = K_BY_Q, .short_dump = true, .slip = CHAIN_SLIP_SAME_Q_K});
    ck_assert_int_ge(chain.wrong, 0);
}

TEST(heads_merged_by_view_show_at_the_output)
{
    attend(&(How){.wrong = MERGED, .short_dump = true});
    dump.count--; // the context, which lies as its heads do
    add_numbers(4, (ptrdiff_t[]){B, H, L, W}, &context[0][0][0]);
    read_dump(&(ChainAsk){.heads = H});
    ck_assert(chain.slip == CHAIN_SLIP_MERGED_BY_VIEW && chain.wrong == 0);
    arena_finish(&arena);
}

TEST(scores_that_are_shared_without_exp_need_no_scale)
{
    attend(&(How){.wrong = NO_EXP});
    float *plain = dump.tensors[dump.count - 1].tensor.storage.f32;
    for (int i = 0; i < B * H * L * L; i++)
        plain[i] *= sqrtf((float)W);
    read_dump(&(ChainAsk){.heads = H});
    ck_assert_int_eq(chain.slip, CHAIN_SLIP_NO_EXP);
    arena_finish(&arena);
}

TEST(other_models_are_right)
{
    static const Wrong kinds[] = {CAPPED, SLOPED, TURNED, STACKED};
    for (int i = 0; i < 4; i++)
        if (suite_takes(i, 1))
            check(&(How){.wrong = kinds[i], .causal = i == 1, .fill = inf, .short_dump = true});
}

static void check_right(void)
{
    read_dump(&(ChainAsk){.heads = 0});
    ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
    ck_assert_int_eq(chain.gap, CHAIN_NO_GAP);
    ck_assert(chain.has_weights && chain.has_output);
    ck_assert_int_eq(chain.heads, H);
    arena_finish(&arena);
}

// With q and k beside them, and with what the weights are made of alone.
TEST(changes_of_the_scores_are_read)
{
    for (int i = 0; i < 6; i++) {
        Wrong kind = i % 3 == 0 ? SINKS : i % 3 == 1 ? TALKING : RELATIVE;
        attend(&(How){.wrong = kind, .fill = inf, .short_dump = i > 2});
        if (kind == SINKS)
            add_numbers(1, (ptrdiff_t[]){H}, sinks);
        else if (kind == TALKING) { // not read, and not called wrong
            add_numbers(2, (ptrdiff_t[]){H, H}, &talk[0][0]);
            read_dump(&(ChainAsk){.heads = 0});
            ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
            arena_finish(&arena);
            continue;
        }
        float *table = kind == RELATIVE ? add(2, (ptrdiff_t[]){2 * FAR_AWAY + 1, W}) : NULL;
        for (int n = 0; table && n < (2 * FAR_AWAY + 1) * W; n++)
            table[n] = (float)relative(n / W - FAR_AWAY, n % W);
        check_right();
        ck_assert(chain.has_weights && chain.has_output);
    }
}

// Weights (B, H, L, L) in another order: element b, h, i, j is element n of the tensor.
static void order_weights(float *made, bool by_queries)
{
    for (int n = 0; n < B * H * L * L; n++) {
        int j = n % L, i = n / L % L, h = n / L / L % H, b = n / L / L / H;
        made[by_queries ? ((b * L + i) * H + h) * L + j : ((b * H + h) * L + j) * L + i] =
            (float)weights[b][h][i][j];
    }
}

// Weights whose columns sum to 1 are transposed where the context says so, and no softmax over queries.
TEST(weights_are_right_in_other_orders)
{
    for (int kind = 0; kind < 6; kind++) {
        attend(&(How){.causal = kind % 2, .fill = inf, .short_dump = true});
        if (kind < 2)
            order_weights(dump.tensors[1].tensor.storage.f32, false);
        else if (kind < 4)
            order_weights(add(4, (ptrdiff_t[]){B, H, L, L}), false); // beside those as they are
        else {
            memmove(&dump.tensors[1], &dump.tensors[2],
                    (size_t)(--dump.count - 1) * sizeof *dump.tensors);
            order_weights(add(4, (ptrdiff_t[]){B, L, H, L}), true);
        }
        check_right();
    }
}
END_TEST

// The last token looks at all keys, as where keys and values are cached.
TEST(the_last_query_alone_is_right)
{
    attend(&(How){.causal = true, .fill = inf, .short_dump = true});
    dump.count = 0;
    float *last = add(3, (ptrdiff_t[]){B, 1, D}), *shares = add(4, (ptrdiff_t[]){B, H, 1, L}),
          *query = add(4, (ptrdiff_t[]){B, H, 1, W});
    for (int n = 0; n < B * D; n++) {
        last[n] = (float)output[n / D][L - 1][n % D];
        query[n] = (float)rows[0][n / D][L - 1][n % D];
    }
    for (int n = 0; n < B * H * L; n++)
        shares[n] = (float)weights[n / L / H][n / L % H][L - 1][n % L];
    for (int i = 0; i < 4; i++)
        add_numbers(2, (ptrdiff_t[]){D, D}, &weight[i][0][0]);
    add_numbers(3, (ptrdiff_t[]){B, L, D}, &x[0][0][0]);
    read_dump(&(ChainAsk){.is_causal = true});
    ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
    ck_assert_int_eq(chain.gap, CHAIN_NO_GAP);
    ck_assert(chain.has_weights && chain.has_output);
    arena_finish(&arena);
}
END_TEST

// Without weights the output tells which mask of the dump hides keys; without that mask nothing is found.
TEST(a_mask_of_the_dump_explains_the_output)
{
    for (int has_mask = 1; has_mask >= 0; has_mask--) {
        attend(&(How){.wrong = WINDOW, .causal = true, .fill = inf, .short_dump = true});
        memmove(&dump.tensors[1], &dump.tensors[2],
                (size_t)(--dump.count - 1) * sizeof *dump.tensors);
        dump.count--; // the context
        float *seen = has_mask ? add(2, (ptrdiff_t[]){L, L}) : NULL;
        for (int n = 0; n < L * L && seen; n++)
            seen[n] = n % L <= n / L && n % L + 1 >= n / L;
        read_dump(&(ChainAsk){.heads = 0});
        ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
        ck_assert_int_eq(chain.has_output, has_mask);
        arena_finish(&arena);
    }
}
END_TEST

// Scores with a learned bias go without a scale, masked or not; the bias is not scores, though it lies as they do.
TEST(a_bias_goes_without_a_scale)
{
    for (int causal = 0; causal < 2; causal++) {
        attend(&(How){.wrong = UNSCALED, .causal = causal, .fill = inf, .short_dump = true});
        float *bias = add(4, (ptrdiff_t[]){1, H, L, L});
        for (int n = 0; n < H * L * L; n++)
            bias[n] = (float)bias_of(n / L / L, n / L % L - n % L);
        check_right();
    }
}
END_TEST

// A bias by distance that grows with it (ALiBi with the wrong sign), dumped beside the weights.
TEST(a_bias_that_favours_far_keys_is_told)
{
    for (int sign = 1; sign >= -1; sign -= 2) {
        attend(&(How){
            .wrong = sign > 0 ? FAR : SLOPED, .causal = true, .fill = inf, .short_dump = true});
        float *bias = add(3, (ptrdiff_t[]){H, L, L});
        for (int n = 0; n < H * L * L; n++)
            bias[n] = (float)(sign * (n < L * L ? 0.25 : 0.0625) * abs(n / L % L - n % L));
        read_dump(&(ChainAsk){.heads = 0});
        ck_assert_int_eq(chain.slip, sign > 0 ? CHAIN_SLIP_SLOPES_TURNED : CHAIN_RIGHT);
        arena_finish(&arena);
    }
}
END_TEST

enum { KEYS = 2, HEADS = 4 };

// Draws a weight of `out` rows, adds it, and multiplies x with it: made[b, l, o].
static void multiply(int out, double *made)
{
    float *drawn = add(2, (ptrdiff_t[]){out, D});
    for (int n = 0; n < out * D; n++)
        drawn[n] = (float)draw();
    for (int n = 0; n < B * L * out; n++) {
        made[n] = 0.0;
        for (int c = 0; c < D; c++)
            made[n] += (&x[0][0][0])[n / out * D + c] * drawn[n % out * D + c];
    }
}

// Weights of HEADS heads and the keys beside them, of which there are fewer.
static void share_keys(bool is_tiled, const double *query, const double *key)
{
    float *repeated = add(4, (ptrdiff_t[]){B, HEADS, L, W}),
          *made = add(4, (ptrdiff_t[]){B, HEADS, L, L});
    double row[L];
    for (int n = 0; n < B * HEADS * L; n++) {
        int b = n / L / HEADS, h = n / L % HEADS, i = n % L,
            from = is_tiled ? h % KEYS : h / (HEADS / KEYS);
        for (int e = 0; e < W; e++)
            repeated[n * W + e] = (float)key[((b * L + i) * KEYS + from) * W + e];
        for (int j = 0; j < L; j++) {
            row[j] = 0.0;
            for (int e = 0; e < W; e++)
                row[j] += query[((b * L + i) * HEADS + h) * W + e] *
                          key[((b * L + j) * KEYS + from) * W + e] / sqrt((double)W);
        }
        softmax(row, L, 1);
        for (int j = 0; j < L; j++)
            made[n * L + j] = (float)row[j];
    }
}

// Four heads, of which two share keys: repeated one by one they are right, tiled they are not.
TEST(tiled_keys_are_told)
{
    static double query[B * L * HEADS * W], key[B * L * KEYS * W];
    for (int is_tiled = 0; is_tiled < 2; is_tiled++) {
        attend(&(How){.short_dump = true});
        dump.count = 0;
        add_numbers(3, (ptrdiff_t[]){B, L, D}, &x[0][0][0]);
        multiply(HEADS * W, query);
        multiply(KEYS * W, key);
        share_keys(is_tiled, query, key);
        read_dump(&(ChainAsk){.heads = 0});
        ck_assert_int_eq(chain.slip, is_tiled ? CHAIN_SLIP_TILED : CHAIN_RIGHT);
        ck_assert_int_eq(chain.heads, HEADS);
        arena_finish(&arena);
    }
}
END_TEST

// exp(scores), which softmax divides by its sums, is made of them.
TEST(what_softmax_divides_is_known)
{
    attend(&(How){.causal = true, .fill = inf});
    float *made = add(4, (ptrdiff_t[]){B, H, L, L});
    for (int n = 0; n < B * H * L * L; n++)
        made[n] = (float)exp((&masked[0][0][0][0])[n]);
    check_right();
}
END_TEST

// A context read as scores (q alone would be the weights, k the values) says nothing of an attention. As a sink
// takes a part of each row, nothing makes these weights.
TEST(a_context_is_no_scores)
{
    attend(&(How){.wrong = NOTHING});
    float *shares = dump.tensors[1].tensor.storage.f32;
    for (int n = 0; n < B * H * L * L; n++) // weights with a sink: 1 beside the sum of exp
        shares[n] = (float)((&weights[0][0][0][0])[n] / (1.0 + 0.1 * (n / L % 5)));
    float *made = add(4, (ptrdiff_t[]){B, H, L, W});
    for (int n = 0; n < B * H * L * W; n++) {
        double sum = 0.0;
        for (int j = 0; j < L; j++)
            sum += shares[n / W * L + j] * rows[2][n / W / L / H][j][n / W / L % H * W + n % W];
        made[n] = (float)sum;
    }
    read_dump(&(ChainAsk){.heads = 0});
    ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
    ck_assert(chain.gap != CHAIN_NO_GAP);
    arena_finish(&arena);
}
END_TEST

// Where each query sees one key, weights fit every q and k: none is blamed.
TEST(weights_that_say_nothing_blame_none)
{
    attend(&(How){.short_dump = true});
    for (int n = 0; n < B * H * L * L; n++)
        dump.tensors[1].tensor.storage.f32[n] = n % L == 0;
    read_dump(&(ChainAsk){.heads = 0});
    ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
    arena_finish(&arena);
}
END_TEST

// Without a softmax nothing in the dump is weights.
TEST(a_missing_softmax_is_told)
{
    attend(&(How){.wrong = NO_SOFTMAX});
    read_dump(&(ChainAsk){.heads = 0});
    ck_assert_int_eq(chain.slip, CHAIN_SLIP_NO_SOFTMAX);
    arena_finish(&arena);
}

TEST(each_slip_is_told_alone)
{
    static const How wrong[] = {
        {NO_SCALE, .slip = CHAIN_SLIP_SCALE_MISSING},
        {SCALE_D_K, .slip = CHAIN_SLIP_SCALE_D_K},
        {SCALE_D_MODEL, .slip = CHAIN_SLIP_SCALE_D_MODEL},
        {SPLIT_BY_VIEW, .slip = CHAIN_SLIP_BY_VIEW},
        {SPLIT_IN_TURN, .slip = CHAIN_SLIP_IN_TURN},
        {Q_UNTURNED, .slip = CHAIN_SLIP_NOT_TRANSPOSED},
        {K_BY_Q, .slip = CHAIN_SLIP_SAME_Q_K},
        {V_IS_K, .slip = CHAIN_SLIP_K_FOR_V},
        {OVER_QUERIES, .slip = CHAIN_SLIP_OVER_QUERIES},
        {OVER_HEADS, .slip = CHAIN_SLIP_OVER_HEADS},
        {TWICE, .slip = CHAIN_SLIP_TWICE},
        {AFTER, .causal = true, .slip = CHAIN_SLIP_MASKED_AFTER},
        {MASK_DIAGONAL, .causal = true, .fill = -1e9, .slip = CHAIN_SLIP_MASK_DIAGONAL},
        {MASK_PAST, .causal = true, .fill = -1e9, .slip = CHAIN_SLIP_MASK_PAST},
        {MASK_INVERTED, .causal = true, .fill = -1e9, .slip = CHAIN_SLIP_MASK_INVERTED},
        {NO_MASK, .causal = true, .slip = CHAIN_SLIP_MASK_MISSING},
        {MERGED, .slip = CHAIN_SLIP_MERGED_BY_VIEW},
        {NO_PROJECTION, .slip = CHAIN_SLIP_NO_OUTPUT},
        {NO_EXP, .slip = CHAIN_SLIP_NO_EXP},
        {SCALE_TWICE, .slip = CHAIN_SLIP_SCALE_TWICE},
        {K_IS_V, .short_dump = true, .slip = CHAIN_SLIP_K_V_SWAPPED},
        {OUT_UNTURNED, .slip = CHAIN_SLIP_OUTPUT_TRANSPOSED},
        {OUT_UNTURNED, .by_columns = true, .slip = CHAIN_SLIP_OUTPUT_TRANSPOSED},
        {V_TURNED, .short_dump = true, .slip = CHAIN_SLIP_V_TURNED},
        {ZEROED, .short_dump = true, .slip = CHAIN_SLIP_MASK_ZERO},
        {TWICE, .short_dump = true, .slip = CHAIN_SLIP_TWICE},
        {MERGED, .short_dump = true, .slip = CHAIN_SLIP_MERGED_BY_VIEW},
        {OVER_HEADS, .causal = true, .fill = -1e9, .short_dump = true,
         .slip = CHAIN_SLIP_OVER_HEADS},
        {Q_TURNED, .short_dump = true, .slip = CHAIN_SLIP_K_NOT_TURNED},
        {ADDED, .short_dump = true, .slip = CHAIN_SLIP_MASK_ADDED},
    };
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++)
        if (suite_takes(i, 1))
            check(&wrong[i]);
}

// A joined weight whose name spells no order may hold q, v, k.
TEST(an_order_that_only_its_author_knows_is_not_wrong)
{
    attend(&(How){.wrong = K_IS_V, .short_dump = true});
    for (int i = 0; i < dump.count; i++)
        if (strcmp(dump.tensors[i].name, "qkv.weight") == 0)
            dump.tensors[i].name = "attn_in.weight";
    read_dump(&(ChainAsk){.heads = 0});
    ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
    arena_finish(&arena);
}

// What nothing makes is not passed over because the rest is right.
TEST(an_output_of_no_known_kind_is_a_gap)
{
    attend(&(How){.wrong = OUT_DOUBLED});
    read_dump(&(ChainAsk){.heads = 0});
    ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
    ck_assert_int_eq(chain.gap, CHAIN_GAP_OUTPUT);
    ck_assert_int_eq(chain.open, 0);
    arena_finish(&arena);
}

// Nor is a q that is not made of the input.
TEST(rows_of_no_known_kind_are_a_gap)
{
    attend(&(How){.wrong = NOTHING});
    for (int i = 0; i < B * L * D; i++)
        dump.tensors[6].tensor.storage.f32[i] = (float)draw(); // the input
    read_dump(&(ChainAsk){.heads = 0});
    ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
    ck_assert_int_eq(chain.gap, CHAIN_GAP_ROWS);
    arena_finish(&arena);
}

// Capped at 5, scores beside a fill of -3.4e38 are not the plain ones: they lie up to 0.1 apart.
TEST(a_large_fill_hides_no_difference)
{
    attend(&(How){.wrong = CAPPED, .causal = true, .fill = -3.4e38});
    read_dump(&(ChainAsk){.is_causal = true});
    ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
    arena_finish(&arena);
}

// A dump may have q as it was projected and k as it was turned, of a weight that is not there.
TEST(a_turned_k_is_not_turned_again)
{
    attend(&(How){.wrong = TURNED, .causal = true, .fill = inf, .short_dump = true});
    add_numbers(3, (ptrdiff_t[]){B, L, D}, &rows[0][0][0][0]);
    add_numbers(4, (ptrdiff_t[]){B, H, L, W}, &heads[1][0][0][0][0]);
    for (int i = 0; i < D * D; i++)
        dump.tensors[4].tensor.storage.f32[i] = (float)draw(); // the weight of k
    read_dump(&(ChainAsk){.is_causal = true});
    ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
    arena_finish(&arena);
}

// Open are q and k whose weights are not in the dump; v's own weight is not a part of a joined one.
TEST(q_and_k_of_no_known_weights_are_a_gap)
{
    attend(&(How){.wrong = NOTHING});
    for (int tensor = 4; tensor < 6; tensor++) // the weights of k and q
        for (int i = 0; i < D * D; i++)
            dump.tensors[tensor].tensor.storage.f32[i] = (float)draw();
    read_dump(&(ChainAsk){.heads = 0});
    ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
    ck_assert_int_eq(chain.gap, CHAIN_GAP_ROWS);
    arena_finish(&arena);
}

// Without scores and weights the heads and the mask are what gives the output.
TEST(the_output_alone_tells_heads_and_mask)
{
    attend(&(How){.causal = true, .fill = inf, .short_dump = true});
    memmove(&dump.tensors[1], &dump.tensors[2], (size_t)(--dump.count - 1) * sizeof *dump.tensors);
    dump.count--; // the context
    read_dump(&(ChainAsk){.heads = 0});
    ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
    ck_assert_int_eq(chain.heads, H);
    ck_assert(!chain.has_weights && chain.has_output);
    arena_finish(&arena);
}

// Scores and the context tell what was between them.
TEST(weights_that_are_not_dumped_are_told_by_the_context)
{
    static const How ways[] = {{.wrong = NOTHING},
                               {.wrong = NO_SCALE, .slip = CHAIN_SLIP_SCALE_MISSING},
                               {.wrong = OVER_QUERIES, .slip = CHAIN_SLIP_OVER_QUERIES},
                               {.wrong = OVER_HEADS, .slip = CHAIN_SLIP_OVER_HEADS},
                               {.wrong = TWICE, .slip = CHAIN_SLIP_TWICE},
                               {.wrong = ZEROED, .slip = CHAIN_SLIP_MASK_ZERO},
                               {.wrong = NOT_DIVIDED, .slip = CHAIN_SLIP_NOT_DIVIDED},
                               {.wrong = AFTER, .slip = CHAIN_SLIP_MASKED_AFTER},
                               {.wrong = MASK_PAST, .causal = true, .fill = -1e9}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        attend(&ways[i]);
        memmove(&dump.tensors[1], &dump.tensors[2],
                (size_t)(--dump.count - 1) * sizeof *dump.tensors); // the weights
        dump.count -= ways[i].causal;                               // masked scores
        read_dump(&(ChainAsk){.heads = 0});
        ck_assert_msg(chain.slip == ways[i].slip, "way %zu: slip %d", i, chain.slip);
        ck_assert(chain.slip != CHAIN_RIGHT || chain.has_output || chain.gap != CHAIN_NO_GAP);
        arena_finish(&arena);
    }
}

TEST(numbers_of_nothing_are_not_found)
{
    attend(&(How){.short_dump = true});
    for (int i = 0; i < dump.count; i++)
        for (ptrdiff_t n = 0; n < tensor_count(&dump.tensors[i].tensor); n++)
            dump.tensors[i].tensor.storage.f32[n] = (float)draw();
    read_dump(&(ChainAsk){.heads = 0});
    ck_assert_int_eq(chain.heads, 0);
    ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
    ck_assert(!chain.has_weights && !chain.has_output);
    arena_finish(&arena);
}

// Keeps as many binary digits as float16 (11) or bfloat16 (8) has.
static void round_numbers(int digits)
{
    for (int i = 0; i < dump.count; i++)
        for (ptrdiff_t n = 0; n < tensor_count(&dump.tensors[i].tensor); n++) {
            float *number = &dump.tensors[i].tensor.storage.f32[n];
            int power;
            double part = frexp(*number, &power);
            *number = (float)ldexp(round(ldexp(part, digits)), power - digits);
        }
}

TEST(numbers_of_half_precision_are_read)
{
    static const How ways[] = {{.causal = true, .fill = -1e4},
                               {.causal = true, .fill = -1e4, .short_dump = true},
                               {.wrong = NO_SCALE, .slip = CHAIN_SLIP_SCALE_MISSING},
                               {.wrong = SPLIT_BY_VIEW, .slip = CHAIN_SLIP_BY_VIEW},
                               {.wrong = V_IS_K, .slip = CHAIN_SLIP_K_FOR_V},
                               {.wrong = MERGED, .slip = CHAIN_SLIP_MERGED_BY_VIEW}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (int digits = 8; digits <= 11; digits += 3) {
            attend(&ways[i]);
            round_numbers(digits);
            read_dump(&(ChainAsk){.is_causal = ways[i].causal});
            ck_assert_int_eq(chain.slip, ways[i].slip);
            ck_assert(chain.gap == CHAIN_NO_GAP && chain.heads == H);
            arena_finish(&arena);
        }
}

// All kinds of sizes, NaN and infinities: nothing crashes.
TEST(odd_tensors_do_no_harm)
{
    static const ptrdiff_t shapes[][4] = {{0, 3, 2, 1}, {1, 1, 1, 1}, {2, 1, 2, 1}, {1, 5, 1, 5}};
    for (int kind = 0; kind < 4; kind++) {
        dump.count = 0;
        for (int rank = 0; rank <= 4; rank++)
            for (int s = 0; s < 3; s++) {
                float *made = add(rank, shapes[(s + kind) % 4]);
                ptrdiff_t count = tensor_count(&dump.tensors[dump.count - 1].tensor);
                for (ptrdiff_t n = 0; n < count; n++)
                    made[n] = kind == 0   ? NAN
                              : kind == 1 ? INFINITY
                              : kind == 2 ? 0.0f
                                          : (float)draw();
            }
        read_dump(&(ChainAsk){.heads = kind});
        arena_finish(&arena);
    }
}

SUITE("chain")
