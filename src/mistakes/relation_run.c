// Relations of a whole run, in which one thing is otherwise.
#include <math.h>
#include <string.h>
#include "relation_tools.h"
#include "tensor.h"

// --- heads
//
// Of a whole run: all is right but how the heads come together.

enum { // reading.a
    OVERWRITTEN,
    ADDED_UP,
    ADDED_UP_FOR_ALL,
    MEAN_FOR_ALL,
    LAST_FOR_ALL,
    FIRST_FOR_ALL,
    ONLY_LAST,
    ONLY_FIRST,
    HEADS_WAYS
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

static void heads_read(const RelationCase *what, RelationReadings *readings)
{
    for (int number = 0; what->step < 0 && number < HEADS_WAYS; number++) {
        Trace run;
        const TraceWay way = {.run = run_together, .context = &number};
        const RelationReading reading = {&relation_heads, number, 0, 0.0, NULL};
        if (relation_counts(what, &reading) &&
            relation_run_makes(what, what->right->scenario, &way, &run))
            relation_add(what, readings, reading);
    }
}

static void heads_say(const RelationReading *reading, Language language,
                      char text[RELATION_TEXT_MAX])
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

const Relation relation_heads = {.name = "heads", .read = heads_read, .say = heads_say};

// --- run weights
//
// Of a whole run: all is right but the weights, which are the same for all keys, the scores
// themselves, or 1 for the largest; or there is one head in the place of all.

enum { UNIFORM, SCORES, HARD, RUN_WEIGHTS_WAYS, ONE_HEAD = RUN_WEIGHTS_WAYS }; // reading.a

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
static void run_weights_read(const RelationCase *what, RelationReadings *readings)
{
    const Scenario *scenario = what->right->scenario;
    for (int number = 0; what->step < 0 && !what->tensor && number < RUN_WEIGHTS_WAYS; number++) {
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

static void run_weights_say(const RelationReading *reading, Language language,
                            char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [UNIFORM] = ROW(WEIGHTS_UNIFORM),
        [SCORES] = ROW(WEIGHTS_ARE_SCORES),
        [HARD] = ROW(WEIGHTS_HARD),
        [ONE_HEAD] = ROW(ONE_HEAD),
    };
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_run_weights = {
    .name = "run-weights", .read = run_weights_read, .say = run_weights_say};

// --- widths
//
// Of a whole run: where d_v belongs stands d_k, so that heads of v begin in other rows of w_v, lie in
// other places of the context, or lose columns.

enum {
    ROWS = 1,
    PLACES = 2,
    COLUMNS = 4,
    WIDTHS_WAYS = 8
}; // reading.a: where d_k stands, one or several

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

static void widths_read(const RelationCase *what, RelationReadings *readings)
{
    const Scenario *scenario = what->right->scenario;
    if (what->step >= 0 || !scenario->has_heads)
        return;
    for (int way = 1; way < WIDTHS_WAYS; way++) {
        Trace run;
        Widths widths = {way, scenario->size[SYMBOL_D_K], true};
        const TraceWay run_way = {.run = run_widths, .context = &widths};
        const RelationReading reading = {&relation_widths, way, 0, 0.0, NULL};
        if (relation_counts(what, &reading) && relation_run_makes(what, scenario, &run_way, &run) &&
            widths.fits)
            relation_add(what, readings, reading);
    }
}

static void widths_say(const RelationReading *reading, Language language,
                       char text[RELATION_TEXT_MAX])
{
    (void)reading;
    words_format(text, RELATION_TEXT_MAX, "%s", TELL_IN(language, WIDTH_OF_KEYS));
}

const Relation relation_widths = {.name = "widths", .read = widths_read, .say = widths_say};

// --- rows
//
// Of a whole run: a head of q, k or v is made of other rows: every H-th row of its weight, or the rows
// of another weight.

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

static void rows_read(const RelationCase *what, RelationReadings *readings)
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

static void rows_say(const RelationReading *reading, Language language,
                     char text[RELATION_TEXT_MAX])
{
    words_format(text, RELATION_TEXT_MAX, "%s", ways[reading->a].said.in[language]);
}

const Relation relation_rows = {.name = "rows", .read = rows_read, .say = rows_say};

// --- earlier
//
// Of a whole run: what an earlier step made is the result, as far as its columns go.

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
static void earlier_read(const RelationCase *what, RelationReadings *readings)
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

static void earlier_say(const RelationReading *reading, Language language,
                        char text[RELATION_TEXT_MAX])
{
    const Stage *stage = stage_get(reading->a);
    const char *label = stage->calls[reading->b].label;
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, EARLIER), stage->name, label ? " " : "",
                 label ? label : "");
}

const Relation relation_earlier = {.name = "earlier", .read = earlier_read, .say = earlier_say};

// --- inner other
//
// Of a whole run: all steps are right but one, which reads another tensor of the run in the place of
// one of its inputs: k for q, the weights' gradient for that of the scores.

// Which step reads which tensor in the place of what.
typedef struct Other {
    Trace trace;
    int step, slot;
    int tensor; // that stands there
} Other;

static bool run_other(void *context, const TraceStep *step, StageArgs *args, bool *done, Error *err)
{
    Other *other = context;
    *done = step == &other->trace.steps[other->step];
    if (!*done)
        return true;
    StageArgs changed = *args;
    changed.in[other->slot] = other->trace.tensors[other->tensor].tensor;
    return step->stage->run(&changed, err);
}

static bool makes(const RelationCase *what, Other *other)
{
    const TraceWay way = {.run = run_other, .context = other};
    return relation_run_makes(what, what->right->scenario, &way, &other->trace);
}

// A tensor of a run as one number, the same in all cases: the step that makes it, by its stage and call.
// -1: no step does, or it was made for this run alone.
enum { INNER_CALLS = 8, SLOTS = 8 };

static int inner_other_step_code(const TraceStep *step)
{
    int stage = 0, call = 0;
    while (stage_get(stage) && stage_get(stage) != step->stage)
        stage++;
    while (call < INNER_CALLS && step->stage->calls[call].reads[0].role &&
           step->call != &step->stage->calls[call])
        call++;
    bool is_there = call < INNER_CALLS && step->call == &step->stage->calls[call];
    return stage_get(stage) && is_there ? stage * INNER_CALLS + call : -1;
}

static void inner_other_read_slot(const RelationCase *what, RelationReadings *readings, int number,
                                  int slot)
{
    const Trace *trace = what->right;
    StageArgs args;
    Error ignored;
    if (!trace_arguments(trace, number, &args, &ignored) || !args.in[slot].storage.bytes ||
        args.in[slot].dtype != DTYPE_F32)
        return;
    for (int made_by = 0; made_by < number; made_by++) {
        const TraceStep *before = &trace->steps[made_by];
        int tensor = before->writes[before->stage->main_output];
        const RelationReading reading = {
            &relation_inner_other, inner_other_step_code(&trace->steps[number]) * SLOTS + slot,
            inner_other_step_code(before), 0.0, NULL};
        if (tensor < 0 || reading.a < 0 || reading.b < 0 ||
            trace->tensors[tensor].tensor.storage.bytes == args.in[slot].storage.bytes ||
            trace->tensors[tensor].tensor.dtype != DTYPE_F32 ||
            !tensor_same_shape(&trace->tensors[tensor].tensor, &args.in[slot]))
            continue;
        Other other = {.step = number, .slot = slot, .tensor = tensor};
        if (relation_counts(what, &reading) && makes(what, &other))
            relation_add(what, readings, reading);
    }
}

static void inner_other_read(const RelationCase *what, RelationReadings *readings)
{
    for (int i = 0; what->step < 0 && i < what->right->step_count; i++) {
        const TraceStep *step = &what->right->steps[i];
        if (step->call->writes[step->stage->main_output].is_view)
            continue;
        for (int slot = 0; slot < STAGE_READS_MAX && step->call->reads[slot].role; slot++)
            inner_other_read_slot(what, readings, i, slot);
    }
}

static const StageCall *call_of(int code)
{
    return &stage_get(code / INNER_CALLS)->calls[code % INNER_CALLS];
}

static void inner_other_say(const RelationReading *reading, Language language,
                            char text[RELATION_TEXT_MAX])
{
    char exchanged[RELATION_TEXT_MAX];
    const Stage *stage = stage_get(reading->a / SLOTS / INNER_CALLS);
    const StageCall *call = call_of(reading->a / SLOTS), *before = call_of(reading->b);
    int output = stage_get(reading->b / INNER_CALLS)->main_output;
    static const Words words = ROW(INPUT_EXCHANGED); // its two names are counted
    words_format(exchanged, RELATION_TEXT_MAX, words.in[language],
                 call->reads[reading->a % SLOTS].role, before->writes[output].role);
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INNER_STEP), stage->name,
                 call->label ? " " : "", call->label ? call->label : "", exchanged);
}

const Relation relation_inner_other = {
    .name = "inner-other", .read = inner_other_read, .say = inner_other_say};

// --- inner
//
// Of a whole run: all steps are right but one, which reads one of its inputs otherwise.

// Which step of a run reads which input otherwise.
typedef struct Inner {
    int step, slot;
    InputChange change;
    Arena arena;
} Inner;

static bool run_changed(void *context, const TraceStep *step, StageArgs *args, bool *done,
                        Error *err)
{
    Inner *inner = context;
    *done = false;
    if (inner->step-- != 0)
        return true;
    StageArgs changed = *args;
    if (!input_change_make(&args->in[inner->slot], inner->change, &inner->arena,
                           &changed.in[inner->slot], err))
        return false;
    *done = true;
    return step->stage->run(&changed, err);
}

static bool run_makes(const RelationCase *what, Inner *inner)
{
    Trace run;
    const TraceWay way = {.run = run_changed, .context = inner};
    bool made = relation_run_makes(what, what->right->scenario, &way, &run);
    arena_finish(&inner->arena);
    return made;
}

// -1: it was made for this run alone, as the sum of a tensor's gradients is.
static int call_number(const TraceStep *step)
{
    for (int call = 0; call < INNER_CALLS && step->stage->calls[call].reads[0].role; call++)
        if (step->call == &step->stage->calls[call])
            return call;
    return -1;
}

static int inner_step_code(const TraceStep *step, int slot)
{
    int stage = 0;
    while (stage_get(stage) && stage_get(stage) != step->stage)
        stage++;
    return (stage * INNER_CALLS + call_number(step)) * SLOTS + slot;
}

// Whether this axis of an input is no axis of the result: then it is summed over.
static bool is_summed(const TraceStep *step, int slot, int axis)
{
    const RelationCase input = {.axes = step->call->reads[slot].axes};
    const RelationCase output = {.axes = step->call->writes[step->stage->main_output].axes};
    const char *own = relation_axis_text(&input, axis);
    for (int other = 0; *relation_axis_text(&output, other); other++)
        if (strcspn(own, " ") == strcspn(relation_axis_text(&output, other), " ") &&
            strncmp(own, relation_axis_text(&output, other), strcspn(own, " ")) == 0)
            return false;
    return true;
}

static void inner_read_slot(const RelationCase *what, RelationReadings *readings, int number,
                            int slot)
{
    StageArgs args;
    Error ignored;
    InputChange change;
    const TraceStep *step = &what->right->steps[number];
    if (!trace_arguments(what->right, number, &args, &ignored) || !args.in[slot].storage.bytes ||
        args.in[slot].dtype == DTYPE_I64)
        return;
    for (int i = 0; input_change_get(&args.in[slot], i, &change); i++) {
        if (input_change_leaves_out(change) && !is_summed(step, slot, change.axis))
            continue;
        Inner inner = {number, slot, change, {0}};
        int code = input_change_code(change, step->call->reads[slot].axes);
        const RelationReading reading = {&relation_inner, inner_step_code(step, slot), code, 0.0,
                                         NULL};
        if (relation_counts(what, &reading) && run_makes(what, &inner))
            relation_add_if(what, readings, reading,
                            input_change_is_doubtful(&args.in[slot], change));
    }
}

// A step that writes a view of its input has nothing to read otherwise; one that no stage has a call for
// could not be named.
static void inner_read(const RelationCase *what, RelationReadings *readings)
{
    for (int i = 0; what->step < 0 && i < what->right->step_count; i++) {
        const TraceStep *step = &what->right->steps[i];
        if (call_number(step) < 0 || step->call->writes[step->stage->main_output].is_view)
            continue;
        for (int slot = 0; slot < STAGE_READS_MAX && step->call->reads[slot].role; slot++)
            inner_read_slot(what, readings, i, slot);
    }
}

static void inner_say(const RelationReading *reading, Language language,
                      char text[RELATION_TEXT_MAX])
{
    char change[RELATION_TEXT_MAX];
    const Stage *stage = stage_get(reading->a / SLOTS / INNER_CALLS);
    const StageCall *call = &stage->calls[reading->a / SLOTS % INNER_CALLS];
    const char *role = call->reads[reading->a % SLOTS].role;
    bool is_x = strcmp(role, "x_query") == 0; // of a whole run queries are made of x too
    input_change_say(reading->b, is_x ? "x" : role, language, change);
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INNER_STEP), stage->name,
                 call->label ? " " : "", call->label ? call->label : "", change);
}

const Relation relation_inner = {.name = "inner", .read = inner_read, .say = inner_say};
