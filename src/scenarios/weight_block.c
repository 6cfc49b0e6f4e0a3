// weight_block: see weight_block.h.
#include "weight_block.h"

#include <ctype.h>
#include <string.h>

enum { BEFORE, BEHIND, RMS };
enum { ERF, TANH, GATE };

static const WeightBlock blocks[] = {
#define WEIGHT_BLOCK(layout, norms, gelu, own, stack, epsilon, act, form, ...) \
    {#layout, norms == BEHIND, norms == RMS, gelu == TANH, gelu == GATE, own, \
     stack,   epsilon,         act,          form,         {__VA_ARGS__}},
#include "weight_blocks.def"
#undef WEIGHT_BLOCK
};

static const char *const part_names[BLOCK_PARTS] = {
    [BLOCK_NORM] = "norm",
    [BLOCK_NORM_2] = "norm_2",
    [BLOCK_EXPAND] = "expand",
    [BLOCK_CONTRACT] = "contract",
    [BLOCK_GATE] = "gate",
    [BLOCK_TOKENS] = "embedding",
    [BLOCK_POSITIONS] = "position",
    [BLOCK_TYPES] = "token_type",
    [BLOCK_EMBEDDING_NORM] = "embedding_norm",
    [BLOCK_FINAL_NORM] = "final_norm",
};

const WeightBlock *weight_block_find(const WeightLayout *layout)
{
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (strcmp(blocks[i].layout, layout->name) == 0)
            return &blocks[i];
    return NULL;
}

WeightBlockPart weight_block_part(const char *name, bool *bias)
{
    size_t stem = strcspn(name, ".");
    *bias = strcmp(name + stem, ".bias") == 0;
    WeightBlockPart part = 0;
    while (part < BLOCK_PARTS &&
           (strncmp(part_names[part], name, stem) != 0 || part_names[part][stem] != '\0'))
        part++;
    return part;
}

// How much of `text` of that length is left without an ending that it may have.
static size_t without(const char *text, size_t length, const char *end)
{
    size_t ending = strlen(end);
    bool ends = length >= ending && strncmp(text + length - ending, end, ending) == 0;
    return ends ? length - ending : length;
}

size_t weight_block_prefix(const WeightLayer *layer, const WeightBlock *block, bool of_model)
{
    size_t length = without(layer->prefix, strlen(layer->prefix), block->own);
    if (!of_model)
        return length;
    length = without(layer->prefix, length, ".");
    while (length > 0 && isdigit((unsigned char)layer->prefix[length - 1]))
        length--;
    return without(layer->prefix, length, block->stack);
}

static bool is_same_stack(const WeightLayer *a, const WeightLayer *b, const WeightBlock *block)
{
    size_t length = weight_block_prefix(a, block, true);
    return length == weight_block_prefix(b, block, true) &&
           strncmp(a->prefix, b->prefix, length) == 0;
}

int weight_block_end(const WeightLayers *all, int number)
{
    if (number >= all->count) // of our own names there are no layers
        return all->count;
    const WeightBlock *block = weight_block_find(all->layers[number].layout);
    int end = number + 1;
    while (end < all->count &&
           (!block || is_same_stack(&all->layers[number], &all->layers[end], block)))
        end++;
    return end;
}

const char *weight_block_tensor(const WeightLayer *layer, WeightBlockPart part, bool bias,
                                Arena *arena, Error *err)
{
    const WeightBlock *block = weight_block_find(layer->layout);
    const char *end = block->ends[part];
    size_t length = weight_block_prefix(layer, block, part >= BLOCK_TOKENS);
    return arena_format(arena, err, "%.*s%.*s%s", (int)length, layer->prefix,
                        *end ? (int)(strlen(end) - strlen("weight")) : 0, end,
                        bias ? "bias" : "weight");
}
