// tokenizer_values: single values of tokenizer.json, and its vocabulary; see tokenizer_parts.h.
#include "tokenizer_parts.h"

#include <stdlib.h>
#include <string.h>
#include "scenarios_words.h"

bool tokenizer_refuse(const TokenizerReader *reader, const char *key, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    error_set(reader->err, TELL(TOKENIZER_REFUSES), reader->tokenizer->name, reader->where, key,
              text ? text : "-");
    free(text);
    return false;
}

bool tokenizer_misread(const TokenizerReader *reader, const char *key)
{
    return error_set(reader->err, TELL(TOKENIZER_SHAPE), reader->tokenizer->name, reader->where,
                     key);
}

bool tokenizer_only(const TokenizerReader *reader, json_t *part, const char *const keys[])
{
    const char *key;
    json_t *value;
    json_object_foreach(part, key, value)
    {
        bool known = strcmp(key, "type") == 0;
        for (size_t i = 0; keys[i] && !known; i++)
            known = strcmp(key, keys[i]) == 0;
        if (!known && !json_is_null(value))
            return tokenizer_refuse(reader, key, value);
    }
    return true;
}

bool tokenizer_flag(const TokenizerReader *reader, json_t *part, const char *key, bool *flag)
{
    json_t *value = json_object_get(part, key);
    if (!value || json_is_null(value))
        return true;
    *flag = json_is_true(value);
    return json_is_boolean(value) || tokenizer_misread(reader, key);
}

const char *tokenizer_string(const TokenizerReader *reader, json_t *part, const char *key,
                             bool may_miss)
{
    json_t *value = json_object_get(part, key);
    *reader->err = (Error){.text = ""};
    if (json_is_string(value))
        return arena_text(reader->arena, json_string_value(value), reader->err);
    if (!may_miss || (value && !json_is_null(value)))
        tokenizer_misread(reader, key);
    return NULL;
}

bool tokenizer_pattern(const TokenizerReader *reader, json_t *part, const char **literal,
                       const Pattern **pattern)
{
    json_t *json = json_object_get(part, "pattern"), *regex = json_object_get(json, "Regex");
    *literal = tokenizer_string(reader, json, "String", true);
    if (*literal)
        return **literal || tokenizer_misread(reader, "pattern");
    if (reader->err->text[0] || !json_is_string(regex))
        return tokenizer_misread(reader, "pattern");
    *pattern = pattern_read(json_string_value(regex), reader->arena, reader->err);
    return *pattern || reader->err->text[0] || tokenizer_refuse(reader, "pattern", regex);
}

bool tokenizer_read_vocabulary(TokenizerReader *reader, json_t *json)
{
    Tokenizer *tokenizer = reader->tokenizer;
    size_t count = json_object_size(json), filled = 0, bytes = 1;
    const char *text;
    json_t *id;
    if (!json_is_object(json) || count > TOKENIZER_WORDS_MAX)
        return error_set(reader->err, TELL(TOKENIZER_JSON), tokenizer->name, TOKENIZER_WORDS_MAX);
    TokenizerWord *words = arena_take(reader->arena, count, sizeof *words, reader->err);
    json_object_foreach(json, text, id) bytes += strlen(text) + 1;
    char *pool = arena_take(reader->arena, bytes, 1, reader->err);
    if (!words || !pool)
        return false;
    json_object_foreach(json, text, id)
    {
        json_int_t number = json_is_integer(id) ? json_integer_value(id) : -1;
        if (number < 0 || number >= TOKENIZER_WORDS_MAX)
            return error_set(reader->err, TELL(TOKENIZER_ID), tokenizer->name, text,
                             TOKENIZER_WORDS_MAX);
        words[filled++] = (TokenizerWord){strcpy(pool, text), number};
        pool += strlen(pool) + 1;
    }
    return tokenizer_index(tokenizer, words, filled, false, reader->arena, reader->err);
}
