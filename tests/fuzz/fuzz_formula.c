// Fuzz target: formulas. What is read prints as text that reads back and prints the same. What binds to
// small tensors runs, and tells terms that lead to the element.
#include "formula.h"
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float numbers[2 * 3 * 4];
static int64_t ids[] = {2, 0, -1};

// Three tensors, an absent one, and a size.
static FormulaThing read_name(void *context, const char *name)
{
    (void)context;
    FormulaThing thing = {.kind = FORMULA_TENSOR, .hidden = -1};
    if (strcmp(name, "q") == 0)
        thing.tensor = tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){3, 4});
    else if (strcmp(name, "x") == 0)
        thing.tensor = tensor_over(numbers, DTYPE_F32, 3, (ptrdiff_t[]){2, 3, 4});
    else if (strcmp(name, "ids") == 0)
        thing.tensor = tensor_over(ids, DTYPE_I64, 1, (ptrdiff_t[]){3});
    else
        thing = (FormulaThing){.kind = strcmp(name, "bias") == 0  ? FORMULA_ABSENT
                                       : strcmp(name, "d_k") == 0 ? FORMULA_VALUE
                                                                  : FORMULA_UNKNOWN,
                               .value = 4.0};
    return thing;
}

static FormulaThing result_name(void *context, const char *name, bool is_first)
{
    (void)is_first;
    if (strcmp(name, "x") == 0)
        return read_name(context, name);
    return (FormulaThing){.kind = FORMULA_UNKNOWN};
}

static void visit(void *context, const FormulaTerm *term)
{
    *(double *)context = term->running;
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void run(Arena *arena, const Formula *formula)
{
    Error err = {.text = ""};
    FormulaProgram program;
    FormulaScope scope = {read_name, result_name, NULL};
    if (!formula_bind(arena, formula, &scope, 1e5, &program, &err) ||
        !formula_run(&program, false, &err)) {
        fuzz_refused(&err);
        return;
    }
    const FormulaResult *result = &program.results[0];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double alone, told;
    if (tensor_count(&result->numbers) == 0 ||
        !formula_element(&program, 0, at, false, &alone, &err))
        return; // no place of the axes leads there
    fuzz_must(formula_terms(&program, 0, at, false, &(FormulaTermVisitor){visit, &told}, &err),
              "it has terms: %s", err.text);
    fuzz_must(same(told, alone), "the last term is the element: %g, %g", told, alone);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    Arena arena = {0};
    Error err = {.text = ""};
    Formula formula, again;
    char text[8 * FORMULA_TEXT_MAX], twice[8 * FORMULA_TEXT_MAX];
    char *input = malloc(size + 1);
    memcpy(input, bytes, size);
    input[size] = '\0';
    if (formula_parse(&arena, input, &formula, &err)) {
        formula_print(&formula, NULL, NULL, text, sizeof text);
        if (strlen(text) <= FORMULA_TEXT_MAX) {
            fuzz_must(formula_parse(&arena, text, &again, &err), "it reads back: %s", err.text);
            formula_print(&again, NULL, NULL, twice, sizeof twice);
            fuzz_must(strcmp(twice, text) == 0, "as the same: %s, %s", text, twice);
        }
        run(&arena, &formula);
    } else
        fuzz_refused(&err);
    free(input);
    arena_finish(&arena);
    return 0;
}
