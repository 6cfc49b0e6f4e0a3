// scenario_tokens: token ids, or words that become ids in order of appearance; see
// scenario_internal.h.
//
// A batch is a list of sequences, each a list of tokens; a plain list of tokens is one sequence.
// Sequences may differ in length: the stage `pad` makes them equal.
#include "scenario_internal.h"
#include "field.h"

#include <stdio.h>
#include <string.h>
#include "scenarios_words.h"

// Attention compares every token with every other one: 10,000 words make 10^8 scores a head. It
// also bounds the search below, which looks at every known word for every word.
enum { WORDS_MAX = 10000 };

typedef struct Batch {
    const YamlNode *list;
    ptrdiff_t sequences, tokens, longest, shortest;
} Batch;

const YamlNode *scenario_first_sequence(const YamlNode *list)
{
    return list->first && list->first->kind == YAML_LIST ? list->first : list;
}

const YamlNode *scenario_next_sequence(const YamlNode *list, const YamlNode *sequence)
{
    return sequence == list ? NULL : sequence->next;
}

static bool measure(const YamlNode *list, Batch *batch, Error *err)
{
    char text[FIELD_TEXT_MAX];
    *batch = (Batch){.list = list, .shortest = PTRDIFF_MAX};
    if (list->kind != YAML_LIST)
        return yaml_error(list, err, TELL(TOKENS_LIST), field_text(list, text));
    for (const YamlNode *sequence = scenario_first_sequence(list); sequence;
         sequence = scenario_next_sequence(list, sequence)) {
        if (sequence->kind != YAML_LIST)
            return yaml_error(sequence, err, TELL(TOKENS_SEQUENCE), field_text(sequence, text));
        ptrdiff_t length = (ptrdiff_t)sequence->count;
        batch->sequences++;
        batch->tokens += length;
        batch->longest = length > batch->longest ? length : batch->longest;
        batch->shortest = length < batch->shortest ? length : batch->shortest;
    }
    if (batch->tokens == 0)
        return yaml_error(list, err, TELL(TOKENS_NONE));
    return true;
}

// Gives the id of one token.
typedef bool TokenId(Reading *reading, const YamlNode *token, int64_t *id, Error *err);

static bool fill(Reading *reading, const Batch *batch, TokenId *id_of, Error *err)
{
    Scenario *scenario = reading->scenario;
    Tensor tokens, lengths;
    const TensorPlan planned_tokens = {"tokens", DTYPE_I64, 1, &batch->tokens};
    const TensorPlan planned_lengths = {"lengths", DTYPE_I64, 1, &batch->sequences};
    const char *from = scenario_written_in(reading, batch->list, err);
    if (!from || !scenario_tensor_take(reading, batch->list, &planned_tokens, &tokens, err) ||
        !scenario_tensor_take(reading, batch->list, &planned_lengths, &lengths, err))
        return false;

    int64_t *id = tokens.storage.i64, *length = lengths.storage.i64;
    for (const YamlNode *sequence = scenario_first_sequence(batch->list); sequence;
         sequence = scenario_next_sequence(batch->list, sequence)) {
        *length++ = (int64_t)sequence->count;
        for (const YamlNode *token = sequence->first; token; token = token->next)
            if (!id_of(reading, token, id++, err))
                return false;
    }
    scenario_add(scenario, "tokens", "tokens", tokens, from);
    scenario_add(scenario, "lengths", "lengths", lengths, from);
    scenario->size[SYMBOL_B] = batch->sequences;
    scenario->size[SYMBOL_L] = scenario->size[SYMBOL_LK] = batch->longest;
    scenario->size[SYMBOL_N] = batch->tokens;
    return true;
}

// --- ids

static bool number_id(Reading *reading, const YamlNode *token, int64_t *id, Error *err)
{
    ptrdiff_t vocabulary = reading->scenario->size[SYMBOL_V];
    char text[FIELD_TEXT_MAX];
    Error ignored;
    if (!yaml_integer(token, INT64_MIN, INT64_MAX, id, &ignored))
        return yaml_error(token, err, TELL(TOKEN_WHOLE), field_text(token, text));
    if (*id < 0 || *id >= vocabulary)
        return yaml_error(token, err, TELL(TOKEN_OUTSIDE), (long long)*id, vocabulary,
                          vocabulary - 1);
    return true;
}

static bool read_ids(Reading *reading, const YamlNode *input, Error *err)
{
    Scenario *scenario = reading->scenario;
    const YamlNode *pad_id = yaml_get(input, "pad_id");
    const YamlNode *model = scenario_section(reading, "model");
    Batch batch;
    if (!field_size(model, "vocabulary", &scenario->size[SYMBOL_V], err))
        return false;
    if (scenario->size[SYMBOL_V] == 0)
        return yaml_error(model, err, TELL(VOCABULARY_MISSING));
    return (!pad_id || number_id(reading, pad_id, &scenario->options.pad_id, err)) &&
           measure(yaml_get(input, "ids"), &batch, err) && fill(reading, &batch, number_id, err);
}

// --- words

// The words known so far are scenario->vocabulary[0 ... size[V]-1].
static bool find_or_add(Scenario *scenario, const char *word, int64_t *id, Error *err)
{
    const char **known = (const char **)scenario->vocabulary;
    ptrdiff_t *count = &scenario->size[SYMBOL_V];
    for (*id = 0; *id < *count; ++*id)
        if (strcmp(known[*id], word) == 0)
            return true;
    known[*count] = arena_text(&scenario->arena, word, err);
    return known[(*count)++] != NULL;
}

// Words that weights were trained on; of many, as many as a sentence holds.
static bool refuse_word(const Scenario *scenario, const YamlNode *token, Error *err)
{
    enum { LISTED_BYTES = 700 };
    char list[LISTED_BYTES] = "";
    size_t used = 0;
    for (ptrdiff_t id = 0; id < scenario->size[SYMBOL_V] && used < sizeof list; id++)
        used += (size_t)snprintf(list + used, sizeof list - used, " %s", scenario->vocabulary[id]);
    return yaml_error(token, err, TELL(WORD_UNKNOWN), token->text, scenario->size[SYMBOL_V], list,
                      used < sizeof list ? "" : " ...");
}

bool scenario_known_word(const Scenario *scenario, const YamlNode *token, int64_t *id, Error *err)
{
    for (*id = 0; *id < scenario->size[SYMBOL_V]; ++*id)
        if (strcmp(scenario->vocabulary[*id], token->text) == 0)
            return true;
    return refuse_word(scenario, token, err);
}

bool scenario_known_token(Reading *reading, const YamlNode *token, int64_t *id, Error *err)
{
    char text[FIELD_TEXT_MAX];
    if (!reading->scenario->vocabulary)
        return number_id(reading, token, id, err);
    if (token->kind != YAML_SCALAR || *token->text == '\0')
        return yaml_error(token, err, TELL(WORD_EXPECTED), field_text(token, text));
    return scenario_known_word(reading->scenario, token, id, err);
}

static bool word_id(Reading *reading, const YamlNode *token, int64_t *id, Error *err)
{
    char text[FIELD_TEXT_MAX];
    if (reading->knows_words)
        return scenario_known_token(reading, token, id, err);
    if (token->kind != YAML_SCALAR || *token->text == '\0')
        return yaml_error(token, err, TELL(WORD_EXPECTED), field_text(token, text));
    return find_or_add(reading->scenario, token->text, id, err);
}

// The words of model.vocabulary_words, with ids in this order.
static bool read_known_words(Reading *reading, const YamlNode *list, Error *err)
{
    Scenario *scenario = reading->scenario;
    char text[FIELD_TEXT_MAX];
    if (list->kind != YAML_LIST || list->count == 0 || list->count > WORDS_MAX)
        return yaml_error(list, err, TELL(WORDS_LIST), WORDS_MAX);
    const char **known = arena_take(&scenario->arena, (size_t)list->count, sizeof *known, err);
    scenario->vocabulary = known;
    for (const YamlNode *word = list->first; known && word; word = word->next) {
        if (word->kind != YAML_SCALAR || *word->text == '\0')
            return yaml_error(word, err, TELL(WORD_EXPECTED), field_text(word, text));
        *known = arena_text(&scenario->arena, word->text, err);
        if (!*known++)
            return false;
    }
    scenario->size[SYMBOL_V] = known ? (ptrdiff_t)list->count : 0;
    return reading->knows_words = known != NULL;
}

static bool check_word_keys(Reading *reading, const YamlNode *input, Error *err)
{
    const YamlNode *pad_id = yaml_get(input, "pad_id");
    const YamlNode *model = scenario_section(reading, "model");
    ptrdiff_t made = reading->scenario->size[SYMBOL_V], said = made;
    if (pad_id)
        return yaml_key_error(pad_id, err, TELL(WORDS_PAD));
    if (!field_size(model, "vocabulary", &said, err))
        return false;
    if (said != made)
        return yaml_error(yaml_get(model, "vocabulary"), err, TELL(WORDS_VOCABULARY), said, made);
    return true;
}

static bool read_words(Reading *reading, const YamlNode *input, Error *err)
{
    Scenario *scenario = reading->scenario;
    Batch batch;
    if (!measure(yaml_get(input, "words"), &batch, err))
        return false;
    if (batch.tokens > WORDS_MAX)
        return yaml_error(batch.list, err, TELL(WORDS_MANY), batch.tokens, WORDS_MAX);
    const YamlNode *known = yaml_get(scenario_section(reading, "model"), "vocabulary_words");
    if (known) // what is too short is filled up with the first of them
        return read_known_words(reading, known, err) && fill(reading, &batch, word_id, err) &&
               check_word_keys(reading, input, err);
    scenario->vocabulary =
        arena_take(&scenario->arena, (size_t)batch.tokens + 1, sizeof(const char *), err);
    if (!scenario->vocabulary || !fill(reading, &batch, word_id, err))
        return false;
    if (batch.shortest < batch.longest &&
        !find_or_add(scenario, "<pad>", &scenario->options.pad_id, err))
        return false;
    return check_word_keys(reading, input, err);
}

bool scenario_tokens_read(Reading *reading, const YamlNode *input, Error *err)
{
    if (yaml_get(input, "text") || yaml_get(input, "tokenizer") || yaml_get(input, "pair"))
        return scenario_tokenizer_read(reading, input, err);
    return yaml_get(input, "ids") ? read_ids(reading, input, err) : read_words(reading, input, err);
}
