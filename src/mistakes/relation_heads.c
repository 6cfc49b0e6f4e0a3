// Relation: of a whole run: all is right but how the heads come together.
#include "relation_tools.h"

#include <string.h>
#include "relation_words.h"

extern const Relation relation_heads;

enum { // reading.a
    OVERWRITTEN,
    ADDED_UP,
    ADDED_UP_FOR_ALL,
    MEAN_FOR_ALL,
    LAST_FOR_ALL,
    FIRST_FOR_ALL,
    ONLY_LAST,
    ONLY_FIRST,
    WAYS
};

// What stands in column d of head h, of so many, where every head has right numbers of its own.
static double together(int way, const Tensor *context, ptrdiff_t b, ptrdiff_t h, ptrdiff_t i,
                       ptrdiff_t d)
{
    ptrdiff_t last = context->shape[1] - 1;
    double sum = 0.0, own = (double)*tensor_at4(context, b, h, i, d);
    double of_last = (double)*tensor_at4(context, b, last, i, d);
    for (ptrdiff_t head = 0; head <= last; head++)
        sum += (double)*tensor_at4(context, b, head, i, d);
    switch (way) {
    case OVERWRITTEN:
        return h == 0 ? of_last : 0.0;
    case ADDED_UP:
        return h == 0 ? sum : 0.0;
    case ADDED_UP_FOR_ALL:
        return sum;
    case MEAN_FOR_ALL:
        return sum / (double)(last + 1);
    case LAST_FOR_ALL:
        return of_last;
    case FIRST_FOR_ALL:
        return (double)*tensor_at4(context, b, 0, i, d);
    case ONLY_LAST:
        return h == last ? own : 0.0;
    default:
        return h == 0 ? own : 0.0;
    }
}

static bool run_together(void *way, const TraceStep *step, StageArgs *args, bool *done, Error *err)
{
    *done = strcmp(step->stage->name, "concat") == 0;
    if (!*done || !step->stage->run(args, err))
        return !*done;
    const Tensor *context = &args->in[0];
    Tensor *out = &args->out[step->stage->main_output];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, d_v = context->shape[3];
    do {
        *tensor_at3(out, at[0], at[1], at[2]) =
            (float)together(*(int *)way, context, at[0], at[2] / d_v, at[1], at[2] % d_v);
    } while (tensor_next(out, at));
    return true;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int number = 0; what->step < 0 && number < WAYS; number++) {
        Trace run;
        const TraceWay way = {.run = run_together, .context = &number};
        const RelationReading reading = {&relation_heads, number, 0, 0.0, NULL};
        if (relation_counts(what, &reading) &&
            relation_run_makes(what, what->right->scenario, &way, &run))
            relation_add(what, readings, reading);
    }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [OVERWRITTEN] = ROW(HEADS_OVERWRITTEN),
        [ADDED_UP] = ROW(HEADS_ADDED_UP),
        [ADDED_UP_FOR_ALL] = ROW(HEADS_ADDED_UP_FOR_ALL),
        [MEAN_FOR_ALL] = ROW(HEADS_MEAN_FOR_ALL),
        [LAST_FOR_ALL] = ROW(HEADS_LAST_FOR_ALL),
        [FIRST_FOR_ALL] = ROW(HEADS_FIRST_FOR_ALL),
        [ONLY_LAST] = ROW(HEADS_ONLY_LAST),
        [ONLY_FIRST] = ROW(HEADS_ONLY_FIRST),
    };
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_heads = {.name = "heads", .read = read, .say = say};
