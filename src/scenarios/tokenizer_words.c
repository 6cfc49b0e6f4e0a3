// Vocabulary, growing texts, special tokens, and JSON values; see tokenizer_parts.h.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pattern.h"
#include "scenarios_words.def"
#include "tokenizer_parts.h"

// --- the vocabulary

static size_t hash_of(const char *text, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325; // FNV-1a
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
    return (size_t)(hash ^ hash >> 29);
}

// The slot of a word in the hash table.
static size_t place_of(const Tokenizer *tokenizer, const uint32_t places[], const char *text,
                       size_t length)
{
    size_t place = hash_of(text, length) & tokenizer->place_mask;
    for (; places[place]; place = (place + 1) & tokenizer->place_mask) {
        const char *word = tokenizer->words[places[place] - 1].text;
        if (strncmp(word, text, length) == 0 && word[length] == '\0')
            break;
    }
    return place;
}

bool tokenizer_index(Tokenizer *tokenizer, const TokenizerWord *words, size_t count,
                     bool may_repeat, Arena *arena, Error *err)
{
    size_t room = 16;
    while (room < 2 * count)
        room *= 2;
    uint32_t *places = arena_take(arena, room, sizeof *places, err);
    if (!places)
        return false;
    tokenizer->words = words;
    tokenizer->word_count = count;
    tokenizer->place_mask = room - 1;
    for (size_t i = 0; i < count; i++) {
        size_t place = place_of(tokenizer, places, words[i].text, strlen(words[i].text));
        if (places[place] && !may_repeat)
            return error_set(err, TELL(TOKENIZER_TWICE), tokenizer->name, words[i].text);
        places[place] = (uint32_t)(i + 1);
        if (words[i].id >= tokenizer->id_count)
            tokenizer->id_count = words[i].id + 1;
    }
    tokenizer->places = places;
    return count > 0 || error_set(err, TELL(TOKENIZER_EMPTY), tokenizer->name);
}

int64_t tokenizer_find(const Tokenizer *tokenizer, const char *text, size_t length)
{
    size_t place = place_of(tokenizer, tokenizer->places, text, length);
    return tokenizer->places[place] ? tokenizer->words[tokenizer->places[place] - 1].id : -1;
}

int64_t tokenizer_find_byte(const Tokenizer *tokenizer, unsigned char byte)
{
    char name[8];
    int length = snprintf(name, sizeof name, "<0x%02X>", byte);
    return tokenizer_find(tokenizer, name, (size_t)length);
}

bool tokenizer_add(TokenizerWork *work, int64_t id)
{
    TokenizerIds *ids = work->ids;
    if (ids->count == ids->room)
        return error_set(work->err, TELL(TOKENIZER_LONG), TOKENIZER_TOKENS_MAX);
    ids->types[ids->count] = work->type;
    ids->ids[ids->count++] = id;
    return true;
}

// --- growing texts and spans

bool tokenizer_put(TokenizerText *text, const char *bytes, size_t length)
{
    enum { BYTES_MAX = 1 << 24 };
    if (text->length + length + 1 > text->room) {
        size_t room = 2 * (text->length + length) + 64;
        if (room > BYTES_MAX)
            return error_set(text->work->err, TELL(TOKENIZER_LONG), TOKENIZER_TOKENS_MAX);
        char *grown = arena_take(text->work->arena, room, 1, text->work->err);
        if (!grown)
            return false;
        if (text->length > 0)
            memcpy(grown, text->bytes, text->length);
        text->bytes = grown;
        text->room = room;
    }
    if (length > 0)
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
    return true;
}

bool tokenizer_put_character(TokenizerText *text, uint32_t character)
{
    char bytes[4];
    return tokenizer_put(text, bytes, character_put(character, bytes));
}

bool tokenizer_put_span(TokenizerSpans *spans, TokenizerSpan span)
{
    if (span.length == 0)
        return true;
    if (spans->count == spans->room) {
        size_t room = spans->room ? 2 * spans->room : 16;
        TokenizerSpan *items =
            arena_take(spans->work->arena, room, sizeof *items, spans->work->err);
        if (!items)
            return false;
        if (spans->count > 0)
            memcpy(items, spans->items, spans->count * sizeof *items);
        spans->items = items;
        spans->room = room;
    }
    spans->items[spans->count++] = span;
    return true;
}

// --- added tokens

void tokenizer_add_token(Tokenizer *tokenizer, TokenizerAdded token)
{
    if (token.length == 0)
        return;
    if (token.id >= tokenizer->id_count)
        tokenizer->id_count = token.id + 1;
    size_t *link = &tokenizer->added_by_byte[token.normalized][(unsigned char)token.text[0]];
    while (*link != SIZE_MAX && tokenizer->added[*link].length >= token.length) {
        if (strcmp(tokenizer->added[*link].text, token.text) == 0)
            return;
        link = &tokenizer->added[*link].next;
    }
    token.next = *link;
    *link = tokenizer->added_count;
    tokenizer->added[tokenizer->added_count++] = token;
}

// --- special tokens of the template

static bool frame(TokenizerTemplate *out, const int64_t ids[], const TokenizerSlot slots[],
                  size_t count, Arena *arena, Error *err)
{
    TokenizerSlot *kept = arena_take(arena, count, sizeof *kept, err);
    int64_t *own = arena_take(arena, count, sizeof *own, err);
    if (!kept || !own)
        return false;
    *out = (TokenizerTemplate){.slots = kept};
    for (size_t i = 0; i < count; i++) {
        own[i] = ids[i];
        if (slots[i].count > 0 && ids[i] < 0)
            continue; // not in the vocabulary
        kept[out->count] = slots[i];
        kept[out->count++].ids = slots[i].count > 0 ? &own[i] : NULL;
    }
    return true;
}

bool tokenizer_frame(Tokenizer *tokenizer, int64_t first, int64_t last, bool is_roberta,
                     Arena *arena, Error *err)
{
    const int64_t one[] = {first, 0, last}, bert[] = {first, 0, last, 0, last},
                  roberta[] = {first, 0, last, last, 0, last};
    const TokenizerSlot text = {.count = 0}, id = {.count = 1};
    const TokenizerSlot second = {.is_second = true, .type = !is_roberta},
                        end = {.count = 1, .type = !is_roberta};
    const TokenizerSlot alone[] = {id, text, id}, berts[] = {id, text, id, second, end},
                        robertas[] = {id, text, id, id, second, end};
    return frame(&tokenizer->alone, one, alone, 3, arena, err) &&
           (is_roberta ? frame(&tokenizer->with_pair, roberta, robertas, 6, arena, err)
                       : frame(&tokenizer->with_pair, bert, berts, 5, arena, err));
}

bool tokenizer_frame_plain(Tokenizer *tokenizer, Arena *arena, Error *err)
{
    static const int64_t none[2];
    static const TokenizerSlot both[] = {{.count = 0}, {.is_second = true, .type = 1}};
    return frame(&tokenizer->alone, none, both, 1, arena, err) &&
           frame(&tokenizer->with_pair, none, both, 2, arena, err);
}

Tokenizer *tokenizer_new(const char *name, size_t added_room, Arena *arena, Error *err)
{
    Tokenizer *tokenizer = arena_take(arena, 1, sizeof *tokenizer, err);
    TokenizerAdded *added = arena_take(arena, added_room, sizeof *added, err);
    if (!tokenizer || !added)
        return NULL;
    *tokenizer = (Tokenizer){.name = name, .added = added, .unknown = -1};
    memset(tokenizer->added_by_byte, 0xff, sizeof tokenizer->added_by_byte);
    return tokenizer;
}

// --- single values of tokenizer.json, and its vocabulary

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
