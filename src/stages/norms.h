// The norms of the pipeline, as their backward pass wires them: CALL(norm, label, in, out, weights, rows, width) has
// the stage, the label of its call, the roles of its input and output, the name of its weights, and the axes.
#ifndef NORMS_H
#define NORMS_H

// Before a part of the layer; their input is kept for the residual.
#define NORMS_BEFORE(norm, CALL) \
    CALL(norm, NULL, "x", "x", "norm", "B L", "Din") \
    CALL(norm, "queries", "x_query", "x_query", "query_norm", "B Lq", "Dq") \
    CALL(norm, "feed_forward", "output", "feed", "norm_2", "B Lq", "Dout")

// Behind one.
#define NORMS_BEHIND(norm, CALL) \
    CALL(norm, "behind_attention", "output", "output", "post_norm", "B Lq", "Dout") \
    CALL(norm, "behind_feed_forward", "output", "output", "post_norm_2", "B Lq", "Dout") \
    CALL(norm, "final", "output", "output", "final_norm", "B Lq", "Dout")

// Only layer norm stands on embeddings.
#define LAYER_NORMS(CALL) \
    CALL("layer_norm", "embeddings", "x", "x", "embedding_norm", "B L", "Din") \
    NORMS_BEFORE("layer_norm", CALL) \
    NORMS_BEHIND("layer_norm", CALL)
#define RMS_NORMS(CALL) NORMS_BEFORE("rms_norm", CALL) NORMS_BEHIND("rms_norm", CALL)

#endif
