// tokenizer_wordpiece: vocab.txt, one token a line, the first one 0; as bert-base-uncased is split
// (Devlin et al. 2019; Wu et al. 2016). A text becomes words, and each word the longest pieces that
// the vocabulary has, from the left; pieces after the first begin with ##. A word that cannot be made
// so is [UNK], and one of more than 100 characters too.
//
// Done as BERT's own tokenizer does it: control characters go, white space parts words, Chinese
// characters and punctuation are words of their own, letters become small and lose their accents
// (so that Korean syllables come apart into their letters). Not done: the Greek sigma at a word's end
// becomes the one inside it.
#include "tokenizer.h"

#include <stdlib.h>
#include <string.h>
#include "character.h"
#include "utf8.h"
#include "scenarios_words.h"

enum { WORD_CHARACTERS_MAX = 100 };

// --- characters

static bool is_blank(uint32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || character_kind(c) == CHARACTER_SEPARATOR;
}

static bool is_dropped(uint32_t c)
{
    return c == 0xfffd || character_kind(c) == CHARACTER_CONTROL;
}

// Characters that Unicode calls CJK ideographs; Korean and Japanese letters are not among them.
static bool is_chinese(uint32_t c)
{
    static const uint32_t ranges[][2] = {{0x4e00, 0x9fff},   {0x3400, 0x4dbf},   {0x20000, 0x2a6df},
                                         {0x2a700, 0x2b73f}, {0x2b740, 0x2b81f}, {0x2b820, 0x2ceaf},
                                         {0xf900, 0xfaff},   {0x2f800, 0x2fa1f}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    return false;
}

// As a reader of a keyboard sees it: $, +, ^ too.
static bool is_punctuation(uint32_t c)
{
    return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
           (c >= 123 && c <= 126) || character_kind(c) == CHARACTER_PUNCTUATION;
}

// --- a word

typedef struct Word {
    char *bytes; // its room is that of the text
    size_t length;
    size_t starts[WORD_CHARACTERS_MAX + 1]; // of its characters, and where the last one ends
    size_t characters;                      // one more than fit: it is too long
} Word;

static void put(Word *word, uint32_t c)
{
    if (word->characters > WORD_CHARACTERS_MAX)
        return;
    if (word->characters < WORD_CHARACTERS_MAX)
        word->starts[word->characters] = word->length;
    if (++word->characters <= WORD_CHARACTERS_MAX)
        word->length += character_put(c, word->bytes + word->length);
}

// The longest piece that begins at a character; where it ends, and its id. -1: there is none.
static int64_t longest(const Tokenizer *tokenizer, const Word *word, size_t from, size_t *to)
{
    char piece[4 * WORD_CHARACTERS_MAX + 3];
    size_t lead = from > 0 ? 2 : 0;
    memcpy(piece, "##", 2);
    for (*to = word->characters; *to > from; --*to) {
        size_t length = word->starts[*to] - word->starts[from];
        memcpy(piece + lead, word->bytes + word->starts[from], length);
        piece[lead + length] = '\0';
        int64_t id = tokenizer_find(tokenizer, piece);
        if (id >= 0)
            return id;
    }
    return -1;
}

static bool end_word(const Tokenizer *tokenizer, Word *word, TokenizerIds *ids, Error *err)
{
    size_t begun = ids->count, from = 0, to = 0;
    bool is_whole = word->characters <= WORD_CHARACTERS_MAX;
    if (word->characters == 0)
        return true;
    if (is_whole)
        word->starts[word->characters] = word->length;
    while (is_whole && from < word->characters) {
        int64_t id = longest(tokenizer, word, from, &to);
        is_whole = id >= 0;
        if (is_whole && !tokenizer_add(ids, id, err))
            return false;
        from = to;
    }
    *word = (Word){.bytes = word->bytes};
    if (is_whole)
        return true;
    ids->count = begun;
    int64_t unknown = tokenizer_find(tokenizer, "[UNK]");
    return unknown >= 0 ? tokenizer_add(ids, unknown, err)
                        : error_set(err, TELL(TOKENIZER_UNKNOWN), tokenizer->name);
}

// --- a text

static bool take(const Tokenizer *tokenizer, uint32_t c, Word *word, TokenizerIds *ids, Error *err)
{
    bool stands_alone = is_punctuation(c);
    if (stands_alone && !end_word(tokenizer, word, ids, err))
        return false;
    put(word, c);
    return !stands_alone || end_word(tokenizer, word, ids, err);
}

// A character as a small letter, without its accents.
static bool take_lower(const Tokenizer *tokenizer, uint32_t c, Word *word, TokenizerIds *ids,
                       Error *err)
{
    uint32_t parts[CHARACTER_PARTS_MAX];
    size_t count = character_parts(character_lower(c), parts);
    for (size_t i = 0; i < count; i++)
        if (character_kind(parts[i]) != CHARACTER_MARK &&
            !take(tokenizer, parts[i], word, ids, err))
            return false;
    return true;
}

static bool take_any(const Tokenizer *tokenizer, uint32_t c, Word *word, TokenizerIds *ids,
                     Error *err)
{
    if (is_blank(c))
        return end_word(tokenizer, word, ids, err);
    if (is_dropped(c))
        return true;
    bool is_word = is_chinese(c);
    return (!is_word || end_word(tokenizer, word, ids, err)) &&
           (tokenizer->lower ? take_lower(tokenizer, c, word, ids, err)
                             : take(tokenizer, c, word, ids, err)) &&
           (!is_word || end_word(tokenizer, word, ids, err));
}

static bool split(const Tokenizer *tokenizer, const char *text, size_t length, TokenizerIds *ids,
                  Arena *arena, Error *err)
{
    Word word = {.bytes = arena_take(arena, 4 * WORD_CHARACTERS_MAX + 4, 1, err)};
    bool good = word.bytes != NULL;
    uint32_t c;
    for (const char *at = text; good && at < text + length;) {
        at += utf8_next(at, &c);
        good = take_any(tokenizer, c, &word, ids, err);
    }
    return good && end_word(tokenizer, &word, ids, err);
}

static const char *show(const char *text, Arena *arena, Error *err)
{
    return arena_text(arena, text, err);
}

// --- the file

// The lines of the file, each ended by a 0 in place; how many there are.
static size_t count_lines(const unsigned char *bytes, size_t length)
{
    size_t lines = 0;
    for (size_t i = 0; i < length; i++)
        lines += bytes[i] == '\n';
    return lines + (length > 0 && bytes[length - 1] != '\n');
}

static bool read_words(Tokenizer *tokenizer, const char *bytes, size_t length, Arena *arena,
                       Error *err)
{
    size_t count = count_lines((const unsigned char *)bytes, length);
    if (count > TOKENIZER_WORDS_MAX)
        return error_set(err, TELL(TOKENIZER_MANY), tokenizer->name, TOKENIZER_WORDS_MAX);
    TokenizerWord *words = arena_take(arena, count, sizeof *words, err);
    char *text = arena_take(arena, length + 1, 1, err);
    if (!words || !text)
        return false;
    memcpy(text, bytes, length);
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
    return tokenizer_sort(tokenizer, words, count, err);
}

Tokenizer *tokenizer_wordpiece(const unsigned char *vocabulary, size_t length, const char *name,
                               Arena *arena, Error *err)
{
    Tokenizer *tokenizer = arena_take(arena, 1, sizeof *tokenizer, err);
    if (!tokenizer)
        return NULL;
    *tokenizer = (Tokenizer){.name = name,
                             .lower = true,
                             .split = split,
                             .show = show,
                             .specials = {"[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"},
                             .first = "[CLS]",
                             .last = "[SEP]"};
    if (utf8_valid((const char *)vocabulary, length))
        return read_words(tokenizer, (const char *)vocabulary, length, arena, err) ? tokenizer
                                                                                   : NULL;
    error_set(err, TELL(TOKENIZER_UTF8), name);
    return NULL;
}
