// The sections `model` and `patch`; see scenario_internal.h.
#include "scenario_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios_words.def"
#include "shown_name.h"
#include "trace.h"

static bool is_scalar(const YamlNode *node, const char *text)
{
    return node->kind == YAML_SCALAR && !node->quoted && strcmp(node->text, text) == 0;
}

// --- model.asked: for each head, the rows that its job applies to

// Marks the words of the list as `asked`, and no others.
static bool mark_words(const Scenario *scenario, const YamlNode *list, bool asked, bool of_word[],
                       Error *err)
{
    for (ptrdiff_t id = 0; id < scenario->size[SYMBOL_V]; id++)
        of_word[id] = !asked;
    for (const YamlNode *word = list->first; word; word = word->next) {
        int64_t id;
        if (word->kind != YAML_SCALAR)
            return yaml_error(word, err, TELL(ASKED_ENTRY));
        if (!scenario_known_word(scenario, word, &id, err))
            return false;
        of_word[id] = asked;
    }
    return true;
}

static bool read_entry(Scenario *scenario, const YamlNode *node, ScenarioAsked *asked, Error *err)
{
    static const char *const keys[] = {"words", "but", "first", NULL};
    if (node->kind != YAML_MAP)
        return yaml_error(node, err, TELL(ASKED_ENTRY));
    const YamlNode *words = yaml_get(node, "words"), *but = yaml_get(node, "but");
    const YamlNode *list = words ? words : but;
    if (!yaml_only(node, keys, err))
        return false;
    if (!list || (words && but) || list->kind != YAML_LIST)
        return yaml_error(node, err, TELL(ASKED_ENTRY));
    bool *of_word =
        arena_take(&scenario->arena, (size_t)scenario->size[SYMBOL_V], sizeof *of_word, err);
    *asked = (ScenarioAsked){.of_word = of_word, .at_first = true};
    return of_word && mark_words(scenario, list, words != NULL, of_word, err) &&
           field_flag(node, "first", &asked->at_first, err);
}

// Reads model.asked, after heads and words are known.
static bool scenario_asked_read(Reading *reading, const YamlNode *model, Error *err)
{
    Scenario *scenario = reading->scenario;
    const YamlNode *node = yaml_get(model, "asked");
    ptrdiff_t heads = scenario->options.heads;
    if (!node || (node->kind == YAML_SCALAR && strcmp(node->text, "none") == 0))
        return true;
    if (!reading->knows_words)
        return yaml_key_error(node, err, TELL(ASKED_WORDS));
    if (node->kind != YAML_LIST || (ptrdiff_t)node->count != heads)
        return yaml_error(node, err, TELL(ASKED_HEADS), heads);
    ScenarioAsked *asked = arena_take(&scenario->arena, (size_t)heads, sizeof *asked, err);
    scenario->asked = asked;
    for (const YamlNode *entry = node->first; asked && entry; entry = entry->next)
        if (!read_entry(scenario, entry, asked++, err))
            return false;
    return asked != NULL;
}

// --- input.targets: for each question, the right answer at every token

enum { NOT_ASKED = -1 }; // as in F.cross_entropy(..., ignore_index=-1)

static bool read_sequence(Reading *reading, const YamlNode *sequence, ptrdiff_t tokens,
                          int64_t targets[], Error *err)
{
    if (sequence->kind != YAML_LIST)
        return yaml_error(sequence, err, TELL(TARGETS_FORM));
    if ((ptrdiff_t)sequence->count != tokens)
        return yaml_error(sequence, err, TELL(TARGETS_LENGTH), tokens, sequence->count);
    for (const YamlNode *answer = sequence->first; answer; answer = answer->next, targets++)
        if (!is_scalar(answer, "~") && !scenario_known_token(reading, answer, targets, err))
            return false;
    return true;
}

// Reads the answers to question `q`, a list per sequence; positions past its end are not asked.
static bool read_answers(Reading *reading, const YamlNode *node, ptrdiff_t q, Tensor *targets,
                         Error *err)
{
    const ScenarioTensor *lengths = scenario_tensor(reading->scenario, "lengths");
    bool is_even = reading->inputs[INPUT_X_QUERY].node || !lengths; // vectors have one length
    ptrdiff_t batch = targets->shape[0], b = 0;
    if (node->kind != YAML_LIST)
        return yaml_error(node, err, TELL(TARGETS_FORM));
    for (const YamlNode *sequence = scenario_first_sequence(node); sequence && b < batch; b++) {
        int64_t length = is_even ? targets->shape[2] : lengths->tensor.storage.i64[b];
        if (!read_sequence(reading, sequence, length, tensor_id3(targets, b, q, 0), err))
            return false;
        sequence = scenario_next_sequence(node, sequence);
        if (b + 1 == batch && sequence)
            return yaml_error(node, err, TELL(TARGETS_SEQUENCES), batch, node->count);
    }
    return b == batch || yaml_error(node, err, TELL(TARGETS_SEQUENCES), batch, (size_t)b);
}

static bool read_questions(Reading *reading, const YamlNode *node, Tensor *targets, Error *err)
{
    const char *const *questions = reading->scenario->questions;
    bool asks = false;
    for (ptrdiff_t i = 0; i < tensor_count(targets); i++)
        targets->storage.i64[i] = NOT_ASKED;
    for (ptrdiff_t q = 0; q < targets->shape[1]; q++) {
        const YamlNode *answers = yaml_get(node, questions[q]);
        if (answers && !read_answers(reading, answers, q, targets, err))
            return false;
    }
    for (ptrdiff_t i = 0; i < tensor_count(targets); i++)
        asks = asks || targets->storage.i64[i] != NOT_ASKED;
    return asks || yaml_error(node, err, TELL(TARGETS_NOTHING));
}

static bool is_given(const YamlNode *map, const char *key)
{
    const YamlNode *node = yaml_get(map, key);
    return node && yaml_is_given(node);
}

// A file's answers apply only to its own words and questions.
static bool are_of_others(const Reading *reading, const YamlNode *input, const YamlNode *targets)
{
    return !yaml_is_given(targets) &&
           (is_given(input, "ids") || is_given(input, "words") || is_given(input, "text") ||
            is_given(scenario_section(reading, "model"), "questions"));
}

// Reads input.targets, after questions and words are known.
static bool scenario_targets_read(Reading *reading, Error *err)
{
    Scenario *scenario = reading->scenario;
    const YamlNode *input = scenario_section(reading, "input");
    const YamlNode *node = yaml_get(input, "targets");
    const ptrdiff_t *size = scenario->size;
    const ptrdiff_t shape[] = {size[SYMBOL_B], size[SYMBOL_Q], size[SYMBOL_LQ]};
    Tensor targets;
    if (!node || is_scalar(node, "none") || are_of_others(reading, input, node))
        return true;
    if (!scenario->questions)
        return yaml_key_error(node, err, TELL(TARGETS_ALONE));
    if (node->kind != YAML_MAP)
        return yaml_error(node, err, TELL(TARGETS_FORM));
    const char *from = scenario_written_in(reading, node, err);
    if (!from || !yaml_only(node, scenario->questions, err) ||
        !scenario_tensor_take(reading, node, &(TensorPlan){"targets", DTYPE_I64, 3, shape},
                              &targets, err) ||
        !read_questions(reading, node, &targets, err))
        return false;
    scenario_add(scenario, "targets", "targets", targets, from);
    return true;
}

// --- the section `model`: widths, heads and layers

// Widths given in the file; 0: not given.
typedef struct Widths {
    ptrdiff_t d_model, d_in, d_out, d_k, d_v, heads;
    ptrdiff_t d_query; // input width of the queries, if it is not d_in
} Widths;

static bool read_widths(const YamlNode *model, Widths *widths, Error *err)
{
    const YamlNode *d_model = yaml_get(model, "d_model");
    if (d_model && (yaml_get(model, "d_in") || yaml_get(model, "d_out")))
        return yaml_key_error(d_model, err, TELL(MODEL_BOTH));
    return field_size(model, "d_model", &widths->d_model, err) &&
           field_size(model, "d_in", &widths->d_in, err) &&
           field_size(model, "d_out", &widths->d_out, err) &&
           field_size(model, "d_k", &widths->d_k, err) &&
           field_size(model, "d_v", &widths->d_v, err) &&
           field_size(model, "heads", &widths->heads, err);
}

// Keys and values may have another input width than queries.
static bool settle_key_width(const Reading *reading, const YamlNode *model, Widths *widths,
                             Error *err)
{
    const YamlNode *node = yaml_get(model, "kdim");
    ptrdiff_t width = 0, queries = widths->d_in;
    char text[TENSOR_TEXT_MAX];
    if (!node || !field_size(model, "kdim", &width, err))
        return node == NULL;
    const Input *x = &reading->inputs[INPUT_X];
    if (!reading->inputs[INPUT_X_QUERY].node)
        return yaml_key_error(node, err, TELL(KDIM_QUERIES));
    if (x->node && x->tensor.shape[2] != width)
        return yaml_error(x->node, err, TELL(MODEL_WIDTH), input_keys[INPUT_X],
                          tensor_shape_text(3, x->tensor.shape, text), x->tensor.shape[2], "kdim",
                          width);
    widths->d_in = width;
    widths->d_query = width == queries ? 0 : queries;
    return true;
}

// The input width of the projections, given or from the input.
static bool settle_input_width(const Reading *reading, const YamlNode *model, Widths *widths,
                               Error *err)
{
    const char *key = widths->d_model ? "d_model" : "d_in";
    char text[TENSOR_TEXT_MAX];
    widths->d_in = widths->d_model ? widths->d_model : widths->d_in;
    for (InputNumber i = INPUT_X; i <= INPUT_X_QUERY; i++) {
        const Input *input = &reading->inputs[i];
        if (!input->node || (i == INPUT_X && yaml_get(model, "kdim")))
            continue;
        ptrdiff_t width = input->tensor.shape[2];
        if (widths->d_in && width != widths->d_in)
            return yaml_error(input->node, err, TELL(MODEL_WIDTH), input_keys[i],
                              tensor_shape_text(3, input->tensor.shape, text), width, key,
                              widths->d_in);
        widths->d_in = width;
    }
    return widths->d_in || yaml_error(model, err, TELL(MODEL_NO_WIDTH));
}

// The width of all heads, for messages: its name, and an alternative.
typedef struct Total {
    ptrdiff_t width;
    const char *what, *otherwise;
} Total;

// Must divide evenly among the heads.
static bool share(const YamlNode *model, const Total *total, ptrdiff_t heads, ptrdiff_t *each,
                  Error *err)
{
    *each = total->width / heads;
    return total->width % heads == 0 ||
           yaml_error(yaml_get(model, "heads"), err, TELL(MODEL_DIVIDES), total->what, total->width,
                      heads, total->width, heads, *each, total->width % heads, total->otherwise);
}

// Head width for q and k, and for v, if set.
static bool settle_given_heads(const Reading *reading, const YamlNode *model, Widths *widths,
                               Error *err)
{
    const YamlNode *said = yaml_get(model, widths->d_k ? "d_k" : "d_v");
    ptrdiff_t heads = widths->heads ? widths->heads : 1;
    Total q = {reading->inputs[INPUT_Q].tensor.shape[2], TELL(MODEL_Q_WIDTH), ""};
    Total v = {reading->inputs[INPUT_V].tensor.shape[2], TELL(MODEL_V_WIDTH), ""};
    if (said)
        return yaml_key_error(said, err, TELL(MODEL_GIVEN));
    return share(model, &q, heads, &widths->d_k, err) && share(model, &v, heads, &widths->d_v, err);
}

// The same, if projections make them.
static bool settle_heads(const YamlNode *model, Widths *widths, Error *err)
{
    Total out = {widths->d_out, widths->d_model ? "d_model" : "d_out", TELL(MODEL_OR_D_K)};
    ptrdiff_t heads = widths->heads ? widths->heads : 1, said = widths->d_k;
    if (!widths->d_out)
        return yaml_error(model, err, TELL(MODEL_NO_WIDTH));
    if (!said && !share(model, &out, heads, &widths->d_k, err))
        return false;
    if (!widths->d_v && said)
        widths->d_v = said;
    return widths->d_v || share(model, &out, heads, &widths->d_v, err);
}

static void set_sizes(Reading *reading, const Widths *widths)
{
    Scenario *scenario = reading->scenario;
    ptrdiff_t heads = widths->heads ? widths->heads : 1;
    scenario->has_heads = widths->heads > 0;
    scenario->options.heads = heads;
    scenario->size[SYMBOL_H] = widths->heads;
    scenario->size[SYMBOL_DIN] = widths->d_in;
    scenario->size[SYMBOL_DQ] = widths->d_query;
    scenario->size[SYMBOL_D_K] = widths->d_k;
    scenario->size[SYMBOL_D_V] = widths->d_v;
    scenario->size[SYMBOL_DK] = heads * widths->d_k;
    scenario->size[SYMBOL_DV] = heads * widths->d_v;
    if (scenario->options.kv_heads > 0) {
        scenario->size[SYMBOL_G] = scenario->options.kv_heads;
        scenario->size[SYMBOL_GK] = scenario->options.kv_heads * widths->d_k;
        scenario->size[SYMBOL_GV] = scenario->options.kv_heads * widths->d_v;
    }
    scenario->size[SYMBOL_DFF] = scenario->options.feed_forward;
    scenario->size[SYMBOL_BUCKETS] = scenario->options.relative_buckets;
    reading->d_model = widths->d_model                 ? widths->d_model
                       : widths->d_in == widths->d_out ? widths->d_out
                                                       : 0;
}

// Query heads divide evenly among key and value heads, which need projections.
static bool check_groups(const Reading *reading, const YamlNode *model, Error *err)
{
    const YamlNode *node = yaml_get(model, "kv_heads");
    const Scenario *scenario = reading->scenario;
    ptrdiff_t heads = scenario->options.heads, groups = scenario->options.kv_heads;
    if (!node)
        return true;
    if (heads % groups != 0)
        return yaml_error(node, err, TELL(MODEL_GROUPS), heads, groups);
    bool apart = reading->inputs[INPUT_Q].node == NULL && !reading->per_head;
    return apart || yaml_key_error(node, err, TELL(MODEL_GROUPS_MADE));
}

// --- layers

// The output width of a projection.
static ptrdiff_t projected_width(const Scenario *scenario, LayerNumber layer)
{
    bool grouped = scenario->options.kv_heads > 0;
    if (layer == LAYER_V)
        return scenario->size[grouped ? SYMBOL_GV : SYMBOL_DV];
    return scenario->size[grouped && layer == LAYER_K ? SYMBOL_GK : SYMBOL_DK];
}

static bool read_projections(Reading *reading, const YamlNode *model, Error *err)
{
    static const char *const keys[] = {"q", "k", "v", NULL};
    static const char *const makers[] = {"q_proj", "k_proj", "v_proj", NULL};
    const YamlNode *map = yaml_get(model, "projections");
    if (map && !yaml_only(map, keys, err))
        return false;
    for (int i = 0; i < 3; i++) {
        const YamlNode *node = map ? yaml_get(map, keys[i]) : NULL;
        int which = i;
        if (node && !field_word(node, makers, NULL, &which, err))
            return false;
        ptrdiff_t needed = projected_width(reading->scenario, LAYER_Q + (LayerNumber)i);
        ptrdiff_t made = projected_width(reading->scenario, LAYER_Q + (LayerNumber)which);
        if (needed != made)
            return yaml_error(node, err, TELL(MODEL_MAKES), makers[which], made, keys[i], needed);
        reading->projection[i] = LAYER_Q + (LayerNumber)which;
        reading->layers[LAYER_Q + which].used = true;
    }
    return true;
}

static bool settle_projections(Reading *reading, const YamlNode *model, Error *err)
{
    const ptrdiff_t *size = reading->scenario->size;
    bool has_bias = true;
    if (!field_flag(model, "qkv_bias", &has_bias, err) ||
        !field_flag(model, "per_head", &reading->per_head, err) ||
        !read_projections(reading, model, err))
        return false;
    if (reading->per_head && !reading->scenario->has_heads)
        return yaml_error(yaml_get(model, "per_head"), err, TELL(MODEL_PER_HEAD));
    for (LayerNumber layer = LAYER_Q; layer <= LAYER_V; layer++) {
        bool of_queries = layer == LAYER_Q && size[SYMBOL_DQ] > 0;
        reading->layers[layer].in = size[of_queries ? SYMBOL_DQ : SYMBOL_DIN];
        reading->layers[layer].out = projected_width(reading->scenario, layer);
        reading->layers[layer].has_bias = has_bias;
    }
    return true;
}

// Given sizes are taken as they are: a layer that does not fit fails when it runs, as in PyTorch.
static bool settle_output(Reading *reading, const YamlNode *model, ptrdiff_t d_out, Error *err)
{
    static const char *const keys[] = {"in_features", "out_features", NULL};
    const YamlNode *node = yaml_get(model, "out_proj");
    Layer *layer = &reading->layers[LAYER_OUT];
    layer->used = layer->has_bias = layer->any_shape = true;
    layer->in = reading->scenario->size[SYMBOL_DV];
    layer->out = d_out ? d_out : layer->in;
    if (node && node->kind == YAML_MAP) {
        layer->any_shape = false;
        if (!yaml_only(node, keys, err) || !field_size(node, "in_features", &layer->in, err) ||
            !field_size(node, "out_features", &layer->out, err))
            return false;
    } else if (!field_flag(model, "out_proj", &layer->used, err)) {
        return false;
    }
    if (layer->used)
        reading->scenario->size[SYMBOL_DOUT] = layer->out;
    return field_flag(model, "out_bias", &layer->has_bias, err);
}

static bool settle_embedding(Reading *reading, const YamlNode *model, Error *err)
{
    static const char *const positions[] = {"none", "sinusoidal", "learned", NULL};
    Scenario *scenario = reading->scenario;
    const YamlNode *position = yaml_get(model, "position");
    const YamlNode *vocabulary = yaml_get(model, "vocabulary");
    int which = 0;
    if (position && !field_word(position, positions, NULL, &which, err))
        return false;
    scenario->with_position = which == 1;
    scenario->options.learned_position = which == 2;
    if (scenario->size[SYMBOL_V] > 0) {
        reading->layers[LAYER_EMBEDDING] = (Layer){
            .in = scenario->size[SYMBOL_V], .out = scenario->size[SYMBOL_DIN], .used = true};
        return true;
    }
    if (which > 0)
        return yaml_error(position, err, TELL(MODEL_POSITIONS));
    return !vocabulary || yaml_key_error(vocabulary, err, TELL(MODEL_VOCABULARY));
}

static bool keep_questions(Reading *reading, const YamlNode *questions, Error *err)
{
    Scenario *scenario = reading->scenario;
    size_t count = 0;
    const char **names = arena_take(&scenario->arena, questions->count + 1, sizeof *names, err);
    for (const YamlNode *node = names ? questions->first : NULL; node; node = node->next) {
        if (node->kind != YAML_SCALAR)
            return yaml_error(node, err, TELL(MODEL_QUESTIONS));
        names[count] = arena_text(&scenario->arena, node->text, err);
        if (!names[count++])
            return false;
    }
    scenario->questions = names;
    scenario->size[SYMBOL_Q] = (ptrdiff_t)count;
    reading->layers[LAYER_READOUT] = (Layer){.in = scenario->size[SYMBOL_DOUT],
                                             .out = (ptrdiff_t)count * scenario->size[SYMBOL_V],
                                             .used = true};
    return names != NULL;
}

// Names of the questions; stages need only their number.
static bool settle_questions(Reading *reading, const YamlNode *model, Error *err)
{
    const YamlNode *words = yaml_get(model, "vocabulary_words");
    const YamlNode *questions = yaml_get(model, "questions");
    if (words && !reading->knows_words)
        return yaml_key_error(words, err, TELL(MODEL_WORDS));
    if (!questions)
        return true;
    if (questions->kind != YAML_LIST || questions->count == 0)
        return yaml_error(questions, err, TELL(MODEL_QUESTIONS));
    if (reading->scenario->size[SYMBOL_V] == 0 || !reading->layers[LAYER_OUT].used)
        return yaml_key_error(questions, err, TELL(MODEL_READOUT));
    return keep_questions(reading, questions, err);
}

bool scenario_model_read(Reading *reading, Error *err)
{
    static const char *const keys[] = {
        "vocabulary", "d_model",          "d_in",      "d_out",    "heads",    "d_k",
        "d_v",        "projections",      "per_head",  "qkv_bias", "position", "out_proj",
        "out_bias",   "vocabulary_words", "questions", "asked",    "kdim",     NULL};
    const YamlNode *model = scenario_section(reading, "model");
    bool is_projected = reading->inputs[INPUT_Q].node != NULL;
    Widths widths = {0};
    if (!scenario_section_only(model, "model", keys, err) ||
        !scenario_options_read(reading, "model", err) || !read_widths(model, &widths, err) ||
        (!is_projected && (!settle_input_width(reading, model, &widths, err) ||
                           !settle_key_width(reading, model, &widths, err))))
        return false;
    widths.d_out = widths.d_model ? widths.d_model : widths.d_out;
    if (is_projected ? !settle_given_heads(reading, model, &widths, err)
                     : !settle_heads(model, &widths, err))
        return false;
    set_sizes(reading, &widths);
    return (is_projected || settle_projections(reading, model, err)) &&
           check_groups(reading, model, err) && settle_output(reading, model, widths.d_out, err) &&
           scenario_extras_check(reading, model, err) && settle_embedding(reading, model, err) &&
           settle_questions(reading, model, err) && scenario_targets_read(reading, err) &&
           (reading->scenario->request.shape_only || scenario_asked_read(reading, model, err));
}

// --- the section `patch`: heads whose values come from another run
//
// It is read early, to add the tensors for stage patch, which are filled last, from a run of the same scenario without
// patches.

// --- reading

// A head's patch, at one token or (-1) at all.
typedef struct Patch {
    int layer;
    ptrdiff_t head, place;
    const YamlNode *node; // zero, mean, or a text
} Patch;

static bool read_number(const YamlNode *node, ptrdiff_t count, const char *what, ptrdiff_t *number,
                        Error *err)
{
    char *end;
    long long value = strtoll(node->key, &end, 10);
    *number = (ptrdiff_t)value;
    return (end > node->key && !*end && value >= 0 && value < count) ||
           yaml_key_error(node, err, TELL(PATCH_NUMBER), what, count - 1, node->key);
}

// Calls `visit` for each patch in order, except `none`.
typedef bool VisitPatch(Reading *reading, const Patch *patch, Error *err);

static bool visit_patch(Reading *reading, const Patch *patch, VisitPatch *visit, Error *err)
{
    if (patch->node->kind != YAML_SCALAR)
        return yaml_error(patch->node, err, TELL(PATCH_VALUE));
    return is_scalar(patch->node, "none") || visit(reading, patch, err);
}

// A head has one patch, or several for tokens.
static bool visit_head(Reading *reading, Patch patch, VisitPatch *visit, Error *err)
{
    const YamlNode *head = patch.node;
    ptrdiff_t places = reading->scenario->size[SYMBOL_LQ];
    if (!read_number(head, reading->scenario->options.heads, TELL(PATCH_HEAD), &patch.head, err))
        return false;
    if (head->kind != YAML_MAP)
        return visit_patch(reading, &patch, visit, err);
    for (patch.node = head->first; patch.node; patch.node = patch.node->next)
        if (!read_number(patch.node, places, TELL(PATCH_PLACE), &patch.place, err) ||
            !visit_patch(reading, &patch, visit, err))
            return false;
    return true;
}

static bool visit_patches(Reading *reading, VisitPatch *visit, Error *err)
{
    const YamlNode *layers = yaml_get(reading->root, "patch");
    ptrdiff_t count = reading->scenario->layers > 1 ? reading->scenario->layers : 1, number;
    if (layers && layers->kind != YAML_MAP)
        return yaml_error(layers, err, TELL(PATCH_FORM));
    for (const YamlNode *layer = layers ? layers->first : NULL; layer; layer = layer->next) {
        if (layer->kind != YAML_MAP)
            return yaml_error(layer, err, TELL(PATCH_FORM));
        if (!read_number(layer, count, TELL(PATCH_LAYER), &number, err))
            return false;
        for (const YamlNode *head = layer->first; head; head = head->next)
            if (!visit_head(reading, (Patch){(int)number, 0, -1, head}, visit, err))
                return false;
    }
    return true;
}

// --- the tensors of stage patch

static bool add(Scenario *scenario, const char *role, int layer, Tensor tensor, Error *err)
{
    const char *name =
        layer == 0 ? role : arena_format(&scenario->arena, err, SCENARIO_LAYER_NAME, layer, role);
    if (!name)
        return false;
    scenario_add(scenario, role, name, tensor, NULL);
    scenario->tensors[scenario->tensor_count - 1].layer = layer;
    return true;
}

static bool add_patch(Reading *reading, const Patch *patch, Error *err)
{
    Scenario *scenario = reading->scenario;
    const ptrdiff_t *size = scenario->size;
    const ptrdiff_t shape[] = {size[SYMBOL_B], size[SYMBOL_H], size[SYMBOL_LQ], size[SYMBOL_D_V]};
    Tensor values, heads;
    if (!scenario->has_heads)
        return yaml_key_error(patch->node, err, TELL(PATCH_NO_HEADS));
    if (!scenario_layer_tensor(scenario, "patch.heads", patch->layer) &&
        (!tensor_take(&scenario->arena, DTYPE_F32, 4, shape, &values, err) ||
         !tensor_take(&scenario->arena, DTYPE_BOOL, 2, shape + 1, &heads, err) ||
         !add(scenario, "patch.values", patch->layer, values, err) ||
         !add(scenario, "patch.heads", patch->layer, heads, err)))
        return false;
    scenario->options.patched = true;
    const Tensor *patched = &scenario_layer_tensor(scenario, "patch.heads", patch->layer)->tensor;
    for (ptrdiff_t l = 0; l < size[SYMBOL_LQ]; l++)
        *tensor_flag2(patched, patch->head, l) |= patch->place < 0 || patch->place == l;
    return true;
}

bool scenario_patch_read(Reading *reading, Error *err)
{
    return reading->scenario->request.unpatched || visit_patches(reading, add_patch, err);
}

// --- filling them

// The mean over the tokens of a text, at every place.
static void put_mean(const Tensor *found, const Tensor *padding, const Tensor *values)
{
    for (ptrdiff_t b = 0; b < found->shape[0]; b++)
        for (ptrdiff_t i = 0; i < found->shape[2]; i++) {
            ptrdiff_t places = found->shape[1], count = 0;
            float sum = 0.0f;
            for (ptrdiff_t l = 0; l < places; l++)
                if (!padding || !*tensor_flag2(padding, b, l)) {
                    sum += *tensor_at3(found, b, l, i);
                    count++;
                }
            for (ptrdiff_t l = 0; l < values->shape[1]; l++)
                *tensor_at3(values, b, l, i) = sum / (float)count;
        }
}

static bool put_found(const Trace *other, const Patch *patch, const Tensor *values, Error *err)
{
    char name[64], have[TENSOR_TEXT_MAX], want[TENSOR_TEXT_MAX];
    snprintf(name, sizeof name, SCENARIO_LAYER_NAME, patch->layer, "context_heads");
    int number = trace_find(other, patch->layer > 0 ? name : "context_heads");
    const Tensor *found = &other->tensors[number].tensor;
    Tensor from = tensor_select(found, 1, patch->head), to = tensor_select(values, 1, patch->head);
    int padding = trace_find(other, "key_padding_mask");
    if (!tensor_same_shape(found, values))
        return error_set(err, TELL(PATCH_SHAPE), found->shape[2], values->shape[2],
                         tensor_shape_text(4, found->shape, have),
                         tensor_shape_text(4, values->shape, want));
    if (patch->place >= 0)
        to = tensor_narrow(&to, 1, patch->place, 1);
    if (is_scalar(patch->node, "mean")) {
        put_mean(&from, padding >= 0 ? &other->tensors[padding].tensor : NULL, &to);
    } else {
        from = patch->place < 0 ? from : tensor_narrow(&from, 1, patch->place, 1);
        tensor_copy(&from, &to);
    }
    return true;
}

// Runs the scenario without patches, on the patch's text or its own.
static bool run_other(const Reading *reading, const Patch *patch, const Tensor *values, Error *err)
{
    ScenarioRequest request = reading->scenario->request;
    Scenario other;
    Trace trace;
    request.unpatched = true;
    request.text = is_scalar(patch->node, "mean") ? request.text : patch->node->text;
    if (!reading->open(&other, &request, err))
        return false;
    other.backward = false;
    bool opened = trace_open(&trace, &other, err);
    if (opened && request.like)
        trace_borrow_panels(&trace, request.like);
    bool good = opened && trace_run(&trace, err) && put_found(&trace, patch, values, err);
    if (opened)
        trace_close(&trace);
    scenario_finish(&other);
    return good;
}

static bool fill_patch(Reading *reading, const Patch *patch, Error *err)
{
    Scenario *scenario = reading->scenario;
    ScenarioTensor *values = scenario_layer_tensor(scenario, "patch.values", patch->layer);
    bool is_mean = is_scalar(patch->node, "mean");
    values->from =
        is_scalar(patch->node, "zero") ? TELL(PATCH_FROM_ZERO)
        : is_mean                      ? TELL(PATCH_FROM_MEAN)
                  : arena_format(&scenario->arena, err, TELL(PATCH_FROM_TEXT), patch->node->text);
    return values->from &&
           (is_scalar(patch->node, "zero") || run_other(reading, patch, &values->tensor, err) ||
            yaml_place(patch->node, err));
}

bool scenario_patch_fill(Reading *reading, Error *err)
{
    const ScenarioRequest *request = &reading->scenario->request;
    return request->unpatched || request->shape_only || visit_patches(reading, fill_patch, err);
}
