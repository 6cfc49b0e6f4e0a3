// scenario_whole: what a file of weights and the config.json beside it say of whole layers, as the lines
// of a scenario. See scenario_internal.h.
#include "scenario_internal.h"

#include <math.h>
#include <string.h>
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

// The functions that stand between the halves of feed-forward, under the names that config.json has for
// them, and what a scenario says of each.
typedef struct Form {
    const char *name;
    bool gated;
    const char *lines;
} Form;

static const Form forms[] = {
    {"gelu", false, "  gelu_tanh: false\n"},
    {"gelu_python", false, "  gelu_tanh: false\n"},
    {"gelu_new", false, "  gelu_tanh: true\n"},
    {"gelu_fast", false, "  gelu_tanh: true\n"},
    {"gelu_pytorch_tanh", false, "  gelu_tanh: true\n"},
    {"quick_gelu", false, "  gelu_quick: true\n"},
    {"relu", false, "  relu: true\n"},
    {"gelu_pytorch_tanh", true, "  gated: true\n  gate_gelu: true\n"},
    {"silu", true, "  gated: true\n"},
    {"swish", true, "  gated: true\n"},
};

// That which config.json says, or the usual one of such names.
static const Form *find_form(const WeightBlock *block, const FactsWish *wish, const Facts *facts,
                             Error *err)
{
    const char *name = facts->act ? facts->act : block->form;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, name) == 0 && forms[i].gated == block->gated)
            return &forms[i];
    error_set(err, TELL(WHOLE_FORM), wish->path, name, block->form);
    return NULL;
}

static const char *yes_or_no(bool yes)
{
    return yes ? "true" : "false";
}

// Which learned places there are, and which norms.
static const char *norm_lines(const WeightBlock *block, const Facts *facts, Arena *arena,
                              Error *err)
{
    double usual = block->rms_norm ? 1e-6 : block->post_norm ? 1e-12 : 1e-5;
    const char *places = *block->ends[BLOCK_POSITIONS] ? "learned" : "none";
    const char *first = facts->first_place
                            ? arena_format(arena, err, "  first_place: %ld\n", facts->first_place)
                            : "";
    return first ? arena_format(arena, err,
                                "  position: %s\n%s  %s: true\n  norm_epsilon: %.9g\n"
                                "  post_norm: %s\n  residual: true\n",
                                places, first, block->rms_norm ? "rms_norm" : "layer_norm",
                                facts->epsilon > 0.0 ? facts->epsilon : usual,
                                yes_or_no(block->post_norm))
                 : NULL;
}

const char *scenario_whole_lines(const FactsWish *wish, const Facts *facts, Arena *arena,
                                 Error *err)
{
    const WeightLayer *layer = wish->layer;
    const WeightBlock *block = weight_block_find(layer->layout);
    ptrdiff_t inside, vocabulary;
    if (!block) {
        error_set(err, TELL(WHOLE_UNKNOWN), wish->path, words_tell(layer->layout->about));
        return NULL;
    }
    bool turned = layer->layout->kind == WEIGHT_LAYOUT_CONV1D;
    const Form *form = find_form(block, wish, facts, err);
    const char *norms = form ? norm_lines(block, facts, arena, err) : NULL;
    if (!norms ||
        (inside = length_of(wish->file, layer, BLOCK_EXPAND, turned ? 1 : 0, arena, err)) < 0 ||
        (vocabulary = length_of(wish->file, layer, BLOCK_TOKENS, 0, arena, err)) < 0)
        return NULL;
    const char *scale = weight_model_has(facts->model, "root")
                            ? arena_format(arena, err, "  embedding_scale: %.9g\n",
                                           (double)(float)sqrt((double)wish->width))
                            : "";
    const char *parallel = *block->ends[BLOCK_NORM_2] ? "" : "  parallel: true\n";
    if (!scale)
        return NULL;
    return arena_format(arena, err, "  vocabulary: %td\n%s%s%s  feed_forward: %td\n%s", vocabulary,
                        scale, norms, parallel, inside, form->lines);
}
