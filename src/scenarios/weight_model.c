// weight_model: see weight_model.h.
#include "weight_model.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// --- models

static const WeightModel models[] = {
#define WEIGHT_MODEL(type, layout, mask, traits, alone) \
    {type, #layout, WEIGHT_MASK_##mask, traits, alone},
#include "weight_models.def"
#undef WEIGHT_MODEL
};

const WeightModel *weight_model_get(int number)
{
    return number < (int)(sizeof models / sizeof *models) ? &models[number] : NULL;
}

const WeightModel *weight_model_find(const char *type)
{
    const WeightModel *model;
    for (int i = 0; (model = weight_model_get(i)) != NULL; i++)
        if (strcmp(model->type, type) == 0)
            return model;
    for (int i = 0; (model = weight_model_get(i)) != NULL; i++)
        if (strcmp(model->layout, type) == 0)
            return model;
    return NULL;
}

const WeightModel *weight_model_by_names(const WeightLayer *layer)
{
    const WeightModel *model;
    for (int i = 0; (model = weight_model_get(i)) != NULL; i++) {
        const WeightLayout *layout = weight_layout_find(model->layout);
        if (*model->alone && weight_layout_alike(layout, layer->layout) &&
            weight_pattern_fits(model->alone, layer->prefix))
            return model;
    }
    return weight_model_find(layer->layout->name);
}

// Whether one of the words in `list`, which blanks are between, is that one.
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

bool weight_model_has(const WeightModel *model, const char *trait)
{
    return has_word(model->traits, trait);
}

bool weight_pattern_fits(const char *pattern, const char *text)
{
    for (; *pattern; pattern++) {
        if (*pattern == '*') {
            while (*text && !weight_pattern_fits(pattern + 1, text))
                text++;
            return weight_pattern_fits(pattern + 1, text);
        }
        if (*pattern == '#' ? !isdigit((unsigned char)*text) : *pattern != *text)
            return false;
        text++;
        while (*pattern == '#' && isdigit((unsigned char)*text))
            text++;
    }
    return *text == '\0';
}

// --- fields of config.json

enum { ALONE, WHOLE };

#define ANY "*"
#define NONE ""

static const struct {
    const char *names, *trait, *neutral;
    int scope;
} fields[] = {
#define WEIGHT_FIELD(FIELD, names, trait, neutral, scope) {names, trait, neutral, scope},
#define FREE_FIELD(pattern)
#define ODD_WORD(text)
#include "weight_fields.def"
#undef WEIGHT_FIELD
#undef FREE_FIELD
#undef ODD_WORD
};

static const char *const free_patterns[] = {
#define WEIGHT_FIELD(FIELD, names, trait, neutral, scope)
#define FREE_FIELD(pattern) pattern,
#define ODD_WORD(text)
#include "weight_fields.def"
#undef FREE_FIELD
#undef ODD_WORD
};

static const char *const odd_words[] = {
#define FREE_FIELD(pattern)
#define ODD_WORD(text) text,
#include "weight_fields.def"
#undef WEIGHT_FIELD
#undef FREE_FIELD
#undef ODD_WORD
};

#define LENGTH(list) ((int)(sizeof(list) / sizeof *(list)))

const JsonValue *weight_field_value(WeightField field, const JsonValue *config)
{
    const char *at = fields[field].names;
    const JsonValue *value = NULL;
    for (char name[64]; !value && *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        value = json_value(config, name);
        at += length;
    }
    return value;
}

bool weight_field_changes(const WeightModel *model, const char *name, const char *shown, bool whole)
{
    static const char empty[] = "null false 0 0.0 [] {} \"\"";
    for (int i = 0; i < FIELD_COUNT; i++)
        if (has_word(fields[i].names, name)) {
            bool heeded = strcmp(fields[i].trait, ANY) == 0 ||
                          (*fields[i].trait && weight_model_has(model, fields[i].trait));
            return !heeded && (whole || fields[i].scope == ALONE) && strcmp(shown, "null") != 0 &&
                   !has_word(fields[i].neutral, shown);
        }
    for (int i = 0; i < LENGTH(free_patterns); i++)
        if (weight_pattern_fits(free_patterns[i], name))
            return false;
    for (int i = 0; i < LENGTH(odd_words); i++)
        if (strstr(name, odd_words[i]))
            return !has_word(empty, shown);
    return false;
}

// --- tensors beside the weights

enum { ANY_SHAPE, SQUARE, TURNS, BIASES };

static const struct {
    const char *end;
    int kind;
} spares[] = {
#define SPARE_TENSOR(end, kind) {end, kind},
#include "weight_spare.def"
#undef SPARE_TENSOR
};

static bool is_square(const Tensor *tensor)
{
    return tensor->rank >= 2 && tensor->shape[tensor->rank - 2] == tensor->shape[tensor->rank - 1];
}

bool weight_is_spare(const WeightModel *model, const char *name, const Tensor *tensor)
{
    bool turns = weight_model_has(model, "rotary") || weight_model_has(model, "neighbours");
    for (int i = 0; i < LENGTH(spares); i++)
        if (weight_layout_before(name, spares[i].end) >= 0)
            return spares[i].kind == SQUARE   ? is_square(tensor)
                   : spares[i].kind == BIASES ? weight_model_has(model, "buckets")
                                              : spares[i].kind == ANY_SHAPE || turns;
    return false;
}
