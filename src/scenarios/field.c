// field: see field.h.
#include "field.h"
#include "nearest.h"
#include "utf8.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "scenarios_words.h"

bool field_size(const YamlNode *map, const char *key, ptrdiff_t *size, Error *err)
{
    const YamlNode *node = yaml_get(map, key);
    int64_t number;
    if (!node)
        return true;
    if (!yaml_integer(node, 1, FIELD_SIZE_MAX, &number, err))
        return false;
    *size = (ptrdiff_t)number;
    return true;
}

bool field_flag(const YamlNode *map, const char *key, bool *flag, Error *err)
{
    const YamlNode *node = yaml_get(map, key);
    return !node || yaml_boolean(node, flag, err);
}

bool field_shape(const YamlNode *node, int *rank, ptrdiff_t shape[], Error *err)
{
    char text[FIELD_TEXT_MAX];
    if (node->kind != YAML_LIST)
        return yaml_error(node, err, TELL(FIELD_LENGTHS), field_text(node, text));
    if (*rank > 0 && node->count != (size_t)*rank)
        return yaml_error(node, err, TELL(FIELD_LENGTH_COUNT), *rank, node->count);
    if (node->count == 0 || node->count > TENSOR_RANK_MAX)
        return yaml_error(node, err, TELL(FIELD_LENGTHS_MOST), TENSOR_RANK_MAX, node->count);
    *rank = 0;
    for (const YamlNode *item = node->first; item; item = item->next) {
        int64_t number;
        if (!yaml_integer(item, 1, FIELD_SIZE_MAX, &number, err))
            return false;
        shape[(*rank)++] = (ptrdiff_t)number;
    }
    return true;
}

bool field_seed(const YamlNode *node, uint64_t *seed, Error *err)
{
    char found[FIELD_TEXT_MAX];
    Error ignored;
    int64_t small;
    if (yaml_integer(node, INT64_MIN, INT64_MAX, &small, &ignored)) {
        *seed = (uint64_t)small;
        return true;
    }
    const char *text = node->kind == YAML_SCALAR && !node->quoted ? node->text : "";
    bool is_whole = *text && text[strspn(text, "0123456789")] == '\0';
    errno = 0;
    *seed = is_whole ? strtoull(text, NULL, 10) : 0;
    return (is_whole && errno == 0) ||
           yaml_error(node, err, TELL(FIELD_SEED), field_text(node, found));
}

bool field_word(const YamlNode *node, const char *const allowed[], const char *also, int *which,
                Error *err)
{
    const char *word = node->kind == YAML_SCALAR ? node->text : "";
    for (*which = 0; allowed[*which]; ++*which)
        if (strcmp(word, allowed[*which]) == 0)
            return true;

    char words[256] = "", text[FIELD_TEXT_MAX];
    size_t used = 0;
    for (int i = 0; allowed[i] && used < sizeof words; i++)
        used +=
            (size_t)snprintf(words + used, sizeof words - used, "%s%s", i ? ", " : "", allowed[i]);
    const char *near = *word ? nearest_word(word, allowed) : NULL;
    return yaml_error(node, err, TELL(FIELD_ONE_OF), words, also ? TELL(FIELD_OR) : "",
                      also ? also : "", field_text(node, text), near ? TELL(FIELD_MEANT) : "",
                      near ? near : "", near ? TELL(MEANT_CLOSE) : "");
}

const char *field_text(const YamlNode *node, char text[FIELD_TEXT_MAX])
{
    char cut[FIELD_TEXT_MAX - 2];
    if (node->kind != YAML_SCALAR)
        return node->kind == YAML_LIST ? TELL(FIELD_LIST) : TELL(FIELD_MAP);
    if (*node->text == '\0')
        return "nothing";
    utf8_cut(node->text, 40, cut, sizeof cut);
    snprintf(text, FIELD_TEXT_MAX, "'%s'", cut);
    return text;
}
