// tokenizer_json: tokenizer.json, as Hugging Face's tokenizers writes it: which parts a tokenizer has. What
// it asks for and is not known here is refused by its name. Not heeded: `decoder`, which is the way back,
// and `padding`, which changes no token of the text.
#include "tokenizer_parts.h"

#include <string.h>
#include "json_whole.h"
#include "scenarios_words.h"

// --- added tokens

static bool read_added_one(TokenizerReader *reader, json_t *json)
{
    static const char *const keys[] = {"id",     "content",    "single_word", "lstrip",
                                       "rstrip", "normalized", "special",     NULL};
    Tokenizer *tokenizer = reader->tokenizer;
    json_t *id = json_object_get(json, "id");
    TokenizerAdded token = {.id = json_is_integer(id) ? json_integer_value(id) : -1};
    bool special = false;
    token.text = tokenizer_string(reader, json, "content", false);
    if (!token.text || !tokenizer_only(reader, json, keys) ||
        !tokenizer_flag(reader, json, "single_word", &token.single_word) ||
        !tokenizer_flag(reader, json, "lstrip", &token.left) ||
        !tokenizer_flag(reader, json, "rstrip", &token.right) ||
        !tokenizer_flag(reader, json, "special", &special))
        return false;
    token.normalized = !special;
    if (!tokenizer_flag(reader, json, "normalized", &token.normalized))
        return false;
    token.length = strlen(token.text);
    int64_t known = tokenizer_find(tokenizer, token.text, token.length);
    if (token.id < 0 || token.id >= TOKENIZER_WORDS_MAX || (known >= 0 && known != token.id))
        return tokenizer_refuse(reader, "id", json);
    if (token.normalized) { // such a token is looked for in texts that are normal, so it is too
        TokenizerWork work = {.arena = reader->arena, .err = reader->err, .pattern_steps = 1 << 20};
        TokenizerText normal = {.work = &work};
        if (!tokenizer_normalize(tokenizer, token.text, token.length, &normal))
            return false;
        token.text = normal.bytes;
        token.length = normal.length;
    }
    tokenizer_add_token(tokenizer, token);
    return true;
}

static bool read_added(TokenizerReader *reader, json_t *list)
{
    size_t i;
    json_t *token;
    if (list && !json_is_null(list) && !json_is_array(list))
        return tokenizer_misread(reader, "added_tokens");
    json_array_foreach(list, i, token)
    {
        if (!read_added_one(reader, token))
            return false;
    }
    return true;
}

// --- what stands around a text

// The id of ["[SEP]", 3].
static bool read_end(TokenizerReader *reader, json_t *json, const char *key, int64_t *id)
{
    json_t *number = json_array_get(json_object_get(json, key), 1);
    *id = json_is_integer(number) ? json_integer_value(number) : -1;
    return (*id >= 0 && *id < TOKENIZER_WORDS_MAX) || tokenizer_misread(reader, key);
}

static bool read_frame(TokenizerReader *reader, json_t *json)
{
    static const char *const keys[] = {"sep", "cls", "trim_offsets", "add_prefix_space", NULL};
    const char *type = json_string_value(json_object_get(json, "type"));
    int64_t first, last;
    return tokenizer_only(reader, json, keys) && read_end(reader, json, "cls", &first) &&
           read_end(reader, json, "sep", &last) &&
           tokenizer_frame(reader->tokenizer, first, last, strcmp(type, "RobertaProcessing") == 0,
                           reader->arena, reader->err);
}

// {"SpecialToken": {"id": "[CLS]", "type_id": 0}} or {"Sequence": {"id": "A", ...}}.
static bool read_slot(TokenizerReader *reader, json_t *json, json_t *specials, TokenizerSlot *slot)
{
    enum { SPECIALS_MAX = 1000 };
    json_t *special = json_object_get(json, "SpecialToken"), *id;
    json_t *what = special ? special : json_object_get(json, "Sequence");
    json_t *type = json_object_get(what, "type_id");
    const char *name = json_string_value(json_object_get(what, "id"));
    size_t i;
    *slot = (TokenizerSlot){.type = json_integer_value(type)};
    if (!name || slot->type < 0 || slot->type > 1 || (type && !json_is_integer(type)))
        return tokenizer_misread(reader, "type_id");
    if (!special) {
        slot->is_second = strcmp(name, "B") == 0;
        return slot->is_second || strcmp(name, "A") == 0 || tokenizer_misread(reader, "Sequence");
    }
    json_t *ids = json_object_get(json_object_get(specials, name), "ids");
    if (!json_is_array(ids) || json_array_size(ids) > SPECIALS_MAX)
        return tokenizer_misread(reader, "special_tokens");
    int64_t *kept = arena_take(reader->arena, json_array_size(ids), sizeof *kept, reader->err);
    slot->ids = kept;
    slot->count = json_array_size(ids);
    json_array_foreach(ids, i, id)
    {
        json_int_t number = json_is_integer(id) ? json_integer_value(id) : -1;
        if (number < 0 || number >= TOKENIZER_WORDS_MAX)
            return tokenizer_misread(reader, "special_tokens");
        if (kept)
            kept[i] = number;
    }
    return kept != NULL;
}

static bool read_slots(TokenizerReader *reader, json_t *json, const char *key,
                       TokenizerTemplate *out)
{
    enum { SLOTS_MAX = 100 };
    json_t *list = json_object_get(json, key), *slot;
    size_t i;
    if (!json_is_array(list) || json_array_size(list) > SLOTS_MAX)
        return tokenizer_misread(reader, key);
    TokenizerSlot *slots =
        arena_take(reader->arena, json_array_size(list), sizeof *slots, reader->err);
    if (!slots)
        return false;
    json_array_foreach(list, i, slot)
    {
        if (!read_slot(reader, slot, json_object_get(json, "special_tokens"), &slots[i]))
            return false;
    }
    *out = (TokenizerTemplate){slots, json_array_size(list)};
    return true;
}

static bool read_processors(TokenizerReader *reader, json_t *json)
{
    static const char *const keys[] = {"processors", NULL};
    json_t *list = json_object_get(json, keys[0]), *part;
    size_t i, framing = 0;
    if (!json_is_array(list) || ++reader->depth > TOKENIZER_STEPS_MAX)
        return tokenizer_misread(reader, keys[0]);
    json_array_foreach(list, i, part)
    {
        const char *type = json_string_value(json_object_get(part, "type"));
        framing += !type || strcmp(type, "ByteLevel") != 0;
        if (framing > 1)
            return tokenizer_refuse(reader, keys[0], list);
        if (!tokenizer_read_template(reader, part))
            return false;
    }
    return tokenizer_only(reader, json, keys);
}

bool tokenizer_read_template(TokenizerReader *reader, json_t *json)
{
    static const char *const keys[] = {"single", "pair", "special_tokens", NULL};
    json_t *name = json_object_get(json, "type");
    const char *type = json_string_value(name);
    Tokenizer *tokenizer = reader->tokenizer;
    if (!json || json_is_null(json) || (type && strcmp(type, "ByteLevel") == 0))
        return true; // that one only says which letters of the text a token is
    if (type && strcmp(type, "Sequence") == 0)
        return read_processors(reader, json);
    if (type && (strcmp(type, "BertProcessing") == 0 || strcmp(type, "RobertaProcessing") == 0))
        return read_frame(reader, json);
    if (!type || strcmp(type, "TemplateProcessing") != 0)
        return tokenizer_refuse(reader, "type", name);
    return tokenizer_only(reader, json, keys) &&
           read_slots(reader, json, "single", &tokenizer->alone) &&
           read_slots(reader, json, "pair", &tokenizer->with_pair);
}

// --- the file

static bool read_model(TokenizerReader *reader, json_t *json)
{
    static const struct {
        const char *name;
        bool (*read)(TokenizerReader *reader, json_t *json);
    } models[] = {{"BPE", tokenizer_read_byte_pairs},
                  {"WordPiece", tokenizer_read_wordpiece},
                  {"Unigram", tokenizer_read_unigram},
                  {"WordLevel", tokenizer_read_words}};
    json_t *name = json_object_get(json, "type");
    const char *type = json_string_value(name);
    if (!json_is_object(json))
        return tokenizer_misread(reader, "model");
    if (!type && !name) // files of old versions do not say it
        type = json_object_get(json, "merges")                      ? "BPE"
               : json_is_array(json_object_get(json, "vocab"))      ? "Unigram"
               : json_object_get(json, "continuing_subword_prefix") ? "WordPiece"
                                                                    : "WordLevel";
    for (size_t i = 0; type && i < sizeof models / sizeof *models; i++)
        if (strcmp(type, models[i].name) == 0)
            return models[i].read(reader, json);
    return tokenizer_refuse(reader, "type", name);
}

// Where a text is longer than that, its end is cut off; no such text is taken.
static bool read_truncation(TokenizerReader *reader, json_t *json)
{
    json_t *most = json_object_get(json, "max_length");
    if (!json || json_is_null(json))
        return true;
    if (!json_is_integer(most) || json_integer_value(most) < 1)
        return tokenizer_misread(reader, "max_length");
    reader->tokenizer->most_tokens = (size_t)json_integer_value(most);
    return true;
}

static bool read_parts(TokenizerReader *reader, json_t *json)
{
    static const struct {
        const char *key;
        bool (*read)(TokenizerReader *reader, json_t *json);
    } parts[] = {{"model", read_model},
                 {"normalizer", tokenizer_read_normals},
                 {"pre_tokenizer", tokenizer_read_cuts},
                 {"added_tokens", read_added},
                 {"post_processor", tokenizer_read_template},
                 {"truncation", read_truncation}};
    static const char *const keys[] = {
        "version",       "truncation", "padding", "added_tokens",   "normalizer",
        "pre_tokenizer", "model",      "decoder", "post_processor", NULL};
    if (!json_is_object(json))
        return tokenizer_misread(reader, "model");
    if (!tokenizer_only(reader, json, keys))
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        reader->where = parts[i].key;
        reader->depth = 0;
        if (!parts[i].read(reader, json_object_get(json, parts[i].key)))
            return false;
    }
    Tokenizer *tokenizer = reader->tokenizer;
    if (tokenizer->spelling == TOKEN_AS_IT_IS && tokenizer->byte_fallback)
        tokenizer->spelling = TOKEN_BLANKS;
    return true;
}

Tokenizer *tokenizer_json(const TokenizerBytes *file, const char *name, Arena *arena, Error *err)
{
    json_error_t why = {.text = ""};
    json_t *json = json_whole_read((const char *)file->bytes, file->length, 0, &why, err);
    if (!json) {
        if (!err->of_machine)
            error_set(err, TELL(TOKENIZER_NO_JSON), name, why.line, why.column, why.text);
        return NULL;
    }
    Tokenizer *tokenizer =
        tokenizer_new(name, json_array_size(json_object_get(json, "added_tokens")), arena, err);
    TokenizerReader reader = {
        .tokenizer = tokenizer, .where = "tokenizer.json", .arena = arena, .err = err};
    bool good =
        tokenizer && tokenizer_frame_plain(tokenizer, arena, err) && read_parts(&reader, json);
    json_decref(json);
    return good ? tokenizer : NULL;
}
