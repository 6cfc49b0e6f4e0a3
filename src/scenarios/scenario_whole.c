// scenario_whole: what a file of weights and the config.json beside it say of whole layers, as the lines
// of a scenario. See scenario_internal.h.
#include "scenario_internal.h"

#include <string.h>
#include "json_number.h"
#include "scenarios_words.h"

// How many rows (axis 0) or columns (axis 1) a part's weight has; -1 with a sentence.
static ptrdiff_t length_of(TensorFile *file, const WeightLayer *layer, WeightBlockPart part,
                           int axis, Arena *arena, Error *err)
{
    const char *name = weight_block_tensor(layer, part, false, arena, err);
    Tensor weight;
    char text[TENSOR_TEXT_MAX];
    if (!name || !tensor_file_read(file, name, arena, &weight, err))
        return -1;
    if (weight.rank == 2)
        return weight.shape[axis];
    error_set(err, TELL(FILE_WEIGHT_AXES), name,
              tensor_shape_text(weight.rank, weight.shape, text));
    return -1;
}

// The function between the halves of feed-forward is the one that we have, where config.json says so.
static bool check_form(const WeightBlock *block, const char *config, const char *path, Arena *arena,
                       Error *err)
{
    const char *form;
    if (!json_word(config, block->act, arena, &form, err))
        return false;
    return !form || strcmp(form, block->form) == 0 ||
           error_set(err, TELL(WHOLE_FORM), path, form, block->form);
}

const char *scenario_whole_lines(TensorFile *file, const WeightLayer *layer, const char *config,
                                 const char *path, Arena *arena, Error *err)
{
    const WeightBlock *block = weight_block_find(layer->layout);
    ptrdiff_t inside, vocabulary;
    if (!block) {
        error_set(err, TELL(WHOLE_UNKNOWN), path, layer->layout->about);
        return NULL;
    }
    const char *yes = "true";
    double epsilon = block->post_norm ? 1e-12 : 1e-5;
    bool turned = layer->layout->kind == WEIGHT_LAYOUT_CONV1D;
    if (!check_form(block, config, path, arena, err) ||
        !json_decimal(config, block->epsilon, &epsilon, err) ||
        (inside = length_of(file, layer, BLOCK_EXPAND, turned ? 1 : 0, arena, err)) < 0 ||
        (vocabulary = length_of(file, layer, BLOCK_TOKENS, 0, arena, err)) < 0)
        return NULL;
    return arena_format(
        arena, err,
        "  vocabulary: %td\n  position: %s\n  layer_norm: %s\n  norm_epsilon: %.9g\n"
        "  post_norm: %s\n  residual: %s\n  feed_forward: %td\n  gelu_tanh: %s\n",
        vocabulary, "learned", yes, epsilon, block->post_norm ? yes : "false", yes, inside,
        block->gelu_tanh ? yes : "false");
}
