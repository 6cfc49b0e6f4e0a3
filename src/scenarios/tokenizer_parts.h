// Shared by the files of the tokenizer; see tokenizer.h.
#ifndef TOKENIZER_PARTS_H
#define TOKENIZER_PARTS_H

#include <jansson.h>
#include "shown_name.h"
#include "tokenizer.h"
#include "utf8.h"

// --- a text being split

// Part of a text; `is_first`: it starts the text.
typedef struct TokenizerSpan {
    const char *text; // a NUL follows at its end or later
    size_t length;
    bool is_first;
} TokenizerSpan;

// State while a text is split.
typedef struct TokenizerWork {
    Arena *arena;
    Error *err;
    TokenizerIds *ids;
    int64_t type;  // of the current text
    long searches; // with regular expressions so far
} TokenizerWork;

// A growing NUL-terminated string in the arena.
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

// Appends a span unless it is empty.
bool tokenizer_put_span(TokenizerSpans *spans, TokenizerSpan span);

// Rust's \w, which includes the zero-width joiner and non-joiner.
bool tokenizer_is_word(uint32_t character);

// --- regular expressions
//
// Oniguruma's, as in Hugging Face's library.

typedef struct Pattern Pattern;

typedef enum PatternSyntax {
    PATTERN_LITERAL, // finds the text itself
    PATTERN_REGEX
} PatternSyntax;

// Lives in the arena. NULL with an empty error if the text is not such an expression; NULL with a message without
// memory.
const Pattern *pattern_read(const char *text, PatternSyntax syntax, Arena *arena, Error *err);

// A text in valid UTF-8, where to search, and the match. `searches` counts those of one piece of work: the more there
// were, the fewer steps each may take.
typedef struct PatternSearch {
    long *searches;
    const char *text;
    size_t length, from, begin, end;
} PatternSearch;

typedef enum PatternFound { PATTERN_FOUND, PATTERN_NOT_FOUND, PATTERN_FAILED } PatternFound;

// Finds the first match at or after `from` that is not empty. Fails, and sets err, if it takes too many steps.
PatternFound pattern_find(const Pattern *pattern, PatternSearch *search, Error *err);

// --- parts of a tokenizer

typedef struct TokenizerNormal TokenizerNormal;
struct TokenizerNormal {
    bool (*run)(const TokenizerNormal *it, const char *text, size_t length, TokenizerText *out);
    bool (*each)(const TokenizerNormal *it, uint32_t character, TokenizerText *out);
    const Pattern *pattern; // what to replace
    const char *content;    // by what; what to prepend
    bool clean, chinese;    // BertNormalizer
    bool left, right;       // Strip
    CharacterForm form;
    const uint32_t *trie; // Precompiled
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
    const Pattern *pattern; // finds separators; NULL: no cut
    TokenizerBehaviour behaviour;
    bool invert;
    const char *mark;          // Metaspace: for a blank
    bool prefix, prefix_first; // prepend a blank; only at the text's start
};

typedef struct TokenizerAdded {
    const char *text; // as searched
    size_t length;
    int64_t id;
    bool single_word, left, right, normalized;
    size_t next; // next shorter token with the same first byte; SIZE_MAX: none
} TokenizerAdded;

// An element of the template: ids, or a text.
typedef struct TokenizerSlot {
    const int64_t *ids; // NULL: the first or second text
    size_t count;
    bool is_second;
    int64_t type;
} TokenizerSlot;

typedef struct TokenizerTemplate {
    const TokenizerSlot *slots;
    size_t count;
} TokenizerTemplate;

typedef struct TokenizerWord {
    const char *text; // as in the file: "##ing", "\u0120the"
    int64_t id;
} TokenizerWord;

// Two tokens that merge into one; lower ranks first.
typedef struct TokenizerMerge {
    int64_t left, right, made, rank; // rank -1: an empty entry
} TokenizerMerge;

enum { TOKENIZER_STEPS_MAX = 32 };

struct Tokenizer {
    const char *name; // of its file, for messages
    TokenSpelling spelling;

    const TokenizerWord *words; // word_count of them
    size_t word_count;
    const uint32_t *places;     // hash table of their indices plus one; 0: empty
    size_t place_mask, longest; // longest: bytes of a word
    int64_t id_count;

    TokenizerAdded *added;
    size_t added_count;
    size_t added_by_byte[2][256]; // [normalized]; SIZE_MAX: none

    TokenizerNormal normals[TOKENIZER_STEPS_MAX];
    TokenizerCut cuts[TOKENIZER_STEPS_MAX];
    size_t normal_count, cut_count;
    int bert_lowers; // BertNormalizer makes letters small; -1: there is none

    // Splits one cut into ids.
    bool (*model)(const Tokenizer *tokenizer, const char *text, size_t length, TokenizerWork *work);
    int64_t unknown;        // -1: none
    const char *prefix;     // of pieces inside a word: "##"
    const char *suffix;     // of a word's last piece: "</w>"
    bool byte_fallback;     // unknown characters become <0xEC> ...
    bool fuse_unknown;      // consecutive ones become one
    bool whole_first;       // a cut that is a token is not split
    TokenizerMerge *merges; // a hash table
    size_t merge_mask;
    size_t characters_max; // per word
    const double *scores;  // per word
    double least_score;

    TokenizerTemplate alone, with_pair;
    bool is_framed;     // a file gave these templates
    size_t most_tokens; // 0: no limit
};

// Indexes the words. Rejects duplicates, unless the last one wins.
bool tokenizer_index(Tokenizer *tokenizer, const TokenizerWord *words, size_t count,
                     bool may_repeat, Arena *arena, Error *err);

// The id of a word; -1: not in the vocabulary.
int64_t tokenizer_find(const Tokenizer *tokenizer, const char *text, size_t length);

// The same for a text whose hash is known. Hashes a text piece by piece, from TOKENIZER_HASH on.
#define TOKENIZER_HASH UINT64_C(0xcbf29ce484222325)
uint64_t tokenizer_hash(uint64_t hash, const char *text, size_t length);
int64_t tokenizer_find_hashed(const Tokenizer *tokenizer, uint64_t hash, const char *text,
                              size_t length);

// The token "<0xNN>" of a byte.
int64_t tokenizer_find_byte(const Tokenizer *tokenizer, unsigned char byte);

bool tokenizer_add(TokenizerWork *work, int64_t id);

// Adds special tokens, except those with a negative id.
typedef enum TokenizerFrame {
    TOKENIZER_PLAIN,   // A B, types 0 and 1
    TOKENIZER_BERT,    // [CLS] A [SEP] B [SEP], types 0 and 1
    TOKENIZER_ROBERTA, // <s> A </s> </s> B </s>, type 0
} TokenizerFrame;
bool tokenizer_frame(Tokenizer *tokenizer, TokenizerFrame frame, int64_t first, int64_t last,
                     Arena *arena, Error *err);

// Allocates a tokenizer with room for added tokens, and adds one. NULL and err without memory.
Tokenizer *tokenizer_new(const char *name, size_t added_room, Arena *arena, Error *err);
void tokenizer_add_token(Tokenizer *tokenizer, TokenizerAdded token);

// Runs the normalizers. Results live in the arena. Returns false and sets err on failure.
bool tokenizer_normalize(const Tokenizer *tokenizer, const char *text, size_t length,
                         TokenizerText *out);

// --- reading tokenizer.json

// The state of the reader, and its position in the file ("normalizer").
typedef struct TokenizerReader {
    Tokenizer *tokenizer;
    const char *where;
    int depth;
    Arena *arena;
    Error *err;
} TokenizerReader;

// Set err and return false: the file uses an unsupported feature; the file is malformed.
bool tokenizer_refuse(const TokenizerReader *reader, const char *key, json_t *value);
bool tokenizer_misread(const TokenizerReader *reader, const char *key);

// True if the object has no keys except "type" and these (NULL-terminated).
bool tokenizer_only(const TokenizerReader *reader, json_t *part, const char *const keys[]);

// A boolean; `flag` keeps its value if the key is missing or null.
bool tokenizer_flag(const TokenizerReader *reader, json_t *part, const char *key, bool *flag);

// A string, in the arena. NULL with a message, or without one if it is missing and may be.
const char *tokenizer_string(const TokenizerReader *reader, json_t *part, const char *key,
                             bool may_miss);

// {"String": "..."} or {"Regex": "..."}. NULL and err if it is neither.
const Pattern *tokenizer_pattern(const TokenizerReader *reader, json_t *part);

// A kind of part: its "type", and the other keys that it may have.
typedef struct TokenizerKind {
    const char *name, *keys[6];
} TokenizerKind;

bool tokenizer_is_kind(json_t *part, const char *name);

// Reads each part of the list under this key.
bool tokenizer_read_sequence(TokenizerReader *reader, json_t *json, const char *key,
                             bool (*read)(TokenizerReader *reader, json_t *part));

// Read their parts; `json` may be null.
bool tokenizer_read_normals(TokenizerReader *reader, json_t *json);
bool tokenizer_read_cuts(TokenizerReader *reader, json_t *json);
bool tokenizer_read_byte_pairs(TokenizerReader *reader, json_t *json);
bool tokenizer_read_wordpiece(TokenizerReader *reader, json_t *json);
bool tokenizer_read_unigram(TokenizerReader *reader, json_t *json);
bool tokenizer_read_words(TokenizerReader *reader, json_t *json);

// The words of {"token": id, ...}, or with scores of [["token", score], ...].
bool tokenizer_read_vocabulary(TokenizerReader *reader, json_t *json);

// The cut of "ByteLevel".
bool tokenizer_byte_cut(const TokenizerCut *it, TokenizerSpan span, TokenizerSpans *out);

#endif
