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

static const char *yes_or_no(bool yes)
{
    return yes ? "true" : "false";
}

const char *scenario_whole_lines(TensorFile *file, const WeightLayer *layer, const char *config,
                                 const char *path, Arena *arena, Error *err)
{
    const WeightBlock *block = weight_block_find(layer->layout);
    ptrdiff_t inside, vocabulary;
    if (!block) {
        error_set(err, TELL(WHOLE_UNKNOWN), path, words_tell(layer->layout->about));
        return NULL;
    }
    double epsilon = block->rms_norm ? 1e-6 : block->post_norm ? 1e-12 : 1e-5;
    bool turned = layer->layout->kind == WEIGHT_LAYOUT_CONV1D;
    if (!check_form(block, config, path, arena, err) ||
        !json_decimal(config, block->epsilon, &epsilon, err) ||
        (inside = length_of(file, layer, BLOCK_EXPAND, turned ? 1 : 0, arena, err)) < 0 ||
        (vocabulary = length_of(file, layer, BLOCK_TOKENS, 0, arena, err)) < 0)
        return NULL;
    return arena_format(
        arena, err,
        "  vocabulary: %td\n  position: %s\n  %s: true\n  norm_epsilon: %.9g\n"
        "  post_norm: %s\n  residual: true\n  feed_forward: %td\n  gelu_tanh: %s\n  gated: %s\n",
        vocabulary, *block->ends[BLOCK_POSITIONS] ? "learned" : "none",
        block->rms_norm ? "rms_norm" : "layer_norm", epsilon, yes_or_no(block->post_norm), inside,
        yes_or_no(block->gelu_tanh), yes_or_no(block->gated));
}
