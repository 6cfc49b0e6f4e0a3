// Normalizers and pre-tokenizers, exactly as in Hugging Face's tokenizers; see tokenizer_parts.h.
#include <string.h>
#include "digest.h"
#include "scenarios_words.def"
#include "tokenizer_parts.h"
#include "utf8.h"

// --- normalizers, with the library's quirks

// --- over all characters

static bool each_character(const TokenizerNormal *it, const char *text, size_t length,
                           TokenizerText *out)
{
    uint32_t c;
    for (size_t at = 0; at < length;) {
        at += utf8_next(text + at, &c);
        if (!it->each(it, c, out))
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

static bool put_letters(const char *text, size_t length, TokenizerText *out)
{
    for (size_t i = 0; i < length; i++)
        if (!tokenizer_put_character(out, token_letter_of((unsigned char)text[i])))
            return false;
    return true;
}

static bool bytes(const TokenizerNormal *it, const char *text, size_t length, TokenizerText *out)
{
    (void)it;
    return put_letters(text, length, out);
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

// --- replacing, stripping

static bool replace(const TokenizerNormal *it, const char *text, size_t length, TokenizerText *out)
{
    PatternSearch search = {.searches = &out->work->searches, .text = text, .length = length};
    PatternFound found;
    while ((found = pattern_find(it->pattern, &search, out->work->err)) == PATTERN_FOUND) {
        if (!tokenizer_put(out, text + search.from, search.begin - search.from) ||
            !tokenizer_put(out, it->content, strlen(it->content)))
            return false;
        search.from = search.end;
    }
    return found == PATTERN_NOT_FOUND &&
           tokenizer_put(out, text + search.from, length - search.from);
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
            bool is_inside = at < it->blob_length && ((unsigned char)it->blob[at] & 0xc0) != 0x80;
            return is_inside ? it->blob + at : NULL;
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

static TokenizerNormal *add_normal(TokenizerReader *reader, TokenizerNormal normal)
{
    Tokenizer *tokenizer = reader->tokenizer;
    if (tokenizer->normal_count == TOKENIZER_STEPS_MAX) {
        tokenizer_misread(reader, "normalizers");
        return NULL;
    }
    tokenizer->normals[tokenizer->normal_count] = normal;
    return &tokenizer->normals[tokenizer->normal_count++];
}

// BERT's normalizer is several of the others, in this order.
static bool read_bert(TokenizerReader *reader, json_t *json, TokenizerNormal *it)
{
    bool lowers = true;
    it->clean = it->chinese = true;
    if (!tokenizer_flag(reader, json, "clean_text", &it->clean) ||
        !tokenizer_flag(reader, json, "handle_chinese_chars", &it->chinese) ||
        !tokenizer_flag(reader, json, "lowercase", &lowers))
        return false;
    bool strips = lowers;
    reader->tokenizer->bert_lowers = lowers;
    return tokenizer_flag(reader, json, "strip_accents", &strips) &&
           (!strips ||
            (add_normal(reader, (TokenizerNormal){.run = normalize, .form = CHARACTER_NFD}) &&
             add_normal(reader, (TokenizerNormal){.run = each_character, .each = drop_accents}))) &&
           (!lowers ||
            add_normal(reader, (TokenizerNormal){.run = each_character, .each = lower_one}));
}

static bool read_replace(TokenizerReader *reader, json_t *json, TokenizerNormal *it)
{
    it->content = tokenizer_string(reader, json, "content", false);
    return it->content && (it->pattern = tokenizer_pattern(reader, json)) != NULL;
}

static bool read_prepend(TokenizerReader *reader, json_t *json, TokenizerNormal *it)
{
    it->content = tokenizer_string(reader, json, "prepend", false);
    return it->content != NULL;
}

static bool read_strip(TokenizerReader *reader, json_t *json, TokenizerNormal *it)
{
    return tokenizer_flag(reader, json, "strip_left", &it->left) &&
           tokenizer_flag(reader, json, "strip_right", &it->right);
}

// Four bytes with the trie's size, the trie, and the blob.
static bool read_precompiled(TokenizerReader *reader, json_t *json, TokenizerNormal *it)
{
    static const char key[] = "precompiled_charsmap";
    const char *text = tokenizer_string(reader, json, key, false);
    size_t length = 0;
    unsigned char *map = text ? base64_bytes(text, &length, reader->arena, reader->err) : NULL;
    if (!map)
        return reader->err->text[0] == '\0' && tokenizer_misread(reader, key);
    size_t bytes =
        length < 4 ? 0 : map[0] | (size_t)map[1] << 8 | (size_t)map[2] << 16 | (size_t)map[3] << 24;
    if (length < 4 || bytes % 4 != 0 || bytes > length - 4)
        return tokenizer_misread(reader, key);
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
            return tokenizer_misread(reader, key);
    return true;
}

static const struct {
    TokenizerKind kind;
    TokenizerNormal normal;
    bool (*read)(TokenizerReader *reader, json_t *json, TokenizerNormal *it); // NULL: no fields
} normal_kinds[] = {
    {{"NFC", {NULL}}, {.run = normalize, .form = CHARACTER_NFC}, NULL},
    {{"NFD", {NULL}}, {.run = normalize, .form = CHARACTER_NFD}, NULL},
    {{"NFKC", {NULL}}, {.run = normalize, .form = CHARACTER_NFKC}, NULL},
    {{"NFKD", {NULL}}, {.run = normalize, .form = CHARACTER_NFKD}, NULL},
    {{"Lowercase", {NULL}}, {.run = each_character, .each = lower_one}, NULL},
    {{"StripAccents", {NULL}}, {.run = each_character, .each = drop_marks}, NULL},
    {{"Nmt", {NULL}}, {.run = each_character, .each = nmt_one}, NULL},
    {{"ByteLevel", {NULL}}, {.run = bytes}, NULL},
    {{"BertNormalizer", {"clean_text", "handle_chinese_chars", "strip_accents", "lowercase"}},
     {.run = each_character, .each = clean_one},
     read_bert},
    {{"Replace", {"pattern", "content"}}, {.run = replace}, read_replace},
    {{"Prepend", {"prepend"}}, {.run = prepend}, read_prepend},
    {{"Strip", {"strip_left", "strip_right"}}, {.run = strip}, read_strip},
    {{"Precompiled", {"precompiled_charsmap"}}, {.run = precompiled}, read_precompiled},
};

bool tokenizer_read_normals(TokenizerReader *reader, json_t *json)
{
    if (!json || json_is_null(json))
        return true;
    if (tokenizer_is_kind(json, "Sequence"))
        return tokenizer_read_sequence(reader, json, "normalizers", tokenizer_read_normals);
    for (size_t i = 0; i < sizeof normal_kinds / sizeof *normal_kinds; i++) {
        if (!tokenizer_is_kind(json, normal_kinds[i].kind.name))
            continue;
        TokenizerNormal *it = tokenizer_only(reader, json, normal_kinds[i].kind.keys)
                                  ? add_normal(reader, normal_kinds[i].normal)
                                  : NULL;
        return it && (!normal_kinds[i].read || normal_kinds[i].read(reader, json, it));
    }
    return tokenizer_refuse(reader, "type", json_object_get(json, "type"));
}

// --- pre-tokenizers

// GPT-2's pattern, in which a blank belongs to the next word.
static const char gpt2_pattern[] =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

// Punctuation, including ASCII symbols: $, +, ^.
static const char marks_pattern[] = "[!-/:-@\\[-`{-~\\p{P}]";

// A word, or a run of other characters; Rust's \w, which tokenizer_is_word knows, is not ours.
static const char words_pattern[] = "[[^\\W\\p{No}]\u200c\u200d]+|[^\\s[^\\W\\p{No}]\u200c\u200d]+";

bool tokenizer_is_word(uint32_t c)
{
    const char *category = character_category(c);
    bool is_circled = (c >= 0x24b6 && c <= 0x24e9) || (c >= 0x1f130 && c <= 0x1f149) ||
                      (c >= 0x1f150 && c <= 0x1f169) || (c >= 0x1f170 && c <= 0x1f189);
    return *category == 'L' || *category == 'M' || strcmp(category, "Nd") == 0 ||
           strcmp(category, "Nl") == 0 || strcmp(category, "Pc") == 0 || is_circled ||
           c == 0x200c || c == 0x200d;
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

// Splits a span at every match of the pattern.
static bool cut(const TokenizerCut *it, TokenizerSpan span, TokenizerSpans *out)
{
    Cutting now = {.span = span, .behaviour = it->behaviour, .out = out};
    PatternSearch search = {
        .searches = &out->work->searches, .text = span.text, .length = span.length};
    PatternFound found;
    if (!it->pattern)
        return tokenizer_put_span(out, span);
    while ((found = pattern_find(it->pattern, &search, out->work->err)) == PATTERN_FOUND) {
        if ((search.begin > search.from && !stretch(&now, search.from, search.begin, it->invert)) ||
            !stretch(&now, search.begin, search.end, !it->invert))
            return false;
        search.from = search.end;
    }
    return found == PATTERN_NOT_FOUND &&
           (search.from == span.length || stretch(&now, search.from, span.length, it->invert)) &&
           close(&now);
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

// Replaces bytes by letters, after cutting.
bool tokenizer_byte_cut(const TokenizerCut *it, TokenizerSpan span, TokenizerSpans *out)
{
    TokenizerSpans words = {.work = out->work};
    if (it->prefix && span.text[0] != ' ' && !put_in_front(" ", &span, out->work))
        return false;
    if (!cut(it, span, &words))
        return false;
    for (size_t i = 0; i < words.count; i++) {
        TokenizerSpan *word = &words.items[i];
        TokenizerText text = {.work = out->work};
        if (!put_letters(word->text, word->length, &text) ||
            !tokenizer_put_span(out, (TokenizerSpan){text.bytes, text.length, word->is_first}))
            return false;
    }
    return true;
}

// Replaces blanks by marks, prepends one, and splits before each.
static bool metaspace(const TokenizerCut *it, TokenizerSpan span, TokenizerSpans *out)
{
    TokenizerText text = {.work = out->work};
    for (size_t i = 0; i < span.length; i++)
        if (!(span.text[i] == ' ' ? tokenizer_put(&text, it->mark, strlen(it->mark))
                                  : tokenizer_put(&text, span.text + i, 1)))
            return false;
    span.text = text.bytes;
    span.length = text.length;
    bool has_mark = strncmp(span.text, it->mark, strlen(it->mark)) == 0;
    if (it->prefix && (!it->prefix_first || span.is_first) && !has_mark &&
        !put_in_front(it->mark, &span, out->work))
        return false;
    return cut(it, span, out);
}

// --- reading

static TokenizerCut *add_cut(TokenizerReader *reader, TokenizerCut cut, const char *pattern)
{
    Tokenizer *tokenizer = reader->tokenizer;
    if (tokenizer->cut_count == TOKENIZER_STEPS_MAX) {
        tokenizer_misread(reader, "pretokenizers");
        return NULL;
    }
    if (pattern &&
        !(cut.pattern = pattern_read(pattern, PATTERN_REGEX, reader->arena, reader->err)))
        return NULL;
    tokenizer->cuts[tokenizer->cut_count] = cut;
    return &tokenizer->cuts[tokenizer->cut_count++];
}

static bool read_byte_level(TokenizerReader *reader, json_t *json, TokenizerCut *it)
{
    bool cuts = true;
    it->prefix = true;
    reader->tokenizer->spelling = TOKEN_BYTES;
    if (!tokenizer_flag(reader, json, "add_prefix_space", &it->prefix) ||
        !tokenizer_flag(reader, json, "use_regex", &cuts))
        return false;
    it->pattern = cuts ? it->pattern : NULL;
    return true;
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
    bool splits = true;
    it->mark = tokenizer_string(reader, json, "replacement", false);
    if (!it->mark || !read_scheme(reader, json, it) ||
        !tokenizer_flag(reader, json, "split", &splits))
        return false;
    if (strcmp(it->mark, "\u2581") == 0)
        reader->tokenizer->spelling = TOKEN_BLANKS;
    it->pattern = splits && *it->mark
                      ? pattern_read(it->mark, PATTERN_LITERAL, reader->arena, reader->err)
                      : NULL;
    return it->pattern || !splits || !*it->mark;
}

static bool read_behaviour(TokenizerReader *reader, json_t *json, TokenizerCut *it)
{
    static const char *const names[] = {"Removed", "Isolated", "MergedWithPrevious",
                                        "MergedWithNext", "Contiguous"};
    json_t *value = json_object_get(json, "behavior");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (json_is_string(value) && strcmp(json_string_value(value), names[i]) == 0) {
            it->behaviour = (TokenizerBehaviour)i;
            return true;
        }
    return value ? tokenizer_refuse(reader, "behavior", value) : true;
}

static bool read_split(TokenizerReader *reader, json_t *json, TokenizerCut *it)
{
    if (!json_object_get(json, "behavior"))
        return tokenizer_misread(reader, "behavior");
    it->pattern = tokenizer_pattern(reader, json);
    return it->pattern && read_behaviour(reader, json, it) &&
           tokenizer_flag(reader, json, "invert", &it->invert);
}

static bool read_delimiter(TokenizerReader *reader, json_t *json, TokenizerCut *it)
{
    const char *delimiter = tokenizer_string(reader, json, "delimiter", false);
    it->pattern = delimiter && *delimiter
                      ? pattern_read(delimiter, PATTERN_LITERAL, reader->arena, reader->err)
                      : NULL;
    return it->pattern || (delimiter && !*delimiter);
}

static bool read_digits(TokenizerReader *reader, json_t *json, TokenizerCut *it)
{
    bool individual = false;
    if (!tokenizer_flag(reader, json, "individual_digits", &individual))
        return false;
    it->behaviour = individual ? TOKENIZER_ISOLATED : TOKENIZER_CONTIGUOUS;
    return true;
}

// Cuts at blanks, then around punctuation.
static bool read_bert_cut(TokenizerReader *reader, json_t *json, TokenizerCut *it)
{
    (void)json, (void)it;
    return add_cut(reader, (TokenizerCut){.run = cut, .behaviour = TOKENIZER_ISOLATED},
                   marks_pattern) != NULL;
}

static const struct {
    TokenizerKind kind;
    const char *pattern; // NULL: read, or none
    TokenizerCut cut;
    bool (*read)(TokenizerReader *reader, json_t *json, TokenizerCut *it); // NULL: no fields
} cut_kinds[] = {
    {{"ByteLevel", {"add_prefix_space", "use_regex", "trim_offsets"}},
     gpt2_pattern,
     {.run = tokenizer_byte_cut, .behaviour = TOKENIZER_ISOLATED},
     read_byte_level},
    {{"Metaspace", {"replacement", "add_prefix_space", "split", "prepend_scheme", "str_rep"}},
     NULL,
     {.run = metaspace, .behaviour = TOKENIZER_MERGED_WITH_NEXT},
     read_metaspace},
    {{"Split", {"pattern", "behavior", "invert"}}, NULL, {.run = cut}, read_split},
    {{"CharDelimiterSplit", {"delimiter"}}, NULL, {.run = cut}, read_delimiter},
    {{"WhitespaceSplit", {NULL}}, "\\s", {.run = cut}, NULL},
    {{"Whitespace", {NULL}}, words_pattern, {.run = cut, .invert = true}, NULL},
    {{"Digits", {"individual_digits"}}, "\\p{N}", {.run = cut}, read_digits},
    {{"Punctuation", {"behavior"}},
     marks_pattern,
     {.run = cut, .behaviour = TOKENIZER_ISOLATED},
     read_behaviour},
    {{"BertPreTokenizer", {NULL}}, "\\s", {.run = cut}, read_bert_cut},
};

bool tokenizer_read_cuts(TokenizerReader *reader, json_t *json)
{
    if (!json || json_is_null(json))
        return true;
    if (tokenizer_is_kind(json, "Sequence"))
        return tokenizer_read_sequence(reader, json, "pretokenizers", tokenizer_read_cuts);
    for (size_t i = 0; i < sizeof cut_kinds / sizeof *cut_kinds; i++) {
        if (!tokenizer_is_kind(json, cut_kinds[i].kind.name))
            continue;
        TokenizerCut *it = tokenizer_only(reader, json, cut_kinds[i].kind.keys)
                               ? add_cut(reader, cut_kinds[i].cut, cut_kinds[i].pattern)
                               : NULL;
        return it && (!cut_kinds[i].read || cut_kinds[i].read(reader, json, it));
    }
    return tokenizer_refuse(reader, "type", json_object_get(json, "type"));
}
