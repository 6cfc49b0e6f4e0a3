// Vocabulary, growing texts, special tokens, and JSON values; see tokenizer_parts.h.
#include <oniguruma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "scenarios_words.def"
#include "tokenizer_parts.h"

// --- the vocabulary

// FNV-1a.
uint64_t tokenizer_hash(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
    return hash;
}

// The slot of a word in the hash table.
static size_t place_of(const Tokenizer *tokenizer, const uint32_t places[], uint64_t hash,
                       const char *text, size_t length)
{
    size_t place = (size_t)(hash ^ hash >> 29) & tokenizer->place_mask;
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
        const char *text = words[i].text;
        size_t length = strlen(text);
        uint64_t hash = tokenizer_hash(TOKENIZER_HASH, text, length);
        size_t place = place_of(tokenizer, places, hash, text, length);
        if (places[place] && !may_repeat)
            return error_set(err, TELL(TOKENIZER_TWICE), tokenizer->name, text);
        places[place] = (uint32_t)(i + 1);
        if (length > tokenizer->longest)
            tokenizer->longest = length;
        if (words[i].id >= tokenizer->id_count)
            tokenizer->id_count = words[i].id + 1;
    }
    tokenizer->places = places;
    return count > 0 || error_set(err, TELL(TOKENIZER_EMPTY), tokenizer->name);
}

int64_t tokenizer_find_hashed(const Tokenizer *tokenizer, uint64_t hash, const char *text,
                              size_t length)
{
    uint32_t place = tokenizer->places[place_of(tokenizer, tokenizer->places, hash, text, length)];
    return place ? tokenizer->words[place - 1].id : -1;
}

int64_t tokenizer_find(const Tokenizer *tokenizer, const char *text, size_t length)
{
    uint64_t hash = tokenizer_hash(TOKENIZER_HASH, text, length);
    return tokenizer_find_hashed(tokenizer, hash, text, length);
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

// Fills a template from its form: A and B are the texts, < and > the first and the last token. From B on the type is 1;
// b is B without types.
static bool frame(TokenizerTemplate *out, const char *form, int64_t first, int64_t last,
                  Arena *arena, Error *err)
{
    TokenizerSlot *slots = arena_take(arena, strlen(form), sizeof *slots, err);
    int64_t *ids = arena_take(arena, strlen(form), sizeof *ids, err), type = 0;
    if (!slots || !ids)
        return false;
    *out = (TokenizerTemplate){.slots = slots};
    for (; *form; form++, ids++) {
        *ids = *form == '<' ? first : last;
        type = *form == 'B' ? 1 : type;
        if (strchr("ABb", *form))
            slots[out->count++] = (TokenizerSlot){.is_second = *form != 'A', .type = type};
        else if (*ids >= 0) // it is in the vocabulary
            slots[out->count++] = (TokenizerSlot){.ids = ids, .count = 1, .type = type};
    }
    return true;
}

bool tokenizer_frame(Tokenizer *tokenizer, TokenizerFrame kind, int64_t first, int64_t last,
                     Arena *arena, Error *err)
{
    static const char *const forms[][2] = {
        [TOKENIZER_PLAIN] = {"A", "AB"},
        [TOKENIZER_BERT] = {"<A>", "<A>B>"},
        [TOKENIZER_ROBERTA] = {"<A>", "<A>>b>"},
    };
    return frame(&tokenizer->alone, forms[kind][0], first, last, arena, err) &&
           frame(&tokenizer->with_pair, forms[kind][1], first, last, arena, err);
}

Tokenizer *tokenizer_new(const char *name, size_t added_room, Arena *arena, Error *err)
{
    Tokenizer *tokenizer = arena_take(arena, 1, sizeof *tokenizer, err);
    TokenizerAdded *added = arena_take(arena, added_room, sizeof *added, err);
    if (!tokenizer || !added)
        return NULL;
    *tokenizer = (Tokenizer){.name = name, .added = added, .unknown = -1, .bert_lowers = -1};
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

// --- regular expressions

struct Pattern {
    regex_t *regex;
    OnigMatchParam *limits;
    OnigRegion *match;
};

static void pattern_free(void *piece)
{
    Pattern *it = piece;
    onig_free(it->regex);
    onig_free_match_param(it->limits);
    onig_region_free(it->match, 1);
}

const Pattern *pattern_read(const char *text, PatternSyntax syntax, Arena *arena, Error *err)
{
    enum { TEXT_MAX = 2000, FOR_A_REGEX = 4 << 20, STACK_MAX = 1 << 20 };
    const OnigUChar *begin = (const OnigUChar *)text, *end = begin + strlen(text);
    *err = (Error){.text = ""};
    Pattern *it = arena_take(arena, 1, sizeof *it, err);
    if (!it || end - begin > TEXT_MAX || !utf8_valid(text, strlen(text)))
        return NULL;
    if (!room_ahead(FOR_A_REGEX)) { // Oniguruma does not check every allocation
        error_machine(err, TELL(TOKENIZER_MEMORY), (size_t)FOR_A_REGEX);
        return NULL;
    }
    onig_initialize((OnigEncoding[]){ONIG_ENCODING_UTF8}, 1);
    int made = onig_new(&it->regex, begin, end, ONIG_OPTION_NONE, ONIG_ENCODING_UTF8,
                        syntax == PATTERN_LITERAL ? ONIG_SYNTAX_ASIS : ONIG_SYNTAX_ONIGURUMA, NULL);
    if (made == ONIGERR_MEMORY)
        error_machine(err, TELL(TOKENIZER_MEMORY), (size_t)FOR_A_REGEX);
    if (made != ONIG_NORMAL)
        return NULL;
    it->limits = onig_new_match_param();
    it->match = onig_region_new();
    if (!arena_release(arena, pattern_free, it, err))
        return NULL;
    if (!it->limits || !it->match) {
        error_machine(err, TELL(TOKENIZER_MEMORY), (size_t)FOR_A_REGEX);
        return NULL;
    }
    onig_initialize_match_param(it->limits);
    onig_set_match_stack_limit_size_of_match_param(it->limits, STACK_MAX);
    return it;
}

// An untrusted expression can backtrack for ever, in one search or in a little of each. A real one takes few steps for
// each character.
static void limit_steps(OnigMatchParam *limits, size_t length, long *searches)
{
    enum { STEPS_OF_ALL = 20000000, STEPS_LEAST = 1000, STEPS_OF_A_CHARACTER = 100 };
    unsigned long steps = STEPS_LEAST + STEPS_OF_ALL / (unsigned long)++*searches;
    onig_set_retry_limit_in_match_of_match_param(limits, steps);
    onig_set_retry_limit_in_search_of_match_param(limits, steps + STEPS_OF_A_CHARACTER * length);
}

static PatternFound fail(int why, Error *err)
{
    if (why == ONIGERR_MEMORY)
        error_machine(err, TELL(TOKENIZER_MEMORY), sizeof(OnigRegion));
    else
        error_set(err, TELL(TOKENIZER_PATTERN_LONG));
    return PATTERN_FAILED;
}

PatternFound pattern_find(const Pattern *pattern, PatternSearch *search, Error *err)
{
    const OnigUChar *text = (const OnigUChar *)search->text, *end = text + search->length;
    uint32_t c;
    limit_steps(pattern->limits, search->length - search->from, search->searches);
    for (size_t from = search->from; from < search->length;) {
        int found = onig_search_with_param(pattern->regex, text, end, text + from, end,
                                           pattern->match, ONIG_OPTION_NONE, pattern->limits);
        if (found == ONIG_MISMATCH)
            break;
        if (found < 0)
            return fail(found, err);
        search->begin = (size_t)pattern->match->beg[0];
        search->end = (size_t)pattern->match->end[0];
        if (search->end > search->begin)
            return PATTERN_FOUND;
        from = search->begin + utf8_next(search->text + search->begin, &c);
        if (search->begin == search->length)
            break;
    }
    return PATTERN_NOT_FOUND;
}

// --- more parts

const Pattern *tokenizer_pattern(const TokenizerReader *reader, json_t *part)
{
    json_t *json = json_object_get(part, "pattern"), *regex = json_object_get(json, "Regex");
    const char *literal = tokenizer_string(reader, json, "String", true);
    const Pattern *pattern = NULL;
    if (literal ? !*literal : reader->err->text[0] || !json_is_string(regex))
        tokenizer_misread(reader, "pattern");
    else
        pattern =
            pattern_read(literal ? literal : json_string_value(regex),
                         literal ? PATTERN_LITERAL : PATTERN_REGEX, reader->arena, reader->err);
    if (!pattern && !reader->err->text[0])
        tokenizer_refuse(reader, "pattern", literal ? json : regex);
    return pattern;
}

bool tokenizer_is_kind(json_t *part, const char *name)
{
    const char *type = json_string_value(json_object_get(part, "type"));
    return type && strcmp(type, name) == 0;
}

bool tokenizer_read_sequence(TokenizerReader *reader, json_t *json, const char *key,
                             bool (*read)(TokenizerReader *reader, json_t *part))
{
    const char *const keys[] = {key, NULL};
    json_t *list = json_object_get(json, key), *part;
    size_t i;
    if (!json_is_array(list) || ++reader->depth > TOKENIZER_STEPS_MAX)
        return tokenizer_misread(reader, key);
    json_array_foreach(list, i, part)
    {
        if (!read(reader, part))
            return false;
    }
    reader->depth--;
    return tokenizer_only(reader, json, keys);
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
