// Relation: of a whole run: a head of q, k or v is made of other rows: every H-th row of its weight, or the rows of
// another weight.
#include "relation_tools.h"

#include <string.h>
#include "relation_words.h"

extern const Relation relation_rows;

static const struct {
    const char *stage; // that reads it
    int slot;
    const char *from; // the heads that stand there: NULL: its own, every H-th row
    Words said;
} ways[] = {
    // reading.a
    {"score", 0, NULL, ROW(ROWS_Q_INTERLEAVED)},        {"score", 1, NULL, ROW(ROWS_K_INTERLEAVED)},
    {"weighted_sum", 1, NULL, ROW(ROWS_V_INTERLEAVED)}, {"weighted_sum", 1, "q", ROW(ROWS_V_OF_Q)},
    {"weighted_sum", 1, "k", ROW(ROWS_V_OF_K)},
};

typedef struct Rows {
    int way;
    Trace run;
    bool fits; // whether there is a row for every column that is asked for
    Arena arena;
} Rows;

// Column o of what a projection made, of all heads one after the other.
static float projected(const Tensor *heads, ptrdiff_t b, ptrdiff_t l, ptrdiff_t o)
{
    ptrdiff_t width = heads->shape[3];
    return *tensor_at4(heads, b, o / width, l, o % width);
}

// The heads of q or k in a run: what the score reads.
static const Tensor *heads_of(const Rows *rows, const char *name)
{
    for (int i = 0; i < rows->run.step_count; i++) {
        const TraceStep *step = &rows->run.steps[i];
        if (strcmp(step->stage->name, "score") == 0)
            return &step->args.in[*name == 'k'];
    }
    return NULL;
}

static bool fill(Rows *rows, const Tensor *from, Tensor *heads, Error *err)
{
    Tensor own = *heads;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, count = own.shape[1];
    bool is_own = from == heads;
    from = is_own ? &own : from;
    rows->fits = is_own || count * own.shape[3] <= from->shape[1] * from->shape[3];
    if (!rows->fits)
        return true;
    if (!tensor_take(&rows->arena, DTYPE_F32, own.rank, own.shape, heads, err))
        return false;
    do {
        ptrdiff_t o = is_own ? at[3] * count + at[1] : at[1] * own.shape[3] + at[3];
        *tensor_at4(heads, at[0], at[1], at[2], at[3]) = projected(from, at[0], at[2], o);
    } while (tensor_next(heads, at));
    return true;
}

static bool run_rows(void *context, const TraceStep *step, StageArgs *args, bool *done, Error *err)
{
    Rows *rows = context;
    const char *from = ways[rows->way].from;
    *done = strcmp(step->stage->name, ways[rows->way].stage) == 0;
    if (!*done)
        return true;
    StageArgs changed = *args;
    Tensor *heads = &changed.in[ways[rows->way].slot];
    const Tensor *other = from ? heads_of(rows, from) : heads;
    rows->fits = rows->fits && other && heads->rank == 4;
    return (!rows->fits || fill(rows, other, heads, err)) && step->stage->run(&changed, err);
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    const Scenario *scenario = what->right->scenario;
    if (what->step >= 0 || !scenario->has_heads || scenario->size[SYMBOL_H] < 2)
        return;
    for (int way = 0; way < (int)(sizeof ways / sizeof *ways); way++) {
        Rows rows = {.way = way, .fits = true};
        const TraceWay run_way = {.run = run_rows, .context = &rows};
        const RelationReading reading = {&relation_rows, way, 0, 0.0, NULL};
        if (relation_counts(what, &reading) &&
            relation_run_makes(what, scenario, &run_way, &rows.run) && rows.fits)
            relation_add(what, readings, reading);
        arena_finish(&rows.arena);
    }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    words_format(text, RELATION_TEXT_MAX, "%s", ways[reading->a].said.in[language]);
}

const Relation relation_rows = {.name = "rows", .read = read, .say = say};
