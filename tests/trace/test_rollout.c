// Rollout by products of matrices: the bits of its definition, with every kernel, for maps of any size and
// numbers that are not tame.
#include <math.h>
#include <string.h>
#include "kernel.h"
#include "stage.h"
#include "suite.h"
#include "tiny.h"

enum { LAYERS_MAX = 4, SIDE_MAX = 300, NUMBERS_MAX = LAYERS_MAX * SIDE_MAX * SIDE_MAX };

static float maps[NUMBERS_MAX], wanted[NUMBERS_MAX], got[NUMBERS_MAX];

static void fill(ptrdiff_t count, uint64_t *state)
{
    static const float wild[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 0x1p-140f, 3e38f};
    bool is_wild = tiny_index(state, 2);
    for (ptrdiff_t i = 0; i < count; i++) {
        ptrdiff_t pick = tiny_index(state, 2000);
        maps[i] = is_wild && pick < 7 ? wild[pick] : tiny_number(state);
    }
}

static bool same_bits(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

SLICE_TEST(products_give_the_bits_of_the_definition, 40, 1)
{
    uint64_t state = (uint64_t)_i;
    ptrdiff_t side = _i == 0 ? SIDE_MAX : 1 + tiny_index(&state, 70);
    ptrdiff_t shape[] = {_i == 0 ? 2 : 1 + tiny_index(&state, LAYERS_MAX), side, side};
    ptrdiff_t count = shape[0] * side * side;
    Error err;
    fill(count, &state);
    StageArgs args = {.in = {tensor_over(maps, DTYPE_F32, 3, shape)},
                      .out = {tensor_over(wanted, DTYPE_F32, 3, shape)}};
    ck_assert(stage_find("rollout")->run(&args, &err));
    args.out[0] = tensor_over(got, DTYPE_F32, 3, shape);
    for (int number = 0; (args.kernel = kernel_get(number)) != NULL; number++) {
        memset(got, 0xff, sizeof got);
        ck_assert(stage_find("rollout")->run(&args, &err));
        for (ptrdiff_t i = 0; i < count; i++)
            if (!same_bits(got[i], wanted[i]))
                ck_abort_msg("%s, %td layers of %td: number %td is %a, the definition gives %a",
                             args.kernel->name, shape[0], side, i, (double)got[i],
                             (double)wanted[i]);
    }
}

SUITE("rollout")
