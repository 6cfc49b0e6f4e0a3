// Normalizers and pre-tokenizers, exactly as in Hugging Face's tokenizers; see tokenizer_parts.h.
#define _GNU_SOURCE // memmem
#include <string.h>
#include "digest.h"
#include "pattern.h"
#include "scenarios_words.def"
#include "tokenizer_parts.h"
#include "utf8.h"

// --- normalizers, with the library's quirks

// --- over all characters

typedef bool Each(const TokenizerNormal *it, uint32_t c, TokenizerText *out);

static bool over_all(const TokenizerNormal *it, const TokenizerSpan *span, Each *each,
                     TokenizerText *out)
{
    uint32_t c;
    for (size_t at = 0; at < span->length;) {
        at += utf8_next(span->text + at, &c);
        if (!each(it, c, out))
            return false;
    }
    return true;
}

static bool lower_one(const TokenizerNormal *it, uint32_t c, TokenizerText *out)
{
    (void)it;
    if (c == 0x130) // the only character that becomes two
        return tokenizer_put(out, "i\u0307", 3);
    return tokenizer_put_character(out, character_lower(c));
}

static bool drop_marks(const TokenizerNormal *it, uint32_t c, TokenizerText *out)
{
    (void)it;
    return character_category(c)[0] == 'M' || tokenizer_put_character(out, c);
}

static bool drop_accents(const TokenizerNormal *it, uint32_t c, TokenizerText *out)
{
    (void)it;
    return character_kind(c) == CHARACTER_MARK || tokenizer_put_character(out, c);
}

static bool lower(const TokenizerNormal *it, const char *text, size_t length, TokenizerText *out)
{
    return over_all(it, &(TokenizerSpan){text, length, false}, lower_one, out);
}

static bool strip_accents(const TokenizerNormal *it, const char *text, size_t length,
                          TokenizerText *out)
{
    return over_all(it, &(TokenizerSpan){text, length, false}, drop_marks, out);
}

// Google's NMT rules: drops control characters, turns separators into blanks.
static bool nmt_one(const TokenizerNormal *it, uint32_t c, TokenizerText *out)
{
    static const uint32_t blanks[] = {0x09,   0x0a,   0x0c,   0x0d,   0x1680,
                                      0x200b, 0x200c, 0x200d, 0x200e, 0x200f,
                                      0x2028, 0x2029, 0x2581, 0xfeff, 0xfffd};
    (void)it;
    if ((c >= 0x01 && c <= 0x08) || c == 0x0b || (c >= 0x0e && c <= 0x1f) || c == 0x7f ||
        c == 0x8f || c == 0x9f)
        return true;
    for (size_t i = 0; i < sizeof blanks / sizeof *blanks; i++)
        c = c == blanks[i] ? ' ' : c;
    return tokenizer_put_character(out, c);
}

static bool nmt(const TokenizerNormal *it, const char *text, size_t length, TokenizerText *out)
{
    return over_all(it, &(TokenizerSpan){text, length, false}, nmt_one, out);
}

static bool byte_one(const char byte, TokenizerText *out)
{
    return tokenizer_put_character(out, token_letter_of((unsigned char)byte));
}

static bool bytes(const TokenizerNormal *it, const char *text, size_t length, TokenizerText *out)
{
    (void)it;
    for (size_t i = 0; i < length; i++)
        if (!byte_one(text[i], out))
            return false;
    return true;
}

// --- normal forms

static bool normalize(const TokenizerNormal *it, const char *text, size_t length,
                      TokenizerText *out)
{
    size_t room = character_normalize(text, length, (CharacterForm)it->form, NULL, 0);
    uint32_t *made = arena_take(out->work->arena, room, sizeof *made, out->work->err);
    if (!made)
        return false;
    size_t count = character_normalize(text, length, (CharacterForm)it->form, made, room);
    for (size_t i = 0; i < count && count <= room; i++)
        if (!tokenizer_put_character(out, made[i]))
            return false;
    return true;
}

// --- BERT

static bool is_dropped(uint32_t c)
{
    const char *category = character_category(c);
    return c == 0xfffd ||
           (category[0] == 'C' && category[1] != 'n' && c != '\t' && c != '\n' && c != '\r');
}

// CJK ideographs; Korean and Japanese letters are not among them.
static bool is_chinese(uint32_t c)
{
    static const uint32_t ranges[][2] = {{0x4e00, 0x9fff},   {0x3400, 0x4dbf},   {0x20000, 0x2a6df},
                                         {0x2a700, 0x2b73f}, {0x2b740, 0x2b81f}, {0x2b920, 0x2ceaf},
                                         {0xf900, 0xfaff},   {0x2f800, 0x2fa1f}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    return false;
}

static bool clean_one(const TokenizerNormal *it, uint32_t c, TokenizerText *out)
{
    if (it->clean && is_dropped(c))
        return true;
    if (it->clean && character_is_space(c))
        c = ' ';
    bool is_word = it->chinese && is_chinese(c);
    return (!is_word || tokenizer_put(out, " ", 1)) && tokenizer_put_character(out, c) &&
           (!is_word || tokenizer_put(out, " ", 1));
}

bool tokenizer_bert_normal(const TokenizerNormal *it, const char *text, size_t length,
                           TokenizerText *out)
{
    const TokenizerNormal decompose = {.form = CHARACTER_NFD};
    TokenizerText cleaned = {.work = out->work}, parts = cleaned, plain = cleaned;
    if (!over_all(it, &(TokenizerSpan){text, length, false}, clean_one, &cleaned))
        return false;
    TokenizerSpan span = {cleaned.bytes, cleaned.length, false};
    if (it->strip) {
        if (!normalize(&decompose, span.text, span.length, &parts) ||
            !over_all(it, &(TokenizerSpan){parts.bytes, parts.length, false}, drop_accents, &plain))
            return false;
        span = (TokenizerSpan){plain.bytes, plain.length, false};
    }
    return it->lower ? over_all(it, &span, lower_one, out)
                     : tokenizer_put(out, span.text, span.length);
}

// --- replacing, stripping

static bool find_next(const TokenizerNormal *it, PatternSearch *search, bool *found,
                      TokenizerWork *work)
{
    *found = false;
    if (it->pattern) {
        PatternFound what = pattern_find(it->pattern, search);
        *found = what == PATTERN_FOUND;
        return what != PATTERN_TOO_LONG || error_set(work->err, TELL(TOKENIZER_PATTERN_LONG));
    }
    const char *at = memmem(search->text + search->from, search->length - search->from, it->literal,
                            strlen(it->literal));
    *found = at != NULL;
    search->begin = at ? (size_t)(at - search->text) : search->length;
    search->end = search->begin + strlen(it->literal);
    return true;
}

static bool replace(const TokenizerNormal *it, const char *text, size_t length, TokenizerText *out)
{
    PatternSearch search = {.text = text, .length = length, .left = out->work->pattern_steps};
    bool good, found;
    while ((good = find_next(it, &search, &found, out->work)) && found) {
        if (!tokenizer_put(out, text + search.from, search.begin - search.from) ||
            !tokenizer_put(out, it->content, strlen(it->content)))
            return false;
        search.from = search.end;
    }
    out->work->pattern_steps = search.left;
    return good && tokenizer_put(out, text + search.from, length - search.from);
}

static bool prepend(const TokenizerNormal *it, const char *text, size_t length, TokenizerText *out)
{
    return (length == 0 || tokenizer_put(out, it->content, strlen(it->content))) &&
           tokenizer_put(out, text, length);
}

static bool strip(const TokenizerNormal *it, const char *text, size_t length, TokenizerText *out)
{
    size_t begin = length, end = 0;
    uint32_t c;
    for (size_t at = 0, used; at < length; at += used) {
        used = utf8_next(text + at, &c);
        if (character_is_space(c))
            continue;
        begin = at < begin ? at : begin;
        end = at + used;
    }
    begin = it->left ? begin : 0;
    end = it->right ? end : length;
    return begin >= end || tokenizer_put(out, text + begin, end - begin);
}

// --- SentencePiece's precompiled table: a trie (a double array by Yata, darts-clone) with offsets of texts in a blob

// The replacement of the shortest prefix in the table, or NULL.
static const char *look_up(const TokenizerNormal *it, const char *text, size_t length)
{
    size_t node = 0;
    uint32_t unit = it->trie_count > 0 ? it->trie[0] : 0;
    node ^= (unit >> 10) << ((unit & (1U << 9)) >> 6);
    for (size_t i = 0; i < length; i++) {
        node ^= (unsigned char)text[i];
        if (node >= it->trie_count)
            return NULL;
        unit = it->trie[node];
        if ((unit & ((1U << 31) | 0xff)) != (unsigned char)text[i])
            return NULL;
        node ^= (unit >> 10) << ((unit & (1U << 9)) >> 6);
        if (node < it->trie_count && (unit >> 8) & 1) {
            size_t at = it->trie[node] & ((1U << 31) - 1);
            return at < it->blob_length ? it->blob + at : NULL;
        }
    }
    return NULL;
}

// Looks up a grapheme cluster as a whole if it has less than 6 bytes, else by character.
static bool put_seen(const TokenizerNormal *it, const char *text, size_t length, TokenizerText *out)
{
    enum { WHOLE_BYTES = 6 };
    uint32_t c;
    const char *made = length < WHOLE_BYTES ? look_up(it, text, length) : NULL;
    if (made)
        return tokenizer_put(out, made, strlen(made));
    for (size_t at = 0, used; at < length; at += used) {
        used = utf8_next(text + at, &c);
        made = look_up(it, text + at, used);
        if (!tokenizer_put(out, made ? made : text + at, made ? strlen(made) : used))
            return false;
    }
    return true;
}

static bool precompiled(const TokenizerNormal *it, const char *text, size_t length,
                        TokenizerText *out)
{
    uint32_t before = 0, c;
    int state = 0;
    size_t begun = 0;
    for (size_t at = 0, used; at < length; at += used, before = c) {
        used = utf8_next(text + at, &c);
        if (at > 0 && character_parts_from(before, c, &state)) {
            if (!put_seen(it, text + begun, at - begun, out))
                return false;
            begun = at;
        }
    }
    return put_seen(it, text + begun, length - begun, out);
}

bool tokenizer_normalize(const Tokenizer *tokenizer, const char *text, size_t length,
                         TokenizerText *out)
{
    for (size_t i = 0; i < tokenizer->normal_count; i++) {
        const TokenizerNormal *it = &tokenizer->normals[i];
        TokenizerText made = {.work = out->work};
        if (!it->run(it, text, length, &made))
            return false;
        text = made.bytes ? made.bytes : "";
        length = made.length;
    }
    return tokenizer_put(out, text, length);
}

// --- reading

static bool normal_read_none(TokenizerReader *reader, json_t *json, TokenizerNormal *it)
{
    static const char *const keys[] = {NULL};
    (void)it;
    return tokenizer_only(reader, json, keys);
}

static bool read_bert(TokenizerReader *reader, json_t *json, TokenizerNormal *it)
{
    static const char *const keys[] = {"clean_text", "handle_chinese_chars", "strip_accents",
                                       "lowercase", NULL};
    it->clean = it->chinese = it->lower = true;
    if (!tokenizer_only(reader, json, keys) || !tokenizer_flag(reader, json, keys[0], &it->clean) ||
        !tokenizer_flag(reader, json, keys[1], &it->chinese) ||
        !tokenizer_flag(reader, json, keys[3], &it->lower))
        return false;
    it->strip = it->lower;
    return tokenizer_flag(reader, json, keys[2], &it->strip);
}

static bool read_replace(TokenizerReader *reader, json_t *json, TokenizerNormal *it)
{
    static const char *const keys[] = {"pattern", "content", NULL};
    it->content = tokenizer_string(reader, json, "content", false);
    return it->content && tokenizer_only(reader, json, keys) &&
           tokenizer_pattern(reader, json, &it->literal, &it->pattern);
}

static bool read_prepend(TokenizerReader *reader, json_t *json, TokenizerNormal *it)
{
    static const char *const keys[] = {"prepend", NULL};
    it->content = tokenizer_string(reader, json, "prepend", false);
    return it->content && tokenizer_only(reader, json, keys);
}

static bool read_strip(TokenizerReader *reader, json_t *json, TokenizerNormal *it)
{
    static const char *const keys[] = {"strip_left", "strip_right", NULL};
    return tokenizer_only(reader, json, keys) && tokenizer_flag(reader, json, keys[0], &it->left) &&
           tokenizer_flag(reader, json, keys[1], &it->right);
}

// Four bytes with the trie's size, the trie, and the blob.
static bool read_precompiled(TokenizerReader *reader, json_t *json, TokenizerNormal *it)
{
    static const char *const keys[] = {"precompiled_charsmap", NULL};
    const char *text = tokenizer_string(reader, json, keys[0], false);
    size_t length = 0;
    if (!text || !tokenizer_only(reader, json, keys))
        return false;
    unsigned char *map = base64_bytes(text, &length, reader->arena, reader->err);
    if (!map)
        return reader->err->text[0] == '\0' && tokenizer_misread(reader, keys[0]);
    size_t bytes =
        length < 4 ? 0 : map[0] | (size_t)map[1] << 8 | (size_t)map[2] << 16 | (size_t)map[3] << 24;
    if (length < 4 || bytes % 4 != 0 || bytes > length - 4)
        return tokenizer_misread(reader, keys[0]);
    uint32_t *trie = arena_take(reader->arena, bytes / 4, sizeof *trie, reader->err);
    char *blob = arena_take(reader->arena, length - 4 - bytes + 1, 1, reader->err);
    if (!trie || !blob)
        return false;
    for (size_t i = 0; i < bytes / 4; i++)
        trie[i] = map[4 + 4 * i] | (uint32_t)map[5 + 4 * i] << 8 | (uint32_t)map[6 + 4 * i] << 16 |
                  (uint32_t)map[7 + 4 * i] << 24;
    memcpy(blob, map + 4 + bytes, length - 4 - bytes);
    *it = (TokenizerNormal){.run = it->run,
                            .trie = trie,
                            .trie_count = bytes / 4,
                            .blob = blob,
                            .blob_length = length - 4 - bytes};
    for (size_t at = 0; at < it->blob_length; at += strlen(blob + at) + 1)
        if (!utf8_valid(blob + at, strlen(blob + at)))
            return tokenizer_misread(reader, keys[0]);
    return true;
}

static const struct {
    const char *name;
    bool (*run)(const TokenizerNormal *it, const char *text, size_t length, TokenizerText *out);
    bool (*read)(TokenizerReader *reader, json_t *json, TokenizerNormal *it);
    CharacterForm form;
} normal_kinds[] = {
    {"NFC", normalize, normal_read_none, CHARACTER_NFC},
    {"NFD", normalize, normal_read_none, CHARACTER_NFD},
    {"NFKC", normalize, normal_read_none, CHARACTER_NFKC},
    {"NFKD", normalize, normal_read_none, CHARACTER_NFKD},
    {"Lowercase", lower, normal_read_none, 0},
    {"StripAccents", strip_accents, normal_read_none, 0},
    {"Nmt", nmt, normal_read_none, 0},
    {"ByteLevel", bytes, normal_read_none, 0},
    {"BertNormalizer", tokenizer_bert_normal, read_bert, 0},
    {"Replace", replace, read_replace, 0},
    {"Prepend", prepend, read_prepend, 0},
    {"Strip", strip, read_strip, 0},
    {"Precompiled", precompiled, read_precompiled, 0},
};

static bool normal_read_sequence(TokenizerReader *reader, json_t *json)
{
    static const char *const keys[] = {"normalizers", NULL};
    json_t *list = json_object_get(json, keys[0]), *part;
    size_t i;
    if (!json_is_array(list) || ++reader->depth > TOKENIZER_STEPS_MAX)
        return tokenizer_misread(reader, keys[0]);
    json_array_foreach(list, i, part)
    {
        if (!tokenizer_read_normals(reader, part))
            return false;
    }
    reader->depth--;
    return tokenizer_only(reader, json, keys);
}

bool tokenizer_read_normals(TokenizerReader *reader, json_t *json)
{
    Tokenizer *tokenizer = reader->tokenizer;
    const char *type = json_string_value(json_object_get(json, "type"));
    if (!json || json_is_null(json))
        return true;
    if (type && strcmp(type, "Sequence") == 0)
        return normal_read_sequence(reader, json);
    for (size_t i = 0; type && i < sizeof normal_kinds / sizeof *normal_kinds; i++) {
        if (strcmp(type, normal_kinds[i].name) != 0)
            continue;
        if (tokenizer->normal_count == TOKENIZER_STEPS_MAX)
            return tokenizer_misread(reader, "normalizers");
        TokenizerNormal *it = &tokenizer->normals[tokenizer->normal_count++];
        *it = (TokenizerNormal){.run = normal_kinds[i].run, .form = (int)normal_kinds[i].form};
        return normal_kinds[i].read(reader, json, it);
    }
    return tokenizer_refuse(reader, "type", json_object_get(json, "type"));
}

// --- pre-tokenizers

static const char blank_mark[] = "\u2581"; // Metaspace's default replacement

// GPT-2's pattern, in which a blank belongs to the next word.
static const char gpt2_pattern[] =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

// --- separators

typedef bool Divides(uint32_t c);

// Finds the next separator.
static PatternFound find_character(PatternSearch *search, Divides *divides)
{
    uint32_t c;
    for (size_t at = search->from, used; at < search->length; at += used) {
        used = utf8_next(search->text + at, &c);
        if (divides(c)) {
            search->begin = at;
            search->end = at + used;
            return PATTERN_FOUND;
        }
    }
    return PATTERN_NOT_FOUND;
}

// Punctuation, including ASCII symbols: $, +, ^.
static bool is_punctuation(uint32_t c)
{
    return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
           (c >= 123 && c <= 126) || character_kind(c) == CHARACTER_PUNCTUATION;
}

static bool is_number(uint32_t c)
{
    return character_kind(c) == CHARACTER_NUMBER;
}

static PatternFound find_blank(const TokenizerCut *it, PatternSearch *search)
{
    (void)it;
    return find_character(search, character_is_space);
}

static PatternFound find_punctuation(const TokenizerCut *it, PatternSearch *search)
{
    (void)it;
    return find_character(search, is_punctuation);
}

static PatternFound find_number(const TokenizerCut *it, PatternSearch *search)
{
    (void)it;
    return find_character(search, is_number);
}

static PatternFound find_pattern(const TokenizerCut *it, PatternSearch *search)
{
    return pattern_find(it->pattern, search);
}

static PatternFound find_literal(const TokenizerCut *it, PatternSearch *search)
{
    const char *at = memmem(search->text + search->from, search->length - search->from, it->literal,
                            strlen(it->literal));
    if (!at || !*it->literal)
        return PATTERN_NOT_FOUND;
    search->begin = (size_t)(at - search->text);
    search->end = search->begin + strlen(it->literal);
    return PATTERN_FOUND;
}

bool tokenizer_is_word(uint32_t c)
{
    return pattern_is_word(c) || c == 0x200c || c == 0x200d;
}

// Finds a word, or a run of other characters.
static PatternFound find_word(const TokenizerCut *it, PatternSearch *search)
{
    (void)it;
    uint32_t c;
    int kind = 0; // 1: a word, 2: other characters
    for (size_t at = search->from, used; at < search->length; at += used) {
        used = utf8_next(search->text + at, &c);
        int now = tokenizer_is_word(c) ? 1 : character_is_space(c) ? 0 : 2;
        if (kind && now != kind)
            break;
        search->begin = kind ? search->begin : at;
        kind = now;
        search->end = at + used;
    }
    return kind ? PATTERN_FOUND : PATTERN_NOT_FOUND;
}

// --- splitting

// The pieces of a span so far.
typedef struct Cutting {
    TokenizerSpan span;
    TokenizerBehaviour behaviour;
    TokenizerSpans *out;
    size_t begun; // of the open piece
    size_t end;
    bool is_open, last_divides;
} Cutting;

static bool close(Cutting *now)
{
    bool was_open = now->is_open;
    now->is_open = false;
    return !was_open ||
           tokenizer_put_span(now->out,
                              (TokenizerSpan){now->span.text + now->begun, now->end - now->begun,
                                              now->span.is_first && now->begun == 0});
}

// Adds a stretch: a separator, or the text between.
static bool stretch(Cutting *now, size_t begin, size_t end, bool divides)
{
    bool joins = now->behaviour == TOKENIZER_MERGED_WITH_PREVIOUS ? divides && !now->last_divides
                 : now->behaviour == TOKENIZER_MERGED_WITH_NEXT   ? now->last_divides && !divides
                 : now->behaviour == TOKENIZER_CONTIGUOUS         ? divides == now->last_divides
                                                                  : false;
    now->last_divides = divides;
    if (begin == end)
        return true;
    if (joins && now->is_open) {
        now->end = end;
        return true;
    }
    if (!close(now))
        return false;
    now->is_open = !divides || now->behaviour != TOKENIZER_REMOVED;
    now->begun = begin;
    now->end = end;
    return true;
}

// Splits a span at every separator.
static bool cut(const TokenizerCut *it, TokenizerSpan span, TokenizerSpans *out)
{
    Cutting now = {.span = span, .behaviour = it->behaviour, .out = out};
    TokenizerWork *work = out->work;
    PatternSearch search = {.text = span.text, .length = span.length, .left = work->pattern_steps};
    PatternFound found;
    while ((found = it->find(it, &search)) == PATTERN_FOUND) {
        if ((search.begin > search.from && !stretch(&now, search.from, search.begin, it->invert)) ||
            !stretch(&now, search.begin, search.end, !it->invert))
            return false;
        search.from = search.end;
    }
    work->pattern_steps = search.left;
    if (found == PATTERN_TOO_LONG)
        return error_set(work->err, TELL(TOKENIZER_PATTERN_LONG));
    return (search.from == span.length || stretch(&now, search.from, span.length, it->invert)) &&
           close(&now);
}

bool tokenizer_bert_cut(const TokenizerCut *it, TokenizerSpan span, TokenizerSpans *out)
{
    const TokenizerCut blanks = {.find = find_blank, .behaviour = TOKENIZER_REMOVED},
                       marks = {.find = find_punctuation, .behaviour = TOKENIZER_ISOLATED};
    TokenizerSpans words = {.work = out->work};
    (void)it;
    if (!cut(&blanks, span, &words))
        return false;
    for (size_t i = 0; i < words.count; i++)
        if (!cut(&marks, words.items[i], out))
            return false;
    return true;
}

// Prepends a text to a span.
static bool put_in_front(const char *mark, TokenizerSpan *span, TokenizerWork *work)
{
    TokenizerText text = {.work = work};
    if (!tokenizer_put(&text, mark, strlen(mark)) ||
        !tokenizer_put(&text, span->text, span->length))
        return false;
    span->text = text.bytes;
    span->length = text.length;
    return true;
}

// Replaces bytes by letters.
static bool spell(TokenizerSpan *span, TokenizerWork *work)
{
    TokenizerText text = {.work = work};
    for (size_t i = 0; i < span->length; i++)
        if (!tokenizer_put_character(&text, token_letter_of((unsigned char)span->text[i])))
            return false;
    span->text = text.bytes;
    span->length = text.length;
    return true;
}

bool tokenizer_byte_cut(const TokenizerCut *it, TokenizerSpan span, TokenizerSpans *out)
{
    TokenizerSpans words = {.work = out->work};
    if (it->prefix && span.text[0] != ' ' && !put_in_front(" ", &span, out->work))
        return false;
    if (!(it->find ? cut(it, span, &words) : tokenizer_put_span(&words, span)))
        return false;
    for (size_t i = 0; i < words.count; i++)
        if (!spell(&words.items[i], out->work) || !tokenizer_put_span(out, words.items[i]))
            return false;
    return true;
}

// Replaces blanks by marks, prepends one, and splits before each.
static bool metaspace(const TokenizerCut *it, TokenizerSpan span, TokenizerSpans *out)
{
    TokenizerText text = {.work = out->work};
    for (size_t i = 0; i < span.length; i++)
        if (!(span.text[i] == ' ' ? tokenizer_put(&text, it->literal, strlen(it->literal))
                                  : tokenizer_put(&text, span.text + i, 1)))
            return false;
    span.text = text.bytes;
    span.length = text.length;
    bool has_mark = strncmp(span.text, it->literal, strlen(it->literal)) == 0;
    if (it->prefix && (!it->prefix_first || span.is_first) && !has_mark &&
        !put_in_front(it->literal, &span, out->work))
        return false;
    return it->split ? cut(it, span, out) : tokenizer_put_span(out, span);
}

// --- reading

static bool cuts_read_none(TokenizerReader *reader, json_t *json, TokenizerCut *it)
{
    static const char *const keys[] = {NULL};
    (void)it;
    return tokenizer_only(reader, json, keys);
}

static bool read_byte_level(TokenizerReader *reader, json_t *json, TokenizerCut *it)
{
    static const char *const keys[] = {"add_prefix_space", "use_regex", "trim_offsets", NULL};
    bool cuts = true;
    it->prefix = true;
    if (!tokenizer_only(reader, json, keys) ||
        !tokenizer_flag(reader, json, keys[0], &it->prefix) ||
        !tokenizer_flag(reader, json, keys[1], &cuts))
        return false;
    it->find = cuts ? find_pattern : NULL;
    it->pattern = cuts ? pattern_read(gpt2_pattern, reader->arena, reader->err) : NULL;
    it->behaviour = TOKENIZER_ISOLATED;
    reader->tokenizer->spelling = TOKEN_BYTES;
    return !cuts || it->pattern;
}

static bool read_scheme(TokenizerReader *reader, json_t *json, TokenizerCut *it)
{
    json_t *scheme = json_object_get(json, "prepend_scheme");
    const char *name = json_string_value(scheme);
    bool prefix = true;
    if (!tokenizer_flag(reader, json, "add_prefix_space", &prefix))
        return false;
    it->prefix = name ? strcmp(name, "never") != 0 : prefix;
    it->prefix_first = name && strcmp(name, "first") == 0;
    bool known =
        !scheme || (name && (!it->prefix || it->prefix_first || strcmp(name, "always") == 0));
    return (known && (prefix || !it->prefix)) || tokenizer_refuse(reader, "prepend_scheme", scheme);
}

static bool read_metaspace(TokenizerReader *reader, json_t *json, TokenizerCut *it)
{
    static const char *const keys[] = {"replacement",    "add_prefix_space", "split",
                                       "prepend_scheme", "str_rep",          NULL};
    const char *mark = tokenizer_string(reader, json, "replacement", false);
    it->literal = mark;
    it->split = true;
    if (!mark || !tokenizer_only(reader, json, keys) || !read_scheme(reader, json, it) ||
        !tokenizer_flag(reader, json, "split", &it->split))
        return false;
    it->find = find_literal;
    it->behaviour = TOKENIZER_MERGED_WITH_NEXT;
    if (strcmp(mark, blank_mark) == 0)
        reader->tokenizer->spelling = TOKEN_BLANKS;
    return true;
}

static bool read_behaviour(TokenizerReader *reader, json_t *json, TokenizerBehaviour *behaviour)
{
    static const char *const names[] = {"Removed", "Isolated", "MergedWithPrevious",
                                        "MergedWithNext", "Contiguous"};
    json_t *value = json_object_get(json, "behavior");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (json_is_string(value) && strcmp(json_string_value(value), names[i]) == 0) {
            *behaviour = (TokenizerBehaviour)i;
            return true;
        }
    return value ? tokenizer_refuse(reader, "behavior", value) : true;
}

static bool read_split(TokenizerReader *reader, json_t *json, TokenizerCut *it)
{
    static const char *const keys[] = {"pattern", "behavior", "invert", NULL};
    if (!json_object_get(json, "behavior"))
        return tokenizer_misread(reader, "behavior");
    if (!tokenizer_only(reader, json, keys) ||
        !tokenizer_pattern(reader, json, &it->literal, &it->pattern) ||
        !read_behaviour(reader, json, &it->behaviour) ||
        !tokenizer_flag(reader, json, "invert", &it->invert))
        return false;
    it->find = it->pattern ? find_pattern : find_literal;
    return true;
}

static bool read_delimiter(TokenizerReader *reader, json_t *json, TokenizerCut *it)
{
    static const char *const keys[] = {"delimiter", NULL};
    it->literal = tokenizer_string(reader, json, "delimiter", false);
    it->find = find_literal;
    return it->literal && tokenizer_only(reader, json, keys);
}

static bool read_blanks(TokenizerReader *reader, json_t *json, TokenizerCut *it)
{
    it->find = find_blank;
    return cuts_read_none(reader, json, it);
}

static bool read_words(TokenizerReader *reader, json_t *json, TokenizerCut *it)
{
    it->find = find_word;
    it->invert = true; // keeps what is found
    return cuts_read_none(reader, json, it);
}

static bool read_digits(TokenizerReader *reader, json_t *json, TokenizerCut *it)
{
    static const char *const keys[] = {"individual_digits", NULL};
    bool individual = false;
    if (!tokenizer_only(reader, json, keys) || !tokenizer_flag(reader, json, keys[0], &individual))
        return false;
    it->find = find_number;
    it->behaviour = individual ? TOKENIZER_ISOLATED : TOKENIZER_CONTIGUOUS;
    return true;
}

static bool read_punctuation(TokenizerReader *reader, json_t *json, TokenizerCut *it)
{
    static const char *const keys[] = {"behavior", NULL};
    it->find = find_punctuation;
    it->behaviour = TOKENIZER_ISOLATED;
    return tokenizer_only(reader, json, keys) && read_behaviour(reader, json, &it->behaviour);
}

static const struct {
    const char *name;
    bool (*run)(const TokenizerCut *it, TokenizerSpan span, TokenizerSpans *out);
    bool (*read)(TokenizerReader *reader, json_t *json, TokenizerCut *it);
} cut_kinds[] = {
    {"ByteLevel", tokenizer_byte_cut, read_byte_level},
    {"BertPreTokenizer", tokenizer_bert_cut, cuts_read_none},
    {"Metaspace", metaspace, read_metaspace},
    {"Split", cut, read_split},
    {"CharDelimiterSplit", cut, read_delimiter},
    {"WhitespaceSplit", cut, read_blanks},
    {"Whitespace", cut, read_words},
    {"Digits", cut, read_digits},
    {"Punctuation", cut, read_punctuation},
};

static bool cuts_read_sequence(TokenizerReader *reader, json_t *json)
{
    static const char *const keys[] = {"pretokenizers", NULL};
    json_t *list = json_object_get(json, keys[0]), *part;
    size_t i;
    if (!json_is_array(list) || ++reader->depth > TOKENIZER_STEPS_MAX)
        return tokenizer_misread(reader, keys[0]);
    json_array_foreach(list, i, part)
    {
        if (!tokenizer_read_cuts(reader, part))
            return false;
    }
    reader->depth--;
    return tokenizer_only(reader, json, keys);
}

bool tokenizer_read_cuts(TokenizerReader *reader, json_t *json)
{
    Tokenizer *tokenizer = reader->tokenizer;
    const char *type = json_string_value(json_object_get(json, "type"));
    if (!json || json_is_null(json))
        return true;
    if (type && strcmp(type, "Sequence") == 0)
        return cuts_read_sequence(reader, json);
    for (size_t i = 0; type && i < sizeof cut_kinds / sizeof *cut_kinds; i++) {
        if (strcmp(type, cut_kinds[i].name) != 0)
            continue;
        if (tokenizer->cut_count == TOKENIZER_STEPS_MAX)
            return tokenizer_misread(reader, "pretokenizers");
        TokenizerCut *it = &tokenizer->cuts[tokenizer->cut_count++];
        *it = (TokenizerCut){.run = cut_kinds[i].run};
        return cut_kinds[i].read(reader, json, it);
    }
    return tokenizer_refuse(reader, "type", json_object_get(json, "type"));
}
