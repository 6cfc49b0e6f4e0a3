// bits: fingerprints of what the lower floors compute, compared with a committed list.
//
//   bits LIST     says which lines of LIST differ; exit code 1 when one does
//   bits          prints the list
//
// It uses nothing but floors base, tensor, stages and trace, so that it can be built for another
// processor and run there. What it fingerprints is tested elsewhere, against PyTorch and against the
// plain loops; here only that every machine, kernel and number of threads agrees.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "generator.h"
#include "kernel.h"
#include "matrix_product.h"
#include "tiny.h"
#include "trace.h"

enum { NUMBERS = 10000, LINES_MAX = 4096, LINE_BYTES = 96 };

typedef struct Lines {
    char line[LINES_MAX][LINE_BYTES];
    int count;
} Lines;

// FNV-1a (Fowler, Noll, Vo)
static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t add_float(uint64_t hash, float number)
{
    uint32_t bits = 0x7fc00000;
    if (!isnan(number))
        memcpy(&bits, &number, sizeof bits);
    return add_bytes(hash, &bits, sizeof bits);
}

static uint64_t hash_floats(const float numbers[], size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++)
        hash = add_float(hash, numbers[i]);
    return hash;
}

static uint64_t hash_tensor(const Tensor *tensor)
{
    uint64_t hash = 0xcbf29ce484222325u;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(tensor) > 0; more; more = tensor_next(tensor, at)) {
        ptrdiff_t place = tensor_place(tensor, at);
        if (tensor->dtype == DTYPE_F32)
            hash = add_float(hash, tensor->storage.f32[place]);
        else if (tensor->dtype == DTYPE_I64)
            hash = add_bytes(hash, &tensor->storage.i64[place], sizeof(int64_t));
        else
            hash = add_bytes(hash, &tensor->storage.boolean[place], 1);
    }
    return hash;
}

static void add_line(Lines *lines, const char *what, uint64_t hash)
{
    if (lines->count < LINES_MAX)
        snprintf(lines->line[lines->count++], LINE_BYTES, "%.60s %016" PRIx64, what, hash);
}

static void generator_lines(Lines *lines)
{
    static float numbers[NUMBERS];
    Generator generator;
    generator_seed(&generator, 42);
    generator_rand(&generator, numbers, NUMBERS);
    add_line(lines, "rand", hash_floats(numbers, NUMBERS));
    generator_randn(&generator, numbers, NUMBERS);
    add_line(lines, "randn", hash_floats(numbers, NUMBERS));
    generator_uniform(&generator, -0.125, 0.125, numbers, NUMBERS);
    add_line(lines, "uniform", hash_floats(numbers, NUMBERS));
}

static void exponential_line(Lines *lines)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < 104856; i++) {
        uint32_t bits = i * 40961u;
        float x;
        memcpy(&x, &bits, sizeof x);
        hash = add_float(hash, exponential(x));
    }
    add_line(lines, "exponential", hash);
}

// False when a trace cannot be run at all.
static bool trace_lines(Lines *lines, int form, const Kernel *kernel, int threads)
{
    Error err = {.text = ""};
    Scenario scenario;
    Trace trace;
    char what[64];
    TinyShape shape = tiny_shapes[form];
    shape.batch += 1;
    shape.d_in += 29;
    shape.d_out = shape.residual ? shape.d_in : shape.d_out; // they are added up
    // large enough for every kernel's tile and for several slices; what is turned is turned in pairs
    shape.d_k += shape.options.rope > 0.0f ? 10 : 9;
    shape.d_v += 9;
    shape.keys += 40;
    shape.queries += 40;
    shape.context += shape.context ? 40 : 0;
    tiny_scenario(&scenario, shape, (uint64_t)form);
    scenario.threads = threads;
    bool ran = trace_open(&trace, &scenario, &err);
    trace.kernel = kernel;
    ran = ran && trace_run(&trace, &err);
    for (int i = 0; ran && i < trace.tensor_count; i++) {
        snprintf(what, sizeof what, "%d %.40s", form, trace.tensors[i].name);
        if (trace.tensors[i].step >= 0)
            add_line(lines, what, hash_tensor(&trace.tensors[i].tensor));
    }
    if (!ran)
        fprintf(stderr, "form %d: %s\n", form, err.text);
    trace_close(&trace);
    scenario_finish(&scenario);
    return ran;
}

static bool all_lines(Lines *lines, const Kernel *kernel, int threads)
{
    *lines = (Lines){.count = 0};
    generator_lines(lines);
    exponential_line(lines);
    bool ran = true;
    for (int form = 0; form < tiny_shape_count; form++)
        ran = trace_lines(lines, form, kernel, threads) && ran;
    return ran;
}

static bool equals_file(const Lines *lines, const char *path, const char *name, int threads)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    char line[LINE_BYTES];
    int count = 0, wrong = 0;
    for (; fgets(line, sizeof line, file); count++) {
        line[strcspn(line, "\n")] = '\0';
        if (count < lines->count && strcmp(line, lines->line[count]) == 0)
            continue;
        wrong++;
        printf("%s, %d threads: '%s', expected '%s'\n", name, threads,
               count < lines->count ? lines->line[count] : "nothing", line);
    }
    fclose(file);
    printf("%s, %d threads: %d lines, %d wrong\n", name, threads, count, wrong);
    return count == lines->count && wrong == 0;
}

int main(int argc, char **argv)
{
    static Lines lines;
    bool good = all_lines(&lines, NULL, 1);
    if (argc < 2) {
        for (int i = 0; i < lines.count; i++)
            puts(lines.line[i]);
        return good ? 0 : 1;
    }
    good = good && equals_file(&lines, argv[1], "definitions", 1);
    const Kernel *kernel;
    for (int number = 0; (kernel = kernel_get(number)) != NULL; number++)
        for (int threads = 1; threads <= 3; threads++)
            good = all_lines(&lines, kernel, threads) &&
                   equals_file(&lines, argv[1], kernel->name, threads) && good;
    return good ? 0 : 1;
}
