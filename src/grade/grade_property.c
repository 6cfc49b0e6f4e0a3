// grade_property: what holds of right numbers whatever they are, looked for in wrong ones. Each function finds
// the first place where it breaks.
#include "grade_property.h"

#include <math.h>
#include <string.h>
#include "words.h"

// Where it breaks: an element, or a row, whose last index is -1; and what is there.
typedef struct Break {
    ptrdiff_t at[TENSOR_RANK_MAX];
    double number, bound;
} Break;

typedef bool Property(const GradeCase *drawn, Break *found);

static bool no_sign(const GradeCase *drawn, Break *found)
{
    const Tensor *weights = grade_result(drawn);
    do {
        found->number = tensor_number(weights, found->at);
        if (found->number < 0.0)
            return true;
    } while (tensor_next(weights, found->at));
    return false;
}

// The first row whose sum is another.
static bool row_sum(const GradeCase *drawn, double right, double within, Break *found)
{
    const Tensor *rows = grade_result(drawn);
    int last = rows->rank - 1;
    double sum = 0.0;
    do {
        sum = found->at[last] == 0 ? 0.0 : sum;
        sum += tensor_number(rows, found->at);
        if (found->at[last] == rows->shape[last] - 1 && isfinite(sum) &&
            fabs(sum - right) > within) {
            found->at[last] = -1;
            found->number = sum;
            return true;
        }
    } while (tensor_next(rows, found->at));
    return false;
}

static bool row_sum_1(const GradeCase *drawn, Break *found)
{
    return row_sum(drawn, 1.0, 1e-3, found);
}

static bool row_sum_0(const GradeCase *drawn, Break *found)
{
    const Tensor *right = grade_expected(drawn);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double largest = 1.0;
    do
        largest = fmax(largest, fabs(tensor_number(right, at)));
    while (tensor_next(right, at));
    return row_sum(drawn, 0.0, 1e-2 * largest, found);
}

static bool lets_through(const GradeCase *drawn, Break *found)
{
    const Tensor *scores = grade_result(drawn);
    do {
        found->number = tensor_number(scores, found->at);
        if (found->at[3] > found->at[2] && isfinite(found->number))
            return true;
    } while (tensor_next(scores, found->at));
    return false;
}

// Weights are shares: a mixture lies between the smallest and the largest value of its column.
// Not of weights that dropout has enlarged.
static bool mixture(const GradeCase *drawn, Break *found)
{
    const Tensor *context = grade_result(drawn), *v = &drawn->given.in[1];
    if (drawn->wishes & GRADE_DROPOUT)
        return false;
    do {
        found->bound = -INFINITY;
        for (ptrdiff_t j = 0; j < v->shape[2]; j++)
            found->bound = fmax(
                found->bound, (double)*tensor_at4(v, found->at[0], found->at[1], j, found->at[3]));
        found->number = tensor_number(context, found->at);
        if (found->number > found->bound + 1e-3 * (1.0 + fabs(found->bound)))
            return true;
    } while (tensor_next(context, found->at));
    return false;
}

// The ids of a row, written through an int32_t *: each place holds two of them.
static bool two_in_one(const GradeCase *drawn, Break *found)
{
    const Tensor *ids = grade_result(drawn), *right = grade_expected(drawn);
    if (ids->shape[1] < 2 || ids->dtype != DTYPE_I64 || *tensor_id2(right, 0, 1) == 0)
        return false;
    int64_t two = *tensor_id2(right, 0, 0) + *tensor_id2(right, 0, 1) * ((int64_t)1 << 32);
    found->number = (double)two;
    return *tensor_id2(ids, 0, 0) == two;
}

// Whether each row marks what this length would, from it on or that place alone; `found` is then where
// the right mask differs first.
static bool is_marked(const GradeCase *drawn, int row_of_length, bool alone, Break *found)
{
    const Tensor *mask = grade_result(drawn), *lengths = &drawn->given.in[1];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    bool differs = false;
    do {
        ptrdiff_t row = row_of_length < 0 ? at[0] : row_of_length;
        ptrdiff_t length = *tensor_id1(lengths, row);
        bool marked = tensor_number(mask, at) != 0.0;
        if (marked != (alone ? at[1] == length : at[1] >= length))
            return false;
        if (!differs && marked != (tensor_number(grade_expected(drawn), at) != 0.0)) {
            memcpy(found->at, at, sizeof at);
            found->number = marked;
            differs = true;
        }
    } while (tensor_next(mask, at));
    return differs;
}

// The first axis along which a view steps by another number of elements.
static bool other_stride(const GradeCase *drawn, Break *found)
{
    const Tensor *view = grade_result(drawn), *right = grade_expected(drawn);
    for (int axis = 0; axis < view->rank; axis++)
        if (view->shape[axis] > 1 && view->stride[axis] != right->stride[axis]) {
            found->at[axis] = 1;
            found->number = (double)view->stride[axis];
            found->bound = (double)right->stride[axis];
            return true;
        }
    return false;
}

// A flag that is neither 0 nor 1.
static bool no_flag(const GradeCase *drawn, Break *found)
{
    const Tensor *mask = grade_result(drawn);
    do {
        found->number = (double)*tensor_flag2(mask, found->at[0], found->at[1]);
        if (found->number > 1.0)
            return true;
    } while (tensor_next(mask, found->at));
    return false;
}

static bool first_length(const GradeCase *drawn, Break *found)
{
    return is_marked(drawn, 0, false, found);
}

static bool marks_one(const GradeCase *drawn, Break *found)
{
    return is_marked(drawn, -1, true, found);
}

static const struct {
    const char *exercises;
    Property *breaks;
    Words words;
} properties[] = {
#define PROPERTY(exercises, breaks, english, korean) {exercises, breaks, WORDS(english, korean)},
#define SECOND(way, number, exercises, english, korean)
#include "grade_properties.def"
#undef SECOND
#undef PROPERTY
};

bool grade_property_is_of(const char *exercises, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = exercises; (at = strstr(at, name)); at++)
        if ((at == exercises || at[-1] == ' ') && at[length] == ' ')
            return true;
    return !*exercises;
}

const char *grade_property_place(const GradeCase *drawn, const ptrdiff_t at[], char text[128])
{
    const Tensor *result = grade_result(drawn);
    size_t used =
        (size_t)snprintf(text, 128, "%s", drawn->call->writes[grade_main_slot(drawn)].tensor);
    for (int axis = 0; axis < result->rank && used < 100; axis++) {
        const char *before = axis == 0 ? "[" : ", ";
        used += at[axis] < 0 ? (size_t)snprintf(text + used, 128 - used, "%s:", before)
                             : (size_t)snprintf(text + used, 128 - used, "%s%td", before, at[axis]);
    }
    strcat(text, "]");
    return text;
}

void grade_property_say(const GradeCase *drawn, VerdictTest *test, Arena *arena)
{
    const char *name = drawn->exercise->name;
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        Break found = {.number = 0.0};
        char place[128], text[256];
        if (!grade_property_is_of(properties[i].exercises, name) ||
            !properties[i].breaks(drawn, &found))
            continue;
        for (int language = 0; language < LANGUAGES; language++) {
            Error err;
            words_format(text, sizeof text, properties[i].words.in[language],
                         grade_property_place(drawn, found.at, place),
                         grade_number(found.number, found.bound, arena),
                         grade_number(found.bound, found.number, arena));
            test->property[language] = arena_text(arena, text, &err);
            grade_must(test->property[language] != NULL, &err);
        }
        return;
    }
}
