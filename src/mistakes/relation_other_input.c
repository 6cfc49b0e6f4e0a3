// Relation: the step is right, of other inputs: one stands in the place of another, or one part of it
// (head 0, the first key) in the place of all.
#include "relation_tools.h"

#include "relation_words.h"

extern const Relation relation_other_input;

enum { FIRST = 1, LAST = 2, SYMBOLS = 64 }; // reading.b: an input; or SYMBOLS * which + symbol

static bool is_number(const Tensor *tensor)
{
    return tensor->storage.bytes && tensor->dtype == DTYPE_F32;
}

// The first part of `from` that has the shape of `like`; false where `from` is smaller.
static bool cut_to(const Tensor *from, const Tensor *like, Tensor *out)
{
    Tensor cut = *from;
    bool fits = from->rank == like->rank;
    for (int axis = 0; axis < from->rank && fits; axis++) {
        fits = from->shape[axis] >= like->shape[axis];
        if (fits)
            cut = tensor_narrow(&cut, axis, 0, like->shape[axis]);
    }
    *out = cut;
    return fits;
}

static void read_exchanged(const RelationCase *what, RelationReadings *readings, int slot)
{
    for (int other = 0; other < STAGE_READS_MAX; other++) {
        StageArgs args = *what->given;
        bool fits = other != slot && is_number(&args.in[other]) &&
                    cut_to(&args.in[other], &args.in[slot], &args.in[slot]);
        if (fits && relation_stage_makes(what, &args))
            relation_add(what, readings,
                         (RelationReading){&relation_other_input, slot, -1 - other, 0.0, NULL});
    }
}

static Symbol axis_of(const RelationCase *what, int slot, int axis)
{
    RelationCase input = *what;
    input.axes = what->right->steps[what->step].call->reads[slot].axes;
    return relation_axis_named(&input, axis);
}

static void read_parts(const RelationCase *what, RelationReadings *readings, int slot)
{
    const Tensor *input = &what->given->in[slot];
    for (int axis = 0; axis < input->rank; axis++)
        for (int which = FIRST; which <= LAST; which++) {
            Error ignored;
            StageArgs args = *what->given;
            Tensor part =
                tensor_narrow(input, axis, which == FIRST ? 0 : input->shape[axis] - 1, 1);
            if (input->shape[axis] > 1 &&
                tensor_expand(&part, input->rank, input->shape, &args.in[slot], &ignored) &&
                relation_stage_makes(what, &args))
                relation_add(what, readings,
                             (RelationReading){&relation_other_input, slot,
                                               SYMBOLS * which + (int)axis_of(what, slot, axis),
                                               0.0, NULL});
        }
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    if (!what->given)
        return;
    for (int slot = 0; slot < STAGE_READS_MAX; slot++)
        if (is_number(&what->given->in[slot])) {
            read_exchanged(what, readings, slot);
            read_parts(what, readings, slot);
        }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    const char *name = reading->call->reads[reading->a].role;
    if (reading->b < 0) {
        static const Words exchanged = ROW(INPUT_EXCHANGED); // its two names are counted
        words_format(text, RELATION_TEXT_MAX, exchanged.in[language], name,
                     reading->call->reads[-1 - reading->b].role);
        return;
    }
    const char *word = relation_axis_word((Symbol)(reading->b % SYMBOLS), language);
    if (reading->b % SYMBOLS == RELATION_AXIS_NUMBER && reading->b / SYMBOLS == FIRST)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INPUT_FIRST_NUMBER), name);
    else if (reading->b / SYMBOLS == FIRST)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INPUT_FIRST_ALONE), name, word);
    else
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INPUT_LAST_ALONE), name, word);
}

const Relation relation_other_input = {.name = "other-input", .read = read, .say = say};
