// The section `patch`: heads whose values come from another run. See scenario_internal.h.
//
// What a head found elsewhere is known once everything else is: the section is read first, for the tensors
// that stage patch will read; they are filled from a run of the same scenario without patches.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "scenario_internal.h"
#include "scenarios_words.def"
#include "shown_name.h"
#include "trace.h"

// --- reading

// One head's patch, at one token or (-1) at all.
typedef struct Patch {
    int layer;
    ptrdiff_t head, place;
    const YamlNode *node; // zero, mean, or a text
} Patch;

static bool is_word(const YamlNode *node, const char *word)
{
    return !node->quoted && strcmp(node->text, word) == 0;
}

static bool read_number(const YamlNode *node, ptrdiff_t count, const char *what, ptrdiff_t *number,
                        Error *err)
{
    char *end;
    long long value = strtoll(node->key, &end, 10);
    *number = (ptrdiff_t)value;
    return (end > node->key && !*end && value >= 0 && value < count) ||
           yaml_key_error(node, err, TELL(PATCH_NUMBER), what, count - 1, node->key);
}

// Calls `visit` for every patch of the file, in its order; those that are `none` stay out.
typedef bool VisitPatch(Reading *reading, const Patch *patch, Error *err);

static bool visit_patch(Reading *reading, const Patch *patch, VisitPatch *visit, Error *err)
{
    if (patch->node->kind != YAML_SCALAR)
        return yaml_error(patch->node, err, TELL(PATCH_VALUE));
    return is_word(patch->node, "none") || visit(reading, patch, err);
}

// A head has one patch, or some for tokens.
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

// --- the tensors that stage patch reads

static ScenarioTensor *tensor_of(Scenario *scenario, const char *role, int layer)
{
    for (int i = 0; i < scenario->tensor_count; i++)
        if (scenario->tensors[i].layer == layer && strcmp(scenario->tensors[i].role, role) == 0)
            return &scenario->tensors[i];
    return NULL;
}

static bool add(Scenario *scenario, const char *role, int layer, Tensor tensor, Error *err)
{
    const char *name =
        layer == 0 ? role
                   : arena_format(&scenario->arena, err, SCENARIO_LAYER_NAME, layer + 1, role);
    if (!name || scenario->tensor_count == SCENARIO_TENSORS_MAX)
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
    if (!tensor_of(scenario, "patch.heads", patch->layer) &&
        (!tensor_take(&scenario->arena, DTYPE_F32, 4, shape, &values, err) ||
         !tensor_take(&scenario->arena, DTYPE_BOOL, 2, shape + 1, &heads, err) ||
         !add(scenario, "patch.values", patch->layer, values, err) ||
         !add(scenario, "patch.heads", patch->layer, heads, err)))
        return false;
    scenario->options.patched = true;
    const Tensor *patched = &tensor_of(scenario, "patch.heads", patch->layer)->tensor;
    for (ptrdiff_t l = 0; l < size[SYMBOL_LQ]; l++)
        *tensor_flag2(patched, patch->head, l) |= patch->place < 0 || patch->place == l;
    return true;
}

bool scenario_patch_read(Reading *reading, Error *err)
{
    return reading->scenario->request.unpatched || visit_patches(reading, add_patch, err);
}

// --- what is put in

// The mean over the places of a text that hold a token, wherever there is room for it.
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
    snprintf(name, sizeof name, SCENARIO_LAYER_NAME, patch->layer + 1, "context_heads");
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
    if (is_word(patch->node, "mean")) {
        put_mean(&from, padding >= 0 ? &other->tensors[padding].tensor : NULL, &to);
    } else {
        from = patch->place < 0 ? from : tensor_narrow(&from, 1, patch->place, 1);
        tensor_copy(&from, &to);
    }
    return true;
}

// A run of the same scenario without patches, on the text that the patch names, or on its own.
static bool run_other(const Reading *reading, const Patch *patch, const Tensor *values, Error *err)
{
    ScenarioRequest request = reading->scenario->request;
    Scenario other;
    Trace trace;
    request.unpatched = true;
    request.text = is_word(patch->node, "mean") ? request.text : patch->node->text;
    if (!reading->open(&other, &request, err))
        return false;
    other.backward = false;
    bool opened = trace_open(&trace, &other, err);
    bool good = opened && trace_run(&trace, err) && put_found(&trace, patch, values, err);
    if (opened)
        trace_close(&trace);
    scenario_finish(&other);
    return good;
}

static bool fill_patch(Reading *reading, const Patch *patch, Error *err)
{
    Scenario *scenario = reading->scenario;
    ScenarioTensor *values = tensor_of(scenario, "patch.values", patch->layer);
    bool is_mean = is_word(patch->node, "mean");
    values->from =
        is_word(patch->node, "zero") ? TELL(PATCH_FROM_ZERO)
        : is_mean                    ? TELL(PATCH_FROM_MEAN)
                  : arena_format(&scenario->arena, err, TELL(PATCH_FROM_TEXT), patch->node->text);
    return values->from &&
           (is_word(patch->node, "zero") || run_other(reading, patch, &values->tensor, err) ||
            yaml_place(patch->node, err));
}

bool scenario_patch_fill(Reading *reading, Error *err)
{
    const ScenarioRequest *request = &reading->scenario->request;
    return request->unpatched || request->shape_only || visit_patches(reading, fill_patch, err);
}
