// A model's own tokenizer: a sentence becomes the ids that its embedding knows.
//
// Two kinds, each a file of its own: WordPiece (vocab.txt, as BERT has it) and pairs of bytes that
// belong together (vocab.json with merges.txt, as GPT-2 has it). Bytes of files are untrusted.
#ifndef TOKENIZER_H
#define TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arena.h"
#include "error.h"

// Words and their ids, in two orders.
typedef struct TokenizerWord {
    const char *text; // as the file has it: "##ing", "\u0120the"
    int64_t id;
} TokenizerWord;

// Two pieces that become one; the lower its rank, the sooner.
typedef struct TokenizerMerge {
    const char *left, *right;
    int64_t rank;
} TokenizerMerge;

typedef struct Tokenizer Tokenizer;

typedef struct TokenizerIds {
    int64_t *ids;
    size_t count, room;
} TokenizerIds;

struct Tokenizer {
    const char *name;            // of its file, for messages
    const TokenizerWord *sorted; // by text; word_count of them
    size_t word_count;
    int64_t id_count;             // one more than the largest id
    const TokenizerMerge *merges; // by pieces
    size_t merge_count;
    bool lower; // WordPiece: letters become small ones, and lose their accents
    // Adds the ids of a piece of text between special tokens.
    bool (*split)(const Tokenizer *tokenizer, const char *text, size_t length, TokenizerIds *ids,
                  Arena *arena, Error *err);
    // What a token stands for, in words for labels; in the arena. NULL with a sentence.
    const char *(*show)(const char *text, Arena *arena, Error *err);
    const char *specials[6];  // that stand for themselves in a text; NULL ends them
    const char *first, *last; // that stand around every text; NULL: none do
};

enum { TOKENIZER_TOKENS_MAX = 10000, TOKENIZER_WORDS_MAX = 1 << 21 };

// A file that has been read.
typedef struct TokenizerBytes {
    const unsigned char *bytes;
    size_t length;
} TokenizerBytes;

// Of bytes; everything that stays is in the arena. NULL with a sentence.
Tokenizer *tokenizer_wordpiece(const unsigned char *vocabulary, size_t length, const char *name,
                               Arena *arena, Error *err);
Tokenizer *tokenizer_byte_pairs(const TokenizerBytes *vocabulary, const TokenizerBytes *merges,
                                const char *name, Arena *arena, Error *err);

// By the file that is named: vocab.txt, or merges.txt or vocab.json, each with the other beside it.
// tokenizer_config.json beside vocab.txt may say that capital letters stay.
Tokenizer *tokenizer_open(const char *path, Arena *arena, Error *err);

// The name of such a file in a folder ("" or one that ends in '/'); NULL: there is none.
const char *tokenizer_beside(const char *folder, size_t length, Arena *arena, Error *err);

// The ids of a text in UTF-8, in the arena. False with a sentence: broken text, a token that the
// vocabulary lacks, too many of them.
bool tokenizer_ids(const Tokenizer *tokenizer, const char *text, Arena *arena, TokenizerIds *ids,
                   Error *err);

// --- what the two kinds share

// The id of a word; -1: the vocabulary lacks it.
int64_t tokenizer_find(const Tokenizer *tokenizer, const char *text);

bool tokenizer_add(TokenizerIds *ids, int64_t id, Error *err);

// Sorts words by text. False, with the word, where one stands there twice.
bool tokenizer_sort(Tokenizer *tokenizer, TokenizerWord words[], size_t count, Error *err);

#endif
