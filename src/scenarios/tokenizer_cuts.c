// tokenizer_cuts: where a text is cut before a model makes tokens of the parts; see tokenizer_parts.h.
// Done as the library does it that writes tokenizer.json.
#include "tokenizer_parts.h"

#include <string.h>
#include "character.h"
#include "utf8.h"
#include "scenarios_words.h"

static const char blank_mark[] =
    "\u2581"; // what Metaspace writes for a blank, unless it says otherwise

// GPT-2's, in which a blank goes with what follows.
static const char gpt2_pattern[] =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

// --- what divides

typedef bool Divides(uint32_t c);

// The next character that divides.
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

// As a reader of a keyboard sees it: $, +, ^ too.
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

// Words, and what is neither word nor blank.
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

// --- cutting

// Pieces of one span that are being put together.
typedef struct Cutting {
    TokenizerSpan span;
    TokenizerBehaviour behaviour;
    TokenizerSpans *out;
    size_t begun; // of the piece that is open
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

// One stretch of the span: what divides, or what lies between.
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

// Cuts a span wherever something is found that divides.
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

// A span with something in front, as a text of its own.
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

// Every byte becomes a letter.
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

// Blanks become marks, one stands in front, and each is where a part begins.
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

static bool read_none(TokenizerReader *reader, json_t *json, TokenizerCut *it)
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
    return read_none(reader, json, it);
}

static bool read_words(TokenizerReader *reader, json_t *json, TokenizerCut *it)
{
    it->find = find_word;
    it->invert = true; // what is found stays
    return read_none(reader, json, it);
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
} kinds[] = {
    {"ByteLevel", tokenizer_byte_cut, read_byte_level},
    {"BertPreTokenizer", tokenizer_bert_cut, read_none},
    {"Metaspace", metaspace, read_metaspace},
    {"Split", cut, read_split},
    {"CharDelimiterSplit", cut, read_delimiter},
    {"WhitespaceSplit", cut, read_blanks},
    {"Whitespace", cut, read_words},
    {"Digits", cut, read_digits},
    {"Punctuation", cut, read_punctuation},
};

static bool read_sequence(TokenizerReader *reader, json_t *json)
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
        return read_sequence(reader, json);
    for (size_t i = 0; type && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(type, kinds[i].name) != 0)
            continue;
        if (tokenizer->cut_count == TOKENIZER_STEPS_MAX)
            return tokenizer_misread(reader, "pretokenizers");
        TokenizerCut *it = &tokenizer->cuts[tokenizer->cut_count++];
        *it = (TokenizerCut){.run = kinds[i].run};
        return kinds[i].read(reader, json, it);
    }
    return tokenizer_refuse(reader, "type", json_object_get(json, "type"));
}
