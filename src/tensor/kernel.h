// The innermost loops, compiled once for each instruction set: kernel.c with its own tile size.
// KERNEL.md explains them.
//
// Every kernel gives the bits of its plain loop; kernels differ only in speed.
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A panel's columns of a matrix product, or fewer:
//   sums[row, column] = sum over k of left[row, k] * panel[k, column], + bias[column]
// k ascends, one fused multiply-add a term.
typedef struct KernelBand {
    ptrdiff_t rows;
    ptrdiff_t depth; // how many k
    ptrdiff_t
        more; // times that k goes on: in the rows of the panel below, and `left_matrix` further in left
    ptrdiff_t left_matrix;
    const float *left;          // element [row, k] is left[row * left_row + k * left_k]
    ptrdiff_t left_row, left_k; // in elements
    const float *panel;         // depth x the kernel's columns, which follow each other
    ptrdiff_t panel_row;        // from one k to the next
    ptrdiff_t panel_beside;     // from the panel to the next one, where columns go on there
    const float *bias;          // the kernel's columns; NULL: none
    float *sums;                // element [row, column] is sums[row * sums_row + column]
    ptrdiff_t sums_row;
    ptrdiff_t columns; // that are wanted: no others of `sums` are touched
    bool goes_on;      // the sums begin with what is in `sums`, not with +0

    // contiguous rows x the kernel's columns numbers that will be written next: prefetched during
    // the product. NULL: none
    const float *soon;
} KernelBand;

enum {
    KERNEL_SEEDS = 128,     // that are tried side by side
    KERNEL_PLACES_MAX = 24, // words of each stream that are asked for at once
    KERNEL_NEAR = 227,      // a place below costs a part of the seeding; others take whole states
    KERNEL_NORMALS = 16,    // normal numbers that come from one block of uniform ones
};

// The words of a stream to compute, counted from 0, ascending.
typedef struct KernelPlaces {
    int count;
    int place[KERNEL_PLACES_MAX];
} KernelPlaces;

// Some rows of a matrix; row i begins at numbers[i * pitch].
typedef struct KernelRows {
    const float *numbers;
    ptrdiff_t rows, columns;
    ptrdiff_t pitch;
} KernelRows;

typedef struct KernelAdam {
    float kept; // of a weight before it moves: 1 where weights do not decay
    float beta1, beta2, epsilon;
    float step, correction; // both with the zeros that moments began with divided out
} KernelAdam;

// What the machine's units do: e^x as softmax needs it.
typedef enum KernelPeak {
    KERNEL_MULTIPLY_ADDS,
    KERNEL_EXPONENTIALS,
    KERNEL_DIVISIONS,
    KERNEL_PEAKS
} KernelPeak;

typedef struct Kernel {
    const char *name;  // "plain", "avx2", "avx512", "neon"
    int rows, columns; // of a tile
    int narrow;        // columns of one that is a single register wide
    int widest; // columns of the widest one: a panel's, or more, which go on in the next panel

    void (*band)(const KernelBand *band);

    // panel[k, column] = from[k * from_k + column * from_column] for the first `columns` columns, 0
    // for the further ones that a tile reads: up to `narrow`, or the whole panel
    void (*pack)(ptrdiff_t depth, ptrdiff_t columns, const float from[], ptrdiff_t from_k,
                 ptrdiff_t from_column, float panel[]);

    // softmax of rows of `count` elements, as stage softmax defines it; out may be in
    void (*softmax)(ptrdiff_t rows, ptrdiff_t count, const float in[], ptrdiff_t in_row,
                    float out[], ptrdiff_t out_row);

    // out[i] = e^(in[i] - max); max is finite and no number is above it; out may be in
    void (*exponentials)(ptrdiff_t count, const float in[], float max, float out[]);

    // sums[row] = sum over the columns of left times right, which have the same shape: starts at
    // +0, columns ascend, one fused multiply-add per term
    void (*dots)(const KernelRows *left, const KernelRows *right, float sums[]);

    // out[i] = in[i] / divisor
    void (*divide)(ptrdiff_t count, const float in[], float divisor, float out[]);

    // Rows of `in` are copied to rows of `out`, which is another matrix, here and below.
    void (*copy)(const KernelRows *in, float out[], ptrdiff_t out_row);

    // out = flags ? value : in, row by row; the same row of flags again if flags_row is 0
    void (*mask)(const KernelRows *in, const unsigned char flags[], ptrdiff_t flags_row,
                 float value, float out[], ptrdiff_t out_row);

    // out = weights * (gradient - the row's sum), row by row
    void (*softmax_backward)(const KernelRows *weights, const KernelRows *gradient,
                             const float sums[], float out[], ptrdiff_t out_row);

    // One step of Adam, as the optimizer of src/train defines it.
    void (*adam)(const KernelAdam *how, ptrdiff_t count, const float *gradient, float *moment1,
                 float *moment2, float *weight);

    // out[c] = the largest number in columns c * block ... of all these rows; block is 1, 2 or 4,
    // and the last block may be narrower. *low becomes the smallest number above minus infinity
    // (infinity: there is none), *high the largest. Returns false if any is NaN or infinity; then
    // the results are undefined.
    bool (*blocks)(const KernelRows *in, ptrdiff_t block, float out[], float *low, float *high);

    // out[i] = the position of in[i] between low (0) and high (top), rounded to nearest and
    // clamped; `out` has room for `count` and 15 more. Returns false if a number is not finite; its
    // position is undefined.
    bool (*levels)(ptrdiff_t count, const float in[], float low, float high, float top, int out[]);

    // words[i][s] = the word at place[i] of the stream that seed first + s begins (generator.h), for
    // KERNEL_SEEDS seeds; beyond 2^32 - 1 they begin again with 0.
    void (*words)(uint32_t first, const KernelPlaces *places, uint32_t words[][KERNEL_SEEDS]);

    // out[i] = low + u * width, fused, for the uniform number u that a word of a generator's state gives
    void (*uniform)(ptrdiff_t count, const uint32_t state[], float low, float width, float out[]);

    // Blocks of KERNEL_NORMALS uniform numbers become normal ones, in place.
    void (*normal)(ptrdiff_t blocks, float mean, float std, float numbers[]);

    // For the machine's limits: does steps * peak_width operations on registers alone, exponentials
    // on numbers in the nearest cache. Returns a number, as read_all does, so that compilers keep
    // the loop.
    float (*peak)(KernelPeak what, ptrdiff_t steps);
    int peak_width;

    // Only reads or writes `count` numbers, a multiple of 128.
    float (*read_all)(ptrdiff_t count, const float from[]);
    void (*write_all)(ptrdiff_t count, float number, float to[]);
} Kernel;

// The maximum over all kernels.
enum { KERNEL_ROWS_MAX = 8, KERNEL_COLUMNS_MAX = 32, KERNEL_WIDEST_MAX = 48 };

enum { KERNEL_BLOCK_MAX = 4 }; // of kernel->blocks

// The kernels of this build that this machine can run, best first; NULL beyond the last. The last
// one is "plain", which every machine can run.
const Kernel *kernel_get(int number);

// The kernel with this name if this machine can run it; else NULL.
const Kernel *kernel_find(const char *name);

// The kernel that ATTNSCOPE_ISA names; the best one if it is unset or names none that can run.
const Kernel *kernel_choose(void);

// --- threads
//
// A few threads that share work, and sleep while there is none.
//
// Life cycle: team_init starts nothing; the first team_run with more than one piece starts the
// threads; team_finish ends them (a zeroed Team is fine too, and runs everything in the caller).

typedef struct TeamThreads TeamThreads;

typedef struct Team {
    int threads;          // that work together, the caller among them
    TeamThreads *running; // NULL until they are needed
} Team;

enum { TEAM_THREADS_MAX = 64 };

// Does piece `number` of the work. Pieces run in any order on any thread, so no piece may write
// data that another reads or writes.
typedef void TeamWork(void *context, ptrdiff_t number);

// threads: 1 ... TEAM_THREADS_MAX; 0 means team_cores().
void team_init(Team *team, int threads);

// Does pieces 0 ... count-1 and returns when all are done. If the system gives no more threads, the
// existing ones do it all.
void team_run(Team *team, ptrdiff_t count, TeamWork *work, void *context);

void team_finish(Team *team);

// --- exp
//
// exp for float32, with the same bits on every machine.
//
// libm's expf differs between systems in the last place; this one uses only * + fmaf, rintf and
// integer shifts, so that the plain loop and the vector lanes of a kernel agree bit for bit.

// e^x. Largest error over all float32: 0.892 units in the last place (98.3 % of the results are the
// nearest float). exponential(-INFINITY) is +0, exponential(+INFINITY) is +inf, NaN gives NaN.
// Results below the smallest normal float, 2^-126 (x < -87.33654), are +0: where vector lanes treat
// subnormal numbers as zero and where they do not, the bits are the same.
float exponential(float x);

#endif
