// grade_second: what holds between two answers of a function, looked for where its first one is wrong: asked
// the same, asked with the heads in reverse order, asked with an input doubled.
#include <math.h>
#include <string.h>
#include "grade_property.h"
#include "relation.h"
#include "relation_tools.h"
#include "words.h"

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
