// tokenizer_wordpiece: a word becomes the longest pieces that the vocabulary has, from the left; pieces
// after the first begin with ## (Wu et al. 2016). A word that cannot be made so is unknown as a whole, and
// one of more than 100 characters too. vocab.txt, one token a line, the first one 0, is BERT's (Devlin et
// al. 2019).
#include "tokenizer_parts.h"

#include <string.h>
#include "character.h"
#include "utf8.h"
#include "scenarios_words.h"

enum { WORD_CHARACTERS_MAX = 100, PIECE_BYTES_MAX = 4096 };

static size_t count_characters(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

// The longest piece that begins at a byte; where it ends, and its id. -1: there is none.
static int64_t longest(const Tokenizer *tokenizer, const char *text, size_t length, size_t from,
                       size_t *to)
{
    char piece[PIECE_BYTES_MAX];
    size_t lead = from > 0 ? strlen(tokenizer->prefix) : 0, most = sizeof piece - lead;
    memcpy(piece, tokenizer->prefix, lead);
    *to = length - from < most ? length : from + most;
    memcpy(piece + lead, text + from, *to - from);
    for (; *to > from; --*to) {
        if (*to < length && ((unsigned char)text[*to] & 0xc0) == 0x80)
            continue;
        int64_t id = tokenizer_find(tokenizer, piece, lead + *to - from);
        if (id >= 0)
            return id;
    }
    return -1;
}

bool tokenizer_wordpiece_model(const Tokenizer *tokenizer, const char *text, size_t length,
                               TokenizerWork *work)
{
    size_t begun = work->ids->count, from = 0, to = 0;
    bool is_whole = count_characters(text, length) <= tokenizer->characters_max;
    while (is_whole && from < length) {
        int64_t id = longest(tokenizer, text, length, from, &to);
        is_whole = id >= 0;
        if (is_whole && !tokenizer_add(work, id))
            return false;
        from = to;
    }
    if (is_whole)
        return true;
    work->ids->count = begun;
    return tokenizer->unknown >= 0 ? tokenizer_add(work, tokenizer->unknown)
                                   : error_set(work->err, TELL(TOKENIZER_UNKNOWN), tokenizer->name);
}

bool tokenizer_read_wordpiece(TokenizerReader *reader, json_t *json)
{
    static const char *const keys[] = {"unk_token", "continuing_subword_prefix",
                                       "max_input_chars_per_word", "vocab", NULL};
    Tokenizer *tokenizer = reader->tokenizer;
    const char *unknown = tokenizer_string(reader, json, "unk_token", false);
    json_t *most = json_object_get(json, keys[2]);
    if (!unknown)
        return false;
    tokenizer->prefix = tokenizer_string(reader, json, keys[1], false);
    if (!tokenizer->prefix || !tokenizer_only(reader, json, keys) ||
        !tokenizer_read_vocabulary(reader, json_object_get(json, "vocab")))
        return false;
    json_int_t characters = most ? json_integer_value(most) : WORD_CHARACTERS_MAX;
    if (characters < 1 || characters > PIECE_BYTES_MAX / 8 ||
        strlen(tokenizer->prefix) > PIECE_BYTES_MAX / 8)
        return tokenizer_refuse(reader, keys[2], most);
    tokenizer->characters_max = (size_t)characters;
    tokenizer->model = tokenizer_wordpiece_model;
    tokenizer->unknown = tokenizer_find(tokenizer, unknown, strlen(unknown));
    return true;
}

// --- vocab.txt

// What a vocabulary shows of the texts that it was made of.
typedef struct Look {
    size_t capitals; // tokens with a capital letter
    size_t composed; // with a letter that would come apart where accents are taken away
    size_t apart;    // with a letter of a Korean syllable that has come apart
} Look;

static void look_at(const char *token, Look *look)
{
    uint32_t c, parts[CHARACTER_PARTS_MAX];
    bool capital = false, composed = false, apart = false;
    size_t length = strlen(token);
    if (token[0] == '[' && token[length - 1] == ']')
        return;
    for (size_t used; (used = utf8_next(token, &c)) > 0; token += used) {
        capital |= character_category(c)[0] == 'L' && character_lower(c) != c;
        composed |= character_parts(c, parts) > 1;
        apart |= c >= 0x1100 && c <= 0x11ff;
    }
    look->capitals += capital;
    look->composed += composed;
    look->apart += apart;
}

// In a cased vocabulary one token of a thousand at least has a capital letter. An uncased one has no letters
// with accents, and Korean ones apart, unless accents stay.
static TokenizerCase guess_case(const Tokenizer *tokenizer)
{
    Look look = {0};
    for (size_t i = 0; i < tokenizer->word_count; i++)
        look_at(tokenizer->words[i].text, &look);
    if (look.capitals * 1000 > tokenizer->word_count)
        return TOKENIZER_CASED;
    return look.composed > look.apart ? TOKENIZER_LOWER : TOKENIZER_UNCASED;
}

static size_t count_lines(const unsigned char *bytes, size_t length)
{
    size_t lines = 0;
    for (size_t i = 0; i < length; i++)
        lines += bytes[i] == '\n';
    return lines + (length > 0 && bytes[length - 1] != '\n');
}

static bool read_words(Tokenizer *tokenizer, const TokenizerBytes *file, Arena *arena, Error *err)
{
    size_t count = count_lines(file->bytes, file->length);
    if (count > TOKENIZER_WORDS_MAX)
        return error_set(err, TELL(TOKENIZER_MANY), tokenizer->name, TOKENIZER_WORDS_MAX);
    TokenizerWord *words = arena_take(arena, count, sizeof *words, err);
    char *text = arena_take(arena, file->length + 1, 1, err);
    if (!words || !text)
        return false;
    memcpy(text, file->bytes, file->length);
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
    return tokenizer_index(tokenizer, words, count, false, arena, err);
}

static bool dress(Tokenizer *tokenizer, TokenizerCase letters, Arena *arena, Error *err)
{
    static const char *const specials[] = {"[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"};
    int64_t ids[sizeof specials / sizeof *specials];
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        ids[i] = tokenizer_find(tokenizer, specials[i], strlen(specials[i]));
        if (ids[i] >= 0)
            tokenizer_add_token(
                tokenizer,
                (TokenizerAdded){.text = specials[i], .length = strlen(specials[i]), .id = ids[i]});
    }
    if (letters == TOKENIZER_CASE_GUESSED)
        letters = guess_case(tokenizer);
    tokenizer->normals[tokenizer->normal_count++] =
        (TokenizerNormal){.run = tokenizer_bert_normal,
                          .clean = true,
                          .chinese = true,
                          .lower = letters != TOKENIZER_CASED,
                          .strip = letters == TOKENIZER_UNCASED};
    tokenizer->cuts[tokenizer->cut_count++] = (TokenizerCut){.run = tokenizer_bert_cut};
    tokenizer->unknown = ids[0];
    return tokenizer_frame(tokenizer, ids[3], ids[1], false, arena, err);
}

Tokenizer *tokenizer_wordpiece(const TokenizerBytes *vocabulary, const char *name,
                               TokenizerCase letters, Arena *arena, Error *err)
{
    enum { SPECIALS = 5 };
    Tokenizer *tokenizer = tokenizer_new(name, SPECIALS, arena, err);
    if (!tokenizer)
        return NULL;
    tokenizer->prefix = "##";
    tokenizer->characters_max = WORD_CHARACTERS_MAX;
    tokenizer->model = tokenizer_wordpiece_model;
    if (!utf8_valid((const char *)vocabulary->bytes, vocabulary->length)) {
        error_set(err, TELL(TOKENIZER_UTF8), name);
        return NULL;
    }
    return read_words(tokenizer, vocabulary, arena, err) && dress(tokenizer, letters, arena, err)
               ? tokenizer
               : NULL;
}
