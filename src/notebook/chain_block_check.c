// chain_block_check: what is wrong around an attention: residual sums, norms, the feed-forward block.
#include "chain_formula.h"

#include <ctype.h>
#include <string.h>

// --- residual sums

// What a tensor is made of, or the first of two; -1.
static int source_of(const ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    int projected = finder->projection_of[tensor];
    return blocks->made[tensor].kind ? blocks->made[tensor].from
           : projected >= 0          ? finder->rows[finder->projections[projected].source].tensor
                                     : -1;
}

// True if a tensor is made of `source` by norms, products and activations, without a sum between.
static bool leads_to(const ChainBlocks *blocks, int tensor, int source, int most)
{
    if (tensor == source || tensor < 0 || most == 0)
        return tensor == source;
    const ChainMade *made = &blocks->made[tensor];
    int from = source_of(blocks, tensor);
    bool is_sum = made->kind && made->with >= 0;
    return from >= 0 && !is_sum && leads_to(blocks, from, source, most - 1);
}

// The tensor or a copy of it.
static bool is_or_copies(const ChainFinder *finder, int tensor, int other)
{
    return tensor >= 0 && other >= 0 &&
           (tensor == other || (finder->tensors[tensor].rank == finder->tensors[other].rank &&
                                chain_is_same(finder, tensor, other)));
}

// True if this is the output of an attention, or its norm, and no residual.
static bool is_bare_output(const ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    const ChainMade *made = &blocks->made[tensor];
    bool is_norm = made->kind == CHAIN_MADE_NORM && made->with < 0;
    bool is_it = false;
    for (int n = 0; n < finder->attention_count; n++)
        is_it = is_it ||
                is_or_copies(finder, is_norm ? made->from : tensor, finder->attentions[n].output);
    return is_it;
}

// Of equal tensors, the residual sum is the one that is called so, or not the output.
static int likeness_of_residual(const ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    const char *name = finder->tensors[tensor].name;
    bool is_output = false;
    for (int n = 0; n < finder->attention_count; n++)
        is_output = is_output || tensor == finder->attentions[n].output;
    return 4 * chain_has_part(name, "res") + 2 * !chain_is_output_name(name) + !is_output;
}

// A feed-forward block adds its result to `stream`, which it is made of.
static bool is_fed_by(const ChainBlocks *blocks, int fed, int stream)
{
    return fed != stream && leads_to(blocks, fed, stream, 6);
}

// True if a block's stream should be the sum of the attention's output and its input: it normalises one or the other. A
// readout may go on from an attention alone.
static bool is_of_block(const ChainBlocks *blocks, int stream)
{
    const ChainFinder *finder = blocks->report->finder;
    bool is_it = false;
    for (int n = 0; n < finder->attention_count; n++) {
        int x = chain_made_rows(finder, chain_source_of(finder, finder->attentions[n].q));
        bool is_of_one = chain_is_of_text(finder, finder->attentions[n].q, finder->attentions[n].k);
        is_it = is_it || (is_of_one && (blocks->made[stream].kind == CHAIN_MADE_NORM ||
                                        (x >= 0 && blocks->made[x].kind == CHAIN_MADE_NORM)));
    }
    return is_it;
}

// The stream goes on from the attention's output: the input was not added to it.
static void check_residual(ChainBlocks *blocks, const ChainMade *made)
{
    const ChainFinder *finder = blocks->report->finder;
    const int ways[][2] = {{made->from, made->with}, {made->with, made->from}};
    bool is_sum = made->kind && made->with >= 0;
    for (int i = 0; i < 2 && is_sum; i++) {
        int stream = ways[i][0], fed = ways[i][1];
        bool is_of_stream = made->kind == CHAIN_MADE_FED
                                ? stream == made->with && leads_to(blocks, made->from, stream, 6)
                                : is_fed_by(blocks, fed, stream);
        if (!is_of_stream || !is_bare_output(blocks, stream) || !is_of_block(blocks, stream))
            continue;
        int shows = stream;
        for (int n = 0; n < finder->count; n++)
            if (is_or_copies(finder, n, stream) &&
                likeness_of_residual(blocks, n) > likeness_of_residual(blocks, shows))
                shows = n;
        chain_slip(blocks->report, CHAIN_SLIP_RESIDUAL_MISSING, shows, NULL, NULL);
    }
}

// True if the attention reads a norm of this tensor.
static bool is_normed_before(const ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    bool is_it = false;
    for (int n = 0; n < finder->attention_count; n++) {
        int x = chain_made_rows(finder, chain_source_of(finder, finder->attentions[n].q));
        is_it = is_it || (x >= 0 && blocks->made[x].kind == CHAIN_MADE_NORM &&
                          blocks->made[x].with < 0 && blocks->made[x].from == tensor);
    }
    return is_it;
}

// In a block that normalises first, the feed-forward layer's result is added to the normed rows in place of the rows. No
// norm follows, as it would in a block that normalises last.
static void check_second_source(ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    const ChainMade *made = &blocks->made[tensor];
    for (int n = 0; n < finder->count; n++)
        if (blocks->made[n].kind == CHAIN_MADE_NORM && blocks->made[n].from == tensor)
            return;
    for (int i = 0; i < 2 && made->kind == CHAIN_MADE_SUM; i++) {
        int stream = i ? made->with : made->from, fed = i ? made->from : made->with;
        const ChainMade *normed = &blocks->made[stream];
        if (normed->kind != CHAIN_MADE_NORM || normed->with < 0 || !is_fed_by(blocks, fed, stream))
            continue;
        if ((is_bare_output(blocks, normed->from) && is_normed_before(blocks, normed->with)) ||
            (is_bare_output(blocks, normed->with) && is_normed_before(blocks, normed->from)))
            chain_slip(blocks->report, CHAIN_SLIP_RESIDUAL_OTHER, tensor, NULL, NULL);
    }
}

// True if a tensor is the sum of this input and of the output of an attention.
static bool is_sum_of(const ChainBlocks *blocks, int tensor, int input)
{
    const ChainMade *sum = &blocks->made[tensor];
    return sum->kind == CHAIN_MADE_SUM && tensor != input &&
           ((sum->from == input && is_bare_output(blocks, sum->with)) ||
            (sum->with == input && is_bare_output(blocks, sum->from)));
}

// The feed-forward layer is made of the first sum, and its result is added to what that sum is made of.
static void check_skipped_sum(ChainBlocks *blocks, int tensor)
{
    const ChainMade *made = &blocks->made[tensor];
    const int ways[][2] = {{made->from, made->with}, {made->with, made->from}};
    int count = made->kind == CHAIN_MADE_SUM ? 2 : made->kind == CHAIN_MADE_FED && made->with >= 0;
    for (int i = 0; i < count; i++)
        for (int n = 0; n < blocks->report->finder->count; n++)
            if (is_sum_of(blocks, n, ways[i][1]) && is_fed_by(blocks, ways[i][0], n))
                chain_slip(blocks->report, CHAIN_SLIP_RESIDUAL_SKIPPED, tensor, NULL, NULL);
}

// True if a feed-forward block that begins with a norm of `stream` adds its result to it; or to the norm.
static bool is_added_to(const ChainBlocks *blocks, int stream, bool to_norm)
{
    const ChainFinder *finder = blocks->report->finder;
    bool is_it = false;
    for (int i = 0; i < finder->count; i++) {
        const ChainMade *sum = &blocks->made[i];
        const int ways[][2] = {{sum->from, sum->with}, {sum->with, sum->from}};
        bool is_sum = sum->kind && sum->kind != CHAIN_MADE_SUM_OF_THREE && sum->with >= 0;
        for (int n = sum->kind == CHAIN_MADE_FED; n < 2 && is_sum; n++) {
            int to = ways[n][0], fed = ways[n][1];
            const ChainMade *norm = &blocks->made[to];
            bool is_norm = norm->kind == CHAIN_MADE_NORM && norm->with < 0 && norm->from == stream;
            is_it = is_it || (fed != to && leads_to(blocks, fed, stream, 6) &&
                              (to_norm ? is_norm : to == stream));
        }
    }
    return is_it;
}

// True for what a feed-forward block makes of a norm of its input, without a residual.
static bool is_result_of_block(const ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    const ChainMade *made = &blocks->made[tensor];
    int projected = finder->projection_of[tensor];
    bool is_narrow =
        projected >= 0 &&
        chain_is_free(blocks, &finder->linears[finder->projections[projected].linear]) &&
        finder->linears[finder->projections[projected].linear].in >
            chain_width_of(&finder->tensors[tensor]);
    if (!is_narrow && (made->kind != CHAIN_MADE_FED || made->with >= 0))
        return false;
    bool is_it = false;
    for (int i = 0; i < finder->count + finder->norm_count; i++)
        is_it =
            is_it || (blocks->made[i].kind == CHAIN_MADE_NORM && leads_to(blocks, tensor, i, 6));
    return is_it;
}

// "norm1.weight" and "norm2.weight".
static bool are_numbered_alike(const char *one, const char *other)
{
    while (*one && *other &&
           (*one == *other || (isdigit((unsigned char)*one) && isdigit((unsigned char)*other))))
        one++, other++;
    return !*one && !*other;
}

// True if the norm before the attention belongs to the layer by its name, and not to the embedding or the layer before.
static bool is_norm_of_layer(const ChainFinder *finder, int gain)
{
    bool is_it = false;
    for (int i = 0; i < finder->count && gain >= 0; i++)
        is_it = is_it || (i != gain && chain_is_gain(finder, i, finder->tensors[gain].count) &&
                          are_numbered_alike(finder->tensors[gain].name, finder->tensors[i].name));
    return is_it || (gain >= 0 && (chain_has_part(finder->tensors[gain].name, "input_l") ||
                                   chain_has_part(finder->tensors[gain].name, "att")));
}

// The attention's output is added to its normed input. That is right where the norm stands behind the layer before, so
// that the next layer's result is added to normed rows, too; or behind the embedding (ModernBERT).
static void check_first_source(ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    const ChainMade *sum = &blocks->made[tensor];
    for (int n = 0; n < finder->attention_count && sum->kind == CHAIN_MADE_SUM; n++) {
        const ChainAttention *one = &finder->attentions[n];
        int normed = chain_made_rows(finder, chain_source_of(finder, one->q));
        bool is_it = normed >= 0 && blocks->made[normed].kind == CHAIN_MADE_NORM &&
                     blocks->made[normed].with < 0 && chain_is_of_text(finder, one->q, one->k) &&
                     ((sum->from == normed && is_or_copies(finder, sum->with, one->output)) ||
                      (sum->with == normed && is_or_copies(finder, sum->from, one->output)));
        if (is_it && is_added_to(blocks, tensor, false) &&
            is_norm_of_layer(finder, blocks->made[normed].even.gain))
            chain_slip(blocks->report, CHAIN_SLIP_RESIDUAL_OTHER, tensor, NULL, NULL);
        else if (is_it && !is_added_to(blocks, tensor, true))
            blocks->report->chain->normed = tensor;
    }
}

// True if a tensor, or a copy of it, goes into a sum or a norm of a sum.
static bool is_in_sum(const ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    bool is_it = false;
    for (int i = 0; i < finder->count; i++) {
        const ChainMade *made = &blocks->made[i];
        is_it = is_it || (made->kind && made->with >= 0 &&
                          (is_or_copies(finder, tensor, made->from) ||
                           is_or_copies(finder, tensor, made->with) ||
                           is_or_copies(finder, tensor, made->third)));
    }
    return is_it;
}

// The feed-forward block's result stands where a residual sum should be, as its name says; or no sum shows whether it is
// added.
static void check_last_residual(ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    int shows = -1, other = -1;
    if (!is_result_of_block(blocks, tensor) || is_in_sum(blocks, tensor))
        return;
    for (int i = 0; i < finder->count; i++) {
        bool is_copy = is_or_copies(finder, i, tensor);
        if (is_copy && chain_is_residual_name(finder->tensors[i].name))
            shows = i;
        else if (is_copy)
            other = i;
    }
    if (shows >= 0 && other >= 0)
        chain_slip(blocks->report, CHAIN_SLIP_RESIDUAL_MISSING, shows, NULL, NULL);
    else
        blocks->report->chain->alone = tensor;
}

// --- activations

// The hidden rows go into the second layer as the first has made them.
static void check_hidden(ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    int hidden = finder->rows[finder->projections[finder->projection_of[tensor]].source].tensor;
    const ChainMade *made = hidden < 0 ? NULL : &blocks->made[hidden];
    if (made && made->kind == CHAIN_MADE_HIDDEN && made->activation == CHAIN_NO_ACTIVATION)
        chain_slip(blocks->report, CHAIN_SLIP_ACTIVATION_MISSING, hidden, NULL, NULL);
}

// Two layers that expand and contract without an activation are one.
static void check_activation(ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    const ChainMade *fed = &blocks->made[tensor];
    if (fed->kind == CHAIN_MADE_FED && fed->activation == CHAIN_NO_ACTIVATION)
        chain_slip(blocks->report, CHAIN_SLIP_ACTIVATION_MISSING, tensor, NULL, NULL);
    int projected = finder->projection_of[tensor];
    if (projected < 0)
        return;
    check_hidden(blocks, tensor);
    const ChainLinear *narrow = &finder->linears[finder->projections[projected].linear];
    int hidden = finder->rows[finder->projections[projected].source].tensor;
    static const char *const names[] = {"act", "relu", "gelu", "silu", "post", "inter"};
    for (int i = 0; i < finder->count; i++) {
        int made = is_or_copies(finder, i, hidden) ? finder->projection_of[i] : -1;
        const ChainLinear *wide =
            made < 0 ? NULL : &finder->linears[finder->projections[made].linear];
        if (!wide || wide->in != narrow->out || wide->out <= wide->in ||
            !chain_is_free(blocks, wide) || !chain_is_free(blocks, narrow))
            continue;
        int shows = i != hidden ? hidden : tensor;
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            shows = chain_has_part(finder->tensors[hidden].name, names[n]) ? hidden : shows;
        chain_slip(blocks->report, CHAIN_SLIP_ACTIVATION_MISSING, shows, NULL, NULL);
    }
}

// By its name, the layer that makes the gate is not the one that is activated.
static void check_gate(ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    const ChainMade *made = &blocks->made[tensor];
    bool is_gated = (made->kind == CHAIN_MADE_HIDDEN || made->kind == CHAIN_MADE_FED) &&
                    made->linear >= 0 && made->gate >= 0;
    const char *active = is_gated ? finder->tensors[finder->linears[made->linear].tensor].name : "",
               *other = is_gated ? finder->tensors[finder->linears[made->gate].tensor].name : "";
    if (chain_has_part(other, "gate") && !chain_has_part(active, "gate") &&
        finder->linears[made->linear].tensor != finder->linears[made->gate].tensor)
        chain_slip(blocks->report, CHAIN_SLIP_GATE_OTHER, tensor, NULL, NULL);
}

// --- norms

// "ln_1.weight" of "ln_1": other gains may be those of norms that are not in the dump.
static bool is_gain_of(const char *gain, const char *norm)
{
    size_t length = strlen(norm);
    return strncmp(gain, norm, length) == 0 && strcmp(gain + length, ".weight") == 0;
}

// nn.BatchNorm1d and nn.InstanceNorm1d take their means over the tokens.
static bool has_norm_over_tokens(const ChainFinder *finder)
{
    bool has = false;
    for (int i = 0; i < finder->count; i++)
        has = has || text_ends(finder->tensors[i].name, "running_mean") ||
              chain_has_part(finder->tensors[i].name, "inst");
    return has;
}

// True if another norm of the block, called alike, runs over each token's numbers.
static bool has_norm_beside(const ChainBlocks *blocks, const ChainMade *made)
{
    const ChainFinder *finder = blocks->report->finder;
    bool has = false;
    for (int i = 0; i < finder->count + finder->norm_count && made->even.gain >= 0; i++) {
        const ChainMade *other = &blocks->made[i];
        has = has || (other->kind == CHAIN_MADE_NORM && !other->is_over_tokens &&
                      other->even.gain >= 0 && other->even.gain != made->even.gain &&
                      are_numbered_alike(finder->tensors[made->even.gain].name,
                                         finder->tensors[other->even.gain].name));
    }
    return has;
}

// True if the norm should run over each token's numbers: RMSNorm, or what is called a layer norm. A "norm" may be
// nn.InstanceNorm1d.
static bool should_be_over_numbers(const ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    const ChainMade *made = &blocks->made[tensor];
    return made->even.norm == CHAIN_BY_ROOT_MEAN_SQUARE || has_norm_beside(blocks, made) ||
           chain_is_layer_norm_name(finder->tensors[tensor].name) ||
           (made->even.gain >= 0 &&
            chain_is_layer_norm_name(finder->tensors[made->even.gain].name));
}

static void check_norm_axis(ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    const ChainMade *made = &blocks->made[tensor];
    Chain *chain = blocks->report->chain;
    if (!made->is_over_tokens || has_norm_over_tokens(finder))
        return;
    if (should_be_over_numbers(blocks, tensor)) {
        chain_slip(blocks->report, CHAIN_SLIP_NORM_AXIS, tensor, NULL, NULL);
    } else if (chain->gap == CHAIN_NO_GAP) {
        chain->gap = CHAIN_GAP_NORM;
        chain->open = tensor;
    }
}

// True for a gain of this width that nothing uses and that would show, as its numbers differ.
static bool is_spare_gain(const ChainBlocks *blocks, int gain, ptrdiff_t width)
{
    const ChainReport *report = blocks->report;
    const ChainFinder *finder = report->finder;
    bool is_spare =
        chain_is_gain(finder, gain, width) && !chain_is_even_gain(&finder->tensors[gain]);
    for (int i = 0; i < finder->count + finder->norm_count && is_spare; i++)
        is_spare = blocks->made[i].kind != CHAIN_MADE_NORM || blocks->made[i].even.gain != gain ||
                   (i >= finder->count && !report->is_line[i]);
    for (int i = 0; i < finder->count && is_spare; i++)
        is_spare =
            finder->origins[i].even.norm == CHAIN_NO_NORM || finder->origins[i].even.gain != gain;
    for (int i = 0; i < finder->attention_count && is_spare; i++)
        for (int n = 0; n < 2; n++)
            is_spare = is_spare && (finder->attentions[i].even[n].norm == CHAIN_NO_NORM ||
                                    finder->attentions[i].even[n].gain != gain);
    return is_spare;
}

// True if a layer of the dump is applied to this norm, and every norm without a gain could have one of the dump. Gains of
// ones do not show, so that none may be such.
static bool are_gains_missing(const ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    ptrdiff_t width = chain_width_of(&finder->tensors[tensor]);
    int bare = 0, spare = 0, used = 0;
    bool is_read = false;
    for (int i = 0; i < finder->count; i++)
        is_read = is_read || (finder->projection_of[i] >= 0 && source_of(blocks, i) == tensor);
    for (int n = 0; n < finder->attention_count; n++)
        is_read =
            is_read ||
            chain_made_rows(finder, chain_source_of(finder, finder->attentions[n].q)) == tensor;
    for (int i = 0; i < finder->count; i++) {
        const ChainMade *made = &blocks->made[i];
        bool is_norm = made->kind == CHAIN_MADE_NORM && !made->is_over_tokens;
        bare += is_norm && made->even.gain < 0;
        used += is_norm && made->even.gain >= 0;
        spare += is_spare_gain(blocks, i, width);
        if (chain_is_gain(finder, i, width) && chain_is_even_gain(&finder->tensors[i]))
            return false;
    }
    return is_read && bare <= spare && (used > 0 || bare == spare);
}

// A norm with a gain adds its bias, too.
static void check_shift(ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    const ChainEven *even = &blocks->made[tensor].even;
    for (int i = 0; i < finder->count && even->gain >= 0 && even->shift < 0; i++)
        if (chain_is_vector(finder, i, chain_width_of(&finder->tensors[tensor])) &&
            finder->tensors[i].largest > 1e-3 &&
            chain_is_its_bias(finder->tensors[even->gain].name, finder->tensors[i].name))
            chain_slip(blocks->report, CHAIN_SLIP_SHIFT_MISSING, tensor, NULL, NULL);
}

// True if a norm that stands before this one in the dump has the same gain.
static bool shares_gain(const ChainBlocks *blocks, int tensor)
{
    bool is_it = false;
    for (int i = 0; i < tensor; i++)
        is_it = is_it || (blocks->made[i].kind == CHAIN_MADE_NORM &&
                          blocks->made[i].even.gain == blocks->made[tensor].even.gain &&
                          blocks->made[i].from != blocks->made[tensor].from);
    return is_it;
}

static void check_norm(ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    const ChainMade *made = &blocks->made[tensor];
    const char *name = finder->tensors[tensor].name;
    ptrdiff_t width = chain_width_of(&finder->tensors[tensor]);
    if (made->kind != CHAIN_MADE_NORM)
        return;
    check_norm_axis(blocks, tensor);
    check_shift(blocks, tensor);
    if (made->even.is_squared)
        chain_slip(blocks->report, CHAIN_SLIP_NORM_SQUARED, tensor, NULL, NULL);
    bool has_gain = made->even.gain >= 0;
    for (int i = 0; i < finder->count; i++) {
        const char *gain = finder->tensors[i].name;
        bool is_own = is_gain_of(gain, name),
             is_missing =
                 made->even.shift >= 0
                     ? chain_is_its_bias(gain, finder->tensors[made->even.shift].name)
                     : is_own || (is_norm_of_layer(finder, i) && are_gains_missing(blocks, tensor)),
             is_other = has_gain && are_numbered_alike(gain, finder->tensors[made->even.gain].name);
        if (is_spare_gain(blocks, i, width) &&
            (has_gain ? is_own || (is_other && shares_gain(blocks, tensor)) : is_missing))
            chain_slip(blocks->report, has_gain ? CHAIN_SLIP_GAIN_OTHER : CHAIN_SLIP_GAIN_MISSING,
                       tensor, NULL, NULL);
    }
}

// True for the gain of a norm that stands before the one with the other gain, by their names.
static bool is_before(const char *gain, const char *other)
{
    return (are_numbered_alike(gain, other) && strcmp(gain, other) < 0) ||
           chain_has_part(gain, "input_l") ||
           (chain_has_part(gain, "att") && !chain_has_part(gain, "post"));
}

// The attention reads the input as it is, and the first norm is not used. The feed-forward block adds its result to the sum
// that it normalises: in a block that normalises last, the norm could be that of another attention.
static void check_first_norm(ChainBlocks *blocks, const ChainAttention *attention)
{
    const ChainFinder *finder = blocks->report->finder;
    int input = chain_made_rows(finder, chain_source_of(finder, attention->q));
    int shows = chain_made_rows(finder, chain_origin_of(finder, attention->q));
    if (input < 0 || blocks->made[input].kind || finder->projection_of[input] >= 0 ||
        !chain_is_of_text(finder, attention->q, attention->k))
        return;
    for (int i = 0; i < finder->count; i++) {
        const ChainMade *norm = &blocks->made[i];
        bool is_second = norm->kind == CHAIN_MADE_NORM && norm->with < 0 && norm->even.gain >= 0 &&
                         is_sum_of(blocks, norm->from, input) &&
                         is_added_to(blocks, norm->from, false);
        for (int n = 0; n < finder->count && is_second; n++)
            if (is_before(finder->tensors[n].name, finder->tensors[norm->even.gain].name) &&
                is_spare_gain(blocks, n, chain_width_of(&finder->tensors[i])))
                chain_slip(blocks->report, CHAIN_SLIP_NORM_UNUSED,
                           shows >= 0 ? shows : chain_first_map(attention), NULL, NULL);
    }
}

// k and v of one attention are made of a text and of its norm.
static void check_sources(ChainBlocks *blocks, const ChainAttention *attention)
{
    const ChainFinder *finder = blocks->report->finder;
    const int rows[] = {attention->q, attention->k, attention->v};
    if (!chain_is_of_text(finder, attention->q, attention->k) &&
        !chain_is_of_text(finder, attention->q, attention->v))
        return; // of another text, k and v may be made apart
    if (chain_made_rows(finder, chain_source_of(finder, attention->k)) ==
        chain_made_rows(finder, chain_source_of(finder, attention->v)))
        return; // q may have a norm of its own
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int bare = chain_made_rows(finder, chain_source_of(finder, rows[i])),
                normed = chain_made_rows(finder, chain_source_of(finder, rows[j]));
            const ChainMade *made = normed < 0 ? NULL : &blocks->made[normed];
            int shows = chain_made_rows(finder, chain_origin_of(finder, rows[i]));
            shows = shows >= 0 ? shows : chain_made_rows(finder, rows[i]);
            if (bare >= 0 && made && made->kind == CHAIN_MADE_NORM && made->with < 0 &&
                made->from == bare)
                chain_slip(blocks->report, CHAIN_SLIP_SOURCE_OTHER,
                           shows >= 0 ? shows
                           : i < 2    ? chain_first_map(attention)
                                      : chain_mixed_first(attention),
                           NULL, NULL);
        }
}

// --- layers of a stack

// The length of "layers.3." in "layers.3.norm1"; 0: it is of no layer.
static size_t layer_of(const char *name)
{
    for (const char *at = strchr(name, '.'); at; at = strchr(at + 1, '.')) {
        size_t digits = strspn(at + 1, "0123456789");
        if (digits > 0 && at[1 + digits] == '.')
            return (size_t)(at - name) + digits + 2;
    }
    return 0;
}

// What a tensor of the layer of `other` is in the layer of `tensor`; -1.
static int counterpart(const ChainFinder *finder, int one, int other, int tensor)
{
    const char *layer = finder->tensors[other].name, *own = finder->tensors[tensor].name;
    size_t length = layer_of(layer), its = layer_of(own);
    bool is_inside = length > 0 && its > 0 && one >= 0 && one < finder->count &&
                     strncmp(finder->tensors[one].name, layer, length) == 0;
    for (int i = 0; i < finder->count && is_inside; i++)
        if (strncmp(finder->tensors[i].name, own, its) == 0 &&
            strcmp(finder->tensors[i].name + its, finder->tensors[one].name + length) == 0)
            return i;
    return -1;
}

// Heads of a list are numbered as layers are.
static bool is_of_layer(const ChainFinder *finder, int tensor)
{
    const char *name = finder->tensors[tensor].name;
    bool has = false; // an attention
    for (int n = 0; n < finder->attention_count && layer_of(name) > 0; n++) {
        int q = chain_linear_of(finder, finder->attentions[n].q);
        has = has ||
              (q >= 0 && finder->attentions[n].apart == 0 &&
               strncmp(finder->tensors[finder->linears[q].tensor].name, name, layer_of(name)) == 0);
    }
    return has;
}

// True if two layers make the same tensor in two ways, as far as both have its sources. `is_left`: only the other's is made.
static bool differs(const ChainBlocks *blocks, int tensor, int other, bool *is_left)
{
    const ChainFinder *finder = blocks->report->finder;
    const ChainMade *made = &blocks->made[tensor], *its = &blocks->made[other];
    int source = source_of(blocks, tensor), with = made->kind ? made->with : -1;
    const int wanted[] = {counterpart(finder, source_of(blocks, other), other, tensor),
                          its->kind ? counterpart(finder, its->with, other, tensor) : -1};
    *is_left = source < 0 && !finder->is_explained[tensor] && wanted[0] >= 0 &&
               (!its->kind || its->with < 0 || wanted[1] >= 0);
    if (source < 0 || source >= finder->count || source_of(blocks, other) < 0)
        return false;
    if (made->kind != its->kind)
        return made->kind + its->kind == CHAIN_MADE_SUM + CHAIN_MADE_NORM;
    bool is_other =
        made->kind == CHAIN_MADE_NORM &&
        (made->even.norm != its->even.norm || made->even.is_unbiased != its->even.is_unbiased);
    if (made->kind == CHAIN_MADE_HIDDEN) // GELU's two forms may be too near to tell
        is_other = (made->activation == CHAIN_RELU) != (its->activation == CHAIN_RELU) ||
                   (made->activation == CHAIN_SILU) != (its->activation == CHAIN_SILU);
    for (int i = 0; i < 2; i++)
        is_other = is_other || (wanted[i] >= 0 && !is_or_copies(finder, source, wanted[i]) &&
                                !is_or_copies(finder, with, wanted[i]));
    return is_other;
}

// Of two layers, the later one is named; of more, the one that most others differ from.
static void check_layers(ChainBlocks *blocks, int tensor)
{
    const ChainFinder *finder = blocks->report->finder;
    Chain *chain = blocks->report->chain;
    int apart = 0, alike = 0, last = -1;
    for (int i = 0; i < finder->count && is_of_layer(finder, tensor); i++) {
        bool is_left = false;
        if (i == tensor ||
            !are_numbered_alike(finder->tensors[i].name, finder->tensors[tensor].name) ||
            counterpart(finder, i, i, tensor) != tensor || !is_of_layer(finder, i))
            continue;
        *(differs(blocks, tensor, i, &is_left) ? &apart : &alike) += 1;
        last = i;
        if (is_left && chain->gap == CHAIN_NO_GAP && finder->work < finder->most) {
            chain->gap = CHAIN_GAP_LEFT;
            chain->open = tensor;
        }
    }
    if (apart > alike && (apart > 1 || last < tensor))
        chain_slip(blocks->report, CHAIN_SLIP_LAYERS_APART, tensor, NULL, NULL);
}

// --- all of it

void chain_check_blocks(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    ChainBlocks *blocks = report->blocks;
    for (int i = 0; i < finder->count && blocks; i++)
        chain_line_block(report, i, "");
    for (int i = 0; i < finder->attention_count && blocks; i++) {
        check_sources(blocks, &finder->attentions[i]);
        check_first_norm(blocks, &finder->attentions[i]);
    }
    for (int i = 0; i < finder->count && blocks; i++) {
        check_norm(blocks, i);
        check_residual(blocks, &blocks->made[i]);
        check_first_source(blocks, i);
        check_second_source(blocks, i);
        check_skipped_sum(blocks, i);
        check_last_residual(blocks, i);
        check_activation(blocks, i);
        check_gate(blocks, i);
        check_layers(blocks, i);
    }
}
