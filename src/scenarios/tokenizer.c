// tokenizer: what both kinds share, and the files beside a model; see tokenizer.h.
#include "tokenizer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "input_file.h"
#include "json_number.h"
#include "utf8.h"
#include "scenarios_words.h"

enum { FILE_BYTES_MAX = 64 << 20 };

// --- words

// --- a text

static bool add_special(const Tokenizer *tokenizer, const char *text, TokenizerIds *ids, Error *err)
{
    int64_t id = text ? tokenizer_find(tokenizer, text) : -1;
    return id < 0 || tokenizer_add(ids, id, err);
}

// The first special token in a text that the vocabulary knows; NULL: there is none.
static const char *next_special(const Tokenizer *tokenizer, const char *text, const char **special)
{
    const char *first = NULL;
    for (int i = 0; tokenizer->specials[i]; i++) {
        const char *at = strstr(text, tokenizer->specials[i]);
        if (at && (!first || at < first) &&
            tokenizer_find(tokenizer, tokenizer->specials[i]) >= 0) {
            first = at;
            *special = tokenizer->specials[i];
        }
    }
    return first;
}

bool tokenizer_ids(const Tokenizer *tokenizer, const char *text, Arena *arena, TokenizerIds *ids,
                   Error *err)
{
    *ids = (TokenizerIds){.room = TOKENIZER_TOKENS_MAX};
    ids->ids = arena_take(arena, ids->room, sizeof *ids->ids, err);
    if (!ids->ids)
        return false;
    if (!utf8_valid(text, strlen(text)))
        return error_set(err, TELL(TEXT_UTF8));
    bool good = add_special(tokenizer, tokenizer->first, ids, err);
    size_t around = ids->count;
    while (good && *text) {
        const char *special = NULL, *at = next_special(tokenizer, text, &special);
        size_t length = at ? (size_t)(at - text) : strlen(text);
        good = (length == 0 || tokenizer->split(tokenizer, text, length, ids, arena, err)) &&
               add_special(tokenizer, special, ids, err);
        text += length + (special ? strlen(special) : 0);
    }
    if (good && ids->count == around)
        return error_set(err, TELL(TEXT_EMPTY));
    return good && add_special(tokenizer, tokenizer->last, ids, err);
}

// --- files

static bool is_there(const char *path)
{
    return access(path, R_OK) == 0;
}

// Another file of the folder that `path` lies in.
static const char *beside(const char *path, const char *name, Arena *arena, Error *err)
{
    const char *slash = strrchr(path, '/');
    return arena_format(arena, err, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
}

const char *tokenizer_beside(const char *folder, size_t length, Arena *arena, Error *err)
{
    static const char *const names[] = {"vocab.txt", "merges.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = arena_format(arena, err, "%.*s%s", (int)length, folder, names[i]);
        if (!path)
            return NULL;
        if (is_there(path))
            return names[i];
    }
    error_set(err, TELL(TOKENIZER_NONE), length ? (int)length : 1, length ? folder : ".");
    return NULL;
}

static Tokenizer *open_wordpiece(const char *path, Arena *arena, Error *err)
{
    unsigned char *bytes;
    size_t length;
    const char *lower = NULL, *config = beside(path, "tokenizer_config.json", arena, err);
    if (!config || !input_file_all(path, FILE_BYTES_MAX, arena, &bytes, &length, err))
        return NULL;
    Tokenizer *tokenizer = tokenizer_wordpiece(bytes, length, path, arena, err);
    if (!tokenizer || !json_word(config, "do_lower_case", arena, &lower, err))
        return NULL;
    tokenizer->lower = !lower || strcmp(lower, "true") == 0;
    return tokenizer;
}

static Tokenizer *open_byte_pairs(const char *path, Arena *arena, Error *err)
{
    unsigned char *vocabulary, *merges;
    size_t vocabulary_length, merges_length;
    const char *json = beside(path, "vocab.json", arena, err);
    const char *text = beside(path, "merges.txt", arena, err);
    if (!json || !text ||
        !input_file_all(json, FILE_BYTES_MAX, arena, &vocabulary, &vocabulary_length, err) ||
        !input_file_all(text, FILE_BYTES_MAX, arena, &merges, &merges_length, err))
        return NULL;
    return tokenizer_byte_pairs(&(TokenizerBytes){vocabulary, vocabulary_length},
                                &(TokenizerBytes){merges, merges_length}, path, arena, err);
}

Tokenizer *tokenizer_open(const char *path, Arena *arena, Error *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strcmp(name, "vocab.txt") == 0)
        return open_wordpiece(path, arena, err);
    if (strcmp(name, "merges.txt") == 0 || strcmp(name, "vocab.json") == 0)
        return open_byte_pairs(path, arena, err);
    error_set(err, TELL(TOKENIZER_FILE), path);
    return NULL;
}
