// Relation: of a step that adds something to one of its inputs (positions, a step of Adam): it goes the
// other way, is too large, or stands alone.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_change;

enum { BACKWARDS, TIMES, ALONE, ALONE_MINUS }; // reading.a; reading.b is the input

typedef struct Changed {
    const Tensor *input;
    double kept, times; // wrong = kept * input + times * (right - input)
} Changed;

static double changed(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Changed *changed = context;
    double input = tensor_number(changed->input, at);
    return changed->kept * input + changed->times * (tensor_number(what->known, at) - input);
}

// How much larger our change is, where the right one is largest.
static double times_of(const RelationCase *what, const Tensor *input)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double largest = 0.0, times = NAN;
    do {
        double before = tensor_number(input, at), change = tensor_number(what->known, at) - before;
        if (isfinite(change) && fabs(change) > largest) {
            largest = fabs(change);
            times = (tensor_number(what->wrong, at) - before) / change;
        }
    } while (tensor_next(what->known, at));
    return times;
}

static void read_input(const RelationCase *what, RelationReadings *readings, int slot)
{
    const Tensor *input = &what->given->in[slot];
    double times = times_of(what, input);
    if (isfinite(times) && relation_fits(what, changed, &(Changed){input, 1.0, times})) {
        bool backwards = fabs(times + 1.0) < 1e-4;
        relation_add(what, readings,
                     (RelationReading){&relation_change, backwards ? BACKWARDS : TIMES, slot,
                                       backwards ? 0.0 : times, NULL});
    }
    for (int form = ALONE; form <= ALONE_MINUS; form++)
        if (relation_fits(what, changed, &(Changed){input, 0.0, form == ALONE ? 1.0 : -1.0}))
            relation_add(what, readings,
                         (RelationReading){&relation_change, form, slot, 0.0, NULL});
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int slot = 0; what->given && slot < STAGE_READS_MAX; slot++) {
        const Tensor *input = &what->given->in[slot];
        if (input->storage.bytes && input->dtype == DTYPE_F32 &&
            tensor_same_shape(input, what->known))
            read_input(what, readings, slot);
    }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    char number[32];
    static const Words sentences[] = {
        [BACKWARDS] = ROW(CHANGE_BACKWARDS),
        [TIMES] = ROW(CHANGE_TIMES),
        [ALONE] = ROW(CHANGE_ALONE),
        [ALONE_MINUS] = ROW(CHANGE_ALONE_MINUS),
    };
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 reading->call->reads[reading->b].role, relation_number(reading->number, number));
}

const Relation relation_change = {.name = "change", .read = read, .say = say};
