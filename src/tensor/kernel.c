// kernel: the innermost loops in lanes, compiled once for each instruction set with KERNEL naming
// the table; see kernel.h.
//
// The tile's sums stay in registers while k runs once through the depth: TILE_ROWS x TILE_VECTORS
// registers, one row of the panel, and one number of the left matrix in all lanes. That is why the
// tile's size depends on how many registers there are. Each sum still adds its terms in ascending
// k, one fma each, so its bits are those of the plain loop.
#include "kernel.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include "generator_lanes.h"
#include "lanes.h"

// --- the loops over numbers that become a picture: the greatest of a block, and its place on a scale

// The findings of some rows.
typedef struct Found {
    Lanes low, high;
    Lanes nan; // NaN where there was one
} Found;

// All lanes of `from`, or the remaining ones.
static inline __attribute__((always_inline)) Lanes take(const float *from, ptrdiff_t count)
{
    return count >= LANES ? lanes_load(from) : lanes_load_some(from, count, -INFINITY);
}

// The largest of each lane, over the rows, two at a time. `skips`: minus infinity does not count as
// the lowest.
static inline __attribute__((always_inline)) Lanes down(const ptrdiff_t rows, const bool skips,
                                                        const float *from, ptrdiff_t from_row,
                                                        ptrdiff_t count, Found *found)
{
    Lanes most = lanes_all(-INFINITY), under = most, over = lanes_all(INFINITY);
    for (ptrdiff_t row = 0; row < rows; row += 2, from += 2 * from_row) {
        Lanes a = take(from, count), b = row + 1 < rows ? take(from + from_row, count) : a;
        most = lanes_greater(lanes_greater(a, b), most);
        found->nan = lanes_nan_if_either(a, b, found->nan);
        if (skips) {
            a = lanes_if_equal(a, under, over, a);
            b = lanes_if_equal(b, under, over, b);
        }
        found->low = lanes_smaller(lanes_smaller(a, b), found->low);
    }
    return most;
}

// Inlined with constant `rows` and `block`, so that intermediate values stay in registers.
static inline __attribute__((always_inline)) Found blocks_of(const ptrdiff_t rows,
                                                             const ptrdiff_t block,
                                                             const bool skips,
                                                             const KernelRows *matrix, float out[])
{
    const float *in = matrix->numbers;
    ptrdiff_t columns = matrix->columns, in_row = matrix->pitch;
    Found found = {lanes_all(INFINITY), lanes_all(-INFINITY), lanes_all(0.0f)};
    Lanes most[KERNEL_BLOCK_MAX];
    float lane[LANES];
    ptrdiff_t j = 0;
    for (; j + block * LANES <= columns; j += block * LANES, out += LANES) {
        for (ptrdiff_t v = 0; v < block; v++)
            most[v] = down(rows, skips, in + j + v * LANES, in_row, LANES, &found);
        for (ptrdiff_t half = block / 2; half > 0; half /= 2)
            for (ptrdiff_t v = 0; v < half; v++)
                most[v] = lanes_greater_of_pairs(most[2 * v], most[2 * v + 1]);
        found.high = lanes_greater(most[0], found.high);
        lanes_store(out, most[0]);
    }
    for (; j < columns; j += block, out++) {
        ptrdiff_t left = columns - j < block ? columns - j : block;
        most[0] = down(rows, true, in + j, in_row, left, &found);
        found.high = lanes_greater(most[0], found.high);
        lanes_store(lane, most[0]);
        *out = lane[0];
        for (ptrdiff_t i = 1; i < left; i++)
            *out = lane[i] > *out ? lane[i] : *out;
    }
    return found;
}

static inline Found find_blocks(const KernelRows *in, ptrdiff_t block, bool skips, float out[])
{
    if (in->rows == 4 && block == 4 && !skips) // the usual ones, where there are many of them
        return blocks_of(4, 4, false, in, out);
    return block == 1   ? blocks_of(in->rows, 1, skips, in, out)
           : block == 2 ? blocks_of(in->rows, 2, skips, in, out)
                        : blocks_of(in->rows, 4, skips, in, out);
}

// The lowest and the highest of all lanes.
static inline void ends_of(const Found *found, float *low, float *high)
{
    float lows[LANES], highs[LANES];
    lanes_store(lows, found->low);
    lanes_store(highs, found->high);
    *low = INFINITY;
    *high = -INFINITY;
    for (int lane = 0; lane < LANES; lane++) {
        *low = lows[lane] < *low ? lows[lane] : *low;
        *high = highs[lane] > *high ? highs[lane] : *high;
    }
}

static inline bool blocks(const KernelRows *in, ptrdiff_t block, float out[], float *low,
                          float *high)
{
    Found found = find_blocks(in, block, false, out);
    ends_of(&found, low, high);
    if (*low == -INFINITY) { // masked scores have it
        found = find_blocks(in, block, true, out);
        ends_of(&found, low, high);
    }
    return *high < INFINITY && !lanes_any_nan(found.nan);
}

static inline bool levels(ptrdiff_t count, const float in[], float low, float high, float top,
                          int out[])
{
    Lanes odd = lanes_all(0.0f), extent = lanes_all(high - low);
    for (ptrdiff_t i = 0; i < count; i += LANES) {
        Lanes number =
            count - i >= LANES ? lanes_load(in + i) : lanes_load_some(in + i, count - i, low);
        Lanes share = lanes_divide(lanes_subtract(number, lanes_all(low)), extent);
        share = lanes_smaller(lanes_greater(share, lanes_all(0.0f)), lanes_all(1.0f));
        share = lanes_add(lanes_multiply(share, lanes_all(top)), lanes_all(0.5f));
        lanes_store_whole(out + i, share);
        Lanes nothing = lanes_subtract(number, number); // NaN of what is not finite
        odd = lanes_nan_if_either(nothing, nothing, odd);
    }
    return !lanes_any_nan(odd);
}

// --- products, rows and masks

#if defined(__AVX2__) && !defined(__AVX512F__) // 16 registers of 8 lanes
enum { TILE_ROWS = 6, TILE_VECTORS = 2 };
#else // 32 registers: of 16 lanes, or of 4 on 64-bit ARM; elsewhere fmaf decides the speed
enum { TILE_ROWS = 8, TILE_VECTORS = 2 };
#endif
enum { TILE_COLUMNS = TILE_VECTORS * LANES };
enum { LATER_ROWS_MIN = TILE_ROWS / 2 }; // of tiles below the first one: see band

// 32 registers have room for a tile half as wide again: 48 columns are one tile, not a wide and a narrow one, whose
// eight sums would wait for each other.
#if defined(__AVX512F__)
enum { WIDEST_VECTORS = TILE_VECTORS + 1, HAS_WIDEST = 1 };
#else
enum { WIDEST_VECTORS = TILE_VECTORS, HAS_WIDEST = 0 };
#endif
enum { WIDEST_COLUMNS = WIDEST_VECTORS * LANES };

// Where fmaf is a function, its call leaves no sum in a register: a loop over any height is as fast as one for each,
// and compiles in a sixth of the time. Unrolled loops gain nothing there either.
#if defined(KERNEL_PLAIN) && !defined(__FP_FAST_FMAF)
enum { HEIGHT_IS_CONSTANT = 0, SUMS_IN_A_TURN = 1, K_IN_A_TURN = 1 };
#else
enum { HEIGHT_IS_CONSTANT = 1, SUMS_IN_A_TURN = 8, K_IN_A_TURN = 4 };
#endif

// A fifth of a tile's instructions would only turn its loop, and a neighbour on the same core leaves room for few. clang
// would keep the sums in memory.
#if defined(__clang__)
#define SOME_IN_A_TURN
#else
#define SOME_IN_A_TURN _Pragma("GCC unroll K_IN_A_TURN")
#endif

enum { CACHE_LINE = 16 }; // numbers that memory hands out together
enum { AHEAD = 96 };      // rows of a panel that are called into the cache before they are needed
enum { DEPTH_CALLING = 64 }; // of a product that gives called memory the time to arrive

_Static_assert((int)TILE_ROWS <= (int)KERNEL_ROWS_MAX &&
                   (int)TILE_COLUMNS <= (int)KERNEL_COLUMNS_MAX &&
                   (int)WIDEST_COLUMNS <= (int)KERNEL_WIDEST_MAX,
               "kernel.h promises room for every tile");

// The sums of a tile before their first term. Loops over them are unrolled whole: a loop that stays keeps them in
// memory, and carries all of them there and back.
static inline __attribute__((always_inline)) void begin_sums(const int rows, const int vectors,
                                                             const KernelBand *band,
                                                             const float *sums,
                                                             Lanes sum[TILE_ROWS][WIDEST_VECTORS])
{
    const ptrdiff_t sums_row = band->sums_row, last = band->columns - (vectors - 1) * LANES;
    if (band->goes_on)
#pragma GCC unroll SUMS_IN_A_TURN
        for (int row = 0; row < rows; row++)
#pragma GCC unroll SUMS_IN_A_TURN
            for (int v = 0; v < vectors; v++)
                sum[row][v] = lanes_load_up_to(sums + row * sums_row + v * LANES,
                                               v < vectors - 1 ? LANES : last);
    else
#pragma GCC unroll SUMS_IN_A_TURN
        for (int row = 0; row < rows; row++)
#pragma GCC unroll SUMS_IN_A_TURN
            for (int v = 0; v < vectors; v++)
                sum[row][v] = lanes_all(0.0f);
}

static inline __attribute__((always_inline)) void end_sums(const int rows, const int vectors,
                                                           const KernelBand *band, float *sums,
                                                           Lanes sum[TILE_ROWS][WIDEST_VECTORS])
{
    const ptrdiff_t sums_row = band->sums_row, last = band->columns - (vectors - 1) * LANES;
    if (band->bias)
#pragma GCC unroll SUMS_IN_A_TURN
        for (int row = 0; row < rows; row++)
#pragma GCC unroll SUMS_IN_A_TURN
            for (int v = 0; v < vectors; v++)
                sum[row][v] = lanes_add(sum[row][v], lanes_load(band->bias + v * LANES));
#pragma GCC unroll SUMS_IN_A_TURN
    for (int row = 0; row < rows; row++)
#pragma GCC unroll SUMS_IN_A_TURN
        for (int v = 0; v < vectors; v++)
            lanes_store_up_to(sums + row * sums_row + v * LANES, v < vectors - 1 ? LANES : last,
                              sum[row][v]);
}

// The first tile that reads a panel calls its rows. Both kinds read rows of `left` and of panels whose numbers follow
// each other. TILE_ANY reads them at any distance, and its k goes on in further matrices.
typedef enum TileKind { TILE_FIRST, TILE_LATER, TILE_ANY } TileKind;

// By the time the sums are stored, the memory for them has arrived in the cache. A short product is over before.
static inline __attribute__((always_inline)) void call_sums(const int rows, const int vectors,
                                                            const KernelBand *band, ptrdiff_t first)
{
    const float *sums = band->sums + first * band->sums_row;
    const float *soon = band->soon ? band->soon + first * TILE_COLUMNS : sums;
    for (int row = 0; row < rows && band->depth >= DEPTH_CALLING; row++)
        for (int column = 0; column < vectors * LANES; column += CACHE_LINE) {
            __builtin_prefetch(sums + row * band->sums_row + column, 1);
            __builtin_prefetch(soon + row * TILE_COLUMNS + column, 1);
        }
}

// Inlined with constant `rows`, `vectors` and `kind`, so that every sum has its own register.
static inline __attribute__((always_inline)) void run_tile(const int rows, const int vectors,
                                                           const TileKind kind,
                                                           const KernelBand *band, ptrdiff_t first)
{
    float *sums = band->sums + first * band->sums_row;
    Lanes sum[TILE_ROWS][WIDEST_VECTORS];
    call_sums(rows, vectors, band, first);
    begin_sums(rows, vectors, band, sums, sum);
    const float *panel = band->panel, *matrix = band->left + first * band->left_row;
    const ptrdiff_t left_k = kind == TILE_ANY ? band->left_k : 1;
    const ptrdiff_t panel_row = kind == TILE_ANY ? band->panel_row : TILE_COLUMNS;
    const ptrdiff_t depth = band->depth, beside = band->panel_beside;
    const ptrdiff_t more = kind == TILE_ANY ? band->more : 0;
    for (ptrdiff_t number = 0; number <= more; number++, matrix += band->left_matrix) {
        const float *left[TILE_ROWS];
        for (int row = 0; row < rows; row++) {
            left[row] = matrix + row * band->left_row;
            if (TILE_ROWS <
                8) // six places stay in registers if the compiler cannot make one of another
                __asm__("" : "+r"(left[row]));
        }
        SOME_IN_A_TURN
        for (ptrdiff_t k = 0; k < depth; k++, panel += panel_row) {
            Lanes right[WIDEST_VECTORS];
            for (int v = 0; v < vectors; v++) {
                const float *of_k =
                    panel + (v < TILE_VECTORS ? v * LANES : beside + (v - TILE_VECTORS) * LANES);
                if (kind == TILE_FIRST && v * LANES % CACHE_LINE == 0)
                    __builtin_prefetch(of_k + AHEAD * panel_row);
                right[v] = lanes_load(of_k);
            }
            for (int row = 0; row < rows; row++) {
                Lanes all = lanes_all(left[row][k * left_k]);
                for (int v = 0; v < vectors; v++)
                    sum[row][v] = lanes_fma(all, right[v], sum[row][v]);
            }
        }
    }
    end_sums(rows, vectors, band, sums, sum);
}

// `count` tiles of the same height, from row `first` on.
static inline __attribute__((always_inline)) void run_tiles(const int rows, const int vectors,
                                                            const KernelBand *band, ptrdiff_t first,
                                                            ptrdiff_t count)
{
    for (ptrdiff_t tile = 0; tile < count; tile++) {
        ptrdiff_t row = first + tile * rows;
        if (band->more > 0 || band->left_k != 1 || band->panel_row != TILE_COLUMNS)
            run_tile(rows, vectors, TILE_ANY, band, row);
        else if (row == 0 || rows < LATER_ROWS_MIN)
            run_tile(rows, vectors, TILE_FIRST, band, row);
        else
            run_tile(rows, vectors, TILE_LATER, band, row);
    }
}

static inline __attribute__((always_inline)) void tiles_of_height(ptrdiff_t height,
                                                                  const int vectors,
                                                                  const KernelBand *band,
                                                                  ptrdiff_t first, ptrdiff_t count)
{
    _Static_assert(TILE_ROWS == 6 || TILE_ROWS == 8, "a case for every height");
    if (!HEIGHT_IS_CONSTANT)
        run_tiles((int)height, vectors, band, first, count);
    else if (height == 1)
        run_tiles(1, vectors, band, first, count);
    else if (height == 2)
        run_tiles(2, vectors, band, first, count);
    else if (height == 3)
        run_tiles(3, vectors, band, first, count);
    else if (height == 4)
        run_tiles(4, vectors, band, first, count);
    else if (height == 5)
        run_tiles(5, vectors, band, first, count);
    else if (height == 6)
        run_tiles(6, vectors, band, first, count);
    else if (height == 7)
        run_tiles(TILE_ROWS < 7 ? TILE_ROWS : 7, vectors, band, first, count);
    else
        run_tiles(TILE_ROWS, vectors, band, first, count);
}

// `count` tiles of any height, from row `first` on.
typedef void Tiles(ptrdiff_t height, const KernelBand *band, ptrdiff_t first, ptrdiff_t count);

static void whole_tiles(ptrdiff_t height, const KernelBand *band, ptrdiff_t first, ptrdiff_t count)
{
    tiles_of_height(height, TILE_VECTORS, band, first, count);
}

static void narrow_tiles(ptrdiff_t height, const KernelBand *band, ptrdiff_t first, ptrdiff_t count)
{
    tiles_of_height(height, 1, band, first, count);
}

static void widest_tiles(ptrdiff_t height, const KernelBand *band, ptrdiff_t first, ptrdiff_t count)
{
    tiles_of_height(height, WIDEST_VECTORS, band, first, count);
}

// All rows, in tiles whose heights differ by one at most, the higher ones first: ten rows are two
// tiles of five, since a tile of four has too few sums to keep the machine busy.
static void band(const KernelBand *band)
{
    ptrdiff_t tiles = (band->rows + TILE_ROWS - 1) / TILE_ROWS;
    if (tiles == 0)
        return;
    ptrdiff_t height = band->rows / tiles, higher = band->rows - tiles * height;
    Tiles *run = band->columns <= LANES                         ? narrow_tiles
                 : !HAS_WIDEST || band->columns <= TILE_COLUMNS ? whole_tiles
                                                                : widest_tiles;
    run(height + 1, band, 0, higher);
    run(height, band, higher * (height + 1), tiles - higher);
}

// A block of as many rows as lanes turns round in registers; `is_whole` is a constant.
static inline __attribute__((always_inline)) void turn_block(const bool is_whole, ptrdiff_t deep,
                                                             ptrdiff_t columns, const float from[],
                                                             ptrdiff_t from_column, float panel[])
{
    Lanes block[LANES];
#pragma GCC unroll 16
    for (int column = 0; column < LANES; column++)
        block[column] = is_whole ? lanes_load(from + column * from_column)
                        : column >= columns
                            ? lanes_all(0.0f)
                            : lanes_load_some(from + column * from_column, deep, 0.0f);
    lanes_transpose(block);
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++)
        if (is_whole || i < deep)
            lanes_store(panel + i * TILE_COLUMNS, block[i]);
}

// At most one vector of columns, `depth` numbers of each, which lie next to each other.
static void pack_turned(ptrdiff_t depth, ptrdiff_t columns, const float from[],
                        ptrdiff_t from_column, float panel[])
{
    for (ptrdiff_t k = 0; k < depth; k += LANES)
        if (depth - k >= LANES && columns >= LANES)
            turn_block(true, LANES, LANES, from + k, from_column, panel + k * TILE_COLUMNS);
        else
            turn_block(false, depth - k, columns, from + k, from_column, panel + k * TILE_COLUMNS);
}

// At most one vector of columns that lie next to each other.
static void pack_rows(ptrdiff_t depth, ptrdiff_t columns, const float from[], ptrdiff_t from_k,
                      float panel[])
{
    for (ptrdiff_t k = 0; k < depth; k++)
        lanes_store(panel + k * TILE_COLUMNS, columns >= LANES
                                                  ? lanes_load(from + k * from_k)
                                                  : lanes_load_some(from + k * from_k, columns, 0));
}

static void pack_any(ptrdiff_t depth, ptrdiff_t columns, const float from[], ptrdiff_t from_k,
                     ptrdiff_t from_column, float panel[])
{
    for (ptrdiff_t k = 0; k < depth; k++)
        for (ptrdiff_t column = 0; column < LANES; column++)
            panel[k * TILE_COLUMNS + column] =
                column < columns ? from[k * from_k + column * from_column] : 0.0f;
}

static void pack(ptrdiff_t depth, ptrdiff_t columns, const float from[], ptrdiff_t from_k,
                 ptrdiff_t from_column, float panel[])
{
    ptrdiff_t wide = columns <= LANES ? LANES : TILE_COLUMNS; // a narrow tile reads no more
    for (ptrdiff_t first = 0; first < wide; first += LANES) {
        ptrdiff_t some = columns - first < LANES ? columns - first : LANES;
        const float *begin = some > 0 ? from + first * from_column : from;
        if (from_column == 1 || some <= 0)
            pack_rows(depth, some, begin, from_k, panel + first);
        else if (from_k == 1)
            pack_turned(depth, some, begin, from_column, panel + first);
        else
            pack_any(depth, some, begin, from_k, from_column, panel + first);
    }
}

// The elements that softmax sums side by side, and the registers for them.
enum { SUM_LANES = 16, SUM_VECTORS = SUM_LANES / LANES };

// Adds neighbours, then pairs of them, ...: the order of stage softmax.
static inline float sum_of_lanes(float lanes[SUM_LANES])
{
#pragma GCC unroll 4
    for (int width = SUM_LANES / 2; width > 0; width /= 2)
#pragma GCC unroll 8
        for (int lane = 0; lane < width; lane++)
            lanes[lane] = lanes[2 * lane] + lanes[2 * lane + 1];
    return lanes[0];
}

static inline float greatest_of_lanes(float lanes[SUM_LANES])
{
#pragma GCC unroll 4
    for (int width = SUM_LANES / 2; width > 0; width /= 2)
#pragma GCC unroll 8
        for (int lane = 0; lane < width; lane++)
            lanes[lane] = lanes[lane] > lanes[lane + width] ? lanes[lane] : lanes[lane + width];
    return lanes[0];
}

// Several maxima side by side, since each comparison waits for the previous one of its register.
enum { MAX_VECTORS = SUM_VECTORS < 4 ? 4 : SUM_VECTORS, MAX_LANES = MAX_VECTORS * LANES };

static float greatest(ptrdiff_t count, const float in[])
{
    Lanes max[MAX_VECTORS];
    for (int v = 0; v < MAX_VECTORS; v++)
        max[v] = lanes_all(-INFINITY);
    ptrdiff_t j = 0;
    for (; j + MAX_LANES <= count; j += MAX_LANES)
        for (int v = 0; v < MAX_VECTORS; v++)
            max[v] = lanes_greater(lanes_load(in + j + v * LANES), max[v]);
    for (int v = 0; v < MAX_VECTORS && j < count; v++, j += LANES)
        max[v] = lanes_greater(lanes_load_some(in + j, count - j, -INFINITY), max[v]);
    for (int v = SUM_VECTORS; v < MAX_VECTORS; v++)
        max[v % SUM_VECTORS] = lanes_greater(max[v], max[v % SUM_VECTORS]);

    float lanes[SUM_LANES];
    for (int v = 0; v < SUM_VECTORS; v++)
        lanes_store(lanes + v * LANES, max[v]);
    return greatest_of_lanes(lanes);
}

// out = e^(in - max), where no number is above max.
static void exponentials_below(ptrdiff_t count, const float in[], float max, float out[])
{
    Lanes maximum = lanes_all(max), e[EXPONENTIALS];
    ptrdiff_t j = 0;
    for (; j + EXPONENTIALS * LANES <= count; j += EXPONENTIALS * LANES) {
        for (int i = 0; i < EXPONENTIALS; i++)
            e[i] = lanes_subtract(lanes_load(in + j + i * LANES), maximum);
        exponentials_in_lanes(EXPONENTIALS, e);
        for (int i = 0; i < EXPONENTIALS; i++)
            lanes_store(out + j + i * LANES, e[i]);
    }
    for (; j < count; j += LANES) {
        e[0] = lanes_subtract(take(in + j, count - j), maximum);
        exponentials_in_lanes(1, e);
        lanes_store_up_to(out + j, count - j, e[0]);
    }
}

enum { WRITES_AHEAD = 1024 }; // numbers whose memory is called before they are written

// Rows whose exponentials are computed side by side: while one waits for its maximum or its sum, the others
// continue. A long row does not wait, and on AVX2 one row's exponentials take all registers.
enum { ROWS_TOGETHER = 3, LONG_ROW = LANES == 8 ? 64 : 512 };

// Registers of a row in one step: whole sums, and exponentials that fill the core.
enum { STEP_VECTORS = (int)EXPONENTIALS > (int)SUM_VECTORS ? (int)EXPONENTIALS : (int)SUM_VECTORS };

// Some rows of a softmax.
typedef struct SoftmaxRows {
    ptrdiff_t count; // of numbers in each
    const float *in;
    float *out;
    ptrdiff_t in_row, out_row;
} SoftmaxRows;

// Rows of exponentials that still have to be divided by their sums.
typedef struct Undivided {
    float *out;
    float sum[ROWS_TOGETHER];
} Undivided;

// What the rows of a step have in common.
typedef struct SoftmaxStep {
    const float *in[ROWS_TOGETHER];
    float *out[ROWS_TOGETHER], *before[ROWS_TOGETHER];
    Lanes max[ROWS_TOGETHER], divisor[ROWS_TOGETHER], sum[ROWS_TOGETHER][SUM_VECTORS];
} SoftmaxStep;

// The exponentials of `vectors` registers of each row from element j on, and the quotients of the rows before.
static inline __attribute__((always_inline)) void
step_of_rows(const int rows, const int vectors, const bool has_last, ptrdiff_t j, SoftmaxStep *step)
{
    Lanes e[ROWS_TOGETHER * STEP_VECTORS];
    const int all = rows * vectors;
    for (int i = 0; i < all; i++)
        e[i] = lanes_subtract(lanes_load(step->in[i / vectors] + j + i % vectors * LANES),
                              step->max[i / vectors]);
    for (int i = 0; i < all; i += EXPONENTIALS)
        exponentials_in_lanes(all - i < EXPONENTIALS ? all - i : EXPONENTIALS, &e[i]);
    for (int i = 0; i < all; i++) {
        int row = i / vectors, v = i % vectors;
        ptrdiff_t at = j + v * LANES;
        if (v * LANES % CACHE_LINE == 0)
            __builtin_prefetch(step->out[row] + at + WRITES_AHEAD, 1);
        if (has_last)
            lanes_store(step->before[row] + at,
                        lanes_divide(lanes_load(step->before[row] + at), step->divisor[row]));
        lanes_store(step->out[row] + at, e[i]);
        step->sum[row][v % SUM_VECTORS] = lanes_add(step->sum[row][v % SUM_VECTORS], e[i]);
    }
}

// The same for the last elements of each row. Lanes beyond the end hold -inf, whose e^x adds nothing.
static inline __attribute__((always_inline)) void
end_of_rows(const int rows, const bool has_last, ptrdiff_t j, ptrdiff_t count, SoftmaxStep *step)
{
    for (int v = 0; v < SUM_VECTORS && j < count; v++, j += LANES)
        for (int row = 0; row < rows; row++) {
            ptrdiff_t rest = count - j;
            Lanes some = lanes_load_some(step->in[row] + j, rest, -INFINITY);
            Lanes e = lanes_subtract(some, step->max[row]);
            exponentials_in_lanes(1, &e);
            if (has_last) {
                some = lanes_load_some(step->before[row] + j, rest, 1.0f);
                lanes_store_some(step->before[row] + j, rest,
                                 lanes_divide(some, step->divisor[row]));
            }
            lanes_store_some(step->out[row] + j, rest, e);
            step->sum[row][v] = lanes_add(step->sum[row][v], e);
        }
}

// out   = e^(in - max), and *last = these rows with their sums, in the order of stage softmax. It also
//       divides the previous rows in *last, of the same number and length, in a unit that exponentials leave
//       idle; `rows` and `has_last` are constants.
static inline __attribute__((always_inline)) void
exponentials(const int rows, const bool has_last, const SoftmaxRows *these, Undivided *last)
{
    SoftmaxStep step;
    for (int row = 0; row < rows; row++) {
        step.in[row] = these->in + row * these->in_row;
        step.out[row] = these->out + row * these->out_row;
        step.before[row] = has_last ? last->out + row * these->out_row : NULL;
        step.max[row] = lanes_all(greatest(these->count, step.in[row]));
        step.divisor[row] = lanes_all(last->sum[row]);
        for (int v = 0; v < SUM_VECTORS; v++)
            step.sum[row][v] = lanes_all(0.0f);
    }
    const int vectors = rows == 1 ? STEP_VECTORS : SUM_VECTORS;
    ptrdiff_t j = 0;
    for (; j + vectors * LANES <= these->count; j += vectors * LANES)
        step_of_rows(rows, vectors, has_last, j, &step);
    for (; vectors > SUM_VECTORS && j + SUM_LANES <= these->count; j += SUM_LANES)
        step_of_rows(rows, SUM_VECTORS, has_last, j, &step);
    end_of_rows(rows, has_last, j, these->count, &step);

    last->out = these->out;
    for (int row = 0; row < rows; row++) {
        float lanes[SUM_LANES];
        for (int v = 0; v < SUM_VECTORS; v++)
            lanes_store(lanes + v * LANES, step.sum[row][v]);
        last->sum[row] = sum_of_lanes(lanes);
    }
}

// --- rows that are shorter than a few registers
//
// As many of them as lanes, one behind the other: maxima and sums of all are found side by side, and exponentials and
// quotients without regard to where a row ends, so that no register is filled in part.

enum { SHORT_ROW = 64 };

static inline void greatest_of_rows(ptrdiff_t count, const float in[], float max[LANES])
{
    Lanes most[LANES];
    for (int row = 0; row < LANES; row++, in += count) {
        most[row] = lanes_all(-INFINITY);
        for (ptrdiff_t j = 0; j < count; j += LANES)
            most[row] = lanes_greater(take(in + j, count - j), most[row]);
    }
#pragma GCC unroll 4
    for (int left = LANES / 2; left > 0; left /= 2)
#pragma GCC unroll 8
        for (int i = 0; i < left; i++)
            most[i] = lanes_greater_of_pairs(most[2 * i], most[2 * i + 1]);
    lanes_store(max, most[0]);
}

// In the order that stage softmax fixes.
static inline void sums_of_rows(ptrdiff_t count, const float in[], float sums[LANES])
{
    Lanes sum[LANES * SUM_VECTORS];
    for (int row = 0; row < LANES; row++, in += count) {
        Lanes *own = &sum[row * SUM_VECTORS];
        for (int v = 0; v < SUM_VECTORS; v++)
            own[v] = lanes_all(0.0f);
        for (ptrdiff_t j = 0; j < count; j += SUM_LANES)
            for (int v = 0; v < SUM_VECTORS && j + v * LANES < count; v++)
                own[v] =
                    lanes_add(own[v], lanes_load_up_to(in + j + v * LANES, count - j - v * LANES));
    }
#pragma GCC unroll 4
    for (int left = LANES * SUM_VECTORS / 2; left > 0; left /= 2)
#pragma GCC unroll 8
        for (int i = 0; i < left; i++)
            sum[i] = lanes_sum_of_pairs(sum[2 * i], sum[2 * i + 1]);
    lanes_store(sums, sum[0]);
}

static void softmax_of_short_rows(ptrdiff_t count, const float in[], float out[])
{
    float of_rows[LANES], divisors[(LANES + 1) * SHORT_ROW];
    greatest_of_rows(count, in, of_rows);
    for (int row = 0; row < LANES; row++)
        for (ptrdiff_t j = 0; j < count; j += LANES) {
            Lanes x =
                lanes_subtract(take(in + row * count + j, count - j), lanes_all(of_rows[row]));
            lanes_store_up_to(out + row * count + j, count - j, x);
        }
    exponentials_below(LANES * count, out, 0.0f, out);
    sums_of_rows(count, out, of_rows);
    for (int row = 0; row < LANES;
         row++) // what is beyond a row's end is overwritten by the next one
        for (ptrdiff_t j = 0; j < count; j += LANES)
            lanes_store(divisors + row * count + j, lanes_all(of_rows[row]));
    for (ptrdiff_t i = 0; i < LANES * count; i += LANES)
        lanes_store(out + i, lanes_divide(lanes_load(out + i), lanes_load(divisors + i)));
}

// A sum waits for its last multiply-add; this many run side by side.
enum { DOTS = 8 };

// `rows` is a constant, so that the sums stay in registers.
static inline __attribute__((always_inline)) void some_dots(const int rows, const KernelRows *left,
                                                            const KernelRows *right,
                                                            ptrdiff_t first, float sums[])
{
    const float *from_left = left->numbers + first * left->pitch;
    const float *from_right = right->numbers + first * right->pitch;
    ptrdiff_t left_pitch = left->pitch, right_pitch = right->pitch, columns = left->columns;
    float sum[DOTS] = {0};
    for (ptrdiff_t i = 0; i < columns; i++)
        for (int row = 0; row < rows; row++)
            sum[row] =
                fmaf(from_left[row * left_pitch + i], from_right[row * right_pitch + i], sum[row]);
    for (int row = 0; row < rows; row++)
        sums[first + row] = sum[row];
}

static void dots(const KernelRows *left, const KernelRows *right, float sums[])
{
    ptrdiff_t row = 0;
    for (; row + DOTS <= left->rows; row += DOTS)
        some_dots(DOTS, left, right, row, sums);
    for (; row < left->rows; row++)
        some_dots(1, left, right, row, sums);
}

// Dividing by a power of two and multiplying by its inverse round the same number.
static bool inverse_is_exact(float divisor)
{
    int exponent;
    return fabsf(frexpf(divisor, &exponent)) == 0.5f && exponent > -120 && exponent < 120;
}

static void divide(ptrdiff_t count, const float in[], float divisor, float out[])
{
    ptrdiff_t i = 0;
    if (inverse_is_exact(divisor))
        for (Lanes factor = lanes_all(1.0f / divisor); i + LANES <= count; i += LANES)
            lanes_store(out + i, lanes_multiply(lanes_load(in + i), factor));
    for (; i + LANES <= count; i += LANES)
        lanes_store(out + i, lanes_divide(lanes_load(in + i), lanes_all(divisor)));
    for (; i < count; i++)
        out[i] = in[i] / divisor;
}

// This many rows at a time, as often as possible; returns the number of rows done.
static inline __attribute__((always_inline)) ptrdiff_t
softmax_rows(const int together, ptrdiff_t rows, SoftmaxRows these)
{
    Undivided last = {.sum = {0}};
    ptrdiff_t row = 0;
    for (; row + together <= rows; row += together) {
        if (row == 0)
            exponentials(together, false, &these, &last);
        else
            exponentials(together, true, &these, &last);
        these.in += together * these.in_row;
        these.out += together * these.out_row;
    }
    for (int i = 0; row > 0 && i < together; i++)
        divide(these.count, last.out + i * these.out_row, last.sum[i],
               last.out + i * these.out_row);
    return row;
}

static void softmax(ptrdiff_t rows, ptrdiff_t count, const float in[], ptrdiff_t in_row,
                    float out[], ptrdiff_t out_row)
{
    bool are_together = in_row == count && out_row == count;
    for (; count <= SHORT_ROW && are_together && rows >= LANES; rows -= LANES) {
        softmax_of_short_rows(count, in, out);
        in += LANES * count;
        out += LANES * count;
    }
    SoftmaxRows these = {count, in, out, in_row, out_row};
    ptrdiff_t done = count < LONG_ROW ? softmax_rows(ROWS_TOGETHER, rows, these) : 0;
    these.in += done * in_row;
    these.out += done * out_row;
    softmax_rows(1, rows - done, these);
}

static void adam(const KernelAdam *how, ptrdiff_t count, const float *restrict gradient,
                 float *restrict moment1, float *restrict moment2, float *restrict weight)
{
    const KernelAdam by = *how;
    for (ptrdiff_t i = 0; i < count; i++) {
        float g = gradient[i];
        moment1[i] = by.beta1 * moment1[i] + (1.0f - by.beta1) * g;
        moment2[i] = by.beta2 * moment2[i] + (1.0f - by.beta2) * g * g;
        float size = sqrtf(moment2[i]) / by.correction + by.epsilon;
        weight[i] = by.kept * weight[i] - by.step * (moment1[i] / size);
    }
}

// --- rows, whose last register ends with the row: some numbers are computed twice, none is left over
//
// Rows of a training have 16 to 48 numbers; what was left over took longer than the rest.

// Where the register that begins at `i` begins so that it ends with the row, if that has so many numbers.
static inline ptrdiff_t within(ptrdiff_t i, ptrdiff_t count)
{
    return i + LANES <= count || count < LANES ? i : count - LANES;
}

static void copy(const KernelRows *in, float out[], ptrdiff_t out_row)
{
    const float *from = in->numbers;
    const ptrdiff_t columns = in->columns;
    for (ptrdiff_t row = 0; row < in->rows; row++, from += in->pitch, out += out_row)
        for (ptrdiff_t i = 0; i < columns; i += LANES) {
            ptrdiff_t at = within(i, columns);
            lanes_store_up_to(out + at, columns, lanes_load_up_to(from + at, columns));
        }
}

static void mask(const KernelRows *in, const unsigned char flags[], ptrdiff_t flags_row,
                 float value, float out[], ptrdiff_t out_row)
{
    const float *from = in->numbers;
    const ptrdiff_t columns = in->columns;
    const Lanes values = lanes_all(value);
    for (ptrdiff_t row = 0; row < in->rows; row++) {
        for (ptrdiff_t i = 0; columns < LANES && i < columns; i++)
            out[i] = flags[i] ? value : from[i];
        for (ptrdiff_t i = 0; columns >= LANES && i < columns; i += LANES) {
            ptrdiff_t at = within(i, columns);
            lanes_store(out + at, lanes_if_flags(flags + at, values, lanes_load(from + at)));
        }
        from += in->pitch;
        flags += flags_row;
        out += out_row;
    }
}

static void softmax_backward(const KernelRows *weights, const KernelRows *gradient,
                             const float sums[], float out[], ptrdiff_t out_row)
{
    const float *weight = weights->numbers, *from = gradient->numbers;
    const ptrdiff_t columns = weights->columns;
    for (ptrdiff_t row = 0; row < weights->rows; row++, out += out_row) {
        const Lanes sum = lanes_all(sums[row]);
        for (ptrdiff_t i = 0; i < columns; i += LANES) {
            ptrdiff_t at = within(i, columns);
            Lanes apart = lanes_subtract(lanes_load_up_to(from + at, columns), sum);
            lanes_store_up_to(out + at, columns,
                              lanes_multiply(lanes_load_up_to(weight + at, columns), apart));
        }
        weight += weights->pitch;
        from += gradient->pitch;
    }
}

// --- the limits of the machine
//
// More operations side by side than latency times throughput.
enum { PEAK_SUMS = 12 };

// `what` is a constant: multiply-adds or divisions.
static inline __attribute__((always_inline)) float peak_of(const KernelPeak what, ptrdiff_t steps)
{
    Lanes sum[PEAK_SUMS], half = lanes_all(0.5f);
    for (int i = 0; i < PEAK_SUMS; i++)
        sum[i] = lanes_all((float)(i + 1));
    for (ptrdiff_t step = 0; step < steps; step++)
        for (int i = 0; i < PEAK_SUMS; i++)
            sum[i] = what == KERNEL_DIVISIONS ? lanes_divide(half, sum[i])
                                              : lanes_fma(sum[i], half, half);
    float lanes[LANES], total = 0.0f;
    for (int i = 0; i < PEAK_SUMS; i++) {
        lanes_store(lanes, sum[i]);
        total += lanes[0];
    }
    return total;
}

// Each of many numbers in the nearest cache. A few in registers would wait for the exponentials before.
static float peak_of_exponentials(ptrdiff_t steps)
{
    enum { NUMBERS = 16 * PEAK_SUMS * LANES };
    float numbers[NUMBERS] = {0.0f};
    for (ptrdiff_t rest = steps * PEAK_SUMS * LANES; rest > 0; rest -= NUMBERS)
        exponentials_below(rest < NUMBERS ? rest : NUMBERS, numbers, 1.0f, numbers);
    return numbers[0];
}

static float peak(KernelPeak what, ptrdiff_t steps)
{
    return what == KERNEL_EXPONENTIALS ? peak_of_exponentials(steps)
           : what == KERNEL_DIVISIONS  ? peak_of(KERNEL_DIVISIONS, steps)
                                       : peak_of(KERNEL_MULTIPLY_ADDS, steps);
}

enum { STREAM = 8 * LANES }; // numbers that are read or written in one turn

static float read_all(ptrdiff_t count, const float from[])
{
    Lanes sum[STREAM / LANES];
    for (int v = 0; v < STREAM / LANES; v++)
        sum[v] = lanes_all(0.0f);
    for (ptrdiff_t i = 0; i + STREAM <= count; i += STREAM)
        for (int v = 0; v < STREAM / LANES; v++)
            sum[v] = lanes_greater(lanes_load(from + i + v * LANES), sum[v]);
    float lanes[STREAM], most = 0.0f;
    for (int v = 0; v < STREAM / LANES; v++)
        lanes_store(lanes + v * LANES, sum[v]);
    for (int lane = 0; lane < STREAM; lane++)
        most = lanes[lane] > most ? lanes[lane] : most;
    return most;
}

static void write_all(ptrdiff_t count, float number, float to[])
{
    Lanes all = lanes_all(number);
    for (ptrdiff_t i = 0; i + STREAM <= count; i += STREAM)
        for (int v = 0; v < STREAM / LANES; v++)
            lanes_store(to + i + v * LANES, all);
}

extern const Kernel KERNEL;

const Kernel KERNEL = {
    .name = KERNEL_NAME,
    .rows = TILE_ROWS,
    .columns = TILE_COLUMNS,
    .narrow = LANES,
    .widest = WIDEST_COLUMNS,
    .band = band,
    .pack = pack,
    .softmax = softmax,
    .exponentials = exponentials_below,
    .dots = dots,
    .divide = divide,
    .copy = copy,
    .mask = mask,
    .softmax_backward = softmax_backward,
    .adam = adam,
    .blocks = blocks,
    .levels = levels,
    .words = words,
    .uniform = uniform,
    .normal = normal,
    .peak = peak,
    .read_all = read_all,
    .write_all = write_all,
    .peak_width = PEAK_SUMS * LANES,
};
