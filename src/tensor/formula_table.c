// formula_table: the values of a sum, mean or maximum at all positions of the axes it depends on, so that none
// is computed twice; see formula.h.
//
// A sum of products, sum_d left[.., i, d] * right[.., j, d], is a matrix product: both factors are computed
// once at each of their positions, and the kernel adds the products, with the bits of the plain loop
// (matrix_product.h). Other values are stored on first use.
#include "formula_internal.h"

#include <string.h>
#include "matrix_product.h"

enum { TABLE_MAX = 1 << 24 }; // numbers of a table or a factor

// A NaN that no arithmetic produces.
static const uint32_t unknown = 0x7fe5a11e;

bool formula_is_unknown(float number)
{
    return memcmp(&number, &unknown, sizeof number) == 0;
}

// A few axes; the last runs fastest.
typedef struct Axes {
    int count, axes[FORMULA_KEY_MAX + FORMULA_REDUCED_MAX];
    ptrdiff_t places;
} Axes;

static void add_axis(const FormulaRunner *runner, Axes *axes, int axis)
{
    axes->axes[axes->count++] = axis;
    axes->places *= runner->program->axes[axis].size;
    axes->places = axes->places > TABLE_MAX ? TABLE_MAX + 1 : axes->places;
}

// Advances these axes; false after the last position, with all back at their first.
static bool next_place(FormulaRunner *runner, const Axes *axes)
{
    for (int i = axes->count - 1; i >= 0; i--) {
        if (++runner->place[axes->axes[i]] < runner->program->axes[axes->axes[i]].size)
            return true;
        runner->place[axes->axes[i]] = 0;
    }
    return false;
}

ptrdiff_t formula_table_place(const FormulaRunner *runner, const FormulaCode *code)
{
    ptrdiff_t place = 0;
    for (int i = 0; i < code->key_count; i++)
        place += runner->place[code->key_axes[i]] * code->table->stride[i];
    return place;
}

// --- sums of products

// The factors and their axes: `shared` by both, `own` by one, and those summed over.
typedef struct Products {
    const FormulaCode *factors[2];
    Axes shared, own[2], summed;
    float *numbers[2]; // shared, own, summed
} Products;

static bool is_square(const FormulaCode *body)
{
    return body->kind == FORMULA_POWER && body->parts[1]->kind == FORMULA_NUMBER &&
           body->parts[1]->number == 2.0;
}

static bool depends_on(const FormulaCode *code, int axis)
{
    return code->depends >> axis & 1;
}

// True if a sum's body is a product of rounded numbers, and the table and the factors are not too large.
static bool find_products(const FormulaRunner *runner, const FormulaCode *code, Products *products)
{
    static const Axes none = {.places = 1};
    const FormulaCode *body = code->parts[0];
    if (code->kind == FORMULA_MAXIMUM || !body->is_float || runner->result->reads_itself ||
        (body->kind != FORMULA_MULTIPLY && !is_square(body)))
        return false;
    *products = (Products){.factors = {body->parts[0], body->parts[!is_square(body)]},
                           .shared = none,
                           .own = {none, none},
                           .summed = none};
    for (int i = 0; i < code->key_count; i++) {
        bool left = depends_on(products->factors[0], code->key_axes[i]);
        bool right = depends_on(products->factors[1], code->key_axes[i]);
        add_axis(runner, left && right ? &products->shared : &products->own[right],
                 code->key_axes[i]);
    }
    for (int i = code->axis_count - 1; i >= 0; i--)
        add_axis(runner, &products->summed, code->axes[i]);
    double left = (double)products->own[0].places, right = (double)products->own[1].places;
    double shared = (double)products->shared.places, summed = (double)products->summed.places;
    double factor = shared * summed * (left > right ? left : right);
    return left * right > 1.0 && factor > 0.0 && factor <= TABLE_MAX &&
           shared * left * right <= TABLE_MAX;
}

// Computes a factor at all its positions.
static bool fill_factor(FormulaRunner *runner, Products *products, int side, Arena *arena)
{
    const Axes *summed = &products->summed;
    Axes outer = *summed;
    int fast = summed->axes[summed->count - 1];
    ptrdiff_t size = runner->program->axes[fast].size;
    size_t places = (size_t)(products->shared.places * products->own[side].places * summed->places);
    outer.count--;
    float *to = products->numbers[side] = arena_take(arena, places, sizeof *to, runner->err);
    if (!to)
        return false;
    do
        do
            do
                for (ptrdiff_t first = 0; first < size; first += FORMULA_LANES_MAX) {
                    double values[FORMULA_LANES_MAX];
                    ptrdiff_t left = size - first;
                    FormulaLanes lanes = {fast, first,
                                          left < FORMULA_LANES_MAX ? (int)left : FORMULA_LANES_MAX};
                    if (!runner->value(runner, products->factors[side], lanes, values))
                        return false;
                    for (int lane = 0; lane < lanes.count; lane++)
                        *to++ = (float)values[lane];
                }
            while (next_place(runner, &outer));
        while (next_place(runner, &products->own[side]));
    while (next_place(runner, &products->shared));
    return true;
}

static void multiply(const Products *products, float sums[])
{
    const Kernel *kernel = kernel_choose();
    ptrdiff_t rows = products->own[0].places, columns = products->own[1].places,
              depth = products->summed.places;
    for (ptrdiff_t number = 0; number < products->shared.places; number++) {
        Tensor left = tensor_over(products->numbers[0] + number * rows * depth, DTYPE_F32, 2,
                                  (ptrdiff_t[]){rows, depth});
        Tensor right = tensor_over(products->numbers[1] + number * columns * depth, DTYPE_F32, 2,
                                   (ptrdiff_t[]){columns, depth});
        Tensor out =
            tensor_over(sums + number * rows * columns, DTYPE_F32, 2, (ptrdiff_t[]){rows, columns});
        right = tensor_transpose(&right, 0, 1);
        matrix_product_once(kernel, &left, &right, &out);
    }
}

static void set_strides(const FormulaRunner *runner, const FormulaCode *code, const Axes *axes,
                        ptrdiff_t *stride)
{
    for (int i = axes->count - 1; i >= 0; i--) {
        for (int key = 0; key < code->key_count; key++)
            if (code->key_axes[key] == axes->axes[i])
                code->table->stride[key] = *stride;
        *stride *= runner->program->axes[axes->axes[i]].size;
    }
}

// Makes the table, or none if a factor cannot be computed somewhere, since that element may never be needed.
// Returns false if memory is short.
static bool fill_products(FormulaRunner *runner, const FormulaCode *code, Products *products)
{
    Arena arena = {0};
    Error refused = {.of_machine = false};
    FormulaRunner own = *runner;
    own.err = &refused;
    memset(own.place, 0, sizeof own.place);
    ptrdiff_t stride = 1;
    ptrdiff_t count = products->shared.places * products->own[0].places * products->own[1].places;
    float *sums = arena_take(runner->program->arena, (size_t)count, sizeof *sums, &refused);
    bool good =
        sums && fill_factor(&own, products, 0, &arena) && fill_factor(&own, products, 1, &arena);
    if (good) {
        multiply(products, sums);
        for (ptrdiff_t i = 0; i < count && code->kind == FORMULA_MEAN; i++)
            sums[i] = (float)((double)sums[i] / (double)(float)products->summed.places);
        set_strides(runner, code, &products->own[1], &stride);
        set_strides(runner, code, &products->own[0], &stride);
        set_strides(runner, code, &products->shared, &stride);
        code->table->numbers = sums;
    }
    arena_finish(&arena);
    if (!good && refused.of_machine)
        *runner->err = refused;
    return good || !refused.of_machine;
}

// --- others

// A value is needed several times if the node lacks an axis of the result. Returns false if memory is short.
static bool begin_empty(FormulaRunner *runner, const FormulaCode *code)
{
    Axes keys = {.places = 1}, result = {.places = 1};
    ptrdiff_t stride = 1;
    for (int i = 0; i < code->key_count; i++)
        add_axis(runner, &keys, code->key_axes[i]);
    for (int i = 0; i < runner->result->axis_count && i < FORMULA_KEY_MAX; i++)
        add_axis(runner, &result, runner->result->axes[i]);
    if (keys.places > result.places / 2 || keys.places == 0)
        return true;
    float *numbers =
        arena_take(runner->program->arena, (size_t)keys.places, sizeof *numbers, runner->err);
    for (ptrdiff_t i = 0; numbers && i < keys.places; i++)
        memcpy(&numbers[i], &unknown, sizeof unknown);
    set_strides(runner, code, &keys, &stride);
    code->table->numbers = numbers;
    return numbers;
}

bool formula_table(FormulaRunner *runner, const FormulaCode *code, const FormulaTable **table)
{
    Products products;
    FormulaCode *node = (FormulaCode *)code;
    *table = NULL;
    if (!runner->result || runner->visitor || !runner->narrow || !code->is_float ||
        code->key_count > FORMULA_KEY_MAX)
        return true;
    if (!node->table)
        node->table = arena_take(runner->program->arena, 1, sizeof *node->table, runner->err);
    if (!node->table)
        return false;
    if (node->table->run != runner->program->runs) {
        *node->table = (FormulaTable){.run = runner->program->runs};
        if (!(find_products(runner, code, &products) ? fill_products(runner, code, &products)
                                                     : begin_empty(runner, code)))
            return false;
    }
    *table = node->table->numbers ? node->table : NULL;
    return true;
}
