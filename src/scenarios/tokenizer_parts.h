// What the files of a tokenizer share with each other; see tokenizer.h.
#ifndef TOKENIZER_PARTS_H
#define TOKENIZER_PARTS_H

#include <jansson.h>
#include "pattern.h"
#include "shown_name.h"
#include "tokenizer.h"

// --- a text on its way

// A part of a text; `is_first` where it begins with it.
typedef struct TokenizerSpan {
    const char *text; // a NUL stands at its end or somewhere behind it
    size_t length;
    bool is_first;
} TokenizerSpan;

// What is at hand while a text becomes ids.
typedef struct TokenizerWork {
    Arena *arena;
    Error *err;
    TokenizerIds *ids;
    int64_t type;       // of the text that is being cut
    long pattern_steps; // that regular expressions may still take
} TokenizerWork;

// Bytes that are put one behind the other, ended by a NUL; in the arena.
typedef struct TokenizerText {
    char *bytes;
    size_t length, room;
    TokenizerWork *work;
} TokenizerText;

bool tokenizer_put(TokenizerText *text, const char *bytes, size_t length);
bool tokenizer_put_character(TokenizerText *text, uint32_t character);

typedef struct TokenizerSpans {
    TokenizerSpan *items;
    size_t count, room;
    TokenizerWork *work;
} TokenizerSpans;

// An empty one is left out.
bool tokenizer_put_span(TokenizerSpans *spans, TokenizerSpan span);

// \w as Rust has it: two characters without width belong to it that join letters or keep them apart.
bool tokenizer_is_word(uint32_t character);

// --- its parts

typedef struct TokenizerNormal TokenizerNormal;
struct TokenizerNormal {
    bool (*run)(const TokenizerNormal *it, const char *text, size_t length, TokenizerText *out);
    const char *literal, *content; // what is replaced or put in front
    const Pattern *pattern;
    bool clean, chinese, strip, lower; // BertNormalizer
    bool left, right;                  // Strip
    int form;                          // a CharacterForm
    const uint32_t *trie;              // Precompiled
    size_t trie_count, blob_length;
    const char *blob;
};

typedef enum TokenizerBehaviour {
    TOKENIZER_REMOVED,
    TOKENIZER_ISOLATED,
    TOKENIZER_MERGED_WITH_PREVIOUS,
    TOKENIZER_MERGED_WITH_NEXT,
    TOKENIZER_CONTIGUOUS
} TokenizerBehaviour;

typedef struct TokenizerCut TokenizerCut;
struct TokenizerCut {
    bool (*run)(const TokenizerCut *it, TokenizerSpan span, TokenizerSpans *out);
    PatternFound (*find)(const TokenizerCut *it, PatternSearch *search); // what divides
    const char *literal;
    const Pattern *pattern;
    TokenizerBehaviour behaviour;
    bool invert;
    bool prefix, prefix_first,
        split; // a blank in front, if that is where the text begins; and then cut
};

typedef struct TokenizerAdded {
    const char *text; // as it is looked for
    size_t length;
    int64_t id;
    bool single_word, left, right, normalized;
    size_t next; // of those that begin with the same byte, and are not longer; SIZE_MAX: none
} TokenizerAdded;

// A place in what the model sees: ids, or a text.
typedef struct TokenizerSlot {
    const int64_t *ids; // NULL: the first text, or the second
    size_t count;
    bool is_second;
    int64_t type;
} TokenizerSlot;

typedef struct TokenizerTemplate {
    const TokenizerSlot *slots;
    size_t count;
} TokenizerTemplate;

typedef struct TokenizerWord {
    const char *text; // as the file has it: "##ing", "\u0120the"
    int64_t id;
} TokenizerWord;

// Two tokens that become one; the lower its rank, the sooner.
typedef struct TokenizerMerge {
    int64_t left, right, made, rank; // rank -1: an empty place
} TokenizerMerge;

enum { TOKENIZER_STEPS_MAX = 32 };

struct Tokenizer {
    const char *name; // of its file, for messages
    TokenSpelling spelling;

    const TokenizerWord *words; // word_count of them
    size_t word_count;
    const uint32_t *places; // a hash table of them: one more than the number, 0 for none
    size_t place_mask;
    int64_t id_count;

    TokenizerAdded *added;
    size_t added_count;
    size_t added_by_byte[2][256]; // [normalized]; SIZE_MAX: none

    TokenizerNormal normals[TOKENIZER_STEPS_MAX];
    TokenizerCut cuts[TOKENIZER_STEPS_MAX];
    size_t normal_count, cut_count;

    // The ids of one cut.
    bool (*model)(const Tokenizer *tokenizer, const char *text, size_t length, TokenizerWork *work);
    int64_t unknown;              // -1: there is none
    const char *prefix;           // of pieces that begin no word: "##"
    const char *suffix;           // of the last piece of a word: "</w>"
    bool byte_fallback;           // what is not known becomes <0xEC> ...
    bool fuse_unknown;            // several in a row are one
    bool whole_first;             // a cut that is a token stays whole, whatever merges say
    const TokenizerMerge *merges; // a hash table
    size_t merge_mask;
    size_t characters_max;   // of a word
    const double *scores;    // of each word
    const uint32_t *by_text; // the words in their order
    double least_score;

    TokenizerTemplate alone, with_pair;
    size_t most_tokens; // 0: as many as it takes
};

// Of the words: refused where one stands there twice, unless the last of them is meant.
bool tokenizer_index(Tokenizer *tokenizer, const TokenizerWord *words, size_t count,
                     bool may_repeat, Arena *arena, Error *err);

// The id of a word; -1: the vocabulary lacks it.
int64_t tokenizer_find(const Tokenizer *tokenizer, const char *text, size_t length);

// The word that starts "<0x", of a byte.
int64_t tokenizer_find_byte(const Tokenizer *tokenizer, unsigned char byte);

bool tokenizer_add(TokenizerWork *work, int64_t id);

// Puts ids before, between and behind texts, as BERT ([CLS] A [SEP] B [SEP], types 0 and 1) and RoBERTa
// (<s> A </s></s> B </s>, type 0 alone) do.
bool tokenizer_frame(Tokenizer *tokenizer, int64_t first, int64_t last, bool is_roberta,
                     Arena *arena, Error *err);
bool tokenizer_frame_plain(Tokenizer *tokenizer, Arena *arena, Error *err);

// A tokenizer with room for tokens that stand for themselves; NULL with a sentence. And adds one.
Tokenizer *tokenizer_new(const char *name, size_t added_room, Arena *arena, Error *err);
void tokenizer_add_token(Tokenizer *tokenizer, TokenizerAdded token);

// Runs the normalizers; the result is in the arena. NULL with a sentence.
bool tokenizer_normalize(const Tokenizer *tokenizer, const char *text, size_t length,
                         TokenizerText *out);

// --- reading tokenizer.json

// What is being read, and where in the file that is ("normalizer").
typedef struct TokenizerReader {
    Tokenizer *tokenizer;
    const char *where;
    int depth;
    Arena *arena;
    Error *err;
} TokenizerReader;

// False with a sentence: the file asks for something that is not done; or it is not as such a file is.
bool tokenizer_refuse(const TokenizerReader *reader, const char *key, json_t *value);
bool tokenizer_misread(const TokenizerReader *reader, const char *key);

// Whether the object has no other keys than these (and "type"), NULL-terminated.
bool tokenizer_only(const TokenizerReader *reader, json_t *part, const char *const keys[]);

// true or false; what `flag` holds stays where the key is missing or null.
bool tokenizer_flag(const TokenizerReader *reader, json_t *part, const char *key, bool *flag);

// A text, in the arena; NULL with a sentence unless it may be missing, with none otherwise.
const char *tokenizer_string(const TokenizerReader *reader, json_t *part, const char *key,
                             bool may_miss);

// {"String": "..."} or {"Regex": "..."}.
bool tokenizer_pattern(const TokenizerReader *reader, json_t *part, const char **literal,
                       const Pattern **pattern);

// Each reads its part; `json` may be null, which is none.
bool tokenizer_read_normals(TokenizerReader *reader, json_t *json);
bool tokenizer_read_cuts(TokenizerReader *reader, json_t *json);
bool tokenizer_read_byte_pairs(TokenizerReader *reader, json_t *json);
bool tokenizer_read_wordpiece(TokenizerReader *reader, json_t *json);
bool tokenizer_read_unigram(TokenizerReader *reader, json_t *json);
bool tokenizer_read_words(TokenizerReader *reader, json_t *json);

// The words of {"token": id, ...} or, where scores are asked for, of [["token", score], ...].
bool tokenizer_read_vocabulary(TokenizerReader *reader, json_t *json);

// --- as other kinds of files have them, too

bool tokenizer_bert_cut(const TokenizerCut *it, TokenizerSpan span, TokenizerSpans *out);
bool tokenizer_byte_cut(const TokenizerCut *it, TokenizerSpan span, TokenizerSpans *out);
bool tokenizer_bert_normal(const TokenizerNormal *it, const char *text, size_t length,
                           TokenizerText *out);

#endif
