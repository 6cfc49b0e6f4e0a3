// Relation: of a whole run: what an earlier step made is the result, as far as its columns go.
#include "relation_tools.h"

#include "relation_words.h"
#include "tensor_difference.h"

extern const Relation relation_earlier;

enum { CALLS = 8 };

// Whether both have the same rows; a column may be missing on either side.
static bool has_rows_of(const Tensor *one, const Tensor *other)
{
    int last = one->rank - 1;
    bool same = one->rank == other->rank && last > 0 && one->dtype == DTYPE_F32 &&
                other->dtype == DTYPE_F32 && one->shape[last] > 1 && other->shape[last] > 1;
    for (int axis = 0; same && axis < last; axis++)
        same = one->shape[axis] == other->shape[axis];
    return same;
}

static bool is_made_of(const RelationCase *what, const Tensor *earlier)
{
    if (!has_rows_of(what->wrong, earlier))
        return false;
    int last = earlier->rank - 1;
    ptrdiff_t width = what->wrong->shape[last] < earlier->shape[last] ? what->wrong->shape[last]
                                                                      : earlier->shape[last];
    Tensor wrong = tensor_narrow(what->wrong, last, 0, width);
    Tensor known = tensor_narrow(what->known, last, 0, width);
    Tensor part = tensor_narrow(earlier, last, 0, width);
    return tensor_difference(&wrong, &part).kind == DIFFERENCE_NONE &&
           tensor_difference(&known, &part).kind != DIFFERENCE_NONE;
}

// reading.a: the stage; reading.b: which of its calls
static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int i = 0; what->step < 0 && i < what->right->step_count; i++) {
        const TraceStep *step = &what->right->steps[i];
        int stage = 0, call = 0;
        while (stage_get(stage) && stage_get(stage) != step->stage)
            stage++;
        while (call < CALLS && step->call != &step->stage->calls[call])
            call++;
        StageArgs args;
        Error err = {.text = ""};
        bool has_args = call < CALLS && trace_arguments(what->right, i, &args, &err);
        relation_lacks(what, &err);
        if (has_args && is_made_of(what, &args.out[step->stage->main_output]))
            relation_add(what, readings,
                         (RelationReading){&relation_earlier, stage, call, 0.0, NULL});
    }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    const Stage *stage = stage_get(reading->a);
    const char *label = stage->calls[reading->b].label;
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, EARLIER), stage->name, label ? " " : "",
                 label ? label : "");
}

const Relation relation_earlier = {.name = "earlier", .read = read, .say = say};
