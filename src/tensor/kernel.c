// kernel: the inner tile of a matrix product, compiled once for each instruction set with
// KERNEL_TILE naming the function; see kernel.h.
//
// The tile's sums stay in registers while k runs once through the depth. Each sum still adds its
// terms in ascending k, one fma each, so its bits are those of the plain loop.
#include "kernel.h"
#include "lanes.h"

KernelTile KERNEL_TILE;

typedef struct TileRow {
    Lanes low, high;
} TileRow;

static inline TileRow row_step(TileRow sum, float left, Lanes low, Lanes high)
{
    Lanes all = lanes_all(left);
    sum.low = lanes_fma(all, low, sum.low);
    sum.high = lanes_fma(all, high, sum.high);
    return sum;
}

void KERNEL_TILE(int rows, ptrdiff_t depth, const float *left, ptrdiff_t row_stride,
                 ptrdiff_t k_stride, const float panel[][KERNEL_COLUMNS],
                 float out[KERNEL_ROWS][KERNEL_COLUMNS])
{
    // Missing rows repeat the first one: their sums are thrown away, and the loop has no branches.
    const float *row0 = left;
    const float *row1 = rows > 1 ? left + row_stride : left;
    const float *row2 = rows > 2 ? left + 2 * row_stride : left;
    const float *row3 = rows > 3 ? left + 3 * row_stride : left;

    TileRow sum0 = {lanes_all(0), lanes_all(0)};
    TileRow sum1 = sum0, sum2 = sum0, sum3 = sum0;
    for (ptrdiff_t k = 0; k < depth; k++) {
        Lanes low = lanes_load(panel[k]), high = lanes_load(panel[k] + LANES);
        ptrdiff_t place = k * k_stride;
        sum0 = row_step(sum0, row0[place], low, high);
        sum1 = row_step(sum1, row1[place], low, high);
        sum2 = row_step(sum2, row2[place], low, high);
        sum3 = row_step(sum3, row3[place], low, high);
    }

    const TileRow sums[KERNEL_ROWS] = {sum0, sum1, sum2, sum3};
    for (int row = 0; row < rows; row++) {
        lanes_store(out[row], sums[row].low);
        lanes_store(out[row] + LANES, sums[row].high);
    }
}
