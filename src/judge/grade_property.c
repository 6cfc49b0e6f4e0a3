// What is looked for in wrong numbers; see grade_internal.h.
#include <math.h>
#include <string.h>
#include "grade_internal.h"
#include "relation.h"
#include "relation_tools.h"
#include "words.h"

// --- in one answer
//
// what holds of right numbers whatever they are, looked for in wrong ones. Each function finds
// the first place where it breaks.

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

// Whether the list "score scale " has the exercise; an empty one has all.
static bool grade_property_is_of(const char *exercises, const char *name)
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

// --- between two answers
//
// what holds between two answers of a function, looked for where its first one is wrong: asked
// the same, asked with the heads in reverse order, asked with an input doubled.

typedef struct Second {
    const GradeCase *drawn;
    int number;      // of the row
    StageArgs asked; // the changed inputs
    Tensor answer;   // what the first answer says of the second
} Second;

// Fills in the inputs and the answer, which are copies of the first ones before. False: this case cannot
// be asked.
typedef bool Way(Second *second);

static bool again(Second *second)
{
    return second->number == 0;
}

// The axis of a tensor that a symbol counts; -1.
static int axis_of(const Tensor *tensor, const char *axes, int symbol)
{
    const RelationCase what = {.axes = axes ? axes : ""};
    for (int axis = 0; axis < tensor->rank; axis++)
        if ((int)relation_axis(&what, axis) == symbol)
            return axis;
    return -1;
}

// Whether there is something to turn.
static bool turn(const Tensor *from, const Tensor *to, const char *axes, int symbol)
{
    int axis = axis_of(from, axes, symbol);
    if (axis < 0)
        return false;
    ptrdiff_t length = from->shape[axis];
    for (ptrdiff_t i = 0; i < length; i++) {
        Tensor one = tensor_narrow(from, axis, i, 1);
        Tensor other = tensor_narrow(to, axis, length - 1 - i, 1);
        tensor_copy(&one, &other);
    }
    return length > 1;
}

static bool turned(Second *second)
{
    const GradeCase *drawn = second->drawn;
    const StageCall *call = drawn->call;
    bool any = false;
    for (int slot = 0; slot < STAGE_READS_MAX && call->reads[slot].role; slot++)
        if (drawn->given.in[slot].storage.bytes &&
            turn(&drawn->given.in[slot], &second->asked.in[slot], call->reads[slot].axes,
                 second->number))
            any = true;
    turn(grade_result(drawn), &second->answer, call->writes[grade_main_slot(drawn)].axes,
         second->number);
    return any;
}

static bool shifted(Second *second)
{
    Tensor *in = &second->asked.in[0];
    for (ptrdiff_t i = 0; i < tensor_count(in); i++)
        in->storage.f32[i] += (float)second->number;
    return true;
}

// What comes of the input counts twice; a bias, which is the third input, once.
static bool doubled(Second *second)
{
    const Tensor *bias = &second->drawn->given.in[2];
    bool has_bias = bias->storage.bytes && bias->rank == 1;
    Tensor *in = &second->asked.in[second->number], *answer = &second->answer;
    ptrdiff_t width = answer->shape[answer->rank - 1];
    if (has_bias && bias->shape[0] != width)
        return false;
    for (ptrdiff_t i = 0; i < tensor_count(in); i++)
        in->storage.f32[i] *= 2.0f;
    for (ptrdiff_t i = 0; i < tensor_count(answer); i++) {
        float once = has_bias ? *tensor_at1(bias, i % width) : 0.0f;
        answer->storage.f32[i] = 2.0f * answer->storage.f32[i] - once;
    }
    return true;
}

static const struct {
    Way *way;
    int number;
    const char *exercises;
    Words words;
} seconds[] = {
#define PROPERTY(exercise, breaks, english, korean)
#define SECOND(way, number, exercises, english, korean) \
    {way, number, exercises, WORDS(english, korean)},
#include "grade_properties.def"
#undef SECOND
#undef PROPERTY
};

static Tensor copy_of(GradeCase *drawn, const Tensor *tensor)
{
    if (!tensor->storage.bytes)
        return *tensor;
    Tensor copy = grade_room(drawn, tensor);
    tensor_copy(tensor, &copy);
    return copy;
}

static double largest_of(const Tensor *tensor)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double largest = 0.0;
    do
        if (isfinite(tensor_number(tensor, at)))
            largest = fmax(largest, fabs(tensor_number(tensor, at)));
    while (tensor_next(tensor, at));
    return largest;
}

// The first number that is another than it should be, by more than a wrong formula's rounding; only where
// the first answer was a number.
static bool find_break(const Tensor *now, const Tensor *answer, ptrdiff_t at[])
{
    double largest = largest_of(answer);
    do {
        double is = tensor_number(now, at), should = tensor_number(answer, at);
        double allowed = 1e-3 * fabs(should) + 1e-5 * largest + 1e-6;
        if (isfinite(should) && !(fabs(is - should) <= allowed))
            return true;
    } while (tensor_next(now, at));
    return false;
}

// Asks, and finds where the answer is another than it should be.
static bool breaks(GradeCase *drawn, int row, Second *second, ptrdiff_t at[])
{
    WorkerAnswer ignored;
    *second = (Second){.drawn = drawn, .number = seconds[row].number, .asked = drawn->given};
    for (int i = 0; i < STAGE_READS_MAX; i++)
        second->asked.in[i] = copy_of(drawn, &drawn->given.in[i]);
    for (int i = 0; i < STAGE_WRITES_MAX; i++)
        second->asked.out[i] = copy_of(drawn, &drawn->given.out[i]);
    second->answer = copy_of(drawn, grade_result(drawn));
    return seconds[row].way(second) &&
           worker_call(grade_running(drawn).workers->first, drawn->call, &second->asked,
                       &ignored) == WORKER_ANSWERED &&
           tensor_same_shape(&second->asked.out[grade_main_slot(drawn)], &second->answer) &&
           find_break(&second->asked.out[grade_main_slot(drawn)], &second->answer, at);
}

static void note(const Second *second, int row, const ptrdiff_t at[], VerdictTest *test,
                 Arena *arena)
{
    const GradeCase *drawn = second->drawn;
    double now = tensor_number(&second->asked.out[grade_main_slot(drawn)], at);
    double should = tensor_number(&second->answer, at);
    for (int language = 0; language < LANGUAGES; language++) {
        Error err;
        char place[128], text[512];
        words_format(text, sizeof text, seconds[row].words.in[language],
                     grade_property_place(drawn, at, place), grade_number(now, should, arena),
                     grade_number(should, now, arena), drawn->call->reads[0].role);
        test->property[language] = arena_text(arena, text, &err);
        grade_must(test->property[language] != NULL, &err);
    }
}

void grade_second_say(GradeCase *drawn, VerdictTest *test, Arena *arena)
{
    const Tensor *result = grade_result(drawn);
    if (drawn->exercise->arrange || result->dtype != DTYPE_F32 ||
        drawn->call->writes[grade_main_slot(drawn)].is_view)
        return;
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
        drawn->given.out[slot] = copy_of(drawn, &drawn->given.out[slot]);
    for (int row = 0; row < (int)(sizeof seconds / sizeof *seconds); row++) {
        Second second;
        ptrdiff_t at[TENSOR_RANK_MAX] = {0};
        if (grade_property_is_of(seconds[row].exercises, drawn->exercise->name) &&
            breaks(drawn, row, &second, at)) {
            note(&second, row, at, test, arena);
            return;
        }
    }
}

// --- numbers that were only added to

static const Words words =
#define ADDED(english, korean) WORDS(english, korean)
#include "grade_added.def"
#undef ADDED
    ;

// The same question, of outputs that begin at 0. False where there is no answer.
static bool ask_from_0(GradeCase *drawn, StageArgs *args)
{
    WorkerAnswer ignored;
    Worker *worker = grade_running(drawn).workers->first;
    *args = drawn->given;
    for (int i = 0; i < STAGE_WRITES_MAX; i++)
        if (args->out[i].storage.bytes && !drawn->call->writes[i].is_view)
            args->out[i] = grade_room(drawn, &drawn->given.out[i]);
    worker->begins_at_0 = true;
    bool answered = worker_call(worker, drawn->call, args, &ignored) == WORKER_ANSWERED;
    worker->begins_at_0 = false;
    return answered;
}

// How many elements that seemed never written are no longer 0; a sum of 0 is among them where one is. `where`
// is the first.
static ptrdiff_t count_added(const Tensor *before, const Tensor *from_0, const Tensor *known,
                             ptrdiff_t where[])
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, count = 0, sums_of_0 = 0;
    do {
        if (!worker_unwritten(before, at))
            continue;
        if (tensor_number(from_0, at) != 0.0) {
            if (count++ == 0)
                memcpy(where, at, sizeof at);
        } else if (tensor_number(known, at) == 0.0) {
            sums_of_0++;
        }
    } while (tensor_next(before, at));
    return count > 0 ? count + sums_of_0 : 0;
}

void grade_added_say(GradeCase *drawn, int slot, const ptrdiff_t first[], VerdictTest *test,
                     Arena *arena)
{
    StageArgs args;
    ptrdiff_t where[TENSOR_RANK_MAX] = {0};
    const Tensor *before = &drawn->given.out[slot], *known = &drawn->expected[slot];
    if (drawn->unwritten[slot] == 0 || before->dtype != DTYPE_F32 || !ask_from_0(drawn, &args))
        return;
    ptrdiff_t count = count_added(before, &args.out[slot], known, where);
    if (count == 0)
        return;
    test->unwritten -= count;
    if (worker_unwritten(before, first) && tensor_number(&args.out[slot], first) != 0.0)
        test->kind = VERDICT_KIND_ADDED;
    for (int language = 0; language < LANGUAGES && !test->hidden; language++) {
        char place[128], text[256];
        words_format(text, sizeof text, words.in[language],
                     grade_property_place(drawn, where, place));
        test->property[language] = grade_kept(text, arena);
    }
}
