// The section `input`; see scenario_internal.h.
#include <stdio.h>
#include <string.h>
#include "scenario_internal.h"
#include "scenarios_words.def"
#include "tokenizer.h"
#include "utf8.h"

// --- a model's tokenizer: `text` and `tokenizer` of the input section

enum { NOTE_COLUMNS = 76 };

static bool add_tokens(Reading *reading, const YamlNode *text, const TokenizerIds *ids, Error *err)
{
    Scenario *scenario = reading->scenario;
    Tensor tokens, lengths;
    ptrdiff_t count = (ptrdiff_t)ids->count, one = 1;
    const TensorPlan planned_tokens = {"tokens", DTYPE_I64, 1, &count};
    const TensorPlan planned_lengths = {"lengths", DTYPE_I64, 1, &one};
    const char *from = scenario_written_in(reading, text, err);
    if (!from || !scenario_tensor_take(reading, text, &planned_tokens, &tokens, err) ||
        !scenario_tensor_take(reading, text, &planned_lengths, &lengths, err))
        return false;
    memcpy(tokens.storage.i64, ids->ids, ids->count * sizeof *ids->ids);
    *lengths.storage.i64 = count;
    scenario_add(scenario, "tokens", "tokens", tokens, from);
    scenario_add(scenario, "lengths", "lengths", lengths, from);
    scenario->size[SYMBOL_B] = 1;
    scenario->size[SYMBOL_L] = scenario->size[SYMBOL_LK] = scenario->size[SYMBOL_N] = count;
    return true;
}

// Reports how many tokens there are, and which are unknown.
static bool note_tokens(Scenario *scenario, const Tokenizer *tokenizer, const TokenizerIds *ids,
                        Error *err)
{
    char note[512], cut[512];
    size_t unknown = tokenizer_unknown(tokenizer, ids);
    size_t used = (size_t)(unknown ? snprintf(note, sizeof note, TELL(TOKENIZER_NOTE_UNKNOWN),
                                              ids->count, unknown)
                                   : snprintf(note, sizeof note, TELL(TOKENIZER_NOTE), ids->count));
    for (size_t i = 0; i < ids->count && used < sizeof note; i++)
        used += (size_t)snprintf(note + used, sizeof note - used, " %s=%lld",
                                 scenario->vocabulary[ids->ids[i]], (long long)ids->ids[i]);
    utf8_cut(note, NOTE_COLUMNS, cut, sizeof cut);
    scenario->note = arena_text(&scenario->arena, cut, err);
    return scenario->note != NULL;
}

static const Tokenizer *open_beside(Reading *reading, const YamlNode *input, Error *err)
{
    const YamlNode *node = yaml_get(input, "tokenizer"), *text = yaml_get(input, "text");
    char found[FIELD_TEXT_MAX];
    if (!node || !text || node->kind != YAML_SCALAR || text->kind != YAML_SCALAR) {
        yaml_error(input, err, TELL(TOKENIZER_BOTH),
                   node && text ? field_text(node->kind == YAML_SCALAR ? text : node, found)
                                : TELL(TOKENIZER_ONE));
        return NULL;
    }
    const char *path = scenario_file_path(reading, node, err);
    const Tokenizer *tokenizer = path ? tokenizer_open(path, reading->scratch, err) : NULL;
    if (path && !tokenizer)
        yaml_place(node, err);
    return tokenizer;
}

// `text` and `tokenizer` of the patch section likewise.
static bool scenario_tokenizer_read(Reading *reading, const YamlNode *input, Error *err)
{
    Scenario *scenario = reading->scenario;
    const YamlNode *model = scenario_section(reading, "model"), *text = yaml_get(input, "text");
    const YamlNode *pair = yaml_get(input, "pair");
    char found[FIELD_TEXT_MAX];
    TokenizerIds ids;
    const Tokenizer *tokenizer = open_beside(reading, input, err);
    if (!tokenizer || !field_size(model, "vocabulary", &scenario->size[SYMBOL_V], err))
        return false;
    if (pair && pair->kind != YAML_SCALAR)
        return yaml_error(pair, err, TELL(TOKENIZER_BOTH), field_text(pair, found));
    if (scenario->size[SYMBOL_V] == 0)
        return yaml_error(model, err, TELL(VOCABULARY_MISSING));
    reading->knows_words = true;
    if (!tokenizer_ids(tokenizer, text->text, pair ? pair->text : NULL, reading->scratch, &ids,
                       err))
        return yaml_place(text, err);
    for (size_t i = 0; i < ids.count; i++)
        if (ids.ids[i] >= scenario->size[SYMBOL_V])
            return yaml_error(text, err, TELL(TOKENIZER_OTHER), yaml_get(input, "tokenizer")->text,
                              (long long)ids.ids[i], scenario->size[SYMBOL_V]);
    if (!add_tokens(reading, text, &ids, err))
        return false;
    reading->token_types = ids.types;
    scenario->vocabulary =
        tokenizer_shown(tokenizer, (size_t)scenario->size[SYMBOL_V], &scenario->arena, err);
    return scenario->vocabulary && note_tokens(scenario, tokenizer, &ids, err);
}

// --- tokens: ids, or words that get ids in order of appearance
//
// A batch is a list of sequences, each a list of tokens; a plain list is one sequence. Sequences may differ in length: the
// stage `pad` makes them equal.

// The limit keeps attention, which compares all pairs, to 10^8 scores a head, and bounds the linear search below.
enum { WORDS_MAX = 10000 };

typedef struct Batch {
    const YamlNode *list;
    ptrdiff_t sequences, tokens, longest, shortest;
} Batch;

const YamlNode *scenario_first_sequence(const YamlNode *list)
{
    return list->first && list->first->kind == YAML_LIST ? list->first : list;
}

const YamlNode *scenario_next_sequence(const YamlNode *list, const YamlNode *sequence)
{
    return sequence == list ? NULL : sequence->next;
}

static bool measure(const YamlNode *list, Batch *batch, Error *err)
{
    char text[FIELD_TEXT_MAX];
    *batch = (Batch){.list = list, .shortest = PTRDIFF_MAX};
    if (list->kind != YAML_LIST)
        return yaml_error(list, err, TELL(TOKENS_LIST), field_text(list, text));
    for (const YamlNode *sequence = scenario_first_sequence(list); sequence;
         sequence = scenario_next_sequence(list, sequence)) {
        if (sequence->kind != YAML_LIST)
            return yaml_error(sequence, err, TELL(TOKENS_SEQUENCE), field_text(sequence, text));
        ptrdiff_t length = (ptrdiff_t)sequence->count;
        batch->sequences++;
        batch->tokens += length;
        batch->longest = length > batch->longest ? length : batch->longest;
        batch->shortest = length < batch->shortest ? length : batch->shortest;
    }
    if (batch->tokens == 0)
        return yaml_error(list, err, TELL(TOKENS_NONE));
    return true;
}

// The id of one token.
typedef bool TokenId(Reading *reading, const YamlNode *token, int64_t *id, Error *err);

static bool fill(Reading *reading, const Batch *batch, TokenId *id_of, Error *err)
{
    Scenario *scenario = reading->scenario;
    Tensor tokens, lengths;
    const TensorPlan planned_tokens = {"tokens", DTYPE_I64, 1, &batch->tokens};
    const TensorPlan planned_lengths = {"lengths", DTYPE_I64, 1, &batch->sequences};
    const char *from = scenario_written_in(reading, batch->list, err);
    if (!from || !scenario_tensor_take(reading, batch->list, &planned_tokens, &tokens, err) ||
        !scenario_tensor_take(reading, batch->list, &planned_lengths, &lengths, err))
        return false;

    int64_t *id = tokens.storage.i64, *length = lengths.storage.i64;
    for (const YamlNode *sequence = scenario_first_sequence(batch->list); sequence;
         sequence = scenario_next_sequence(batch->list, sequence)) {
        *length++ = (int64_t)sequence->count;
        for (const YamlNode *token = sequence->first; token; token = token->next)
            if (!id_of(reading, token, id++, err))
                return false;
    }
    scenario_add(scenario, "tokens", "tokens", tokens, from);
    scenario_add(scenario, "lengths", "lengths", lengths, from);
    scenario->size[SYMBOL_B] = batch->sequences;
    scenario->size[SYMBOL_L] = scenario->size[SYMBOL_LK] = batch->longest;
    scenario->size[SYMBOL_N] = batch->tokens;
    return true;
}

// --- ids

static bool number_id(Reading *reading, const YamlNode *token, int64_t *id, Error *err)
{
    ptrdiff_t vocabulary = reading->scenario->size[SYMBOL_V];
    char text[FIELD_TEXT_MAX];
    Error ignored;
    if (!yaml_integer(token, INT64_MIN, INT64_MAX, id, &ignored))
        return yaml_error(token, err, TELL(TOKEN_WHOLE), field_text(token, text));
    if (*id < 0 || *id >= vocabulary)
        return yaml_error(token, err, TELL(TOKEN_OUTSIDE), (long long)*id, vocabulary,
                          vocabulary - 1);
    return true;
}

static bool read_ids(Reading *reading, const YamlNode *input, Error *err)
{
    Scenario *scenario = reading->scenario;
    const YamlNode *pad_id = yaml_get(input, "pad_id");
    const YamlNode *model = scenario_section(reading, "model");
    Batch batch;
    if (!field_size(model, "vocabulary", &scenario->size[SYMBOL_V], err))
        return false;
    if (scenario->size[SYMBOL_V] == 0)
        return yaml_error(model, err, TELL(VOCABULARY_MISSING));
    return (!pad_id || number_id(reading, pad_id, &scenario->options.pad_id, err)) &&
           measure(yaml_get(input, "ids"), &batch, err) && fill(reading, &batch, number_id, err);
}

// --- words

// vocabulary[0 .. size[V]-1] holds the words seen so far.
static bool find_or_add(Scenario *scenario, const char *word, int64_t *id, Error *err)
{
    const char **known = (const char **)scenario->vocabulary;
    ptrdiff_t *count = &scenario->size[SYMBOL_V];
    for (*id = 0; *id < *count; ++*id)
        if (strcmp(known[*id], word) == 0)
            return true;
    known[*count] = arena_text(&scenario->arena, word, err);
    return known[(*count)++] != NULL;
}

// Lists the words that weights were trained on, shortened to fit a message.
static bool refuse_word(const Scenario *scenario, const YamlNode *token, Error *err)
{
    enum { LISTED_BYTES = 700 };
    char list[LISTED_BYTES] = "";
    size_t used = 0;
    for (ptrdiff_t id = 0; id < scenario->size[SYMBOL_V] && used < sizeof list; id++)
        used += (size_t)snprintf(list + used, sizeof list - used, " %s", scenario->vocabulary[id]);
    return yaml_error(token, err, TELL(WORD_UNKNOWN), token->text, scenario->size[SYMBOL_V], list,
                      used < sizeof list ? "" : " ...");
}

bool scenario_known_word(const Scenario *scenario, const YamlNode *token, int64_t *id, Error *err)
{
    for (*id = 0; *id < scenario->size[SYMBOL_V]; ++*id)
        if (strcmp(scenario->vocabulary[*id], token->text) == 0)
            return true;
    return refuse_word(scenario, token, err);
}

bool scenario_known_token(Reading *reading, const YamlNode *token, int64_t *id, Error *err)
{
    char text[FIELD_TEXT_MAX];
    if (!reading->scenario->vocabulary)
        return number_id(reading, token, id, err);
    if (token->kind != YAML_SCALAR || *token->text == '\0')
        return yaml_error(token, err, TELL(WORD_EXPECTED), field_text(token, text));
    return scenario_known_word(reading->scenario, token, id, err);
}

static bool word_id(Reading *reading, const YamlNode *token, int64_t *id, Error *err)
{
    char text[FIELD_TEXT_MAX];
    if (reading->knows_words)
        return scenario_known_token(reading, token, id, err);
    if (token->kind != YAML_SCALAR || *token->text == '\0')
        return yaml_error(token, err, TELL(WORD_EXPECTED), field_text(token, text));
    return find_or_add(reading->scenario, token->text, id, err);
}

// Gives the words of model.vocabulary_words ids in this order.
static bool read_known_words(Reading *reading, const YamlNode *list, Error *err)
{
    Scenario *scenario = reading->scenario;
    char text[FIELD_TEXT_MAX];
    if (list->kind != YAML_LIST || list->count == 0 || list->count > WORDS_MAX)
        return yaml_error(list, err, TELL(WORDS_LIST), WORDS_MAX);
    const char **known = arena_take(&scenario->arena, (size_t)list->count, sizeof *known, err);
    scenario->vocabulary = known;
    for (const YamlNode *word = list->first; known && word; word = word->next) {
        if (word->kind != YAML_SCALAR || *word->text == '\0')
            return yaml_error(word, err, TELL(WORD_EXPECTED), field_text(word, text));
        *known = arena_text(&scenario->arena, word->text, err);
        if (!*known++)
            return false;
    }
    scenario->size[SYMBOL_V] = known ? (ptrdiff_t)list->count : 0;
    return reading->knows_words = known != NULL;
}

static bool check_word_keys(Reading *reading, const YamlNode *input, Error *err)
{
    const YamlNode *pad_id = yaml_get(input, "pad_id");
    const YamlNode *model = scenario_section(reading, "model");
    ptrdiff_t made = reading->scenario->size[SYMBOL_V], said = made;
    if (pad_id)
        return yaml_key_error(pad_id, err, TELL(WORDS_PAD));
    if (!field_size(model, "vocabulary", &said, err))
        return false;
    if (said != made)
        return yaml_error(yaml_get(model, "vocabulary"), err, TELL(WORDS_VOCABULARY), said, made);
    return true;
}

static bool read_words(Reading *reading, const YamlNode *input, Error *err)
{
    Scenario *scenario = reading->scenario;
    Batch batch;
    if (!measure(yaml_get(input, "words"), &batch, err))
        return false;
    if (batch.tokens > WORDS_MAX)
        return yaml_error(batch.list, err, TELL(WORDS_MANY), batch.tokens, WORDS_MAX);
    const YamlNode *known = yaml_get(scenario_section(reading, "model"), "vocabulary_words");
    if (known) // fills up short sequences
        return read_known_words(reading, known, err) && fill(reading, &batch, word_id, err) &&
               check_word_keys(reading, input, err);
    scenario->vocabulary =
        arena_take(&scenario->arena, (size_t)batch.tokens + 1, sizeof(const char *), err);
    if (!scenario->vocabulary || !fill(reading, &batch, word_id, err))
        return false;
    if (batch.shortest < batch.longest &&
        !find_or_add(scenario, "<pad>", &scenario->options.pad_id, err))
        return false;
    return check_word_keys(reading, input, err);
}

// --- a typed sentence
//
// Splits at white space; the marks . , ! ? ; : around a word are tokens. A non-ASCII word is split into the model's words,
// longest first: 정국은 into 정국 and 은.

// The words found so far, as a YAML list.
typedef struct Sentence {
    const char *text;
    const YamlNode *known; // the model's words; NULL: any
    YamlNode *list, *last;
    Arena *arena;
    Error *err;
} Sentence;

static bool is_mark(char byte)
{
    return byte != '\0' && strchr(".,!?;:", byte) != NULL;
}

static bool add_word(Sentence *sentence, const char *word, size_t length)
{
    int column = 1;
    uint32_t character;
    for (const char *before = sentence->text; before < word; column++)
        before += utf8_next(before, &character);

    YamlNode *node = arena_take(sentence->arena, 1, sizeof *node, sentence->err);
    char *text = arena_format(sentence->arena, sentence->err, "%.*s", (int)length, word);
    if (!node || !text)
        return false;
    *node = (YamlNode){.kind = YAML_SCALAR,
                       .line = 1,
                       .column = column,
                       .file = "text",
                       .text = text,
                       .quoted = true};
    *(sentence->last ? &sentence->last->next : &sentence->list->first) = node;
    sentence->last = node;
    sentence->list->count++;
    return true;
}

// The length of the longest known word at the start of the piece; 0: none.
static size_t known_at(const Sentence *sentence, const char *piece, size_t length)
{
    size_t longest = 0;
    const YamlNode *word = sentence->known ? sentence->known->first : NULL;
    for (; word; word = word->next) {
        size_t bytes = word->kind == YAML_SCALAR ? strlen(word->text) : 0;
        if (bytes > longest && bytes <= length && memcmp(word->text, piece, bytes) == 0)
            longest = bytes;
    }
    return longest;
}

static bool is_of_known(const Sentence *sentence, const char *piece, size_t length)
{
    bool is_ascii = true;
    size_t bytes = 1;
    for (size_t i = 0; i < length; i++)
        is_ascii = is_ascii && (unsigned char)piece[i] < 0x80;
    for (size_t at = 0; !is_ascii && bytes > 0 && at < length; at += bytes)
        bytes = known_at(sentence, piece + at, length - at);
    return !is_ascii && bytes > 0;
}

static bool add_known(Sentence *sentence, const char *piece, size_t length)
{
    for (size_t at = 0, bytes; at < length; at += bytes) {
        bytes = known_at(sentence, piece + at, length - at);
        if (!add_word(sentence, piece + at, bytes))
            return false;
    }
    return true;
}

// Splits a piece into the model's words, or into leading marks, a word, and trailing marks.
static bool add_piece(Sentence *sentence, const char *piece, size_t length)
{
    if (is_of_known(sentence, piece, length))
        return add_known(sentence, piece, length);
    while (length > 0 && is_mark(*piece)) {
        if (!add_word(sentence, piece, 1))
            return false;
        piece++;
        length--;
    }
    size_t word = length;
    while (word > 0 && is_mark(piece[word - 1]))
        word--;
    if (word > 0 && !add_word(sentence, piece, word))
        return false;
    for (size_t i = word; i < length; i++)
        if (!add_word(sentence, piece + i, 1))
            return false;
    return true;
}

static bool split(Sentence *sentence)
{
    const char *piece = sentence->text, *end = piece;
    uint32_t character;
    size_t used;
    do {
        used = utf8_next(end, &character);
        if (used == 0 || character_is_space(character)) {
            if (!add_piece(sentence, piece, (size_t)(end - piece)))
                return false;
            piece = end + used;
        }
        end += used;
    } while (used > 0);
    return true;
}

static void drop(YamlNode *map, const char *key)
{
    YamlNode **link = &map->first;
    while (*link && strcmp((*link)->key, key) != 0)
        link = &(*link)->next;
    if (*link) {
        *link = (*link)->next;
        map->count--;
    }
}

// Draws the words' embedding in place of the scenario's vectors, or last.
static bool draw_embedding(YamlNode *root, Arena *arena, Error *err)
{
    YamlNode *weights = yaml_get(root, "weights"), *last = NULL;
    YamlNode *draw = weights ? yaml_get(weights, "draw") : NULL;
    bool has_embedding = false;
    if (!draw || draw->kind != YAML_LIST)
        return true;
    for (YamlNode *item = draw->first; item; item = item->next) {
        has_embedding |= item->kind == YAML_SCALAR && strcmp(item->text, "embedding") == 0;
        last = item;
    }
    for (YamlNode *item = draw->first; item && !has_embedding; item = item->next)
        if (item->kind == YAML_SCALAR && strcmp(item->text, "x") == 0) {
            item->text = "embedding";
            has_embedding = true;
        }
    if (has_embedding)
        return true;
    YamlNode *item = arena_take(arena, 1, sizeof *item, err);
    if (!item)
        return false;
    *item = (YamlNode){
        .kind = YAML_SCALAR, .line = 1, .column = 1, .file = "text", .text = "embedding"};
    *(last ? &last->next : &draw->first) = item;
    draw->count++;
    return true;
}

// A tokenizer gets the whole text.
static bool put_whole(YamlNode *root, const char *text, Arena *arena, Error *err)
{
    YamlNode *node = arena_take(arena, 1, sizeof *node, err);
    char *kept = arena_text(arena, text, err);
    if (!node || !kept)
        return false;
    *node = (YamlNode){.kind = YAML_SCALAR,
                       .line = 1,
                       .column = 1,
                       .file = "text",
                       .text = kept,
                       .quoted = true};
    return yaml_set(root, "input.text", node, arena, err);
}

bool scenario_text_put(YamlNode *root, const char *text, Arena *arena, Error *err)
{
    if (!utf8_valid(text, strlen(text)))
        return error_set(err, TELL(TEXT_UTF8));
    if (yaml_get(root, "input") && yaml_get(yaml_get(root, "input"), "tokenizer"))
        return put_whole(root, text, arena, err);
    YamlNode *list = arena_take(arena, 1, sizeof *list, err);
    YamlNode *input = arena_take(arena, 1, sizeof *input, err);
    if (!list || !input)
        return false;
    *list = *input = (YamlNode){.kind = YAML_LIST, .line = 1, .column = 1, .file = "text"};
    input->kind = YAML_MAP;

    const YamlNode *model = yaml_get(root, "model");
    Sentence sentence = {.text = text, .list = list, .arena = arena, .err = err};
    sentence.known = model ? yaml_get(model, "vocabulary_words") : NULL;
    if (!split(&sentence))
        return false;
    if (list->count == 0)
        return error_set(err, TELL(TEXT_EMPTY));
    if (yaml_get(root, "model"))
        drop(yaml_get(root, "model"), "vocabulary");
    return yaml_set(root, "input", input, arena, err) &&
           yaml_set(root, "input.words", list, arena, err) && draw_embedding(root, arena, err);
}

bool scenario_text_note(Scenario *scenario, Error *err)
{
    char note[512], cut[512];
    ptrdiff_t words = scenario->size[SYMBOL_N], distinct = scenario->size[SYMBOL_V];
    size_t used = (size_t)snprintf(
        note, sizeof note, words == 1 ? TELL(TEXT_WORD) : TELL(TEXT_WORDS), words, distinct);
    for (ptrdiff_t id = 0; id < distinct && used < sizeof note; id++)
        used += (size_t)snprintf(note + used, sizeof note - used, " %s=%td",
                                 scenario->vocabulary[id], id);
    utf8_cut(note, NOTE_COLUMNS, cut, sizeof cut);
    scenario->note = arena_text(&scenario->arena, cut, err);
    return scenario->note != NULL;
}

// --- the section `input`: tokens, vectors, or queries, keys and values

// The alternative inputs; keys of one alternative belong together. -1: allowed in all.
static int way_of(const char *key)
{
    static const char *const ways[][4] = {
        {"ids"}, {"words"}, {"text", "tokenizer", "pair"}, {"vectors"}, {"q", "k", "v"}};
    for (int way = 0; way < (int)(sizeof ways / sizeof *ways); way++)
        for (int i = 0; i < 4 && ways[way][i]; i++)
            if (strcmp(ways[way][i], key) == 0)
                return way;
    return -1;
}

static bool check_sources(const YamlNode *input, Error *err)
{
    const YamlNode *found = NULL;
    for (const YamlNode *given = input->first; given; given = given->next) {
        int way = way_of(given->key);
        if (way >= 0 && found && way != way_of(found->key) && yaml_get(input, "pair") &&
            !yaml_get(input, "tokenizer"))
            return yaml_is_given(yaml_get(input, "pair")) // options have no position
                       ? error_set(err, TELL(INPUT_PAIR))
                       : yaml_key_error(yaml_get(input, "pair"), err, TELL(INPUT_PAIR));
        if (way >= 0 && found && way != way_of(found->key))
            return yaml_key_error(given, err, TELL(INPUT_BOTH), found->key, given->key);
        found = way >= 0 ? given : found;
    }
    return found || yaml_error(input, err, TELL(INPUT_MISSING));
}

// Queries, keys and values come together, and are not projected.
static bool check_projected(const YamlNode *input, Error *err)
{
    const YamlNode *queries = yaml_get(input, "query_vectors"), *given = NULL;
    for (InputNumber i = INPUT_Q; i <= INPUT_V; i++)
        given = yaml_get(input, input_keys[i]) ? yaml_get(input, input_keys[i]) : given;
    if (!given)
        return true;
    for (InputNumber i = INPUT_Q; i <= INPUT_V; i++)
        if (!yaml_get(input, input_keys[i]))
            return yaml_key_error(given, err, TELL(INPUT_ALONE), given->key, input_keys[i]);
    return !queries || yaml_key_error(queries, err, TELL(INPUT_QUERIES));
}

static bool read_tensors(Reading *reading, const YamlNode *input, Error *err)
{
    static const char *const axes[INPUT_COUNT] = {
        [INPUT_X] = "(B, L, D)",      [INPUT_X_QUERY] = "(B, Lq, D)", [INPUT_Q] = "(B, Lq, H*d_k)",
        [INPUT_K] = "(B, Lk, H*d_k)", [INPUT_V] = "(B, Lk, H*d_v)",
    };
    for (InputNumber i = 0; i < INPUT_COUNT; i++) {
        Input *given = &reading->inputs[i];
        given->node = yaml_get(input, input_keys[i]);
        if (!given->node)
            continue;
        TensorRule rule = {input_keys[i], axes[i], DTYPE_F32, 3, true, false};
        if (!scenario_tensor_read(reading, given->node, &rule, &given->tensor, &given->from, err))
            return false;
    }
    return true;
}

// The batch (for keys and values also length or width) must match another input's.
static bool check_same(const Reading *reading, InputNumber number, InputNumber other, int axis,
                       const char *what, Error *err)
{
    const Input *input = &reading->inputs[number], *with = &reading->inputs[other];
    char have[TENSOR_TEXT_MAX], want[TENSOR_TEXT_MAX];
    if (input->tensor.shape[axis] == with->tensor.shape[axis])
        return true;
    return yaml_error(input->node, err, TELL(INPUT_EQUAL), input_keys[number],
                      tensor_shape_text(3, input->tensor.shape, have), input_keys[other],
                      tensor_shape_text(3, with->tensor.shape, want), what);
}

static bool check_shapes(const Reading *reading, Error *err)
{
    const Input *x = &reading->inputs[INPUT_X], *x_query = &reading->inputs[INPUT_X_QUERY];
    ptrdiff_t batch = reading->scenario->size[SYMBOL_B];
    char text[TENSOR_TEXT_MAX];
    if (reading->inputs[INPUT_Q].node)
        return check_same(reading, INPUT_K, INPUT_Q, 0, TELL(THE_BATCH), err) &&
               check_same(reading, INPUT_K, INPUT_Q, 2, TELL(INPUT_WIDTH), err) &&
               check_same(reading, INPUT_V, INPUT_K, 0, TELL(THE_BATCH), err) &&
               check_same(reading, INPUT_V, INPUT_K, 1, TELL(INPUT_TOKENS), err);
    if (!x_query->node)
        return true;
    bool widths_differ = yaml_get(scenario_section(reading, "model"), "kdim") != NULL;
    if (x->node)
        return check_same(reading, INPUT_X_QUERY, INPUT_X, 0, TELL(THE_BATCH), err) &&
               (widths_differ ||
                check_same(reading, INPUT_X_QUERY, INPUT_X, 2, TELL(INPUT_WIDTH), err));
    if (x_query->tensor.shape[0] != batch)
        return yaml_error(x_query->node, err, TELL(INPUT_BATCH),
                          tensor_shape_text(3, x_query->tensor.shape, text), batch);
    return true;
}

static void set_sizes(Reading *reading)
{
    ptrdiff_t *size = reading->scenario->size;
    const Input *keys = &reading->inputs[INPUT_X], *queries = &reading->inputs[INPUT_X_QUERY];
    if (reading->inputs[INPUT_Q].node) {
        keys = &reading->inputs[INPUT_K];
        queries = &reading->inputs[INPUT_Q];
    }
    if (keys->node) {
        size[SYMBOL_B] = keys->tensor.shape[0];
        size[SYMBOL_LK] = keys->tensor.shape[1];
    }
    size[SYMBOL_LQ] = queries->node ? queries->tensor.shape[1] : size[SYMBOL_LK];
    if (size[SYMBOL_LQ] == size[SYMBOL_LK])
        size[SYMBOL_L] = size[SYMBOL_LK];
}

bool scenario_input_read(Reading *reading, Error *err)
{
    static const char *const keys[] = {
        "ids",           "words", "text", "tokenizer", "pair",    "pad_id", "vectors",
        "query_vectors", "q",     "k",    "v",         "targets", NULL};
    const YamlNode *input = scenario_section(reading, "input");
    if (!yaml_only(input, keys, err) || !check_sources(input, err) || !check_projected(input, err))
        return false;
    bool has_text =
        yaml_get(input, "text") || yaml_get(input, "tokenizer") || yaml_get(input, "pair");
    bool has_ids = yaml_get(input, "ids") != NULL;
    bool has_tokens = has_text || has_ids || yaml_get(input, "words");
    const YamlNode *pad_id = yaml_get(input, "pad_id");
    if (pad_id && !has_tokens)
        return yaml_key_error(pad_id, err, TELL(INPUT_PAD));
    if (has_text  ? !scenario_tokenizer_read(reading, input, err)
        : has_ids ? !read_ids(reading, input, err)
                  : has_tokens && !read_words(reading, input, err))
        return false;
    if (!read_tensors(reading, input, err) || !check_shapes(reading, err))
        return false;
    set_sizes(reading);
    return true;
}
