// The list of relations, and what explains somebody's function; see relation.h.
#include "relation_tools.h"

#include <stdio.h>
#include "tensor.h"

static const Relation *const relations[] = {
#define RELATION(name) &relation_##name,
#include "relations.def"
#undef RELATION
};

static const Relation *get(int number)
{
    return number < (int)(sizeof relations / sizeof *relations) ? relations[number] : NULL;
}

void relation_read(const RelationCase *what, RelationReadings *readings)
{
    const Relation *relation;
    RelationCase own = *what;
    RelationRun run = relation_run_of(&own);
    RelationParsed parsed = {.first = NULL};
    own.run = &run;
    own.parsed = &parsed;
    readings->count = 0;
    for (int i = 0; (relation = get(i)) != NULL; i++)
        if (relation == &relation_beside || relation_is_kept(what, relation, -1))
            relation->read(&own, readings);
    relation_run_close(&run);
    arena_finish(&parsed.arena);
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    char one[RELATION_TEXT_MAX];
    reading->relation->say(reading, language, reading->beside ? one : text);
    if (reading->beside)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, PAIR), one,
                     reading->beside->words[language].title);
}

// Two edits, or two changes of a step's inputs, with the same numbers: somebody may have made either.
static bool are_alternatives(const RelationReading *first, const RelationReading *other)
{
    return first->relation == other->relation &&
           (first->relation == &relation_edit ||
            (first->relation == &relation_changed_input && first->call));
}

const char *relation_say(const RelationReadings *readings, Language language,
                         char text[RELATION_TEXT_MAX])
{
    *text = '\0';
    if (readings->count == 0)
        return text;
    const RelationReading *first = &readings->all[0], *other = &readings->all[1];
    say(first, language, text);
    if (readings->count == 1 || !are_alternatives(first, other))
        return text;
    char one[RELATION_TEXT_MAX], two[RELATION_TEXT_MAX];
    snprintf(one, sizeof one, "%s", text);
    say(other, language, two);
    return words_format(text, RELATION_TEXT_MAX, TELL_IN(language, EDIT_OR), one, two);
}

const char *relation_show(const RelationReadings *readings, char lines[RELATION_SHOWN_MAX])
{
    *lines = '\0';
    if (readings->count > 0 && readings->all[0].relation->show)
        readings->all[0].relation->show(&readings->all[0], lines);
    return lines;
}

// --- of somebody's function

enum { DRAWS = 3 };

// One draw of inputs, and the outputs of the right stage and of theirs.
typedef struct Asked {
    StageArgs right, theirs;
    Arena arena;
} Asked;

// Draws numbers near those of the run: -inf stays, and no weight is below 0.
static bool draw_input(const Tensor *input, int draw, Arena *arena, Tensor *drawn, Error *err)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    uint32_t state = 2463534242u + (uint32_t)draw;
    if (!tensor_take(arena, DTYPE_F32, input->rank, input->shape, drawn, err))
        return false;
    for (ptrdiff_t i = 0; i < tensor_count(drawn); i++, tensor_next(input, at)) {
        state ^= state << 13; // xorshift (Marsaglia 2003)
        state ^= state >> 17;
        state ^= state << 5;
        double factor = 0.5 + (double)(state >> 8) / (double)(1 << 24);
        drawn->storage.f32[i] = (float)(factor * tensor_number(input, at));
    }
    return true;
}

static bool ask(const Trace *right, int number, const TraceVariant *theirs, int draw, Asked *asked,
                Error *err)
{
    bool done = false;
    const TraceStep *step = &right->steps[number];
    if (!trace_arguments(right, number, &asked->right, err))
        return false;
    for (int slot = 0; draw > 0 && slot < STAGE_READS_MAX; slot++) {
        Tensor *input = &asked->right.in[slot];
        if (input->storage.bytes && input->dtype == DTYPE_F32 &&
            !draw_input(input, draw, &asked->arena, input, err))
            return false;
    }
    asked->theirs = asked->right;
    return mistake_take_outputs(step->stage, step->call, &asked->right, &asked->arena, err) &&
           mistake_take_outputs(step->stage, step->call, &asked->theirs, &asked->arena, err) &&
           step->stage->run(&asked->right, err) &&
           theirs->run(theirs->context, step, &asked->theirs, &done, err) && done;
}

static bool is_among(const Mistake *mistake, const Mistake *const found[], int count)
{
    for (int i = 0; i < count; i++)
        if (found[i] == mistake)
            return true;
    return false;
}

// Keeps what explains this draw too. Right numbers tell nothing.
static bool agree_on(const Trace *right, int number, const Asked *asked, int draw,
                     RelationExplained *explained, Error *err)
{
    static RelationReadings readings; // too large for a small stack
    const Mistake *found[MISTAKE_FOUND_MAX];
    const TraceStep *step = &right->steps[number];
    int slot = step->stage->main_output;
    const RelationCase what = {.right = right,
                               .step = number,
                               .given = &asked->theirs,
                               .wrong = &asked->theirs.out[slot],
                               .known = &asked->right.out[slot],
                               .axes = step->call->writes[slot].axes,
                               .machine = err,
                               .kept = draw > 0 ? &explained->readings : NULL};
    if (tensor_difference(what.wrong, what.known).kind == DIFFERENCE_NONE)
        return true;
    int count = mistake_recognise_step(right, number, &asked->theirs, found, err);
    if (draw == 0)
        explained->mistake = count > 0 ? found[0] : NULL;
    else if (!is_among(explained->mistake, found, count))
        explained->mistake = NULL;
    relation_read(&what, draw == 0 ? &explained->readings : &readings);
    if (draw > 0)
        relation_agree(&explained->readings, &readings);
    return !err->of_machine;
}

bool relation_explain(const Trace *right, int step, const TraceVariant *theirs,
                      RelationExplained *explained, Error *err)
{
    bool good = true;
    *explained = (RelationExplained){.mistake = NULL};
    *err = (Error){.text = ""};
    for (int draw = 0; good && draw < DRAWS; draw++) {
        Asked asked = {.arena = {0}};
        good = ask(right, step, theirs, draw, &asked, err) &&
               agree_on(right, step, &asked, draw, explained, err);
        arena_finish(&asked.arena);
    }
    relation_drop(&explained->readings, RELATION_DOUBTFUL);
    relation_drop(&explained->readings, RELATION_SIZED);
    return good;
}

const char *relation_explained_say(const RelationExplained *explained, Language language,
                                   char text[RELATION_TEXT_MAX], char lines[RELATION_SHOWN_MAX])
{
    char sentence[RELATION_TEXT_MAX];
    *lines = '\0';
    if (explained->mistake)
        snprintf(sentence, sizeof sentence, "%s", explained->mistake->words[language].title);
    else {
        relation_show(&explained->readings, lines);
        relation_say(&explained->readings, language, sentence);
    }
    return words_format(text, RELATION_TEXT_MAX,
                        *sentence ? TELL_IN(language, WITH_THESE_SIZES) : "%s", sentence);
}
