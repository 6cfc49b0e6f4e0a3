// Small scenarios made in memory, for tests of stages and traces: numbers drawn by a plain
// counter-based mixer, so that they depend on nothing that is tested.
#ifndef TINY_H
#define TINY_H

#include "scenario.h"

// What a tiny scenario looks like. Zero values mean: not there.
typedef struct TinyShape {
    ptrdiff_t batch, queries, keys; // queries == keys: self-attention
    ptrdiff_t heads, d_k, d_v;      // heads 0: no head axis
    ptrdiff_t d_in, d_out;          // d_out 0: no output projection
    ptrdiff_t vocabulary;           // not 0: starts from ragged ids, with padding
    bool bias, per_head, positions, causal, padding, given_mask, mask_first, dropout;
    bool fused;          // q, k and v in one weight, which and the output's are turned around
    ptrdiff_t context;   // not 0: a causal mask buffer of this size
    float mask_value;    // what a masked score becomes; 0: -infinity
    ptrdiff_t questions; // of a readout over the vocabulary, answered by words drawn at random
    bool backward;       // gradients too
    ptrdiff_t kv_heads;  // not 0: heads of keys and values

    bool residual;

    // Options of stages that need no tensor of their own. Where gradients are wanted, those whose gradient nobody
    // knows stay out.
    StageOptions options;
    bool layer_norm, rms_norm;

    ptrdiff_t window;
    ptrdiff_t feed_forward; // its width; not 0: expand, gelu and contract behind attention
    bool post_norm, gelu_tanh, learned, two_texts;
    bool gated, final_norm; // swiglu in place of gelu; a norm behind the last layer
    ptrdiff_t buckets;      // not 0: of distances that scores have learned a number for
    int layers;             // more than 1: each goes over what the one before it has made
    ptrdiff_t map_layers;   // not 0: attention maps of so many layers, from another model
    bool added_mask;        // of numbers
    bool last_queries;      // causal, with queries that stand at the last keys
    ptrdiff_t query_width;  // not 0: of x_query, where that is not d_in
    bool update;            // a weight of a shape of its own, with a gradient: a step of Adam
} TinyShape;

// Self-attention: 3 features a token, heads of 2, projected to 3 again; no bias, no padding. Without a
// mask, and with a causal one.
TinyShape tiny_self(ptrdiff_t batch, ptrdiff_t heads, ptrdiff_t tokens);
TinyShape tiny_causal(ptrdiff_t batch, ptrdiff_t heads, ptrdiff_t tokens);

void tiny_scenario(Scenario *scenario, TinyShape shape, uint64_t seed);

// The next number in (-1, 1), never 0; `state` is any start.
float tiny_number(uint64_t *state);

// A whole number in 0 ... limit-1.
ptrdiff_t tiny_index(uint64_t *state, ptrdiff_t limit);

// The forms a pipeline can take: self and cross attention, with and without heads, ids, masks,
// biases, per-head matrices, widths that all differ.
extern const TinyShape tiny_shapes[];
extern const int tiny_shape_count;

#endif
