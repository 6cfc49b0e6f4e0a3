// A model's own tokenizer: a sentence becomes the ids that its embedding knows.
//
// A text goes through five parts: added tokens that stand for themselves, normalizers, cuts, a model
// (pairs of letters, WordPiece, Unigram, whole words) and a template that puts special tokens around
// it. tokenizer.json names all of them; vocab.txt is BERT's, vocab.json with merges.txt GPT-2's or
// RoBERTa's. What a file asks for and is not done here is refused by its name. Files are untrusted.
#ifndef TOKENIZER_H
#define TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arena.h"
#include "error.h"

typedef struct Tokenizer Tokenizer;

// A token of each place, and which of two texts it belongs to: 0 or 1.
typedef struct TokenizerIds {
    int64_t *ids, *types;
    size_t count, room;
} TokenizerIds;

enum { TOKENIZER_TOKENS_MAX = 10000, TOKENIZER_WORDS_MAX = 1 << 21 };

// A file that has been read.
typedef struct TokenizerBytes {
    const unsigned char *bytes;
    size_t length;
} TokenizerBytes;

// What BERT's tokenizer does to letters before it looks for them.
typedef enum TokenizerCase {
    TOKENIZER_CASE_GUESSED, // what the vocabulary looks like
    TOKENIZER_CASED,        // nothing
    TOKENIZER_LOWER,        // capital letters become small ones
    TOKENIZER_UNCASED,      // and accents go, which takes Korean syllables apart
} TokenizerCase;

// Of bytes; everything that stays is in the arena. NULL with a sentence.
Tokenizer *tokenizer_wordpiece(const TokenizerBytes *vocabulary, const char *name,
                               TokenizerCase letters, Arena *arena, Error *err);
Tokenizer *tokenizer_byte_pairs(const TokenizerBytes *vocabulary, const TokenizerBytes *merges,
                                const char *name, Arena *arena, Error *err);
Tokenizer *tokenizer_json(const TokenizerBytes *file, const char *name, Arena *arena, Error *err);

// By the file that is named: tokenizer.json; vocab.txt; or merges.txt or vocab.json, each with the other
// beside it, also as vocab.bpe and encoder.json. tokenizer_config.json beside it is heeded.
Tokenizer *tokenizer_open(const char *path, Arena *arena, Error *err);

// The name of such a file in a folder ("" or one that ends in '/'); NULL: there is none.
const char *tokenizer_beside(const char *folder, size_t length, Arena *arena, Error *err);

// The ids of a text in UTF-8, and of a second one unless it is NULL; in the arena. False with a sentence:
// broken text, a token that the vocabulary lacks, too many of them.
bool tokenizer_ids(const Tokenizer *tokenizer, const char *text, const char *pair, Arena *arena,
                   TokenizerIds *ids, Error *err);

// One more than the largest id.
int64_t tokenizer_id_count(const Tokenizer *tokenizer);

// How many of the ids stand for what the vocabulary does not know.
size_t tokenizer_unknown(const Tokenizer *tokenizer, const TokenizerIds *ids);

// What each id below `rows` stands for, for labels: "<7>" where it stands for nothing. In the arena; NULL with a
// sentence.
const char **tokenizer_shown(const Tokenizer *tokenizer, size_t rows, Arena *arena, Error *err);

#endif
