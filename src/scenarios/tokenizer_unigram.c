// tokenizer_unigram: of all ways to write a text in the vocabulary's pieces the one whose scores (log
// probabilities) have the largest sum (Kudo 2018), found from the left: for every place the best way that
// ends there (Viterbi). Also a vocabulary of whole words. See tokenizer_parts.h.
#include "tokenizer_parts.h"

#include <stdlib.h>
#include <string.h>
#include "utf8.h"
#include "scenarios_words.h"

// --- the words that a text begins with

typedef struct Sorting {
    const char *text;
    uint32_t word;
} Sorting;

// Of two equal ones the later word comes last.
static int by_text(const void *a, const void *b)
{
    const Sorting *one = a, *other = b;
    int order = strcmp(one->text, other->text);
    return order ? order : (one->word > other->word) - (one->word < other->word);
}

static bool sort_words(Tokenizer *tokenizer, Arena *arena, Error *err)
{
    size_t count = tokenizer->word_count;
    Sorting *sorting = malloc(count * sizeof *sorting);
    uint32_t *order = sorting ? arena_take(arena, count, sizeof *order, err) : NULL;
    for (size_t i = 0; order && i < count; i++)
        sorting[i] = (Sorting){tokenizer->words[i].text, (uint32_t)i};
    if (order)
        qsort(sorting, count, sizeof *sorting, by_text);
    for (size_t i = 0; order && i < count; i++)
        order[i] = sorting[i].word;
    if (!sorting)
        error_machine(err, TELL(TOKENIZER_MEMORY), count * sizeof *sorting);
    free(sorting);
    tokenizer->by_text = order;
    return order != NULL;
}

// Words in their order that agree with a text so far.
typedef struct Range {
    size_t low, high; // [low, high)
} Range;

static unsigned char byte_at(const Tokenizer *tokenizer, size_t i, size_t depth)
{
    return (unsigned char)tokenizer->words[tokenizer->by_text[i]].text[depth];
}

// The first of the range whose byte at `depth` is at least that.
static size_t first_of(const Tokenizer *tokenizer, Range range, size_t depth, int byte)
{
    while (range.low < range.high) {
        size_t middle = range.low + (range.high - range.low) / 2;
        if (byte_at(tokenizer, middle, depth) < byte)
            range.low = middle + 1;
        else
            range.high = middle;
    }
    return range.low;
}

// --- the best way

typedef struct Node {
    double score;
    size_t from; // SIZE_MAX: no way ends here
    int64_t id;
} Node;

static void offer(Node *node, double score, size_t from, int64_t id)
{
    if (node->from == SIZE_MAX || score > node->score)
        *node = (Node){score, from, id};
}

// Offers every piece that begins at `from`; whether one of them is a single character.
static bool offer_pieces(const Tokenizer *tokenizer, const char *text, size_t length, size_t from,
                         Node nodes[])
{
    Range range = {0, tokenizer->word_count};
    uint32_t c;
    size_t single = utf8_next(text + from, &c);
    bool has_single = false;
    for (size_t depth = 0; from + depth < length && range.low < range.high; depth++) {
        unsigned char byte = (unsigned char)text[from + depth];
        range = (Range){first_of(tokenizer, range, depth, byte),
                        first_of(tokenizer, range, depth, byte + 1)};
        size_t ended = first_of(tokenizer, range, depth + 1, 1); // those that end here stand before
        if (ended == range.low)
            continue;
        uint32_t word = tokenizer->by_text[ended - 1];
        offer(&nodes[from + depth + 1], tokenizer->scores[word] + nodes[from].score, from,
              tokenizer->words[word].id);
        has_single |= depth + 1 == single;
        range.low = ended;
    }
    return has_single;
}

// A stretch that is no piece: what it says, or its bytes, or unknown.
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

// The ends of the best way's pieces, last first, are turned; unknown ones in a row are one.
static bool add_way(const Tokenizer *tokenizer, const char *text, size_t length, const Node nodes[],
                    TokenizerWork *work)
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
    const double penalty = 10; // below the least score: what is unknown costs more than any piece
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
        offer(&nodes[at + used], tokenizer->least_score - penalty + nodes[at].score, at,
              tokenizer->unknown);
    }
    return add_way(tokenizer, text, length, nodes, work);
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
    return tokenizer_index(tokenizer, words, count, true, reader->arena, reader->err) &&
           sort_words(tokenizer, reader->arena, reader->err);
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
