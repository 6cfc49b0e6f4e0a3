// tokenizer_normal: what is done to a text before it is cut; see tokenizer_parts.h. Each is done as the
// library does it that writes tokenizer.json, to the letter: also where that looks like an accident.
#include "tokenizer_parts.h"

#include <string.h>
#include "base64.h"
#include "character.h"
#include "utf8.h"
#include "scenarios_words.h"

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
    if (c == 0x130) // the only one that becomes two
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

// Control characters go, and what parts words becomes a blank, as Google's machine translation has it.
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

// Characters that Unicode calls CJK ideographs; Korean and Japanese letters are not among them.
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

// --- SentencePiece's own table: a trie of bytes (a double array of Yata, darts-clone), which leads to
// texts in a blob

// What the shortest prefix of a text leads to in the table; NULL: to nothing.
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

// What a reader sees as one character is looked up as a whole where it has less than 6 bytes.
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

static bool read_none(TokenizerReader *reader, json_t *json, TokenizerNormal *it)
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

// Four bytes with the size of the trie, the trie, and the blob.
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
} kinds[] = {
    {"NFC", normalize, read_none, CHARACTER_NFC},
    {"NFD", normalize, read_none, CHARACTER_NFD},
    {"NFKC", normalize, read_none, CHARACTER_NFKC},
    {"NFKD", normalize, read_none, CHARACTER_NFKD},
    {"Lowercase", lower, read_none, 0},
    {"StripAccents", strip_accents, read_none, 0},
    {"Nmt", nmt, read_none, 0},
    {"ByteLevel", bytes, read_none, 0},
    {"BertNormalizer", tokenizer_bert_normal, read_bert, 0},
    {"Replace", replace, read_replace, 0},
    {"Prepend", prepend, read_prepend, 0},
    {"Strip", strip, read_strip, 0},
    {"Precompiled", precompiled, read_precompiled, 0},
};

static bool read_sequence(TokenizerReader *reader, json_t *json)
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
        return read_sequence(reader, json);
    for (size_t i = 0; type && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(type, kinds[i].name) != 0)
            continue;
        if (tokenizer->normal_count == TOKENIZER_STEPS_MAX)
            return tokenizer_misread(reader, "normalizers");
        TokenizerNormal *it = &tokenizer->normals[tokenizer->normal_count++];
        *it = (TokenizerNormal){.run = kinds[i].run, .form = (int)kinds[i].form};
        return kinds[i].read(reader, json, it);
    }
    return tokenizer_refuse(reader, "type", json_object_get(json, "type"));
}
