// Relation: of a whole run: all is right but the weights, which are the same for all keys, the scores themselves,
// or 1 for the largest; or there is one head in the place of all.
#include "relation_tools.h"

#include <math.h>
#include <string.h>
#include "relation_words.h"

extern const Relation relation_run_weights;

enum { UNIFORM, SCORES, HARD, WAYS, ONE_HEAD = WAYS }; // reading.a

// What a way gives a key, of its score and how many of the row are not masked.
static double weight(int way, double score, ptrdiff_t seen)
{
    if (isinf(score))
        return 0.0;
    return way == UNIFORM ? 1.0 / (double)seen : score;
}

static void weigh_row(int way, const Tensor *scores, Tensor *weights, ptrdiff_t at[])
{
    double largest = -INFINITY;
    ptrdiff_t seen = 0, first = 0, keys = scores->shape[3];
    for (at[3] = 0; at[3] < keys; at[3]++) {
        double score = tensor_number(scores, at);
        first = score > largest ? at[3] : first;
        largest = fmax(largest, score);
        seen += !isinf(score);
    }
    for (at[3] = 0; at[3] < keys; at[3]++)
        *tensor_at4(weights, at[0], at[1], at[2], at[3]) =
            (float)(way == HARD ? (double)(at[3] == first)
                                : weight(way, tensor_number(scores, at), seen));
    at[3] = keys - 1;
}

static bool run_weights(void *way, const TraceStep *step, StageArgs *args, bool *done, Error *err)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    *done = strcmp(step->stage->name, "softmax") == 0;
    if (!*done || !step->stage->run(args, err))
        return !*done;
    do
        weigh_row(*(const int *)way, &args->in[0], &args->out[step->stage->main_output], at);
    while (tensor_next(&args->in[0], at));
    return true;
}

static bool one_head_makes(const RelationCase *what)
{
    Trace run;
    Scenario one = *what->right->scenario; // shares its tensors, and is not finished
    one.options.heads = one.size[SYMBOL_H] = 1;
    one.size[SYMBOL_D_K] = one.size[SYMBOL_DK];
    one.size[SYMBOL_D_V] = one.size[SYMBOL_DV];
    one.options.scale = sqrtf((float)one.size[SYMBOL_DK]);
    return relation_run_makes(what, &one, NULL, &run);
}

// A gradient comes back through weights that are not these.
static void read(const RelationCase *what, RelationReadings *readings)
{
    const Scenario *scenario = what->right->scenario;
    for (int number = 0; what->step < 0 && !what->tensor && number < WAYS; number++) {
        Trace run;
        const TraceWay way = {.run = run_weights, .context = &number};
        const RelationReading reading = {&relation_run_weights, number, 0, 0.0, NULL};
        if (relation_counts(what, &reading) && relation_run_makes(what, scenario, &way, &run))
            relation_add(what, readings, reading);
    }
    const RelationReading one_head = {&relation_run_weights, ONE_HEAD, 0, 0.0, NULL};
    if (what->step < 0 && scenario->has_heads && scenario->size[SYMBOL_H] > 1 &&
        relation_counts(what, &one_head) && one_head_makes(what))
        relation_add(what, readings, one_head);
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [UNIFORM] = ROW(WEIGHTS_UNIFORM),
        [SCORES] = ROW(WEIGHTS_ARE_SCORES),
        [HARD] = ROW(WEIGHTS_HARD),
        [ONE_HEAD] = ROW(ONE_HEAD),
    };
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_run_weights = {.name = "run-weights", .read = read, .say = say};
