// Relations of masks and padding: which keys are hidden, which places are marked.
#include <math.h>
#include <string.h>
#include "relation.h"
#include "relation_tools.h"

// --- masked
//
// Of the mask: other keys are masked, by a rule of query i and key j.

enum { MASK_RULES = 10 };

enum {
    PAST,
    PAST_AND_SELF,
    ONLY_NEXT,
    MASKED_ONLY_LAST,
    FIRST_TOO,
    EVERYTHING,
    WINDOW,
};

// Whether a rule masks key j, of so many, for query i.
static bool rule_hides(int rule, ptrdiff_t i, ptrdiff_t j, ptrdiff_t keys)
{
    switch (rule) {
    case PAST:
        return j < i;
    case PAST_AND_SELF:
        return j <= i;
    case ONLY_NEXT:
        return j == i + 1;
    case MASKED_ONLY_LAST:
        return j == keys - 1 && j > i;
    case FIRST_TOO:
        return j > i || j == 0;
    case EVERYTHING:
        return true;
    default:
        return j > i || i - j > rule - WINDOW;
    }
}

static double masked(const RelationCase *what, const ptrdiff_t at[], const void *rule)
{
    bool hides = rule_hides(*(const int *)rule, at[2] + what->given->options->causal_shift, at[3],
                            what->known->shape[3]);
    return hides ? (double)-INFINITY : tensor_number(&what->given->in[0], at);
}

static void masked_read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "mask") || what->known->rank != 4)
        return;
    for (int rule = 0; rule < MASK_RULES; rule++)
        if (relation_fits(what, masked, &rule))
            relation_add(what, readings, (RelationReading){&relation_masked, rule, 0, 0.0, NULL});
}

static void rule_say(int rule, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [PAST] = ROW(MASKED_PAST),           [PAST_AND_SELF] = ROW(MASKED_PAST_AND_SELF),
        [ONLY_NEXT] = ROW(MASKED_ONLY_NEXT), [MASKED_ONLY_LAST] = ROW(MASKED_ONLY_LAST),
        [FIRST_TOO] = ROW(MASKED_FIRST_TOO), [EVERYTHING] = ROW(MASKED_EVERYTHING),
        [WINDOW] = ROW(MASKED_WINDOW),
    };
    if (rule == WINDOW) // no key before the query is left
        words_format(text, RELATION_TEXT_MAX, "%s", TELL_IN(language, MASKED_ALL_BUT_SELF));
    else
        words_format(text, RELATION_TEXT_MAX, sentences[rule < WINDOW ? rule : WINDOW].in[language],
                     rule - WINDOW);
}

static void masked_say(const RelationReading *reading, Language language,
                       char text[RELATION_TEXT_MAX])
{
    rule_say(reading->a, language, text);
}

const Relation relation_masked = {.name = "masked", .read = masked_read, .say = masked_say};

// --- run mask
//
// Of a whole run: all is right but the mask, which hides other keys from the queries.

// reading.a: a rule of relation_mask.c in the place of the causal one, or one of these
enum { NOT_CAUSAL = MASK_RULES, BOTH_AT_ONCE, LAST_KEY, RUN_MASK_RULES };

typedef struct Masking {
    int rule;
    bool is_causal; // the right run is
} Masking;

static const Tensor *padding_of(const TraceStep *step, const StageArgs *args)
{
    for (int slot = 0; slot < STAGE_READS_MAX && step->call->reads[slot].role; slot++)
        if (strcmp(step->call->reads[slot].role, "key_padding_mask") == 0)
            return args->in[slot].storage.bytes && args->options->mask_padding ? &args->in[slot]
                                                                               : NULL;
    return NULL;
}

static bool hides(const Masking *masking, bool is_padding, ptrdiff_t i, ptrdiff_t j, ptrdiff_t keys)
{
    switch (masking->rule) {
    case NOT_CAUSAL:
        return is_padding;
    case BOTH_AT_ONCE:
        return is_padding && masking->is_causal && j > i;
    case LAST_KEY:
        return is_padding || (masking->is_causal && j > i) || j == keys - 1;
    default:
        return is_padding || (masking->is_causal && rule_hides(masking->rule, i, j, keys));
    }
}

// Where the flag of this score lies; the flags broadcast to the scores.
static ptrdiff_t flag_place(const Tensor *flags, const ptrdiff_t at[])
{
    ptrdiff_t place[TENSOR_RANK_MAX] = {0};
    for (int axis = 0; axis < flags->rank; axis++)
        place[axis] = flags->shape[axis] > 1 ? at[axis + 4 - flags->rank] : 0;
    return tensor_place(flags, place);
}

static bool run_masked(void *context, const TraceStep *step, StageArgs *args, bool *done,
                       Error *err)
{
    const Masking *masking = context;
    *done = strcmp(step->stage->name, "mask") == 0;
    if (!*done || !step->stage->run(args, err))
        return !*done;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    const Tensor *padding = padding_of(step, args), *scores = &args->in[0];
    Tensor *out = &args->out[step->stage->main_output], *flags = &args->out[0];
    do {
        bool is_padding =
            padding && at[3] < padding->shape[1] && *tensor_flag2(padding, at[0], at[3]);
        bool is_hidden = hides(masking, is_padding, at[2] + args->options->causal_shift, at[3],
                               scores->shape[3]);
        *tensor_at4(out, at[0], at[1], at[2], at[3]) =
            is_hidden ? args->options->mask_value : (float)tensor_number(scores, at);
        flags->storage.boolean[flag_place(flags, at)] = is_hidden; // the way back looks there
    } while (tensor_next(out, at));
    return true;
}

// Whether the run makes these numbers with this rule; there is a mask even where none was asked for.
static bool makes(const RelationCase *what, int rule)
{
    Trace run;
    Scenario scenario = *what->right->scenario; // shares its tensors, and is not finished
    Masking masking = {rule, scenario.options.causal};
    scenario.masked = scenario.options.causal = true;
    const TraceWay way = {.run = run_masked, .context = &masking};
    return relation_run_makes(what, &scenario, &way, &run);
}

static void run_mask_read(const RelationCase *what, RelationReadings *readings)
{
    for (int rule = 0; what->step < 0 && rule < RUN_MASK_RULES; rule++) {
        const RelationReading reading = {&relation_run_mask, rule, 0, 0.0, NULL};
        if (relation_counts(what, &reading) && makes(what, rule))
            relation_add(what, readings, reading);
    }
}

static void run_mask_say(const RelationReading *reading, Language language,
                         char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [NOT_CAUSAL] = ROW(OPTION_NOT_CAUSAL),
        [BOTH_AT_ONCE] = ROW(OPTION_BOTH_MASKS),
        [LAST_KEY] = ROW(OPTION_LAST_KEY),
    };
    if (reading->a < MASK_RULES)
        rule_say(reading->a, language, text);
    else
        words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_run_mask = {.name = "run-mask", .read = run_mask_read, .say = run_mask_say};

// --- padding
//
// Of padding: what fills the rest of a row, and which tokens stand before it.

enum { // reading.a
    FILLED_WITH_0,
    FILLED_WITH_LAST,
    FILLED_WITH_FIRST,
    FILLED_WITH_NEXT,
    ONE_TOO_MANY,
    LAST_LEFT_OUT,
    REVERSED,
    ONE_LATE,
    ALL_FROM_FIRST,
    FIRST_TWICE,
    FILLED_WITH_MINUS_1,
    FILLED_WITH_VERY_FIRST,
    ROW_REVERSED,
    ROWS_REVERSED,
    ONE_MORE,
    ONE_LESS,
    WAYS,
};

typedef struct Padding {
    const Tensor *tokens;
    int64_t pad_id;
    ptrdiff_t start, length; // of the sequence of a row
} Padding;

static int64_t token(const Padding *padding, ptrdiff_t place)
{
    bool is_there = place >= 0 && place < padding->tokens->shape[0];
    return is_there ? *tensor_id1(padding->tokens, place) : padding->pad_id;
}

static int64_t filled(const Padding *padding, int way, ptrdiff_t l)
{
    switch (way) {
    case FILLED_WITH_0:
        return 0;
    case FILLED_WITH_LAST:
        return token(padding, padding->start + padding->length - 1);
    case FILLED_WITH_FIRST:
        return token(padding, padding->start);
    case FILLED_WITH_NEXT:
        return token(padding, padding->start + l);
    case FILLED_WITH_MINUS_1:
        return -1;
    case FILLED_WITH_VERY_FIRST:
        return token(padding, 0);
    case ONE_TOO_MANY:
        return l == padding->length ? token(padding, padding->start + l) : padding->pad_id;
    default:
        return padding->pad_id;
    }
}

static int64_t id(const Padding *padding, int way, ptrdiff_t l)
{
    if (l >= padding->length)
        return filled(padding, way, l);
    switch (way) {
    case LAST_LEFT_OUT:
        return l == padding->length - 1 ? padding->pad_id : token(padding, padding->start + l);
    case REVERSED:
        return token(padding, padding->start + padding->length - 1 - l);
    case ONE_LATE:
        return token(padding, padding->start + l + 1);
    case ALL_FROM_FIRST:
        return token(padding, l);
    case FIRST_TWICE:
        return token(padding, padding->start + (l > 0 ? l - 1 : 0));
    case ONE_MORE:
        return token(padding, padding->start + l) + 1;
    case ONE_LESS:
        return token(padding, padding->start + l) - 1;
    default:
        return token(padding, padding->start + l);
    }
}

static bool padding_fits(const RelationCase *what, int way)
{
    Padding padding = {&what->given->in[0], what->given->options->pad_id, 0, 0};
    ptrdiff_t rows = what->known->shape[0], width = what->known->shape[1];
    bool differs = false;
    for (ptrdiff_t b = 0; b < rows; b++) {
        padding.length = *tensor_id1(&what->given->in[1], b);
        ptrdiff_t row = way == ROWS_REVERSED ? rows - 1 - b : b;
        for (ptrdiff_t l = 0; l < width; l++) {
            int64_t number = id(&padding, way, way == ROW_REVERSED ? width - 1 - l : l);
            if (*tensor_id2(what->wrong, row, l) != number)
                return false;
            differs = differs || *tensor_id2(what->known, row, l) != number;
        }
        padding.start += padding.length;
    }
    return differs;
}

static void padding_read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "pad") || what->known->dtype != DTYPE_I64)
        return;
    for (int way = 0; way < WAYS; way++)
        if (padding_fits(what, way))
            relation_add(what, readings, (RelationReading){&relation_padding, way, 0, 0.0, NULL});
}

static void padding_say(const RelationReading *reading, Language language,
                        char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [FILLED_WITH_0] = ROW(PADDING_WITH_0),
        [FILLED_WITH_LAST] = ROW(PADDING_WITH_LAST),
        [FILLED_WITH_FIRST] = ROW(PADDING_WITH_FIRST),
        [FILLED_WITH_NEXT] = ROW(PADDING_WITH_NEXT),
        [ONE_TOO_MANY] = ROW(PADDING_ONE_TOO_MANY),
        [LAST_LEFT_OUT] = ROW(PADDING_LAST_LEFT_OUT),
        [REVERSED] = ROW(PADDING_REVERSED),
        [ONE_LATE] = ROW(PADDING_ONE_LATE),
        [ALL_FROM_FIRST] = ROW(PADDING_ALL_FROM_FIRST),
        [FIRST_TWICE] = ROW(PADDING_FIRST_TWICE),
        [FILLED_WITH_MINUS_1] = ROW(PADDING_WITH_MINUS_1),
        [FILLED_WITH_VERY_FIRST] = ROW(PADDING_WITH_VERY_FIRST),
        [ROW_REVERSED] = ROW(PADDING_ROW_REVERSED),
        [ROWS_REVERSED] = ROW(PADDING_ROWS_REVERSED),
        [ONE_MORE] = ROW(PADDING_ONE_MORE),
        [ONE_LESS] = ROW(PADDING_ONE_LESS),
    };
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_padding = {.name = "padding", .read = padding_read, .say = padding_say};

// --- padding flags
//
// Of the mask of padding: other places are marked, by a rule of the place and of its sequence's
// length.

enum {
    ALL,
    NONE,
    PADDING_FLAGS_ONLY_LAST,
    ONE_EARLY,
    LEFT,
    OF_FIRST, // from here on by the length of another sequence
    OF_LAST,
    OF_NEXT,
    OF_BEFORE,
    OF_OPPOSITE,
    PADDING_FLAGS_RULES
}; // reading.a

// The sequence whose length marks row b.
static ptrdiff_t sequence_of(int rule, ptrdiff_t b, ptrdiff_t rows)
{
    switch (rule) {
    case OF_FIRST:
        return 0;
    case OF_LAST:
        return rows - 1;
    case OF_NEXT:
        return (b + 1) % rows;
    case OF_BEFORE:
        return (b + rows - 1) % rows;
    case OF_OPPOSITE:
        return rows - 1 - b;
    default:
        return b;
    }
}

static bool is_marked(int rule, ptrdiff_t l, ptrdiff_t length, ptrdiff_t width)
{
    switch (rule) {
    case PADDING_FLAGS_ONLY_LAST:
        return l >= length && l == width - 1;
    case ONE_EARLY:
        return l >= length - 1;
    case LEFT:
        return l < width - length;
    case ALL:
    case NONE:
        return rule == ALL;
    default:
        return l >= length;
    }
}

static bool padding_flags_fits(const RelationCase *what, int rule)
{
    bool differs = false;
    ptrdiff_t rows = what->known->shape[0], width = what->known->shape[1];
    for (ptrdiff_t b = 0; b < rows; b++)
        for (ptrdiff_t l = 0; l < width; l++) {
            ptrdiff_t sequence = sequence_of(rule, b, rows);
            bool marked = is_marked(rule, l, *tensor_id1(&what->given->in[1], sequence), width);
            if (*tensor_flag2(what->wrong, b, l) != marked)
                return false;
            differs = differs || *tensor_flag2(what->known, b, l) != marked;
        }
    return differs;
}

static void padding_flags_read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "pad") || what->known->dtype != DTYPE_BOOL)
        return;
    for (int rule = 0; rule < PADDING_FLAGS_RULES; rule++)
        if (padding_flags_fits(what, rule))
            relation_add_if(what, readings,
                            (RelationReading){&relation_padding_flags, rule, 0, 0.0, NULL},
                            rule >= OF_NEXT && what->known->shape[0] == 2);
}

static void padding_flags_say(const RelationReading *reading, Language language,
                              char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [ALL] = ROW(FLAGS_ALL),
        [NONE] = ROW(FLAGS_NONE),
        [PADDING_FLAGS_ONLY_LAST] = ROW(FLAGS_ONLY_LAST),
        [ONE_EARLY] = ROW(FLAGS_ONE_EARLY),
        [LEFT] = ROW(FLAGS_LEFT),
        [OF_FIRST] = ROW(FLAGS_OF_FIRST),
        [OF_LAST] = ROW(FLAGS_OF_LAST),
        [OF_NEXT] = ROW(FLAGS_OF_NEXT),
        [OF_BEFORE] = ROW(FLAGS_OF_BEFORE),
        [OF_OPPOSITE] = ROW(FLAGS_OF_OPPOSITE),
    };
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_padding_flags = {
    .name = "padding-flags", .read = padding_flags_read, .say = padding_flags_say};
