// Relation: of a whole run: all is right but the mask, which hides other keys from the queries.
#include "relation_masked.h"

#include <string.h>
#include "relation_tools.h"
#include "relation_words.h"

extern const Relation relation_run_mask;

// reading.a: a rule of relation_masked.h in the place of the causal one, or one of these
enum { NOT_CAUSAL = RELATION_MASKED_RULES, BOTH_AT_ONCE, LAST_KEY, RULES };

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
        return is_padding ||
               (masking->is_causal && relation_masked_hides(masking->rule, i, j, keys));
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

static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int rule = 0; what->step < 0 && rule < RULES; rule++) {
        const RelationReading reading = {&relation_run_mask, rule, 0, 0.0, NULL};
        if (relation_counts(what, &reading) && makes(what, rule))
            relation_add(what, readings, reading);
    }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [NOT_CAUSAL] = ROW(OPTION_NOT_CAUSAL),
        [BOTH_AT_ONCE] = ROW(OPTION_BOTH_MASKS),
        [LAST_KEY] = ROW(OPTION_LAST_KEY),
    };
    if (reading->a < RELATION_MASKED_RULES)
        relation_masked_say(reading->a, language, text);
    else
        words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_run_mask = {.name = "run-mask", .read = read, .say = say};
