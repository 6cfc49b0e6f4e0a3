// kernel: the innermost loops in lanes, compiled once for each instruction set with KERNEL naming
// the table; see kernel.h.
//
// The tile's sums stay in registers while k runs once through the depth: TILE_ROWS x TILE_VECTORS
// registers, one row of the panel, and one number of the left matrix in all lanes. That is why the
// tile's size depends on how many registers there are. Each sum still adds its terms in ascending
// k, one fma each, so its bits are those of the plain loop.
#include "kernel.h"
#include "lanes.h"

#if defined(__AVX512F__) // 32 registers of 16 lanes
enum { TILE_ROWS = 8, TILE_VECTORS = 2 };
#elif defined(__AVX2__) // 16 registers of 8 lanes
enum { TILE_ROWS = 6, TILE_VECTORS = 2 };
#else                   // 32 registers of 4 lanes on 64-bit ARM; elsewhere fmaf decides the speed
enum { TILE_ROWS = 8, TILE_VECTORS = 2 };
#endif
enum { TILE_COLUMNS = TILE_VECTORS * LANES };

_Static_assert((int)TILE_ROWS <= (int)KERNEL_ROWS_MAX &&
                   (int)TILE_COLUMNS <= (int)KERNEL_COLUMNS_MAX,
               "kernel.h promises room for every tile");

// Inlined with a number for `rows`, so that every sum gets a register of its own.
static inline __attribute__((always_inline)) void run_tile(const int rows, const KernelTile *tile)
{
    // By the time the sums are stored, the memory for them has arrived in the cache.
    for (int row = 0; row < rows; row++)
        __builtin_prefetch(tile->sums + row * tile->sums_row, 1);

    Lanes sum[TILE_ROWS][TILE_VECTORS];
    for (int row = 0; row < rows; row++)
        for (int v = 0; v < TILE_VECTORS; v++)
            sum[row][v] = tile->goes_on ? lanes_load(tile->sums + row * tile->sums_row + v * LANES)
                                        : lanes_all(0.0f);

    const float *left = tile->left, *panel = tile->panel;
    const ptrdiff_t left_row = tile->left_row, left_k = tile->left_k;
    for (ptrdiff_t k = 0; k < tile->depth; k++, left += left_k, panel += TILE_COLUMNS) {
        Lanes right[TILE_VECTORS];
        for (int v = 0; v < TILE_VECTORS; v++)
            right[v] = lanes_load(panel + v * LANES);
        for (int row = 0; row < rows; row++) {
            Lanes all = lanes_all(left[row * left_row]);
            for (int v = 0; v < TILE_VECTORS; v++)
                sum[row][v] = lanes_fma(all, right[v], sum[row][v]);
        }
    }

    for (int row = 0; row < rows; row++)
        for (int v = 0; v < TILE_VECTORS; v++) {
            Lanes total = tile->bias ? lanes_add(sum[row][v], lanes_load(tile->bias + v * LANES))
                                     : sum[row][v];
            lanes_store(tile->sums + row * tile->sums_row + v * LANES, total);
        }
}

static void tile_of_rows(const KernelTile *tile)
{
    _Static_assert(TILE_ROWS <= 8, "a case for every number of rows");
    switch (tile->rows) {
    case 1:
        run_tile(1, tile);
        break;
    case 2:
        run_tile(2, tile);
        break;
    case 3:
        run_tile(3, tile);
        break;
    case 4:
        run_tile(4, tile);
        break;
    case 5:
        run_tile(5, tile);
        break;
    case 6:
        run_tile(6, tile);
        break;
    case 7:
        run_tile(TILE_ROWS < 7 ? TILE_ROWS : 7, tile);
        break;
    default:
        run_tile(TILE_ROWS, tile);
    }
}

// exponential.c's e^x, operation for operation, for the x of a softmax: not above 0, or NaN.
static inline Lanes exponential_in_lanes(Lanes x)
{
    const Lanes smallest = lanes_all(-87.3365402f), one = lanes_all(1.0f);

    // What lies below, and NaN, is computed as `smallest` and replaced at the end.
    Lanes inside = lanes_greater(x, smallest);
    Lanes n = lanes_round(lanes_multiply(inside, lanes_all(1.44269504f)));
    Lanes r = lanes_fma(n, lanes_all(-6.93147182e-1f), inside);
    r = lanes_fma(n, lanes_all(1.90465430e-9f), r);

    Lanes p = lanes_all(1.38214673e-3f);
    p = lanes_fma(p, r, lanes_all(8.36866256e-3f));
    p = lanes_fma(p, r, lanes_all(4.16682549e-2f));
    p = lanes_fma(p, r, lanes_all(1.66665211e-1f));
    p = lanes_fma(p, r, lanes_all(4.99999940e-1f));
    p = lanes_fma(p, r, one);
    p = lanes_fma(p, r, one);

    Lanes e = lanes_multiply(p, lanes_power_of_two(n));
    Lanes or_nan = lanes_if_less(x, lanes_all(INFINITY), e, x);
    return lanes_if_less(x, smallest, lanes_all(0.0f), or_nan);
}

// How many elements softmax sums side by side, and how many registers hold them.
enum { SUM_LANES = 16, SUM_VECTORS = SUM_LANES / LANES };

static float greatest(ptrdiff_t count, const float in[])
{
    Lanes max[SUM_VECTORS];
    for (int v = 0; v < SUM_VECTORS; v++)
        max[v] = lanes_all(-INFINITY);
    ptrdiff_t j = 0;
    for (; j + SUM_LANES <= count; j += SUM_LANES)
        for (int v = 0; v < SUM_VECTORS; v++)
            max[v] = lanes_greater(lanes_load(in + j + v * LANES), max[v]);

    float lanes[SUM_LANES], most = -INFINITY;
    for (int v = 0; v < SUM_VECTORS; v++)
        lanes_store(lanes + v * LANES, max[v]);
    for (int lane = 0; lane < SUM_LANES; lane++)
        most = lanes[lane] > most ? lanes[lane] : most;
    for (; j < count; j++)
        most = in[j] > most ? in[j] : most;
    return most;
}

// out = e^(in - max); returns the sum of out, in the order that stage softmax fixes.
static float exponentials(ptrdiff_t count, const float in[], float max, float out[])
{
    Lanes sum[SUM_VECTORS], maximum = lanes_all(max);
    for (int v = 0; v < SUM_VECTORS; v++)
        sum[v] = lanes_all(0.0f);
    ptrdiff_t j = 0;
    for (; j + SUM_LANES <= count; j += SUM_LANES)
        for (int v = 0; v < SUM_VECTORS; v++) {
            Lanes x = lanes_subtract(lanes_load(in + j + v * LANES), maximum);
            Lanes e = exponential_in_lanes(x);
            lanes_store(out + j + v * LANES, e);
            sum[v] = lanes_add(sum[v], e);
        }

    // The elements that are left, in a group of their own, whose other lanes hold the maximum and are
    // not added.
    float lanes[SUM_LANES], rest[SUM_LANES];
    for (int v = 0; v < SUM_VECTORS; v++) {
        lanes_store(lanes + v * LANES, sum[v]);
        lanes_store(rest + v * LANES, maximum);
    }
    for (ptrdiff_t i = j; i < count; i++)
        rest[i - j] = in[i];
    for (int v = 0; v < SUM_VECTORS; v++)
        lanes_store(rest + v * LANES,
                    exponential_in_lanes(lanes_subtract(lanes_load(rest + v * LANES), maximum)));
    for (ptrdiff_t i = j; i < count; i++)
        lanes[i - j] += out[i] = rest[i - j];

    for (int width = SUM_LANES; width > 1; width /= 2)
        for (int lane = 0; lane < width / 2; lane++)
            lanes[lane] = lanes[2 * lane] + lanes[2 * lane + 1];
    return lanes[0];
}

static void divide(ptrdiff_t count, const float in[], float divisor, float out[])
{
    ptrdiff_t i = 0;
    for (; i + LANES <= count; i += LANES)
        lanes_store(out + i, lanes_divide(lanes_load(in + i), lanes_all(divisor)));
    for (; i < count; i++)
        out[i] = in[i] / divisor;
}

static void softmax(ptrdiff_t count, const float in[], float out[])
{
    float sum = exponentials(count, in, greatest(count, in), out);
    divide(count, out, sum, out);
}

static void mask(ptrdiff_t count, const float in[], const unsigned char flags[], float value,
                 float out[])
{
    for (ptrdiff_t i = 0; i < count; i++)
        out[i] = flags[i] ? value : in[i];
}

// More sums than a multiply-add takes cycles times the machine begins in one cycle.
enum { PEAK_SUMS = 12 };

static float peak(ptrdiff_t steps)
{
    Lanes sum[PEAK_SUMS], factor = lanes_all(0.5f);
    for (int i = 0; i < PEAK_SUMS; i++)
        sum[i] = lanes_all((float)i);
    for (ptrdiff_t step = 0; step < steps; step++)
        for (int i = 0; i < PEAK_SUMS; i++)
            sum[i] = lanes_fma(sum[i], factor, factor);
    float lanes[LANES], total = 0.0f;
    for (int i = 0; i < PEAK_SUMS; i++) {
        lanes_store(lanes, sum[i]);
        total += lanes[0];
    }
    return total;
}

extern const Kernel KERNEL;

const Kernel KERNEL = {
    .name = KERNEL_NAME,
    .rows = TILE_ROWS,
    .columns = TILE_COLUMNS,
    .tile = tile_of_rows,
    .softmax = softmax,
    .divide = divide,
    .mask = mask,
    .peak = peak,
    .peak_width = PEAK_SUMS * LANES,
};
