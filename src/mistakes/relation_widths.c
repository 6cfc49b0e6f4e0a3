// Relation: of a whole run: where d_v belongs stands d_k, so that heads of v begin in other rows of w_v, lie in
// other places of the context, or lose columns.
#include "relation_tools.h"

#include <string.h>
#include "relation_words.h"

extern const Relation relation_widths;

enum { ROWS = 1, PLACES = 2, COLUMNS = 4, WAYS = 8 }; // reading.a: where d_k stands, one or several

typedef struct Widths {
    int way;
    ptrdiff_t d_k;
    bool fits; // whether there is a row of w_v for every column that is asked for
} Widths;

// What a column of a head is, from a row of w_v of any head: the columns of v lie in that order.
static float column(const StageArgs *args, const ptrdiff_t at[], ptrdiff_t head, ptrdiff_t row)
{
    const Tensor *weights = &args->in[0], *v = &args->in[1];
    float sum = 0.0f;
    for (ptrdiff_t j = 0; j < v->shape[2]; j++)
        sum += *tensor_at4(weights, at[0], head, at[2], j) *
               *tensor_at4(v, at[0], row / v->shape[3], j, row % v->shape[3]);
    return sum;
}

// The number at a place of the context, head after head: of heads that overlap the last one wrote it.
static float placed(Widths *widths, const StageArgs *args, const ptrdiff_t at[])
{
    ptrdiff_t d_v = args->in[1].shape[3], heads = args->in[1].shape[1], d_k = widths->d_k;
    ptrdiff_t begins = widths->way & ROWS ? d_k : d_v, stands = widths->way & PLACES ? d_k : d_v,
              columns = widths->way & COLUMNS ? d_k : d_v;
    ptrdiff_t place = at[1] * d_v + at[3];
    for (ptrdiff_t head = heads; head-- > 0;) {
        ptrdiff_t own = place - head * stands;
        if (own < 0 || own >= columns)
            continue;
        ptrdiff_t row = head * begins + own;
        widths->fits = widths->fits && row < heads * d_v;
        return widths->fits ? column(args, at, head, row) : 0.0f;
    }
    return 0.0f;
}

static bool run_widths(void *context, const TraceStep *step, StageArgs *args, bool *done,
                       Error *err)
{
    Widths *widths = context;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    *done = strcmp(step->stage->name, "weighted_sum") == 0;
    if (!*done || !step->stage->run(args, err))
        return !*done;
    Tensor *out = &args->out[step->stage->main_output];
    do {
        *tensor_at4(out, at[0], at[1], at[2], at[3]) = placed(widths, args, at);
    } while (tensor_next(out, at));
    return true;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    const Scenario *scenario = what->right->scenario;
    if (what->step >= 0 || !scenario->has_heads)
        return;
    for (int way = 1; way < WAYS; way++) {
        Trace run;
        Widths widths = {way, scenario->size[SYMBOL_D_K], true};
        const TraceWay run_way = {.run = run_widths, .context = &widths};
        const RelationReading reading = {&relation_widths, way, 0, 0.0, NULL};
        if (relation_counts(what, &reading) && relation_run_makes(what, scenario, &run_way, &run) &&
            widths.fits)
            relation_add(what, readings, reading);
    }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    (void)reading;
    words_format(text, RELATION_TEXT_MAX, "%s", TELL_IN(language, WIDTH_OF_KEYS));
}

const Relation relation_widths = {.name = "widths", .read = read, .say = say};
