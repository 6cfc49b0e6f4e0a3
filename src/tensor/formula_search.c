// formula_search: which one edit of a formula gives numbers that somebody has; see formula.h.
//
// Most edits do not bind, and most others differ in the first few elements. So each is bound, asked for
// some elements, and computed as a whole only where those agree, draw after draw.
#include "formula_internal.h"

#include <math.h>

enum { ELEMENTS_FIRST = 6 };

typedef struct Search {
    const FormulaSearch *ask;
    const FormulaEditVisitor *visitor;
    int count;
} Search;

static double largest_of(const Tensor *tensor)
{
    double largest = 0.0;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(tensor) > 0; more; more = tensor_next(tensor, at)) {
        double number = fabs(tensor_number(tensor, at));
        largest = isfinite(number) && number > largest ? number : largest;
    }
    return largest;
}

static bool agree(const Search *search, double ours, double theirs, double largest)
{
    return ours == theirs || (isnan(ours) && isnan(theirs)) ||
           fabs(ours - theirs) <= search->ask->nearly * largest;
}

// Elements spread over the tensor; one that cannot be computed agrees with nothing.
static bool first_agree(const Search *search, FormulaProgram *program, const Tensor *wrong,
                        double largest)
{
    Error ignored;
    ptrdiff_t count = tensor_count(wrong), at[TENSOR_RANK_MAX];
    for (ptrdiff_t i = 0; i < ELEMENTS_FIRST && i < count; i++) {
        double value;
        tensor_unravel(wrong, i * (count - 1) / ELEMENTS_FIRST + (i > 0), at);
        if (!formula_element(program, 0, at, false, &value, &ignored) ||
            !agree(search, value, tensor_number(wrong, at), largest))
            return false;
    }
    return true;
}

static bool all_agree(const Search *search, FormulaProgram *program, const Tensor *wrong,
                      double largest)
{
    Error ignored;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    if (!formula_run(program, false, &ignored))
        return false;
    const Tensor *numbers = &program->results[0].numbers;
    for (bool more = tensor_count(wrong) > 0; more; more = tensor_next(wrong, at))
        if (!agree(search, ((const double *)numbers->storage.bytes)[tensor_place(numbers, at)],
                   tensor_number(wrong, at), largest))
            return false;
    return true;
}

static bool gives(const Search *search, const Formula *formula, const FormulaDraw *draw)
{
    Error ignored;
    Arena arena = {0};
    static const double most = 1e7; // draws are small
    FormulaProgram program;
    double largest = largest_of(&draw->wrong);
    bool good = formula_bind(&arena, formula, &draw->scope, most, &program, &ignored) &&
                program.results[0].rank == draw->wrong.rank;
    for (int axis = 0; good && axis < draw->wrong.rank; axis++)
        good = program.results[0].shape[axis] == draw->wrong.shape[axis];
    good = good && first_agree(search, &program, &draw->wrong, largest) &&
           all_agree(search, &program, &draw->wrong, largest);
    arena_finish(&arena);
    return good;
}

static bool look_at(void *context, const FormulaEdit *edit)
{
    Search *search = context;
    for (int i = 0; i < search->ask->draw_count; i++)
        if (!gives(search, &edit->formula, &search->ask->draws[i]))
            return true;
    search->count++;
    return search->visitor->hear(search->visitor->context, edit);
}

int formula_search(const FormulaSearch *ask, const FormulaEditVisitor *visitor, Error *err)
{
    Arena arena = {0};
    Search search = {.ask = ask, .visitor = visitor};
    FormulaEditVisitor all = {look_at, &search};
    bool good = formula_edits(&arena, ask->formula, 0, ask->names, &all, err);
    arena_finish(&arena);
    return good ? search.count : -1;
}
