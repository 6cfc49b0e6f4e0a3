// A model's own tokenizer: splits a sentence into the ids of its embedding.
//
// A text passes through five parts: added tokens, normalizers, pre-tokenizers ("cuts"), a model (BPE, WordPiece,
// Unigram, whole words), and a template that adds special tokens. tokenizer.json defines all of them; vocab.txt is
// BERT's, vocab.json with merges.txt GPT-2's or RoBERTa's. Unsupported features are refused by name. Files are
// untrusted.
#ifndef TOKENIZER_H
#define TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arena.h"
#include "error.h"

typedef struct Tokenizer Tokenizer;

// The tokens, and for each the text it belongs to: 0 or 1.
typedef struct TokenizerIds {
    int64_t *ids, *types;
    size_t count, room;
} TokenizerIds;

enum { TOKENIZER_TOKENS_MAX = 10000, TOKENIZER_WORDS_MAX = 1 << 21 };

// A file's contents.
typedef struct TokenizerBytes {
    const unsigned char *bytes;
    size_t length;
} TokenizerBytes;

// BERT's treatment of letters.
typedef enum TokenizerCase {
    TOKENIZER_CASE_GUESSED, // from the vocabulary
    TOKENIZER_CASED,        // unchanged
    TOKENIZER_LOWER,        // lower case
    TOKENIZER_UNCASED,      // lower case without accents, which splits Korean syllables
} TokenizerCase;

// Parse files in memory. Results live in the arena. NULL and err on failure.
Tokenizer *tokenizer_wordpiece(const TokenizerBytes *vocabulary, const char *name,
                               TokenizerCase letters, Arena *arena, Error *err);
Tokenizer *tokenizer_byte_pairs(const TokenizerBytes *vocabulary, const TokenizerBytes *merges,
                                const char *name, Arena *arena, Error *err);
Tokenizer *tokenizer_json(const TokenizerBytes *file, const char *name, Arena *arena, Error *err);

// Opens a file: tokenizer.json; vocab.txt; or merges.txt or vocab.json, each with the other next to it (also vocab.bpe
// and encoder.json). Uses tokenizer_config.json next to it.
Tokenizer *tokenizer_open(const char *path, Arena *arena, Error *err);

// The path of such a file in a folder ("" or ending in '/'), or NULL.
const char *tokenizer_beside(const char *folder, size_t length, Arena *arena, Error *err);

// The ids of a text in UTF-8, and of a second one unless NULL; in the arena. Returns false and sets err for invalid
// UTF-8, a token that is not in the vocabulary, or too many tokens.
bool tokenizer_ids(const Tokenizer *tokenizer, const char *text, const char *pair, Arena *arena,
                   TokenizerIds *ids, Error *err);

// How many of the ids stand for unknown tokens.
size_t tokenizer_unknown(const Tokenizer *tokenizer, const TokenizerIds *ids);

// The token of each id below `rows`, for labels; "<7>" for an unused id. In the arena; NULL and err without memory.
const char **tokenizer_shown(const Tokenizer *tokenizer, size_t rows, Arena *arena, Error *err);

#endif
