// Tokenizes texts, and opens tokenizer files; see tokenizer.h.
#include "tokenizer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "input_file.h"
#include "json.h"
#include "scenarios_words.def"
#include "tokenizer_parts.h"
#include "utf8.h"

// --- tokenizer.json
//
// The format of Hugging Face's tokenizers. Unsupported features are refused by name. Ignores `decoder`, which is the way
// back, and `padding`, which does not change tokens.

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
    if (token.normalized) { // normalised tokens are searched in normalised text
        TokenizerWork work = {.arena = reader->arena, .err = reader->err};
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

// --- the template

// The id of ["[SEP]", 3].
static bool read_end(TokenizerReader *reader, json_t *json, const char *key, int64_t *id)
{
    json_t *number = json_array_get(json_object_get(json, key), 1);
    *id = json_is_integer(number) ? json_integer_value(number) : -1;
    return (*id >= 0 && *id < TOKENIZER_WORDS_MAX) || tokenizer_misread(reader, key);
}

static bool read_frame(TokenizerReader *reader, json_t *json, TokenizerFrame frame)
{
    static const char *const keys[] = {"sep", "cls", "trim_offsets", "add_prefix_space", NULL};
    int64_t first, last;
    return tokenizer_only(reader, json, keys) && read_end(reader, json, "cls", &first) &&
           read_end(reader, json, "sep", &last) &&
           tokenizer_frame(reader->tokenizer, frame, first, last, reader->arena, reader->err);
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

// At most one part of a sequence may add tokens.
static bool read_template(TokenizerReader *reader, json_t *json)
{
    static const char *const keys[] = {"single", "pair", "special_tokens", NULL};
    Tokenizer *tokenizer = reader->tokenizer;
    if (!json || json_is_null(json) || tokenizer_is_kind(json, "ByteLevel"))
        return true; // affects only offsets
    if (tokenizer_is_kind(json, "Sequence"))
        return tokenizer_read_sequence(reader, json, "processors", read_template);
    if (tokenizer->is_framed)
        return tokenizer_refuse(reader, "processors", json);
    tokenizer->is_framed = true;
    if (tokenizer_is_kind(json, "BertProcessing"))
        return read_frame(reader, json, TOKENIZER_BERT);
    if (tokenizer_is_kind(json, "RobertaProcessing"))
        return read_frame(reader, json, TOKENIZER_ROBERTA);
    if (!tokenizer_is_kind(json, "TemplateProcessing"))
        return tokenizer_refuse(reader, "type", json_object_get(json, "type"));
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
    if (!type && !name) // missing in old versions
        type = json_object_get(json, "merges")                      ? "BPE"
               : json_is_array(json_object_get(json, "vocab"))      ? "Unigram"
               : json_object_get(json, "continuing_subword_prefix") ? "WordPiece"
                                                                    : "WordLevel";
    for (size_t i = 0; type && i < sizeof models / sizeof *models; i++)
        if (strcmp(type, models[i].name) == 0)
            return models[i].read(reader, json);
    return tokenizer_refuse(reader, "type", name);
}

// Longer texts would be truncated; they are refused.
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
                 {"post_processor", read_template},
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
    bool good = tokenizer && tokenizer_frame(tokenizer, TOKENIZER_PLAIN, -1, -1, arena, err) &&
                read_parts(&reader, json);
    json_decref(json);
    return good ? tokenizer : NULL;
}

// --- the tokenizer

enum { FILE_BYTES_MAX = 64 << 20 };

// --- added tokens in a text

// The longest one that starts here, or NULL.
static const TokenizerAdded *added_at(const Tokenizer *tokenizer, const char *text, size_t length,
                                      bool normalized)
{
    size_t i = tokenizer->added_by_byte[normalized][(unsigned char)*text];
    for (; i != SIZE_MAX; i = tokenizer->added[i].next) {
        const TokenizerAdded *token = &tokenizer->added[i];
        if (token->length <= length && memcmp(token->text, text, token->length) == 0)
            return token;
    }
    return NULL;
}

static size_t character_before(const char *text, size_t at, uint32_t *c)
{
    size_t begin = at - 1;
    while (begin > 0 && ((unsigned char)text[begin] & 0xc0) == 0x80)
        begin--;
    utf8_next(text + begin, c);
    return begin;
}

// True if no letter is directly before or after.
static bool is_apart(const TokenizerSpan *span, size_t begin, size_t end)
{
    uint32_t before = ' ', behind = ' ';
    if (begin > 0)
        character_before(span->text, begin, &before);
    if (end < span->length)
        utf8_next(span->text + end, &behind);
    return !tokenizer_is_word(before) && !tokenizer_is_word(behind);
}

// Includes the blanks around a token, if it asks for that.
static void widen(const TokenizerAdded *token, const TokenizerSpan *span, size_t least,
                  size_t *begin, size_t *end)
{
    uint32_t c;
    for (size_t at = *begin; token->left && at > least; *begin = at) {
        at = character_before(span->text, at, &c);
        if (!character_is_space(c))
            break;
    }
    for (size_t used; token->right && *end < span->length; *end += used) {
        used = utf8_next(span->text + *end, &c);
        if (!character_is_space(c))
            break;
    }
}

// Tokenizes the text between them.
typedef bool Between(const Tokenizer *tokenizer, TokenizerSpan span, TokenizerWork *work);

static bool around_added(const Tokenizer *tokenizer, TokenizerSpan span, bool normalized,
                         Between *between, TokenizerWork *work)
{
    size_t done = 0; // up to here, the text is tokenised
    for (size_t at = 0; at < span.length;) {
        const TokenizerAdded *token =
            added_at(tokenizer, span.text + at, span.length - at, normalized);
        size_t begin = at, end = at + (token ? token->length : 1);
        at = end;
        if (!token || (token->single_word && !is_apart(&span, begin, end)))
            continue;
        widen(token, &span, done, &begin, &end);
        TokenizerSpan left = {span.text + done, begin > done ? begin - done : 0,
                              span.is_first && done == 0};
        if ((left.length > 0 && !between(tokenizer, left, work)) || !tokenizer_add(work, token->id))
            return false;
        done = end;
    }
    TokenizerSpan rest = {span.text + done, span.length - done, span.is_first && done == 0};
    return rest.length == 0 || between(tokenizer, rest, work);
}

// --- the whole pipeline

static bool cut_and_take(const Tokenizer *tokenizer, TokenizerSpan span, TokenizerWork *work)
{
    TokenizerSpans now = {.work = work};
    if (!tokenizer_put_span(&now, span))
        return false;
    for (size_t i = 0; i < tokenizer->cut_count; i++) {
        TokenizerSpans cut = {.work = work};
        for (size_t j = 0; j < now.count; j++)
            if (!tokenizer->cuts[i].run(&tokenizer->cuts[i], now.items[j], &cut))
                return false;
        now = cut;
    }
    for (size_t i = 0; i < now.count; i++)
        if (!tokenizer->model(tokenizer, now.items[i].text, now.items[i].length, work))
            return false;
    return true;
}

static bool normalize_and_cut(const Tokenizer *tokenizer, TokenizerSpan span, TokenizerWork *work)
{
    TokenizerText normal = {.work = work};
    return tokenizer_normalize(tokenizer, span.text, span.length, &normal) &&
           around_added(tokenizer, (TokenizerSpan){normal.bytes, normal.length, span.is_first},
                        true, cut_and_take, work);
}

static bool take_text(const Tokenizer *tokenizer, const char *text, TokenizerWork *work)
{
    size_t before = work->ids->count;
    return around_added(tokenizer, (TokenizerSpan){text, strlen(text), true}, false,
                        normalize_and_cut, work) &&
           (work->ids->count > before || error_set(work->err, TELL(TEXT_EMPTY)));
}

static bool fill(const Tokenizer *tokenizer, const char *const texts[2], TokenizerWork *work)
{
    const TokenizerTemplate *frame = texts[1] ? &tokenizer->with_pair : &tokenizer->alone;
    for (size_t i = 0; i < frame->count; i++) {
        const TokenizerSlot *slot = &frame->slots[i];
        work->type = slot->type;
        if (!slot->ids && texts[slot->is_second] &&
            !take_text(tokenizer, texts[slot->is_second], work))
            return false;
        for (size_t j = 0; slot->ids && j < slot->count; j++)
            if (!tokenizer_add(work, slot->ids[j]))
                return false;
    }
    return true;
}

bool tokenizer_ids(const Tokenizer *tokenizer, const char *text, const char *pair, Arena *arena,
                   TokenizerIds *ids, Error *err)
{
    TokenizerWork work = {.arena = arena, .err = err, .ids = ids};
    const char *const texts[] = {text, pair};
    *ids = (TokenizerIds){.room = TOKENIZER_TOKENS_MAX};
    ids->ids = arena_take(arena, ids->room, sizeof *ids->ids, err);
    ids->types = arena_take(arena, ids->room, sizeof *ids->types, err);
    if (!ids->ids || !ids->types)
        return false;
    if (!utf8_valid(text, strlen(text)) || (pair && !utf8_valid(pair, strlen(pair))))
        return error_set(err, TELL(TEXT_UTF8));
    if (!fill(tokenizer, texts, &work))
        return false;
    return tokenizer->most_tokens == 0 || ids->count <= tokenizer->most_tokens ||
           error_set(err, TELL(TOKENIZER_TRUNCATES), tokenizer->name, tokenizer->most_tokens,
                     ids->count);
}

size_t tokenizer_unknown(const Tokenizer *tokenizer, const TokenizerIds *ids)
{
    size_t count = 0;
    for (size_t i = 0; i < ids->count; i++)
        count += ids->ids[i] == tokenizer->unknown;
    return count;
}

// --- for labels

static size_t shown_room(const Tokenizer *tokenizer)
{
    size_t room = 1;
    for (size_t i = 0; i < tokenizer->word_count; i++)
        room += strlen(tokenizer->words[i].text) * TOKEN_TEXT_GROWTH + 1;
    for (size_t i = 0; i < tokenizer->added_count; i++)
        room += tokenizer->added[i].length + 1;
    return room;
}

const char **tokenizer_shown(const Tokenizer *tokenizer, size_t rows, Arena *arena, Error *err)
{
    const char **shown = arena_take(arena, rows, sizeof *shown, err);
    char *next = shown ? arena_take(arena, shown_room(tokenizer), 1, err) : NULL;
    if (!next)
        return NULL;
    for (size_t i = 0; i < tokenizer->word_count; i++) {
        const TokenizerWord *word = &tokenizer->words[i];
        if ((size_t)word->id >= rows)
            continue;
        shown[word->id] = token_text(word->text, tokenizer->spelling, next);
        next += strlen(next) + 1;
    }
    for (size_t i = 0; i < tokenizer->added_count; i++) {
        const TokenizerAdded *token = &tokenizer->added[i];
        if ((size_t)token->id >= rows)
            continue;
        shown[token->id] = memcpy(next, token->text, token->length + 1);
        next += token->length + 1;
    }
    for (size_t id = 0; id < rows; id++)
        if (!shown[id] && !(shown[id] = arena_format(arena, err, "<%zu>", id)))
            return NULL;
    return shown;
}

// --- opening files

static bool is_there(const char *path)
{
    return access(path, R_OK) == 0;
}

// Another file in the folder of `path`.
static const char *beside(const char *path, const char *name, Arena *arena, Error *err)
{
    return arena_format(arena, err, "%.*s%s", (int)(path_name(path) - path), path, name);
}

// The first of two files that exists, or the first.
static const char *either_beside(const char *path, const char *name, const char *other,
                                 Arena *arena, Error *err)
{
    const char *first = beside(path, name, arena, err), *second = beside(path, other, arena, err);
    return !first || !second || is_there(first) || !is_there(second) ? first : second;
}

static bool read_file(const char *path, Arena *arena, TokenizerBytes *file, Error *err)
{
    unsigned char *bytes;
    if (!path || !input_file_all(path, FILE_BYTES_MAX, arena, &bytes, &file->length, err))
        return false;
    file->bytes = bytes;
    return true;
}

static Tokenizer *open_wordpiece(const char *path, Arena *arena, Error *err)
{
    TokenizerBytes file;
    const char *lower = NULL, *strip = NULL,
               *config = beside(path, "tokenizer_config.json", arena, err);
    if (!config || !read_file(path, arena, &file, err) ||
        !json_word(config, "do_lower_case", arena, &lower, err) ||
        !json_word(config, "strip_accents", arena, &strip, err))
        return NULL;
    bool keeps = strip && strcmp(strip, "true") != 0;
    TokenizerCase letters = !lower                       ? TOKENIZER_CASE_GUESSED
                            : strcmp(lower, "true") != 0 ? TOKENIZER_CASED
                            : keeps                      ? TOKENIZER_LOWER
                                                         : TOKENIZER_UNCASED;
    return tokenizer_wordpiece(&file, path, letters, arena, err);
}

// Many models have two such files but other rules: those that say so are refused.
static bool is_known_kind(const char *path, Arena *arena, Error *err)
{
    static const char *const known[] = {"GPT2",    "Roberta", "Bart", "Longformer", "LED",
                                        "gpt2",    "roberta", "bart", "longformer", "led",
                                        "gpt_neo", "gptj",    NULL};
    const char *kind = NULL, *adds = NULL;
    const char *own = beside(path, "tokenizer_config.json", arena, err);
    const char *config = beside(path, "config.json", arena, err);
    if (!own || !config || !json_word(own, "tokenizer_class", arena, &kind, err) ||
        !json_word(own, "add_bos_token", arena, &adds, err) ||
        (!kind && !json_word(config, "model_type", arena, &kind, err)))
        return false;
    bool good = !kind;
    for (int i = 0; kind && known[i] && !good; i++) {
        const char *rest =
            strncmp(kind, known[i], strlen(known[i])) == 0 ? kind + strlen(known[i]) : "-";
        good = strcmp(rest, "") == 0 || strcmp(rest, "Tokenizer") == 0 ||
               strcmp(rest, "TokenizerFast") == 0;
    }
    if (adds && strcmp(adds, "true") == 0)
        return error_set(err, TELL(TOKENIZER_ONLY_JSON), path, "add_bos_token");
    return good || error_set(err, TELL(TOKENIZER_ONLY_JSON), path, kind);
}

static Tokenizer *open_byte_pairs(const char *path, Arena *arena, Error *err)
{
    TokenizerBytes vocabulary, merges;
    const char *json = either_beside(path, "vocab.json", "encoder.json", arena, err);
    const char *text = either_beside(path, "merges.txt", "vocab.bpe", arena, err);
    if (!text || !is_known_kind(path, arena, err) || !read_file(json, arena, &vocabulary, err) ||
        !read_file(text, arena, &merges, err))
        return NULL;
    return tokenizer_byte_pairs(&vocabulary, &merges, path, arena, err);
}

// A field of tokenizer.json that tokenizer_config.json may override: 1, 0, or -1: missing.
static int has_lower(const Tokenizer *tokenizer)
{
    return tokenizer->bert_lowers;
}

static int has_prefix(const Tokenizer *tokenizer)
{
    return tokenizer->cut_count == 1 && tokenizer->cuts[0].run == tokenizer_byte_cut
               ? tokenizer->cuts[0].prefix
               : -1;
}

static int has_first(const Tokenizer *tokenizer)
{
    const TokenizerTemplate *alone = &tokenizer->alone;
    return alone->count > 0 && alone->slots[0].ids != NULL;
}

static int has_last(const Tokenizer *tokenizer)
{
    const TokenizerTemplate *alone = &tokenizer->alone;
    return alone->count > 0 && alone->slots[alone->count - 1].ids != NULL;
}

// If the two files disagree, the result depends on the library's version: refused.
static bool agrees(const Tokenizer *tokenizer, Arena *arena, Error *err)
{
    static const struct {
        const char *key;
        int (*has)(const Tokenizer *tokenizer);
    } fields[] = {{"do_lower_case", has_lower},
                  {"add_prefix_space", has_prefix},
                  {"add_bos_token", has_first},
                  {"add_eos_token", has_last}};
    const char *config = beside(tokenizer->name, "tokenizer_config.json", arena, err);
    for (size_t i = 0; config && i < sizeof fields / sizeof *fields; i++) {
        const char *value;
        if (!json_word(config, fields[i].key, arena, &value, err))
            return false;
        int has = fields[i].has(tokenizer);
        if (value && has >= 0 && has != (strcmp(value, "true") == 0))
            return error_set(err, TELL(TOKENIZER_DISAGREES), tokenizer->name, fields[i].key);
    }
    return config != NULL;
}

static Tokenizer *open_json(const char *path, Arena *arena, Error *err)
{
    TokenizerBytes file;
    Tokenizer *tokenizer =
        read_file(path, arena, &file, err) ? tokenizer_json(&file, path, arena, err) : NULL;
    return tokenizer && agrees(tokenizer, arena, err) ? tokenizer : NULL;
}

static Tokenizer *open_sentencepiece(const char *path, Arena *arena, Error *err)
{
    (void)arena;
    error_set(err, TELL(TOKENIZER_SENTENCEPIECE), path);
    return NULL;
}

// In order of preference.
static const struct {
    const char *name;
    Tokenizer *(*open)(const char *path, Arena *arena, Error *err);
} files[] = {
    {"tokenizer.json", open_json},           {"vocab.txt", open_wordpiece},
    {"merges.txt", open_byte_pairs},         {"vocab.bpe", open_byte_pairs},
    {"vocab.json", open_byte_pairs},         {"encoder.json", open_byte_pairs},
    {"tokenizer.model", open_sentencepiece}, {"sentencepiece.bpe.model", open_sentencepiece},
    {"spiece.model", open_sentencepiece},    {"sentencepiece.model", open_sentencepiece},
    {"spm.model", open_sentencepiece},       {"source.spm", open_sentencepiece},
};

const char *tokenizer_beside(const char *folder, size_t length, Arena *arena, Error *err)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = arena_format(arena, err, "%.*s%s", (int)length, folder, files[i].name);
        if (!path)
            return NULL;
        if (is_there(path))
            return files[i].name;
    }
    error_set(err, TELL(TOKENIZER_NONE), length ? (int)length : 1, length ? folder : ".");
    return NULL;
}

Tokenizer *tokenizer_open(const char *path, Arena *arena, Error *err)
{
    const char *name = path_name(path);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(name, files[i].name) == 0)
            return files[i].open(path, arena, err);
    error_set(err, TELL(TOKENIZER_FILE), path);
    return NULL;
}
