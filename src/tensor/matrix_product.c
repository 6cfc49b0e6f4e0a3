// matrix_product: cuts the output into bands and hands each to the kernel; see the header.
//
//   for each stretch of k that fits the nearest cache
//       for each panel (columns of the output)
//           the kernel's band: tile after tile down the rows
//
// A stretch continues with the sums stored by the one before: storing and loading a float changes
// no bit.
#include "matrix_product.h"

#include <assert.h>
#include <string.h>

enum { STRETCH = 768 }; // of k: at most 6 rows of it and a panel of it are in use at a time

// Numbers of `left` that are copied at a time, for at most this depth and at least this many panels.
enum { COPIED = 4096, COPIED_DEPTH = 128, COPIED_PANELS = 4 };

int matrix_panels_shape(const Kernel *kernel, const Tensor *right, ptrdiff_t shape[TENSOR_RANK_MAX])
{
    int outer = right->rank - 2;
    assert(outer >= 0 && outer + 3 <= TENSOR_RANK_MAX);
    memcpy(shape, right->shape, (size_t)outer * sizeof *shape);
    shape[outer] = (right->shape[outer + 1] + kernel->columns - 1) / kernel->columns;
    shape[outer + 1] = right->shape[outer];
    shape[outer + 2] = kernel->columns;
    return outer + 3;
}

bool matrix_panels_in_place(const Kernel *kernel, const Tensor *right, Tensor *panels)
{
    int outer = right->rank - 2;
    ptrdiff_t rest = right->shape[outer + 1] % kernel->columns;
    if (right->stride[outer + 1] != 1 || (rest != 0 && rest != kernel->narrow))
        return false;
    *panels = *right;
    panels->rank = matrix_panels_shape(kernel, right, panels->shape);
    panels->stride[outer] = kernel->columns;
    panels->stride[outer + 1] = right->stride[outer];
    panels->stride[outer + 2] = 1;
    return true;
}

void matrix_pack(const Kernel *kernel, const Tensor *right, const Tensor *panels)
{
    ptrdiff_t depth = panels->shape[1], columns = panels->shape[2];
    for (ptrdiff_t panel = 0; panel < panels->shape[0]; panel++) {
        ptrdiff_t first = panel * columns, rest = right->shape[1] - first;
        kernel->pack(depth, rest < columns ? rest : columns, tensor_at2(right, 0, first),
                     right->stride[0], right->stride[1], tensor_at3(panels, panel, 0, 0));
    }
}

// A band whose columns are not contiguous: one tile at a time goes through a buffer.
static void band_apart(const Kernel *kernel, KernelBand band, ptrdiff_t out_column)
{
    float block[KERNEL_ROWS_MAX * KERNEL_WIDEST_MAX];
    band.soon = NULL;
    ptrdiff_t rows = band.rows, out_row = band.sums_row;
    for (float *out = band.sums; rows > 0; rows -= band.rows, out += band.rows * out_row) {
        band.rows = rows < kernel->rows ? rows : kernel->rows;
        for (ptrdiff_t i = 0; band.goes_on && i < band.rows; i++)
            for (ptrdiff_t j = 0; j < band.columns; j++)
                block[i * kernel->widest + j] = out[i * out_row + j * out_column];
        band.sums = block;
        band.sums_row = kernel->widest;
        kernel->band(&band);
        for (ptrdiff_t i = 0; i < band.rows; i++)
            for (ptrdiff_t j = 0; j < band.columns; j++)
                out[i * out_row + j * out_column] = block[i * kernel->widest + j];
        band.left += band.rows * band.left_row;
    }
}

// The arguments of matrix_product; `soon` is NULL if it is not contiguous.
typedef struct Product {
    const Kernel *kernel;
    const Tensor *left, *panels, *bias, *out;
    const float *soon;
    bool goes_on; // with the sums that are in `out`
    ptrdiff_t
        matrices; // 0: one. `left` is the first of these; they lie `apart`, their panels one below the other
    ptrdiff_t apart;
} Product;

// Adds the terms k ... k + depth - 1 to every sum, and the bias after the last term of all.
static void run_stretch(const Product *product, ptrdiff_t k, ptrdiff_t depth)
{
    const Kernel *kernel = product->kernel;
    const Tensor *left = product->left, *panels = product->panels, *out = product->out;
    float panel_bias[KERNEL_WIDEST_MAX];
    bool has_bias = product->bias && k + depth == left->shape[1];
    KernelBand band = {
        .rows = out->shape[0],
        .depth = depth,
        .left = tensor_at2(left, 0, k),
        .left_row = left->stride[0],
        .left_k = left->stride[1],
        .more = product->matrices > 0 ? product->matrices - 1 : 0,
        .left_matrix = product->apart,
        .panel_row = panels->stride[1],
        .panel_beside = panels->stride[0],
        .bias = has_bias ? panel_bias : NULL,
        .sums_row = out->stride[0],
        .goes_on = k > 0 || product->goes_on,
    };
    for (ptrdiff_t first = 0; first < out->shape[1]; first += band.columns) {
        ptrdiff_t rest = out->shape[1] - first, panel = first / kernel->columns;
        band.columns = rest <= kernel->widest ? rest : kernel->columns;
        for (ptrdiff_t j = 0; has_bias && j < kernel->widest; j++)
            panel_bias[j] = j < band.columns ? *tensor_at1(product->bias, first + j) : 0.0f;
        band.panel = tensor_at3(panels, panel, k, 0);
        band.sums = tensor_at2(out, 0, first);
        band.soon = product->soon && k == 0 ? product->soon + first * band.rows : NULL;
        if (out->stride[1] == 1)
            kernel->band(&band);
        else
            band_apart(kernel, band, out->stride[1]);
    }
}

// Rows of `left` that are far apart, as those of a head are, share few sets of the nearest cache, so each panel would
// read them from the second one again. Copies some rows at a time if enough panels use them.
static bool is_left_copied(const Product *product)
{
    const Tensor *left = product->left;
    ptrdiff_t depth = left->shape[1];
    return product->matrices == 0 && depth > 0 && depth <= COPIED_DEPTH && left->stride[1] == 1 &&
           left->stride[0] > depth && product->panels->shape[0] >= COPIED_PANELS;
}

static void run_copied(const Product *product)
{
    float numbers[COPIED];
    const Tensor *left = product->left;
    ptrdiff_t rows = left->shape[0], depth = left->shape[1], height = product->kernel->rows;
    ptrdiff_t most = COPIED / depth / height * height, length;
    Product some = *product;
    for (ptrdiff_t first = 0; first < rows; first += length) {
        length = rows - first < most ? rows - first : most;
        KernelRows from = {tensor_at2(left, first, 0), length, depth, left->stride[0]};
        product->kernel->copy(&from, numbers, depth);
        Tensor copied = tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){length, depth});
        Tensor out = tensor_narrow(product->out, 0, first, length);
        some.left = &copied;
        some.out = &out;
        some.soon = product->soon ? product->soon + first * out.shape[1] : NULL;
        run_stretch(&some, 0, depth);
    }
}

static void run_product(const Product *product)
{
    ptrdiff_t depth = product->left->shape[1], stretches = (depth + STRETCH - 1) / STRETCH;
    assert(product->left->shape[0] == product->out->shape[0] && product->panels->shape[1] == depth);
    assert(product->panels->shape[2] == product->kernel->columns);
    if (is_left_copied(product)) {
        run_copied(product);
        return;
    }
    if (stretches == 0) // no terms: the tile stores its empty sums
        run_stretch(product, 0, 0);
    for (ptrdiff_t number = 0; number < stretches; number++) {
        ptrdiff_t k = number * depth / stretches;
        run_stretch(product, k, (number + 1) * depth / stretches - k);
    }
}

void matrix_product(const Kernel *kernel, const Tensor *left, const Tensor *panels,
                    const Tensor *bias, const Tensor *out, const Tensor *soon)
{
    bool is_soon = soon && tensor_is_contiguous(soon);
    run_product(&(Product){.kernel = kernel,
                           .left = left,
                           .panels = panels,
                           .bias = bias,
                           .out = out,
                           .soon = is_soon ? tensor_at2(soon, 0, 0) : NULL});
}

void matrix_product_onto(const Kernel *kernel, const Tensor *left, const Tensor *panels,
                         const Tensor *out)
{
    run_product(
        &(Product){.kernel = kernel, .left = left, .panels = panels, .out = out, .goes_on = true});
}

// Adds up the products of all matrices of `left` (B, I, K), or of all of them transposed, with the K rows of the panels
// that follow the last one's.
static void sum_products(const Product *product, bool is_turned)
{
    const Tensor *left = product->left;
    ptrdiff_t depth = left->shape[is_turned ? 1 : 2];
    ptrdiff_t together = depth > 0 && depth < STRETCH ? STRETCH / depth : 1;
    for (ptrdiff_t b = 0; b < left->shape[0]; b += together) {
        Tensor matrix = tensor_select(left, 0, b);
        Tensor panels = tensor_narrow(product->panels, 1, b * depth, depth);
        if (is_turned)
            matrix = tensor_transpose(&matrix, 0, 1);
        Product some = *product;
        some.left = &matrix;
        some.panels = &panels;
        some.goes_on = product->goes_on || b > 0;
        some.matrices = b + together < left->shape[0] ? together : left->shape[0] - b;
        some.apart = left->stride[0];
        run_product(&some);
    }
}

void matrix_product_of_stack(const Kernel *kernel, const Tensor *left, const Tensor *panels,
                             bool goes_on, const Tensor *out)
{
    Error apart;
    Tensor rows;
    Product product = {
        .kernel = kernel, .left = left, .panels = panels, .out = out, .goes_on = goes_on};
    ptrdiff_t depth = left->shape[1], width = left->shape[2];
    if (tensor_view(left, 2, (ptrdiff_t[]){left->shape[0] * depth, width}, &rows, &apart)) {
        rows = tensor_transpose(&rows, 0, 1);
        product.left = &rows;
        run_product(&product);
        return;
    }
    sum_products(&product, true);
}

void matrix_product_summed(const Kernel *kernel, const Tensor *left, const Tensor *panels,
                           const Tensor *out)
{
    if (panels->stride[0] == panels->shape[2] * panels->stride[2]) {
        Tensor stacked = tensor_select(panels, 0, 0);
        stacked.shape[1] *= panels->shape[0];
        sum_products(&(Product){.kernel = kernel, .left = left, .panels = &stacked, .out = out},
                     false);
        return;
    }
    for (ptrdiff_t q = 0; q < left->shape[0]; q++) {
        Tensor matrix = tensor_select(left, 0, q), own = tensor_select(panels, 0, q);
        if (q == 0)
            matrix_product(kernel, &matrix, &own, NULL, out, NULL);
        else
            matrix_product_onto(kernel, &matrix, &own, out);
    }
}

void matrix_product_once(const Kernel *kernel, const Tensor *left, const Tensor *right,
                         const Tensor *out)
{
    enum { DEPTH = 256 };
    float block[DEPTH * KERNEL_COLUMNS_MAX];
    ptrdiff_t depth = right->shape[0], columns = right->shape[1];
    for (ptrdiff_t j = 0; j < columns; j += kernel->columns) {
        ptrdiff_t wide = columns - j < kernel->columns ? columns - j : kernel->columns;
        Tensor sums = tensor_narrow(out, 1, j, wide), strip = tensor_narrow(right, 1, j, wide);
        for (ptrdiff_t k = 0; k == 0 || k < depth; k += DEPTH) {
            ptrdiff_t deep = depth - k < DEPTH ? depth - k : DEPTH;
            Tensor some = tensor_narrow(&strip, 0, k, deep);
            Tensor some_left = tensor_narrow(left, 1, k, deep);
            Tensor panel =
                tensor_over(block, DTYPE_F32, 3, (ptrdiff_t[]){1, deep, kernel->columns});
            matrix_pack(kernel, &some, &panel);
            if (k == 0)
                matrix_product(kernel, &some_left, &panel, NULL, &sums, NULL);
            else
                matrix_product_onto(kernel, &some_left, &panel, &sums);
        }
    }
}

void matrix_products(const Kernel *kernel, const Tensor *left, const Tensor *panels,
                     const Tensor *bias, const Tensor *out)
{
    Error apart;
    Tensor rows, out_rows;
    ptrdiff_t count = left->shape[0] * left->shape[1];
    if (tensor_view(left, 2, (ptrdiff_t[]){count, left->shape[2]}, &rows, &apart) &&
        tensor_view(out, 2, (ptrdiff_t[]){count, out->shape[2]}, &out_rows, &apart)) {
        matrix_product(kernel, &rows, panels, bias, &out_rows, NULL);
        return;
    }
    for (ptrdiff_t b = 0; b < left->shape[0]; b++) {
        rows = tensor_select(left, 0, b);
        out_rows = tensor_select(out, 0, b);
        matrix_product(kernel, &rows, panels, bias, &out_rows, NULL);
    }
}
