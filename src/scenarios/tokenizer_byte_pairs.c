// tokenizer_byte_pairs: vocab.json and merges.txt, as GPT-2 is split (Radford et al. 2019; Sennrich et
// al. 2016). A text is cut before words, numbers and marks; of each cut the bytes are written with a
// letter each, and neighbours become one piece as long as merges.txt has a line for them: always the
// pair that stands first there.
//
// So any text can be written, Korean too: at worst a byte is a token. Not done: cuts of other models
// that have the same two files (a cut after three digits, say).
#include "tokenizer.h"

#include <stdlib.h>
#include <string.h>
#include "character.h"
#include "json_whole.h"
#include "token_text.h"
#include "utf8.h"
#include "scenarios_words.h"

static const char *show(const char *text, Arena *arena, Error *err)
{
    char *out = arena_take(arena, strlen(text) * TOKEN_TEXT_GROWTH + 1, 1, err);
    return out ? token_text(text, TOKEN_BYTES, out) : NULL;
}

// --- cuts

typedef enum Kind { KIND_LETTER, KIND_NUMBER, KIND_BLANK, KIND_OTHER } Kind;

static Kind kind_of(uint32_t c)
{
    CharacterKind kind = character_kind(c);
    return character_is_space(c)      ? KIND_BLANK
           : kind == CHARACTER_LETTER ? KIND_LETTER
           : kind == CHARACTER_NUMBER ? KIND_NUMBER
                                      : KIND_OTHER;
}

// How many bytes from `text` on are of one kind; `before_last` is where the last of them begins.
static size_t run_of(const char *text, size_t length, Kind kind, size_t *before_last)
{
    size_t used = 0;
    uint32_t c;
    *before_last = 0;
    while (used < length) {
        size_t bytes = utf8_next(text + used, &c);
        if (kind_of(c) != kind)
            break;
        *before_last = used;
        used += bytes;
    }
    return used;
}

// The first cut of a text: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
static size_t cut_of(const char *text, size_t length)
{
    static const char *const endings[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (strlen(endings[i]) <= length && memcmp(text, endings[i], strlen(endings[i])) == 0)
            return strlen(endings[i]);
    uint32_t c;
    size_t last, blank = *text == ' ' && length > 1;
    utf8_next(text + blank, &c);
    Kind kind = kind_of(c);
    if (kind != KIND_BLANK)
        return blank + run_of(text + blank, length - blank, kind, &last);
    size_t blanks = run_of(text, length, KIND_BLANK, &last);
    return blanks < length && last > 0 ? last : blanks; // the last blank goes with what follows
}

// --- merging

static int by_pieces(const void *a, const void *b)
{
    const TokenizerMerge *one = a, *other = b;
    int left = strcmp(one->left, other->left);
    return left ? left : strcmp(one->right, other->right);
}

static int64_t rank_of(const Tokenizer *tokenizer, const char *left, const char *right)
{
    const TokenizerMerge wanted = {.left = left, .right = right};
    const TokenizerMerge *found =
        tokenizer->merge_count > 0
            ? bsearch(&wanted, tokenizer->merges, tokenizer->merge_count, sizeof wanted, by_pieces)
            : NULL;
    return found ? found->rank : INT64_MAX;
}

// Makes one piece of every pair of these two, from the left; how many pieces are left.
static size_t merge_all(const char *pieces[], size_t count, const char *left, const char *right,
                        Arena *arena, Error *err)
{
    size_t kept = 0;
    const char *whole = arena_format(arena, err, "%s%s", left, right);
    for (size_t i = 0; whole && i < count; i++) {
        bool is_pair =
            i + 1 < count && strcmp(pieces[i], left) == 0 && strcmp(pieces[i + 1], right) == 0;
        pieces[kept++] = is_pair ? whole : pieces[i];
        i += is_pair;
    }
    return kept;
}

// False where memory is short.
static bool merge(const Tokenizer *tokenizer, const char *pieces[], size_t *count, Arena *arena,
                  Error *err)
{
    for (;;) {
        int64_t lowest = INT64_MAX;
        size_t at = 0;
        for (size_t i = 0; i + 1 < *count; i++) {
            int64_t rank = rank_of(tokenizer, pieces[i], pieces[i + 1]);
            at = rank < lowest ? i : at;
            lowest = rank < lowest ? rank : lowest;
        }
        if (lowest == INT64_MAX)
            return true;
        *count = merge_all(pieces, *count, pieces[at], pieces[at + 1], arena, err);
        if (*count == 0)
            return false;
    }
}

static bool add_cut(const Tokenizer *tokenizer, const char *text, size_t length, TokenizerIds *ids,
                    Arena *arena, Error *err)
{
    size_t count = length;
    if (length > TOKENIZER_TOKENS_MAX)
        return error_set(err, TELL(TOKENIZER_LONG), TOKENIZER_TOKENS_MAX);
    const char **pieces = arena_take(arena, length, sizeof *pieces, err);
    char *letters = arena_take(arena, length, 4, err);
    for (size_t i = 0; pieces && letters && i < length; i++) {
        character_put(token_letter_of((unsigned char)text[i]), letters + 4 * i);
        pieces[i] = letters + 4 * i;
    }
    if (!pieces || !letters || !merge(tokenizer, pieces, &count, arena, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        int64_t id = tokenizer_find(tokenizer, pieces[i]);
        if (id < 0)
            return error_set(err, TELL(TOKENIZER_LACKS), tokenizer->name, pieces[i]);
        if (!tokenizer_add(ids, id, err))
            return false;
    }
    return true;
}

static bool split(const Tokenizer *tokenizer, const char *text, size_t length, TokenizerIds *ids,
                  Arena *arena, Error *err)
{
    for (size_t used = 0, cut; used < length; used += cut) {
        cut = cut_of(text + used, length - used);
        if (!add_cut(tokenizer, text + used, cut, ids, arena, err))
            return false;
    }
    return true;
}

// --- the files

static bool read_vocabulary(Tokenizer *tokenizer, json_t *json, Arena *arena, Error *err)
{
    size_t count = json_object_size(json), filled = 0;
    const char *text;
    json_t *id;
    if (!json_is_object(json) || count > TOKENIZER_WORDS_MAX)
        return error_set(err, TELL(TOKENIZER_JSON), tokenizer->name, TOKENIZER_WORDS_MAX);
    TokenizerWord *words = arena_take(arena, count, sizeof *words, err);
    if (!words)
        return false;
    json_object_foreach(json, text, id)
    {
        json_int_t number = json_is_integer(id) ? json_integer_value(id) : -1;
        if (number < 0 || number >= TOKENIZER_WORDS_MAX)
            return error_set(err, TELL(TOKENIZER_ID), tokenizer->name, text, TOKENIZER_WORDS_MAX);
        const char *kept = arena_text(arena, text, err);
        if (!kept)
            return false;
        words[filled++] = (TokenizerWord){kept, number};
    }
    return tokenizer_sort(tokenizer, words, filled, err);
}

// "l o": two pieces with a blank between them.
static bool read_merge(Tokenizer *tokenizer, char *line, size_t number, TokenizerMerge *merge,
                       Error *err)
{
    char *blank = strchr(line, ' ');
    if (!blank || blank == line || !blank[1] || strchr(blank + 1, ' '))
        return error_set(err, TELL(TOKENIZER_MERGE), tokenizer->name, number);
    *blank = '\0';
    *merge = (TokenizerMerge){line, blank + 1, (int64_t)number};
    return true;
}

static bool read_merges(Tokenizer *tokenizer, const unsigned char *bytes, size_t length,
                        Arena *arena, Error *err)
{
    char *text = arena_take(arena, length + 1, 1, err);
    size_t lines = 1, filled = 0;
    for (size_t i = 0; i < length; i++)
        lines += bytes[i] == '\n';
    if (lines > TOKENIZER_WORDS_MAX)
        return error_set(err, TELL(TOKENIZER_MANY), tokenizer->name, TOKENIZER_WORDS_MAX);
    TokenizerMerge *merges = arena_take(arena, lines, sizeof *merges, err);
    if (!text || !merges)
        return false;
    memcpy(text, bytes, length);
    char *next = text;
    for (size_t number = 1; next; number++) {
        char *line = next, *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        line[strcspn(line, "\r\n")] = '\0';
        bool is_comment = number == 1 && strncmp(line, "#version", 8) == 0;
        if (*line && !is_comment && !read_merge(tokenizer, line, number, &merges[filled++], err))
            return false;
    }
    qsort(merges, filled, sizeof *merges, by_pieces);
    tokenizer->merges = merges;
    tokenizer->merge_count = filled;
    return true;
}

Tokenizer *tokenizer_byte_pairs(const TokenizerBytes *vocabulary, const TokenizerBytes *merges,
                                const char *name, Arena *arena, Error *err)
{
    Tokenizer *tokenizer = arena_take(arena, 1, sizeof *tokenizer, err);
    if (!tokenizer)
        return NULL;
    *tokenizer =
        (Tokenizer){.name = name, .split = split, .show = show, .specials = {"<|endoftext|>"}};
    if (!utf8_valid((const char *)merges->bytes, merges->length)) {
        error_set(err, TELL(TOKENIZER_UTF8), name);
        return NULL;
    }
    json_error_t why = {.text = ""};
    *err = (Error){.text = ""};
    json_t *json =
        json_whole_read((const char *)vocabulary->bytes, vocabulary->length, 0, &why, err);
    if (!json && !err->of_machine)
        error_set(err, TELL(TOKENIZER_JSON), name, TOKENIZER_WORDS_MAX);
    bool good = json && read_vocabulary(tokenizer, json, arena, err) &&
                read_merges(tokenizer, merges->bytes, merges->length, arena, err);
    json_decref(json);
    return good ? tokenizer : NULL;
}
