// Splits a cut into tokens: BPE, WordPiece, Unigram, whole words; see tokenizer_parts.h.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json.h"
#include "scenarios_words.def"
#include "tokenizer_parts.h"
#include "utf8.h"

// --- byte pairs (BPE)
//
// Starts with characters and repeatedly merges the neighbours that come first in the list of merges (Sennrich et al. 2016;
// Radford et al. 2019). vocab.json and merges.txt are GPT-2's, or RoBERTa's if its special tokens exist.

enum { AFFIX_BYTES_MAX = 32 };

// --- merges

static size_t merge_place(const Tokenizer *tokenizer, int64_t left, int64_t right)
{
    const TokenizerMerge *merges = tokenizer->merges;
    uint64_t hash = ((uint64_t)left * 0x9e3779b97f4a7c15) ^ ((uint64_t)right * 0xc2b2ae3d27d4eb4f);
    size_t place = (size_t)(hash ^ hash >> 31) & tokenizer->merge_mask;
    while (merges[place].rank >= 0 && (merges[place].left != left || merges[place].right != right))
        place = (place + 1) & tokenizer->merge_mask;
    return place;
}

// NULL: not to be merged.
static const TokenizerMerge *merge_of(const Tokenizer *tokenizer, int64_t left, int64_t right)
{
    const TokenizerMerge *merge = &tokenizer->merges[merge_place(tokenizer, left, right)];
    return merge->rank >= 0 ? merge : NULL;
}

static bool merges_take(Tokenizer *tokenizer, size_t count, Arena *arena, Error *err)
{
    size_t room = 16;
    while (room < 2 * count)
        room *= 2;
    TokenizerMerge *merges = arena_take(arena, room, sizeof *merges, err);
    for (size_t i = 0; merges && i < room; i++)
        merges[i].rank = -1;
    tokenizer->merges = merges;
    tokenizer->merge_mask = room - 1;
    return merges != NULL;
}

// The id of a token; -1 and err if there is none.
static int64_t need(const Tokenizer *tokenizer, const char *text, size_t length, Error *err)
{
    int64_t id = tokenizer_find(tokenizer, text, length);
    if (id < 0)
        error_set(err, TELL(TOKENIZER_LACKS), tokenizer->name, (int)length, text);
    return id;
}

// Adds the merge of two tokens, parted by a blank; the second loses its continuation prefix.
static bool merge_put(Tokenizer *tokenizer, const char *left, size_t left_length, const char *right,
                      int64_t rank, Error *err)
{
    size_t lead = tokenizer->prefix ? strlen(tokenizer->prefix) : 0, length = strlen(right);
    TokenizerMerge merge = {.rank = rank};
    if (length < lead)
        return error_set(err, TELL(TOKENIZER_LACKS), tokenizer->name, (int)length, right);
    char *whole = malloc(left_length + length - lead + 1);
    if (!whole)
        return error_machine(err, TELL(TOKENIZER_MEMORY), left_length + length);
    memcpy(whole, left, left_length);
    strcpy(whole + left_length, right + lead);
    bool good = (merge.left = need(tokenizer, left, left_length, err)) >= 0 &&
                (merge.right = need(tokenizer, right, length, err)) >= 0 &&
                (merge.made = need(tokenizer, whole, strlen(whole), err)) >= 0;
    free(whole);
    if (good)
        tokenizer->merges[merge_place(tokenizer, merge.left, merge.right)] = merge;
    return good;
}

// The blank in "l o", two parts; NULL: it is not two.
static const char *blank_in(const char *line)
{
    const char *blank = line ? strchr(line, ' ') : NULL;
    return blank && blank > line && blank[1] && !strchr(blank + 1, ' ') ? blank : NULL;
}

// --- a cut

typedef struct Symbol {
    int64_t id;
    size_t before, behind; // neighbours; SIZE_MAX: none
    bool gone;
} Symbol;

// A possible merge.
typedef struct Offer {
    int64_t rank, made;
    size_t at;
} Offer;

typedef struct Merging {
    const Tokenizer *tokenizer;
    Symbol *symbols;
    size_t count;
    Offer *offers; // heap: lowest rank first, then leftmost
    size_t offer_count;
} Merging;

static bool comes_before(const Offer *one, const Offer *other)
{
    return one->rank != other->rank ? one->rank < other->rank : one->at < other->at;
}

static void swap(Offer *one, Offer *other)
{
    Offer kept = *one;
    *one = *other;
    *other = kept;
}

static void pairs_offer(Merging *now, size_t at)
{
    const Symbol *symbols = now->symbols;
    const TokenizerMerge *merge =
        at == SIZE_MAX || symbols[at].behind == SIZE_MAX
            ? NULL
            : merge_of(now->tokenizer, symbols[at].id, symbols[symbols[at].behind].id);
    if (!merge)
        return;
    size_t i = now->offer_count++;
    now->offers[i] = (Offer){merge->rank, merge->made, at};
    for (; i > 0 && comes_before(&now->offers[i], &now->offers[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&now->offers[i], &now->offers[(i - 1) / 2]);
}

static Offer take_first(Merging *now)
{
    Offer first = now->offers[0];
    now->offers[0] = now->offers[--now->offer_count];
    for (size_t i = 0, child; (child = 2 * i + 1) < now->offer_count; i = child) {
        if (child + 1 < now->offer_count &&
            comes_before(&now->offers[child + 1], &now->offers[child]))
            child++;
        if (!comes_before(&now->offers[child], &now->offers[i]))
            break;
        swap(&now->offers[child], &now->offers[i]);
    }
    return first;
}

static void merge_all(Merging *now)
{
    for (size_t i = 0; i < now->count; i++)
        pairs_offer(now, i);
    while (now->offer_count > 0) {
        Offer first = take_first(now);
        Symbol *left = &now->symbols[first.at];
        if (left->gone || left->behind == SIZE_MAX)
            continue;
        Symbol *right = &now->symbols[left->behind];
        const TokenizerMerge *merge = merge_of(now->tokenizer, left->id, right->id);
        if (!merge || merge->made != first.made)
            continue; // outdated: a part has changed since
        left->id = first.made;
        left->behind = right->behind;
        right->gone = true;
        if (left->behind != SIZE_MAX)
            now->symbols[left->behind].before = first.at;
        pairs_offer(now, left->before);
        pairs_offer(now, first.at);
    }
}

static void put_symbol(Merging *now, int64_t id)
{
    size_t at = now->count++;
    now->symbols[at] = (Symbol){.id = id, .before = at - 1, .behind = SIZE_MAX};
    if (at > 0)
        now->symbols[at - 1].behind = at;
}

// A character's bytes as tokens, if the vocabulary has all of them.
static bool put_bytes(Merging *now, const char *text, size_t length)
{
    if (!now->tokenizer->byte_fallback)
        return false;
    for (size_t i = 0; i < length; i++)
        if (tokenizer_find_byte(now->tokenizer, (unsigned char)text[i]) < 0)
            return false;
    for (size_t i = 0; i < length; i++)
        put_symbol(now, tokenizer_find_byte(now->tokenizer, (unsigned char)text[i]));
    return true;
}

// A token per character; for unknown characters their bytes, or the unknown token, which waits for the next known one.
static bool put_characters(Merging *now, const char *text, size_t length, TokenizerWork *work)
{
    const Tokenizer *tokenizer = now->tokenizer;
    const char *prefix = tokenizer->prefix ? tokenizer->prefix : "";
    const char *suffix = tokenizer->suffix ? tokenizer->suffix : "";
    char piece[2 * AFFIX_BYTES_MAX + 8];
    bool waits = false;
    uint32_t c;
    for (size_t at = 0, used; at < length; at += used) {
        used = utf8_next(text + at, &c);
        int bytes = snprintf(piece, sizeof piece, "%s%.*s%s", at > 0 ? prefix : "", (int)used,
                             text + at, at + used == length ? suffix : "");
        int64_t id = tokenizer_find(tokenizer, piece, (size_t)bytes);
        if (id < 0 && put_bytes(now, text + at, used))
            continue;
        if (id < 0 && tokenizer->unknown < 0)
            return error_set(work->err, TELL(TOKENIZER_LACKS), tokenizer->name, bytes, piece);
        if (waits && (id >= 0 || !tokenizer->fuse_unknown))
            put_symbol(now, tokenizer->unknown);
        waits = id < 0;
        if (id >= 0)
            put_symbol(now, id);
    }
    if (waits)
        put_symbol(now, tokenizer->unknown);
    return true;
}

static bool tokenizer_byte_pairs_model(const Tokenizer *tokenizer, const char *text, size_t length,
                                       TokenizerWork *work)
{
    Merging now = {.tokenizer = tokenizer};
    int64_t whole = tokenizer->whole_first ? tokenizer_find(tokenizer, text, length) : -1;
    if (whole >= 0)
        return tokenizer_add(work, whole);
    now.symbols = arena_take(work->arena, length + 1, sizeof *now.symbols, work->err);
    now.offers = arena_take(work->arena, 3 * length + 3, sizeof *now.offers, work->err);
    if (!now.symbols || !now.offers || !put_characters(&now, text, length, work))
        return false;
    merge_all(&now);
    for (size_t i = 0; i < now.count; i = now.symbols[i].behind)
        if (!tokenizer_add(work, now.symbols[i].id))
            return false;
    return true;
}

// --- tokenizer.json

// ["l", "o"] or "l o".
static bool read_merge(TokenizerReader *reader, json_t *json, size_t rank)
{
    const char *left = json_string_value(json_array_get(json, 0));
    const char *right = json_string_value(json_array_get(json, 1));
    const char *both = json_string_value(json), *blank = blank_in(both);
    if (!(left && right) && !blank)
        return tokenizer_misread(reader, "merges");
    return merge_put(reader->tokenizer, blank ? both : left,
                     blank ? (size_t)(blank - both) : strlen(left), blank ? blank + 1 : right,
                     (int64_t)rank, reader->err);
}

static bool read_merges(TokenizerReader *reader, json_t *list)
{
    size_t i;
    json_t *merge;
    if (!json_is_array(list) || json_array_size(list) > TOKENIZER_WORDS_MAX)
        return tokenizer_misread(reader, "merges");
    if (!merges_take(reader->tokenizer, json_array_size(list), reader->arena, reader->err))
        return false;
    json_array_foreach(list, i, merge)
    {
        if (!read_merge(reader, merge, i))
            return false;
    }
    return true;
}

// A short affix, or none ("" counts as none).
static bool read_affix(TokenizerReader *reader, json_t *json, const char *key, const char **affix)
{
    const char *text = tokenizer_string(reader, json, key, true);
    if (!text && reader->err->text[0])
        return false;
    *affix = text && *text ? text : NULL;
    return (!*affix || strlen(*affix) <= AFFIX_BYTES_MAX) ||
           tokenizer_refuse(reader, key, json_object_get(json, key));
}

bool tokenizer_read_byte_pairs(TokenizerReader *reader, json_t *json)
{
    static const char *const keys[] = {"dropout",
                                       "unk_token",
                                       "continuing_subword_prefix",
                                       "end_of_word_suffix",
                                       "fuse_unk",
                                       "byte_fallback",
                                       "ignore_merges",
                                       "vocab",
                                       "merges",
                                       NULL};
    Tokenizer *tokenizer = reader->tokenizer;
    json_t *dropout = json_object_get(json, "dropout");
    if (!tokenizer_only(reader, json, keys) ||
        !tokenizer_read_vocabulary(reader, json_object_get(json, "vocab")) ||
        !read_affix(reader, json, keys[2], &tokenizer->prefix) ||
        !read_affix(reader, json, keys[3], &tokenizer->suffix) ||
        !tokenizer_flag(reader, json, keys[4], &tokenizer->fuse_unknown) ||
        !tokenizer_flag(reader, json, keys[5], &tokenizer->byte_fallback) ||
        !tokenizer_flag(reader, json, keys[6], &tokenizer->whole_first))
        return false;
    if (json_number_value(dropout) > 0)
        return tokenizer_refuse(reader, "dropout", dropout);
    if (tokenizer->byte_fallback && (tokenizer->prefix || tokenizer->suffix))
        return tokenizer_refuse(reader, keys[5], json_object_get(json, keys[5]));
    const char *unknown = tokenizer_string(reader, json, "unk_token", true);
    if (!unknown && reader->err->text[0])
        return false;
    tokenizer->unknown = unknown ? need(tokenizer, unknown, strlen(unknown), reader->err) : -1;
    tokenizer->model = tokenizer_byte_pairs_model;
    return (!unknown || tokenizer->unknown >= 0) &&
           read_merges(reader, json_object_get(json, "merges"));
}

// --- vocab.json and merges.txt

static bool read_line(Tokenizer *tokenizer, const char *line, size_t number, Error *err)
{
    const char *blank = blank_in(line);
    if (!blank)
        return error_set(err, TELL(TOKENIZER_MERGE), tokenizer->name, number);
    return merge_put(tokenizer, line, (size_t)(blank - line), blank + 1, (int64_t)number, err);
}

static bool read_lines(Tokenizer *tokenizer, const TokenizerBytes *file, Arena *arena, Error *err)
{
    char *text = arena_take(arena, file->length + 1, 1, err);
    size_t lines = 1;
    for (size_t i = 0; i < file->length; i++)
        lines += file->bytes[i] == '\n';
    if (lines > TOKENIZER_WORDS_MAX)
        return error_set(err, TELL(TOKENIZER_MANY), tokenizer->name, TOKENIZER_WORDS_MAX);
    if (!text || !merges_take(tokenizer, lines, arena, err))
        return false;
    if (file->length > 0)
        memcpy(text, file->bytes, file->length);
    char *next = text;
    for (size_t number = 1; next; number++) {
        char *line = next, *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        line[strcspn(line, "\r\n")] = '\0';
        bool is_comment = number == 1 && strncmp(line, "#version", 8) == 0;
        if (*line && !is_comment && !read_line(tokenizer, line, number, err))
            return false;
    }
    return true;
}

// Reads a part as tokenizer.json would have it, and frees it; NULL: no memory for it.
static bool read_part(TokenizerReader *reader, bool (*read)(TokenizerReader *reader, json_t *json),
                      json_t *part)
{
    bool good = part ? read(reader, part)
                     : error_machine(reader->err, TELL(TOKENIZER_MEMORY), sizeof *part);
    json_decref(part);
    return good;
}

static int64_t add_special(Tokenizer *tokenizer, const char *text, bool left)
{
    int64_t id = tokenizer_find(tokenizer, text, strlen(text));
    if (id >= 0)
        tokenizer_add_token(
            tokenizer,
            (TokenizerAdded){.text = text, .length = strlen(text), .id = id, .left = left});
    return id;
}

// The words of CLIP and GPT end this way; they are not tokenised like GPT-2's.
static bool has_ends(const Tokenizer *tokenizer)
{
    static const char end[] = "</w>";
    for (size_t i = 0; i < tokenizer->word_count; i++) {
        size_t length = strlen(tokenizer->words[i].text);
        if (length > strlen(end) &&
            strcmp(tokenizer->words[i].text + length - strlen(end), end) == 0)
            return true;
    }
    return false;
}

// Only RoBERTa and BART have a mask token.
static bool pairs_finish(Tokenizer *tokenizer, Arena *arena, Error *err)
{
    static const char gap[] = "<mask>", *const others[] = {"<pad>", "<unk>"};
    TokenizerReader reader = {.tokenizer = tokenizer, .arena = arena, .err = err};
    if (has_ends(tokenizer))
        return error_set(err, TELL(TOKENIZER_ONLY_JSON), tokenizer->name, "</w>");
    if (!read_part(&reader, tokenizer_read_cuts,
                   json_pack("{s:s, s:b}", "type", "ByteLevel", "add_prefix_space", 0)))
        return false;
    add_special(tokenizer, "<|endoftext|>", false);
    if (tokenizer_find(tokenizer, gap, strlen(gap)) < 0)
        return tokenizer_frame(tokenizer, TOKENIZER_PLAIN, -1, -1, arena, err);
    add_special(tokenizer, gap, true);
    add_special(tokenizer, others[0], false);
    add_special(tokenizer, others[1], false);
    int64_t first = add_special(tokenizer, "<s>", false);
    int64_t last = add_special(tokenizer, "</s>", false);
    return tokenizer_frame(tokenizer, TOKENIZER_ROBERTA, first, last, arena, err);
}

Tokenizer *tokenizer_byte_pairs(const TokenizerBytes *vocabulary, const TokenizerBytes *merges,
                                const char *name, Arena *arena, Error *err)
{
    enum { SPECIALS = 6 };
    Tokenizer *tokenizer = tokenizer_new(name, SPECIALS, arena, err);
    if (!tokenizer)
        return NULL;
    if (!utf8_valid((const char *)merges->bytes, merges->length)) {
        error_set(err, TELL(TOKENIZER_UTF8), name);
        return NULL;
    }
    json_error_t why = {.text = ""};
    TokenizerReader reader = {
        .tokenizer = tokenizer, .where = "vocab.json", .arena = arena, .err = err};
    json_t *json =
        json_whole_read((const char *)vocabulary->bytes, vocabulary->length, 0, &why, err);
    if (!json && !err->of_machine)
        error_set(err, TELL(TOKENIZER_JSON), name, TOKENIZER_WORDS_MAX);
    tokenizer->model = tokenizer_byte_pairs_model;
    bool good = json && tokenizer_read_vocabulary(&reader, json) &&
                read_lines(tokenizer, merges, arena, err) && pairs_finish(tokenizer, arena, err);
    json_decref(json);
    return good ? tokenizer : NULL;
}

// --- WordPiece
//
// A word is split greedily into the longest known pieces; later pieces start with ## (Wu et al. 2016). If that fails, or
// the word exceeds 100 characters, the whole word is unknown. BERT's vocab.txt has one token per line, from id 0 (Devlin
// et al. 2019).

enum { WORD_CHARACTERS_MAX = 100, PIECE_BYTES_MAX = 4096 };

static size_t count_characters(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

// The id of the longest piece at a byte, and its end; -1: none.
static int64_t longest(const Tokenizer *tokenizer, const char *text, size_t length, size_t from,
                       size_t *to)
{
    char piece[PIECE_BYTES_MAX];
    size_t lead = from > 0 ? strlen(tokenizer->prefix) : 0, most = sizeof piece - lead;
    memcpy(piece, tokenizer->prefix, lead);
    *to = length - from < most ? length : from + most;
    memcpy(piece + lead, text + from, *to - from);
    for (; *to > from; --*to) {
        if (*to < length && ((unsigned char)text[*to] & 0xc0) == 0x80)
            continue;
        int64_t id = tokenizer_find(tokenizer, piece, lead + *to - from);
        if (id >= 0)
            return id;
    }
    return -1;
}

static bool tokenizer_wordpiece_model(const Tokenizer *tokenizer, const char *text, size_t length,
                                      TokenizerWork *work)
{
    size_t begun = work->ids->count, from = 0, to = 0;
    bool is_whole = count_characters(text, length) <= tokenizer->characters_max;
    while (is_whole && from < length) {
        int64_t id = longest(tokenizer, text, length, from, &to);
        is_whole = id >= 0;
        if (is_whole && !tokenizer_add(work, id))
            return false;
        from = to;
    }
    if (is_whole)
        return true;
    work->ids->count = begun;
    return tokenizer->unknown >= 0 ? tokenizer_add(work, tokenizer->unknown)
                                   : error_set(work->err, TELL(TOKENIZER_UNKNOWN), tokenizer->name);
}

bool tokenizer_read_wordpiece(TokenizerReader *reader, json_t *json)
{
    static const char *const keys[] = {"unk_token", "continuing_subword_prefix",
                                       "max_input_chars_per_word", "vocab", NULL};
    Tokenizer *tokenizer = reader->tokenizer;
    const char *unknown = tokenizer_string(reader, json, "unk_token", false);
    json_t *most = json_object_get(json, keys[2]);
    if (!unknown)
        return false;
    tokenizer->prefix = tokenizer_string(reader, json, keys[1], false);
    if (!tokenizer->prefix || !tokenizer_only(reader, json, keys) ||
        !tokenizer_read_vocabulary(reader, json_object_get(json, "vocab")))
        return false;
    json_int_t characters = most ? json_integer_value(most) : WORD_CHARACTERS_MAX;
    if (characters < 1 || characters > PIECE_BYTES_MAX / 8 ||
        strlen(tokenizer->prefix) > PIECE_BYTES_MAX / 8)
        return tokenizer_refuse(reader, keys[2], most);
    tokenizer->characters_max = (size_t)characters;
    tokenizer->model = tokenizer_wordpiece_model;
    tokenizer->unknown = tokenizer_find(tokenizer, unknown, strlen(unknown));
    return true;
}

// --- vocab.txt

// Statistics that show how a vocabulary was made.
typedef struct Look {
    size_t capitals; // tokens with a capital letter
    size_t composed; // with a letter that strip_accents would change
    size_t apart;    // with a letter of a decomposed Korean syllable
} Look;

static void look_at(const char *token, Look *look)
{
    uint32_t c, parts[CHARACTER_PARTS_MAX];
    bool capital = false, composed = false, apart = false;
    size_t length = strlen(token);
    if (token[0] == '[' && token[length - 1] == ']')
        return;
    for (size_t used; (used = utf8_next(token, &c)) > 0; token += used) {
        capital |= character_category(c)[0] == 'L' && character_lower(c) != c;
        composed |= character_parts(c, parts) > 1;
        apart |= c >= 0x1100 && c <= 0x11ff;
    }
    look->capitals += capital;
    look->composed += composed;
    look->apart += apart;
}

// A cased vocabulary has capitals in at least one of a thousand tokens. An uncased one has no accents, and decomposed
// Korean, unless it keeps accents.
static TokenizerCase guess_case(const Tokenizer *tokenizer)
{
    Look look = {0};
    for (size_t i = 0; i < tokenizer->word_count; i++)
        look_at(tokenizer->words[i].text, &look);
    if (look.capitals * 1000 > tokenizer->word_count)
        return TOKENIZER_CASED;
    return look.composed > look.apart ? TOKENIZER_LOWER : TOKENIZER_UNCASED;
}

static size_t count_lines(const unsigned char *bytes, size_t length)
{
    size_t lines = 0;
    for (size_t i = 0; i < length; i++)
        lines += bytes[i] == '\n';
    return lines + (length > 0 && bytes[length - 1] != '\n');
}

static bool read_words(Tokenizer *tokenizer, const TokenizerBytes *file, Arena *arena, Error *err)
{
    size_t count = count_lines(file->bytes, file->length);
    if (count > TOKENIZER_WORDS_MAX)
        return error_set(err, TELL(TOKENIZER_MANY), tokenizer->name, TOKENIZER_WORDS_MAX);
    TokenizerWord *words = arena_take(arena, count, sizeof *words, err);
    char *text = arena_take(arena, file->length + 1, 1, err);
    if (!words || !text)
        return false;
    memcpy(text, file->bytes, file->length);
    for (size_t i = 0; i < count; i++) {
        size_t line = strcspn(text, "\n");
        bool is_last = text[line] == '\0';
        text[line] = '\0';
        words[i] = (TokenizerWord){text, (int64_t)i};
        if (line > 0 && text[line - 1] == '\r')
            text[line - 1] = '\0';
        if (*text == '\0')
            return error_set(err, TELL(TOKENIZER_LINE), tokenizer->name, i + 1);
        text += line + !is_last;
    }
    return tokenizer_index(tokenizer, words, count, false, arena, err);
}

static bool wordpiece_finish(Tokenizer *tokenizer, TokenizerCase letters, Arena *arena, Error *err)
{
    static const char *const specials[] = {"[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"};
    int64_t ids[sizeof specials / sizeof *specials];
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        ids[i] = tokenizer_find(tokenizer, specials[i], strlen(specials[i]));
        if (ids[i] >= 0)
            tokenizer_add_token(
                tokenizer,
                (TokenizerAdded){.text = specials[i], .length = strlen(specials[i]), .id = ids[i]});
    }
    if (letters == TOKENIZER_CASE_GUESSED)
        letters = guess_case(tokenizer);
    TokenizerReader reader = {.tokenizer = tokenizer, .arena = arena, .err = err};
    tokenizer->unknown = ids[0];
    if (!read_part(&reader, tokenizer_read_normals,
                   json_pack("{s:s, s:b, s:b}", "type", "BertNormalizer", "lowercase",
                             letters != TOKENIZER_CASED, "strip_accents",
                             letters == TOKENIZER_UNCASED)) ||
        !read_part(&reader, tokenizer_read_cuts, json_pack("{s:s}", "type", "BertPreTokenizer")))
        return false;
    return tokenizer_frame(tokenizer, TOKENIZER_BERT, ids[3], ids[1], arena, err);
}

Tokenizer *tokenizer_wordpiece(const TokenizerBytes *vocabulary, const char *name,
                               TokenizerCase letters, Arena *arena, Error *err)
{
    enum { SPECIALS = 5 };
    Tokenizer *tokenizer = tokenizer_new(name, SPECIALS, arena, err);
    if (!tokenizer)
        return NULL;
    tokenizer->prefix = "##";
    tokenizer->characters_max = WORD_CHARACTERS_MAX;
    tokenizer->model = tokenizer_wordpiece_model;
    if (!utf8_valid((const char *)vocabulary->bytes, vocabulary->length)) {
        error_set(err, TELL(TOKENIZER_UTF8), name);
        return NULL;
    }
    return read_words(tokenizer, vocabulary, arena, err) &&
                   wordpiece_finish(tokenizer, letters, arena, err)
               ? tokenizer
               : NULL;
}

// --- Unigram
//
// Of all segmentations into known pieces, the one with the largest sum of scores (log probabilities; Kudo 2018), found by
// the Viterbi algorithm. Also whole-word vocabularies.

// --- the best segmentation

typedef struct Node {
    double score;
    size_t from; // SIZE_MAX: unreachable
    int64_t id;
} Node;

static void unigram_offer(Node *node, double score, size_t from, int64_t id)
{
    if (node->from == SIZE_MAX || score > node->score)
        *node = (Node){score, from, id};
}

// Relaxes all pieces that start at `from`; returns true if one is a single character.
static bool offer_pieces(const Tokenizer *tokenizer, const char *text, size_t length, size_t from,
                         Node nodes[])
{
    uint64_t hash = TOKENIZER_HASH;
    uint32_t c;
    size_t single = utf8_next(text + from, &c), left = length - from;
    size_t most = left < tokenizer->longest ? left : tokenizer->longest;
    bool has_single = false;
    for (size_t bytes = 1; bytes <= most; bytes++) {
        hash = tokenizer_hash(hash, text + from + bytes - 1, 1);
        int64_t id = tokenizer_find_hashed(tokenizer, hash, text + from, bytes);
        if (id < 0)
            continue;
        unigram_offer(&nodes[from + bytes], tokenizer->scores[id] + nodes[from].score, from, id);
        has_single |= bytes == single;
    }
    return has_single;
}

// An unknown stretch: its own token, its bytes, or unknown.
static bool add_stretch(const Tokenizer *tokenizer, const char *text, size_t length,
                        TokenizerWork *work)
{
    int64_t id = tokenizer_find(tokenizer, text, length);
    if (id >= 0)
        return tokenizer_add(work, id);
    bool has_bytes = tokenizer->byte_fallback;
    for (size_t i = 0; i < length && has_bytes; i++)
        has_bytes = tokenizer_find_byte(tokenizer, (unsigned char)text[i]) >= 0;
    if (!has_bytes)
        return tokenizer_add(work, tokenizer->unknown);
    for (size_t i = 0; i < length; i++)
        if (!tokenizer_add(work, tokenizer_find_byte(tokenizer, (unsigned char)text[i])))
            return false;
    return true;
}

// Reverses the path and joins consecutive unknown pieces.
static bool add_path(const Tokenizer *tokenizer, const char *text, size_t length,
                     const Node nodes[], TokenizerWork *work)
{
    size_t *ends = arena_take(work->arena, length + 1, sizeof *ends, work->err), count = 0;
    if (!ends)
        return false;
    for (size_t end = length; end > 0; end = nodes[end].from)
        ends[count++] = end;
    for (size_t begin = 0; count > 0;) {
        size_t end = ends[--count];
        bool unknown = tokenizer->unknown >= 0 && nodes[end].id == tokenizer->unknown;
        while (unknown && count > 0 && nodes[ends[count - 1]].id == tokenizer->unknown)
            end = ends[--count];
        if (!add_stretch(tokenizer, text + begin, end - begin, work))
            return false;
        begin = end;
    }
    return true;
}

static bool unigram_model(const Tokenizer *tokenizer, const char *text, size_t length,
                          TokenizerWork *work)
{
    const double penalty = 10; // below the lowest score
    Node *nodes = arena_take(work->arena, length + 1, sizeof *nodes, work->err);
    uint32_t c;
    if (!nodes)
        return false;
    for (size_t i = 0; i <= length; i++)
        nodes[i].from = SIZE_MAX;
    for (size_t at = 0, used; at < length; at += used) {
        used = utf8_next(text + at, &c);
        if (offer_pieces(tokenizer, text, length, at, nodes))
            continue;
        if (tokenizer->unknown < 0)
            return error_set(work->err, TELL(TOKENIZER_LACKS), tokenizer->name, (int)used,
                             text + at);
        unigram_offer(&nodes[at + used], tokenizer->least_score - penalty + nodes[at].score, at,
                      tokenizer->unknown);
    }
    return add_path(tokenizer, text, length, nodes, work);
}

// --- reading

static bool read_pieces(TokenizerReader *reader, json_t *list)
{
    Tokenizer *tokenizer = reader->tokenizer;
    size_t count = json_array_size(list), bytes = 0, i;
    json_t *piece;
    if (count == 0 || count > TOKENIZER_WORDS_MAX)
        return tokenizer_misread(reader, "vocab");
    TokenizerWord *words = arena_take(reader->arena, count, sizeof *words, reader->err);
    double *scores = arena_take(reader->arena, count, sizeof *scores, reader->err);
    json_array_foreach(list, i, piece)
    {
        if (!json_is_string(json_array_get(piece, 0)) || !json_is_number(json_array_get(piece, 1)))
            return tokenizer_misread(reader, "vocab");
        bytes += json_string_length(json_array_get(piece, 0)) + 1;
    }
    char *pool = arena_take(reader->arena, bytes, 1, reader->err);
    if (!words || !scores || !pool)
        return false;
    json_array_foreach(list, i, piece)
    {
        words[i] =
            (TokenizerWord){strcpy(pool, json_string_value(json_array_get(piece, 0))), (int64_t)i};
        pool += strlen(pool) + 1;
        scores[i] = json_number_value(json_array_get(piece, 1));
        if (i == 0 || scores[i] < tokenizer->least_score)
            tokenizer->least_score = scores[i];
    }
    tokenizer->scores = scores;
    return tokenizer_index(tokenizer, words, count, true, reader->arena, reader->err);
}

bool tokenizer_read_unigram(TokenizerReader *reader, json_t *json)
{
    static const char *const keys[] = {"unk_id", "vocab", "byte_fallback", NULL};
    Tokenizer *tokenizer = reader->tokenizer;
    json_t *unknown = json_object_get(json, "unk_id");
    if (!tokenizer_only(reader, json, keys) ||
        !tokenizer_flag(reader, json, "byte_fallback", &tokenizer->byte_fallback) ||
        !read_pieces(reader, json_object_get(json, "vocab")))
        return false;
    if (json_is_integer(unknown))
        tokenizer->unknown = json_integer_value(unknown);
    bool known = !unknown || json_is_null(unknown) ||
                 (json_is_integer(unknown) && tokenizer->unknown >= 0 &&
                  tokenizer->unknown < (int64_t)tokenizer->word_count);
    tokenizer->model = unigram_model;
    return known || tokenizer_misread(reader, "unk_id");
}

// --- whole words

static bool word_model(const Tokenizer *tokenizer, const char *text, size_t length,
                       TokenizerWork *work)
{
    int64_t id = tokenizer_find(tokenizer, text, length);
    id = id < 0 ? tokenizer->unknown : id;
    return id >= 0
               ? tokenizer_add(work, id)
               : error_set(work->err, TELL(TOKENIZER_LACKS), tokenizer->name, (int)length, text);
}

bool tokenizer_read_words(TokenizerReader *reader, json_t *json)
{
    static const char *const keys[] = {"unk_token", "vocab", NULL};
    Tokenizer *tokenizer = reader->tokenizer;
    const char *unknown = tokenizer_string(reader, json, "unk_token", false);
    if (!unknown || !tokenizer_only(reader, json, keys) ||
        !tokenizer_read_vocabulary(reader, json_object_get(json, "vocab")))
        return false;
    tokenizer->unknown = tokenizer_find(tokenizer, unknown, strlen(unknown));
    tokenizer->model = word_model;
    return true;
}
