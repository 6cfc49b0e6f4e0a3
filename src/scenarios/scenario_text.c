// scenario_text: a sentence typed by the person becomes the input of a scenario; see
// scenario_internal.h.
//
// Words are what stands between white space. The marks . , ! ? ; : before and after a word are
// tokens of their own, as a tokenizer of the simplest kind would have it.
#include "character.h"
#include "scenario_internal.h"
#include "utf8.h"

#include <stdio.h>
#include <string.h>
#include "scenarios_words.h"

enum { NOTE_COLUMNS = 76 };

// The words found so far, as a YAML list.
typedef struct Sentence {
    const char *text;
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
                       .file = "--text",
                       .text = text,
                       .quoted = true};
    *(sentence->last ? &sentence->last->next : &sentence->list->first) = node;
    sentence->last = node;
    sentence->list->count++;
    return true;
}

// A piece without white space: marks in front, the word, marks behind.
static bool add_piece(Sentence *sentence, const char *piece, size_t length)
{
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

// Where the scenario drew its vectors, the embedding of the words is drawn; last, if it drew none.
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
        .kind = YAML_SCALAR, .line = 1, .column = 1, .file = "--text", .text = "embedding"};
    *(last ? &last->next : &draw->first) = item;
    draw->count++;
    return true;
}

// A text for a tokenizer stays whole.
static bool put_whole(YamlNode *root, const char *text, Arena *arena, Error *err)
{
    YamlNode *node = arena_take(arena, 1, sizeof *node, err);
    char *kept = arena_text(arena, text, err);
    if (!node || !kept)
        return false;
    *node = (YamlNode){.kind = YAML_SCALAR,
                       .line = 1,
                       .column = 1,
                       .file = "--text",
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
    *list = *input = (YamlNode){.kind = YAML_LIST, .line = 1, .column = 1, .file = "--text"};
    input->kind = YAML_MAP;

    Sentence sentence = {.text = text, .list = list, .arena = arena, .err = err};
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
