// scenario_input: the section `input`: tokens, vectors, or queries, keys and values; see
// scenario_internal.h.
#include "scenario_internal.h"

#include <string.h>
#include "scenarios_words.h"

// The ways to give an input; keys of one way go together. -1: a key that any of them may have.
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
            return yaml_is_given(yaml_get(input, "pair")) // --pair has no line
                       ? error_set(err, TELL(INPUT_PAIR))
                       : yaml_key_error(yaml_get(input, "pair"), err, TELL(INPUT_PAIR));
        if (way >= 0 && found && way != way_of(found->key))
            return yaml_key_error(given, err, TELL(INPUT_BOTH), found->key, given->key);
        found = way >= 0 ? given : found;
    }
    return found || yaml_error(input, err, TELL(INPUT_MISSING));
}

// Queries, keys and values come together, and nothing is left to be projected.
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
        TensorWish wish = {input_keys[i], axes[i], DTYPE_F32, 3, true, false};
        if (!scenario_tensor_read(reading, given->node, &wish, &given->tensor, &given->from, err))
            return false;
    }
    return true;
}

// Batch (and, for keys and values, length or width) must be those of another input.
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
    bool has_tokens = yaml_get(input, "ids") || yaml_get(input, "words") ||
                      yaml_get(input, "text") || yaml_get(input, "tokenizer") ||
                      yaml_get(input, "pair");
    const YamlNode *pad_id = yaml_get(input, "pad_id");
    if (pad_id && !has_tokens)
        return yaml_key_error(pad_id, err, TELL(INPUT_PAD));
    if (has_tokens && !scenario_tokens_read(reading, input, err))
        return false;
    if (!read_tensors(reading, input, err) || !check_shapes(reading, err))
        return false;
    set_sizes(reading);
    return true;
}
