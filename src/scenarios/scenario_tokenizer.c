// scenario_tokenizer: `text` and `tokenizer` of the input section: a sentence as a model's own tokenizer
// cuts it. See scenario_internal.h and tokenizer.h.
#include "scenario_internal.h"
#include "field.h"
#include "tokenizer.h"
#include "utf8.h"

#include <stdio.h>
#include <string.h>
#include "scenarios_words.h"

enum { NOTE_COLUMNS = 76 };

static bool add_tokens(Reading *reading, const YamlNode *text, const TokenizerIds *ids, Error *err)
{
    Scenario *scenario = reading->scenario;
    Tensor tokens, lengths;
    ptrdiff_t count = (ptrdiff_t)ids->count, one = 1;
    const TensorPlan planned_tokens = {"tokens", DTYPE_I64, 1, &count};
    const TensorPlan planned_lengths = {"lengths", DTYPE_I64, 1, &one};
    const char *from = scenario_written_in(reading, text, err);
    if (!from || !scenario_tensor_take(reading, text, &planned_tokens, &tokens, err) ||
        !scenario_tensor_take(reading, text, &planned_lengths, &lengths, err))
        return false;
    memcpy(tokens.storage.i64, ids->ids, ids->count * sizeof *ids->ids);
    *lengths.storage.i64 = count;
    scenario_add(scenario, "tokens", "tokens", tokens, from);
    scenario_add(scenario, "lengths", "lengths", lengths, from);
    scenario->size[SYMBOL_B] = 1;
    scenario->size[SYMBOL_L] = scenario->size[SYMBOL_LK] = scenario->size[SYMBOL_N] = count;
    return true;
}

// How many tokens, how many of them are unknown, and which.
static bool note_tokens(Scenario *scenario, const Tokenizer *tokenizer, const TokenizerIds *ids,
                        Error *err)
{
    char note[512], cut[512];
    size_t unknown = tokenizer_unknown(tokenizer, ids);
    size_t used = (size_t)(unknown ? snprintf(note, sizeof note, TELL(TOKENIZER_NOTE_UNKNOWN),
                                              ids->count, unknown)
                                   : snprintf(note, sizeof note, TELL(TOKENIZER_NOTE), ids->count));
    for (size_t i = 0; i < ids->count && used < sizeof note; i++)
        used += (size_t)snprintf(note + used, sizeof note - used, " %s=%lld",
                                 scenario->vocabulary[ids->ids[i]], (long long)ids->ids[i]);
    utf8_cut(note, NOTE_COLUMNS, cut, sizeof cut);
    scenario->note = arena_text(&scenario->arena, cut, err);
    return scenario->note != NULL;
}

static bool check_ids(const Scenario *scenario, const char *path, const TokenizerIds *ids,
                      const YamlNode *text, Error *err)
{
    for (size_t i = 0; i < ids->count; i++)
        if (ids->ids[i] >= scenario->size[SYMBOL_V])
            return yaml_error(text, err, TELL(TOKENIZER_OTHER), path, (long long)ids->ids[i],
                              scenario->size[SYMBOL_V]);
    return true;
}

static const Tokenizer *open_beside(Reading *reading, const YamlNode *input, Error *err)
{
    const YamlNode *node = yaml_get(input, "tokenizer"), *text = yaml_get(input, "text");
    char found[FIELD_TEXT_MAX];
    if (!node || !text || node->kind != YAML_SCALAR || text->kind != YAML_SCALAR) {
        yaml_error(input, err, TELL(TOKENIZER_BOTH),
                   node && text ? field_text(node->kind == YAML_SCALAR ? text : node, found)
                                : TELL(TOKENIZER_ONE));
        return NULL;
    }
    const char *path = scenario_file_path(reading, node, err);
    const Tokenizer *tokenizer = path ? tokenizer_open(path, reading->scratch, err) : NULL;
    if (path && !tokenizer)
        yaml_place(node, err);
    return tokenizer;
}

bool scenario_tokenizer_read(Reading *reading, const YamlNode *input, Error *err)
{
    Scenario *scenario = reading->scenario;
    const YamlNode *model = scenario_section(reading, "model"), *text = yaml_get(input, "text");
    const YamlNode *pair = yaml_get(input, "pair");
    char found[FIELD_TEXT_MAX];
    TokenizerIds ids;
    const Tokenizer *tokenizer = open_beside(reading, input, err);
    if (!tokenizer || !field_size(model, "vocabulary", &scenario->size[SYMBOL_V], err))
        return false;
    if (pair && pair->kind != YAML_SCALAR)
        return yaml_error(pair, err, TELL(TOKENIZER_BOTH), field_text(pair, found));
    if (scenario->size[SYMBOL_V] == 0)
        return yaml_error(model, err, TELL(VOCABULARY_MISSING));
    reading->knows_words = true;
    if (!tokenizer_ids(tokenizer, text->text, pair ? pair->text : NULL, reading->scratch, &ids,
                       err))
        return yaml_place(text, err);
    if (!check_ids(scenario, yaml_get(input, "tokenizer")->text, &ids, text, err) ||
        !add_tokens(reading, text, &ids, err))
        return false;
    reading->token_types = ids.types;
    scenario->vocabulary =
        tokenizer_shown(tokenizer, (size_t)scenario->size[SYMBOL_V], &scenario->arena, err);
    return scenario->vocabulary && note_tokens(scenario, tokenizer, &ids, err);
}
