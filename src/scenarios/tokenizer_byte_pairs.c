// tokenizer_byte_pairs: the characters of a cut become one piece, two neighbours at a time, as long as
// the list of merges has them: always the pair that stands first there (Sennrich et al. 2016; Radford et al. 2019).
// vocab.json and merges.txt are GPT-2's, or RoBERTa's where the vocabulary has its special tokens.
#include "tokenizer_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json_whole.h"
#include "utf8.h"
#include "scenarios_words.h"

enum { AFFIX_BYTES_MAX = 32 };

// --- merges

static size_t merge_place(const Tokenizer *tokenizer, const TokenizerMerge merges[], int64_t left,
                          int64_t right)
{
    uint64_t hash = ((uint64_t)left * 0x9e3779b97f4a7c15) ^ ((uint64_t)right * 0xc2b2ae3d27d4eb4f);
    size_t place = (size_t)(hash ^ hash >> 31) & tokenizer->merge_mask;
    while (merges[place].rank >= 0 && (merges[place].left != left || merges[place].right != right))
        place = (place + 1) & tokenizer->merge_mask;
    return place;
}

// NULL: these two stay apart.
static const TokenizerMerge *merge_of(const Tokenizer *tokenizer, int64_t left, int64_t right)
{
    const TokenizerMerge *merge =
        &tokenizer->merges[merge_place(tokenizer, tokenizer->merges, left, right)];
    return merge->rank >= 0 ? merge : NULL;
}

static TokenizerMerge *merges_take(Tokenizer *tokenizer, size_t count, Arena *arena, Error *err)
{
    size_t room = 16;
    while (room < 2 * count)
        room *= 2;
    TokenizerMerge *merges = arena_take(arena, room, sizeof *merges, err);
    for (size_t i = 0; merges && i < room; i++)
        merges[i].rank = -1;
    tokenizer->merges = merges;
    tokenizer->merge_mask = room - 1;
    return merges;
}

// The token that a text is; -1 with a sentence.
static int64_t need(const Tokenizer *tokenizer, const char *text, size_t length, Error *err)
{
    int64_t id = tokenizer_find(tokenizer, text, length);
    if (id < 0)
        error_set(err, TELL(TOKENIZER_LACKS), tokenizer->name, (int)length, text);
    return id;
}

// The piece that two make: the second without the mark that it begins no word.
static bool merge_put(const Tokenizer *tokenizer, TokenizerMerge merges[], const char *left,
                      const char *right, int64_t rank, Error *err)
{
    size_t lead = tokenizer->prefix ? strlen(tokenizer->prefix) : 0;
    size_t left_length = strlen(left), right_length = strlen(right);
    TokenizerMerge merge = {.rank = rank};
    if (right_length < lead)
        return error_set(err, TELL(TOKENIZER_LACKS), tokenizer->name, (int)right_length, right);
    char *whole = malloc(left_length + right_length - lead + 1);
    if (!whole)
        return error_machine(err, TELL(TOKENIZER_MEMORY), left_length + right_length);
    memcpy(whole, left, left_length);
    strcpy(whole + left_length, right + lead);
    bool good = (merge.left = need(tokenizer, left, left_length, err)) >= 0 &&
                (merge.right = need(tokenizer, right, right_length, err)) >= 0 &&
                (merge.made = need(tokenizer, whole, strlen(whole), err)) >= 0;
    free(whole);
    if (good)
        merges[merge_place(tokenizer, merges, merge.left, merge.right)] = merge;
    return good;
}

// --- a cut

typedef struct Symbol {
    int64_t id;
    size_t before, behind; // SIZE_MAX: nothing
    bool gone;
} Symbol;

// A pair that may be merged.
typedef struct Offer {
    int64_t rank, made;
    size_t at;
} Offer;

typedef struct Merging {
    const Tokenizer *tokenizer;
    Symbol *symbols;
    size_t count;
    Offer *offers; // a heap, the lowest rank first, and from the left
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

static void offer(Merging *now, size_t at)
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
        offer(now, i);
    while (now->offer_count > 0) {
        Offer first = take_first(now);
        Symbol *left = &now->symbols[first.at];
        if (left->gone || left->behind == SIZE_MAX)
            continue;
        Symbol *right = &now->symbols[left->behind];
        const TokenizerMerge *merge = merge_of(now->tokenizer, left->id, right->id);
        if (!merge || merge->made != first.made)
            continue; // one of the two has become another piece since
        left->id = first.made;
        left->behind = right->behind;
        right->gone = true;
        if (left->behind != SIZE_MAX)
            now->symbols[left->behind].before = first.at;
        offer(now, left->before);
        offer(now, first.at);
    }
}

static void put_symbol(Merging *now, int64_t id)
{
    size_t at = now->count++;
    now->symbols[at] = (Symbol){.id = id, .before = at - 1, .behind = SIZE_MAX};
    if (at > 0)
        now->symbols[at - 1].behind = at;
}

// The bytes of a character as tokens of their own, if the vocabulary has all of them.
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

// A token for each character; for what is not known its bytes, or one that says so, which waits for the
// next known one.
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

bool tokenizer_byte_pairs_model(const Tokenizer *tokenizer, const char *text, size_t length,
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

static bool read_merge(TokenizerReader *reader, TokenizerMerge merges[], json_t *json, size_t rank)
{
    const char *left = json_string_value(json_array_get(json, 0));
    const char *right = json_string_value(json_array_get(json, 1));
    if (json_is_array(json) && left && right)
        return merge_put(reader->tokenizer, merges, left, right, (int64_t)rank, reader->err);
    const char *both = json_string_value(json), *blank = both ? strchr(both, ' ') : NULL;
    if (!blank || strchr(blank + 1, ' '))
        return tokenizer_misread(reader, "merges");
    char *first = malloc((size_t)(blank - both) + 1);
    if (!first)
        return error_machine(reader->err, TELL(TOKENIZER_MEMORY), (size_t)(blank - both) + 1);
    memcpy(first, both, (size_t)(blank - both));
    first[blank - both] = '\0';
    bool good = merge_put(reader->tokenizer, merges, first, blank + 1, (int64_t)rank, reader->err);
    free(first);
    return good;
}

static bool read_merges(TokenizerReader *reader, json_t *list)
{
    size_t i;
    json_t *merge;
    if (!json_is_array(list) || json_array_size(list) > TOKENIZER_WORDS_MAX)
        return tokenizer_misread(reader, "merges");
    TokenizerMerge *merges =
        merges_take(reader->tokenizer, json_array_size(list), reader->arena, reader->err);
    if (!merges)
        return false;
    json_array_foreach(list, i, merge)
    {
        if (!read_merge(reader, merges, merge, i))
            return false;
    }
    return true;
}

// An affix that is short, or none; "" is none, too.
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

// "l o": two pieces with a blank between them.
static bool read_line(const Tokenizer *tokenizer, char *line, size_t number,
                      TokenizerMerge merges[], Error *err)
{
    char *blank = strchr(line, ' ');
    if (!blank || blank == line || !blank[1] || strchr(blank + 1, ' '))
        return error_set(err, TELL(TOKENIZER_MERGE), tokenizer->name, number);
    *blank = '\0';
    return merge_put(tokenizer, merges, line, blank + 1, (int64_t)number, err);
}

static bool read_lines(Tokenizer *tokenizer, const TokenizerBytes *file, Arena *arena, Error *err)
{
    char *text = arena_take(arena, file->length + 1, 1, err);
    size_t lines = 1;
    for (size_t i = 0; i < file->length; i++)
        lines += file->bytes[i] == '\n';
    if (lines > TOKENIZER_WORDS_MAX)
        return error_set(err, TELL(TOKENIZER_MANY), tokenizer->name, TOKENIZER_WORDS_MAX);
    TokenizerMerge *merges = merges_take(tokenizer, lines, arena, err);
    if (!text || !merges)
        return false;
    if (file->length > 0)
        memcpy(text, file->bytes, file->length);
    char *next = text;
    for (size_t number = 1; next; number++) {
        char *line = next, *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        line[strcspn(line, "\r\n")] = '\0';
        bool is_comment = number == 1 && strncmp(line, "#version", 8) == 0;
        if (*line && !is_comment && !read_line(tokenizer, line, number, merges, err))
            return false;
    }
    return true;
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

// CLIP's words and GPT's end so; neither is cut as GPT-2 is.
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

// RoBERTa's and BART's vocabularies have a token for a gap; GPT-2 has none.
static bool dress(Tokenizer *tokenizer, Arena *arena, Error *err)
{
    static const char gap[] = "<mask>", *const others[] = {"<pad>", "<unk>"};
    TokenizerReader reader = {.tokenizer = tokenizer, .arena = arena, .err = err};
    if (has_ends(tokenizer))
        return error_set(err, TELL(TOKENIZER_ONLY_JSON), tokenizer->name, "</w>");
    json_t *cut = json_pack("{s:s, s:b}", "type", "ByteLevel", "add_prefix_space", 0);
    bool good = cut && tokenizer_read_cuts(&reader, cut);
    json_decref(cut);
    if (!cut)
        error_machine(err, TELL(TOKENIZER_MEMORY), sizeof *cut);
    if (!good)
        return false;
    add_special(tokenizer, "<|endoftext|>", false);
    if (tokenizer_find(tokenizer, gap, strlen(gap)) < 0)
        return tokenizer_frame_plain(tokenizer, arena, err);
    add_special(tokenizer, gap, true);
    add_special(tokenizer, others[0], false);
    add_special(tokenizer, others[1], false);
    int64_t first = add_special(tokenizer, "<s>", false);
    int64_t last = add_special(tokenizer, "</s>", false);
    return tokenizer_frame(tokenizer, first, last, true, arena, err);
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
                read_lines(tokenizer, merges, arena, err) && dress(tokenizer, arena, err);
    json_decref(json);
    return good ? tokenizer : NULL;
}
